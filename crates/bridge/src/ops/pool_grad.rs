//! Gradients of pooling, and the gradients of those.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Dims, Direction, Op, TensorType, Type, Unary, Window};

use crate::OpCtx;
use crate::ctx::scalar_tensor;
use crate::ops::pool::{Pool, attr, counts, pool};
use crate::ops::reduce::extreme;
use crate::row::{OpRow, row, row_const};

const WINDOW: &[&str] = &["ksize", "strides"];

pub(super) const ROWS: &[OpRow] = &[
    row("MaxPoolGrad", "each window's gradient goes to its first largest element", |c| {
        let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
        max_pool_grad(c, &ksize, &strides)
    }),
    row_const("MaxPoolGradV2", WINDOW, "each window's gradient goes to its first largest", |c| {
        let (ksize, strides) = (c.const_ints(3)?, c.const_ints(4)?);
        max_pool_grad(c, &ksize, &strides)
    }),
    row("MaxPool3DGrad", "each window's gradient goes to all its largest elements", |c| {
        let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
        to_all_largest(c, &ksize, &strides)
    }),
    row("MaxPoolGradGrad", "the gradient at each window's first largest element", |c| {
        let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
        at_largest(c, 2, &ksize, &strides)
    }),
    row_const("MaxPoolGradGradV2", WINDOW, "the gradient at each window's first largest", |c| {
        let (ksize, strides) = (c.const_ints(3)?, c.const_ints(4)?);
        at_largest(c, 2, &ksize, &strides)
    }),
    row("MaxPool3DGradGrad", "the gradient at each window's first largest element", |c| {
        let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
        at_largest(c, 3, &ksize, &strides)
    }),
    row_const("AvgPoolGrad", &["orig_input_shape"], "shared out over each window", |c| {
        avg_pool_grad(c, 2)
    }),
    row_const("AvgPool3DGrad", &["orig_input_shape"], "shared out over each window", |c| {
        avg_pool_grad(c, 3)
    }),
];

fn expect_shape(what: &str, got: &Shape, want: &Shape) -> Result<()> {
    if got == want {
        return Ok(());
    }
    Err(Error::invalid_argument(format!("Expected {what} shape to be {want}, but got {got}")))
}

/// The first element that no other of its window exceeds takes the gradient: a NaN stays when it
/// comes first and is passed over later, as in TensorFlow's kernel.
fn max_pool_grad(c: &mut OpCtx<'_, '_>, ksize: &[i64], strides: &[i64]) -> Result<()> {
    let (x, dy) = (c.input(0)?, c.input(2)?);
    let (shape, dtype) = (c.shape(x)?, c.dtype(x)?);
    let pool = pool(c, &shape, 2, ksize, strides)?;
    expect_shape("grad", &c.shape(dy)?, &pool.result)?;
    if pool.result.elements() == 0 {
        let dx = c.full_like(x, 0.0)?;
        c.set(0, dx);
        return Ok(());
    }
    let scalar = Type::Tensor(TensorType::scalar(dtype));
    let params = [scalar.clone(), scalar];
    let select = c.region(&params, |b, p| {
        if !dtype.is_float() {
            return Ok(vec![b.compare(Direction::Ge, p[0], p[1])?]);
        }
        let exceeded = b.compare(Direction::Lt, p[0], p[1])?;
        Ok(vec![b.unary(Unary::Not, exceeded)?])
    })?;
    let add = c.region(&params, |b, p| Ok(vec![b.binary(Binary::Add, p[0], p[1])?]))?;
    let zero = c.scalar(dtype, 0.0)?;
    let op = Op::SelectAndScatter(Box::new(pool.window));
    let dx = c.push(op, &[x, dy, zero], &[select, add])?[0];
    c.set(0, dx);
    Ok(())
}

/// For each window the element of `grad` at the first position where the input equals the given
/// maximum, 0 where there is none.
fn at_largest(c: &mut OpCtx<'_, '_>, spatial: usize, ksize: &[i64], strides: &[i64]) -> Result<()> {
    let (x, y, grad) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let (shape, dtype) = (c.shape(x)?, c.dtype(x)?);
    let pool = pool(c, &shape, spatial, ksize, strides)?;
    expect_shape("orig_output", &c.shape(y)?, &pool.result)?;
    expect_shape("grad", &c.shape(grad)?, &shape)?;
    if pool.result.elements() == 0 {
        let z = c.full(dtype, &pool.result, 0.0)?;
        c.set(0, z);
        return Ok(());
    }
    // The third column says that an element is one: neither the start of the fold nor NaN.
    let usable = if dtype.is_float() {
        c.compare(Direction::Eq, x, x)?
    } else {
        c.splat(Tensor::scalar_bool(true), &shape)?
    };
    let (lowest, zero) = (c.constant(extreme(dtype, false)?)?, c.scalar(dtype, 0.0)?);
    let never = c.constant(Tensor::scalar_bool(false))?;
    let columns = [dtype, dtype, DType::Bool].map(|d| Type::Tensor(TensorType::scalar(d)));
    let params: Vec<Type> = columns.iter().chain(&columns).cloned().collect();
    let region = c.region(&params, |b, p| {
        let larger = b.compare(Direction::Lt, p[0], p[3])?;
        let fresh = b.unary(Unary::Not, p[2])?;
        let wanted = b.binary(Binary::Or, larger, fresh)?;
        let take = b.binary(Binary::And, wanted, p[5])?;
        Ok(vec![
            b.select(take, p[3], p[0])?,
            b.select(take, p[4], p[1])?,
            b.binary(Binary::Or, p[2], p[5])?,
        ])
    })?;
    let op = Op::ReduceWindow(Box::new(pool.window));
    let found = c.push(op, &[x, grad, usable, lowest, zero, never], &[region])?;
    let hit = c.compare(Direction::Eq, found[0], y)?;
    let zeros = c.full(dtype, &pool.result, 0.0)?;
    let z = c.select(hit, found[1], zeros)?;
    c.set(0, z);
    Ok(())
}

/// One dimension of a window seen from the input: which outputs cover position `i`.
struct Cover {
    input: i64,
    kernel: i64,
    stride: i64,
    low: i64,
    output: i64,
}

impl Cover {
    fn all(pool: &Pool, shape: &Shape) -> Vec<Cover> {
        let of = |d: usize| Cover {
            input: shape[d] as i64,
            kernel: pool.window.window_dimensions[d],
            stride: pool.window.window_strides[d],
            low: pool.window.padding[d][0],
            output: pool.result[d] as i64,
        };
        (0..shape.rank()).map(of).collect()
    }

    /// Padding around outputs that are spread by the stride, such that position `i` of the input is
    /// covered by the outputs in `i .. i + kernel`.
    fn padding(&self) -> [i64; 2] {
        let low = self.kernel - 1 - self.low;
        let spread = (self.output - 1) * self.stride + 1;
        [low, self.input + self.kernel - 1 - spread - low]
    }
}

/// Every element that equals the given maximum of a window takes the window's gradient.
///
/// A loop over the positions of a window adds, for each, the gradient of the output that sees an
/// input element at that position.
fn to_all_largest(c: &mut OpCtx<'_, '_>, ksize: &[i64], strides: &[i64]) -> Result<()> {
    let (x, y, dy) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let (shape, dtype) = (c.shape(x)?, c.dtype(dy)?);
    let x = c.convert(x, dtype)?;
    let y = c.convert(y, dtype)?;
    let pool = pool(c, &shape, 3, ksize, strides)?;
    for (what, v) in [("orig_output", y), ("grad", dy)] {
        expect_shape(what, &c.shape(v)?, &pool.result)?;
    }
    let zeros = c.full(dtype, &shape, 0.0)?;
    if pool.result.elements() == 0 {
        c.set(0, zeros);
        return Ok(());
    }
    let cover = Cover::all(&pool, &shape);
    let zero = c.scalar(dtype, 0.0)?;
    let (low, high): (Vec<i64>, Vec<i64>) =
        cover.iter().map(|a| a.padding()).map(|[low, high]| (low, high)).unzip();
    let interior: Vec<i64> = cover.iter().map(|a| a.stride - 1).collect();
    let y = c.pad(y, zero, &low, &high, &interior)?;
    let dy = c.pad(dy, zero, &low, &high, &interior)?;
    let counter = c.scalar(DType::I32, 0.0)?;
    let positions = cover.iter().try_fold(1i32, |n, a| n.checked_mul(a.kernel.try_into().ok()?));
    let positions = positions.ok_or_else(|| Error::invalid_argument("the window is too large"))?;
    let operands = [counter, zeros, x, y, dy];
    let types: Vec<Type> =
        operands.iter().map(|&v| Ok(Type::Tensor(c.ty(v)?.clone()))).collect::<Result<_>>()?;
    let cond = c.region(&types, |b, p| {
        let end = b.constant(Tensor::scalar(positions))?;
        Ok(vec![b.compare(Direction::Lt, p[0], end)?])
    })?;
    let sizes = shape.to_i64();
    let body = c.region(&types, |b, p| {
        let [count, sum, x, y, dy] = [p[0], p[1], p[2], p[3], p[4]];
        let mut starts = Vec::new();
        let mut rest = count;
        for a in cover.iter().rev() {
            let kernel = b.constant(Tensor::scalar(a.kernel as i32))?;
            starts.push(b.binary(Binary::Remainder, rest, kernel)?);
            rest = b.binary(Binary::Divide, rest, kernel)?;
        }
        starts.reverse();
        let largest = b.dynamic_slice(y, &starts, &sizes)?;
        let gradient = b.dynamic_slice(dy, &starts, &sizes)?;
        let hit = b.compare(Direction::Eq, x, largest)?;
        let nothing = b.splat(scalar_tensor(dtype, 0.0)?, &shape)?;
        let part = b.select(hit, gradient, nothing)?;
        let one = b.constant(Tensor::scalar(1i32))?;
        Ok(vec![b.binary(Binary::Add, count, one)?, b.binary(Binary::Add, sum, part)?, x, y, dy])
    })?;
    let dx = c.push(Op::While, &operands, &[cond, body])?[1];
    c.set(0, dx);
    Ok(())
}

/// Each element sums the shares of the windows that cover it: a window sum over the outputs spread
/// by the stride.
fn avg_pool_grad(c: &mut OpCtx<'_, '_>, spatial: usize) -> Result<()> {
    let (sizes, dy) = (c.const_ints(0)?, c.input(1)?);
    let (ksize, strides) = (attr(c, "ksize")?, attr(c, "strides")?);
    let (shape, dtype) = (Shape::from_i64(&sizes)?, c.dtype(dy)?);
    let pool = pool(c, &shape, spatial, &ksize, &strides)?;
    expect_shape("grad", &c.shape(dy)?, &pool.result)?;
    if pool.result.elements() == 0 {
        let dx = c.full(dtype, &shape, 0.0)?;
        c.set(0, dx);
        return Ok(());
    }
    // A half can't count the elements of a large window.
    let counting = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let counts = counts(c, &pool, &shape, counting)?;
    let one = c.full_like(counts, 1.0)?;
    let share = c.binary(Binary::Divide, one, counts)?;
    let share = c.convert(share, dtype)?;
    let shares = c.binary(Binary::Multiply, dy, share)?;
    let cover = Cover::all(&pool, &shape);
    let ones: Dims = cover.iter().map(|_| 1).collect();
    let window = Window {
        window_dimensions: pool.window.window_dimensions.clone(),
        window_strides: ones.clone(),
        base_dilations: pool.window.window_strides.clone(),
        window_dilations: ones,
        padding: cover.iter().map(Cover::padding).collect(),
    };
    let zero = c.scalar(dtype, 0.0)?;
    let dx = c.reduce_window(Binary::Add, shares, zero, window)?;
    c.set(0, dx);
    Ok(())
}
