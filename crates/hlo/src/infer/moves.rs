//! Rules of operations that move elements by attributes alone.

use tfjit_base::Result;

use super::extent::{Extent, Extents};
use super::rule::{Rule, ensure};
use super::types::Shown;
use crate::{Dims, TensorType, Type};

pub(super) fn broadcast(r: &Rule<'_>, dims: &[i64]) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, r.declared(0)?);
    broadcast_to(r, x, y, dims)?;
    Ok(vec![r.like(0, x, &Extent::all(y))?])
}

/// Checks that `x` can be broadcast to `y`.
pub(super) fn broadcast_to(
    r: &Rule<'_>,
    x: &TensorType,
    y: &TensorType,
    dims: &[i64],
) -> Result<()> {
    r.same_element(x, y, "operand and result")?;
    r.length("broadcast_dimensions", dims, x.rank())?;
    let dims = r.dimensions("broadcast_dimensions", dims, y.rank())?;
    for (i, &d) in dims.iter().enumerate() {
        let (from, to) = (Extent::of(x, i), Extent::of(y, d));
        ensure!(
            r,
            from.may_be(1) || from.meet(to).is_some(),
            "dimension {i} of extent {from} cannot become dimension {d} of extent {to}"
        );
    }
    Ok(())
}

pub(super) fn reshape(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, r.declared(0)?);
    same_count(r, x, y)?;
    Ok(vec![r.like(0, x, &Extent::all(y))?])
}

/// Checks that `x` can be reshaped to `y`.
pub(super) fn same_count(r: &Rule<'_>, x: &TensorType, y: &TensorType) -> Result<()> {
    r.same_element(x, y, "operand and result")?;
    if x.is_static() && y.is_static() {
        let (n, m) = (elements(x), elements(y));
        ensure!(r, n == m, "{} has {n} elements, {} has {m}", Shown(x), Shown(y));
    }
    Ok(())
}

/// The number of elements of a static type that passed [`super::check_type`], so that it fits.
fn elements(t: &TensorType) -> i64 {
    if t.dims.contains(&0) { 0 } else { t.dims.iter().product() }
}

pub(super) fn transpose(r: &Rule<'_>, permutation: &[i64]) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    r.length("permutation", permutation, x.rank())?;
    let order = r.dimensions("permutation", permutation, x.rank())?;
    let extents: Extents = order.iter().map(|&d| Extent::of(x, d)).collect();
    Ok(vec![r.like(0, x, &extents)?])
}

pub(super) fn reverse(r: &Rule<'_>, dimensions: &[i64]) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    r.dimensions("dimensions", dimensions, x.rank())?;
    Ok(vec![r.like(0, x, &Extent::all(x))?])
}

pub(super) fn concatenate(r: &Rule<'_>, dimension: i64) -> Result<Vec<Type>> {
    let parts = r.tensors(0, r.operands.len())?;
    let mut extents = Extent::all(parts[0]);
    let dim = r.dimension("dimension", dimension, extents.len())?;
    for (i, part) in parts.iter().enumerate().skip(1) {
        r.same_element(parts[0], part, "the operands")?;
        let rank = extents.len();
        ensure!(r, part.rank() == rank, "operand {i} has rank {}, not {rank}", part.rank());
        for (d, extent) in extents.iter_mut().enumerate() {
            let other = Extent::of(part, d);
            *extent =
                if d == dim { sum(r, *extent, other)? } else { same(r, i, d, *extent, other)? };
        }
    }
    Ok(vec![r.like(0, parts[0], &extents)?])
}

/// The sum of two extents.
fn sum(r: &Rule<'_>, a: Extent, b: Extent) -> Result<Extent> {
    let add =
        |a: i64, b: i64| a.checked_add(b).ok_or_else(|| r.broken("the joined extent is too large"));
    Ok(match (a.size(), b.size(), a.most(), b.most()) {
        (Some(a), Some(b), ..) => Extent::exact(add(a, b)?),
        (.., Some(a), Some(b)) => Extent::bounded(Some(add(a, b)?)),
        _ => Extent::UNKNOWN,
    })
}

/// The extent in dimension `d` of all operands up to `i`.
fn same(r: &Rule<'_>, i: usize, d: usize, a: Extent, b: Extent) -> Result<Extent> {
    let different =
        || r.broken(format!("operand {i} has extent {b} in dimension {d}, operand 0 has {a}"));
    a.meet(b).ok_or_else(different)
}

pub(super) fn slice(r: &Rule<'_>, [start, limit, strides]: [&Dims; 3]) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    r.length("start_indices", start, x.rank())?;
    r.length("limit_indices", limit, x.rank())?;
    r.length("strides", strides, x.rank())?;
    r.at_least("start_indices", start, 0)?;
    r.at_least("strides", strides, 1)?;
    let mut extents = Extents::new();
    for d in 0..x.rank() {
        let (from, to, extent) = (start[d], limit[d], Extent::of(x, d));
        ensure!(r, from <= to, "start {from} is past limit {to} in dimension {d}");
        ensure!(
            r,
            extent.most().is_none_or(|most| to <= most),
            "limit {to} is past extent {extent} in dimension {d}"
        );
        // `from <= to` and both are not negative, so that nothing here overflows.
        let n = (to - from) / strides[d] + i64::from((to - from) % strides[d] != 0);
        extents.push(Extent::exact(n));
    }
    Ok(vec![r.like(0, x, &extents)?])
}

pub(super) fn pad(r: &Rule<'_>, [low, high, interior]: [&Dims; 3]) -> Result<Vec<Type>> {
    let (x, value) = (r.tensor(0)?, r.scalar(1)?);
    r.same_element(x, value, "operands 0 and 1")?;
    r.length("edge_padding_low", low, x.rank())?;
    r.length("edge_padding_high", high, x.rank())?;
    r.length("interior_padding", interior, x.rank())?;
    r.at_least("interior_padding", interior, 0)?;
    let padded = |d: usize| {
        Extent::of(x, d).map(|n| {
            let inner = i128::from((n - 1).max(0)) * i128::from(interior[d]);
            let whole = i128::from(n) + inner + i128::from(low[d]) + i128::from(high[d]);
            r.extent(&format!("the padded extent of dimension {d}"), whole)
        })
    };
    let extents = (0..x.rank()).map(padded).collect::<Result<Extents>>()?;
    Ok(vec![r.like(0, x, &extents)?])
}
