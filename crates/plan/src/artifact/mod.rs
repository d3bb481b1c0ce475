//! The artifact format: executables as bytes, little-endian, in sections with checksums.
//!
//! [`container`] is the file: magic, version, a table of sections, sections at multiples of
//! [`container::ALIGN`] bytes. [`Writer`] and [`Reader`] are the numbers and lists inside of a
//! section. [`write_plan`] and [`write_kernels`] are the form of a plan; constants and machine code
//! are sections of those who have them. What is written depends on nothing but the plan, and what
//! is read is either written again as the same bytes or refused.
//!
//! Everything that is read is hostile: lists are not longer than the bytes they are in, numbers
//! have one form only, ids are below the length of what they name, and kernels are verified. What a
//! plan does with its buffers is not judged here; who loads it must check it as any other plan.

mod bytes;
pub mod container;
mod kernels;
mod plan;
mod steps;
mod types;

pub use bytes::{Reader, Writer};
pub use kernels::{read_kernels, write_kernels};
pub use plan::{read_plan, write_plan};
pub use types::{read_dtype, write_dtype};

/// Version of the format, of the packed form of weights and of what emitted code expects. Raise it
/// with every change of one of these: artifacts of other versions are not read.
pub const VERSION: u32 = 1;
