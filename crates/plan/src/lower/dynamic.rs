//! Steps of slices and updates at places that the launch computes.
//!
//! An update happens in the memory of its operand where nobody reads that any more: a loop that
//! writes a row each time moves that row only. Nothing here knows how copies run.

use smallvec::SmallVec;
use tfjit_base::Result;
use tfjit_base::ids::Id;
use tfjit_hlo::{InstId, ValueDef, ValueId};

use super::Planner;
use super::view::{View, dense_strides, dims_of};
use crate::plan::{BufferId, Place, Start, Step};

impl Planner<'_> {
    /// Copies the slice out of its operand, however that lies.
    pub(super) fn dynamic_slice(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let (operand, result) = (data.operands[0], data.results[0]);
        let view = self.view(operand)?;
        let dims = dims_of(self.func, result).unwrap_or_default();
        let Some(starts) = self.starts(operand, result, &data.operands[1..], &view)? else {
            return self.reference(inst);
        };
        let out = self.target(result)?;
        let first = self.steps.len();
        self.copy_view(&view, &dims, out, 0, &dense_strides(&dims))?;
        if let Some(Step::Copy(call)) = self.steps.get_mut(first) {
            call.input_at = starts;
        }
        Ok(())
    }

    /// Copies the update into its operand's memory, or into a copy of it.
    pub(super) fn dynamic_update_slice(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let (operand, update, result) = (data.operands[0], data.operands[1], data.results[0]);
        let dims = dims_of(self.func, result).unwrap_or_default();
        let whole = View::whole(result, &dims);
        let Some(starts) = self.starts(operand, update, &data.operands[2..], &whole)? else {
            return self.reference(inst);
        };
        let view = self.view(operand)?;
        let out = match self.ends_here(inst, &view, &dims) {
            Some(home) => {
                self.homes.insert(result, home);
                home
            }
            None => {
                let out = self.target(result)?;
                self.copy_view(&view, &dims, out, 0, &whole.strides)?;
                out
            }
        };
        let first = self.steps.len();
        let (source, extents) = (self.view(update)?, dims_of(self.func, update));
        self.copy_view(&source, &extents.unwrap_or_default(), out, 0, &whole.strides)?;
        if let Some(Step::Copy(call)) = self.steps.get_mut(first) {
            call.out_at = starts;
        }
        Ok(())
    }

    /// Where a piece with the extents of `piece` begins in `whole`, which lies as `view` says;
    /// `None` when copies can't do it.
    fn starts(
        &mut self,
        whole: ValueId,
        piece: ValueId,
        indices: &[ValueId],
        view: &View,
    ) -> Result<Option<Vec<Start>>> {
        let from = dims_of(self.func, whole).unwrap_or_default();
        let to = dims_of(self.func, piece).unwrap_or_default();
        let element = self.func.tensor_ty(whole).map_or(0, |ty| ty.dtype.size());
        let dtypes = indices.iter().map(|&v| self.func.tensor_ty(v).map(|ty| ty.dtype));
        let known = dtypes.flatten().filter(|d| d.is_int() && d.bits() == d.size() * 8).count();
        let fits = matches!(element, 1 | 2 | 4 | 8 | 16) && known == from.len();
        if !fits || from.len() != to.len() || indices.len() != from.len() {
            return Ok(None);
        }
        let mut starts = Vec::new();
        for (d, &index) in indices.iter().enumerate() {
            let max = from[d].saturating_sub(to[d]);
            if max == 0 {
                // There is one place only.
                continue;
            }
            let buffer = self.dense(index)?;
            let dtype = self.plan.buffers[buffer].dtype;
            starts.push(Start { buffer, dtype, max, stride: view.strides[d] * element as isize });
        }
        Ok(Some(starts))
    }

    /// The memory of an operand of `inst` that nobody reads afterwards, so that the result can be
    /// made in it: temporary memory of a value of the same block, whose readers have all run.
    fn ends_here(&self, inst: InstId, view: &View, dims: &[usize]) -> Option<BufferId> {
        let home = *self.homes.get(&view.root)?;
        let buffer = &self.plan.buffers[home];
        let element = self.func.tensor_ty(self.func.insts[inst].results[0])?.dtype.size();
        let fills = buffer.bytes == dims.iter().product::<usize>() * element;
        let real = view.root.index() < self.func.values.len();
        if !real || !fills || !matches!(buffer.place, Place::Arena(_)) || !view.is_dense(dims) {
            return None;
        }
        let block = self.facts.block(inst)?;
        let here = match self.func.values[view.root].def {
            ValueDef::Param { block: home, .. } => home == block,
            ValueDef::Result { inst: def, .. } => self.facts.block(def) == Some(block),
        };
        let update = self.facts.view(self.func.insts[inst].operands[1])?.root;
        let mut readers: SmallVec<[InstId; 4]> =
            self.facts.readers(self.func, &self.uses, view.root);
        readers.retain(|reader| *reader != inst && !self.written.contains(reader));
        let over = here && readers.is_empty() && update != view.root;
        (over && !self.facts.is_result(view.root)).then_some(home)
    }
}
