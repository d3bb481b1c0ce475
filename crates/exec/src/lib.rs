//! Loads code and runs plans.
//!
//! It maps machine code that `codegen` made, or interprets kernels, and runs the steps of a plan on
//! a pool of threads. It must not know HLO's meaning (the reference interpreter does), TensorFlow,
//! or how code is made.
//!
//! Read first: [`Program`].

#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "runs machine code on raw memory; each block says why it may"
)]

mod code;
mod interpret;
mod mode;
mod pool;

pub use code::{CodeOptions, LoadedCode};
pub use interpret::{Program, Registers};
pub use pool::Pool;
