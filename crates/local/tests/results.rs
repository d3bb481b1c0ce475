//! Arguments and results that share memory, are nothing, or are too much.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod launch;

use launch::{bool_scalar, floats, launch, module, run};
use tfjit_base::{Code, DType, Shape, Tensor};
use tfjit_client::{Argument, Buffer, Client, CompileOptions, ExecuteOptions};
use tfjit_local::{LocalClient, LocalOptions};

fn client() -> LocalClient {
    LocalClient::new(LocalOptions::default())
}

fn f32s(values: &[f32]) -> Tensor {
    Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
}

#[test]
fn one_value_as_two_results() {
    let text = "
        func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
          %y = stablehlo.add %x, %x : tensor<3xf32>
          return %y, %x, %y : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
        }";
    let got = run(&client(), text, &[f32s(&[1.0, 2.0, 3.0])]).unwrap();
    let twice = f32s(&[2.0, 4.0, 6.0]);
    assert_eq!(got, [twice.clone(), f32s(&[1.0, 2.0, 3.0]), twice]);
}

#[test]
fn parameters_as_results_in_another_order() {
    let text = "
        func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>)
            -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
          return %y, %x, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
        }";
    let (x, y) = (f32s(&[1.0, 2.0]), f32s(&[3.0, 4.0]));
    assert_eq!(run(&client(), text, &[x.clone(), y.clone()]).unwrap(), [y.clone(), x, y]);
}

#[test]
fn constants_as_results() {
    let text = "
        func.func @main() -> (tensor<2xi32>, tensor<3xf32>, tensor<2xi32>, tensor<i1>) {
          %a = stablehlo.constant dense<[7, -8]> : tensor<2xi32>
          %b = stablehlo.constant dense<2.5> : tensor<3xf32>
          %c = stablehlo.constant dense<true> : tensor<i1>
          return %a, %b, %a, %c : tensor<2xi32>, tensor<3xf32>, tensor<2xi32>, tensor<i1>
        }";
    let client = client();
    let executable = client.compile(module(text), &CompileOptions::default()).unwrap();
    // A caller may write to what it got; the next launch must not see it.
    for _ in 0..2 {
        let mut got = launch(&*executable, &[], 1).unwrap();
        assert_eq!(got[0].to_i64s().unwrap(), [7, -8]);
        assert_eq!(got[1], f32s(&[2.5; 3]));
        assert_eq!(got[2], got[0]);
        assert_eq!(got[3], bool_scalar(true));
        for tensor in &mut got {
            if let Some(bytes) = tensor.unique_bytes() {
                bytes.fill(0);
            }
        }
    }
}

#[test]
fn views_as_results() {
    let text = "
        func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<3x2xf32>, tensor<2xf32>,
            tensor<2x3xf32>, tensor<2x2x3xf32>, tensor<1x3x2xf32>) {
          %a = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
          %b = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
          %c = stablehlo.slice %a [1:6:4] : (tensor<6xf32>) -> tensor<2xf32>
          %d = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>
          %e = stablehlo.broadcast_in_dim %x, dims = [0, 2]
            : (tensor<2x3xf32>) -> tensor<2x2x3xf32>
          %f = stablehlo.reshape %b : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
          return %a, %b, %c, %d, %e, %f : tensor<6xf32>, tensor<3x2xf32>, tensor<2xf32>,
            tensor<2x3xf32>, tensor<2x2x3xf32>, tensor<1x3x2xf32>
        }";
    let x = Tensor::from_slice(Shape::new(&[2, 3]), &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let got = run(&client(), text, &[x]).unwrap();
    let values: Vec<Vec<f32>> = got.iter().map(|t| t.to_vec::<f32>().unwrap()).collect();
    assert_eq!(values[0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(values[1], [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(values[2], [2.0, 6.0]);
    assert_eq!(values[3], [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    let repeated = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 5.0, 6.0];
    assert_eq!(values[4], repeated);
    assert_eq!(values[5], values[1]);
    assert_eq!(got[5].shape().dims(), [1, 3, 2]);
}

#[test]
fn one_tensor_as_several_arguments() {
    let text = "
        func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
          %a = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
          %s = stablehlo.subtract %a, %y : tensor<4xf32>
          return %s, %y : tensor<4xf32>, tensor<4xf32>
        }";
    let x = f32s(&[1.0, 2.0, 3.0, 4.0]);
    let got = run(&client(), text, &[x.clone(), x.clone()]).unwrap();
    assert_eq!(got, [f32s(&[3.0, 1.0, -1.0, -3.0]), x]);
}

#[test]
fn donated_arguments() {
    let text = "
        func.func @main(%x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
          %a = stablehlo.reverse %x, dims = [0] : tensor<1000xf32>
          %s = stablehlo.add %x, %x : tensor<1000xf32>
          return %s, %a : tensor<1000xf32>, tensor<1000xf32>
        }";
    let client = client();
    let executable = client.compile(module(text), &CompileOptions::default()).unwrap();
    let kept = floats(&[1000]);
    let want = launch(&*executable, std::slice::from_ref(&kept), 1).unwrap();
    // Memory that only the launch has, and memory that the caller has too.
    for give in [floats(&[1000]), kept.clone()] {
        let argument = Argument { buffer: Buffer::Host(give), donate: true };
        let got = executable.execute(vec![argument].into(), &ExecuteOptions::default()).unwrap();
        let got: Vec<Tensor> = got.iter().map(|b| b.to_host().unwrap()).collect();
        assert_eq!(got, want);
    }
    assert_eq!(kept, floats(&[1000]));
    // The results of one launch are the arguments of the next.
    let mut state = vec![floats(&[1000])];
    for _ in 0..4 {
        let argument = Argument { buffer: Buffer::Host(state.remove(0)), donate: true };
        let got = executable.execute(vec![argument].into(), &ExecuteOptions::default()).unwrap();
        state = got.iter().map(|b| b.to_host().unwrap()).collect();
    }
    let first = |t: &Tensor| t.as_slice::<f32>().unwrap()[0];
    assert_eq!(first(&state[0]), first(&kept) * 16.0);
}

#[test]
fn results_outlive_launches_and_programs() {
    let text = "
        func.func @main(%x: tensor<500xf32>) -> tensor<500xf32> {
          %s = stablehlo.add %x, %x : tensor<500xf32>
          return %s : tensor<500xf32>
        }";
    let client = client();
    let executable = client.compile(module(text), &CompileOptions::default()).unwrap();
    let all: Vec<Tensor> = (0..5)
        .map(|i| {
            let x = Tensor::from_slice(Shape::new(&[500]), &[i as f32; 500]).unwrap();
            launch(&*executable, &[x], 1).unwrap().remove(0)
        })
        .collect();
    drop((executable, client));
    for (i, t) in all.iter().enumerate() {
        assert_eq!(t.to_vec::<f32>().unwrap(), [2.0 * i as f32; 500]);
    }
}

#[test]
fn tensors_without_elements() {
    let text = "
        func.func @main(%x: tensor<0x3xf32>, %w: tensor<3x4xf32>, %n: tensor<5x0xf32>)
            -> (tensor<0x4xf32>, tensor<0x3xf32>, tensor<3xf32>, tensor<5x5xf32>, tensor<0xf32>) {
          %zero = stablehlo.constant dense<1.5> : tensor<f32>
          %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
            : (tensor<0x3xf32>, tensor<3x4xf32>) -> tensor<0x4xf32>
          %e = stablehlo.exponential %x : tensor<0x3xf32>
          %r = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0]
            : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
          %p = stablehlo.dot_general %n, %n, contracting_dims = [1] x [1]
            : (tensor<5x0xf32>, tensor<5x0xf32>) -> tensor<5x5xf32>
          %f = stablehlo.reshape %a : (tensor<0x4xf32>) -> tensor<0xf32>
          return %a, %e, %r, %p, %f : tensor<0x4xf32>, tensor<0x3xf32>, tensor<3xf32>,
            tensor<5x5xf32>, tensor<0xf32>
        }";
    let zeros = |dims: &[usize]| Tensor::zeros(DType::F32, Shape::new(dims)).unwrap();
    let args = [zeros(&[0, 3]), floats(&[3, 4]), zeros(&[5, 0])];
    for codegen in [true, false] {
        let client = LocalClient::new(LocalOptions { codegen, ..LocalOptions::default() });
        let got = run(&client, text, &args).unwrap();
        assert_eq!(got[0].shape().dims(), [0, 4]);
        assert_eq!(got[1].shape().dims(), [0, 3]);
        assert_eq!(got[2], f32s(&[1.5; 3]));
        assert_eq!(got[3], zeros(&[5, 5]));
        assert_eq!(got[4].shape().dims(), [0]);
    }
}

#[test]
fn too_large_tensors_are_refused() {
    let result = "
        func.func @main(%x: tensor<f32>) -> tensor<4194304x4194304xf32> {
          %a = stablehlo.broadcast_in_dim %x, dims = []
            : (tensor<f32>) -> tensor<4194304x4194304xf32>
          return %a : tensor<4194304x4194304xf32>
        }";
    let between = "
        func.func @main(%x: tensor<8388608xf32>) -> tensor<8388608xf32> {
          %p = stablehlo.dot_general %x, %x, contracting_dims = [] x []
            : (tensor<8388608xf32>, tensor<8388608xf32>) -> tensor<8388608x8388608xf32>
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %r = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1]
            : (tensor<8388608x8388608xf32>, tensor<f32>) -> tensor<8388608xf32>
          return %r : tensor<8388608xf32>
        }";
    let endless = "
        func.func @main(%x: tensor<f32>) -> tensor<4294967296x4294967296x16xf32> {
          %a = stablehlo.broadcast_in_dim %x, dims = []
            : (tensor<f32>) -> tensor<4294967296x4294967296x16xf32>
          return %a : tensor<4294967296x4294967296x16xf32>
        }";
    for text in [result, between, endless] {
        let module = tfjit_hlo::parse(text).unwrap();
        let error = client().compile(module, &CompileOptions::default()).err().unwrap();
        assert_eq!(error.code(), Code::ResourceExhausted, "{error}");
    }
}

#[test]
fn memory_is_bounded_by_the_option() {
    let text = "
        func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
          %s = stablehlo.add %x, %x : tensor<1000xf32>
          return %s : tensor<1000xf32>
        }";
    let options = |bytes| LocalOptions { memory_bytes_max: Some(bytes), ..Default::default() };
    assert!(run(&LocalClient::new(options(1 << 20)), text, &[floats(&[1000])]).is_ok());
    let error = run(&LocalClient::new(options(3000)), text, &[floats(&[1000])]).unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted, "{error}");
}

#[test]
fn wrong_arguments_are_refused() {
    let text = "
        func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %s = stablehlo.add %x, %x : tensor<3xf32>
          return %s : tensor<3xf32>
        }";
    let wrong = [vec![], vec![f32s(&[1.0; 4])], vec![f32s(&[1.0; 3]), f32s(&[1.0; 3])]];
    for args in wrong {
        assert_eq!(run(&client(), text, &args).unwrap_err().code(), Code::InvalidArgument);
    }
    let text = Tensor::strings(Shape::scalar(), vec![b"x".to_vec()]).unwrap();
    assert_eq!(client().buffer(&text, 0).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(client().buffer(&f32s(&[1.0]), 1).unwrap_err().code(), Code::InvalidArgument);
}
