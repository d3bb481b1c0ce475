//! Non-maximum suppression with results of a fixed size.
//!
//! The best box is taken, what overlaps it loses (all of its score, or with `soft_nms_sigma` a
//! part:
//! Bodla et al. 2017), and so on. Results that are as long as what was found run on the host.

use tfjit_base::{Code, DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Dims, Direction, FuncBuilder, Op, Type, Unary, ValueId};
use tfjit_model::Node;

use crate::OpCtx;
use crate::ctx::scalar_tensor;
use crate::row::{OpRow, row_const};

const SIZE: &[&str] = &["max_output_size"];

pub(super) const ROWS: &[OpRow] = &[
    row_const("NonMaxSuppressionV4", SIZE, "boxes that no better box overlaps, padded", |c| {
        let found = suppress(c, None)?;
        c.set(0, found.indices);
        c.set(1, found.count);
        Ok(())
    })
    .when(padded),
    row_const("NonMaxSuppressionV5", SIZE, "boxes that no better box overlaps, padded", |c| {
        let sigma = c.input(5)?;
        let found = suppress(c, Some(sigma))?;
        c.set(0, found.indices);
        c.set(1, found.scores);
        c.set(2, found.count);
        Ok(())
    })
    .when(padded),
];

fn padded(node: &Node) -> bool {
    node.attr_bool("pad_to_max_output_size").unwrap_or(false)
}

struct Found {
    indices: ValueId,
    scores: ValueId,
    count: ValueId,
}

/// Runs the selection; output has `max_output_size` entries, those past the count are zero.
fn suppress(c: &mut OpCtx<'_, '_>, sigma: Option<ValueId>) -> Result<Found> {
    let (boxes, scores, size) = (c.input(0)?, c.input(1)?, c.const_int(2)?);
    let (overlap, least) = (c.input(3)?, c.input(4)?);
    let (shape, dtype) = (c.shape(boxes)?, c.dtype(scores)?);
    let n = c.shape(scores)?.elements();
    if shape.dims() != [n, 4] {
        return Err(Error::invalid_argument(format!(
            "boxes {shape} must be [num_boxes, 4] for {n} scores"
        )));
    }
    let size = usize::try_from(size)
        .map_err(|_| Error::invalid_argument("output size must be non-negative"))?;
    check_threshold(c, overlap)?;
    let result = Shape::new(&[size]);
    let (indices, count) = (c.full(DType::I32, &result, 0.0)?, c.scalar(DType::I32, 0.0)?);
    let kept = c.full(dtype, &result, 0.0)?;
    if size == 0 || n == 0 {
        return Ok(Found { indices, scores: kept, count });
    }
    let least = c.convert(least, dtype)?;
    let floor = c.broadcast_in_dim(least, &Shape::new(&[n]), &[])?;
    let alive = c.compare(Direction::Gt, scores, floor)?;
    let corners = Corners::of(c, boxes, n)?;
    let sigma = match sigma {
        Some(sigma) => sigma,
        None => c.scalar(dtype, 0.0)?,
    };
    let (decay, soft) = decay(c, sigma, dtype)?;
    let state = [count, scores, alive, indices, kept];
    let constants = [corners.all, corners.area, overlap, least, decay, soft];
    let operands: Vec<ValueId> = state.into_iter().chain(constants).collect();
    let types: Vec<Type> =
        operands.iter().map(|&v| Ok(Type::Tensor(c.ty(v)?.clone()))).collect::<Result<_>>()?;
    let most = size.min(n) as i32;
    let cond = c.region(&types, |b, p| {
        let most = b.constant(Tensor::scalar(most))?;
        let room = b.compare(Direction::Lt, p[0], most)?;
        let no = b.constant(Tensor::scalar_bool(false))?;
        let any = b.reduce(Binary::Or, p[2], no, &[0])?;
        Ok(vec![b.binary(Binary::And, room, any)?])
    })?;
    let body = c.region(&types, |b, p| step(b, p, n))?;
    let last = c.push(Op::While, &operands, &[cond, body])?;
    Ok(Found { indices: last[3], scores: last[4], count: last[0] })
}

fn check_threshold(c: &mut OpCtx<'_, '_>, overlap: ValueId) -> Result<()> {
    let (zero, one) = (c.full_like(overlap, 0.0)?, c.full_like(overlap, 1.0)?);
    let from = c.compare(Direction::Ge, overlap, zero)?;
    let to = c.compare(Direction::Le, overlap, one)?;
    let inside = c.binary(Binary::And, from, to)?;
    let outside = c.unary(Unary::Not, inside)?;
    c.check(outside, Code::InvalidArgument, "iou_threshold must be in [0, 1]")
}

/// `-1 / (2 sigma)` and whether suppression is soft (`sigma > 0`).
fn decay(c: &mut OpCtx<'_, '_>, sigma: ValueId, dtype: DType) -> Result<(ValueId, ValueId)> {
    let zero = c.scalar(dtype, 0.0)?;
    let soft = c.compare(Direction::Gt, sigma, zero)?;
    let half = c.scalar(dtype, -0.5)?;
    let slope = c.binary(Binary::Divide, half, sigma)?;
    Ok((c.select(soft, slope, zero)?, soft))
}

/// Boxes as `[4, n]` rows of y1, x1, y2, x2 in ascending order of corners, and their areas.
struct Corners {
    all: ValueId,
    area: ValueId,
}

impl Corners {
    fn of(c: &mut OpCtx<'_, '_>, boxes: ValueId, n: usize) -> Result<Corners> {
        let boxes = c.convert(boxes, DType::F32)?;
        let rows = c.transpose(boxes, &[1, 0])?;
        let n = n as i64;
        let first = c.slice(rows, &[0, 0], &[2, n], &[1, 1])?;
        let second = c.slice(rows, &[2, 0], &[4, n], &[1, 1])?;
        let low = c.binary(Binary::Minimum, first, second)?;
        let high = c.binary(Binary::Maximum, first, second)?;
        let sides = c.binary(Binary::Subtract, high, low)?;
        let one = c.scalar(DType::F32, 1.0)?;
        let area = c.reduce(Binary::Multiply, sides, one, &[0])?;
        Ok(Corners { all: c.concatenate(&[low, high], 0)?, area })
    }
}

/// One turn of the loop: state `count, scores, alive, indices, kept` and the constants.
fn step(b: &mut FuncBuilder, p: &[ValueId], n: usize) -> Result<Vec<ValueId>> {
    let [count, scores, alive, indices, kept] = [p[0], p[1], p[2], p[3], p[4]];
    let [corners, area, overlap, least, decay, soft] = [p[5], p[6], p[7], p[8], p[9], p[10]];
    let line = Shape::new(&[n]);
    let dtype = b.dtype(scores)?;
    let (best, at) = best(b, scores, alive, &line)?;
    let one = Shape::new(&[1]);
    let (at_one, best_one) = (b.reshape(at, &one)?, b.reshape(best, &one)?);
    let indices = b.dynamic_update_slice(indices, at_one, &[count])?;
    let kept = b.dynamic_update_slice(kept, best_one, &[count])?;
    let ratio = overlaps(b, corners, area, at, n)?;
    let wide = |b: &mut FuncBuilder, v: ValueId| b.broadcast_in_dim(v, &line, &[]);
    let limit = wide(b, overlap)?;
    let by_limit = b.dtype(overlap)?;
    let compared = b.convert(ratio, by_limit)?;
    let over = b.compare(Direction::Gt, compared, limit)?;
    let hard = b.unary(Unary::Not, soft)?;
    let hard = wide(b, hard)?;
    let gone = b.binary(Binary::And, over, hard)?;
    // exp(0) = 1 leaves scores alone when suppression is hard.
    let ratio = b.convert(ratio, dtype)?;
    let square = b.binary(Binary::Multiply, ratio, ratio)?;
    let slope = wide(b, decay)?;
    let exponent = b.binary(Binary::Multiply, slope, square)?;
    let weight = b.unary(Unary::Exponential, exponent)?;
    let scores = b.binary(Binary::Multiply, scores, weight)?;
    let floor = wide(b, least)?;
    let enough = b.compare(Direction::Gt, scores, floor)?;
    let numbers = b.iota(DType::I32, &line, 0)?;
    let taken = wide(b, at)?;
    let other = b.compare(Direction::Ne, numbers, taken)?;
    let stays = b.unary(Unary::Not, gone)?;
    let mut alive = alive;
    for flag in [stays, enough, other] {
        alive = b.binary(Binary::And, alive, flag)?;
    }
    let next = b.constant(Tensor::scalar(1i32))?;
    let count = b.binary(Binary::Add, count, next)?;
    Ok([&[count, scores, alive, indices, kept], &p[5..]].concat())
}

/// The largest score that is alive, and the first position where it is.
fn best(
    b: &mut FuncBuilder,
    scores: ValueId,
    alive: ValueId,
    line: &Shape,
) -> Result<(ValueId, ValueId)> {
    let dtype = b.dtype(scores)?;
    let lowest = scalar_tensor(dtype, f64::NEG_INFINITY)?;
    let nothing = b.splat(lowest.clone(), line)?;
    let usable = b.select(alive, scores, nothing)?;
    let numbers = b.iota(DType::I32, line, 0)?;
    let (start, nowhere) = (b.constant(lowest)?, b.constant(Tensor::scalar(i32::MAX))?);
    let columns = [Type::tensor(dtype, &[]), Type::tensor(DType::I32, &[])];
    let params: Vec<Type> = columns.iter().chain(&columns).cloned().collect();
    let region = b.region(&params, |b, p| {
        let better = b.compare(Direction::Gt, p[0], p[2])?;
        let equal = b.compare(Direction::Eq, p[0], p[2])?;
        let earlier = b.compare(Direction::Lt, p[1], p[3])?;
        let tie = b.binary(Binary::And, equal, earlier)?;
        let keep = b.binary(Binary::Or, better, tie)?;
        Ok(vec![b.select(keep, p[0], p[2])?, b.select(keep, p[1], p[3])?])
    })?;
    let op = Op::Reduce { dimensions: Dims::from_slice(&[0]) };
    let found = b.push(op, &[usable, numbers, start, nowhere], &[region])?;
    Ok((found[0], found[1]))
}

/// Intersection over union of every box with box `at`; 0 where a box has no area.
fn overlaps(
    b: &mut FuncBuilder,
    corners: ValueId,
    area: ValueId,
    at: ValueId,
    n: usize,
) -> Result<ValueId> {
    let (line, pair) = (Shape::new(&[n]), Shape::new(&[2, n]));
    let zero = b.constant(Tensor::scalar(0i32))?;
    let own = b.dynamic_slice(corners, &[zero, at], &[4, 1])?;
    let own_area = b.dynamic_slice(area, &[at], &[1])?;
    let own_area = b.broadcast_in_dim(own_area, &line, &[0])?;
    let mut bounds = Vec::with_capacity(2);
    for (from, op) in [(0, Binary::Maximum), (2, Binary::Minimum)] {
        let all = b.slice(corners, &[from, 0], &[from + 2, n as i64], &[1, 1])?;
        let mine = b.slice(own, &[from, 0], &[from + 2, 1], &[1, 1])?;
        let mine = b.broadcast_in_dim(mine, &pair, &[0, 1])?;
        bounds.push(b.binary(op, all, mine)?);
    }
    let sides = b.binary(Binary::Subtract, bounds[1], bounds[0])?;
    let none = b.splat(Tensor::scalar(0f32), &pair)?;
    let sides = b.binary(Binary::Maximum, sides, none)?;
    let one = b.constant(Tensor::scalar(1f32))?;
    let common = b.reduce(Binary::Multiply, sides, one, &[0])?;
    let sum = b.binary(Binary::Add, area, own_area)?;
    let union = b.binary(Binary::Subtract, sum, common)?;
    let ratio = b.binary(Binary::Divide, common, union)?;
    let nothing = b.splat(Tensor::scalar(0f32), &line)?;
    let smaller = b.binary(Binary::Minimum, area, own_area)?;
    let solid = b.compare(Direction::Gt, smaller, nothing)?;
    b.select(solid, ratio, nothing)
}
