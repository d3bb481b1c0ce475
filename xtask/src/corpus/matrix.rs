//! Small complex matrices: what checking a factorisation takes, in the plainest loops.

use anyhow::{Result, ensure};
use tfjit_base::Tensor;

use super::compare::{Number, numbers};

/// A row-major matrix.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) data: Vec<Number>,
}

impl Matrix {
    /// The last two dimensions of `tensor` for each element of the others; `vectors` means that
    /// the last dimension alone is one (a row).
    pub(crate) fn batch(tensor: &Tensor, vectors: bool) -> Result<Vec<Matrix>> {
        let dims = tensor.shape().dims();
        let rank = if vectors { 1 } else { 2 };
        ensure!(dims.len() >= rank, "a result of shape {} is no matrix", tensor.shape());
        let inner = &dims[dims.len() - rank..];
        let (rows, columns) = if vectors { (1, inner[0]) } else { (inner[0], inner[1]) };
        let data = numbers(tensor)?;
        let chunks = data.chunks((rows * columns).max(1));
        Ok(chunks.map(|part| Matrix { rows, columns, data: part.to_vec() }).collect())
    }

    /// The identity of `n` rows.
    pub(crate) fn identity(n: usize) -> Matrix {
        let one = |i: usize| Number::new(f64::from(u8::from(i / n == i % n)), 0.0);
        Matrix { rows: n, columns: n, data: (0..n * n).map(one).collect() }
    }

    fn at(&self, row: usize, column: usize) -> Number {
        self.data[row * self.columns + column]
    }

    fn build(rows: usize, columns: usize, value: impl Fn(usize, usize) -> Number) -> Matrix {
        let data = (0..rows * columns).map(|i| value(i / columns, i % columns)).collect();
        Matrix { rows, columns, data }
    }

    /// The product with `other`.
    pub(crate) fn times(&self, other: &Matrix) -> Matrix {
        Matrix::build(self.rows, other.columns, |i, j| {
            (0..self.columns).map(|k| self.at(i, k) * other.at(k, j)).sum()
        })
    }

    /// The conjugate transpose.
    pub(crate) fn adjoint(&self) -> Matrix {
        Matrix::build(self.columns, self.rows, |i, j| self.at(j, i).conj())
    }

    /// Column `j` times `factors[j]`.
    pub(crate) fn scale_columns(&self, factors: &[Number]) -> Matrix {
        Matrix::build(self.rows, self.columns, |i, j| self.at(i, j) * factors[j])
    }

    /// The first `n` columns.
    pub(crate) fn first_columns(&self, n: usize) -> Matrix {
        Matrix::build(self.rows, n.min(self.columns), |i, j| self.at(i, j))
    }

    /// The largest magnitude.
    pub(crate) fn largest(&self) -> f64 {
        self.data.iter().map(|v| v.norm()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{Complex, Shape};

    #[test]
    fn products_and_adjoints() {
        let i = Complex::new(0.0, 1.0);
        let a = Matrix { rows: 1, columns: 2, data: vec![i, Complex::new(2.0, 0.0)] };
        assert_eq!(a.times(&a.adjoint()).data, [Complex::new(5.0, 0.0)]);
        assert_eq!(a.times(&Matrix::identity(2)).data, a.data);
        assert_eq!(a.first_columns(1).data, [i]);
        assert_eq!(a.largest(), 2.0);
    }

    #[test]
    fn batches() {
        let t = Tensor::from_slice(Shape::new(&[2, 1, 2]), &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
        let all = Matrix::batch(&t, false).unwrap();
        assert_eq!((all.len(), all[1].data[0].re), (2, 3.0));
        assert!(Matrix::batch(&Tensor::scalar(1.0f32), true).is_err());
    }
}
