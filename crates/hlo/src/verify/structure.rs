//! Whether ids are valid, blocks form a tree, and values are defined before they are used.

use tfjit_base::{Error, limits};

use super::{Marks, Problems};
use crate::{BlockId, Func, InstId, ValueDef, ValueId};

/// What of a function can be reached, in an order in which definitions come before uses.
pub(super) struct Order {
    /// Blocks, outer before inner.
    pub(super) blocks: Vec<BlockId>,
    /// Instructions.
    pub(super) insts: Vec<InstId>,
}

/// Checks the structure of a function; `None` when ids or the tree are broken, so that nothing
/// else can be checked.
pub(super) fn check(func: &Func, problems: &mut Problems) -> Option<Order> {
    let before = problems.found.len() + problems.more;
    let order = tree(func, problems);
    if problems.found.len() + problems.more > before {
        return None;
    }
    dominance(func, problems);
    Some(order)
}

/// Walks all blocks, checking ids.
fn tree(func: &Func, problems: &mut Problems) -> Order {
    let mut order = Order { blocks: Vec::new(), insts: Vec::new() };
    let (mut blocks, mut insts) = (Marks::new(func.blocks.len()), Marks::new(func.insts.len()));
    let mut stack = Vec::new();
    if blocks.insert(func.entry) {
        stack.push((func.entry, 0usize));
    } else {
        problems.func(func, "its body is no block of it");
    }
    while let Some((id, depth)) = stack.pop() {
        if depth > limits::REGION_DEPTH_MAX {
            let text = format!("regions nest deeper than {}", limits::REGION_DEPTH_MAX);
            problems.push(Error::resource_exhausted(text).at(format!("@{}", func.name)));
            return order;
        }
        order.blocks.push(id);
        block(func, id, problems);
        for &inst in &func.blocks[id].insts {
            if !insts.insert(inst) {
                let text = format!("{inst} does not exist or appears in two places");
                problems.func(func, text);
                continue;
            }
            order.insts.push(inst);
            instruction(func, inst, problems);
            for &region in func.insts[inst].regions.iter().rev() {
                if blocks.insert(region) {
                    stack.push((region, depth + 1));
                } else {
                    problems.inst(func, inst, "a region does not exist or has two parents");
                }
            }
        }
    }
    order
}

/// Checks ids of a block's parameters and results.
fn block(func: &Func, id: BlockId, problems: &mut Problems) {
    let block = &func.blocks[id];
    for (index, &param) in block.params.iter().enumerate() {
        let want = ValueDef::Param { block: id, index: index as u32 };
        if func.values.get(param).is_none_or(|v| v.def != want) {
            problems.func(func, format!("{param} is not parameter {index} of {id}"));
        }
    }
    exist(func, &block.results, &format!("{id} returns"), problems);
}

/// Checks ids of an instruction's operands and results.
fn instruction(func: &Func, id: InstId, problems: &mut Problems) {
    let inst = &func.insts[id];
    for (index, &result) in inst.results.iter().enumerate() {
        let want = ValueDef::Result { inst: id, index: index as u32 };
        if func.values.get(result).is_none_or(|v| v.def != want) {
            problems.inst(func, id, format!("{result} is not its result {index}"));
        }
    }
    exist(func, &inst.operands, &format!("{id} takes"), problems);
}

fn exist(func: &Func, values: &[ValueId], what: &str, problems: &mut Problems) {
    for &value in values.iter().filter(|&&v| func.values.get(v).is_none()) {
        problems.func(func, format!("{what} {value}, which does not exist"));
    }
}

/// What is left to do while checking definitions, as a stack.
enum Step {
    Enter(BlockId),
    Use(InstId),
    Define(InstId),
    Leave(BlockId),
}

/// Checks that every use comes after the definition, in the same block or one around it.
fn dominance(func: &Func, problems: &mut Problems) {
    let mut defined = Marks::new(func.values.len());
    let mut stack = vec![Step::Enter(func.entry)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter(id) => {
                let block = &func.blocks[id];
                block.params.iter().for_each(|&v| _ = defined.insert(v));
                stack.push(Step::Leave(id));
                stack.extend(block.insts.iter().rev().map(|&inst| Step::Use(inst)));
            }
            Step::Use(id) => {
                let inst = &func.insts[id];
                uses(func, &inst.operands, Some(id), &defined, problems);
                stack.push(Step::Define(id));
                stack.extend(inst.regions.iter().rev().map(|&region| Step::Enter(region)));
            }
            Step::Define(id) => {
                func.insts[id].results.iter().for_each(|&v| _ = defined.insert(v));
            }
            Step::Leave(id) => {
                let block = &func.blocks[id];
                uses(func, &block.results, None, &defined, problems);
                block.params.iter().for_each(|&v| defined.remove(v));
                let results = block.insts.iter().flat_map(|&inst| &func.insts[inst].results);
                results.for_each(|&v| defined.remove(v));
            }
        }
    }
}

/// Checks uses by `inst`, or by the terminator of a block.
fn uses(
    func: &Func,
    values: &[ValueId],
    inst: Option<InstId>,
    defined: &Marks,
    problems: &mut Problems,
) {
    for &value in values.iter().filter(|&&v| !defined.has(v)) {
        let text = format!("{value} is used where it is not defined yet");
        match inst {
            Some(inst) => problems.inst(func, inst, text),
            None => problems.func(func, format!("{text}, by a terminator")),
        }
    }
}
