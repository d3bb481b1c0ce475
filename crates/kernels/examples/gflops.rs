//! Measures the kernels in GFLOP/s beside the processor's peak: `gflops [FILTER]`.
#![allow(
    unsafe_code,
    clippy::print_stdout,
    clippy::multiple_unsafe_ops_per_block,
    reason = "a program for people that measures unsafe kernels"
)]

use std::hint::black_box;

use tfjit_base::{AlignedBytes, DType, Result};
use tfjit_kernels::{
    Conv, ConvSpec, CopyNd, Isa, Matmul, MatmulSpec, Matrix, Pool, PoolKind, PoolSpec, Scratch,
};

/// Processor time of this thread in nanoseconds: other processes disturb it less than a clock.
fn now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place for the result is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

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
    let start = now();
    // SAFETY: AVX2 and FMA were detected.
    black_box(unsafe { chains(rounds) });
    (rounds * 12 * 16) as f64 / (now() - start)
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

/// Whether the command line wants this case.
fn wanted(name: &str) -> bool {
    std::env::args().nth(1).is_none_or(|filter| name.contains(&filter))
}

fn matmul(dtype: DType, m: usize, k: usize, n: usize) -> Result<Vec<Case>> {
    let name = format!("matmul {dtype} {m}x{k}x{n}");
    if !wanted(&name) {
        return Ok(Vec::new());
    }
    let isa = Isa::detect();
    let (out, size) = (dtype, dtype.size());
    let spec =
        MatmulSpec { dtype, out, m, k, n, lhs_row: k as isize, lhs_col: 1, out_row: n as isize };
    let matmul = Matmul::new(isa, spec)?;
    let some = |elements: usize| {
        // Bits of `f32` are strange numbers of other types.
        if dtype == DType::F32 {
            random(elements * size)
        } else {
            AlignedBytes::zeroed(elements * size)
        }
    };
    let (lhs, rhs, mut out) = (some(m * k)?, some(k * n)?, some(m * n)?);
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
    let packing = Case {
        name: "  its packing, GB/s read".to_owned(),
        flops: (k * n * size) as f64,
        run: Box::new(move || {
            black_box(pack());
        }),
    };
    Ok(vec![Case { name, flops: 2.0 * (m * k * n) as f64, run: Box::new(run) }, packing])
}

/// Many small products whose right-hand sides are packed as they come, some transposed.
fn whole(batch: usize, [m, k, n]: [usize; 3], left: bool, right: bool) -> Result<Vec<Case>> {
    let name = format!("whole {batch}x{m}x{k}x{n} {left} {right}");
    if !wanted(&name) {
        return Ok(Vec::new());
    }
    let strides = |transposed: bool, rows: usize, cols: usize| {
        if transposed { (1, rows as isize) } else { (cols as isize, 1) }
    };
    let ((lhs_row, lhs_col), (row, col)) = (strides(left, m, k), strides(right, k, n));
    let (dtype, out_row) = (DType::F32, n as isize);
    let spec = MatmulSpec { dtype, out: dtype, m, k, n, lhs_row, lhs_col, out_row };
    let matmul = Matmul::new(Isa::detect(), spec)?;
    let (lhs, rhs) = (random(batch * m * k * 4)?, random(batch * k * n * 4)?);
    let mut out = random(batch * m * n * 4)?;
    let mut scratch = Scratch::new();
    scratch.reserve(matmul.whole_scratch_bytes())?;
    let run = move || {
        for b in 0..batch {
            // SAFETY: all buffers are as large as the spec says, for each of the batch.
            unsafe {
                let rhs = Matrix { at: rhs.as_ref().as_ptr().add(b * k * n * 4), row, col };
                let lhs = lhs.as_ref().as_ptr().add(b * m * k * 4);
                let out = out.as_mut().as_mut_ptr().add(b * m * n * 4);
                matmul.run_whole(lhs, rhs, out, &mut scratch, &mut |_| {});
            }
        }
    };
    Ok(vec![Case { name, flops: 2.0 * (batch * m * k * n) as f64, run: Box::new(run) }])
}

/// A pooling of square images, in operations a second.
fn pool(
    kind: PoolKind,
    size: usize,
    features: usize,
    window: usize,
    stride: usize,
) -> Result<Vec<Case>> {
    let name = format!("pool {kind:?} {size}x{size}x{features} {window}x{window}/{stride}");
    if !wanted(&name) {
        return Ok(Vec::new());
    }
    let output = (size - window) / stride + 1;
    let pool = Pool::new(
        Isa::detect(),
        PoolSpec {
            dtype: DType::F32,
            kind,
            batch: 1,
            input: [size; 2],
            features,
            window: [window; 2],
            output: [output; 2],
            strides: [stride; 2],
            dilations: [1, 1],
            padding: [0, 0],
        },
    )?;
    let input = random(size * size * features * 4)?;
    let mut out = random(output * output * features * 4)?;
    let run = move || {
        for unit in 0..pool.units() {
            // SAFETY: both buffers are as large as the spec says.
            unsafe { pool.run(unit, input.as_ref().as_ptr(), out.as_mut().as_mut_ptr()) };
        }
    };
    let flops = (output * output * features * window * window) as f64;
    Ok(vec![Case { name, flops, run: Box::new(run) }])
}

/// A convolution of square images with padding that keeps their size but for strides.
fn conv(
    name: &str,
    batch: usize,
    size: usize,
    [cin, cout]: [usize; 2],
    [window, stride]: [usize; 2],
    groups: usize,
) -> Result<Vec<Case>> {
    let name =
        format!("conv {name} {size}x{size} {cin}->{cout} {window}x{window}/{stride} b{batch}");
    if !wanted(&name) {
        return Ok(Vec::new());
    }
    let output = size.div_ceil(stride);
    let pad = ((output - 1) * stride + window).saturating_sub(size) / 2;
    let conv = Conv::new(
        Isa::detect(),
        ConvSpec {
            dtype: DType::F32,
            groups,
            batch,
            input: [size; 2],
            input_features: cin,
            window: [window; 2],
            output: [output; 2],
            output_features: cout,
            strides: [stride; 2],
            dilations: [1, 1],
            padding: [pad as isize; 2],
        },
    )?;
    let terms = window * window * cin / groups;
    let (input, filter) = (random(batch * size * size * cin * 4)?, random(terms * cout * 4)?);
    let mut packed = AlignedBytes::zeroed(conv.filter_bytes())?;
    for unit in 0..conv.filter_units() {
        // SAFETY: both buffers are as large as the spec says.
        unsafe {
            conv.pack_filter(unit, filter.as_ref().as_ptr(), packed.as_mut().as_mut_ptr());
        }
    }
    let mut out = AlignedBytes::zeroed(batch * output * output * cout * 4)?;
    let mut scratch = Scratch::new();
    scratch.reserve(conv.scratch_bytes())?;
    let run = move || {
        for unit in 0..conv.units() {
            let (input, packed) = (input.as_ref().as_ptr(), packed.as_ref().as_ptr());
            let out = out.as_mut().as_mut_ptr();
            // SAFETY: all buffers are as large as the spec says.
            unsafe { conv.run(unit, input, packed, out, &mut scratch, &mut |_| {}) };
        }
    };
    let flops = 2.0 * (batch * output * output * cout * terms) as f64;
    Ok(vec![Case { name, flops, run: Box::new(run) }])
}

/// A transpose of the last two of three dimensions, in bytes read and written.
fn transpose(batch: usize, rows: usize, cols: usize) -> Result<Vec<Case>> {
    let name = format!("transpose {batch}x{rows}x{cols}, GB/s");
    if !wanted(&name) {
        return Ok(Vec::new());
    }
    let (r, c) = (rows as isize, cols as isize);
    let (from, to) = ([r * c * 4, c * 4, 4], [r * c * 4, 4, r * 4]);
    let copy = CopyNd::new(Isa::detect(), 4, &[batch, rows, cols], &from, &to)?;
    let bytes = batch * rows * cols * 4;
    let (input, mut out) = (random(bytes)?, random(bytes)?);
    let run = move || {
        for unit in 0..copy.units() {
            // SAFETY: both buffers have all elements.
            unsafe { copy.run(unit, input.as_ref().as_ptr(), out.as_mut().as_mut_ptr()) };
        }
    };
    Ok(vec![Case { name, flops: 2.0 * bytes as f64, run: Box::new(run) }])
}

fn products() -> Result<Vec<Case>> {
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
        cases.extend(matmul(DType::F32, m, k, n)?);
    }
    for dtype in [DType::F64, DType::BF16, DType::F16, DType::I8, DType::I32] {
        cases.extend(matmul(dtype, 128, 768, 768)?);
    }
    for (left, right) in [(false, false), (false, true), (true, false)] {
        cases.extend(whole(12, [128, 64, 128], left, right)?);
        cases.extend(whole(12, [128, 128, 64], left, right)?);
        cases.extend(whole(1, [512, 512, 512], left, right)?);
    }
    cases.extend(whole(96, [16, 32, 16], false, true)?);
    cases.extend(pool(PoolKind::Max, 112, 64, 3, 2)?);
    cases.extend(pool(PoolKind::Sum, 7, 2048, 7, 1)?);
    cases.extend(pool(PoolKind::Sum, 56, 64, 3, 1)?);
    Ok(cases)
}

fn convolutions() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for batch in [1, 8] {
        cases.extend(conv("", batch, 56, [64, 64], [3, 1], 1)?);
        cases.extend(conv("", batch, 14, [256, 256], [3, 1], 1)?);
        cases.extend(conv("", batch, 28, [128, 256], [1, 1], 1)?);
        cases.extend(conv("depthwise", batch, 112, [32, 32], [3, 1], 32)?);
    }
    cases.extend(conv("", 1, 7, [512, 512], [3, 1], 1)?);
    cases.extend(conv("", 1, 28, [128, 128], [3, 1], 1)?);
    cases.extend(conv("", 1, 56, [128, 128], [3, 2], 1)?);
    cases.extend(conv("", 1, 56, [256, 512], [1, 2], 1)?);
    cases.extend(conv("stem", 1, 224, [3, 64], [7, 2], 1)?);
    cases.extend(conv("stem", 1, 224, [3, 32], [3, 2], 1)?);
    cases.extend(conv("patches", 1, 224, [3, 768], [16, 16], 1)?);
    cases.extend(conv("", 1, 112, [32, 16], [1, 1], 1)?);
    cases.extend(conv("", 1, 56, [24, 144], [1, 1], 1)?);
    cases.extend(conv("", 1, 56, [144, 24], [1, 1], 1)?);
    cases.extend(conv("", 1, 7, [960, 160], [1, 1], 1)?);
    cases.extend(conv("", 1, 7, [160, 960], [1, 1], 1)?);
    cases.extend(conv("", 1, 1, [480, 20], [1, 1], 1)?);
    cases.extend(conv("", 1, 28, [256, 256], [3, 1], 32)?);
    cases.extend(conv("depthwise", 1, 112, [96, 96], [3, 2], 96)?);
    cases.extend(conv("depthwise", 1, 56, [144, 144], [3, 1], 144)?);
    cases.extend(conv("depthwise", 1, 28, [240, 240], [5, 1], 240)?);
    cases.extend(conv("depthwise", 1, 14, [480, 480], [3, 1], 480)?);
    cases.extend(conv("depthwise", 1, 14, [672, 672], [5, 1], 672)?);
    cases.extend(conv("depthwise", 1, 7, [960, 960], [3, 1], 960)?);
    cases.extend(transpose(12, 128, 64)?);
    cases.extend(transpose(1, 1000, 1000)?);
    cases.extend(transpose(8, 3, 224 * 224)?);
    cases.extend(transpose(8, 224 * 224, 3)?);
    Ok(cases)
}

fn main() -> Result<()> {
    let mut cases = products()?;
    cases.extend(convolutions()?);
    let mut times = vec![Vec::new(); cases.len()];
    let mut peaks = Vec::new();
    for _ in 0..9 {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            peaks.push(peak());
            (case.run)();
            let repeat = (2e7 / case.flops).ceil().max(1.0) as usize;
            let start = now();
            (0..repeat).for_each(|_| (case.run)());
            times.push(case.flops * repeat as f64 / (now() - start));
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
