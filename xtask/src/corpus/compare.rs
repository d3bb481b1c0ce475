//! Whether a result is right: element by element, `|got - want| <= atol + rtol * |want|`.
//!
//! NaN equals NaN, infinities must be equal, integers, booleans and strings exact. The kinds of
//! comparison that look at several results together are in `kinds`.

use std::fmt::Debug;

use anyhow::{Result, bail, ensure};
use serde::Deserialize;
use tfjit_base::{Complex, DType, DTypeClass, Tensor};

/// A tolerance, as manifests write it.
#[derive(Clone, Copy, Default, Deserialize, Debug)]
pub(crate) struct Tolerance {
    /// Relative part.
    #[serde(default)]
    pub(crate) rtol: f64,
    /// Absolute part.
    #[serde(default)]
    pub(crate) atol: f64,
}

impl Tolerance {
    /// What is asked where a manifest says nothing.
    pub(crate) fn usual(dtype: DType) -> Tolerance {
        match dtype {
            DType::BF16 => Tolerance { rtol: 3.2e-2, atol: 1e-2 },
            DType::F16 => Tolerance { rtol: 4e-3, atol: 1e-3 },
            DType::F64 | DType::C128 => Tolerance { rtol: 1e-10, atol: 1e-12 },
            _ => Tolerance { rtol: 1e-4, atol: 1e-5 },
        }
    }
}

/// A complex number of double precision; real ones have an imaginary part of 0.
pub(crate) type Number = Complex<f64>;

/// The elements of any tensor of real or complex numbers.
pub(crate) fn numbers(tensor: &Tensor) -> Result<Vec<Number>> {
    let wide = |v: &Complex<f32>| Complex::new(f64::from(v.re), f64::from(v.im));
    Ok(match tensor.dtype() {
        DType::C64 => tensor.as_slice::<Complex<f32>>()?.iter().map(wide).collect(),
        DType::C128 => tensor.to_vec::<Complex<f64>>()?,
        _ => tensor.to_f64s()?.into_iter().map(|v| Complex::new(v, 0.0)).collect(),
    })
}

/// Whether `got` is close to `want`; the error describes the worst element.
pub(crate) fn close(got: &Tensor, want: &Tensor, tolerance: Tolerance) -> Result<()> {
    same_form(got, want)?;
    match want.dtype().class() {
        DTypeClass::Float | DTypeClass::Complex => {
            let (got, mut judge) = (numbers(got)?, Judge::new(want));
            for (i, (got, want)) in got.iter().zip(numbers(want)?).enumerate() {
                judge.number(i, *got, want, tolerance);
            }
            judge.finish()
        }
        DTypeClass::String => {
            let text = |s: &Vec<u8>| String::from_utf8_lossy(s).into_owned();
            let all =
                |t: &Tensor| t.as_strings().unwrap_or(&[]).iter().map(text).collect::<Vec<_>>();
            exact(&all(got), &all(want), want)
        }
        DTypeClass::Bool | DTypeClass::Signed | DTypeClass::Unsigned => {
            exact(&got.to_i64s()?, &want.to_i64s()?, want)
        }
    }
}

/// Whether element type and shape agree.
pub(crate) fn same_form(got: &Tensor, want: &Tensor) -> Result<()> {
    ensure!(
        got.dtype() == want.dtype() && got.shape() == want.shape(),
        "got {}{}, want {}{}",
        got.dtype(),
        got.shape(),
        want.dtype(),
        want.shape()
    );
    Ok(())
}

fn exact<T: PartialEq + Debug>(got: &[T], want: &[T], form: &Tensor) -> Result<()> {
    let differ = || got.iter().zip(want).enumerate().filter(|(_, (g, w))| g != w);
    let Some((i, (g, w))) = differ().next() else { return Ok(()) };
    let (n, at, all) = (differ().count(), place(i, form.shape()), want.len());
    bail!("{}{}: {n} of {all} differ; at {at} got {g:?}, want {w:?}", form.dtype(), form.shape())
}

/// The index of element `i` in each dimension.
fn place(mut i: usize, dims: &[usize]) -> String {
    let mut index = vec![0; dims.len()];
    for (slot, &dim) in index.iter_mut().zip(dims).rev() {
        (*slot, i) = (i % dim.max(1), i / dim.max(1));
    }
    format!("{index:?}")
}

/// Collects the elements that are wrong and keeps the worst.
pub(crate) struct Judge<'a> {
    form: &'a Tensor,
    wrong: usize,
    worst: Option<(usize, f64, Number, Number, f64)>,
}

impl<'a> Judge<'a> {
    /// A judge of elements of `form`.
    pub(crate) fn new(form: &'a Tensor) -> Judge<'a> {
        Judge { form, wrong: 0, worst: None }
    }

    /// Looks at element `i`.
    pub(crate) fn number(&mut self, i: usize, got: Number, want: Number, tolerance: Tolerance) {
        let allowed = tolerance.atol + tolerance.rtol * want.norm();
        let excess = if want.is_finite() && got.is_finite() {
            let difference = (got - want).norm();
            if difference <= allowed { return } else { difference / allowed }
        } else {
            let same = |g: f64, w: f64| {
                let finite =
                    w.is_finite() && (g - w).abs() <= tolerance.atol + tolerance.rtol * w.abs();
                g == w || (g.is_nan() && w.is_nan()) || finite
            };
            if same(got.re, want.re) && same(got.im, want.im) { return } else { f64::INFINITY }
        };
        self.wrong += 1;
        if self.worst.is_none_or(|(_, worst, ..)| excess > worst) {
            self.worst = Some((i, excess, got, want, allowed));
        }
    }

    /// An error that describes the worst element, if any was wrong.
    pub(crate) fn finish(self) -> Result<()> {
        let Some((i, _, got, want, allowed)) = self.worst else { return Ok(()) };
        let form = self.form;
        let show = |v: Number| {
            if form.dtype().is_complex() { format!("{v}") } else { format!("{}", v.re) }
        };
        bail!(
            "{}{}: {} of {} differ; worst at {}: got {}, want {}, off by {:.3e}, allowed {:.1e}",
            form.dtype(),
            form.shape(),
            self.wrong,
            form.elements(),
            place(i, form.shape()),
            show(got),
            show(want),
            (got - want).norm(),
            allowed
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::Shape;

    const EXACT: Tolerance = Tolerance { rtol: 0.0, atol: 0.0 };

    fn floats(values: &[f32]) -> Tensor {
        Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
    }

    #[test]
    fn the_formula() {
        let tolerance = Tolerance { rtol: 0.5, atol: 0.5 };
        assert!(close(&floats(&[2.5]), &floats(&[2.0]), tolerance).is_ok());
        assert!(close(&floats(&[3.5]), &floats(&[2.0]), tolerance).is_ok());
        assert!(close(&floats(&[3.6]), &floats(&[2.0]), tolerance).is_err());
        assert!(close(&floats(&[0.0]), &floats(&[-0.0]), EXACT).is_ok());
    }

    #[test]
    fn what_is_not_finite() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let wide = Tolerance { rtol: 1.0, atol: 1.0 };
        assert!(close(&floats(&[nan, inf]), &floats(&[nan, inf]), EXACT).is_ok());
        for (got, want) in [(nan, 0.0), (0.0, nan), (inf, -inf), (inf, 1.0), (1.0, inf)] {
            assert!(close(&floats(&[got]), &floats(&[want]), wide).is_err(), "{got} {want}");
        }
        let complex = |re, im| Tensor::scalar(Complex::<f64>::new(re, im));
        let (a, b) = (complex(f64::NAN, 1.0), complex(f64::NAN, 3.5));
        assert!(close(&a, &a, EXACT).is_ok());
        assert!(close(&a, &b, Tolerance { rtol: 0.0, atol: 1.0 }).is_err());
    }

    #[test]
    fn the_message_names_the_worst_element() {
        let error = close(&floats(&[1.0, 9.0, 2.0]), &floats(&[0.0, 1.0, 2.0]), EXACT);
        let text = error.unwrap_err().to_string();
        assert!(text.contains("2 of 3 differ; worst at [0]: got 1, want 0"), "{text}");
    }

    #[test]
    fn integers_strings_and_forms_are_exact() {
        let int = |v: i64| Tensor::scalar(v);
        assert!(close(&int(1 << 60), &int(1 << 60), EXACT).is_ok());
        let near = close(&int((1 << 60) + 1), &int(1 << 60), Tolerance { rtol: 1.0, atol: 1.0 });
        assert!(near.is_err());
        let text = |s: &str| Tensor::strings(Shape::scalar(), vec![s.into()]).unwrap();
        assert!(close(&text("a"), &text("a"), EXACT).is_ok());
        assert!(close(&text("a"), &text("b"), EXACT).is_err());
        assert!(close(&floats(&[1.0]), &Tensor::scalar(1.0f32), EXACT).is_err());
        assert!(close(&Tensor::scalar(1i32), &int(1), EXACT).is_err());
    }

    #[test]
    fn places() {
        assert_eq!(place(5, &[2, 3]), "[1, 2]");
        assert_eq!(place(0, &[]), "[]");
    }
}
