//! What a launch reaches besides memory: the host it exchanges tensors with, and its group.
//!
//! This stands between the traits of `client` and the interpreter's idea of a host. What a program
//! sends is handed to a thread of the launch, so that the launch goes on; what goes wrong there is
//! known when the launch ends. It must not know who is at the other end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tfjit_base::{Error, Result, Tensor};
use tfjit_client::{
    ExecuteOptions, Member, Participation, Session, TransferChannel, Transfers, Work,
};
use tfjit_eval::{Host, Meeting, MeetingWork, Process, Transfer, work_alone};
use tfjit_hlo::TensorType;

/// Sends that may wait for the sending thread before the launch does.
const QUEUE_MAX: usize = 4096;
/// How often a launch that waits for room in that queue looks again.
const QUEUE_PAUSE: Duration = Duration::from_millis(1);

/// Something that a program sends.
enum Outgoing {
    Send(TransferChannel, Vec<Tensor>),
    Outfeed(String, Vec<Tensor>),
}

/// The thread that sends.
struct Sender {
    queue: SyncSender<Outgoing>,
    thread: JoinHandle<Result<()>>,
}

/// The world outside of one launch.
pub(crate) struct Outside {
    process: Process,
    grid: (u32, u32),
    transfers: Option<Arc<dyn Transfers>>,
    session: Option<Box<dyn Session>>,
    cancel: Option<Arc<AtomicBool>>,
    sender: Mutex<Option<Sender>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends all that comes, in order, until the launch ends or a send fails; then everybody is told.
fn send_all(incoming: &Receiver<Outgoing>, transfers: &dyn Transfers) -> Result<()> {
    while let Ok(next) = incoming.recv() {
        let send = || match next {
            Outgoing::Send(channel, values) => transfers.send(&channel, values),
            Outgoing::Outfeed(config, values) => transfers.outfeed(&config, values),
        };
        let sent = catch_unwind(AssertUnwindSafe(send))
            .unwrap_or_else(|_| Err(Error::internal("a host transfer panicked")));
        if let Err(error) = sent {
            // Receives of the launch would wait for answers to what was not sent.
            transfers.abort(&error);
            return Err(error);
        }
    }
    Ok(())
}

impl Outside {
    /// The world of a launch that begins.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the launch is a replica or partition that there is not; those of
    /// joining the group.
    pub(crate) fn begin(options: &ExecuteOptions) -> Result<Outside> {
        let (replicas, partitions) = options.grid;
        if options.replica >= replicas || options.partition >= partitions {
            return Err(Error::invalid_argument(format!(
                "there is no replica {} and partition {} among {replicas} and {partitions}",
                options.replica, options.partition
            )));
        }
        let me = Member { replica: options.replica, partition: options.partition };
        let participation = Participation { run_id: options.run_id, me, grid: options.grid };
        let session = options.collectives.as_ref().map(|group| group.begin(&participation));
        Ok(Outside {
            process: Process { replica: options.replica, partition: options.partition },
            grid: options.grid,
            transfers: options.transfers.clone(),
            session: session.transpose()?,
            cancel: options.cancel.clone(),
            sender: Mutex::new(None),
        })
    }

    /// Which participant the launch is.
    pub(crate) fn process(&self) -> Process {
        self.process
    }

    /// Number of replicas and of partitions.
    pub(crate) fn grid(&self) -> (u32, u32) {
        self.grid
    }

    /// The launch is over: waits until all was sent, and tells the others when it failed.
    ///
    /// # Errors
    /// That of the launch, or else of what was sent.
    pub(crate) fn end<T>(self, result: Result<T>) -> Result<T> {
        if let (Err(error), Some(transfers)) = (&result, &self.transfers) {
            transfers.abort(error);
        }
        let sender = self.sender.into_inner().unwrap_or_else(PoisonError::into_inner);
        let sent = sender.map_or(Ok(()), |sender| {
            drop(sender.queue);
            let joined = sender.thread.join();
            joined.unwrap_or_else(|_| Err(Error::internal("the sending thread panicked")))
        });
        // A send that failed aborted the transfers, so its error is what the launch saw.
        let result = result.and_then(|value| sent.map(|()| value));
        if let Some(session) = self.session {
            session.end(result.as_ref().err());
        }
        result
    }

    fn stopped(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Hands something to the sending thread, which is started when it is first needed.
    fn hand_over(&self, outgoing: Outgoing, transfers: &Arc<dyn Transfers>) -> Result<()> {
        let mut sender = lock(&self.sender);
        let sender = match &mut *sender {
            Some(sender) => sender,
            none => {
                let (queue, incoming) = sync_channel(QUEUE_MAX);
                let transfers = Arc::clone(transfers);
                let thread = std::thread::Builder::new()
                    .name("tfjit-send".to_owned())
                    .spawn(move || send_all(&incoming, &*transfers))
                    .map_err(|e| Error::resource_exhausted(format!("no thread to send on: {e}")))?;
                none.insert(Sender { queue, thread })
            }
        };
        let mut outgoing = outgoing;
        loop {
            match sender.queue.try_send(outgoing) {
                Ok(()) => return Ok(()),
                // The thread ended because a send failed; the launch learns of it when it ends.
                Err(TrySendError::Disconnected(_)) => return Ok(()),
                Err(TrySendError::Full(back)) => outgoing = back,
            }
            if self.stopped() {
                return Err(Error::cancelled("the launch was cancelled"));
            }
            std::thread::sleep(QUEUE_PAUSE);
        }
    }
}

/// Where a transfer with the host goes.
///
/// # Errors
/// INTERNAL when the instruction does not name it: the two ends could never meet.
fn channel(transfer: &Transfer<'_>) -> Result<TransferChannel> {
    let name = transfer.rendezvous.filter(|name| !name.is_empty()).ok_or_else(|| {
        Error::internal(format!(
            "the host transfer on channel {} has no attribute {}",
            transfer.channel,
            tfjit_hlo::HOST_TRANSFER_RENDEZVOUS
        ))
    })?;
    Ok(TransferChannel { handle: transfer.channel, rendezvous: name.to_owned() })
}

/// The interpreter's work as the client's.
struct Adapted<'w>(&'w mut dyn MeetingWork);

impl Work for Adapted<'_> {
    fn pieces(&self, parts: &[Vec<Tensor>]) -> usize {
        self.0.pieces(parts)
    }

    fn piece(&mut self, parts: &[Vec<Tensor>], piece: usize, pieces: usize) -> Result<Vec<Tensor>> {
        self.0.piece(parts, piece, pieces)
    }

    fn join(&mut self, parts: &[Vec<Tensor>], pieces: Vec<Vec<Tensor>>) -> Result<Vec<Tensor>> {
        self.0.join(parts, pieces)
    }

    fn mine(
        &mut self,
        parts: &[Vec<Tensor>],
        shared: &[Tensor],
        index: usize,
    ) -> Result<Vec<Tensor>> {
        self.0.mine(parts, shared, index)
    }
}

impl Host for Outside {
    fn infeed(&self, config: &str, types: &[TensorType]) -> Result<Vec<Tensor>> {
        match &self.transfers {
            Some(transfers) => transfers.infeed(config, types, &|| self.stopped()),
            None => Err(Error::unavailable(format!("nothing feeds the infeed {config:?}"))),
        }
    }

    fn outfeed(&self, config: &str, values: Vec<Tensor>) -> Result<()> {
        match &self.transfers {
            Some(transfers) => {
                self.hand_over(Outgoing::Outfeed(config.to_owned(), values), transfers)
            }
            None => Err(Error::unavailable(format!("nobody takes the outfeed {config:?}"))),
        }
    }

    fn send(&self, transfer: &Transfer<'_>, values: Vec<Tensor>) -> Result<()> {
        let nobody = || {
            let channel = transfer.channel;
            Error::unavailable(format!("the launch has nobody who receives on channel {channel}"))
        };
        if transfer.is_host {
            let channel = channel(transfer)?;
            let transfers = self.transfers.as_ref().ok_or_else(nobody)?;
            return self.hand_over(Outgoing::Send(channel, values), transfers);
        }
        self.session.as_ref().ok_or_else(nobody)?.send(transfer.channel, values)
    }

    fn receive(&self, transfer: &Transfer<'_>, types: &[TensorType]) -> Result<Vec<Tensor>> {
        let nobody = || {
            let channel = transfer.channel;
            Error::unavailable(format!("the launch has nobody who sends on channel {channel}"))
        };
        if transfer.is_host {
            let channel = channel(transfer)?;
            let transfers = self.transfers.as_ref().ok_or_else(nobody)?;
            return transfers.recv(&channel, types, &|| self.stopped());
        }
        self.session.as_ref().ok_or_else(nobody)?.recv(transfer.channel, &|| self.stopped())
    }

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
        let session = self.session.as_ref().ok_or_else(|| {
            Error::unavailable(format!(
                "{} needs {} members, and the launch was given no group",
                meeting.name,
                meeting.group.len()
            ))
        })?;
        let member = |p: &Process| Member { replica: p.replica, partition: p.partition };
        let meeting = tfjit_client::Meeting {
            kind: meeting.name,
            channel: meeting.channel,
            members: meeting.group.iter().map(member).collect(),
        };
        session.meet(&meeting, mine, &mut Adapted(work), &|| self.stopped())
    }
}
