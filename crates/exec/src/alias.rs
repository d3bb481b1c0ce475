//! Results that may be written where a parameter is, if its argument is given to the launch.
//!
//! That is so when the parameter is read for the last time before the result is begun, or when one
//! loop reads each element just where it then writes. A plan with steps that can fail takes none:
//! an argument that is half overwritten must never be given back.

use tfjit_plan::kernel::{Access, When};
use tfjit_plan::{BufferId, LoopCall, Place, Plan, Step, StreamArg};

/// A result that may be written where a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reuse {
    /// Number of the result.
    pub result: usize,
    /// Number of the parameter.
    pub parameter: usize,
}

/// Those of `wanted` that are possible; no parameter and no result is in two.
pub(crate) fn possible(plan: &Plan, wanted: &[Reuse]) -> Vec<Reuse> {
    if plan.steps.iter().any(may_fail) {
        return Vec::new();
    }
    let mut found: Vec<Reuse> = Vec::new();
    for &reuse in wanted {
        let taken = found
            .iter()
            .any(|other| other.result == reuse.result || other.parameter == reuse.parameter);
        if !taken && is_possible(plan, reuse) {
            found.push(reuse);
        }
    }
    found
}

/// Whether a step, or one inside of it, may end a launch with an error.
fn may_fail(step: &Step) -> bool {
    match step {
        Step::Reference(_) => true,
        Step::While { test, body, .. } => test.iter().chain(body).any(may_fail),
        Step::Switch { branches, .. } => branches.iter().flatten().any(may_fail),
        _ => false,
    }
}

fn is_possible(plan: &Plan, reuse: Reuse) -> bool {
    let types = (plan.parameters.get(reuse.parameter), plan.results.get(reuse.result));
    let (Some(parameter), Some(result)) = types else { return false };
    let place = |buffer: BufferId| plan.buffers[buffer].place;
    let (from, to) = (Place::Parameter(reuse.parameter), Place::Result(reuse.result));
    // A parameter that is itself a result stays what it was.
    let passed = plan.outputs.iter().any(|&output| place(output) == from);
    let own = plan.outputs.get(reuse.result).is_some_and(|&output| place(output) == to);
    if parameter != result || passed || !own {
        return false;
    }
    let touches = |step: &Step, wanted: Place| {
        let mut found = false;
        each_buffer(step, &mut |buffer| found |= place(buffer) == wanted);
        found
    };
    let last_read = plan.steps.iter().rposition(|step| touches(step, from));
    let first_write = plan.steps.iter().position(|step| touches(step, to));
    match (last_read, first_write) {
        (None, _) => true,
        (Some(read), Some(write)) if read < write => true,
        (Some(read), Some(write)) if read == write => match &plan.steps[read] {
            Step::Loop(call) => in_place(plan, call, from, to),
            _ => false,
        },
        _ => false,
    }
}

/// Calls `touch` with every buffer of a step and of those inside of it.
fn each_buffer(step: &Step, touch: &mut dyn FnMut(BufferId)) {
    step.buffers(touch);
    let inside: Vec<&Step> = match step {
        Step::While { test, body, .. } => test.iter().chain(body).collect(),
        Step::Switch { branches, .. } => branches.iter().flatten().collect(),
        _ => Vec::new(),
    };
    for step in inside {
        each_buffer(step, touch);
    }
}

/// Whether a loop, in one pass, reads every element of a parameter only where it writes it.
fn in_place(plan: &Plan, call: &LoopCall, from: Place, to: Place) -> bool {
    let kernel = &plan.kernels[call.kernel];
    let one_pass = matches!(kernel.phases.as_slice(), [phase] if phase.when == When::Each);
    let accesses = kernel.streams.iter().map(|(_, stream)| stream.access);
    let streams: Vec<(&StreamArg, Access)> = call.streams.iter().zip(accesses).collect();
    let at = |wanted: Place| {
        let streams = streams.iter();
        streams.filter(move |(stream, _)| plan.buffers[stream.buffer].place == wanted)
    };
    let mut written = at(to);
    let (Some((write, access)), None) = (written.next(), written.next()) else { return false };
    let place = (write.offset, &write.outer, write.row, write.col, access);
    one_pass && at(from).all(|(s, access)| (s.offset, &s.outer, s.row, s.col, access) == place)
}
