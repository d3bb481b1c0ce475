//! Nodes of the launch ops as kernels: what is refused when they are made, and graphs of them.
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::Arc;

use common::*;
use tfjit_base::{Code, Error, PartialShape, Tensor};
use tfjit_launch::ops::{AutoJitPolicy, Env, kernel};
use tfjit_launch::{Environment, assemble};
use tfjit_model::{AttrList, AttrValue, Attrs, Endpoint, FuncRef, Function, Graph, Node, TfType};
use tfjit_runtime::{Program, ResourceManager, StepContext, StepState, Value};

fn types(list: &[TfType]) -> AttrValue {
    AttrValue::List(AttrList::Types(list.to_vec()))
}

fn func(name: &str) -> AttrValue {
    AttrValue::Func(FuncRef { name: name.into(), attrs: Attrs::new() })
}

type Named = Vec<(&'static str, AttrValue)>;

/// Attributes of a node that launches `function` of one float and one variable.
fn groups(function: &str) -> Named {
    vec![
        ("Tconstants", types(&[])),
        ("Targs", types(&[F32])),
        ("Nresources", AttrValue::Int(1)),
        ("function", func(function)),
    ]
}

fn with(mut attrs: Named, more: &[(&'static str, AttrValue)]) -> Named {
    attrs.extend(more.iter().cloned());
    attrs
}

/// A graph with a float and a variable.
fn inputs() -> (Graph, Endpoint, Endpoint) {
    let mut graph = Graph::new();
    let x = op(&mut graph, "Placeholder", &[], &[dtype(F32)]);
    let shape = ("shape", AttrValue::Shape(PartialShape::unknown()));
    let v = op(&mut graph, "VarHandleOp", &[], &[dtype(F32), shape]);
    (graph, x, v)
}

fn env() -> Env {
    Env::new(library(&[&add_variable(), &x_plus_y()]), compiler(local()))
}

/// What making the kernel of a node says.
fn made(env: &Env, op_name: &str, reverse: bool, attrs: &Named) -> Result<(), Error> {
    let (mut graph, x, v) = inputs();
    let ends = if reverse { vec![v, x] } else { vec![x, v] };
    let node: &Node = {
        let endpoint = op(&mut graph, op_name, &ends, attrs);
        graph.get(endpoint.node).unwrap()
    };
    kernel(node, env).unwrap().map(drop)
}

#[test]
fn nodes_are_checked_when_their_kernels_are_made() {
    let env = env();
    let launch = |function: &str, results: &[TfType]| {
        let attrs = with(groups(function), &[("Tresults", types(results))]);
        made(&env, "XlaLaunch", false, &attrs)
    };
    assert_eq!(launch("AddVariable", &[F32]), Ok(()));
    assert_eq!(launch("Nothing", &[F32]).unwrap_err().code(), Code::NotFound);
    // A function of two floats is none of a float and a variable.
    assert_eq!(launch("XPlusY", &[F32]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(launch("AddVariable", &[]).unwrap_err().code(), Code::InvalidArgument);
    let error = launch("AddVariable", &[F32, F32]).unwrap_err();
    assert!(error.node().is_some(), "the node is named: {error}");
}

#[test]
fn a_compile_node_needs_to_know_of_reference_variables() {
    let env = env();
    let attrs = with(groups("AddVariable"), &[("must_compile", AttrValue::Bool(true))]);
    let error = made(&env, "_XlaCompile", false, &attrs).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("_XlaHasReferenceVars"), "{error}");
    let attrs = with(attrs, &[("_XlaHasReferenceVars", AttrValue::Bool(false))]);
    assert_eq!(made(&env, "_XlaCompile", false, &attrs), Ok(()));
}

#[test]
fn the_second_version_names_positions() {
    let env = env();
    let made = |constants: &[i64], resources: &[i64]| {
        let list = |l: &[i64]| AttrValue::List(AttrList::Ints(l.to_vec()));
        let attrs = vec![
            ("Targs", types(&[F32, RESOURCE])),
            ("Tresults", types(&[F32])),
            ("constants", list(constants)),
            ("resources", list(resources)),
            ("function", func("AddVariable")),
        ];
        made(&env, "XlaLaunchV2", false, &attrs)
    };
    assert_eq!(made(&[], &[1]), Ok(()));
    assert_eq!(made(&[0], &[1]), Ok(()));
    for (constants, resources) in [(&[][..], &[][..]), (&[], &[-1]), (&[7], &[1]), (&[], &[0])] {
        let error = made(constants, resources).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{constants:?} {resources:?}");
    }
}

#[test]
fn a_plugin_that_is_not_there_is_missed() {
    let api = tfjit_launch::DeviceApi { everywhere: true, ..Default::default() };
    let env = Env { api, ..env() };
    let attrs = with(groups("AddVariable"), &[("Tresults", types(&[F32]))]);
    let error = made(&env, "XlaLaunch", false, &attrs).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    // Any client may stand behind the second family.
    let env = Env { pjrt: Some(compiler(eval())), ..env };
    assert_eq!(made(&env, "XlaLaunch", false, &attrs), Ok(()));
}

/// What TensorFlow's last pass makes of a cluster: compile, and run or call.
fn compile_or_call() -> Arc<Function> {
    function("Main", &[F32, RESOURCE], |g, args| {
        let attrs = with(
            groups("AddVariable"),
            &[
                ("must_compile", AttrValue::Bool(false)),
                ("_XlaHasReferenceVars", AttrValue::Bool(false)),
            ],
        );
        let compile = op(g, "_XlaCompile", &[args[0], args[1]], &attrs);
        let key = Endpoint::new(compile.node, 0);
        let compiled = Endpoint::new(compile.node, 1);
        let switch = |g: &mut Graph, data: Endpoint, tftype, side| {
            let switch = op(g, "Switch", &[data, compiled], &[t(tftype)]);
            Endpoint::new(switch.node, side)
        };
        let mut sides = Vec::new();
        for side in [0, 1] {
            let x = switch(g, args[0], F32, side);
            let v = switch(g, args[1], RESOURCE, side);
            sides.push((x, v));
        }
        let key = switch(g, key, TfType::DtString, 1);
        let (x, v) = sides[0];
        let call =
            [("Tin", types(&[F32, RESOURCE])), ("Tout", types(&[F32])), ("f", func("AddVariable"))];
        let called = op(g, "StatefulPartitionedCall", &[x, v], &call);
        let (x, v) = sides[1];
        let run = [("Targs", types(&[F32, RESOURCE])), ("Tresults", types(&[F32]))];
        let ran = op(g, "_XlaRun", &[x, v, key], &run);
        vec![op(g, "_XlaMerge", &[called, ran], &[t(F32)])]
    })
}

fn run(
    program: &Program,
    environment: &Environment,
    resources: &ResourceManager,
    inputs: Vec<Value>,
) -> Vec<Tensor> {
    let step = StepState::new();
    let context =
        StepContext { functions: Some(environment), ..StepContext::new(resources, &step) };
    tensors(&program.run(inputs, &context).unwrap())
}

#[test]
fn acceptance_10_1_the_graph_of_a_lazy_cluster_runs_whichever_way() {
    let main = compile_or_call();
    let library = library(&[&main, &add_variable()]);
    for policy in [
        AutoJitPolicy::default(),
        AutoJitPolicy { lazy: false, ..AutoJitPolicy::default() },
        AutoJitPolicy { always_defer: true, ..AutoJitPolicy::default() },
        AutoJitPolicy { background: true, ..AutoJitPolicy::default() },
    ] {
        let compiler = compiler(local());
        let env = Env { policy, ..Env::new(Arc::clone(&library), Arc::clone(&compiler)) };
        let environment = Environment::new(env);
        let assembled = assemble(&main, &environment).unwrap();
        let resources = ResourceManager::new();
        let v = resources.lookup_or_create("", "v");
        for n in [5, 2, 2, 2, 5] {
            v.assign(floats(&vec![1.0; n])).unwrap();
            let inputs =
                vec![Value::Tensor(floats(&vec![2.0; n])), Value::Variable(Arc::clone(&v))];
            let out = run(&assembled.program, &environment, &resources, inputs);
            assert_eq!(out, [floats(&vec![3.0; n])], "{policy:?}");
        }
    }
}

/// `x` summed over the members of a group of two.
fn reduce() -> Arc<Function> {
    function("Reduce", &[F32], |g, args| {
        let number = |g: &mut Graph, n: i32| {
            let value = tfjit_model::TensorValue::dense(Tensor::scalar(n));
            let value = ("value", AttrValue::Tensor(Box::new(value)));
            op(g, "Const", &[], &[value, dtype(I32)])
        };
        let (size, key, instance) = (number(g, 2), number(g, 7), number(g, 1));
        let text = |t: &str| AttrValue::Bytes(t.as_bytes().to_vec());
        let attrs = [t(F32), ("merge_op", text("Add")), ("final_op", text("Id"))];
        vec![op(g, "CollectiveReduceV2", &[args[0], size, key, instance], &attrs)]
    })
}

#[test]
fn launches_on_two_devices_meet_in_a_collective() {
    let main = function("Main", &[F32, F32], |g, args| {
        let mut sums = Vec::new();
        for (i, &x) in args.iter().enumerate() {
            let attrs = [
                ("Tconstants", types(&[])),
                ("Targs", types(&[F32])),
                ("Nresources", AttrValue::Int(0)),
                ("Tresults", types(&[F32])),
                ("function", func("Reduce")),
            ];
            let launch = op(g, "XlaLaunch", &[x], &attrs);
            g.node_mut(launch.node).device = format!("/device:CPU:{i}").into();
            sums.push(launch);
        }
        sums
    });
    let library = library(&[&main, &reduce()]);
    for (name, client) in clients() {
        let env = Env::new(Arc::clone(&library), compiler(client));
        let environment = Environment::new(env);
        let assembled = assemble(&main, &environment).unwrap();
        let resources = ResourceManager::new();
        for n in [1.0, 2.0] {
            let inputs = [floats(&[n, n]), floats(&[10.0, 20.0])].map(Value::Tensor);
            let out = run(&assembled.program, &environment, &resources, inputs.to_vec());
            let sum = floats(&[10.0 + n, 20.0 + n]);
            assert_eq!(out, [sum.clone(), sum], "{name}");
        }
    }
}

#[test]
fn collectives_of_a_graph_run_on_the_host_each_on_its_device() {
    let main = function("Main", &[F32, F32], |g, args| {
        let number = |g: &mut Graph, n: i32| {
            let value = tfjit_model::TensorValue::dense(Tensor::scalar(n));
            let value = ("value", AttrValue::Tensor(Box::new(value)));
            op(g, "Const", &[], &[value, dtype(I32)])
        };
        let (size, key, instance) = (number(g, 2), number(g, 9), number(g, 1));
        let text = |t: &str| AttrValue::Bytes(t.as_bytes().to_vec());
        let attrs = [t(F32), ("merge_op", text("Mul")), ("final_op", text("Id"))];
        let mut products = Vec::new();
        for (i, &x) in args.iter().enumerate() {
            let node = op(g, "CollectiveReduceV2", &[x, size, key, instance], &attrs);
            g.node_mut(node.node).device = format!("/device:CPU:{i}").into();
            products.push(node);
        }
        products
    });
    let env = Env::new(library(&[&main]), compiler(local()));
    let environment = Environment::new(env);
    let assembled = assemble(&main, &environment).unwrap();
    let resources = ResourceManager::new();
    let inputs = [floats(&[3.0]), floats(&[5.0])].map(Value::Tensor).to_vec();
    let out = run(&assembled.program, &environment, &resources, inputs);
    assert_eq!(out, [floats(&[15.0]), floats(&[15.0])]);
}

#[test]
fn a_run_sends_to_the_host_and_receives_from_it() {
    let shape = || AttrValue::Shape(PartialShape::known(&tfjit_base::Shape::new(&[2])));
    let text = |t: &str| AttrValue::Bytes(t.as_bytes().to_vec());
    // Sends x + x, receives y, and gives y + x.
    let body = function("Body", &[F32], |g, args| {
        let twice = op(g, "AddV2", &[args[0], args[0]], &[t(F32)]);
        let input = ("Tinput", AttrValue::Type(F32));
        let send = op(g, "XlaSendToHost", &[twice], &[input, ("key", text("k"))]);
        let output = ("Toutput", AttrValue::Type(F32));
        let attrs = [output, ("shape", shape()), ("key", text("k"))];
        let got = op(g, "XlaRecvFromHost", &[], &attrs);
        g.node_mut(got.node).control_inputs.push(send.node);
        vec![op(g, "AddV2", &[got, args[0]], &[t(F32)])]
    });
    let main = function("Main", &[F32], |g, args| {
        let attrs = [
            ("Tconstants", types(&[])),
            ("Targs", types(&[F32])),
            ("Nresources", AttrValue::Int(0)),
            ("function", func("Body")),
            ("must_compile", AttrValue::Bool(true)),
            ("_XlaHasReferenceVars", AttrValue::Bool(false)),
        ];
        let key = op(g, "_XlaCompile", &[args[0]], &attrs);
        let run = [("Targs", types(&[F32])), ("Tresults", types(&[F32]))];
        let ran = op(g, "_XlaRun", &[args[0], key], &run);
        let host = |more: &[(&'static str, AttrValue)]| {
            let mut all = vec![("key", text("k")), ("device_ordinal", AttrValue::Int(0))];
            all.push(("device_type", text("CPU")));
            all.extend(more.iter().cloned());
            all
        };
        let outputs = host(&[("Toutputs", types(&[F32]))]);
        let at_host = op(g, "_XlaRecvAtHost", &[key], &outputs);
        let tenfold = op(g, "Mul", &[at_host, at_host], &[t(F32)]);
        let inputs = host(&[("Tinputs", types(&[F32]))]);
        op_no_output(g, "_XlaSendFromHost", &[tenfold, key], &inputs);
        vec![ran]
    });
    let library = library(&[&main, &body]);
    for (name, client) in clients() {
        let env = Env::new(Arc::clone(&library), compiler(client));
        let environment = Environment::new(env);
        let assembled = assemble(&main, &environment).unwrap();
        let resources = ResourceManager::new();
        let inputs = vec![Value::Tensor(floats(&[1.0, 3.0]))];
        let out = run(&assembled.program, &environment, &resources, inputs);
        // (x + x)^2 + x
        assert_eq!(out, [floats(&[5.0, 39.0])], "{name}");
    }
}

#[test]
fn acceptance_8_5_2_a_result_of_unknown_size_has_the_live_rows_and_no_more() {
    // TensorFlow computes it in the cluster, in a buffer of the largest size; here it is the
    // host's, between clusters.
    let main = function("Main", &[F32], |g, args| {
        let twice = op(g, "AddV2", &[args[0], args[0]], &[t(F32)]);
        vec![op(g, "Where", &[twice], &[t(F32)])]
    });
    let env = Env::new(library(&[&main]), compiler(local()));
    let environment = Environment::new(env);
    let assembled = assemble(&main, &environment).unwrap();
    let resources = ResourceManager::new();
    let shape = tfjit_base::Shape::new(&[1, 3]);
    let x = Tensor::from_slice(shape, &[0.0f32, 1.0, 1.0]).unwrap();
    let out = run(&assembled.program, &environment, &resources, vec![Value::Tensor(x)]);
    let rows = Tensor::from_slice(tfjit_base::Shape::new(&[2, 2]), &[0i64, 1, 0, 2]).unwrap();
    assert_eq!(out, [rows]);
}
