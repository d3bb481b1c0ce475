//! `gather`, `dynamic_gather` and `torch_index_select`: slices picked by an index tensor.
//!
//! A start index is moved so that its slice lies inside the operand, as the specification says.

use bytemuck::Pod;
use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{Gather, TensorType};

use crate::index_map::{IndexMap, MapDims, Strided};
use crate::permute::{expect_shape, others, positions, product, select};
use crate::typed::{build, by_width, raw};

/// `gather(operand, start_indices)` with the slice sizes of the attributes.
///
/// # Errors
/// INVALID_ARGUMENT when dimension numbers or extents do not fit.
pub(crate) fn gather(
    operand: &Tensor,
    indices: &Tensor,
    dims: &Gather,
    out: &TensorType,
) -> Result<Tensor> {
    let sizes: Option<Vec<usize>> =
        dims.slice_sizes.iter().map(|&s| usize::try_from(s).ok()).collect();
    let fits = |sizes: &Vec<usize>| {
        sizes.len() == operand.shape().rank()
            && sizes.iter().zip(operand.shape().iter()).all(|(size, extent)| size <= extent)
    };
    let sizes = sizes.filter(fits).ok_or_else(|| {
        Error::invalid_argument(format!(
            "slices of sizes {:?} cannot be taken from a tensor of shape {}",
            dims.slice_sizes,
            operand.shape()
        ))
    })?;
    let map = IndexMap::new(operand.shape(), indices, &MapDims::of_gather(dims))?;
    if map.single.iter().any(|&d| sizes[d] > 1) {
        return Err(Error::invalid_argument(
            "a collapsed or batching dimension of a gather has a slice size above 1",
        ));
    }
    let shape = out.shape()?;
    let result_rank = map.batch.len() + map.window.len();
    let offsets = positions("offset_dims", &dims.offset_dims, result_rank)?;
    if offsets.len() != map.window.len() || !offsets.is_sorted() {
        return Err(Error::invalid_argument(format!(
            "offset_dims {offsets:?} of a gather are not one sorted entry for each dimension that \
             is kept"
        )));
    }
    let outer = others(result_rank, &[&offsets]);
    let mut computed = vec![0; result_rank];
    for (&d, &extent) in outer.iter().zip(&map.batch) {
        computed[d] = extent;
    }
    for (&d, &from) in offsets.iter().zip(&map.window) {
        computed[d] = sizes[from];
    }
    expect_shape("gather", &computed, &shape)?;
    let strides = shape.strides();
    let window = Strided::new(
        &select(&sizes, &map.window),
        &select(&operand.shape().strides(), &map.window),
        &select(&strides, &offsets),
    );
    let copy = Copy { operand, map: &map, sizes: &sizes, outer: select(&strides, &outer), window };
    by_width!(out.dtype, T => copy.run::<T>(out))
}

/// A gather whose parts fit.
struct Copy<'a> {
    operand: &'a Tensor,
    map: &'a IndexMap,
    sizes: &'a [usize],
    /// Strides of the batch dimensions in the result.
    outer: Vec<usize>,
    window: Strided,
}

impl Copy<'_> {
    fn run<T: Pod>(&self, out: &TensorType) -> Result<Tensor> {
        let source = raw::<T>(self.operand)?;
        let limits: Vec<i64> = self
            .operand
            .shape()
            .iter()
            .zip(self.sizes)
            .map(|(&extent, &size)| (extent - size) as i64)
            .collect();
        let strides = self.operand.shape().strides();
        build(out.dtype, &out.shape()?, |result: &mut [T]| {
            if result.is_empty() {
                return Ok(());
            }
            self.map.each(|at, starts| {
                let to: usize = at.iter().zip(&self.outer).map(|(i, s)| i * s).sum();
                let from: usize = starts
                    .iter()
                    .zip(&limits)
                    .zip(&strides)
                    .map(|((&start, &limit), s)| start.clamp(0, limit) as usize * s)
                    .sum();
                self.window.copy(&source[from..], &mut result[to..]);
                Ok(())
            })
        })
    }
}

/// `dynamic_gather(operand, start_indices, slice_sizes)`.
///
/// # Errors
/// As [`gather`].
pub(crate) fn dynamic_gather(
    operand: &Tensor,
    indices: &Tensor,
    slice_sizes: &Tensor,
    dims: &Gather,
    out: &TensorType,
) -> Result<Tensor> {
    let slice_sizes = slice_sizes.to_i64s()?.into_iter().collect();
    gather(operand, indices, &Gather { slice_sizes, ..dims.clone() }, out)
}

/// `torch_index_select(operand, index)`: along dimension `dim` the elements that `index` names, for
/// each of the first `batch_dims` dimensions separately. Indices outside are moved inside.
///
/// # Errors
/// INVALID_ARGUMENT when dimensions or extents do not fit.
pub(crate) fn torch_index_select(
    operand: &Tensor,
    index: &Tensor,
    dim: i64,
    batch_dims: i64,
    out: &TensorType,
) -> Result<Tensor> {
    let (shape, picks) = (operand.shape(), index.shape());
    let place = |d: i64, rank: usize| usize::try_from(d).ok().filter(|&d| d < rank);
    let (Some(dim), Some(batches)) =
        (place(dim, shape.rank()), place(batch_dims, picks.rank() + 1))
    else {
        return Err(Error::invalid_argument(format!(
            "torch_index_select has no dimension {dim}, or fewer than {batch_dims} batch dimensions"
        )));
    };
    if batches > dim || shape[..batches] != picks[..batches] {
        return Err(Error::invalid_argument(format!(
            "the first {batches} dimensions of {shape} and {picks} are not the same batch"
        )));
    }
    let computed = [&shape[..dim], &picks[batches..], &shape[dim + 1..]].concat();
    expect_shape("torch_index_select", &computed, &out.shape()?)?;
    let (extent, inner) = (shape[dim], product(&shape[dim + 1..]));
    let lines = product(&shape[batches..dim]);
    let picks_per_batch = product(&picks[batches..]);
    let indices = index.to_i64s()?;
    by_width!(out.dtype, T => {
        let source = raw::<T>(operand)?;
        build(out.dtype, &out.shape()?, |result: &mut [T]| {
            if result.is_empty() {
                return Ok(());
            }
            if extent == 0 {
                return Err(Error::invalid_argument("nothing can be selected from no elements"));
            }
            for (line, rows) in result.chunks_exact_mut(picks_per_batch * inner).enumerate() {
                let picks = &indices[line / lines * picks_per_batch..];
                for (row, &pick) in rows.chunks_exact_mut(inner).zip(picks) {
                    let pick = pick.clamp(0, extent as i64 - 1) as usize;
                    row.copy_from_slice(&source[(line * extent + pick) * inner..][..inner]);
                }
            }
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{DType, Shape};

    fn ramp(shape: &[usize]) -> Tensor {
        let values: Vec<i32> = (0..shape.iter().product::<usize>() as i32).collect();
        Tensor::from_slice(Shape::new(shape), &values).unwrap()
    }

    fn rows() -> Gather {
        Gather {
            offset_dims: [1].into_iter().collect(),
            collapsed_slice_dims: [0].into_iter().collect(),
            start_index_map: [0].into_iter().collect(),
            index_vector_dim: 1,
            slice_sizes: [1, 2].into_iter().collect(),
            ..Gather::default()
        }
    }

    #[test]
    fn rows_are_picked_and_starts_clamped() {
        let indices = Tensor::from_slice(Shape::new(&[3]), &[2i64, -7, 99]).unwrap();
        let out = TensorType::new(DType::I32, &[3, 2]);
        let got = gather(&ramp(&[4, 2]), &indices, &rows(), &out).unwrap();
        assert_eq!(got.to_i64s().unwrap(), [4, 5, 0, 1, 6, 7]);
        let huge = Tensor::from_slice(Shape::new(&[3]), &[1u64, u64::MAX, 0]).unwrap();
        let got = gather(&ramp(&[4, 2]), &huge, &rows(), &out).unwrap();
        assert_eq!(got.to_i64s().unwrap(), [2, 3, 6, 7, 0, 1]);
        let sizes = Tensor::from_slice(Shape::new(&[2]), &[1i32, 2]).unwrap();
        let bare = Gather { slice_sizes: [].into_iter().collect(), ..rows() };
        let again = dynamic_gather(&ramp(&[4, 2]), &huge, &sizes, &bare, &out).unwrap();
        assert_eq!(again, got);
    }

    #[test]
    fn windows_and_batches_may_interleave() {
        // For each of two batches, two starts of 2x1 windows; the window's first dimension leads.
        let dims = Gather {
            offset_dims: [0, 3].into_iter().collect(),
            operand_batching_dims: [0].into_iter().collect(),
            start_indices_batching_dims: [1].into_iter().collect(),
            start_index_map: [2, 1].into_iter().collect(),
            index_vector_dim: 0,
            slice_sizes: [1, 2, 1].into_iter().collect(),
            ..Gather::default()
        };
        // Columns: (axis 2, axis 1) of [batch 0: (0, 0), (1, 1)], [batch 1: (2, 0), (5, 5)].
        let indices = [0i32, 1, 2, 5, 0, 1, 0, 5];
        let indices = Tensor::from_slice(Shape::new(&[2, 2, 2]), &indices).unwrap();
        let out = TensorType::new(DType::I32, &[2, 2, 2, 1]);
        let got = gather(&ramp(&[2, 3, 3]), &indices, &dims, &out).unwrap();
        assert_eq!(got.to_i64s().unwrap(), [0, 4, 11, 14, 3, 7, 14, 17]);
    }

    #[test]
    fn misfits_are_errors() {
        let indices = Tensor::from_slice(Shape::new(&[1]), &[0i32]).unwrap();
        let out = TensorType::new(DType::I32, &[1, 2]);
        let x = ramp(&[4, 2]);
        assert!(gather(&x, &indices, &rows(), &out).is_ok());
        let broken: [fn(&mut Gather); 6] = [
            |g| g.slice_sizes[1] = 3,
            |g| g.slice_sizes[0] = 2,
            |g| g.offset_dims[0] = 2,
            |g| g.start_index_map[0] = 2,
            |g| g.index_vector_dim = 5,
            |g| g.collapsed_slice_dims.clear(),
        ];
        for (i, damage) in broken.iter().enumerate() {
            let mut dims = rows();
            damage(&mut dims);
            assert!(gather(&x, &indices, &dims, &out).is_err(), "{i}");
        }
    }

    #[test]
    fn index_select_has_batches() {
        let index = Tensor::from_slice(Shape::new(&[2, 2]), &[2i64, 0, 1, 9]).unwrap();
        let out = TensorType::new(DType::I32, &[2, 2]);
        let got = torch_index_select(&ramp(&[2, 3]), &index, 1, 1, &out).unwrap();
        assert_eq!(got.to_i64s().unwrap(), [2, 0, 4, 5]);
        let out = TensorType::new(DType::I32, &[2, 2, 2]);
        let got = torch_index_select(&ramp(&[2, 3]), &index, 1, 0, &out).unwrap();
        assert_eq!(got.to_i64s().unwrap(), [2, 0, 1, 2, 5, 3, 4, 5]);
        assert!(torch_index_select(&ramp(&[2, 3]), &index, 2, 0, &out).is_err());
        assert!(torch_index_select(&ramp(&[2, 3]), &index, 0, 1, &out).is_err());
    }
}
