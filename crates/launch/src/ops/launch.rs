//! The `XlaLaunch` kernel: one launch of one cluster, compiled in strict mode.
//!
//! Phase A holds shared locks on the variables to learn their types. Compiling holds no lock, so
//! that several shapes compile in parallel. Phase B takes shared locks on what is read and
//! exclusive ones on what is written, checks that no type has changed in between, and holds them
//! through execution and writing back. A failing launch writes nothing.
//!
//! Frozen variables are constants of what is compiled and take no lock; if one was thawed between
//! the phases, the launch starts again.
//!
//! A launch whose arguments look like those of an earlier one finds its executable without a lock
//! and without building a signature.

use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashSet;
use tfjit_base::{Error, Result, Tensor};
use tfjit_bridge::Arg;
use tfjit_model::{Function, FunctionLibrary};
use tfjit_runtime::{Kernel, LockPlan, Locked, StepContext, Value, Variable};

use super::recent::Recent;
use super::surroundings::{Surroundings, run};
use crate::args::{Cluster, DevicePlace, same_type};
use crate::metrics::{self, Counter};
use crate::values::{Sources, populate_outputs, updates};
use crate::{CompileMode, Compiled, DeviceCompiler, FunctionStatistics, Ready, Request};

/// Races between compiling and running after which a launch gives up.
const RETRIES_MAX: usize = 16;

/// The kernel of a cluster.
#[derive(Debug)]
pub struct XlaLaunch {
    compiler: Arc<DeviceCompiler>,
    cluster: Cluster,
    statistics: Arc<FunctionStatistics>,
    launches: Arc<Counter>,
    recent: Recent,
    /// Whether it waits for launches on other devices.
    meets: bool,
}

/// How an attempt to run ended.
enum Attempt {
    Done(Vec<Value>),
    NotCompiled,
    /// A variable changed between compiling and running.
    Changed,
}

/// The arguments of a launch while its locks are held.
struct Live<'r, 'v> {
    cluster: &'r Cluster,
    compiled: &'r Compiled,
    inputs: &'r [Value],
    locked: &'r mut Locked<'v>,
}

impl XlaLaunch {
    /// A kernel that launches `function`, whose `constants` and `resources` are ascending, where
    /// there are no reference variables: the way of `jit_compile=True`.
    pub fn new(
        compiler: Arc<DeviceCompiler>,
        library: Arc<FunctionLibrary>,
        function: Arc<Function>,
        constants: Vec<usize>,
        resources: Vec<usize>,
    ) -> XlaLaunch {
        let (freeze, has_ref_vars, place) = (false, false, DevicePlace::default());
        let cluster =
            Cluster { library, function, constants, resources, freeze, has_ref_vars, place };
        XlaLaunch::of(compiler, cluster)
    }

    /// Takes the values of frozen variables as constants, see [`Cluster::freeze`].
    #[must_use]
    pub fn with_frozen_variables(self, freeze: bool) -> XlaLaunch {
        XlaLaunch { cluster: Cluster { freeze, ..self.cluster }, ..self }
    }

    /// Says where launches run.
    #[must_use]
    pub fn at(self, place: DevicePlace) -> XlaLaunch {
        XlaLaunch { cluster: Cluster { place, ..self.cluster }, ..self }
    }

    /// A kernel that launches `cluster`.
    pub fn of(compiler: Arc<DeviceCompiler>, cluster: Cluster) -> XlaLaunch {
        let statistics = compiler.compilation_profiler().function(&cluster.function.name);
        let launches = metrics::global().xla_launch_counter.with(compiler.device_type());
        let meets = meets(&cluster.library, &cluster.function);
        XlaLaunch { compiler, cluster, statistics, launches, recent: Recent::default(), meets }
    }

    /// What is known of the arguments while compiling (phase A).
    ///
    /// # Errors
    /// INVALID_ARGUMENT when an input is not what its position asks for.
    pub fn arguments(&self, inputs: &[Value]) -> Result<Vec<Arg>> {
        let variables = self.cluster.variables(inputs)?;
        let locked = self.cluster.lock_shared(&variables);
        self.cluster.arguments(inputs, &locked)
    }

    /// What these inputs are launched with.
    ///
    /// # Errors
    /// Those of [`XlaLaunch::arguments`] and of compiling.
    pub fn compiled(&self, inputs: &[Value]) -> Result<Ready> {
        let ready = self.compile(&self.arguments(inputs)?, CompileMode::Strict)?;
        ready.ok_or_else(nothing)
    }

    fn compile(&self, args: &[Arg], mode: CompileMode) -> Result<Option<Ready>> {
        let Cluster { library, function, .. } = &self.cluster;
        self.compiler.compile_if_needed(&Request { library, function, args, mode })
    }

    /// Runs what is compiled, compiling as `mode` says; `None` when it is not compiled, and the
    /// caller must do without.
    ///
    /// # Errors
    /// Those of compiling and running; FAILED_PRECONDITION when variables change their types faster
    /// than they can be compiled for.
    pub fn run_if_compiled(
        &self,
        inputs: &[Value],
        context: &StepContext<'_>,
        mode: CompileMode,
    ) -> Result<Option<Vec<Value>>> {
        self.launches.add(1);
        for _ in 0..RETRIES_MAX {
            match self.run_once(inputs, context, mode)? {
                Attempt::Done(values) => return Ok(Some(values)),
                Attempt::NotCompiled => return Ok(None),
                Attempt::Changed => {}
            }
        }
        Err(Error::failed_precondition(
            "a variable changed its type again and again during a launch",
        ))
    }

    fn run_once(
        &self,
        inputs: &[Value],
        context: &StepContext<'_>,
        mode: CompileMode,
    ) -> Result<Attempt> {
        let thaws = context.resources.thaws();
        if let Some((ready, args)) = self.recent.find(&self.compiler, inputs, thaws) {
            let mut locked = lock(inputs, &args, &ready);
            if context.resources.thaws() == thaws && same_types(&args, inputs, &locked)? {
                self.statistics.register_execution();
                return self.execute(&ready, inputs, &mut locked, context).map(Attempt::Done);
            }
        }
        let args = self.arguments(inputs)?;
        let Some(ready) = self.compile(&args, mode)? else { return Ok(Attempt::NotCompiled) };
        let mut locked = lock(inputs, &args, &ready);
        // Whatever was thawed before this line is seen as a variable by the next attempt.
        if context.resources.thaws() != thaws || !same_types(&args, inputs, &locked)? {
            return Ok(Attempt::Changed);
        }
        self.recent.remember(&ready, inputs, args, thaws);
        self.execute(&ready, inputs, &mut locked, context).map(Attempt::Done)
    }

    fn execute(
        &self,
        compiled: &Compiled,
        inputs: &[Value],
        locked: &mut Locked<'_>,
        context: &StepContext<'_>,
    ) -> Result<Vec<Value>> {
        let start = Instant::now();
        let client = &**self.compiler.client();
        let mut live = Live { cluster: &self.cluster, compiled, inputs, locked };
        let surroundings = Surroundings {
            client,
            function: &self.cluster.function.name,
            profiler: self.compiler.profiler(),
            place: &self.cluster.place,
            // Only closures have a name that a host could know.
            closure: None,
        };
        let outputs = run(compiled, &surroundings, &mut live, context)?;
        let values = populate_outputs(compiled, &outputs, &live)?;
        for (arg, value) in updates(compiled, &outputs)? {
            live.write(arg, value)?;
        }
        self.compiler.timings().launched(start);
        Ok(values)
    }
}

/// Locks for phase B: exclusive for what is written, shared for what is read.
fn lock<'v>(inputs: &'v [Value], args: &[Arg], compiled: &Compiled) -> Locked<'v> {
    let mut plan = LockPlan::new();
    for (i, (input, arg)) in inputs.iter().zip(args).enumerate() {
        if let (Value::Variable(variable), Arg::Variable(..) | Arg::ConstantVariable(..)) =
            (input, arg)
        {
            plan.add(variable, compiled.result.updates.iter().any(|u| u.arg == i));
        }
    }
    plan.lock()
}

impl Live<'_, '_> {
    fn write(&mut self, arg: usize, value: Tensor) -> Result<()> {
        match self.inputs.get(arg) {
            Some(Value::Variable(variable)) => self.locked.set(variable, value),
            _ => Err(Error::internal(format!("argument {arg} is written and is no variable"))),
        }
    }
}

impl Sources for Live<'_, '_> {
    fn tensor(&mut self, arg: usize, aliased: bool) -> Result<(Tensor, bool)> {
        let variable = match self.inputs.get(arg) {
            Some(Value::Tensor(tensor)) => return Ok((tensor.clone(), false)),
            Some(Value::Variable(variable)) => variable,
            _ => return Err(Error::internal(format!("argument {arg} is no tensor"))),
        };
        let modified = self.compiled.result.updates.iter().any(|u| u.arg == arg);
        // A check that fires must leave the variable as it was.
        let safe = !self.cluster.has_ref_vars && self.compiled.result.checks.is_empty();
        if aliased
            && modified
            && safe
            && let Some(tensor) = self.locked.take_unshared(variable)?
        {
            return Ok((tensor, true));
        }
        let value = self.locked.value(variable)?.cloned();
        Ok((value.ok_or_else(|| lost(variable))?, false))
    }

    fn passed(&self, arg: usize) -> Result<Value> {
        self.inputs.get(arg).cloned().ok_or_else(|| {
            Error::internal(format!("{} has no argument {arg}", self.cluster.function.name))
        })
    }
}

pub(super) fn lost(variable: &Variable) -> Error {
    Error::failed_precondition(format!("variable {} lost its value", variable.name()))
}

/// Whether the variables still have the types that were compiled for, and those that were constants
/// their values.
fn same_types(args: &[Arg], inputs: &[Value], locked: &Locked<'_>) -> Result<bool> {
    for (arg, input) in args.iter().zip(inputs) {
        let Value::Variable(variable) = input else { continue };
        let same = match arg {
            Arg::Variable(_, ty) => match (locked.value(variable)?, ty) {
                (Some(now), Some(ty)) => same_type(ty, now),
                (None, None) => true,
                _ => false,
            },
            Arg::ConstantVariable(_, value) => locked.value(variable)? == Some(value),
            _ => true,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn nothing() -> Error {
    Error::internal("strict mode compiled nothing")
}

/// Whether a function, or one that it calls, meets others while it runs.
fn meets(library: &FunctionLibrary, function: &Function) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![function];
    while let Some(function) = stack.pop() {
        for (_, node) in function.graph.iter() {
            if MEETING.iter().any(|op| node.op.starts_with(op)) {
                return true;
            }
            for name in node.callees(library) {
                if let Some(callee) = library.get(name)
                    && seen.insert(name.to_owned())
                {
                    stack.push(callee);
                }
            }
        }
    }
    false
}

/// Starts of the names of ops that wait for others.
const MEETING: &[&str] = &["Collective", "XlaAllReduce", "XlaReduceScatter"];

impl Kernel for XlaLaunch {
    fn blocks(&self) -> bool {
        self.meets
    }

    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        self.run_if_compiled(inputs, context, CompileMode::Strict)?.ok_or_else(nothing)
    }
}
