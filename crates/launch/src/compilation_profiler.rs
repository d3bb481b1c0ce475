//! When it is worth to compile: statistics by function name, and TensorFlow's rules over them.
//!
//! It must not know signatures, executables or the cache, which counts the requests it is told.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustc_hash::FxHashMap;
use tfjit_base::Result;

use crate::CompileMode;
use crate::listener::{JitCompilationActivity, Listeners, Warning};

/// Compilations after which a function that runs seldom is megamorphic.
const MEGAMORPHIC_COMPILES: u64 = 10;
/// Executions that each compilation must be worth.
const EXECUTIONS_PER_COMPILE: u64 = 50;
/// Compilations in the background at a time.
pub const ONGOING_ASYNC_MAX: u64 = 10;
/// Requests for a signature before it is compiled, by mode.
const LAZY_THRESHOLD: u64 = 2;

/// What is known about a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClusterStatistics {
    /// Successful compilations.
    pub compile_count: u64,
    /// Requests, whatever came of them.
    pub execution_count: u64,
    /// Time of all compilations.
    pub cumulative_compile_time: Duration,
    /// Whether it is compiled for ever new shapes, and not run often enough to be worth it. Stays.
    pub is_megamorphic: bool,
}

/// Decides whether to compile, from what it is told about executions and compilations.
pub trait CompilationProfiler: Send + Sync {
    /// The running statistics of a function, for whoever wants to register without a lookup.
    fn function(&self, function: &str) -> Arc<FunctionStatistics>;

    /// A function is about to run.
    fn register_execution(&self, function: &str);

    /// A function was compiled in `time`; `persistent` says that the code came from the disk.
    ///
    /// # Errors
    /// Those of listeners.
    fn register_compilation(&self, function: &str, time: Duration, persistent: bool) -> Result<()>;

    /// Whether to compile now; `request_count` counts the requests for this signature.
    fn should_compile(&self, function: &str, mode: CompileMode, request_count: u64) -> bool;

    /// A compilation in the background begins.
    fn increment_ongoing(&self);

    /// A compilation in the background ended.
    fn decrement_ongoing(&self);
}

/// The running statistics of one function.
#[derive(Debug, Default)]
pub struct FunctionStatistics {
    compiles: AtomicU64,
    executions: AtomicU64,
    compile_micros: AtomicU64,
    megamorphic: AtomicBool,
}

impl FunctionStatistics {
    /// The function is about to run.
    pub fn register_execution(&self) {
        let executions = self.executions.fetch_add(1, Ordering::Relaxed) + 1;
        let compiles = self.compiles.load(Ordering::Relaxed);
        if compiles > MEGAMORPHIC_COMPILES
            && executions < EXECUTIONS_PER_COMPILE * compiles
            && !self.megamorphic.load(Ordering::Relaxed)
        {
            self.megamorphic.store(true, Ordering::Relaxed);
        }
    }

    /// The numbers now.
    pub fn read(&self) -> ClusterStatistics {
        ClusterStatistics {
            compile_count: self.compiles.load(Ordering::Relaxed),
            execution_count: self.executions.load(Ordering::Relaxed),
            cumulative_compile_time: Duration::from_micros(
                self.compile_micros.load(Ordering::Relaxed),
            ),
            is_megamorphic: self.megamorphic.load(Ordering::Relaxed),
        }
    }
}

/// TensorFlow's rules.
#[derive(Default)]
pub struct DeviceCompilationProfiler {
    functions: RwLock<FxHashMap<String, Arc<FunctionStatistics>>>,
    ongoing: AtomicU64,
    /// Listeners of this device, told after those of the process.
    listeners: Arc<Listeners>,
}

impl std::fmt::Debug for DeviceCompilationProfiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DeviceCompilationProfiler")
    }
}

impl DeviceCompilationProfiler {
    /// No statistics yet; `listeners` are told beside those of the process.
    pub fn new(listeners: Arc<Listeners>) -> DeviceCompilationProfiler {
        DeviceCompilationProfiler { listeners, ..DeviceCompilationProfiler::default() }
    }

    /// What is known about a function; `None` before its first request.
    pub fn statistics(&self, function: &str) -> Option<ClusterStatistics> {
        self.find(function).map(|f| f.read())
    }

    /// Compilations in the background now.
    pub fn ongoing(&self) -> u64 {
        self.ongoing.load(Ordering::SeqCst)
    }

    fn find(&self, function: &str) -> Option<Arc<FunctionStatistics>> {
        let functions = self.functions.read().unwrap_or_else(PoisonError::into_inner);
        functions.get(function).cloned()
    }
}

impl CompilationProfiler for DeviceCompilationProfiler {
    fn function(&self, function: &str) -> Arc<FunctionStatistics> {
        if let Some(found) = self.find(function) {
            return found;
        }
        let mut functions = self.functions.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(functions.entry(function.to_owned()).or_default())
    }

    fn register_execution(&self, function: &str) {
        self.function(function).register_execution();
    }

    fn register_compilation(&self, function: &str, time: Duration, persistent: bool) -> Result<()> {
        let stats = self.function(function);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let compile_count = stats.compiles.fetch_add(1, Ordering::Relaxed) + 1;
        let sum = stats.compile_micros.fetch_add(micros, Ordering::Relaxed) + micros;
        let activity = JitCompilationActivity {
            cluster_name: function.to_owned(),
            compile_count,
            compile_time_us: micros,
            cumulative_compile_time_us: sum,
            used_persistent_cache: persistent,
        };
        self.listeners.jit_compilation(&activity)
    }

    fn should_compile(&self, function: &str, mode: CompileMode, request_count: u64) -> bool {
        if mode == CompileMode::Strict {
            return true;
        }
        let stats = match self.find(function) {
            Some(stats) => stats,
            None => {
                let stats = self.function(function);
                stats.register_execution();
                stats
            }
        };
        let now = stats.read();
        if now.is_megamorphic {
            self.listeners.optimization_remark(Warning::MegamorphicFunction, function);
            return false;
        }
        if now.execution_count == 1 {
            return true;
        }
        match mode {
            CompileMode::Async => self.ongoing() < ONGOING_ASYNC_MAX,
            _ => request_count >= LAZY_THRESHOLD,
        }
    }

    fn increment_ongoing(&self) {
        self.ongoing.fetch_add(1, Ordering::SeqCst);
    }

    fn decrement_ongoing(&self) {
        self.ongoing.fetch_sub(1, Ordering::SeqCst);
    }
}
