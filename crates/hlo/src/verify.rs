//! The verifier: whether a module is what everything else takes for granted.
//!
//! A module that passes has valid ids, values defined before their uses, every instruction in one
//! block and every block under one parent, types that follow from operands, and calls that resolve
//! without recursion. It reports all problems, not the first. It changes nothing, and walks
//! without recursion, so that a hostile module is an error and never a crash.

mod calls;
mod structure;

use rustc_hash::FxHashSet;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result, limits};

use crate::infer::{accepts, check_type, region_sig};
use crate::{DYNAMIC, Func, InstId, Module, Type, infer};

/// How much a module must fulfil.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What holds for every module.
    Always,
    /// Also: all extents are known.
    Static,
}

/// Checks a module at [`Level::Always`].
///
/// # Errors
/// As [`verify_at`].
pub fn verify(module: &Module) -> Result<()> {
    verify_at(module, Level::Always)
}

/// Checks a module; see the text of this file for what it checks.
///
/// # Errors
/// INVALID_ARGUMENT (or RESOURCE_EXHAUSTED for a limit) with all problems, up to
/// [`limits::PROBLEMS_MAX`]. Each names the instruction and the function it is in.
pub fn verify_at(module: &Module, level: Level) -> Result<()> {
    let mut problems = Problems::default();
    names(module, &mut problems);
    let mut sound = Vec::with_capacity(module.funcs.len());
    for func in &module.funcs {
        let order = structure::check(func, &mut problems);
        if let Some(order) = &order {
            types(func, order, level, &mut problems);
        }
        sound.push(order);
    }
    calls::check(module, &sound, &mut problems);
    problems.finish()
}

/// Checks one function by itself at [`Level::Always`]; calls are not looked at.
///
/// # Errors
/// As [`verify_at`].
pub fn verify_func(func: &Func) -> Result<()> {
    let mut problems = Problems::default();
    if let Some(order) = structure::check(func, &mut problems) {
        types(func, &order, Level::Always, &mut problems);
    }
    problems.finish()
}

/// The problems found so far.
#[derive(Default)]
struct Problems {
    found: Vec<Error>,
    more: usize,
}

impl Problems {
    fn push(&mut self, error: Error) {
        if self.found.len() < limits::PROBLEMS_MAX {
            self.found.push(error);
        } else {
            self.more += 1;
        }
    }

    /// A problem of a function as a whole.
    fn func(&mut self, func: &Func, message: impl Into<String>) {
        self.push(Error::invalid_argument(message).at(format!("@{}", func.name)));
    }

    /// A problem of an instruction.
    fn inst(&mut self, func: &Func, inst: InstId, message: impl Into<String>) {
        self.push(Error::invalid_argument(message).at(place(func, inst)));
    }

    fn finish(mut self) -> Result<()> {
        if self.more > 0 {
            let more = format!("{} more problems are not listed", self.more);
            self.found.push(Error::invalid_argument(more));
        }
        Error::collect(self.found).map_or(Ok(()), Err)
    }
}

/// How an instruction is named in errors: by what it was made from, or by its id.
fn place(func: &Func, inst: InstId) -> String {
    match func.insts.get(inst).and_then(|i| i.source.as_deref()) {
        Some(source) => format!("{source} ({inst} in @{})", func.name),
        None => format!("{inst} in @{}", func.name),
    }
}

/// Checks the names and numbers of functions.
fn names(module: &Module, problems: &mut Problems) {
    if module.funcs.len() > limits::FUNCTIONS_MAX {
        let n = module.funcs.len();
        problems.push(Error::resource_exhausted(format!("the module has {n} functions")));
    }
    let insts: usize = module.funcs.iter().map(|f| f.insts.len()).sum();
    if insts > limits::NODES_MAX {
        problems.push(Error::resource_exhausted(format!("the module has {insts} instructions")));
    }
    let mut seen = FxHashSet::default();
    for func in &module.funcs {
        if func.name.is_empty() {
            problems.func(func, "a function has no name");
        } else if !seen.insert(func.name.as_str()) {
            problems.func(func, "two functions have this name");
        }
    }
}

/// Checks types of parameters, instructions and results of a function of sound structure.
fn types(func: &Func, order: &structure::Order, level: Level, problems: &mut Problems) {
    for &block in &order.blocks {
        for &param in &func.blocks[block].params {
            if let Err(e) = check_type(func.ty(param)) {
                problems.push(e.at(format!("parameter {param} in @{}", func.name)));
            }
        }
    }
    for &id in &order.insts {
        let inst = &func.insts[id];
        let operands: Vec<&Type> = inst.operands.iter().map(|&v| func.ty(v)).collect();
        let regions: Vec<_> = inst.regions.iter().map(|&b| region_sig(func, b)).collect();
        let results: Vec<Type> = inst.results.iter().map(|&v| func.ty(v).clone()).collect();
        if let Err(e) = infer(&inst.op, &operands, &regions, Some(&results)) {
            problems.push(e.at(place(func, id)));
        } else if level == Level::Static && results.iter().any(dynamic) {
            problems.inst(func, id, format!("{} has an unknown extent", inst.op.row().name));
        }
    }
    returned(func, problems);
    if level == Level::Static && func.param_types().any(dynamic) {
        problems.func(func, "a parameter has an unknown extent");
    }
}

/// Checks what a function returns against its signature.
fn returned(func: &Func, problems: &mut Problems) {
    let (wanted, given) = (&func.result_types, func.results());
    if wanted.len() != given.len() {
        let (n, m) = (given.len(), wanted.len());
        return problems.func(func, format!("it returns {n} values, its signature has {m}"));
    }
    for (i, (wanted, &given)) in wanted.iter().zip(given).enumerate() {
        if !accepts(wanted, func.ty(given)) {
            problems.func(func, format!("result {i} is not of the type in its signature"));
        }
    }
    if func.param_attrs.len() > func.params().len() || func.result_attrs.len() > given.len() {
        problems.func(func, "it has attributes for parameters or results that it lacks");
    }
}

/// Whether a type has an unknown extent anywhere.
fn dynamic(ty: &Type) -> bool {
    let mut stack = vec![ty];
    while let Some(ty) = stack.pop() {
        match ty {
            Type::Tensor(t) if t.dims.contains(&DYNAMIC) => return true,
            Type::Tensor(_) | Type::Token => {}
            Type::Tuple(items) => stack.extend(items),
        }
    }
    false
}

/// A set of ids, one bit-sized slot each.
struct Marks(Vec<bool>);

impl Marks {
    fn new(len: usize) -> Marks {
        Marks(vec![false; len])
    }

    /// Marks `id`; whether it was not marked. Ids out of range count as marked.
    fn insert(&mut self, id: impl Id) -> bool {
        self.0.get_mut(id.index()).is_some_and(|slot| !std::mem::replace(slot, true))
    }

    fn remove(&mut self, id: impl Id) {
        self.0[id.index()] = false;
    }

    fn has(&self, id: impl Id) -> bool {
        self.0.get(id.index()).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
