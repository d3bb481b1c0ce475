//! Types of values: tensors (possibly with unknown extents), tokens and tuples.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::{DType, Error, Result, Shape};

/// The extent of a dimension that is not known before the program runs; prints as `?`.
pub const DYNAMIC: i64 = -1;

/// The type of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A tensor.
    Tensor(TensorType),
    /// An ordering token, `!stablehlo.token`.
    Token,
    /// A tuple, `tuple<…>`.
    Tuple(Vec<Type>),
}

/// The type of a tensor value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TensorType {
    /// The element type; for a quantised type the storage type.
    pub dtype: DType,
    /// Extents; [`DYNAMIC`] where unknown.
    pub dims: SmallVec<[i64; 6]>,
    /// Upper bounds of dynamic extents (`#stablehlo.bounds<…>`), one a dimension, or empty.
    pub bounds: SmallVec<[i64; 2]>,
    /// Quantisation parameters of `!quant.uniform<…>` element types.
    pub quant: Option<Arc<Quant>>,
}

/// Parameters of a uniformly quantised element type: `real = scale * (stored - zero_point)`.
///
/// Scales are kept as bits so that the type is `Eq` and `Hash`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Quant {
    /// The type of the real value.
    pub expressed: DType,
    /// Smallest and largest stored value, when narrower than the storage type.
    pub storage_range: Option<(i64, i64)>,
    /// The dimension along which scales vary; `None` when one scale holds for the tensor.
    pub axis: Option<usize>,
    /// `f64::to_bits` of each scale.
    pub scale_bits: Vec<u64>,
    /// The zero point of each scale.
    pub zero_points: Vec<i64>,
}

impl TensorType {
    /// A type with these extents.
    pub fn new(dtype: DType, dims: &[i64]) -> TensorType {
        TensorType { dtype, dims: SmallVec::from_slice(dims), bounds: SmallVec::new(), quant: None }
    }

    /// A type with the extents of `shape`.
    pub fn of(dtype: DType, shape: &Shape) -> TensorType {
        TensorType {
            dtype,
            dims: shape.iter().map(|&d| d as i64).collect(),
            bounds: SmallVec::new(),
            quant: None,
        }
    }

    /// The type of a scalar.
    pub fn scalar(dtype: DType) -> TensorType {
        TensorType::new(dtype, &[])
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Whether every extent is known.
    pub fn is_static(&self) -> bool {
        !self.dims.contains(&DYNAMIC)
    }

    /// The exact shape.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when an extent is unknown, RESOURCE_EXHAUSTED when it is too large.
    pub fn shape(&self) -> Result<Shape> {
        if !self.is_static() {
            return Err(Error::failed_precondition("the type has an extent that is not known yet"));
        }
        Shape::from_i64(&self.dims)
    }

    /// The same extents with another element type (and no quantisation).
    pub fn with_dtype(&self, dtype: DType) -> TensorType {
        TensorType { dtype, dims: self.dims.clone(), bounds: self.bounds.clone(), quant: None }
    }

    /// The same element type with other extents.
    pub fn with_dims(&self, dims: &[i64]) -> TensorType {
        TensorType {
            dtype: self.dtype,
            dims: SmallVec::from_slice(dims),
            bounds: SmallVec::new(),
            quant: self.quant.clone(),
        }
    }
}

impl Type {
    /// A tensor type.
    pub fn tensor(dtype: DType, dims: &[i64]) -> Type {
        Type::Tensor(TensorType::new(dtype, dims))
    }

    /// The tensor type, if it is one.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(t) => Some(t),
            Type::Token | Type::Tuple(_) => None,
        }
    }
}

impl From<TensorType> for Type {
    fn from(t: TensorType) -> Type {
        Type::Tensor(t)
    }
}
