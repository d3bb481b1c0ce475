//! Executables as bytes: what is loaded does what was written, and damage is an error.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod launch;

use std::sync::Arc;

use launch::{floats, launch, module};
use tfjit_base::{AlignedBytes, Bytes, Code, Result, Shape, Tensor};
use tfjit_client::{Client, CompileOptions, Executable};
use tfjit_hlo::{Module, SplitMix, TensorType, random_program};
use tfjit_local::{EvalClient, LocalClient, LocalOptions};
use tfjit_plan::artifact::container::reseal;

fn client(codegen: bool) -> LocalClient {
    LocalClient::new(LocalOptions { codegen, ..LocalOptions::default() })
}

fn compile(client: &dyn Client, module: Module) -> Result<Arc<dyn Executable>> {
    client.compile(module, &CompileOptions::default())
}

fn read(client: &dyn Client, bytes: &[u8]) -> Result<Arc<dyn Executable>> {
    client.deserialize(bytes, &CompileOptions::default())
}

/// Small numbers as elements of any type.
fn argument(ty: &TensorType, rng: &mut SplitMix) -> Tensor {
    let shape = ty.shape().unwrap();
    let values: Vec<f64> = (0..shape.elements()).map(|_| rng.between(-6, 6) as f64 / 2.0).collect();
    let x = Tensor::from_slice(shape, &values).unwrap();
    let to = [ty.with_dtype(ty.dtype)];
    tfjit_eval::eval_inst(&tfjit_hlo::Op::Convert, &[&x], &to).unwrap().remove(0)
}

/// Whether two executables give the same bits, or fail with the same error.
fn same(a: &dyn Executable, b: &dyn Executable, args: &[Tensor], threads: usize) {
    match (launch(a, args, threads), launch(b, args, threads)) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(&b) {
                assert_eq!((a.dtype(), a.shape(), a.bytes()), (b.dtype(), b.shape(), b.bytes()));
            }
        }
        (Err(a), Err(b)) => assert_eq!(a.code(), b.code()),
        (a, b) => panic!("{a:?} and {b:?}"),
    }
}

/// Writes and reads a program in all ways, and compares.
fn round_trip(module: &Module, codegen: bool, args: &[Tensor]) {
    let first = match compile(&client(codegen), module.clone()) {
        Ok(first) => first,
        // What the compiler does not take; its own plans pass the check.
        Err(error) => return assert_ne!(error.code(), Code::Internal, "{error}\n{module}"),
    };
    let bytes = first.serialize().unwrap_or_else(|e| panic!("{e}\n{module}"));
    let other = client(codegen);
    let second = read(&other, &bytes).unwrap_or_else(|e| panic!("{e}\n{module}"));
    assert_eq!(other.kernels_emitted(), 0);
    assert_eq!(first.parameters(), second.parameters());
    assert_eq!(first.results(), second.results());
    assert_eq!(first.steps(), second.steps());
    assert_eq!(first.memory().arena_bytes, second.memory().arena_bytes);
    same(&*first, &*second, args, 1);
    same(&*first, &*second, args, 2);
    assert!(second.serialize().unwrap() == bytes, "written again it differs:\n{module}");
    let shared = Bytes::from(AlignedBytes::copy_of(&bytes).unwrap());
    let third = other.deserialize_shared(&shared, &CompileOptions::default()).unwrap();
    drop(shared);
    same(&*first, &*third, args, 1);
    assert!(third.serialize().unwrap() == bytes);
}

fn programs(default: u64) -> u64 {
    let set = tfjit_base::knobs::FUZZ_PROGRAMS.get();
    set.and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn random_round_trips(codegen: bool, first: u64, count: u64) {
    for seed in first..first + count {
        let module = random_program(seed, 30);
        let mut rng = SplitMix::new(seed);
        let types = module.entry().unwrap().param_types();
        let args: Vec<Tensor> =
            types.map(|ty| argument(ty.as_tensor().unwrap(), &mut rng)).collect();
        round_trip(&module, codegen, &args);
    }
}

#[test]
fn random_programs_come_back() {
    random_round_trips(true, 0, programs(800));
}

#[test]
fn random_programs_of_interpreted_kernels_come_back() {
    random_round_trips(false, 50_000, programs(800) / 4);
}

/// `x * 2 + 1`.
const SMALLEST: &str = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.constant dense<2.0> : tensor<4xf32>
  %b = stablehlo.constant dense<1.0> : tensor<4xf32>
  %y = stablehlo.multiply %x, %a : tensor<4xf32>
  %z = stablehlo.add %y, %b : tensor<4xf32>
  return %z : tensor<4xf32>
}";

/// Two products with weights, one of them read twice, a function and a sum.
const LAYERS: &str = "func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4x4xf32>) {
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [4.0, 5.0, 6.0, 7.0], [0.1, 0.2, 0.3, 0.4],
    [9.0, 8.0, 7.0, 6.0]]> : tensor<4x4xf32>
  %v = stablehlo.constant dense<[[1.5, 2.0, 3.0, 4.0], [4.0, 5.5, 6.0, 7.0], [0.1, 0.2, 0.5, 0.4],
    [9.0, 8.0, 7.0, 6.5]]> : tensor<4x4xf32>
  %b = stablehlo.constant dense<[0.5, 0.25, 0.125, 1.0]> : tensor<4xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %hb = stablehlo.add %h, %bb : tensor<3x4xf32>
  %t = stablehlo.tanh %hb : tensor<3x4xf32>
  %y = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0]
    : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  return %y, %w : tensor<3x4xf32>, tensor<4x4xf32>
}";

/// A loop with a product in it and a branch.
const CONTROL: &str = "func.func @main(%n: tensor<i32>, %x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w = stablehlo.constant dense<[[0.5, 0.25], [0.125, 1.0]]> : tensor<2x2xf32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<2x2xf32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %p = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0]
        : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %even = stablehlo.remainder %i, %one : tensor<i32>
      %q = \"stablehlo.case\"(%even) ({
        %s = stablehlo.sine %p : tensor<2x2xf32>
        stablehlo.return %s : tensor<2x2xf32>
      }, {
        stablehlo.return %p : tensor<2x2xf32>
      }) : (tensor<i32>) -> tensor<2x2xf32>
      stablehlo.return %j, %q : tensor<i32>, tensor<2x2xf32>
    }
  return %r#1 : tensor<2x2xf32>
}";

/// What has no step of its own: a sort.
const SORTED: &str = "func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {
  %y = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<9xf32>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}";

/// A convolution with a filter and a pooling.
const IMAGE: &str = "func.func @main(%x: tensor<1x6x6x2xf32>) -> tensor<1x3x3x3xf32> {
  %f = stablehlo.constant dense<0.25> : tensor<3x3x2x3xf32>
  %y = stablehlo.convolution(%x, %f) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x6x6x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x6x6x3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<1x6x6x3xf32>
  %r = stablehlo.maximum %y, %z : tensor<1x6x6x3xf32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = \"stablehlo.reduce_window\"(%r, %i) <{window_dimensions = array<i64: 1, 2, 2, 1>,
    window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x6x6x3xf32>, tensor<f32>) -> tensor<1x3x3x3xf32>
  return %p : tensor<1x3x3x3xf32>
}";

/// Rows that indices choose, of a constant and of a parameter.
const ROWS: &str = "func.func @main(%i: tensor<3x1xi32>, %x: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %y = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>}> : (tensor<5x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}";

/// Written programs and arguments for them.
fn written() -> Vec<(&'static str, Vec<Tensor>)> {
    let indices = Tensor::from_slice(Shape::new(&[3, 1]), &[4i32, 0, 9]).unwrap();
    vec![
        (SMALLEST, vec![floats(&[4])]),
        (LAYERS, vec![floats(&[3, 4])]),
        (CONTROL, vec![Tensor::scalar(5i32), floats(&[2, 2])]),
        (SORTED, vec![floats(&[9])]),
        (IMAGE, vec![floats(&[1, 6, 6, 2])]),
        (ROWS, vec![indices, floats(&[5, 2])]),
    ]
}

#[test]
fn written_programs_come_back() {
    for (text, args) in written() {
        for codegen in [true, false] {
            round_trip(&module(text), codegen, &args);
        }
    }
}

#[test]
fn explanations_and_texts_come_back() {
    let options = CompileOptions { keep_text: true, ..CompileOptions::default() };
    for (text, _) in written() {
        let first = client(true).compile(module(text), &options).unwrap();
        let bytes = first.serialize().unwrap();
        let second = client(true).deserialize(&bytes, &options).unwrap();
        for stage in ["optimise", "plan", "kernels", "asm", "explain"] {
            assert_eq!(first.text(stage), second.text(stage), "{stage} of\n{text}");
            assert!(first.text(stage).is_some());
        }
        // Without texts it is the same program, and the file's texts are not lost.
        let third = read(&client(true), &bytes).unwrap();
        assert_eq!(third.text("explain"), None);
        assert!(third.serialize().unwrap() == bytes);
        let bare = compile(&client(true), module(text)).unwrap().serialize().unwrap();
        let fourth = client(true).deserialize(&bare, &options).unwrap();
        assert_eq!(fourth.text("explain"), first.text("explain"));
        assert_eq!(fourth.text("optimise"), None);
    }
}

#[test]
fn kernels_of_a_file_serve_later_programs() {
    let bytes = compile(&client(true), module(SMALLEST)).unwrap().serialize().unwrap();
    let other = client(true);
    let _loaded = read(&other, &bytes).unwrap();
    compile(&other, module(SMALLEST)).unwrap();
    assert_eq!(other.kernels_emitted(), 0);
}

#[test]
fn a_file_of_another_client_is_refused() {
    let (native, interpreted) = (client(true), client(false));
    if native.fingerprint() == interpreted.fingerprint() {
        // No code is made for this processor.
        return;
    }
    let bytes = compile(&interpreted, module(SMALLEST)).unwrap().serialize().unwrap();
    let error = read(&native, &bytes).err().unwrap();
    assert_eq!(error.code(), Code::FailedPrecondition);
    for name in [native.fingerprint(), interpreted.fingerprint()] {
        assert!(error.message().contains(&format!("'{name}'")), "{error}");
    }
    let bytes = compile(&EvalClient, module(SMALLEST)).unwrap().serialize().unwrap();
    read(&native, &bytes).unwrap();
    let bytes = compile(&native, module(SMALLEST)).unwrap().serialize().unwrap();
    assert_eq!(read(&EvalClient, &bytes).err().unwrap().code(), Code::FailedPrecondition);
}

#[test]
fn programs_of_the_interpreter_come_back() {
    for (text, args) in written() {
        let first = compile(&EvalClient, module(text)).unwrap();
        let bytes = first.serialize().unwrap();
        let second = read(&EvalClient, &bytes).unwrap();
        same(&*first, &*second, &args, 1);
        assert!(second.serialize().unwrap() == bytes);
        for len in (0..bytes.len()).step_by(7) {
            assert!(read(&EvalClient, &bytes[..len]).is_err());
        }
    }
    // Results of any size: what the compiler leaves to the interpreter.
    let text = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    }";
    let native = client(true);
    let bytes = compile(&native, module(text)).unwrap().serialize().unwrap();
    let loaded = read(&native, &bytes).unwrap();
    assert_eq!(launch(&*loaded, &[floats(&[3])], 1).unwrap(), [floats(&[3])]);
}

#[test]
fn files_that_end_early_are_damaged() {
    for (text, _) in written() {
        let bytes = compile(&client(true), module(text)).unwrap().serialize().unwrap();
        let client = client(true);
        for len in 0..bytes.len() {
            let error = read(&client, &bytes[..len]).err().unwrap();
            assert_eq!(error.code(), Code::DataLoss, "{len}: {error}");
        }
        let more = [&bytes[..], &[0]].concat();
        assert_eq!(read(&client, &more).err().unwrap().code(), Code::DataLoss);
    }
}

#[test]
fn every_changed_bit_is_found() {
    for text in [SMALLEST, LAYERS] {
        let bytes = compile(&client(true), module(text)).unwrap().serialize().unwrap();
        let client = client(true);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let error = read(&client, &damaged).err().unwrap();
            let known = [Code::DataLoss, Code::FailedPrecondition];
            assert!(known.contains(&error.code()), "bit {bit}: {error}");
        }
    }
}

/// Reads a file whose checksums are right; runs what is accepted, if it ends.
fn read_resealed(client: &LocalClient, mut bytes: Vec<u8>, args: &[Tensor], ends: bool) -> bool {
    reseal(&mut bytes);
    match read(client, &bytes) {
        Ok(executable) => {
            let written = executable.serialize().unwrap();
            // Modules of the interpreter's steps are text, which says the same in several ways.
            if written != bytes {
                let text = String::from_utf8_lossy(&bytes).contains("stablehlo.");
                assert!(text, "an accepted file is not what is written again");
                assert!(read(client, &written).unwrap().serialize().unwrap() == written);
            }
            if ends {
                // Wrong results are fine, and so are errors.
                let _ = launch(&*executable, args, 1);
            }
            true
        }
        Err(error) => {
            let known = [Code::DataLoss, Code::FailedPrecondition, Code::ResourceExhausted];
            assert!(known.contains(&error.code()), "{error}");
            false
        }
    }
}

/// What the validator lets through behind right checksums stays in its own memory. Kernels are
/// interpreted: machine code is not judged.
#[test]
fn changed_bits_behind_right_checksums_do_no_harm() {
    let options = LocalOptions { codegen: false, ..LocalOptions::default() };
    let options = LocalOptions { memory_bytes_max: Some(1 << 26), ..options };
    for (text, args) in written() {
        let bytes = compile(&client(false), module(text)).unwrap().serialize().unwrap();
        let client = LocalClient::new(options.clone());
        let ends = !text.contains("while");
        let mut accepted = 0;
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            accepted += usize::from(read_resealed(&client, damaged, &args, ends));
        }
        assert!(accepted > 0, "no change was accepted");
    }
}

#[test]
fn changed_bytes_behind_right_checksums_do_no_harm() {
    let options = LocalOptions { codegen: false, ..LocalOptions::default() };
    let client = LocalClient::new(LocalOptions { memory_bytes_max: Some(1 << 26), ..options });
    let mut rng = SplitMix::new(1);
    for seed in 0..programs(800) / 20 {
        let module = random_program(seed, 12);
        let types: Vec<_> = module.entry().unwrap().param_types().cloned().collect();
        let args: Vec<Tensor> =
            types.iter().map(|ty| argument(ty.as_tensor().unwrap(), &mut rng)).collect();
        let ends = !module.to_string().contains("while");
        let Ok(whole) = compile(&client, module) else { continue };
        let bytes = whole.serialize().unwrap();
        for _ in 0..200 {
            let mut damaged = bytes.clone();
            for _ in 0..rng.between(1, 3) {
                let at = rng.between(0, damaged.len() as i64 - 1) as usize;
                damaged[at] = match rng.between(0, 3) {
                    0 => 0,
                    1 => 0xff,
                    2 => 0x7f,
                    _ => rng.between(0, 255) as u8,
                };
            }
            read_resealed(&client, damaged, &args, ends);
        }
    }
}
