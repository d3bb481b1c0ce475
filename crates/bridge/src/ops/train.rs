//! Optimiser steps on variables (`ResourceApply…`).
//!
//! Formulas and the order of operations are those of TensorFlow's kernels, so that halves round
//! alike. The first inputs are the variable and its slots, then come scalars and the gradient.

use tfjit_base::{Code, Error, Result};
use tfjit_hlo::{Binary, Direction, Unary, ValueId};

use crate::OpCtx;
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("ResourceApplyGradientDescent", "var - alpha * delta", |c| {
        let [var] = state(c, 2)?;
        let (alpha, delta) = (c.input(1)?, c.input(2)?);
        let change = mul(c, delta, alpha)?;
        let var = sub(c, var, change)?;
        store(c, 0, var)
    }),
    row("ResourceApplyMomentum", "momentum, optionally Nesterov's", momentum),
    row("ResourceApplyKerasMomentum", "momentum that holds the step itself", keras_momentum),
    row("ResourceApplyAdagrad", "step over the root of summed squares", adagrad),
    row("ResourceApplyAdagradV2", "step over the root of summed squares plus epsilon", |c| {
        let [var, accum] = state(c, 4)?;
        let (lr, epsilon, grad) = (c.input(2)?, c.input(3)?, c.input(4)?);
        let accum = accumulate(c, accum, grad)?;
        let root = un(c, Unary::Sqrt, accum)?;
        let below = add(c, root, epsilon)?;
        let step = mul(c, grad, lr)?;
        let step = div(c, step, below)?;
        let var = sub(c, var, step)?;
        store(c, 0, var)
    }),
    row("ResourceApplyAdadelta", "steps in the units of earlier steps", adadelta),
    row("ResourceApplyAdam", "Adam, optionally with Nesterov momentum", |c| {
        let [var, m, v] = state(c, 9)?;
        let nesterov = c.node().attr_bool("use_nesterov")?;
        let rates = AdamRates::of(c, 3)?;
        let (m, v) = rates.moments(c, m, v)?;
        let root = un(c, Unary::Sqrt, v)?;
        let step = rates.step(c, m, root, nesterov)?;
        let var = sub(c, var, step)?;
        store(c, 0, var)
    }),
    row("ResourceApplyAdamWithAmsgrad", "Adam over the largest second moment so far", |c| {
        let [var, m, v, vhat] = state(c, 10)?;
        let rates = AdamRates::of(c, 4)?;
        let (m, v) = rates.moments(c, m, v)?;
        let vhat = c.binary(Binary::Maximum, vhat, v)?;
        store(c, 3, vhat)?;
        let root = un(c, Unary::Sqrt, vhat)?;
        let step = rates.step(c, m, root, false)?;
        let var = sub(c, var, step)?;
        store(c, 0, var)
    }),
    row("ResourceApplyAdaMax", "Adam with the infinity norm", ada_max),
    row("ResourceApplyRMSProp", "step over the root of a mean of squares", rms_prop),
    row("ResourceApplyCenteredRMSProp", "step over the root of a variance", centered_rms_prop),
    row("ResourceApplyAddSign", "larger steps where gradient and momentum agree", |c| {
        let [var, m] = state(c, 6)?;
        let (lr, alpha, grad) = (c.input(2)?, c.input(3)?, c.input(6)?);
        let agreement = agreement(c, m)?;
        let scale = add(c, alpha, agreement)?;
        step_by(c, var, lr, scale, grad)
    }),
    row("ResourceApplyPowerSign", "larger steps where gradient and momentum agree", |c| {
        let [var, m] = state(c, 6)?;
        let (lr, logbase, grad) = (c.input(2)?, c.input(3)?, c.input(6)?);
        let agreement = agreement(c, m)?;
        let exponent = mul(c, logbase, agreement)?;
        let scale = un(c, Unary::Exponential, exponent)?;
        step_by(c, var, lr, scale, grad)
    }),
    row("ResourceApplyProximalGradientDescent", "a step, then shrunk by l1 and l2", |c| {
        let [var] = state(c, 4)?;
        let (alpha, l1, l2, delta) = (c.input(1)?, c.input(2)?, c.input(3)?, c.input(4)?);
        let step = mul(c, delta, alpha)?;
        let moved = sub(c, var, step)?;
        let var = shrink(c, moved, alpha, l1, l2)?;
        store(c, 0, var)
    }),
    row("ResourceApplyProximalAdagrad", "an Adagrad step, then shrunk by l1 and l2", |c| {
        let [var, accum] = state(c, 5)?;
        let (lr, l1, l2, grad) = (c.input(2)?, c.input(3)?, c.input(4)?, c.input(5)?);
        check_rates(c, lr, &[l1, l2])?;
        let squares = mul(c, grad, grad)?;
        let accum = add(c, accum, squares)?;
        store(c, 1, accum)?;
        let inverse = un(c, Unary::Rsqrt, accum)?;
        let rate = mul(c, inverse, lr)?;
        let step = mul(c, grad, rate)?;
        let moved = sub(c, var, step)?;
        let var = shrink(c, moved, rate, l1, l2)?;
        store(c, 0, var)
    }),
    row("ResourceApplyAdagradDA", "dual averaging of all gradients so far", adagrad_da),
    row("ResourceApplyFtrl", "follow the regularised leader", |c| {
        let grad = c.input(3)?;
        ftrl(c, [4, 5, 6, 7], grad)
    }),
    row("ResourceApplyFtrlV2", "follow the regularised leader, with l2 shrinkage", |c| {
        let (var, grad) = (c.variable(0)?, c.input(3)?);
        let var = c.read_variable(var)?;
        let (l2_shrinkage, two) = (c.input(7)?, c.full_like(grad, 2.0)?);
        let doubled = mul(c, two, l2_shrinkage)?;
        let shrinkage = mul(c, doubled, var)?;
        let shrunk = add(c, grad, shrinkage)?;
        ftrl(c, [4, 5, 6, 8], shrunk)
    }),
];

fn add(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    c.binary_broadcast(Binary::Add, x, y)
}

fn sub(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    c.binary_broadcast(Binary::Subtract, x, y)
}

fn mul(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    c.binary_broadcast(Binary::Multiply, x, y)
}

fn div(c: &mut OpCtx<'_, '_>, x: ValueId, y: ValueId) -> Result<ValueId> {
    c.binary_broadcast(Binary::Divide, x, y)
}

fn un(c: &mut OpCtx<'_, '_>, op: Unary, x: ValueId) -> Result<ValueId> {
    c.unary(op, x)
}

fn one_minus(c: &mut OpCtx<'_, '_>, x: ValueId) -> Result<ValueId> {
    let one = c.full_like(x, 1.0)?;
    c.binary(Binary::Subtract, one, x)
}

/// The values of the variable and its slots, after a look at all shapes: slots and the gradient
/// (input `grad`) are like the variable, everything else is a scalar.
fn state<const N: usize>(c: &mut OpCtx<'_, '_>, grad: usize) -> Result<[ValueId; N]> {
    let first = c.variable(0)?;
    let mut values = [c.read_variable(first)?; N];
    for (i, value) in values.iter_mut().enumerate() {
        let k = c.variable(i)?;
        *value = c.read_variable(k)?;
    }
    let (shape, dtype) = (c.shape(values[0])?, c.dtype(values[0])?);
    let given = c.input(grad)?;
    for &value in values.iter().chain([&given]) {
        if c.shape(value)? != shape || c.dtype(value)? != dtype {
            return Err(Error::invalid_argument(format!(
                "var and its slots and gradient do not have the same shape: {shape} {}",
                c.shape(value)?
            )));
        }
    }
    for i in (N..c.input_count()).filter(|&i| i != grad) {
        let scalar = c.input(i)?;
        if c.shape(scalar)?.rank() != 0 {
            return Err(Error::invalid_argument(format!(
                "input {i} is not a scalar: {}",
                c.shape(scalar)?
            )));
        }
    }
    Ok(values)
}

/// Gives the variable that is input `slot` its new value.
fn store(c: &mut OpCtx<'_, '_>, slot: usize, value: ValueId) -> Result<()> {
    let k = c.variable(slot)?;
    c.assign_variable(k, value)
}

/// `mean + (x - mean) * (1 - keep)`.
fn towards(c: &mut OpCtx<'_, '_>, mean: ValueId, x: ValueId, keep: ValueId) -> Result<ValueId> {
    let distance = sub(c, x, mean)?;
    let part = one_minus(c, keep)?;
    let change = mul(c, distance, part)?;
    add(c, mean, change)
}

/// `mean * keep + x * (1 - keep)`.
fn decayed(c: &mut OpCtx<'_, '_>, mean: ValueId, x: ValueId, keep: ValueId) -> Result<ValueId> {
    let kept = mul(c, mean, keep)?;
    let part = one_minus(c, keep)?;
    let new = mul(c, x, part)?;
    add(c, kept, new)
}

fn momentum(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [var, accum] = state(c, 3)?;
    let (lr, grad, momentum) = (c.input(2)?, c.input(3)?, c.input(4)?);
    let kept = mul(c, accum, momentum)?;
    let accum = add(c, kept, grad)?;
    store(c, 1, accum)?;
    let step = if c.node().attr_bool("use_nesterov")? {
        let now = mul(c, grad, lr)?;
        let ahead = mul(c, accum, momentum)?;
        let ahead = mul(c, ahead, lr)?;
        add(c, now, ahead)?
    } else {
        mul(c, accum, lr)?
    };
    let var = sub(c, var, step)?;
    store(c, 0, var)
}

fn keras_momentum(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [var, accum] = state(c, 3)?;
    let (lr, grad, momentum) = (c.input(2)?, c.input(3)?, c.input(4)?);
    let kept = mul(c, accum, momentum)?;
    let now = mul(c, grad, lr)?;
    let accum = sub(c, kept, now)?;
    store(c, 1, accum)?;
    let step = if c.node().attr_bool("use_nesterov")? {
        let ahead = mul(c, accum, momentum)?;
        sub(c, ahead, now)?
    } else {
        accum
    };
    let var = add(c, var, step)?;
    store(c, 0, var)
}

/// Slot 1 plus the gradient's squares, unless the node leaves slots alone.
fn accumulate(c: &mut OpCtx<'_, '_>, accum: ValueId, grad: ValueId) -> Result<ValueId> {
    if !c.node().attr_bool("update_slots")? {
        return Ok(accum);
    }
    let squares = mul(c, grad, grad)?;
    let accum = add(c, accum, squares)?;
    store(c, 1, accum)?;
    Ok(accum)
}

fn adagrad(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [var, accum] = state(c, 3)?;
    let (lr, grad) = (c.input(2)?, c.input(3)?);
    let accum = accumulate(c, accum, grad)?;
    let inverse = un(c, Unary::Rsqrt, accum)?;
    let step = mul(c, grad, lr)?;
    let step = mul(c, step, inverse)?;
    let var = sub(c, var, step)?;
    store(c, 0, var)
}

fn adadelta(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [var, accum, accum_update] = state(c, 6)?;
    let (lr, rho, epsilon, grad) = (c.input(3)?, c.input(4)?, c.input(5)?, c.input(6)?);
    let squares = mul(c, grad, grad)?;
    let accum = decayed(c, accum, squares, rho)?;
    store(c, 1, accum)?;
    let raised = add(c, accum_update, epsilon)?;
    let root = un(c, Unary::Sqrt, raised)?;
    let raised = add(c, accum, epsilon)?;
    let inverse = un(c, Unary::Rsqrt, raised)?;
    let ratio = mul(c, root, inverse)?;
    let update = mul(c, ratio, grad)?;
    let step = mul(c, update, lr)?;
    let var = sub(c, var, step)?;
    store(c, 0, var)?;
    let squares = mul(c, update, update)?;
    let accum_update = decayed(c, accum_update, squares, rho)?;
    store(c, 2, accum_update)
}

/// The scalars of Adam and its gradient (Kingma and Ba 2015).
struct AdamRates {
    /// `lr * sqrt(1 - beta2_power) / (1 - beta1_power)`.
    alpha: ValueId,
    beta1: ValueId,
    beta2: ValueId,
    epsilon: ValueId,
    grad: ValueId,
}

impl AdamRates {
    /// From the inputs `beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad` at `first`.
    fn of(c: &mut OpCtx<'_, '_>, first: usize) -> Result<AdamRates> {
        let (power1, power2, lr) = (c.input(first)?, c.input(first + 1)?, c.input(first + 2)?);
        let (rest1, rest2) = (one_minus(c, power1)?, one_minus(c, power2)?);
        let root = un(c, Unary::Sqrt, rest2)?;
        let scaled = mul(c, lr, root)?;
        Ok(AdamRates {
            alpha: div(c, scaled, rest1)?,
            beta1: c.input(first + 3)?,
            beta2: c.input(first + 4)?,
            epsilon: c.input(first + 5)?,
            grad: c.input(first + 6)?,
        })
    }

    /// New first and second moments, stored in slots 1 and 2.
    fn moments(&self, c: &mut OpCtx<'_, '_>, m: ValueId, v: ValueId) -> Result<(ValueId, ValueId)> {
        let m = towards(c, m, self.grad, self.beta1)?;
        let squares = mul(c, self.grad, self.grad)?;
        let v = towards(c, v, squares, self.beta2)?;
        store(c, 1, m)?;
        store(c, 2, v)?;
        Ok((m, v))
    }

    fn step(
        &self,
        c: &mut OpCtx<'_, '_>,
        m: ValueId,
        root: ValueId,
        nesterov: bool,
    ) -> Result<ValueId> {
        let direction = if nesterov {
            let part = one_minus(c, self.beta1)?;
            let now = mul(c, self.grad, part)?;
            let ahead = mul(c, self.beta1, m)?;
            add(c, now, ahead)?
        } else {
            m
        };
        let scaled = mul(c, direction, self.alpha)?;
        let below = add(c, root, self.epsilon)?;
        div(c, scaled, below)
    }
}

fn ada_max(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [var, m, v] = state(c, 8)?;
    let (power, lr, beta1) = (c.input(3)?, c.input(4)?, c.input(5)?);
    let (beta2, epsilon, grad) = (c.input(6)?, c.input(7)?, c.input(8)?);
    let m = towards(c, m, grad, beta1)?;
    store(c, 1, m)?;
    let kept = mul(c, beta2, v)?;
    let magnitude = un(c, Unary::Abs, grad)?;
    let v = c.binary(Binary::Maximum, kept, magnitude)?;
    store(c, 2, v)?;
    let rest = one_minus(c, power)?;
    let rate = div(c, lr, rest)?;
    let below = add(c, v, epsilon)?;
    let direction = div(c, m, below)?;
    let step = mul(c, rate, direction)?;
    let var = sub(c, var, step)?;
    store(c, 0, var)
}

/// `mom = mom * momentum + lr * grad / sqrt(spread)` in slot `slot`, then `var - mom`.
fn rms_step(
    c: &mut OpCtx<'_, '_>,
    slot: usize,
    [var, mom, spread]: [ValueId; 3],
    [lr, momentum, grad]: [ValueId; 3],
) -> Result<()> {
    let kept = mul(c, mom, momentum)?;
    let step = mul(c, grad, lr)?;
    let root = un(c, Unary::Sqrt, spread)?;
    let step = div(c, step, root)?;
    let mom = add(c, kept, step)?;
    store(c, slot, mom)?;
    let var = sub(c, var, mom)?;
    store(c, 0, var)
}

fn rms_prop(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [var, ms, mom] = state(c, 7)?;
    let (lr, rho, momentum) = (c.input(3)?, c.input(4)?, c.input(5)?);
    let (epsilon, grad) = (c.input(6)?, c.input(7)?);
    let squares = mul(c, grad, grad)?;
    let ms = towards(c, ms, squares, rho)?;
    store(c, 1, ms)?;
    let spread = add(c, ms, epsilon)?;
    rms_step(c, 2, [var, mom, spread], [lr, momentum, grad])
}

fn centered_rms_prop(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [var, mg, ms, mom] = state(c, 8)?;
    let (lr, rho, momentum) = (c.input(4)?, c.input(5)?, c.input(6)?);
    let (epsilon, grad) = (c.input(7)?, c.input(8)?);
    let squares = mul(c, grad, grad)?;
    let ms = towards(c, ms, squares, rho)?;
    let mg = towards(c, mg, grad, rho)?;
    store(c, 1, mg)?;
    store(c, 2, ms)?;
    let square = mul(c, mg, mg)?;
    let variance = sub(c, ms, square)?;
    let spread = add(c, variance, epsilon)?;
    rms_step(c, 3, [var, mom, spread], [lr, momentum, grad])
}

/// The new momentum into slot 1; `sign_decay * sign(grad) * sign(momentum)`.
fn agreement(c: &mut OpCtx<'_, '_>, m: ValueId) -> Result<ValueId> {
    let (sign_decay, beta, grad) = (c.input(4)?, c.input(5)?, c.input(6)?);
    let m = decayed(c, m, grad, beta)?;
    store(c, 1, m)?;
    let (of_grad, of_m) = (un(c, Unary::Sign, grad)?, un(c, Unary::Sign, m)?);
    let signs = mul(c, of_grad, of_m)?;
    mul(c, sign_decay, signs)
}

/// `var - lr * scale * grad`.
fn step_by(
    c: &mut OpCtx<'_, '_>,
    var: ValueId,
    lr: ValueId,
    scale: ValueId,
    grad: ValueId,
) -> Result<()> {
    let rate = mul(c, lr, scale)?;
    let step = mul(c, rate, grad)?;
    let var = sub(c, var, step)?;
    store(c, 0, var)
}

/// `sign(x) * max(|x| - limit, 0)`; a limit that is not positive takes nothing.
fn soft_threshold(c: &mut OpCtx<'_, '_>, x: ValueId, limit: ValueId) -> Result<ValueId> {
    let zero = c.full_like(limit, 0.0)?;
    let limit = c.binary(Binary::Maximum, limit, zero)?;
    let sign = un(c, Unary::Sign, x)?;
    let magnitude = un(c, Unary::Abs, x)?;
    let left = sub(c, magnitude, limit)?;
    let zero = c.full_like(left, 0.0)?;
    let left = c.binary(Binary::Maximum, left, zero)?;
    mul(c, sign, left)
}

/// The proximal step: `soft_threshold(x, rate * l1) / (1 + l2 * rate)`.
fn shrink(
    c: &mut OpCtx<'_, '_>,
    x: ValueId,
    rate: ValueId,
    l1: ValueId,
    l2: ValueId,
) -> Result<ValueId> {
    let limit = mul(c, rate, l1)?;
    let kept = soft_threshold(c, x, limit)?;
    let growth = mul(c, l2, rate)?;
    let one = c.full_like(growth, 1.0)?;
    let below = add(c, one, growth)?;
    div(c, kept, below)
}

/// The kernel refuses a rate that is not positive and negative strengths.
fn check_rates(c: &mut OpCtx<'_, '_>, lr: ValueId, strengths: &[ValueId]) -> Result<()> {
    let zero = c.full_like(lr, 0.0)?;
    let bad = c.compare(Direction::Le, lr, zero)?;
    c.check(bad, Code::InvalidArgument, "lr is not a positive scalar")?;
    for &strength in strengths {
        let bad = c.compare(Direction::Lt, strength, zero)?;
        let message = "regularization strength is not a non-negative scalar";
        c.check(bad, Code::InvalidArgument, message)?;
    }
    Ok(())
}

fn adagrad_da(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let [_, sums, squares] = state(c, 3)?;
    let (grad, lr, l1, l2) = (c.input(3)?, c.input(4)?, c.input(5)?, c.input(6)?);
    let dtype = c.dtype(grad)?;
    let step = c.input(7)?;
    let step = c.convert(step, dtype)?;
    let sums = add(c, sums, grad)?;
    store(c, 1, sums)?;
    let square = mul(c, grad, grad)?;
    let squares = add(c, squares, square)?;
    store(c, 2, squares)?;
    let limit = mul(c, step, l1)?;
    let kept = soft_threshold(c, sums, limit)?;
    let minus = un(c, Unary::Negate, lr)?;
    let above = mul(c, minus, kept)?;
    let pace = mul(c, step, lr)?;
    let pull = mul(c, l2, pace)?;
    let root = un(c, Unary::Sqrt, squares)?;
    let below = add(c, pull, root)?;
    let var = div(c, above, below)?;
    store(c, 0, var)
}

/// Follow the regularised leader (McMahan et al. 2013) with the gradient `shrunk` in the linear
/// term; `inputs` are the positions of lr, l1, l2 and lr_power.
fn ftrl(c: &mut OpCtx<'_, '_>, inputs: [usize; 4], shrunk: ValueId) -> Result<()> {
    let [var, accum, linear] = state(c, 3)?;
    let grad = c.input(3)?;
    let [lr, l1, l2, power] =
        [c.input(inputs[0])?, c.input(inputs[1])?, c.input(inputs[2])?, c.input(inputs[3])?];
    let by_lr = c.node().attr_bool("multiply_linear_by_lr")?;
    let squares = mul(c, grad, grad)?;
    let new_accum = add(c, accum, squares)?;
    store(c, 1, new_accum)?;
    let (old_root, new_root) =
        (inverse_power(c, accum, power)?, inverse_power(c, new_accum, power)?);
    let grown = sub(c, new_root, old_root)?;
    let two = c.full_like(l2, 2.0)?;
    let doubled = mul(c, two, l2)?;
    // Everything is scaled by the rate, or nothing is and roots are divided by it.
    let (gain, grown, limit, slope, pull) = if by_lr {
        (mul(c, shrunk, lr)?, grown, mul(c, l1, lr)?, new_root, mul(c, doubled, lr)?)
    } else {
        (shrunk, div(c, grown, lr)?, l1, div(c, new_root, lr)?, doubled)
    };
    let lost = mul(c, grown, var)?;
    let change = sub(c, gain, lost)?;
    let linear = add(c, linear, change)?;
    store(c, 2, linear)?;
    let sign = un(c, Unary::Sign, linear)?;
    let edge = mul(c, limit, sign)?;
    let above = sub(c, edge, linear)?;
    let below = add(c, slope, pull)?;
    let moved = div(c, above, below)?;
    let magnitude = un(c, Unary::Abs, linear)?;
    let beyond = c.compare_broadcast(Direction::Gt, magnitude, limit)?;
    let zero = c.full_like(moved, 0.0)?;
    let var = c.select(beyond, moved, zero)?;
    store(c, 0, var)
}

/// `x ^ -power`; a power known to be -1/2 is a square root.
fn inverse_power(c: &mut OpCtx<'_, '_>, x: ValueId, power: ValueId) -> Result<ValueId> {
    let known = c.const_value(power)?.map(|t| t.to_f64s()).transpose()?;
    if known.as_deref() == Some(&[-0.5]) {
        return un(c, Unary::Sqrt, x);
    }
    let exponent = un(c, Unary::Negate, power)?;
    c.binary_broadcast(Binary::Power, x, exponent)
}
