//! Integers of any width, in `i128` and cut to their width afterwards.
//!
//! Where StableHLO leaves a result to the implementation, it is XLA's: `x / 0` is -1 (all ones),
//! `x % 0` is `x`, and the smallest value divided by -1 is itself.

use tfjit_base::DType;
use tfjit_hlo::{Binary, Unary};

/// Width and signedness of an integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Width {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

impl Width {
    /// The width of an integer type; booleans count as one unsigned bit.
    pub(crate) fn of(dtype: DType) -> Option<Width> {
        (dtype.is_int() || dtype == DType::Bool)
            .then(|| Width { bits: dtype.bits() as u32, signed: dtype.is_signed_int() })
    }

    /// `value` modulo 2^bits, in the type's range.
    pub(crate) fn wrap(self, value: i128) -> i128 {
        let unused = 128 - self.bits;
        if self.signed { (value << unused) >> unused } else { self.unsigned(value) }
    }

    /// The low bits of `value` as a number that is not negative.
    fn unsigned(self, value: i128) -> i128 {
        value & ((1i128 << self.bits) - 1)
    }

    /// Smallest value.
    pub(crate) fn min(self) -> i128 {
        if self.signed { -(1i128 << (self.bits - 1)) } else { 0 }
    }

    /// Largest value.
    pub(crate) fn max(self) -> i128 {
        if self.signed { (1i128 << (self.bits - 1)) - 1 } else { (1i128 << self.bits) - 1 }
    }
}

/// An operation on one integer; the result is yet to be wrapped.
pub(crate) type Int1 = fn(i128, Width) -> i128;
/// An operation on two integers; the result is yet to be wrapped.
pub(crate) type Int2 = fn(i128, i128, Width) -> i128;

/// The unary operations that integers have.
pub(crate) fn unary(op: Unary) -> Option<Int1> {
    Some(match op {
        Unary::Abs => |x, _| x.abs(),
        Unary::Negate => |x, _| -x,
        Unary::Not => |x, _| !x,
        Unary::Sign => |x, _| x.signum(),
        Unary::Square => |x, _| x.wrapping_mul(x),
        Unary::Popcnt => |x, w| i128::from(w.unsigned(x).count_ones()),
        Unary::CountLeadingZeros => {
            |x, w| i128::from(w.unsigned(x).leading_zeros() - (128 - w.bits))
        }
        Unary::Conj | Unary::Real => |x, _| x,
        _ => return None,
    })
}

/// The binary operations that integers have.
pub(crate) fn binary(op: Binary) -> Option<Int2> {
    Some(match op {
        Binary::Add => |x, y, _| x + y,
        Binary::Subtract => |x, y, _| x - y,
        Binary::Multiply => |x, y, _| x.wrapping_mul(y),
        Binary::Divide => |x, y, _| if y == 0 { -1 } else { x / y },
        Binary::Remainder => |x, y, _| if y == 0 { x } else { x % y },
        Binary::Maximum => |x, y, _| x.max(y),
        Binary::Minimum => |x, y, _| x.min(y),
        Binary::And => |x, y, _| x & y,
        Binary::Or => |x, y, _| x | y,
        Binary::Xor => |x, y, _| x ^ y,
        Binary::Power => power,
        Binary::ShiftLeft => |x, y, w| if in_width(y, w) { x << y } else { 0 },
        Binary::ShiftRightLogical => |x, y, w| if in_width(y, w) { w.unsigned(x) >> y } else { 0 },
        Binary::ShiftRightArithmetic => shift_right_arithmetic,
        _ => return None,
    })
}

/// Whether a shift amount is smaller than the width; a negative one counts as huge.
fn in_width(amount: i128, w: Width) -> bool {
    (0..i128::from(w.bits)).contains(&amount)
}

/// Fills with the top bit, also for unsigned types.
fn shift_right_arithmetic(x: i128, amount: i128, w: Width) -> i128 {
    let unused = 128 - w.bits;
    let signed = (x << unused) >> unused;
    signed >> if in_width(amount, w) { amount as u32 } else { w.bits - 1 }
}

/// `x` to the power `y`, modulo the width; a negative power is the truncated quotient `1 / x^-y`.
fn power(x: i128, y: i128, w: Width) -> i128 {
    if y < 0 {
        return match x {
            1 => 1,
            -1 => 1 - 2 * (y & 1),
            _ => 0,
        };
    }
    let (mut base, mut exponent, mut result) = (x, y, 1i128);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = w.wrap(result.wrapping_mul(base));
        }
        base = w.wrap(base.wrapping_mul(base));
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(op: Binary, dtype: DType, x: i128, y: i128) -> i128 {
        let w = Width::of(dtype).unwrap();
        w.wrap(binary(op).unwrap()(x, y, w))
    }

    #[test]
    fn edges_of_division() {
        assert_eq!(apply(Binary::Divide, DType::I32, 7, 0), -1);
        assert_eq!(apply(Binary::Divide, DType::U8, 7, 0), 255);
        assert_eq!(apply(Binary::Remainder, DType::I32, 7, 0), 7);
        let min = i128::from(i64::MIN);
        assert_eq!(apply(Binary::Divide, DType::I64, min, -1), min);
        assert_eq!(apply(Binary::Remainder, DType::I64, min, -1), 0);
        assert_eq!(apply(Binary::Remainder, DType::I8, -7, 3), -1);
    }

    #[test]
    fn shifts_know_the_width() {
        assert_eq!(apply(Binary::ShiftLeft, DType::I4, 1, 3), -8);
        assert_eq!(apply(Binary::ShiftLeft, DType::I32, 1, 32), 0);
        assert_eq!(apply(Binary::ShiftLeft, DType::I32, 1, -1), 0);
        assert_eq!(apply(Binary::ShiftRightLogical, DType::I8, -1, 1), 127);
        assert_eq!(apply(Binary::ShiftRightArithmetic, DType::I8, -128, 100), -1);
        assert_eq!(apply(Binary::ShiftRightArithmetic, DType::U8, 0x80, 1), 0xc0);
    }

    #[test]
    fn powers_wrap() {
        assert_eq!(apply(Binary::Power, DType::I4, 3, 3), 27 - 32);
        assert_eq!(apply(Binary::Power, DType::I64, -1, -3), -1);
        assert_eq!(apply(Binary::Power, DType::I64, 0, -3), 0);
        assert_eq!(apply(Binary::Power, DType::U64, 2, 64), 0);
        assert_eq!(apply(Binary::Power, DType::I64, 0, 0), 1);
    }

    #[test]
    fn bits_are_counted_in_the_width() {
        let w = Width::of(DType::I4).unwrap();
        assert_eq!(unary(Unary::CountLeadingZeros).unwrap()(1, w), 3);
        assert_eq!(unary(Unary::Popcnt).unwrap()(-1, w), 4);
        let w = Width::of(DType::U64).unwrap();
        assert_eq!(unary(Unary::CountLeadingZeros).unwrap()(0, w), 64);
        assert_eq!(w.wrap(unary(Unary::Not).unwrap()(0, w)), i128::from(u64::MAX));
    }
}
