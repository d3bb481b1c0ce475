//! Constants, identities, calls, variables, asserts and casts.

use std::sync::Arc;

use tfjit_base::{Code, DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Direction, TensorType, Unary, ValueId};

use crate::row::{OpRow, row};
use crate::{OpCtx, TfValue};

pub(super) const ROWS: &[OpRow] = &[
    row("Const", "a constant", constant),
    row("HostConst", "a constant", constant),
    row("Placeholder", "an input that was not fed", not_fed),
    row("PlaceholderV2", "an input that was not fed", not_fed),
    row("PlaceholderWithDefault", "its default when not fed", pass),
    row("Identity", "the input", pass),
    row("IdentityN", "the inputs", pass),
    row("DeepCopy", "the input", pass),
    row("Snapshot", "the input", pass),
    row("StopGradient", "the input", pass),
    row("PreventGradient", "the input", pass),
    row("EnsureShape", "the input, whose shape must match", ensure_shape),
    row("CheckNumerics", "the input; NaN or infinity is an error", check_numerics),
    row("CheckNumericsV2", "the input; NaN or infinity is an error", check_numerics),
    row("DebugIdentityV2", "the input", pass),
    row("NoOp", "nothing", |_| Ok(())),
    row("ControlTrigger", "nothing", |_| Ok(())),
    row("DisableCopyOnRead", "nothing", |_| Ok(())),
    row("Assert", "an error when the condition is false", assert),
    row("Cast", "conversion; floats out of an integer's range saturate, NaN becomes 0", cast),
    row("Bitcast", "the same bits as another type", bitcast),
    row("PartitionedCall", "a call, inlined", call),
    row("StatefulPartitionedCall", "a call, inlined", call),
    row("RemoteCall", "a call, inlined", remote_call),
    row("ReadVariableOp", "the variable's value", read_variable),
    row("AssignVariableOp", "a new value", |c| {
        let (k, value) = (c.variable(0)?, c.input(1)?);
        c.assign_variable(k, value)
    }),
    row("AssignAddVariableOp", "the value plus the input", |c| update(c, Binary::Add)),
    row("AssignSubVariableOp", "the value minus the input", |c| update(c, Binary::Subtract)),
    row("VarIsInitializedOp", "whether the variable has a value", |c| {
        let k = c.variable(0)?;
        let initialised = c.low.vars[k].value.is_some();
        let y = c.constant(Tensor::scalar_bool(initialised))?;
        c.set(0, y);
        Ok(())
    }),
    row("VariableShape", "the shape of the variable's value", |c| {
        let k = c.variable(0)?;
        let value = c.read_variable(k)?;
        let dims = c.shape(value)?.to_i64();
        let dtype = c.output_dtype(0)?;
        let y = c.int_vector(dtype, &dims)?;
        c.set(0, y);
        Ok(())
    }),
];

fn constant(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let value = c.node().attr_tensor("value")?.clone();
    let result = match value.as_splat() {
        Some(element) if element.as_strings().is_none() => {
            TfValue::Tensor(c.splat(element, &value.shape)?)
        }
        _ => c.low.constant(value.to_tensor()?)?,
    };
    c.set_raw(0, result);
    Ok(())
}

fn not_fed(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let name = c.node().name.clone();
    Err(Error::invalid_argument(format!("You must feed a value for placeholder tensor '{name}'")))
}

fn pass(c: &mut OpCtx<'_, '_>) -> Result<()> {
    for i in 0..c.input_count() {
        let value = c.raw_input(i)?.clone();
        // An identity of a variable reference is a read: later writes must not show through it.
        let is_tensor = c.output_dtype(i).is_ok();
        match value {
            TfValue::Variable(_) if is_tensor => {
                let v = c.input(i)?;
                c.set(i, v);
            }
            other => c.set_raw(i, other),
        }
    }
    Ok(())
}

fn ensure_shape(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let (want, got) = (c.node().attr_shape("shape")?.clone(), c.shape(x)?);
    if !want.accepts(&got) {
        return Err(Error::invalid_argument(format!(
            "Shape of tensor {got} is not compatible with expected shape {want}"
        )));
    }
    c.set(0, x);
    Ok(())
}

fn check_numerics(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let message = c.node().attr_str("message")?.to_owned();
    let finite = c.unary(Unary::IsFinite, x)?;
    let bad = c.unary(Unary::Not, finite)?;
    c.check(bad, Code::InvalidArgument, format!("{message} : Tensor had Inf or NaN values"))?;
    c.set(0, x);
    Ok(())
}

fn assert(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let condition = c.input(0)?;
    let mut message = String::from("assertion failed:");
    for i in 1..c.input_count() {
        if let TfValue::Host(text) = c.raw_input(i)? {
            for s in text.as_strings().unwrap_or_default() {
                message.push_str(&format!(" [{}]", String::from_utf8_lossy(s)));
            }
        }
    }
    let failed = c.unary(Unary::Not, condition)?;
    c.check(failed, Code::InvalidArgument, message)
}

fn cast(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let (from, to) = (c.dtype(x)?, c.output_dtype(0)?);
    let y = match (from, to) {
        (_, DType::Bool) => {
            let zero = c.full_like(x, 0.0)?;
            c.compare(Direction::Ne, x, zero)?
        }
        (from, to) if from.is_complex() && !to.is_complex() => {
            let real = c.unary(Unary::Real, x)?;
            c.convert(real, to)?
        }
        _ => c.convert(x, to)?,
    };
    c.set(0, y);
    Ok(())
}

/// A change of width adds or removes the last dimension.
fn bitcast(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let (from, to, shape) = (c.dtype(x)?, c.output_dtype(0)?, c.shape(x)?);
    let (a, b) = (from.size(), to.size());
    let dims: Shape = if a == b {
        shape
    } else if a > b {
        shape.iter().copied().chain([a / b]).collect()
    } else {
        match shape.split_last() {
            Some((&last, rest)) if last == b / a => Shape::new(rest),
            _ => {
                return Err(Error::invalid_argument(format!(
                    "Cannot bitcast from {from} to {to}: the last dimension of {shape} is not {}",
                    b / a
                )));
            }
        }
    };
    let y = if from == to {
        x
    } else if from.is_complex() || to.is_complex() {
        let bytes = bytes_of(c, x)?;
        from_bytes(c, bytes, to, &dims)?
    } else {
        c.bitcast_convert(x, TensorType::of(to, &dims))?
    };
    c.set(0, y);
    Ok(())
}

/// `shape` with one more dimension.
fn with_last(shape: &Shape, extent: usize) -> Shape {
    shape.iter().copied().chain([extent]).collect()
}

/// The bytes of each element in a last dimension. HLO casts bits of real numbers only, so complex
/// ones go through their parts.
fn bytes_of(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let (dtype, shape) = (c.dtype(x)?, c.shape(x)?);
    if dtype.is_complex() {
        let pair = with_last(&shape, 1);
        let mut parts = Vec::with_capacity(2);
        for op in [Unary::Real, Unary::Imag] {
            let part = c.unary(op, x)?;
            parts.push(c.reshape(part, &pair)?);
        }
        let parts = c.concatenate(&parts, shape.rank())?;
        let bytes = bytes_of(c, parts)?;
        return c.reshape(bytes, &with_last(&shape, dtype.size()));
    }
    let wide = with_last(&shape, dtype.size());
    if dtype.size() == 1 {
        let same = c.bitcast_convert(x, TensorType::of(DType::U8, &shape))?;
        return c.reshape(same, &wide);
    }
    c.bitcast_convert(x, TensorType::of(DType::U8, &wide))
}

/// Elements of `dtype` in `shape` from their bytes in row-major order.
fn from_bytes(
    c: &mut OpCtx<'_, '_>,
    bytes: ValueId,
    dtype: DType,
    shape: &Shape,
) -> Result<ValueId> {
    let part = match dtype {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        other => other,
    };
    let inner = if part == dtype { shape.clone() } else { with_last(shape, 2) };
    let bytes = if part.size() == 1 {
        c.reshape(bytes, &inner)?
    } else {
        c.reshape(bytes, &with_last(&inner, part.size()))?
    };
    let y = c.bitcast_convert(bytes, TensorType::of(part, &inner))?;
    if part == dtype {
        return Ok(y);
    }
    let (rank, dims) = (inner.rank(), inner.to_i64());
    let mut halves = Vec::with_capacity(2);
    for i in 0..2 {
        let (mut start, mut limit) = (vec![0; rank], dims.clone());
        (start[rank - 1], limit[rank - 1]) = (i, i + 1);
        let half = c.slice(y, &start, &limit, &vec![1; rank])?;
        halves.push(c.reshape(half, shape)?);
    }
    c.binary(Binary::Complex, halves[0], halves[1])
}

fn call(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let name = c.node().attr_func("f")?.name.clone();
    inline(c, &name, 0)
}

fn remote_call(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let name = c.node().attr_func("f")?.name.clone();
    inline(c, &name, 1)
}

/// Lowers the callee in place with the inputs from `first` on.
fn inline(c: &mut OpCtx<'_, '_>, name: &str, first: usize) -> Result<()> {
    let callee = c
        .low
        .library
        .get(name)
        .cloned()
        .ok_or_else(|| Error::not_found(format!("function {name} is not in the library")))?;
    let args = c.inputs[first..].to_vec();
    if args.len() != callee.params.len() {
        return Err(Error::invalid_argument(format!(
            "function {name} takes {} arguments, the call has {}",
            callee.params.len(),
            args.len()
        )));
    }
    let source = Arc::clone(&c.node.name);
    c.outputs = c.low.function(&callee, args)?;
    c.set_source(Some(source));
    Ok(())
}

fn read_variable(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let k = c.variable(0)?;
    let value = c.read_variable(k)?;
    let want = c.output_dtype(0)?;
    let got = c.dtype(value)?;
    if got != want {
        return Err(Error::invalid_argument(format!(
            "Trying to read variable {} with wrong dtype: it holds {got}, not {want}",
            c.low.vars[k].name
        )));
    }
    c.set(0, value);
    Ok(())
}

fn update(c: &mut OpCtx<'_, '_>, op: Binary) -> Result<()> {
    let (k, by) = (c.variable(0)?, c.input(1)?);
    if c.low.vars[k].value.is_none() {
        // Where reading is a failed precondition, updating looks the resource up and fails earlier.
        return Err(Error::not_found(format!(
            "Resource {} does not exist: the variable is uninitialized",
            c.low.vars[k].name
        )));
    }
    let old = c.read_variable(k)?;
    if c.shape(old)? != c.shape(by)? {
        return Err(Error::invalid_argument(format!(
            "Cannot update variable with shape {} using a Tensor with shape {}, shapes must be \
             equal",
            c.shape(old)?,
            c.shape(by)?
        )));
    }
    let new = c.binary(op, old, by)?;
    c.assign_variable(k, new)
}
