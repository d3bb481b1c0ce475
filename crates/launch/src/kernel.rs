//! The `XlaLaunch` kernel: one launch of one cluster, in strict mode.
//!
//! Phase A reads the variables under shared locks to learn their types; compiling holds no lock,
//! so several shapes compile in parallel. Phase B takes shared locks on what is read and exclusive
//! ones on what is written, checks that no type has changed in between, and holds them through
//! execution and writing back. A failing launch writes nothing.
//!
//! Variables that are frozen are constants of what is compiled; they take no lock. If one was
//! thawed between the phases, the launch starts again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use tfjit_base::{Error, Result, Tensor};
use tfjit_bridge::{Arg, FrozenVariable, Ret, decode_checks};
use tfjit_client::{Argument, Buffer, ExecuteOptions, Profile};
use tfjit_hlo::TensorType;
use tfjit_model::{Function, FunctionLibrary};
use tfjit_runtime::{Kernel, LockPlan, Locked, StepContext, Value, Variable};

use crate::compiler::panicked;
use crate::{CompileMode, Compiled, DeviceCompiler, Request};

/// Races between compiling and running after which a launch gives up.
const RETRIES_MAX: usize = 16;

/// The kernel of a cluster.
#[derive(Debug)]
pub struct XlaLaunch {
    compiler: Arc<DeviceCompiler>,
    library: Arc<FunctionLibrary>,
    function: Arc<Function>,
    /// Inputs that are compile-time constants, ascending.
    constants: Vec<usize>,
    /// Inputs that are variables, ascending.
    resources: Vec<usize>,
    /// Whether frozen variables are taken as constants.
    freeze: bool,
}

impl XlaLaunch {
    /// A kernel that launches `function`.
    pub fn new(
        compiler: Arc<DeviceCompiler>,
        library: Arc<FunctionLibrary>,
        function: Arc<Function>,
        constants: Vec<usize>,
        resources: Vec<usize>,
    ) -> XlaLaunch {
        XlaLaunch { compiler, library, function, constants, resources, freeze: false }
    }

    /// Takes the values of frozen variables as constants, which an explicit `XlaLaunch` node does
    /// not do: by TensorFlow's rule, variables with the same types share what was compiled.
    #[must_use]
    pub fn with_frozen_variables(self, freeze: bool) -> XlaLaunch {
        XlaLaunch { freeze, ..self }
    }

    /// What is known of the arguments while compiling (phase A).
    ///
    /// # Errors
    /// INVALID_ARGUMENT when an input is not what its position asks for.
    pub fn arguments(&self, inputs: &[Value]) -> Result<Vec<Arg>> {
        inputs
            .iter()
            .enumerate()
            .map(|(i, input)| match input {
                Value::Variable(v) if self.resources.contains(&i) => {
                    if let Some(value) = self.frozen(v) {
                        let (id, name) = (v.id(), v.name().to_owned());
                        return Ok(Arg::Frozen(FrozenVariable { id, name, value }));
                    }
                    let ty = v.value().map(|t| TensorType::of(t.dtype(), t.shape()));
                    Ok(Arg::Variable(v.name().to_owned(), ty))
                }
                Value::Variable(v) => Err(Error::invalid_argument(format!(
                    "input {i} must be a tensor, it is the handle of {}",
                    v.name()
                ))),
                Value::Tensor(_) if self.resources.contains(&i) => {
                    Err(Error::invalid_argument(format!("input {i} must be a variable's handle")))
                }
                Value::Tensor(t) => Ok(self.tensor_argument(i, t)),
            })
            .collect()
    }

    /// The value of a variable that is a constant. Strings are none that a program could hold.
    fn frozen(&self, variable: &Variable) -> Option<Tensor> {
        let value = if self.freeze { variable.frozen_value() } else { None };
        value.filter(|t| t.as_strings().is_none())
    }

    /// Tensors without elements are constants too: they carry nothing that could change.
    fn tensor_argument(&self, i: usize, tensor: &Tensor) -> Arg {
        let constant =
            self.constants.contains(&i) || tensor.elements() == 0 || tensor.as_strings().is_some();
        match constant {
            true => Arg::Constant(tensor.clone()),
            false => Arg::Parameter(TensorType::of(tensor.dtype(), tensor.shape())),
        }
    }

    /// What these inputs are launched with.
    ///
    /// # Errors
    /// Those of [`XlaLaunch::arguments`] and of compiling.
    pub fn compiled(&self, inputs: &[Value]) -> Result<Arc<Compiled>> {
        self.compile(&self.arguments(inputs)?)
    }

    fn compile(&self, args: &[Arg]) -> Result<Arc<Compiled>> {
        let (library, function) = (&self.library, &self.function);
        let request = Request { library, function, args, mode: CompileMode::Strict };
        let ready = self.compiler.compile_if_needed(&request)?;
        let ready = ready.ok_or_else(|| Error::internal("strict mode compiled nothing"))?;
        Ok(Arc::clone(ready.compiled()))
    }

    fn execute(
        &self,
        compiled: &Compiled,
        inputs: &[Value],
        locked: &mut Locked<'_>,
        context: &StepContext<'_>,
    ) -> Result<Vec<Value>> {
        let start = Instant::now();
        let mut arguments = Vec::with_capacity(compiled.result.params.len());
        for param in &compiled.result.params {
            let tensor = match &inputs[param.arg] {
                Value::Tensor(t) => t,
                Value::Variable(v) => locked.value(v)?.ok_or_else(|| lost(v))?,
            };
            let buffer = self.compiler.client().buffer(tensor, 0)?;
            arguments.push(Argument { buffer, donate: false });
        }
        let watch = self
            .compiler
            .profiler()
            .and_then(|profiler| profiler.launch(&self.function.name, &compiled.executable));
        let options = ExecuteOptions {
            threads: context.threads,
            cancel: context.cancel.cloned(),
            profile: watch.clone().map(|watch| watch as Arc<dyn Profile>),
            ..ExecuteOptions::default()
        };
        let run = || compiled.executable.execute(arguments, &options);
        let mut outputs = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|panic| Err(panicked("running a launch", &*panic)))?;
        if let Some(watch) = watch {
            watch.stop();
        }
        if !compiled.result.checks.is_empty() {
            let fired = outputs.pop().ok_or_else(missing)?;
            decode_checks(&compiled.result.checks, &fired.to_host()?)?;
        }
        let values = populate(compiled, inputs, &outputs)?;
        for update in &compiled.result.updates {
            let value = outputs.get(update.output).ok_or_else(missing)?.to_host()?;
            if let Value::Variable(v) = &inputs[update.arg] {
                locked.set(v, value)?;
            }
        }
        self.compiler.timings().launched(start);
        Ok(values)
    }
}

fn missing() -> Error {
    Error::internal("the executable returned too few results")
}

fn lost(variable: &Variable) -> Error {
    Error::failed_precondition(format!("variable {} lost its value", variable.name()))
}

/// The values of the function's results.
fn populate(compiled: &Compiled, inputs: &[Value], outputs: &[Buffer]) -> Result<Vec<Value>> {
    compiled
        .result
        .rets
        .iter()
        .map(|ret| match ret {
            Ret::Output(i) => Ok(Value::Tensor(outputs.get(*i).ok_or_else(missing)?.to_host()?)),
            Ret::Variable(arg) => Ok(inputs[*arg].clone()),
            Ret::Constant(tensor) => Ok(Value::Tensor(tensor.clone())),
        })
        .collect()
}

impl Kernel for XlaLaunch {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        for _ in 0..RETRIES_MAX {
            let thaws = context.resources.thaws();
            let args = self.arguments(inputs)?;
            let compiled = self.compile(&args)?;
            let mut plan = LockPlan::new();
            for (i, (input, arg)) in inputs.iter().zip(&args).enumerate() {
                if let (Value::Variable(v), Arg::Variable(..)) = (input, arg) {
                    plan.add(v, compiled.result.updates.iter().any(|u| u.arg == i));
                }
            }
            let mut locked = plan.lock();
            let thawed = context.resources.thaws() != thaws;
            if !thawed && same_types(&args, inputs, &locked)? {
                return self.execute(&compiled, inputs, &mut locked, context);
            }
        }
        Err(Error::unavailable("a variable changed again and again during a launch"))
    }
}

/// Whether the variables still have the types that were compiled for.
fn same_types(args: &[Arg], inputs: &[Value], locked: &Locked<'_>) -> Result<bool> {
    for (arg, input) in args.iter().zip(inputs) {
        if let (Arg::Variable(_, ty), Value::Variable(v)) = (arg, input) {
            let now = locked.value(v)?.map(|t| TensorType::of(t.dtype(), t.shape()));
            if now != *ty {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
