//! Rules of operations that make values out of attributes, ids or random states.

use tfjit_base::{DType, DTypeClass, Result};

use super::extent::Extent;
use super::extent::tensor;
use super::rule::{Rule, ensure};
use super::types::{Shown, check_type};
use crate::{Literal, RngAlgorithm, RngDistribution, Type};

const NUMBER: &[DTypeClass] =
    &[DTypeClass::Signed, DTypeClass::Unsigned, DTypeClass::Float, DTypeClass::Complex];

pub(super) fn constant(r: &Rule<'_>, literal: &Literal) -> Result<Vec<Type>> {
    let ty = literal.ty();
    check_type(&Type::Tensor(ty.clone())).map_err(|e| e.context(r.name))?;
    ensure!(r, ty.is_static(), "its type {} has an unknown extent", Shown(ty));
    let stored = literal.stored();
    let whole = stored.shape().to_i64() == ty.dims[..] || stored.shape().rank() == 0;
    ensure!(
        r,
        stored.dtype() == ty.dtype && whole,
        "data of {}{} is no literal of {}",
        stored.dtype(),
        stored.shape(),
        Shown(ty)
    );
    Ok(vec![Type::Tensor(ty.clone())])
}

pub(super) fn iota(r: &Rule<'_>, dimension: i64) -> Result<Vec<Type>> {
    let ty = r.declared(0)?;
    r.class(ty, NUMBER, "the result")?;
    r.dimension("iota_dimension", dimension, ty.rank())?;
    ensure!(r, ty.is_static(), "its type {} has an unknown extent", Shown(ty));
    Ok(vec![Type::Tensor(ty.clone())])
}

pub(super) fn process_id(_: &Rule<'_>) -> Result<Vec<Type>> {
    Ok(vec![Type::tensor(DType::U32, &[])])
}

pub(super) fn rng(r: &Rule<'_>, distribution: RngDistribution) -> Result<Vec<Type>> {
    let (a, b) = (r.scalar(0)?, r.scalar(1)?);
    r.same_element(a, b, "operands 0 and 1")?;
    r.plain(a, "operand 0")?;
    ensure!(r, !a.dtype.is_complex(), "operand 0 is {}, not a real number", Shown(a));
    ensure!(
        r,
        distribution != RngDistribution::Normal || a.dtype.is_float(),
        "NORMAL makes no {}",
        a.dtype
    );
    let rank = r.index_vector(2)?;
    let extents = match (r.maybe_declared(0), rank.size()) {
        (Some(ty), _) => {
            r.index_vector_of(2, ty.rank())?;
            Extent::all(ty)
        }
        (None, Some(rank)) if rank as u64 <= tfjit_base::limits::RANK_MAX as u64 => {
            (0..rank).map(|_| Extent::UNKNOWN).collect()
        }
        (None, _) => return Err(r.broken(format!("a shape of {rank} extents is no shape"))),
    };
    Ok(vec![Type::Tensor(tensor(a.dtype, &extents))])
}

pub(super) fn rng_bit_generator(r: &Rule<'_>, algorithm: RngAlgorithm) -> Result<Vec<Type>> {
    let state = r.tensor(0)?;
    ensure!(
        r,
        state.rank() == 1 && state.dtype.is_unsigned_int() && state.quant.is_none(),
        "the state is {}, not a vector of unsigned integers",
        Shown(state)
    );
    let words = |n: i64| Extent::of(state, 0).may_be(n);
    let fits = match algorithm {
        RngAlgorithm::Default => true,
        RngAlgorithm::ThreeFry => state.dtype != DType::U64 || words(2),
        RngAlgorithm::Philox => state.dtype != DType::U64 || words(2) || words(3),
    };
    ensure!(r, fits, "{algorithm} has no state {}", Shown(state));
    let output = r.declared(1)?;
    r.plain(output, "result 1")?;
    let kind = output.dtype.is_int() || output.dtype.is_float();
    ensure!(r, kind, "result 1 is {}, not of integers or floats", Shown(output));
    Ok(vec![Type::Tensor(state.clone()), Type::Tensor(output.clone())])
}
