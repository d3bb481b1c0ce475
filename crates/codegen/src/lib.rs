//! Loop kernels to machine code.
//!
//! [`emit`] makes an [`Artifact`](tfjit_plan::Artifact) of kernels for a [`Target`]; the code is
//! position-independent and follows [`tfjit_plan::kernel::abi`]. This crate never runs code and
//! asks nothing of the host: who loads an artifact sees to it that the processor has what the
//! target needs. Kernels are expected to be verified and expanded.
//!
//! Read first: [`emit`], then `program.rs` and `x64/mod.rs`.

mod alloc;
mod emit;
mod program;
mod x64;

pub use emit::{Emitted, Target, asm_text, emit};
