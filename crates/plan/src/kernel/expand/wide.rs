//! Exponentials and logarithms in `F64` lanes: for `F64` values, and for rare functions of `F32`
//! values, which need no more than 2^-39 there.

use std::f64::consts::{LN_2, LOG2_E};

use super::super::{Binary, Compare, Lane, Unary, Val};
use super::emit::Emit;

/// Adding it leaves the nearest integer in the low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;
/// The upper bits of ln 2, so that multiples up to 2^20 are exact, and the rest.
const LN2_HI: f64 = 0.693_147_180_369_123_8;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
/// `(exp(r) - 1 - r) / r^2` for `|r| <= ln(2) / 2`, errors 2^-39 and 2^-58.
const EXP_SHORT: [f64; 7] = [
    0.5000000000462067,
    0.16666666791646573,
    0.04166666426653535,
    0.008333279724810629,
    0.0013889209561321644,
    0.00019910295156722068,
    2.4706449660764068e-05,
];
const EXP_LONG: [f64; 10] = [
    0.5000000000000012,
    0.16666666666666385,
    0.04166666666651916,
    0.00833333333350766,
    0.0013888888946918432,
    0.0001984126948615369,
    2.480148935373084e-05,
    2.755759719612388e-06,
    2.763168687504536e-07,
    2.499898966659769e-08,
];
/// `(log((1 + s) / (1 - s)) / s - 2) / s^2` in `s^2` for `|s| <= 1/5`, errors 2^-42 and 2^-63.
const LOG_SHORT: [f64; 5] = [
    0.6666666671030588,
    0.3999998463290513,
    0.28573182881441256,
    0.22135171876209778,
    0.20121819987824954,
];
const LOG_LONG: [f64; 8] = [
    0.666666666666666,
    0.4000000000005594,
    0.28571428556007733,
    0.2222222427615148,
    0.18181667091079418,
    0.1539107235632745,
    0.1317426290508262,
    0.1383856060510792,
];
/// `erfc(x) exp(x^2) (1 + 2 x)` in `(x - 4) / (x + 4)` for `0 <= x <= 10.1`, error 2^-33. The form
/// is that of Shepherd and Laframboise, Math. Comp. 36 (1981).
const ERFC: [f64; 13] = [
    1.2329951187349826,
    -0.13962111905193764,
    0.015379630530090983,
    0.06809718342978627,
    -0.1010382950190166,
    0.09373113058853189,
    -0.06634084172019715,
    0.037170775730665684,
    -0.016138455219738935,
    0.0050792135879534584,
    -0.0008625701133584853,
    -0.0003860510508978083,
    7.654616828809785e-05,
];
/// Bits of 1.0, and of the exponent of a number.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const EXPONENT: u64 = 0xfff0_0000_0000_0000;

/// A function of an `F64` value.
pub(super) fn unary(e: &mut Emit, unary: Unary, x: Val) -> Val {
    match unary {
        Unary::Exp => exp(e, x),
        Unary::Expm1 => expm1(e, x),
        Unary::Log => {
            let y = log_inside(e, x, &LOG_LONG);
            log_specials(e, x, y)
        }
        Unary::Log1p => log1p(e, x),
        Unary::Logistic => logistic(e, x),
        Unary::Tanh => tanh(e, x),
        other => e.un(other, x),
    }
}

/// A rare function of an `F32` value.
pub(super) fn narrow(e: &mut Emit, unary: Unary, x: Val) -> Val {
    let y = match unary {
        Unary::Cbrt => {
            let log = log_of_narrow(e, x);
            let third = e.mul_k(log, 1.0 / 3.0);
            let root = exp_of_narrow(e, third);
            return signed(e, x, root);
        }
        Unary::Erfc => erfc(e, x),
        Unary::Cosh => {
            let (up, down) = exps(e, x);
            let sum = e.add(up, down);
            e.mul_k(sum, 0.5)
        }
        Unary::Sinh => return sinh(e, x),
        Unary::Asinh => return asinh(e, x),
        Unary::Acosh => return acosh(e, x),
        Unary::Atanh => return atanh(e, x),
        other => return e.un(other, x),
    };
    e.cast(y, Lane::F32)
}

/// `y`, an `F64` that is not negative, as `F32` with the sign of `x`.
fn signed(e: &mut Emit, x: Val, y: Val) -> Val {
    let y = e.cast(y, Lane::F32);
    let sign = e.sign_bit(x);
    e.flip_sign(y, sign)
}

/// `2^n` times a number of ordinary size; `n` is in the low bits of an `I64`.
fn scale(e: &mut Emit, x: Val, n: Val) -> Val {
    let by = e.int(Lane::I64, 52);
    let n = e.bin(Binary::Shl, n, by);
    let bits = e.bits(x, Lane::I64);
    let bits = e.add(bits, n);
    e.bits(bits, Lane::F64)
}

/// The integer `n` in the low bits of an `I64`, and `exp(x) / 2^n - 1`.
fn parts(e: &mut Emit, x: Val, coefficients: &[f64]) -> (Val, Val) {
    let magic = e.num(Lane::F64, MAGIC);
    let shifted = e.fma_k(x, LOG2_E, magic);
    let n = e.sub(shifted, magic);
    let r = e.fma_k(n, -LN2_HI, x);
    let r = e.fma_k(n, -LN2_LO, r);
    let poly = e.poly(r, coefficients);
    let square = e.mul(r, r);
    let q = e.fma(square, poly, r);
    (e.bits(shifted, Lane::I64), q)
}

fn exp_inside(e: &mut Emit, x: Val, coefficients: &[f64]) -> Val {
    let (n, q) = parts(e, x, coefficients);
    let p = e.add_k(q, 1.0);
    scale(e, p, n)
}

/// `exp` of anything, right when it is rounded to `F32`; NaN may become a number.
fn exp_of_narrow(e: &mut Emit, x: Val) -> Val {
    let inside = e.at_most(x, 200.0);
    let inside = e.at_least(inside, -200.0);
    let y = exp_inside(e, inside, &EXP_SHORT);
    let number = e.cmp(Compare::Eq, x, x);
    e.sel(number, y, x)
}

/// `exp(x)` and `exp(-x)` of an `F32` value.
fn exps(e: &mut Emit, x: Val) -> (Val, Val) {
    let x = e.cast(x, Lane::F64);
    let up = exp_of_narrow(e, x);
    let one = e.num(Lane::F64, 1.0);
    let down = e.div(one, up);
    (up, down)
}

const EXP_MAX: f64 = 709.782_712_893_383_9;
const EXP_MIN: f64 = -708.396_418_532_264;

fn exp(e: &mut Emit, x: Val) -> Val {
    let y = exp_inside(e, x, &EXP_LONG);
    let small = e.cmp_k(Compare::Lt, x, EXP_MIN);
    let zero = e.num(Lane::F64, 0.0);
    let y = e.sel(small, zero, y);
    let inside = e.cmp_k(Compare::Le, x, EXP_MAX);
    let outside = e.mul_k(x, f64::INFINITY);
    e.sel(inside, y, outside)
}

/// `exp(x) - 1` without what is tiny.
fn expm1_inside(e: &mut Emit, x: Val) -> Val {
    let (n, q) = parts(e, x, &EXP_LONG);
    // Half of 2^n, so that it is finite where the result is.
    let half = e.num(Lane::F64, 0.5);
    let power = scale(e, half, n);
    let rest = e.sub(power, half);
    let y = e.fma(power, q, rest);
    e.add(y, y)
}

fn or_itself_if_tiny(e: &mut Emit, x: Val, y: Val) -> Val {
    let size = e.abs(x);
    let tiny = e.cmp_k(Compare::Lt, size, 2f64.powi(-54));
    e.sel(tiny, x, y)
}

fn expm1(e: &mut Emit, x: Val) -> Val {
    let inside = e.at_most(x, 710.0);
    let inside = e.at_least(inside, -60.0);
    let y = expm1_inside(e, inside);
    or_itself_if_tiny(e, x, y)
}

/// `t / (t + 2)` with `t = exp(2 |x|) - 1`.
fn tanh(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let inside = e.at_most(size, 20.0);
    let twice = e.add(inside, inside);
    let t = expm1_inside(e, twice);
    let sum = e.add_k(t, 2.0);
    let y = e.div(t, sum);
    let sign = e.sign_bit(x);
    let y = e.flip_sign(y, sign);
    or_itself_if_tiny(e, x, y)
}

fn logistic(e: &mut Emit, x: Val) -> Val {
    let inside = e.at_least(x, EXP_MIN);
    let inside = e.at_most(inside, 80.0);
    let sign = e.int(Lane::I64, 1 << 63);
    let minus = e.flip_sign(inside, sign);
    let exp = exp_inside(e, minus, &EXP_LONG);
    let one = e.num(Lane::F64, 1.0);
    let sum = e.add(exp, one);
    let y = e.div(one, sum);
    let small = e.cmp_k(Compare::Lt, x, EXP_MIN);
    let zero = e.num(Lane::F64, 0.0);
    let y = e.sel(small, zero, y);
    let number = e.cmp(Compare::Eq, x, x);
    e.sel(number, y, x)
}

/// Exponent of 2 that leaves a mantissa from 2/3 to 4/3 of a positive normal number.
struct Split {
    /// The exponent as a number.
    n: Val,
    /// It in the place of the exponent field, as an `I64`.
    high: Val,
}

fn split(e: &mut Emit, bits: Val) -> Split {
    let shift = e.int(Lane::I64, ONE - (2.0f64 / 3.0).to_bits());
    let shifted = e.add(bits, shift);
    let mask = e.int(Lane::I64, EXPONENT);
    let one = e.int(Lane::I64, ONE);
    let high = e.bin(Binary::And, shifted, mask);
    let high = e.sub(high, one);
    // The biased exponent in the low bits of 2^52: no conversion of integers is needed.
    let by = e.int(Lane::I64, 52);
    let biased = e.bin(Binary::ShrLogical, shifted, by);
    let base = e.num(Lane::F64, 2f64.powi(52));
    let base = e.bits(base, Lane::I64);
    let biased = e.bin(Binary::Or, biased, base);
    let biased = e.bits(biased, Lane::F64);
    let n = e.add_k(biased, -(2f64.powi(52) + 1023.0));
    Split { n, high }
}

/// `n ln 2 + log(1 + f)`, by `log(1 + f) = log((1 + s) / (1 - s))` with `s = f / (2 + f)`. The
/// order of the last sums is that of FDLIBM's logarithm (Sun Microsystems, 1993).
fn log_of_parts(e: &mut Emit, n: Val, f: Val, coefficients: &[f64]) -> Val {
    let two = e.num(Lane::F64, 2.0);
    let sum = e.add(f, two);
    let s = e.div(f, sum);
    let z = e.mul(s, s);
    let poly = e.poly(z, coefficients);
    if coefficients.len() < LOG_LONG.len() {
        let sum = e.fma(z, poly, two);
        let log = e.mul(s, sum);
        return e.fma_k(n, LN_2, log);
    }
    let half_square = e.mul(f, f);
    let half_square = e.mul_k(half_square, 0.5);
    let low = e.mul_k(n, LN2_LO);
    let rest = e.fma(z, poly, half_square);
    let rest = e.fma(s, rest, low);
    let rest = e.sub(half_square, rest);
    let rest = e.sub(rest, f);
    let high = e.mul_k(n, LN2_HI);
    e.sub(high, rest)
}

fn log_inside(e: &mut Emit, x: Val, coefficients: &[f64]) -> Val {
    let bits = e.bits(x, Lane::I64);
    let Split { n, high } = split(e, bits);
    let mantissa = e.sub(bits, high);
    let mantissa = e.bits(mantissa, Lane::F64);
    let f = e.add_k(mantissa, -1.0);
    log_of_parts(e, n, f, coefficients)
}

/// What a logarithm is outside the positive normal numbers: of `u`, whose logarithm it is.
fn log_specials(e: &mut Emit, u: Val, y: Val) -> Val {
    let finite = e.cmp_k(Compare::Lt, u, f64::INFINITY);
    let y = e.sel(finite, y, u);
    let zero = e.cmp_k(Compare::Lt, u, f64::MIN_POSITIVE);
    let infinity = e.num(Lane::F64, f64::NEG_INFINITY);
    let y = e.sel(zero, infinity, y);
    let negative = e.cmp_k(Compare::Lt, u, 0.0);
    let nan = e.num(Lane::F64, f64::NAN);
    e.sel(negative, nan, y)
}

/// The logarithm of the size of an `F32` value.
fn log_of_narrow(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let size = e.cast(size, Lane::F64);
    let y = log_inside(e, size, &LOG_SHORT);
    log_specials(e, size, y)
}

/// As in `F32`: the mantissa's distance from 1 comes from `x` itself.
fn log1p(e: &mut Emit, x: Val) -> Val {
    let one = e.num(Lane::F64, 1.0);
    let u = e.add(x, one);
    let bits = e.bits(u, Lane::I64);
    let Split { n, high } = split(e, bits);
    let one_bits = e.bits(one, Lane::I64);
    let power = e.sub(one_bits, high);
    let power = e.bits(power, Lane::F64);
    let rest = e.add_k(power, -1.0);
    let exact = e.fma(power, x, rest);
    let mantissa = e.sub(bits, high);
    let mantissa = e.bits(mantissa, Lane::F64);
    let rounded = e.add_k(mantissa, -1.0);
    let large = e.cmp_k(Compare::Gt, x, 2f64.powi(53));
    let f = e.sel(large, rounded, exact);
    let y = log_of_parts(e, n, f, &LOG_LONG);
    let y = log_specials(e, u, y);
    or_itself_if_tiny(e, x, y)
}

/// `exp(-x^2) P / (1 + 2 |x|)`, or 2 minus that; the square is exact in `F64`.
fn erfc(e: &mut Emit, x: Val) -> Val {
    let wide = e.cast(x, Lane::F64);
    let size = e.abs(wide);
    let size = e.at_most(size, 10.1);
    let below = e.add_k(size, -4.0);
    let above = e.add_k(size, 4.0);
    let t = e.div(below, above);
    let poly = e.poly(t, &ERFC);
    let square = e.mul(size, size);
    let sign = e.int(Lane::I64, 1 << 63);
    let minus = e.flip_sign(square, sign);
    let exp = exp_of_narrow(e, minus);
    let product = e.mul(exp, poly);
    let one = e.num(Lane::F64, 1.0);
    let twice = e.add(size, size);
    let sum = e.add(twice, one);
    let y = e.div(product, sum);
    let two = e.num(Lane::F64, 2.0);
    let other = e.sub(two, y);
    let negative = e.cmp_k(Compare::Lt, wide, 0.0);
    e.sel(negative, other, y)
}

/// Half the difference of exponentials, or a short series where they cancel.
fn sinh(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let (up, down) = exps(e, size);
    let far = e.sub(up, down);
    let far = e.mul_k(far, 0.5);
    let far = signed(e, x, far);
    let square = e.mul(x, x);
    let cube = e.mul(square, x);
    let near = e.fma_k(cube, 1.0 / 6.0, x);
    near_or_far(e, size, 1.0 / 64.0, near, far)
}

/// `near` where `size` is below `bound`, `far` else and for NaN.
fn near_or_far(e: &mut Emit, size: Val, bound: f64, near: Val, far: Val) -> Val {
    let close = e.cmp_k(Compare::Lt, size, bound);
    e.sel(close, near, far)
}

/// `log(|x| + sqrt(x^2 + 1))`, or a short series near 0.
fn asinh(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let wide = e.cast(size, Lane::F64);
    let one = e.num(Lane::F64, 1.0);
    let root = e.fma(wide, wide, one);
    let root = e.un(Unary::Sqrt, root);
    let sum = e.add(wide, root);
    let log = log_inside(e, sum, &LOG_SHORT);
    let far = log_specials(e, sum, log);
    let far = e.cast(far, Lane::F32);
    let square = e.mul(size, size);
    let cube = e.mul(square, size);
    let near = e.fma_k(cube, -1.0 / 6.0, size);
    let y = near_or_far(e, size, 1.0 / 64.0, near, far);
    let sign = e.sign_bit(x);
    e.with_sign(y, sign)
}

/// `log(x + sqrt(x^2 - 1))`.
fn acosh(e: &mut Emit, x: Val) -> Val {
    let wide = e.cast(x, Lane::F64);
    let minus = e.num(Lane::F64, -1.0);
    let root = e.fma(wide, wide, minus);
    let root = e.un(Unary::Sqrt, root);
    let sum = e.add(wide, root);
    let y = log_inside(e, sum, &LOG_SHORT);
    let y = log_specials(e, sum, y);
    // Far below -1 the sum cancels to something tiny.
    let outside = e.cmp_k(Compare::Lt, wide, 1.0);
    let nan = e.num(Lane::F64, f64::NAN);
    let y = e.sel(outside, nan, y);
    e.cast(y, Lane::F32)
}

/// `log((1 + |x|) / (1 - |x|)) / 2`, or a short series near 0.
fn atanh(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let wide = e.cast(size, Lane::F64);
    let one = e.num(Lane::F64, 1.0);
    let above = e.add(one, wide);
    let below = e.sub(one, wide);
    let quotient = e.div(above, below);
    let log = log_inside(e, quotient, &LOG_SHORT);
    let log = log_specials(e, quotient, log);
    let far = e.mul_k(log, 0.5);
    let far = signed(e, x, far);
    let square = e.mul(x, x);
    let cube = e.mul(square, x);
    let near = e.fma_k(cube, 1.0 / 3.0, x);
    near_or_far(e, size, 1.0 / 128.0, near, far)
}

/// `exp(y log |x|)` in `F64`, with the special cases of IEEE 754's `pow`.
pub(super) fn pow(e: &mut Emit, x: Val, y: Val) -> Val {
    let log = log_of_narrow(e, x);
    let wide = e.cast(y, Lane::F64);
    let product = e.mul(log, wide);
    let size = exp_of_narrow(e, product);
    let size = e.cast(size, Lane::F32);
    let zero = e.num(Lane::F32, 0.0);
    let one = e.num(Lane::F32, 1.0);
    // An odd exponent keeps the sign; from 2^24 on all are even.
    let whole = e.un(Unary::Trunc, y);
    let whole = e.cmp(Compare::Eq, whole, y);
    let half = e.mul_k(y, 0.5);
    let half_whole = e.un(Unary::Trunc, half);
    let uneven = e.cmp(Compare::Ne, half_whole, half);
    let odd = e.bin(Binary::And, whole, uneven);
    let sign = e.sign_bit(x);
    let negative = e.flip_sign(size, sign);
    let z = e.sel(odd, negative, size);
    // A finite negative number to a fraction is not real.
    let below = e.cmp(Compare::Lt, x, zero);
    let finite = e.cmp_k(Compare::Gt, x, f64::NEG_INFINITY);
    let not_whole = e.un(Unary::Not, whole);
    let unreal = e.bin(Binary::And, below, finite);
    let unreal = e.bin(Binary::And, unreal, not_whole);
    let nan = e.num(Lane::F32, f64::NAN);
    let z = e.sel(unreal, nan, z);
    // 1 to anything, anything to 0, and -1 to an infinity are 1.
    let x_one = e.cmp(Compare::Eq, x, one);
    let y_zero = e.cmp(Compare::Eq, y, zero);
    let x_minus_one = e.cmp_k(Compare::Eq, x, -1.0);
    let y_size = e.abs(y);
    let y_infinite = e.cmp_k(Compare::Eq, y_size, f64::INFINITY);
    let minus_one = e.bin(Binary::And, x_minus_one, y_infinite);
    let always_one = e.bin(Binary::Or, x_one, y_zero);
    let always_one = e.bin(Binary::Or, always_one, minus_one);
    e.sel(always_one, one, z)
}
