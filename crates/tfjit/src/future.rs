//! The results of a run that goes on elsewhere.
//!
//! It must not know an async runtime: it is a plain future, and it can be waited for.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tfjit_base::{Error, Result};

use crate::Outputs;

/// A run that goes on on another thread. Dropping it lets the run go on; its results are lost.
#[derive(Debug)]
#[must_use = "a future gives nothing unless it is awaited or waited for"]
pub struct RunFuture {
    shared: Arc<Shared>,
    cancel: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Debug, Default)]
struct State {
    result: Option<Result<Outputs>>,
    waker: Option<Waker>,
    /// Whether there was a result, taken or not.
    told: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a run, to be told once. Dropping it untold tells that the run was cancelled.
pub(crate) struct Promise {
    shared: Arc<Shared>,
}

impl Promise {
    /// Tells the results.
    pub(crate) fn fulfil(self, result: Result<Outputs>) {
        self.tell(result);
    }

    fn tell(&self, result: Result<Outputs>) {
        let mut state = self.shared.state();
        state.result = Some(result);
        state.told = true;
        let waker = state.waker.take();
        drop(state);
        self.shared.done.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let told = self.shared.state().told;
        if !told {
            self.tell(Err(Error::cancelled("the session was closed before the run began")));
        }
    }
}

impl RunFuture {
    /// A future and who fulfils it; the run watches `cancel`.
    pub(crate) fn new(cancel: Arc<AtomicBool>) -> (RunFuture, Promise) {
        let shared: Arc<Shared> = Arc::default();
        let promise = Promise { shared: Arc::clone(&shared) };
        (RunFuture { shared, cancel }, promise)
    }

    /// Waits for the results.
    ///
    /// # Errors
    /// Those of the run; CANCELLED.
    pub fn wait(self) -> Result<Outputs> {
        let mut state = self.shared.state();
        loop {
            if let Some(result) = state.result.take() {
                return result;
            }
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the results are there.
    pub fn is_done(&self) -> bool {
        self.shared.state().result.is_some()
    }

    /// Makes the run stop soon, with CANCELLED.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::SeqCst);
    }
}

impl Future for RunFuture {
    type Output = Result<Outputs>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Outputs>> {
        let mut state = self.shared.state();
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Wake;

    use tfjit_base::Code;
    use tfjit_launch::Times;

    use super::*;

    struct Flag(AtomicBool);

    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    fn outputs() -> Outputs {
        Outputs { values: Vec::new(), times: Times::default() }
    }

    #[test]
    fn who_polls_is_woken() {
        let (mut future, promise) = RunFuture::new(Arc::default());
        let flag = Arc::new(Flag(AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&flag));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut future).poll(&mut context).is_pending());
        assert!(!future.is_done());
        promise.fulfil(Ok(outputs()));
        assert!(flag.0.load(Ordering::SeqCst) && future.is_done());
        assert!(matches!(Pin::new(&mut future).poll(&mut context), Poll::Ready(Ok(_))));
    }

    #[test]
    fn who_waits_is_told_from_another_thread() {
        let (future, promise) = RunFuture::new(Arc::default());
        let teller = std::thread::spawn(move || promise.fulfil(Ok(outputs())));
        assert!(future.wait().unwrap().values.is_empty());
        teller.join().unwrap();
    }

    #[test]
    fn a_promise_that_is_dropped_cancels() {
        let (future, promise) = RunFuture::new(Arc::default());
        drop(promise);
        assert_eq!(future.wait().unwrap_err().code(), Code::Cancelled);
    }
}
