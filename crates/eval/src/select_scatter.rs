//! `select_and_scatter`: the gradient of pooling.
//!
//! First each window's preferred element is found, then the source is scattered to those elements.

use bytemuck::Pod;
use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{CompareType, TensorType, Window};

use crate::axis::Axis;
use crate::cells::Cells;
use crate::convert::convert;
use crate::permute::{expect_shape, product};
use crate::pick::{self, Fold, Visit2};
use crate::reducer::{Cell, Reducer, Shortcut};
use crate::typed::{advance, build, raw};
use crate::window::{axes, walk};

/// The place of a window without elements.
const NOWHERE: usize = usize::MAX;

/// `select_and_scatter(operand, source, init)`: in each window the element that `select` prefers
/// receives the window's element of `source`, combined by `scatter`. A window that lies wholly in
/// the padding prefers nothing.
///
/// # Errors
/// INVALID_ARGUMENT when shapes or types do not fit; those of the regions.
pub(crate) fn select_and_scatter(
    [operand, source, init]: [&Tensor; 3],
    window: &Window,
    select: &mut Reducer<'_>,
    scatter: &mut Reducer<'_>,
    out: &TensorType,
) -> Result<Tensor> {
    let axes = axes(operand.shape(), window)?;
    let output: Vec<usize> = axes.iter().map(|a| a.output).collect();
    expect_shape("select_and_scatter", &output, source.shape())?;
    expect_shape("select_and_scatter", operand.shape(), &out.shape()?)?;
    if init.elements() != 1 {
        return Err(Error::invalid_argument("select_and_scatter starts from a scalar"));
    }
    let (source, init) = (convert(source, out.dtype)?, convert(init, out.dtype)?);
    let targets = preferred(operand, &axes, select)?;
    let work = Scatter { targets: &targets, source: &source, init: &init, out };
    match scatter.shortcut() {
        Some(Shortcut::Binary(op)) => pick::fold(op, out.dtype, work)?,
        _ => work.cells(scatter),
    }
}

/// The position of each window's preferred element.
fn preferred(operand: &Tensor, axes: &[Axis], select: &mut Reducer<'_>) -> Result<Vec<usize>> {
    if let Some(Shortcut::Compare(direction)) = select.shortcut() {
        let work = Preferred { operand, axes };
        return pick::compare(direction, CompareType::None, operand.dtype(), work)?;
    }
    select_each(axes, |kept, next| {
        let mut verdict = [Cell::default()];
        select.call(&[Cell::at(operand, kept)?, Cell::at(operand, next)?], &mut verdict)?;
        Ok(verdict[0].is_true())
    })
}

/// The search for preferred elements by a comparison.
struct Preferred<'a> {
    operand: &'a Tensor,
    axes: &'a [Axis],
}

impl Visit2 for Preferred<'_> {
    type Out = Result<Vec<usize>>;
    fn visit<T: Pod, U: Pod>(self, f: impl Fn(T, T) -> U + Copy + 'static) -> Self::Out {
        let values = raw::<T>(self.operand)?;
        let yes = |answer: U| bytemuck::bytes_of(&answer).iter().any(|&byte| byte != 0);
        select_each(self.axes, |kept, next| Ok(yes(f(values[kept], values[next]))))
    }
}

/// For each window the element that is left when `keeps(kept, next)` is asked of all in order.
fn select_each(
    axes: &[Axis],
    mut keeps: impl FnMut(usize, usize) -> Result<bool>,
) -> Result<Vec<usize>> {
    let output: Vec<usize> = axes.iter().map(|a| a.output).collect();
    let n = product(&output);
    let mut targets = Vec::new();
    targets.try_reserve_exact(n).map_err(|_| {
        Error::resource_exhausted(format!("cannot keep the places of {n} selected elements"))
    })?;
    let mut at = vec![0; output.len()];
    while targets.len() < n {
        let mut kept = NOWHERE;
        walk(axes, &at, 0, 0, &mut |next| {
            if kept == NOWHERE || !keeps(kept, next)? {
                kept = next;
            }
            Ok(())
        })?;
        targets.push(kept);
        advance(&mut at, &output);
    }
    Ok(targets)
}

/// Scatters `source` to `targets` in a result that starts as `init` everywhere.
struct Scatter<'a> {
    targets: &'a [usize],
    source: &'a Tensor,
    init: &'a Tensor,
    out: &'a TensorType,
}

impl Fold for Scatter<'_> {
    type Out = Result<Tensor>;
    fn visit<T: Pod>(self, combine: impl Fn(T, T) -> T + Copy + 'static) -> Result<Tensor> {
        let (source, init) = (raw::<T>(self.source)?, raw::<T>(self.init)?);
        build(self.out.dtype, &self.out.shape()?, |result: &mut [T]| {
            result.fill(init[0]);
            for (&target, &value) in self.targets.iter().zip(source.iter()) {
                if target != NOWHERE {
                    result[target] = combine(result[target], value);
                }
            }
            Ok(())
        })
    }
}

impl Scatter<'_> {
    /// With any reducer.
    fn cells(self, scatter: &mut Reducer<'_>) -> Result<Tensor> {
        let mut result = Cells::zeroed(self.out)?;
        let init = Cell::at(self.init, 0)?;
        for i in 0..self.out.shape()?.elements() {
            result.set(i, &init);
        }
        let mut combined = [Cell::default()];
        for (i, &target) in self.targets.iter().enumerate() {
            if target != NOWHERE {
                let arguments = [result.get(target), Cell::at(self.source, i)?];
                scatter.call(&arguments, &mut combined)?;
                result.set(target, &combined[0]);
            }
        }
        result.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{DType, Shape};
    use tfjit_hlo::{Binary, Direction};

    fn pool_gradient(shortcuts: bool) -> Vec<f32> {
        let operand = [1.0f32, 5.0, 5.0, 2.0, 9.0, 0.0];
        let operand = Tensor::from_slice(Shape::new(&[6]), &operand).unwrap();
        let source = Tensor::from_slice(Shape::new(&[4]), &[10.0f32, 20.0, 30.0, 40.0]).unwrap();
        let window = Window {
            window_dimensions: [3].into_iter().collect(),
            window_strides: [2].into_iter().collect(),
            padding: vec![[2, 2]],
            ..Window::default()
        };
        let mut select = Reducer::new(
            shortcuts.then_some(Shortcut::Compare(Direction::Ge)),
            Box::new(|a, r| {
                r[0] = Cell::of(u8::from(a[0].get::<f32>() >= a[1].get::<f32>()));
                Ok(())
            }),
        );
        let mut scatter = Reducer::new(
            shortcuts.then_some(Shortcut::Binary(Binary::Add)),
            Box::new(|a, r| {
                r[0] = Cell::of(a[0].get::<f32>() + a[1].get::<f32>());
                Ok(())
            }),
        );
        let init = Tensor::scalar(0.5f32);
        let out = TensorType::new(DType::F32, &[6]);
        select_and_scatter([&operand, &source, &init], &window, &mut select, &mut scatter, &out)
            .unwrap()
            .to_vec()
            .unwrap()
    }

    #[test]
    fn the_first_of_equals_is_selected() {
        // Windows see element 0; 0 to 2; 2 to 4; 4 and 5.
        assert_eq!(pool_gradient(true), [10.5, 20.5, 0.5, 0.5, 70.5, 0.5]);
        assert_eq!(pool_gradient(false), pool_gradient(true));
    }
}
