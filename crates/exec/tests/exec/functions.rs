//! Expanded functions against the mathematics library's `f64`, over all of their arguments.

use crate::kernels::apply;
use tfjit_base::DType;
use tfjit_exec::Program;
use tfjit_plan::kernel::{Access, Axis, Binary, Kernel, Lane, Op, Stream, Unary, When};

/// A kernel of one operation over `count` inputs.
fn kernel(op: Op, count: usize, dtype: DType) -> Program {
    let lane = Lane::of(dtype).unwrap();
    let mut k = Kernel::new("k", Axis::Columns);
    let stream = |output| Stream { dtype, output, access: Access::Unit };
    let inputs: Vec<_> = (0..count).map(|_| k.streams.push(stream(false))).collect();
    let out = k.streams.push(stream(true));
    k.begin(When::Each);
    let args: Vec<_> = inputs.iter().map(|&s| k.push(Op::Load(s), &[], lane)).collect();
    let y = k.push(op, &args, lane);
    k.push(Op::Store(out), &[y], lane);
    Program::compile(&k).unwrap()
}

/// Distance in units in the last place of `f32` near `want`.
fn ulps32(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == rounded {
        let signs = got != 0.0 || got.is_sign_negative() == want.is_sign_negative();
        return if signs { 0.0 } else { f64::INFINITY };
    }
    if want.abs() < f64::from(f32::MIN_POSITIVE) && got.abs() <= f32::MIN_POSITIVE {
        return 0.0;
    }
    if got.is_infinite() != rounded.is_infinite() {
        // Overflow a little early or late.
        let limit = f64::from(f32::MAX);
        return if want.abs() > limit * (1.0 - 3e-7) && want.abs() < limit * (1.0 + 3e-7) {
            1.0
        } else {
            f64::INFINITY
        };
    }
    let exponent = want.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor();
    (f64::from(got) - want).abs() / (exponent - 23.0).exp2()
}

fn all_f32(step: usize) -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        0.5,
        -0.5,
        1.5,
        2.5,
        88.0,
        -88.0,
        1.0 - f32::EPSILON / 2.0,
    ];
    let bits = (0..=u32::MAX).step_by(step).map(f32::from_bits);
    bits.filter(|x| !x.is_subnormal()).chain(special).collect()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { x.signum() }
}

type Function = (Unary, fn(f64) -> f64, f64);

const FUNCTIONS: &[Function] = &[
    (Unary::Exp, f64::exp, 1.5),
    (Unary::Expm1, f64::exp_m1, 2.0),
    (Unary::Log, f64::ln, 1.5),
    (Unary::Log1p, f64::ln_1p, 2.0),
    (Unary::Logistic, logistic, 2.1),
    (Unary::Tanh, f64::tanh, 2.0),
    (Unary::Sin, f64::sin, 1.5),
    (Unary::Cos, f64::cos, 1.5),
    (Unary::Tan, f64::tan, 1.0),
    (Unary::Erf, libm::erf, 2.0),
    (Unary::Erfc, libm::erfc, 1.0),
    (Unary::Atan, f64::atan, 1.0),
    (Unary::Asin, f64::asin, 1.0),
    (Unary::Acos, f64::acos, 1.0),
    (Unary::Sinh, f64::sinh, 1.0),
    (Unary::Cosh, f64::cosh, 1.0),
    (Unary::Asinh, f64::asinh, 1.0),
    (Unary::Acosh, f64::acosh, 1.0),
    (Unary::Atanh, f64::atanh, 1.0),
    (Unary::Cbrt, f64::cbrt, 1.0),
    (Unary::Rsqrt, |x| 1.0 / x.sqrt(), 1.5),
    (Unary::Sqrt, f64::sqrt, 0.5),
    (Unary::Sign, sign, 0.0),
    (Unary::RoundAfz, f64::round, 0.0),
];

#[test]
fn functions_of_f32_are_within_two_units() {
    let xs = all_f32(4093);
    let mut report = String::new();
    let mut bad = false;
    for &(unary, exact, bound) in FUNCTIONS {
        let ys: Vec<f32> = apply(&kernel(Op::Unary(unary), 1, DType::F32), &[&xs]);
        let mut worst = (0.0, 0.0, 0.0);
        for (&x, &y) in xs.iter().zip(&ys) {
            let off = ulps32(y, exact(f64::from(x)));
            if off > worst.0 {
                worst = (off, x, y);
            }
        }
        bad |= worst.0 > bound;
        report += &format!("{unary:?}: {:.2} at {:e} gives {:e}\n", worst.0, worst.1, worst.2);
    }
    assert!(!bad, "{report}");
}

/// Numbers of all sizes and kinds.
fn grid() -> Vec<f32> {
    let mut xs = vec![0.0, f32::INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE];
    xs.extend((1..40).map(|i| i as f32));
    xs.extend((0..200).map(|i| (f64::from(i - 100) * 0.437).exp2() as f32));
    xs.extend([1.0 + f32::EPSILON, 1.0 - f32::EPSILON / 2.0, 0.5, 1.5, 16_777_215.0, 16_777_216.0]);
    let negative: Vec<f32> = xs.iter().map(|x| -x).collect();
    xs.extend(negative);
    xs
}

#[test]
fn functions_of_two_f32_are_within_one_unit() {
    let functions: [(Binary, fn(f64, f64) -> f64); 2] =
        [(Binary::Pow, f64::powf), (Binary::Atan2, f64::atan2)];
    let grid = grid();
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for &x in &grid {
        for &y in &grid {
            xs.push(x);
            ys.push(y);
        }
    }
    for (binary, exact) in functions {
        let zs: Vec<f32> = apply(&kernel(Op::Binary(binary), 2, DType::F32), &[&xs, &ys]);
        for ((&x, &y), &z) in xs.iter().zip(&ys).zip(&zs) {
            let want = exact(f64::from(x), f64::from(y));
            let off = ulps32(z, want);
            assert!(off <= 1.0, "{binary:?}({x:e}, {y:e}) gives {z:e}, not {want:e}: {off}");
        }
    }
}

#[test]
fn functions_of_f64_are_within_two_units() {
    let functions: [(Unary, fn(f64) -> f64); 9] = [
        (Unary::Exp, f64::exp),
        (Unary::Expm1, f64::exp_m1),
        (Unary::Log, f64::ln),
        (Unary::Log1p, f64::ln_1p),
        (Unary::Logistic, logistic),
        (Unary::Tanh, f64::tanh),
        (Unary::Rsqrt, |x| 1.0 / x.sqrt()),
        (Unary::Sign, sign),
        (Unary::RoundAfz, f64::round),
    ];
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, 0.5, -2.5];
    let mut xs: Vec<f64> = (0..1 << 20).map(|i| f64::from_bits((i << 44) | (i * 7919))).collect();
    xs.extend((-20_000..20_000).map(|i| f64::from(i) * 0.003_71));
    xs.retain(|x| !x.is_subnormal());
    xs.extend(special);
    for (unary, exact) in functions {
        let ys: Vec<f64> = apply(&kernel(Op::Unary(unary), 1, DType::F64), &[&xs]);
        for (&x, &y) in xs.iter().zip(&ys) {
            let want = exact(x);
            let near_zero = want.abs() <= f64::MIN_POSITIVE && y.abs() <= f64::MIN_POSITIVE;
            let same = y == want || y.is_nan() && want.is_nan();
            let off = (y.to_bits() as i64).abs_diff(want.to_bits() as i64);
            // The reference has an error of its own.
            assert!(same || near_zero || off <= 3, "{unary:?}({x:e}) gives {y:e}, not {want:e}");
            assert!(y != 0.0 || want != 0.0 || y.is_sign_negative() == want.is_sign_negative());
        }
    }
}
