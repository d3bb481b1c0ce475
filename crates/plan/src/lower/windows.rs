//! Steps of pooling windows.

use tfjit_base::{DType, Result};
use tfjit_hlo::{Binary, InstId, Op, Window};

use super::Planner;
use super::facts::region_op;
use super::view::{def_of, dims_of};
use crate::plan::{PoolCall, PoolKind, Step};

impl Planner<'_> {
    /// A window over height and width of an NHWC tensor; other windows go to the interpreter.
    pub(super) fn pool(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let (Op::ReduceWindow(window), Some(kind)) = (&data.op, self.pool_kind(inst)) else {
            return self.reference(inst);
        };
        let x = dims_of(self.func, data.operands[0]).unwrap_or_default();
        let y = dims_of(self.func, data.results[0]).unwrap_or_default();
        if x.contains(&0) || y.contains(&0) {
            return self.reference(inst);
        }
        let input = self.dense(data.operands[0])?;
        let out = self.target(data.results[0])?;
        let pair = |list: &[i64]| [list[1] as usize, list[2] as usize];
        self.steps.push(Step::Pool(Box::new(PoolCall {
            dtype: DType::F32,
            kind,
            input,
            out,
            batch: x[0],
            input_size: [x[1], x[2]],
            features: x[3],
            window: pair(&window.window_dimensions),
            output_size: [y[1], y[2]],
            strides: pair(&window.window_strides),
            dilations: pair(&window.window_dilations),
            padding: [window.padding[1][0] as isize, window.padding[2][0] as isize],
        })));
        Ok(())
    }

    /// What a pooling kernel has to compute for a window, if one can.
    fn pool_kind(&self, inst: InstId) -> Option<PoolKind> {
        let data = &self.func.insts[inst];
        let Op::ReduceWindow(window) = &data.op else { return None };
        if data.operands.len() != 2 || !is_spatial(window) {
            return None;
        }
        if self.func.tensor_ty(data.operands[0])?.dtype != DType::F32 {
            return None;
        }
        let root = self.facts.view(data.operands[1])?.root;
        let (_, initial) = def_of(self.func, root)?;
        let Op::Constant(literal) = &initial.op else { return None };
        let initial = f32::from_le_bytes(literal.as_splat()?.bytes().try_into().ok()?);
        match region_op(self.func, data.regions[0])? {
            Binary::Add if initial == 0.0 => Some(PoolKind::Sum),
            Binary::Maximum if initial == f32::NEG_INFINITY => Some(PoolKind::Max),
            Binary::Maximum if initial == f32::MIN => Some(PoolKind::MaxFinite),
            _ => None,
        }
    }
}

/// Whether a window slides over dimensions 1 and 2 of four only.
fn is_spatial(window: &Window) -> bool {
    window.window_dimensions.len() == 4
        && [0, 3].into_iter().all(|d| {
            window.window_dimensions[d] == 1
                && window.window_strides[d] == 1
                && window.padding[d] == [0, 0]
        })
        && window.base_dilations.iter().all(|&d| d == 1)
}
