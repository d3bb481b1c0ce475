//! Who uses a value, which instructions may have effects, and which are needed at all.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tfjit_base::ids::Id;

use crate::{BlockId, Func, InstId, Op, Purity, ValueDef, ValueId};

/// Who uses a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum User {
    /// An instruction, as an operand.
    Inst(InstId),
    /// The terminator of a block.
    Return(BlockId),
}

/// One use of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Use {
    /// Who uses it.
    pub user: User,
    /// Position among the user's operands.
    pub index: u32,
}

/// The uses of every value of a function by instructions and blocks that can be reached.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    lists: Vec<SmallVec<[Use; 2]>>,
    counts: Vec<u32>,
}

impl Uses {
    /// How often `value` is used.
    pub fn count(&self, value: ValueId) -> usize {
        self.counts.get(value.index()).map_or(0, |&n| n as usize)
    }

    /// The uses of `value` in `func`, which must be the function as it is now.
    pub fn of<'a>(&'a self, func: &'a Func, value: ValueId) -> impl Iterator<Item = Use> + 'a {
        // Removing a use only counts; entries that no longer hold are passed over here.
        let list = self.lists.get(value.index()).map_or(&[][..], |list| &list[..]);
        list.iter().copied().filter(move |u| u.value(func) == Some(value))
    }

    /// Notes a use of `value`.
    pub(crate) fn add(&mut self, value: ValueId, user: User, index: usize) {
        let at = value.index();
        if at >= self.lists.len() {
            self.lists.resize_with(at + 1, SmallVec::new);
            self.counts.resize(at + 1, 0);
        }
        self.lists[at].push(Use { user, index: index as u32 });
        self.counts[at] += 1;
    }

    /// Notes that a use of `value` is gone; the user must not hold it any more.
    pub(crate) fn remove(&mut self, value: ValueId) {
        self.counts[value.index()] -= 1;
    }

    /// Takes the list of uses of `value` away.
    pub(crate) fn take(&mut self, value: ValueId) -> SmallVec<[Use; 2]> {
        let at = value.index();
        if at >= self.lists.len() {
            return SmallVec::new();
        }
        self.counts[at] = 0;
        std::mem::take(&mut self.lists[at])
    }
}

impl Use {
    /// The value at this place of the user.
    pub fn value(self, func: &Func) -> Option<ValueId> {
        let values = match self.user {
            User::Inst(inst) => &func.insts[inst].operands[..],
            User::Return(block) => &func.blocks[block].results[..],
        };
        values.get(self.index as usize).copied()
    }
}

/// Which instructions of a function are needed, by id.
#[derive(Clone, Debug)]
pub struct Live(Vec<bool>);

impl Live {
    /// Whether `inst` is needed.
    pub fn has(&self, inst: InstId) -> bool {
        self.0.get(inst.index()).copied().unwrap_or(false)
    }
}

impl Op {
    /// Whether the operation by itself may have effects; regions are not looked at.
    pub fn may_have_effect(&self) -> bool {
        match self {
            Op::CustomCall(call) => call.has_side_effect,
            other => other.row().purity == Purity::Effect,
        }
    }
}

impl Func {
    /// The blocks that can be reached, outer before inner.
    pub fn reachable_blocks(&self) -> Vec<BlockId> {
        let mut order = vec![self.entry];
        let mut next = 0;
        while let Some(&block) = order.get(next) {
            next += 1;
            for &inst in &self.blocks[block].insts {
                order.extend(&self.insts[inst].regions);
            }
        }
        order
    }

    /// The uses of all values.
    pub fn uses(&self) -> Uses {
        let mut uses = Uses::default();
        uses.lists.resize_with(self.values.len(), SmallVec::new);
        uses.counts.resize(self.values.len(), 0);
        for block in self.reachable_blocks() {
            self.note_uses(block, &mut uses);
        }
        uses
    }

    /// Notes the uses by one block and its instructions, but not by their regions.
    pub(crate) fn note_uses(&self, block: BlockId, uses: &mut Uses) {
        for &inst in &self.blocks[block].insts {
            for (index, &operand) in self.insts[inst].operands.iter().enumerate() {
                uses.add(operand, User::Inst(inst), index);
            }
        }
        for (index, &result) in self.blocks[block].results.iter().enumerate() {
            uses.add(result, User::Return(block), index);
        }
    }

    /// For each instruction, whether it or something in its regions may have effects.
    pub fn effects(&self) -> Vec<bool> {
        self.effects_by(&Op::may_have_effect)
    }

    /// As [`Func::effects`], where `may` says which operations by themselves may have effects.
    pub fn effects_by(&self, may: &dyn Fn(&Op) -> bool) -> Vec<bool> {
        let mut effects = vec![false; self.insts.len()];
        // Inner before outer, so that regions are known when their owner is looked at.
        for block in self.reachable_blocks().into_iter().rev() {
            for &id in &self.blocks[block].insts {
                let inst = &self.insts[id];
                let mut inner = inst.regions.iter().flat_map(|&b| &self.blocks[b].insts);
                effects[id.index()] = may(&inst.op) || inner.any(|i| effects[i.index()]);
            }
        }
        effects
    }

    /// The instructions that results or effects need.
    pub fn live(&self) -> Live {
        self.live_by(&self.effects())
    }

    /// As [`Func::live`], where `effects` says which instructions have effects.
    pub fn live_by(&self, effects: &[bool]) -> Live {
        let mut live = vec![false; self.insts.len()];
        let mut blocks = vec![self.entry];
        let mut insts: Vec<InstId> = Vec::new();
        loop {
            if let Some(block) = blocks.pop() {
                let block = &self.blocks[block];
                insts.extend(block.insts.iter().copied().filter(|i| effects[i.index()]));
                insts.extend(block.results.iter().filter_map(|&v| self.producer(v)));
            } else if let Some(inst) = insts.pop() {
                if !std::mem::replace(&mut live[inst.index()], true) {
                    blocks.extend(&self.insts[inst].regions);
                    let operands = self.insts[inst].operands.iter();
                    insts.extend(operands.filter_map(|&v| self.producer(v)));
                }
            } else {
                return Live(live);
            }
        }
    }

    /// The values that `inst` and its regions use and that come from outside of them, each once
    /// in the order of first use.
    pub fn captures(&self, inst: InstId) -> Vec<ValueId> {
        let mut inside = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut out = Vec::new();
        let mut note = |value: ValueId, inside: &FxHashSet<ValueId>| {
            if !inside.contains(&value) && seen.insert(value) {
                out.push(value);
            }
        };
        let mut blocks = Vec::new();
        self.insts[inst].operands.iter().for_each(|&v| note(v, &inside));
        blocks.extend(&self.insts[inst].regions);
        while let Some(block) = blocks.pop() {
            let block = &self.blocks[block];
            inside.extend(block.params.iter().copied());
            for &inner in &block.insts {
                self.insts[inner].operands.iter().for_each(|&v| note(v, &inside));
                inside.extend(self.insts[inner].results.iter().copied());
                blocks.extend(&self.insts[inner].regions);
            }
            block.results.iter().for_each(|&v| note(v, &inside));
        }
        out
    }

    fn producer(&self, value: ValueId) -> Option<InstId> {
        match self.values[value].def {
            ValueDef::Result { inst, .. } => Some(inst),
            ValueDef::Param { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tfjit_base::DType;

    use super::*;
    use crate::{Binary, Direction, FuncBuilder, Type, Unary};

    #[test]
    fn uses_count_operands_and_terminators() {
        let mut b = FuncBuilder::new("main");
        let x = b.param(Type::tensor(DType::F32, &[]));
        let y = b.binary(Binary::Add, x, x).unwrap();
        let f = b.finish(&[y, x]);
        let uses = f.uses();
        assert_eq!((uses.count(x), uses.count(y)), (3, 1));
        let users: Vec<User> = uses.of(&f, x).map(|u| u.user).collect();
        let inst = f.def(y).unwrap().0;
        assert_eq!(users, [User::Inst(inst), User::Inst(inst), User::Return(f.entry)]);
    }

    #[test]
    fn only_what_results_and_effects_need_is_live() {
        let scalar = Type::tensor(DType::F32, &[]);
        let mut b = FuncBuilder::new("main");
        let (x, y) = (b.param(scalar.clone()), b.param(scalar.clone()));
        let dead = b.unary(Unary::Abs, x).unwrap();
        let bound = b.unary(Unary::Negate, y).unwrap();
        let cond = b
            .region(std::slice::from_ref(&scalar), |b, p| {
                b.unary(Unary::Cosine, p[0])?;
                Ok(vec![b.compare(Direction::Lt, p[0], bound)?])
            })
            .unwrap();
        let body = b.region(&[scalar], |_, p| Ok(vec![p[0]])).unwrap();
        let looped = b.push(Op::While, &[x], &[cond, body]).unwrap()[0];
        let f = b.finish(&[x]);
        let live = f.live();
        let has = |v| live.has(f.def(v).unwrap().0);
        assert!(has(looped) && has(bound) && !has(dead));
        let inner: Vec<bool> = f.blocks[cond].insts.iter().map(|&i| live.has(i)).collect();
        assert_eq!(inner, [false, true]);
    }
}
