//! Picking the scalar function of an operation and element type, once for a whole loop.
//!
//! A loop is a visitor: it gets the function over the stored type and runs it over as many elements
//! as it likes. Tensors, reductions, windows and compiled regions are all visitors, so that each
//! operation is written exactly once. Only sums, products and extremes of the common types are
//! specialised; everything else is called through a pointer.

use std::cmp::Ordering;

use bytemuck::Pod;
use tfjit_base::{Complex32, Complex64, DType, Error, MiniFloat, Result, bf16, f16};
use tfjit_hlo::{Binary, CompareType, Direction, Unary};

use crate::math::order::{Code, next_after};
use crate::math::{complex, float, int};

/// A loop over a function of one element.
pub(crate) trait Visit1 {
    /// What the loop makes.
    type Out;
    /// Runs the loop.
    fn visit<T: Pod, U: Pod>(self, f: impl Fn(T) -> U + Copy + 'static) -> Self::Out;
}

/// A loop over a function of two elements of one type.
pub(crate) trait Visit2 {
    /// What the loop makes.
    type Out;
    /// Runs the loop.
    fn visit<T: Pod, U: Pod>(self, f: impl Fn(T, T) -> U + Copy + 'static) -> Self::Out;
}

/// A loop over a function of two elements whose result has their type.
pub(crate) trait Fold {
    /// What the loop makes.
    type Out;
    /// Runs the loop.
    fn visit<T: Pod>(self, f: impl Fn(T, T) -> T + Copy + 'static) -> Self::Out;
}

/// A [`Visit2`] as a [`Fold`].
struct Folded<V>(V);

impl<V: Visit2> Fold for Folded<V> {
    type Out = V::Out;
    fn visit<T: Pod>(self, f: impl Fn(T, T) -> T + Copy + 'static) -> V::Out {
        self.0.visit::<T, T>(f)
    }
}

fn no_such(name: &str, dtype: DType) -> Error {
    Error::invalid_argument(format!("{name} is not defined for elements of type {dtype}"))
}

/// `value` rounded once to `f16`.
pub(crate) fn to_f16(value: f64) -> f16 {
    f16::from_f32(to_f32_odd(value))
}

/// `value` rounded once to `bf16`.
pub(crate) fn to_bf16(value: f64) -> bf16 {
    bf16::from_f32(to_f32_odd(value))
}

/// `value` rounded to odd: a later rounding to fewer bits is then as good as a direct one.
fn to_f32_odd(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) == value || !near.is_finite() && !value.is_finite() {
        return near;
    }
    let bits = near.to_bits();
    if bits & 1 == 1 {
        return near;
    }
    // The even neighbour was chosen; the odd one lies on the other side of the exact value.
    if f64::from(near).abs() < value.abs() {
        f32::from_bits(bits + 1)
    } else {
        f32::from_bits(bits - 1)
    }
}

/// Matches an integer `$dtype`, with `$T` the type that stores it.
macro_rules! by_int {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        match $dtype {
            DType::I2 | DType::I4 | DType::I8 => {
                type $T = i8;
                $body
            }
            DType::U2 | DType::U4 | DType::U8 => {
                type $T = u8;
                $body
            }
            DType::I16 => {
                type $T = i16;
                $body
            }
            DType::U16 => {
                type $T = u16;
                $body
            }
            DType::I32 => {
                type $T = i32;
                $body
            }
            DType::U32 => {
                type $T = u32;
                $body
            }
            DType::I64 => {
                type $T = i64;
                $body
            }
            DType::U64 => {
                type $T = u64;
                $body
            }
            _ => $other,
        }
    };
}

/// The element type of `op`'s result.
pub(crate) fn unary_dtype(op: Unary, dtype: DType) -> DType {
    match op {
        Unary::IsFinite | Unary::IsInf | Unary::IsNegInf | Unary::IsPosInf => DType::Bool,
        Unary::Abs | Unary::Real | Unary::Imag => dtype.real(),
        _ => dtype,
    }
}

/// The element type of `op`'s result.
pub(crate) fn binary_dtype(op: Binary, dtype: DType) -> DType {
    match (op, dtype) {
        (Binary::Complex, DType::F32) => DType::C64,
        (Binary::Complex, DType::F64) => DType::C128,
        _ => dtype,
    }
}

/// Runs `visitor` over `op` on elements of type `dtype`.
///
/// # Errors
/// INVALID_ARGUMENT when the operation is not defined for the type.
pub(crate) fn unary<V: Visit1>(op: Unary, dtype: DType, visitor: V) -> Result<V::Out> {
    let missing = || no_such(op.text(), dtype);
    if dtype == DType::Bool && op == Unary::Not {
        return Ok(visitor.visit(|x: u8| u8::from(x == 0)));
    }
    if dtype.is_complex() {
        return unary_complex(op, dtype, visitor).ok_or_else(missing);
    }
    if dtype.is_float() {
        return unary_float(op, dtype, visitor).ok_or_else(missing);
    }
    let width = int::Width::of(dtype).filter(|_| dtype.is_int()).ok_or_else(missing)?;
    let f = int::unary(op).ok_or_else(missing)?;
    by_int!(dtype, T => {
        Ok(visitor.visit(move |x: T| width.wrap(f(x.into(), width)) as T))
    }, else Err(missing()))
}

fn unary_float<V: Visit1>(op: Unary, dtype: DType, visitor: V) -> Option<V::Out> {
    if let Some(f) = float::test(op) {
        return Some(match dtype {
            DType::F64 => visitor.visit(move |x: f64| u8::from(f(x))),
            DType::F32 => visitor.visit(move |x: f32| u8::from(f(x.into()))),
            DType::F16 => visitor.visit(move |x: f16| u8::from(f(x.into()))),
            DType::BF16 => visitor.visit(move |x: bf16| u8::from(f(x.into()))),
            _ => {
                let mini = MiniFloat::of(dtype)?;
                visitor.visit(move |x: u8| u8::from(f(mini.decode(x).into())))
            }
        });
    }
    let f = float::unary(op)?;
    Some(match dtype {
        DType::F64 => visitor.visit(f),
        DType::F32 => visitor.visit(move |x: f32| f(x.into()) as f32),
        DType::F16 => visitor.visit(move |x: f16| to_f16(f(x.into()))),
        DType::BF16 => visitor.visit(move |x: bf16| to_bf16(f(x.into()))),
        _ => {
            let mini = MiniFloat::of(dtype)?;
            visitor.visit(move |x: u8| mini.encode_f64(f(mini.decode(x).into())))
        }
    })
}

fn widen(z: Complex32) -> Complex64 {
    Complex64::new(z.re.into(), z.im.into())
}

fn narrow(z: Complex64) -> Complex32 {
    Complex32::new(z.re as f32, z.im as f32)
}

fn unary_complex<V: Visit1>(op: Unary, dtype: DType, visitor: V) -> Option<V::Out> {
    if let Some(f) = complex::to_real(op) {
        return Some(match dtype {
            DType::C64 => visitor.visit(move |z: Complex32| f(widen(z)) as f32),
            _ => visitor.visit(f),
        });
    }
    let f = complex::unary(op)?;
    Some(match dtype {
        DType::C64 => visitor.visit(move |z: Complex32| narrow(f(widen(z)))),
        _ => visitor.visit(f),
    })
}

/// Runs `visitor` over `op` on pairs of elements of type `dtype`.
///
/// # Errors
/// INVALID_ARGUMENT when the operation is not defined for the type.
pub(crate) fn binary<V: Visit2>(op: Binary, dtype: DType, visitor: V) -> Result<V::Out> {
    match (op, dtype) {
        (Binary::Complex, DType::F32) => Ok(visitor.visit::<f32, Complex32>(Complex32::new)),
        (Binary::Complex, DType::F64) => Ok(visitor.visit::<f64, Complex64>(Complex64::new)),
        _ => fold(op, dtype, Folded(visitor)),
    }
}

/// As [`binary`], for the operations whose result has the operands' type: all but `complex`.
///
/// # Errors
/// INVALID_ARGUMENT when the operation is not defined for the type.
pub(crate) fn fold<V: Fold>(op: Binary, dtype: DType, visitor: V) -> Result<V::Out> {
    let out = if dtype == DType::Bool {
        fold_bool(op, visitor)
    } else if dtype.is_int() {
        fold_int(op, dtype, visitor)
    } else if dtype.is_complex() {
        fold_complex(op, dtype, visitor)
    } else {
        match dtype {
            DType::F32 => fold_f32(op, visitor),
            DType::F64 => fold_f64(op, visitor),
            _ => fold_small(op, dtype, visitor),
        }
    };
    out.ok_or_else(|| no_such(op.text(), dtype))
}

/// Booleans add by `or` and multiply by `and`.
fn fold_bool<V: Fold>(op: Binary, visitor: V) -> Option<V::Out> {
    let f: fn(bool, bool) -> bool = match op {
        Binary::Add | Binary::Or | Binary::Maximum => |x, y| x | y,
        Binary::Multiply | Binary::And | Binary::Minimum => |x, y| x & y,
        Binary::Xor => |x, y| x ^ y,
        _ => return None,
    };
    Some(visitor.visit(move |x: u8, y: u8| u8::from(f(x != 0, y != 0))))
}

fn fold_int<V: Fold>(op: Binary, dtype: DType, visitor: V) -> Option<V::Out> {
    let width = int::Width::of(dtype)?;
    let f = int::binary(op)?;
    let full = dtype.bits() == dtype.size() * 8;
    // A pointer keeps the number of loops down to one a type.
    by_int!(dtype, T => {
        let native: Option<fn(T, T) -> T> = match op {
            Binary::Add if full => Some(T::wrapping_add),
            Binary::Multiply if full => Some(T::wrapping_mul),
            Binary::Maximum => Some(T::max),
            Binary::Minimum => Some(T::min),
            _ => None,
        };
        Some(visitor.visit(move |x: T, y: T| match native {
            Some(native) => native(x, y),
            None => width.wrap(f(x.into(), y.into(), width)) as T,
        }))
    }, else None)
}

/// The operations that loops over native floats are specialised for.
macro_rules! fold_native {
    ($name:ident, $t:ty) => {
        fn $name<V: Fold>(op: Binary, visitor: V) -> Option<V::Out> {
            let native: Option<fn($t, $t) -> $t> = match op {
                Binary::Subtract => Some(|x, y| x - y),
                Binary::Divide => Some(|x, y| x / y),
                Binary::Minimum => Some(float::smaller::<$t>),
                Binary::NextAfter => Some(|x, y| {
                    let next = next_after(x.to_bits(), x.into(), y.into());
                    next.map_or(if x == y { y } else { x + y }, <$t>::from_bits)
                }),
                _ => None,
            };
            Some(match (op, native) {
                (Binary::Add, _) => visitor.visit(|x: $t, y: $t| x + y),
                (Binary::Multiply, _) => visitor.visit(|x: $t, y: $t| x * y),
                (Binary::Maximum, _) => visitor.visit(float::larger::<$t>),
                (_, Some(native)) => visitor.visit(native),
                (_, None) => {
                    let f = float::binary(op)?;
                    visitor.visit(move |x: $t, y: $t| f(x.into(), y.into()) as $t)
                }
            })
        }
    };
}
fold_native!(fold_f32, f32);
fold_native!(fold_f64, f64);

fn fold_small<V: Fold>(op: Binary, dtype: DType, visitor: V) -> Option<V::Out> {
    macro_rules! next {
        ($t:ident) => {
            visitor.visit(|x: $t, y: $t| {
                let next = next_after(x.to_bits(), x.into(), y.into());
                next.map_or(if x == y { y } else { x + y }, $t::from_bits)
            })
        };
    }
    match (op, dtype) {
        (Binary::NextAfter, DType::F16) => return Some(next!(f16)),
        (Binary::NextAfter, DType::BF16) => return Some(next!(bf16)),
        _ => {}
    }
    let f = float::binary(op)?;
    Some(match dtype {
        DType::F16 => visitor.visit(move |x: f16, y: f16| to_f16(f(x.into(), y.into()))),
        DType::BF16 => visitor.visit(move |x: bf16, y: bf16| to_bf16(f(x.into(), y.into()))),
        _ => {
            let mini = MiniFloat::of(dtype)?;
            visitor.visit(move |x: u8, y: u8| {
                mini.encode_f64(f(mini.decode(x).into(), mini.decode(y).into()))
            })
        }
    })
}

fn fold_complex<V: Fold>(op: Binary, dtype: DType, visitor: V) -> Option<V::Out> {
    macro_rules! native {
        ($t:ty) => {{
            let f: Option<fn($t, $t) -> $t> = match op {
                Binary::Add => Some(|x, y| x + y),
                Binary::Subtract => Some(|x, y| x - y),
                Binary::Multiply => Some(|x, y| x * y),
                _ => None,
            };
            if let Some(f) = f {
                return Some(visitor.visit(f));
            }
        }};
    }
    if dtype == DType::C64 {
        native!(Complex32);
        let f = complex::binary(op)?;
        return Some(
            visitor.visit(move |x: Complex32, y: Complex32| narrow(f(widen(x), widen(y)))),
        );
    }
    native!(Complex64);
    Some(visitor.visit(complex::binary(op)?))
}

/// Runs `visitor` over a comparison, whose result is a boolean's byte.
///
/// # Errors
/// INVALID_ARGUMENT when the comparison is not defined for the type.
pub(crate) fn compare<V: Visit2>(
    direction: Direction,
    compare_type: CompareType,
    dtype: DType,
    visitor: V,
) -> Result<V::Out> {
    let missing = || no_such(&format!("a comparison by {direction}"), dtype);
    let accept = accepted(direction);
    let judge =
        move |order: Option<Ordering>| accept[order.map_or(3, |order| (order as i8 + 1) as usize)];
    if dtype.is_float() {
        let total = compare_type == CompareType::TotalOrder;
        return compare_float(total, dtype, judge, visitor).ok_or_else(missing);
    }
    if dtype.is_complex() {
        if !matches!(direction, Direction::Eq | Direction::Ne) {
            return Err(missing());
        }
        let equal = move |same: bool| judge(same.then_some(Ordering::Equal));
        return Ok(match dtype {
            DType::C64 => visitor.visit(move |x: Complex32, y: Complex32| equal(x == y)),
            _ => visitor.visit(move |x: Complex64, y: Complex64| equal(x == y)),
        });
    }
    if dtype == DType::Bool {
        return Ok(visitor.visit(move |x: u8, y: u8| judge(Some((x != 0).cmp(&(y != 0))))));
    }
    by_int!(dtype, T => {
        Ok(visitor.visit(move |x: T, y: T| judge(Some(x.cmp(&y)))))
    }, else Err(missing()))
}

/// The answers for less, equal, greater and unordered.
fn accepted(direction: Direction) -> [u8; 4] {
    match direction {
        Direction::Eq => [0, 1, 0, 0],
        Direction::Ne => [1, 0, 1, 1],
        Direction::Ge => [0, 1, 1, 0],
        Direction::Gt => [0, 0, 1, 0],
        Direction::Le => [1, 1, 0, 0],
        Direction::Lt => [1, 0, 0, 0],
    }
}

fn compare_float<V: Visit2>(
    total: bool,
    dtype: DType,
    judge: impl Fn(Option<Ordering>) -> u8 + Copy + 'static,
    visitor: V,
) -> Option<V::Out> {
    macro_rules! by_order {
        ($t:ty) => {
            if total {
                visitor.visit(move |x: $t, y: $t| {
                    judge(Some(x.to_bits().total_key().cmp(&y.to_bits().total_key())))
                })
            } else {
                visitor.visit(move |x: $t, y: $t| judge(x.partial_cmp(&y)))
            }
        };
    }
    Some(match dtype {
        DType::F64 => by_order!(f64),
        DType::F32 => by_order!(f32),
        DType::F16 => by_order!(f16),
        DType::BF16 => by_order!(bf16),
        _ => {
            let mini = MiniFloat::of(dtype)?;
            let key = move |x: u8| mini.decode(x).to_bits().total_key();
            if total {
                visitor.visit(move |x: u8, y: u8| judge(Some(key(x).cmp(&key(y)))))
            } else {
                visitor
                    .visit(move |x: u8, y: u8| judge(mini.decode(x).partial_cmp(&mini.decode(y))))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_floats_round_once() {
        // A hair above the middle of two neighbours: f32 would be the middle itself.
        let x = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(to_f16(x).to_f64(), 1.0 + 2f64.powi(-10));
        assert_eq!(to_f16(-x).to_f64(), -1.0 - 2f64.powi(-10));
        let x = 1.0 + 2f64.powi(-8) - 2f64.powi(-40);
        assert_eq!(to_bf16(x).to_f64(), 1.0);
        assert_eq!(to_bf16(1e300).to_f64(), f64::INFINITY);
        assert_eq!(to_f16(65519.99999).to_f64(), 65504.0);
        assert!(to_f16(f64::NAN).is_nan());
        assert_eq!(to_f16(1e-300).to_bits(), 0);
    }
}
