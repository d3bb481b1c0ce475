//! Elements as text: numbers to bits of an element type, and back so that they read the same.

use std::fmt::Write;

use tfjit_base::{DType, DTypeClass, MiniFloat, bf16, f16};

use super::cursor::parse_wide;

/// The bits of the real number `text` as `dtype` (of complex types: of a part), or `None` when
/// it is not a number of that type.
pub(super) fn parse_element(dtype: DType, text: &str) -> Option<u64> {
    match dtype.class() {
        DTypeClass::Bool => match text {
            "true" | "1" | "-1" => Some(1),
            "false" | "0" => Some(0),
            _ => None,
        },
        DTypeClass::Signed => {
            // MLIR's integers have no sign of their own: 255 is -1 for i8.
            let bits = dtype.bits() as u32;
            let value = parse_wide(text)?;
            let fits = (-(1i128 << (bits - 1))..1i128 << bits).contains(&value);
            fits.then(|| sign_extended(value as u64, bits))
        }
        DTypeClass::Unsigned => {
            let value = parse_wide(text)?;
            (0..1i128 << dtype.bits()).contains(&value).then_some(value as u64)
        }
        DTypeClass::Float | DTypeClass::Complex => parse_float(dtype.real(), text),
        DTypeClass::String => None,
    }
}

/// The low `bits` bits of `value` as a signed number.
fn sign_extended(value: u64, bits: u32) -> u64 {
    ((value << (64 - bits)) as i64 >> (64 - bits)) as u64
}

fn parse_float(dtype: DType, text: &str) -> Option<u64> {
    if text.starts_with("0x") {
        let bits = u64::try_from(parse_wide(text)?).ok()?;
        return (u128::from(bits) < 1u128 << dtype.bits()).then_some(bits);
    }
    if text.starts_with("-0x") {
        return None;
    }
    float_bits(dtype, text.parse().ok()?)
}

/// The nearest `dtype` to `value`, as bits; `None` when `dtype` is not a real float.
pub(super) fn float_bits(dtype: DType, value: f64) -> Option<u64> {
    Some(match dtype {
        DType::F64 => value.to_bits(),
        DType::F32 => u64::from((value as f32).to_bits()),
        DType::F16 => u64::from(f16::from_f64(value).to_bits()),
        DType::BF16 => u64::from(bf16::from_f64(value).to_bits()),
        _ => u64::from(MiniFloat::of(dtype)?.encode_f64(value)),
    })
}

/// The value of `bits` of a real float type.
pub(super) fn float_value(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F64 => f64::from_bits(bits),
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F16 => f16::from_bits(bits as u16).to_f64(),
        DType::BF16 => bf16::from_bits(bits as u16).to_f64(),
        _ => MiniFloat::of(dtype).map_or(f64::NAN, |m| f64::from(m.decode(bits as u8))),
    }
}

/// Writes the element whose little-endian bytes are `bytes` so that it reads back bit for bit.
pub(super) fn write_element(out: &mut String, dtype: DType, bytes: &[u8]) {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |w, &b| w << 8 | u64::from(b));
    match dtype.class() {
        DTypeClass::Bool => {
            out.push_str(if bytes.iter().any(|&b| b != 0) { "true" } else { "false" })
        }
        DTypeClass::Signed => {
            let value = sign_extended(word(bytes), dtype.bits() as u32) as i64;
            let _ = write!(out, "{value}");
        }
        DTypeClass::Unsigned => {
            let _ = write!(out, "{}", word(bytes));
        }
        DTypeClass::Float => write_float(out, dtype, word(bytes)),
        DTypeClass::Complex => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            out.push('(');
            write_float(out, dtype.real(), word(re));
            out.push(',');
            write_float(out, dtype.real(), word(im));
            out.push(')');
        }
        DTypeClass::String => {}
    }
}

/// Writes a float as MLIR does: six digits in scientific form if they say all, more if needed,
/// the bits in hexadecimal for infinities and NaN.
pub(super) fn write_float(out: &mut String, dtype: DType, bits: u64) {
    let value = float_value(dtype, bits);
    if value.is_finite() {
        let shortest = || match dtype {
            DType::F64 => scientific(&format!("{value:e}")),
            _ => scientific(&format!("{:e}", value as f32)),
        };
        let six_digits = scientific(&six_digits(value));
        for text in std::iter::once(six_digits).chain(std::iter::once_with(shortest)) {
            if parse_float(dtype, &text) == Some(bits) {
                out.push_str(&text);
                return;
            }
        }
    }
    let digits = dtype.bits().div_ceil(4);
    let _ = write!(out, "0x{bits:0digits$X}");
}

/// The value with six significant digits, halves rounded away from zero as LLVM does.
fn six_digits(value: f64) -> String {
    let exact = format!("{value:.40e}");
    let (mantissa, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).take(7);
    let seven = digits.fold(0u32, |n, d| 10 * n + u32::from(d - b'0'));
    let (mut six, mut exponent) = ((seven + 5) / 10, exponent.parse::<i32>().unwrap_or(0));
    if six == 1_000_000 {
        (six, exponent) = (100_000, exponent + 1);
    }
    format!("{sign}{}.{:05}e{exponent}", six / 100_000, six % 100_000)
}

/// Rust's `1.10000e-7` or `1e0` as MLIR writes it: `1.100000e-07`, `1.000000e+00`.
fn scientific(text: &str) -> String {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{whole}.{fraction:0<6}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(dtype: DType, bits: u64) -> String {
        let mut text = String::new();
        write_float(&mut text, dtype, bits);
        text
    }

    #[test]
    fn floats_print_as_mlir_prints_them() {
        let f32_text = |v: f32| float(DType::F32, u64::from(v.to_bits()));
        assert_eq!(f32_text(1.0), "1.000000e+00");
        assert_eq!(f32_text(1.1), "1.100000e+00");
        assert_eq!(f32_text(-0.0), "-0.000000e+00");
        assert_eq!(f32_text(1e-45), "1.401300e-45");
        assert_eq!(f32_text(0.123_456_7), "1.234567e-01");
        assert_eq!(f32_text(f32::INFINITY), "0x7F800000");
        assert_eq!(float(DType::F32, 0x7fc0_0001), "0x7FC00001");
        assert_eq!(float(DType::BF16, 0x4049), "3.140630e+00");
        assert_eq!(float(DType::F64, 1e300f64.to_bits()), "1.000000e+300");
    }

    #[test]
    fn every_16_bit_float_reads_back() {
        for dtype in [DType::F16, DType::BF16] {
            for bits in 0..=0xffff {
                assert_eq!(parse_element(dtype, &float(dtype, bits)), Some(bits), "{dtype} {bits}");
            }
        }
    }

    #[test]
    fn every_small_float_reads_back() {
        for dtype in DType::ALL.into_iter().filter(|&d| MiniFloat::of(d).is_some()) {
            for bits in 0..1u64 << dtype.bits() {
                assert_eq!(parse_element(dtype, &float(dtype, bits)), Some(bits), "{dtype} {bits}");
            }
        }
    }

    #[test]
    fn scattered_wide_floats_read_back() {
        let mut state = 7u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bits = state ^ state >> 29;
            assert_eq!(parse_element(DType::F64, &float(DType::F64, bits)), Some(bits));
            let bits = bits & 0xffff_ffff;
            assert_eq!(parse_element(DType::F32, &float(DType::F32, bits)), Some(bits));
        }
    }

    #[test]
    fn integers_are_checked_against_their_type() {
        assert_eq!(parse_element(DType::I8, "-128"), Some((-128i64) as u64));
        assert_eq!(parse_element(DType::I8, "255"), Some(u64::MAX));
        assert_eq!(parse_element(DType::I8, "256"), None);
        assert_eq!(parse_element(DType::I8, "-129"), None);
        assert_eq!(parse_element(DType::U4, "15"), Some(15));
        assert_eq!(parse_element(DType::U4, "16"), None);
        assert_eq!(parse_element(DType::U64, "18446744073709551615"), Some(u64::MAX));
        assert_eq!(parse_element(DType::U64, "-1"), None);
        assert_eq!(parse_element(DType::I32, "1.0"), None);
        assert_eq!(parse_element(DType::F32, "-0x10"), None);
        assert_eq!(parse_element(DType::F16, "0x10000"), None);
    }
}
