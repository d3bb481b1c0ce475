//! From an operation's name and attributes to [`Op`].

use tfjit_base::{Error, Result};

use super::fields::Fields;
use super::mesh::mesh_groups;
use super::structs::{Struct, conv_dimensions};
use crate::{
    Attr, Attrs, Binary, Channel, CompareType, Composite, Convolution, CustomCall, Dims, Direction,
    DotGeneral, FftType, Gather, Group, Op, RngAlgorithm, RngDistribution, Scatter, Transpose,
    Unary, Window,
};

/// The operation called `name`; takes its attributes out of `attrs`.
pub(super) fn build(name: &str, attrs: &mut Attrs) -> Result<Op> {
    if let Some(unary) = Unary::from_text(name) {
        return Ok(Op::Unary(unary));
    }
    if let Some(binary) = Binary::from_text(name) {
        return Ok(Op::Binary(binary));
    }
    let mut f = Fields::new(name, attrs);
    let builders = [simple, moving, combining, library, calls, communication];
    for builder in builders {
        if let Some(op) = builder(name, &mut f)? {
            return Ok(op);
        }
    }
    Err(Error::unimplemented(format!("the operation {name} is not supported")))
}

type Built = Result<Option<Op>>;

/// Operations without attributes, constants and elementwise ones.
fn simple(name: &str, f: &mut Fields<'_>) -> Built {
    Ok(Some(match name {
        "stablehlo.select" => Op::Select,
        "stablehlo.clamp" => Op::Clamp,
        "stablehlo.convert" => Op::Convert,
        "stablehlo.bitcast_convert" => Op::BitcastConvert,
        "stablehlo.uniform_quantize" => Op::UniformQuantize,
        "stablehlo.uniform_dequantize" => Op::UniformDequantize,
        "stablehlo.reshape" => Op::Reshape,
        "stablehlo.dynamic_reshape" => Op::DynamicReshape,
        "stablehlo.real_dynamic_slice" => Op::RealDynamicSlice,
        "stablehlo.dynamic_update_slice" => Op::DynamicUpdateSlice,
        "stablehlo.dynamic_pad" => Op::DynamicPad,
        "stablehlo.while" => Op::While,
        "stablehlo.if" => Op::If,
        "stablehlo.case" => Op::Case,
        "stablehlo.tuple" => Op::Tuple,
        "stablehlo.optimization_barrier" => Op::OptimizationBarrier,
        "stablehlo.after_all" | "stablehlo.create_token" => Op::AfterAll,
        "stablehlo.partition_id" => Op::PartitionId,
        "stablehlo.replica_id" => Op::ReplicaId,
        "stablehlo.iota" => Op::Iota { dimension: f.int("iota_dimension")? },
        "stablehlo.dynamic_iota" => Op::DynamicIota { dimension: f.int("iota_dimension")? },
        "stablehlo.compare" => Op::Compare {
            direction: f.variant("comparison_direction", Direction::from_text)?,
            compare_type: f.variant_or(
                "compare_type",
                CompareType::from_text,
                CompareType::None,
            )?,
        },
        "stablehlo.reduce_precision" => Op::ReducePrecision {
            exponent_bits: f.i32_or("exponent_bits", 0)?,
            mantissa_bits: f.i32_or("mantissa_bits", 0)?,
        },
        "stablehlo.map" => Op::Map { dimensions: f.dims("dimensions")? },
        "stablehlo.get_tuple_element" => Op::GetTupleElement { index: f.int("index")? },
        "stablehlo.get_dimension_size" => Op::GetDimensionSize { dimension: f.int("dimension")? },
        "stablehlo.set_dimension_size" => Op::SetDimensionSize { dimension: f.int("dimension")? },
        _ => return Ok(None),
    }))
}

fn moving(name: &str, f: &mut Fields<'_>) -> Built {
    Ok(Some(match name {
        "stablehlo.broadcast_in_dim" => {
            Op::BroadcastInDim { broadcast_dimensions: f.dims("broadcast_dimensions")? }
        }
        "stablehlo.dynamic_broadcast_in_dim" => Op::DynamicBroadcastInDim {
            broadcast_dimensions: f.dims("broadcast_dimensions")?,
            known_expanding_dimensions: f.optional_dims("known_expanding_dimensions")?,
            known_nonexpanding_dimensions: f.optional_dims("known_nonexpanding_dimensions")?,
        },
        "stablehlo.transpose" => Op::Transpose { permutation: f.dims("permutation")? },
        "stablehlo.reverse" => Op::Reverse { dimensions: f.dims("dimensions")? },
        "stablehlo.concatenate" => Op::Concatenate { dimension: f.int("dimension")? },
        "stablehlo.slice" => {
            let start_indices = f.dims("start_indices")?;
            let strides = f.dims_or("strides", 1, start_indices.len())?;
            Op::Slice { start_indices, limit_indices: f.dims("limit_indices")?, strides }
        }
        "stablehlo.dynamic_slice" => Op::DynamicSlice { slice_sizes: f.dims("slice_sizes")? },
        "stablehlo.pad" => Op::Pad {
            edge_padding_low: f.dims("edge_padding_low")?,
            edge_padding_high: f.dims("edge_padding_high")?,
            interior_padding: f.dims("interior_padding")?,
        },
        "stablehlo.gather" => {
            let mut gather = gather(f)?;
            gather.slice_sizes = f.dims("slice_sizes")?;
            Op::Gather(Box::new(gather))
        }
        "stablehlo.dynamic_gather" => Op::DynamicGather(Box::new(gather(f)?)),
        "stablehlo.torch_index_select" => {
            Op::TorchIndexSelect { dim: f.int("dim")?, batch_dims: f.int_or("batch_dims", 0)? }
        }
        _ => return Ok(None),
    }))
}

fn gather(f: &mut Fields<'_>) -> Result<Gather> {
    let text = f.dialect("dimension_numbers")?;
    let mut s = Struct::parse(&text, "gather")?;
    let gather = Gather {
        offset_dims: s.list("offset_dims"),
        collapsed_slice_dims: s.list("collapsed_slice_dims"),
        operand_batching_dims: s.list("operand_batching_dims"),
        start_indices_batching_dims: s.list("start_indices_batching_dims"),
        start_index_map: s.list("start_index_map"),
        index_vector_dim: s.int("index_vector_dim"),
        slice_sizes: Dims::new(),
        indices_are_sorted: f.bool_or("indices_are_sorted", false)?,
    };
    s.finish()?;
    Ok(gather)
}

fn combining(name: &str, f: &mut Fields<'_>) -> Built {
    Ok(Some(match name {
        "stablehlo.reduce" => Op::Reduce { dimensions: f.dims("dimensions")? },
        "stablehlo.reduce_window" => {
            let window_dimensions = f.dims("window_dimensions")?;
            Op::ReduceWindow(Box::new(window(f, window_dimensions)?))
        }
        "stablehlo.select_and_scatter" => {
            // Without a window each element is its own.
            let strides = f.optional_dims("window_strides")?;
            let rank = strides.as_ref().map_or(0, Dims::len);
            let window_dimensions = f.dims_or("window_dimensions", 1, rank)?;
            let mut window = window(f, window_dimensions)?;
            if let Some(strides) = strides {
                window.window_strides = strides;
            }
            Op::SelectAndScatter(Box::new(window))
        }
        "stablehlo.scatter" => Op::Scatter(Box::new(scatter(f)?)),
        "stablehlo.sort" => Op::Sort {
            dimension: f.int_or("dimension", -1)?,
            is_stable: f.bool_or("is_stable", false)?,
        },
        "chlo.top_k" => Op::TopK { k: f.int("k")?, largest: f.bool_or("largest", true)? },
        "stablehlo.dot_general" => Op::DotGeneral(Box::new(dot_general(f)?)),
        "stablehlo.convolution" => Op::Convolution(Box::new(convolution(f)?)),
        "stablehlo.dynamic_conv" => Op::DynamicConv(Box::new(convolution(f)?)),
        _ => return Ok(None),
    }))
}

fn window(f: &mut Fields<'_>, window_dimensions: Dims) -> Result<Window> {
    let rank = window_dimensions.len();
    Ok(Window {
        window_strides: f.dims_or("window_strides", 1, rank)?,
        base_dilations: f.dims_or("base_dilations", 1, rank)?,
        window_dilations: f.dims_or("window_dilations", 1, rank)?,
        padding: f.pairs_or_zero("padding", rank)?,
        window_dimensions,
    })
}

fn scatter(f: &mut Fields<'_>) -> Result<Scatter> {
    let text = f.dialect("scatter_dimension_numbers")?;
    let mut s = Struct::parse(&text, "scatter")?;
    let scatter = Scatter {
        update_window_dims: s.list("update_window_dims"),
        inserted_window_dims: s.list("inserted_window_dims"),
        input_batching_dims: s.list("input_batching_dims"),
        scatter_indices_batching_dims: s.list("scatter_indices_batching_dims"),
        scatter_dims_to_operand_dims: s.list("scatter_dims_to_operand_dims"),
        index_vector_dim: s.int("index_vector_dim"),
        indices_are_sorted: f.bool_or("indices_are_sorted", false)?,
        unique_indices: f.bool_or("unique_indices", false)?,
    };
    s.finish()?;
    Ok(scatter)
}

fn dot_general(f: &mut Fields<'_>) -> Result<DotGeneral> {
    let text = f.dialect("dot_dimension_numbers")?;
    let mut s = Struct::parse(&text, "dot")?;
    let dot = DotGeneral {
        lhs_batching_dimensions: s.list("lhs_batching_dimensions"),
        rhs_batching_dimensions: s.list("rhs_batching_dimensions"),
        lhs_contracting_dimensions: s.list("lhs_contracting_dimensions"),
        rhs_contracting_dimensions: s.list("rhs_contracting_dimensions"),
        precision: f.precision()?,
        algorithm: f.take("algorithm"),
    };
    s.finish()?;
    Ok(dot)
}

fn convolution(f: &mut Fields<'_>) -> Result<Convolution> {
    let mut conv = Convolution {
        feature_group_count: f.int_or("feature_group_count", 1)?,
        batch_group_count: f.int_or("batch_group_count", 1)?,
        precision: f.precision()?,
        ..Convolution::default()
    };
    conv_dimensions(&f.dialect("dimension_numbers")?, &mut conv)?;
    let rank = conv.input_spatial_dimensions.len();
    conv.window_strides = f.dims_or("window_strides", 1, rank)?;
    conv.padding = f.pairs_or_zero("padding", rank)?;
    conv.lhs_dilation = f.dims_or("lhs_dilation", 1, rank)?;
    conv.rhs_dilation = f.dims_or("rhs_dilation", 1, rank)?;
    conv.window_reversal = f.flags_or_false("window_reversal", rank)?;
    Ok(conv)
}

fn library(name: &str, f: &mut Fields<'_>) -> Built {
    Ok(Some(match name {
        "stablehlo.cholesky" => Op::Cholesky { lower: f.bool_or("lower", false)? },
        "stablehlo.triangular_solve" => Op::TriangularSolve {
            left_side: f.bool_or("left_side", false)?,
            lower: f.bool_or("lower", false)?,
            unit_diagonal: f.bool_or("unit_diagonal", false)?,
            transpose_a: f.variant_or("transpose_a", Transpose::from_text, Transpose::No)?,
        },
        "stablehlo.fft" => Op::Fft {
            fft_type: f.variant("fft_type", FftType::from_text)?,
            fft_length: f.dims("fft_length")?,
        },
        "stablehlo.batch_norm_inference" => Op::BatchNormInference {
            epsilon: f.f32("epsilon")?,
            feature_index: f.int("feature_index")?,
        },
        "stablehlo.batch_norm_training" => Op::BatchNormTraining {
            epsilon: f.f32("epsilon")?,
            feature_index: f.int("feature_index")?,
        },
        "stablehlo.batch_norm_grad" => {
            Op::BatchNormGrad { epsilon: f.f32("epsilon")?, feature_index: f.int("feature_index")? }
        }
        "stablehlo.rng" => {
            Op::Rng { distribution: f.variant("rng_distribution", RngDistribution::from_text)? }
        }
        "stablehlo.rng_bit_generator" => {
            Op::RngBitGenerator { algorithm: f.variant("rng_algorithm", RngAlgorithm::from_text)? }
        }
        _ => return Ok(None),
    }))
}

fn calls(name: &str, f: &mut Fields<'_>) -> Built {
    Ok(Some(match name {
        "func.call" => Op::Call { callee: f.symbol("callee")? },
        "stablehlo.custom_call" => {
            let call_target_name = f.symbol("call_target_name")?;
            Op::CustomCall(Box::new(custom_call(f, call_target_name)?))
        }
        "stablehlo.composite" => Op::Composite(Box::new(Composite {
            name: f.text_or_empty("name")?,
            composite_attributes: match f.take("composite_attributes") {
                None => Attrs::new(),
                Some(Attr::Dict(attrs)) => attrs,
                Some(_) => return Err(f.wrong("composite_attributes", "a dictionary")),
            },
            decomposition: f.symbol("decomposition")?,
            version: f.i32_or("version", 0)?,
        })),
        // Assertions of test programs and of the reference interpreter are calls to the tester.
        _ if name.starts_with("check.") || name.starts_with("interpreter.") => {
            let mut call = custom_call(f, name.to_owned())?;
            call.has_side_effect = true;
            Op::CustomCall(Box::new(call))
        }
        _ => return Ok(None),
    }))
}

fn custom_call(f: &mut Fields<'_>, call_target_name: String) -> Result<CustomCall> {
    let api_version = match f.i32_or("api_version", i32::MIN)? {
        i32::MIN => None,
        version => Some(version),
    };
    Ok(CustomCall {
        call_target_name,
        has_side_effect: f.bool_or("has_side_effect", false)?,
        backend_config: f.take("backend_config"),
        api_version,
        called_computations: f.symbols("called_computations")?,
        rest: f.rest(),
    })
}

fn communication(name: &str, f: &mut Fields<'_>) -> Built {
    Ok(Some(match name {
        "stablehlo.all_gather" => {
            Op::AllGather { all_gather_dim: f.int("all_gather_dim")?, group: Box::new(group(f)?) }
        }
        "stablehlo.all_reduce" => Op::AllReduce { group: Box::new(group(f)?) },
        "stablehlo.reduce_scatter" => Op::ReduceScatter {
            scatter_dimension: f.int("scatter_dimension")?,
            group: Box::new(group(f)?),
        },
        "stablehlo.all_to_all" => Op::AllToAll {
            split_dimension: f.int("split_dimension")?,
            concat_dimension: f.int("concat_dimension")?,
            split_count: f.int("split_count")?,
            group: Box::new(group(f)?),
        },
        "stablehlo.collective_permute" => Op::CollectivePermute {
            source_target_pairs: f.optional_pairs("source_target_pairs")?.unwrap_or_default(),
            channel: channel(f)?,
        },
        "stablehlo.collective_broadcast" => Op::CollectiveBroadcast { group: Box::new(group(f)?) },
        "stablehlo.infeed" => Op::Infeed { config: f.text_or_empty("infeed_config")? },
        "stablehlo.outfeed" => Op::Outfeed { config: f.text_or_empty("outfeed_config")? },
        "stablehlo.send" => Op::Send {
            channel: channel(f)?,
            is_host_transfer: f.bool_or("is_host_transfer", false)?,
        },
        "stablehlo.recv" => Op::Recv {
            channel: channel(f)?,
            is_host_transfer: f.bool_or("is_host_transfer", false)?,
        },
        _ => return Ok(None),
    }))
}

fn group(f: &mut Fields<'_>) -> Result<Group> {
    Ok(Group {
        replica_groups: replica_groups(f)?,
        channel: channel(f)?,
        use_global_device_ids: f.bool_or("use_global_device_ids", false)?,
    })
}

/// Groups as rows, or as axes of a mesh of devices.
fn replica_groups(f: &mut Fields<'_>) -> Result<Vec<Vec<i64>>> {
    match f.require("replica_groups")? {
        Attr::Opaque(text) => mesh_groups(&text),
        attr => f.as_rows("replica_groups", &attr),
    }
}

fn channel(f: &mut Fields<'_>) -> Result<Channel> {
    let Some(text) = f.optional_dialect("channel_handle")? else { return Ok(Channel::default()) };
    let mut s = Struct::parse(&text, "channel_handle")?;
    let channel = Channel { handle: s.int("handle"), channel_type: s.int("type") };
    s.finish()?;
    Ok(channel)
}
