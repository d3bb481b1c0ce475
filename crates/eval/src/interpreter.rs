//! Running functions: frames of values, regions, calls.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use tfjit_base::ids::Id;
use tfjit_base::{DType, Error, Result, Tensor, limits};
use tfjit_hlo::{BlockId, Func, Inst, InstId, Module, Op, TensorType, Type, ValueId};

use crate::host::{Host, Process};
use crate::inst::{Mode, eval_typed, result_type};
use crate::lifetime::Lifetimes;
use crate::reducer::Reducer;
use crate::{Value, collective, custom, dynamic, library, moves, structure};

/// How programs are run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Set to stop: the run ends with CANCELLED.
    pub cancel: Option<&'a AtomicBool>,
    /// The world outside.
    pub host: Option<&'a dyn Host>,
    /// Bytes of values alive at a time.
    pub memory_bytes_max: usize,
    /// Whether subnormal operands and results of arithmetic become zero.
    pub flush_subnormals: bool,
    /// Which participant of a parallel run this is.
    pub process: Process,
    /// Number of replicas and partitions of a parallel run.
    pub grid: (u32, u32),
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            cancel: None,
            host: None,
            memory_bytes_max: limits::EVAL_BYTES_MAX,
            flush_subnormals: false,
            process: Process::default(),
            grid: (1, 1),
        }
    }
}

/// Runs the functions of a module.
pub struct Interpreter<'m> {
    pub(crate) module: &'m Module,
    pub(crate) options: Options<'m>,
    lifetimes: Vec<Lifetimes>,
    names: HashMap<&'m str, usize>,
}

impl<'m> Interpreter<'m> {
    /// An interpreter of `module`, which must have passed the verifier.
    pub fn new(module: &'m Module, options: Options<'m>) -> Interpreter<'m> {
        let lifetimes = module.funcs.iter().map(Lifetimes::of).collect();
        let names = module.funcs.iter().enumerate().rev();
        let names = names.map(|(i, func)| (func.name.as_str(), i)).collect();
        Interpreter { module, options, lifetimes, names }
    }

    /// The same module with other options.
    #[must_use]
    pub fn with_options<'n>(&'n self, options: Options<'n>) -> Interpreter<'n> {
        Interpreter::new(self.module, options)
    }

    /// Runs the function called `func`.
    ///
    /// # Errors
    /// NOT_FOUND when there is no such function; INVALID_ARGUMENT when arguments do not fit its
    /// parameters or an instruction its operands; FAILED_PRECONDITION naming the element when a
    /// `check.*` call fails; RESOURCE_EXHAUSTED past a limit; CANCELLED; those of the host.
    pub fn run(&self, func: &str, args: &[Value]) -> Result<Vec<Value>> {
        self.start().call(func, args.to_vec())
    }

    /// Runs the entry of the module.
    ///
    /// # Errors
    /// As [`Interpreter::run`]; NOT_FOUND when the module has no entry.
    pub fn run_entry(&self, args: &[Value]) -> Result<Vec<Value>> {
        let entry = self.module.entry();
        let entry = entry.ok_or_else(|| Error::not_found("the module has no entry function"))?;
        self.run(&entry.name, args)
    }

    /// Runs a test program: `main`, or else every public function without parameters. Returns how
    /// many `check.*` calls passed.
    ///
    /// # Errors
    /// As [`Interpreter::run`], of the first function that fails.
    pub fn run_checks(&self) -> Result<usize> {
        let main = self.module.func("main");
        let all = self.module.funcs.iter().filter(|f| f.public && f.params().is_empty());
        let funcs: Vec<&Func> = main.map_or_else(|| all.collect(), |main| vec![main]);
        let mut checks = 0;
        for func in funcs {
            let mut run = self.start();
            run.call(&func.name, Vec::new())?;
            checks += run.checks;
        }
        Ok(checks)
    }

    pub(crate) fn start(&self) -> Run<'_, 'm> {
        Run { interpreter: self, depth: 0, bytes: 0, draws: 0, checks: 0, probes: HashMap::new() }
    }
}

/// The values of a function that is running. Regions share the frame of their function.
#[derive(Clone)]
pub(crate) struct Frame<'r> {
    pub(crate) func: &'r Func,
    lifetimes: &'r Lifetimes,
    slots: Vec<Option<Value>>,
}

impl<'r> Frame<'r> {
    pub(crate) fn get(&self, value: ValueId) -> Result<&Value> {
        self.slots[value.index()]
            .as_ref()
            .ok_or_else(|| Error::internal(format!("{value} is used before it is defined")))
    }
}

/// One run: what is counted and remembered across calls.
#[derive(Clone)]
pub(crate) struct Run<'r, 'm> {
    pub(crate) interpreter: &'r Interpreter<'m>,
    depth: usize,
    bytes: usize,
    /// Draws of `rng` so far; each is the seed of the next.
    draws: u64,
    /// Checks of test programs that have passed.
    pub(crate) checks: usize,
    /// Values that `interpreter.probe` has seen, by their id.
    pub(crate) probes: HashMap<String, Vec<Tensor>>,
}

impl<'r, 'm> Run<'r, 'm> {
    pub(crate) fn options(&self) -> &'r Options<'m> {
        &self.interpreter.options
    }

    pub(crate) fn mode(&self) -> Mode {
        Mode { flush_subnormals: self.options().flush_subnormals }
    }

    /// # Errors
    /// CANCELLED when somebody asked for it.
    pub(crate) fn poll(&self) -> Result<()> {
        match self.options().cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::cancelled("the run was cancelled"))
            }
            _ => Ok(()),
        }
    }

    /// One level deeper: a call or a region.
    pub(crate) fn deeper<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= limits::EVAL_DEPTH_MAX {
            return Err(Error::resource_exhausted(format!(
                "calls and regions nest deeper than {}",
                limits::EVAL_DEPTH_MAX
            )));
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    /// An empty frame of the function called `name`.
    fn frame(&self, name: &str) -> Result<Frame<'r>> {
        let index = self.interpreter.names.get(name).copied();
        let index =
            index.ok_or_else(|| Error::not_found(format!("there is no function @{name}")))?;
        let func = &self.interpreter.module.funcs[index];
        let lifetimes = &self.interpreter.lifetimes[index];
        Ok(Frame { func, lifetimes, slots: vec![None; func.values.len()] })
    }

    /// The function called `name`, over scalars, as something that loops can call.
    pub(crate) fn function(&self, name: &str) -> Result<Reducer<'r>>
    where
        Self: 'r,
    {
        let frame = self.frame(name)?;
        Ok(self.reducer(&frame, frame.func.entry))
    }

    /// Calls the function called `name`.
    pub(crate) fn call(&mut self, name: &str, args: Vec<Value>) -> Result<Vec<Value>> {
        let mut frame = self.frame(name)?;
        let func = frame.func;
        let results = self.block(&mut frame, func.entry, args)?;
        if results.len() != func.result_types.len() {
            return Err(Error::internal(format!("@{name} returns the wrong number of values")));
        }
        for (result, ty) in results.iter().zip(&func.result_types) {
            result.check(ty).map_err(|e| e.context(format!("a result of @{name}")))?;
        }
        Ok(results)
    }

    /// Runs a block with `args` as its parameters.
    pub(crate) fn block(
        &mut self,
        frame: &mut Frame<'r>,
        block: BlockId,
        args: Vec<Value>,
    ) -> Result<Vec<Value>> {
        self.poll()?;
        let func = frame.func;
        let data = &func.blocks[block];
        if args.len() != data.params.len() {
            return Err(Error::invalid_argument(format!(
                "{} arguments given for {} parameters of @{}",
                args.len(),
                data.params.len(),
                func.name
            )));
        }
        for (i, (&param, arg)) in data.params.iter().zip(args).enumerate() {
            arg.check(func.ty(param))
                .map_err(|e| e.context(format!("argument {i} of @{}", func.name)))?;
            self.set(frame, param, arg);
        }
        self.deeper(|run| data.insts.iter().try_for_each(|&inst| run.step(frame, inst)))?;
        let results = data.results.iter().map(|&v| frame.get(v).cloned()).collect();
        for &param in &data.params {
            self.clear(frame, param);
        }
        for &inst in &data.insts {
            for &result in &func.insts[inst].results {
                self.clear(frame, result);
            }
        }
        results
    }

    fn set(&mut self, frame: &mut Frame<'_>, value: ValueId, content: Value) {
        self.clear(frame, value);
        self.bytes = self.bytes.saturating_add(content.bytes());
        frame.slots[value.index()] = Some(content);
    }

    fn clear(&mut self, frame: &mut Frame<'_>, value: ValueId) {
        self.take(frame, value);
    }

    fn take(&mut self, frame: &mut Frame<'_>, value: ValueId) -> Option<Value> {
        let content = frame.slots[value.index()].take();
        let bytes = content.as_ref().map_or(0, Value::bytes);
        self.bytes = self.bytes.saturating_sub(bytes);
        content
    }

    /// The operands of an instruction; those that die with it leave the frame.
    pub(crate) fn operands(&mut self, frame: &mut Frame<'_>, inst: InstId) -> Result<Vec<Value>> {
        let data = &frame.func.insts[inst];
        let values: Vec<Value> =
            data.operands.iter().map(|&v| frame.get(v).cloned()).collect::<Result<_>>()?;
        let lifetimes = frame.lifetimes;
        for &value in &lifetimes.after(inst).operands {
            self.clear(frame, value);
        }
        Ok(values)
    }

    /// Runs one instruction.
    fn step(&mut self, frame: &mut Frame<'r>, inst: InstId) -> Result<()> {
        let func = frame.func;
        let data = &func.insts[inst];
        let results = self
            .budget(func, data)
            .and_then(|()| self.eval(frame, inst))
            .and_then(|results| check_results(func, data, results))
            .map_err(|e| e.at(place(func, data)))?;
        for (&value, content) in data.results.iter().zip(results) {
            self.set(frame, value, content);
        }
        let lifetimes = frame.lifetimes;
        for &value in &lifetimes.after(inst).values {
            self.clear(frame, value);
        }
        if self.bytes > self.options().memory_bytes_max {
            return Err(self.too_much(0).at(place(func, data)));
        }
        Ok(())
    }

    /// Refuses an instruction whose results cannot fit before anything is allocated.
    fn budget(&self, func: &Func, inst: &Inst) -> Result<()> {
        let mut wanted = 0usize;
        for &result in &inst.results {
            if let Some(ty) = func.tensor_ty(result).filter(|ty| ty.is_static()) {
                let bytes = ty.shape()?.elements().saturating_mul(ty.dtype.size());
                wanted = wanted.saturating_add(bytes);
            }
        }
        if self.bytes.saturating_add(wanted) > self.options().memory_bytes_max {
            return Err(self.too_much(wanted));
        }
        Ok(())
    }

    fn too_much(&self, wanted: usize) -> Error {
        Error::resource_exhausted(format!(
            "{} bytes of values are alive and {wanted} more are needed, above the limit of {}",
            self.bytes,
            self.options().memory_bytes_max
        ))
    }

    fn eval(&mut self, frame: &mut Frame<'r>, inst: InstId) -> Result<Vec<Value>> {
        let func = frame.func;
        let data = &func.insts[inst];
        match &data.op {
            Op::While => self.while_loop(frame, inst),
            Op::If => self.conditional(frame, inst),
            Op::Case => self.case(frame, inst),
            Op::Call { callee } => {
                let args = self.operands(frame, inst)?;
                self.call(callee, args)
            }
            Op::Composite(composite) => {
                let args = self.operands(frame, inst)?;
                self.call(&composite.decomposition, args)
            }
            Op::CustomCall(call) => custom::call(self, frame, inst, call),
            Op::Map { .. }
            | Op::Reduce { .. }
            | Op::ReduceWindow(_)
            | Op::SelectAndScatter(_)
            | Op::Scatter(_)
            | Op::Sort { .. } => self.with_region(frame, inst),
            Op::Tuple | Op::GetTupleElement { .. } | Op::OptimizationBarrier | Op::AfterAll => {
                structure::eval(&data.op, self.operands(frame, inst)?)
            }
            Op::PartitionId
            | Op::ReplicaId
            | Op::AllGather { .. }
            | Op::AllReduce { .. }
            | Op::ReduceScatter { .. }
            | Op::AllToAll { .. }
            | Op::CollectivePermute { .. }
            | Op::CollectiveBroadcast { .. }
            | Op::Infeed { .. }
            | Op::Outfeed { .. }
            | Op::Send { .. }
            | Op::Recv { .. } => collective::eval(self, frame, inst),
            _ => self.on_tensors(frame, inst),
        }
    }

    /// Runs an instruction that takes tensors and returns tensors.
    fn on_tensors(&mut self, frame: &mut Frame<'r>, inst: InstId) -> Result<Vec<Value>> {
        let func = frame.func;
        let data = &func.insts[inst];
        let mut tensors = Vec::new();
        for value in self.operands(frame, inst)? {
            match value {
                Value::Tensor(tensor) => tensors.push(tensor),
                other => drop(other.tensor()?),
            }
        }
        let result_types = owned_types(func, &data.results)?;
        let result = match (&data.op, &mut tensors[..]) {
            (Op::DynamicUpdateSlice, [x, update, starts @ ..]) => {
                let starts: Vec<&Tensor> = starts.iter().collect();
                let starts = dynamic::indices(&starts)?;
                // Out of the list, so that nothing here holds it beside the result.
                let x = std::mem::replace(x, Tensor::scalar(0u8));
                moves::dynamic_update_slice(x, update, &starts)?
            }
            (Op::Rng { distribution }, tensors) => {
                self.draws += 1;
                let tensors: Vec<&Tensor> = tensors.iter().collect();
                library::eval_rng(*distribution, self.draws, &tensors, result_type(&result_types)?)?
            }
            (op, tensors) => {
                let tensors: Vec<&Tensor> = tensors.iter().collect();
                let types = tensor_types(func, &data.operands)?;
                let results = eval_typed(op, &tensors, &types, &result_types, self.mode())?;
                return Ok(results.into_iter().map(Value::Tensor).collect());
            }
        };
        Ok(vec![result.into()])
    }

    fn while_loop(&mut self, frame: &mut Frame<'r>, inst: InstId) -> Result<Vec<Value>> {
        let &[cond, body] = &frame.func.insts[inst].regions[..] else {
            return Err(Error::invalid_argument("a while has two regions"));
        };
        let mut values = self.operands(frame, inst)?;
        loop {
            let go_on = self.block(frame, cond, values.clone())?;
            if !scalar_bool(go_on.first())? {
                return Ok(values);
            }
            values = self.block(frame, body, values)?;
        }
    }

    fn conditional(&mut self, frame: &mut Frame<'r>, inst: InstId) -> Result<Vec<Value>> {
        let &[on_true, on_false] = &frame.func.insts[inst].regions[..] else {
            return Err(Error::invalid_argument("an if has two regions"));
        };
        let pred = self.operands(frame, inst)?;
        let branch = if scalar_bool(pred.first())? { on_true } else { on_false };
        self.block(frame, branch, Vec::new())
    }

    fn case(&mut self, frame: &mut Frame<'r>, inst: InstId) -> Result<Vec<Value>> {
        let regions = &frame.func.insts[inst].regions;
        let index = self.operands(frame, inst)?;
        let index = index.first().ok_or_else(|| Error::invalid_argument("a case has no index"))?;
        let index = moves::index_value(index.tensor()?)?;
        let chosen = usize::try_from(index).ok().and_then(|i| regions.get(i)).or(regions.last());
        let &branch = chosen.ok_or_else(|| Error::invalid_argument("a case has no branch"))?;
        self.block(frame, branch, Vec::new())
    }
}

/// Where an instruction stands, for errors: what it was made from, or how it is written.
fn place(func: &Func, inst: &Inst) -> String {
    if let Some(source) = &inst.source {
        return source.to_string();
    }
    let what = match &inst.op {
        Op::CustomCall(call) => &call.call_target_name,
        op => op.row().name,
    };
    let name = |value: Option<&ValueId>| func.values[*value?].name.as_deref();
    match (name(inst.results.first()), name(inst.operands.first())) {
        (Some(result), _) => format!("%{result} = {what} in @{}", func.name),
        (None, Some(operand)) => format!("{what}(%{operand}) in @{}", func.name),
        (None, None) => format!("{what} in @{}", func.name),
    }
}

fn check_results(func: &Func, inst: &Inst, results: Vec<Value>) -> Result<Vec<Value>> {
    if results.len() != inst.results.len() {
        return Err(Error::invalid_argument(format!(
            "{} results where there should be {}",
            results.len(),
            inst.results.len()
        )));
    }
    for (result, &value) in results.iter().zip(&inst.results) {
        result.check(func.ty(value))?;
    }
    Ok(results)
}

fn scalar_bool(value: Option<&Value>) -> Result<bool> {
    let missing = || Error::invalid_argument("a condition is no boolean scalar");
    let tensor = value.ok_or_else(missing)?.tensor()?;
    match tensor.bytes() {
        &[byte] if tensor.dtype() == DType::Bool => Ok(byte != 0),
        _ => Err(missing()),
    }
}

/// The types of values that must be tensors.
pub(crate) fn tensor_types<'f>(func: &'f Func, values: &[ValueId]) -> Result<Vec<&'f TensorType>> {
    let tensor = |&value: &ValueId| match func.ty(value) {
        Type::Tensor(ty) => Ok(ty),
        _ => Err(Error::invalid_argument("a token or tuple stands where a tensor should")),
    };
    values.iter().map(tensor).collect()
}

/// As [`tensor_types`], copied.
pub(crate) fn owned_types(func: &Func, values: &[ValueId]) -> Result<Vec<TensorType>> {
    Ok(tensor_types(func, values)?.into_iter().cloned().collect())
}
