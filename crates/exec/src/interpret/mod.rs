//! Runs loop kernels without machine code: a program over blocks of elements.
//!
//! Each instruction is one loop over a block of neighbouring columns, so that the compiler of this
//! crate makes vector code of it and deciding what to do is paid once a block. It computes exactly
//! what the kernel's documentation says, sums included, and is what other ways of running a kernel
//! are compared with. It must not know plans.

mod compile;
mod memory;
mod operations;
mod reduction;
mod run;

use tfjit_plan::kernel::{Axis, Kernel, Lane, Op, Reduce, Stream, When};

pub use self::run::Registers;

/// Most columns of a block; a multiple of the number of partial sums.
pub(crate) const BLOCK: usize = 512;
/// Words from one slot to the next: a block of 64-bit lanes, and a line so that the slots do not
/// all fall into the same sets of a cache.
const SLOT_WORDS: usize = BLOCK + 8;

/// A compiled kernel.
#[derive(Debug)]
pub struct Program {
    name: String,
    axis: Axis,
    streams: Vec<Stream>,
    phases: Vec<Part>,
    /// Constants: their place, type and bits.
    constants: Vec<(Slot, Lane, u64)>,
    /// Number of slots for blocks, and of words for single values.
    blocks: usize,
    singles: usize,
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    number: u32,
    /// Whether it is one value for all columns of a block.
    single: bool,
}

/// A phase.
#[derive(Debug)]
struct Part {
    when: When,
    steps: Vec<Step>,
    reductions: Vec<Reduction>,
}

/// An instruction. [`Op::Bitcast`] spreads a single value over a block; those of the kernel are
/// other names for their operands.
#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    /// Type of the result, or of the stored value.
    ty: Lane,
    /// Type of the first operand.
    from: Lane,
    to: Slot,
    args: [Slot; 3],
}

/// A reduction of a phase.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    reduce: Reduce,
    ty: Lane,
    /// The partial results: 32 partial sums along columns, one a column along rows.
    partials: Slot,
    /// The result; along rows it is where the partial results are.
    result: Slot,
}

impl Program {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it was compiled from a kernel with such streams and such an axis.
    pub(crate) fn is_of(&self, kernel: &Kernel) -> bool {
        self.axis == kernel.axis && kernel.streams.iter().map(|(_, s)| s).eq(&self.streams)
    }

    /// Words of memory for values.
    fn words(&self) -> usize {
        self.blocks * SLOT_WORDS + self.singles
    }

    /// Bytes of memory that a run takes beside the streams.
    pub fn block_bytes(&self) -> usize {
        self.words() * 8
    }
}
