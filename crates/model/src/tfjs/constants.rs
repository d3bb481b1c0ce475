//! Puts weights into the `Const` nodes they belong to.
//!
//! A node shares the bytes of its weight; nothing is copied. It must not know files.

use std::collections::{BTreeMap, BTreeSet};

use tfjit_base::{DType, Error, Result, Tensor, bf16, f16};
use tfjit_proto::bytes::Bytes;
use tfjit_proto::tensorflow::{
    AttrValue, GraphDef, NodeDef, TensorProto, TensorShapeProto, attr_value::Value,
    tensor_shape_proto::Dim,
};

use crate::problems::Problems;
use crate::{TfType, tftype};

/// Gives every `Const` of `graph` and its functions the weight of its name; the names found are
/// added to `used`. A `Const` that is left without a value is a problem.
pub(super) fn fill(
    graph: &mut GraphDef,
    weights: &BTreeMap<String, Tensor>,
    used: &mut BTreeSet<String>,
    problems: &mut Problems,
) {
    let functions = graph.library.iter_mut().flat_map(|library| &mut library.function);
    let bodies = functions.flat_map(|function| &mut function.node_def);
    for node in graph.node.iter_mut().chain(bodies).filter(|node| node.op == "Const") {
        let filled = match weights.get(&node.name) {
            Some(weight) => {
                used.insert(node.name.clone());
                set_value(node, weight)
            }
            None => has_value(node),
        };
        if let Err(e) = filled {
            problems.error(e.at(node.name.clone()));
        }
    }
}

/// Whether a `Const` without a weight holds its own value.
fn has_value(node: &NodeDef) -> Result<()> {
    let value = node.attr.get("value").and_then(|attr| attr.value.as_ref());
    let Some(Value::Tensor(tensor)) = value else {
        return Err(Error::invalid_argument("the constant has neither a weight nor a value"));
    };
    let shape = tensor.tensor_shape.as_ref();
    let empty = shape.is_some_and(|shape| shape.dim.iter().any(|dim| dim.size == 0));
    let blank = TensorProto {
        dtype: tensor.dtype,
        tensor_shape: tensor.tensor_shape.clone(),
        version_number: tensor.version_number,
        ..TensorProto::default()
    };
    if **tensor == blank && !empty {
        return Err(Error::invalid_argument("the constant has no weight in weightsManifest"));
    }
    Ok(())
}

fn set_value(node: &mut NodeDef, weight: &Tensor) -> Result<()> {
    let declared = match node.attr.remove("value").and_then(|attr| attr.value) {
        Some(Value::Tensor(tensor)) => Some(tensor),
        None => None,
        Some(_) => return Err(Error::invalid_argument("the attribute value is not a tensor")),
    };
    if let Some(shape) = declared.as_ref().and_then(|tensor| tensor.tensor_shape.as_ref()) {
        let dims: Vec<i64> = shape.dim.iter().map(|dim| dim.size).collect();
        if shape.unknown_rank || dims != weight.shape().to_i64() {
            return Err(Error::invalid_argument(format!(
                "the constant has the shape {dims:?}, its weight {}",
                weight.shape()
            )));
        }
    }
    let number = match (node.attr.get("dtype").and_then(|attr| attr.value.as_ref()), declared) {
        (Some(Value::Type(number)), _) => *number,
        (Some(_), _) => return Err(Error::invalid_argument("the attribute dtype is not a type")),
        (None, Some(tensor)) if tensor.dtype != 0 => tensor.dtype,
        (None, _) => tftype::tf_type(weight.dtype()) as i32,
    };
    let tftype = TfType::try_from(number).unwrap_or(TfType::DtInvalid);
    let dtype = tftype::dtype(tftype).filter(|_| !tftype::is_ref(tftype)).ok_or_else(|| {
        let name = tftype::tf_name(tftype);
        Error::invalid_argument(format!("a constant cannot be of type {name}"))
    })?;
    let value = proto(tftype, &widen(weight, dtype)?);
    let attr = |value| AttrValue { value: Some(value) };
    node.attr.insert("value".to_owned(), attr(Value::Tensor(Box::new(value))));
    node.attr.insert("dtype".to_owned(), attr(Value::Type(number)));
    Ok(())
}

/// A message that shares the bytes of `tensor`.
fn proto(tftype: TfType, tensor: &Tensor) -> TensorProto {
    let dims = tensor.shape().to_i64().into_iter();
    let dim = dims.map(|size| Dim { size, name: String::new() }).collect();
    let strings = tensor.as_strings().unwrap_or_default();
    TensorProto {
        dtype: tftype as i32,
        tensor_shape: Some(TensorShapeProto { dim, unknown_rank: false }),
        tensor_content: tensor.shared_bytes().cloned().map(Bytes::from_owner).unwrap_or_default(),
        string_val: strings.iter().map(|s| Bytes::copy_from_slice(s)).collect(),
        ..TensorProto::default()
    }
}

/// `weight` in the type its node declares: TF.js knows few types, so its converter stores 64-bit
/// integers in 32 bits, half precision in single, and so on.
fn widen(weight: &Tensor, dtype: DType) -> Result<Tensor> {
    let shape = weight.shape().clone();
    macro_rules! cast {
        ($from:ty => $to:ty, $convert:expr) => {{
            let convert: fn($from) -> Option<$to> = $convert;
            let values: Option<Vec<$to>> =
                weight.as_slice::<$from>()?.iter().map(|&v| convert(v)).collect();
            let values = values.ok_or_else(|| {
                Error::invalid_argument(format!("an element of the weight does not fit {dtype}"))
            })?;
            Tensor::from_slice(shape, &values)
        }};
    }
    match (weight.dtype(), dtype) {
        (from, to) if from == to => Ok(weight.clone()),
        (DType::I32, DType::I64) => cast!(i32 => i64, |v| Some(v.into())),
        // The converter lets unsigned numbers wrap.
        (DType::I32, DType::U32) => cast!(i32 => u32, |v| Some(v as u32)),
        (DType::I32, DType::U64) => cast!(i32 => u64, |v| v.try_into().ok()),
        (DType::I32, DType::I16) => cast!(i32 => i16, |v| v.try_into().ok()),
        (DType::I32, DType::U16) => cast!(i32 => u16, |v| v.try_into().ok()),
        (DType::I32, DType::I8) => cast!(i32 => i8, |v| v.try_into().ok()),
        (DType::I32, DType::U8) => cast!(i32 => u8, |v| v.try_into().ok()),
        (DType::F32, DType::F64) => cast!(f32 => f64, |v| Some(v.into())),
        (DType::F32, DType::F16) => cast!(f32 => f16, |v| Some(f16::from_f32(v))),
        (DType::F32, DType::BF16) => cast!(f32 => bf16, |v| Some(bf16::from_f32(v))),
        (DType::F16, DType::F32) => cast!(f16 => f32, |v| Some(v.to_f32())),
        (DType::C64, DType::C128) => {
            cast!(tfjit_base::Complex32 => tfjit_base::Complex64, |v| {
                Some(tfjit_base::Complex64::new(v.re.into(), v.im.into()))
            })
        }
        (from, to) => Err(Error::invalid_argument(format!(
            "the constant is of type {to}, its weight of type {from}"
        ))),
    }
}
