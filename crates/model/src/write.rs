//! Models as protobuf messages: the way back from graphs and functions to `GraphDef`.
//!
//! What is written reads back as the same graph: names, edges, attributes (with the defaults that
//! reading filled in) and types. It must not write files.

use std::collections::BTreeMap;

use tfjit_base::{DType, PartialShape, Result, Shape};
use tfjit_proto::tensorflow as pb;
use tfjit_proto::tensorflow::attr_value::{ListValue, Value};

use crate::attr::{AttrList, AttrValue, Attrs, FuncRef};
use crate::function::{Function, FunctionLibrary};
use crate::graph::Graph;
use crate::node::{Endpoint, Node};
use crate::tensor_value::{TensorData, TensorValue, VariantValue};
use crate::tftype;

/// A graph and the functions it may call as a `GraphDef`.
///
/// # Errors
/// None for graphs that were read; INVALID_ARGUMENT for an endpoint that is no output of its node.
pub fn graph_def(graph: &Graph, library: &FunctionLibrary) -> Result<pb::GraphDef> {
    let nodes = graph.iter().map(|(_, n)| node_def(n, &|e| flat_name(graph, e), graph));
    Ok(pb::GraphDef {
        node: nodes.collect::<Result<_>>()?,
        library: Some(function_library(library)?),
        versions: Some(pb::VersionDef {
            producer: crate::GRAPH_DEF_VERSION,
            min_consumer: 12,
            bad_consumers: Vec::new(),
        }),
        ..Default::default()
    })
}

/// A library as messages.
///
/// # Errors
/// As [`graph_def`].
pub fn function_library(library: &FunctionLibrary) -> Result<pb::FunctionDefLibrary> {
    let gradient = library.gradients().map(|(f, g)| pb::GradientDef {
        function_name: f.to_string(),
        gradient_func: g.to_string(),
    });
    Ok(pb::FunctionDefLibrary {
        function: library.iter().map(|f| function_def(f)).collect::<Result<_>>()?,
        gradient: gradient.collect(),
        registered_gradients: Vec::new(),
    })
}

/// A function as a message.
///
/// # Errors
/// As [`graph_def`].
pub fn function_def(f: &Function) -> Result<pb::FunctionDef> {
    let graph = &f.graph;
    let name = |e: Endpoint| output_name(graph, e);
    let body = graph.iter().filter(|(_, n)| &*n.op != "_Arg");
    let node_def = body.map(|(_, n)| node_def(n, &name, graph)).collect::<Result<_>>()?;
    let arg = |name: &str, t: crate::TfType| pb::op_def::ArgDef {
        name: name.to_string(),
        r#type: tftype::base_type(t) as i32,
        is_ref: tftype::is_ref(t),
        ..Default::default()
    };
    let input_arg = f.params.iter().map(|p| pb::op_def::ArgDef {
        handle_data: p.handle.iter().map(|(t, s)| handle_data(*t, s)).collect(),
        ..arg(&graph[p.node].name, p.tftype)
    });
    let mut ret = BTreeMap::new();
    for r in &f.results {
        ret.insert(r.name.to_string(), name(r.endpoint)?);
    }
    let control = f.control_results.iter().map(|c| graph[*c].name.to_string());
    let arg_attr = f.params.iter().enumerate().filter(|(_, p)| !p.attrs.is_empty());
    Ok(pb::FunctionDef {
        signature: Some(pb::OpDef {
            name: f.name.to_string(),
            input_arg: input_arg.collect(),
            output_arg: f.results.iter().map(|r| arg(&r.name, r.tftype)).collect(),
            is_stateful: f.stateful,
            control_output: control.clone().collect(),
            ..Default::default()
        }),
        node_def,
        ret,
        attr: attrs(&f.attrs),
        control_ret: control.map(|c| (c.clone(), c)).collect(),
        arg_attr: arg_attr
            .map(|(i, p)| (i as u32, pb::function_def::ArgAttrs { attr: attrs(&p.attrs) }))
            .collect(),
        resource_arg_unique_id: BTreeMap::new(),
    })
}

fn handle_data(t: crate::TfType, shape: &PartialShape) -> pb::resource_handle_proto::DtypeAndShape {
    pb::resource_handle_proto::DtypeAndShape { dtype: t as i32, shape: Some(partial_shape(shape)) }
}

/// `name` or `name:1`, as graphs write inputs.
fn flat_name(graph: &Graph, e: Endpoint) -> Result<String> {
    let name = &graph[e.node].name;
    Ok(if e.output == 0 { name.to_string() } else { format!("{name}:{}", e.output) })
}

/// `name:output:1`, as functions write inputs; parameters go by their name alone.
fn output_name(graph: &Graph, e: Endpoint) -> Result<String> {
    let node = &graph[e.node];
    if &*node.op == "_Arg" {
        return Ok(node.name.to_string());
    }
    let outputs = node.def.as_ref().map_or(&[][..], |d| &d.outputs);
    for output in outputs {
        if let Some(span) = node.output_span(&output.name)
            && span.contains(&(e.output as usize))
        {
            let element = e.output as usize - span.start;
            return Ok(format!("{}:{}:{element}", node.name, output.name));
        }
    }
    // Of an unknown op, or past the end: the number is all there is.
    Ok(format!("{}:{}", node.name, e.output))
}

fn node_def(
    node: &Node,
    name: &dyn Fn(Endpoint) -> Result<String>,
    graph: &Graph,
) -> Result<pb::NodeDef> {
    let mut input = node.inputs.iter().map(|e| name(*e)).collect::<Result<Vec<_>>>()?;
    input.extend(node.control_inputs.iter().map(|c| format!("^{}", graph[*c].name)));
    Ok(pb::NodeDef {
        name: node.name.to_string(),
        op: node.op.to_string(),
        input,
        device: node.device.to_string(),
        attr: attrs(&node.attrs),
        ..Default::default()
    })
}

fn attrs(attrs: &Attrs) -> BTreeMap<String, pb::AttrValue> {
    attrs.iter().map(|(n, v)| (n.to_string(), attr_value(v))).collect()
}

/// An attribute value as a message.
pub fn attr_value(value: &AttrValue) -> pb::AttrValue {
    let value = match value {
        AttrValue::Bytes(v) => Value::S(v.clone().into()),
        AttrValue::Int(v) => Value::I(*v),
        AttrValue::Float(v) => Value::F(*v),
        AttrValue::Bool(v) => Value::B(*v),
        AttrValue::Type(v) => Value::Type(*v as i32),
        AttrValue::Shape(v) => Value::Shape(partial_shape(v)),
        AttrValue::Tensor(v) => Value::Tensor(Box::new(tensor_proto(v))),
        AttrValue::Func(v) => Value::Func(Box::new(func(v))),
        AttrValue::Placeholder(v) => Value::Placeholder(v.clone()),
        AttrValue::List(v) => Value::List(Box::new(list(v))),
    };
    pb::AttrValue { value: Some(value) }
}

fn func(f: &FuncRef) -> pb::NameAttrList {
    pb::NameAttrList { name: f.name.to_string(), attr: attrs(&f.attrs) }
}

fn list(list: &AttrList) -> ListValue {
    let mut out = ListValue::default();
    match list {
        AttrList::Empty => {}
        AttrList::Bytes(v) => out.s = v.iter().map(|s| s.clone().into()).collect(),
        AttrList::Ints(v) => out.i.clone_from(v),
        AttrList::Floats(v) => out.f.clone_from(v),
        AttrList::Bools(v) => out.b.clone_from(v),
        AttrList::Types(v) => out.r#type = v.iter().map(|t| *t as i32).collect(),
        AttrList::Shapes(v) => out.shape = v.iter().map(partial_shape).collect(),
        AttrList::Tensors(v) => out.tensor = v.iter().map(tensor_proto).collect(),
        AttrList::Funcs(v) => out.func = v.iter().map(func).collect(),
    }
    out
}

/// A shape as a message.
pub fn partial_shape(shape: &PartialShape) -> pb::TensorShapeProto {
    let dim = |size: i64| pb::tensor_shape_proto::Dim { size, name: String::new() };
    match shape.dims() {
        None => pb::TensorShapeProto { dim: Vec::new(), unknown_rank: true },
        Some(dims) => pb::TensorShapeProto {
            dim: dims.iter().map(|d| dim(d.map_or(-1, |d| d as i64))).collect(),
            unknown_rank: false,
        },
    }
}

fn full_shape(shape: &Shape) -> pb::TensorShapeProto {
    partial_shape(&PartialShape::known(shape))
}

/// A constant as a message.
pub fn tensor_proto(value: &TensorValue) -> pb::TensorProto {
    let mut out = pb::TensorProto {
        dtype: value.tftype as i32,
        tensor_shape: Some(full_shape(&value.shape)),
        ..Default::default()
    };
    match &value.data {
        TensorData::Variants(list) => out.variant_val = list.iter().map(variant).collect(),
        TensorData::Dense(t) | TensorData::Splat(t) | TensorData::Padded(t) => {
            let whole = matches!(value.data, TensorData::Dense(_));
            if let Some(strings) = t.as_strings() {
                out.string_val = strings.iter().map(|s| s.clone().into()).collect();
            } else if whole {
                out.tensor_content = t.bytes().to_vec().into();
            } else {
                values(t.dtype(), t.bytes(), &mut out);
            }
        }
    }
    out
}

/// The elements in `bytes` into the list that holds their type.
fn values(dtype: DType, bytes: &[u8], out: &mut pb::TensorProto) {
    macro_rules! each {
        ($t:ty) => {
            bytes.chunks_exact(size_of::<$t>()).map(|c| {
                <$t>::from_le_bytes(c.try_into().expect("chunks are of the size asked for"))
            })
        };
    }
    match dtype {
        DType::F32 => out.float_val = each!(f32).collect(),
        DType::F64 => out.double_val = each!(f64).collect(),
        DType::C64 => out.scomplex_val = each!(f32).collect(),
        DType::C128 => out.dcomplex_val = each!(f64).collect(),
        DType::I32 => out.int_val = each!(i32).collect(),
        DType::I64 => out.int64_val = each!(i64).collect(),
        DType::U32 => out.uint32_val = each!(u32).collect(),
        DType::U64 => out.uint64_val = each!(u64).collect(),
        DType::I16 => out.int_val = each!(i16).map(i32::from).collect(),
        DType::U16 => out.int_val = each!(u16).map(i32::from).collect(),
        DType::F16 | DType::BF16 => out.half_val = each!(u16).map(i32::from).collect(),
        DType::Bool => out.bool_val = bytes.iter().map(|&b| b != 0).collect(),
        DType::I8 | DType::I4 | DType::I2 => {
            out.int_val = bytes.iter().map(|&b| i32::from(b as i8)).collect();
        }
        DType::U8 | DType::U4 | DType::U2 => {
            out.int_val = bytes.iter().map(|&b| i32::from(b)).collect();
        }
        // The narrow floats; strings have no bytes.
        _ => out.float8_val = bytes.to_vec().into(),
    }
}

fn variant(v: &VariantValue) -> pb::VariantTensorDataProto {
    pb::VariantTensorDataProto {
        type_name: v.type_name.clone(),
        metadata: v.metadata.clone().into(),
        tensors: v.tensors.iter().map(tensor_proto).collect(),
    }
}
