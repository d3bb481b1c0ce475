//! Passes from HLO to HLO, and the driver that runs, checks, times and limits them.
//!
//! A pass makes a program shorter or cheaper and keeps its results bit for bit, but for three
//! things that are nobody's promise: the payload of a NaN, whether a subnormal number that is only
//! passed on was flushed to zero on the way, and the last bits of a power.
//!
//! This crate must not know TensorFlow, machine code or any device; it reads no clock, and
//! evaluates constants only through the [`Fold`] it is given.
//!
//! Read first: [`optimise`], [`Options`], [`Pass`]; then one pass, e.g. [`DeadCode`].

mod algebra;
mod calls;
mod common_subexpressions;
mod constant_branches;
mod constant_folding;
mod dead_code;
mod driver;
mod inline_calls;
mod pass;
mod pipeline;

pub use algebra::Algebra;
pub use common_subexpressions::CommonSubexpressions;
pub use constant_branches::ConstantBranches;
pub use constant_folding::ConstantFolding;
pub use dead_code::DeadCode;
pub use driver::{Dump, Options, PassRun, Report, optimise, run_passes};
pub use inline_calls::InlineCalls;
pub use pass::{Changed, Fold, Pass, PassCtx};
pub use pipeline::{ALL, PassRow, STANDARD, passes_named};
