//! The reference interpreter: one obvious loop per operation.
//!
//! It is the oracle of all tests, so it is written to be read: each operation is the formula of
//! StableHLO's specification over row-major slices, and nothing is fused, cached or reordered.
//! It must not know TensorFlow, plans or machine code.
//!
//! Read first: [`reducer`] (regions over scalars as something that can be called),
//! [`typed`] (how a tensor becomes a slice and back).

mod bits;
mod convert;
mod elementwise;
mod flush;
mod math;
mod moves;
pub mod pick;
mod reduce;
pub mod reducer;
mod region;
mod sort;
pub mod typed;
