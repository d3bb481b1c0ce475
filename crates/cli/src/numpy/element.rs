//! One element of an array as text, with all elements of the array in view for alignment.

use tfjit_base::{Complex32, Complex64, DType, DTypeClass, Error, Result, Shape, Tensor};

use super::digits::Width;
use super::float::{self, Column};
use crate::python;

/// Writes the elements of one tensor.
pub(crate) enum ElementText {
    Bool(Vec<bool>),
    Signed {
        values: Vec<i64>,
        width: usize,
    },
    Unsigned {
        values: Vec<u64>,
        width: usize,
    },
    Float {
        values: Vec<f64>,
        column: Column,
    },
    /// Types that are no NumPy floats: six digits, not aligned.
    General(Vec<f64>),
    /// Integers narrower than a byte, not aligned.
    Narrow(Vec<i64>),
    Complex {
        re: Vec<f64>,
        im: Vec<f64>,
        re_column: Column,
        im_column: Column,
    },
    Strings(Tensor),
}

impl ElementText {
    /// For the elements of `tensor`, aligned over those at `shown`.
    ///
    /// # Errors
    /// None for a sound tensor.
    pub(crate) fn of(tensor: &Tensor, shown: &[usize]) -> Result<ElementText> {
        let pick = |values: &[f64]| shown.iter().map(|&i| values[i]).collect::<Vec<_>>();
        Ok(match (tensor.dtype(), tensor.dtype().class()) {
            (DType::Bool, _) => ElementText::Bool(tensor.to_bools()?),
            (DType::String, _) => ElementText::Strings(tensor.clone()),
            (DType::I2 | DType::I4 | DType::U2 | DType::U4, _) => {
                ElementText::Narrow(tensor.to_i64s()?)
            }
            (DType::U64, _) => {
                let values = tensor.to_vec::<u64>()?;
                let width = widest(shown.iter().map(|&i| values[i]));
                ElementText::Unsigned { values, width }
            }
            (_, DTypeClass::Signed | DTypeClass::Unsigned) => {
                let values = tensor.to_i64s()?;
                let width = widest(shown.iter().map(|&i| values[i]));
                ElementText::Signed { values, width }
            }
            (DType::C64 | DType::C128, _) => {
                let (re, im, width) = parts(tensor)?;
                let re_column = Column::of(&pick(&re), width, false);
                let im_column = Column::of(&pick(&im), width, true);
                ElementText::Complex { re, im, re_column, im_column }
            }
            (dtype, _) => match float_width(dtype) {
                Some(width) => {
                    let values = tensor.to_f64s()?;
                    let column = Column::of(&pick(&values), width, false);
                    ElementText::Float { values, column }
                }
                None => ElementText::General(tensor.to_f64s()?),
            },
        })
    }

    /// The text of the element at a flat index.
    pub(crate) fn text(&self, i: usize) -> String {
        match self {
            ElementText::Bool(values) => if values[i] { " True" } else { "False" }.to_owned(),
            ElementText::Signed { values, width } => format!("{:>width$}", values[i]),
            ElementText::Unsigned { values, width } => format!("{:>width$}", values[i]),
            ElementText::Float { values, column } => column.text(values[i]),
            ElementText::General(values) => float::general(values[i]),
            ElementText::Narrow(values) => values[i].to_string(),
            ElementText::Complex { re, im, re_column, im_column } => {
                let im = im_column.text(im[i]);
                let number = im.trim_end();
                format!("{}{number}j{}", re_column.text(re[i]), &im[number.len()..])
            }
            ElementText::Strings(t) => {
                python::bytes_repr(t.as_strings().map_or(&[][..], |s| s[i].as_slice()))
            }
        }
    }
}

fn widest<T: ToString>(values: impl Iterator<Item = T>) -> usize {
    values.map(|v| v.to_string().len()).max().unwrap_or(0)
}

/// The width of the types NumPy itself calls floating-point.
fn float_width(dtype: DType) -> Option<Width> {
    match dtype {
        DType::F16 => Some(Width::F16),
        DType::F32 => Some(Width::F32),
        DType::F64 => Some(Width::F64),
        _ => None,
    }
}

/// Real and imaginary parts of a complex tensor.
fn parts(tensor: &Tensor) -> Result<(Vec<f64>, Vec<f64>, Width)> {
    if tensor.dtype() == DType::C64 {
        let values = tensor.as_slice::<Complex32>()?;
        let re = values.iter().map(|c| f64::from(c.re)).collect();
        let im = values.iter().map(|c| f64::from(c.im)).collect();
        return Ok((re, im, Width::F32));
    }
    let values = tensor.as_slice::<Complex64>()?;
    let re = values.iter().map(|c| c.re).collect();
    let im = values.iter().map(|c| c.im).collect();
    Ok((re, im, Width::F64))
}

/// The element at a flat index, as `str` of what a session returns for a scalar.
///
/// # Errors
/// OUT_OF_RANGE when there is no such element.
pub(crate) fn scalar_text(tensor: &Tensor, index: usize) -> Result<String> {
    if index >= tensor.elements() {
        return Err(Error::out_of_range(format!("there is no element {index}")));
    }
    if let Some(strings) = tensor.as_strings() {
        return Ok(python::bytes_repr(&strings[index]));
    }
    let size = tensor.dtype().size();
    let bytes = &tensor.bytes()[index * size..][..size];
    let one = Tensor::from_raw(tensor.dtype(), Shape::scalar(), bytes)?;
    Ok(match one.dtype() {
        DType::Bool => if bytes[0] != 0 { "True" } else { "False" }.to_owned(),
        DType::C64 | DType::C128 => {
            let (re, im, width) = parts(&one)?;
            complex_scalar(re[0], im[0], width)
        }
        dtype => match float_width(dtype) {
            Some(width) => float::scalar(one.to_f64s()?[0], width, true),
            None => ElementText::of(&one, &[0])?.text(0),
        },
    })
}

fn complex_scalar(re: f64, im: f64, width: Width) -> String {
    let imaginary = float::scalar(im, width, false);
    if re == 0.0 && re.is_sign_positive() {
        return format!("{imaginary}j");
    }
    let plus = if im.is_nan() || im.is_sign_positive() { "+" } else { "" };
    format!("({}{plus}{imaginary}j)", float::scalar(re, width, false))
}
