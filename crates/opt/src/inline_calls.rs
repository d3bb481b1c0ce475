//! Puts the body of a function where it is called, if it is called once or small.
//!
//! Functions that are called are treated before those that call them, so that a chain of calls is
//! taken apart in one run. Composite operations are calls of their decomposition. Functions that
//! nobody calls any more are left to `dead-code`.
//!
//! ```text
//! func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
//!   %0 = call @helper(%arg0) : (tensor<f32>) -> tensor<f32>
//!   return %0 : tensor<f32>
//! }
//! // ==>
//! func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
//!   %0 = stablehlo.sine %arg0 : tensor<f32>
//!   return %0 : tensor<f32>
//! }
//! ```
//!
//! Terminates: calls do not recur, and a call is replaced by a body without calls that could be
//! inlined. The size of the module is bounded by
//! [`INLINED_NODES_MAX`](tfjit_base::limits::INLINED_NODES_MAX).

use rustc_hash::FxHashMap;
use tfjit_base::{Result, limits};
use tfjit_hlo::{BlockId, Func, InstId, Module, Op, Patch, ValueId};

use crate::calls::{callees, callees_first};
use crate::{Changed, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct InlineCalls;

impl Pass for InlineCalls {
    const NAME: &'static str = "inline-calls";
    const DOC: &'static str = "puts bodies where functions are called once or are small";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut calls: FxHashMap<String, usize> = FxHashMap::default();
        for name in module.funcs.iter().flat_map(callees) {
            *calls.entry(name.to_owned()).or_default() += 1;
        }
        let mut sizes: Vec<usize> = module.funcs.iter().map(|f| f.walk().len()).collect();
        let mut total: usize = sizes.iter().sum();
        let mut changed = false;
        let names: Vec<String> = module.funcs.iter().map(|f| f.name.clone()).collect();
        let positions: FxHashMap<&str, usize> =
            (0..).zip(&names).map(|(i, name)| (name.as_str(), i)).collect();
        for at in callees_first(module) {
            let mut func = std::mem::replace(&mut module.funcs[at], Func::new(""));
            let wanted = |name: &str, size: usize| {
                size <= ctx.inline_insts_max || calls.get(name).is_some_and(|&n| n == 1)
            };
            let grown =
                inline(&mut func, (at, &positions), module, &sizes, &mut total, &wanted, ctx);
            module.funcs[at] = func;
            if let Some(size) = grown? {
                sizes[at] = size;
                changed = true;
            }
        }
        Ok(Changed::when(changed))
    }
}

/// Inlines calls in `func`, which was taken out of `module` at `at`, given the positions of all
/// functions; its new size if it changed.
fn inline(
    func: &mut Func,
    (at, positions): (usize, &FxHashMap<&str, usize>),
    module: &Module,
    sizes: &[usize],
    total: &mut usize,
    wanted: &dyn Fn(&str, usize) -> bool,
    ctx: &PassCtx<'_>,
) -> Result<Option<usize>> {
    let order = func.walk();
    let calls = |&inst: &InstId| matches!(func.insts[inst].op, Op::Call { .. } | Op::Composite(_));
    if !order.iter().any(calls) {
        return Ok(None);
    }
    let depths = block_depths(func);
    let mut patch = Patch::new(func, ctx.fuel);
    let mut changed = false;
    for inst in order {
        let name = match &patch.func().insts[inst].op {
            Op::Call { callee } => callee.as_str(),
            Op::Composite(composite) => composite.decomposition.as_str(),
            _ => continue,
        };
        let Some(&callee) = positions.get(name).filter(|&&i| i != at) else { continue };
        let (size, body) = (sizes[callee], &module.funcs[callee]);
        let room = *total + size <= limits::INLINED_NODES_MAX;
        let depth = patch.block_of(inst).and_then(|block| depths.get(&block)).copied();
        let deep = depth.unwrap_or(0) + region_depth(body) > limits::REGION_DEPTH_MAX;
        if !room || deep || !wanted(name, size) || !agrees(patch.func(), inst, body) {
            continue;
        }
        if !patch.begin("call") {
            break;
        }
        let args = patch.func().insts[inst].operands.clone();
        let values = patch.inline_func(inst, body, &args)?;
        patch.replace(inst, &values)?;
        *total += size;
        changed = true;
    }
    drop(patch);
    Ok(changed.then(|| func.walk().len()))
}

/// Whether types on both sides of a call are equal, not only compatible.
fn agrees(func: &Func, inst: InstId, callee: &Func) -> bool {
    let equal = |a: &[ValueId], b: &[ValueId]| {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| func.ty(a) == callee.ty(b))
    };
    let inst = &func.insts[inst];
    equal(&inst.operands, callee.params()) && equal(&inst.results, callee.results())
}

/// How deep each block is nested.
fn block_depths(func: &Func) -> FxHashMap<BlockId, usize> {
    let mut depths = FxHashMap::default();
    depths.insert(func.entry, 0);
    for block in func.reachable_blocks() {
        let depth = depths[&block];
        for &inst in &func.blocks[block].insts {
            depths.extend(func.insts[inst].regions.iter().map(|&region| (region, depth + 1)));
        }
    }
    depths
}

/// How deep regions nest in a function.
fn region_depth(func: &Func) -> usize {
    block_depths(func).into_values().max().unwrap_or(0)
}
