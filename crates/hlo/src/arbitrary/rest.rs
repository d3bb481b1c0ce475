//! Operations that not every program that can be run may have: effects, communication, unknown
//! extents, quantised types, and those whose results are open.

use tfjit_base::{DType, Result};

use super::contract::conv_numbers;
use super::control::arguments;
use super::moves::solid;
use super::reduce::combiner;
use super::values::integers;
use super::{Gen, Makers};
use crate::{
    Attr, Attrs, Channel, Composite, CustomCall, DYNAMIC, Dims, Gather, Group, Op, Quant,
    RngAlgorithm, RngDistribution, TensorType, Type, ValueId,
};

pub(super) const MAKERS: Makers = &[
    (1, process_ids),
    (2, tokens),
    (2, transfers),
    (2, gather_and_exchange),
    (2, reduce_across),
    (1, send_around),
    (2, calls),
    (2, random),
    (2, quantised),
    (2, dynamic_shapes),
    (2, dynamic_moves),
    (1, dynamic_gather),
    (1, dynamic_conv),
    (1, tuples),
];

fn process_ids(g: &mut Gen) -> Result<Vec<ValueId>> {
    let op = if g.rng.one_in(2) { Op::PartitionId } else { Op::ReplicaId };
    Ok(g.b.push(op, &[], &[])?.to_vec())
}

fn token(g: &mut Gen) -> Result<ValueId> {
    Ok(g.b.push(Op::AfterAll, &[], &[])?[0])
}

fn tokens(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (a, b) = (token(g)?, token(g)?);
    let x = g.any();
    let both = g.b.push(Op::AfterAll, &[a, b], &[])?[0];
    Ok(g.b.push(Op::OptimizationBarrier, &[x, both], &[])?.to_vec())
}

fn transfers(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (x, token) = (g.any(), token(g)?);
    let host = g.rng.one_in(2);
    let channel = |channel_type| Channel { handle: 5, channel_type };
    let received = [g.random_type(), Type::Token];
    Ok(match g.rng.below(4) {
        0 => {
            let op = Op::Infeed { config: "config".into() };
            g.b.push_typed(op, &[token], &[], &received)?.to_vec()
        }
        1 => g.b.push(Op::Outfeed { config: String::new() }, &[x, token], &[])?.to_vec(),
        2 => {
            let op = Op::Send { channel: channel(1 + i64::from(host)), is_host_transfer: host };
            g.b.push(op, &[x, token], &[])?.to_vec()
        }
        _ => {
            let op = Op::Recv { channel: channel(1 + 2 * i64::from(host)), is_host_transfer: host };
            g.b.push_typed(op, &[token], &[], &received)?.to_vec()
        }
    })
}

/// Two participants.
fn pair(g: &mut Gen) -> Box<Group> {
    let global = g.rng.one_in(2);
    Box::new(Group {
        replica_groups: vec![vec![0, 1]],
        channel: Channel { handle: i64::from(global), channel_type: i64::from(global) },
        use_global_device_ids: global,
    })
}

fn gather_and_exchange(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = solid(g, 1)?;
    let d = g.rng.below(g.ty(x).rank()) as i64;
    let op = Op::AllGather { all_gather_dim: d, group: pair(g) };
    let wide = g.b.push(op, &[x], &[])?[0];
    let concat_dimension = g.rng.below(g.ty(x).rank()) as i64;
    let group = Box::new(Group { replica_groups: vec![vec![0, 1]], ..Group::default() });
    let op = Op::AllToAll { split_dimension: d, concat_dimension, split_count: 2, group };
    Ok(g.b.push(op, &[wide], &[])?.to_vec())
}

fn reduce_across(g: &mut Gen) -> Result<Vec<ValueId>> {
    let dims = [2 * g.rng.between(1, 2), g.rng.between(1, 3)];
    let dtype = g.random_dtype();
    let x = g.with(dtype, &dims)?;
    let binary = combiner(g, dtype);
    let scalars = vec![Gen::scalar(dtype); 2];
    let region = g.region(&scalars, |g, p| Ok(vec![g.b.binary(binary, p[0], p[1])?]))?;
    let op = match g.rng.one_in(2) {
        true => Op::AllReduce { group: pair(g) },
        false => Op::ReduceScatter { scatter_dimension: 0, group: pair(g) },
    };
    Ok(g.b.push(op, &[x], &[region])?.to_vec())
}

fn send_around(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.any();
    let op = match g.rng.one_in(2) {
        true => Op::CollectivePermute {
            source_target_pairs: vec![[0, 1], [1, 0]],
            channel: Channel::default(),
        },
        false => Op::CollectiveBroadcast { group: pair(g) },
    };
    Ok(g.b.push(op, &[x], &[])?.to_vec())
}

fn calls(g: &mut Gen) -> Result<Vec<ValueId>> {
    let mut attributes = Attrs::new();
    attributes.insert("axis".into(), Attr::Int(-1, "i64".into()));
    attributes.insert("exact".into(), Attr::Bool(true));
    if let (Some(helper), true) = (g.helpers.first().cloned(), g.rng.one_in(2)) {
        let args = arguments(g, &helper.params)?;
        let op = Op::Composite(Box::new(Composite {
            name: "chlo.something".into(),
            composite_attributes: attributes,
            decomposition: helper.name,
            version: 1,
        }));
        return Ok(g.b.push_typed(op, &args, &[], &helper.results)?.to_vec());
    }
    let typed = g.rng.one_in(2);
    let op = Op::CustomCall(Box::new(CustomCall {
        call_target_name: "target".into(),
        has_side_effect: g.rng.one_in(2),
        backend_config: Some(match typed {
            true => Attr::Dict(attributes),
            false => Attr::Str("config \"quoted\"\n".into()),
        }),
        api_version: typed.then_some(4),
        called_computations: g.helpers.iter().take(1).map(|h| h.name.clone()).collect(),
        rest: Attrs::new(),
    }));
    let (x, types) = (g.any(), [g.random_type(), g.random_type()]);
    Ok(g.b.push_typed(op, &[x], &[], &types)?.to_vec())
}

fn random(g: &mut Gen) -> Result<Vec<ValueId>> {
    let dims = g.random_dims(3);
    if g.rng.one_in(2) {
        let dtype = g.rng.pick(&[DType::U32, DType::U64, DType::U8]);
        let (algorithm, words) = match g.rng.below(3) {
            0 => (RngAlgorithm::Default, 2),
            1 => (RngAlgorithm::ThreeFry, 2),
            _ => (RngAlgorithm::Philox, 3),
        };
        let state = g.with(DType::U64, &[words])?;
        let types = [Type::tensor(DType::U64, &[words]), Type::tensor(dtype, &dims)];
        return Ok(g
            .b
            .push_typed(Op::RngBitGenerator { algorithm }, &[state], &[], &types)?
            .to_vec());
    }
    let (a, b) = (g.with(DType::F32, &[])?, g.with(DType::F32, &[])?);
    let shape = g.b.constant(integers(DType::I64, &[dims.len() as i64], &dims)?)?;
    let op = Op::Rng { distribution: g.rng.pick(RngDistribution::ALL) };
    Ok(g.b.push_typed(op, &[a, b, shape], &[], &[Type::tensor(DType::F32, &dims)])?.to_vec())
}

fn quantised(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.of(&[DType::F32], 1)?;
    let mut ty = TensorType::new(DType::I8, &g.ty(x).dims);
    let axis = g.rng.one_in(2).then(|| ty.rank() - 1);
    let n = axis.map_or(1, |a| ty.dims[a] as usize);
    // No index, no scale: such a type has no text form.
    let (axis, n) = if n == 0 { (None, 1) } else { (axis, n) };
    ty.quant = Some(
        Quant {
            expressed: DType::F32,
            storage_range: g.rng.one_in(2).then_some((-100, 100)),
            axis,
            scale_bits: (0..n).map(|i| (0.5 + i as f64).to_bits()).collect(),
            zero_points: (0..n as i64).collect(),
        }
        .into(),
    );
    let q = g.b.push_typed(Op::UniformQuantize, &[x], &[], &[Type::Tensor(ty)])?[0];
    Ok(g.b.push(Op::UniformDequantize, &[q], &[])?.to_vec())
}

/// A vector of the extents of `dims`.
fn extents(g: &mut Gen, dims: &[i64]) -> Result<ValueId> {
    g.b.constant(integers(DType::I32, &[dims.len() as i64], dims)?)
}

fn dynamic_shapes(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.ranked()?;
    let ty = g.ty(x);
    let shape = extents(g, &ty.dims)?;
    let mut open = ty.clone();
    let d = g.rng.below(ty.rank());
    open.dims[d] = DYNAMIC;
    let types = [Type::Tensor(open.clone())];
    Ok(match g.rng.below(4) {
        0 => {
            let types = [Type::tensor(DType::I32, &open.dims)];
            let op = Op::DynamicIota { dimension: d as i64 };
            g.b.push_typed(op, &[shape], &[], &types)?.to_vec()
        }
        1 => {
            let all: Dims = (0..ty.rank() as i64).collect();
            let op = Op::DynamicBroadcastInDim {
                broadcast_dimensions: all.clone(),
                known_expanding_dimensions: g.rng.one_in(2).then(Dims::new),
                known_nonexpanding_dimensions: g.rng.one_in(2).then_some(all),
            };
            g.b.push_typed(op, &[x, shape], &[], &types)?.to_vec()
        }
        2 => g.b.push_typed(Op::DynamicReshape, &[x, shape], &[], &types)?.to_vec(),
        _ => {
            let size = g.index(DType::I32, 0, ty.dims[d])?;
            g.b.push(Op::SetDimensionSize { dimension: d as i64 }, &[x, size], &[])?.to_vec()
        }
    })
}

fn dynamic_moves(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.ranked()?;
    let ty = g.ty(x);
    let rank = ty.rank();
    let zeros = extents(g, &vec![0; rank])?;
    if g.rng.one_in(2) {
        let ones = extents(g, &vec![1; rank])?;
        let limit = extents(g, &ty.dims)?;
        return Ok(g.b.push(Op::RealDynamicSlice, &[x, zeros, limit, ones], &[])?.to_vec());
    }
    let value = g.with(ty.dtype, &[])?;
    let high = extents(g, &vec![2; rank])?;
    Ok(g.b.push(Op::DynamicPad, &[x, value, zeros, high, zeros], &[])?.to_vec())
}

fn dynamic_gather(g: &mut Gen) -> Result<Vec<ValueId>> {
    let x = g.with(DType::F32, &[4, 3])?;
    let indices = g.indices(DType::I32, &[5, 1], 0, 3)?;
    let sizes = extents(g, &[1, 3])?;
    let gather = Gather {
        offset_dims: Dims::from_slice(&[1]),
        collapsed_slice_dims: Dims::from_slice(&[0]),
        start_index_map: Dims::from_slice(&[0]),
        index_vector_dim: 1,
        indices_are_sorted: g.rng.one_in(2),
        ..Gather::default()
    };
    Ok(g.b.push(Op::DynamicGather(Box::new(gather)), &[x, indices, sizes], &[])?.to_vec())
}

fn dynamic_conv(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (mut conv, image, kernel) = conv_numbers(g);
    let spatial = conv.padding.len();
    let pairs: Vec<i64> = conv.padding.iter().flatten().copied().collect();
    conv.padding = vec![[0, 0]; spatial];
    let (x, k) = (g.with(DType::F32, &image)?, g.with(DType::F32, &kernel)?);
    let padding = g.b.constant(integers(DType::I32, &[spatial as i64, 2], &pairs)?)?;
    Ok(g.b.push(Op::DynamicConv(Box::new(conv)), &[x, k, padding], &[])?.to_vec())
}

fn tuples(g: &mut Gen) -> Result<Vec<ValueId>> {
    let (x, token) = (g.any(), token(g)?);
    let inner = g.b.push(Op::Tuple, &[x, token], &[])?[0];
    Ok(g.b.push(Op::Tuple, &[inner, x], &[])?.to_vec())
}
