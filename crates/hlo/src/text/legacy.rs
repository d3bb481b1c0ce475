//! Operations that are read as others: constants of several dialects, operations that newer
//! StableHLO dropped, comparisons with constants in test programs, and annotations.

use tfjit_base::{Error, Result};

use super::body::{Body, Raw};
use crate::{Attr, BlockId, Dims, Literal, Op, Type, ValueId};

/// Operations that only say where their operand should be.
pub(super) const ANNOTATIONS: &[&str] =
    &["mhlo.copy", "sdy.propagation_barrier", "sdy.reshard", "sdy.sharding_constraint"];

const CONSTANTS: &[&str] = &["stablehlo.constant", "arith.constant", "chlo.constant"];

/// The constant that `raw` is, if it is one.
pub(super) fn constant(raw: &mut Raw<'_>) -> Option<Result<Op>> {
    if !CONSTANTS.contains(&raw.name) {
        return None;
    }
    let literal = match raw.attrs.shift_remove("value") {
        Some(Attr::Dense(literal)) => *literal,
        _ => {
            return Some(Err(Error::invalid_argument(format!(
                "{} needs the attribute value, a dense literal",
                raw.name
            ))));
        }
    };
    Some(typed(literal, raw.results.first()).map(Op::Constant))
}

/// The literal with the declared type, which may add quantisation to the storage type.
fn typed(literal: Literal, declared: Option<&Type>) -> Result<Literal> {
    let Some(Type::Tensor(ty)) = declared else {
        return Err(Error::invalid_argument("a constant has one result, a tensor"));
    };
    let same = ty.dtype == literal.dtype() && ty.dims == literal.ty().dims;
    let quantised = literal.ty().quant.is_none() || literal.ty() == ty;
    if !same || !quantised {
        return Err(Error::invalid_argument(format!(
            "a literal of type {} for a constant of type {ty}",
            literal.ty()
        )));
    }
    Ok(literal.with_type(ty.clone()))
}

impl<'t> Body<'_, 't> {
    /// The operand of an operation that means nothing but its operand.
    pub(super) fn identity(&self, raw: &Raw<'t>) -> Option<ValueId> {
        let &[operand] = raw.operands.as_slice() else { return None };
        let same = raw.results.as_slice() == [self.func.ty(operand).clone()];
        (ANNOTATIONS.contains(&raw.name) && same).then_some(operand)
    }

    /// Rewrites operations that StableHLO dropped into those that took their place.
    pub(super) fn modernise(&mut self, block: BlockId, raw: &mut Raw<'t>) -> Result<()> {
        match raw.name {
            "stablehlo.dot" => self.modernise_dot(raw),
            "stablehlo.broadcast" => self.modernise_broadcast(raw),
            name if name.starts_with("check.") => {
                if let Some(name) = name.strip_suffix("_const") {
                    raw.name = name;
                    self.constant_operand(block, raw)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn rank(&self, raw: &Raw<'t>, operand: usize) -> Result<usize> {
        let ty = raw.operands.get(operand).and_then(|&v| self.func.tensor_ty(v));
        let ty = ty.ok_or_else(|| Error::invalid_argument("an operand is no tensor"))?;
        Ok(ty.rank())
    }

    /// `dot` contracts the last dimension of the left operand with the first of the right.
    fn modernise_dot(&self, raw: &mut Raw<'t>) -> Result<()> {
        let (left, right) = (self.rank(raw, 0)?, self.rank(raw, 1)?);
        if !(1..=2).contains(&left) || !(1..=2).contains(&right) {
            return Err(Error::invalid_argument("stablehlo.dot takes vectors and matrices"));
        }
        let numbers = format!(
            "#stablehlo.dot<lhs_contracting_dimensions = [{}], rhs_contracting_dimensions = [0]>",
            left - 1
        );
        raw.name = "stablehlo.dot_general";
        raw.attrs.insert("dot_dimension_numbers".to_owned(), Attr::Opaque(numbers));
        Ok(())
    }

    /// `broadcast` puts new dimensions in front.
    fn modernise_broadcast(&self, raw: &mut Raw<'t>) -> Result<()> {
        let rank = self.rank(raw, 0)? as i64;
        let sizes: Dims =
            super::fields::Fields::new(raw.name, &mut raw.attrs).dims("broadcast_sizes")?;
        let front = sizes.len() as i64;
        let dims: Vec<i64> = (front..front + rank).collect();
        raw.name = "stablehlo.broadcast_in_dim";
        raw.attrs
            .insert("broadcast_dimensions".to_owned(), Attr::DenseArray("i64".to_owned(), dims));
        Ok(())
    }

    /// Makes the attribute `value` an operand.
    fn constant_operand(&mut self, block: BlockId, raw: &mut Raw<'t>) -> Result<()> {
        let Some(Attr::Dense(literal)) = raw.attrs.shift_remove("value") else {
            return Err(Error::invalid_argument("a comparison with a constant needs one"));
        };
        let ty = Type::Tensor(literal.ty().clone());
        let inst = self.func.add_inst(Op::Constant(*literal), &[], &[], vec![ty]);
        self.func.blocks[block].insts.push(inst);
        raw.operands.push(self.func.insts[inst].results[0]);
        Ok(())
    }
}
