//! What gather and scatter have in common: an index tensor names, for each position of a batch,
//! where
//! a window of the operand begins.

use tfjit_base::{DType, Error, Result, Tensor};
use tfjit_hlo::{Gather, Scatter};

use crate::permute::{others, permuted, positions, product, select};
use crate::typed::advance;

/// The dimension numbers, under one set of names.
pub(crate) struct MapDims<'a> {
    /// Operand dimensions that windows do not show.
    collapsed: &'a [i64],
    operand_batching: &'a [i64],
    indices_batching: &'a [i64],
    /// The operand dimension of each component of an index vector.
    start_map: &'a [i64],
    index_vector_dim: i64,
}

impl<'a> MapDims<'a> {
    pub(crate) fn of_gather(dims: &'a Gather) -> MapDims<'a> {
        MapDims {
            collapsed: &dims.collapsed_slice_dims,
            operand_batching: &dims.operand_batching_dims,
            indices_batching: &dims.start_indices_batching_dims,
            start_map: &dims.start_index_map,
            index_vector_dim: dims.index_vector_dim,
        }
    }

    pub(crate) fn of_scatter(dims: &'a Scatter) -> MapDims<'a> {
        MapDims {
            collapsed: &dims.inserted_window_dims,
            operand_batching: &dims.input_batching_dims,
            indices_batching: &dims.scatter_indices_batching_dims,
            start_map: &dims.scatter_dims_to_operand_dims,
            index_vector_dim: dims.index_vector_dim,
        }
    }
}

/// Where windows begin.
pub(crate) struct IndexMap {
    /// Extents of the index tensor without the index vector's dimension.
    pub(crate) batch: Vec<usize>,
    /// Operand dimensions that windows show, in order.
    pub(crate) window: Vec<usize>,
    /// Operand dimensions that windows do not show: collapsed and batching ones.
    pub(crate) single: Vec<usize>,
    rank: usize,
    /// Index vectors, batch after batch.
    vectors: Vec<i64>,
    start_map: Vec<usize>,
    /// Pairs of an operand dimension and the batch dimension that counts along it.
    batching: Vec<(usize, usize)>,
}

impl IndexMap {
    /// The map for an operand of extents `operand`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when dimension numbers do not fit.
    pub(crate) fn new(operand: &[usize], indices: &Tensor, dims: &MapDims<'_>) -> Result<IndexMap> {
        let (rank, shape) = (operand.len(), indices.shape());
        let collapsed = positions("collapsed dimensions", dims.collapsed, rank)?;
        let operand_batching = positions("batching dimensions", dims.operand_batching, rank)?;
        let start_map = positions("indexed dimensions", dims.start_map, rank)?;
        let indices_batching =
            positions("batching dimensions of indices", dims.indices_batching, shape.rank())?;
        let vector_dim = usize::try_from(dims.index_vector_dim)
            .ok()
            .filter(|&d| d <= shape.rank() && !indices_batching.contains(&d))
            .ok_or_else(|| Error::invalid_argument("the index vector has no dimension"))?;
        let components = shape.get(vector_dim).copied().unwrap_or(1);
        let outer: Vec<usize> = others(shape.rank(), &[&[vector_dim]]);
        let extents_agree = select(operand, &operand_batching) == select(shape, &indices_batching);
        if components != start_map.len()
            || !extents_agree
            || collapsed.iter().any(|d| operand_batching.contains(d))
            || start_map.iter().any(|d| operand_batching.contains(d))
        {
            return Err(Error::invalid_argument(format!(
                "indices of shape {shape} do not index a tensor of shape {operand:?} with these \
                 dimension numbers"
            )));
        }
        let batch_dim = |d: usize| d - usize::from(d > vector_dim);
        let batching = operand_batching
            .iter()
            .zip(&indices_batching)
            .map(|(&to, &from)| (to, batch_dim(from)))
            .collect();
        let mut order = outer.clone();
        order.extend((vector_dim < shape.rank()).then_some(vector_dim));
        let vectors = permuted(index_values(indices)?.into(), shape, &order).into_owned();
        let window = others(rank, &[&collapsed, &operand_batching]);
        let single = others(rank, &[&window]);
        let batch = select(shape, &outer);
        Ok(IndexMap { batch, window, single, rank, vectors, start_map, batching })
    }

    /// Calls `visit` for each position of the batch with the start in every operand dimension.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(crate) fn each(&self, mut visit: impl FnMut(&[usize], &[i64]) -> Result<()>) -> Result<()> {
        let components = self.start_map.len();
        let mut at = vec![0; self.batch.len()];
        let mut starts = vec![0; self.rank];
        for position in 0..product(&self.batch) {
            let vector = &self.vectors[position * components..][..components];
            for (&dim, &start) in self.start_map.iter().zip(vector) {
                starts[dim] = start;
            }
            for &(dim, batch_dim) in &self.batching {
                starts[dim] = at[batch_dim] as i64;
            }
            visit(&at, &starts)?;
            advance(&mut at, &self.batch);
        }
        Ok(())
    }
}

/// Indices as `i64`; unsigned ones beyond it stay large.
fn index_values(indices: &Tensor) -> Result<Vec<i64>> {
    if indices.dtype() == DType::U64 {
        let values = indices.as_slice::<u64>()?;
        return Ok(values.iter().map(|&v| i64::try_from(v).unwrap_or(i64::MAX)).collect());
    }
    indices.to_i64s()
}

/// A window that lies in two arrays with different strides; neighbouring dimensions that are
/// contiguous in both are merged.
pub(crate) struct Strided {
    extents: Vec<usize>,
    first: Vec<usize>,
    second: Vec<usize>,
    /// The innermost run.
    run: usize,
    first_step: usize,
    second_step: usize,
    empty: bool,
}

impl Strided {
    /// A window of `extents` with these strides in the first and the second array.
    pub(crate) fn new(extents: &[usize], first: &[usize], second: &[usize]) -> Strided {
        let mut merged: Vec<[usize; 3]> = Vec::new();
        for ((&extent, &a), &b) in extents.iter().zip(first).zip(second) {
            if extent == 1 {
                continue;
            }
            match merged.last_mut() {
                Some([n, last_a, last_b])
                    if Some(*last_a) == a.checked_mul(extent)
                        && Some(*last_b) == b.checked_mul(extent) =>
                {
                    *n = n.saturating_mul(extent);
                    (*last_a, *last_b) = (a, b);
                }
                _ => merged.push([extent, a, b]),
            }
        }
        let [run, first_step, second_step] = merged.pop().unwrap_or([1, 1, 1]);
        Strided {
            extents: merged.iter().map(|m| m[0]).collect(),
            first: merged.iter().map(|m| m[1]).collect(),
            second: merged.iter().map(|m| m[2]).collect(),
            run,
            first_step,
            second_step,
            empty: extents.contains(&0),
        }
    }

    /// Calls `visit` with the beginnings of each innermost run in both arrays.
    fn runs(&self, mut visit: impl FnMut(usize, usize)) {
        if self.empty {
            return;
        }
        let mut at = vec![0; self.extents.len()];
        loop {
            let dot = |strides: &[usize]| at.iter().zip(strides).map(|(i, s)| i * s).sum();
            visit(dot(&self.first), dot(&self.second));
            if !advance(&mut at, &self.extents) {
                return;
            }
        }
    }

    /// Copies the window from the beginning of `from` to that of `to`.
    pub(crate) fn copy<T: Copy>(&self, from: &[T], to: &mut [T]) {
        self.runs(|a, b| {
            if self.first_step == 1 && self.second_step == 1 {
                to[b..][..self.run].copy_from_slice(&from[a..][..self.run]);
                return;
            }
            for i in 0..self.run {
                to[b + i * self.second_step] = from[a + i * self.first_step];
            }
        });
    }

    /// Calls `visit` with the offsets of each element in both arrays, in row-major order.
    pub(crate) fn each(&self, mut visit: impl FnMut(usize, usize)) {
        self.runs(|a, b| {
            for i in 0..self.run {
                visit(a + i * self.first_step, b + i * self.second_step);
            }
        });
    }
}
