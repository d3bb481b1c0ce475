//! From tensors to typed slices and back.
//!
//! Loops are written once over a Rust type and picked by element type with a macro, never by a
//! `match` an element. Types without a Rust type of their own (booleans, 2- and 4-bit integers,
//! small floats) appear as the byte that stores them.

use std::borrow::Cow;

use bytemuck::Pod;
use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor};

/// The elements as stored, seen as `T`; borrowed where alignment allows it.
///
/// # Errors
/// INTERNAL when `T` is not as wide as the element type.
pub(crate) fn raw<T: Pod>(tensor: &Tensor) -> Result<Cow<'_, [T]>> {
    if size_of::<T>() != tensor.dtype().size() {
        return Err(Error::internal(format!(
            "elements of type {} are not {} bytes wide",
            tensor.dtype(),
            size_of::<T>()
        )));
    }
    Ok(match bytemuck::try_cast_slice(tensor.bytes()) {
        Ok(slice) => Cow::Borrowed(slice),
        Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(tensor.bytes())),
    })
}

/// A tensor of `dtype` and `shape`, filled by `fill`, which gets a zeroed slice.
///
/// # Errors
/// RESOURCE_EXHAUSTED when it is too large; INTERNAL when `T` is not as wide as `dtype`; those of
/// `fill`.
pub(crate) fn build<T: Pod>(
    dtype: DType,
    shape: &Shape,
    fill: impl FnOnce(&mut [T]) -> Result<()>,
) -> Result<Tensor> {
    let n = shape.checked_elements()?;
    if size_of::<T>() != dtype.size() {
        return Err(Error::internal(format!(
            "elements of type {dtype} are not {} bytes wide",
            size_of::<T>()
        )));
    }
    let mut buffer = AlignedBytes::zeroed(n.saturating_mul(size_of::<T>()))?;
    let slice = bytemuck::try_cast_slice_mut(buffer.as_mut())
        .map_err(|_| Error::internal("a buffer is not aligned"))?;
    fill(slice)?;
    Tensor::new(dtype, shape.clone(), buffer)
}

/// A tensor whose elements are those of `values` in row-major order; missing ones stay zero.
///
/// # Errors
/// As [`build`].
pub(crate) fn collect<T: Pod>(
    dtype: DType,
    shape: &Shape,
    values: impl Iterator<Item = T>,
) -> Result<Tensor> {
    build(dtype, shape, |out| {
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = value;
        }
        Ok(())
    })
}

/// Runs `$body` with `$T` standing for an unsigned type as wide as the elements of `$dtype`: for
/// loops that move elements without looking at them.
macro_rules! by_width {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype.size() {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            8 => {
                type $T = u64;
                $body
            }
            16 => {
                type $T = [u64; 2];
                $body
            }
            _ => Err(::tfjit_base::Error::unimplemented("strings have no place in a program")),
        }
    };
}

pub(crate) use by_width;

/// Steps a multi-dimensional index to its row-major successor; `false` after the last one.
pub(crate) fn advance(index: &mut [usize], shape: &[usize]) -> bool {
    for (i, extent) in index.iter_mut().zip(shape).rev() {
        *i += 1;
        if *i < *extent {
            return true;
        }
        *i = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advance_walks_in_row_major_order() {
        let mut index = [0, 0];
        let mut seen = vec![index];
        while advance(&mut index, &[2, 3]) {
            seen.push(index);
        }
        assert_eq!(seen, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert!(!advance(&mut [], &[]));
    }

    #[test]
    fn widths_are_checked() {
        let t = Tensor::scalar(1.0f32);
        assert!(raw::<u64>(&t).is_err());
        assert_eq!(raw::<u32>(&t).unwrap()[0], 1.0f32.to_bits());
        assert!(build::<u16>(DType::F32, &Shape::scalar(), |_| Ok(())).is_err());
    }
}
