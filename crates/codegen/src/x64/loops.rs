//! The loops around a kernel's instructions: rows, columns, blocks of columns, tails.
//!
//! rdi is the frame, rcx the column, rsi counts rows, rdx is the last column at which a loop may
//! go on, or in a tail the number of columns; rax and r10 are free.

use std::ops::Range;

use tfjit_base::Result;
use tfjit_base::ids::Id;
use tfjit_plan::kernel::{Kernel, Lane, Op, PARTIALS, StreamId, Val, abi};

use super::emitter::{Emitter, OLD_RSP, REGISTERS, frame_word};
use super::enc::{Alu, Cond, Mem, R10, RAX, RCX, RDX, RSI, RSP, X};
use super::ops;
use crate::alloc::{Home, Key};
use crate::program::{Program, Role, Segment};

/// Bodies of loops over columns are repeated up to this many instructions.
const UNROLLED: usize = 64;
/// Bodies of fewer instructions are not worked on side by side: the processor sees to it.
const BESIDE_FROM: usize = 16;
/// Vectors of a block over rows.
const BLOCK: usize = 4;
/// Bytes of a page of the stack, which is touched page by page.
const PAGE: usize = 4096;

/// How a body is repeated: for so many vectors in a step, so many of them side by side.
#[derive(Clone, Copy, Debug)]
struct Unroll {
    vectors: usize,
    together: usize,
}

/// Vectors of a block over rows: as many as leave registers for the sums of each.
pub(super) fn block_of(program: &Program) -> usize {
    let reductions = program.order.iter().filter(|&&v| is_reduction(program, v)).count();
    let small = if program.order.len() > UNROLLED { BLOCK / 2 } else { BLOCK };
    match reductions {
        0..=2 => small,
        3..=4 => BLOCK / 2,
        _ => 1,
    }
}

fn is_reduction(program: &Program, val: Val) -> bool {
    matches!(program.inst(val).op, Op::Reduce(_))
}

/// The streams that instructions read and write.
fn streams_of<'p>(
    kernel: &'p Kernel,
    insts: &'p [Val],
) -> impl Iterator<Item = StreamId> + use<'p> {
    kernel.streams.ids().filter(|&s| {
        insts.iter().any(|&v| matches!(kernel.insts[v].op, Op::Load(t) | Op::Store(t) if t == s))
    })
}

impl Emitter<'_> {
    /// The whole function. `stack` is what an earlier emission needed, 0 at first.
    pub(super) fn function(&mut self, block: usize, stack: usize) -> Result<()> {
        let saved = self.saved();
        saved.iter().for_each(|&g| self.enc.push(g));
        for page in 1..=stack / PAGE {
            self.enc.mov(RAX, Mem::at(RSP, -((page * PAGE) as i32)));
        }
        self.enc.mov(RAX, RSP);
        let size = self.enc.sub_rsp_later();
        self.enc.alu_imm(Alu::And, RSP, -64);
        self.enc.mov_store(OLD_RSP, RAX);
        if self.is_rows() {
            self.over_rows(block)?;
        } else {
            self.over_columns()?;
        }
        self.enc.mov(RSP, OLD_RSP);
        saved.iter().rev().for_each(|&g| self.enc.pop(g));
        self.enc.vzeroupper();
        self.enc.ret();
        self.enc.patch32(size, self.stack_bytes() as u32);
        Ok(())
    }

    fn over_columns(&mut self) -> Result<()> {
        let kernel = self.program.kernel;
        let exit = self.enc.label();
        self.enc.mov(RSI, frame_word(abi::ROWS));
        self.enc.test(RSI, RSI);
        self.enc.jump_if(Cond::Zero, exit);
        self.load_bases(kernel.streams.ids());
        let top = self.enc.label();
        self.enc.bind(top);
        for segment in self.program.segments.clone() {
            if segment.looped {
                self.column_loop(&segment)?;
            } else {
                self.body(&segment, 0..1)?;
            }
        }
        self.forget_all();
        self.advance_bases(kernel.streams.ids());
        self.enc.alu_imm(Alu::Sub, RSI, 1);
        self.enc.jump_if(Cond::NotZero, top);
        self.enc.bind(exit);
        Ok(())
    }

    /// One execution of a segment's instructions for some vectors of columns, one instruction for
    /// all of them before the next.
    fn body(&mut self, segment: &Segment, vectors: Range<usize>) -> Result<()> {
        for place in segment.range.clone() {
            self.place = place;
            let val = self.program.order[place];
            for (beside, vector) in vectors.clone().enumerate() {
                self.copy = vector;
                self.column = vector * self.lanes;
                self.beside = beside;
                self.inst(val)?;
            }
        }
        if segment.looped {
            // The next execution finds what the first found.
            for (r, key) in self.alloc.held() {
                if !self.alloc.is_pinned(r) {
                    debug_assert!(!self.alloc.is_dirty(key), "a value outlives its loop");
                    self.alloc.drop_register(key);
                }
            }
        }
        (self.copy, self.beside) = (0, 0);
        Ok(())
    }

    fn reductions(&self, segment: &Segment) -> Vec<Val> {
        let insts = &self.program.order[segment.range.clone()];
        insts.iter().copied().filter(|&v| is_reduction(&self.program, v)).collect()
    }

    /// How a loop over columns is unrolled. Long bodies are chains of instructions that wait for
    /// each other, so two of them go side by side where there are registers.
    fn unroll(&self, segment: &Segment, reductions: &[Val], pressure: usize) -> Unroll {
        let len = segment.range.len().max(1);
        let sums = reductions.len() * PARTIALS / self.lanes;
        let beside = len >= BESIDE_FROM && 2 * pressure + sums <= REGISTERS + 4;
        let vectors = match (reductions.is_empty(), UNROLLED / len) {
            (false, _) => PARTIALS / self.lanes,
            (_, 0) if beside && len <= 2 * UNROLLED => 2,
            (_, 0) => 1,
            (_, 1..=3) => 2,
            _ => 4,
        };
        Unroll { vectors, together: if beside { vectors.min(2) } else { 1 } }
    }

    fn pressure(&self, segment: &Segment) -> usize {
        self.program
            .pressure(segment.range.clone(), |val, inst| self.place_free(val, segment, inst))
    }

    fn column_loop(&mut self, segment: &Segment) -> Result<()> {
        let reductions = self.reductions(segment);
        let pressure = self.pressure(segment);
        let unroll = self.unroll(segment, &reductions, pressure);
        self.enter_loop(segment, &reductions, 1, pressure * unroll.together);
        self.enc.xor32(RCX);
        self.column_steps(segment, unroll, &[])?;
        if unroll.vectors > 1 {
            self.column_steps(segment, Unroll { vectors: 1, together: 1 }, &reductions)?;
        }
        let skip = self.enc.label();
        self.enc.mov(RDX, frame_word(abi::COLS));
        self.enc.alu(Alu::Sub, RDX, RCX);
        self.enc.jump_if(Cond::Zero, skip);
        self.tail = true;
        self.set_masks();
        self.body(segment, 0..1)?;
        self.drop_masks();
        self.tail = false;
        self.enc.bind(skip);
        self.leave_loop(segment, &reductions);
        Ok(())
    }

    /// A loop over as many whole steps of `unroll` vectors as there are columns.
    fn column_steps(&mut self, segment: &Segment, shape: Unroll, rotated: &[Val]) -> Result<()> {
        let Unroll { vectors: unroll, together } = shape;
        let step = unroll * self.lanes;
        let (top, skip) = (self.enc.label(), self.enc.label());
        self.enc.mov(RDX, frame_word(abi::COLS));
        self.enc.alu_imm(Alu::Sub, RDX, step as i32);
        self.enc.alu(Alu::Cmp, RCX, RDX);
        self.enc.jump_if(Cond::Greater, skip);
        self.enc.align(32);
        self.enc.bind(top);
        for u in (0..unroll).step_by(together) {
            self.body(segment, u..u + together)?;
        }
        self.rotate_partials(rotated);
        self.enc.alu_imm(Alu::Add, RCX, step as i32);
        self.enc.alu(Alu::Cmp, RCX, RDX);
        self.enc.jump_if(Cond::LessEqual, top);
        self.enc.bind(skip);
        Ok(())
    }

    fn over_rows(&mut self, block: usize) -> Result<()> {
        self.enc.xor32(RCX);
        let sizes = [block, 1];
        for &vectors in &sizes[usize::from(block == 1)..] {
            let step = vectors * self.lanes;
            let (top, skip) = (self.enc.label(), self.enc.label());
            self.enc.mov(RDX, frame_word(abi::COLS));
            self.enc.alu_imm(Alu::Sub, RDX, step as i32);
            self.enc.alu(Alu::Cmp, RCX, RDX);
            self.enc.jump_if(Cond::Greater, skip);
            self.enc.bind(top);
            self.block(vectors)?;
            self.enc.alu_imm(Alu::Add, RCX, step as i32);
            self.enc.alu(Alu::Cmp, RCX, RDX);
            self.enc.jump_if(Cond::LessEqual, top);
            self.enc.bind(skip);
        }
        let skip = self.enc.label();
        self.enc.mov(RDX, frame_word(abi::COLS));
        self.enc.alu(Alu::Sub, RDX, RCX);
        self.enc.jump_if(Cond::Zero, skip);
        self.tail = true;
        self.set_masks();
        self.block(1)?;
        self.drop_masks();
        self.tail = false;
        self.enc.bind(skip);
        Ok(())
    }

    /// All phases for a block of columns.
    fn block(&mut self, vectors: usize) -> Result<()> {
        let kernel = self.program.kernel;
        for segment in self.program.segments.clone() {
            let insts = self.program.order[segment.range.clone()].to_vec();
            if !segment.looped {
                self.load_bases(streams_of(kernel, &insts));
                for v in 0..vectors {
                    self.body(&segment, v..v + 1)?;
                }
                continue;
            }
            let reductions = self.reductions(&segment);
            let pressure = self.pressure(&segment);
            self.enter_loop(&segment, &reductions, vectors, pressure);
            let (top, skip) = (self.enc.label(), self.enc.label());
            self.enc.mov(RSI, frame_word(abi::ROWS));
            self.enc.test(RSI, RSI);
            self.enc.jump_if(Cond::Zero, skip);
            self.load_bases(streams_of(kernel, &insts));
            self.enc.align(32);
            self.enc.bind(top);
            for v in 0..vectors {
                self.body(&segment, v..v + 1)?;
            }
            self.advance_bases(streams_of(kernel, &insts));
            self.enc.alu_imm(Alu::Sub, RSI, 1);
            self.enc.jump_if(Cond::NotZero, top);
            self.enc.bind(skip);
            self.leave_loop(&segment, &reductions);
        }
        self.forget_all();
        Ok(())
    }

    /// Brings registers into the state that each execution of a loop's body begins with: partial
    /// sums and some values from outside in registers that stay theirs, all else at home.
    fn enter_loop(
        &mut self,
        segment: &Segment,
        reductions: &[Val],
        vectors: usize,
        pressure: usize,
    ) {
        // Values that are used in the loop are used next, as far as evictions go.
        self.place = segment.range.start.saturating_sub(1);
        self.begin_partials(reductions, vectors);
        self.within = Some((segment.range.start, segment.range.end));
        self.pin_values(segment, vectors, pressure);
        for (r, key) in self.alloc.held() {
            if !self.alloc.is_pinned(r) {
                self.spill(key);
                self.alloc.drop_register(key);
            }
        }
        self.alloc.end();
    }

    /// Gives registers that the loop's own values do not need to values from outside, the most
    /// used first.
    fn pin_values(&mut self, segment: &Segment, vectors: usize, pressure: usize) {
        let taken = pressure.max(6) + self.alloc.pinned() as usize + usize::from(self.tail);
        let mut spare = REGISTERS.saturating_sub(taken);
        let mut counts: Vec<(usize, Val)> = Vec::new();
        for &val in &self.program.order[segment.range.clone()] {
            for &arg in &self.program.inst(val).args {
                if self.program.role(arg) == Role::Local {
                    continue;
                }
                match counts.iter().position(|&(_, v)| v == arg) {
                    Some(at) => counts[at].0 += 1,
                    None if counts.len() < 64 => counts.push((1, arg)),
                    None => {}
                }
            }
        }
        counts.sort_by_key(|&(count, val)| (std::cmp::Reverse(count), val.index()));
        for (_, val) in counts {
            let keys = self.keys_of(val);
            for key in keys.take(vectors) {
                if spare == 0 {
                    return self.alloc.end();
                }
                let x = self.reg_of(key);
                self.alloc.pin(x.0);
                self.alloc.end();
                spare -= 1;
            }
        }
    }

    /// What [`Program::pressure`] asks.
    fn place_free(
        &self,
        val: Val,
        segment: &Segment,
        inst: &tfjit_plan::kernel::Inst,
    ) -> Option<usize> {
        let single_load = matches!(inst.op, Op::Load(_))
            && self.program.uses(val).len() == 1
            && segment.looped
            && inst.ty != Lane::Pred;
        if single_load { None } else { Some(self.extra(inst)) }
    }

    /// After a loop: sums are complete, values that were used last in it are gone.
    fn leave_loop(&mut self, segment: &Segment, reductions: &[Val]) {
        self.alloc.unpin_all();
        self.within = None;
        self.place = segment.range.end.saturating_sub(1);
        for place in segment.range.clone() {
            for &arg in &self.program.inst(self.program.order[place]).args {
                let outer = matches!(self.program.role(arg), Role::Shared | Role::Carried);
                if outer && !self.program.is_used_after(arg, self.place) {
                    self.finish_keys(self.keys_of(arg));
                }
            }
        }
        self.alloc.end();
        self.finish_partials(reductions);
    }

    /// Ends the life of everything: nothing is kept from row to row, or block to block.
    fn forget_all(&mut self) {
        for (_, key) in self.alloc.held() {
            if !self.masks.contains(&key) {
                self.alloc.kill(key);
            }
        }
        let vals = self.program.kernel.insts.len();
        for val in (0..vals).map(Val::new) {
            let outer = matches!(self.program.role(val), Role::Shared | Role::Carried);
            if outer {
                self.finish_keys(self.keys_of(val));
            }
        }
        self.alloc.end();
    }

    /// Masks of the columns of a tail of rdx columns.
    fn set_masks(&mut self) {
        let lanes = self.lanes;
        let mut table = [0u8; 64];
        table[..4 * lanes].fill(0xff);
        let at = self.mask_table.unwrap_or_else(|| self.enc.constant64(&table));
        self.mask_table = Some(at);
        let table = Mem::pool(at);
        self.enc.lea(R10, table);
        self.enc.mov(RAX, RDX);
        self.enc.neg(RAX);
        let x = self.temp();
        let mem = Mem::indexed(R10, RAX, 2, 4 * lanes as i32);
        let len = self.len(Lane::I32);
        self.enc.rm(ops::VMOVUPS, len, x, mem);
        self.keep_mask(self.masks[0], x);
        if self.program.wide {
            let y = self.temp();
            self.enc.rm(ops::VPMOVSXDQ, super::enc::Len::L256, y, x);
            self.keep_mask(self.masks[1], y);
        }
        self.alloc.end();
    }

    fn keep_mask(&mut self, key: Key, x: X) {
        self.alloc.set_home(key, Home::Nowhere);
        self.alloc.attach(key, x.0, true);
        self.spill(key);
    }

    fn drop_masks(&mut self) {
        for key in self.masks {
            self.alloc.kill(key);
        }
        self.alloc.end();
    }
}
