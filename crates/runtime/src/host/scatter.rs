//! Sums, products and extremes of rows into places that other inputs name.

use std::ops::{Add, Mul, Sub};

use tfjit_base::{AlignedBytes, Complex, DType, Element, Error, Result, Shape, Tensor, bf16, f16};
use tfjit_model::Node;

use super::tensors::{Blocks, int, pure, tensor, with_first};
use super::{HostRow, row};
use crate::{Kernel, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("ScatterNd", "updates added up in their places", make_scatter_nd),
    row("SegmentMaxV2", "largest of the rows of each segment", make_segment),
    row("SegmentMinV2", "smallest of the rows of each segment", make_segment),
    row("SegmentProdV2", "product of the rows of each segment", make_segment),
    row("SegmentSumV2", "sum of the rows of each segment", make_segment),
    row("SparseToDense", "a dense tensor of positions and values", make_dense),
    row("TensorScatterAdd", "a tensor with updates added", make_tensor_scatter),
    row("TensorScatterMax", "a tensor with larger updates in place", make_tensor_scatter),
    row("TensorScatterMin", "a tensor with smaller updates in place", make_tensor_scatter),
    row("TensorScatterSub", "a tensor with updates subtracted", make_tensor_scatter),
    row("TensorScatterUpdate", "a tensor with updates in place", make_tensor_scatter),
    row("UnsortedSegmentMax", "largest of the rows of each segment", make_segment),
    row("UnsortedSegmentMin", "smallest of the rows of each segment", make_segment),
    row("UnsortedSegmentProd", "product of the rows of each segment", make_segment),
    row("UnsortedSegmentSum", "sum of the rows of each segment", make_segment),
];

/// How an old and a new element become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    Set,
    Add,
    Sub,
    Mul,
    Min,
    Max,
}

/// An element type that can be joined.
trait Number: Element {
    fn join(self, other: Self, join: Join) -> Self;
    /// What joining starts from: neutral, the lowest or the highest value.
    fn start(join: Join) -> Self;
}

macro_rules! real {
    ($add:ident $sub:ident $mul:ident: $($t:ty),*) => { $(
        impl Number for $t {
            fn join(self, other: Self, join: Join) -> Self {
                match join {
                    Join::Set => other,
                    Join::Add => self.$add(other),
                    Join::Sub => self.$sub(other),
                    Join::Mul => self.$mul(other),
                    Join::Min => if other < self { other } else { self },
                    Join::Max => if other > self { other } else { self },
                }
            }
            fn start(join: Join) -> Self {
                match join {
                    Join::Mul => 1u8.into(),
                    Join::Min => <$t>::MAX,
                    Join::Max => <$t>::MIN,
                    _ => 0u8.into(),
                }
            }
        }
    )* };
}
real!(add sub mul: f32, f64);
real!(wrapping_add wrapping_sub wrapping_mul: i16, i32, i64, u8, u16, u32, u64);

impl Number for i8 {
    fn join(self, other: i8, join: Join) -> i8 {
        i16::from(self).join(i16::from(other), join) as i8
    }
    fn start(join: Join) -> i8 {
        match join {
            Join::Min => i8::MAX,
            Join::Max => i8::MIN,
            _ => i16::start(join) as i8,
        }
    }
}

macro_rules! half {
    ($($t:ty),*) => { $(
        impl Number for $t {
            fn join(self, other: Self, join: Join) -> Self {
                <$t>::from_f32(self.to_f32().join(other.to_f32(), join))
            }
            fn start(join: Join) -> Self {
                match join {
                    Join::Min => <$t>::MAX,
                    Join::Max => <$t>::MIN,
                    _ => <$t>::from_f32(f32::start(join)),
                }
            }
        }
    )* };
}
half!(f16, bf16);

macro_rules! complex {
    ($($t:ty),*) => { $(
        impl Number for Complex<$t> {
            fn join(self, other: Self, join: Join) -> Self {
                match join {
                    Join::Add => self + other,
                    Join::Sub => self - other,
                    Join::Mul => self * other,
                    // There is no order; kernels refuse before.
                    Join::Set | Join::Min | Join::Max => other,
                }
            }
            fn start(join: Join) -> Self {
                Complex::new(<$t>::start(join), 0.0)
            }
        }
    )* };
}
complex!(f32, f64);

/// Rows that are joined with others; of strings, only set.
pub(super) struct Rows {
    dtype: DType,
    bytes: Vec<u8>,
    strings: Vec<Vec<u8>>,
    row: usize,
}

macro_rules! numbers {
    ($dtype:expr, $call:ident ( $($arg:expr),* )) => {
        match $dtype {
            DType::I8 => $call::<i8>($($arg),*),
            DType::I16 => $call::<i16>($($arg),*),
            DType::I32 => $call::<i32>($($arg),*),
            DType::I64 => $call::<i64>($($arg),*),
            DType::U8 => $call::<u8>($($arg),*),
            DType::U16 => $call::<u16>($($arg),*),
            DType::U32 => $call::<u32>($($arg),*),
            DType::U64 => $call::<u64>($($arg),*),
            DType::F16 => $call::<f16>($($arg),*),
            DType::BF16 => $call::<bf16>($($arg),*),
            DType::F32 => $call::<f32>($($arg),*),
            DType::F64 => $call::<f64>($($arg),*),
            DType::C64 => $call::<Complex<f32>>($($arg),*),
            DType::C128 => $call::<Complex<f64>>($($arg),*),
            other => Err(Error::invalid_argument(format!("{other} elements are no numbers"))),
        }
    };
}

fn join_bytes<T: Number>(to: &mut [u8], from: &[u8], join: Join) -> Result<()> {
    let size = size_of::<T>();
    for (to, from) in to.chunks_exact_mut(size).zip(from.chunks_exact(size)) {
        let old: T = bytemuck::pod_read_unaligned(to);
        let joined = old.join(bytemuck::pod_read_unaligned(from), join);
        to.copy_from_slice(bytemuck::bytes_of(&joined));
    }
    Ok(())
}

fn start_bytes<T: Number>(join: Join) -> Result<Vec<u8>> {
    Ok(bytemuck::bytes_of(&T::start(join)).to_vec())
}

impl Rows {
    pub(super) fn of(t: &Tensor, row: usize) -> Rows {
        let strings = t.as_strings().unwrap_or_default().to_vec();
        Rows { dtype: t.dtype(), bytes: t.bytes().to_vec(), strings, row }
    }

    /// Rows of what joining starts from.
    pub(super) fn start(dtype: DType, count: usize, row: usize, join: Join) -> Result<Rows> {
        let elements = count.saturating_mul(row);
        Blocks::with_room(dtype, elements)?;
        if dtype == DType::String || dtype == DType::Bool {
            let zeros = Tensor::zeros(dtype, Shape::new(&[count, row]))?;
            return Ok(Rows::of(&zeros, row));
        }
        let one = numbers!(dtype, start_bytes(join))?;
        Ok(Rows { dtype, bytes: one.repeat(elements), strings: Vec::new(), row })
    }

    pub(super) fn join(&mut self, to: usize, from: &Tensor, at: usize, join: Join) -> Result<()> {
        let row = self.row;
        if let Some(strings) = from.as_strings() {
            if join != Join::Set {
                return Err(Error::invalid_argument("strings can only be set"));
            }
            self.strings[to * row..(to + 1) * row]
                .clone_from_slice(&strings[at * row..(at + 1) * row]);
            return Ok(());
        }
        let bytes = row * self.dtype.size();
        let (to, from) = (&mut self.bytes[to * bytes..(to + 1) * bytes], from.bytes());
        let from = &from[at * bytes..(at + 1) * bytes];
        if join == Join::Set {
            to.copy_from_slice(from);
            return Ok(());
        }
        if self.dtype == DType::Bool {
            // Numbers of one bit.
            for (to, &from) in to.iter_mut().zip(from) {
                *to = match join {
                    Join::Min | Join::Mul => *to & from,
                    Join::Sub => *to ^ from,
                    _ => *to | from,
                };
            }
            return Ok(());
        }
        numbers!(self.dtype, join_bytes(to, from, join))
    }

    pub(super) fn done(self, shape: Shape) -> Result<Tensor> {
        if self.dtype == DType::String {
            return Tensor::strings(shape, self.strings);
        }
        Tensor::new(self.dtype, shape, AlignedBytes::copy_of(&self.bytes)?)
    }
}

fn join_of(op: &str) -> Join {
    let named = |word: &str| op.contains(word);
    if named("Max") {
        Join::Max
    } else if named("Min") {
        Join::Min
    } else if named("Prod") {
        Join::Mul
    } else if named("Sub") {
        Join::Sub
    } else if named("Update") {
        Join::Set
    } else {
        Join::Add
    }
}

/// Joins updates into `rows` of a tensor of shape `shape`.
fn scatter(
    rows: &mut Rows,
    shape: &[usize],
    indices: &Tensor,
    updates: &Tensor,
    join: Join,
) -> Result<()> {
    let Some((&depth, batch)) = indices.shape().dims().split_last() else {
        return Err(Error::invalid_argument("indices must have rank >= 1"));
    };
    if depth > shape.len() {
        return Err(Error::invalid_argument(format!(
            "index innermost dimension length must be <= params rank; saw: {depth} vs. {}",
            shape.len()
        )));
    }
    let (outer, rest) = shape.split_at(depth);
    if *updates.shape() != Shape::new(&[batch, rest].concat()) {
        return Err(Error::invalid_argument(format!(
            "updates of shape {} do not fit indices of shape {} into a tensor of shape {}",
            updates.shape(),
            indices.shape(),
            Shape::new(shape)
        )));
    }
    let values = indices.to_i64s()?;
    for at in 0..batch.iter().product() {
        let place = &values[at * depth..(at + 1) * depth];
        let mut to = 0;
        for (&index, &extent) in place.iter().zip(outer) {
            let Some(index) = usize::try_from(index).ok().filter(|&i| i < extent) else {
                return Err(Error::invalid_argument(format!(
                    "indices[{at}] = {place:?} does not index into shape {}",
                    Shape::new(shape)
                )));
            };
            to = to * extent + index;
        }
        rows.join(to, updates, at, join)?;
    }
    Ok(())
}

fn make_scatter_nd(_: &Node) -> Result<Box<dyn Kernel>> {
    pure("ScatterNd", |inputs| {
        let (indices, updates) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let shape = Shape::from_i64(&tensor(inputs, 2)?.to_i64s()?)?;
        let depth = indices.shape().dims().last().copied().unwrap_or(0);
        let rest = shape.dims().get(depth..).unwrap_or_default();
        let row: usize = rest.iter().product();
        let count = shape.dims().get(..depth).unwrap_or_default().iter().product();
        let join = if updates.as_strings().is_some() { Join::Set } else { Join::Add };
        let mut rows = Rows::start(updates.dtype(), count, row, Join::Add)?;
        scatter(&mut rows, shape.dims(), indices, updates, join)?;
        Ok(vec![rows.done(shape)?])
    })
}

fn make_tensor_scatter(node: &Node) -> Result<Box<dyn Kernel>> {
    let join = join_of(&node.op["TensorScatter".len()..]);
    pure("TensorScatter", move |inputs| {
        let (t, indices) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let depth = indices.shape().dims().last().copied().unwrap_or(0);
        let rest = t.shape().dims().get(depth..).unwrap_or_default();
        let mut rows = Rows::of(t, rest.iter().product());
        scatter(&mut rows, t.shape().dims(), indices, tensor(inputs, 2)?, join)?;
        Ok(vec![rows.done(t.shape().clone())?])
    })
}

/// Rows whose segment is negative are left out.
fn make_segment(node: &Node) -> Result<Box<dyn Kernel>> {
    let join = join_of(node.op.strip_prefix("Unsorted").unwrap_or(&node.op));
    let sorted = !node.op.starts_with("Unsorted");
    pure("Segment", move |inputs| segment(inputs, join, sorted))
}

fn segment(inputs: &[Value], join: Join, sorted: bool) -> Result<Vec<Tensor>> {
    let (data, ids) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
    let count = usize::try_from(int(inputs, 2)?)
        .map_err(|_| Error::invalid_argument("Input num_segments must be non-negative."))?;
    let rank = ids.shape().rank();
    if data.shape().dims().get(..rank) != Some(ids.shape().dims()) {
        return Err(Error::invalid_argument(format!(
            "data.shape = {} does not start with segment_ids.shape = {}",
            data.shape(),
            ids.shape()
        )));
    }
    let rest = &data.shape().dims()[rank..];
    let mut rows = Rows::start(data.dtype(), count, rest.iter().product(), join)?;
    let mut last = i64::MIN;
    for (at, id) in ids.to_i64s()?.into_iter().enumerate() {
        if sorted && id < last {
            return Err(Error::invalid_argument("segment ids are not increasing"));
        }
        last = id;
        if id < 0 {
            continue;
        }
        if id as usize >= count {
            if sorted {
                // TensorFlow has these ops compiled only, which leaves such rows out.
                continue;
            }
            return Err(Error::invalid_argument(format!(
                "segment_ids[{at}] = {id} is out of range [0, {count})"
            )));
        }
        rows.join(id as usize, data, at, join)?;
    }
    Ok(vec![rows.done(with_first(count, rest))?])
}

fn make_dense(node: &Node) -> Result<Box<dyn Kernel>> {
    let validate = node.flag("validate_indices");
    pure("SparseToDense", move |inputs| {
        let (indices, values) = (tensor(inputs, 0)?, tensor(inputs, 2)?);
        let (shape, default) = (tensor(inputs, 1)?.to_i64s()?, tensor(inputs, 3)?);
        let shape = Shape::from_i64(&shape)?;
        let rank = shape.rank();
        let (count, depth) = match indices.shape().dims() {
            [] => (1, 1),
            [n] => (*n, 1),
            [n, depth] => (*n, *depth),
            _ => return Err(Error::invalid_argument("sparse_indices should be a matrix at most")),
        };
        if depth != rank {
            return Err(Error::invalid_argument(format!(
                "output_shape has {rank} elements, but should have {depth}"
            )));
        }
        if values.shape().rank() > 0 && values.elements() != count {
            return Err(Error::invalid_argument(format!(
                "sparse_values has shape {}, should be [] or [{count}]",
                values.shape()
            )));
        }
        if default.elements() != 1 {
            return Err(Error::invalid_argument("default_value should be a scalar."));
        }
        let mut rows = Rows::start(values.dtype(), shape.checked_elements()?, 1, Join::Add)?;
        for to in 0..shape.elements() {
            rows.join(to, default, 0, Join::Set)?;
        }
        let places = indices.to_i64s()?;
        let mut last: Option<usize> = None;
        for at in 0..count {
            let place = &places[at * depth..(at + 1) * depth];
            let mut to = 0;
            for (&index, &extent) in place.iter().zip(shape.dims()) {
                let index = usize::try_from(index).ok().filter(|&i| i < extent);
                let index = index.ok_or_else(|| {
                    Error::invalid_argument(format!("indices[{at}] = {place:?} is out of bounds"))
                })?;
                to = to * extent + index;
            }
            if validate && last.is_some_and(|last| to <= last) {
                let what = if last == Some(to) { "is repeated" } else { "is out of order" };
                return Err(Error::invalid_argument(format!("indices[{at}] = {place:?} {what}")));
            }
            last = Some(to);
            let from = if values.shape().rank() == 0 { 0 } else { at };
            rows.join(to, values, from, Join::Set)?;
        }
        Ok(vec![rows.done(shape)?])
    })
}
