//! A plan made ready to run: tasks with all numbers worked out, packed weights, memory to reuse.

use std::sync::{Arc, Mutex};

use tfjit_base::ids::Id;
use tfjit_base::{Error, Result, Shape};
use tfjit_plan::{BufferId, Epilogue, KernelId, Place, Plan, Step};

use crate::Pool;
use crate::alias::{Reuse, possible};
use crate::artifact::Stored;
use crate::call::{EpilogueTask, KernelCode, LoopTask};
use crate::check::check;
use crate::constants::Constants;
use crate::context::State;
use crate::contract::{ConvTask, MatmulTask};
use crate::memory::{BlockPool, available_bytes};
use crate::moves::{CopyTask, GatherTask, PoolTask, ReferenceTask};
use crate::weights::Weights;

/// How a plan is loaded.
#[derive(Clone)]
pub struct LoadOptions {
    /// Who shares the work.
    pub pool: Arc<Pool>,
    /// Packed constants, shared by the plans of one program.
    pub weights: Arc<Weights>,
    /// Whether subnormal numbers count as zero inside launches.
    pub flush_subnormals: bool,
    /// Bytes that constants and one launch may take; by default 80 % of what the process may use.
    pub memory_bytes_max: Option<usize>,
    /// Results that may be written where a parameter is, if that is possible.
    pub reuse: Vec<Reuse>,
}

impl Default for LoadOptions {
    fn default() -> LoadOptions {
        LoadOptions {
            pool: Pool::shared(),
            weights: Arc::new(Weights::new()),
            flush_subnormals: true,
            memory_bytes_max: None,
            reuse: Vec::new(),
        }
    }
}

/// A step, ready to run.
pub(crate) enum Task {
    Loop(LoopTask),
    Matmul(Box<MatmulTask>),
    Conv(Box<ConvTask>),
    Pool(Box<PoolTask>),
    Copy(Box<CopyTask>),
    Gather(Box<GatherTask>),
    Reference(Box<ReferenceTask>),
    While { test: Vec<Numbered>, condition: usize, body: Vec<Numbered> },
    Switch { index: usize, is_bool: bool, branches: Vec<Vec<Numbered>> },
}

/// A task and the number of its step.
pub(crate) struct Numbered {
    pub(crate) number: usize,
    pub(crate) task: Task,
}

/// A result: where it is and its shape.
pub(crate) struct Output {
    pub(crate) place: Place,
    pub(crate) shape: Shape,
}

/// A plan that can be launched, from several threads at the same time.
pub struct Loaded {
    pub(crate) plan: Arc<Plan>,
    pub(crate) tasks: Vec<Numbered>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) flush_subnormals: bool,
    /// Memory of launches that are over.
    pub(crate) idle: Mutex<Vec<State>>,
    pub(crate) results: Arc<BlockPool>,
    pub(crate) outputs: Vec<Output>,
    /// Bytes of each result's memory, 0 where no buffer is in it.
    pub(crate) result_bytes: Vec<usize>,
    /// Shapes of the parameters.
    pub(crate) parameters: Vec<Shape>,
    pub(crate) scratch_bytes: usize,
    pub(crate) packed_bytes: usize,
    /// Results that are written where a parameter is, if its argument is given.
    pub(crate) reuse: Vec<Reuse>,
    step_names: Vec<String>,
}

impl Loaded {
    /// Makes a plan ready; `code` has one element a kernel of the plan. Constants that library
    /// kernels read are packed here.
    ///
    /// # Errors
    /// INTERNAL when the plan contradicts itself or the code, RESOURCE_EXHAUSTED when it needs more
    /// memory than it may have, UNIMPLEMENTED when a library kernel lacks a type.
    pub fn new(plan: Arc<Plan>, code: Vec<KernelCode>, options: &LoadOptions) -> Result<Loaded> {
        Loaded::make(plan, code, options, None)
    }

    /// As [`Loaded::new`], with packed operands that were stored.
    pub(crate) fn make(
        plan: Arc<Plan>,
        code: Vec<KernelCode>,
        options: &LoadOptions,
        stored: Option<Stored>,
    ) -> Result<Loaded> {
        check(&plan, stored.as_ref().map_or(&[], |stored| &stored.missing))?;
        if code.len() != plan.kernels.len() {
            return Err(Error::internal("code and kernels of a plan differ in number"));
        }
        let limit = options.memory_bytes_max.unwrap_or_else(|| available_bytes() / 5 * 4);
        let result_bytes = result_bytes(&plan);
        let constants = plan.constants.iter().map(|c| c.tensor.bytes().len());
        let needed = constants
            .chain(result_bytes.iter().copied())
            .chain(stored.iter().map(Stored::bytes))
            .fold(plan.arena_bytes, usize::saturating_add);
        within(needed, limit)?;
        let mut plan = plan;
        // A plan that nobody else has need not keep what is read in packed form only.
        let own = Arc::get_mut(&mut plan).map(|plan| std::mem::take(&mut plan.constants));
        let mut constants = Constants::new(&plan, own.unwrap_or_else(|| plan.constants.clone()));
        if let Some(stored) = stored {
            constants = constants.with(stored)?;
        }
        let mut loader = Loader {
            plan: &plan,
            constants: &constants,
            code: &code,
            options,
            scratch_bytes: 0,
            packed_bytes: 0,
            names: Vec::new(),
        };
        let tasks = loader.steps(&plan.steps)?;
        let Loader { scratch_bytes, packed_bytes, names, .. } = loader;
        constants.check_used()?;
        within(needed.saturating_add(packed_bytes).saturating_add(options.weights.bytes()), limit)?;
        if let Some(plan) = Arc::get_mut(&mut plan) {
            plan.constants = constants.into_inner();
        }
        let outputs = plan.outputs.iter().zip(&plan.results).map(|(&buffer, ty)| {
            Ok(Output { place: plan.buffers[buffer].place, shape: ty.shape()? })
        });
        let outputs = outputs.collect::<Result<_>>()?;
        let parameters = plan.parameters.iter().map(|ty| ty.shape()).collect::<Result<_>>()?;
        let reuse = possible(&plan, &options.reuse);
        let kept = result_bytes.iter().sum::<usize>().saturating_mul(2);
        Ok(Loaded {
            tasks,
            pool: Arc::clone(&options.pool),
            flush_subnormals: options.flush_subnormals,
            idle: Mutex::new(Vec::new()),
            results: BlockPool::new(kept),
            outputs,
            result_bytes,
            parameters,
            scratch_bytes,
            packed_bytes,
            reuse,
            step_names: names,
            plan,
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Results that [`Loaded::run_giving`] writes where a parameter is.
    pub fn reuse(&self) -> &[Reuse] {
        &self.reuse
    }

    /// What each step is, by the numbers that a [`crate::Profile`] is told; steps inside others
    /// come after them.
    pub fn step_names(&self) -> &[String] {
        &self.step_names
    }

    /// Bytes of memory that a launch takes beside its results.
    pub fn launch_bytes(&self) -> usize {
        self.plan.arena_bytes.saturating_add(self.packed_bytes)
    }
}

fn within(needed: usize, limit: usize) -> Result<()> {
    if needed <= limit {
        return Ok(());
    }
    let message = format!("the program needs {needed} bytes of memory, and may use {limit}");
    Err(Error::resource_exhausted(message))
}

/// Bytes of each result's memory.
fn result_bytes(plan: &Plan) -> Vec<usize> {
    let mut bytes = vec![0; plan.results.len()];
    for (_, buffer) in plan.buffers.iter() {
        if let Place::Result(i) = buffer.place {
            bytes[i] = bytes[i].max(buffer.bytes);
        }
    }
    bytes
}

struct Loader<'l> {
    plan: &'l Plan,
    constants: &'l Constants,
    code: &'l [KernelCode],
    options: &'l LoadOptions,
    scratch_bytes: usize,
    packed_bytes: usize,
    names: Vec<String>,
}

impl Loader<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<Vec<Numbered>> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &Step) -> Result<Numbered> {
        let number = self.names.len();
        self.names.push(self.name(step));
        let task = self
            .task(step)
            .map_err(|e| e.context(format!("step {number} of plan {}", self.plan.name)))?;
        Ok(Numbered { number, task })
    }

    fn name(&self, step: &Step) -> String {
        let kernel = |id: KernelId| self.plan.kernels[id].name.as_str();
        let after = |epilogue: &Option<Epilogue>| match epilogue {
            Some(epilogue) => format!(" then {}", kernel(epilogue.kernel)),
            None => String::new(),
        };
        match step {
            Step::Loop(call) => format!("loop {}", kernel(call.kernel)),
            Step::Matmul(c) => {
                format!("matmul {:?}x{}x{}x{}{}", c.batch, c.m, c.k, c.n, after(&c.epilogue))
            }
            Step::Conv(c) => format!(
                "conv {:?} {:?} {}->{}{}",
                c.output_size,
                c.window,
                c.input_features,
                c.output_features,
                after(&c.epilogue)
            ),
            Step::Pool(c) => format!("pool {:?} {:?}", c.output_size, c.window),
            Step::Copy(c) => format!("copy {:?}", c.extents),
            Step::Gather(c) => format!("gather {} of {}", c.count, c.input_rows),
            Step::Reference(c) => format!("reference {}", reference_name(c)),
            Step::While { .. } => "while".to_owned(),
            Step::Switch { .. } => "switch".to_owned(),
        }
    }

    fn task(&mut self, step: &Step) -> Result<Task> {
        let plan = self.plan;
        Ok(match step {
            Step::Loop(call) => {
                let (kernel, code) = (&plan.kernels[call.kernel], &self.code[call.kernel.index()]);
                Task::Loop(LoopTask::new(kernel, code, call)?)
            }
            Step::Matmul(call) => {
                let epilogue = self.epilogue(call.epilogue.as_ref(), &call.batch)?;
                let LoadOptions { weights, pool, .. } = self.options;
                let task = MatmulTask::new(plan, call, epilogue, self.constants, weights, pool)?;
                self.note(task.scratch_bytes(), task.launch_bytes());
                Task::Matmul(Box::new(task))
            }
            Step::Conv(call) => {
                let epilogue = self.epilogue(call.epilogue.as_ref(), &[call.batch])?;
                let LoadOptions { weights, pool, .. } = self.options;
                let task = ConvTask::new(plan, call, epilogue, self.constants, weights, pool)?;
                self.note(task.scratch_bytes(), task.launch_bytes());
                Task::Conv(Box::new(task))
            }
            Step::Pool(call) => Task::Pool(Box::new(PoolTask::new(call)?)),
            Step::Copy(call) => Task::Copy(Box::new(CopyTask::new(call)?)),
            Step::Gather(call) => Task::Gather(Box::new(GatherTask::new(call)?)),
            Step::Reference(call) => {
                Task::Reference(Box::new(ReferenceTask::new(plan, call, self.constants)?))
            }
            Step::While { test, condition, body } => Task::While {
                test: self.steps(test)?,
                condition: condition.index(),
                body: self.steps(body)?,
            },
            Step::Switch { index, branches } => Task::Switch {
                index: index.index(),
                is_bool: self.is_bool(*index),
                branches: branches.iter().map(|b| self.steps(b)).collect::<Result<_>>()?,
            },
        })
    }

    fn is_bool(&self, buffer: BufferId) -> bool {
        self.plan.buffers[buffer].dtype == tfjit_base::DType::Bool
    }

    fn epilogue(
        &self,
        epilogue: Option<&Epilogue>,
        outer: &[usize],
    ) -> Result<Option<EpilogueTask>> {
        let Some(epilogue) = epilogue else { return Ok(None) };
        let kernel = &self.plan.kernels[epilogue.kernel];
        let code = &self.code[epilogue.kernel.index()];
        EpilogueTask::new(kernel, code, epilogue, outer).map(Some)
    }

    fn note(&mut self, scratch_bytes: usize, packed_bytes: usize) {
        self.scratch_bytes = self.scratch_bytes.max(scratch_bytes);
        self.packed_bytes = self.packed_bytes.max(packed_bytes);
    }
}

/// The instructions of a module, as a name.
fn reference_name(call: &tfjit_plan::ReferenceCall) -> String {
    call.module.name.clone()
}
