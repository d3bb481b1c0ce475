//! The product of two matrices, for dot products and convolutions: `c += a * b`.
//!
//! `b` is packed once into panels of eight columns, so that the inner loop reads it contiguously
//! and keeps a tile of `c` in registers; a matrix of fewer columns is kept transposed.
//!
//! Each term is added with one rounding ([`Accum::fused`]), in order, in blocks of [`K_BLOCK`]; the
//! last columns beyond a multiple of sixteen, if they are eight or fewer, are summed apart for even
//! and odd terms. That is, for most shapes bit for bit, what TensorFlow's CPU kernels compute with
//! AVX2, and models that take logarithms of nearly nothing show the difference.

use tfjit_base::Result;

use crate::accum::{Accum, Buffer};

/// Columns of a panel.
const LANES: usize = 8;
/// Terms summed in registers before they are added to the result.
const K_BLOCK: usize = 256;
/// As [`K_BLOCK`], for columns that are summed as dot products.
const DOT_BLOCK: usize = 128;
/// Rows that go through all panels together: a block of them stays in the second-level cache.
const ROW_BLOCK: usize = 64;

/// A packed right-hand matrix of `k` rows and `n` columns.
pub(crate) struct Packed<T> {
    k: usize,
    n: usize,
    data: Buffer<T>,
}

impl<T: Accum> Packed<T> {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when it is too large.
    pub(crate) fn zeroed(k: usize, n: usize) -> Result<Packed<T>> {
        let columns = if n < LANES { n } else { n.div_ceil(LANES).saturating_mul(LANES) };
        Ok(Packed { k, n, data: Buffer::zeroed(columns.saturating_mul(k))? })
    }

    /// The row-major matrix `b`.
    ///
    /// # Errors
    /// As [`Packed::zeroed`].
    pub(crate) fn of(k: usize, n: usize, b: &[T]) -> Result<Packed<T>> {
        let mut packed = Packed::zeroed(k, n)?;
        if n > 0 {
            for (row, values) in b.chunks_exact(n).enumerate() {
                packed.set_row(row, values);
            }
        }
        Ok(packed)
    }

    /// Sets row `row`, which is below `k`, to `values`, which are `n`.
    pub(crate) fn set_row(&mut self, row: usize, values: &[T]) {
        let k = self.k;
        if self.n < LANES {
            for (column, value) in values.iter().enumerate() {
                self.data[column * k + row] = *value;
            }
            return;
        }
        let data: &mut [T] = &mut self.data;
        for (panel, values) in values.chunks(LANES).enumerate() {
            data[(panel * k + row) * LANES..][..values.len()].copy_from_slice(values);
        }
    }

    /// Adds `a` times this matrix to `c`; both are row-major with as many rows. `edges` tells which
    /// rows are edges of tiles.
    pub(crate) fn multiply(&self, a: &[T], c: &mut [T], edges: &Edges) {
        if self.k == 0 || self.n == 0 {
            return;
        }
        let blocks = a.chunks(self.k * ROW_BLOCK).zip(c.chunks_mut(self.n * ROW_BLOCK));
        for (block, (a, c)) in blocks.enumerate() {
            if self.n < LANES {
                self.multiply_narrow(a, c);
            } else {
                self.multiply_wide(a, c, &edges.after(block * ROW_BLOCK));
            }
        }
    }

    fn multiply_narrow(&self, a: &[T], c: &mut [T]) {
        let columns: &[T] = &self.data;
        for (a, c) in a.chunks_exact(self.k).zip(c.chunks_exact_mut(self.n)) {
            for (c, column) in c.iter_mut().zip(columns.chunks_exact(self.k)) {
                for (a, b) in a.chunks(DOT_BLOCK).zip(column.chunks(DOT_BLOCK)) {
                    *c = c.plus(dot(a, b));
                }
            }
        }
    }

    fn multiply_wide(&self, a: &[T], c: &mut [T], edges: &Edges) {
        let data: &[T] = &self.data;
        let rows = a.len() / self.k;
        for start in (0..self.k).step_by(K_BLOCK) {
            let terms = K_BLOCK.min(self.k - start);
            for (panel, columns) in data.chunks_exact(self.k * LANES).enumerate() {
                let columns = &columns[start * LANES..][..terms * LANES];
                let first = panel * LANES;
                let width = LANES.min(self.n - first);
                let apart = first.is_multiple_of(2 * LANES) && self.n - first <= LANES;
                let mut row = 0;
                while row < rows {
                    let a = &a[row * self.k + start..];
                    let tile = Tile { a, stride: self.k, columns, apart };
                    let c = &mut c[row * self.n + first..];
                    if edges.contains(row) {
                        tile.add_edge(c, width);
                        row += 1;
                        continue;
                    }
                    let left = edges.next_from(row).min(rows) - row;
                    row += match T::TILE_ROWS.min(left) {
                        4.. => tile.add_to::<4>(c, self.n, width),
                        2.. => tile.add_to::<2>(c, self.n, width),
                        _ => tile.add_to::<1>(c, self.n, width),
                    };
                }
            }
        }
    }
}

/// Which rows of a product TensorFlow's kernel leaves over from its tiles of six rows: one to three
/// rows at the end of a block are summed in another order. Where blocks end was measured for 128 to
/// 360 rows (TensorFlow 2.21, AVX2, two threads); fewer rows are one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    /// Ranges of rows, ascending, counted from the first row of the product at hand.
    ranges: Vec<std::ops::Range<usize>>,
}

impl Edges {
    /// The edges of a product of `rows` rows.
    pub(crate) fn of(rows: usize) -> Edges {
        let mut ends = Vec::new();
        let mut start = 0;
        // The last rows, up to 96, are divided in two where there are more than a block of them.
        if rows > 168 && (rows - 73) % 96 < 48 {
            let last = 73 + (rows - 73) % 24;
            start = rows - last;
            ends.push(start + last.div_ceil(2));
        }
        ends.push(rows);
        let mut ranges = Vec::new();
        for end in ends {
            let left = (end - start) % 6;
            if (1..=3).contains(&left) {
                ranges.push(end - left..end);
            }
            start = end;
        }
        Edges { ranges }
    }

    /// The same edges, counted from row `first`.
    pub(crate) fn after(&self, first: usize) -> Edges {
        let shift = |row: usize| row.saturating_sub(first);
        let ranges = self.ranges.iter().map(|r| shift(r.start)..shift(r.end));
        Edges { ranges: ranges.filter(|r| !r.is_empty()).collect() }
    }

    fn contains(&self, row: usize) -> bool {
        self.ranges.iter().any(|r| r.contains(&row))
    }

    /// The first edge row that is not before `row`.
    fn next_from(&self, row: usize) -> usize {
        let starts = self.ranges.iter().map(|r| r.start);
        starts.filter(|&start| start >= row).min().unwrap_or(usize::MAX)
    }
}

/// Some rows of `a` (each `stride` after the other) and a block of a panel.
struct Tile<'a, T> {
    a: &'a [T],
    stride: usize,
    columns: &'a [T],
    /// Whether even and odd terms are summed apart.
    apart: bool,
}

impl<T: Accum> Tile<'_, T> {
    /// Adds the product of the first `R` rows to `width` columns of `c`, whose rows are `n` apart;
    /// returns `R`.
    #[inline(always)]
    fn add_to<const R: usize>(&self, c: &mut [T], n: usize, width: usize) -> usize {
        let mut sums = [[T::zeroed(); LANES]; R];
        if self.apart {
            let mut odd = sums;
            self.sum::<R>(&mut sums, 0, 2);
            self.sum::<R>(&mut odd, 1, 2);
            for (sum, odd) in sums.iter_mut().flatten().zip(odd.iter().flatten()) {
                *sum = sum.plus(*odd);
            }
        } else {
            self.sum::<R>(&mut sums, 0, 1);
        }
        for (r, sums) in sums.iter().enumerate() {
            for (c, sum) in c[r * n..][..width].iter_mut().zip(sums) {
                *c = c.plus(*sum);
            }
        }
        R
    }

    /// As [`Tile::add_to`] for one row at the edge of a tile: even and odd terms apart, with a
    /// rounding of each product.
    fn add_edge(&self, c: &mut [T], width: usize) {
        let mut sums = [[T::zeroed(); LANES]; 2];
        for (k, (a, b)) in self.a.iter().zip(self.columns.chunks_exact(LANES)).enumerate() {
            for (sum, b) in sums[k % 2].iter_mut().zip(b) {
                *sum = sum.plus(a.times(*b));
            }
        }
        for (c, (even, odd)) in c[..width].iter_mut().zip(sums[0].iter().zip(&sums[1])) {
            *c = c.plus(even.plus(*odd));
        }
    }

    /// Adds every `step`-th term from `first` on.
    #[inline(always)]
    fn sum<const R: usize>(&self, sums: &mut [[T; LANES]; R], first: usize, step: usize) {
        let terms = self.columns.len() / LANES;
        let rows: [&[T]; R] = std::array::from_fn(|r| &self.a[r * self.stride..][..terms]);
        let columns = self.columns.chunks_exact(LANES).enumerate();
        for (k, b) in columns.skip(first).step_by(step) {
            for (sums, row) in sums.iter_mut().zip(&rows) {
                let a = row[k];
                for (sum, b) in sums.iter_mut().zip(b) {
                    *sum = sum.fused(a, *b);
                }
            }
        }
    }
}

/// The dot product of two slices of equal length, over eight sums that are added in pairs.
fn dot<T: Accum>(a: &[T], b: &[T]) -> T {
    let mut s = [T::zeroed(); LANES];
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        for ((sum, a), b) in s.iter_mut().zip(a).zip(b) {
            *sum = sum.fused(*a, *b);
        }
    }
    let pairs = [s[0].plus(s[1]), s[2].plus(s[3]), s[4].plus(s[5]), s[6].plus(s[7])];
    pairs[0].plus(pairs[2]).plus(pairs[1].plus(pairs[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_where_they_were_measured() {
        let edges = |rows: usize| {
            let edges = Edges::of(rows);
            (0..rows).filter(|&row| edges.contains(row)).collect::<Vec<_>>()
        };
        assert_eq!(edges(86), [84, 85]);
        assert_eq!(edges(133), [132]);
        assert!(edges(160).is_empty());
        assert_eq!(edges(172), [132, 133, 170, 171]);
        assert_eq!(edges(175), [172, 173, 174]);
        assert_eq!(edges(194), [156, 193]);
        assert!(edges(200).is_empty());
        assert_eq!(edges(265), [228]);
        assert_eq!(edges(344), [342, 343]);
        let all: Vec<usize> = (0..64).filter(|&r| Edges::of(172).after(128).contains(r)).collect();
        assert_eq!(all, [4, 5, 42, 43]);
    }

    /// The definition, for small integers.
    fn plain(a: &[i32], b: &[i32], m: usize, k: usize, n: usize) -> Vec<i32> {
        let mut c = vec![1; m * n];
        for i in 0..m {
            for j in 0..n {
                for l in 0..k {
                    c[i * n + j] += a[i * k + l] * b[l * n + j];
                }
            }
        }
        c
    }

    #[test]
    fn every_remainder_is_right() {
        for (m, k, n) in [(1, 1, 1), (3, 9, 5), (7, 300, 8), (70, 3, 17), (5, 257, 7), (2, 0, 9)] {
            let a: Vec<i32> = (0..m * k).map(|i| (i * 7 % 11) as i32 - 5).collect();
            let b: Vec<i32> = (0..k * n).map(|i| (i * 5 % 13) as i32 - 6).collect();
            let want = plain(&a, &b, m, k, n);
            let mut c = vec![1; m * n];
            Packed::of(k, n, &b).unwrap().multiply(&a, &mut c, &Edges::default());
            assert_eq!(c, want, "{m} {k} {n}");
            let mut c = vec![1i64; m * n];
            let widen = |v: &[i32]| v.iter().map(|&v| i64::from(v)).collect::<Vec<i64>>();
            Packed::of(k, n, &widen(&b)).unwrap().multiply(&widen(&a), &mut c, &Edges::default());
            assert_eq!(c, widen(&want), "{m} {k} {n}");
        }
    }
}
