//! Runs a program on the frame of the calling convention.

use tfjit_plan::kernel::{Access, Axis, Op, When, abi};

use super::memory::{load, store};
use super::operations::{self as ops, Operand};
use super::reduction::{accumulate, finish_columns, start};
use super::{BLOCK, Part, Program, SLOT_WORDS, Slot, Step};

/// Memory for the values of a program; shared by all programs that a thread runs.
#[derive(Default)]
pub struct Registers {
    words: Vec<u64>,
}

impl Registers {
    /// Memory of at least `words` words, aligned to a line.
    fn reserve(&mut self, words: usize) -> *mut u64 {
        if self.words.len() < words + 8 {
            self.words.resize(words + 8, 0);
        }
        let start = self.words.as_mut_ptr();
        start.wrapping_add(start.align_offset(64).min(8))
    }
}

/// Where a run is.
#[derive(Clone, Copy)]
struct Place {
    blocks: *mut u64,
    singles: *mut u64,
    frame: *const u64,
    row: usize,
    col: usize,
    /// Number of columns that are computed.
    count: usize,
}

impl Place {
    fn slot(&self, slot: Slot) -> *mut u64 {
        if slot.single {
            self.singles.wrapping_add(slot.number as usize)
        } else {
            self.blocks.wrapping_add(slot.number as usize * SLOT_WORDS)
        }
    }

    fn operand(&self, slot: Slot) -> Operand {
        Operand { at: self.slot(slot).cast_const(), single: slot.single }
    }
}

impl Program {
    /// Runs the program as native code would.
    ///
    /// # Safety
    /// `frame` is as [`abi`] says, for the streams of the program's kernel.
    pub unsafe fn run(&self, frame: *const u64, registers: &mut Registers) {
        let slots = registers.reserve(self.words());
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
        {
            // SAFETY: the processor has the features; the rest is the caller's promise.
            unsafe { self.run_avx2(frame, slots) };
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { self.run_here(frame, slots) };
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn run_avx2(&self, frame: *const u64, slots: *mut u64) {
        // SAFETY: the caller's promise.
        unsafe { self.run_here(frame, slots) }
    }

    #[inline(always)]
    unsafe fn run_here(&self, frame: *const u64, slots: *mut u64) {
        // SAFETY: the frame has these words.
        let (rows, cols) =
            unsafe { (*frame.add(abi::ROWS) as usize, *frame.add(abi::COLS) as usize) };
        let singles = slots.wrapping_add(self.blocks * SLOT_WORDS);
        let mut place = Place { blocks: slots, singles, frame, row: 0, col: 0, count: 0 };
        for &(slot, ty, bits) in &self.constants {
            // SAFETY: the slot is one of the program.
            unsafe { ops::splat(ty, place.slot(slot), bits, 1) };
        }
        // One loop over both axes, so that the code of all instructions is there once.
        let (outer, step) = match self.axis {
            Axis::Columns => (rows, 1),
            Axis::Rows => (cols, BLOCK),
        };
        let mut at = 0;
        while at < outer {
            for part in &self.phases {
                let (inner, width) = match (self.axis, part.when) {
                    (Axis::Columns, When::Each) => (cols.div_ceil(BLOCK), BLOCK),
                    (Axis::Columns, When::Once) => (1, 1),
                    (Axis::Rows, When::Each) => (rows, (cols - at).min(BLOCK)),
                    (Axis::Rows, When::Once) => (1, (cols - at).min(BLOCK)),
                };
                // SAFETY: the slots are those of the program.
                unsafe { self.begin(part, &place, width) };
                for i in 0..inner {
                    match self.axis {
                        Axis::Columns => {
                            place.row = at;
                            place.col = i * BLOCK;
                            place.count = match part.when {
                                When::Each => (cols - place.col).min(BLOCK),
                                When::Once => 1,
                            };
                        }
                        Axis::Rows => {
                            place.row = i;
                            place.col = at;
                            place.count = width;
                        }
                    }
                    for inst in &part.steps {
                        // SAFETY: rows and columns are inside the frame's.
                        unsafe { self.step(inst, &place) };
                    }
                }
                // SAFETY: as above.
                unsafe { self.end(part, &place) };
            }
            at += step;
        }
    }

    /// Sets the sums of a phase to their identities.
    #[inline(always)]
    unsafe fn begin(&self, part: &Part, place: &Place, width: usize) {
        for r in &part.reductions {
            // SAFETY: the slot is one of the program.
            unsafe { start(r.reduce, r.ty, place.slot(r.partials), width) };
        }
    }

    /// Completes the sums of a phase.
    #[inline(always)]
    unsafe fn end(&self, part: &Part, place: &Place) {
        if self.axis == Axis::Rows {
            return;
        }
        for r in &part.reductions {
            // SAFETY: the slots are those of the program.
            unsafe {
                let bits = finish_columns(r.reduce, r.ty, place.slot(r.partials));
                ops::splat(r.ty, place.slot(r.result), bits, 1);
            }
        }
    }

    /// Runs an instruction for the columns of a place.
    #[inline(always)]
    unsafe fn step(&self, step: &Step, place: &Place) {
        let to = place.slot(step.to);
        let writes = matches!(step.op, Op::Store(_));
        let n = if step.to.single && !writes { 1 } else { place.count };
        let [a, b, c] = step.args.map(|slot| place.operand(slot));
        // SAFETY: slots are those of the program, and no block is both operand and result.
        unsafe {
            match step.op {
                Op::Const(_) => {}
                Op::Load(stream) => {
                    let (at, stride) = self.address(stream, place);
                    load(self.stream(stream).dtype, at, stride, to, n);
                }
                Op::Store(stream) => {
                    let (at, stride) = self.address(stream, place);
                    store(self.stream(stream).dtype, at, stride, a.at, n);
                }
                Op::Column => {
                    let first = *place.frame.add(abi::FIRST_COLUMN) as i32;
                    ops::column(to, first.wrapping_add(place.col as i32), n);
                }
                Op::Unary(unary) => ops::unary(unary, step.ty, to, a.at, n),
                Op::Binary(binary) => ops::binary(binary, step.ty, to, a, b, n),
                Op::Compare(compare) => ops::compare(compare, step.from, to, a, b, n),
                Op::Fma => ops::fma(step.ty, to, [a, b, c], n),
                Op::Select => ops::select(step.ty, to, [a, b, c], n),
                Op::Convert => ops::convert(step.from, step.ty, to, a.at, n),
                Op::Bitcast => ops::splat(step.ty, to, ops::first(step.ty, a.at), n),
                Op::Reduce(reduce) => accumulate(reduce, step.ty, self.axis, to, a.at, n),
            }
        }
    }

    fn stream(&self, stream: tfjit_plan::kernel::StreamId) -> &tfjit_plan::kernel::Stream {
        &self.streams[tfjit_base::ids::Id::index(stream)]
    }

    /// Address of the first element of a place and the distance of its elements in bytes.
    #[inline(always)]
    unsafe fn address(
        &self,
        stream: tfjit_plan::kernel::StreamId,
        place: &Place,
    ) -> (*mut u8, isize) {
        let info = self.stream(stream);
        let index = tfjit_base::ids::Id::index(stream);
        // SAFETY: the frame has these words.
        let words = unsafe { place.frame.add(abi::STREAMS + index * abi::STREAM_WORDS) };
        // SAFETY: as above.
        let (base, row, col) =
            unsafe { (*words as usize, *words.add(1) as isize, *words.add(2) as isize) };
        let stride = match info.access {
            Access::Unit => info.dtype.size() as isize,
            Access::Row => 0,
            Access::Strided => col,
        };
        let offset = row
            .wrapping_mul(place.row as isize)
            .wrapping_add(stride.wrapping_mul(place.col as isize));
        (std::ptr::with_exposed_provenance_mut::<u8>(base).wrapping_offset(offset), stride)
    }
}
