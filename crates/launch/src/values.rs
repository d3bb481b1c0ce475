//! Between the values of a graph and the buffers of an executable.
//!
//! Populating inputs finds for each parameter the tensor it stands for; populating outputs gives
//! each result of the function its value, and each variable that is written its new one. It must
//! not know where snapshots and locks come from, nor when anything runs.

use tfjit_base::{Error, Result, Tensor};
use tfjit_bridge::{Ret, decode_checks};
use tfjit_client::{Argument, Arguments, Buffer, Client};
use tfjit_runtime::Value;

use crate::{Compiled, trace};

/// What the arguments of a cluster are at the moment of running.
pub(crate) trait Sources {
    /// The tensor of argument `arg`, and whether its memory may be given away.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when a variable lost its value; INTERNAL when there is no such argument.
    fn tensor(&mut self, arg: usize, aliased: bool) -> Result<(Tensor, bool)>;

    /// The argument as it came, for results that pass it through.
    ///
    /// # Errors
    /// INTERNAL when there is no such argument.
    fn passed(&self, arg: usize) -> Result<Value>;
}

/// The executable's arguments.
///
/// # Errors
/// Those of the sources; INVALID_ARGUMENT for what the client takes no buffer of.
pub(crate) fn populate_inputs(
    compiled: &Compiled,
    client: &dyn Client,
    sources: &mut dyn Sources,
) -> Result<Arguments> {
    let _span = trace::span("Populate Inputs", compiled.result.params.len());
    let mut arguments = Arguments::new();
    for (number, param) in compiled.result.params.iter().enumerate() {
        let aliased = compiled.executable.aliases().iter().any(|alias| alias.parameter == number);
        let (tensor, donate) = sources.tensor(param.arg, aliased)?;
        arguments.push(Argument { buffer: client.buffer(&tensor, 0)?, donate });
    }
    Ok(arguments)
}

/// Takes the vector of checks off the results; the error of the first that fired.
///
/// # Errors
/// That of the check, naming its node.
pub(crate) fn take_checks(compiled: &Compiled, outputs: &mut Vec<Buffer>) -> Result<()> {
    let checks = &compiled.result.checks;
    if checks.is_empty() {
        return Ok(());
    }
    let fired = outputs.pop().ok_or_else(missing)?;
    decode_checks(checks, &fired.to_host()?)
}

/// The values of the function's results.
///
/// # Errors
/// INTERNAL when the executable returned too few; what a device reports while copying.
pub(crate) fn populate_outputs(
    compiled: &Compiled,
    outputs: &[Buffer],
    sources: &dyn Sources,
) -> Result<Vec<Value>> {
    let _span = trace::span("Populate Outputs", compiled.result.rets.len());
    compiled.result.rets.iter().map(|ret| output(ret, outputs, sources)).collect()
}

fn output(ret: &Ret, outputs: &[Buffer], sources: &dyn Sources) -> Result<Value> {
    match ret {
        Ret::Output(i) => Ok(Value::Tensor(outputs.get(*i).ok_or_else(missing)?.to_host()?)),
        Ret::Variable(arg) => sources.passed(*arg),
        Ret::Constant(tensor) => Ok(Value::Tensor(tensor.clone())),
    }
}

/// The new values of the variables that are written, with the arguments that they are.
///
/// # Errors
/// As [`populate_outputs`].
pub(crate) fn updates(compiled: &Compiled, outputs: &[Buffer]) -> Result<Vec<(usize, Tensor)>> {
    let update = |update: &tfjit_bridge::Update| {
        let value = outputs.get(update.output).ok_or_else(missing)?.to_host()?;
        Ok((update.arg, value))
    };
    compiled.result.updates.iter().map(update).collect()
}

fn missing() -> Error {
    Error::internal("the executable returned too few results")
}
