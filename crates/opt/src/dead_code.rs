//! Takes away instructions whose results nobody needs, and functions that nobody calls.
//!
//! An instruction is needed when it may have effects, when a result is returned, or when something
//! needed uses it; a call may have effects when the function called may. Loops stay: one that does
//! not end is an effect.
//!
//! ```text
//! %0 = stablehlo.sine %arg0 : tensor<f32>
//! %1 = stablehlo.cosine %arg0 : tensor<f32>
//! return %1 : tensor<f32>
//! // ==>
//! %0 = stablehlo.cosine %arg0 : tensor<f32>
//! return %0 : tensor<f32>
//! ```
//!
//! Terminates: each rewrite takes something away.

use rustc_hash::FxHashSet;
use tfjit_base::Result;
use tfjit_base::ids::Id;
use tfjit_hlo::{Fuel, Func, InstId, Live, Module, Op, Patch};

use crate::calls::{callees, callees_first, positions};
use crate::{Changed, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct DeadCode;

impl Pass for DeadCode {
    const NAME: &'static str = "dead-code";
    const DOC: &'static str = "takes away what nobody needs";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let effects = effects_of(module);
        let mut changed = false;
        for func in &mut module.funcs {
            changed |= sweep(func, &effects, ctx.fuel)?;
        }
        changed |= unreferenced(module, ctx.fuel);
        Ok(Changed::when(changed))
    }
}

/// The names of functions that may have effects. What is not known when it is called, which a
/// valid module does not have, counts as having effects.
fn effects_of(module: &Module) -> FxHashSet<String> {
    let mut pure: FxHashSet<&str> = FxHashSet::default();
    for at in callees_first(module) {
        let func = &module.funcs[at];
        let effects = func.effects_by(&|op| may_have_effect(op, |name| !pure.contains(name)));
        let has = func.walk().into_iter().any(|inst| effects[inst.index()]);
        if !has {
            pure.insert(&func.name);
        }
    }
    let names = module.funcs.iter().map(|f| f.name.as_str());
    names.filter(|name| !pure.contains(name)).map(str::to_owned).collect()
}

/// Whether an operation by itself may have effects, where `effect` says it of functions.
fn may_have_effect(op: &Op, effect: impl Fn(&str) -> bool) -> bool {
    match op {
        Op::Call { callee } => effect(callee),
        Op::Composite(composite) => effect(&composite.decomposition),
        other => other.may_have_effect(),
    }
}

/// Erases what is not needed in `func`, users before what they use.
fn sweep(func: &mut Func, effects: &FxHashSet<String>, fuel: &Fuel) -> Result<bool> {
    let effects = func.effects_by(&|op| may_have_effect(op, |name| effects.contains(name)));
    let live = func.live_by(&effects);
    let dead = users_first(func, &live);
    if dead.is_empty() {
        return Ok(false);
    }
    let mut patch = Patch::new(func, fuel);
    let mut changed = false;
    for inst in dead {
        if !patch.begin("unused instruction") {
            break;
        }
        patch.erase(inst)?;
        changed = true;
    }
    Ok(changed)
}

/// The instructions to erase, nothing before what uses it: inner blocks first, each from its end,
/// as uses are behind definitions or in regions of what is behind them. What is in regions of one
/// of them goes with it.
fn users_first(func: &Func, live: &Live) -> Vec<InstId> {
    let mut blocks = vec![func.entry];
    let mut next = 0;
    while let Some(&block) = blocks.get(next) {
        next += 1;
        let kept = func.blocks[block].insts.iter().filter(|&&inst| live.has(inst));
        blocks.extend(kept.flat_map(|&inst| &func.insts[inst].regions));
    }
    let insts = blocks.iter().rev().flat_map(|&block| func.blocks[block].insts.iter().rev());
    insts.copied().filter(|&inst| !live.has(inst)).collect()
}

/// Takes away private functions that nothing visible leads to.
fn unreferenced(module: &mut Module, fuel: &Fuel) -> bool {
    let positions = positions(module);
    let entry = module.entry_index();
    let visible = |&i: &usize| module.funcs[i].public || Some(i) == entry;
    let mut stack: Vec<usize> = (0..module.funcs.len()).filter(visible).collect();
    let mut needed = vec![false; module.funcs.len()];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut needed[at], true) {
            let callees = callees(&module.funcs[at]);
            stack.extend(callees.iter().filter_map(|name| positions.get(name).copied()));
        }
    }
    let before = module.funcs.len();
    let mut i = 0;
    module.funcs.retain(|_| {
        let keep = needed[i] || !fuel.take("unused function");
        i += 1;
        keep
    });
    module.funcs.len() < before
}
