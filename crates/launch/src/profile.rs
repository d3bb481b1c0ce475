//! Where the time of launches goes, step by step.
//!
//! Executables tell when a step begins and ends; the clock is read here. A [`Profiler`] is shared
//! by whoever wants to know and by the compiler whose launches it watches.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tfjit_client::{Executable, Profile, StepInfo};

/// Programs that are watched at most; the steps of further ones are not.
const PROGRAMS_MAX: usize = 1024;

/// Collects the times of steps.
#[derive(Default)]
pub struct Profiler {
    programs: Mutex<Vec<Arc<Watched>>>,
}

/// What was seen of one executable.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ProgramProfile {
    /// The function it was compiled from.
    pub function: String,
    /// Number of launches.
    pub launches: u64,
    /// Time in launches of it, all together.
    pub time: Duration,
    /// Its steps.
    pub steps: Vec<StepProfile>,
}

/// What was seen of one step.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StepProfile {
    /// What the step is, and its work each time it runs.
    pub info: StepInfo,
    /// How often it ran, in all launches together; not once a launch for steps in loops and
    /// branches.
    pub calls: u64,
    /// Time in it, all together; that of steps inside of it included.
    pub time: Duration,
}

/// Sums of one executable.
pub(crate) struct Watched {
    function: String,
    /// Two executables may not be taken for one when the first is gone.
    executable: Weak<dyn Executable>,
    steps: Vec<(StepInfo, Sum)>,
    launches: Sum,
}

/// A number of times and their sum.
#[derive(Default)]
struct Sum {
    calls: AtomicU64,
    nanos: AtomicU64,
}

impl Sum {
    fn add(&self, calls: u64, nanos: u64) {
        self.calls.fetch_add(calls, Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.calls.store(0, Ordering::Relaxed);
        self.nanos.store(0, Ordering::Relaxed);
    }

    fn read(&self) -> (u64, Duration) {
        let nanos = Duration::from_nanos(self.nanos.load(Ordering::Relaxed));
        (self.calls.load(Ordering::Relaxed), nanos)
    }
}

impl fmt::Debug for Profiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Profiler")
    }
}

impl Profiler {
    /// What was seen so far of executables that were launched, in the order of their first launch.
    pub fn programs(&self) -> Vec<ProgramProfile> {
        let programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let read = programs.iter().map(|watched| {
            let (launches, time) = watched.launches.read();
            let step = |(info, sum): &(StepInfo, Sum)| {
                let (calls, time) = sum.read();
                StepProfile { info: info.clone(), calls, time }
            };
            let steps = watched.steps.iter().map(step).collect();
            ProgramProfile { function: watched.function.clone(), launches, time, steps }
        });
        read.filter(|program| program.launches > 0).collect()
    }

    /// Forgets all times; what is running goes on counting.
    pub fn clear(&self) {
        let programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        for watched in programs.iter() {
            watched.launches.clear();
            watched.steps.iter().for_each(|(_, sum)| sum.clear());
        }
    }

    /// Watches a launch of `executable`, which was compiled from `function`. There is nothing to
    /// watch when it has no steps.
    pub fn launch(
        &self,
        function: &str,
        executable: &Arc<dyn Executable>,
    ) -> Option<Arc<Stopwatch>> {
        let watched = self.watched(function, executable)?;
        if watched.steps.is_empty() {
            return None;
        }
        let running = watched.steps.iter().map(|_| AtomicU64::new(0)).collect();
        Some(Arc::new(Stopwatch { watched, start: Instant::now(), running }))
    }

    fn watched(&self, function: &str, executable: &Arc<dyn Executable>) -> Option<Arc<Watched>> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let this = Arc::downgrade(executable);
        if let Some(known) = programs.iter().find(|known| known.executable.ptr_eq(&this)) {
            return Some(Arc::clone(known));
        }
        if programs.len() == PROGRAMS_MAX {
            return None;
        }
        let steps = executable.steps().into_iter().map(|info| (info, Sum::default())).collect();
        let function = function.to_owned();
        let launches = Sum::default();
        let watched = Arc::new(Watched { function, executable: this, steps, launches });
        programs.push(Arc::clone(&watched));
        Some(watched)
    }
}

/// Measures one launch.
pub struct Stopwatch {
    watched: Arc<Watched>,
    start: Instant,
    /// When each step began, in nanoseconds from the start. One thread tells; that there are
    /// atomics is for the trait, which asks for shared access.
    running: Vec<AtomicU64>,
}

impl fmt::Debug for Stopwatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stopwatch({})", self.watched.function)
    }
}

impl Stopwatch {
    /// The launch is over.
    pub fn stop(&self) {
        self.watched.launches.add(1, self.now());
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Profile for Stopwatch {
    fn begin(&self, step: usize) {
        if let Some(began) = self.running.get(step) {
            began.store(self.now(), Ordering::Relaxed);
        }
    }

    fn end(&self, step: usize) {
        let now = self.now();
        if let (Some(began), Some((_, sum))) =
            (self.running.get(step), self.watched.steps.get(step))
        {
            sum.add(1, now.saturating_sub(began.load(Ordering::Relaxed)));
        }
    }
}

#[cfg(test)]
mod tests {
    use tfjit_base::Result;
    use tfjit_client::{Arguments, Buffer, ExecuteOptions, Memory};
    use tfjit_hlo::TensorType;

    use super::*;

    /// Runs its second step three times inside of its first.
    struct Loop(usize);

    impl Executable for Loop {
        fn name(&self) -> &str {
            "loop"
        }
        fn parameters(&self) -> &[TensorType] {
            &[]
        }
        fn results(&self) -> &[TensorType] {
            &[]
        }
        fn execute(&self, _: Arguments, options: &ExecuteOptions) -> Result<Vec<Buffer>> {
            let Some(profile) = &options.profile else { return Ok(Vec::new()) };
            profile.begin(0);
            for _ in 0..3 {
                profile.begin(1);
                profile.end(1);
            }
            profile.end(0);
            // Numbers that no step has are nothing to stumble over.
            profile.begin(7);
            profile.end(7);
            Ok(Vec::new())
        }
        fn serialize(&self) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }
        fn text(&self, _: &str) -> Option<String> {
            None
        }
        fn memory(&self) -> Memory {
            Memory::default()
        }
        fn steps(&self) -> Vec<StepInfo> {
            (0..self.0).map(|depth| StepInfo { depth, ..StepInfo::default() }).collect()
        }
    }

    fn launch(profiler: &Profiler, executable: &Arc<dyn Executable>) {
        let watch = profiler.launch("f", executable);
        let profile = watch.clone().map(|watch| watch as Arc<dyn Profile>);
        let options = ExecuteOptions { profile, ..ExecuteOptions::default() };
        executable.execute(Arguments::new(), &options).unwrap();
        if let Some(watch) = watch {
            watch.stop();
        }
    }

    #[test]
    fn steps_are_counted_by_executable() {
        let profiler = Profiler::default();
        let [one, two]: [Arc<dyn Executable>; 2] = [Arc::new(Loop(2)), Arc::new(Loop(2))];
        launch(&profiler, &one);
        launch(&profiler, &one);
        launch(&profiler, &two);
        let programs = profiler.programs();
        let calls = |p: &ProgramProfile| p.steps.iter().map(|s| s.calls).collect::<Vec<_>>();
        assert_eq!(programs.iter().map(|p| p.launches).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(programs.iter().map(calls).collect::<Vec<_>>(), [vec![2, 6], vec![1, 3]]);
        for program in &programs {
            assert!(program.steps[1].time <= program.steps[0].time);
            assert!(program.steps[0].time <= program.time);
        }
    }

    #[test]
    fn what_was_seen_can_be_forgotten() {
        let profiler = Profiler::default();
        let executable: Arc<dyn Executable> = Arc::new(Loop(2));
        launch(&profiler, &executable);
        profiler.clear();
        assert_eq!(profiler.programs(), []);
        launch(&profiler, &executable);
        assert_eq!(profiler.programs()[0].launches, 1);
    }

    #[test]
    fn what_has_no_steps_is_not_watched() {
        let profiler = Profiler::default();
        launch(&profiler, &(Arc::new(Loop(0)) as Arc<dyn Executable>));
        assert_eq!(profiler.programs(), []);
    }
}
