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

/// # Safety
/// As [`Run`] says; AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn compute(run: &Run<f32>) {
    let c = run.features;
    let [_, x] = run.axes;
    let inside = x.inside();
    let clamp = |at: usize| at.clamp(run.x.start, run.x.end);
    let (start, end) = (clamp(inside.start), clamp(inside.end));
    let mut feature = 0;
    // SAFETY: the caller's promise; features stay below `c`.
    unsafe {
        while feature + 2 * HALF <= c {
            pixels::<2>(run, feature, HALF, start..end);
            feature += 2 * HALF;
        }
        while feature + HALF <= c {
            pixels::<1>(run, feature, HALF, start..end);
            feature += HALF;
        }
        if feature < c && c >= HALF {
            // The last eight features: some of them a second time, with the same results.
            pixels::<1>(run, c - HALF, HALF, start..end);
        } else if feature < c {
            pixels::<1>(run, feature, c - feature, start..end);
        }
    }
}

/// All pixels of `Q` vectors of features; those of `inside` see all taps of a line.
///
/// # Safety
/// As [`compute`].
#[target_feature(enable = "avx2,fma")]
unsafe fn pixels<const Q: usize>(
    run: &Run<f32>,
    feature: usize,
    width: usize,
    inside: Range<usize>,
) {
    let [_, x] = run.axes;
    // SAFETY: the caller's promise.
    unsafe {
        for ox in (run.x.start..inside.start.max(run.x.start)).chain(inside.end..run.x.end) {
            tile::<1, Q>(&at(run, feature, ox, x.taps(ox)), width);
        }
        let mut ox = inside.start;
        while ox < inside.end {
            let tile_of = at(run, feature, ox, 0..x.window);
            let left = inside.end - ox;
            let pixels = match left {
                7 | 8 => 4,
                _ => left.min(6),
            };
            match pixels {
                1 => tile::<1, Q>(&tile_of, width),
                2 => tile::<2, Q>(&tile_of, width),
                3 => tile::<3, Q>(&tile_of, width),
                4 => tile::<4, Q>(&tile_of, width),
                5 => tile::<5, Q>(&tile_of, width),
                _ => tile::<6, Q>(&tile_of, width),
            }
            ox += pixels;
        }
    }
}

/// The pixel `ox` and what it sees through the taps `kx` of each line.
///
/// # Safety
/// As [`compute`].
#[inline(always)]
unsafe fn at(run: &Run<f32>, feature: usize, ox: usize, kx: Range<usize>) -> Tile {
    let (c, [y, x]) = (run.features, run.axes);
    let ky = y.taps(run.y);
    // Without taps nothing is read.
    let taps = [ky.len(), kx.len()];
    let iy = y.position(run.y, ky.start).max(0) as usize;
    let ix = x.position(ox, kx.start).max(0) as usize;
    Tile {
        x: run.input.cast::<f32>().wrapping_add((iy * x.input + ix) * c + feature),
        x_step: x.stride * c,
        x_tap: [y.dilation * x.input * c, x.dilation * c],
        w: run.filter.wrapping_add((ky.start * x.window + kx.start) * c + feature),
        w_tap: [x.window * c, c],
        taps,
        out: run.out.cast::<f32>().wrapping_add((ox - run.x.start) * c + feature),
        out_step: c,
    }
}

/// `P` pixels of `Q` vectors of features.
///
/// # Safety
/// All pointers are valid for them; a vector has `width` features, 8 when there are two.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const P: usize, const Q: usize>(tile: &Tile, width: usize) {
    let mut sums = [[_mm256_setzero_ps(); Q]; P];
    let lanes = mask(width);
    // SAFETY: the caller's promise; masked lanes are not touched.
    unsafe {
        let load = |at: *const f32| {
            if Q == 1 && width < HALF { _mm256_maskload_ps(at, lanes) } else { _mm256_loadu_ps(at) }
        };
        for ky in 0..tile.taps[0] {
            let mut x = tile.x.wrapping_add(ky * tile.x_tap[0]);
            let mut w = tile.w.wrapping_add(ky * tile.w_tap[0]);
            for _ in 0..tile.taps[1] {
                for q in 0..Q {
                    let weight = load(w.wrapping_add(q * HALF));
                    for p in 0..P {
                        let value = load(x.wrapping_add(p * tile.x_step + q * HALF));
                        sums[p][q] = _mm256_fmadd_ps(value, weight, sums[p][q]);
                    }
                }
                x = x.wrapping_add(tile.x_tap[1]);
                w = w.wrapping_add(tile.w_tap[1]);
            }
        }
        for p in 0..P {
            for q in 0..Q {
                let out = tile.out.add(p * tile.out_step + q * HALF);
                if Q == 1 && width < HALF {
                    _mm256_maskstore_ps(out, lanes, sums[p][q]);
                } else {
                    _mm256_storeu_ps(out, sums[p][q]);
                }
            }
        }
    }
}
