//! Tensors: an element type, a shape and shared, immutable, row-major data.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;
use half::{bf16, f16};
use num_complex::Complex;

use crate::{AlignedBytes, Bytes, DType, Error, Result, Shape};

/// A Rust type that is the in-memory form of one [`DType`].
pub trait Element: Pod {
    /// The element type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($t:ty => $d:ident),* $(,)?) => {
        $(impl Element for $t { const DTYPE: DType = DType::$d; })*
    };
}
elements! {
    i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    bf16 => BF16, f16 => F16, f32 => F32, f64 => F64, Complex<f32> => C64, Complex<f64> => C128,
}

/// A tensor; cloning shares the data.
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    shape: Shape,
    data: Data,
}

#[derive(Clone)]
enum Data {
    Plain(Bytes),
    Strings(Arc<[Vec<u8>]>),
}

impl Tensor {
    /// A tensor over `bytes`, little-endian and row-major.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the byte count is not that of `shape`, or `dtype` is `String`.
    pub fn new(dtype: DType, shape: Shape, bytes: impl Into<Bytes>) -> Result<Tensor> {
        let bytes = bytes.into();
        if dtype == DType::String {
            return Err(Error::invalid_argument("a string tensor is not made of plain bytes"));
        }
        let want = shape.checked_elements()?.saturating_mul(dtype.size());
        let got = bytes.as_ref().len();
        if want != got {
            return Err(Error::invalid_argument(format!(
                "a tensor {dtype}{shape} takes {want} bytes, not {got}"
            )));
        }
        Ok(Tensor { dtype, shape, data: Data::Plain(bytes) })
    }

    /// A tensor of zeros (empty strings, `false`).
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when it is too large.
    pub fn zeros(dtype: DType, shape: Shape) -> Result<Tensor> {
        let n = shape.checked_elements()?;
        if dtype == DType::String {
            return Tensor::strings(shape, vec![Vec::new(); n]);
        }
        Tensor::new(dtype, shape, AlignedBytes::zeroed(n.saturating_mul(dtype.size()))?)
    }

    /// A copy of `values`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when their number is not that of `shape`.
    pub fn from_slice<T: Element>(shape: Shape, values: &[T]) -> Result<Tensor> {
        Tensor::new(T::DTYPE, shape, AlignedBytes::copy_of(bytemuck::cast_slice(values))?)
    }

    /// A boolean tensor.
    ///
    /// # Errors
    /// As [`Tensor::from_slice`].
    pub fn from_bools(shape: Shape, values: &[bool]) -> Result<Tensor> {
        Tensor::new(DType::Bool, shape, AlignedBytes::copy_of(bytemuck::cast_slice(values))?)
    }

    /// A tensor whose elements' bytes are `raw` (for types without a Rust type of their own).
    ///
    /// # Errors
    /// As [`Tensor::new`].
    pub fn from_raw(dtype: DType, shape: Shape, raw: &[u8]) -> Result<Tensor> {
        Tensor::new(dtype, shape, AlignedBytes::copy_of(raw)?)
    }

    /// A string tensor.
    ///
    /// # Errors
    /// As [`Tensor::from_slice`].
    pub fn strings(shape: Shape, values: Vec<Vec<u8>>) -> Result<Tensor> {
        if shape.checked_elements()? != values.len() {
            return Err(Error::invalid_argument(format!(
                "a string tensor of shape {shape} does not take {} values",
                values.len()
            )));
        }
        Ok(Tensor { dtype: DType::String, shape, data: Data::Strings(values.into()) })
    }

    /// A scalar.
    pub fn scalar<T: Element>(value: T) -> Tensor {
        Tensor::from_slice(Shape::scalar(), &[value]).expect("a scalar takes one value")
    }

    /// A boolean scalar.
    pub fn scalar_bool(value: bool) -> Tensor {
        Tensor::from_bools(Shape::scalar(), &[value]).expect("a scalar takes one value")
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.elements()
    }

    /// The raw bytes; empty for string tensors.
    pub fn bytes(&self) -> &[u8] {
        match &self.data {
            Data::Plain(bytes) => bytes.as_ref(),
            Data::Strings(_) => &[],
        }
    }

    /// The raw bytes to write to, if no other tensor shares them; `None` for string tensors.
    pub fn unique_bytes(&mut self) -> Option<&mut [u8]> {
        match &mut self.data {
            Data::Plain(bytes) => bytes.unique(),
            Data::Strings(_) => None,
        }
    }

    /// The shared byte view; `None` for string tensors.
    pub fn shared_bytes(&self) -> Option<&Bytes> {
        match &self.data {
            Data::Plain(bytes) => Some(bytes),
            Data::Strings(_) => None,
        }
    }

    /// As [`crate::Storage::let_go`], for the elements of this tensor.
    pub fn let_go(&self) {
        if let Data::Plain(bytes) = &self.data {
            bytes.let_go();
        }
    }

    /// The strings; `None` for other tensors.
    pub fn as_strings(&self) -> Option<&[Vec<u8>]> {
        match &self.data {
            Data::Plain(_) => None,
            Data::Strings(values) => Some(values),
        }
    }

    /// The elements, borrowed where the alignment of the data allows it.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the tensor holds another element type.
    pub fn as_slice<T: Element>(&self) -> Result<Cow<'_, [T]>> {
        if T::DTYPE != self.dtype {
            return Err(Error::invalid_argument(format!(
                "the tensor holds {}, not {}",
                self.dtype,
                T::DTYPE
            )));
        }
        Ok(match bytemuck::try_cast_slice(self.bytes()) {
            Ok(slice) => Cow::Borrowed(slice),
            Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(self.bytes())),
        })
    }

    /// The elements, copied.
    ///
    /// # Errors
    /// As [`Tensor::as_slice`].
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        Ok(self.as_slice()?.into_owned())
    }

    /// The elements of a boolean tensor.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the tensor is not boolean.
    pub fn to_bools(&self) -> Result<Vec<bool>> {
        if self.dtype != DType::Bool {
            return Err(Error::invalid_argument(format!(
                "the tensor holds {}, not bool",
                self.dtype
            )));
        }
        Ok(self.bytes().iter().map(|&b| b != 0).collect())
    }

    /// The elements of any integer or boolean tensor, widened (`U64` wraps above `i64::MAX`).
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the tensor is neither.
    pub fn to_i64s(&self) -> Result<Vec<i64>> {
        macro_rules! widen {
            ($t:ty) => {
                self.as_slice::<$t>()?.iter().map(|&v| v as i64).collect()
            };
        }
        Ok(match self.dtype {
            DType::Bool | DType::U2 | DType::U4 => {
                self.bytes().iter().map(|&b| i64::from(b)).collect()
            }
            DType::I2 | DType::I4 => self.bytes().iter().map(|&b| i64::from(b as i8)).collect(),
            DType::I8 => widen!(i8),
            DType::I16 => widen!(i16),
            DType::I32 => widen!(i32),
            DType::I64 => widen!(i64),
            DType::U8 => widen!(u8),
            DType::U16 => widen!(u16),
            DType::U32 => widen!(u32),
            DType::U64 => widen!(u64),
            other => {
                return Err(Error::invalid_argument(format!(
                    "the tensor holds {other}, not integers"
                )));
            }
        })
    }

    /// The elements of any real numeric tensor as `f64` (64-bit integers may round).
    ///
    /// # Errors
    /// INVALID_ARGUMENT for complex and string tensors.
    pub fn to_f64s(&self) -> Result<Vec<f64>> {
        Ok(match self.dtype {
            DType::F32 => self.as_slice::<f32>()?.iter().map(|&v| f64::from(v)).collect(),
            DType::F64 => self.to_vec()?,
            DType::F16 => self.as_slice::<f16>()?.iter().map(|v| v.to_f64()).collect(),
            DType::BF16 => self.as_slice::<bf16>()?.iter().map(|v| v.to_f64()).collect(),
            DType::U64 => self.as_slice::<u64>()?.iter().map(|&v| v as f64).collect(),
            dtype => match crate::MiniFloat::of(dtype) {
                Some(m) => self.bytes().iter().map(|&b| f64::from(m.decode(b))).collect(),
                None => self.to_i64s()?.into_iter().map(|v| v as f64).collect(),
            },
        })
    }

    /// The same data with another shape.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the number of elements differs.
    pub fn reshaped(&self, shape: Shape) -> Result<Tensor> {
        if shape.elements() != self.shape.elements() {
            return Err(Error::invalid_argument(format!(
                "a tensor of shape {} cannot be reshaped to {shape}",
                self.shape
            )));
        }
        Ok(Tensor { dtype: self.dtype, shape, data: self.data.clone() })
    }

    /// The same bytes seen as another element type of the same size.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the sizes differ.
    pub fn bitcast(&self, dtype: DType) -> Result<Tensor> {
        match &self.data {
            Data::Plain(bytes) if dtype.size() == self.dtype.size() => {
                Tensor::new(dtype, self.shape.clone(), bytes.clone())
            }
            _ => Err(Error::invalid_argument(format!("{} and {dtype} differ in size", self.dtype))),
        }
    }
}

/// Bitwise equality of type, shape and data: NaN equals the same NaN, `-0` differs from `0`.
impl PartialEq for Tensor {
    fn eq(&self, other: &Tensor) -> bool {
        self.dtype == other.dtype
            && self.shape == other.shape
            && self.bytes() == other.bytes()
            && self.as_strings() == other.as_strings()
    }
}

impl Eq for Tensor {}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({}{})", self.dtype, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_aligned_and_typed() {
        let t = Tensor::from_slice(Shape::new(&[3]), &[1i32, 2, 3]).unwrap();
        assert_eq!(t.bytes().as_ptr() as usize % 64, 0);
        assert!(matches!(t.as_slice::<i32>().unwrap(), Cow::Borrowed(_)));
        assert!(t.as_slice::<f32>().is_err());
        assert_eq!(t.to_i64s().unwrap(), [1, 2, 3]);
    }

    #[test]
    fn only_unshared_data_is_written() {
        let mut t = Tensor::scalar(1u8);
        let other = t.clone();
        assert!(t.unique_bytes().is_none());
        drop(other);
        t.unique_bytes().unwrap()[0] = 2;
        assert_eq!(t, Tensor::scalar(2u8));
    }

    #[test]
    fn wrong_sizes_are_refused() {
        assert!(Tensor::from_slice(Shape::new(&[2]), &[1.0f32]).is_err());
        assert!(Tensor::zeros(DType::F32, Shape::new(&[1 << 30, 1 << 20])).is_err());
        assert!(
            Tensor::new(DType::String, Shape::scalar(), AlignedBytes::zeroed(0).unwrap()).is_err()
        );
    }

    #[test]
    fn strings_hold_bytes() {
        let t = Tensor::strings(Shape::new(&[1]), vec![vec![0xff, 0]]).unwrap();
        assert_eq!(t.as_strings().unwrap()[0], [0xff, 0]);
        assert!(t.bytes().is_empty());
    }
}
