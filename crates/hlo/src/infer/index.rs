//! Rules of operations that read or write at indices computed when the program runs.

use tfjit_base::{DType, Result};

use super::extent::{Extent, Extents, tensor};
use super::reduce::accumulators;
use super::rule::{Rule, ensure};
use super::types::Shown;
use crate::{Gather, Scatter, TensorType, Type};

/// Checks start indices from operand `from` on: one scalar a dimension, all of one integer type.
fn start_indices(r: &Rule<'_>, from: usize, rank: usize) -> Result<()> {
    let n = r.operands.len() - from.min(r.operands.len());
    ensure!(r, n == rank, "{n} start indices for rank {rank}");
    for i in from..r.operands.len() {
        let index = r.scalar(i)?;
        ensure!(
            r,
            index.dtype.is_int() && index.dtype == r.scalar(from)?.dtype,
            "start indices must have one integer type, operand {i} is {}",
            Shown(index)
        );
    }
    Ok(())
}

pub(super) fn dynamic_slice(r: &Rule<'_>, sizes: &[i64]) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    r.length("slice_sizes", sizes, x.rank())?;
    start_indices(r, 1, x.rank())?;
    for (d, &size) in sizes.iter().enumerate() {
        within(r, "slice size", d, size, Extent::of(x, d))?;
    }
    let extents: Extents = sizes.iter().map(|&n| Extent::exact(n)).collect();
    Ok(vec![r.like(0, x, &extents)?])
}

/// Checks `0 <= size <= extent`.
fn within(r: &Rule<'_>, what: &str, d: usize, size: i64, extent: Extent) -> Result<()> {
    ensure!(
        r,
        size >= 0 && extent.most().is_none_or(|most| size <= most),
        "{what} {size} in dimension {d} is not within extent {extent}"
    );
    Ok(())
}

pub(super) fn dynamic_update_slice(r: &Rule<'_>) -> Result<Vec<Type>> {
    let (x, update) = (r.tensor(0)?, r.tensor(1)?);
    r.same_element(x, update, "operands 0 and 1")?;
    let rank = x.rank();
    ensure!(r, update.rank() == rank, "the update has rank {}, not {rank}", update.rank());
    start_indices(r, 2, rank)?;
    for d in 0..rank {
        if let Some(size) = Extent::of(update, d).size() {
            within(r, "the update's extent", d, size, Extent::of(x, d))?;
        }
    }
    Ok(vec![r.like(0, x, &Extent::all(x))?])
}

/// The dimension numbers that gather and scatter share.
struct Indexed {
    /// Extents of the index array without the index vectors.
    batch: Extents,
    /// Whether an operand dimension has no window dimension of its own.
    hidden: Vec<bool>,
}

/// What gather and scatter call differently.
struct Numbers<'a> {
    window_name: &'static str,
    window: &'a [i64],
    hidden_name: &'static str,
    hidden: &'a [i64],
    operand_batching: &'a [i64],
    index_batching: &'a [i64],
    map_name: &'static str,
    map: &'a [i64],
    index_vector_dim: i64,
}

/// Checks what gather and scatter share, for an operand of `rank` and `indices`.
fn indexed(r: &Rule<'_>, n: &Numbers<'_>, x: &TensorType, indices: &TensorType) -> Result<Indexed> {
    let rank = x.rank();
    ensure!(
        r,
        indices.dtype.is_int() && indices.quant.is_none(),
        "indices are {}, not integers",
        Shown(indices)
    );
    ensure!(
        r,
        rank == n.window.len() + n.hidden.len() + n.operand_batching.len(),
        "{}, {} and the batching dimensions must be {rank} together",
        n.window_name,
        n.hidden_name
    );
    let mut hidden = vec![false; rank];
    let ascending = [
        r.ascending(n.hidden_name, n.hidden, rank)?,
        r.ascending("the operand's batching dimensions", n.operand_batching, rank)?,
    ];
    for d in ascending.into_iter().flatten() {
        ensure!(r, !hidden[d], "dimension {d} is both of {} and batching", n.hidden_name);
        hidden[d] = true;
    }
    let vector = r.dimension("index_vector_dim", n.index_vector_dim, indices.rank() + 1)?;
    let width = match vector < indices.rank() {
        true => Extent::of(indices, vector),
        false => Extent::exact(1),
    };
    let length = n.map.len();
    ensure!(
        r,
        width.may_be(length as i64),
        "{} has {length} entries for index vectors of {width}",
        n.map_name
    );
    for d in r.dimensions(n.map_name, n.map, rank)? {
        let batching = n.operand_batching.contains(&(d as i64));
        ensure!(r, !batching, "dimension {d} is both of {} and batching", n.map_name);
    }
    let what = "the indices' batching dimensions";
    let batching = r.dimensions(what, n.index_batching, indices.rank())?;
    r.length(what, &batching, n.operand_batching.len())?;
    for (&i, &o) in batching.iter().zip(n.operand_batching) {
        let (a, b) = (Extent::of(indices, i), Extent::of(x, o as usize));
        ensure!(r, i != vector, "the index vectors' dimension is a batching dimension");
        ensure!(r, a.meet(b).is_some(), "batching dimensions have the extents {a} and {b}");
    }
    let batch = (0..indices.rank()).filter(|&d| d != vector).map(|d| Extent::of(indices, d));
    Ok(Indexed { batch: batch.collect(), hidden })
}

/// Puts `window` extents at the dimensions `at` and `batch` extents at the others.
fn interleave(batch: &[Extent], window: &[Extent], at: &[usize]) -> Extents {
    let (mut batch, mut window) = (batch.iter(), window.iter());
    let mut out = Extents::new();
    for d in 0..batch.len() + window.len() {
        let next = if at.contains(&d) { window.next() } else { batch.next() };
        out.extend(next.copied());
    }
    out
}

fn gather_numbers(g: &Gather) -> Numbers<'_> {
    Numbers {
        window_name: "offset_dims",
        window: &g.offset_dims,
        hidden_name: "collapsed_slice_dims",
        hidden: &g.collapsed_slice_dims,
        operand_batching: &g.operand_batching_dims,
        index_batching: &g.start_indices_batching_dims,
        map_name: "start_index_map",
        map: &g.start_index_map,
        index_vector_dim: g.index_vector_dim,
    }
}

pub(super) fn gather(r: &Rule<'_>, g: &Gather) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    r.length("slice_sizes", &g.slice_sizes, x.rank())?;
    for (d, &size) in g.slice_sizes.iter().enumerate() {
        within(r, "slice size", d, size, Extent::of(x, d))?;
    }
    let sizes: Extents = g.slice_sizes.iter().map(|&n| Extent::exact(n)).collect();
    gather_of(r, g, &sizes)
}

/// The result of a gather of slices of `sizes`.
pub(super) fn gather_of(r: &Rule<'_>, g: &Gather, sizes: &[Extent]) -> Result<Vec<Type>> {
    let (x, indices) = (r.tensor(0)?, r.tensor(1)?);
    let numbers = indexed(r, &gather_numbers(g), x, indices)?;
    let mut window = Extents::new();
    for (d, &size) in sizes.iter().enumerate() {
        if numbers.hidden[d] {
            ensure!(
                r,
                size.size().is_none_or(|n| n <= 1),
                "the slice size of dimension {d}, which the result lacks, is {size}"
            );
        } else {
            window.push(size);
        }
    }
    let rank = numbers.batch.len() + window.len();
    let at = r.ascending("offset_dims", &g.offset_dims, rank)?;
    Ok(vec![r.like(0, x, &interleave(&numbers.batch, &window, &at))?])
}

pub(super) fn torch_index_select(r: &Rule<'_>, dim: i64, batch_dims: i64) -> Result<Vec<Type>> {
    let (x, index) = (r.tensor(0)?, r.tensor(1)?);
    ensure!(r, index.dtype.is_int(), "operand 1 is {}, not integers", Shown(index));
    let from_end = |v: i64, rank: usize| if v < 0 { v.saturating_add(rank as i64) } else { v };
    let dim = r.dimension("dim", from_end(dim, x.rank()), x.rank())?;
    let batch = from_end(batch_dims, index.rank());
    let batch = r.dimension("batch_dims", batch, index.rank().min(dim) + 1)?;
    for d in 0..batch {
        let (a, b) = (Extent::of(x, d), Extent::of(index, d));
        ensure!(r, a.meet(b).is_some(), "batch dimension {d} has the extents {a} and {b}");
    }
    let mut extents: Extents = (0..dim).map(|d| Extent::of(x, d)).collect();
    extents.extend((batch..index.rank()).map(|d| Extent::of(index, d)));
    extents.extend((dim + 1..x.rank()).map(|d| Extent::of(x, d)));
    Ok(vec![r.like(0, x, &extents)?])
}

pub(super) fn scatter(r: &Rule<'_>, s: &Scatter) -> Result<Vec<Type>> {
    let count = r.operands.len();
    ensure!(r, count % 2 == 1, "{count} operands are not inputs, indices and updates");
    let n = count / 2;
    let (inputs, indices, updates) = (r.tensors(0, n)?, r.tensor(n)?, r.tensors(n + 1, count)?);
    for k in 0..n {
        r.same_shape(inputs[0], inputs[k], "the inputs")?;
        r.same_shape(updates[0], updates[k], "the updates")?;
        r.same_element(inputs[k], updates[k], "an input and its update")?;
    }
    let numbers = Numbers {
        window_name: "update_window_dims",
        window: &s.update_window_dims,
        hidden_name: "inserted_window_dims",
        hidden: &s.inserted_window_dims,
        operand_batching: &s.input_batching_dims,
        index_batching: &s.scatter_indices_batching_dims,
        map_name: "scatter_dims_to_operand_dims",
        map: &s.scatter_dims_to_operand_dims,
        index_vector_dim: s.index_vector_dim,
    };
    let numbers = indexed(r, &numbers, inputs[0], indices)?;
    update_shape(r, s, &numbers, inputs[0], updates[0])?;
    let dtypes: Vec<DType> = inputs.iter().map(|t| t.dtype).collect();
    let made = accumulators(r, 0, &dtypes)?;
    let result = |(k, (input, dtype)): (usize, (&&TensorType, DType))| {
        let extents = Extent::all(input);
        if dtype == input.dtype {
            return r.like(k, input, &extents);
        }
        Ok(Type::Tensor(tensor(dtype, &extents)))
    };
    inputs.iter().zip(made).enumerate().map(result).collect()
}

/// Checks that updates have the extents that indices and window ask for.
fn update_shape(
    r: &Rule<'_>,
    s: &Scatter,
    numbers: &Indexed,
    input: &TensorType,
    update: &TensorType,
) -> Result<()> {
    let at = r.ascending("update_window_dims", &s.update_window_dims, update.rank())?;
    let rank = numbers.batch.len() + at.len();
    ensure!(r, update.rank() == rank, "the updates have rank {}, not {rank}", update.rank());
    let open = (0..input.rank()).filter(|&d| !numbers.hidden[d]);
    let window: Extents = open.map(|d| Extent::of(input, d)).collect();
    let wanted = interleave(&numbers.batch, &window, &at);
    for (d, want) in wanted.into_iter().enumerate() {
        let given = Extent::of(update, d);
        let fits = match at.contains(&d) {
            true => given.size().zip(want.most()).is_none_or(|(given, most)| given <= most),
            false => given.meet(want).is_some(),
        };
        ensure!(r, fits, "dimension {d} of the updates has extent {given}, not {want}");
    }
    Ok(())
}
