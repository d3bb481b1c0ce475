//! Sparse tensors, as positions, values and a shape; and histograms.

use tfjit_base::{DType, Error, Result, Shape, Tensor, bf16, f16};
use tfjit_model::Node;

use super::scatter::{Join, Rows};
use super::tensors::{Blocks, int, ints, pure, tensor, vector, with_first};
use super::{HostRow, row};
use crate::{Kernel, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("Bincount", "how often each number occurs, or what it weighs", make_bincount),
    row("DenseBincount", "how often each number occurs, or what it weighs", make_bincount),
    row("LowerBound", "where values belong in sorted rows", make_bound),
    row("SparseFillEmptyRows", "a sparse tensor with a value in every row", make_fill),
    row("SparseReshape", "positions in another shape", |_| pure("SparseReshape", reshape)),
    row("SparseSegmentMean", "means of rows at positions, by segment", make_segment),
    row(
        "SparseSegmentSqrtN",
        "sums of rows by segment, over the root of their number",
        make_segment,
    ),
    row("SparseSegmentSum", "sums of rows at positions, by segment", make_segment),
    row("UpperBound", "behind which equal values belong in sorted rows", make_bound),
];

/// Rows and columns of a matrix of positions.
fn positions(t: &Tensor) -> Result<(usize, usize)> {
    match t.shape().dims() {
        [count, rank] => Ok((*count, *rank)),
        _ => Err(Error::invalid_argument(format!(
            "Input indices should be a matrix but received shape {}",
            t.shape()
        ))),
    }
}

fn reshape(inputs: &[Value]) -> Result<Vec<Tensor>> {
    let (count, rank) = positions(tensor(inputs, 0)?)?;
    let old = Shape::from_i64(&tensor(inputs, 1)?.to_i64s()?)?;
    let wanted = tensor(inputs, 2)?.to_i64s()?;
    let total = old.checked_elements()?;
    if old.rank() != rank || wanted.iter().filter(|&&d| d == -1).count() > 1 {
        return Err(Error::invalid_argument(
            "the shape of a sparse tensor does not fit its positions, or two sizes are unknown",
        ));
    }
    let known = wanted.iter().filter(|&&d| d != -1);
    let known = known.copied().try_fold(1i64, i64::checked_mul).unwrap_or(-1);
    let size = |d: i64| if d == -1 && known > 0 { total as i64 / known } else { d };
    let new = Shape::from_i64(&wanted.into_iter().map(size).collect::<Vec<_>>())?;
    if new.checked_elements()? != total {
        return Err(Error::invalid_argument(format!(
            "Input to reshape is a SparseTensor with {total} dense values, but the requested shape \
             has {}",
            new.elements()
        )));
    }
    let (from, to) = (old.strides(), new.strides());
    let mut out = Vec::with_capacity(count * new.rank());
    for place in tensor(inputs, 0)?.to_i64s()?.chunks(rank.max(1)).take(count) {
        let at = place.iter().zip(&from).map(|(&i, &s)| i as usize * s).sum::<usize>();
        out.extend(to.iter().zip(new.dims()).map(|(&s, &d)| (at / s % d.max(1)) as i64));
    }
    let places = Tensor::from_slice(Shape::new(&[count, new.rank()]), &out)?;
    Ok(vec![places, vector(&new.to_i64())?])
}

fn make_fill(_: &Node) -> Result<Box<dyn Kernel>> {
    pure("SparseFillEmptyRows", |inputs| {
        let (indices, values) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let (count, rank) = positions(indices)?;
        let shape = tensor(inputs, 2)?.to_i64s()?;
        let default = tensor(inputs, 3)?;
        let first = shape.first().and_then(|&n| usize::try_from(n).ok());
        let Some(first) = first.filter(|_| shape.len() == rank && values.elements() == count)
        else {
            return Err(Error::invalid_argument("positions, values and shape do not fit together"));
        };
        let places = indices.to_i64s()?;
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); first];
        for at in 0..count {
            let row = places[at * rank];
            let row = usize::try_from(row).ok().and_then(|row| rows.get_mut(row));
            row.ok_or_else(|| {
                let text = format!("indices({at}, 0) is invalid: {} >= {first}", places[at * rank]);
                Error::invalid_argument(text)
            })?
            .push(at);
        }
        let mut out = Blocks::new(values.dtype());
        let (mut to, mut back) = (Vec::new(), vec![0i64; count]);
        let empty: Vec<bool> = rows.iter().map(Vec::is_empty).collect();
        let mut filled = 0;
        for (row, members) in rows.into_iter().enumerate() {
            if members.is_empty() {
                to.push(row as i64);
                to.extend(vec![0i64; rank - 1]);
                out.push(default, 0..1)?;
                filled += 1;
            }
            for at in members {
                back[at] = filled as i64;
                to.extend(&places[at * rank..(at + 1) * rank]);
                out.push(values, at..at + 1)?;
                filled += 1;
            }
        }
        Ok(vec![
            Tensor::from_slice(Shape::new(&[filled, rank]), &to)?,
            out.done(Shape::new(&[filled]))?,
            Tensor::from_bools(Shape::new(&[first]), &empty)?,
            vector(&back)?,
        ])
    })
}

fn make_segment(node: &Node) -> Result<Box<dyn Kernel>> {
    let (mean, root) = (node.op.ends_with("Mean"), node.op.ends_with("SqrtN"));
    pure("SparseSegment", move |inputs| {
        let data = tensor(inputs, 0)?;
        let (indices, ids) = (tensor(inputs, 1)?.to_i64s()?, tensor(inputs, 2)?.to_i64s()?);
        let Some((&extent, rest)) = data.shape().dims().split_first() else {
            return Err(Error::invalid_argument("Shape must be at least rank 1"));
        };
        if indices.len() != ids.len() {
            return Err(Error::invalid_argument("segment_ids and indices should have same size."));
        }
        let count = ids.last().map_or(0, |&id| id.max(-1) + 1) as usize;
        let row = rest.iter().product();
        let mut sums = Rows::start(data.dtype(), count, row, Join::Add)?;
        let mut members = vec![0usize; count];
        let mut last = 0;
        for (&index, &id) in indices.iter().zip(&ids) {
            let from = usize::try_from(index).ok().filter(|&i| i < extent);
            let from = from.ok_or_else(|| {
                Error::invalid_argument(format!("Index {index} is out of range [0, {extent})."))
            })?;
            if id < last {
                return Err(Error::invalid_argument("segment ids are not increasing"));
            }
            last = id;
            sums.join(id as usize, data, from, Join::Add)?;
            members[id as usize] += 1;
        }
        let sums = sums.done(with_first(count, rest))?;
        if !mean && !root {
            return Ok(vec![sums]);
        }
        let mut values = sums.to_f64s()?;
        for (at, value) in values.iter_mut().enumerate() {
            let n = members[at / row.max(1)].max(1) as f64;
            *value /= if mean { n } else { n.sqrt() };
        }
        Ok(vec![floats(sums.dtype(), sums.shape().clone(), &values)?])
    })
}

/// Numbers in a type of floats.
fn floats(dtype: DType, shape: Shape, values: &[f64]) -> Result<Tensor> {
    match dtype {
        DType::F64 => Tensor::from_slice(shape, values),
        DType::F16 => {
            let v: Vec<f16> = values.iter().map(|&x| f16::from_f64(x)).collect();
            Tensor::from_slice(shape, &v)
        }
        DType::BF16 => {
            let v: Vec<bf16> = values.iter().map(|&x| bf16::from_f64(x)).collect();
            Tensor::from_slice(shape, &v)
        }
        _ => {
            let v: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            Tensor::from_slice(shape, &v)
        }
    }
}

fn make_bincount(node: &Node) -> Result<Box<dyn Kernel>> {
    let binary = node.flag("binary_output");
    let dense = node.op.starts_with("Dense");
    pure("Bincount", move |inputs| {
        let (t, weights) = (tensor(inputs, 0)?, tensor(inputs, 2)?);
        let size = usize::try_from(int(inputs, 1)?)
            .map_err(|_| Error::invalid_argument("size must be non-negative"))?;
        let (rows, columns) = match t.shape().dims() {
            [rows, columns] if dense => (*rows, *columns),
            dims if dims.len() <= 1 || !dense => (1, t.elements()),
            _ => return Err(Error::invalid_argument("Shape must be at most rank 2")),
        };
        if weights.elements() != 0 && weights.shape() != t.shape() {
            return Err(Error::invalid_argument(format!(
                "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case \
                 it acts as all weights equal to 1. Received {}",
                weights.shape()
            )));
        }
        let mut bins = Rows::start(weights.dtype(), rows * size, 1, Join::Add)?;
        let one = Rows::start(weights.dtype(), 1, 1, Join::Mul)?.done(Shape::scalar())?;
        for (at, value) in t.to_i64s()?.into_iter().enumerate() {
            let Ok(value) = usize::try_from(value) else {
                return Err(Error::invalid_argument("Input arr must be non-negative!"));
            };
            if value >= size {
                continue;
            }
            let to = at / columns.max(1) * size + value;
            if binary {
                bins.join(to, &one, 0, Join::Set)?;
            } else if weights.elements() == 0 {
                bins.join(to, &one, 0, Join::Add)?;
            } else {
                bins.join(to, weights, at, Join::Add)?;
            }
        }
        let matrix = dense && t.shape().rank() == 2;
        let shape = if matrix { Shape::new(&[rows, size]) } else { Shape::new(&[size]) };
        Ok(vec![bins.done(shape)?])
    })
}

fn make_bound(node: &Node) -> Result<Box<dyn Kernel>> {
    let dtype = node.attr_dtype("out_type")?;
    let upper = node.op.starts_with("Upper");
    pure("Bound", move |inputs| {
        let (sorted, values) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let ([rows, n], [same, m]) = (sorted.shape().dims(), values.shape().dims()) else {
            return Err(Error::invalid_argument("sorted input argument must be a matrix"));
        };
        if rows != same {
            return Err(Error::invalid_argument("Leading dim_size of both tensors must match."));
        }
        let mut out = Vec::with_capacity(rows * m);
        let whole = !sorted.dtype().is_float();
        let (a, b) = match whole {
            true => (vec![], vec![]),
            false => (sorted.to_f64s()?, values.to_f64s()?),
        };
        let (c, d) = match whole {
            true => (sorted.to_i64s()?, values.to_i64s()?),
            false => (vec![], vec![]),
        };
        for at in 0..rows * m {
            let row = at / m * n;
            out.push(match (whole, upper) {
                (true, true) => c[row..row + n].partition_point(|x| *x <= d[at]),
                (true, false) => c[row..row + n].partition_point(|x| *x < d[at]),
                (false, true) => a[row..row + n].partition_point(|x| *x <= b[at]),
                (false, false) => a[row..row + n].partition_point(|x| *x < b[at]),
            } as i64);
        }
        Ok(vec![ints(dtype, values.shape().clone(), &out)?])
    })
}
