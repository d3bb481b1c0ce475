//! What rules see, and how they say what to put in an instruction's place.

use tfjit_base::{DType, Tensor};
use tfjit_hlo::{Func, Inst, Literal, Op, TensorType, Type, ValueId};

/// An instruction and the function around it.
pub(super) struct View<'a> {
    pub(super) func: &'a Func,
    pub(super) inst: &'a Inst,
}

/// An operand of a new instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    /// A value that is there.
    Old(ValueId),
    /// The result of an earlier step.
    New(usize),
}

impl Arg {
    pub(super) fn value(self, made: &[ValueId]) -> ValueId {
        match self {
            Arg::Old(value) => value,
            Arg::New(step) => made[step],
        }
    }
}

/// A new instruction with one result.
pub(super) struct Step {
    pub(super) op: Op,
    pub(super) operands: Vec<Arg>,
    /// The type of the result; the shape rule's when `None`.
    pub(super) ty: Option<Type>,
}

/// What to put in an instruction's place.
pub(super) struct Rewrite {
    pub(super) steps: Vec<Step>,
    pub(super) results: Vec<Arg>,
}

impl Rewrite {
    /// A value that is there.
    pub(super) fn value(value: ValueId) -> Option<Rewrite> {
        Some(Rewrite { steps: Vec::new(), results: vec![Arg::Old(value)] })
    }

    /// Values that are there.
    pub(super) fn values(values: &[ValueId]) -> Option<Rewrite> {
        let results = values.iter().copied().map(Arg::Old).collect();
        Some(Rewrite { steps: Vec::new(), results })
    }

    /// Whether values that take the place of results have their types. What steps make is checked
    /// against the shape rules when they are inserted, with the type of the result declared; it
    /// must be static, because the rules may know more of another operation's extents.
    pub(super) fn fits(&self, view: &View<'_>) -> bool {
        let results = &view.inst.results;
        let fits = |(&result, arg): (&ValueId, &Arg)| match *arg {
            Arg::Old(value) => view.func.ty(value) == view.func.ty(result),
            Arg::New(step) => {
                let ty = self.steps[step].ty.as_ref();
                let exact = ty.and_then(Type::as_tensor).is_some_and(TensorType::is_static);
                exact && ty == Some(view.func.ty(result))
            }
        };
        results.len() == self.results.len() && results.iter().zip(&self.results).all(fits)
    }
}

/// A constant number, of which every element of a value is one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    /// An integer or a truth value.
    Int(i64),
    /// A real number; the bits count.
    Float(f64),
}

impl Number {
    /// Whether it is this float, bit for bit.
    pub(super) fn is_float(self, value: f64) -> bool {
        matches!(self, Number::Float(x) if x.to_bits() == value.to_bits())
    }
}

impl<'a> View<'a> {
    /// Operand `i`, which the operation must have.
    pub(super) fn operand(&self, i: usize) -> ValueId {
        self.inst.operands[i]
    }

    /// The tensor type of a value.
    pub(super) fn ty(&self, value: ValueId) -> Option<&'a TensorType> {
        self.func.tensor_ty(value)
    }

    /// The tensor type of the first result.
    pub(super) fn result(&self) -> Option<&'a TensorType> {
        self.ty(*self.inst.results.first()?)
    }

    /// The type of the first result, if it is a tensor whose elements are plain numbers of a
    /// float type.
    pub(super) fn float(&self) -> Option<DType> {
        let ty = self.result()?;
        (ty.dtype.is_float() && ty.quant.is_none()).then_some(ty.dtype)
    }

    /// Whether the first result holds plain integers (or truth values).
    pub(super) fn int(&self) -> bool {
        self.result()
            .is_some_and(|ty| ty.quant.is_none() && (ty.dtype.is_int() || ty.dtype == DType::Bool))
    }

    /// The instruction that defines a value.
    pub(super) fn def(&self, value: ValueId) -> Option<&'a Inst> {
        self.func.def(value).map(|(_, inst)| inst)
    }

    /// The instruction that defines operand `i`, if there is one.
    pub(super) fn operand_def(&self, i: usize) -> Option<&'a Inst> {
        self.def(*self.inst.operands.get(i)?)
    }

    /// The constant that defines a value.
    pub(super) fn literal(&self, value: ValueId) -> Option<&'a Literal> {
        match &self.def(value)?.op {
            Op::Constant(literal) => Some(literal),
            _ => None,
        }
    }

    /// The number that every element of a value is.
    pub(super) fn number(&self, value: ValueId) -> Option<Number> {
        let literal = self.literal(value)?;
        if literal.ty().quant.is_some() || literal.stored().elements() != 1 {
            return None;
        }
        let (tensor, dtype): (&Tensor, DType) = (literal.stored(), literal.dtype());
        match dtype.is_int() || dtype == DType::Bool {
            true => tensor.to_i64s().ok()?.first().copied().map(Number::Int),
            false => tensor.to_f64s().ok()?.first().copied().map(Number::Float),
        }
    }

    /// An instruction with the result type of this one.
    pub(super) fn instead(&self, op: Op, operands: &[ValueId]) -> Option<Rewrite> {
        let ty = self.func.ty(*self.inst.results.first()?).clone();
        let operands = operands.iter().copied().map(Arg::Old).collect();
        let steps = vec![Step { op, operands, ty: Some(ty) }];
        Some(Rewrite { steps, results: vec![Arg::New(0)] })
    }

    /// A constant with the result type of this instruction.
    pub(super) fn constant(&self, element: Tensor) -> Option<Rewrite> {
        let ty = self.result()?;
        let literal = Literal::splat(element, &ty.shape().ok()?).ok()?;
        (literal.ty() == ty).then(|| self.instead(Op::Constant(literal), &[]))?
    }
}

/// The exact extents of a static type.
pub(super) fn extents(ty: &TensorType) -> Option<&[i64]> {
    ty.is_static().then_some(&ty.dims[..])
}
