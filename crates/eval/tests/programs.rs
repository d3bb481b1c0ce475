//! Programs as text: the interpreter as its users see it.

use tfjit_base::{Code, DType, Shape, Tensor};
use tfjit_eval::{Interpreter, MemoryHost, Options, Program, Value, run_parallel};
use tfjit_hlo::{Module, parse};

fn module(text: &str) -> Module {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Runs the entry on tensors.
fn run(text: &str, args: &[Tensor]) -> tfjit_base::Result<Vec<Tensor>> {
    let module = module(text);
    let args: Vec<Value> = args.iter().cloned().map(Value::Tensor).collect();
    let results = Interpreter::new(&module, Options::default()).run_entry(&args)?;
    Ok(results.into_iter().map(|v| v.tensor().expect("a tensor").clone()).collect())
}

fn f32s(values: &[f32]) -> Tensor {
    Tensor::from_slice(Shape::new(&[values.len()]), values).expect("one value an element")
}

#[test]
fn a_loop_with_captures_and_a_call() {
    let text = "
        func.func private @half(%x: tensor<f32>) -> tensor<f32> {
          %two = stablehlo.constant dense<2.0> : tensor<f32>
          %y = stablehlo.divide %x, %two : tensor<f32>
          return %y : tensor<f32>
        }
        func.func @main(%x: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %r:2 = stablehlo.while(%a = %x, %n = %zero) : tensor<f32>, tensor<i32>
            cond {
              %go = stablehlo.compare GT, %a, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
              stablehlo.return %go : tensor<i1>
            } do {
              %h = func.call @half(%a) : (tensor<f32>) -> tensor<f32>
              %m = stablehlo.add %n, %one : tensor<i32>
              stablehlo.return %h, %m : tensor<f32>, tensor<i32>
            }
          return %r#0, %r#1 : tensor<f32>, tensor<i32>
        }";
    let got = run(text, &[Tensor::scalar(20.0f32), Tensor::scalar(3.0f32)]).unwrap();
    assert_eq!(got, [Tensor::scalar(2.5f32), Tensor::scalar(3i32)]);
}

#[test]
fn branches_take_captures() {
    let text = r#"
        func.func @main(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
          %r = "stablehlo.case"(%i) ({
            stablehlo.return %x : tensor<f32>
          }, {
            %n = stablehlo.negate %x : tensor<f32>
            stablehlo.return %n : tensor<f32>
          }) : (tensor<i32>) -> tensor<f32>
          return %r : tensor<f32>
        }"#;
    for (i, want) in [(0, 3.0f32), (1, -3.0), (7, -3.0), (-1, -3.0)] {
        let got = run(text, &[Tensor::scalar(i), Tensor::scalar(3.0f32)]).unwrap();
        assert_eq!(got, [Tensor::scalar(want)], "{i}");
    }
}

#[test]
fn reductions_with_any_region() {
    let text = r#"
        func.func @main(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>)
            -> (tensor<2xf32>, tensor<2xi32>) {
          %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %r:2 = "stablehlo.reduce"(%x, %i, %low, %zero) <{dimensions = array<i64: 1>}> ({
          ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: tensor<f32>, %bi: tensor<i32>):
            %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
            %m = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
            %mi = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>
            stablehlo.return %m, %mi : tensor<f32>, tensor<i32>
          }) : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>)
            -> (tensor<2xf32>, tensor<2xi32>)
          return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
        }"#;
    let x = Tensor::from_slice(Shape::new(&[2, 3]), &[1.0f32, 5.0, 2.0, 9.0, 7.0, 9.0]).unwrap();
    let i = Tensor::from_slice(Shape::new(&[2, 3]), &[0i32, 1, 2, 0, 1, 2]).unwrap();
    let got = run(text, &[x, i]).unwrap();
    assert_eq!(got[0], f32s(&[5.0, 9.0]));
    assert_eq!(got[1].to_i64s().unwrap(), [1, 0]);
}

#[test]
fn regions_that_call_or_capture_are_run_too() {
    let text = r#"
        func.func private @less(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i1> {
          %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          return %p : tensor<i1>
        }
        func.func @main(%x: tensor<4xi32>, %c: tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>) {
          %s = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %p = func.call @less(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %p : tensor<i1>
          }) : (tensor<4xi32>) -> tensor<4xi32>
          %m = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
          ^bb0(%a: tensor<i32>):
            %r = stablehlo.multiply %a, %c : tensor<i32>
            stablehlo.return %r : tensor<i32>
          }) : (tensor<4xi32>) -> tensor<4xi32>
          return %s, %m : tensor<4xi32>, tensor<4xi32>
        }"#;
    let x = Tensor::from_slice(Shape::new(&[4]), &[3i32, 1, 2, 0]).unwrap();
    let got = run(text, &[x, Tensor::scalar(10i32)]).unwrap();
    assert_eq!(got[0].to_i64s().unwrap(), [0, 1, 2, 3]);
    assert_eq!(got[1].to_i64s().unwrap(), [30, 10, 20, 0]);
}

#[test]
fn shapes_may_be_computed() {
    let text = "
        func.func @main(%x: tensor<?xf32>, %n: tensor<2xi64>) -> tensor<?x?xf32> {
          %y = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1]
            : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
          %z = stablehlo.add %y, %y : tensor<?x?xf32>
          return %z : tensor<?x?xf32>
        }";
    let n = Tensor::from_slice(Shape::new(&[2]), &[2i64, 3]).unwrap();
    let got = run(text, &[f32s(&[1.0, 2.0, 3.0]), n.clone()]).unwrap();
    assert_eq!(got[0].to_vec::<f32>().unwrap(), [2.0, 4.0, 6.0, 2.0, 4.0, 6.0]);
    assert!(run(text, &[f32s(&[1.0, 2.0]), n]).is_err());
}

#[test]
fn a_failed_check_names_the_element() {
    let text = "
        func.func @main() {
          %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
          check.expect_eq_const %x, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
          check.expect_eq_const %x, dense<[[1, 2], [5, 6]]> : tensor<2x2xi32>
          func.return
        }";
    let module = module(text);
    let error = Interpreter::new(&module, Options::default()).run_checks().unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert_eq!(error.message(), "check.expect_eq: element [1, 0] is 3, want 5; 1 more differ");
}

#[test]
fn wrong_arguments_and_endless_recursion_are_errors() {
    let text = "
        func.func @main(%x: tensor<f32>) -> tensor<f32> {
          %y = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
          return %y : tensor<f32>
        }";
    assert_eq!(run(text, &[]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(run(text, &[f32s(&[1.0])]).unwrap_err().code(), Code::InvalidArgument);
    let error = run(text, &[Tensor::scalar(1.0f32)]).unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted, "{error}");
}

#[test]
fn a_run_can_be_cancelled_and_memory_is_bounded() {
    let text = "
        func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
          %r = stablehlo.while(%a = %x) : tensor<1000xf32>
            cond {
              %yes = stablehlo.constant dense<true> : tensor<i1>
              stablehlo.return %yes : tensor<i1>
            } do {
              stablehlo.return %a : tensor<1000xf32>
            }
          return %r : tensor<1000xf32>
        }";
    let module = module(text);
    let args = [Value::from(Tensor::zeros(DType::F32, Shape::new(&[1000])).unwrap())];
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let options = Options { cancel: Some(&cancel), ..Options::default() };
    let error = Interpreter::new(&module, options).run_entry(&args).unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
    let options = Options { memory_bytes_max: 5000, ..Options::default() };
    let error = Interpreter::new(&module, options).run_entry(&args).unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted);
}

#[test]
fn memory_is_freed_on_the_way() {
    // Twenty tensors of 4 kB one after the other; three at a time fit.
    let mut text = "func.func @main(%v0: tensor<1000xf32>) -> tensor<1000xf32> {\n".to_owned();
    for i in 0..20 {
        text += &format!("%v{} = stablehlo.negate %v{i} : tensor<1000xf32>\n", i + 1);
    }
    text += "return %v20 : tensor<1000xf32>\n}";
    let module = module(&text);
    let args = [Value::from(Tensor::zeros(DType::F32, Shape::new(&[1000])).unwrap())];
    let options = Options { memory_bytes_max: 12_000, ..Options::default() };
    Interpreter::new(&module, options).run_entry(&args).unwrap();
}

#[test]
fn participants_meet() {
    let text = r#"
        func.func @sum(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
          %r = "stablehlo.all_reduce"(%x) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %s = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %s : tensor<f32>
          }) {
            replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
          } : (tensor<2xf32>) -> tensor<2xf32>
          %id = stablehlo.replica_id : tensor<ui32>
          return %r, %id : tensor<2xf32>, tensor<ui32>
        }
        func.func @alone(%x: tensor<2xf32>) -> tensor<2xf32> {
          return %x : tensor<2xf32>
        }"#;
    let module = module(text);
    let program = |func, x: f32| vec![Program { func, args: vec![f32s(&[x, x]).into()] }];
    let both = vec![program("sum", 1.0), program("sum", 2.0)];
    let got = run_parallel(&module, both, Options::default()).unwrap();
    for (i, results) in got.iter().enumerate() {
        assert_eq!(results[0].tensor().unwrap(), &f32s(&[3.0, 3.0]));
        assert_eq!(results[1].tensor().unwrap(), &Tensor::scalar(i as u32));
    }
    // One of two leaves without meeting the other.
    let half = vec![program("sum", 1.0), program("alone", 2.0)];
    let error = run_parallel(&module, half, Options::default()).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition, "{error}");
}

#[test]
fn feeds_and_unknown_calls_go_to_the_host() {
    let text = r#"
        func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
          %r:2 = "stablehlo.infeed"(%t) <{infeed_config = "a"}>
            : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
          %n = stablehlo.negate %r#0 : tensor<2xf32>
          %o = "stablehlo.outfeed"(%n, %r#1) <{outfeed_config = "b"}>
            : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
          return %o : !stablehlo.token
        }"#;
    let host = MemoryHost::default();
    host.feed("a", vec![f32s(&[1.0, 2.0])]);
    let options = Options { host: Some(&host), ..Options::default() };
    let module = module(text);
    Interpreter::new(&module, options).run_entry(&[Value::Token]).unwrap();
    assert_eq!(host.taken("b").unwrap(), [f32s(&[-1.0, -2.0])]);
    let error = Interpreter::new(&module, options).run_entry(&[Value::Token]).unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);

    let text = r#"
        func.func @main(%x: tensor<f32>) -> tensor<f32> {
          %r = stablehlo.custom_call @nobody_knows(%x) : (tensor<f32>) -> tensor<f32>
          return %r : tensor<f32>
        }"#;
    let error = run(text, &[Tensor::scalar(1.0f32)]).unwrap_err();
    assert_eq!(error.code(), Code::Unimplemented);
    assert!(error.hint().unwrap().contains("Sharding"), "{error}");
}

#[test]
fn subnormals_are_flushed_when_asked() {
    let text = "
        func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
          %p = stablehlo.multiply %x, %y : tensor<f32>
          %n = stablehlo.negate %x : tensor<f32>
          return %p, %n : tensor<f32>, tensor<f32>
        }";
    let module = module(text);
    let args = [1e-40f32, 2.0].map(|v| Value::from(Tensor::scalar(v)));
    let options = Options { flush_subnormals: true, ..Options::default() };
    let got = Interpreter::new(&module, options).run_entry(&args).unwrap();
    assert_eq!(got, [0.0f32, -1e-40].map(|v| Value::from(Tensor::scalar(v))));
    let got = Interpreter::new(&module, Options::default()).run_entry(&args).unwrap();
    assert_eq!(got[0], Tensor::scalar(1e-40f32 * 2.0).into());
}
