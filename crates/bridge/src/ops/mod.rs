//! The rows, a family a file.

use crate::OpRow;

mod array;
mod binary;
mod conv;
mod core;
mod einsum;
mod index;
mod matmul;
mod norm;
mod pool;
mod reduce;
mod unary;

/// All families.
pub(crate) const FAMILIES: &[&[OpRow]] = &[
    array::ROWS,
    binary::ROWS,
    conv::ROWS,
    core::ROWS,
    index::ROWS,
    matmul::ROWS,
    norm::ROWS,
    pool::ROWS,
    reduce::ROWS,
    unary::ROWS,
];
