//! Two instructions that compute the same are one.
//!
//! The same operation on the same operands, with equal regions and types, where the first is in the
//! same block or one around it. Only what has no effects is merged. Constants of more than
//! [`LITERAL_BYTES_MAX`] bytes are equal when they share their memory: weights are not read.
//!
//! ```text
//! %0 = stablehlo.sine %arg0 : tensor<f32>
//! %1 = stablehlo.sine %arg0 : tensor<f32>
//! %2 = stablehlo.add %0, %1 : tensor<f32>
//! // ==>
//! %0 = stablehlo.sine %arg0 : tensor<f32>
//! %1 = stablehlo.add %0, %0 : tensor<f32>
//! ```
//!
//! Terminates: each rewrite takes an instruction away.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use tfjit_base::ids::Id;
use tfjit_base::{DType, Result};
use tfjit_hlo::{BlockId, Fuel, Func, InstId, Literal, Module, Op, Patch, ValueId, op_hash};

use crate::{Changed, Pass, PassCtx};

/// Bytes of a constant up to which its elements are looked at.
const LITERAL_BYTES_MAX: usize = 1 << 12;

/// The pass.
#[derive(Default)]
pub struct CommonSubexpressions;

impl Pass for CommonSubexpressions {
    const NAME: &'static str = "common-subexpressions";
    const DOC: &'static str = "merges instructions that compute the same";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            changed |= merge(func, ctx.fuel)?;
        }
        Ok(Changed::when(changed))
    }
}

/// What is left to do, as a stack.
enum Step {
    Enter(BlockId),
    Look(InstId),
    /// Forgets what was noted since there were so many notes.
    Forget(usize),
}

fn merge(func: &mut Func, fuel: &Fuel) -> Result<bool> {
    let effects = func.effects();
    let mut patch = Patch::new(func, fuel);
    let mut known: FxHashMap<u64, Vec<InstId>> = FxHashMap::default();
    let mut notes: Vec<u64> = Vec::new();
    let mut stack = vec![Step::Enter(patch.func().entry)];
    let mut changed = false;
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter(block) => {
                stack.push(Step::Forget(notes.len()));
                let insts = &patch.func().blocks[block].insts;
                stack.extend(insts.iter().rev().map(|&inst| Step::Look(inst)));
            }
            Step::Forget(count) => {
                for hash in notes.drain(count..) {
                    known.get_mut(&hash).map(Vec::pop);
                }
            }
            Step::Look(inst) => {
                if effects[inst.index()] {
                    let regions = patch.func().insts[inst].regions.iter().rev();
                    stack.extend(regions.map(|&region| Step::Enter(region)));
                    continue;
                }
                let hash = hash_of(patch.func(), inst);
                let earlier = known.get(&hash).into_iter().flatten().copied();
                let twin = earlier.rev().find(|&twin| same(patch.func(), twin, inst));
                if let Some(twin) = twin
                    && patch.begin("common subexpression")
                {
                    let values = patch.func().insts[twin].results.clone();
                    patch.replace(inst, &values)?;
                    changed = true;
                    continue;
                }
                known.entry(hash).or_default().push(inst);
                notes.push(hash);
                let regions = patch.func().insts[inst].regions.iter().rev();
                stack.extend(regions.map(|&region| Step::Enter(region)));
            }
        }
    }
    Ok(changed)
}

/// A number that equal instructions share. Regions count by their operations alone.
fn hash_of(func: &Func, inst: InstId) -> u64 {
    let mut hasher = FxHasher::default();
    let outer = &func.insts[inst];
    hash_op(&outer.op).hash(&mut hasher);
    outer.operands.hash(&mut hasher);
    let mut blocks: Vec<BlockId> = outer.regions.to_vec();
    while let Some(block) = blocks.pop() {
        for &inner in &func.blocks[block].insts {
            let inner = &func.insts[inner];
            hash_op(&inner.op).hash(&mut hasher);
            blocks.extend(&inner.regions);
        }
    }
    hasher.finish()
}

/// A number that equal operations share in this process.
fn hash_op(op: &Op) -> u64 {
    let mut hasher = FxHasher::default();
    match op {
        Op::Constant(literal) => {
            let bytes = literal.stored().bytes();
            (literal.ty(), bytes.len()).hash(&mut hasher);
            match bytes.len() <= LITERAL_BYTES_MAX {
                true => bytes.hash(&mut hasher),
                false => bytes.as_ptr().hash(&mut hasher),
            }
        }
        Op::Unary(op) => (1, op).hash(&mut hasher),
        Op::Binary(op) => (2, op).hash(&mut hasher),
        other => return op_hash(other),
    }
    hasher.finish()
}

/// Whether two operations are the same; large constants only when they share their memory.
fn same_op(a: &Op, b: &Op) -> bool {
    match (a, b) {
        (Op::Constant(a), Op::Constant(b)) => same_literal(a, b),
        _ => a == b,
    }
}

fn same_literal(a: &Literal, b: &Literal) -> bool {
    let (x, y) = (a.stored().bytes(), b.stored().bytes());
    let bytes = || match x.len() <= LITERAL_BYTES_MAX {
        true => x == y,
        false => std::ptr::eq(x, y),
    };
    a.ty() == b.ty() && x.len() == y.len() && bytes() && a.dtype() != DType::String
}

/// Whether two instructions compute the same, given that the first one comes first.
fn same(func: &Func, a: InstId, b: InstId) -> bool {
    let mut twins: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let Some(mut regions) = same_outside(func, a, b, &mut twins) else { return false };
    // Outer regions come before inner ones, so that what inner ones use has its twin.
    while let Some((p, q)) = regions.pop() {
        let (p, q) = (&func.blocks[p], &func.blocks[q]);
        if p.insts.len() != q.insts.len() || !paired(func, &p.params, &q.params, &mut twins) {
            return false;
        }
        for (&x, &y) in p.insts.iter().zip(&q.insts) {
            match same_outside(func, x, y, &mut twins) {
                Some(inner) => regions.extend(inner),
                None => return false,
            }
        }
        let equal = |(x, y): (&ValueId, &ValueId)| twins.get(x).unwrap_or(x) == y;
        if p.results.len() != q.results.len() || !p.results.iter().zip(&q.results).all(equal) {
            return false;
        }
    }
    true
}

/// Compares two instructions but for their regions, which are returned in pairs, and notes that
/// their results are twins.
fn same_outside(
    func: &Func,
    a: InstId,
    b: InstId,
    twins: &mut FxHashMap<ValueId, ValueId>,
) -> Option<Vec<(BlockId, BlockId)>> {
    let (x, y) = (&func.insts[a], &func.insts[b]);
    let operand = |(x, y): (&ValueId, &ValueId)| twins.get(x).unwrap_or(x) == y;
    let equal = same_op(&x.op, &y.op)
        && x.attrs == y.attrs
        && x.operands.len() == y.operands.len()
        && x.operands.iter().zip(&y.operands).all(operand)
        && x.regions.len() == y.regions.len();
    if !equal || !paired(func, &x.results, &y.results, twins) {
        return None;
    }
    Some(x.regions.iter().copied().zip(y.regions.iter().copied()).collect())
}

/// Notes that values are twins, if there are as many of the same types.
fn paired(
    func: &Func,
    a: &[ValueId],
    b: &[ValueId],
    twins: &mut FxHashMap<ValueId, ValueId>,
) -> bool {
    let equal = a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| func.ty(x) == func.ty(y));
    twins.extend(a.iter().copied().zip(b.iter().copied()));
    equal
}
