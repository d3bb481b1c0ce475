//! Dimension bookkeeping that several kernels share: checked dimension numbers, permuted copies.
//!
//! Knows nothing of operations.

use std::borrow::Cow;

use bytemuck::Pod;
use tfjit_base::{Error, Result, Shape};

use crate::typed::advance;

/// `dims` as positions below `rank`.
///
/// # Errors
/// INVALID_ARGUMENT, calling them `what`, when one is out of range or appears twice.
pub(crate) fn positions(what: &str, dims: &[i64], rank: usize) -> Result<Vec<usize>> {
    let mut seen = vec![false; rank];
    dims.iter()
        .map(|&d| {
            let position = usize::try_from(d).ok().filter(|&d| d < rank && !seen[d]);
            let position = position.ok_or_else(|| {
                Error::invalid_argument(format!(
                    "{what} {dims:?} are not distinct dimensions of a tensor of rank {rank}"
                ))
            })?;
            seen[position] = true;
            Ok(position)
        })
        .collect()
}

/// The positions below `rank` that none of `taken` names, in order.
pub(crate) fn others(rank: usize, taken: &[&[usize]]) -> Vec<usize> {
    (0..rank).filter(|d| !taken.iter().any(|list| list.contains(d))).collect()
}

/// The extents at `positions`.
pub(crate) fn select(shape: &[usize], positions: &[usize]) -> Vec<usize> {
    positions.iter().map(|&p| shape[p]).collect()
}

/// Product of extents, saturating.
pub(crate) fn product(extents: &[usize]) -> usize {
    if extents.contains(&0) {
        return 0;
    }
    extents.iter().fold(1usize, |n, &d| n.saturating_mul(d))
}

/// Checks that a computed shape is the declared one.
///
/// # Errors
/// INVALID_ARGUMENT when they differ.
pub(crate) fn expect_shape(what: &str, computed: &[usize], declared: &Shape) -> Result<()> {
    if computed == declared.dims() {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "{what} makes a result of shape {computed:?}, but {declared} is declared"
    )))
}

/// The row-major elements of a tensor of extents `dims` with dimension `i` of the result being
/// dimension `order[i]` of the source; borrowed when nothing moves.
pub(crate) fn permuted<'a, T: Pod>(
    source: Cow<'a, [T]>,
    dims: &[usize],
    order: &[usize],
) -> Cow<'a, [T]> {
    let wide: Vec<usize> = order.iter().copied().filter(|&d| dims[d] != 1).collect();
    if wide.is_sorted() {
        return source;
    }
    let mut moved = vec![T::zeroed(); source.len()];
    permute_into(&source, dims, order, &mut moved);
    Cow::Owned(moved)
}

/// As [`permuted`], writing to `target`, which is as long as `source`.
pub(crate) fn permute_into<T: Pod>(
    source: &[T],
    dims: &[usize],
    order: &[usize],
    target: &mut [T],
) {
    let strides = Shape::new(dims).strides();
    let Some((&last, outer)) = order.split_last() else {
        target.copy_from_slice(source);
        return;
    };
    let (outer_dims, outer_strides) = (select(dims, outer), select(&strides, outer));
    let (extent, stride) = (dims[last], strides[last]);
    if source.is_empty() {
        return;
    }
    let mut index = vec![0; outer.len()];
    for row in target.chunks_exact_mut(extent) {
        let start: usize = index.iter().zip(&outer_strides).map(|(i, s)| i * s).sum();
        for (slot, value) in row.iter_mut().zip(source[start..].iter().step_by(stride)) {
            *slot = *value;
        }
        advance(&mut index, &outer_dims);
    }
}

/// The order that undoes `order`.
pub(crate) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (i, &d) in order.iter().enumerate() {
        inverse[d] = i;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_and_its_inverse() {
        let source: Vec<i32> = (0..24).collect();
        let moved = permuted(Cow::Borrowed(&source), &[2, 3, 4], &[2, 0, 1]);
        assert_eq!(moved[..6], [0, 4, 8, 12, 16, 20]);
        let back = permuted(moved, &[4, 2, 3], &inverse(&[2, 0, 1]));
        assert_eq!(back.as_ref(), source);
        let kept = permuted(Cow::Borrowed(&source), &[1, 24, 1], &[1, 2, 0]);
        assert!(matches!(kept, Cow::Borrowed(_)));
    }

    #[test]
    fn dimension_numbers_are_checked() {
        assert_eq!(positions("dims", &[2, 0], 3).unwrap(), [2, 0]);
        for bad in [&[3][..], &[-1], &[1, 1]] {
            assert!(positions("dims", bad, 3).is_err());
        }
        assert_eq!(others(4, &[&[2], &[0]]), [1, 3]);
    }
}
