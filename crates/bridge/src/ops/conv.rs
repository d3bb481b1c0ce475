//! Convolutions in any number of spatial dimensions, plain, depthwise, transposed and fused.

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Binary, Convolution, Dims, ValueId};

use crate::OpCtx;
use crate::ops::matmul::accumulator;
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("Conv", "convolution in any number of spatial dimensions", conv),
    row("Conv2D", "convolution of images", |c| plain(c, 2, false)),
    row("Conv3D", "convolution of volumes", |c| plain(c, 3, false)),
    row("DepthwiseConv2dNative", "a kernel of its own for each channel", |c| plain(c, 2, true)),
    row("_FusedConv2D", "convolution with fused bias and activation", |c| fused(c, 2, false)),
    row("_FusedConv3D", "convolution with fused bias and activation", |c| fused(c, 3, false)),
    row("_FusedDepthwiseConv2dNative", "a kernel a channel, fused bias and activation", |c| {
        fused(c, 2, true)
    }),
];

fn plain(c: &mut OpCtx<'_, '_>, spatial: usize, depthwise: bool) -> Result<()> {
    let x = c.input(0)?;
    let y = forward(c, x, spatial, depthwise)?;
    c.set(0, y);
    Ok(())
}

fn fused(c: &mut OpCtx<'_, '_>, spatial: usize, depthwise: bool) -> Result<()> {
    let x = c.input(0)?;
    let y = forward(c, x, spatial, depthwise)?;
    let y = epilogue(c, y, 2)?;
    c.set(0, y);
    Ok(())
}

/// `Conv`: the kernel says how many spatial dimensions there are, `batch_dims` how many leading
/// dimensions are batches.
fn conv(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, kernel) = (c.input(0)?, c.input(1)?);
    let (shape, filter) = (c.shape(x)?, c.shape(kernel)?);
    let batch = c.node().attr_int("batch_dims")?;
    let spatial = filter.rank().saturating_sub(2);
    let batch = usize::try_from(batch).ok().filter(|&b| shape.rank() == b + spatial + 1);
    let (Some(batch), 1..) = (batch, spatial) else {
        return Err(Error::invalid_argument(format!(
            "input {shape} must have batch_dims, spatial and channel dimensions for the filter \
             {filter}"
        )));
    };
    let count = Shape::new(&shape[..batch]).elements();
    let flat: Shape = [count].into_iter().chain(shape[batch..].iter().copied()).collect();
    let x = c.reshape(x, &flat)?;
    let y = forward(c, x, spatial, false)?;
    let own = c.shape(y)?;
    let full: Shape = shape[..batch].iter().chain(&own[1..]).copied().collect();
    let y = c.reshape(y, &full)?;
    c.set(0, y);
    Ok(())
}

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
            "NHWC" | "NDHWC" | "NWC" | "CHANNELS_LAST" => 1,
            "NCHW" | "NCDHW" | "NCW" | "CHANNELS_FIRST" => 2,
            other => {
                return Err(Error::unimplemented(format!("data_format {other} is not supported")));
            }
        };
        let feature = if first == 1 { spatial + 1 } else { 1 };
        Ok(Format { batch: 0, feature, spatial: (first..first + spatial).collect() })
    }

    /// All dimensions of a tensor of `rank` but the features.
    pub(super) fn others(&self, rank: usize) -> Vec<i64> {
        (0..rank).filter(|&d| d != self.feature).map(|d| d as i64).collect()
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
pub(super) fn dilations(c: &OpCtx<'_, '_>, format: &Format) -> Result<Dims> {
    match c.node().attr_ints("dilations") {
        Ok(values) if !values.is_empty() => format.pick(values, "dilations"),
        _ => Ok(format.spatial.iter().map(|_| 1).collect()),
    }
}

pub(super) fn strides(c: &OpCtx<'_, '_>, format: &Format) -> Result<Dims> {
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

/// The convolution of `x` with the kernel that is input 1.
fn forward(c: &mut OpCtx<'_, '_>, x: ValueId, spatial: usize, depthwise: bool) -> Result<ValueId> {
    let mut kernel = c.input(1)?;
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
                let feature = feature_of(c, y)?;
                bias_add(c, y, bias, feature)?
            }
            "FusedBatchNorm" => {
                let y = normalised(c, y, next)?;
                next += 4;
                y
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

/// Which dimension of a convolution's (or a matrix product's) result holds the features.
fn feature_of(c: &OpCtx<'_, '_>, y: ValueId) -> Result<usize> {
    let rank = c.shape(y)?.rank();
    let first = c.node().attr_str("data_format").is_ok_and(|text| text.starts_with("NC"));
    Ok(if first && rank > 2 { 1 } else { rank.max(1) - 1 })
}

/// Batch normalisation with given statistics: inputs `first..first + 4` are scale, offset, mean
/// and variance.
fn normalised(c: &mut OpCtx<'_, '_>, y: ValueId, first: usize) -> Result<ValueId> {
    let [scale, offset, mean, variance] =
        [c.input(first)?, c.input(first + 1)?, c.input(first + 2)?, c.input(first + 3)?];
    let epsilon = f64::from(c.node().attr_float("epsilon")?);
    let shifted = c.binary_scalar(Binary::Add, variance, epsilon)?;
    let inverse = c.unary(tfjit_hlo::Unary::Rsqrt, shifted)?;
    let factor = c.binary(Binary::Multiply, inverse, scale)?;
    let (shape, feature) = (c.shape(y)?, feature_of(c, y)? as i64);
    let mut wide = [mean, factor, offset];
    for v in &mut wide {
        *v = c.broadcast_in_dim(*v, &shape, &[feature])?;
    }
    let centred = c.binary(Binary::Subtract, y, wide[0])?;
    let scaled = c.binary(Binary::Multiply, centred, wide[1])?;
    c.binary(Binary::Add, scaled, wide[2])
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
