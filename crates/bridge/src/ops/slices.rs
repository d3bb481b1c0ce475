//! Writing into strided slices, and gradients of slicing and of mirrored padding.

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, ValueId};

use crate::OpCtx;
use crate::ops::array::paddings;
use crate::ops::index::{StridedSpec, strided_spec};
use crate::row::{OpRow, row_const};

const SPEC: &[&str] = &["begin", "end", "strides"];

pub(super) const ROWS: &[OpRow] = &[
    row_const(
        "StridedSliceGrad",
        &["shape", "begin", "end", "strides"],
        "the gradient in the slice's place, zeros elsewhere",
        |c| {
            let (dims, dy) = (c.const_ints(0)?, c.input(4)?);
            let shape = Shape::from_i64(&dims)?;
            let spec = strided_spec(c, &shape, 1)?;
            if c.shape(dy)? != spec.result {
                return Err(Error::invalid_argument(format!(
                    "shape of dy was {} instead of {}",
                    c.shape(dy)?,
                    spec.result
                )));
            }
            let dx = spread(c, dy, &spec, &shape)?;
            c.set(0, dx);
            Ok(())
        },
    ),
    row_const("TensorStridedSliceUpdate", SPEC, "the input with a slice replaced", |c| {
        let (x, value) = (c.input(0)?, c.input(4)?);
        let y = replace(c, x, value)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("ResourceStridedSliceAssign", SPEC, "replaces a slice of the variable", |c| {
        let (k, value) = (c.variable(0)?, c.input(4)?);
        let x = c.read_variable(k)?;
        let y = replace(c, x, value)?;
        c.assign_variable(k, y)
    }),
    row_const("MirrorPadGrad", &["paddings"], "mirrored parts added to what they mirror", |c| {
        mirror_pad_grad(c)
    }),
];

/// `value` (shaped like the slice) in the slice's place, zeros elsewhere in `shape`.
fn spread(
    c: &mut OpCtx<'_, '_>,
    value: ValueId,
    spec: &StridedSpec,
    shape: &Shape,
) -> Result<ValueId> {
    let dense = c.reshape(value, &spec.dense)?;
    let (start, limit, strides, reversed) = spec.forward(shape);
    let dtype = c.dtype(value)?;
    let zero = c.scalar(dtype, 0.0)?;
    let high: Vec<i64> = shape.iter().zip(&limit).map(|(&d, l)| d as i64 - l).collect();
    let interior: Vec<i64> = strides.iter().map(|s| s - 1).collect();
    let wide = c.pad(dense, zero, &start, &high, &interior)?;
    if reversed.is_empty() { Ok(wide) } else { c.reverse(wide, &reversed) }
}

/// `x` with the slice that inputs 1 to 3 describe replaced by `value`, which is broadcast.
fn replace(c: &mut OpCtx<'_, '_>, x: ValueId, value: ValueId) -> Result<ValueId> {
    let shape = c.shape(x)?;
    let spec = strided_spec(c, &shape, 1)?;
    // Leading dimensions of extent 1 too many do not count.
    let mut own = c.shape(value)?;
    while own.rank() > spec.result.rank() && own[0] == 1 {
        own = Shape::new(&own[1..]);
    }
    let value = c.reshape(value, &own)?;
    let value = c.broadcast_to(value, &spec.result)?;
    if spec.result.elements() == 0 {
        return Ok(x);
    }
    let (start, _, strides, _) = spec.forward(&shape);
    if strides.iter().all(|&s| s == 1) && spec.is_forward() {
        let dense = c.reshape(value, &spec.dense)?;
        let mut starts = Vec::with_capacity(start.len());
        for s in start {
            starts.push(c.constant(Tensor::scalar(s))?);
        }
        return c.dynamic_update_slice(x, dense, &starts);
    }
    let wide = spread(c, value, &spec, &shape)?;
    let inside = c.splat(Tensor::scalar_bool(true), &spec.result)?;
    let inside = spread(c, inside, &spec, &shape)?;
    c.select(inside, wide, x)
}

/// Each padded part is turned back and added to the elements it mirrors, one dimension after the
/// other.
fn mirror_pad_grad(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let rank = c.shape(x)?.rank();
    let pads = paddings(c, 1, rank)?;
    let skip = i64::from(c.node().attr_str("mode")? == "REFLECT");
    let mut y = x;
    for (d, [before, after]) in pads.into_iter().enumerate() {
        let dims = c.shape(y)?.to_i64();
        let extent = dims[d].saturating_sub(before).saturating_sub(after);
        if before < 0 || after < 0 || extent < 0 || before.max(after) > extent - skip {
            return Err(Error::invalid_argument(format!(
                "paddings must be non-negative and no greater than the output dimension size: \
                 {before}, {after} and {extent}"
            )));
        }
        let part = |c: &mut OpCtx<'_, '_>, from: i64, to: i64| {
            let (mut start, mut limit) = (vec![0; rank], dims.clone());
            (start[d], limit[d]) = (from, to);
            c.slice(y, &start, &limit, &vec![1; rank])
        };
        let mut inner = part(c, before, before + extent)?;
        let ends = [(0, before, skip), (before + extent, after, extent - skip - after)];
        for (from, count, to) in ends {
            if count == 0 {
                continue;
            }
            let outer = part(c, from, from + count)?;
            let turned = c.reverse(outer, &[d as i64])?;
            let moved = along(c, turned, d, [to, extent - to - count])?;
            inner = c.binary(Binary::Add, inner, moved)?;
        }
        y = inner;
    }
    c.set(0, y);
    Ok(())
}

/// `x` with zeros before and after along dimension `d`.
fn along(c: &mut OpCtx<'_, '_>, x: ValueId, d: usize, edges: [i64; 2]) -> Result<ValueId> {
    let (dtype, rank) = (c.dtype(x)?, c.shape(x)?.rank());
    let zero = c.scalar(dtype, 0.0)?;
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    (low[d], high[d]) = (edges[0], edges[1]);
    c.pad(x, zero, &low, &high, &vec![0; rank])
}
