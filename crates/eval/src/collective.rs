//! Instructions that talk to other participants and to the host.
//!
//! Every collective is the same step: the members of a group show each other their operands
//! ([`crate::Host::meet`]), and each computes its own result from all of them.

use tfjit_base::{DType, Error, Result, Tensor};
use tfjit_hlo::{Group, Inst, InstId, Op, TensorType};

use crate::host::{Host, Meeting, MemoryHost, Process};
use crate::interpreter::{Frame, Run, owned_types};
use crate::moves::{concatenate, dim, slice};
use crate::reduce::cells_to_tensor;
use crate::reducer::{Cell, Reducer};
use crate::{Value, convert};

/// What the numbers in a list of groups stand for (StableHLO's process groups).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ids {
    /// Replicas, within each partition.
    Replicas,
    /// Partitions, within each replica.
    Partitions,
    /// Replicas, over all partitions together.
    ReplicasOfAllPartitions,
    /// `replica * partitions + partition`.
    Flattened,
}

impl Ids {
    /// For `all_gather`, `all_reduce` and `reduce_scatter`.
    fn of_reduction(group: &Group) -> Ids {
        match (group.channel.handle > 0, group.use_global_device_ids) {
            (false, _) => Ids::Replicas,
            (true, false) => Ids::ReplicasOfAllPartitions,
            (true, true) => Ids::Flattened,
        }
    }

    /// For the others.
    fn of_exchange(channel: i64) -> Ids {
        if channel > 0 { Ids::Partitions } else { Ids::Replicas }
    }

    /// The members that a list of numbers means, seen from `me`.
    fn members(self, ids: &[i64], me: Process, grid: (u32, u32)) -> Result<Vec<Process>> {
        let (replicas, partitions) = grid;
        let mut members = Vec::new();
        let ids = ids.iter().filter(|&&id| id != -1);
        let whole = |id: i64, limit: u32| {
            u32::try_from(id).ok().filter(|&id| id < limit).ok_or_else(|| {
                Error::invalid_argument(format!("there is no participant {id} of {limit}"))
            })
        };
        match self {
            Ids::Replicas => {
                for &id in ids {
                    members.push(Process { replica: whole(id, replicas)?, ..me });
                }
            }
            Ids::Partitions => {
                for &id in ids {
                    members.push(Process { partition: whole(id, partitions)?, ..me });
                }
            }
            Ids::ReplicasOfAllPartitions => {
                for partition in 0..partitions {
                    for &id in ids.clone() {
                        members.push(Process { replica: whole(id, replicas)?, partition });
                    }
                }
            }
            Ids::Flattened => {
                for &id in ids {
                    let id = whole(id, replicas.saturating_mul(partitions))?;
                    members.push(Process { replica: id / partitions, partition: id % partitions });
                }
            }
        }
        Ok(members)
    }

    /// How many numbers there are, for a list that leaves them out.
    fn count(self, (replicas, partitions): (u32, u32)) -> i64 {
        i64::from(match self {
            Ids::Replicas | Ids::ReplicasOfAllPartitions => replicas,
            Ids::Partitions => partitions,
            Ids::Flattened => replicas.saturating_mul(partitions),
        })
    }
}

/// The group `me` belongs to; `None` when it belongs to none.
fn my_group(group: &Group, ids: Ids, me: Process, grid: (u32, u32)) -> Result<Option<Meeting>> {
    let everybody = vec![(0..ids.count(grid)).collect()];
    let empty = group.replica_groups.iter().all(Vec::is_empty);
    let lists = if empty { &everybody } else { &group.replica_groups };
    for list in lists {
        let members = ids.members(list, me, grid)?;
        if members.contains(&me) {
            let channel = group.channel.handle;
            return Ok(Some(Meeting { name: "", channel, group: members }));
        }
    }
    Ok(None)
}

/// The operands of all members, and which of them are mine.
struct Met {
    all: Vec<Vec<Tensor>>,
    my_index: usize,
}

impl Met {
    /// The `k`-th operand of each member.
    fn operand(&self, k: usize) -> Result<Vec<&Tensor>> {
        let get = |operands: &Vec<Tensor>| operands.len() > k;
        if !self.all.iter().all(get) {
            return Err(Error::invalid_argument("a member brought too few operands"));
        }
        Ok(self.all.iter().map(|operands| &operands[k]).collect())
    }
}

impl<'r> Run<'r, '_> {
    fn meet(&self, name: &'static str, meeting: Meeting, mine: Vec<Tensor>) -> Result<Met> {
        let me = self.options().process;
        let my_index = meeting.group.iter().position(|p| *p == me);
        let my_index = my_index.ok_or_else(|| Error::internal("not a member of the group"))?;
        let meeting = Meeting { name, ..meeting };
        let alone = MemoryHost::default();
        let host: &dyn Host = self.options().host.unwrap_or(&alone);
        let all = host.meet(&meeting, me, mine)?;
        if all.len() != meeting.group.len() {
            return Err(Error::internal("a meeting lost members"));
        }
        Ok(Met { all, my_index })
    }
}

/// Runs an instruction of class Communicate.
pub(crate) fn eval<'r>(
    run: &mut Run<'r, '_>,
    frame: &mut Frame<'r>,
    inst: InstId,
) -> Result<Vec<Value>> {
    let func = frame.func;
    let data = &func.insts[inst];
    let operands = run.operands(frame, inst)?;
    let mut mine = Vec::new();
    for operand in &operands {
        match operand {
            Value::Tensor(tensor) => mine.push(tensor.clone()),
            Value::Token => {}
            Value::Tuple(_) => {
                return Err(Error::invalid_argument("a collective takes no tuples"));
            }
        }
    }
    match &data.op {
        Op::PartitionId => id(run.options().process.partition),
        Op::ReplicaId => id(run.options().process.replica),
        Op::Infeed { .. } | Op::Outfeed { .. } | Op::Send { .. } | Op::Recv { .. } => {
            with_host(run, data, mine)
        }
        _ => {
            let types = owned_types(func, &data.results)?;
            let reducer = data.regions.first().map(|&block| run.reducer(frame, block));
            let results = collective(run, data, mine, reducer, &types)?;
            Ok(results.into_iter().map(Value::Tensor).collect())
        }
    }
}

fn id(number: u32) -> Result<Vec<Value>> {
    Ok(vec![Tensor::scalar(number).into()])
}

fn with_host(run: &Run<'_, '_>, inst: &Inst, mine: Vec<Tensor>) -> Result<Vec<Value>> {
    let nobody = || Error::unavailable(format!("{} has no host", inst.op.row().name));
    let host = run.options().host.ok_or_else(nobody)?;
    let received = match &inst.op {
        Op::Infeed { config } => host.infeed(config)?,
        Op::Recv { channel, .. } => host.receive(channel.handle)?,
        Op::Outfeed { config } => {
            host.outfeed(config, &mine)?;
            Vec::new()
        }
        Op::Send { channel, .. } => {
            host.send(channel.handle, &mine)?;
            Vec::new()
        }
        _ => return Err(Error::internal("not an instruction of the host")),
    };
    Ok(received.into_iter().map(Value::Tensor).chain([Value::Token]).collect())
}

fn collective(
    run: &Run<'_, '_>,
    inst: &Inst,
    mine: Vec<Tensor>,
    reducer: Option<Reducer<'_>>,
    types: &[TensorType],
) -> Result<Vec<Tensor>> {
    let options = run.options();
    let (me, grid, name) = (options.process, options.grid, inst.op.row().name);
    let nowhere = || Error::invalid_argument(format!("this participant is in no group of {name}"));
    let join = |group: &Group, ids: Ids| my_group(group, ids, me, grid)?.ok_or_else(nowhere);
    let no_region = || Error::invalid_argument(format!("{name} has no region"));
    let count = mine.len();
    match &inst.op {
        Op::AllGather { all_gather_dim, group } => {
            let met = run.meet(name, join(group, Ids::of_reduction(group))?, mine)?;
            (0..count).map(|k| concatenate(&met.operand(k)?, *all_gather_dim)).collect()
        }
        Op::AllReduce { group } => {
            let mut reducer = reducer.ok_or_else(no_region)?;
            let met = run.meet(name, join(group, Ids::of_reduction(group))?, mine)?;
            (0..count).map(|k| fold(&met.operand(k)?, &mut reducer, types.get(k))).collect()
        }
        Op::ReduceScatter { scatter_dimension, group } => {
            let mut reducer = reducer.ok_or_else(no_region)?;
            let met = run.meet(name, join(group, Ids::of_reduction(group))?, mine)?;
            let parts = met.all.len();
            let part = |k| {
                let sum = fold(&met.operand(k)?, &mut reducer, types.get(k))?;
                piece(&sum, *scatter_dimension, parts, met.my_index)
            };
            (0..count).map(part).collect()
        }
        Op::AllToAll { split_dimension, concat_dimension, split_count, group } => {
            let ids = Ids::of_exchange(group.channel.handle);
            let met = run.meet(name, join(group, ids)?, mine)?;
            let parts = usize::try_from(*split_count).ok().filter(|&n| n == met.all.len());
            let parts =
                parts.ok_or_else(|| Error::invalid_argument("the split is not by member"))?;
            let exchange = |k| {
                let pieces = met.operand(k)?.into_iter();
                let pieces = pieces.map(|x| piece(x, *split_dimension, parts, met.my_index));
                let pieces = pieces.collect::<Result<Vec<_>>>()?;
                concatenate(&pieces.iter().collect::<Vec<_>>(), *concat_dimension)
            };
            (0..count).map(exchange).collect()
        }
        Op::CollectiveBroadcast { group } => {
            match my_group(group, Ids::of_exchange(group.channel.handle), me, grid)? {
                None => mine.iter().map(zeros_like).collect(),
                Some(meeting) => Ok(run.meet(name, meeting, mine)?.all.swap_remove(0)),
            }
        }
        Op::CollectivePermute { source_target_pairs, channel } => {
            permute(run, name, source_target_pairs, channel.handle, mine)
        }
        _ => Err(Error::internal(format!("{name} is not a collective"))),
    }
}

/// What the source that is paired with this participant brings; zeros when nobody is.
fn permute(
    run: &Run<'_, '_>,
    name: &'static str,
    pairs: &[[i64; 2]],
    channel: i64,
    mine: Vec<Tensor>,
) -> Result<Vec<Tensor>> {
    let (me, grid) = (run.options().process, run.options().grid);
    let ids = Ids::of_exchange(channel);
    let mut numbers: Vec<i64> = pairs.iter().flatten().copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let group = ids.members(&numbers, me, grid)?;
    let zeros: Result<Vec<Tensor>> = mine.iter().map(zeros_like).collect();
    if !group.contains(&me) {
        return zeros;
    }
    let members = group.clone();
    let mut met = run.meet(name, Meeting { name: "", channel, group }, mine)?;
    for &[source, target] in pairs {
        if ids.members(&[target], me, grid)? == [me] {
            let source = ids.members(&[source], me, grid)?;
            let at = members.iter().position(|p| source == [*p]);
            let at = at.ok_or_else(|| Error::internal("a source is no member"))?;
            return Ok(met.all.swap_remove(at));
        }
    }
    zeros
}

fn zeros_like(x: &Tensor) -> Result<Tensor> {
    Tensor::zeros(x.dtype(), x.shape().clone())
}

/// The `i`-th of `parts` equal parts along a dimension.
fn piece(x: &Tensor, dimension: i64, parts: usize, i: usize) -> Result<Tensor> {
    let d = dim(dimension, x.shape().rank())?;
    let extent = x.shape()[d];
    if parts == 0 || !extent.is_multiple_of(parts) {
        return Err(Error::invalid_argument(format!("{extent} elements do not split in {parts}")));
    }
    let size = extent / parts;
    let (mut start, mut limit) = (vec![0; x.shape().rank()], x.shape().to_i64());
    (start[d], limit[d]) = ((i * size) as i64, ((i + 1) * size) as i64);
    slice(x, &start, &limit, &vec![1; start.len()])
}

/// Combines the members' tensors element by element, in the order of the group.
fn fold(parts: &[&Tensor], reducer: &mut Reducer<'_>, ty: Option<&TensorType>) -> Result<Tensor> {
    let (first, others) = match parts.split_first() {
        Some((first, others)) => (first, others),
        None => return Err(Error::internal("a group is empty")),
    };
    if others.iter().any(|x| x.shape() != first.shape() || x.dtype() != first.dtype()) {
        return Err(Error::invalid_argument("members of a group bring different shapes"));
    }
    let dtype: DType = ty.map_or(first.dtype(), |ty| ty.dtype);
    let parts: Vec<Tensor> =
        parts.iter().map(|x| convert::convert(x, dtype)).collect::<Result<_>>()?;
    let mut cells = Vec::new();
    for i in 0..first.elements() {
        let mut total = [Cell::at(&parts[0], i)?];
        for part in &parts[1..] {
            reducer.call(&[total[0], Cell::at(part, i)?], &mut total)?;
        }
        cells.extend(total);
    }
    cells_to_tensor(dtype, first.shape(), cells.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(replica: u32, partition: u32) -> Process {
        Process { replica, partition }
    }

    #[test]
    fn groups_follow_the_specification() {
        let grid = (2, 2);
        let of = |ids: Ids, list: &[i64]| ids.members(list, p(1, 0), grid).unwrap();
        assert_eq!(of(Ids::Replicas, &[0, 1, -1]), [p(0, 0), p(1, 0)]);
        assert_eq!(of(Ids::Partitions, &[1, 0]), [p(1, 1), p(1, 0)]);
        assert_eq!(of(Ids::ReplicasOfAllPartitions, &[1, 0]), [p(1, 0), p(0, 0), p(1, 1), p(0, 1)]);
        assert_eq!(of(Ids::Flattened, &[3, 2]), [p(1, 1), p(1, 0)]);
        assert!(Ids::Flattened.members(&[4], p(0, 0), grid).is_err());
        assert!(Ids::Replicas.members(&[-2], p(0, 0), grid).is_err());
    }
}
