//! Fourier transforms.

use tfjit_base::{Error, Result, Shape};
use tfjit_hlo::{Dims, FftType, Op, ValueId};

use crate::OpCtx;
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row("FFT", "over the last dimension", |c| complex(c, FftType::Fft, 1)),
    row("FFT2D", "over the last 2 dimensions", |c| complex(c, FftType::Fft, 2)),
    row("FFT3D", "over the last 3 dimensions", |c| complex(c, FftType::Fft, 3)),
    row("IFFT", "inverse over the last dimension", |c| complex(c, FftType::Ifft, 1)),
    row("IFFT2D", "inverse over the last 2 dimensions", |c| complex(c, FftType::Ifft, 2)),
    row("IFFT3D", "inverse over the last 3 dimensions", |c| complex(c, FftType::Ifft, 3)),
    row_const("RFFT", &["fft_length"], "of real numbers", |c| real(c, 1)),
    row_const("RFFT2D", &["fft_length"], "of real numbers, 2 dimensions", |c| real(c, 2)),
    row_const("RFFT3D", &["fft_length"], "of real numbers, 3 dimensions", |c| real(c, 3)),
    row_const("IRFFT", &["fft_length"], "inverse to real numbers", |c| inverse_real(c, 1)),
    row_const("IRFFT2D", &["fft_length"], "inverse to real numbers", |c| inverse_real(c, 2)),
    row_const("IRFFT3D", &["fft_length"], "inverse to real numbers", |c| inverse_real(c, 3)),
];

fn fft(c: &mut OpCtx<'_, '_>, x: ValueId, fft_type: FftType, length: &[i64]) -> Result<()> {
    let op = Op::Fft { fft_type, fft_length: Dims::from_slice(length) };
    let y = c.push(op, &[x], &[])?[0];
    c.set(0, y);
    Ok(())
}

fn inner(c: &OpCtx<'_, '_>, x: ValueId, rank: usize) -> Result<Shape> {
    let shape = c.shape(x)?;
    if shape.rank() < rank {
        return Err(Error::invalid_argument(format!(
            "Input must have rank of at least {rank} but got: {shape}"
        )));
    }
    Ok(shape)
}

fn complex(c: &mut OpCtx<'_, '_>, fft_type: FftType, rank: usize) -> Result<()> {
    let x = c.input(0)?;
    let shape = inner(c, x, rank)?;
    if shape.elements() == 0 {
        c.set(0, x);
        return Ok(());
    }
    let length = shape.to_i64()[shape.rank() - rank..].to_vec();
    fft(c, x, fft_type, &length)
}

/// The constant `fft_length`, one entry a transformed dimension.
fn lengths(c: &mut OpCtx<'_, '_>, rank: usize) -> Result<Vec<i64>> {
    let length = c.const_ints(1)?;
    if length.len() != rank || length.iter().any(|&l| l < 0) {
        return Err(Error::invalid_argument(format!(
            "fft_length must have shape [{rank}] and be non-negative, it is {length:?}"
        )));
    }
    Ok(length)
}

/// `x` with its last dimensions cut or padded with zeros to `extents`.
fn fit(c: &mut OpCtx<'_, '_>, x: ValueId, extents: &[i64]) -> Result<ValueId> {
    let dims = c.shape(x)?.to_i64();
    let first = dims.len() - extents.len();
    let high: Vec<i64> = dims
        .iter()
        .enumerate()
        .map(|(d, &n)| if d < first { 0 } else { extents[d - first] - n })
        .collect();
    if high.iter().all(|&h| h == 0) {
        return Ok(x);
    }
    let dtype = c.dtype(x)?;
    let zero = c.scalar(dtype, 0.0)?;
    let none = vec![0; dims.len()];
    c.pad(x, zero, &none, &high, &none)
}

fn real(c: &mut OpCtx<'_, '_>, rank: usize) -> Result<()> {
    let (x, length) = (c.input(0)?, lengths(c, rank)?);
    let shape = inner(c, x, rank)?;
    let mut result = shape.to_i64();
    let first = shape.rank() - rank;
    result[first..].copy_from_slice(&length);
    let last = shape.rank() - 1;
    result[last] = if result[last] == 0 { 0 } else { result[last] / 2 + 1 };
    let result = Shape::from_i64(&result)?;
    if result.elements() == 0 || shape.elements() == 0 {
        let dtype = c.output_dtype(0)?;
        let y = c.full(dtype, &result, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let x = fit(c, x, &length)?;
    fft(c, x, FftType::Rfft, &length)
}

fn inverse_real(c: &mut OpCtx<'_, '_>, rank: usize) -> Result<()> {
    let (x, length) = (c.input(0)?, lengths(c, rank)?);
    let shape = inner(c, x, rank)?;
    let mut result = shape.to_i64();
    let first = shape.rank() - rank;
    result[first..].copy_from_slice(&length);
    let result = Shape::from_i64(&result)?;
    if result.elements() == 0 || shape.elements() == 0 {
        let dtype = c.output_dtype(0)?;
        let y = c.full(dtype, &result, 0.0)?;
        c.set(0, y);
        return Ok(());
    }
    let mut extents = length.clone();
    extents[rank - 1] = length[rank - 1] / 2 + 1;
    let x = fit(c, x, &extents)?;
    fft(c, x, FftType::Irfft, &length)
}
