//! How long passes take on programs of growing size: time a node must not grow with the program.
//!
//!     cargo run --release -p tfjit-opt --example pass_times

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for people")]

use std::time::Instant;

use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_eval::Interpreter;
use tfjit_hlo::{
    Binary, Convolution, Dims, DotGeneral, Fuel, FuncBuilder, Module, Op, Type, Unary, ValueId,
    verify,
};
use tfjit_opt::{CPU, Options, PassRow, STANDARD, optimise};

fn fold(module: &Module) -> Result<Vec<Tensor>> {
    let values = Interpreter::new(module, tfjit_eval::Options::default()).run_entry(&[])?;
    values.iter().map(|value| value.tensor().cloned()).collect()
}

fn vector(b: &mut FuncBuilder, n: usize, x: f32) -> ValueId {
    let values: Vec<f32> = (0..n).map(|i| x + i as f32 / 8.0).collect();
    b.constant(Tensor::from_slice(Shape::new(&[n]), &values).unwrap()).unwrap()
}

/// A block of a network with features first: convolution, batch normalisation, activation, sum;
/// about 20 instructions.
fn block(b: &mut FuncBuilder, x: ValueId, weights: &Tensor, i: usize) -> ValueId {
    let w = b.constant(weights.clone()).unwrap();
    let conv = Convolution {
        window_strides: Dims::from_elem(1, 2),
        padding: vec![[1, 1]; 2],
        lhs_dilation: Dims::from_elem(1, 2),
        rhs_dilation: Dims::from_elem(1, 2),
        window_reversal: vec![false; 2],
        input_batch_dimension: 0,
        input_feature_dimension: 1,
        input_spatial_dimensions: Dims::from_slice(&[2, 3]),
        kernel_input_feature_dimension: 1,
        kernel_output_feature_dimension: 0,
        kernel_spatial_dimensions: Dims::from_slice(&[2, 3]),
        output_batch_dimension: 0,
        output_feature_dimension: 1,
        output_spatial_dimensions: Dims::from_slice(&[2, 3]),
        feature_group_count: 1,
        batch_group_count: 1,
        precision: Vec::new(),
    };
    let y = b.convolution(x, w, conv, DType::F32).unwrap();
    let shape = b.shape(y).unwrap();
    let along = |b: &mut FuncBuilder, x: f32| {
        let v = vector(b, 8, x);
        b.broadcast_in_dim(v, &shape, &[1]).unwrap()
    };
    let (mean, factor, offset) = (along(b, 0.5), along(b, 0.1 + i as f32), along(b, 0.25));
    let y = b.binary(Binary::Subtract, y, mean).unwrap();
    let y = b.binary(Binary::Multiply, y, factor).unwrap();
    let y = b.binary(Binary::Add, y, offset).unwrap();
    let gate = b.unary(Unary::Logistic, y).unwrap();
    let y = b.binary(Binary::Multiply, y, gate).unwrap();
    b.binary(Binary::Add, y, x).unwrap()
}

/// A layer between reshapes; about 10 instructions.
fn layer(b: &mut FuncBuilder, x: ValueId, weights: &Tensor) -> ValueId {
    let shape = b.shape(x).unwrap();
    let flat = b.reshape(x, &Shape::new(&[16, 64])).unwrap();
    let w = b.constant(weights.clone()).unwrap();
    let dot = DotGeneral {
        lhs_contracting_dimensions: Dims::from_slice(&[1]),
        rhs_contracting_dimensions: Dims::from_slice(&[0]),
        ..DotGeneral::default()
    };
    let y = b.dot_general(flat, w, dot, DType::F32).unwrap();
    let y = b.reshape(y, &shape).unwrap();
    let bias = vector(b, 64, 0.5);
    let bias = b.broadcast_in_dim(bias, &shape, &[2]).unwrap();
    let y = b.binary(Binary::Add, y, bias).unwrap();
    let y = b.unary(Unary::Tanh, y).unwrap();
    b.binary(Binary::Add, y, x).unwrap()
}

fn network(nodes: usize) -> Module {
    let mut b = FuncBuilder::new("main");
    let weights = Tensor::zeros(DType::F32, Shape::new(&[8, 8, 3, 3])).unwrap();
    let dense = Tensor::zeros(DType::F32, Shape::new(&[64, 64])).unwrap();
    let mut x = b.param(Type::tensor(DType::F32, &[1, 8, 16, 16]));
    let mut y = b.param(Type::tensor(DType::F32, &[2, 8, 64]));
    let mut i = 0;
    while b.func().insts.len() < nodes {
        x = block(&mut b, x, &weights, i);
        y = layer(&mut b, y, &dense);
        i += 1;
    }
    Module { funcs: vec![b.finish(&[x, y])], ..Module::default() }
}

/// Functions that the entry calls twice each.
fn calls(nodes: usize) -> Module {
    let ty = Type::tensor(DType::F32, &[4]);
    let mut b = FuncBuilder::new("main");
    let mut x = b.param(ty.clone());
    let mut funcs = Vec::new();
    for i in 0..nodes / 12 {
        let mut f = FuncBuilder::new(format!("f{i}"));
        let mut y = f.param(ty.clone());
        for _ in 0..5 {
            y = f.unary(Unary::Tanh, y).unwrap();
        }
        let mut func = f.finish(&[y]);
        func.public = false;
        funcs.push(func);
        for _ in 0..2 {
            let call = Op::Call { callee: format!("f{i}") };
            x = b.push_typed(call, &[x], &[], std::slice::from_ref(&ty)).unwrap()[0];
        }
    }
    funcs.insert(0, b.finish(&[x]));
    Module { funcs, ..Module::default() }
}

/// A value that everything uses, behind moves that go away, and a long sum.
fn hub(nodes: usize) -> Module {
    let mut b = FuncBuilder::new("main");
    let x = b.param(Type::tensor(DType::F32, &[4, 4]));
    let t = b.transpose(x, &[1, 0]).unwrap();
    let t = b.transpose(t, &[1, 0]).unwrap();
    let mut sum = t;
    for i in 0..nodes / 4 {
        let shape = Shape::new(&[4, 4]);
        let c = b.splat(Tensor::scalar(i as f32), &shape).unwrap();
        let y = b.binary(Binary::Multiply, c, t).unwrap();
        let y = b.transpose(y, &[1, 0]).unwrap();
        let y = b.transpose(y, &[1, 0]).unwrap();
        sum = b.binary(Binary::Add, sum, y).unwrap();
    }
    Module { funcs: vec![b.finish(&[sum])], ..Module::default() }
}

fn main() {
    for (list, passes) in [("standard", STANDARD), ("cpu", CPU)] {
        times("network", list, passes, network);
        times("calls", list, passes, calls);
        times("hub", list, passes, hub);
    }
}

fn times(what: &str, list: &str, passes: &[PassRow], make: fn(usize) -> Module) {
    for nodes in [100, 1000, 10_000, 100_000] {
        let module = make(nodes);
        let start = Instant::now();
        let clock = || start.elapsed().as_nanos() as u64;
        let fuel = Fuel::unlimited();
        let mut options = Options::new(&fuel);
        (options.passes, options.check) = (passes, false);
        options.fold = Some(&fold);
        options.clock = Some(&clock);
        let mut copy = module.clone();
        let begin = clock();
        let report = optimise(&mut copy, &options).unwrap();
        let total = clock() - begin;
        let begin = clock();
        verify(&copy).unwrap();
        let checked = clock() - begin;
        let left = copy.funcs[0].walk().len();
        let each = |ticks: u64| ticks as f64 / nodes as f64 / 1000.0;
        let rounds = report.runs.len() / passes.len();
        println!(
            "{what} {list} {nodes}: {left} left, {rounds} rounds, {:.2} us a node, verify {:.2}",
            each(total),
            each(checked)
        );
        for row in passes {
            let of = report.runs.iter().filter(|run| run.name == row.name);
            let ticks: u64 = of.map(|run| run.ticks).sum();
            println!("    {:26} {:.3} us a node", row.name, each(ticks));
        }
    }
}
