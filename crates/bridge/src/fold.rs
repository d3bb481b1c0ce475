//! Values known while lowering: evaluates the part of the program that a value depends on.
//!
//! Shapes in TensorFlow graphs are computed by ordinary nodes. When a lowering needs the value of
//! an input, the slice of the program behind it is cut out and run by the interpreter; a slice that
//! reaches a parameter has no value yet. Results are remembered, so a chain costs its length once.

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_base::{Result, Tensor, limits};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::{BlockId, Func, InstId, Literal, Module, Op, Purity, Type, ValueId};

/// Evaluates as launches do, so that folding changes no value.
fn launch_mode() -> tfjit_eval::Options<'static> {
    tfjit_eval::Options { flush_subnormals: true, ..tfjit_eval::Options::default() }
}

/// Remembers which values are constants.
#[derive(Default)]
pub(crate) struct Folder {
    known: FxHashMap<ValueId, Tensor>,
    /// Values that depend on a parameter or an effect.
    unknown: FxHashSet<ValueId>,
}

impl Folder {
    /// The value of `value` if it depends on constants only (and is not too large to compute).
    ///
    /// # Errors
    /// Those of evaluation, such as a reshape to an impossible shape.
    pub(crate) fn value_of(&mut self, func: &Func, value: ValueId) -> Result<Option<Tensor>> {
        if let Some(tensor) = self.lookup(func, value)? {
            return Ok(Some(tensor));
        }
        let Some(slice) = self.slice(func, value) else { return Ok(None) };
        let module = self.cut(func, &slice, value)?;
        let mut results = Interpreter::new(&module, launch_mode()).run("main", &[])?;
        let Some(Value::Tensor(tensor)) = results.pop() else { return Ok(None) };
        self.known.insert(value, tensor.clone());
        Ok(Some(tensor))
    }

    /// A value that needs no evaluation.
    fn lookup(&self, func: &Func, value: ValueId) -> Result<Option<Tensor>> {
        if let Some(tensor) = self.known.get(&value) {
            return Ok(Some(tensor.clone()));
        }
        match func.def(value).map(|(_, inst)| &inst.op) {
            Some(Op::Constant(literal)) => Ok(Some(literal.to_tensor()?)),
            _ => Ok(None),
        }
    }

    /// The instructions behind `value` in program order, or `None` when one of them has no value.
    fn slice(&mut self, func: &Func, value: ValueId) -> Option<Vec<InstId>> {
        let mut seen = FxHashSet::default();
        let mut slice = Vec::new();
        let mut stack = vec![value];
        while let Some(v) = stack.pop() {
            if self.unknown.contains(&v) {
                self.unknown.insert(value);
                return None;
            }
            if self.known.contains_key(&v) {
                continue;
            }
            let Some((id, inst)) = func.def(v) else {
                self.unknown.insert(v);
                self.unknown.insert(value);
                return None;
            };
            if !seen.insert(id) {
                continue;
            }
            if !foldable(func, id) {
                self.unknown.insert(v);
                self.unknown.insert(value);
                return None;
            }
            slice.push(id);
            stack.extend(inst.operands.iter().copied());
            stack.extend(captures(func, id));
        }
        // Ids are handed out in program order; a region's instructions come before their owner.
        slice.sort_unstable();
        Some(slice)
    }

    /// A module whose `main` computes `value` from constants.
    fn cut(&self, func: &Func, slice: &[InstId], value: ValueId) -> Result<Module> {
        let mut cut = Cut { from: func, to: Func::new("main"), map: FxHashMap::default() };
        for &id in slice {
            let inst = &func.insts[id];
            let needed: Vec<ValueId> =
                inst.operands.iter().copied().chain(captures(func, id)).collect();
            for v in needed {
                if let (false, Some(tensor)) = (cut.map.contains_key(&v), self.known.get(&v)) {
                    cut.constant(v, tensor.clone());
                }
            }
            let entry = cut.to.entry;
            cut.copy(id, entry);
        }
        let result = cut.map[&value];
        cut.to.result_types = vec![cut.to.ty(result).clone()];
        let entry = cut.to.entry;
        cut.to.blocks[entry].results = vec![result];
        Ok(Module { funcs: vec![cut.to], ..Module::default() })
    }
}

/// Whether an instruction may be evaluated early: pure, no calls, of bounded size.
fn foldable(func: &Func, id: InstId) -> bool {
    let inst = &func.insts[id];
    let pure = match inst.op.row().purity {
        Purity::Pure => true,
        Purity::Regions => inst
            .regions
            .iter()
            .all(|&block| func.blocks[block].insts.iter().all(|&inner| foldable_leaf(func, inner))),
        Purity::Effect => false,
    };
    pure && inst.results.iter().all(|&v| match func.ty(v) {
        Type::Tensor(t) => t.shape().is_ok_and(|s| s.elements() <= limits::FOLD_ELEMENTS_MAX),
        Type::Token | Type::Tuple(_) => false,
    })
}

fn foldable_leaf(func: &Func, id: InstId) -> bool {
    func.insts[id].op.row().purity == Purity::Pure
}

/// Values that the regions of an instruction use and that are defined outside them.
fn captures(func: &Func, id: InstId) -> Vec<ValueId> {
    let mut used = Vec::new();
    let mut inside = FxHashSet::default();
    for &block in &func.insts[id].regions {
        inside.extend(func.blocks[block].params.iter().copied());
        for &inner in &func.blocks[block].insts {
            used.extend(func.insts[inner].operands.iter().copied());
            inside.extend(func.insts[inner].results.iter().copied());
        }
        used.extend(func.blocks[block].results.iter().copied());
    }
    used.retain(|v| !inside.contains(v));
    used
}

/// Copies instructions from one function to another.
struct Cut<'a> {
    from: &'a Func,
    to: Func,
    map: FxHashMap<ValueId, ValueId>,
}

impl Cut<'_> {
    fn constant(&mut self, value: ValueId, tensor: Tensor) {
        let literal = Literal::dense(tensor);
        let ty = Type::Tensor(literal.ty().clone());
        let inst = self.to.add_inst(Op::Constant(literal), &[], &[], vec![ty]);
        let entry = self.to.entry;
        self.to.blocks[entry].insts.push(inst);
        self.map.insert(value, self.to.insts[inst].results[0]);
    }

    fn copy(&mut self, id: InstId, block: BlockId) {
        let inst = &self.from.insts[id];
        let regions: Vec<BlockId> = inst.regions.iter().map(|&r| self.copy_region(r)).collect();
        let operands: Vec<ValueId> = inst.operands.iter().map(|v| self.map[v]).collect();
        let types = inst.results.iter().map(|&v| self.from.ty(v).clone()).collect();
        let copy = self.to.add_inst(inst.op.clone(), &operands, &regions, types);
        self.to.blocks[block].insts.push(copy);
        for (i, &v) in inst.results.iter().enumerate() {
            self.map.insert(v, self.to.insts[copy].results[i]);
        }
    }

    /// Copies a region whose instructions have no regions of their own.
    fn copy_region(&mut self, region: BlockId) -> BlockId {
        let from = &self.from.blocks[region];
        let block = self.to.blocks.push(tfjit_hlo::Block::default());
        for &param in &from.params {
            let copy = self.to.add_param(block, self.from.ty(param).clone());
            self.map.insert(param, copy);
        }
        for &inner in &from.insts {
            self.copy(inner, block);
        }
        self.to.blocks[block].results = from.results.iter().map(|v| self.map[v]).collect();
        block
    }
}
