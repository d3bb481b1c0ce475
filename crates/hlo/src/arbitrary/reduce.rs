//! Reductions, windows, scatters and sorts, whose results do not depend on the order of work but
//! for rounding.

use tfjit_base::{DType, DTypeClass, Result};

use super::elementwise::total;
use super::moves::solid;
use super::values::REALS;
use super::{Gen, Makers};
use crate::{Binary, Dims, Direction, Op, Scatter, Type, ValueId, Window};

pub(super) const MAKERS: Makers = &[
    (4, reduce),
    (1, reduce_pair),
    (2, reduce_window),
    (1, select_and_scatter),
    (3, scatter),
    (2, sort),
    (1, top_k),
];

/// An operation that combines values of a type in any order.
pub(super) fn combiner(g: &mut Gen, dtype: DType) -> Binary {
    let all: &[Binary] = match dtype.class() {
        DTypeClass::Bool => &[Binary::And, Binary::Or],
        DTypeClass::Signed | DTypeClass::Unsigned => &[
            Binary::Add,
            Binary::Multiply,
            Binary::Maximum,
            Binary::Minimum,
            Binary::And,
            Binary::Or,
            Binary::Xor,
        ],
        DTypeClass::Complex => &[Binary::Add],
        _ => &[Binary::Add, Binary::Maximum, Binary::Minimum],
    };
    g.rng.pick(all)
}

fn reduce(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.ranked()?;
    let ty = g.ty(x);
    let dims = g.rng.subset(ty.rank());
    let init = g.with(ty.dtype, &[])?;
    let op = combiner(g, ty.dtype);
    Ok(vec![g.b.reduce(op, x, init, &dims)?])
}

/// The largest element and its position, the first one of equals.
fn reduce_pair(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.of(&[DType::I32, DType::I64], 1)?;
    let ty = g.ty(x);
    let shape = ty.shape()?;
    let index = g.b.iota(DType::I32, &shape, 0)?;
    let (low, zero) = (g.index(ty.dtype, -9, -9)?, g.index(DType::I32, 0, 0)?);
    let pair = [Gen::scalar(ty.dtype), Gen::scalar(DType::I32)];
    let params = [&pair[..], &pair[..]].concat();
    let body = g.region(&params, |g, p| {
        let more = g.b.compare(Direction::Gt, p[0], p[2])?;
        let same = g.b.compare(Direction::Eq, p[0], p[2])?;
        let first = g.b.compare(Direction::Lt, p[1], p[3])?;
        let tie = g.b.binary(Binary::And, same, first)?;
        let take = g.b.binary(Binary::Or, more, tie)?;
        Ok(vec![g.b.select(take, p[0], p[2])?, g.b.select(take, p[1], p[3])?])
    })?;
    let op = Op::Reduce { dimensions: Dims::from_slice(&[0]) };
    Ok(g.b.push(op, &[x, index, low, zero], &[body])?.to_vec())
}

fn window(g: &mut Gen, dims: &[i64], dilated: bool) -> Window {
    let mut w = Window::default();
    for &d in dims {
        w.window_dimensions.push(g.rng.between(1, d.max(1)));
        w.window_strides.push(g.rng.between(1, 2));
        w.base_dilations.push(if dilated { g.rng.between(1, 2) } else { 1 });
        w.window_dilations.push(if dilated { g.rng.between(1, 2) } else { 1 });
        w.padding.push([g.rng.between(0, 1), g.rng.between(0, 1)]);
    }
    w
}

fn reduce_window(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.ranked()?;
    let ty = g.ty(x);
    let window = window(g, &ty.dims, true);
    let init = g.with(ty.dtype, &[])?;
    let op = combiner(g, ty.dtype);
    Ok(vec![g.b.reduce_window(op, x, init, window)?])
}

fn select_and_scatter(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = match g.find(|t| REALS.contains(&t.dtype) && t.rank() > 0 && !t.dims.contains(&0)) {
        Some(x) => x,
        None => g.fresh(DType::F32, &[3, 4])?,
    };
    let ty = g.ty(x);
    // Without padding each window has an element to select.
    let mut window = window(g, &ty.dims, false);
    window.padding.iter_mut().for_each(|p| *p = [0, 0]);
    let count =
        |i: usize| (ty.dims[i] - window.window_dimensions[i]) / window.window_strides[i] + 1;
    let counts: Vec<i64> = (0..ty.rank()).map(count).collect();
    let source = g.with(ty.dtype, &counts)?;
    let init = g.with(ty.dtype, &[])?;
    let pair = vec![Gen::scalar(ty.dtype); 2];
    let select = g.region(&pair, |g, p| {
        let op = Op::Compare { direction: Direction::Ge, compare_type: total(ty.dtype) };
        Ok(g.b.push(op, &[p[0], p[1]], &[])?.to_vec())
    })?;
    let scatter = g.region(&pair, |g, p| Ok(vec![g.b.binary(Binary::Add, p[0], p[1])?]))?;
    let op = Op::SelectAndScatter(Box::new(window));
    Ok(g.b.push(op, &[x, source, init], &[select, scatter])?.to_vec())
}

fn scatter(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = solid(g, 1)?;
    let ty = g.ty(x);
    let rank = ty.rank();
    let mapped: Dims = (0..rank as i64).filter(|_| !g.rng.one_in(3)).collect();
    let inserted: Dims = (0..rank as i64).filter(|_| g.rng.one_in(2)).collect();
    let mut batch = g.random_dims(2);
    let open: Vec<usize> = (0..rank).filter(|&d| !inserted.contains(&(d as i64))).collect();
    let result = batch.len() + open.len();
    let mut at: Vec<i64> = g.rng.permutation(result)[..open.len()].to_vec();
    at.sort_unstable();
    let (mut windows, mut batches) = (open.iter(), batch.clone().into_iter());
    let mut shape = Vec::new();
    for d in 0..result as i64 {
        let extent = match at.contains(&d) {
            true => windows.next().map(|&w| g.rng.between(0, ty.dims[w])),
            false => batches.next(),
        };
        shape.extend(extent);
    }
    let updates = g.with(ty.dtype, &shape)?;
    let numbers = Scatter {
        update_window_dims: at.into(),
        inserted_window_dims: inserted,
        index_vector_dim: batch.len() as i64,
        scatter_dims_to_operand_dims: mapped.clone(),
        ..Scatter::default()
    };
    batch.push(mapped.len() as i64);
    let indices = g.indices(DType::I32, &batch, -1, 4)?;
    let op = combiner(g, ty.dtype);
    Ok(vec![g.b.scatter(Some(op), x, indices, updates, numbers)?])
}

fn sort(g: &mut Gen) -> Result<Vec<ValueId>> {
    let key = match g.find(|t| t.rank() > 0 && !t.dtype.is_complex()) {
        Some(key) => key,
        None => g.fresh(DType::F32, &[3, 4])?,
    };
    let ty = g.ty(key);
    let mut inputs = vec![key];
    if g.rng.one_in(2) {
        let dtype = g.random_dtype();
        inputs.push(g.with(dtype, &ty.dims)?);
    }
    let types: Vec<Type> = inputs.iter().map(|&v| Gen::scalar(g.ty(v).dtype)).collect();
    let params: Vec<Type> = types.into_iter().flat_map(|t| [t.clone(), t]).collect();
    let direction = g.rng.pick(&[Direction::Lt, Direction::Gt]);
    let less = g.region(&params, |g, p| {
        let op = Op::Compare { direction, compare_type: total(ty.dtype) };
        Ok(g.b.push(op, &[p[0], p[1]], &[])?.to_vec())
    })?;
    let rank = ty.rank() as i64;
    let dimension = g.rng.between(-rank, rank - 1);
    Ok(g.b.push(Op::Sort { dimension, is_stable: true }, &inputs, &[less])?.to_vec())
}

fn top_k(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.of(REALS, 1)?;
    let last = g.ty(x).dims.last().copied().unwrap_or(0);
    let op = Op::TopK { k: g.rng.between(0, last), largest: !g.rng.one_in(4) };
    Ok(g.b.push(op, &[x], &[])?.to_vec())
}
