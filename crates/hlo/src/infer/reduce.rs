//! Rules of operations that combine many elements: reductions, windows, sorts.

use tfjit_base::{DType, DTypeClass, Result};

use super::extent::{Extent, Extents, tensor};
use super::rule::{Listed, Rule, ensure};
use super::types::Shown;
use super::window::{self, Span};
use crate::op::TOP_K_INDEX;
use crate::{TensorType, Type, Window};

/// Whether values of `from` may be accumulated in `to`: the same family, not narrower.
fn promotes(from: DType, to: DType) -> bool {
    from.class() == to.class() && from.bits() <= to.bits()
}

/// The element types a combining region accumulates `inputs` in: it must map two sets of scalars
/// of those types to one.
pub(super) fn accumulators(r: &Rule<'_>, region: usize, inputs: &[DType]) -> Result<Vec<DType>> {
    let results = &r.regions[region].results;
    let n = inputs.len();
    ensure!(r, results.len() == n, "region {region} returns {} values, not {n}", results.len());
    let dtypes: Option<Vec<DType>> =
        results.iter().map(|ty| ty.as_tensor().map(|t| t.dtype)).collect();
    let dtypes = dtypes.ok_or_else(|| r.broken(format!("region {region} returns no scalars")))?;
    r.scalar_region(region, &[&dtypes[..], &dtypes[..]].concat())?;
    for (k, (&from, &to)) in inputs.iter().zip(&dtypes).enumerate() {
        ensure!(
            r,
            promotes(from, to),
            "region {region} accumulates input {k} of {from} in {to}, which cannot hold it"
        );
    }
    Ok(dtypes)
}

/// Splits operands into inputs of one shape and as many scalar initial values.
fn inputs<'a>(r: &Rule<'a>) -> Result<(Vec<&'a TensorType>, Extents)> {
    let count = r.operands.len();
    ensure!(
        r,
        count.is_multiple_of(2),
        "{count} operands are not as many inputs as initial values"
    );
    let inputs = r.tensors(0, count / 2)?;
    let mut extents = Extent::all(inputs[0]);
    for (k, input) in inputs.iter().enumerate() {
        extents = r.same_shape(&tensor(inputs[0].dtype, &extents), input, "the inputs")?;
        let init = r.scalar(count / 2 + k)?;
        ensure!(
            r,
            promotes(init.dtype, input.dtype) || promotes(input.dtype, init.dtype),
            "input {k} is {}, its initial value {}",
            Shown(input),
            Shown(init)
        );
    }
    Ok((inputs, extents))
}

/// The results of accumulating `inputs` with region 0 into tensors of `extents`.
fn accumulated(r: &Rule<'_>, inputs: &[&TensorType], extents: &[Extent]) -> Result<Vec<Type>> {
    let dtypes: Vec<DType> = inputs.iter().map(|t| t.dtype).collect();
    let made = accumulators(r, 0, &dtypes)?;
    for (k, &to) in made.iter().enumerate() {
        let init = r.scalar(inputs.len() + k)?.dtype;
        ensure!(r, promotes(init, to), "initial value {k} of {init} does not fit {to}");
    }
    let result = |(k, (input, dtype)): (usize, (&&TensorType, DType))| match &input.quant {
        Some(_) if input.dtype == dtype => r.like(k, input, extents),
        _ => Ok(Type::Tensor(tensor(dtype, extents))),
    };
    inputs.iter().zip(made).enumerate().map(result).collect()
}

pub(super) fn reduce(r: &Rule<'_>, dimensions: &[i64]) -> Result<Vec<Type>> {
    let (inputs, extents) = inputs(r)?;
    let dropped = r.dimensions("dimensions", dimensions, extents.len())?;
    let kept = extents.iter().enumerate().filter(|(d, _)| !dropped.contains(d));
    let kept: Extents = kept.map(|(_, &extent)| extent).collect();
    accumulated(r, &inputs, &kept)
}

pub(super) fn reduce_window(r: &Rule<'_>, window: &Window) -> Result<Vec<Type>> {
    let (inputs, extents) = inputs(r)?;
    let spans = Span::all(r, window, extents.len())?;
    accumulated(r, &inputs, &window::counts(r, &spans, &extents)?)
}

pub(super) fn select_and_scatter(r: &Rule<'_>, window: &Window) -> Result<Vec<Type>> {
    let (x, source, init) = (r.tensor(0)?, r.tensor(1)?, r.scalar(2)?);
    r.same_element(x, source, "operands 0 and 1")?;
    r.same_element(x, init, "operands 0 and 2")?;
    let spans = Span::all(r, window, x.rank())?;
    for dilation in window.base_dilations.iter().chain(&window.window_dilations) {
        ensure!(r, *dilation == 1, "its window has the dilation {dilation}, it must be 1");
    }
    let counts = window::counts(r, &spans, &Extent::all(x))?;
    let wanted = tensor(source.dtype, &counts);
    r.same_shape(&wanted, source, "the windows and operand 1")?;
    let chosen = r.scalar_region(0, &[x.dtype, x.dtype])?;
    ensure!(r, chosen == [DType::Bool], "region 0 returns {}, not (bool)", Listed(&chosen));
    let made = accumulators(r, 1, &[x.dtype])?;
    Ok(vec![match &x.quant {
        Some(_) if made[0] == x.dtype => r.like(0, x, &Extent::all(x))?,
        _ => Type::Tensor(tensor(made[0], &Extent::all(x))),
    }])
}

pub(super) fn sort(r: &Rule<'_>, dimension: i64) -> Result<Vec<Type>> {
    let inputs = r.tensors(0, r.operands.len())?;
    let mut extents = Extent::all(inputs[0]);
    for input in &inputs[1..] {
        extents = r.same_shape(&tensor(inputs[0].dtype, &extents), input, "the operands")?;
    }
    let rank = extents.len();
    let from_end = if dimension < 0 { dimension.saturating_add(rank as i64) } else { dimension };
    r.dimension("dimension", from_end, rank)?;
    let params: Vec<DType> = inputs.iter().flat_map(|t| [t.dtype, t.dtype]).collect();
    let results = r.scalar_region(0, &params)?;
    ensure!(r, results == [DType::Bool], "its region returns {}, not (bool)", Listed(&results));
    inputs.iter().enumerate().map(|(k, input)| r.like(k, input, &extents)).collect()
}

pub(super) fn top_k(r: &Rule<'_>, k: i64) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    r.plain(x, "operand 0")?;
    let real = [DTypeClass::Bool, DTypeClass::Signed, DTypeClass::Unsigned, DTypeClass::Float];
    r.class(x, &real, "operand 0")?;
    let mut extents = Extent::all(x);
    let Some(last) = extents.last_mut() else {
        return Err(r.broken("operand 0 is a scalar, it has no last dimension"));
    };
    ensure!(
        r,
        k >= 0 && last.most().is_none_or(|most| k <= most),
        "k {k} is not within the last dimension of extent {last}"
    );
    *last = Extent::exact(k);
    let values = Type::Tensor(tensor(x.dtype, &extents));
    Ok(vec![values, Type::Tensor(tensor(TOP_K_INDEX, &extents))])
}
