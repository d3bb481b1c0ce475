//! The rows, a family a file.

use crate::OpRow;

mod array;
mod binary;
mod control;
mod conv;
mod core;
mod einsum;
mod image;
mod index;
mod list;
mod matmul;
mod norm;
mod philox;
mod pool;
mod quantize;
mod random;
mod reduce;
mod space;
mod spectral;
mod unary;

/// All families.
pub(crate) const FAMILIES: &[&[OpRow]] = &[
    array::ROWS,
    binary::ROWS,
    conv::ROWS,
    control::ROWS,
    core::ROWS,
    index::ROWS,
    list::ROWS,
    matmul::ROWS,
    norm::ROWS,
    pool::ROWS,
    reduce::ROWS,
    image::ROWS,
    quantize::ROWS,
    random::ROWS,
    space::ROWS,
    spectral::ROWS,
    unary::ROWS,
];
