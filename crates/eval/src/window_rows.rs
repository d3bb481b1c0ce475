//! `reduce_window` with one input and one known operation, a row of outputs at a time.
//!
//! Axes along which nothing is combined are merged, so that the innermost loop runs over channels
//! where the window is in front of them, and over positions where it is not. When windows along the
//! only axis that has any all reach to the same end of it, as exported cumulative sums do, outputs
//! are one running total instead of a quadratic number of terms (the order of the terms changes,
//! which the specification leaves open).

use bytemuck::Pod;
use tfjit_base::{Result, Shape, Tensor};
use tfjit_hlo::TensorType;

use crate::axis::Axis;
use crate::permute::product;
use crate::pick::Fold;
use crate::typed::{advance, build, raw};

/// Windows shorter than this are summed directly.
const SCAN_WINDOW_MIN: usize = 16;

/// A reduction over windows, ready for its operation.
pub(crate) struct Rows<'a> {
    axes: Vec<Axis>,
    input: &'a Tensor,
    init: &'a Tensor,
    out: &'a TensorType,
    shape: Shape,
}

impl<'a> Rows<'a> {
    /// A reduction of `input` over `axes`.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when `out` has an unknown extent.
    pub(crate) fn new(
        axes: &[Axis],
        input: &'a Tensor,
        init: &'a Tensor,
        out: &'a TensorType,
    ) -> Result<Rows<'a>> {
        Ok(Rows { axes: merged(axes), input, init, out, shape: out.shape()? })
    }
}

/// Whether outputs are inputs.
fn is_trivial(a: &Axis) -> bool {
    let steps = (a.stride, a.pad_low, a.input_dilation);
    a.kernel == 1 && a.output == a.input && (steps == (1, 0, 1) || a.input == 1 && a.pad_low == 0)
}

/// The same axes without ones of a single element, neighbours where nothing happens merged.
fn merged(axes: &[Axis]) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::new();
    for a in axes {
        if is_trivial(a) {
            if a.input == 1 {
                continue;
            }
            if let Some(last) = merged.last_mut().filter(|last| is_trivial(last)) {
                last.input = last.input.saturating_mul(a.input);
                last.output = last.input;
                continue;
            }
        }
        merged.push(a.clone());
    }
    merged
}

impl Fold for Rows<'_> {
    type Out = Result<Tensor>;
    fn visit<T: Pod>(self, combine: impl Fn(T, T) -> T + Copy + 'static) -> Result<Tensor> {
        let (x, init) = (raw::<T>(self.input)?, raw::<T>(self.init)?[0]);
        build(self.out.dtype, &self.shape, |out: &mut [T]| {
            out.fill(init);
            if !out.is_empty() && !x.is_empty() {
                match Scan::of(&self.axes) {
                    Some(scan) => scan.run(&x, init, out, combine),
                    None => Sweep { axes: &self.axes, x: &x, combine }.run(out),
                }
            }
            Ok(())
        })
    }
}

/// The direct way.
struct Sweep<'a, T, F> {
    axes: &'a [Axis],
    x: &'a [T],
    combine: F,
}

impl<T: Pod, F: Fn(T, T) -> T + Copy> Sweep<'_, T, F> {
    fn run(&self, out: &mut [T]) {
        let Some((last, outer)) = self.axes.split_last() else {
            for (sum, x) in out.iter_mut().zip(self.x) {
                *sum = (self.combine)(*sum, *x);
            }
            return;
        };
        let output: Vec<usize> = outer.iter().map(|a| a.output).collect();
        let mut at = vec![0; outer.len()];
        for row in out.chunks_exact_mut(last.output) {
            self.add_rows(last, outer, &at, 0, row);
            advance(&mut at, &output);
        }
    }

    /// Combines into `row` all rows of the input that the outer position `at` sees; `line` is the
    /// position along the axes before `outer`.
    fn add_rows(&self, last: &Axis, outer: &[Axis], at: &[usize], line: usize, row: &mut [T]) {
        let Some((a, inner)) = outer.split_first() else {
            let x = &self.x[line * last.input..][..last.input];
            return add_row(last, x, row, self.combine);
        };
        for k in 0..a.kernel {
            if let Some(i) = a.input_position(at[0], k) {
                self.add_rows(last, inner, &at[1..], line * a.input + i, row);
            }
        }
    }
}

/// Combines into each element of `row` what it sees of `x` along the axis `a`.
fn add_row<T: Pod>(a: &Axis, x: &[T], row: &mut [T], combine: impl Fn(T, T) -> T) {
    for k in 0..a.kernel {
        if a.input_dilation != 1 {
            for (o, sum) in row.iter_mut().enumerate() {
                if let Some(i) = a.input_position(o, k) {
                    *sum = combine(*sum, x[i]);
                }
            }
            continue;
        }
        // Output o sees x[o * stride + offset].
        let (offset, n) = (k as i64 * a.kernel_dilation - a.pad_low, x.len() as i64);
        let first = if offset < 0 { (-offset - 1) / a.stride + 1 } else { 0 };
        let end = if offset < n { (n - 1 - offset) / a.stride + 1 } else { 0 };
        let (first, end) = (first as usize, (end as usize).min(row.len()));
        if first >= end {
            continue;
        }
        let start = (first as i64 * a.stride + offset) as usize;
        let sums = &mut row[first..end];
        if a.stride == 1 {
            for (sum, x) in sums.iter_mut().zip(&x[start..]) {
                *sum = combine(*sum, *x);
            }
        } else {
            for (sum, x) in sums.iter_mut().zip(x[start..].iter().step_by(a.stride as usize)) {
                *sum = combine(*sum, *x);
            }
        }
    }
}

/// Windows along one axis that all reach to its beginning, or all to its end.
struct Scan<'a> {
    axis: &'a Axis,
    outer: usize,
    inner: usize,
    from_end: bool,
}

impl Scan<'_> {
    fn of(axes: &[Axis]) -> Option<Scan<'_>> {
        let mut others = axes.iter().enumerate().filter(|(_, a)| !is_trivial(a));
        let (at, axis) = others.next()?;
        let steps = (axis.input_dilation, axis.kernel_dilation);
        if others.next().is_some() || steps != (1, 1) || axis.kernel < SCAN_WINDOW_MIN {
            return None;
        }
        let last_start = (axis.output as i64 - 1) * axis.stride - axis.pad_low;
        let first_end = axis.kernel as i64 - axis.pad_low;
        let from_end = last_start > 0;
        if from_end && first_end < axis.input as i64 {
            return None;
        }
        let extent = |axes: &[Axis]| product(&axes.iter().map(|a| a.input).collect::<Vec<_>>());
        let (outer, inner) = (extent(&axes[..at]), extent(&axes[at + 1..]));
        Some(Scan { axis, outer, inner, from_end })
    }

    /// Fills `out` with running totals from `init`.
    fn run<T: Pod>(&self, x: &[T], init: T, out: &mut [T], combine: impl Fn(T, T) -> T) {
        let (a, inner) = (self.axis, self.inner);
        let n = a.input as i64;
        let mut total = vec![init; inner];
        for line in 0..self.outer {
            let x = &x[line * a.input * inner..][..a.input * inner];
            let out = &mut out[line * a.output * inner..][..a.output * inner];
            total.fill(init);
            let mut taken = 0;
            for step in 0..a.output {
                let o = if self.from_end { a.output - 1 - step } else { step };
                let start = o as i64 * a.stride - a.pad_low;
                let reach = if self.from_end { n - start } else { start + a.kernel as i64 };
                while taken < reach.clamp(0, n) as usize {
                    let row = if self.from_end { a.input - 1 - taken } else { taken };
                    for (sum, x) in total.iter_mut().zip(&x[row * inner..]) {
                        *sum = combine(*sum, *x);
                    }
                    taken += 1;
                }
                out[o * inner..][..inner].copy_from_slice(&total);
            }
        }
    }
}
