//! Flushing of subnormal numbers to zero, as processors do in the mode launches run in.
//!
//! Arithmetic sees subnormal operands as zeros of their sign and returns such zeros instead of
//! subnormal results. Moving, selecting, negating and looking at bits is not arithmetic.

use std::borrow::Cow;

use tfjit_base::{DType, Result, Tensor};
use tfjit_hlo::{Binary, Class, Op, Unary};

use crate::reducer::Cell;

/// Whether `op` is arithmetic in this sense.
pub(crate) fn flushes(op: &Op) -> bool {
    match op {
        Op::Unary(op) => !matches!(
            op,
            Unary::Abs
                | Unary::Conj
                | Unary::Imag
                | Unary::IsFinite
                | Unary::IsInf
                | Unary::IsNegInf
                | Unary::IsPosInf
                | Unary::Negate
                | Unary::Not
                | Unary::Real
        ),
        Op::Binary(op) => !matches!(
            op,
            Binary::Complex | Binary::And | Binary::Or | Binary::Xor | Binary::NextAfter
        ),
        Op::Select | Op::BitcastConvert | Op::Sort { .. } | Op::TopK { .. } => false,
        op => matches!(
            op.row().class,
            Class::Elementwise | Class::Reduce | Class::Contract | Class::Library
        ),
    }
}

/// Bits below which a magnitude is subnormal, and the bits without the sign.
trait Bits: Copy {
    fn flushed(self) -> Self;
    fn is_subnormal(self) -> bool;
}

macro_rules! bits {
    ($($t:ty, $mantissa:literal);*) => {$(
        impl Bits for $t {
            fn flushed(self) -> $t {
                if self.is_subnormal() { self & !(<$t>::MAX >> 1) } else { self }
            }
            fn is_subnormal(self) -> bool {
                let magnitude = self & (<$t>::MAX >> 1);
                magnitude != 0 && magnitude < 1 << $mantissa
            }
        }
    )*};
}
bits!(u16, 7; u32, 23; u64, 52);

/// Makes subnormal numbers zero among the elements that `raw` holds.
pub(crate) fn in_place(dtype: DType, raw: &mut [u8]) {
    fn each<T: Bits + bytemuck::Pod>(raw: &mut [u8]) {
        for element in raw.chunks_exact_mut(size_of::<T>()) {
            let code: T = bytemuck::pod_read_unaligned(element);
            element.copy_from_slice(bytemuck::bytes_of(&code.flushed()));
        }
    }
    match dtype {
        DType::BF16 => each::<u16>(raw),
        DType::F32 | DType::C64 => each::<u32>(raw),
        DType::F64 | DType::C128 => each::<u64>(raw),
        _ => {}
    }
}

/// The tensor with subnormal numbers made zero; the same data when there are none.
///
/// Half precision is left alone: its subnormals are normal in the `f32` it is computed in.
pub(crate) fn tensor(x: &Tensor) -> Result<Tensor> {
    fn each<T: Bits + bytemuck::Pod>(x: &Tensor) -> Result<Tensor> {
        let codes: Cow<'_, [T]> = match bytemuck::try_cast_slice(x.bytes()) {
            Ok(codes) => Cow::Borrowed(codes),
            Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(x.bytes())),
        };
        if !codes.iter().any(|code| code.is_subnormal()) {
            return Ok(x.clone());
        }
        let flushed: Vec<T> = codes.iter().map(|code| code.flushed()).collect();
        Tensor::from_raw(x.dtype(), x.shape().clone(), bytemuck::cast_slice(&flushed))
    }
    match x.dtype() {
        DType::BF16 => each::<u16>(x),
        DType::F32 | DType::C64 => each::<u32>(x),
        DType::F64 | DType::C128 => each::<u64>(x),
        _ => Ok(x.clone()),
    }
}

/// The function that does the same to one element; `None` where there is nothing to do.
pub(crate) fn cell(dtype: DType) -> Option<fn(Cell) -> Cell> {
    Some(match dtype {
        DType::BF16 => |c| Cell::of(c.get::<u16>().flushed()),
        DType::F32 => |c| Cell::of(c.get::<u32>().flushed()),
        DType::F64 => |c| Cell::of(c.get::<u64>().flushed()),
        DType::C64 => |c| Cell::of(c.get::<[u32; 2]>().map(Bits::flushed)),
        DType::C128 => |c| Cell::of(c.get::<[u64; 2]>().map(Bits::flushed)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{Complex32, Shape};

    #[test]
    fn only_subnormals_change() {
        let values = [1e-40f32, -1e-40, 1e-30, 0.0, f32::NAN, f32::INFINITY];
        let x = Tensor::from_slice(Shape::new(&[6]), &values).unwrap();
        let got = tensor(&x).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(got[..4], [0.0, -0.0, 1e-30, 0.0]);
        assert!(got[1].is_sign_negative() && got[4].is_nan() && got[5].is_infinite());
        let z = Tensor::scalar(Complex32::new(1.0, 1e-40));
        assert_eq!(tensor(&z).unwrap(), Tensor::scalar(Complex32::new(1.0, 0.0)));
        let cell = cell(DType::F64).unwrap()(Cell::of(-1e-310f64));
        assert_eq!(cell.get::<f64>().to_bits(), (-0.0f64).to_bits());
    }
}
