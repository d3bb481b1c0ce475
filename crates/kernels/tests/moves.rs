//! Pooling, copies and gathers against their definitions, in memory that ends where a buffer ends.
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    clippy::unwrap_used,
    reason = "the kernels' contracts are about raw memory; a test may panic"
)]

mod common;

use common::*;
use tfjit_base::{DType, bf16};
use tfjit_kernels::{CopyNd, Gather, Isa, Pool, PoolKind, PoolSpec, fill};

fn pool_spec(dtype: DType, kind: PoolKind, features: usize) -> PoolSpec {
    PoolSpec {
        dtype,
        kind,
        batch: 2,
        input: [9, 7],
        features,
        window: [3, 2],
        output: [4, 7],
        strides: [2, 1],
        dilations: [1, 2],
        padding: [1, 1],
    }
}

fn pool_reference<T: Copy>(s: &PoolSpec, x: &[T], start: T, f: impl Fn(T, T) -> T) -> Vec<T> {
    let mut out = Vec::new();
    let [oh, ow] = s.output;
    for at in 0..s.batch * oh * ow * s.features {
        let (c, pixel) = (at % s.features, at / s.features);
        let (b, y, ox) = (pixel / (oh * ow), pixel / ow % oh, pixel % ow);
        let mut value = start;
        for ky in 0..s.window[0] {
            for kx in 0..s.window[1] {
                let iy = (y * s.strides[0] + ky * s.dilations[0]) as isize - s.padding[0];
                let ix = (ox * s.strides[1] + kx * s.dilations[1]) as isize - s.padding[1];
                let [h, w] = s.input.map(|n| n as isize);
                if iy >= 0 && iy < h && ix >= 0 && ix < w {
                    let pixel = (b as isize * h + iy) * w + ix;
                    value = f(value, x[pixel as usize * s.features + c]);
                }
            }
        }
        out.push(value);
    }
    out
}

fn pool<T: Copy>(isa: Isa, s: PoolSpec, input: &[T], some: T) -> Vec<T> {
    let pool = Pool::new(isa, s).unwrap();
    let pixels = s.output[0] * s.output[1];
    let (input, out) =
        (Guarded::new(input), Guarded::new(&vec![some; s.batch * pixels * s.features]));
    let mut reports = Reports::new(s.batch, pixels, s.features);
    for unit in (0..pool.units()).rev() {
        // SAFETY: both buffers are as large as the spec says.
        reports.add(unsafe { pool.run(unit, input.ptr(), out.ptr_mut()) });
    }
    reports.assert_complete();
    out.values()
}

fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if a == b {
        if a.is_sign_negative() { b } else { a }
    } else {
        a.max(b)
    }
}

#[test]
fn pooling_of_floats() {
    for isa in [Isa::detect(), Isa::portable()] {
        for features in (1..20).chain([31, 32, 40, 64, 71, 300]) {
            let s = pool_spec(DType::F32, PoolKind::Sum, features);
            let mut x = Random::new(1).floats(2 * 63 * features);
            let want = pool_reference(&s, &x, 0.0, |a, b| a + b);
            assert_eq!(pool(isa, s, &x, f32::NAN), want);
            for (i, x) in x.iter_mut().enumerate() {
                match i % 29 {
                    3 => *x = f32::NAN,
                    5 | 6 => *x = f32::NEG_INFINITY,
                    7..=18 => *x = if i % 3 == 0 { 0.0 } else { -0.0 },
                    _ => (),
                }
            }
            let bits = |v: Vec<f32>| {
                v.into_iter().map(|v| if v.is_nan() { 0 } else { v.to_bits() }).collect::<Vec<_>>()
            };
            let s = PoolSpec { kind: PoolKind::Max, ..s };
            let want = pool_reference(&s, &x, f32::NEG_INFINITY, larger);
            assert_eq!(bits(pool(isa, s, &x, 1.0)), bits(want));
        }
    }
}

#[test]
fn pooling_of_other_types() {
    let isa = Isa::detect();
    let ints: Vec<i32> =
        Random::new(2).floats(2 * 63 * 11).iter().map(|x| x.to_bits() as i32).collect();
    let s = pool_spec(DType::I32, PoolKind::Max, 11);
    assert_eq!(pool(isa, s, &ints, 0), pool_reference(&s, &ints, i32::MIN, i32::max));
    let bytes: Vec<u8> = ints.iter().map(|&x| x as u8).collect();
    let s = pool_spec(DType::U8, PoolKind::Sum, 11);
    assert_eq!(pool(isa, s, &bytes, 0), pool_reference(&s, &bytes, 0, u8::wrapping_add));
    let half: Vec<bf16> = ints.iter().map(|&x| bf16::from_f32((x % 100) as f32)).collect();
    let s = pool_spec(DType::BF16, PoolKind::Sum, 11);
    assert_eq!(pool(isa, s, &half, bf16::ONE), pool_reference(&s, &half, bf16::ZERO, |a, b| a + b));
    assert!(Pool::new(isa, pool_spec(DType::Bool, PoolKind::Max, 1)).is_err());
    assert!(Pool::new(isa, PoolSpec { strides: [0, 1], ..s }).is_err());
    assert!(Pool::new(isa, PoolSpec { batch: usize::MAX, ..s }).is_err());
}

#[test]
fn pooling_whole_images_and_nothing() {
    let s = pool_spec(DType::F32, PoolKind::Sum, 500);
    let (window, output) = ([9, 7], [1, 1]);
    let s = PoolSpec { window, output, strides: [1, 1], dilations: [1, 1], padding: [0, 0], ..s };
    let x = Random::new(1).floats(2 * 63 * 500);
    let want = pool_reference(&s, &x, 0.0, |a, b| a + b);
    assert_eq!(pool(Isa::detect(), s, &x, f32::NAN), want);
    let s = PoolSpec { padding: [20, 20], kind: PoolKind::Max, ..s };
    assert_eq!(pool(Isa::detect(), s, &x, 0.0), vec![f32::NEG_INFINITY; 1000]);
    let s = PoolSpec { output: [0, 3], ..s };
    assert!(pool(Isa::detect(), s, &x, 0.0).is_empty());
}

/// A copy between arrays of bytes; strides in elements. `base` are the first elements.
fn check_copy(element: usize, extents: &[usize], from: &[isize], to: &[isize]) {
    let reach = |strides: &[isize], negative: bool| -> usize {
        let steps = extents.iter().zip(strides).filter(|(_, s)| (**s < 0) == negative);
        steps.map(|(e, s)| e.saturating_sub(1) * s.unsigned_abs()).sum()
    };
    let (first_in, first_out) = (reach(from, true), reach(to, true));
    let (len_in, len_out) = (first_in + reach(from, false) + 1, first_out + reach(to, false) + 1);
    let mut random = Random::new(len_in as u64);
    let input: Vec<u8> = (0..len_in * element).map(|_| random.next() as u8).collect();
    let mut want = vec![0xaa; len_out * element];
    let count: usize = extents.iter().product();
    for point in 0..count {
        let (mut rest, mut source, mut target) = (point, first_in as isize, first_out as isize);
        for ((extent, from), to) in extents.iter().zip(from).zip(to).rev() {
            source += (rest % extent) as isize * from;
            target += (rest % extent) as isize * to;
            rest /= extent;
        }
        let (source, target) = (source as usize * element, target as usize * element);
        want[target..][..element].copy_from_slice(&input[source..][..element]);
    }
    let bytes =
        |strides: &[isize]| strides.iter().map(|s| s * element as isize).collect::<Vec<_>>();
    for isa in [Isa::detect(), Isa::portable()] {
        let copy = CopyNd::new(isa, element, extents, &bytes(from), &bytes(to)).unwrap();
        let (input, out) = (Guarded::new(&input), Guarded::new(&vec![0xaau8; want.len()]));
        for unit in (0..copy.units()).rev() {
            // SAFETY: the arrays have all elements.
            unsafe {
                let from = input.ptr().add(first_in * element);
                copy.run(unit, from, out.ptr_mut().add(first_out * element));
            }
        }
        assert_eq!(out.values(), want, "{element} {extents:?} {from:?} {to:?}");
    }
}

/// Strides of a dense array whose dimensions are stored in `order`.
fn dense(extents: &[usize], order: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; extents.len()];
    let mut step = 1;
    for &d in order.iter().rev() {
        strides[d] = step;
        step *= extents[d] as isize;
    }
    strides
}

#[test]
fn copies() {
    for element in [1, 2, 4, 8, 16] {
        check_copy(element, &[], &[], &[]);
        check_copy(element, &[5], &[1], &[1]);
        check_copy(element, &[5], &[-1], &[1]);
        check_copy(element, &[7], &[0], &[1]);
        check_copy(element, &[7], &[3], &[2]);
        check_copy(element, &[3, 0, 2], &[0, 2, 1], &[4, 2, 1]);
        check_copy(element, &[4, 6], &[10, 1], &[6, 1]);
        check_copy(element, &[4, 6], &[6, 1], &[9, 1]);
        check_copy(element, &[3, 4, 5], &[0, 1, 0], &[20, 5, 1]);
        check_copy(element, &[3, 1, 5], &[-5, 7, -1], &[5, 5, 1]);
        check_copy(element, &[300, 1000], &[1000, 1], &[1000, 1]);
        check_copy(element, &[100_003], &[1], &[1]);
    }
}

#[test]
fn transposes() {
    for element in [1, 2, 4, 8, 16] {
        for (rows, cols) in [(1, 9), (8, 8), (33, 40), (65, 31), (3, 100), (100, 3), (7, 7)] {
            let extents = [rows, cols];
            check_copy(element, &extents, &dense(&extents, &[1, 0]), &dense(&extents, &[0, 1]));
            let extents = [3, rows, cols];
            let to = dense(&extents, &[0, 1, 2]);
            for order in [[0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
                check_copy(element, &extents, &dense(&extents, &order), &to);
            }
        }
    }
    let extents = [2, 5, 12, 64];
    check_copy(4, &extents, &dense(&extents, &[0, 2, 1, 3]), &dense(&extents, &[0, 1, 2, 3]));
    check_copy(4, &extents, &dense(&extents, &[0, 3, 1, 2]), &dense(&extents, &[0, 1, 2, 3]));
}

#[test]
fn bad_copies() {
    let isa = Isa::detect();
    assert!(CopyNd::new(isa, 3, &[1], &[1], &[1]).is_err());
    assert!(CopyNd::new(isa, 4, &[1], &[1, 2], &[1]).is_err());
    assert!(CopyNd::new(isa, 4, &[usize::MAX, 2], &[1, 2], &[1, 2]).is_err());
}

#[test]
fn fills() {
    for element in [1, 2, 4, 8, 16] {
        for count in [0, 1, 7, 1000] {
            let value: Vec<u8> = (1..=element as u8).collect();
            let out = Guarded::new(&vec![0u8; element * count]);
            // SAFETY: both buffers are large enough.
            unsafe { fill(element, value.as_ptr(), count, out.ptr_mut()) };
            assert_eq!(out.values(), value.repeat(count));
        }
    }
}

#[test]
fn gathers() {
    for row in [1, 2, 3, 4, 8, 12, 300, 100_000] {
        let input: Vec<u8> = (0..5 * row).map(|i| (i / row * 50 + i % 47) as u8).collect();
        let indices = [3i64, -1, 0, 4, 5, i64::MAX, 2, i64::MIN, 1];
        let want: Vec<u8> = indices
            .iter()
            .flat_map(|&i| input[i.clamp(0, 4) as usize * row..][..row].to_vec())
            .collect();
        check_gather(DType::I64, row, &input, &indices, &want);
        let narrow: Vec<i32> = indices.iter().map(|&i| i.clamp(-9, 9) as i32).collect();
        check_gather(DType::I32, row, &input, &narrow, &want);
        let bytes: Vec<u8> = indices.iter().map(|&i| i.clamp(0, 255) as u8).collect();
        check_gather(DType::U8, row, &input, &bytes, &want);
        let large: Vec<u64> = indices.iter().map(|&i| i.max(0) as u64 * 2 / 2).collect();
        check_gather(DType::U64, row, &input, &large, &want);
    }
    assert!(Gather::new(DType::F32, 1, 1, 4).is_err());
    assert!(Gather::new(DType::I32, 0, 1, 4).is_err());
    assert!(Gather::new(DType::I32, 1, usize::MAX, 4).is_err());
    assert_eq!(Gather::new(DType::I32, 0, 0, 4).unwrap().units(), 0);
}

fn check_gather<I: Copy>(index: DType, row: usize, input: &[u8], indices: &[I], want: &[u8]) {
    let gather = Gather::new(index, input.len() / row, indices.len(), row).unwrap();
    let (input, indices) = (Guarded::new(input), Guarded::new(indices));
    let out = Guarded::new(&vec![0u8; want.len()]);
    for unit in (0..gather.units()).rev() {
        // SAFETY: all buffers are as large as was said.
        unsafe { gather.run(unit, input.ptr(), indices.ptr(), out.ptr_mut()) };
    }
    assert_eq!(out.values(), want);
}
