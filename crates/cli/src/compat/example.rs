//! Dictionaries as serialised `tf.train.Example` messages.
//!
//! The first element of a feature decides whether it is a list of floats, bytes or integers.

use tfjit_base::{Error, Result};

use crate::python::Literal;

/// The wire bytes of an example with these features, in the order written.
///
/// # Errors
/// INVALID_ARGUMENT when it is no dictionary of lists of numbers or strings.
pub(super) fn serialise(example: &Literal) -> Result<Vec<u8>> {
    let Literal::Dict(features) = example else {
        return Err(Error::invalid_argument(format!(
            "a tf.Example is a dictionary of features, not {}",
            example.type_name()
        )));
    };
    let mut map = Vec::new();
    for (name, values) in features {
        let Literal::Str(name) = name else {
            return Err(Error::invalid_argument("the name of a feature must be a string"));
        };
        let Literal::List(values) = values else {
            return Err(Error::invalid_argument(format!(
                "feature value must be a list, but {name} is {}",
                values.type_name()
            )));
        };
        let mut entry = Vec::new();
        push_field(&mut entry, 1, name.as_bytes());
        push_field(&mut entry, 2, &feature(values).map_err(|e| e.at(name))?);
        push_field(&mut map, 1, &entry);
    }
    let mut out = Vec::new();
    push_field(&mut out, 1, &map);
    Ok(out)
}

/// Field numbers of the three lists in `Feature`.
const BYTES_LIST: u32 = 1;
const FLOAT_LIST: u32 = 2;
const INT64_LIST: u32 = 3;

fn feature(values: &[Literal]) -> Result<Vec<u8>> {
    let mixed = |value: &Literal| {
        Error::invalid_argument(format!("a {} does not belong into this list", value.type_name()))
    };
    let mut list = Vec::new();
    let number = match values.first() {
        Some(Literal::Float(_)) => {
            let mut packed = Vec::new();
            for value in values {
                let v = match value {
                    Literal::Float(v) => *v,
                    Literal::Int(v) => *v as f64,
                    Literal::Bool(v) => f64::from(u8::from(*v)),
                    other => return Err(mixed(other)),
                };
                packed.extend((v as f32).to_le_bytes());
            }
            push_field(&mut list, 1, &packed);
            FLOAT_LIST
        }
        Some(Literal::Str(_) | Literal::Bytes(_)) => {
            for value in values {
                match value {
                    Literal::Str(text) => push_field(&mut list, 1, text.as_bytes()),
                    Literal::Bytes(bytes) => push_field(&mut list, 1, bytes),
                    other => return Err(mixed(other)),
                }
            }
            BYTES_LIST
        }
        Some(Literal::Int(_) | Literal::Bool(_)) => {
            let mut packed = Vec::new();
            for value in values {
                let v = match value {
                    Literal::Int(v) => i64::try_from(*v)
                        .map_err(|_| Error::out_of_range(format!("{v} does not fit 64 bits")))?,
                    Literal::Bool(v) => i64::from(*v),
                    other => return Err(mixed(other)),
                };
                push_varint(&mut packed, v as u64);
            }
            push_field(&mut list, 1, &packed);
            INT64_LIST
        }
        Some(other) => {
            return Err(Error::invalid_argument(format!(
                "Type {} is not supported for tf.train.Feature.",
                other.type_name()
            )));
        }
        None => return Err(Error::invalid_argument("an empty list has no type")),
    };
    let mut out = Vec::new();
    push_field(&mut out, number, &list);
    Ok(out)
}

/// A length-delimited field.
fn push_field(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    push_varint(out, u64::from(number << 3 | 2));
    push_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python;

    #[test]
    fn the_bytes_are_tensorflows() {
        let example = python::parse("{'f': [1.0, 2], 'g': ['s', b'\\xff'], 'h': [-1]}", false);
        let hex: String =
            serialise(&example.unwrap()).unwrap().iter().map(|b| format!("{b:02x}")).collect();
        // SerializeToString(deterministic=True) of the same message in Python.
        let want = "0a370a110a0166120c120a0a080000803f000000400a0d0a016712080a060a01730a01ff\
                    0a130a0168120e1a0c0a0affffffffffffffffff01";
        assert_eq!(hex, want);
    }

    #[test]
    fn what_is_no_example_is_refused() {
        for text in ["[1]", "{'a': 1}", "{'a': []}", "{'a': [1, 'x']}", "{1: [1]}", "{'a': [None]}"]
        {
            assert!(serialise(&python::parse(text, false).unwrap()).is_err(), "{text}");
        }
    }
}
