//! What has arrived from other processes, and members that wait for it.
//!
//! It knows messages and no way to carry them: whoever does puts them in.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tfjit_base::{Code, Error, Result, Tensor};
use tfjit_client::{Collectives, Meeting, Member, Participation, Session, Work};

use crate::message::{Body, Message};

/// How often one who waits looks whether it is to stop.
const POLL: Duration = Duration::from_millis(10);

/// Carries messages to other processes.
pub trait Outbox: Send + Sync + fmt::Debug {
    /// Hands a message over for a process, in the order of the calls, without waiting for it.
    ///
    /// # Errors
    /// UNAVAILABLE when it can't be reached.
    fn post(&self, rank: usize, message: Message) -> Result<()>;
}

type Key = (String, i64, Vec<Member>);

/// What one launch has received.
#[derive(Default)]
struct Received {
    /// Operands by meeting and by the rank that brings them, oldest first.
    operands: BTreeMap<Key, BTreeMap<usize, VecDeque<Vec<Tensor>>>>,
    channels: BTreeMap<i64, VecDeque<Vec<Tensor>>>,
    ended: BTreeSet<usize>,
    error: Option<Error>,
    /// Whether this process's own launch is over.
    over: bool,
}

/// What has arrived.
#[derive(Default)]
pub struct Mailbox {
    state: Mutex<BTreeMap<(u64, u64), Received>>,
    changed: Condvar,
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mailbox({} launches)", lock(&self.state).len())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mailbox {
    /// Puts in what a process has sent; `size` is the number of processes.
    pub fn put(&self, from: usize, size: usize, message: Message) {
        let mut launches = lock(&self.state);
        let launch = launches.entry(message.run).or_default();
        match message.body {
            Body::Meet(kind, channel, members, operands) => {
                let meeting = launch.operands.entry((kind, channel, members)).or_default();
                meeting.entry(from).or_default().push_back(operands);
            }
            Body::Channel(channel, values) => {
                launch.channels.entry(channel).or_default().push_back(values);
            }
            Body::Ended => {
                launch.ended.insert(from);
            }
            Body::Failed(code, text) => {
                launch.ended.insert(from);
                launch.error.get_or_insert_with(|| Error::new(code, text));
            }
            Body::Bye => {}
        }
        forget(&mut launches, message.run, size);
        self.changed.notify_all();
    }

    /// Number of launches that are not over everywhere.
    pub fn running(&self) -> usize {
        lock(&self.state).len()
    }
}

/// Drops a launch that is over in all processes.
fn forget(launches: &mut BTreeMap<(u64, u64), Received>, run: (u64, u64), size: usize) {
    if launches.get(&run).is_some_and(|l| l.over && l.ended.len() + 1 >= size) {
        launches.remove(&run);
    }
}

/// A group whose members are processes.
#[derive(Clone)]
pub struct ProcessGroup {
    rank: usize,
    size: usize,
    timeout: Duration,
    mailbox: Arc<Mailbox>,
    outbox: Arc<dyn Outbox>,
    /// How often each run id was begun.
    begun: Arc<Mutex<BTreeMap<u64, u64>>>,
}

impl fmt::Debug for ProcessGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProcessGroup({} of {})", self.rank, self.size)
    }
}

impl ProcessGroup {
    /// The group seen from the process `rank` of `size`, whose members wait so long for others.
    pub fn new(
        rank: usize,
        size: usize,
        timeout: Duration,
        mailbox: Arc<Mailbox>,
        outbox: Arc<dyn Outbox>,
    ) -> ProcessGroup {
        ProcessGroup { rank, size, timeout, mailbox, outbox, begun: Arc::default() }
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let me = self.rank;
        (0..self.size).filter(move |&rank| rank != me)
    }
}

/// The process of a member: partitions of a replica follow each other.
fn rank_of(member: Member, grid: (u32, u32)) -> usize {
    member.replica as usize * grid.1 as usize + member.partition as usize
}

impl Collectives for ProcessGroup {
    fn begin(&self, participation: &Participation) -> Result<Box<dyn Session>> {
        let Participation { run_id, me, grid } = *participation;
        let members = grid.0 as usize * grid.1 as usize;
        if members != self.size || rank_of(me, grid) != self.rank {
            return Err(Error::invalid_argument(format!(
                "{me} of {members} members is not process {} of {}",
                self.rank, self.size
            )));
        }
        let epoch = {
            let mut begun = lock(&self.begun);
            let next = begun.entry(run_id).or_default();
            *next += 1;
            *next - 1
        };
        let run = (run_id, epoch);
        lock(&self.mailbox.state).entry(run).or_default();
        let group = self.clone();
        Ok(Box::new(ProcessSession { group, run, me, grid, ended: AtomicBool::new(false) }))
    }
}

struct ProcessSession {
    group: ProcessGroup,
    run: (u64, u64),
    me: Member,
    grid: (u32, u32),
    ended: AtomicBool,
}

impl fmt::Debug for ProcessSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProcessSession({} of run {:?})", self.me, self.run)
    }
}

impl ProcessSession {
    /// Waits until `look` finds something in what was received. `look` says who is missing.
    fn wait<T>(
        &self,
        at: &str,
        stop: &dyn Fn() -> bool,
        mut look: impl FnMut(&mut Received) -> Result<T, Vec<usize>>,
    ) -> Result<T> {
        let deadline = Instant::now().checked_add(self.group.timeout);
        let mut launches = lock(&self.group.mailbox.state);
        loop {
            let launch = launches.entry(self.run).or_default();
            let missing = match look(launch) {
                Ok(found) => return Ok(found),
                Err(missing) => missing,
            };
            if let Some(error) = &launch.error {
                return Err(error.clone());
            }
            let gone = missing.iter().find(|rank| launch.ended.contains(rank));
            let error = if let Some(gone) = gone {
                let text = format!("process {gone} ended its launch without {at}");
                Error::failed_precondition(text)
            } else if stop() {
                Error::cancelled("the launch was cancelled while it waited for others")
            } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let secs = self.group.timeout.as_secs_f64();
                let text = format!("waited {secs} s in {at} without processes {missing:?}");
                Error::deadline_exceeded(text)
            } else {
                let waited = self.group.mailbox.changed.wait_timeout(launches, POLL);
                launches = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            launch.error = Some(error.clone());
            return Err(error);
        }
    }

    fn post(&self, rank: usize, body: Body) -> Result<()> {
        self.group.outbox.post(rank, Message { run: self.run, body })
    }
}

/// Does all of the work for one member.
fn work_alone(work: &mut dyn Work, parts: &[Vec<Tensor>], index: usize) -> Result<Vec<Tensor>> {
    let shared = match work.pieces(parts) {
        0 => Vec::new(),
        _ => {
            let whole = work.piece(parts, 0, 1)?;
            work.join(parts, vec![whole])?
        }
    };
    work.mine(parts, &shared, index)
}

impl Session for ProcessSession {
    fn meet(
        &self,
        meeting: &Meeting,
        operands: Vec<Tensor>,
        work: &mut dyn Work,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Tensor>> {
        let ranks: Vec<usize> = meeting.members.iter().map(|&m| rank_of(m, self.grid)).collect();
        let mine = ranks.iter().position(|&rank| rank == self.group.rank);
        let mine = mine.ok_or_else(|| {
            Error::invalid_argument(format!("{} is no member of {}", self.me, meeting.kind))
        })?;
        for &rank in ranks.iter().filter(|&&rank| rank != self.group.rank) {
            let message = Message::meet(self.run, meeting, operands.clone());
            self.group.outbox.post(rank, message)?;
        }
        let at = format!("{} on channel {}", meeting.kind, meeting.channel);
        let key: Key = (meeting.kind.to_owned(), meeting.channel, meeting.members.clone());
        let mut parts = self.wait(&at, stop, |launch| {
            let here = launch.operands.entry(key.clone()).or_default();
            let there = |rank: &usize| here.get(rank).is_some_and(|queue| !queue.is_empty());
            let missing: Vec<usize> = ranks
                .iter()
                .copied()
                .filter(|rank| *rank != self.group.rank && !there(rank))
                .collect();
            if !missing.is_empty() {
                return Err(missing);
            }
            let take =
                |rank: &usize| here.get_mut(rank).and_then(VecDeque::pop_front).unwrap_or_default();
            Ok(ranks.iter().map(take).collect::<Vec<_>>())
        })?;
        parts[mine] = operands;
        work_alone(work, &parts, mine)
    }

    fn send(&self, channel: i64, values: Vec<Tensor>) -> Result<()> {
        // Only one process receives on a channel; which, nobody says.
        for rank in self.group.others() {
            self.post(rank, Body::Channel(channel, values.clone()))?;
        }
        Ok(())
    }

    fn recv(&self, channel: i64, stop: &dyn Fn() -> bool) -> Result<Vec<Tensor>> {
        let at = format!("recv on channel {channel}");
        self.wait(&at, stop, |launch| {
            let first = launch.channels.get_mut(&channel).and_then(VecDeque::pop_front);
            // The launch goes on as long as somebody is left who might send.
            first.ok_or_else(|| {
                let left = self.group.others().filter(|rank| !launch.ended.contains(rank));
                let left: Vec<usize> = left.collect();
                if left.is_empty() { self.group.others().collect() } else { left }
            })
        })
    }

    fn end(&self, error: Option<&Error>) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        for rank in self.group.others() {
            let body = match error {
                None => Body::Ended,
                Some(error) => {
                    Body::Failed(error.code(), format!("{} failed: {}", self.me, error.message()))
                }
            };
            // Who can't be reached learns of it by waiting.
            let _ = self.post(rank, body);
        }
        let mut launches = lock(&self.group.mailbox.state);
        if let Some(launch) = launches.get_mut(&self.run) {
            launch.over = true;
        }
        forget(&mut launches, self.run, self.group.size);
    }
}

impl Drop for ProcessSession {
    fn drop(&mut self) {
        self.end(Some(&Error::new(Code::Aborted, "the launch was given up")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes of one test: a mailbox each.
    #[derive(Debug)]
    struct Post(usize, Arc<Vec<Arc<Mailbox>>>);

    impl Outbox for Post {
        fn post(&self, rank: usize, message: Message) -> Result<()> {
            let message = Message::from_bytes(&message.to_bytes())?;
            self.1[rank].put(self.0, self.1.len(), message);
            Ok(())
        }
    }

    struct All;

    impl Work for All {
        fn pieces(&self, _: &[Vec<Tensor>]) -> usize {
            0
        }
        fn piece(&mut self, _: &[Vec<Tensor>], _: usize, _: usize) -> Result<Vec<Tensor>> {
            Ok(Vec::new())
        }
        fn join(&mut self, _: &[Vec<Tensor>], _: Vec<Vec<Tensor>>) -> Result<Vec<Tensor>> {
            Ok(Vec::new())
        }
        fn mine(&mut self, parts: &[Vec<Tensor>], _: &[Tensor], _: usize) -> Result<Vec<Tensor>> {
            Ok(parts.concat())
        }
    }

    fn groups(size: usize, timeout: Duration) -> Vec<ProcessGroup> {
        let boxes: Arc<Vec<Arc<Mailbox>>> = Arc::new((0..size).map(|_| Arc::default()).collect());
        let group = |rank: usize| {
            let outbox = Arc::new(Post(rank, Arc::clone(&boxes)));
            ProcessGroup::new(rank, size, timeout, Arc::clone(&boxes[rank]), outbox)
        };
        (0..size).map(group).collect()
    }

    fn member(rank: usize) -> Member {
        Member { replica: rank as u32, partition: 0 }
    }

    fn meeting(size: usize) -> Meeting {
        Meeting { kind: "all", channel: 0, members: (0..size).map(member).collect() }
    }

    fn begin(group: &ProcessGroup, run_id: u64) -> Box<dyn Session> {
        let grid = (group.size as u32, 1);
        group.begin(&Participation { run_id, me: member(group.rank), grid }).unwrap()
    }

    #[test]
    fn processes_meet_again_and_again() {
        let groups = groups(3, Duration::from_secs(600));
        std::thread::scope(|scope| {
            for group in &groups {
                scope.spawn(move || {
                    for launch in 0..30 {
                        let session = begin(group, 0);
                        let mine = vec![Tensor::scalar(launch * 10 + group.rank as i32)];
                        let all = session.meet(&meeting(3), mine, &mut All, &|| false).unwrap();
                        let want: Vec<Tensor> =
                            (0..3).map(|rank| Tensor::scalar(launch * 10 + rank)).collect();
                        assert_eq!(all, want);
                        session.end(None);
                    }
                });
            }
        });
        assert!(groups.iter().all(|group| group.mailbox.running() == 0));
    }

    #[test]
    fn missing_failed_and_ended_processes_are_noticed() {
        let meet = |session: &dyn Session| {
            session.meet(&meeting(2), vec![], &mut All, &|| false).unwrap_err()
        };
        let pair = groups(2, Duration::from_millis(30));
        let error = meet(&*begin(&pair[0], 1));
        assert_eq!(error.code(), Code::DeadlineExceeded);
        assert!(error.message().contains("processes [1]"), "{error}");
        let pair = groups(2, Duration::from_secs(600));
        begin(&pair[1], 1).end(Some(&Error::data_loss("gone")));
        let error = meet(&*begin(&pair[0], 1));
        assert_eq!((error.code(), error.message()), (Code::DataLoss, "replica 1 failed: gone"));
        begin(&pair[1], 2).end(None);
        assert_eq!(meet(&*begin(&pair[0], 2)).code(), Code::FailedPrecondition);
    }

    #[test]
    fn channels_keep_their_order() {
        let pair = groups(2, Duration::from_secs(600));
        let (a, b) = (begin(&pair[0], 1), begin(&pair[1], 1));
        for i in 0..3 {
            a.send(5, vec![Tensor::scalar(i)]).unwrap();
        }
        for i in 0..3 {
            assert_eq!(b.recv(5, &|| false).unwrap(), [Tensor::scalar(i)]);
        }
        assert_eq!(b.recv(5, &|| true).unwrap_err().code(), Code::Cancelled);
    }
}
