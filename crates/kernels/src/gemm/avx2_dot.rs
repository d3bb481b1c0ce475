//! Results of fewer than eight columns with AVX2 and FMA: dot products over eight lanes.

use std::arch::x86_64::*;

use super::avx2::{Walk, mask};
use super::{DOT_BLOCK, Dots, HALF};

/// # Safety
/// As [`super::Kernel::dots`]; AVX2 and FMA.
pub(super) unsafe fn run(dots: &Dots<f32>) {
    // SAFETY: the caller's promise.
    unsafe {
        match dots.cols {
            1 => rows::<1>(dots),
            2 => rows::<2>(dots),
            3 => rows::<3>(dots),
            4 => rows::<4>(dots),
            5 => rows::<5>(dots),
            6 => rows::<6>(dots),
            _ => rows::<7>(dots),
        }
    }
}

/// # Safety
/// As [`run`].
unsafe fn rows<const N: usize>(dots: &Dots<f32>) {
    let mut row = 0;
    // SAFETY: rows stay below `dots.rows`.
    unsafe {
        if N <= 2 {
            while row + 4 <= dots.rows {
                tile::<4, N>(dots, row);
                row += 4;
            }
        }
        while row + 2 <= dots.rows {
            tile::<2, N>(dots, row);
            row += 2;
        }
        if row < dots.rows {
            tile::<1, N>(dots, row);
        }
    }
}

/// `R` rows by `N` columns.
///
/// # Safety
/// As [`run`].
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const R: usize, const N: usize>(dots: &Dots<f32>, row: usize) {
    let mut walk = Walk::of(&dots.terms);
    let mut b = dots.b;
    let mut first = dots.first;
    // SAFETY: the caller's promise.
    unsafe {
        while walk.left > 0 {
            let mut sums = [[_mm256_setzero_ps(); N]; R];
            let mut left = DOT_BLOCK.min(walk.left);
            while left > 0 {
                let (at, count) = walk.next::<R>(&dots.terms, dots.row + row, left);
                let mut k = 0;
                while k + HALF <= count {
                    let b: [__m256; N] =
                        std::array::from_fn(|n| _mm256_loadu_ps(b.add(n * dots.col_stride + k)));
                    for r in 0..R {
                        let a = _mm256_loadu_ps(at[r].add(k));
                        for n in 0..N {
                            sums[r][n] = _mm256_fmadd_ps(a, b[n], sums[r][n]);
                        }
                    }
                    k += HALF;
                }
                if k < count {
                    last_terms(&mut sums, &at, b, dots.col_stride, k, count);
                }
                left -= count;
                b = b.add(count);
            }
            for r in 0..R {
                let c = dots.c.offset((row + r) as isize * dots.row_stride);
                for n in 0..N {
                    let before = if first { 0.0 } else { c.add(n).read() };
                    c.add(n).write(before + total(sums[r][n]));
                }
            }
            first = false;
        }
    }
}

/// Terms `k..count`, fewer than eight: the other lanes stay as they are.
///
/// # Safety
/// As [`run`].
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn last_terms<const R: usize, const N: usize>(
    sums: &mut [[__m256; N]; R],
    at: &[*const f32; R],
    b: *const f32,
    col_stride: usize,
    k: usize,
    count: usize,
) {
    let mask = mask(count - k);
    // SAFETY: masked lanes are not read.
    unsafe {
        for r in 0..R {
            let a = _mm256_maskload_ps(at[r].add(k), mask);
            for n in 0..N {
                let b = _mm256_maskload_ps(b.add(n * col_stride + k), mask);
                let sum = _mm256_fmadd_ps(a, b, sums[r][n]);
                sums[r][n] = _mm256_blendv_ps(sums[r][n], sum, _mm256_castsi256_ps(mask));
            }
        }
    }
}

/// The sum of eight lanes: neighbours, then pairs four apart, then two.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn total(v: __m256) -> f32 {
    let pairs = _mm256_hadd_ps(v, v);
    let sums = _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps::<1>(pairs));
    _mm_cvtss_f32(_mm_add_ss(sums, _mm_movehdup_ps(sums)))
}
