//! Tests of the executor: kernels by the block interpreter, plans of all kinds of steps.

#![allow(clippy::unwrap_used, clippy::type_complexity, reason = "a test that fails may panic")]

mod builder;
mod check;
mod contractions;
mod functions;
mod hostile;
mod kernels;
mod steps;
