//! Functions of a few instructions, of all lane types.

use super::super::{Binary, Compare, Lane, Unary, Val};
use super::emit::Emit;

/// Whether a function stays as it is.
pub(super) fn is_primitive(unary: Unary) -> bool {
    use Unary::*;
    matches!(unary, Neg | Abs | Not | Sqrt | Floor | Ceil | Trunc | RoundEven | Narrow(_))
}

/// -1, 0 or 1; zeros keep their sign and NaN stays.
pub(super) fn sign(e: &mut Emit, x: Val) -> Val {
    let lane = e.lane(x);
    let one = e.num(lane, 1.0);
    let zero = e.num(lane, 0.0);
    let positive = e.cmp(Compare::Gt, x, zero);
    if matches!(lane, Lane::U32 | Lane::U64) {
        return e.sel(positive, one, zero);
    }
    let minus = e.num(lane, -1.0);
    let negative = e.cmp(Compare::Lt, x, zero);
    let rest = e.sel(negative, minus, x);
    e.sel(positive, one, rest)
}

/// Halves are rounded away from zero: the largest number below one half is added before the
/// fraction is cut off, so that nothing below a half reaches the next integer.
pub(super) fn round_afz(e: &mut Emit, x: Val) -> Val {
    let lane = e.lane(x);
    let below_half = if lane == Lane::F32 {
        f64::from(f32::from_bits(0.5f32.to_bits() - 1))
    } else {
        f64::from_bits(0.5f64.to_bits() - 1)
    };
    let sign = e.sign_bit(x);
    let half = e.num(lane, below_half);
    let half = e.with_sign(half, sign);
    let sum = e.add(x, half);
    e.un(Unary::Trunc, sum)
}

/// `1 / sqrt(x)`.
pub(super) fn rsqrt(e: &mut Emit, x: Val) -> Val {
    let root = e.un(Unary::Sqrt, x);
    let one = e.num(e.lane(x), 1.0);
    e.bin(Binary::Div, one, root)
}
