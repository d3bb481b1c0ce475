//! The loop kernel IR: what happens to each element of a two-dimensional space of rows and columns.
//!
//! A kernel is straight-line code in SSA form over vectors of lanes, in phases. Extents and strides
//! are given at run time ([`crate::LoopCall`]), so the same kernel serves every batch size; the
//! number of lanes is the emitter's choice. Nothing here knows instructions of a processor.
//!
//! # Meaning
//!
//! With [`Axis::Columns`] a kernel runs once for each row: its phases in order, a [`When::Each`]
//! phase for all columns of the row (lanes are neighbouring columns), a [`When::Once`] phase once a
//! row (all lanes are equal). [`Op::Reduce`] in an `Each` phase combines the values of all columns;
//! its result is a value of the row, to be used in later phases.
//!
//! With [`Axis::Rows`] a kernel runs once a block of columns: an `Each` phase for all rows in
//! ascending order (lanes are still neighbouring columns), a `Once` phase once for the block.
//! [`Op::Reduce`] combines the values of all rows, column by column.
//!
//! A value of an `Each` phase can be used in that phase only, except results of `Reduce`, which can
//! be used in later phases only. Values of `Once` phases can be used in that phase and all later
//! ones. A phase may load what an earlier phase of the kernel stored, at the same row and column.
//!
//! # Order of sums
//!
//! Along columns, element `c` of a row is added to partial sum `c % 32`, each partial sum starting
//! from the identity and taking its elements in ascending order; then partial sums `i` and `i + 16`
//! are added, then `i` and `i + 8`, 4, 2, 1. Along rows, values are added in ascending order to one
//! sum per column that starts from the identity. So results do not depend on lanes or threads.

pub mod abi;
mod expand;
mod text;
mod verify;

use smallvec::SmallVec;
use tfjit_base::ids::Arena;
use tfjit_base::{DType, define_ids};

define_ids! {
    /// A value of a kernel: the result of the instruction with the same number.
    pub struct Val("v");
    /// A stream of a kernel.
    pub struct StreamId("s");
}

/// Number of partial sums of a reduction along columns.
pub const PARTIALS: usize = 32;

/// A loop kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// A name for people and profiles; no part of its meaning.
    pub name: String,
    /// Along which axis the loop of `Each` phases runs.
    pub axis: Axis,
    /// Memory it reads and writes.
    pub streams: Arena<StreamId, Stream>,
    /// All instructions, of all phases.
    pub insts: Arena<Val, Inst>,
    /// What runs, in order.
    pub phases: Vec<Phase>,
}

/// The axis that the loop of an [`When::Each`] phase follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// The inner loop runs over the columns of one row.
    Columns,
    /// The inner loop runs over the rows of one block of columns.
    Rows,
}

/// Memory that a kernel reads or writes. Where it is and its strides are arguments of the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Element type in memory.
    pub dtype: DType,
    /// Whether the kernel writes it (and then may read it back); otherwise it only reads it.
    pub output: bool,
    /// How columns follow each other.
    pub access: Access,
}

/// How the elements of neighbouring columns lie in memory. Rows have a stride in bytes, which is
/// an argument, may be 0, and is 0 for outputs of a `Once` phase over [`Axis::Rows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// One after the other.
    Unit,
    /// The same element for all columns.
    Row,
    /// At a stride in bytes that is an argument.
    Strided,
}

/// A run of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// How often it runs.
    pub when: When,
    /// Instructions in order.
    pub insts: Vec<Val>,
}

/// How often a phase runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// For each step along the kernel's axis.
    Each,
    /// Once for each row, or block of columns.
    Once,
}

/// The type of the lanes of a value. Narrower elements are widened when they are loaded: `i8` and
/// `i16` to `I32`, `u8` and `u16` to `U32`, `bf16` and `f16` to `F32`, `bool` to `Pred`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Lane {
    Pred,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Operands.
    pub args: SmallVec<[Val; 3]>,
    /// Type of the result; of the stored value for [`Op::Store`], which has none.
    pub ty: Lane,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// The same value in all lanes: its bits, in the low bits for narrow types. `Pred` is 0 or 1.
    Const(u64),
    /// The element of a stream at the row and column.
    Load(StreamId),
    /// Writes operand 0 to a stream. Integers lose their high bits, floats are rounded to nearest
    /// even, `Pred` is stored as 0 or 1.
    Store(StreamId),
    /// The number of the column, counted from 0; `I32`.
    Column,
    /// A function of one operand.
    Unary(Unary),
    /// A function of two operands of the result's type.
    Binary(Binary),
    /// Whether `a OP b`; the result is `Pred`. NaN is only different from all.
    Compare(Compare),
    /// `fma(a, b, c) = a * b + c` with one rounding; floats only.
    Fma,
    /// `select(pred, a, b)`: `a` where `pred`, else `b`.
    Select,
    /// The value as another type: floats to integers toward zero, saturating, NaN to 0; integers to
    /// floats to nearest even; `Pred` to 0 or 1; from integers to narrower ones, the low bits; to
    /// `Pred`, whether it is not 0.
    Convert,
    /// The bits as another type of the same width.
    Bitcast,
    /// Combines the operand over the kernel's axis, in an `Each` phase.
    Reduce(Reduce),
}

/// A function of one operand; the result has its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants without a line are the usual functions")]
pub enum Unary {
    Neg,
    Abs,
    /// Of integers all bits, of `Pred` the opposite.
    Not,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    RoundEven,
    /// As if stored to an element of this narrower type and loaded again.
    Narrow(DType),
    // What follows is made of the above by `expand`.
    RoundAfz,
    Sign,
    Rsqrt,
    Cbrt,
    Exp,
    Expm1,
    Log,
    Log1p,
    Logistic,
    Tanh,
    Sin,
    Cos,
    Tan,
    Erf,
    Erfc,
    Atan,
    Asin,
    Acos,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
}

/// A function of two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants without a line are the usual functions")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// Of integers toward zero; by zero it is -1, as StableHLO's interpreters have it.
    Div,
    /// With the sign of the dividend; of integers by zero it is the dividend.
    Rem,
    /// NaN when one operand is NaN; -0 is less than 0.
    Min,
    /// NaN when one operand is NaN; -0 is less than 0.
    Max,
    /// `a < b ? a : b`, floats only: what processors have.
    MinFast,
    /// `a > b ? a : b`, floats only.
    MaxFast,
    And,
    Or,
    Xor,
    /// 0 when the distance is not below the width.
    Shl,
    /// The sign when the distance is not below the width.
    ShrArithmetic,
    /// 0 when the distance is not below the width.
    ShrLogical,
    // What follows is made of the above by `expand`.
    Pow,
    Atan2,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual comparisons")]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// How values are combined over an axis. Identities: 0, 1, the largest and the smallest value
/// (infinities for floats), true, false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual reductions")]
pub enum Reduce {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
}

impl Lane {
    /// The type that an element of `dtype` has in a kernel, or `None` when kernels have none.
    pub fn of(dtype: DType) -> Option<Lane> {
        Some(match dtype {
            DType::Bool => Lane::Pred,
            DType::I8 | DType::I16 | DType::I32 => Lane::I32,
            DType::U8 | DType::U16 | DType::U32 => Lane::U32,
            DType::I64 => Lane::I64,
            DType::U64 => Lane::U64,
            DType::BF16 | DType::F16 | DType::F32 => Lane::F32,
            DType::F64 => Lane::F64,
            _ => return None,
        })
    }

    /// Width in bytes; of `Pred`, which has none of its own, 1.
    pub fn bytes(self) -> usize {
        match self {
            Lane::Pred => 1,
            Lane::I32 | Lane::U32 | Lane::F32 => 4,
            Lane::I64 | Lane::U64 | Lane::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Lane::F32 | Lane::F64)
    }
}

impl Kernel {
    /// A kernel that does nothing.
    pub fn new(name: impl Into<String>, axis: Axis) -> Kernel {
        Kernel {
            name: name.into(),
            axis,
            streams: Arena::default(),
            insts: Arena::default(),
            phases: Vec::new(),
        }
    }

    /// Adds an instruction to the last phase.
    ///
    /// # Panics
    /// When there is no phase.
    pub fn push(&mut self, op: Op, args: &[Val], ty: Lane) -> Val {
        let val = self.insts.push(Inst { op, args: SmallVec::from_slice(args), ty });
        self.phases.last_mut().expect("a phase was begun").insts.push(val);
        val
    }

    /// Begins a phase.
    pub fn begin(&mut self, when: When) {
        self.phases.push(Phase { when, insts: Vec::new() });
    }
}
