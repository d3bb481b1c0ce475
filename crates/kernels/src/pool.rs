//! Pooling: the largest or the sum of what a window sees of NHWC images. Taps outside the image do
//! not count.

use tfjit_base::{DType, Error, Result, bf16, f16};

use crate::block::Block;
use crate::isa::Isa;
use crate::window::Axis;

/// What is computed of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// The largest; NaN when one is NaN; -0 is less than 0. An empty window gives the smallest
    /// value.
    Max,
    /// As [`PoolKind::Max`], but not less than the least finite value.
    MaxFinite,
    /// The sum, in order of height and width, from zero. Integers wrap; narrow floats are rounded
    /// after each term.
    Sum,
}

/// What a pooling is made of. Input and result are dense NHWC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSpec {
    /// Element type.
    pub dtype: DType,
    /// What is computed.
    pub kind: PoolKind,
    /// Images.
    pub batch: usize,
    /// Input height and width.
    pub input: [usize; 2],
    /// Features.
    pub features: usize,
    /// Window height and width.
    pub window: [usize; 2],
    /// Result height and width.
    pub output: [usize; 2],
    /// Strides of the window.
    pub strides: [usize; 2],
    /// Distances of the window's taps.
    pub dilations: [usize; 2],
    /// Rows above and columns left of the input that do not count; may be negative.
    pub padding: [isize; 2],
}

/// A pooling.
#[derive(Clone, Debug)]
pub struct Pool {
    isa: Isa,
    spec: PoolSpec,
    axes: [Axis; 2],
    /// Pixels of a unit, all of one line, and features of a unit.
    pixels: usize,
    features: usize,
}

/// Element operations that are worth a unit's scheduling.
const UNIT_COST: usize = 200_000;

impl Pool {
    /// Prepares a pooling.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when extents do not fit, UNIMPLEMENTED for types without kernels,
    /// RESOURCE_EXHAUSTED when extents are too large.
    pub fn new(isa: Isa, spec: PoolSpec) -> Result<Pool> {
        let axis = |i: usize| {
            Axis {
                input: spec.input[i],
                window: spec.window[i],
                output: spec.output[i],
                stride: spec.strides[i],
                dilation: spec.dilations[i],
                padding: spec.padding[i],
            }
            .checked()
        };
        let axes = [axis(0)?, axis(1)?];
        for [h, w] in [spec.input, spec.output] {
            let factors = [spec.batch, h, w, spec.features, spec.dtype.size()];
            let bytes = factors.iter().try_fold(1usize, |p, &f| p.checked_mul(f.max(1)));
            bytes.filter(|&bytes| bytes < 1 << 60).ok_or_else(|| {
                Error::resource_exhausted(format!("a pooling is too large: {factors:?}"))
            })?;
        }
        if !supported(spec.dtype) {
            return Err(Error::unimplemented(format!("no kernel pools {}", spec.dtype)));
        }
        let [kh, kw] = spec.window;
        let taps = kh.saturating_mul(kw).max(1);
        // A window over a whole image is divided by features, else lines are divided.
        let features = (UNIT_COST / taps).next_multiple_of(CHUNK).min(spec.features.max(1));
        let pixels = (UNIT_COST / taps.saturating_mul(features)).clamp(1, spec.output[1].max(1));
        Ok(Pool { isa, spec, axes, pixels, features })
    }

    /// What it is made of.
    pub fn spec(&self) -> &PoolSpec {
        &self.spec
    }

    /// Units of a line, along its pixels and its features.
    fn divisions(&self) -> [usize; 2] {
        let pixels = self.spec.output[1].div_ceil(self.pixels);
        [pixels, self.spec.features.div_ceil(self.features)]
    }

    /// Units of work, which may run in any order and at the same time.
    pub fn units(&self) -> usize {
        let [pixels, features] = self.divisions();
        self.spec.batch * self.spec.output[0] * pixels * features
    }

    /// Computes a unit; returns the block that is finished.
    ///
    /// # Safety
    /// `input` is valid for reads of the whole input, `out` for writes of the whole result, and
    /// nobody else reads or writes what this unit writes. `unit` is below [`Pool::units`]. Elements
    /// are aligned.
    pub unsafe fn run(&self, unit: usize, input: *const u8, out: *mut u8) -> Block {
        let (spec, [pixels, features]) = (&self.spec, self.divisions());
        let (line, part) = (unit / (pixels * features), unit % (pixels * features));
        let (image, y) = (line / spec.output[0], line % spec.output[0]);
        let (x, col) = (part / features * self.pixels, part % features * self.features);
        let len = self.pixels.min(spec.output[1] - x);
        let cols = self.features.min(spec.features - col);
        let run = Run { pool: self, image, y, x, len, col, cols };
        // SAFETY: the caller's promise; the token says that the instructions are there.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if self.isa.has_avx2() {
                avx2(&run, input, out);
                return run.block();
            }
            let _ = self.isa;
            any(&run, input, out);
        }
        run.block()
    }
}

impl Run<'_> {
    fn block(&self) -> Block {
        let row = self.y * self.pool.spec.output[1] + self.x;
        let (rows, col, cols) = (self.len, self.col, self.cols);
        Block { batch: self.image, row, rows, col, cols }
    }
}

/// A unit.
struct Run<'a> {
    pool: &'a Pool,
    image: usize,
    y: usize,
    x: usize,
    len: usize,
    col: usize,
    cols: usize,
}

/// # Safety
/// As [`Pool::run`]; AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(run: &Run<'_>, input: *const u8, out: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { any(run, input, out) }
}

/// Features whose results are in registers together.
const CHUNK: usize = 32;

/// A type that can be pooled.
trait Value: Copy {
    const ZERO: Self;
    const SMALLEST: Self;
    /// The least finite value.
    const LEAST_FINITE: Self;
    fn add(self, other: Self) -> Self;
    fn larger(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Value for $t {
            const ZERO: $t = 0;
            const SMALLEST: $t = <$t>::MIN;
            const LEAST_FINITE: $t = <$t>::MIN;
            #[inline(always)]
            fn add(self, other: $t) -> $t {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn larger(self, other: $t) -> $t {
                if self > other { self } else { other }
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty, $zero:expr;)*) => {$(
        impl Value for $t {
            const ZERO: $t = $zero;
            const SMALLEST: $t = <$t>::NEG_INFINITY;
            const LEAST_FINITE: $t = <$t>::MIN;
            #[inline(always)]
            fn add(self, other: $t) -> $t {
                self + other
            }
            #[inline(always)]
            fn larger(self, other: $t) -> $t {
                let keep = self.is_nan()
                    || self > other
                    || (self == other && other.is_sign_negative());
                if keep { self } else { other }
            }
        }
    )*};
}
floats!(f32, 0.0; f64, 0.0; bf16, bf16::ZERO; f16, f16::ZERO;);

macro_rules! by_type {
    ($dtype:expr, $T:ident => $body:expr, $else:expr) => {
        match $dtype {
            DType::I8 => {
                type $T = i8;
                $body
            }
            DType::I16 => {
                type $T = i16;
                $body
            }
            DType::I32 => {
                type $T = i32;
                $body
            }
            DType::I64 => {
                type $T = i64;
                $body
            }
            DType::U8 => {
                type $T = u8;
                $body
            }
            DType::U16 => {
                type $T = u16;
                $body
            }
            DType::U32 => {
                type $T = u32;
                $body
            }
            DType::U64 => {
                type $T = u64;
                $body
            }
            DType::BF16 => {
                type $T = bf16;
                $body
            }
            DType::F16 => {
                type $T = f16;
                $body
            }
            DType::F32 => {
                type $T = f32;
                $body
            }
            DType::F64 => {
                type $T = f64;
                $body
            }
            _ => $else,
        }
    };
}

fn supported(dtype: DType) -> bool {
    by_type!(dtype, T => size_of::<T>() > 0, false)
}

/// # Safety
/// As [`Pool::run`].
#[inline(always)]
unsafe fn any(run: &Run<'_>, input: *const u8, out: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        by_type!(run.pool.spec.dtype, T => match run.pool.spec.kind {
            PoolKind::Max => pool::<T>(run, input.cast(), out.cast(), T::SMALLEST, T::larger),
            PoolKind::MaxFinite => {
                pool::<T>(run, input.cast(), out.cast(), T::LEAST_FINITE, T::larger);
            }
            PoolKind::Sum => pool::<T>(run, input.cast(), out.cast(), T::ZERO, T::add),
        }, ());
    }
}

/// # Safety
/// As [`Pool::run`]; `T` is the element type.
#[inline(always)]
unsafe fn pool<T: Value>(
    run: &Run<'_>,
    input: *const T,
    out: *mut T,
    start: T,
    combine: impl Fn(T, T) -> T + Copy,
) {
    let (spec, [y, x]) = (&run.pool.spec, run.pool.axes);
    let c = spec.features;
    for i in 0..run.len {
        let ox = run.x + i;
        let at = (run.image * y.output + run.y) * x.output + ox;
        let (ky, kx) = (y.taps(run.y), x.taps(ox));
        let first_y = y.position(run.y, ky.start).max(0) as usize;
        let first_x = x.position(ox, kx.start).max(0) as usize;
        let pixel = (run.image * y.input + first_y) * x.input + first_x;
        let seen =
            Seen { taps: [ky.len(), kx.len()], steps: [y.dilation * x.input * c, x.dilation * c] };
        // SAFETY: the caller's promise; positions are inside the image.
        unsafe {
            let from = input.wrapping_add(pixel * c + run.col);
            let to = out.add(at * c + run.col);
            let whole = run.cols - run.cols % CHUNK;
            for col in (0..whole).step_by(CHUNK) {
                seen.fold::<T, CHUNK>(from.wrapping_add(col), to.add(col), start, combine);
            }
            let mut col = whole;
            while col + 8 <= run.cols {
                seen.fold::<T, 8>(from.wrapping_add(col), to.add(col), start, combine);
                col += 8;
            }
            for col in col..run.cols {
                seen.fold::<T, 1>(from.wrapping_add(col), to.add(col), start, combine);
            }
        }
    }
}

/// The taps that an output pixel sees.
struct Seen {
    taps: [usize; 2],
    /// Elements from tap to tap.
    steps: [usize; 2],
}

impl Seen {
    /// # Safety
    /// `from` has `N` elements at each tap, `to` room for them.
    #[inline(always)]
    unsafe fn fold<T: Value, const N: usize>(
        &self,
        from: *const T,
        to: *mut T,
        start: T,
        combine: impl Fn(T, T) -> T,
    ) {
        let mut values = [start; N];
        for ky in 0..self.taps[0] {
            for kx in 0..self.taps[1] {
                // SAFETY: the caller's promise.
                let row = unsafe { from.add(ky * self.steps[0] + kx * self.steps[1]) };
                for (i, value) in values.iter_mut().enumerate() {
                    // SAFETY: as above.
                    *value = combine(*value, unsafe { row.add(i).read() });
                }
            }
        }
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[T; N]>().write_unaligned(values) };
    }
}
