//! Multiplies scales of a layer's result into its weights and adds what is added once.
//!
//! Behind a convolution or a dot product with constant weights, multiplications, divisions,
//! additions and subtractions by constants that vary along output features alone, and batch
//! normalisations of constants, are `y * scale + shift` for each feature. The scale goes into the
//! weights, in double precision and rounded once; the shift is one addition. Large weights are not
//! copied for that: their scale is one multiplication, of few results in proportion to the sums
//! behind each, and the weights stay the memory of the file that all programs share.
//!
//! ```text
//! %0 = stablehlo.convolution(%x, %weights) …
//! %1 = stablehlo.subtract %0, %mean
//! %2 = stablehlo.multiply %1, %factor
//! %3 = stablehlo.add %2, %offset
//! // ==>
//! %0 = stablehlo.convolution(%x, %weights * factor) …
//! %1 = stablehlo.add %0, %(offset - mean * factor)
//! ```
//!
//! This is the one pass that reassociates: `(x * w) * s` is not `x * (w * s)` in the last bits.
//! Every usual inference compiler does it, and it is only done for `f32`, when nobody else uses
//! what is in between, and when all numbers stay finite. It is not among the passes of the
//! interpreter, which is the oracle.
//!
//! Terminates: each rewrite leaves fewer operations behind a layer.

mod feature;

use tfjit_base::{AlignedBytes, DType, Result, Shape, Tensor};
use tfjit_hlo::{
    Binary, Dims, Func, InstId, Literal, Module, Op, Patch, TensorType, Unary, User, ValueId,
};

use crate::insert::{Insert, literal};
use crate::{Changed, Pass, PassCtx};
use feature::Features;

/// Elements of weights up to which they are copied: to write fresh memory costs more than the
/// multiplications of many launches, and each shape that is compiled would do it again.
const COPIED_WEIGHTS_MAX: usize = 1 << 16;

/// The pass.
#[derive(Default)]
pub struct FoldBatchNorm;

impl Pass for FoldBatchNorm {
    const NAME: &'static str = "fold-batch-norm";
    const DOC: &'static str = "multiplies scales of a layer's result into its weights";
    const EXACT: bool = false;

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            let layer = |op: &Op| matches!(op, Op::Convolution(_) | Op::DotGeneral(_));
            let layers: Vec<InstId> =
                func.walk().into_iter().filter(|&id| layer(&func.insts[id].op)).collect();
            if layers.is_empty() {
                continue;
            }
            let mut patch = Patch::new(func, ctx.fuel);
            for id in layers {
                changed |= fold(&mut patch, id)?;
            }
        }
        Ok(Changed::when(changed))
    }
}

/// A contraction with constant weights.
struct Layer {
    /// Which operand the weights are.
    operand: usize,
    weights: Literal,
    features: Features,
    /// The weights' dimensions that belong to features, in their order.
    weight_dims: Dims,
    out: TensorType,
}

fn f32s(func: &Func, value: ValueId) -> Option<&TensorType> {
    func.tensor_ty(value).filter(|ty| {
        let full = ty.is_static() && !ty.dims.contains(&0);
        ty.dtype == DType::F32 && ty.quant.is_none() && full
    })
}

fn layer(patch: &Patch<'_>, id: InstId) -> Option<Layer> {
    let func = patch.func();
    let inst = &func.insts[id];
    let out = f32s(func, *inst.results.first()?)?.clone();
    inst.operands.iter().all(|&v| f32s(func, v).is_some()).then_some(())?;
    let weights = |operand: usize| literal(func, inst.operands[operand]).cloned();
    match &inst.op {
        Op::Convolution(conv) => {
            let d = conv.output_feature_dimension as usize;
            let weight_dims = Dims::from_slice(&[conv.kernel_output_feature_dimension]);
            let features = Features::new(&out, d..d + 1);
            Some(Layer { operand: 1, weights: weights(1)?, features, weight_dims, out })
        }
        Op::DotGeneral(dot) => {
            let operand = if literal(func, inst.operands[1]).is_some() { 1 } else { 0 };
            let (batching, contracting) = match operand {
                1 => (&dot.rhs_batching_dimensions, &dot.rhs_contracting_dimensions),
                _ => (&dot.lhs_batching_dimensions, &dot.lhs_contracting_dimensions),
            };
            let weights = weights(operand)?;
            let used = |d: &i64| batching.contains(d) || contracting.contains(d);
            let weight_dims: Dims = (0..weights.ty().rank() as i64).filter(|d| !used(d)).collect();
            let start = match operand {
                1 => out.rank() - weight_dims.len(),
                _ => batching.len(),
            };
            let features = Features::new(&out, start..start + weight_dims.len());
            Some(Layer { operand, weights, features, weight_dims, out })
        }
        _ => None,
    }
}

/// What is done to a layer's result, as `y * scale + shift` for each feature.
struct Affine {
    scale: Vec<f64>,
    shift: Vec<f64>,
    /// The last instruction of the chain.
    last: Option<InstId>,
    links: usize,
    scaled: bool,
}

impl Affine {
    fn multiply(&mut self, by: impl Fn(usize) -> f64) {
        for (i, (a, b)) in self.scale.iter_mut().zip(&mut self.shift).enumerate() {
            (*a, *b) = (*a * by(i), *b * by(i));
        }
        self.scaled = true;
    }

    fn add(&mut self, what: impl Fn(usize) -> f64) {
        self.shift.iter_mut().enumerate().for_each(|(i, b)| *b += what(i));
    }

    /// Whether rewriting leaves fewer operations, and all numbers are finite; `kept` says that the
    /// scale stays an operation.
    fn worth(&self, kept: bool) -> bool {
        let finite = self.scale.iter().chain(&self.shift).all(|&x| (x as f32).is_finite());
        let left = usize::from(self.shifts()) + usize::from(kept);
        finite && self.links > left
    }

    fn shifts(&self) -> bool {
        self.shift.iter().any(|&b| b != 0.0)
    }
}

/// The only user of the only result of an instruction, which has it as an operand once.
fn only_user(patch: &Patch<'_>, id: InstId) -> Option<(InstId, ValueId)> {
    let value = *patch.func().insts[id].results.first()?;
    if patch.use_count(value) != 1 {
        return None;
    }
    match patch.uses(value).first()?.user {
        User::Inst(user) if patch.block_of(user) == patch.block_of(id) => Some((user, value)),
        _ => None,
    }
}

/// The chain of operations by constants behind a layer.
fn chain(patch: &Patch<'_>, id: InstId, layer: &Layer) -> Affine {
    let n = layer.features.count();
    let (scale, shift) = (vec![1.0; n], vec![0.0; n]);
    let mut affine = Affine { scale, shift, last: None, links: 0, scaled: false };
    let mut at = id;
    while let Some((user, value)) = only_user(patch, at) {
        if link(patch.func(), user, value, &layer.features, &mut affine).is_none() {
            break;
        }
        (affine.last, affine.links, at) = (Some(user), affine.links + 1, user);
    }
    affine
}

/// Takes one operation on `value` into the chain, if it is one of the kind.
fn link(
    func: &Func,
    user: InstId,
    value: ValueId,
    features: &Features,
    affine: &mut Affine,
) -> Option<()> {
    let inst = &func.insts[user];
    let other = |i: usize| features.values(func, inst.operands[i]);
    match inst.op {
        Op::Unary(Unary::Negate) => affine.multiply(|_| -1.0),
        Op::Binary(op) => {
            let first = inst.operands[0] == value;
            let c = other(usize::from(first))?;
            match (op, first) {
                (Binary::Add, _) => affine.add(|i| c[i]),
                (Binary::Multiply, _) => affine.multiply(|i| c[i]),
                (Binary::Subtract, true) => affine.add(|i| -c[i]),
                (Binary::Subtract, false) => {
                    affine.multiply(|_| -1.0);
                    affine.add(|i| c[i]);
                }
                (Binary::Divide, true) => affine.multiply(|i| 1.0 / c[i]),
                _ => return None,
            }
        }
        Op::BatchNormInference { epsilon, feature_index } if inst.operands[0] == value => {
            let all = |i: usize| features.along(func, inst.operands[i], feature_index);
            let (scale, offset, mean, variance) = (all(1)?, all(2)?, all(3)?, all(4)?);
            affine.add(|i| -mean[i]);
            affine.multiply(|i| scale[i] / (variance[i] + f64::from(epsilon)).sqrt());
            affine.add(|i| offset[i]);
            // As many operations as it would be in arithmetic.
            affine.links += 2;
        }
        _ => return None,
    }
    Some(())
}

fn fold(patch: &mut Patch<'_>, id: InstId) -> Result<bool> {
    let Some(layer) = layer(patch, id) else { return Ok(false) };
    let affine = chain(patch, id, &layer);
    let kept = affine.scaled && layer.weights.stored().elements() > COPIED_WEIGHTS_MAX;
    let (true, Some(last)) = (affine.worth(kept), affine.last) else { return Ok(false) };
    let weights = match affine.scaled && !kept {
        true => match scaled(&layer, &affine.scale)? {
            Some(weights) => Some(weights),
            None => return Ok(false),
        },
        false => None,
    };
    if !patch.begin("scale of a layer's result") {
        return Ok(false);
    }
    let inst = &patch.func().insts[id];
    let (op, mut operands) = (inst.op.clone(), inst.operands.clone());
    let mut at = Insert { patch, anchor: id };
    if let Some(weights) = weights {
        operands[layer.operand] = at.literal(weights)?;
    }
    let mut y = at.typed(op, &operands, layer.out.clone())?;
    if kept {
        let scale = row(&mut at, &layer, &affine.scale)?;
        y = at.binary(Binary::Multiply, y, scale)?;
    }
    if affine.shifts() {
        let shift = row(&mut at, &layer, &affine.shift)?;
        y = at.binary(Binary::Add, y, shift)?;
    }
    remove(patch, id, last, y)?;
    Ok(true)
}

/// A number a feature, for each element of a layer's result.
fn row(at: &mut Insert<'_, '_>, layer: &Layer, numbers: &[f64]) -> Result<ValueId> {
    let numbers: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
    let tensor = Tensor::from_slice(layer.features.shape(), &numbers)?;
    let value = at.literal(Literal::dense(tensor))?;
    at.broadcast(value, &layer.out, &layer.features.dims())
}

/// Puts `value` in the place of the result of `last`, and takes away the chain from `id` to it.
fn remove(patch: &mut Patch<'_>, id: InstId, last: InstId, value: ValueId) -> Result<()> {
    let mut links = vec![id];
    let mut at = id;
    while at != last {
        let Some((user, _)) = only_user(patch, at) else { break };
        links.push(user);
        at = user;
    }
    patch.replace(last, &[value])?;
    links.pop();
    links.into_iter().rev().try_for_each(|link| patch.erase(link))
}

/// The weights times the scale of each element's feature; `None` when one is not finite.
fn scaled(layer: &Layer, scale: &[f64]) -> Result<Option<Literal>> {
    let tensor = layer.weights.to_tensor()?;
    let shape: Shape = tensor.shape().clone();
    let strides = layer.features.strides_in(&shape, &layer.weight_dims);
    let weights = tensor.as_slice::<f32>()?;
    let mut bytes = AlignedBytes::zeroed(weights.len() * size_of::<f32>())?;
    let out: &mut [f32] = bytemuck::cast_slice_mut(bytes.as_mut());
    let inner = shape.dims().last().copied().unwrap_or(1).max(1);
    let step = strides.last().copied().unwrap_or(0);
    // The feature of the first element of each row of the last dimension, counted up.
    let mut position = vec![0usize; shape.rank().saturating_sub(1)];
    for (to, row) in out.chunks_mut(inner).zip(weights.chunks(inner)) {
        let first: usize = position.iter().zip(&strides).map(|(&p, &s)| p * s).sum();
        let pairs = to.iter_mut().zip(row);
        if step == 1 {
            for ((to, &w), &s) in pairs.zip(&scale[first..]) {
                *to = (f64::from(w) * s) as f32;
            }
        } else {
            for (i, (to, &w)) in pairs.enumerate() {
                *to = (f64::from(w) * scale[first + i * step]) as f32;
            }
        }
        for d in (0..position.len()).rev() {
            position[d] += 1;
            if position[d] < shape[d] {
                break;
            }
            position[d] = 0;
        }
    }
    let broken = out.iter().zip(weights.iter()).any(|(new, old)| {
        // What was not finite before may stay so.
        !new.is_finite() && old.is_finite()
    });
    // From now on the product is read.
    tensor.let_go();
    match broken {
        true => Ok(None),
        false => Ok(Some(Literal::dense(Tensor::new(DType::F32, shape, bytes)?))),
    }
}
