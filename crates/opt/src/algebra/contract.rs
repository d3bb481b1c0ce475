//! Transposes of operands that dot products can read through.

use tfjit_hlo::{Dims, DotGeneral, Inst, Op, ValueId};

use super::Rule;
use super::matching::{Rewrite, View};

pub(super) const RULES: &[Rule] = &[
    Rule { reason: "dot product of a transposed left operand", rewrite: left },
    Rule { reason: "dot product of a transposed right operand", rewrite: right },
];

/// The permutation and the operand of a transpose.
fn transposed<'a>(v: &View<'a>, value: ValueId) -> Option<(&'a Dims, &'a Inst)> {
    let inner = v.def(value)?;
    match &inner.op {
        Op::Transpose { permutation } => Some((permutation, inner)),
        _ => None,
    }
}

/// Dimension numbers of a transposed operand as those of the operand of the transpose; `None` if
/// the dimensions that are neither would change their order, which the result shows.
pub(crate) fn through(
    permutation: &Dims,
    batching: &Dims,
    contracting: &Dims,
) -> Option<(Dims, Dims)> {
    let used = |d: &i64| batching.contains(d) || contracting.contains(d);
    let free = (0..permutation.len() as i64).filter(|d| !used(d));
    if !free.map(|d| permutation[d as usize]).is_sorted() {
        return None;
    }
    let map = |dims: &Dims| dims.iter().map(|&d| permutation[d as usize]).collect();
    Some((map(batching), map(contracting)))
}

fn left(v: &View<'_>) -> Option<Rewrite> {
    let Op::DotGeneral(dot) = &v.inst.op else { return None };
    let (permutation, inner) = transposed(v, v.operand(0))?;
    let (batching, contracting) =
        through(permutation, &dot.lhs_batching_dimensions, &dot.lhs_contracting_dimensions)?;
    let dot = DotGeneral {
        lhs_batching_dimensions: batching,
        lhs_contracting_dimensions: contracting,
        ..(**dot).clone()
    };
    v.instead(Op::DotGeneral(Box::new(dot)), &[inner.operands[0], v.operand(1)])
}

fn right(v: &View<'_>) -> Option<Rewrite> {
    let Op::DotGeneral(dot) = &v.inst.op else { return None };
    let (permutation, inner) = transposed(v, v.operand(1))?;
    let (batching, contracting) =
        through(permutation, &dot.rhs_batching_dimensions, &dot.rhs_contracting_dimensions)?;
    let dot = DotGeneral {
        rhs_batching_dimensions: batching,
        rhs_contracting_dimensions: contracting,
        ..(**dot).clone()
    };
    v.instead(Op::DotGeneral(Box::new(dot)), &[v.operand(0), inner.operands[0]])
}
