//! The `_XlaRun` kernel: runs a closure that an `_XlaCompile` of the same step made.
//!
//! It reads variables from the closure's snapshots. Those that are written are locked before it
//! runs and until they are written, so that an assignment in between is ordered before or after,
//! and not lost.

use std::sync::Arc;
use std::time::Instant;

use tfjit_base::{Error, Result, Tensor};
use tfjit_runtime::{Kernel, LockPlan, StepContext, Value, Variable};

use super::compile::key_of;
use super::launch::lost;
use super::surroundings::{Surroundings, run};
use crate::closure::{ClosureStore, ExecutableClosure};
use crate::values::{Sources, populate_outputs, updates};
use crate::{DevicePlace, Family, Profiler};

/// The kernel.
#[derive(Debug)]
pub struct XlaRun {
    family: Family,
    /// Watches steps, if somebody wants to know.
    profiler: Option<Arc<Profiler>>,
    place: DevicePlace,
}

/// The arguments of a run.
struct Captured<'r> {
    closure: &'r ExecutableClosure,
    inputs: &'r [Value],
}

/// The input that is argument `arg` of the cluster; constants are not passed.
fn input<'i>(inputs: &'i [Value], closure: &ExecutableClosure, arg: usize) -> Result<&'i Value> {
    let at = arg.checked_sub(closure.constants);
    at.and_then(|at| inputs.get(at)).ok_or_else(|| {
        Error::internal(format!("argument {arg} of the cluster is not among the inputs"))
    })
}

fn variable<'i>(
    inputs: &'i [Value],
    closure: &ExecutableClosure,
    arg: usize,
) -> Result<&'i Arc<Variable>> {
    match input(inputs, closure, arg)? {
        Value::Variable(variable) => Ok(variable),
        other => Err(Error::internal(format!(
            "argument {arg} of the cluster is written and is {}",
            other.describe()
        ))),
    }
}

impl Sources for Captured<'_> {
    fn tensor(&mut self, arg: usize, _: bool) -> Result<(Tensor, bool)> {
        match self.closure.snapshots.get(&arg) {
            Some(Some(tensor)) => Ok((tensor.clone(), false)),
            Some(None) => Err(lost(variable(self.inputs, self.closure, arg)?)),
            None => Ok((input(self.inputs, self.closure, arg)?.tensor()?.clone(), false)),
        }
    }

    fn passed(&self, arg: usize) -> Result<Value> {
        input(self.inputs, self.closure, arg).cloned()
    }
}

impl XlaRun {
    /// A kernel that runs closures of `family`.
    pub fn new(family: Family, profiler: Option<Arc<Profiler>>) -> XlaRun {
        XlaRun { family, profiler, place: DevicePlace::default() }
    }

    /// Says where runs are.
    #[must_use]
    pub fn at(self, place: DevicePlace) -> XlaRun {
        XlaRun { place, ..self }
    }
}

impl Kernel for XlaRun {
    /// Its program may wait for the host, whose kernels must run meanwhile.
    fn blocks(&self) -> bool {
        true
    }

    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let Some((key, inputs)) = inputs.split_last() else {
            return Err(Error::invalid_argument("the key of the executable is missing"));
        };
        // Consumed first: a run that fails frees it too.
        let key = key_of(key)?;
        let closure = ClosureStore::of(self.family).consume(&key)?;
        let start = Instant::now();
        let compiled = &closure.compiled;
        let mut captured = Captured { closure: &closure, inputs };
        let mut plan = LockPlan::new();
        for update in &compiled.result.updates {
            plan.add(variable(inputs, &closure, update.arg)?, true);
        }
        let mut locked = plan.lock();
        let surroundings = Surroundings {
            client: &*closure.client.0,
            function: compiled.executable.name(),
            profiler: self.profiler.as_deref(),
            place: &self.place,
            closure: Some(&key),
        };
        let outputs = run(compiled, &surroundings, &mut captured, context)?;
        let values = populate_outputs(compiled, &outputs, &captured)?;
        for (arg, value) in updates(compiled, &outputs)? {
            locked.set(variable(inputs, &closure, arg)?, value)?;
        }
        closure.timings.launched(start);
        Ok(values)
    }
}
