//! Calls of loop kernels: whose code runs, and how its frame is made.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::{Error, Result};
use tfjit_plan::kernel::{Access, Axis, Kernel, Op, When, abi};
use tfjit_plan::{Epilogue, LoopCall, StreamArg};

use crate::code::EntryFn;
use crate::context::{Launch, Worker};
use crate::{LoadedCode, Program};
use tfjit_base::ids::Id;

/// What runs a kernel.
#[derive(Clone, Debug)]
pub enum KernelCode {
    /// Machine code: an entry by its number.
    Native(Arc<LoadedCode>, usize),
    /// The block interpreter.
    Interpreted(Arc<Program>),
}

/// [`KernelCode`], looked up.
#[derive(Clone)]
enum Callee {
    /// Its code is kept by the second field.
    Native(EntryFn, #[allow(dead_code, reason = "keeps the pages mapped")] Arc<LoadedCode>),
    Interpreted(Arc<Program>),
}

/// A stream of a call, with numbers instead of names.
struct Stream {
    buffer: usize,
    offset: isize,
    outer: SmallVec<[isize; 4]>,
    row: isize,
    /// From column to column in memory, whatever the access.
    step: isize,
    /// The frame's word for it.
    col: isize,
}

/// A kernel with arguments for its streams.
pub(crate) struct Bound {
    callee: Callee,
    streams: Vec<Stream>,
    axis: Axis,
    /// Whether any part of a row may be computed by itself.
    splits_columns: bool,
    /// Estimated time of an element, in picoseconds.
    element_ps: u64,
}

impl Bound {
    /// # Errors
    /// INTERNAL when there is no such entry, or the program is of another kernel.
    fn new(kernel: &Kernel, code: &KernelCode, args: &[StreamArg]) -> Result<Bound> {
        let callee = match code {
            KernelCode::Native(code, entry) => {
                let function = code.entry(*entry).ok_or_else(|| {
                    Error::internal(format!("the code has no entry {entry} for {}", kernel.name))
                })?;
                Callee::Native(function, Arc::clone(code))
            }
            KernelCode::Interpreted(program) => {
                if !program.is_of(kernel) {
                    let message = format!("a program of another kernel than {}", kernel.name);
                    return Err(Error::internal(message));
                }
                Callee::Interpreted(Arc::clone(program))
            }
        };
        let streams = kernel.streams.iter().zip(args).map(|((_, stream), arg)| Stream {
            buffer: arg.buffer.index(),
            offset: arg.offset as isize,
            outer: arg.outer.clone(),
            row: arg.row,
            step: match stream.access {
                Access::Unit => stream.dtype.size() as isize,
                Access::Row => 0,
                Access::Strided => arg.col,
            },
            col: if stream.access == Access::Strided { arg.col } else { 0 },
        });
        let whole = |op: Op| matches!(op, Op::Reduce(_));
        let reduces = kernel.insts.iter().any(|(_, inst)| whole(inst.op));
        let each = kernel.phases.iter().all(|phase| phase.when == When::Each);
        Ok(Bound {
            callee,
            streams: streams.collect(),
            axis: kernel.axis,
            splits_columns: kernel.axis == Axis::Rows || each && !reduces,
            element_ps: element_ps(kernel, code),
        })
    }

    /// Runs the kernel for some rows and columns of a point of the outer dimensions.
    ///
    /// # Safety
    /// The part lies in the space that was checked, and nobody else uses what it writes.
    unsafe fn call(&self, launch: &Launch<'_>, worker: &mut Worker, outer: &[usize], part: Part) {
        let Worker { frame, registers, .. } = worker;
        frame.resize(abi::STREAMS + self.streams.len() * abi::STREAM_WORDS, 0);
        frame[abi::ROWS] = part.rows as u64;
        frame[abi::COLS] = part.cols as u64;
        frame[abi::FIRST_COLUMN] = part.col as u64;
        let words = frame[abi::STREAMS..].chunks_exact_mut(abi::STREAM_WORDS);
        for (stream, words) in self.streams.iter().zip(words) {
            let mut offset =
                stream.offset + stream.row * part.row as isize + stream.step * part.col as isize;
            for (&index, &stride) in outer.iter().zip(&stream.outer) {
                offset += index as isize * stride;
            }
            let at = launch.base(stream.buffer).wrapping_offset(offset);
            words[0] = at.expose_provenance() as u64;
            words[1] = stream.row as u64;
            words[2] = stream.col as u64;
        }
        // SAFETY: the frame is that of the kernel's streams, and the rest is the caller's promise.
        unsafe {
            match &self.callee {
                Callee::Native(function, _) => function(frame.as_ptr()),
                Callee::Interpreted(program) => program.run(frame.as_ptr(), registers),
            }
        }
    }
}

/// A rough estimate: two vector instructions a cycle, and memory at the speed of a cache.
fn element_ps(kernel: &Kernel, code: &KernelCode) -> u64 {
    let heavy = |op: Op| match op {
        Op::Const(_) => 0,
        Op::Unary(unary) if !is_light(unary) => 20,
        _ => 1,
    };
    let instructions: u64 = kernel.insts.iter().map(|(_, inst)| heavy(inst.op)).sum();
    let each = match code {
        KernelCode::Native(..) => 25,
        KernelCode::Interpreted(_) => 100,
    };
    instructions * each + 100 * kernel.streams.len() as u64
}

fn is_light(unary: tfjit_plan::kernel::Unary) -> bool {
    use tfjit_plan::kernel::Unary::*;
    matches!(unary, Neg | Abs | Not | Sqrt | Floor | Ceil | Trunc | RoundEven | Narrow(_) | Sign)
}

/// Some rows and columns.
#[derive(Clone, Copy, Debug)]
struct Part {
    row: usize,
    rows: usize,
    col: usize,
    cols: usize,
}

/// A loop kernel over its space, cut into units.
pub(crate) struct LoopTask {
    bound: Bound,
    outer: SmallVec<[usize; 4]>,
    rows: usize,
    cols: usize,
    /// Rows and columns of one call, and the number of calls along each.
    block: [usize; 2],
    blocks: [usize; 2],
    /// Calls in all and in a unit.
    calls: usize,
    calls_per_unit: usize,
    cost_ns: u64,
}

/// Time that a unit should take.
const UNIT_NS: u64 = 20_000;
/// Columns are cut at multiples of this.
const COLUMNS: usize = 64;

impl LoopTask {
    /// # Errors
    /// As [`Bound::new`].
    pub(crate) fn new(kernel: &Kernel, code: &KernelCode, call: &LoopCall) -> Result<LoopTask> {
        let bound = Bound::new(kernel, code, &call.streams)?;
        let (rows, cols) = (call.rows, call.cols);
        let per_unit = (UNIT_NS * 1000 / bound.element_ps.max(1)).max(1) as usize;
        let block = match bound.axis {
            Axis::Rows => {
                let cols_wanted = (per_unit / rows.max(1)).next_multiple_of(COLUMNS);
                [rows, cols.min(cols_wanted.max(COLUMNS))]
            }
            Axis::Columns if bound.splits_columns && cols > 2 * per_unit => {
                [1, per_unit.next_multiple_of(COLUMNS).min(cols)]
            }
            Axis::Columns => [(per_unit / cols.max(1)).clamp(1, rows.max(1)), cols],
        };
        let blocks = [rows.div_ceil(block[0].max(1)), cols.div_ceil(block[1].max(1))];
        let points = call.outer.iter().product::<usize>();
        let empty = rows == 0 && bound.axis == Axis::Columns;
        // No columns are still rows to finish, and no rows are still columns.
        let blocks = [blocks[0].max(1), blocks[1].max(1)];
        let calls = if empty { 0 } else { points * blocks[0] * blocks[1] };
        let elements = (block[0].max(1) * block[1].max(1)) as u64;
        let call_ns = (elements * bound.element_ps / 1000).max(20);
        Ok(LoopTask {
            bound,
            outer: call.outer.clone(),
            rows,
            cols,
            block,
            blocks,
            calls,
            calls_per_unit: (UNIT_NS / call_ns).max(1) as usize,
            cost_ns: (calls as u64).saturating_mul(call_ns),
        })
    }

    /// # Errors
    /// As [`Launch::share`].
    ///
    /// # Safety
    /// The task was checked against the launch's buffers.
    pub(crate) unsafe fn run(&self, launch: &Launch<'_>) -> Result<()> {
        let units = self.calls.div_ceil(self.calls_per_unit);
        launch.share(units, self.cost_ns, &|worker, unit| {
            let first = unit * self.calls_per_unit;
            let end = self.calls.min(first + self.calls_per_unit);
            // SAFETY: units are different parts of the space.
            (first..end).for_each(|call| unsafe { self.call(launch, worker, call) });
        })
    }

    /// # Safety
    /// As [`Bound::call`]; `call` is below the number of calls.
    unsafe fn call(&self, launch: &Launch<'_>, worker: &mut Worker, call: usize) {
        let (rest, c) = (call / self.blocks[1], call % self.blocks[1]);
        let (point, r) = (rest / self.blocks[0], rest % self.blocks[0]);
        let (row, col) = (r * self.block[0], c * self.block[1]);
        let part = Part {
            row,
            rows: self.block[0].min(self.rows - row),
            col,
            cols: self.block[1].min(self.cols - col),
        };
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.outer.len());
        decompose(point, &self.outer, &mut index);
        // SAFETY: the caller's promise.
        unsafe { self.bound.call(launch, worker, &index, part) };
    }
}

/// The coordinates of a point.
pub(crate) fn decompose(mut point: usize, extents: &[usize], index: &mut [usize]) {
    for (index, &extent) in index.iter_mut().zip(extents).rev() {
        *index = point % extent;
        point /= extent;
    }
}

/// A loop kernel that follows each finished block of a contraction.
pub(crate) struct EpilogueTask {
    bound: Bound,
    outer: SmallVec<[usize; 4]>,
}

impl EpilogueTask {
    /// # Errors
    /// As [`Bound::new`].
    pub(crate) fn new(
        kernel: &Kernel,
        code: &KernelCode,
        epilogue: &Epilogue,
        outer: &[usize],
    ) -> Result<EpilogueTask> {
        let bound = Bound::new(kernel, code, &epilogue.streams)?;
        Ok(EpilogueTask { bound, outer: SmallVec::from_slice(outer) })
    }

    /// Estimated time of an element in picoseconds.
    pub(crate) fn element_ps(&self) -> u64 {
        self.bound.element_ps
    }

    /// # Safety
    /// The block is one of the contraction, finished, and nobody else uses it.
    pub(crate) unsafe fn run(
        &self,
        launch: &Launch<'_>,
        worker: &mut Worker,
        block: tfjit_kernels::Block,
    ) {
        let part = Part { row: block.row, rows: block.rows, col: block.col, cols: block.cols };
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.outer.len());
        decompose(block.batch, &self.outer, &mut index);
        // SAFETY: the caller's promise.
        unsafe { self.bound.call(launch, worker, &index, part) };
    }
}
