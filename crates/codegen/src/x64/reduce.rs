//! Reductions: partial sums in registers or on the stack, and what becomes of them.
//!
//! Floats are combined to the largest value as the smallest of the negatives, which takes one
//! instruction less.

use tfjit_plan::kernel::{Inst, Lane, PARTIALS, Reduce, Val};

use super::arith::{by_width, is64};
use super::emitter::Emitter;
use super::enc::{Len, Rm, X};
use super::ops::{self, Ins};
use crate::alloc::{Home, Key};

/// How values are combined, and whether it is done to their negatives.
fn core(op: Reduce, ty: Lane) -> (Reduce, bool) {
    if op == Reduce::Max && ty.is_float() { (Reduce::Min, true) } else { (op, false) }
}

/// Bits of the value that changes nothing.
fn identity(op: Reduce, ty: Lane) -> u64 {
    let bits = 8 * ty.bytes();
    let all = u64::MAX >> (64 - bits);
    match (op, ty) {
        (Reduce::Sum | Reduce::Or, _) => 0,
        (Reduce::And, _) => all,
        (Reduce::Product, Lane::F32) => 1f32.to_bits().into(),
        (Reduce::Product, Lane::F64) => 1f64.to_bits(),
        (Reduce::Product, _) => 1,
        (Reduce::Min, Lane::F32) => f32::INFINITY.to_bits().into(),
        (Reduce::Max, Lane::F32) => f32::NEG_INFINITY.to_bits().into(),
        (Reduce::Min, Lane::F64) => f64::INFINITY.to_bits(),
        (Reduce::Max, Lane::F64) => f64::NEG_INFINITY.to_bits(),
        (Reduce::Min, Lane::I32 | Lane::I64) => all >> 1,
        (Reduce::Max, Lane::I32 | Lane::I64) => (all >> 1) + 1,
        (Reduce::Min, _) => all,
        (Reduce::Max, _) => 0,
    }
}

/// The one instruction that combines, where there is one.
fn single(op: Reduce, ty: Lane) -> Option<&'static Ins> {
    Some(match (op, ty) {
        (Reduce::And, _) => ops::VPAND,
        (Reduce::Or, _) => ops::VPOR,
        (Reduce::Sum, Lane::F32) => ops::VADDPS,
        (Reduce::Sum, Lane::F64) => ops::VADDPD,
        (Reduce::Sum, _) => by_width(ty, ops::VPADDD, ops::VPADDQ),
        (Reduce::Product, Lane::F32) => ops::VMULPS,
        (Reduce::Product, Lane::F64) => ops::VMULPD,
        (Reduce::Product, Lane::I32 | Lane::U32) => ops::VPMULLD,
        (Reduce::Min, Lane::I32) => ops::VPMINSD,
        (Reduce::Max, Lane::I32) => ops::VPMAXSD,
        (Reduce::Min, Lane::U32) => ops::VPMINUD,
        (Reduce::Max, Lane::U32) => ops::VPMAXUD,
        _ => return None,
    })
}

impl Emitter<'_> {
    /// `d = a OP b`; `d` may be `a`.
    fn combine(&mut self, op: Reduce, ty: Lane, d: X, a: X, b: Rm) {
        let len = self.len(ty);
        if let Some(ins) = single(op, ty) {
            return self.enc.rvm(ins, len, d, a, b);
        }
        let (b, loaded) = match b {
            Rm::X(b) => (b, None),
            other => {
                let t = self.temp();
                self.enc.rm(ops::VMOVUPS, len, t, other);
                (t, Some(t))
            }
        };
        match op {
            Reduce::Product => self.multiply64(d, a, b),
            _ => self.min_max(d, a, b, ty, op == Reduce::Max),
        }
        if let Some(t) = loaded {
            self.free(t);
        }
    }

    /// How many partial sums a reduction has in registers or slots.
    fn partial_count(&self) -> usize {
        PARTIALS / self.lanes
    }

    /// The key of the partial sum that the copy at hand adds to.
    fn partial(&self, val: Val) -> Key {
        if self.is_rows() {
            return self.key(val);
        }
        let found = self.partials.iter().find(|(v, _)| *v == val);
        found.map_or(0, |(_, first)| first + self.copy as Key)
    }

    /// Begins reductions of a loop of `copies` vectors. The first of them get registers, which are
    /// pinned.
    pub(super) fn begin_partials(&mut self, reductions: &[Val], copies: usize) {
        let rows = self.is_rows();
        let count = if rows { copies } else { self.partial_count() };
        let mut registers = 8usize;
        for &val in reductions {
            let inst = self.program.inst(val);
            let tfjit_plan::kernel::Op::Reduce(op) = inst.op else { continue };
            if !rows && !self.partials.iter().any(|(v, _)| *v == val) {
                let first = self.add_partials(count);
                self.partials.push((val, first));
            }
            let (core, negated) = core(op, inst.ty);
            let bits = if negated { identity(Reduce::Min, inst.ty) } else { identity(op, inst.ty) };
            debug_assert!(negated || core == op);
            let fits = registers >= count;
            registers -= if fits { count } else { 0 };
            for copy in 0..count {
                self.copy = copy;
                let key = self.partial(val);
                let x = self.temp();
                self.load_bits(x, inst.ty, bits);
                self.alloc.set_home(key, Home::Nowhere);
                self.alloc.attach(key, x.0, true);
                if fits {
                    self.alloc.pin(x.0);
                } else {
                    self.spill(key);
                    self.alloc.drop_register(key);
                }
                self.alloc.end();
            }
        }
        self.copy = 0;
    }

    fn load_bits(&mut self, x: X, ty: Lane, bits: u64) {
        let len = self.len(ty);
        if bits == 0 {
            return self.enc.rvm(ops::VPXOR, Len::L128, x, x, x);
        }
        let mem = self.constant(ty, bits);
        self.enc.rm(ops::VMOVAPS, len, x, mem);
    }

    /// Combines the operand of a reduction with the partial sum of the copy at hand.
    pub(super) fn accumulate(&mut self, val: Val, inst: &Inst, op: Reduce) {
        let (ty, len) = (inst.ty, self.len(inst.ty));
        let (core, negated) = core(op, ty);
        let key = self.partial(val);
        let arg = if negated {
            let (a, sign) = (self.reg(inst.args[0]), self.sign(ty));
            let t = self.temp();
            self.enc.rvm(ops::VXORPS, len, t, a, sign);
            Rm::X(t)
        } else {
            self.rm(inst.args[0])
        };
        let held = self.alloc.register(key).map(X);
        let x = match held {
            Some(x) => x,
            None => {
                let t = self.temp();
                if let Some(mem) = self.home_of(key) {
                    self.enc.rm(ops::VMOVAPS, len, t, mem);
                }
                t
            }
        };
        if self.tail && !self.is_rows() {
            let mask = self.reg_of(self.masks[usize::from(is64(ty))]);
            let t = self.temp();
            self.combine(core, ty, t, x, arg);
            let blend = by_width(ty, ops::VBLENDVPS, ops::VBLENDVPD);
            self.enc.rvmr(blend, len, x, x, t, mask);
        } else {
            self.combine(core, ty, x, x, arg);
        }
        if let (None, Some(mem)) = (held, self.home_of(key)) {
            self.enc.mr(ops::VMOVAPS_ST, len, mem, x);
        }
    }

    /// After one vector of columns: the sum that was first becomes the last. The order in which
    /// they are added at the end does not depend on which is first.
    pub(super) fn rotate_partials(&mut self, reductions: &[Val]) {
        let count = self.partial_count();
        for &val in reductions {
            let len = self.len(self.ty(val));
            self.copy = 0;
            let first = self.partial(val);
            let t = self.temp();
            let wheres: Vec<Rm> = (0..count)
                .map(|i| {
                    let key = first + i as Key;
                    match (self.alloc.register(key), self.home_of(key)) {
                        (None, Some(mem)) => Rm::M(mem),
                        (r, _) => Rm::X(X(r.unwrap_or(0))),
                    }
                })
                .collect();
            self.enc.rm(ops::VMOVAPS, len, t, wheres[0]);
            for pair in wheres.windows(2) {
                match (pair[0], pair[1]) {
                    (Rm::X(to), from) => self.enc.rm(ops::VMOVAPS, len, to, from),
                    (to, from) => {
                        let u = self.temp();
                        self.enc.rm(ops::VMOVAPS, len, u, from);
                        self.enc.mr(ops::VMOVAPS_ST, len, to, u);
                        self.free(u);
                    }
                }
            }
            match wheres[count - 1] {
                Rm::X(last) => self.enc.copy(len, last, t),
                last => self.enc.mr(ops::VMOVAPS_ST, len, last, t),
            }
            self.alloc.end();
        }
    }

    /// The results of reductions after their loop, when nothing is pinned any more.
    pub(super) fn finish_partials(&mut self, reductions: &[Val]) {
        for &val in reductions {
            let inst = self.program.inst(val);
            let tfjit_plan::kernel::Op::Reduce(op) = inst.op else { continue };
            let negated = core(op, inst.ty).1;
            if self.is_rows() {
                for key in self.keys_of(val).filter(|_| negated) {
                    if self.alloc.register(key).is_none() && self.home_of(key).is_none() {
                        continue;
                    }
                    let (x, sign) = (self.reg_of(key), self.sign(inst.ty));
                    let len = self.len(inst.ty);
                    self.enc.rvm(ops::VXORPS, len, x, x, sign);
                    self.alloc.attach(key, x.0, true);
                    self.alloc.end();
                }
            } else {
                self.add_up(val, inst, op);
            }
        }
    }

    /// Adds the partial sums of a reduction over columns, in the order that the IR documents.
    fn add_up(&mut self, val: Val, inst: &Inst, op: Reduce) {
        let (ty, len) = (inst.ty, self.len(inst.ty));
        let (core, negated) = core(op, ty);
        self.copy = 0;
        let first = self.partial(val);
        let mut count = self.partial_count();
        let sums: Vec<X> = (0..count).map(|i| self.reg_of(first + i as Key)).collect();
        while count > 1 {
            count /= 2;
            for i in 0..count {
                self.combine(core, ty, sums[i], sums[i], Rm::X(sums[i + count]));
            }
        }
        let (x, t) = (sums[0], self.temp());
        if len == Len::L256 {
            self.enc.mri(ops::VEXTRACTI128, len, t, x, 1);
            self.combine(core, ty, x, x, Rm::X(t));
        }
        self.enc.rmi(ops::VPSHUFD, Len::L128, t, x, 0x4E);
        self.combine(core, ty, x, x, Rm::X(t));
        if !is64(ty) {
            self.enc.rmi(ops::VPSHUFD, Len::L128, t, x, 0xB1);
            self.combine(core, ty, x, x, Rm::X(t));
        }
        if negated {
            let sign = self.sign(ty);
            self.enc.rvm(ops::VXORPS, len, x, x, sign);
        }
        self.enc.rm(by_width(ty, ops::VBROADCASTSS, ops::VBROADCASTSD), len, x, x);
        self.alloc.detach(first);
        let keys = first..first + self.partial_count() as Key;
        self.finish_keys(keys);
        self.attach(val, x);
        self.alloc.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_the_ends_of_their_types() {
        assert_eq!(identity(Reduce::Max, Lane::I32), 0x8000_0000);
        assert_eq!(identity(Reduce::Min, Lane::I64), i64::MAX.cast_unsigned());
        assert_eq!(identity(Reduce::Min, Lane::U32), 0xffff_ffff);
        assert_eq!(identity(Reduce::Max, Lane::F64), f64::NEG_INFINITY.to_bits());
        assert_eq!(identity(Reduce::And, Lane::Pred) & 1, 1);
    }
}
