//! Kernels of TensorFlow's collective ops, over the devices of one process.
//!
//! Members of a group find each other by the group's key, and at each op by its instance key; the
//! order of members is that of their devices' names. It must not know how members meet.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_client::{Collectives, Meeting, Member, Participation, Session, Work};
use tfjit_eval::{Exchange, MeetingWork, eval_inst, exchange_work};
use tfjit_hlo::{Binary, Op, TensorType};
use tfjit_model::Node;
use tfjit_runtime::{Kernel, Object, StepContext, Value};

use crate::collective::{CollectiveExecutor, Joined};

/// Bits that keep the runs of these kernels apart from each other and from those of programs.
const INSTANCE: u64 = 1 << 62;
const COMMUNICATED: u64 = 1 << 63;

/// What an op does with the tensors of all members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    Reduce { op: Binary, divide: bool, scatter: bool },
    Gather,
    AllToAll,
    Send,
    Recv,
}

/// Where the group of an op is written.
#[derive(Clone, Debug)]
enum GroupOf {
    /// In attributes: size, key, instance.
    Attributes([i32; 3]),
    /// In inputs that begin at this position: size, key, instance.
    Inputs(usize),
    /// In a communicator and a matrix of groups, inputs 1 and 2.
    Communicator,
}

/// The kernel of a collective op on one device.
#[derive(Debug)]
struct CollectiveKernel {
    name: &'static str,
    does: Does,
    group: GroupOf,
    dtype: DType,
    /// What a receiver expects, when attributes say it.
    shape: Option<Shape>,
    timeout: Option<Duration>,
    device: String,
    executor: Arc<CollectiveExecutor>,
}

/// The kernel of a node on `device`, if its op is a collective.
pub fn collective_kernel(
    node: &Node,
    device: &str,
    executor: &Arc<CollectiveExecutor>,
) -> Option<Result<Box<dyn Kernel>>> {
    let (device, executor) = (device.to_owned(), Arc::clone(executor));
    let made = match &*node.op {
        "CollectiveAssignGroupV2" => Ok(Box::new(AssignGroup) as Box<dyn Kernel>),
        "CollectiveInitializeCommunicator" => communicator(node, device, executor),
        op => {
            let &(name, _) = OPS.iter().find(|(name, _)| *name == op)?;
            make(node, name, device, executor)
        }
    };
    Some(made.map_err(|error| error.at(&*node.name)))
}

/// The ops, and the position of the first input that describes the group, if inputs do.
const OPS: &[(&str, Option<usize>)] = &[
    ("CollectiveAllToAllV2", Some(1)),
    ("CollectiveAllToAllV3", None),
    ("CollectiveBcastRecv", None),
    ("CollectiveBcastRecvV2", Some(0)),
    ("CollectiveBcastSend", None),
    ("CollectiveBcastSendV2", Some(1)),
    ("CollectiveGather", None),
    ("CollectiveGatherV2", Some(1)),
    ("CollectiveReduce", None),
    ("CollectiveReduceScatterV2", Some(1)),
    ("CollectiveReduceV2", Some(1)),
    ("CollectiveReduceV3", None),
];

fn merging(name: &str) -> Result<Binary> {
    Ok(match name {
        "Add" => Binary::Add,
        "Mul" => Binary::Multiply,
        "Min" => Binary::Minimum,
        "Max" => Binary::Maximum,
        _ => return Err(Error::invalid_argument(format!("there is no reduction {name}"))),
    })
}

fn does(node: &Node, name: &str) -> Result<Does> {
    let divides = || match node.attr_str("final_op")? {
        "Id" => Ok(false),
        "Div" => Ok(true),
        other => Err(Error::invalid_argument(format!("there is no final op {other}"))),
    };
    Ok(match name {
        "CollectiveReduceV3" => {
            let op = merging(node.attr_str("reduction")?)?;
            Does::Reduce { op, divide: false, scatter: false }
        }
        "CollectiveReduce" | "CollectiveReduceV2" | "CollectiveReduceScatterV2" => {
            let op = merging(node.attr_str("merge_op")?)?;
            let scatter = name == "CollectiveReduceScatterV2";
            Does::Reduce { op, divide: divides()?, scatter }
        }
        "CollectiveGather" | "CollectiveGatherV2" => Does::Gather,
        "CollectiveBcastSend" | "CollectiveBcastSendV2" => Does::Send,
        "CollectiveBcastRecv" | "CollectiveBcastRecvV2" => Does::Recv,
        _ => Does::AllToAll,
    })
}

fn small(value: i64) -> Result<i32> {
    i32::try_from(value)
        .map_err(|_| Error::invalid_argument(format!("{value} is no number of 32 bits")))
}

fn make(
    node: &Node,
    name: &'static str,
    device: String,
    executor: Arc<CollectiveExecutor>,
) -> Result<Box<dyn Kernel>> {
    let first = OPS.iter().find(|(known, _)| *known == name).and_then(|(_, first)| *first);
    let group = match first {
        Some(first) => GroupOf::Inputs(first),
        None if name.ends_with("V3") => GroupOf::Communicator,
        None => GroupOf::Attributes([
            small(node.attr_int("group_size")?)?,
            small(node.attr_int("group_key")?)?,
            small(node.attr_int("instance_key")?)?,
        ]),
    };
    let ty = node.attr_type("T")?;
    let dtype = tfjit_model::dtype(ty)
        .ok_or_else(|| Error::invalid_argument("a collective is over numbers"))?;
    let shape = match name {
        "CollectiveBcastRecv" | "CollectiveBcastSend" | "CollectiveGather" => {
            node.attr_shape("shape")?.to_shape()
        }
        _ => None,
    };
    let seconds = node.attr_float("timeout_seconds").unwrap_or(0.0);
    let timeout = Duration::try_from_secs_f32(seconds).ok().filter(|t| !t.is_zero());
    let does = does(node, name)?;
    Ok(Box::new(CollectiveKernel { name, does, group, dtype, shape, timeout, device, executor }))
}

/// The interpreter's work as the group's, with what a broadcast adds.
struct KernelWork {
    exchange: Option<Box<dyn MeetingWork>>,
}

impl Work for KernelWork {
    fn pieces(&self, parts: &[Vec<Tensor>]) -> usize {
        self.exchange.as_ref().map_or(0, |work| work.pieces(parts))
    }

    fn piece(&mut self, parts: &[Vec<Tensor>], piece: usize, pieces: usize) -> Result<Vec<Tensor>> {
        match &mut self.exchange {
            Some(work) => work.piece(parts, piece, pieces),
            None => Ok(Vec::new()),
        }
    }

    fn join(&mut self, parts: &[Vec<Tensor>], pieces: Vec<Vec<Tensor>>) -> Result<Vec<Tensor>> {
        match &mut self.exchange {
            Some(work) => work.join(parts, pieces),
            None => Ok(Vec::new()),
        }
    }

    fn mine(
        &mut self,
        parts: &[Vec<Tensor>],
        shared: &[Tensor],
        index: usize,
    ) -> Result<Vec<Tensor>> {
        if let Some(work) = &mut self.exchange {
            return work.mine(parts, shared, index);
        }
        // A broadcast: what the only one that brings something brings.
        let mut brought = parts.iter().filter(|part| !part.is_empty());
        match (brought.next(), brought.next()) {
            (Some(part), None) => Ok(part.clone()),
            (None, _) => Err(Error::invalid_argument("no member of a broadcast sends")),
            (Some(_), Some(_)) => Err(Error::invalid_argument("two members of a broadcast send")),
        }
    }
}

/// One integer.
fn number(inputs: &[Value], at: usize, what: &str) -> Result<i64> {
    let wrong = || Error::invalid_argument(format!("{what} must be one integer"));
    let tensor = inputs.get(at).ok_or_else(wrong)?.tensor()?;
    match tensor.to_i64s()?[..] {
        [one] => Ok(one),
        _ => Err(wrong()),
    }
}

/// Who meets at an op, seen from one member.
struct Place {
    joined: Joined,
    rank: u32,
    ranks: Vec<u32>,
    instance: i64,
}

impl CollectiveKernel {
    fn place(&self, inputs: &[Value], stop: &dyn Fn() -> bool) -> Result<Place> {
        let [size, key, instance] = match self.group {
            GroupOf::Attributes(numbers) => numbers,
            GroupOf::Inputs(first) => {
                let names = ["group_size", "group_key", "instance_key"];
                let mut numbers = [0; 3];
                for (i, name) in names.into_iter().enumerate() {
                    numbers[i] = small(number(inputs, first + i, name)?)?;
                }
                numbers
            }
            GroupOf::Communicator => return self.communicated(inputs),
        };
        let group = (key, size);
        let joined = self.executor.join(self.name, group, &self.device, self.timeout, stop)?;
        let ranks = (0..joined.devices.len() as u32).collect();
        Ok(Place { rank: joined.rank as u32, ranks, instance: i64::from(instance), joined })
    }

    fn communicated(&self, inputs: &[Value]) -> Result<Place> {
        let missing = || Error::invalid_argument("the communicator is missing");
        let communicator: &Communicator = inputs.get(1).ok_or_else(missing)?.object()?;
        let rank = communicator.rank;
        let assignment = inputs.get(2).ok_or_else(missing)?.tensor()?;
        let ids = assignment.to_i64s()?;
        let columns = match *assignment.shape().dims() {
            [_, columns] if columns > 0 => columns,
            _ => return Err(Error::invalid_argument("group_assignment must be a matrix")),
        };
        let mine = ids.chunks(columns).find(|row| row.contains(&i64::from(rank)));
        let mine = mine.ok_or_else(|| {
            Error::invalid_argument(format!("rank {rank} is in no group of group_assignment"))
        })?;
        let size = communicator.joined.devices.len();
        let whole = |&id: &i64| {
            u32::try_from(id)
                .ok()
                .filter(|&id| (id as usize) < size)
                .ok_or_else(|| Error::invalid_argument(format!("there is no rank {id} of {size}")))
        };
        let ranks = mine.iter().map(whole).collect::<Result<Vec<u32>>>()?;
        Ok(Place { joined: communicator.joined.clone(), rank, ranks, instance: 0 })
    }

    fn exchange(&self) -> Result<KernelWork> {
        let exchange = match self.does {
            Does::Reduce { op, scatter: false, .. } => Exchange::Reduce(op),
            Does::Reduce { op, scatter: true, .. } => Exchange::ReduceScatter(op),
            Does::Gather => Exchange::Gather,
            Does::AllToAll => Exchange::AllToAll,
            Does::Send | Does::Recv => return Ok(KernelWork { exchange: None }),
        };
        Ok(KernelWork { exchange: Some(exchange_work(exchange, self.dtype)?) })
    }

    /// What the op returns of what the group gave.
    fn finish(&self, result: Tensor, members: usize, wanted: Option<Shape>) -> Result<Tensor> {
        if result.dtype() != self.dtype {
            return Err(Error::invalid_argument(format!(
                "{}: a member has elements of {}, this one of {}",
                self.name,
                result.dtype(),
                self.dtype
            )));
        }
        let wanted = wanted.or_else(|| self.shape.clone());
        if let Some(shape) = wanted.filter(|shape| shape != result.shape()) {
            return Err(Error::invalid_argument(format!(
                "{}: the result is {}, not {shape}",
                self.name,
                result.shape()
            )));
        }
        if !matches!(self.does, Does::Reduce { divide: true, .. }) {
            return Ok(result);
        }
        let ty = TensorType::of(self.dtype, result.shape());
        let count = Tensor::scalar(members as i64);
        let scalar = TensorType::of(self.dtype, &Shape::scalar());
        let one = eval_inst(&Op::Convert, &[&count], &[scalar])?.swap_remove(0);
        let spread = Op::BroadcastInDim { broadcast_dimensions: Default::default() };
        let all = eval_inst(&spread, &[&one], std::slice::from_ref(&ty))?.swap_remove(0);
        let divide = Op::Binary(Binary::Divide);
        Ok(eval_inst(&divide, &[&result, &all], &[ty])?.swap_remove(0))
    }

    /// The shape that a receiver is told by an input.
    fn wanted(&self, inputs: &[Value]) -> Result<Option<Shape>> {
        if self.name != "CollectiveBcastRecvV2" {
            return Ok(None);
        }
        let dims = inputs.get(3).ok_or_else(|| Error::invalid_argument("the shape is missing"))?;
        let dims = dims.tensor()?.to_i64s()?;
        let whole = |d: &i64| {
            let text = format!("a shape has the extent {d}");
            usize::try_from(*d).map_err(|_| Error::invalid_argument(text))
        };
        let dims = dims.iter().map(whole).collect::<Result<Vec<usize>>>()?;
        Ok(Some(Shape::new(&dims)))
    }
}

impl Kernel for CollectiveKernel {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let stop = || context.cancelled();
        let place = self.place(inputs, &stop)?;
        let size = place.joined.devices.len() as u32;
        let operands = match self.does {
            Does::Recv => Vec::new(),
            _ => {
                let value = inputs.first().ok_or_else(|| Error::internal("nothing to exchange"))?;
                vec![value.tensor()?.clone()]
            }
        };
        let me = Member { replica: place.rank, partition: 0 };
        // Each instance is a run of its own, and each group of a communicator: nothing that fails
        // in one is seen in another.
        let group = place.ranks.first().copied().unwrap_or(0);
        let kind = match self.group {
            GroupOf::Communicator => COMMUNICATED,
            _ => INSTANCE,
        };
        let run_id = kind | (place.instance as u64 & 0xffff_ffff) << 16 | u64::from(group);
        let position = place.ranks.iter().position(|&rank| rank == place.rank);
        let position = position.ok_or_else(|| Error::internal("a rank left its group"))? as u32;
        let (members, within) = match self.group {
            GroupOf::Communicator => {
                let members =
                    (0..place.ranks.len() as u32).map(|replica| Member { replica, partition: 0 });
                (members.collect::<Vec<_>>(), Member { replica: position, partition: 0 })
            }
            _ => ((0..size).map(|replica| Member { replica, partition: 0 }).collect(), me),
        };
        let grid = (members.len() as u32, 1);
        let participation = Participation { run_id, me: within, grid };
        let session: Box<dyn Session> = place.joined.group.begin(&participation)?;
        let kind = match self.does {
            Does::Send | Does::Recv => "broadcast",
            _ => self.name,
        };
        let meeting = Meeting { kind, channel: place.instance, members };
        let mut work = self.exchange()?;
        let count = meeting.members.len();
        let met = session.meet(&meeting, operands, &mut work, &stop);
        let result = met.and_then(|results| {
            let result = results.into_iter().next();
            let result = result.ok_or_else(|| Error::internal("a collective has no result"))?;
            self.finish(result, count, self.wanted(inputs)?)
        });
        session.end(result.as_ref().err());
        Ok(vec![Value::Tensor(result?)])
    }

    fn blocks(&self) -> bool {
        true
    }
}

/// `CollectiveAssignGroupV2`: the size and key of the group that a device is in.
#[derive(Debug)]
struct AssignGroup;

impl Kernel for AssignGroup {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let missing = || Error::invalid_argument("group_assignment must be a matrix");
        let assignment = inputs.first().ok_or_else(missing)?.tensor()?;
        let columns = match *assignment.shape().dims() {
            [_, columns] if columns > 0 => columns,
            _ => return Err(missing()),
        };
        let (device, base) = (number(inputs, 1, "device_index")?, number(inputs, 2, "base_key")?);
        let ids = assignment.to_i64s()?;
        let at = ids.chunks(columns).position(|row| row.contains(&device)).ok_or_else(|| {
            Error::invalid_argument(format!("device {device} is in no group of group_assignment"))
        })?;
        let key = small(base.saturating_add(at as i64))?;
        let size = Tensor::scalar(small(columns as i64)?);
        Ok(vec![Value::Tensor(size), Value::Tensor(Tensor::scalar(key))])
    }
}

/// A group with ranks that its members chose.
#[derive(Debug)]
struct Communicator {
    joined: Joined,
    rank: u32,
}

impl Object for Communicator {
    fn kind(&self) -> &'static str {
        "a communicator"
    }

    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }
}

/// `CollectiveInitializeCommunicator`.
#[derive(Debug)]
struct Initialize {
    timeout: Option<Duration>,
    device: String,
    executor: Arc<CollectiveExecutor>,
}

fn communicator(
    node: &Node,
    device: String,
    executor: Arc<CollectiveExecutor>,
) -> Result<Box<dyn Kernel>> {
    let seconds = node.attr_float("timeout_seconds").unwrap_or(0.0);
    let timeout = Duration::try_from_secs_f32(seconds).ok().filter(|t| !t.is_zero());
    Ok(Box::new(Initialize { timeout, device, executor }))
}

impl Kernel for Initialize {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let key = small(number(inputs, 0, "group_key")?)?;
        let rank = number(inputs, 1, "rank")?;
        let size = small(number(inputs, 2, "group_size")?)?;
        let rank = u32::try_from(rank).ok().filter(|&r| i64::from(r) < i64::from(size));
        let rank = rank
            .ok_or_else(|| Error::invalid_argument(format!("there is no such rank of {size}")))?;
        let name = "CollectiveInitializeCommunicator";
        let stop = || context.cancelled();
        let joined = self.executor.join(name, (key, size), &self.device, self.timeout, &stop)?;
        Ok(vec![Value::Object(Arc::new(Communicator { joined, rank }))])
    }

    fn blocks(&self) -> bool {
        true
    }
}
