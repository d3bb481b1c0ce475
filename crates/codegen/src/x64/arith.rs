//! Arithmetic: unary and binary operations, choices.

use tfjit_base::{DType, Result};
use tfjit_plan::kernel::{Binary, Inst, Lane, Op, Unary, Val};

use super::compare::UNORDERED;
use super::emitter::Emitter;
use super::enc::{Len, Mem, Rm, X};
use super::ops::{self, Ins};

/// Rounding toward the named direction, without the inexact exception.
const ROUND_EVEN: u8 = 8;
const ROUND_DOWN: u8 = 9;
const ROUND_UP: u8 = 10;
pub(super) const ROUND_ZERO: u8 = 11;

pub(super) fn is64(ty: Lane) -> bool {
    ty.bytes() == 8
}

/// The instruction for 32 or for 64 bits.
pub(super) fn by_width(ty: Lane, narrow: &'static Ins, wide: &'static Ins) -> &'static Ins {
    if is64(ty) { wide } else { narrow }
}

impl Emitter<'_> {
    pub(super) fn inst(&mut self, val: Val) -> Result<()> {
        let inst = self.program.inst(val);
        self.hold(inst);
        match inst.op {
            Op::Const(_) => {}
            Op::Load(s) => self.load(val, s)?,
            Op::Store(s) => self.store(s, inst.args[0])?,
            Op::Column => self.column_numbers(val),
            Op::Unary(op) => self.unary(val, inst, op)?,
            Op::Binary(op) => self.binary(val, inst, op)?,
            Op::Compare(op) => self.compare(val, inst, op),
            Op::Fma => self.fma(val, inst),
            Op::Select => self.select(val, inst),
            Op::Convert => self.convert(val, inst)?,
            Op::Bitcast => {
                let d = self.own(inst.args[0]);
                self.attach(val, d);
            }
            Op::Reduce(op) => self.accumulate(val, inst, op),
        }
        self.end(inst);
        Ok(())
    }

    /// How many registers an instruction needs beside its operands and result.
    pub(super) fn extra(&self, inst: &Inst) -> usize {
        match inst.op {
            Op::Unary(Unary::Narrow(DType::BF16)) => 3,
            Op::Unary(_) => 1,
            Op::Binary(Binary::Min | Binary::Max) if inst.ty.is_float() => 2,
            Op::Binary(Binary::Div | Binary::Rem) if !inst.ty.is_float() => 4,
            Op::Binary(Binary::Mul) if is64(inst.ty) && !inst.ty.is_float() => 2,
            Op::Binary(_) if is64(inst.ty) && !inst.ty.is_float() => 2,
            Op::Compare(_) if self.program.wide => 2,
            Op::Select if is64(inst.ty) => 1,
            Op::Convert => 3,
            Op::Store(s) => {
                let dtype = self.program.kernel.streams[s].dtype;
                if dtype.size() >= 4 { 1 } else { 3 }
            }
            Op::Reduce(_) => 2,
            _ => 0,
        }
    }

    /// `d = a OP b` as one instruction; operands may be exchanged when it does not matter.
    fn simple(&mut self, val: Val, inst: &Inst, ins: &Ins, commutes: bool) {
        let (mut a, mut b) = (inst.args[0], inst.args[1]);
        if commutes && !self.in_register(a) && self.in_register(b) {
            std::mem::swap(&mut a, &mut b);
        }
        let len = self.len(inst.ty);
        let a = self.reg(a);
        let b = self.rm(b);
        self.release(inst);
        let d = self.def(val);
        self.enc.rvm(ins, len, d, a, b);
    }

    /// `d = OP a` with a constant.
    fn with_constant(&mut self, val: Val, inst: &Inst, ins: &Ins, constant: Mem) {
        let len = self.len(inst.ty);
        let a = self.reg(inst.args[0]);
        self.release(inst);
        let d = self.def(val);
        self.enc.rvm(ins, len, d, a, constant);
    }

    fn unary(&mut self, val: Val, inst: &Inst, op: Unary) -> Result<()> {
        let ty = inst.ty;
        let arg = inst.args[0];
        let len = self.len(ty);
        match op {
            Unary::Neg if ty.is_float() => {
                let sign = self.sign(ty);
                self.with_constant(val, inst, ops::VXORPS, sign);
            }
            Unary::Neg if is64(ty) => {
                let a = self.rm(arg);
                let d = self.def(val);
                self.enc.rvm(ops::VPXOR, Len::L128, d, d, d);
                self.enc.rvm(ops::VPSUBQ, len, d, d, a);
            }
            Unary::Neg => {
                let ones = self.c32(u32::MAX);
                self.with_constant(val, inst, ops::VPSIGND, ones);
            }
            Unary::Abs if ty.is_float() => {
                let rest = if is64(ty) { self.c64(!(1 << 63)) } else { self.c32(!(1 << 31)) };
                self.with_constant(val, inst, ops::VANDPS, rest);
            }
            Unary::Abs if ty == Lane::I32 => self.direct(val, inst, ops::VPABSD),
            Unary::Abs if ty == Lane::I64 => {
                let a = self.reg(arg);
                let (d, sign) = (self.def(val), self.zero());
                self.enc.rvm(ops::VPCMPGTQ, len, sign, sign, a);
                self.enc.rvm(ops::VPXOR, len, d, a, sign);
                self.enc.rvm(ops::VPSUBQ, len, d, d, sign);
            }
            Unary::Abs => {
                let d = self.own(arg);
                self.attach(val, d);
            }
            Unary::Not => {
                let ones = self.c32(u32::MAX);
                self.with_constant(val, inst, ops::VPXOR, ones);
            }
            Unary::Sqrt => self.direct(val, inst, by_width(ty, ops::VSQRTPS, ops::VSQRTPD)),
            Unary::Floor => self.round(val, inst, ROUND_DOWN),
            Unary::Ceil => self.round(val, inst, ROUND_UP),
            Unary::Trunc => self.round(val, inst, ROUND_ZERO),
            Unary::RoundEven => self.round(val, inst, ROUND_EVEN),
            Unary::Narrow(dtype) => return self.narrow(val, inst, dtype),
            _ => return Err(self.unsupported(format!("operation {op} is not expanded"))),
        }
        Ok(())
    }

    /// `d = OP a` as one instruction.
    fn direct(&mut self, val: Val, inst: &Inst, ins: &Ins) {
        let len = self.len(inst.ty);
        let a = self.rm(inst.args[0]);
        self.release(inst);
        let d = self.def(val);
        self.enc.rm(ins, len, d, a);
    }

    fn round(&mut self, val: Val, inst: &Inst, mode: u8) {
        let ins = by_width(inst.ty, ops::VROUNDPS, ops::VROUNDPD);
        let len = self.len(inst.ty);
        let a = self.rm(inst.args[0]);
        self.release(inst);
        let d = self.def(val);
        self.enc.rmi(ins, len, d, a, mode);
    }

    fn narrow(&mut self, val: Val, inst: &Inst, dtype: DType) -> Result<()> {
        let len = self.len(inst.ty);
        if is64(inst.ty) {
            return Err(self.unsupported(format!("narrowing {} to {dtype:?}", inst.ty)));
        }
        let a = self.reg(inst.args[0]);
        match dtype {
            DType::BF16 => {
                let t = self.round_bf16(a);
                let high = self.c32(0xffff_0000);
                self.enc.rvm(ops::VPAND, len, t, t, high);
                self.attach(val, t);
            }
            DType::F16 => {
                let d = self.def(val);
                self.enc.mri(ops::VCVTPS2PH, len, d, a, 0);
                self.enc.rm(ops::VCVTPH2PS, len, d, d);
            }
            DType::I8 | DType::I16 => {
                let bits = 32 - 8 * dtype.size() as u8;
                let d = self.def(val);
                self.enc.shift(ops::VPSLLD, len, d, a, bits);
                self.enc.shift(ops::VPSRAD, len, d, d, bits);
            }
            DType::U8 | DType::U16 => {
                let mask = self.c32(if dtype == DType::U8 { 0xff } else { 0xffff });
                let d = self.def(val);
                self.enc.rvm(ops::VPAND, len, d, a, mask);
            }
            _ => return Err(self.unsupported(format!("narrowing {} to {dtype:?}", inst.ty))),
        }
        Ok(())
    }

    fn binary(&mut self, val: Val, inst: &Inst, op: Binary) -> Result<()> {
        use Binary as B;
        let ty = inst.ty;
        let (float, wide) = (ty.is_float(), is64(ty));
        let (ins, commutes) = match op {
            B::Add if float => (by_width(ty, ops::VADDPS, ops::VADDPD), true),
            B::Sub if float => (by_width(ty, ops::VSUBPS, ops::VSUBPD), false),
            B::Mul if float => (by_width(ty, ops::VMULPS, ops::VMULPD), true),
            B::Div if float => (by_width(ty, ops::VDIVPS, ops::VDIVPD), false),
            B::MinFast => (by_width(ty, ops::VMINPS, ops::VMINPD), false),
            B::MaxFast => (by_width(ty, ops::VMAXPS, ops::VMAXPD), false),
            B::Add => (by_width(ty, ops::VPADDD, ops::VPADDQ), true),
            B::Sub => (by_width(ty, ops::VPSUBD, ops::VPSUBQ), false),
            B::Mul if !wide => (ops::VPMULLD, true),
            B::Min if ty == Lane::I32 => (ops::VPMINSD, true),
            B::Max if ty == Lane::I32 => (ops::VPMAXSD, true),
            B::Min if ty == Lane::U32 => (ops::VPMINUD, true),
            B::Max if ty == Lane::U32 => (ops::VPMAXUD, true),
            B::And => (ops::VPAND, true),
            B::Or => (ops::VPOR, true),
            B::Xor => (ops::VPXOR, true),
            B::Shl => (by_width(ty, ops::VPSLLVD, ops::VPSLLVQ), false),
            B::ShrLogical => (by_width(ty, ops::VPSRLVD, ops::VPSRLVQ), false),
            B::ShrArithmetic if !wide => (ops::VPSRAVD, false),
            B::Div if wide => return self.divide64(val, inst, true),
            B::Rem if wide && !float => return self.divide64(val, inst, false),
            B::Div => return self.divide32(val, inst, true),
            B::Rem if float => return self.float_remainder(val, inst),
            B::Rem => return self.divide32(val, inst, false),
            B::Mul | B::Min | B::Max | B::ShrArithmetic => {
                let (a, b) = (self.reg(inst.args[0]), self.reg(inst.args[1]));
                let d = self.def(val);
                match op {
                    B::Mul => self.multiply64(d, a, b),
                    B::ShrArithmetic => self.shift_arithmetic64(d, a, b),
                    _ => self.min_max(d, a, b, ty, op == B::Max),
                }
                return Ok(());
            }
            B::Pow | B::Atan2 => {
                return Err(self.unsupported(format!("operation {op} is not expanded")));
            }
        };
        if let Some(imm) = self.constant_shift(inst, op) {
            let a = self.reg(inst.args[0]);
            self.release(inst);
            let d = self.def(val);
            let len = self.len(ty);
            let ins = match op {
                B::Shl => by_width(ty, ops::VPSLLD, ops::VPSLLQ),
                B::ShrLogical => by_width(ty, ops::VPSRLD, ops::VPSRLQ),
                _ => ops::VPSRAD,
            };
            self.enc.shift(ins, len, d, a, imm);
            return Ok(());
        }
        self.simple(val, inst, ins, commutes);
        Ok(())
    }

    /// The distance of a shift when it is a constant; shifts by more than the width are by 255.
    fn constant_shift(&self, inst: &Inst, op: Binary) -> Option<u8> {
        if !matches!(op, Binary::Shl | Binary::ShrLogical | Binary::ShrArithmetic) {
            return None;
        }
        let Op::Const(bits) = self.program.inst(inst.args[1]).op else { return None };
        let bits = if is64(inst.ty) { bits } else { bits & 0xffff_ffff };
        Some(bits.min(255) as u8)
    }

    /// Minimum or maximum that is NaN when an operand is, of floats, or of 64-bit integers.
    /// `d` may be `a`.
    pub(super) fn min_max(&mut self, d: X, a: X, b: X, ty: Lane, max: bool) {
        let len = self.len(ty);
        if !ty.is_float() {
            return self.min_max64(d, a, b, ty, max);
        }
        // The processor's minimum is its second operand for zeros of either sign and for NaN, so
        // both orders together have the sign bit and NaN; the maximum's zero is the common bits.
        let t = self.temp();
        if max {
            let nan = self.temp();
            let ins = by_width(ty, ops::VMAXPS, ops::VMAXPD);
            let compare = by_width(ty, ops::VCMPPS, ops::VCMPPD);
            self.enc.rvmi(compare, len, nan, a, b, UNORDERED);
            self.enc.rvm(ins, len, t, b, a);
            self.enc.rvm(ins, len, d, a, b);
            self.enc.rvm(ops::VANDPS, len, d, d, t);
            self.enc.rvm(ops::VORPS, len, d, d, nan);
            self.free(nan);
        } else {
            let ins = by_width(ty, ops::VMINPS, ops::VMINPD);
            self.enc.rvm(ins, len, t, b, a);
            self.enc.rvm(ins, len, d, a, b);
            self.enc.rvm(ops::VORPS, len, d, d, t);
        }
        self.free(t);
    }

    fn min_max64(&mut self, d: X, a: X, b: X, ty: Lane, max: bool) {
        let greater = self.temp();
        self.greater64(greater, a, b, ty);
        let (yes, no) = if max { (a, b) } else { (b, a) };
        self.enc.rvmr(ops::VBLENDVPD, Len::L256, d, no, yes, greater);
        self.free(greater);
    }

    /// `d = a > b` as 64-bit masks; `d` is none of the others.
    pub(super) fn greater64(&mut self, d: X, a: X, b: X, ty: Lane) {
        if ty != Lane::U64 {
            return self.enc.rvm(ops::VPCMPGTQ, Len::L256, d, a, b);
        }
        let sign = self.c64(1 << 63);
        let t = self.temp();
        self.enc.rvm(ops::VPXOR, Len::L256, d, a, sign);
        self.enc.rvm(ops::VPXOR, Len::L256, t, b, sign);
        self.enc.rvm(ops::VPCMPGTQ, Len::L256, d, d, t);
        self.free(t);
    }

    /// Products of the low halves and, shifted, of the mixed ones.
    pub(super) fn multiply64(&mut self, d: X, a: X, b: X) {
        let (t, u) = (self.temp(), self.temp());
        let len = Len::L256;
        self.enc.shift(ops::VPSRLQ, len, t, a, 32);
        self.enc.rvm(ops::VPMULUDQ, len, t, t, b);
        self.enc.shift(ops::VPSRLQ, len, u, b, 32);
        self.enc.rvm(ops::VPMULUDQ, len, u, u, a);
        self.enc.rvm(ops::VPADDQ, len, t, t, u);
        self.enc.shift(ops::VPSLLQ, len, t, t, 32);
        self.enc.rvm(ops::VPMULUDQ, len, d, a, b);
        self.enc.rvm(ops::VPADDQ, len, d, d, t);
        self.free(t);
        self.free(u);
    }

    /// A logical shift of the complement when negative.
    fn shift_arithmetic64(&mut self, d: X, a: X, b: X) {
        let sign = self.zero();
        let len = Len::L256;
        self.enc.rvm(ops::VPCMPGTQ, len, sign, sign, a);
        self.enc.rvm(ops::VPXOR, len, d, a, sign);
        self.enc.rvm(ops::VPSRLVQ, len, d, d, b);
        self.enc.rvm(ops::VPXOR, len, d, d, sign);
    }

    fn select(&mut self, val: Val, inst: &Inst) {
        let (ty, len) = (inst.ty, self.len(inst.ty));
        let mut mask = self.reg(inst.args[0]);
        let no = self.reg(inst.args[2]);
        if is64(ty) {
            let t = self.temp();
            self.enc.rm(ops::VPMOVSXDQ, Len::L256, t, mask);
            mask = t;
        }
        let yes = self.rm(inst.args[1]);
        self.release(inst);
        let d = self.def(val);
        self.enc.rvmr(by_width(ty, ops::VBLENDVPS, ops::VBLENDVPD), len, d, no, yes, mask);
    }

    fn fma(&mut self, val: Val, inst: &Inst) {
        let [a, b, c] = [inst.args[0], inst.args[1], inst.args[2]];
        let (ty, len) = (inst.ty, self.len(inst.ty));
        let f132 = by_width(ty, ops::VFMADD132PS, ops::VFMADD132PD);
        let f213 = by_width(ty, ops::VFMADD213PS, ops::VFMADD213PD);
        let f231 = by_width(ty, ops::VFMADD231PS, ops::VFMADD231PD);
        // A factor in a register first.
        let (a, b) = if self.in_register(a) { (a, b) } else { (b, a) };
        let overwritable = |e: &Self, v: Val| {
            let register = e.alloc.register(e.key(v));
            e.dies(v) && register.is_some_and(|r| !e.alloc.is_pinned(r))
        };
        let (fa, fb) =
            if overwritable(self, a) || !overwritable(self, b) { (a, b) } else { (b, a) };
        if !overwritable(self, c) && overwritable(self, fa) {
            // d = fa * fb + c in the place of fa.
            let first = self.reg(fa);
            let other = self.rm(fb);
            match other {
                Rm::X(other) => {
                    let addend = self.rm(c);
                    self.take(fa);
                    self.enc.rvm(f213, len, first, other, addend);
                }
                _ => {
                    let addend = self.reg(c);
                    self.take(fa);
                    self.enc.rvm(f132, len, first, addend, other);
                }
            }
            return self.attach(val, first);
        }
        let first = self.reg(a);
        let other = self.rm(b);
        let d = self.own(c);
        self.attach(val, d);
        self.enc.rvm(f231, len, d, first, other);
    }
}
