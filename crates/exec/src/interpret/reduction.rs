//! Sums and their kin, in the order that kernels document.

use tfjit_plan::kernel::{Axis, Lane, PARTIALS, Reduce};

use super::operations::{max_float, min_float};

/// A type that values are combined in.
trait Combine: Copy {
    fn identity(reduce: Reduce) -> Self;
    fn combine(reduce: Reduce, a: Self, b: Self) -> Self;
}

macro_rules! combine {
    (int: $($t:ty),*) => {$(
        impl Combine for $t {
            #[inline(always)]
            fn identity(reduce: Reduce) -> $t {
                match reduce {
                    Reduce::Sum | Reduce::Or => 0,
                    Reduce::Product => 1,
                    Reduce::Min => <$t>::MAX,
                    Reduce::Max => <$t>::MIN,
                    Reduce::And => !0,
                }
            }
            #[inline(always)]
            fn combine(reduce: Reduce, a: $t, b: $t) -> $t {
                match reduce {
                    Reduce::Sum => a.wrapping_add(b),
                    Reduce::Product => a.wrapping_mul(b),
                    Reduce::Min => a.min(b),
                    Reduce::Max => a.max(b),
                    Reduce::And => a & b,
                    Reduce::Or => a | b,
                }
            }
        }
    )*};
    (float: $($t:ty),*) => {$(
        impl Combine for $t {
            #[inline(always)]
            fn identity(reduce: Reduce) -> $t {
                match reduce {
                    Reduce::Product => 1.0,
                    Reduce::Min => <$t>::INFINITY,
                    Reduce::Max => <$t>::NEG_INFINITY,
                    _ => 0.0,
                }
            }
            #[inline(always)]
            fn combine(reduce: Reduce, a: $t, b: $t) -> $t {
                match reduce {
                    Reduce::Product => a * b,
                    Reduce::Min => min_float!($t, a, b),
                    Reduce::Max => max_float!($t, a, b),
                    _ => a + b,
                }
            }
        }
    )*};
}
combine!(int: i32, u32, i64, u64);
combine!(float: f32, f64);

/// `Pred`, 0 or 1.
impl Combine for u8 {
    #[inline(always)]
    fn identity(reduce: Reduce) -> u8 {
        u8::from(matches!(reduce, Reduce::And | Reduce::Product | Reduce::Min))
    }
    #[inline(always)]
    fn combine(reduce: Reduce, a: u8, b: u8) -> u8 {
        match reduce {
            Reduce::And | Reduce::Product | Reduce::Min => a & b,
            Reduce::Or | Reduce::Sum | Reduce::Max => a | b,
        }
    }
}

macro_rules! by_lane {
    ($ty:expr, $t:ident => $e:expr) => {
        match $ty {
            Lane::Pred => {
                type $t = u8;
                $e
            }
            Lane::I32 => {
                type $t = i32;
                $e
            }
            Lane::U32 => {
                type $t = u32;
                $e
            }
            Lane::I64 => {
                type $t = i64;
                $e
            }
            Lane::U64 => {
                type $t = u64;
                $e
            }
            Lane::F32 => {
                type $t = f32;
                $e
            }
            Lane::F64 => {
                type $t = f64;
                $e
            }
        }
    };
}

/// Sets `n` accumulators, or the partial sums when that is more, to the identity.
///
/// # Safety
/// `to` is a slot.
#[inline(always)]
pub(super) unsafe fn start(reduce: Reduce, ty: Lane, to: *mut u64, n: usize) {
    by_lane!(ty, T => {
        let (to, value) = (to.cast::<T>(), T::identity(reduce));
        for i in 0..n.max(PARTIALS) {
            // SAFETY: the caller's promise.
            unsafe { to.add(i).write(value) };
        }
    });
}

/// Combines `n` values into the accumulators: value `i` into partial sum `i % 32` along columns,
/// and into accumulator `i` along rows.
///
/// # Safety
/// `to` and `from` are different slots.
#[inline(always)]
pub(super) unsafe fn accumulate(
    reduce: Reduce,
    ty: Lane,
    axis: Axis,
    to: *mut u64,
    from: *const u64,
    n: usize,
) {
    macro_rules! one {
        ($r:expr) => {
            by_lane!(ty, T => {
                let (to, from) = (to.cast::<T>(), from.cast::<T>());
                // SAFETY: the caller's promise.
                unsafe {
                    match axis {
                        Axis::Columns => partial_sums::<T>($r, to, from, n),
                        Axis::Rows => add_all::<T>($r, to, from, n),
                    }
                }
            })
        };
    }
    // Constants, so that each has loops of its own.
    match reduce {
        Reduce::Sum => one!(Reduce::Sum),
        Reduce::Product => one!(Reduce::Product),
        Reduce::Min => one!(Reduce::Min),
        Reduce::Max => one!(Reduce::Max),
        Reduce::And => one!(Reduce::And),
        Reduce::Or => one!(Reduce::Or),
    }
}

/// # Safety
/// As [`accumulate`].
#[inline(always)]
unsafe fn add_all<T: Combine>(reduce: Reduce, to: *mut T, from: *const T, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's promise.
        unsafe { to.add(i).write(T::combine(reduce, to.add(i).read(), from.add(i).read())) };
    }
}

/// # Safety
/// As [`accumulate`].
#[inline(always)]
unsafe fn partial_sums<T: Combine>(reduce: Reduce, to: *mut T, from: *const T, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut partials = to.cast::<[T; PARTIALS]>().read();
        for chunk in 0..n / PARTIALS {
            let values = from.add(chunk * PARTIALS).cast::<[T; PARTIALS]>().read();
            for (partial, value) in partials.iter_mut().zip(values) {
                *partial = T::combine(reduce, *partial, value);
            }
        }
        for i in n / PARTIALS * PARTIALS..n {
            let partial = &mut partials[i % PARTIALS];
            *partial = T::combine(reduce, *partial, from.add(i).read());
        }
        to.cast::<[T; PARTIALS]>().write(partials);
    }
}

/// The bits of all partial sums together.
///
/// # Safety
/// `slot` is a slot.
#[inline(always)]
pub(super) unsafe fn finish_columns(reduce: Reduce, ty: Lane, slot: *mut u64) -> u64 {
    by_lane!(ty, T => {
        // SAFETY: the caller's promise.
        let mut partials = unsafe { slot.cast::<[T; PARTIALS]>().read() };
        let mut half = PARTIALS / 2;
        while half > 0 {
            for i in 0..half {
                partials[i] = T::combine(reduce, partials[i], partials[i + half]);
            }
            half /= 2;
        }
        let mut bits = 0u64;
        // SAFETY: no lane is wider than the word.
        unsafe { (&raw mut bits).cast::<T>().write(partials[0]) };
        bits
    })
}
