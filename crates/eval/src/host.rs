//! The world outside a program: printing, feeds, channels, custom calls, other participants.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{CustomCall, TensorType, Type};

use crate::Value;

/// One participant of a parallel run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Process {
    /// Which replica.
    pub replica: u32,
    /// Which partition.
    pub partition: u32,
}

/// A meeting of participants at a collective instruction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Meeting {
    /// The operation, so that different collectives with equal groups do not meet.
    pub name: &'static str,
    /// The channel handle; 0 for none.
    pub channel: i64,
    /// All members in order.
    pub group: Vec<Process>,
}

/// What a transfer goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer<'t> {
    /// The channel handle.
    pub channel: i64,
    /// Whether the other end is the host and not another participant.
    pub is_host: bool,
    /// The name under which the program and the host meet, when the instruction has one.
    pub rendezvous: Option<&'t str>,
}

/// The arithmetic of a meeting; all members' do the same. Every method gets what each member
/// brought, in the order of the group.
pub trait MeetingWork {
    /// In how many pieces the shared part of the work can be done; 0 when nothing is shared. It
    /// depends on nothing but `parts`.
    fn pieces(&self, parts: &[Vec<Tensor>]) -> usize;

    /// Does piece number `piece` of `pieces`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the members' operands do not fit one another; those of the region.
    fn piece(&mut self, parts: &[Vec<Tensor>], piece: usize, pieces: usize) -> Result<Vec<Tensor>>;

    /// Joins all pieces, in order, into what all members share.
    ///
    /// # Errors
    /// As [`MeetingWork::piece`].
    fn join(&mut self, parts: &[Vec<Tensor>], pieces: Vec<Vec<Tensor>>) -> Result<Vec<Tensor>>;

    /// The results of the member at position `index`; `shared` is empty when nothing is shared.
    ///
    /// # Errors
    /// As [`MeetingWork::piece`].
    fn mine(
        &mut self,
        parts: &[Vec<Tensor>],
        shared: &[Tensor],
        index: usize,
    ) -> Result<Vec<Tensor>>;
}

/// Does all of a meeting's work for one member.
///
/// # Errors
/// Those of the work.
pub fn work_alone(
    work: &mut dyn MeetingWork,
    parts: &[Vec<Tensor>],
    index: usize,
) -> Result<Vec<Tensor>> {
    let shared = match work.pieces(parts) {
        0 => Vec::new(),
        _ => {
            let whole = work.piece(parts, 0, 1)?;
            work.join(parts, vec![whole])?
        }
    };
    work.mine(parts, &shared, index)
}

/// What a program can do besides computing. Every method has a default that refuses (or, for
/// printing, ignores).
pub trait Host: Sync {
    /// A custom call the interpreter does not know; `None` when the host does not know it either.
    ///
    /// # Errors
    /// Whatever the call fails with.
    fn custom_call(
        &self,
        call: &CustomCall,
        operands: &[Value],
        results: &[&Type],
    ) -> Result<Option<Vec<Value>>> {
        let _ = (call, operands, results);
        Ok(None)
    }

    /// Text that a program prints.
    fn print(&self, text: &str) {
        let _ = text;
    }

    /// The next tensors of the infeed, of these types.
    ///
    /// # Errors
    /// UNAVAILABLE when there are none.
    fn infeed(&self, config: &str, types: &[TensorType]) -> Result<Vec<Tensor>> {
        let _ = types;
        Err(Error::unavailable(format!("nothing feeds the infeed {config:?}")))
    }

    /// Tensors a program puts out.
    ///
    /// # Errors
    /// UNAVAILABLE when nobody takes them.
    fn outfeed(&self, config: &str, values: Vec<Tensor>) -> Result<()> {
        let _ = values;
        Err(Error::unavailable(format!("nobody takes the outfeed {config:?}")))
    }

    /// Tensors sent on a channel.
    ///
    /// # Errors
    /// UNAVAILABLE when the channel leads nowhere.
    fn send(&self, transfer: &Transfer<'_>, values: Vec<Tensor>) -> Result<()> {
        let _ = values;
        Err(Error::unavailable(format!("nobody receives on channel {}", transfer.channel)))
    }

    /// The next tensors received on a channel, of these types.
    ///
    /// # Errors
    /// UNAVAILABLE when there are none.
    fn receive(&self, transfer: &Transfer<'_>, types: &[TensorType]) -> Result<Vec<Tensor>> {
        let _ = types;
        Err(Error::unavailable(format!("nobody sends on channel {}", transfer.channel)))
    }

    /// What `work` makes for `me` of the operands that each member of the meeting brings.
    ///
    /// # Errors
    /// UNAVAILABLE when other members cannot be reached.
    fn meet(
        &self,
        meeting: &Meeting,
        me: Process,
        mine: Vec<Tensor>,
        work: &mut dyn MeetingWork,
    ) -> Result<Vec<Tensor>> {
        if meeting.group == [me] {
            return work_alone(work, &[mine], 0);
        }
        Err(Error::unavailable(format!(
            "{} needs {} participants",
            meeting.name,
            meeting.group.len()
        ))
        .help("run the program in parallel"))
    }
}

/// A host that keeps feeds and channels in memory, for single programs and tests.
#[derive(Default)]
pub struct MemoryHost {
    queues: Mutex<HashMap<String, VecDeque<Vec<Tensor>>>>,
    printed: Mutex<String>,
}

/// Locks even after a panic elsewhere: the queues are valid between any two operations.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryHost {
    fn push(&self, queue: String, values: Vec<Tensor>) {
        lock(&self.queues).entry(queue).or_default().push_back(values);
    }

    fn pop(&self, queue: &str) -> Result<Vec<Tensor>> {
        let mut queues = lock(&self.queues);
        let next = queues.get_mut(queue).and_then(VecDeque::pop_front);
        next.ok_or_else(|| Error::unavailable(format!("nothing is queued in {queue}")))
    }

    /// Queues tensors for an infeed.
    pub fn feed(&self, config: &str, values: Vec<Tensor>) {
        self.push(format!("infeed {config:?}"), values);
    }

    /// Takes the next tensors of an outfeed.
    ///
    /// # Errors
    /// UNAVAILABLE when there are none.
    pub fn taken(&self, config: &str) -> Result<Vec<Tensor>> {
        self.pop(&format!("outfeed {config:?}"))
    }

    /// All that was printed.
    pub fn printed(&self) -> String {
        lock(&self.printed).clone()
    }
}

impl Host for MemoryHost {
    fn print(&self, text: &str) {
        lock(&self.printed).push_str(text);
    }

    fn infeed(&self, config: &str, _: &[TensorType]) -> Result<Vec<Tensor>> {
        self.pop(&format!("infeed {config:?}"))
    }

    fn outfeed(&self, config: &str, values: Vec<Tensor>) -> Result<()> {
        self.push(format!("outfeed {config:?}"), values);
        Ok(())
    }

    fn send(&self, transfer: &Transfer<'_>, values: Vec<Tensor>) -> Result<()> {
        self.push(format!("channel {}", transfer.channel), values);
        Ok(())
    }

    fn receive(&self, transfer: &Transfer<'_>, _: &[TensorType]) -> Result<Vec<Tensor>> {
        self.pop(&format!("channel {}", transfer.channel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_keep_order_and_run_dry() {
        let host = MemoryHost::default();
        let one = Transfer { channel: 1, is_host: false, rendezvous: None };
        host.send(&one, vec![Tensor::scalar(1i32)]).unwrap();
        host.send(&one, vec![Tensor::scalar(2i32)]).unwrap();
        assert_eq!(host.receive(&one, &[]).unwrap(), [Tensor::scalar(1i32)]);
        assert_eq!(host.receive(&one, &[]).unwrap(), [Tensor::scalar(2i32)]);
        assert!(host.receive(&one, &[]).is_err() && host.infeed("", &[]).is_err());
        host.print("a");
        host.print("b");
        assert_eq!(host.printed(), "ab");
    }
}
