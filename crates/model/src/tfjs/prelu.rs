//! TF.js's `Prelu`, alone or fused, in TensorFlow's operations.
//!
//! TensorFlow has no such operation; Keras builds it of the nodes below, from which the converter
//! makes one. This takes it apart again, under the same name:
//!
//! ```text
//! Prelu(x, alpha)  ->  Relu(x) + -alpha * Relu(-x)
//! _FusedConv2D(x, w, b, alpha) {BiasAdd, Prelu}  ->  Prelu(_FusedConv2D(x, w, b) {BiasAdd}, alpha)
//! ```
//! It must not know weights.

use std::collections::BTreeSet;

use tfjit_proto::tensorflow::{AttrValue, DataType, GraphDef, NodeDef, attr_value::Value};

const PRELU: &str = "Prelu";

/// Takes apart every `Prelu` of the main graph; the converter makes none in functions.
pub(super) fn expand(graph: &mut GraphDef) {
    let mut names = Names(graph.node.iter().map(|node| node.name.clone()).collect());
    let nodes = std::mem::take(&mut graph.node);
    graph.node.reserve(nodes.len());
    for mut node in nodes {
        if let Some(fused) = split(&mut node, &mut names) {
            graph.node.push(fused);
        }
        match is_prelu(&node) {
            true => graph.node.extend(built(node, &mut names)),
            false => graph.node.push(node),
        }
    }
}

/// The names that are taken.
struct Names(BTreeSet<String>);

impl Names {
    fn fresh(&mut self, base: &str, part: &str) -> String {
        let mut name = format!("{base}/{part}");
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

fn is_prelu(node: &NodeDef) -> bool {
    node.op == PRELU && data_inputs(node) == 2
}

/// Control inputs come last.
pub(super) fn data_inputs(node: &NodeDef) -> usize {
    node.input.iter().take_while(|input| !input.starts_with('^')).count()
}

/// Splits a `Prelu` off the end of a fused operation: `node` becomes the `Prelu`, the operation
/// without it is returned.
fn split(node: &mut NodeDef, names: &mut Names) -> Option<NodeDef> {
    let count = data_inputs(node);
    let Some(Value::List(fused)) = node.attr.get_mut("fused_ops")?.value.as_mut() else {
        return None;
    };
    if fused.s.last().is_none_or(|last| *last != PRELU.as_bytes()) || count < 3 {
        return None;
    }
    fused.s.pop();
    let alpha = node.input.remove(count - 1);
    if let Some(Value::I(args)) = node.attr.get_mut("num_args").and_then(|a| a.value.as_mut()) {
        *args = args.saturating_sub(1);
    }
    let name = names.fresh(&node.name, "linear");
    let prelu = NodeDef {
        name: std::mem::replace(&mut node.name, name.clone()),
        op: PRELU.to_owned(),
        input: vec![name, alpha],
        device: node.device.clone(),
        attr: node.attr.iter().filter(|(key, _)| *key == "T").map(owned).collect(),
        ..NodeDef::default()
    };
    Some(std::mem::replace(node, prelu))
}

fn owned((key, value): (&String, &AttrValue)) -> (String, AttrValue) {
    (key.clone(), value.clone())
}

/// The nodes that compute `prelu`; the last has its name.
fn built(prelu: NodeDef, names: &mut Names) -> Vec<NodeDef> {
    let controls = prelu.input.split_at(2).1;
    let (x, alpha) = (&prelu.input[0], &prelu.input[1]);
    let float = AttrValue { value: Some(Value::Type(DataType::DtFloat as i32)) };
    // The converter drops the type; TF.js knows one floating-point type.
    let t = prelu.attr.get("T").unwrap_or(&float);
    let mut nodes: Vec<NodeDef> = Vec::new();
    let mut add = |name: String, op: &str, input: &[&str]| {
        nodes.push(NodeDef {
            name: name.clone(),
            op: op.to_owned(),
            input: input.iter().map(|&i| i.to_owned()).chain(controls.iter().cloned()).collect(),
            device: prelu.device.clone(),
            attr: [("T".to_owned(), t.clone())].into(),
            ..NodeDef::default()
        });
        name
    };
    let mut part = |part: &str| names.fresh(&prelu.name, part);
    let positive = add(part("positive"), "Relu", &[x]);
    let negated = add(part("negated"), "Neg", &[x]);
    let negative = add(part("negative"), "Relu", &[&negated]);
    let slope = add(part("slope"), "Neg", &[alpha]);
    let scaled = add(part("scaled"), "Mul", &[&slope, &negative]);
    add(prelu.name.clone(), "AddV2", &[&positive, &scaled]);
    nodes
}
