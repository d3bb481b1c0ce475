//! Colours of pixels: the last dimension is red, green and blue (or hue, saturation and value).

use tfjit_base::{DType, Error, Result};
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;
use crate::ops::reduce::reduce_sum;
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("RGBToHSV", "hue in [0, 1), saturation and value", |c| {
        let x = c.input(0)?;
        let rgb = channels(c, x)?;
        let hsv = to_hsv(c, rgb)?;
        join(c, hsv)
    }),
    row("HSVToRGB", "red, green and blue", |c| {
        let x = c.input(0)?;
        let hsv = channels(c, x)?;
        let rgb = to_rgb(c, hsv)?;
        join(c, rgb)
    }),
    row("AdjustSaturation", "saturation times scale, within [0, 1]", |c| {
        adjust(c, |c, [h, s, v], scale| {
            let scaled = c.binary(Binary::Multiply, s, scale)?;
            let zero = c.full_like(scaled, 0.0)?;
            let positive = c.binary(Binary::Maximum, scaled, zero)?;
            Ok([h, c.binary_scalar(Binary::Minimum, positive, 1.0)?, v])
        })
    }),
    row("AdjustHue", "hue plus delta, going round", |c| {
        adjust(c, |c, [h, s, v], delta| {
            let moved = c.binary(Binary::Add, h, delta)?;
            let turns = c.unary(Unary::Floor, moved)?;
            Ok([c.binary(Binary::Subtract, moved, turns)?, s, v])
        })
    }),
    row("AdjustContrastv2", "distance from each channel's mean times a factor", contrast),
];

type Pixel = [ValueId; 3];

/// The three channels, each with a last dimension of extent 1.
fn channels(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<Pixel> {
    let shape = c.shape(x)?;
    if shape.last() != Some(&3) {
        return Err(Error::invalid_argument(format!(
            "input must have 3 channels but the last dimension of {shape} has another extent"
        )));
    }
    let last = shape.rank() - 1;
    let (mut start, mut limit) = (vec![0; shape.rank()], shape.to_i64());
    let mut found = [x; 3];
    for (i, v) in found.iter_mut().enumerate() {
        (start[last], limit[last]) = (i as i64, i as i64 + 1);
        *v = c.slice(x, &start, &limit, &vec![1; shape.rank()])?;
    }
    Ok(found)
}

/// The channels as output 0.
fn join(c: &mut OpCtx<'_, '_>, pixel: Pixel) -> Result<()> {
    let last = c.shape(pixel[0])?.rank() - 1;
    let y = c.concatenate(&pixel, last)?;
    let dtype = c.output_dtype(0)?;
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    Ok(())
}

/// Hue is a sixth of the distance along the hexagon of the saturated colours (Smith 1978).
fn to_hsv(c: &mut OpCtx<'_, '_>, [r, g, b]: Pixel) -> Result<Pixel> {
    let largest = c.binary(Binary::Maximum, r, g)?;
    let value = c.binary(Binary::Maximum, largest, b)?;
    let smallest = c.binary(Binary::Minimum, r, g)?;
    let smallest = c.binary(Binary::Minimum, smallest, b)?;
    let range = c.binary(Binary::Subtract, value, smallest)?;
    let zero = c.full_like(value, 0.0)?;
    let lit = c.compare(Direction::Gt, value, zero)?;
    let ratio = c.binary(Binary::Divide, range, value)?;
    let saturation = c.select(lit, ratio, zero)?;
    let six = c.binary_scalar(Binary::Multiply, range, 6.0)?;
    let one = c.full_like(six, 1.0)?;
    let norm = c.binary(Binary::Divide, one, six)?;
    let side = |c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId, start: f64| {
        let difference = c.binary(Binary::Subtract, x, y)?;
        let part = c.binary(Binary::Multiply, norm, difference)?;
        if start == 0.0 { Ok(part) } else { c.binary_scalar(Binary::Add, part, start) }
    };
    let by_red = side(c, g, b, 0.0)?;
    let by_green = side(c, b, r, 2.0 / 6.0)?;
    let by_blue = side(c, r, g, 4.0 / 6.0)?;
    let is_red = c.compare(Direction::Eq, r, value)?;
    let is_green = c.compare(Direction::Eq, g, value)?;
    let hue = c.select(is_green, by_green, by_blue)?;
    let hue = c.select(is_red, by_red, hue)?;
    let coloured = c.compare(Direction::Gt, range, zero)?;
    let hue = c.select(coloured, hue, zero)?;
    let negative = c.compare(Direction::Lt, hue, zero)?;
    let turned = c.binary(Binary::Add, hue, one)?;
    Ok([c.select(negative, turned, hue)?, saturation, value])
}

/// Each channel is a trapezoid over the hue.
fn to_rgb(c: &mut OpCtx<'_, '_>, [h, s, v]: Pixel) -> Result<Pixel> {
    let at = c.binary_scalar(Binary::Multiply, h, 6.0)?;
    let one = c.full_like(h, 1.0)?;
    let rest = c.binary(Binary::Subtract, one, s)?;
    let dtype = c.dtype(h)?;
    let (low, high) = (c.scalar(dtype, 0.0)?, c.scalar(dtype, 1.0)?);
    let mut found = [h; 3];
    // Red is |at - 3| - 1; green and blue are 2 - |at - 2| and 2 - |at - 4|.
    for (out, (centre, sign, offset)) in
        found.iter_mut().zip([(3.0, 1.0, -1.0), (2.0, -1.0, 2.0), (4.0, -1.0, 2.0)])
    {
        let distance = c.binary_scalar(Binary::Subtract, at, centre)?;
        let distance = c.unary(Unary::Abs, distance)?;
        let slope = c.binary_scalar(Binary::Multiply, distance, sign)?;
        let ramp = c.binary_scalar(Binary::Add, slope, offset)?;
        let share = c.clamp(low, ramp, high)?;
        let part = c.binary(Binary::Multiply, s, share)?;
        let level = c.binary(Binary::Add, rest, part)?;
        *out = c.binary(Binary::Multiply, level, v)?;
    }
    Ok(found)
}

/// Changes hue, saturation and value by the scalar that is input 1, in `f32`.
fn adjust(
    c: &mut OpCtx<'_, '_>,
    change: fn(&mut OpCtx<'_, '_>, Pixel, ValueId) -> Result<Pixel>,
) -> Result<()> {
    let (x, by) = (c.input(0)?, c.input(1)?);
    if c.shape(x)?.rank() < 3 {
        return Err(Error::invalid_argument("input must be at least 3-D"));
    }
    if c.shape(by)?.rank() != 0 {
        return Err(Error::invalid_argument("scale and delta must be scalars"));
    }
    let x = c.convert(x, DType::F32)?;
    let rgb = channels(c, x)?;
    let hsv = to_hsv(c, rgb)?;
    let shape = c.shape(hsv[0])?;
    let by = c.broadcast_in_dim(by, &shape, &[])?;
    let changed = change(c, hsv, by)?;
    let rgb = to_rgb(c, changed)?;
    join(c, rgb)
}

fn contrast(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, factor) = (c.input(0)?, c.input(1)?);
    let shape = c.shape(x)?;
    let Some(first) = shape.rank().checked_sub(3) else {
        return Err(Error::invalid_argument(format!("input must be at least 3-D, not {shape}")));
    };
    if c.shape(factor)?.rank() != 0 {
        return Err(Error::invalid_argument("contrast_factor must be scalar"));
    }
    let x = c.convert(x, DType::F32)?;
    let sum = reduce_sum(c, x, &[first as i64, first as i64 + 1])?;
    let count = (shape[first] * shape[first + 1]) as f64;
    let mean = c.binary_scalar(Binary::Divide, sum, count)?;
    let kept: Vec<i64> =
        (0..shape.rank()).filter(|&d| d < first || d > first + 1).map(|d| d as i64).collect();
    let mean = c.broadcast_in_dim(mean, &shape, &kept)?;
    let factor = c.broadcast_in_dim(factor, &shape, &[])?;
    let distance = c.binary(Binary::Subtract, x, mean)?;
    let scaled = c.binary(Binary::Multiply, distance, factor)?;
    let y = c.binary(Binary::Add, scaled, mean)?;
    let dtype = c.output_dtype(0)?;
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    Ok(())
}
