//! Losses of classifiers with their gradients, and whether predictions are among the best.

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;
use crate::ctx::broadcast_shapes;
use crate::ops::conv::widened;
use crate::ops::index::check_indices;
use crate::ops::reduce::{extreme, reduce_sum};
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("SoftmaxCrossEntropyWithLogits", "cross entropy and its gradient", dense),
    row(
        "SparseSoftmaxCrossEntropyWithLogits",
        "cross entropy of class numbers and its gradient; a class out of range is an error",
        sparse,
    ),
    row("InTopK", "whether the target is among the k most probable classes", |c| {
        let k = c.node().attr_int("k")?;
        let k = c.scalar(DType::I64, k as f64)?;
        in_top_k(c, k)
    }),
    row("InTopKV2", "whether the target is among the k most probable classes", |c| {
        let k = c.input(2)?;
        let k = c.convert(k, DType::I64)?;
        in_top_k(c, k)
    }),
];

/// Rows of logits, each moved so that its largest is 0.
struct Rows {
    shape: Shape,
    shifted: ValueId,
    /// Exponentials of `shifted`.
    exp: ValueId,
    /// Their sum, a number a row.
    sum: ValueId,
}

impl Rows {
    fn of(c: &mut OpCtx<'_, '_>, logits: ValueId) -> Result<Rows> {
        let (shape, dtype) = (c.shape(logits)?, c.dtype(logits)?);
        let lowest = c.constant(extreme(dtype, false)?)?;
        let largest = c.reduce(Binary::Maximum, logits, lowest, &[1])?;
        let largest = c.broadcast_in_dim(largest, &shape, &[0])?;
        let shifted = c.binary(Binary::Subtract, logits, largest)?;
        let exp = c.unary(Unary::Exponential, shifted)?;
        let sum = reduce_sum(c, exp, &[1])?;
        Ok(Rows { shape, shifted, exp, sum })
    }

    /// Minus the logarithm of each class's probability.
    fn surprise(&self, c: &mut OpCtx<'_, '_>) -> Result<ValueId> {
        let log = c.unary(Unary::Log, self.sum)?;
        let log = c.broadcast_in_dim(log, &self.shape, &[0])?;
        c.binary(Binary::Subtract, log, self.shifted)
    }

    fn probability(&self, c: &mut OpCtx<'_, '_>) -> Result<ValueId> {
        let sum = c.broadcast_in_dim(self.sum, &self.shape, &[0])?;
        c.binary(Binary::Divide, self.exp, sum)
    }
}

/// Outputs: a loss for each row, and the gradient by the logits.
fn finish(
    c: &mut OpCtx<'_, '_>,
    rows: &Rows,
    losses: ValueId,
    labels: ValueId,
    dtype: DType,
) -> Result<()> {
    let loss = reduce_sum(c, losses, &[1])?;
    let probability = rows.probability(c)?;
    let gradient = c.binary(Binary::Subtract, probability, labels)?;
    let (loss, gradient) = (c.convert(loss, dtype)?, c.convert(gradient, dtype)?);
    c.set(0, loss);
    c.set(1, gradient);
    Ok(())
}

/// `-sum(labels * log(softmax(logits)))` along rows of classes.
fn dense(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (logits, labels) = (c.input(0)?, c.input(1)?);
    let dtype = c.dtype(logits)?;
    let shape = broadcast_shapes(&c.shape(logits)?, &c.shape(labels)?)?;
    if shape.rank() != 2 {
        return Err(Error::invalid_argument(format!(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional, \
             not {shape}"
        )));
    }
    let wide = widened(dtype);
    let (logits, labels) = (c.convert(logits, wide)?, c.convert(labels, wide)?);
    let (logits, labels) = (c.broadcast_to(logits, &shape)?, c.broadcast_to(labels, &shape)?);
    let rows = Rows::of(c, logits)?;
    let surprise = rows.surprise(c)?;
    let losses = c.binary(Binary::Multiply, labels, surprise)?;
    finish(c, &rows, losses, labels, dtype)
}

/// The same with one class number a row instead of a distribution.
fn sparse(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (logits, labels) = (c.input(0)?, c.input(1)?);
    let (shape, dtype) = (c.shape(logits)?, c.dtype(logits)?);
    if shape.rank() != 2 || c.shape(labels)?.dims() != [shape[0]] {
        return Err(Error::invalid_argument(format!(
            "logits and labels must have the same first dimension, got logits shape {shape} and \
             labels shape {}",
            c.shape(labels)?
        )));
    }
    if shape[1] == 0 {
        return Err(Error::invalid_argument(format!(
            "Must have at least one class, but got logits shape {shape}"
        )));
    }
    check_indices(c, labels, shape[1])?;
    let wide = widened(dtype);
    let logits = c.convert(logits, wide)?;
    let rows = Rows::of(c, logits)?;
    let hit = classes_hit(c, labels, &shape)?;
    let surprise = rows.surprise(c)?;
    // Selected, not multiplied: another class's infinite logit says nothing about this one.
    let zero = c.full_like(surprise, 0.0)?;
    let losses = c.select(hit, surprise, zero)?;
    let one_hot = c.convert(hit, wide)?;
    finish(c, &rows, losses, one_hot, dtype)
}

/// Where the class number of each row is.
fn classes_hit(c: &mut OpCtx<'_, '_>, labels: ValueId, shape: &Shape) -> Result<ValueId> {
    let labels = c.convert(labels, DType::I64)?;
    let wide = c.broadcast_in_dim(labels, shape, &[0])?;
    let classes = c.iota(DType::I64, shape, 1)?;
    c.compare(Direction::Eq, wide, classes)
}

/// Fewer than `k` classes are more probable than the target. False where the target is no class or
/// a prediction is not finite.
fn in_top_k(c: &mut OpCtx<'_, '_>, k: ValueId) -> Result<()> {
    let (predictions, targets) = (c.input(0)?, c.input(1)?);
    let shape = c.shape(predictions)?;
    if shape.rank() != 2 || c.shape(targets)?.dims() != [shape[0]] {
        return Err(Error::invalid_argument(format!(
            "predictions must be 2-dimensional and targets have its first dimension, got {shape} \
             and {}",
            c.shape(targets)?
        )));
    }
    if c.shape(k)?.rank() != 0 {
        return Err(Error::invalid_argument("k must be 0-D"));
    }
    let hit = classes_hit(c, targets, &shape)?;
    let finite = c.unary(Unary::IsFinite, predictions)?;
    // A row is usable when it has the target and nothing in it is infinite or NaN.
    let has_target = row_of(c, Binary::Or, hit)?;
    let all_finite = row_of(c, Binary::And, finite)?;
    let usable = c.binary(Binary::And, has_target, all_finite)?;
    let zero = c.full_like(predictions, 0.0)?;
    let at_target = c.select(hit, predictions, zero)?;
    let target = reduce_sum(c, at_target, &[1])?;
    let target = c.broadcast_in_dim(target, &shape, &[0])?;
    let better = c.compare(Direction::Gt, predictions, target)?;
    let better = c.convert(better, DType::I64)?;
    let better = reduce_sum(c, better, &[1])?;
    let rows = c.shape(better)?;
    let k = c.broadcast_in_dim(k, &rows, &[])?;
    let few = c.compare(Direction::Lt, better, k)?;
    let y = c.binary(Binary::And, few, usable)?;
    c.set(0, y);
    Ok(())
}

/// A truth value a row.
fn row_of(c: &mut OpCtx<'_, '_>, op: Binary, flags: ValueId) -> Result<ValueId> {
    let start = c.scalar(DType::Bool, f64::from(u8::from(op == Binary::And)))?;
    c.reduce(op, flags, start, &[1])
}
