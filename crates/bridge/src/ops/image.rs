//! Resizing of images `[batch, height, width, channels]`.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, ValueId};

use crate::OpCtx;
use crate::ctx::bounded_table;
use crate::ops::index::gather_axis;
use crate::row::{OpRow, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row_const("ResizeBilinear", &["size"], "linear interpolation, as floats", resize_bilinear),
    row_const("ResizeNearestNeighbor", &["size"], "the nearest pixel", resize_nearest),
];

/// How output positions map to input positions along one dimension.
pub(super) struct Scale {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) factor: f32,
    pub(super) half_pixel: bool,
    align: bool,
}

impl Scale {
    pub(super) fn of(c: &OpCtx<'_, '_>, input: usize, output: usize) -> Result<Scale> {
        let align = c.node().attr_bool("align_corners")?;
        // `ResizeArea` has no such attribute.
        let half_pixel = c.node().attr_bool("half_pixel_centers").unwrap_or(false);
        if align && half_pixel {
            return Err(Error::invalid_argument(
                "If half_pixel_centers is True, align_corners must be False.",
            ));
        }
        let factor = if align && output > 1 {
            (input - 1) as f32 / (output - 1) as f32
        } else {
            input as f32 / output as f32
        };
        Ok(Scale { input, output, factor, half_pixel, align })
    }

    /// Where output position `i` falls in the input.
    pub(super) fn place(&self, i: usize) -> f32 {
        if self.half_pixel { (i as f32 + 0.5) * self.factor - 0.5 } else { i as f32 * self.factor }
    }

    /// The two neighbours of each output position and how far it is from the first.
    pub(super) fn linear(&self) -> (Vec<i32>, Vec<i32>, Vec<f32>) {
        let last = self.input as i64 - 1;
        let mut found = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.output {
            let at = self.place(i);
            let floor = at.floor();
            found.0.push((floor as i64).clamp(0, last) as i32);
            found.1.push((at.ceil() as i64).clamp(0, last) as i32);
            found.2.push(at - floor);
        }
        found
    }

    /// The nearest input position of each output position.
    pub(super) fn nearest(&self) -> Vec<i32> {
        let last = self.input as i64 - 1;
        (0..self.output)
            .map(|i| {
                let at = if self.half_pixel {
                    (i as f32 + 0.5) * self.factor
                } else {
                    i as f32 * self.factor
                };
                let at = if self.align { at.round() } else { at.floor() };
                (at as i64).clamp(0, last) as i32
            })
            .collect()
    }
}

/// Input shape and new height and width.
pub(super) fn sizes(c: &mut OpCtx<'_, '_>) -> Result<(ValueId, Shape, [usize; 2])> {
    let (x, size) = (c.input(0)?, c.const_ints(1)?);
    let shape = c.shape(x)?;
    if shape.rank() != 4 {
        return Err(Error::invalid_argument(format!("input must be 4-dimensional {shape}")));
    }
    match size.as_slice() {
        [h, w] if *h > 0 && *w > 0 => {
            let new = Shape::from_i64(&[shape[0] as i64, *h, *w, shape[3] as i64])?;
            bounded_table(&Shape::new(&[new[1], 1]))?;
            bounded_table(&Shape::new(&[new[2], 1]))?;
            if shape[1] == 0 || shape[2] == 0 {
                return Err(Error::invalid_argument("input image must be of non-zero size"));
            }
            Ok((x, shape, [new[1], new[2]]))
        }
        _ => Err(Error::invalid_argument("output dimensions must be positive")),
    }
}

fn pick(c: &mut OpCtx<'_, '_>, x: ValueId, axis: usize, at: &[i32]) -> Result<ValueId> {
    let indices = c.constant(Tensor::from_slice(Shape::new(&[at.len()]), at)?)?;
    gather_axis(c, x, indices, axis, 0)
}

fn resize_bilinear(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, shape, size) = sizes(c)?;
    let mut y = c.convert(x, DType::F32)?;
    for (axis, new) in [(2, size[1]), (1, size[0])] {
        if shape[axis] == new {
            continue;
        }
        let (low, high, weight) = Scale::of(c, shape[axis], new)?.linear();
        let (a, b) = (pick(c, y, axis, &low)?, pick(c, y, axis, &high)?);
        let full = c.shape(a)?;
        let weight = c.constant(Tensor::from_slice(Shape::new(&[new]), &weight)?)?;
        let weight = c.broadcast_in_dim(weight, &full, &[axis as i64])?;
        let step = c.binary(Binary::Subtract, b, a)?;
        let part = c.binary(Binary::Multiply, step, weight)?;
        y = c.binary(Binary::Add, a, part)?;
    }
    c.set(0, y);
    Ok(())
}

fn resize_nearest(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, shape, size) = sizes(c)?;
    let mut y = x;
    for (axis, new) in [(1, size[0]), (2, size[1])] {
        let at = Scale::of(c, shape[axis], new)?.nearest();
        y = pick(c, y, axis, &at)?;
    }
    c.set(0, y);
    Ok(())
}
