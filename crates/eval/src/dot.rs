//! `dot_general`: products summed over contracting dimensions, for each batch.
//!
//! Both operands are brought into matrix order (batch, free, contracting) and (batch, contracting,
//! free) in the type of the sum; the rest is one matrix product a batch.

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{DotGeneral, TensorType};

use crate::accum::{Accum, AccumType, Buffer, by_accum, load, store};
use crate::gemm::{Edges, Packed};
use crate::permute::{expect_shape, others, permuted, positions, product, select};
use crate::typed::raw;

/// `dot_general(lhs, rhs)`: result dimensions are batching, then free ones of `lhs`, then free ones
/// of `rhs`. The element type of `out` may be wider than the operands'; narrow floats are summed in
/// `f32` and rounded once.
///
/// # Errors
/// INVALID_ARGUMENT when dimension numbers or extents do not fit.
pub(crate) fn dot_general(
    lhs: &Tensor,
    rhs: &Tensor,
    dims: &DotGeneral,
    out: &TensorType,
) -> Result<Tensor> {
    let plan = Plan::new(lhs.shape(), rhs.shape(), dims)?;
    expect_shape("dot_general", &plan.result, &out.shape()?)?;
    let accum = AccumType::of(&[lhs.dtype(), rhs.dtype(), out.dtype])?;
    by_accum!(accum, T => run::<T>(lhs, rhs, &plan, out))
}

/// Where each dimension goes.
struct Plan {
    lhs_order: Vec<usize>,
    rhs_order: Vec<usize>,
    rows: usize,
    terms: usize,
    columns: usize,
    result: Vec<usize>,
}

impl Plan {
    fn new(lhs: &[usize], rhs: &[usize], dims: &DotGeneral) -> Result<Plan> {
        let (l, r) = (lhs.len(), rhs.len());
        let lhs_batch = positions("lhs batching dimensions", &dims.lhs_batching_dimensions, l)?;
        let rhs_batch = positions("rhs batching dimensions", &dims.rhs_batching_dimensions, r)?;
        let lhs_sum = positions("lhs contracting dimensions", &dims.lhs_contracting_dimensions, l)?;
        let rhs_sum = positions("rhs contracting dimensions", &dims.rhs_contracting_dimensions, r)?;
        if lhs_batch.iter().any(|d| lhs_sum.contains(d))
            || rhs_batch.iter().any(|d| rhs_sum.contains(d))
        {
            return Err(Error::invalid_argument(
                "a dimension of dot_general cannot be both batching and contracting",
            ));
        }
        let (batch, sum) = (select(lhs, &lhs_batch), select(lhs, &lhs_sum));
        if batch != select(rhs, &rhs_batch) || sum != select(rhs, &rhs_sum) {
            return Err(Error::invalid_argument(format!(
                "batching or contracting extents of dot_general differ: {lhs:?} and {rhs:?}"
            )));
        }
        let lhs_free = others(l, &[&lhs_batch, &lhs_sum]);
        let rhs_free = others(r, &[&rhs_batch, &rhs_sum]);
        let (rows, columns) = (select(lhs, &lhs_free), select(rhs, &rhs_free));
        Ok(Plan {
            rows: product(&rows),
            terms: product(&sum),
            columns: product(&columns),
            result: [batch, rows, columns].concat(),
            lhs_order: [lhs_batch.clone(), lhs_free, lhs_sum].concat(),
            rhs_order: [rhs_batch, rhs_sum, rhs_free].concat(),
        })
    }
}

fn run<T: Accum>(lhs: &Tensor, rhs: &Tensor, plan: &Plan, out: &TensorType) -> Result<Tensor> {
    let shape = out.shape()?;
    let mut result = Buffer::<T>::zeroed(shape.checked_elements()?)?;
    let a_len = plan.rows.saturating_mul(plan.terms);
    let b_len = plan.terms.saturating_mul(plan.columns);
    if !result.is_empty() && a_len > 0 && b_len > 0 {
        let (a, b) = (load::<T>(lhs)?, load::<T>(rhs)?);
        let a = permuted(raw::<T>(&a)?, lhs.shape(), &plan.lhs_order);
        let b = permuted(raw::<T>(&b)?, rhs.shape(), &plan.rhs_order);
        let c: &mut [T] = &mut result;
        let batches = a.chunks_exact(a_len).zip(b.chunks_exact(b_len));
        for ((a, b), c) in batches.zip(c.chunks_exact_mut(plan.rows * plan.columns)) {
            Packed::of(plan.terms, plan.columns, b)?.multiply(a, c, &Edges::default());
        }
    }
    store(out.dtype, &shape, result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{Complex32, DType, Shape, bf16};

    fn matmul() -> DotGeneral {
        DotGeneral {
            lhs_contracting_dimensions: [1].into_iter().collect(),
            rhs_contracting_dimensions: [0].into_iter().collect(),
            ..DotGeneral::default()
        }
    }

    fn square(values: &[f32]) -> Tensor {
        Tensor::from_slice(Shape::new(&[2, 2]), values).unwrap()
    }

    #[test]
    fn matrix_times_matrix() {
        let out = TensorType::new(DType::F32, &[2, 2]);
        let a = square(&[1.0, 2.0, 3.0, 4.0]);
        let b = square(&[5.0, 6.0, 7.0, 8.0]);
        let c = dot_general(&a, &b, &matmul(), &out).unwrap();
        assert_eq!(c, square(&[19.0, 22.0, 43.0, 50.0]));
        let wide = dot_general(&a, &b, &matmul(), &out.with_dtype(DType::F64)).unwrap();
        assert_eq!(wide.to_vec::<f64>().unwrap(), [19.0, 22.0, 43.0, 50.0]);
        assert!(dot_general(&a, &b, &matmul(), &TensorType::new(DType::F32, &[4])).is_err());
    }

    #[test]
    fn batches_come_first() {
        let dims = DotGeneral {
            lhs_batching_dimensions: [1].into_iter().collect(),
            rhs_batching_dimensions: [0].into_iter().collect(),
            lhs_contracting_dimensions: [0].into_iter().collect(),
            rhs_contracting_dimensions: [1].into_iter().collect(),
            ..DotGeneral::default()
        };
        let a = Tensor::from_slice(Shape::new(&[2, 3]), &[1i8, 2, 3, 4, 5, 6]).unwrap();
        let b = Tensor::from_slice(Shape::new(&[3, 2]), &[100i8, 1, 100, 1, 100, 1]).unwrap();
        let out = TensorType::new(DType::I32, &[3]);
        let c = dot_general(&a, &b, &dims, &out).unwrap();
        assert_eq!(c.to_i64s().unwrap(), [104, 205, 306]);
        let wrapped = dot_general(&a, &b, &dims, &out.with_dtype(DType::I8)).unwrap();
        assert_eq!(wrapped.to_i64s().unwrap(), [104, -51, 50]);
    }

    #[test]
    fn other_types() {
        let out = |dtype| TensorType::new(dtype, &[1, 1]);
        let row = |v: &[bool]| Tensor::from_bools(Shape::new(&[1, 2]), v).unwrap();
        let column = |v: &[bool]| Tensor::from_bools(Shape::new(&[2, 1]), v).unwrap();
        let both =
            dot_general(&row(&[true, true]), &column(&[true, true]), &matmul(), &out(DType::Bool));
        assert_eq!(both.unwrap().to_bools().unwrap(), [true]);
        let i = Complex32::new(0.0, 1.0);
        let x = Tensor::from_slice(Shape::new(&[1, 2]), &[i, i]).unwrap();
        let y = x.reshaped(Shape::new(&[2, 1])).unwrap();
        let z = dot_general(&x, &y, &matmul(), &out(DType::C64)).unwrap();
        assert_eq!(z.to_vec::<Complex32>().unwrap(), [Complex32::new(-2.0, 0.0)]);
        let v = [bf16::from_f32(1.0), bf16::from_f32(1.0 / 512.0)];
        let x = Tensor::from_slice(Shape::new(&[1, 2]), &v).unwrap();
        let y = Tensor::from_slice(Shape::new(&[2, 1]), &[bf16::ONE, bf16::ONE]).unwrap();
        let z = dot_general(&x, &y, &matmul(), &out(DType::F32)).unwrap();
        assert_eq!(z.to_vec::<f32>().unwrap(), [1.0 + 1.0 / 512.0]);
    }

    #[test]
    fn bad_dimensions_are_errors() {
        let a = square(&[0.0; 4]);
        let out = TensorType::new(DType::F32, &[2, 2]);
        let mut dims = matmul();
        dims.lhs_contracting_dimensions[0] = 2;
        assert!(dot_general(&a, &a, &dims, &out).is_err());
        let mut dims = matmul();
        dims.lhs_batching_dimensions.push(1);
        dims.rhs_batching_dimensions.push(0);
        assert!(dot_general(&a, &a, &dims, &out).is_err());
    }
}
