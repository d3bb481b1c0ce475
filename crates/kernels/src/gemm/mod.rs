//! The heart of matrix products and convolutions: one unit of `c = a * b`, with `b` packed in
//! panels and the rows of `a` found through a table of pointers.
//!
//! # Order of sums
//!
//! Terms are added with one rounding each, in ascending order, in blocks of [`K_BLOCK`]; a block's
//! sum starts from zero and is added to the result, which starts from zero. The last columns beyond
//! a multiple of 16, if they are 8 or fewer, sum even and odd terms of a block apart. So do the
//! rows of [`Edges`], in all columns, and round their products. Results of fewer than 8 columns are
//! dot products over 8 lanes in blocks of [`DOT_BLOCK`]. This is bit for bit what TensorFlow's CPU
//! kernels do with AVX2 for most shapes; programs that take logarithms of rounding noise show it.
//!
//! It knows neither convolutions nor element types other than those of sums.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_dot;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::mask;

use crate::block::{Edges, PANEL, Part, Strip, Strips};
use crate::isa::Isa;
use crate::scratch::{Cut, piece};
use crate::types::{Acc, Reader, Sum, Writer};

/// Terms that are summed in registers before they are added to the result.
pub(crate) const K_BLOCK: usize = 256;
/// As [`K_BLOCK`], for results of fewer than 8 columns.
pub(crate) const DOT_BLOCK: usize = 128;
/// Columns of half a panel; results of fewer columns are dot products.
pub(crate) const HALF: usize = 8;

/// Elements of a right-hand side that does not stay in the second-level cache.
const FAR: usize = 1 << 16;

/// Some terms of a block of rows: the rows of `a` in pieces, one a tap, of neighbouring elements.
#[derive(Clone, Copy)]
pub(crate) struct Terms<A> {
    /// Pointers to the pieces: of row `r` and tap `t`, number `t * stride + r`.
    pub(crate) table: *const *const A,
    pub(crate) stride: usize,
    /// Terms of a piece.
    pub(crate) channels: usize,
    /// The first term: a tap and a term of its piece.
    pub(crate) tap: usize,
    pub(crate) channel: usize,
    /// How many terms.
    pub(crate) len: usize,
}

/// One tile: some rows times one or more panels.
pub(crate) struct Tile<A> {
    pub(crate) terms: Terms<A>,
    pub(crate) strip: Strip,
    /// The first term of the first panel.
    pub(crate) b: *const A,
    /// From panel to panel.
    pub(crate) panel_stride: usize,
    /// Full panels; 1 when `width` is less.
    pub(crate) panels: usize,
    /// Columns of a panel; 1 to [`HALF`] means half a panel with even and odd terms apart.
    pub(crate) width: usize,
    /// The first element of the result.
    pub(crate) c: *mut A,
    /// From row to row of the result.
    pub(crate) row_stride: isize,
    /// Whether these are the first terms.
    pub(crate) first: bool,
}

/// A result of fewer than [`HALF`] columns: some rows times transposed columns.
pub(crate) struct Dots<A> {
    pub(crate) terms: Terms<A>,
    pub(crate) row: usize,
    pub(crate) rows: usize,
    /// The first term of the first column.
    pub(crate) b: *const A,
    /// From column to column.
    pub(crate) col_stride: usize,
    pub(crate) cols: usize,
    pub(crate) c: *mut A,
    pub(crate) row_stride: isize,
    pub(crate) first: bool,
}

/// Computes tiles.
pub(crate) trait Kernel: Copy {
    /// The type of sums.
    type Acc: Acc;
    /// # Safety
    /// All pointers of the tile are valid for its rows, terms and columns; panels are padded to
    /// whole or half panels.
    unsafe fn tile(self, tile: &Tile<Self::Acc>);
    /// Copies `len` columns of `rows` elements of a transposed left-hand side, `step` elements
    /// apart, to rows of [`K_BLOCK`] elements; `false` when it has no fast way.
    ///
    /// # Safety
    /// `from` has the columns, `to` room for the rows.
    unsafe fn copy_columns(
        self,
        _from: *const Self::Acc,
        _step: isize,
        _rows: usize,
        _len: usize,
        _to: *mut Self::Acc,
    ) -> bool {
        false
    }
    /// Asks for the rows of a tile to be brought to the cache, where that is worth it.
    ///
    /// # Safety
    /// The table is valid for the rows.
    unsafe fn prefetch(self, _terms: &Terms<Self::Acc>, _strip: Strip) {}
    /// Asks for some elements of a panel to be brought to the second-level cache.
    fn prefetch_panel(self, _b: *const Self::Acc, _len: usize) {}
    /// # Safety
    /// All pointers are valid; columns are padded with zeros to a multiple of 8 terms.
    unsafe fn dots(self, dots: &Dots<Self::Acc>);
}

/// What is run with the kernel of a processor and a type.
pub(crate) trait Job {
    /// # Safety
    /// The kernel's sums are those of the job's types.
    unsafe fn run<K: Kernel>(self, kernel: K);
}

/// Runs `job` with the kernel for sums of a type.
///
/// # Safety
/// As [`Job::run`].
pub(crate) unsafe fn dispatch(isa: Isa, sum: Sum, job: impl Job) {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = avx2::Avx2::new(isa) {
            return match sum {
                Sum::F32 => job.run(kernel),
                Sum::F64 => run_compiled::<f64>(isa, job),
                Sum::I32 => run_compiled::<i32>(isa, job),
                Sum::I64 => run_compiled::<i64>(isa, job),
            };
        }
        let _ = isa;
        match sum {
            Sum::F32 => job.run(portable::Portable::<f32>::new()),
            Sum::F64 => job.run(portable::Portable::<f64>::new()),
            Sum::I32 => job.run(portable::Portable::<i32>::new()),
            Sum::I64 => job.run(portable::Portable::<i64>::new()),
        }
    }
}

/// # Safety
/// As [`Job::run`].
#[cfg(target_arch = "x86_64")]
unsafe fn run_compiled<A: Acc>(isa: Isa, job: impl Job) {
    if let Some(kernel) = portable::Compiled::<A>::new(isa) {
        // SAFETY: the caller's promise.
        unsafe { job.run(kernel) }
    }
}

/// The rows of `a`.
pub(crate) struct Rows<A> {
    /// As in [`Terms`], to elements as they are in memory.
    pub(crate) table: *const *const u8,
    pub(crate) stride: usize,
    pub(crate) channels: usize,
    /// From term to term of a piece, in elements.
    pub(crate) step: isize,
    pub(crate) reader: Reader<A>,
}

/// A unit of work.
pub(crate) struct Unit<'a, A> {
    pub(crate) part: Part,
    pub(crate) k: usize,
    /// Columns of the whole result.
    pub(crate) n: usize,
    pub(crate) rows: Rows<A>,
    pub(crate) edges: &'a Edges,
    /// The packed right-hand side.
    pub(crate) packed: *const A,
    /// The first element of the part of the result.
    pub(crate) out: *mut u8,
    /// From row to row of the result, in elements.
    pub(crate) out_stride: isize,
    pub(crate) writer: Writer<A>,
}

/// Scratch bytes of a unit of at most so many rows and columns.
pub(crate) fn scratch_bytes<A>(rows: usize, cols: usize) -> usize {
    piece::<*const A>(rows)
        .saturating_add(piece::<A>(rows.saturating_mul(K_BLOCK)))
        .saturating_add(piece::<A>(rows.saturating_mul(cols.next_multiple_of(PANEL))))
}

impl<A: Acc> Unit<'_, A> {
    /// Computes the part of the result.
    ///
    /// # Safety
    /// All pointers are valid for the part; nobody else writes the part.
    pub(crate) unsafe fn run<K: Kernel<Acc = A>>(&self, kernel: K, cut: &mut Cut) {
        let Part { rows, cols, .. } = self.part;
        let pointers = cut.take::<*const A>(rows);
        let copied = cut.take::<A>(rows * K_BLOCK);
        let (c, stride) = if self.writer.same {
            (self.out.cast::<A>(), self.out_stride)
        } else {
            (cut.take::<A>(rows * cols.next_multiple_of(PANEL)), cols as isize)
        };
        // SAFETY: offsets stay within the part; the scratch pieces are as large as they are used.
        unsafe {
            if self.k == 0 {
                for row in 0..rows {
                    let row = c.offset(row as isize * stride);
                    (0..cols).for_each(|col| row.add(col).write(A::ZERO));
                }
            }
            let copy = self.must_copy();
            if copy {
                (0..rows).for_each(|r| pointers.add(r).write(copied.add(r * K_BLOCK)));
            }
            let strips = Strips::of(self.part.row, rows, self.edges);
            for start in (0..self.k).step_by(K_BLOCK) {
                let len = K_BLOCK.min(self.k - start);
                let terms = if copy {
                    self.copy(kernel, start, len, copied);
                    let (channels, stride) = (K_BLOCK, 1);
                    Terms { table: pointers, stride, channels, tap: 0, channel: 0, len }
                } else {
                    let channels = self.rows.channels;
                    let (tap, channel) = (start / channels, start % channels);
                    let table = self.rows.table.cast::<*const A>();
                    Terms { table, stride: self.rows.stride, channels, tap, channel, len }
                };
                if self.n < HALF {
                    self.dots(kernel, terms, start, c, stride);
                } else {
                    self.tiles(kernel, terms, start, strips.as_slice(), c, stride);
                }
            }
            if !self.writer.same {
                for row in 0..rows {
                    let to = row as isize * self.out_stride * self.writer.size as isize;
                    (self.writer.write)(c.add(row * cols), cols, self.out.offset(to));
                }
            }
        }
    }

    fn must_copy(&self) -> bool {
        let rows = &self.rows;
        // Dot products take eight terms at once, which have to be neighbours.
        let broken = self.n < HALF && rows.channels < self.k && !rows.channels.is_multiple_of(8);
        !rows.reader.same || rows.step != 1 || broken
    }

    /// Copies terms `start..start + len` of all rows, each row to `K_BLOCK` elements of `to`.
    ///
    /// # Safety
    /// As [`Unit::run`].
    unsafe fn copy<K: Kernel<Acc = A>>(&self, kernel: K, start: usize, len: usize, to: *mut A) {
        let rows = &self.rows;
        let size = rows.reader.size as isize;
        if rows.reader.same && rows.step != 1 && rows.channels >= self.k && self.part.rows > 1 {
            // SAFETY: the table has all rows.
            unsafe {
                let first = *rows.table;
                let neighbours =
                    |r: usize| *rows.table.add(r) == first.wrapping_add(r * rows.reader.size);
                let from = first.offset(start as isize * rows.step * size).cast::<A>();
                if (1..self.part.rows).all(neighbours)
                    && kernel.copy_columns(from, rows.step, self.part.rows, len, to)
                {
                    return;
                }
            }
        }
        for row in 0..self.part.rows {
            let (mut tap, mut channel, mut done) =
                (start / rows.channels, start % rows.channels, 0);
            while done < len {
                let count = (rows.channels - channel).min(len - done);
                // SAFETY: the table has all rows and taps, its pieces all channels.
                unsafe {
                    let piece = *rows.table.add(tap * rows.stride + row);
                    let from = piece.offset(channel as isize * rows.step * size);
                    let to = to.add(row * K_BLOCK + done);
                    (rows.reader.read)(from, rows.step, count, to);
                }
                (tap, channel, done) = (tap + 1, 0, done + count);
            }
        }
    }

    /// # Safety
    /// As [`Unit::run`]; `c` is the part of the result.
    unsafe fn dots<K: Kernel<Acc = A>>(
        &self,
        kernel: K,
        terms: Terms<A>,
        start: usize,
        c: *mut A,
        row_stride: isize,
    ) {
        // SAFETY: `packed` has all columns, each padded to a multiple of 8 terms.
        unsafe {
            kernel.dots(&Dots {
                terms,
                row: 0,
                rows: self.part.rows,
                b: self.packed.add(start),
                col_stride: self.k.next_multiple_of(8),
                cols: self.n,
                c,
                row_stride,
                first: start == 0,
            });
        }
    }

    /// # Safety
    /// As [`Unit::run`]; `c` is the part of the result.
    unsafe fn tiles<K: Kernel<Acc = A>>(
        &self,
        kernel: K,
        terms: Terms<A>,
        start: usize,
        strips: &[Strip],
        c: *mut A,
        row_stride: isize,
    ) {
        let Part { col, cols, .. } = self.part;
        let panel_stride = self.k * PANEL;
        // As many panels as stay in the first-level cache while the strips go through them; one
        // strip needs none of them twice.
        let together = match strips {
            [_] => usize::MAX,
            _ => (K_BLOCK / terms.len).max(1),
        };
        // A large right-hand side comes from far; one tile reads it as fast as it comes.
        let far = self.k * self.n >= FAR && strips.len() >= 4;
        let mut at = 0;
        while at < cols {
            let width = (cols - at).min(PANEL);
            let panels = ((cols - at) / PANEL).clamp(1, together);
            // Of half a panel a term is half as long.
            let apart = width <= HALF;
            let term = if apart { HALF } else { PANEL };
            for (i, &strip) in strips.iter().enumerate() {
                // SAFETY: the part begins at a whole panel, so `col + at` does.
                unsafe {
                    // What the next tile reads for the first time.
                    if at == 0
                        && let Some(next) = strips.get(i + 1)
                    {
                        kernel.prefetch(&terms, *next);
                    }
                    // A piece of the next panel.
                    let lines = terms.len / strips.len();
                    let b = self.packed.add((col + at) / PANEL * panel_stride + start * term);
                    if panels == 1 && at + PANEL < cols && far {
                        let next = b.wrapping_add(panel_stride + i * lines * PANEL);
                        kernel.prefetch_panel(next, lines * PANEL);
                    }
                    kernel.tile(&Tile {
                        terms,
                        strip,
                        b: self.packed.add((col + at) / PANEL * panel_stride + start * term),
                        panel_stride,
                        panels,
                        width,
                        c: c.offset(strip.row as isize * row_stride).add(at),
                        row_stride,
                        first: start == 0,
                    });
                }
            }
            at += panels * PANEL;
        }
    }
}
