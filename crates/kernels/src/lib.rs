//! SIMD library kernels: what a plan calls by name rather than as a loop kernel.
//!
//! Each kernel is a prepared object with a number of independent units of work; whoever runs them
//! brings pointers, scratch memory and threads. Results are bit for bit the same for any number of
//! threads, any order of units and any processor. This crate must not know plans, HLO or threads.
//!
//! # Order of sums
//!
//! Sums of products in `f32` are bit for bit those of TensorFlow's CPU kernels with AVX2, for most
//! shapes: programs that take logarithms of rounding noise show the difference. Terms are added in
//! ascending order with one rounding each, in blocks of 256; a block's sum starts from zero and is
//! added to the result, which starts from zero. The last columns beyond a multiple of 16, if they
//! are 8 or fewer, sum even and odd terms of a block apart. Results of fewer than 8 columns are dot
//! products over 8 lanes (added as neighbours, then four apart, then two) in blocks of 128. Of
//! convolutions, whose terms are those of all taps in order, padding included, the rows that are
//! left of tiles of six sum even and odd terms apart in all columns and round their products.
//! Depthwise convolutions add the taps inside the image in order, with one rounding each. `f64` has
//! the same order with a rounding of each product, `bf16` and `f16` that of `f32`.
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
