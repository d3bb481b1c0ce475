//! Slices, pads, joins and updates.

use tfjit_hlo::{Dims, Op, ValueId};

use super::Rule;
use super::matching::{Rewrite, View, extents};

pub(super) const RULES: &[Rule] = &[
    Rule { reason: "slice of everything", rewrite: slice_all },
    Rule { reason: "slice of a slice", rewrite: slice_twice },
    Rule { reason: "slice of a join within one part", rewrite: slice_of_join },
    Rule { reason: "pad with nothing", rewrite: pad_nothing },
    Rule { reason: "join of one", rewrite: join_one },
    Rule { reason: "join of empty parts", rewrite: join_empty },
    Rule { reason: "join of joins", rewrite: join_twice },
    Rule { reason: "slice at constant indices", rewrite: constant_slice },
    Rule { reason: "update of everything", rewrite: update_all },
];

fn slice_all(v: &View<'_>) -> Option<Rewrite> {
    let whole = match &v.inst.op {
        Op::Slice { strides, .. } => strides.iter().all(|&s| s == 1),
        // Indices are moved inside, which leaves only 0.
        Op::DynamicSlice { .. } => true,
        _ => return None,
    };
    extents(v.ty(v.operand(0))?)?;
    (whole && v.ty(v.operand(0))? == v.result()?).then(|| Rewrite::value(v.operand(0)))?
}

fn slice_twice(v: &View<'_>) -> Option<Rewrite> {
    let Op::Slice { start_indices: b, strides: t, .. } = &v.inst.op else { return None };
    let inner = v.operand_def(0)?;
    let Op::Slice { start_indices: a, strides: s, .. } = &inner.op else { return None };
    let counts = extents(v.result()?)?;
    let (mut start, mut limit, mut strides) = (Dims::new(), Dims::new(), Dims::new());
    for d in 0..counts.len() {
        let step = s[d].checked_mul(t[d])?;
        let from = b[d].checked_mul(s[d])?.checked_add(a[d])?;
        let last = (counts[d] - 1).checked_mul(step)?.checked_add(from)?;
        // An empty slice may start anywhere inside.
        let from = if counts[d] == 0 { 0 } else { from };
        start.push(from);
        limit.push(if counts[d] == 0 { 0 } else { last.checked_add(1)? });
        strides.push(step);
    }
    let op = Op::Slice { start_indices: start, limit_indices: limit, strides };
    v.instead(op, &inner.operands)
}

/// A slice that lies within one part of a join is one of that part.
fn slice_of_join(v: &View<'_>) -> Option<Rewrite> {
    let Op::Slice { start_indices, limit_indices, strides } = &v.inst.op else { return None };
    let inner = v.operand_def(0)?;
    let Op::Concatenate { dimension } = inner.op else { return None };
    let d = usize::try_from(dimension).ok()?;
    let mut before = 0;
    for &part in &inner.operands {
        let extent = extents(v.ty(part)?)?[d];
        if before <= start_indices[d] && limit_indices[d] <= before + extent {
            let (mut start, mut limit) = (start_indices.clone(), limit_indices.clone());
            start[d] -= before;
            limit[d] -= before;
            let strides = strides.clone();
            let op = Op::Slice { start_indices: start, limit_indices: limit, strides };
            return v.instead(op, &[part]);
        }
        before += extent;
    }
    None
}

fn pad_nothing(v: &View<'_>) -> Option<Rewrite> {
    let Op::Pad { edge_padding_low: low, edge_padding_high: high, interior_padding: inner } =
        &v.inst.op
    else {
        return None;
    };
    let nothing = low.iter().chain(high).chain(inner).all(|&n| n == 0);
    nothing.then(|| Rewrite::value(v.operand(0)))?
}

fn join(v: &View<'_>) -> Option<(i64, usize)> {
    match v.inst.op {
        Op::Concatenate { dimension } => Some((dimension, usize::try_from(dimension).ok()?)),
        _ => None,
    }
}

fn join_one(v: &View<'_>) -> Option<Rewrite> {
    join(v)?;
    (v.inst.operands.len() == 1).then(|| Rewrite::value(v.operand(0)))?
}

fn join_empty(v: &View<'_>) -> Option<Rewrite> {
    let (dimension, d) = join(v)?;
    let parts = &v.inst.operands;
    let full = |&&part: &&ValueId| v.ty(part).is_none_or(|t| t.dims[d] != 0);
    let mut kept: Vec<ValueId> = parts.iter().filter(full).copied().collect();
    if kept.is_empty() {
        kept.push(parts[0]);
    }
    (kept.len() < parts.len()).then(|| v.instead(Op::Concatenate { dimension }, &kept))?
}

fn join_twice(v: &View<'_>) -> Option<Rewrite> {
    let (dimension, _) = join(v)?;
    let same = |part: ValueId| v.def(part).filter(|inner| inner.op == v.inst.op);
    let flat: Vec<ValueId> = v
        .inst
        .operands
        .iter()
        .flat_map(|&part| match same(part) {
            Some(inner) => inner.operands.to_vec(),
            None => vec![part],
        })
        .collect();
    // Flattening may double the operands each time, so that it must stop somewhere.
    let grown = flat.len() > v.inst.operands.len() && flat.len() <= 256;
    grown.then(|| v.instead(Op::Concatenate { dimension }, &flat))?
}

fn constant_slice(v: &View<'_>) -> Option<Rewrite> {
    let Op::DynamicSlice { slice_sizes } = &v.inst.op else { return None };
    let dims = extents(v.ty(v.operand(0))?)?;
    let mut start = Dims::new();
    for (d, (&size, &extent)) in slice_sizes.iter().zip(dims).enumerate() {
        let index = match v.literal(v.operand(d + 1))? {
            literal if size <= extent => literal.as_splat()?.to_i64s().ok()?.first().copied()?,
            _ => return None,
        };
        // `U64` above the range of `i64` reads as negative, and must go to the other end.
        let huge = index < 0 && v.ty(v.operand(d + 1))?.dtype.is_unsigned_int();
        start.push(if huge { extent - size } else { index.clamp(0, extent - size) });
    }
    let limit: Dims = start.iter().zip(slice_sizes).map(|(&from, &size)| from + size).collect();
    let strides: Dims = start.iter().map(|_| 1).collect();
    let op = Op::Slice { start_indices: start, limit_indices: limit, strides };
    v.instead(op, &[v.operand(0)])
}

fn update_all(v: &View<'_>) -> Option<Rewrite> {
    if v.inst.op != Op::DynamicUpdateSlice {
        return None;
    }
    let (x, update) = (v.ty(v.operand(0))?, v.ty(v.operand(1))?);
    extents(x)?;
    if update.dims.contains(&0) {
        return Rewrite::value(v.operand(0));
    }
    (x == update).then(|| Rewrite::value(v.operand(1)))?
}
