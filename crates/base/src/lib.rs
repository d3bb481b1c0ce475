//! The vocabulary of tfjit: element types, shapes, tensors, errors, limits and knobs.
//!
//! Every other crate stands on this one. It must not know TensorFlow, HLO or any file format, and
//! it reads no files and no clock; [`knobs`] is the only reader of the environment in the house.
//!
//! Read first: [`DType`], [`Tensor`], [`Error`].
//!
//! ```
//! use tfjit_base::{Shape, Tensor};
//! let t = Tensor::from_slice(Shape::new(&[2, 2]), &[1.0f32, 2.0, 3.0, 4.0])?;
//! assert_eq!(t.to_vec::<f32>()?[3], 4.0);
//! # Ok::<(), tfjit_base::Error>(())
//! ```

mod dtype;
mod error;
pub mod ids;
pub mod knobs;
pub mod limits;
mod minifloat;
mod shape;
mod storage;
mod tensor;

pub use dtype::{DType, DTypeClass};
pub use error::{Code, Error, Result};
pub use half::{bf16, f16};
pub use minifloat::MiniFloat;
pub use num_complex::{Complex, Complex32, Complex64};
pub use shape::{PartialShape, Shape};
pub use storage::{AlignedBytes, Bytes, Storage};
pub use tensor::{Element, Tensor};
