//! Collectives of a group, and transfers between a program and its host.
//!
//! Which group takes part is known while compiling. A cluster has one group: members of two would
//! wait for each other in turns.

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Channel, Group, TensorType, ValueId};

use crate::OpCtx;
use crate::row::{OpRow, row, row_const};

/// The group of the collectives of a lowered function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CollectiveInfo {
    /// The key that all members share.
    pub group_key: i32,
    /// Number of members.
    pub group_size: i32,
    /// Number of collectives in the function.
    pub next_id: i32,
}

/// What a function communicates, while it is lowered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Communication {
    /// The group, once a collective was met.
    pub(crate) info: Option<CollectiveInfo>,
    /// Host transfers so far.
    transfers: i64,
}

pub(super) const ROWS: &[OpRow] = &[
    row_const(
        "CollectiveAssignGroupV2",
        &["group_assignment", "device_index", "base_key"],
        "the group of a device",
        assign_group,
    ),
    row_const(
        "CollectiveReduceV2",
        &["group_size", "group_key"],
        "combines the tensors of all members",
        collective_reduce,
    ),
    row_const("XlaAllReduce", &["group_assignment"], "combines the tensors of groups", all_reduce),
    row("XlaRecvFromHost", "what the host sends", recv_from_host),
    row_const(
        "XlaReduceScatter",
        &["group_assignment", "scatter_dimension"],
        "combines the tensors of groups; each member gets a part",
        reduce_scatter,
    ),
    row("XlaSendToHost", "a value for the host", send_to_host),
];

impl Communication {
    /// A channel for the next collective of a group: the key in the upper half, a number below.
    fn channel(&mut self, group_key: i32, group_size: i32) -> Result<Channel> {
        let new = CollectiveInfo { group_key, group_size, next_id: 0 };
        let info = self.info.get_or_insert(new);
        if (info.group_key, info.group_size) != (group_key, group_size) {
            return Err(Error::invalid_argument(format!(
                "only one group of collectives is possible in a cluster: group {group_key} of \
                 {group_size} comes after group {} of {}",
                info.group_key, info.group_size
            )));
        }
        info.next_id += 1;
        let handle = i64::from(group_key) << 32 | i64::from(info.next_id);
        Ok(Channel { handle, channel_type: 1 })
    }

    /// A channel for the next host transfer.
    fn transfer(&mut self) -> i64 {
        self.transfers += 1;
        self.transfers
    }
}

fn combining(name: &str) -> Result<Binary> {
    Ok(match name {
        "Add" | "Mean" => Binary::Add,
        "Mul" => Binary::Multiply,
        "Min" => Binary::Minimum,
        "Max" => Binary::Maximum,
        _ => return Err(Error::invalid_argument(format!("there is no reduction {name}"))),
    })
}

/// `x` divided by the number of members, integers towards zero.
fn divided(c: &mut OpCtx<'_, '_>, x: ValueId, members: usize) -> Result<ValueId> {
    let (shape, dtype) = (c.shape(x)?, c.dtype(x)?);
    let members = crate::ctx::scalar_tensor(dtype, members as f64)?;
    let members = c.splat(members, &shape)?;
    c.binary(Binary::Divide, x, members)
}

fn member_count(size: i64) -> Result<i32> {
    i32::try_from(size)
        .ok()
        .filter(|&size| size >= 1 && size as usize <= tfjit_base::limits::PARTICIPANTS_MAX)
        .ok_or_else(|| Error::invalid_argument(format!("a group of {size} members")))
}

fn collective_reduce(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let hint = c.node().attr_str("communication_hint")?.to_owned();
    if !matches!(&*hint, "nccl" | "auto") {
        return Err(Error::invalid_argument(format!(
            "only the communication hints nccl and auto can be compiled, not {hint}"
        )));
    }
    let merge = combining(c.node().attr_str("merge_op")?)?;
    let divide = match c.node().attr_str("final_op")? {
        "Id" => false,
        "Div" => true,
        other => return Err(Error::invalid_argument(format!("there is no final op {other}"))),
    };
    let size = member_count(c.const_int(1)?)?;
    let key = c.const_int(2)?;
    let key = i32::try_from(key)
        .map_err(|_| Error::invalid_argument(format!("{key} is no key of a group")))?;
    let x = c.input(0)?;
    let channel = c.low.communication.channel(key, size)?;
    let replica_groups = vec![(0..i64::from(size)).collect()];
    let group = Group { replica_groups, channel, use_global_device_ids: false };
    let mut result = c.all_reduce(merge, x, group)?;
    if divide {
        result = divided(c, result, size as usize)?;
    }
    c.set(0, result);
    Ok(())
}

/// The groups that a matrix of numbers describes, one a row, and the number of all members.
fn groups(c: &mut OpCtx<'_, '_>, input: usize) -> Result<(Vec<Vec<i64>>, i32)> {
    let matrix = c.const_input(input)?;
    let &[rows, columns] = matrix.shape().dims() else {
        let text = format!("group_assignment is {}, it must be a matrix", matrix.shape());
        return Err(Error::invalid_argument(text));
    };
    let ids = matrix.to_i64s()?;
    if rows == 0 || columns == 0 {
        return Err(Error::invalid_argument("group_assignment has no members"));
    }
    let members = member_count(ids.iter().max().map_or(0, |most| most.saturating_add(1)))?;
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != ids.len() || sorted.first().is_some_and(|&id| id < 0) {
        return Err(Error::invalid_argument("group_assignment has a member twice, or below zero"));
    }
    Ok((ids.chunks(columns).map(<[i64]>::to_vec).collect(), members))
}

/// The group of an op whose members are numbered by the whole program.
fn assigned(c: &mut OpCtx<'_, '_>, replica_groups: Vec<Vec<i64>>, members: i32) -> Result<Group> {
    let channel = c.low.communication.channel(0, members)?;
    Ok(Group { replica_groups, channel, use_global_device_ids: false })
}

fn all_reduce(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let reduction = c.node().attr_str("reduce_op")?.to_owned();
    let op = combining(&reduction)?;
    let x = c.input(0)?;
    let (groups, members) = groups(c, 1)?;
    let size = groups[0].len();
    let group = assigned(c, groups, members)?;
    let mut result = c.all_reduce(op, x, group)?;
    if reduction == "Mean" {
        result = divided(c, result, size)?;
    }
    c.set(0, result);
    Ok(())
}

fn reduce_scatter(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let reduction = c.node().attr_str("reduce_op")?.to_owned();
    let op = combining(&reduction)?;
    let x = c.input(0)?;
    let (groups, members) = groups(c, 1)?;
    let dimension = c.const_int(2)?;
    let rank = c.shape(x)?.rank();
    let dimension = usize::try_from(dimension).ok().filter(|&d| d < rank).ok_or_else(|| {
        Error::invalid_argument(format!("there is no dimension {dimension} of {rank} to scatter"))
    })?;
    let size = groups[0].len();
    let group = assigned(c, groups, members)?;
    let mut result = c.reduce_scatter(op, x, dimension, size, group)?;
    if reduction == "Mean" {
        result = divided(c, result, size)?;
    }
    c.set(0, result);
    Ok(())
}

fn assign_group(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (groups, _) = groups(c, 0)?;
    let (device, base) = (c.const_int(1)?, c.const_int(2)?);
    let at = groups.iter().position(|group| group.contains(&device)).ok_or_else(|| {
        Error::invalid_argument(format!("device {device} is in no group of group_assignment"))
    })?;
    let key = i32::try_from(base.saturating_add(at as i64))
        .map_err(|_| Error::invalid_argument(format!("{base} is no key of a group")))?;
    let size = c.constant(Tensor::scalar(groups[at].len() as i32))?;
    let key = c.constant(Tensor::scalar(key))?;
    c.set(0, size);
    c.set(1, key);
    Ok(())
}

fn send_to_host(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let name = format!("{}_dtoh_0", c.node().attr_str("key")?);
    let channel = c.low.communication.transfer();
    c.send_to_host(x, channel, &name)?;
    Ok(())
}

fn recv_from_host(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let dtype: DType = c.output_dtype(0)?;
    let shape = c.node().attr_shape("shape")?;
    let shape: Shape = shape
        .to_shape()
        .ok_or_else(|| Error::invalid_argument("the shape of what the host sends must be known"))?;
    let name = format!("{}_htod_0", c.node().attr_str("key")?);
    let channel = c.low.communication.transfer();
    let ty = TensorType::of(dtype, &shape);
    let value = c.recv_from_host(ty, channel, &name)?;
    c.set(0, value);
    Ok(())
}
