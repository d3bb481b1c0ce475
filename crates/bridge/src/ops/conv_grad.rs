//! Gradients of convolutions by their input (transposed convolution) and by their kernel.

use tfjit_base::{Error, Result, Shape};
use tfjit_hlo::{Dims, ValueId};

use crate::OpCtx;
use crate::ops::conv::{Axis, Format, axes, convolve, dilations, dimensions, strides};
use crate::row::{OpRow, row, row_const};

const INPUT: &[&str] = &["input_sizes"];
const FILTER: &[&str] = &["filter_sizes"];

pub(super) const ROWS: &[OpRow] = &[
    row_const("Conv2DBackpropInput", INPUT, "transposed convolution", |c| {
        let sizes = c.const_ints(0)?;
        by_input(c, 2, sizes, false)
    }),
    row("Conv2DBackpropInputV2", "transposed convolution", |c| {
        let x = c.input(0)?;
        let sizes = c.shape(x)?.to_i64();
        by_input(c, 2, sizes, false)
    }),
    row_const("Conv3DBackpropInputV2", INPUT, "transposed convolution", |c| {
        let sizes = c.const_ints(0)?;
        by_input(c, 3, sizes, false)
    }),
    row_const("DepthwiseConv2dNativeBackpropInput", INPUT, "gradient by the input", |c| {
        let sizes = c.const_ints(0)?;
        by_input(c, 2, sizes, true)
    }),
    row_const("Conv2DBackpropFilter", FILTER, "gradient by the kernel", |c| {
        let sizes = c.const_ints(1)?;
        by_filter(c, 2, &sizes, false)
    }),
    row("Conv2DBackpropFilterV2", "gradient by the kernel", |c| {
        let kernel = c.input(1)?;
        let sizes = c.shape(kernel)?.to_i64();
        by_filter(c, 2, &sizes, false)
    }),
    row_const("Conv3DBackpropFilterV2", FILTER, "gradient by the kernel", |c| {
        let sizes = c.const_ints(1)?;
        by_filter(c, 3, &sizes, false)
    }),
    row_const("DepthwiseConv2dNativeBackpropFilter", FILTER, "gradient by the kernel", |c| {
        let sizes = c.const_ints(1)?;
        by_filter(c, 2, &sizes, true)
    }),
];

/// How the convolution walked: checked against the shape of its result's gradient.
///
/// TensorFlow's depthwise gradients do not look at the dilations; where that does not fit the
/// gradient's shape they refuse, and the dilated gradient is what XLA computes.
fn walked(
    c: &OpCtx<'_, '_>,
    format: &Format,
    input: &Shape,
    filter: &Shape,
    grad: &Shape,
    depthwise: bool,
) -> Result<Vec<Axis>> {
    let extents: Vec<i64> = format.spatial.iter().map(|&d| input[d] as i64).collect();
    let kernels: Vec<i64> = filter[..format.spatial.len()].iter().map(|&d| d as i64).collect();
    let (strides, dilations) = (strides(c, format)?, dilations(c, format)?);
    let fits =
        |axes: &[Axis]| axes.iter().zip(&format.spatial).all(|(a, &d)| a.output == grad[d] as i64);
    if depthwise {
        let ones: Dims = dilations.iter().map(|_| 1).collect();
        if let Ok(found) = axes(c, format, &extents, &kernels, &strides, &ones)
            && fits(&found)
        {
            return Ok(found);
        }
    }
    let found = axes(c, format, &extents, &kernels, &strides, &dilations)?;
    if !fits(&found) || input[format.batch] != grad[format.batch] {
        let computed: Vec<i64> = found.iter().map(|a| a.output).collect();
        return Err(Error::invalid_argument(format!(
            "Size of out_backprop doesn't match computed: actual = {grad}, computed = {computed:?}"
        )));
    }
    Ok(found)
}

/// Refuses tensors that do not have two dimensions more than space.
fn expect_ranks(spatial: usize, shapes: &[&Shape]) -> Result<()> {
    if shapes.iter().all(|s| s.rank() == spatial + 2) {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "input, filter and out_backprop must have {} dimensions",
        spatial + 2
    )))
}

/// How many groups a kernel `[spatial…, in / groups, out]` makes of `channels`, whose result has
/// `features`.
fn groups(filter: &Shape, spatial: usize, channels: usize, features: usize) -> Result<usize> {
    let (i, o) = (filter[spatial], filter[spatial + 1]);
    if i == 0 || channels == 0 || !channels.is_multiple_of(i) {
        return Err(Error::invalid_argument(format!(
            "input depth must be evenly divisible by filter depth: {channels} vs {i}"
        )));
    }
    if o != features || !o.is_multiple_of(channels / i) {
        return Err(Error::invalid_argument(format!(
            "filter {filter} and out_backprop must have the same out_depth, not {features}"
        )));
    }
    Ok(channels / i)
}

/// A depthwise kernel `[spatial…, in, multiplier]` as one of `in` groups: `[spatial…, 1, all]`.
fn grouped(filter: &Shape, spatial: usize, channels: usize) -> Result<Shape> {
    if filter[spatial] != channels {
        return Err(Error::invalid_argument(format!(
            "input and filter must have the same depth: {channels} vs {}",
            filter[spatial]
        )));
    }
    let all = filter[spatial].checked_mul(filter[spatial + 1]);
    let all = all.ok_or_else(|| Error::invalid_argument("the filter is too large"))?;
    Ok(filter[..spatial].iter().copied().chain([1, all]).collect())
}

/// The gradient by the input: the output's gradient spread by the stride, convolved with the
/// reversed kernel.
fn by_input(c: &mut OpCtx<'_, '_>, spatial: usize, sizes: Vec<i64>, depthwise: bool) -> Result<()> {
    let (mut kernel, dy) = (c.input(1)?, c.input(2)?);
    let format = Format::of(c, spatial)?;
    let (mut filter, grad) = (c.shape(kernel)?, c.shape(dy)?);
    expect_ranks(spatial, &[&filter, &grad])?;
    let mut sizes = sizes;
    // `input_sizes` may give the spatial extents alone.
    if sizes.len() == spatial {
        let mut full = vec![0; spatial + 2];
        full[format.batch] = grad[format.batch] as i64;
        full[format.feature] = filter[spatial] as i64;
        for (i, &d) in format.spatial.iter().enumerate() {
            full[d] = sizes[i];
        }
        sizes = full;
    }
    let shape = Shape::from_i64(&sizes)?;
    expect_ranks(spatial, &[&shape])?;
    if depthwise {
        filter = grouped(&filter, spatial, shape[format.feature])?;
        kernel = c.reshape(kernel, &filter)?;
    }
    let groups = groups(&filter, spatial, shape[format.feature], grad[format.feature])?;
    let axes = walked(c, &format, &shape, &filter, &grad, depthwise)?;
    if grad.elements() == 0 || filter.elements() == 0 {
        let dtype = c.dtype(dy)?;
        let y = c.full(dtype, &shape, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let kernel = swap_features(c, kernel, spatial, groups)?;
    let spread: Vec<Axis> = axes.iter().map(transposed).collect();
    let mut conv = dimensions(&format, &spread);
    conv.lhs_dilation = axes.iter().map(|a| a.stride).collect();
    conv.window_strides = axes.iter().map(|_| 1).collect();
    conv.feature_group_count = groups as i64;
    let y = convolve(c, dy, kernel, conv)?;
    c.set(0, y);
    Ok(())
}

/// The padding with which the spread output convolves back to the input's extent.
fn transposed(a: &Axis) -> Axis {
    let reach = (a.kernel - 1) * a.dilation + 1;
    let low = reach - 1 - a.low;
    let spread = (a.output - 1) * a.stride + 1;
    let high = a.input + reach - 1 - spread - low;
    Axis { low, high, ..*a }
}

/// Kernel `[spatial…, in / groups, out]` reversed in space, with features exchanged within groups:
/// `[spatial…, out / groups, in]`.
fn swap_features(
    c: &mut OpCtx<'_, '_>,
    kernel: ValueId,
    spatial: usize,
    groups: usize,
) -> Result<ValueId> {
    let all: Vec<i64> = (0..spatial as i64).collect();
    let kernel = c.reverse(kernel, &all)?;
    let shape = c.shape(kernel)?;
    let (i, o) = (shape[spatial], shape[spatial + 1] / groups);
    let split: Shape = shape[..spatial].iter().copied().chain([i, groups, o]).collect();
    let kernel = c.reshape(kernel, &split)?;
    let n = spatial as i64;
    let perm: Vec<i64> = all.iter().copied().chain([n + 2, n + 1, n]).collect();
    let kernel = c.transpose(kernel, &perm)?;
    let joined: Shape = shape[..spatial].iter().copied().chain([o, groups * i]).collect();
    c.reshape(kernel, &joined)
}

/// The gradient by the kernel: the input, with its batch as channels, convolved with the output's
/// gradient spread by the stride. Output position `k` of that convolution is kernel element `k`.
fn by_filter(c: &mut OpCtx<'_, '_>, spatial: usize, sizes: &[i64], depthwise: bool) -> Result<()> {
    let (x, dy) = (c.input(0)?, c.input(2)?);
    let format = Format::of(c, spatial)?;
    let (shape, grad, result) = (c.shape(x)?, c.shape(dy)?, Shape::from_i64(sizes)?);
    expect_ranks(spatial, &[&shape, &grad, &result])?;
    let channels = shape[format.feature];
    let filter = if depthwise { grouped(&result, spatial, channels)? } else { result.clone() };
    let groups = groups(&filter, spatial, channels, grad[format.feature])?;
    let axes = walked(c, &format, &shape, &filter, &grad, depthwise)?;
    if shape.elements() == 0 || grad.elements() == 0 || filter.elements() == 0 {
        let dtype = c.dtype(x)?;
        let y = c.full(dtype, &result, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let (n, space) = (spatial as i64, format.spatial.iter().map(|&d| d as i64));
    let mut conv = dimensions(&format, &axes);
    conv.window_strides = axes.iter().map(|a| a.dilation).collect();
    conv.rhs_dilation = axes.iter().map(|a| a.stride).collect();
    conv.padding = axes.iter().map(|a| [a.low, trailing(a)]).collect();
    conv.input_batch_dimension = format.feature as i64;
    conv.input_feature_dimension = format.batch as i64;
    conv.kernel_input_feature_dimension = format.batch as i64;
    conv.kernel_output_feature_dimension = format.feature as i64;
    conv.kernel_spatial_dimensions = space.collect();
    conv.output_batch_dimension = n;
    conv.output_feature_dimension = n + 1;
    conv.output_spatial_dimensions = (0..n).collect();
    conv.batch_group_count = groups as i64;
    let y = convolve(c, x, dy, conv)?;
    let y = c.reshape(y, &result)?;
    c.set(0, y);
    Ok(())
}

/// The padding at the end with which the input convolves to the kernel's extent.
fn trailing(a: &Axis) -> i64 {
    let spread = (a.output - 1) * a.stride + 1;
    (a.kernel - 1) * a.dilation + spread - a.input - a.low
}
