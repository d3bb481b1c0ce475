//! Brings convolutions into one form: two spatial dimensions, input and result in the order
//! (batch, height, width, feature), kernel in the order (height, width, input feature, output
//! feature), no dilated input, no reversed window, no batch groups.
//!
//! Other orders become transposes around the convolution, which `sink-moves` brings together; those
//! of a constant kernel are done here. One spatial dimension is two, the first of extent 1. A
//! dilated input is padded inside, unless the kernel is a constant that is infinite or NaN
//! somewhere, which would meet a zero where it met nothing; kernels that are computed are taken to
//! be finite. Three and more spatial dimensions are left alone. The terms of a sum are the same;
//! whoever computes them may add them in another order, so that last bits may differ.
//!
//! ```text
//! %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], …
//! // ==>
//! %0 = stablehlo.transpose %x, dims = [0, 2, 3, 1]
//! %1 = stablehlo.transpose %k, dims = [2, 3, 1, 0]
//! %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], …
//! %3 = stablehlo.transpose %2, dims = [0, 3, 1, 2]
//! ```
//!
//! Terminates: a convolution of the form is never touched but for its kernel, where moves of a
//! constant become constants.

use tfjit_base::{Result, Shape, Tensor};
use tfjit_hlo::{Convolution, Dims, Func, InstId, Literal, Module, Op, Patch, TensorType, ValueId};

use crate::insert::{Insert, in_order, inverse, literal, moved};
use crate::{Changed, Fold, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct CanonicalizeConvolution;

impl Pass for CanonicalizeConvolution {
    const NAME: &'static str = "canonicalize-convolution";
    const DOC: &'static str = "brings convolutions into the order NHWC and HWIO";
    const EXACT: bool = false;

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            changed |= canonicalize(func, ctx)?;
        }
        Ok(Changed::when(changed))
    }
}

fn canonicalize(func: &mut Func, ctx: &PassCtx<'_>) -> Result<bool> {
    let convolution = |id: &InstId, f: &Func| matches!(f.insts[*id].op, Op::Convolution(_));
    let found: Vec<InstId> = func.walk().into_iter().filter(|id| convolution(id, func)).collect();
    if found.is_empty() {
        return Ok(false);
    }
    let mut patch = Patch::new(func, ctx.fuel);
    let mut changed = false;
    for id in found {
        let inst = &patch.func().insts[id];
        let Op::Convolution(conv) = &inst.op else { continue };
        let (conv, x, kernel) = (conv.as_ref().clone(), inst.operands[0], inst.operands[1]);
        let out = inst.results[0];
        if !in_reach(patch.func(), [x, kernel, out]) {
            continue;
        }
        let dilated = conv.lhs_dilation.iter().any(|&d| d != 1);
        if dilated && is_known_infinite(patch.func(), kernel) {
            continue;
        }
        if canonical(&conv, x_rank(patch.func(), x)) {
            changed |= constant_kernel(&mut patch, id, kernel, ctx.fold)?;
            continue;
        }
        if !patch.begin("convolution of another form") {
            break;
        }
        let out = patch.func().tensor_ty(out).cloned();
        let mut at = Insert { patch: &mut patch, anchor: id };
        let Some(out) = out else { continue };
        let value = rewritten(&mut at, conv, x, kernel, &out, ctx.fold)?;
        patch.replace(id, &[value])?;
        changed = true;
    }
    Ok(changed)
}

/// Whether a value is a constant, or one that was moved, with an element that is not finite.
fn is_known_infinite(func: &Func, mut value: ValueId) -> bool {
    while let Some((_, inst)) = func.def(value) {
        match &inst.op {
            Op::Transpose { .. } | Op::Reverse { .. } | Op::Reshape => value = inst.operands[0],
            Op::Constant(literal) => {
                let stored = literal.stored();
                return match stored.as_slice::<f32>() {
                    Ok(numbers) => numbers.iter().any(|x| !x.is_finite()),
                    _ => stored.to_f64s().is_ok_and(|list| list.iter().any(|x| !x.is_finite())),
                };
            }
            _ => return false,
        }
    }
    false
}

fn x_rank(func: &Func, x: ValueId) -> usize {
    func.tensor_ty(x).map_or(0, TensorType::rank)
}

/// Whether types are static, plain, not empty, and of at most two spatial dimensions.
fn in_reach(func: &Func, values: [ValueId; 3]) -> bool {
    values.into_iter().all(|value| {
        func.tensor_ty(value).is_some_and(|ty| {
            let full = ty.is_static() && !ty.dims.contains(&0);
            full && ty.quant.is_none() && (2..=4).contains(&ty.rank())
        })
    })
}

/// The dimension numbers of the form.
fn form(conv: &mut Convolution) {
    let spatial = Dims::from_slice(&[1, 2]);
    (conv.input_batch_dimension, conv.input_feature_dimension) = (0, 3);
    (conv.output_batch_dimension, conv.output_feature_dimension) = (0, 3);
    (conv.kernel_input_feature_dimension, conv.kernel_output_feature_dimension) = (2, 3);
    conv.input_spatial_dimensions = spatial.clone();
    conv.output_spatial_dimensions = spatial;
    conv.kernel_spatial_dimensions = Dims::from_slice(&[0, 1]);
}

fn canonical(conv: &Convolution, rank: usize) -> bool {
    let mut want = conv.clone();
    form(&mut want);
    let plain = conv.lhs_dilation.iter().all(|&d| d == 1)
        && !conv.window_reversal.contains(&true)
        && conv.batch_group_count == 1;
    rank == 4 && plain && want == *conv
}

/// Puts the constant that moves of a constant make in the place of a convolution's kernel.
fn constant_kernel(
    patch: &mut Patch<'_>,
    id: InstId,
    kernel: ValueId,
    fold: Option<&dyn Fold>,
) -> Result<bool> {
    let Some((_, inst)) = patch.func().def(kernel) else { return Ok(false) };
    let (op, ty) = (inst.op.clone(), patch.func().tensor_ty(kernel).cloned());
    let moves = matches!(op, Op::Transpose { .. } | Op::Reverse { .. } | Op::Reshape);
    let source = if moves { literal(patch.func(), inst.operands[0]) } else { None };
    let (Some(source), Some(ty)) = (source, ty) else { return Ok(false) };
    let Some(kernel) = moved(fold, source, op, &ty) else { return Ok(false) };
    if !patch.begin("constant kernel") {
        return Ok(false);
    }
    let value = Insert { patch, anchor: id }.literal(kernel)?;
    patch.set_operand(id, 1, value);
    Ok(true)
}

/// The convolution in the form, and what leads to it and back.
fn rewritten(
    at: &mut Insert<'_, '_>,
    mut conv: Convolution,
    x: ValueId,
    kernel: ValueId,
    out: &TensorType,
    fold: Option<&dyn Fold>,
) -> Result<ValueId> {
    let special = [conv.input_batch_dimension, conv.input_feature_dimension];
    let order = order(&special[..1], &conv.input_spatial_dimensions, &special[1..]);
    let x = image(at, &mut conv, x, &order)?;
    let kernel = kernel_of(at, &mut conv, kernel, fold)?;
    let special = [conv.output_batch_dimension, conv.output_feature_dimension];
    let back = self::order(&special[..1], &conv.output_spatial_dimensions, &special[1..]);
    form(&mut conv);
    let result: Vec<i64> = back.iter().map(|&d| out.dims[d as usize]).collect();
    let y = at.typed(Op::Convolution(Box::new(conv)), &[x, kernel], {
        out.with_dims(&with_two_spatial(&result, 1))
    })?;
    let y = at.reshape(y, &result)?;
    at.transpose(y, &inverse(&back))
}

/// Which dimension of a tensor is the first, second, … of the form.
fn order(first: &[i64], spatial: &[i64], last: &[i64]) -> Dims {
    first.iter().chain(spatial).chain(last).copied().collect()
}

/// `dims`, in the order of the form, with dimensions of extent 1 before the spatial ones, which
/// start at `at`, so that there are two.
fn with_two_spatial(dims: &[i64], at: usize) -> Vec<i64> {
    let more = 4 - dims.len();
    let mut out = dims.to_vec();
    out.splice(at..at, std::iter::repeat_n(1, more));
    out
}

/// The value and the permutation behind a value that may be transposed.
fn untransposed(func: &Func, x: ValueId, order: &Dims) -> (ValueId, Dims) {
    match func.def(x).map(|(_, inst)| (&inst.op, &inst.operands)) {
        Some((Op::Transpose { permutation }, operands)) => {
            (operands[0], order.iter().map(|&d| permutation[d as usize]).collect())
        }
        _ => (x, order.clone()),
    }
}

/// The input in the form, without dilation and batch groups.
fn image(
    at: &mut Insert<'_, '_>,
    conv: &mut Convolution,
    x: ValueId,
    order: &Dims,
) -> Result<ValueId> {
    let (x, order) = untransposed(at.patch.func(), x, order);
    let mut x = at.transpose(x, &order)?;
    let more = 4 - order.len();
    let ty = at.ty(x)?;
    x = at.reshape(x, &with_two_spatial(&ty.dims, 1))?;
    for list in [&mut conv.window_strides, &mut conv.lhs_dilation, &mut conv.rhs_dilation] {
        list.insert_many(0, std::iter::repeat_n(1, more));
    }
    conv.padding.splice(0..0, std::iter::repeat_n([0, 0], more));
    conv.window_reversal.splice(0..0, std::iter::repeat_n(false, more));
    if conv.lhs_dilation.iter().any(|&d| d != 1) {
        let inside = Dims::from_slice(&[0, conv.lhs_dilation[0] - 1, conv.lhs_dilation[1] - 1, 0]);
        let nothing = Dims::from_elem(0, 4);
        let op = Op::Pad {
            edge_padding_low: nothing.clone(),
            edge_padding_high: nothing,
            interior_padding: inside,
        };
        let zero = Literal::dense(Tensor::zeros(ty.dtype, Shape::scalar())?);
        let zero = at.literal(zero)?;
        x = at.op(op, &[x, zero])?;
        conv.lhs_dilation = Dims::from_elem(1, 2);
    }
    let groups = std::mem::replace(&mut conv.batch_group_count, 1);
    if groups > 1 {
        // Group g is the g-th part of the batch; now it is the g-th part of the features.
        let dims = at.ty(x)?.dims;
        let (n, h, w, c) = (dims[0] / groups, dims[1], dims[2], dims[3]);
        x = at.reshape(x, &[groups, n, h, w, c])?;
        x = at.transpose(x, &[1, 2, 3, 0, 4])?;
        x = at.reshape(x, &[n, h, w, groups * c])?;
        conv.feature_group_count = groups;
    }
    Ok(x)
}

/// The kernel in the form, its spatial dimensions reversed if the window is.
fn kernel_of(
    at: &mut Insert<'_, '_>,
    conv: &mut Convolution,
    kernel: ValueId,
    fold: Option<&dyn Fold>,
) -> Result<ValueId> {
    let special = [conv.kernel_input_feature_dimension, conv.kernel_output_feature_dimension];
    let order = order(&[], &conv.kernel_spatial_dimensions, &special);
    let (kernel, order) = untransposed(at.patch.func(), kernel, &order);
    let mut ty = at.ty(kernel)?;
    ty = ty.with_dims(&order.iter().map(|&d| ty.dims[d as usize]).collect::<Dims>());
    let mut steps = Vec::new();
    if !in_order(&order) {
        steps.push((Op::Transpose { permutation: order.clone() }, ty.clone()));
    }
    if order.len() < 4 {
        ty = ty.with_dims(&with_two_spatial(&ty.dims, 0));
        steps.push((Op::Reshape, ty.clone()));
    }
    let reversed: Dims = (0..2).filter(|&d| conv.window_reversal[d as usize]).collect();
    if !reversed.is_empty() {
        steps.push((Op::Reverse { dimensions: reversed }, ty));
        conv.window_reversal = vec![false; 2];
    }
    let mut constant = literal(at.patch.func(), kernel).cloned();
    for (op, ty) in &steps {
        constant = constant.and_then(|literal| moved(fold, &literal, op.clone(), ty));
    }
    match constant {
        Some(constant) if !steps.is_empty() => at.literal(constant),
        _ => steps.into_iter().try_fold(kernel, |kernel, (op, ty)| at.typed(op, &[kernel], ty)),
    }
}
