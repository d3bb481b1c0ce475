//! What is the same kind of fact for every operation: one row each, found through [`Op::row`].

use crate::{Binary, Op, Unary};

/// The coarse kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Each result element depends on the operands' elements at the same position.
    Elementwise,
    /// Makes a value out of attributes alone.
    Constant,
    /// Moves elements without computing: reshape, transpose, slice, pad, gather.
    Move,
    /// Combines many elements into one: reduce, reduce_window, sort, scatter.
    Reduce,
    /// Dot products and convolutions.
    Contract,
    /// Runs regions: while, if, case.
    Control,
    /// Calls something by name.
    Call,
    /// Works on whole matrices or spectra: cholesky, triangular_solve, fft.
    Library,
    /// Draws random numbers.
    Random,
    /// Talks to other participants or the host.
    Communicate,
    /// Tuples, tokens, barriers, sizes.
    Structure,
}

/// Whether an instruction may be removed, merged or moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Purity {
    /// Same operands, same results, no effects.
    Pure,
    /// As pure as its regions.
    Regions,
    /// May have effects; stays where it is.
    Effect,
}

/// How far two correct implementations may differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// Bit for bit.
    Exact,
    /// Units in the last place of the element type.
    Ulps(u32),
    /// Grows with the number of combined elements; relative to the sum of magnitudes.
    Accumulation,
}

/// One operation's facts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OpRow {
    /// The name in text, with dialect: `stablehlo.add`.
    pub name: &'static str,
    /// Smallest and largest number of operands; `u32::MAX` for no upper end.
    pub operands: (u32, u32),
    /// Number of results; `None` when it depends on operands or regions.
    pub results: Option<u32>,
    /// Smallest and largest number of regions.
    pub regions: (u32, u32),
    /// The coarse kind.
    pub class: Class,
    /// Whether it may be removed, merged or moved.
    pub purity: Purity,
    /// How far implementations may differ.
    pub tolerance: Tolerance,
}

/// Declares [`Op::row`]: pattern, name, operands, results, regions, class, purity, tolerance.
macro_rules! rows {
    ($($pattern:pat => $name:literal, $operands:expr, $results:expr, $regions:expr,
        $class:ident, $purity:ident, $tolerance:ident;)*) => {
        impl Op {
            /// The row of facts about this operation.
            pub fn row(&self) -> OpRow {
                use Op::*;
                match self {
                    Unary(unary) => unary_row(*unary),
                    Binary(binary) => binary_row(*binary),
                    $($pattern => OpRow {
                        name: $name,
                        operands: $operands,
                        results: $results,
                        regions: $regions,
                        class: Class::$class,
                        purity: Purity::$purity,
                        tolerance: Tolerance::$tolerance,
                    },)*
                }
            }
        }

        /// The names of all operations that are not plain elementwise ones.
        pub const OTHER_NAMES: &[&str] = &[$($name),*];
    };
}

/// No upper end.
const MANY: u32 = u32::MAX;

rows! {
    Constant(_) => "stablehlo.constant", (0, 0), Some(1), (0, 0), Constant, Pure, Exact;
    Iota { .. } => "stablehlo.iota", (0, 0), Some(1), (0, 0), Constant, Pure, Exact;
    DynamicIota { .. } => "stablehlo.dynamic_iota", (1, 1), Some(1), (0, 0), Constant, Pure, Exact;
    PartitionId => "stablehlo.partition_id", (0, 0), Some(1), (0, 0), Communicate, Effect, Exact;
    ReplicaId => "stablehlo.replica_id", (0, 0), Some(1), (0, 0), Communicate, Effect, Exact;
    Compare { .. } => "stablehlo.compare", (2, 2), Some(1), (0, 0), Elementwise, Pure, Exact;
    Select => "stablehlo.select", (3, 3), Some(1), (0, 0), Elementwise, Pure, Exact;
    Clamp => "stablehlo.clamp", (3, 3), Some(1), (0, 0), Elementwise, Pure, Exact;
    Convert => "stablehlo.convert", (1, 1), Some(1), (0, 0), Elementwise, Pure, Exact;
    BitcastConvert => "stablehlo.bitcast_convert", (1, 1), Some(1), (0, 0), Elementwise, Pure, Exact;
    ReducePrecision { .. } => "stablehlo.reduce_precision", (1, 1), Some(1), (0, 0), Elementwise, Pure, Exact;
    UniformQuantize => "stablehlo.uniform_quantize", (1, 1), Some(1), (0, 0), Elementwise, Pure, Exact;
    UniformDequantize => "stablehlo.uniform_dequantize", (1, 1), Some(1), (0, 0), Elementwise, Pure, Exact;
    Map { .. } => "stablehlo.map", (1, MANY), Some(1), (1, 1), Elementwise, Regions, Exact;
    BroadcastInDim { .. } => "stablehlo.broadcast_in_dim", (1, 1), Some(1), (0, 0), Move, Pure, Exact;
    DynamicBroadcastInDim { .. } => "stablehlo.dynamic_broadcast_in_dim", (2, 2), Some(1), (0, 0), Move, Pure, Exact;
    Reshape => "stablehlo.reshape", (1, 1), Some(1), (0, 0), Move, Pure, Exact;
    DynamicReshape => "stablehlo.dynamic_reshape", (2, 2), Some(1), (0, 0), Move, Pure, Exact;
    Transpose { .. } => "stablehlo.transpose", (1, 1), Some(1), (0, 0), Move, Pure, Exact;
    Reverse { .. } => "stablehlo.reverse", (1, 1), Some(1), (0, 0), Move, Pure, Exact;
    Concatenate { .. } => "stablehlo.concatenate", (1, MANY), Some(1), (0, 0), Move, Pure, Exact;
    Slice { .. } => "stablehlo.slice", (1, 1), Some(1), (0, 0), Move, Pure, Exact;
    DynamicSlice { .. } => "stablehlo.dynamic_slice", (1, MANY), Some(1), (0, 0), Move, Pure, Exact;
    RealDynamicSlice => "stablehlo.real_dynamic_slice", (4, 4), Some(1), (0, 0), Move, Pure, Exact;
    DynamicUpdateSlice => "stablehlo.dynamic_update_slice", (2, MANY), Some(1), (0, 0), Move, Pure, Exact;
    Pad { .. } => "stablehlo.pad", (2, 2), Some(1), (0, 0), Move, Pure, Exact;
    DynamicPad => "stablehlo.dynamic_pad", (5, 5), Some(1), (0, 0), Move, Pure, Exact;
    Gather(_) => "stablehlo.gather", (2, 2), Some(1), (0, 0), Move, Pure, Exact;
    DynamicGather(_) => "stablehlo.dynamic_gather", (3, 3), Some(1), (0, 0), Move, Pure, Exact;
    TorchIndexSelect { .. } => "stablehlo.torch_index_select", (2, 2), Some(1), (0, 0), Move, Pure, Exact;
    Reduce { .. } => "stablehlo.reduce", (2, MANY), None, (1, 1), Reduce, Regions, Accumulation;
    ReduceWindow(_) => "stablehlo.reduce_window", (2, MANY), None, (1, 1), Reduce, Regions, Accumulation;
    SelectAndScatter(_) => "stablehlo.select_and_scatter", (3, 3), Some(1), (2, 2), Reduce, Regions, Accumulation;
    Scatter(_) => "stablehlo.scatter", (3, MANY), None, (1, 1), Reduce, Regions, Accumulation;
    Sort { .. } => "stablehlo.sort", (1, MANY), None, (1, 1), Reduce, Regions, Exact;
    TopK { .. } => "chlo.top_k", (1, 1), Some(2), (0, 0), Reduce, Pure, Exact;
    DotGeneral(_) => "stablehlo.dot_general", (2, 2), Some(1), (0, 0), Contract, Pure, Accumulation;
    Convolution(_) => "stablehlo.convolution", (2, 2), Some(1), (0, 0), Contract, Pure, Accumulation;
    DynamicConv(_) => "stablehlo.dynamic_conv", (3, 3), Some(1), (0, 0), Contract, Pure, Accumulation;
    Cholesky { .. } => "stablehlo.cholesky", (1, 1), Some(1), (0, 0), Library, Pure, Accumulation;
    TriangularSolve { .. } => "stablehlo.triangular_solve", (2, 2), Some(1), (0, 0), Library, Pure, Accumulation;
    Fft { .. } => "stablehlo.fft", (1, 1), Some(1), (0, 0), Library, Pure, Accumulation;
    BatchNormInference { .. } => "stablehlo.batch_norm_inference", (5, 5), Some(1), (0, 0), Library, Pure, Accumulation;
    BatchNormTraining { .. } => "stablehlo.batch_norm_training", (3, 3), Some(3), (0, 0), Library, Pure, Accumulation;
    BatchNormGrad { .. } => "stablehlo.batch_norm_grad", (5, 5), Some(3), (0, 0), Library, Pure, Accumulation;
    Rng { .. } => "stablehlo.rng", (3, 3), Some(1), (0, 0), Random, Effect, Exact;
    RngBitGenerator { .. } => "stablehlo.rng_bit_generator", (1, 1), Some(2), (0, 0), Random, Pure, Exact;
    While => "stablehlo.while", (0, MANY), None, (2, 2), Control, Effect, Exact;
    If => "stablehlo.if", (1, 1), None, (2, 2), Control, Regions, Exact;
    Case => "stablehlo.case", (1, 1), None, (1, MANY), Control, Regions, Exact;
    Call { .. } => "func.call", (0, MANY), None, (0, 0), Call, Effect, Exact;
    CustomCall(_) => "stablehlo.custom_call", (0, MANY), None, (0, 0), Call, Effect, Exact;
    Composite(_) => "stablehlo.composite", (0, MANY), None, (0, 0), Call, Effect, Exact;
    Tuple => "stablehlo.tuple", (0, MANY), Some(1), (0, 0), Structure, Pure, Exact;
    GetTupleElement { .. } => "stablehlo.get_tuple_element", (1, 1), Some(1), (0, 0), Structure, Pure, Exact;
    OptimizationBarrier => "stablehlo.optimization_barrier", (0, MANY), None, (0, 0), Structure, Effect, Exact;
    GetDimensionSize { .. } => "stablehlo.get_dimension_size", (1, 1), Some(1), (0, 0), Structure, Pure, Exact;
    SetDimensionSize { .. } => "stablehlo.set_dimension_size", (2, 2), Some(1), (0, 0), Structure, Pure, Exact;
    AfterAll => "stablehlo.after_all", (0, MANY), Some(1), (0, 0), Structure, Effect, Exact;
    AllGather { .. } => "stablehlo.all_gather", (1, MANY), None, (0, 0), Communicate, Effect, Exact;
    AllReduce { .. } => "stablehlo.all_reduce", (1, MANY), None, (1, 1), Communicate, Effect, Accumulation;
    ReduceScatter { .. } => "stablehlo.reduce_scatter", (1, 1), Some(1), (1, 1), Communicate, Effect, Accumulation;
    AllToAll { .. } => "stablehlo.all_to_all", (1, MANY), None, (0, 0), Communicate, Effect, Exact;
    CollectivePermute { .. } => "stablehlo.collective_permute", (1, 1), Some(1), (0, 0), Communicate, Effect, Exact;
    CollectiveBroadcast { .. } => "stablehlo.collective_broadcast", (1, 1), Some(1), (0, 0), Communicate, Effect, Exact;
    Infeed { .. } => "stablehlo.infeed", (1, 1), None, (0, 0), Communicate, Effect, Exact;
    Outfeed { .. } => "stablehlo.outfeed", (1, MANY), Some(1), (0, 0), Communicate, Effect, Exact;
    Send { .. } => "stablehlo.send", (1, MANY), Some(1), (0, 0), Communicate, Effect, Exact;
    Recv { .. } => "stablehlo.recv", (1, 1), None, (0, 0), Communicate, Effect, Exact;
}

fn elementwise(name: &'static str, operands: u32, tolerance: Tolerance) -> OpRow {
    OpRow {
        name,
        operands: (operands, operands),
        results: Some(1),
        regions: (0, 0),
        class: Class::Elementwise,
        purity: Purity::Pure,
        tolerance,
    }
}

fn unary_row(unary: Unary) -> OpRow {
    use Unary::*;
    let tolerance = match unary {
        Abs | Ceil | CountLeadingZeros | Floor | Imag | IsFinite | Negate | Not | Popcnt | Real
        | RoundNearestAfz | RoundNearestEven | Sign | Sqrt | Conj | IsInf | IsNegInf | IsPosInf
        | Square => Tolerance::Exact,
        Cbrt | Cosine | Exponential | ExponentialMinusOne | Log | LogPlusOne | Logistic | Rsqrt
        | Sine | Tan | Tanh | ChloTan => Tolerance::Ulps(8),
        Acos | Acosh | Asin | Asinh | Atan | Atanh | Cosh | Erf | Erfc | Sinh => {
            Tolerance::Ulps(16)
        }
        BesselI1e | Digamma | ErfInv | Lgamma => Tolerance::Ulps(64),
    };
    elementwise(unary.text(), 1, tolerance)
}

fn binary_row(binary: Binary) -> OpRow {
    use Binary::*;
    let tolerance = match binary {
        Add | And | Complex | Divide | Maximum | Minimum | Multiply | Or | Remainder
        | ShiftLeft | ShiftRightArithmetic | ShiftRightLogical | Subtract | Xor | NextAfter => {
            Tolerance::Exact
        }
        Atan2 | Power => Tolerance::Ulps(16),
        Polygamma | Zeta => Tolerance::Ulps(256),
    };
    elementwise(binary.text(), 2, tolerance)
}

impl OpRow {
    /// Whether `count` operands are a possible number.
    pub fn takes(&self, count: usize) -> bool {
        (self.operands.0 as usize..=self.operands.1 as usize).contains(&count)
    }
}
