//! Contractions of 16-bit floats in single precision, for which there are kernels.
//!
//! ```text
//! %0 = stablehlo.dot_general %x, %y, … : (tensor<…xbf16>, tensor<…xbf16>) -> tensor<…xbf16>
//! // ==>
//! %1 = stablehlo.convert %x : … -> tensor<…xf32>
//! %2 = stablehlo.convert %y : … -> tensor<…xf32>
//! %3 = stablehlo.dot_general %1, %2, … -> tensor<…xf32>
//! %0 = stablehlo.convert %3 : … -> tensor<…xbf16>
//! ```
//!
//! Sums of 16-bit products are made in single precision anyway, so that nothing is rounded
//! otherwise. Terminates: what it makes has no 16-bit operands.

use tfjit_base::{DType, Result};
use tfjit_hlo::{Func, InstId, Module, Op, Patch, ValueId};

use crate::insert::Insert;
use crate::{Changed, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct WidenContractions;

impl Pass for WidenContractions {
    const NAME: &'static str = "widen-contractions";
    const DOC: &'static str = "products and convolutions of 16-bit floats in single precision";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            let found = func.walk();
            let found: Vec<InstId> = found.into_iter().filter(|&id| is_narrow(func, id)).collect();
            let mut patch = Patch::new(func, ctx.fuel);
            for id in found {
                if !patch.begin("16-bit contraction") {
                    break;
                }
                let value = widened(&mut patch, id)?;
                patch.replace(id, &[value])?;
                changed = true;
            }
        }
        Ok(Changed::when(changed))
    }
}

/// Whether an instruction is a contraction of 16-bit floats whose sizes are known.
fn is_narrow(func: &Func, id: InstId) -> bool {
    let inst = &func.insts[id];
    let plain = |&v: &ValueId| {
        func.tensor_ty(v).is_some_and(|ty| {
            let float = matches!(ty.dtype, DType::BF16 | DType::F16 | DType::F32);
            float && ty.is_static() && ty.quant.is_none()
        })
    };
    matches!(inst.op, Op::DotGeneral(_) | Op::Convolution(_))
        && inst.operands.iter().chain(&inst.results).all(plain)
        && inst.operands.iter().any(|&v| func.tensor_ty(v).is_some_and(|ty| ty.dtype != DType::F32))
}

fn widened(patch: &mut Patch<'_>, id: InstId) -> Result<ValueId> {
    let inst = &patch.func().insts[id];
    let (op, operands, result) = (inst.op.clone(), inst.operands.clone(), inst.results[0]);
    let mut at = Insert { patch, anchor: id };
    let mut wide = Vec::with_capacity(operands.len());
    for operand in operands {
        let ty = at.ty(operand)?.with_dtype(DType::F32);
        wide.push(at.convert(operand, &ty)?);
    }
    let ty = at.ty(result)?;
    let sums = at.typed(op, &wide, ty.with_dtype(DType::F32))?;
    at.convert(sums, &ty)
}
