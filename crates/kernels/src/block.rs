//! How a result is divided: into units for threads, blocks for whoever works on the result while it
//! is in cache, and tiles for registers.

/// Most rows of a unit.
pub(crate) const ROWS_MAX: usize = 96;
/// Most rows of a tile of registers.
pub(crate) const TILE_ROWS: usize = 6;
/// Columns of a panel.
pub(crate) const PANEL: usize = 16;

/// A finished block of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Which matrix of a batch; the image, for convolutions.
    pub batch: usize,
    /// Its first row; of convolutions rows are output pixels of one image in order.
    pub row: usize,
    /// Number of rows.
    pub rows: usize,
    /// Its first column; of convolutions columns are output features.
    pub col: usize,
    /// Number of columns.
    pub cols: usize,
}

/// Units of a product of `m` by `n`.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) m: usize,
    pub(crate) n: usize,
    row_block: usize,
    row_blocks: usize,
    col_block: usize,
    col_blocks: usize,
    /// Whether neighbouring units have the same columns.
    rows_inside: bool,
}

/// What a unit computes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) row: usize,
    pub(crate) rows: usize,
    pub(crate) col: usize,
    pub(crate) cols: usize,
}

/// The cost of a unit that is worth its scheduling, in floating-point operations.
const UNIT_COST: std::ops::Range<usize> = 500_000..8_000_000;

/// Units that keep some threads busy to the end.
const UNITS_MIN: usize = 8;
/// Rows that make a panel worth reading.
const UNIT_ROWS_MIN: usize = 4 * TILE_ROWS;
/// Elements of a block that stays in the second-level cache with what it is made of.
const BLOCK_ELEMENTS: usize = 32 << 10;

impl Grid {
    /// Divides a product of `k` terms, in blocks of `rows_max` rows at most.
    pub(crate) fn new(m: usize, k: usize, n: usize, rows_max: usize) -> Grid {
        let row_blocks = m.div_ceil(rows_max.max(1)).max(1);
        let rows = m.div_ceil(row_blocks).max(1);
        // Reading the right-hand side costs as much as eight rows of arithmetic.
        let column = rows.saturating_mul(2).saturating_add(16).saturating_mul(k.max(1));
        let total = column.saturating_mul(n).saturating_mul(row_blocks);
        let target = (total / 16).clamp(UNIT_COST.start, UNIT_COST.end);
        let cols_max = (BLOCK_ELEMENTS / rows).clamp(64, 512);
        let cols = (target / column).clamp(64, cols_max);
        let col_blocks = n.div_ceil(cols).max(1);
        let col_block = n.div_ceil(col_blocks).next_multiple_of(PANEL).max(PANEL);
        // Few columns: fewer rows, if the units are still worth it.
        let wanted = UNITS_MIN.div_ceil(col_blocks).min(total / UNIT_COST.start);
        let row_blocks = row_blocks.max(wanted.min(m / UNIT_ROWS_MIN));
        let row_block = m.div_ceil(row_blocks).next_multiple_of(TILE_ROWS).max(1);
        Grid {
            m,
            n,
            row_block,
            row_blocks: m.div_ceil(row_block),
            col_block,
            col_blocks: n.div_ceil(col_block),
            rows_inside: n > m,
        }
    }

    pub(crate) fn units(&self) -> usize {
        self.row_blocks * self.col_blocks
    }

    /// Most rows of a unit.
    pub(crate) fn rows_max(&self) -> usize {
        self.row_block.min(self.m)
    }

    /// Most columns of a unit, in whole panels.
    pub(crate) fn cols_max(&self) -> usize {
        self.col_block
    }

    pub(crate) fn part(&self, unit: usize) -> Part {
        let (r, c) = if self.rows_inside {
            (unit % self.row_blocks, unit / self.row_blocks)
        } else {
            (unit / self.col_blocks, unit % self.col_blocks)
        };
        let (row, col) = (r * self.row_block, c * self.col_block);
        Part {
            row,
            rows: self.row_block.min(self.m - row),
            col,
            cols: self.col_block.min(self.n - col),
        }
    }
}

/// Which rows of a convolution TensorFlow's kernel leaves over from its tiles of six rows: one to
/// three rows at the end of a block are summed in another order. Where blocks end was measured for
/// 128 to 360 rows (TensorFlow 2.21, AVX2, two threads); fewer rows are one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edges {
    /// First row and end of up to two ranges, ascending.
    ranges: [(usize, usize); 2],
}

impl Edges {
    /// The edges of a product of `rows` rows.
    pub(crate) fn of(rows: usize) -> Edges {
        // Beyond a block, the last rows (up to 96) are divided in two.
        let halves = if rows > 168 && (rows - 73) % 96 < 48 {
            let last = 73 + (rows - 73) % 24;
            rows - last + last.div_ceil(2)
        } else {
            0
        };
        let start = if halves > 0 { rows - (73 + (rows - 73) % 24) } else { 0 };
        let left_of = |start: usize, end: usize| match (end - start) % TILE_ROWS {
            left @ 1..=3 => (end - left, end),
            _ => (end, end),
        };
        let first = if halves > 0 { left_of(start, halves) } else { (0, 0) };
        let last_start = if halves > 0 { halves } else { 0 };
        Edges { ranges: [first, left_of(last_start, rows)] }
    }

    fn contains(&self, row: usize) -> bool {
        self.ranges.iter().any(|&(start, end)| (start..end).contains(&row))
    }

    /// The first edge row that is not before `row`.
    fn next_from(&self, row: usize) -> usize {
        let filled = self.ranges.iter().filter(|(start, end)| start < end && *start >= row);
        filled.map(|&(start, _)| start).min().unwrap_or(usize::MAX)
    }
}

/// Some rows that are computed together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strip {
    /// The first, counted from the first row of the unit.
    pub(crate) row: usize,
    /// How many, 1 to [`TILE_ROWS`].
    pub(crate) rows: usize,
    /// Whether it is one edge row.
    pub(crate) edge: bool,
}

/// The rows of a unit, as tiles.
pub(crate) struct Strips {
    strips: [Strip; ROWS_MAX / TILE_ROWS + 12],
    len: usize,
}

impl Strips {
    /// Divides the `rows` (at most [`ROWS_MAX`]) that begin at row `first` of the product.
    pub(crate) fn of(first: usize, rows: usize, edges: &Edges) -> Strips {
        let mut strips = Strips { strips: Default::default(), len: 0 };
        let mut row = 0;
        while row < rows {
            if edges.contains(first + row) {
                strips.push(Strip { row, rows: 1, edge: true });
                row += 1;
                continue;
            }
            let end = rows.min(edges.next_from(first + row).saturating_sub(first));
            // Tiles of nearly equal size: 13 rows are 5, 4 and 4, for one row alone is slow.
            let (run, tiles) = (end - row, (end - row).div_ceil(TILE_ROWS));
            for tile in 0..tiles {
                let rows = run / tiles + usize::from(tile < run % tiles);
                strips.push(Strip { row, rows, edge: false });
                row += rows;
            }
        }
        strips
    }

    fn push(&mut self, strip: Strip) {
        self.strips[self.len] = strip;
        self.len += 1;
    }

    pub(crate) fn as_slice(&self) -> &[Strip] {
        &self.strips[..self.len]
    }
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
        assert_eq!(edges(1), [0]);
        assert_eq!(edges(49), [48]);
        assert_eq!(edges(86), [84, 85]);
        assert_eq!(edges(133), [132]);
        assert!(edges(160).is_empty());
        assert_eq!(edges(172), [132, 133, 170, 171]);
        assert_eq!(edges(175), [172, 173, 174]);
        assert_eq!(edges(194), [156, 193]);
        assert!(edges(200).is_empty());
        assert_eq!(edges(265), [228]);
        assert_eq!(edges(344), [342, 343]);
    }

    #[test]
    fn strips_cover_all_rows_once() {
        for total in 1..400 {
            let edges = Edges::of(total);
            for first in (0..total).step_by(96) {
                let rows = (total - first).min(96);
                let strips = Strips::of(first, rows, &edges);
                let mut next = 0;
                for s in strips.as_slice() {
                    assert_eq!(s.row, next);
                    assert!((1..=TILE_ROWS).contains(&s.rows));
                    for row in s.row..s.row + s.rows {
                        assert_eq!(edges.contains(first + row), s.edge);
                    }
                    next += s.rows;
                }
                assert_eq!(next, rows);
            }
        }
    }

    #[test]
    fn units_cover_the_result_once() {
        for (m, k, n) in [(1, 512, 512), (100, 3, 7), (513, 2000, 1000), (7, 1, 100_000)] {
            let grid = Grid::new(m, k, n, ROWS_MAX);
            let mut seen = vec![0u8; m * n];
            for unit in 0..grid.units() {
                let p = grid.part(unit);
                assert!(p.rows <= ROWS_MAX && p.rows > 0 && p.cols > 0 && p.cols <= 512);
                for row in p.row..p.row + p.rows {
                    seen[row * n + p.col..][..p.cols].iter_mut().for_each(|s| *s += 1);
                }
            }
            assert!(seen.iter().all(|&s| s == 1), "{m} {k} {n}");
        }
    }
}
