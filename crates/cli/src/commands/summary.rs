//! A tensor in a few words: range, mean, first values.

use tfjit_base::{DType, Result, Tensor};

use crate::numpy;
use crate::python;

/// Values that are shown of an array.
const SHOWN: usize = 8;
/// Characters of a string that are shown.
const STRING_SHOWN: usize = 40;

/// `min 1  mean 2.5  max 4`, how many are true, or nothing where that makes no sense.
///
/// # Errors
/// None for a sound tensor.
pub(super) fn statistics(tensor: &Tensor) -> Result<String> {
    let dtype = tensor.dtype();
    // A single element is shown as it is.
    if tensor.elements() < 2 {
        return Ok(String::new());
    }
    if dtype == DType::Bool {
        let ones = tensor.to_bools()?.into_iter().filter(|&b| b).count();
        return Ok(format!("{ones} of {} true", tensor.elements()));
    }
    if !dtype.is_int() && !dtype.is_float() {
        return Ok(String::new());
    }
    let values = tensor.to_f64s()?;
    let nans = values.iter().filter(|v| v.is_nan()).count();
    let numbers = || values.iter().copied().filter(|v| !v.is_nan());
    let mut text = String::new();
    if let (Some(min), Some(max)) = (numbers().reduce(f64::min), numbers().reduce(f64::max)) {
        let mean = numbers().sum::<f64>() / (values.len() - nans) as f64;
        let [min, mean, max] = [min, mean, max].map(numpy::general_text);
        text = format!("min {min}  mean {mean}  max {max}");
    }
    if nans > 0 {
        let space = if text.is_empty() { "" } else { "  " };
        text.push_str(&format!("{space}{nans} NaN"));
    }
    Ok(text)
}

/// The first values, with `...` if there are more.
///
/// # Errors
/// None for a sound tensor.
pub(super) fn first_values(tensor: &Tensor) -> Result<String> {
    let n = tensor.elements().min(SHOWN);
    let mut words = Vec::with_capacity(n + 1);
    for i in 0..n {
        words.push(match tensor.as_strings() {
            Some(strings) => string_text(&strings[i]),
            None => numpy::scalar_text(tensor, i)?,
        });
    }
    if tensor.elements() > n {
        words.push("...".to_owned());
    }
    Ok(words.join(" "))
}

fn string_text(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(STRING_SHOWN)];
    let more = if bytes.len() > shown.len() { "..." } else { "" };
    match std::str::from_utf8(shown) {
        Ok(text) => format!("{}{more}", python::str_repr(text)),
        Err(_) => format!("{}{more}", python::bytes_repr(shown)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::Shape;

    #[test]
    fn a_few_words() {
        let check = |t: Tensor, statistics_want: &str, first_want: &str| {
            assert_eq!(statistics(&t).unwrap(), statistics_want);
            assert_eq!(first_values(&t).unwrap(), first_want);
        };
        let row = |v: &[f32]| Tensor::from_slice(Shape::new(&[v.len()]), v).unwrap();
        check(row(&[1.0, 2.5]), "min 1  mean 1.75  max 2.5", "1.0 2.5");
        check(row(&[f32::NAN, 2.0]), "min 2  mean 2  max 2  1 NaN", "nan 2.0");
        check(row(&[f32::NAN, f32::NAN]), "2 NaN", "nan nan");
        check(row(&[]), "", "");
        check(row(&[0.0; 9]), "min 0  mean 0  max 0", "0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 ...");
        check(Tensor::scalar(7i64), "", "7");
        check(Tensor::scalar_bool(true), "", "True");
        let bools = Tensor::from_bools(Shape::new(&[2]), &[true, false]).unwrap();
        check(bools, "1 of 2 true", "True False");
        let words = vec!["grün".into(), vec![0xff], vec![b'x'; 50]];
        let words = Tensor::strings(Shape::new(&[3]), words).unwrap();
        let x40 = "x".repeat(40);
        check(words, "", &format!("'grün' b'\\xff' '{x40}'..."));
    }
}
