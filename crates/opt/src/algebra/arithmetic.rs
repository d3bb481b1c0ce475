//! Neutral elements, inverses, powers.

use tfjit_base::{DType, Shape, Tensor, bf16, f16};
use tfjit_hlo::{Binary, Literal, Op, Unary, ValueId};

use super::Rule;
use super::matching::{Arg, Number, Rewrite, Step, View};

pub(super) const RULES: &[Rule] = &[
    Rule { reason: "constants go to the right", rewrite: constant_right },
    Rule { reason: "x + 0", rewrite: add_zero },
    Rule { reason: "x - 0", rewrite: subtract_zero },
    Rule { reason: "x * 1", rewrite: multiply_one },
    Rule { reason: "x / 1", rewrite: divide_one },
    Rule { reason: "x * 0 of integers", rewrite: multiply_zero },
    Rule { reason: "x - x of integers", rewrite: subtract_itself },
    Rule { reason: "x op x is x", rewrite: idempotent },
    Rule { reason: "x to the first", rewrite: power_one },
    Rule { reason: "x to the second", rewrite: power_two },
    Rule { reason: "division by a power of two", rewrite: divide_by_power_of_two },
    Rule { reason: "twice is not at all", rewrite: involution },
    Rule { reason: "once is enough", rewrite: projection },
    Rule { reason: "adding what is negated", rewrite: add_negated },
    Rule { reason: "subtracting what is negated", rewrite: subtract_negated },
];

/// Operation and operands of a binary instruction.
fn binary(v: &View<'_>) -> Option<(Binary, ValueId, ValueId)> {
    match v.inst.op {
        Op::Binary(op) => Some((op, v.operand(0), v.operand(1))),
        _ => None,
    }
}

/// Operands of a binary instruction that does `op`, the second one the same number everywhere.
fn with_number(v: &View<'_>, op: Binary) -> Option<(ValueId, Number)> {
    let (given, x, y) = binary(v)?;
    if given != op || v.result()?.quant.is_some() {
        return None;
    }
    Some((x, v.number(y)?))
}

fn commutes(op: Binary) -> bool {
    use Binary::*;
    matches!(op, Add | Multiply | And | Or | Xor | Maximum | Minimum)
}

fn constant_right(v: &View<'_>) -> Option<Rewrite> {
    let (op, x, y) = binary(v)?;
    let swap = commutes(op) && v.literal(x).is_some() && v.literal(y).is_none();
    swap.then(|| v.instead(Op::Binary(op), &[y, x]))?
}

fn add_zero(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = with_number(v, Binary::Add)?;
    // The neutral float is `-0`: `-0 + 0` is `0`.
    (number == Number::Int(0) || number.is_float(-0.0)).then(|| Rewrite::value(x))?
}

fn subtract_zero(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = with_number(v, Binary::Subtract)?;
    // The neutral float is `0`: `-0 - -0` is `0`.
    (number == Number::Int(0) || number.is_float(0.0)).then(|| Rewrite::value(x))?
}

fn is_one(number: Number) -> bool {
    number == Number::Int(1) || number.is_float(1.0)
}

fn multiply_one(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = with_number(v, Binary::Multiply)?;
    is_one(number).then(|| Rewrite::value(x))?
}

fn divide_one(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = with_number(v, Binary::Divide)?;
    is_one(number).then(|| Rewrite::value(x))?
}

fn multiply_zero(v: &View<'_>) -> Option<Rewrite> {
    let (_, number) = with_number(v, Binary::Multiply)?;
    (number == Number::Int(0)).then(|| Rewrite::value(v.operand(1)))?
}

fn subtract_itself(v: &View<'_>) -> Option<Rewrite> {
    let (op, x, y) = binary(v)?;
    let zero = matches!(op, Binary::Subtract | Binary::Xor) && x == y && v.int();
    zero.then(|| v.constant(Tensor::zeros(v.result()?.dtype, Shape::scalar()).ok()?))?
}

fn idempotent(v: &View<'_>) -> Option<Rewrite> {
    use Binary::{And, Maximum, Minimum, Or};
    let (op, x, y) = binary(v)?;
    (matches!(op, And | Or | Maximum | Minimum) && x == y).then(|| Rewrite::value(x))?
}

fn power_one(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = with_number(v, Binary::Power)?;
    is_one(number).then(|| Rewrite::value(x))?
}

fn power_two(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = with_number(v, Binary::Power)?;
    let two = number == Number::Int(2) || number.is_float(2.0);
    two.then(|| v.instead(Op::Binary(Binary::Multiply), &[x, x]))?
}

/// Multiplying by the reciprocal of a power of two rounds the same real number.
fn divide_by_power_of_two(v: &View<'_>) -> Option<Rewrite> {
    let (x, number) = with_number(v, Binary::Divide)?;
    let (dtype, Number::Float(divisor)) = (v.float()?, number) else { return None };
    let reciprocal = 1.0 / divisor;
    let power_of_two = |f: f64| f.is_normal() && f.to_bits() & ((1 << 52) - 1) == 0;
    if !power_of_two(divisor) || !power_of_two(reciprocal) || divisor.abs() == 1.0 {
        return None;
    }
    let element = normal(dtype, reciprocal)?;
    let literal = Literal::splat(element, &v.result()?.shape().ok()?).ok()?;
    let ty = v.func.ty(*v.inst.results.first()?).clone();
    let constant = Step { op: Op::Constant(literal), operands: Vec::new(), ty: None };
    let operands = vec![Arg::Old(x), Arg::New(0)];
    let product = Step { op: Op::Binary(Binary::Multiply), operands, ty: Some(ty) };
    Some(Rewrite { steps: vec![constant, product], results: vec![Arg::New(1)] })
}

/// `value` as a scalar of `dtype`, if it is a normal number of it.
fn normal(dtype: DType, value: f64) -> Option<Tensor> {
    let narrow = value as f32;
    match dtype {
        DType::F64 => Some(Tensor::scalar(value)),
        DType::F32 => narrow.is_normal().then(|| Tensor::scalar(narrow)),
        DType::BF16 => {
            let x = bf16::from_f64(value);
            (x.is_normal() && x.to_f64() == value).then(|| Tensor::scalar(x))
        }
        DType::F16 => {
            let x = f16::from_f64(value);
            (x.is_normal() && x.to_f64() == value).then(|| Tensor::scalar(x))
        }
        _ => None,
    }
}

fn unary(v: &View<'_>) -> Option<(Unary, ValueId)> {
    match v.inst.op {
        Op::Unary(op) => Some((op, v.operand(0))),
        _ => None,
    }
}

/// What undoes itself.
fn involution(v: &View<'_>) -> Option<Rewrite> {
    let (op, x) = unary(v)?;
    let inner = v.def(x)?;
    let undone = matches!(op, Unary::Negate | Unary::Not | Unary::Conj);
    (undone && inner.op == v.inst.op).then(|| Rewrite::value(inner.operands[0]))?
}

/// What does nothing to its own result.
fn projection(v: &View<'_>) -> Option<Rewrite> {
    use Unary::{Abs, Ceil, Floor, RoundNearestAfz, RoundNearestEven, Sign};
    let (op, x) = unary(v)?;
    let Op::Unary(inner) = v.def(x)?.op else { return None };
    let whole = |op| matches!(op, Ceil | Floor | RoundNearestAfz | RoundNearestEven);
    // The sign of a complex number is rounded, and so is not its own sign.
    let real = !v.result()?.dtype.is_complex();
    let same = op == inner && matches!(op, Abs | Sign) && real;
    (same || (whole(op) && whole(inner))).then(|| Rewrite::value(x))?
}

/// The operand of a negation.
fn negated(v: &View<'_>, value: ValueId) -> Option<ValueId> {
    let inner = v.def(value)?;
    (inner.op == Op::Unary(Unary::Negate)).then(|| inner.operands[0])
}

fn add_negated(v: &View<'_>) -> Option<Rewrite> {
    let (op, x, y) = binary(v)?;
    if op != Binary::Add || v.result()?.dtype == DType::Bool {
        return None;
    }
    let (left, right) = match (negated(v, y), negated(v, x)) {
        (Some(y), _) => (x, y),
        (None, Some(x)) => (y, x),
        (None, None) => return None,
    };
    v.instead(Op::Binary(Binary::Subtract), &[left, right])
}

fn subtract_negated(v: &View<'_>) -> Option<Rewrite> {
    let (op, x, y) = binary(v)?;
    let y = negated(v, y).filter(|_| op == Binary::Subtract)?;
    v.instead(Op::Binary(Binary::Add), &[x, y])
}
