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
    /// Constants: slot, type and bits.
    constants: Vec<(u32, Lane, u64)>,
    /// Number of slots.
    slots: usize,
}

/// A phase.
#[derive(Debug)]
struct Part {
    when: When,
    steps: Vec<Step>,
    reductions: Vec<Reduction>,
    /// Slots with a value of one row, to be spread over a block when the phase has run.
    spread: Vec<(u32, Lane)>,
}

/// An instruction; numbers of values are slots.
#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    /// Type of the result, or of the stored value.
    ty: Lane,
    /// Type of the first operand.
    from: Lane,
    to: u32,
    args: [u32; 3],
}

/// A reduction of a phase; its slot holds the partial results and then the result.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    reduce: Reduce,
    ty: Lane,
    slot: u32,
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

    /// Bytes of memory that a run takes beside the streams.
    pub fn block_bytes(&self) -> usize {
        self.slots * SLOT_WORDS * 8
    }
}
