//! `cholesky` and `triangular_solve`.
//!
//! Every element type is computed in double precision and rounded once.

use std::borrow::Cow;
use std::ops::{Add, Div, Mul, Sub};

use bytemuck::Pod;
use tfjit_base::{Complex64, Error, Result, Shape, Tensor};
use tfjit_hlo::{TensorType, Transpose};

use crate::accum::{from_complex, from_f64s, to_complex};
use crate::permute::{expect_shape, permuted};

/// A double-precision number, real or complex.
trait Number:
    Pod + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn real(value: f64) -> Self;
    fn conjugate(self) -> Self;
    fn real_part(self) -> f64;
}

impl Number for f64 {
    fn real(value: f64) -> f64 {
        value
    }
    fn conjugate(self) -> f64 {
        self
    }
    fn real_part(self) -> f64 {
        self
    }
}

impl Number for Complex64 {
    fn real(value: f64) -> Complex64 {
        Complex64::new(value, 0.0)
    }
    fn conjugate(self) -> Complex64 {
        self.conj()
    }
    fn real_part(self) -> f64 {
        self.re
    }
}

/// The extents of the matrices in the last two dimensions.
fn matrix(name: &str, shape: &Shape) -> Result<[usize; 2]> {
    match shape[..] {
        [.., rows, columns] => Ok([rows, columns]),
        _ => Err(Error::invalid_argument(format!("{name} of shape {shape} has no matrices"))),
    }
}

/// `cholesky(a)`: for each matrix the lower `L` with `a = L * Lᴴ`, or the upper `U` with
/// `a = Uᴴ * U`, read from the triangle of the same name; the other triangle of the result is zero.
/// A matrix that is not positive definite gives NaN.
///
/// # Errors
/// INVALID_ARGUMENT when `a` is not square.
pub(crate) fn cholesky(a: &Tensor, lower: bool, out: &TensorType) -> Result<Tensor> {
    let shape = out.shape()?;
    let [rows, columns] = matrix("cholesky", a.shape())?;
    expect_shape("cholesky", a.shape(), &shape)?;
    if rows != columns {
        return Err(Error::invalid_argument(format!(
            "cholesky takes square matrices, not {}",
            a.shape()
        )));
    }
    if a.dtype().is_complex() {
        let mut values = to_complex(a)?;
        factors(&mut values, rows, lower);
        from_complex(out.dtype, &shape, values.into_iter())
    } else {
        let mut values = a.to_f64s()?;
        factors(&mut values, rows, lower);
        from_f64s(out.dtype, &shape, values.into_iter())
    }
}

/// Replaces each `n` by `n` matrix by its factor.
fn factors<T: Number>(values: &mut [T], n: usize, lower: bool) {
    if n == 0 {
        return;
    }
    for a in values.chunks_exact_mut(n * n) {
        if !lower {
            conjugate_transpose(a, n);
        }
        if !factor(a, n) {
            a.fill(T::real(f64::NAN));
        }
        for i in 0..n {
            a[i * n + i + 1..][..n - i - 1].fill(T::real(0.0));
        }
        if !lower {
            conjugate_transpose(a, n);
        }
    }
}

/// Replaces the lower triangle of `a` by its factor; `false` when it is not positive definite.
fn factor<T: Number>(a: &mut [T], n: usize) -> bool {
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        for j in 0..i {
            let known = &above[j * n..][..j + 1];
            let sum = row.iter().zip(&known[..j]).fold(row[j], |s, (x, y)| s - *x * y.conjugate());
            row[j] = sum / known[j];
        }
        let squares = row[..i].iter().map(|x| (*x * x.conjugate()).real_part());
        let rest = squares.fold(row[i].real_part(), |s, x| s - x);
        if rest.is_nan() || rest <= 0.0 {
            return false;
        }
        row[i] = T::real(rest.sqrt());
    }
    true
}

fn conjugate_transpose<T: Number>(a: &mut [T], n: usize) {
    for i in 0..n {
        a[i * n + i] = a[i * n + i].conjugate();
        for j in 0..i {
            let (x, y) = (a[i * n + j], a[j * n + i]);
            (a[i * n + j], a[j * n + i]) = (y.conjugate(), x.conjugate());
        }
    }
}

/// The attributes of `triangular_solve`.
#[derive(Clone, Copy)]
pub(crate) struct Triangular {
    pub(crate) left_side: bool,
    pub(crate) lower: bool,
    pub(crate) unit_diagonal: bool,
    pub(crate) transpose_a: Transpose,
}

/// `triangular_solve(a, b)`: the `x` of `op(a) * x = b`, or of `x * op(a) = b`. Only the triangle
/// that `lower` names is read. A zero on the diagonal gives infinities or NaN.
///
/// # Errors
/// INVALID_ARGUMENT when shapes do not fit.
pub(crate) fn triangular_solve(
    a: &Tensor,
    b: &Tensor,
    how: Triangular,
    out: &TensorType,
) -> Result<Tensor> {
    let shape = out.shape()?;
    expect_shape("triangular_solve", b.shape(), &shape)?;
    let ([rows, columns], b_size) =
        (matrix("triangular_solve", a.shape())?, matrix("triangular_solve", b.shape())?);
    let side = if how.left_side { b_size[0] } else { b_size[1] };
    let batches = |shape: &Shape| shape[..shape.rank() - 2].to_vec();
    if rows != columns || side != rows || batches(a.shape()) != batches(b.shape()) {
        return Err(Error::invalid_argument(format!(
            "triangular_solve of {} does not fit {}",
            a.shape(),
            b.shape()
        )));
    }
    if a.dtype().is_complex() {
        let solution = solve_all(&to_complex(a)?, to_complex(b)?, b_size, how);
        from_complex(out.dtype, &shape, solution.iter().copied())
    } else {
        let solution = solve_all(&a.to_f64s()?, b.to_f64s()?, b_size, how);
        from_f64s(out.dtype, &shape, solution.iter().copied())
    }
}

/// Solves for each matrix; `x * op(a) = b` is solved as `op(a)ᵀ * xᵀ = bᵀ`.
fn solve_all<T: Number>(a: &[T], b: Vec<T>, b_size: [usize; 2], how: Triangular) -> Vec<T> {
    let [rows, columns] = b_size;
    if b.is_empty() {
        return b;
    }
    let count = b.len() / (rows * columns);
    let (dims, turn) = ([count, rows, columns], [0, 2, 1]);
    let mut b = if how.left_side { b } else { permuted(b.into(), &dims, &turn).into_owned() };
    let n = if how.left_side { rows } else { columns };
    let width = if how.left_side { columns } else { rows };
    for (a, b) in a.chunks_exact(n * n).zip(b.chunks_exact_mut(n * width)) {
        solve(a, b, n, width, how);
    }
    if how.left_side {
        return b;
    }
    permuted(Cow::Owned(b), &[count, columns, rows], &turn).into_owned()
}

/// Substitutes row after row of `b`, which is `n` by `width`.
fn solve<T: Number>(a: &[T], b: &mut [T], n: usize, width: usize, how: Triangular) {
    let turned = (how.transpose_a != Transpose::No) == how.left_side;
    let forward = how.lower != turned;
    let element = |i: usize, j: usize| {
        let value = if turned { a[j * n + i] } else { a[i * n + j] };
        if how.transpose_a == Transpose::Adjoint { value.conjugate() } else { value }
    };
    for step in 0..n {
        let i = if forward { step } else { n - 1 - step };
        let known = if forward { 0..i } else { i + 1..n };
        for k in known {
            let factor = element(i, k);
            let (low, high) = b.split_at_mut(i.max(k) * width);
            let (target, source) = if i > k {
                (&mut high[..width], &low[k * width..][..width])
            } else {
                (&mut low[i * width..][..width], &high[..width])
            };
            for (x, y) in target.iter_mut().zip(source) {
                *x = *x - factor * *y;
            }
        }
        if !how.unit_diagonal {
            let pivot = element(i, i);
            for x in &mut b[i * width..][..width] {
                *x = *x / pivot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{Complex32, DType};

    #[test]
    fn factors_of_both_triangles() {
        let out = TensorType::new(DType::F32, &[2, 2]);
        let a = |v: &[f32]| Tensor::from_slice(Shape::new(&[2, 2]), v).unwrap();
        let l = cholesky(&a(&[4.0, 99.0, 2.0, 10.0]), true, &out).unwrap();
        assert_eq!(l, a(&[2.0, 0.0, 1.0, 3.0]));
        let u = cholesky(&a(&[4.0, 2.0, 99.0, 10.0]), false, &out).unwrap();
        assert_eq!(u, a(&[2.0, 1.0, 0.0, 3.0]));
        let bad = cholesky(&a(&[1.0, 2.0, 2.0, 1.0]), true, &out).unwrap();
        let bad = bad.to_vec::<f32>().unwrap();
        assert!(bad[0].is_nan() && bad[2].is_nan() && bad[1] == 0.0);
        assert!(cholesky(&Tensor::scalar(1.0f32), true, &TensorType::scalar(DType::F32)).is_err());
    }

    #[test]
    fn a_complex_factor() {
        let c = Complex32::new;
        let a = [c(4.0, 0.0), c(0.0, 0.0), c(0.0, 2.0), c(10.0, 0.0)];
        let a = Tensor::from_slice(Shape::new(&[2, 2]), &a).unwrap();
        let l = cholesky(&a, true, &TensorType::new(DType::C64, &[2, 2])).unwrap();
        let want = [c(2.0, 0.0), c(0.0, 0.0), c(0.0, 1.0), c(3.0, 0.0)];
        assert_eq!(l.to_vec::<Complex32>().unwrap(), want);
    }

    /// Multiplies back: every combination of flags must give the right-hand side again.
    #[test]
    fn solutions_satisfy_their_equation() {
        let c = Complex64::new;
        let a: Vec<Complex64> =
            (0..9).map(|i| c(f64::from(i * 7 % 5) + 1.0, f64::from(i % 3) - 1.0)).collect();
        let a_t = Tensor::from_slice(Shape::new(&[3, 3]), &a).unwrap();
        let all = [Transpose::No, Transpose::Yes, Transpose::Adjoint];
        for (flags, transpose_a) in (0..8).flat_map(|f| all.map(|t| (f, t))) {
            let how = Triangular {
                left_side: flags & 1 == 0,
                lower: flags & 2 == 0,
                unit_diagonal: flags & 4 == 0,
                transpose_a,
            };
            let op = |i: usize, j: usize| {
                let (i, j) = if transpose_a == Transpose::No { (i, j) } else { (j, i) };
                let value = if i == j && how.unit_diagonal {
                    c(1.0, 0.0)
                } else if (i >= j) == how.lower || i == j {
                    a[i * 3 + j]
                } else {
                    c(0.0, 0.0)
                };
                if transpose_a == Transpose::Adjoint { value.conj() } else { value }
            };
            let dims: [usize; 2] = if how.left_side { [3, 2] } else { [2, 3] };
            let b: Vec<Complex64> = (0..6).map(|i| c(f64::from(i), 1.0)).collect();
            let b_t = Tensor::from_slice(Shape::new(&dims), &b).unwrap();
            let out = TensorType::of(DType::C128, b_t.shape());
            let x = triangular_solve(&a_t, &b_t, how, &out).unwrap();
            let x = x.to_vec::<Complex64>().unwrap();
            for i in 0..dims[0] {
                for j in 0..dims[1] {
                    let product: Complex64 = if how.left_side {
                        (0..3).map(|k| op(i, k) * x[k * 2 + j]).sum()
                    } else {
                        (0..3).map(|k| x[i * 3 + k] * op(k, j)).sum()
                    };
                    assert!((product - b[i * dims[1] + j]).norm() < 1e-9, "{flags} {transpose_a}");
                }
            }
        }
    }
}
