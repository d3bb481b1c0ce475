//! Floating-point numbers as NumPy writes them: a column of an array, or a scalar by itself.
//!
//! The rules and limits are those of NumPy 2.4 with its default print options: precision 8, mode
//! `maxprec`. It must not know arrays: a column is a list of numbers.

use super::digits::{self, Decimal, Width};

/// Digits behind the point that an array shows at most.
const PRECISION: usize = 8;

impl Width {
    /// From this magnitude on an array goes scientific.
    fn array_limit(self) -> f64 {
        match self {
            Width::F16 => 1e3,
            Width::F32 => 1e6,
            Width::F64 => 1e8,
        }
    }

    /// From this magnitude on a scalar goes scientific.
    fn scalar_limit(self) -> f64 {
        match self {
            Width::F16 => 1e3,
            Width::F32 => 1e6,
            Width::F64 => 1e16,
        }
    }

    /// The nearest number of this width.
    fn round(self, value: f64) -> f64 {
        match self {
            Width::F16 => tfjit_base::f16::from_f64(value).to_f64(),
            Width::F32 => f64::from(value as f32),
            Width::F64 => value,
        }
    }
}

/// How the numbers of one array are written so that they line up.
pub(crate) struct Column {
    width: Width,
    /// Whether positive numbers carry a sign (imaginary parts do).
    plus: bool,
    /// `Some(digits behind the point)` in scientific notation.
    scientific: Option<usize>,
    exponent_len: usize,
    pad_left: usize,
    pad_right: usize,
}

impl Column {
    /// The layout for these numbers.
    pub(crate) fn of(values: &[f64], width: Width, plus: bool) -> Column {
        let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let mut column =
            Column { width, plus, scientific: None, exponent_len: 0, pad_left: 0, pad_right: 0 };
        if is_scientific(&finite, width) {
            column.lay_out_scientific(&finite);
        } else {
            column.lay_out_positional(&finite);
        }
        if finite.len() != values.len() {
            // `nan` and `inf` may stick out on the left, behind which the point's column follows.
            let signed = plus || values.contains(&f64::NEG_INFINITY);
            let needed = 3 + usize::from(signed);
            column.pad_left = column.pad_left.max(needed.saturating_sub(column.pad_right + 1));
        }
        column
    }

    fn lay_out_scientific(&mut self, finite: &[f64]) {
        let mut fraction = 0;
        for &v in finite {
            let d = scientific_digits(v.abs(), self.width, PRECISION, 0);
            fraction = fraction.max(d.digits.len() - 1);
            self.exponent_len = self.exponent_len.max(exponent_digits(d.exponent).len());
            self.pad_left = self.pad_left.max(self.sign(v).len() + 1);
        }
        self.scientific = Some(fraction);
        self.pad_right = self.exponent_len + 2 + fraction;
    }

    fn lay_out_positional(&mut self, finite: &[f64]) {
        for &v in finite {
            let (whole, fraction) = positional(v.abs(), self.width, PRECISION);
            self.pad_left = self.pad_left.max(self.sign(v).len() + whole.len());
            self.pad_right = self.pad_right.max(fraction.len());
        }
    }

    fn sign(&self, v: f64) -> &'static str {
        match (v.is_sign_negative(), self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    /// The text of one of the numbers.
    pub(crate) fn text(&self, v: f64) -> String {
        if !v.is_finite() {
            let (sign, word) =
                if v.is_nan() { (self.sign(1.0), "nan") } else { (self.sign(v), "inf") };
            let word = format!("{sign}{word}");
            return format!("{word:>width$}", width = self.pad_left + self.pad_right + 1);
        }
        let Some(fraction) = self.scientific else {
            let (whole, fraction) = positional(v.abs(), self.width, PRECISION);
            let whole = format!("{}{whole}", self.sign(v));
            let (left, right) = (self.pad_left, self.pad_right);
            return format!("{whole:>left$}.{fraction:<right$}");
        };
        let d = scientific_digits(v.abs(), self.width, fraction, fraction);
        let whole = format!("{}{}", self.sign(v), char::from(d.digits[0]));
        let mut text = format!("{whole:>width$}.", width = self.pad_left);
        text.push_str(&ascii(&d.digits[1..]));
        push_exponent(&mut text, d.exponent, self.exponent_len);
        text
    }
}

/// Whether an array of these finite numbers is written with exponents.
fn is_scientific(finite: &[f64], width: Width) -> bool {
    let nonzero = || finite.iter().map(|v| v.abs()).filter(|&v| v != 0.0);
    let Some(max) = nonzero().reduce(f64::max) else { return false };
    let min = nonzero().fold(max, f64::min);
    max >= width.array_limit() || min < width.round(0.0001) || width.round(max / min) > 1000.0
}

/// Whole part and fraction, the latter without trailing zeros and at most `precision` long.
fn positional(magnitude: f64, width: Width, precision: usize) -> (String, String) {
    let d = digits::shortest(magnitude, width);
    if d.fraction_len() > precision {
        let text = digits::exact_positional(magnitude, precision);
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        return (whole.to_owned(), fraction.trim_end_matches('0').to_owned());
    }
    split(&d)
}

/// Whole part and fraction of all digits.
fn split(d: &Decimal) -> (String, String) {
    let text = ascii(&d.digits);
    if d.exponent < 0 {
        let zeros = "0".repeat(d.exponent.unsigned_abs() as usize - 1);
        let fraction = format!("{zeros}{text}");
        return ("0".to_owned(), fraction.trim_end_matches('0').to_owned());
    }
    let point = d.exponent as usize + 1;
    if text.len() <= point {
        return (format!("{text}{}", "0".repeat(point - text.len())), String::new());
    }
    (text[..point].to_owned(), text[point..].trim_end_matches('0').to_owned())
}

/// The digits for scientific notation: the shortest ones, but at most `most` and at least `least`
/// behind the point.
fn scientific_digits(magnitude: f64, width: Width, most: usize, least: usize) -> Decimal {
    let d = digits::shortest(magnitude, width);
    let fraction = d.digits.len() - 1;
    if fraction <= most && fraction >= least {
        return d;
    }
    let mut d = digits::exact(magnitude, fraction.clamp(least, most) + 1);
    while d.digits.len() > least + 1 && d.digits.last() == Some(&b'0') {
        d.digits.pop();
    }
    d
}

/// The exponent's digits, at least two.
fn exponent_digits(exponent: i32) -> String {
    format!("{:02}", exponent.unsigned_abs())
}

fn push_exponent(text: &mut String, exponent: i32, len: usize) {
    text.push('e');
    text.push(if exponent < 0 { '-' } else { '+' });
    let digits = exponent_digits(exponent);
    text.extend(std::iter::repeat_n('0', len.saturating_sub(digits.len())));
    text.push_str(&digits);
}

fn ascii(digits: &[u8]) -> String {
    digits.iter().map(|&d| char::from(d)).collect()
}

/// A number by itself, as `str` of a NumPy scalar; `point_zero` writes whole numbers with `.0`.
pub(crate) fn scalar(v: f64, width: Width, point_zero: bool) -> String {
    if v.is_nan() {
        return "nan".to_owned();
    }
    let sign = if v.is_sign_negative() { "-" } else { "" };
    if v.is_infinite() {
        return format!("{sign}inf");
    }
    let magnitude = v.abs();
    let d = digits::shortest(magnitude, width);
    if magnitude == 0.0 || (1e-4..width.scalar_limit()).contains(&magnitude) {
        let (whole, fraction) = split(&d);
        return match (fraction.is_empty(), point_zero) {
            (true, true) => format!("{sign}{whole}.0"),
            (true, false) => format!("{sign}{whole}"),
            (false, _) => format!("{sign}{whole}.{fraction}"),
        };
    }
    let mut text = format!("{sign}{}", char::from(d.digits[0]));
    if d.digits.len() > 1 {
        text.push('.');
        text.push_str(&ascii(&d.digits[1..]));
    }
    push_exponent(&mut text, d.exponent, 2);
    text
}

/// C's `%g`: six significant digits, which is how `bfloat16` and the small floats are written.
pub(crate) fn general(v: f64) -> String {
    if v.is_nan() {
        return "nan".to_owned();
    }
    let sign = if v.is_sign_negative() { "-" } else { "" };
    if v.is_infinite() {
        return format!("{sign}inf");
    }
    let mut d = digits::exact(v.abs(), 6);
    while d.digits.len() > 1 && d.digits.last() == Some(&b'0') {
        d.digits.pop();
    }
    if (-4..6).contains(&d.exponent) {
        let (whole, fraction) = split(&d);
        let point = if fraction.is_empty() { "" } else { "." };
        return format!("{sign}{whole}{point}{fraction}");
    }
    let mut text = format!("{sign}{}", char::from(d.digits[0]));
    if d.digits.len() > 1 {
        text.push('.');
        text.push_str(&ascii(&d.digits[1..]));
    }
    push_exponent(&mut text, d.exponent, 2);
    text
}
