//! Members of a group as threads of one process.
//!
//! A collective takes place when all its members have arrived. Its arithmetic is then done once, in
//! pieces that whoever waits takes, in the order of the members, so that every run gives the same
//! bits. Waiting never lasts for ever: a member that fails fails all others with its error, one
//! that ends without coming is noticed at once, so is a circle of members that wait for each other,
//! and one that never began is given up after a time, by name.
//!
//! It must not know what the collectives compute.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use tfjit_base::{Code, Error, Result, Tensor};
use tfjit_client::{Collectives, Meeting, Member, Participation, Session, Work};

use crate::collective_round::{Round, Stage};

/// How often one who waits looks whether it was cancelled.
const POLL: Duration = Duration::from_millis(10);

/// Launches of one run id that are remembered because not all members came; older ones are dropped.
const UNFINISHED_MAX: usize = 64;

/// How members of a group wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupOptions {
    /// How long a member waits for others before it gives up and all fail.
    pub timeout: Duration,
}

impl Default for GroupOptions {
    fn default() -> GroupOptions {
        GroupOptions { timeout: Duration::from_secs(60) }
    }
}

/// A group of members in one process. Clones are the same group.
#[derive(Clone, Default)]
pub struct Group {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    options: GroupOptions,
    /// Launches by run id: of each the ones that are not over, oldest first.
    runs: Mutex<FxHashMap<u64, VecDeque<Arc<Run>>>>,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({:?})", self.shared.options)
    }
}

impl Group {
    /// A group without any launch.
    pub fn new(options: GroupOptions) -> Group {
        Group { shared: Arc::new(Shared { options, runs: Mutex::default() }) }
    }

    /// Number of launches that some member has begun and not all have ended.
    pub fn running(&self) -> usize {
        lock(&self.shared.runs).values().map(VecDeque::len).sum()
    }

    /// Fails all launches under a run id, whoever takes part: all that wait get the error.
    pub fn abort(&self, run_id: u64, error: &Error) {
        let runs: Vec<Arc<Run>> =
            lock(&self.shared.runs).get(&run_id).into_iter().flatten().cloned().collect();
        for run in runs {
            run.fail(error.clone());
        }
    }
}

/// One launch of all members.
struct Run {
    run_id: u64,
    grid: (u32, u32),
    timeout: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

/// How far a member is with a launch.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Progress {
    /// It has not begun.
    Away,
    /// It computes.
    Running,
    /// It waits for others: at what.
    Waiting(String),
    /// It is through.
    Ended,
}

struct State {
    members: Vec<Progress>,
    error: Option<Error>,
    /// Collectives by number, from the first member that arrives to the last that leaves.
    rounds: FxHashMap<u64, Round>,
    /// Collectives that not all members have reached, in order.
    open: FxHashMap<Meeting, VecDeque<u64>>,
    next_round: u64,
    channels: FxHashMap<i64, VecDeque<Vec<Tensor>>>,
    /// Members that wait for a channel.
    receivers: FxHashMap<i64, Vec<usize>>,
}

/// Locks even after a panic elsewhere: what is locked is valid between any two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Collectives for Group {
    fn begin(&self, participation: &Participation) -> Result<Box<dyn Session>> {
        let Participation { run_id, me, grid } = *participation;
        if me.replica >= grid.0 || me.partition >= grid.1 {
            return Err(Error::invalid_argument(format!("{me} is no member of {grid:?}")));
        }
        let index = position(me, grid);
        let mut runs = lock(&self.shared.runs);
        let queue = runs.entry(run_id).or_default();
        if queue.len() >= UNFINISHED_MAX
            && let Some(oldest) = queue.pop_front()
        {
            oldest.fail(Error::new(Code::Aborted, "too many later launches have begun"));
        }
        let known = queue.iter().find(|run| run.grid == grid && run.comes(index));
        let run = match known {
            Some(run) => Arc::clone(run),
            None => {
                let run = Arc::new(Run::new(run_id, grid, self.shared.options.timeout));
                queue.push_back(Arc::clone(&run));
                run
            }
        };
        lock(&run.state).members[index] = Progress::Running;
        let group = Arc::clone(&self.shared);
        Ok(Box::new(GroupSession { group, run, me, index, ended: AtomicBool::new(false) }))
    }
}

/// Position of a member in the grid: partitions of a replica lie side by side.
fn position(member: Member, grid: (u32, u32)) -> usize {
    member.replica as usize * grid.1 as usize + member.partition as usize
}

/// The member at a position.
fn member_at(index: usize, grid: (u32, u32)) -> Member {
    let partitions = grid.1.max(1) as usize;
    Member { replica: (index / partitions) as u32, partition: (index % partitions) as u32 }
}

/// Names in a list, for messages.
fn listed(members: impl Iterator<Item = Member>) -> String {
    members.map(|m| m.to_string()).collect::<Vec<_>>().join(", ")
}

/// What members meet at, for messages.
fn named(meeting: &Meeting) -> String {
    let name = meeting.kind.strip_prefix("stablehlo.").unwrap_or(meeting.kind);
    match meeting.channel {
        0 => name.to_owned(),
        channel => format!("{name} on channel {channel}"),
    }
}

impl Run {
    fn new(run_id: u64, grid: (u32, u32), timeout: Duration) -> Run {
        let members = vec![Progress::Away; grid.0 as usize * grid.1 as usize];
        let state = State {
            members,
            error: None,
            rounds: FxHashMap::default(),
            open: FxHashMap::default(),
            next_round: 0,
            channels: FxHashMap::default(),
            receivers: FxHashMap::default(),
        };
        Run { run_id, grid, timeout, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Whether a member has not begun yet.
    fn comes(&self, index: usize) -> bool {
        lock(&self.state).members.get(index) == Some(&Progress::Away)
    }

    /// Everybody gets an error, unless there is one already.
    fn fail(&self, error: Error) {
        lock(&self.state).error.get_or_insert(error);
        self.changed.notify_all();
    }

    /// As [`Run::fail`]; returns the error that everybody gets.
    fn failed(&self, state: &mut State, error: Error) -> Error {
        let error = state.error.get_or_insert(error).clone();
        self.changed.notify_all();
        error
    }

    /// Waits for a change, but not for ever.
    ///
    /// # Errors
    /// The error of the run, CANCELLED, or what `late` makes of the state past the deadline.
    fn wait<'s>(
        &self,
        mut state: MutexGuard<'s, State>,
        deadline: Option<Instant>,
        stop: &dyn Fn() -> bool,
        late: impl FnOnce(&State) -> Error,
    ) -> Result<MutexGuard<'s, State>> {
        if let Some(error) = &state.error {
            return Err(error.clone());
        }
        if stop() {
            return Err(Error::cancelled("the launch was cancelled while it waited for others"));
        }
        let left = match deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => POLL,
        };
        if left.is_zero() {
            let error = late(&state);
            return Err(self.failed(&mut state, error));
        }
        let waited = self.changed.wait_timeout(state, left.min(POLL));
        Ok(waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Fails everybody when all that have not ended wait for each other.
    fn look_for_circle(&self, state: &mut State) {
        let waits = |p: &Progress| matches!(p, Progress::Waiting(_));
        let stuck = state.members.iter().all(|p| *p == Progress::Ended || waits(p))
            && state.members.iter().any(waits);
        if !stuck {
            return;
        }
        let mut places = Vec::new();
        for (i, progress) in state.members.iter().enumerate() {
            let member = member_at(i, self.grid);
            places.push(match progress {
                Progress::Waiting(at) => format!("{member} is at {at}"),
                _ => format!("{member} has ended"),
            });
        }
        let error = Error::failed_precondition(format!(
            "members wait for one another and none can go on: {}",
            places.join("; ")
        ))
        .help("all members of a group must run its collectives, in the same order");
        self.failed(state, error);
    }

    /// Notes that a member waits.
    fn waits(&self, state: &mut State, index: usize, at: String) {
        state.members[index] = Progress::Waiting(at);
        self.look_for_circle(state);
    }
}

impl State {
    /// Brings a member's operands to its next round of a meeting: the round's number.
    fn bring(&mut self, meeting: &Meeting, place: usize, operands: Vec<Tensor>) -> u64 {
        let queue = self.open.entry(meeting.clone()).or_default();
        let rounds = &self.rounds;
        let missing = |number: &&u64| rounds.get(*number).is_some_and(|r| r.lacks(place));
        let number = match queue.iter().find(missing) {
            Some(&number) => number,
            None => {
                let number = self.next_round;
                self.next_round += 1;
                queue.push_back(number);
                self.rounds.insert(number, Round::new(meeting.members.len()));
                number
            }
        };
        if let Some(round) = self.rounds.get_mut(&number)
            && round.bring(place, operands)
        {
            // Members come to rounds in order, so the first one is full first.
            queue.retain(|&open| open != number);
            if queue.is_empty() {
                self.open.remove(meeting);
            }
        }
        number
    }

    fn run_on(&mut self, index: usize) {
        self.members[index] = Progress::Running;
    }
}

/// A member's part in a launch.
struct GroupSession {
    group: Arc<Shared>,
    run: Arc<Run>,
    me: Member,
    index: usize,
    ended: AtomicBool,
}

impl fmt::Debug for GroupSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GroupSession({} of run {})", self.me, self.run.run_id)
    }
}

/// Runs a piece of work; a panic is an error, since others wait for it.
fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(crate::compiler::panicked("running a collective", &*panic)))
}

/// What everybody brought to a collective, and what all share of its results.
type Attended = (Arc<Vec<Vec<Tensor>>>, Arc<Vec<Tensor>>);

impl GroupSession {
    /// What is waited for, for messages.
    ///
    /// # Errors
    /// FAILED_PRECONDITION for everybody when one that is missing has ended its launch.
    fn lacks(&self, state: &mut State, meeting: &Meeting, missing: Vec<usize>) -> Result<String> {
        let members = missing.into_iter().filter_map(|i| meeting.members.get(i).copied());
        let missing: Vec<Member> = members.collect();
        let ended = |member: Member| {
            state.members.get(position(member, self.run.grid)) == Some(&Progress::Ended)
        };
        if let Some(gone) = missing.iter().copied().find(|&m| ended(m)) {
            let text = format!("{gone} ended its launch without {}", named(meeting));
            return Err(self.run.failed(state, Error::failed_precondition(text)));
        }
        Ok(format!("{} without {}", named(meeting), listed(missing.into_iter())))
    }

    /// Waits in a round until its work is done, and takes part in it.
    fn attend(
        &self,
        meeting: &Meeting,
        number: u64,
        work: &mut dyn Work,
        stop: &dyn Fn() -> bool,
    ) -> Result<Attended> {
        let run = &*self.run;
        let deadline = Instant::now().checked_add(run.timeout);
        let mut state = lock(&run.state);
        loop {
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            let round = state.rounds.get_mut(&number);
            let round = round.ok_or_else(|| Error::internal("a collective was forgotten"))?;
            match round.next() {
                Stage::Gathering(missing) => {
                    let at = self.lacks(&mut state, meeting, missing)?;
                    run.waits(&mut state, self.index, at.clone());
                    state = run.wait(state, deadline, stop, |_| late(run, &at))?;
                    state.run_on(self.index);
                }
                Stage::Count(parts) => {
                    let pieces = caught(|| Ok(work.pieces(&parts)));
                    match pieces {
                        Ok(pieces) => round.begin(pieces),
                        Err(error) => return Err(run.failed(&mut state, error)),
                    }
                    run.changed.notify_all();
                }
                Stage::Piece(parts, piece, pieces) => {
                    drop(state);
                    let done = caught(|| work.piece(&parts, piece, pieces));
                    state = lock(&run.state);
                    match (done, state.rounds.get_mut(&number)) {
                        (Ok(done), Some(round)) => round.finished(piece, done),
                        (Err(error), _) => return Err(run.failed(&mut state, error)),
                        (Ok(_), None) => {}
                    }
                }
                Stage::Join(parts, pieces) => {
                    drop(state);
                    let joined = caught(|| work.join(&parts, pieces));
                    state = lock(&run.state);
                    match (joined, state.rounds.get_mut(&number)) {
                        (Ok(joined), Some(round)) => round.joined(joined),
                        (Err(error), _) => return Err(run.failed(&mut state, error)),
                        (Ok(_), None) => {}
                    }
                    run.changed.notify_all();
                }
                // Others work, which is not waited for with a deadline.
                Stage::Busy => {
                    state = run.wait(state, None, stop, |_| late(run, &named(meeting)))?;
                }
                Stage::Done(parts, shared) => {
                    if round.leave() {
                        state.rounds.remove(&number);
                    }
                    return Ok((parts, shared));
                }
            }
        }
    }
}

/// The error of those that waited long enough.
fn late(run: &Run, at: &str) -> Error {
    let secs = run.timeout.as_secs_f64();
    Error::deadline_exceeded(format!("run {} waited {secs} s in {at}", run.run_id))
        .help("start all members of the group, or raise the time that members wait")
}

impl Session for GroupSession {
    fn meet(
        &self,
        meeting: &Meeting,
        operands: Vec<Tensor>,
        work: &mut dyn Work,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Tensor>> {
        let place = meeting.members.iter().position(|&m| m == self.me);
        let place = place.ok_or_else(|| {
            Error::invalid_argument(format!("{} is no member of {}", self.me, named(meeting)))
        })?;
        let number = {
            let mut state = lock(&self.run.state);
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            let number = state.bring(meeting, place, operands);
            if state.rounds.get(&number).is_some_and(Round::is_full) {
                // All others were waiting here and can go on.
                for &member in &meeting.members {
                    if let Some(p) = state.members.get_mut(position(member, self.run.grid)) {
                        *p = Progress::Running;
                    }
                }
                self.run.changed.notify_all();
            }
            number
        };
        let (parts, shared) = self.attend(meeting, number, work, stop)?;
        let mine = caught(|| work.mine(&parts, &shared, place));
        mine.inspect_err(|error| self.run.fail(error.clone()))
    }

    fn send(&self, channel: i64, values: Vec<Tensor>) -> Result<()> {
        let mut state = lock(&self.run.state);
        if let Some(error) = &state.error {
            return Err(error.clone());
        }
        state.channels.entry(channel).or_default().push_back(values);
        for index in state.receivers.remove(&channel).unwrap_or_default() {
            state.run_on(index);
        }
        self.run.changed.notify_all();
        Ok(())
    }

    fn recv(&self, channel: i64, stop: &dyn Fn() -> bool) -> Result<Vec<Tensor>> {
        let run = &*self.run;
        let deadline = Instant::now().checked_add(run.timeout);
        let mut state = lock(&run.state);
        loop {
            if let Some(values) = state.channels.get_mut(&channel).and_then(VecDeque::pop_front) {
                return Ok(values);
            }
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            let at = format!("recv on channel {channel}, on which nobody sends");
            state.receivers.entry(channel).or_default().push(self.index);
            run.waits(&mut state, self.index, at.clone());
            state = run.wait(state, deadline, stop, |_| late(run, &at))?;
            if let Some(receivers) = state.receivers.get_mut(&channel) {
                receivers.retain(|&index| index != self.index);
            }
            state.run_on(self.index);
        }
    }

    fn end(&self, error: Option<&Error>) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let over = {
            let mut state = lock(&self.run.state);
            state.members[self.index] = Progress::Ended;
            if let Some(error) = error {
                let text = format!("{} failed", self.me);
                state.error.get_or_insert_with(|| error.clone().context(text));
            }
            self.run.look_for_circle(&mut state);
            self.run.changed.notify_all();
            state.members.iter().all(|p| *p == Progress::Ended)
        };
        if over {
            let mut runs = lock(&self.group.runs);
            if let Some(queue) = runs.get_mut(&self.run.run_id) {
                queue.retain(|run| !Arc::ptr_eq(run, &self.run));
                if queue.is_empty() {
                    runs.remove(&self.run.run_id);
                }
            }
        }
    }
}

impl Drop for GroupSession {
    fn drop(&mut self) {
        self.end(Some(&Error::new(Code::Aborted, "the launch was given up")));
    }
}
