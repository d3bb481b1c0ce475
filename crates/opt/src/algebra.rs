//! Rewrites by the laws of arithmetic and of moving elements, one row each.
//!
//! A rule looks at one instruction and what defines its operands, and says what to put in its
//! place. It must hold bit for bit, `-0` and NaN included: `x + 0` is not `x` (`-0 + 0` is `0`),
//! but `x + -0` is; `x * 0` is not `0` for floats; `not (a < b)` is not `a >= b`.
//!
//! ```text
//! %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
//! %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
//! %2 = stablehlo.negate %1 : tensor<2x3xf32>
//! // ==>
//! %0 = stablehlo.negate %arg0 : tensor<2x3xf32>
//! ```
//!
//! Terminates: a rule takes instructions away, or makes one cheaper or more canonical in an order
//! that no other rule turns back; and the number of rewrites in one run is bounded by the size of
//! the program, whatever the rules do.

mod arithmetic;
mod contract;
mod convert;
mod logic;
mod matching;
mod moves;
mod slices;
mod structure;

use tfjit_base::Result;
use tfjit_hlo::{Fuel, Func, InstId, Module, Patch, ValueId};

use crate::{Changed, Pass, PassCtx};
pub(crate) use contract::through;
use matching::{Arg, Rewrite, View};

/// The pass.
#[derive(Default)]
pub struct Algebra;

impl Pass for Algebra {
    const NAME: &'static str = "algebra";
    const DOC: &'static str = "rewrites by the laws of arithmetic and of moving elements";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            changed |= simplify(func, ctx.fuel)?;
        }
        Ok(Changed::when(changed))
    }
}

/// One law: its name, and what it makes of an instruction.
struct Rule {
    reason: &'static str,
    rewrite: fn(&View<'_>) -> Option<Rewrite>,
}

/// All laws; the first that applies is taken.
const RULES: &[&[Rule]] = &[
    structure::RULES,
    arithmetic::RULES,
    logic::RULES,
    convert::RULES,
    moves::RULES,
    slices::RULES,
    contract::RULES,
];

fn simplify(func: &mut Func, fuel: &Fuel) -> Result<bool> {
    let mut work: Vec<InstId> = func.walk();
    let mut left = 16 * work.len() + 64;
    work.reverse();
    let mut patch = Patch::new(func, fuel);
    let mut changed = false;
    while let Some(inst) = work.pop() {
        if left == 0 {
            break;
        }
        if patch.block_of(inst).is_none() {
            continue;
        }
        let Some((reason, rewrite)) = find(patch.func(), inst) else { continue };
        if !patch.begin(reason) {
            break;
        }
        left -= 1;
        changed = true;
        apply(&mut patch, inst, rewrite, &mut work)?;
    }
    Ok(changed)
}

/// The first rule that applies and gives what is used the types it has.
fn find(func: &Func, inst: InstId) -> Option<(&'static str, Rewrite)> {
    let view = View { func, inst: &func.insts[inst] };
    let rules = RULES.iter().copied().flatten();
    rules
        .filter_map(|rule| Some((rule.reason, (rule.rewrite)(&view)?)))
        .find(|(_, rewrite)| rewrite.fits(&view))
}

/// Puts `rewrite` in the place of `inst`; what may be simplified next goes on `work`.
fn apply(
    patch: &mut Patch<'_>,
    inst: InstId,
    rewrite: Rewrite,
    work: &mut Vec<InstId>,
) -> Result<()> {
    let mut made: Vec<ValueId> = Vec::with_capacity(rewrite.steps.len());
    let mut next = Vec::new();
    for step in rewrite.steps {
        let operands: Vec<ValueId> = step.operands.iter().map(|arg| arg.value(&made)).collect();
        let types = step.ty.map(|ty| [ty]);
        let types = types.as_ref().map(|types| &types[..]);
        let values = patch.insert_before(inst, step.op, &operands, types)?;
        made.push(values[0]);
        next.extend(patch.func().def(values[0]).map(|(id, _)| id));
    }
    let values: Vec<ValueId> = rewrite.results.iter().map(|arg: &Arg| arg.value(&made)).collect();
    for &result in &patch.func().insts[inst].results.clone() {
        for u in patch.uses(result) {
            if let tfjit_hlo::User::Inst(user) = u.user {
                work.push(user);
            }
        }
    }
    work.extend(next.into_iter().rev());
    patch.replace(inst, &values)
}
