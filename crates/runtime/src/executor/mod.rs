//! The executor: kernels in their places, run in order, or by TensorFlow's rules of dead values and
//! frames where a graph has the control flow of TensorFlow 1.
//!
//! It must not know ops: what a kernel does is its own affair.

mod flow;
mod run;
mod step;
#[cfg(test)]
mod tests;
mod value;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tfjit_base::{Error, Result};

pub use step::{CallFunction, StepContext, StepState};
pub use value::{Object, Value};

use flow::FlowGraph;

/// Position of a value in a run of a program.
pub type Slot = usize;

/// Something that runs: a launch of a cluster, or a node on the host.
pub trait Kernel: Send + Sync + fmt::Debug {
    /// Runs with the values of the inputs; returns the values of the outputs.
    ///
    /// # Errors
    /// What the op defines, without the node's name, which the executor adds.
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>>;

    /// Whether it may wait for another kernel of the step (a receive, a collective). It runs on a
    /// thread of its own then, so that several can wait at once.
    fn blocks(&self) -> bool {
        false
    }

    /// Whether it carries values between graphs: it runs even when an input is dead, through
    /// [`Kernel::run_dead`], and may return no values, which makes all its outputs dead.
    fn transfers(&self) -> bool {
        false
    }

    /// What a kernel that [transfers](Kernel::transfers) does with a dead input.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    fn run_dead(&self, _context: &StepContext<'_>) -> Result<()> {
        Ok(())
    }
}

/// What a step means to the executor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Flow {
    /// A kernel that runs when all its inputs are there, and is dead if one is.
    #[default]
    Plain,
    /// Hands input 0 to the output that input 1 names, a bool or a position; the others are dead.
    Switch,
    /// Hands on the first input that is alive, and its position as output 1, if there is one.
    Merge,
    /// Hands a value into a frame.
    Enter {
        /// The frame's name.
        frame: Arc<str>,
        /// Whether every iteration sees the value.
        constant: bool,
    },
    /// Hands a value out of a frame, from the last iteration.
    Exit,
    /// Hands a value to the next iteration.
    NextIteration,
    /// Runs whatever its inputs are.
    Trigger,
}

/// One kernel in its place.
#[derive(Debug)]
pub struct Step {
    /// The node's name.
    pub name: Arc<str>,
    /// What runs; not asked where `flow` says all.
    pub kernel: Box<dyn Kernel>,
    /// Slots it reads.
    pub inputs: Vec<Slot>,
    /// Slots it writes.
    pub outputs: Vec<Slot>,
    /// Positions of the steps that must have run before, beside those that make its inputs.
    pub after: Vec<usize>,
    /// What it means to the executor.
    pub flow: Flow,
}

impl Step {
    /// A plain step.
    pub fn new(
        name: impl Into<Arc<str>>,
        kernel: Box<dyn Kernel>,
        inputs: Vec<Slot>,
        outputs: Vec<Slot>,
    ) -> Step {
        let (after, flow) = (Vec::new(), Flow::Plain);
        Step { name: name.into(), kernel, inputs, outputs, after, flow }
    }
}

/// A graph that runs.
#[derive(Debug, Default)]
pub struct Program {
    slots: usize,
    params: Vec<Slot>,
    steps: Vec<Step>,
    results: Vec<Slot>,
    /// Where there is more to running than the order of the steps.
    flow: Option<FlowGraph>,
    /// Whether there is one step, from the parameters to the results as they are.
    single: bool,
}

impl Program {
    /// A program of `slots` slots. Steps come in an order that respects all edges but those out of
    /// [`Flow::NextIteration`].
    ///
    /// # Errors
    /// INVALID_ARGUMENT when frames are not entered and left as they must be; INTERNAL when a
    /// position is out of range.
    pub fn new(
        slots: usize,
        params: Vec<Slot>,
        steps: Vec<Step>,
        results: Vec<Slot>,
    ) -> Result<Program> {
        let mut used = params.iter().chain(&results);
        let inside = |step: &Step| {
            step.inputs.iter().chain(&step.outputs).all(|&s| s < slots)
                && step.after.iter().all(|&s| s < steps.len())
        };
        if used.any(|&slot| slot >= slots) || !steps.iter().all(inside) {
            return Err(Error::internal("a program's position is out of range"));
        }
        let special = |s: &Step| s.flow != Flow::Plain || s.kernel.blocks() || s.kernel.transfers();
        let flow = match steps.iter().any(special) {
            true => Some(FlowGraph::new(slots, &params, &steps, &results)?),
            false => None,
        };
        let single = match steps.as_slice() {
            [step] => flow.is_none() && step.inputs == params && step.outputs == results,
            _ => false,
        };
        Ok(Program { slots, params, steps, results, flow, single })
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether all steps run, in their order.
    pub fn is_straight(&self) -> bool {
        self.flow.is_none()
    }

    /// As [`Program::run`], with arguments that stay the caller's. A program of one step needs no
    /// memory but that of its results.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn run_with(&self, arguments: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        match self.steps.as_slice() {
            [step] if self.single && arguments.len() == self.params.len() => {
                let outputs = step.kernel.run(arguments, context).map_err(|e| e.at(&*step.name))?;
                if outputs.len() == step.outputs.len() { Ok(outputs) } else { Err(too_few(step)) }
            }
            _ => self.run(arguments.to_vec(), context),
        }
    }

    /// Runs the program.
    ///
    /// # Errors
    /// The first error of a kernel, naming its node; CANCELLED when the flag was raised;
    /// INVALID_ARGUMENT when a result lies in a branch that was not taken.
    pub fn run(&self, arguments: Vec<Value>, context: &StepContext<'_>) -> Result<Vec<Value>> {
        if arguments.len() != self.params.len() {
            return Err(Error::invalid_argument(format!(
                "the program takes {} arguments, not {}",
                self.params.len(),
                arguments.len()
            )));
        }
        match &self.flow {
            None => self.run_straight(arguments, context),
            Some(flow) => run::run(self, flow, arguments, context),
        }
    }

    fn run_straight(&self, arguments: Vec<Value>, context: &StepContext<'_>) -> Result<Vec<Value>> {
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
                return Err(too_few(step));
            }
            for (&slot, value) in step.outputs.iter().zip(outputs) {
                slots[slot] = Some(value);
            }
        }
        self.results.iter().map(|&s| read(&slots, s)).collect()
    }
}

fn too_few(step: &Step) -> Error {
    Error::internal("a kernel returned too few values").at(&*step.name)
}

fn read(slots: &[Option<Value>], slot: Slot) -> Result<Value> {
    slots[slot].clone().ok_or_else(|| Error::internal("a value was read before it was made"))
}
