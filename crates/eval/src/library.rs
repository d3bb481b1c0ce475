//! From the instruction to the function, for what is computed in files of its own: contractions,
//! matrix algebra, spectra, random numbers, indexed access and windows.

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{Convolution, Gather, Op, RngDistribution, TensorType};

use crate::inst::{exact_types, not_pure, result_type};
use crate::linalg::Triangular;
use crate::reducer::Reducer;
use crate::{batch_norm, conv, dot, dynamic, fft, gather, linalg, rng, scatter, select_scatter};

/// Instructions of the classes Contract, Library and Random.
pub(crate) fn eval(op: &Op, x: &[&Tensor], types: &[TensorType]) -> Result<Vec<Tensor>> {
    if let (Op::DynamicConv(conv), &[lhs, rhs, padding]) = (op, x) {
        return dynamic_conv(conv, [lhs, rhs, padding], types);
    }
    let types = exact_types(op, x, types)?;
    let out = result_type(&types)?;
    let one = |result: Result<Tensor>| Ok(vec![result?]);
    match (op, x) {
        (Op::DotGeneral(dims), &[x, y]) => one(dot::dot_general(x, y, dims, out)),
        (Op::Convolution(conv), &[x, y]) => one(conv::convolution(x, y, conv, out)),
        (Op::Cholesky { lower }, &[a]) => one(linalg::cholesky(a, *lower, out)),
        (&Op::TriangularSolve { left_side, lower, unit_diagonal, transpose_a }, &[a, b]) => {
            let how = Triangular { left_side, lower, unit_diagonal, transpose_a };
            one(linalg::triangular_solve(a, b, how, out))
        }
        (Op::Fft { fft_type, fft_length }, &[x]) => one(fft::fft(x, *fft_type, fft_length, out)),
        (
            Op::BatchNormInference { epsilon, feature_index },
            &[x, scale, offset, mean, variance],
        ) => {
            let operands = [x, scale, offset, mean, variance];
            one(batch_norm::batch_norm_inference(operands, *epsilon, *feature_index, out))
        }
        (Op::BatchNormTraining { epsilon, feature_index }, &[x, scale, offset]) => {
            batch_norm::batch_norm_training([x, scale, offset], *epsilon, *feature_index, &types)
        }
        (Op::BatchNormGrad { epsilon, feature_index }, &[x, scale, mean, variance, grad]) => {
            let operands = [x, scale, mean, variance, grad];
            batch_norm::batch_norm_grad(operands, *epsilon, *feature_index, &types)
        }
        (Op::RngBitGenerator { algorithm }, &[state]) => {
            rng::rng_bit_generator(state, *algorithm, &types)
        }
        _ => Err(not_pure(op)),
    }
}

/// The padding is known only now; with it, the result's shape follows as for a static convolution.
fn dynamic_conv(
    conv: &Convolution,
    [lhs, rhs, padding]: [&Tensor; 3],
    types: &[TensorType],
) -> Result<Vec<Tensor>> {
    let pairs = padding.to_i64s()?;
    let fixed = Convolution {
        padding: pairs.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect(),
        ..conv.clone()
    };
    let types = exact_types(&Op::Convolution(Box::new(fixed)), &[lhs, rhs], types)?;
    Ok(vec![conv::dynamic_conv(lhs, rhs, padding, conv, result_type(&types)?)?])
}

/// The gathers.
pub(crate) fn eval_gather(op: &Op, x: &[&Tensor], ty: &TensorType) -> Result<Tensor> {
    let declared = std::slice::from_ref(ty);
    match (op, x) {
        (Op::Gather(dims), &[operand, indices]) => {
            let types = exact_types(op, x, declared)?;
            gather::gather(operand, indices, dims, result_type(&types)?)
        }
        (Op::DynamicGather(dims), &[operand, indices, sizes]) => {
            let slice_sizes = sizes.to_i64s()?.into_iter().collect();
            let fixed = Op::Gather(Box::new(Gather { slice_sizes, ..(**dims).clone() }));
            let types = exact_types(&fixed, &[operand, indices], declared)?;
            gather::dynamic_gather(operand, indices, sizes, dims, result_type(&types)?)
        }
        (Op::TorchIndexSelect { dim, batch_dims }, &[operand, index]) => {
            let types = exact_types(op, x, declared)?;
            gather::torch_index_select(operand, index, *dim, *batch_dims, result_type(&types)?)
        }
        _ => Err(not_pure(op)),
    }
}

/// Instructions with regions over scalars, other than those of [`crate::combine`] itself.
pub(crate) fn eval_region(
    op: &Op,
    x: &[&Tensor],
    first: &mut Reducer<'_>,
    second: Option<&mut Reducer<'_>>,
    types: &[TensorType],
) -> Result<Vec<Tensor>> {
    match (op, x, second) {
        (Op::ReduceWindow(window), x, None) => {
            let (inputs, inits) = x.split_at(x.len() / 2);
            crate::window::reduce_window(inputs, inits, window, first, types)
        }
        (Op::SelectAndScatter(window), &[operand, source, init], Some(scatter)) => {
            let out = result_type(types)?;
            let operands = [operand, source, init];
            let result = select_scatter::select_and_scatter(operands, window, first, scatter, out)?;
            Ok(vec![result])
        }
        (Op::Scatter(dims), x, None) => {
            let n = x.len() / 2;
            let [inputs @ .., indices] = &x[..n + 1] else {
                return Err(Error::invalid_argument("scatter has no indices"));
            };
            scatter::scatter(inputs, indices, &x[n + 1..], dims, first, types)
        }
        _ => {
            Err(Error::invalid_argument(format!("{} has other operands or regions", op.row().name)))
        }
    }
}

/// `rng(a, b, shape)`; the same seed gives the same numbers.
pub(crate) fn eval_rng(
    distribution: RngDistribution,
    seed: u64,
    x: &[&Tensor],
    ty: &TensorType,
) -> Result<Tensor> {
    let &[a, b, shape] = x else {
        return Err(Error::invalid_argument("rng takes three operands"));
    };
    let out = ty.with_dims(&dynamic::shape_value(shape)?.to_i64());
    rng::rng(a, b, distribution, seed, &out)
}
