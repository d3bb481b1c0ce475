//! Literals as tensors: nested lists give the shape, leaves the elements.

use tfjit_base::{DType, DTypeClass, Error, Result, Shape, Tensor};

use super::cast::{complex_tensor, float_tensor, int_tensor};
use crate::python::Literal;

/// The tensor of type `dtype` that `literal` spells.
///
/// # Errors
/// INVALID_ARGUMENT for ragged lists and for leaves that are not of the type: a fraction for an
/// integer, a number for a string. OUT_OF_RANGE for integers that do not fit.
pub(super) fn tensor(literal: &Literal, dtype: DType) -> Result<Tensor> {
    let mut dims = Vec::new();
    let mut level = literal;
    while let Literal::List(items) | Literal::Tuple(items) = level {
        dims.push(items.len() as i64);
        let Some(first) = items.first() else { break };
        level = first;
    }
    let shape = Shape::from_i64(&dims)?;
    let mut leaves = Vec::new();
    collect(literal, &shape, 0, &mut leaves)?;
    match dtype.class() {
        DTypeClass::String => {
            Tensor::strings(shape, leaves.into_iter().map(string).collect::<Result<_>>()?)
        }
        DTypeClass::Bool | DTypeClass::Signed | DTypeClass::Unsigned => {
            let values: Vec<i128> =
                leaves.into_iter().map(|v| integer(v, dtype)).collect::<Result<_>>()?;
            int_tensor(dtype, shape, &values)
        }
        DTypeClass::Float => {
            let values: Vec<f64> =
                leaves.into_iter().map(|v| float(v, dtype)).collect::<Result<_>>()?;
            float_tensor(dtype, shape, &values)
        }
        DTypeClass::Complex => {
            let values: Vec<(f64, f64)> = leaves
                .into_iter()
                .map(|v| match v {
                    Literal::Complex(re, im) => Ok((*re, *im)),
                    other => Ok((float(other, dtype)?, 0.0)),
                })
                .collect::<Result<_>>()?;
            complex_tensor(dtype, shape, &values)
        }
    }
}

fn collect<'l>(
    literal: &'l Literal,
    shape: &Shape,
    axis: usize,
    leaves: &mut Vec<&'l Literal>,
) -> Result<()> {
    let ragged = || {
        Error::invalid_argument(format!(
            "the lists are ragged: in front the shape is {shape}, further on it is not"
        ))
    };
    match literal {
        Literal::List(items) | Literal::Tuple(items) => {
            if shape.dims().get(axis) != Some(&items.len()) {
                return Err(ragged());
            }
            items.iter().try_for_each(|item| collect(item, shape, axis + 1, leaves))
        }
        leaf if axis == shape.rank() => {
            leaves.push(leaf);
            Ok(())
        }
        _ => Err(ragged()),
    }
}

fn wrong(literal: &Literal, dtype: DType) -> Error {
    Error::invalid_argument(format!("a {} in a value of type {dtype}", literal.type_name()))
}

fn string(literal: &Literal) -> Result<Vec<u8>> {
    match literal {
        Literal::Str(text) => Ok(text.as_bytes().to_vec()),
        Literal::Bytes(bytes) => Ok(bytes.clone()),
        other => Err(wrong(other, DType::String).help("strings are written in quotes")),
    }
}

fn integer(literal: &Literal, dtype: DType) -> Result<i128> {
    match literal {
        Literal::Int(v) => Ok(*v),
        Literal::Bool(v) => Ok(i128::from(*v)),
        Literal::Float(v) if v.fract() == 0.0 && v.abs() < 2f64.powi(100) => Ok(*v as i128),
        Literal::Float(v) => Err(Error::invalid_argument(format!("{v} is no value of {dtype}"))),
        other => Err(wrong(other, dtype)),
    }
}

fn float(literal: &Literal, dtype: DType) -> Result<f64> {
    match literal {
        Literal::Int(v) => Ok(*v as f64),
        Literal::Bool(v) => Ok(f64::from(u8::from(*v))),
        Literal::Float(v) => Ok(*v),
        other => Err(wrong(other, dtype)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python;

    fn read(text: &str, dtype: DType) -> Result<Tensor> {
        tensor(&python::parse(text, true)?, dtype)
    }

    #[test]
    fn shapes_come_from_nesting() {
        assert_eq!(read("[[1,2,3],[4,5,6]]", DType::I32).unwrap().shape().dims(), [2, 3]);
        assert_eq!(read("[[], []]", DType::F32).unwrap().shape().dims(), [2, 0]);
        assert_eq!(read("7", DType::U8).unwrap().to_i64s().unwrap(), [7]);
        for ragged in ["[[1],[2,3]]", "[1,[2]]", "[[1],2]", "[[],[1]]"] {
            assert!(read(ragged, DType::F32).unwrap_err().message().contains("ragged"));
        }
    }

    #[test]
    fn leaves_must_fit() {
        assert!(read("[1.5]", DType::I32).is_err());
        assert_eq!(read("[2.0]", DType::I32).unwrap().to_i64s().unwrap(), [2]);
        assert!(read("300", DType::U8).is_err());
        assert!(read("-1", DType::U64).is_err());
        assert!(read("2", DType::Bool).is_err());
        assert!(read("'a'", DType::F32).is_err());
        assert!(read("1", DType::String).is_err());
        assert!(read("1j", DType::F32).is_err());
        assert!(read("None", DType::F32).is_err());
        assert!(read("[1+2j]", DType::C64).is_ok());
    }
}
