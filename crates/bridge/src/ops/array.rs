//! Ops that make shapes, and move elements without looking at their values.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::ValueId;

use crate::ctx::{broadcast_shapes, int_tensor};
use crate::row::{OpRow, row, row_const};
use crate::{OpCtx, TfValue};

pub(super) const ROWS: &[OpRow] = &[
    row("Shape", "the shape", shapes),
    row("ShapeN", "the shapes", shapes),
    row("Rank", "number of dimensions", |c| {
        let x = c.input(0)?;
        let rank = c.shape(x)?.rank();
        let y = c.scalar(DType::I32, rank as f64)?;
        c.set(0, y);
        Ok(())
    }),
    row("Size", "number of elements", |c| {
        let x = c.input(0)?;
        let (n, dtype) = (c.shape(x)?.elements() as i64, c.output_dtype(0)?);
        let y = c.constant(int_tensor(dtype, Shape::scalar(), &[n])?)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("Reshape", &["shape"], "the same elements with another shape", reshape),
    row_const("ExpandDims", &["dim"], "one more dimension of extent 1", expand_dims),
    row("Squeeze", "without dimensions of extent 1", squeeze),
    row_const("Transpose", &["perm"], "dimensions in another order", transpose),
    row_const("ConjugateTranspose", &["perm"], "conjugate, dimensions in another order", |c| {
        transpose(c)?;
        if let Some(TfValue::Tensor(v)) = c.outputs.first().cloned()
            && c.dtype(v)?.is_complex()
        {
            let y = c.unary(tfjit_hlo::Unary::Conj, v)?;
            c.set(0, y);
        }
        Ok(())
    }),
    row_const("ConcatV2", &["axis"], "joined along an axis", |c| {
        let n = c.input_count() - 1;
        concat(c, 0, n, n)
    }),
    row_const("Concat", &["concat_dim"], "joined along an axis", |c| {
        let n = c.input_count();
        concat(c, 1, n, 0)
    }),
    row("Pack", "stacked along a new axis", pack),
    row("Unpack", "split along an axis that disappears", unpack),
    row_const("Split", &["split_dim"], "equal parts along an axis", |c| {
        let (axis, x) = (c.const_int(0)?, c.input(1)?);
        let parts = c.node().attr_int("num_split")?;
        let axis = axis_of(axis, c.shape(x)?.rank())?;
        let extent = c.shape(x)?[axis] as i64;
        if parts <= 0 || extent % parts != 0 {
            return Err(Error::invalid_argument(format!(
                "Number of ways to split should evenly divide the split dimension, but got \
                 split_dim {axis} (size = {extent}) and num_split {parts}"
            )));
        }
        split(c, x, axis, &vec![extent / parts; parts as usize])
    }),
    row_const("SplitV", &["size_splits", "split_dim"], "parts of given extents", split_v),
    row_const("Fill", &["dims"], "one value in every position", |c| {
        let (dims, value) = (c.const_ints(0)?, c.input(1)?);
        let shape = Shape::from_i64(&dims)?;
        let y = c.broadcast_in_dim(value, &shape, &[])?;
        c.set(0, y);
        Ok(())
    }),
    row_const("Empty", &["shape"], "zeros", |c| {
        let (dims, dtype) = (c.const_ints(0)?, c.output_dtype(0)?);
        let y = c.full(dtype, &Shape::from_i64(&dims)?, 0.0)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("BroadcastTo", &["shape"], "repeated to a shape", |c| {
        let (x, dims) = (c.input(0)?, c.const_ints(1)?);
        let y = c.broadcast_to(x, &Shape::from_i64(&dims)?)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("BroadcastArgs", &["s0", "s1"], "common shape of two shapes", |c| {
        let (a, b) = (c.const_ints(0)?, c.const_ints(1)?);
        let shape = broadcast_shapes(&Shape::from_i64(&a)?, &Shape::from_i64(&b)?)?;
        let dtype = c.output_dtype(0)?;
        let y = c.int_vector(dtype, &shape.to_i64())?;
        c.set(0, y);
        Ok(())
    }),
    row_const("BroadcastGradientArgs", &["s0", "s1"], "dimensions to sum over", broadcast_grad),
    row_const("Tile", &["multiples"], "repeated along each dimension", tile),
    row_const("Pad", &["paddings"], "padded with zeros", |c| pad(c, None)),
    row_const("PadV2", &["paddings"], "padded with a value", |c| pad(c, Some(2))),
    row_const("MirrorPad", &["paddings"], "padded with its own reflection", mirror_pad),
    row_const("ReverseV2", &["axis"], "reversed along axes", |c| {
        let (x, axes) = (c.input(0)?, c.const_ints(1)?);
        let rank = c.shape(x)?.rank();
        let axes = axes_of(&axes, rank)?;
        let y = if axes.is_empty() { x } else { c.reverse(x, &axes)? };
        c.set(0, y);
        Ok(())
    }),
    row_const("Reverse", &["dims"], "reversed along flagged axes", |c| {
        let (x, flags) = (c.input(0)?, c.const_input(1)?.to_bools()?);
        let axes: Vec<i64> = (0..flags.len()).filter(|&i| flags[i]).map(|i| i as i64).collect();
        let y = if axes.is_empty() { x } else { c.reverse(x, &axes)? };
        c.set(0, y);
        Ok(())
    }),
    row_const("Range", &["start", "limit", "delta"], "an arithmetic sequence", range),
    row_const("LinSpace", &["num"], "evenly spaced values", lin_space),
    row_const("ConcatOffset", &["concat_dim", "shape"], "offsets of joined parts", |c| {
        let (axis, n) = (c.const_int(0)?, c.input_count() - 1);
        let dtype = c.output_dtype(0)?;
        let mut offset = 0;
        for i in 0..n {
            let dims = c.const_ints(i + 1)?;
            let axis = axis_of(axis, dims.len())?;
            let mut value = vec![0; dims.len()];
            value[axis] = offset;
            offset += dims[axis];
            let y = c.int_vector(dtype, &value)?;
            c.set(i, y);
        }
        Ok(())
    }),
];

/// `axis` counted from the end when negative.
pub(super) fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    let from_start = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(from_start).ok().filter(|&a| a < rank).ok_or_else(|| {
        Error::invalid_argument(format!(
            "axis {axis} is not in the range [-{rank}, {rank}) of a tensor of rank {rank}"
        ))
    })
}

/// Several axes, without duplicates, in ascending order.
pub(super) fn axes_of(axes: &[i64], rank: usize) -> Result<Vec<i64>> {
    let mut found = Vec::with_capacity(axes.len());
    for &axis in axes {
        found.push(axis_of(axis, rank)? as i64);
    }
    found.sort_unstable();
    if found.windows(2).any(|w| w[0] == w[1]) {
        return Err(Error::invalid_argument(format!("axes {axes:?} name a dimension twice")));
    }
    Ok(found)
}

fn shapes(c: &mut OpCtx<'_, '_>) -> Result<()> {
    for i in 0..c.input_count() {
        let x = c.input(i)?;
        let (dims, dtype) = (c.shape(x)?.to_i64(), c.output_dtype(i)?);
        let y = c.int_vector(dtype, &dims)?;
        c.set(i, y);
    }
    Ok(())
}

fn reshape(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, dims) = (c.input(0)?, c.const_ints(1)?);
    let shape = c.shape(x)?;
    let n = shape.elements() as i64;
    let free: Vec<usize> = (0..dims.len()).filter(|&i| dims[i] == -1).collect();
    let mut dims = dims;
    match free.as_slice() {
        [] => {}
        [i] => {
            let mut known = 1i64;
            for (j, &d) in dims.iter().enumerate() {
                if j != *i {
                    known = known
                        .checked_mul(d)
                        .ok_or_else(|| Error::invalid_argument("the shape's extents overflow"))?;
                }
            }
            if known <= 0 && !(known == 0 && n == 0) || known != 0 && n % known != 0 {
                return Err(Error::invalid_argument(format!(
                    "Input to reshape is a tensor with {n} values, but the requested shape \
                     requires a multiple of {known}"
                )));
            }
            if known == 0 {
                return Err(Error::invalid_argument(
                    "reshape cannot infer the missing input size for an empty tensor unless all \
                     specified input sizes are non-zero",
                ));
            }
            dims[*i] = n / known;
        }
        _ => {
            return Err(Error::invalid_argument(format!(
                "Only one input size may be -1, not both {} and {}",
                free[0], free[1]
            )));
        }
    }
    let to = Shape::from_i64(&dims)?;
    if to.elements() != shape.elements() {
        return Err(Error::invalid_argument(format!(
            "Input to reshape is a tensor with {n} values, but the requested shape has {}",
            to.elements()
        )));
    }
    let y = c.reshape(x, &to)?;
    c.set(0, y);
    Ok(())
}

fn expand_dims(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, axis) = (c.input(0)?, c.const_int(1)?);
    let mut dims = c.shape(x)?.to_vec();
    let axis = axis_of(axis, dims.len() + 1)?;
    dims.insert(axis, 1);
    let y = c.reshape(x, &dims.into())?;
    c.set(0, y);
    Ok(())
}

fn squeeze(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let shape = c.shape(x)?;
    let axes = c.node().attr_ints("squeeze_dims")?.to_vec();
    let axes = axes_of(&axes, shape.rank())?;
    for &axis in &axes {
        if shape[axis as usize] != 1 {
            return Err(Error::invalid_argument(format!(
                "Can not squeeze dim[{axis}], expected a dimension of 1, got {}",
                shape[axis as usize]
            )));
        }
    }
    let keep = |i: usize| match axes.as_slice() {
        [] => shape[i] != 1,
        axes => !axes.contains(&(i as i64)),
    };
    let dims: Shape = (0..shape.rank()).filter(|&i| keep(i)).map(|i| shape[i]).collect();
    let y = c.reshape(x, &dims)?;
    c.set(0, y);
    Ok(())
}

fn transpose(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, perm) = (c.input(0)?, c.const_ints(1)?);
    let rank = c.shape(x)?.rank();
    let sorted = axes_of(&perm, rank)?;
    if sorted.len() != rank {
        return Err(Error::invalid_argument(format!(
            "transpose expects a vector of size {rank}, but perm has size {}",
            perm.len()
        )));
    }
    let perm: Vec<i64> = perm.iter().map(|&p| if p < 0 { p + rank as i64 } else { p }).collect();
    let y = c.transpose(x, &perm)?;
    c.set(0, y);
    Ok(())
}

/// Joins inputs `first..end` along the axis that input `axis_input` holds.
fn concat(c: &mut OpCtx<'_, '_>, first: usize, end: usize, axis_input: usize) -> Result<()> {
    let axis = c.const_int(axis_input)?;
    let parts: Vec<ValueId> = (first..end).map(|i| c.input(i)).collect::<Result<_>>()?;
    let Some(&x) = parts.first() else {
        return Err(Error::invalid_argument("there is nothing to join"));
    };
    let axis = axis_of(axis, c.shape(x)?.rank())?;
    let y = if parts.len() == 1 { x } else { c.concatenate(&parts, axis)? };
    c.set(0, y);
    Ok(())
}

fn pack(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let parts = c.all_inputs()?;
    let axis = c.node().attr_int("axis")?;
    let Some(&x) = parts.first() else {
        return Err(Error::invalid_argument("there is nothing to stack"));
    };
    let shape = c.shape(x)?;
    let axis = axis_of(axis, shape.rank() + 1)?;
    let mut dims = shape.to_vec();
    dims.insert(axis, 1);
    let dims: Shape = dims.into();
    let mut raised = Vec::with_capacity(parts.len());
    for v in parts {
        if c.shape(v)? != shape {
            return Err(Error::invalid_argument(format!(
                "Shapes of all inputs must match: {shape} and {}",
                c.shape(v)?
            )));
        }
        raised.push(c.reshape(v, &dims)?);
    }
    let y = if raised.len() == 1 { raised[0] } else { c.concatenate(&raised, axis)? };
    c.set(0, y);
    Ok(())
}

fn unpack(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let shape = c.shape(x)?;
    let axis = axis_of(c.node().attr_int("axis")?, shape.rank())?;
    let count = c.node().attr_int("num")?;
    if shape[axis] as i64 != count {
        return Err(Error::invalid_argument(format!(
            "Input shape axis {axis} must equal {count}, got shape {shape}"
        )));
    }
    split(c, x, axis, &vec![1; count as usize])?;
    let rest: Shape = (0..shape.rank()).filter(|&i| i != axis).map(|i| shape[i]).collect();
    for i in 0..count as usize {
        if let TfValue::Tensor(v) = c.outputs[i] {
            let y = c.reshape(v, &rest)?;
            c.set(i, y);
        }
    }
    Ok(())
}

/// Outputs are slices of `x` along `axis` with the given extents.
fn split(c: &mut OpCtx<'_, '_>, x: ValueId, axis: usize, extents: &[i64]) -> Result<()> {
    let dims = c.shape(x)?.to_i64();
    let mut start = vec![0; dims.len()];
    let mut limit = dims.clone();
    let strides = vec![1; dims.len()];
    let mut at = 0;
    for (i, &extent) in extents.iter().enumerate() {
        (start[axis], limit[axis]) = (at, at + extent);
        at += extent;
        let y = if extent == dims[axis] { x } else { c.slice(x, &start, &limit, &strides)? };
        c.set(i, y);
    }
    Ok(())
}

fn split_v(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, mut sizes, axis) = (c.input(0)?, c.const_ints(1)?, c.const_int(2)?);
    let shape = c.shape(x)?;
    let axis = axis_of(axis, shape.rank())?;
    let extent = shape[axis] as i64;
    let bad = |sizes: &[i64]| {
        Error::invalid_argument(format!(
            "Determined shape must either match input shape along split_dim exactly if fully \
             specified, or be less than the size of the input along split_dim if not fully \
             specified. Got: {sizes:?} for extent {extent}"
        ))
    };
    let free: Vec<usize> = (0..sizes.len()).filter(|&i| sizes[i] == -1).collect();
    let known: i64 = sizes.iter().filter(|&&s| s != -1).sum();
    if sizes.iter().any(|&s| s < -1) || free.len() > 1 || known > extent {
        return Err(bad(&sizes));
    }
    match free.first() {
        Some(&i) => sizes[i] = extent - known,
        None if known != extent => return Err(bad(&sizes)),
        None => {}
    }
    split(c, x, axis, &sizes)
}

/// Dimensions over which each of two broadcast operands' gradients are summed.
fn broadcast_grad(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (a, b) = (c.const_ints(0)?, c.const_ints(1)?);
    let (a, b) = (Shape::from_i64(&a)?, Shape::from_i64(&b)?);
    let shape = broadcast_shapes(&a, &b)?;
    let dtype = c.output_dtype(0)?;
    for (i, (s, other)) in [(&a, &b), (&b, &a)].into_iter().enumerate() {
        let extent = |s: &Shape, d: usize| (d + s.rank()).checked_sub(shape.rank()).map(|j| s[j]);
        let dims: Vec<i64> = (0..shape.rank())
            .filter(|&d| match (extent(s, d), extent(other, d)) {
                (None, _) => true,
                // Where both are 1 TensorFlow reduces too; where both are missing nothing remains.
                (Some(1), o) => o.unwrap_or(1) != 1 || o.is_some(),
                _ => false,
            })
            .filter(|&d| s != other || extent(s, d).is_none())
            .map(|d| d as i64)
            .collect();
        let y = c.int_vector(dtype, &dims)?;
        c.set(i, y);
    }
    Ok(())
}

fn tile(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, multiples) = (c.input(0)?, c.const_ints(1)?);
    let shape = c.shape(x)?;
    if multiples.len() != shape.rank() {
        return Err(Error::invalid_argument(format!(
            "Expected multiples argument to be a vector of length {} but got length {}",
            shape.rank(),
            multiples.len()
        )));
    }
    let multiples = Shape::from_i64(&multiples)?;
    let wide: Shape = multiples.iter().zip(shape.iter()).flat_map(|(&m, &d)| [m, d]).collect();
    let dims: Vec<i64> = (0..shape.rank()).map(|i| 2 * i as i64 + 1).collect();
    let repeated = c.broadcast_in_dim(x, &wide, &dims)?;
    let result: Shape =
        multiples.iter().zip(shape.iter()).map(|(&m, &d)| m.saturating_mul(d)).collect();
    let y = c.reshape(repeated, &result)?;
    c.set(0, y);
    Ok(())
}

/// Rows of `(before, after)` from a constant `[rank, 2]` input.
pub(super) fn paddings(c: &mut OpCtx<'_, '_>, input: usize, rank: usize) -> Result<Vec<[i64; 2]>> {
    let values = c.const_ints(input)?;
    if values.len() != 2 * rank {
        return Err(Error::invalid_argument(format!(
            "paddings must be a matrix of {rank} rows and 2 columns, it has {} elements",
            values.len()
        )));
    }
    Ok(values.chunks_exact(2).map(|p| [p[0], p[1]]).collect())
}

fn pad(c: &mut OpCtx<'_, '_>, value: Option<usize>) -> Result<()> {
    let x = c.input(0)?;
    let rank = c.shape(x)?.rank();
    let pads = paddings(c, 1, rank)?;
    if let Some(bad) = pads.iter().find(|p| p[0] < 0 || p[1] < 0) {
        return Err(Error::invalid_argument(format!(
            "Paddings must be non-negative: {} {}",
            bad[0], bad[1]
        )));
    }
    let dtype = c.dtype(x)?;
    let value = match value {
        Some(i) => c.input(i)?,
        None => c.scalar(dtype, 0.0)?,
    };
    let (low, high): (Vec<i64>, Vec<i64>) = pads.iter().map(|p| (p[0], p[1])).unzip();
    let y = c.pad(x, value, &low, &high, &vec![0; rank])?;
    c.set(0, y);
    Ok(())
}

fn mirror_pad(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let rank = c.shape(x)?.rank();
    let pads = paddings(c, 1, rank)?;
    let skip = i64::from(c.node().attr_str("mode")? == "REFLECT");
    let mut y = x;
    for (d, [before, after]) in pads.into_iter().enumerate() {
        let dims = c.shape(y)?.to_i64();
        let extent = dims[d];
        if before < 0 || after < 0 || before.max(after) > extent - skip {
            return Err(Error::invalid_argument(format!(
                "paddings must be no greater than the dimension size: {before}, {after} greater \
                 than {extent}"
            )));
        }
        let mut piece = |from: i64, to: i64| -> Result<ValueId> {
            let (mut start, mut limit) = (vec![0; rank], dims.clone());
            (start[d], limit[d]) = (from, to);
            let part = c.slice(y, &start, &limit, &vec![1; rank])?;
            c.reverse(part, &[d as i64])
        };
        let front = if before > 0 { Some(piece(skip, skip + before)?) } else { None };
        let end = extent - skip;
        let back = if after > 0 { Some(piece(end - after, end)?) } else { None };
        let parts: Vec<ValueId> = front.into_iter().chain([y]).chain(back).collect();
        y = if parts.len() == 1 { y } else { c.concatenate(&parts, d)? };
    }
    c.set(0, y);
    Ok(())
}

fn range(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let dtype = c.output_dtype(0)?;
    let values: Vec<Tensor> = (0..3).map(|i| c.const_input(i)).collect::<Result<_>>()?;
    let scalar = |i: usize| -> Result<f64> {
        values[i]
            .to_f64s()?
            .first()
            .copied()
            .ok_or_else(|| Error::invalid_argument("start, limit and delta must be scalars"))
    };
    let (start, limit, delta) = (scalar(0)?, scalar(1)?, scalar(2)?);
    if delta == 0.0 {
        return Err(Error::invalid_argument("Requires delta != 0: 0"));
    }
    if (delta > 0.0 && start > limit) || (delta < 0.0 && start < limit) {
        return Err(Error::invalid_argument(format!(
            "Requires start {} limit when delta {} 0: {start}/{limit}",
            if delta > 0.0 { "<=" } else { ">=" },
            if delta > 0.0 { ">" } else { "<" }
        )));
    }
    let count = if dtype.is_int() {
        let int = |i: usize| -> Result<i128> { Ok(i128::from(values[i].to_i64s()?[0])) };
        let (s, l, d) = (int(0)?, int(1)?, int(2)?);
        ((l - s).unsigned_abs().div_ceil(d.unsigned_abs())) as f64
    } else {
        ((limit - start) / delta).abs().ceil()
    };
    let shape = Shape::from_i64(&[count as i64])?;
    let steps = c.iota(dtype, &shape, 0)?;
    let wide = |c: &mut OpCtx<'_, '_>, t: &Tensor| c.splat(t.reshaped(Shape::scalar())?, &shape);
    let (first, by) = (wide(c, &values[0])?, wide(c, &values[2])?);
    let scaled = c.binary(tfjit_hlo::Binary::Multiply, steps, by)?;
    let y = c.binary(tfjit_hlo::Binary::Add, first, scaled)?;
    c.set(0, y);
    Ok(())
}

/// `start + (stop - start) / (num - 1) * i`, ending exactly at `stop`.
fn lin_space(c: &mut OpCtx<'_, '_>) -> Result<()> {
    use tfjit_hlo::Binary::{Add, Divide, Multiply, Subtract};
    let (start, stop, num) = (c.input(0)?, c.input(1)?, c.const_int(2)?);
    if num <= 0 {
        return Err(Error::invalid_argument(format!("Requires num > 0: {num}")));
    }
    let dtype = c.dtype(start)?;
    let one = Shape::new(&[1]);
    let last = c.reshape(stop, &one)?;
    if num == 1 {
        let first = c.reshape(start, &one)?;
        c.set(0, first);
        return Ok(());
    }
    let shape = Shape::from_i64(&[num - 1])?;
    let steps = c.iota(dtype, &shape, 0)?;
    let span = c.binary(Subtract, stop, start)?;
    let parts = c.scalar(dtype, (num - 1) as f64)?;
    let step = c.binary(Divide, span, parts)?;
    let step = c.broadcast_to(step, &shape)?;
    let first = c.broadcast_to(start, &shape)?;
    let scaled = c.binary(Multiply, steps, step)?;
    let body = c.binary(Add, first, scaled)?;
    let y = c.concatenate(&[body, last], 0)?;
    c.set(0, y);
    Ok(())
}
