//! Bias, batch normalisation and softmax.

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Binary, Unary, ValueId};

use crate::OpCtx;
use crate::ops::conv::{Format, bias_add, widened};
use crate::ops::reduce::{extreme, reduce_sum};
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("BiasAdd", "x + bias along the feature dimension", |c| {
        let (x, bias) = (c.input(0)?, c.input(1)?);
        let rank = c.shape(x)?.rank();
        let first = c.node().attr_str("data_format")?.starts_with("NC") && rank > 2;
        let y = bias_add(c, x, bias, if first { 1 } else { rank.max(1) - 1 })?;
        c.set(0, y);
        Ok(())
    }),
    row("BiasAddV1", "x + bias along the last dimension", |c| {
        let (x, bias) = (c.input(0)?, c.input(1)?);
        let rank = c.shape(x)?.rank();
        let y = bias_add(c, x, bias, rank.max(1) - 1)?;
        c.set(0, y);
        Ok(())
    }),
    row("BiasAddGrad", "sum over all but the feature dimension", |c| {
        let dy = c.input(0)?;
        let rank = c.shape(dy)?.rank();
        let first = c.node().attr_str("data_format")?.starts_with("NC") && rank > 2;
        let feature = if first { 1 } else { rank.max(1) as i64 - 1 };
        let axes: Vec<i64> = (0..rank as i64).filter(|&d| d != feature).collect();
        let y = reduce_sum(c, dy, &axes)?;
        c.set(0, y);
        Ok(())
    }),
    row("FusedBatchNorm", "batch normalisation", batch_norm),
    row("FusedBatchNormV2", "batch normalisation", batch_norm),
    row("FusedBatchNormV3", "batch normalisation", batch_norm),
    row("FusedBatchNormGrad", "gradients of batch normalisation", batch_norm_grad),
    row("FusedBatchNormGradV2", "gradients of batch normalisation", batch_norm_grad),
    row("FusedBatchNormGradV3", "gradients of batch normalisation", batch_norm_grad),
    row("Softmax", "exp(x - max) over its sum, along the last dimension", |c| softmax(c, false)),
    row("LogSoftmax", "logarithm of softmax along the last dimension", |c| softmax(c, true)),
    row("L2Loss", "half the sum of squares", |c| {
        let x = c.input(0)?;
        let rank = c.shape(x)?.rank() as i64;
        let squares = c.binary(Binary::Multiply, x, x)?;
        let axes: Vec<i64> = (0..rank).collect();
        let sum = reduce_sum(c, squares, &axes)?;
        let y = c.binary_scalar(Binary::Multiply, sum, 0.5)?;
        c.set(0, y);
        Ok(())
    }),
];

/// Refuses what is not a vector with an element a feature.
fn expect_features(c: &OpCtx<'_, '_>, v: ValueId, features: usize) -> Result<()> {
    let shape = c.shape(v)?;
    if shape.dims() == [features] {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "scale, offset, mean and variance must be vectors of {features} elements, not {shape}"
    )))
}

/// A per-feature vector in every position of `shape`.
fn along(c: &mut OpCtx<'_, '_>, v: ValueId, shape: &Shape, feature: usize) -> Result<ValueId> {
    c.broadcast_in_dim(v, shape, &[feature as i64])
}

/// `(x - mean) * (scale * rsqrt(variance + epsilon)) + offset`, statistics from the batch when
/// training (Ioffe and Szegedy 2015). Outputs 1 and 2 are the running statistics, with Bessel's
/// correction for the variance; 3 and 4 the statistics used.
fn batch_norm(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let spatial = c.shape(x)?.rank().saturating_sub(2);
    if spatial == 0 {
        return Err(Error::invalid_argument("batch normalisation needs at least 3 dimensions"));
    }
    let format = Format::of(c, spatial)?;
    let (dtype, shape) = (c.dtype(x)?, c.shape(x)?);
    let wide = widened(dtype);
    let (scale, offset) = (c.input(1)?, c.input(2)?);
    for v in [scale, offset] {
        expect_features(c, v, shape[format.feature])?;
    }
    let epsilon = f64::from(c.node().attr_float("epsilon")?);
    let training = c.node().attr_bool("is_training")?;
    let xw = c.convert(x, wide)?;
    let (mean, variance) =
        if training { statistics(c, xw, &format, &shape)? } else { (c.input(3)?, c.input(4)?) };
    let shifted = c.binary_scalar(Binary::Add, variance, epsilon)?;
    let inverse = c.unary(Unary::Rsqrt, shifted)?;
    let factor = c.binary(Binary::Multiply, inverse, scale)?;
    let mean_wide = along(c, mean, &shape, format.feature)?;
    let factor = along(c, factor, &shape, format.feature)?;
    let offset = along(c, offset, &shape, format.feature)?;
    let centred = c.binary(Binary::Subtract, xw, mean_wide)?;
    let scaled = c.binary(Binary::Multiply, centred, factor)?;
    let y = c.binary(Binary::Add, scaled, offset)?;
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    let count = shape.elements() / shape[format.feature].max(1);
    running(c, mean, variance, training, count)
}

/// Mean and (biased) variance over all but the feature dimension.
fn statistics(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    format: &Format,
    shape: &Shape,
) -> Result<(ValueId, ValueId)> {
    let axes = format.others(shape.rank());
    // Without elements the statistics are NaN.
    let count = (shape.elements() / shape[format.feature].max(1)) as f64;
    let sum = reduce_sum(c, x, &axes)?;
    let mean = c.binary_scalar(Binary::Divide, sum, count)?;
    let mean_wide = along(c, mean, shape, format.feature)?;
    let centred = c.binary(Binary::Subtract, x, mean_wide)?;
    let squares = c.binary(Binary::Multiply, centred, centred)?;
    let sum = reduce_sum(c, squares, &axes)?;
    let variance = c.binary_scalar(Binary::Divide, sum, count)?;
    Ok((mean, variance))
}

/// Gradients by input, scale and offset. In training the statistics depend on the input too, which
/// takes the mean of the gradient and its part along the normalised input away (Ioffe and Szegedy
/// 2015); otherwise they are constants.
fn batch_norm_grad(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (dy, x, scale) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let (mean, variance) = (c.input(3)?, c.input(4)?);
    let (dtype, shape) = (c.dtype(x)?, c.shape(x)?);
    let spatial = shape.rank().saturating_sub(2);
    if spatial == 0 || c.shape(dy)? != shape {
        return Err(Error::invalid_argument(format!(
            "x {shape} and y_backprop {} must have the same shape of at least 3 dimensions",
            c.shape(dy)?
        )));
    }
    let format = Format::of(c, spatial)?;
    for v in [scale, mean, variance] {
        expect_features(c, v, shape[format.feature])?;
    }
    let wide = widened(dtype);
    let (dy, x) = (c.convert(dy, wide)?, c.convert(x, wide)?);
    let axes = format.others(shape.rank());
    let epsilon = f64::from(c.node().attr_float("epsilon")?);
    let shifted = c.binary_scalar(Binary::Add, variance, epsilon)?;
    let inverse = c.unary(Unary::Rsqrt, shifted)?;
    let mean = along(c, mean, &shape, format.feature)?;
    let centred = c.binary(Binary::Subtract, x, mean)?;
    let products = c.binary(Binary::Multiply, dy, centred)?;
    let covered = reduce_sum(c, products, &axes)?;
    let d_scale = c.binary(Binary::Multiply, covered, inverse)?;
    let d_offset = reduce_sum(c, dy, &axes)?;
    let factor = c.binary(Binary::Multiply, scale, inverse)?;
    let mut inner = dy;
    if c.node().attr_bool("is_training")? {
        let count = (shape.elements() / shape[format.feature].max(1)).max(1) as f64;
        let dy_mean = c.binary_scalar(Binary::Divide, d_offset, count)?;
        let dy_mean = along(c, dy_mean, &shape, format.feature)?;
        let slope = c.binary(Binary::Multiply, d_scale, inverse)?;
        let slope = c.binary_scalar(Binary::Divide, slope, count)?;
        let slope = along(c, slope, &shape, format.feature)?;
        let part = c.binary(Binary::Multiply, centred, slope)?;
        inner = c.binary(Binary::Subtract, inner, dy_mean)?;
        inner = c.binary(Binary::Subtract, inner, part)?;
    }
    let factor = along(c, factor, &shape, format.feature)?;
    let dx = c.binary(Binary::Multiply, inner, factor)?;
    let dx = c.convert(dx, dtype)?;
    c.set(0, dx);
    c.set(1, d_scale);
    c.set(2, d_offset);
    for i in 3..c.node().output_types.len() {
        let nothing = c.full(wide, &Shape::new(&[0]), 0.0)?;
        c.set(i, nothing);
    }
    Ok(())
}

fn running(
    c: &mut OpCtx<'_, '_>,
    mean: ValueId,
    variance: ValueId,
    training: bool,
    count: usize,
) -> Result<()> {
    let (mut new_mean, mut new_variance) = (mean, variance);
    if training {
        let bessel = count as f64 / (count as f64 - 1.0).max(1.0);
        new_variance = c.binary_scalar(Binary::Multiply, variance, bessel)?;
        let factor = c.node().attr_float("exponential_avg_factor").map_or(1.0, f64::from);
        if factor != 1.0 {
            new_mean = blend(c, 3, new_mean, factor)?;
            new_variance = blend(c, 4, new_variance, factor)?;
        }
    }
    c.set(1, new_mean);
    c.set(2, new_variance);
    c.set(3, mean);
    c.set(4, variance);
    if c.node().output_types.len() > 5 {
        let nothing = c.scalar(DType::F32, 0.0)?;
        c.set(5, nothing);
    }
    Ok(())
}

/// `(1 - factor) * old + factor * new`.
fn blend(c: &mut OpCtx<'_, '_>, old: usize, new: ValueId, factor: f64) -> Result<ValueId> {
    let old = c.input(old)?;
    let kept = c.binary_scalar(Binary::Multiply, old, 1.0 - factor)?;
    let added = c.binary_scalar(Binary::Multiply, new, factor)?;
    c.binary(Binary::Add, kept, added)
}

fn softmax(c: &mut OpCtx<'_, '_>, log: bool) -> Result<()> {
    let x = c.input(0)?;
    let (shape, dtype) = (c.shape(x)?, c.dtype(x)?);
    let Some(last) = shape.rank().checked_sub(1) else {
        return Err(Error::invalid_argument("logits must have >= 1 dimension, got []"));
    };
    if shape.elements() == 0 {
        c.set(0, x);
        return Ok(());
    }
    let wide = widened(dtype);
    let x = c.convert(x, wide)?;
    let rows: Vec<i64> = (0..last as i64).collect();
    let lowest = c.constant(extreme(wide, false)?)?;
    let largest = c.reduce(Binary::Maximum, x, lowest, &[last as i64])?;
    let largest = c.broadcast_in_dim(largest, &shape, &rows)?;
    let shifted = c.binary(Binary::Subtract, x, largest)?;
    let exp = c.unary(Unary::Exponential, shifted)?;
    let sum = reduce_sum(c, exp, &[last as i64])?;
    let y = if log {
        let log_sum = c.unary(Unary::Log, sum)?;
        let log_sum = c.broadcast_in_dim(log_sum, &shape, &rows)?;
        c.binary(Binary::Subtract, shifted, log_sum)?
    } else {
        let sum = c.broadcast_in_dim(sum, &shape, &rows)?;
        c.binary(Binary::Divide, exp, sum)?
    };
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    Ok(())
}
