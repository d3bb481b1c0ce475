//! The verifier of loop kernels: scopes, types and memory rules of the module's documentation.
//!
//! Whoever emits or interprets a kernel relies on what it checks. It must not know how.

use tfjit_base::ids::Id;
use tfjit_base::{Error, Result};

use super::{Access, Axis, Binary, Inst, Kernel, Lane, Op, Reduce, StreamId, Unary, Val, When};

impl Kernel {
    /// Whether the kernel means something: see [`super`].
    ///
    /// Beside the rules there: every instruction is in at most one phase; in a `Once` phase over
    /// columns there are no columns, so streams are of row access and [`Op::Column`] does not
    /// occur; an output is loaded only after a store that reached the same element; constants may
    /// have any high bits.
    ///
    /// # Errors
    /// `INTERNAL` with the instruction that breaks a rule: kernels are made by us.
    pub fn verify(&self) -> Result<()> {
        for (id, stream) in self.streams.iter() {
            if Lane::of(stream.dtype).is_none() {
                return Err(self.broken(format!("stream {id} has a type without lanes")));
            }
            if stream.output && stream.access == Access::Row && self.axis == Axis::Rows {
                return Err(self.broken(format!("output {id} over rows has row access")));
            }
        }
        let mut checker = Checker {
            kernel: self,
            defined: vec![None; self.insts.len()],
            stored: vec![Stored::default(); self.streams.len()],
        };
        for (number, phase) in self.phases.iter().enumerate() {
            for &val in &phase.insts {
                let Some(inst) = self.insts.get(val) else {
                    return Err(self.broken(format!("phase {number} has no {val}")));
                };
                checker
                    .inst(val, inst, number, phase.when)
                    .map_err(|why| self.broken(format!("{val} ({inst:?}): {why}")))?;
            }
        }
        Ok(())
    }

    fn broken(&self, message: impl Into<String>) -> Error {
        Error::internal(message).at(format!("kernel {}", self.name))
    }
}

/// Where stores to a stream were seen.
#[derive(Clone, Copy, Default)]
struct Stored {
    each: bool,
    once: bool,
}

struct Checker<'k> {
    kernel: &'k Kernel,
    /// The phase of instructions that were seen.
    defined: Vec<Option<usize>>,
    stored: Vec<Stored>,
}

type Check = Result<(), String>;

fn check(condition: bool, why: &str) -> Check {
    if condition { Ok(()) } else { Err(why.to_owned()) }
}

impl Checker<'_> {
    fn inst(&mut self, val: Val, inst: &Inst, phase: usize, when: When) -> Check {
        for &arg in &inst.args {
            self.scope(arg, phase)?;
        }
        let arity = match inst.op {
            Op::Const(_) | Op::Load(_) | Op::Column => 0,
            Op::Store(_) | Op::Unary(_) | Op::Convert | Op::Bitcast | Op::Reduce(_) => 1,
            Op::Binary(_) | Op::Compare(_) => 2,
            Op::Fma | Op::Select => 3,
        };
        check(inst.args.len() == arity, "wrong number of operands")?;
        match inst.op {
            Op::Load(s) => self.load(s, inst, when)?,
            Op::Store(s) => self.store(s, inst, when)?,
            Op::Column => {
                check(inst.ty == Lane::I32, "a column is i32")?;
                check(!self.no_columns(when), "a value of a row has no column")?;
            }
            Op::Reduce(r) => {
                check(when == When::Each, "a reduction outside of an each phase")?;
                self.same(inst, 0..1)?;
                check(reduces(r, inst.ty), "a reduction of this type")?;
            }
            Op::Const(_) => {}
            _ => self.pure(inst)?,
        }
        let slot = &mut self.defined[val.index()];
        check(slot.is_none(), "in more than one place")?;
        *slot = Some(phase);
        Ok(())
    }

    fn scope(&self, arg: Val, phase: usize) -> Check {
        let defined = self.defined.get(arg.index()).copied().flatten();
        let Some(at) = defined else {
            return Err(format!("{arg} is used before it is defined"));
        };
        let op = self.kernel.insts[arg].op;
        check(!matches!(op, Op::Store(_)), "a store has no value")?;
        let reduced = matches!(op, Op::Reduce(_));
        let once = self.kernel.phases[at].when == When::Once;
        check(once || reduced == (at != phase), "a value outside of its scope")
    }

    /// Whether a phase runs once for all columns of a row.
    fn no_columns(&self, when: When) -> bool {
        when == When::Once && self.kernel.axis == Axis::Columns
    }

    fn load(&self, s: StreamId, inst: &Inst, when: When) -> Check {
        let Some(stream) = self.kernel.streams.get(s) else {
            return Err(format!("no stream {s}"));
        };
        check(Lane::of(stream.dtype) == Some(inst.ty), "a load of another type")?;
        let row = stream.access == Access::Row;
        check(row || !self.no_columns(when), "a value of a row is loaded with row access")?;
        if stream.output {
            let stored = self.stored[s.index()];
            // Over rows, a store of an `Each` phase reached the elements of all rows, and a `Once`
            // phase has no row.
            let reached = match (self.kernel.axis, when) {
                (Axis::Rows, When::Once) => stored.once,
                _ => stored.each || stored.once,
            };
            check(reached, "a load of an output before it is stored")?;
        }
        Ok(())
    }

    fn store(&mut self, s: StreamId, inst: &Inst, when: When) -> Check {
        let Some(stream) = self.kernel.streams.get(s) else {
            return Err(format!("no stream {s}"));
        };
        check(stream.output, "a store to an input")?;
        check(Lane::of(stream.dtype) == Some(inst.ty), "a store of another type")?;
        self.same(inst, 0..1)?;
        let row = stream.access == Access::Row;
        match (self.kernel.axis, when) {
            (Axis::Columns, When::Once) => check(row, "a value of a row is stored with row access"),
            (Axis::Columns, When::Each) => check(!row, "a row access output in an each phase"),
            (Axis::Rows, When::Once) => {
                check(stream.access == Access::Unit, "an output of a block has unit access")
            }
            (Axis::Rows, When::Each) => Ok(()),
        }?;
        let stored = &mut self.stored[s.index()];
        match when {
            When::Each => stored.each = true,
            When::Once => stored.once = true,
        }
        Ok(())
    }

    /// Whether operands in a range have the type of the result.
    fn same(&self, inst: &Inst, range: std::ops::Range<usize>) -> Check {
        let same = inst.args[range].iter().all(|&a| self.kernel.insts[a].ty == inst.ty);
        check(same, "operand and result differ in type")
    }

    /// What depends on operands alone.
    fn pure(&self, inst: &Inst) -> Check {
        let ty = inst.ty;
        let arg = |i: usize| self.kernel.insts[inst.args[i]].ty;
        match inst.op {
            Op::Unary(u) => {
                self.same(inst, 0..1)?;
                check(unary_takes(u, ty), "an operation of this type")
            }
            Op::Binary(b) => {
                self.same(inst, 0..2)?;
                check(binary_takes(b, ty), "an operation of this type")
            }
            Op::Compare(_) => {
                check(ty == Lane::Pred, "a comparison is pred")?;
                check(arg(0) == arg(1), "a comparison of different types")
            }
            Op::Fma => {
                self.same(inst, 0..3)?;
                check(ty.is_float(), "fma is of floats")
            }
            Op::Select => {
                check(arg(0) == Lane::Pred, "a choice by a pred")?;
                self.same(inst, 1..3)
            }
            Op::Bitcast => {
                let pred = (arg(0) == Lane::Pred, ty == Lane::Pred);
                check(pred.0 == pred.1, "pred has no bits")?;
                check(arg(0).bytes() == ty.bytes(), "a bitcast of another width")
            }
            _ => Ok(()),
        }
    }
}

fn reduces(reduce: Reduce, ty: Lane) -> bool {
    match reduce {
        Reduce::And | Reduce::Or => !ty.is_float(),
        _ => ty != Lane::Pred,
    }
}

fn unary_takes(unary: Unary, ty: Lane) -> bool {
    match unary {
        Unary::Neg | Unary::Abs | Unary::Sign => ty != Lane::Pred,
        Unary::Not => !ty.is_float(),
        Unary::Narrow(dtype) => {
            ty != Lane::Pred && Lane::of(dtype) == Some(ty) && dtype.size() < ty.bytes()
        }
        _ => ty.is_float(),
    }
}

fn binary_takes(binary: Binary, ty: Lane) -> bool {
    use Binary as B;
    match binary {
        B::Add | B::Sub | B::Mul | B::Div | B::Rem | B::Min | B::Max => ty != Lane::Pred,
        B::MinFast | B::MaxFast | B::Atan2 => ty.is_float(),
        B::Pow => ty != Lane::Pred,
        B::And | B::Or | B::Xor => !ty.is_float(),
        B::Shl | B::ShrArithmetic | B::ShrLogical => !ty.is_float() && ty != Lane::Pred,
    }
}
