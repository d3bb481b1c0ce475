//! Dot products, convolutions and whole-matrix operations.

use tfjit_base::{DType, Result, Tensor};

use super::values::{FLOATS, WIDE};
use super::{Gen, Makers};
use crate::{
    Binary, Convolution, Dims, Direction, DotGeneral, FftType, Op, Precision, TensorType,
    Transpose, Type, Unary, ValueId,
};

pub(super) const MAKERS: Makers = &[
    (5, dot),
    (4, convolution),
    (1, cholesky),
    (1, triangular_solve),
    (2, fft),
    (1, batch_norm_inference),
    (1, batch_norm_training),
    (1, batch_norm_grad),
];

fn dot(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = match g.find(|t| (1..=4).contains(&t.rank()) && t.dtype != DType::Bool) {
        Some(x) => x,
        None => g.fresh(DType::F32, &[2, 3])?,
    };
    let ty = g.ty(x);
    // Each dimension of the left side is free (0), contracted (1) or batch (2).
    let roles: Vec<usize> = ty.dims.iter().map(|_| g.rng.below(3)).collect();
    let shared: Vec<usize> = (0..ty.rank()).filter(|&d| roles[d] > 0).collect();
    let rank = (shared.len() + g.rng.below(2)).min(4);
    let places = g.rng.permutation(rank);
    let mut shape: Vec<i64> = (0..rank).map(|_| g.rng.between(1, 4)).collect();
    let mut numbers = DotGeneral::default();
    for (&d, &at) in shared.iter().zip(&places) {
        shape[at as usize] = ty.dims[d];
        let (lhs, rhs) = match roles[d] {
            1 => (&mut numbers.lhs_contracting_dimensions, &mut numbers.rhs_contracting_dimensions),
            _ => (&mut numbers.lhs_batching_dimensions, &mut numbers.rhs_batching_dimensions),
        };
        lhs.push(d as i64);
        rhs.push(at);
    }
    if g.rng.one_in(3) {
        numbers.precision = vec![g.rng.pick(Precision::ALL), Precision::Highest];
    }
    let y = g.with(ty.dtype, &shape)?;
    let dtype = match ty.dtype {
        DType::BF16 | DType::F16 if g.rng.one_in(2) => DType::F32,
        DType::I8 if g.rng.one_in(2) => DType::I32,
        same => same,
    };
    Ok(vec![g.b.dot_general(x, y, numbers, dtype)?])
}

fn convolution(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (conv, image, kernel) = conv_numbers(g);
    let dtype = g.rng.pick(FLOATS);
    let (x, k) = (g.with(dtype, &image)?, g.with(dtype, &kernel)?);
    Ok(vec![g.b.convolution(x, k, conv, dtype)?])
}

/// Attributes of a convolution, and shapes of image and kernel that fit.
pub(super) fn conv_numbers(g: &mut Gen) -> (Convolution, Vec<i64>, Vec<i64>) {
    let spatial = 1 + g.rng.below(2);
    let rank = spatial + 2;
    let (a, k, o) = (g.rng.permutation(rank), g.rng.permutation(rank), g.rng.permutation(rank));
    let (features, batches) = match g.rng.below(4) {
        0 => (2, 1),
        1 => (1, 2),
        _ => (1, 1),
    };
    let some = |g: &mut Gen, high: i64| -> Dims {
        (0..spatial).map(|_| if g.rng.one_in(2) { 1 } else { g.rng.between(1, high) }).collect()
    };
    let conv = Convolution {
        window_strides: some(g, 2),
        padding: (0..spatial).map(|_| [g.rng.between(0, 2), g.rng.between(0, 2)]).collect(),
        lhs_dilation: some(g, 2),
        rhs_dilation: some(g, 2),
        window_reversal: (0..spatial).map(|_| g.rng.one_in(6)).collect(),
        input_batch_dimension: a[0],
        input_feature_dimension: a[1],
        input_spatial_dimensions: Dims::from_slice(&a[2..]),
        kernel_input_feature_dimension: k[0],
        kernel_output_feature_dimension: k[1],
        kernel_spatial_dimensions: Dims::from_slice(&k[2..]),
        output_batch_dimension: o[0],
        output_feature_dimension: o[1],
        output_spatial_dimensions: Dims::from_slice(&o[2..]),
        feature_group_count: features,
        batch_group_count: batches,
        precision: Vec::new(),
    };
    let each = g.rng.between(1, 3);
    let (mut image, mut kernel) = (vec![0; rank], vec![0; rank]);
    image[a[0] as usize] = batches * g.rng.between(1, 2);
    image[a[1] as usize] = features * each;
    kernel[k[0] as usize] = each;
    kernel[k[1] as usize] = features * batches * g.rng.between(1, 2);
    for i in 2..rank {
        image[a[i] as usize] = g.rng.between(1, 5);
        kernel[k[i] as usize] = g.rng.between(1, 3);
    }
    (conv, image, kernel)
}

/// Small finite numbers: values in scope may be infinite, which no solver survives.
fn tame(g: &mut Gen, dtype: DType, dims: &[i64]) -> Result<ValueId> {
    let small = g.indices(DType::I32, dims, -3, 3)?;
    g.b.convert(small, dtype)
}

/// `scale` on the diagonal of `n` by `n` matrices, as a batch of the given extents.
fn diagonal(g: &mut Gen, ty: &TensorType, scale: f32) -> Result<ValueId> {
    let shape = ty.shape()?;
    let (i, j) = (
        g.b.iota(DType::I32, &shape, shape.rank() - 2)?,
        g.b.iota(DType::I32, &shape, shape.rank() - 1)?,
    );
    let same = g.b.compare(Direction::Eq, i, j)?;
    let on = g.b.splat(Tensor::scalar(scale), &shape)?;
    let off = g.b.splat(Tensor::scalar(0.0f32), &shape)?;
    let picked = g.b.select(same, on, off)?;
    g.b.convert(picked, ty.dtype)
}

fn cholesky(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (dtype, batch, n) = (g.rng.pick(WIDE), g.rng.between(1, 2), g.rng.between(1, 4));
    let m = tame(g, dtype, &[batch, n, n])?;
    let numbers = DotGeneral {
        lhs_batching_dimensions: Dims::from_slice(&[0]),
        rhs_batching_dimensions: Dims::from_slice(&[0]),
        lhs_contracting_dimensions: Dims::from_slice(&[2]),
        rhs_contracting_dimensions: Dims::from_slice(&[2]),
        ..DotGeneral::default()
    };
    let square = g.b.dot_general(m, m, numbers, dtype)?;
    let eye = diagonal(g, &TensorType::new(dtype, &[batch, n, n]), 4.0)?;
    let a = g.b.binary(Binary::Add, square, eye)?;
    let lower = g.rng.one_in(2);
    let factor = g.b.push(Op::Cholesky { lower }, &[a], &[])?[0];
    // What the other triangle holds is open.
    triangle(g, factor, lower).map(|v| vec![v])
}

/// `x` with zeros outside of one triangle.
fn triangle(g: &mut Gen, x: ValueId, lower: bool) -> Result<ValueId> {
    let ty = g.ty(x);
    let shape = ty.shape()?;
    let (i, j) = (
        g.b.iota(DType::I32, &shape, shape.rank() - 2)?,
        g.b.iota(DType::I32, &shape, shape.rank() - 1)?,
    );
    let direction = if lower { Direction::Ge } else { Direction::Le };
    let inside = g.b.compare(direction, i, j)?;
    let zero = g.b.splat(Tensor::scalar(0.0f32), &shape)?;
    let zero = g.b.convert(zero, ty.dtype)?;
    g.b.select(inside, x, zero)
}

fn triangular_solve(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (dtype, n, m) = (g.rng.pick(WIDE), g.rng.between(1, 4), g.rng.between(1, 3));
    let a = tame(g, dtype, &[n, n])?;
    let eye = diagonal(g, &TensorType::new(dtype, &[n, n]), 5.0)?;
    let a = g.b.binary(Binary::Add, a, eye)?;
    let left_side = g.rng.one_in(2);
    let b = tame(g, dtype, &if left_side { [n, m] } else { [m, n] })?;
    let op = Op::TriangularSolve {
        left_side,
        lower: g.rng.one_in(2),
        unit_diagonal: false,
        transpose_a: g.rng.pick(Transpose::ALL),
    };
    Ok(g.b.push(op, &[a, b], &[])?.to_vec())
}

fn fft(g: &mut Gen) -> Result<Vec<ValueId>> {
    let fft_type = g.rng.pick(FftType::ALL);
    let n = 1 + g.rng.below(2);
    let lengths: Vec<i64> = (0..n).map(|_| g.rng.between(1, 6)).collect();
    let mut dims = vec![2];
    dims.extend(&lengths);
    if fft_type == FftType::Irfft {
        let last = dims.len() - 1;
        dims[last] = dims[last] / 2 + 1;
    }
    let dtype = match fft_type {
        FftType::Rfft => DType::F32,
        _ => DType::C64,
    };
    let x = g.with(dtype, &dims)?;
    Ok(g.b.push(Op::Fft { fft_type, fft_length: lengths.into() }, &[x], &[])?.to_vec())
}

/// An operand, its feature dimension, and a vector for it that is not negative.
fn normalised(g: &mut Gen) -> Result<(ValueId, i64, ValueId)> {
    let (dtype, rank) = (g.rng.pick(WIDE), 1 + g.rng.below(3));
    let dims: Vec<i64> = (0..rank).map(|_| g.rng.between(1, 4)).collect();
    let feature = g.rng.below(rank);
    let x = tame(g, dtype, &dims)?;
    let v = tame(g, dtype, &dims[feature..=feature])?;
    Ok((x, feature as i64, g.b.unary(Unary::Abs, v)?))
}

fn batch_norm_inference(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (x, feature_index, v) = normalised(g)?;
    let w = g.like(v)?;
    let op = Op::BatchNormInference { epsilon: 0.25, feature_index };
    Ok(g.b.push(op, &[x, w, v, w, v], &[])?.to_vec())
}

fn batch_norm_training(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (x, feature_index, v) = normalised(g)?;
    let op = Op::BatchNormTraining { epsilon: 0.25, feature_index };
    Ok(g.b.push(op, &[x, v, v], &[])?.to_vec())
}

fn batch_norm_grad(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (x, feature_index, v) = normalised(g)?;
    let types: [Type; 1] = [Type::Tensor(g.ty(x))];
    let ty = types[0].as_tensor().expect("it is a tensor").clone();
    let grad = tame(g, ty.dtype, &ty.dims)?;
    let op = Op::BatchNormGrad { epsilon: 0.25, feature_index };
    Ok(g.b.push(op, &[x, v, v, v, grad], &[])?.to_vec())
}
