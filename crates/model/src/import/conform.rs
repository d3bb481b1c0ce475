//! Attributes against the op definition: kinds, allowed values, least values, defaults.
//!
//! Attributes the definition does not know are kept unchecked: newer writers add them, and those
//! with a leading underscore are free for all.

use tfjit_base::{Error, Result};

use super::Strings;
use crate::attr::{AttrList, AttrValue, Attrs};
use crate::optable::{AttrDef, AttrKind, OpDef};
use crate::problems::Problems;
use crate::{TfType, suggest, tftype};

/// Checks `attrs` and adds the defaults. Problems go to `report`.
pub(crate) fn complete(
    def: &OpDef,
    attrs: &mut Attrs,
    strings: &mut Strings,
    mut report: impl FnMut(Error),
) {
    for attr in &def.attrs {
        let checked = match attrs.get(&attr.name) {
            Some(AttrValue::List(AttrList::Empty)) if attr.list => {
                check_length(attr, 0).map(|()| Some(AttrValue::List(empty(attr.kind))))
            }
            Some(value) => check(attr, value).map(|()| None),
            None => match &attr.default {
                Some(default) => Ok(Some(default.clone())),
                None => Err(missing(def, attr, attrs)),
            },
        };
        match checked {
            Ok(Some(value)) => attrs.set(strings.share(&attr.name), value),
            Ok(None) => {}
            Err(e) => report(e),
        }
    }
}

/// As [`complete`], with all problems in one error.
pub(crate) fn complete_or_fail(def: &OpDef, attrs: &mut Attrs) -> Result<()> {
    let mut problems = Problems::new();
    complete(def, attrs, &mut Strings::default(), |e| problems.error(e));
    problems.finish().map(|_| ())
}

fn missing(def: &OpDef, attr: &AttrDef, attrs: &Attrs) -> Error {
    let e = Error::invalid_argument(format!(
        "the attribute {} ({}) of {} is missing",
        attr.name,
        attr.kind_name(),
        def.name
    ));
    let unknown = attrs.iter().map(|(n, _)| &**n).filter(|n| def.attr(n).is_none());
    match suggest::nearest(&attr.name, unknown) {
        Some(name) => e.help(format!("there is one called {name}")),
        None => e,
    }
}

fn empty(kind: AttrKind) -> AttrList {
    match kind {
        AttrKind::String => AttrList::Bytes(Vec::new()),
        AttrKind::Int => AttrList::Ints(Vec::new()),
        AttrKind::Float => AttrList::Floats(Vec::new()),
        AttrKind::Bool => AttrList::Bools(Vec::new()),
        AttrKind::Type => AttrList::Types(Vec::new()),
        AttrKind::Shape => AttrList::Shapes(Vec::new()),
        AttrKind::Tensor => AttrList::Tensors(Vec::new()),
        AttrKind::Func => AttrList::Funcs(Vec::new()),
    }
}

fn check(attr: &AttrDef, value: &AttrValue) -> Result<()> {
    use AttrKind as K;
    use AttrValue as V;
    let fits = matches!(
        (attr.kind, attr.list, value),
        (K::String, false, V::Bytes(_))
            | (K::Int, false, V::Int(_))
            | (K::Float, false, V::Float(_))
            | (K::Bool, false, V::Bool(_))
            | (K::Type, false, V::Type(_))
            | (K::Shape, false, V::Shape(_))
            | (K::Tensor, false, V::Tensor(_))
            | (K::Func, false, V::Func(_))
            | (K::String, true, V::List(AttrList::Bytes(_)))
            | (K::Int, true, V::List(AttrList::Ints(_)))
            | (K::Float, true, V::List(AttrList::Floats(_)))
            | (K::Bool, true, V::List(AttrList::Bools(_)))
            | (K::Type, true, V::List(AttrList::Types(_)))
            | (K::Shape, true, V::List(AttrList::Shapes(_)))
            | (K::Tensor, true, V::List(AttrList::Tensors(_)))
            | (K::Func, true, V::List(AttrList::Funcs(_)))
    );
    if !fits {
        return Err(Error::invalid_argument(format!(
            "the attribute {} is {} {value}, not {}",
            attr.name,
            value.kind_name(),
            attr.kind_name()
        )));
    }
    check_values(attr, value)?;
    check_minimum(attr, value)
}

fn check_values(attr: &AttrDef, value: &AttrValue) -> Result<()> {
    match value {
        AttrValue::Type(t) => check_type(attr, *t)?,
        AttrValue::List(AttrList::Types(list)) => {
            for t in list {
                check_type(attr, *t)?;
            }
        }
        AttrValue::Bytes(b) => check_text(attr, b)?,
        AttrValue::List(AttrList::Bytes(list)) => {
            for b in list {
                check_text(attr, b)?;
            }
        }
        _ if value.funcs().iter().any(|f| f.name.is_empty()) => {
            return Err(Error::invalid_argument(format!(
                "the attribute {} is a function without a name",
                attr.name
            )));
        }
        _ => {}
    }
    Ok(())
}

fn check_type(attr: &AttrDef, t: TfType) -> Result<()> {
    if t == TfType::DtInvalid || tftype::is_ref(t) {
        return Err(Error::invalid_argument(format!(
            "the attribute {} cannot be the type {}",
            attr.name,
            tftype::tf_name(t)
        )));
    }
    match &attr.allowed {
        Some(AttrList::Types(allowed)) if !allowed.contains(&t) => {
            Err(not_allowed(attr, &tftype::op_def_name(t)))
        }
        _ => Ok(()),
    }
}

fn check_text(attr: &AttrDef, text: &[u8]) -> Result<()> {
    match &attr.allowed {
        Some(AttrList::Bytes(allowed)) if !allowed.iter().any(|a| a == text) => {
            let shown = &text[..text.len().min(60)];
            Err(not_allowed(attr, &format!("'{}'", shown.escape_ascii())))
        }
        _ => Ok(()),
    }
}

fn not_allowed(attr: &AttrDef, value: &str) -> Error {
    let allowed = attr.allowed.clone().unwrap_or(AttrList::Empty);
    Error::invalid_argument(format!("the attribute {} cannot be {value}", attr.name))
        .help(format!("allowed are {}", AttrValue::List(allowed)))
}

fn check_minimum(attr: &AttrDef, value: &AttrValue) -> Result<()> {
    match (attr.minimum, value) {
        (Some(least), AttrValue::Int(v)) if *v < least => Err(Error::invalid_argument(format!(
            "the attribute {} is {v}, below its least value {least}",
            attr.name
        ))),
        (Some(_), AttrValue::List(list)) => check_length(attr, list.len()),
        _ => Ok(()),
    }
}

fn check_length(attr: &AttrDef, length: usize) -> Result<()> {
    match attr.minimum {
        Some(least) if (length as i64) < least => Err(Error::invalid_argument(format!(
            "the attribute {} has {length} elements, fewer than {least}",
            attr.name
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optable;

    fn problems(op: &str, attrs: Attrs) -> String {
        let def = optable::find(op).unwrap();
        let mut attrs = attrs;
        complete_or_fail(&def, &mut attrs).map_or_else(|e| e.to_string(), |()| format!("{attrs:?}"))
    }

    #[test]
    fn defaults_are_added() {
        let t = AttrValue::Type(TfType::DtFloat);
        assert_eq!(
            problems("MatMul", Attrs::new().with("T", t)),
            "{T=float, grad_a=false, grad_b=false, transpose_a=false, transpose_b=false}"
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let t = |t| Attrs::new().with("T", AttrValue::Type(t));
        for (op, attrs, want) in [
            ("MatMul", Attrs::new(), "the attribute T (type) of MatMul is missing"),
            ("MatMul", t(TfType::DtString), "the attribute T cannot be string; allowed are [bfl"),
            ("MatMul", t(TfType::DtInvalid), "the attribute T cannot be the type DT_INVALID"),
            ("Identity", t(TfType::DtFloatRef), "cannot be the type DT_FLOAT_REF"),
            (
                "MatMul",
                t(TfType::DtFloat).with("transpose_a", AttrValue::Int(1)),
                "the attribute transpose_a is int 1, not bool",
            ),
            (
                "Pack",
                t(TfType::DtFloat).with("N", AttrValue::Int(0)),
                "the attribute N is 0, below its least value 1",
            ),
            (
                "IdentityN",
                Attrs::new().with("T", AttrValue::List(AttrList::Empty)),
                "the attribute T has 0 elements, fewer than 1",
            ),
        ] {
            let got = problems(op, attrs);
            assert!(got.contains(want), "{op}: {got}");
        }
    }
}
