//! Packing of 4-byte elements with AVX2: rows that are contiguous, and columns that are.

use std::arch::x86_64::*;

use crate::block::PANEL;
use crate::gemm::HALF;
use crate::layout::Matrix;
use crate::transpose::transposed;

/// Packs `cols` columns, beginning with a panel, as [`crate::RhsLayout`] says. `false` means that
/// the strides are none of those it is made for, and nothing is done.
///
/// # Safety
/// As [`crate::RhsLayout::pack`]; elements have 4 bytes; AVX2.
pub(crate) unsafe fn pack(k: usize, from: Matrix, cols: usize, to: *mut f32, stream: bool) -> bool {
    let whole = cols / PANEL;
    // SAFETY: the caller's promise.
    unsafe {
        match (from.row, from.col) {
            (_, 1) => rows(k, from, whole, to, stream),
            (1, _) => columns(k, from, whole, to, stream),
            _ => return false,
        }
        let left = cols - whole * PANEL;
        if left > 0 {
            let shift = (whole * PANEL) as isize * from.col;
            let at = from.at.cast::<f32>().offset(shift);
            last(k, Matrix { at: at.cast(), ..from }, left, to.add(whole * PANEL * k));
        }
        if stream {
            _mm_sfence();
        }
    }
    true
}

/// Eight elements to a place aligned to 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn put(to: *mut f32, v: __m256, stream: bool) {
    // SAFETY: the caller has the place.
    unsafe {
        if stream {
            _mm256_stream_ps(to, v);
        } else {
            _mm256_storeu_ps(to, v);
        }
    }
}

/// Whole panels of rows that are contiguous.
#[target_feature(enable = "avx2")]
unsafe fn rows(k: usize, from: Matrix, panels: usize, to: *mut f32, stream: bool) {
    let at = from.at.cast::<f32>();
    for row in 0..k {
        for panel in 0..panels {
            // SAFETY: the caller's promise.
            unsafe {
                let at = at.offset(row as isize * from.row).add(panel * PANEL);
                let to = to.add(panel * PANEL * k + row * PANEL);
                let v = [_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(HALF))];
                put(to, v[0], stream);
                put(to.add(HALF), v[1], stream);
            }
        }
    }
}

/// Whole panels of columns that are contiguous.
#[target_feature(enable = "avx2")]
unsafe fn columns(k: usize, from: Matrix, panels: usize, to: *mut f32, stream: bool) {
    let at = from.at.cast::<f32>();
    for panel in 0..panels {
        // SAFETY: the caller's promise.
        unsafe {
            let at = at.offset((panel * PANEL) as isize * from.col);
            let to = to.add(panel * PANEL * k);
            for row in (0..k - k % 8).step_by(8) {
                for half in 0..2 {
                    let at = at.offset((half * HALF) as isize * from.col).add(row);
                    let v: [__m256; 8] =
                        std::array::from_fn(|i| _mm256_loadu_ps(at.offset(i as isize * from.col)));
                    for (i, v) in transposed(v).into_iter().enumerate() {
                        put(to.add((row + i) * PANEL + half * HALF), v, stream);
                    }
                }
            }
            for row in k - k % 8..k {
                for col in 0..PANEL {
                    let v = at.offset(col as isize * from.col).add(row).read_unaligned();
                    to.add(row * PANEL + col).write(v);
                }
            }
        }
    }
}

/// The last columns, fewer than a panel.
#[target_feature(enable = "avx2")]
unsafe fn last(k: usize, from: Matrix, cols: usize, to: *mut f32) {
    let width = if cols <= HALF { HALF } else { PANEL };
    for row in 0..k {
        // SAFETY: the caller's promise.
        unsafe {
            let at = from.at.cast::<f32>().offset(row as isize * from.row);
            let to = to.add(row * width);
            for col in 0..cols {
                to.add(col).write(at.offset(col as isize * from.col).read_unaligned());
            }
            (cols..width).for_each(|col| to.add(col).write(0.0));
        }
    }
}
