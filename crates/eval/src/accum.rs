//! The types sums of products are made in, and how tensors are read into them and written back.
//!
//! 8-, 16- and 32-bit floats are summed in `f32` with fused multiply-adds, as TensorFlow's CPU
//! kernels do, narrow integers in `i32`. Knows nothing of operations.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use tfjit_base::{AlignedBytes, Complex32, Complex64, DType, Error, Result, Shape, Tensor};

use crate::convert::convert;
use crate::typed::collect;

/// Which type a sum of products is made in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccumType {
    /// "Or" of "and"s.
    Bool,
    I32,
    I64,
    F32,
    F64,
    C64,
    C128,
}

impl AccumType {
    /// The type for operands and a result of these element types.
    pub(crate) fn of(types: &[DType]) -> Result<AccumType> {
        let any = |f: fn(DType) -> bool| types.iter().any(|&t| f(t));
        if any(|t| t == DType::String) {
            return Err(Error::invalid_argument("strings cannot be multiplied"));
        }
        let double = any(|t| matches!(t, DType::F64 | DType::C128));
        Ok(if any(DType::is_complex) {
            if double { AccumType::C128 } else { AccumType::C64 }
        } else if any(DType::is_float) {
            if double { AccumType::F64 } else { AccumType::F32 }
        } else if any(DType::is_int) {
            if any(|t| t.size() == 8) { AccumType::I64 } else { AccumType::I32 }
        } else {
            AccumType::Bool
        })
    }
}

/// Runs `$body` with `$T` standing for the Rust type of an [`AccumType`].
macro_rules! by_accum {
    ($accum:expr, $T:ident => $body:expr) => {
        match $accum {
            $crate::accum::AccumType::Bool => {
                type $T = $crate::accum::Bit;
                $body
            }
            $crate::accum::AccumType::I32 => {
                type $T = i32;
                $body
            }
            $crate::accum::AccumType::I64 => {
                type $T = i64;
                $body
            }
            $crate::accum::AccumType::F32 => {
                type $T = f32;
                $body
            }
            $crate::accum::AccumType::C64 => {
                type $T = ::tfjit_base::Complex32;
                $body
            }
            $crate::accum::AccumType::F64 => {
                type $T = f64;
                $body
            }
            $crate::accum::AccumType::C128 => {
                type $T = ::tfjit_base::Complex64;
                $body
            }
        }
    };
}

pub(crate) use by_accum;

/// A type that sums of products are made in.
pub(crate) trait Accum: Pod {
    /// The element type that stores it.
    const DTYPE: DType;
    /// Rows of a register tile: as many as leave room for the sums in sixteen 16-byte registers.
    const TILE_ROWS: usize;
    /// The sum of two.
    fn plus(self, other: Self) -> Self;
    /// The product of two.
    fn times(self, other: Self) -> Self;
    /// `self + a * b`, for `f32` with one rounding: a product of two `f32` is exact in `f64`.
    fn fused(self, a: Self, b: Self) -> Self {
        self.plus(a.times(b))
    }
}

/// A boolean sum: a byte that is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct Bit(u8);

impl Accum for Bit {
    const DTYPE: DType = DType::Bool;
    const TILE_ROWS: usize = 4;
    fn plus(self, other: Bit) -> Bit {
        Bit(self.0 | other.0)
    }
    fn times(self, other: Bit) -> Bit {
        Bit(self.0 & other.0)
    }
}

macro_rules! accum {
    ($($t:ty, $dtype:ident, $rows:literal, |$a:ident, $b:ident| $plus:expr, $times:expr;)*) => {$(
        impl Accum for $t {
            const DTYPE: DType = DType::$dtype;
            const TILE_ROWS: usize = $rows;
            fn plus(self, $b: $t) -> $t {
                let $a = self;
                $plus
            }
            fn times(self, $b: $t) -> $t {
                let $a = self;
                $times
            }
        }
    )*};
}
impl Accum for f32 {
    const DTYPE: DType = DType::F32;
    const TILE_ROWS: usize = 2;
    fn plus(self, other: f32) -> f32 {
        self + other
    }
    fn times(self, other: f32) -> f32 {
        self * other
    }
    fn fused(self, a: f32, b: f32) -> f32 {
        (f64::from(a) * f64::from(b) + f64::from(self)) as f32
    }
}

accum! {
    i32, I32, 4, |a, b| a.wrapping_add(b), a.wrapping_mul(b);
    i64, I64, 2, |a, b| a.wrapping_add(b), a.wrapping_mul(b);
    f64, F64, 2, |a, b| a + b, a * b;
    Complex32, C64, 1, |a, b| a + b, a * b;
    Complex64, C128, 1, |a, b| a + b, a * b;
}

/// `tensor` converted to the type of the sum; the same data where only signs are read differently.
pub(crate) fn load<T: Accum>(tensor: &Tensor) -> Result<Tensor> {
    reinterpreted(tensor, T::DTYPE)
}

/// The tensor of `dtype` that `values` make, converted.
pub(crate) fn store<T: Accum>(dtype: DType, shape: &Shape, values: Buffer<T>) -> Result<Tensor> {
    reinterpreted(&Tensor::new(T::DTYPE, shape.clone(), values.bytes)?, dtype)
}

/// Wrapping sums and products have the same bits with and without a sign.
fn reinterpreted(tensor: &Tensor, dtype: DType) -> Result<Tensor> {
    let full = |t: DType| t.is_int() && t.bits() == t.size() * 8;
    if full(tensor.dtype()) && full(dtype) && tensor.dtype().size() == dtype.size() {
        return tensor.bitcast(dtype);
    }
    convert(tensor, dtype)
}

/// The elements of any real or complex tensor.
pub(crate) fn to_complex(tensor: &Tensor) -> Result<Vec<Complex64>> {
    convert(tensor, DType::C128)?.to_vec()
}

/// A tensor of a complex type from complex values.
pub(crate) fn from_complex(
    dtype: DType,
    shape: &Shape,
    values: impl Iterator<Item = Complex64>,
) -> Result<Tensor> {
    convert(&collect(DType::C128, shape, values)?, dtype)
}

/// A tensor of a real type from `f64`s, rounded once.
pub(crate) fn from_f64s(
    dtype: DType,
    shape: &Shape,
    values: impl Iterator<Item = f64>,
) -> Result<Tensor> {
    convert(&collect(DType::F64, shape, values)?, dtype)
}

/// A tensor of an integer type from `i64`s that wrap.
pub(crate) fn from_i64s(
    dtype: DType,
    shape: &Shape,
    values: impl Iterator<Item = i64>,
) -> Result<Tensor> {
    convert(&collect(DType::I64, shape, values)?, dtype)
}

/// A zeroed slice that is allocated within the limits and becomes a tensor without a copy.
pub(crate) struct Buffer<T> {
    bytes: AlignedBytes,
    element: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when that is too large.
    pub(crate) fn zeroed(len: usize) -> Result<Buffer<T>> {
        let bytes = AlignedBytes::zeroed(len.saturating_mul(size_of::<T>()))?;
        Ok(Buffer { bytes, element: PhantomData })
    }
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(self.bytes.as_ref())
    }
}

impl<T: Pod> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(self.bytes.as_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_type_decides() {
        use DType::*;
        let of = |t: &[DType]| AccumType::of(t).unwrap();
        assert_eq!(of(&[BF16, BF16, BF16]), AccumType::F32);
        assert_eq!(of(&[I8, I8, F64]), AccumType::F64);
        assert_eq!(of(&[I4, I8, I32]), AccumType::I32);
        assert_eq!(of(&[I32, I32, I64]), AccumType::I64);
        assert_eq!(of(&[C64, F64, C128]), AccumType::C128);
        assert_eq!(of(&[Bool, Bool, Bool]), AccumType::Bool);
        assert!(AccumType::of(&[String, F32]).is_err());
    }

    #[test]
    fn integers_wrap_and_floats_saturate() {
        let shape = Shape::new(&[3]);
        let wrapped = from_i64s(DType::I4, &shape, [7, 8, -9].into_iter()).unwrap();
        assert_eq!(wrapped.to_i64s().unwrap(), [7, -8, 7]);
        let clamped = from_f64s(DType::U8, &shape, [-1.0, 300.0, f64::NAN].into_iter()).unwrap();
        assert_eq!(clamped.to_i64s().unwrap(), [0, 255, 0]);
        let u32s = Tensor::from_slice(shape, &[1u32, u32::MAX, 7]).unwrap();
        assert_eq!(load::<i32>(&u32s).unwrap().to_i64s().unwrap(), [1, -1, 7]);
    }
}
