//! Runs the pass pipeline with the interpreter as its evaluator of constants.

use tfjit_base::Result;
use tfjit_hlo::Module;

/// Optimises a module in place.
pub(crate) fn run(_module: &mut Module, _fuel: Option<u64>) -> Result<()> {
    Ok(())
}
