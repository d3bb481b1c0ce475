//! Ops whose results have a size that depends on values: positions, unique elements, partitions.

use tfjit_base::{Complex, DType, Error, Result, Shape, Tensor};
use tfjit_model::Node;

use rustc_hash::FxHashMap;

use super::tensors::{Blocks, ints, pure, tensor, with_first};
use super::{HostRow, row};
use crate::{Kernel, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("DynamicPartition", "rows sorted into several tensors", make_partition),
    row("DynamicStitch", "rows of several tensors in their places", make_stitch),
    row("InvertPermutation", "the inverse of a permutation", make_invert),
    row("ListDiff", "elements that another list lacks", make_list_diff),
    row("ParallelDynamicStitch", "rows of several tensors in their places", make_stitch),
    row("Unique", "each element once, and where each lies", make_unique),
    row("UniqueV2", "each slice once, and where each lies", make_unique),
    row("UniqueWithCounts", "each element once, where each lies, how many", make_unique),
    row("UniqueWithCountsV2", "each slice once, where each lies, how many", make_unique),
    row("Where", "positions of the elements that are not zero", |_| pure("Where", positions)),
];

/// Which elements are not zero; NaN is not.
pub(super) fn not_zero(t: &Tensor) -> Result<Vec<bool>> {
    Ok(match t.dtype() {
        DType::C64 => {
            t.as_slice::<Complex<f32>>()?.iter().map(|c| c.re != 0.0 || c.im != 0.0).collect()
        }
        DType::C128 => {
            t.as_slice::<Complex<f64>>()?.iter().map(|c| c.re != 0.0 || c.im != 0.0).collect()
        }
        dtype if dtype.is_float() => t.to_f64s()?.iter().map(|x| *x != 0.0).collect(),
        _ => t.to_i64s()?.iter().map(|x| *x != 0).collect(),
    })
}

fn positions(inputs: &[Value]) -> Result<Vec<Tensor>> {
    let t = tensor(inputs, 0)?;
    let strides = t.shape().strides();
    let mut out: Vec<i64> = Vec::new();
    let mut count = 0;
    for (at, wanted) in not_zero(t)?.into_iter().enumerate() {
        if wanted {
            count += 1;
            let place = strides.iter().zip(t.shape().dims());
            out.extend(place.map(|(stride, dim)| (at / stride % dim) as i64));
        }
    }
    Ok(vec![Tensor::from_slice(Shape::new(&[count, t.shape().rank()]), &out)?])
}

/// What elements are equal by: zeros of both signs are, NaNs are not.
fn keys(t: &Tensor) -> Result<Vec<Option<Vec<u8>>>> {
    if let Some(strings) = t.as_strings() {
        return Ok(strings.iter().map(|s| Some(s.clone())).collect());
    }
    let size = t.dtype().size();
    let plain = |i: usize| t.bytes()[i * size..(i + 1) * size].to_vec();
    if t.dtype().is_float() {
        let values = t.to_f64s()?;
        let key =
            |x: f64| (!x.is_nan()).then(|| if x == 0.0 { 0.0 } else { x }.to_le_bytes().to_vec());
        return Ok(values.into_iter().map(key).collect());
    }
    Ok((0..t.elements()).map(|i| Some(plain(i))).collect())
}

/// Blocks of elements by their keys: for each the number of the first like it, and the first of
/// each number.
fn number(blocks: Vec<Option<Vec<u8>>>) -> (Vec<i64>, Vec<usize>) {
    let mut seen: FxHashMap<Vec<u8>, i64> = FxHashMap::default();
    let mut first = Vec::new();
    let mut numbers = Vec::with_capacity(blocks.len());
    for (at, key) in blocks.into_iter().enumerate() {
        let next = first.len() as i64;
        let number = match key {
            Some(key) => *seen.entry(key).or_insert(next),
            None => next,
        };
        if number == next {
            first.push(at);
        }
        numbers.push(number);
    }
    (numbers, first)
}

fn make_unique(node: &Node) -> Result<Box<dyn Kernel>> {
    let index = node.attr_dtype("out_idx")?;
    let counted = node.op.contains("Counts");
    let v2 = node.op.ends_with("V2");
    pure("Unique", move |inputs| {
        let t = tensor(inputs, 0)?;
        let axis = if v2 { axis(t, tensor(inputs, 1)?)? } else { None };
        if axis.is_none() && t.shape().rank() != 1 {
            return Err(Error::invalid_argument(format!(
                "unique expects a 1D vector, not the shape {}",
                t.shape()
            )));
        }
        let axis = axis.unwrap_or(0);
        let dims = t.shape().dims();
        let (outer, inner) = dims.split_at(axis);
        let (&extent, inner) = inner.split_first().ok_or_else(|| Error::internal("no axis"))?;
        let (outer, inner): (usize, usize) = (outer.iter().product(), inner.iter().product());
        let elements = keys(t)?;
        let block = |at: usize| {
            let mut key = Vec::new();
            for o in 0..outer {
                let start = (o * extent + at) * inner;
                for element in &elements[start..start + inner] {
                    let element = element.as_ref()?;
                    key.extend((element.len() as u64).to_le_bytes());
                    key.extend(element);
                }
            }
            Some(key)
        };
        let (numbers, first) = number((0..extent).map(block).collect());
        let mut out = Blocks::new(t.dtype());
        for o in 0..outer {
            for &at in &first {
                let start = (o * extent + at) * inner;
                out.push(t, start..start + inner)?;
            }
        }
        let mut shape = dims.to_vec();
        shape[axis] = first.len();
        let mut results =
            vec![out.done(Shape::new(&shape))?, ints(index, Shape::new(&[extent]), &numbers)?];
        if counted {
            let mut counts = vec![0i64; first.len()];
            numbers.iter().for_each(|&n| counts[n as usize] += 1);
            results.push(ints(index, Shape::new(&[first.len()]), &counts)?);
        }
        Ok(results)
    })
}

fn axis(t: &Tensor, axis: &Tensor) -> Result<Option<usize>> {
    let rank = t.shape().rank() as i64;
    match axis.to_i64s()?[..] {
        [] => Ok(None),
        [a] if (-rank..rank).contains(&a) => Ok(Some(a.rem_euclid(rank) as usize)),
        [a] => Err(Error::invalid_argument(format!(
            "axis has to be between {} and {}, not {a}",
            -rank,
            rank - 1
        ))),
        _ => Err(Error::invalid_argument(
            "axis does not support input tensors larger than 1 elements",
        )),
    }
}

fn make_list_diff(node: &Node) -> Result<Box<dyn Kernel>> {
    let index = node.attr_dtype("out_idx")?;
    pure("ListDiff", move |inputs| {
        let (x, y) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        for (name, t) in [("x", x), ("y", y)] {
            if t.shape().rank() != 1 {
                return Err(Error::invalid_argument(format!("{name} should be a 1D vector.")));
            }
        }
        let gone: FxHashMap<Vec<u8>, ()> =
            keys(y)?.into_iter().flatten().map(|key| (key, ())).collect();
        let mut out = Blocks::new(x.dtype());
        let mut places = Vec::new();
        for (at, key) in keys(x)?.into_iter().enumerate() {
            if !key.is_some_and(|key| gone.contains_key(&key)) {
                out.push(x, at..at + 1)?;
                places.push(at as i64);
            }
        }
        let shape = Shape::new(&[places.len()]);
        Ok(vec![out.done(shape.clone())?, ints(index, shape, &places)?])
    })
}

fn make_invert(node: &Node) -> Result<Box<dyn Kernel>> {
    let dtype = node.attr_dtype("T")?;
    pure("InvertPermutation", move |inputs| {
        let t = tensor(inputs, 0)?;
        if t.shape().rank() != 1 {
            return Err(Error::invalid_argument("invert_permutation expects a 1D vector."));
        }
        let n = t.elements();
        let mut out = vec![-1i64; n];
        for (at, to) in t.to_i64s()?.into_iter().enumerate() {
            let Some(slot) = usize::try_from(to).ok().and_then(|to| out.get_mut(to)) else {
                return Err(Error::invalid_argument(format!("{to} is not between 0 and {n}")));
            };
            if *slot != -1 {
                return Err(Error::invalid_argument(format!("{to} is duplicated in the input.")));
            }
            *slot = at as i64;
        }
        Ok(vec![ints(dtype, t.shape().clone(), &out)?])
    })
}

fn make_partition(node: &Node) -> Result<Box<dyn Kernel>> {
    let count = usize::try_from(node.attr_int("num_partitions")?).unwrap_or(0);
    pure("DynamicPartition", move |inputs| {
        let (data, partitions) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let prefix = partitions.shape().rank();
        if data.shape().dims().get(..prefix) != Some(partitions.shape().dims()) {
            return Err(Error::invalid_argument(format!(
                "data.shape must start with partitions.shape, got data.shape = {}, \
                 partitions.shape = {}",
                data.shape(),
                partitions.shape()
            )));
        }
        let rest = &data.shape().dims()[prefix..];
        let row: usize = rest.iter().product();
        let mut outs: Vec<(Blocks, usize)> =
            (0..count).map(|_| (Blocks::new(data.dtype()), 0)).collect();
        for (at, to) in partitions.to_i64s()?.into_iter().enumerate() {
            let Some((out, rows)) = usize::try_from(to).ok().and_then(|to| outs.get_mut(to)) else {
                return Err(Error::invalid_argument(format!(
                    "partitions[{at}] = {to} is not in [0, {count})"
                )));
            };
            out.push(data, at * row..(at + 1) * row)?;
            *rows += 1;
        }
        outs.into_iter().map(|(out, rows)| out.done(with_first(rows, rest))).collect()
    })
}

fn make_stitch(node: &Node) -> Result<Box<dyn Kernel>> {
    let count = usize::try_from(node.attr_int("N")?).unwrap_or(0);
    pure("DynamicStitch", move |inputs| {
        let mut rest: Option<Vec<usize>> = None;
        let mut largest = -1i64;
        let mut places: FxHashMap<i64, (usize, usize)> = FxHashMap::default();
        for n in 0..count {
            let (indices, data) = (tensor(inputs, n)?, tensor(inputs, count + n)?);
            let prefix = indices.shape().rank();
            let dims = data.shape().dims();
            if dims.get(..prefix) != Some(indices.shape().dims())
                || rest.get_or_insert_with(|| dims[prefix..].to_vec()) != &dims[prefix..]
            {
                return Err(Error::invalid_argument(format!(
                    "data[{n}].shape = {} does not start with indices[{n}].shape = {}, or the \
                     rest differs from that of data[0]",
                    data.shape(),
                    indices.shape()
                )));
            }
            for (at, index) in indices.to_i64s()?.into_iter().enumerate() {
                if index < 0 {
                    return Err(Error::invalid_argument(format!("indices[{at}] is out of range")));
                }
                largest = largest.max(index);
                places.insert(index, (count + n, at));
            }
        }
        let rest = rest.unwrap_or_default();
        let row: usize = rest.iter().product();
        let dtype = tensor(inputs, count)?.dtype();
        let rows = (largest + 1) as usize;
        let mut out = Blocks::with_room(dtype, rows.saturating_mul(row))?;
        for index in 0..=largest {
            match places.get(&index) {
                Some(&(input, at)) => out.push(tensor(inputs, input)?, at * row..(at + 1) * row)?,
                // TensorFlow leaves them undefined.
                None => out.push_zeros(row),
            }
        }
        Ok(vec![out.done(with_first(rows, &rest))?])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_what_is_not_zero() {
        let t = Tensor::from_slice(Shape::new(&[2, 2]), &[0.0f32, f32::NAN, -0.0, 3.0]).unwrap();
        let out = positions(&[Value::Tensor(t)]).unwrap();
        assert_eq!(out[0].to_vec::<i64>().unwrap(), [0, 1, 1, 1]);
        let scalar = positions(&[Value::Tensor(Tensor::scalar(1i32))]).unwrap();
        assert_eq!(scalar[0].shape().dims(), [1, 0]);
    }

    #[test]
    fn zeros_of_both_signs_are_one_and_nans_are_many() {
        let t = Tensor::from_slice(Shape::new(&[4]), &[0.0f32, f32::NAN, -0.0, f32::NAN]).unwrap();
        let (numbers, first) = number(keys(&t).unwrap());
        assert_eq!((numbers, first), (vec![0, 1, 0, 2], vec![0, 1, 3]));
    }
}
