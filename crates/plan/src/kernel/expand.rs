//! Rewrites the functions that processors lack into those that they have.
//!
//! The expanded kernel uses arithmetic, comparisons, selections and bit operations only, so that
//! whoever runs kernels needs no mathematics. It knows formulas, and nothing of processors.
//!
//! # Accuracy
//!
//! `F32` functions stay within two units in the last place of the exact value wherever it is a
//! normal number, over the whole range of arguments, and are right at zeros, infinities and NaN.
//! Subnormal arguments and results may count as zero. Coefficients are minimax fits of our own
//! (Remez exchange in 200-bit arithmetic); what follows a published formula says so at its place.
//! Functions that programs use in bulk run in `F32` lanes; rare ones borrow the precision of `F64`
//! lanes, which costs twice the instructions and saves all tricks.

mod clean;
mod emit;
mod exponential;
mod simple;
mod trigonometric;
mod wide;

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result};

use self::emit::Emit;
use super::{Binary, Kernel, Lane, Op, Unary, Val};

impl Op {
    /// Whether a kernel may hold the operation with a result of type `lane`: it is a primitive, or
    /// [`Kernel::expand`] knows it. Whether operands fit is the verifier's business.
    pub fn can_expand(self, lane: Lane) -> bool {
        match self {
            Op::Unary(unary) => match lane {
                Lane::F32 => true,
                Lane::F64 => simple::is_primitive(unary) || in_f64(unary),
                _ => simple::is_primitive(unary) || unary == Unary::Sign,
            },
            Op::Binary(Binary::Pow | Binary::Atan2) => lane == Lane::F32,
            _ => true,
        }
    }
}

/// The functions of `F64` that are expanded.
fn in_f64(unary: Unary) -> bool {
    use Unary::*;
    matches!(unary, RoundAfz | Sign | Rsqrt | Exp | Expm1 | Log | Log1p | Logistic | Tanh)
}

impl Kernel {
    /// The same kernel in primitive operations, without instructions that nothing uses and without
    /// instructions that repeat another of their phase.
    ///
    /// # Errors
    /// UNIMPLEMENTED when [`Op::can_expand`] is false of an instruction; INTERNAL when an operand
    /// is not defined before it is used.
    pub fn expand(&self) -> Result<Kernel> {
        let mut out = Kernel::new(self.name.clone(), self.axis);
        out.streams = self.streams.clone();
        let mut emit = Emit::new(out);
        let mut names: FxHashMap<Val, Val> = FxHashMap::default();
        for phase in &self.phases {
            emit.begin(phase.when);
            for &old in &phase.insts {
                let inst = &self.insts[old];
                let args = inst.args.iter().map(|arg| names.get(arg).copied());
                let args: Option<smallvec::SmallVec<[Val; 3]>> = args.collect();
                let args = args.ok_or_else(|| {
                    Error::internal(format!("{old} of kernel {} comes too early", self.name))
                })?;
                let new = rewrite(&mut emit, inst.op, &args, inst.ty)?;
                names.insert(old, new);
            }
        }
        Ok(clean::live_only(emit.finish()))
    }
}

fn rewrite(e: &mut Emit, op: Op, args: &[Val], ty: Lane) -> Result<Val> {
    if !op.can_expand(ty) {
        return Err(Error::unimplemented(format!("kernels have no {op:?} of {ty:?} lanes")));
    }
    Ok(match (op, args) {
        (Op::Unary(unary), &[x]) if !simple::is_primitive(unary) => {
            let wide = ty == Lane::F64;
            match unary {
                Unary::Sign => simple::sign(e, x),
                Unary::RoundAfz => simple::round_afz(e, x),
                Unary::Rsqrt => simple::rsqrt(e, x),
                _ if wide => wide::unary(e, unary, x),
                _ => narrow(e, unary, x),
            }
        }
        (Op::Binary(Binary::Pow), &[x, y]) => wide::pow(e, x, y),
        (Op::Binary(Binary::Atan2), &[y, x]) => trigonometric::atan2(e, y, x),
        _ => e.op(op, args, ty),
    })
}

/// A function of an `F32` value.
fn narrow(e: &mut Emit, unary: Unary, x: Val) -> Val {
    match unary {
        Unary::Exp => exponential::exp(e, x),
        Unary::Expm1 => exponential::expm1(e, x),
        Unary::Log => exponential::log(e, x),
        Unary::Log1p => exponential::log1p(e, x),
        Unary::Logistic => exponential::logistic(e, x),
        Unary::Tanh => exponential::tanh(e, x),
        Unary::Erf => exponential::erf(e, x),
        Unary::Sin => trigonometric::sin(e, x),
        Unary::Cos => trigonometric::cos(e, x),
        Unary::Tan => trigonometric::tan(e, x),
        Unary::Atan => trigonometric::atan(e, x),
        Unary::Asin => trigonometric::asin(e, x),
        Unary::Acos => trigonometric::acos(e, x),
        _ => wide::narrow(e, unary, x),
    }
}
