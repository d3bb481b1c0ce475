//! Instructions that the reference interpreter runs: each becomes a module of its own.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result};
use tfjit_hlo::{BlockId, Func, InstId, Module, Op, Type, ValueId};

use super::{Planner, acts, is_token};
use crate::plan::{ReferenceCall, Step};

impl Planner<'_> {
    /// A step that gives `inst` to the interpreter. Constants it reads go into its module.
    pub(super) fn reference(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let tokens = data.results.iter().all(|&result| is_token(self.func, result));
        if tokens && !acts(&data.op) {
            return Ok(());
        }
        let mut module = Func::new("main");
        let mut map: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        let mut operands = Vec::new();
        let captured = if data.regions.is_empty() { vec![] } else { self.func.captures(inst) };
        for value in data.operands.iter().copied().chain(captured) {
            if map.contains_key(&value) {
                continue;
            }
            if is_token(self.func, value) {
                // Steps run in the order of the program, so any token does.
                let token = module.add_inst(Op::AfterAll, &[], &[], vec![Type::Token]);
                module.blocks[module.entry].insts.push(token);
                map.insert(value, module.insts[token].results[0]);
                continue;
            }
            let constant = self.func.def(value).filter(|(_, d)| matches!(d.op, Op::Constant(_)));
            if let Some((_, def)) = constant {
                let types = vec![self.func.ty(value).clone()];
                let copy = module.add_inst(def.op.clone(), &[], &[], types);
                module.blocks[module.entry].insts.push(copy);
                map.insert(value, module.insts[copy].results[0]);
                continue;
            }
            let ty = self.func.tensor_ty(value).cloned();
            let ty = ty.ok_or_else(|| Error::internal("an operand without memory was planned"))?;
            operands.push((self.dense(value)?, ty));
            let param = module.add_param(module.entry, self.func.ty(value).clone());
            map.insert(value, param);
        }
        let entry = module.entry;
        self.copy_inst(inst, &mut module, entry, &mut map)?;
        let mut results = Vec::new();
        for &result in data.results.iter().filter(|&&result| !is_token(self.func, result)) {
            let ty = self.func.tensor_ty(result).cloned();
            let ty = ty.ok_or_else(|| Error::internal("a result without memory was planned"))?;
            results.push((self.target(result)?, ty));
            module.blocks[entry].results.push(map[&result]);
            module.result_types.push(self.func.ty(result).clone());
        }
        let name = data.op.row().name.to_string();
        let module = Arc::new(Module { name, funcs: vec![module], ..Module::default() });
        self.steps.push(Step::Reference(Box::new(ReferenceCall { module, operands, results })));
        Ok(())
    }

    /// Copies an instruction with its regions; regions nest no deeper than the verifier lets them.
    fn copy_inst(
        &self,
        inst: InstId,
        into: &mut Func,
        block: BlockId,
        map: &mut FxHashMap<ValueId, ValueId>,
    ) -> Result<()> {
        let data = &self.func.insts[inst];
        let mut regions = Vec::with_capacity(data.regions.len());
        for &region in &data.regions {
            let copy = into.blocks.push(tfjit_hlo::Block::default());
            for &param in &self.func.blocks[region].params {
                let new = into.add_param(copy, self.func.ty(param).clone());
                map.insert(param, new);
            }
            for &inner in &self.func.blocks[region].insts {
                self.copy_inst(inner, into, copy, map)?;
            }
            let results: Result<Vec<ValueId>> =
                self.func.blocks[region].results.iter().map(|v| find(map, *v)).collect();
            into.blocks[copy].results = results?;
            regions.push(copy);
        }
        let operands: Result<Vec<ValueId>> = data.operands.iter().map(|v| find(map, *v)).collect();
        let types = data.results.iter().map(|&r| self.func.ty(r).clone()).collect();
        let copy = into.add_inst(data.op.clone(), &operands?, &regions, types);
        into.insts[copy].attrs.clone_from(&data.attrs);
        into.insts[copy].source.clone_from(&data.source);
        into.blocks[block].insts.push(copy);
        let results = into.insts[copy].results.clone();
        for (&old, new) in data.results.iter().zip(results) {
            map.insert(old, new);
        }
        Ok(())
    }
}

fn find(map: &FxHashMap<ValueId, ValueId>, value: ValueId) -> Result<ValueId> {
    map.get(&value)
        .copied()
        .ok_or_else(|| Error::internal(format!("{value} is used in a region and not known")))
}
