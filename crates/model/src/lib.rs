//! Readers and writers of TensorFlow's files: checkpoints, and the programs they belong to.
//!
//! Every file is hostile: sizes are bounded before anything is allocated, and whatever is broken
//! is an error value. This crate must not know how a program is run.
//!
//! Read first: [`dtypes`], [`mapped::map_file`].

pub mod dtypes;
pub mod mapped;
