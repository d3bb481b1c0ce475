//! Tensors over the raw bytes of a file.
//!
//! It must not know which file.

use std::borrow::Cow;

use tfjit_base::{AlignedBytes, Bytes, DType, Result, Shape, Tensor};

/// A tensor over `bytes`, shared if they are aligned to the size of an element and copied if not.
///
/// # Errors
/// INVALID_ARGUMENT when the byte count is not that of `shape`; RESOURCE_EXHAUSTED when a copy is
/// needed and too large.
pub(crate) fn tensor(dtype: DType, shape: Shape, bytes: Bytes) -> Result<Tensor> {
    let data = bytes.as_ref();
    let aligned = (data.as_ptr() as usize).is_multiple_of(dtype.size().max(1));
    let bytes: Bytes = match canonical(dtype, data) {
        Cow::Owned(data) => AlignedBytes::copy_of(&data)?.into(),
        Cow::Borrowed(data) if !aligned => AlignedBytes::copy_of(data)?.into(),
        Cow::Borrowed(_) => bytes,
    };
    Tensor::new(dtype, shape, bytes)
}

/// Bytes as tensors want them: booleans are 0 or 1, and the unused bits of narrow elements, which
/// TensorFlow leaves as they come, are clear or copies of the sign.
fn canonical(dtype: DType, data: &[u8]) -> Cow<'_, [u8]> {
    let unused = 8 - dtype.bits().min(8) as u32;
    let fix = |byte: u8| match dtype {
        DType::Bool => u8::from(byte != 0),
        _ if dtype.is_signed_int() => ((byte << unused) as i8 >> unused) as u8,
        _ => byte << unused >> unused,
    };
    if unused == 0 || data.iter().all(|&byte| fix(byte) == byte) {
        return Cow::Borrowed(data);
    }
    Cow::Owned(data.iter().map(|&byte| fix(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_elements_are_cleaned() {
        assert_eq!(canonical(DType::Bool, &[0, 1, 2]).as_ref(), [0, 1, 1]);
        assert_eq!(canonical(DType::I4, &[0x0f, 0x12, 7]).as_ref(), [0xff, 2, 7]);
        assert_eq!(canonical(DType::U4, &[0xff]).as_ref(), [0x0f]);
        assert!(matches!(canonical(DType::I8, &[0x80]), Cow::Borrowed(_)));
    }
}
