//! Lists of tensors in variants, where they cannot be compiled: beside host ops, or in the loops of
//! TensorFlow 1. A list is a value: an op that changes one makes another.

use std::any::Any;
use std::sync::Arc;

use tfjit_base::{DType, Error, PartialShape, Result, Shape, Tensor};
use tfjit_model::Node;

use super::tensors::{Blocks, int, ints, rows, tensor, vector, with_first};
use super::{HostRow, row};
use crate::{Kernel, Object, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("EmptyTensorList", "a list without elements", make_empty),
    row("TensorListConcat", "all elements, one behind the other", make_concat),
    row("TensorListConcatV2", "all elements, one behind the other", make_concat),
    row("TensorListElementShape", "what elements have in common", make_element_shape),
    row("TensorListFromTensor", "the rows of a tensor as a list", make_from_tensor),
    row("TensorListGather", "elements at positions, stacked", make_gather),
    row("TensorListGetItem", "one element", make_get),
    row("TensorListLength", "number of elements", make_length),
    row("TensorListPopBack", "a list without its last element", make_pop),
    row("TensorListPushBack", "a list with one more element", make_push),
    row("TensorListReserve", "a list of elements to come", make_reserve),
    row("TensorListResize", "a longer or shorter list", make_resize),
    row("TensorListScatter", "rows of a tensor at positions of a list", make_scatter),
    row("TensorListScatterIntoExistingList", "rows put into a list", make_scatter_into),
    row("TensorListScatterV2", "rows of a tensor at positions of a list", make_scatter),
    row("TensorListSetItem", "a list with another element", make_set),
    row("TensorListSplit", "pieces of a tensor as a list", make_split),
    row("TensorListStack", "all elements, stacked", make_stack),
];

/// Elements of a list, whose length a graph may compute.
const LENGTH_MAX: usize = 1 << 24;

#[derive(Clone, Debug)]
struct TensorList {
    dtype: DType,
    shape: PartialShape,
    /// `None` where nothing was written.
    elements: Vec<Option<Tensor>>,
    /// The most elements, if there is a bound.
    most: Option<usize>,
}

impl Object for TensorList {
    fn kind(&self) -> &'static str {
        "TensorList"
    }
    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }
}

impl TensorList {
    fn value(self) -> Value {
        Value::Object(Arc::new(self))
    }

    fn checked(&self, index: i64) -> Result<usize> {
        let n = self.elements.len();
        usize::try_from(index).ok().filter(|&i| i < n).ok_or_else(|| {
            Error::invalid_argument(format!(
                "Trying to access element {index} in a list with {n} elements."
            ))
        })
    }

    fn fits(&self, item: &Tensor) -> Result<()> {
        if item.dtype() != self.dtype {
            return Err(Error::invalid_argument(format!(
                "Invalid data types; op elements {} but list elements {}",
                item.dtype(),
                self.dtype
            )));
        }
        if !self.shape.accepts(item.shape()) {
            return Err(Error::invalid_argument(format!(
                "Tried to set a tensor with incompatible shape at a list index. Item element \
                 shape: {} list shape: {}",
                item.shape(),
                self.shape
            )));
        }
        Ok(())
    }

    /// The element, or zeros of the shape that all elements have.
    fn element(&self, at: usize, shape: &PartialShape) -> Result<Tensor> {
        match &self.elements[at] {
            Some(element) => Ok(element.clone()),
            None => match shape.to_shape() {
                Some(shape) => Tensor::zeros(self.dtype, shape),
                None => Err(Error::invalid_argument(format!(
                    "Trying to read an uninitialized element but element_shape is not fully \
                     defined {shape}"
                ))),
            },
        }
    }

    /// What is known of the elements' shape: from the list, the op, and optionally the elements.
    fn common(&self, asked: &PartialShape, look: bool) -> Result<PartialShape> {
        let mut shape = merge(&self.shape, asked)?;
        if look {
            for element in self.elements.iter().flatten() {
                shape = merge(&shape, &PartialShape::known(element.shape()))?;
            }
        }
        Ok(shape)
    }
}

fn merge(a: &PartialShape, b: &PartialShape) -> Result<PartialShape> {
    let (Some(x), Some(y)) = (a.dims(), b.dims()) else {
        return Ok(if a.dims().is_some() { a.clone() } else { b.clone() });
    };
    let fit = |(a, b): (&Option<usize>, &Option<usize>)| a.is_none() || b.is_none() || a == b;
    if x.len() != y.len() || !x.iter().zip(y).all(fit) {
        return Err(Error::invalid_argument(format!("Incompatible shapes: {a} and {b}")));
    }
    Ok(PartialShape::new(x.iter().zip(y).map(|(a, b)| a.or(*b)).collect()))
}

fn list(inputs: &[Value], at: usize) -> Result<&TensorList> {
    inputs.get(at).ok_or_else(|| Error::internal("no list"))?.object()
}

/// A shape given as a tensor: -1 for what is unknown, the scalar -1 for everything.
fn asked(inputs: &[Value], at: usize) -> Result<PartialShape> {
    let t = tensor(inputs, at)?;
    let dims = t.to_i64s()?;
    if t.shape().rank() == 0 {
        if dims != [-1] {
            return Err(Error::invalid_argument(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1.",
            ));
        }
        return Ok(PartialShape::unknown());
    }
    Ok(PartialShape::new(dims.into_iter().map(|d| usize::try_from(d).ok()).collect()))
}

fn length(n: i64) -> Result<usize> {
    let n = usize::try_from(n).map_err(|_| {
        Error::invalid_argument(format!("The num_elements to reserve must be non negative: {n}"))
    })?;
    if n > LENGTH_MAX {
        return Err(Error::resource_exhausted(format!("a list of {n} elements")));
    }
    Ok(n)
}

struct Operation<F>(F);

impl<F> std::fmt::Debug for Operation<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an operation on lists")
    }
}

impl<F: Fn(&[Value]) -> Result<Vec<Value>> + Send + Sync> Kernel for Operation<F> {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        (self.0)(inputs)
    }
}

fn kernel(
    run: impl Fn(&[Value]) -> Result<Vec<Value>> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Operation(run)))
}

fn make_empty(node: &Node) -> Result<Box<dyn Kernel>> {
    let dtype = node.attr_dtype("element_dtype")?;
    kernel(move |inputs| {
        let most = usize::try_from(int(inputs, 1)?).ok();
        let shape = asked(inputs, 0)?;
        Ok(vec![TensorList { dtype, shape, elements: Vec::new(), most }.value()])
    })
}

fn make_reserve(node: &Node) -> Result<Box<dyn Kernel>> {
    let dtype = node.attr_dtype("element_dtype")?;
    kernel(move |inputs| {
        let elements = vec![None; length(int(inputs, 1)?)?];
        let shape = asked(inputs, 0)?;
        Ok(vec![TensorList { dtype, shape, elements, most: None }.value()])
    })
}

fn make_length(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let n = list(inputs, 0)?.elements.len() as i32;
        Ok(vec![Value::Tensor(Tensor::scalar(n))])
    })
}

fn make_element_shape(node: &Node) -> Result<Box<dyn Kernel>> {
    let dtype = node.attr_dtype("shape_type")?;
    kernel(move |inputs| {
        let shape = match list(inputs, 0)?.shape.dims() {
            None => ints(dtype, Shape::scalar(), &[-1])?,
            Some(dims) => {
                let dims: Vec<i64> = dims.iter().map(|d| d.map_or(-1, |d| d as i64)).collect();
                ints(dtype, Shape::new(&[dims.len()]), &dims)?
            }
        };
        Ok(vec![Value::Tensor(shape)])
    })
}

fn make_get(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let list = list(inputs, 0)?;
        let at = list.checked(int(inputs, 1)?)?;
        let look = list.elements[at].is_none();
        let shape = list.common(&asked(inputs, 2)?, look)?;
        Ok(vec![Value::Tensor(list.element(at, &shape)?)])
    })
}

fn make_set(node: &Node) -> Result<Box<dyn Kernel>> {
    let resize = node.flag("resize_if_index_out_of_bounds");
    kernel(move |inputs| {
        let (mut list, index) = (list(inputs, 0)?.clone(), int(inputs, 1)?);
        let item = tensor(inputs, 2)?;
        if resize && index >= list.elements.len() as i64 {
            list.elements.resize(length(index.saturating_add(1))?, None);
        }
        let at = list.checked(index)?;
        list.fits(item)?;
        list.elements[at] = Some(item.clone());
        Ok(vec![list.value()])
    })
}

fn make_push(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let (mut list, item) = (list(inputs, 0)?.clone(), tensor(inputs, 1)?);
        list.fits(item)?;
        if list.elements.len() >= list.most.unwrap_or(LENGTH_MAX) {
            return Err(Error::invalid_argument(format!(
                "Tried to push item into a full list list size: {} max_num_elements: {:?}",
                list.elements.len(),
                list.most
            )));
        }
        list.elements.push(Some(item.clone()));
        Ok(vec![list.value()])
    })
}

fn make_pop(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let mut list = list(inputs, 0)?.clone();
        let Some(last) = list.elements.len().checked_sub(1) else {
            return Err(Error::invalid_argument("Trying to pop from an empty list."));
        };
        let shape = list.common(&asked(inputs, 1)?, list.elements[last].is_none())?;
        let item = list.element(last, &shape)?;
        list.elements.pop();
        Ok(vec![list.value(), Value::Tensor(item)])
    })
}

fn make_resize(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let mut list = list(inputs, 0)?.clone();
        list.elements.resize(length(int(inputs, 1)?)?, None);
        Ok(vec![list.value()])
    })
}

/// Elements of one shape, stacked.
fn stack(list: &TensorList, places: &[usize], asked: &PartialShape) -> Result<Vec<Value>> {
    let shape = list.common(asked, true)?;
    let Some(full) = shape.to_shape() else {
        return Err(Error::invalid_argument(format!(
            "Tried to stack elements of a list with non-fully-defined element_shape: {shape}"
        )));
    };
    let mut out = Blocks::new(list.dtype);
    for &at in places {
        let element = list.element(at, &shape)?;
        out.push(&element, 0..element.elements())?;
    }
    Ok(vec![Value::Tensor(out.done(with_first(places.len(), full.dims()))?)])
}

fn make_stack(node: &Node) -> Result<Box<dyn Kernel>> {
    let want = node.attr_int("num_elements")?;
    kernel(move |inputs| {
        let list = list(inputs, 0)?;
        if want >= 0 && want as usize != list.elements.len() {
            return Err(Error::invalid_argument(format!(
                "Operation expected a list with {want} elements but got a list with {} elements.",
                list.elements.len()
            )));
        }
        let places: Vec<usize> = (0..list.elements.len()).collect();
        stack(list, &places, &asked(inputs, 1)?)
    })
}

fn make_gather(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let list = list(inputs, 0)?;
        let places = tensor(inputs, 1)?.to_i64s()?;
        let places = places.into_iter().map(|i| list.checked(i)).collect::<Result<Vec<_>>>()?;
        stack(list, &places, &asked(inputs, 2)?)
    })
}

/// Row `i` without the first dimension.
fn element_row(t: &Tensor, i: usize) -> Result<Tensor> {
    let rest = t.shape().dims().get(1..).unwrap_or_default();
    rows(t, i..i + 1)?.reshaped(Shape::new(rest))
}

fn first_extent(t: &Tensor) -> Result<usize> {
    t.shape().dims().first().copied().ok_or_else(|| {
        Error::invalid_argument("Tensor must be at least a vector, but saw shape: []")
    })
}

fn make_from_tensor(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let t = tensor(inputs, 0)?;
        let n = first_extent(t)?;
        let shape = asked(inputs, 1)?;
        let elements = (0..n).map(|i| element_row(t, i).map(Some)).collect::<Result<Vec<_>>>()?;
        let list = TensorList { dtype: t.dtype(), shape, elements, most: None };
        if let Some(Some(first)) = list.elements.first() {
            list.fits(first)?;
        }
        Ok(vec![list.value()])
    })
}

fn put(list: &mut TensorList, t: &Tensor, indices: &[i64]) -> Result<()> {
    if first_extent(t)? != indices.len() {
        return Err(Error::invalid_argument(format!(
            "Specified a list with {} indices and a tensor of shape {}",
            indices.len(),
            t.shape()
        )));
    }
    let longest = indices.iter().max().map_or(0, |&i| i.saturating_add(1));
    if longest > list.elements.len() as i64 {
        list.elements.resize(length(longest)?, None);
    }
    for (row, &index) in indices.iter().enumerate() {
        let at = list.checked(index)?;
        let item = element_row(t, row)?;
        list.fits(&item)?;
        list.elements[at] = Some(item);
    }
    Ok(())
}

fn make_scatter(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let (t, indices) = (tensor(inputs, 0)?, tensor(inputs, 1)?.to_i64s()?);
        let shape = asked(inputs, 2)?;
        let count = if inputs.len() > 3 { int(inputs, 3)?.max(0) } else { 0 };
        let elements = vec![None; length(count)?];
        let mut list = TensorList { dtype: t.dtype(), shape, elements, most: None };
        put(&mut list, t, &indices)?;
        Ok(vec![list.value()])
    })
}

fn make_scatter_into(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let mut list = list(inputs, 0)?.clone();
        put(&mut list, tensor(inputs, 1)?, &tensor(inputs, 2)?.to_i64s()?)?;
        Ok(vec![list.value()])
    })
}

fn make_split(_: &Node) -> Result<Box<dyn Kernel>> {
    kernel(|inputs| {
        let (t, lengths) = (tensor(inputs, 0)?, tensor(inputs, 2)?.to_i64s()?);
        let whole = first_extent(t)?;
        let mut elements = Vec::with_capacity(lengths.len());
        let mut start = 0usize;
        for length in lengths {
            let end = usize::try_from(length).ok().and_then(|n| start.checked_add(n));
            let end = end.filter(|&end| end <= whole).ok_or_else(|| {
                Error::invalid_argument("Attempting to slice beyond the rows of the tensor")
            })?;
            elements.push(Some(rows(t, start..end)?));
            start = end;
        }
        if start != whole {
            return Err(Error::invalid_argument(format!(
                "Unused values in tensor. Length of tensor: {whole} Values used: {start}"
            )));
        }
        let list = TensorList { dtype: t.dtype(), shape: asked(inputs, 1)?, elements, most: None };
        Ok(vec![list.value()])
    })
}

fn make_concat(node: &Node) -> Result<Box<dyn Kernel>> {
    let fixed = match node.attrs.contains("element_shape") {
        true => Some(node.attr_shape("element_shape")?.clone()),
        false => None,
    };
    kernel(move |inputs| {
        let list = list(inputs, 0)?;
        let wanted = match &fixed {
            Some(shape) => shape.clone(),
            None => asked(inputs, 1)?,
        };
        let leading = match inputs.get(if fixed.is_some() { 1 } else { 2 }) {
            Some(dims) => dims.tensor()?.to_i64s()?,
            None => Vec::new(),
        };
        let known = merge(&list.shape, &wanted)?;
        let mut rest: Option<Vec<Option<usize>>> =
            known.dims().map(|d| d[1.min(d.len())..].to_vec());
        for element in list.elements.iter().flatten() {
            let tail = &element.shape().dims()[1.min(element.shape().rank())..];
            rest.get_or_insert_with(|| tail.iter().map(|&d| Some(d)).collect());
        }
        let rest = rest.unwrap_or_default();
        let mut out = Blocks::new(list.dtype);
        let mut lengths = Vec::with_capacity(list.elements.len());
        let mut tail: Option<Vec<usize>> = rest.iter().copied().collect();
        for (at, element) in list.elements.iter().enumerate() {
            let element = match element {
                Some(element) => element.clone(),
                None => {
                    let first = leading.get(at).and_then(|&n| usize::try_from(n).ok());
                    let dims = [&[first][..], &rest].concat();
                    list.element(at, &PartialShape::new(dims))?
                }
            };
            let Some((&first, own)) = element.shape().dims().split_first() else {
                return Err(Error::invalid_argument(
                    "Concat requires elements to be at least vectors",
                ));
            };
            if tail.get_or_insert_with(|| own.to_vec()) != own {
                return Err(Error::invalid_argument(format!(
                    "Tried to concat tensors with unequal shapes: {} vs {}",
                    Shape::new(own),
                    Shape::new(tail.as_deref().unwrap_or_default())
                )));
            }
            lengths.push(first as i64);
            out.push(&element, 0..element.elements())?;
        }
        let total = lengths.iter().sum::<i64>() as usize;
        let tensor = out.done(with_first(total, &tail.unwrap_or_default()))?;
        Ok(vec![Value::Tensor(tensor), Value::Tensor(vector(&lengths)?)])
    })
}
