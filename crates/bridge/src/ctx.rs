//! What a lowering sees: one node, its inputs, and the builder.

use std::ops::{Deref, DerefMut};

use tfjit_base::{Code, DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Direction, FuncBuilder, ValueId};
use tfjit_model::Node;

use crate::TfValue;
use crate::checks::Check;
use crate::lower::Lowering;

/// One node being lowered. Dereferences to the [`FuncBuilder`].
pub struct OpCtx<'a, 'm> {
    pub(crate) low: &'a mut Lowering<'m>,
    pub(crate) node: &'a Node,
    pub(crate) inputs: &'a [TfValue],
    pub(crate) outputs: Vec<TfValue>,
}

impl Deref for OpCtx<'_, '_> {
    type Target = FuncBuilder;
    fn deref(&self) -> &FuncBuilder {
        &self.low.b
    }
}

impl DerefMut for OpCtx<'_, '_> {
    fn deref_mut(&mut self) -> &mut FuncBuilder {
        &mut self.low.b
    }
}

/// Inputs, attributes and outputs of the node.
impl OpCtx<'_, '_> {
    /// The node, for its attributes.
    pub fn node(&self) -> &Node {
        self.node
    }

    /// Number of data inputs.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Input `i` as it is.
    ///
    /// # Errors
    /// INTERNAL when the node has fewer inputs.
    pub fn raw_input(&self, i: usize) -> Result<&TfValue> {
        self.inputs.get(i).ok_or_else(|| Error::internal(format!("input {i} is missing")))
    }

    /// Input `i` as a tensor. A reference to a variable reads it.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is none.
    pub fn input(&mut self, i: usize) -> Result<ValueId> {
        match self.raw_input(i)?.clone() {
            TfValue::Tensor(v) => Ok(v),
            TfValue::Variable(k) => self.low.read_variable(k),
            TfValue::Host(_) => Err(Error::unimplemented(format!("input {i} is a string"))),
            TfValue::List(_) => Err(Error::invalid_argument(format!("input {i} is a list"))),
            TfValue::Nothing => Err(Error::invalid_argument(format!("input {i} has no value"))),
        }
    }

    /// All inputs as tensors.
    ///
    /// # Errors
    /// As [`OpCtx::input`].
    pub fn all_inputs(&mut self) -> Result<Vec<ValueId>> {
        (0..self.inputs.len()).map(|i| self.input(i)).collect()
    }

    /// Input `i` as a variable: its number.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is none.
    pub fn variable(&self, i: usize) -> Result<usize> {
        match self.raw_input(i)? {
            TfValue::Variable(k) => Ok(*k),
            _ => Err(Error::invalid_argument(format!("input {i} is no variable"))),
        }
    }

    /// The value of input `i`, which must be known while compiling.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is not.
    pub fn const_input(&mut self, i: usize) -> Result<Tensor> {
        if let TfValue::Host(tensor) = self.raw_input(i)? {
            return Ok(tensor.clone());
        }
        let value = self.input(i)?;
        self.const_value(value)?.ok_or_else(|| {
            Error::invalid_argument(format!(
                "input {i} to node `{}` with op {} must be a compile-time constant",
                self.node.name, self.node.op
            ))
            .help(
                "XLA compilation requires that operator arguments that represent shapes or \
                 dimensions be evaluated to concrete values at compile time",
            )
        })
    }

    /// The value of `value` if it is known while compiling.
    ///
    /// # Errors
    /// Those of evaluating it.
    pub fn const_value(&mut self, value: ValueId) -> Result<Option<Tensor>> {
        self.low.folder.value_of(self.low.b.func(), value)
    }

    /// Constant input `i` as integers in row-major order.
    ///
    /// # Errors
    /// As [`OpCtx::const_input`]; INVALID_ARGUMENT when it does not hold integers.
    pub fn const_ints(&mut self, i: usize) -> Result<Vec<i64>> {
        self.const_input(i)?.to_i64s()
    }

    /// Constant input `i` as one integer (a scalar or a vector of one).
    ///
    /// # Errors
    /// As [`OpCtx::const_ints`]; INVALID_ARGUMENT for another number of elements.
    pub fn const_int(&mut self, i: usize) -> Result<i64> {
        match self.const_ints(i)?.as_slice() {
            [one] => Ok(*one),
            many => Err(Error::invalid_argument(format!(
                "input {i} must be a scalar, it has {} elements",
                many.len()
            ))),
        }
    }

    /// Sets output `i`; outputs may be set in any order.
    pub fn set(&mut self, i: usize, value: ValueId) {
        self.set_raw(i, TfValue::Tensor(value));
    }

    /// Sets output `i` to something else than a tensor.
    pub fn set_raw(&mut self, i: usize, value: TfValue) {
        if self.outputs.len() <= i {
            self.outputs.resize(i + 1, TfValue::Nothing);
        }
        self.outputs[i] = value;
    }

    /// The element type of output `i` by the node's attributes.
    ///
    /// # Errors
    /// UNIMPLEMENTED for resources and variants.
    pub fn output_dtype(&self, i: usize) -> Result<DType> {
        let ty = self.node.output_types.get(i).copied();
        ty.and_then(tfjit_model::dtype)
            .ok_or_else(|| Error::unimplemented(format!("output {i} is not a tensor of numbers")))
    }
}

/// Variables.
impl OpCtx<'_, '_> {
    /// The current value of variable `k`.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when it is uninitialised.
    pub fn read_variable(&mut self, k: usize) -> Result<ValueId> {
        self.low.read_variable(k)
    }

    /// Gives variable `k` a new value.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when dtype or shape may not change so.
    pub fn assign_variable(&mut self, k: usize, value: ValueId) -> Result<()> {
        self.low.assign_variable(k, value)
    }
}

/// Small things that many lowerings need.
impl OpCtx<'_, '_> {
    /// A scalar constant of `dtype`, converted from `f64`.
    ///
    /// # Errors
    /// UNIMPLEMENTED for strings.
    pub fn scalar(&mut self, dtype: DType, value: f64) -> Result<ValueId> {
        let t = scalar_tensor(dtype, value)?;
        self.constant(t)
    }

    /// `value` in every position of a constant shaped like `x`.
    ///
    /// # Errors
    /// As [`OpCtx::scalar`].
    pub fn full_like(&mut self, x: ValueId, value: f64) -> Result<ValueId> {
        let (dtype, shape) = (self.dtype(x)?, self.shape(x)?);
        self.full(dtype, &shape, value)
    }

    /// `value` in every position of a constant of `shape`.
    ///
    /// # Errors
    /// As [`OpCtx::scalar`].
    pub fn full(&mut self, dtype: DType, shape: &Shape, value: f64) -> Result<ValueId> {
        self.splat(scalar_tensor(dtype, value)?, shape)
    }

    /// A vector constant of `i64` or, with `dtype` I32, of `i32`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when a value does not fit.
    pub fn int_vector(&mut self, dtype: DType, values: &[i64]) -> Result<ValueId> {
        let t = int_tensor(dtype, Shape::new(&[values.len()]), values)?;
        self.constant(t)
    }

    /// `x` broadcast to `shape` by NumPy's rule (dimensions are aligned at the end).
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it can't be.
    pub fn broadcast_to(&mut self, x: ValueId, shape: &Shape) -> Result<ValueId> {
        let from = self.shape(x)?;
        if &from == shape {
            return Ok(x);
        }
        let bad =
            || Error::invalid_argument(format!("shape {from} cannot be broadcast to {shape}"));
        let offset = shape.rank().checked_sub(from.rank()).ok_or_else(bad)?;
        if !from.iter().zip(&shape[offset..]).all(|(&f, &t)| f == t || f == 1) {
            return Err(bad());
        }
        let dims: Vec<i64> = (offset..shape.rank()).map(|d| d as i64).collect();
        self.broadcast_in_dim(x, shape, &dims)
    }

    /// Two tensors broadcast to their common shape by NumPy's rule.
    ///
    /// # Errors
    /// INVALID_ARGUMENT "Incompatible shapes" when there is none.
    pub fn broadcast_pair(&mut self, x: ValueId, y: ValueId) -> Result<(ValueId, ValueId)> {
        let shape = broadcast_shapes(&self.shape(x)?, &self.shape(y)?)?;
        Ok((self.broadcast_to(x, &shape)?, self.broadcast_to(y, &shape)?))
    }

    /// A binary operation after broadcasting.
    ///
    /// # Errors
    /// As [`OpCtx::broadcast_pair`].
    pub fn binary_broadcast(&mut self, op: Binary, x: ValueId, y: ValueId) -> Result<ValueId> {
        let (x, y) = self.broadcast_pair(x, y)?;
        self.binary(op, x, y)
    }

    /// A comparison after broadcasting.
    ///
    /// # Errors
    /// As [`OpCtx::broadcast_pair`].
    pub fn compare_broadcast(&mut self, d: Direction, x: ValueId, y: ValueId) -> Result<ValueId> {
        let (x, y) = self.broadcast_pair(x, y)?;
        self.compare(d, x, y)
    }

    /// A binary operation with a constant that has `x`'s element type.
    ///
    /// # Errors
    /// As [`OpCtx::scalar`].
    pub fn binary_scalar(&mut self, op: Binary, x: ValueId, value: f64) -> Result<ValueId> {
        let y = self.full_like(x, value)?;
        self.binary(op, x, y)
    }

    /// Whether any element of the boolean tensor is true, as a scalar.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the tensor is not boolean.
    pub fn any(&mut self, x: ValueId) -> Result<ValueId> {
        let rank = self.shape(x)?.rank();
        if rank == 0 {
            return Ok(x);
        }
        let init = self.constant(Tensor::scalar_bool(false))?;
        let all: Vec<i64> = (0..rank as i64).collect();
        self.reduce(Binary::Or, x, init, &all)
    }

    /// Makes the launch fail with `code` and `message` when the boolean `fired` has a true element.
    /// With checks switched off nothing is emitted.
    ///
    /// # Errors
    /// The error itself, when it is known while compiling that the check fires.
    pub fn check(&mut self, fired: ValueId, code: Code, message: impl Into<String>) -> Result<()> {
        if !self.low.options.checks {
            return Ok(());
        }
        let fired = self.any(fired)?;
        let message = message.into();
        if let Some(known) = self.const_value(fired)? {
            let fires = known.to_bools()?.first().copied().unwrap_or(false);
            if !fires {
                return Ok(());
            }
            if self.low.checks.scopes.len() == 1 {
                return Err(Error::new(code, message).at(&*self.node.name));
            }
        }
        let node = self.node.name.to_string();
        self.low.checks.add(Check { code, message, node }, fired);
        Ok(())
    }
}

/// Refuses to work out more positions or weights while compiling than the limit allows.
///
/// # Errors
/// RESOURCE_EXHAUSTED.
pub(crate) fn bounded_table(shape: &Shape) -> Result<usize> {
    let entries = shape.elements();
    if entries > tfjit_base::limits::POSITIONS_MAX {
        return Err(Error::resource_exhausted(format!(
            "a table of {shape} positions is larger than the limit of {}",
            tfjit_base::limits::POSITIONS_MAX
        )));
    }
    Ok(entries)
}

/// The common shape of two operands by NumPy's rule.
///
/// # Errors
/// INVALID_ARGUMENT "Incompatible shapes" when there is none.
pub(crate) fn broadcast_shapes(x: &Shape, y: &Shape) -> Result<Shape> {
    let rank = x.rank().max(y.rank());
    let at = |s: &Shape, i: usize| (i + s.rank()).checked_sub(rank).map_or(1, |j| s[j]);
    (0..rank)
        .map(|i| match (at(x, i), at(y, i)) {
            (a, b) if a == b => Ok(a),
            (1, b) => Ok(b),
            (a, 1) => Ok(a),
            _ => Err(Error::invalid_argument(format!("Incompatible shapes: {x} vs. {y}"))),
        })
        .collect()
}

/// A scalar tensor of `dtype` nearest to `value`.
///
/// # Errors
/// UNIMPLEMENTED for strings.
pub(crate) fn scalar_tensor(dtype: DType, value: f64) -> Result<Tensor> {
    use tfjit_base::{Complex, MiniFloat, bf16, f16};
    let raw = |byte: u8| Tensor::from_raw(dtype, Shape::scalar(), &[byte]);
    Ok(match dtype {
        DType::Bool => Tensor::scalar_bool(value != 0.0),
        DType::I2 | DType::I4 => raw(value as i8 as u8)?,
        DType::U2 | DType::U4 => raw(value as u8)?,
        DType::I8 => Tensor::scalar(value as i8),
        DType::I16 => Tensor::scalar(value as i16),
        DType::I32 => Tensor::scalar(value as i32),
        DType::I64 => Tensor::scalar(value as i64),
        DType::U8 => Tensor::scalar(value as u8),
        DType::U16 => Tensor::scalar(value as u16),
        DType::U32 => Tensor::scalar(value as u32),
        DType::U64 => Tensor::scalar(value as u64),
        DType::BF16 => Tensor::scalar(bf16::from_f64(value)),
        DType::F16 => Tensor::scalar(f16::from_f64(value)),
        DType::F32 => Tensor::scalar(value as f32),
        DType::F64 => Tensor::scalar(value),
        DType::C64 => Tensor::scalar(Complex::new(value as f32, 0.0)),
        DType::C128 => Tensor::scalar(Complex::new(value, 0.0)),
        other => match MiniFloat::of(other) {
            Some(format) => raw(format.encode_f64(value))?,
            None => return Err(Error::unimplemented(format!("{other} holds no numbers"))),
        },
    })
}

/// An integer tensor.
///
/// # Errors
/// INVALID_ARGUMENT when `dtype` is no integer type or a value does not fit.
pub(crate) fn int_tensor(dtype: DType, shape: Shape, values: &[i64]) -> Result<Tensor> {
    let bad = || Error::invalid_argument(format!("{values:?} does not fit {dtype}"));
    macro_rules! narrow {
        ($t:ty) => {{
            let narrow: Option<Vec<$t>> = values.iter().map(|&v| v.try_into().ok()).collect();
            Tensor::from_slice(shape, &narrow.ok_or_else(bad)?)
        }};
    }
    match dtype {
        DType::I8 => narrow!(i8),
        DType::I16 => narrow!(i16),
        DType::I32 => narrow!(i32),
        DType::I64 => narrow!(i64),
        DType::U8 => narrow!(u8),
        DType::U16 => narrow!(u16),
        DType::U32 => narrow!(u32),
        DType::U64 => narrow!(u64),
        _ => Err(bad()),
    }
}
