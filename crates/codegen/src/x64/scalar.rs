//! What has no vector instruction: division of integers, remainders of floats.
//!
//! No division faults: by zero the quotient is -1 and the remainder the dividend, and the smallest
//! dividend by -1 is itself.

use tfjit_base::Result;
use tfjit_plan::kernel::{Inst, Lane, Val};

use super::arith::ROUND_ZERO;
use super::emitter::Emitter;
use super::enc::{Alu, Cond, Len, Mem, R10, RAX, RDX, RSP, X};
use super::ops;

impl Emitter<'_> {
    /// Quotients of 32-bit integers through doubles, which are exact enough: a quotient that is no
    /// integer is at least 2^-32 of itself away from one.
    pub(super) fn divide32(&mut self, val: Val, inst: &Inst, quotient: bool) -> Result<()> {
        let (a, b) = (self.reg(inst.args[0]), self.reg(inst.args[1]));
        let (len, unsigned) = (self.len(inst.ty), inst.ty == Lane::U32);
        let d = self.def(val);
        self.divide_half(d, a, b, unsigned);
        if len == Len::L256 {
            let (high, x, y) = (self.temp(), self.temp(), self.temp());
            self.enc.mri(ops::VEXTRACTI128, len, x, a, 1);
            self.enc.mri(ops::VEXTRACTI128, len, y, b, 1);
            self.divide_half(high, x, y, unsigned);
            self.enc.rvmi(ops::VINSERTI128, len, d, d, high, 1);
            [high, x, y].into_iter().for_each(|t| self.free(t));
        }
        // By zero it is -1.
        let t = self.zero();
        self.enc.rvm(ops::VPCMPEQD, len, t, t, b);
        self.enc.rvm(ops::VPOR, len, d, d, t);
        if !quotient {
            self.enc.rvm(ops::VPMULLD, len, d, d, b);
            self.enc.rvm(ops::VPSUBD, len, d, a, d);
        }
        Ok(())
    }

    /// Quotients of four 32-bit integers in the low halves of `a` and `b`.
    fn divide_half(&mut self, d: X, a: X, b: X, unsigned: bool) {
        let (full, half) = (Len::L256, Len::L128);
        let t = self.temp();
        if !unsigned {
            self.enc.rm(ops::VCVTDQ2PD, full, t, b);
            self.enc.rm(ops::VCVTDQ2PD, full, d, a);
            self.enc.rvm(ops::VDIVPD, full, d, d, t);
            self.enc.rm(ops::VCVTTPD2DQ, full, d, d);
            return self.free(t);
        }
        let (sign, offset) = (self.c32(1 << 31), self.f64(2_147_483_648.0));
        for (to, from) in [(t, b), (d, a)] {
            self.enc.rvm(ops::VPXOR, half, to, from, sign);
            self.enc.rm(ops::VCVTDQ2PD, full, to, to);
            self.enc.rvm(ops::VADDPD, full, to, to, offset);
        }
        self.enc.rvm(ops::VDIVPD, full, d, d, t);
        self.free(t);
        self.double_to_u32(d);
    }

    /// Doubles in the range of `u32` to the low half of the register.
    pub(super) fn double_to_u32(&mut self, d: X) {
        let (sign, offset) = (self.c32(1 << 31), self.f64(2_147_483_648.0));
        self.enc.rmi(ops::VROUNDPD, Len::L256, d, d, ROUND_ZERO);
        self.enc.rvm(ops::VSUBPD, Len::L256, d, d, offset);
        self.enc.rm(ops::VCVTTPD2DQ, Len::L256, d, d);
        self.enc.rvm(ops::VPXOR, Len::L128, d, d, sign);
    }

    /// Stores operands to fresh slots, one an operand.
    pub(super) fn store_operands(&mut self, args: &[Val]) -> Vec<u32> {
        let mut slots = Vec::new();
        for &arg in args {
            let (len, a) = (self.len(self.ty(arg)), self.reg(arg));
            let slot = self.alloc.take_slot();
            let mem = self.slot(slot);
            self.enc.mr(ops::VMOVAPS_ST, len, mem, a);
            slots.push(slot);
        }
        slots
    }

    /// The lane in r10 of a slot.
    pub(super) fn lane_of(&self, slot: u32, bytes: usize) -> Mem {
        Mem::indexed(RSP, R10, bytes.trailing_zeros() as u8, self.slot(slot).disp)
    }

    /// Loads the result from a slot and frees slots.
    pub(super) fn load_result(&mut self, val: Val, result: u32, slots: &[u32]) {
        let (mem, len) = (self.slot(result), self.len(self.ty(val)));
        let d = self.def(val);
        self.enc.rm(ops::VMOVAPS, len, d, mem);
        slots.iter().for_each(|&slot| self.alloc.free_slot(slot));
    }

    /// Quotients or remainders of 64-bit integers, one lane after the other.
    pub(super) fn divide64(&mut self, val: Val, inst: &Inst, quotient: bool) -> Result<()> {
        let slots = self.store_operands(&inst.args);
        let signed = inst.ty == Lane::I64;
        let [a, b] = [self.lane_of(slots[0], 8), self.lane_of(slots[1], 8)];
        self.each_lane(|e| {
            let (done, divide) = (e.enc.label(), e.enc.label());
            e.enc.mov(RAX, b);
            e.enc.test(RAX, RAX);
            // By zero the quotient is -1, the remainder the dividend, which is there already.
            if quotient {
                let nonzero = e.enc.label();
                e.enc.jump_if(Cond::NotZero, nonzero);
                e.enc.alu_imm(Alu::Or, RAX, -1);
                e.enc.mov_store(a, RAX);
                e.enc.jump(done);
                e.enc.bind(nonzero);
            } else {
                e.enc.jump_if(Cond::Zero, done);
            }
            if signed {
                // By -1 the processor would fault for the smallest dividend.
                e.enc.alu_imm(Alu::Cmp, RAX, -1);
                e.enc.jump_if(Cond::NotZero, divide);
                if quotient {
                    e.enc.mov(RAX, a);
                    e.enc.neg(RAX);
                } else {
                    e.enc.xor32(RAX);
                }
                e.enc.mov_store(a, RAX);
                e.enc.jump(done);
            }
            e.enc.bind(divide);
            e.enc.mov(RAX, a);
            e.enc.divide(signed, b);
            e.enc.mov_store(a, if quotient { RAX } else { RDX });
            e.enc.bind(done);
        });
        self.load_result(val, slots[0], &slots);
        Ok(())
    }

    /// Exact remainders of floats, one lane after the other, on the old floating-point unit.
    pub(super) fn float_remainder(&mut self, val: Val, inst: &Inst) -> Result<()> {
        let bytes = inst.ty.bytes();
        let slots = self.store_operands(&inst.args);
        let [a, b] = [self.lane_of(slots[0], bytes), self.lane_of(slots[1], bytes)];
        self.each_lane(|e| {
            let again = e.enc.label();
            e.enc.fld(b, bytes);
            e.enc.fld(a, bytes);
            e.enc.bind(again);
            e.enc.fprem();
            e.enc.jump_if(Cond::NotZero, again);
            e.enc.fstp(a, bytes);
            e.enc.fdrop();
        });
        self.load_result(val, slots[0], &slots);
        Ok(())
    }
}
