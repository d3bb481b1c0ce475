//! Elementwise HLO operations as instructions of a loop kernel.
//!
//! Sixteen-bit floats and narrow integers live in wider lanes and are cut to their type after every
//! operation, so that a fused chain rounds where separate operations would. Nothing here knows
//! which operations are fused.

use tfjit_base::DType;
use tfjit_hlo::{self as hlo, CompareType, Direction};

use crate::kernel::{Binary, Compare, Kernel, Lane, Op, Unary, Val, When};

/// An operand: its value in the kernel and its element type.
pub(crate) type Arg = (Val, DType);

/// Whether `op` on operands of the given types can be part of a kernel.
pub(crate) fn supported(op: &hlo::Op, operands: &[DType], result: DType) -> bool {
    if !may_be(op) || Lane::of(result).is_none() {
        return false;
    }
    let mut scratch = Kernel::new("", crate::kernel::Axis::Columns);
    scratch.begin(When::Each);
    let mut args: Vec<Arg> = Vec::with_capacity(operands.len());
    for &dtype in operands {
        let Some(lane) = Lane::of(dtype) else { return false };
        args.push((scratch.push(Op::Const(0), &[], lane), dtype));
    }
    emit(&mut scratch, op, &args, result).is_some()
}

/// Whether the operation is elementwise at all.
fn may_be(op: &hlo::Op) -> bool {
    matches!(
        op,
        hlo::Op::Unary(_)
            | hlo::Op::Binary(_)
            | hlo::Op::Compare { .. }
            | hlo::Op::Select
            | hlo::Op::Clamp
            | hlo::Op::Convert
            | hlo::Op::BitcastConvert
            | hlo::Op::ReducePrecision { .. }
    )
}

/// Whether computing it again costs more than storing and loading it.
pub(crate) fn is_costly(op: &hlo::Op) -> bool {
    match op {
        hlo::Op::Unary(op) => !matches!(
            op,
            hlo::Unary::Abs
                | hlo::Unary::Negate
                | hlo::Unary::Not
                | hlo::Unary::Square
                | hlo::Unary::Ceil
                | hlo::Unary::Floor
                | hlo::Unary::IsFinite
        ),
        hlo::Op::Binary(op) => matches!(
            op,
            hlo::Binary::Divide | hlo::Binary::Remainder | hlo::Binary::Power | hlo::Binary::Atan2
        ),
        _ => false,
    }
}

/// Adds `op` to the last phase; `None` when kernels can't do it.
pub(crate) fn emit(k: &mut Kernel, op: &hlo::Op, args: &[Arg], result: DType) -> Option<Val> {
    let lane = Lane::of(result)?;
    match (op, args) {
        (hlo::Op::Unary(op), &[x]) => unary(k, *op, x, result),
        (hlo::Op::Binary(op), &[x, y]) => binary(k, *op, x.0, y.0, result),
        (hlo::Op::Compare { direction, compare_type }, &[x, y]) => {
            if *compare_type == CompareType::TotalOrder {
                return None;
            }
            compare(k, *direction, x, y)
        }
        (hlo::Op::Select, &[p, x, y]) => {
            (p.1 == DType::Bool).then(|| k.push(Op::Select, &[p.0, x.0, y.0], lane))
        }
        (hlo::Op::Clamp, &[low, x, high]) => {
            if lane == Lane::Pred {
                return None;
            }
            let least = k.push(Op::Binary(Binary::Max), &[low.0, x.0], lane);
            Some(k.push(Op::Binary(Binary::Min), &[least, high.0], lane))
        }
        (hlo::Op::Convert, &[x]) => convert(k, x, result),
        (hlo::Op::BitcastConvert, &[x]) => {
            let from = Lane::of(x.1)?;
            let same = x.1.size() == result.size() && x.1.size() >= 4;
            (same && from != Lane::Pred)
                .then(|| if from == lane { x.0 } else { k.push(Op::Bitcast, &[x.0], lane) })
        }
        (&hlo::Op::ReducePrecision { exponent_bits, mantissa_bits }, &[x]) => {
            let to = match (exponent_bits, mantissa_bits) {
                (8, 7) => DType::BF16,
                (5, 10) => DType::F16,
                (8, 23) if result == DType::F32 => return Some(x.0),
                _ => return None,
            };
            (result == DType::F32).then(|| k.push(Op::Unary(Unary::Narrow(to)), &[x.0], lane))
        }
        _ => None,
    }
}

/// Cuts a value to the element type that its lanes are wider than.
fn narrowed(k: &mut Kernel, x: Val, dtype: DType) -> Val {
    match dtype {
        DType::BF16 | DType::F16 | DType::I8 | DType::I16 | DType::U8 | DType::U16 => {
            let lane = Lane::of(dtype).unwrap_or(Lane::F32);
            k.push(Op::Unary(Unary::Narrow(dtype)), &[x], lane)
        }
        _ => x,
    }
}

/// A constant of a lane type, from a number it can hold.
pub(crate) fn number(k: &mut Kernel, lane: Lane, value: f64) -> Val {
    let bits = match lane {
        Lane::F32 => u64::from((value as f32).to_bits()),
        Lane::F64 => value.to_bits(),
        Lane::I32 => u64::from(value as i32 as u32),
        Lane::U32 => u64::from(value as u32),
        Lane::I64 => value as i64 as u64,
        Lane::U64 => value as u64,
        Lane::Pred => u64::from(value != 0.0),
    };
    k.push(Op::Const(bits), &[], lane)
}

fn unary(k: &mut Kernel, op: hlo::Unary, (x, from): Arg, result: DType) -> Option<Val> {
    let lane = Lane::of(result)?;
    match op {
        hlo::Unary::Square => {
            let y = k.push(Op::Binary(Binary::Mul), &[x, x], lane);
            return (lane != Lane::Pred).then(|| narrowed(k, y, result));
        }
        hlo::Unary::Real | hlo::Unary::Conj => return Some(x),
        hlo::Unary::IsFinite | hlo::Unary::IsInf | hlo::Unary::IsPosInf | hlo::Unary::IsNegInf => {
            return infinite(k, op, x, Lane::of(from)?);
        }
        _ => {}
    }
    let to = unary_op(op)?;
    let exact = matches!(to, Unary::Neg | Unary::Abs | Unary::Not | Unary::Sign);
    let fits = match to {
        Unary::Not => !lane.is_float(),
        Unary::Neg => lane != Lane::Pred,
        Unary::Abs => lane.is_float() || matches!(lane, Lane::I32 | Lane::I64),
        _ => lane.is_float(),
    };
    if !fits || !Op::Unary(to).can_expand(lane) {
        return None;
    }
    let y = k.push(Op::Unary(to), &[x], lane);
    // Negating or taking the sign of a float needs no rounding.
    Some(if exact && lane.is_float() { y } else { narrowed(k, y, result) })
}

fn unary_op(op: hlo::Unary) -> Option<Unary> {
    Some(match op {
        hlo::Unary::Abs => Unary::Abs,
        hlo::Unary::Negate => Unary::Neg,
        hlo::Unary::Not => Unary::Not,
        hlo::Unary::Cbrt => Unary::Cbrt,
        hlo::Unary::Ceil => Unary::Ceil,
        hlo::Unary::Floor => Unary::Floor,
        hlo::Unary::RoundNearestAfz => Unary::RoundAfz,
        hlo::Unary::RoundNearestEven => Unary::RoundEven,
        hlo::Unary::Sign => Unary::Sign,
        hlo::Unary::Sqrt => Unary::Sqrt,
        hlo::Unary::Rsqrt => Unary::Rsqrt,
        hlo::Unary::Exponential => Unary::Exp,
        hlo::Unary::ExponentialMinusOne => Unary::Expm1,
        hlo::Unary::Log => Unary::Log,
        hlo::Unary::LogPlusOne => Unary::Log1p,
        hlo::Unary::Logistic => Unary::Logistic,
        hlo::Unary::Tanh => Unary::Tanh,
        hlo::Unary::Sine => Unary::Sin,
        hlo::Unary::Cosine => Unary::Cos,
        hlo::Unary::Tan | hlo::Unary::ChloTan => Unary::Tan,
        hlo::Unary::Erf => Unary::Erf,
        hlo::Unary::Erfc => Unary::Erfc,
        hlo::Unary::Atan => Unary::Atan,
        hlo::Unary::Asin => Unary::Asin,
        hlo::Unary::Acos => Unary::Acos,
        hlo::Unary::Sinh => Unary::Sinh,
        hlo::Unary::Cosh => Unary::Cosh,
        hlo::Unary::Asinh => Unary::Asinh,
        hlo::Unary::Acosh => Unary::Acosh,
        hlo::Unary::Atanh => Unary::Atanh,
        _ => return None,
    })
}

/// Tests for infinities: comparisons with them.
fn infinite(k: &mut Kernel, op: hlo::Unary, x: Val, lane: Lane) -> Option<Val> {
    if !lane.is_float() {
        return None;
    }
    let (compare, magnitude, bound) = match op {
        hlo::Unary::IsFinite => (Compare::Lt, true, f64::INFINITY),
        hlo::Unary::IsInf => (Compare::Eq, true, f64::INFINITY),
        hlo::Unary::IsPosInf => (Compare::Eq, false, f64::INFINITY),
        _ => (Compare::Eq, false, f64::NEG_INFINITY),
    };
    let x = if magnitude { k.push(Op::Unary(Unary::Abs), &[x], lane) } else { x };
    let bound = number(k, lane, bound);
    Some(k.push(Op::Compare(compare), &[x, bound], Lane::Pred))
}

fn binary(k: &mut Kernel, op: hlo::Binary, x: Val, y: Val, result: DType) -> Option<Val> {
    let lane = Lane::of(result)?;
    let wide = result.size() * 8 == lane.bytes() * 8;
    let (to, fits) = match op {
        hlo::Binary::Add => (Binary::Add, lane != Lane::Pred),
        hlo::Binary::Subtract => (Binary::Sub, lane != Lane::Pred),
        hlo::Binary::Multiply => (Binary::Mul, lane != Lane::Pred),
        hlo::Binary::Divide => (Binary::Div, lane != Lane::Pred),
        // The remainder of floats is exact, which no short sequence of instructions is.
        hlo::Binary::Remainder => (Binary::Rem, !lane.is_float() && lane != Lane::Pred),
        hlo::Binary::Maximum => (Binary::Max, lane != Lane::Pred),
        hlo::Binary::Minimum => (Binary::Min, lane != Lane::Pred),
        hlo::Binary::And => (Binary::And, !lane.is_float()),
        hlo::Binary::Or => (Binary::Or, !lane.is_float()),
        hlo::Binary::Xor => (Binary::Xor, !lane.is_float()),
        hlo::Binary::ShiftLeft => (Binary::Shl, wide && !lane.is_float()),
        hlo::Binary::ShiftRightArithmetic => (Binary::ShrArithmetic, wide && !lane.is_float()),
        hlo::Binary::ShiftRightLogical => (Binary::ShrLogical, wide && !lane.is_float()),
        hlo::Binary::Power => (Binary::Pow, lane.is_float()),
        hlo::Binary::Atan2 => (Binary::Atan2, lane.is_float()),
        _ => return None,
    };
    if !fits || (lane == Lane::Pred && !matches!(to, Binary::And | Binary::Or | Binary::Xor)) {
        return None;
    }
    if !Op::Binary(to).can_expand(lane) {
        return None;
    }
    let z = k.push(Op::Binary(to), &[x, y], lane);
    let keeps = matches!(to, Binary::Max | Binary::Min | Binary::And | Binary::Or | Binary::Xor);
    Some(if keeps { z } else { narrowed(k, z, result) })
}

fn compare(k: &mut Kernel, direction: Direction, x: Arg, y: Arg) -> Option<Val> {
    let op = match direction {
        Direction::Eq => Compare::Eq,
        Direction::Ne => Compare::Ne,
        Direction::Ge => Compare::Ge,
        Direction::Gt => Compare::Gt,
        Direction::Le => Compare::Le,
        Direction::Lt => Compare::Lt,
    };
    let (mut a, mut b) = (x.0, y.0);
    if Lane::of(x.1)? == Lane::Pred {
        a = k.push(Op::Convert, &[a], Lane::I32);
        b = k.push(Op::Convert, &[b], Lane::I32);
    }
    Some(k.push(Op::Compare(op), &[a, b], Lane::Pred))
}

fn convert(k: &mut Kernel, (x, from): Arg, to: DType) -> Option<Val> {
    let (source, target) = (Lane::of(from)?, Lane::of(to)?);
    if from == to {
        return Some(x);
    }
    let mut x = x;
    if source.is_float() && !target.is_float() && to.size() < 4 && to != DType::Bool {
        // Casts saturate at the bounds of the narrow type; NaN passes both and becomes 0.
        let (low, high) = match to {
            DType::I8 => (-128.0, 127.0),
            DType::U8 => (0.0, 255.0),
            DType::I16 => (-32768.0, 32767.0),
            _ => (0.0, 65535.0),
        };
        let high = number(k, source, high);
        x = k.push(Op::Binary(Binary::MinFast), &[high, x], source);
        let low = number(k, source, low);
        x = k.push(Op::Binary(Binary::MaxFast), &[low, x], source);
    }
    if source == Lane::F64 && target == Lane::F32 && to != DType::F32 {
        // Rounding twice would not be rounding once.
        return None;
    }
    if !source.is_float() && target.is_float() && to.size() == 2 && from.size() > 2 {
        return None;
    }
    let y = if source == target { x } else { k.push(Op::Convert, &[x], target) };
    Some(narrowed(k, y, to))
}
