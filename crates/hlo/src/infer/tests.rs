//! One row a case: operation, operand types, regions, declared types, and what comes out.

use tfjit_base::{DType, Shape, Tensor};

use super::types::describe;
use super::{RegionSig, infer};
use crate::op::*;
use crate::{DYNAMIC, Dims, Literal, TensorType, Type};

/// Reads `f32[2,?]`, `i32[<=4]` or `token`.
fn ty(text: &str) -> Type {
    if text == "token" {
        return Type::Token;
    }
    let (name, dims) = text.strip_suffix(']').and_then(|t| t.split_once('[')).unwrap();
    let dtype = DType::ALL.into_iter().find(|d| d.name() == name).unwrap();
    let mut ty = TensorType::new(dtype, &[]);
    let mut bounds = Vec::new();
    for dim in dims.split(',').filter(|d| !d.is_empty()) {
        let bound = dim.strip_prefix("<=").map(|b| b.parse::<i64>().unwrap());
        bounds.push(bound.unwrap_or(DYNAMIC));
        ty.dims.push(dim.parse().unwrap_or(DYNAMIC));
    }
    if bounds.iter().any(|&b| b != DYNAMIC) {
        ty.bounds = bounds.into();
    }
    Type::Tensor(ty)
}

fn types(text: &str) -> Vec<Type> {
    text.split_whitespace().map(ty).collect()
}

/// Regions written as `parameters -> results`, separated by `;`.
fn regions(text: &str) -> Vec<RegionSig> {
    let one = |part: &str| {
        let (params, results) = part.split_once("->").unwrap();
        RegionSig { params: types(params), results: types(results) }
    };
    text.split(';').filter(|part| !part.trim().is_empty()).map(one).collect()
}

/// The result types, or the message of the error.
fn outcome(op: &Op, operands: &str, sigs: &str, declared: Option<&str>) -> String {
    let operands = types(operands);
    let operands: Vec<&Type> = operands.iter().collect();
    let declared = declared.map(types);
    match infer(op, &operands, &regions(sigs), declared.as_deref()) {
        Ok(types) => types.iter().map(describe).collect::<Vec<_>>().join(" "),
        Err(e) => e.message().to_string(),
    }
}

#[track_caller]
fn plain(op: Op, operands: &str, want: &str) {
    assert_eq!(outcome(&op, operands, "", None), want);
}

#[track_caller]
fn declared(op: Op, operands: &str, declared: &str, want: &str) {
    assert_eq!(outcome(&op, operands, "", Some(declared)), want);
}

#[track_caller]
fn with_regions(op: Op, operands: &str, sigs: &str, want: &str) {
    assert_eq!(outcome(&op, operands, sigs, None), want);
}

fn dims(values: &[i64]) -> Dims {
    Dims::from_slice(values)
}

#[test]
fn elementwise() {
    let add = || Op::Binary(Binary::Add);
    plain(add(), "f32[2,3] f32[2,3]", "f32[2,3]");
    plain(add(), "f32[2,?] f32[?,3]", "f32[2,3]");
    plain(add(), "f32[?] f32[<=4]", "f32[<=4]");
    plain(
        add(),
        "f32[5] f32[<=4]",
        "stablehlo.add: the operands must have one shape, not those of f32[5] and f32[<=4]",
    );
    plain(
        add(),
        "f32[2] i32[2]",
        "stablehlo.add: the operands must have one element type, not those of f32[2] and i32[2]",
    );
    plain(add(), "f32[2]", "stablehlo.add: 1 operands are not a number it takes");
    declared(add(), "f32[?] f32[?]", "f32[7]", "f32[7]");
    declared(
        add(),
        "f32[2] f32[2]",
        "f32[3]",
        "stablehlo.add: result 0 is f32[2], not f32[3] as declared",
    );
    plain(
        Op::Binary(Binary::And),
        "f32[] f32[]",
        "stablehlo.and: operand 0 is f32[], an element type it does not take",
    );
    plain(Op::Binary(Binary::Complex), "f64[2] f64[2]", "c128[2]");
    plain(Op::Unary(Unary::Abs), "c64[2]", "f32[2]");
    plain(Op::Unary(Unary::IsFinite), "bf16[2]", "bool[2]");
    plain(
        Op::Unary(Unary::CountLeadingZeros),
        "f32[2]",
        "stablehlo.count_leading_zeros: operand 0 is f32[2], an element type it does not take",
    );
    plain(Op::Select, "bool[] f32[2] f32[2]", "f32[2]");
    plain(Op::Select, "bool[2] f32[2] f32[?]", "f32[2]");
    plain(Op::Select, "i32[] f32[2] f32[2]", "stablehlo.select: operand 0 is i32[], not bool");
    plain(Op::Clamp, "f32[] f32[2] f32[2]", "f32[2]");
    plain(
        Op::Clamp,
        "f32[1] f32[2] f32[2]",
        "stablehlo.clamp: the lower bound, if no scalar, and operand 1 must have one shape, not \
         those of f32[1] and f32[2]",
    );
    plain(Op::Unary(Unary::Tanh), "token", "stablehlo.tanh: operand 0 is a token, not a tensor");
}

#[test]
fn comparisons_and_conversions() {
    let compare = |t| Op::Compare { direction: Direction::Lt, compare_type: t };
    plain(compare(CompareType::None), "i32[2] i32[2]", "bool[2]");
    plain(compare(CompareType::TotalOrder), "f32[2] f32[2]", "bool[2]");
    plain(
        compare(CompareType::Float),
        "i32[2] i32[2]",
        "stablehlo.compare: compare_type FLOAT does not fit i32[2]",
    );
    declared(Op::Convert, "i32[2,?]", "f32[2,?]", "f32[2,?]");
    plain(
        Op::Convert,
        "i32[2]",
        "stablehlo.convert: the operands do not determine the result type; declare it",
    );
    declared(Op::BitcastConvert, "f32[2]", "u8[2,4]", "u8[2,4]");
    declared(Op::BitcastConvert, "u8[2,4]", "f32[2]", "f32[2]");
    declared(
        Op::BitcastConvert,
        "u8[2,3]",
        "f32[2]",
        "stablehlo.bitcast_convert: the last dimension of u8[2,3] must hold the parts of one f32",
    );
    declared(
        Op::BitcastConvert,
        "c64[]",
        "u64[]",
        "stablehlo.bitcast_convert: c64[] and u64[] are not both complex or both real",
    );
    plain(
        Op::ReducePrecision { exponent_bits: 0, mantissa_bits: 1 },
        "f32[]",
        "stablehlo.reduce_precision: exponent_bits is 0, the least is 1",
    );
}

#[test]
fn constants() {
    let splat = Literal::splat(Tensor::scalar(1.0f32), &Shape::new(&[4])).unwrap();
    plain(Op::Constant(splat.clone()), "", "f32[4]");
    let wrong = splat.with_type(TensorType::new(DType::I32, &[4]));
    plain(Op::Constant(wrong), "", "stablehlo.constant: data of f32[] is no literal of i32[4]");
    declared(Op::Iota { dimension: 1 }, "", "i32[2,3]", "i32[2,3]");
    declared(
        Op::Iota { dimension: 2 },
        "",
        "i32[2,3]",
        "stablehlo.iota: iota_dimension 2 is not a dimension of rank 2",
    );
    declared(Op::DynamicIota { dimension: 0 }, "i32[1]", "i32[?]", "i32[?]");
    plain(Op::ReplicaId, "", "u32[]");
    let philox = || Op::RngBitGenerator { algorithm: RngAlgorithm::Philox };
    declared(philox(), "u64[3]", "u64[3] u32[7]", "u64[3] u32[7]");
    declared(
        philox(),
        "u64[4]",
        "u64[4] u32[7]",
        "stablehlo.rng_bit_generator: PHILOX has no state u64[4]",
    );
    let normal = Op::Rng { distribution: RngDistribution::Normal };
    plain(normal, "f32[] f32[] i64[2]", "f32[?,?]");
}

#[test]
fn moves() {
    let broadcast = |d: &[i64]| Op::BroadcastInDim { broadcast_dimensions: dims(d) };
    declared(broadcast(&[2, 1]), "i32[1,3]", "i32[2,3,2]", "i32[2,3,2]");
    declared(
        broadcast(&[0, 1]),
        "i32[1,3]",
        "i32[2,2]",
        "stablehlo.broadcast_in_dim: dimension 1 of extent 3 cannot become dimension 1 of extent 2",
    );
    declared(
        broadcast(&[0, 0]),
        "i32[1,3]",
        "i32[3]",
        "stablehlo.broadcast_in_dim: broadcast_dimensions has dimension 0 twice",
    );
    declared(Op::Reshape, "f32[2,3]", "f32[6]", "f32[6]");
    declared(Op::Reshape, "f32[0,3]", "f32[0]", "f32[0]");
    declared(
        Op::Reshape,
        "f32[2,3]",
        "f32[5]",
        "stablehlo.reshape: f32[2,3] has 6 elements, f32[5] has 5",
    );
    plain(Op::Transpose { permutation: dims(&[2, 0, 1]) }, "f32[2,3,<=4]", "f32[<=4,2,3]");
    plain(
        Op::Transpose { permutation: dims(&[0, 0]) },
        "f32[2,3]",
        "stablehlo.transpose: permutation has dimension 0 twice",
    );
    plain(Op::Reverse { dimensions: dims(&[0]) }, "f32[2]", "f32[2]");
    let join = |dimension| Op::Concatenate { dimension };
    plain(join(1), "f32[4,1] f32[4,2] f32[?,3]", "f32[4,6]");
    plain(join(0), "f32[<=3] f32[2]", "f32[<=5]");
    plain(
        join(1),
        "f32[4,1] f32[3,2]",
        "stablehlo.concatenate: operand 1 has extent 3 in dimension 0, operand 0 has 4",
    );
    let slice = |s: i64, l: i64, t: i64| Op::Slice {
        start_indices: dims(&[s]),
        limit_indices: dims(&[l]),
        strides: dims(&[t]),
    };
    plain(slice(1, 8, 3), "f32[9]", "f32[3]");
    plain(slice(0, 0, 1), "f32[9]", "f32[0]");
    plain(slice(1, 10, 3), "f32[9]", "stablehlo.slice: limit 10 is past extent 9 in dimension 0");
    plain(slice(1, 8, 0), "f32[9]", "stablehlo.slice: strides has 0, the least is 1");
    let pad = |l: i64, h: i64, i: i64| Op::Pad {
        edge_padding_low: dims(&[l]),
        edge_padding_high: dims(&[h]),
        interior_padding: dims(&[i]),
    };
    plain(pad(1, -1, 2), "f32[3] f32[]", "f32[7]");
    plain(pad(0, 0, 2), "f32[0] f32[]", "f32[0]");
    plain(
        pad(0, -4, 0),
        "f32[3] f32[]",
        "stablehlo.pad: the padded extent of dimension 0 would be -1",
    );
}

#[test]
fn indexing() {
    let slice = Op::DynamicSlice { slice_sizes: dims(&[2, 2]) };
    plain(slice.clone(), "i32[4,4] i64[] i64[]", "i32[2,2]");
    plain(
        slice,
        "i32[4,4] i64[] i32[]",
        "stablehlo.dynamic_slice: start indices must have one integer type, operand 2 is i32[]",
    );
    plain(Op::DynamicUpdateSlice, "i32[4,4] i32[2,4] i64[] i64[]", "i32[4,4]");
    let gather = Gather {
        offset_dims: dims(&[2, 3]),
        collapsed_slice_dims: dims(&[0]),
        start_index_map: dims(&[1, 0]),
        index_vector_dim: 2,
        slice_sizes: dims(&[1, 2, 2]),
        ..Gather::default()
    };
    let op = |g: &Gather| Op::Gather(Box::new(g.clone()));
    plain(op(&gather), "i32[3,4,2] i64[2,3,2]", "i32[2,3,2,2]");
    plain(
        op(&Gather { slice_sizes: dims(&[2, 2, 2]), ..gather.clone() }),
        "i32[3,4,2] i64[2,3,2]",
        "stablehlo.gather: the slice size of dimension 0, which the result lacks, is 2",
    );
    let batched = Gather {
        offset_dims: dims(&[3, 4]),
        collapsed_slice_dims: dims(&[1]),
        operand_batching_dims: dims(&[0]),
        start_indices_batching_dims: dims(&[1]),
        start_index_map: dims(&[2, 1]),
        index_vector_dim: 3,
        slice_sizes: dims(&[1, 1, 2, 2]),
        ..Gather::default()
    };
    plain(op(&batched), "i32[2,3,4,2] i32[2,2,3,2]", "i32[2,2,3,2,2]");
    let dynamic = Gather { slice_sizes: dims(&[]), ..gather };
    plain(Op::DynamicGather(Box::new(dynamic)), "i32[3,4,2] i64[2,3,2] i64[3]", "i32[2,3,?,?]");
    plain(Op::TorchIndexSelect { dim: 1, batch_dims: 0 }, "f32[5,1,6] i32[2,3]", "f32[5,2,3,6]");
    let scatter = Scatter {
        update_window_dims: dims(&[2, 3]),
        inserted_window_dims: dims(&[0]),
        scatter_dims_to_operand_dims: dims(&[1, 0]),
        index_vector_dim: 2,
        ..Scatter::default()
    };
    let op = Op::Scatter(Box::new(scatter));
    with_regions(
        op.clone(),
        "i32[3,4,2] i64[2,3,2] i32[2,3,2,2]",
        "i32[] i32[] -> i32[]",
        "i32[3,4,2]",
    );
    with_regions(
        op,
        "i32[3,4,2] i64[2,3,2] i32[2,4,2,2]",
        "i32[] i32[] -> i32[]",
        "stablehlo.scatter: dimension 1 of the updates has extent 4, not 3",
    );
}

#[test]
fn reductions() {
    let reduce = |d: &[i64]| Op::Reduce { dimensions: dims(d) };
    with_regions(reduce(&[0]), "f32[2,3] f32[]", "f32[] f32[] -> f32[]", "f32[3]");
    with_regions(reduce(&[0]), "bf16[2,3] bf16[]", "f32[] f32[] -> f32[]", "f32[3]");
    with_regions(
        reduce(&[1]),
        "f32[2,3] i32[2,3] f32[] i32[]",
        "f32[] i32[] f32[] i32[] -> f32[] i32[]",
        "f32[2] i32[2]",
    );
    with_regions(
        reduce(&[0]),
        "f32[2,3] f32[]",
        "bf16[] bf16[] -> bf16[]",
        "stablehlo.reduce: region 0 accumulates input 0 of f32 in bf16, which cannot hold it",
    );
    with_regions(
        reduce(&[2]),
        "f32[2,3] f32[]",
        "f32[] f32[] -> f32[]",
        "stablehlo.reduce: dimensions 2 is not a dimension of rank 2",
    );
    let window = Window {
        window_dimensions: dims(&[2, 1]),
        window_strides: dims(&[4, 1]),
        base_dilations: dims(&[2, 1]),
        window_dilations: dims(&[3, 1]),
        padding: vec![[2, 1], [0, 0]],
    };
    let region = "i32[] i32[] -> i32[]";
    with_regions(Op::ReduceWindow(Box::new(window.clone())), "i32[3,2] i32[]", region, "i32[2,2]");
    with_regions(Op::ReduceWindow(Box::new(window)), "i32[?,2] i32[]", region, "i32[?,2]");
    let window = Window {
        window_dimensions: dims(&[3, 1]),
        window_strides: dims(&[2, 1]),
        base_dilations: dims(&[1, 1]),
        window_dilations: dims(&[1, 1]),
        padding: vec![[0, 1], [0, 0]],
    };
    with_regions(
        Op::SelectAndScatter(Box::new(window)),
        "i32[4,2] i32[2,2] i32[]",
        "i32[] i32[] -> bool[]; i32[] i32[] -> i32[]",
        "i32[4,2]",
    );
    let sort = |dimension| Op::Sort { dimension, is_stable: true };
    let less = "f32[] f32[] i32[] i32[] -> bool[]";
    with_regions(sort(-1), "f32[2,3] i32[2,3]", less, "f32[2,3] i32[2,3]");
    with_regions(
        sort(-3),
        "f32[2,3] i32[2,3]",
        less,
        "stablehlo.sort: dimension -1 is not a dimension of rank 2",
    );
    plain(Op::TopK { k: 2, largest: true }, "f32[4,5]", "f32[4,2] i32[4,2]");
}

#[test]
fn contractions() {
    let dot = DotGeneral {
        lhs_batching_dimensions: dims(&[0]),
        rhs_batching_dimensions: dims(&[0]),
        lhs_contracting_dimensions: dims(&[2]),
        rhs_contracting_dimensions: dims(&[1]),
        ..DotGeneral::default()
    };
    let op = || Op::DotGeneral(Box::new(dot.clone()));
    plain(op(), "bf16[5,2,3] bf16[5,3,4]", "bf16[5,2,4]");
    declared(op(), "bf16[5,2,3] bf16[5,3,4]", "f32[5,2,4]", "f32[5,2,4]");
    declared(op(), "i8[5,2,3] u8[5,3,4]", "i32[5,2,4]", "i32[5,2,4]");
    declared(
        op(),
        "i32[5,2,3] i32[5,3,4]",
        "i8[5,2,4]",
        "stablehlo.dot_general: products of i32 and i32 do not accumulate in i8",
    );
    plain(
        op(),
        "f32[5,2,3] f32[5,7,4]",
        "stablehlo.dot_general: dimension 2 of operand 0 has extent 3, dimension 1 of operand 1 \
         has 7",
    );
    let conv = Convolution {
        window_strides: dims(&[4, 4]),
        padding: vec![[0, 0]; 2],
        lhs_dilation: dims(&[2, 2]),
        rhs_dilation: dims(&[1, 1]),
        window_reversal: vec![false; 2],
        input_feature_dimension: 3,
        input_spatial_dimensions: dims(&[1, 2]),
        kernel_input_feature_dimension: 2,
        kernel_output_feature_dimension: 3,
        kernel_spatial_dimensions: dims(&[0, 1]),
        output_feature_dimension: 3,
        output_spatial_dimensions: dims(&[1, 2]),
        feature_group_count: 1,
        batch_group_count: 1,
        ..Convolution::default()
    };
    let op = |c: &Convolution| Op::Convolution(Box::new(c.clone()));
    plain(op(&conv), "f32[7,4,4,2] f32[3,3,2,6]", "f32[7,2,2,6]");
    plain(op(&conv), "f32[?,4,?,2] f32[3,3,2,6]", "f32[?,2,?,6]");
    let grouped = Convolution { feature_group_count: 2, ..conv.clone() };
    plain(op(&grouped), "f32[7,4,4,4] f32[3,3,2,6]", "f32[7,2,2,6]");
    let batched = Convolution { batch_group_count: 2, ..conv.clone() };
    plain(op(&batched), "f32[8,4,4,2] f32[3,3,2,6]", "f32[4,2,2,6]");
    plain(
        op(&batched),
        "f32[7,4,4,2] f32[3,3,2,6]",
        "stablehlo.convolution: the batch dimension of 7 cannot be divided by 2 groups",
    );
    let dynamic = Op::DynamicConv(Box::new(conv));
    plain(dynamic, "f32[7,4,4,2] f32[3,3,2,6] i32[2,2]", "f32[7,?,?,6]");
}

#[test]
fn library() {
    plain(Op::Cholesky { lower: true }, "f32[2,3,3]", "f32[2,3,3]");
    plain(
        Op::Cholesky { lower: true },
        "f32[2,3]",
        "stablehlo.cholesky: the matrices of f32[2,3] are not square",
    );
    let solve = |left_side| Op::TriangularSolve {
        left_side,
        lower: true,
        unit_diagonal: false,
        transpose_a: Transpose::No,
    };
    plain(solve(true), "f32[3,3] f32[3,4]", "f32[3,4]");
    plain(
        solve(false),
        "f32[3,3] f32[3,4]",
        "stablehlo.triangular_solve: matrices of 3 rows do not solve for 4",
    );
    let fft = |fft_type, n: i64| Op::Fft { fft_type, fft_length: dims(&[n]) };
    plain(fft(FftType::Rfft, 6), "f32[2,6]", "c64[2,4]");
    plain(fft(FftType::Irfft, 6), "c64[2,4]", "f32[2,6]");
    plain(fft(FftType::Fft, 6), "c64[2,6]", "c64[2,6]");
    plain(
        fft(FftType::Irfft, 9),
        "c64[2,4]",
        "stablehlo.fft: dimension 1 has extent 4, a transform of 9 takes 5",
    );
    let training = Op::BatchNormTraining { epsilon: 0.0, feature_index: 1 };
    plain(training, "f32[2,3] f32[3] f32[?]", "f32[2,3] f32[3] f32[3]");
    let grad = Op::BatchNormGrad { epsilon: 0.0, feature_index: 1 };
    plain(
        grad,
        "f32[2,3] f32[3] f32[2] f32[3] f32[2,3]",
        "stablehlo.batch_norm_grad: operand 2 is f32[2], not a vector of 3",
    );
}

#[test]
fn control() {
    let body = "i32[] f32[?] -> bool[]; i32[] f32[?] -> i32[] f32[3]";
    with_regions(Op::While, "i32[] f32[?]", body, "i32[] f32[?]");
    with_regions(
        Op::While,
        "i32[]",
        "i32[] -> i32[]; i32[] -> i32[]",
        "stablehlo.while: results of cond: value 0 is i32[], not bool[]",
    );
    with_regions(Op::If, "bool[]", "-> f32[2]; -> f32[?]", "f32[?]");
    with_regions(
        Op::Case,
        "i32[]",
        "-> f32[2]; -> f32[3]",
        "stablehlo.case: result 0 is f32[2] in branch 0 and f32[3] in branch 1",
    );
    plain(Op::OptimizationBarrier, "f32[2] token", "f32[2] a token");
    plain(Op::GetDimensionSize { dimension: 1 }, "f32[2,?]", "i32[]");
    plain(Op::SetDimensionSize { dimension: 0 }, "f32[5] i32[]", "f32[<=5]");
    plain(Op::AfterAll, "token token", "a token");
    plain(Op::Tuple, "f32[2] token", "a tuple of 2");
    let call = Op::Call { callee: "f".into() };
    declared(call, "f32[]", "f32[2] i32[]", "f32[2] i32[]");
}

#[test]
fn communication() {
    let group = |rows: &[&[i64]]| {
        let replica_groups = rows.iter().map(|row| row.to_vec()).collect();
        Box::new(Group { replica_groups, ..Group::default() })
    };
    let gather = |rows: &[&[i64]]| Op::AllGather { all_gather_dim: 1, group: group(rows) };
    plain(gather(&[&[0, 1], &[2, 3]]), "f32[2,3]", "f32[2,6]");
    plain(
        gather(&[&[0, 1], &[1, 3]]),
        "f32[2,3]",
        "stablehlo.all_gather: replica_groups has an id twice",
    );
    plain(
        gather(&[&[0, 2]]),
        "f32[2,3]",
        "stablehlo.all_gather: replica_groups has 2 ids, and one of them is 2",
    );
    let send = Op::Send { channel: Channel { handle: 5, channel_type: 1 }, is_host_transfer: true };
    plain(send, "f32[2] token", "stablehlo.send: channel_type is 1, is_host_transfer asks for 2");
    let sum = "f32[] f32[] -> f32[]";
    let scatter = Op::ReduceScatter { scatter_dimension: 0, group: group(&[&[0, 1]]) };
    with_regions(scatter.clone(), "f32[4]", sum, "f32[2]");
    with_regions(
        scatter,
        "f32[5]",
        sum,
        "stablehlo.reduce_scatter: extent 5 of dimension 0 is no multiple of 2 participants",
    );
    with_regions(Op::AllReduce { group: group(&[]) }, "f32[4] f32[]", sum, "f32[4] f32[]");
    let exchange = Op::AllToAll {
        split_dimension: 1,
        concat_dimension: 0,
        split_count: 2,
        group: group(&[&[0, 1]]),
    };
    plain(exchange, "f32[2,4]", "f32[4,2]");
    let permute = |pairs: &[[i64; 2]]| Op::CollectivePermute {
        source_target_pairs: pairs.to_vec(),
        channel: Channel::default(),
    };
    plain(permute(&[[0, 1], [1, 0]]), "f32[2]", "f32[2]");
    plain(
        permute(&[[0, 1], [1, 1]]),
        "f32[2]",
        "stablehlo.collective_permute: source_target_pairs has a source or a target twice",
    );
    let infeed = || Op::Infeed { config: String::new() };
    declared(infeed(), "token", "f32[2] token", "f32[2] a token");
    declared(infeed(), "token", "f32[2]", "stablehlo.infeed: its last result must be a token");
    plain(Op::Outfeed { config: String::new() }, "f32[2] token", "a token");
}

#[test]
fn hostile_numbers_are_errors() {
    const HUGE: i64 = i64::MAX;
    let pad = Op::Pad {
        edge_padding_low: dims(&[HUGE]),
        edge_padding_high: dims(&[HUGE]),
        interior_padding: dims(&[HUGE]),
    };
    assert!(outcome(&pad, "f32[9] f32[]", "", None).contains("would be"));
    let window = Window {
        window_dimensions: dims(&[HUGE]),
        window_strides: dims(&[1]),
        base_dilations: dims(&[HUGE]),
        window_dilations: dims(&[HUGE]),
        padding: vec![[HUGE, HUGE]],
    };
    let out =
        outcome(&Op::ReduceWindow(Box::new(window)), "f32[9] f32[]", "f32[] f32[] -> f32[]", None);
    assert!(out.contains("would be"), "{out}");
    let parts = format!("f32[{HUGE},0] f32[{HUGE},0]");
    let out = outcome(&Op::Concatenate { dimension: 0 }, &parts, "", None);
    assert_eq!(out, "stablehlo.concatenate: the joined extent is too large");
    let out = outcome(&Op::Iota { dimension: HUGE }, "", "", Some("f32[1]"));
    assert!(out.contains("is not a dimension"), "{out}");
    let out = outcome(&Op::Reshape, "f32[2]", "", Some("f32[1048576,1048576,2]"));
    assert!(out.contains("elements"), "{out}");
    let deep = TensorType::new(DType::F32, &[1; 33]);
    let result = infer(&Op::Unary(Unary::Abs), &[&Type::Tensor(deep)], &[], None);
    assert!(result.unwrap_err().message().contains("rank 33"));
    let negative = TensorType::new(DType::F32, &[-7]);
    assert!(infer(&Op::Unary(Unary::Abs), &[&Type::Tensor(negative)], &[], None).is_err());
    let select = Op::TorchIndexSelect { dim: i64::MIN, batch_dims: i64::MIN };
    assert!(outcome(&select, "f32[2] i32[2]", "", None).contains("is not a dimension"));
}
