//! Runs the pass pipeline, with the interpreter as its evaluator of constants.

use tfjit_base::{Error, Result, Tensor};
use tfjit_eval::{Interpreter, Value};
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
    options.fold = Some(&evaluate);
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

/// The results of a program of constants.
fn evaluate(module: &Module) -> Result<Vec<Tensor>> {
    let entry = module.entry().ok_or_else(|| Error::internal("there is nothing to evaluate"))?;
    // Constants are folded as launches would compute them.
    let options = tfjit_eval::Options { flush_subnormals: true, ..tfjit_eval::Options::default() };
    let values = Interpreter::new(module, options).run(&entry.name, &[])?;
    values
        .into_iter()
        .map(|value| match value {
            Value::Tensor(tensor) => Ok(tensor),
            Value::Token | Value::Tuple(_) => Err(Error::internal("a result is no tensor")),
        })
        .collect()
}
