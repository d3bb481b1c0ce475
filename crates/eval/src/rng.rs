//! `rng_bit_generator` and `rng`: counter-based random bits.
//!
//! Philox 4x32-10 and Threefry 2x32-20 are the published algorithms (Salmon et al., "Parallel
//! Random
//! Numbers: As Easy as 1, 2, 3"); how counters are laid out over a tensor is XLA's choice, so that
//! a
//! state gives the same bits here and there. `rng` is implementation-defined in the specification:
//! here it is Philox, keyed by a seed.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{RngAlgorithm, RngDistribution, TensorType};

use crate::accum::{from_f64s, from_i64s};

/// Ten rounds of Philox 4x32.
pub(crate) fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let a = u64::from(counter[0]) * 0xD251_1F53;
        let b = u64::from(counter[2]) * 0xCD9E_8D57;
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// Twenty rounds of Threefry 2x32.
pub(crate) fn threefry(counter: [u32; 2], key: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let [mut x, mut y] = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x = x.wrapping_add(y);
            y = y.rotate_left(rotation) ^ x;
        }
        x = x.wrapping_add(keys[(group + 1) % 3]);
        y = y.wrapping_add(keys[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    [x, y]
}

/// The low and the high half.
fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn join([low, high]: [u32; 2]) -> u64 {
    (u64::from(high) << 32) | u64::from(low)
}

/// The four words for the 128-bit counter `counter`.
fn philox_block(key: u64, counter: u128) -> [u32; 4] {
    let ([a, b], [c, d]) = (halves(counter as u64), halves((counter >> 64) as u64));
    philox([a, b, c, d], halves(key))
}

/// `rng_bit_generator(initial_state)`: the new state and the bits.
///
/// The state is `u64[2]` or, for Philox, `u64[3]`: a key, then the counter, low half first; a
/// Philox
/// counter's missing high half is the key. The default algorithm is Philox. Types of fewer than 32
/// bits take the low bits of 32-bit words.
///
/// # Errors
/// INVALID_ARGUMENT when the state does not fit the algorithm, or the type has no bits.
pub(crate) fn rng_bit_generator(
    state: &Tensor,
    algorithm: RngAlgorithm,
    outs: &[TensorType],
) -> Result<Vec<Tensor>> {
    let [state_type, out] = outs else {
        return Err(Error::internal("rng_bit_generator has two results"));
    };
    let words: Vec<u64> = state_words(state)?;
    let threefry = algorithm == RngAlgorithm::ThreeFry;
    if !(words.len() == 2 || words.len() == 3 && !threefry) {
        return Err(Error::invalid_argument(format!(
            "a state of {} 64-bit words does not fit the algorithm {algorithm}",
            words.len()
        )));
    }
    let shape = out.shape()?;
    let wide = out.dtype.size() > 4;
    let (bits, new_words) = if threefry {
        threefry_bits(&words, &shape, wide)?
    } else {
        philox_bits(&words, shape.checked_elements()?, wide)?
    };
    let new_state = Tensor::from_slice(Shape::new(&[new_words.len()]), &new_words)?;
    let new_state = Tensor::from_raw(state.dtype(), state.shape().clone(), new_state.bytes())?;
    if state_type.dtype != state.dtype() || state_type.shape()? != *state.shape() {
        return Err(Error::invalid_argument(
            "rng_bit_generator returns a state of the type it took",
        ));
    }
    Ok(vec![new_state, from_bits(out.dtype, &shape, &bits)?])
}

/// The state's bytes as 64-bit words; it may be typed `u32` with twice as many.
fn state_words(state: &Tensor) -> Result<Vec<u64>> {
    if !matches!(state.dtype(), DType::U64 | DType::U32 | DType::I64 | DType::I32)
        || !state.bytes().len().is_multiple_of(8)
    {
        return Err(Error::invalid_argument(format!(
            "a tensor {}{} is no random generator's state",
            state.dtype(),
            state.shape()
        )));
    }
    Ok(bytemuck::pod_collect_to_vec(state.bytes()))
}

/// Room for one word an element.
fn words(n: usize) -> Result<Vec<u64>> {
    let mut words = Vec::new();
    words.try_reserve_exact(n.saturating_add(4)).map_err(|_| {
        Error::resource_exhausted(format!("cannot make {n} random numbers at once"))
    })?;
    Ok(words)
}

/// Blocks of four words, handed out in order: one word, or for wide elements two, an element.
fn philox_bits(state: &[u64], n: usize, wide: bool) -> Result<(Vec<u64>, Vec<u64>)> {
    let high = state.get(2).copied().unwrap_or(state[0]);
    let mut counter = (u128::from(high) << 64) | u128::from(state[1]);
    let mut bits = words(n)?;
    while bits.len() < n {
        let [a, b, c, d] = philox_block(state[0], counter);
        if wide {
            bits.extend([join([a, b]), join([c, d])]);
        } else {
            bits.extend([a, b, c, d].map(u64::from));
        }
        counter = counter.wrapping_add(1);
    }
    bits.truncate(n);
    let new = [state[0], counter as u64, (counter >> 64) as u64];
    Ok((bits, new[..state.len()].to_vec()))
}

/// Wide elements take one block each, in order. Narrow ones share a block with the neighbour along
/// the first even dimension (or the longest, when all are odd).
fn threefry_bits(state: &[u64], shape: &Shape, wide: bool) -> Result<(Vec<u64>, Vec<u64>)> {
    let n = shape.checked_elements()?;
    let block = |i: usize| threefry(halves(state[1].wrapping_add(i as u64)), halves(state[0]));
    let mut bits = words(n)?;
    if wide {
        bits.extend((0..n).map(|i| join(block(i))));
        return Ok((bits, vec![state[0], state[1].wrapping_add(n as u64)]));
    }
    let dims: &[usize] = if shape.rank() == 0 { &[1] } else { shape };
    let even = dims.iter().position(|d| d % 2 == 0);
    // The first of the longest: `max_by_key` would take the last.
    let longest = (0..dims.len()).rev().max_by_key(|&i| dims[i]).unwrap_or(0);
    let split = even.unwrap_or(longest);
    let inner: usize = dims[split + 1..].iter().product();
    let (extent, half) = (dims[split], dims[split].div_ceil(2));
    if n > 0 {
        for outer in 0..n / (extent * inner) {
            for i in 0..extent {
                let first = (outer * half + i / 2) * inner;
                bits.extend((first..first + inner).map(|b| u64::from(block(b)[i % 2])));
            }
        }
    }
    let blocks = n.checked_div(extent).unwrap_or(0) * half;
    Ok((bits, vec![state[0], state[1].wrapping_add(blocks as u64)]))
}

/// The low bits of each word as a tensor.
fn from_bits(dtype: DType, shape: &Shape, bits: &[u64]) -> Result<Tensor> {
    let stored = match dtype {
        DType::F16 | DType::BF16 => DType::U16,
        DType::F32 => DType::U32,
        DType::F64 => DType::U64,
        other => other,
    };
    from_i64s(stored, shape, bits.iter().map(|&b| b as i64))?.bitcast(dtype)
}

/// `rng(a, b, shape)`: `UNIFORM` numbers in `[a, b)`, `NORMAL` ones of mean `a` and standard
/// deviation `b`. The same `seed` gives the same numbers.
///
/// # Errors
/// INVALID_ARGUMENT when `a` or `b` is no scalar, or the type is complex or too small.
pub(crate) fn rng(
    a: &Tensor,
    b: &Tensor,
    distribution: RngDistribution,
    seed: u64,
    out: &TensorType,
) -> Result<Tensor> {
    if a.elements() != 1 || b.elements() != 1 {
        return Err(Error::invalid_argument("the parameters of rng are scalars"));
    }
    let shape = out.shape()?;
    let n = shape.checked_elements()?;
    let (bits, _) = philox_bits(&[seed, 0, 0], n, true)?;
    if distribution == RngDistribution::Normal {
        let (mean, deviation) = (a.to_f64s()?[0], b.to_f64s()?[0]);
        let normal = |i: usize| mean + deviation * box_muller(seed, i as u64);
        return from_f64s(out.dtype, &shape, (0..n).map(normal));
    }
    if out.dtype.is_float() {
        let (low, high) = (a.to_f64s()?[0], b.to_f64s()?[0]);
        let numbers = bits.iter().map(|&v| low + (high - low) * unit(v, out.dtype));
        return from_f64s(out.dtype, &shape, numbers);
    }
    let (low, high) = (a.to_i64s()?[0], b.to_i64s()?[0]);
    let range = match out.dtype {
        DType::Bool => 2,
        _ if high > low || out.dtype == DType::U64 => high.wrapping_sub(low) as u64,
        _ => 0,
    };
    // The high word of the product is uniform below `range`.
    let numbers =
        bits.iter().map(|&v| low.wrapping_add(((u128::from(v) * u128::from(range)) >> 64) as i64));
    from_i64s(out.dtype, &shape, numbers)
}

/// A number in `[0, 1)` with as many bits as the type holds, so that rounding never reaches 1.
fn unit(bits: u64, dtype: DType) -> f64 {
    let digits = match dtype {
        DType::F64 => 53,
        DType::F32 => 24,
        DType::F16 => 11,
        DType::BF16 => 8,
        _ => 2,
    };
    (bits >> (64 - digits)) as f64 / 2f64.powi(digits)
}

/// The `index`-th standard normal number of a sequence.
fn box_muller(seed: u64, index: u64) -> f64 {
    // A counter range of its own, above the one uniform numbers use.
    let [a, b, c, d] = philox_block(seed, (1 << 64) | u128::from(index));
    let radius = (-2.0 * (1.0 - unit(join([a, b]), DType::F64)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(join([c, d]), DType::F64)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: u64 = 0x0123_4567_89ab_cdef;

    fn generate(algorithm: RngAlgorithm, dtype: DType, dims: &[i64]) -> (Vec<u64>, Vec<i64>) {
        let state = Tensor::from_slice(Shape::new(&[2]), &[KEY, u64::MAX - 1]).unwrap();
        let outs = [TensorType::new(DType::U64, &[2]), TensorType::new(dtype, dims)];
        let results = rng_bit_generator(&state, algorithm, &outs).unwrap();
        (results[0].to_vec().unwrap(), results[1].to_i64s().unwrap())
    }

    /// Bits that XLA's CPU backend makes of the same state.
    #[test]
    fn bits_are_those_of_xla() {
        use RngAlgorithm::{Default, Philox, ThreeFry};
        let (state, bits) = generate(Philox, DType::U32, &[5]);
        assert_eq!(state, [KEY, 0]);
        assert_eq!(bits, [0x0a485194, 0x41c5f806, 0xd6822fee, 0x3885a3d4, 0x41eb59f3]);
        let (state, bits) = generate(Default, DType::U64, &[2, 3]);
        assert_eq!(state, [KEY, 1]);
        assert_eq!(bits[1] as u64, 0x3885a3d4d6822fee);
        assert_eq!(bits[4] as u64, 0xd71fd4de7006d264);
        let state = Tensor::from_slice(Shape::new(&[3]), &[KEY, u64::MAX - 1, 5]).unwrap();
        let outs = [TensorType::new(DType::U64, &[3]), TensorType::new(DType::U32, &[9])];
        let results = rng_bit_generator(&state, Philox, &outs).unwrap();
        assert_eq!(results[0].to_vec::<u64>().unwrap(), [KEY, 1, 6]);
        let bits = results[1].to_vec::<u32>().unwrap();
        assert_eq!((bits[0], bits[4], bits[8]), (0xb2543b5d, 0xf02791c6, 0x15706cf1));
        assert_eq!(generate(Philox, DType::U16, &[2]).1, [0x5194, 0xf806]);
        let (state, bits) = generate(ThreeFry, DType::U32, &[5]);
        assert_eq!(state, [KEY, 1]);
        assert_eq!(bits, [0xb0f4215b, 0xe19a60b4, 0x0b3d7494, 0xacf8c4dc, 0xaaa4d889]);
        let (_, bits) = generate(ThreeFry, DType::U8, &[2, 3]);
        assert_eq!(bits, [0x5b, 0x94, 0x89, 0xb4, 0xdc, 0xf4]);
        let (state, bits) = generate(ThreeFry, DType::U64, &[5]);
        assert_eq!((state[1], bits[1] as u64), (3, 0xacf8c4dc0b3d7494));
    }

    /// Vectors of the algorithms' reference implementation.
    #[test]
    fn known_answers() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(threefry([0; 2], [0; 2]), [0x6b200159, 0x99ba4efe]);
    }

    #[test]
    fn states_are_checked() {
        let state = |n: usize| Tensor::zeros(DType::U64, Shape::new(&[n])).unwrap();
        for (n, algorithm, ok) in [
            (1, RngAlgorithm::Philox, false),
            (2, RngAlgorithm::Philox, true),
            (3, RngAlgorithm::Philox, true),
            (3, RngAlgorithm::ThreeFry, false),
            (4, RngAlgorithm::Default, false),
        ] {
            let outs =
                [TensorType::new(DType::U64, &[n as i64]), TensorType::new(DType::U32, &[2])];
            assert_eq!(rng_bit_generator(&state(n), algorithm, &outs).is_ok(), ok, "{n}");
        }
    }

    #[test]
    fn distributions_are_what_they_say() {
        let out = TensorType::new(DType::F32, &[20000]);
        let (a, b) = (Tensor::scalar(2.0f32), Tensor::scalar(3.0f32));
        let uniform = rng(&a, &b, RngDistribution::Uniform, 7, &out).unwrap();
        let uniform = uniform.to_f64s().unwrap();
        assert!(uniform.iter().all(|v| (2.0..3.0).contains(v)));
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        assert!((mean(&uniform) - 2.5).abs() < 0.01);
        let normal = rng(&a, &b, RngDistribution::Normal, 7, &out).unwrap().to_f64s().unwrap();
        assert!((mean(&normal) - 2.0).abs() < 0.1);
        let squares: Vec<f64> = normal.iter().map(|v| (v - 2.0).powi(2)).collect();
        assert!((mean(&squares) - 9.0).abs() < 0.4);
        let (a, b) = (Tensor::scalar(-3i8), Tensor::scalar(3i8));
        let out = TensorType::new(DType::I8, &[1000]);
        let ints = rng(&a, &b, RngDistribution::Uniform, 7, &out).unwrap().to_i64s().unwrap();
        assert_eq!((ints.iter().min(), ints.iter().max()), (Some(&-3), Some(&2)));
    }
}
