//! Ops from one tensor to one of the same shape, and their gradients.

use tfjit_base::{DType, Result};
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;
use crate::row::{OpRow, row};

/// `y = op(x)`.
fn un(c: &mut OpCtx<'_, '_>, op: Unary) -> Result<()> {
    let x = c.input(0)?;
    let y = c.unary(op, x)?;
    c.set(0, y);
    Ok(())
}

/// `y = f(x)`.
fn map(c: &mut OpCtx<'_, '_>, f: fn(&mut OpCtx<'_, '_>, ValueId) -> Result<ValueId>) -> Result<()> {
    let x = c.input(0)?;
    let y = f(c, x)?;
    c.set(0, y);
    Ok(())
}

/// `y = f(x)` in the type that the node declares for it.
fn part(
    c: &mut OpCtx<'_, '_>,
    f: fn(&mut OpCtx<'_, '_>, ValueId) -> Result<ValueId>,
) -> Result<()> {
    let x = c.input(0)?;
    let (y, dtype) = (f(c, x)?, c.output_dtype(0)?);
    let y = c.convert(y, dtype)?;
    c.set(0, y);
    Ok(())
}

/// `dx = f(a, b)` for gradients of two operands of one shape.
fn grad(
    c: &mut OpCtx<'_, '_>,
    f: fn(&mut OpCtx<'_, '_>, ValueId, ValueId) -> Result<ValueId>,
) -> Result<()> {
    let (a, b) = (c.input(0)?, c.input(1)?);
    let (a, b) = c.broadcast_pair(a, b)?;
    let y = f(c, a, b)?;
    c.set(0, y);
    Ok(())
}

pub(super) const ROWS: &[OpRow] = &[
    row("Abs", "magnitude", |c| un(c, Unary::Abs)),
    row("ComplexAbs", "magnitude of complex numbers", |c| part(c, |c, x| c.unary(Unary::Abs, x))),
    row("Acos", "inverse cosine", |c| un(c, Unary::Acos)),
    row("Acosh", "inverse hyperbolic cosine", |c| un(c, Unary::Acosh)),
    row("Asin", "inverse sine", |c| un(c, Unary::Asin)),
    row("Asinh", "inverse hyperbolic sine", |c| un(c, Unary::Asinh)),
    row("Atan", "inverse tangent", |c| un(c, Unary::Atan)),
    row("Atanh", "inverse hyperbolic tangent", |c| un(c, Unary::Atanh)),
    row("BesselI1e", "exponentially scaled modified Bessel function", |c| un(c, Unary::BesselI1e)),
    row("Ceil", "round up", |c| un(c, Unary::Ceil)),
    row("Conj", "complex conjugate; real numbers pass through", |c| {
        map(c, |c, x| if c.dtype(x)?.is_complex() { c.unary(Unary::Conj, x) } else { Ok(x) })
    }),
    row("Cos", "cosine", |c| un(c, Unary::Cosine)),
    row("Cosh", "hyperbolic cosine", |c| un(c, Unary::Cosh)),
    row("Digamma", "derivative of the logarithm of the gamma function", |c| un(c, Unary::Digamma)),
    row("Erf", "error function", |c| un(c, Unary::Erf)),
    row("Erfc", "complement of the error function", |c| un(c, Unary::Erfc)),
    row("Erfinv", "inverse of the error function", |c| un(c, Unary::ErfInv)),
    row("Ndtri", "quantile of the normal distribution", |c| map(c, super::ndtri::ndtri)),
    row("Exp", "exponential", |c| un(c, Unary::Exponential)),
    row("Expm1", "exp(x) - 1", |c| un(c, Unary::ExponentialMinusOne)),
    row("Floor", "round down", |c| un(c, Unary::Floor)),
    row("Imag", "imaginary part", |c| part(c, |c, x| c.unary(Unary::Imag, x))),
    row("Real", "real part", |c| part(c, |c, x| c.unary(Unary::Real, x))),
    row("Angle", "argument of a complex number", |c| {
        part(c, |c, x| {
            let (re, im) = (c.unary(Unary::Real, x)?, c.unary(Unary::Imag, x)?);
            c.binary(Binary::Atan2, im, re)
        })
    }),
    row("Inv", "1 / x", |c| map(c, reciprocal)),
    row("Reciprocal", "1 / x", |c| map(c, reciprocal)),
    row("Invert", "bitwise complement", |c| un(c, Unary::Not)),
    row("PopulationCount", "number of one bits, as uint8", |c| {
        map(c, |c, x| {
            let count = c.unary(Unary::Popcnt, x)?;
            c.convert(count, DType::U8)
        })
    }),
    row("IsFinite", "neither infinite nor NaN", |c| un(c, Unary::IsFinite)),
    row("IsInf", "infinite", |c| {
        map(c, |c, x| {
            let magnitude = c.unary(Unary::Abs, x)?;
            let infinity = c.full_like(magnitude, f64::INFINITY)?;
            c.compare(Direction::Eq, magnitude, infinity)
        })
    }),
    row("IsNan", "not a number", |c| map(c, |c, x| c.compare(Direction::Ne, x, x))),
    row("Lgamma", "logarithm of the gamma function's magnitude", |c| un(c, Unary::Lgamma)),
    row("Log", "natural logarithm", |c| un(c, Unary::Log)),
    row("Log1p", "log(1 + x)", |c| un(c, Unary::LogPlusOne)),
    row("LogicalNot", "negation", |c| un(c, Unary::Not)),
    row("Neg", "negation", |c| un(c, Unary::Negate)),
    row("OnesLike", "ones of the same shape", |c| map(c, |c, x| c.full_like(x, 1.0))),
    row("ZerosLike", "zeros of the same shape", |c| map(c, |c, x| c.full_like(x, 0.0))),
    row("Rint", "round to the nearest integer, halves to even", |c| un(c, Unary::RoundNearestEven)),
    row("Round", "round to the nearest integer, halves to even; of int32 and int64 zero", |c| {
        map(c, |c, x| match c.dtype(x)? {
            // TensorFlow's kernels for these return zero whatever comes in.
            DType::I32 | DType::I64 => c.full_like(x, 0.0),
            dtype if dtype.is_int() => Ok(x),
            _ => c.unary(Unary::RoundNearestEven, x),
        })
    }),
    row("Rsqrt", "1 / sqrt(x)", |c| un(c, Unary::Rsqrt)),
    row("Sigmoid", "1 / (1 + exp(-x))", |c| un(c, Unary::Logistic)),
    row("Sign", "-1, 0 or 1; for complex numbers x / |x|", |c| un(c, Unary::Sign)),
    row("Sin", "sine", |c| un(c, Unary::Sine)),
    row("Sinh", "hyperbolic sine", |c| un(c, Unary::Sinh)),
    row("Sqrt", "square root", |c| un(c, Unary::Sqrt)),
    row("Square", "x * x", |c| map(c, |c, x| c.binary(Binary::Multiply, x, x))),
    row("Tan", "tangent", |c| un(c, Unary::Tan)),
    row("Tanh", "hyperbolic tangent", |c| un(c, Unary::Tanh)),
    row("Relu", "max(x, 0), NaN stays NaN", |c| map(c, relu)),
    row("Relu6", "min(max(x, 0), 6)", |c| {
        map(c, |c, x| {
            let positive = relu(c, x)?;
            c.binary_scalar(Binary::Minimum, positive, 6.0)
        })
    }),
    row("LeakyRelu", "x where positive, alpha * x elsewhere", leaky_relu),
    row("Elu", "x where positive, exp(x) - 1 elsewhere", |c| map(c, elu)),
    row("Selu", "scaled exponential linear unit (Klambauer et al. 2017)", |c| map(c, selu)),
    row("Softplus", "log(1 + exp(x))", |c| map(c, softplus)),
    row("Softsign", "x / (1 + |x|)", |c| {
        map(c, |c, x| {
            let magnitude = c.unary(Unary::Abs, x)?;
            let below = c.binary_scalar(Binary::Add, magnitude, 1.0)?;
            c.binary(Binary::Divide, x, below)
        })
    }),
    row("ReluGrad", "gradient where the feature is positive", |c| {
        grad(c, |c, dy, x| {
            let zero = c.full_like(x, 0.0)?;
            let positive = c.compare(Direction::Gt, x, zero)?;
            c.select(positive, dy, zero)
        })
    }),
    row("Relu6Grad", "gradient where the feature is between 0 and 6", |c| {
        grad(c, |c, dy, x| {
            let (zero, six) = (c.full_like(x, 0.0)?, c.full_like(x, 6.0)?);
            let above = c.compare(Direction::Gt, x, zero)?;
            let below = c.compare(Direction::Lt, x, six)?;
            let inside = c.binary(Binary::And, above, below)?;
            c.select(inside, dy, zero)
        })
    }),
    row("LeakyReluGrad", "dy where the feature is positive, alpha * dy elsewhere", |c| {
        let alpha = f64::from(c.node().attr_float("alpha")?);
        let (dy, x) = (c.input(0)?, c.input(1)?);
        let zero = c.full_like(x, 0.0)?;
        let positive = c.compare(Direction::Gt, x, zero)?;
        let low = c.binary_scalar(Binary::Multiply, dy, alpha)?;
        let dx = c.select(positive, dy, low)?;
        c.set(0, dx);
        Ok(())
    }),
    row("EluGrad", "dy * (y + 1) where the output is negative, dy elsewhere", |c| {
        grad(c, |c, dy, y| {
            let slope = c.binary_scalar(Binary::Add, y, 1.0)?;
            let low = c.binary(Binary::Multiply, dy, slope)?;
            let negative = is_negative(c, y)?;
            c.select(negative, low, dy)
        })
    }),
    row("SeluGrad", "dy * (y + scale * alpha) where negative, dy * scale elsewhere", |c| {
        grad(c, |c, dy, y| {
            let slope = c.binary_scalar(Binary::Add, y, SELU_SCALE * SELU_ALPHA)?;
            let low = c.binary(Binary::Multiply, dy, slope)?;
            let high = c.binary_scalar(Binary::Multiply, dy, SELU_SCALE)?;
            let negative = is_negative(c, y)?;
            c.select(negative, low, high)
        })
    }),
    row("SigmoidGrad", "dy * y * (1 - y)", |c| {
        grad(c, |c, y, dy| {
            let one = c.full_like(y, 1.0)?;
            let rest = c.binary(Binary::Subtract, one, y)?;
            let slope = c.binary(Binary::Multiply, y, rest)?;
            c.binary(Binary::Multiply, dy, slope)
        })
    }),
    row("TanhGrad", "dy * (1 - y * y)", |c| {
        grad(c, |c, y, dy| {
            let one = c.full_like(y, 1.0)?;
            let squared = c.binary(Binary::Multiply, y, y)?;
            let slope = c.binary(Binary::Subtract, one, squared)?;
            c.binary(Binary::Multiply, dy, slope)
        })
    }),
    row("SqrtGrad", "dy / 2 / y", |c| {
        grad(c, |c, y, dy| {
            let half = c.binary_scalar(Binary::Multiply, dy, 0.5)?;
            let y = conj(c, y)?;
            c.binary(Binary::Divide, half, y)
        })
    }),
    row("RsqrtGrad", "dy * -0.5 * y^3", |c| {
        grad(c, |c, y, dy| {
            let y = conj(c, y)?;
            let square = c.binary(Binary::Multiply, y, y)?;
            let cube = c.binary(Binary::Multiply, square, y)?;
            let half = c.binary_scalar(Binary::Multiply, dy, -0.5)?;
            c.binary(Binary::Multiply, half, cube)
        })
    }),
    row("InvGrad", "-dy * y * y", |c| grad(c, reciprocal_grad)),
    row("ReciprocalGrad", "-dy * y * y", |c| grad(c, reciprocal_grad)),
    row("SoftplusGrad", "dy / (1 + exp(-x))", |c| {
        grad(c, |c, dy, x| {
            let slope = c.unary(Unary::Logistic, x)?;
            c.binary(Binary::Multiply, dy, slope)
        })
    }),
    row("SoftsignGrad", "dy / (1 + |x|)^2", |c| {
        grad(c, |c, dy, x| {
            let magnitude = c.unary(Unary::Abs, x)?;
            let root = c.binary_scalar(Binary::Add, magnitude, 1.0)?;
            let square = c.binary(Binary::Multiply, root, root)?;
            c.binary(Binary::Divide, dy, square)
        })
    }),
];

/// `alpha` of Klambauer et al. 2017, as many digits as `f32` holds.
const SELU_ALPHA: f64 = 1.673_263_242_354_377_3;
/// `lambda` of the same.
const SELU_SCALE: f64 = 1.050_700_987_355_480_5;

fn is_negative(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let zero = c.full_like(x, 0.0)?;
    c.compare(Direction::Lt, x, zero)
}

fn conj(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    if c.dtype(x)?.is_complex() { c.unary(Unary::Conj, x) } else { Ok(x) }
}

fn reciprocal(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let one = c.full_like(x, 1.0)?;
    c.binary(Binary::Divide, one, x)
}

fn reciprocal_grad(c: &mut OpCtx<'_, '_>, y: ValueId, dy: ValueId) -> Result<ValueId> {
    let y = conj(c, y)?;
    let minus = c.unary(Unary::Negate, dy)?;
    let once = c.binary(Binary::Multiply, minus, y)?;
    c.binary(Binary::Multiply, once, y)
}

pub(super) fn relu(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    c.binary_scalar(Binary::Maximum, x, 0.0)
}

fn leaky_relu(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let alpha = f64::from(c.node().attr_float("alpha")?);
    let x = c.input(0)?;
    let y = leaky(c, x, alpha)?;
    c.set(0, y);
    Ok(())
}

/// `x` where positive, `alpha * x` elsewhere.
pub(super) fn leaky(c: &mut OpCtx<'_, '_>, x: ValueId, alpha: f64) -> Result<ValueId> {
    let zero = c.full_like(x, 0.0)?;
    let positive = c.compare(Direction::Gt, x, zero)?;
    let low = c.binary_scalar(Binary::Multiply, x, alpha)?;
    c.select(positive, x, low)
}

/// `x` where positive, `exp(x) - 1` elsewhere.
pub(super) fn elu(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let low = c.unary(Unary::ExponentialMinusOne, x)?;
    let negative = is_negative(c, x)?;
    c.select(negative, low, x)
}

fn selu(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let curve = c.unary(Unary::ExponentialMinusOne, x)?;
    let low = c.binary_scalar(Binary::Multiply, curve, SELU_SCALE * SELU_ALPHA)?;
    let high = c.binary_scalar(Binary::Multiply, x, SELU_SCALE)?;
    let negative = is_negative(c, x)?;
    c.select(negative, low, high)
}

/// `max(x, 0) + log1p(exp(-|x|))`, which neither overflows nor cancels.
fn softplus(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let magnitude = c.unary(Unary::Abs, x)?;
    let minus = c.unary(Unary::Negate, magnitude)?;
    let small = c.unary(Unary::Exponential, minus)?;
    let tail = c.unary(Unary::LogPlusOne, small)?;
    let positive = relu(c, x)?;
    c.binary(Binary::Add, positive, tail)
}
