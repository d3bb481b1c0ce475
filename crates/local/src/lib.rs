//! The client of our own compiler: HLO is optimised, planned, emitted, loaded and run.
//!
//! Kernels are known by their text: what was emitted for one program serves all later ones, so a
//! second batch size emits no machine code. This crate must not know TensorFlow, and it does none
//! of the steps itself.
//!
//! Read first: [`LocalClient`], [`LocalOptions`].

mod artifact;
mod client;
mod eval_client;
mod executable;
mod explain;
mod judge;
mod kernels;
mod outside;

pub use client::{LocalClient, LocalOptions};
pub use eval_client::EvalClient;
pub use judge::KernelJudge;
