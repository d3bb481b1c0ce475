//! Batch normalisation in elementwise operations and reductions, which fuse with what is around.
//!
//! ```text
//! %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) …
//! // ==>
//! (x - mean) * (rsqrt(variance + epsilon) * scale) + offset
//! ```
//!
//! The order of operations is that of Ioffe and Szegedy's formula as training frameworks' kernels
//! compute it; 16-bit types are computed in single precision. The interpreter computes in double
//! precision, so that the last bits differ.
//!
//! Terminates: nothing makes these operations.

use tfjit_base::{DType, Result};
use tfjit_hlo::{
    Binary, Dims, Func, InstId, Literal, Module, Op, Patch, TensorType, Type, Unary, ValueId,
};

use crate::insert::{Insert, float};
use crate::{Changed, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct DecomposeBatchNorm;

impl Pass for DecomposeBatchNorm {
    const NAME: &'static str = "decompose-batch-norm";
    const DOC: &'static str = "batch normalisation as elementwise operations and reductions";
    const EXACT: bool = false;

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            let found: Vec<InstId> = func.walk();
            let found: Vec<InstId> = found.into_iter().filter(|&id| reach(func, id)).collect();
            let mut patch = Patch::new(func, ctx.fuel);
            for id in found {
                if !patch.begin("batch normalisation") {
                    break;
                }
                let values = decomposed(&mut patch, id)?;
                patch.replace(id, &values)?;
                changed = true;
            }
        }
        Ok(Changed::when(changed))
    }
}

/// Whether an instruction is a batch normalisation of plain elements that are there.
fn reach(func: &Func, id: InstId) -> bool {
    let inst = &func.insts[id];
    let found = matches!(
        inst.op,
        Op::BatchNormInference { .. } | Op::BatchNormTraining { .. } | Op::BatchNormGrad { .. }
    );
    let plain = |&v: &ValueId| {
        func.tensor_ty(v).is_some_and(|ty| {
            let usual = matches!(ty.dtype, DType::F64 | DType::F32 | DType::BF16 | DType::F16);
            usual && ty.is_static() && ty.quant.is_none() && !ty.dims.contains(&0)
        })
    };
    found && inst.operands.iter().chain(&inst.results).all(plain)
}

fn decomposed(patch: &mut Patch<'_>, id: InstId) -> Result<Vec<ValueId>> {
    let inst = &patch.func().insts[id];
    let (op, operands, results) = (inst.op.clone(), inst.operands.clone(), inst.results.clone());
    let (epsilon, feature) = match op {
        Op::BatchNormInference { epsilon, feature_index }
        | Op::BatchNormTraining { epsilon, feature_index }
        | Op::BatchNormGrad { epsilon, feature_index } => (f64::from(epsilon), feature_index),
        _ => return Err(tfjit_base::Error::internal("no batch normalisation")),
    };
    let mut at = Insert { patch, anchor: id };
    let given = at.ty(operands[0])?;
    let dtype = if given.dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let wide = given.with_dtype(dtype);
    let mut xs = Vec::with_capacity(operands.len());
    for &x in &operands {
        xs.push(at.convert(x, &wide)?);
    }
    let mut norm = Norm { at, wide, feature, epsilon };
    let values = match op {
        Op::BatchNormInference { .. } => vec![norm.inference(&xs)?],
        Op::BatchNormTraining { .. } => norm.training(&xs)?,
        _ => norm.grad(&xs)?,
    };
    let mut out = Vec::with_capacity(values.len());
    for (&value, &result) in values.iter().zip(&results) {
        let ty = norm.at.ty(result)?;
        out.push(norm.at.convert(value, &ty)?);
    }
    Ok(out)
}

/// A batch normalisation that is being written out.
struct Norm<'p, 'f> {
    at: Insert<'p, 'f>,
    /// The type of the operand while it is computed with.
    wide: TensorType,
    feature: i64,
    epsilon: f64,
}

impl Norm<'_, '_> {
    /// A vector with an element a feature in every position of the operand.
    fn along(&mut self, x: ValueId) -> Result<ValueId> {
        self.at.broadcast(x, &self.wide, &[self.feature])
    }

    /// `rsqrt(variance + epsilon)`.
    fn inverse(&mut self, variance: ValueId) -> Result<ValueId> {
        let shifted = self.at.with_number(Binary::Add, variance, self.epsilon)?;
        self.at.unary(Unary::Rsqrt, shifted)
    }

    /// The sums over all but the feature dimension.
    fn sums(&mut self, x: ValueId) -> Result<ValueId> {
        let dimensions: Dims =
            (0..self.wide.rank() as i64).filter(|&d| d != self.feature).collect();
        let scalar = TensorType::scalar(self.wide.dtype);
        let zero = self.at.literal(Literal::dense(float(&scalar, 0.0)?))?;
        let scalar = Type::Tensor(scalar);
        let patch = &mut *self.at.patch;
        let block = patch.new_block(&[scalar.clone(), scalar]);
        let params = patch.func().blocks[block].params.clone();
        let sum = patch.append(block, Op::Binary(Binary::Add), &params, None)?;
        patch.set_returns(block, &sum);
        let op = Op::Reduce { dimensions };
        Ok(patch.insert_with_regions(self.at.anchor, op, &[x, zero], &[block])?[0])
    }

    /// Number of elements a feature has.
    fn count(&self) -> f64 {
        let others = (0..).zip(&self.wide.dims).filter(|&(d, _)| d != self.feature);
        others.map(|(_, &n)| n as f64).product()
    }

    fn normalised(
        &mut self,
        centred: ValueId,
        [scale, offset, variance]: [ValueId; 3],
    ) -> Result<ValueId> {
        let inverse = self.inverse(variance)?;
        let factor = self.at.binary(Binary::Multiply, inverse, scale)?;
        let factor = self.along(factor)?;
        let offset = self.along(offset)?;
        let scaled = self.at.binary(Binary::Multiply, centred, factor)?;
        self.at.binary(Binary::Add, scaled, offset)
    }

    fn centred(&mut self, x: ValueId, mean: ValueId) -> Result<ValueId> {
        let mean = self.along(mean)?;
        self.at.binary(Binary::Subtract, x, mean)
    }

    /// Of operand, scale, offset, mean and variance.
    fn inference(&mut self, xs: &[ValueId]) -> Result<ValueId> {
        let centred = self.centred(xs[0], xs[3])?;
        self.normalised(centred, [xs[1], xs[2], xs[4]])
    }

    /// Of operand, scale and offset: the output, mean and biased variance.
    fn training(&mut self, xs: &[ValueId]) -> Result<Vec<ValueId>> {
        let count = self.count();
        let sum = self.sums(xs[0])?;
        let mean = self.at.with_number(Binary::Divide, sum, count)?;
        let centred = self.centred(xs[0], mean)?;
        let squares = self.at.binary(Binary::Multiply, centred, centred)?;
        let sum = self.sums(squares)?;
        let variance = self.at.with_number(Binary::Divide, sum, count)?;
        Ok(vec![self.normalised(centred, [xs[1], xs[2], variance])?, mean, variance])
    }

    /// Of operand, scale, mean, variance and gradient: gradients of operand, scale and offset.
    /// The statistics depend on the operand, which takes the mean of the gradient and its part
    /// along the normalised operand away.
    fn grad(&mut self, xs: &[ValueId]) -> Result<Vec<ValueId>> {
        let [x, scale, mean, variance, dy] = xs else {
            return Err(tfjit_base::Error::internal("batch_norm_grad has five operands"));
        };
        let count = self.count();
        let inverse = self.inverse(*variance)?;
        let centred = self.centred(*x, *mean)?;
        let products = self.at.binary(Binary::Multiply, *dy, centred)?;
        let covered = self.sums(products)?;
        let d_scale = self.at.binary(Binary::Multiply, covered, inverse)?;
        let d_offset = self.sums(*dy)?;
        let factor = self.at.binary(Binary::Multiply, *scale, inverse)?;
        let dy_mean = self.at.with_number(Binary::Divide, d_offset, count)?;
        let inner = self.centred(*dy, dy_mean)?;
        let slope = self.at.binary(Binary::Multiply, d_scale, inverse)?;
        let slope = self.at.with_number(Binary::Divide, slope, count)?;
        let slope = self.along(slope)?;
        let part = self.at.binary(Binary::Multiply, centred, slope)?;
        let inner = self.at.binary(Binary::Subtract, inner, part)?;
        let factor = self.along(factor)?;
        Ok(vec![self.at.binary(Binary::Multiply, inner, factor)?, d_scale, d_offset])
    }
}
