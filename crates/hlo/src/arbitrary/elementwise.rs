//! Elementwise operations.

use tfjit_base::{DType, Result};

use super::values::FLOATS;
use super::{Gen, Makers};
use crate::{Binary, CompareType, Dims, Direction, Op, TensorType, Type, Unary, ValueId};

pub(super) const MAKERS: Makers = &[
    (8, unary),
    (8, binary),
    (3, compare),
    (3, select),
    (2, clamp),
    (4, convert),
    (1, bitcast),
    (1, precision),
    (1, map),
    (1, dimension_size),
];

/// Element types tried when no value in scope fits an operation.
const TRIED: &[DType] = &[DType::F32, DType::I32, DType::Bool, DType::C64];

fn unary(g: &mut Gen) -> Result<Vec<ValueId>> {
    let op = g.rng.pick(Unary::ALL);
    for _ in 0..4 {
        let x = g.any();
        if let Ok(y) = g.b.unary(op, x) {
            return Ok(vec![y]);
        }
    }
    for &dtype in TRIED {
        let dims = g.random_dims(3);
        let x = g.with(dtype, &dims)?;
        if let Ok(y) = g.b.unary(op, x) {
            return Ok(vec![y]);
        }
    }
    Ok(Vec::new())
}

/// Operations whose meaning for complex numbers is open, or no number's order.
const REAL_ONLY: &[Binary] = &[Binary::Maximum, Binary::Minimum, Binary::Remainder, Binary::Atan2];

fn binary(g: &mut Gen) -> Result<Vec<ValueId>> {
    let op = g.rng.pick(Binary::ALL);
    for attempt in 0..8 {
        let x = match TRIED.get(attempt % 8 / 2) {
            Some(&dtype) if attempt > 3 => {
                let dims = g.random_dims(3);
                g.with(dtype, &dims)?
            }
            _ => g.any(),
        };
        if REAL_ONLY.contains(&op) && g.ty(x).dtype.is_complex() {
            continue;
        }
        let y = g.like(x)?;
        if let Ok(z) = g.b.binary(op, x, y) {
            return Ok(vec![z]);
        }
    }
    let x = g.of(&[DType::I32, DType::I64], 0)?;
    let y = g.like(x)?;
    Ok(g.b.binary(op, x, y).into_iter().collect())
}

/// The comparison that orders all values of a type.
pub(super) fn total(dtype: DType) -> CompareType {
    if dtype.is_float() { CompareType::TotalOrder } else { CompareType::None }
}

fn compare(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let y = g.like(x)?;
    let direction = g.rng.pick(Direction::ALL);
    let dtype = g.ty(x).dtype;
    let types = match dtype.class() {
        tfjit_base::DTypeClass::Float => [CompareType::Float, CompareType::TotalOrder],
        tfjit_base::DTypeClass::Complex => [CompareType::Float, CompareType::None],
        tfjit_base::DTypeClass::Signed => [CompareType::Signed, CompareType::None],
        _ => [CompareType::Unsigned, CompareType::None],
    };
    // Complex numbers have no order.
    let direction = if dtype.is_complex() { Direction::Eq } else { direction };
    let op = Op::Compare { direction, compare_type: g.rng.pick(&types) };
    Ok(g.b.push(op, &[x, y], &[])?.to_vec())
}

fn select(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let y = g.like(x)?;
    let dims = if g.rng.one_in(3) { Vec::new() } else { g.ty(x).dims.to_vec() };
    let pred = g.with(DType::Bool, &dims)?;
    Ok(vec![g.b.select(pred, x, y)?])
}

fn clamp(g: &mut Gen) -> Result<Vec<ValueId>> {
    let Some(x) = g.find(|t| !t.dtype.is_complex()) else { return Ok(Vec::new()) };
    let ty = g.ty(x);
    let dims = if g.rng.one_in(2) { Vec::new() } else { ty.dims.to_vec() };
    let (low, high) = (g.with(ty.dtype, &dims)?, g.with(ty.dtype, &dims)?);
    Ok(vec![g.b.clamp(low, x, high)?])
}

fn convert(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let dtype = g.random_dtype();
    let ty = g.ty(x).with_dtype(dtype);
    Ok(g.b.push_typed(Op::Convert, &[x], &[], &[Type::Tensor(ty)])?.to_vec())
}

fn bitcast(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (narrow, wide) = g.rng.pick(&[
        (DType::F32, DType::I32),
        (DType::F64, DType::U64),
        (DType::BF16, DType::U16),
        (DType::U8, DType::U32),
        (DType::F16, DType::F32),
    ]);
    let mut dims = g.random_dims(3);
    let wide_ty = TensorType::new(wide, &dims);
    if narrow.bits() < wide.bits() {
        dims.push((wide.bits() / narrow.bits()) as i64);
    }
    let (from, to) = match g.rng.one_in(2) {
        true => (wide_ty, TensorType::new(narrow, &dims)),
        false => (TensorType::new(narrow, &dims), wide_ty),
    };
    let x = g.with(from.dtype, &from.dims)?;
    Ok(vec![g.b.bitcast_convert(x, to)?])
}

fn precision(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.of(FLOATS, 0)?;
    let op = Op::ReducePrecision {
        exponent_bits: g.rng.between(2, 8) as i32,
        mantissa_bits: g.rng.between(1, 10) as i32,
    };
    Ok(g.b.push(op, &[x], &[])?.to_vec())
}

fn map(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.of(FLOATS, 0)?;
    let ty = g.ty(x);
    let y = g.with(DType::F32, &ty.dims)?;
    let params = [Gen::scalar(ty.dtype), Gen::scalar(DType::F32)];
    let body = g.region(&params, |g, p| {
        let x = g.b.unary(Unary::Negate, p[0])?;
        let y = g.b.convert(p[1], ty.dtype)?;
        Ok(vec![g.b.binary(Binary::Multiply, x, y)?])
    })?;
    let dimensions: Dims = (0..ty.rank() as i64).collect();
    Ok(g.b.push(Op::Map { dimensions }, &[x, y], &[body])?.to_vec())
}

fn dimension_size(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.ranked()?;
    let dimension = g.rng.below(g.ty(x).rank()) as i64;
    Ok(g.b.push(Op::GetDimensionSize { dimension }, &[x], &[])?.to_vec())
}
