//! Einsum: an index equation becomes diagonals, sums, one dot product a pair and a transpose.

use tfjit_base::{Error, Result, Shape};
use tfjit_hlo::{Dims, Direction, DotGeneral, ValueId};

use crate::OpCtx;
use crate::ops::matmul::accumulator;
use crate::ops::reduce::reduce_sum;

/// A tensor whose dimensions carry labels.
#[derive(Clone)]
struct Labelled {
    value: ValueId,
    labels: Vec<char>,
}

/// Labels of broadcast dimensions (`...`), counted from the last; outside what users may write.
fn ellipsis_label(from_last: usize) -> char {
    char::from_u32(0xE000 + from_last as u32).expect("the private use area has room")
}

pub(super) fn einsum(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let equation: String =
        c.node().attr_str("equation")?.chars().filter(|ch| !ch.is_whitespace()).collect();
    let bad = || Error::invalid_argument(format!("einsum equation '{equation}' is not valid"));
    let (left, right) = equation.split_once("->").ok_or_else(bad)?;
    let inputs = c.all_inputs()?;
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != inputs.len() {
        return Err(bad());
    }
    let mut operands = Vec::new();
    let mut broadcast = 0;
    for (term, &value) in terms.iter().zip(&inputs) {
        let rank = c.shape(value)?.rank();
        let labels = expand(term, rank).ok_or_else(bad)?;
        broadcast = broadcast.max(labels.iter().filter(|l| **l >= '\u{E000}').count());
        operands.push(diagonal(c, Labelled { value, labels })?);
    }
    let named = right.replace("...", "").chars().count();
    let has_dots = right.contains("...");
    let output = expand(right, named + if has_dots { broadcast } else { 0 }).ok_or_else(bad)?;
    let mut rest = operands.into_iter();
    let mut acc = rest.next().ok_or_else(bad)?;
    let mut rest: Vec<Labelled> = rest.collect();
    while !rest.is_empty() {
        let next = rest.remove(0);
        let wanted = |l: &char| output.contains(l) || rest.iter().any(|r| r.labels.contains(l));
        acc = contract(c, acc, next, &wanted)?;
    }
    acc = sum_out(c, acc, &|l| output.contains(l))?;
    let y = arrange(c, &acc, &output).ok_or_else(bad)??;
    c.set(0, y);
    Ok(())
}

/// The labels of a term whose tensor has `rank` dimensions; `None` when they don't fit.
fn expand(term: &str, rank: usize) -> Option<Vec<char>> {
    let (before, after) = match term.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (term, None),
    };
    let valid = |s: &str| s.chars().all(|ch| ch.is_ascii_alphabetic());
    if !valid(before) || !after.is_none_or(valid) {
        return None;
    }
    let named = before.len() + after.map_or(0, str::len);
    let dots = rank.checked_sub(named)?;
    if after.is_none() && dots != 0 {
        return None;
    }
    let middle = (0..dots).rev().map(ellipsis_label);
    Some(before.chars().chain(middle).chain(after.unwrap_or("").chars()).collect())
}

/// Repeated labels within a term keep only the diagonal.
fn diagonal(c: &mut OpCtx<'_, '_>, mut x: Labelled) -> Result<Labelled> {
    while let Some((i, j)) = repeated(&x.labels) {
        let shape = c.shape(x.value)?;
        if shape[i] != shape[j] {
            return Err(Error::invalid_argument(format!(
                "Expected dimension {} at axis {j} of the input shaped {shape} but got {}",
                shape[i], shape[j]
            )));
        }
        let (rows, columns) = (
            c.iota(tfjit_base::DType::I32, &shape, i)?,
            c.iota(tfjit_base::DType::I32, &shape, j)?,
        );
        let on = c.compare(Direction::Eq, rows, columns)?;
        let zeros = c.full_like(x.value, 0.0)?;
        let masked = c.select(on, x.value, zeros)?;
        x.value = reduce_sum(c, masked, &[j as i64])?;
        x.labels.remove(j);
    }
    Ok(x)
}

fn repeated(labels: &[char]) -> Option<(usize, usize)> {
    (0..labels.len()).find_map(|j| labels[..j].iter().position(|l| *l == labels[j]).map(|i| (i, j)))
}

/// Sums over labels that nobody wants any more.
fn sum_out(c: &mut OpCtx<'_, '_>, x: Labelled, wanted: &dyn Fn(&char) -> bool) -> Result<Labelled> {
    let axes: Vec<i64> =
        (0..x.labels.len()).filter(|&i| !wanted(&x.labels[i])).map(|i| i as i64).collect();
    let value = reduce_sum(c, x.value, &axes)?;
    let labels = x.labels.into_iter().filter(wanted).collect();
    Ok(Labelled { value, labels })
}

/// The product of two terms, summed over labels that only they have.
fn contract(
    c: &mut OpCtx<'_, '_>,
    a: Labelled,
    b: Labelled,
    wanted: &dyn Fn(&char) -> bool,
) -> Result<Labelled> {
    let (sa, sb) = (b.labels.clone(), a.labels.clone());
    let a = sum_out(c, a, &|l| wanted(l) || sa.contains(l))?;
    let b = sum_out(c, b, &|l| wanted(l) || sb.contains(l))?;
    let (a, b) = match_broadcast(c, a, b)?;
    let at = |x: &Labelled, l: &char| x.labels.iter().position(|m| m == l);
    let shared: Vec<char> = a.labels.iter().copied().filter(|l| b.labels.contains(l)).collect();
    let dims = |x: &Labelled, keep: bool| -> Dims {
        shared
            .iter()
            .filter(|l| wanted(l) == keep)
            .filter_map(|l| at(x, l))
            .map(|i| i as i64)
            .collect()
    };
    let dot = DotGeneral {
        lhs_batching_dimensions: dims(&a, true),
        rhs_batching_dimensions: dims(&b, true),
        lhs_contracting_dimensions: dims(&a, false),
        rhs_contracting_dimensions: dims(&b, false),
        ..DotGeneral::default()
    };
    let (da, db) = (c.shape(a.value)?, c.shape(b.value)?);
    for l in &shared {
        if let (Some(i), Some(j)) = (at(&a, l), at(&b, l))
            && da[i] != db[j]
        {
            return Err(Error::invalid_argument(format!(
                "Expected dimension {} at axis {j} of the input shaped {db} but got {}",
                da[i], db[j]
            )));
        }
    }
    let mut labels: Vec<char> = shared.iter().copied().filter(|l| wanted(l)).collect();
    labels.extend(a.labels.iter().filter(|l| !shared.contains(l)));
    labels.extend(b.labels.iter().filter(|l| !shared.contains(l)));
    let dtype = c.dtype(a.value)?;
    let product = c.dot_general(a.value, b.value, dot, accumulator(dtype))?;
    let value = c.convert(product, dtype)?;
    Ok(Labelled { value, labels })
}

/// Broadcast labels of extent 1 are dropped where the other term has a larger extent.
fn match_broadcast(
    c: &mut OpCtx<'_, '_>,
    mut a: Labelled,
    mut b: Labelled,
) -> Result<(Labelled, Labelled)> {
    for first in [true, false] {
        let (narrow, wide) = if first { (&mut a, &b) } else { (&mut b, &a) };
        let (shape, other) = (c.shape(narrow.value)?, c.shape(wide.value)?);
        let drop: Vec<usize> = (0..narrow.labels.len())
            .filter(|&i| narrow.labels[i] >= '\u{E000}' && shape[i] == 1)
            .filter(|&i| {
                let j = wide.labels.iter().position(|l| *l == narrow.labels[i]);
                j.is_some_and(|j| other[j] != 1)
            })
            .collect();
        if !drop.is_empty() {
            let keep: Shape =
                (0..shape.rank()).filter(|i| !drop.contains(i)).map(|i| shape[i]).collect();
            narrow.value = c.reshape(narrow.value, &keep)?;
            narrow.labels = (0..narrow.labels.len())
                .filter(|i| !drop.contains(i))
                .map(|i| narrow.labels[i])
                .collect();
        }
    }
    Ok((a, b))
}

/// The tensor with its dimensions in the order of `output`; broadcast labels that no operand has
/// become extents of 1.
fn arrange(c: &mut OpCtx<'_, '_>, x: &Labelled, output: &[char]) -> Option<Result<ValueId>> {
    let present: Vec<char> = output.iter().copied().filter(|l| x.labels.contains(l)).collect();
    if output.iter().any(|l| *l < '\u{E000}' && !x.labels.contains(l)) {
        return None;
    }
    let perm: Vec<i64> = present
        .iter()
        .filter_map(|l| x.labels.iter().position(|m| m == l))
        .map(|i| i as i64)
        .collect();
    Some((|| {
        let y = c.transpose(x.value, &perm)?;
        let shape = c.shape(y)?;
        let mut at = 0;
        let full: Shape = output
            .iter()
            .map(|l| {
                if present.contains(l) {
                    at += 1;
                    shape[at - 1]
                } else {
                    1
                }
            })
            .collect();
        c.reshape(y, &full)
    })())
}
