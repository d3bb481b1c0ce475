//! Operations that move elements.

use tfjit_base::{DType, Result, Shape};

use super::{Gen, Makers, elements};
use crate::{Dims, Gather, Op, ValueId};

pub(super) const MAKERS: Makers = &[
    (3, broadcast),
    (3, reshape),
    (3, transpose),
    (2, reverse),
    (3, concatenate),
    (3, slice),
    (2, dynamic_slice),
    (2, dynamic_update_slice),
    (3, pad),
    (3, gather),
    (1, index_select),
    (2, iota),
    (2, literal),
];

fn literal(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (dtype, dims) = (g.random_dtype(), g.random_dims(4));
    Ok(vec![g.fresh(dtype, &dims)?])
}

fn iota(g: &mut Gen) -> Result<Vec<ValueId>> {
    let dims: Vec<i64> = (0..1 + g.rng.below(3)).map(|_| g.rng.between(1, 5)).collect();
    let dtype = g.rng.pick(&[DType::I32, DType::I64, DType::F32, DType::U8, DType::BF16]);
    let dimension = g.rng.below(dims.len());
    Ok(vec![g.b.iota(dtype, &Shape::from_i64(&dims)?, dimension)?])
}

fn broadcast(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let dims = g.ty(x).dims;
    let rank = (dims.len() + g.rng.below(3)).min(6).max(dims.len());
    let order = g.rng.permutation(rank);
    let to: Dims = order[..dims.len()].iter().copied().collect();
    let mut shape: Vec<i64> = (0..rank).map(|_| g.rng.between(1, 3)).collect();
    for (&from, &at) in dims.iter().zip(&to) {
        shape[at as usize] = if from == 1 { g.rng.between(1, 3) } else { from };
    }
    Ok(vec![g.b.broadcast_in_dim(x, &Shape::from_i64(&shape)?, &to)?])
}

fn reshape(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let mut left = elements(&g.ty(x));
    let mut shape = Vec::new();
    while left > 1 && shape.len() < 4 && !g.rng.one_in(4) {
        let divisors: Vec<i64> = (2..=left).filter(|d| left % d == 0).collect();
        let part = g.rng.pick(&divisors);
        shape.push(part);
        left /= part;
    }
    if left != 1 || g.rng.one_in(4) {
        shape.push(left);
    }
    Ok(vec![g.b.reshape(x, &Shape::from_i64(&shape)?)?])
}

fn transpose(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let rank = g.ty(x).rank();
    let permutation: Dims = g.rng.permutation(rank).into();
    Ok(g.b.push(Op::Transpose { permutation }, &[x], &[])?.to_vec())
}

fn reverse(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let rank = g.ty(x).rank();
    let dims = g.rng.subset(rank);
    Ok(vec![g.b.reverse(x, &dims)?])
}

fn concatenate(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.ranked()?;
    let ty = g.ty(x);
    let dim = g.rng.below(ty.rank());
    let mut parts = vec![x];
    for _ in 0..g.rng.below(3) {
        let mut dims = ty.dims.to_vec();
        dims[dim] = g.rng.between(0, 3);
        parts.push(g.with(ty.dtype, &dims)?);
    }
    Ok(vec![g.b.concatenate(&parts, dim)?])
}

fn slice(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let (mut start, mut limit, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    for d in g.ty(x).dims {
        let from = g.rng.between(0, d);
        start.push(from);
        limit.push(g.rng.between(from, d));
        strides.push(g.rng.between(1, 3));
    }
    Ok(vec![g.b.slice(x, &start, &limit, &strides)?])
}

/// One scalar start a dimension, some of them outside.
fn starts(g: &mut Gen, rank: usize) -> Result<Vec<ValueId>> {
    let dtype = g.rng.pick(&[DType::I32, DType::I64]);
    (0..rank).map(|_| g.index(dtype, -1, 4)).collect()
}

fn dynamic_slice(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let dims = g.ty(x).dims;
    let sizes: Vec<i64> = dims.iter().map(|&d| g.rng.between(0, d)).collect();
    let starts = starts(g, dims.len())?;
    Ok(vec![g.b.dynamic_slice(x, &starts, &sizes)?])
}

fn dynamic_update_slice(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let ty = g.ty(x);
    let sizes: Vec<i64> = ty.dims.iter().map(|&d| g.rng.between(0, d)).collect();
    let update = g.with(ty.dtype, &sizes)?;
    let starts = starts(g, sizes.len())?;
    Ok(vec![g.b.dynamic_update_slice(x, update, &starts)?])
}

fn pad(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let ty = g.ty(x);
    let (mut low, mut high, mut interior) = (Vec::new(), Vec::new(), Vec::new());
    for &d in &ty.dims {
        let inside = g.rng.between(0, 2);
        let whole = d + (d - 1).max(0) * inside;
        let cut = if whole > 1 { -1 } else { 0 };
        low.push(g.rng.between(cut, 2));
        high.push(g.rng.between(if whole > 2 { cut } else { 0 }, 2));
        interior.push(inside);
    }
    let value = g.with(ty.dtype, &[])?;
    Ok(vec![g.b.pad(x, value, &low, &high, &interior)?])
}

/// Extents of which the part that gather and scatter windows need is not empty.
pub(super) fn solid(g: &mut Gen, rank: usize) -> Result<ValueId> {
    match g.find(|t| t.rank() >= rank && !t.dims.contains(&0)) {
        Some(x) => Ok(x),
        None => g.fresh(DType::F32, &vec![3; rank.max(1)]),
    }
}

fn gather(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = solid(g, 1)?;
    let dims = g.ty(x).dims;
    let rank = dims.len();
    let batching = rank > 1 && g.rng.one_in(3);
    let free: Vec<i64> = (i64::from(batching)..rank as i64).collect();
    let mapped: Dims = free.iter().copied().filter(|_| !g.rng.one_in(3)).collect();
    let mut slice_sizes: Dims = dims.iter().map(|&d| g.rng.between(0, d)).collect();
    let collapsed: Dims = free.iter().copied().filter(|_| g.rng.one_in(2)).collect();
    for &d in &collapsed {
        slice_sizes[d as usize] = 1;
    }
    let mut batch = g.random_dims(2);
    let mut gather = Gather { start_index_map: mapped, ..Gather::default() };
    if batching {
        slice_sizes[0] = 1;
        batch.insert(0, dims[0]);
        gather.operand_batching_dims = Dims::from_slice(&[0]);
        gather.start_indices_batching_dims = Dims::from_slice(&[0]);
    }
    let hidden = collapsed.len() + usize::from(batching);
    let result = batch.len() + rank - hidden;
    let mut offsets: Vec<i64> = g.rng.permutation(result)[..rank - hidden].to_vec();
    offsets.sort_unstable();
    gather.offset_dims = offsets.into();
    gather.collapsed_slice_dims = collapsed;
    gather.slice_sizes = slice_sizes;
    gather.index_vector_dim = batch.len() as i64;
    batch.push(gather.start_index_map.len() as i64);
    let indices = g.indices(DType::I32, &batch, -1, 4)?;
    Ok(vec![g.b.gather(x, indices, gather)?])
}

fn index_select(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = solid(g, 1)?;
    let dims = g.ty(x).dims;
    let dim = g.rng.below(dims.len());
    let shape = g.random_dims(2);
    let index = g.indices(DType::I64, &shape, 0, dims[dim] - 1)?;
    let op = Op::TorchIndexSelect { dim: dim as i64, batch_dims: 0 };
    Ok(g.b.push(op, &[x, index], &[])?.to_vec())
}
