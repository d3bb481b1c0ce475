//! What the kernels of host ops share: inputs as tensors, and tensors taken apart and put together
//! without regard to their type.

use std::ops::Range;

use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor, limits};

use crate::{Kernel, StepContext, Value};

/// Input number `i` as a tensor.
pub(super) fn tensor(inputs: &[Value], i: usize) -> Result<&Tensor> {
    inputs.get(i).ok_or_else(|| Error::invalid_argument(format!("input {i} is missing")))?.tensor()
}

/// Input number `i`, which must be an integer scalar.
pub(super) fn int(inputs: &[Value], i: usize) -> Result<i64> {
    let t = tensor(inputs, i)?;
    match t.to_i64s()?[..] {
        [x] if t.shape().rank() == 0 => Ok(x),
        _ => Err(Error::invalid_argument(format!(
            "input {i} must be a scalar, not of shape {}",
            t.shape()
        ))),
    }
}

/// Input number `i`, which must be strings.
pub(super) fn strings(inputs: &[Value], i: usize) -> Result<&[Vec<u8>]> {
    let t = tensor(inputs, i)?;
    t.as_strings()
        .ok_or_else(|| Error::invalid_argument(format!("input {i} must be strings, not {t:?}")))
}

/// A kernel that is a function of tensors.
pub(super) struct Pure<F>(pub(super) &'static str, pub(super) F);

impl<F> std::fmt::Debug for Pure<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl<F: Fn(&[Value]) -> Result<Vec<Tensor>> + Send + Sync> Kernel for Pure<F> {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        Ok((self.1)(inputs)?.into_iter().map(Value::Tensor).collect())
    }
}

/// A kernel made of a function of tensors.
pub(super) fn pure(
    name: &'static str,
    run: impl Fn(&[Value]) -> Result<Vec<Tensor>> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Pure(name, run)))
}

/// Collects blocks of elements into a new tensor.
pub(super) struct Blocks {
    dtype: DType,
    bytes: Vec<u8>,
    strings: Vec<Vec<u8>>,
}

impl Blocks {
    pub(super) fn new(dtype: DType) -> Blocks {
        Blocks { dtype, bytes: Vec::new(), strings: Vec::new() }
    }

    /// Room for `elements`.
    pub(super) fn with_room(dtype: DType, elements: usize) -> Result<Blocks> {
        let bytes = elements.saturating_mul(dtype.size());
        if elements > limits::ELEMENTS_MAX || bytes > limits::TENSOR_BYTES_MAX {
            return Err(Error::resource_exhausted(format!("a tensor of {elements} elements")));
        }
        Ok(Blocks::new(dtype))
    }

    /// Appends the elements of `range`.
    pub(super) fn push(&mut self, from: &Tensor, range: Range<usize>) -> Result<()> {
        if from.dtype() != self.dtype {
            return Err(Error::invalid_argument(format!(
                "{} and {} do not go together",
                from.dtype(),
                self.dtype
            )));
        }
        let outside = || Error::internal("elements out of range");
        match from.as_strings() {
            Some(strings) => {
                self.strings.extend_from_slice(strings.get(range).ok_or_else(outside)?);
            }
            None => {
                let size = self.dtype.size();
                let bytes = from.bytes().get(range.start * size..range.end * size);
                self.bytes.extend_from_slice(bytes.ok_or_else(outside)?);
            }
        }
        Ok(())
    }

    /// Appends `count` zeros or empty strings.
    pub(super) fn push_zeros(&mut self, count: usize) {
        if self.dtype == DType::String {
            self.strings.resize(self.strings.len() + count, Vec::new());
        } else {
            self.bytes.resize(self.bytes.len() + count * self.dtype.size(), 0);
        }
    }

    pub(super) fn done(self, shape: Shape) -> Result<Tensor> {
        if self.dtype == DType::String {
            return Tensor::strings(shape, self.strings);
        }
        Tensor::new(self.dtype, shape, AlignedBytes::copy_of(&self.bytes)?)
    }
}

/// Rows `range` of the first dimension; the shape keeps it.
pub(super) fn rows(t: &Tensor, range: Range<usize>) -> Result<Tensor> {
    let mut dims = t.shape().dims().to_vec();
    let row: usize = dims.get(1..).unwrap_or_default().iter().product();
    let mut out = Blocks::new(t.dtype());
    out.push(t, range.start * row..range.end * row)?;
    if let Some(first) = dims.first_mut() {
        *first = range.len();
    }
    out.done(Shape::new(&dims))
}

/// A shape with one more dimension in front.
pub(super) fn with_first(first: usize, rest: &[usize]) -> Shape {
    let mut dims = vec![first];
    dims.extend_from_slice(rest);
    Shape::new(&dims)
}

/// A vector.
pub(super) fn vector<T: tfjit_base::Element>(values: &[T]) -> Result<Tensor> {
    Tensor::from_slice(Shape::new(&[values.len()]), values)
}

/// Integers in the given type, `i32` or `i64`.
pub(super) fn ints(dtype: DType, shape: Shape, values: &[i64]) -> Result<Tensor> {
    if dtype == DType::I32 {
        let narrow: Vec<i32> = values.iter().map(|&v| v as i32).collect();
        return Tensor::from_slice(shape, &narrow);
    }
    Tensor::from_slice(shape, values)
}
