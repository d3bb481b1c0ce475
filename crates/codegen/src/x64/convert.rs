//! Conversions between lane types.
//!
//! The processor's conversions of floats to integers give the smallest integer for all that does
//! not fit; what comes after them makes it saturation, and 0 of NaN.

use tfjit_base::Result;
use tfjit_plan::kernel::{Inst, Lane, Val};

use super::arith::{by_width, is64};
use super::compare::{GE, NE, ORDERED};
use super::emitter::Emitter;
use super::enc::{Alu, Cond, Len, Mem, RAX, RDX, X};
use super::ops;

const FULL: Len = Len::L256;
const HALF: Len = Len::L128;
const TWO_31: f32 = 2_147_483_648.0;
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

impl Emitter<'_> {
    pub(super) fn convert(&mut self, val: Val, inst: &Inst) -> Result<()> {
        use Lane::{F32, F64, I32, I64, Pred, U32, U64};
        let arg = inst.args[0];
        let (from, to) = (self.ty(arg), inst.ty);
        let len = self.len(F32);
        match (from, to) {
            (I32 | U32, I32 | U32) | (I64 | U64, I64 | U64) => return self.same(val, arg),
            (a, b) if a == b => return self.same(val, arg),
            (I64 | U64, F32) => return self.long_to_f32(val, inst),
            (F32 | F64, I64 | U64) => return self.float_to_long(val, inst),
            _ => {}
        }
        let a = self.reg(arg);
        let d = self.def(val);
        match (from, to) {
            (Pred, _) => self.convert_pred(d, a, to),
            (_, Pred) => self.is_nonzero(d, a, from),
            (I32, F32) => self.enc.rm(ops::VCVTDQ2PS, len, d, a),
            (U32, F32) => self.u32_to_f32(d, a, len),
            (F32, I32) => self.f32_to_i32(d, a, len),
            (F32, U32) => self.f32_to_u32(d, a, len),
            (I32, I64 | U64) => self.enc.rm(ops::VPMOVSXDQ, FULL, d, a),
            (U32, I64 | U64) => self.enc.rm(ops::VPMOVZXDQ, FULL, d, a),
            (I64 | U64, I32 | U32) => {
                self.enc.copy(FULL, d, a);
                self.masks_to_32(d);
            }
            (F32, F64) => self.enc.rm(ops::VCVTPS2PD, FULL, d, a),
            (F64, F32) => self.enc.rm(ops::VCVTPD2PS, FULL, d, a),
            (I32, F64) => self.enc.rm(ops::VCVTDQ2PD, FULL, d, a),
            (U32, F64) => {
                let (sign, offset) = (self.c32(1 << 31), self.f64(TWO_31.into()));
                self.enc.rvm(ops::VPXOR, HALF, d, a, sign);
                self.enc.rm(ops::VCVTDQ2PD, FULL, d, d);
                self.enc.rvm(ops::VADDPD, FULL, d, d, offset);
            }
            (F64, I32) => {
                let most = self.f64(2_147_483_647.0);
                self.no_nan(d, a, F64);
                self.enc.rvm(ops::VMINPD, FULL, d, d, most);
                self.enc.rm(ops::VCVTTPD2DQ, FULL, d, d);
            }
            (F64, U32) => {
                let (zero, most) = (self.f64(0.0), self.f64(4_294_967_295.0));
                self.no_nan(d, a, F64);
                self.enc.rvm(ops::VMAXPD, FULL, d, d, zero);
                self.enc.rvm(ops::VMINPD, FULL, d, d, most);
                self.double_to_u32(d);
            }
            (U64, F64) => {
                // Two halves as the low bits of 2^84 and 2^52; their sum is rounded once.
                let t = self.temp();
                let (low, high) =
                    (self.c64(0x4330_0000_0000_0000), self.c64(0x4530_0000_0000_0000));
                let offset = self.c64(0x4530_0000_0010_0000);
                self.long_halves(d, t, a, low, high, offset);
            }
            (I64, F64) => {
                let t = self.temp();
                let (low, high) =
                    (self.c64(0x4330_0000_0000_0000), self.c64(0x4530_0000_8000_0000));
                let offset = self.c64(0x4530_0000_8010_0000);
                self.long_halves(d, t, a, low, high, offset);
            }
            _ => return Err(self.unsupported(format!("conversion of {from} to {to}"))),
        }
        Ok(())
    }

    /// The same bits.
    fn same(&mut self, val: Val, arg: Val) -> Result<()> {
        let d = self.own(arg);
        self.attach(val, d);
        Ok(())
    }

    fn convert_pred(&mut self, d: X, a: X, to: Lane) {
        let len = self.len(to);
        let mut mask = a;
        if is64(to) {
            self.enc.rm(ops::VPMOVSXDQ, FULL, d, a);
            mask = d;
        }
        let one = match to {
            Lane::F32 => self.f32(1.0),
            Lane::F64 => self.f64(1.0),
            _ => self.constant(to, 1),
        };
        self.enc.rvm(ops::VPAND, len, d, mask, one);
    }

    fn is_nonzero(&mut self, d: X, a: X, from: Lane) {
        let len = self.len(from);
        let zero = self.c64(0);
        if from.is_float() {
            let ins = by_width(from, ops::VCMPPS, ops::VCMPPD);
            self.enc.rvmi(ins, len, d, a, zero, NE);
        } else {
            let ones = self.c32(u32::MAX);
            self.enc.rvm(by_width(from, ops::VPCMPEQD, ops::VPCMPEQQ), len, d, a, zero);
            self.enc.rvm(ops::VPXOR, len, d, d, ones);
        }
        if is64(from) {
            self.masks_to_32(d);
        }
    }

    /// Both halves are exact in `f32`; the sum is rounded once.
    fn u32_to_f32(&mut self, d: X, a: X, len: Len) {
        let low = self.temp();
        let (mask, scale) = (self.c32(0xffff), self.f32(65536.0));
        self.enc.rvm(ops::VPAND, len, low, a, mask);
        self.enc.rm(ops::VCVTDQ2PS, len, low, low);
        self.enc.shift(ops::VPSRLD, len, d, a, 16);
        self.enc.rm(ops::VCVTDQ2PS, len, d, d);
        self.enc.rvm(ops::VFMADD132PS, len, d, low, scale);
        self.free(low);
    }

    fn f32_to_i32(&mut self, d: X, a: X, len: Len) {
        let t = self.temp();
        let limit = self.f32(TWO_31);
        self.enc.rm(ops::VCVTTPS2DQ, len, d, a);
        self.enc.rvmi(ops::VCMPPS, len, t, a, limit, GE);
        self.enc.rvm(ops::VPXOR, len, d, d, t);
        self.enc.rvmi(ops::VCMPPS, len, t, a, a, ORDERED);
        self.enc.rvm(ops::VPAND, len, d, d, t);
        self.free(t);
    }

    fn f32_to_u32(&mut self, d: X, a: X, len: Len) {
        let (x, large) = (self.temp(), self.temp());
        let (zero, limit, end) = (self.f32(0.0), self.f32(TWO_31), self.f32(2.0 * TWO_31));
        let sign = self.c32(1 << 31);
        // The second operand for NaN.
        self.enc.rvm(ops::VMAXPS, len, x, a, zero);
        self.enc.rvmi(ops::VCMPPS, len, large, x, limit, GE);
        self.enc.rvm(ops::VANDPS, len, d, large, limit);
        self.enc.rvm(ops::VSUBPS, len, d, x, d);
        self.enc.rm(ops::VCVTTPS2DQ, len, d, d);
        self.enc.rvm(ops::VPAND, len, large, large, sign);
        self.enc.rvm(ops::VPXOR, len, d, d, large);
        self.enc.rvmi(ops::VCMPPS, len, large, x, end, GE);
        self.enc.rvm(ops::VPOR, len, d, d, large);
        self.free(x);
        self.free(large);
    }

    /// The value, 0 for NaN.
    fn no_nan(&mut self, d: X, a: X, ty: Lane) {
        let len = self.len(ty);
        self.enc.rvmi(by_width(ty, ops::VCMPPS, ops::VCMPPD), len, d, a, a, ORDERED);
        self.enc.rvm(ops::VANDPS, len, d, d, a);
    }

    /// `(high | a >> 32) - offset + (low | a % 2^32)` with `high` exclusive.
    fn long_halves(&mut self, d: X, t: X, a: X, low: Mem, high: Mem, offset: Mem) {
        let mask = self.c64(0xffff_ffff);
        self.enc.shift(ops::VPSRLQ, FULL, t, a, 32);
        self.enc.rvm(ops::VPXOR, FULL, t, t, high);
        self.enc.rvm(ops::VSUBPD, FULL, t, t, offset);
        self.enc.rvm(ops::VPAND, FULL, d, a, mask);
        self.enc.rvm(ops::VPOR, FULL, d, d, low);
        self.enc.rvm(ops::VADDPD, FULL, d, d, t);
    }

    /// One lane after the other: through doubles it would be rounded twice.
    fn long_to_f32(&mut self, val: Val, inst: &Inst) -> Result<()> {
        let slots = self.store_operands(&inst.args);
        let (from, to) = (self.lane_of(slots[0], 8), self.lane_of(slots[0], 4));
        let unsigned = self.ty(inst.args[0]) == Lane::U64;
        let t = self.temp();
        self.each_lane(|e| {
            let (large, done) = (e.enc.label(), e.enc.label());
            e.enc.mov(RAX, from);
            e.enc.rvm(ops::VPXOR, HALF, t, t, t);
            if unsigned {
                e.enc.test(RAX, RAX);
                e.enc.jump_if(Cond::Sign, large);
            }
            e.enc.rvm(ops::VCVTSI2SS, HALF, t, t, RAX);
            if unsigned {
                e.enc.jump(done);
                e.enc.bind(large);
                // Half of it, odd when a bit is lost, so that it is rounded as the whole.
                e.enc.mov(RDX, RAX);
                e.enc.alu_imm(Alu::And, RDX, 1);
                e.enc.shr1(RAX);
                e.enc.alu(Alu::Or, RAX, RDX);
                e.enc.rvm(ops::VCVTSI2SS, HALF, t, t, RAX);
                e.enc.rvm(ops::VADDSS, HALF, t, t, t);
                e.enc.bind(done);
            }
            // Lane n of 4 bytes lies in lanes of 8 bytes that were read.
            e.enc.mr(ops::VMOVSS_ST, HALF, to, t);
        });
        self.free(t);
        self.load_result(val, slots[0], &slots);
        Ok(())
    }

    fn float_to_long(&mut self, val: Val, inst: &Inst) -> Result<()> {
        let (from, unsigned) = (self.ty(inst.args[0]), inst.ty == Lane::U64);
        let a = self.reg(inst.args[0]);
        let (x, large) = (self.temp(), self.temp());
        if from == Lane::F32 {
            self.enc.rm(ops::VCVTPS2PD, FULL, x, a);
        } else {
            self.enc.copy(FULL, x, a);
        }
        self.no_nan(large, x, Lane::F64);
        let limit = self.f64(TWO_63);
        if unsigned {
            let (zero, end) = (self.f64(0.0), self.f64(2.0 * TWO_63));
            self.enc.rvm(ops::VMAXPD, FULL, x, large, zero);
            // What is to be or-ed: all bits when too large.
            self.enc.rvmi(ops::VCMPPD, FULL, large, x, end, GE);
            let most = self.alloc.take_slot();
            let mem = self.slot(most);
            self.enc.mr(ops::VMOVAPS_ST, FULL, mem, large);
            self.enc.rvmi(ops::VCMPPD, FULL, large, x, limit, GE);
            let t = self.temp();
            self.enc.rvm(ops::VANDPS, FULL, t, large, limit);
            self.enc.rvm(ops::VSUBPD, FULL, x, x, t);
            let sign = self.c64(1 << 63);
            self.enc.rvm(ops::VANDPS, FULL, large, large, sign);
            self.truncate_lanes(x);
            self.enc.rvm(ops::VPXOR, FULL, x, x, large);
            self.enc.rvm(ops::VPOR, FULL, x, x, mem);
            self.alloc.free_slot(most);
            self.free(t);
        } else {
            self.enc.copy(FULL, x, large);
            self.enc.rvmi(ops::VCMPPD, FULL, large, x, limit, GE);
            self.truncate_lanes(x);
            self.enc.rvm(ops::VPXOR, FULL, x, x, large);
        }
        self.free(large);
        self.attach(val, x);
        Ok(())
    }

    /// Doubles to 64-bit integers, in place; the smallest for all that does not fit.
    fn truncate_lanes(&mut self, x: X) {
        let slot = self.alloc.take_slot();
        let (mem, lane) = (self.slot(slot), self.lane_of(slot, 8));
        self.enc.mr(ops::VMOVAPS_ST, FULL, mem, x);
        self.each_lane(|e| {
            e.enc.truncate_double(RAX, lane);
            e.enc.mov_store(lane, RAX);
        });
        self.enc.rm(ops::VMOVAPS, FULL, x, mem);
        self.alloc.free_slot(slot);
    }
}
