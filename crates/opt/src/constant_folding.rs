//! Computes at compile time what depends on constants alone.
//!
//! An instruction without effects whose operands (and what its regions use from outside) are
//! constants or iotas is evaluated, if that is cheap: up to
//! [`FOLD_ELEMENTS_MAX`](tfjit_base::limits::FOLD_ELEMENTS_MAX) elements in and out, a bounded
//! amount of work, and no more data than there was (or little). A constant that is one element
//! repeated stays that: it is moved, and computed with, at any size.
//!
//! ```text
//! %c = stablehlo.constant dense<2> : tensor<3xi32>
//! %0 = stablehlo.add %c, %c : tensor<3xi32>
//! // ==>
//! %c = stablehlo.constant dense<4> : tensor<3xi32>
//! ```
//!
//! Terminates: each rewrite makes one more instruction a constant, and constants are not folded.

use tfjit_base::ids::Id;
use tfjit_base::{Result, Shape, Tensor, limits};
use tfjit_hlo::{
    Class, Fuel, Func, FuncBuilder, InstId, Literal, Module, Op, Patch, TensorType, Type, ValueId,
};

use crate::{Changed, Fold, Pass, PassCtx};

/// Elements of a dense constant that folding may make out of less: more would be better computed
/// where they are used than loaded.
const DENSE_MAX: u64 = 1 << 10;

/// Products of elements in and out up to which an operation that is not elementwise is evaluated.
const WORK_MAX: u64 = 1 << 24;

/// The pass.
#[derive(Default)]
pub struct ConstantFolding;

impl Pass for ConstantFolding {
    const NAME: &'static str = "constant-folding";
    const DOC: &'static str = "computes what depends on constants alone";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            changed |= fold(func, ctx.fuel, ctx.fold)?;
        }
        Ok(Changed::when(changed))
    }
}

fn fold(func: &mut Func, fuel: &Fuel, evaluator: Option<&dyn Fold>) -> Result<bool> {
    let effects = func.effects();
    let order = func.walk();
    let mut patch = Patch::new(func, fuel);
    let mut changed = false;
    for inst in order {
        if effects[inst.index()] || patch.block_of(inst).is_none() {
            continue;
        }
        let literals = match repeated(patch.func(), inst) {
            Some(literal) => Some(vec![literal]),
            None => evaluator.and_then(|fold| evaluated(patch.func(), inst, fold)),
        };
        let Some(literals) = literals else { continue };
        if !fits(patch.func(), inst, &literals) {
            continue;
        }
        if !patch.begin("constant") {
            break;
        }
        let mut values = Vec::with_capacity(literals.len());
        for literal in literals {
            values.push(patch.insert_before(inst, Op::Constant(literal), &[], None)?[0]);
        }
        patch.replace(inst, &values)?;
        changed = true;
    }
    Ok(changed)
}

/// Whether literals are of the types of an instruction's results.
fn fits(func: &Func, inst: InstId, literals: &[Literal]) -> bool {
    let results = &func.insts[inst].results;
    let same = |(&v, l): (&ValueId, &Literal)| func.tensor_ty(v) == Some(l.ty());
    results.len() == literals.len() && results.iter().zip(literals).all(same)
}

/// The constant behind a value.
fn literal(func: &Func, value: ValueId) -> Option<&Literal> {
    match &func.def(value)?.1.op {
        Op::Constant(literal) => Some(literal),
        _ => None,
    }
}

/// One element repeated stays so when it is moved.
fn repeated(func: &Func, id: InstId) -> Option<Literal> {
    let inst = &func.insts[id];
    let ty = func.tensor_ty(*inst.results.first()?)?;
    if !ty.is_static() || ty.quant.is_some() {
        return None;
    }
    let shape = ty.shape().ok()?;
    let moved = matches!(
        inst.op,
        Op::BroadcastInDim { .. }
            | Op::Reshape
            | Op::Transpose { .. }
            | Op::Reverse { .. }
            | Op::Slice { .. }
            | Op::DynamicSlice { .. }
    );
    let source = literal(func, *inst.operands.first()?)?;
    let element = match (moved, source.as_splat()) {
        (true, Some(element)) => element.clone(),
        (true, None) if source.stored().elements() == 1 => {
            source.stored().reshaped(Shape::scalar()).ok()?
        }
        _ => return None,
    };
    Literal::splat(element, &shape).ok()
}

/// The number of elements of a static type that is not quantised.
fn elements(ty: &Type) -> Option<u64> {
    let ty = ty.as_tensor().filter(|t: &&TensorType| t.is_static() && t.quant.is_none())?;
    Some(ty.shape().ok()?.elements() as u64)
}

/// The results of an instruction on constants, if evaluating it is cheap and succeeds.
fn evaluated(func: &Func, id: InstId, fold: &dyn Fold) -> Option<Vec<Literal>> {
    let inst = &func.insts[id];
    if matches!(inst.op, Op::Constant(_) | Op::Iota { .. }) || inst.results.is_empty() {
        return None;
    }
    let known = |&v: &ValueId| {
        let def = func.def(v).map(|(_, inst)| &inst.op);
        matches!(def, Some(Op::Constant(_) | Op::Iota { .. }))
    };
    if !inst.operands.iter().all(known) {
        return None;
    }
    if let Some(literal) = evaluated_once(func, id, fold) {
        return Some(vec![literal]);
    }
    if repeats_numbers(func, id) {
        return None;
    }
    let (mut most_in, mut dense_in, mut most_out) = (1, DENSE_MAX, 0);
    for value in func.captures(id) {
        let n = elements(func.ty(value))?;
        match &func.def(value)?.1.op {
            Op::Constant(literal) if literal.as_splat().is_none() => dense_in = dense_in.max(n),
            Op::Constant(_) | Op::Iota { .. } => {}
            _ => return None,
        }
        most_in = most_in.max(n);
    }
    for &result in &inst.results {
        most_out = most_out.max(elements(func.ty(result))?);
    }
    let cheap = match inst.op.row().class {
        Class::Elementwise | Class::Constant | Class::Move => true,
        _ => most_in.saturating_mul(most_out.max(1)) <= WORK_MAX,
    };
    if most_in.max(most_out) > limits::FOLD_ELEMENTS_MAX as u64 || most_out > dense_in || !cheap {
        return None;
    }
    let alone = Module { funcs: vec![func.isolate(id).ok()?], ..Module::default() };
    let tensors = fold.evaluate(&alone).ok()?;
    tensors.into_iter().map(compressed).collect()
}

/// Whether an instruction repeats floats, as the broadcast of a bias does: who reads it is better
/// off with the row than with all its copies.
fn repeats_numbers(func: &Func, id: InstId) -> bool {
    let inst = &func.insts[id];
    let size = |v: ValueId| elements(func.ty(v));
    let repeats = || inst.operands.iter().all(|&v| size(v) < size(inst.results[0]));
    let float = func.tensor_ty(inst.results[0]).is_some_and(|ty| ty.dtype.is_float());
    matches!(inst.op, Op::BroadcastInDim { .. }) && float && repeats()
}

/// An elementwise instruction on repeated elements, evaluated on one of each, at any size.
fn evaluated_once(func: &Func, id: InstId, fold: &dyn Fold) -> Option<Literal> {
    let inst = &func.insts[id];
    let each = matches!(
        inst.op,
        Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Select
            | Op::Clamp
            | Op::Convert
            | Op::ReducePrecision { .. }
    );
    let ty = func.tensor_ty(*inst.results.first()?).filter(|_| each)?;
    elements(&Type::Tensor(ty.clone()))?;
    let mut b = FuncBuilder::new("main");
    let mut operands = Vec::with_capacity(inst.operands.len());
    for &operand in &inst.operands {
        operands.push(b.constant(literal(func, operand)?.as_splat()?.clone()).ok()?);
    }
    let scalar = [Type::Tensor(TensorType::scalar(ty.dtype))];
    let result = b.push_typed(inst.op.clone(), &operands, &[], &scalar).ok()?;
    let alone = Module { funcs: vec![b.finish(&result)], ..Module::default() };
    let element = fold.evaluate(&alone).ok()?.into_iter().next()?;
    Literal::splat(element, &ty.shape().ok()?).ok()
}

/// A literal of a tensor; one element repeated is kept as such.
fn compressed(tensor: Tensor) -> Option<Literal> {
    let size = tensor.dtype().size();
    let bytes = tensor.bytes();
    if size == 0 {
        return None;
    }
    let Some(first) = bytes.get(..size) else { return Some(Literal::dense(tensor)) };
    if tensor.shape().rank() > 0 && bytes.chunks_exact(size).all(|element| element == first) {
        let element = Tensor::from_raw(tensor.dtype(), Shape::scalar(), first).ok()?;
        return Literal::splat(element, tensor.shape()).ok();
    }
    Some(Literal::dense(tensor))
}
