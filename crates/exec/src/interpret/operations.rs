//! What instructions do to blocks of lanes. `Pred` lanes are bytes 0 or 1.

use tfjit_plan::kernel::{Binary, Compare, Lane, Unary};

use super::memory::narrow;

/// NaN when one is NaN; -0 is less than 0.
macro_rules! min_float {
    ($t:ty, $a:expr, $b:expr) => {{
        let (a, b): ($t, $t) = ($a, $b);
        let less = if a < b { a } else { b };
        let least = if a == b { <$t>::from_bits(a.to_bits() | b.to_bits()) } else { less };
        if a != a { a } else { least }
    }};
}
/// NaN when one is NaN; -0 is less than 0.
macro_rules! max_float {
    ($t:ty, $a:expr, $b:expr) => {{
        let (a, b): ($t, $t) = ($a, $b);
        let more = if a > b { a } else { b };
        let most = if a == b { <$t>::from_bits(a.to_bits() & b.to_bits()) } else { more };
        if a != a { a } else { most }
    }};
}
pub(super) use {max_float, min_float};

/// # Safety
/// `to` and `a` are different slots, of `R` and `A`.
#[inline(always)]
unsafe fn map<A: Copy, R: Copy>(to: *mut u64, a: *const u64, n: usize, f: impl Fn(A) -> R) {
    // SAFETY: the caller's promise.
    let (to, a) = unsafe {
        (std::slice::from_raw_parts_mut(to.cast::<R>(), n), std::slice::from_raw_parts(a.cast(), n))
    };
    for (to, a) in to.iter_mut().zip(a) {
        *to = f(*a);
    }
}

/// An operand: a block, or one value for all lanes.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) at: *const u64,
    pub(super) single: bool,
}

impl Operand {
    /// # Safety
    /// The operand holds at least one lane of `A`.
    #[inline(always)]
    unsafe fn first<A: Copy>(self) -> A {
        // SAFETY: the caller's promise.
        unsafe { self.at.cast::<A>().read() }
    }

    /// # Safety
    /// The operand is a block of at least `n` lanes of `A`, or a single value and `n` is 1.
    #[inline(always)]
    unsafe fn lanes<'a, A: Copy>(self, n: usize) -> &'a [A] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.at.cast(), n) }
    }
}

/// # Safety
/// `to` has room for `n` lanes of `R`, which nobody else uses.
#[inline(always)]
unsafe fn result<'a, R>(to: *mut u64, n: usize) -> &'a mut [R] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(to.cast(), n) }
}

/// # Safety
/// `to` is another slot than `a` and `b`; of `R` and `A`.
#[inline(always)]
unsafe fn zip<A: Copy, R: Copy>(
    to: *mut u64,
    a: Operand,
    b: Operand,
    n: usize,
    f: impl Fn(A, A) -> R,
) {
    // SAFETY: the caller's promise; where all operands are single, `n` is 1.
    unsafe {
        let to = result::<R>(to, n);
        if n == 1 {
            to[0] = f(a.first(), b.first());
        } else if b.single {
            let b = b.first();
            to.iter_mut().zip(a.lanes(n)).for_each(|(to, a)| *to = f(*a, b));
        } else if a.single {
            let a = a.first();
            to.iter_mut().zip(b.lanes(n)).for_each(|(to, b)| *to = f(a, *b));
        } else {
            let pairs = a.lanes(n).iter().zip(b.lanes(n));
            to.iter_mut().zip(pairs).for_each(|(to, (a, b))| *to = f(*a, *b));
        }
    }
}

/// # Safety
/// `to` is a slot.
#[inline(always)]
pub(super) unsafe fn splat(ty: Lane, to: *mut u64, bits: u64, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match ty.bytes() {
            1 => std::slice::from_raw_parts_mut(to.cast::<u8>(), n).fill(bits as u8 & 1),
            4 => std::slice::from_raw_parts_mut(to.cast::<u32>(), n).fill(bits as u32),
            _ => std::slice::from_raw_parts_mut(to, n).fill(bits),
        }
    }
}

/// The bits of the first lane.
///
/// # Safety
/// `slot` is a slot.
#[inline(always)]
pub(super) unsafe fn first(ty: Lane, slot: *const u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        match ty.bytes() {
            1 => u64::from(slot.cast::<u8>().read()),
            4 => u64::from(slot.cast::<u32>().read()),
            _ => slot.read(),
        }
    }
}

/// # Safety
/// `to` is a slot.
#[inline(always)]
pub(super) unsafe fn column(to: *mut u64, first: i32, n: usize) {
    // SAFETY: the caller's promise.
    let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<i32>(), n) };
    for (i, to) in to.iter_mut().enumerate() {
        *to = first.wrapping_add(i as i32);
    }
}

/// # Safety
/// `to` and `a` are different slots.
#[inline(always)]
pub(super) unsafe fn unary(unary: Unary, ty: Lane, to: *mut u64, a: *const u64, n: usize) {
    macro_rules! float {
        ($t:ty) => {
            match unary {
                Unary::Neg => map(to, a, n, |x: $t| -x),
                Unary::Abs => map(to, a, n, |x: $t| x.abs()),
                Unary::Sqrt => map(to, a, n, |x: $t| x.sqrt()),
                Unary::Floor => map(to, a, n, |x: $t| x.floor()),
                Unary::Ceil => map(to, a, n, |x: $t| x.ceil()),
                Unary::Trunc => map(to, a, n, |x: $t| x.trunc()),
                Unary::RoundEven => map(to, a, n, |x: $t| x.round_ties_even()),
                Unary::Narrow(dtype) => narrow(dtype, to, a, n),
                // Expansion leaves nothing else.
                _ => {}
            }
        };
    }
    macro_rules! int {
        ($t:ty, $abs:expr) => {
            match unary {
                Unary::Neg => map(to, a, n, |x: $t| x.wrapping_neg()),
                Unary::Abs => map(to, a, n, $abs),
                Unary::Not => map(to, a, n, |x: $t| !x),
                Unary::Narrow(dtype) => narrow(dtype, to, a, n),
                _ => {}
            }
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match ty {
            Lane::F32 => float!(f32),
            Lane::F64 => float!(f64),
            Lane::I32 => int!(i32, |x: i32| x.wrapping_abs()),
            Lane::I64 => int!(i64, |x: i64| x.wrapping_abs()),
            Lane::U32 => int!(u32, |x: u32| x),
            Lane::U64 => int!(u64, |x: u64| x),
            Lane::Pred => map(to, a, n, |x: u8| x ^ 1),
        }
    }
}

macro_rules! float_binary {
    ($t:ty, $binary:expr, $to:expr, $a:expr, $b:expr, $n:expr) => {{
        let (to, a, b, n) = ($to, $a, $b, $n);
        match $binary {
            Binary::Add => zip(to, a, b, n, |x: $t, y: $t| x + y),
            Binary::Sub => zip(to, a, b, n, |x: $t, y: $t| x - y),
            Binary::Mul => zip(to, a, b, n, |x: $t, y: $t| x * y),
            Binary::Div => zip(to, a, b, n, |x: $t, y: $t| x / y),
            Binary::Rem => zip(to, a, b, n, |x: $t, y: $t| x % y),
            Binary::Min => zip(to, a, b, n, |x: $t, y: $t| min_float!($t, x, y)),
            Binary::Max => zip(to, a, b, n, |x: $t, y: $t| max_float!($t, x, y)),
            Binary::MinFast => zip(to, a, b, n, |x: $t, y: $t| if x < y { x } else { y }),
            Binary::MaxFast => zip(to, a, b, n, |x: $t, y: $t| if x > y { x } else { y }),
            // Expansion leaves nothing else.
            _ => {}
        }
    }};
}

macro_rules! int_binary {
    ($t:ty, $signed:ty, $unsigned:ty, $binary:expr, $to:expr, $a:expr, $b:expr, $n:expr) => {{
        const WIDTH: $unsigned = <$t>::BITS as $unsigned;
        let (to, a, b, n) = ($to, $a, $b, $n);
        match $binary {
            Binary::Add => zip(to, a, b, n, |x: $t, y: $t| x.wrapping_add(y)),
            Binary::Sub => zip(to, a, b, n, |x: $t, y: $t| x.wrapping_sub(y)),
            Binary::Mul => zip(to, a, b, n, |x: $t, y: $t| x.wrapping_mul(y)),
            Binary::Div => {
                zip(to, a, b, n, |x: $t, y: $t| if y == 0 { !0 } else { x.wrapping_div(y) });
            }
            Binary::Rem => {
                zip(to, a, b, n, |x: $t, y: $t| if y == 0 { x } else { x.wrapping_rem(y) });
            }
            Binary::Min => zip(to, a, b, n, |x: $t, y: $t| x.min(y)),
            Binary::Max => zip(to, a, b, n, |x: $t, y: $t| x.max(y)),
            Binary::And => zip(to, a, b, n, |x: $t, y: $t| x & y),
            Binary::Or => zip(to, a, b, n, |x: $t, y: $t| x | y),
            Binary::Xor => zip(to, a, b, n, |x: $t, y: $t| x ^ y),
            Binary::Shl => zip(
                to,
                a,
                b,
                n,
                |x: $unsigned, y: $unsigned| {
                    if y < WIDTH { x << (y % WIDTH) } else { 0 }
                },
            ),
            Binary::ShrLogical => zip(
                to,
                a,
                b,
                n,
                |x: $unsigned, y: $unsigned| {
                    if y < WIDTH { x >> (y % WIDTH) } else { 0 }
                },
            ),
            Binary::ShrArithmetic => zip(to, a, b, n, |x: $unsigned, y: $unsigned| {
                (x as $signed >> y.min(WIDTH - 1)) as $unsigned
            }),
            _ => {}
        }
    }};
}

/// # Safety
/// `to` is another slot than the operands.
#[inline(always)]
pub(super) unsafe fn binary(
    binary: Binary,
    ty: Lane,
    to: *mut u64,
    a: Operand,
    b: Operand,
    n: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match ty {
            Lane::F32 => float_binary!(f32, binary, to, a, b, n),
            Lane::F64 => float_binary!(f64, binary, to, a, b, n),
            Lane::I32 => int_binary!(i32, i32, u32, binary, to, a, b, n),
            Lane::U32 => int_binary!(u32, i32, u32, binary, to, a, b, n),
            Lane::I64 => int_binary!(i64, i64, u64, binary, to, a, b, n),
            Lane::U64 => int_binary!(u64, i64, u64, binary, to, a, b, n),
            Lane::Pred => match binary {
                Binary::Or => zip(to, a, b, n, |x: u8, y: u8| x | y),
                Binary::Xor => zip(to, a, b, n, |x: u8, y: u8| x ^ y),
                _ => zip(to, a, b, n, |x: u8, y: u8| x & y),
            },
        }
    }
}

/// # Safety
/// `to` is another slot than the operands.
#[inline(always)]
pub(super) unsafe fn compare(
    compare: Compare,
    ty: Lane,
    to: *mut u64,
    a: Operand,
    b: Operand,
    n: usize,
) {
    macro_rules! of {
        ($t:ty) => {
            match compare {
                Compare::Eq => zip(to, a, b, n, |x: $t, y: $t| u8::from(x == y)),
                Compare::Ne => zip(to, a, b, n, |x: $t, y: $t| u8::from(x != y)),
                Compare::Lt => zip(to, a, b, n, |x: $t, y: $t| u8::from(x < y)),
                Compare::Le => zip(to, a, b, n, |x: $t, y: $t| u8::from(x <= y)),
                Compare::Gt => zip(to, a, b, n, |x: $t, y: $t| u8::from(x > y)),
                Compare::Ge => zip(to, a, b, n, |x: $t, y: $t| u8::from(x >= y)),
            }
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match ty {
            Lane::Pred => of!(u8),
            Lane::I32 => of!(i32),
            Lane::U32 => of!(u32),
            Lane::I64 => of!(i64),
            Lane::U64 => of!(u64),
            Lane::F32 => of!(f32),
            Lane::F64 => of!(f64),
        }
    }
}

/// # Safety
/// `to` is another slot than the operands.
#[inline(always)]
pub(super) unsafe fn fma(ty: Lane, to: *mut u64, [a, b, c]: [Operand; 3], n: usize) {
    // The factors may change places.
    let (a, b) = if a.single { (b, a) } else { (a, b) };
    macro_rules! of {
        ($t:ty) => {{
            let f = |a: $t, b: $t, c: $t| a.mul_add(b, c);
            let to = result::<$t>(to, n);
            if n == 1 {
                to[0] = f(a.first(), b.first(), c.first());
            } else if a.single {
                let (a, b) = (a.first(), b.first());
                to.iter_mut().zip(c.lanes(n)).for_each(|(to, c)| *to = f(a, b, *c));
            } else if b.single && c.single {
                let (b, c) = (b.first(), c.first());
                to.iter_mut().zip(a.lanes(n)).for_each(|(to, a)| *to = f(*a, b, c));
            } else if b.single {
                let (b, pairs) = (b.first(), a.lanes(n).iter().zip(c.lanes(n)));
                to.iter_mut().zip(pairs).for_each(|(to, (a, c))| *to = f(*a, b, *c));
            } else if c.single {
                let (c, pairs) = (c.first(), a.lanes(n).iter().zip(b.lanes(n)));
                to.iter_mut().zip(pairs).for_each(|(to, (a, b))| *to = f(*a, *b, c));
            } else {
                let all = a.lanes(n).iter().zip(b.lanes(n)).zip(c.lanes(n));
                to.iter_mut().zip(all).for_each(|(to, ((a, b), c))| *to = f(*a, *b, *c));
            }
        }};
    }
    // SAFETY: the caller's promise; where all operands are single, `n` is 1.
    unsafe { if ty == Lane::F32 { of!(f32) } else { of!(f64) } }
}

/// # Safety
/// `to` is another slot than the operands.
#[inline(always)]
pub(super) unsafe fn select(ty: Lane, to: *mut u64, [p, a, b]: [Operand; 3], n: usize) {
    macro_rules! of {
        ($t:ty) => {{
            // With bits rather than a choice, which stays a loop over single lanes.
            let f = |p: u8, a: $t, b: $t| b ^ ((a ^ b) & <$t>::from(p).wrapping_neg());
            let to = result::<$t>(to, n);
            if n == 1 {
                to[0] = f(p.first(), a.first(), b.first());
            } else if p.single {
                let chosen = if p.first::<u8>() != 0 { a } else { b };
                if chosen.single {
                    to.fill(chosen.first());
                } else {
                    to.copy_from_slice(chosen.lanes(n));
                }
            } else if a.single && b.single {
                let (a, b) = (a.first(), b.first());
                to.iter_mut().zip(p.lanes(n)).for_each(|(to, p)| *to = f(*p, a, b));
            } else if a.single {
                let (a, pairs) = (a.first(), p.lanes(n).iter().zip(b.lanes(n)));
                to.iter_mut().zip(pairs).for_each(|(to, (p, b))| *to = f(*p, a, *b));
            } else if b.single {
                let (b, pairs) = (b.first(), p.lanes(n).iter().zip(a.lanes(n)));
                to.iter_mut().zip(pairs).for_each(|(to, (p, a))| *to = f(*p, *a, b));
            } else {
                let all = p.lanes(n).iter().zip(a.lanes(n)).zip(b.lanes(n));
                to.iter_mut().zip(all).for_each(|(to, ((p, a), b))| *to = f(*p, *a, *b));
            }
        }};
    }
    // SAFETY: the caller's promise; where all operands are single, `n` is 1.
    unsafe {
        match ty.bytes() {
            1 => of!(u8),
            4 => of!(u32),
            _ => of!(u64),
        }
    }
}

/// # Safety
/// `to` and `a` are different slots.
#[inline(always)]
pub(super) unsafe fn convert(from: Lane, ty: Lane, to: *mut u64, a: *const u64, n: usize) {
    macro_rules! to_number {
        ($a:ty) => {
            match ty {
                Lane::Pred => map(to, a, n, |x: $a| u8::from(x != <$a>::default())),
                Lane::I32 => map(to, a, n, |x: $a| x as i32),
                Lane::U32 => map(to, a, n, |x: $a| x as u32),
                Lane::I64 => map(to, a, n, |x: $a| x as i64),
                Lane::U64 => map(to, a, n, |x: $a| x as u64),
                Lane::F32 => map(to, a, n, |x: $a| x as f32),
                Lane::F64 => map(to, a, n, |x: $a| x as f64),
            }
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match from {
            Lane::Pred => to_number!(u8),
            Lane::I32 => to_number!(i32),
            Lane::U32 => to_number!(u32),
            Lane::I64 => to_number!(i64),
            Lane::U64 => to_number!(u64),
            Lane::F32 => to_number!(f32),
            Lane::F64 => to_number!(f64),
        }
    }
}
