//! Ops on two (or three) tensors with NumPy broadcasting: arithmetic, comparison, logic, selection.

use tfjit_base::{Code, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;
use crate::ctx::broadcast_shapes;
use crate::row::{OpRow, row};

/// `z = op(x, y)`.
fn bin(c: &mut OpCtx<'_, '_>, op: Binary) -> Result<()> {
    map2(c, |_, x, y| Ok((x, y))).and_then(|(x, y)| {
        let z = c.binary(op, x, y)?;
        c.set(0, z);
        Ok(())
    })
}

/// Both inputs, broadcast, through `f`.
fn map2<T>(
    c: &mut OpCtx<'_, '_>,
    f: impl FnOnce(&mut OpCtx<'_, '_>, ValueId, ValueId) -> Result<T>,
) -> Result<T> {
    let (x, y) = (c.input(0)?, c.input(1)?);
    let (x, y) = c.broadcast_pair(x, y)?;
    f(c, x, y)
}

/// `z = f(x, y)` after broadcasting.
fn with(
    c: &mut OpCtx<'_, '_>,
    f: fn(&mut OpCtx<'_, '_>, ValueId, ValueId) -> Result<ValueId>,
) -> Result<()> {
    let z = map2(c, f)?;
    c.set(0, z);
    Ok(())
}

fn cmp(c: &mut OpCtx<'_, '_>, direction: Direction) -> Result<()> {
    let z = map2(c, |c, x, y| c.compare(direction, x, y))?;
    c.set(0, z);
    Ok(())
}

pub(super) const ROWS: &[OpRow] = &[
    row("Add", "x + y", |c| bin(c, Binary::Add)),
    row("AddV2", "x + y", |c| bin(c, Binary::Add)),
    row("Sub", "x - y", |c| bin(c, Binary::Subtract)),
    row("Mul", "x * y", |c| bin(c, Binary::Multiply)),
    row("RealDiv", "x / y", |c| bin(c, Binary::Divide)),
    row("Div", "x / y, integers truncate; integer division by zero is an error", |c| {
        with(c, divide)
    }),
    row("TruncateDiv", "x / y rounded towards zero", |c| with(c, truncate_div)),
    row("FloorDiv", "x / y rounded down", |c| with(c, floor_div)),
    row("FloorMod", "remainder with the divisor's sign", |c| with(c, floor_mod)),
    row("Mod", "remainder with the dividend's sign", |c| {
        with(c, |c, x, y| remainder(c, x, y, DIVISION))
    }),
    row("TruncateMod", "remainder with the dividend's sign", |c| {
        with(c, |c, x, y| remainder(c, x, y, UNEXPECTED))
    }),
    row("DivNoNan", "x / y, 0 where y is 0", |c| {
        with(c, |c, x, y| {
            let quotient = c.binary(Binary::Divide, x, y)?;
            zero_where_zero(c, y, quotient)
        })
    }),
    row("MulNoNan", "x * y, 0 where y is 0", |c| {
        with(c, |c, x, y| {
            let product = c.binary(Binary::Multiply, x, y)?;
            zero_where_zero(c, y, product)
        })
    }),
    row("Xdivy", "x / y, 0 where x is 0", |c| {
        with(c, |c, x, y| {
            let quotient = c.binary(Binary::Divide, x, y)?;
            zero_where_zero(c, x, quotient)
        })
    }),
    row("Xlogy", "x * log(y), 0 where x is 0", |c| {
        with(c, |c, x, y| {
            let log = c.unary(Unary::Log, y)?;
            let product = c.binary(Binary::Multiply, x, log)?;
            zero_where_zero(c, x, product)
        })
    }),
    row("Xlog1py", "x * log(1 + y), 0 where x is 0", |c| {
        with(c, |c, x, y| {
            let log = c.unary(Unary::LogPlusOne, y)?;
            let product = c.binary(Binary::Multiply, x, log)?;
            zero_where_zero(c, x, product)
        })
    }),
    row("Maximum", "the larger; NaN if either is", |c| bin(c, Binary::Maximum)),
    row("Minimum", "the smaller; NaN if either is", |c| bin(c, Binary::Minimum)),
    row("Pow", "x to the power y; a negative integer exponent is an error", |c| with(c, pow)),
    row("SquaredDifference", "(x - y) * conj(x - y)", |c| {
        with(c, |c, x, y| {
            let difference = c.binary(Binary::Subtract, x, y)?;
            let other = if c.dtype(x)?.is_complex() {
                c.unary(Unary::Conj, difference)?
            } else {
                difference
            };
            c.binary(Binary::Multiply, difference, other)
        })
    }),
    row("Atan2", "angle of the point (x, y) with y first", |c| bin(c, Binary::Atan2)),
    row("Complex", "complex numbers from real and imaginary parts", |c| bin(c, Binary::Complex)),
    row("NextAfter", "the next number from x towards y", |c| bin(c, Binary::NextAfter)),
    row("Polygamma", "derivatives of digamma", |c| bin(c, Binary::Polygamma)),
    row("Zeta", "Hurwitz zeta function", |c| bin(c, Binary::Zeta)),
    row("LogicalAnd", "both", |c| bin(c, Binary::And)),
    row("LogicalOr", "either", |c| bin(c, Binary::Or)),
    row("BitwiseAnd", "bits of both", |c| bin(c, Binary::And)),
    row("BitwiseOr", "bits of either", |c| bin(c, Binary::Or)),
    row("BitwiseXor", "bits of just one", |c| bin(c, Binary::Xor)),
    row("LeftShift", "x * 2^y; the amount is clamped to the width", |c| {
        with(c, |c, x, y| {
            let y = clamp_shift(c, y)?;
            c.binary(Binary::ShiftLeft, x, y)
        })
    }),
    row("RightShift", "x / 2^y; the amount is clamped to the width", |c| {
        with(c, |c, x, y| {
            let y = clamp_shift(c, y)?;
            let signed = c.dtype(x)?.is_signed_int();
            let op = if signed { Binary::ShiftRightArithmetic } else { Binary::ShiftRightLogical };
            c.binary(op, x, y)
        })
    }),
    row("Equal", "x == y", |c| equality(c, Direction::Eq)),
    row("NotEqual", "x != y", |c| equality(c, Direction::Ne)),
    row("Greater", "x > y", |c| cmp(c, Direction::Gt)),
    row("GreaterEqual", "x >= y", |c| cmp(c, Direction::Ge)),
    row("Less", "x < y", |c| cmp(c, Direction::Lt)),
    row("LessEqual", "x <= y", |c| cmp(c, Direction::Le)),
    row("ApproximateEqual", "|x - y| < tolerance", |c| {
        let tolerance = f64::from(c.node().attr_float("tolerance")?);
        let z = map2(c, |c, x, y| {
            let difference = c.binary(Binary::Subtract, x, y)?;
            let distance = c.unary(Unary::Abs, difference)?;
            let limit = c.full_like(distance, tolerance)?;
            c.compare(Direction::Lt, distance, limit)
        })?;
        c.set(0, z);
        Ok(())
    }),
    row("AddN", "sum of all inputs", sum_all),
    row("AccumulateNV2", "sum of all inputs", sum_all),
    row("Select", "t or e; a vector condition picks rows", select_v1),
    row("SelectV2", "t or e with broadcasting", |c| {
        let inputs = c.all_inputs()?;
        let mut shape = Shape::scalar();
        for &v in &inputs {
            shape = broadcast_shapes(&shape, &c.shape(v)?)?;
        }
        let z = select_broadcast(c, &inputs, &shape)?;
        c.set(0, z);
        Ok(())
    }),
    row(
        "ClipByValue",
        "at most high, then at least low; NaN stays NaN, a NaN bound is none",
        |c| {
            let v = [c.input(0)?, c.input(1)?, c.input(2)?];
            let shape = c.shape(v[0])?;
            let mut wide = v;
            for bound in &mut wide[1..] {
                let own = c.shape(*bound)?;
                if own.rank() != 0 && own != shape {
                    return Err(Error::invalid_argument(format!(
                        "clip_value_min and clip_value_max must be either of the same shape as input, \
                     or a scalar. input shape: {shape}, bound: {own}"
                    )));
                }
                *bound = c.broadcast_to(*bound, &shape)?;
            }
            let y = clip(c, wide)?;
            c.set(0, y);
            Ok(())
        },
    ),
];

/// Complex numbers are clipped part by part.
fn clip(c: &mut OpCtx<'_, '_>, [x, low, high]: [ValueId; 3]) -> Result<ValueId> {
    if c.dtype(x)?.is_complex() {
        let mut parts = [x; 2];
        for (part, op) in parts.iter_mut().zip([Unary::Real, Unary::Imag]) {
            let of = [c.unary(op, x)?, c.unary(op, low)?, c.unary(op, high)?];
            *part = clip(c, of)?;
        }
        return c.binary(Binary::Complex, parts[0], parts[1]);
    }
    let above = c.compare(Direction::Gt, x, high)?;
    let lowered = c.select(above, high, x)?;
    let below = c.compare(Direction::Lt, lowered, low)?;
    c.select(below, low, lowered)
}

fn zero_where_zero(c: &mut OpCtx<'_, '_>, test: ValueId, value: ValueId) -> Result<ValueId> {
    let zero = c.full_like(test, 0.0)?;
    let is_zero = c.compare(Direction::Eq, test, zero)?;
    let zeros = c.full_like(value, 0.0)?;
    c.select(is_zero, zeros, value)
}

/// How TensorFlow's integer kernels complain about a zero divisor.
type Complaint = (Code, &'static str);
const DIVISION: Complaint = (Code::InvalidArgument, "Integer division by zero");
/// The truncating kernels share the check but not its text.
const UNEXPECTED: Complaint = (
    Code::Internal,
    "Unexpected error in binary operator (only integer div and mod should have errors)",
);

fn check_divisor(c: &mut OpCtx<'_, '_>, y: ValueId, complaint: Complaint) -> Result<()> {
    if !c.dtype(y)?.is_int() {
        return Ok(());
    }
    let zero = c.full_like(y, 0.0)?;
    let bad = c.compare(Direction::Eq, y, zero)?;
    c.check(bad, complaint.0, complaint.1)
}

fn divide(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    check_divisor(c, y, DIVISION)?;
    c.binary(Binary::Divide, x, y)
}

fn truncate_div(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    check_divisor(c, y, UNEXPECTED)?;
    let quotient = c.binary(Binary::Divide, x, y)?;
    if !c.dtype(x)?.is_float() {
        return Ok(quotient);
    }
    let zero = c.full_like(quotient, 0.0)?;
    let negative = c.compare(Direction::Lt, quotient, zero)?;
    let (up, down) = (c.unary(Unary::Ceil, quotient)?, c.unary(Unary::Floor, quotient)?);
    c.select(negative, up, down)
}

fn remainder(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    y: ValueId,
    complaint: Complaint,
) -> Result<ValueId> {
    check_divisor(c, y, complaint)?;
    c.binary(Binary::Remainder, x, y)
}

/// Whether a nonzero remainder has the other sign than the divisor.
fn signs_differ(c: &mut OpCtx<'_, '_>, remainder: ValueId, y: ValueId) -> Result<ValueId> {
    let zero = c.full_like(y, 0.0)?;
    let remainder_negative = c.compare(Direction::Lt, remainder, zero)?;
    let divisor_negative = c.compare(Direction::Lt, y, zero)?;
    let differ = c.compare(Direction::Ne, remainder_negative, divisor_negative)?;
    let nonzero = c.compare(Direction::Ne, remainder, zero)?;
    c.binary(Binary::And, differ, nonzero)
}

fn floor_div(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    let dtype = c.dtype(x)?;
    let quotient = divide(c, x, y)?;
    if dtype.is_float() {
        return c.unary(Unary::Floor, quotient);
    }
    if dtype.is_unsigned_int() {
        return Ok(quotient);
    }
    let remainder = c.binary(Binary::Remainder, x, y)?;
    let differ = signs_differ(c, remainder, y)?;
    let less = c.binary_scalar(Binary::Subtract, quotient, 1.0)?;
    c.select(differ, less, quotient)
}

fn floor_mod(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    let remainder = remainder(c, x, y, DIVISION)?;
    if c.dtype(x)?.is_unsigned_int() {
        return Ok(remainder);
    }
    let differ = signs_differ(c, remainder, y)?;
    let moved = c.binary(Binary::Add, remainder, y)?;
    c.select(differ, moved, remainder)
}

fn pow(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    if c.dtype(y)?.is_signed_int() {
        let zero = c.full_like(y, 0.0)?;
        let bad = c.compare(Direction::Lt, y, zero)?;
        let message = "Integers to negative integer powers are not allowed";
        c.check(bad, Code::InvalidArgument, message)?;
    }
    c.binary(Binary::Power, x, y)
}

/// TensorFlow clamps shift amounts to `0..=bits - 1` instead of leaving them undefined.
fn clamp_shift(c: &mut OpCtx<'_, '_>, y: ValueId) -> Result<ValueId> {
    let dtype = c.dtype(y)?;
    let (low, high) = (c.scalar(dtype, 0.0)?, c.scalar(dtype, (dtype.bits() - 1) as f64)?);
    c.clamp(low, y, high)
}

/// `incompatible_shape_error = false` makes shapes that do not broadcast simply unequal.
fn equality(c: &mut OpCtx<'_, '_>, direction: Direction) -> Result<()> {
    let (x, y) = (c.input(0)?, c.input(1)?);
    let fits = broadcast_shapes(&c.shape(x)?, &c.shape(y)?).is_ok();
    if !fits && !c.node().attr_bool("incompatible_shape_error")? {
        let z = c.constant(Tensor::scalar_bool(direction == Direction::Ne))?;
        c.set(0, z);
        return Ok(());
    }
    cmp(c, direction)
}

fn sum_all(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let inputs = c.all_inputs()?;
    let mut rest = inputs.into_iter();
    let mut sum = rest.next().ok_or_else(|| Error::invalid_argument("there is no input"))?;
    for v in rest {
        if c.shape(v)? != c.shape(sum)? {
            return Err(Error::invalid_argument("Inputs must all have the same shape"));
        }
        sum = c.binary(Binary::Add, sum, v)?;
    }
    c.set(0, sum);
    Ok(())
}

fn select_broadcast(c: &mut OpCtx<'_, '_>, v: &[ValueId], shape: &Shape) -> Result<ValueId> {
    let condition = c.broadcast_to(v[0], shape)?;
    let (t, e) = (c.broadcast_to(v[1], shape)?, c.broadcast_to(v[2], shape)?);
    c.select(condition, t, e)
}

/// The condition has the shape of `t`, is a scalar, or a vector that picks along the first axis.
fn select_v1(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let mut v = c.all_inputs()?;
    let (shape, condition) = (c.shape(v[1])?, c.shape(v[0])?);
    if c.shape(v[2])? != shape {
        return Err(Error::invalid_argument(format!(
            "'then' and 'else' must have the same size, but received: {shape} vs. {}",
            c.shape(v[2])?
        )));
    }
    if condition.rank() == 1 && shape.rank() > 1 {
        if shape[0] != condition[0] {
            return Err(Error::invalid_argument(format!(
                "Number of batches of 'then' must match size of 'cond', but saw: {} vs. {}",
                shape[0], condition[0]
            )));
        }
        v[0] = c.broadcast_in_dim(v[0], &shape, &[0])?;
    } else if condition.rank() != 0 && condition != shape {
        return Err(Error::invalid_argument(format!(
            "'cond' must be a scalar, a vector or of shape {shape}, not {condition}"
        )));
    }
    let z = select_broadcast(c, &v, &shape)?;
    c.set(0, z);
    Ok(())
}
