//! Operations that move elements without looking at them.
//!
//! All of them are one loop: a box of elements is copied from positions that advance by one set of
//! strides to positions that advance by another.

use smallvec::SmallVec;
use tfjit_base::{DType, Error, Result, Shape, Tensor};

use crate::typed::{build, by_width, raw};

/// Where the elements of a box are: the first one, and the distance to the next in each dimension.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) base: isize,
    pub(crate) strides: SmallVec<[isize; 6]>,
}

impl Walk {
    /// All elements of a row-major tensor of this shape.
    pub(crate) fn all(shape: &Shape) -> Walk {
        Walk { base: 0, strides: shape.strides().iter().map(|&s| s as isize).collect() }
    }
}

/// Copies the box `extents` of `src` (by `from`) to `dst` (by `to`).
pub(crate) fn copy_box<T: Copy>(
    src: &[T],
    from: &Walk,
    dst: &mut [T],
    to: &Walk,
    extents: &[usize],
) {
    if extents.contains(&0) {
        return;
    }
    let Some((&inner, outer)) = extents.split_last() else {
        dst[to.base as usize] = src[from.base as usize];
        return;
    };
    let steps = (from.strides[outer.len()], to.strides[outer.len()]);
    let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, outer.len());
    let (mut s, mut d) = (from.base, to.base);
    loop {
        copy_row(src, s, dst, d, steps, inner);
        let mut dim = outer.len();
        loop {
            if dim == 0 {
                return;
            }
            dim -= 1;
            index[dim] += 1;
            s += from.strides[dim];
            d += to.strides[dim];
            if index[dim] < outer[dim] {
                break;
            }
            s -= from.strides[dim] * outer[dim] as isize;
            d -= to.strides[dim] * outer[dim] as isize;
            index[dim] = 0;
        }
    }
}

fn copy_row<T: Copy>(
    src: &[T],
    s: isize,
    dst: &mut [T],
    d: isize,
    steps: (isize, isize),
    n: usize,
) {
    match steps {
        (1, 1) => {
            dst[d as usize..d as usize + n].copy_from_slice(&src[s as usize..s as usize + n]);
        }
        (0, 1) => dst[d as usize..d as usize + n].fill(src[s as usize]),
        (step_s, step_d) => {
            for i in 0..n as isize {
                dst[(d + i * step_d) as usize] = src[(s + i * step_s) as usize];
            }
        }
    }
}

/// A tensor of `shape` whose elements are read from `x` by `from`.
fn read_box(x: &Tensor, from: &Walk, shape: &Shape) -> Result<Tensor> {
    by_width!(x.dtype(), T => {
        let src = raw::<T>(x)?;
        build::<T>(x.dtype(), shape, |dst| {
            copy_box(&src, from, dst, &Walk::all(shape), shape);
            Ok(())
        })
    })
}

fn bad(message: String) -> Error {
    Error::invalid_argument(message)
}

/// A dimension number below `rank`.
pub(crate) fn dim(d: i64, rank: usize) -> Result<usize> {
    usize::try_from(d)
        .ok()
        .filter(|&d| d < rank)
        .ok_or_else(|| bad(format!("dimension {d} does not exist in a tensor of rank {rank}")))
}

/// `list`, which must have one entry a dimension.
fn per_dim(list: &[i64], rank: usize) -> Result<&[i64]> {
    if list.len() != rank {
        return Err(bad(format!("{} entries given for {rank} dimensions", list.len())));
    }
    Ok(list)
}

/// A scalar in every position of `shape`.
pub(crate) fn splat(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    broadcast_in_dim(x, shape, &[])
}

/// Operand dimension `i` becomes dimension `dims[i]` of `shape`; extents of one are repeated.
pub(crate) fn broadcast_in_dim(x: &Tensor, shape: &Shape, dims: &[i64]) -> Result<Tensor> {
    per_dim(dims, x.shape().rank())?;
    let mut strides = SmallVec::from_elem(0, shape.rank());
    for (i, (&d, &stride)) in dims.iter().zip(&x.shape().strides()).enumerate() {
        let d = dim(d, shape.rank())?;
        let extent = x.shape()[i];
        if extent != 1 && extent != shape[d] {
            return Err(bad(format!("{} does not broadcast to {shape}", x.shape())));
        }
        strides[d] = if extent == 1 { 0 } else { stride as isize };
    }
    read_box(x, &Walk { base: 0, strides }, shape)
}

/// Result dimension `i` is operand dimension `permutation[i]`.
pub(crate) fn transpose(x: &Tensor, permutation: &[i64]) -> Result<Tensor> {
    let rank = x.shape().rank();
    let all = Walk::all(x.shape());
    let mut seen = vec![false; rank];
    let (mut shape, mut strides) = (Vec::new(), SmallVec::new());
    for &p in per_dim(permutation, rank)? {
        let p = dim(p, rank)?;
        if std::mem::replace(&mut seen[p], true) {
            return Err(bad(format!("{permutation:?} is not a permutation")));
        }
        shape.push(x.shape()[p]);
        strides.push(all.strides[p]);
    }
    read_box(x, &Walk { base: 0, strides }, &Shape::from(shape))
}

/// Reverses the order along `dimensions`.
pub(crate) fn reverse(x: &Tensor, dimensions: &[i64]) -> Result<Tensor> {
    let mut walk = Walk::all(x.shape());
    for &d in dimensions {
        let d = dim(d, x.shape().rank())?;
        let last = (x.shape()[d] as isize).wrapping_sub(1);
        walk.base = walk.base.wrapping_add(walk.strides[d].wrapping_mul(last));
        walk.strides[d] = walk.strides[d].wrapping_neg();
    }
    read_box(x, &walk, x.shape())
}

/// `x[start:limit:stride]` in every dimension. A limit past the extent ends there: types with an
/// upper bound are sliced by their bound.
pub(crate) fn slice(x: &Tensor, start: &[i64], limit: &[i64], strides: &[i64]) -> Result<Tensor> {
    let rank = x.shape().rank();
    let mut walk = Walk::all(x.shape());
    let mut shape = Vec::new();
    let lists = per_dim(start, rank)?.iter().zip(per_dim(limit, rank)?);
    for (d, ((&start, &limit), &step)) in lists.zip(per_dim(strides, rank)?).enumerate() {
        let limit = limit.min(x.shape()[d] as i64);
        if start < 0 || step < 1 {
            return Err(bad(format!("slice [{start}:{limit}:{step}] in dimension {d}")));
        }
        // An empty slice reads nothing, wherever it starts.
        let extent = if start < limit { (limit - start - 1) / step + 1 } else { 0 };
        shape.push(extent as usize);
        if extent > 0 {
            walk.base = walk.base.wrapping_add((start as isize).wrapping_mul(walk.strides[d]));
        }
        if extent > 1 {
            walk.strides[d] = walk.strides[d].wrapping_mul(step as isize);
        }
    }
    read_box(x, &walk, &Shape::from(shape))
}

/// The start of a slice of `size` within `extent`, moved inside.
fn clamped(start: i64, size: usize, extent: usize) -> Result<isize> {
    let room = extent
        .checked_sub(size)
        .ok_or_else(|| bad(format!("a slice of {size} is longer than the extent {extent}")))?;
    Ok(start.clamp(0, room as i64) as isize)
}

fn slice_walk(shape: &Shape, starts: &[i64], sizes: &Shape) -> Result<Walk> {
    per_dim(starts, shape.rank())?;
    if sizes.rank() != shape.rank() {
        return Err(bad(format!("a slice of {sizes} does not fit {shape}")));
    }
    let mut walk = Walk::all(shape);
    for (d, &start) in starts.iter().enumerate() {
        let start = clamped(start, sizes[d], shape[d])?;
        walk.base = walk.base.wrapping_add(start.wrapping_mul(walk.strides[d]));
    }
    Ok(walk)
}

/// A slice of `sizes` at `starts`, moved inside when it would stick out.
pub(crate) fn dynamic_slice(x: &Tensor, starts: &[i64], sizes: &Shape) -> Result<Tensor> {
    read_box(x, &slice_walk(x.shape(), starts, sizes)?, sizes)
}

/// `x` with `update` written at `starts`, moved inside when it would stick out. Written in place
/// when nobody else holds `x`: a loop that fills a tensor piece by piece stays linear.
pub(crate) fn dynamic_update_slice(
    mut x: Tensor,
    update: &Tensor,
    starts: &[i64],
) -> Result<Tensor> {
    same_dtype(&x, update)?;
    let to = slice_walk(x.shape(), starts, update.shape())?;
    if x.unique_bytes().is_none_or(|bytes| bytes.as_ptr().align_offset(16) != 0) {
        x = Tensor::from_raw(x.dtype(), x.shape().clone(), x.bytes())?;
    }
    by_width!(x.dtype(), T => {
        let new = raw::<T>(update)?;
        let shared = || Error::internal("a fresh tensor is shared or not aligned");
        let bytes = x.unique_bytes().ok_or_else(shared)?;
        let dst: &mut [T] = bytemuck::try_cast_slice_mut(bytes).map_err(|_| shared())?;
        copy_box(&new, &Walk::all(update.shape()), dst, &to, update.shape());
        Ok(x)
    })
}

fn same_dtype(x: &Tensor, y: &Tensor) -> Result<()> {
    if x.dtype() != y.dtype() {
        return Err(bad(format!("element types {} and {} differ", x.dtype(), y.dtype())));
    }
    Ok(())
}

/// Joins along `dimension`.
pub(crate) fn concatenate(parts: &[&Tensor], dimension: i64) -> Result<Tensor> {
    let first = parts.first().ok_or_else(|| bad("nothing to concatenate".into()))?;
    let d = dim(dimension, first.shape().rank())?;
    let mut dims = first.shape().to_vec();
    dims[d] = 0;
    for part in parts {
        same_dtype(first, part)?;
        let others = |s: &Shape| {
            s.iter().enumerate().filter(|(i, _)| *i != d).map(|(_, &e)| e).collect::<Shape>()
        };
        if part.shape().rank() != dims.len() || others(part.shape()) != others(first.shape()) {
            return Err(bad(format!(
                "{} and {} do not join in dimension {d}",
                first.shape(),
                part.shape()
            )));
        }
        dims[d] = dims[d].saturating_add(part.shape()[d]);
    }
    let shape = Shape::from(dims);
    by_width!(first.dtype(), T => {
        build::<T>(first.dtype(), &shape, |dst| {
            let mut to = Walk::all(&shape);
            for part in parts {
                copy_box(&raw::<T>(part)?, &Walk::all(part.shape()), dst, &to, part.shape());
                to.base += part.shape()[d] as isize * to.strides[d];
            }
            Ok(())
        })
    })
}

/// Pads every dimension with the scalar `value`: `low` and `high` at the edges (negative ones cut
/// off), `interior` between neighbours.
pub(crate) fn pad(
    x: &Tensor,
    value: &Tensor,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<Tensor> {
    same_dtype(x, value)?;
    let rank = x.shape().rank();
    let lists = per_dim(low, rank)?.iter().zip(per_dim(high, rank)?);
    let (mut dims, mut kept) = (Vec::new(), Vec::new());
    for ((&extent, (&low, &high)), &interior) in
        x.shape().iter().zip(lists).zip(per_dim(interior, rank)?)
    {
        let spread = pad_extent(extent, low, high, interior)?;
        dims.push(spread);
        kept.push(kept_range(extent, low, interior, spread));
    }
    let shape = Shape::from_i64(&dims)?;
    let (mut from, mut to) = (Walk::all(x.shape()), Walk::all(&shape));
    let mut extents = Vec::new();
    for (d, &(first, end)) in kept.iter().enumerate() {
        extents.push((end - first).max(0) as usize);
        if first < end {
            // The place of the first kept element lies inside the result.
            let place = i128::from(low[d]) + i128::from(first) * (i128::from(interior[d]) + 1);
            from.base += (first as isize).wrapping_mul(from.strides[d]);
            to.base += (place as isize).wrapping_mul(to.strides[d]);
        }
        if first + 1 < end {
            to.strides[d] = to.strides[d].wrapping_mul((interior[d] as isize).wrapping_add(1));
        }
    }
    by_width!(x.dtype(), T => {
        let (src, value) = (raw::<T>(x)?, raw::<T>(value)?);
        let value = *value.first().ok_or_else(|| bad("the padding value is empty".into()))?;
        build::<T>(x.dtype(), &shape, |dst| {
            dst.fill(value);
            copy_box(&src, &from, dst, &to, &extents);
            Ok(())
        })
    })
}

/// The extent after padding.
///
/// # Errors
/// INVALID_ARGUMENT when it is negative or far too large.
pub(crate) fn pad_extent(extent: usize, low: i64, high: i64, interior: i64) -> Result<i64> {
    let wrong = || bad(format!("padding {low}, {high}, {interior} of an extent of {extent}"));
    if interior < 0 {
        return Err(wrong());
    }
    let gaps = (extent as i128 - 1).max(0) * i128::from(interior);
    let spread = extent as i128 + gaps + i128::from(low) + i128::from(high);
    i64::try_from(spread).ok().filter(|&s| s >= 0).ok_or_else(wrong)
}

/// The positions in the operand whose places in the result lie inside `0..spread`.
fn kept_range(extent: usize, low: i64, interior: i64, spread: i64) -> (i64, i64) {
    let step = i128::from(interior) + 1;
    let ceil = |n: i128| if n <= 0 { 0 } else { (n + step - 1) / step };
    let first = ceil(-i128::from(low));
    let end = ceil(i128::from(spread) - i128::from(low)).min(extent as i128);
    if first >= end { (0, 0) } else { (first as i64, end as i64) }
}

/// `0, 1, 2, ...` along `dimension`, in `dtype`.
pub(crate) fn iota(dtype: DType, shape: &Shape, dimension: i64) -> Result<Tensor> {
    let d = dim(dimension, shape.rank())?;
    shape.checked_elements()?;
    if shape.elements() == 0 {
        return Tensor::zeros(dtype, shape.clone());
    }
    let line = Shape::new(&[shape[d]]);
    let counts = build::<i64>(DType::I64, &line, |out| {
        for (i, out) in out.iter_mut().enumerate() {
            *out = i as i64;
        }
        Ok(())
    })?;
    broadcast_in_dim(&crate::convert::convert(&counts, dtype)?, shape, &[dimension])
}

/// The elements along one dimension, for loops that work on lines: how many lines there are, and
/// for the `i`-th its first element and the distance between its elements.
pub(crate) struct Lines {
    pub(crate) count: usize,
    pub(crate) length: usize,
    pub(crate) stride: usize,
}

impl Lines {
    pub(crate) fn along(shape: &Shape, d: usize) -> Lines {
        let length = shape[d];
        let stride = shape.strides()[d];
        Lines { count: shape.elements().checked_div(length).unwrap_or(0), length, stride }
    }

    /// Position of the first element of line `i`.
    pub(crate) fn start(&self, i: usize) -> usize {
        i / self.stride * self.stride * self.length + i % self.stride
    }
}

/// The value of an integer scalar, saturated to `i64`.
pub(crate) fn index_value(x: &Tensor) -> Result<i64> {
    let value = x.to_i64s()?.first().copied();
    let value = value.ok_or_else(|| bad("an index is empty".into()))?;
    Ok(if x.dtype() == DType::U64 && value < 0 { i64::MAX } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(shape: &[usize], values: &[i32]) -> Tensor {
        Tensor::from_slice(Shape::new(shape), values).unwrap()
    }

    fn counted(shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        ints(shape, &(0..n as i32).collect::<Vec<_>>())
    }

    #[test]
    fn broadcasts() {
        let got = broadcast_in_dim(&ints(&[2], &[1, 2]), &Shape::new(&[2, 3]), &[0]).unwrap();
        assert_eq!(got, ints(&[2, 3], &[1, 1, 1, 2, 2, 2]));
        let got = broadcast_in_dim(&ints(&[1, 2], &[1, 2]), &Shape::new(&[2, 2]), &[1, 0]);
        assert_eq!(got.unwrap(), ints(&[2, 2], &[1, 1, 2, 2]));
        assert!(broadcast_in_dim(&ints(&[2], &[1, 2]), &Shape::new(&[3]), &[0]).is_err());
        assert!(broadcast_in_dim(&ints(&[2], &[1, 2]), &Shape::new(&[2]), &[7]).is_err());
        assert_eq!(splat(&ints(&[], &[7]), &Shape::new(&[0, 2])).unwrap().elements(), 0);
    }

    #[test]
    fn transposes_and_reversals() {
        let x = counted(&[2, 3]);
        assert_eq!(transpose(&x, &[1, 0]).unwrap(), ints(&[3, 2], &[0, 3, 1, 4, 2, 5]));
        assert!(transpose(&x, &[0, 0]).is_err());
        assert_eq!(reverse(&x, &[1]).unwrap(), ints(&[2, 3], &[2, 1, 0, 5, 4, 3]));
        assert_eq!(reverse(&x, &[0, 1]).unwrap(), ints(&[2, 3], &[5, 4, 3, 2, 1, 0]));
    }

    #[test]
    fn slices() {
        let x = counted(&[3, 4]);
        let got = slice(&x, &[1, 0], &[3, 4], &[1, 2]).unwrap();
        assert_eq!(got, ints(&[2, 2], &[4, 6, 8, 10]));
        assert_eq!(slice(&x, &[2, 2], &[2, 4], &[1, 1]).unwrap().elements(), 0);
        assert!(slice(&x, &[-1, 0], &[3, 4], &[1, 1]).is_err());
        let got = slice(&x, &[0, 1], &[1, 4], &[i64::MAX, i64::MAX]).unwrap();
        assert_eq!(got, ints(&[1, 1], &[1]));
    }

    #[test]
    fn dynamic_slices_move_inside() {
        let x = counted(&[4]);
        assert_eq!(dynamic_slice(&x, &[9], &Shape::new(&[2])).unwrap(), ints(&[2], &[2, 3]));
        assert_eq!(dynamic_slice(&x, &[-9], &Shape::new(&[2])).unwrap(), ints(&[2], &[0, 1]));
        let got = dynamic_update_slice(x.clone(), &ints(&[2], &[8, 9]), &[3]).unwrap();
        assert_eq!(got, ints(&[4], &[0, 1, 8, 9]));
        assert_eq!(x, counted(&[4]), "what others hold stays");
        assert!(dynamic_slice(&x, &[0], &Shape::new(&[5])).is_err());
    }

    #[test]
    fn joins() {
        let x = counted(&[2, 1]);
        let got = concatenate(&[&x, &counted(&[2, 2])], 1).unwrap();
        assert_eq!(got, ints(&[2, 3], &[0, 0, 1, 1, 2, 3]));
        assert!(concatenate(&[&x, &counted(&[1, 2])], 1).is_err());
    }

    #[test]
    fn pads() {
        let (x, p) = (ints(&[3], &[1, 2, 3]), ints(&[], &[0]));
        let pad1 = |l, h, i| pad(&x, &p, &[l], &[h], &[i]).unwrap().to_vec::<i32>().unwrap();
        assert_eq!(pad1(1, 2, 1), [0, 1, 0, 2, 0, 3, 0, 0]);
        assert_eq!(pad1(-1, 0, 0), [2, 3]);
        assert_eq!(pad1(-1, -1, 1), [0, 2, 0]);
        assert_eq!(pad1(-5, 4, 0), [0, 0]);
        assert_eq!(pad1(-1, -2, 0), [0; 0]);
        assert!(pad(&x, &p, &[-4], &[0], &[0]).is_err());
        assert!(pad(&x, &p, &[i64::MAX], &[i64::MAX], &[0]).is_err());
    }

    #[test]
    fn counts_along_a_dimension() {
        let got = iota(DType::F32, &Shape::new(&[2, 2]), 1).unwrap();
        assert_eq!(got.to_f64s().unwrap(), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(iota(DType::C64, &Shape::new(&[2]), 0).unwrap().bytes()[8..12], [0, 0, 128, 63]);
    }

    #[test]
    fn lines_are_found() {
        let lines = Lines::along(&Shape::new(&[2, 3, 4]), 1);
        assert_eq!((lines.count, lines.length, lines.stride), (8, 3, 4));
        assert_eq!([0, 3, 4, 7].map(|i| lines.start(i)), [0, 3, 12, 15]);
    }
}
