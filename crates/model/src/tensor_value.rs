//! Constants as files write them: whole, or as a few values of which the last repeats.
//!
//! A file can ask for 2^40 equal numbers in twenty bytes, so nothing is materialised here until
//! somebody calls [`TensorValue::to_tensor`].

use std::fmt;
use std::sync::Arc;

use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor};

use crate::{TfType, tftype};

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorValue {
    /// The type the file gives it; quantised types keep their name here.
    pub tftype: TfType,
    /// The shape.
    pub shape: Shape,
    /// The elements.
    pub data: TensorData,
}

/// The elements of a constant.
#[derive(Clone, PartialEq, Debug)]
pub enum TensorData {
    /// All of them, with the constant's shape; large ones share the bytes of the file.
    Dense(Tensor),
    /// The one value (a scalar tensor) that all elements have.
    Splat(Tensor),
    /// The leading values (a vector); the last one is repeated to the end.
    Padded(Tensor),
    /// Variant elements, which no tensor holds.
    Variants(Arc<[VariantValue]>),
}

/// One element of a `DT_VARIANT` constant.
#[derive(Clone, PartialEq, Debug)]
pub struct VariantValue {
    /// The registered name of the C++ type: `tensorflow::TensorList`.
    pub type_name: String,
    /// What the type itself wrote.
    pub metadata: Vec<u8>,
    /// The tensors it holds.
    pub tensors: Vec<TensorValue>,
}

impl TensorValue {
    /// A constant that is a whole tensor.
    pub fn dense(tensor: Tensor) -> TensorValue {
        TensorValue {
            tftype: tftype::tf_type(tensor.dtype()),
            shape: tensor.shape().clone(),
            data: TensorData::Dense(tensor),
        }
    }

    /// The element type; `None` for variants.
    pub fn dtype(&self) -> Option<DType> {
        tftype::dtype(self.tftype)
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.elements()
    }

    /// The value all elements have, as a scalar tensor, if the constant is written that way or has
    /// one element.
    pub fn as_splat(&self) -> Option<Tensor> {
        match &self.data {
            TensorData::Splat(value) => Some(value.clone()),
            TensorData::Dense(t) if t.elements() == 1 => t.reshaped(Shape::scalar()).ok(),
            _ => None,
        }
    }

    /// The whole tensor; shared if it is dense.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when it is larger than the limits allow, UNIMPLEMENTED for variants.
    pub fn to_tensor(&self) -> Result<Tensor> {
        match &self.data {
            TensorData::Dense(t) => Ok(t.clone()),
            TensorData::Splat(t) | TensorData::Padded(t) => repeat_last(t, &self.shape),
            TensorData::Variants(v) => Err(Error::unimplemented(format!(
                "a constant of {} cannot be used as a tensor",
                v.first().map_or("variants", |v| v.type_name.as_str())
            ))),
        }
    }
}

/// The values of `given` in the leading elements, the last one in the rest.
fn repeat_last(given: &Tensor, shape: &Shape) -> Result<Tensor> {
    let n = shape.checked_elements()?;
    if let Some(values) = given.as_strings() {
        // A header of 24 bytes each, as good as a limit in bytes.
        let bytes = n.saturating_mul(size_of::<Vec<u8>>());
        let longest = values.last().map_or(0, Vec::len);
        if bytes.saturating_add(n.saturating_mul(longest)) > tfjit_base::limits::TENSOR_BYTES_MAX {
            return Err(Error::resource_exhausted(format!(
                "a string constant of shape {shape} is larger than the limit"
            )));
        }
        let last = values.last().cloned().unwrap_or_default();
        let mut all = values.to_vec();
        all.resize(n, last);
        return Tensor::strings(shape.clone(), all);
    }
    let size = given.dtype().size();
    let mut out = AlignedBytes::zeroed(n.saturating_mul(size))?;
    let bytes = out.as_mut();
    let head = given.bytes().len().min(bytes.len());
    bytes[..head].copy_from_slice(&given.bytes()[..head]);
    if head >= size && size > 0 {
        let mut last = [0u8; 16];
        last[..size].copy_from_slice(&given.bytes()[head - size..head]);
        if last.iter().any(|&b| b != 0) {
            for element in bytes[head..].chunks_exact_mut(size) {
                element.copy_from_slice(&last[..size]);
            }
        }
    }
    Tensor::new(given.dtype(), shape.clone(), out)
}

/// Prints type and shape, and the value if there is just one: `float[2,3] 0.5 ...`.
impl fmt::Display for TensorValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", tftype::op_def_name(self.tftype), self.shape)?;
        let Some(value) = self.as_splat() else { return Ok(()) };
        if let Some([text]) = value.as_strings() {
            let shown = &text[..text.len().min(40)];
            return write!(f, " '{}'", shown.escape_ascii());
        }
        match (value.to_i64s(), value.to_f64s()) {
            (Ok(v), _) => write!(f, " {}", v[0]),
            (_, Ok(v)) => write!(f, " {}", v[0]),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_repeats() {
        let value = |data, shape: &[usize]| TensorValue {
            tftype: TfType::DtInt32,
            shape: Shape::new(shape),
            data,
        };
        let given = Tensor::from_slice(Shape::new(&[2]), &[7i32, 9]).unwrap();
        let padded = value(TensorData::Padded(given), &[2, 2]);
        assert_eq!(padded.to_tensor().unwrap().to_vec::<i32>().unwrap(), [7, 9, 9, 9]);
        let splat = value(TensorData::Splat(Tensor::scalar(5i32)), &[3]);
        assert_eq!(splat.to_tensor().unwrap().to_vec::<i32>().unwrap(), [5, 5, 5]);
        assert_eq!(splat.to_string(), "int32[3] 5");
        let huge = value(TensorData::Splat(Tensor::scalar(5i32)), &[1 << 40]);
        assert!(huge.to_tensor().is_err());
        assert_eq!(huge.as_splat().unwrap().to_i64s().unwrap(), [5]);
    }

    #[test]
    fn strings_repeat_too() {
        let one = Tensor::strings(Shape::scalar(), vec![b"ab".to_vec()]).unwrap();
        let v = TensorValue {
            tftype: TfType::DtString,
            shape: Shape::new(&[2]),
            data: TensorData::Splat(one),
        };
        assert_eq!(v.to_tensor().unwrap().as_strings().unwrap(), [b"ab".to_vec(), b"ab".to_vec()]);
    }
}
