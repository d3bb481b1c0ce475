//! Stateless random numbers, bit for bit those of TensorFlow's CPU kernels.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, TensorType, Unary, ValueId};

use crate::OpCtx;
use crate::ops::philox::{State, groups, interleave, stream, words};
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row_const("StatelessRandomUniformV2", &["shape", "alg"], "uniform in [0, 1)", |c| {
        let (shape, state) = v2(c)?;
        let dtype = c.output_dtype(0)?;
        let y = uniform(c, state, &shape, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("StatelessRandomNormalV2", &["shape", "alg"], "standard normal (Box-Muller)", |c| {
        let (shape, state) = v2(c)?;
        let dtype = c.output_dtype(0)?;
        let y = normal(c, state, &shape, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("StatelessRandomUniformFullIntV2", &["shape", "alg"], "uniform bits", |c| {
        let (shape, state) = v2(c)?;
        let dtype = c.output_dtype(0)?;
        let y = full_int(c, state, &shape, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row_const(
        "StatelessRandomUniformIntV2",
        &["shape", "alg"],
        "uniform in [minval, maxval), by remainder",
        |c| {
            let (shape, state) = v2(c)?;
            let (low, high) = (c.input(4)?, c.input(5)?);
            let y = uniform_int(c, state, &shape, low, high)?;
            c.set(0, y);
            Ok(())
        },
    ),
    row("StatelessRandomGetKeyCounter", "Philox key and counter from a seed", |c| {
        let seed = c.input(0)?;
        let state = scramble(c, seed)?;
        let key = join(c, &state.key)?;
        let counter = join(c, &state.counter)?;
        c.set(0, key);
        c.set(1, counter);
        Ok(())
    }),
    row("StatelessRandomGetAlg", "Philox", |c| {
        let y = c.constant(Tensor::scalar(PHILOX as i32))?;
        c.set(0, y);
        Ok(())
    }),
    row("StatelessRandomGetKeyCounterAlg", "Philox key, counter and algorithm", |c| {
        let seed = c.input(0)?;
        let state = scramble(c, seed)?;
        let key = join(c, &state.key)?;
        let counter = join(c, &state.counter)?;
        let alg = c.constant(Tensor::scalar(PHILOX as i32))?;
        c.set(0, key);
        c.set(1, counter);
        c.set(2, alg);
        Ok(())
    }),
    row_const("StatelessRandomUniform", &["shape"], "uniform in [0, 1)", |c| {
        let (shape, state) = v1(c)?;
        let dtype = c.output_dtype(0)?;
        let y = uniform(c, state, &shape, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("StatelessRandomNormal", &["shape"], "standard normal (Box-Muller)", |c| {
        let (shape, state) = v1(c)?;
        let dtype = c.output_dtype(0)?;
        let y = normal(c, state, &shape, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("StatelessRandomUniformFullInt", &["shape"], "uniform bits", |c| {
        let (shape, state) = v1(c)?;
        let dtype = c.output_dtype(0)?;
        let y = full_int(c, state, &shape, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row_const("StatelessRandomUniformInt", &["shape"], "uniform in [minval, maxval)", |c| {
        let (shape, state) = v1(c)?;
        let (low, high) = (c.input(2)?, c.input(3)?);
        let y = uniform_int(c, state, &shape, low, high)?;
        c.set(0, y);
        Ok(())
    }),
];

/// Algorithm numbers of the `alg` input.
const PHILOX: i64 = 1;
const AUTO_SELECT: i64 = 3;

/// Shape and state of the V2 ops: inputs `shape, key, counter, alg`.
fn v2(c: &mut OpCtx<'_, '_>) -> Result<(Shape, State)> {
    let (dims, key, counter, alg) = (c.const_ints(0)?, c.input(1)?, c.input(2)?, c.const_int(3)?);
    if alg != PHILOX && alg != AUTO_SELECT {
        return Err(Error::unimplemented(format!(
            "random algorithm {alg} is not supported, only Philox (1)"
        )));
    }
    if c.shape(key)?.dims() != [1] || c.shape(counter)?.elements() < 2 {
        return Err(Error::invalid_argument(
            "key must have shape [1] and counter at least 2 elements for Philox",
        ));
    }
    let (key, counter) = (words(c, key, 1)?, words(c, counter, 2)?);
    let state =
        State { key: [key[0], key[1]], counter: [counter[0], counter[1], counter[2], counter[3]] };
    Ok((Shape::from_i64(&dims)?, state))
}

/// Shape and state of the V1 ops: inputs `shape, seed`.
fn v1(c: &mut OpCtx<'_, '_>) -> Result<(Shape, State)> {
    let (dims, seed) = (c.const_ints(0)?, c.input(1)?);
    let state = scramble(c, seed)?;
    Ok((Shape::from_i64(&dims)?, state))
}

/// TensorFlow turns a two-number seed into key and counter with one Philox call: the seeds are key
/// and upper counter of a generator whose first group gives the new key and upper counter.
fn scramble(c: &mut OpCtx<'_, '_>, seed: ValueId) -> Result<State> {
    if c.shape(seed)?.dims() != [2] {
        return Err(Error::invalid_argument(format!(
            "seed must have shape [2], not {}",
            c.shape(seed)?
        )));
    }
    let seed = c.convert(seed, DType::I64)?;
    let seed = c.bitcast_convert(seed, TensorType::new(DType::U64, &[2]))?;
    let w = words(c, seed, 2)?;
    // The fixed key that TensorFlow mixes seeds with.
    let key = [
        c.constant(Tensor::scalar(0x3ec8_f720_u32))?,
        c.constant(Tensor::scalar(0x0246_1e29_u32))?,
    ];
    let state = State { key, counter: [w[0], w[1], w[2], w[3]] };
    let mixed = groups(c, state, 1)?;
    let mut scalars = Vec::with_capacity(4);
    for v in mixed {
        scalars.push(c.reshape(v, &Shape::scalar())?);
    }
    let zero = c.constant(Tensor::scalar(0u32))?;
    Ok(State { key: [scalars[0], scalars[1]], counter: [zero, zero, scalars[2], scalars[3]] })
}

/// Pairs of `u32` scalars as a `u64` vector, low words first.
fn join(c: &mut OpCtx<'_, '_>, scalars: &[ValueId]) -> Result<ValueId> {
    let one = Shape::new(&[1]);
    let mut parts = Vec::new();
    for pair in scalars.chunks_exact(2) {
        let (low, high) = (c.convert(pair[0], DType::U64)?, c.convert(pair[1], DType::U64)?);
        let shift = c.constant(Tensor::scalar(32u64))?;
        let high = c.binary(Binary::ShiftLeft, high, shift)?;
        let value = c.binary(Binary::Or, low, high)?;
        parts.push(c.reshape(value, &one)?);
    }
    if parts.len() == 1 { Ok(parts[0]) } else { c.concatenate(&parts, 0) }
}

/// Random words as floats in `[0, 1)`: mantissa bits under the exponent of 1, less 1.
fn unit_float(c: &mut OpCtx<'_, '_>, bits: ValueId, dtype: DType) -> Result<ValueId> {
    let shape = c.shape(bits)?;
    let dims = shape.to_i64();
    let (mask, one, small) = match dtype {
        DType::F64 => {
            let mask = c.splat(Tensor::scalar((1u64 << 52) - 1), &shape)?;
            (mask, c.splat(Tensor::scalar(1023u64 << 52), &shape)?, bits)
        }
        DType::F16 => {
            let small = c.convert(bits, DType::U16)?;
            let mask = c.splat(Tensor::scalar(0x3ffu16), &shape)?;
            (mask, c.splat(Tensor::scalar(15u16 << 10), &shape)?, small)
        }
        DType::BF16 => {
            let small = c.convert(bits, DType::U16)?;
            let mask = c.splat(Tensor::scalar(0x7fu16), &shape)?;
            (mask, c.splat(Tensor::scalar(127u16 << 7), &shape)?, small)
        }
        _ => {
            let mask = c.splat(Tensor::scalar(0x7f_ffffu32), &shape)?;
            (mask, c.splat(Tensor::scalar(127u32 << 23), &shape)?, bits)
        }
    };
    let mantissa = c.binary(Binary::And, small, mask)?;
    let value = c.binary(Binary::Or, mantissa, one)?;
    let value = c.bitcast_convert(value, TensorType::new(dtype, &dims))?;
    c.binary_scalar(Binary::Subtract, value, 1.0)
}

/// Pairs of consecutive words as `u64`, the first one low.
fn pairs(c: &mut OpCtx<'_, '_>, state: State, count: usize) -> Result<ValueId> {
    let w = groups(c, state, count.div_ceil(2).max(1))?;
    let mut columns = Vec::new();
    for (low, high) in [(w[0], w[1]), (w[2], w[3])] {
        columns.push(wide(c, low, high)?);
    }
    interleave(c, &columns, count)
}

fn wide(c: &mut OpCtx<'_, '_>, low: ValueId, high: ValueId) -> Result<ValueId> {
    let shape = c.shape(low)?;
    let (low, high) = (c.convert(low, DType::U64)?, c.convert(high, DType::U64)?);
    let shift = c.splat(Tensor::scalar(32u64), &shape)?;
    let high = c.binary(Binary::ShiftLeft, high, shift)?;
    c.binary(Binary::Or, low, high)
}

/// One word, or two for 64-bit types, an element, flat.
fn bits(c: &mut OpCtx<'_, '_>, state: State, count: usize, dtype: DType) -> Result<ValueId> {
    if dtype.size() == 8 { pairs(c, state, count) } else { stream(c, state, count) }
}

pub(super) fn uniform(
    c: &mut OpCtx<'_, '_>,
    state: State,
    shape: &Shape,
    dtype: DType,
) -> Result<ValueId> {
    let words = bits(c, state, shape.elements(), dtype)?;
    let flat = unit_float(c, words, dtype)?;
    c.reshape(flat, shape)
}

pub(super) fn full_int(
    c: &mut OpCtx<'_, '_>,
    state: State,
    shape: &Shape,
    dtype: DType,
) -> Result<ValueId> {
    let n = shape.elements();
    let words = bits(c, state, n, dtype)?;
    let flat = c.bitcast_convert(words, TensorType::new(dtype, &[n as i64]))?;
    c.reshape(flat, shape)
}

/// `low + bits % (high - low)` in unsigned arithmetic.
pub(super) fn uniform_int(
    c: &mut OpCtx<'_, '_>,
    state: State,
    shape: &Shape,
    low: ValueId,
    high: ValueId,
) -> Result<ValueId> {
    let dtype = c.dtype(low)?;
    let n = shape.elements();
    let words = bits(c, state, n, dtype)?;
    let unsigned = if dtype.size() == 8 { DType::U64 } else { DType::U32 };
    let as_unsigned = |c: &mut OpCtx<'_, '_>, v: ValueId| {
        if dtype == unsigned { Ok(v) } else { c.bitcast_convert(v, TensorType::scalar(unsigned)) }
    };
    let bad = c.compare(tfjit_hlo::Direction::Ge, low, high)?;
    c.check(bad, tfjit_base::Code::InvalidArgument, "Need minval < maxval")?;
    let (low, high) = (as_unsigned(c, low)?, as_unsigned(c, high)?);
    let range = c.binary(Binary::Subtract, high, low)?;
    let flat = Shape::new(&[n]);
    let (range, low) =
        (c.broadcast_in_dim(range, &flat, &[])?, c.broadcast_in_dim(low, &flat, &[])?);
    let rest = c.binary(Binary::Remainder, words, range)?;
    let sum = c.binary(Binary::Add, low, rest)?;
    let value = if dtype == unsigned {
        sum
    } else {
        c.bitcast_convert(sum, TensorType::new(dtype, &[n as i64]))?
    };
    c.reshape(value, shape)
}

/// Box-Muller: of two uniform numbers `u` and `v`, `sqrt(-2 ln u)` times sine and cosine of
/// `2 pi v`.
pub(super) fn normal(
    c: &mut OpCtx<'_, '_>,
    state: State,
    shape: &Shape,
    dtype: DType,
) -> Result<ValueId> {
    let n = shape.elements();
    let double = dtype == DType::F64;
    // Doubles take two words each, so a group makes one pair instead of two.
    let w = groups(c, state, n.div_ceil(if double { 2 } else { 4 }).max(1))?;
    let mut columns = Vec::new();
    if double {
        let (u, v) = (wide(c, w[0], w[1])?, wide(c, w[2], w[3])?);
        columns.extend(box_muller(c, u, v, DType::F64)?);
    } else {
        for (u, v) in [(w[0], w[1]), (w[2], w[3])] {
            columns.extend(box_muller(c, u, v, DType::F32)?);
        }
    }
    let flat = interleave(c, &columns, n)?;
    let value = c.convert(flat, dtype)?;
    c.reshape(value, shape)
}

fn box_muller(c: &mut OpCtx<'_, '_>, u: ValueId, v: ValueId, dtype: DType) -> Result<[ValueId; 2]> {
    let u = unit_float(c, u, dtype)?;
    // Keeps the logarithm finite.
    let u = c.binary_scalar(Binary::Maximum, u, 1.0e-7)?;
    let v = unit_float(c, v, dtype)?;
    let angle = c.binary_scalar(Binary::Multiply, v, 2.0 * std::f64::consts::PI)?;
    let log = c.unary(Unary::Log, u)?;
    let scaled = c.binary_scalar(Binary::Multiply, log, -2.0)?;
    let radius = c.unary(Unary::Sqrt, scaled)?;
    let (sine, cosine) = (c.unary(Unary::Sine, angle)?, c.unary(Unary::Cosine, angle)?);
    Ok([c.binary(Binary::Multiply, sine, radius)?, c.binary(Binary::Multiply, cosine, radius)?])
}
