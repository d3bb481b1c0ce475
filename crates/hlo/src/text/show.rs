//! Printing of types, attributes, strings and literals.
use std::fmt::{self, Write};

use super::cursor::is_word;
use super::number::{float_bits, write_element, write_float};
use super::types::{element_name, element_of};
use crate::{Attr, Attrs, DYNAMIC, Literal, Quant, TensorType, Type};
use tfjit_base::DType;

/// Elements above which a literal prints as hexadecimal data, as MLIR does.
const LIST_ELEMENTS_MAX: usize = 100;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tensor(ty) => ty.fmt(f),
            Type::Token => f.write_str("!stablehlo.token"),
            Type::Tuple(parts) => {
                f.write_str("tuple<")?;
                for (i, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", separator(i))?;
                }
                f.write_str(">")
            }
        }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for &extent in &self.dims {
            write!(f, "{}x", Extent(extent))?;
        }
        match &self.quant {
            Some(quant) => write_quant(f, self.dtype, quant)?,
            None => f.write_str(element_name(self.dtype))?,
        }
        if !self.bounds.is_empty() {
            f.write_str(", #stablehlo.bounds<")?;
            for (i, &bound) in self.bounds.iter().enumerate() {
                write!(f, "{}{}", separator(i), Extent(bound))?;
            }
            f.write_str(">")?;
        }
        f.write_str(">")
    }
}

/// An extent or bound; prints `?` when it is not known.
struct Extent(i64);

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            DYNAMIC => f.write_str("?"),
            known => known.fmt(f),
        }
    }
}

fn write_quant(f: &mut fmt::Formatter<'_>, storage: DType, quant: &Quant) -> fmt::Result {
    // The quant dialect writes unsigned storage types without the first letter of MLIR's.
    let name = element_name(storage);
    let name = if storage.is_unsigned_int() { &name[1..] } else { name };
    write!(f, "!quant.uniform<{name}")?;
    if let Some((low, high)) = quant.storage_range {
        write!(f, "<{low}:{high}>")?;
    }
    write!(f, ":{}", element_name(quant.expressed))?;
    if let Some(axis) = quant.axis {
        write!(f, ":{axis}, {{")?;
    } else {
        f.write_str(", ")?;
    }
    for (i, (&scale, &zero_point)) in quant.scale_bits.iter().zip(&quant.zero_points).enumerate() {
        let mut text = String::new();
        write_float(&mut text, DType::F64, scale);
        write!(f, "{}{text}", if i > 0 { "," } else { "" })?;
        if zero_point != 0 {
            write!(f, ":{zero_point}")?;
        }
    }
    f.write_str(if quant.axis.is_some() { "}>" } else { ">" })
}

/// What stands before the `index`-th item of a list.
pub(super) fn separator(index: usize) -> &'static str {
    if index == 0 { "" } else { ", " }
}

/// Writes `[a, b]`.
pub(super) fn write_list<T: fmt::Display>(out: &mut String, items: impl IntoIterator<Item = T>) {
    out.push('[');
    for (i, item) in items.into_iter().enumerate() {
        let _ = write!(out, "{}{item}", separator(i));
    }
    out.push(']');
}

/// Writes a string with its quotes.
pub(super) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for b in text.bytes() {
        match b {
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\22"),
            b' '..=b'~' => out.push(b as char),
            _ => {
                let _ = write!(out, "\\{b:02X}");
            }
        }
    }
    out.push('"');
}

fn is_bare(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    name.bytes().next().is_some_and(letter) && name.bytes().all(is_word)
}

/// Writes `@name`.
pub(super) fn write_symbol(out: &mut String, name: &str) {
    out.push('@');
    if is_bare(name) { out.push_str(name) } else { write_string(out, name) }
}

/// Writes `{key = value, flag}`.
pub(super) fn write_dict<'a>(
    out: &mut String,
    entries: impl IntoIterator<Item = (&'a str, &'a Attr)>,
) {
    out.push('{');
    for (i, (key, value)) in entries.into_iter().enumerate() {
        out.push_str(separator(i));
        if is_bare(key) {
            out.push_str(key)
        } else {
            write_string(out, key)
        }
        if *value != Attr::Unit {
            out.push_str(" = ");
            write_attr(out, value);
        }
    }
    out.push('}');
}

/// The entries of a dictionary for [`write_dict`].
pub(super) fn entries(attrs: &Attrs) -> impl Iterator<Item = (&str, &Attr)> {
    attrs.iter().map(|(key, value)| (key.as_str(), value))
}

/// Writes an attribute.
pub(super) fn write_attr(out: &mut String, attr: &Attr) {
    match attr {
        Attr::Unit => out.push_str("unit"),
        Attr::Bool(value) => {
            let _ = write!(out, "{value}");
        }
        Attr::Int(value, suffix) => {
            let _ = write!(out, "{value}");
            write_suffix(out, suffix);
        }
        Attr::Float(value, suffix) => {
            write_float_attr(out, *value, suffix);
            write_suffix(out, suffix);
        }
        Attr::Str(text) => write_string(out, text),
        Attr::Symbol(name) => write_symbol(out, name),
        Attr::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(separator(i));
                write_attr(out, item);
            }
            out.push(']');
        }
        Attr::DenseArray(element, values) => write_dense_array(out, element, values),
        Attr::Dense(literal) => write_literal(out, literal, usize::MAX),
        Attr::Dict(attrs) => write_dict(out, entries(attrs)),
        Attr::Type(ty) => {
            let _ = write!(out, "{ty}");
        }
        Attr::Opaque(text) => out.push_str(text),
    }
}

fn write_suffix(out: &mut String, suffix: &str) {
    if !suffix.is_empty() {
        out.push_str(" : ");
        out.push_str(suffix);
    }
}

/// Writes the number of a float attribute: in its own type if that says it exactly.
fn write_float_attr(out: &mut String, value: f64, suffix: &str) {
    let dtype = element_of(suffix).filter(|d| d.is_float()).unwrap_or(DType::F64);
    let exact = |bits: &u64| super::number::float_value(dtype, *bits) == value || value.is_nan();
    match float_bits(dtype, value).filter(exact) {
        Some(bits) => write_float(out, dtype, bits),
        None => write_float(out, DType::F64, value.to_bits()),
    }
}

fn write_dense_array(out: &mut String, element: &str, values: &[i64]) {
    let _ = write!(out, "array<{element}");
    for (i, &value) in values.iter().enumerate() {
        out.push_str(if i == 0 { ": " } else { ", " });
        let _ = match element {
            "i1" => write!(out, "{}", value != 0),
            _ => write!(out, "{value}"),
        };
    }
    out.push('>');
}

/// Writes `dense<…> : type`. Literals of more than `elide_above` elements lose their data: the
/// result is for people.
pub(super) fn write_literal(out: &mut String, literal: &Literal, elide_above: usize) {
    let shape = literal.shape();
    let dtype = literal.dtype();
    let bytes = literal.stored().bytes();
    out.push_str("dense");
    if literal.as_splat().is_some() {
        out.push('<');
        write_element(out, dtype, bytes);
    } else if shape.elements() > elide_above {
        out.push_str("_resource<__elided__");
    } else if shape.elements() == 0 {
        out.push('<');
    } else if shape.elements() > LIST_ELEMENTS_MAX && dtype != DType::Bool {
        // Versions of MLIR disagree on the raw form of booleans only.
        out.reserve(2 * bytes.len() + 4);
        out.push_str("<\"0x");
        for b in bytes {
            let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
            out.push(digit(b >> 4).to_ascii_uppercase());
            out.push(digit(b & 15).to_ascii_uppercase());
        }
        out.push('"');
    } else {
        out.push('<');
        write_elements(out, dtype, shape.dims(), bytes);
    }
    let _ = write!(out, "> : {}", literal.ty());
}

fn write_elements(out: &mut String, dtype: DType, dims: &[usize], bytes: &[u8]) {
    let Some((&extent, inner)) = dims.split_first() else {
        write_element(out, dtype, bytes);
        return;
    };
    out.push('[');
    let step = bytes.len() / extent.max(1);
    for (i, part) in bytes.chunks_exact(step.max(1)).enumerate() {
        out.push_str(separator(i));
        write_elements(out, dtype, inner, part);
    }
    out.push(']');
}
