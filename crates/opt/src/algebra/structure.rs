//! Tuples, sizes, sorts of nothing.

use tfjit_base::Tensor;
use tfjit_hlo::{Op, Type};

use super::Rule;
use super::matching::{Rewrite, View};

pub(super) const RULES: &[Rule] = &[
    Rule { reason: "element of a tuple that is made here", rewrite: tuple_element },
    Rule { reason: "tuple of all elements of a tuple", rewrite: tuple_again },
    Rule { reason: "size that is known", rewrite: known_size },
    Rule { reason: "sort of single elements", rewrite: sort_of_one },
];

fn tuple_element(v: &View<'_>) -> Option<Rewrite> {
    let Op::GetTupleElement { index } = v.inst.op else { return None };
    let made = v.operand_def(0).filter(|made| made.op == Op::Tuple)?;
    Rewrite::value(*made.operands.get(usize::try_from(index).ok()?)?)
}

fn tuple_again(v: &View<'_>) -> Option<Rewrite> {
    if v.inst.op != Op::Tuple {
        return None;
    }
    let whole = *v.def(*v.inst.operands.first()?)?.operands.first()?;
    let Type::Tuple(items) = v.func.ty(whole) else { return None };
    let in_order = (0..).zip(&v.inst.operands).all(|(i, &part)| {
        v.def(part).is_some_and(|made| {
            made.op == Op::GetTupleElement { index: i } && made.operands[0] == whole
        })
    });
    (in_order && items.len() == v.inst.operands.len()).then(|| Rewrite::value(whole))?
}

fn known_size(v: &View<'_>) -> Option<Rewrite> {
    let Op::GetDimensionSize { dimension } = v.inst.op else { return None };
    let extent = *v.ty(v.operand(0))?.dims.get(usize::try_from(dimension).ok()?)?;
    // An unknown extent is negative here.
    let extent = i32::try_from(extent).ok().filter(|&n| n >= 0)?;
    v.constant(Tensor::scalar(extent))
}

fn sort_of_one(v: &View<'_>) -> Option<Rewrite> {
    let Op::Sort { dimension, .. } = v.inst.op else { return None };
    let dims = &v.ty(v.operand(0))?.dims;
    let at = if dimension < 0 { dimension + dims.len() as i64 } else { dimension };
    let extent = *dims.get(usize::try_from(at).ok()?)?;
    (0..=1).contains(&extent).then(|| Rewrite::values(&v.inst.operands))?
}
