//! Elementwise operations on whole tensors.

use bytemuck::Pod;
use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, CompareType, Direction, Unary};

use crate::moves::splat;
use crate::pick::{self, Visit1, Visit2};
use crate::typed::{build, by_width, raw};

struct Map1<'a> {
    x: &'a Tensor,
    dtype: DType,
}

impl Visit1 for Map1<'_> {
    type Out = Result<Tensor>;
    fn visit<T: Pod, U: Pod>(self, f: impl Fn(T) -> U + Copy + 'static) -> Self::Out {
        let x = raw::<T>(self.x)?;
        build(self.dtype, self.x.shape(), |out| {
            for (out, &x) in out.iter_mut().zip(x.iter()) {
                *out = f(x);
            }
            Ok(())
        })
    }
}

struct Map2<'a> {
    x: &'a Tensor,
    y: &'a Tensor,
    dtype: DType,
}

impl Visit2 for Map2<'_> {
    type Out = Result<Tensor>;
    fn visit<T: Pod, U: Pod>(self, f: impl Fn(T, T) -> U + Copy + 'static) -> Self::Out {
        let (x, y) = (raw::<T>(self.x)?, raw::<T>(self.y)?);
        build(self.dtype, self.x.shape(), |out| {
            for ((out, &x), &y) in out.iter_mut().zip(x.iter()).zip(y.iter()) {
                *out = f(x, y);
            }
            Ok(())
        })
    }
}

fn same_kind(x: &Tensor, y: &Tensor) -> Result<()> {
    if x.dtype() != y.dtype() || x.shape() != y.shape() {
        return Err(Error::invalid_argument(format!(
            "operands {}{} and {}{} differ",
            x.dtype(),
            x.shape(),
            y.dtype(),
            y.shape()
        )));
    }
    Ok(())
}

/// `op` of each element.
///
/// # Errors
/// INVALID_ARGUMENT when the type does not have the operation.
pub(crate) fn unary(op: Unary, x: &Tensor) -> Result<Tensor> {
    let dtype = pick::unary_dtype(op, x.dtype());
    pick::unary(op, x.dtype(), Map1 { x, dtype })?
}

/// `op` of each pair of elements.
///
/// # Errors
/// INVALID_ARGUMENT when the type does not have the operation or the operands differ.
pub(crate) fn binary(op: Binary, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    same_kind(x, y)?;
    let dtype = pick::binary_dtype(op, x.dtype());
    pick::binary(op, x.dtype(), Map2 { x, y, dtype })?
}

/// The comparison of each pair of elements.
///
/// # Errors
/// As [`binary`].
pub(crate) fn compare(
    direction: Direction,
    compare_type: CompareType,
    x: &Tensor,
    y: &Tensor,
) -> Result<Tensor> {
    same_kind(x, y)?;
    pick::compare(direction, compare_type, x.dtype(), Map2 { x, y, dtype: DType::Bool })?
}

/// `pred ? on_true : on_false`; `pred` may be a scalar.
///
/// # Errors
/// INVALID_ARGUMENT when shapes or types do not fit.
pub(crate) fn select(pred: &Tensor, on_true: &Tensor, on_false: &Tensor) -> Result<Tensor> {
    same_kind(on_true, on_false)?;
    if pred.dtype() != DType::Bool {
        return Err(Error::invalid_argument("the predicate of select is not boolean"));
    }
    if pred.shape().rank() == 0 {
        return Ok(if pred.bytes()[0] != 0 { on_true } else { on_false }.clone());
    }
    if pred.shape() != on_true.shape() {
        return Err(Error::invalid_argument(format!(
            "a predicate of shape {} does not select from {}",
            pred.shape(),
            on_true.shape()
        )));
    }
    by_width!(on_true.dtype(), T => {
        let (yes, no) = (raw::<T>(on_true)?, raw::<T>(on_false)?);
        build::<T>(on_true.dtype(), on_true.shape(), |out| {
            let choices = pred.bytes().iter().zip(yes.iter().zip(no.iter()));
            for (out, (&pred, (&yes, &no))) in out.iter_mut().zip(choices) {
                *out = if pred != 0 { yes } else { no };
            }
            Ok(())
        })
    })
}

/// `min(max(x, low), high)`; bounds may be scalars.
///
/// # Errors
/// INVALID_ARGUMENT when shapes or types do not fit.
pub(crate) fn clamp(low: &Tensor, x: &Tensor, high: &Tensor) -> Result<Tensor> {
    let spread = |bound: &Tensor| like(bound, x.shape());
    let raised = binary(Binary::Maximum, x, &spread(low)?)?;
    binary(Binary::Minimum, &raised, &spread(high)?)
}

/// A scalar spread over `shape`; other tensors as they are.
fn like(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    if x.shape().rank() == 0 && shape.rank() > 0 { splat(x, shape) } else { Ok(x.clone()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::f16;

    fn v(values: &[f32]) -> Tensor {
        Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
    }

    #[test]
    fn every_operation_has_a_type() {
        // Each operation must be defined for one of these, or nothing could ever run it.
        let kinds = [DType::F32, DType::I32, DType::Bool, DType::C64];
        for &op in Unary::ALL {
            let some = kinds
                .iter()
                .any(|&dtype| unary(op, &Tensor::zeros(dtype, Shape::new(&[2])).unwrap()).is_ok());
            assert!(some, "{op}");
        }
        for &op in Binary::ALL {
            let some = kinds.iter().any(|&dtype| {
                let x = Tensor::zeros(dtype, Shape::new(&[2])).unwrap();
                binary(op, &x, &x).is_ok()
            });
            assert!(some, "{op}");
        }
    }

    #[test]
    fn types_without_an_operation_refuse_it() {
        let ints = Tensor::scalar(1i32);
        assert!(unary(Unary::Exponential, &ints).is_err());
        assert!(binary(Binary::Xor, &v(&[1.0]), &v(&[1.0])).is_err());
        assert!(binary(Binary::Add, &v(&[1.0]), &v(&[1.0, 2.0])).is_err());
        let text = Tensor::strings(Shape::scalar(), vec![vec![]]).unwrap();
        assert!(unary(Unary::Abs, &text).is_err());
        assert!(select(&Tensor::scalar_bool(true), &text, &text).is_ok());
    }

    #[test]
    fn narrow_integers_wrap() {
        let x = Tensor::from_raw(DType::I4, Shape::new(&[2]), &[7, 0xf8]).unwrap();
        assert_eq!(binary(Binary::Add, &x, &x).unwrap().to_i64s().unwrap(), [-2, 0]);
        assert_eq!(unary(Unary::Negate, &x).unwrap().to_i64s().unwrap(), [-7, -8]);
        let x = Tensor::from_raw(DType::U4, Shape::scalar(), &[3]).unwrap();
        assert_eq!(unary(Unary::Not, &x).unwrap().to_i64s().unwrap(), [12]);
    }

    #[test]
    fn halves_round_after_each_operation() {
        let x = Tensor::scalar(f16::from_f32(2048.0));
        let y = Tensor::scalar(f16::from_f32(1.0));
        let sum = binary(Binary::Add, &x, &y).unwrap();
        assert_eq!(sum.to_f64s().unwrap(), [2048.0]);
    }

    #[test]
    fn clamp_and_select() {
        let (low, high) = (Tensor::scalar(-1.0f32), Tensor::scalar(1.0f32));
        let got = clamp(&low, &v(&[-5.0, 0.5, 5.0, f32::NAN]), &high).unwrap().to_vec::<f32>();
        let got = got.unwrap();
        assert_eq!(got[..3], [-1.0, 0.5, 1.0]);
        assert!(got[3].is_nan());
        let pred = Tensor::from_bools(Shape::new(&[2]), &[true, false]).unwrap();
        let got = select(&pred, &v(&[1.0, 2.0]), &v(&[3.0, 4.0])).unwrap();
        assert_eq!(got, v(&[1.0, 4.0]));
    }

    #[test]
    fn comparisons() {
        use CompareType::{None, TotalOrder};
        let (x, y) = (v(&[f32::NAN, -0.0, 1.0]), v(&[f32::NAN, 0.0, 2.0]));
        let ask = |d, t| compare(d, t, &x, &y).unwrap().to_bools().unwrap();
        assert_eq!(ask(Direction::Eq, None), [false, true, false]);
        assert_eq!(ask(Direction::Ne, None), [true, false, true]);
        assert_eq!(ask(Direction::Le, None), [false, true, true]);
        assert_eq!(ask(Direction::Eq, TotalOrder), [true, false, false]);
        assert_eq!(ask(Direction::Lt, TotalOrder), [false, true, true]);
    }
}
