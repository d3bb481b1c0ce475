//! Copying the body of one function into another.

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result};

use super::{Fuel, Patch};
use crate::{Block, BlockId, Func, InstId, Type, User, ValueId};

impl Patch<'_> {
    /// Copies the body of `callee` in front of `anchor`, its parameters replaced by `args`, and
    /// gives the values it returns. Sources of instructions are kept.
    ///
    /// # Errors
    /// INTERNAL when the number of parameters differs or `callee` uses values before they are
    /// defined.
    pub fn inline_func(
        &mut self,
        anchor: InstId,
        callee: &Func,
        args: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        if callee.params().len() != args.len() {
            return Err(Error::internal(format!("@{} takes other arguments", callee.name)));
        }
        let values = callee.params().iter().copied().zip(args.iter().copied()).collect();
        let mut graft = Graft { from: callee, values };
        for &inst in &callee.blocks[callee.entry].insts {
            let copy = graft.inst(self, inst)?;
            self.put_before(anchor, copy);
        }
        callee.results().iter().map(|&v| graft.value(v)).collect()
    }
}

impl Func {
    /// A function without parameters that computes the results of `inst`, of which everything it
    /// uses from outside must be made without operands: constants, iotas.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when it uses something else.
    pub fn isolate(&self, inst: InstId) -> Result<Func> {
        let mut func = Func::new("main");
        let fuel = Fuel::new(0);
        let mut patch = Patch::new(&mut func, &fuel);
        let mut graft = Graft { from: self, values: FxHashMap::default() };
        let (entry, mut copies) = (patch.func.entry, Vec::new());
        for value in self.captures(inst) {
            match self.def(value) {
                Some((def, made)) if made.operands.is_empty() && made.regions.is_empty() => {
                    copies.push(graft.inst(&mut patch, def)?);
                }
                _ => return Err(Error::failed_precondition(format!("{value} is no constant"))),
            }
        }
        let copy = graft.inst(&mut patch, inst)?;
        copies.push(copy);
        copies.iter().for_each(|c| patch.parents[c.index()] = Some(entry));
        let results = patch.func.insts[copy].results.to_vec();
        patch.func.blocks[entry].insts = copies;
        patch.set_returns(entry, &results);
        drop(patch);
        func.result_types = results.iter().map(|&v| func.ty(v).clone()).collect();
        Ok(func)
    }
}

/// A copy in progress.
struct Graft<'c> {
    from: &'c Func,
    values: FxHashMap<ValueId, ValueId>,
}

impl Graft<'_> {
    fn value(&self, value: ValueId) -> Result<ValueId> {
        let copy = self.values.get(&value).copied();
        copy.ok_or_else(|| Error::internal(format!("{value} is used where it is not defined")))
    }

    /// Copies an instruction and everything in its regions. Regions of regions wait on a stack,
    /// outer before inner, so that values are known before they are used.
    fn inst(&mut self, patch: &mut Patch<'_>, inst: InstId) -> Result<InstId> {
        let mut waiting = Vec::new();
        let copy = self.shallow(patch, inst, &mut waiting)?;
        while let Some((from, to)) = waiting.pop() {
            let block = &self.from.blocks[from];
            for &param in &block.params {
                let ty = self.from.ty(param).clone();
                self.values.insert(param, patch.func.add_param(to, ty));
            }
            for &inner in &block.insts {
                let inner = self.shallow(patch, inner, &mut waiting)?;
                patch.parents[inner.index()] = Some(to);
                patch.func.blocks[to].insts.push(inner);
            }
            for (index, &result) in block.results.iter().enumerate() {
                let result = self.value(result)?;
                patch.func.blocks[to].results.push(result);
                patch.uses.add(result, User::Return(to), index);
            }
        }
        Ok(copy)
    }

    /// Copies an instruction with empty regions, which are left to be filled.
    fn shallow(
        &mut self,
        patch: &mut Patch<'_>,
        inst: InstId,
        waiting: &mut Vec<(BlockId, BlockId)>,
    ) -> Result<InstId> {
        let old = &self.from.insts[inst];
        let operands =
            old.operands.iter().map(|&v| self.value(v)).collect::<Result<Vec<ValueId>>>()?;
        let types: Vec<Type> = old.results.iter().map(|&v| self.from.ty(v).clone()).collect();
        let mut regions = Vec::with_capacity(old.regions.len());
        for &region in &old.regions {
            let copy = patch.func.blocks.push(Block::default());
            regions.push(copy);
            waiting.push((region, copy));
        }
        let new = patch.make(old.op.clone(), &operands, &regions, types, old.source.clone());
        patch.func.insts[new].attrs = old.attrs.clone();
        let results = patch.func.insts[new].results.clone();
        for (&old, new) in old.results.iter().zip(results) {
            patch.func.values[new].name = self.from.values[old].name.clone();
            self.values.insert(old, new);
        }
        Ok(new)
    }
}
