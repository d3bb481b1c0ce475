//! Philox4x32-10 as plain integer arithmetic, so that every backend draws TensorFlow's own numbers.
//!
//! Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3". Group `i` of four words comes
//! from the counter plus `i`; a tensor is filled from consecutive groups, as TensorFlow's CPU
//! kernels do for any number of threads.

use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Direction, ValueId};

use crate::OpCtx;

/// Where a stream of random words starts: scalars of type `u32`.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) key: [ValueId; 2],
    pub(super) counter: [ValueId; 4],
}

const ROUNDS: usize = 10;
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// Elements `positions` of a `u64` vector, each as its low and high `u32` words.
pub(super) fn words(c: &mut OpCtx<'_, '_>, v: ValueId, count: usize) -> Result<Vec<ValueId>> {
    let v = c.convert(v, DType::U64)?;
    let n = c.shape(v)?.elements();
    let flat = c.reshape(v, &Shape::new(&[n]))?;
    let mut found = Vec::with_capacity(2 * count);
    for i in 0..count as i64 {
        let one = c.slice(flat, &[i], &[i + 1], &[1])?;
        let one = c.reshape(one, &Shape::scalar())?;
        found.push(c.convert(one, DType::U32)?);
        let shift = c.constant(Tensor::scalar(32u64))?;
        let high = c.binary(Binary::ShiftRightLogical, one, shift)?;
        found.push(c.convert(high, DType::U32)?);
    }
    Ok(found)
}

fn full_u32(c: &mut OpCtx<'_, '_>, value: u32, shape: &Shape) -> Result<ValueId> {
    c.splat(Tensor::scalar(value), shape)
}

/// `a + b` word by word with carry, where `b` is a `u64` vector in two words.
fn advance(c: &mut OpCtx<'_, '_>, counter: [ValueId; 4], by: [ValueId; 2]) -> Result<[ValueId; 4]> {
    let mut out = counter;
    let shape = c.shape(by[0])?;
    let mut carry: Option<ValueId> = None;
    for i in 0..4 {
        let base = c.broadcast_in_dim(counter[i], &shape, &[])?;
        let mut sum = base;
        let mut next: Option<ValueId> = None;
        let addends = [by.get(i).copied(), carry];
        for addend in addends.into_iter().flatten() {
            let total = c.binary(Binary::Add, sum, addend)?;
            let wrapped = c.compare(Direction::Lt, total, sum)?;
            let one = c.convert(wrapped, DType::U32)?;
            next = Some(match next {
                Some(n) => c.binary(Binary::Add, n, one)?,
                None => one,
            });
            sum = total;
        }
        out[i] = sum;
        carry = next;
    }
    Ok(out)
}

/// The low and high words of a 32 by 32 bit product.
fn product(c: &mut OpCtx<'_, '_>, x: ValueId, by: u32) -> Result<(ValueId, ValueId)> {
    let shape = c.shape(x)?;
    let wide = c.convert(x, DType::U64)?;
    let factor = c.splat(Tensor::scalar(u64::from(by)), &shape)?;
    let full = c.binary(Binary::Multiply, wide, factor)?;
    let low = c.convert(full, DType::U32)?;
    let shift = c.splat(Tensor::scalar(32u64), &shape)?;
    let high = c.binary(Binary::ShiftRightLogical, full, shift)?;
    Ok((low, c.convert(high, DType::U32)?))
}

/// `groups` groups of four words as four vectors: word `w` of group `i` is element `i` of vector
/// `w`.
pub(super) fn groups(c: &mut OpCtx<'_, '_>, state: State, groups: usize) -> Result<[ValueId; 4]> {
    let shape = Shape::new(&[groups]);
    let index = c.iota(DType::U64, &shape, 0)?;
    let low = c.convert(index, DType::U32)?;
    let shift = c.splat(Tensor::scalar(32u64), &shape)?;
    let high = c.binary(Binary::ShiftRightLogical, index, shift)?;
    let high = c.convert(high, DType::U32)?;
    let mut x = advance(c, state.counter, [low, high])?;
    let mut key = [
        c.broadcast_in_dim(state.key[0], &shape, &[])?,
        c.broadcast_in_dim(state.key[1], &shape, &[])?,
    ];
    for round in 0..ROUNDS {
        if round > 0 {
            for (k, weyl) in key.iter_mut().zip(WEYL) {
                let step = full_u32(c, weyl, &shape)?;
                *k = c.binary(Binary::Add, *k, step)?;
            }
        }
        let (low0, high0) = product(c, x[0], MULTIPLIERS[0])?;
        let (low1, high1) = product(c, x[2], MULTIPLIERS[1])?;
        let a = c.binary(Binary::Xor, high1, x[1])?;
        let b = c.binary(Binary::Xor, high0, x[3])?;
        x = [c.binary(Binary::Xor, a, key[0])?, low1, c.binary(Binary::Xor, b, key[1])?, low0];
    }
    Ok(x)
}

/// `count` words in the order in which a tensor is filled.
pub(super) fn stream(c: &mut OpCtx<'_, '_>, state: State, count: usize) -> Result<ValueId> {
    let n = count.div_ceil(4).max(1);
    let words = groups(c, state, n)?;
    interleave(c, &words, count)
}

/// Vectors side by side, row by row, cut to `count` elements.
pub(super) fn interleave(
    c: &mut OpCtx<'_, '_>,
    columns: &[ValueId],
    count: usize,
) -> Result<ValueId> {
    let n = c.shape(columns[0])?.elements();
    let column = Shape::new(&[n, 1]);
    let parts: Vec<ValueId> =
        columns.iter().map(|&v| c.reshape(v, &column)).collect::<Result<_>>()?;
    let table = c.concatenate(&parts, 1)?;
    let flat = c.reshape(table, &Shape::new(&[n * columns.len()]))?;
    c.slice(flat, &[0], &[count as i64], &[1])
}
