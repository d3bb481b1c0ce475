//! From a kernel to a program: which slot holds which value.

use rustc_hash::FxHashMap;
use tfjit_base::Result;
use tfjit_base::ids::Id;
use tfjit_plan::kernel::{Kernel, Lane, Op, Val, When};

use super::{Part, Program, Reduction, Step};

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
            slots: compiler.slots as usize,
        })
    }
}

/// Where a value is used.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// Position of the last use in the phase of the definition.
    last_here: Option<usize>,
    /// Whether later phases use it, and whether one of them runs for all columns.
    later: bool,
    later_each: bool,
}

struct Compiler<'k> {
    kernel: &'k Kernel,
    uses: Vec<Uses>,
    slot_of: Vec<u32>,
    constants: Vec<(u32, Lane, u64)>,
    constant_slots: FxHashMap<(Lane, u64), u32>,
    free: Vec<u32>,
    slots: u32,
}

impl<'k> Compiler<'k> {
    fn new(kernel: &'k Kernel) -> Compiler<'k> {
        let mut uses = vec![Uses::default(); kernel.insts.len()];
        let mut home = vec![usize::MAX; kernel.insts.len()];
        for (number, phase) in kernel.phases.iter().enumerate() {
            for (position, &val) in phase.insts.iter().enumerate() {
                home[val.index()] = number;
                for arg in &kernel.insts[val].args {
                    let used = &mut uses[arg.index()];
                    if home[arg.index()] == number {
                        used.last_here = Some(position);
                    } else {
                        used.later = true;
                        used.later_each |= phase.when == When::Each;
                    }
                }
            }
        }
        Compiler {
            kernel,
            uses,
            slot_of: vec![0; kernel.insts.len()],
            constants: Vec::new(),
            constant_slots: FxHashMap::default(),
            free: Vec::new(),
            slots: 0,
        }
    }

    /// A slot that nothing else has ever had.
    fn fresh(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    fn constant(&mut self, ty: Lane, bits: u64) -> u32 {
        if let Some(&slot) = self.constant_slots.get(&(ty, bits)) {
            return slot;
        }
        let slot = self.fresh();
        self.constant_slots.insert((ty, bits), slot);
        self.constants.push((slot, ty, bits));
        slot
    }

    fn phase(&mut self, number: usize) -> Part {
        let kernel = self.kernel;
        let phase = &kernel.phases[number];
        let mut part = Part {
            when: phase.when,
            steps: Vec::new(),
            reductions: Vec::new(),
            spread: Vec::new(),
        };
        for (position, &val) in phase.insts.iter().enumerate() {
            let inst = &kernel.insts[val];
            if let Op::Const(bits) = inst.op {
                self.slot_of[val.index()] = self.constant(inst.ty, bits);
                continue;
            }
            let uses = self.uses[val.index()];
            let lives_on = uses.later || matches!(inst.op, Op::Reduce(_));
            let to = match (inst.op, lives_on) {
                (Op::Store(_), _) => 0,
                (_, true) => self.fresh(),
                // Never one of the operands' slots: loops read and write different memory.
                (_, false) => self.free.pop().unwrap_or_else(|| self.fresh()),
            };
            self.slot_of[val.index()] = to;
            let mut args = [0; 3];
            for (slot, arg) in args.iter_mut().zip(&inst.args) {
                *slot = self.slot_of[arg.index()];
            }
            let from = inst.args.first().map_or(inst.ty, |&arg| kernel.insts[arg].ty);
            part.steps.push(Step { op: inst.op, ty: inst.ty, from, to, args });
            if let Op::Reduce(reduce) = inst.op {
                part.reductions.push(Reduction { reduce, ty: inst.ty, slot: to });
            }
            if phase.when == When::Once && uses.later_each {
                part.spread.push((to, inst.ty));
            }
            self.release(number, position, val, lives_on);
        }
        part
    }

    /// Gives back the slots of values that end with an instruction.
    fn release(&mut self, number: usize, position: usize, val: Val, lives_on: bool) {
        let inst = &self.kernel.insts[val];
        let phase = &self.kernel.phases[number];
        for (i, &arg) in inst.args.iter().enumerate() {
            let ends = self.uses[arg.index()].last_here == Some(position)
                && !self.uses[arg.index()].later
                && !matches!(self.kernel.insts[arg].op, Op::Const(_))
                && !inst.args[..i].contains(&arg);
            debug_assert!(!ends || phase.insts.contains(&arg));
            if ends {
                self.free.push(self.slot_of[arg.index()]);
            }
        }
        let unused = self.uses[val.index()].last_here.is_none();
        if unused && !lives_on && !matches!(inst.op, Op::Store(_)) {
            self.free.push(self.slot_of[val.index()]);
        }
    }
}
