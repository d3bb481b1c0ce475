//! The key of the compile cache, by TensorFlow's rule: the function's canonical name, and for each
//! argument its whole value if it is a compile-time constant, else its type and shape.
//!
//! Not in the key: names and identity of variables, the device, the mode. Only frozen variables,
//! which TensorFlow does not have, are told apart by a number, so that nothing looks through them.

use std::fmt;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tfjit_base::{DType, Tensor};
use tfjit_bridge::Arg;
use tfjit_model::{AttrValue, Function};

/// One argument in a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SignatureArg {
    /// A compile-time constant.
    Constant(Tensor),
    /// Type and extents of a parameter or of a variable's value.
    Parameter(DType, Vec<i64>),
    /// A variable without a value.
    Uninitialized,
    /// The same variable as the argument of this number. TensorFlow refuses such clusters.
    Alias(usize),
    /// The number of a frozen variable.
    Frozen(u64),
}

/// The key of one compilation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Canonical name of the function.
    pub name: String,
    /// One entry per argument.
    pub args: Vec<SignatureArg>,
}

impl Signature {
    /// The key for `name` (see [`function_name`]) with these arguments.
    pub fn new(name: impl Into<String>, args: &[Arg]) -> Signature {
        let args = args
            .iter()
            .map(|arg| match arg {
                Arg::Constant(tensor) | Arg::ConstantVariable(_, tensor) => {
                    SignatureArg::Constant(tensor.clone())
                }
                Arg::Alias(of) => SignatureArg::Alias(*of),
                Arg::Parameter(ty) | Arg::Variable(_, Some(ty)) => {
                    SignatureArg::Parameter(ty.dtype, ty.dims.to_vec())
                }
                Arg::Variable(_, None) => SignatureArg::Uninitialized,
                Arg::Frozen(variable) => SignatureArg::Frozen(variable.id),
            })
            .collect();
        Signature { name: name.into(), args }
    }

    /// Bytes of memory it takes, constants included.
    pub fn bytes(&self) -> u64 {
        let arg = |arg: &SignatureArg| match arg {
            SignatureArg::Constant(tensor) => tensor.bytes().len(),
            SignatureArg::Parameter(_, dims) => size_of_val(dims.as_slice()),
            _ => 0,
        };
        let args = self.args.iter().map(|a| size_of::<SignatureArg>() + arg(a));
        (size_of::<Signature>() + self.name.len() + args.sum::<usize>()) as u64
    }
}

impl Hash for Signature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        for arg in &self.args {
            match arg {
                SignatureArg::Constant(t) => {
                    t.dtype().hash(state);
                    t.shape().hash(state);
                    t.bytes().hash(state);
                    t.as_strings().hash(state);
                }
                SignatureArg::Parameter(dtype, dims) => {
                    dtype.hash(state);
                    dims.hash(state);
                }
                SignatureArg::Uninitialized => 0u8.hash(state),
                SignatureArg::Frozen(id) => (1u8, id).hash(state),
                SignatureArg::Alias(of) => (2u8, of).hash(state),
            }
        }
    }
}

/// Name, then each argument: `f[a=1],f32 [2,3]; i32[2] {1, 2}`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for arg in &self.args {
            match arg {
                SignatureArg::Constant(t) => write!(f, "; {}", ConstantText(t))?,
                SignatureArg::Alias(of) => write!(f, ",same as {of}")?,
                SignatureArg::Parameter(dtype, dims) => write!(f, ",{dtype} {dims:?}")?,
                SignatureArg::Uninitialized => f.write_str(",uninitialized")?,
                SignatureArg::Frozen(id) => write!(f, ",frozen {id}")?,
            }
        }
        Ok(())
    }
}

/// Elements of a constant that its text shows.
const ELEMENTS_SHOWN: usize = 8;

/// Type, shape and first elements of a constant.
struct ConstantText<'t>(&'t Tensor);

impl fmt::Display for ConstantText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tensor = self.0;
        write!(f, "{}{} {{", tensor.dtype(), tensor.shape())?;
        let shown = tensor.elements().min(ELEMENTS_SHOWN);
        let mut list = f.debug_list();
        if let Some(strings) = tensor.as_strings() {
            let lossy = strings[..shown].iter().map(|s| String::from_utf8_lossy(s));
            list.entries(lossy).finish_non_exhaustive()?;
        } else if let Ok(values) = tensor.to_i64s() {
            list.entries(&values[..shown]).finish()?;
        } else if let Ok(values) = tensor.to_f64s() {
            list.entries(&values[..shown]).finish()?;
        }
        if shown < tensor.elements() {
            f.write_str(" …")?;
        }
        f.write_str("}")
    }
}

/// The function's name with its attributes in order of their names: `f[_noinline=true]`. Strings
/// appear as 64-bit fingerprints.
pub fn function_name(function: &Function) -> String {
    let mut name = function.name.to_string();
    let attrs: Vec<String> = function
        .attrs
        .iter()
        .map(|(key, value)| match value {
            AttrValue::Bytes(bytes) => {
                let mut hasher = FxHasher::default();
                bytes.hash(&mut hasher);
                format!("{key}={:016x}", hasher.finish())
            }
            other => format!("{key}={other}"),
        })
        .collect();
    if !attrs.is_empty() {
        name.push_str(&format!("[{}]", attrs.join(",")));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::Shape;
    use tfjit_hlo::TensorType;

    fn parameter(dtype: DType, dims: &[i64]) -> Arg {
        Arg::Parameter(TensorType::new(dtype, dims))
    }

    #[test]
    fn types_shapes_and_places_of_constants_tell_keys_apart() {
        let keys: Vec<Signature> = [
            vec![parameter(DType::I32, &[4, 0])],
            vec![parameter(DType::F32, &[4, 0])],
            vec![parameter(DType::F32, &[0, 4])],
            vec![Arg::Constant(Tensor::scalar(1i32)), parameter(DType::I32, &[])],
            vec![parameter(DType::I32, &[]), Arg::Constant(Tensor::scalar(1i32))],
        ]
        .iter()
        .map(|args| Signature::new("f", args))
        .collect();
        for (i, a) in keys.iter().enumerate() {
            for (j, b) in keys.iter().enumerate() {
                assert_eq!(a == b, i == j);
                assert_eq!(a.to_string() == b.to_string(), i == j);
            }
        }
    }

    #[test]
    fn frozen_variables_are_told_apart_by_number_alone() {
        let key = |id, value: f32| {
            let value = Tensor::scalar(value);
            let variable = tfjit_bridge::FrozenVariable { id, name: "v".to_owned(), value };
            Signature::new("f", &[Arg::Frozen(variable)])
        };
        assert_eq!(key(1, 1.0), key(1, 2.0));
        assert_ne!(key(1, 1.0), key(2, 1.0));
        assert_ne!(key(1, 1.0), Signature::new("f", &[parameter(DType::F32, &[])]));
    }

    #[test]
    fn a_constant_never_equals_its_type() {
        let constant = Signature::new("f", &[Arg::Constant(Tensor::scalar(1i32))]);
        let other = Signature::new("f", &[Arg::Constant(Tensor::scalar(2i32))]);
        let ty = TensorType::of(DType::I32, &Shape::scalar());
        let parameter = Signature::new("f", &[Arg::Parameter(ty)]);
        assert_ne!(constant, parameter);
        assert_ne!(constant, other);
        assert_eq!(constant, constant.clone());
    }
}
