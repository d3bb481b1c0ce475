//! Numbers as C's `printf` writes them, which is how TensorFlow writes them.
//!
//! It must not know ops.

/// Flags, width and precision of one conversion.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Spec {
    /// One of `' '`, `+`, `-`, `0`, `#`, or none.
    pub(super) flag: Option<u8>,
    /// The least number of characters.
    pub(super) width: usize,
    /// Digits behind the point, significant digits of `General`, characters of text.
    pub(super) precision: Option<usize>,
}

/// How a floating-point number is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `%f`
    Fixed,
    /// `%e`
    Scientific,
    /// `%g`
    General,
}

/// What `printf` uses where no precision is given.
const PRECISION: usize = 6;

impl Spec {
    /// `%f`, `%e` or `%g` of a number.
    pub(super) fn float(&self, x: f64, form: Form) -> String {
        let sign = self.sign(x.is_sign_negative());
        if !x.is_finite() {
            let text = if x.is_nan() { "nan" } else { "inf" };
            return self.pad(sign, text, false);
        }
        let precision = self.precision.unwrap_or(PRECISION);
        let x = x.abs();
        let digits = match form {
            Form::Fixed => self.point(format!("{x:.precision$}")),
            Form::Scientific => self.scientific(x, precision),
            Form::General => self.general(x, precision.max(1)),
        };
        self.pad(sign, &digits, true)
    }

    /// `%d` or `%u` of a number.
    pub(super) fn int(&self, x: i128) -> String {
        self.pad(self.sign(x < 0), &x.unsigned_abs().to_string(), true)
    }

    /// `%s` of text, which ends at its first zero byte.
    pub(super) fn text(&self, text: &[u8]) -> Vec<u8> {
        let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
        let end = self.precision.map_or(end, |p| p.min(end));
        let mut out = text[..end].to_vec();
        let spaces = vec![b' '; self.width.saturating_sub(end)];
        if self.flag == Some(b'-') {
            out.extend(spaces);
            out
        } else {
            [spaces, out].concat()
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match self.flag {
            _ if negative => "-",
            Some(b'+') => "+",
            Some(b' ') => " ",
            _ => "",
        }
    }

    /// `#` keeps the point of a number without digits behind it.
    fn point(&self, digits: String) -> String {
        if self.flag == Some(b'#') && !digits.contains('.') { digits + "." } else { digits }
    }

    fn scientific(&self, x: f64, precision: usize) -> String {
        let (digits, exponent) = split(x, precision);
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", self.point(digits), exponent.abs())
    }

    /// The shorter of the two forms, without zeros at the end unless `#` keeps them.
    fn general(&self, x: f64, significant: usize) -> String {
        let (digits, exponent) = split(x, significant - 1);
        let keep = self.flag == Some(b'#');
        let trim = |digits: String| {
            if keep || !digits.contains('.') {
                return digits;
            }
            digits.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        if exponent < -4 || exponent >= significant as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            return format!("{}e{sign}{:02}", self.point(trim(digits)), exponent.abs());
        }
        let behind = (significant as i32 - 1 - exponent) as usize;
        self.point(trim(format!("{x:.behind$}")))
    }

    fn pad(&self, sign: &str, digits: &str, number: bool) -> String {
        let missing = self.width.saturating_sub(sign.len() + digits.len());
        match self.flag {
            Some(b'-') => format!("{sign}{digits}{}", " ".repeat(missing)),
            Some(b'0') if number => format!("{sign}{}{digits}", "0".repeat(missing)),
            _ => format!("{}{sign}{digits}", " ".repeat(missing)),
        }
    }
}

/// Digits with a point behind the first, and the exponent.
fn split(x: f64, precision: usize) -> (String, i32) {
    let text = format!("{x:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(flag: &str, width: usize, precision: Option<usize>) -> Spec {
        Spec { flag: flag.bytes().next(), width, precision }
    }

    #[test]
    fn floats_as_c_writes_them() {
        let plain = Spec::default();
        for (x, fixed, scientific, general) in [
            (0.0, "0.000000", "0.000000e+00", "0"),
            (-0.0, "-0.000000", "-0.000000e+00", "-0"),
            (1.5, "1.500000", "1.500000e+00", "1.5"),
            (-123456789.0, "-123456789.000000", "-1.234568e+08", "-1.23457e+08"),
            (0.0001, "0.000100", "1.000000e-04", "0.0001"),
            (0.00001, "0.000010", "1.000000e-05", "1e-05"),
            (999999.5, "999999.500000", "9.999995e+05", "1e+06"),
            (1e100, "", "1.000000e+100", "1e+100"),
            (f64::INFINITY, "inf", "inf", "inf"),
            (f64::NEG_INFINITY, "-inf", "-inf", "-inf"),
            (f64::NAN, "nan", "nan", "nan"),
        ] {
            if !fixed.is_empty() {
                assert_eq!(plain.float(x, Form::Fixed), fixed);
            }
            assert_eq!(plain.float(x, Form::Scientific), scientific);
            assert_eq!(plain.float(x, Form::General), general);
        }
        // Halves go to even, from the exact value.
        let whole = spec("", 0, Some(0));
        assert_eq!(whole.float(0.5, Form::Fixed), "0");
        assert_eq!(whole.float(1.5, Form::Fixed), "2");
        assert_eq!(spec("#", 0, Some(0)).float(1.0, Form::Fixed), "1.");
        assert_eq!(spec("#", 0, None).float(1.0, Form::General), "1.00000");
    }

    #[test]
    fn widths_and_flags() {
        assert_eq!(spec("0", 8, Some(2)).float(-3.14259, Form::Fixed), "-0003.14");
        assert_eq!(spec("-", 8, Some(2)).float(3.14259, Form::Fixed), "3.14    ");
        assert_eq!(spec("+", 8, Some(2)).float(3.14259, Form::Fixed), "   +3.14");
        assert_eq!(spec(" ", 0, Some(2)).float(3.14259, Form::Fixed), " 3.14");
        assert_eq!(spec("0", 6, None).float(f64::INFINITY, Form::Fixed), "   inf");
        assert_eq!(spec("0", 5, None).int(-42), "-0042");
        assert_eq!(spec("", 5, None).int(42), "   42");
        assert_eq!(spec("", 0, None).int(i128::from(u64::MAX)), "18446744073709551615");
        assert_eq!(spec("", 4, None).text(b"ab"), b"  ab");
        assert_eq!(spec("-", 4, Some(1)).text(b"ab"), b"a   ");
        assert_eq!(spec("", 0, None).text(b"a\0b"), b"a");
    }
}
