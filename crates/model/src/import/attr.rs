//! Attribute values out of the wire form.
//!
//! It must not know op definitions; sizes and nesting are checked, kinds are not.

use tfjit_base::{Error, Result};
use tfjit_proto::tensorflow as pb;
use tfjit_proto::tensorflow::attr_value::Value;

use super::{Strings, tensor};
use crate::TfType;
use crate::attr::{AttrList, AttrValue, Attrs, FuncRef};

/// Nesting of functions' attributes within functions' attributes.
const FUNC_DEPTH_MAX: usize = 16;

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
