//! From [`Op`] to the attributes it is written with: the other direction of `build`.
//!
//! Attributes at their default are left out, so that equal operations print equally.

use std::fmt::Write;

use tfjit_base::{Shape, Tensor};

use super::show::write_list;
use crate::{
    Attr, Channel, CompareType, Convolution, DotGeneral, Gather, Group, Literal, Op, Precision,
    Scatter, Transpose, Window,
};

/// Attributes by name, in the order of their names.
pub(super) type Props = Vec<(&'static str, Attr)>;

fn int(value: i64) -> Attr {
    Attr::Int(value, "i64".to_owned())
}

fn int32(value: i32) -> Attr {
    Attr::Int(i64::from(value), "i32".to_owned())
}

fn ints(values: &[i64]) -> Attr {
    Attr::DenseArray("i64".to_owned(), values.to_vec())
}

fn float32(value: f32) -> Attr {
    Attr::Float(f64::from(value), "f32".to_owned())
}

fn word(kind: &str, text: &str) -> Attr {
    Attr::Opaque(format!("#stablehlo<{kind} {text}>"))
}

/// A matrix of integers as `dense<[[…], …]>`.
fn matrix(width: usize, values: &[i64]) -> Attr {
    let shape = Shape::new(&[values.len().checked_div(width).unwrap_or(0), width]);
    let tensor = Tensor::from_slice(shape, values).expect("whole rows fill a matrix");
    Attr::Dense(Box::new(Literal::dense(tensor)))
}

fn pairs(values: &[[i64; 2]]) -> Attr {
    matrix(2, values.as_flattened())
}

/// Rows as a matrix, the shorter ones padded with -1.
fn rows(rows: &[Vec<i64>]) -> Attr {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let padded =
        rows.iter().flat_map(|row| row.iter().copied().chain(std::iter::repeat(-1)).take(width));
    matrix(width, &padded.collect::<Vec<i64>>())
}

/// A dialect attribute with fields; empty lists and zeros are left out.
fn structure(name: &str, fields: &[(&str, &[i64])], index_vector_dim: Option<i64>) -> Attr {
    let mut text = format!("#stablehlo.{name}<");
    let mut first = true;
    for (key, values) in fields.iter().filter(|(_, values)| !values.is_empty()) {
        let _ = write!(text, "{}{key} = ", if first { "" } else { ", " });
        write_list(&mut text, *values);
        first = false;
    }
    if let Some(dim) = index_vector_dim.filter(|&dim| dim != 0) {
        let _ = write!(text, "{}index_vector_dim = {dim}", if first { "" } else { ", " });
    }
    text.push('>');
    Attr::Opaque(text)
}

/// The attributes of an operation, but not the literal of a constant.
pub(super) fn props(op: &Op) -> Props {
    let mut p = Props::new();
    if !(moving(op, &mut p) || combining(op, &mut p) || library(op, &mut p) || calls(op, &mut p)) {
        communication(op, &mut p);
    }
    p.sort_by_key(|(key, _)| *key);
    p
}

fn moving(op: &Op, p: &mut Props) -> bool {
    match op {
        Op::Iota { dimension } | Op::DynamicIota { dimension } => {
            p.push(("iota_dimension", int(*dimension)));
        }
        Op::Compare { direction, compare_type } => {
            p.push(("comparison_direction", word("comparison_direction", direction.text())));
            if *compare_type != CompareType::None {
                p.push(("compare_type", word("comparison_type", compare_type.text())));
            }
        }
        Op::ReducePrecision { exponent_bits, mantissa_bits } => {
            p.push(("exponent_bits", int32(*exponent_bits)));
            p.push(("mantissa_bits", int32(*mantissa_bits)));
        }
        Op::Map { dimensions } | Op::Reverse { dimensions } | Op::Reduce { dimensions } => {
            p.push(("dimensions", ints(dimensions)));
        }
        Op::BroadcastInDim { broadcast_dimensions } => {
            p.push(("broadcast_dimensions", ints(broadcast_dimensions)));
        }
        Op::DynamicBroadcastInDim {
            broadcast_dimensions,
            known_expanding_dimensions: expanding,
            known_nonexpanding_dimensions: nonexpanding,
        } => {
            p.push(("broadcast_dimensions", ints(broadcast_dimensions)));
            p.extend(expanding.iter().map(|d| ("known_expanding_dimensions", ints(d))));
            p.extend(nonexpanding.iter().map(|d| ("known_nonexpanding_dimensions", ints(d))));
        }
        Op::Transpose { permutation } => p.push(("permutation", ints(permutation))),
        Op::Concatenate { dimension }
        | Op::GetDimensionSize { dimension }
        | Op::SetDimensionSize { dimension } => p.push(("dimension", int(*dimension))),
        Op::Slice { start_indices, limit_indices, strides } => {
            p.push(("start_indices", ints(start_indices)));
            p.push(("limit_indices", ints(limit_indices)));
            p.push(("strides", ints(strides)));
        }
        Op::DynamicSlice { slice_sizes } => p.push(("slice_sizes", ints(slice_sizes))),
        Op::Pad { edge_padding_low, edge_padding_high, interior_padding } => {
            p.push(("edge_padding_low", ints(edge_padding_low)));
            p.push(("edge_padding_high", ints(edge_padding_high)));
            p.push(("interior_padding", ints(interior_padding)));
        }
        Op::Gather(gather) => {
            p.push(("slice_sizes", ints(&gather.slice_sizes)));
            gather_numbers(gather, p);
        }
        Op::DynamicGather(gather) => gather_numbers(gather, p),
        Op::TorchIndexSelect { dim, batch_dims } => {
            p.push(("dim", int(*dim)));
            p.push(("batch_dims", int(*batch_dims)));
        }
        Op::GetTupleElement { index } => {
            p.push(("index", Attr::Int(*index, "i32".to_owned())));
        }
        _ => return false,
    }
    true
}

fn gather_numbers(gather: &Gather, p: &mut Props) {
    let fields: [(&str, &[i64]); 5] = [
        ("offset_dims", &gather.offset_dims),
        ("collapsed_slice_dims", &gather.collapsed_slice_dims),
        ("operand_batching_dims", &gather.operand_batching_dims),
        ("start_indices_batching_dims", &gather.start_indices_batching_dims),
        ("start_index_map", &gather.start_index_map),
    ];
    let numbers = structure("gather", &fields, Some(gather.index_vector_dim));
    p.push(("dimension_numbers", numbers));
    flag(p, "indices_are_sorted", gather.indices_are_sorted);
}

/// Adds a flag that is false when absent.
fn flag(p: &mut Props, key: &'static str, value: bool) {
    if value {
        p.push((key, Attr::Bool(true)));
    }
}

fn combining(op: &Op, p: &mut Props) -> bool {
    match op {
        Op::ReduceWindow(w) | Op::SelectAndScatter(w) => window(w, p),
        Op::Scatter(scatter) => scatter_numbers(scatter, p),
        Op::Sort { dimension, is_stable } => {
            p.push(("dimension", int(*dimension)));
            p.push(("is_stable", Attr::Bool(*is_stable)));
        }
        Op::TopK { k, largest } => {
            p.push(("k", int(*k)));
            if !largest {
                p.push(("largest", Attr::Bool(false)));
            }
        }
        Op::DotGeneral(dot) => dot_numbers(dot, p),
        Op::Convolution(conv) | Op::DynamicConv(conv) => convolution(conv, p),
        _ => return false,
    }
    true
}

/// Whether a list is what an absent one stands for: `default` in each of `rank` places.
fn is_default<T: PartialEq>(values: &[T], default: &T, rank: usize) -> bool {
    values.len() == rank && values.iter().all(|v| v == default)
}

/// Adds a list unless it holds 1 in each of `rank` places.
fn unless_ones(p: &mut Props, key: &'static str, values: &[i64], rank: usize) {
    if !is_default(values, &1, rank) {
        p.push((key, ints(values)));
    }
}

fn padding(p: &mut Props, values: &[[i64; 2]], rank: usize) {
    if !is_default(values, &[0, 0], rank) {
        p.push(("padding", pairs(values)));
    }
}

fn window(w: &Window, p: &mut Props) {
    p.push(("window_dimensions", ints(&w.window_dimensions)));
    let rank = w.window_dimensions.len();
    unless_ones(p, "window_strides", &w.window_strides, rank);
    unless_ones(p, "base_dilations", &w.base_dilations, rank);
    unless_ones(p, "window_dilations", &w.window_dilations, rank);
    padding(p, &w.padding, rank);
}

fn scatter_numbers(scatter: &Scatter, p: &mut Props) {
    let fields: [(&str, &[i64]); 5] = [
        ("update_window_dims", &scatter.update_window_dims),
        ("inserted_window_dims", &scatter.inserted_window_dims),
        ("input_batching_dims", &scatter.input_batching_dims),
        ("scatter_indices_batching_dims", &scatter.scatter_indices_batching_dims),
        ("scatter_dims_to_operand_dims", &scatter.scatter_dims_to_operand_dims),
    ];
    let numbers = structure("scatter", &fields, Some(scatter.index_vector_dim));
    p.push(("scatter_dimension_numbers", numbers));
    flag(p, "indices_are_sorted", scatter.indices_are_sorted);
    flag(p, "unique_indices", scatter.unique_indices);
}

fn precision(p: &mut Props, precision: &[Precision]) {
    if !precision.is_empty() {
        let words = precision.iter().map(|x| word("precision", x.text())).collect();
        p.push(("precision_config", Attr::Array(words)));
    }
}

fn dot_numbers(dot: &DotGeneral, p: &mut Props) {
    let fields: [(&str, &[i64]); 4] = [
        ("lhs_batching_dimensions", &dot.lhs_batching_dimensions),
        ("rhs_batching_dimensions", &dot.rhs_batching_dimensions),
        ("lhs_contracting_dimensions", &dot.lhs_contracting_dimensions),
        ("rhs_contracting_dimensions", &dot.rhs_contracting_dimensions),
    ];
    p.push(("dot_dimension_numbers", structure("dot", &fields, None)));
    precision(p, &dot.precision);
    p.extend(dot.algorithm.iter().map(|a| ("algorithm", a.clone())));
}

fn convolution(conv: &Convolution, p: &mut Props) {
    p.push(("batch_group_count", int(conv.batch_group_count)));
    p.push(("feature_group_count", int(conv.feature_group_count)));
    p.push(("dimension_numbers", Attr::Opaque(format!("#stablehlo.conv<{}>", conv_numbers(conv)))));
    let rank = conv.input_spatial_dimensions.len();
    unless_ones(p, "window_strides", &conv.window_strides, rank);
    padding(p, &conv.padding, rank);
    unless_ones(p, "lhs_dilation", &conv.lhs_dilation, rank);
    unless_ones(p, "rhs_dilation", &conv.rhs_dilation, rank);
    if !is_default(&conv.window_reversal, &false, rank) {
        let values = conv.window_reversal.iter().map(|&v| i64::from(v)).collect();
        p.push(("window_reversal", Attr::DenseArray("i1".to_owned(), values)));
    }
    precision(p, &conv.precision);
}

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
fn conv_numbers(conv: &Convolution) -> String {
    let side = |letters: [(&str, i64); 2], spatial: &[i64]| {
        let numbers = spatial.iter().enumerate().map(|(i, &at)| (i.to_string(), at));
        let letters = letters.map(|(name, at)| (name.to_owned(), at));
        let mut all: Vec<(String, i64)> = letters.into_iter().chain(numbers).collect();
        all.sort_by_key(|&(_, at)| at);
        let mut text = String::new();
        write_list(&mut text, all.into_iter().map(|(name, _)| name));
        text
    };
    format!(
        "{}x{}->{}",
        side(
            [("b", conv.input_batch_dimension), ("f", conv.input_feature_dimension)],
            &conv.input_spatial_dimensions,
        ),
        side(
            [
                ("i", conv.kernel_input_feature_dimension),
                ("o", conv.kernel_output_feature_dimension),
            ],
            &conv.kernel_spatial_dimensions,
        ),
        side(
            [("b", conv.output_batch_dimension), ("f", conv.output_feature_dimension)],
            &conv.output_spatial_dimensions,
        ),
    )
}

fn library(op: &Op, p: &mut Props) -> bool {
    match op {
        Op::Cholesky { lower } => flag(p, "lower", *lower),
        Op::TriangularSolve { left_side, lower, unit_diagonal, transpose_a } => {
            p.push(("left_side", Attr::Bool(*left_side)));
            p.push(("lower", Attr::Bool(*lower)));
            p.push(("unit_diagonal", Attr::Bool(*unit_diagonal)));
            p.push(("transpose_a", transpose(*transpose_a)));
        }
        Op::Fft { fft_type, fft_length } => {
            p.push(("fft_type", word("fft_type", fft_type.text())));
            p.push(("fft_length", ints(fft_length)));
        }
        Op::BatchNormInference { epsilon, feature_index }
        | Op::BatchNormTraining { epsilon, feature_index }
        | Op::BatchNormGrad { epsilon, feature_index } => {
            p.push(("epsilon", float32(*epsilon)));
            p.push(("feature_index", int(*feature_index)));
        }
        Op::Rng { distribution } => {
            p.push(("rng_distribution", word("rng_distribution", distribution.text())));
        }
        Op::RngBitGenerator { algorithm } => {
            p.push(("rng_algorithm", word("rng_algorithm", algorithm.text())));
        }
        _ => return false,
    }
    true
}

fn transpose(transpose: Transpose) -> Attr {
    word("transpose", transpose.text())
}

fn calls(op: &Op, p: &mut Props) -> bool {
    match op {
        Op::Call { callee } => p.push(("callee", Attr::Symbol(callee.clone()))),
        Op::CustomCall(call) => {
            p.push(("call_target_name", Attr::Str(call.call_target_name.clone())));
            flag(p, "has_side_effect", call.has_side_effect);
            p.extend(call.backend_config.iter().map(|c| ("backend_config", c.clone())));
            p.extend(call.api_version.iter().map(|&v| ("api_version", int32(v))));
            if !call.called_computations.is_empty() {
                let names = call.called_computations.iter().cloned().map(Attr::Symbol).collect();
                p.push(("called_computations", Attr::Array(names)));
            }
        }
        Op::Composite(composite) => {
            p.push(("name", Attr::Str(composite.name.clone())));
            p.push(("decomposition", Attr::Symbol(composite.decomposition.clone())));
            if !composite.composite_attributes.is_empty() {
                let attrs = Attr::Dict(composite.composite_attributes.clone());
                p.push(("composite_attributes", attrs));
            }
            if composite.version != 0 {
                p.push(("version", int32(composite.version)));
            }
        }
        _ => return false,
    }
    true
}

fn communication(op: &Op, p: &mut Props) {
    match op {
        Op::AllGather { all_gather_dim, group: g } => {
            p.push(("all_gather_dim", int(*all_gather_dim)));
            group(g, p);
        }
        Op::AllReduce { group: g } | Op::CollectiveBroadcast { group: g } => group(g, p),
        Op::ReduceScatter { scatter_dimension, group: g } => {
            p.push(("scatter_dimension", int(*scatter_dimension)));
            group(g, p);
        }
        Op::AllToAll { split_dimension, concat_dimension, split_count, group: g } => {
            p.push(("split_dimension", int(*split_dimension)));
            p.push(("concat_dimension", int(*concat_dimension)));
            p.push(("split_count", int(*split_count)));
            group(g, p);
        }
        Op::CollectivePermute { source_target_pairs, channel: c } => {
            p.push(("source_target_pairs", pairs(source_target_pairs)));
            channel(c, p);
        }
        Op::Infeed { config } => p.push(("infeed_config", Attr::Str(config.clone()))),
        Op::Outfeed { config } => p.push(("outfeed_config", Attr::Str(config.clone()))),
        Op::Send { channel: c, is_host_transfer } | Op::Recv { channel: c, is_host_transfer } => {
            let text = format!(
                "#stablehlo.channel_handle<handle = {}, type = {}>",
                c.handle, c.channel_type
            );
            p.push(("channel_handle", Attr::Opaque(text)));
            flag(p, "is_host_transfer", *is_host_transfer);
        }
        _ => {}
    }
}

fn group(group: &Group, p: &mut Props) {
    p.push(("replica_groups", rows(&group.replica_groups)));
    channel(&group.channel, p);
    if group.use_global_device_ids {
        p.push(("use_global_device_ids", Attr::Unit));
    }
}

/// Adds a channel; the one that is all zero may be absent.
fn channel(channel: &Channel, p: &mut Props) {
    if *channel != Channel::default() {
        let text = format!(
            "#stablehlo.channel_handle<handle = {}, type = {}>",
            channel.handle, channel.channel_type
        );
        p.push(("channel_handle", Attr::Opaque(text)));
    }
}
