//! Loop kernels as bytes: instructions in the order of their phases, numbered as they come.
//!
//! Instructions of no phase are left out, as in [`Kernel::fingerprint`]; so an operand is always
//! the number of an instruction before.

use smallvec::SmallVec;
use tfjit_base::ids::{Arena, Id};
use tfjit_base::{Error, Result};

use super::types::{read_dtype, write_dtype};
use super::{Reader, Writer};
use crate::kernel::{
    Access, Axis, Binary, Compare, Inst, Kernel, Lane, Op, Phase, Reduce, Stream, StreamId, Unary,
    Val, When,
};
use crate::plan::KernelId;

/// Numbers of the variants of an enum, both ways.
macro_rules! codes {
    ($($write:ident, $read:ident: $ty:ident { $($variant:ident $code:literal),* $(,)? })*) => {$(
        fn $write(value: $ty) -> u8 {
            match value {
                $($ty::$variant => $code,)*
            }
        }

        fn $read(r: &mut Reader<'_>) -> Result<$ty> {
            Ok(match r.byte()? {
                $($code => $ty::$variant,)*
                code => return Err(r.wrong(format_args!("no {} {code}", stringify!($ty)))),
            })
        }
    )*};
}

codes! {
    axis_code, read_axis: Axis { Columns 0, Rows 1 }
    access_code, read_access: Access { Unit 0, Row 1, Strided 2 }
    when_code, read_when: When { Each 0, Once 1 }
    lane_code, read_lane: Lane { Pred 0, I32 1, U32 2, I64 3, U64 4, F32 5, F64 6 }
    compare_code, read_compare: Compare { Eq 0, Ne 1, Lt 2, Le 3, Gt 4, Ge 5 }
    reduce_code, read_reduce: Reduce { Sum 0, Product 1, Min 2, Max 3, And 4, Or 5 }
    binary_code, read_binary: Binary {
        Add 0, Sub 1, Mul 2, Div 3, Rem 4, Min 5, Max 6, MinFast 7, MaxFast 8, And 9, Or 10,
        Xor 11, Shl 12, ShrArithmetic 13, ShrLogical 14, Pow 15, Atan2 16,
    }
}

/// Numbers of functions of one operand; [`Unary::Narrow`] has a type behind it.
const NARROW: u8 = u8::MAX;

macro_rules! unary_codes {
    ($($variant:ident $code:literal),* $(,)?) => {
        fn write_unary(w: &mut Writer, unary: Unary) {
            match unary {
                $(Unary::$variant => w.byte($code),)*
                Unary::Narrow(dtype) => {
                    w.byte(NARROW);
                    write_dtype(w, dtype);
                }
            }
        }

        fn read_unary(r: &mut Reader<'_>) -> Result<Unary> {
            Ok(match r.byte()? {
                $($code => Unary::$variant,)*
                NARROW => Unary::Narrow(read_dtype(r)?),
                code => return Err(r.wrong(format_args!("no function {code}"))),
            })
        }
    };
}

unary_codes! {
    Neg 0, Abs 1, Not 2, Sqrt 3, Floor 4, Ceil 5, Trunc 6, RoundEven 7, RoundAfz 8, Sign 9,
    Rsqrt 10, Cbrt 11, Exp 12, Expm1 13, Log 14, Log1p 15, Logistic 16, Tanh 17, Sin 18, Cos 19,
    Tan 20, Erf 21, Erfc 22, Atan 23, Asin 24, Acos 25, Sinh 26, Cosh 27, Asinh 28, Acosh 29,
    Atanh 30,
}

/// Bytes of the shortest kernel, stream, phase and instruction.
const KERNEL_BYTES: usize = 4;
const STREAM_BYTES: usize = 3;
const PHASE_BYTES: usize = 2;
const INST_BYTES: usize = 2;

/// Most instructions and streams of a kernel: fusion stops far below.
const INSTS_MAX: usize = 1 << 16;

/// The kernels of a plan.
pub fn write_kernels(w: &mut Writer, kernels: &Arena<KernelId, Kernel>) {
    w.size(kernels.len());
    kernels.iter().for_each(|(_, kernel)| write_kernel(w, kernel));
}

/// # Errors
/// DATA_LOSS, also for kernels that mean nothing.
pub fn read_kernels(r: &mut Reader<'_>) -> Result<Arena<KernelId, Kernel>> {
    let mut kernels = Arena::default();
    for _ in 0..r.count(KERNEL_BYTES)? {
        kernels.push(read_kernel(r)?);
    }
    Ok(kernels)
}

fn write_kernel(w: &mut Writer, kernel: &Kernel) {
    w.text(&kernel.name);
    w.byte(axis_code(kernel.axis));
    w.size(kernel.streams.len());
    for (_, stream) in kernel.streams.iter() {
        write_dtype(w, stream.dtype);
        w.byte(stream.output.into());
        w.byte(access_code(stream.access));
    }
    let mut number = vec![0usize; kernel.insts.len()];
    let mut next = 0;
    w.size(kernel.phases.len());
    for phase in &kernel.phases {
        w.byte(when_code(phase.when));
        w.size(phase.insts.len());
        for &val in &phase.insts {
            let inst = &kernel.insts[val];
            write_op(w, inst.op);
            w.byte(lane_code(inst.ty));
            inst.args.iter().for_each(|arg| w.size(number[arg.index()]));
            number[val.index()] = next;
            next += 1;
        }
    }
}

fn read_kernel(r: &mut Reader<'_>) -> Result<Kernel> {
    let name = r.text()?;
    let mut kernel = Kernel::new(name, read_axis(r)?);
    for _ in 0..r.count(STREAM_BYTES)? {
        let (dtype, output) = (read_dtype(r)?, r.flag()?);
        kernel.streams.push(Stream { dtype, output, access: read_access(r)? });
    }
    for _ in 0..r.count(PHASE_BYTES)? {
        let mut phase = Phase { when: read_when(r)?, insts: Vec::new() };
        for _ in 0..r.count(INST_BYTES)? {
            let inst = read_inst(r, &kernel)?;
            phase.insts.push(kernel.insts.push(inst));
        }
        kernel.phases.push(phase);
    }
    if kernel.insts.len() > INSTS_MAX || kernel.streams.len() > INSTS_MAX {
        return Err(r.wrong(format_args!("kernel {name} is too long")));
    }
    kernel.verify().map_err(|e| Error::data_loss(e.message()).at(format!("kernel {name}")))?;
    Ok(kernel)
}

fn read_inst(r: &mut Reader<'_>, kernel: &Kernel) -> Result<Inst> {
    let (op, arity) = read_op(r, kernel.streams.len())?;
    let ty = read_lane(r)?;
    let mut args = SmallVec::new();
    for _ in 0..arity {
        args.push(Val::new(r.below(kernel.insts.len(), "value")?));
    }
    Ok(Inst { op, args, ty })
}

fn write_op(w: &mut Writer, op: Op) {
    match op {
        Op::Const(bits) => {
            w.byte(0);
            w.number(bits);
        }
        Op::Load(stream) => {
            w.byte(1);
            w.size(stream.index());
        }
        Op::Store(stream) => {
            w.byte(2);
            w.size(stream.index());
        }
        Op::Column => w.byte(3),
        Op::Unary(unary) => {
            w.byte(4);
            write_unary(w, unary);
        }
        Op::Binary(binary) => w.raw(&[5, binary_code(binary)]),
        Op::Compare(compare) => w.raw(&[6, compare_code(compare)]),
        Op::Fma => w.byte(7),
        Op::Select => w.byte(8),
        Op::Convert => w.byte(9),
        Op::Bitcast => w.byte(10),
        Op::Reduce(reduce) => w.raw(&[11, reduce_code(reduce)]),
    }
}

/// An operation and how many operands it has.
fn read_op(r: &mut Reader<'_>, streams: usize) -> Result<(Op, usize)> {
    let stream = |r: &mut Reader<'_>| Ok::<_, Error>(StreamId::new(r.below(streams, "stream")?));
    Ok(match r.byte()? {
        0 => (Op::Const(r.number()?), 0),
        1 => (Op::Load(stream(r)?), 0),
        2 => (Op::Store(stream(r)?), 1),
        3 => (Op::Column, 0),
        4 => (Op::Unary(read_unary(r)?), 1),
        5 => (Op::Binary(read_binary(r)?), 2),
        6 => (Op::Compare(read_compare(r)?), 2),
        7 => (Op::Fma, 3),
        8 => (Op::Select, 3),
        9 => (Op::Convert, 1),
        10 => (Op::Bitcast, 1),
        11 => (Op::Reduce(read_reduce(r)?), 1),
        code => return Err(r.wrong(format_args!("no operation {code}"))),
    })
}
