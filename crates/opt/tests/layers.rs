//! Convolutions, layers and batch normalisations mean the same before and after the passes that
//! bring them into other forms: numbers are chosen so that sums are exact, or compared closely.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::{
    Binary, Convolution, Dims, DotGeneral, Fuel, Func, FuncBuilder, Module, Op, SplitMix,
    TensorType, Type, ValueId,
};
use tfjit_opt::{CPU, Options, optimise, passes_named};

fn run(module: &Module, args: &[Value]) -> Result<Vec<Tensor>> {
    let values = Interpreter::new(module, tfjit_eval::Options::default()).run_entry(args)?;
    values.iter().map(|value| value.tensor().cloned()).collect()
}

fn fold(module: &Module) -> Result<Vec<Tensor>> {
    run(module, &[])
}

/// Multiples of a quarter.
fn numbers(shape: &[i64], rng: &mut SplitMix) -> Tensor {
    let shape = Shape::from_i64(shape).unwrap();
    let values: Vec<f32> =
        (0..shape.elements()).map(|_| rng.between(-12, 12) as f32 / 4.0).collect();
    Tensor::from_slice(shape, &values).unwrap()
}

/// The module behind passes, which must settle, and the rewrites they made.
fn behind(module: &Module, passes: &str) -> (Module, u64) {
    let fuel = Fuel::unlimited();
    let named = passes_named(passes).unwrap();
    let mut options = Options::new(&fuel);
    options.passes = if named.is_empty() { CPU } else { &named };
    options.check = true;
    options.fold = Some(&fold);
    let mut copy = module.clone();
    assert!(optimise(&mut copy, &options).unwrap().settled);
    (copy, fuel.total())
}

fn alone(func: Func) -> Module {
    Module { funcs: vec![func], ..Module::default() }
}

fn close(a: &[Tensor], b: &[Tensor], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert_eq!((a.dtype(), a.shape()), (b.dtype(), b.shape()), "{what}");
        let (a, b) = (a.to_f64s().unwrap(), b.to_f64s().unwrap());
        let most = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (x, y) in a.iter().zip(&b) {
            assert!((x - y).abs() <= tolerance * most, "{what}: {x} {y}");
        }
    }
}

/// A random convolution with one or two spatial dimensions, and shapes that fit.
fn convolution(rng: &mut SplitMix) -> (Convolution, Vec<i64>, Vec<i64>) {
    let spatial = rng.below(3);
    let rank = spatial + 2;
    let (a, k, o) = (rng.permutation(rank), rng.permutation(rank), rng.permutation(rank));
    let (features, batches) = [(2, 1), (1, 2), (1, 1), (1, 1)][rng.below(4)];
    let mut some = |high: i64| -> Dims { (0..spatial).map(|_| rng.between(1, high)).collect() };
    let (strides, base, window) = (some(2), some(3), some(2));
    let conv = Convolution {
        window_strides: strides,
        padding: (0..spatial).map(|_| [rng.between(-1, 2), rng.between(0, 2)]).collect(),
        lhs_dilation: base,
        rhs_dilation: window,
        window_reversal: (0..spatial).map(|_| rng.one_in(2)).collect(),
        input_batch_dimension: a[0],
        input_feature_dimension: a[1],
        input_spatial_dimensions: Dims::from_slice(&a[2..]),
        kernel_input_feature_dimension: k[0],
        kernel_output_feature_dimension: k[1],
        kernel_spatial_dimensions: Dims::from_slice(&k[2..]),
        output_batch_dimension: o[0],
        output_feature_dimension: o[1],
        output_spatial_dimensions: Dims::from_slice(&o[2..]),
        feature_group_count: features,
        batch_group_count: batches,
        precision: Vec::new(),
    };
    let (mut image, mut kernel) = (vec![0; rank], vec![0; rank]);
    let each = rng.between(1, 3);
    image[a[0] as usize] = batches * rng.between(1, 2);
    image[a[1] as usize] = each * features;
    kernel[k[0] as usize] = each;
    kernel[k[1] as usize] = 2 * rng.between(1, 2);
    for d in 2..rank {
        image[a[d] as usize] = rng.between(3, 6);
        kernel[k[d] as usize] = rng.between(1, 3);
    }
    (conv, image, kernel)
}

/// Whether all convolutions are of the form the pass brings them into.
fn in_form(func: &Func) -> bool {
    func.walk().into_iter().all(|id| match &func.insts[id].op {
        Op::Convolution(conv) => {
            conv.input_spatial_dimensions[..] == [1, 2]
                && conv.kernel_spatial_dimensions[..] == [0, 1]
                && conv.output_spatial_dimensions[..] == [1, 2]
                && (conv.input_batch_dimension, conv.output_batch_dimension) == (0, 0)
                && conv.kernel_output_feature_dimension == 3
                && conv.lhs_dilation[..] == [1, 1]
                && conv.window_reversal == [false, false]
                && conv.batch_group_count == 1
        }
        _ => true,
    })
}

#[test]
fn convolutions_of_all_forms_mean_the_same() {
    let mut rng = SplitMix::new(7);
    for case in 0..300 {
        let (conv, image, kernel) = convolution(&mut rng);
        let mut b = FuncBuilder::new("main");
        let x = b.param(Type::tensor(DType::F32, &image));
        let constant = rng.one_in(2);
        let weights = numbers(&kernel, &mut rng);
        let w = match constant {
            true => b.constant(weights.clone()).unwrap(),
            false => b.param(Type::tensor(DType::F32, &kernel)),
        };
        let y = b.convolution(x, w, conv.clone(), DType::F32).unwrap();
        let module = alone(b.finish(&[y]));
        let mut args = vec![Value::Tensor(numbers(&image, &mut rng))];
        args.extend((!constant).then_some(Value::Tensor(weights)));
        let before = run(&module, &args).unwrap();
        for passes in ["canonicalize-convolution", ""] {
            let (after, _) = behind(&module, passes);
            let empty = before[0].elements() == 0;
            assert!(empty || in_form(&after.funcs[0]), "case {case}: {conv:?}\n{after}");
            let after = run(&after, &args).unwrap();
            assert_eq!(before, after, "case {case}: {conv:?}");
        }
    }
}

/// A constant vector along dimension `d` of a result.
fn vector(b: &mut FuncBuilder, like: ValueId, d: usize, rng: &mut SplitMix) -> ValueId {
    let shape = b.shape(like).unwrap();
    let n = shape[d];
    let values: Vec<f32> = (0..n).map(|_| 0.3 + rng.below(100) as f32 / 40.0).collect();
    match rng.below(3) {
        0 => b.splat(Tensor::scalar(values[0]), &shape).unwrap(),
        1 => {
            let inner: usize = shape.dims()[d + 1..].iter().product();
            let all: Vec<f32> = (0..shape.elements()).map(|i| values[i / inner % n]).collect();
            b.constant(Tensor::from_slice(shape, &all).unwrap()).unwrap()
        }
        _ => {
            let v = b.constant(Tensor::from_slice(Shape::new(&[n]), &values).unwrap()).unwrap();
            b.broadcast_in_dim(v, &shape, &[d as i64]).unwrap()
        }
    }
}

/// A chain of operations by constants, at least one of them a multiplication.
fn chain(b: &mut FuncBuilder, mut y: ValueId, d: usize, rng: &mut SplitMix) -> ValueId {
    let length = 1 + rng.below(4);
    for i in 0..length {
        let c = vector(b, y, d, rng);
        let kinds = [Binary::Multiply, Binary::Divide, Binary::Add, Binary::Subtract];
        let op = if i == 0 { Binary::Multiply } else { kinds[rng.below(4)] };
        let swapped = op != Binary::Divide && rng.one_in(2);
        y = if swapped { b.binary(op, c, y).unwrap() } else { b.binary(op, y, c).unwrap() };
    }
    y
}

fn count(module: &Module, what: impl Fn(&Op) -> bool) -> usize {
    let func = &module.funcs[0];
    func.walk().into_iter().filter(|&id| what(&func.insts[id].op)).count()
}

#[test]
fn scales_behind_layers_go_into_weights() {
    let mut rng = SplitMix::new(11);
    for case in 0..200 {
        let mut b = FuncBuilder::new("main");
        let (y, d, shape) = if rng.one_in(2) {
            let (conv, image, kernel) = convolution(&mut rng);
            let x = b.param(Type::tensor(DType::F32, &image));
            let w = b.constant(numbers(&kernel, &mut rng)).unwrap();
            let d = conv.output_feature_dimension as usize;
            (b.convolution(x, w, conv, DType::F32).unwrap(), d, image)
        } else {
            let shape = vec![2, 3, 5];
            let x = b.param(Type::tensor(DType::F32, &shape));
            let w = b.constant(numbers(&[2, 4, 5], &mut rng)).unwrap();
            let dot = DotGeneral {
                lhs_batching_dimensions: Dims::from_slice(&[0]),
                rhs_batching_dimensions: Dims::from_slice(&[0]),
                lhs_contracting_dimensions: Dims::from_slice(&[2]),
                rhs_contracting_dimensions: Dims::from_slice(&[2]),
                ..DotGeneral::default()
            };
            let left = rng.one_in(2);
            let (p, q) = if left { (w, x) } else { (x, w) };
            (b.dot_general(p, q, dot, DType::F32).unwrap(), if left { 1 } else { 2 }, shape)
        };
        if b.shape(y).unwrap().elements() == 0 {
            continue;
        }
        let z = chain(&mut b, y, d, &mut rng);
        let module = alone(b.finish(&[z]));
        let args = [Value::Tensor(numbers(&shape, &mut rng))];
        let before = run(&module, &args).unwrap();
        let (after, rewrites) = behind(&module, "fold-batch-norm,dead-code");
        assert!(rewrites > 0, "case {case}\n{module}");
        let left = count(&after, |op| matches!(op, Op::Binary(_)));
        assert!(left <= 1 && count(&after, |op| *op == Op::Binary(Binary::Multiply)) == 0);
        close(&before, &run(&after, &args).unwrap(), 1e-5, &format!("case {case}\n{after}"));
    }
}

#[test]
fn what_others_use_is_not_scaled() {
    let mut rng = SplitMix::new(3);
    let mut b = FuncBuilder::new("main");
    let x = b.param(Type::tensor(DType::F32, &[2, 5]));
    let w = b.constant(numbers(&[5, 4], &mut rng)).unwrap();
    let dot = DotGeneral {
        lhs_contracting_dimensions: Dims::from_slice(&[1]),
        rhs_contracting_dimensions: Dims::from_slice(&[0]),
        ..DotGeneral::default()
    };
    let y = b.dot_general(x, w, dot, DType::F32).unwrap();
    let z = chain(&mut b, y, 1, &mut rng);
    let module = alone(b.finish(&[y, z]));
    assert_eq!(behind(&module, "fold-batch-norm").1, 0);
}

fn norm(dtype: DType, training: bool) -> (Module, Vec<Value>) {
    let mut rng = SplitMix::new(5);
    let mut b = FuncBuilder::new("main");
    let dims: [&[i64]; 5] = [&[3, 4, 2], &[4], &[4], &[4], &[4]];
    let mut args = Vec::new();
    let mut params = Vec::new();
    for (i, dims) in dims.iter().enumerate().take(if training { 3 } else { 5 }) {
        params.push(b.param(Type::tensor(dtype, dims)));
        let x = numbers(dims, &mut rng);
        // Variances are positive.
        let values = x.to_vec::<f32>().unwrap();
        let values: Vec<f64> =
            values.iter().map(|&v| f64::from(if i == 4 { v.abs() + 0.5 } else { v })).collect();
        let x = Tensor::from_slice(x.shape().clone(), &values).unwrap();
        let to = [TensorType::new(dtype, dims)];
        let x = tfjit_eval::eval_inst(&Op::Convert, &[&x], &to).unwrap().remove(0);
        args.push(Value::Tensor(x));
    }
    let op = match training {
        true => Op::BatchNormTraining { epsilon: 0.01, feature_index: 1 },
        false => Op::BatchNormInference { epsilon: 0.01, feature_index: 1 },
    };
    let results = b.push(op, &params, &[]).unwrap();
    (alone(b.finish(&results)), args)
}

#[test]
fn batch_normalisation_is_arithmetic() {
    for (dtype, tolerance) in [(DType::F64, 1e-12), (DType::F32, 1e-5), (DType::BF16, 2e-2)] {
        for training in [false, true] {
            let (module, args) = norm(dtype, training);
            let before = run(&module, &args).unwrap();
            let (after, _) = behind(&module, "decompose-batch-norm");
            assert_eq!(count(&after, |op| format!("{op:?}").starts_with("BatchNorm")), 0);
            close(&before, &run(&after, &args).unwrap(), tolerance, "batch normalisation");
        }
    }
}

#[test]
fn the_gradient_of_batch_normalisation_is_arithmetic() {
    let mut rng = SplitMix::new(9);
    let mut b = FuncBuilder::new("main");
    let dims: [&[i64]; 5] = [&[3, 4, 2], &[4], &[4], &[4], &[3, 4, 2]];
    let params: Vec<ValueId> =
        dims.iter().map(|dims| b.param(Type::tensor(DType::F32, dims))).collect();
    let mut args: Vec<Value> =
        dims.iter().map(|dims| Value::Tensor(numbers(dims, &mut rng))).collect();
    args[3] =
        Value::Tensor(Tensor::from_slice(Shape::new(&[4]), &[0.5f32, 2.0, 1.0, 3.5]).unwrap());
    let op = Op::BatchNormGrad { epsilon: 0.01, feature_index: 1 };
    let results = b.push(op, &params, &[]).unwrap();
    let module = alone(b.finish(&results));
    let before = run(&module, &args).unwrap();
    let (after, rewrites) = behind(&module, "decompose-batch-norm");
    assert_eq!(rewrites, 1);
    close(&before, &run(&after, &args).unwrap(), 1e-5, "gradient");
}

#[test]
fn a_batch_normalisation_of_constants_goes_into_the_weights() {
    let mut rng = SplitMix::new(2);
    let mut b = FuncBuilder::new("main");
    let x = b.param(Type::tensor(DType::F32, &[3, 5]));
    let w = b.constant(numbers(&[5, 4], &mut rng)).unwrap();
    let dot = DotGeneral {
        lhs_contracting_dimensions: Dims::from_slice(&[1]),
        rhs_contracting_dimensions: Dims::from_slice(&[0]),
        ..DotGeneral::default()
    };
    let y = b.dot_general(x, w, dot, DType::F32).unwrap();
    let each: Vec<ValueId> = (0..4)
        .map(|i| {
            let v: Vec<f32> = (0..4).map(|j| 0.5 + (i * 3 + j) as f32 / 4.0).collect();
            b.constant(Tensor::from_slice(Shape::new(&[4]), &v).unwrap()).unwrap()
        })
        .collect();
    let op = Op::BatchNormInference { epsilon: 0.01, feature_index: 1 };
    let y = b.push(op, &[y, each[0], each[1], each[2], each[3]], &[]).unwrap()[0];
    let module = alone(b.finish(&[y]));
    let args = [Value::Tensor(numbers(&[3, 5], &mut rng))];
    let before = run(&module, &args).unwrap();
    let (after, _) = behind(&module, "");
    assert_eq!(count(&after, |op| matches!(op, Op::Binary(_) | Op::Unary(_))), 1, "{after}");
    close(&before, &run(&after, &args).unwrap(), 1e-5, "batch normalisation");
}

#[test]
fn large_weights_are_not_copied_for_a_scale() {
    for normalised in [false, true] {
        let mut rng = SplitMix::new(4);
        let mut b = FuncBuilder::new("main");
        let x = b.param(Type::tensor(DType::F32, &[3, 300]));
        let weights = numbers(&[300, 300], &mut rng);
        let w = b.constant(weights.clone()).unwrap();
        let dot = DotGeneral {
            lhs_contracting_dimensions: Dims::from_slice(&[1]),
            rhs_contracting_dimensions: Dims::from_slice(&[0]),
            ..DotGeneral::default()
        };
        let mut y = b.dot_general(x, w, dot, DType::F32).unwrap();
        if normalised {
            let values: Vec<f32> = (0..300).map(|i| 0.5 + i as f32 / 64.0).collect();
            let row = Tensor::from_slice(Shape::new(&[300]), &values).unwrap();
            let row = b.constant(row).unwrap();
            let op = Op::BatchNormInference { epsilon: 0.01, feature_index: 1 };
            y = b.push(op, &[y, row, row, row, row], &[]).unwrap()[0];
        } else {
            for op in [Binary::Subtract, Binary::Multiply, Binary::Add, Binary::Multiply] {
                let c = vector(&mut b, y, 1, &mut rng);
                y = b.binary(op, y, c).unwrap();
            }
        }
        let module = alone(b.finish(&[y]));
        let args = [Value::Tensor(numbers(&[3, 300], &mut rng))];
        let before = run(&module, &args).unwrap();
        let (after, _) = behind(&module, "");
        let operations = count(&after, |op| matches!(op, Op::Binary(_) | Op::Unary(_)));
        assert!(operations <= 2, "{after}");
        let kept = |op: &Op| match op {
            Op::Constant(literal) => {
                std::ptr::eq(literal.stored().bytes().as_ptr(), weights.bytes().as_ptr())
            }
            _ => false,
        };
        assert_eq!(count(&after, kept), 1);
        close(&before, &run(&after, &args).unwrap(), 1e-5, "a scale that was kept");
    }
}
