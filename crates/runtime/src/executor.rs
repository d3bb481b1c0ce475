//! The executor of straight graphs: steps in order, values in numbered slots.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfjit_base::{Error, Result, Tensor};

use crate::{ResourceManager, Variable};

/// Position of a value in a run of a program.
pub type Slot = usize;

/// A value while a program runs.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A handle to a variable.
    Variable(Arc<Variable>),
}

impl Value {
    /// The tensor.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a handle.
    pub fn tensor(&self) -> Result<&Tensor> {
        match self {
            Value::Tensor(t) => Ok(t),
            Value::Variable(v) => {
                Err(Error::invalid_argument(format!("{} is a handle, not a tensor", v.name())))
            }
        }
    }
}

/// What a kernel gets beside its inputs.
#[derive(Debug)]
pub struct StepContext<'a> {
    /// Variables of the session.
    pub resources: &'a ResourceManager,
    /// Raised to stop the run.
    pub cancel: Option<&'a Arc<AtomicBool>>,
    /// Threads the run may use.
    pub threads: usize,
}

/// Something that runs: a launch of a cluster, or a node on the host.
pub trait Kernel: Send + Sync + fmt::Debug {
    /// Runs with the values of the inputs; returns the values of the outputs.
    ///
    /// # Errors
    /// What the op defines, without the node's name, which the executor adds.
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>>;
}

/// One kernel in its place.
#[derive(Debug)]
pub struct Step {
    /// The node's name.
    pub name: Arc<str>,
    /// What runs.
    pub kernel: Box<dyn Kernel>,
    /// Slots it reads.
    pub inputs: Vec<Slot>,
    /// Slots it writes.
    pub outputs: Vec<Slot>,
}

/// A graph made straight: its steps in an order that respects all edges.
#[derive(Debug, Default)]
pub struct Program {
    /// Number of slots.
    pub slots: usize,
    /// Slots of the parameters.
    pub params: Vec<Slot>,
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Slots of the results.
    pub results: Vec<Slot>,
}

impl Program {
    /// Runs all steps.
    ///
    /// # Errors
    /// The first error of a kernel, naming its node; CANCELLED when the flag was raised.
    pub fn run(&self, arguments: Vec<Value>, context: &StepContext<'_>) -> Result<Vec<Value>> {
        if arguments.len() != self.params.len() {
            return Err(Error::invalid_argument(format!(
                "the program takes {} arguments, not {}",
                self.params.len(),
                arguments.len()
            )));
        }
        let mut slots: Vec<Option<Value>> = vec![None; self.slots];
        for (&slot, value) in self.params.iter().zip(arguments) {
            slots[slot] = Some(value);
        }
        for step in &self.steps {
            if context.cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return Err(Error::cancelled("the run was cancelled").at(&*step.name));
            }
            let inputs =
                step.inputs.iter().map(|&s| read(&slots, s)).collect::<Result<Vec<_>>>()?;
            let outputs = step.kernel.run(&inputs, context).map_err(|e| e.at(&*step.name))?;
            if outputs.len() < step.outputs.len() {
                return Err(Error::internal("a kernel returned too few values").at(&*step.name));
            }
            for (&slot, value) in step.outputs.iter().zip(outputs) {
                slots[slot] = Some(value);
            }
        }
        self.results.iter().map(|&s| read(&slots, s)).collect()
    }
}

fn read(slots: &[Option<Value>], slot: Slot) -> Result<Value> {
    slots[slot].clone().ok_or_else(|| Error::internal("a value was read before it was made"))
}
