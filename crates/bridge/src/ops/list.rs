//! Tensor lists: a buffer with a leading list dimension, and a length.
//!
//! A list whose element shape is not known yet has no buffer; the first write gives it one. An
//! index out of range is an error, as in TensorFlow's kernels.

use tfjit_base::{Code, DType, Error, Result, Shape};
use tfjit_hlo::{Direction, ValueId};

use crate::ctx::int_tensor;
use crate::row::{OpRow, row, row_const};
use crate::value::TensorList;
use crate::{OpCtx, TfValue};

pub(super) const ROWS: &[OpRow] = &[
    row_const(
        "TensorListReserve",
        &["element_shape", "num_elements"],
        "a list of so many elements",
        |c| {
            let count = c.const_int(1)?;
            let list = fresh(c, 0, count, count)?;
            c.set_raw(0, TfValue::List(list));
            Ok(())
        },
    ),
    row_const("EmptyTensorList", &["element_shape", "max_num_elements"], "an empty list", |c| {
        let most = c.const_int(1)?.max(0);
        let list = fresh(c, 0, 0, most)?;
        c.set_raw(0, TfValue::List(list));
        Ok(())
    }),
    row("TensorListFromTensor", "the rows of a tensor", |c| {
        let x = c.input(0)?;
        let shape = c.shape(x)?;
        let Some(&capacity) = shape.first() else {
            return Err(Error::invalid_argument(
                "Tensor must be at least a vector, but saw shape: []",
            ));
        };
        let length = c.scalar(DType::I32, capacity as f64)?;
        let dtype = c.dtype(x)?;
        let list = TensorList { buffer: Some(x), length, capacity, dtype };
        c.set_raw(0, TfValue::List(list));
        Ok(())
    }),
    row("TensorListGetItem", "one element", get_item),
    row("TensorListSetItem", "the list with one element replaced", set_item),
    row("TensorListPushBack", "the list with one element more", push_back),
    row("TensorListPopBack", "the list without its last element, and that element", pop_back),
    row("TensorListStack", "the elements as rows of a tensor", stack),
    row("TensorListLength", "number of elements", |c| {
        let list = list(c, 0)?;
        c.set(0, list.length);
        Ok(())
    }),
    row("TensorListElementShape", "shape of the elements, -1 while unknown", |c| {
        let list = list(c, 0)?;
        let dtype = c.output_dtype(0)?;
        let y = match list.buffer {
            Some(buffer) => {
                let dims = c.shape(buffer)?.to_i64();
                c.int_vector(dtype, &dims[1..])?
            }
            None => c.constant(int_tensor(dtype, Shape::scalar(), &[-1])?)?,
        };
        c.set(0, y);
        Ok(())
    }),
    row("TensorListGather", "elements at indices as rows", |c| {
        let (list, indices) = (list(c, 0)?, c.input(1)?);
        let buffer = buffer_of(c, &list, 2)?;
        let y = super::index::gather_axis(c, buffer, indices, 0, 0)?;
        c.set(0, y);
        Ok(())
    }),
];

fn list(c: &OpCtx<'_, '_>, i: usize) -> Result<TensorList> {
    match c.raw_input(i)? {
        TfValue::List(list) => Ok(list.clone()),
        _ => Err(Error::invalid_argument(format!("input {i} is not a tensor list"))),
    }
}

/// The element shape in constant input `i`; `None` while an extent is unknown.
fn element_shape(c: &mut OpCtx<'_, '_>, i: usize) -> Result<Option<Shape>> {
    let value = c.input(i)?;
    let Some(value) = c.const_value(value)? else { return Ok(None) };
    let dims = value.to_i64s()?;
    let unknown = (value.shape().rank() == 0 && dims == [-1]) || dims.contains(&-1);
    if unknown { Ok(None) } else { Shape::from_i64(&dims).map(Some) }
}

fn fresh(
    c: &mut OpCtx<'_, '_>,
    shape_input: usize,
    length: i64,
    capacity: i64,
) -> Result<TensorList> {
    let capacity = usize::try_from(capacity).map_err(|_| {
        Error::invalid_argument(format!(
            "The num_elements to reserve must be non negative, but got {capacity}"
        ))
    })?;
    let dtype = c.node().attr_dtype("element_dtype")?;
    let buffer = match element_shape(c, shape_input)? {
        Some(element) => Some(zeros(c, dtype, capacity, &element)?),
        None => None,
    };
    let length = c.scalar(DType::I32, length as f64)?;
    Ok(TensorList { buffer, length, capacity, dtype })
}

fn zeros(c: &mut OpCtx<'_, '_>, dtype: DType, capacity: usize, element: &Shape) -> Result<ValueId> {
    let shape: Shape = [capacity].into_iter().chain(element.iter().copied()).collect();
    shape.checked_elements()?;
    c.full(dtype, &shape, 0.0)
}

/// The list's buffer, made of zeros when nothing was written yet and input `shape_input` tells the
/// element shape.
fn buffer_of(c: &mut OpCtx<'_, '_>, list: &TensorList, shape_input: usize) -> Result<ValueId> {
    if let Some(buffer) = list.buffer {
        return Ok(buffer);
    }
    match element_shape(c, shape_input)? {
        Some(element) => zeros(c, list.dtype, list.capacity, &element),
        None => Err(Error::invalid_argument(
            "Trying to read from a list with elements of unknown shape before any was set",
        )),
    }
}

/// Fails the launch when `index` is not in `0..length`.
fn check_index(c: &mut OpCtx<'_, '_>, index: ValueId, length: ValueId) -> Result<()> {
    let zero = c.full_like(index, 0.0)?;
    let below = c.compare(Direction::Lt, index, zero)?;
    let above = c.compare(Direction::Ge, index, length)?;
    let outside = c.binary(tfjit_hlo::Binary::Or, below, above)?;
    c.check(outside, Code::InvalidArgument, "Trying to access an element outside of a list")
}

/// Scalar starts of a slice at row `index`.
fn starts(c: &mut OpCtx<'_, '_>, index: ValueId, rank: usize) -> Result<Vec<ValueId>> {
    let zero = c.full_like(index, 0.0)?;
    Ok([index].into_iter().chain(std::iter::repeat_n(zero, rank - 1)).collect())
}

fn row_at(c: &mut OpCtx<'_, '_>, buffer: ValueId, index: ValueId) -> Result<ValueId> {
    let shape = c.shape(buffer)?;
    let mut sizes = shape.to_i64();
    sizes[0] = 1;
    let starts = starts(c, index, shape.rank())?;
    let row = c.dynamic_slice(buffer, &starts, &sizes)?;
    c.reshape(row, &Shape::new(&shape[1..]))
}

fn write_at(
    c: &mut OpCtx<'_, '_>,
    buffer: ValueId,
    index: ValueId,
    item: ValueId,
) -> Result<ValueId> {
    let (shape, own) = (c.shape(buffer)?, c.shape(item)?);
    if own.dims() != &shape[1..] {
        return Err(Error::invalid_argument(format!(
            "Tried to set a tensor with incompatible shape at a list index. Item element shape: \
             {own} list shape: {}",
            Shape::new(&shape[1..])
        )));
    }
    let row: Shape = [1].into_iter().chain(own.iter().copied()).collect();
    let item = c.reshape(item, &row)?;
    let starts = starts(c, index, shape.rank())?;
    c.dynamic_update_slice(buffer, item, &starts)
}

fn get_item(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (list, index) = (list(c, 0)?, c.input(1)?);
    let buffer = buffer_of(c, &list, 2)?;
    check_index(c, index, list.length)?;
    if list.capacity == 0 {
        return Err(Error::invalid_argument("Trying to access an element of an empty list"));
    }
    let y = row_at(c, buffer, index)?;
    c.set(0, y);
    Ok(())
}

fn set_item(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (mut list, index, item) = (list(c, 0)?, c.input(1)?, c.input(2)?);
    let resize = c.node().attr_bool("resize_if_index_out_of_bounds").unwrap_or(false);
    if resize && list.capacity == 0 {
        return Err(Error::unimplemented(
            "a list that grows by writing past its end needs the host executor",
        ));
    }
    check_index(c, index, list.length)?;
    let buffer = match list.buffer {
        Some(buffer) => buffer,
        None => {
            let element = c.shape(item)?;
            zeros(c, list.dtype, list.capacity, &element)?
        }
    };
    list.buffer = Some(write_at(c, buffer, index, item)?);
    c.set_raw(0, TfValue::List(list));
    Ok(())
}

/// Outside of loops the length is known and the buffer grows with it.
fn push_back(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (mut list, item) = (list(c, 0)?, c.input(1)?);
    let element = c.shape(item)?;
    let mut buffer = match list.buffer {
        Some(buffer) => buffer,
        None => zeros(c, list.dtype, list.capacity, &element)?,
    };
    let length = c.const_value(list.length)?.map(|t| t.to_i64s()).transpose()?;
    if length.is_some_and(|l| l == [list.capacity as i64]) {
        let more = zeros(c, list.dtype, 1, &element)?;
        buffer = c.concatenate(&[buffer, more], 0)?;
        list.capacity += 1;
    }
    let capacity = c.scalar(DType::I32, list.capacity as f64)?;
    let full = c.compare(Direction::Ge, list.length, capacity)?;
    let message = "Tried to push item into a full list";
    c.check(full, Code::InvalidArgument, message)?;
    list.buffer = Some(write_at(c, buffer, list.length, item)?);
    list.length = c.binary_scalar(tfjit_hlo::Binary::Add, list.length, 1.0)?;
    c.set_raw(0, TfValue::List(list));
    Ok(())
}

fn pop_back(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let mut list = list(c, 0)?;
    let buffer = buffer_of(c, &list, 1)?;
    let last = c.binary_scalar(tfjit_hlo::Binary::Subtract, list.length, 1.0)?;
    let zero = c.full_like(last, 0.0)?;
    let empty = c.compare(Direction::Lt, last, zero)?;
    c.check(empty, Code::InvalidArgument, "Trying to pop from an empty list.")?;
    if list.capacity == 0 {
        return Err(Error::invalid_argument("Trying to pop from an empty list."));
    }
    let item = row_at(c, buffer, last)?;
    list.buffer = Some(buffer);
    list.length = last;
    c.set_raw(0, TfValue::List(list));
    c.set(1, item);
    Ok(())
}

fn stack(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let list = list(c, 0)?;
    let buffer = buffer_of(c, &list, 1)?;
    let want = c.node().attr_int("num_elements").unwrap_or(-1);
    let length = c.const_value(list.length)?.map(|t| t.to_i64s()).transpose()?;
    let rows = match length.as_deref() {
        Some(&[length]) => length,
        // A length that only the run knows must be the whole buffer: loops fill lists.
        _ => {
            let capacity = c.scalar(DType::I32, list.capacity as f64)?;
            let partial = c.compare(Direction::Ne, list.length, capacity)?;
            let message = "a list that is only partly filled cannot be stacked in compiled code";
            c.check(partial, Code::Unimplemented, message)?;
            list.capacity as i64
        }
    };
    if want >= 0 && want != rows {
        return Err(Error::invalid_argument(format!(
            "Operation expected a list with {want} elements but got a list with {rows} elements."
        )));
    }
    let mut limit = c.shape(buffer)?.to_i64();
    let rank = limit.len();
    let y = if limit[0] == rows {
        buffer
    } else {
        limit[0] = rows;
        c.slice(buffer, &vec![0; rank], &limit, &vec![1; rank])?
    };
    c.set(0, y);
    Ok(())
}
