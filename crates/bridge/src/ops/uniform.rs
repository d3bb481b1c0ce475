//! Integers that stand for numbers by a scale and a zero point (`Uniform…`).
//!
//! `real = (code - zero_point) * scale`, with a scale for the whole tensor or for each index of the
//! quantization axis. Changes of scale are computed in integers: a factor becomes 31 bits and a
//! shift, as TensorFlow's kernels do it (Jacob et al. 2018).

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Direction, DotGeneral, TensorType, Unary, ValueId};

use crate::OpCtx;
use crate::ctx::{broadcast_shapes, int_tensor};
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("UniformQuantize", "numbers to codes, halves upwards", quantize),
    row("UniformDequantize", "codes to numbers", |c| {
        let x = c.input(0)?;
        let q = Quant::of(c, x, 1, "")?;
        let code = c.convert(x, DType::I32)?;
        let centred = c.binary(Binary::Subtract, code, q.zero)?;
        let real = c.convert(centred, DType::F32)?;
        let y = c.binary(Binary::Multiply, real, q.scale)?;
        let dtype = c.output_dtype(0)?;
        let y = c.convert(y, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row("UniformRequantize", "codes of one scale to codes of another", |c| {
        let x = c.input(0)?;
        let (from, to) = (Quant::of(c, x, 1, "input_")?, Quant::of(c, x, 3, "output_")?);
        let codes = c.convert(x, DType::I32)?;
        let factor = from.factor(c, &to)?;
        let moved = rescale(c, codes, from.zero, factor)?;
        finish(c, moved, to.zero, "output_")
    }),
    row("UniformQuantizedAdd", "sum of codes, each brought to the result's scale", add),
    row("UniformQuantizedClipByValue", "codes between two bounds", clip),
    row("UniformQuantizedDot", "product of two matrices of codes", dot),
];

/// Scales (`f32`) and zero points (`i32`) in the shape of the tensor they belong to.
struct Quant {
    scale: ValueId,
    zero: ValueId,
}

impl Quant {
    /// Those in inputs `first` and `first + 1`, along the axis that the attribute
    /// `{prefix}quantization_axis` names.
    fn of(c: &mut OpCtx<'_, '_>, x: ValueId, first: usize, prefix: &str) -> Result<Quant> {
        let shape = c.shape(x)?;
        Quant::shaped(c, &shape, first, prefix)
    }

    fn shaped(c: &mut OpCtx<'_, '_>, shape: &Shape, first: usize, prefix: &str) -> Result<Quant> {
        let axis = c.node().attr_int(&format!("{prefix}quantization_axis"))?;
        let (scale, zero) = (c.input(first)?, c.input(first + 1)?);
        Ok(Quant { scale: spread(c, scale, shape, axis)?, zero: spread(c, zero, shape, axis)? })
    }

    /// The factor from this scale to another, in `f64`.
    fn factor(&self, c: &mut OpCtx<'_, '_>, to: &Quant) -> Result<ValueId> {
        let (from, to) = (c.convert(self.scale, DType::F64)?, c.convert(to.scale, DType::F64)?);
        c.binary(Binary::Divide, from, to)
    }
}

/// A scalar, or a vector along `axis`, in every position of `shape`.
fn spread(c: &mut OpCtx<'_, '_>, v: ValueId, shape: &Shape, axis: i64) -> Result<ValueId> {
    let own = c.shape(v)?;
    if own.rank() == 0 {
        return c.broadcast_in_dim(v, shape, &[]);
    }
    let extent = usize::try_from(axis).ok().and_then(|a| shape.get(a));
    if own.rank() != 1 || extent != own.first() {
        return Err(Error::invalid_argument(format!(
            "scales and zero points of shape {own} do not fit axis {axis} of {shape}"
        )));
    }
    c.broadcast_in_dim(v, shape, &[axis])
}

/// Codes (`i32`) plus the zero point, within the range that attributes with `prefix` give, as
/// output 0.
fn finish(c: &mut OpCtx<'_, '_>, codes: ValueId, zero: ValueId, prefix: &str) -> Result<()> {
    let dtype = c.output_dtype(0)?;
    let low = c.node().attr_int(&format!("{prefix}quantization_min_val"))?;
    let high = c.node().attr_int(&format!("{prefix}quantization_max_val"))?;
    let codes = c.binary(Binary::Add, codes, zero)?;
    let low = c.constant(int_tensor(DType::I32, Shape::scalar(), &[low])?)?;
    let high = c.constant(int_tensor(DType::I32, Shape::scalar(), &[high])?)?;
    let y = c.clamp(low, codes, high)?;
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    Ok(())
}

/// `floor(x / scale + zero_point + 1/2)`.
fn quantize(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let q = Quant::of(c, x, 1, "")?;
    let x = c.convert(x, DType::F32)?;
    let one = c.full_like(q.scale, 1.0)?;
    let inverse = c.binary(Binary::Divide, one, q.scale)?;
    let scaled = c.binary(Binary::Multiply, x, inverse)?;
    let zero = c.convert(q.zero, DType::F32)?;
    let moved = c.binary(Binary::Add, scaled, zero)?;
    let half = c.binary_scalar(Binary::Add, moved, 0.5)?;
    let rounded = c.unary(Unary::Floor, half)?;
    let codes = c.convert(rounded, DType::I32)?;
    let nothing = c.full_like(codes, 0.0)?;
    finish(c, codes, nothing, "")
}

/// An `i64` constant in every position of `like`.
fn int_like(c: &mut OpCtx<'_, '_>, like: ValueId, value: i64) -> Result<ValueId> {
    let shape = c.shape(like)?;
    c.splat(Tensor::scalar(value), &shape)
}

/// `round((codes - zero) * factor)` in integers, as `i32`; the factor is rounded to 31 bits and a
/// power of two.
fn rescale(
    c: &mut OpCtx<'_, '_>,
    codes: ValueId,
    zero: ValueId,
    factor: ValueId,
) -> Result<ValueId> {
    let shape = c.shape(factor)?;
    let bits = c.bitcast_convert(factor, TensorType::of(DType::I64, &shape))?;
    let int = |c: &mut OpCtx<'_, '_>, op: Binary, x: ValueId, value: i64| {
        let y = int_like(c, x, value)?;
        c.binary(op, x, y)
    };
    // factor = mantissa / 2^53 * 2^exponent with a mantissa of 53 bits.
    let biased = int(c, Binary::ShiftRightLogical, bits, 52)?;
    let exponent = int(c, Binary::Subtract, biased, 1022)?;
    let fraction = int(c, Binary::And, bits, (1 << 52) - 1)?;
    let mantissa = int(c, Binary::Or, fraction, 1 << 52)?;
    let half = int(c, Binary::Add, mantissa, 1 << 21)?;
    let rounded = int(c, Binary::ShiftRightArithmetic, half, 22)?;
    // Rounding up to a power of two needs one bit more.
    let carry = int(c, Binary::ShiftRightArithmetic, rounded, 31)?;
    let multiplier = c.binary(Binary::ShiftRightArithmetic, rounded, carry)?;
    let exponent = c.binary(Binary::Add, exponent, carry)?;
    let smallest = int_like(c, exponent, -31)?;
    let vanishes = c.compare(Direction::Lt, exponent, smallest)?;
    let none = int_like(c, exponent, 0)?;
    let multiplier = c.select(vanishes, none, multiplier)?;
    let exponent = c.select(vanishes, none, exponent)?;
    let centred = c.binary(Binary::Subtract, codes, zero)?;
    let centred = c.convert(centred, DType::I64)?;
    let product = c.binary(Binary::Multiply, centred, multiplier)?;
    let all = int_like(c, exponent, 31)?;
    let shift = c.binary(Binary::Subtract, all, exponent)?;
    let shift = c.binary(Binary::Maximum, shift, none)?;
    let one = int_like(c, exponent, 1)?;
    let whole = c.binary(Binary::ShiftLeft, one, shift)?;
    let half = int(c, Binary::ShiftRightArithmetic, whole, 1)?;
    let raised = c.binary(Binary::Add, product, half)?;
    let y = c.binary(Binary::ShiftRightArithmetic, raised, shift)?;
    c.convert(y, DType::I32)
}

fn add(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (lhs, rhs) = (c.input(0)?, c.input(1)?);
    let shape = broadcast_shapes(&c.shape(lhs)?, &c.shape(rhs)?)?;
    let to = Quant::shaped(c, &shape, 6, "output_")?;
    let mut parts = Vec::with_capacity(2);
    for (x, first, prefix) in [(lhs, 2, "lhs_"), (rhs, 4, "rhs_")] {
        let from = Quant::of(c, x, first, prefix)?;
        let codes = c.convert(x, DType::I32)?;
        let codes = c.broadcast_to(codes, &shape)?;
        let from = Quant {
            scale: c.broadcast_to(from.scale, &shape)?,
            zero: c.broadcast_to(from.zero, &shape)?,
        };
        let factor = from.factor(c, &to)?;
        parts.push(rescale(c, codes, from.zero, factor)?);
    }
    let sum = c.binary(Binary::Add, parts[0], parts[1])?;
    finish(c, sum, to.zero, "output_")
}

fn clip(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, low, high) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let shape = c.shape(x)?;
    let axis = c.node().attr_int("quantization_axis")?;
    let (low, high) = (spread(c, low, &shape, axis)?, spread(c, high, &shape, axis)?);
    let raised = c.binary(Binary::Maximum, x, low)?;
    let y = c.binary(Binary::Minimum, raised, high)?;
    c.set(0, y);
    Ok(())
}

/// Products of centred codes, summed in `i32` and brought to the result's scale.
fn dot(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (lhs, rhs) = (c.input(0)?, c.input(1)?);
    let (a, b) = (c.shape(lhs)?, c.shape(rhs)?);
    if a.rank() != 2 || b.rank() != 2 || a[1] != b[0] {
        return Err(Error::invalid_argument(format!(
            "lhs {a} and rhs {b} must be matrices that can be multiplied"
        )));
    }
    let result = Shape::new(&[a[0], b[1]]);
    let to = Quant::shaped(c, &result, 6, "output_")?;
    let mut centred = Vec::with_capacity(2);
    for (x, first, prefix) in [(lhs, 2, "lhs_"), (rhs, 4, "rhs_")] {
        let from = Quant::of(c, x, first, prefix)?;
        let codes = c.convert(x, DType::I32)?;
        centred.push(c.binary(Binary::Subtract, codes, from.zero)?);
    }
    let dims = DotGeneral {
        lhs_contracting_dimensions: [1].into_iter().collect(),
        rhs_contracting_dimensions: [0].into_iter().collect(),
        ..DotGeneral::default()
    };
    let sums = c.dot_general(centred[0], centred[1], dims, DType::I32)?;
    // The left scale is one for the tensor; the right one may differ a column.
    let axis = c.node().attr_int("rhs_quantization_axis")?;
    let (left, right) = (c.input(2)?, c.input(4)?);
    let (left, right) = (spread(c, left, &result, -1)?, spread(c, right, &result, axis)?);
    let (left, right) = (c.convert(left, DType::F64)?, c.convert(right, DType::F64)?);
    let product = c.binary(Binary::Multiply, left, right)?;
    let target = c.convert(to.scale, DType::F64)?;
    let factor = c.binary(Binary::Divide, product, target)?;
    let nothing = c.full_like(sums, 0.0)?;
    let moved = rescale(c, sums, nothing, factor)?;
    finish(c, moved, to.zero, "output_")
}
