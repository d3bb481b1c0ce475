//! Depthwise convolutions: each input feature on its own, to one or more output features.
//!
//! Terms are added in order of taps, each with one rounding, to a sum that starts from zero; taps
//! in the padding are left out.

use std::ops::Range;

use crate::block::Block;
use crate::conv::ConvSpec;
use crate::isa::Isa;
use crate::scratch::{Cut, piece};
use crate::types::{Acc, Reader, Writer};
use crate::window::Axis;

/// Floating-point operations that are worth a unit's scheduling.
const UNIT_COST: usize = 1_000_000;
/// Bytes of a result that are told together.
const TELL_BYTES: usize = 32 << 10;

/// A depthwise convolution.
#[derive(Clone, Debug)]
pub(crate) struct Depthwise {
    spec: ConvSpec,
    axes: [Axis; 2],
    /// Lines of a unit.
    lines: usize,
}

/// Some pixels of one line of the result and what they see.
pub(crate) struct Run<A> {
    pub(crate) axes: [Axis; 2],
    /// Output pixels of the line, and the line's number.
    pub(crate) x: Range<usize>,
    pub(crate) y: usize,
    /// Features of the input, and outputs of each.
    pub(crate) features: usize,
    pub(crate) multiplier: usize,
    /// The image.
    pub(crate) input: *const u8,
    pub(crate) filter: *const A,
    /// The first pixel.
    pub(crate) out: *mut u8,
}

impl Depthwise {
    pub(crate) fn new(spec: &ConvSpec, axes: [Axis; 2]) -> Depthwise {
        let [y, x] = axes;
        let terms = y.window * x.window * spec.output_features;
        let line = x.output.saturating_mul(terms).saturating_mul(2).max(1);
        // Small images still have units for several threads.
        let all = (spec.batch * y.output).max(1);
        let lines = (UNIT_COST / line).clamp(1, all.div_ceil(4).max(1));
        Depthwise { spec: *spec, axes, lines }
    }

    pub(crate) fn units(&self) -> usize {
        let [y, x] = self.axes;
        if x.output == 0 { 0 } else { (self.spec.batch * y.output).div_ceil(self.lines) }
    }

    fn multiplier(&self) -> usize {
        self.spec.output_features / self.spec.input_features
    }

    /// Scratch bytes of a unit.
    pub(crate) fn scratch_bytes(&self) -> usize {
        piece::<f64>(self.spec.input_features) + piece::<f64>(self.spec.output_features)
    }

    /// # Safety
    /// `filter` and `packed` have all taps of all outputs.
    pub(crate) unsafe fn pack<A: Acc>(&self, filter: *const u8, packed: *mut A) {
        let [y, x] = self.axes;
        let count = y.window * x.window * self.spec.output_features;
        let Some(reader) = A::reader(self.spec.dtype) else { return };
        // SAFETY: the caller's promise.
        unsafe { (reader.read)(filter, 1, count, packed) }
    }

    /// # Safety
    /// As [`crate::Conv::run`].
    #[allow(clippy::too_many_arguments, reason = "those of `Conv::run`")]
    pub(crate) unsafe fn run<A: Acc>(
        &self,
        isa: Isa,
        unit: usize,
        input: *const u8,
        filter: *const u8,
        out: *mut u8,
        mut cut: Cut,
        done: &mut dyn FnMut(Block),
    ) {
        let (spec, [y, x]) = (&self.spec, self.axes);
        let (Some(reader), Some(writer)) = (A::reader(spec.dtype), A::writer(spec.dtype)) else {
            return;
        };
        let scratch = (cut.take::<A>(spec.input_features), cut.take::<A>(spec.output_features));
        let cols = spec.output_features;
        let width = (2 * TELL_BYTES / (cols * writer.size).max(1)).max(16);
        let first = unit * self.lines;
        let last = (first + self.lines).min(spec.batch * y.output);
        // Pixels that are done and not told: image, first and end.
        let mut ready: (usize, Range<usize>) = (0, 0..0);
        let mut tell = |(batch, rows): (usize, Range<usize>)| {
            if !rows.is_empty() {
                done(Block { batch, row: rows.start, rows: rows.len(), col: 0, cols });
            }
        };
        for line in first..last {
            let (image, line_y) = (line / y.output, line % y.output);
            for start in (0..x.output).step_by(width) {
                let end = (start + width).min(x.output);
                let (from, to) = (line_y * x.output + start, line_y * x.output + end);
                let image_bytes = y.input * x.input * spec.input_features * reader.size;
                let at = (image * y.output * x.output + from) * cols * writer.size;
                // SAFETY: the caller's promise.
                unsafe {
                    let run = Run {
                        axes: self.axes,
                        x: start..end,
                        y: line_y,
                        features: spec.input_features,
                        multiplier: self.multiplier(),
                        input: input.add(image * image_bytes),
                        filter: filter.cast::<A>(),
                        out: out.add(at),
                    };
                    run.compute(isa, &reader, &writer, scratch);
                }
                let told = ready.1.len() * cols * writer.size >= TELL_BYTES;
                if ready.0 != image || ready.1.is_empty() || told {
                    tell(std::mem::replace(&mut ready, (image, from..from)));
                }
                ready.1.end = to;
            }
        }
        tell(ready);
    }
}

impl<A: Acc> Run<A> {
    /// # Safety
    /// All pointers are valid; the scratch has room for the features of a pixel.
    unsafe fn compute(
        &self,
        isa: Isa,
        reader: &Reader<A>,
        writer: &Writer<A>,
        scratch: (*mut A, *mut A),
    ) {
        // SAFETY: the caller's promise; the token says that the instructions are there.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if isa.has_avx2() {
                let same = std::any::TypeId::of::<A>() == std::any::TypeId::of::<f32>();
                if same && reader.same && self.multiplier == 1 {
                    return crate::depthwise_avx2::compute(&self.cast());
                }
                return compute_avx2(self, reader, writer, scratch);
            }
            let _ = isa;
            compute(self, reader, writer, scratch);
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn cast(&self) -> Run<f32> {
        Run {
            axes: self.axes,
            x: self.x.clone(),
            y: self.y,
            features: self.features,
            multiplier: self.multiplier,
            input: self.input,
            filter: self.filter.cast(),
            out: self.out,
        }
    }
}

/// # Safety
/// As [`Run::compute`]; AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn compute_avx2<A: Acc>(
    run: &Run<A>,
    reader: &Reader<A>,
    writer: &Writer<A>,
    scratch: (*mut A, *mut A),
) {
    // SAFETY: the caller's promise.
    unsafe { compute(run, reader, writer, scratch) }
}

/// Any type and any number of outputs a feature.
///
/// # Safety
/// As [`Run::compute`].
#[inline(always)]
unsafe fn compute<A: Acc>(
    run: &Run<A>,
    reader: &Reader<A>,
    writer: &Writer<A>,
    (pixel, sums): (*mut A, *mut A),
) {
    let [y, x] = run.axes;
    let outputs = run.features * run.multiplier;
    for (i, ox) in run.x.clone().enumerate() {
        // SAFETY: the caller's promise.
        unsafe {
            let sums = std::slice::from_raw_parts_mut(sums, outputs);
            (0..outputs).for_each(|o| sums.as_mut_ptr().add(o).write(A::ZERO));
            for ky in y.taps(run.y) {
                for kx in x.taps(ox) {
                    let (iy, ix) = (y.position(run.y, ky) as usize, x.position(ox, kx) as usize);
                    let at = (iy * x.input + ix) * run.features;
                    (reader.read)(run.input.add(at * reader.size), 1, run.features, pixel);
                    let weights = run.filter.add((ky * x.window + kx) * outputs);
                    let weights = std::slice::from_raw_parts(weights, outputs);
                    if run.multiplier == 1 {
                        for (c, (sum, w)) in sums.iter_mut().zip(weights).enumerate() {
                            *sum = sum.fused(*pixel.add(c), *w);
                        }
                        continue;
                    }
                    let groups = sums.chunks_exact_mut(run.multiplier);
                    let groups = groups.zip(weights.chunks_exact(run.multiplier));
                    for (c, (sums, weights)) in groups.enumerate() {
                        let value = *pixel.add(c);
                        for (sum, w) in sums.iter_mut().zip(weights) {
                            *sum = sum.fused(value, *w);
                        }
                    }
                }
            }
            (writer.write)(sums.as_ptr(), outputs, run.out.add(i * outputs * writer.size));
        }
    }
}
