//! From a module to a plan.
//!
//! The facts of the function come first, then each block's units, then a step for each unit. Memory
//! is named, not placed; `assign` places it afterwards. Nothing here knows threads or machine code.

mod contract;
mod control;
mod dynamic;
mod elementwise;
mod emit;
mod facts;
mod fuse;
mod loops;
mod moves;
mod reference;
mod space;
mod stages;
mod view;
mod windows;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_base::ids::Id;
use tfjit_base::{DType, Error, Result};
use tfjit_hlo::{BlockId, Class, Func, InstId, Module, Op, Type, Uses, ValueId};

use crate::plan::{Buffer, BufferId, Constant, KernelId, Place, Plan, ReferenceCall, Step};
use facts::Facts;
use view::{View, def_of, dims_of};

/// A buffer whose place in temporary memory is not decided yet.
pub(crate) const UNPLACED: Place = Place::Arena(usize::MAX);

/// Plans the entry of `module`, which should have been optimised: calls inlined, convolutions in
/// canonical form.
///
/// # Errors
/// INVALID_ARGUMENT without an entry or with a dynamic signature; RESOURCE_EXHAUSTED when a size
/// overflows.
pub fn plan(module: &Module) -> Result<Plan> {
    let func = module
        .entry()
        .ok_or_else(|| Error::invalid_argument("the module has no entry function"))?;
    let plan = match refusal(func) {
        None => Planner::new(module, func)?.run()?,
        Some(_) => whole(module, func)?,
    };
    crate::assign::place(plan)
}

/// Why a function can't be planned step by step and is left to the interpreter whole.
pub fn refusal(func: &Func) -> Option<String> {
    for block in func.reachable_blocks() {
        for &param in &func.blocks[block].params {
            let token = is_token(func, param) && block != func.entry;
            if !token && !plain(func.ty(param)) {
                return Some(format!("parameter of type {}", func.ty(param)));
            }
        }
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let control = matches!(data.op, Op::While | Op::If | Op::Case);
            let called = matches!(data.op, Op::Call { .. } | Op::Composite(_));
            let communicates = data.op.row().class == Class::Communicate;
            // What regions do is asked of the instructions in them.
            let odd = called || (!control && !communicates && acts(&data.op));
            if odd || data.results.iter().any(|&r| !is_token(func, r) && !plain(func.ty(r))) {
                return Some(data.op.row().name.to_string());
            }
        }
    }
    None
}

/// Whether an operation by itself has effects that steps must keep; what only orders others has
/// none, as steps run in the order of the program.
fn acts(op: &Op) -> bool {
    op.may_have_effect() && !matches!(op, Op::AfterAll | Op::OptimizationBarrier)
}

/// Whether a value only says what comes before what: it has no memory, and steps run in the order
/// of the program anyway.
fn is_token(func: &Func, value: ValueId) -> bool {
    matches!(func.ty(value), Type::Token)
}

/// Whether values of a type are dense memory of known size.
fn plain(ty: &Type) -> bool {
    ty.as_tensor().is_some_and(|ty| {
        ty.is_static() && ty.quant.is_none() && ty.dtype != DType::String && ty.dtype.size() > 0
    })
}

/// The plan that gives everything to the interpreter.
fn whole(module: &Module, func: &Func) -> Result<Plan> {
    let mut plan = empty(module, func)?;
    let mut call =
        ReferenceCall { module: Arc::new(module.clone()), operands: vec![], results: vec![] };
    for (i, ty) in plan.parameters.iter().enumerate() {
        let bytes = bytes_of(ty)?;
        let place = Place::Parameter(i);
        call.operands
            .push((plan.buffers.push(Buffer { dtype: ty.dtype, bytes, place }), ty.clone()));
    }
    for (i, ty) in plan.results.iter().enumerate() {
        let bytes = bytes_of(ty)?;
        let place = Place::Result(i);
        let buffer = plan.buffers.push(Buffer { dtype: ty.dtype, bytes, place });
        plan.outputs.push(buffer);
        call.results.push((buffer, ty.clone()));
    }
    plan.steps.push(Step::Reference(Box::new(call)));
    Ok(plan)
}

/// A plan with a signature and nothing else.
fn empty(module: &Module, func: &Func) -> Result<Plan> {
    let tensors = |values: &[ValueId]| {
        let types = values.iter().map(|&v| match func.tensor_ty(v) {
            Some(ty) if ty.is_static() => Ok(ty.clone()),
            _ => Err(Error::invalid_argument(format!("{} in the signature", func.ty(v)))),
        });
        types.collect::<Result<Vec<_>>>()
    };
    let name = if module.name.is_empty() { func.name.clone() } else { module.name.clone() };
    Ok(Plan {
        name,
        parameters: tensors(func.params())?,
        results: tensors(func.results())?,
        ..Plan::default()
    })
}

/// Size of a tensor type in bytes.
fn bytes_of(ty: &tfjit_hlo::TensorType) -> Result<usize> {
    let elements = ty.shape()?.checked_elements()?;
    elements
        .checked_mul(ty.dtype.size())
        .filter(|&bytes| bytes <= tfjit_base::limits::TENSOR_BYTES_MAX)
        .ok_or_else(|| Error::resource_exhausted(format!("a tensor of type {ty:?} is too large")))
}

/// A function on its way to a plan.
struct Planner<'m> {
    func: &'m Func,
    facts: Facts,
    uses: Uses,
    plan: Plan,
    /// Kernels by their text.
    kernels: FxHashMap<String, KernelId>,
    /// Memory of roots.
    homes: FxHashMap<ValueId, BufferId>,
    /// Results that a root's memory becomes.
    result_of: FxHashMap<ValueId, usize>,
    /// How many loops and branches the block at hand is in.
    depth: usize,
    /// Steps of the block at hand.
    steps: Vec<Step>,
    /// Values that are read from copies in the block at hand: where they were before.
    dense_here: Vec<(ValueId, View)>,
    /// How many copies stand in for values.
    stand_ins: usize,
    /// Instructions whose steps are written.
    written: FxHashSet<InstId>,
}

impl<'m> Planner<'m> {
    fn new(module: &'m Module, func: &'m Func) -> Result<Planner<'m>> {
        let uses = func.uses();
        let facts = Facts::of(func, &uses, &contract::is_contraction);
        let mut planner = Planner {
            func,
            facts,
            uses,
            plan: empty(module, func)?,
            kernels: FxHashMap::default(),
            homes: FxHashMap::default(),
            result_of: FxHashMap::default(),
            depth: 0,
            steps: Vec::new(),
            dense_here: Vec::new(),
            stand_ins: 0,
            written: FxHashSet::default(),
        };
        for (i, &param) in func.params().iter().enumerate() {
            let buffer = planner.buffer(param, Place::Parameter(i))?;
            planner.homes.insert(param, buffer);
        }
        planner.claim_results();
        Ok(planner)
    }

    /// Lets results be computed where they are returned.
    fn claim_results(&mut self) {
        for (i, &value) in self.func.results().iter().enumerate() {
            let Some(view) = self.facts.view(value) else { continue };
            let Some((_, data)) = def_of(self.func, view.root) else { continue };
            let Some(dims) = dims_of(self.func, value) else { continue };
            let computed = !matches!(data.op, Op::Constant(_) | Op::Iota { .. } | Op::While);
            let whole = dims_of(self.func, view.root).map(|d| d.iter().product::<usize>())
                == Some(dims.iter().product());
            if computed && whole && view.is_dense(&dims) {
                self.result_of.entry(view.root).or_insert(i);
            }
        }
    }

    fn run(mut self) -> Result<Plan> {
        self.block(self.func.entry)?;
        for (i, &value) in self.func.results().to_vec().iter().enumerate() {
            let view = self.view(value)?;
            let dims = dims_of(self.func, value).unwrap_or_default();
            let bytes = self.func.tensor_ty(value).map_or(Ok(0), bytes_of)?;
            let home = self.home(view.root)?;
            let whole = view.is_dense(&dims) && self.plan.buffers[home].bytes == bytes;
            let fits = match self.plan.buffers[home].place {
                Place::Parameter(_) | Place::Constant(_) => true,
                Place::Result(at) => at == i,
                Place::Arena(_) => false,
            };
            let output = if whole && fits {
                home
            } else {
                let out = self.buffer(value, Place::Result(i))?;
                self.copy_view(&view, &dims, out, 0, &view::dense_strides(&dims))?;
                out
            };
            self.plan.outputs.push(output);
        }
        self.plan.steps = std::mem::take(&mut self.steps);
        Ok(self.plan)
    }

    /// Steps of all units of a block, appended to those at hand.
    fn block(&mut self, block: BlockId) -> Result<()> {
        for unit in fuse::units(self.func, block, &self.facts, &self.uses) {
            self.unit(&unit)?;
        }
        Ok(())
    }

    /// The steps that `write` makes, which run under a condition: what they make dense is not
    /// there afterwards.
    fn nested(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Step>> {
        let steps = std::mem::take(&mut self.steps);
        let dense = std::mem::take(&mut self.dense_here);
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        let copied = std::mem::replace(&mut self.dense_here, dense);
        for (value, view) in copied.into_iter().rev() {
            self.facts.set_view(value, view);
        }
        Ok(std::mem::replace(&mut self.steps, steps))
    }

    /// A buffer for a value.
    fn buffer(&mut self, value: ValueId, place: Place) -> Result<BufferId> {
        let ty = self
            .func
            .tensor_ty(value)
            .ok_or_else(|| Error::internal("a value without memory was planned"))?;
        let buffer = Buffer { dtype: ty.dtype, bytes: bytes_of(ty)?, place };
        Ok(self.plan.buffers.push(buffer))
    }

    /// The memory that the steps to come write `root` to.
    fn target(&mut self, root: ValueId) -> Result<BufferId> {
        if let Some(&home) = self.homes.get(&root) {
            return Ok(home);
        }
        let place = self.result_of.get(&root).map_or(UNPLACED, |&i| Place::Result(i));
        let buffer = self.buffer(root, place)?;
        self.homes.insert(root, buffer);
        Ok(buffer)
    }

    /// The memory of a root that was written before; constants come into being here.
    fn home(&mut self, root: ValueId) -> Result<BufferId> {
        if let Some(&home) = self.homes.get(&root) {
            return Ok(home);
        }
        let data = def_of(self.func, root).map(|(_, data)| data);
        let tensor = match data.map(|d| &d.op) {
            Some(Op::Constant(literal)) => literal.stored().clone(),
            Some(Op::Iota { dimension }) => self.iota(root, *dimension as usize)?,
            other => {
                let op = other.map_or("a parameter", |op| op.row().name);
                return Err(Error::internal(format!("{root} ({op}) is read before it is written")));
            }
        };
        let place = Place::Constant(self.plan.constants.len());
        let buffer = Buffer { dtype: tensor.dtype(), bytes: tensor.bytes().len(), place };
        self.plan.constants.push(Constant { tensor });
        let buffer = self.plan.buffers.push(buffer);
        self.homes.insert(root, buffer);
        Ok(buffer)
    }

    /// The number of the kernel equal to `kernel`.
    fn kernel(&mut self, mut kernel: crate::kernel::Kernel) -> KernelId {
        let key = format!("{:?}", (kernel.axis, &kernel.streams, &kernel.insts, &kernel.phases));
        let next = self.plan.kernels.len();
        *self.kernels.entry(key).or_insert_with(|| {
            kernel.name = format!("{}_{next}", kernel.name);
            self.plan.kernels.push(kernel);
            KernelId::new(next)
        })
    }

    /// Where `inst` came from, for messages.
    fn named(&self, inst: InstId, error: Error) -> Error {
        match &self.func.insts[inst].source {
            Some(source) => error.at(source.to_string()),
            None => error,
        }
    }
}
