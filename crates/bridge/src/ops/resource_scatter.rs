//! Updates of rows or elements of variables at indices.
//!
//! An index out of range is an error, as in TensorFlow's kernels; updates of one position are
//! applied in order.

use tfjit_base::{Code, Error, Result, Shape};
use tfjit_hlo::{Binary, Dims, Direction, Op, Scatter, TensorType, Type, ValueId};

use crate::OpCtx;
use crate::ops::index::{check_indices, check_vectors};
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("ResourceScatterUpdate", "rows replaced", |c| rows(c, Combine::Replace)),
    row("ResourceScatterAdd", "added to rows", |c| rows(c, Combine::Op(Binary::Add))),
    row("ResourceScatterSub", "subtracted from rows", |c| rows(c, Combine::Op(Binary::Subtract))),
    row("ResourceScatterMul", "rows multiplied", |c| rows(c, Combine::Op(Binary::Multiply))),
    row("ResourceScatterDiv", "rows divided; an integer zero is an error", |c| {
        rows(c, Combine::Op(Binary::Divide))
    }),
    row("ResourceScatterMin", "the smaller; NaN changes nothing", |c| {
        rows(c, Combine::Better(Direction::Lt))
    }),
    row("ResourceScatterMax", "the larger; NaN changes nothing", |c| {
        rows(c, Combine::Better(Direction::Gt))
    }),
    row("ResourceScatterNdUpdate", "slices replaced", |c| slices(c, Combine::Replace)),
    row("ResourceScatterNdAdd", "added to slices", |c| slices(c, Combine::Op(Binary::Add))),
    row("ResourceScatterNdSub", "subtracted from slices", |c| {
        slices(c, Combine::Op(Binary::Subtract))
    }),
    row("ResourceScatterNdMin", "the smaller; NaN changes nothing", |c| {
        slices(c, Combine::Better(Direction::Lt))
    }),
    row("ResourceScatterNdMax", "the larger; NaN changes nothing", |c| {
        slices(c, Combine::Better(Direction::Gt))
    }),
];

/// How an update and the old value become the new one.
#[derive(Clone, Copy)]
enum Combine {
    Replace,
    Op(Binary),
    /// The update where it compares so with the old value.
    Better(Direction),
}

/// Variable 0 with `updates` at rows `indices` of its first dimension.
fn rows(c: &mut OpCtx<'_, '_>, combine: Combine) -> Result<()> {
    let (k, indices, mut updates) = (c.variable(0)?, c.input(1)?, c.input(2)?);
    let old = c.read_variable(k)?;
    let (shape, at) = (c.shape(old)?, c.shape(indices)?);
    let Some((&extent, rest)) = shape.split_first() else {
        return Err(Error::invalid_argument("params must be at least 1-D, got shape []"));
    };
    check_indices(c, indices, extent)?;
    let full: Shape = at.iter().chain(rest).copied().collect();
    let given = c.shape(updates)?;
    if given.rank() == 0 {
        updates = c.broadcast_in_dim(updates, &full, &[])?;
    } else if given != full {
        return Err(Error::invalid_argument(format!(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got \
             updates.shape {given}, indices.shape {at}, params.shape {shape}"
        )));
    }
    check_divisors(c, combine, updates)?;
    let scatter = Scatter {
        update_window_dims: (at.rank() as i64..full.rank() as i64).collect(),
        inserted_window_dims: Dims::from_slice(&[0]),
        scatter_dims_to_operand_dims: Dims::from_slice(&[0]),
        index_vector_dim: at.rank() as i64,
        ..Scatter::default()
    };
    apply(c, k, old, [indices, updates], scatter, combine)
}

/// Variable 0 with `updates` at the index vectors that are the last dimension of `indices`.
fn slices(c: &mut OpCtx<'_, '_>, combine: Combine) -> Result<()> {
    let (k, indices, updates) = (c.variable(0)?, c.input(1)?, c.input(2)?);
    let old = c.read_variable(k)?;
    let (shape, at) = (c.shape(old)?, c.shape(indices)?);
    let depth = at.last().copied().filter(|&depth| depth <= shape.rank());
    let Some(depth) = depth else {
        return Err(Error::invalid_argument(format!(
            "indices {at} must end in a dimension not longer than the rank of {shape}"
        )));
    };
    let outer = &at[..at.rank() - 1];
    let full: Shape = outer.iter().chain(&shape[depth..]).copied().collect();
    if c.shape(updates)? != full {
        return Err(Error::invalid_argument(format!(
            "Dimensions of updates {} must be those of indices {at} and of the slices of {shape}",
            c.shape(updates)?
        )));
    }
    // What lies outside is left out by the scatter itself.
    if c.node().attr_str("bad_indices_policy").unwrap_or_default() != "IGNORE" {
        check_vectors(c, indices, &shape[..depth])?;
    }
    let axes: Dims = (0..depth as i64).collect();
    let scatter = Scatter {
        update_window_dims: (outer.len() as i64..full.rank() as i64).collect(),
        inserted_window_dims: axes.clone(),
        scatter_dims_to_operand_dims: axes,
        index_vector_dim: outer.len() as i64,
        ..Scatter::default()
    };
    apply(c, k, old, [indices, updates], scatter, combine)
}

fn check_divisors(c: &mut OpCtx<'_, '_>, combine: Combine, updates: ValueId) -> Result<()> {
    if !matches!(combine, Combine::Op(Binary::Divide)) || !c.dtype(updates)?.is_int() {
        return Ok(());
    }
    let zero = c.full_like(updates, 0.0)?;
    let bad = c.compare(Direction::Eq, updates, zero)?;
    c.check(bad, Code::InvalidArgument, "updates must not contain 0")
}

fn apply(
    c: &mut OpCtx<'_, '_>,
    k: usize,
    old: ValueId,
    [indices, updates]: [ValueId; 2],
    scatter: Scatter,
    combine: Combine,
) -> Result<()> {
    if c.shape(updates)?.elements() == 0 || c.shape(old)?.elements() == 0 {
        return Ok(());
    }
    let scalar = Type::Tensor(TensorType::scalar(c.dtype(old)?));
    let region = c.region(&[scalar.clone(), scalar], |b, p| {
        Ok(vec![match combine {
            Combine::Replace => p[1],
            Combine::Op(op) => b.binary(op, p[0], p[1])?,
            Combine::Better(direction) => {
                let better = b.compare(direction, p[1], p[0])?;
                b.select(better, p[1], p[0])?
            }
        }])
    })?;
    let op = Op::Scatter(Box::new(scatter));
    let new = c.push(op, &[old, indices, updates], &[region])?[0];
    c.assign_variable(k, new)
}
