//! Collectives of the interpreter with subnormal numbers: loops over types and regions agree.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_base::{Shape, Tensor};
use tfjit_eval::{Options, Program, Value, run_parallel};

const SUMS: &str = r#"
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %q = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    %m = stablehlo.maximum %s, %s : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %r, %q : tensor<4xf32>, tensor<4xf32>
}"#;

#[test]
fn sums_flush_as_their_regions_do() {
    let module = tfjit_hlo::parse(SUMS).unwrap();
    let tiny = f32::from_bits(1);
    let least = f32::MIN_POSITIVE;
    let rows = [[tiny, 1.0, least, -tiny], [tiny, tiny, -least * 1.5, 3.0], [tiny, 1.0, 1.0, tiny]];
    for flush_subnormals in [false, true] {
        let programs = rows.iter().map(|row| {
            let x = Tensor::from_slice(Shape::new(&[4]), row).unwrap();
            vec![Program { func: "main", args: vec![Value::Tensor(x)] }]
        });
        let options = Options { flush_subnormals, ..Options::default() };
        let results = run_parallel(&module, programs.collect(), options).unwrap();
        for result in &results {
            let (fast, region) = (result[0].tensor().unwrap(), result[1].tensor().unwrap());
            assert_eq!(fast.bytes(), region.bytes(), "flush {flush_subnormals}");
            let sum = fast.as_slice::<f32>().unwrap()[0];
            assert_eq!(sum == 0.0, flush_subnormals);
        }
    }
}
