//! What members of a group do with each other's operands: reduce, gather, scatter, exchange.
//!
//! Elements are combined in the order of the group's members, whoever does it and in however many
//! pieces, so that every run gives the same bits. Nothing here knows how members meet.

use std::borrow::Cow;

use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, TensorType};

use crate::host::MeetingWork;
use crate::moves::{concatenate, dim, slice};
use crate::pick::{self, Fold};
use crate::reducer::{Cell, Reducer, Shortcut};
use crate::{convert, flush};

/// Elements of a reduction that are worth a piece of their own: below, handing the piece to
/// another thread takes longer.
const PIECE_ELEMENTS_MIN: usize = 1 << 14;

/// What a collective does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Everybody gets all operands, one after the other.
    Gather { dimension: i64 },
    /// Everybody gets the combination of all operands.
    Reduce,
    /// Everybody gets a part of the combination.
    ReduceScatter { dimension: i64 },
    /// Everybody gets a part of each operand.
    Exchange { split: i64, concat: i64 },
    /// Gets the operand of the member at a position; zeros for none.
    From { source: Option<usize> },
}

/// What members do with each other's operands, for those who meet without a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    /// Everybody gets all operands, one after the other along the first dimension.
    Gather,
    /// Everybody gets the combination of all operands.
    Reduce(Binary),
    /// Everybody gets its part of the combination, along the first dimension.
    ReduceScatter(Binary),
    /// Everybody gets its part, along the first dimension, of each operand.
    AllToAll,
    /// Everybody gets the operands of the member at this position.
    From(usize),
}

/// The work of an exchange of elements of type `dtype`. Subnormal numbers count as zero in it.
///
/// # Errors
/// INVALID_ARGUMENT when the type does not have the operation.
pub fn exchange_work(exchange: Exchange, dtype: DType) -> Result<Box<dyn MeetingWork>> {
    let combiner = |op: Binary| {
        let (shortcut, flush) = (Some(Shortcut::Binary(op)), true);
        Ok::<_, Error>(Some(Combiner { shortcut, flush, reducer: Reducer::binary(op, dtype)? }))
    };
    let (kind, combiner) = match exchange {
        Exchange::Gather => (Kind::Gather { dimension: 0 }, None),
        Exchange::Reduce(op) => (Kind::Reduce, combiner(op)?),
        Exchange::ReduceScatter(op) => (Kind::ReduceScatter { dimension: 0 }, combiner(op)?),
        Exchange::AllToAll => (Kind::Exchange { split: 0, concat: 0 }, None),
        Exchange::From(source) => (Kind::From { source: Some(source) }, None),
    };
    Ok(Box::new(CollectiveWork { kind, combiner, types: Vec::new() }))
}

/// The region of a reduction.
pub(crate) struct Combiner<'a> {
    /// The one step it consists of, when that is so.
    pub(crate) shortcut: Option<Shortcut>,
    /// Whether subnormal numbers count as zero.
    pub(crate) flush: bool,
    /// The region itself, which does the same as the shortcut.
    pub(crate) reducer: Reducer<'a>,
}

/// The work of one member at one collective.
pub(crate) struct CollectiveWork<'a> {
    pub(crate) kind: Kind,
    pub(crate) combiner: Option<Combiner<'a>>,
    /// Types of the results.
    pub(crate) types: Vec<TensorType>,
}

/// The `k`-th operand of each member.
fn operand(parts: &[Vec<Tensor>], k: usize) -> Result<Vec<&Tensor>> {
    let few = || Error::invalid_argument("members of a group bring different operands");
    let operands: Vec<&Tensor> =
        parts.iter().map(|operands| operands.get(k).ok_or_else(few)).collect::<Result<_>>()?;
    let first = operands.first().ok_or_else(|| Error::internal("a group is empty"))?;
    if operands.iter().any(|x| x.shape() != first.shape() || x.dtype() != first.dtype()) {
        return Err(Error::invalid_argument(format!(
            "members of a group bring different types: {}",
            operands
                .iter()
                .map(|x| format!("{}{}", x.dtype(), x.shape()))
                .collect::<Vec<_>>()
                .join(", ")
        )));
    }
    Ok(operands)
}

fn count(parts: &[Vec<Tensor>]) -> usize {
    parts.first().map_or(0, Vec::len)
}

/// Number `i` of `n` ranges of about equal length that cover `0..elements`.
fn range(elements: usize, i: usize, n: usize) -> std::ops::Range<usize> {
    let at = |i: usize| (elements as u128 * i as u128 / n.max(1) as u128) as usize;
    at(i)..at(i + 1)
}

impl MeetingWork for CollectiveWork<'_> {
    fn pieces(&self, parts: &[Vec<Tensor>]) -> usize {
        match self.kind {
            Kind::Gather { .. } => 1,
            Kind::Reduce => {
                let elements = parts.first().into_iter().flatten().map(Tensor::elements).max();
                (elements.unwrap_or(0) / PIECE_ELEMENTS_MIN).clamp(1, parts.len().max(1))
            }
            Kind::ReduceScatter { .. } | Kind::Exchange { .. } | Kind::From { .. } => 0,
        }
    }

    fn piece(&mut self, parts: &[Vec<Tensor>], piece: usize, pieces: usize) -> Result<Vec<Tensor>> {
        let each = 0..count(parts);
        match self.kind {
            Kind::Gather { dimension } => {
                let gather = |k| {
                    let operands: Vec<&Tensor> =
                        parts.iter().filter_map(|operands| operands.get(k)).collect();
                    concatenate(&operands, dimension)
                };
                each.map(gather).collect()
            }
            Kind::Reduce => {
                let fold = |k| {
                    let operands = operand(parts, k)?;
                    let range = range(operands[0].elements(), piece, pieces);
                    self.fold(&operands, k, range)
                };
                each.map(fold).collect()
            }
            _ => Err(Error::internal("this collective has no pieces")),
        }
    }

    fn join(&mut self, parts: &[Vec<Tensor>], pieces: Vec<Vec<Tensor>>) -> Result<Vec<Tensor>> {
        if let Kind::Gather { .. } = self.kind {
            return Ok(pieces.into_iter().next().unwrap_or_default());
        }
        let join = |k| {
            let operands = operand(parts, k)?;
            let flat: Vec<&Tensor> = pieces.iter().filter_map(|piece| piece.get(k)).collect();
            let whole = match flat[..] {
                [one] => one.clone(),
                _ => concatenate(&flat, 0)?,
            };
            whole.reshaped(operands[0].shape().clone())
        };
        (0..count(parts)).map(join).collect()
    }

    fn mine(
        &mut self,
        parts: &[Vec<Tensor>],
        shared: &[Tensor],
        index: usize,
    ) -> Result<Vec<Tensor>> {
        let each = 0..count(parts);
        match self.kind {
            Kind::Gather { .. } | Kind::Reduce => Ok(shared.to_vec()),
            Kind::ReduceScatter { dimension } => {
                let part = |k| {
                    let mine = operand(parts, k)?.into_iter();
                    let mine = mine.map(|x| part_of(x, dimension, parts.len(), index));
                    let mine = mine.collect::<Result<Vec<Tensor>>>()?;
                    let all = 0..mine[0].elements();
                    let flat = self.fold(&mine.iter().collect::<Vec<_>>(), k, all)?;
                    flat.reshaped(mine[0].shape().clone())
                };
                each.map(part).collect()
            }
            Kind::Exchange { split, concat } => {
                let exchange = |k| {
                    let pieces = operand(parts, k)?.into_iter();
                    let pieces = pieces.map(|x| part_of(x, split, parts.len(), index));
                    let pieces = pieces.collect::<Result<Vec<Tensor>>>()?;
                    concatenate(&pieces.iter().collect::<Vec<_>>(), concat)
                };
                each.map(exchange).collect()
            }
            Kind::From { source: Some(source) } => parts
                .get(source)
                .cloned()
                .ok_or_else(|| Error::internal("a source is no member of its group")),
            Kind::From { source: None } => {
                parts.get(index).into_iter().flatten().map(zeros_like).collect()
            }
        }
    }
}

impl CollectiveWork<'_> {
    /// Combines some elements of the members' `k`-th operands, in the order of the members, to a
    /// flat tensor.
    fn fold(
        &mut self,
        parts: &[&Tensor],
        k: usize,
        range: std::ops::Range<usize>,
    ) -> Result<Tensor> {
        let dtype: DType = self.types.get(k).map_or(parts[0].dtype(), |ty| ty.dtype);
        let converted: Vec<Tensor> = match parts.iter().all(|x| x.dtype() == dtype) {
            true => Vec::new(),
            false => parts.iter().map(|x| convert::convert(x, dtype)).collect::<Result<_>>()?,
        };
        let converted: Vec<&Tensor> = converted.iter().collect();
        let parts = if converted.is_empty() { parts } else { &converted };
        let combiner = self.combiner.as_mut();
        let combiner = combiner.ok_or_else(|| Error::invalid_argument("there is no region"))?;
        combiner.fold(parts, dtype, range)
    }
}

/// Puts a part's elements onto those of an accumulator.
struct Onto<'a> {
    acc: &'a mut [u8],
    part: &'a [u8],
}

impl Fold for Onto<'_> {
    type Out = ();
    fn visit<T: bytemuck::Pod>(self, f: impl Fn(T, T) -> T + Copy + 'static) {
        let cast = bytemuck::try_cast_slice_mut::<u8, T>(self.acc);
        if let (Ok(acc), Ok(part)) = (cast, bytemuck::try_cast_slice::<u8, T>(self.part)) {
            for (a, &x) in acc.iter_mut().zip(part) {
                *a = f(*a, x);
            }
            return;
        }
        let width = size_of::<T>();
        let pairs = self.acc.chunks_exact_mut(width).zip(self.part.chunks_exact(width));
        for (a, x) in pairs {
            let sum = f(bytemuck::pod_read_unaligned(a), bytemuck::pod_read_unaligned(x));
            a.copy_from_slice(bytemuck::bytes_of(&sum));
        }
    }
}

impl Combiner<'_> {
    /// Elements `range` of all parts, combined in order; flat.
    fn fold<'p>(
        &mut self,
        parts: &[&'p Tensor],
        dtype: DType,
        range: std::ops::Range<usize>,
    ) -> Result<Tensor> {
        let width = dtype.size();
        let raw = |x: &'p Tensor| -> Result<&'p [u8]> {
            let bytes = range.start.saturating_mul(width)..range.end.saturating_mul(width);
            x.bytes().get(bytes).ok_or_else(|| Error::internal("a member's operand is too short"))
        };
        let mut acc = AlignedBytes::copy_of(raw(parts[0])?)?;
        let shape = Shape::new(&[range.len()]);
        match self.shortcut {
            _ if parts.len() == 1 => {}
            Some(Shortcut::Binary(op)) => {
                for (i, part) in parts.iter().enumerate().skip(1) {
                    let mut part = Cow::Borrowed(raw(part)?);
                    if self.flush {
                        flush::in_place(dtype, part.to_mut());
                        if i == 1 {
                            flush::in_place(dtype, acc.as_mut());
                        }
                    }
                    pick::fold(op, dtype, Onto { acc: acc.as_mut(), part: &part })?;
                    if self.flush {
                        flush::in_place(dtype, acc.as_mut());
                    }
                }
            }
            _ => {
                for (place, i) in acc.as_mut().chunks_exact_mut(width).zip(range) {
                    let mut total = [Cell::load(place)];
                    for part in &parts[1..] {
                        self.reducer.call(&[total[0], Cell::at(part, i)?], &mut total)?;
                    }
                    total[0].store(place);
                }
            }
        }
        Tensor::new(dtype, shape, acc)
    }
}

/// Zeros of a tensor's type and shape.
pub(crate) fn zeros_like(x: &Tensor) -> Result<Tensor> {
    Tensor::zeros(x.dtype(), x.shape().clone())
}

/// The `i`-th of `parts` equal parts along a dimension.
fn part_of(x: &Tensor, dimension: i64, parts: usize, i: usize) -> Result<Tensor> {
    let d = dim(dimension, x.shape().rank())?;
    let extent = x.shape()[d];
    if parts == 0 || !extent.is_multiple_of(parts) {
        return Err(Error::invalid_argument(format!("{extent} elements do not split in {parts}")));
    }
    let size = extent / parts;
    let (mut start, mut limit) = (vec![0; x.shape().rank()], x.shape().to_i64());
    (start[d], limit[d]) = ((i * size) as i64, ((i + 1) * size) as i64);
    slice(x, &start, &limit, &vec![1; start.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(op: Binary, dtype: DType, shortcut: bool) -> CollectiveWork<'static> {
        let shortcut = shortcut.then_some(Shortcut::Binary(op));
        let reducer = Reducer::binary(op, dtype).unwrap();
        let combiner = Some(Combiner { shortcut, flush: false, reducer });
        CollectiveWork { kind: Kind::Reduce, combiner, types: Vec::new() }
    }

    /// Values that differ by member and element, as any type.
    fn values(dtype: DType, member: usize, elements: usize) -> Tensor {
        let value = |i: usize| ((i * 7 + member * 13) % 11) as f64 * 0.37 - 1.0;
        let wide: Vec<f64> = (0..elements).map(value).collect();
        let wide = Tensor::from_slice(Shape::new(&[elements]), &wide).unwrap();
        convert::convert(&wide, dtype).unwrap()
    }

    #[test]
    fn loops_over_types_do_what_regions_do() {
        use DType::*;
        let dtypes = [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, C64, C128];
        for dtype in dtypes {
            for op in [Binary::Add, Binary::Multiply, Binary::Maximum, Binary::Minimum] {
                if dtype.is_complex() && matches!(op, Binary::Maximum | Binary::Minimum) {
                    continue;
                }
                let parts: Vec<Vec<Tensor>> =
                    (0..3).map(|member| vec![values(dtype, member, 29)]).collect();
                let all = |shortcut| {
                    work(op, dtype, shortcut).piece(&parts, 0, 1).unwrap().swap_remove(0)
                };
                assert_eq!(all(true), all(false), "{op:?} of {dtype}");
            }
        }
    }

    #[test]
    fn pieces_make_the_whole() {
        let elements = 3 * PIECE_ELEMENTS_MIN + 5;
        let parts: Vec<Vec<Tensor>> =
            (0..4).map(|member| vec![values(DType::F32, member, elements)]).collect();
        let mut work = work(Binary::Add, DType::F32, true);
        assert_eq!(work.pieces(&parts), 3);
        let whole = vec![work.piece(&parts, 0, 1).unwrap()];
        let pieces = (0..3).map(|i| work.piece(&parts, i, 3).unwrap()).collect();
        assert_eq!(work.join(&parts, whole).unwrap(), work.join(&parts, pieces).unwrap());
    }

    #[test]
    fn members_with_other_shapes_are_refused() {
        let parts = vec![vec![values(DType::F32, 0, 3)], vec![values(DType::F32, 1, 4)]];
        let error = work(Binary::Add, DType::F32, true).piece(&parts, 0, 1).unwrap_err();
        assert!(error.message().contains("f32[3], f32[4]"), "{error:?}");
    }
}
