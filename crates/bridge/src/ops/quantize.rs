//! Simulated quantisation: values rounded to a grid but kept as floats.

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;
use crate::ops::array::axis_of;
use crate::ops::reduce::{extreme, reduce_sum};
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("FakeQuantWithMinMaxArgs", "rounded to a grid over [min, max]", |c| {
        let (low, high) = (c.node().attr_float("min")?, c.node().attr_float("max")?);
        let (low, high) =
            (c.scalar(DType::F32, f64::from(low))?, c.scalar(DType::F32, f64::from(high))?);
        let x = c.input(0)?;
        let y = fake_quant(c, x, low, high)?;
        c.set(0, y);
        Ok(())
    }),
    row("FakeQuantWithMinMaxVars", "rounded to a grid over [min, max]", |c| {
        let (x, low, high) = (c.input(0)?, c.input(1)?, c.input(2)?);
        let y = fake_quant(c, x, low, high)?;
        c.set(0, y);
        Ok(())
    }),
    row("FakeQuantWithMinMaxVarsPerChannel", "rounded to a grid a channel", |c| {
        let (x, low, high) = (c.input(0)?, c.input(1)?, c.input(2)?);
        let y = fake_quant(c, x, low, high)?;
        c.set(0, y);
        Ok(())
    }),
    row("FakeQuantWithMinMaxArgsGradient", "the gradient where the input is in the range", |c| {
        let (low, high) = (c.node().attr_float("min")?, c.node().attr_float("max")?);
        let (low, high) =
            (c.scalar(DType::F32, f64::from(low))?, c.scalar(DType::F32, f64::from(high))?);
        let (dy, x) = (c.input(0)?, c.input(1)?);
        let sides = Sides::of(c, x, low, high)?;
        let zero = c.full_like(dy, 0.0)?;
        let dx = c.select(sides.inside, dy, zero)?;
        c.set(0, dx);
        Ok(())
    }),
    row("FakeQuantWithMinMaxVarsGradient", "gradients by the input and the bounds", |c| {
        fake_quant_grad(c, false)
    }),
    row("FakeQuantWithMinMaxVarsPerChannelGradient", "gradients by input and bounds", |c| {
        fake_quant_grad(c, true)
    }),
    row("QuantizeAndDequantizeV2", "rounded to a signed or unsigned grid", dequantized),
    row("QuantizeAndDequantizeV3", "rounded to a grid of run-time width", dequantized),
    row("QuantizeAndDequantizeV4", "rounded to a signed or unsigned grid", dequantized),
];

/// The range moved so that zero lies on the grid (the last dimension is the channel's when the
/// bounds are vectors).
pub(super) struct Nudged {
    pub(super) low: ValueId,
    pub(super) high: ValueId,
    pub(super) scale: ValueId,
    /// Where both bounds are zero the result is zero.
    pub(super) is_zero: ValueId,
}

/// The grid of `num_bits` codes over the nudged range.
pub(super) fn nudge(c: &mut OpCtx<'_, '_>, low: ValueId, high: ValueId) -> Result<Nudged> {
    let bits = c.node().attr_int("num_bits")?;
    if !(2..=16).contains(&bits) {
        return Err(Error::invalid_argument(format!(
            "num_bits must be between 2 and 16, inclusive, not {bits}"
        )));
    }
    let first = f64::from(u8::from(c.node().attr_bool("narrow_range")?));
    let last = ((1i64 << bits) - 1) as f64;
    let span = c.binary(Binary::Subtract, high, low)?;
    let scale = c.binary_scalar(Binary::Divide, span, last - first)?;
    let steps = c.binary(Binary::Divide, low, scale)?;
    let start = c.full_like(low, first)?;
    let from_low = c.binary(Binary::Subtract, start, steps)?;
    let rounded = c.unary(Unary::RoundNearestAfz, from_low)?;
    let end = c.full_like(low, last)?;
    let point = c.clamp(start, rounded, end)?;
    let below = c.binary(Binary::Subtract, start, point)?;
    let above = c.binary(Binary::Subtract, end, point)?;
    let zero = c.full_like(low, 0.0)?;
    let low_zero = c.compare(Direction::Eq, low, zero)?;
    let high_zero = c.compare(Direction::Eq, high, zero)?;
    Ok(Nudged {
        low: c.binary(Binary::Multiply, below, scale)?,
        high: c.binary(Binary::Multiply, above, scale)?,
        scale,
        is_zero: c.binary(Binary::And, low_zero, high_zero)?,
    })
}

fn fake_quant(c: &mut OpCtx<'_, '_>, x: ValueId, low: ValueId, high: ValueId) -> Result<ValueId> {
    let shape = c.shape(x)?;
    let n = nudge(c, low, high)?;
    let one = c.full_like(n.scale, 1.0)?;
    let inverse = c.binary(Binary::Divide, one, n.scale)?;
    // Number of the code that means zero.
    let minus = c.unary(Unary::Negate, n.low)?;
    let codes = c.binary(Binary::Multiply, minus, inverse)?;
    let shifted = c.binary_scalar(Binary::Add, codes, 0.5)?;
    let zero_code = c.unary(Unary::Floor, shifted)?;
    let [low, high, scale, inverse, zero_code, is_zero] =
        broadcast_all(c, [n.low, n.high, n.scale, inverse, zero_code, n.is_zero], &shape)?;
    let capped = c.binary(Binary::Minimum, x, high)?;
    let clamped = c.binary(Binary::Maximum, capped, low)?;
    let offset = c.binary(Binary::Subtract, clamped, low)?;
    let scaled = c.binary(Binary::Multiply, offset, inverse)?;
    let centred = c.binary(Binary::Subtract, scaled, zero_code)?;
    let half = c.binary_scalar(Binary::Add, centred, 0.5)?;
    let code = c.unary(Unary::Floor, half)?;
    let y = c.binary(Binary::Multiply, code, scale)?;
    let zeros = c.full_like(y, 0.0)?;
    c.select(is_zero, zeros, y)
}

/// Where elements lie by the nudged range.
struct Sides {
    below: ValueId,
    inside: ValueId,
    above: ValueId,
    /// Where both bounds are zero, which nudges nothing.
    is_zero: ValueId,
}

impl Sides {
    fn of(c: &mut OpCtx<'_, '_>, x: ValueId, low: ValueId, high: ValueId) -> Result<Sides> {
        let shape = c.shape(x)?;
        let n = nudge(c, low, high)?;
        let [low, high, is_zero] = broadcast_all(c, [n.low, n.high, n.is_zero], &shape)?;
        let from = c.compare(Direction::Ge, x, low)?;
        let to = c.compare(Direction::Le, x, high)?;
        Ok(Sides {
            below: c.compare(Direction::Lt, x, low)?,
            inside: c.binary(Binary::And, from, to)?,
            above: c.compare(Direction::Gt, x, high)?,
            is_zero,
        })
    }
}

/// The gradient passes inside the range; what is outside moves the bound it was clamped to. Bounds
/// that are both zero pass everything.
fn fake_quant_grad(c: &mut OpCtx<'_, '_>, per_channel: bool) -> Result<()> {
    let (dy, x, low, high) = (c.input(0)?, c.input(1)?, c.input(2)?, c.input(3)?);
    let rank = c.shape(x)?.rank() as i64;
    if c.shape(dy)? != c.shape(x)? {
        return Err(Error::invalid_argument("gradient and input must be the same size"));
    }
    let sides = Sides::of(c, x, low, high)?;
    let zero = c.full_like(dy, 0.0)?;
    let passes = c.binary(Binary::Or, sides.inside, sides.is_zero)?;
    let dx = c.select(passes, dy, zero)?;
    c.set(0, dx);
    let axes: Vec<i64> = (0..if per_channel { rank - 1 } else { rank }).collect();
    for (output, side) in [(1, sides.below), (2, sides.above)] {
        let part = c.select(side, dy, zero)?;
        let part = c.select(sides.is_zero, zero, part)?;
        let sum = reduce_sum(c, part, &axes)?;
        c.set(output, sum);
    }
    Ok(())
}

fn broadcast_all<const N: usize>(
    c: &mut OpCtx<'_, '_>,
    values: [ValueId; N],
    shape: &Shape,
) -> Result<[ValueId; N]> {
    let mut out = values;
    for v in &mut out {
        *v = c.broadcast_to(*v, shape)?;
    }
    Ok(out)
}

/// `round(x * scale) / scale`, the scale from a given or measured range.
fn dequantized(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let (dtype, shape) = (c.dtype(x)?, c.shape(x)?);
    let signed = c.node().attr_bool("signed_input")?;
    let narrow = c.node().attr_bool("narrow_range")?;
    let given = c.node().attr_bool("range_given")?;
    let axis = c.node().attr_int("axis")?;
    let bits = match c.node().attr_int("num_bits") {
        Ok(bits) => bits,
        Err(_) => c.const_int(3)?,
    };
    if !(1..=62).contains(&bits) {
        return Err(Error::invalid_argument(format!("num_bits {bits} is out of range")));
    }
    let axis = if axis == -1 { None } else { Some(axis_of(axis, shape.rank())?) };
    let (low, high) = if given { (c.input(1)?, c.input(2)?) } else { measured(c, x, axis)? };
    let (first, last) = match signed {
        true => {
            let half = (1i64 << (bits - 1)) as f64;
            (if narrow { 1.0 - half } else { -half }, half - 1.0)
        }
        false => (0.0, ((1i64 << bits) - 1) as f64),
    };
    let (scale, inverse, low, high) = grid(c, low, high, first, last)?;
    let wide = |c: &mut OpCtx<'_, '_>, v: ValueId| match axis {
        Some(axis) => c.broadcast_in_dim(v, &shape, &[axis as i64]),
        None => c.broadcast_to(v, &shape),
    };
    let (scale, inverse) = (wide(c, scale)?, wide(c, inverse)?);
    let x = if given {
        let (low, high) = (wide(c, low)?, wide(c, high)?);
        c.clamp(low, x, high)?
    } else {
        x
    };
    let scaled = c.binary(Binary::Multiply, x, scale)?;
    let half_up = c.node().attr_str("round_mode").is_ok_and(|m| m == "HALF_UP");
    let rounded = if half_up {
        let shifted = c.binary_scalar(Binary::Add, scaled, 0.5)?;
        c.unary(Unary::Floor, shifted)?
    } else {
        c.unary(Unary::RoundNearestEven, scaled)?
    };
    let y = c.binary(Binary::Multiply, rounded, inverse)?;
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    Ok(())
}

/// Smallest and largest element, over all dimensions or all but one.
fn measured(c: &mut OpCtx<'_, '_>, x: ValueId, axis: Option<usize>) -> Result<(ValueId, ValueId)> {
    let (dtype, rank) = (c.dtype(x)?, c.shape(x)?.rank());
    let axes: Vec<i64> = (0..rank).filter(|&d| Some(d) != axis).map(|d| d as i64).collect();
    let highest = c.constant(extreme(dtype, true)?)?;
    let lowest = c.constant(extreme(dtype, false)?)?;
    if axes.is_empty() {
        return Ok((x, x));
    }
    Ok((
        c.reduce(Binary::Minimum, x, highest, &axes)?,
        c.reduce(Binary::Maximum, x, lowest, &axes)?,
    ))
}

/// Scale, its inverse and the range it covers: the finer bound of the two decides.
fn grid(
    c: &mut OpCtx<'_, '_>,
    low: ValueId,
    high: ValueId,
    first: f64,
    last: f64,
) -> Result<(ValueId, ValueId, ValueId, ValueId)> {
    let (first_v, last_v) = (c.full_like(low, first)?, c.full_like(low, last)?);
    let zero = c.full_like(low, 0.0)?;
    let dtype = c.dtype(low)?;
    let largest = if dtype == DType::F64 { f64::MAX } else { f64::from(f32::MAX) };
    let unbounded = c.full_like(low, largest)?;
    let mut scales = Vec::new();
    for (code, bound) in [(first_v, low), (last_v, high)] {
        let product = c.binary(Binary::Multiply, code, bound)?;
        let same_side = c.compare(Direction::Gt, product, zero)?;
        let quotient = c.binary(Binary::Divide, code, bound)?;
        scales.push(c.select(same_side, quotient, unbounded)?);
    }
    let low_decides = c.compare(Direction::Lt, scales[0], scales[1])?;
    let scale = c.select(low_decides, scales[0], scales[1])?;
    let by_low = c.binary(Binary::Divide, low, first_v)?;
    let by_high = c.binary(Binary::Divide, high, last_v)?;
    let inverse = c.select(low_decides, by_low, by_high)?;
    let new_high = c.binary(Binary::Multiply, last_v, inverse)?;
    let new_low = c.binary(Binary::Multiply, first_v, inverse)?;
    Ok((
        scale,
        inverse,
        c.select(low_decides, low, new_low)?,
        c.select(low_decides, new_high, high)?,
    ))
}
