//! Launches are measured step by step when somebody asks, and not otherwise.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::path::Path;
use std::sync::Arc;

use tfjit::{Backend, Model, Options, Profiler, Shape, Tensor, run_module};

fn watched(backend: Backend) -> (Arc<Profiler>, Options) {
    let profiler = Arc::new(Profiler::default());
    let options = Options { backend, profiler: Some(Arc::clone(&profiler)), ..Options::default() };
    (profiler, options)
}

#[test]
fn launches_of_a_model_are_measured_by_executable() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models/mlp");
    let model = Model::read(&path, &Default::default()).unwrap();
    let (profiler, options) = watched(Backend::Local);
    let signature = model.session(&options).unwrap().signature("serving_default").unwrap();
    for rows in [1, 1, 4] {
        let x = Tensor::from_slice(Shape::new(&[rows, 3]), &vec![1.0f32; rows * 3]).unwrap();
        signature.run(&[("x", x)]).unwrap();
    }
    let programs = profiler.programs();
    assert_eq!(programs.iter().map(|p| p.launches).collect::<Vec<_>>(), [2, 1]);
    for program in &programs {
        assert!(!program.steps.is_empty());
        for step in &program.steps {
            assert_eq!(step.calls, program.launches);
            assert!(step.time <= program.time);
        }
    }
    let product = |p: usize| programs[p].steps.iter().map(|s| s.info.flops).sum::<u64>();
    assert_eq!(product(1), 4 * product(0), "work grows with the batch");
}

#[test]
fn steps_in_loops_are_counted_each_time() {
    let text = "func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.while(%i = %zero) : tensor<i32>
        cond {
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j : tensor<i32>
        }
      return %0 : tensor<i32>
    }";
    let module = tfjit_hlo::parse(text).unwrap();
    let (profiler, options) = watched(Backend::Local);
    let results = run_module(&module, &[Tensor::scalar(5i32)], &options).unwrap();
    assert_eq!(results[0].to_vec::<i32>().unwrap(), [5]);
    let programs = profiler.programs();
    let steps = &programs[0].steps;
    assert!(steps.iter().any(|s| s.info.kind == "while" && s.calls == 1), "{steps:?}");
    assert!(steps.iter().any(|s| s.info.depth == 1 && s.calls == 6), "the test: {steps:?}");
    assert!(steps.iter().any(|s| s.info.depth == 1 && s.calls == 5), "the body: {steps:?}");
}

#[test]
fn the_interpreter_has_no_steps() {
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }";
    let module = tfjit_hlo::parse(text).unwrap();
    let (profiler, options) = watched(Backend::Eval);
    run_module(&module, &[Tensor::scalar(1.0f32)], &options).unwrap();
    assert_eq!(profiler.programs(), []);
}
