//! Orders of floating-point numbers by their bits: IEEE 754's total order and the next number.

/// Bits of a sign-magnitude number.
pub(crate) trait Code: Copy {
    /// A key that sorts as IEEE 754's `totalOrder`: -NaN, -inf, ..., -0, +0, ..., +inf, +NaN.
    fn total_key(self) -> i64;
    /// The neighbour of the number with these bits in the direction of `to`, both finite or
    /// infinite, not equal and not NaN.
    fn step(self, from_is_zero: bool, up: bool, to_is_negative: bool) -> Self;
}

macro_rules! codes {
    ($($u:ty, $i:ty);*) => {$(
        impl Code for $u {
            fn total_key(self) -> i64 {
                let code = self as $i;
                // Negative numbers are ordered backwards: flip all bits below the sign.
                let flipped = code ^ (((code >> (<$i>::BITS - 1)) as $u) >> 1) as $i;
                i64::from(flipped)
            }

            fn step(self, from_is_zero: bool, up: bool, to_is_negative: bool) -> $u {
                let sign = 1 << (<$u>::BITS - 1);
                if from_is_zero {
                    return if to_is_negative { sign | 1 } else { 1 };
                }
                let negative = self & sign != 0;
                if negative == up { self - 1 } else { self + 1 }
            }
        }
    )*};
}
codes!(u8, i8; u16, i16; u32, i32; u64, i64);

/// The number after `x` in the direction of `y`, given their values and the bits of `x`; `None`
/// when the answer is not a neighbour: `y` itself when they are equal, NaN if one is NaN.
pub(crate) fn next_after<C: Code>(code: C, x: f64, y: f64) -> Option<C> {
    if x.is_nan() || y.is_nan() || x == y {
        return None;
    }
    Some(code.step(x == 0.0, y > x, y.is_sign_negative()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_order_sorts_all_kinds() {
        let nan = f32::NAN;
        let sorted = [-nan, f32::NEG_INFINITY, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, nan];
        let keys: Vec<i64> = sorted.iter().map(|v| v.to_bits().total_key()).collect();
        assert!(keys.windows(2).all(|w| w[0] < w[1]), "{keys:?}");
        assert!((-1.0f64).to_bits().total_key() < 0.5f64.to_bits().total_key());
    }

    #[test]
    fn neighbours() {
        let next = |x: f32, y: f32| {
            next_after(x.to_bits(), x.into(), y.into()).map(f32::from_bits).unwrap_or(y)
        };
        assert_eq!(next(0.0, -1.0), -1e-45);
        assert_eq!(next(-0.0, 1.0), 1e-45);
        assert_eq!(next(1.0, 2.0), 1.0 + f32::EPSILON);
        assert_eq!(next(1e-45, -1.0), 0.0);
        assert_eq!(next(-1.0, 0.0), -1.0 + f32::EPSILON / 2.0);
        assert_eq!(next(f32::MAX, f32::INFINITY), f32::INFINITY);
        assert_eq!(next(2.0, 2.0), 2.0);
    }
}
