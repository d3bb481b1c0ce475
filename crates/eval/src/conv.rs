//! `convolution` and `dynamic_conv`.
//!
//! Operands are brought into the order (batch, spatial…, feature) and (spatial…, input feature,
//! output feature) in the type of the sum. Then output positions are taken in blocks: the inputs
//! each of them sees are copied into a row of a patch matrix, and the block is one matrix product
//! with the kernel. Positions that see the same kernel elements between the holes of a dilated
//! input form a [`Phase`], so that holes are never multiplied. A convolution with one input channel
//! a group (depthwise) walks kernel elements directly, vectorised over channels.

use std::borrow::Cow;

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{Convolution, TensorType};

use crate::accum::{Accum, AccumType, Buffer, by_accum, load, store};
use crate::axis::{Axis, Phase, WindowLists};
use crate::gemm::{Edges, Packed};
use crate::permute::{expect_shape, inverse, permute_into, permuted, positions, product, select};
use crate::typed::{advance, raw};

/// Elements of a block of patches: what the second-level cache holds beside the kernel's panels.
const PATCH_ELEMENTS: usize = 1 << 16;

/// `convolution(lhs, rhs)` with the padding of the attributes.
///
/// # Errors
/// INVALID_ARGUMENT when dimension numbers, groups or extents do not fit.
pub(crate) fn convolution(
    lhs: &Tensor,
    rhs: &Tensor,
    conv: &Convolution,
    out: &TensorType,
) -> Result<Tensor> {
    let plan = Plan::new(lhs.shape(), rhs.shape(), conv)?;
    let shape = out.shape()?;
    expect_shape("convolution", &plan.declared_result(), &shape)?;
    let accum = AccumType::of(&[lhs.dtype(), rhs.dtype(), out.dtype])?;
    by_accum!(accum, T => {
        let (lhs, rhs) = (load::<T>(lhs)?, load::<T>(rhs)?);
        let image = permuted(raw::<T>(&lhs)?, lhs.shape(), &plan.lhs_order);
        let kernel = permuted(raw::<T>(&rhs)?, rhs.shape(), &plan.rhs_order);
        let result = Run { plan: &plan, image, kernel }.result()?;
        let order = inverse(&plan.out_order);
        if order.is_sorted() {
            return store(out.dtype, &shape, result);
        }
        let mut moved = Buffer::zeroed(result.len())?;
        permute_into(&result, &plan.result(), &order, &mut moved);
        store(out.dtype, &shape, moved)
    })
}

/// `dynamic_conv(lhs, rhs, padding)`: `padding` has a row (low, high) for each spatial dimension.
///
/// # Errors
/// As [`convolution`].
pub(crate) fn dynamic_conv(
    lhs: &Tensor,
    rhs: &Tensor,
    padding: &Tensor,
    conv: &Convolution,
    out: &TensorType,
) -> Result<Tensor> {
    if padding.shape().dims() != [conv.input_spatial_dimensions.len(), 2] {
        return Err(Error::invalid_argument(format!(
            "the padding of dynamic_conv has shape {}, not one pair a spatial dimension",
            padding.shape()
        )));
    }
    let pairs = padding.to_i64s()?;
    let padding = pairs.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    convolution(lhs, rhs, &Convolution { padding, ..conv.clone() }, out)
}

/// Extents and orders, all checked.
struct Plan {
    axes: Vec<Axis>,
    /// Order of the dimensions of `lhs`, `rhs` and the result in the inner form.
    lhs_order: Vec<usize>,
    rhs_order: Vec<usize>,
    out_order: Vec<usize>,
    /// Batch of the result.
    batch: usize,
    /// Features of `lhs`.
    features: usize,
    /// Input features a group sees.
    group_in: usize,
    /// Output features of a group.
    group_out: usize,
    feature_groups: usize,
    batch_groups: usize,
}

impl Plan {
    fn new(lhs: &[usize], rhs: &[usize], conv: &Convolution) -> Result<Plan> {
        let rank = lhs.len();
        let order = |what: &str, first: &[i64], spatial: &[i64], last: &[i64]| {
            let all = [first, spatial, last].concat();
            if all.len() != rank || rhs.len() != rank {
                return Err(Error::invalid_argument(format!(
                    "a convolution has {} {what} dimension numbers for operands of rank {rank} \
                     and {}",
                    all.len(),
                    rhs.len()
                )));
            }
            positions(what, &all, rank)
        };
        let lhs_order = order(
            "input",
            &[conv.input_batch_dimension],
            &conv.input_spatial_dimensions,
            &[conv.input_feature_dimension],
        )?;
        let rhs_order = order(
            "kernel",
            &[],
            &conv.kernel_spatial_dimensions,
            &[conv.kernel_input_feature_dimension, conv.kernel_output_feature_dimension],
        )?;
        let out_order = order(
            "output",
            &[conv.output_batch_dimension],
            &conv.output_spatial_dimensions,
            &[conv.output_feature_dimension],
        )?;
        let (input, kernel) = (select(lhs, &lhs_order), select(rhs, &rhs_order));
        let spatial = rank - 2;
        let lists = WindowLists {
            strides: &conv.window_strides,
            padding: &conv.padding,
            input_dilations: &conv.lhs_dilation,
            kernel_dilations: &conv.rhs_dilation,
            reversal: &conv.window_reversal,
        };
        let axes = Axis::all(&input[1..=spatial], &kernel[..spatial], lists)?;
        let (feature_groups, batch_groups) =
            groups(conv, input[0], input[rank - 1], kernel[spatial], kernel[spatial + 1])?;
        Ok(Plan {
            axes,
            lhs_order,
            rhs_order,
            out_order,
            batch: input[0] / batch_groups,
            features: input[rank - 1],
            group_in: kernel[spatial],
            group_out: kernel[spatial + 1] / (feature_groups * batch_groups),
            feature_groups,
            batch_groups,
        })
    }

    fn groups(&self) -> usize {
        self.feature_groups * self.batch_groups
    }

    /// Extents of the result in the inner order.
    fn result(&self) -> Vec<usize> {
        let mut result = vec![self.batch];
        result.extend(self.axes.iter().map(|a| a.output));
        result.push(self.groups() * self.group_out);
        result
    }

    /// Extents of the result in its own order.
    fn declared_result(&self) -> Vec<usize> {
        let mut declared = vec![0; self.out_order.len()];
        for (&position, extent) in self.out_order.iter().zip(self.result()) {
            declared[position] = extent;
        }
        declared
    }
}

/// The checked feature and batch group counts.
fn groups(
    conv: &Convolution,
    batch: usize,
    features: usize,
    kernel_in: usize,
    kernel_out: usize,
) -> Result<(usize, usize)> {
    let count = |n: i64| usize::try_from(n).ok().filter(|&n| n > 0);
    let (Some(by_feature), Some(by_batch)) =
        (count(conv.feature_group_count), count(conv.batch_group_count))
    else {
        return Err(Error::invalid_argument("the group counts of a convolution are below 1"));
    };
    if by_feature > 1 && by_batch > 1 {
        return Err(Error::invalid_argument(
            "a convolution has groups of features or groups of batches, not both",
        ));
    }
    if Some(features) != kernel_in.checked_mul(by_feature)
        || !batch.is_multiple_of(by_batch)
        || !kernel_out.is_multiple_of(by_feature)
        || !kernel_out.is_multiple_of(by_batch)
    {
        return Err(Error::invalid_argument(format!(
            "{by_feature} feature groups and {by_batch} batch groups do not fit an input of batch \
             {batch} and {features} features and a kernel of {kernel_in} input and {kernel_out} \
             output features"
        )));
    }
    Ok((by_feature, by_batch))
}

/// A convolution on operands in inner order.
struct Run<'a, T: Accum> {
    plan: &'a Plan,
    image: Cow<'a, [T]>,
    kernel: Cow<'a, [T]>,
}

impl<T: Accum> Run<'_, T> {
    fn result(&self) -> Result<Buffer<T>> {
        let plan = self.plan;
        let mut result = Buffer::zeroed(product(&plan.result()))?;
        if result.is_empty() || self.image.is_empty() || self.kernel.is_empty() {
            return Ok(result);
        }
        if plan.group_in == 1 && plan.feature_groups > 1 {
            self.depthwise(&mut result);
            return Ok(result);
        }
        let phases: Vec<Vec<Phase>> = plan.axes.iter().map(Axis::phases).collect();
        let counts: Vec<usize> = phases.iter().map(Vec::len).collect();
        let mut index = vec![0; phases.len()];
        loop {
            let phase: Vec<&Phase> = phases.iter().zip(&index).map(|(p, &i)| &p[i]).collect();
            if phase.iter().all(|p| !p.taps.is_empty()) {
                for group in 0..plan.groups() {
                    self.group(&phase, group, &mut result)?;
                }
            }
            if !advance(&mut index, &counts) {
                return Ok(result);
            }
        }
    }

    /// The kernel elements that a phase uses, for one group, as a matrix.
    fn pack(&self, phase: &[&Phase], group: usize) -> Result<Packed<T>> {
        let plan = self.plan;
        let (channels, width) = (plan.group_in, plan.group_out);
        let row_width = plan.groups() * width;
        let counts: Vec<usize> = phase.iter().map(|p| p.taps.len()).collect();
        let mut packed = Packed::zeroed(product(&counts) * channels, width)?;
        let mut index = vec![0; counts.len()];
        let mut row = 0;
        loop {
            let element =
                plan.axes.iter().zip(phase).zip(&index).fold(0, |at, ((axis, p), &i)| {
                    at * axis.kernel + axis.kernel_position(p.taps[i])
                });
            for channel in 0..channels {
                let start = (element * channels + channel) * row_width + group * width;
                packed.set_row(row, &self.kernel[start..][..width]);
                row += 1;
            }
            if !advance(&mut index, &counts) {
                return Ok(packed);
            }
        }
    }

    /// All outputs of one phase and one group.
    fn group(&self, phase: &[&Phase], group: usize, result: &mut [T]) -> Result<()> {
        let plan = self.plan;
        let packed = self.pack(phase, group)?;
        let taps: Vec<usize> = phase.iter().map(|p| p.taps.len()).collect();
        let (terms, width) = (product(&taps) * plan.group_in, plan.group_out);
        let rows_max = (PATCH_ELEMENTS / terms).clamp(4, 64);
        let mut patches = Buffer::<T>::zeroed(terms.saturating_mul(rows_max))?;
        let mut sums = Buffer::<T>::zeroed(width.saturating_mul(rows_max))?;
        let mut targets = Vec::with_capacity(rows_max);
        let mut counts = vec![plan.batch];
        counts.extend(phase.iter().map(|p| p.outputs));
        let edges = Edges::of(product(&counts));
        let mut done = 0;
        let mut index = vec![0; counts.len()];
        let mut at = vec![0; phase.len()];
        loop {
            let mut position = index[0];
            for (i, axis) in plan.axes.iter().enumerate() {
                at[i] = phase[i].output(index[i + 1]);
                position = position * axis.output + at[i];
            }
            let patch = &mut patches[targets.len() * terms..][..terms];
            self.view(phase, group, index[0]).fill(0, 0, &at, patch);
            targets.push((position * plan.groups() + group) * width);
            let more = advance(&mut index, &counts);
            if targets.len() == rows_max || !more {
                let sums = &mut sums[..targets.len() * width];
                sums.fill(T::zeroed());
                packed.multiply(&patches[..targets.len() * terms], sums, &edges.after(done));
                done += targets.len();
                for (start, row) in targets.drain(..).zip(sums.chunks_exact(width)) {
                    result[start..][..width].copy_from_slice(row);
                }
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// What `group` sees of the input for batch `batch` of the result.
    fn view<'v>(&'v self, phase: &'v [&'v Phase], group: usize, batch: usize) -> View<'v, T> {
        let plan = self.plan;
        let by_batch = plan.batch_groups > 1;
        let image = if by_batch { batch + group * plan.batch } else { batch };
        let len = self.image_len();
        View {
            axes: &plan.axes,
            phase,
            pixels: &self.image[image * len..][..len],
            features: plan.features,
            first_channel: if by_batch { 0 } else { group * plan.group_in },
        }
    }

    /// Elements of one batch of the input.
    fn image_len(&self) -> usize {
        self.plan.axes.iter().map(|a| a.input).product::<usize>() * self.plan.features
    }

    /// One input channel a group: each output position sums rows of channels.
    fn depthwise(&self, result: &mut [T]) {
        let plan = self.plan;
        let width = plan.feature_groups * plan.group_out;
        let outputs: Vec<usize> = plan.axes.iter().map(|a| a.output).collect();
        let mut rows = result.chunks_exact_mut(width);
        for pixels in self.image.chunks_exact(self.image_len()) {
            let mut index = vec![0; outputs.len()];
            loop {
                if let Some(row) = rows.next() {
                    self.depthwise_row(pixels, &index, 0, [0, 0], row);
                }
                if !advance(&mut index, &outputs) {
                    break;
                }
            }
        }
    }

    /// Adds to `row` what the output position `at` sees; `pixel` and `element` are the positions in
    /// the image and the kernel along the first `axis` axes.
    fn depthwise_row(
        &self,
        pixels: &[T],
        at: &[usize],
        axis: usize,
        [pixel, element]: [usize; 2],
        row: &mut [T],
    ) {
        let plan = self.plan;
        let Some(a) = plan.axes.get(axis) else {
            let pixel = &pixels[pixel * plan.features..][..plan.features];
            let weights = &self.kernel[element * row.len()..][..row.len()];
            return multiply_channels(pixel, weights, plan.group_out, row);
        };
        for k in 0..a.kernel {
            if let Some(i) = a.input_position(at[axis], k) {
                let next = [pixel * a.input + i, element * a.kernel + a.kernel_position(k)];
                self.depthwise_row(pixels, at, axis + 1, next, row);
            }
        }
    }
}

/// `row += pixel * weights`, each channel of `pixel` serving `multiplier` outputs.
fn multiply_channels<T: Accum>(pixel: &[T], weights: &[T], multiplier: usize, row: &mut [T]) {
    if multiplier == 1 {
        for ((sum, x), w) in row.iter_mut().zip(pixel).zip(weights) {
            *sum = sum.fused(*x, *w);
        }
        return;
    }
    let groups = row.chunks_exact_mut(multiplier).zip(weights.chunks_exact(multiplier));
    for ((sums, weights), x) in groups.zip(pixel) {
        for (sum, w) in sums.iter_mut().zip(weights) {
            *sum = sum.fused(*x, *w);
        }
    }
}

/// What a patch is copied from: one image, seen by one group in one phase.
struct View<'a, T> {
    axes: &'a [Axis],
    phase: &'a [&'a Phase],
    pixels: &'a [T],
    features: usize,
    first_channel: usize,
}

impl<T: Accum> View<'_, T> {
    /// Copies what the output position `at` sees to `patch`; `pixel` is the position in the image
    /// along the first `axis` axes.
    fn fill(&self, axis: usize, pixel: usize, at: &[usize], patch: &mut [T]) {
        let Some(a) = self.axes.get(axis) else {
            let start = pixel * self.features + self.first_channel;
            patch.copy_from_slice(&self.pixels[start..][..patch.len()]);
            return;
        };
        let taps = &self.phase[axis].taps;
        let part = patch.len() / taps.len();
        for (&k, part) in taps.iter().zip(patch.chunks_exact_mut(part)) {
            match a.input_position(at[axis], k) {
                Some(i) => self.fill(axis + 1, pixel * a.input + i, at, part),
                None => part.fill(T::zeroed()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{DType, Shape};

    /// The specification, literally, in `f64` for NHWC and HWIO without groups of batches.
    struct Naive<'a> {
        lhs: &'a [f64],
        rhs: &'a [f64],
        input: [usize; 4],
        kernel: [usize; 4],
        output: [usize; 4],
    }

    impl Naive<'_> {
        fn result(&self, conv: &Convolution) -> Vec<f64> {
            let ([_, h, w, c], [kh, kw, ci, o]) = (self.input, self.kernel);
            let groups = conv.feature_group_count as usize;
            let mut index = [0; 4];
            let mut out = Vec::new();
            loop {
                let [n, y, x, f] = index;
                let mut sum = 0.0;
                let mut tap = [0; 3];
                loop {
                    let place = |axis: usize, at: usize, k: usize| {
                        let i = at as i64 * conv.window_strides[axis]
                            + k as i64 * conv.rhs_dilation[axis]
                            - conv.padding[axis][0];
                        (i >= 0 && i % conv.lhs_dilation[axis] == 0)
                            .then_some((i / conv.lhs_dilation[axis]) as usize)
                    };
                    let flip = |axis: usize, k: usize, n: usize| {
                        if conv.window_reversal[axis] { n - 1 - k } else { k }
                    };
                    let [ky, kx, kc] = tap;
                    if let (Some(iy), Some(ix)) = (place(0, y, ky), place(1, x, kx))
                        && iy < h
                        && ix < w
                    {
                        let channel = f / (o / groups) * ci + kc;
                        let (ky, kx) = (flip(0, ky, kh), flip(1, kx, kw));
                        sum += self.lhs[((n * h + iy) * w + ix) * c + channel]
                            * self.rhs[((ky * kw + kx) * ci + kc) * o + f];
                    }
                    if !advance(&mut tap, &[kh, kw, ci]) {
                        break;
                    }
                }
                out.push(sum);
                if !advance(&mut index, &self.output) {
                    return out;
                }
            }
        }
    }

    fn nhwc(groups: i64) -> Convolution {
        Convolution {
            window_strides: [2, 1].into_iter().collect(),
            padding: vec![[1, 2], [-1, 3]],
            lhs_dilation: [1, 3].into_iter().collect(),
            rhs_dilation: [2, 1].into_iter().collect(),
            window_reversal: vec![false, true],
            input_batch_dimension: 0,
            input_feature_dimension: 3,
            input_spatial_dimensions: [1, 2].into_iter().collect(),
            kernel_input_feature_dimension: 2,
            kernel_output_feature_dimension: 3,
            kernel_spatial_dimensions: [0, 1].into_iter().collect(),
            output_batch_dimension: 0,
            output_feature_dimension: 3,
            output_spatial_dimensions: [1, 2].into_iter().collect(),
            feature_group_count: groups,
            batch_group_count: 1,
            precision: vec![],
        }
    }

    fn ramp(shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        let values: Vec<f64> = (0..n).map(|i| (i * 37 % 23) as f64 - 11.0).collect();
        Tensor::from_slice(Shape::new(shape), &values).unwrap()
    }

    #[test]
    fn groups_dilations_and_padding() {
        for (groups, features, kernel_in, kernel_out) in
            [(1, 4, 4, 9), (2, 4, 2, 20), (4, 4, 1, 4), (4, 4, 1, 12), (1, 3, 3, 2)]
        {
            let (input, kernel) = ([2, 7, 5, features], [3, 2, kernel_in, kernel_out]);
            let (lhs, rhs) = (ramp(&input), ramp(&kernel));
            let conv = nhwc(groups);
            let (h, w) = ((7 + 3 - 5) / 2 + 1, 13 + 2 - 2 + 1);
            let output = [2, h, w, kernel_out];
            let out = TensorType::of(DType::F64, &Shape::new(&output));
            let got = convolution(&lhs, &rhs, &conv, &out).unwrap().to_vec::<f64>().unwrap();
            let (l, r) = (lhs.to_vec::<f64>().unwrap(), rhs.to_vec::<f64>().unwrap());
            let naive = Naive { lhs: &l, rhs: &r, input, kernel, output };
            assert_eq!(got, naive.result(&conv), "{groups} groups");
        }
    }

    #[test]
    fn padding_may_be_an_operand() {
        let (lhs, rhs) = (ramp(&[1, 4, 4, 1]), ramp(&[2, 2, 1, 1]));
        let conv = Convolution { padding: vec![[1, 0], [0, 2]], ..nhwc(1) };
        let out = TensorType::new(DType::F64, &[1, 2, 11, 1]);
        let fixed = convolution(&lhs, &rhs, &conv, &out).unwrap();
        let padding = Tensor::from_slice(Shape::new(&[2, 2]), &[1i32, 0, 0, 2]).unwrap();
        let given = dynamic_conv(&lhs, &rhs, &padding, &nhwc(1), &out).unwrap();
        assert_eq!(fixed, given);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let (lhs, rhs) = (ramp(&[1, 4, 4, 4]), ramp(&[1, 1, 4, 4]));
        let out = TensorType::new(DType::F64, &[1, 2, 13, 4]);
        for groups in [0, -1, 2, 3] {
            assert!(convolution(&lhs, &rhs, &nhwc(groups), &out).is_err());
        }
        let mut conv = nhwc(1);
        conv.output_feature_dimension = 1;
        assert!(convolution(&lhs, &rhs, &conv, &out).is_err());
        let scalar = Tensor::scalar(1.0f64);
        assert!(convolution(&scalar, &scalar, &nhwc(1), &out).is_err());
    }
}
