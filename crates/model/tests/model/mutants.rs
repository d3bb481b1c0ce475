//! Broken files: each is a sound model with one thing changed, and must be refused with the right
//! code and a message that names the place.

use tfjit_base::Code;
use tfjit_proto::Message;
use tfjit_proto::tensorflow as pb;
use tfjit_proto::tensorflow::attr_value::{ListValue, Value};

use crate::fixtures::{Folder, saved_model};

mod files;
mod functions;
mod graphs;

type Mutation = fn(&mut pb::SavedModel);
/// Name, change, code, text.
type Row = (&'static str, Mutation, Code, &'static str);

fn graph(m: &mut pb::SavedModel) -> &mut pb::GraphDef {
    m.meta_graphs[0].graph_def.as_mut().unwrap()
}

fn library(m: &mut pb::SavedModel) -> &mut Vec<pb::FunctionDef> {
    &mut graph(m).library.as_mut().unwrap().function
}

/// The function that computes.
fn function(m: &mut pb::SavedModel) -> &mut pb::FunctionDef {
    let has = |f: &pb::FunctionDef| f.node_def.iter().any(|n| n.op == "MatMul");
    library(m).iter_mut().find(|f| has(f)).unwrap()
}

fn matmul(m: &mut pb::SavedModel) -> &mut pb::NodeDef {
    function(m).node_def.iter_mut().find(|n| n.op == "MatMul").unwrap()
}

fn main_node<'a>(m: &'a mut pb::SavedModel, op: &str) -> &'a mut pb::NodeDef {
    graph(m).node.iter_mut().find(|n| n.op == op).unwrap()
}

fn signature(m: &mut pb::SavedModel) -> &mut pb::SignatureDef {
    m.meta_graphs[0].signature_def.get_mut("serving_default").unwrap()
}

fn attr(value: Value) -> pb::AttrValue {
    pb::AttrValue { value: Some(value) }
}

fn set(node: &mut pb::NodeDef, name: &str, value: Value) {
    node.attr.insert(name.to_string(), attr(value));
}

fn shape(dims: &[i64]) -> pb::TensorShapeProto {
    let dim = |&size| pb::tensor_shape_proto::Dim { size, name: String::new() };
    pb::TensorShapeProto { dim: dims.iter().map(dim).collect(), unknown_rank: false }
}

/// Adds a constant that nothing uses.
fn unused_const(m: &mut pb::SavedModel, dtype: pb::DataType, tensor: pb::TensorProto) {
    let mut node = pb::NodeDef { name: "c".into(), op: "Const".into(), ..Default::default() };
    set(&mut node, "dtype", Value::Type(dtype as i32));
    set(&mut node, "value", Value::Tensor(Box::new(tensor)));
    graph(m).node.push(node);
}

fn float_const(m: &mut pb::SavedModel, dims: &[i64], change: impl Fn(&mut pb::TensorProto)) {
    let mut tensor = pb::TensorProto {
        dtype: pb::DataType::DtFloat as i32,
        tensor_shape: Some(shape(dims)),
        ..Default::default()
    };
    change(&mut tensor);
    unused_const(m, pb::DataType::DtFloat, tensor);
}

/// A function that calls the functions named, one after the other.
fn calling(name: &str, callees: &[&str]) -> pb::FunctionDef {
    let call = |(i, callee): (usize, &&str)| {
        let func = pb::NameAttrList { name: callee.to_string(), ..Default::default() };
        let mut node = pb::NodeDef {
            name: format!("call{i}"),
            op: "PartitionedCall".into(),
            ..Default::default()
        };
        set(&mut node, "f", Value::Func(Box::new(func)));
        set(&mut node, "Tin", Value::List(Box::default()));
        set(&mut node, "Tout", Value::List(Box::default()));
        node
    };
    pb::FunctionDef {
        signature: Some(pb::OpDef { name: name.to_string(), ..Default::default() }),
        node_def: callees.iter().enumerate().map(call).collect(),
        ..Default::default()
    }
}

const INVALID: Code = Code::InvalidArgument;
const EXHAUSTED: Code = Code::ResourceExhausted;

fn refused(rows: &[Row]) {
    let folder = Folder::copy_of("mlp");
    for (name, mutation, code, text) in rows {
        let mut m = saved_model("mlp");
        mutation(&mut m);
        folder.write("saved_model.pb", &m.encode_to_vec());
        match folder.read() {
            Ok(_) => panic!("{name} was accepted"),
            Err(e) => {
                assert!(e.to_string().contains(text), "{name}: {e}");
                assert_eq!(e.code(), *code, "{name}: {e}");
            }
        }
    }
}

#[test]
fn broken_graphs_are_refused() {
    refused(graphs::ROWS);
}

#[test]
fn broken_functions_are_refused() {
    refused(functions::ROWS);
}

#[test]
fn broken_files_are_refused() {
    refused(files::ROWS);
}

/// Odd but sound.
const SOUND: &[(&str, Mutation)] = &[
    ("two meta graphs with the same tags", |m| {
        let second = m.meta_graphs[0].clone();
        m.meta_graphs.push(second);
    }),
    ("no signatures", |m| m.meta_graphs[0].signature_def.clear()),
    ("an unknown op that nobody needs", |m| {
        let op = "Custom".to_string();
        graph(m).node.push(pb::NodeDef { name: "u".into(), op, ..Default::default() });
    }),
    ("unknown attributes", |m| {
        set(matmul(m), "newer", Value::I(1));
        set(matmul(m), "_own", Value::Type(0));
        matmul(m).attr.insert("hollow".into(), pb::AttrValue { value: None });
    }),
    ("a huge constant of one value", |m| {
        float_const(m, &[1 << 40], |t| t.float_val = vec![1.0]);
    }),
    ("a saver of a frozen graph", |m| {
        m.meta_graphs[0].saver_def.as_mut().unwrap().restore_op_name = "nope".into();
        m.meta_graphs[0].signature_def.clear();
    }),
    ("a cycle of TensorFlow 1", |m| {
        for (name, op, inputs) in [
            ("merge", "Merge", &["serving_default_x", "next"][..]),
            ("next", "NextIteration", &["merge"]),
        ] {
            let mut node = pb::NodeDef {
                name: name.into(),
                op: op.into(),
                input: inputs.iter().map(|i| i.to_string()).collect(),
                ..Default::default()
            };
            set(&mut node, "T", Value::Type(1));
            if op == "Merge" {
                set(&mut node, "N", Value::I(2));
            }
            graph(m).node.push(node);
        }
    }),
];

#[test]
fn odd_but_sound_files_are_read() {
    for (name, mutation) in SOUND {
        let mut m = saved_model("mlp");
        mutation(&mut m);
        let folder = Folder::copy_of("mlp");
        if name.starts_with("a saver") {
            std::fs::remove_dir_all(folder.0.join("variables")).unwrap();
        }
        folder.write("saved_model.pb", &m.encode_to_vec());
        let model = folder.read().unwrap_or_else(|e| panic!("{name}: {e}"));
        if name.starts_with("an unknown op") {
            assert_eq!(model.warnings, ["Custom is no TensorFlow op (node u)"]);
        }
        if *name == "no signatures" {
            let e = model.signature_function("serving_default").unwrap_err().to_string();
            assert!(e.contains("these functions can be called: __inference_f_"), "{e}");
        }
    }
}

#[test]
fn all_problems_are_listed_at_once() {
    let folder = Folder::copy_of("mlp");
    let mut m = saved_model("mlp");
    drop(matmul(&mut m).attr.remove("T"));
    float_const(&mut m, &[-5], |_| ());
    main_node(&mut m, "NoOp").input.push("^nowhere".into());
    folder.write("saved_model.pb", &m.encode_to_vec());
    let e = folder.read().unwrap_err();
    assert_eq!(e.others().len(), 2, "{e}");
}

#[test]
fn a_missing_checkpoint_is_an_error_if_a_signature_needs_it() {
    let folder = Folder::copy_of("mlp");
    std::fs::remove_dir_all(folder.0.join("variables")).unwrap();
    let e = folder.read().unwrap_err();
    assert_eq!(e.code(), Code::NotFound);
    assert!(e.to_string().contains("there is no checkpoint at"), "{e}");
    assert!(
        e.to_string().contains("the signature serving_default needs one [at variable b]"),
        "{e}"
    );
    let mut m = saved_model("mlp");
    m.meta_graphs[0].signature_def.clear();
    folder.write("saved_model.pb", &m.encode_to_vec());
    assert!(folder.read().is_ok());
}

#[test]
fn a_key_that_is_missing_is_an_error() {
    let folder = Folder::copy_of("mlp");
    let mut m = saved_model("mlp");
    for f in library(&mut m) {
        for n in f.node_def.iter_mut().filter(|n| n.name == "RestoreV2/tensor_names") {
            let Some(Value::Tensor(t)) = &mut n.attr.get_mut("value").unwrap().value else {
                panic!()
            };
            t.string_val[0] = b"v/.ATTRIBUTES/VARIABLE_VALUE".to_vec().into();
        }
    }
    folder.write("saved_model.pb", &m.encode_to_vec());
    let e = folder.read().unwrap_err().to_string();
    assert!(e.contains("the checkpoint has no key \"v/.ATTRIBUTES/VARIABLE_VALUE\""), "{e}");
    assert!(e.contains("did you mean"), "{e}");
}
