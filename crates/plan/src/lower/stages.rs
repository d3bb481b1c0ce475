//! When each member of a loop is computed: its stage, and what one stage keeps for later ones.
//!
//! A reduction ends a stage: what depends on its result runs in a later pass over the elements.
//! Nothing here knows streams or kernels.

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_hlo::{Func, InstId, ValueId};

use super::elementwise;
use super::facts::Facts;
use super::fuse::{Level, Unit};
use super::view::def_of;

/// The stages of a unit.
#[derive(Debug, Default)]
pub(crate) struct Stages {
    /// Level and stage of each member.
    pub(crate) of: FxHashMap<InstId, (Level, usize)>,
    /// Number of stages.
    pub(crate) count: usize,
    /// Values that a later stage reads from memory, because computing them again costs more, with
    /// the last stage that does.
    pub(crate) kept: Vec<(ValueId, usize)>,
}

impl Stages {
    /// The stages of a unit.
    pub(crate) fn of(func: &Func, facts: &Facts, unit: &Unit) -> Stages {
        let mut stages = Stages::default();
        for &(inst, level) in &unit.members {
            let mut stage = 0;
            for &operand in &func.insts[inst].operands {
                if let Some((from, at)) = stages.of_value(func, facts, operand) {
                    let waits = from == Level::Once && level == Level::Each;
                    stage = stage.max(at + usize::from(waits));
                }
            }
            stages.of.insert(inst, (level, stage));
            stages.count = stages.count.max(stage + 1);
        }
        for &(inst, level) in &unit.members {
            let Some(&(_, stage)) = stages.of.get(&inst) else { continue };
            if level == Level::Each {
                stages.keep(func, facts, inst, stage);
            }
        }
        stages
    }

    /// Level and stage of the member that an operand is or views; reductions count as `Once`.
    pub(crate) fn of_value(
        &self,
        func: &Func,
        facts: &Facts,
        value: ValueId,
    ) -> Option<(Level, usize)> {
        let root = facts.view(value)?.root;
        let (def, _) = def_of(func, root)?;
        let &(level, stage) = self.of.get(&def)?;
        let level = if facts.reduction(def).is_some() { Level::Once } else { level };
        Some((level, stage))
    }

    /// Notes what `inst`, computed in `stage`, needs from earlier stages and should not compute
    /// again.
    fn keep(&mut self, func: &Func, facts: &Facts, inst: InstId, stage: usize) {
        let mut todo = vec![inst];
        let mut seen = FxHashSet::default();
        while let Some(inst) = todo.pop() {
            for &operand in &func.insts[inst].operands {
                let Some((Level::Each, at)) = self.of_value(func, facts, operand) else { continue };
                let Some(view) = facts.view(operand) else { continue };
                let Some((def, data)) = def_of(func, view.root) else { continue };
                if at >= stage || !seen.insert(def) {
                    continue;
                }
                if elementwise::is_costly(&data.op) {
                    match self.kept.iter_mut().find(|(v, _)| *v == view.root) {
                        Some((_, last)) => *last = stage.max(*last),
                        None => self.kept.push((view.root, stage)),
                    }
                } else {
                    todo.push(def);
                }
            }
        }
    }
}
