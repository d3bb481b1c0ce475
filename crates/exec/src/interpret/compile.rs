//! From a kernel to a program: which slot holds which value.

use rustc_hash::FxHashMap;
use tfjit_base::Result;
use tfjit_base::ids::Id;
use tfjit_plan::kernel::{Access, Axis, Inst, Kernel, Lane, Op, Val, When};

use super::{Part, Program, Reduction, Slot, Step};

impl Program {
    /// Compiles a kernel, expanding it first.
    ///
    /// # Errors
    /// Those of [`Kernel::expand`] and [`Kernel::verify`].
    pub fn compile(kernel: &Kernel) -> Result<Program> {
        let kernel = kernel.expand()?;
        kernel.verify()?;
        let mut compiler = Compiler::new(&kernel);
        let phases = (0..kernel.phases.len()).map(|number| compiler.phase(number)).collect();
        Ok(Program {
            name: kernel.name.clone(),
            axis: kernel.axis,
            streams: kernel.streams.iter().map(|(_, stream)| stream.clone()).collect(),
            phases,
            constants: compiler.constants,
            blocks: compiler.blocks as usize,
            singles: compiler.singles as usize,
        })
    }
}

/// What is known of a value; of a bitcast, of its operand.
#[derive(Clone, Copy)]
struct Value {
    slot: Slot,
    /// The phase it is defined in.
    home: usize,
    /// Position of its last use there.
    last_here: Option<usize>,
    /// Whether later phases use it.
    later: bool,
    /// Whether its slot is free after the last use.
    pooled: bool,
}

struct Compiler<'k> {
    kernel: &'k Kernel,
    /// The value that a value is another name of; mostly itself.
    root: Vec<usize>,
    values: Vec<Value>,
    constants: Vec<(Slot, Lane, u64)>,
    constant_slots: FxHashMap<(Lane, u64), Slot>,
    free: Vec<Slot>,
    blocks: u32,
    singles: u32,
}

impl<'k> Compiler<'k> {
    fn new(kernel: &'k Kernel) -> Compiler<'k> {
        let nowhere = Value {
            slot: Slot { number: 0, single: false },
            home: usize::MAX,
            last_here: None,
            later: false,
            pooled: false,
        };
        let mut values = vec![nowhere; kernel.insts.len()];
        let mut root: Vec<usize> = (0..kernel.insts.len()).collect();
        for (number, phase) in kernel.phases.iter().enumerate() {
            for (position, &val) in phase.insts.iter().enumerate() {
                let inst = &kernel.insts[val];
                values[val.index()].home = number;
                if inst.op == Op::Bitcast {
                    root[val.index()] = root[inst.args[0].index()];
                }
                for arg in &inst.args {
                    let used = &mut values[root[arg.index()]];
                    if used.home == number {
                        used.last_here = Some(position);
                    } else {
                        used.later = true;
                    }
                }
            }
        }
        Compiler {
            kernel,
            root,
            values,
            constants: Vec::new(),
            constant_slots: FxHashMap::default(),
            free: Vec::new(),
            blocks: 0,
            singles: 0,
        }
    }

    /// A place that nothing else has ever had.
    fn fresh(&mut self, single: bool) -> Slot {
        let count = if single { &mut self.singles } else { &mut self.blocks };
        *count += 1;
        Slot { number: *count - 1, single }
    }

    fn constant(&mut self, ty: Lane, bits: u64) -> Slot {
        if let Some(&slot) = self.constant_slots.get(&(ty, bits)) {
            return slot;
        }
        let slot = self.fresh(true);
        self.constant_slots.insert((ty, bits), slot);
        self.constants.push((slot, ty, bits));
        slot
    }

    fn slot_of(&self, val: Val) -> Slot {
        self.values[self.root[val.index()]].slot
    }

    /// Whether all columns of a block have the same value.
    fn is_single(&self, inst: &Inst, when: When) -> bool {
        match inst.op {
            Op::Store(_) | Op::Reduce(_) => false,
            _ if when == When::Once && self.kernel.axis == Axis::Columns => true,
            Op::Load(stream) => self.kernel.streams[stream].access == Access::Row,
            Op::Column => false,
            _ => inst.args.iter().all(|&arg| self.slot_of(arg).single),
        }
    }

    fn phase(&mut self, number: usize) -> Part {
        let phase = &self.kernel.phases[number];
        let mut part = Part { when: phase.when, steps: Vec::new(), reductions: Vec::new() };
        for (position, &val) in phase.insts.iter().enumerate() {
            self.inst(val, &mut part);
            self.release(number, position, val);
        }
        part
    }

    fn inst(&mut self, val: Val, part: &mut Part) {
        let inst = &self.kernel.insts[val];
        match inst.op {
            Op::Const(bits) => {
                self.values[val.index()].slot = self.constant(inst.ty, bits);
                return;
            }
            Op::Bitcast => return,
            _ => {}
        }
        let nothing = Slot { number: 0, single: true };
        let mut args = [nothing; 3];
        for (slot, &arg) in args.iter_mut().zip(&inst.args) {
            *slot = self.slot_of(arg);
        }
        let from = inst.args.first().map_or(inst.ty, |&arg| self.kernel.insts[arg].ty);
        let one_column = part.when == When::Once && self.kernel.axis == Axis::Columns;
        let whole = matches!(inst.op, Op::Store(_) | Op::Reduce(_)) && !one_column;
        let mut spread = None;
        if whole && args[0].single {
            let slot = self.block();
            part.steps.push(Step { op: Op::Bitcast, ty: from, from, to: slot, args });
            args[0] = slot;
            spread = Some(slot);
        }
        let to = self.place(val, inst, part);
        part.steps.push(Step { op: inst.op, ty: inst.ty, from, to, args });
        self.free.extend(spread);
    }

    fn block(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| self.fresh(false))
    }

    /// Where the result of an instruction goes. Never where one of its operands is, if it is a
    /// block: loops read and write different memory.
    fn place(&mut self, val: Val, inst: &Inst, part: &mut Part) -> Slot {
        let single = self.is_single(inst, part.when);
        let columns = self.kernel.axis == Axis::Columns;
        let later = self.values[val.index()].later;
        let to = match inst.op {
            Op::Store(_) => return Slot { number: 0, single: true },
            Op::Reduce(reduce) => {
                let partials = self.fresh(false);
                let result = if columns { self.fresh(true) } else { partials };
                part.reductions.push(Reduction { reduce, ty: inst.ty, partials, result });
                self.values[val.index()].slot = result;
                return partials;
            }
            _ if single => self.fresh(true),
            _ if later => self.fresh(false),
            _ => {
                self.values[val.index()].pooled = true;
                self.block()
            }
        };
        self.values[val.index()].slot = to;
        to
    }

    /// Gives back the slots of values that end with an instruction.
    fn release(&mut self, number: usize, position: usize, val: Val) {
        let inst = &self.kernel.insts[val];
        for (i, &arg) in inst.args.iter().enumerate() {
            let root = self.root[arg.index()];
            let value = self.values[root];
            let again = inst.args[..i].iter().any(|other| self.root[other.index()] == root);
            let ends = value.pooled && value.home == number && value.last_here == Some(position);
            if ends && !again {
                self.free.push(value.slot);
            }
        }
        let value = self.values[val.index()];
        if value.pooled && value.last_here.is_none() {
            self.free.push(value.slot);
        }
    }
}
