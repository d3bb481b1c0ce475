//! Arguments of saved functions, written as Python prints them.
//!
//! saved_model_cli ends a list with two backspaces over its last comma; they are part of the text.

use std::collections::BTreeMap;

use tfjit_base::Tensor;
use tfjit_model::{TfType, tftype};
use tfjit_proto::tensorflow::{
    AttrValue, GraphDef, NodeDef, StructuredValue, TensorProto, TensorShapeProto, TensorSpecProto,
    TypeSpecProto, attr_value, structured_value::Kind,
};

use crate::python;

/// Text, or the reason why the functions cannot be listed. Recursion is bounded by protobuf's own
/// limit on nesting.
type Text = Result<String, &'static str>;

const UNKNOWN: &str = "unknown reasons";
/// Over the comma and the space behind the last item of a list.
const BACK_OVER_COMMA: &str = "\u{8}\u{8}";

/// Appends the positional arguments of one way to call a function.
///
/// # Errors
/// The reason why the functions cannot be listed.
pub(super) fn print_arguments(
    out: &mut String,
    args: &[StructuredValue],
) -> Result<(), &'static str> {
    for (i, arg) in args.iter().enumerate() {
        out.push_str(&format!("        Argument #{}\n", i + 1));
        let kind = arg.kind.as_ref().ok_or(UNKNOWN)?;
        print_argument(out, kind)?;
    }
    Ok(())
}

fn print_argument(out: &mut String, kind: &Kind) -> Result<(), &'static str> {
    match kind {
        Kind::StringValue(text) => out.push_str(&format!("          {text}\n")),
        Kind::TensorSpecValue(_) | Kind::BoundedTensorSpecValue(_) => {
            let name = match kind {
                Kind::TensorSpecValue(spec) => &spec.name,
                Kind::BoundedTensorSpecValue(spec) => &spec.name,
                _ => "",
            };
            let name = if name.is_empty() { "None" } else { name };
            out.push_str(&format!("          {name}: {}\n", repr(kind)?));
        }
        _ => {
            out.push_str(&format!("          DType: {}\n", type_name(kind)));
            match items(kind)? {
                Some(Items { open, close, parts }) => {
                    let parts: String = parts.iter().map(|p| format!("{p}, ")).collect();
                    out.push_str(&format!(
                        "          Value: {open}{parts}{BACK_OVER_COMMA}{close}\n"
                    ));
                }
                None => out.push_str(&format!("          Value: {}\n", text(kind)?)),
            }
        }
    }
    Ok(())
}

struct Items {
    open: char,
    close: char,
    parts: Vec<String>,
}

/// What Python iterates over, each as the original prints it inside of a list.
fn items(kind: &Kind) -> Result<Option<Items>, &'static str> {
    let list = |values: &[StructuredValue]| -> Result<Option<Items>, &'static str> {
        let parts = values.iter().map(|v| item(kind_of(v)?)).collect::<Result<_, &str>>()?;
        Ok(Some(Items { open: '[', close: ']', parts }))
    };
    match kind {
        Kind::ListValue(v) => list(&v.values),
        Kind::TupleValue(v) => list(&v.values),
        Kind::NamedTupleValue(v) => {
            let values: Vec<StructuredValue> =
                v.values.iter().map(|pair| pair.value.clone().unwrap_or_default()).collect();
            list(&values)
        }
        Kind::TensorShapeValue(shape) if !shape.unknown_rank => {
            Ok(Some(Items { open: '[', close: ']', parts: dims(shape) }))
        }
        Kind::DictValue(v) => {
            let parts = v
                .fields
                .iter()
                .map(|(key, v)| Ok(format!("'{key}': {}", item(kind_of(v)?)?)))
                .collect::<Result<_, &str>>()?;
            Ok(Some(Items { open: '{', close: '}', parts }))
        }
        _ => Ok(None),
    }
}

/// Strings in quotes, but not escaped; everything else as `str`.
fn item(kind: &Kind) -> Text {
    match kind {
        Kind::StringValue(text) => Ok(format!("'{text}'")),
        kind => text(kind),
    }
}

fn kind_of(value: &StructuredValue) -> Result<&Kind, &'static str> {
    value.kind.as_ref().ok_or(UNKNOWN)
}

fn type_name(kind: &Kind) -> String {
    match kind {
        Kind::NoneValue(_) => "NoneType",
        Kind::Float64Value(_) => "float",
        Kind::Int64Value(_) => "int",
        Kind::StringValue(_) => "str",
        Kind::BoolValue(_) => "bool",
        Kind::TensorShapeValue(_) => "TensorShape",
        Kind::TensorDtypeValue(_) => "DType",
        Kind::TensorSpecValue(_) => "TensorSpec",
        Kind::BoundedTensorSpecValue(_) => "BoundedTensorSpec",
        Kind::TypeSpecValue(spec) => return spec_name(spec),
        Kind::ListValue(_) => "list",
        Kind::TupleValue(_) => "tuple",
        Kind::DictValue(_) => "dict",
        Kind::NamedTupleValue(v) => &v.name,
        Kind::TensorValue(_) => "Tensor",
        Kind::NumpyValue(_) => "ndarray",
    }
    .to_owned()
}

/// `str` of the value.
fn text(kind: &Kind) -> Text {
    Ok(match kind {
        Kind::StringValue(text) => text.clone(),
        Kind::TensorShapeValue(shape) => shape_text(shape),
        Kind::TensorDtypeValue(dtype) => format!("<dtype: '{}'>", dtype_name(*dtype)?),
        Kind::NumpyValue(message) => {
            let tensor = tensor(message).ok_or(UNKNOWN)?;
            crate::numpy::array_text(&tensor).map_err(|_| UNKNOWN)?
        }
        other => repr(other)?,
    })
}

/// `repr` of the value.
fn repr(kind: &Kind) -> Text {
    let join = |values: &[StructuredValue]| -> Text {
        let parts: Result<Vec<String>, _> =
            values.iter().map(|v| kind_of(v).and_then(repr)).collect();
        Ok(parts?.join(", "))
    };
    Ok(match kind {
        Kind::NoneValue(_) => "None".to_owned(),
        Kind::Float64Value(v) => python::float_repr(*v),
        Kind::Int64Value(v) => v.to_string(),
        Kind::StringValue(text) => python::str_repr(text),
        Kind::BoolValue(v) => if *v { "True" } else { "False" }.to_owned(),
        Kind::TensorShapeValue(shape) if shape.unknown_rank => "TensorShape(None)".to_owned(),
        Kind::TensorShapeValue(shape) => format!("TensorShape([{}])", dims(shape).join(", ")),
        Kind::TensorDtypeValue(dtype) => format!("tf.{}", dtype_name(*dtype)?),
        Kind::TensorSpecValue(spec) => tensor_spec(spec)?,
        Kind::BoundedTensorSpecValue(spec) => {
            let min = array(spec.minimum.as_ref().ok_or(UNKNOWN)?)?;
            let max = array(spec.maximum.as_ref().ok_or(UNKNOWN)?)?;
            format!(
                "BoundedTensorSpec(shape={}, dtype=tf.{}, name={}, minimum={min}, maximum={max})",
                shape_text(&spec.shape.clone().unwrap_or_default()),
                dtype_name(spec.dtype)?,
                optional_name(&spec.name)
            )
        }
        Kind::TypeSpecValue(spec) => type_spec(spec)?,
        Kind::ListValue(v) => format!("[{}]", join(&v.values)?),
        Kind::TupleValue(v) => {
            let comma = if v.values.len() == 1 { "," } else { "" };
            format!("({}{comma})", join(&v.values)?)
        }
        Kind::DictValue(v) => {
            let parts: Result<Vec<String>, &'static str> = v
                .fields
                .iter()
                .map(|(key, v)| Ok(format!("{}: {}", python::str_repr(key), repr(kind_of(v)?)?)))
                .collect();
            format!("{{{}}}", parts?.join(", "))
        }
        Kind::NamedTupleValue(v) => {
            let parts: Result<Vec<String>, &'static str> = v
                .values
                .iter()
                .map(|pair| {
                    let value = pair.value.as_ref().ok_or(UNKNOWN)?;
                    Ok(format!("{}={}", pair.key, repr(kind_of(value)?)?))
                })
                .collect();
            format!("{}({})", v.name, parts?.join(", "))
        }
        Kind::TensorValue(message) | Kind::NumpyValue(message) => array(message)?,
    })
}

fn tensor_spec(spec: &TensorSpecProto) -> Text {
    Ok(format!(
        "TensorSpec(shape={}, dtype=tf.{}, name={})",
        shape_text(&spec.shape.clone().unwrap_or_default()),
        dtype_name(spec.dtype)?,
        optional_name(&spec.name)
    ))
}

fn optional_name(name: &str) -> String {
    if name.is_empty() { "None".to_owned() } else { python::str_repr(name) }
}

/// The class with what it serialises itself to.
fn type_spec(spec: &TypeSpecProto) -> Text {
    let state = spec.type_state.as_ref().map(|s| kind_of(s)).transpose()?;
    let state = match state {
        Some(state) => repr(state)?,
        None => "()".to_owned(),
    };
    Ok(format!("{}{state}", spec_name(spec)))
}

fn spec_name(spec: &TypeSpecProto) -> String {
    let name = &spec.type_spec_class_name;
    name.rsplit('.').next().unwrap_or(name).to_owned()
}

fn dims(shape: &TensorShapeProto) -> Vec<String> {
    let dim = |size: i64| if size < 0 { "None".to_owned() } else { size.to_string() };
    shape.dim.iter().map(|d| dim(d.size)).collect()
}

fn shape_text(shape: &TensorShapeProto) -> String {
    if shape.unknown_rank {
        return "<unknown>".to_owned();
    }
    let comma = if shape.dim.len() == 1 { "," } else { "" };
    format!("({}{comma})", dims(shape).join(", "))
}

/// `float32`, as `tf.DType.name`.
fn dtype_name(number: i32) -> Text {
    let tftype = TfType::try_from(number).map_err(|_| UNKNOWN)?;
    let name = tftype::op_def_name(tftype::base_type(tftype));
    let name = match name.as_str() {
        "float" => "float32",
        "double" => "float64",
        "half" => "float16",
        other => other,
    };
    let suffix = if tftype::is_ref(tftype) { "_ref" } else { "" };
    Ok(format!("{name}{suffix}"))
}

/// `repr` of the array in a tensor message.
fn array(message: &TensorProto) -> Text {
    let dtype = match dtype_name(message.dtype)?.as_str() {
        "string" => "object".to_owned(),
        other => other.to_owned(),
    };
    let tensor = tensor(message).ok_or(UNKNOWN)?;
    crate::numpy::array_repr(&tensor, &dtype).map_err(|_| UNKNOWN)
}

/// The tensor in a message, read by way of a graph that has nothing but this constant.
fn tensor(message: &TensorProto) -> Option<Tensor> {
    let attr = |value| AttrValue { value: Some(value) };
    let node = NodeDef {
        name: "value".to_owned(),
        op: "Const".to_owned(),
        attr: BTreeMap::from([
            ("dtype".to_owned(), attr(attr_value::Value::Type(message.dtype))),
            ("value".to_owned(), attr(attr_value::Value::Tensor(message.clone().into()))),
        ]),
        ..NodeDef::default()
    };
    let graph = GraphDef { node: vec![node], ..GraphDef::default() };
    let model = tfjit_model::from_graph_def(graph).ok()?;
    let (_, node) = model.graph.iter().next()?;
    node.attrs.attr_tensor("value").ok()?.to_tensor().ok()
}
