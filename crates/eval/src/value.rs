//! What instructions pass to each other.

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{DYNAMIC, TensorType, Type};

/// The value of an operand or result. Quantised tensors hold their stored integers; the parameters
/// are those of the static type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// An ordering token.
    Token,
    /// A tuple.
    Tuple(Vec<Value>),
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}

impl Value {
    /// The tensor.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for tokens and tuples.
    pub fn tensor(&self) -> Result<&Tensor> {
        match self {
            Value::Tensor(tensor) => Ok(tensor),
            Value::Token | Value::Tuple(_) => {
                Err(Error::invalid_argument("a token or tuple stands where a tensor should"))
            }
        }
    }

    /// Bytes of all tensors inside, counting shared ones each time.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Value::Tensor(tensor) => tensor.bytes().len(),
            Value::Token => 0,
            Value::Tuple(parts) => {
                parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes()))
            }
        }
    }

    /// Checks that the value is one of the type; extents the type leaves open may be anything up to
    /// their bound.
    ///
    /// # Errors
    /// INVALID_ARGUMENT naming the difference.
    pub fn check(&self, ty: &Type) -> Result<()> {
        match (self, ty) {
            (Value::Tensor(tensor), Type::Tensor(ty)) => check_tensor(tensor, ty),
            (Value::Token, Type::Token) => Ok(()),
            (Value::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                parts.iter().zip(types).try_for_each(|(part, ty)| part.check(ty))
            }
            _ => Err(Error::invalid_argument("a value is of another kind than its type")),
        }
    }
}

/// Checks that a tensor is one of the type.
pub(crate) fn check_tensor(tensor: &Tensor, ty: &TensorType) -> Result<()> {
    let fits = |(d, (&want, &got)): (usize, (&i64, &usize))| match ty.bounds.get(d) {
        _ if want != DYNAMIC => want == got as i64,
        Some(&bound) if bound != DYNAMIC => got as i64 <= bound,
        _ => true,
    };
    let same = tensor.dtype() == ty.dtype
        && tensor.shape().rank() == ty.rank()
        && ty.dims.iter().zip(tensor.shape().iter()).enumerate().all(fits);
    if same {
        return Ok(());
    }
    let dims: Vec<String> = ty
        .dims
        .iter()
        .map(|&d| if d == DYNAMIC { "?".to_owned() } else { d.to_string() })
        .collect();
    Err(Error::invalid_argument(format!(
        "a tensor {}{} stands where the type says {}[{}]",
        tensor.dtype(),
        tensor.shape(),
        ty.dtype,
        dims.join(",")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{DType, Shape};

    #[test]
    fn open_extents_take_anything_up_to_their_bound() {
        let x = Value::from(Tensor::zeros(DType::F32, Shape::new(&[2, 3])).unwrap());
        let mut ty = TensorType::new(DType::F32, &[DYNAMIC, 3]);
        x.check(&ty.clone().into()).unwrap();
        ty.bounds = [1, DYNAMIC].into_iter().collect();
        let error = x.check(&ty.into()).unwrap_err();
        assert!(error.message().contains("f32[2,3]"), "{error}");
        assert!(x.check(&Type::tensor(DType::F32, &[2, 4])).is_err());
        assert!(x.check(&Type::tensor(DType::I32, &[2, 3])).is_err());
        assert!(x.check(&Type::Token).is_err());
        assert!(Value::Token.tensor().is_err());
    }
}
