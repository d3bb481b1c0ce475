//! Where the time of launches went.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Durations, summed over whatever they were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// From TensorFlow's nodes to HLO.
    pub lower: Duration,
    /// Passes over HLO.
    pub optimise: Duration,
    /// The client's compilation.
    pub compile: Duration,
    /// Execution, with writing back.
    pub launch: Duration,
    /// Number of compilations.
    pub compiles: u64,
    /// Number of launches.
    pub launches: u64,
}

/// The running sums, shared by the kernels of one session.
#[derive(Debug, Default)]
pub struct Timings {
    lower: AtomicU64,
    optimise: AtomicU64,
    compile: AtomicU64,
    launch: AtomicU64,
    compiles: AtomicU64,
    launches: AtomicU64,
}

impl Timings {
    /// The sums so far.
    pub fn read(&self) -> Times {
        let nanos = |a: &AtomicU64| Duration::from_nanos(a.load(Ordering::Relaxed));
        Times {
            lower: nanos(&self.lower),
            optimise: nanos(&self.optimise),
            compile: nanos(&self.compile),
            launch: nanos(&self.launch),
            compiles: self.compiles.load(Ordering::Relaxed),
            launches: self.launches.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn compiled(&self, lower: Duration, optimise: Duration, compile: Duration) {
        add(&self.lower, lower);
        add(&self.optimise, optimise);
        add(&self.compile, compile);
        self.compiles.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn launched(&self, since: Instant) {
        add(&self.launch, since.elapsed());
        self.launches.fetch_add(1, Ordering::Relaxed);
    }
}

fn add(to: &AtomicU64, time: Duration) {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    to.fetch_add(nanos, Ordering::Relaxed);
}

impl std::ops::Sub for Times {
    type Output = Times;
    fn sub(self, before: Times) -> Times {
        Times {
            lower: self.lower.saturating_sub(before.lower),
            optimise: self.optimise.saturating_sub(before.optimise),
            compile: self.compile.saturating_sub(before.compile),
            launch: self.launch.saturating_sub(before.launch),
            compiles: self.compiles.saturating_sub(before.compiles),
            launches: self.launches.saturating_sub(before.launches),
        }
    }
}
