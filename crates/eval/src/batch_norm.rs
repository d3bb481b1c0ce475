//! Batch normalisation: inference, training and gradient, by the specification's formulas.
//!
//! All types are computed in double precision and rounded once.

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_hlo::TensorType;

use crate::accum::from_f64s;
use crate::permute::{expect_shape, product};

/// An operand seen as (outer, feature, inner).
struct View {
    shape: Shape,
    features: usize,
    inner: usize,
}

impl View {
    /// The view of `operand`; each of `parameters` must have one element a feature.
    fn new(operand: &Tensor, feature_index: i64, parameters: &[&Tensor]) -> Result<View> {
        let shape = operand.shape().clone();
        let index = usize::try_from(feature_index).ok().filter(|&i| i < shape.rank());
        let Some(index) = index else {
            return Err(Error::invalid_argument(format!(
                "feature dimension {feature_index} of a batch normalisation of {shape}"
            )));
        };
        let features = shape[index];
        for parameter in parameters {
            expect_shape("a parameter of a batch normalisation", &[features], parameter.shape())?;
        }
        let inner = product(&shape[index + 1..]);
        Ok(View { shape, features, inner })
    }

    /// Elements a feature has.
    fn count(&self) -> f64 {
        (self.shape.elements() / self.features.max(1)) as f64
    }

    /// The feature of each element in row-major order.
    fn feature(&self, element: usize) -> usize {
        element / self.inner % self.features
    }

    /// Sums `term(element, feature)` for each feature.
    fn sums(&self, term: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.features];
        for i in 0..self.shape.elements() {
            let f = self.feature(i);
            sums[f] += term(i, f);
        }
        sums
    }

    /// The tensor of `value(element, feature)`.
    fn map(&self, out: &TensorType, value: impl Fn(usize, usize) -> f64) -> Result<Tensor> {
        expect_shape("a batch normalisation", &self.shape, &out.shape()?)?;
        let values = (0..self.shape.elements()).map(|i| value(i, self.feature(i)));
        from_f64s(out.dtype, &self.shape, values)
    }

    /// The tensor of one value a feature.
    fn per_feature(&self, out: &TensorType, values: &[f64]) -> Result<Tensor> {
        expect_shape("a batch normalisation", &[self.features], &out.shape()?)?;
        from_f64s(out.dtype, &out.shape()?, values.iter().copied())
    }
}

/// `batch_norm_inference(operand, scale, offset, mean, variance)`.
///
/// # Errors
/// INVALID_ARGUMENT when shapes do not fit.
pub(crate) fn batch_norm_inference(
    [operand, scale, offset, mean, variance]: [&Tensor; 5],
    epsilon: f32,
    feature_index: i64,
    out: &TensorType,
) -> Result<Tensor> {
    let view = View::new(operand, feature_index, &[scale, offset, mean, variance])?;
    let (mean, variance) = (mean.to_f64s()?, variance.to_f64s()?);
    normalised(&view, [operand, scale, offset], &mean, &variance, epsilon, out)
}

fn normalised(
    view: &View,
    [operand, scale, offset]: [&Tensor; 3],
    mean: &[f64],
    variance: &[f64],
    epsilon: f32,
    out: &TensorType,
) -> Result<Tensor> {
    let (x, scale, offset) = (operand.to_f64s()?, scale.to_f64s()?, offset.to_f64s()?);
    let deviation: Vec<f64> = variance.iter().map(|v| (v + f64::from(epsilon)).sqrt()).collect();
    view.map(out, |i, f| (x[i] - mean[f]) / deviation[f] * scale[f] + offset[f])
}

/// `batch_norm_training(operand, scale, offset)`: the normalised operand, and mean and (biased)
/// variance of each feature.
///
/// # Errors
/// INVALID_ARGUMENT when shapes do not fit.
pub(crate) fn batch_norm_training(
    [operand, scale, offset]: [&Tensor; 3],
    epsilon: f32,
    feature_index: i64,
    outs: &[TensorType],
) -> Result<Vec<Tensor>> {
    let [output, mean_type, variance_type] = outs else {
        return Err(Error::internal("batch_norm_training has three results"));
    };
    let view = View::new(operand, feature_index, &[scale, offset])?;
    let x = operand.to_f64s()?;
    let n = view.count();
    let mean: Vec<f64> = view.sums(|i, _| x[i]).iter().map(|s| s / n).collect();
    let squares = view.sums(|i, f| (x[i] - mean[f]).powi(2));
    let variance: Vec<f64> = squares.iter().map(|s| s / n).collect();
    Ok(vec![
        normalised(&view, [operand, scale, offset], &mean, &variance, epsilon, output)?,
        view.per_feature(mean_type, &mean)?,
        view.per_feature(variance_type, &variance)?,
    ])
}

/// `batch_norm_grad(operand, scale, mean, variance, grad_output)`: gradients of the operand, the
/// scale and the offset.
///
/// # Errors
/// INVALID_ARGUMENT when shapes do not fit.
pub(crate) fn batch_norm_grad(
    [operand, scale, mean, variance, grad_output]: [&Tensor; 5],
    epsilon: f32,
    feature_index: i64,
    outs: &[TensorType],
) -> Result<Vec<Tensor>> {
    let [operand_type, scale_type, offset_type] = outs else {
        return Err(Error::internal("batch_norm_grad has three results"));
    };
    let view = View::new(operand, feature_index, &[scale, mean, variance])?;
    expect_shape("batch_norm_grad", operand.shape(), grad_output.shape())?;
    let (x, grad) = (operand.to_f64s()?, grad_output.to_f64s()?);
    let (scale, mean) = (scale.to_f64s()?, mean.to_f64s()?);
    let spread: Vec<f64> = variance.to_f64s()?.iter().map(|v| v + f64::from(epsilon)).collect();
    let n = view.count();
    let grad_sum = view.sums(|i, _| grad[i]);
    let product_sum = view.sums(|i, f| grad[i] * (x[i] - mean[f]));
    let grad_operand = view.map(operand_type, |i, f| {
        let centred = product_sum[f] * (x[i] - mean[f]) / spread[f];
        scale[f] / spread[f].sqrt() / n * (grad[i] * n - grad_sum[f] - centred)
    })?;
    let grad_scale: Vec<f64> =
        product_sum.iter().zip(&spread).map(|(sum, v)| sum / v.sqrt()).collect();
    Ok(vec![
        grad_operand,
        view.per_feature(scale_type, &grad_scale)?,
        view.per_feature(offset_type, &grad_sum)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::DType;

    fn vector(values: &[f32]) -> Tensor {
        Tensor::from_slice(Shape::new(&[values.len()]), values).unwrap()
    }

    #[test]
    fn training_and_inference_agree() {
        let x = [1.0f32, 10.0, 3.0, 30.0, 5.0, 20.0];
        let x = Tensor::from_slice(Shape::new(&[3, 2]), &x).unwrap();
        let (scale, offset) = (vector(&[2.0, 1.0]), vector(&[0.5, -1.0]));
        let all = TensorType::new(DType::F32, &[3, 2]);
        let each = TensorType::new(DType::F32, &[2]);
        let outs = [all.clone(), each.clone(), each];
        let t = batch_norm_training([&x, &scale, &offset], 0.0, 1, &outs).unwrap();
        assert_eq!(t[1], vector(&[3.0, 20.0]));
        assert_eq!(t[2], vector(&[8.0 / 3.0, 200.0 / 3.0]));
        let again = [&x, &scale, &offset, &t[1], &t[2]];
        let y = batch_norm_inference(again, 0.0, 1, &all).unwrap().to_vec::<f32>().unwrap();
        for (a, b) in t[0].to_vec::<f32>().unwrap().iter().zip(y) {
            assert!((a - b).abs() < 1e-6);
        }
        assert!(batch_norm_inference(again, 0.0, 2, &all).is_err());
        assert!(batch_norm_inference(again, 0.0, 0, &all).is_err());
    }

    /// The gradient agrees with differences of the training function.
    #[test]
    fn the_gradient_is_a_derivative() {
        let x = [1.0f64, -2.0, 3.0, 0.5, 5.0, 2.0, -1.0, 4.0];
        let weights = [0.3f64, -1.0, 2.0, 0.7, -0.2, 1.1, 0.9, -0.4];
        let shape = Shape::new(&[2, 2, 2]);
        let f64s = |v: &[f64], shape: &Shape| Tensor::from_slice(shape.clone(), v).unwrap();
        let pair = Shape::new(&[2]);
        let (scale, offset) = (f64s(&[1.5, 0.8], &pair), f64s(&[0.1, 0.2], &pair));
        let all = TensorType::of(DType::F64, &shape);
        let each = TensorType::of(DType::F64, &pair);
        let outs = [all, each.clone(), each];
        let train = |x: &[f64]| {
            batch_norm_training([&f64s(x, &shape), &scale, &offset], 0.01, 1, &outs).unwrap()
        };
        let loss = |x: &[f64]| {
            let y = train(x)[0].to_vec::<f64>().unwrap();
            y.iter().zip(&weights).map(|(a, b)| a * b).sum::<f64>()
        };
        let t = train(&x);
        let (x_t, w_t) = (f64s(&x, &shape), f64s(&weights, &shape));
        let grad = batch_norm_grad([&x_t, &scale, &t[1], &t[2], &w_t], 0.01, 1, &outs).unwrap();
        let got = grad[0].to_vec::<f64>().unwrap();
        for i in 0..x.len() {
            let (mut up, mut down) = (x, x);
            up[i] += 1e-5;
            down[i] -= 1e-5;
            let want = (loss(&up) - loss(&down)) / 2e-5;
            assert!((got[i] - want).abs() < 1e-6, "{i}: {} {want}", got[i]);
        }
        let offset_grad = grad[2].to_vec::<f64>().unwrap();
        assert!((offset_grad[0] - (0.3 - 1.0 - 0.2 + 1.1)).abs() < 1e-12);
    }
}
