//! Typed options of a session.

use std::sync::Arc;

use tfjit_client::CompileOptions;
use tfjit_launch::trace::Recording;
use tfjit_launch::{CacheBounds, CompilerOptions, Observer, Profiler};

use crate::Backend;

/// Options of a session.
#[derive(Clone)]
pub struct Options {
    /// The client.
    pub backend: Backend,
    /// Threads a launch may use, the caller's included; all that the machine grants by default.
    pub threads: usize,
    /// Whether the backend `local` makes machine code; off interprets its kernels.
    pub codegen: bool,
    /// Whether profilers such as Linux's `perf` are told the names of kernels, through a file
    /// `perf-PID.map` in `/tmp`.
    pub perf_map: bool,
    /// Whether executables keep the texts of their stages, for [`Signature::texts`]; an observer
    /// is shown them too then.
    ///
    /// [`Signature::texts`]: crate::Signature::texts
    pub keep_text: bool,
    /// Whether run-time errors (an index out of range, an integer division by zero, a failed
    /// assert) are errors; off gives XLA's behaviour.
    pub checks: bool,
    /// Whether nodes are compiled together; off compiles each on its own.
    pub clusters: bool,
    /// Whether passes run.
    pub optimise: bool,
    /// Whether variables that nothing in the model can write are compiled in as constants, which
    /// lets weights be folded and laid out while compiling. Their memory is shared, not copied.
    /// Writing one through [`Session::assign`](crate::Session::assign) makes it a variable again.
    pub freeze_variables: bool,
    /// Rewrites that the passes may make, for finding the one that breaks something.
    pub fuel: Option<u64>,
    /// Compiled functions that are kept; the least recently used go first.
    pub cache_entries_max: usize,
    /// Bytes of code, temporary memory and constants of their own that compiled functions may take
    /// together. Weights are not counted: they are shared.
    pub cache_bytes_max: u64,
    /// Bytes that constants and temporary memory of one compiled function may take; 80 % of what
    /// the machine, or its control group, grants by default.
    pub memory_bytes_max: Option<usize>,
    /// Sees the product of each stage.
    pub observer: Option<Arc<dyn Observer>>,
    /// Measures the steps of launches, which takes two readings of the clock a step.
    pub profiler: Option<Arc<Profiler>>,
    /// Keeps what happens when, in the whole process, while somebody holds it: the session does.
    /// [`Recording::json`] is a file for Perfetto or Chrome's `about:tracing`.
    pub trace: Option<Arc<Recording>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            backend: Backend::default(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            codegen: true,
            perf_map: false,
            keep_text: false,
            checks: true,
            clusters: true,
            optimise: true,
            freeze_variables: true,
            fuel: None,
            cache_entries_max: CacheBounds::default().entries_max,
            cache_bytes_max: CacheBounds::default().bytes_max,
            memory_bytes_max: None,
            observer: None,
            profiler: None,
            trace: None,
        }
    }
}

impl Options {
    pub(crate) fn compiler(&self) -> CompilerOptions {
        CompilerOptions {
            checks: self.checks,
            optimise: self.optimise,
            fuel: self.fuel,
            bounds: CacheBounds {
                entries_max: self.cache_entries_max,
                bytes_max: self.cache_bytes_max,
            },
            observer: self.observer.clone(),
            profiler: self.profiler.clone(),
            client: CompileOptions { keep_text: self.keep_text, ..CompileOptions::default() },
            ..CompilerOptions::default()
        }
    }
}
