//! Computes the twins that a graph keeps.

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result};
use tfjit_hlo::{InstId, Op, Patch, TensorType, ValueId};

use super::graph::{Graph, Node, absorbed};
use super::twin::{Free, Twin, carried, free};
use crate::Fold;
use crate::insert::{Insert, copied, elementwise, inverse, literal, moved};

/// Rewrites the kept groups; whether there are any.
pub(super) fn apply(patch: &mut Patch<'_>, graph: &Graph, fold: Option<&dyn Fold>) -> Result<bool> {
    let roots = graph.roots();
    let mut paid: FxHashMap<usize, bool> = FxHashMap::default();
    let mut twins: Vec<Option<ValueId>> = vec![None; graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.kept) {
        let paid = paid.entry(roots[at]).or_insert_with(|| patch.begin("move past what follows"));
        if !*paid {
            continue;
        }
        let twin = match node.seed {
            true => patch.func().insts[node.inst].operands[0],
            false => computed(patch, graph, node, &twins, fold)?,
        };
        twins[at] = Some(twin);
    }
    // Twins that something else took the place of.
    let mut replaced: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    // Members are known by their operands until all are computed.
    for (node, &twin) in graph.nodes.iter().zip(&twins) {
        let Some(twin) = twin.filter(|_| !node.seed && node.outside > 0) else { continue };
        let ty = patch.func().tensor_ty(node.value).cloned().ok_or_else(lost)?;
        let op = node.twin.op();
        let value = Insert { patch, anchor: node.inst }.typed(op, &[twin], ty)?;
        patch.replace_all_uses(node.value, value)?;
        replaced.insert(node.value, value);
    }
    for (node, &twin) in graph.nodes.iter().zip(&twins) {
        let Some(mut twin) = twin else { continue };
        while let Some(&value) = replaced.get(&twin) {
            twin = value;
        }
        for &(user, i) in &node.absorbers {
            let result = patch.func().insts[user].results[0];
            if absorb(patch, node, twin, user, i)? {
                replaced.insert(result, twin);
            }
        }
    }
    // What was computed from moved values is unused now, users last.
    for (node, twin) in graph.nodes.iter().zip(&twins).rev() {
        if twin.is_some() && patch.use_count(node.value) == 0 {
            patch.erase(node.inst)?;
        }
    }
    Ok(twins.iter().any(Option::is_some))
}

/// A mistake of this pass.
fn lost() -> Error {
    Error::internal("a moved value is not what it was")
}

/// A member computed from twins.
fn computed(
    patch: &mut Patch<'_>,
    graph: &Graph,
    node: &Node,
    twins: &[Option<ValueId>],
    fold: Option<&dyn Fold>,
) -> Result<ValueId> {
    let inst = &patch.func().insts[node.inst];
    let (op, mut operands, regions) =
        (inst.op.clone(), inst.operands.clone(), inst.regions.clone());
    let result = patch.func().tensor_ty(node.value).cloned().ok_or_else(lost)?;
    let ty = node.twin.ty(&result);
    let mut nodes = node.operands.iter().copied().peekable();
    if elementwise(&op) {
        for operand in &mut operands {
            let next = nodes.next_if(|&at| graph.nodes[at].value == *operand);
            *operand = match next {
                Some(at) => twins[at].ok_or_else(lost)?,
                None => freed(patch, node, *operand, &result.dims, fold)?,
            };
        }
        return Insert { patch, anchor: node.inst }.typed(op, &operands, ty);
    }
    let first = &graph.nodes[*nodes.peek().ok_or_else(lost)?];
    let from = patch.func().tensor_ty(first.value).ok_or_else(lost)?;
    let carried = carried(&patch.func().insts[node.inst], &first.twin, from).ok_or_else(lost)?;
    for (operand, at) in operands.iter_mut().zip(nodes) {
        *operand = twins[at].ok_or_else(lost)?;
    }
    if regions.is_empty() {
        return Insert { patch, anchor: node.inst }.typed(carried.op, &operands, ty);
    }
    let copies = regions.iter().map(|&r| copied(patch, r)).collect::<Result<Vec<_>>>()?;
    let results = patch.insert_with_regions(node.inst, carried.op, &operands, &copies)?;
    Ok(results[0])
}

/// The twin of an operand that is not moved.
fn freed(
    patch: &mut Patch<'_>,
    node: &Node,
    value: ValueId,
    dims: &[i64],
    fold: Option<&dyn Fold>,
) -> Result<ValueId> {
    let free = free(patch.func(), value, &node.twin, dims, fold.is_some()).ok_or_else(lost)?;
    let ty = node.twin.ty(patch.func().tensor_ty(value).ok_or_else(lost)?);
    let mut at = Insert { patch, anchor: node.inst };
    match free {
        Free::Scalar => Ok(value),
        Free::Iota(dimension) => at.typed(Op::Iota { dimension }, &[], ty),
        Free::Constant => constant(&mut at, &node.twin, value, ty, fold),
        Free::Broadcast { x, reshaped, dims } => {
            let x = match reshaped {
                Some(extents) => {
                    let ty = at.ty(x)?.with_dims(&extents);
                    constant(&mut at, &Twin::Reshape(extents), x, ty, fold)?
                }
                None => x,
            };
            at.broadcast(x, &ty, &dims)
        }
    }
}

/// A constant in the form of its twin, of type `ty`.
fn constant(
    at: &mut Insert<'_, '_>,
    twin: &Twin,
    value: ValueId,
    ty: TensorType,
    fold: Option<&dyn Fold>,
) -> Result<ValueId> {
    let op = match twin {
        Twin::Transpose(p) => Op::Transpose { permutation: inverse(p) },
        Twin::Reshape(_) => Op::Reshape,
    };
    let made =
        literal(at.patch.func(), value).and_then(|literal| moved(fold, literal, op.clone(), &ty));
    match made {
        Some(literal) => at.literal(literal),
        None => at.typed(op, &[value], ty),
    }
}

/// Makes a user that can read the twin of a node read it; whether the twin took its place.
fn absorb(
    patch: &mut Patch<'_>,
    node: &Node,
    twin: ValueId,
    user: InstId,
    i: usize,
) -> Result<bool> {
    let inst = &patch.func().insts[user];
    let op = match &inst.op {
        Op::Transpose { .. } | Op::Reshape => {
            patch.replace(user, &[twin])?;
            return Ok(true);
        }
        Op::DotGeneral(_) | Op::BroadcastInDim { .. } => absorbed(patch.func(), &inst.op, i, node),
        _ => {
            let ty = patch.func().tensor_ty(node.value);
            ty.and_then(|ty| carried(inst, &node.twin, ty)).map(|carried| carried.op)
        }
    };
    let op = op.ok_or_else(lost)?;
    patch.set_operand(user, i, twin);
    patch.set_op(user, op)?;
    Ok(false)
}
