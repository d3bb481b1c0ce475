//! Rules of elementwise operations: one row an operation of what it takes and what it makes.

use tfjit_base::{DType, DTypeClass, Result};

use super::extent::{Extent, tensor};
use super::rule::{Rule, ensure};
use super::types::Shown;
use crate::{Binary, CompareType, TensorType, Type, Unary};

use DTypeClass::{Bool, Complex, Float, Signed, Unsigned};

const INT: &[DTypeClass] = &[Signed, Unsigned];
const LOGICAL: &[DTypeClass] = &[Bool, Signed, Unsigned];
const FLOAT: &[DTypeClass] = &[Float];
const INEXACT: &[DTypeClass] = &[Float, Complex];
const SIGNED: &[DTypeClass] = &[Signed, Float, Complex];
const NUMBER: &[DTypeClass] = &[Signed, Unsigned, Float, Complex];
const ANY: &[DTypeClass] = &[Bool, Signed, Unsigned, Float, Complex];

/// The element type of a result.
#[derive(Clone, Copy)]
enum Makes {
    /// That of the operands.
    Same,
    /// The real type of a complex one, else the same.
    Real,
    /// A truth value.
    Truth,
    /// The complex type made of the operands'.
    Complex,
}

/// What a unary operation takes and makes.
fn unary_row(op: Unary) -> (&'static [DTypeClass], Makes) {
    use Unary::*;
    match op {
        Abs => (SIGNED, Makes::Real),
        Sign => (SIGNED, Makes::Same),
        Negate => (NUMBER, Makes::Same),
        Real | Imag => (INEXACT, Makes::Real),
        Not => (LOGICAL, Makes::Same),
        CountLeadingZeros | Popcnt => (INT, Makes::Same),
        Ceil | Floor | RoundNearestAfz | RoundNearestEven => (FLOAT, Makes::Same),
        IsFinite | IsInf | IsNegInf | IsPosInf => (FLOAT, Makes::Truth),
        Cbrt | Cosine | Exponential | ExponentialMinusOne | Log | LogPlusOne | Logistic | Rsqrt
        | Sine | Sqrt | Tan | Tanh | Acos | Acosh | Asin | Asinh | Atan | Atanh | Cosh | Sinh
        | ChloTan | Square | Conj => (INEXACT, Makes::Same),
        BesselI1e | Digamma | Erf | Erfc | ErfInv | Lgamma => (FLOAT, Makes::Same),
    }
}

/// What a binary operation takes and makes.
fn binary_row(op: Binary) -> (&'static [DTypeClass], Makes) {
    use Binary::*;
    match op {
        Add | Multiply | Maximum | Minimum => (ANY, Makes::Same),
        Divide | Power | Remainder | Subtract => (NUMBER, Makes::Same),
        And | Or | Xor => (LOGICAL, Makes::Same),
        ShiftLeft | ShiftRightArithmetic | ShiftRightLogical => (INT, Makes::Same),
        Atan2 => (INEXACT, Makes::Same),
        NextAfter | Polygamma | Zeta => (FLOAT, Makes::Same),
        Binary::Complex => (FLOAT, Makes::Complex),
    }
}

/// The result of `makes` for an operand `like`.
fn make(r: &Rule<'_>, makes: Makes, like: &TensorType, extents: &[Extent]) -> Result<Type> {
    let dtype = match makes {
        Makes::Same => return r.like(0, like, extents),
        Makes::Real if !like.dtype.is_complex() => return r.like(0, like, extents),
        Makes::Real => like.dtype.real(),
        Makes::Truth => DType::Bool,
        Makes::Complex => match like.dtype {
            DType::F32 => DType::C64,
            DType::F64 => DType::C128,
            _ => return Err(r.broken(format!("{} makes no complex type", Shown(like)))),
        },
    };
    Ok(Type::Tensor(tensor(dtype, extents)))
}

pub(super) fn unary(r: &Rule<'_>, op: Unary) -> Result<Vec<Type>> {
    let (classes, makes) = unary_row(op);
    let x = r.tensor(0)?;
    r.class(x, classes, "operand 0")?;
    Ok(vec![make(r, makes, x, &Extent::all(x))?])
}

pub(super) fn binary(r: &Rule<'_>, op: Binary) -> Result<Vec<Type>> {
    let (classes, makes) = binary_row(op);
    let (x, y) = (r.tensor(0)?, r.tensor(1)?);
    r.class(x, classes, "operand 0")?;
    r.same_element(x, y, "the operands")?;
    let extents = r.same_shape(x, y, "the operands")?;
    Ok(vec![make(r, makes, x, &extents)?])
}

pub(super) fn compare(r: &Rule<'_>, compare_type: CompareType) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, r.tensor(1)?);
    r.same_element(x, y, "the operands")?;
    let extents = r.same_shape(x, y, "the operands")?;
    let fits = match compare_type {
        CompareType::None => ANY,
        CompareType::Float => INEXACT,
        CompareType::TotalOrder => FLOAT,
        CompareType::Signed => &[Signed],
        CompareType::Unsigned => &[Bool, Unsigned],
    };
    let dtype = x.quant.as_ref().map_or(x.dtype, |q| q.expressed);
    ensure!(
        r,
        fits.contains(&dtype.class()),
        "compare_type {compare_type} does not fit {}",
        Shown(x)
    );
    Ok(vec![Type::Tensor(tensor(DType::Bool, &extents))])
}

pub(super) fn select(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (pred, on_true, on_false) = (r.tensor(0)?, r.tensor(1)?, r.tensor(2)?);
    ensure!(r, pred.dtype == DType::Bool, "operand 0 is {}, not bool", Shown(pred));
    r.same_element(on_true, on_false, "operands 1 and 2")?;
    let extents = r.same_shape(on_true, on_false, "operands 1 and 2")?;
    if pred.rank() > 0 {
        r.same_shape(pred, on_true, "a predicate that is no scalar and operand 1")?;
        r.same_shape(pred, on_false, "a predicate that is no scalar and operand 2")?;
    }
    Ok(vec![r.like(0, on_true, &extents)?])
}

pub(super) fn clamp(r: &Rule<'_>) -> Result<Vec<Type>> {
    let x = r.tensor(1)?;
    for (i, what) in [(0, "the lower bound"), (2, "the upper bound")] {
        let bound = r.tensor(i)?;
        r.same_element(bound, x, &format!("{what} and operand 1"))?;
        if bound.rank() > 0 {
            r.same_shape(bound, x, &format!("{what}, if no scalar, and operand 1"))?;
        }
    }
    Ok(vec![r.like(0, x, &Extent::all(x))?])
}

pub(super) fn convert(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, r.declared(0)?);
    r.plain(x, "operand 0")?;
    r.plain(y, "the result")?;
    Ok(vec![Type::Tensor(tensor(y.dtype, &r.same_shape(x, y, "operand and result")?))])
}

pub(super) fn bitcast_convert(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, r.declared(0)?);
    let (from, to) = (x.dtype.bits(), y.dtype.bits());
    ensure!(
        r,
        x.dtype.is_complex() == y.dtype.is_complex(),
        "{} and {} are not both complex or both real",
        Shown(x),
        Shown(y)
    );
    let mut extents = Extent::all(x);
    if to < from {
        ensure!(r, from % to == 0, "{from} bits are no multiple of {to} bits");
        extents.push(Extent::exact((from / to) as i64));
    } else if to > from {
        let last = extents.pop().filter(|e| to % from == 0 && e.may_be((to / from) as i64));
        ensure!(
            r,
            last.is_some(),
            "the last dimension of {} must hold the parts of one {}",
            Shown(x),
            y.dtype
        );
    }
    let mut ty = tensor(y.dtype, &extents);
    ty.quant = y.quant.clone();
    Ok(vec![Type::Tensor(ty)])
}

pub(super) fn precision(r: &Rule<'_>, exponent: i32, mantissa: i32) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    r.class(x, FLOAT, "operand 0")?;
    ensure!(r, exponent >= 1, "exponent_bits is {exponent}, the least is 1");
    ensure!(r, mantissa >= 0, "mantissa_bits is {mantissa}, the least is 0");
    Ok(vec![r.like(0, x, &Extent::all(x))?])
}

pub(super) fn quantize(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, r.declared(0)?);
    let real = x.quant.as_ref().map_or(x.dtype, |q| q.expressed);
    let fits = y.quant.as_ref().is_some_and(|q| q.expressed == real);
    ensure!(r, fits, "{} cannot be made from {}", Shown(y), Shown(x));
    let mut ty = tensor(y.dtype, &r.same_shape(x, y, "operand and result")?);
    ty.quant = y.quant.clone();
    Ok(vec![Type::Tensor(ty)])
}

pub(super) fn dequantize(r: &Rule<'_>) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    match &x.quant {
        Some(q) => Ok(vec![Type::Tensor(tensor(q.expressed, &Extent::all(x)))]),
        None => Err(r.broken(format!("operand 0 is {}, not quantised", Shown(x)))),
    }
}

pub(super) fn map(r: &Rule<'_>, dimensions: &[i64]) -> Result<Vec<Type>> {
    let inputs = r.tensors(0, r.operands.len())?;
    let mut extents = Extent::all(inputs[0]);
    for input in &inputs[1..] {
        extents = r.same_shape(&tensor(inputs[0].dtype, &extents), input, "the operands")?;
    }
    let rank = inputs[0].rank();
    let all = dimensions.len() == rank && (0..).zip(dimensions).all(|(i, &d)| i == d);
    ensure!(r, all, "dimensions must be all of rank {rank} in order, not {dimensions:?}");
    let params: Vec<DType> = inputs.iter().map(|t| t.dtype).collect();
    let results = r.scalar_region(0, &params)?;
    ensure!(r, results.len() == 1, "its region returns {} values, not 1", results.len());
    Ok(vec![Type::Tensor(tensor(results[0], &extents))])
}
