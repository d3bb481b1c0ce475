//! Steps of loops and branches.

use tfjit_base::Result;
use tfjit_hlo::{BlockId, InstId, Op, ValueId};

use super::view::{dense_strides, dims_of};
use super::{Planner, UNPLACED, is_token};
use crate::plan::{BufferId, Step};

impl Planner<'_> {
    /// A loop: its values live in buffers of their own, which the body writes in place.
    pub(super) fn while_loop(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let (test, body) = (data.regions[0], data.regions[1]);
        let mut carried = Vec::with_capacity(data.operands.len());
        for (i, &operand) in data.operands.clone().iter().enumerate() {
            if is_token(self.func, operand) {
                continue;
            }
            let buffer = self.buffer(operand, UNPLACED)?;
            self.copy_value(operand, buffer)?;
            self.homes.insert(self.func.blocks[test].params[i], buffer);
            self.homes.insert(self.func.blocks[body].params[i], buffer);
            self.homes.insert(data.results[i], buffer);
            carried.push(buffer);
        }
        let mut condition = None;
        let test_steps = self.nested(|p| {
            p.block(test)?;
            condition = Some(p.dense(p.func.blocks[test].results[0])?);
            Ok(())
        })?;
        let body_steps = self.nested(|p| {
            p.block(body)?;
            let results = p.with_memory(body);
            p.write_back(&results, &carried)
        })?;
        let Some(condition) = condition else { return Ok(()) };
        self.steps.push(Step::While { test: test_steps, condition, body: body_steps });
        Ok(())
    }

    /// Puts the values a body returns into the buffers of the loop.
    fn write_back(&mut self, results: &[ValueId], carried: &[BufferId]) -> Result<()> {
        let mut sources = Vec::with_capacity(results.len());
        for (&value, &own) in results.iter().zip(carried) {
            let mut source = self.dense(value)?;
            // A value of the loop that moves to another place must not be overwritten before.
            if source != own && carried.contains(&source) {
                let saved = self.buffer(value, UNPLACED)?;
                self.copy_whole(source, saved);
                source = saved;
            }
            sources.push(source);
        }
        for (source, &own) in sources.into_iter().zip(carried) {
            self.copy_whole(source, own);
        }
        Ok(())
    }

    /// Branches: each writes its results to the same buffers.
    pub(super) fn branches(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        debug_assert!(matches!(data.op, Op::If | Op::Case), "only branches get here");
        let index = self.dense(data.operands[0])?;
        let mut targets = Vec::with_capacity(data.results.len());
        for &result in data.results.iter().filter(|&&result| !is_token(self.func, result)) {
            targets.push(self.target(result)?);
        }
        let mut branches = Vec::with_capacity(data.regions.len());
        for &region in &data.regions {
            branches.push(self.nested(|p| {
                p.block(region)?;
                let results = p.with_memory(region);
                for (value, &target) in results.into_iter().zip(&targets) {
                    p.copy_value(value, target)?;
                }
                Ok(())
            })?);
        }
        self.steps.push(Step::Switch { index, branches });
        Ok(())
    }

    /// What a region returns, but for tokens.
    fn with_memory(&self, region: BlockId) -> Vec<ValueId> {
        let results = self.func.blocks[region].results.iter().copied();
        results.filter(|&value| !is_token(self.func, value)).collect()
    }

    /// Copies a value, however it lies, into a dense buffer.
    fn copy_value(&mut self, value: ValueId, out: BufferId) -> Result<()> {
        let dims = dims_of(self.func, value).unwrap_or_default();
        let view = self.view(value)?;
        self.copy_view(&view, &dims, out, 0, &dense_strides(&dims))
    }
}
