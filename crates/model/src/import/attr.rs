//! Attribute values out of the wire form.
//!
//! It must not know op definitions; sizes and nesting are checked, kinds are not.

use std::borrow::Cow;

use tfjit_base::{Error, Result};
use tfjit_proto::Message;
use tfjit_proto::bytes::Bytes;
use tfjit_proto::tensorflow as pb;
use tfjit_proto::tensorflow::attr_value::Value;

use super::wire::{NodeView, Reader};
use super::{Strings, tensor};
use crate::TfType;
use crate::attr::{AttrList, AttrValue, Attrs, FuncRef};
use crate::read::broken;

/// Nesting of functions' attributes within functions' attributes.
const FUNC_DEPTH_MAX: usize = 16;

/// An attribute's value as it is written.
pub(crate) enum RawAttr<'a> {
    Message(Cow<'a, pb::AttrValue>),
    /// The bytes of the message, a part of those of the file or its node.
    Wire(&'a [u8], &'a Bytes),
}

impl RawAttr<'_> {
    /// Whether there is no value, which some converters write.
    pub(crate) fn is_hollow(&self) -> bool {
        match self {
            RawAttr::Message(value) => value.value.is_none(),
            // What is not empty and has no value has unknown fields only.
            RawAttr::Wire(bytes, file) => {
                bytes.is_empty()
                    || (!matches!(bytes[0], 0x0a | 0x12 | 0x18 | 0x25 | 0x28 | 0x30 | 0x3a | 0x42)
                        && decode(bytes, file).is_ok_and(|v| v.value.is_none()))
            }
        }
    }

    /// The value, `None` if there is none.
    fn value(&self, strings: &mut Strings) -> Result<Option<AttrValue>> {
        let full = |value: &pb::AttrValue, strings: &mut Strings| {
            value.value.as_ref().map(|v| value_at(v, strings, 0)).transpose()
        };
        match self {
            RawAttr::Message(value) => full(value, strings),
            RawAttr::Wire(bytes, file) => match simple(bytes) {
                Some(value) => value.map(Some),
                None => full(&decode(bytes, file)?, strings),
            },
        }
    }
}

fn decode(bytes: &[u8], file: &Bytes) -> Result<pb::AttrValue> {
    pb::AttrValue::decode(file.slice_ref(bytes)).map_err(|e| broken("AttrValue", &e))
}

/// A value of one plain field; `None` when it is anything else.
fn simple(bytes: &[u8]) -> Option<Result<AttrValue>> {
    let mut reader = Reader(bytes);
    let value = match reader.byte()? {
        0x12 => Ok(AttrValue::Bytes(reader.piece()?.to_vec())),
        0x18 => Ok(AttrValue::Int(reader.varint()? as i64)),
        0x28 => Ok(AttrValue::Bool(reader.varint()? != 0)),
        0x30 => tftype(reader.varint()? as i32).map(AttrValue::Type),
        _ => return None,
    };
    reader.0.is_empty().then_some(value)
}

/// The attributes of a node, as [`attrs`].
pub(crate) fn node_attrs(node: &NodeView<'_>, strings: &mut Strings) -> Result<Attrs> {
    let mut out = Vec::with_capacity(node.attrs.len() + 2);
    for (name, value) in &node.attrs {
        let value = value.value(strings).map_err(|e| e.context(format!("attribute {name}")))?;
        if let Some(value) = value {
            out.push((strings.share(name), value));
        }
    }
    Ok(out.into_iter().collect())
}

/// A map of attributes. Entries without a value, which some converters write, are left out.
///
/// # Errors
/// Of the first attribute that is broken, naming it.
pub(crate) fn attrs<'a>(
    map: impl IntoIterator<Item = (&'a String, &'a pb::AttrValue)>,
    strings: &mut Strings,
) -> Result<Attrs> {
    attrs_at(map, strings, 0)
}

fn attrs_at<'a>(
    map: impl IntoIterator<Item = (&'a String, &'a pb::AttrValue)>,
    strings: &mut Strings,
    depth: usize,
) -> Result<Attrs> {
    map.into_iter()
        .filter_map(|(name, value)| Some((name, value.value.as_ref()?)))
        .map(|(name, value)| {
            let value = value_at(value, strings, depth)
                .map_err(|e| e.context(format!("attribute {name}")))?;
            Ok((strings.share(name), value))
        })
        .collect()
}

/// One attribute value. INVALID_ARGUMENT when a list mixes kinds or a part is broken.
fn value_at(value: &Value, strings: &mut Strings, depth: usize) -> Result<AttrValue> {
    Ok(match value {
        Value::S(v) => AttrValue::Bytes(v.to_vec()),
        Value::I(v) => AttrValue::Int(*v),
        Value::F(v) => AttrValue::Float(*v),
        Value::B(v) => AttrValue::Bool(*v),
        Value::Type(v) => AttrValue::Type(tftype(*v)?),
        Value::Shape(v) => AttrValue::Shape(tensor::partial_shape(v)?),
        Value::Tensor(v) => AttrValue::Tensor(Box::new(tensor::tensor_value(v)?)),
        Value::Placeholder(v) => AttrValue::Placeholder(v.clone()),
        Value::Func(v) => AttrValue::Func(func(v, strings, depth)?),
        Value::List(v) => AttrValue::List(list(v, strings, depth)?),
    })
}

fn tftype(number: i32) -> Result<TfType> {
    TfType::try_from(number)
        .map_err(|_| Error::invalid_argument(format!("{number} is not the number of a type")))
}

fn func(func: &pb::NameAttrList, strings: &mut Strings, depth: usize) -> Result<FuncRef> {
    if depth > FUNC_DEPTH_MAX {
        return Err(Error::invalid_argument("functions' attributes are nested too deep"));
    }
    Ok(FuncRef {
        name: strings.share(&func.name),
        attrs: attrs_at(&func.attr, strings, depth + 1)?,
    })
}

fn list(list: &pb::attr_value::ListValue, strings: &mut Strings, depth: usize) -> Result<AttrList> {
    let lengths = [
        list.s.len(),
        list.i.len(),
        list.f.len(),
        list.b.len(),
        list.r#type.len(),
        list.shape.len(),
        list.tensor.len(),
        list.func.len(),
    ];
    let mut kinds = lengths.iter().enumerate().filter(|(_, n)| **n > 0);
    let Some((kind, _)) = kinds.next() else { return Ok(AttrList::Empty) };
    if kinds.next().is_some() {
        return Err(Error::invalid_argument("a list holds several kinds of values"));
    }
    Ok(match kind {
        0 => AttrList::Bytes(list.s.iter().map(|s| s.to_vec()).collect()),
        1 => AttrList::Ints(list.i.clone()),
        2 => AttrList::Floats(list.f.clone()),
        3 => AttrList::Bools(list.b.clone()),
        4 => AttrList::Types(list.r#type.iter().map(|t| tftype(*t)).collect::<Result<_>>()?),
        5 => AttrList::Shapes(list.shape.iter().map(tensor::partial_shape).collect::<Result<_>>()?),
        6 => {
            AttrList::Tensors(list.tensor.iter().map(tensor::tensor_value).collect::<Result<_>>()?)
        }
        _ => AttrList::Funcs(
            list.func.iter().map(|f| func(f, strings, depth)).collect::<Result<_>>()?,
        ),
    })
}
