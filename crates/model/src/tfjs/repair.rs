//! Puts back what TF.js's converter changes in a graph and TensorFlow cannot do with.
//!
//! It must not know weights.

use tfjit_proto::tensorflow::{
    AttrValue, GraphDef, NodeDef, attr_value::ListValue, attr_value::Value,
};

use super::prelu::{self, data_inputs};

/// Operations that TensorFlow has under another name.
const RENAMED: &[(&str, &str)] = &[("FusedDepthwiseConv2dNative", "_FusedDepthwiseConv2dNative")];

/// Operations whose number of arguments behind the first two inputs is miscounted: the converter
/// counts an activation as an argument, which has none.
const MISCOUNTED: &[(&str, &str)] = &[("_FusedDepthwiseConv2dNative", "num_args")];

/// Lists of types that are left out, being the type `T` so many times as another attribute says.
const REPEATED_TYPES: &[(&str, &str, &str)] = &[("_FusedConv2D", "TArgs", "num_args")];

/// Repairs `graph` and its functions.
pub(super) fn repair(graph: &mut GraphDef) {
    prelu::expand(graph);
    let functions = graph.library.iter_mut().flat_map(|library| &mut library.function);
    let bodies = functions.flat_map(|function| &mut function.node_def);
    for node in graph.node.iter_mut().chain(bodies) {
        if let Some((_, name)) = RENAMED.iter().find(|(name, _)| *name == node.op) {
            (*name).clone_into(&mut node.op);
        }
        if let Some((_, count)) = MISCOUNTED.iter().find(|(op, _)| *op == node.op) {
            let args = data_inputs(node).saturating_sub(2) as i64;
            node.attr.insert((*count).to_owned(), AttrValue { value: Some(Value::I(args)) });
        }
        if let Some((_, list, count)) = REPEATED_TYPES.iter().find(|(op, ..)| *op == node.op) {
            repeat_type(node, list, count);
        }
    }
}

fn repeat_type(node: &mut NodeDef, list: &str, count: &str) {
    let value = |name: &str| node.attr.get(name).and_then(|attr| attr.value.as_ref());
    let (Some(Value::Type(t)), Some(Value::I(n)), None) = (value("T"), value(count), value(list))
    else {
        return;
    };
    // Each argument is an input: a larger number is a mistake that the importer reports.
    let n = usize::try_from(*n).unwrap_or(0).min(node.input.len());
    let types = ListValue { r#type: vec![*t; n], ..ListValue::default() };
    node.attr.insert(list.to_owned(), AttrValue { value: Some(Value::List(Box::new(types))) });
}

#[cfg(test)]
mod tests {
    use tfjit_proto::{Message, text};

    use super::*;

    fn graph(source: &str) -> GraphDef {
        let wire = text::to_wire(GraphDef::SCHEMA, source.as_bytes()).unwrap();
        GraphDef::decode(wire).unwrap()
    }

    /// `name = op(inputs) {attributes}` a line.
    fn print(graph: &GraphDef) -> String {
        let line = |node: &NodeDef| {
            let attr = |(key, attr): (&String, &AttrValue)| match attr.value.as_ref().unwrap() {
                Value::I(i) => format!("{key}={i}"),
                Value::Type(t) => format!("{key}:{t}"),
                Value::List(l) if !l.s.is_empty() => {
                    let names = l.s.iter().map(|s| String::from_utf8_lossy(s));
                    format!("{key}={}", names.collect::<Vec<_>>().join("+"))
                }
                Value::List(l) => format!("{key}:{:?}", l.r#type),
                other => panic!("{other:?}"),
            };
            let attrs = node.attr.iter().map(attr).collect::<Vec<_>>().join(" ");
            format!("{} = {}({}) {{{attrs}}}\n", node.name, node.op, node.input.join(", "))
        };
        graph.node.iter().map(line).collect()
    }

    #[test]
    fn prelu_is_taken_apart() {
        let mut g = graph(
            r#"node { name: "p" op: "Prelu" input: "x:1" input: "a" input: "^c" }
               node { name: "p/slope" op: "NoOp" }"#,
        );
        repair(&mut g);
        assert_eq!(
            print(&g),
            "p/positive = Relu(x:1, ^c) {T:1}\n\
             p/negated = Neg(x:1, ^c) {T:1}\n\
             p/negative = Relu(p/negated, ^c) {T:1}\n\
             p/slope_ = Neg(a, ^c) {T:1}\n\
             p/scaled = Mul(p/slope_, p/negative, ^c) {T:1}\n\
             p = AddV2(p/positive, p/scaled, ^c) {T:1}\n\
             p/slope = NoOp() {}\n"
        );
    }

    #[test]
    fn fused_prelu_is_split_off() {
        let mut g = graph(
            r#"node { name: "f" op: "_FusedConv2D" input: "x" input: "w" input: "b" input: "a"
                 attr { key: "T" value { type: DT_FLOAT } }
                 attr { key: "num_args" value { i: 2 } }
                 attr { key: "fused_ops" value { list { s: "BiasAdd" s: "Prelu" } } } }"#,
        );
        repair(&mut g);
        assert_eq!(
            print(&g),
            "f/linear = _FusedConv2D(x, w, b) {T:1 TArgs:[1] fused_ops=BiasAdd num_args=1}\n\
             f/positive = Relu(f/linear) {T:1}\n\
             f/negated = Neg(f/linear) {T:1}\n\
             f/negative = Relu(f/negated) {T:1}\n\
             f/slope = Neg(a) {T:1}\n\
             f/scaled = Mul(f/slope, f/negative) {T:1}\n\
             f = AddV2(f/positive, f/scaled) {T:1}\n"
        );
    }

    #[test]
    fn depthwise_convolutions_are_tensorflows() {
        let mut g = graph(
            r#"node { name: "d" op: "FusedDepthwiseConv2dNative" input: "x" input: "w" input: "b"
                 input: "^c" attr { key: "num_args" value { i: 2 } }
                 attr { key: "fused_ops" value { list { s: "BiasAdd" s: "Relu6" } } } }"#,
        );
        repair(&mut g);
        let want =
            "d = _FusedDepthwiseConv2dNative(x, w, b, ^c) {fused_ops=BiasAdd+Relu6 num_args=1}\n";
        assert_eq!(print(&g), want);
    }

    #[test]
    fn what_cannot_be_repaired_is_left() {
        for source in [
            r#"node { name: "p" op: "Prelu" input: "x" }"#,
            r#"node { name: "p" op: "Prelu" }"#,
            r#"node { op: "X" attr { key: "fused_ops" value { list { s: "Prelu" } } } }"#,
            r#"node { op: "X" input: "x" attr { key: "fused_ops" value { i: 3 } } }"#,
            r#"node { op: "X" input: "x" attr { key: "fused_ops" value { } } }"#,
            r#"node { op: "_FusedConv2D" attr { key: "num_args" value { i: 9 } } }"#,
        ] {
            let mut g = graph(source);
            repair(&mut g);
            assert_eq!(g, graph(source), "{source}");
        }
        let mut g = graph(
            r#"node { name: "f" op: "_FusedConv2D" input: "x" attr { key: "T" value { type: 1 } }
                 attr { key: "num_args" value { i: 9223372036854775807 } } }"#,
        );
        repair(&mut g);
        assert!(print(&g).contains("TArgs:[1]"), "no more types than inputs");
    }
}
