//! A branch whose condition is a constant is the branch taken; a loop that never starts is nothing.
//!
//! ```text
//! %c = stablehlo.constant dense<true> : tensor<i1>
//! %0 = "stablehlo.if"(%c) ({
//!   %1 = stablehlo.sine %arg0 : tensor<f32>
//!   stablehlo.return %1 : tensor<f32>
//! }, {
//!   stablehlo.return %arg0 : tensor<f32>
//! }) : (tensor<i1>) -> tensor<f32>
//! // ==>
//! %c = stablehlo.constant dense<true> : tensor<i1>
//! %0 = stablehlo.sine %arg0 : tensor<f32>
//! ```
//!
//! Terminates: each rewrite takes an instruction with regions away.

use tfjit_base::Result;
use tfjit_hlo::{BlockId, Fuel, Func, InstId, Module, Op, Patch, ValueId};

use crate::{Changed, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct ConstantBranches;

impl Pass for ConstantBranches {
    const NAME: &'static str = "constant-branches";
    const DOC: &'static str = "replaces branches on constants by the branch taken";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            changed |= flatten(func, ctx.fuel)?;
        }
        Ok(Changed::when(changed))
    }
}

fn flatten(func: &mut Func, fuel: &Fuel) -> Result<bool> {
    let order = func.walk();
    let mut patch = Patch::new(func, fuel);
    let mut changed = false;
    // Outer ones first: a branch that is not taken needs no work.
    for inst in order {
        if patch.block_of(inst).is_none() {
            continue;
        }
        match decided(patch.func(), inst) {
            Some(Outcome::Branch(region)) => {
                if !same_types(patch.func(), inst, &patch.func().blocks[region].results) {
                    continue;
                }
                if !patch.begin("branch on a constant") {
                    break;
                }
                let values = patch.inline_region(inst, region, &[])?;
                patch.replace(inst, &values)?;
                changed = true;
            }
            Some(Outcome::Operands) => {
                let values = patch.func().insts[inst].operands.clone();
                if !same_types(patch.func(), inst, &values) {
                    continue;
                }
                if !patch.begin("loop that never starts") {
                    break;
                }
                patch.replace(inst, &values)?;
                changed = true;
            }
            None => {}
        }
    }
    Ok(changed)
}

/// What an instruction with regions comes to.
enum Outcome {
    /// What this region does.
    Branch(BlockId),
    /// Its operands.
    Operands,
}

fn decided(func: &Func, id: InstId) -> Option<Outcome> {
    let inst = &func.insts[id];
    match inst.op {
        Op::If => {
            let taken = scalar(func, inst.operands[0])? != 0;
            Some(Outcome::Branch(inst.regions[usize::from(!taken)]))
        }
        Op::Case => {
            let last = inst.regions.len() - 1;
            let index = usize::try_from(scalar(func, inst.operands[0])?).map_or(last, |i| i);
            Some(Outcome::Branch(inst.regions[index.min(last)]))
        }
        Op::While => {
            let condition = func.blocks[inst.regions[0]].results[0];
            (scalar(func, condition)? == 0).then_some(Outcome::Operands)
        }
        _ => None,
    }
}

/// The integer or truth value of a constant scalar.
fn scalar(func: &Func, value: ValueId) -> Option<i64> {
    match &func.def(value)?.1.op {
        Op::Constant(literal) => literal.as_splat()?.to_i64s().ok()?.first().copied(),
        _ => None,
    }
}

fn same_types(func: &Func, inst: InstId, values: &[ValueId]) -> bool {
    let results = &func.insts[inst].results;
    let equal = |(&a, &b): (&ValueId, &ValueId)| func.ty(a) == func.ty(b);
    results.len() == values.len() && results.iter().zip(values).all(equal)
}
