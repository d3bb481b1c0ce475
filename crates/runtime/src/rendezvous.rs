//! Where kernels of one process hand values to each other by name.
//!
//! A value that nobody waits for yet is kept; two under one key are received in the order in which
//! they were sent. [`Rendezvous::abort`] reaches everybody who waits and everybody who comes later.
//! It must not know devices or steps: a key is any text, see [`crate::RendezvousKey`].

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result, limits};

use crate::sync::{Condvar, Mutex, lock, wait};
use crate::{StepContext, Value};

/// What was sent: a value, or the news that there is none because its branch was not taken.
#[derive(Clone, Debug)]
pub enum Sent {
    /// A value.
    Value(Value),
    /// None: the sender was dead.
    Dead,
}

type Callback = Box<dyn FnOnce(Result<Sent>) + Send>;

/// A waiting receiver, for [`Rendezvous::forget`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(u64);

/// Values by key.
#[derive(Default)]
pub struct Rendezvous {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queues: FxHashMap<Box<str>, Queue>,
    /// Values and receivers in all queues.
    entries: usize,
    tickets: u64,
    aborted: Option<Error>,
}

/// At most one of the two holds something.
#[derive(Default)]
struct Queue {
    values: VecDeque<Sent>,
    waiting: VecDeque<(u64, Callback)>,
}

impl State {
    fn room(&self) -> Result<()> {
        if self.entries < limits::RENDEZVOUS_ENTRIES_MAX {
            return Ok(());
        }
        Err(Error::resource_exhausted(format!(
            "more than {} values and receivers wait in a rendezvous",
            limits::RENDEZVOUS_ENTRIES_MAX
        )))
    }

    /// Takes all receivers that wait.
    fn drain(&mut self) -> Vec<Callback> {
        self.entries = 0;
        let mut waiting: Vec<(u64, Callback)> = Vec::new();
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        for (_, queue) in self.queues.drain() {
            waiting.extend(queue.waiting);
        }
        waiting.sort_by_key(|(ticket, _)| *ticket);
        waiting.into_iter().map(|(_, callback)| callback).collect()
    }
}

impl Rendezvous {
    /// An empty one.
    pub fn new() -> Rendezvous {
        Rendezvous::default()
    }

    /// Hands `sent` to whoever waits for `key`, or keeps it.
    ///
    /// # Errors
    /// The error of [`Rendezvous::abort`]; RESOURCE_EXHAUSTED when too much waits already.
    pub fn send(&self, key: &str, sent: Sent) -> Result<()> {
        let receiver = {
            let mut state = lock(&self.state);
            if let Some(error) = &state.aborted {
                return Err(error.clone());
            }
            let first = state.queues.get_mut(key).and_then(|queue| queue.waiting.pop_front());
            match first {
                Some((_, callback)) => {
                    state.entries -= 1;
                    if state.queues.get(key).is_some_and(|queue| queue.waiting.is_empty()) {
                        state.queues.remove(key);
                    }
                    callback
                }
                None => {
                    state.room()?;
                    state.entries += 1;
                    state.queues.entry(key.into()).or_default().values.push_back(sent);
                    return Ok(());
                }
            }
        };
        // Outside the lock: a receiver may send in turn.
        receiver(Ok(sent));
        Ok(())
    }

    /// Calls `callback` once: at once if there is a value, else when one is sent, or with the error
    /// of an abort, or CANCELLED when the rendezvous goes. `None` when it was called at once.
    pub fn recv_then(
        &self,
        key: &str,
        callback: impl FnOnce(Result<Sent>) + Send + 'static,
    ) -> Option<Ticket> {
        let now = {
            let mut state = lock(&self.state);
            let kept = state.queues.get_mut(key).and_then(|queue| queue.values.pop_front());
            match (&state.aborted, kept) {
                (Some(error), _) => Err(error.clone()),
                (None, Some(sent)) => {
                    state.entries -= 1;
                    if state.queues.get(key).is_some_and(|queue| queue.values.is_empty()) {
                        state.queues.remove(key);
                    }
                    Ok(sent)
                }
                (None, None) => match state.room() {
                    Err(error) => Err(error),
                    Ok(()) => {
                        state.entries += 1;
                        state.tickets += 1;
                        let ticket = state.tickets;
                        let queue = state.queues.entry(key.into()).or_default();
                        queue.waiting.push_back((ticket, Box::new(callback)));
                        return Some(Ticket(ticket));
                    }
                },
            }
        };
        callback(now);
        None
    }

    /// Takes a receiver away; its callback is not called any more. False when it was called, or is
    /// being called, already.
    pub fn forget(&self, key: &str, ticket: Ticket) -> bool {
        let mut state = lock(&self.state);
        let Some(queue) = state.queues.get_mut(key) else { return false };
        let Some(at) = queue.waiting.iter().position(|(id, _)| *id == ticket.0) else {
            return false;
        };
        queue.waiting.remove(at);
        let empty = queue.waiting.is_empty();
        state.entries -= 1;
        if empty {
            state.queues.remove(key);
        }
        true
    }

    /// Waits for a value.
    ///
    /// # Errors
    /// The error of [`Rendezvous::abort`]; CANCELLED when the step is to stop.
    pub fn recv(&self, key: &str, context: &StepContext<'_>) -> Result<Sent> {
        self.recv_unless(key, || context.cancelled())
    }

    /// Waits for a value as long as `stop` says no.
    ///
    /// # Errors
    /// As [`Rendezvous::recv`].
    pub fn recv_unless(&self, key: &str, stop: impl Fn() -> bool) -> Result<Sent> {
        let slot: Arc<(Mutex<Option<Result<Sent>>>, Condvar)> = Arc::default();
        let inner = Arc::clone(&slot);
        let ticket = self.recv_then(key, move |result| {
            *lock(&inner.0) = Some(result);
            inner.1.notify_one();
        });
        let mut guard = lock(&slot.0);
        loop {
            if let Some(result) = guard.take() {
                return result;
            }
            if stop() && ticket.is_some_and(|ticket| self.forget(key, ticket)) {
                return Err(Error::cancelled(format!("waiting for {key} was cancelled")));
            }
            guard = wait(&slot.1, guard);
        }
    }

    /// Gives `error` to everybody who waits and who comes later; the first one stays. Values that
    /// nobody received are dropped.
    pub fn abort(&self, error: &Error) {
        let waiting = {
            let mut state = lock(&self.state);
            if state.aborted.is_some() {
                return;
            }
            state.aborted = Some(error.clone());
            state.drain()
        };
        for callback in waiting {
            callback(Err(error.clone()));
        }
    }
}

impl Drop for Rendezvous {
    fn drop(&mut self) {
        let waiting = lock(&self.state).drain();
        for callback in waiting {
            callback(Err(Error::cancelled("the step is over")));
        }
    }
}

impl fmt::Debug for Rendezvous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.state);
        write!(f, "Rendezvous({} entries, aborted: {})", state.entries, state.aborted.is_some())
    }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use std::sync::Mutex as StdMutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tfjit_base::{Code, Tensor};

    use super::*;

    fn value(x: i32) -> Sent {
        Sent::Value(Value::Tensor(Tensor::scalar(x)))
    }

    fn number(sent: Result<Sent>) -> i32 {
        match sent.unwrap() {
            Sent::Value(v) => v.tensor().unwrap().to_vec::<i32>().unwrap()[0],
            Sent::Dead => -1,
        }
    }

    #[test]
    fn values_under_one_key_come_in_order() {
        let r = Rendezvous::new();
        r.send("a", value(1)).unwrap();
        r.send("a", Sent::Dead).unwrap();
        r.send("b", value(3)).unwrap();
        let never = || false;
        assert_eq!(number(r.recv_unless("a", never)), 1);
        assert_eq!(number(r.recv_unless("a", never)), -1);
        assert_eq!(number(r.recv_unless("b", never)), 3);
        assert!(format!("{r:?}").contains("0 entries"));
    }

    #[test]
    fn a_receiver_that_came_first_is_called_once() {
        let r = Rendezvous::new();
        let seen: Arc<StdMutex<Vec<i32>>> = Arc::default();
        let into = || {
            let seen = Arc::clone(&seen);
            move |sent| seen.lock().unwrap().push(number(sent))
        };
        assert!(r.recv_then("a", into()).is_some());
        assert!(r.recv_then("a", into()).is_some());
        r.send("a", value(1)).unwrap();
        assert_eq!(*seen.lock().unwrap(), [1]);
        r.send("a", value(2)).unwrap();
        assert_eq!(*seen.lock().unwrap(), [1, 2]);
        r.send("a", value(3)).unwrap();
        assert!(r.recv_then("a", into()).is_none());
        assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    }

    #[test]
    fn a_cancelled_receiver_leaves_nothing_behind() {
        let r = Rendezvous::new();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| r.recv_unless("a", || stop.load(Ordering::SeqCst)));
            stop.store(true, Ordering::SeqCst);
            assert_eq!(waiting.join().unwrap().unwrap_err().code(), Code::Cancelled);
        });
        r.send("a", value(5)).unwrap();
        assert_eq!(number(r.recv_unless("a", || false)), 5);
    }

    #[test]
    fn an_abort_reaches_all() {
        let r = Arc::new(Rendezvous::new());
        let codes: Arc<StdMutex<Vec<Code>>> = Arc::default();
        for key in ["a", "b", "b"] {
            let codes = Arc::clone(&codes);
            r.recv_then(key, move |sent| codes.lock().unwrap().push(sent.unwrap_err().code()));
        }
        std::thread::scope(|scope| {
            let blocked = scope.spawn(|| r.recv_unless("c", || false));
            r.abort(&Error::data_loss("gone"));
            r.abort(&Error::internal("later"));
            assert_eq!(blocked.join().unwrap().unwrap_err().code(), Code::DataLoss);
        });
        assert_eq!(*codes.lock().unwrap(), [Code::DataLoss; 3]);
        assert_eq!(r.send("a", value(1)).unwrap_err().code(), Code::DataLoss);
        assert_eq!(r.recv_unless("a", || false).unwrap_err().code(), Code::DataLoss);
    }

    #[test]
    fn receivers_are_told_when_the_rendezvous_goes() {
        let r = Rendezvous::new();
        let (tx, rx) = std::sync::mpsc::channel();
        let ticket = r.recv_then("a", move |sent| tx.send(sent).unwrap());
        let (tx2, rx2) = std::sync::mpsc::channel();
        let forgotten = r.recv_then("a", move |sent| tx2.send(sent).unwrap()).unwrap();
        assert!(r.forget("a", forgotten) && !r.forget("a", forgotten));
        assert!(ticket.is_some());
        drop(r);
        assert_eq!(rx.recv().unwrap().unwrap_err().code(), Code::Cancelled);
        assert!(rx2.recv().is_err());
    }

    #[test]
    fn a_rendezvous_is_bounded() {
        let r = Rendezvous::new();
        for _ in 0..limits::RENDEZVOUS_ENTRIES_MAX {
            r.send("a", Sent::Dead).unwrap();
        }
        assert_eq!(r.send("b", Sent::Dead).unwrap_err().code(), Code::ResourceExhausted);
        number(r.recv_unless("a", || false));
        r.send("b", Sent::Dead).unwrap();
    }
}
