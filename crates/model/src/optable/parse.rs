//! One line of the op table: inputs, outputs, attributes and flags, separated by tabs.
//!
//! Arguments are `name:type`, `name:N*type`, `name:list(types)` and `name:ref(type)`; a type that
//! is no TensorFlow type names an attribute. Attributes are `name:kind=default in [set] >=least`,
//! where `@3` stands for the fourth of the sets at the head of the file.

use std::borrow::Cow;

use tfjit_base::{PartialShape, Shape, Tensor};

use super::{ArgDef, ArgType, AttrDef, AttrKind, OpDef, OpFlags};
use crate::attr::{AttrList, AttrValue};
use crate::tensor_value::TensorValue;
use crate::tftype;

/// The piece of a line that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub struct ParseError(pub String);

type Parsed<T> = Result<T, ParseError>;

fn wrong<T>(piece: &str) -> Parsed<T> {
    Err(ParseError(piece.to_string()))
}

/// The op `name` of the line behind the name.
pub(super) fn row(name: &'static str, line: &'static str, sets: &[&'static str]) -> Parsed<OpDef> {
    let mut columns = line.split('\t');
    let mut column = || columns.next().unwrap_or("");
    let inputs = pieces(column()).into_iter().map(arg).collect::<Parsed<_>>()?;
    let outputs = pieces(column()).into_iter().map(arg).collect::<Parsed<_>>()?;
    let attrs = pieces(column()).into_iter().map(|p| attr(p, sets)).collect::<Parsed<_>>()?;
    let mut flags = OpFlags::default();
    let mut deprecated = None;
    for flag in column().split(',').filter(|f| !f.is_empty()) {
        match flag {
            "is_stateful" => flags.stateful = true,
            "is_commutative" => flags.commutative = true,
            "is_aggregate" => flags.aggregate = true,
            "allows_uninitialized_input" => flags.allows_uninitialized_input = true,
            "is_distributed_communication" => flags.distributed_communication = true,
            other => match other.strip_prefix("deprecated@").and_then(|v| v.parse().ok()) {
                Some(version) => deprecated = Some(version),
                None => return wrong(flag),
            },
        }
    }
    Ok(OpDef { name: Cow::Borrowed(name), inputs, outputs, attrs, flags, deprecated })
}

/// Splits at `; ` outside quotes.
fn pieces(text: &'static str) -> Vec<&'static str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'\'' => quoted = !quoted,
            b';' if !quoted => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        out.push(last);
    }
    out
}

fn arg(piece: &'static str) -> Parsed<ArgDef> {
    let Some((name, mut rest)) = piece.split_once(':') else { return wrong(piece) };
    let mut number = None;
    if let Some((n, of)) = rest.split_once('*') {
        number = Some(Cow::Borrowed(n));
        rest = of;
    }
    let inside = |prefix: &str| rest.strip_prefix(prefix)?.strip_suffix(')');
    let reference = inside("ref(");
    let tftype = match inside("list(") {
        Some(list) => ArgType::List(Cow::Borrowed(list)),
        None => {
            let plain = reference.unwrap_or(rest);
            match tftype::from_op_def_name(plain) {
                Some(fixed) => ArgType::Fixed(fixed),
                None => ArgType::Attr(Cow::Borrowed(plain)),
            }
        }
    };
    Ok(ArgDef { name: Cow::Borrowed(name), tftype, number, is_ref: reference.is_some() })
}

fn attr(piece: &'static str, sets: &[&'static str]) -> Parsed<AttrDef> {
    let Some((name, rest)) = piece.split_once(':') else { return wrong(piece) };
    let (rest, minimum) = match rest.rsplit_once(" >=") {
        Some((rest, least)) => match least.parse() {
            Ok(least) => (rest, Some(least)),
            Err(_) => return wrong(piece),
        },
        None => (rest, None),
    };
    let (rest, set) = match rest.rsplit_once(" in ") {
        Some((rest, set)) => (rest, Some(set)),
        None => (rest, None),
    };
    let (kind, default) = match rest.split_once('=') {
        Some((kind, default)) => (kind, Some(default)),
        None => (rest, None),
    };
    let element = kind.strip_prefix("list(").and_then(|k| k.strip_suffix(')'));
    let list = element.is_some();
    let Some(kind) = AttrKind::from_name(element.unwrap_or(kind)) else { return wrong(piece) };
    let allowed = match set {
        None => None,
        Some(set) => {
            let set = match set.strip_prefix('@') {
                Some(n) => n.parse().ok().and_then(|n: usize| sets.get(n)).copied(),
                None => Some(set),
            };
            let Some(set) = set else { return wrong(piece) };
            Some(values(kind, set)?)
        }
    };
    let default = match default {
        None => None,
        Some(text) if list => Some(AttrValue::List(values(kind, text)?)),
        Some(text) => Some(value(kind, text)?),
    };
    Ok(AttrDef { name: Cow::Borrowed(name), kind, list, default, allowed, minimum })
}

/// A list in brackets, split at commas outside quotes and inner brackets.
fn values(kind: AttrKind, text: &str) -> Parsed<AttrList> {
    let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) else {
        return wrong(text);
    };
    let mut items = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0, false);
    for (at, b) in inner.bytes().enumerate() {
        match b {
            b'\'' => quoted = !quoted,
            b'[' if !quoted => depth += 1,
            b']' if !quoted => depth -= 1,
            b',' if !quoted && depth == 0 => {
                items.push(value(kind, &inner[start..at])?);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inner.is_empty() {
        items.push(value(kind, &inner[start..])?);
    }
    Ok(listed(kind, items))
}

/// A list of `kind` out of values of that kind.
fn listed(kind: AttrKind, items: Vec<AttrValue>) -> AttrList {
    macro_rules! list {
        ($list:ident, $value:ident) => {
            list!($list, $value, |v| v)
        };
        ($list:ident, $value:ident, $map:expr) => {
            AttrList::$list(
                items
                    .into_iter()
                    .filter_map(|v| match v {
                        AttrValue::$value(v) => Some(v),
                        _ => None,
                    })
                    .map($map)
                    .collect(),
            )
        };
    }
    match kind {
        AttrKind::String => list!(Bytes, Bytes),
        AttrKind::Int => list!(Ints, Int),
        AttrKind::Float => list!(Floats, Float),
        AttrKind::Bool => list!(Bools, Bool),
        AttrKind::Type => list!(Types, Type),
        AttrKind::Shape => list!(Shapes, Shape),
        AttrKind::Tensor => list!(Tensors, Tensor, |v| *v),
        AttrKind::Func => list!(Funcs, Func),
    }
}

fn value(kind: AttrKind, text: &str) -> Parsed<AttrValue> {
    let found = match kind {
        AttrKind::String => text
            .strip_prefix('\'')
            .and_then(|t| t.strip_suffix('\''))
            .map(|t| AttrValue::Bytes(t.replace("\\n", "\n").replace("\\t", "\t").into_bytes())),
        AttrKind::Int => text.parse().ok().map(AttrValue::Int),
        AttrKind::Float => text.parse().ok().map(AttrValue::Float),
        AttrKind::Bool => text.parse().ok().map(AttrValue::Bool),
        AttrKind::Type => tftype::from_op_def_name(text).map(AttrValue::Type),
        AttrKind::Shape => shape(text).map(AttrValue::Shape),
        AttrKind::Tensor => empty_tensor(text).map(Box::new).map(AttrValue::Tensor),
        AttrKind::Func => None,
    };
    found.ok_or_else(|| ParseError(text.to_string()))
}

/// `shape?`, `shape[]`, `shape[2,1]`.
fn shape(text: &str) -> Option<PartialShape> {
    let text = text.strip_prefix("shape")?;
    if text == "?" {
        return Some(PartialShape::unknown());
    }
    let dims = text.strip_prefix('[')?.strip_suffix(']')?;
    let dims = dims.split(',').filter(|d| !d.is_empty()).map(|d| match d {
        "?" | "-1" => Some(None),
        d => d.parse().ok().map(Some),
    });
    Some(PartialShape::new(dims.collect::<Option<_>>()?))
}

/// `tensor(int32)`: a default that is one zero.
fn empty_tensor(text: &str) -> Option<TensorValue> {
    let name = text.strip_prefix("tensor(")?.strip_suffix(')')?;
    let dtype = tftype::dtype(tftype::from_op_def_name(name)?)?;
    Some(TensorValue::dense(Tensor::zeros(dtype, Shape::scalar()).ok()?))
}
