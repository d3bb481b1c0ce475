//! What NumPy writes: the text of an array, and the files `.npy` and `.npz`.
//!
//! It must not know models, signatures or the command line; everything here is tensors in, text
//! or bytes out, and the reverse.

mod array;
mod digits;
mod element;
mod float;
mod header;
mod npy;
mod npz;
mod zip;

use tfjit_base::{Result, Tensor};

pub(crate) use array::{array_repr, array_text};
pub(crate) use npy::{read_npy, write_npy};
pub(crate) use npz::{Npz, write_npz};

/// The first bytes of a `.npy` file.
pub(crate) const NPY_MAGIC: &[u8] = b"\x93NUMPY";
/// The first bytes of a zip archive, and so of a `.npz` file.
pub(crate) const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// What Python prints for `repr` of a float.
pub(crate) fn f64_text(value: f64) -> String {
    float::scalar(value, digits::Width::F64, true)
}

/// A number with six significant digits at most, as C's `%g`.
pub(crate) fn general_text(value: f64) -> String {
    float::general(value)
}

/// What Python prints for the element at a flat index, as a NumPy scalar.
///
/// # Errors
/// OUT_OF_RANGE when there is no such element.
pub(crate) fn scalar_text(tensor: &Tensor, index: usize) -> Result<String> {
    element::scalar_text(tensor, index)
}
