//! What counts as a write of a variable.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tfjit_runtime::Writes;

const FLOAT: &str = r#"attr { key: "dtype" value { type: DT_FLOAT } }"#;
const T: &str = r#"attr { key: "T" value { type: DT_FLOAT } }"#;

fn node(name: &str, op: &str, inputs: &[&str], attrs: &str) -> String {
    let inputs: String = inputs.iter().map(|i| format!(" input: \"{i}\"")).collect();
    format!("node {{ name: \"{name}\" op: \"{op}\"{inputs} {attrs} }}\n")
}

/// Names of the variables that computing `fetch` may write, or `any`.
fn writes(graph: &str, fetch: &str) -> Vec<String> {
    let text = format!("{graph} versions {{ producer: 1882 }}");
    let model = tfjit_model::from_graph_text(&text).unwrap();
    let targets = [fetch.to_owned()];
    let function = model.function_from_tensors(&[], &[], &targets).unwrap();
    let writes = Writes::of(&model.library, &function);
    if writes.any {
        return vec!["any".to_owned()];
    }
    writes.variables.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn references_are_written_only_by_ops_that_take_references() {
    let shape = r#"attr { key: "shape" value { shape { } } }"#;
    let two = r#"attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 2 } } }"#;
    let graph = [
        node("v", "VariableV2", &[], &format!("{FLOAT} {shape}")),
        node("two", "Const", &[], &format!("{FLOAT} {two}")),
        node("same", "Identity", &["v"], T),
        node("read", "Mul", &["v", "two"], T),
        node("put", "Assign", &["v", "two"], T),
        node("more", "AssignAdd", &["put", "two"], T),
        node("after", "Mul", &["same", "two", "^more"], T),
    ]
    .concat();
    assert!(writes(&graph, "read").is_empty());
    assert!(writes(&graph, "same").is_empty());
    assert_eq!(writes(&graph, "put"), ["v"]);
    assert_eq!(writes(&graph, "more"), ["v"]);
    assert_eq!(writes(&graph, "after"), ["v"]);
}

/// A function `f(handle, other)` that reads its first argument and assigns to the second.
const LIBRARY: &str = r#"
library { function {
  signature { name: "f"
    input_arg { name: "a" type: DT_RESOURCE } input_arg { name: "b" type: DT_RESOURCE }
    output_arg { name: "out" type: DT_RESOURCE } control_output: "put" is_stateful: true }
  node_def { name: "read" op: "ReadVariableOp" input: "a"
    attr { key: "dtype" value { type: DT_FLOAT } } }
  node_def { name: "put" op: "AssignVariableOp" input: "b" input: "read:value:0"
    attr { key: "dtype" value { type: DT_FLOAT } } }
  ret { key: "out" value: "a" }
  control_ret { key: "put" value: "put" }
} }
"#;

#[test]
fn handles_are_followed_into_calls_and_out_of_them() {
    let var = |name: &str| {
        let attrs = format!(r#"{FLOAT} attr {{ key: "shape" value {{ shape {{ }} }} }}"#);
        node(name, "VarHandleOp", &[], &format!("{attrs} "))
    };
    let call = r#"attr { key: "Tin" value { list { type: DT_RESOURCE type: DT_RESOURCE } } }
        attr { key: "Tout" value { list { type: DT_RESOURCE } } }
        attr { key: "f" value { func { name: "f" } } }"#;
    let two = r#"attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 2 } } }"#;
    let graph = [
        var("v"),
        var("w"),
        node("two", "Const", &[], &format!("{FLOAT} {two}")),
        node("call", "StatefulPartitionedCall", &["v", "w"], call),
        node("get", "ReadVariableOp", &["call"], FLOAT),
        node("put", "AssignVariableOp", &["call", "two"], FLOAT),
        node("other", "ReadVariableOp", &["w"], FLOAT),
        LIBRARY.to_owned(),
    ]
    .concat();
    assert_eq!(writes(&graph, "get"), ["w"]);
    assert_eq!(writes(&graph, "put"), ["v", "w"]);
    assert!(writes(&graph, "other").is_empty());
}

#[test]
fn a_loop_that_swaps_its_handles_may_write_anything() {
    let library = r#"
library {
  function {
    signature { name: "c"
      input_arg { name: "a" type: DT_RESOURCE } input_arg { name: "b" type: DT_RESOURCE }
      output_arg { name: "go" type: DT_BOOL } }
    node_def { name: "no" op: "Const" attr { key: "dtype" value { type: DT_BOOL } }
      attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: false } } } }
    ret { key: "go" value: "no:output:0" }
  }
  function {
    signature { name: "s" is_stateful: true
      input_arg { name: "a" type: DT_RESOURCE } input_arg { name: "b" type: DT_RESOURCE }
      output_arg { name: "x" type: DT_RESOURCE } output_arg { name: "y" type: DT_RESOURCE }
      control_output: "put" }
    node_def { name: "read" op: "ReadVariableOp" input: "a"
      attr { key: "dtype" value { type: DT_FLOAT } } }
    node_def { name: "put" op: "AssignVariableOp" input: "a" input: "read:value:0"
      attr { key: "dtype" value { type: DT_FLOAT } } }
    ret { key: "x" value: "FIRST" } ret { key: "y" value: "SECOND" }
    control_ret { key: "put" value: "put" }
  }
}
"#;
    let attrs = r#"attr { key: "T" value { list { type: DT_RESOURCE type: DT_RESOURCE } } }
        attr { key: "cond" value { func { name: "c" } } }
        attr { key: "body" value { func { name: "s" } } }"#;
    let handle = format!(r#"{FLOAT} attr {{ key: "shape" value {{ shape {{ }} }} }}"#);
    let graph = [
        node("v", "VarHandleOp", &[], &handle),
        node("w", "VarHandleOp", &[], &handle),
        node("loop", "While", &["v", "w"], attrs),
        library.to_owned(),
    ]
    .concat();
    let swapped = graph.replace("FIRST", "b").replace("SECOND", "a");
    let kept = graph.replace("FIRST", "a").replace("SECOND", "b");
    assert_eq!(writes(&swapped, "loop"), ["any"]);
    assert_eq!(writes(&kept, "loop"), ["v"]);
}
