//! The plan: buffers, kernels and steps.
//!
//! A plan is complete: whoever runs it decides nothing but threads. All sizes in it are of one set
//! of argument shapes, kernels excepted. Offsets and strides are in bytes unless said otherwise.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::ids::Arena;
use tfjit_base::{DType, Tensor, define_ids};
use tfjit_hlo::{Module, TensorType};

use crate::kernel::Kernel;

define_ids! {
    /// A buffer of a plan.
    pub struct BufferId("b");
    /// A kernel of a plan.
    pub struct KernelId("k");
}

/// How to compute the results of a module from its parameters.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The module's name.
    pub name: String,
    /// Types of the parameters.
    pub parameters: Vec<TensorType>,
    /// Types of the results.
    pub results: Vec<TensorType>,
    /// Constants, weights among them.
    pub constants: Vec<Constant>,
    /// Loop kernels; no two are equal but for the name.
    pub kernels: Arena<KernelId, Kernel>,
    /// Memory.
    pub buffers: Arena<BufferId, Buffer>,
    /// What runs, in order.
    pub steps: Vec<Step>,
    /// The buffer that holds each result when the steps have run: a parameter, a constant or a
    /// buffer of [`Place::Result`] with the result's number.
    pub outputs: Vec<BufferId>,
    /// Bytes of temporary memory.
    pub arena_bytes: usize,
    /// What steps compute and what stopped fusion, for people.
    pub notes: Vec<Note>,
}

/// What some steps compute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Positions in [`Plan::steps`].
    pub steps: std::ops::Range<usize>,
    /// The operations that became these steps, with the names of what they were made from.
    pub fused: Vec<String>,
    /// Operations that read from others and are not one loop with them, and why.
    pub stopped: Vec<String>,
}

/// A constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The elements, dense and row-major.
    pub tensor: Tensor,
}

/// Dense memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Element type.
    pub dtype: DType,
    /// Size in bytes.
    pub bytes: usize,
    /// Where it is.
    pub place: Place,
}

/// Where a buffer is. All places are aligned to 64 bytes, parameters to their element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A parameter; never written.
    Parameter(usize),
    /// A constant; never written.
    Constant(usize),
    /// Fresh memory of a launch that becomes a result.
    Result(usize),
    /// At an offset in temporary memory.
    Arena(usize),
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub enum Step {
    /// A loop kernel over a space of elements.
    Loop(LoopCall),
    /// A product of matrices.
    Matmul(Box<MatmulCall>),
    /// A convolution.
    Conv(Box<ConvCall>),
    /// A pooling window.
    Pool(Box<PoolCall>),
    /// Moves elements.
    Copy(CopyCall),
    /// Copies rows that indices choose.
    Gather(GatherCall),
    /// One instruction by the reference interpreter.
    Reference(Box<ReferenceCall>),
    /// Repeats `body` while the `bool` in `condition` is true after `test`.
    While {
        /// Computes the condition from the carried buffers.
        test: Vec<Step>,
        /// One `bool`.
        condition: BufferId,
        /// Computes the carried buffers' next values, in place.
        body: Vec<Step>,
    },
    /// Runs the branch that the `i32` in `index` chooses; out of range it is the last.
    Switch {
        /// One `i32`, or one `bool` where true is branch 0 and false branch 1.
        index: BufferId,
        /// Steps of each branch.
        branches: Vec<Vec<Step>>,
    },
}

impl Step {
    /// Calls `touch` with every buffer that the step itself reads or writes; steps inside of loops
    /// and branches are not looked at.
    pub fn buffers(&self, touch: &mut dyn FnMut(BufferId)) {
        let streams = |streams: &[StreamArg], touch: &mut dyn FnMut(BufferId)| {
            streams.iter().for_each(|stream| touch(stream.buffer));
        };
        match self {
            Step::Loop(call) => streams(&call.streams, touch),
            Step::Matmul(call) => {
                [call.lhs.buffer, call.rhs.buffer, call.out.buffer]
                    .into_iter()
                    .for_each(&mut *touch);
                if let Some(epilogue) = &call.epilogue {
                    streams(&epilogue.streams, touch);
                }
            }
            Step::Conv(call) => {
                [call.input, call.filter, call.out].into_iter().for_each(&mut *touch);
                if let Some(epilogue) = &call.epilogue {
                    streams(&epilogue.streams, touch);
                }
            }
            Step::Pool(call) => {
                [call.input, call.out].into_iter().for_each(touch);
            }
            Step::Copy(call) => {
                [call.input.0, call.out.0].into_iter().for_each(&mut *touch);
                call.input_at.iter().chain(&call.out_at).for_each(|start| touch(start.buffer));
            }
            Step::Gather(call) => {
                [call.input, call.indices, call.out].into_iter().for_each(touch);
            }
            Step::Reference(call) => {
                call.operands.iter().chain(&call.results).for_each(|(buffer, _)| touch(*buffer));
            }
            Step::While { condition, .. } => touch(*condition),
            Step::Switch { index, .. } => touch(*index),
        }
    }
}

/// A loop kernel over a space: outer dimensions, rows and columns.
#[derive(Clone, Debug)]
pub struct LoopCall {
    /// The kernel.
    pub kernel: KernelId,
    /// Extents of the outer dimensions, outermost first; the kernel runs for each of their points.
    pub outer: SmallVec<[usize; 4]>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// An argument a stream of the kernel.
    pub streams: Vec<StreamArg>,
}

/// Where a stream is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamArg {
    /// Its memory.
    pub buffer: BufferId,
    /// Of its first element.
    pub offset: usize,
    /// One stride an outer dimension.
    pub outer: SmallVec<[isize; 4]>,
    /// From row to row.
    pub row: isize,
    /// From column to column; only used by streams of strided access.
    pub col: isize,
}

/// A loop kernel that runs on each block of rows and columns of a contraction's result as soon as
/// it is complete and while it is in cache. Rows are the result's rows (pixels of an image),
/// columns its columns (output features), outer dimensions its batch dimensions (of a convolution
/// the one over images).
#[derive(Clone, Debug)]
pub struct Epilogue {
    /// The kernel, over [`crate::kernel::Axis::Columns`] and without reductions.
    pub kernel: KernelId,
    /// One an argument; the contraction's result is one of them.
    pub streams: Vec<StreamArg>,
}

/// A view of a buffer as a batch of matrices. Strides and offset are in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixView {
    /// The memory.
    pub buffer: BufferId,
    /// Of the first element.
    pub offset: usize,
    /// One stride a batch dimension of the call.
    pub batch: SmallVec<[isize; 4]>,
    /// From row to row.
    pub row: isize,
    /// From column to column.
    pub col: isize,
}

/// `out[b, i, j] = sum over l of lhs[b, i, l] * rhs[b, l, j]`.
#[derive(Clone, Debug)]
pub struct MatmulCall {
    /// Element type of operands and result. Sums of `bf16` and `f16` are kept in `f32`.
    pub dtype: DType,
    /// Extents of the batch dimensions.
    pub batch: SmallVec<[usize; 4]>,
    /// Rows of the result.
    pub m: usize,
    /// Terms of a sum.
    pub k: usize,
    /// Columns of the result.
    pub n: usize,
    /// `m` by `k`.
    pub lhs: MatrixView,
    /// `k` by `n`. A constant is packed when the plan is loaded, a parameter when it changes.
    pub rhs: MatrixView,
    /// `m` by `n`; its columns are contiguous.
    pub out: MatrixView,
    /// What is done to the result.
    pub epilogue: Option<Epilogue>,
}

/// A two-dimensional convolution or correlation: NHWC input, HWIO filter, NHWC result, all dense.
#[derive(Clone, Debug)]
pub struct ConvCall {
    /// Element type.
    pub dtype: DType,
    /// How features are connected.
    pub kind: ConvKind,
    /// The input's memory.
    pub input: BufferId,
    /// The filter's memory: height, width, input features a group, output features.
    pub filter: BufferId,
    /// The result's memory.
    pub out: BufferId,
    /// Batch.
    pub batch: usize,
    /// Input height and width.
    pub input_size: [usize; 2],
    /// Input features.
    pub input_features: usize,
    /// Filter height and width.
    pub window: [usize; 2],
    /// Result height and width.
    pub output_size: [usize; 2],
    /// Output features.
    pub output_features: usize,
    /// Strides of the window.
    pub strides: [usize; 2],
    /// Distance of the window's taps.
    pub dilations: [usize; 2],
    /// Rows above and columns left of the input that count as zeros; may be negative.
    pub padding: [isize; 2],
    /// What is done to the result.
    pub epilogue: Option<Epilogue>,
}

/// How the features of a convolution are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvKind {
    /// In groups of equal size; one group is the usual convolution.
    Grouped {
        /// Number of groups.
        groups: usize,
    },
    /// Each input feature on its own, to `output_features / input_features` output features.
    Depthwise,
}

/// A window over height and width of a dense NHWC input.
#[derive(Clone, Debug)]
pub struct PoolCall {
    /// Element type.
    pub dtype: DType,
    /// What is computed of a window.
    pub kind: PoolKind,
    /// The input's memory.
    pub input: BufferId,
    /// The result's memory.
    pub out: BufferId,
    /// Batch.
    pub batch: usize,
    /// Input height and width.
    pub input_size: [usize; 2],
    /// Features.
    pub features: usize,
    /// Window height and width.
    pub window: [usize; 2],
    /// Result height and width.
    pub output_size: [usize; 2],
    /// Strides of the window.
    pub strides: [usize; 2],
    /// Distance of the window's taps.
    pub dilations: [usize; 2],
    /// Rows above and columns left of the input that do not count.
    pub padding: [isize; 2],
}

/// What is computed of a pooling window. Taps outside the input do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// The largest; NaN when one is NaN. An empty window gives the smallest value.
    Max,
    /// As [`PoolKind::Max`], but not less than the least finite value.
    MaxFinite,
    /// The sum, in order of height and width.
    Sum,
}

/// `out[i…] = input[i…]` over a space, both with strides; covers transposes, slices, pieces of a
/// concatenation, broadcasts and reversals, and slices and updates at places that the launch
/// computes.
#[derive(Clone, Debug)]
pub struct CopyCall {
    /// Size of an element in bytes: 1, 2, 4, 8 or 16.
    pub element: usize,
    /// Extents, outermost first.
    pub extents: SmallVec<[usize; 6]>,
    /// Source: memory, offset of the first element, strides.
    pub input: (BufferId, usize, SmallVec<[isize; 6]>),
    /// Destination, likewise.
    pub out: (BufferId, usize, SmallVec<[isize; 6]>),
    /// How much further the source begins; empty for most copies.
    pub input_at: Vec<Start>,
    /// How much further the destination begins, likewise.
    pub out_at: Vec<Start>,
}

/// A place along one dimension that the launch computes: `clamp(index, 0, max) * stride` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Memory of the index, a scalar.
    pub buffer: BufferId,
    /// Its type: `i32`, `i64` and the like.
    pub dtype: DType,
    /// The last place.
    pub max: usize,
    /// Bytes from one place to the next.
    pub stride: isize,
}

/// `out[i] = input[clamp(indices[i])]` over rows of `row` bytes.
#[derive(Clone, Debug)]
pub struct GatherCall {
    /// Memory of the rows.
    pub input: BufferId,
    /// Number of rows there.
    pub input_rows: usize,
    /// Memory of the indices.
    pub indices: BufferId,
    /// Their type: `i32`, `i64` and the like.
    pub index_dtype: DType,
    /// Number of indices.
    pub count: usize,
    /// Bytes of a row.
    pub row: usize,
    /// Memory of the result.
    pub out: BufferId,
}

/// An instruction that the reference interpreter runs: a module of its own, with one function.
#[derive(Clone, Debug)]
pub struct ReferenceCall {
    /// The module; its entry has the operands as parameters and the results as results.
    pub module: Arc<Module>,
    /// Memory and types of the operands.
    pub operands: Vec<(BufferId, TensorType)>,
    /// Memory and types of the results.
    pub results: Vec<(BufferId, TensorType)>,
}

/// Machine code of kernels, as bytes: what `codegen` makes and `exec` loads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Artifact {
    /// Name of the processor features it needs: `x86-64-avx2`.
    pub target: String,
    /// Position-independent code with its constants. Entries are aligned to 64 bytes.
    pub code: Vec<u8>,
    /// One an emitted kernel.
    pub entries: Vec<Entry>,
}

/// An emitted kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The kernel's name.
    pub name: String,
    /// Offset of its first instruction.
    pub offset: usize,
    /// Bytes of its instructions and constants.
    pub bytes: usize,
}
