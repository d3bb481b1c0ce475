//! Runs the pass pipeline, with the interpreter as its evaluator of constants.

use tfjit_base::Result;
use tfjit_eval::evaluate_constants;
use tfjit_hlo::{Fuel, Module};

use crate::Observer;
use crate::compiler::program_text;

/// Optimises a module in place; `observer` sees it after every pass that changed something.
pub(crate) fn run(
    module: &mut Module,
    fuel: Option<u64>,
    function: &str,
    observer: Option<&dyn Observer>,
) -> Result<()> {
    let fuel = match fuel {
        Some(rewrites) => Fuel::new(rewrites),
        None => Fuel::unlimited(),
    };
    let refused = std::cell::RefCell::new(None);
    let dump = |pass: &tfjit_opt::PassRun, module: &Module| {
        let Some(observer) = observer else { return };
        let stage = format!("optimise-{}-{}", pass.round, pass.name);
        let shown = observer.product(&stage, function, &program_text(module));
        if let Err(error) = shown {
            refused.borrow_mut().get_or_insert(error);
        }
    };
    let mut options = tfjit_opt::Options::new(&fuel);
    options.fold = Some(&evaluate_constants);
    if observer.is_some() {
        options.dump = Some(&dump);
    }
    tfjit_opt::optimise(module, &options)?;
    refused.into_inner().map_or(Ok(()), Err)
}

/// Optimises a module in place, as launches do.
///
/// # Errors
/// INTERNAL when a pass makes something that is no program.
pub fn optimise(module: &mut Module, fuel: Option<u64>) -> Result<()> {
    run(module, fuel, "main", None)
}
