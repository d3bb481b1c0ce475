//! Operations on the bits of elements: `bitcast_convert` and `reduce_precision`.

use tfjit_base::{DType, Error, Result, Shape, Tensor};

use crate::convert::convert;
use crate::math::int::Width;
use crate::typed::{build, by_width, raw};

/// The same bits as elements of `dtype`. When widths differ, the last dimension appears (narrower)
/// or disappears (wider); the element with the smaller index holds the lower bits.
///
/// # Errors
/// INVALID_ARGUMENT when the widths do not divide or the last dimension does not fit.
pub(crate) fn bitcast_convert(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let (from, to) = (x.dtype().bits(), dtype.bits());
    let wrong = || {
        let message = format!("{}{} cannot be seen as {dtype}", x.dtype(), x.shape());
        Error::invalid_argument(message)
    };
    if from == 0 || to == 0 {
        return Err(wrong());
    }
    if from == to {
        return if x.dtype().size() == dtype.size() { recode(x, dtype) } else { Err(wrong()) };
    }
    let mut dims = x.shape().to_vec();
    if from > to {
        if from % to != 0 {
            return Err(wrong());
        }
        dims.push(from / to);
    } else if to % from != 0 || dims.pop() != Some(to / from) {
        return Err(wrong());
    }
    let shape = Shape::from(dims);
    let codes = codes(x)?;
    by_width!(dtype, T => {
        build::<T>(dtype, &shape, |out| {
            let out: &mut [u8] = bytemuck::cast_slice_mut(out);
            let places = out.chunks_exact_mut(dtype.size());
            if from > to {
                let parts = from / to;
                for (i, place) in places.enumerate() {
                    store(codes[i / parts] >> (i % parts * to), dtype, place);
                }
            } else {
                let parts = to / from;
                for (place, group) in places.zip(codes.chunks(parts)) {
                    let joined =
                        group.iter().enumerate().fold(0, |all, (i, c)| all | c << (i * from));
                    store(joined, dtype, place);
                }
            }
            Ok(())
        })
    })
}

/// Elements of the same width, sign-extended anew where the type is narrower than its byte.
fn recode(x: &Tensor, dtype: DType) -> Result<Tensor> {
    if dtype.bits() == dtype.size() * 8 {
        return x.bitcast(dtype);
    }
    let codes = codes(x)?;
    build::<u8>(dtype, x.shape(), |out| {
        for (place, &code) in out.chunks_exact_mut(1).zip(&codes) {
            store(code, dtype, place);
        }
        Ok(())
    })
}

/// The significant bits of each element.
fn codes(x: &Tensor) -> Result<Vec<u128>> {
    let bits = x.dtype().bits();
    let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
    let code = |bytes: &[u8]| {
        bytes.iter().rev().fold(0u128, |all, &byte| all << 8 | u128::from(byte)) & mask
    };
    Ok(x.bytes().chunks_exact(x.dtype().size().max(1)).map(code).collect())
}

/// Writes the low bits of `code` as an element of `dtype`.
fn store(code: u128, dtype: DType, place: &mut [u8]) {
    let code = match Width::of(dtype) {
        Some(width) => width.wrap(code as i128) as u128,
        None if dtype.bits() < 128 => code & ((1 << dtype.bits()) - 1),
        None => code,
    };
    place.copy_from_slice(&code.to_le_bytes()[..place.len()]);
}

/// The bits of a native float, with the layout `reduce` needs.
trait Layout: Copy {
    const MANTISSA: u32;
    const EXPONENT: u32;
}

impl Layout for u32 {
    const MANTISSA: u32 = 23;
    const EXPONENT: u32 = 8;
}

impl Layout for u64 {
    const MANTISSA: u32 = 52;
    const EXPONENT: u32 = 11;
}

/// Rounds to a float with fewer bits of exponent and mantissa: to even; to infinity above its
/// range; to zero below its normal numbers.
///
/// # Errors
/// INVALID_ARGUMENT for other than floats, or for impossible widths.
pub(crate) fn reduce_precision(
    x: &Tensor,
    exponent_bits: i32,
    mantissa_bits: i32,
) -> Result<Tensor> {
    if exponent_bits < 1 || mantissa_bits < 0 {
        return Err(Error::invalid_argument(format!(
            "no float has {exponent_bits} bits of exponent and {mantissa_bits} of mantissa"
        )));
    }
    let (exponent, mantissa) = (exponent_bits as u32, mantissa_bits as u32);
    macro_rules! each {
        ($bits:ty) => {{
            let codes = raw::<$bits>(x)?;
            build::<$bits>(x.dtype(), x.shape(), |out| {
                for (out, &code) in out.iter_mut().zip(codes.iter()) {
                    *out = reduce::<$bits>(u64::from(code), exponent, mantissa) as $bits;
                }
                Ok(())
            })
        }};
    }
    match x.dtype() {
        DType::F32 => each!(u32),
        DType::F64 => each!(u64),
        // Every smaller float is exact in f32, and so is what it rounds to.
        other if other.is_float() => {
            let wide = convert(x, DType::F32)?;
            convert(&reduce_precision(&wide, exponent_bits, mantissa_bits)?, other)
        }
        other => Err(Error::invalid_argument(format!("{other} has no precision to reduce"))),
    }
}

/// One element's bits; `L` tells their layout.
pub(crate) fn reduce_f32(code: u32, exponent: u32, mantissa: u32) -> u32 {
    reduce::<u32>(code.into(), exponent, mantissa) as u32
}

/// As [`reduce_f32`].
pub(crate) fn reduce_f64(code: u64, exponent: u32, mantissa: u32) -> u64 {
    reduce::<u64>(code, exponent, mantissa)
}

fn reduce<L: Layout>(code: u64, exponent: u32, mantissa: u32) -> u64 {
    let sign_bit = 1u64 << (L::MANTISSA + L::EXPONENT);
    let infinity = ((1u64 << L::EXPONENT) - 1) << L::MANTISSA;
    let (sign, mut magnitude) = (code & sign_bit, code & (sign_bit - 1));
    if magnitude > infinity {
        // A format without mantissa has no NaN.
        return if mantissa > 0 { code } else { sign | infinity };
    }
    if mantissa < L::MANTISSA {
        let dropped = L::MANTISSA - mantissa;
        let last = magnitude >> dropped & 1;
        magnitude += last + (1u64 << (dropped - 1)) - 1;
        magnitude &= !((1u64 << dropped) - 1);
    }
    if exponent < L::EXPONENT {
        let bias = (1u64 << (L::EXPONENT - 1)) - 1;
        let reduced = (1u64 << (exponent - 1)) - 1;
        let field = magnitude >> L::MANTISSA;
        if field > bias + reduced {
            magnitude = infinity;
        } else if field <= bias - reduced {
            magnitude = 0;
        }
    }
    sign | magnitude.min(infinity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_split_and_join() {
        let x = Tensor::from_slice(Shape::new(&[2]), &[0x0403_0201u32, 0x0807_0605]).unwrap();
        let bytes = bitcast_convert(&x, DType::U8).unwrap();
        assert_eq!(bytes.shape().dims(), [2, 4]);
        assert_eq!(bytes.bytes(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bitcast_convert(&bytes, DType::U32).unwrap(), x);
        let nibbles = bitcast_convert(&Tensor::scalar(0x7fu8), DType::I4).unwrap();
        assert_eq!(nibbles.to_i64s().unwrap(), [-1, 7]);
        assert_eq!(bitcast_convert(&nibbles, DType::U8).unwrap(), Tensor::scalar(0x7fu8));
        assert!(bitcast_convert(&x, DType::U64).is_ok());
        assert!(bitcast_convert(&Tensor::scalar(1u8), DType::U32).is_err());
        let float = bitcast_convert(&Tensor::scalar(1.0f32), DType::U32).unwrap();
        assert_eq!(float, Tensor::scalar(0x3f80_0000u32));
    }

    #[test]
    fn precision_is_reduced_to_even() {
        let values = [1.0f32 + 2f32.powi(-11), 1.0 + 3.0 * 2f32.powi(-11), 70000.0, 1e-6, -1e-9];
        let x = Tensor::from_slice(Shape::new(&[5]), &values).unwrap();
        let got = reduce_precision(&x, 5, 10).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(got[..3], [1.0, 1.0 + 2f32.powi(-9), f32::INFINITY]);
        assert_eq!(got[3..], [0.0, -0.0]);
        assert!(got[4].is_sign_negative());
        assert_eq!(reduce_precision(&x, 8, 23).unwrap(), x);
        assert_eq!(reduce_precision(&x, 99, 99).unwrap(), x);
        assert!(reduce_precision(&x, 0, 3).is_err());
    }
}
