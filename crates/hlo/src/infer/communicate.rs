//! Rules of collectives and of transfers to and from the host.

use tfjit_base::{DType, Result};

use super::extent::{Extent, tensor};
use super::reduce::accumulators;
use super::rule::{Rule, ensure};
use super::types::{Shown, describe};
use crate::{Channel, Group, TensorType, Type};

/// Checks the ids of a group of which everybody is a member: also that none is left out.
fn members(r: &Rule<'_>, group: &Group) -> Result<()> {
    let ids = some_members(r, group)?;
    let (n, last) = (ids.len(), ids.last().copied());
    ensure!(
        r,
        last.is_none_or(|id| id < n as i64),
        "replica_groups has {n} ids, and one of them is {}",
        last.unwrap_or_default()
    );
    Ok(())
}

/// Checks the ids of a group: rows of one length, no id twice, -1 only as padding. Sorted ids.
fn some_members(r: &Rule<'_>, group: &Group) -> Result<Vec<i64>> {
    let rows = &group.replica_groups;
    let width = rows.first().map_or(0, Vec::len);
    ensure!(r, rows.iter().all(|row| row.len() == width), "replica_groups is no matrix");
    let mut ids: Vec<i64> = rows.iter().flatten().copied().filter(|&id| id != -1).collect();
    ids.sort_unstable();
    ensure!(r, ids.first().is_none_or(|&id| id >= 0), "replica_groups has a negative id");
    ensure!(r, ids.windows(2).all(|w| w[0] != w[1]), "replica_groups has an id twice");
    ensure!(
        r,
        !group.use_global_device_ids || group.channel.handle > 0,
        "use_global_device_ids needs a channel"
    );
    Ok(ids)
}

/// The number of participants of each group, where the attributes alone tell it: with a channel
/// and without global ids, each replica stands for all its partitions.
fn participants(group: &Group) -> Option<i64> {
    let row = group.replica_groups.first()?;
    let alone = group.channel.handle <= 0 || group.use_global_device_ids;
    (alone && !row.contains(&-1) && !row.is_empty()).then_some(row.len() as i64)
}

/// The type of result `k`, which differs from `x` in dimension `d`: there `whole` is `part` times
/// the number of participants.
fn scaled(
    r: &Rule<'_>,
    k: usize,
    x: &TensorType,
    d: usize,
    group: &Group,
    grows: bool,
) -> Result<Type> {
    let mut extents = Extent::all(x);
    let given = extents[d];
    let count = participants(group);
    let declared = r.maybe_declared(k).filter(|t| t.rank() == x.rank()).map(|t| Extent::of(t, d));
    extents[d] = match (count, declared) {
        (Some(n), _) if grows => given.map(|size| {
            size.checked_mul(n).ok_or_else(|| r.broken("the gathered extent is too large"))
        })?,
        (Some(n), _) => {
            let whole = given.size().is_none_or(|size| size % n == 0);
            ensure!(r, whole, "extent {given} of dimension {d} is no multiple of {n} participants");
            given.map(|size| Ok::<i64, tfjit_base::Error>(size / n))?
        }
        (None, Some(declared)) => declared,
        (None, None) => return Err(r.broken("the number of participants is open; declare results")),
    };
    let (small, large) = if grows { (given, extents[d]) } else { (extents[d], given) };
    let divides = match (small.size(), large.size()) {
        (Some(0), Some(large)) => large == 0,
        (Some(small), Some(large)) => large % small == 0,
        _ => true,
    };
    ensure!(r, divides, "extents {small} and {large} of dimension {d} do not divide");
    r.like(k, x, &extents)
}

pub(super) fn all_gather(r: &Rule<'_>, dim: i64, group: &Group) -> Result<Vec<Type>> {
    members(r, group)?;
    let gather = |k: usize| {
        let x = r.tensor(k)?;
        let d = r.dimension("all_gather_dim", dim, x.rank())?;
        let empty = Extent::of(x, d).size() == Some(0);
        ensure!(r, !empty, "dimension {d}, along which it gathers, is empty");
        scaled(r, k, x, d, group, true)
    };
    (0..r.operands.len()).map(gather).collect()
}

/// The element type that region 0 accumulates each of `inputs` in.
fn accumulator(r: &Rule<'_>, inputs: &[&TensorType]) -> Result<DType> {
    let mut made = inputs[0].dtype;
    for input in inputs {
        made = accumulators(r, 0, &[input.dtype])?[0];
    }
    Ok(made)
}

pub(super) fn all_reduce(r: &Rule<'_>, group: &Group) -> Result<Vec<Type>> {
    members(r, group)?;
    let inputs = r.tensors(0, r.operands.len())?;
    let dtype = accumulator(r, &inputs)?;
    let result = |(k, &input): (usize, &&TensorType)| match input.dtype == dtype {
        true => r.like(k, input, &Extent::all(input)),
        false => Ok(Type::Tensor(tensor(dtype, &Extent::all(input)))),
    };
    inputs.iter().enumerate().map(result).collect()
}

pub(super) fn reduce_scatter(r: &Rule<'_>, dim: i64, group: &Group) -> Result<Vec<Type>> {
    members(r, group)?;
    let x = r.tensor(0)?;
    let d = r.dimension("scatter_dimension", dim, x.rank())?;
    let dtype = accumulator(r, &[x])?;
    let x = if dtype == x.dtype { x.clone() } else { x.with_dtype(dtype) };
    Ok(vec![scaled(r, 0, &x, d, group, false)?])
}

pub(super) fn all_to_all(
    r: &Rule<'_>,
    [split, concat]: [i64; 2],
    count: i64,
    group: &Group,
) -> Result<Vec<Type>> {
    members(r, group)?;
    r.at_least("split_count", &[count], 1)?;
    if let Some(n) = participants(group) {
        ensure!(r, n == count, "split_count is {count}, groups have {n} participants");
    }
    let exchange = |k: usize| {
        let x = r.tensor(k)?;
        let split = r.dimension("split_dimension", split, x.rank())?;
        let concat = r.dimension("concat_dimension", concat, x.rank())?;
        let mut extents = Extent::all(x);
        let whole = extents[split].size().is_none_or(|n| n % count == 0);
        ensure!(r, whole, "extent {} cannot be split by {count}", extents[split]);
        extents[split] = extents[split].map(|n| Ok::<i64, tfjit_base::Error>(n / count))?;
        extents[concat] = extents[concat].map(|n| {
            n.checked_mul(count).ok_or_else(|| r.broken("the joined extent is too large"))
        })?;
        r.like(k, x, &extents)
    };
    (0..r.operands.len()).map(exchange).collect()
}

pub(super) fn permute(r: &Rule<'_>, pairs: &[[i64; 2]]) -> Result<Vec<Type>> {
    for end in 0..2 {
        let mut ids: Vec<i64> = pairs.iter().map(|pair| pair[end]).collect();
        ids.sort_unstable();
        ensure!(r, ids.first().is_none_or(|&id| id >= 0), "source_target_pairs has a negative id");
        let once = ids.windows(2).all(|w| w[0] != w[1]);
        ensure!(r, once, "source_target_pairs has a source or a target twice");
    }
    Ok(vec![Type::Tensor(r.tensor(0)?.clone())])
}

pub(super) fn broadcast(r: &Rule<'_>, group: &Group) -> Result<Vec<Type>> {
    some_members(r, group)?;
    Ok(vec![Type::Tensor(r.tensor(0)?.clone())])
}

/// Checks that a channel's type, if it has one, says what `is_host_transfer` says.
pub(super) fn channel(r: &Rule<'_>, channel: Channel, host: Option<i64>) -> Result<()> {
    let (given, wanted) = (channel.channel_type, host.unwrap_or(DEVICE_TO_DEVICE));
    let fits = given == 0 || given == wanted;
    ensure!(r, fits, "channel_type is {given}, is_host_transfer asks for {wanted}");
    Ok(())
}

/// Values of `channel_type`.
const DEVICE_TO_DEVICE: i64 = 1;
pub(super) const DEVICE_TO_HOST: i64 = 2;
pub(super) const HOST_TO_DEVICE: i64 = 3;

/// `infeed` and `recv`: declared tensors, and a token last.
pub(super) fn receive(r: &Rule<'_>) -> Result<Vec<Type>> {
    ensure!(r, *r.operands[0] == Type::Token, "operand 0 is {}", describe(r.operands[0]));
    let types = r.declared.ok_or_else(|| r.broken("what it receives must be declared"))?;
    ensure!(r, types.last() == Some(&Type::Token), "its last result must be a token");
    Ok(types.to_vec())
}

/// `outfeed` and `send`: tensors, and a token last.
pub(super) fn send(r: &Rule<'_>) -> Result<Vec<Type>> {
    let Some((last, values)) = r.operands.split_last() else {
        return Err(r.broken("it takes a token"));
    };
    ensure!(r, **last == Type::Token, "its last operand is {}, not a token", describe(last));
    for i in 0..values.len() {
        let value = r.tensor(i)?;
        r.plain(value, &format!("operand {i} ({})", Shown(value)))?;
    }
    Ok(vec![Type::Token])
}
