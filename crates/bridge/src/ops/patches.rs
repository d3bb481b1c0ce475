//! Patches of images: all of a size, or boxes cut out and resized.

use tfjit_base::{Code, DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Dims, Direction, Gather, Unary, ValueId};

use crate::OpCtx;
use crate::ctx::bounded_table;
use crate::ops::conv::{Axis, Format, axes};
use crate::ops::index::gather_axis;
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row("ExtractImagePatches", "each window's pixels in the last dimension", |c| extract(c, 2)),
    row("ExtractVolumePatches", "each window's voxels in the last dimension", |c| extract(c, 3)),
    row_const("CropAndResize", &["crop_size"], "boxes of images, resized", crop_and_resize),
];

/// Windows over the spatial dimensions: result position `[batch, windows…]` holds the window's
/// elements in row-major order, channels last.
fn extract(c: &mut OpCtx<'_, '_>, spatial: usize) -> Result<()> {
    let x = c.input(0)?;
    let shape = c.shape(x)?;
    if shape.rank() != spatial + 2 {
        return Err(Error::invalid_argument(format!(
            "input must be {}-dimensional {shape}",
            spatial + 2
        )));
    }
    let format = Format { batch: 0, feature: spatial + 1, spatial: (1..=spatial).collect() };
    let list = |name: &str| format.pick(c.node().attr_ints(name)?, name);
    let (sizes, strides) = (list("ksizes")?, list("strides")?);
    let rates = if spatial == 2 { list("rates")? } else { sizes.iter().map(|_| 1).collect() };
    let extents: Vec<i64> = shape[1..=spatial].iter().map(|&d| d as i64).collect();
    let axes = axes(c, &format, &extents, &sizes, &strides, &rates)?;
    let outputs: Vec<usize> = axes.iter().map(|a| a.output as usize).collect();
    let window = axes
        .iter()
        .try_fold(shape[spatial + 1], |n, a| n.checked_mul(usize::try_from(a.kernel).ok()?));
    let window = window.ok_or_else(|| Error::invalid_argument("the patches are too large"))?;
    let result: Shape = [shape[0]].into_iter().chain(outputs).chain([window]).collect();
    let dtype = c.dtype(x)?;
    if result.elements() == 0 {
        let y = c.full(dtype, &result, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let mut y = padded(c, x, &axes)?;
    for (i, a) in axes.iter().enumerate() {
        let at = positions(a)?;
        let at = c.constant(at)?;
        // Axes before this one have become two.
        y = gather_axis(c, y, at, 2 * i + 1, 0)?;
    }
    let n = spatial as i64;
    let perm: Vec<i64> = [0]
        .into_iter()
        .chain((0..n).map(|i| 2 * i + 1))
        .chain((0..n).map(|i| 2 * i + 2))
        .chain([2 * n + 1])
        .collect();
    let y = c.transpose(y, &perm)?;
    let y = c.reshape(y, &result)?;
    c.set(0, y);
    Ok(())
}

fn padded(c: &mut OpCtx<'_, '_>, x: ValueId, axes: &[Axis]) -> Result<ValueId> {
    let dtype = c.dtype(x)?;
    let zero = c.scalar(dtype, 0.0)?;
    let edge = |side: fn(&Axis) -> i64| -> Vec<i64> {
        [0].into_iter().chain(axes.iter().map(side)).chain([0]).collect()
    };
    let (low, high) = (edge(|a| a.low), edge(|a| a.high));
    c.pad(x, zero, &low, &high, &vec![0; axes.len() + 2])
}

/// `[window, element]`: where in the padded dimension each window's elements are.
fn positions(a: &Axis) -> Result<Tensor> {
    let shape = Shape::from_i64(&[a.output, a.kernel])?;
    bounded_table(&shape)?;
    let at: Vec<i32> = (0..a.output)
        .flat_map(|o| (0..a.kernel).map(move |k| (o * a.stride + k * a.dilation) as i32))
        .collect();
    Tensor::from_slice(shape, &at)
}

/// Boxes `[y1, x1, y2, x2]` in units of the image's extent; positions outside the image give the
/// extrapolation value.
fn crop_and_resize(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (image, boxes, owner) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let size = c.const_ints(3)?;
    let (shape, box_shape) = (c.shape(image)?, c.shape(boxes)?);
    let [height, width] = size[..] else {
        return Err(Error::invalid_argument("crop_size must be of size 2"));
    };
    let count = c.shape(owner)?.elements();
    if shape.rank() != 4 || box_shape.dims() != [count, 4] || height <= 0 || width <= 0 {
        return Err(Error::invalid_argument(format!(
            "image {shape} must be 4-D, boxes {box_shape} [num_boxes, 4], and crop_size positive"
        )));
    }
    let crop = Shape::from_i64(&[count as i64, height, width, shape[3] as i64])?;
    if shape[1] == 0 || shape[2] == 0 {
        return Err(Error::invalid_argument("image dimensions must be positive"));
    }
    if crop.elements() == 0 {
        let y = c.full(DType::F32, &crop, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let finite = c.unary(Unary::IsFinite, boxes)?;
    let wild = c.unary(Unary::Not, finite)?;
    let message = "Boxes contains at least one element that is not finite";
    c.check(wild, Code::InvalidArgument, message)?;
    let (zero, batches) = (c.full_like(owner, 0.0)?, c.full_like(owner, shape[0] as f64)?);
    let below = c.compare(Direction::Lt, owner, zero)?;
    let above = c.compare(Direction::Ge, owner, batches)?;
    let outside = c.binary(Binary::Or, below, above)?;
    c.check(outside, Code::OutOfRange, "box_index has values outside [0, batch_size)")?;
    let rows = Line::of(c, boxes, 0, crop[1], shape[1])?;
    let columns = Line::of(c, boxes, 1, crop[2], shape[2])?;
    let cut = Cut { image, owner, crop, rows, columns };
    let y = match c.node().attr_str("method")? {
        "bilinear" => cut.bilinear(c)?,
        "nearest" => cut.nearest(c)?,
        other => return Err(Error::invalid_argument(format!("method {other} is unknown"))),
    };
    let y = cut.extrapolated(c, y)?;
    c.set(0, y);
    Ok(())
}

/// Where the pixels of a crop fall along one dimension: `[box, pixel]`, in `f32`.
struct Line {
    at: ValueId,
    extent: usize,
    /// The crop's dimension.
    dim: i64,
}

impl Line {
    fn of(
        c: &mut OpCtx<'_, '_>,
        boxes: ValueId,
        column: i64,
        pixels: usize,
        extent: usize,
    ) -> Result<Line> {
        let count = c.shape(boxes)?[0];
        let plane = Shape::new(&[count, pixels]);
        let mut edge = |column: i64| -> Result<ValueId> {
            let part = c.slice(boxes, &[0, column], &[count as i64, column + 1], &[1, 1])?;
            c.reshape(part, &Shape::new(&[count]))
        };
        let (first, second) = (edge(column)?, edge(column + 2)?);
        let last = (extent - 1) as f64;
        let at = if pixels > 1 {
            let span = c.binary(Binary::Subtract, second, first)?;
            let span = c.binary_scalar(Binary::Multiply, span, last)?;
            let step = c.binary_scalar(Binary::Divide, span, (pixels - 1) as f64)?;
            let step = c.broadcast_in_dim(step, &plane, &[0])?;
            let start = c.binary_scalar(Binary::Multiply, first, last)?;
            let start = c.broadcast_in_dim(start, &plane, &[0])?;
            let numbers = c.iota(DType::F32, &plane, 1)?;
            let offset = c.binary(Binary::Multiply, numbers, step)?;
            c.binary(Binary::Add, start, offset)?
        } else {
            let sum = c.binary(Binary::Add, first, second)?;
            let half = c.binary_scalar(Binary::Multiply, sum, 0.5)?;
            let middle = c.binary_scalar(Binary::Multiply, half, last)?;
            c.broadcast_in_dim(middle, &plane, &[0])?
        };
        Ok(Line { at, extent, dim: column + 1 })
    }

    fn inside(&self, c: &mut OpCtx<'_, '_>) -> Result<ValueId> {
        let (zero, last) =
            (c.full_like(self.at, 0.0)?, c.full_like(self.at, (self.extent - 1) as f64)?);
        let from = c.compare(Direction::Ge, self.at, zero)?;
        let to = c.compare(Direction::Le, self.at, last)?;
        c.binary(Binary::And, from, to)
    }

    /// The positions rounded by `op`, as indices that lie in the image.
    fn rounded(&self, c: &mut OpCtx<'_, '_>, op: Unary) -> Result<ValueId> {
        let whole = c.unary(op, self.at)?;
        let at = c.convert(whole, DType::I32)?;
        let zero = c.constant(Tensor::scalar(0i32))?;
        let last = c.constant(Tensor::scalar((self.extent - 1) as i32))?;
        c.clamp(zero, at, last)
    }

    /// How far each position is past the pixel below it.
    fn fraction(&self, c: &mut OpCtx<'_, '_>) -> Result<ValueId> {
        let floor = c.unary(Unary::Floor, self.at)?;
        c.binary(Binary::Subtract, self.at, floor)
    }
}

struct Cut {
    image: ValueId,
    owner: ValueId,
    crop: Shape,
    rows: Line,
    columns: Line,
}

impl Cut {
    /// Pixels `image[owner, rows, columns, :]`.
    fn pixels(&self, c: &mut OpCtx<'_, '_>, rows: ValueId, columns: ValueId) -> Result<ValueId> {
        let shape = c.shape(self.image)?;
        let grid = Shape::new(&[self.crop[0], self.crop[1], self.crop[2], 1]);
        let parts = [
            c.broadcast_in_dim(self.owner, &grid, &[0])?,
            c.broadcast_in_dim(rows, &grid, &[0, 1])?,
            c.broadcast_in_dim(columns, &grid, &[0, 2])?,
        ];
        let indices = c.concatenate(&parts, 3)?;
        let gather = Gather {
            offset_dims: Dims::from_slice(&[3]),
            collapsed_slice_dims: Dims::from_slice(&[0, 1, 2]),
            start_index_map: Dims::from_slice(&[0, 1, 2]),
            index_vector_dim: 3,
            slice_sizes: Dims::from_slice(&[1, 1, 1, shape[3] as i64]),
            ..Gather::default()
        };
        let found = c.gather(self.image, indices, gather)?;
        c.convert(found, DType::F32)
    }

    fn nearest(&self, c: &mut OpCtx<'_, '_>) -> Result<ValueId> {
        let rows = self.rows.rounded(c, Unary::RoundNearestAfz)?;
        let columns = self.columns.rounded(c, Unary::RoundNearestAfz)?;
        self.pixels(c, rows, columns)
    }

    /// `a + (b - a) * t`, where `t` belongs to one dimension of the crop.
    fn blend(
        &self,
        c: &mut OpCtx<'_, '_>,
        a: ValueId,
        b: ValueId,
        t: ValueId,
        dim: i64,
    ) -> Result<ValueId> {
        let t = c.broadcast_in_dim(t, &self.crop, &[0, dim])?;
        let step = c.binary(Binary::Subtract, b, a)?;
        let part = c.binary(Binary::Multiply, step, t)?;
        c.binary(Binary::Add, a, part)
    }

    fn bilinear(&self, c: &mut OpCtx<'_, '_>) -> Result<ValueId> {
        let mut lines = Vec::with_capacity(2);
        let right = self.columns.fraction(c)?;
        for op in [Unary::Floor, Unary::Ceil] {
            let rows = self.rows.rounded(c, op)?;
            let first = self.columns.rounded(c, Unary::Floor)?;
            let second = self.columns.rounded(c, Unary::Ceil)?;
            let (a, b) = (self.pixels(c, rows, first)?, self.pixels(c, rows, second)?);
            lines.push(self.blend(c, a, b, right, self.columns.dim)?);
        }
        let down = self.rows.fraction(c)?;
        self.blend(c, lines[0], lines[1], down, self.rows.dim)
    }

    fn extrapolated(&self, c: &mut OpCtx<'_, '_>, y: ValueId) -> Result<ValueId> {
        let (rows, columns) = (self.rows.inside(c)?, self.columns.inside(c)?);
        let rows = c.broadcast_in_dim(rows, &self.crop, &[0, self.rows.dim])?;
        let columns = c.broadcast_in_dim(columns, &self.crop, &[0, self.columns.dim])?;
        let inside = c.binary(Binary::And, rows, columns)?;
        let value = f64::from(c.node().attr_float("extrapolation_value")?);
        let outside = c.full_like(y, value)?;
        c.select(inside, y, outside)
    }
}
