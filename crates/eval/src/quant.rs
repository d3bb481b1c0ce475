//! Uniformly quantised tensors: `real = scale * (stored - zero_point)`.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Quant, TensorType, Unary};

use crate::convert::convert;
use crate::elementwise::{binary, clamp, unary};
use crate::moves::{broadcast_in_dim, splat};

/// Parameters spread over `shape`, along the quantised dimension or over all of it.
fn spread(parameters: &Tensor, quant: &Quant, shape: &Shape) -> Result<Tensor> {
    match quant.axis {
        Some(axis) => broadcast_in_dim(parameters, shape, &[axis as i64]),
        None => splat(&parameters.reshaped(Shape::scalar())?, shape),
    }
}

fn scales(quant: &Quant, shape: &Shape) -> Result<Tensor> {
    let values: Vec<f64> = quant.scale_bits.iter().map(|&bits| f64::from_bits(bits)).collect();
    let exact = Tensor::from_slice(Shape::new(&[values.len()]), &values)?;
    spread(&convert(&exact, quant.expressed)?, quant, shape)
}

fn zero_points(quant: &Quant, shape: &Shape) -> Result<Tensor> {
    let line = Shape::new(&[quant.zero_points.len()]);
    spread(&Tensor::from_slice(line, &quant.zero_points)?, quant, shape)
}

fn parameters(ty: &TensorType) -> Result<&Quant> {
    ty.quant.as_deref().ok_or_else(|| Error::invalid_argument("a type is not quantised"))
}

/// The real values of stored ones of type `ty`, in its expressed type.
///
/// # Errors
/// INVALID_ARGUMENT when `ty` is not quantised or its parameters do not fit the shape.
pub(crate) fn dequantize(x: &Tensor, ty: &TensorType) -> Result<Tensor> {
    let quant = parameters(ty)?;
    let stored = convert(x, DType::I64)?;
    let steps = binary(Binary::Subtract, &stored, &zero_points(quant, x.shape())?)?;
    binary(Binary::Multiply, &convert(&steps, quant.expressed)?, &scales(quant, x.shape())?)
}

/// The stored values of type `ty` nearest to real ones, at the end of the range beyond it.
///
/// # Errors
/// As [`dequantize`].
pub(crate) fn quantize(x: &Tensor, ty: &TensorType) -> Result<Tensor> {
    let quant = parameters(ty)?;
    let real = convert(x, quant.expressed)?;
    let scaled = binary(Binary::Divide, &real, &scales(quant, x.shape())?)?;
    let zeros = convert(&zero_points(quant, x.shape())?, quant.expressed)?;
    let moved = binary(Binary::Add, &scaled, &zeros)?;
    let (low, high) = range(quant, ty.dtype)?;
    let bound = |value: i64| convert(&Tensor::scalar(value), quant.expressed);
    let inside = clamp(&bound(low)?, &moved, &bound(high)?)?;
    convert(&unary(Unary::RoundNearestEven, &inside)?, ty.dtype)
}

/// Smallest and largest stored value.
fn range(quant: &Quant, storage: DType) -> Result<(i64, i64)> {
    if let Some(range) = quant.storage_range {
        return Ok(range);
    }
    let bits = storage.bits() as u32;
    if !storage.is_int() || bits > 32 {
        return Err(Error::invalid_argument(format!("{storage} does not store quantised values")));
    }
    Ok(match storage.is_signed_int() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn ty(axis: Option<usize>, scales: &[f64], zero_points: &[i64]) -> TensorType {
        let mut ty = TensorType::new(DType::I8, &[2, 2]);
        ty.quant = Some(Arc::new(Quant {
            expressed: DType::F32,
            storage_range: Some((-128, 127)),
            axis,
            scale_bits: scales.iter().map(|s| s.to_bits()).collect(),
            zero_points: zero_points.to_vec(),
        }));
        ty
    }

    #[test]
    fn there_and_back() {
        let x = Tensor::from_slice(Shape::new(&[2, 2]), &[1.0f32, -1.25, 0.24, 1e9]).unwrap();
        let whole = ty(None, &[0.5], &[3]);
        let stored = quantize(&x, &whole).unwrap();
        assert_eq!(stored.to_i64s().unwrap(), [5, 0, 3, 127]);
        assert_eq!(dequantize(&stored, &whole).unwrap().to_f64s().unwrap(), [1.0, -1.5, 0.0, 62.0]);
        let rows = ty(Some(1), &[0.5, 0.25], &[0, 1]);
        let stored = quantize(&x, &rows).unwrap();
        assert_eq!(stored.to_i64s().unwrap(), [2, -4, 0, 127]);
    }
}
