//! Element types, the types their sums are made in, and how the one becomes the other.
//!
//! Narrow floats are summed in `f32` and rounded once, narrow integers in `i32` and cut off.

use tfjit_base::{DType, bf16, f16};

/// The type of sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sum {
    F32,
    F64,
    I32,
    I64,
}

impl Sum {
    /// In which type products of `dtype` are summed; `None` where kernels have none.
    pub(crate) fn of(dtype: DType) -> Option<Sum> {
        Some(match dtype {
            DType::F32 | DType::BF16 | DType::F16 => Sum::F32,
            DType::F64 => Sum::F64,
            DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 | DType::U32 => Sum::I32,
            DType::I64 | DType::U64 => Sum::I64,
            _ => return None,
        })
    }

    /// Bytes of a sum.
    pub(crate) fn size(self) -> usize {
        match self {
            Sum::F32 | Sum::I32 => 4,
            Sum::F64 | Sum::I64 => 8,
        }
    }
}

/// A type of sums.
pub(crate) trait Acc: Copy + PartialEq + Send + Sync + 'static {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// `self + a * b`, with one rounding where the type's products are fused.
    fn fused(self, a: Self, b: Self) -> Self;
    /// How elements of `dtype` are read.
    fn reader(dtype: DType) -> Option<Reader<Self>>;
    /// How elements of `dtype` are written.
    fn writer(dtype: DType) -> Option<Writer<Self>>;
}

/// Reads elements.
#[derive(Clone, Copy)]
pub(crate) struct Reader<A> {
    /// Bytes of an element.
    pub(crate) size: usize,
    /// Whether elements are sums already.
    pub(crate) same: bool,
    /// Reads some elements that are a number of elements apart.
    pub(crate) read: unsafe fn(*const u8, isize, usize, *mut A),
}

/// Writes elements.
#[derive(Clone, Copy)]
pub(crate) struct Writer<A> {
    /// Bytes of an element.
    pub(crate) size: usize,
    /// Whether elements are sums already.
    pub(crate) same: bool,
    /// Writes some neighbouring elements.
    pub(crate) write: unsafe fn(*const A, usize, *mut u8),
}

/// An element that is summed as `A`.
trait Element<A>: Copy {
    fn widen(self) -> A;
    fn narrow(sum: A) -> Self;
}

/// # Safety
/// `from` has `count` readable elements `stride` elements apart, `to` room for as many.
unsafe fn read<A, E: Element<A>>(from: *const u8, stride: isize, count: usize, to: *mut A) {
    let from = from.cast::<E>();
    for i in 0..count {
        // SAFETY: the caller's promise; elements may be at any address.
        unsafe { to.add(i).write(from.offset(i as isize * stride).read_unaligned().widen()) };
    }
}

/// # Safety
/// `from` has `count` readable elements, `to` room for as many.
unsafe fn write<A: Copy, E: Element<A>>(from: *const A, count: usize, to: *mut u8) {
    let to = to.cast::<E>();
    for i in 0..count {
        // SAFETY: the caller's promise; elements may be at any address.
        unsafe { to.add(i).write_unaligned(E::narrow(from.add(i).read())) };
    }
}

macro_rules! elements {
    ($($acc:ty { $($t:ty = $d:ident $same:literal $widen:expr, $narrow:expr;)* })*) => {$(
        $(impl Element<$acc> for $t {
            #[inline(always)]
            fn widen(self) -> $acc {
                ($widen)(self)
            }
            #[inline(always)]
            fn narrow(sum: $acc) -> $t {
                ($narrow)(sum)
            }
        })*
        impl Tables for $acc {
            fn reader(dtype: DType) -> Option<Reader<$acc>> {
                Some(match dtype {
                    $(DType::$d => Reader {
                        size: size_of::<$t>(),
                        same: $same,
                        read: read::<$acc, $t>,
                    },)*
                    _ => return None,
                })
            }
            fn writer(dtype: DType) -> Option<Writer<$acc>> {
                Some(match dtype {
                    $(DType::$d => Writer {
                        size: size_of::<$t>(),
                        same: $same,
                        write: write::<$acc, $t>,
                    },)*
                    _ => return None,
                })
            }
        }
    )*};
}

/// The readers and writers of a type of sums.
trait Tables: Sized {
    fn reader(dtype: DType) -> Option<Reader<Self>>;
    fn writer(dtype: DType) -> Option<Writer<Self>>;
}

elements! {
    f32 {
        f32 = F32 true |x| x, |x| x;
        bf16 = BF16 false bf16::to_f32, bf16::from_f32;
        f16 = F16 false f16::to_f32, f16::from_f32;
    }
    f64 {
        f64 = F64 true |x| x, |x| x;
    }
    i32 {
        i8 = I8 false i32::from, |x| x as i8;
        i16 = I16 false i32::from, |x| x as i16;
        i32 = I32 true |x| x, |x| x;
        u8 = U8 false i32::from, |x| x as u8;
        u16 = U16 false i32::from, |x| x as u16;
        u32 = U32 true |x| x as i32, |x| x as u32;
    }
    i64 {
        i64 = I64 true |x| x, |x| x;
        u64 = U64 true |x| x as i64, |x| x as u64;
    }
}

macro_rules! accs {
    ($(
        $t:ty, $zero:literal,
        |$x:ident, $a:ident, $b:ident| $plus:expr, $times:expr, $fused:expr;
    )*) => {$(
        impl Acc for $t {
            const ZERO: $t = $zero;
            #[inline(always)]
            fn plus(self, $b: $t) -> $t {
                let $a = self;
                $plus
            }
            #[inline(always)]
            fn times(self, $b: $t) -> $t {
                let $a = self;
                $times
            }
            #[inline(always)]
            fn fused(self, $a: $t, $b: $t) -> $t {
                let $x = self;
                $fused
            }
            fn reader(dtype: DType) -> Option<Reader<$t>> {
                <$t as Tables>::reader(dtype)
            }
            fn writer(dtype: DType) -> Option<Writer<$t>> {
                <$t as Tables>::writer(dtype)
            }
        }
    )*};
}

accs! {
    f32, 0.0, |x, a, b| a + b, a * b, a.mul_add(b, x);
    f64, 0.0, |x, a, b| a + b, a * b, x + a * b;
    i32, 0, |x, a, b| a.wrapping_add(b), a.wrapping_mul(b), x.wrapping_add(a.wrapping_mul(b));
    i64, 0, |x, a, b| a.wrapping_add(b), a.wrapping_mul(b), x.wrapping_add(a.wrapping_mul(b));
}
