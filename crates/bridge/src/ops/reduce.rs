//! Reductions over axes, cumulative sums and the like.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Dims, Direction, Op, Type, Unary, ValueId, Window};

use crate::OpCtx;
use crate::ops::array::{axes_of, axis_of};
use crate::row::{OpRow, row_const};

const AXES: &[&str] = &["reduction_indices"];

pub(super) const ROWS: &[OpRow] = &[
    row_const("Sum", AXES, "sum over axes", |c| fold(c, Binary::Add, Start::Zero)),
    row_const("Prod", AXES, "product over axes", |c| fold(c, Binary::Multiply, Start::One)),
    row_const("Max", AXES, "largest over axes, NaN wins", |c| {
        fold(c, Binary::Maximum, Start::Lowest)
    }),
    row_const("Min", AXES, "smallest over axes, NaN wins", |c| {
        fold(c, Binary::Minimum, Start::Highest)
    }),
    row_const("All", AXES, "whether all are true", |c| fold(c, Binary::And, Start::One)),
    row_const("Any", AXES, "whether any is true", |c| fold(c, Binary::Or, Start::Zero)),
    row_const("Mean", AXES, "mean over axes; integers are summed exactly and truncate", mean),
    row_const("EuclideanNorm", AXES, "root of the sum of squares", |c| {
        let (x, axes) = operands(c)?;
        let conj = if c.dtype(x)?.is_complex() { c.unary(Unary::Conj, x)? } else { x };
        let squares = c.binary(Binary::Multiply, x, conj)?;
        let sum = reduce_sum(c, squares, &axes)?;
        let root = c.unary(Unary::Sqrt, sum)?;
        keep_dims(c, x, root, &axes)
    }),
    row_const("ArgMax", &["dimension"], "position of the first largest", |c| arg(c, true)),
    row_const("ArgMin", &["dimension"], "position of the first smallest", |c| arg(c, false)),
    row_const("Cumsum", &["axis"], "running sum", |c| cumulative(c, Binary::Add, 0.0)),
    row_const("Cumprod", &["axis"], "running product", |c| cumulative(c, Binary::Multiply, 1.0)),
];

/// The neutral element of a reduction.
#[derive(Clone, Copy)]
enum Start {
    Zero,
    One,
    Lowest,
    Highest,
}

fn start_value(c: &mut OpCtx<'_, '_>, dtype: DType, start: Start) -> Result<ValueId> {
    match start {
        Start::Zero => c.scalar(dtype, 0.0),
        Start::One => c.scalar(dtype, 1.0),
        Start::Lowest => c.constant(extreme(dtype, false)?),
        Start::Highest => c.constant(extreme(dtype, true)?),
    }
}

/// The smallest or largest value of a type; infinite for floats that have infinities.
pub(super) fn extreme(dtype: DType, highest: bool) -> Result<Tensor> {
    macro_rules! pick {
        ($t:ty) => {
            Tensor::scalar(if highest { <$t>::MAX } else { <$t>::MIN })
        };
    }
    Ok(match dtype {
        DType::Bool => Tensor::scalar_bool(highest),
        DType::I8 => pick!(i8),
        DType::I16 => pick!(i16),
        DType::I32 => pick!(i32),
        DType::I64 => pick!(i64),
        DType::U8 => pick!(u8),
        DType::U16 => pick!(u16),
        DType::U32 => pick!(u32),
        DType::U64 => pick!(u64),
        other if other.is_float() => {
            let infinity = if highest { f64::INFINITY } else { f64::NEG_INFINITY };
            crate::ctx::scalar_tensor(other, infinity)?
        }
        other => {
            return Err(Error::unimplemented(format!("{other} has no order to reduce by")));
        }
    })
}

/// As [`extreme`], but the largest finite magnitude instead of infinity.
pub(super) fn finite_extreme(dtype: DType, highest: bool) -> Result<Tensor> {
    let magnitude = match dtype {
        DType::F64 => f64::MAX,
        DType::F32 => f64::from(f32::MAX),
        DType::BF16 => tfjit_base::bf16::MAX.to_f64(),
        DType::F16 => tfjit_base::f16::MAX.to_f64(),
        other => return extreme(other, highest),
    };
    crate::ctx::scalar_tensor(dtype, if highest { magnitude } else { -magnitude })
}

/// The tensor and the axes to reduce.
fn operands(c: &mut OpCtx<'_, '_>) -> Result<(ValueId, Vec<i64>)> {
    let (x, axes) = (c.input(0)?, c.const_ints(1)?);
    let rank = c.shape(x)?.rank();
    Ok((x, axes_of(&axes, rank)?))
}

/// Sets output 0, with extents of 1 put back when the node asks for them.
fn keep_dims(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId, axes: &[i64]) -> Result<()> {
    let y = if c.node().attr_bool("keep_dims")? {
        let shape = c.shape(x)?;
        let kept: Shape = (0..shape.rank())
            .map(|d| if axes.contains(&(d as i64)) { 1 } else { shape[d] })
            .collect();
        c.reshape(y, &kept)?
    } else {
        y
    };
    c.set(0, y);
    Ok(())
}

fn fold(c: &mut OpCtx<'_, '_>, op: Binary, start: Start) -> Result<()> {
    let (x, axes) = operands(c)?;
    let dtype = c.dtype(x)?;
    let init = start_value(c, dtype, start)?;
    let y = if axes.is_empty() { x } else { reduce_wide(c, op, x, init, &axes)? };
    keep_dims(c, x, y, &axes)
}

/// Sums of half-precision floats are accumulated in `f32`, as TensorFlow's kernels do.
fn reduce_wide(
    c: &mut OpCtx<'_, '_>,
    op: Binary,
    x: ValueId,
    init: ValueId,
    axes: &[i64],
) -> Result<ValueId> {
    let dtype = c.dtype(x)?;
    let half = matches!(dtype, DType::F16 | DType::BF16);
    if !half || !matches!(op, Binary::Add | Binary::Multiply) {
        return c.reduce(op, x, init, axes);
    }
    let (x, init) = (c.convert(x, DType::F32)?, c.convert(init, DType::F32)?);
    let y = c.reduce(op, x, init, axes)?;
    c.convert(y, dtype)
}

/// The sum over `axes`.
pub(super) fn reduce_sum(c: &mut OpCtx<'_, '_>, x: ValueId, axes: &[i64]) -> Result<ValueId> {
    if axes.is_empty() {
        return Ok(x);
    }
    let dtype = c.dtype(x)?;
    let zero = c.scalar(dtype, 0.0)?;
    reduce_wide(c, Binary::Add, x, zero, axes)
}

fn mean(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (x, axes) = operands(c)?;
    let (dtype, shape) = (c.dtype(x)?, c.shape(x)?);
    let count = axes.iter().map(|&a| shape[a as usize]).product::<usize>();
    if dtype.is_int() && count == 0 {
        // TensorFlow's kernel leaves 0 there.
        let zeros = c.full_like(x, 0.0)?;
        let y = reduce_sum(c, zeros, &axes)?;
        return keep_dims(c, x, y, &axes);
    }
    let wide = match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        d if d.is_signed_int() => DType::I64,
        d if d.is_unsigned_int() => DType::U64,
        d => d,
    };
    let widened = c.convert(x, wide)?;
    let sum = reduce_sum(c, widened, &axes)?;
    let quotient = c.binary_scalar(Binary::Divide, sum, count as f64)?;
    let y = c.convert(quotient, dtype)?;
    keep_dims(c, x, y, &axes)
}

/// The kernel starts at position 0 with the type's lowest (or highest) finite number and moves on
/// only to a strictly better element: NaN and the infinity on the wrong side never win.
fn arg(c: &mut OpCtx<'_, '_>, largest: bool) -> Result<()> {
    let (x, axis) = (c.input(0)?, c.const_int(1)?);
    let shape = c.shape(x)?;
    let axis = axis_of(axis, shape.rank())?;
    if shape[axis] == 0 {
        return Err(Error::invalid_argument(format!(
            "Reduction axis {axis} is empty in shape {shape}"
        )));
    }
    let (dtype, index) = (c.dtype(x)?, c.output_dtype(0)?);
    // `keep` compares values, then earlier indices, so that the order of the fold does not matter.
    let positions = c.iota(DType::I64, &shape, axis)?;
    let start = c.constant(finite_extreme(dtype, !largest)?)?;
    let first = c.constant(Tensor::scalar(0i64))?;
    let scalars = [Type::tensor(dtype, &[]), Type::tensor(DType::I64, &[])];
    let params: Vec<Type> = scalars.iter().chain(&scalars).cloned().collect();
    let region = c.region(&params, |b, p| {
        let direction = if largest { Direction::Gt } else { Direction::Lt };
        let better = b.compare(direction, p[0], p[2])?;
        let equal = b.compare(Direction::Eq, p[0], p[2])?;
        let earlier = b.compare(Direction::Lt, p[1], p[3])?;
        let tie = b.binary(Binary::And, equal, earlier)?;
        let keep = b.binary(Binary::Or, better, tie)?;
        Ok(vec![b.select(keep, p[0], p[2])?, b.select(keep, p[1], p[3])?])
    })?;
    let comparable = nan_to(c, x, start)?;
    let op = Op::Reduce { dimensions: Dims::from_slice(&[axis as i64]) };
    let outputs = c.push(op, &[comparable, positions, start, first], &[region])?;
    let y = c.convert(outputs[1], index)?;
    c.set(0, y);
    Ok(())
}

/// `x` with the scalar `worst` in place of NaN.
fn nan_to(c: &mut OpCtx<'_, '_>, x: ValueId, worst: ValueId) -> Result<ValueId> {
    if !c.dtype(x)?.is_float() {
        return Ok(x);
    }
    let nan = c.compare(Direction::Ne, x, x)?;
    let shape = c.shape(x)?;
    let worst = c.broadcast_in_dim(worst, &shape, &[])?;
    c.select(nan, worst, x)
}

fn cumulative(c: &mut OpCtx<'_, '_>, op: Binary, neutral: f64) -> Result<()> {
    let (x, axis) = (c.input(0)?, c.const_int(1)?);
    let shape = c.shape(x)?;
    let axis = axis_of(axis, shape.rank())?;
    let exclusive = c.node().attr_bool("exclusive")?;
    let reverse = c.node().attr_bool("reverse")?;
    let dtype = c.dtype(x)?;
    let init = c.scalar(dtype, neutral)?;
    let y = scan(c, op, x, init, axis, exclusive, reverse)?;
    c.set(0, y);
    Ok(())
}

/// A running fold along `axis` as a window as long as the axis, padded on one side.
pub(super) fn scan(
    c: &mut OpCtx<'_, '_>,
    op: Binary,
    x: ValueId,
    init: ValueId,
    axis: usize,
    exclusive: bool,
    reverse: bool,
) -> Result<ValueId> {
    let shape = c.shape(x)?;
    let (rank, extent) = (shape.rank(), shape[axis] as i64);
    if shape.elements() == 0 {
        return Ok(x);
    }
    let mut x = x;
    if exclusive {
        // Shift by one: the neutral element comes in, the last one falls out.
        let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
        (low[axis], high[axis]) = if reverse { (-1, 1) } else { (1, -1) };
        x = c.pad(x, init, &low, &high, &vec![0; rank])?;
    }
    let ones: Dims = (0..rank).map(|_| 1).collect();
    let mut window = Window {
        window_dimensions: ones.clone(),
        window_strides: ones.clone(),
        base_dilations: ones.clone(),
        window_dilations: ones,
        padding: vec![[0, 0]; rank],
    };
    window.window_dimensions[axis] = extent;
    window.padding[axis] = if reverse { [0, extent - 1] } else { [extent - 1, 0] };
    c.reduce_window(op, x, init, window)
}
