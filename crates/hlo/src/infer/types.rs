//! Types on their own: whether one is well formed, and whether two can describe one value.

use std::fmt;

use tfjit_base::{DType, Error, Result, limits};

use super::extent::{Extent, tensor};
use crate::{DYNAMIC, Quant, TensorType, Type};

/// Whether `ty` is well formed: rank, extents, bounds, element type, quantisation, nesting.
///
/// # Errors
/// INVALID_ARGUMENT or RESOURCE_EXHAUSTED saying what is wrong with it.
pub(crate) fn check_type(ty: &Type) -> Result<()> {
    let mut stack = vec![(ty, 0usize)];
    let mut seen = 0usize;
    while let Some((ty, depth)) = stack.pop() {
        seen += 1;
        if depth > limits::TEXT_DEPTH_MAX || seen > limits::NODES_MAX {
            return Err(Error::resource_exhausted("a tuple type is nested too deep or too long"));
        }
        match ty {
            Type::Tensor(t) => check_tensor(t)?,
            Type::Token => {}
            Type::Tuple(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
        }
    }
    Ok(())
}

fn check_tensor(t: &TensorType) -> Result<()> {
    let bad = |what: String| Err(Error::invalid_argument(format!("{} {what}", Shown(t))));
    if t.rank() > limits::RANK_MAX {
        return bad(format!("has rank {}, the limit is {}", t.rank(), limits::RANK_MAX));
    }
    if t.dtype == DType::String {
        return bad("is a tensor of strings, which have no place in a compiled program".into());
    }
    if t.dims.iter().any(|&d| d < 0 && d != DYNAMIC) {
        return bad("has a negative extent".into());
    }
    if !t.bounds.is_empty() && t.bounds.len() != t.rank() {
        return bad(format!("has {} bounds for {} dimensions", t.bounds.len(), t.rank()));
    }
    if t.bounds.iter().any(|&b| b < 0 && b != DYNAMIC) {
        return bad("has a negative bound".into());
    }
    if t.bounds.iter().zip(&t.dims).any(|(&b, &d)| b != DYNAMIC && d != DYNAMIC) {
        return bad("has a bound on an extent that is known".into());
    }
    let known: Vec<i64> = t.dims.iter().copied().filter(|&d| d != DYNAMIC).collect();
    if !known.contains(&0) {
        let n = known.iter().try_fold(1i64, |n, &d| n.checked_mul(d));
        if n.is_none_or(|n| n as u64 > limits::ELEMENTS_MAX as u64) {
            return Err(Error::resource_exhausted(format!(
                "{} has more than {} elements",
                Shown(t),
                limits::ELEMENTS_MAX
            )));
        }
    }
    t.quant.as_ref().map_or(Ok(()), |q| check_quant(t, q))
}

fn check_quant(t: &TensorType, q: &Quant) -> Result<()> {
    let bad = |what: &str| Err(Error::invalid_argument(format!("{}: {what}", Shown(t))));
    if !t.dtype.is_int() || t.dtype.bits() > 32 {
        return bad("a quantised type is stored in integers of at most 32 bits");
    }
    if !q.expressed.is_float() {
        return bad("a quantised type expresses a floating-point type");
    }
    if q.scale_bits.is_empty() || q.scale_bits.len() != q.zero_points.len() {
        return bad("a quantised type has as many zero points as scales, and at least one");
    }
    let ordinary = |&bits: &u64| f64::from_bits(bits).is_finite() && f64::from_bits(bits) > 0.0;
    if !q.scale_bits.iter().all(ordinary) {
        return bad("a scale must be positive and finite");
    }
    let (low, high) = storage_range(t.dtype);
    let (low, high) = match q.storage_range {
        Some((a, b)) if a < b && low <= a && b <= high => (a, b),
        Some(_) => return bad("the storage range does not fit the storage type"),
        None => (low, high),
    };
    if q.zero_points.iter().any(|z| !(low..=high).contains(z)) {
        return bad("a zero point is outside of the storage range");
    }
    match q.axis {
        None if q.scale_bits.len() != 1 => bad("a type quantised as a whole has one scale"),
        None => Ok(()),
        Some(axis) if axis >= t.rank() => bad("the quantised dimension is past the rank"),
        Some(axis) if !Extent::of(t, axis).may_be(q.scale_bits.len() as i64) => {
            bad("there must be one scale an index of the quantised dimension")
        }
        Some(_) => Ok(()),
    }
}

/// Smallest and largest value of an integer type of at most 32 bits.
fn storage_range(dtype: DType) -> (i64, i64) {
    let bits = dtype.bits().min(32) as u32;
    if dtype.is_signed_int() {
        (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
    } else {
        (0, (1i64 << bits) - 1)
    }
}

/// Whether a value of type `given` can stand where `wanted` is: equal but for extents, of which
/// unknown ones go with any that respect their bound.
pub(crate) fn accepts(wanted: &Type, given: &Type) -> bool {
    meet(wanted, given).is_some()
}

/// The more exact of two types extent by extent; `None` when they are not compatible.
pub(crate) fn meet(a: &Type, b: &Type) -> Option<Type> {
    combine(a, b, Extent::meet, 0)
}

/// The type of a value that has one of two types; `None` when they are not compatible.
pub(crate) fn join(a: &Type, b: &Type) -> Option<Type> {
    combine(a, b, Extent::join, 0)
}

fn combine(
    a: &Type,
    b: &Type,
    extent: fn(Extent, Extent) -> Option<Extent>,
    depth: usize,
) -> Option<Type> {
    match (a, b) {
        (Type::Tensor(a), Type::Tensor(b)) => {
            if a.dtype != b.dtype || a.quant != b.quant || a.rank() != b.rank() {
                return None;
            }
            let extents: Option<Vec<Extent>> =
                Extent::all(a).into_iter().zip(Extent::all(b)).map(|(a, b)| extent(a, b)).collect();
            let mut ty = tensor(a.dtype, &extents?);
            ty.quant = a.quant.clone();
            Some(Type::Tensor(ty))
        }
        (Type::Token, Type::Token) => Some(Type::Token),
        (Type::Tuple(a), Type::Tuple(b)) => {
            if a.len() != b.len() || depth > limits::TEXT_DEPTH_MAX {
                return None;
            }
            let items: Option<Vec<Type>> =
                a.iter().zip(b).map(|(a, b)| combine(a, b, extent, depth + 1)).collect();
            Some(Type::Tuple(items?))
        }
        _ => None,
    }
}

/// Prints `f32[2,?]`, and at most [`limits::RANK_MAX`] extents of it.
pub(crate) struct Shown<'a>(pub(crate) &'a TensorType);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.0;
        match &t.quant {
            None => write!(f, "{}[", t.dtype)?,
            Some(q) => write!(f, "quantised {}:{}[", t.dtype, q.expressed)?,
        }
        for i in 0..t.rank().min(limits::RANK_MAX) {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{}", Extent::of(t, i))?;
        }
        f.write_str(if t.rank() > limits::RANK_MAX { ",…]" } else { "]" })
    }
}

/// What kind of value a type is, for messages.
pub(crate) fn describe(ty: &Type) -> String {
    match ty {
        Type::Tensor(t) => Shown(t).to_string(),
        Type::Token => "a token".into(),
        Type::Tuple(items) => format!("a tuple of {}", items.len()),
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::{Binary, Op, Unary, infer};

    #[test]
    fn quantised_types_pass_through() {
        let quant = Quant {
            expressed: DType::F32,
            storage_range: None,
            axis: None,
            scale_bits: vec![0.5f64.to_bits()],
            zero_points: vec![3],
        };
        let mut x = TensorType::new(DType::I8, &[2, 3]);
        x.quant = Some(quant.clone().into());
        let x = Type::Tensor(x);
        let real = Type::tensor(DType::F32, &[2, 3]);
        let one = |op: Op, operands: &[&Type], declared: Option<&Type>| {
            infer(&op, operands, &[], declared.map(std::slice::from_ref)).map(|mut t| t.remove(0))
        };
        assert_eq!(one(Op::Binary(Binary::Add), &[&x, &x], None).unwrap(), x);
        assert_eq!(one(Op::UniformQuantize, &[&real], Some(&x)).unwrap(), x);
        assert_eq!(one(Op::UniformDequantize, &[&x], None).unwrap(), real);
        assert!(one(Op::Convert, &[&x], Some(&real)).is_err());
        assert!(one(Op::Binary(Binary::Add), &[&x, &real], None).is_err());
        let turned = one(Op::Transpose { permutation: smallvec![1, 0] }, &[&x], None).unwrap();
        assert_eq!(turned.as_tensor().unwrap().quant.as_deref(), Some(&quant));
        let mut wrong = TensorType::new(DType::I8, &[2]);
        wrong.quant = Some(Quant { axis: Some(0), ..quant }.into());
        let wrong = Type::Tensor(wrong);
        let error = one(Op::Unary(Unary::Abs), &[&wrong], None).unwrap_err();
        assert!(error.message().contains("one scale an index"), "{error}");
    }
}
