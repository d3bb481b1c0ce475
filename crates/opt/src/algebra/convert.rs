//! Conversions, bit casts, parts of complex numbers.

use tfjit_base::{DType, DTypeClass};
use tfjit_hlo::{Binary, Op, Unary};

use super::Rule;
use super::matching::{Rewrite, View};

pub(super) const RULES: &[Rule] = &[
    Rule { reason: "conversion to the same type", rewrite: same },
    Rule { reason: "conversion there and back", rewrite: back },
    Rule { reason: "conversion by way of a wider type", rewrite: detour },
    Rule { reason: "bit cast of a bit cast", rewrite: bits },
    Rule { reason: "part of a complex number that is made here", rewrite: part },
    Rule { reason: "complex number of the parts of one", rewrite: parts },
];

fn same(v: &View<'_>) -> Option<Rewrite> {
    let cast = matches!(v.inst.op, Op::Convert | Op::BitcastConvert);
    (cast && v.ty(v.operand(0))? == v.result()?).then(|| Rewrite::value(v.operand(0)))?
}

/// Whether every value of `from` is one of `to`, so that converting is exact.
pub(super) fn exact(from: DType, to: DType) -> bool {
    use DTypeClass::{Bool, Complex, Float, Signed, Unsigned};
    let (a, b) = (from.bits(), to.bits());
    match (from.class(), to.class()) {
        (Bool, Signed | Unsigned | Float | Complex) => to.bits() >= 8 && to != DType::F8E8M0FNU,
        (Signed, Signed) | (Unsigned, Unsigned) => a <= b,
        (Unsigned, Signed) => a < b,
        (Signed | Unsigned, Float) => mantissa(to).is_some_and(|m| a <= m),
        (Float, Float) => matches!(
            (from, to),
            (DType::BF16 | DType::F16, DType::F32 | DType::F64) | (DType::F32, DType::F64)
        ),
        (Complex, Complex) => a <= b,
        _ => false,
    }
}

/// Bits of integers that a float type holds exactly.
fn mantissa(dtype: DType) -> Option<usize> {
    match dtype {
        DType::BF16 => Some(8),
        DType::F16 => Some(11),
        DType::F32 => Some(24),
        DType::F64 => Some(53),
        _ => None,
    }
}

/// The types of two conversions in a row, and the value converted.
fn twice(v: &View<'_>) -> Option<(DType, DType, DType, tfjit_hlo::ValueId)> {
    let inner = v.operand_def(0).filter(|_| v.inst.op == Op::Convert)?;
    let x = (inner.op == Op::Convert).then(|| inner.operands[0])?;
    Some((v.ty(x)?.dtype, v.ty(v.operand(0))?.dtype, v.result()?.dtype, x))
}

fn back(v: &View<'_>) -> Option<Rewrite> {
    let (a, b, c, x) = twice(v)?;
    (a == c && exact(a, b)).then(|| Rewrite::value(x))?
}

/// From `a` to `c` by way of `b` is the direct way if `b` holds every value of `a`. Conversions to
/// narrow integers are left alone: what they do out of range may depend on where they start.
fn detour(v: &View<'_>) -> Option<Rewrite> {
    let (a, b, c, x) = twice(v)?;
    let total = c.is_float() || exact(a, c);
    (a != b && exact(a, b) && total).then(|| v.instead(Op::Convert, &[x]))?
}

fn bits(v: &View<'_>) -> Option<Rewrite> {
    let inner = v.operand_def(0).filter(|_| v.inst.op == Op::BitcastConvert)?;
    let x = (inner.op == Op::BitcastConvert).then(|| inner.operands[0])?;
    let (a, b, c) = (v.ty(x)?, v.ty(v.operand(0))?, v.result()?);
    let plain = [a, b, c].iter().all(|t| t.quant.is_none());
    if plain && a.dtype.bits() == b.dtype.bits() && b.dtype.bits() == c.dtype.bits() {
        return if a == c { Rewrite::value(x) } else { v.instead(Op::BitcastConvert, &[x]) };
    }
    None
}

fn part(v: &View<'_>) -> Option<Rewrite> {
    let index = match v.inst.op {
        Op::Unary(Unary::Real) => 0,
        Op::Unary(Unary::Imag) => 1,
        _ => return None,
    };
    let made = v.operand_def(0).filter(|made| made.op == Op::Binary(Binary::Complex))?;
    Rewrite::value(made.operands[index])
}

fn parts(v: &View<'_>) -> Option<Rewrite> {
    if v.inst.op != Op::Binary(Binary::Complex) {
        return None;
    }
    let (re, im) = (v.operand_def(0)?, v.operand_def(1)?);
    let both = re.op == Op::Unary(Unary::Real) && im.op == Op::Unary(Unary::Imag);
    (both && re.operands == im.operands).then(|| Rewrite::value(re.operands[0]))?
}
