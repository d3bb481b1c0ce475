//! The reference interpreter: one obvious loop per operation.
//!
//! It is the oracle of all tests, so it is written to be read: each operation is the formula of
//! StableHLO's specification over row-major slices, and nothing is fused, cached or reordered.
//! It must not know TensorFlow, plans or machine code.
//!
//! Read first: [`Interpreter`] (runs functions), [`eval_inst`] (one pure instruction, for constant
//! folding), `pick` (how a loop gets the function for its operation and element type), `reducer`
//! (regions over scalars as something that can be called).

mod accum;
mod axis;
mod batch_norm;
mod bits;
mod cells;
mod check;
mod collective;
mod collective_work;
mod combine;
mod constants;
mod conv;
mod convert;
mod custom;
mod dot;
mod dynamic;
mod elementwise;
mod fft;
mod flush;
mod gather;
mod gemm;
mod host;
mod index_map;
mod inst;
mod interpreter;
mod library;
mod lifetime;
mod linalg;
mod math;
mod moves;
mod parallel;
mod permute;
mod pick;
mod quant;
mod reduce;
mod reducer;
mod region;
mod rng;
mod scatter;
mod select_scatter;
mod sort;
mod structure;
mod typed;
mod value;
mod window;
mod window_rows;

pub use collective_work::{Exchange, exchange_work};
pub use constants::evaluate_constants;
pub use host::{Host, Meeting, MeetingWork, MemoryHost, Process, Transfer, work_alone};
pub use inst::eval_inst;
pub use interpreter::{Interpreter, Options};
pub use parallel::{Program, run_parallel};
pub use value::Value;
