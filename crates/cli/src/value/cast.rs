//! Conversions between element types that lose nothing but precision.
//!
//! Truth values become numbers, integers become wider or narrower ones if they fit, integers
//! become floats, floats become floats, reals become complex. Nothing else is converted.

use tfjit_base::{
    AlignedBytes, Complex32, Complex64, DType, DTypeClass, Error, MiniFloat, Result, Shape, Tensor,
    bf16, f16,
};

/// `tensor` as `dtype`.
///
/// # Errors
/// INVALID_ARGUMENT for pairs of types that are not converted, OUT_OF_RANGE for integers that do
/// not fit.
pub(crate) fn cast(tensor: &Tensor, dtype: DType) -> Result<Tensor> {
    if tensor.dtype() == dtype {
        return Ok(tensor.clone());
    }
    let shape = tensor.shape().clone();
    let from = rank(tensor.dtype().class());
    let to = rank(dtype.class());
    match (from, to) {
        (Some(from), Some(to)) if from <= to => {}
        _ => {
            return Err(Error::invalid_argument(format!(
                "the value is {}, the input takes {dtype}",
                tensor.dtype()
            ))
            .help("convert it first; only conversions that keep the value are made here"));
        }
    }
    match dtype.class() {
        DTypeClass::Complex => complex_tensor(dtype, shape, &complex_values(tensor)?),
        DTypeClass::Float => float_tensor(dtype, shape, &tensor.to_f64s()?),
        _ => int_tensor(dtype, shape, &int_values(tensor)?),
    }
}

/// How much a class of types can hold; `None` for strings.
fn rank(class: DTypeClass) -> Option<u8> {
    Some(match class {
        DTypeClass::Bool => 0,
        DTypeClass::Signed | DTypeClass::Unsigned => 1,
        DTypeClass::Float => 2,
        DTypeClass::Complex => 3,
        DTypeClass::String => return None,
    })
}

fn int_values(tensor: &Tensor) -> Result<Vec<i128>> {
    if tensor.dtype() == DType::U64 {
        return Ok(tensor.as_slice::<u64>()?.iter().map(|&v| i128::from(v)).collect());
    }
    Ok(tensor.to_i64s()?.into_iter().map(i128::from).collect())
}

fn complex_values(tensor: &Tensor) -> Result<Vec<(f64, f64)>> {
    Ok(match tensor.dtype() {
        DType::C64 => tensor
            .as_slice::<Complex32>()?
            .iter()
            .map(|c| (f64::from(c.re), f64::from(c.im)))
            .collect(),
        DType::C128 => tensor.as_slice::<Complex64>()?.iter().map(|c| (c.re, c.im)).collect(),
        _ => tensor.to_f64s()?.into_iter().map(|v| (v, 0.0)).collect(),
    })
}

/// A tensor of complex numbers.
///
/// # Errors
/// INVALID_ARGUMENT when the number of values is not that of `shape`.
pub(super) fn complex_tensor(dtype: DType, shape: Shape, values: &[(f64, f64)]) -> Result<Tensor> {
    if dtype == DType::C64 {
        let values: Vec<_> =
            values.iter().map(|&(re, im)| Complex32::new(re as f32, im as f32)).collect();
        return Tensor::from_slice(shape, &values);
    }
    let values: Vec<_> = values.iter().map(|&(re, im)| Complex64::new(re, im)).collect();
    Tensor::from_slice(shape, &values)
}

/// A tensor of floating-point numbers, rounded to nearest.
///
/// # Errors
/// INVALID_ARGUMENT when the number of values is not that of `shape`.
pub(super) fn float_tensor(dtype: DType, shape: Shape, values: &[f64]) -> Result<Tensor> {
    match dtype {
        DType::F64 => Tensor::from_slice(shape, values),
        DType::F32 => {
            Tensor::from_slice(shape, &values.iter().map(|&v| v as f32).collect::<Vec<_>>())
        }
        DType::F16 => {
            Tensor::from_slice(shape, &values.iter().map(|&v| f16::from_f64(v)).collect::<Vec<_>>())
        }
        DType::BF16 => Tensor::from_slice(
            shape,
            &values.iter().map(|&v| bf16::from_f64(v)).collect::<Vec<_>>(),
        ),
        _ => {
            let format = MiniFloat::of(dtype)
                .ok_or_else(|| Error::internal(format!("{dtype} is no float")))?;
            let codes: Vec<u8> = values.iter().map(|&v| format.encode_f64(v)).collect();
            Tensor::from_raw(dtype, shape, &codes)
        }
    }
}

/// A tensor of integers or truth values.
///
/// # Errors
/// OUT_OF_RANGE for a value that does not fit, INVALID_ARGUMENT when the number of values is not
/// that of `shape`.
pub(super) fn int_tensor(dtype: DType, shape: Shape, values: &[i128]) -> Result<Tensor> {
    let bits = dtype.bits();
    let (low, high) = if dtype.is_signed_int() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    let size = dtype.size();
    let mut bytes = AlignedBytes::zeroed(values.len().saturating_mul(size))?;
    for (element, &v) in bytes.as_mut().chunks_exact_mut(size).zip(values) {
        if v < low || v > high {
            return Err(Error::out_of_range(format!("{v} does not fit {dtype}")));
        }
        element.copy_from_slice(&v.to_le_bytes()[..size]);
    }
    Tensor::new(dtype, shape, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f64s(values: &[f64]) -> Tensor {
        Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
    }

    #[test]
    fn precision_may_be_lost_but_nothing_else() {
        let t = f64s(&[0.1, f64::NAN, 1e300]);
        let f32s = cast(&t, DType::F32).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(f32s[0], 0.1f32);
        assert!(f32s[1].is_nan() && f32s[2].is_infinite());
        assert!(cast(&t, DType::I32).is_err());
        assert!(cast(&t, DType::String).is_err());
        let ints = Tensor::from_slice(Shape::new(&[2]), &[1i64, -7]).unwrap();
        assert_eq!(cast(&ints, DType::I8).unwrap().to_i64s().unwrap(), [1, -7]);
        assert_eq!(cast(&ints, DType::I4).unwrap().bytes(), [1, 0xf9]);
        assert_eq!(cast(&ints, DType::BF16).unwrap().to_f64s().unwrap(), [1.0, -7.0]);
        assert!(cast(&ints, DType::U64).is_err());
        assert!(cast(&ints, DType::Bool).is_err());
        assert!(cast(&cast(&ints, DType::C64).unwrap(), DType::F32).is_err());
        let big = Tensor::from_slice(Shape::new(&[1]), &[u64::MAX]).unwrap();
        assert!(cast(&big, DType::I64).is_err());
        assert!(cast(&Tensor::scalar_bool(true), DType::F32).is_ok());
    }
}
