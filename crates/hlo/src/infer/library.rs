//! Rules of whole-matrix operations, Fourier transforms and batch normalisation.

use tfjit_base::{DType, DTypeClass, Result};

use super::extent::{Extent, Extents, tensor};
use super::rule::{Rule, ensure};
use super::types::Shown;
use crate::{FftType, TensorType, Type};

const INEXACT: &[DTypeClass] = &[DTypeClass::Float, DTypeClass::Complex];

/// Checks that `x` is a batch of square matrices, and gives their extent.
fn square(r: &Rule<'_>, x: &TensorType) -> Result<Extent> {
    r.plain(x, "operand 0")?;
    r.class(x, INEXACT, "operand 0")?;
    let rank = x.rank();
    ensure!(r, rank >= 2, "{} is no matrix", Shown(x));
    let both = Extent::of(x, rank - 2).meet(Extent::of(x, rank - 1));
    both.ok_or_else(|| r.broken(format!("the matrices of {} are not square", Shown(x))))
}

pub(super) fn cholesky(r: &Rule<'_>) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    square(r, x)?;
    Ok(vec![Type::Tensor(x.clone())])
}

pub(super) fn triangular_solve(r: &Rule<'_>, left_side: bool) -> Result<Vec<Type>> {
    let (a, b) = (r.tensor(0)?, r.tensor(1)?);
    let n = square(r, a)?;
    r.same_element(a, b, "the operands")?;
    let rank = a.rank();
    ensure!(r, b.rank() == rank, "operand 1 has rank {}, operand 0 has {rank}", b.rank());
    for d in 0..rank - 2 {
        let (p, q) = (Extent::of(a, d), Extent::of(b, d));
        ensure!(r, p.meet(q).is_some(), "dimension {d} has the extents {p} and {q}");
    }
    let side = if left_side { rank - 2 } else { rank - 1 };
    let m = Extent::of(b, side);
    ensure!(r, n.meet(m).is_some(), "matrices of {n} rows do not solve for {m}");
    Ok(vec![Type::Tensor(b.clone())])
}

pub(super) fn fft(r: &Rule<'_>, fft_type: FftType, lengths: &[i64]) -> Result<Vec<Type>> {
    let x = r.tensor(0)?;
    let n = lengths.len();
    ensure!(r, (1..=3).contains(&n) && n <= x.rank(), "fft_length has {n} entries");
    r.at_least("fft_length", lengths, 0)?;
    let makes = match (fft_type, x.dtype) {
        (FftType::Fft | FftType::Ifft, DType::C64 | DType::C128) => x.dtype,
        (FftType::Rfft, DType::F32) => DType::C64,
        (FftType::Rfft, DType::F64) => DType::C128,
        (FftType::Irfft, DType::C64 | DType::C128) => x.dtype.real(),
        _ => return Err(r.broken(format!("{fft_type} does not take {}", Shown(x)))),
    };
    let mut extents = Extent::all(x);
    let first = extents.len() - n;
    for (i, &length) in lengths.iter().enumerate() {
        let half = if length == 0 { 0 } else { length / 2 + 1 };
        let last = i + 1 == n;
        let (takes, gives) = match fft_type {
            FftType::Rfft if last => (length, half),
            FftType::Irfft if last => (half, length),
            _ => (length, length),
        };
        let given = extents[first + i];
        ensure!(
            r,
            given.may_be(takes),
            "dimension {} has extent {given}, a transform of {length} takes {takes}",
            first + i
        );
        extents[first + i] = Extent::exact(gives);
    }
    Ok(vec![Type::Tensor(tensor(makes, &extents))])
}

/// Checks a batch normalisation with the vectors at operands `vectors`, and gives the operand and
/// the extent of its features.
fn normalised<'a>(
    r: &Rule<'a>,
    feature_index: i64,
    vectors: &[usize],
) -> Result<(&'a TensorType, Extent)> {
    let x = r.tensor(0)?;
    r.plain(x, "operand 0")?;
    r.class(x, &[DTypeClass::Float], "operand 0")?;
    let d = r.dimension("feature_index", feature_index, x.rank())?;
    let mut features = Extent::of(x, d);
    for &i in vectors {
        let vector = r.tensor(i)?;
        r.same_element(x, vector, &format!("operands 0 and {i}"))?;
        let both = (vector.rank() == 1).then(|| features.meet(Extent::of(vector, 0))).flatten();
        features = both.ok_or_else(|| {
            r.broken(format!("operand {i} is {}, not a vector of {features}", Shown(vector)))
        })?;
    }
    Ok((x, features))
}

pub(super) fn batch_norm_inference(r: &Rule<'_>, feature_index: i64) -> Result<Vec<Type>> {
    let (x, _) = normalised(r, feature_index, &[1, 2, 3, 4])?;
    Ok(vec![Type::Tensor(x.clone())])
}

pub(super) fn batch_norm_training(r: &Rule<'_>, feature_index: i64) -> Result<Vec<Type>> {
    let (x, features) = normalised(r, feature_index, &[1, 2])?;
    let vector = Type::Tensor(tensor(x.dtype, &[features]));
    Ok(vec![Type::Tensor(x.clone()), vector.clone(), vector])
}

pub(super) fn batch_norm_grad(r: &Rule<'_>, feature_index: i64) -> Result<Vec<Type>> {
    let (x, features) = normalised(r, feature_index, &[1, 2, 3])?;
    let grad = r.tensor(4)?;
    r.same_element(x, grad, "operands 0 and 4")?;
    let extents: Extents = r.same_shape(x, grad, "operands 0 and 4")?;
    let vector = Type::Tensor(tensor(x.dtype, &[features]));
    Ok(vec![Type::Tensor(tensor(x.dtype, &extents)), vector.clone(), vector])
}
