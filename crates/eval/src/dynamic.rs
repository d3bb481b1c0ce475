//! Shapes that are computed while a program runs.

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_hlo::TensorType;

use crate::inst::is_open;
use crate::moves::{self, dim, index_value};

/// A shape held by a one-dimensional integer tensor.
///
/// # Errors
/// INVALID_ARGUMENT when it is negative, RESOURCE_EXHAUSTED when it is too large.
pub(crate) fn shape_value(x: &Tensor) -> Result<Shape> {
    if x.shape().rank() != 1 {
        return Err(Error::invalid_argument(format!("a shape of shape {}", x.shape())));
    }
    Shape::from_i64(&x.to_i64s()?)
}

/// The values of scalar indices.
pub(crate) fn indices(starts: &[&Tensor]) -> Result<Vec<i64>> {
    starts.iter().map(|start| index_value(start)).collect()
}

/// The result shape of a reshape to a type that leaves at most one extent open.
pub(crate) fn reshape_shape(x: &Tensor, ty: &TensorType) -> Result<Shape> {
    if ty.is_static() {
        return ty.shape();
    }
    // With several open extents the operand must tell: dimensions keep their order, so one that
    // has the operand's extents except for ones is the only reading without arithmetic.
    let open = ty.dims.iter().filter(|&&d| is_open(d)).count();
    if open > 1 {
        return reshape_open(x, ty);
    }
    let known: i64 = ty.dims.iter().filter(|&&d| !is_open(d)).product();
    let elements = x.elements() as i64;
    let rest = if known == 0 { 0 } else { elements / known };
    let dims: Vec<i64> = ty.dims.iter().map(|&d| if is_open(d) { rest } else { d }).collect();
    Shape::from_i64(&dims)
}

/// A reshape that only adds or drops extents of one.
fn reshape_open(x: &Tensor, ty: &TensorType) -> Result<Shape> {
    let mut extents = x.shape().iter().filter(|&&e| e != 1);
    let dims: Option<Vec<usize>> =
        ty.dims.iter().map(|&d| if d == 1 { Some(1) } else { extents.next().copied() }).collect();
    match (dims, extents.next()) {
        (Some(dims), None) => Ok(Shape::from(dims)),
        _ => Err(Error::invalid_argument(format!(
            "the shape that {} is reshaped to is not known",
            x.shape()
        ))),
    }
}

/// The result shape of a broadcast to a type whose open extents are the operand's.
pub(crate) fn broadcast_shape(x: &Tensor, dims: &[i64], ty: &TensorType) -> Result<Shape> {
    let mut shape = ty.dims.to_vec();
    for (&d, &extent) in dims.iter().zip(x.shape().iter()) {
        let d = dim(d, shape.len())?;
        if is_open(shape[d]) {
            shape[d] = extent as i64;
        }
    }
    if shape.iter().any(|&d| is_open(d)) {
        return Err(Error::invalid_argument("a broadcast leaves an extent open"));
    }
    Shape::from_i64(&shape)
}

/// `real_dynamic_slice`, whose bounds are not clamped.
pub(crate) fn slice(
    x: &Tensor,
    start: &Tensor,
    limit: &Tensor,
    strides: &Tensor,
) -> Result<Tensor> {
    let (start, limit, strides) = (start.to_i64s()?, limit.to_i64s()?, strides.to_i64s()?);
    for (d, (&extent, (&start, &limit))) in
        x.shape().iter().zip(start.iter().zip(&limit)).enumerate()
    {
        if start < 0 || limit < start || limit > extent as i64 {
            return Err(Error::out_of_range(format!(
                "[{start}:{limit}] leaves the extent {extent} of dimension {d}"
            )));
        }
    }
    moves::slice(x, &start, &limit, &strides)
}

/// The first `size` elements along a dimension, when the type says that it is cut there.
///
/// Programs exported from TensorFlow also set the size a dimension has anyway, with a type that
/// stays static.
pub(crate) fn set_dimension_size(
    x: &Tensor,
    size: &Tensor,
    dimension: i64,
    ty: &TensorType,
) -> Result<Tensor> {
    let d = dim(dimension, x.shape().rank())?;
    let (size, extent) = (index_value(size)?, x.shape()[d] as i64);
    if size == extent {
        return Ok(x.clone());
    }
    if size < 0 || size > extent {
        return Err(Error::out_of_range(format!(
            "dimension {d} of extent {extent} cannot be set to {size}"
        )));
    }
    if !ty.dims.get(d).is_some_and(|&d| is_open(d) || d == size) {
        return Err(Error::invalid_argument(format!(
            "dimension {d} is set to {size}, which its type does not allow"
        )));
    }
    let rank = x.shape().rank();
    let mut limit = x.shape().to_i64();
    limit[d] = size;
    moves::slice(x, &vec![0; rank], &limit, &vec![1; rank])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::DType;
    use tfjit_hlo::DYNAMIC;

    fn zeros(shape: &[usize]) -> Tensor {
        Tensor::zeros(DType::F32, Shape::new(shape)).unwrap()
    }

    #[test]
    fn open_extents_follow_from_the_operand() {
        let ty = |dims: &[i64]| TensorType::new(DType::F32, dims);
        let shape = |x: &[usize], dims: &[i64]| reshape_shape(&zeros(x), &ty(dims));
        assert_eq!(shape(&[2, 6], &[3, DYNAMIC]).unwrap().dims(), [3, 4]);
        assert_eq!(shape(&[0, 6], &[DYNAMIC]).unwrap().dims(), [0]);
        assert_eq!(shape(&[2, 1, 6], &[DYNAMIC, DYNAMIC, 1]).unwrap().dims(), [2, 6, 1]);
        assert!(shape(&[2, 6], &[DYNAMIC, DYNAMIC, 3]).is_err());
        let got = broadcast_shape(&zeros(&[2]), &[1], &ty(&[3, DYNAMIC])).unwrap();
        assert_eq!(got.dims(), [3, 2]);
        assert!(broadcast_shape(&zeros(&[2]), &[1], &ty(&[DYNAMIC, 2])).is_err());
    }

    #[test]
    fn sizes_cut() {
        let open = TensorType::new(DType::F32, &[DYNAMIC, 3]);
        let set = |n: i32, ty| set_dimension_size(&zeros(&[2, 3]), &Tensor::scalar(n), 0, ty);
        assert_eq!(set(1, &open).unwrap().shape().dims(), [1, 3]);
        let fixed = TensorType::new(DType::F32, &[2, 3]);
        assert_eq!(set(2, &fixed).unwrap().shape().dims(), [2, 3]);
        assert!(set(1, &fixed).is_err() && set(3, &open).is_err() && set(-1, &open).is_err());
    }
}
