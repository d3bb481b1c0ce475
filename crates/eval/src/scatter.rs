//! `scatter`: windows of updates combined into places that an index tensor names.
//!
//! An element of an update whose place lies outside the input is dropped, as the specification
//! says, while the rest of its window is kept. Updates are applied in the order of the index
//! tensor.

use bytemuck::Pod;
use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_hlo::{Scatter, TensorType};

use crate::cells::Cells;
use crate::convert::convert;
use crate::index_map::{IndexMap, MapDims, Strided};
use crate::permute::{others, positions, select};
use crate::pick::{self, Fold};
use crate::reducer::{Cell, Reducer, Shortcut};
use crate::typed::{advance, build, by_width, raw};

/// `scatter(inputs…, scatter_indices, updates…)`. Element types of `outs` are those the reducer
/// works on; it is called with the elements so far, then the updates.
///
/// # Errors
/// INVALID_ARGUMENT when counts, shapes or dimension numbers do not fit; those of the reducer.
pub(crate) fn scatter(
    inputs: &[&Tensor],
    indices: &Tensor,
    updates: &[&Tensor],
    dims: &Scatter,
    reducer: &mut Reducer<'_>,
    outs: &[TensorType],
) -> Result<Vec<Tensor>> {
    let (Some(input), Some(update)) = (inputs.first(), updates.first()) else {
        return Err(Error::invalid_argument("scatter has no input"));
    };
    if inputs.len() != updates.len() || inputs.len() != outs.len() {
        return Err(Error::invalid_argument("scatter has an update and a result for each input"));
    }
    let places = Places::new(input.shape(), indices, update.shape(), dims)?;
    let mut operands = Vec::new();
    for ((other, with), out) in inputs.iter().zip(updates).zip(outs) {
        if other.shape() != input.shape()
            || with.shape() != update.shape()
            || out.shape()? != *input.shape()
        {
            return Err(Error::invalid_argument("the inputs or updates of a scatter differ"));
        }
        operands.push((convert(other, out.dtype)?, convert(with, out.dtype)?));
    }
    if let [(input, update)] = &operands[..] {
        let out = &outs[0];
        let work = Single { places: &places, input, update, out };
        if reducer.shortcut() == Some(Shortcut::Second) {
            return by_width!(out.dtype, T => Ok(vec![work.visit(|_: T, new: T| new)?]));
        }
        if let Some(Shortcut::Binary(op)) = reducer.shortcut() {
            return Ok(vec![pick::fold(op, out.dtype, work)??]);
        }
    }
    let n = operands.len();
    let mut results = outs.iter().map(Cells::zeroed).collect::<Result<Vec<_>>>()?;
    for (result, (input, _)) in results.iter_mut().zip(&operands) {
        result.copy_from(input)?;
    }
    let mut arguments = vec![Cell::default(); 2 * n];
    let mut combined = vec![Cell::default(); n];
    let mut outcome = Ok(());
    places.each(|to, from| {
        if outcome.is_err() {
            return;
        }
        for (i, (result, (_, update))) in results.iter().zip(&operands).enumerate() {
            arguments[i] = result.get(to);
            arguments[n + i] = Cell::at(update, from).unwrap_or_default();
        }
        outcome = reducer.call(&arguments, &mut combined);
        for (result, value) in results.iter_mut().zip(&combined) {
            result.set(to, value);
        }
    })?;
    outcome?;
    results.into_iter().map(Cells::finish).collect()
}

/// Which element of the updates goes to which element of the result.
struct Places {
    shape: Shape,
    map: IndexMap,
    /// Extents of a window in every operand dimension.
    sizes: Vec<usize>,
    /// Strides in the updates of the batch dimensions.
    outer: Vec<usize>,
    /// Strides in the updates of the window dimensions.
    inner: Vec<usize>,
}

impl Places {
    fn new(shape: &Shape, indices: &Tensor, updates: &Shape, dims: &Scatter) -> Result<Places> {
        let map = IndexMap::new(shape, indices, &MapDims::of_scatter(dims))?;
        let window = positions("update_window_dims", &dims.update_window_dims, updates.rank())?;
        let outer = others(updates.rank(), &[&window]);
        let mut sizes = vec![1; shape.rank()];
        for (&d, &from) in map.window.iter().zip(&window) {
            sizes[d] = updates[from];
        }
        if window.len() != map.window.len()
            || !window.is_sorted()
            || select(updates, &outer) != map.batch
            || map.window.iter().any(|&d| sizes[d] > shape[d])
        {
            return Err(Error::invalid_argument(format!(
                "updates of shape {updates} with window dimensions {window:?} do not fit indices \
                 of shape {} into {shape}",
                indices.shape()
            )));
        }
        let strides = updates.strides();
        let (outer, inner) = (select(&strides, &outer), select(&strides, &window));
        Ok(Places { shape: shape.clone(), map, sizes, outer, inner })
    }

    /// Calls `visit` with the positions in the result and in the updates.
    fn each(&self, mut visit: impl FnMut(usize, usize)) -> Result<()> {
        let strides = self.shape.strides();
        let window = select(&strides, &self.map.window);
        let sizes = select(&self.sizes, &self.map.window);
        let strided = Strided::new(&sizes, &window, &self.inner);
        self.map.each(|at, starts| {
            let from: usize = at.iter().zip(&self.outer).map(|(i, s)| i * s).sum();
            let inside = starts.iter().zip(self.shape.iter()).zip(&self.sizes).all(
                |((&start, &extent), &size)| {
                    start >= 0 && start.saturating_add(size as i64) <= extent as i64
                },
            );
            if inside {
                let to: usize = starts.iter().zip(&strides).map(|(&i, s)| i as usize * s).sum();
                strided.each(|a, b| visit(to + a, from + b));
            } else {
                self.each_inside(starts, from, &mut visit);
            }
            Ok(())
        })
    }

    /// As [`Places::each`] for one window that sticks out.
    fn each_inside(&self, starts: &[i64], from: usize, visit: &mut impl FnMut(usize, usize)) {
        let strides = self.shape.strides();
        let window = &self.map.window;
        let sizes = select(&self.sizes, window);
        if sizes.contains(&0) {
            return;
        }
        let mut at = vec![0; window.len()];
        loop {
            let mut offset = vec![0; starts.len()];
            for (&d, &i) in window.iter().zip(&at) {
                offset[d] = i;
            }
            let to: Option<usize> = (0..starts.len())
                .map(|d| {
                    let place = usize::try_from(starts[d].saturating_add(offset[d] as i64)).ok()?;
                    (place < self.shape[d]).then_some(place * strides[d])
                })
                .sum();
            if let Some(to) = to {
                let within: usize = at.iter().zip(&self.inner).map(|(i, s)| i * s).sum();
                visit(to, from + within);
            }
            if !advance(&mut at, &sizes) {
                return;
            }
        }
    }
}

/// A scatter into one input.
struct Single<'a> {
    places: &'a Places,
    input: &'a Tensor,
    update: &'a Tensor,
    out: &'a TensorType,
}

impl Fold for Single<'_> {
    type Out = Result<Tensor>;
    fn visit<T: Pod>(self, combine: impl Fn(T, T) -> T + Copy + 'static) -> Result<Tensor> {
        let (input, update) = (raw::<T>(self.input)?, raw::<T>(self.update)?);
        build(self.out.dtype, &self.places.shape, |result: &mut [T]| {
            result.copy_from_slice(&input);
            self.places.each(|to, from| result[to] = combine(result[to], update[from]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::DType;
    use tfjit_hlo::Binary;

    fn sum(shortcut: Option<Shortcut>) -> Reducer<'static> {
        Reducer::new(
            shortcut,
            Box::new(|a, r| {
                r[0] = Cell::of(a[0].get::<i32>() + a[1].get::<i32>());
                Ok(())
            }),
        )
    }

    fn run(dims: &Scatter, updates: &Tensor, shortcut: Option<Shortcut>) -> Result<Vec<i64>> {
        let input = Tensor::from_slice(Shape::new(&[3, 2]), &[1i32, 2, 3, 4, 5, 6])?;
        let indices = Tensor::from_slice(Shape::new(&[4]), &[2i64, 0, 2, -1])?;
        let out = TensorType::new(DType::I32, &[3, 2]);
        scatter(&[&input], &indices, &[updates], dims, &mut sum(shortcut), &[out])?[0].to_i64s()
    }

    fn tens(shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        let values: Vec<i32> = (1..=n as i32).map(|i| i * 10).collect();
        Tensor::from_slice(Shape::new(shape), &values).unwrap()
    }

    fn rows() -> Scatter {
        Scatter {
            update_window_dims: [1].into_iter().collect(),
            inserted_window_dims: [0].into_iter().collect(),
            scatter_dims_to_operand_dims: [0].into_iter().collect(),
            index_vector_dim: 1,
            ..Scatter::default()
        }
    }

    #[test]
    fn repeated_rows_add_up_and_outside_ones_are_dropped() {
        let add = Some(Shortcut::Binary(Binary::Add));
        let want = [31, 42, 3, 4, 65, 86];
        assert_eq!(run(&rows(), &tens(&[4, 2]), add).unwrap(), want);
        assert_eq!(run(&rows(), &tens(&[4, 2]), None).unwrap(), want);
        let last = run(&rows(), &tens(&[4, 2]), Some(Shortcut::Second)).unwrap();
        assert_eq!(last, [30, 40, 3, 4, 50, 60]);
    }

    #[test]
    fn a_window_that_sticks_out_keeps_its_inside() {
        let dims = Scatter {
            update_window_dims: [0, 2].into_iter().collect(),
            inserted_window_dims: [].into_iter().collect(),
            ..rows()
        };
        // Windows of two rows at 2, 0, 2 and -1.
        let want = [1 + 30 + 150, 2 + 40 + 160, 3 + 110, 4 + 120, 5 + 10 + 50, 6 + 20 + 60];
        let add = Some(Shortcut::Binary(Binary::Add));
        assert_eq!(run(&dims, &tens(&[2, 4, 2]), add).unwrap(), want);
        assert_eq!(run(&dims, &tens(&[2, 4, 2]), None).unwrap(), want);
    }

    #[test]
    fn misfits_are_errors() {
        assert!(run(&rows(), &tens(&[4, 3]), None).is_err());
        assert!(run(&rows(), &tens(&[5, 2]), None).is_err());
        let mut dims = rows();
        dims.scatter_dims_to_operand_dims.push(1);
        assert!(run(&dims, &tens(&[4, 2]), None).is_err());
    }
}
