//! What batch sizes, threads and repetition may not change: machine code and bits.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod launch;

use launch::{floats, launch, module};
use tfjit_base::Tensor;
use tfjit_client::{Client, CompileOptions};
use tfjit_hlo::Module;
use tfjit_local::{LocalClient, LocalOptions};

/// Two dense layers and a softmax.
const MLP: &str = "
func.func @main(%x: tensor<Bx37xf32>, %w: tensor<37x50xf32>, %c: tensor<50xf32>,
    %v: tensor<50x11xf32>) -> tensor<Bx11xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<Bx37xf32>, tensor<37x50xf32>) -> tensor<Bx50xf32>
  %cs = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<50xf32>) -> tensor<Bx50xf32>
  %s = stablehlo.add %h, %cs : tensor<Bx50xf32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<Bx50xf32>
  %r = stablehlo.maximum %s, %zeros : tensor<Bx50xf32>
  %y = stablehlo.dot_general %r, %v, contracting_dims = [1] x [0]
    : (tensor<Bx50xf32>, tensor<50x11xf32>) -> tensor<Bx11xf32>
  %m = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<Bx11xf32>, tensor<f32>) -> tensor<Bxf32>
  %ms = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<Bxf32>) -> tensor<Bx11xf32>
  %d = stablehlo.subtract %y, %ms : tensor<Bx11xf32>
  %e = stablehlo.exponential %d : tensor<Bx11xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<Bx11xf32>, tensor<f32>) -> tensor<Bxf32>
  %ts = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<Bxf32>) -> tensor<Bx11xf32>
  %p = stablehlo.divide %e, %ts : tensor<Bx11xf32>
  return %p : tensor<Bx11xf32>
}";

/// A convolution, a bias, an activation, pooling, and the mean of an image.
const CONVOLUTION: &str = "
func.func @main(%x: tensor<Bx13x11x3xf32>, %k: tensor<3x3x3x8xf32>, %c: tensor<8xf32>)
    -> (tensor<Bx6x5x8xf32>, tensor<Bx8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = stablehlo.convolution(%x, %k)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<Bx13x11x3xf32>, tensor<3x3x3x8xf32>) -> tensor<Bx13x11x8xf32>
  %cs = stablehlo.broadcast_in_dim %c, dims = [3] : (tensor<8xf32>) -> tensor<Bx13x11x8xf32>
  %s = stablehlo.add %y, %cs : tensor<Bx13x11x8xf32>
  %t = stablehlo.tanh %s : tensor<Bx13x11x8xf32>
  %p = \"stablehlo.reduce_window\"(%t, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>,
      window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<Bx13x11x8xf32>, tensor<f32>) -> tensor<Bx6x5x8xf32>
  %n = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1, 2]
    : (tensor<Bx13x11x8xf32>, tensor<f32>) -> tensor<Bx8xf32>
  return %p, %n : tensor<Bx6x5x8xf32>, tensor<Bx8xf32>
}";

fn of_batch(text: &str, batch: usize) -> Module {
    module(&text.replace("<Bx", &format!("<{batch}x")))
}

fn arguments(module: &Module) -> Vec<Tensor> {
    let types = module.entry().unwrap().param_types();
    types.map(|ty| floats(ty.as_tensor().unwrap().shape().unwrap().dims())).collect()
}

#[test]
fn a_second_batch_size_emits_nothing() {
    for (name, text) in [("mlp", MLP), ("convolution", CONVOLUTION)] {
        let client = LocalClient::new(LocalOptions::default());
        let options = CompileOptions::default();
        client.compile(of_batch(text, 2), &options).unwrap();
        let emitted = client.kernels_emitted();
        assert!(emitted > 0, "{name} has no kernels");
        for batch in [8, 3, 64, 2] {
            client.compile(of_batch(text, batch), &options).unwrap();
            assert_eq!(client.kernels_emitted(), emitted, "{name}, batch {batch}");
        }
    }
}

#[test]
fn a_batch_of_one_shares_its_kernels() {
    for (name, text) in [("mlp", MLP), ("convolution", CONVOLUTION)] {
        let client = LocalClient::new(LocalOptions::default());
        let options = CompileOptions::default();
        client.compile(of_batch(text, 1), &options).unwrap();
        let emitted = client.kernels_emitted();
        client.compile(of_batch(text, 8), &options).unwrap();
        assert_eq!(client.kernels_emitted(), emitted, "{name}");
    }
}

#[test]
fn bits_depend_neither_on_threads_nor_on_repetition() {
    for (name, text) in [("mlp", MLP), ("convolution", CONVOLUTION)] {
        for codegen in [true, false] {
            let client = LocalClient::new(LocalOptions { codegen, ..LocalOptions::default() });
            for batch in [1, 5, 64] {
                let module = of_batch(text, batch);
                let args = arguments(&module);
                let executable = client.compile(module, &CompileOptions::default()).unwrap();
                let first = launch(&*executable, &args, 1).unwrap();
                for threads in [1, 2, 4, 2, 1] {
                    let again = launch(&*executable, &args, threads).unwrap();
                    for (a, b) in first.iter().zip(&again) {
                        let same = a.bytes() == b.bytes();
                        assert!(same, "{name}, batch {batch}, {threads} threads, {codegen}");
                    }
                }
            }
        }
    }
}

#[test]
fn machine_code_and_interpreted_kernels_give_the_same_bits() {
    for (name, text) in [("mlp", MLP), ("convolution", CONVOLUTION)] {
        let module = of_batch(text, 7);
        let args = arguments(&module);
        let run = |codegen| {
            let client = LocalClient::new(LocalOptions { codegen, ..LocalOptions::default() });
            let executable = client.compile(module.clone(), &CompileOptions::default()).unwrap();
            launch(&*executable, &args, 2).unwrap()
        };
        for (a, b) in run(true).iter().zip(&run(false)) {
            assert_eq!(a.bytes(), b.bytes(), "{name}");
        }
    }
}
