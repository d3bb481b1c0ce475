//! Exponentials, logarithms and their kin in `F32` lanes.
//!
//! The structure of `exp` and `log` (nearest multiple of ln 2, mantissa around 1) is the textbook
//! one: Muller, Elementary Functions, chapters 5 and 11.

use std::f64::consts::{LN_2, LOG2_E};

use super::super::{Binary, Compare, Lane, Val};
use super::emit::Emit;

/// Adding it leaves the nearest integer in the low bits.
const MAGIC: f64 = 12_582_912.0;
/// ln 2 rounded to `F32`, and what is missing.
const LN2_HI: f64 = 0.693_147_182_464_599_6;
const LN2_LO: f64 = LN_2 - LN2_HI;
/// `(exp(r) - 1 - r) / r^2` for `|r| <= ln(2) / 2`, error 2^-28.
const EXP: [f64; 5] = [0.499999931, 0.166665148, 0.0416684567, 0.00836941905, 0.00138131479];
/// `(log(1 + f) - f + f^2 / 2) / f^3` for `|f| <= 1/3`, error 2^-30.
const LOG: [f64; 9] = [
    0.333333357,
    -0.249998203,
    0.199995978,
    -0.166795784,
    0.143044543,
    -0.121957762,
    0.107542613,
    -0.128450674,
    0.120070578,
];
/// `(tanh(x) - x) / x^3` in `x^2` for `|x| <= 0.625`, error 2^-28.
const TANH: [f64; 5] = [-0.333332819, 0.133314422, -0.0537397143, 0.0206390849, -0.00570498453];
/// `erf(x) / x - 1` in `x^2` for `|x| <= 0.93`, error 2^-31.
const ERF_SMALL: [f64; 7] = [
    0.128379167,
    -0.376126332,
    0.112836872,
    -0.0268589415,
    0.00519990663,
    -0.000813001212,
    8.31677275e-05,
];
/// `log(1 - erf(x))` for `0.9 <= x <= 4`, error of `erf` 2^-29.
const ERF_LARGE: [f64; 7] = [
    -0.000177512567,
    -1.12774948,
    -0.63705991,
    -0.104037206,
    0.0222770049,
    -0.00305558484,
    0.000197179193,
];

/// `exp(x) = 2^n (1 + q)`.
struct Parts {
    /// The integer `n` in the low bits of an `I32`.
    n: Val,
    /// `exp(r) - 1` of the rest `r`, at most 0.42 in size.
    q: Val,
}

fn parts(e: &mut Emit, x: Val) -> Parts {
    let magic = e.num(Lane::F32, MAGIC);
    let shifted = e.fma_k(x, LOG2_E, magic);
    let n = e.sub(shifted, magic);
    // Exact: both are multiples of the same power of two, and the difference is small.
    let r = e.fma_k(n, -LN2_HI, x);
    let r = e.fma_k(n, -LN2_LO, r);
    let poly = e.poly(r, &EXP);
    let square = e.mul(r, r);
    let q = e.fma(square, poly, r);
    let n = e.bits(shifted, Lane::I32);
    Parts { n, q }
}

fn shift_left(e: &mut Emit, n: Val, by: u64) -> Val {
    let by = e.int(Lane::I32, by);
    e.bin(Binary::Shl, n, by)
}

/// `exp(x)` where it is a normal number.
fn exp_inside(e: &mut Emit, x: Val) -> Val {
    let Parts { n, q } = parts(e, x);
    let one = e.num(Lane::F32, 1.0);
    let p = e.add(q, one);
    let n = shift_left(e, n, 23);
    let bits = e.bits(p, Lane::I32);
    let bits = e.add(bits, n);
    e.bits(bits, Lane::F32)
}

/// The largest argument with a finite result, and the smallest with a normal one.
const EXP_MAX: f64 = 88.722_839;
const EXP_MIN: f64 = -87.336_54;

pub(super) fn exp(e: &mut Emit, x: Val) -> Val {
    let y = exp_inside(e, x);
    let small = e.cmp_k(Compare::Lt, x, EXP_MIN);
    let zero = e.num(Lane::F32, 0.0);
    let y = e.sel(small, zero, y);
    let inside = e.cmp_k(Compare::Le, x, EXP_MAX);
    let outside = e.mul_k(x, f64::INFINITY);
    e.sel(inside, y, outside)
}

pub(super) fn expm1(e: &mut Emit, x: Val) -> Val {
    let inside = e.at_most(x, 89.0);
    let inside = e.at_least(inside, -26.0);
    let Parts { n, q } = parts(e, inside);
    // Half of 2^n, so that it is finite where the result is.
    let scale = shift_left(e, n, 23);
    let half = e.num(Lane::F32, 0.5);
    let half_bits = e.bits(half, Lane::I32);
    let scale = e.add(scale, half_bits);
    let scale = e.bits(scale, Lane::F32);
    let rest = e.sub(scale, half);
    let y = e.fma(scale, q, rest);
    let y = e.add(y, y);
    or_itself_if_tiny(e, x, y)
}

/// `x` where its size is below 2^-24 and `f(x)` is `x`, signed zero included; else `y`.
fn or_itself_if_tiny(e: &mut Emit, x: Val, y: Val) -> Val {
    let size = e.abs(x);
    let tiny = e.cmp_k(Compare::Lt, size, 2f64.powi(-24));
    e.sel(tiny, x, y)
}

/// Exponent of 2 that leaves a mantissa from 2/3 to 4/3, as an `I32`, of the bits of a number.
fn exponent(e: &mut Emit, bits: Val) -> Val {
    let low = e.int(Lane::I32, u64::from((2.0f32 / 3.0).to_bits()));
    let distance = e.sub(bits, low);
    let by = e.int(Lane::I32, 23);
    e.bin(Binary::ShrArithmetic, distance, by)
}

/// `n ln 2 + log(1 + f)`.
fn log_of_parts(e: &mut Emit, n: Val, f: Val) -> Val {
    let n = e.cast(n, Lane::F32);
    let poly = e.poly(f, &LOG);
    let square = e.mul(f, f);
    let minus_half = e.num(Lane::F32, -0.5);
    let poly = e.fma(poly, f, minus_half);
    let low = e.num(Lane::F32, LN2_LO);
    let low = e.mul(n, low);
    let low = e.fma(poly, square, low);
    let sum = e.add(f, low);
    e.fma_k(n, LN2_HI, sum)
}

/// What a logarithm is outside the positive normal numbers: of `u`, whose logarithm it is.
fn log_specials(e: &mut Emit, u: Val, y: Val) -> Val {
    let finite = e.cmp_k(Compare::Lt, u, f64::INFINITY);
    let y = e.sel(finite, y, u);
    let zero = e.cmp_k(Compare::Lt, u, f64::from(f32::MIN_POSITIVE));
    let infinity = e.num(Lane::F32, f64::NEG_INFINITY);
    let y = e.sel(zero, infinity, y);
    let negative = e.cmp_k(Compare::Lt, u, 0.0);
    let nan = e.num(Lane::F32, f64::NAN);
    e.sel(negative, nan, y)
}

pub(super) fn log(e: &mut Emit, x: Val) -> Val {
    let bits = e.bits(x, Lane::I32);
    let n = exponent(e, bits);
    let high = shift_left(e, n, 23);
    let mantissa = e.sub(bits, high);
    let mantissa = e.bits(mantissa, Lane::F32);
    let f = e.add_k(mantissa, -1.0);
    let y = log_of_parts(e, n, f);
    log_specials(e, x, y)
}

/// The mantissa's distance from 1 is computed from `x` itself, in one rounding: what `1 + x` loses
/// does not matter.
pub(super) fn log1p(e: &mut Emit, x: Val) -> Val {
    let one = e.num(Lane::F32, 1.0);
    let u = e.add(x, one);
    let bits = e.bits(u, Lane::I32);
    let n = exponent(e, bits);
    let high = shift_left(e, n, 23);
    let one_bits = e.bits(one, Lane::I32);
    let scale = e.sub(one_bits, high);
    let scale = e.bits(scale, Lane::F32);
    let rest = e.add_k(scale, -1.0);
    let exact = e.fma(scale, x, rest);
    // Beyond 2^24 the sum loses nothing that counts, and the scale may be subnormal.
    let mantissa = e.sub(bits, high);
    let mantissa = e.bits(mantissa, Lane::F32);
    let rounded = e.add_k(mantissa, -1.0);
    let large = e.cmp_k(Compare::Gt, x, 2f64.powi(24));
    let f = e.sel(large, rounded, exact);
    let y = log_of_parts(e, n, f);
    let y = log_specials(e, u, y);
    or_itself_if_tiny(e, x, y)
}

/// `1 / (1 + exp(-x))`; the reciprocal of a number without cancellation on both sides.
pub(super) fn logistic(e: &mut Emit, x: Val) -> Val {
    let inside = e.at_least(x, EXP_MIN);
    let inside = e.at_most(inside, 80.0);
    let sign = e.int(Lane::I32, 1 << 31);
    let minus = e.flip_sign(inside, sign);
    let exp = exp_inside(e, minus);
    let one = e.num(Lane::F32, 1.0);
    let sum = e.add(exp, one);
    let y = e.div(one, sum);
    let small = e.cmp_k(Compare::Lt, x, EXP_MIN);
    let zero = e.num(Lane::F32, 0.0);
    let y = e.sel(small, zero, y);
    // NaN passes through `exp_inside` as some bits.
    let number = e.cmp(Compare::Eq, x, x);
    e.sel(number, y, x)
}

/// `1 - 2 / (exp(2 |x|) + 1)`, or a polynomial near 0.
pub(super) fn tanh(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let square = e.mul(size, size);
    let poly = e.poly(square, &TANH);
    let cube = e.mul(square, size);
    let near = e.fma(cube, poly, size);
    // From 9.02 on the result is 1.
    let inside = e.at_most(size, 9.1);
    let twice = e.add(inside, inside);
    let exp = exp_inside(e, twice);
    let one = e.num(Lane::F32, 1.0);
    let sum = e.add(exp, one);
    let two = e.num(Lane::F32, 2.0);
    let quotient = e.div(two, sum);
    let far = e.sub(one, quotient);
    // NaN takes the second: its size is not above.
    let beyond = e.cmp_k(Compare::Ge, size, 0.625);
    let y = e.sel(beyond, far, near);
    let sign = e.sign_bit(x);
    e.with_sign(y, sign)
}

/// A polynomial near 0, or `1 - exp(p(|x|))` with a polynomial `p`.
pub(super) fn erf(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let square = e.mul(x, x);
    let poly = e.poly(square, &ERF_SMALL);
    let near = e.fma(x, poly, x);
    // From 3.92 on the result is 1.
    let inside = e.at_most(size, 4.0);
    let exponent = e.poly(inside, &ERF_LARGE);
    let rest = exp_inside(e, exponent);
    let one = e.num(Lane::F32, 1.0);
    let far = e.sub(one, rest);
    let sign = e.sign_bit(x);
    let far = e.with_sign(far, sign);
    let beyond = e.cmp_k(Compare::Ge, size, 0.921875);
    e.sel(beyond, far, near)
}
