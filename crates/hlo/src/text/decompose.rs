//! Operations outside the closed set that are read as several inside it: the upper half of a
//! product, and the order of floats in which all NaN are one and zeros have no sign.

use smallvec::SmallVec;
use tfjit_base::{DType, Error, Result, Shape, Tensor};

use super::body::{Body, Raw};
use super::number::float_bits;
use super::pretty::{Values, word_attr};
use crate::{
    Attr, Binary, BlockId, CompareType, Direction, Literal, Op, TensorType, Type, ValueId,
};

/// Instructions appended to one block, all of whose values have the extents of one type.
pub(super) struct Emitter<'a, 'p, 't> {
    pub(super) body: &'a mut Body<'p, 't>,
    pub(super) block: BlockId,
}

impl Emitter<'_, '_, '_> {
    /// Appends an instruction with one result.
    pub(super) fn op(&mut self, op: Op, operands: &[ValueId], ty: TensorType) -> ValueId {
        let func = &mut self.body.func;
        let inst = func.add_inst(op, operands, &[], vec![Type::Tensor(ty)]);
        func.blocks[self.block].insts.push(inst);
        func.insts[inst].results[0]
    }

    /// Appends a binary operation on values of the type of `x`.
    pub(super) fn binary(&mut self, op: Binary, x: ValueId, y: ValueId) -> Result<ValueId> {
        let ty = self.ty(x)?;
        Ok(self.op(Op::Binary(op), &[x, y], ty))
    }

    /// The tensor type of a value.
    pub(super) fn ty(&self, value: ValueId) -> Result<TensorType> {
        let ty = self.body.func.tensor_ty(value).cloned();
        ty.ok_or_else(|| Error::invalid_argument("an operand is no tensor"))
    }

    /// Appends a constant with `bits` in every element of `ty`.
    pub(super) fn splat(&mut self, bits: u64, ty: &TensorType) -> Result<ValueId> {
        let shape = ty
            .shape()
            .map_err(|_| Error::unimplemented("this operation on extents that are not known"))?;
        let bytes = &bits.to_le_bytes()[..ty.dtype.size().min(8)];
        let element = Tensor::from_raw(ty.dtype, Shape::scalar(), bytes)?;
        let literal = Literal::splat(element, &shape)?.with_type(ty.clone());
        Ok(self.op(Op::Constant(literal), &[], ty.clone()))
    }
}

impl<'t> Body<'_, 't> {
    /// Appends what an operation of more than one step stands for, and gives its results.
    pub(super) fn decompose(
        &mut self,
        block: BlockId,
        raw: &mut Raw<'t>,
    ) -> Result<Option<Values>> {
        match raw.name {
            "chlo.mulhi" => self.mulhi(block, raw).map(|v| Some(SmallVec::from_elem(v, 1))),
            "chlo.scan" => self.scan(block, raw).map(Some),
            "stablehlo.compare" => {
                let key = "compare_type";
                let weak = word_attr("comparison_type", "WEAKORDER");
                if raw.attrs.get(key) == Some(&weak) {
                    let total = CompareType::TotalOrder.text();
                    for i in 0..raw.operands.len() {
                        raw.operands[i] = self.one_nan(block, raw.operands[i])?;
                    }
                    raw.attrs.insert(key.to_owned(), word_attr("comparison_type", total));
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// `x` with every NaN positive and the same, and every zero positive.
    fn one_nan(&mut self, block: BlockId, x: ValueId) -> Result<ValueId> {
        let mut e = Emitter { body: self, block };
        let ty = e.ty(x)?;
        if !ty.dtype.is_float() {
            return Err(Error::invalid_argument("WEAKORDER is an order of floats"));
        }
        let nan = e.splat(float_bits(ty.dtype, f64::NAN).unwrap_or_default(), &ty)?;
        let zero = e.splat(0, &ty)?;
        let positive = e.binary(Binary::Add, x, zero)?;
        let unequal = Op::Compare { direction: Direction::Ne, compare_type: CompareType::Float };
        let is_nan = e.op(unequal, &[x, x], ty.with_dtype(DType::Bool));
        Ok(e.op(Op::Select, &[is_nan, nan, positive], ty))
    }

    /// The upper half of the product of two integers.
    fn mulhi(&mut self, block: BlockId, raw: &Raw<'t>) -> Result<ValueId> {
        let &[x, y] = raw.operands.as_slice() else {
            return Err(Error::invalid_argument("chlo.mulhi takes two operands"));
        };
        let mut e = Emitter { body: self, block };
        let ty = e.ty(x)?;
        if !ty.dtype.is_int() || e.ty(y)? != ty || raw.results != [Type::Tensor(ty.clone())] {
            return Err(Error::invalid_argument("chlo.mulhi takes integers of one type"));
        }
        let signed = ty.dtype.is_signed_int();
        if ty.dtype.bits() == 64 {
            return e.mulhi_64(x, y, &ty, signed);
        }
        let wide = ty.with_dtype(if signed { DType::I64 } else { DType::U64 });
        let [x, y] = [x, y].map(|v| e.op(Op::Convert, &[v], wide.clone()));
        let product = e.binary(Binary::Multiply, x, y)?;
        let bits = e.splat(ty.dtype.bits() as u64, &wide)?;
        let shift = if signed { Binary::ShiftRightArithmetic } else { Binary::ShiftRightLogical };
        let high = e.binary(shift, product, bits)?;
        Ok(e.op(Op::Convert, &[high], ty))
    }
}

impl Emitter<'_, '_, '_> {
    /// The upper half of a product of 64-bit numbers, from the products of their halves.
    fn mulhi_64(
        &mut self,
        x: ValueId,
        y: ValueId,
        ty: &TensorType,
        signed: bool,
    ) -> Result<ValueId> {
        use Binary::{Add, And, Multiply, ShiftRightArithmetic, ShiftRightLogical, Subtract};
        let half = self.splat(32, ty)?;
        let mask = self.splat(u64::from(u32::MAX), ty)?;
        let (x0, y0) = (self.binary(And, x, mask)?, self.binary(And, y, mask)?);
        let x1 = self.binary(ShiftRightLogical, x, half)?;
        let y1 = self.binary(ShiftRightLogical, y, half)?;
        let low = self.binary(Multiply, x0, y0)?;
        let mut carry = self.binary(ShiftRightLogical, low, half)?;
        let mut high = self.binary(Multiply, x1, y1)?;
        for (a, b) in [(x0, y1), (x1, y0)] {
            let middle = self.binary(Multiply, a, b)?;
            let lower = self.binary(And, middle, mask)?;
            let upper = self.binary(ShiftRightLogical, middle, half)?;
            carry = self.binary(Add, carry, lower)?;
            high = self.binary(Add, high, upper)?;
        }
        let carry = self.binary(ShiftRightLogical, carry, half)?;
        high = self.binary(Add, high, carry)?;
        if signed {
            // Taken as unsigned, a negative number is 2^64 too large.
            let sign = self.splat(63, ty)?;
            for (a, b) in [(x, y), (y, x)] {
                let negative = self.binary(ShiftRightArithmetic, a, sign)?;
                let excess = self.binary(And, negative, b)?;
                high = self.binary(Subtract, high, excess)?;
            }
        }
        Ok(high)
    }
}

/// An attribute that is a flag.
pub(super) fn is_true(attr: Option<&Attr>) -> bool {
    matches!(attr, Some(Attr::Bool(true) | Attr::Unit))
}
