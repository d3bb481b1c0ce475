//! Loads code and runs plans.
//!
//! It maps machine code that `codegen` made, or interprets kernels, and runs the steps of a plan on
//! a pool of threads. It must not know HLO's meaning (the reference interpreter does), TensorFlow,
//! or how code is made.
//!
//! Read first: [`Loaded`], [`KernelCode`], [`Pool`].

#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "runs machine code on raw memory; each block says why it may"
)]

mod alias;
mod artifact;
mod call;
mod cgroup;
mod check;
mod code;
mod constants;
mod context;
mod contract;
mod interpret;
mod launch;
mod loaded;
mod memory;
mod mode;
mod moves;
mod pool;
mod slab;
mod weights;

pub use alias::Reuse;
pub use artifact::{ConstantPieces, StoredBytes, StoredConstants, read_constants};
pub use call::KernelCode;
pub use code::{CodeOptions, LoadedCode};
pub use interpret::{Program, Registers};
pub use launch::{Outside, Profile, RunOptions};
pub use loaded::{LoadOptions, Loaded};
pub use pool::Pool;
pub use weights::Weights;
