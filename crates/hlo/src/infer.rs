//! Shape rules: the result types of an operation, from its operands' types, regions and attributes.
//!
//! One file a family; each rule follows the constraints of StableHLO's specification. Rules see
//! types only: never values, never other instructions. All arithmetic is checked, since attributes
//! and extents come from files.

mod communicate;
mod constants;
mod contract;
mod control;
mod dynamic;
mod elementwise;
mod extent;
mod index;
mod library;
mod moves;
mod reduce;
mod rule;
mod types;
mod window;

#[cfg(test)]
mod tests;

use tfjit_base::Result;

use crate::{Func, Op, Type};
pub(crate) use rule::Rule;
pub(crate) use types::{accepts, check_type};

/// What a shape rule sees of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionSig {
    /// Types of the region's parameters.
    pub params: Vec<Type>,
    /// Types the region returns.
    pub results: Vec<Type>,
}

/// The result types of `op`. Where operands do not determine them (`reshape`, `convert`, `iota`,
/// calls, …) `declared` must hold them and is checked; where they do, `declared`, if given, must be
/// compatible and the more exact of the two is returned.
///
/// # Errors
/// INVALID_ARGUMENT naming the operation and the rule of StableHLO's specification that is broken.
pub fn infer(
    op: &Op,
    operands: &[&Type],
    regions: &[RegionSig],
    declared: Option<&[Type]>,
) -> Result<Vec<Type>> {
    let row = op.row();
    let rule = Rule { name: row.name, operands, regions, declared };
    rule.counts(&row)?;
    rule.inputs()?;
    let types = dispatch(op, &rule)?;
    rule.outcome(types)
}

/// The rule of each operation.
fn dispatch(op: &Op, r: &Rule<'_>) -> Result<Vec<Type>> {
    use Op::*;
    match op {
        Constant(literal) => constants::constant(r, literal),
        Iota { dimension } => constants::iota(r, *dimension),
        DynamicIota { dimension } => dynamic::iota(r, *dimension),
        PartitionId | ReplicaId => constants::process_id(r),
        Unary(unary) => elementwise::unary(r, *unary),
        Binary(binary) => elementwise::binary(r, *binary),
        Compare { compare_type, .. } => elementwise::compare(r, *compare_type),
        Select => elementwise::select(r),
        Clamp => elementwise::clamp(r),
        Convert => elementwise::convert(r),
        BitcastConvert => elementwise::bitcast_convert(r),
        ReducePrecision { exponent_bits: e, mantissa_bits: m } => elementwise::precision(r, *e, *m),
        UniformQuantize => elementwise::quantize(r),
        UniformDequantize => elementwise::dequantize(r),
        Map { dimensions } => elementwise::map(r, dimensions),
        BroadcastInDim { broadcast_dimensions } => moves::broadcast(r, broadcast_dimensions),
        DynamicBroadcastInDim {
            broadcast_dimensions: dims,
            known_expanding_dimensions: expanding,
            known_nonexpanding_dimensions: fixed,
        } => dynamic::broadcast(r, dims, [expanding.as_ref(), fixed.as_ref()]),
        Reshape => moves::reshape(r),
        DynamicReshape => dynamic::reshape(r),
        Transpose { permutation } => moves::transpose(r, permutation),
        Reverse { dimensions } => moves::reverse(r, dimensions),
        Concatenate { dimension } => moves::concatenate(r, *dimension),
        Slice { start_indices: s, limit_indices: l, strides: t } => moves::slice(r, [s, l, t]),
        DynamicSlice { slice_sizes } => index::dynamic_slice(r, slice_sizes),
        RealDynamicSlice => dynamic::slice(r),
        DynamicUpdateSlice => index::dynamic_update_slice(r),
        Pad { edge_padding_low: l, edge_padding_high: h, interior_padding: i } => {
            moves::pad(r, [l, h, i])
        }
        DynamicPad => dynamic::pad(r),
        Gather(gather) => index::gather(r, gather),
        DynamicGather(gather) => dynamic::gather(r, gather),
        TorchIndexSelect { dim, batch_dims } => index::torch_index_select(r, *dim, *batch_dims),
        Reduce { dimensions } => reduce::reduce(r, dimensions),
        ReduceWindow(window) => reduce::reduce_window(r, window),
        SelectAndScatter(window) => reduce::select_and_scatter(r, window),
        Scatter(scatter) => index::scatter(r, scatter),
        Sort { dimension, .. } => reduce::sort(r, *dimension),
        TopK { k, .. } => reduce::top_k(r, *k),
        DotGeneral(dot) => contract::dot_general(r, dot),
        Convolution(conv) => contract::convolution(r, conv),
        DynamicConv(conv) => contract::dynamic_conv(r, conv),
        Cholesky { .. } => library::cholesky(r),
        TriangularSolve { left_side, .. } => library::triangular_solve(r, *left_side),
        Fft { fft_type, fft_length } => library::fft(r, *fft_type, fft_length),
        BatchNormInference { feature_index: f, .. } => library::batch_norm_inference(r, *f),
        BatchNormTraining { feature_index: f, .. } => library::batch_norm_training(r, *f),
        BatchNormGrad { feature_index: f, .. } => library::batch_norm_grad(r, *f),
        other => dispatch_rest(other, r),
    }
}

/// The operations that [`dispatch`] has a rule for, so that the second half stays exhaustive.
macro_rules! first_half {
    () => {
        Op::Constant(_)
            | Op::Iota { .. }
            | Op::DynamicIota { .. }
            | Op::PartitionId
            | Op::ReplicaId
            | Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Select
            | Op::Clamp
            | Op::Convert
            | Op::BitcastConvert
            | Op::ReducePrecision { .. }
            | Op::UniformQuantize
            | Op::UniformDequantize
            | Op::Map { .. }
            | Op::BroadcastInDim { .. }
            | Op::DynamicBroadcastInDim { .. }
            | Op::Reshape
            | Op::DynamicReshape
            | Op::Transpose { .. }
            | Op::Reverse { .. }
            | Op::Concatenate { .. }
            | Op::Slice { .. }
            | Op::DynamicSlice { .. }
            | Op::RealDynamicSlice
            | Op::DynamicUpdateSlice
            | Op::Pad { .. }
            | Op::DynamicPad
            | Op::Gather(_)
            | Op::DynamicGather(_)
            | Op::TorchIndexSelect { .. }
            | Op::Reduce { .. }
            | Op::ReduceWindow(_)
            | Op::SelectAndScatter(_)
            | Op::Scatter(_)
            | Op::Sort { .. }
            | Op::TopK { .. }
            | Op::DotGeneral(_)
            | Op::Convolution(_)
            | Op::DynamicConv(_)
            | Op::Cholesky { .. }
            | Op::TriangularSolve { .. }
            | Op::Fft { .. }
            | Op::BatchNormInference { .. }
            | Op::BatchNormTraining { .. }
            | Op::BatchNormGrad { .. }
    };
}

/// The second half of [`dispatch`], for the length of it.
fn dispatch_rest(op: &Op, r: &Rule<'_>) -> Result<Vec<Type>> {
    use Op::*;
    match op {
        Rng { distribution } => constants::rng(r, *distribution),
        RngBitGenerator { algorithm } => constants::rng_bit_generator(r, *algorithm),
        While => control::while_loop(r),
        If => control::conditional(r, tfjit_base::DType::Bool),
        Case => control::conditional(r, tfjit_base::DType::I32),
        Call { .. } | CustomCall(_) | Composite(_) => control::call(r),
        Tuple => control::tuple(r),
        GetTupleElement { index } => control::get_tuple_element(r, *index),
        OptimizationBarrier => control::barrier(r),
        GetDimensionSize { dimension } => control::get_dimension_size(r, *dimension),
        SetDimensionSize { dimension } => control::set_dimension_size(r, *dimension),
        AfterAll => control::after_all(r),
        AllGather { all_gather_dim, group } => communicate::all_gather(r, *all_gather_dim, group),
        AllReduce { group } => communicate::all_reduce(r, group),
        ReduceScatter { scatter_dimension, group } => {
            communicate::reduce_scatter(r, *scatter_dimension, group)
        }
        AllToAll { split_dimension, concat_dimension, split_count, group } => {
            let dims = [*split_dimension, *concat_dimension];
            communicate::all_to_all(r, dims, *split_count, group)
        }
        CollectivePermute { source_target_pairs, .. } => {
            communicate::permute(r, source_target_pairs)
        }
        CollectiveBroadcast { group } => communicate::broadcast(r, group),
        Infeed { .. } => communicate::receive(r),
        Outfeed { .. } => communicate::send(r),
        Send { channel, is_host_transfer } => {
            let host = is_host_transfer.then_some(communicate::DEVICE_TO_HOST);
            communicate::channel(r, *channel, host)?;
            communicate::send(r)
        }
        Recv { channel, is_host_transfer } => {
            let host = is_host_transfer.then_some(communicate::HOST_TO_DEVICE);
            communicate::channel(r, *channel, host)?;
            communicate::receive(r)
        }
        first_half!() => Err(tfjit_base::Error::internal(format!("{} has no shape rule", r.name))),
    }
}

/// The signature of a region of `func`.
pub(crate) fn region_sig(func: &Func, block: crate::BlockId) -> RegionSig {
    let block = &func.blocks[block];
    let types = |ids: &[crate::ValueId]| ids.iter().map(|&v| func.ty(v).clone()).collect();
    RegionSig { params: types(&block.params), results: types(&block.results) }
}
