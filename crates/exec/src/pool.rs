//! The worker pool: threads that wait for a moment, then sleep, and take units from a counter.
//!
//! One job runs at a time; who comes while another is running works alone. The caller takes part,
//! and never waits for a helper that has not begun: a helper that comes late finds the job closed.
//! So a busy machine costs speed and nothing else. The pool must not know what the units do.
//!
//! # The handshake
//!
//! `state` holds the number of the job, whether it is open, how many helpers may join and how many
//! are in it. A helper joins by compare-and-swap of the whole word, so that it cannot join a job
//! that was closed. Only who has joined reads the job. The caller closes the job when no unit is
//! left, waits until no helper is in it, and only then returns or writes the next job.

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{JoinHandle, Thread};

use tfjit_base::{Error, Result};

use crate::mode::Mode;

/// Work below this many nanoseconds is not shared.
const SHARE_NS: u64 = 5_000;
/// Work below this many nanoseconds wakes nobody who sleeps: waking takes that long.
const WAKE_NS: u64 = 20_000;
/// Rounds that a helper waits before it sleeps; about 50 us.
const SPINS: u32 = 4_000;
/// Most threads of a pool.
const THREADS_MAX: usize = 256;

/// Bits of `state`: helpers in the job, helpers that may join, open, number of the job.
const INSIDE: u64 = 0xffff;
const LIMIT_SHIFT: u32 = 16;
const LIMIT: u64 = 0x7fff << LIMIT_SHIFT;
const OPEN: u64 = 1 << 31;
const NUMBER: u64 = 1 << 32;

/// What helpers do.
#[derive(Clone, Copy)]
struct Job {
    /// The caller's function; valid while the job is not closed or a helper is inside.
    work: *const (dyn Fn(usize, usize) + Sync),
    units: usize,
    mode: Mode,
}

struct Shared {
    state: AtomicU64,
    job: UnsafeCell<Option<Job>>,
    /// The next unit.
    next: AtomicUsize,
    /// What a unit said when it panicked.
    panic: Mutex<Option<String>>,
    stop: AtomicBool,
    /// Whether each helper sleeps.
    asleep: Vec<AtomicBool>,
}

// SAFETY: the job is written only while it is closed and nobody is inside, and read only by who has
// joined; `state` orders the two.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in the job is only used while its owner waits.
unsafe impl Send for Shared {}

/// Threads that share work.
pub struct Pool {
    shared: Arc<Shared>,
    /// Whether a job is running.
    busy: AtomicBool,
    helpers: Vec<(Thread, Option<JoinHandle<()>>)>,
}

impl Pool {
    /// A pool whose jobs run on at most `threads` threads, the caller's among them.
    ///
    /// Where the system gives fewer threads, the pool is smaller.
    pub fn new(threads: usize) -> Pool {
        let wanted = threads.clamp(1, THREADS_MAX) - 1;
        let shared = Arc::new(Shared {
            state: AtomicU64::new(0),
            job: UnsafeCell::new(None),
            next: AtomicUsize::new(0),
            panic: Mutex::new(None),
            stop: AtomicBool::new(false),
            asleep: (0..wanted).map(|_| AtomicBool::new(false)).collect(),
        });
        let mut helpers = Vec::new();
        for index in 0..wanted {
            let theirs = Arc::clone(&shared);
            let builder = std::thread::Builder::new().name(format!("tfjit-{}", index + 1));
            let Ok(handle) = builder.spawn(move || theirs.help(index)) else { break };
            helpers.push((handle.thread().clone(), Some(handle)));
        }
        Pool { shared, busy: AtomicBool::new(false), helpers }
    }

    /// The pool of the process: as many threads as the process may use at a time, which on Linux
    /// are those of its cgroup and affinity.
    pub fn shared() -> Arc<Pool> {
        static POOL: OnceLock<Arc<Pool>> = OnceLock::new();
        let pool = POOL.get_or_init(|| {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            Arc::new(Pool::new(threads))
        });
        Arc::clone(pool)
    }

    /// Most threads of a job.
    pub fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Calls `work(worker, unit)` for every unit below `units`, on at most `threads` threads. Calls
    /// with the same worker are one after the other; worker 0 is the caller, and all are below
    /// [`Pool::threads`]. `cost_ns` is how long all units may take on one thread.
    ///
    /// # Errors
    /// INTERNAL when a unit panicked; then some units have not run.
    pub fn run(
        &self,
        units: usize,
        threads: usize,
        cost_ns: u64,
        flush_subnormals: bool,
        work: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<()> {
        let helpers = threads.min(units).saturating_sub(1).min(self.helpers.len());
        let alone = helpers == 0
            || cost_ns < SHARE_NS
            || self
                .busy
                .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
                .is_err();
        if alone {
            let run = || (0..units).for_each(|unit| work(0, unit));
            return catch_unwind(AssertUnwindSafe(run)).map_err(|p| panicked(&said(p.as_ref())));
        }
        // SAFETY: the lifetime is only forgotten until `finish` returns, which waits for whoever
        // may use the function.
        let work: &'static (dyn Fn(usize, usize) + Sync) = unsafe { std::mem::transmute(work) };
        let job = Job { work, units, mode: Mode::of_launch(flush_subnormals) };
        self.open(job, helpers, cost_ns);
        self.shared.work(&job, 0);
        self.finish();
        let said = self.shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.busy.store(false, Ordering::Release);
        said.map_or(Ok(()), |said| Err(panicked(&said)))
    }

    fn open(&self, job: Job, helpers: usize, cost_ns: u64) {
        let shared = &self.shared;
        // SAFETY: the last job is closed and nobody is inside; `busy` is ours.
        unsafe { *shared.job.get() = Some(job) };
        shared.next.store(0, Ordering::Relaxed);
        let number = (shared.state.load(Ordering::Relaxed) & !(NUMBER - 1)).wrapping_add(NUMBER);
        let open = number | OPEN | ((helpers as u64) << LIMIT_SHIFT);
        shared.state.store(open, Ordering::Release);
        // Between a helper's note that it sleeps and its last look at the state there is another
        // such fence: one of the two sees the other.
        fence(Ordering::SeqCst);
        if cost_ns < WAKE_NS {
            return;
        }
        for ((thread, _), asleep) in self.helpers.iter().zip(&shared.asleep).take(helpers) {
            if asleep.load(Ordering::Relaxed) && asleep.swap(false, Ordering::AcqRel) {
                thread.unpark();
            }
        }
    }

    /// Closes the job and waits for helpers that are in it.
    fn finish(&self) {
        let shared = &self.shared;
        let mut state = shared.state.fetch_and(!OPEN, Ordering::AcqRel);
        let mut spins = 0u32;
        while state & INSIDE != 0 {
            spins += 1;
            // A helper that lost its processor needs ours.
            if spins.is_multiple_of(1024) {
                std::thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
            state = shared.state.load(Ordering::Acquire);
        }
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "something that is no text".to_owned())
}

fn panicked(said: &str) -> Error {
    Error::internal(format!("a kernel panicked: {said}"))
}

impl Shared {
    /// Takes units until none is left.
    fn work(&self, job: &Job, worker: usize) {
        // SAFETY: the caller of `Pool::run` waits until all who joined have left.
        let work = unsafe { &*job.work };
        let run = || {
            loop {
                let unit = self.next.fetch_add(1, Ordering::Relaxed);
                if unit >= job.units {
                    break;
                }
                work(worker, unit);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            // The others stop where they are.
            self.next.store(job.units, Ordering::Relaxed);
            let mut slot = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            slot.get_or_insert_with(|| said(panic.as_ref()));
        }
    }

    /// Joins the open job, if it is one that this helper may join and has not done.
    fn join(&self, index: usize, seen: &mut u64) -> Option<Job> {
        let state = self.state.load(Ordering::Acquire);
        let limit = (state & LIMIT) >> LIMIT_SHIFT;
        if state & OPEN == 0 || index as u64 >= limit || state >> 32 == *seen {
            return None;
        }
        let joined =
            self.state.compare_exchange(state, state + 1, Ordering::AcqRel, Ordering::Relaxed);
        joined.ok()?;
        *seen = state >> 32;
        // SAFETY: who has joined may read the job.
        unsafe { *self.job.get() }
    }

    /// The life of a helper.
    fn help(&self, index: usize) {
        let mut seen = 0;
        let mut spins = 0;
        while !self.stop.load(Ordering::Relaxed) {
            if let Some(job) = self.join(index, &mut seen) {
                let mode = job.mode.enter();
                self.work(&job, index + 1);
                drop(mode);
                self.state.fetch_sub(1, Ordering::AcqRel);
                spins = 0;
            } else if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                self.sleep(index, seen);
                spins = 0;
            }
        }
    }

    fn sleep(&self, index: usize, seen: u64) {
        let asleep = &self.asleep[index];
        asleep.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let state = self.state.load(Ordering::Acquire);
        let limit = (state & LIMIT) >> LIMIT_SHIFT;
        let called = state & OPEN != 0 && (index as u64) < limit && state >> 32 != seen;
        if called || self.stop.load(Ordering::Acquire) {
            asleep.store(false, Ordering::Relaxed);
            return;
        }
        while asleep.load(Ordering::Acquire) && !self.stop.load(Ordering::Acquire) {
            std::thread::park();
        }
        asleep.store(false, Ordering::Relaxed);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        for (thread, handle) in &mut self.helpers {
            thread.unpark();
            if let Some(handle) = handle.take() {
                // A helper catches all panics of units; one of its own has nobody to tell.
                let _ = handle.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(units: usize) -> Vec<AtomicUsize> {
        (0..units).map(|_| AtomicUsize::new(0)).collect()
    }

    #[test]
    fn every_unit_runs_once() {
        let pool = Pool::new(4);
        for round in 0..20_000 {
            let units = round % 23;
            let cost = if round % 3 == 0 { 6_000 } else { 1_000_000 };
            let seen = counts(units);
            let work = |worker: usize, unit: usize| {
                assert!(worker < 4);
                seen[unit].fetch_add(1, Ordering::Relaxed);
            };
            pool.run(units, 1 + round % 5, cost, true, &work).unwrap();
            assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1), "round {round}");
            if round % 2_000 == 0 {
                // Let the helpers fall asleep.
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        }
    }

    #[test]
    fn a_worker_is_one_thread_at_a_time() {
        let pool = Pool::new(3);
        let inside: Vec<AtomicBool> = (0..3).map(|_| AtomicBool::new(false)).collect();
        for _ in 0..2_000 {
            let work = |worker: usize, _| {
                assert!(!inside[worker].swap(true, Ordering::AcqRel));
                std::hint::spin_loop();
                inside[worker].store(false, Ordering::Release);
            };
            pool.run(16, 3, 1_000_000, false, &work).unwrap();
        }
    }

    #[test]
    fn callers_do_not_disturb_each_other() {
        let pool = Pool::new(3);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 0..3_000 {
                        let seen = counts(round % 9);
                        let work = |_, unit: usize| {
                            seen[unit].fetch_add(1, Ordering::Relaxed);
                            // A launch inside a launch works alone.
                            pool.run(2, 3, 1_000_000, true, &|_, _| ()).unwrap();
                        };
                        pool.run(round % 9, 3, 1_000_000, true, &work).unwrap();
                        assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_is_an_error_and_the_pool_lives_on() {
        let pool = Pool::new(2);
        for _ in 0..50 {
            let work = |_, unit: usize| assert!(unit != 7, "seven");
            let error = pool.run(64, 2, 1_000_000, true, &work).unwrap_err();
            assert!(error.message().contains("seven"), "{error}");
            assert!(pool.run(64, 1, 0, true, &work).is_err());
            pool.run(64, 2, 1_000_000, true, &|_, _| ()).unwrap();
        }
    }

    #[test]
    fn pools_end() {
        for _ in 0..50 {
            drop(Pool::new(3));
        }
    }
}
