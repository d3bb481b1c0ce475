//! Checks inside the conditions of loops: each evaluation counts, the first and the last too, and
//! results are what they are without checks.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tfjit_base::{Code, Error, Tensor};
use tfjit_bridge::{Arg, Options, decode_checks, lower};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::TensorType;
use tfjit_model::{Function, Model, from_graph_text};

/// A function, or the main graph, in the text form of graphs: arguments, results, then nodes as
/// `name = Op inputs attributes`.
fn function(name: &str, args: &[(&str, &str)], rets: &[(&str, &str, &str)], nodes: &str) -> String {
    let mut text = format!("library {{ function {{ signature {{ name: '{name}' ");
    for (arg, ty) in args {
        text.push_str(&format!("input_arg {{ name: '{arg}' type: {ty} }} "));
    }
    for (ret, ty, _) in rets {
        text.push_str(&format!("output_arg {{ name: '{ret}' type: {ty} }} "));
    }
    text.push_str("}\n");
    for (ret, _, from) in rets {
        text.push_str(&format!("ret {{ key: '{ret}' value: '{from}' }} "));
    }
    for line in nodes.lines().map(str::trim).filter(|l| !l.is_empty()) {
        text.push_str(&format!("node_def {{ {} }}\n", node(line)));
    }
    text + "} }\n"
}

fn node(line: &str) -> String {
    let mut words = line.split_whitespace();
    let (name, op) = (words.next().unwrap(), words.next().unwrap());
    let mut text = format!("name: '{name}' op: '{op}'");
    for word in words {
        match word.split_once('=') {
            None => text.push_str(&format!(" input: '{word}'")),
            Some((key, value)) => {
                let value = match value {
                    _ if value.starts_with("DT_") => format!("type: {value}"),
                    _ if value.starts_with('[') => {
                        let types = value.trim_matches(['[', ']']);
                        format!("list {{ type: [{types}] }}")
                    }
                    _ => match value.strip_prefix('@') {
                        Some(function) => format!("func {{ name: '{function}' }}"),
                        None => format!(
                            "tensor {{ dtype: DT_INT32 tensor_shape {{ }} int_val: {value} }}"
                        ),
                    },
                };
                text.push_str(&format!(" attr {{ key: '{key}' value {{ {value} }} }}"));
            }
        }
    }
    text
}

const INT: &str = "DT_INT32";
const ARGS: &[(&str, &str)] = &[("i", INT), ("sum", INT), ("v", INT)];

/// Goes on while `i < 3`, and looks at `v[i]` with `looks`, which end in `ok` of type bool.
fn looping(looks: &str) -> Model {
    let cond = format!(
        "three Const value=3 dtype=DT_INT32
         zero Const value=0 dtype=DT_INT32
         twelve Const value=12 dtype=DT_INT32
         more Less i three:output:0 T=DT_INT32
         at GatherV2 v i zero:output:0 Tparams=DT_INT32 Tindices=DT_INT32 Taxis=DT_INT32
         {looks}
         both LogicalAnd more:z:0 ok:z:0"
    );
    let body = "one Const value=1 dtype=DT_INT32
         next AddV2 i one:output:0 T=DT_INT32
         total AddV2 sum next:z:0 T=DT_INT32";
    let types = "[DT_INT32,DT_INT32,DT_INT32]";
    let outer = format!("w While i sum v T={types} cond=@cond body=@body");
    let text = function("cond", ARGS, &[("r", "DT_BOOL", "both:z:0")], &cond)
        + &function(
            "body",
            ARGS,
            &[("a", INT, "next:z:0"), ("b", INT, "total:z:0"), ("c", INT, "v")],
            body,
        )
        + &function(
            "main",
            ARGS,
            &[("i_out", INT, "w:output:0"), ("sum_out", INT, "w:output:1")],
            &outer,
        )
        + &nested();
    from_graph_text(&text).unwrap()
}

/// The loop inside a loop, which goes on while its sum is below 10.
fn nested() -> String {
    let types = "[DT_INT32,DT_INT32,DT_INT32]";
    let cond = "ten Const value=10 dtype=DT_INT32
         more Less sum ten:output:0 T=DT_INT32";
    let body = format!(
        "zero Const value=0 dtype=DT_INT32
         w While zero:output:0 sum v T={types} cond=@cond body=@body"
    );
    function("outer_cond", ARGS, &[("r", "DT_BOOL", "more:z:0")], cond)
        + &function(
            "outer_body",
            ARGS,
            &[("a", INT, "w:output:0"), ("b", INT, "w:output:1"), ("c", INT, "v")],
            &body,
        )
        + &function(
            "main_nested",
            ARGS,
            &[("i_out", INT, "w:output:0"), ("sum_out", INT, "w:output:1")],
            &format!("w While i sum v T={types} cond=@outer_cond body=@outer_body"),
        )
}

/// The results, or what a check says.
fn run(model: &Model, main: &str, v: &[i32], checks: bool) -> Result<Vec<i32>, Error> {
    let function: &Function = model.library.get(main).unwrap();
    let arguments = [
        Tensor::scalar(0i32),
        Tensor::scalar(0i32),
        Tensor::from_slice(tfjit_base::Shape::new(&[v.len()]), v).unwrap(),
    ];
    let types = arguments.iter().map(|t| TensorType::of(t.dtype(), t.shape()));
    let args: Vec<Arg> = types.map(Arg::Parameter).collect();
    let options = Options { checks };
    let lowered = lower(&model.library, function, &args, options)?;
    tfjit_hlo::verify(&lowered.module)?;
    assert_eq!(lowered.checks.is_empty(), !checks);
    let values = arguments.map(Value::Tensor);
    let results = Interpreter::new(&lowered.module, Default::default()).run("main", &values)?;
    let results: Vec<Tensor> = results.iter().map(|v| v.tensor().unwrap().clone()).collect();
    if checks {
        decode_checks(&lowered.checks, results.last().unwrap())?;
    }
    Ok(results[..2].iter().map(|t| t.to_vec::<i32>().unwrap()[0]).collect())
}

fn code(result: Result<Vec<i32>, Error>, node: &str) -> Code {
    let e = result.unwrap_err();
    assert!(e.to_string().contains(node), "{e}");
    e.code()
}

const DIVIDE: &str = "share FloorDiv twelve:output:0 at:output:0 T=DT_INT32
         ok NotEqual share:z:0 twelve:output:0 T=DT_INT32";

#[test]
fn every_division_of_a_condition_counts() {
    let model = looping(DIVIDE);
    for checks in [false, true] {
        assert_eq!(run(&model, "main", &[2, 3, 4, 5], checks), Ok(vec![3, 6]));
        // The condition itself ends the loop.
        assert_eq!(run(&model, "main", &[2, 1, 4, 5], checks), Ok(vec![1, 1]));
    }
    for zero in 0..4 {
        let mut v = [2, 3, 4, 5];
        v[zero] = 0;
        let result = run(&model, "main", &v, true);
        assert_eq!(code(result, "share"), Code::InvalidArgument, "at {zero}");
    }
    // What is not looked at is not wrong.
    assert_eq!(run(&model, "main", &[2, 1, 0, 0], true), Ok(vec![1, 1]));
}

#[test]
fn positions_outside_count() {
    let model = looping(DIVIDE);
    for length in 1..4 {
        let result = run(&model, "main", &[2, 3, 4][..length], true);
        assert_eq!(code(result, "at"), Code::InvalidArgument, "{length} elements");
    }
    assert_eq!(run(&model, "main", &[2, 1], true), Ok(vec![1, 1]));
}

#[test]
fn failed_assertions_count() {
    let model = looping(
        "fine Greater at:output:0 zero:output:0 T=DT_INT32
         said Assert fine:z:0 at:output:0 T=[DT_INT32]
         ok Less zero:output:0 three:output:0 ^said T=DT_INT32",
    );
    assert_eq!(run(&model, "main", &[1, 1, 1, 1], true), Ok(vec![3, 6]));
    for bad in 0..4 {
        let mut v = [1, 1, 1, 1];
        v[bad] = -1;
        let result = run(&model, "main", &v, true);
        assert_eq!(code(result, "said"), Code::InvalidArgument, "at {bad}");
    }
}

#[test]
fn loops_in_loops_hand_their_checks_on() {
    let model = looping(DIVIDE);
    for checks in [false, true] {
        assert_eq!(run(&model, "main_nested", &[2, 3, 4, 5], checks), Ok(vec![3, 12]));
    }
    for zero in 0..4 {
        let mut v = [2, 3, 4, 5];
        v[zero] = 0;
        let result = run(&model, "main_nested", &v, true);
        assert_eq!(code(result, "share"), Code::InvalidArgument, "at {zero}");
    }
}
