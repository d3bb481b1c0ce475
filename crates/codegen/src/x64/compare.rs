//! Comparisons and masks.
//!
//! A `Pred` is a mask of 32 bits a lane whatever was compared.

use tfjit_plan::kernel::{Compare, Inst, Lane, Val};

use super::arith::{by_width, is64};
use super::emitter::Emitter;
use super::enc::{Len, X};
use super::ops;

/// Predicates of float comparisons, quiet ones.
pub(super) const EQ: u8 = 0;
pub(super) const UNORDERED: u8 = 3;
pub(super) const NE: u8 = 4;
pub(super) const ORDERED: u8 = 7;
pub(super) const LT: u8 = 0x11;
pub(super) const LE: u8 = 0x12;
pub(super) const GE: u8 = 0x1D;
pub(super) const GT: u8 = 0x1E;

impl Emitter<'_> {
    pub(super) fn compare(&mut self, val: Val, inst: &Inst, op: Compare) {
        let ty = self.ty(inst.args[0]);
        if !ty.is_float() {
            return self.compare_integers(val, inst, ty, op);
        }
        let predicate = match op {
            Compare::Eq => EQ,
            Compare::Ne => NE,
            Compare::Lt => LT,
            Compare::Le => LE,
            Compare::Gt => GT,
            Compare::Ge => GE,
        };
        let len = self.len(ty);
        let a = self.reg(inst.args[0]);
        let b = self.rm(inst.args[1]);
        self.release(inst);
        let d = self.def(val);
        self.enc.rvmi(by_width(ty, ops::VCMPPS, ops::VCMPPD), len, d, a, b, predicate);
        if is64(ty) {
            self.masks_to_32(d);
        }
    }

    /// Masks of 64 bits to masks of 32 in the low half.
    pub(super) fn masks_to_32(&mut self, d: X) {
        let t = self.temp();
        self.enc.mri(ops::VEXTRACTI128, Len::L256, t, d, 1);
        self.enc.rvmi(ops::VSHUFPS, Len::L128, d, d, t, 0x88);
        self.free(t);
    }

    fn compare_integers(&mut self, val: Val, inst: &Inst, ty: Lane, op: Compare) {
        let (mut a, mut b) = (self.reg(inst.args[0]), self.reg(inst.args[1]));
        let len = self.len(ty);
        // All are equality or "greater", with exchanged operands or inverted.
        let greater = !matches!(op, Compare::Eq | Compare::Ne);
        let mut invert = matches!(op, Compare::Ne | Compare::Le | Compare::Ge);
        if matches!(op, Compare::Lt | Compare::Ge) {
            std::mem::swap(&mut a, &mut b);
        }
        if ty == Lane::Pred && greater {
            // True is -1 here.
            std::mem::swap(&mut a, &mut b);
        }
        let d = self.def(val);
        if is64(ty) {
            match greater {
                true => self.greater64(d, a, b, ty),
                false => self.enc.rvm(ops::VPCMPEQQ, len, d, a, b),
            }
            self.masks_to_32(d);
        } else if ty == Lane::U32 && greater {
            // a <= b when the smaller is a.
            self.enc.rvm(ops::VPMINUD, len, d, a, b);
            self.enc.rvm(ops::VPCMPEQD, len, d, d, a);
            invert = !invert;
        } else {
            let ins = if greater { ops::VPCMPGTD } else { ops::VPCMPEQD };
            self.enc.rvm(ins, len, d, a, b);
        }
        if invert {
            let ones = self.c32(u32::MAX);
            self.enc.rvm(ops::VPXOR, self.len(Lane::Pred), d, d, ones);
        }
    }
}
