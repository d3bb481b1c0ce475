//! A launch: arguments in, steps in order, results out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use smallvec::SmallVec;
use tfjit_base::{AlignedBytes, Bytes, Error, Result, Tensor};
use tfjit_eval::{Host, Process};
use tfjit_plan::Place;

use crate::context::{Launch, State, Workers};
use crate::loaded::{Loaded, Numbered, Task};
use crate::memory::{Block, Pooled, lock};
use crate::mode::Mode;

/// Is told when steps begin and end, on the thread of the launch; it reads the clock if it wants.
pub trait Profile: Sync {
    /// The step with this number begins.
    fn begin(&self, step: usize);
    /// It ended.
    fn end(&self, step: usize);
}

/// What a launch has besides memory: the world outside, and who it is among others like it.
#[derive(Clone, Copy)]
pub struct Outside<'r> {
    /// Transfers, and the way to the other participants.
    pub host: &'r dyn Host,
    /// Which participant the launch is.
    pub process: Process,
    /// Number of replicas and of partitions.
    pub grid: (u32, u32),
}

/// How a launch runs.
#[derive(Clone, Default)]
pub struct RunOptions<'r> {
    /// Most threads; 0 for as many as the pool has.
    pub threads: usize,
    /// Set to stop: the launch ends with CANCELLED before its next step.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Who watches.
    pub profile: Option<&'r dyn Profile>,
    /// What transfers and collectives reach; without it they fail.
    pub outside: Option<Outside<'r>>,
}

/// Results that are written where a parameter is: both numbers, and the memory.
type Given = SmallVec<[(usize, usize, *mut u8); 2]>;

/// Alignment of the memory of results.
const RESULT_ALIGN: usize = 64;

/// States of finished launches that are kept, and the bytes that all but one of them may take.
const IDLE_MAX: usize = 8;
const IDLE_BYTES_MAX: usize = 64 << 20;

impl Loaded {
    /// Runs the plan.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when arguments do not fit the parameters, RESOURCE_EXHAUSTED when memory is
    /// short, CANCELLED, INTERNAL when a kernel panics, and those of the reference interpreter.
    pub fn run(&self, arguments: &[Tensor], options: &RunOptions<'_>) -> Result<Vec<Tensor>> {
        self.check_arguments(arguments)?;
        self.run_in(arguments, &Given::new(), options)
    }

    /// As [`Loaded::run`], where results may be written into arguments: those that `given` marks
    /// and that nobody else holds. Nothing stops such a launch once it has begun.
    ///
    /// # Errors
    /// As [`Loaded::run`].
    pub fn run_giving(
        &self,
        arguments: &mut [Tensor],
        given: &[bool],
        options: &RunOptions<'_>,
    ) -> Result<Vec<Tensor>> {
        self.check_arguments(arguments)?;
        let mut taken = Given::new();
        for reuse in &self.reuse {
            let is_given = given.get(reuse.parameter).copied().unwrap_or(false);
            let Some(bytes) = arguments[reuse.parameter].unique_bytes().filter(|_| is_given) else {
                continue;
            };
            let at = bytes.as_mut_ptr();
            // Results are aligned, arguments to their element only.
            if at.addr().is_multiple_of(RESULT_ALIGN) && !bytes.is_empty() {
                taken.push((reuse.result, reuse.parameter, at));
            }
        }
        self.run_in(arguments, &taken, options)
    }

    fn run_in(
        &self,
        arguments: &[Tensor],
        given: &Given,
        options: &RunOptions<'_>,
    ) -> Result<Vec<Tensor>> {
        let mut aligned: SmallVec<[(usize, AlignedBytes); 1]> = SmallVec::new();
        let threads = match options.threads {
            0 => self.pool.threads(),
            n => n.min(self.pool.threads()),
        };
        let mut state = self.state(threads)?;
        let mut results: SmallVec<[Option<Pooled>; 4]> = SmallVec::new();
        for (i, &bytes) in self.result_bytes.iter().enumerate() {
            let none = bytes == 0 || given.iter().any(|(result, ..)| *result == i);
            results.push(if none { None } else { Some(self.results.take(bytes)?) });
        }
        self.set_bases(&mut state, arguments, &results, given, &mut aligned)?;
        let launch = Launch {
            bases: &state.bases,
            packed: state.packed.as_ptr(),
            workers: &state.workers,
            arguments,
            pool: &self.pool,
            threads,
            flush_subnormals: self.flush_subnormals,
            cancel: options.cancel.as_deref().filter(|_| given.is_empty()),
            profile: options.profile,
            outside: options.outside,
        };
        let done = {
            let _mode = Mode::of_launch(self.flush_subnormals).enter();
            // SAFETY: the plan was checked, and the bases are those of its buffers.
            catch_unwind(AssertUnwindSafe(|| unsafe { run_all(&self.tasks, &launch) }))
        };
        match done {
            Ok(done) => done?,
            Err(_) => return Err(Error::internal("a step of the plan panicked")),
        }
        let mut idle = lock(&self.idle);
        let more = idle.len().saturating_mul(self.launch_bytes()) <= IDLE_BYTES_MAX;
        if idle.is_empty() || more && idle.len() < IDLE_MAX {
            idle.push(state);
        }
        drop(idle);
        self.outputs(arguments, results, given)
    }

    fn check_arguments(&self, arguments: &[Tensor]) -> Result<()> {
        if arguments.len() != self.parameters.len() {
            return Err(Error::invalid_argument(format!(
                "{} arguments given for {} parameters",
                arguments.len(),
                self.parameters.len()
            )));
        }
        let types = self.plan.parameters.iter().zip(&self.parameters);
        for (i, (tensor, (ty, shape))) in arguments.iter().zip(types).enumerate() {
            if tensor.dtype() != ty.dtype || tensor.shape() != shape {
                return Err(Error::invalid_argument(format!(
                    "argument {i} is {}{}, not {}{shape}",
                    tensor.dtype(),
                    tensor.shape(),
                    ty.dtype
                )));
            }
        }
        Ok(())
    }

    /// Memory for a launch, of an earlier one if there is any.
    fn state(&self, threads: usize) -> Result<State> {
        let idle = lock(&self.idle).pop();
        let mut state = match idle {
            Some(state) => state,
            None => State {
                arena: Block::new(self.plan.arena_bytes)?,
                packed: Block::new(self.packed_bytes)?,
                bases: Vec::with_capacity(self.plan.buffers.len()),
                workers: Workers::default(),
            },
        };
        state.workers.prepare(threads, self.scratch_bytes)?;
        Ok(state)
    }

    /// Works out the address of each buffer. Arguments that are not aligned to their element are
    /// copied.
    fn set_bases(
        &self,
        state: &mut State,
        arguments: &[Tensor],
        results: &[Option<Pooled>],
        given: &Given,
        aligned: &mut SmallVec<[(usize, AlignedBytes); 1]>,
    ) -> Result<()> {
        state.bases.clear();
        for (_, buffer) in self.plan.buffers.iter() {
            let at = match buffer.place {
                Place::Arena(offset) => state.arena.as_ptr().wrapping_add(offset),
                Place::Constant(i) => self.plan.constants[i].tensor.bytes().as_ptr().cast_mut(),
                Place::Result(i) => match given.iter().find(|(result, ..)| *result == i) {
                    Some((_, _, at)) => *at,
                    None => results[i].as_ref().map_or(dangling(), Pooled::as_ptr),
                },
                Place::Parameter(i) => {
                    let bytes = arguments[i].bytes();
                    let align = buffer.dtype.size().clamp(1, 16);
                    if bytes.as_ptr().addr().is_multiple_of(align) {
                        bytes.as_ptr().cast_mut()
                    } else {
                        if !aligned.iter().any(|(known, _)| *known == i) {
                            aligned.push((i, AlignedBytes::copy_of(bytes)?));
                        }
                        let copy = aligned.iter().find(|(known, _)| *known == i);
                        copy.map_or(dangling(), |(_, copy)| copy.as_ref().as_ptr().cast_mut())
                    }
                }
            };
            state.bases.push(at);
        }
        Ok(())
    }

    fn outputs(
        &self,
        arguments: &[Tensor],
        results: SmallVec<[Option<Pooled>; 4]>,
        given: &Given,
    ) -> Result<Vec<Tensor>> {
        let shared = results.into_iter().map(|result| result.map(Pooled::share).transpose());
        let shared: SmallVec<[Option<Bytes>; 4]> = shared.collect::<Result<_>>()?;
        let types = self.outputs.iter().zip(&self.plan.results);
        types
            .map(|(output, ty)| {
                let known = match output.place {
                    Place::Parameter(i) => arguments[i].shared_bytes().cloned(),
                    Place::Constant(i) => self.plan.constants[i].tensor.shared_bytes().cloned(),
                    Place::Result(i) => match given.iter().find(|(result, ..)| *result == i) {
                        Some((_, parameter, _)) => arguments[*parameter].shared_bytes().cloned(),
                        None => shared[i].clone(),
                    },
                    Place::Arena(_) => None,
                };
                match known {
                    Some(bytes) => Tensor::new(ty.dtype, output.shape.clone(), bytes),
                    None => Tensor::zeros(ty.dtype, output.shape.clone()),
                }
            })
            .collect()
    }
}

/// An address for buffers without bytes.
fn dangling() -> *mut u8 {
    std::ptr::without_provenance_mut(64)
}

/// Runs some tasks in order.
///
/// # Errors
/// That of the first that fails.
///
/// # Safety
/// The plan was checked, and the launch's addresses are those of its buffers.
unsafe fn run_all(tasks: &[Numbered], launch: &Launch<'_>) -> Result<()> {
    for Numbered { number, task } in tasks {
        launch.poll()?;
        if let Some(profile) = launch.profile {
            profile.begin(*number);
        }
        // SAFETY: the caller's promise.
        unsafe { run_task(task, launch)? };
        if let Some(profile) = launch.profile {
            profile.end(*number);
        }
    }
    Ok(())
}

/// # Safety
/// As [`run_all`].
unsafe fn run_task(task: &Task, launch: &Launch<'_>) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match task {
            Task::Loop(task) => task.run(launch),
            Task::Matmul(task) => task.run(launch),
            Task::Conv(task) => task.run(launch),
            Task::Pool(task) => task.run(launch),
            Task::Copy(task) => task.run(launch),
            Task::Gather(task) => task.run(launch),
            Task::Reference(task) => task.run(launch),
            Task::While { test, condition, body } => loop {
                run_all(test, launch)?;
                if launch.base(*condition).read() == 0 {
                    return Ok(());
                }
                run_all(body, launch)?;
                launch.poll()?;
            },
            Task::Switch { index, is_bool, branches } => {
                let at = launch.base(*index);
                let chosen = if *is_bool {
                    usize::from(at.read() == 0)
                } else {
                    // Below zero it is far above.
                    at.cast::<i32>().read_unaligned() as u32 as usize
                };
                match branches.get(chosen).or(branches.last()) {
                    Some(branch) => run_all(branch, launch),
                    None => Ok(()),
                }
            }
        }
    }
}
