//! `reduce`: folding over some dimensions.
//!
//! Elements are combined one after the other in row-major order, beginning with the initial value.
//! Sums of `f32` are kept in `f64` until the end: a mean over a million elements would otherwise
//! differ from what any implementation with several accumulators returns.

use bytemuck::Pod;
use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::Binary;

use crate::moves::dim;
use crate::pick::{self, Fold};
use crate::reducer::{Cell, Reducer, Shortcut};
use crate::typed::{build, raw};

/// Where in the result each element of the operand goes.
struct Plan {
    outer: Vec<usize>,
    inner: usize,
    /// Distance in the result that a step in each operand dimension makes; 0 where reduced.
    strides: Vec<usize>,
    /// The result's shape.
    shape: Shape,
}

impl Plan {
    fn new(shape: &Shape, dimensions: &[i64]) -> Result<Plan> {
        let mut reduced = vec![false; shape.rank()];
        for &d in dimensions {
            if std::mem::replace(&mut reduced[dim(d, shape.rank())?], true) {
                return Err(Error::invalid_argument(format!("dimension {d} is reduced twice")));
            }
        }
        let kept = |d: &usize| !reduced[*d];
        let result: Shape = (0..shape.rank()).filter(kept).map(|d| shape[d]).collect();
        let mut kept_strides = result.strides().into_iter();
        let strides = reduced
            .iter()
            .map(|&gone| if gone { 0 } else { kept_strides.next().unwrap_or(0) })
            .collect();
        let (inner, outer) = match shape.split_last() {
            Some((&inner, outer)) => (inner, outer.to_vec()),
            None => (1, Vec::new()),
        };
        Ok(Plan { outer, inner, strides, shape: result })
    }

    /// Distance in the result between neighbours of a row of the operand.
    fn step(&self) -> usize {
        self.strides.last().copied().unwrap_or(0)
    }

    /// Calls `row` with the place in the result of the first element of each row of the operand.
    fn rows(&self, mut row: impl FnMut(usize) -> Result<()>) -> Result<()> {
        if self.inner == 0 || self.outer.contains(&0) {
            return Ok(());
        }
        let mut index = vec![0; self.outer.len()];
        loop {
            let place = index.iter().zip(&self.strides).map(|(i, s)| i * s).sum();
            row(place)?;
            if !crate::typed::advance(&mut index, &self.outer) {
                return Ok(());
            }
        }
    }

    /// Folds the rows of `x` into `acc`.
    fn fold<A: Copy, T: Copy>(&self, x: &[T], acc: &mut [A], f: impl Fn(A, T) -> A) -> Result<()> {
        let mut rows = x.chunks_exact(self.inner.max(1));
        let step = self.step();
        self.rows(|place| {
            let row = rows.next().ok_or_else(|| Error::internal("a row is missing"))?;
            if step == 0 {
                acc[place] = row.iter().fold(acc[place], |a, &x| f(a, x));
            } else {
                for (a, &x) in acc[place..].iter_mut().step_by(step).zip(row) {
                    *a = f(*a, x);
                }
            }
            Ok(())
        })
    }
}

struct Fast<'a> {
    x: &'a Tensor,
    init: &'a Tensor,
    plan: &'a Plan,
}

impl Fold for Fast<'_> {
    type Out = Result<Tensor>;
    fn visit<T: Pod>(self, f: impl Fn(T, T) -> T + Copy + 'static) -> Self::Out {
        let (x, init) = (raw::<T>(self.x)?, Cell::at(self.init, 0)?.get::<T>());
        build(self.x.dtype(), &self.plan.shape, |acc| {
            acc.fill(init);
            self.plan.fold(&x, acc, f)
        })
    }
}

fn sum_f32(x: &Tensor, init: &Tensor, plan: &Plan) -> Result<Tensor> {
    let (x, init) = (x.as_slice::<f32>()?, Cell::at(init, 0)?.get::<f32>());
    let wide = build::<f64>(DType::F64, &plan.shape, |acc| {
        acc.fill(init.into());
        plan.fold(&x, acc, |a, x: f32| a + f64::from(x))
    })?;
    crate::convert::convert(&wide, DType::F32)
}

/// Folds the `inputs` together over `dimensions`, from the scalars `inits`.
///
/// # Errors
/// INVALID_ARGUMENT when shapes or types do not fit; those of the region.
pub(crate) fn reduce(
    inputs: &[&Tensor],
    inits: &[&Tensor],
    dimensions: &[i64],
    reducer: &mut Reducer<'_>,
) -> Result<Vec<Tensor>> {
    let first = inputs.first().ok_or_else(|| Error::invalid_argument("nothing to reduce"))?;
    if inputs.len() != inits.len() || inputs.iter().any(|x| x.shape() != first.shape()) {
        return Err(Error::invalid_argument("the operands of reduce differ in shape"));
    }
    for (x, init) in inputs.iter().zip(inits) {
        if x.dtype() != init.dtype() {
            return Err(Error::invalid_argument("an initial value has another type"));
        }
    }
    let plan = Plan::new(first.shape(), dimensions)?;
    match (reducer.shortcut(), inputs) {
        (Some(Shortcut::Binary(Binary::Add)), [x]) if x.dtype() == DType::F32 => {
            Ok(vec![sum_f32(x, inits[0], &plan)?])
        }
        (Some(Shortcut::Binary(op)), [x]) => {
            let fast = Fast { x, init: inits[0], plan: &plan };
            Ok(vec![pick::fold(op, x.dtype(), fast)??])
        }
        _ => general(inputs, inits, &plan, reducer),
    }
}

fn general(
    inputs: &[&Tensor],
    inits: &[&Tensor],
    plan: &Plan,
    reducer: &mut Reducer<'_>,
) -> Result<Vec<Tensor>> {
    let n = inputs.len();
    let init: Vec<Cell> = inits.iter().map(|init| Cell::at(init, 0)).collect::<Result<_>>()?;
    let places = plan.shape.checked_elements()?;
    // The running values of all results of one place lie side by side.
    let mut acc: Vec<Cell> = Vec::new();
    acc.try_reserve_exact(places.saturating_mul(n))
        .map_err(|_| Error::resource_exhausted("the running values of a reduction do not fit"))?;
    for _ in 0..places {
        acc.extend_from_slice(&init);
    }
    let mut arguments = vec![Cell::default(); 2 * n];
    let (mut at, step) = (0, plan.step());
    plan.rows(|start| {
        for i in 0..plan.inner {
            let place = (start + i * step) * n;
            arguments[..n].copy_from_slice(&acc[place..place + n]);
            for (argument, x) in arguments[n..].iter_mut().zip(inputs) {
                *argument = Cell::at(x, at)?;
            }
            reducer.call(&arguments, &mut acc[place..place + n])?;
            at += 1;
        }
        Ok(())
    })?;
    (0..n)
        .map(|k| {
            let cells = acc.iter().skip(k).step_by(n);
            cells_to_tensor(inputs[k].dtype(), &plan.shape, cells)
        })
        .collect()
}

/// A tensor out of cells in row-major order.
pub(crate) fn cells_to_tensor<'a>(
    dtype: DType,
    shape: &Shape,
    cells: impl Iterator<Item = &'a Cell>,
) -> Result<Tensor> {
    crate::typed::by_width!(dtype, T => {
        build::<T>(dtype, shape, |out| {
            for (out, cell) in out.iter_mut().zip(cells) {
                *out = cell.get();
            }
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(op: Binary, dtype: DType) -> Reducer<'static> {
        Reducer::binary(op, dtype).unwrap()
    }

    #[test]
    fn folds_any_dimensions() {
        let x = Tensor::from_slice(Shape::new(&[2, 3]), &[1i32, 2, 3, 4, 5, 6]).unwrap();
        let zero = Tensor::scalar(0i32);
        let sum = |dims: &[i64]| {
            let mut reducer = binary(Binary::Add, DType::I32);
            reduce(&[&x], &[&zero], dims, &mut reducer).unwrap()[0].to_i64s().unwrap()
        };
        assert_eq!(sum(&[0]), [5, 7, 9]);
        assert_eq!(sum(&[1]), [6, 15]);
        assert_eq!(sum(&[0, 1]), [21]);
        assert_eq!(sum(&[]), [1, 2, 3, 4, 5, 6]);
        let mut reducer = binary(Binary::Add, DType::I32);
        assert!(reduce(&[&x], &[&zero], &[2], &mut reducer).is_err());
        assert!(reduce(&[&x], &[&zero], &[1, 1], &mut reducer).is_err());
        let empty = Tensor::zeros(DType::I32, Shape::new(&[2, 0])).unwrap();
        let got = reduce(&[&empty], &[&Tensor::scalar(7i32)], &[1], &mut reducer).unwrap();
        assert_eq!(got[0].to_i64s().unwrap(), [7, 7]);
    }

    #[test]
    fn the_region_agrees_with_its_shortcut() {
        let x = Tensor::from_slice(Shape::new(&[2, 3, 2]), &(0..12).collect::<Vec<i64>>()).unwrap();
        let init = Tensor::scalar(1i64);
        let mut slow = Reducer::new(
            None,
            Box::new(|a, r| {
                r[0] = Cell::of(a[0].get::<i64>() - a[1].get::<i64>());
                Ok(())
            }),
        );
        for dims in [&[0][..], &[1], &[2], &[0, 2], &[0, 1, 2]] {
            let mut fast = binary(Binary::Subtract, DType::I64);
            let want = reduce(&[&x], &[&init], dims, &mut slow).unwrap();
            assert_eq!(reduce(&[&x], &[&init], dims, &mut fast).unwrap(), want, "{dims:?}");
        }
    }

    #[test]
    fn long_sums_stay_exact() {
        let x = Tensor::from_slice(Shape::new(&[1 << 20]), &vec![0.1f32; 1 << 20]).unwrap();
        let mut add = binary(Binary::Add, DType::F32);
        let got = reduce(&[&x], &[&Tensor::scalar(0.0f32)], &[0], &mut add).unwrap();
        let want = (f64::from(0.1f32) * f64::from(1 << 20)) as f32;
        assert_eq!(got[0], Tensor::scalar(want));
    }
}
