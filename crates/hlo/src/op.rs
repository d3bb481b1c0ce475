//! The closed set of operations, each with its attributes.
//!
//! Matches on [`Op`] are exhaustive everywhere, so that a new operation is a list of places the
//! compiler finds. Facts that are the same kind for every operation are in [`OpRow`].

use smallvec::SmallVec;
use tfjit_base::DType;

pub use crate::kinds::{
    Binary, CompareType, Direction, FftType, Precision, RngAlgorithm, RngDistribution, Transpose,
    Unary,
};
use crate::{Attr, Literal};

/// A short list of dimension numbers or extents.
pub type Dims = SmallVec<[i64; 6]>;

/// An operation with its attributes. Types of results that operands do not determine
/// (`iota`, `reshape`, `convert`, …) are those of the instruction's result values.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub enum Op {
    // Constants.
    Constant(Literal),
    Iota {
        dimension: i64,
    },
    /// `dynamic_iota(output_shape)`.
    DynamicIota {
        dimension: i64,
    },
    PartitionId,
    ReplicaId,

    // Elementwise.
    Unary(Unary),
    Binary(Binary),
    Compare {
        direction: Direction,
        compare_type: CompareType,
    },
    /// `select(pred, on_true, on_false)`; `pred` may be a scalar.
    Select,
    /// `clamp(min, operand, max)`; bounds may be scalars.
    Clamp,
    Convert,
    BitcastConvert,
    ReducePrecision {
        exponent_bits: i32,
        mantissa_bits: i32,
    },
    UniformQuantize,
    UniformDequantize,
    /// `map(inputs…)` with a region over scalars.
    Map {
        dimensions: Dims,
    },

    // Moving elements.
    /// Operand dimension `i` becomes result dimension `broadcast_dimensions[i]`.
    BroadcastInDim {
        broadcast_dimensions: Dims,
    },
    /// `dynamic_broadcast_in_dim(operand, output_dimensions)`.
    DynamicBroadcastInDim {
        broadcast_dimensions: Dims,
        known_expanding_dimensions: Option<Dims>,
        known_nonexpanding_dimensions: Option<Dims>,
    },
    Reshape,
    /// `dynamic_reshape(operand, output_shape)`.
    DynamicReshape,
    Transpose {
        permutation: Dims,
    },
    Reverse {
        dimensions: Dims,
    },
    Concatenate {
        dimension: i64,
    },
    Slice {
        start_indices: Dims,
        limit_indices: Dims,
        strides: Dims,
    },
    /// `dynamic_slice(operand, start_indices…)`, clamped.
    DynamicSlice {
        slice_sizes: Dims,
    },
    /// `real_dynamic_slice(operand, start, limit, strides)`.
    RealDynamicSlice,
    /// `dynamic_update_slice(operand, update, start_indices…)`, clamped.
    DynamicUpdateSlice,
    /// `pad(operand, padding_value)`.
    Pad {
        edge_padding_low: Dims,
        edge_padding_high: Dims,
        interior_padding: Dims,
    },
    /// `dynamic_pad(operand, padding_value, low, high, interior)`.
    DynamicPad,
    Gather(Box<Gather>),
    /// `dynamic_gather(operand, start_indices, slice_sizes)`.
    DynamicGather(Box<Gather>),
    /// `torch_index_select(operand, index)`.
    TorchIndexSelect {
        dim: i64,
        batch_dims: i64,
    },

    // Combining elements.
    /// `reduce(inputs…, init_values…)` with a region over scalars.
    Reduce {
        dimensions: Dims,
    },
    /// `reduce_window(inputs…, init_values…)` with a region over scalars.
    ReduceWindow(Box<Window>),
    /// `select_and_scatter(operand, source, init_value)` with regions `select` and `scatter`.
    SelectAndScatter(Box<Window>),
    /// `scatter(inputs…, scatter_indices, updates…)` with a region over scalars.
    Scatter(Box<Scatter>),
    /// `sort(inputs…)` with a comparator region over pairs of scalars.
    Sort {
        dimension: i64,
        is_stable: bool,
    },
    /// `chlo.top_k(operand)`: values and their `i32` indices along the last dimension.
    TopK {
        k: i64,
        largest: bool,
    },

    // Contractions.
    DotGeneral(Box<DotGeneral>),
    Convolution(Box<Convolution>),
    /// `dynamic_conv(lhs, rhs, padding)`.
    DynamicConv(Box<Convolution>),

    // Library.
    Cholesky {
        lower: bool,
    },
    TriangularSolve {
        left_side: bool,
        lower: bool,
        unit_diagonal: bool,
        transpose_a: Transpose,
    },
    Fft {
        fft_type: FftType,
        fft_length: Dims,
    },
    /// `batch_norm_inference(operand, scale, offset, mean, variance)`.
    BatchNormInference {
        epsilon: f32,
        feature_index: i64,
    },
    /// `batch_norm_training(operand, scale, offset)`: output, batch mean, batch variance.
    BatchNormTraining {
        epsilon: f32,
        feature_index: i64,
    },
    /// `batch_norm_grad(operand, scale, mean, variance, grad_output)`.
    BatchNormGrad {
        epsilon: f32,
        feature_index: i64,
    },

    // Random.
    /// `rng(a, b, shape)`.
    Rng {
        distribution: RngDistribution,
    },
    /// `rng_bit_generator(initial_state)`: new state and bits.
    RngBitGenerator {
        algorithm: RngAlgorithm,
    },

    // Control.
    /// `while(operands…)` with regions `cond` and `body`.
    While,
    /// `if(pred)` with regions for true and false.
    If,
    /// `case(index)` with one region a branch; out of range takes the last.
    Case,

    // Calls.
    /// `func.call @callee(operands…)`.
    Call {
        callee: String,
    },
    CustomCall(Box<CustomCall>),
    /// `composite "name"(operands…)`, decomposed by the function it names.
    Composite(Box<Composite>),

    // Structure.
    Tuple,
    GetTupleElement {
        index: i64,
    },
    OptimizationBarrier,
    GetDimensionSize {
        dimension: i64,
    },
    /// `set_dimension_size(operand, size)`.
    SetDimensionSize {
        dimension: i64,
    },
    /// Joins tokens.
    AfterAll,

    // Communication.
    AllGather {
        all_gather_dim: i64,
        group: Box<Group>,
    },
    /// With a region over scalars.
    AllReduce {
        group: Box<Group>,
    },
    /// With a region over scalars.
    ReduceScatter {
        scatter_dimension: i64,
        group: Box<Group>,
    },
    AllToAll {
        split_dimension: i64,
        concat_dimension: i64,
        split_count: i64,
        group: Box<Group>,
    },
    CollectivePermute {
        source_target_pairs: Vec<[i64; 2]>,
        channel: Channel,
    },
    CollectiveBroadcast {
        group: Box<Group>,
    },
    Infeed {
        config: String,
    },
    Outfeed {
        config: String,
    },
    Send {
        channel: Channel,
        is_host_transfer: bool,
    },
    Recv {
        channel: Channel,
        is_host_transfer: bool,
    },
}

/// Attributes of `gather` and `dynamic_gather`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct Gather {
    pub offset_dims: Dims,
    pub collapsed_slice_dims: Dims,
    pub operand_batching_dims: Dims,
    pub start_indices_batching_dims: Dims,
    pub start_index_map: Dims,
    pub index_vector_dim: i64,
    /// Empty for `dynamic_gather`.
    pub slice_sizes: Dims,
    pub indices_are_sorted: bool,
}

/// Attributes of `scatter`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct Scatter {
    pub update_window_dims: Dims,
    pub inserted_window_dims: Dims,
    pub input_batching_dims: Dims,
    pub scatter_indices_batching_dims: Dims,
    pub scatter_dims_to_operand_dims: Dims,
    pub index_vector_dim: i64,
    pub indices_are_sorted: bool,
    pub unique_indices: bool,
}

/// A window over an operand's dimensions; one entry a dimension in each list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct Window {
    pub window_dimensions: Dims,
    pub window_strides: Dims,
    /// Always 1 for `select_and_scatter` and the kernel of a convolution's window.
    pub base_dilations: Dims,
    pub window_dilations: Dims,
    pub padding: Vec<[i64; 2]>,
}

/// Attributes of `dot_general`.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct DotGeneral {
    pub lhs_batching_dimensions: Dims,
    pub rhs_batching_dimensions: Dims,
    pub lhs_contracting_dimensions: Dims,
    pub rhs_contracting_dimensions: Dims,
    /// Empty or one an operand.
    pub precision: Vec<Precision>,
    /// The `algorithm = …` attribute as written; computing more exactly is always allowed.
    pub algorithm: Option<Attr>,
}

/// Attributes of `convolution` and `dynamic_conv`.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct Convolution {
    pub window_strides: Dims,
    /// Zeros for `dynamic_conv`.
    pub padding: Vec<[i64; 2]>,
    pub lhs_dilation: Dims,
    pub rhs_dilation: Dims,
    pub window_reversal: Vec<bool>,
    pub input_batch_dimension: i64,
    pub input_feature_dimension: i64,
    pub input_spatial_dimensions: Dims,
    pub kernel_input_feature_dimension: i64,
    pub kernel_output_feature_dimension: i64,
    pub kernel_spatial_dimensions: Dims,
    pub output_batch_dimension: i64,
    pub output_feature_dimension: i64,
    pub output_spatial_dimensions: Dims,
    pub feature_group_count: i64,
    pub batch_group_count: i64,
    pub precision: Vec<Precision>,
}

/// Attributes of `custom_call`.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct CustomCall {
    pub call_target_name: String,
    pub has_side_effect: bool,
    /// A string, or a dictionary when `api_version` is 4.
    pub backend_config: Option<Attr>,
    pub api_version: Option<i32>,
    pub called_computations: Vec<String>,
    /// Other attributes that belong to the call (layouts, aliases, `mhlo.*`), as written.
    pub rest: crate::Attrs,
}

/// Attributes of `composite`.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct Composite {
    pub name: String,
    pub composite_attributes: crate::Attrs,
    pub decomposition: String,
    pub version: i32,
}

/// Who takes part in a collective.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct Group {
    /// Rows of ids, padded with -1.
    pub replica_groups: Vec<Vec<i64>>,
    pub channel: Channel,
    pub use_global_device_ids: bool,
}

/// A channel handle; all zero when absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "fields are the attributes StableHLO's specification names")]
pub struct Channel {
    pub handle: i64,
    pub channel_type: i64,
}

/// The element type of indices that `top_k` returns.
pub const TOP_K_INDEX: DType = DType::I32;
