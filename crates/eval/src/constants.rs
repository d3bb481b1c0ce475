//! Programs of constants, computed as launches would compute them.

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::Module;

use crate::{Interpreter, Options};

/// The results of a program without parameters, subnormals counting as zero; whoever folds
/// constants asks for this one.
///
/// # Errors
/// INTERNAL without an entry or for results that are no tensors, and those of running it.
pub fn evaluate_constants(module: &Module) -> Result<Vec<Tensor>> {
    if module.entry().is_none() {
        return Err(Error::internal("there is nothing to evaluate"));
    }
    let options = Options { flush_subnormals: true, ..Options::default() };
    let values = Interpreter::new(module, options).run_entry(&[])?;
    values.iter().map(|value| value.tensor().cloned()).collect()
}
