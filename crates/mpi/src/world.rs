//! Messages over MPI: a thread that sends and one that receives, and the end of both.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, MatchedReceiveVec as _, Source as _};
use tfjit_base::{Error, Result};
use tfjit_client::{Collectives, Participation, Session};

use crate::mailbox::{Mailbox, Outbox, ProcessGroup};
use crate::message::{Body, Message};

/// How long the receiving thread sleeps when nothing has come.
const PAUSE: Duration = Duration::from_micros(20);

/// Bytes of one message: MPI counts in 32 bits.
const MESSAGE_BYTES_MAX: usize = i32::MAX as usize;

/// All processes of an MPI world as a group. Dropping it waits until all processes drop theirs.
pub struct MpiGroup {
    rank: usize,
    size: usize,
    group: ProcessGroup,
    post: Arc<Post>,
    threads: Vec<JoinHandle<()>>,
}

impl fmt::Debug for MpiGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MpiGroup({} of {})", self.rank, self.size)
    }
}

/// Messages on their way to the sending thread, as bytes; nothing ends it.
type Letter = Option<(usize, Vec<u8>)>;

#[derive(Debug)]
struct Post(Mutex<Sender<Letter>>);

impl Outbox for Post {
    fn post(&self, rank: usize, message: Message) -> Result<()> {
        let bytes = message.to_bytes();
        if bytes.len() > MESSAGE_BYTES_MAX {
            let text = format!("a message of {} bytes is too long for MPI", bytes.len());
            return Err(Error::resource_exhausted(text));
        }
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sender.send(Some((rank, bytes))).map_err(|_| Error::unavailable("MPI has ended"))
    }
}

fn send_all(letters: &Receiver<Letter>) {
    let world = SimpleCommunicator::world();
    while let Ok(Some((rank, bytes))) = letters.recv() {
        world.process_at_rank(rank as i32).send(&bytes[..]);
    }
}

/// Receives until every other process has said goodbye.
fn receive_all(world: &SimpleCommunicator, mailbox: &Mailbox) {
    let size = world.size() as usize;
    let mut left = size - 1;
    while left > 0 {
        let Some(arrived) = world.any_process().immediate_matched_probe() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let (bytes, status) = arrived.matched_receive_vec::<u8>();
        let from = status.source_rank() as usize;
        match Message::from_bytes(&bytes) {
            Ok(Message { body: Body::Bye, .. }) => left -= 1,
            Ok(message) => mailbox.put(from, size, message),
            // Whoever waits for it is told by the time; there is no launch to blame.
            Err(_) => {}
        }
    }
}

impl MpiGroup {
    /// Initialises MPI and starts its threads; once a process. Members wait so long for others.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when MPI was initialised before; UNIMPLEMENTED when the library can't be
    /// used from two threads.
    pub fn start(timeout: Duration) -> Result<MpiGroup> {
        let mailbox: Arc<Mailbox> = Arc::default();
        let (ready, started) = channel();
        let inbox = Arc::clone(&mailbox);
        // MPI is finalised by the thread that initialised it.
        let receiver = spawn("mpi-receive", move || {
            let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Multiple)
            else {
                let error = Error::failed_precondition("MPI was initialised before");
                let _ = ready.send(Err(error));
                return;
            };
            let world = universe.world();
            if threading < Threading::Multiple {
                let error = Error::unimplemented("this MPI library can't be used from two threads");
                let _ = ready.send(Err(error));
                return;
            }
            let _ = ready.send(Ok((world.rank() as usize, world.size() as usize)));
            receive_all(&world, &inbox);
        })?;
        let gone = |_| Error::internal("the MPI thread ended");
        let (rank, size) = started.recv().map_err(gone)??;
        let (letters, outgoing) = channel();
        let sender = spawn("mpi-send", move || send_all(&outgoing))?;
        let post = Arc::new(Post(Mutex::new(letters)));
        let outbox: Arc<dyn Outbox> = Arc::<Post>::clone(&post);
        let group = ProcessGroup::new(rank, size, timeout, mailbox, outbox);
        Ok(MpiGroup { rank, size, group, post, threads: vec![sender, receiver] })
    }

    /// Which process this is: the replica it is of a program, where there are no partitions.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of processes.
    pub fn size(&self) -> usize {
        self.size
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map_err(|e| Error::resource_exhausted(format!("no thread for MPI: {e}")))
}

impl Collectives for MpiGroup {
    fn begin(&self, participation: &Participation) -> Result<Box<dyn Session>> {
        self.group.begin(participation)
    }
}

impl Drop for MpiGroup {
    fn drop(&mut self) {
        for rank in (0..self.size).filter(|&rank| rank != self.rank) {
            let _ = self.post.post(rank, Message { run: (0, 0), body: Body::Bye });
        }
        let end = self.post.0.lock().unwrap_or_else(PoisonError::into_inner).send(None);
        let _ = end;
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}
