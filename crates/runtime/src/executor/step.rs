//! One step: what belongs to one run of a graph and ends with it.
//!
//! A [`StepState`] costs nothing until somebody uses it. A [`StepContext`] is what kernels get by
//! reference: the state, the resources of the session, and how to call functions.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tfjit_base::{Error, Result, limits};

use crate::{Rendezvous, ResourceManager, Value};

type Cleanup = Box<dyn FnOnce() + Send>;

/// What lives as long as a step.
pub struct StepState {
    id: u64,
    seed: u64,
    failed: AtomicBool,
    rendezvous: OnceLock<Arc<Rendezvous>>,
    cleanups: Mutex<Vec<Cleanup>>,
}

impl StepState {
    /// A step with an id that no other step of this process has, and a seed made of it.
    pub fn new() -> StepState {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        // The odd constant of Fibonacci hashing (2^64 / golden ratio) spreads neighbouring ids.
        StepState::with(id, id.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn with(id: u64, seed: u64) -> StepState {
        StepState {
            id,
            seed,
            failed: AtomicBool::new(false),
            rendezvous: OnceLock::new(),
            cleanups: Mutex::new(Vec::new()),
        }
    }

    /// The same step with this seed, for repeatable runs.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> StepState {
        self.seed = seed;
        self
    }

    /// Unique in the process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What ops without a seed of their own draw from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Runs `cleanup` when the step ends, well or not, the last one registered first.
    pub fn on_end(&self, cleanup: Box<dyn FnOnce() + Send>) {
        self.cleanups.lock().unwrap_or_else(PoisonError::into_inner).push(cleanup);
    }

    /// Where the step's kernels send values to each other.
    pub fn rendezvous(&self) -> &Arc<Rendezvous> {
        self.rendezvous.get_or_init(|| {
            let rendezvous = Rendezvous::new();
            if self.failed() {
                rendezvous.abort(&Error::cancelled("the step has failed"));
            }
            Arc::new(rendezvous)
        })
    }

    /// Whether a kernel of the step has failed, so that the others had better stop.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }

    /// Makes all kernels of the step stop soon: those that wait get `error`.
    pub fn fail(&self, error: &Error) {
        self.failed.store(true, Ordering::SeqCst);
        if let Some(rendezvous) = self.rendezvous.get() {
            rendezvous.abort(error);
        }
    }
}

impl Default for StepState {
    fn default() -> StepState {
        StepState::new()
    }
}

impl fmt::Debug for StepState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StepState({})", self.id)
    }
}

impl Drop for StepState {
    fn drop(&mut self) {
        let cleanups = self.cleanups.get_mut().unwrap_or_else(PoisonError::into_inner);
        for cleanup in std::mem::take(cleanups).into_iter().rev() {
            cleanup();
        }
    }
}

/// Runs functions of the model's library by name.
pub trait CallFunction: Send + Sync {
    /// Runs the function `name` within the step of `context`.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown name; UNIMPLEMENTED listing nodes that can't run; what the function
    /// reports.
    fn call(
        &self,
        name: &str,
        arguments: Vec<Value>,
        context: &StepContext<'_>,
    ) -> Result<Vec<Value>>;
}

/// What a kernel gets beside its inputs.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// Variables of the session.
    pub resources: &'a ResourceManager,
    /// Raised to stop the run.
    pub cancel: Option<&'a Arc<AtomicBool>>,
    /// Threads the run may use.
    pub threads: usize,
    /// What lives as long as the step.
    pub step: &'a StepState,
    /// Runs functions; `None` where there is no library.
    pub functions: Option<&'a dyn CallFunction>,
    /// Frame and iteration of the node that runs: 0 and 0 outside the loops of TensorFlow 1.
    pub frame: (u64, u64),
    /// Function calls around the node.
    pub depth: usize,
}

impl<'a> StepContext<'a> {
    /// The context of a run on one thread that nothing stops and that calls no functions.
    pub fn new(resources: &'a ResourceManager, step: &'a StepState) -> StepContext<'a> {
        StepContext {
            resources,
            cancel: None,
            threads: 1,
            step,
            functions: None,
            frame: (0, 0),
            depth: 0,
        }
    }

    /// Whether the run should stop: the caller wants it, or another kernel has failed.
    pub fn cancelled(&self) -> bool {
        self.cancel.is_some_and(|c| c.load(Ordering::Relaxed)) || self.step.failed()
    }

    /// An error if the run should stop.
    ///
    /// # Errors
    /// CANCELLED.
    pub fn check(&self) -> Result<()> {
        if self.cancelled() { Err(Error::cancelled("the run was cancelled")) } else { Ok(()) }
    }

    /// Calls a function of the library.
    ///
    /// # Errors
    /// Those of [`CallFunction::call`]; FAILED_PRECONDITION without a library; RESOURCE_EXHAUSTED
    /// when calls are nested too deep.
    pub fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Vec<Value>> {
        let Some(functions) = self.functions else {
            return Err(Error::failed_precondition(format!("no library to find {name} in")));
        };
        functions.call(name, arguments, &self.nested(name)?)
    }

    /// The context of a call from here.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when calls are nested too deep.
    pub fn nested(&self, name: &str) -> Result<StepContext<'a>> {
        if self.depth >= limits::CALL_DEPTH_MAX {
            return Err(Error::resource_exhausted(format!(
                "more than {} nested function calls, the last of {name}",
                limits::CALL_DEPTH_MAX
            )));
        }
        Ok(StepContext { depth: self.depth + 1, ..*self })
    }
}

impl fmt::Debug for StepContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepContext")
            .field("step", self.step)
            .field("threads", &self.threads)
            .field("frame", &self.frame)
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleanups_run_in_reverse_when_the_step_ends() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let step = StepState::new();
        for i in 0..3 {
            let seen = Arc::clone(&seen);
            step.on_end(Box::new(move || seen.lock().unwrap().push(i)));
        }
        assert!(seen.lock().unwrap().is_empty());
        assert_ne!(step.id(), StepState::new().id());
        drop(step);
        assert_eq!(*seen.lock().unwrap(), [2, 1, 0]);
    }

    #[test]
    fn a_failed_step_tells_those_who_wait_later() {
        let step = StepState::new().with_seed(7);
        assert_eq!(step.seed(), 7);
        step.fail(&Error::internal("no"));
        let resources = ResourceManager::new();
        let context = StepContext::new(&resources, &step);
        assert!(context.check().is_err());
        let received = step.rendezvous().recv("k", &context);
        assert!(received.is_err());
    }

    #[test]
    fn functions_need_a_library_and_are_not_nested_for_ever() {
        struct Again;
        impl CallFunction for Again {
            fn call(&self, n: &str, v: Vec<Value>, c: &StepContext<'_>) -> Result<Vec<Value>> {
                c.call(n, v)
            }
        }
        let (resources, step) = (ResourceManager::new(), StepState::new());
        let context = StepContext::new(&resources, &step);
        let code = |e: Result<Vec<Value>>| e.unwrap_err().code();
        assert_eq!(code(context.call("f", vec![])), tfjit_base::Code::FailedPrecondition);
        let context = StepContext { functions: Some(&Again), ..context };
        assert_eq!(code(context.call("f", vec![])), tfjit_base::Code::ResourceExhausted);
    }
}
