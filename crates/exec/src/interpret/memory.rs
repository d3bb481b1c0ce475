//! Elements in memory and lanes in slots.

use tfjit_base::{DType, f16};

/// Reads `n` elements that are `stride` bytes apart; widened to the lane type of `dtype`.
///
/// # Safety
/// The elements are readable, and `to` has room for `n` lanes.
#[inline(always)]
pub(super) unsafe fn load(dtype: DType, from: *mut u8, stride: isize, to: *mut u64, n: usize) {
    macro_rules! read {
        ($t:ty, $lane:ty, $f:expr) => {
            // SAFETY: the caller's promise.
            unsafe { read::<$t, $lane>(from, stride, to.cast(), n, $f) }
        };
    }
    match dtype {
        DType::Bool => read!(u8, u8, |x| u8::from(x != 0)),
        DType::I8 => read!(i8, i32, i32::from),
        DType::I16 => read!(i16, i32, i32::from),
        DType::U8 => read!(u8, u32, u32::from),
        DType::U16 => read!(u16, u32, u32::from),
        DType::BF16 => read!(u16, u32, |x| u32::from(x) << 16),
        DType::F16 => read!(f16, f32, f16::to_f32),
        DType::I32 | DType::U32 | DType::F32 => read!(u32, u32, |x| x),
        DType::I64 | DType::U64 | DType::F64 => read!(u64, u64, |x| x),
        _ => {}
    }
}

/// # Safety
/// As [`load`].
#[inline(always)]
unsafe fn read<T: Copy, L: Copy>(
    from: *const u8,
    stride: isize,
    to: *mut L,
    n: usize,
    f: impl Fn(T) -> L,
) {
    // SAFETY: the caller's promise; elements need not be aligned.
    unsafe {
        if stride == size_of::<T>() as isize {
            let from = from.cast::<T>();
            for i in 0..n {
                to.add(i).write(f(from.add(i).read_unaligned()));
            }
        } else if stride == 0 && n > 0 {
            let value = f(from.cast::<T>().read_unaligned());
            for i in 0..n {
                to.add(i).write(value);
            }
        } else {
            for i in 0..n {
                let at = from.offset(i as isize * stride).cast::<T>();
                to.add(i).write(f(at.read_unaligned()));
            }
        }
    }
}

/// Writes `n` elements that are `stride` bytes apart.
///
/// # Safety
/// The elements are writable, and `from` holds `n` lanes of the lane type of `dtype`.
#[inline(always)]
pub(super) unsafe fn store(dtype: DType, to: *mut u8, stride: isize, from: *const u64, n: usize) {
    macro_rules! write {
        ($t:ty, $lane:ty, $f:expr) => {
            // SAFETY: the caller's promise.
            unsafe { write::<$t, $lane>(to, stride, from.cast(), n, $f) }
        };
    }
    match dtype {
        DType::Bool => write!(u8, u8, |x| x),
        DType::I8 | DType::U8 => write!(u8, u32, |x| x as u8),
        DType::I16 | DType::U16 => write!(u16, u32, |x| x as u16),
        DType::BF16 => write!(u16, f32, bf16_bits),
        DType::F16 => write!(f16, f32, f16::from_f32),
        DType::I32 | DType::U32 | DType::F32 => write!(u32, u32, |x| x),
        DType::I64 | DType::U64 | DType::F64 => write!(u64, u64, |x| x),
        _ => {}
    }
}

/// # Safety
/// As [`store`].
#[inline(always)]
unsafe fn write<T: Copy, L: Copy>(
    to: *mut u8,
    stride: isize,
    from: *const L,
    n: usize,
    f: impl Fn(L) -> T,
) {
    // SAFETY: the caller's promise; elements need not be aligned.
    unsafe {
        if stride == size_of::<T>() as isize {
            let to = to.cast::<T>();
            for i in 0..n {
                to.add(i).write_unaligned(f(from.add(i).read()));
            }
        } else {
            for i in 0..n {
                let at = to.offset(i as isize * stride).cast::<T>();
                at.write_unaligned(f(from.add(i).read()));
            }
        }
    }
}

/// A number rounded to `bf16`, to nearest even; NaN stays one and becomes quiet.
#[inline(always)]
pub(super) fn bf16_bits(x: f32) -> u16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1));
    let kept = if x.is_nan() { bits | 0x0040_0000 } else { rounded };
    (kept >> 16) as u16
}

/// As if stored to an element of the narrower type and loaded again; what has no narrower type
/// stays.
///
/// # Safety
/// `from` holds `n` lanes and `to` has room for as many.
#[inline(always)]
pub(super) unsafe fn narrow(dtype: DType, to: *mut u64, from: *const u64, n: usize) {
    macro_rules! map {
        ($lane:ty, $f:expr) => {{
            let (to, from) = (to.cast::<$lane>(), from.cast::<$lane>());
            for i in 0..n {
                // SAFETY: the caller's promise.
                unsafe { to.add(i).write(($f)(from.add(i).read())) };
            }
        }};
    }
    match dtype {
        DType::I8 => map!(i32, |x: i32| i32::from(x as i8)),
        DType::I16 => map!(i32, |x: i32| i32::from(x as i16)),
        DType::U8 => map!(u32, |x: u32| x & 0xff),
        DType::U16 => map!(u32, |x: u32| x & 0xffff),
        DType::BF16 => map!(f32, |x: f32| f32::from_bits(u32::from(bf16_bits(x)) << 16)),
        DType::F16 => map!(f32, |x: f32| f16::from_f32(x).to_f32()),
        // The verifier lets nothing else through.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use tfjit_base::bf16;

    use super::*;

    #[test]
    fn rounding_to_bf16_is_that_of_the_type() {
        for high in 0..=0xffffu32 {
            for low in [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let x = f32::from_bits(high << 16 | low);
                let want = bf16::from_f32(x);
                let got = bf16::from_bits(bf16_bits(x));
                assert!(got == want || got.is_nan() && want.is_nan(), "{x}");
                assert_eq!(got.is_sign_negative(), want.is_sign_negative());
            }
        }
    }
}
