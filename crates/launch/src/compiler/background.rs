//! Threads that work in the background: compilations, and runs that nobody waits for.
//!
//! Jobs wait in a queue; threads are made when there is work for them, up to a number. Dropping the
//! pool drops what waits, lets what runs end, and joins the threads.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tfjit_base::{Error, Result};

type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads. Dropping it drops what waits and joins what runs.
#[derive(Debug)]
pub struct Background {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    threads_max: usize,
    name: &'static str,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Told when there is a job, and when the pool closes.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Threads that wait for a job.
    idle: usize,
    closed: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({})", self.jobs.len())
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut queue = self.queue();
        loop {
            if queue.closed {
                return;
            }
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                // Jobs report their own failures; a panic must not take the thread with it.
                let _ = catch_unwind(AssertUnwindSafe(job));
                queue = self.queue();
                continue;
            }
            queue.idle += 1;
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

impl Background {
    /// A pool of at most `threads_max` threads of this name, none of which run yet.
    pub fn new(name: &'static str, threads_max: usize) -> Background {
        Background { shared: Arc::default(), threads: Mutex::default(), threads_max, name }
    }

    /// Runs `job` on one of the threads, soon.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when there is no thread and none can be made; UNAVAILABLE when the pool
    /// closes.
    pub fn run(&self, job: Box<dyn FnOnce() + Send>) -> Result<()> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let mut queue = self.shared.queue();
        if queue.closed {
            return Err(Error::unavailable("the pool is being dropped"));
        }
        let wants_thread = queue.idle <= queue.jobs.len() && threads.len() < self.threads_max;
        queue.jobs.push_back(job);
        drop(queue);
        if wants_thread {
            let shared = Arc::clone(&self.shared);
            let named = std::thread::Builder::new().name(self.name.to_owned());
            match named.spawn(move || shared.work()) {
                Ok(thread) => threads.push(thread),
                // Others will come to it.
                Err(_) if !threads.is_empty() => {}
                Err(error) => {
                    self.shared.queue().jobs.pop_back();
                    let text = format!("no thread to work in the background: {error}");
                    return Err(Error::resource_exhausted(text));
                }
            }
        }
        self.shared.changed.notify_one();
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let jobs = {
            let mut queue = self.shared.queue();
            queue.closed = true;
            std::mem::take(&mut queue.jobs)
        };
        drop(jobs);
        self.shared.changed.notify_all();
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        let this = std::thread::current().id();
        for thread in threads.drain(..) {
            // The last owner may be a job's own thread, which can't wait for itself.
            if thread.thread().id() != this {
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn jobs_run_and_a_panic_takes_no_thread() {
        let pool = Background::new("test", 2);
        let (done, all) = mpsc::channel();
        for i in 0..20 {
            let done = done.clone();
            let job = move || {
                done.send(i).unwrap();
                assert!(i % 3 != 0, "a job that fails");
            };
            pool.run(Box::new(job)).unwrap();
        }
        let mut seen: Vec<i32> = all.iter().take(20).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn dropping_waits_for_what_runs_and_drops_what_waits() {
        let ran = Arc::new(AtomicUsize::new(0));
        let pool = Background::new("test", 1);
        let (started, begun) = mpsc::channel();
        let (go, gate) = mpsc::channel::<()>();
        let count = Arc::clone(&ran);
        let first = move || {
            started.send(()).unwrap();
            gate.recv().unwrap();
            count.fetch_add(1, Ordering::SeqCst);
        };
        pool.run(Box::new(first)).unwrap();
        begun.recv().unwrap();
        let count = Arc::clone(&ran);
        let second = move || {
            count.fetch_add(100, Ordering::SeqCst);
        };
        pool.run(Box::new(second)).unwrap();
        let closing = std::thread::spawn(move || drop(pool));
        go.send(()).unwrap();
        closing.join().unwrap();
        // The second was dropped, or had begun before the pool closed.
        assert!(matches!(ran.load(Ordering::SeqCst), 1 | 101));
    }
}
