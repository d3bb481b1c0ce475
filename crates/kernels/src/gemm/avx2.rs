//! Tiles of `f32` with AVX2 and FMA: six rows by sixteen columns in twelve registers.

use std::arch::x86_64::*;

use super::{Dots, HALF, Kernel, Terms, Tile};
use crate::block::{PANEL, Strip};
use crate::isa::Isa;

/// The kernel; made only where its instructions are.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn new(isa: Isa) -> Option<Avx2> {
        isa.has_avx2().then_some(Avx2(()))
    }
}

impl Kernel for Avx2 {
    type Acc = f32;

    unsafe fn tile(self, tile: &Tile<f32>) {
        // SAFETY: the token says that the instructions are there; the rest is the caller's promise.
        unsafe {
            match (tile.width <= HALF, tile.strip.edge, tile.strip.rows) {
                (true, true, _) => edge::<1, 1>(tile, 0),
                (true, false, 1) => apart::<1>(tile),
                (true, false, 2) => apart::<2>(tile),
                (true, false, 3) => apart::<3>(tile),
                (true, false, 4) => apart::<4>(tile),
                (true, false, 5) => apart::<5>(tile),
                (true, false, _) => apart::<6>(tile),
                // As many panels at once as keep both multipliers busy: eight sums or more.
                (false, true, _) => edge::<1, 2>(tile, edge::<2, 2>(tile, 0)),
                (false, false, 1) => full::<1, 1>(tile, full::<1, 4>(tile, 0)),
                (false, false, 2) => full::<2, 1>(tile, full::<2, 2>(tile, 0)),
                (false, false, 3) => full::<3, 1>(tile, 0),
                (false, false, 4) => full::<4, 1>(tile, 0),
                (false, false, 5) => full::<5, 1>(tile, 0),
                (false, false, _) => full::<6, 1>(tile, 0),
            };
        }
    }

    unsafe fn copy_columns(
        self,
        from: *const f32,
        step: isize,
        rows: usize,
        len: usize,
        to: *mut f32,
    ) -> bool {
        let (from, to) = ((from.cast(), step * 4), (to.cast(), super::K_BLOCK as isize * 4));
        // SAFETY: the caller's promise.
        unsafe { crate::transpose::transpose([rows, len], from, to) };
        true
    }

    unsafe fn prefetch(self, terms: &Terms<f32>, strip: Strip) {
        // Neighbouring taps share most of what they see.
        if terms.channel + terms.len > terms.channels {
            return;
        }
        // SAFETY: the caller's promise; prefetching does not fault.
        unsafe {
            let entries = terms.table.add(terms.tap * terms.stride + strip.row);
            for row in 0..strip.rows {
                let at = (*entries.add(row)).wrapping_add(terms.channel).cast::<i8>();
                for line in (0..terms.len * 4).step_by(64) {
                    _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(line));
                }
            }
        }
    }

    fn prefetch_panel(self, b: *const f32, len: usize) {
        for element in (0..len).step_by(PANEL) {
            // SAFETY: prefetching does not fault.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(b.wrapping_add(element).cast()) };
        }
    }

    unsafe fn dots(self, dots: &Dots<f32>) {
        // SAFETY: as above.
        unsafe { super::avx2_dot::run(dots) }
    }
}

/// A walk over the pieces of some terms.
pub(super) struct Walk {
    tap: usize,
    channel: usize,
    pub(super) left: usize,
}

impl Walk {
    #[inline(always)]
    pub(super) fn of(terms: &Terms<f32>) -> Walk {
        Walk { tap: terms.tap, channel: terms.channel, left: terms.len }
    }

    /// The next piece of `R` rows from `row` on: where it is in each and its length, at most `max`.
    ///
    /// # Safety
    /// The table is valid; terms are left.
    #[inline(always)]
    pub(super) unsafe fn next<const R: usize>(
        &mut self,
        terms: &Terms<f32>,
        row: usize,
        max: usize,
    ) -> ([*const f32; R], usize) {
        let count = (terms.channels - self.channel).min(self.left).min(max);
        let mut rows = [std::ptr::null(); R];
        // SAFETY: the caller's promise.
        unsafe {
            let entries = terms.table.add(self.tap * terms.stride + row);
            for (r, pointer) in rows.iter_mut().enumerate() {
                *pointer = (*entries.add(r)).add(self.channel);
            }
        }
        self.left -= count;
        self.channel += count;
        if self.channel == terms.channels {
            self.tap += 1;
            self.channel = 0;
        }
        (rows, count)
    }
}

/// Terms that are added between two tests of the loop's end.
const UNROLL: usize = 4;

/// `R` rows by the panels from `panel` on, `P` at a time, all terms in order. Returns the first
/// panel that is left.
///
/// # Safety
/// As [`Kernel::tile`]; AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn full<const R: usize, const P: usize>(tile: &Tile<f32>, mut panel: usize) -> usize {
    while panel + P <= tile.panels {
        let b = tile.b.wrapping_add(panel * tile.panel_stride);
        // SAFETY: the caller's promise.
        unsafe { panels::<R, P>(tile, b, tile.c.add(panel * PANEL)) };
        panel += P;
    }
    panel
}

/// `R` rows by the `P` panels at `b`.
///
/// # Safety
/// As [`Kernel::tile`]; AVX2 and FMA.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn panels<const R: usize, const P: usize>(tile: &Tile<f32>, b: *const f32, c: *mut f32) {
    let mut sums = [[[_mm256_setzero_ps(); 2]; P]; R];
    let mut walk = Walk::of(&tile.terms);
    let mut b = b;
    // SAFETY: the caller's promise.
    unsafe {
        macro_rules! term {
            ($rows:ident, $k:expr, $b:expr) => {
                for p in 0..P {
                    let at = $b.add(p * tile.panel_stride);
                    let b = [_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(HALF))];
                    for r in 0..R {
                        let a = _mm256_broadcast_ss(&*$rows[r].add($k));
                        sums[r][p][0] = _mm256_fmadd_ps(a, b[0], sums[r][p][0]);
                        sums[r][p][1] = _mm256_fmadd_ps(a, b[1], sums[r][p][1]);
                    }
                }
            };
        }
        while walk.left > 0 {
            let (rows, count) = walk.next::<R>(&tile.terms, tile.strip.row, usize::MAX);
            let mut k = 0;
            while k + UNROLL <= count {
                for u in 0..UNROLL {
                    term!(rows, k + u, b.add(u * PANEL));
                }
                k += UNROLL;
                b = b.add(UNROLL * PANEL);
            }
            while k < count {
                term!(rows, k, b);
                k += 1;
                b = b.add(PANEL);
            }
        }
        for r in 0..R {
            for p in 0..P {
                let c = c.offset(r as isize * tile.row_stride).add(p * PANEL);
                if tile.width == PANEL {
                    add(c, sums[r][p][0], tile.first);
                    add(c.add(HALF), sums[r][p][1], tile.first);
                } else {
                    add(c, sums[r][p][0], tile.first);
                    add_some(c.add(HALF), sums[r][p][1], tile.width - HALF, tile.first);
                }
            }
        }
    }
}

/// `R` rows by half a panel, even and odd terms apart.
///
/// # Safety
/// As [`Kernel::tile`]; AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn apart<const R: usize>(tile: &Tile<f32>) -> usize {
    // Sums of the terms with the parity of the next one, and of the others.
    let mut sums = [[_mm256_setzero_ps(); R]; 2];
    let mut walk = Walk::of(&tile.terms);
    let mut b = tile.b;
    // SAFETY: the caller's promise.
    unsafe {
        macro_rules! term {
            ($rows:ident, $k:expr, $b:expr, $sums:expr) => {
                let b = _mm256_loadu_ps($b);
                for r in 0..R {
                    let a = _mm256_broadcast_ss(&*$rows[r].add($k));
                    $sums[r] = _mm256_fmadd_ps(a, b, $sums[r]);
                }
            };
        }
        while walk.left > 0 {
            let (rows, count) = walk.next::<R>(&tile.terms, tile.strip.row, usize::MAX);
            let mut k = 0;
            while k + 2 <= count {
                term!(rows, k, b, sums[0]);
                term!(rows, k + 1, b.add(HALF), sums[1]);
                k += 2;
                b = b.add(2 * HALF);
            }
            if k < count {
                term!(rows, k, b, sums[0]);
                b = b.add(HALF);
                sums.swap(0, 1);
            }
        }
        for r in 0..R {
            // The sum of two is the same in either order.
            let sum = _mm256_add_ps(sums[0][r], sums[1][r]);
            add_some(tile.c.offset(r as isize * tile.row_stride), sum, tile.width, tile.first);
        }
    }
    1
}

/// One edge row by the panels from `panel` on, `P` at a time, of `H` halves: even and odd terms
/// apart, products rounded. Returns the first panel that is left.
///
/// # Safety
/// As [`Kernel::tile`]; AVX2.
#[target_feature(enable = "avx2,fma")]
unsafe fn edge<const P: usize, const H: usize>(tile: &Tile<f32>, mut panel: usize) -> usize {
    while panel + P <= tile.panels {
        let mut sums = [[[_mm256_setzero_ps(); H]; P]; 2];
        let mut walk = Walk::of(&tile.terms);
        let mut b = tile.b.wrapping_add(panel * tile.panel_stride);
        // SAFETY: the caller's promise.
        unsafe {
            while walk.left > 0 {
                let ([row], count) = walk.next::<1>(&tile.terms, tile.strip.row, usize::MAX);
                for k in 0..count {
                    let a = _mm256_broadcast_ss(&*row.add(k));
                    for p in 0..P {
                        for h in 0..H {
                            let b = _mm256_loadu_ps(b.add(p * tile.panel_stride + h * HALF));
                            sums[0][p][h] = _mm256_add_ps(sums[0][p][h], _mm256_mul_ps(a, b));
                        }
                    }
                    // The next term is of the other parity.
                    sums.swap(0, 1);
                    b = b.add(H * HALF);
                }
            }
            let c = tile.c.add(panel * PANEL);
            for p in 0..P {
                for h in 0..H {
                    let sum = _mm256_add_ps(sums[0][p][h], sums[1][p][h]);
                    let c = c.add(p * PANEL + h * HALF);
                    add_some(c, sum, tile.width - h * HALF, tile.first);
                }
            }
        }
        panel += P;
    }
    panel
}

/// `c += sum`, with `c` zero at first.
///
/// # Safety
/// `c` has eight elements; AVX2.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn add(c: *mut f32, sum: __m256, first: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        let before = if first { _mm256_setzero_ps() } else { _mm256_loadu_ps(c) };
        _mm256_storeu_ps(c, _mm256_add_ps(before, sum));
    }
}

/// As [`add`], for `width` elements, which may be eight.
///
/// # Safety
/// `c` has `width` elements; AVX2.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn add_some(c: *mut f32, sum: __m256, width: usize, first: bool) {
    // SAFETY: the caller's promise; masked lanes are not touched.
    unsafe {
        if width >= HALF {
            return add(c, sum, first);
        }
        let mask = mask(width);
        let before = if first { _mm256_setzero_ps() } else { _mm256_maskload_ps(c, mask) };
        _mm256_maskstore_ps(c, mask, _mm256_add_ps(before, sum));
    }
}

/// The first `width` lanes, of eight.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn mask(width: usize) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_cmpgt_epi32(_mm256_set1_epi32(width as i32), lanes)
}
