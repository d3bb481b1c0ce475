//! Truth values, bit patterns, comparisons and selections.

use tfjit_base::{DType, Tensor};
use tfjit_hlo::{Binary, CompareType, Direction, Op, Unary, ValueId};

use super::Rule;
use super::matching::{Number, Rewrite, View};

pub(super) const RULES: &[Rule] = &[
    Rule { reason: "and with ones", rewrite: and_ones },
    Rule { reason: "and with zeros", rewrite: and_zeros },
    Rule { reason: "or with zeros", rewrite: or_zeros },
    Rule { reason: "or with ones", rewrite: or_ones },
    Rule { reason: "shift by nothing", rewrite: shift_zero },
    Rule { reason: "not of a comparison", rewrite: not_compare },
    Rule { reason: "comparison with itself", rewrite: compare_itself },
    Rule { reason: "comparison of a truth value with true", rewrite: compare_true },
    Rule { reason: "selection by a constant", rewrite: select_constant },
    Rule { reason: "selection of equals", rewrite: select_equals },
    Rule { reason: "selection by not", rewrite: select_not },
    Rule { reason: "selection of true and false", rewrite: select_truth },
];

/// Operands of an operation on integers or truth values, the second one a number.
fn bits(v: &View<'_>, op: Binary) -> Option<(ValueId, i64)> {
    let right = v.inst.op == Op::Binary(op) && v.int();
    match v.number(*v.inst.operands.get(1)?).filter(|_| right)? {
        Number::Int(number) => Some((v.operand(0), number)),
        Number::Float(_) => None,
    }
}

/// Whether every bit of an element is set.
fn ones(dtype: DType, number: i64) -> bool {
    let width = dtype.bits() as u32;
    let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0);
    number as u64 & mask == mask
}

fn and_ones(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = bits(v, Binary::And)?;
    ones(v.result()?.dtype, number).then(|| Rewrite::value(x))?
}

fn and_zeros(v: &View<'_>) -> Option<Rewrite> {
    let (_, number) = bits(v, Binary::And)?;
    (number == 0).then(|| Rewrite::value(v.operand(1)))?
}

fn or_zeros(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = bits(v, Binary::Or).or_else(|| bits(v, Binary::Xor))?;
    (number == 0).then(|| Rewrite::value(x))?
}

fn or_ones(v: &View<'_>) -> Option<Rewrite> {
    let (_, number) = bits(v, Binary::Or)?;
    ones(v.result()?.dtype, number).then(|| Rewrite::value(v.operand(1)))?
}

fn shift_zero(v: &View<'_>) -> Option<Rewrite> {
    let shifts = [Binary::ShiftLeft, Binary::ShiftRightArithmetic, Binary::ShiftRightLogical];
    let (x, number) = shifts.into_iter().find_map(|op| bits(v, op))?;
    (number == 0).then(|| Rewrite::value(x))?
}

/// The comparison that holds exactly when the other does not, if NaN cannot come in between.
fn opposite(direction: Direction, exact: bool) -> Option<Direction> {
    use Direction::*;
    match direction {
        Eq => Some(Ne),
        Ne => Some(Eq),
        Ge if exact => Some(Lt),
        Gt if exact => Some(Le),
        Le if exact => Some(Gt),
        Lt if exact => Some(Ge),
        Ge | Gt | Le | Lt => None,
    }
}

fn not_compare(v: &View<'_>) -> Option<Rewrite> {
    let inner = v.operand_def(0).filter(|_| v.inst.op == Op::Unary(Unary::Not))?;
    let Op::Compare { direction, compare_type } = inner.op else { return None };
    let dtype = v.ty(inner.operands[0])?.dtype;
    let ordered = dtype.is_int() || dtype == DType::Bool;
    let exact = ordered || compare_type == CompareType::TotalOrder;
    let direction = opposite(direction, exact)?;
    v.instead(Op::Compare { direction, compare_type }, &inner.operands)
}

fn compare_itself(v: &View<'_>) -> Option<Rewrite> {
    let Op::Compare { direction, compare_type } = v.inst.op else { return None };
    let ty = v.ty(v.operand(0))?;
    let ordered = ty.quant.is_none() && (ty.dtype.is_int() || ty.dtype == DType::Bool);
    let exact = ordered || compare_type == CompareType::TotalOrder;
    if v.operand(0) != v.operand(1) || !exact {
        return None;
    }
    let holds = matches!(direction, Direction::Eq | Direction::Ge | Direction::Le);
    v.constant(Tensor::scalar_bool(holds))
}

fn compare_true(v: &View<'_>) -> Option<Rewrite> {
    let Op::Compare { direction, .. } = v.inst.op else { return None };
    let x = v.operand(0);
    let truth = v.ty(x)?.dtype == DType::Bool;
    let number = v.number(v.operand(1)).filter(|_| truth)?;
    match (direction, number) {
        (Direction::Eq, Number::Int(1)) | (Direction::Ne, Number::Int(0)) => Rewrite::value(x),
        (Direction::Eq, Number::Int(0)) | (Direction::Ne, Number::Int(1)) => {
            v.instead(Op::Unary(Unary::Not), &[x])
        }
        _ => None,
    }
}

fn select(v: &View<'_>) -> Option<[ValueId; 3]> {
    (v.inst.op == Op::Select).then(|| [v.operand(0), v.operand(1), v.operand(2)])
}

fn select_constant(v: &View<'_>) -> Option<Rewrite> {
    let [pred, on_true, on_false] = select(v)?;
    let Number::Int(taken) = v.number(pred)? else { return None };
    Rewrite::value(if taken != 0 { on_true } else { on_false })
}

fn select_equals(v: &View<'_>) -> Option<Rewrite> {
    let [_, on_true, on_false] = select(v)?;
    (on_true == on_false).then(|| Rewrite::value(on_true))?
}

fn select_not(v: &View<'_>) -> Option<Rewrite> {
    let [pred, on_true, on_false] = select(v)?;
    let inner = v.def(pred).filter(|inner| inner.op == Op::Unary(Unary::Not))?;
    v.instead(Op::Select, &[inner.operands[0], on_false, on_true])
}

fn select_truth(v: &View<'_>) -> Option<Rewrite> {
    let [pred, on_true, on_false] = select(v)?;
    let truth = v.result()?.dtype == DType::Bool && v.ty(pred)?.dims == v.result()?.dims;
    match (v.number(on_true).filter(|_| truth)?, v.number(on_false)?) {
        (Number::Int(1), Number::Int(0)) => Rewrite::value(pred),
        (Number::Int(0), Number::Int(1)) => v.instead(Op::Unary(Unary::Not), &[pred]),
        _ => None,
    }
}
