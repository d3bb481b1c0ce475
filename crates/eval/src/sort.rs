//! `sort` by a comparator and `top_k`.

use tfjit_base::{DType, Error, MiniFloat, Result, Shape, Tensor, bf16, f16};

use crate::math::order::Code;
use crate::moves::Lines;
use crate::reducer::{Cell, Reducer};
use crate::typed::{build, by_width, raw};

/// Sorts the `inputs` together along `dimension` (negative ones count from the end) so that the
/// comparator does not hold between an element and one before it. Always stable.
///
/// Merging makes n log n comparisons whatever the comparator answers; a comparator that is no order
/// gives some permutation.
///
/// # Errors
/// INVALID_ARGUMENT when shapes differ; those of the comparator.
pub(crate) fn sort(
    inputs: &[&Tensor],
    dimension: i64,
    comparator: &mut Reducer<'_>,
) -> Result<Vec<Tensor>> {
    let first = inputs.first().ok_or_else(|| Error::invalid_argument("nothing to sort"))?;
    let shape = first.shape();
    if inputs.iter().any(|x| x.shape() != shape) {
        return Err(Error::invalid_argument("the operands of sort differ in shape"));
    }
    let rank = shape.rank() as i64;
    if dimension < -rank || dimension >= rank {
        return Err(Error::invalid_argument(format!("there is no dimension {dimension} to sort")));
    }
    let lines = Lines::along(shape, dimension.rem_euclid(rank) as usize);
    let mut order: Vec<usize> = vec![0; shape.checked_elements()?];
    let mut cells = vec![vec![Cell::default(); lines.length]; inputs.len()];
    let mut arguments = vec![Cell::default(); 2 * inputs.len()];
    for line in 0..lines.count {
        let start = lines.start(line);
        for (cells, x) in cells.iter_mut().zip(inputs) {
            for (i, cell) in cells.iter_mut().enumerate() {
                *cell = Cell::at(x, start + i * lines.stride)?;
            }
        }
        let sorted = merge_sort(lines.length, &mut |a, b| {
            for (pair, cells) in arguments.chunks_exact_mut(2).zip(&cells) {
                pair.copy_from_slice(&[cells[a], cells[b]]);
            }
            let mut answer = [Cell::default()];
            comparator.call(&arguments, &mut answer)?;
            Ok(answer[0].is_true())
        })?;
        for (i, from) in sorted.into_iter().enumerate() {
            order[start + i * lines.stride] = start + from * lines.stride;
        }
    }
    inputs.iter().map(|x| permute(x, &order)).collect()
}

/// The elements of `x` at `order`.
fn permute(x: &Tensor, order: &[usize]) -> Result<Tensor> {
    by_width!(x.dtype(), T => {
        let src = raw::<T>(x)?;
        build::<T>(x.dtype(), x.shape(), |out| {
            for (out, &from) in out.iter_mut().zip(order) {
                *out = src[from];
            }
            Ok(())
        })
    })
}

/// The numbers below `n` in an order in which none is `less` than one before it; equal ones keep
/// their order.
fn merge_sort(n: usize, less: &mut dyn FnMut(usize, usize) -> Result<bool>) -> Result<Vec<usize>> {
    let mut from: Vec<usize> = (0..n).collect();
    let mut to = from.clone();
    let mut width = 1;
    while width < n {
        for (run, out) in from.chunks(2 * width).zip(to.chunks_mut(2 * width)) {
            let (left, right) = run.split_at(width.min(run.len()));
            let (mut l, mut r) = (0, 0);
            for slot in out {
                let take_right = l == left.len() || (r < right.len() && less(right[r], left[l])?);
                if take_right {
                    *slot = right[r];
                    r += 1;
                } else {
                    *slot = left[l];
                    l += 1;
                }
            }
        }
        std::mem::swap(&mut from, &mut to);
        width *= 2;
    }
    Ok(from)
}

/// The `k` largest (or smallest) elements along the last dimension, best first, and their indices
/// as `i32`. Equal elements keep their order; NaN is the largest.
///
/// # Errors
/// INVALID_ARGUMENT when `k` is out of range or the elements have no order.
pub(crate) fn top_k(x: &Tensor, k: i64, largest: bool) -> Result<[Tensor; 2]> {
    let n = *x.shape().last().ok_or_else(|| Error::invalid_argument("top_k of a scalar"))?;
    let k = usize::try_from(k)
        .ok()
        .filter(|&k| k <= n)
        .ok_or_else(|| Error::invalid_argument(format!("top_k with k = {k} of {n} elements")))?;
    let keys = keys(x)?;
    let mut best: Vec<usize> = Vec::new();
    for (row, keys) in keys.chunks_exact(n.max(1)).enumerate() {
        let mut order: Vec<usize> = (0..n).collect();
        if largest {
            order.sort_by_key(|&i| std::cmp::Reverse(keys[i]));
        } else {
            order.sort_by_key(|&i| keys[i]);
        }
        best.extend(order[..k].iter().map(|i| row * n + i));
    }
    let mut dims = x.shape().to_vec();
    dims[x.shape().rank() - 1] = k;
    let shape = Shape::from(dims);
    let values = by_width!(x.dtype(), T => {
        let src = raw::<T>(x)?;
        build::<T>(x.dtype(), &shape, |out| {
            for (out, &from) in out.iter_mut().zip(&best) {
                *out = src[from];
            }
            Ok(())
        })
    })?;
    let indices = build::<i32>(DType::I32, &shape, |out| {
        for (out, &from) in out.iter_mut().zip(&best) {
            *out = (from % n) as i32;
        }
        Ok(())
    })?;
    Ok([values, indices])
}

/// Keys that sort as the elements do; both zeros have one.
fn keys(x: &Tensor) -> Result<Vec<i128>> {
    macro_rules! floats {
        ($t:ty) => {
            x.as_slice::<$t>()?
                .iter()
                .map(|&v| {
                    // Adding zero turns -0 into 0.
                    let v = v + <$t>::from_bits(0);
                    if v.is_nan() { i128::MAX } else { v.to_bits().total_key().into() }
                })
                .collect()
        };
    }
    Ok(match x.dtype() {
        DType::F64 => floats!(f64),
        DType::F32 => floats!(f32),
        DType::F16 => floats!(f16),
        DType::BF16 => floats!(bf16),
        DType::U64 => x.as_slice::<u64>()?.iter().map(|&v| v.into()).collect(),
        dtype => match MiniFloat::of(dtype) {
            Some(mini) => {
                let key = |&code: &u8| {
                    let value = mini.decode(code) + 0.0;
                    if value.is_nan() { i128::MAX } else { value.to_bits().total_key().into() }
                };
                x.bytes().iter().map(key).collect()
            }
            None => x.to_i64s()?.into_iter().map(i128::from).collect(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascending() -> Reducer<'static> {
        Reducer::new(
            None,
            Box::new(|a, r| {
                r[0] = Cell::of(u8::from(a[0].get::<i32>() < a[1].get::<i32>()));
                Ok(())
            }),
        )
    }

    fn ints(shape: &[usize], values: &[i32]) -> Tensor {
        Tensor::from_slice(Shape::new(shape), values).unwrap()
    }

    #[test]
    fn sorts_lines_together_and_stably() {
        let x = ints(&[3, 2], &[3, 1, 1, 2, 2, 1]);
        let tag = ints(&[3, 2], &[0, 1, 2, 3, 4, 5]);
        let got = sort(&[&x, &tag], 0, &mut ascending()).unwrap();
        assert_eq!(got[0], ints(&[3, 2], &[1, 1, 2, 1, 3, 2]));
        assert_eq!(got[1], ints(&[3, 2], &[2, 1, 4, 5, 0, 3]));
        let got = sort(&[&x], -1, &mut ascending()).unwrap();
        assert_eq!(got[0], ints(&[3, 2], &[1, 3, 1, 2, 1, 2]));
        assert!(sort(&[&x], 2, &mut ascending()).is_err());
        assert!(sort(&[&ints(&[], &[1])], 0, &mut ascending()).is_err());
    }

    #[test]
    fn a_comparator_that_is_no_order_still_ends() {
        let mut yes = Reducer::new(
            None,
            Box::new(|_, r| {
                r[0] = Cell::of(1u8);
                Ok(())
            }),
        );
        let x = ints(&[5], &[1, 2, 3, 4, 5]);
        let mut got = sort(&[&x], 0, &mut yes).unwrap()[0].to_vec::<i32>().unwrap();
        got.sort_unstable();
        assert_eq!(got, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn best_elements() {
        let x = Tensor::from_slice(Shape::new(&[4]), &[1.0f32, f32::NAN, 3.0, 1.0]).unwrap();
        let [values, indices] = top_k(&x, 3, true).unwrap();
        assert_eq!(indices.to_i64s().unwrap(), [1, 2, 0]);
        assert_eq!(values.to_f64s().unwrap()[1..], [3.0, 1.0]);
        assert_eq!(top_k(&x, 2, false).unwrap()[1].to_i64s().unwrap(), [0, 3]);
        assert!(top_k(&x, 5, true).is_err());
        assert!(top_k(&x, -1, true).is_err());
    }
}
