//! One instruction without regions, calls or effects, on tensors.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Class, DYNAMIC, Op, TensorType, Type, infer};

use crate::convert::convert;
use crate::quant::{dequantize, quantize};
use crate::value::check_tensor;
use crate::{bits, dynamic, elementwise, flush, moves, sort};

/// How arithmetic is done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    pub(crate) flush_subnormals: bool,
}

/// Evaluates one pure instruction without regions.
///
/// `result_types` may leave extents open; the results have the shapes that follow from the
/// operands. Quantised operands need their types: [`crate::Interpreter`] has them.
///
/// # Errors
/// INVALID_ARGUMENT when operands do not fit the operation or the results their types;
/// UNIMPLEMENTED for an operation that has regions, calls or effects; RESOURCE_EXHAUSTED when a
/// result is too large.
pub fn eval_inst(
    op: &Op,
    operands: &[&Tensor],
    result_types: &[TensorType],
) -> Result<Vec<Tensor>> {
    let types: Vec<TensorType> = operands.iter().map(|x| exact_type(x)).collect();
    let types: Vec<&TensorType> = types.iter().collect();
    eval_typed(op, operands, &types, result_types, Mode::default())
}

/// The type of a tensor that is not quantised.
fn exact_type(x: &Tensor) -> TensorType {
    TensorType::of(x.dtype(), x.shape())
}

/// As [`eval_inst`], with the static types of the operands.
pub(crate) fn eval_typed(
    op: &Op,
    operands: &[&Tensor],
    operand_types: &[&TensorType],
    result_types: &[TensorType],
    mode: Mode,
) -> Result<Vec<Tensor>> {
    let row = op.row();
    if !row.takes(operands.len()) {
        return Err(Error::invalid_argument(format!(
            "{} does not take {} operands",
            row.name,
            operands.len()
        )));
    }
    let quantized = operand_types.iter().any(|ty| ty.quant.is_some())
        || result_types.iter().any(|ty| ty.quant.is_some());
    let results = if quantized && computes(op) {
        eval_quantized(op, operands, operand_types, result_types, mode)?
    } else if mode.flush_subnormals && flush::flushes(op) {
        let flushed: Vec<Tensor> =
            operands.iter().map(|x| flush::tensor(x)).collect::<Result<_>>()?;
        let operands: Vec<&Tensor> = flushed.iter().collect();
        let results = eval_plain(op, &operands, result_types)?;
        results.iter().map(flush::tensor).collect::<Result<_>>()?
    } else {
        eval_plain(op, operands, result_types)?
    };
    if results.len() != result_types.len() {
        return Err(Error::invalid_argument(format!(
            "{} has {} results, not {}",
            row.name,
            results.len(),
            result_types.len()
        )));
    }
    for (result, ty) in results.iter().zip(result_types) {
        check_tensor(result, ty).map_err(|e| e.context(row.name))?;
    }
    Ok(results)
}

/// Whether an operation on quantised tensors computes with real values; the others move the stored
/// ones.
fn computes(op: &Op) -> bool {
    match op {
        Op::BitcastConvert => false,
        op => {
            matches!(op.row().class, Class::Elementwise | Class::Contract | Class::Library)
        }
    }
}

/// The specification's `dequantize_op_quantize`.
fn eval_quantized(
    op: &Op,
    operands: &[&Tensor],
    operand_types: &[&TensorType],
    result_types: &[TensorType],
    mode: Mode,
) -> Result<Vec<Tensor>> {
    let real = |(x, ty): (&&Tensor, &&TensorType)| match ty.quant {
        Some(_) => dequantize(x, ty),
        None => Ok((*x).clone()),
    };
    let reals: Vec<Tensor> = operands.iter().zip(operand_types).map(real).collect::<Result<_>>()?;
    let real_type = |ty: &TensorType| match &ty.quant {
        Some(quant) => ty.with_dtype(quant.expressed),
        None => ty.clone(),
    };
    let types: Vec<TensorType> = result_types.iter().map(real_type).collect();
    let results = match op {
        Op::UniformQuantize | Op::UniformDequantize => reals,
        op => {
            let operands: Vec<&Tensor> = reals.iter().collect();
            let operand_types: Vec<TensorType> = reals.iter().map(exact_type).collect();
            let operand_types: Vec<&TensorType> = operand_types.iter().collect();
            eval_typed(op, &operands, &operand_types, &types, mode)?
        }
    };
    let stored = |(x, ty): (&Tensor, &TensorType)| match ty.quant {
        Some(_) => quantize(x, ty),
        None => Ok(x.clone()),
    };
    results.iter().zip(result_types).map(stored).collect()
}

/// The exact result types for the operands at hand.
pub(crate) fn exact_types(
    op: &Op,
    operands: &[&Tensor],
    declared: &[TensorType],
) -> Result<Vec<TensorType>> {
    if declared.iter().all(TensorType::is_static) {
        return Ok(declared.to_vec());
    }
    let operands: Vec<Type> = operands.iter().map(|x| Type::Tensor(exact_type(x))).collect();
    let operands: Vec<&Type> = operands.iter().collect();
    let declared: Vec<Type> = declared.iter().cloned().map(Type::Tensor).collect();
    infer(op, &operands, &[], Some(&declared))?
        .into_iter()
        .map(|ty| match ty {
            Type::Tensor(ty) if ty.is_static() => Ok(ty),
            _ => Err(Error::invalid_argument(format!(
                "the result of {} has no known shape",
                op.row().name
            ))),
        })
        .collect()
}

/// The type of the first result.
pub(crate) fn result_type(types: &[TensorType]) -> Result<&TensorType> {
    types.first().ok_or_else(|| Error::invalid_argument("the instruction has no result type"))
}

fn one(result: Result<Tensor>) -> Result<Vec<Tensor>> {
    Ok(vec![result?])
}

fn eval_plain(op: &Op, x: &[&Tensor], types: &[TensorType]) -> Result<Vec<Tensor>> {
    match op.row().class {
        Class::Constant => one(eval_constant(op, x, result_type(types)?)),
        Class::Elementwise => one(eval_elementwise(op, x, result_type(types)?)),
        Class::Move => one(eval_move(op, x, result_type(types)?)),
        Class::Contract | Class::Library | Class::Random => crate::library::eval(op, x, types),
        Class::Structure => one(eval_structure(op, x, types)),
        Class::Reduce => match (op, x) {
            (Op::TopK { k, largest }, &[x]) => Ok(sort::top_k(x, *k, *largest)?.into()),
            _ => Err(not_pure(op)),
        },
        Class::Control | Class::Call | Class::Communicate => Err(not_pure(op)),
    }
}

/// The error of an operation that this file does not evaluate.
pub(crate) fn not_pure(op: &Op) -> Error {
    Error::unimplemented(format!("{} is not a pure instruction without regions", op.row().name))
}

fn eval_constant(op: &Op, x: &[&Tensor], ty: &TensorType) -> Result<Tensor> {
    match (op, x) {
        (Op::Constant(literal), []) => literal.to_tensor(),
        (Op::Iota { dimension }, []) => moves::iota(ty.dtype, &ty.shape()?, *dimension),
        (Op::DynamicIota { dimension }, &[shape]) => {
            moves::iota(ty.dtype, &dynamic::shape_value(shape)?, *dimension)
        }
        _ => Err(not_pure(op)),
    }
}

fn eval_elementwise(op: &Op, x: &[&Tensor], ty: &TensorType) -> Result<Tensor> {
    match (op, x) {
        (Op::Unary(op), &[x]) => elementwise::unary(*op, x),
        (Op::Binary(op), &[x, y]) => elementwise::binary(*op, x, y),
        (Op::Compare { direction, compare_type }, &[x, y]) => {
            elementwise::compare(*direction, *compare_type, x, y)
        }
        (Op::Select, &[pred, yes, no]) => elementwise::select(pred, yes, no),
        (Op::Clamp, &[low, x, high]) => elementwise::clamp(low, x, high),
        (Op::Convert, &[x]) => convert(x, ty.dtype),
        (Op::BitcastConvert, &[x]) => bits::bitcast_convert(x, ty.dtype),
        (Op::ReducePrecision { exponent_bits, mantissa_bits }, &[x]) => {
            bits::reduce_precision(x, *exponent_bits, *mantissa_bits)
        }
        _ => Err(not_pure(op)),
    }
}

fn eval_move(op: &Op, x: &[&Tensor], ty: &TensorType) -> Result<Tensor> {
    match (op, x) {
        (Op::BroadcastInDim { broadcast_dimensions: dims }, &[x]) => {
            moves::broadcast_in_dim(x, &dynamic::broadcast_shape(x, dims, ty)?, dims)
        }
        (Op::Reshape, &[x]) => x.reshaped(dynamic::reshape_shape(x, ty)?),
        (Op::Transpose { permutation }, &[x]) => moves::transpose(x, permutation),
        (Op::Reverse { dimensions }, &[x]) => moves::reverse(x, dimensions),
        (Op::Concatenate { dimension }, parts) => moves::concatenate(parts, *dimension),
        (Op::Slice { start_indices, limit_indices, strides }, &[x]) => {
            moves::slice(x, start_indices, limit_indices, strides)
        }
        (Op::DynamicSlice { slice_sizes }, &[x, ref starts @ ..]) => {
            moves::dynamic_slice(x, &dynamic::indices(starts)?, &Shape::from_i64(slice_sizes)?)
        }
        (Op::DynamicUpdateSlice, &[x, update, ref starts @ ..]) => {
            moves::dynamic_update_slice(x.clone(), update, &dynamic::indices(starts)?)
        }
        (
            Op::Pad { edge_padding_low: low, edge_padding_high: high, interior_padding: gaps },
            &[x, value],
        ) => moves::pad(x, value, low, high, gaps),
        (Op::DynamicBroadcastInDim { broadcast_dimensions, .. }, &[x, shape]) => {
            moves::broadcast_in_dim(x, &dynamic::shape_value(shape)?, broadcast_dimensions)
        }
        (Op::DynamicReshape, &[x, shape]) => x.reshaped(dynamic::shape_value(shape)?),
        (Op::RealDynamicSlice, &[x, start, limit, strides]) => {
            dynamic::slice(x, start, limit, strides)
        }
        (Op::DynamicPad, &[x, value, low, high, gaps]) => {
            moves::pad(x, value, &low.to_i64s()?, &high.to_i64s()?, &gaps.to_i64s()?)
        }
        (Op::Gather(_) | Op::DynamicGather(_) | Op::TorchIndexSelect { .. }, x) => {
            crate::library::eval_gather(op, x, ty)
        }
        _ => Err(not_pure(op)),
    }
}

fn eval_structure(op: &Op, x: &[&Tensor], types: &[TensorType]) -> Result<Tensor> {
    match (op, x) {
        (Op::GetDimensionSize { dimension }, &[x]) => {
            let extent = x.shape()[moves::dim(*dimension, x.shape().rank())?];
            let size = i32::try_from(extent)
                .map_err(|_| Error::out_of_range(format!("the extent {extent} is no i32")))?;
            convert(&Tensor::scalar(size), types.first().map_or(DType::I32, |ty| ty.dtype))
        }
        (Op::SetDimensionSize { dimension }, &[x, size]) => {
            dynamic::set_dimension_size(x, size, *dimension, result_type(types)?)
        }
        (Op::OptimizationBarrier, &[x]) => Ok(x.clone()),
        _ => Err(not_pure(op)),
    }
}

/// Whether an extent is left open.
pub(crate) fn is_open(extent: i64) -> bool {
    extent == DYNAMIC
}
