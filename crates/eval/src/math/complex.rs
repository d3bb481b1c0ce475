//! Complex functions, in pairs of `f64`.
//!
//! The inverse functions are Kahan's ("Branch cuts for complex elementary functions", 1987), which
//! keep the sign of zero on the cuts; the others are written so that nothing cancels or overflows
//! before the result does.

use tfjit_base::Complex64;
use tfjit_hlo::{Binary, Unary};

type C = Complex64;

/// A complex function of one argument.
pub(crate) type Complex1 = fn(C) -> C;
/// A complex function of two arguments.
pub(crate) type Complex2 = fn(C, C) -> C;

/// The operations from a complex number to a complex number.
pub(crate) fn unary(op: Unary) -> Option<Complex1> {
    Some(match op {
        Unary::Cbrt => |z| if z == zero() { z } else { exp(log(z) / 3.0) },
        Unary::Conj => |z| z.conj(),
        Unary::Cosine => |z| cosh(times_i(z)),
        Unary::Exponential => exp,
        Unary::ExponentialMinusOne => exp_minus_one,
        Unary::Log => log,
        Unary::LogPlusOne => log_plus_one,
        Unary::Logistic => |z| divide(one(), one() + exp(-z)),
        Unary::Negate => |z| -z,
        Unary::Rsqrt => |z| divide(one(), sqrt(z)),
        Unary::Sign => |z| if z == zero() { z } else { z / abs(z) },
        Unary::Sine => |z| over_i(sinh(times_i(z))),
        Unary::Sqrt => sqrt,
        Unary::Square => |z| z * z,
        Unary::Tan | Unary::ChloTan => |z| over_i(tanh(times_i(z))),
        Unary::Tanh => tanh,
        Unary::Acos => acos,
        Unary::Acosh => acosh,
        Unary::Asin => asin,
        Unary::Asinh => |z| over_i(asin(times_i(z))),
        Unary::Atan => |z| over_i(atanh(times_i(z))),
        Unary::Atanh => atanh,
        Unary::Cosh => cosh,
        Unary::Sinh => sinh,
        _ => return None,
    })
}

/// The operations from a complex number to a real one.
pub(crate) fn to_real(op: Unary) -> Option<fn(C) -> f64> {
    Some(match op {
        Unary::Abs => abs,
        Unary::Real => |z| z.re,
        Unary::Imag => |z| z.im,
        _ => return None,
    })
}

/// The operations from two complex numbers to one, other than sums and products, which the element
/// type does itself.
pub(crate) fn binary(op: Binary) -> Option<Complex2> {
    Some(match op {
        Binary::Divide => divide,
        Binary::Power => power,
        Binary::Atan2 => atan2,
        Binary::Maximum => |x, y| if before(x, y) { y } else { x },
        Binary::Minimum => |x, y| if before(y, x) { y } else { x },
        _ => return None,
    })
}

fn zero() -> C {
    C::new(0.0, 0.0)
}

fn one() -> C {
    C::new(1.0, 0.0)
}

fn times_i(z: C) -> C {
    C::new(-z.im, z.re)
}

fn over_i(z: C) -> C {
    C::new(z.im, -z.re)
}

/// Lexicographic order, real part first.
fn before(x: C, y: C) -> bool {
    x.re < y.re || (x.re == y.re && x.im < y.im)
}

fn abs(z: C) -> f64 {
    z.re.hypot(z.im)
}

/// Smith's quotient, scaled by the larger part of the divisor, so that nothing overflows early;
/// then
/// the infinities that C's Annex G (G.5.1) recovers where the formula makes NaN.
fn divide(x: C, y: C) -> C {
    let quotient = if y.re.abs() >= y.im.abs() {
        let ratio = y.im / y.re;
        let scale = y.re + y.im * ratio;
        C::new((x.re + x.im * ratio) / scale, (x.im - x.re * ratio) / scale)
    } else {
        let ratio = y.re / y.im;
        let scale = y.im + y.re * ratio;
        C::new((x.re * ratio + x.im) / scale, (x.im * ratio - x.re) / scale)
    };
    if !quotient.re.is_nan() || !quotient.im.is_nan() {
        return quotient;
    }
    let infinite = |z: C| z.re.is_infinite() || z.im.is_infinite();
    let unit = |v: f64| if v.is_infinite() { 1f64 } else { 0.0 }.copysign(v);
    if y == zero() && !(x.re.is_nan() && x.im.is_nan()) {
        let sign = f64::INFINITY.copysign(y.re);
        C::new(sign * x.re, sign * x.im)
    } else if infinite(x) && y.is_finite() {
        let (a, b) = (unit(x.re), unit(x.im));
        C::new(f64::INFINITY * (a * y.re + b * y.im), f64::INFINITY * (b * y.re - a * y.im))
    } else if infinite(y) && x.is_finite() {
        let (c, d) = (unit(y.re), unit(y.im));
        C::new(0.0 * (x.re * c + x.im * d), 0.0 * (x.im * c - x.re * d))
    } else {
        quotient
    }
}

/// `r (cos a + i sin a)`; an exact zero angle keeps infinite `r` from making NaN.
fn polar(r: f64, a: f64) -> C {
    if a == 0.0 { C::new(r, a) } else { C::new(r * a.cos(), r * a.sin()) }
}

/// With the special values of C's Annex G (G.6.3.1).
fn exp(z: C) -> C {
    if z.re == f64::NEG_INFINITY && !z.im.is_finite() {
        return zero();
    }
    if z.re == f64::INFINITY && !z.im.is_finite() {
        return C::new(f64::INFINITY, f64::NAN);
    }
    if z.re > 700.0 && z.re < 1500.0 {
        // Half of the exponent first: the product may be finite where exp(re) is not.
        let half = (z.re / 2.0).exp();
        return polar(half, z.im) * half;
    }
    polar(z.re.exp(), z.im)
}

fn exp_minus_one(z: C) -> C {
    if !z.is_finite() {
        return exp(z) - one();
    }
    let half = (z.im / 2.0).sin();
    let re = z.re.exp_m1() * z.im.cos() - 2.0 * half * half;
    let im = if z.im == 0.0 { z.im } else { z.re.exp() * z.im.sin() };
    C::new(re, im)
}

fn log(z: C) -> C {
    let (big, small) = (z.re.abs().max(z.im.abs()), z.re.abs().min(z.im.abs()));
    // Near the unit circle, ln|z| is the logarithm of a number close to one.
    let re = if z.is_finite() && big > 0.5 && big < 2.0 {
        ((big - 1.0) * (big + 1.0) + small * small).ln_1p() / 2.0
    } else {
        abs(z).ln()
    };
    C::new(re, z.im.atan2(z.re))
}

fn log_plus_one(z: C) -> C {
    let re = if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        (z.re * (2.0 + z.re) + z.im * z.im).ln_1p() / 2.0
    } else {
        return log(C::new(1.0 + z.re, z.im));
    };
    C::new(re, z.im.atan2(1.0 + z.re))
}

/// Principal root, scaled so that the modulus does not overflow.
fn sqrt(z: C) -> C {
    if z.im.is_infinite() {
        return C::new(f64::INFINITY, z.im);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return C::new(0.0, z.im);
    }
    if z.re.is_infinite() {
        let other = if z.im.is_nan() { z.im } else { 0.0 };
        return if z.re > 0.0 {
            C::new(z.re, other.copysign(z.im))
        } else {
            C::new(other, f64::INFINITY.copysign(z.im))
        };
    }
    let scale = if z.re.abs().max(z.im.abs()) > 1e300 { 4.0 } else { 0.25 };
    let s = C::new(z.re / scale, z.im / scale);
    let root = ((s.re.abs() + abs(s)) / 2.0).sqrt();
    let (root, other) = (root * scale.sqrt(), s.im / (2.0 * root) * scale.sqrt());
    if z.re >= 0.0 { C::new(root, other) } else { C::new(other.abs(), root.copysign(z.im)) }
}

/// With the special values of C's Annex G (G.6.2.5).
fn sinh(z: C) -> C {
    if z.re.is_infinite() && !z.im.is_finite() {
        return C::new(z.re, f64::NAN);
    }
    let im = if z.im == 0.0 { z.im } else { z.re.cosh() * z.im.sin() };
    let re = if z.re == 0.0 { z.re } else { z.re.sinh() * z.im.cos() };
    C::new(re, im)
}

/// With the special values of C's Annex G (G.6.2.4).
fn cosh(z: C) -> C {
    if z.re.is_infinite() && !z.im.is_finite() {
        return C::new(f64::INFINITY, f64::NAN);
    }
    let im = if z.im == 0.0 || z.re == 0.0 {
        // Zero of the product's sign, whatever the other part is.
        0f64.copysign(z.re) * 1f64.copysign(z.im)
    } else {
        z.re.sinh() * z.im.sin()
    };
    C::new(z.re.cosh() * z.im.cos(), im)
}

/// Kahan's quotient of sinh and cosh; past 20 the imaginary part decays like `exp(-2|re|)`.
fn tanh(z: C) -> C {
    if z.re.abs() > 20.0 {
        let decay = 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp();
        let im = if z.re.is_infinite() && decay.is_nan() { 0.0 } else { decay };
        return C::new(1f64.copysign(z.re), im);
    }
    if z.im == 0.0 {
        return C::new(z.re.tanh(), z.im);
    }
    if z.re == 0.0 {
        return C::new(z.re, z.im.tan());
    }
    let (t, s) = (z.im.tan(), z.re.sinh());
    let beta = 1.0 + t * t;
    let rho = (1.0 + s * s).sqrt();
    let denominator = 1.0 + beta * s * s;
    if t.is_infinite() {
        return C::new(rho / s, 1.0 / t);
    }
    C::new(beta * rho * s / denominator, t / denominator)
}

fn asin(z: C) -> C {
    let (minus, plus) = (sqrt(one() - z), sqrt(one() + z));
    let re = z.re.atan2((minus * plus).re);
    let im = libm::asinh((minus.conj() * plus).im);
    C::new(re, im)
}

fn acos(z: C) -> C {
    let (minus, plus) = (sqrt(one() - z), sqrt(one() + z));
    let re = 2.0 * minus.re.atan2(plus.re);
    let im = libm::asinh((plus.conj() * minus).im);
    C::new(re, im)
}

fn acosh(z: C) -> C {
    let (minus, plus) = (sqrt(z - one()), sqrt(z + one()));
    let re = libm::asinh((minus.conj() * plus).re);
    let im = 2.0 * minus.im.atan2(plus.re);
    C::new(re, im)
}

/// `re = log1p(4x / ((1-x)^2 + y^2)) / 4`, `im = atan2(2y, (1-x)(1+x) - y^2) / 2`.
fn atanh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if abs(z) > 1e150 {
        // The quotients below would overflow; the real part is 1/z's.
        let inverse = divide(one(), z);
        let re = if inverse.re.is_nan() { 0f64.copysign(x) } else { inverse.re };
        return C::new(re, std::f64::consts::FRAC_PI_2.copysign(y));
    }
    let square = (1.0 - x.abs()) * (1.0 - x.abs()) + y * y;
    let re = ((4.0 * x.abs() / square).ln_1p() / 4.0).copysign(x);
    let im = (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y) / 2.0;
    C::new(re, im)
}

/// `exp(y log x)`, with `0^0 = 1` and `0^y = 0` for a positive real part.
fn power(x: C, y: C) -> C {
    if y == zero() {
        return one();
    }
    if x == zero() && y.re > 0.0 {
        return zero();
    }
    if y.im == 0.0 && y.re == y.re.floor() && y.re.abs() <= 64.0 {
        let whole = x.powi(y.re.abs() as i32);
        return if y.re < 0.0 { divide(one(), whole) } else { whole };
    }
    exp(y * log(x))
}

/// `-i log((x + i y) / sqrt(x^2 + y^2))`.
fn atan2(y: C, x: C) -> C {
    over_i(log(divide(x + times_i(y), sqrt(x * x + y * y))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: C, re: f64, im: f64) {
        let error = abs(got - C::new(re, im));
        assert!(error <= 4e-15 * (1.0 + abs(got)), "got {got}, want {re}{im:+}i");
    }

    fn f(op: Unary, re: f64, im: f64) -> C {
        unary(op).unwrap()(C::new(re, im))
    }

    #[test]
    fn values_agree_with_numpy() {
        close(f(Unary::Exponential, 1.0, 2.0), -1.131_204_383_756_813_6, 2.471_726_672_004_819);
        close(f(Unary::Log, 1.0, 2.0), 0.804_718_956_217_050_3, 1.107_148_717_794_090_4);
        close(f(Unary::Sqrt, -1.0, -0.0), 0.0, -1.0);
        close(f(Unary::Sqrt, 3.0, 4.0), 2.0, 1.0);
        close(f(Unary::Sine, 1.0, 2.0), 3.165_778_513_216_168, 1.959_601_041_421_606);
        close(f(Unary::Cosine, 1.0, 2.0), 2.032_723_007_019_665_5, -3.051_897_799_151_8);
        close(f(Unary::Tan, 1.0, 2.0), 0.033_812_826_079_896_69, 1.014_793_616_146_633_5);
        close(f(Unary::Tanh, 1.0, 2.0), 1.166_736_257_240_92, -0.243_458_201_185_725_28);
        close(f(Unary::Asin, 1.0, 2.0), 0.427_078_586_392_476_14, 1.528_570_919_480_998_2);
        close(f(Unary::Acos, 1.0, 2.0), 1.143_717_740_402_420_4, -1.528_570_919_480_998_2);
        close(f(Unary::Acosh, 1.0, 2.0), 1.528_570_919_480_998_2, 1.143_717_740_402_420_4);
        close(f(Unary::Asinh, 1.0, 2.0), 1.469_351_744_368_185_3, 1.063_440_023_577_752);
        close(f(Unary::Atan, 1.0, 2.0), 1.338_972_522_294_493_5, 0.402_359_478_108_525_1);
        close(f(Unary::Atanh, 1.0, 2.0), 0.173_286_795_139_986_32, 1.178_097_245_096_172_4);
        close(f(Unary::LogPlusOne, 1e-10, 1e-10), 1e-10, 1e-10);
        close(f(Unary::ExponentialMinusOne, 1e-10, 1e-10), 1.0e-10, 1.0e-10);
    }

    #[test]
    fn quotients_and_powers() {
        close(divide(C::new(1.0, 2.0), C::new(3.0, 4.0)), 0.44, 0.08);
        close(power(C::new(0.0, 1.0), C::new(2.0, 0.0)), -1.0, 0.0);
        close(power(C::new(2.0, 0.0), C::new(0.5, 0.0)), 2f64.sqrt(), 0.0);
        assert_eq!(power(zero(), zero()), one());
        assert!(abs(f(Unary::Sqrt, 1e308, 1e308)).is_finite());
        assert_eq!(divide(one(), C::new(f64::INFINITY, f64::NAN)), zero());
        assert_eq!(divide(one(), zero()).re, f64::INFINITY);
    }

    #[test]
    fn infinities_survive_what_is_not_a_number() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        assert_eq!(f(Unary::Exponential, inf, nan).re, inf);
        assert_eq!(f(Unary::Exponential, -inf, nan), zero());
        assert_eq!(f(Unary::Cosh, -inf, nan).re, inf);
        assert_eq!(f(Unary::Sinh, -inf, inf).re, -inf);
        assert_eq!(f(Unary::Tanh, -inf, nan).re, -1.0);
        assert_eq!(f(Unary::Log, inf, nan).re, inf);
        assert!(f(Unary::Log, 1.0, nan).re.is_nan());
        assert_eq!(f(Unary::Rsqrt, 0.0, inf), zero());
    }
}
