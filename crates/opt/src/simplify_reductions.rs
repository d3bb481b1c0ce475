//! A window as large as what it goes over is a reduction.
//!
//! ```text
//! %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 7, 7, 1>}> … :
//!   (tensor<1x7x7x8xf32>, tensor<f32>) -> tensor<1x1x1x8xf32>
//! // ==>
//! %0 = stablehlo.reduce(%x init: %zero) … across dimensions = [1, 2]
//! %1 = stablehlo.reshape %0 : (tensor<1x8xf32>) -> tensor<1x1x1x8xf32>
//! ```
//!
//! The elements are the same in the same order. Terminates: each rewrite takes a window away.

use tfjit_base::Result;
use tfjit_hlo::{Dims, Func, InstId, Module, Op, Patch};

use crate::insert::{Insert, copied, simple};
use crate::{Changed, Pass, PassCtx};

/// The pass.
#[derive(Default)]
pub struct SimplifyReductions;

impl Pass for SimplifyReductions {
    const NAME: &'static str = "simplify-reductions";
    const DOC: &'static str = "reductions for windows as large as what they go over";

    fn run(&self, module: &mut Module, ctx: &PassCtx<'_>) -> Result<Changed> {
        let mut changed = false;
        for func in &mut module.funcs {
            let found: Vec<(InstId, Dims)> =
                func.walk().into_iter().filter_map(|id| Some((id, whole(func, id)?))).collect();
            if found.is_empty() {
                continue;
            }
            let mut patch = Patch::new(func, ctx.fuel);
            for (id, dimensions) in found {
                if !patch.begin("window over everything") {
                    break;
                }
                let inst = &patch.func().insts[id];
                let (operands, region) = (inst.operands.clone(), inst.regions[0]);
                let result = inst.results[0];
                let region = copied(&mut patch, region)?;
                let op = Op::Reduce { dimensions };
                let y = patch.insert_with_regions(id, op, &operands, &[region])?[0];
                let mut at = Insert { patch: &mut patch, anchor: id };
                let dims = at.ty(result)?.dims;
                let y = at.reshape(y, &dims)?;
                patch.replace(id, &[y])?;
                changed = true;
            }
        }
        Ok(Changed::when(changed))
    }
}

/// The dimensions that a window goes over whole, if it does nothing else.
fn whole(func: &Func, id: InstId) -> Option<Dims> {
    let inst = &func.insts[id];
    let Op::ReduceWindow(window) = &inst.op else { return None };
    let ([x, _], [result]) = (&inst.operands[..], &inst.results[..]) else { return None };
    let (x, out) = (func.tensor_ty(*x)?, func.tensor_ty(*result)?);
    let plain = x.is_static() && out.is_static() && x.quant.is_none() && out.quant.is_none();
    if !plain || x.dims.contains(&0) || !inst.regions.iter().all(|&r| simple(func, r)) {
        return None;
    }
    let mut dimensions = Dims::new();
    for d in 0..x.rank() {
        let still = window.padding[d] == [0, 0] && window.base_dilations[d] == 1;
        let dilated = window.window_dilations[d] != 1;
        match window.window_dimensions[d] {
            _ if !still => return None,
            1 if window.window_strides[d] == 1 => {}
            n if n == x.dims[d] && !dilated => dimensions.push(d as i64),
            _ => return None,
        }
    }
    // One element a window is combined with the initial value, which a reduction of nothing is not.
    (!dimensions.is_empty()).then_some(dimensions)
}
