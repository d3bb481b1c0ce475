//! Which passes there are, one row each, and in which order they usually run.

use tfjit_base::{Error, Result};
use tfjit_hlo::Module;

use crate::{
    Algebra, Changed, CommonSubexpressions, ConstantBranches, ConstantFolding, DeadCode,
    InlineCalls, Pass, PassCtx,
};

/// A pass as a value.
#[derive(Clone, Copy, Debug)]
pub struct PassRow {
    /// The name.
    pub name: &'static str,
    /// One line of what it does.
    pub doc: &'static str,
    /// Runs it.
    pub run: fn(&mut Module, &PassCtx<'_>) -> Result<Changed>,
}

/// The row of a pass.
const fn row<P: Pass>() -> PassRow {
    PassRow { name: P::NAME, doc: P::DOC, run: |module, ctx| P::default().run(module, ctx) }
}

/// All passes.
pub const ALL: &[PassRow] = &[
    row::<InlineCalls>(),
    row::<ConstantBranches>(),
    row::<ConstantFolding>(),
    row::<Algebra>(),
    row::<CommonSubexpressions>(),
    row::<DeadCode>(),
];

/// The usual order: first what makes programs larger, last what takes away.
pub const STANDARD: &[PassRow] = ALL;

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
