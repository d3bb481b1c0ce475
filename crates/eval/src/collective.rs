//! Instructions that talk to other participants and to the host.
//!
//! Every collective is the same step: the members of a group show each other their operands
//! ([`crate::Host::meet`]), and each computes its own result from all of them.

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{Channel, Group, HOST_TRANSFER_RENDEZVOUS, Inst, InstId, Op, TensorType};

use crate::collective_work::{CollectiveWork, Combiner, Kind, zeros_like};
use crate::host::{Host, Meeting, MemoryHost, Process, Transfer};
use crate::interpreter::{Frame, Run, owned_types};
use crate::{Value, region};

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

impl<'r> Run<'r, '_> {
    /// Meets the members of a group.
    fn meet(
        &self,
        meeting: Meeting,
        mine: Vec<Tensor>,
        work: &mut CollectiveWork<'_>,
    ) -> Result<Vec<Tensor>> {
        let alone = MemoryHost::default();
        let host: &dyn Host = self.options().host.unwrap_or(&alone);
        host.meet(&meeting, self.options().process, mine, work)
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
            let tensors = data.results.iter().filter_map(|&r| func.tensor_ty(r));
            let types: Vec<TensorType> = tensors.cloned().collect();
            with_host(run, data, mine, &types)
        }
        _ => {
            let types = owned_types(func, &data.results)?;
            let combiner = data.regions.first().map(|&block| Combiner {
                shortcut: region::shortcut(func, &func.blocks[block]),
                flush: run.mode().flush_subnormals,
                reducer: run.reducer(frame, block),
            });
            let results = collective(run, data, mine, combiner, types)?;
            Ok(results.into_iter().map(Value::Tensor).collect())
        }
    }
}

fn id(number: u32) -> Result<Vec<Value>> {
    Ok(vec![Tensor::scalar(number).into()])
}

fn with_host(
    run: &Run<'_, '_>,
    inst: &Inst,
    mine: Vec<Tensor>,
    types: &[TensorType],
) -> Result<Vec<Value>> {
    let nobody = || Error::unavailable(format!("{} has no host", inst.op.row().name));
    let host = run.options().host.ok_or_else(nobody)?;
    let transfer = |channel: &Channel, is_host: bool| Transfer {
        channel: channel.handle,
        is_host,
        rendezvous: inst.frontend_attribute(HOST_TRANSFER_RENDEZVOUS),
    };
    let received = match &inst.op {
        Op::Infeed { config } => host.infeed(config, types)?,
        Op::Recv { channel, is_host_transfer } => {
            host.receive(&transfer(channel, *is_host_transfer), types)?
        }
        Op::Outfeed { config } => {
            host.outfeed(config, mine)?;
            Vec::new()
        }
        Op::Send { channel, is_host_transfer } => {
            host.send(&transfer(channel, *is_host_transfer), mine)?;
            Vec::new()
        }
        _ => return Err(Error::internal("not an instruction of the host")),
    };
    Ok(received.into_iter().map(Value::Tensor).chain([Value::Token]).collect())
}

/// The meeting of an instruction and what its members do there; nothing when this participant
/// takes no part.
fn plan(run: &Run<'_, '_>, inst: &Inst) -> Result<Option<(Meeting, Kind)>> {
    let options = run.options();
    let (me, grid, name) = (options.process, options.grid, inst.op.row().name);
    let nowhere = || Error::invalid_argument(format!("this participant is in no group of {name}"));
    let join = |group: &Group, ids: Ids| my_group(group, ids, me, grid)?.ok_or_else(nowhere);
    let (meeting, kind) = match &inst.op {
        Op::AllGather { all_gather_dim, group } => {
            (join(group, Ids::of_reduction(group))?, Kind::Gather { dimension: *all_gather_dim })
        }
        Op::AllReduce { group } => (join(group, Ids::of_reduction(group))?, Kind::Reduce),
        Op::ReduceScatter { scatter_dimension, group } => (
            join(group, Ids::of_reduction(group))?,
            Kind::ReduceScatter { dimension: *scatter_dimension },
        ),
        Op::AllToAll { split_dimension, concat_dimension, split_count, group } => {
            let meeting = join(group, Ids::of_exchange(group.channel.handle))?;
            if usize::try_from(*split_count).ok() != Some(meeting.group.len()) {
                return Err(Error::invalid_argument("the split is not by member"));
            }
            (meeting, Kind::Exchange { split: *split_dimension, concat: *concat_dimension })
        }
        Op::CollectiveBroadcast { group } => {
            match my_group(group, Ids::of_exchange(group.channel.handle), me, grid)? {
                None => return Ok(None),
                Some(meeting) => (meeting, Kind::From { source: Some(0) }),
            }
        }
        Op::CollectivePermute { source_target_pairs, channel } => {
            match permutation(source_target_pairs, channel.handle, me, grid)? {
                None => return Ok(None),
                Some((meeting, source)) => (meeting, Kind::From { source }),
            }
        }
        _ => return Err(Error::internal(format!("{name} is not a collective"))),
    };
    Ok(Some((Meeting { name, ..meeting }, kind)))
}

fn collective(
    run: &Run<'_, '_>,
    inst: &Inst,
    mine: Vec<Tensor>,
    combiner: Option<Combiner<'_>>,
    types: Vec<TensorType>,
) -> Result<Vec<Tensor>> {
    match plan(run, inst)? {
        Some((meeting, kind)) => {
            let mut work = CollectiveWork { kind, combiner, types };
            run.meet(meeting, mine, &mut work)
        }
        None => mine.iter().map(zeros_like).collect(),
    }
}

/// The members of a permutation and the position of the one that sends to `me`, if there is one;
/// nothing when `me` is not a member.
fn permutation(
    pairs: &[[i64; 2]],
    channel: i64,
    me: Process,
    grid: (u32, u32),
) -> Result<Option<(Meeting, Option<usize>)>> {
    let ids = Ids::of_exchange(channel);
    let mut numbers: Vec<i64> = pairs.iter().flatten().copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let group = ids.members(&numbers, me, grid)?;
    if !group.contains(&me) {
        return Ok(None);
    }
    let mut from = None;
    for &[source, target] in pairs {
        if ids.members(&[target], me, grid)? == [me] {
            let source = ids.members(&[source], me, grid)?;
            from = group.iter().position(|p| source == [*p]);
            break;
        }
    }
    Ok(Some((Meeting { name: "", channel, group }, from)))
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
