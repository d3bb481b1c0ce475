//! Ops on strings.

use tfjit_base::{Complex, DType, Error, Result, Shape, Tensor};
use tfjit_model::Node;

use super::HostRow;
use super::format::{Form, Spec};
use super::tensors::{pure, strings, tensor};
use crate::{Kernel, Value};

pub(super) const ROWS: &[HostRow] = &[
    HostRow { name: "AsString", doc: "each element as text", make: make_as_string },
    HostRow { name: "StringJoin", doc: "strings one behind the other", make: make_join },
    HostRow { name: "StringLower", doc: "letters made small", make: make_lower },
    HostRow { name: "StringStrip", doc: "without white space at the ends", make: make_strip },
    HostRow { name: "StringToNumber", doc: "numbers that are written", make: make_number },
    HostRow { name: "StringUpper", doc: "letters made capital", make: make_upper },
];

/// The widest text that an attribute may ask for.
const WIDTH_MAX: i64 = 1 << 16;

fn make_as_string(node: &Node) -> Result<Box<dyn Kernel>> {
    let refuse = |text: String| Err(Error::invalid_argument(text).at(&*node.name));
    let dtype = node.attr_dtype("T")?;
    let (precision, width) = (node.attr_int("precision")?, node.attr_int("width")?);
    let (scientific, shortest) = (node.flag("scientific"), node.flag("shortest"));
    let fill = node.attr_str("fill")?.as_bytes();
    if !dtype.is_float() && !dtype.is_complex() && dtype != DType::String {
        if scientific || shortest {
            return refuse(format!(
                "scientific and shortest format not supported for datatype {dtype}"
            ));
        }
        if precision >= 0 {
            return refuse(format!("precision not supported for datatype {dtype}"));
        }
    }
    if fill.len() > 1 {
        return refuse("Fill string must be one or fewer characters".to_owned());
    }
    if scientific && shortest {
        return refuse("Cannot select both scientific and shortest notation".to_owned());
    }
    if fill.iter().any(|b| !b" +-0#".contains(b)) {
        let fill = String::from_utf8_lossy(fill);
        return refuse(format!("Fill argument not supported: \"{fill}\""));
    }
    if width > WIDTH_MAX || precision > WIDTH_MAX {
        return refuse(format!("a width or precision above {WIDTH_MAX} is not supported"));
    }
    let spec = Spec {
        flag: fill.first().copied(),
        width: usize::try_from(width).unwrap_or(0),
        precision: usize::try_from(precision).ok(),
    };
    let form = match (scientific, shortest) {
        (true, _) => Form::Scientific,
        (_, true) => Form::General,
        _ => Form::Fixed,
    };
    pure("AsString", move |inputs| {
        let t = tensor(inputs, 0)?;
        Ok(vec![Tensor::strings(t.shape().clone(), texts(t, &spec, form)?)?])
    })
}

/// The elements as text.
fn texts(t: &Tensor, spec: &Spec, form: Form) -> Result<Vec<Vec<u8>>> {
    let pair = |re: f64, im: f64| {
        format!("({},{})", spec.float(re, form), spec.float(im, form)).into_bytes()
    };
    Ok(match t.dtype() {
        DType::String => t.as_strings().unwrap_or_default().iter().map(|s| spec.text(s)).collect(),
        DType::Bool => t.to_bools()?.into_iter().map(|b| b.to_string().into_bytes()).collect(),
        DType::C64 => {
            let values = t.as_slice::<Complex<f32>>()?;
            values.iter().map(|c| pair(f64::from(c.re), f64::from(c.im))).collect()
        }
        DType::C128 => t.as_slice::<Complex<f64>>()?.iter().map(|c| pair(c.re, c.im)).collect(),
        DType::U64 => {
            let values = t.as_slice::<u64>()?;
            values.iter().map(|&v| spec.int(i128::from(v)).into_bytes()).collect()
        }
        dtype if dtype.is_float() => {
            t.to_f64s()?.into_iter().map(|x| spec.float(x, form).into_bytes()).collect()
        }
        _ => t.to_i64s()?.into_iter().map(|v| spec.int(i128::from(v)).into_bytes()).collect(),
    })
}

/// A kernel that maps each string.
fn map(
    name: &'static str,
    f: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    pure(name, move |inputs| {
        let out = strings(inputs, 0)?.iter().map(|s| f(s)).collect();
        Ok(vec![Tensor::strings(tensor(inputs, 0)?.shape().clone(), out)?])
    })
}

/// With the encoding `utf-8` letters of all languages change, else those of ASCII.
fn change_case(
    node: &Node,
    name: &'static str,
    ascii: fn(&[u8]) -> Vec<u8>,
    unicode: fn(&str) -> String,
) -> Result<Box<dyn Kernel>> {
    match node.attr_str("encoding")? {
        "" => map(name, ascii),
        "utf-8" => map(name, move |s| unicode(&String::from_utf8_lossy(s)).into_bytes()),
        other => Err(Error::invalid_argument(format!(
            "only utf-8 or '' (no encoding) is supported, not {other}"
        ))
        .at(&*node.name)),
    }
}

fn make_lower(node: &Node) -> Result<Box<dyn Kernel>> {
    change_case(node, "StringLower", <[u8]>::to_ascii_lowercase, str::to_lowercase)
}

fn make_upper(node: &Node) -> Result<Box<dyn Kernel>> {
    change_case(node, "StringUpper", <[u8]>::to_ascii_uppercase, str::to_uppercase)
}

fn make_strip(_: &Node) -> Result<Box<dyn Kernel>> {
    map("StringStrip", |s| strip(s).to_vec())
}

/// Without white space at the ends; a vertical tab is white space too.
pub(super) fn strip(s: &[u8]) -> &[u8] {
    let space = |b: &u8| b.is_ascii_whitespace() || *b == 0x0b;
    let start = s.iter().position(|b| !space(b)).unwrap_or(s.len());
    let end = s.iter().rposition(|b| !space(b)).map_or(start, |at| at + 1);
    &s[start..end]
}

fn make_join(node: &Node) -> Result<Box<dyn Kernel>> {
    let separator = node.attr_bytes("separator")?.to_vec();
    pure("StringJoin", move |inputs| {
        let mut shape = Shape::scalar();
        for i in 0..inputs.len() {
            let own = tensor(inputs, i)?.shape();
            if own.rank() == 0 {
                continue;
            }
            if shape.rank() > 0 && shape != *own {
                return Err(Error::invalid_argument(format!(
                    "Input shapes do not match: {shape} vs. {own}"
                )));
            }
            shape = own.clone();
        }
        let parts: Vec<&[Vec<u8>]> =
            (0..inputs.len()).map(|i| strings(inputs, i)).collect::<Result<_>>()?;
        let scalar = |i: usize| inputs[i].tensor().is_ok_and(|t| t.shape().rank() == 0);
        let scalars: Vec<bool> = (0..inputs.len()).map(scalar).collect();
        let joined = (0..shape.elements())
            .map(|at| {
                let part = |i: usize| &parts[i][if scalars[i] { 0 } else { at }][..];
                (0..parts.len()).map(part).collect::<Vec<_>>().join(&separator[..])
            })
            .collect();
        Ok(vec![Tensor::strings(shape, joined)?])
    })
}

/// The number that is written; white space around it does not matter.
fn parse<T: std::str::FromStr>(s: &[u8]) -> Result<T> {
    let text = std::str::from_utf8(strip(s)).ok();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        Error::invalid_argument(format!(
            "StringToNumberOp could not correctly convert string: {}",
            String::from_utf8_lossy(s)
        ))
    })
}

fn make_number(node: &Node) -> Result<Box<dyn Kernel>> {
    fn numbers<T>(inputs: &[Value]) -> Result<Vec<Tensor>>
    where
        T: std::str::FromStr + tfjit_base::Element,
    {
        let values: Vec<T> = strings(inputs, 0)?.iter().map(|s| parse(s)).collect::<Result<_>>()?;
        Ok(vec![Tensor::from_slice(tensor(inputs, 0)?.shape().clone(), &values)?])
    }
    let run = match node.attr_dtype("out_type")? {
        DType::F32 => numbers::<f32>,
        DType::F64 => numbers::<f64>,
        DType::I32 => numbers::<i32>,
        DType::I64 => numbers::<i64>,
        DType::U32 => numbers::<u32>,
        DType::U64 => numbers::<u64>,
        other => {
            let text = format!("strings do not become {other}");
            return Err(Error::invalid_argument(text).at(&*node.name));
        }
    };
    pure("StringToNumber", run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_all_types_as_text() {
        let spec = Spec { flag: None, width: 0, precision: Some(2) };
        let text =
            |t: &Tensor| String::from_utf8(texts(t, &spec, Form::Fixed).unwrap().concat()).unwrap();
        assert_eq!(text(&Tensor::scalar(1.005f32)), "1.00");
        assert_eq!(text(&Tensor::scalar_bool(true)), "true");
        assert_eq!(text(&Tensor::scalar(u64::MAX)), "18446744073709551615");
        assert_eq!(text(&Tensor::scalar(-7i8)), "-7");
        assert_eq!(text(&Tensor::scalar(tfjit_base::bf16::from_f32(0.1))), "0.10");
        assert_eq!(text(&Tensor::scalar(Complex::new(1.0f32, -2.0))), "(1.00,-2.00)");
    }

    #[test]
    fn white_space_at_the_ends() {
        assert_eq!(strip(b" \t a b\x0b\n"), b"a b");
        assert_eq!(strip(b"  "), b"");
        assert_eq!(strip(b""), b"");
    }
}
