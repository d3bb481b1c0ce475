//! When values die: after which instruction of their own block nothing uses them any more.
//!
//! A use inside a region counts as a use by the instruction that holds the region. What a block
//! returns lives to the block's end.

use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::limits;
use tfjit_hlo::{BlockId, Func, InstId, ValueDef, ValueId};

/// The deaths that follow one instruction.
#[derive(Clone, Default, Debug)]
pub(crate) struct Deaths {
    /// Values of the block this instruction is the last to use (or that nobody uses at all).
    pub(crate) values: SmallVec<[ValueId; 2]>,
    /// Those of its operands that die here and that its regions do not use.
    pub(crate) operands: SmallVec<[ValueId; 2]>,
}

/// The lifetimes of a function's values.
#[derive(Debug)]
pub(crate) struct Lifetimes {
    deaths: Vec<Deaths>,
}

/// Where an instruction is: its block and its position there.
type Place = (BlockId, usize);

struct Walk<'f> {
    func: &'f Func,
    /// Place of each instruction, by its id.
    places: Vec<Option<Place>>,
    /// The instruction that holds each block, by the block's id.
    holders: Vec<Option<InstId>>,
    /// Position of the last use of each value in its own block, and whether a region uses it there.
    last: Vec<Option<(usize, bool)>>,
}

impl Lifetimes {
    /// The lifetimes in `func`.
    pub(crate) fn of(func: &Func) -> Lifetimes {
        let mut walk = Walk {
            func,
            places: vec![None; func.insts.len()],
            holders: vec![None; func.blocks.len()],
            last: vec![None; func.values.len()],
        };
        let blocks = walk.place();
        for &block in &blocks {
            walk.uses(block);
        }
        let mut deaths = vec![Deaths::default(); func.insts.len()];
        for (value, data) in func.values.iter() {
            let position = match (walk.last[value.index()], data.def) {
                (Some(last), _) => Some(last),
                (None, ValueDef::Result { inst, .. }) => {
                    walk.places[inst.index()].map(|(_, i)| (i, false))
                }
                (None, ValueDef::Param { .. }) => None,
            };
            let (Some((i, in_region)), Some(block)) = (position, walk.home(value)) else {
                continue;
            };
            // Past the end are the values the block returns.
            let Some(&inst) = func.blocks[block].insts.get(i) else { continue };
            let dead = &mut deaths[inst.index()];
            dead.values.push(value);
            if !in_region {
                dead.operands.push(value);
            }
        }
        Lifetimes { deaths }
    }

    /// The deaths after `inst`.
    pub(crate) fn after(&self, inst: InstId) -> &Deaths {
        &self.deaths[inst.index()]
    }
}

impl Walk<'_> {
    /// Finds the place of every instruction; returns the blocks that can be reached.
    fn place(&mut self) -> Vec<BlockId> {
        let mut blocks = vec![self.func.entry];
        let mut next = 0;
        while let Some(&block) = blocks.get(next) {
            next += 1;
            for (i, &inst) in self.func.blocks[block].insts.iter().enumerate() {
                self.places[inst.index()] = Some((block, i));
                for &region in &self.func.insts[inst].regions {
                    // A block can be held once only; anything else is not a tree.
                    if self.holders[region.index()].replace(inst).is_none() {
                        blocks.push(region);
                    }
                }
            }
        }
        blocks
    }

    /// The block that defines `value`.
    fn home(&self, value: ValueId) -> Option<BlockId> {
        match self.func.values[value].def {
            ValueDef::Param { block, .. } => Some(block),
            ValueDef::Result { inst, .. } => self.places[inst.index()].map(|(block, _)| block),
        }
    }

    fn uses(&mut self, block: BlockId) {
        let data = &self.func.blocks[block];
        for (i, &inst) in data.insts.iter().enumerate() {
            for &operand in &self.func.insts[inst].operands {
                self.mark(operand, (block, i));
            }
        }
        for &result in &data.results {
            self.mark(result, (block, data.insts.len()));
        }
    }

    /// Notes a use at `place`, seen from the block that defines the value.
    fn mark(&mut self, value: ValueId, place: Place) {
        let Some(home) = self.home(value) else { return };
        let (mut block, mut position) = place;
        // The bound stops at blocks that hold themselves, which no verified function has.
        for _ in 0..=limits::REGION_DEPTH_MAX {
            if block == home {
                break;
            }
            let holder = self.holders[block.index()].and_then(|inst| self.places[inst.index()]);
            let Some(outer) = holder else { return };
            (block, position) = outer;
        }
        let in_region = place.0 != home;
        let last = &mut self.last[value.index()];
        *last = Some(match *last {
            Some((old, _)) if old > position => return,
            Some((old, also)) if old == position => (old, also || in_region),
            _ => (position, in_region),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{DType, Tensor};
    use tfjit_hlo::{Binary, FuncBuilder, Op, Type};

    #[test]
    fn values_die_at_their_last_use() {
        let mut b = FuncBuilder::new("main");
        let scalar = Type::tensor(DType::F32, &[]);
        let x = b.param(scalar.clone());
        let p = b.param(Type::tensor(DType::Bool, &[]));
        let one = b.constant(Tensor::scalar(1.0f32)).unwrap();
        let y = b.binary(Binary::Add, x, one).unwrap();
        let yes = b.region(&[], |b, _| Ok(vec![b.binary(Binary::Multiply, y, x)?])).unwrap();
        let no = b.region(&[], |_, _| Ok(vec![one])).unwrap();
        let z = b.push(Op::If, &[p], &[yes, no]).unwrap()[0];
        let _unused = b.binary(Binary::Add, z, z).unwrap();
        let func = b.finish(&[z]);
        let lifetimes = Lifetimes::of(&func);
        let after = |i: usize| lifetimes.after(func.blocks[func.entry].insts[i]);
        assert!(after(1).values.is_empty(), "one and x are used later in regions");
        let mut dead = after(2).values.to_vec();
        dead.sort();
        assert_eq!(dead, [x, p, one, y]);
        assert_eq!(after(2).operands[..], [p]);
        assert_eq!(after(3).values[..], [_unused], "z is returned");
        // Values of outer blocks never die inside a region.
        let inner = func.blocks[yes].insts[0];
        assert!(lifetimes.after(inner).values.is_empty());
    }
}
