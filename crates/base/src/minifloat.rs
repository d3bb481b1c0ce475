//! Floating-point formats of 4, 6 and 8 bits, as conversions to and from `f32`.
//!
//! Formats follow the OCP microscaling (MX) and 8-bit floating point specifications and the
//! `FNUZ`/`B11` variants in use on accelerators. All values of these formats are exact in `f32`.

use crate::DType;

/// The parameters of a small float format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiniFloat {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    signed: bool,
    special: Special,
}

/// How a format spends its top codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// IEEE: the highest exponent holds infinity and NaN.
    Ieee,
    /// No infinity; all ones (without the sign) is NaN.
    FiniteNan,
    /// No infinity, no negative zero; the sign bit alone is NaN.
    FiniteNegativeZeroNan,
    /// Neither infinity nor NaN; overflow saturates.
    Finite,
}

impl MiniFloat {
    /// The format of `dtype`, or `None` if it is not one of the small floats.
    pub const fn of(dtype: DType) -> Option<MiniFloat> {
        use Special::*;
        let (exponent_bits, mantissa_bits, bias, signed, special) = match dtype {
            DType::F4E2M1FN => (2, 1, 1, true, Finite),
            DType::F6E2M3FN => (2, 3, 1, true, Finite),
            DType::F6E3M2FN => (3, 2, 3, true, Finite),
            DType::F8E3M4 => (3, 4, 3, true, Ieee),
            DType::F8E4M3 => (4, 3, 7, true, Ieee),
            DType::F8E4M3FN => (4, 3, 7, true, FiniteNan),
            DType::F8E4M3FNUZ => (4, 3, 8, true, FiniteNegativeZeroNan),
            DType::F8E4M3B11FNUZ => (4, 3, 11, true, FiniteNegativeZeroNan),
            DType::F8E5M2 => (5, 2, 15, true, Ieee),
            DType::F8E5M2FNUZ => (5, 2, 16, true, FiniteNegativeZeroNan),
            DType::F8E8M0FNU => (8, 0, 127, false, FiniteNan),
            _ => return None,
        };
        Some(MiniFloat { exponent_bits, mantissa_bits, bias, signed, special })
    }

    fn sign_bit(self) -> u32 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    /// The code that means NaN, if the format has one.
    fn nan(self) -> Option<u32> {
        match self.special {
            // Quiet NaN: highest exponent, top mantissa bit.
            Special::Ieee => Some(
                ((1 << self.exponent_bits) - 1) << self.mantissa_bits
                    | 1 << (self.mantissa_bits - 1),
            ),
            Special::FiniteNan => Some(self.sign_bit() - 1),
            Special::FiniteNegativeZeroNan => Some(self.sign_bit()),
            Special::Finite => None,
        }
    }

    /// The largest finite magnitude's code.
    fn largest(self) -> u32 {
        match self.special {
            Special::Ieee => (((1 << self.exponent_bits) - 1) << self.mantissa_bits) - 1,
            Special::FiniteNan => self.sign_bit() - 2,
            Special::FiniteNegativeZeroNan | Special::Finite => self.sign_bit() - 1,
        }
    }

    /// The value of `code` (low bits), exactly.
    pub fn decode(self, code: u8) -> f32 {
        let code = u32::from(code);
        let magnitude = code & (self.sign_bit() - 1);
        let negative = self.signed && code & self.sign_bit() != 0;
        if self.special == Special::FiniteNegativeZeroNan && code == self.sign_bit() {
            return f32::NAN;
        }
        if self.special == Special::FiniteNan && magnitude == self.sign_bit() - 1 {
            return f32::NAN;
        }
        let exponent = magnitude >> self.mantissa_bits;
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        if self.special == Special::Ieee && exponent == (1 << self.exponent_bits) - 1 {
            let value = if mantissa == 0 { f32::INFINITY } else { f32::NAN };
            return if negative { -value } else { value };
        }
        let value = self.finite(exponent, mantissa);
        (if negative { -value } else { value }) as f32
    }

    /// The value of a finite magnitude, in `f64` so that `E8M0`'s smallest power stays exact.
    fn finite(self, exponent: u32, mantissa: u32) -> f64 {
        let step = |e: i32| 2f64.powi(e - self.bias - self.mantissa_bits as i32);
        if self.mantissa_bits == 0 {
            step(exponent as i32)
        } else if exponent == 0 {
            f64::from(mantissa) * step(1)
        } else {
            f64::from(mantissa | 1 << self.mantissa_bits) * step(exponent as i32)
        }
    }

    /// The nearest code to `value`, ties to even; overflow gives infinity, NaN or the largest
    /// value, whichever the format has in that order.
    pub fn encode(self, value: f32) -> u8 {
        self.encode_f64(f64::from(value))
    }

    /// As [`MiniFloat::encode`], rounding once from `f64`.
    pub fn encode_f64(self, value: f64) -> u8 {
        if value.is_nan() || (!self.signed && value < 0.0) {
            return self.nan().unwrap_or(0) as u8;
        }
        let sign = if self.signed && value.is_sign_negative() { self.sign_bit() } else { 0 };
        let magnitude = self.round(value.abs());
        let code = match (magnitude, self.special) {
            (Some(0), Special::FiniteNegativeZeroNan) => 0,
            (Some(code), _) => code | sign,
            (None, Special::Ieee) => (self.largest() + 1) | sign,
            (None, Special::Finite) => self.largest() | sign,
            (None, Special::FiniteNan) => (self.sign_bit() - 1) | sign,
            (None, Special::FiniteNegativeZeroNan) => self.sign_bit(),
        };
        code as u8
    }

    /// The code of the finite value nearest to `magnitude` (not negative), ties to even; `None` on
    /// overflow. Codes of non-negative values are ordered, so neighbours differ by one.
    fn round(self, magnitude: f64) -> Option<u32> {
        let value = |code: u32| {
            self.finite(code >> self.mantissa_bits, code & ((1 << self.mantissa_bits) - 1))
        };
        let (mut low, mut high) = (0, self.largest() + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if value(middle) <= magnitude { low = middle } else { high = middle }
        }
        // The step above the largest value is where overflow begins to round away from it.
        let (below, above) = (value(low), value(low + 1));
        let up = match (magnitude - below).partial_cmp(&(above - magnitude)) {
            Some(std::cmp::Ordering::Greater) => true,
            Some(std::cmp::Ordering::Equal) => low & 1 == 1,
            _ => false,
        };
        let code = low + u32::from(up && magnitude > below);
        (code <= self.largest() && magnitude.is_finite()).then_some(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_round_trips() {
        for dtype in DType::ALL {
            let Some(format) = MiniFloat::of(dtype) else { continue };
            for code in 0..(1u32 << dtype.bits()) {
                let value = format.decode(code as u8);
                if value.is_nan() {
                    assert!(format.decode(format.encode(value)).is_nan(), "{dtype} {code:#x}");
                } else {
                    assert_eq!(u32::from(format.encode(value)), code, "{dtype} {value}");
                }
            }
        }
    }

    #[test]
    fn known_values() {
        let e4m3fn = MiniFloat::of(DType::F8E4M3FN).unwrap();
        assert_eq!(e4m3fn.decode(0x7e), 448.0);
        assert!(e4m3fn.decode(e4m3fn.encode(1e9)).is_nan());
        let e5m2 = MiniFloat::of(DType::F8E5M2).unwrap();
        assert_eq!(e5m2.decode(0x7b), 57344.0);
        assert_eq!(e5m2.decode(e5m2.encode(1e9)), f32::INFINITY);
        let fp4 = MiniFloat::of(DType::F4E2M1FN).unwrap();
        assert_eq!(fp4.decode(fp4.encode(100.0)), 6.0);
        assert_eq!(fp4.decode(fp4.encode(2.5)), 2.0);
    }
}
