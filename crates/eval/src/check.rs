//! The calls of test programs: `check.*` compares, `interpreter.*` shows and remembers.
//!
//! A check that fails is FAILED_PRECONDITION, naming the first element that differs.

use tfjit_base::{
    Complex32, Complex64, DType, Error, MiniFloat, Result, Tensor, bf16, f16, limits,
};
use tfjit_hlo::{Attr, CustomCall};

use crate::Value;
use crate::custom::{Call, attribute};
use crate::interpreter::Run;
use crate::math::order::Code;
use crate::reducer::Cell;

/// Largest difference `almost_eq` accepts unless told otherwise.
const TOLERANCE: f64 = 1e-4;
/// Largest distance in units in the last place that `close` accepts unless told otherwise.
const ULPS: i64 = 3;

/// The two tensors a check compares: the second may be a constant of the call.
fn sides(call: &Call<'_>) -> Result<(Tensor, Tensor)> {
    let got = call.operands.first().map(Value::tensor).transpose()?;
    let want = match (call.operands.get(1), attribute(call.call, "value")) {
        (Some(value), _) => Some(value.tensor()?.clone()),
        (None, Some(Attr::Dense(literal))) => Some(literal.to_tensor()?),
        (None, _) => None,
    };
    match (got, want) {
        (Some(got), Some(want)) => Ok((got.clone(), want)),
        _ => Err(Error::invalid_argument("a check compares two tensors")),
    }
}

/// Compares element by element with `same`, which gets positions.
fn compare(
    run: &mut Run<'_, '_>,
    name: &str,
    got: &Tensor,
    want: &Tensor,
    same: impl Fn(usize) -> bool,
) -> Result<Vec<Value>> {
    if got.dtype() != want.dtype() || got.shape() != want.shape() {
        return Err(Error::failed_precondition(format!(
            "{name}: got {}{}, want {}{}",
            got.dtype(),
            got.shape(),
            want.dtype(),
            want.shape()
        )));
    }
    let mut wrong = (0..got.elements()).filter(|&i| !same(i));
    let Some(first) = wrong.next() else {
        run.checks += 1;
        return Ok(Vec::new());
    };
    let others = wrong.count();
    let mut rest = first;
    let index: Vec<String> = got
        .shape()
        .strides()
        .iter()
        .map(|stride| {
            let i = rest / stride;
            rest %= stride;
            i.to_string()
        })
        .collect();
    let more = if others == 0 { String::new() } else { format!("; {others} more differ") };
    Err(Error::failed_precondition(format!(
        "{name}: element [{}] is {}, want {}{more}",
        index.join(", "),
        show(got, first),
        show(want, first)
    )))
}

/// One element as text.
fn show(x: &Tensor, i: usize) -> String {
    match parts(x, i) {
        Some([re, im]) if x.dtype().is_complex() => format!("({re:?}, {im:?})"),
        Some([re, _]) if x.dtype().is_float() => format!("{re:?}"),
        _ => {
            let element = Cell::at(x, i).and_then(|cell| cell.to_tensor(x.dtype())?.to_i64s());
            match (element.unwrap_or_default().first(), x.dtype()) {
                (Some(&value), DType::U64) => (value as u64).to_string(),
                (Some(&value), DType::Bool) => (value != 0).to_string(),
                (Some(value), _) => value.to_string(),
                (None, _) => "?".to_owned(),
            }
        }
    }
}

/// Real and imaginary part of an element; `None` for integers and booleans.
fn parts(x: &Tensor, i: usize) -> Option<[f64; 2]> {
    fn at<T: bytemuck::Pod>(x: &Tensor, i: usize) -> Option<T> {
        Cell::at(x, i).ok().map(|cell| cell.get())
    }
    Some(match x.dtype() {
        DType::F64 => [at(x, i)?, 0.0],
        DType::F32 => [at::<f32>(x, i)?.into(), 0.0],
        DType::F16 => [at::<f16>(x, i)?.into(), 0.0],
        DType::BF16 => [at::<bf16>(x, i)?.into(), 0.0],
        DType::C64 => at::<Complex32>(x, i).map(|z| [z.re.into(), z.im.into()])?,
        DType::C128 => at::<Complex64>(x, i).map(|z| [z.re, z.im])?,
        other => [MiniFloat::of(other)?.decode(at(x, i)?).into(), 0.0],
    })
}

/// Equal bits, or both NaN.
fn same_element(got: &Tensor, want: &Tensor, i: usize) -> bool {
    let width = got.dtype().size();
    if got.bytes()[i * width..][..width] == want.bytes()[i * width..][..width] {
        return true;
    }
    match (parts(got, i), parts(want, i)) {
        (Some(x), Some(y)) => x.iter().zip(y).all(|(&x, y)| {
            x.is_nan() && y.is_nan() || x == y && x.is_sign_negative() == y.is_sign_negative()
        }),
        _ => false,
    }
}

/// `check.expect_eq`.
pub(crate) fn equal(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let (got, want) = sides(&call)?;
    let same = |i| same_element(&got, &want, i);
    compare(run, &call.call.call_target_name, &got, &want, same)
}

/// `check.expect_almost_eq`: within an absolute tolerance; NaN and infinities as they are.
pub(crate) fn almost_equal(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let (got, want) = sides(&call)?;
    let tolerance = match attribute(call.call, "tolerance") {
        Some(Attr::Float(tolerance, _)) => *tolerance,
        _ => TOLERANCE,
    };
    let same = |i| match (parts(&got, i), parts(&want, i)) {
        (Some(x), Some(y)) => x
            .iter()
            .zip(y)
            .all(|(&x, y)| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance),
        _ => same_element(&got, &want, i),
    };
    compare(run, &call.call.call_target_name, &got, &want, same)
}

/// `check.expect_close`: between a smallest and a largest distance in units in the last place.
pub(crate) fn close(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let (got, want) = sides(&call)?;
    let bound = |name: &str, default: i64| match attribute(call.call, name) {
        Some(Attr::Int(ulps, _)) => i128::from(*ulps),
        _ => default.into(),
    };
    let range = bound("min_ulp_difference", 0)..=bound("max_ulp_difference", ULPS);
    let same = |i| {
        ulps(&got, &want, i).map_or_else(|| same_element(&got, &want, i), |d| range.contains(&d))
    };
    compare(run, &call.call.call_target_name, &got, &want, same)
}

/// Distance in units in the last place; the larger one of the parts of a complex number.
fn ulps(got: &Tensor, want: &Tensor, i: usize) -> Option<i128> {
    let (x, y) = (parts(got, i)?, parts(want, i)?);
    let key = |v: f64| -> i128 {
        let dtype = got.dtype().real();
        // Both zeros count as one number.
        let v = if v == 0.0 { 0.0 } else { v };
        match dtype {
            DType::F64 => v.to_bits().total_key().into(),
            DType::F32 => (v as f32).to_bits().total_key().into(),
            DType::F16 => f16::from_f64(v).to_bits().total_key().into(),
            DType::BF16 => bf16::from_f64(v).to_bits().total_key().into(),
            other => match MiniFloat::of(other) {
                Some(mini) => i128::from(mini.encode_f64(v.abs())) * if v < 0.0 { -1 } else { 1 },
                None => 0,
            },
        }
    };
    let distance = |(x, y): (f64, f64)| match (x.is_nan(), y.is_nan()) {
        (true, true) => 0,
        (false, false) => {
            let (x, y) = (key(x), key(y));
            // Negative keys of the total order skip one between the zeros.
            let fold = |k: i128| if k < 0 { k + 1 } else { k };
            (fold(x) - fold(y)).abs()
        }
        _ => i128::MAX,
    };
    x.into_iter().zip(y).map(distance).max()
}

fn text<'c>(call: &'c CustomCall, name: &str) -> Result<&'c str> {
    match attribute(call, name) {
        Some(Attr::Str(text)) => Ok(text),
        _ => Err(Error::invalid_argument(format!("{} has no {name}", call.call_target_name))),
    }
}

/// `interpreter.probe`: remembers its operand under an id and returns it.
pub(crate) fn probe(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let id = text(call.call, "probe_id")?;
    let seen = run.probes.entry(id.to_owned()).or_default();
    if seen.len() >= limits::PROBLEMS_MAX {
        return Err(Error::resource_exhausted(format!("probe {id:?} is passed too often")));
    }
    for value in &call.operands {
        seen.push(value.tensor()?.clone());
    }
    Ok(call.operands)
}

/// `check.expect_serialized_eq`: what a probe saw, at an iteration.
pub(crate) fn probed(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let id = text(call.call, "probe_id")?;
    let iteration = match attribute(call.call, "iter").or(attribute(call.call, "iteration")) {
        Some(Attr::Int(i, _)) => usize::try_from(*i).unwrap_or(usize::MAX),
        _ => 0,
    };
    let want = call.operands.first().map(Value::tensor).transpose()?;
    let want = want.ok_or_else(|| Error::invalid_argument("a check of nothing"))?;
    let seen = run.probes.get(id).and_then(|seen| seen.get(iteration)).cloned();
    let seen = seen.ok_or_else(|| {
        Error::failed_precondition(format!("probe {id:?} was not passed {} times", iteration + 1))
    })?;
    compare(run, &call.call.call_target_name, &seen, want, |i| same_element(&seen, want, i))
}

/// `interpreter.print`: the operand as text, to the host.
pub(crate) fn print(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    if let Some(host) = run.options().host {
        for value in &call.operands {
            let x = value.tensor()?;
            let shown = x.elements().min(limits::PROBLEMS_MAX);
            let elements: Vec<String> = (0..shown).map(|i| show(x, i)).collect();
            let more = if shown < x.elements() { ", ..." } else { "" };
            let (dtype, shape) = (x.dtype(), x.shape());
            host.print(&format!("{dtype}{shape} {{{}{more}}}\n", elements.join(", ")));
        }
    }
    let mut operands = call.operands;
    operands.truncate(call.results.len());
    Ok(operands)
}
