//! Weights that kernels read in packed form are given up once packed, unless something else reads
//! them: results must not change with who reads them.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_base::{Result, Shape, Tensor};
use tfjit_client::{Argument, Buffer, Client, CompileOptions, Executable, ExecuteOptions};
use tfjit_local::{LocalClient, LocalOptions};

/// `x * w`, and whatever `more` returns; `w` is a constant of 2 by 3.
fn compile(more: &str, results: &str, types: &str) -> std::sync::Arc<dyn Executable> {
    let text = format!(
        "func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x3xf32>{types}) {{
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : \
  (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  {more}
  return %y{results} : tensor<2x3xf32>{types}
}}"
    );
    let module = tfjit_hlo::parse(&text).unwrap();
    let options = LocalOptions { optimise: false, ..LocalOptions::default() };
    LocalClient::new(options).compile(module, &CompileOptions::default()).unwrap()
}

fn run(executable: &dyn Executable) -> Result<Vec<Vec<f32>>> {
    let x = Tensor::from_slice(Shape::new(&[2, 2]), &[1.0f32, 0.0, 1.0, 1.0])?;
    let argument = Argument { buffer: Buffer::Host(x), donate: false };
    let results = executable.execute(vec![argument].into(), &ExecuteOptions::default())?;
    results.iter().map(|buffer| buffer.to_host()?.to_vec::<f32>()).collect()
}

const PRODUCT: [f32; 6] = [1.0, 2.0, 3.0, 5.0, 7.0, 9.0];

#[test]
fn a_weight_that_is_only_packed_is_given_up() {
    let executable = compile("", "", "");
    assert_eq!(executable.memory().constant_bytes, 0);
    for _ in 0..2 {
        assert_eq!(run(&*executable).unwrap(), [PRODUCT]);
    }
}

#[test]
fn a_weight_that_is_read_otherwise_is_kept() {
    let weights = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let returned = compile("", ", %w", ", tensor<2x3xf32>");
    assert_eq!(returned.memory().constant_bytes, 24);
    assert_eq!(run(&*returned).unwrap(), [PRODUCT, weights]);
    let add = "%s = stablehlo.add %y, %w : tensor<2x3xf32>";
    let added = compile(add, ", %s", ", tensor<2x3xf32>");
    let sums: Vec<f32> = PRODUCT.iter().zip(weights).map(|(a, b)| a + b).collect();
    assert_eq!(run(&*added).unwrap(), [PRODUCT.to_vec(), sums]);
}

#[test]
fn a_weight_of_two_products_is_packed_for_both() {
    let again = "%z = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : \
                 (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>";
    let executable = compile(again, ", %z", ", tensor<2x3xf32>");
    let transposed = vec![5.0, 7.0, 9.0, 4.0, 5.0, 6.0];
    assert_eq!(run(&*executable).unwrap(), [PRODUCT.to_vec(), transposed]);
}
