//! The world outside a program: printing, feeds, channels, custom calls, other participants.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::{CustomCall, Type};

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

    /// The next tensors of the infeed.
    ///
    /// # Errors
    /// UNAVAILABLE when there are none.
    fn infeed(&self, config: &str) -> Result<Vec<Tensor>> {
        Err(Error::unavailable(format!("nothing feeds the infeed {config:?}")))
    }

    /// Tensors a program puts out.
    ///
    /// # Errors
    /// UNAVAILABLE when nobody takes them.
    fn outfeed(&self, config: &str, values: &[Tensor]) -> Result<()> {
        let _ = values;
        Err(Error::unavailable(format!("nobody takes the outfeed {config:?}")))
    }

    /// Tensors sent on a channel.
    ///
    /// # Errors
    /// UNAVAILABLE when the channel leads nowhere.
    fn send(&self, channel: i64, values: &[Tensor]) -> Result<()> {
        let _ = values;
        Err(Error::unavailable(format!("nobody receives on channel {channel}")))
    }

    /// The next tensors received on a channel.
    ///
    /// # Errors
    /// UNAVAILABLE when there are none.
    fn receive(&self, channel: i64) -> Result<Vec<Tensor>> {
        Err(Error::unavailable(format!("nobody sends on channel {channel}")))
    }

    /// The operands that each member of the meeting brings, in the order of its group.
    ///
    /// # Errors
    /// UNAVAILABLE when other members cannot be reached.
    fn meet(&self, meeting: &Meeting, me: Process, mine: Vec<Tensor>) -> Result<Vec<Vec<Tensor>>> {
        if meeting.group == [me] {
            return Ok(vec![mine]);
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

    fn infeed(&self, config: &str) -> Result<Vec<Tensor>> {
        self.pop(&format!("infeed {config:?}"))
    }

    fn outfeed(&self, config: &str, values: &[Tensor]) -> Result<()> {
        self.push(format!("outfeed {config:?}"), values.to_vec());
        Ok(())
    }

    fn send(&self, channel: i64, values: &[Tensor]) -> Result<()> {
        self.push(format!("channel {channel}"), values.to_vec());
        Ok(())
    }

    fn receive(&self, channel: i64) -> Result<Vec<Tensor>> {
        self.pop(&format!("channel {channel}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_keep_order_and_run_dry() {
        let host = MemoryHost::default();
        host.send(1, &[Tensor::scalar(1i32)]).unwrap();
        host.send(1, &[Tensor::scalar(2i32)]).unwrap();
        assert_eq!(host.receive(1).unwrap(), [Tensor::scalar(1i32)]);
        assert_eq!(host.receive(1).unwrap(), [Tensor::scalar(2i32)]);
        assert!(host.receive(1).is_err() && host.infeed("").is_err());
        host.print("a");
        host.print("b");
        assert_eq!(host.printed(), "ab");
    }
}
