//! What a running program does besides computing: transfers between the host and the program, and
//! collectives among the members of a group.
//!
//! These are the traits that a launch is given. They say nothing of threads, processes or names of
//! ops; who implements them may block, read the clock and use the network.
//!
//! Read first: [`Transfers`], [`Collectives`].

use std::fmt;

use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::TensorType;

/// One end of a transfer between the host and a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct TransferChannel {
    /// The channel handle.
    pub handle: i64,
    /// The name under which both ends meet: XLA's frontend attribute
    /// `_xla_host_transfer_rendezvous`.
    pub rendezvous: String,
}

/// Host transfers of one launch.
///
/// Sends are called one after the other, in the order of the program, on a thread that is not the
/// launch's; receives on the thread of the launch.
pub trait Transfers: Send + Sync + fmt::Debug {
    /// Hands over what the program sends.
    ///
    /// # Errors
    /// Those of the other end; the launch fails with it when it ends.
    fn send(&self, channel: &TransferChannel, values: Vec<Tensor>) -> Result<()>;

    /// Waits for what the program receives: one tensor a type, of that type. Returns with
    /// CANCELLED soon after `stop` says yes.
    ///
    /// # Errors
    /// Those of the other end.
    fn recv(
        &self,
        channel: &TransferChannel,
        types: &[TensorType],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Tensor>>;

    /// The next tensors of the infeed, as [`Transfers::recv`].
    ///
    /// # Errors
    /// UNAVAILABLE unless it is implemented.
    fn infeed(
        &self,
        config: &str,
        types: &[TensorType],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Tensor>> {
        let _ = (types, stop);
        Err(Error::unavailable(format!("nothing feeds the infeed {config:?}")))
    }

    /// Takes what the program puts out, as [`Transfers::send`].
    ///
    /// # Errors
    /// UNAVAILABLE unless it is implemented.
    fn outfeed(&self, config: &str, values: Vec<Tensor>) -> Result<()> {
        let _ = values;
        Err(Error::unavailable(format!("nobody takes the outfeed {config:?}")))
    }

    /// The launch failed: whoever waits for the other end gets this error, and so do later calls.
    fn abort(&self, error: &Error);
}

/// One member of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Member {
    /// Which replica.
    pub replica: u32,
    /// Which partition.
    pub partition: u32,
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.partition {
            0 => write!(f, "replica {}", self.replica),
            partition => write!(f, "replica {} partition {partition}", self.replica),
        }
    }
}

/// Who takes part in one launch of a collective program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Participation {
    /// Equal for all members of one launch, and for no other launch that runs at the same time.
    pub run_id: u64,
    /// Who this is.
    pub me: Member,
    /// Number of replicas and of partitions.
    pub grid: (u32, u32),
}

/// A meeting of members at one collective. A member's meetings with equal descriptions take place
/// in the order of its calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Meeting {
    /// The operation, so that different collectives with equal groups do not meet.
    pub kind: &'static str,
    /// The channel handle; 0 for none.
    pub channel: i64,
    /// All members in order, without repetition.
    pub members: Vec<Member>,
}

/// The arithmetic of one collective, given by each member for itself; all members' do the same.
///
/// Every method gets `parts`: what each member brought, in the order of the meeting's members.
pub trait Work {
    /// In how many pieces the shared part of the work can be done; 0 when nothing is shared. It
    /// depends on nothing but `parts`.
    fn pieces(&self, parts: &[Vec<Tensor>]) -> usize;

    /// Does piece number `piece` of `pieces`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the members' operands do not fit one another.
    fn piece(&mut self, parts: &[Vec<Tensor>], piece: usize, pieces: usize) -> Result<Vec<Tensor>>;

    /// Joins all pieces, in order, into what all members share.
    ///
    /// # Errors
    /// As [`Work::piece`].
    fn join(&mut self, parts: &[Vec<Tensor>], pieces: Vec<Vec<Tensor>>) -> Result<Vec<Tensor>>;

    /// The results of the member at position `index`; `shared` is empty when nothing is shared.
    ///
    /// # Errors
    /// As [`Work::piece`].
    fn mine(
        &mut self,
        parts: &[Vec<Tensor>],
        shared: &[Tensor],
        index: usize,
    ) -> Result<Vec<Tensor>>;
}

/// A way for members to reach each other: threads of one process, or processes.
pub trait Collectives: Send + Sync + fmt::Debug {
    /// Begins a launch of one member. It is over when the session is dropped.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the member is not of the group; the error of a member that failed.
    fn begin(&self, participation: &Participation) -> Result<Box<dyn Session>>;
}

/// One member's part in one launch. Dropped before [`Session::end`], the launch counts as failed.
pub trait Session: Send + Sync + fmt::Debug {
    /// Meets the other members with `operands` and returns this member's results. Results are the
    /// same, bit for bit, in every run. Returns with CANCELLED soon after `stop` says yes.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED naming the collective and who is missing; the error of a member that
    /// failed; those of `work`.
    fn meet(
        &self,
        meeting: &Meeting,
        operands: Vec<Tensor>,
        work: &mut dyn Work,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Tensor>>;

    /// Sends to the member that receives on a channel, without waiting for it.
    ///
    /// # Errors
    /// The error of a member that failed.
    fn send(&self, channel: i64, values: Vec<Tensor>) -> Result<()>;

    /// Waits for the next tensors sent on a channel, in the order of sending.
    ///
    /// # Errors
    /// As [`Session::meet`].
    fn recv(&self, channel: i64, stop: &dyn Fn() -> bool) -> Result<Vec<Tensor>>;

    /// The launch of this member is over; with an error all others fail with it.
    fn end(&self, error: Option<&Error>);
}
