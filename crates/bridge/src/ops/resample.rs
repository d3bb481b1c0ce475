//! Resizing by weighted sums of pixels, and gradients of resizing.
//!
//! Height and width are resized one after the other. Which input positions an output position sums,
//! and with what weights, is known while compiling ([`Taps`]); a gradient sums the transpose.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, ValueId};

use crate::OpCtx;
use crate::ctx::bounded_table;
use crate::ops::image::{Scale, sizes};
use crate::ops::index::gather_axis;
use crate::ops::reduce::reduce_sum;
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row_const("ResizeArea", &["size"], "mean over the area a pixel covers", |c| resize(c, area)),
    row_const("ResizeBicubic", &["size"], "cubic interpolation, as floats", |c| resize(c, cubic)),
    row("ResizeBilinearGrad", "gradient of linear interpolation", |c| gradient(c, linear)),
    row("ResizeBicubicGrad", "gradient of cubic interpolation", |c| gradient(c, cubic)),
    row_const("ResizeNearestNeighborGrad", &["size"], "gradient of the nearest pixel", |c| {
        let (dy, size) = (c.input(0)?, c.const_ints(1)?);
        let [height, width] = size[..] else {
            return Err(Error::invalid_argument("size must be 1-dimensional with 2 elements"));
        };
        let to = Shape::from_i64(&[height, width])?;
        backwards(c, dy, [to[0], to[1]], nearest)
    }),
];

/// For each output position along one axis, what it sums.
struct Taps {
    /// Lists of (input position, weight), one an output position.
    lists: Vec<Vec<(i32, f32)>>,
}

impl Taps {
    /// For each of `inputs` input positions, the output positions that sum it.
    fn transposed(&self, inputs: usize) -> Taps {
        let mut lists = vec![Vec::new(); inputs];
        for (output, list) in self.lists.iter().enumerate() {
            for &(input, weight) in list {
                lists[input as usize].push((output as i32, weight));
            }
        }
        Taps { lists }
    }

    /// The sums along `axis` of `x`. Lists are filled up to one length with elements that are not
    /// used, so that a pixel that is infinite or NaN spoils only what sums it.
    fn apply(&self, c: &mut OpCtx<'_, '_>, x: ValueId, axis: usize) -> Result<ValueId> {
        let longest = self.lists.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let table = Shape::new(&[self.lists.len(), longest]);
        let cells = bounded_table(&table)?;
        let (mut at, mut weights, mut used) =
            (vec![0i32; cells], vec![0f32; cells], vec![false; cells]);
        for (list, row) in self.lists.iter().zip((0..cells).step_by(longest)) {
            for (&(position, weight), i) in list.iter().zip(row..) {
                (at[i], weights[i], used[i]) = (position, weight, true);
            }
        }
        let at = c.constant(Tensor::from_slice(table.clone(), &at)?)?;
        let taken = gather_axis(c, x, at, axis, 0)?;
        let full = c.shape(taken)?;
        let dtype = c.dtype(x)?;
        let dims = [axis as i64, axis as i64 + 1];
        let mut terms = taken;
        if weights.iter().zip(&used).any(|(&w, &u)| u && w != 1.0) {
            let weights = c.constant(Tensor::from_slice(table.clone(), &weights)?)?;
            let weights = c.convert(weights, dtype)?;
            let weights = c.broadcast_in_dim(weights, &full, &dims)?;
            terms = c.binary(Binary::Multiply, terms, weights)?;
        }
        if used.contains(&false) {
            let used = c.constant(Tensor::from_bools(table, &used)?)?;
            let used = c.broadcast_in_dim(used, &full, &dims)?;
            let zero = c.full_like(terms, 0.0)?;
            terms = c.select(used, terms, zero)?;
        }
        reduce_sum(c, terms, &[axis as i64 + 1])
    }
}

/// Every input position weighs as much as it is covered.
fn area(scale: &Scale) -> Taps {
    let last = scale.input as i64 - 1;
    let list = |i: usize| {
        let (from, to) = (i as f32 * scale.factor, (i + 1) as f32 * scale.factor);
        let mut list = Vec::new();
        for v in from.floor() as i64..to.ceil() as i64 {
            let (start, end) = (v as f32, (v + 1) as f32);
            let covered = match (start < from, end > to) {
                (true, true) => scale.factor,
                (true, false) => end - from,
                (false, true) => to - start,
                (false, false) => 1.0,
            };
            list.push((v.clamp(0, last) as i32, covered / scale.factor));
        }
        list
    };
    Taps { lists: (0..scale.output).map(list).collect() }
}

/// Two weights of the convolution kernel of Keys (1981) with parameter `a`, at a distance `x` below
/// 1 and at `x + 1`.
fn kernel(a: f64, x: f64) -> [f32; 2] {
    let near = ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    let y = x + 1.0;
    [near as f32, (((a * y - 5.0 * a) * y + 8.0 * a) * y - 4.0 * a) as f32]
}

/// The kernel is looked up in a table of so many steps.
const CUBIC_STEPS: f32 = 1024.0;

/// Four neighbours. With half-pixel centres `a` is -1/2 and what lies outside the image weighs
/// nothing; otherwise `a` is -3/4 and the image's edge is repeated.
fn cubic(scale: &Scale) -> Taps {
    let last = scale.input as i64 - 1;
    let list = |i: usize| {
        let at = scale.place(i);
        let floor = at.floor();
        let step = f64::from(((at - floor) * CUBIC_STEPS).round_ties_even() / CUBIC_STEPS);
        let a = if scale.half_pixel { -0.5 } else { -0.75 };
        let ([near, far], [near_right, far_right]) = (kernel(a, step), kernel(a, 1.0 - step));
        let mut list = Vec::new();
        for (offset, weight) in [(-1, far), (0, near), (1, near_right), (2, far_right)] {
            let position = floor as i64 + offset;
            let inside = (0..=last).contains(&position);
            let weight = if scale.half_pixel && !inside { 0.0 } else { weight };
            list.push((position.clamp(0, last) as i32, weight));
        }
        let sum: f32 = list.iter().map(|tap| tap.1).sum();
        if scale.half_pixel && sum.abs() >= 1000.0 * f32::MIN_POSITIVE {
            list.iter_mut().for_each(|tap| tap.1 *= 1.0 / sum);
        }
        list
    };
    Taps { lists: (0..scale.output).map(list).collect() }
}

fn linear(scale: &Scale) -> Taps {
    let (low, high, weight) = scale.linear();
    let list = |i: usize| vec![(low[i], 1.0 - weight[i]), (high[i], weight[i])];
    Taps { lists: (0..scale.output).map(list).collect() }
}

fn nearest(scale: &Scale) -> Taps {
    Taps { lists: scale.nearest().into_iter().map(|at| vec![(at, 1.0)]).collect() }
}

fn resize(c: &mut OpCtx<'_, '_>, taps: fn(&Scale) -> Taps) -> Result<()> {
    let (x, shape, size) = sizes(c)?;
    let mut y = c.convert(x, DType::F32)?;
    for (axis, new) in [(1, size[0]), (2, size[1])] {
        y = taps(&Scale::of(c, shape[axis], new)?).apply(c, y, axis)?;
    }
    c.set(0, y);
    Ok(())
}

/// The gradient by the image that is input 1.
fn gradient(c: &mut OpCtx<'_, '_>, taps: fn(&Scale) -> Taps) -> Result<()> {
    let (dy, image) = (c.input(0)?, c.input(1)?);
    let shape = c.shape(image)?;
    if shape.rank() != 4 {
        return Err(Error::invalid_argument(format!(
            "original_image must be 4-dimensional, not {shape}"
        )));
    }
    backwards(c, dy, [shape[1], shape[2]], taps)
}

/// Sums the gradients of all pixels that an image pixel went into.
fn backwards(
    c: &mut OpCtx<'_, '_>,
    dy: ValueId,
    image: [usize; 2],
    taps: fn(&Scale) -> Taps,
) -> Result<()> {
    let shape = c.shape(dy)?;
    if shape.rank() != 4 || shape[1..3].contains(&0) || image.contains(&0) {
        return Err(Error::invalid_argument(format!(
            "grads {shape} must be 4-dimensional, and image sizes {image:?} positive"
        )));
    }
    let mut dx = dy;
    for (axis, extent) in [(1, image[0]), (2, image[1])] {
        let scale = Scale::of(c, extent, shape[axis])?;
        dx = taps(&scale).transposed(extent).apply(c, dx, axis)?;
    }
    let dtype = c.output_dtype(0)?;
    let dx = c.convert(dx, dtype)?;
    c.set(0, dx);
    Ok(())
}
