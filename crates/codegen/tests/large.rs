//! Kernels that are large in some way: instructions, values at once, constants, sums, streams.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::kernels::call;
use common::{Random, emitted, eval};
use tfjit_base::{Code, DType};
use tfjit_codegen::{Target, emit};
use tfjit_plan::kernel::{Access, Axis, Binary, Kernel, Lane, Op, Reduce, Stream, Val, When};

fn stream(kernel: &mut Kernel, output: bool) -> tfjit_plan::kernel::StreamId {
    kernel.streams.push(Stream { dtype: DType::F32, output, access: Access::Unit })
}

fn add(kernel: &mut Kernel, a: Val, b: Val) -> Val {
    kernel.push(Op::Binary(Binary::Add), &[a, b], Lane::F32)
}

fn constant(kernel: &mut Kernel, value: f32) -> Val {
    kernel.push(Op::Const(value.to_bits().into()), &[], Lane::F32)
}

fn check(kernel: &Kernel) {
    kernel.verify().unwrap();
    let code = emitted(kernel);
    let mut random = Random(1);
    for (rows, cols) in [(0, 9), (1, 0), (2, 7), (3, 69)] {
        let call = call(&mut random, kernel, rows, cols);
        let (want, got) = (eval::run(kernel, &call), code.run_call(&call));
        for (want, got) in want.iter().zip(&got) {
            for (a, b) in want.chunks_exact(4).zip(got.chunks_exact(4)) {
                let float = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                assert!(a == b || (float(a).is_nan() && float(b).is_nan()), "{rows} x {cols}");
            }
        }
    }
}

/// `count` values that are all needed at the end.
fn many_at_once(count: usize) -> Kernel {
    let mut kernel = Kernel::new("many", Axis::Columns);
    let (input, output) = (stream(&mut kernel, false), stream(&mut kernel, true));
    kernel.begin(When::Each);
    let x = kernel.push(Op::Load(input), &[], Lane::F32);
    let mut values = vec![x];
    for i in 0..count {
        let c = constant(&mut kernel, i as f32);
        values.push(add(&mut kernel, values[i], c));
    }
    let mut sum = x;
    for &value in &values {
        sum = add(&mut kernel, sum, value);
    }
    kernel.push(Op::Store(output), &[sum], Lane::F32);
    kernel
}

#[test]
fn values_at_once() {
    check(&many_at_once(20));
    check(&many_at_once(1000));
}

#[test]
fn more_values_than_the_stack_may_hold_are_an_error() {
    let emitted = emit(&[&many_at_once(20_000)], Target::X64Avx2).unwrap();
    assert_eq!(emitted.entries[0].as_ref().unwrap_err().code(), Code::Unimplemented);
    assert!(emitted.artifact.code.is_empty());
}

#[test]
fn instructions() {
    let mut kernel = Kernel::new("long", Axis::Rows);
    let (input, output) = (stream(&mut kernel, false), stream(&mut kernel, true));
    kernel.begin(When::Each);
    let x = kernel.push(Op::Load(input), &[], Lane::F32);
    let mut sum = x;
    for i in 0..10_000 {
        let c = constant(&mut kernel, (i % 100) as f32);
        let product = kernel.push(Op::Fma, &[sum, c, x], Lane::F32);
        sum = add(&mut kernel, product, c);
    }
    kernel.push(Op::Store(output), &[sum], Lane::F32);
    check(&kernel);
}

#[test]
fn reductions() {
    for axis in [Axis::Columns, Axis::Rows] {
        let mut kernel = Kernel::new("sums", axis);
        let (input, output) = (stream(&mut kernel, false), stream(&mut kernel, true));
        kernel.begin(When::Each);
        let x = kernel.push(Op::Load(input), &[], Lane::F32);
        let ops = [Reduce::Sum, Reduce::Min, Reduce::Max, Reduce::Product];
        let sums: Vec<Val> = (0..40)
            .map(|i| {
                let c = constant(&mut kernel, i as f32);
                let y = add(&mut kernel, x, c);
                kernel.push(Op::Reduce(ops[i % 4]), &[y], Lane::F32)
            })
            .collect();
        kernel.begin(When::Each);
        let mut sum = kernel.push(Op::Load(input), &[], Lane::F32);
        for value in sums {
            sum = add(&mut kernel, sum, value);
        }
        kernel.push(Op::Store(output), &[sum], Lane::F32);
        check(&kernel);
    }
}

#[test]
fn streams() {
    for axis in [Axis::Columns, Axis::Rows] {
        let mut kernel = Kernel::new("streams", axis);
        let inputs: Vec<_> = (0..25).map(|_| stream(&mut kernel, false)).collect();
        let outputs: Vec<_> = (0..25).map(|_| stream(&mut kernel, true)).collect();
        kernel.begin(When::Each);
        let mut sum = constant(&mut kernel, 0.0);
        for (&input, &output) in inputs.iter().zip(&outputs) {
            let x = kernel.push(Op::Load(input), &[], Lane::F32);
            sum = add(&mut kernel, sum, x);
            kernel.push(Op::Store(output), &[sum], Lane::F32);
        }
        check(&kernel);
    }
}

#[test]
fn constants_are_stored_once() {
    let mut kernel = Kernel::new("constants", Axis::Columns);
    let (input, output) = (stream(&mut kernel, false), stream(&mut kernel, true));
    kernel.begin(When::Each);
    let mut sum = kernel.push(Op::Load(input), &[], Lane::F32);
    for i in 0..600 {
        let c = constant(&mut kernel, (i % 300) as f32);
        sum = add(&mut kernel, sum, c);
    }
    kernel.push(Op::Store(output), &[sum], Lane::F32);
    check(&kernel);
    let code = emit(&[&kernel], Target::X64Avx2).unwrap().artifact.code;
    let bits = 299f32.to_le_bytes().repeat(8);
    assert_eq!(code.windows(32).filter(|w| *w == bits).count(), 1);
}
