//! From HLO to a [`Plan`]: which loops and library kernels run, in which order, on which memory.
//!
//! A plan is data. Loops over elements are [`kernel::Kernel`]s, a small vector IR with a text form
//! that `codegen` turns into machine code and that `exec` can interpret; contractions and moves are
//! calls of the library kernels; what has neither is run by the reference interpreter. This crate
//! must not know TensorFlow, machine code, threads or addresses.
//!
//! Read first: [`kernel`], [`Plan`], [`Step`].

pub mod artifact;
mod assign;
mod cost;
pub mod kernel;
mod lower;
mod plan;
mod text;

pub use cost::Cost;
pub use lower::{plan, refusal};
pub use plan::{
    Artifact, Buffer, BufferId, Constant, ConvCall, ConvKind, CopyCall, Entry, Epilogue,
    GatherCall, KernelId, LoopCall, MatmulCall, MatrixView, Note, Place, Plan, PoolCall, PoolKind,
    ReferenceCall, Start, Step, StreamArg,
};
