//! Measures the kernels in GFLOP/s beside the processor's peak: `gflops [FILTER]`.
#![allow(
    unsafe_code,
    clippy::print_stdout,
    clippy::multiple_unsafe_ops_per_block,
    reason = "a program for people that measures unsafe kernels"
)]

use std::hint::black_box;
use std::time::Instant;

use tfjit_base::{AlignedBytes, DType, Result};
use tfjit_kernels::{Isa, Matmul, MatmulSpec, Matrix, Scratch};

/// GFLOP/s of twelve independent chains of fused multiply-adds.
#[cfg(target_arch = "x86_64")]
fn peak() -> f64 {
    use std::arch::x86_64::*;
    #[target_feature(enable = "avx2,fma")]
    fn chains(rounds: usize) -> f32 {
        let mut sums = [_mm256_setzero_ps(); 12];
        let (a, b) = (black_box(_mm256_set1_ps(0.5)), black_box(_mm256_set1_ps(0.25)));
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(a, *sum, b);
            }
        }
        sums.into_iter().map(|sum| _mm256_cvtss_f32(sum)).sum()
    }
    if Isa::detect() == Isa::portable() {
        return f64::NAN;
    }
    let rounds = 20_000;
    let start = Instant::now();
    // SAFETY: AVX2 and FMA were detected.
    black_box(unsafe { chains(rounds) });
    (rounds * 12 * 16) as f64 / start.elapsed().as_nanos() as f64
}

#[cfg(not(target_arch = "x86_64"))]
fn peak() -> f64 {
    f64::NAN
}

/// Something to measure.
struct Case {
    name: String,
    flops: f64,
    run: Box<dyn FnMut()>,
}

fn random(bytes: usize) -> Result<AlignedBytes> {
    let mut buffer = AlignedBytes::zeroed(bytes)?;
    let mut state = 1u32;
    for chunk in buffer.as_mut().chunks_exact_mut(4) {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        chunk.copy_from_slice(&((state >> 8) as f32 / 16_777_216.0 - 0.5).to_le_bytes());
    }
    Ok(buffer)
}

fn matmul(m: usize, k: usize, n: usize) -> Result<[Case; 2]> {
    let isa = Isa::detect();
    let (dtype, out) = (DType::F32, DType::F32);
    let spec =
        MatmulSpec { dtype, out, m, k, n, lhs_row: k as isize, lhs_col: 1, out_row: n as isize };
    let matmul = Matmul::new(isa, spec)?;
    let (lhs, rhs, mut out) = (random(m * k * 4)?, random(k * n * 4)?, random(m * n * 4)?);
    // Two cases use it.
    let packed = Box::leak(Box::new(AlignedBytes::zeroed(matmul.rhs().bytes())?));
    let layout = *matmul.rhs();
    let mut pack = move || {
        let from = Matrix { at: rhs.as_ref().as_ptr(), row: n as isize, col: 1 };
        for unit in 0..layout.units() {
            // SAFETY: both buffers are as large as the layout says.
            unsafe { layout.pack(isa, unit, from, packed.as_mut().as_mut_ptr()) };
        }
        packed.as_ref().as_ptr()
    };
    let at = pack() as usize;
    let mut scratch = Scratch::new();
    scratch.reserve(matmul.scratch_bytes())?;
    let run = move || {
        for unit in 0..matmul.units() {
            let (lhs, out) = (lhs.as_ref().as_ptr(), out.as_mut().as_mut_ptr());
            // SAFETY: all buffers are as large as the spec says.
            unsafe { matmul.run(unit, lhs, at as *const u8, out, &mut scratch, &mut |_| {}) };
        }
    };
    let name = format!("matmul {m}x{k}x{n}");
    let packing = Case {
        name: "  its packing, GB/s read".to_owned(),
        flops: (k * n * 4) as f64,
        run: Box::new(move || {
            black_box(pack());
        }),
    };
    Ok([Case { name, flops: 2.0 * (m * k * n) as f64, run: Box::new(run) }, packing])
}

fn main() -> Result<()> {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let mut cases = Vec::new();
    for (m, k, n) in [
        (1, 512, 512),
        (1, 2048, 1000),
        (4, 768, 768),
        (32, 784, 512),
        (128, 64, 128),
        (128, 768, 768),
        (128, 768, 3072),
        (128, 3072, 768),
        (512, 512, 512),
        (1024, 1024, 1024),
        (2048, 2048, 2048),
        (3136, 24, 144),
        (3136, 144, 24),
        (49, 960, 160),
        (196, 512, 512),
        (4096, 64, 4),
    ] {
        cases.extend(matmul(m, k, n)?);
    }
    cases.retain(|case| case.name.contains(&filter));
    let mut times = vec![Vec::new(); cases.len()];
    let mut peaks = Vec::new();
    for _ in 0..9 {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            peaks.push(peak());
            let repeat = (2e7 / case.flops).ceil().max(1.0) as usize;
            let start = Instant::now();
            (0..repeat).for_each(|_| (case.run)());
            times.push(case.flops * repeat as f64 / start.elapsed().as_nanos() as f64);
        }
    }
    peaks.sort_by(f64::total_cmp);
    let peak = peaks[peaks.len() / 2];
    println!(
        "{}: peak {peak:.1} (best {:.1}) GFLOP/s",
        Isa::detect().name(),
        peaks[peaks.len() - 1]
    );
    for (case, times) in cases.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let (median, best) = (times[times.len() / 2], times[times.len() - 1]);
        println!(
            "{:34} {median:7.1} (best {best:7.1})  {:5.1} % (best {:5.1} %)",
            case.name,
            100.0 * median / peak,
            100.0 * best / peak
        );
    }
    Ok(())
}
