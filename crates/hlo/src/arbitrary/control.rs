//! Control flow that ends, calls, tuples and barriers.

use tfjit_base::{DType, Result, Tensor};

use super::{Gen, Makers};
use crate::{Binary, Direction, Op, Type, ValueId};

pub(super) const MAKERS: Makers =
    &[(2, while_loop), (3, branch), (2, case), (4, call), (2, tuple), (1, barrier)];

/// Regions nest no deeper than this.
const DEPTH_MAX: usize = 2;

/// A region that makes a few instructions and returns values of `types`.
fn body(g: &mut Gen, params: &[Type], types: &[Type]) -> Result<crate::BlockId> {
    g.region(params, |g, params| {
        let tensors = params.iter().copied().filter(|&p| g.b.ty(p).is_ok());
        let tensors: Vec<ValueId> = tensors.collect();
        g.pool.extend(tensors);
        let n = 1 + g.rng.below(3);
        g.steps(n);
        let value = |ty: &Type| {
            let t = ty.as_tensor().expect("only tensors are returned");
            g.with(t.dtype, &t.dims)
        };
        types.iter().map(value).collect()
    })
}

fn types_of(g: &mut Gen) -> Vec<Type> {
    (0..1 + g.rng.below(2))
        .map(|_| {
            let v = g.any();
            Type::Tensor(g.ty(v))
        })
        .collect()
}

/// A loop of up to three rounds.
fn while_loop(g: &mut Gen) -> Result<Vec<ValueId>> {
    if g.depth >= DEPTH_MAX {
        return Ok(Vec::new());
    }
    let (x, rounds) = (g.any(), g.rng.between(0, 3) as i32);
    let state = [Type::tensor(DType::I32, &[]), Type::Tensor(g.ty(x))];
    let cond = g.region(&state, |g, p| {
        let bound = g.b.constant(Tensor::scalar(rounds))?;
        Ok(vec![g.b.compare(Direction::Lt, p[0], bound)?])
    })?;
    let step = g.region(&state, |g, p| {
        let one = g.b.constant(Tensor::scalar(1i32))?;
        let next = g.b.binary(Binary::Add, p[0], one)?;
        g.pool.push(p[1]);
        let n = 1 + g.rng.below(3);
        g.steps(n);
        Ok(vec![next, g.like(p[1])?])
    })?;
    let start = g.b.constant(Tensor::scalar(0i32))?;
    Ok(g.b.push(Op::While, &[start, x], &[cond, step])?.to_vec())
}

fn branch(g: &mut Gen) -> Result<Vec<ValueId>> {
    if g.depth >= DEPTH_MAX {
        return Ok(Vec::new());
    }
    let pred = g.with(DType::Bool, &[])?;
    let types = types_of(g);
    let regions = [body(g, &[], &types)?, body(g, &[], &types)?];
    Ok(g.b.push(Op::If, &[pred], &regions)?.to_vec())
}

fn case(g: &mut Gen) -> Result<Vec<ValueId>> {
    if g.depth >= DEPTH_MAX {
        return Ok(Vec::new());
    }
    let index = g.index(DType::I32, -1, 3)?;
    let types = types_of(g);
    let n = 1 + g.rng.below(3);
    let regions = (0..n).map(|_| body(g, &[], &types)).collect::<Result<Vec<_>>>()?;
    Ok(g.b.push(Op::Case, &[index], &regions)?.to_vec())
}

/// Arguments for a function, all tensors of the pool's kind.
pub(super) fn arguments(g: &mut Gen, params: &[Type]) -> Result<Vec<ValueId>> {
    let value = |ty: &Type| {
        let t = ty.as_tensor().expect("parameters are tensors");
        g.with(t.dtype, &t.dims)
    };
    params.iter().map(value).collect()
}

fn call(g: &mut Gen) -> Result<Vec<ValueId>> {
    if g.helpers.is_empty() {
        return Ok(Vec::new());
    }
    let i = g.rng.below(g.helpers.len());
    let helper = g.helpers[i].clone();
    let args = arguments(g, &helper.params)?;
    let op = Op::Call { callee: helper.name };
    Ok(g.b.push_typed(op, &args, &[], &helper.results)?.to_vec())
}

fn tuple(g: &mut Gen) -> Result<Vec<ValueId>> {
    let parts = [g.any(), g.any()];
    let pair = g.b.push(Op::Tuple, &parts, &[])?[0];
    let index = g.rng.between(0, 1);
    Ok(g.b.push(Op::GetTupleElement { index }, &[pair], &[])?.to_vec())
}

fn barrier(g: &mut Gen) -> Result<Vec<ValueId>> {
    let values = [g.any(), g.any()];
    Ok(g.b.push(Op::OptimizationBarrier, &values, &[])?.to_vec())
}
