//! Sines and their kin of `F32` values.
//!
//! Arguments are reduced in `F64` lanes, as in Payne and Hanek (SIGNUM Newsletter 18, 1983), with
//! pieces of the inverse of a full turn so short that their products with an `F32` value are exact:
//! whole turns are dropped from each product, and what is left is right for all arguments.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::super::{Binary, Compare, Lane, Unary, Val};
use super::emit::Emit;

/// `2 / pi` in pieces of 28 bits, and the rest.
const TWO_OVER_PI: [f64; 5] = [
    0.6366197690367699,
    3.3308114738561656e-09,
    2.276010047810136e-18,
    2.5268260189002822e-26,
    1.6682867657019525e-34,
];
const TWO_OVER_PI_REST: f64 = 1.1588713353428143e-43;
/// `(sin(r) / r - 1) / r^2` and `(cos(r) - 1 + r^2 / 2) / r^4` in `r^2` for `|r| <= pi / 4`, errors
/// 2^-28 and 2^-33.
const SIN: [f64; 3] = [-0.166666542, 0.0083321315, -0.000195108389];
const COS: [f64; 3] = [0.0416666457, -0.00138873061, 2.44312059e-05];
/// The same, errors 2^-47 and 2^-50.
const SIN_WIDE: [f64; 5] = [
    -0.16666666666627966,
    0.0083333333246113,
    -0.00019841269263456885,
    2.755527904754466e-06,
    -2.4755891521595476e-08,
];
const COS_WIDE: [f64; 5] = [
    0.04166666666659012,
    -0.00138888888759608,
    2.4801579816352122e-05,
    -2.755534816728605e-07,
    2.063356614159625e-09,
];
/// `(atan(t) / t - 1) / t^2` in `t^2` for `|t| <= tan(pi / 8)`, error 2^-40.
const ATAN: [f64; 7] = [
    -0.33333333296220813,
    0.19999994378947258,
    -0.14285425477787045,
    0.11104033831077995,
    -0.0899708330695737,
    0.06992182092426055,
    -0.03793916285950158,
];

/// An angle as a number of quarter turns and a rest.
struct Reduced {
    /// The quarter turns, in the low bits of an `I32`.
    quarters: Val,
    /// The rest in radians, at most pi / 4 in size, as `F64`.
    rest: Val,
}

fn reduce(e: &mut Emit, x: Val) -> Reduced {
    let wide = e.cast(x, Lane::F64);
    // Parts of turns; at most two of them are large, so that their sum has all its bits.
    let parts = TWO_OVER_PI.map(|piece| {
        let turns = e.mul_k(wide, piece / 4.0);
        let whole = e.un(Unary::RoundEven, turns);
        e.sub(turns, whole)
    });
    let mut sum = parts[0];
    for &part in &parts[1..] {
        sum = e.add(sum, part);
    }
    let quarters = e.mul_k(sum, 4.0);
    let quarters = e.un(Unary::RoundEven, quarters);
    let whole = e.mul_k(quarters, 0.25);
    // Summed again without the quarters: what is small is not rounded away.
    let mut rest = e.sub(parts[0], whole);
    for &part in &parts[1..] {
        rest = e.add(rest, part);
    }
    let last = e.num(Lane::F64, TWO_OVER_PI_REST / 4.0);
    let rest = e.fma(wide, last, rest);
    let rest = e.mul_k(rest, 2.0 * PI);
    let quarters = e.cast(quarters, Lane::F32);
    let quarters = e.add_k(quarters, 12_582_912.0);
    Reduced { quarters: e.bits(quarters, Lane::I32), rest }
}

/// The sine of the angle `shift` quarter turns further.
fn sine(e: &mut Emit, x: Val, shift: i32) -> Val {
    let Reduced { mut quarters, rest } = reduce(e, x);
    if shift != 0 {
        quarters = e.add_k(quarters, f64::from(shift));
    }
    let r = e.cast(rest, Lane::F32);
    let z = e.mul(r, r);
    let sin = e.poly(z, &SIN);
    let cube = e.mul(z, r);
    let sin = e.fma(cube, sin, r);
    let cos = e.poly(z, &COS);
    let half = e.num(Lane::F32, -0.5);
    let cos = e.fma(cos, z, half);
    let one = e.num(Lane::F32, 1.0);
    let cos = e.fma(cos, z, one);
    let odd = odd(e, quarters);
    let y = e.sel(odd, cos, sin);
    let by = e.int(Lane::I32, 30);
    let sign = e.bin(Binary::Shl, quarters, by);
    let mask = e.int(Lane::I32, 1 << 31);
    let sign = e.bin(Binary::And, sign, mask);
    e.flip_sign(y, sign)
}

/// Whether an integer is odd.
fn odd(e: &mut Emit, quarters: Val) -> Val {
    let one = e.int(Lane::I32, 1);
    let low = e.bin(Binary::And, quarters, one);
    e.cmp(Compare::Eq, low, one)
}

/// `x` where its size is below 2^-12, which keeps the sign of zero; else `y`.
fn or_itself_if_small(e: &mut Emit, x: Val, y: Val) -> Val {
    let size = e.abs(x);
    let small = e.cmp_k(Compare::Lt, size, 2f64.powi(-12));
    e.sel(small, x, y)
}

pub(super) fn sin(e: &mut Emit, x: Val) -> Val {
    let y = sine(e, x, 0);
    or_itself_if_small(e, x, y)
}

pub(super) fn cos(e: &mut Emit, x: Val) -> Val {
    sine(e, x, 1)
}

/// The quotient of sine and cosine, in `F64`.
pub(super) fn tan(e: &mut Emit, x: Val) -> Val {
    let Reduced { quarters, rest: r } = reduce(e, x);
    let z = e.mul(r, r);
    let sin = e.poly(z, &SIN_WIDE);
    let cube = e.mul(z, r);
    let sin = e.fma(cube, sin, r);
    let cos = e.poly(z, &COS_WIDE);
    let half = e.num(Lane::F64, -0.5);
    let cos = e.fma(cos, z, half);
    let one = e.num(Lane::F64, 1.0);
    let cos = e.fma(cos, z, one);
    let even = e.div(sin, cos);
    let even = e.cast(even, Lane::F32);
    let other = e.div(cos, sin);
    let other = e.cast(other, Lane::F32);
    let sign = e.int(Lane::I32, 1 << 31);
    let other = e.flip_sign(other, sign);
    let odd = odd(e, quarters);
    let y = e.sel(odd, other, even);
    or_itself_if_small(e, x, y)
}

/// The angle in the first quadrant of the point with coordinates `x` and `y`, both `F64` and not
/// negative, not both 0 or infinite. Above pi / 8 it is taken from the diagonal, above 3 pi / 8
/// from the vertical.
fn angle(e: &mut Emit, y: Val, x: Val) -> Val {
    const TAN_1: f64 = 0.414_213_562_373_095_03;
    const TAN_3: f64 = 2.414_213_562_373_095;
    let bound = e.mul_k(x, TAN_1);
    let middle = e.cmp(Compare::Gt, y, bound);
    let bound = e.mul_k(x, TAN_3);
    let steep = e.cmp(Compare::Gt, y, bound);
    let difference = e.sub(y, x);
    let sum = e.add(y, x);
    let sign = e.int(Lane::I64, 1 << 63);
    let minus_x = e.flip_sign(x, sign);
    let top = e.sel(middle, difference, y);
    let top = e.sel(steep, minus_x, top);
    let bottom = e.sel(middle, sum, x);
    let bottom = e.sel(steep, y, bottom);
    let t = e.div(top, bottom);
    let z = e.mul(t, t);
    let poly = e.poly(z, &ATAN);
    let cube = e.mul(z, t);
    let atan = e.fma(cube, poly, t);
    let zero = e.num(Lane::F64, 0.0);
    let eighth = e.num(Lane::F64, FRAC_PI_4);
    let quarter = e.num(Lane::F64, FRAC_PI_2);
    let base = e.sel(middle, eighth, zero);
    let base = e.sel(steep, quarter, base);
    e.add(base, atan)
}

pub(super) fn atan(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let wide = e.cast(size, Lane::F64);
    let one = e.num(Lane::F64, 1.0);
    let y = angle(e, wide, one);
    let y = e.cast(y, Lane::F32);
    let sign = e.sign_bit(x);
    let y = e.with_sign(y, sign);
    or_itself_if_small(e, x, y)
}

/// `sqrt(1 - x^2)`, exact enough at both ends.
fn other_leg(e: &mut Emit, x: Val) -> Val {
    let one = e.num(Lane::F64, 1.0);
    let below = e.sub(one, x);
    let above = e.add(one, x);
    let product = e.mul(below, above);
    e.un(Unary::Sqrt, product)
}

pub(super) fn asin(e: &mut Emit, x: Val) -> Val {
    let size = e.abs(x);
    let wide = e.cast(size, Lane::F64);
    let leg = other_leg(e, wide);
    let y = angle(e, wide, leg);
    let y = e.cast(y, Lane::F32);
    let sign = e.sign_bit(x);
    let y = e.with_sign(y, sign);
    or_itself_if_small(e, x, y)
}

pub(super) fn acos(e: &mut Emit, x: Val) -> Val {
    let wide = e.cast(x, Lane::F64);
    let leg = other_leg(e, wide);
    let size = e.abs(wide);
    let y = angle(e, leg, size);
    let pi = e.num(Lane::F64, PI);
    let other = e.sub(pi, y);
    let negative = e.cmp_k(Compare::Lt, wide, 0.0);
    let y = e.sel(negative, other, y);
    e.cast(y, Lane::F32)
}

/// All quadrants, zeros and infinities as IEEE 754 has them.
pub(super) fn atan2(e: &mut Emit, y: Val, x: Val) -> Val {
    let wide_y = e.cast(y, Lane::F64);
    let wide_x = e.cast(x, Lane::F64);
    let size_y = e.abs(wide_y);
    let size_x = e.abs(wide_x);
    let one = e.num(Lane::F64, 1.0);
    let zero = e.num(Lane::F64, 0.0);
    // Two infinities are on the diagonal, two zeros on the axis.
    let infinite_y = e.cmp_k(Compare::Eq, size_y, f64::INFINITY);
    let infinite_x = e.cmp_k(Compare::Eq, size_x, f64::INFINITY);
    let infinite = e.bin(Binary::And, infinite_y, infinite_x);
    let top = e.sel(infinite, one, size_y);
    let bottom = e.sel(infinite, one, size_x);
    let sum = e.add(top, bottom);
    let origin = e.cmp(Compare::Eq, sum, zero);
    let bottom = e.sel(origin, one, bottom);
    let z = angle(e, top, bottom);
    let pi = e.num(Lane::F64, PI);
    let other = e.sub(pi, z);
    let sign = e.sign_bit(wide_x);
    let side = e.with_sign(one, sign);
    let left = e.cmp(Compare::Lt, side, zero);
    let z = e.sel(left, other, z);
    let z = e.cast(z, Lane::F32);
    let sign = e.sign_bit(y);
    e.flip_sign(z, sign)
}
