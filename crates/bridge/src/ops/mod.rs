//! The rows, a family a file.

use crate::OpRow;

mod array;
mod binary;
pub(crate) mod collective;
mod color;
mod control;
mod conv;
mod conv_grad;
mod core;
mod dequantize;
mod einsum;
mod image;
mod index;
mod layout;
mod list;
mod loss;
mod lrn;
mod matmul;
mod ndtri;
mod nms;
mod norm;
mod patches;
mod philox;
mod pool;
mod pool_grad;
mod quantize;
mod random;
mod reduce;
mod resample;
mod resource_scatter;
mod slices;
mod space;
mod spectral;
mod train;
mod unary;
mod uniform;

/// All families.
pub(crate) const FAMILIES: &[&[OpRow]] = &[
    array::ROWS,
    binary::ROWS,
    collective::ROWS,
    color::ROWS,
    control::ROWS,
    conv::ROWS,
    conv_grad::ROWS,
    core::ROWS,
    dequantize::ROWS,
    image::ROWS,
    index::ROWS,
    layout::ROWS,
    list::ROWS,
    loss::ROWS,
    lrn::ROWS,
    matmul::ROWS,
    nms::ROWS,
    norm::ROWS,
    patches::ROWS,
    pool::ROWS,
    pool_grad::ROWS,
    quantize::ROWS,
    random::ROWS,
    reduce::ROWS,
    resample::ROWS,
    resource_scatter::ROWS,
    slices::ROWS,
    space::ROWS,
    spectral::ROWS,
    train::ROWS,
    unary::ROWS,
    uniform::ROWS,
];
