//! Tiles in plain Rust, for all types of sums: the same bits as the vector kernels.

use super::{DOT_BLOCK, Dots, HALF, Kernel, Terms, Tile};
use crate::block::PANEL;
use crate::types::Acc;
use std::marker::PhantomData;

/// The kernel in plain Rust.
#[derive(Clone, Copy)]
pub(crate) struct Portable<A>(PhantomData<A>);

impl<A> Portable<A> {
    pub(crate) fn new() -> Portable<A> {
        Portable(PhantomData)
    }
}

impl<A: Acc> Terms<A> {
    /// Calls `visit` with each piece of the terms of `row` and the number of its first term.
    ///
    /// # Safety
    /// The table is valid for the row and its terms.
    #[inline(always)]
    unsafe fn pieces(&self, row: usize, mut visit: impl FnMut(usize, &[A])) {
        let (mut tap, mut channel, mut done) = (self.tap, self.channel, 0);
        while done < self.len {
            let count = (self.channels - channel).min(self.len - done);
            // SAFETY: the caller's promise.
            let piece = unsafe {
                let piece = *self.table.add(tap * self.stride + row);
                std::slice::from_raw_parts(piece.add(channel), count)
            };
            visit(done, piece);
            (tap, channel, done) = (tap + 1, 0, done + count);
        }
    }
}

impl<A: Acc> Kernel for Portable<A> {
    type Acc = A;

    unsafe fn tile(self, tile: &Tile<A>) {
        // SAFETY: the caller's promise.
        unsafe { any_tile(tile) }
    }

    unsafe fn dots(self, dots: &Dots<A>) {
        // SAFETY: the caller's promise.
        unsafe { any_dots(dots) }
    }
}

/// The same, compiled for AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Compiled<A>(PhantomData<A>);

#[cfg(target_arch = "x86_64")]
impl<A: Acc> Compiled<A> {
    pub(crate) fn new(isa: crate::isa::Isa) -> Option<Compiled<A>> {
        isa.has_avx2().then_some(Compiled(PhantomData))
    }
}

#[cfg(target_arch = "x86_64")]
impl<A: Acc> Kernel for Compiled<A> {
    type Acc = A;

    unsafe fn tile(self, tile: &Tile<A>) {
        #[target_feature(enable = "avx2,fma")]
        unsafe fn run<A: Acc>(tile: &Tile<A>) {
            // SAFETY: the caller's promise.
            unsafe { any_tile(tile) }
        }
        // SAFETY: the token says that the instructions are there; the rest is the caller's promise.
        unsafe { run(tile) }
    }

    unsafe fn dots(self, dots: &Dots<A>) {
        #[target_feature(enable = "avx2,fma")]
        unsafe fn run<A: Acc>(dots: &Dots<A>) {
            // SAFETY: the caller's promise.
            unsafe { any_dots(dots) }
        }
        // SAFETY: as above.
        unsafe { run(dots) }
    }
}

/// # Safety
/// As [`Kernel::tile`].
#[inline(always)]
unsafe fn any_tile<A: Acc>(tile: &Tile<A>) {
    let plain = !tile.strip.edge && tile.width > HALF;
    for panel in 0..tile.panels {
        let mut row = 0;
        while row < tile.strip.rows {
            // SAFETY: the caller's promise.
            unsafe {
                let b = tile.b.add(panel * tile.panel_stride);
                let c = tile.c.offset(row as isize * tile.row_stride).add(panel * PANEL);
                let at = tile.strip.row + row;
                if plain && row + 2 <= tile.strip.rows {
                    panel_pair(tile, at, b, c);
                    row += 2;
                } else if tile.width <= HALF {
                    panel_row::<A, HALF>(tile, at, b, c);
                    row += 1;
                } else {
                    panel_row::<A, PANEL>(tile, at, b, c);
                    row += 1;
                }
            }
        }
    }
}

/// Two rows of a panel, all terms in order.
///
/// # Safety
/// As [`Kernel::tile`].
#[inline(always)]
unsafe fn panel_pair<A: Acc>(tile: &Tile<A>, row: usize, b: *const A, c: *mut A) {
    let mut sums = [[A::ZERO; PANEL]; 2];
    let mut b = b.cast::<[A; PANEL]>();
    let mut next = tile.terms.table.wrapping_add(row);
    // SAFETY: the panel has `PANEL` elements a term; `c` has `width` in both rows.
    unsafe {
        next = next.add(tile.terms.tap * tile.terms.stride);
        tile.terms.pieces(row, |_, piece| {
            // The piece of the other row is the next entry of the table; only the first piece
            // begins within a tap.
            let first = piece.as_ptr().offset_from(*next);
            let other = std::slice::from_raw_parts((*next.add(1)).offset(first), piece.len());
            for (x, y) in piece.iter().zip(other) {
                add(&mut sums[0], &*b, |sum, b| sum.fused(*x, b));
                add(&mut sums[1], &*b, |sum, b| sum.fused(*y, b));
                b = b.add(1);
            }
            next = next.wrapping_add(tile.terms.stride);
        });
        for (row, sums) in sums.iter().enumerate() {
            let c = c.offset(row as isize * tile.row_stride);
            for col in 0..tile.width {
                let before = if tile.first { A::ZERO } else { c.add(col).read() };
                c.add(col).write(before.plus(sums[col]));
            }
        }
    }
}

/// # Safety
/// As [`Kernel::dots`].
#[inline(always)]
unsafe fn any_dots<A: Acc>(dots: &Dots<A>) {
    for row in 0..dots.rows {
        for col in 0..dots.cols {
            // SAFETY: the caller's promise.
            unsafe {
                let b = dots.b.add(col * dots.col_stride);
                let c = dots.c.offset(row as isize * dots.row_stride).add(col);
                dot(dots, dots.row + row, b, c);
            }
        }
    }
}

/// One row of a panel of `W` columns.
///
/// # Safety
/// As [`Kernel::tile`].
#[inline(always)]
unsafe fn panel_row<A: Acc, const W: usize>(tile: &Tile<A>, row: usize, b: *const A, c: *mut A) {
    // Sums of even and odd terms; all terms are even where they are not summed apart.
    let mut sums = [[A::ZERO; W]; 2];
    let apart = tile.strip.edge || tile.width <= HALF;
    // SAFETY: the panel has `W` elements a term; `c` has `width`.
    unsafe {
        tile.terms.pieces(row, |first, piece| {
            let terms = (first..).zip(piece);
            let b = |k: usize| &*b.add(k * W).cast::<[A; W]>();
            if !apart {
                let sums = &mut sums[0];
                terms.for_each(|(k, a)| add(sums, b(k), |sum, b| sum.fused(*a, b)));
            } else if !tile.strip.edge {
                terms.for_each(|(k, a)| add(&mut sums[k % 2], b(k), |sum, b| sum.fused(*a, b)));
            } else {
                terms.for_each(|(k, a)| {
                    add(&mut sums[k % 2], b(k), |sum, b| sum.plus(a.times(b)));
                });
            }
        });
        for col in 0..tile.width {
            let sum = sums[0][col];
            let sum = if apart { sum.plus(sums[1][col]) } else { sum };
            let before = if tile.first { A::ZERO } else { c.add(col).read() };
            c.add(col).write(before.plus(sum));
        }
    }
}

/// A term of all columns.
#[inline(always)]
fn add<A: Acc, const W: usize>(sums: &mut [A; W], b: &[A; W], term: impl Fn(A, A) -> A) {
    for (sum, b) in sums.iter_mut().zip(b) {
        *sum = term(*sum, *b);
    }
}

/// One element of a narrow result.
///
/// # Safety
/// As [`Kernel::dots`].
#[inline(always)]
unsafe fn dot<A: Acc>(dots: &Dots<A>, row: usize, b: *const A, c: *mut A) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut total = if dots.first { A::ZERO } else { c.read() };
        let mut s = [A::ZERO; 8];
        let finish = |s: &mut [A; 8], total: &mut A| {
            let pairs = [0, 2, 4, 6].map(|i| s[i].plus(s[i + 1]));
            *total = total.plus(pairs[0].plus(pairs[2]).plus(pairs[1].plus(pairs[3])));
            *s = [A::ZERO; 8];
        };
        dots.terms.pieces(row, |first, piece| {
            for (k, a) in (first..).zip(piece) {
                if k > 0 && k % DOT_BLOCK == 0 {
                    finish(&mut s, &mut total);
                }
                s[k % 8] = s[k % 8].fused(*a, b.add(k).read());
            }
        });
        finish(&mut s, &mut total);
        c.write(total);
    }
}
