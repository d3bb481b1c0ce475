//! Tensor arrays of TensorFlow 1: tensors by position that a loop reads and writes.
//!
//! An array lives as long as the handles of it do, which is one step. Messages are TensorFlow's.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfjit_base::{DType, Error, PartialShape, Result, Shape, Tensor};
use tfjit_model::Node;

use super::arithmetic::add;
use super::tensors::{Blocks, int, rows, tensor, vector, with_first};
use super::{HostRow, row};
use crate::{Kernel, Object, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("TensorArrayCloseV3", "gives up a tensor array", |_| kernel(close)),
    row("TensorArrayConcatV3", "all elements, one behind the other", make_concat),
    row("TensorArrayGatherV3", "elements at positions, stacked", make_gather),
    row("TensorArrayGradV3", "the array of an array's gradients", make_grad),
    row("TensorArrayReadV3", "the element at a position", |_| kernel(read)),
    row("TensorArrayScatterV3", "writes rows to positions", |_| kernel(scatter)),
    row("TensorArraySizeV3", "number of elements", |_| kernel(size)),
    row("TensorArraySplitV3", "writes pieces of a tensor", |_| kernel(split)),
    row("TensorArrayV3", "a new tensor array", make_array),
    row("TensorArrayWriteV3", "writes one element", |_| kernel(write)),
];

/// Elements of an array, whose size a graph may compute.
const SIZE_MAX: usize = 1 << 24;

/// What is fixed when the array is made.
#[derive(Clone, Debug)]
struct Traits {
    dtype: DType,
    dynamic: bool,
    clear_after_read: bool,
    identical: bool,
    /// Writing twice adds: an array of gradients.
    adds: bool,
}

#[derive(Debug)]
struct TensorArray {
    name: String,
    traits: Traits,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    elements: Vec<Slot>,
    /// What all elements have in common.
    shape: PartialShape,
    closed: bool,
    gradients: BTreeMap<String, Arc<TensorArray>>,
}

#[derive(Clone, Debug, Default)]
enum Slot {
    #[default]
    Empty,
    Full(Tensor),
    /// Read and gone.
    Cleared,
}

impl Object for TensorArray {
    fn kind(&self) -> &'static str {
        "TensorArray"
    }
    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }
}

impl TensorArray {
    fn new(name: String, traits: Traits, size: i64, shape: PartialShape) -> Result<TensorArray> {
        let size = count(size)?;
        let elements = vec![Slot::Empty; size];
        let gradients = BTreeMap::new();
        let state = Mutex::new(State { elements, shape, closed: false, gradients });
        Ok(TensorArray { name, traits, state })
    }

    fn open(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Err(self.error("has already been closed."));
        }
        Ok(state)
    }

    fn error(&self, text: &str) -> Error {
        Error::invalid_argument(format!("TensorArray {}: {text}", self.name))
    }

    fn write(&self, state: &mut State, index: i64, value: Tensor) -> Result<()> {
        let size = state.elements.len();
        if index < 0 || (!self.traits.dynamic && index as usize >= size) {
            return Err(self.error(&format!(
                "Tried to write to index {index} but array is not resizeable and size is: {size}"
            )));
        }
        let at = index as usize;
        if at >= size {
            state.elements.resize(count(index.saturating_add(1))?, Slot::Empty);
        }
        let refuse = |text: String| {
            Err(self.error(&format!("Could not write to TensorArray index {index} because {text}")))
        };
        if value.dtype() != self.traits.dtype {
            return refuse(format!(
                "the value dtype is {} but TensorArray dtype is {}.",
                value.dtype(),
                self.traits.dtype
            ));
        }
        if !state.shape.accepts(value.shape()) {
            return refuse(format!(
                "the value shape is {} which is incompatible with the TensorArray's inferred \
                 element shape: {} (consider setting infer_shape=False).",
                value.shape(),
                state.shape
            ));
        }
        if self.traits.identical {
            state.shape = PartialShape::known(value.shape());
        }
        let slot = &mut state.elements[at];
        *slot = match std::mem::take(slot) {
            Slot::Empty => Slot::Full(value),
            Slot::Full(old) if self.traits.adds => Slot::Full(add(&old, &value)?),
            Slot::Cleared if self.traits.adds => {
                return refuse("it has already been read.".to_owned());
            }
            kept => {
                *slot = kept;
                return refuse("it has already been written to.".to_owned());
            }
        };
        Ok(())
    }

    fn read(&self, state: &mut State, index: i64) -> Result<Tensor> {
        let size = state.elements.len();
        let Some(at) = usize::try_from(index).ok().filter(|&at| at < size) else {
            return Err(
                self.error(&format!("Tried to read from index {index} but array size is: {size}"))
            );
        };
        match &state.elements[at] {
            Slot::Full(value) => {
                let value = value.clone();
                if self.traits.clear_after_read {
                    state.elements[at] = Slot::Cleared;
                }
                Ok(value)
            }
            Slot::Cleared => Err(self.error(&format!(
                "Could not read index {index} twice because it was cleared after a previous read \
                 (perhaps try setting clear_after_read = false?)."
            ))),
            Slot::Empty => match state.shape.to_shape() {
                Some(shape) => Tensor::zeros(self.traits.dtype, shape),
                None => Err(self.error(&format!(
                    "Could not read from TensorArray index {index}.  Furthermore, the element \
                     shape is not fully defined: {}",
                    state.shape
                ))),
            },
        }
    }
}

fn count(size: i64) -> Result<usize> {
    let text = || format!("Size should be >= 0, not {size}");
    let size = usize::try_from(size).map_err(|_| Error::invalid_argument(text()))?;
    if size > SIZE_MAX {
        let text = format!("a tensor array of {size} elements");
        return Err(Error::resource_exhausted(text));
    }
    Ok(size)
}

struct Operation<F>(F);

impl<F> std::fmt::Debug for Operation<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an operation on a tensor array")
    }
}

impl<F> Kernel for Operation<F>
where
    F: Fn(&TensorArray, &[Value]) -> Result<Vec<Value>> + Send + Sync,
{
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let handle = inputs.first().ok_or_else(|| Error::internal("no handle"))?;
        (self.0)(handle.object()?, inputs)
    }
}

fn kernel(
    run: impl Fn(&TensorArray, &[Value]) -> Result<Vec<Value>> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Operation(run)))
}

fn flow() -> Vec<Value> {
    vec![Value::Tensor(Tensor::scalar(0.0f32))]
}

fn write(array: &TensorArray, inputs: &[Value]) -> Result<Vec<Value>> {
    let index = int(inputs, 1)?;
    array.write(&mut *array.open()?, index, tensor(inputs, 2)?.clone())?;
    Ok(flow())
}

fn read(array: &TensorArray, inputs: &[Value]) -> Result<Vec<Value>> {
    let index = int(inputs, 1)?;
    Ok(vec![Value::Tensor(array.read(&mut *array.open()?, index)?)])
}

fn size(array: &TensorArray, _: &[Value]) -> Result<Vec<Value>> {
    let size = array.open()?.elements.len() as i32;
    Ok(vec![Value::Tensor(Tensor::scalar(size))])
}

fn close(array: &TensorArray, _: &[Value]) -> Result<Vec<Value>> {
    let mut state = array.state.lock().unwrap_or_else(PoisonError::into_inner);
    state.closed = true;
    state.elements.clear();
    Ok(Vec::new())
}

fn scatter(array: &TensorArray, inputs: &[Value]) -> Result<Vec<Value>> {
    let (indices, value) = (tensor(inputs, 1)?, tensor(inputs, 2)?);
    if indices.shape().rank() != 1 {
        return Err(Error::invalid_argument(format!(
            "Expected indices to be a vector, but received shape: {}",
            indices.shape()
        )));
    }
    let Some((&first, rest)) = value.shape().dims().split_first() else {
        return Err(Error::invalid_argument(format!(
            "Expected value to be at least a vector, but received shape: {}",
            value.shape()
        )));
    };
    if first != indices.elements() {
        return Err(Error::invalid_argument(format!(
            "Expected len(indices) == values.shape[0], but saw: {} vs. {first}",
            indices.elements()
        )));
    }
    let mut state = array.open()?;
    for (i, index) in indices.to_i64s()?.into_iter().enumerate() {
        let element = rows(value, i..i + 1)?.reshaped(Shape::new(rest))?;
        array.write(&mut state, index, element)?;
    }
    Ok(flow())
}

fn split(array: &TensorArray, inputs: &[Value]) -> Result<Vec<Value>> {
    let (value, lengths) = (tensor(inputs, 1)?, tensor(inputs, 2)?);
    if lengths.shape().rank() != 1 || value.shape().rank() == 0 {
        return Err(Error::invalid_argument(format!(
            "Expected lengths to be a vector and value to be at least one, but received the \
             shapes {} and {}",
            lengths.shape(),
            value.shape()
        )));
    }
    let lengths = lengths.to_i64s()?;
    let sum = lengths.iter().try_fold(0i64, |sum, &n| sum.checked_add(n).filter(|_| n >= 0));
    let first = value.shape().dims()[0];
    if sum != Some(first as i64) {
        return Err(Error::invalid_argument(format!(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {} and \
             value's shape is: {}",
            sum.unwrap_or(-1),
            value.shape()
        )));
    }
    let mut state = array.open()?;
    if array.traits.dynamic && state.elements.len() < lengths.len() {
        state.elements.resize(count(lengths.len() as i64)?, Slot::Empty);
    }
    if state.elements.len() != lengths.len() {
        return Err(Error::invalid_argument(format!(
            "TensorArray's size is not equal to the size of lengths ({} vs. {}), and the \
             TensorArray is not marked as dynamically resizeable",
            state.elements.len(),
            lengths.len()
        )));
    }
    let mut start = 0;
    for (i, length) in lengths.into_iter().enumerate() {
        let end = start + length as usize;
        array.write(&mut state, i as i64, rows(value, start..end)?)?;
        start = end;
    }
    Ok(flow())
}

/// What an array holds and an attribute asks for, together.
fn common(array: &TensorArray, state: &State, asked: &PartialShape) -> Result<PartialShape> {
    let (Some(own), Some(other)) = (state.shape.dims(), asked.dims()) else {
        return Ok(if state.shape.dims().is_some() { state.shape.clone() } else { asked.clone() });
    };
    let fit = |(a, b): (&Option<usize>, &Option<usize>)| a.is_none() || b.is_none() || a == b;
    if own.len() != other.len() || !own.iter().zip(other).all(fit) {
        return Err(
            array.error(&format!("the element shape {asked} is incompatible with {}", state.shape))
        );
    }
    Ok(PartialShape::new(own.iter().zip(other).map(|(a, b)| a.or(*b)).collect()))
}

fn stack(array: &TensorArray, indices: &[i64], asked: &PartialShape) -> Result<Vec<Value>> {
    let mut state = array.open()?;
    state.shape = common(array, &state, asked)?;
    if indices.is_empty() {
        let shape = state.shape.to_shape().ok_or_else(|| {
            Error::unimplemented(format!(
                "TensorArray has size zero, but element shape {} is not fully defined. Currently \
                 only static shapes are supported when packing zero-size TensorArrays.",
                state.shape
            ))
        })?;
        let empty = Tensor::zeros(array.traits.dtype, with_first(0, shape.dims()))?;
        return Ok(vec![Value::Tensor(empty)]);
    }
    let mut out = Blocks::new(array.traits.dtype);
    let mut shape: Option<Shape> = None;
    for &index in indices {
        let value = array.read(&mut state, index)?;
        let first = shape.get_or_insert_with(|| value.shape().clone());
        if first != value.shape() {
            return Err(array.error(&format!(
                "has inconsistent shapes.  Index 0 has shape: {first} but index {index} has shape: \
                 {}",
                value.shape()
            )));
        }
        out.push(&value, 0..value.elements())?;
    }
    let shape = shape.unwrap_or_else(Shape::scalar);
    Ok(vec![Value::Tensor(out.done(with_first(indices.len(), shape.dims()))?)])
}

fn make_gather(node: &Node) -> Result<Box<dyn Kernel>> {
    let asked = node.attr_shape("element_shape")?.clone();
    kernel(move |array, inputs| {
        let indices = tensor(inputs, 1)?;
        if indices.shape().rank() != 1 {
            return Err(Error::invalid_argument(format!(
                "Expected indices to be a vector, but received shape: {}",
                indices.shape()
            )));
        }
        stack(array, &indices.to_i64s()?, &asked)
    })
}

fn make_concat(node: &Node) -> Result<Box<dyn Kernel>> {
    let asked = node.attr_shape("element_shape_except0")?.clone();
    kernel(move |array, _| {
        let mut state = array.open()?;
        let count = state.elements.len();
        if count == 0 {
            let rest = asked.to_shape().ok_or_else(|| {
                Error::unimplemented(format!(
                    "TensorArray has size zero, but element_shape_except0 {asked} is not fully \
                     defined. Currently only static shapes are supported when concatenating \
                     zero-size TensorArrays."
                ))
            })?;
            let empty = Tensor::zeros(array.traits.dtype, with_first(0, rest.dims()))?;
            return Ok(vec![Value::Tensor(empty), Value::Tensor(vector::<i64>(&[])?)]);
        }
        let mut out = Blocks::new(array.traits.dtype);
        let mut rest: Option<Vec<usize>> = None;
        let mut lengths = Vec::with_capacity(count);
        for index in 0..count as i64 {
            let value = array.read(&mut state, index)?;
            let Some((&first, tail)) = value.shape().dims().split_first() else {
                return Err(array.error(&format!(
                    "Concat saw a scalar shape at index {index} but requires at least vectors."
                )));
            };
            if *rest.get_or_insert_with(|| tail.to_vec()) != tail {
                return Err(array.error(&format!(
                    "has inconsistent shapes.  Index {index} has (excepting dimension 0) shape: {}",
                    Shape::new(tail)
                )));
            }
            lengths.push(first as i64);
            out.push(&value, 0..value.elements())?;
        }
        let total = lengths.iter().sum::<i64>() as usize;
        let value = out.done(with_first(total, &rest.unwrap_or_default()))?;
        Ok(vec![Value::Tensor(value), Value::Tensor(vector(&lengths)?)])
    })
}

fn make_grad(node: &Node) -> Result<Box<dyn Kernel>> {
    let source = node.attr_str("source")?.to_owned();
    kernel(move |array, inputs| {
        let mut state = array.open()?;
        let size = state.elements.len() as i64;
        let known = state.gradients.get(&source).cloned();
        let gradient = match known {
            Some(gradient) => gradient,
            None => {
                let traits = Traits { dynamic: false, adds: true, ..array.traits.clone() };
                let name = format!("{}@{source}", array.name);
                let made = TensorArray::new(name, traits, size, state.shape.clone())?;
                let made = Arc::new(made);
                state.gradients.insert(source.clone(), Arc::clone(&made));
                made
            }
        };
        Ok(vec![
            Value::Object(gradient),
            inputs.get(1).cloned().unwrap_or_else(|| flow()[0].clone()),
        ])
    })
}

#[derive(Debug)]
struct Make {
    name: String,
    traits: Traits,
    shape: PartialShape,
}

impl Kernel for Make {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let size = int(inputs, 0)?;
        let shape = self.shape.clone();
        let array = TensorArray::new(self.name.clone(), self.traits.clone(), size, shape)?;
        let handle = Value::Object(Arc::new(array));
        Ok([vec![handle], flow()].concat())
    }
}

fn make_array(node: &Node) -> Result<Box<dyn Kernel>> {
    let name = match node.attr_str("tensor_array_name")? {
        "" => node.name.to_string(),
        name => name.to_owned(),
    };
    let traits = Traits {
        dtype: node.attr_dtype("dtype")?,
        dynamic: node.flag("dynamic_size"),
        clear_after_read: node.flag("clear_after_read"),
        identical: node.flag("identical_element_shapes"),
        adds: false,
    };
    let shape = node.attr_shape("element_shape")?.clone();
    Ok(Box::new(Make { name, traits, shape }))
}
