//! Reshapes, transposes, broadcasts and reversals.

use tfjit_hlo::{Dims, Op, TensorType};

use super::Rule;
use super::matching::{Rewrite, View, extents};

pub(super) const RULES: &[Rule] = &[
    Rule { reason: "move that moves nothing", rewrite: nothing },
    Rule { reason: "reshape of a reshape", rewrite: reshape_twice },
    Rule { reason: "transpose of a transpose", rewrite: transpose_twice },
    Rule { reason: "transpose of single elements", rewrite: transpose_as_reshape },
    Rule { reason: "broadcast of a broadcast", rewrite: broadcast_twice },
    Rule { reason: "broadcast that repeats nothing", rewrite: broadcast_as_reshape },
    Rule { reason: "broadcast of a reshape that adds single elements", rewrite: broadcast_reshape },
    Rule { reason: "reversal of a reversal", rewrite: reverse_twice },
];

/// Whether `dims` are `0, 1, …, rank - 1`.
fn in_order(dims: &[i64], rank: usize) -> bool {
    dims.len() == rank && (0..).zip(dims).all(|(i, &d)| i == d)
}

fn nothing(v: &View<'_>) -> Option<Rewrite> {
    let (x, rank) = (*v.inst.operands.first()?, v.result()?.rank());
    let still = match &v.inst.op {
        Op::Reshape => true,
        Op::Transpose { permutation } => in_order(permutation, rank),
        Op::BroadcastInDim { broadcast_dimensions } => in_order(broadcast_dimensions, rank),
        Op::Reverse { dimensions } => {
            let dims = &v.ty(x)?.dims;
            dimensions.iter().all(|&d| (0..=1).contains(&dims[d as usize]))
        }
        _ => return None,
    };
    (still && v.ty(x)? == v.result()?).then(|| Rewrite::value(x))?
}

fn reshape_twice(v: &View<'_>) -> Option<Rewrite> {
    let inner = v.operand_def(0).filter(|_| v.inst.op == Op::Reshape)?;
    let still = inner.op == Op::Reshape && extents(v.ty(inner.operands[0])?).is_some();
    still.then(|| v.instead(Op::Reshape, &inner.operands))?
}

fn transpose_twice(v: &View<'_>) -> Option<Rewrite> {
    let Op::Transpose { permutation: outer } = &v.inst.op else { return None };
    let inner = v.operand_def(0)?;
    let Op::Transpose { permutation: first } = &inner.op else { return None };
    let permutation: Dims = outer.iter().map(|&d| first[d as usize]).collect();
    v.instead(Op::Transpose { permutation }, &inner.operands)
}

/// A transpose that keeps the order of all dimensions but those of extent 1 moves no element.
fn transpose_as_reshape(v: &View<'_>) -> Option<Rewrite> {
    let Op::Transpose { permutation } = &v.inst.op else { return None };
    let ty = v.ty(v.operand(0)).filter(|t| t.quant.is_none())?;
    let dims = extents(ty)?;
    let kept = permutation.iter().filter(|&&d| dims[d as usize] != 1);
    let still = kept.is_sorted() || dims.contains(&0);
    (still && ty != v.result()?).then(|| v.instead(Op::Reshape, &[v.operand(0)]))?
}

/// Result dimensions of a broadcast whose own extents its operand has, not repeated.
fn broadcast_twice(v: &View<'_>) -> Option<Rewrite> {
    let Op::BroadcastInDim { broadcast_dimensions: outer } = &v.inst.op else { return None };
    let inner = v.operand_def(0)?;
    let Op::BroadcastInDim { broadcast_dimensions: first } = &inner.op else { return None };
    extents(v.ty(v.operand(0))?)?;
    let broadcast_dimensions: Dims = first.iter().map(|&d| outer[d as usize]).collect();
    v.instead(Op::BroadcastInDim { broadcast_dimensions }, &inner.operands)
}

/// A broadcast that only adds dimensions of extent 1, in order, moves no element.
fn broadcast_as_reshape(v: &View<'_>) -> Option<Rewrite> {
    let Op::BroadcastInDim { broadcast_dimensions } = &v.inst.op else { return None };
    let (x, y) = (v.ty(v.operand(0))?, v.result()?);
    let (from, to) = (extents(x)?, extents(y)?);
    let kept = from.iter().zip(broadcast_dimensions).filter(|&(&n, _)| n != 1);
    let in_order = kept.clone().map(|(_, &d)| d).is_sorted();
    let same = kept.clone().all(|(&n, &d)| to[d as usize] == n);
    let count = |dims: &[i64]| dims.iter().filter(|&&n| n != 1).count();
    let nothing_new = count(from) == count(to) && x.quant.is_none();
    (in_order && same && nothing_new && x != y).then(|| v.instead(Op::Reshape, &[v.operand(0)]))?
}

/// `broadcast(reshape(x))` where the reshape only adds dimensions of extent 1 broadcasts `x`.
fn broadcast_reshape(v: &View<'_>) -> Option<Rewrite> {
    let Op::BroadcastInDim { broadcast_dimensions } = &v.inst.op else { return None };
    let inner = v.operand_def(0).filter(|inner| inner.op == Op::Reshape)?;
    let (x, y): (&TensorType, &TensorType) = (v.ty(inner.operands[0])?, v.ty(v.operand(0))?);
    let (from, to) = (extents(x)?, extents(y)?);
    if x.quant.is_some() || to.len() <= from.len() {
        return None;
    }
    let mut dims = Dims::new();
    let mut rest = from.iter().peekable();
    for (&n, &d) in to.iter().zip(broadcast_dimensions) {
        if rest.peek() == Some(&&n) {
            rest.next();
            dims.push(d);
        } else if n != 1 {
            return None;
        }
    }
    if rest.next().is_some() {
        return None;
    }
    v.instead(Op::BroadcastInDim { broadcast_dimensions: dims }, &inner.operands)
}

fn reverse_twice(v: &View<'_>) -> Option<Rewrite> {
    let Op::Reverse { dimensions: outer } = &v.inst.op else { return None };
    let inner = v.operand_def(0)?;
    let Op::Reverse { dimensions: first } = &inner.op else { return None };
    let once =
        |a: &Dims, b: &Dims| -> Vec<i64> { a.iter().copied().filter(|d| !b.contains(d)).collect() };
    let mut dimensions = once(outer, first);
    dimensions.extend(once(first, outer));
    dimensions.sort_unstable();
    v.instead(Op::Reverse { dimensions: dimensions.into() }, &inner.operands)
}
