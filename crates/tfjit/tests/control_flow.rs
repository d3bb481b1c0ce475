//! Graphs with the control flow of TensorFlow 1, and functions that cannot be compiled whole, from
//! end to end.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tfjit::{Code, Model, Options, Session, Shape, Tensor};

fn session(graph: &str) -> Session {
    let model = tfjit_model::from_graph_text(graph).unwrap();
    Model::from_raw(model).session(&Options::default()).unwrap()
}

fn run(session: &Session, feeds: &[(&str, Tensor)], fetch: &str) -> tfjit::Result<Tensor> {
    let names: Vec<String> = feeds.iter().map(|(name, _)| (*name).to_owned()).collect();
    let signature = session.function(&names, &[fetch.to_owned()], &[])?;
    Ok(signature.run(feeds)?.values.swap_remove(0).1)
}

/// `while x < 10 { x = x + x; y = y + 1 }`, and a branch that is not taken beside it.
const LOOP: &str = r#"
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }
node { name: "x_in" op: "Enter" input: "x" attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "frame_name" value { s: "loop" } } }
node { name: "y_in" op: "Enter" input: "x" attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "frame_name" value { s: "loop" } } }
node { name: "x_merge" op: "Merge" input: "x_in" input: "x_next"
  attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
node { name: "y_merge" op: "Merge" input: "y_in" input: "y_next"
  attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
node { name: "limit" op: "Const" input: "^x_merge" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 10 } } } }
node { name: "less" op: "Less" input: "x_merge" input: "limit"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "cond" op: "LoopCond" input: "less" }
node { name: "x_switch" op: "Switch" input: "x_merge" input: "cond"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y_switch" op: "Switch" input: "y_merge" input: "cond"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "one" op: "Const" input: "^x_switch" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
node { name: "twice" op: "AddV2" input: "x_switch:1" input: "x_switch:1"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "more" op: "AddV2" input: "y_switch:1" input: "one"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "x_next" op: "NextIteration" input: "twice"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y_next" op: "NextIteration" input: "more" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "x_out" op: "Exit" input: "x_switch" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y_out" op: "Exit" input: "y_switch" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "sum" op: "AddV2" input: "x_out" input: "y_out"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "way" op: "Switch" input: "sum" input: "p" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "minus" op: "Neg" input: "way:1" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "joined" op: "Merge" input: "way" input: "minus"
  attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
node { name: "end" op: "AddV2" input: "joined" input: "x"
  attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1882 }
"#;

#[test]
fn a_loop_and_a_branch_of_tensorflow_1() {
    let session = session(LOOP);
    for (p, want) in [(false, 3.0 + 12.0 + 5.0), (true, 3.0 - 12.0 - 5.0)] {
        let feeds = [("x:0", Tensor::scalar(3.0f32)), ("p:0", Tensor::scalar_bool(p))];
        assert_eq!(run(&session, &feeds, "end:0").unwrap(), Tensor::scalar::<f32>(want));
    }
    let feeds = [("x:0", Tensor::scalar(3.0f32)), ("p:0", Tensor::scalar_bool(false))];
    let error = run(&session, &feeds, "minus:0").unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error}");
}

/// A call of a function with an op for the host, a branch of functions, and moved strings.
const CALLS: &str = r#"
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "call" op: "PartitionedCall" input: "x"
  attr { key: "Tin" value { list { type: DT_FLOAT } } }
  attr { key: "Tout" value { list { type: DT_STRING } } }
  attr { key: "f" value { func { name: "text" } } } }
node { name: "pair" op: "Pack" input: "call" input: "call"
  attr { key: "T" value { type: DT_STRING } } attr { key: "N" value { i: 2 } }
  attr { key: "axis" value { i: 0 } } }
library { function {
  signature { name: "text"
    input_arg { name: "a" type: DT_FLOAT } output_arg { name: "s" type: DT_STRING } }
  node_def { name: "twice" op: "AddV2" input: "a" input: "a"
    attr { key: "T" value { type: DT_FLOAT } } }
  node_def { name: "written" op: "AsString" input: "twice:z:0"
    attr { key: "T" value { type: DT_FLOAT } } attr { key: "precision" value { i: 2 } } }
  ret { key: "s" value: "written:output:0" }
} }
versions { producer: 1882 }
"#;

#[test]
fn a_function_with_a_host_op_is_called_and_strings_are_moved() {
    let session = session(CALLS);
    let out = run(&session, &[("x:0", Tensor::scalar(1.5f32))], "pair:0").unwrap();
    let want = Tensor::strings(Shape::new(&[2]), vec![b"3.00".to_vec(); 2]).unwrap();
    assert_eq!(out, want);
}
