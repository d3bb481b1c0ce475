//! Real floating-point functions of one and two arguments, in `f64`.

use tfjit_hlo::{Binary, Unary};

use super::special::{bessel_i1e, digamma, erf_inv, polygamma};
use super::zeta::zeta;

/// A real function of one argument.
pub(crate) type Real1 = fn(f64) -> f64;
/// A real function of two arguments.
pub(crate) type Real2 = fn(f64, f64) -> f64;

/// The operations from a real number to a real number.
pub(crate) fn unary(op: Unary) -> Option<Real1> {
    Some(match op {
        Unary::Abs => f64::abs,
        Unary::Cbrt => f64::cbrt,
        Unary::Ceil => f64::ceil,
        Unary::Conj | Unary::Real => |x| x,
        Unary::Imag => |_| 0.0,
        Unary::Cosine => f64::cos,
        Unary::Exponential => f64::exp,
        Unary::ExponentialMinusOne => f64::exp_m1,
        Unary::Floor => f64::floor,
        Unary::Log => f64::ln,
        Unary::LogPlusOne => f64::ln_1p,
        Unary::Logistic => logistic,
        Unary::Negate => |x| -x,
        Unary::RoundNearestAfz => f64::round,
        Unary::RoundNearestEven => f64::round_ties_even,
        Unary::Rsqrt => |x| 1.0 / x.sqrt(),
        Unary::Sign => sign,
        Unary::Sine => f64::sin,
        Unary::Sqrt => f64::sqrt,
        Unary::Square => |x| x * x,
        Unary::Tan | Unary::ChloTan => f64::tan,
        Unary::Tanh => f64::tanh,
        Unary::Acos => f64::acos,
        Unary::Acosh => libm::acosh,
        Unary::Asin => f64::asin,
        Unary::Asinh => libm::asinh,
        Unary::Atan => f64::atan,
        Unary::Atanh => libm::atanh,
        Unary::BesselI1e => bessel_i1e,
        Unary::Cosh => f64::cosh,
        Unary::Digamma => digamma,
        Unary::Erf => libm::erf,
        Unary::Erfc => libm::erfc,
        Unary::ErfInv => erf_inv,
        Unary::Lgamma => lgamma,
        Unary::Sinh => f64::sinh,
        Unary::CountLeadingZeros
        | Unary::IsFinite
        | Unary::Not
        | Unary::Popcnt
        | Unary::IsInf
        | Unary::IsNegInf
        | Unary::IsPosInf => return None,
    })
}

/// The questions asked of a real number.
pub(crate) fn test(op: Unary) -> Option<fn(f64) -> bool> {
    Some(match op {
        Unary::IsFinite => f64::is_finite,
        Unary::IsInf => f64::is_infinite,
        Unary::IsNegInf => |x| x == f64::NEG_INFINITY,
        Unary::IsPosInf => |x| x == f64::INFINITY,
        _ => return None,
    })
}

/// The operations from two real numbers to one, other than those that need the type's own bits.
pub(crate) fn binary(op: Binary) -> Option<Real2> {
    Some(match op {
        Binary::Add => |x, y| x + y,
        Binary::Subtract => |x, y| x - y,
        Binary::Multiply => |x, y| x * y,
        Binary::Divide => |x, y| x / y,
        Binary::Remainder => |x, y| x % y,
        Binary::Maximum => maximum,
        Binary::Minimum => minimum,
        Binary::Atan2 => f64::atan2,
        Binary::Power => f64::powf,
        Binary::Polygamma => polygamma,
        Binary::Zeta => zeta,
        Binary::And
        | Binary::Complex
        | Binary::Or
        | Binary::ShiftLeft
        | Binary::ShiftRightArithmetic
        | Binary::ShiftRightLogical
        | Binary::Xor
        | Binary::NextAfter => return None,
    })
}

/// `1 / (1 + exp(-x))`, which goes to zero and one without overflow.
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// -1, the zero itself, 1 or the NaN itself.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// The logarithm of the absolute value of the gamma function; infinite at its poles.
fn lgamma(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { f64::INFINITY } else { libm::lgamma(x) }
}

/// IEEE 754's `maximum`: NaN wins, and +0 is larger than -0.
fn maximum(x: f64, y: f64) -> f64 {
    larger(x, y)
}

/// IEEE 754's `minimum`: NaN wins, and -0 is smaller than +0.
fn minimum(x: f64, y: f64) -> f64 {
    smaller(x, y)
}

/// A native floating-point type, for the operations that loops are specialised for.
pub(crate) trait Native: Copy + PartialOrd {
    fn is_nan(self) -> bool;
    fn is_negative(self) -> bool;
}

macro_rules! native {
    ($($t:ty)*) => {$(
        impl Native for $t {
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
        }
    )*};
}
native!(f32 f64);

/// As [`maximum`], of either width.
pub(crate) fn larger<T: Native>(x: T, y: T) -> T {
    if x.is_nan() || x > y || (x == y && y.is_negative()) { x } else { y }
}

/// As [`minimum`], of either width.
pub(crate) fn smaller<T: Native>(x: T, y: T) -> T {
    if x.is_nan() || x < y || (x == y && x.is_negative()) { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_zeros_in_maximum() {
        assert!(maximum(f64::NAN, 1.0).is_nan() && maximum(1.0, f64::NAN).is_nan());
        assert!(minimum(f64::NAN, 1.0).is_nan() && minimum(1.0, f64::NAN).is_nan());
        assert!(maximum(-0.0, 0.0).is_sign_positive() && maximum(0.0, -0.0).is_sign_positive());
        assert!(minimum(-0.0, 0.0).is_sign_negative() && minimum(0.0, -0.0).is_sign_negative());
        assert_eq!((maximum(1.0, 2.0), minimum(1.0, 2.0)), (2.0, 1.0));
    }

    #[test]
    fn every_real_operation_is_there() {
        let holes = |op: &Unary| unary(*op).is_none() && test(*op).is_none();
        let missing: Vec<_> = Unary::ALL.iter().copied().filter(holes).collect();
        assert_eq!(missing, [Unary::CountLeadingZeros, Unary::Not, Unary::Popcnt]);
    }

    #[test]
    fn edges() {
        assert_eq!(logistic(-1000.0), 0.0);
        assert_eq!(logistic(1000.0), 1.0);
        assert!(sign(-0.0).is_sign_negative() && sign(f64::NAN).is_nan());
        assert_eq!(lgamma(f64::NEG_INFINITY), f64::INFINITY);
        assert_eq!(lgamma(0.0), f64::INFINITY);
        assert_eq!(unary(Unary::RoundNearestEven).map(|f| f(2.5)), Some(2.0));
        assert_eq!(unary(Unary::RoundNearestAfz).map(|f| f(2.5)), Some(3.0));
    }
}
