//! Eight by eight elements of 4 bytes, transposed in registers.

use std::arch::x86_64::*;

/// The columns of eight rows.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn transposed(r: [__m256; 8]) -> [__m256; 8] {
    let t: [__m256; 8] = [
        _mm256_unpacklo_ps(r[0], r[1]),
        _mm256_unpackhi_ps(r[0], r[1]),
        _mm256_unpacklo_ps(r[2], r[3]),
        _mm256_unpackhi_ps(r[2], r[3]),
        _mm256_unpacklo_ps(r[4], r[5]),
        _mm256_unpackhi_ps(r[4], r[5]),
        _mm256_unpacklo_ps(r[6], r[7]),
        _mm256_unpackhi_ps(r[6], r[7]),
    ];
    let u = [
        _mm256_shuffle_ps::<0x44>(t[0], t[2]),
        _mm256_shuffle_ps::<0xee>(t[0], t[2]),
        _mm256_shuffle_ps::<0x44>(t[1], t[3]),
        _mm256_shuffle_ps::<0xee>(t[1], t[3]),
        _mm256_shuffle_ps::<0x44>(t[4], t[6]),
        _mm256_shuffle_ps::<0xee>(t[4], t[6]),
        _mm256_shuffle_ps::<0x44>(t[5], t[7]),
        _mm256_shuffle_ps::<0xee>(t[5], t[7]),
    ];
    [
        _mm256_permute2f128_ps::<0x20>(u[0], u[4]),
        _mm256_permute2f128_ps::<0x20>(u[1], u[5]),
        _mm256_permute2f128_ps::<0x20>(u[2], u[6]),
        _mm256_permute2f128_ps::<0x20>(u[3], u[7]),
        _mm256_permute2f128_ps::<0x31>(u[0], u[4]),
        _mm256_permute2f128_ps::<0x31>(u[1], u[5]),
        _mm256_permute2f128_ps::<0x31>(u[2], u[6]),
        _mm256_permute2f128_ps::<0x31>(u[3], u[7]),
    ]
}

/// Writes the transpose of 4-byte elements: `to` row `i`, of `a`, is `from` column `i`. Rows of
/// `from` and `to` are contiguous and a number of bytes apart.
///
/// # Safety
/// `from` has `b` rows of `a` elements, `to` has `a` rows of `b`; AVX2.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn transpose(
    [a, b]: [usize; 2],
    (from, from_row): (*const u8, isize),
    (to, to_row): (*mut u8, isize),
) {
    // SAFETY: the caller's promise.
    unsafe {
        let source = |i: usize, j: usize| from.offset(j as isize * from_row).add(i * 4);
        let target = |i: usize, j: usize| to.offset(i as isize * to_row).add(j * 4);
        for i in (0..a - a % 8).step_by(8) {
            for j in (0..b - b % 8).step_by(8) {
                let rows = std::array::from_fn(|r| _mm256_loadu_ps(source(i, j + r).cast()));
                for (r, column) in transposed(rows).into_iter().enumerate() {
                    _mm256_storeu_ps(target(i + r, j).cast(), column);
                }
            }
        }
        for i in 0..a {
            let first = if i < a - a % 8 { b - b % 8 } else { 0 };
            for j in first..b {
                let value = source(i, j).cast::<u32>().read_unaligned();
                target(i, j).cast::<u32>().write_unaligned(value);
            }
        }
    }
}
