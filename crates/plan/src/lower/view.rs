//! Views: a value as a strided window on the dense memory of another.
//!
//! Broadcasts, transposes, slices, reversals and most reshapes move nothing: who reads them reads
//! their root with other strides. Nothing here knows buffers or steps.

use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_hlo::{Func, Inst, InstId, Op, ValueId};

/// Extents or strides, one a dimension.
pub(crate) type Strides = SmallVec<[isize; 6]>;

/// Where the elements of a value are, in elements of its root, which is dense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// The value whose memory is read.
    pub(crate) root: ValueId,
    /// Of the first element.
    pub(crate) offset: isize,
    /// One a dimension of the value.
    pub(crate) strides: Strides,
}

/// The extents of a static tensor value; `None` for tokens, tuples and dynamic ones.
pub(crate) fn dims_of(func: &Func, value: ValueId) -> Option<SmallVec<[usize; 6]>> {
    let ty = func.tensor_ty(value)?;
    ty.is_static().then(|| ty.dims.iter().map(|&d| d as usize).collect())
}

/// The instruction that defines `root`, and its id; `None` for parameters and for memory that
/// stands in for a value.
pub(crate) fn def_of(func: &Func, root: ValueId) -> Option<(InstId, &Inst)> {
    if root.index() < func.values.len() { func.def(root) } else { None }
}

/// Row-major strides.
pub(crate) fn dense_strides(dims: &[usize]) -> Strides {
    let mut strides: Strides = SmallVec::from_elem(0, dims.len());
    let mut next = 1isize;
    for (stride, &extent) in strides.iter_mut().zip(dims).rev() {
        *stride = next;
        next = next.saturating_mul(extent.max(1) as isize);
    }
    strides
}

impl View {
    /// A value that is its own root.
    pub(crate) fn whole(root: ValueId, dims: &[usize]) -> View {
        View { root, offset: 0, strides: dense_strides(dims) }
    }

    /// Whether the elements lie as those of a dense tensor with extents `dims`.
    pub(crate) fn is_dense(&self, dims: &[usize]) -> bool {
        self.offset == 0 && same_strides(&self.strides, &dense_strides(dims), dims)
    }

    /// The view of the result of `inst`, if it moves nothing.
    pub(crate) fn through(&self, inst: &Inst, from: &[usize], to: &[usize]) -> Option<View> {
        let (mut offset, mut strides) = (self.offset, Strides::from_elem(0, to.len()));
        match &inst.op {
            Op::BroadcastInDim { broadcast_dimensions } => {
                for (i, &d) in broadcast_dimensions.iter().enumerate() {
                    let d = d as usize;
                    strides[d] = if from[i] == to[d] { self.strides[i] } else { 0 };
                }
            }
            Op::Transpose { permutation } => {
                for (d, &p) in permutation.iter().enumerate() {
                    strides[d] = self.strides[p as usize];
                }
            }
            Op::Slice { start_indices, strides: steps, .. } => {
                for d in 0..to.len() {
                    offset += start_indices[d] as isize * self.strides[d];
                    strides[d] = self.strides[d].saturating_mul(steps[d] as isize);
                }
            }
            Op::Reverse { dimensions } => {
                strides.clone_from(&self.strides);
                for &d in dimensions {
                    let d = d as usize;
                    offset += (from[d].max(1) as isize - 1) * self.strides[d];
                    strides[d] = -self.strides[d];
                }
            }
            Op::Reshape => strides = reshaped(from, &self.strides, to)?,
            _ => return None,
        }
        Some(View { root: self.root, offset, strides })
    }
}

/// Whether two lists of strides visit the same elements of a space of extents `dims`.
pub(crate) fn same_strides(a: &[isize], b: &[isize], dims: &[usize]) -> bool {
    a.len() == dims.len()
        && b.len() == dims.len()
        && dims.iter().enumerate().all(|(i, &d)| d <= 1 || a[i] == b[i])
}

/// The strides of a strided tensor under other extents, if no element has to move: runs of
/// dimensions with equal products must each be evenly spaced.
pub(crate) fn reshaped(from: &[usize], strides: &[isize], to: &[usize]) -> Option<Strides> {
    if from.iter().product::<usize>() == 0 {
        return Some(dense_strides(to));
    }
    let old: Vec<(usize, isize)> =
        from.iter().copied().zip(strides.iter().copied()).filter(|&(d, _)| d != 1).collect();
    let mut result: Strides = SmallVec::from_elem(0, to.len());
    let (mut i, mut j) = (0, 0);
    while i < old.len() {
        let (mut n, mut m) = (old[i].0, 1);
        let (first, start) = (i, j);
        i += 1;
        while n != m || j == start {
            if m < n {
                m *= *to.get(j)?;
                j += 1;
            } else {
                n *= old.get(i)?.0;
                i += 1;
            }
        }
        for pair in old[first..i].windows(2) {
            if pair[0].1 != pair[1].1.checked_mul(pair[1].0 as isize)? {
                return None;
            }
        }
        let mut stride = old[i - 1].1;
        for d in (start..j).rev() {
            result[d] = stride;
            stride = stride.checked_mul(to[d] as isize)?;
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshapes_move_nothing_where_runs_are_even() {
        let case = |from: &[usize], strides: &[isize], to: &[usize]| {
            reshaped(from, strides, to).map(|s| s.to_vec())
        };
        assert_eq!(case(&[2, 3, 4], &[12, 4, 1], &[6, 4]), Some(vec![4, 1]));
        assert_eq!(case(&[6, 4], &[4, 1], &[2, 3, 2, 2]), Some(vec![12, 4, 2, 1]));
        assert_eq!(case(&[2, 3], &[3, 1], &[2, 1, 3, 1]), Some(vec![3, 3, 1, 0]));
        // A transposed matrix has to move, its batch does not.
        assert_eq!(case(&[4, 3], &[1, 4], &[12]), None);
        assert_eq!(case(&[4, 6, 2], &[1, 8, 4], &[4, 12]), Some(vec![1, 4]));
        // A row that is repeated stays a row that is repeated.
        assert_eq!(case(&[5, 4], &[0, 1], &[5, 2, 2]), Some(vec![0, 2, 1]));
        assert_eq!(case(&[5, 4], &[0, 1], &[20]), None);
    }
}
