//! The reference interpreter: one obvious loop per operation.
//!
//! It is the oracle of all tests, so it is written to be read: each operation is the formula of
//! StableHLO's specification over row-major slices, and nothing is fused, cached or reordered.
//! It must not know TensorFlow, plans or machine code.
//!
//! Read first: [`reducer`] (regions over scalars as something that can be called),
//! [`typed`] (how a tensor becomes a slice and back).

mod accum;
mod axis;
mod batch_norm;
mod bits;
mod cells;
mod conv;
mod convert;
mod dot;
mod elementwise;
mod fft;
mod flush;
mod gather;
mod gemm;
mod index_map;
mod linalg;
mod math;
mod moves;
mod permute;
pub mod pick;
mod reduce;
pub mod reducer;
mod region;
mod rng;
mod scatter;
mod select_scatter;
mod sort;
pub mod typed;
mod window;
mod window_rows;
