//! Collapsing of a loop's dimensions: from a tensor's extents to outer dimensions, rows, columns.
//!
//! Neighbouring dimensions become one where every stream walks them evenly. Nothing here knows
//! instructions.

use smallvec::SmallVec;

use super::view::Strides;

/// One dimension of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dim {
    /// Its extent.
    pub(crate) extent: usize,
    /// Dimensions with different marks are never made one.
    pub(crate) mark: u8,
    /// One stride a stream.
    pub(crate) strides: SmallVec<[isize; 8]>,
}

/// The dimensions `dims` with the strides of all streams, collapsed; dimensions of extent 1 go.
/// The order is kept, outermost first.
pub(crate) fn collapse(dims: &[usize], marks: &[u8], streams: &[&Strides]) -> Vec<Dim> {
    let mut result: Vec<Dim> = Vec::with_capacity(dims.len());
    for (i, &extent) in dims.iter().enumerate() {
        if extent == 1 {
            continue;
        }
        let strides: SmallVec<[isize; 8]> = streams.iter().map(|s| s[i]).collect();
        let dim = Dim { extent, mark: marks[i], strides };
        match result.last_mut() {
            Some(last) if last.mark == dim.mark && even(last, &dim) => {
                last.extent *= extent;
                last.strides = dim.strides;
            }
            _ => result.push(dim),
        }
    }
    result
}

/// Whether every stream walks `outer` as a continuation of `inner`.
fn even(outer: &Dim, inner: &Dim) -> bool {
    let pairs = outer.strides.iter().zip(&inner.strides);
    pairs.into_iter().all(|(&o, &i)| i.checked_mul(inner.extent as isize) == Some(o))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strides(s: &[isize]) -> Strides {
        s.iter().copied().collect()
    }

    #[test]
    fn dense_dimensions_become_one_and_broadcasts_stay() {
        let dense = strides(&[24, 12, 4, 1]);
        let bias = strides(&[0, 0, 0, 1]);
        let dims = collapse(&[2, 2, 3, 4], &[0; 4], &[&dense, &dense]);
        assert_eq!(dims.iter().map(|d| d.extent).collect::<Vec<_>>(), [48]);
        let dims = collapse(&[2, 2, 3, 4], &[0; 4], &[&dense, &bias]);
        assert_eq!(dims.iter().map(|d| d.extent).collect::<Vec<_>>(), [12, 4]);
        assert_eq!(dims[0].strides[..], [4, 0]);
        let dims = collapse(&[2, 2, 3, 4], &[0, 1, 1, 0], &[&dense]);
        assert_eq!(dims.iter().map(|d| d.extent).collect::<Vec<_>>(), [2, 6, 4]);
    }
}
