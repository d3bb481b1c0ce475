//! Inserts instructions in front of another one, leaving out those that do nothing, and reads and
//! moves constants.
//!
//! Must not know any pass.

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{
    Binary, BlockId, Dims, Func, FuncBuilder, InstId, Literal, Module, Op, Patch, TensorType, Type,
    Unary, ValueId,
};

use crate::Fold;
use crate::permute::permuted;

/// Inserts in front of one instruction.
pub(crate) struct Insert<'p, 'f> {
    pub(crate) patch: &'p mut Patch<'f>,
    pub(crate) anchor: InstId,
}

impl Insert<'_, '_> {
    /// The tensor type of a value.
    ///
    /// # Errors
    /// INTERNAL for tokens and tuples.
    pub(crate) fn ty(&self, value: ValueId) -> Result<TensorType> {
        let ty = self.patch.func().tensor_ty(value);
        ty.cloned().ok_or_else(|| Error::internal(format!("{value} is no tensor")))
    }

    /// An instruction whose result has the type that follows from its operands.
    pub(crate) fn op(&mut self, op: Op, operands: &[ValueId]) -> Result<ValueId> {
        Ok(self.patch.insert_before(self.anchor, op, operands, None)?[0])
    }

    /// An instruction with a result of type `ty`.
    pub(crate) fn typed(&mut self, op: Op, xs: &[ValueId], ty: TensorType) -> Result<ValueId> {
        Ok(self.patch.insert_before(self.anchor, op, xs, Some(&[Type::Tensor(ty)]))?[0])
    }

    /// A constant.
    pub(crate) fn literal(&mut self, literal: Literal) -> Result<ValueId> {
        let ty = literal.ty().clone();
        self.typed(Op::Constant(literal), &[], ty)
    }

    /// The element `value` of `ty`'s float type in every position of `ty`.
    pub(crate) fn splat(&mut self, ty: &TensorType, value: f64) -> Result<ValueId> {
        let element = float(ty, value)?;
        self.literal(Literal::splat(element, &ty.shape()?)?)
    }

    /// A unary operation.
    pub(crate) fn unary(&mut self, op: Unary, x: ValueId) -> Result<ValueId> {
        self.op(Op::Unary(op), &[x])
    }

    /// A binary operation.
    pub(crate) fn binary(&mut self, op: Binary, x: ValueId, y: ValueId) -> Result<ValueId> {
        self.op(Op::Binary(op), &[x, y])
    }

    /// `x op value` in every position.
    pub(crate) fn with_number(&mut self, op: Binary, x: ValueId, value: f64) -> Result<ValueId> {
        let ty = self.ty(x)?;
        let value = self.splat(&ty, value)?;
        self.binary(op, x, value)
    }

    /// Result dimension `i` is operand dimension `permutation[i]`.
    pub(crate) fn transpose(&mut self, x: ValueId, permutation: &[i64]) -> Result<ValueId> {
        if in_order(permutation) {
            return Ok(x);
        }
        self.op(Op::Transpose { permutation: Dims::from_slice(permutation) }, &[x])
    }

    /// The same elements in row-major order with other extents.
    pub(crate) fn reshape(&mut self, x: ValueId, dims: &[i64]) -> Result<ValueId> {
        let ty = self.ty(x)?.with_dims(dims);
        if self.ty(x)? == ty {
            return Ok(x);
        }
        self.typed(Op::Reshape, &[x], ty)
    }

    /// Operand dimension `i` becomes dimension `dims[i]` of a result with the extents of `like`.
    pub(crate) fn broadcast(
        &mut self,
        x: ValueId,
        like: &TensorType,
        dims: &[i64],
    ) -> Result<ValueId> {
        let ty = self.ty(x)?.with_dims(&like.dims);
        if self.ty(x)? == ty && in_order(dims) {
            return Ok(x);
        }
        let op = Op::BroadcastInDim { broadcast_dimensions: Dims::from_slice(dims) };
        self.typed(op, &[x], ty)
    }

    /// Conversion to another element type.
    pub(crate) fn convert(&mut self, x: ValueId, like: &TensorType) -> Result<ValueId> {
        let ty = self.ty(x)?;
        if ty.dtype == like.dtype {
            return Ok(x);
        }
        self.typed(Op::Convert, &[x], ty.with_dtype(like.dtype))
    }
}

/// A scalar of `ty`'s element type, which must be a float type.
///
/// # Errors
/// INTERNAL for other types.
pub(crate) fn float(ty: &TensorType, value: f64) -> Result<Tensor> {
    use tfjit_base::{DType, bf16, f16};
    Ok(match ty.dtype {
        DType::F64 => Tensor::scalar(value),
        DType::F32 => Tensor::scalar(value as f32),
        DType::BF16 => Tensor::scalar(bf16::from_f64(value)),
        DType::F16 => Tensor::scalar(f16::from_f64(value)),
        other => return Err(Error::internal(format!("{other} is no usual float type"))),
    })
}

/// Whether `dims` are `0, 1, 2, …`.
pub(crate) fn in_order(dims: &[i64]) -> bool {
    (0..).zip(dims).all(|(i, &d)| i == d)
}

/// The permutation that undoes `permutation`.
pub(crate) fn inverse(permutation: &[i64]) -> Dims {
    let mut inverse: Dims = permutation.iter().map(|_| 0).collect();
    for (i, &d) in (0..).zip(permutation) {
        inverse[d as usize] = i;
    }
    inverse
}

/// Whether an operation's result at a place depends on operands at that place alone.
pub(crate) fn elementwise(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Select
            | Op::Clamp
            | Op::Convert
            | Op::ReducePrecision { .. }
    )
}

/// The constant behind a value.
pub(crate) fn literal(func: &Func, value: ValueId) -> Option<&Literal> {
    match &func.def(value)?.1.op {
        Op::Constant(literal) => Some(literal),
        _ => None,
    }
}

/// What `op`, which only moves elements, makes of a constant, at any size; a constant of one
/// repeated element stays that, a reshape shares the data, and only reversals are evaluated.
pub(crate) fn moved(
    fold: Option<&dyn Fold>,
    literal: &Literal,
    op: Op,
    ty: &TensorType,
) -> Option<Literal> {
    if literal.ty().quant.is_some() || ty.quant.is_some() {
        return None;
    }
    let shape = ty.shape().ok()?;
    if let Some(element) = literal.as_splat() {
        return Literal::splat(element.clone(), &shape).ok();
    }
    if op == Op::Reshape {
        return literal.stored().reshaped(shape).ok().map(Literal::dense);
    }
    if let Op::Transpose { permutation } = &op {
        return permuted(literal.stored(), permutation).ok()?.map(Literal::dense);
    }
    let mut b = FuncBuilder::new("main");
    let source = b.literal(literal.clone()).ok()?;
    let result = b.push_typed(op, &[source], &[], &[Type::Tensor(ty.clone())]).ok()?;
    let alone = Module { funcs: vec![b.finish(&result)], ..Module::default() };
    let tensor = fold?.evaluate(&alone).ok()?.into_iter().next()?;
    let literal = Literal::dense(tensor);
    (literal.ty() == ty).then_some(literal)
}

/// Whether a region holds nothing but arithmetic, which can be copied.
pub(crate) fn simple(func: &Func, region: BlockId) -> bool {
    let block = &func.blocks[region];
    let plain = |&id: &InstId| {
        let op = &func.insts[id].op;
        elementwise(op) || matches!(op, Op::Constant(_))
    };
    block.insts.iter().all(plain)
}

/// A copy of a region without regions inside, to be given to one new instruction.
///
/// # Errors
/// INTERNAL when the copy is not valid.
pub(crate) fn copied(patch: &mut Patch<'_>, region: BlockId) -> Result<BlockId> {
    let block = patch.func().blocks[region].clone();
    let types: Vec<Type> = block.params.iter().map(|&v| patch.func().ty(v).clone()).collect();
    let copy = patch.new_block(&types);
    let mut values: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    values.extend(block.params.iter().copied().zip(patch.func().blocks[copy].params.clone()));
    for id in block.insts {
        if patch.block_of(id).is_none() {
            continue;
        }
        let inst = patch.func().insts[id].clone();
        let operands: Vec<ValueId> =
            inst.operands.iter().map(|v| *values.get(v).unwrap_or(v)).collect();
        let types: Vec<Type> = inst.results.iter().map(|&v| patch.func().ty(v).clone()).collect();
        let results = patch.append(copy, inst.op, &operands, Some(&types))?;
        values.extend(inst.results.iter().copied().zip(results));
    }
    let returns: Vec<ValueId> = block.results.iter().map(|v| *values.get(v).unwrap_or(v)).collect();
    patch.set_returns(copy, &returns);
    Ok(copy)
}
