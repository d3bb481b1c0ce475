//! A plan as bytes, all but its kernels and constants.

use tfjit_base::Result;
use tfjit_base::ids::{Arena, Id};

use super::steps::{Steps, write_steps};
use super::types::{read_dtype, read_type, write_dtype, write_type};
use super::{Reader, Writer};
use crate::kernel::Kernel;
use crate::plan::{Buffer, BufferId, Constant, KernelId, Note, Place, Plan};

/// Writes a plan; kernels and constants are sections of their own, see
/// [`super::write_kernels`].
pub fn write_plan(w: &mut Writer, plan: &Plan) {
    w.text(&plan.name);
    for types in [&plan.parameters, &plan.results] {
        w.size(types.len());
        types.iter().for_each(|ty| write_type(w, ty));
    }
    w.size(plan.arena_bytes);
    w.size(plan.buffers.len());
    for (_, buffer) in plan.buffers.iter() {
        write_dtype(w, buffer.dtype);
        w.size(buffer.bytes);
        let (code, number) = match buffer.place {
            Place::Parameter(i) => (0, i),
            Place::Constant(i) => (1, i),
            Place::Result(i) => (2, i),
            Place::Arena(at) => (3, at),
        };
        w.byte(code);
        w.size(number);
    }
    w.size(plan.outputs.len());
    plan.outputs.iter().for_each(|output| w.size(output.index()));
    write_steps(w, &plan.steps);
    w.size(plan.notes.len());
    for note in &plan.notes {
        w.size(note.steps.start);
        w.size(note.steps.end);
        for list in [&note.fused, &note.stopped] {
            w.size(list.len());
            list.iter().for_each(|line| w.text(line));
        }
    }
}

/// Reads what [`write_plan`] wrote: a plan of these kernels and constants.
///
/// # Errors
/// DATA_LOSS.
pub fn read_plan(
    r: &mut Reader<'_>,
    kernels: Arena<KernelId, Kernel>,
    constants: Vec<Constant>,
) -> Result<Plan> {
    let mut plan = Plan { kernels, constants, ..Plan::default() };
    plan.name = r.text()?.to_owned();
    for types in [&mut plan.parameters, &mut plan.results] {
        for _ in 0..r.count(4)? {
            types.push(read_type(r)?);
        }
    }
    plan.arena_bytes = r.size()?;
    for _ in 0..r.count(4)? {
        let (dtype, bytes) = (read_dtype(r)?, r.size()?);
        let (code, number) = (r.byte()?, r.size()?);
        let place = match code {
            0 if number < plan.parameters.len() => Place::Parameter(number),
            1 if number < plan.constants.len() => Place::Constant(number),
            2 if number < plan.results.len() => Place::Result(number),
            3 => Place::Arena(number),
            _ => return Err(r.wrong(format_args!("a buffer in no place {code} {number}"))),
        };
        plan.buffers.push(Buffer { dtype, bytes, place });
    }
    for _ in 0..r.count(1)? {
        plan.outputs.push(BufferId::new(r.below(plan.buffers.len(), "buffer")?));
    }
    let (kernels, buffers) = (plan.kernels.len(), plan.buffers.len());
    let mut steps = Steps { kernels, buffers, depth: 0 };
    plan.steps = steps.read(r)?;
    for _ in 0..r.count(4)? {
        plan.notes.push(read_note(r, plan.steps.len())?);
    }
    Ok(plan)
}

fn read_note(r: &mut Reader<'_>, steps: usize) -> Result<Note> {
    let (start, end) = (r.size()?, r.size()?);
    if start > end || end > steps {
        return Err(r.wrong(format_args!("a note about steps {start} to {end} of {steps}")));
    }
    let mut note = Note { steps: start..end, ..Note::default() };
    for list in [&mut note.fused, &mut note.stopped] {
        for _ in 0..r.count(1)? {
            list.push(r.text()?.to_owned());
        }
    }
    Ok(note)
}
