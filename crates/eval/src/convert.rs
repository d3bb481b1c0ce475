//! Conversion between element types.
//!
//! Elements are read in chunks into the widest type of their family (`i128`, `f64`, pairs of `f64`)
//! and written from there, so that there is one loop a type and not one a pair of types. Every
//! conversion rounds once. Out of range, floats become the nearest integer; NaN becomes zero.

use bytemuck::Pod;
use tfjit_base::{Complex32, Complex64, DType, Error, MiniFloat, Result, Tensor, bf16, f16};

use crate::math::int::Width;
use crate::pick::{to_bf16, to_f16};
use crate::typed::build;

/// Elements converted at a time.
const CHUNK: usize = 512;

/// Reads elements as stored into wide ones.
type Read<W> = fn(DType, &[u8], &mut [W]);
/// Writes wide elements as stored.
type Write<W> = fn(DType, &[W], &mut [u8]);

/// Converts a run of elements as stored.
pub(crate) type Converter = Box<dyn Fn(&[u8], &mut [u8])>;

/// How elements of a type are read.
enum Source {
    Int(Read<i128>),
    Float(Read<f64>),
    Complex(Read<Complex64>),
}

/// `x` with elements of type `dtype`.
///
/// # Errors
/// INVALID_ARGUMENT for strings, RESOURCE_EXHAUSTED when the result is too large.
pub(crate) fn convert(x: &Tensor, dtype: DType) -> Result<Tensor> {
    if x.dtype() == dtype {
        return Ok(x.clone());
    }
    let convert = converter(x.dtype(), dtype)?;
    crate::typed::by_width!(dtype, T => {
        build::<T>(dtype, x.shape(), |out| {
            convert(x.bytes(), bytemuck::cast_slice_mut(out));
            Ok(())
        })
    })
}

/// The function that converts a run of stored elements.
pub(crate) fn converter(from: DType, to: DType) -> Result<Converter> {
    let refuse = || Error::invalid_argument(format!("{from} does not convert to {to}"));
    let source = source(from).ok_or_else(refuse)?;
    let steps = (from, to);
    Ok(match source {
        Source::Int(read) => {
            let write = write_int(to).ok_or_else(refuse)?;
            Box::new(move |x, out| run(steps, read, write, x, out))
        }
        Source::Float(read) => {
            let write = write_float(to).ok_or_else(refuse)?;
            Box::new(move |x, out| run(steps, read, write, x, out))
        }
        Source::Complex(read) => {
            let write = write_complex(to).ok_or_else(refuse)?;
            Box::new(move |x, out| run(steps, read, write, x, out))
        }
    })
}

fn run<W: Copy + Default>(
    (from, to): (DType, DType),
    read: Read<W>,
    write: Write<W>,
    x: &[u8],
    out: &mut [u8],
) {
    let mut wide = [W::default(); CHUNK];
    for (x, out) in x.chunks(CHUNK * from.size()).zip(out.chunks_mut(CHUNK * to.size())) {
        let wide = &mut wide[..x.len() / from.size()];
        read(from, x, wide);
        write(to, wide, out);
    }
}

fn read<T: Pod, W>(x: &[u8], out: &mut [W], f: impl Fn(T) -> W) {
    for (out, x) in out.iter_mut().zip(x.chunks_exact(size_of::<T>())) {
        *out = f(bytemuck::pod_read_unaligned(x));
    }
}

fn write<T: Pod, W: Copy>(x: &[W], out: &mut [u8], f: impl Fn(W) -> T) {
    for (out, &x) in out.chunks_exact_mut(size_of::<T>()).zip(x) {
        out.copy_from_slice(bytemuck::bytes_of(&f(x)));
    }
}

fn source(dtype: DType) -> Option<Source> {
    use DType::*;
    Some(match dtype {
        Bool => Source::Int(|_, x, out| read(x, out, |v: u8| i128::from(v != 0))),
        I2 | I4 | I8 => Source::Int(|_, x, out| read(x, out, |v: i8| v.into())),
        U2 | U4 | U8 => Source::Int(|_, x, out| read(x, out, |v: u8| v.into())),
        I16 => Source::Int(|_, x, out| read(x, out, |v: i16| v.into())),
        U16 => Source::Int(|_, x, out| read(x, out, |v: u16| v.into())),
        I32 => Source::Int(|_, x, out| read(x, out, |v: i32| v.into())),
        U32 => Source::Int(|_, x, out| read(x, out, |v: u32| v.into())),
        I64 => Source::Int(|_, x, out| read(x, out, |v: i64| v.into())),
        U64 => Source::Int(|_, x, out| read(x, out, |v: u64| v.into())),
        F32 => Source::Float(|_, x, out| read(x, out, |v: f32| v.into())),
        F64 => Source::Float(|_, x, out| read(x, out, |v: f64| v)),
        F16 => Source::Float(|_, x, out| read(x, out, |v: f16| v.into())),
        BF16 => Source::Float(|_, x, out| read(x, out, |v: bf16| v.into())),
        C64 => Source::Complex(|_, x, out| {
            read(x, out, |v: Complex32| Complex64::new(v.re.into(), v.im.into()));
        }),
        C128 => Source::Complex(|_, x, out| read(x, out, |v: Complex64| v)),
        String => return None,
        F4E2M1FN | F6E2M3FN | F6E3M2FN | F8E3M4 | F8E4M3 | F8E4M3FN | F8E4M3FNUZ
        | F8E4M3B11FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0FNU => Source::Float(|dtype, x, out| {
            if let Some(mini) = MiniFloat::of(dtype) {
                read(x, out, |v: u8| mini.decode(v).into());
            }
        }),
    })
}

fn write_int(dtype: DType) -> Option<Write<i128>> {
    use DType::*;
    Some(match dtype {
        Bool => |_, x, out| write(x, out, |v| u8::from(v != 0)),
        I2 | I4 | U2 | U4 => |dtype, x, out| {
            if let Some(width) = Width::of(dtype) {
                write(x, out, |v| width.wrap(v) as u8);
            }
        },
        I8 | U8 => |_, x, out| write(x, out, |v| v as u8),
        I16 | U16 => |_, x, out| write(x, out, |v| v as u16),
        I32 | U32 => |_, x, out| write(x, out, |v| v as u32),
        I64 | U64 => |_, x, out| write(x, out, |v| v as u64),
        F32 => |_, x, out| write(x, out, |v| v as f32),
        F64 => |_, x, out| write(x, out, |v| v as f64),
        F16 => |_, x, out| write(x, out, |v| to_f16(odd(v))),
        BF16 => |_, x, out| write(x, out, |v| to_bf16(odd(v))),
        C64 => |_, x, out| write(x, out, |v| Complex32::new(v as f32, 0.0)),
        C128 => |_, x, out| write(x, out, |v| Complex64::new(v as f64, 0.0)),
        String => return None,
        F4E2M1FN | F6E2M3FN | F6E3M2FN | F8E3M4 | F8E4M3 | F8E4M3FN | F8E4M3FNUZ
        | F8E4M3B11FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0FNU => |dtype, x, out| {
            if let Some(mini) = MiniFloat::of(dtype) {
                write(x, out, |v| mini.encode_f64(odd(v)));
            }
        },
    })
}

/// A 64-bit integer as `f64`, rounded to odd so that a second rounding is harmless.
fn odd(v: i128) -> f64 {
    let magnitude = v.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let lost = magnitude & ((1 << excess) - 1) != 0;
    let kept = (magnitude >> excess | u128::from(lost)) << excess;
    let value = kept as f64;
    if v < 0 { -value } else { value }
}

fn write_float(dtype: DType) -> Option<Write<f64>> {
    use DType::*;
    Some(match dtype {
        Bool => |_, x, out| write(x, out, |v| u8::from(v != 0.0)),
        I2 | I4 | I8 | U2 | U4 | U8 => |dtype, x, out| {
            if let Some(width) = Width::of(dtype) {
                write(x, out, |v| (v as i128).clamp(width.min(), width.max()) as u8);
            }
        },
        I16 => |_, x, out| write(x, out, |v| v as i16),
        U16 => |_, x, out| write(x, out, |v| v as u16),
        I32 => |_, x, out| write(x, out, |v| v as i32),
        U32 => |_, x, out| write(x, out, |v| v as u32),
        I64 => |_, x, out| write(x, out, |v| v as i64),
        U64 => |_, x, out| write(x, out, |v| v as u64),
        F32 => |_, x, out| write(x, out, |v| v as f32),
        F64 => |_, x, out| write(x, out, |v| v),
        F16 => |_, x, out| write(x, out, to_f16),
        BF16 => |_, x, out| write(x, out, to_bf16),
        C64 => |_, x, out| write(x, out, |v| Complex32::new(v as f32, 0.0)),
        C128 => |_, x, out| write(x, out, |v| Complex64::new(v, 0.0)),
        String => return None,
        F4E2M1FN | F6E2M3FN | F6E3M2FN | F8E3M4 | F8E4M3 | F8E4M3FN | F8E4M3FNUZ
        | F8E4M3B11FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0FNU => |dtype, x, out| {
            if let Some(mini) = MiniFloat::of(dtype) {
                write(x, out, |v| mini.encode_f64(v));
            }
        },
    })
}

/// Real types take the real part.
fn write_complex(dtype: DType) -> Option<Write<Complex64>> {
    Some(match dtype {
        DType::C64 => {
            |_, x, out| write(x, out, |v: Complex64| Complex32::new(v.re as f32, v.im as f32))
        }
        DType::C128 => |_, x, out| write(x, out, |v| v),
        DType::Bool => |_, x, out| {
            write(x, out, |v: Complex64| u8::from(v.re != 0.0 || v.im != 0.0));
        },
        other => {
            write_float(other)?;
            |dtype, x, out| {
                let mut real = [0.0; CHUNK];
                let real = &mut real[..x.len().min(CHUNK)];
                for (real, x) in real.iter_mut().zip(x) {
                    *real = x.re;
                }
                if let Some(write) = write_float(dtype) {
                    write(dtype, real, out);
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::Shape;

    fn f(values: &[f64]) -> Tensor {
        Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
    }

    #[test]
    fn floats_saturate_and_nan_is_zero() {
        let x = f(&[1e30, -1e30, f64::NAN, -1.9, 3.9]);
        let to = |t| convert(&x, t).unwrap().to_i64s().unwrap();
        assert_eq!(to(DType::I32), [i32::MAX.into(), i32::MIN.into(), 0, -1, 3]);
        assert_eq!(to(DType::U8), [255, 0, 0, 0, 3]);
        assert_eq!(to(DType::I4), [7, -8, 0, -1, 3]);
        assert_eq!(convert(&x, DType::Bool).unwrap().to_bools().unwrap(), [true; 5]);
    }

    #[test]
    fn integers_wrap_and_round_once() {
        let x = Tensor::from_slice(Shape::new(&[2]), &[300i64, -1]).unwrap();
        assert_eq!(convert(&x, DType::U8).unwrap().to_i64s().unwrap(), [44, 255]);
        assert_eq!(convert(&x, DType::U4).unwrap().to_i64s().unwrap(), [12, 15]);
        // Just above the middle of two f32 neighbours; the double would be exactly in the middle.
        let x = Tensor::scalar((1i64 << 62) + (1 << 38) + 1);
        let got = convert(&x, DType::F32).unwrap().to_f64s().unwrap()[0];
        assert_eq!(got, 2f64.powi(62) + 2f64.powi(39));
        let x = Tensor::scalar((1i64 << 62) + (1 << 54) + 1);
        let got = convert(&x, DType::BF16).unwrap().to_f64s().unwrap()[0];
        assert_eq!(got, 2f64.powi(62) + 2f64.powi(55));
    }

    #[test]
    fn every_pair_of_types_converts() {
        for from in DType::ALL {
            for to in DType::ALL {
                if from == DType::String || to == DType::String {
                    continue;
                }
                let x = convert(&Tensor::scalar(1i32), from).unwrap();
                let y = convert(&x, to).unwrap();
                let one = convert(&Tensor::scalar(1i32), to).unwrap();
                // Two bits hold no signed one.
                if from != DType::I2 && to != DType::I2 {
                    assert_eq!(y, one, "{from} to {to}");
                }
            }
        }
        assert!(convert(&Tensor::scalar(1i32), DType::String).is_err());
    }

    #[test]
    fn long_tensors_pass_chunk_by_chunk() {
        let values: Vec<i32> = (0..1300).collect();
        let x = Tensor::from_slice(Shape::new(&[1300]), &values).unwrap();
        let there = convert(&x, DType::C128).unwrap();
        assert_eq!(convert(&there, DType::I32).unwrap(), x);
    }
}
