//! Golden files of benchmarks: arrays `in:KEY` to feed and `out:KEY` to compare with.
//!
//! The batch is made by repeating rows of the inputs, so that the first rows of the outputs are
//! comparable at any batch.

use std::path::Path;

use tfjit::{Outputs, TensorSpec};
use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor};

use super::super::subject::Feeds;
use crate::numpy::Npz;
use crate::value::read_file;

/// The arrays of a golden file, by the keys of a signature.
pub(super) struct Golden {
    inputs: Vec<(String, Tensor)>,
    outputs: Vec<(String, Tensor)>,
}

/// How far a result is from the golden one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    /// The largest absolute difference of two elements.
    pub(super) worst: f64,
    /// The largest absolute value that is expected.
    pub(super) scale: f64,
}

impl Golden {
    /// Reads the file.
    ///
    /// # Errors
    /// What the system says, and INVALID_ARGUMENT for what is no `.npz` file.
    pub(super) fn read(path: &Path) -> Result<Golden> {
        let bytes = read_file(path)?;
        let npz = Npz::open(&bytes).map_err(|e| e.context(path.display()))?;
        let arrays = |mark: &str| -> Result<Vec<(String, Tensor)>> {
            let keys = npz.names().filter_map(|name| Some((name, name.strip_prefix(mark)?)));
            keys.map(|(name, key)| Ok((key.to_owned(), npz.read(name, None)?))).collect()
        };
        Ok(Golden { inputs: arrays("in:")?, outputs: arrays("out:")? })
    }

    /// Values of the inputs that the file knows, with `batch` rows each.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an input without rows to repeat.
    pub(super) fn feeds(&self, specs: &[TensorSpec], batch: usize) -> Result<Feeds> {
        let known = specs.iter().filter_map(|spec| find(&self.inputs, &spec.name));
        known.map(|(name, value)| Ok((name.clone(), batched(value, batch)?))).collect()
    }

    /// Compares the first rows of the numeric outputs that the file knows.
    ///
    /// # Errors
    /// FAILED_PRECONDITION for another shape, or when the file knows no output.
    pub(super) fn compare(&self, outputs: &Outputs) -> Result<Distance> {
        let mut distance = Distance::default();
        let mut compared = false;
        for (name, got) in &outputs.values {
            let Some((_, want)) = find(&self.outputs, name) else { continue };
            if got.dtype() == DType::String || want.dtype() != got.dtype() {
                continue;
            }
            let (got, want) = (rows(got), rows(want));
            if got.1 != want.1 {
                return Err(Error::failed_precondition(format!(
                    "output {name} is not of the golden shape"
                )));
            }
            compared = true;
            let n = got.0.min(want.0).saturating_mul(got.1);
            let (got, want) = (got.2.to_f64s()?, want.2.to_f64s()?);
            for (a, b) in got.iter().zip(&want).take(n) {
                let off = (a - b).abs();
                // NaN is as far as can be, and stays.
                if off.is_nan() || off > distance.worst {
                    distance.worst = off;
                }
                distance.scale = distance.scale.max(b.abs());
            }
        }
        match compared {
            true => Ok(distance),
            false => Err(Error::failed_precondition("the golden file knows none of the outputs")),
        }
    }
}

fn find<'a>(arrays: &'a [(String, Tensor)], key: &str) -> Option<&'a (String, Tensor)> {
    arrays.iter().find(|(name, _)| name == key)
}

/// Number of rows, elements of one, and the tensor.
fn rows(tensor: &Tensor) -> (usize, usize, &Tensor) {
    match tensor.shape().dims() {
        [] => (1, 1, tensor),
        [n, rest @ ..] => (*n, rest.iter().product(), tensor),
    }
}

/// The tensor with `batch` rows, repeating its own; scalars stay as they are.
fn batched(tensor: &Tensor, batch: usize) -> Result<Tensor> {
    let (n, row, _) = rows(tensor);
    let rank = tensor.shape().rank();
    if rank == 0 || n == batch {
        return Ok(tensor.clone());
    }
    if n == 0 || tensor.as_strings().is_some() {
        return Err(Error::invalid_argument("a golden input has no rows that can be repeated"));
    }
    let size = row * tensor.dtype().size();
    let mut bytes = AlignedBytes::zeroed(size.saturating_mul(batch))?;
    for (i, to) in bytes.as_mut().chunks_exact_mut(size.max(1)).enumerate() {
        let from = i % n * size;
        to.copy_from_slice(&tensor.bytes()[from..from + size]);
    }
    let mut dims = tensor.shape().dims().to_vec();
    dims[0] = batch;
    Tensor::new(tensor.dtype(), Shape::new(&dims), bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit::Times;

    fn rows_of(values: &[f32]) -> Tensor {
        Tensor::from_slice(Shape::new(&[values.len() / 2, 2]), values).unwrap()
    }

    #[test]
    fn rows_are_repeated_and_first_rows_compared() {
        let golden = Golden {
            inputs: vec![("x".to_owned(), rows_of(&[1.0, 2.0, 3.0, 4.0]))],
            outputs: vec![("y".to_owned(), rows_of(&[1.0, -2.0, 3.0, 4.0]))],
        };
        let three = batched(&golden.inputs[0].1, 3).unwrap();
        assert_eq!(three, rows_of(&[1.0, 2.0, 3.0, 4.0, 1.0, 2.0]));
        let outputs = |values: &[f32]| Outputs {
            values: vec![("y".into(), rows_of(values))],
            times: Times::default(),
        };
        let near = golden.compare(&outputs(&[1.0, -2.5])).unwrap();
        assert_eq!((near.worst, near.scale), (0.5, 2.0));
        let more = golden.compare(&outputs(&[1.0, -2.0, 3.0, 4.0, 9.0, 9.0])).unwrap();
        assert_eq!(more.worst, 0.0);
        assert!(golden.compare(&outputs(&[f32::NAN, 0.0])).unwrap().worst.is_nan());
        let other = Outputs { values: vec![], times: Times::default() };
        assert!(golden.compare(&other).is_err());
    }
}
