//! `fft`: discrete Fourier transforms along the last one to three dimensions.
//!
//! All types are transformed in double precision and rounded once.

use rustfft::{FftDirection, FftPlanner};
use tfjit_base::{Complex64, Error, Result, Tensor, limits};
use tfjit_hlo::{FftType, TensorType};

use crate::accum::{from_complex, from_f64s, to_complex};
use crate::permute::{expect_shape, product};

/// `fft(operand)`: `fft_length` holds the lengths of the transform's dimensions. `RFFT` keeps the
/// first half (and one) of the last dimension, `IRFFT` starts from it; inverses are divided by the
/// number of elements.
///
/// # Errors
/// INVALID_ARGUMENT when lengths, shapes or types do not fit.
pub(crate) fn fft(
    operand: &Tensor,
    fft_type: FftType,
    fft_length: &[i64],
    out: &TensorType,
) -> Result<Tensor> {
    let lengths = checked_lengths(fft_length, operand.shape().rank())?;
    let shape = operand.shape();
    let (batch, dims) = shape.split_at(shape.rank() - lengths.len());
    let mut half = lengths.clone();
    if let Some(last) = half.last_mut() {
        *last = if *last == 0 { 0 } else { *last / 2 + 1 };
    }
    let (input, output, real_input, real_output) = match fft_type {
        FftType::Fft | FftType::Ifft => (&lengths, &lengths, false, false),
        FftType::Rfft => (&lengths, &half, true, false),
        FftType::Irfft => (&half, &lengths, false, true),
    };
    if dims != input.as_slice()
        || operand.dtype().is_complex() == real_input
        || out.dtype.is_complex() == real_output
    {
        return Err(Error::invalid_argument(format!(
            "{fft_type} of lengths {lengths:?} does not take {}{shape} to {}",
            operand.dtype(),
            out.dtype
        )));
    }
    let result_shape = out.shape()?;
    expect_shape("fft", &[batch, output].concat(), &result_shape)?;
    if result_shape.elements() == 0 {
        return Tensor::zeros(out.dtype, result_shape);
    }
    let values = to_complex(operand)?;
    let values = match fft_type {
        FftType::Fft => transform(values, &lengths, FftDirection::Forward),
        FftType::Ifft => transform(values, &lengths, FftDirection::Inverse),
        FftType::Rfft => {
            let all = transform(values, &lengths, FftDirection::Forward);
            first_columns(&all, lengths[lengths.len() - 1], half[half.len() - 1])
        }
        FftType::Irfft => inverse_real(values, &half, &lengths),
    };
    let inverse = matches!(fft_type, FftType::Ifft | FftType::Irfft);
    let scale = if inverse { 1.0 / product(&lengths) as f64 } else { 1.0 };
    if real_output {
        from_f64s(out.dtype, &result_shape, values.iter().map(|v| v.re * scale))
    } else {
        from_complex(out.dtype, &result_shape, values.iter().map(|v| v * scale))
    }
}

fn checked_lengths(fft_length: &[i64], rank: usize) -> Result<Vec<usize>> {
    if !(1..=3).contains(&fft_length.len()) || fft_length.len() > rank {
        return Err(Error::invalid_argument(format!(
            "a transform has 1 to 3 dimensions of a tensor of rank {rank}, not {}",
            fft_length.len()
        )));
    }
    fft_length
        .iter()
        .map(|&n| match usize::try_from(n) {
            Ok(n) if n <= limits::FFT_LENGTH_MAX => Ok(n),
            Ok(_) => Err(Error::resource_exhausted(format!(
                "a transform of length {n} is longer than {}",
                limits::FFT_LENGTH_MAX
            ))),
            Err(_) => Err(Error::invalid_argument("a transform has a negative length")),
        })
        .collect()
}

/// Transforms along the trailing dimensions of extents `lengths`, none of which is 0, unscaled.
fn transform(
    mut values: Vec<Complex64>,
    lengths: &[usize],
    direction: FftDirection,
) -> Vec<Complex64> {
    let mut inner = 1;
    for &n in lengths.iter().rev() {
        along(&mut values, n, inner, direction);
        inner *= n;
    }
    values
}

/// Transforms along a dimension of extent `n` whose neighbours are `inner` elements apart.
fn along(values: &mut [Complex64], n: usize, inner: usize, direction: FftDirection) {
    if n <= 1 {
        return;
    }
    let plan = FftPlanner::new().plan_fft(n, direction);
    let mut scratch = vec![Complex64::default(); plan.get_inplace_scratch_len()];
    if inner == 1 {
        plan.process_with_scratch(values, &mut scratch);
        return;
    }
    let mut line = vec![Complex64::default(); n];
    for block in values.chunks_exact_mut(n * inner) {
        for i in 0..inner {
            for (slot, value) in line.iter_mut().zip(block[i..].iter().step_by(inner)) {
                *slot = *value;
            }
            plan.process_with_scratch(&mut line, &mut scratch);
            for (slot, value) in block[i..].iter_mut().step_by(inner).zip(&line) {
                *slot = *value;
            }
        }
    }
}

/// The first `keep` of each `n` elements.
fn first_columns(values: &[Complex64], n: usize, keep: usize) -> Vec<Complex64> {
    values.chunks_exact(n).flat_map(|row| &row[..keep]).copied().collect()
}

/// The inverse of a transform of real values, of which the last dimension holds only the first half
/// and one: the rest is its conjugate mirror image. What is not conjugate-symmetric in the input
/// (an imaginary part of the first or middle column) does not reach the real part.
fn inverse_real(values: Vec<Complex64>, half: &[usize], lengths: &[usize]) -> Vec<Complex64> {
    let last = lengths.len() - 1;
    let (n, kept) = (lengths[last], half[last]);
    let mut values = values;
    let mut inner = kept;
    for &length in lengths[..last].iter().rev() {
        along(&mut values, length, inner, FftDirection::Inverse);
        inner *= length;
    }
    let mut full = Vec::with_capacity(values.len() / kept * n);
    for row in values.chunks_exact(kept) {
        full.extend_from_slice(row);
        full.extend((kept..n).map(|i| row[n - i].conj()));
    }
    along(&mut full, n, 1, FftDirection::Inverse);
    full
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{Complex32, DType, Shape};

    /// The definition, in one dimension.
    fn plain(x: &[Complex64], sign: f64) -> Vec<Complex64> {
        let n = x.len() as f64;
        let turn = |i: usize, k: usize| {
            let angle = sign * 2.0 * std::f64::consts::PI * (i * k) as f64 / n;
            Complex64::new(angle.cos(), angle.sin())
        };
        (0..x.len())
            .map(|k| x.iter().enumerate().map(|(i, v)| v * turn(i, k)).sum::<Complex64>())
            .collect()
    }

    fn close(a: &[Complex64], b: &[Complex64]) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).norm() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn lengths_of_all_kinds() {
        for n in [1usize, 2, 3, 7, 8, 12, 31, 97] {
            let x: Vec<Complex64> =
                (0..n).map(|i| Complex64::new((i * i % 7) as f64, (i % 3) as f64)).collect();
            let t = Tensor::from_slice(Shape::new(&[1, n]), &x).unwrap();
            let out = TensorType::new(DType::C128, &[1, n as i64]);
            let y = fft(&t, FftType::Fft, &[n as i64], &out).unwrap();
            close(&y.to_vec().unwrap(), &plain(&x, -1.0));
            let back = fft(&y, FftType::Ifft, &[n as i64], &out).unwrap();
            close(&back.to_vec().unwrap(), &x);
        }
    }

    #[test]
    fn real_transforms_in_two_dimensions() {
        let (real, complex) = (DType::F32, DType::C64);
        for (n, half) in [(6i64, 4i64), (5, 3)] {
            let x: Vec<f32> = (0..2 * 3 * n).map(|i| (i * i % 11) as f32).collect();
            let t = Tensor::from_slice(Shape::new(&[2, 3, n as usize]), &x).unwrap();
            let out = TensorType::new(complex, &[2, 3, half]);
            let y = fft(&t, FftType::Rfft, &[3, n], &out).unwrap();
            let sum: f32 = x[..3 * n as usize].iter().sum();
            assert!((y.to_vec::<Complex32>().unwrap()[0].re - sum).abs() < 1e-4);
            let out = TensorType::new(real, &[2, 3, n]);
            let back = fft(&y, FftType::Irfft, &[3, n], &out).unwrap();
            for (a, b) in back.to_vec::<f32>().unwrap().iter().zip(&x) {
                assert!((a - b).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn empty_and_wrong() {
        let (real, complex) = (DType::F32, DType::C64);
        let t = Tensor::zeros(real, Shape::new(&[2, 0])).unwrap();
        let out = TensorType::new(complex, &[2, 0]);
        assert_eq!(fft(&t, FftType::Rfft, &[0], &out).unwrap().elements(), 0);
        let t = Tensor::zeros(complex, Shape::new(&[4])).unwrap();
        let out = TensorType::new(complex, &[4]);
        assert!(fft(&t, FftType::Fft, &[5], &out).is_err());
        assert!(fft(&t, FftType::Fft, &[-4], &out).is_err());
        assert!(fft(&t, FftType::Fft, &[], &out).is_err());
        assert!(fft(&t, FftType::Fft, &[1, 4], &out).is_err());
        assert!(fft(&t, FftType::Rfft, &[4], &out).is_err());
        assert!(fft(&t, FftType::Fft, &[1 << 40], &out).is_err());
    }
}
