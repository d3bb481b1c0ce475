//! Sums of tensors of any type, as host kernels need them.

use tfjit_base::{Complex, DType, Element, Error, Result, Tensor, bf16, f16};

/// The sum of two tensors of one type and shape, element by element.
///
/// # Errors
/// INVALID_ARGUMENT when they differ, or are no numbers.
pub(super) fn add(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    fn typed<T: Element>(a: &Tensor, b: &Tensor, add: impl Fn(T, T) -> T) -> Result<Tensor> {
        let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
        let sums: Vec<T> = x.iter().zip(y.iter()).map(|(&x, &y)| add(x, y)).collect();
        Tensor::from_slice(a.shape().clone(), &sums)
    }
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return Err(Error::invalid_argument(format!("{a:?} and {b:?} cannot be added")));
    }
    match a.dtype() {
        DType::F32 => typed::<f32>(a, b, |x, y| x + y),
        DType::F64 => typed::<f64>(a, b, |x, y| x + y),
        DType::F16 => typed::<f16>(a, b, |x, y| x + y),
        DType::BF16 => typed::<bf16>(a, b, |x, y| x + y),
        DType::I8 => typed::<i8>(a, b, i8::wrapping_add),
        DType::I16 => typed::<i16>(a, b, i16::wrapping_add),
        DType::I32 => typed::<i32>(a, b, i32::wrapping_add),
        DType::I64 => typed::<i64>(a, b, i64::wrapping_add),
        DType::U8 => typed::<u8>(a, b, u8::wrapping_add),
        DType::U16 => typed::<u16>(a, b, u16::wrapping_add),
        DType::U32 => typed::<u32>(a, b, u32::wrapping_add),
        DType::U64 => typed::<u64>(a, b, u64::wrapping_add),
        DType::C64 => typed::<Complex<f32>>(a, b, |x, y| x + y),
        DType::C128 => typed::<Complex<f64>>(a, b, |x, y| x + y),
        other => Err(Error::invalid_argument(format!("elements of type {other} have no sum"))),
    }
}
