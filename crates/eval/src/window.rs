//! `reduce_window`, and the walk over a window that it shares with `select_and_scatter`.
//!
//! Padding and the holes of a dilated input are skipped rather than combined: the specification
//! requires initial values that change nothing.

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{TensorType, Window};

use crate::axis::{Axis, WindowLists};
use crate::cells::Cells;
use crate::convert::convert;
use crate::permute::{expect_shape, product};
use crate::pick;
use crate::reducer::{Cell, Reducer, Shortcut};
use crate::typed::advance;
use crate::window_rows::Rows;

/// The axes of `window` over an operand of extents `input`.
///
/// # Errors
/// INVALID_ARGUMENT when they do not fit.
pub(crate) fn axes(input: &[usize], window: &Window) -> Result<Vec<Axis>> {
    let kernel: Option<Vec<usize>> =
        window.window_dimensions.iter().map(|&d| usize::try_from(d).ok()).collect();
    let kernel = kernel.ok_or_else(|| Error::invalid_argument("a window has a negative extent"))?;
    let lists = WindowLists {
        strides: &window.window_strides,
        padding: &window.padding,
        input_dilations: &window.base_dilations,
        kernel_dilations: &window.window_dilations,
        reversal: &[],
    };
    Axis::all(input, &kernel, lists)
}

/// `reduce_window(inputs…, inits…)`: all inputs have one shape, all initial values are scalars.
/// Element types of `outs` are those the reducer works on.
///
/// # Errors
/// INVALID_ARGUMENT when counts, shapes or types do not fit; those of the reducer.
pub(crate) fn reduce_window(
    inputs: &[&Tensor],
    inits: &[&Tensor],
    window: &Window,
    reducer: &mut Reducer<'_>,
    outs: &[TensorType],
) -> Result<Vec<Tensor>> {
    if inputs.is_empty() || inputs.len() != inits.len() || inputs.len() != outs.len() {
        return Err(Error::invalid_argument(format!(
            "reduce_window has {} inputs, {} initial values and {} results",
            inputs.len(),
            inits.len(),
            outs.len()
        )));
    }
    let axes = axes(inputs[0].shape(), window)?;
    let output: Vec<usize> = axes.iter().map(|a| a.output).collect();
    let mut operands = Vec::new();
    for ((input, init), out) in inputs.iter().zip(inits).zip(outs) {
        expect_shape("reduce_window", &output, &out.shape()?)?;
        if input.shape() != inputs[0].shape() || init.elements() != 1 {
            return Err(Error::invalid_argument(
                "the inputs of reduce_window differ in shape, or an initial value is no scalar",
            ));
        }
        operands.push((convert(input, out.dtype)?, convert(init, out.dtype)?));
    }
    if let ([(input, init)], Some(Shortcut::Binary(op))) = (&operands[..], reducer.shortcut()) {
        let rows = Rows::new(&axes, input, init, &outs[0])?;
        return Ok(vec![pick::fold(op, outs[0].dtype, rows)??]);
    }
    reduce_cells(&axes, &operands, reducer, outs)
}

/// Any number of inputs (with initial values) and any reducer, one element at a time.
fn reduce_cells(
    axes: &[Axis],
    operands: &[(Tensor, Tensor)],
    reducer: &mut Reducer<'_>,
    outs: &[TensorType],
) -> Result<Vec<Tensor>> {
    let n = operands.len();
    let mut results = outs.iter().map(Cells::zeroed).collect::<Result<Vec<_>>>()?;
    let start = operands.iter().map(|(_, init)| Cell::at(init, 0)).collect::<Result<Vec<_>>>()?;
    let output: Vec<usize> = axes.iter().map(|a| a.output).collect();
    let mut arguments = vec![Cell::default(); 2 * n];
    let mut sums = start.clone();
    let mut at = vec![0; axes.len()];
    for position in 0..product(&output) {
        sums.copy_from_slice(&start);
        walk(axes, &at, 0, 0, &mut |element| {
            arguments[..n].copy_from_slice(&sums);
            for (argument, (input, _)) in arguments[n..].iter_mut().zip(operands) {
                *argument = Cell::at(input, element)?;
            }
            reducer.call(&arguments, &mut sums)
        })?;
        for (result, sum) in results.iter_mut().zip(&sums) {
            result.set(position, sum);
        }
        advance(&mut at, &output);
    }
    results.into_iter().map(Cells::finish).collect()
}

/// Calls `visit` with the position of each element that output `at` sees, in row-major order;
/// `element` is the position along the first `axis` axes.
pub(crate) fn walk(
    axes: &[Axis],
    at: &[usize],
    axis: usize,
    element: usize,
    visit: &mut impl FnMut(usize) -> Result<()>,
) -> Result<()> {
    let Some(a) = axes.get(axis) else { return visit(element) };
    for k in 0..a.kernel {
        if let Some(i) = a.input_position(at[axis], k) {
            walk(axes, at, axis + 1, element * a.input + i, visit)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reducer::Shortcut;
    use tfjit_base::{DType, Shape};
    use tfjit_hlo::Binary;

    /// An integer sum, with or without the shortcut.
    fn sum(shortcut: bool) -> Reducer<'static> {
        Reducer::new(
            shortcut.then_some(Shortcut::Binary(Binary::Add)),
            Box::new(|a, r| {
                r[0] = Cell::of(a[0].get::<i32>().wrapping_add(a[1].get::<i32>()));
                Ok(())
            }),
        )
    }

    fn run(shape: &[usize], window: &Window, output: &[i64], shortcut: bool) -> Result<Vec<i64>> {
        let n: usize = shape.iter().product();
        let values: Vec<i32> = (0..n).map(|i| (i * i % 17) as i32 + 1).collect();
        let input = Tensor::from_slice(Shape::new(shape), &values)?;
        let out = TensorType::new(DType::I32, output);
        let init = Tensor::scalar(0i32);
        reduce_window(&[&input], &[&init], window, &mut sum(shortcut), &[out])?[0].to_i64s()
    }

    fn window(
        dims: &[i64],
        strides: &[i64],
        dilations: [&[i64]; 2],
        padding: &[[i64; 2]],
    ) -> Window {
        Window {
            window_dimensions: dims.iter().copied().collect(),
            window_strides: strides.iter().copied().collect(),
            base_dilations: dilations[0].iter().copied().collect(),
            window_dilations: dilations[1].iter().copied().collect(),
            padding: padding.to_vec(),
        }
    }

    #[test]
    fn rows_and_cells_agree() {
        let cases = [
            (&[5][..], window(&[2], &[1], [&[], &[]], &[]), &[4][..]),
            (&[4, 6], window(&[3, 2], &[1, 2], [&[2, 1], &[1, 3]], &[[1, 2], [0, 1]]), &[8, 2]),
            (&[3, 2], window(&[2, 1], &[4, 1], [&[2, 1], &[3, 1]], &[[2, 1], [0, 0]]), &[2, 2]),
            (&[1, 5, 4, 3], window(&[1, 2, 3, 1], &[1, 2, 1, 1], [&[], &[]], &[]), &[1, 2, 2, 3]),
            (&[40, 3], window(&[40, 1], &[1, 1], [&[], &[]], &[[39, 0], [0, 0]]), &[40, 3]),
            (&[2, 40], window(&[1, 40], &[1, 1], [&[], &[]], &[[0, 0], [0, 39]]), &[2, 40]),
            (&[40], window(&[40], &[1], [&[], &[]], &[[40, -1]]), &[40]),
            (&[40], window(&[50], &[3], [&[], &[]], &[[45, 30]]), &[22]),
            (&[7], window(&[3], &[2], [&[3], &[1]], &[[-2, -1]]), &[7]),
            (&[], window(&[], &[], [&[], &[]], &[]), &[]),
        ];
        for (shape, window, output) in cases {
            let rows = run(shape, &window, output, true).unwrap();
            assert_eq!(rows, run(shape, &window, output, false).unwrap(), "{window:?}");
        }
    }

    #[test]
    fn known_values() {
        let pool = window(&[2], &[1], [&[], &[]], &[[1, 0]]);
        assert_eq!(run(&[4], &pool, &[4], true).unwrap(), [1, 3, 7, 15]);
        assert_eq!(run(&[0], &pool, &[0], true).unwrap(), [] as [i64; 0]);
        assert!(run(&[4], &pool, &[5], true).is_err());
        assert!(run(&[4], &window(&[-1], &[1], [&[], &[]], &[]), &[4], true).is_err());
        assert!(run(&[4], &window(&[2, 2], &[1], [&[], &[]], &[]), &[4], true).is_err());
    }

    #[test]
    fn a_pair_is_reduced_together() {
        // The larger value and where it is.
        let mut argmax = Reducer::new(
            None,
            Box::new(|a, r| {
                let first = a[0].get::<f32>() >= a[2].get::<f32>();
                r.copy_from_slice(if first { &a[..2] } else { &a[2..] });
                Ok(())
            }),
        );
        let values = Tensor::from_slice(Shape::new(&[4]), &[3.0f32, 9.0, 2.0, 4.0]).unwrap();
        let places = Tensor::from_slice(Shape::new(&[4]), &[0i64, 1, 2, 3]).unwrap();
        let inits = (Tensor::scalar(f32::NEG_INFINITY), Tensor::scalar(-1i64));
        let outs = [DType::F32, DType::I64].map(|t| TensorType::new(t, &[2]));
        let window = window(&[2], &[2], [&[], &[]], &[]);
        let results =
            reduce_window(&[&values, &places], &[&inits.0, &inits.1], &window, &mut argmax, &outs)
                .unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [9.0, 4.0]);
        assert_eq!(results[1].to_i64s().unwrap(), [1, 3]);
    }
}
