//! SIMD library kernels: what a plan calls by name rather than as a loop kernel.
//!
//! Each kernel is a prepared object with a number of independent units of work; whoever runs them
//! brings pointers, scratch memory and threads. Results are bit for bit the same for any number of
//! threads, any order of units and any processor. This crate must not know plans, HLO or threads.
//!
//! Read first: [`Matmul`], [`Block`], [`Isa`].
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    clippy::needless_range_loop,
    reason = "kernels index raw memory and registers; contracts are at the functions"
)]

mod block;
mod conv;
mod copy;
mod depthwise;
#[cfg(target_arch = "x86_64")]
mod depthwise_avx2;
mod gather;
mod gemm;
mod isa;
mod layout;
mod matmul;
#[cfg(target_arch = "x86_64")]
mod pack_avx2;
mod pool;
mod scratch;
#[cfg(target_arch = "x86_64")]
mod transpose;
mod types;
mod window;

pub use block::Block;
pub use conv::{Conv, ConvSpec};
pub use copy::{CopyNd, fill};
pub use gather::Gather;
pub use isa::Isa;
pub use layout::{Matrix, RhsLayout};
pub use matmul::{Matmul, MatmulSpec};
pub use pool::{Pool, PoolKind, PoolSpec};
pub use scratch::Scratch;
