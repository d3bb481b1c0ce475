//! Random programs on the CPU compiler and on the interpreter.
//!
//! What is computed exactly must agree bit for bit. Where functions or sums may round otherwise,
//! results must be near, unless an operation in between turns small differences into large ones.
//! `TFJIT_FUZZ_PROGRAMS` sets how many programs are tried.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::collections::HashMap;

use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_client::{Argument, Buffer, Client, CompileOptions, ExecuteOptions};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::{Binary, Func, Module, Op, SplitMix, TensorType, Unary, ValueId, random_program};
use tfjit_local::{LocalClient, LocalOptions};

/// How well a value is determined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Known {
    Exactly,
    Nearly,
    Barely,
}

/// What an operation does to how well its operands are known.
fn after(op: &Op, operand: Known) -> Known {
    match op {
        Op::Unary(op) => match op {
            Unary::Abs | Unary::Negate | Unary::Real | Unary::Imag | Unary::Conj => operand,
            Unary::Not | Unary::Popcnt | Unary::CountLeadingZeros => operand,
            Unary::Square | Unary::Tanh | Unary::Logistic | Unary::Sine | Unary::Cosine => {
                operand.max(Known::Nearly)
            }
            Unary::Sqrt if operand == Known::Exactly => Known::Exactly,
            _ if operand == Known::Exactly => Known::Nearly,
            _ => Known::Barely,
        },
        Op::Binary(op) => match op {
            Binary::Power | Binary::Atan2 | Binary::NextAfter if operand == Known::Exactly => {
                Known::Nearly
            }
            Binary::Add | Binary::Subtract | Binary::Multiply => operand,
            Binary::Maximum | Binary::Minimum | Binary::And | Binary::Or | Binary::Xor => operand,
            _ if operand == Known::Exactly => Known::Exactly,
            _ => Known::Barely,
        },
        Op::Reduce { .. }
        | Op::ReduceWindow(_)
        | Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::BatchNormInference { .. }
        | Op::BatchNormTraining { .. }
        | Op::BatchNormGrad { .. } => operand.max(Known::Nearly),
        _ if operand == Known::Exactly => Known::Exactly,
        Op::Select
        | Op::Reshape
        | Op::Transpose { .. }
        | Op::BroadcastInDim { .. }
        | Op::Slice { .. }
        | Op::Reverse { .. }
        | Op::Pad { .. }
        | Op::Concatenate { .. } => operand,
        _ => Known::Barely,
    }
}

/// Whether a convolution has zeros between the elements of its input, and some constant is not
/// finite: their products are left out by one of the two and NaN in the other.
fn skips_zeros(op: &Op, infinite: bool) -> bool {
    matches!(op, Op::Convolution(conv) if infinite && conv.lhs_dilation.iter().any(|&d| d > 1))
}

/// Whether a constant holds an infinity or NaN.
fn is_infinite(op: &Op) -> bool {
    let Op::Constant(literal) = op else { return false };
    numbers(literal.stored()).is_some_and(|all| all.iter().any(|x| !x.is_finite()))
}

/// How well each value of a function is known.
fn known(func: &Func) -> HashMap<ValueId, Known> {
    let mut known: HashMap<ValueId, Known> = HashMap::new();
    let infinite = func.insts.iter().any(|(_, inst)| is_infinite(&inst.op));
    for inst in func.walk() {
        let data = &func.insts[inst];
        let captured = if data.regions.is_empty() { vec![] } else { func.captures(inst) };
        let operands = data.operands.iter().chain(&captured);
        let worst = operands.map(|v| known.get(v).copied().unwrap_or(Known::Exactly)).max();
        let mut result = after(&data.op, worst.unwrap_or(Known::Exactly));
        if skips_zeros(&data.op, infinite) {
            result = Known::Barely;
        }
        let inside = data.regions.iter().flat_map(|&region| &func.blocks[region].insts);
        for &inner in inside {
            let inner = after(&func.insts[inner].op, Known::Exactly);
            if inner != Known::Exactly {
                result = Known::Barely;
            }
        }
        for &value in &data.results {
            let exact = func.tensor_ty(value).is_some_and(|ty| ty.dtype.is_int());
            let sums = matches!(
                data.op,
                Op::Reduce { .. } | Op::ReduceWindow(_) | Op::DotGeneral(_) | Op::Convolution(_)
            );
            let level = if exact && sums { worst.unwrap_or(Known::Exactly) } else { result };
            known.insert(value, level);
        }
    }
    known
}

/// Small numbers as elements of any type.
fn argument(ty: &TensorType, rng: &mut SplitMix) -> Tensor {
    let shape = ty.shape().unwrap();
    let values: Vec<f64> = (0..shape.elements()).map(|_| rng.between(-6, 6) as f64 / 2.0).collect();
    let x = Tensor::from_slice(shape, &values).unwrap();
    let to = [ty.with_dtype(ty.dtype)];
    tfjit_eval::eval_inst(&Op::Convert, &[&x], &to).unwrap().remove(0)
}

fn interpret(module: &Module, args: &[Tensor]) -> Result<Vec<Tensor>> {
    let options = tfjit_eval::Options { flush_subnormals: true, ..tfjit_eval::Options::default() };
    let args: Vec<Value> = args.iter().cloned().map(Value::Tensor).collect();
    let values = Interpreter::new(module, options).run_entry(&args)?;
    values.iter().map(|value| value.tensor().cloned()).collect()
}

fn compiled(
    client: &LocalClient,
    module: &Module,
    args: &[Tensor],
    threads: usize,
) -> Result<Vec<Tensor>> {
    let executable = client.compile(module.clone(), &CompileOptions::default())?;
    let arguments =
        args.iter().map(|t| Argument { buffer: Buffer::Host(t.clone()), donate: false }).collect();
    let options = ExecuteOptions { threads, ..ExecuteOptions::default() };
    executable.execute(arguments, &options)?.iter().map(Buffer::to_host).collect()
}

/// The elements as pairs of numbers; the second is 0 for real types.
fn numbers(x: &Tensor) -> Option<Vec<f64>> {
    if !x.dtype().is_complex() {
        return x.to_f64s().ok();
    }
    let shape = Shape::new(&[x.elements(), 2]);
    Tensor::from_raw(x.dtype().real(), shape, x.bytes()).ok()?.to_f64s().ok()
}

fn agree(want: &Tensor, got: &Tensor, known: Known) -> bool {
    if want.dtype() != got.dtype() || want.shape() != got.shape() {
        return false;
    }
    if want.bytes() == got.bytes() || known == Known::Barely {
        return true;
    }
    let (Some(a), Some(b)) = (numbers(want), numbers(got)) else { return false };
    let float = want.dtype().is_float() || want.dtype().is_complex();
    let eps = match want.dtype() {
        DType::F64 | DType::C128 => 1e-9,
        DType::F32 | DType::C64 => 2e-4,
        _ => 0.2,
    };
    let smallest = match want.dtype() {
        DType::F64 | DType::C128 => f64::MIN_POSITIVE,
        DType::F32 | DType::C64 | DType::BF16 => f32::MIN_POSITIVE.into(),
        _ => 0.0,
    };
    let most = a.iter().filter(|x| x.is_finite()).fold(1.0f64, |m, x| m.max(x.abs()));
    a.iter().zip(&b).all(|(x, y)| {
        // Subnormal numbers are zeros where something is computed of them, and not where it is
        // found out that nothing has to be.
        let none = |x: f64| x.abs() < smallest;
        let same = x == y || (x.is_nan() && y.is_nan()) || none(*x) && none(*y);
        let near = (x - y).abs() <= eps * most || (x.abs() > 1e30 && y.abs() > 1e30);
        // Zeros of either sign are one number: sums of nothing have none.
        same || (float && known == Known::Nearly && (near || !x.is_finite()))
    })
}

/// The part of a module that computes `value` of its entry.
fn part(module: &Module, value: ValueId) -> Module {
    let mut part = module.clone();
    let index = part.entry_index().unwrap();
    let func = &mut part.funcs[index];
    let entry = func.entry;
    func.blocks[entry].results = vec![value];
    func.result_types = vec![func.ty(value).clone()];
    func.result_attrs.clear();
    let live = func.live();
    let needed: Vec<_> =
        func.blocks[entry].insts.iter().copied().filter(|&inst| live.has(inst)).collect();
    func.blocks[entry].insts = needed;
    part
}

/// The first value of the entry that comes out wrong, with the program that computes it.
fn reduced(client: &LocalClient, module: &Module, args: &[Tensor], threads: usize) -> String {
    let func = module.entry().unwrap();
    let levels = known(func);
    for &inst in &func.blocks[func.entry].insts {
        for &value in &func.insts[inst].results {
            if func.tensor_ty(value).is_none() {
                continue;
            }
            let part = part(module, value);
            let Ok(want) = interpret(&part, args) else { continue };
            let level = levels.get(&value).copied().unwrap_or(Known::Exactly);
            match compiled(client, &part, args, threads) {
                Ok(got) if agree(&want[0], &got[0], level) => {}
                Ok(got) => {
                    return format!(
                        "want {:?}\ngot {:?}\n{part}",
                        numbers(&want[0]),
                        numbers(&got[0])
                    );
                }
                Err(e) => return format!("{e}\n{part}"),
            }
        }
    }
    let mut whole = module.clone();
    client.optimise(&mut whole).unwrap();
    format!("only whole:\n{whole}")
}

fn programs(default: u64) -> u64 {
    let set = tfjit_base::knobs::FUZZ_PROGRAMS.get();
    set.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Failures that are collected before a test gives up.
const FAILURES_MAX: usize = 8;

fn compare(codegen: bool, first: u64, count: u64) {
    let client = LocalClient::new(LocalOptions { codegen, ..LocalOptions::default() });
    let (mut compared, mut failures) = (0, Vec::new());
    for seed in first..first + count {
        match one(&client, seed) {
            Ok(true) => compared += 1,
            Ok(false) => {}
            Err(why) => failures.push(format!("seed {seed}: {why}")),
        }
        if failures.len() == FAILURES_MAX {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(compared * 2 > count, "only {compared} of {count} programs could be run");
}

/// Whether the program of a seed could be run; what is wrong with its results, if anything is.
fn one(client: &LocalClient, seed: u64) -> std::result::Result<bool, String> {
    let module = random_program(seed, 30);
    let mut rng = SplitMix::new(seed);
    let func = module.entry().unwrap();
    let args: Vec<Tensor> =
        func.param_types().map(|ty| argument(ty.as_tensor().unwrap(), &mut rng)).collect();
    let Ok(want) = interpret(&module, &args) else { return Ok(false) };
    let levels = known(func);
    let threads = 1 + (seed % 2) as usize;
    let got = compiled(client, &module, &args, threads)
        .map_err(|e| format!("{e}: {}", reduced(client, &module, &args, threads)))?;
    let fine = func.results().iter().zip(want.iter().zip(&got)).all(|(value, (want, got))| {
        agree(want, got, levels.get(value).copied().unwrap_or(Known::Exactly))
    });
    if fine { Ok(true) } else { Err(reduced(client, &module, &args, threads)) }
}

#[test]
fn machine_code_agrees_with_the_interpreter() {
    compare(true, 0, programs(1500));
}

#[test]
fn interpreted_kernels_agree_with_the_interpreter() {
    compare(false, 100_000, programs(1500) / 2);
}
