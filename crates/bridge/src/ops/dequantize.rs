//! `Dequantize`: codes over a range `[min_range, max_range]` as floats.

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;
use crate::ops::array::axis_of;
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[row("Dequantize", "codes over a range as floats", |c| {
    let (x, low, high) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let axis = match c.node().attr_int("axis")? {
        -1 => None,
        axis => Some(axis_of(axis, c.shape(x)?.rank())?),
    };
    let range = Range { codes: Codes::of(c.dtype(x)?)?, low, high, axis, shape: c.shape(x)? };
    let codes = c.convert(x, DType::F32)?;
    let y = match c.node().attr_str("mode")? {
        "MIN_COMBINED" => range.min_combined(c, codes)?,
        "MIN_FIRST" => range.min_first(c, codes)?,
        "SCALED" => range.scaled(c, codes)?,
        other => return Err(Error::invalid_argument(format!("mode {other} is unknown"))),
    };
    let dtype = c.output_dtype(0)?;
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    Ok(())
})];

/// The codes of an integer type.
struct Codes {
    lowest: f64,
    highest: f64,
}

impl Codes {
    fn of(dtype: DType) -> Result<Codes> {
        if !dtype.is_int() {
            return Err(Error::invalid_argument(format!("{dtype} holds no codes")));
        }
        let count = 2f64.powi(dtype.bits() as i32);
        let lowest = if dtype.is_signed_int() { -count / 2.0 } else { 0.0 };
        Ok(Codes { lowest, highest: lowest + count - 1.0 })
    }

    fn count(&self) -> f64 {
        self.highest - self.lowest + 1.0
    }
}

struct Range {
    codes: Codes,
    low: ValueId,
    high: ValueId,
    axis: Option<usize>,
    shape: Shape,
}

impl Range {
    /// A number a tensor, or a number a slice along the axis, in every position.
    fn spread(&self, c: &mut OpCtx<'_, '_>, v: ValueId) -> Result<ValueId> {
        let own = c.shape(v)?;
        match self.axis {
            Some(axis) if own.rank() == 1 && own[0] == self.shape[axis] => {
                c.broadcast_in_dim(v, &self.shape, &[axis as i64])
            }
            None if own.elements() == 1 => {
                let v = c.reshape(v, &Shape::scalar())?;
                c.broadcast_in_dim(v, &self.shape, &[])
            }
            _ => Err(Error::invalid_argument(format!(
                "min_range and max_range of shape {own} do not fit the input {}",
                self.shape
            ))),
        }
    }

    /// `(code - lowest) * (high - low) / (count - 1) + low`.
    fn min_combined(&self, c: &mut OpCtx<'_, '_>, codes: ValueId) -> Result<ValueId> {
        let span = c.binary(Binary::Subtract, self.high, self.low)?;
        let steps = self.codes.highest - self.codes.lowest;
        let scale = c.binary_scalar(Binary::Divide, span, steps)?;
        let (scale, low) = (self.spread(c, scale)?, self.spread(c, self.low)?);
        // Half the codes of a signed type are negative.
        let raised = c.binary_scalar(Binary::Subtract, codes, self.codes.lowest)?;
        let scaled = c.binary(Binary::Multiply, raised, scale)?;
        c.binary(Binary::Add, scaled, low)
    }

    /// As `MIN_COMBINED`, with the lower bound moved to a multiple of the step.
    fn min_first(&self, c: &mut OpCtx<'_, '_>, codes: ValueId) -> Result<ValueId> {
        if self.axis.is_some() {
            return Err(Error::unimplemented(
                "MIN_FIRST mode is not implemented for Dequantize with axis != -1.",
            ));
        }
        let (low, high) = (c.convert(self.low, DType::F64)?, c.convert(self.high, DType::F64)?);
        let span = c.binary(Binary::Subtract, high, low)?;
        let step = c.binary_scalar(Binary::Divide, span, self.codes.count() - 1.0)?;
        let steps = c.binary(Binary::Divide, low, step)?;
        let steps = c.unary(Unary::RoundNearestAfz, steps)?;
        let rounded = c.binary(Binary::Multiply, steps, step)?;
        let flat = c.compare(Direction::Eq, low, high)?;
        let rounded = c.select(flat, low, rounded)?;
        let rounded = c.convert(rounded, DType::F32)?;
        let step = c.convert(step, DType::F32)?;
        let (step, low) = (self.spread(c, step)?, self.spread(c, rounded)?);
        let raised = c.binary_scalar(Binary::Subtract, codes, self.codes.lowest)?;
        let scaled = c.binary(Binary::Multiply, raised, step)?;
        c.binary(Binary::Add, scaled, low)
    }

    /// `code * scale`, the scale being the coarser of what the two bounds need.
    fn scaled(&self, c: &mut OpCtx<'_, '_>, codes: ValueId) -> Result<ValueId> {
        let mut scale = c.binary_scalar(Binary::Divide, self.high, self.codes.highest)?;
        if self.codes.lowest < 0.0 {
            let narrow = f64::from(u8::from(c.node().attr_bool("narrow_range")?));
            let below = c.binary_scalar(Binary::Divide, self.low, self.codes.lowest + narrow)?;
            scale = c.binary(Binary::Maximum, below, scale)?;
        }
        let scale = self.spread(c, scale)?;
        c.binary(Binary::Multiply, codes, scale)
    }
}
