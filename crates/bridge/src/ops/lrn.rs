//! Local response normalisation (Krizhevsky et al. 2012) across the channels of an image.

use tfjit_base::{Error, Result};
use tfjit_hlo::{Binary, Dims, ValueId, Window};

use crate::OpCtx;
use crate::ops::conv::widened;
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("LRN", "x * (bias + alpha * sum of near squares) ^ -beta", |c| {
        let x = c.input(0)?;
        let attrs = Attrs::of(c, x)?;
        let dtype = c.dtype(x)?;
        let x = c.convert(x, widened(dtype))?;
        let norm = attrs.norm(c, x)?;
        let factor = c.binary_scalar(Binary::Power, norm, -attrs.beta)?;
        let y = c.binary(Binary::Multiply, x, factor)?;
        let y = c.convert(y, dtype)?;
        c.set(0, y);
        Ok(())
    }),
    row("LRNGrad", "the gradient of local response normalisation", gradient),
];

struct Attrs {
    radius: i64,
    bias: f64,
    alpha: f64,
    beta: f64,
}

impl Attrs {
    /// The node's attributes, for images like `x`.
    fn of(c: &OpCtx<'_, '_>, x: ValueId) -> Result<Attrs> {
        let shape = c.shape(x)?;
        if shape.rank() != 4 {
            return Err(Error::invalid_argument(format!("in must be 4-dimensional, not {shape}")));
        }
        let node = c.node();
        Ok(Attrs {
            // Farther than the channels reach makes no difference.
            radius: node.attr_int("depth_radius")?.clamp(0, shape[3] as i64),
            bias: f64::from(node.attr_float("bias")?),
            alpha: f64::from(node.attr_float("alpha")?),
            beta: f64::from(node.attr_float("beta")?),
        })
    }

    /// Sums over the channels not farther than the radius.
    fn near(&self, c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
        let dtype = c.dtype(x)?;
        let zero = c.scalar(dtype, 0.0)?;
        let ones = Dims::from_slice(&[1; 4]);
        let window = Window {
            window_dimensions: Dims::from_slice(&[1, 1, 1, 2 * self.radius + 1]),
            window_strides: ones.clone(),
            base_dilations: ones.clone(),
            window_dilations: ones,
            padding: vec![[0, 0], [0, 0], [0, 0], [self.radius, self.radius]],
        };
        c.reduce_window(Binary::Add, x, zero, window)
    }

    fn norm(&self, c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
        let squares = c.binary(Binary::Multiply, x, x)?;
        let sum = self.near(c, squares)?;
        let scaled = c.binary_scalar(Binary::Multiply, sum, self.alpha)?;
        c.binary_scalar(Binary::Add, scaled, self.bias)
    }
}

/// `dy * norm ^ -beta - 2 * alpha * beta * x * (sum of near y * dy / norm)`.
fn gradient(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (dy, x, y) = (c.input(0)?, c.input(1)?, c.input(2)?);
    let attrs = Attrs::of(c, x)?;
    let (dtype, shape) = (c.dtype(x)?, c.shape(x)?);
    if c.shape(dy)? != shape || c.shape(y)? != shape {
        return Err(Error::invalid_argument(
            "input_grads, input_image, and out_image should have the same shape",
        ));
    }
    let wide = widened(dtype);
    let (dy, x, y) = (c.convert(dy, wide)?, c.convert(x, wide)?, c.convert(y, wide)?);
    let norm = attrs.norm(c, x)?;
    let factor = c.binary_scalar(Binary::Power, norm, -attrs.beta)?;
    let direct = c.binary(Binary::Multiply, dy, factor)?;
    let weighted = c.binary(Binary::Multiply, y, dy)?;
    let ratio = c.binary(Binary::Divide, weighted, norm)?;
    let near = attrs.near(c, ratio)?;
    let scaled = c.binary_scalar(Binary::Multiply, x, 2.0 * attrs.alpha * attrs.beta)?;
    let shared = c.binary(Binary::Multiply, scaled, near)?;
    let dx = c.binary(Binary::Subtract, direct, shared)?;
    let dx = c.convert(dx, dtype)?;
    c.set(0, dx);
    Ok(())
}
