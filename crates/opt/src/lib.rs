//! Passes from HLO to HLO, and the driver that runs, checks, times and limits them.
//!
//! A pass makes a program shorter or cheaper and keeps its results bit for bit, but for three
//! things that are nobody's promise: the payload of a NaN, whether a subnormal number that is only
//! passed on was flushed to zero on the way, and the last bits of a power. Passes whose row says
//! that they are not exact ([`PassRow::exact`]) also change last bits of what their texts say; they
//! are only among those of our own compiler.
//!
//! This crate must not know TensorFlow, machine code or any device; it reads no clock, and
//! evaluates constants only through the [`Fold`] it is given.
//!
//! Read first: [`optimise`], [`Options`], [`Pass`]; then one pass, e.g. [`DeadCode`].

mod algebra;
mod calls;
mod canonicalize_convolution;
mod common_subexpressions;
mod constant_branches;
mod constant_folding;
mod dead_code;
mod decompose_batch_norm;
mod driver;
mod fold_batch_norm;
mod fold_weights;
mod inline_calls;
mod insert;
mod pass;
mod permute;
mod pipeline;
mod simplify_reductions;
mod sink_moves;
mod widen_contractions;

pub use algebra::Algebra;
pub use canonicalize_convolution::CanonicalizeConvolution;
pub use common_subexpressions::CommonSubexpressions;
pub use constant_branches::ConstantBranches;
pub use constant_folding::ConstantFolding;
pub use dead_code::DeadCode;
pub use decompose_batch_norm::DecomposeBatchNorm;
pub use driver::{Dump, Options, PassRun, Report, optimise, run_passes};
pub use fold_batch_norm::FoldBatchNorm;
pub use fold_weights::FoldWeights;
pub use inline_calls::InlineCalls;
pub use pass::{Changed, Fold, Pass, PassCtx};
pub use pipeline::{ALL, CPU, PassRow, STANDARD, passes_named};
pub use simplify_reductions::SimplifyReductions;
pub use sink_moves::SinkMoves;
pub use widen_contractions::WidenContractions;
