//! Which nodes are compiled together around the control flow of TensorFlow 1.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tfjit_base::ids::Id;
use tfjit_cluster::{Options, Place, cluster};
use tfjit_model::{Function, FunctionLibrary, from_graph_text};

/// A node of a graph in text form; `attrs` are `key=DT_TYPE` or `key="text"` pairs.
fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, &str)]) -> String {
    let inputs: String = inputs.iter().map(|i| format!(" input: \"{i}\"")).collect();
    let attr = |(key, value): &(&str, &str)| {
        let kind = match value.as_bytes()[0] {
            b'"' => "s",
            b'0'..=b'9' => "i",
            _ => "type",
        };
        format!(" attr {{ key: \"{key}\" value {{ {kind}: {value} }} }}")
    };
    let attrs: String = attrs.iter().map(attr).collect();
    format!("node {{ name: \"{name}\" op: \"{op}\"{inputs}{attrs} }}\n")
}

const F: (&str, &str) = ("T", "DT_FLOAT");
const TWO: (&str, &str) = ("N", "2");

fn places(text: &str, feeds: &[&str], fetches: &[&str]) -> impl Fn(&str) -> Place + use<> {
    let model = from_graph_text(text).unwrap();
    let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let function: Function =
        model.function_from_tensors(&owned(feeds), &owned(fetches), &[]).unwrap();
    let library = FunctionLibrary::new();
    let clustered = cluster(&library, &function, Options::default()).unwrap();
    move |name| clustered.placements[function.graph.find(name).unwrap().index()].place
}

fn inputs() -> String {
    node("x", "Placeholder", &[], &[("dtype", "DT_FLOAT")])
        + &node("p", "Placeholder", &[], &[("dtype", "DT_BOOL")])
}

#[test]
fn branches_are_compiled_apart_and_joined_values_are_not() {
    let text = inputs()
        + &node("switch", "Switch", &["x", "p"], &[F])
        + &node("a", "Neg", &["switch:1"], &[F])
        + &node("b", "Exp", &["switch:1"], &[F])
        + &node("ab", "AddV2", &["a", "b"], &[F])
        + &node("c", "Sin", &["switch:0"], &[F])
        + &node("merge", "Merge", &["c", "ab"], &[F, TWO])
        + &node("e", "Cos", &["merge"], &[F])
        + &node("before", "Neg", &["x"], &[F])
        + &node("f", "AddV2", &["e", "before"], &[F]);
    let place = places(&text, &["x:0", "p:0"], &["f:0"]);
    assert_eq!(place("switch"), Place::Host);
    assert_eq!(place("merge"), Place::Host);
    assert!(matches!(place("a"), Place::Cluster(_)));
    assert_eq!(place("a"), place("b"));
    assert_eq!(place("a"), place("ab"));
    assert_ne!(place("a"), place("c"));
    // Alive whatever the branch, as the nodes before it.
    assert_eq!(place("e"), place("f"));
}

#[test]
fn a_control_edge_out_of_a_branch_counts() {
    let text = inputs()
        + &node("switch", "Switch", &["x", "p"], &[F])
        + &node("pivot", "Identity", &["switch:1"], &[F])
        + &node("a", "Neg", &["x", "^pivot"], &[F])
        + &node("b", "Exp", &["x"], &[F])
        + &node("c", "Neg", &["switch:1"], &[F])
        + &node("ac", "AddV2", &["a", "c"], &[F])
        + &node("merge", "Merge", &["switch:0", "ac"], &[F, TWO])
        + &node("end", "AddV2", &["merge", "b"], &[F]);
    let place = places(&text, &["x:0", "p:0"], &["end:0"]);
    assert_eq!(place("a"), place("c"));
    assert_ne!(place("a"), place("b"));
}

/// `while x < limit { x = x + y; y = y * x }` as TensorFlow 1 writes it.
fn counting() -> String {
    let enter =
        |name: &str, input: &str| node(name, "Enter", &[input], &[F, ("frame_name", "\"loop\"")]);
    let constant = " attr { key: \"value\" value { tensor { dtype: DT_FLOAT tensor_shape { } \
                    float_val: 10 } } }";
    node("x", "Placeholder", &[], &[("dtype", "DT_FLOAT")])
        + &node("y", "Placeholder", &[], &[("dtype", "DT_FLOAT")])
        + &enter("x_in", "x")
        + &enter("y_in", "y")
        + &node("x_merge", "Merge", &["x_in", "x_next"], &[F, TWO])
        + &node("y_merge", "Merge", &["y_in", "y_next"], &[F, TWO])
        + &node("limit", "Const", &["^x_merge"], &[("dtype", "DT_FLOAT")])
            .replace(" }\n", &format!("{constant} }}\n"))
        + &node("less", "Less", &["x_merge", "limit"], &[F])
        + &node("cond", "LoopCond", &["less"], &[])
        + &node("x_switch", "Switch", &["x_merge", "cond"], &[F])
        + &node("y_switch", "Switch", &["y_merge", "cond"], &[F])
        + &node("sum", "AddV2", &["x_switch:1", "y_switch:1"], &[F])
        + &node("product", "Mul", &["y_switch:1", "sum"], &[F])
        + &node("x_next", "NextIteration", &["sum"], &[F])
        + &node("y_next", "NextIteration", &["product"], &[F])
        + &node("x_out", "Exit", &["x_switch"], &[F])
        + &node("y_out", "Exit", &["y_switch"], &[F])
        + &node("both", "AddV2", &["x_out", "y_out"], &[F])
        + &node("free", "Neg", &["y"], &[F])
        + &node("end", "AddV2", &["both", "free"], &[F])
}

#[test]
fn the_body_of_a_loop_is_compiled_together() {
    let place = places(&counting(), &["x:0", "y:0"], &["end:0"]);
    assert!(matches!(place("sum"), Place::Cluster(_)));
    assert_eq!(place("sum"), place("product"));
    assert_ne!(place("sum"), place("less"));
    // What the loop hands out is alive with everything outside.
    assert_eq!(place("both"), place("end"));
    assert_ne!(place("both"), place("sum"));
}

#[test]
fn a_loop_whose_variables_may_die_apart_is_not_trusted() {
    // The second variable is handed on only where another branch is taken.
    let text = counting()
        + &node("p", "Placeholder", &[], &[("dtype", "DT_BOOL")])
        + &node("p_in", "Enter", &["p"], &[("T", "DT_BOOL"), ("frame_name", "\"loop\"")])
        + &node("odd", "Switch", &["product", "p_in"], &[F]);
    let text = text.replace(
        &node("y_next", "NextIteration", &["product"], &[F]),
        &node("y_next", "NextIteration", &["odd"], &[F]),
    );
    let place = places(&text, &["x:0", "y:0", "p:0"], &["end:0"]);
    assert_ne!(place("both"), place("free"));
}
