//! Rules of contractions: dot products and convolutions.

use tfjit_base::{DType, DTypeClass, Result};

use super::extent::{Extent, Extents, tensor};
use super::rule::{Rule, ensure};
use super::types::Shown;
use super::window::Span;
use crate::{Convolution, DotGeneral, Precision, TensorType, Type};

/// The family of element types within which operands may mix and accumulate.
fn family(dtype: DType) -> DTypeClass {
    match dtype.class() {
        DTypeClass::Unsigned => DTypeClass::Signed,
        class => class,
    }
}

/// Checks the element types of a contraction.
fn factors(r: &Rule<'_>, x: &TensorType, y: &TensorType, precision: &[Precision]) -> Result<()> {
    let real = |t: &TensorType| t.quant.as_ref().map_or(t.dtype, |q| q.expressed);
    ensure!(
        r,
        family(real(x)) == family(real(y)),
        "the element types of {} and {} do not multiply",
        Shown(x),
        Shown(y)
    );
    let n = precision.len();
    ensure!(r, n == 0 || n == 2, "precision_config has {n} entries, not 2");
    Ok(())
}

/// The result of a contraction: the declared element type if it can hold the products, else that
/// of the first operand.
fn product(r: &Rule<'_>, x: &TensorType, y: &TensorType, extents: &[Extent]) -> Result<Type> {
    let declared = r.maybe_declared(0);
    if x.quant.is_some() || y.quant.is_some() {
        let declared = r.declared(0)?;
        let expressed = |t: &TensorType| t.quant.as_ref().map_or(t.dtype, |q| q.expressed);
        let real = if x.quant.is_some() { expressed(x) } else { expressed(y) };
        let got = expressed(declared);
        ensure!(r, got == real, "{} is no product of {real}", Shown(declared));
        let mut ty = tensor(declared.dtype, extents);
        ty.quant = declared.quant.clone();
        return Ok(Type::Tensor(ty));
    }
    let dtype = declared.map_or(x.dtype, |t| t.dtype);
    let narrower = !dtype.is_float() && dtype.bits() < x.dtype.bits().max(y.dtype.bits());
    // JAX may ask for floats as the sums of integers.
    let holds = family(dtype) == family(x.dtype) || x.dtype.is_int() && dtype.is_float();
    ensure!(
        r,
        holds && !narrower,
        "products of {} and {} do not accumulate in {dtype}",
        x.dtype,
        y.dtype
    );
    Ok(Type::Tensor(tensor(dtype, extents)))
}

pub(super) fn dot_general(r: &Rule<'_>, dot: &DotGeneral) -> Result<Vec<Type>> {
    let (x, y) = (r.tensor(0)?, r.tensor(1)?);
    factors(r, x, y, &dot.precision)?;
    let lists = [&dot.lhs_batching_dimensions, &dot.lhs_contracting_dimensions];
    let lhs = [&lists[0][..], &lists[1][..]].concat();
    let rhs = [&dot.rhs_batching_dimensions[..], &dot.rhs_contracting_dimensions[..]].concat();
    let batching = lists[0].len();
    r.length("rhs_batching_dimensions", &dot.rhs_batching_dimensions, batching)?;
    r.length("rhs_contracting_dimensions", &dot.rhs_contracting_dimensions, lists[1].len())?;
    let lhs = r.dimensions("lhs batching and contracting dimensions", &lhs, x.rank())?;
    let rhs = r.dimensions("rhs batching and contracting dimensions", &rhs, y.rank())?;
    let mut extents = Extents::new();
    for (k, (&i, &j)) in lhs.iter().zip(&rhs).enumerate() {
        let (a, b) = (Extent::of(x, i), Extent::of(y, j));
        let both = a.meet(b);
        ensure!(
            r,
            both.is_some(),
            "dimension {i} of operand 0 has extent {a}, dimension {j} of operand 1 has {b}"
        );
        extents.extend(both.filter(|_| k < batching));
    }
    for (ty, used) in [(x, &lhs), (y, &rhs)] {
        let free = (0..ty.rank()).filter(|d| !used.contains(d));
        extents.extend(free.map(|d| Extent::of(ty, d)));
    }
    Ok(vec![product(r, x, y, &extents)?])
}

/// The dimension numbers of one of the three tensors of a convolution: two special dimensions and
/// the spatial ones, together each dimension once.
fn layout(
    r: &Rule<'_>,
    what: &str,
    special: [i64; 2],
    spatial: &[i64],
    rank: usize,
) -> Result<([usize; 2], Vec<usize>)> {
    r.length(&format!("{what}_spatial_dimensions"), spatial, rank - 2)?;
    let all = [&special[..], spatial].concat();
    let dims = r.dimensions(&format!("{what} dimension numbers"), &all, rank)?;
    Ok(([dims[0], dims[1]], dims[2..].to_vec()))
}

/// Checks that `parts` divides `extent`, and divides.
fn divided(r: &Rule<'_>, what: &str, extent: Extent, parts: i64) -> Result<Extent> {
    if let Some(n) = extent.size() {
        ensure!(r, n % parts == 0, "{what} of {n} cannot be divided by {parts} groups");
    }
    extent.map(|n| Ok(n / parts))
}

pub(super) fn convolution(r: &Rule<'_>, conv: &Convolution) -> Result<Vec<Type>> {
    let spatial = r.tensor(0)?.rank().saturating_sub(2);
    r.length("padding", &conv.padding, spatial)?;
    let padding: Vec<Option<[i64; 2]>> = conv.padding.iter().copied().map(Some).collect();
    convolve(r, conv, &padding)
}

/// A convolution whose padding is a third operand.
pub(super) fn dynamic_conv(r: &Rule<'_>, conv: &Convolution) -> Result<Vec<Type>> {
    let spatial = r.tensor(0)?.rank().saturating_sub(2);
    let padding = r.tensor(2)?;
    let fits = padding.rank() == 2
        && padding.dtype.is_int()
        && Extent::of(padding, 0).may_be(spatial as i64)
        && Extent::of(padding, 1).may_be(2);
    ensure!(r, fits, "the padding is {}, not {spatial} pairs of integers", Shown(padding));
    convolve(r, conv, &vec![None; spatial])
}

fn convolve(r: &Rule<'_>, c: &Convolution, padding: &[Option<[i64; 2]>]) -> Result<Vec<Type>> {
    let (x, k) = (r.tensor(0)?, r.tensor(1)?);
    factors(r, x, k, &c.precision)?;
    let rank = x.rank();
    ensure!(r, rank >= 2 && k.rank() == rank, "{} and {} do not convolve", Shown(x), Shown(k));
    for (what, list) in [
        ("window_strides", &c.window_strides),
        ("lhs_dilation", &c.lhs_dilation),
        ("rhs_dilation", &c.rhs_dilation),
    ] {
        r.length(what, list, rank - 2)?;
        r.at_least(what, list, 1)?;
    }
    r.length("window_reversal", &c.window_reversal, rank - 2)?;
    let special = [c.input_batch_dimension, c.input_feature_dimension];
    let ([batch, feature], inputs) =
        layout(r, "input", special, &c.input_spatial_dimensions, rank)?;
    let special = [c.kernel_input_feature_dimension, c.kernel_output_feature_dimension];
    let ([kernel_in, kernel_out], kernels) =
        layout(r, "kernel", special, &c.kernel_spatial_dimensions, rank)?;
    let special = [c.output_batch_dimension, c.output_feature_dimension];
    let ([out_batch, out_feature], outputs) =
        layout(r, "output", special, &c.output_spatial_dimensions, rank)?;
    let (features, filters) = (Extent::of(x, feature), Extent::of(k, kernel_out));
    let group = Groups { batch: Extent::of(x, batch), features, filters };
    let batches = group.check(r, c, Extent::of(k, kernel_in))?;
    let mut extents: Extents = (0..rank).map(|_| Extent::UNKNOWN).collect();
    extents[out_batch] = batches;
    extents[out_feature] = filters;
    for i in 0..rank - 2 {
        let Some(padding) = padding[i] else { continue };
        let span = Span {
            size: Extent::of(k, kernels[i]),
            stride: c.window_strides[i],
            base_dilation: c.lhs_dilation[i],
            window_dilation: c.rhs_dilation[i],
            padding,
        };
        extents[outputs[i]] = span.count(r, inputs[i], Extent::of(x, inputs[i]))?;
    }
    Ok(vec![product(r, x, k, &extents)?])
}

/// The extents that grouping divides.
struct Groups {
    batch: Extent,
    features: Extent,
    filters: Extent,
}

impl Groups {
    /// Checks C11, C12, C15 to C17 and C22 to C24, and gives the batches of the result.
    fn check(&self, r: &Rule<'_>, c: &Convolution, kernel_features: Extent) -> Result<Extent> {
        let (features, batches) = (c.feature_group_count, c.batch_group_count);
        r.at_least("feature_group_count", &[features], 1)?;
        r.at_least("batch_group_count", &[batches], 1)?;
        ensure!(r, features == 1 || batches == 1, "both feature and batch groups are given");
        let each = divided(r, "a feature dimension", self.features, features)?;
        ensure!(
            r,
            each.meet(kernel_features).is_some(),
            "the kernel takes {kernel_features} features, the input has {each} a group"
        );
        divided(r, "the kernel's output feature dimension", self.filters, features)?;
        divided(r, "the kernel's output feature dimension", self.filters, batches)?;
        divided(r, "the batch dimension", self.batch, batches)
    }
}
