//! Scalar functions: what each elementwise operation does to one element.
//!
//! Real functions are written in `f64` and rounded once for narrower types, which is the most exact
//! and the most obvious; integers of every width go through `i128` and are cut to their width.
//! Nothing here knows tensors.

pub(crate) mod complex;
pub(crate) mod float;
pub(crate) mod int;
pub(crate) mod order;
pub(crate) mod special;
pub(crate) mod zeta;
