//! Which passes there are, one row each, and in which order they usually run.

use tfjit_base::{Error, Result};
use tfjit_hlo::Module;

use crate::{
    Algebra, CanonicalizeConvolution, Changed, CommonSubexpressions, ConstantBranches,
    ConstantFolding, DeadCode, DecomposeBatchNorm, FoldBatchNorm, FoldWeights, InlineCalls, Pass,
    PassCtx, SimplifyReductions, SinkMoves, WidenContractions,
};

/// A pass as a value.
#[derive(Clone, Copy, Debug)]
pub struct PassRow {
    /// The name.
    pub name: &'static str,
    /// One line of what it does.
    pub doc: &'static str,
    /// Whether results stay the same bit for bit.
    pub exact: bool,
    /// Runs it.
    pub run: fn(&mut Module, &PassCtx<'_>) -> Result<Changed>,
}

/// The row of a pass.
const fn row<P: Pass>() -> PassRow {
    let run = |module: &mut Module, ctx: &PassCtx<'_>| P::default().run(module, ctx);
    PassRow { name: P::NAME, doc: P::DOC, exact: P::EXACT, run }
}

/// The passes that every way of running a module profits from, in the usual order: first what
/// makes programs larger, last what takes away. All are exact.
pub const STANDARD: &[PassRow] = &[
    row::<InlineCalls>(),
    row::<ConstantBranches>(),
    row::<ConstantFolding>(),
    row::<Algebra>(),
    row::<CommonSubexpressions>(),
    row::<DeadCode>(),
];

/// The passes of our own compiler, in order: [`STANDARD`], and between them what brings programs
/// into the forms it has kernels for. Scales are folded into weights first, while the operations
/// they are in are still behind the layer.
pub const CPU: &[PassRow] = &[
    row::<InlineCalls>(),
    row::<ConstantBranches>(),
    row::<ConstantFolding>(),
    row::<Algebra>(),
    row::<FoldWeights>(),
    row::<FoldBatchNorm>(),
    row::<DecomposeBatchNorm>(),
    row::<WidenContractions>(),
    row::<CanonicalizeConvolution>(),
    row::<SimplifyReductions>(),
    row::<SinkMoves>(),
    row::<CommonSubexpressions>(),
    row::<DeadCode>(),
];

/// All passes.
pub const ALL: &[PassRow] = CPU;

/// The passes in a list of names separated by commas.
///
/// # Errors
/// NOT_FOUND naming the passes there are.
pub fn passes_named(names: &str) -> Result<Vec<PassRow>> {
    let find = |name: &str| {
        ALL.iter().find(|row| row.name == name).copied().ok_or_else(|| {
            let all: Vec<&str> = ALL.iter().map(|row| row.name).collect();
            Error::not_found(format!("no pass is called `{name}`"))
                .help(format!("there are {}", all.join(", ")))
        })
    };
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(find).collect()
}
