//! Pooling.

use tfjit_base::{Error, Result, Shape};
use tfjit_hlo::{Binary, Dims, Direction, ValueId, Window};

use crate::OpCtx;
use crate::ops::conv::{EXTENT_MAX, Format, axes, widened};
use crate::ops::reduce::finite_extreme;
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row("MaxPool", "largest of each window; NaN is passed over", |c| {
        let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
        max_pool(c, 2, &ksize, &strides)
    }),
    row_const("MaxPoolV2", &["ksize", "strides"], "largest of each window", |c| {
        let (ksize, strides) = (c.const_ints(1)?, c.const_ints(2)?);
        max_pool(c, 2, &ksize, &strides)
    }),
    row("MaxPool3D", "largest of each window; NaN is passed over", |c| {
        let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
        max_pool(c, 3, &ksize, &strides)
    }),
    row("AvgPool", "mean of each window without its padding", |c| avg_pool(c, 2)),
    row("AvgPool3D", "mean of each window without its padding", |c| avg_pool(c, 3)),
];

pub(super) fn attr(c: &OpCtx<'_, '_>, name: &str) -> Result<Vec<i64>> {
    Ok(c.node().attr_ints(name)?.to_vec())
}

/// A pooling window in all dimensions, and the extents of the result.
pub(super) struct Pool {
    pub(super) window: Window,
    pub(super) result: Shape,
}

/// The window of a pooling node over a tensor of `shape`. Windows over the feature dimension
/// (depthwise pooling) are allowed without padding.
pub(super) fn pool(
    c: &OpCtx<'_, '_>,
    shape: &Shape,
    spatial: usize,
    ksize: &[i64],
    strides: &[i64],
) -> Result<Pool> {
    let format = Format::of(c, spatial)?;
    let rank = spatial + 2;
    if shape.rank() != rank || ksize.len() != rank || strides.len() != rank {
        return Err(Error::invalid_argument(format!(
            "pooling needs {rank} dimensions in input {shape}, ksize {ksize:?} and strides \
             {strides:?}"
        )));
    }
    if ksize.iter().chain(strides).any(|v| !(1..=EXTENT_MAX).contains(v)) {
        return Err(Error::invalid_argument(format!(
            "ksize {ksize:?} and strides {strides:?} must be positive"
        )));
    }
    if ksize[format.batch] != 1 || strides[format.batch] != 1 {
        return Err(Error::unimplemented("Pooling is not yet supported on the batch dimension."));
    }
    let pick = |values: &[i64]| -> Vec<i64> { format.spatial.iter().map(|&d| values[d]).collect() };
    let inputs: Vec<i64> = format.spatial.iter().map(|&d| shape[d] as i64).collect();
    let ones = vec![1; spatial];
    let axes = axes(c, &format, &inputs, &pick(ksize), &pick(strides), &ones)?;
    let mut padding = vec![[0, 0]; rank];
    let mut result = shape.to_vec();
    for (a, &d) in axes.iter().zip(&format.spatial) {
        padding[d] = [a.low, a.high];
        result[d] = a.output as usize;
    }
    let (f, k, s) = (format.feature, ksize[format.feature], strides[format.feature]);
    let room = shape[f] as i64 - k;
    result[f] = if room < 0 { 0 } else { (room / s + 1) as usize };
    let window = Window {
        window_dimensions: Dims::from_slice(ksize),
        window_strides: Dims::from_slice(strides),
        base_dilations: (0..rank).map(|_| 1).collect(),
        window_dilations: (0..rank).map(|_| 1).collect(),
        padding,
    };
    Ok(Pool { window, result: result.into() })
}

fn max_pool(c: &mut OpCtx<'_, '_>, spatial: usize, ksize: &[i64], strides: &[i64]) -> Result<()> {
    let x = c.input(0)?;
    let (shape, dtype) = (c.shape(x)?, c.dtype(x)?);
    let pool = pool(c, &shape, spatial, ksize, strides)?;
    let y = if pool.result.elements() == 0 {
        c.full(dtype, &pool.result, 0.0)?
    } else {
        // The kernel starts from the lowest finite number, which is what a window without any
        // number larger than that gives.
        let lowest = c.constant(finite_extreme(dtype, false)?)?;
        let x = if dtype.is_float() {
            // TensorFlow's comparison never picks NaN.
            let nan = c.compare(Direction::Ne, x, x)?;
            let floor = c.broadcast_in_dim(lowest, &shape, &[])?;
            c.select(nan, floor, x)?
        } else {
            x
        };
        c.reduce_window(Binary::Maximum, x, lowest, pool.window)?
    };
    c.set(0, y);
    Ok(())
}

fn avg_pool(c: &mut OpCtx<'_, '_>, spatial: usize) -> Result<()> {
    let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
    let x = c.input(0)?;
    let (shape, dtype) = (c.shape(x)?, c.dtype(x)?);
    let pool = pool(c, &shape, spatial, &ksize, &strides)?;
    if pool.result.elements() == 0 {
        let y = c.full(dtype, &pool.result, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let wide = widened(dtype);
    let x = c.convert(x, wide)?;
    let zero = c.scalar(wide, 0.0)?;
    let sum = c.reduce_window(Binary::Add, x, zero, pool.window.clone())?;
    let counts = counts(c, &pool, &shape, wide)?;
    let mean = c.binary(Binary::Divide, sum, counts)?;
    let y = c.convert(mean, dtype)?;
    c.set(0, y);
    Ok(())
}

/// How many elements of each window lie inside the input, shaped like the result.
pub(super) fn counts(
    c: &mut OpCtx<'_, '_>,
    pool: &Pool,
    shape: &Shape,
    dtype: tfjit_base::DType,
) -> Result<ValueId> {
    let padded = pool.window.padding.iter().any(|p| *p != [0, 0]);
    if !padded {
        let n: i64 = pool.window.window_dimensions.iter().product();
        return c.full(dtype, &pool.result, n as f64);
    }
    // Batch and feature have no padding, so one plane of counts serves all of them.
    let plane: Shape = (0..shape.rank())
        .map(|d| if pool.window.padding[d] == [0, 0] { 1 } else { shape[d] })
        .collect();
    let mut window = pool.window.clone();
    let mut all = 1;
    for d in 0..shape.rank() {
        if plane[d] == 1 && window.padding[d] == [0, 0] {
            all *= window.window_dimensions[d];
            window.window_dimensions[d] = 1;
            window.window_strides[d] = 1;
        }
    }
    let ones = c.full(dtype, &plane, all as f64)?;
    let zero = c.scalar(dtype, 0.0)?;
    let counted = c.reduce_window(Binary::Add, ones, zero, window)?;
    c.broadcast_to(counted, &pool.result)
}
