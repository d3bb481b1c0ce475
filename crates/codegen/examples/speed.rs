//! Time of emission a kernel, and of the code an element beside plain Rust loops that the compiler
//! vectorised for the same processor. Ratios of interleaved runs; the machine may be noisy.
#![allow(clippy::print_stdout, reason = "a command")]
#![allow(unsafe_code, clippy::multiple_unsafe_ops_per_block, reason = "it runs what it measures")]
#![allow(clippy::unwrap_used, reason = "kernels are written below")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::Code;
use tfjit_codegen::{Target, emit};
use tfjit_plan::kernel::{Axis, Kernel, abi};

const KERNELS: &str = include_str!("kernels.txt");

type Hand = unsafe fn(&[&[f32]], &mut [f32], usize, usize);

#[target_feature(enable = "avx2,fma")]
fn bias_relu(x: &[&[f32]], out: &mut [f32], _rows: usize, cols: usize) {
    let bias = &x[1][..cols];
    for (x, out) in x[0].chunks_exact(cols).zip(out.chunks_exact_mut(cols)) {
        for ((x, b), o) in x.iter().zip(bias).zip(out) {
            let v = x + b;
            *o = if v > 0.0 { v } else { 0.0 };
        }
    }
}

/// The exponential function as a polynomial of degree 6 around the nearest power of two.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let n = (x * std::f32::consts::LOG2_E).round_ties_even();
    let r = n.mul_add(-0.693_359_4, x);
    let r = n.mul_add(2.121_944_4e-4, r);
    let mut p = 1.987_569_1e-4f32;
    for c in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = p.mul_add(r, c);
    }
    let e = (p * r).mul_add(r, r) + 1.0;
    // Without the saturation of `as`, which would be half of the time.
    // SAFETY: the number is between -126 and 127.
    let n = unsafe { n.to_int_unchecked::<i32>() };
    e * f32::from_bits(((n + 127) << 23) as u32)
}

#[target_feature(enable = "avx2,fma")]
fn gelu(x: &[&[f32]], out: &mut [f32], _rows: usize, _cols: usize) {
    for (&x, o) in x[0].iter().zip(out) {
        let u = (0.044_715 * x * x).mul_add(x, x) * 0.797_884_6;
        let e = exp(-2.0 * u);
        *o = x / (1.0 + e);
    }
}

#[target_feature(enable = "avx2,fma")]
fn softmax(x: &[&[f32]], out: &mut [f32], _rows: usize, cols: usize) {
    for (x, out) in x[0].chunks_exact(cols).zip(out.chunks_exact_mut(cols)) {
        let mut most = [f32::NEG_INFINITY; 32];
        for x in x.chunks_exact(32) {
            for (m, x) in most.iter_mut().zip(x) {
                *m = if *x > *m { *x } else { *m };
            }
        }
        let most = most.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let mut sums = [0f32; 32];
        for (x, o) in x.chunks_exact(32).zip(out.chunks_exact_mut(32)) {
            for ((x, o), s) in x.iter().zip(o).zip(&mut sums) {
                *o = exp(x - most);
                *s += *o;
            }
        }
        let scale = 1.0 / sums.into_iter().sum::<f32>();
        out.iter_mut().for_each(|o| *o *= scale);
    }
}

#[target_feature(enable = "avx2,fma")]
fn layernorm(x: &[&[f32]], out: &mut [f32], _rows: usize, cols: usize) {
    let (gamma, beta) = (&x[1][..cols], &x[2][..cols]);
    for (x, out) in x[0].chunks_exact(cols).zip(out.chunks_exact_mut(cols)) {
        let mut sums = [0f32; 32];
        for x in x.chunks_exact(32) {
            sums.iter_mut().zip(x).for_each(|(s, x)| *s += x);
        }
        let mean = sums.iter().sum::<f32>() / cols as f32;
        let mut sums = [0f32; 32];
        for x in x.chunks_exact(32) {
            sums.iter_mut().zip(x).for_each(|(s, x)| *s = (x - mean).mul_add(x - mean, *s));
        }
        let scale = 1.0 / (sums.iter().sum::<f32>() / cols as f32 + 1e-5).sqrt();
        for (((x, o), g), b) in x.iter().zip(out).zip(gamma).zip(beta) {
            *o = ((x - mean) * scale).mul_add(*g, *b);
        }
    }
}

#[target_feature(enable = "avx2,fma")]
fn chain(x: &[&[f32]], out: &mut [f32], _rows: usize, _cols: usize) {
    for (((a, b), c), o) in x[0].iter().zip(x[1]).zip(x[2]).zip(out) {
        let t = a.mul_add(*b, *c);
        let u = t - a;
        let v = if u > 0.0 { u } else { 0.0 };
        let w = v * b + 0.5;
        let y = if w < 6.0 { w } else { 6.0 };
        *o = (y - c).abs();
    }
}

#[target_feature(enable = "avx2,fma")]
fn sum_rows(x: &[&[f32]], out: &mut [f32], _rows: usize, cols: usize) {
    let out = &mut out[..cols];
    out.fill(0.0);
    for row in x[0].chunks_exact(cols) {
        out.iter_mut().zip(row).for_each(|(o, x)| *o += x);
    }
}

#[target_feature(enable = "avx2,fma")]
fn max_rows(x: &[&[f32]], out: &mut [f32], _rows: usize, cols: usize) {
    let out = &mut out[..cols];
    out.fill(f32::NEG_INFINITY);
    for row in x[0].chunks_exact(cols) {
        out.iter_mut().zip(row).for_each(|(o, x)| *o = if *x > *o { *x } else { *o });
    }
}

/// With the error function of Abramowitz and Stegun 7.1.26, which is good to 1.5e-7.
#[target_feature(enable = "avx2,fma")]
fn gelu_erf(x: &[&[f32]], out: &mut [f32], _rows: usize, _cols: usize) {
    for (&x, o) in x[0].iter().zip(out) {
        let a = (x * 0.707_106_77).abs();
        let t = 1.0 / a.mul_add(0.327_591_1, 1.0);
        let mut p = 1.061_405_4f32;
        for c in [-1.453_152, 1.421_413_8, -0.284_496_74, 0.254_829_6] {
            p = p.mul_add(t, c);
        }
        let erf = (-(p * t)).mul_add(exp(-a * a), 1.0).copysign(x);
        *o = (0.5 * x).mul_add(erf, 0.5 * x);
    }
}

fn main() {
    let kernels = Kernel::parse_all(KERNELS).unwrap();
    let hands: [Hand; 8] =
        [bias_relu, gelu, softmax, layernorm, chain, sum_rows, max_rows, gelu_erf];
    println!("kernel      insts  emit us  bytes   rows x cols   ns/el  rust ns/el  ratio");
    for (kernel, hand) in kernels.iter().zip(hands) {
        kernel.verify().unwrap();
        let kernel = kernel.expand().unwrap();
        let emission = emission(&kernel);
        for (rows, cols) in [(8, 512), (128, 512), (5, 768), (1, 96)] {
            let (ours, theirs) = times(&kernel, hand, rows, cols);
            println!(
                "{:10} {:6} {:8.1} {:6}  {rows:5} x {cols:4} {ours:8.3} {theirs:11.3} {:6.2}",
                kernel.name,
                kernel.phases.iter().map(|p| p.insts.len()).sum::<usize>(),
                emission.0,
                emission.1,
                ours / theirs,
            );
        }
    }
}

/// Microseconds and bytes.
fn emission(kernel: &Kernel) -> (f64, usize) {
    let mut best = f64::INFINITY;
    let mut bytes = 0;
    for _ in 0..200 {
        let start = Instant::now();
        for _ in 0..10 {
            bytes = emit(&[kernel], Target::X64Avx2).unwrap().artifact.code.len();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e5);
    }
    (best, bytes)
}

/// Nanoseconds an element of the emitted code and of a loop in Rust: the least of many.
fn times(kernel: &Kernel, hand: Hand, rows: usize, cols: usize) -> (f64, f64) {
    let code = Code::new(&emit(&[kernel], Target::X64Avx2).unwrap().artifact.code);
    let elements = rows * cols;
    // All arrays begin at cache lines, none at the same offset in its page.
    let mut memory = vec![0f32; 4 * (elements + 2048) + 16];
    let skip = memory.as_ptr().align_offset(64);
    let mut arrays = memory[skip..].chunks_exact_mut(elements.next_multiple_of(1024) + 272);
    let mut array = || &mut arrays.next().unwrap()[..elements];
    let inputs: [&mut [f32]; 3] = std::array::from_fn(|k| {
        let input = array();
        (0..elements).for_each(|i| input[i] = ((i * 7 + k * 3) % 41) as f32 / 10.0 - 2.0);
        input
    });
    let (ours, mut theirs) = (array(), vec![0f32; elements + 16]);
    let skip = theirs.as_ptr().align_offset(64).min(16);
    let theirs = &mut theirs[skip..skip + elements];
    let mut frame = vec![0u64; abi::STREAMS + abi::STREAM_WORDS * kernel.streams.len()];
    (frame[abi::ROWS], frame[abi::COLS]) = (rows as u64, cols as u64);
    for (i, (_, stream)) in kernel.streams.iter().enumerate() {
        let words = &mut frame[abi::STREAMS + abi::STREAM_WORDS * i..];
        // Only the first input and the output differ from row to row, except in the chain.
        let whole = stream.output || i == 0 || kernel.name == "chain";
        let address = if stream.output { ours.as_mut_ptr() } else { inputs[i].as_ptr().cast_mut() };
        words[0] = address as u64;
        let whole = whole && !(stream.output && kernel.axis == Axis::Rows);
        words[1] = if whole { 4 * cols as u64 } else { 0 };
    }
    let views: Vec<&[f32]> = inputs.iter().map(|i| &**i).collect();
    let repeat = (200_000 / elements).max(1);
    let (mut best, mut other) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..60 {
        let start = Instant::now();
        for _ in 0..repeat {
            // SAFETY: the frame is the kernel's, the processor has AVX2.
            unsafe { code.run(0, &frame) };
        }
        best = best.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for _ in 0..repeat {
            // SAFETY: the processor has AVX2.
            unsafe { hand(&views, theirs, rows, cols) };
        }
        other = other.min(start.elapsed().as_secs_f64());
    }
    let difference = ours.iter().zip(&*theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(difference < 1e-4, "{}: differs by {difference}", kernel.name);
    let per = 1e9 / (repeat * elements) as f64;
    (best * per, other * per)
}
