//! Several participants at once: a thread each, and a place where they meet.
//!
//! Waiting cannot hang: a participant that ends, fails or waits is counted, and when all that still
//! live wait for something that nobody left can bring, they all fail.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tfjit_base::{Error, Result, Tensor, limits};
use tfjit_hlo::{Attr, CustomCall, Module, TensorType, Type};

use crate::Value;
use crate::custom::{Call, attribute};
use crate::host::{Host, Meeting, MeetingWork, MemoryHost, Process, Transfer, work_alone};
use crate::interpreter::{Interpreter, Options, Run};

/// Stack of a participant's thread; deep enough for the deepest nesting.
const STACK_BYTES: usize = 32 << 20;

/// What the members of a group have brought so far.
struct Round {
    number: u64,
    brought: Vec<Option<Vec<Tensor>>>,
}

/// A finished round, until every member has taken it.
struct Finished {
    brought: Arc<Vec<Vec<Tensor>>>,
    takers: usize,
}

#[derive(Default)]
struct State {
    rounds: HashMap<Meeting, VecDeque<Round>>,
    finished: HashMap<u64, Finished>,
    channels: HashMap<i64, VecDeque<Vec<Tensor>>>,
    /// Participants that wait on each channel.
    receivers: HashMap<i64, usize>,
    next_number: u64,
    /// Participants that still run, and how many of them wait.
    live: usize,
    waiting: usize,
    stuck: bool,
    /// The first error that was a participant's own.
    error: Option<Error>,
}

impl State {
    /// Notes that nobody can go on, if that is so.
    fn look_for_deadlock(&mut self) {
        if self.live > 0 && self.waiting >= self.live {
            self.stuck = true;
        }
    }
}

/// The place where the participants of one run meet.
struct Meetings<'h> {
    state: Mutex<State>,
    changed: Condvar,
    feeds: MemoryHost,
    has_feeds: bool,
    outer: Option<&'h dyn Host>,
}

fn stuck() -> Error {
    Error::failed_precondition("participants wait for one another and none can go on")
        .help("all members of a group must run its collective, in the same order")
}

impl Meetings<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings operands to the current round of a meeting; the round's number.
    fn bring(&self, state: &mut State, meeting: &Meeting, me: usize, mine: Vec<Tensor>) -> u64 {
        let members = meeting.group.len();
        let rounds = state.rounds.entry(meeting.clone()).or_default();
        if !rounds.iter().any(|round| round.brought[me].is_none()) {
            let number = state.next_number;
            state.next_number += 1;
            rounds.push_back(Round { number, brought: vec![None; members] });
        }
        let mut mine = Some(mine);
        let mut number = 0;
        for round in rounds.iter_mut() {
            if round.brought[me].is_none() {
                round.brought[me] = mine.take();
                number = round.number;
                break;
            }
        }
        let full = rounds.front().is_some_and(|round| round.brought.iter().all(Option::is_some));
        if full && let Some(round) = rounds.pop_front() {
            let brought = Arc::new(round.brought.into_iter().flatten().collect());
            state.finished.insert(round.number, Finished { brought, takers: members });
            // All other members were waiting and can go on.
            state.waiting = state.waiting.saturating_sub(members - 1);
            self.changed.notify_all();
        }
        number
    }

    /// A participant is done.
    fn leave(&self, result: &Result<Vec<Value>>) {
        let mut state = self.lock();
        state.live = state.live.saturating_sub(1);
        if let Err(error) = result {
            if !state.stuck {
                state.error.get_or_insert_with(|| error.clone());
            }
            state.stuck = true;
        }
        state.look_for_deadlock();
        self.changed.notify_all();
    }
}

impl Host for Meetings<'_> {
    fn custom_call(
        &self,
        call: &CustomCall,
        operands: &[Value],
        results: &[&Type],
    ) -> Result<Option<Vec<Value>>> {
        self.outer.map_or(Ok(None), |outer| outer.custom_call(call, operands, results))
    }

    fn print(&self, text: &str) {
        if let Some(outer) = self.outer {
            outer.print(text);
        }
    }

    fn infeed(&self, config: &str, types: &[TensorType]) -> Result<Vec<Tensor>> {
        match self.outer {
            Some(outer) if !self.has_feeds => outer.infeed(config, types),
            _ => self.feeds.infeed("", types),
        }
    }

    fn outfeed(&self, config: &str, values: Vec<Tensor>) -> Result<()> {
        match self.outer {
            Some(outer) => outer.outfeed(config, values),
            None => self.feeds.outfeed(config, values),
        }
    }

    fn send(&self, transfer: &Transfer<'_>, values: Vec<Tensor>) -> Result<()> {
        let channel = transfer.channel;
        let mut state = self.lock();
        state.channels.entry(channel).or_default().push_back(values);
        if let Some(receivers) = state.receivers.get_mut(&channel).filter(|n| **n > 0) {
            *receivers -= 1;
            state.waiting = state.waiting.saturating_sub(1);
        }
        self.changed.notify_all();
        Ok(())
    }

    fn receive(&self, transfer: &Transfer<'_>, _: &[TensorType]) -> Result<Vec<Tensor>> {
        let channel = transfer.channel;
        let mut state = self.lock();
        if let Some(values) = state.channels.get_mut(&channel).and_then(VecDeque::pop_front) {
            return Ok(values);
        }
        *state.receivers.entry(channel).or_default() += 1;
        state.waiting += 1;
        state.look_for_deadlock();
        self.changed.notify_all();
        loop {
            if let Some(values) = state.channels.get_mut(&channel).and_then(VecDeque::pop_front) {
                return Ok(values);
            }
            if state.stuck {
                return Err(stuck());
            }
            state = self.wait(state);
        }
    }

    fn meet(
        &self,
        meeting: &Meeting,
        me: Process,
        mine: Vec<Tensor>,
        work: &mut dyn MeetingWork,
    ) -> Result<Vec<Tensor>> {
        let index = meeting.group.iter().position(|p| *p == me);
        let index = index.ok_or_else(|| Error::internal("not a member of the group"))?;
        let mut state = self.lock();
        let number = self.bring(&mut state, meeting, index, mine);
        if !state.finished.contains_key(&number) {
            state.waiting += 1;
            state.look_for_deadlock();
            self.changed.notify_all();
        }
        loop {
            if let Some(round) = state.finished.get_mut(&number) {
                let brought = Arc::clone(&round.brought);
                round.takers -= 1;
                if round.takers == 0 {
                    state.finished.remove(&number);
                }
                drop(state);
                return work_alone(work, &brought, index);
            }
            if state.stuck {
                return Err(stuck());
            }
            state = self.wait(state);
        }
    }
}

/// One participant's work: which function, on which arguments.
pub struct Program<'a> {
    /// The function's name.
    pub func: &'a str,
    /// Its arguments.
    pub args: Vec<Value>,
}

/// Runs participants at the same time, so that they can meet in collectives. `programs` holds a row
/// for each replica with one program for each partition. The results are in the order of the
/// programs, row by row.
///
/// # Errors
/// The first error of a participant; FAILED_PRECONDITION when they wait for one another forever;
/// INVALID_ARGUMENT when the rows differ in length; RESOURCE_EXHAUSTED when there are too many.
pub fn run_parallel(
    module: &Module,
    programs: Vec<Vec<Program<'_>>>,
    options: Options<'_>,
) -> Result<Vec<Vec<Value>>> {
    run_fed(&Interpreter::new(module, options), programs, None)
}

fn run_fed(
    interpreter: &Interpreter<'_>,
    programs: Vec<Vec<Program<'_>>>,
    feeds: Option<Vec<Vec<Tensor>>>,
) -> Result<Vec<Vec<Value>>> {
    let partitions = programs.first().map_or(0, Vec::len);
    if programs.iter().any(|row| row.len() != partitions) {
        return Err(Error::invalid_argument("replicas differ in their number of partitions"));
    }
    let (replicas, total) = (programs.len(), programs.len().saturating_mul(partitions));
    if total > limits::PARTICIPANTS_MAX {
        return Err(Error::resource_exhausted(format!(
            "{total} participants are more than {}",
            limits::PARTICIPANTS_MAX
        )));
    }
    let meetings = Meetings {
        state: Mutex::new(State { live: total, ..State::default() }),
        changed: Condvar::new(),
        feeds: MemoryHost::default(),
        has_feeds: feeds.is_some(),
        outer: interpreter.options.host,
    };
    for values in feeds.into_iter().flatten() {
        meetings.feeds.feed("", values);
    }
    let results: Vec<Result<Vec<Value>>> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (replica, row) in programs.into_iter().enumerate() {
            for (partition, program) in row.into_iter().enumerate() {
                let process = Process { replica: replica as u32, partition: partition as u32 };
                let meetings = &meetings;
                let work = move || {
                    let own = interpreter.with_options(Options {
                        host: Some(meetings),
                        process,
                        grid: (replicas as u32, partitions as u32),
                        ..interpreter.options
                    });
                    let result = own.run(program.func, &program.args);
                    meetings.leave(&result);
                    result
                };
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                threads.push(thread.spawn_scoped(scope, work).map_err(|e| {
                    let error = Error::resource_exhausted(format!("no thread to run on: {e}"));
                    meetings.leave(&Err(error.clone()));
                    error
                }));
            }
        }
        let panicked = |_| Error::internal("a participant panicked");
        threads.into_iter().map(|t| t?.join().map_err(panicked)?).collect()
    });
    if let Some(error) = meetings.lock().error.take() {
        return Err(error);
    }
    results.into_iter().collect()
}

/// `interpreter.run_parallel`: its operands are the arguments of all programs in order.
pub(crate) fn custom_call(run: &mut Run<'_, '_>, call: Call<'_>) -> Result<Vec<Value>> {
    let wrong = || Error::invalid_argument("run_parallel needs rows of programs");
    let Some(Attr::Array(rows)) = attribute(call.call, "programs") else { return Err(wrong()) };
    let interpreter = run.interpreter;
    let mut args = call.operands.into_iter();
    let mut programs = Vec::new();
    for row in rows {
        let Attr::Array(row) = row else { return Err(wrong()) };
        let mut partitions = Vec::new();
        for program in row {
            let (Attr::Symbol(name) | Attr::Str(name)) = program else { return Err(wrong()) };
            let func = interpreter.module.func(name);
            let func = func.ok_or_else(|| Error::not_found(format!("there is no @{name}")))?;
            let args: Vec<Value> = args.by_ref().take(func.params().len()).collect();
            partitions.push(Program { func: name, args });
        }
        programs.push(partitions);
    }
    let mut feeds = None;
    if let Some(Attr::Array(names)) = attribute(call.call, "infeed") {
        let mut queue = Vec::new();
        for name in names {
            let (Attr::Symbol(name) | Attr::Str(name)) = name else { return Err(wrong()) };
            let values = run.deeper(|run| run.call(name, Vec::new()))?;
            queue.push(values.iter().map(|v| v.tensor().cloned()).collect::<Result<_>>()?);
        }
        feeds = Some(queue);
    }
    let results = run.deeper(|_| run_fed(interpreter, programs, feeds))?;
    Ok(results.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meetings(live: usize) -> Meetings<'static> {
        Meetings {
            state: Mutex::new(State { live, ..State::default() }),
            changed: Condvar::new(),
            feeds: MemoryHost::default(),
            has_feeds: false,
            outer: None,
        }
    }

    /// Work that returns what everybody brought.
    struct All;

    impl MeetingWork for All {
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

    fn channel(channel: i64) -> Transfer<'static> {
        Transfer { channel, is_host: false, rendezvous: None }
    }

    fn group() -> Vec<Process> {
        [0, 1].map(|replica| Process { replica, partition: 0 }).to_vec()
    }

    #[test]
    fn members_see_each_other_round_by_round() {
        let place = meetings(2);
        let meeting = Meeting { name: "all_reduce", channel: 0, group: group() };
        let visit = |me: usize| {
            let seen: Vec<_> = (0..50)
                .map(|round: i32| {
                    let mine = vec![Tensor::scalar(round * 2 + me as i32)];
                    let all = place.meet(&meeting, meeting.group[me], mine, &mut All).unwrap();
                    all.iter().map(|x| x.to_i64s().unwrap()[0]).collect::<Vec<_>>()
                })
                .collect();
            place.leave(&Ok(Vec::new()));
            seen
        };
        let want: Vec<_> = (0..50).map(|r| vec![r * 2, r * 2 + 1]).collect();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| visit(1));
            assert_eq!(visit(0), want);
            assert_eq!(other.join().unwrap(), want);
        });
    }

    #[test]
    fn waiting_for_nobody_fails() {
        let place = meetings(2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| place.receive(&channel(7), &[]));
            assert!(place.receive(&channel(8), &[]).is_err());
            assert!(other.join().unwrap().is_err());
        });
        let place = meetings(2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| place.receive(&channel(7), &[]));
            place.leave(&Ok(Vec::new()));
            assert!(other.join().unwrap().is_err());
        });
    }
}
