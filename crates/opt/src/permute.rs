//! Transposes dense data in tiles, for weights of any size.
//!
//! Must not know what the elements are.

use tfjit_base::{AlignedBytes, Result, Shape, Tensor};

/// Rows and columns of a tile: both sides of it stay in the first-level cache.
const TILE: usize = 16;

/// The tensor whose dimension `i` is dimension `permutation[i]` of `tensor`; `None` for strings and
/// elements of unusual size.
///
/// # Errors
/// RESOURCE_EXHAUSTED when memory is short.
pub(crate) fn permuted(tensor: &Tensor, permutation: &[i64]) -> Result<Option<Tensor>> {
    let strides = tensor.shape().strides();
    let shape: Shape = permutation.iter().map(|&d| tensor.shape()[d as usize]).collect();
    let size = tensor.dtype().size();
    let bytes = tensor.bytes();
    if bytes.len() != size * shape.elements() || !matches!(size, 1 | 2 | 4 | 8 | 16) {
        return Ok(None);
    }
    let axes = merged(shape.dims(), permutation.iter().map(|&d| strides[d as usize]));
    let mut out = AlignedBytes::zeroed(bytes.len())?;
    match size {
        1 => copy::<1>(bytes, out.as_mut(), &axes),
        2 => copy::<2>(bytes, out.as_mut(), &axes),
        4 => copy::<4>(bytes, out.as_mut(), &axes),
        8 => copy::<8>(bytes, out.as_mut(), &axes),
        _ => copy::<16>(bytes, out.as_mut(), &axes),
    }
    Tensor::new(tensor.dtype(), shape, out).map(Some)
}

/// A dimension of the result: its extent, and strides in elements in the source and the result.
#[derive(Clone, Copy)]
struct Axis {
    extent: usize,
    from: usize,
    to: usize,
}

/// The dimensions of a result with these extents and source strides; neighbours that are
/// neighbours in the source too are one.
fn merged(extents: &[usize], strides: impl Iterator<Item = usize>) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for (&extent, from) in extents.iter().zip(strides).filter(|&(&extent, _)| extent != 1) {
        match axes.last_mut().filter(|outer| outer.from == from * extent) {
            Some(outer) => (outer.extent, outer.from) = (outer.extent * extent, from),
            None => axes.push(Axis { extent, from, to: 0 }),
        }
    }
    let mut to = 1;
    for axis in axes.iter_mut().rev() {
        axis.to = to;
        to *= axis.extent;
    }
    axes
}

/// Copies elements of `N` bytes.
fn copy<const N: usize>(from: &[u8], to: &mut [u8], axes: &[Axis]) {
    let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
    if to.is_empty() {
        return;
    }
    // Columns are neighbours in the result, rows in the source.
    let column = axes.iter().position(|axis| axis.to == 1);
    let row = axes.iter().position(|axis| axis.from == 1);
    let (Some(column), Some(row)) = (column, row) else {
        to.copy_from_slice(from);
        return;
    };
    let outer: Vec<Axis> =
        (0..axes.len()).filter(|&i| i != column && i != row).map(|i| axes[i]).collect();
    let one = Axis { extent: 1, from: 0, to: 0 };
    let tile = (axes[column], if row == column { one } else { axes[row] });
    let mut position = vec![0; outer.len()];
    loop {
        let at = |stride: fn(&Axis) -> usize| -> usize {
            position.iter().zip(&outer).map(|(&p, axis)| p * stride(axis)).sum()
        };
        plane(&from[at(|axis| axis.from)..], &mut to[at(|axis| axis.to)..], tile);
        let next = (0..outer.len()).rev().find(|&d| {
            position[d] = (position[d] + 1) % outer[d].extent;
            position[d] != 0
        });
        if next.is_none() {
            return;
        }
    }
}

/// Copies a plane of columns and rows, tile by tile.
fn plane<const N: usize>(from: &[[u8; N]], to: &mut [[u8; N]], (column, row): (Axis, Axis)) {
    if column.from == 1 {
        for r in 0..row.extent {
            let (a, b) = (r * row.from, r * row.to);
            to[b..b + column.extent].copy_from_slice(&from[a..a + column.extent]);
        }
        return;
    }
    for r in (0..row.extent).step_by(TILE) {
        for c in (0..column.extent).step_by(TILE) {
            let columns = TILE.min(column.extent - c);
            for r in r..row.extent.min(r + TILE) {
                let start = r * row.to + c;
                let line = to[start..start + columns].iter_mut();
                for (i, element) in line.enumerate() {
                    *element = from[r + (c + i) * column.from];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Element by element.
    fn slowly(x: &Tensor, permutation: &[i64]) -> Vec<i32> {
        let (given, strides) = (x.to_vec::<i32>().unwrap(), x.shape().strides());
        let dims: Vec<usize> = permutation.iter().map(|&d| x.shape()[d as usize]).collect();
        let total: usize = dims.iter().product();
        let source = |mut i: usize| {
            let mut at = 0;
            for (d, &n) in dims.iter().enumerate().rev() {
                at += i % n * strides[permutation[d] as usize];
                i /= n;
            }
            given[at]
        };
        (0..total).map(source).collect()
    }

    #[test]
    fn elements_go_where_they_belong() {
        let shapes: [&[usize]; 6] =
            [&[3, 70, 35], &[1, 5, 1], &[40, 2, 3, 33], &[2, 0, 3], &[1, 1], &[]];
        let orders: [&[&[i64]]; 6] = [
            &[&[0, 2, 1], &[2, 1, 0], &[1, 0, 2], &[1, 2, 0], &[0, 1, 2]],
            &[&[2, 0, 1]],
            &[&[3, 1, 2, 0], &[2, 3, 1, 0], &[0, 2, 3, 1], &[1, 0, 3, 2]],
            &[&[2, 1, 0]],
            &[&[1, 0]],
            &[&[]],
        ];
        for (shape, orders) in shapes.iter().zip(orders) {
            let shape = Shape::new(shape);
            let values: Vec<i32> = (0..shape.elements() as i32).collect();
            let x = Tensor::from_slice(shape, &values).unwrap();
            for order in orders {
                let y = permuted(&x, order).unwrap().unwrap();
                assert_eq!(
                    y.to_vec::<i32>().unwrap(),
                    slowly(&x, order),
                    "{:?} {order:?}",
                    x.shape()
                );
            }
        }
    }
}
