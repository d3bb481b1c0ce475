//! Convolutions in any number of spatial dimensions, plain, depthwise, transposed and fused.

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Binary, Convolution, Dims, ValueId};

use crate::OpCtx;
use crate::ops::matmul::accumulator;
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row("Conv2D", "convolution of images", |c| {
        let y = forward(c, 2, false)?;
        c.set(0, y);
        Ok(())
    }),
    row("Conv3D", "convolution of volumes", |c| {
        let y = forward(c, 3, false)?;
        c.set(0, y);
        Ok(())
    }),
    row("DepthwiseConv2dNative", "a kernel of its own for each channel", |c| {
        let y = forward(c, 2, true)?;
        c.set(0, y);
        Ok(())
    }),
    row("_FusedConv2D", "convolution with fused bias and activation", |c| {
        let y = forward(c, 2, false)?;
        let y = epilogue(c, y, 2)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("Conv2DBackpropInput", &["input_sizes"], "transposed convolution", |c| {
        backprop_input(c, 2)
    }),
    row_const("Conv3DBackpropInputV2", &["input_sizes"], "transposed convolution", |c| {
        backprop_input(c, 3)
    }),
];

/// Which dimension of an activation tensor is which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) batch: usize,
    pub(super) feature: usize,
    pub(super) spatial: Vec<usize>,
}

impl Format {
    /// The `data_format` attribute of a node with `spatial` spatial dimensions.
    pub(super) fn of(c: &OpCtx<'_, '_>, spatial: usize) -> Result<Format> {
        let text = c.node().attr_str("data_format")?;
        let first = match text {
            "NHWC" | "NDHWC" | "NWC" => 1,
            "NCHW" | "NCDHW" | "NCW" => 2,
            other => {
                return Err(Error::unimplemented(format!("data_format {other} is not supported")));
            }
        };
        let feature = if first == 1 { spatial + 1 } else { 1 };
        Ok(Format { batch: 0, feature, spatial: (first..first + spatial).collect() })
    }

    /// The entries of a per-dimension list attribute that belong to spatial dimensions; those of
    /// batch and feature must be 1.
    pub(super) fn pick(&self, values: &[i64], what: &str) -> Result<Dims> {
        let rank = self.spatial.len() + 2;
        if values.len() != rank {
            return Err(Error::invalid_argument(format!(
                "{what} must specify {rank} dimensions, it has {}",
                values.len()
            )));
        }
        if values[self.batch] != 1 || values[self.feature] != 1 {
            return Err(Error::unimplemented(format!(
                "{what} in the batch and depth dimensions are not supported"
            )));
        }
        let picked: Dims = self.spatial.iter().map(|&d| values[d]).collect();
        match picked.iter().find(|v| !(1..=EXTENT_MAX).contains(*v)) {
            Some(bad) => Err(Error::invalid_argument(format!(
                "{what} must be positive and at most {EXTENT_MAX}, but got {bad}"
            ))),

            None => Ok(picked),
        }
    }
}

/// The largest stride, dilation, padding or window: sums and products of two stay inside `i64`.
pub(super) const EXTENT_MAX: i64 = i32::MAX as i64;

/// How a window moves over one spatial dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) input: i64,
    pub(super) kernel: i64,
    pub(super) stride: i64,
    pub(super) dilation: i64,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) output: i64,
}

/// The `padding` attribute resolved for each spatial dimension.
pub(super) fn axes(
    c: &OpCtx<'_, '_>,
    format: &Format,
    inputs: &[i64],
    kernels: &[i64],
    strides: &[i64],
    dilations: &[i64],
) -> Result<Vec<Axis>> {
    let padding = c.node().attr_str("padding")?;
    let explicit = match padding {
        "EXPLICIT" => {
            let pads = c.node().attr_ints("explicit_paddings")?;
            if pads.len() != 2 * (format.spatial.len() + 2)
                || pads.iter().any(|p| !(0..=EXTENT_MAX).contains(p))
            {
                return Err(Error::invalid_argument(format!(
                    "explicit_paddings {pads:?} must have 2 non-negative values a dimension"
                )));
            }
            pads
        }
        _ => &[],
    };
    let mut found = Vec::new();
    for (i, &d) in format.spatial.iter().enumerate() {
        let (input, kernel, stride, dilation) = (inputs[i], kernels[i], strides[i], dilations[i]);
        let reach = (kernel - 1)
            .checked_mul(dilation)
            .and_then(|r| r.checked_add(1))
            .ok_or_else(|| Error::invalid_argument("the dilated kernel is too large"))?;
        let (low, high) = match padding {
            "VALID" => (0, 0),
            "SAME" => {
                let output = (input + stride - 1) / stride;
                let total = ((output - 1) * stride + reach - input).max(0);
                (total / 2, total - total / 2)
            }
            "EXPLICIT" => (explicit[2 * d], explicit[2 * d + 1]),
            other => {
                return Err(Error::invalid_argument(format!("padding {other} is unknown")));
            }
        };
        let room = input + low + high - reach;
        if room < 0 && input > 0 && padding != "SAME" && room + stride < 0 {
            return Err(Error::invalid_argument(format!(
                "Computed output size would be negative: input {input}, kernel reach {reach}, \
                 stride {stride}"
            )));
        }
        let output = if room < 0 { 0 } else { room / stride + 1 };
        found.push(Axis { input, kernel, stride, dilation, low, high, output });
    }
    Ok(found)
}

/// The dilations attribute, or ones where the op has none.
fn dilations(c: &OpCtx<'_, '_>, format: &Format) -> Result<Dims> {
    match c.node().attr_ints("dilations") {
        Ok(values) if !values.is_empty() => format.pick(values, "dilations"),
        _ => Ok(format.spatial.iter().map(|_| 1).collect()),
    }
}

fn strides(c: &OpCtx<'_, '_>, format: &Format) -> Result<Dims> {
    format.pick(c.node().attr_ints("strides")?, "strides")
}

/// The dimension numbers of an activation in `format` and a kernel `[spatial…, in, out]`.
pub(super) fn dimensions(format: &Format, axes: &[Axis]) -> Convolution {
    let n = format.spatial.len();
    let spatial: Dims = format.spatial.iter().map(|&d| d as i64).collect();
    Convolution {
        window_strides: axes.iter().map(|a| a.stride).collect(),
        padding: axes.iter().map(|a| [a.low, a.high]).collect(),
        lhs_dilation: axes.iter().map(|_| 1).collect(),
        rhs_dilation: axes.iter().map(|a| a.dilation).collect(),
        window_reversal: vec![false; n],
        input_batch_dimension: format.batch as i64,
        input_feature_dimension: format.feature as i64,
        input_spatial_dimensions: spatial.clone(),
        kernel_input_feature_dimension: n as i64,
        kernel_output_feature_dimension: n as i64 + 1,
        kernel_spatial_dimensions: (0..n as i64).collect(),
        output_batch_dimension: format.batch as i64,
        output_feature_dimension: format.feature as i64,
        output_spatial_dimensions: spatial,
        feature_group_count: 1,
        batch_group_count: 1,
        precision: Vec::new(),
    }
}

/// A convolution, accumulated in the wider type for halves.
pub(super) fn convolve(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    kernel: ValueId,
    conv: Convolution,
) -> Result<ValueId> {
    let dtype = c.dtype(x)?;
    let y = c.convolution(x, kernel, conv, accumulator(dtype))?;
    c.convert(y, dtype)
}

fn forward(c: &mut OpCtx<'_, '_>, spatial: usize, depthwise: bool) -> Result<ValueId> {
    let (x, mut kernel) = (c.input(0)?, c.input(1)?);
    let format = Format::of(c, spatial)?;
    let (shape, mut filter) = (c.shape(x)?, c.shape(kernel)?);
    for (what, s) in [("input", &shape), ("filter", &filter)] {
        if s.rank() != spatial + 2 {
            return Err(Error::invalid_argument(format!(
                "{what} must be {}-dimensional: {s}",
                spatial + 2
            )));
        }
    }
    let channels = shape[format.feature];
    let mut groups = channels.checked_div(filter[spatial]).unwrap_or(0);
    if depthwise {
        if filter[spatial] != channels {
            return Err(Error::invalid_argument(format!(
                "input and filter must have the same depth: {channels} vs {}",
                filter[spatial]
            )));
        }
        groups = channels;
        let multiplied = channels * filter[spatial + 1];
        filter = filter[..spatial].iter().copied().chain([1, multiplied]).collect();
        kernel = c.reshape(kernel, &filter)?;
    }
    if channels == 0 || filter[spatial] == 0 || !channels.is_multiple_of(filter[spatial]) {
        return Err(Error::invalid_argument(format!(
            "input depth must be evenly divisible by filter depth: {channels} vs {}",
            filter[spatial]
        )));
    }
    if !filter[spatial + 1].is_multiple_of(groups) {
        return Err(Error::invalid_argument(format!(
            "the number of filters {} must be a multiple of the {groups} groups",
            filter[spatial + 1]
        )));
    }
    let inputs: Vec<i64> = format.spatial.iter().map(|&d| shape[d] as i64).collect();
    let kernels: Vec<i64> = filter[..spatial].iter().map(|&d| d as i64).collect();
    let (strides, dilations) = (strides(c, &format)?, dilations(c, &format)?);
    let axes = axes(c, &format, &inputs, &kernels, &strides, &dilations)?;
    let mut result = shape.to_vec();
    result[format.feature] = filter[spatial + 1];
    for (a, &d) in axes.iter().zip(&format.spatial) {
        result[d] = a.output as usize;
    }
    let result: Shape = result.into();
    if result.elements() == 0 {
        let dtype = c.dtype(x)?;
        return c.full(dtype, &result, 0.0);
    }
    let mut conv = dimensions(&format, &axes);
    conv.feature_group_count = groups as i64;
    convolve(c, x, kernel, conv)
}

/// The gradient of a convolution by its input: the output spread by the stride, convolved with the
/// reversed kernel.
fn backprop_input(c: &mut OpCtx<'_, '_>, spatial: usize) -> Result<()> {
    let (sizes, kernel, dy) = (c.const_ints(0)?, c.input(1)?, c.input(2)?);
    let format = Format::of(c, spatial)?;
    let (filter, grad) = (c.shape(kernel)?, c.shape(dy)?);
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
    if shape.rank() != spatial + 2 || filter.rank() != spatial + 2 || grad.rank() != spatial + 2 {
        return Err(Error::invalid_argument(format!(
            "input_sizes, filter and out_backprop must have {} dimensions",
            spatial + 2
        )));
    }
    let channels = shape[format.feature];
    if filter[spatial] == 0 || !channels.is_multiple_of(filter[spatial]) || channels == 0 {
        return Err(Error::invalid_argument(format!(
            "input depth must be evenly divisible by filter depth: {channels} vs {}",
            filter[spatial]
        )));
    }
    let groups = channels / filter[spatial];
    if filter[spatial + 1] != grad[format.feature] || !filter[spatial + 1].is_multiple_of(groups) {
        return Err(Error::invalid_argument(format!(
            "filter {filter} and out_backprop {grad} must have the same out_depth"
        )));
    }
    let inputs: Vec<i64> = format.spatial.iter().map(|&d| shape[d] as i64).collect();
    let kernels: Vec<i64> = filter[..spatial].iter().map(|&d| d as i64).collect();
    let (strides, dilations) = (strides(c, &format)?, dilations(c, &format)?);
    let axes = axes(c, &format, &inputs, &kernels, &strides, &dilations)?;
    for (a, &d) in axes.iter().zip(&format.spatial) {
        if a.output != grad[d] as i64 {
            return Err(Error::invalid_argument(format!(
                "Size of out_backprop doesn't match computed: actual = {}, computed = {}",
                grad[d], a.output
            )));
        }
    }
    if grad.elements() == 0 {
        let dtype = c.dtype(dy)?;
        let y = c.full(dtype, &shape, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let kernel = swap_features(c, kernel, spatial, groups)?;
    let axes: Vec<Axis> = axes.iter().map(transposed).collect();
    let mut conv = dimensions(&format, &axes);
    conv.lhs_dilation = strides;
    conv.window_strides = format.spatial.iter().map(|_| 1).collect();
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

/// What `fused_ops` says comes after: bias, activation, batch norm. `first` is the first extra
/// input.
pub(super) fn epilogue(c: &mut OpCtx<'_, '_>, y: ValueId, first: usize) -> Result<ValueId> {
    let ops: Vec<String> = c.node().attr_strs("fused_ops")?.iter().map(|s| s.to_string()).collect();
    let mut y = y;
    let mut next = first;
    for op in ops {
        y = match op.as_str() {
            "BiasAdd" | "Add" => {
                let bias = c.input(next)?;
                next += 1;
                let feature = match c.node().attr_str("data_format") {
                    Ok(text) if text.starts_with("NC") && c.shape(y)?.rank() > 2 => 1,
                    _ => c.shape(y)?.rank() - 1,
                };
                bias_add(c, y, bias, feature)?
            }
            "Relu" => super::unary::relu(c, y)?,
            "Relu6" => {
                let positive = super::unary::relu(c, y)?;
                c.binary_scalar(Binary::Minimum, positive, 6.0)?
            }
            "Elu" => super::unary::elu(c, y)?,
            "Tanh" => c.unary(tfjit_hlo::Unary::Tanh, y)?,
            "Sigmoid" => c.unary(tfjit_hlo::Unary::Logistic, y)?,
            "LeakyRelu" => {
                let alpha = f64::from(c.node().attr_float("leakyrelu_alpha")?);
                super::unary::leaky(c, y, alpha)?
            }
            "Prelu" => {
                let alpha = c.input(next)?;
                next += 1;
                let shape = c.shape(y)?;
                let alpha = c.broadcast_to(alpha, &shape)?;
                let zero = c.full_like(y, 0.0)?;
                let positive = c.compare(tfjit_hlo::Direction::Gt, y, zero)?;
                let low = c.binary(Binary::Multiply, y, alpha)?;
                c.select(positive, y, low)?
            }
            other => {
                return Err(Error::unimplemented(format!("fused op {other} is not supported")));
            }
        };
    }
    Ok(y)
}

/// `x + bias` along the feature dimension.
pub(super) fn bias_add(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    bias: ValueId,
    feature: usize,
) -> Result<ValueId> {
    let (shape, bias_shape) = (c.shape(x)?, c.shape(bias)?);
    if bias_shape.rank() != 1 || shape.get(feature) != bias_shape.first() {
        return Err(Error::invalid_argument(format!(
            "Must provide as many biases as the last dimension of the input tensor: {bias_shape} \
             vs. {shape}"
        )));
    }
    let wide = c.broadcast_in_dim(bias, &shape, &[feature as i64])?;
    c.binary(Binary::Add, x, wide)
}

/// The type a half is computed in where a kernel of TensorFlow computes wider.
pub(super) fn widened(dtype: DType) -> DType {
    accumulator(dtype)
}
