//! Rules of control flow, calls, tuples, tokens and sizes.

use tfjit_base::{DType, Result};

use super::RegionSig;
use super::extent::{Extent, tensor};
use super::rule::{Rule, ensure};
use super::types::{Shown, accepts, describe, join};
use crate::Type;

/// Checks that two lists of types are compatible one by one.
fn matched(r: &Rule<'_>, what: &str, wanted: &[&Type], given: &[Type]) -> Result<()> {
    let (n, m) = (wanted.len(), given.len());
    ensure!(r, n == m, "{what}: {m} values, not {n}");
    for (i, (wanted, given)) in wanted.iter().zip(given).enumerate() {
        ensure!(
            r,
            accepts(wanted, given),
            "{what}: value {i} is {}, not {}",
            describe(given),
            describe(wanted)
        );
    }
    Ok(())
}

pub(super) fn while_loop(r: &Rule<'_>) -> Result<Vec<Type>> {
    let [cond, body] = r.regions else {
        return Err(r.broken("it takes the regions cond and body"));
    };
    matched(r, "parameters of cond", r.operands, &cond.params)?;
    matched(r, "results of cond", &[&Type::tensor(DType::Bool, &[])], &cond.results)?;
    matched(r, "parameters of body", r.operands, &body.params)?;
    matched(r, "results of body", r.operands, &body.results)?;
    Ok(r.operands.iter().map(|&ty| ty.clone()).collect())
}

/// `if` and `case`, whose operand is a scalar of `selector`.
pub(super) fn conditional(r: &Rule<'_>, selector: DType) -> Result<Vec<Type>> {
    let index = r.scalar(0)?;
    ensure!(r, index.dtype == selector, "operand 0 is {}, not {selector}", Shown(index));
    let Some((RegionSig { params, results }, others)) = r.regions.split_first() else {
        return Err(r.broken("it has no branch"));
    };
    ensure!(r, params.is_empty(), "branch 0 takes parameters");
    let mut types = results.clone();
    for (i, branch) in others.iter().enumerate() {
        let i = i + 1;
        ensure!(r, branch.params.is_empty(), "branch {i} takes parameters");
        let (n, m) = (types.len(), branch.results.len());
        ensure!(r, n == m, "branch {i} returns {m} values, branch 0 returns {n}");
        for (k, (ty, other)) in types.iter_mut().zip(&branch.results).enumerate() {
            *ty = join(ty, other).ok_or_else(|| {
                let (a, b) = (describe(ty), describe(other));
                r.broken(format!("result {k} is {a} in branch 0 and {b} in branch {i}"))
            })?;
        }
    }
    Ok(types)
}

/// Calls of any kind: what they return is known to what they call, which no rule sees.
pub(super) fn call(r: &Rule<'_>) -> Result<Vec<Type>> {
    match r.declared {
        Some(types) => Ok(types.to_vec()),
        None => Err(r.broken("a call does not determine its result types; declare them")),
    }
}

pub(super) fn tuple(r: &Rule<'_>) -> Result<Vec<Type>> {
    Ok(vec![Type::Tuple(r.operands.iter().map(|&ty| ty.clone()).collect())])
}

pub(super) fn get_tuple_element(r: &Rule<'_>, index: i64) -> Result<Vec<Type>> {
    let Some(Type::Tuple(items)) = r.operands.first() else {
        return Err(r.broken("operand 0 is no tuple"));
    };
    let item = usize::try_from(index).ok().and_then(|i| items.get(i));
    let item =
        item.ok_or_else(|| r.broken(format!("a tuple of {} has no {index}", items.len())))?;
    Ok(vec![item.clone()])
}

pub(super) fn barrier(r: &Rule<'_>) -> Result<Vec<Type>> {
    Ok(r.operands.iter().map(|&ty| ty.clone()).collect())
}

pub(super) fn get_dimension_size(r: &Rule<'_>, dimension: i64) -> Result<Vec<Type>> {
    r.dimension("dimension", dimension, r.tensor(0)?.rank())?;
    Ok(vec![Type::tensor(DType::I32, &[])])
}

pub(super) fn set_dimension_size(r: &Rule<'_>, dimension: i64) -> Result<Vec<Type>> {
    let (x, size) = (r.tensor(0)?, r.scalar(1)?);
    ensure!(r, size.dtype == DType::I32, "operand 1 is {}, not i32", Shown(size));
    let d = r.dimension("dimension", dimension, x.rank())?;
    let mut extents = Extent::all(x);
    extents[d] = Extent::bounded(extents[d].most());
    let mut ty = tensor(x.dtype, &extents);
    ty.quant = x.quant.clone();
    Ok(vec![Type::Tensor(ty)])
}

pub(super) fn after_all(r: &Rule<'_>) -> Result<Vec<Type>> {
    for (i, ty) in r.operands.iter().enumerate() {
        ensure!(r, **ty == Type::Token, "operand {i} is {}, not a token", describe(ty));
    }
    Ok(vec![Type::Token])
}
