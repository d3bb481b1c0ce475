//! Depthwise convolutions of `f32` with one output a feature, with AVX2 and FMA: sixteen features
//! of up to six neighbouring pixels at once.

use std::arch::x86_64::*;
use std::ops::Range;

use crate::depthwise::Run;
use crate::gemm::{HALF, mask};

/// Some pixels that see the same taps.
struct Tile {
    /// What the first tap of the first pixel sees.
    x: *const f32,
    /// From pixel to pixel.
    x_step: usize,
    /// From tap to tap, down and right.
    x_tap: [usize; 2],
    w: *const f32,
    w_tap: [usize; 2],
    taps: [usize; 2],
    out: *mut f32,
    out_step: usize,
}

/// Bytes of weights and input that a tile and its neighbours share in the first-level cache.
const SHARED_BYTES: usize = 24 << 10;

/// # Safety
/// As [`Run`] says; AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn compute(run: &Run<f32>) {
    let [y, x] = run.axes;
    // Features are taken in blocks whose weights and input pixels stay in the cache.
    let feature = (x.window + x.window + 6 * x.stride) * y.window * 4;
    let block = (SHARED_BYTES / feature.max(1)).max(1).next_multiple_of(2 * HALF);
    let inside = x.inside();
    let clamp = |at: usize| at.clamp(run.x.start, run.x.end);
    let inside = clamp(inside.start)..clamp(inside.end);
    let mut first = 0;
    while first < run.features {
        // The last block has the rest, which may be less than a vector.
        let left = run.features - first;
        let end = if left < block + HALF { run.features } else { first + block };
        // SAFETY: the caller's promise.
        unsafe { pixels(run, inside.clone(), first..end) };
        first = end;
    }
}

/// All pixels, some features; pixels of `inside` see all taps of a line.
///
/// # Safety
/// As [`compute`].
#[target_feature(enable = "avx2,fma")]
unsafe fn pixels(run: &Run<f32>, inside: Range<usize>, block: Range<usize>) {
    let [y, x] = run.axes;
    let ky = y.taps(run.y);
    // SAFETY: the caller's promise.
    unsafe {
        for ox in (run.x.start..inside.start).chain(inside.end..run.x.end) {
            features::<1>(&at(run, ky.clone(), ox, x.taps(ox)), block.clone());
        }
        let mut ox = inside.start;
        while ox < inside.end {
            let tile = at(run, ky.clone(), ox, 0..x.window);
            let pixels = match inside.end - ox {
                7 | 8 => 4,
                left => left.min(6),
            };
            match pixels {
                1 => features::<1>(&tile, block.clone()),
                2 => features::<2>(&tile, block.clone()),
                3 => features::<3>(&tile, block.clone()),
                4 => features::<4>(&tile, block.clone()),
                5 => features::<5>(&tile, block.clone()),
                _ => features::<6>(&tile, block.clone()),
            }
            ox += pixels;
        }
    }
}

/// The pixels from `ox` on and what they see through the taps `ky` and `kx`.
fn at(run: &Run<f32>, ky: Range<usize>, ox: usize, kx: Range<usize>) -> Tile {
    let (c, [y, x]) = (run.features, run.axes);
    // Without taps nothing is read.
    let taps = [ky.len(), kx.len()];
    let iy = y.position(run.y, ky.start).max(0) as usize;
    let ix = x.position(ox, kx.start).max(0) as usize;
    Tile {
        x: run.input.cast::<f32>().wrapping_add((iy * x.input + ix) * c),
        x_step: x.stride * c,
        x_tap: [y.dilation * x.input * c, x.dilation * c],
        w: run.filter.wrapping_add((ky.start * x.window + kx.start) * c),
        w_tap: [x.window * c, c],
        taps,
        out: run.out.cast::<f32>().wrapping_add((ox - run.x.start) * c),
        out_step: c,
    }
}

/// Some features of `P` pixels.
///
/// # Safety
/// All pointers of the tile are valid for them; AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn features<const P: usize>(tile: &Tile, block: Range<usize>) {
    let (mut feature, end) = (block.start, block.end);
    // SAFETY: features stay within the block.
    unsafe {
        // One pixel alone has too few sums to keep both multipliers busy.
        while P <= 2 && feature + 4 * HALF <= end {
            vectors::<P, 4, true>(tile, feature, HALF);
            feature += 4 * HALF;
        }
        while feature + 2 * HALF <= end {
            vectors::<P, 2, true>(tile, feature, HALF);
            feature += 2 * HALF;
        }
        if feature + HALF <= end {
            vectors::<P, 1, true>(tile, feature, HALF);
            feature += HALF;
        }
        if feature < end && end - block.start >= HALF {
            // The last eight features: some of them a second time, with the same results.
            vectors::<P, 1, true>(tile, end - HALF, HALF);
        } else if feature < end {
            vectors::<P, 1, false>(tile, feature, end - feature);
        }
    }
}

/// `P` pixels of `Q` vectors of features from `feature` on; `width` features where vectors are not
/// `WHOLE`.
///
/// # Safety
/// As [`features`].
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn vectors<const P: usize, const Q: usize, const WHOLE: bool>(
    tile: &Tile,
    feature: usize,
    width: usize,
) {
    let mut sums = [[_mm256_setzero_ps(); Q]; P];
    let lanes = mask(width);
    // SAFETY: the caller's promise; masked lanes are not touched.
    unsafe {
        macro_rules! load {
            ($at:expr) => {
                if WHOLE { _mm256_loadu_ps($at) } else { _mm256_maskload_ps($at, lanes) }
            };
        }
        let (mut x_row, mut w_row) = (tile.x.wrapping_add(feature), tile.w.wrapping_add(feature));
        for _ in 0..tile.taps[0] {
            let (mut x, mut w) = (x_row, w_row);
            for _ in 0..tile.taps[1] {
                for q in 0..Q {
                    let weight = load!(w.wrapping_add(q * HALF));
                    for p in 0..P {
                        let value = load!(x.wrapping_add(p * tile.x_step + q * HALF));
                        sums[p][q] = _mm256_fmadd_ps(value, weight, sums[p][q]);
                    }
                }
                x = x.wrapping_add(tile.x_tap[1]);
                w = w.wrapping_add(tile.w_tap[1]);
            }
            x_row = x_row.wrapping_add(tile.x_tap[0]);
            w_row = w_row.wrapping_add(tile.w_tap[0]);
        }
        for p in 0..P {
            for q in 0..Q {
                let out = tile.out.add(feature + p * tile.out_step + q * HALF);
                if WHOLE {
                    _mm256_storeu_ps(out, sums[p][q]);
                } else {
                    _mm256_maskstore_ps(out, lanes, sums[p][q]);
                }
            }
        }
    }
}
