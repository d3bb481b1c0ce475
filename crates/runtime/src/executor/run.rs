//! Runs a program with control flow, by TensorFlow's rules of dead values and frames.
//!
//! A value is alive or dead. A step is dead when one of its inputs is, or one of the steps that it
//! waits for; its outputs are dead then and so are the steps behind it. A switch makes a dead value
//! of a living one, a merge a living one of several of which some are dead.
//!
//! A loop is a frame. One iteration of a frame is alive at a time: what enters the next one waits
//! until everything in this one has run. A frame ends when nothing enters another iteration; exits
//! that were dead in the last one are dead for the frame around.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use tfjit_base::{Error, Result, Tensor, limits};

use super::flow::{FlowGraph, FrameId, MERGE_CONTROL, MERGE_WAITS, StepId};
use super::{Flow, Kernel, Program, Slot, Step, StepContext, Value, too_few};
use crate::sync::POLL;

/// Position of a living frame.
type LiveId = u32;

/// A frame while it is alive.
#[derive(Default)]
struct Live {
    frame: FrameId,
    parent: LiveId,
    /// What tells it from other frames in the keys of a rendezvous.
    id: u64,
    iteration: u64,
    /// Steps of this iteration that are ready or run, and frames in it that are alive.
    busy: usize,
    /// Enters that have not run yet.
    enters: u32,
    pending: Vec<u32>,
    /// Dead inputs of each step.
    dead: Vec<u32>,
    /// Which input each merge hands on.
    chosen: Vec<u32>,
    values: Vec<Option<Value>>,
    next: Vec<(Slot, Value)>,
    constants: Vec<(StepId, Option<Value>)>,
    dead_exits: Vec<StepId>,
    children: Vec<(FrameId, LiveId)>,
}

/// A step that is ready: where, and whether it is dead.
type Ready = (LiveId, StepId, bool);

/// What a step made.
enum Outcome {
    /// All outputs are dead.
    Dead,
    /// One value an output.
    Values(Vec<Value>),
    /// One output has a value, the others are dead.
    Only(usize, Value),
}

/// A kernel on its way to a thread of its own.
struct Job<'p> {
    at: LiveId,
    step: StepId,
    kernel: &'p dyn Kernel,
    inputs: Vec<Value>,
    context: StepContext<'p>,
}

type Done = (LiveId, StepId, Result<Vec<Value>>);

/// How kernels get threads of their own, and where their results come from.
struct Threads<'t, 'p> {
    spawn: &'t dyn Fn(Job<'p>) -> Result<()>,
    done: &'t Receiver<Done>,
    running: usize,
}

struct Run<'p> {
    program: &'p Program,
    graph: &'p FlowGraph,
    context: StepContext<'p>,
    live: Vec<Live>,
    free: Vec<LiveId>,
    ready: VecDeque<Ready>,
}

pub(super) fn run<'p>(
    program: &'p Program,
    graph: &'p FlowGraph,
    arguments: Vec<Value>,
    context: &StepContext<'p>,
) -> Result<Vec<Value>> {
    let (live, free, ready) = (Vec::new(), Vec::new(), VecDeque::new());
    let mut run = Run { program, graph, context: *context, live, free, ready };
    run.start(arguments);
    if !graph.blocks {
        run.drive(None)?;
        return run.results();
    }
    std::thread::scope(|scope| {
        let (tx, done) = channel();
        let spawn = |job: Job<'p>| {
            let tx = tx.clone();
            let body = move || {
                let work = || job.kernel.run(&job.inputs, &job.context);
                let result = catch_unwind(AssertUnwindSafe(work))
                    .unwrap_or_else(|_| Err(Error::internal("a bug in tfjit: a kernel panicked")));
                // Nobody listens any more when another kernel has failed.
                let _ = tx.send((job.at, job.step, result));
            };
            let started = std::thread::Builder::new().spawn_scoped(scope, body);
            let failed = |e| Error::resource_exhausted(format!("no thread for a kernel: {e}"));
            started.map(drop).map_err(failed)
        };
        run.drive(Some(Threads { spawn: &spawn, done: &done, running: 0 }))?;
        run.results()
    })
}

impl<'p> Run<'p> {
    fn start(&mut self, arguments: Vec<Value>) {
        self.open(0, 0, 0);
        // The root has no enters, and nothing ends it but the end of the run.
        for (&slot, value) in self.program.params.iter().zip(arguments) {
            self.deliver(0, slot, Some(value));
        }
        for &step in &self.graph.roots {
            self.live[0].busy += 1;
            self.ready.push_back((0, step, false));
        }
    }

    fn results(&mut self) -> Result<Vec<Value>> {
        let root = &mut self.live[0];
        let mut values = Vec::with_capacity(self.program.results.len());
        for (i, &slot) in self.program.results.iter().enumerate() {
            let local = self.graph.slots[slot].local as usize;
            let value = root.values.get(local).cloned().flatten().ok_or_else(|| {
                Error::invalid_argument(format!(
                    "result {i} has no value: it lies in a branch that was not taken"
                ))
            })?;
            values.push(value);
        }
        Ok(values)
    }

    /// Runs steps until none is ready and none runs. After an error nothing is left running that
    /// does not know of it.
    fn drive(&mut self, mut threads: Option<Threads<'_, 'p>>) -> Result<()> {
        let result = self.run_ready(&mut threads);
        if let Err(error) = &result
            && threads.is_some_and(|t| t.running > 0)
        {
            self.context.step.fail(error);
        }
        result
    }

    fn run_ready(&mut self, threads: &mut Option<Threads<'_, 'p>>) -> Result<()> {
        loop {
            if let Some(threads) = threads {
                while threads.running > 0 {
                    let Some(done) = self.await_one(threads)? else { break };
                    self.done(threads, done)?;
                }
            }
            let Some((at, step, dead)) = self.ready.pop_front() else { return Ok(()) };
            let place = &self.program.steps[step as usize];
            self.context.check().map_err(|e| e.at(&*place.name))?;
            let outcome = match threads {
                Some(threads) if !dead && place.kernel.blocks() => {
                    let inputs = self.inputs(at, place)?;
                    let context = self.context_at(at);
                    let kernel = &*place.kernel;
                    if threads.running >= limits::BLOCKED_KERNELS_MAX {
                        let limit = limits::BLOCKED_KERNELS_MAX;
                        let text = format!("more than {limit} kernels of a step wait at once");
                        return Err(Error::resource_exhausted(text).at(&*place.name));
                    }
                    (threads.spawn)(Job { at, step, kernel, inputs, context })?;
                    threads.running += 1;
                    continue;
                }
                _ => self.execute(at, place, step, dead).map_err(|e| e.at(&*place.name))?,
            };
            self.finish(at, step, outcome)?;
        }
    }

    /// A kernel that has ended on its thread; waits for one if there is nothing else to do.
    fn await_one(&self, threads: &Threads<'_, 'p>) -> Result<Option<Done>> {
        if !self.ready.is_empty() {
            return Ok(threads.done.try_recv().ok());
        }
        loop {
            match threads.done.recv_timeout(POLL) {
                Ok(done) => return Ok(Some(done)),
                Err(RecvTimeoutError::Timeout) => self.context.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::internal("the threads of a step are gone"));
                }
            }
        }
    }

    fn done(&mut self, threads: &mut Threads<'_, 'p>, (at, step, result): Done) -> Result<()> {
        threads.running -= 1;
        let place = &self.program.steps[step as usize];
        let values = result.map_err(|e| e.at(&*place.name))?;
        let outcome = whole(place, values)?;
        self.finish(at, step, outcome)
    }

    fn context_at(&self, at: LiveId) -> StepContext<'p> {
        let live = &self.live[at as usize];
        StepContext { frame: (live.id, live.iteration), ..self.context }
    }

    fn inputs(&self, at: LiveId, step: &Step) -> Result<Vec<Value>> {
        let values = &self.live[at as usize].values;
        let read = |&slot: &Slot| {
            let value = values.get(self.graph.slots[slot].local as usize).cloned().flatten();
            value.ok_or_else(|| Error::internal("a value was read before it was made"))
        };
        step.inputs.iter().map(read).collect()
    }

    fn execute(&mut self, at: LiveId, place: &Step, step: StepId, dead: bool) -> Result<Outcome> {
        match &place.flow {
            Flow::Trigger => Ok(Outcome::Values(Vec::new())),
            Flow::Plain if dead && place.kernel.transfers() => {
                place.kernel.run_dead(&self.context_at(at))?;
                Ok(Outcome::Dead)
            }
            _ if dead => Ok(Outcome::Dead),
            Flow::Plain => {
                let inputs = self.inputs(at, place)?;
                whole(place, place.kernel.run(&inputs, &self.context_at(at))?)
            }
            Flow::Switch => {
                let inputs = self.inputs(at, place)?;
                let [value, index] = &inputs[..] else {
                    return Err(Error::internal("a switch has two inputs"));
                };
                Ok(Outcome::Only(chosen_output(index.tensor()?, place)?, value.clone()))
            }
            Flow::Merge => {
                let local = self.graph.nodes[step as usize].local as usize;
                let from = self.live[at as usize].chosen[local];
                let slot = place.inputs[from as usize];
                let local = self.graph.slots[slot].local as usize;
                let value = self.live[at as usize].values[local].clone();
                let value = value.ok_or_else(|| Error::internal("a merge's value is gone"))?;
                let mut values = vec![value];
                if place.outputs.len() > 1 {
                    values.push(Value::Tensor(Tensor::scalar(from as i32)));
                }
                Ok(Outcome::Values(values))
            }
            Flow::Enter { .. } | Flow::Exit | Flow::NextIteration => {
                Ok(Outcome::Values(self.inputs(at, place)?))
            }
        }
    }

    /// Hands on what a step made.
    fn finish(&mut self, at: LiveId, step: StepId, outcome: Outcome) -> Result<()> {
        let place = &self.program.steps[step as usize];
        match &place.flow {
            Flow::NextIteration => {
                if let Outcome::Values(values) = outcome {
                    let next = &mut self.live[at as usize].next;
                    next.extend(place.outputs.iter().copied().zip(values));
                }
            }
            Flow::Exit => match outcome {
                Outcome::Dead => self.live[at as usize].dead_exits.push(step),
                alive => self.hand_on(self.live[at as usize].parent, step, alive),
            },
            Flow::Enter { constant, .. } => {
                let child = self.entered(at, self.graph.nodes[step as usize].target);
                if *constant {
                    let value = match &outcome {
                        Outcome::Values(values) => values.first().cloned(),
                        _ => None,
                    };
                    self.live[child as usize].constants.push((step, value));
                }
                self.hand_on(child, step, outcome);
                self.live[child as usize].enters -= 1;
                self.settle(child)?;
            }
            _ => self.hand_on(at, step, outcome),
        }
        self.live[at as usize].busy -= 1;
        self.settle(at)
    }

    /// Gives the outputs of a step, and the news that it has run, to those who wait in `at`.
    fn hand_on(&mut self, at: LiveId, step: StepId, outcome: Outcome) {
        let place = &self.program.steps[step as usize];
        let dead = matches!(outcome, Outcome::Dead);
        match outcome {
            Outcome::Dead => place.outputs.iter().for_each(|&slot| self.deliver(at, slot, None)),
            Outcome::Values(values) => {
                for (&slot, value) in place.outputs.iter().zip(values) {
                    self.deliver(at, slot, Some(value));
                }
            }
            Outcome::Only(chosen, value) => {
                let mut value = Some(value);
                for (i, &slot) in place.outputs.iter().enumerate() {
                    let given = if i == chosen { value.take() } else { None };
                    self.deliver(at, slot, given);
                }
            }
        }
        let graph = self.graph;
        for &follower in graph.followers(step) {
            self.arrive(at, follower, None, !dead);
        }
    }

    fn deliver(&mut self, at: LiveId, slot: Slot, value: Option<Value>) {
        let graph = self.graph;
        let alive = value.is_some();
        self.live[at as usize].values[graph.slots[slot].local as usize] = value;
        for &(reader, input) in graph.readers(slot) {
            self.arrive(at, reader, Some(input), alive);
        }
    }

    /// One input of a step is there: a value, or the step that it waits for.
    fn arrive(&mut self, at: LiveId, step: StepId, input: Option<u32>, alive: bool) {
        let node = &self.graph.nodes[step as usize];
        let place = &self.program.steps[step as usize];
        let live = &mut self.live[at as usize];
        let local = node.local as usize;
        let (pending, dead) = (&mut live.pending[local], &mut live.dead[local]);
        let (ready, is_dead) = if place.flow == Flow::Merge {
            let first = live.iteration == 0 || node.back == 0;
            let possible = if first { place.inputs.len() as u32 - node.back } else { node.back };
            match input {
                None => *pending -= MERGE_CONTROL,
                Some(_) if !alive => *dead += 1,
                // Only the first living value counts.
                Some(_) if *pending & MERGE_WAITS == 0 => return,
                Some(input) => {
                    *pending &= !MERGE_WAITS;
                    live.chosen[local] = input;
                }
            }
            let all_dead = *dead == possible;
            // A dead value that comes after the living one was taken changes nothing.
            let late = input.is_some() && !alive && *pending & MERGE_WAITS == 0;
            let is_dead = *pending == MERGE_WAITS && all_dead;
            ((*pending == 0 && !late) || is_dead, is_dead)
        } else {
            *dead += u32::from(!alive);
            *pending -= 1;
            (*pending == 0, *dead > 0)
        };
        if ready {
            live.busy += 1;
            self.ready.push_back((at, step, is_dead));
        }
    }

    /// The living frame that an enter in `at` leads to.
    fn entered(&mut self, at: LiveId, frame: FrameId) -> LiveId {
        let known = self.live[at as usize].children.iter().find(|(f, _)| *f == frame);
        if let Some((_, child)) = known {
            return *child;
        }
        let parent = &self.live[at as usize];
        let id = frame_key(parent.id, parent.iteration, self.graph.frame_name(frame));
        let child = self.open(frame, at, id);
        let parent = &mut self.live[at as usize];
        parent.children.push((frame, child));
        parent.busy += 1;
        child
    }

    fn open(&mut self, frame: FrameId, parent: LiveId, id: u64) -> LiveId {
        let info = &self.graph.frames[frame as usize];
        let steps = info.pending.len();
        let live = Live {
            frame,
            parent,
            id,
            enters: info.enters,
            pending: info.pending.clone(),
            dead: vec![0; steps],
            chosen: vec![0; steps],
            values: vec![None; info.slots as usize],
            ..Live::default()
        };
        match self.free.pop() {
            Some(at) => {
                self.live[at as usize] = live;
                at
            }
            None => {
                self.live.push(live);
                (self.live.len() - 1) as LiveId
            }
        }
    }

    /// Starts the next iteration of a frame in which nothing is left to run, or ends the frame;
    /// then looks at the frame around.
    fn settle(&mut self, mut at: LiveId) -> Result<()> {
        loop {
            let live = &self.live[at as usize];
            if at == 0 || live.busy > 0 || live.enters > 0 {
                return Ok(());
            }
            if !live.next.is_empty() {
                self.iterate(at)?;
                continue;
            }
            let ended = std::mem::take(&mut self.live[at as usize]);
            self.free.push(at);
            debug_assert_eq!(
                self.graph.parent(ended.frame),
                self.live[ended.parent as usize].frame
            );
            at = ended.parent;
            let parent = &mut self.live[at as usize];
            parent.children.retain(|(frame, _)| *frame != ended.frame);
            for exit in ended.dead_exits {
                self.hand_on(at, exit, Outcome::Dead);
            }
            self.live[at as usize].busy -= 1;
        }
    }

    fn iterate(&mut self, at: LiveId) -> Result<()> {
        let graph = self.graph;
        let live = &mut self.live[at as usize];
        let frame = &graph.frames[live.frame as usize];
        live.iteration += 1;
        if live.iteration >= limits::LOOP_ITERATIONS_MAX {
            let name = graph.frame_name(live.frame);
            return Err(Error::resource_exhausted(format!(
                "the loop {name} runs more than {} iterations",
                limits::LOOP_ITERATIONS_MAX
            )));
        }
        live.pending.copy_from_slice(&frame.pending);
        live.dead.fill(0);
        live.values.fill(None);
        live.dead_exits.clear();
        let next = std::mem::take(&mut live.next);
        let constants = std::mem::take(&mut live.constants);
        for (enter, value) in &constants {
            let outcome = value.clone().map_or(Outcome::Dead, |v| Outcome::Values(vec![v]));
            self.hand_on(at, *enter, outcome);
        }
        self.live[at as usize].constants = constants;
        for (slot, value) in next {
            self.deliver(at, slot, Some(value));
        }
        Ok(())
    }
}

/// The values as an outcome, if there are enough of them.
fn whole(place: &Step, values: Vec<Value>) -> Result<Outcome> {
    if values.is_empty() && place.kernel.transfers() {
        return Ok(Outcome::Dead);
    }
    if values.len() < place.outputs.len() {
        return Err(too_few(place));
    }
    Ok(Outcome::Values(values))
}

/// Which output a switch takes: by a bool, or by a position of which those out of range mean the
/// last one.
fn chosen_output(index: &Tensor, place: &Step) -> Result<usize> {
    if index.elements() != 1 {
        return Err(Error::invalid_argument(format!(
            "the predicate of a switch must be a scalar, not of shape {}",
            index.shape()
        )));
    }
    if let Ok(bools) = index.to_bools() {
        return Ok(usize::from(bools[0]));
    }
    let last = place.outputs.len().saturating_sub(1);
    Ok(usize::try_from(index.to_i64s()?[0]).map_or(last, |i| i.min(last)))
}

/// The same for the same frame in every program, so that keys made of it meet (FNV-1a).
fn frame_key(parent: u64, iteration: u64, name: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let numbers = parent.to_le_bytes().into_iter().chain(iteration.to_le_bytes());
    numbers.chain(name.bytes()).fold(0xcbf2_9ce4_8422_2325, mix)
}
