//! Decimal digits of floating-point numbers: the fewest that name the number among its
//! neighbours, or a given count, rounded to even from the exact value.
//!
//! The rule is Steele and White's (Dragon4). The standard library finds the digits of 32 and 64
//! bit numbers; 16 bits are done here, where exact integers of 128 bits suffice.

use tfjit_base::f16;

/// The precision a number was given in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    F16,
    F32,
    F64,
}

/// `digits[0].digits[1..] * 10^exponent`, a magnitude.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Decimal {
    /// Digits as ASCII, at least one.
    pub(crate) digits: Vec<u8>,
    pub(crate) exponent: i32,
}

impl Decimal {
    /// Reads what `{:e}` printed of a finite, non-negative number.
    fn of_scientific(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once('e').expect("`{:e}` prints an exponent");
        Decimal {
            digits: mantissa.bytes().filter(u8::is_ascii_digit).collect(),
            exponent: exponent.parse().expect("`{:e}` prints an integer exponent"),
        }
    }

    /// Digits behind the decimal point in positional notation.
    pub(crate) fn fraction_len(&self) -> usize {
        usize::try_from(self.digits.len() as i64 - 1 - i64::from(self.exponent)).unwrap_or(0)
    }
}

/// The fewest digits that name the finite `magnitude` in its width, nearest to the exact value.
pub(crate) fn shortest(magnitude: f64, width: Width) -> Decimal {
    let text = match width {
        Width::F64 => format!("{magnitude:e}"),
        Width::F32 => format!("{:e}", magnitude as f32),
        Width::F16 => return shortest_f16(f16::from_f64(magnitude)),
    };
    let shortest = Decimal::of_scientific(&text);
    // Half way between two decimals of that length the standard library rounds up, NumPy to even.
    let even = format!("{magnitude:.*e}", shortest.digits.len() - 1);
    let same = match width {
        Width::F64 => even.parse() == Ok(magnitude),
        _ => even.parse() == Ok(magnitude as f32),
    };
    if same { Decimal::of_scientific(&even) } else { shortest }
}

/// `count` digits of the exact value, the last one rounded half to even.
pub(crate) fn exact(magnitude: f64, count: usize) -> Decimal {
    Decimal::of_scientific(&format!("{magnitude:.*e}", count.saturating_sub(1)))
}

/// The exact value with `fraction` digits behind the point, rounded half to even.
pub(crate) fn exact_positional(magnitude: f64, fraction: usize) -> String {
    format!("{magnitude:.fraction$}")
}

/// Everything below is in units of 10^-25: the half step of the smallest number is 2^-25.
const SCALE_EXPONENT: i32 = 25;
const FIVE_POW_25: u128 = 298_023_223_876_953_125;

fn shortest_f16(value: f16) -> Decimal {
    let bits = value.to_bits() & 0x7fff;
    if bits == 0 {
        return Decimal { digits: vec![b'0'], exponent: 0 };
    }
    let (field, fraction) = (u32::from(bits >> 10), u128::from(bits & 0x3ff));
    let mantissa = if field == 0 { fraction } else { fraction | 0x400 };
    // In units of 2^-25, a step of the number's binade is 2^shift.
    let shift = field.max(1);
    let exact = (mantissa << shift) * FIVE_POW_25;
    let above = (1u128 << (shift - 1)) * FIVE_POW_25;
    // Below a power of two the neighbour is half as far, except under the subnormals.
    let below = if fraction == 0 && field > 1 { above / 2 } else { above };
    let even = mantissa % 2 == 0;

    let length = exact.ilog10() as i32 + 1;
    let exponent = length - 1 - SCALE_EXPONENT;
    for count in 1..length {
        let unit = 10u128.pow((length - count) as u32);
        let floor = exact / unit;
        let rest = exact % unit;
        let low = rest < below || (even && rest == below);
        let high = unit - rest < above || (even && unit - rest == above);
        if !low && !high {
            continue;
        }
        let up = match (low, high) {
            (true, true) => rest * 2 > unit || (rest * 2 == unit && floor % 2 == 1),
            (_, up) => up,
        };
        return trimmed(floor + u128::from(up), count, exponent);
    }
    trimmed(exact, length, exponent)
}

/// The decimal of `number`, which was meant to have `count` digits with the first one worth
/// 10^`exponent`; rounding up may have made it one longer.
fn trimmed(number: u128, count: i32, exponent: i32) -> Decimal {
    let mut digits = number.to_string().into_bytes();
    let exponent = exponent + digits.len() as i32 - count;
    while digits.len() > 1 && digits.last() == Some(&b'0') {
        digits.pop();
    }
    Decimal { digits, exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(d: &Decimal) -> String {
        format!("{}e{}", String::from_utf8_lossy(&d.digits), d.exponent)
    }

    #[test]
    fn half_precision_is_short() {
        let check = |v: f32, want: &str| {
            assert_eq!(text(&shortest_f16(f16::from_f32(v))), want, "{v}");
        };
        check(0.1, "1e-1");
        check(65504.0, "655e4");
        check(1000.5, "10005e3");
        check(0.333, "333e-1");
        check(6e-8, "6e-8");
        check(1.0, "1e0");
        check(2048.0, "2048e3");
    }

    #[test]
    fn every_half_reads_back() {
        for bits in 1..0x7c00u16 {
            let d = shortest_f16(f16::from_bits(bits));
            let mut text = String::from_utf8(d.digits.clone()).unwrap();
            text.insert(1, '.');
            let back: f64 = format!("{text}e{}", d.exponent).parse().unwrap();
            assert_eq!(f16::from_f64(back).to_bits(), bits, "{d:?}");
        }
    }

    #[test]
    fn ties_go_to_even() {
        assert_eq!(exact_positional(0.001953125, 8), "0.00195312");
        assert_eq!(exact_positional(0.005859375, 8), "0.00585938");
        assert_eq!(text(&exact(2.5, 1)), "2e0");
        assert_eq!(text(&exact(3.5, 1)), "4e0");
    }
}
