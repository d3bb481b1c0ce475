//! Programs in StableHLO's text form, run on their own.

use tfjit_base::{Error, Result, Tensor};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::Module;

/// Runs the entry of `module` on the interpreter. When nothing is called `main`, every public
/// function without parameters runs, as in StableHLO's own test programs; custom calls named
/// `check.…` are assertions.
///
/// # Errors
/// FAILED_PRECONDITION for an assertion that does not hold; INVALID_ARGUMENT when the module has
/// nothing to run or the arguments don't fit.
pub fn run_module(module: &Module, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
    tfjit_hlo::verify(module)?;
    let names: Vec<&str> = match module.entry() {
        Some(entry) => vec![&entry.name],
        None => {
            let runs = |f: &&tfjit_hlo::Func| f.public && f.params().is_empty();
            module.funcs.iter().filter(runs).map(|f| f.name.as_str()).collect()
        }
    };
    if names.is_empty() {
        return Err(Error::invalid_argument(
            "the program has no function main and no public function without parameters",
        ));
    }
    let values: Vec<Value> = arguments.iter().cloned().map(Value::Tensor).collect();
    let mut outputs = Vec::new();
    for name in names {
        let options = tfjit_eval::Options::default();
        let results =
            Interpreter::new(module, options).run(name, &values).map_err(|e| e.at(name))?;
        outputs.extend(results.into_iter().filter_map(|value| match value {
            Value::Tensor(t) => Some(t),
            _ => None,
        }));
    }
    Ok(outputs)
}
