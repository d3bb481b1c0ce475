//! Ops that pick elements by position: slices, strided slices, gathers, one-hot, top-k.

use tfjit_base::{Code, DType, Error, Result, Shape};
use tfjit_hlo::{Binary, Dims, Direction, Gather, Op, Type, ValueId};

use crate::OpCtx;
use crate::ops::array::axis_of;
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row_const("Slice", &["size"], "a box at begin, of the given size", slice),
    row_const("StridedSlice", &["begin", "end", "strides"], "NumPy basic indexing", |c| {
        let x = c.input(0)?;
        let spec = strided_spec(c, &c.shape(x)?.clone(), 1)?;
        let y = strided_read(c, x, &spec)?;
        c.set(0, y);
        Ok(())
    }),
    row("Gather", "rows of the first axis; an index out of range is an error", |c| {
        let (x, i) = (c.input(0)?, c.input(1)?);
        let y = gather_axis(c, x, i, 0, 0)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("GatherV2", &["axis"], "rows of an axis; an index out of range is an error", |c| {
        let (x, i, axis) = (c.input(0)?, c.input(1)?, c.const_int(2)?);
        let axis = axis_of(axis, c.shape(x)?.rank())?;
        let rank = c.shape(i)?.rank() as i64;
        let batch = c.node().attr_int("batch_dims")?;
        let batch = if batch < 0 { batch + rank } else { batch };
        if batch < 0 || batch > rank.min(axis as i64) {
            return Err(Error::invalid_argument(format!(
                "batch_dims ({batch}) must be between 0 and both axis ({axis}) and the rank of \
                 the indices ({rank})"
            )));
        }
        let y = gather_axis(c, x, i, axis, batch as usize)?;
        c.set(0, y);
        Ok(())
    }),
    row("ResourceGather", "rows of a variable", |c| {
        let (k, i) = (c.variable(0)?, c.input(1)?);
        let batch = c.node().attr_int("batch_dims")?.max(0) as usize;
        let x = c.read_variable(k)?;
        let y = gather_axis(c, x, i, batch, batch)?;
        c.set(0, y);
        Ok(())
    }),
    row("GatherNd", "elements or slices at index vectors", |c| {
        let (x, i) = (c.input(0)?, c.input(1)?);
        let y = gather_nd(c, x, i)?;
        c.set(0, y);
        Ok(())
    }),
    row("ResourceGatherNd", "elements or slices of a variable at index vectors", |c| {
        let (k, i) = (c.variable(0)?, c.input(1)?);
        let x = c.read_variable(k)?;
        let y = gather_nd(c, x, i)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("OneHot", &["depth"], "on_value at the index, off_value elsewhere", one_hot),
    row("TopK", "the k largest of each row, ties by lower index", |c| {
        let k = c.node().attr_int("k")?;
        top_k(c, k)
    }),
    row_const("TopKV2", &["k"], "the k largest of each row, ties by lower index", |c| {
        let k = c.const_int(1)?;
        top_k(c, k)
    }),
];

fn slice(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, begin, size) = (c.input(0)?, c.input(1)?, c.const_ints(2)?);
    let dims = c.shape(x)?.to_i64();
    let rank = dims.len();
    let begins = c.shape(begin)?.elements();
    if size.len() != rank || begins != rank {
        return Err(Error::invalid_argument(format!(
            "Expected begin and size arguments to be 1-D tensors of size {rank}, but got {begins} \
             and {}",
            size.len()
        )));
    }
    if let Some(begin) = c.const_value(begin)? {
        let begin = begin.to_i64s()?;
        let mut limit = Vec::with_capacity(rank);
        for d in 0..rank {
            let (b, s) = (begin[d], if size[d] == -1 { dims[d] - begin[d] } else { size[d] });
            if b < 0 || b > dims[d] || s < 0 || s > dims[d] - b {
                return Err(Error::invalid_argument(format!(
                    "Expected begin[{d}] in [0, {}] and size[{d}] in [0, {}], but got {b} and {s}",
                    dims[d],
                    dims[d] - b
                )));
            }
            limit.push(b + s);
        }
        let y = c.slice(x, &begin, &limit, &vec![1; rank])?;
        c.set(0, y);
        return Ok(());
    }
    runtime_slice(c, x, begin, &size, &dims)
}

/// A begin that is known only at run time; it must lie inside, where HLO would clamp.
fn runtime_slice(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    begin: ValueId,
    size: &[i64],
    dims: &[i64],
) -> Result<()> {
    if size.contains(&-1) {
        return Err(Error::invalid_argument(
            "a size of -1 needs a begin that is known while compiling",
        ));
    }
    let dtype = c.dtype(begin)?;
    let last: Vec<i64> = dims.iter().zip(size).map(|(d, s)| d - s).collect();
    if last.iter().any(|&l| l < 0) {
        return Err(Error::invalid_argument(format!("size {size:?} is larger than {dims:?}")));
    }
    let (low, high) = (c.full_like(begin, 0.0)?, c.int_vector(dtype, &last)?);
    let below = c.compare(Direction::Lt, begin, low)?;
    let above = c.compare(Direction::Gt, begin, high)?;
    let outside = c.binary(Binary::Or, below, above)?;
    c.check(outside, Code::InvalidArgument, "Expected begin and size inside the input")?;
    let mut starts = Vec::with_capacity(dims.len());
    for d in 0..dims.len() as i64 {
        let one = c.slice(begin, &[d], &[d + 1], &[1])?;
        starts.push(c.reshape(one, &Shape::scalar())?);
    }
    let y = c.dynamic_slice(x, &starts, size)?;
    c.set(0, y);
    Ok(())
}

/// A strided slice in canonical form: one entry a dimension of the operand.
pub(super) struct StridedSpec {
    begin: Vec<i64>,
    end: Vec<i64>,
    strides: Vec<i64>,
    /// Extents of the result, with new axes and without shrunk ones.
    pub(super) result: Shape,
    /// Extents before new axes and shrinking.
    pub(super) dense: Shape,
}

/// One dimension of the sparse specification.
struct Sparse {
    begin: i64,
    end: i64,
    stride: i64,
    begin_masked: bool,
    end_masked: bool,
    shrink: bool,
}

/// Reads the masks and the constant inputs `first..first + 3` (begin, end, strides).
pub(super) fn strided_spec(
    c: &mut OpCtx<'_, '_>,
    shape: &Shape,
    first: usize,
) -> Result<StridedSpec> {
    let (begin, end, strides) =
        (c.const_ints(first)?, c.const_ints(first + 1)?, c.const_ints(first + 2)?);
    let n = begin.len();
    if end.len() != n || strides.len() != n || n > 32 {
        return Err(Error::invalid_argument(format!(
            "Expected begin, end, and strides to be 1D equal size tensors, but got lengths {n}, \
             {}, and {}",
            end.len(),
            strides.len()
        )));
    }
    let mask = |name| -> Result<u32> { Ok(c.node().attr_int(name)? as u32) };
    let (begin_mask, end_mask) = (mask("begin_mask")?, mask("end_mask")?);
    let (ellipsis_mask, new_mask) = (mask("ellipsis_mask")?, mask("new_axis_mask")?);
    let shrink_mask = mask("shrink_axis_mask")?;
    if ellipsis_mask.count_ones() > 1 {
        return Err(Error::invalid_argument("Multiple ellipses in slice spec not allowed"));
    }
    let bit = |mask: u32, i: usize| mask >> i & 1 == 1;
    let ellipsis = (0..n).find(|&i| bit(ellipsis_mask, i));
    let used = (0..n).filter(|&i| Some(i) != ellipsis && !bit(new_mask, i)).count();
    if used > shape.rank() {
        return Err(Error::invalid_argument(format!(
            "Index out of range using input dim {}; input has only {} dims",
            shape.rank(),
            shape.rank()
        )));
    }
    let mut spec = StridedSpec {
        begin: Vec::new(),
        end: Vec::new(),
        strides: Vec::new(),
        result: Shape::scalar(),
        dense: Shape::scalar(),
    };
    let mut result = Vec::new();
    for i in 0..n {
        if Some(i) == ellipsis {
            for _ in 0..shape.rank() - used {
                spec.take_all(shape, &mut result);
            }
        } else if bit(new_mask, i) {
            result.push(1);
        } else {
            let sparse = Sparse {
                begin: begin[i],
                end: end[i],
                stride: strides[i],
                begin_masked: bit(begin_mask, i),
                end_masked: bit(end_mask, i),
                shrink: bit(shrink_mask, i),
            };
            spec.take(shape, &sparse, i, &mut result)?;
        }
    }
    while spec.begin.len() < shape.rank() {
        spec.take_all(shape, &mut result);
    }
    spec.dense = spec.extents();
    spec.result = result.into();
    Ok(spec)
}

impl StridedSpec {
    fn take_all(&mut self, shape: &Shape, result: &mut Vec<usize>) {
        let extent = shape[self.begin.len()];
        self.begin.push(0);
        self.end.push(extent as i64);
        self.strides.push(1);
        result.push(extent);
    }

    fn take(&mut self, shape: &Shape, s: &Sparse, i: usize, result: &mut Vec<usize>) -> Result<()> {
        let extent = shape[self.begin.len()] as i64;
        if s.stride == 0 {
            return Err(Error::invalid_argument(format!("strides[{i}] must be non-zero")));
        }
        if s.shrink {
            let at = if s.begin < 0 { s.begin.saturating_add(extent) } else { s.begin };
            let at = if s.begin_masked { 0 } else { at };
            if s.stride < 0 {
                return Err(Error::invalid_argument(
                    "only stride 1 allowed on non-range indexing.",
                ));
            }
            if at < 0 || at >= extent {
                return Err(Error::invalid_argument(format!(
                    "slice index {} of dimension {} out of bounds.",
                    s.begin,
                    self.begin.len()
                )));
            }
            self.begin.push(at);
            self.end.push(at + 1);
            self.strides.push(1);
            return Ok(());
        }
        let (low, high) = if s.stride > 0 { (0, extent) } else { (-1, extent - 1) };
        let clamp = |v: i64| {
            let v = if v < 0 { v.saturating_add(extent) } else { v };
            v.clamp(low, high)
        };
        let forward = s.stride > 0;
        let begin = match s.begin_masked {
            true => {
                if forward {
                    0
                } else {
                    extent - 1
                }
            }
            false => clamp(s.begin),
        };
        let end = match s.end_masked {
            true => {
                if forward {
                    extent
                } else {
                    -1
                }
            }
            false => clamp(s.end),
        };
        self.begin.push(begin);
        self.end.push(end);
        self.strides.push(s.stride);
        result.push(count(begin, end, s.stride));
        Ok(())
    }

    fn extents(&self) -> Shape {
        (0..self.begin.len()).map(|d| count(self.begin[d], self.end[d], self.strides[d])).collect()
    }

    /// Whether no dimension is walked backwards.
    pub(super) fn is_forward(&self) -> bool {
        self.strides.iter().all(|&s| s > 0)
    }

    /// Start, limit and positive stride for an operand reversed where the stride is negative.
    pub(super) fn forward(&self, shape: &Shape) -> (Vec<i64>, Vec<i64>, Vec<i64>, Vec<i64>) {
        let (mut start, mut limit, mut strides, mut reversed) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for d in 0..self.begin.len() {
            let n = self.dense[d] as i64;
            let step = self.strides[d].saturating_abs();
            let first = if self.strides[d] > 0 {
                self.begin[d]
            } else {
                reversed.push(d as i64);
                shape[d] as i64 - 1 - self.begin[d]
            };
            let first = if n == 0 { 0 } else { first };
            start.push(first);
            limit.push(if n == 0 { first } else { first + (n - 1) * step + 1 });
            strides.push(step);
        }
        (start, limit, strides, reversed)
    }
}

/// Number of positions from `begin` to `end`, which is not included.
fn count(begin: i64, end: i64, stride: i64) -> usize {
    let span = if stride > 0 { end - begin } else { begin - end };
    if span <= 0 { 0 } else { (span as u64).div_ceil(stride.unsigned_abs()) as usize }
}

pub(super) fn strided_read(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    spec: &StridedSpec,
) -> Result<ValueId> {
    let shape = c.shape(x)?;
    let (start, limit, strides, reversed) = spec.forward(&shape);
    let mut y = if reversed.is_empty() { x } else { c.reverse(x, &reversed)? };
    let whole =
        start.iter().all(|&s| s == 0) && strides.iter().all(|&s| s == 1) && limit == shape.to_i64();
    if !whole {
        y = c.slice(y, &start, &limit, &strides)?;
    }
    c.reshape(y, &spec.result)
}

/// Fails the launch when an index is not in `0..extent`.
pub(super) fn check_indices(c: &mut OpCtx<'_, '_>, indices: ValueId, extent: usize) -> Result<()> {
    let dtype = c.dtype(indices)?;
    let below = if dtype.is_signed_int() {
        let zero = c.full_like(indices, 0.0)?;
        Some(c.compare(Direction::Lt, indices, zero)?)
    } else {
        None
    };
    let wide = c.convert(indices, DType::I64)?;
    let bound = c.full_like(wide, extent as f64)?;
    let above = c.compare(Direction::Ge, wide, bound)?;
    let outside = match below {
        Some(below) => c.binary(Binary::Or, below, above)?,
        None => above,
    };
    let message = format!("indices are not in [0, {extent})");
    c.check(outside, Code::InvalidArgument, message)
}

/// Fails the launch when a component of an index vector (the last dimension) is not inside the
/// extent of its dimension.
pub(super) fn check_vectors(
    c: &mut OpCtx<'_, '_>,
    indices: ValueId,
    extents: &[usize],
) -> Result<()> {
    let shape = c.shape(indices)?;
    let last = shape.rank() - 1;
    for (d, &extent) in extents.iter().enumerate() {
        let (mut start, mut limit) = (vec![0; shape.rank()], shape.to_i64());
        (start[last], limit[last]) = (d as i64, d as i64 + 1);
        let column = c.slice(indices, &start, &limit, &vec![1; shape.rank()])?;
        check_indices(c, column, extent)?;
    }
    Ok(())
}

/// `x[b…, :, i[b…, …], :]`: rows of `axis`, with `batch` leading dimensions in common.
pub(super) fn gather_axis(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    indices: ValueId,
    axis: usize,
    batch: usize,
) -> Result<ValueId> {
    let (shape, index_shape) = (c.shape(x)?, c.shape(indices)?);
    if shape.rank() <= axis || index_shape.rank() < batch {
        return Err(Error::invalid_argument(format!(
            "params {shape} and indices {index_shape} have too few dimensions for axis {axis} and \
             {batch} batch dimensions"
        )));
    }
    if shape[..batch] != index_shape[..batch] {
        return Err(Error::invalid_argument(format!(
            "batch dimensions of {shape} and {index_shape} differ"
        )));
    }
    check_indices(c, indices, shape[axis])?;
    let batch_dims: Dims = (0..batch as i64).collect();
    // Result: dims before the axis, the indices' own dims, dims after the axis.
    let own = index_shape.rank() - batch;
    let offset: Dims = (batch..axis)
        .chain(axis + own..axis + own + shape.rank() - axis - 1)
        .map(|d| d as i64)
        .collect();
    let mut sizes: Dims = shape.iter().map(|&d| d as i64).collect();
    for size in &mut sizes[..batch] {
        *size = 1;
    }
    sizes[axis] = 1;
    if shape[axis] == 0 || shape[..batch].contains(&0) {
        let result: Shape = shape[..axis]
            .iter()
            .chain(&index_shape[batch..])
            .chain(&shape[axis + 1..])
            .copied()
            .collect();
        let dtype = c.dtype(x)?;
        return c.full(dtype, &result, 0.0);
    }
    let gather = Gather {
        offset_dims: offset,
        collapsed_slice_dims: Dims::from_slice(&[axis as i64]),
        operand_batching_dims: batch_dims.clone(),
        start_indices_batching_dims: batch_dims,
        start_index_map: Dims::from_slice(&[axis as i64]),
        index_vector_dim: index_shape.rank() as i64,
        slice_sizes: sizes,
        indices_are_sorted: false,
    };
    c.gather(x, indices, gather)
}

fn gather_nd(c: &mut OpCtx<'_, '_>, x: ValueId, indices: ValueId) -> Result<ValueId> {
    let (shape, index_shape) = (c.shape(x)?, c.shape(indices)?);
    let Some((&depth, outer)) = index_shape.split_last() else {
        return Err(Error::invalid_argument("indices must be at least a vector"));
    };
    if depth > shape.rank() {
        return Err(Error::invalid_argument(format!(
            "index innermost dimension length must be <= params rank; saw: {depth} vs. {}",
            shape.rank()
        )));
    }
    let dtype = c.dtype(x)?;
    let result: Shape = outer.iter().chain(&shape[depth..]).copied().collect();
    check_vectors(c, indices, &shape[..depth])?;
    if result.elements() == 0 || shape.elements() == 0 {
        return c.full(dtype, &result, 0.0);
    }
    let axes: Dims = (0..depth as i64).collect();
    let gather = Gather {
        offset_dims: (outer.len()..result.rank()).map(|d| d as i64).collect(),
        collapsed_slice_dims: axes.clone(),
        start_index_map: axes,
        index_vector_dim: outer.len() as i64,
        slice_sizes: shape
            .iter()
            .enumerate()
            .map(|(d, &e)| if d < depth { 1 } else { e as i64 })
            .collect(),
        ..Gather::default()
    };
    c.gather(x, indices, gather)
}

fn one_hot(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (indices, depth, on, off) = (c.input(0)?, c.const_int(1)?, c.input(2)?, c.input(3)?);
    let shape = c.shape(indices)?;
    let axis = c.node().attr_int("axis")?;
    let axis = axis_of(axis, shape.rank() + 1)?;
    let depth = usize::try_from(depth).map_err(|_| {
        Error::invalid_argument(format!("depth must be non-negative, got: {depth}"))
    })?;
    let mut dims = shape.to_vec();
    dims.insert(axis, depth);
    let result: Shape = dims.into();
    result.checked_elements()?;
    let dtype = c.dtype(indices)?;
    // A narrow index type may not hold every class number.
    let (indices, dtype) = if dtype.size() < 4 {
        (c.convert(indices, DType::I32)?, DType::I32)
    } else {
        (indices, dtype)
    };
    let classes = c.iota(dtype, &result, axis)?;
    let map: Vec<i64> = (0..result.rank()).filter(|&d| d != axis).map(|d| d as i64).collect();
    let wide = c.broadcast_in_dim(indices, &result, &map)?;
    let hit = c.compare(Direction::Eq, wide, classes)?;
    let (on, off) = (c.broadcast_in_dim(on, &result, &[])?, c.broadcast_in_dim(off, &result, &[])?);
    let y = c.select(hit, on, off)?;
    c.set(0, y);
    Ok(())
}

fn top_k(c: &mut OpCtx<'_, '_>, k: i64) -> Result<()> {
    let x = c.input(0)?;
    let shape = c.shape(x)?;
    let Some(&extent) = shape.last() else {
        return Err(Error::invalid_argument("input must be >= 1-D, got shape []"));
    };
    if k < 0 || k > extent as i64 {
        return Err(Error::invalid_argument(format!(
            "input must have at least k columns. Had {extent}, needed {k}"
        )));
    }
    let mut dims = shape.to_i64();
    dims[shape.rank() - 1] = k;
    let types = [Type::tensor(c.dtype(x)?, &dims), Type::tensor(tfjit_hlo::TOP_K_INDEX, &dims)];
    let outputs = c.push_typed(Op::TopK { k, largest: true }, &[x], &[], &types)?;
    let dtype = c.output_dtype(1)?;
    let indices = c.convert(outputs[1], dtype)?;
    c.set(0, outputs[0]);
    c.set(1, indices);
    Ok(())
}
