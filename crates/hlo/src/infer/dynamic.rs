//! Rules of operations whose result extents are operands: unknown unless they are declared.

use tfjit_base::{DTypeClass, Result};

use super::extent::{Extent, Extents};
use super::rule::{Rule, ensure};
use super::{index, moves};
use crate::{Dims, Gather, TensorType, Type};

/// The declared result, of which operand `shape` gives the extents.
fn shaped<'a>(r: &Rule<'a>, shape: usize) -> Result<&'a TensorType> {
    let ty = r.declared(0)?;
    r.index_vector_of(shape, ty.rank())?;
    Ok(ty)
}

pub(super) fn iota(r: &Rule<'_>, dimension: i64) -> Result<Vec<Type>> {
    let ty = shaped(r, 0)?;
    let number = [DTypeClass::Signed, DTypeClass::Unsigned, DTypeClass::Float, DTypeClass::Complex];
    r.class(ty, &number, "the result")?;
    r.dimension("iota_dimension", dimension, ty.rank())?;
    Ok(vec![Type::Tensor(ty.clone())])
}

pub(super) fn reshape(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, shaped(r, 1)?);
    moves::same_count(r, x, y)?;
    Ok(vec![r.like(0, x, &Extent::all(y))?])
}

pub(super) fn broadcast(
    r: &Rule<'_>,
    dims: &[i64],
    known: [Option<&Dims>; 2],
) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, shaped(r, 1)?);
    moves::broadcast_to(r, x, y, dims)?;
    let both: Vec<i64> = known.into_iter().flatten().flatten().copied().collect();
    r.dimensions("known (non)expanding dimensions", &both, x.rank())?;
    Ok(vec![r.like(0, x, &Extent::all(y))?])
}

/// The result of an operation that keeps rank and element type: declared extents, or none known.
fn resized(r: &Rule<'_>, x: &TensorType) -> Result<Vec<Type>> {
    let extents: Extents = match r.maybe_declared(0) {
        Some(ty) => {
            ensure!(
                r,
                ty.rank() == x.rank(),
                "the result has rank {}, not that of operand 0",
                ty.rank()
            );
            Extent::all(ty)
        }
        None => (0..x.rank()).map(|_| Extent::UNKNOWN).collect(),
    };
    Ok(vec![r.like(0, x, &extents)?])
}

/// Checks operands `from..`, which give one number a dimension of operand 0 each.
fn per_dimension(r: &Rule<'_>, from: usize, rank: usize) -> Result<()> {
    for i in from..r.operands.len() {
        r.index_vector_of(i, rank)?;
        r.same_element(r.tensor(from)?, r.tensor(i)?, "the index operands")?;
    }
    Ok(())
}

pub(super) fn slice(r: &Rule<'_>) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    per_dimension(r, 1, x.rank())?;
    resized(r, x)
}

pub(super) fn pad(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (x, value) = (r.tensor(0)?, r.scalar(1)?);
    r.same_element(x, value, "operands 0 and 1")?;
    per_dimension(r, 2, x.rank())?;
    resized(r, x)
}

pub(super) fn gather(r: &Rule<'_>, gather: &Gather) -> Result<Vec<Type>> {
    let rank = r.tensor(0)?.rank();
    r.index_vector_of(2, rank)?;
    let sizes: Extents = (0..rank).map(|_| Extent::UNKNOWN).collect();
    index::gather_of(r, gather, &sizes)
}
