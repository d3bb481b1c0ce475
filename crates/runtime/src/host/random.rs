//! Random numbers of ops with a state: Philox, as TensorFlow's kernels draw them.
//!
//! The state is the kernel's own, so that a program draws other numbers in every run. Without a
//! seed it starts from that of the first step.

use std::sync::{Mutex, PoisonError};

use tfjit_base::{DType, Error, Result, Shape, Tensor, bf16, f16, limits};
use tfjit_model::Node;

use super::HostRow;
use super::tensors::{ints, tensor};
use crate::{Kernel, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("RandomStandardNormal", "numbers of the normal distribution", Kind::Normal),
    row("RandomUniform", "numbers from 0 up to 1", Kind::Uniform),
    row("RandomUniformInt", "integers of a range", Kind::Int),
    row("TruncatedNormal", "numbers of the normal distribution within 2", Kind::Truncated),
];

const fn row(name: &'static str, doc: &'static str, kind: Kind) -> HostRow {
    let make: fn(&Node) -> Result<Box<dyn Kernel>> = match kind {
        Kind::Uniform => |node| make(node, Kind::Uniform),
        Kind::Int => |node| make(node, Kind::Int),
        Kind::Normal => |node| make(node, Kind::Normal),
        Kind::Truncated => |node| make(node, Kind::Truncated),
    };
    HostRow { name, doc, make }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Uniform,
    Int,
    Normal,
    Truncated,
}

/// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
#[derive(Clone, Debug)]
struct Philox {
    counter: u128,
    key: u64,
    block: [u32; 4],
    used: usize,
}

impl Philox {
    /// TensorFlow: the first seed is the key, the second the upper half of the counter.
    fn new(seed: u64, seed2: u64) -> Philox {
        Philox { counter: u128::from(seed2) << 64, key: seed, block: [0; 4], used: 4 }
    }

    fn draw(&mut self) -> [u32; 4] {
        let mut c = [0, 32, 64, 96].map(|shift| (self.counter >> shift) as u32);
        let mut key = [self.key as u32, (self.key >> 32) as u32];
        for _ in 0..10 {
            let a = u64::from(c[0]) * 0xD251_1F53;
            let b = u64::from(c[2]) * 0xCD9E_8D57;
            c = [
                (b >> 32) as u32 ^ c[1] ^ key[0],
                b as u32,
                (a >> 32) as u32 ^ c[3] ^ key[1],
                a as u32,
            ];
            key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
        }
        self.counter = self.counter.wrapping_add(1);
        c
    }

    fn next(&mut self) -> u32 {
        if self.used == 4 {
            self.block = self.draw();
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    fn next64(&mut self) -> u64 {
        let low = u64::from(self.next());
        low | u64::from(self.next()) << 32
    }

    fn float(&mut self) -> f32 {
        f32::from_bits((self.next() & 0x7f_ffff) | 127 << 23) - 1.0
    }

    fn double(&mut self) -> f64 {
        f64::from_bits((self.next64() & 0xf_ffff_ffff_ffff) | 1023 << 52) - 1.0
    }

    /// Two normal numbers of two uniform ones (Box and Muller).
    fn normals(&mut self, double: bool) -> [f64; 2] {
        let (u, v) = match double {
            true => (self.double().max(1e-7), self.double()),
            false => (f64::from(self.float().max(1e-7)), f64::from(self.float())),
        };
        let (radius, angle) = ((-2.0 * u.ln()).sqrt(), std::f64::consts::TAU * v);
        [angle.sin() * radius, angle.cos() * radius]
    }
}

/// Blocks that TensorFlow sets aside for one element, whatever it needs.
const RESERVED: u128 = 256;

#[derive(Debug)]
struct Random {
    kind: Kind,
    dtype: DType,
    seeds: (u64, u64),
    state: Mutex<Option<Philox>>,
}

fn make(node: &Node, kind: Kind) -> Result<Box<dyn Kernel>> {
    let attr = if matches!(kind, Kind::Int) { "Tout" } else { "dtype" };
    let dtype = node.attr_dtype(attr)?;
    let seeds = (node.attr_int("seed")? as u64, node.attr_int("seed2")? as u64);
    Ok(Box::new(Random { kind, dtype, seeds, state: Mutex::new(None) }))
}

impl Random {
    /// A generator for `count` elements, which nobody else gets.
    fn reserve(&self, count: usize, context: &StepContext<'_>) -> Philox {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let generator = state.get_or_insert_with(|| match self.seeds {
            (0, 0) => Philox::new(context.step.seed(), context.step.id()),
            (seed, seed2) => Philox::new(seed, seed2),
        });
        let own = generator.clone();
        generator.counter = generator.counter.wrapping_add(count as u128 * RESERVED);
        own
    }

    fn floats(&self, count: usize, generator: &mut Philox) -> Vec<f64> {
        let double = self.dtype == DType::F64;
        match self.kind {
            Kind::Uniform | Kind::Int => (0..count)
                .map(|_| match self.dtype {
                    DType::F64 => generator.double(),
                    // As many bits as the type has behind the point.
                    DType::F16 => f64::from(generator.next() & 0x3ff) / 1024.0,
                    DType::BF16 => f64::from(generator.next() & 0x7f) / 128.0,
                    _ => f64::from(generator.float()),
                })
                .collect(),
            Kind::Normal => {
                let mut out = Vec::with_capacity(count + 1);
                while out.len() < count {
                    out.extend(generator.normals(double));
                }
                out.truncate(count);
                out
            }
            Kind::Truncated => {
                let mut out = Vec::with_capacity(count + 1);
                while out.len() < count {
                    out.extend(generator.normals(double).into_iter().filter(|x| x.abs() < 2.0));
                }
                out.truncate(count);
                out
            }
        }
    }
}

impl Kernel for Random {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let shape = Shape::from_i64(&tensor(inputs, 0)?.to_i64s()?)?;
        let count = shape.checked_elements()?;
        if count.saturating_mul(16) > limits::TENSOR_BYTES_MAX {
            return Err(Error::resource_exhausted(format!("{count} random numbers")));
        }
        let mut generator = self.reserve(count, context);
        let out = match (self.kind, self.dtype) {
            (Kind::Int, dtype) => {
                let bound =
                    |i| tensor(inputs, i)?.to_i64s().map(|v| v.first().copied().unwrap_or(0));
                let (low, high) = (bound(1)?, bound(2)?);
                if low >= high {
                    return Err(Error::invalid_argument(format!(
                        "Need minval < maxval, got {low} >= {high}"
                    )));
                }
                let range = high.wrapping_sub(low) as u64;
                let wide = dtype == DType::I64;
                let values: Vec<i64> = (0..count)
                    .map(|_| {
                        let bits = if wide { generator.next64() } else { generator.next().into() };
                        low.wrapping_add((bits % range) as i64)
                    })
                    .collect();
                ints(dtype, shape, &values)?
            }
            (_, DType::F64) => Tensor::from_slice(shape, &self.floats(count, &mut generator))?,
            (_, dtype) => {
                let values = self.floats(count, &mut generator);
                match dtype {
                    DType::F16 => {
                        let v: Vec<f16> = values.into_iter().map(f16::from_f64).collect();
                        Tensor::from_slice(shape, &v)?
                    }
                    DType::BF16 => {
                        let v: Vec<bf16> = values.into_iter().map(bf16::from_f64).collect();
                        Tensor::from_slice(shape, &v)?
                    }
                    _ => {
                        let v: Vec<f32> = values.into_iter().map(|x| x as f32).collect();
                        Tensor::from_slice(shape, &v)?
                    }
                }
            }
        };
        Ok(vec![Value::Tensor(out)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_numbers() {
        let mut generator = Philox::new(0, 0);
        assert_eq!(generator.draw(), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        let mut all = Philox::new(u64::MAX, u64::MAX);
        all.counter = u128::MAX;
        assert_eq!(all.draw(), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
    }
}
