//! Functions, calls and results.

use super::*;

pub(super) const ROWS: &[Row] = &[
    (
        "duplicate function",
        |m| {
            let f = function(m).clone();
            library(m).push(f);
        },
        INVALID,
        "two functions have the same name [at function __inference_f_",
    ),
    (
        "function without a name",
        |m| library(m).push(calling("", &[])),
        INVALID,
        "a function of the library has no name",
    ),
    (
        "function with the name of an op",
        |m| library(m).push(calling("MatMul", &[])),
        INVALID,
        "a function has the name of an op [at function MatMul]",
    ),
    (
        "missing function",
        |m| {
            let f = pb::NameAttrList { name: "nowhere".into(), ..Default::default() };
            set(main_node(m, "StatefulPartitionedCall"), "f", Value::Func(Box::new(f)));
        },
        INVALID,
        "attribute f: there is no function called nowhere [at StatefulPartitionedCall]",
    ),
    (
        "function attribute without a name",
        |m| {
            let f = pb::NameAttrList::default();
            set(main_node(m, "StatefulPartitionedCall"), "f", Value::Func(Box::new(f)));
        },
        INVALID,
        "the attribute f is a function without a name",
    ),
    (
        "result from nowhere",
        |m| *function(m).ret.values_mut().next().unwrap() = "nope:output:0".into(),
        INVALID,
        "there is no node called nope [at function __inference_f_",
    ),
    (
        "result that is not returned",
        |m| function(m).ret.clear(),
        INVALID,
        "nothing is returned for it",
    ),
    (
        "control result from nowhere",
        |m| drop(function(m).control_ret.insert("x".into(), "nope".into())),
        INVALID,
        "control result x: there is no node called nope",
    ),
    (
        "type of a result",
        |m| function(m).signature.as_mut().unwrap().output_arg[0].r#type = 3,
        INVALID,
        "is DT_FLOAT, but DT_INT32 is declared",
    ),
    (
        "argument without a type",
        |m| function(m).signature.as_mut().unwrap().input_arg[0].r#type = 0,
        INVALID,
        "the argument \"x\" has no type",
    ),
    (
        "op of its own",
        |m| {
            let mut f = calling("Own", &[]);
            f.node_def.push(pb::NodeDef {
                name: "n".into(),
                op: "Own".into(),
                ..Default::default()
            });
            library(m).push(f);
        },
        INVALID,
        "functions are recursive: Own calls Own",
    ),
    (
        "recursion",
        |m| library(m).extend([calling("a", &["b"]), calling("b", &["a"])]),
        INVALID,
        "functions are recursive: a calls b calls a",
    ),
    (
        "deep chain",
        |m| {
            let names: Vec<String> = (0..3000).map(|i| format!("f{i}")).collect();
            library(m).extend((0..3000).map(|i| match names.get(i + 1) {
                Some(next) => calling(&names[i], &[next]),
                None => calling(&names[i], &["f0"]),
            }));
        },
        INVALID,
        "functions are recursive: f0 calls f1",
    ),
    (
        "deep chain without a cycle",
        |m| {
            let names: Vec<String> = (0..3000).map(|i| format!("f{i}")).collect();
            library(m).extend((0..3000).map(|i| match names.get(i + 1) {
                Some(next) => calling(&names[i], &[next]),
                None => calling(&names[i], &[]),
            }));
        },
        EXHAUSTED,
        "function calls are nested deeper than",
    ),
    (
        "exponential tree",
        |m| {
            let names: Vec<String> = (0..60).map(|i| format!("f{i}")).collect();
            library(m).extend((0..60).map(|i| match names.get(i + 1) {
                Some(next) => calling(&names[i], &[next, next, next]),
                None => calling(&names[i], &[]),
            }));
        },
        EXHAUSTED,
        "when its calls are inlined",
    ),
    (
        "types of a call",
        |m| {
            let list = ListValue { r#type: vec![1, 20, 3], ..Default::default() };
            set(main_node(m, "StatefulPartitionedCall"), "Tin", Value::List(Box::new(list)));
        },
        INVALID,
        "is DT_RESOURCE, but DT_INT32 is expected",
    ),
    (
        "gradient of nothing",
        |m| {
            let g = pb::GradientDef { function_name: "x".into(), gradient_func: "y".into() };
            graph(m).library.as_mut().unwrap().gradient.push(g);
        },
        INVALID,
        "a gradient names the function x",
    ),
];
