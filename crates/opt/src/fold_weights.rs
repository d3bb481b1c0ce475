//! Computes weights at compile time, at any size: what is done to dense constants alone.
//!
//! Files keep weights short (`f16`, eight bits and a scale) or in another order, and programs bring
//! them into the form they use on every run. Conversions of dense constants, arithmetic on them
//! with other constants, transposes, reversals, reshapes and joins are done here, and slices that
//! together are no larger than what they are cut from. Nothing larger than the dense constants it
//! is made of is made; small constants are `constant-folding`'s affair.
//!
//! ```text
//! %0 = stablehlo.constant dense<…> : tensor<1000x1000xf16>
//! %1 = stablehlo.convert %0 : (tensor<1000x1000xf16>) -> tensor<1000x1000xf32>
//! // ==>
//! %1 = stablehlo.constant dense<…> : tensor<1000x1000xf32>
//! ```
//!
//! Runs behind `algebra`, which lets dot products read through transposes: what they can read so
//! need not be moved. Terminates: each rewrite makes one more instruction a constant.

use tfjit_base::Result;
use tfjit_hlo::{
    Func, FuncBuilder, InstId, Literal, Module, Op, Patch, TensorType, Type, User, ValueId,
};

use crate::insert::{Insert, elementwise, literal, moved};
use crate::{Changed, Fold, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct FoldWeights;

impl Pass for FoldWeights {
    const NAME: &'static str = "fold-weights";
    const DOC: &'static str = "computes what is done to dense constants alone, at any size";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let Some(fold) = ctx.fold else { return Ok(Changed::No) };
        let mut changed = false;
        for func in &mut module.funcs {
            let order = func.walk();
            let mut patch = Patch::new(func, ctx.fuel);
            for id in order {
                let Some(literal) = weights(&patch, id, fold) else { continue };
                if !patch.begin("weights") {
                    break;
                }
                let value = Insert { patch: &mut patch, anchor: id }.literal(literal)?;
                patch.replace(id, &[value])?;
                changed = true;
            }
        }
        Ok(Changed::when(changed))
    }
}

/// The result of an instruction that is computed from dense constants of its size.
fn weights(patch: &Patch<'_>, id: InstId, fold: &dyn Fold) -> Option<Literal> {
    let func = patch.func();
    let inst = &func.insts[id];
    let wanted = match &inst.op {
        Op::Transpose { .. } | Op::Reverse { .. } | Op::Reshape | Op::Concatenate { .. } => true,
        Op::Slice { .. } => in_pieces(patch, inst.operands[0]),
        op => elementwise(op),
    };
    let &[result] = &inst.results[..] else { return None };
    let first = inst.operands.first().filter(|_| wanted)?;
    let ty = func.tensor_ty(result).filter(|ty| ty.is_static() && ty.quant.is_none())?;
    // Nearly all instructions end here.
    constant(func, *first)?;
    let mut dense = 0;
    for &operand in &inst.operands {
        let (literal, broadcast) = constant(func, operand)?;
        let plain = literal.ty().quant.is_none();
        plain.then_some(())?;
        if literal.as_splat().is_none() && broadcast.is_none() {
            dense += literal.stored().elements();
        }
    }
    if ty.shape().ok()?.elements() > dense {
        return None;
    }
    if let [operand] = inst.operands[..]
        && !elementwise(&inst.op)
        && !matches!(inst.op, Op::Concatenate { .. })
    {
        return moved(Some(fold), literal(func, operand)?, inst.op.clone(), ty);
    }
    computed(func, id, ty, fold)
}

/// The constant that a value is or is a broadcast of.
fn constant(func: &Func, value: ValueId) -> Option<(&Literal, Option<&Op>)> {
    let (_, inst) = func.def(value)?;
    match &inst.op {
        Op::Constant(literal) => Some((literal, None)),
        op @ Op::BroadcastInDim { .. } => Some((literal(func, inst.operands[0])?, Some(op))),
        _ => None,
    }
}

/// Whether a constant is used by slices alone, which together are no larger.
fn in_pieces(patch: &Patch<'_>, value: ValueId) -> bool {
    let func = patch.func();
    let Some(whole) = literal(func, value).map(|literal| literal.shape().elements()) else {
        return false;
    };
    let mut pieces = 0;
    for u in patch.uses(value) {
        let User::Inst(user) = u.user else { return false };
        let inst = &func.insts[user];
        let ty = func.tensor_ty(inst.results[0]).and_then(|ty| ty.shape().ok());
        match (&inst.op, ty) {
            (Op::Slice { .. }, Some(shape)) => pieces += shape.elements(),
            _ => return false,
        }
    }
    pieces <= whole
}

/// What an instruction makes of constants.
fn computed(func: &Func, id: InstId, ty: &TensorType, fold: &dyn Fold) -> Option<Literal> {
    let inst = &func.insts[id];
    let mut b = FuncBuilder::new("main");
    let mut operands = Vec::with_capacity(inst.operands.len());
    for &operand in &inst.operands {
        let (literal, broadcast) = constant(func, operand)?;
        let mut value = b.literal(literal.clone()).ok()?;
        if let Some(op) = broadcast {
            let types = [func.ty(operand).clone()];
            value = b.push_typed(op.clone(), &[value], &[], &types).ok()?[0];
        }
        operands.push(value);
    }
    let types = [Type::Tensor(ty.clone())];
    let result = b.push_typed(inst.op.clone(), &operands, &[], &types).ok()?;
    let alone = Module { funcs: vec![b.finish(&result)], ..Module::default() };
    let literal = Literal::dense(fold.evaluate(&alone).ok()?.into_iter().next()?);
    (literal.ty() == ty).then_some(literal)
}
