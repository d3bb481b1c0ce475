//! Edits of a function that keep it whole: uses, parents and order follow every edit.
//!
//! A [`Patch`] borrows a function, knows who uses what, and puts changed blocks in order when it
//! is dropped. Until then [`Block::insts`](crate::Block::insts) of a changed block may hold erased
//! instructions and lack inserted ones. A patch checks types, not meaning: that a replacement is
//! right is the pass's affair, and that definitions come before uses is the verifier's.

mod fuel;
mod graft;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result};

pub use fuel::Fuel;

use crate::infer::region_sig;
use crate::{Block, BlockId, Func, InstId, Op, Type, Use, User, Uses, ValueId, infer};

/// Edits one function.
pub struct Patch<'f> {
    func: &'f mut Func,
    fuel: &'f Fuel,
    uses: Uses,
    /// The block each instruction is in; `None` for those that are in none, or erased.
    parents: Vec<Option<BlockId>>,
    /// Instructions to put in front of another one.
    before: FxHashMap<InstId, Vec<InstId>>,
    /// Blocks whose list must be put in order.
    touched: Vec<BlockId>,
}

impl<'f> Patch<'f> {
    /// A patch of `func` whose rewrites are paid from `fuel`.
    pub fn new(func: &'f mut Func, fuel: &'f Fuel) -> Patch<'f> {
        let uses = func.uses();
        let mut parents = vec![None; func.insts.len()];
        for block in func.reachable_blocks() {
            for &inst in &func.blocks[block].insts {
                parents[inst.index()] = Some(block);
            }
        }
        Patch { func, fuel, uses, parents, before: FxHashMap::default(), touched: Vec::new() }
    }

    /// The function as it is; see the text of this file for the lists of changed blocks.
    pub fn func(&self) -> &Func {
        self.func
    }

    /// Asks for one rewrite, named by its reason; `false` when the fuel is used up, and then
    /// nothing must be changed.
    #[must_use]
    pub fn begin(&mut self, reason: &'static str) -> bool {
        self.fuel.take(reason)
    }

    /// How often `value` is used.
    pub fn use_count(&self, value: ValueId) -> usize {
        self.uses.count(value)
    }

    /// The uses of `value`, sorted.
    pub fn uses(&self, value: ValueId) -> Vec<Use> {
        let mut uses: Vec<Use> = self.uses.of(self.func, value).collect();
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    /// The block `inst` is in, or `None` when it was erased.
    pub fn block_of(&self, inst: InstId) -> Option<BlockId> {
        self.parents.get(inst.index()).copied().flatten()
    }

    /// Makes all users of `value` use `by`, which must have the same type.
    ///
    /// # Errors
    /// INTERNAL when the types differ.
    pub fn replace_all_uses(&mut self, value: ValueId, by: ValueId) -> Result<()> {
        if self.func.ty(value) != self.func.ty(by) {
            return Err(Error::internal(format!("{value} and {by} differ in type")));
        }
        if value == by {
            return Ok(());
        }
        for u in self.uses.take(value) {
            if u.value(self.func) == Some(value) {
                self.place(u, by);
                self.uses.add(by, u.user, u.index as usize);
            }
        }
        Ok(())
    }

    fn place(&mut self, u: Use, value: ValueId) {
        match u.user {
            User::Inst(inst) => self.func.insts[inst].operands[u.index as usize] = value,
            User::Return(block) => self.func.blocks[block].results[u.index as usize] = value,
        }
    }

    /// Makes operand `index` of `inst` be `value`.
    pub fn set_operand(&mut self, inst: InstId, index: usize, value: ValueId) {
        let old = std::mem::replace(&mut self.func.insts[inst].operands[index], value);
        self.uses.remove(old);
        self.uses.add(value, User::Inst(inst), index);
    }

    /// Makes `inst` do something else with the same operands, regions and result types.
    ///
    /// # Errors
    /// INTERNAL when the types do not follow.
    pub fn set_op(&mut self, inst: InstId, op: Op) -> Result<()> {
        let i = &self.func.insts[inst];
        let types: Vec<Type> = i.results.iter().map(|&v| self.func.ty(v).clone()).collect();
        let (operands, regions) = (i.operands.clone(), i.regions.clone());
        self.infer(&op, &operands, &regions, Some(&types))?;
        self.func.insts[inst].op = op;
        Ok(())
    }

    /// Replaces the results of `inst` by `values` and erases it.
    ///
    /// # Errors
    /// INTERNAL when the numbers or types differ.
    pub fn replace(&mut self, inst: InstId, values: &[ValueId]) -> Result<()> {
        let results = self.func.insts[inst].results.clone();
        if results.len() != values.len() {
            return Err(Error::internal(format!("{inst} does not have {} results", values.len())));
        }
        for (&result, &value) in results.iter().zip(values) {
            self.replace_all_uses(result, value)?;
        }
        self.erase(inst)
    }

    /// Takes `inst` and everything in its regions out of the function.
    ///
    /// # Errors
    /// INTERNAL when a result of it is still used.
    pub fn erase(&mut self, inst: InstId) -> Result<()> {
        if let Some(&v) = self.func.insts[inst].results.iter().find(|&&v| self.uses.count(v) > 0) {
            return Err(Error::internal(format!("{inst} cannot be erased, {v} is used")));
        }
        let Some(block) = self.parents[inst.index()].take() else { return Ok(()) };
        self.touched.push(block);
        let mut stack = vec![inst];
        while let Some(inst) = stack.pop() {
            // Operands go away, so that stale entries of the use lists do not hold.
            for operand in std::mem::take(&mut self.func.insts[inst].operands) {
                self.uses.remove(operand);
            }
            for region in std::mem::take(&mut self.func.insts[inst].regions) {
                let block = std::mem::take(&mut self.func.blocks[region]);
                block.results.iter().for_each(|&v| self.uses.remove(v));
                for inner in self.flat(&block.insts) {
                    self.parents[inner.index()] = None;
                    stack.push(inner);
                }
            }
        }
        Ok(())
    }

    /// Inserts an instruction in front of `anchor`, with types that follow from its operands.
    ///
    /// # Errors
    /// Those of [`infer`].
    pub fn insert_before(
        &mut self,
        anchor: InstId,
        op: Op,
        operands: &[ValueId],
        declared: Option<&[Type]>,
    ) -> Result<SmallVec<[ValueId; 1]>> {
        let types = self.infer(&op, operands, &[], declared)?;
        let inst = self.make(op, operands, &[], types, self.func.insts[anchor].source.clone());
        self.put_before(anchor, inst);
        Ok(self.func.insts[inst].results.clone())
    }

    /// A new block with parameters of these types, to be filled by [`Patch::append`].
    pub fn new_block(&mut self, params: &[Type]) -> BlockId {
        let block = self.func.blocks.push(Block::default());
        for ty in params {
            self.func.add_param(block, ty.clone());
        }
        block
    }

    /// Appends an instruction to `block`.
    ///
    /// # Errors
    /// Those of [`infer`].
    pub fn append(
        &mut self,
        block: BlockId,
        op: Op,
        operands: &[ValueId],
        declared: Option<&[Type]>,
    ) -> Result<SmallVec<[ValueId; 1]>> {
        let types = self.infer(&op, operands, &[], declared)?;
        let inst = self.make(op, operands, &[], types, None);
        self.parents[inst.index()] = Some(block);
        self.func.blocks[block].insts.push(inst);
        Ok(self.func.insts[inst].results.clone())
    }

    /// Inserts an instruction with regions, which must be blocks made by [`Patch::new_block`] that
    /// no other instruction has.
    ///
    /// # Errors
    /// Those of [`infer`].
    pub fn insert_with_regions(
        &mut self,
        anchor: InstId,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
    ) -> Result<SmallVec<[ValueId; 1]>> {
        let types = self.infer(&op, operands, regions, None)?;
        let source = self.func.insts[anchor].source.clone();
        let inst = self.make(op, operands, regions, types, source);
        self.put_before(anchor, inst);
        Ok(self.func.insts[inst].results.clone())
    }

    /// Makes `block` return `values`.
    pub fn set_returns(&mut self, block: BlockId, values: &[ValueId]) {
        for old in std::mem::replace(&mut self.func.blocks[block].results, values.to_vec()) {
            self.uses.remove(old);
        }
        for (index, &value) in values.iter().enumerate() {
            self.uses.add(value, User::Return(block), index);
        }
    }

    fn infer(
        &self,
        op: &Op,
        operands: &[ValueId],
        regions: &[BlockId],
        declared: Option<&[Type]>,
    ) -> Result<Vec<Type>> {
        let types: Vec<&Type> = operands.iter().map(|&v| self.func.ty(v)).collect();
        let regions: Vec<_> = regions.iter().map(|&b| region_sig(self.func, b)).collect();
        infer(op, &types, &regions, declared)
    }

    /// Adds an instruction to the arena and its operands to the uses.
    fn make(
        &mut self,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
        types: Vec<Type>,
        source: Option<Arc<str>>,
    ) -> InstId {
        let inst = self.func.add_inst(op, operands, regions, types);
        self.func.insts[inst].source = source;
        self.parents.push(None);
        for (index, &operand) in operands.iter().enumerate() {
            self.uses.add(operand, User::Inst(inst), index);
        }
        inst
    }

    fn put_before(&mut self, anchor: InstId, inst: InstId) {
        let block = self.parents[anchor.index()];
        self.parents[inst.index()] = block;
        self.touched.extend(block);
        self.before.entry(anchor).or_default().push(inst);
    }

    /// Moves the instructions of a region in front of `anchor`, its parameters replaced by `args`,
    /// and gives the values it returned. The instruction that owns the region must be erased next.
    ///
    /// # Errors
    /// INTERNAL when the numbers or types of parameters differ.
    pub fn inline_region(
        &mut self,
        anchor: InstId,
        region: BlockId,
        args: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let params = self.func.blocks[region].params.clone();
        if params.len() != args.len() {
            return Err(Error::internal(format!("{region} does not take {} values", args.len())));
        }
        for (&param, &arg) in params.iter().zip(args) {
            self.replace_all_uses(param, arg)?;
        }
        let insts = std::mem::take(&mut self.func.blocks[region].insts);
        for inst in self.flat(&insts) {
            self.put_before(anchor, inst);
        }
        let results = std::mem::take(&mut self.func.blocks[region].results);
        results.iter().for_each(|&v| self.uses.remove(v));
        Ok(results)
    }

    /// The instructions of a list with those inserted and without those erased; what is inserted
    /// in front of them is taken out of the books.
    fn flat(&mut self, insts: &[InstId]) -> Vec<InstId> {
        let mut out = Vec::with_capacity(insts.len());
        let mut stack: Vec<InstId> = insts.iter().rev().copied().collect();
        while let Some(&inst) = stack.last() {
            match self.before.remove(&inst) {
                Some(front) => stack.extend(front.into_iter().rev()),
                None => {
                    stack.pop();
                    out.extend(self.parents[inst.index()].map(|_| inst));
                }
            }
        }
        out
    }
}

impl Drop for Patch<'_> {
    /// Puts the changed blocks in order.
    fn drop(&mut self) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for block in touched {
            let insts = std::mem::take(&mut self.func.blocks[block].insts);
            self.func.blocks[block].insts = self.flat(&insts);
        }
    }
}
