//! What an emitter has to know of a kernel: which instructions run where, what may be computed
//! outside of loops, and when values are used. For any number of lanes and any processor.

use std::ops::Range;

use tfjit_base::ids::Id;
use tfjit_plan::kernel::{Access, Axis, Inst, Kernel, Lane, Op, Val, When};

/// Where the value of an instruction lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nowhere: nothing depends on it.
    Dead,
    /// In the pool of constants.
    Const,
    /// In one execution of a loop's body.
    Local,
    /// In one row; the same for all columns.
    Shared,
    /// In one block of columns; one for each vector of the block.
    Carried,
}

/// A run of instructions that is a loop's body or runs once.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) looped: bool,
    /// Places in [`Program::order`].
    pub(crate) range: Range<usize>,
}

/// A kernel, ordered. A place is an index of `order`.
#[derive(Debug)]
pub(crate) struct Program<'k> {
    pub(crate) kernel: &'k Kernel,
    /// Whether a value has 64 bits.
    pub(crate) wide: bool,
    pub(crate) segments: Vec<Segment>,
    /// Instructions that do something, constants excepted.
    pub(crate) order: Vec<Val>,
    pub(crate) roles: Vec<Role>,
    /// Places of uses, by value.
    uses: Vec<u32>,
    use_ends: Vec<u32>,
    /// Number of stores before each place.
    stores: Vec<u32>,
    /// Place of the last use, by value; 0 without uses, since nothing is used at the first place.
    last_uses: Vec<u32>,
}

impl<'k> Program<'k> {
    pub(crate) fn new(kernel: &'k Kernel) -> Program<'k> {
        let mut program = Program {
            kernel,
            wide: false,
            segments: Vec::new(),
            order: Vec::with_capacity(kernel.insts.len()),
            roles: vec![Role::Dead; kernel.insts.len()],
            uses: Vec::new(),
            use_ends: vec![0; kernel.insts.len() + 1],
            stores: Vec::new(),
            last_uses: vec![0; kernel.insts.len()],
        };
        program.find_live();
        for phase in &kernel.phases {
            program.phase(phase.when, &phase.insts);
        }
        program.wide = kernel.insts.iter().any(|(val, inst)| {
            program.roles[val.index()] != Role::Dead
                && (inst.ty.bytes() == 8
                    || inst.args.iter().any(|&a| kernel.insts[a].ty.bytes() == 8))
        });
        program.find_uses();
        program
    }

    pub(crate) fn inst(&self, val: Val) -> &'k Inst {
        &self.kernel.insts[val]
    }

    pub(crate) fn ty(&self, val: Val) -> Lane {
        self.kernel.insts[val].ty
    }

    pub(crate) fn role(&self, val: Val) -> Role {
        self.roles[val.index()]
    }

    /// Marks what stores depend on with [`Role::Local`].
    fn find_live(&mut self) {
        for phase in self.kernel.phases.iter().rev() {
            for &val in phase.insts.iter().rev() {
                let inst = &self.kernel.insts[val];
                if matches!(inst.op, Op::Store(_)) || self.roles[val.index()] == Role::Local {
                    self.roles[val.index()] = Role::Local;
                    for arg in &inst.args {
                        self.roles[arg.index()] = Role::Local;
                    }
                }
            }
        }
    }

    fn phase(&mut self, when: When, insts: &[Val]) {
        let columns = self.kernel.axis == Axis::Columns;
        let looped = when == When::Each;
        let mut body = Vec::new();
        let start = self.order.len();
        for &val in insts {
            if self.role(val) == Role::Dead {
                continue;
            }
            let inst = &self.kernel.insts[val];
            let role = match inst.op {
                Op::Const(_) => Role::Const,
                Op::Reduce(_) if columns => Role::Shared,
                Op::Reduce(_) => Role::Carried,
                _ if !looped && !columns => Role::Carried,
                _ if !looped || (columns && self.is_uniform(inst)) => Role::Shared,
                _ => Role::Local,
            };
            self.roles[val.index()] = role;
            match role {
                Role::Const => {}
                _ if !looped => self.order.push(val),
                Role::Shared if !matches!(inst.op, Op::Reduce(_)) => self.order.push(val),
                _ => body.push(val),
            }
        }
        if self.order.len() > start {
            self.segments.push(Segment { looped: false, range: start..self.order.len() });
        }
        if !body.is_empty() {
            let start = self.order.len();
            self.order.extend(body);
            self.segments.push(Segment { looped: true, range: start..self.order.len() });
        }
    }

    /// Whether an instruction of a loop over columns has the same value for all of them.
    fn is_uniform(&self, inst: &Inst) -> bool {
        match inst.op {
            Op::Load(s) => self.kernel.streams[s].access == Access::Row,
            Op::Store(_) | Op::Column | Op::Reduce(_) => false,
            _ => inst.args.iter().all(|&a| matches!(self.role(a), Role::Shared | Role::Const)),
        }
    }

    fn find_uses(&mut self) {
        self.stores = Vec::with_capacity(self.order.len() + 1);
        let mut stores = 0;
        for &val in &self.order {
            self.stores.push(stores);
            stores += u32::from(matches!(self.kernel.insts[val].op, Op::Store(_)));
        }
        for &val in &self.order {
            for arg in &self.kernel.insts[val].args {
                self.use_ends[arg.index() + 1] += 1;
            }
        }
        for i in 1..self.use_ends.len() {
            self.use_ends[i] += self.use_ends[i - 1];
        }
        self.uses = vec![0; self.use_ends.last().map_or(0, |&n| n as usize)];
        // Each end serves as the place of the next use and comes back to where it was.
        for (place, &val) in self.order.iter().enumerate().rev() {
            for arg in self.kernel.insts[val].args.iter().rev() {
                let slot = &mut self.use_ends[arg.index() + 1];
                *slot -= 1;
                self.uses[*slot as usize] = place as u32;
                let last = &mut self.last_uses[arg.index()];
                *last = (*last).max(place as u32);
            }
        }
        self.use_ends.rotate_left(1);
        let all = self.uses.len() as u32;
        if let Some(end) = self.use_ends.last_mut() {
            *end = all;
        }
    }

    /// Places where a value is used, ascending.
    pub(crate) fn uses(&self, val: Val) -> &[u32] {
        let ends = &self.use_ends[val.index()..val.index() + 2];
        &self.uses[ends[0] as usize..ends[1] as usize]
    }

    /// Whether a store comes after a place and before another.
    pub(crate) fn stores_between(&self, place: usize, end: usize) -> bool {
        self.stores[place + 1..=end].first() != self.stores[place + 1..=end].last()
    }

    /// Whether a value is used after a place.
    pub(crate) fn is_used_after(&self, val: Val, place: usize) -> bool {
        self.last_uses[val.index()] as usize > place
    }

    /// The first use of a value after a place.
    pub(crate) fn next_use(&self, val: Val, place: usize) -> Option<usize> {
        let uses = self.uses(val);
        let first = match uses {
            [] => return None,
            // Most values are used once or twice.
            [a] | [_, a] | [_, _, a] if *a as usize <= place => return None,
            [..] if uses[0] as usize > place => 0,
            _ => uses.partition_point(|&u| u as usize <= place),
        };
        uses.get(first).map(|&u| u as usize)
    }

    /// How many registers the instructions of a loop want for their own values at once.
    /// `extra` tells of an instruction how many it needs beside operands and result, or `None` when
    /// its value takes no register.
    pub(crate) fn pressure(
        &self,
        range: Range<usize>,
        extra: impl Fn(Val, &Inst) -> Option<usize>,
    ) -> usize {
        let mut live = vec![false; self.kernel.insts.len()];
        let (mut now, mut most) = (0usize, 0usize);
        for &val in self.order[range].iter().rev() {
            let inst = self.inst(val);
            if std::mem::replace(&mut live[val.index()], false) {
                now -= 1;
            }
            let Some(extra) = extra(val, inst) else { continue };
            let mut foreign = 0;
            for &arg in &inst.args {
                if self.role(arg) != Role::Local {
                    foreign += 1;
                } else if !std::mem::replace(&mut live[arg.index()], true) {
                    now += 1;
                }
            }
            let result = usize::from(!matches!(inst.op, Op::Store(_) | Op::Reduce(_)));
            let dying = usize::from(extra == 0 && !inst.args.is_empty() && foreign == 0);
            most = most.max(now + foreign + extra + result - dying.min(result));
        }
        most
    }
}
