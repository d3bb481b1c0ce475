//! Typed options of a session.

use std::sync::Arc;

use tfjit_base::Result;
use tfjit_client::CompileOptions;
use tfjit_launch::flags::{Flags, XlaDump, current};
use tfjit_launch::listener::Listeners;
use tfjit_launch::ops::AutoJitPolicy;
use tfjit_launch::persist::{DirectoryCache, DirectoryOptions, PersistentCache};
use tfjit_launch::trace::Recording;
use tfjit_launch::{CacheBounds, CompileMode, CompilerOptions, DeviceApi, Observer, Profiler};

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
    /// When clusters are compiled. In `strict` mode before they run; else they may run node by node
    /// before they are compiled.
    pub compile_mode: CompileMode,
    /// The cache on disk; an empty folder turns it off. By default what `TF_XLA_FLAGS` says.
    pub persistent_cache: DirectoryOptions,
    /// Whether trouble with the cache on disk fails what is compiled, as in TensorFlow; else it is
    /// a miss, with a warning.
    pub strict_cache: bool,
    /// Flags of TensorFlow and XLA that have no field of their own here; the environment's by
    /// default.
    pub flags: Arc<Flags>,
    /// Who is told of compilations and remarks, beside the listeners of the process.
    pub listeners: Arc<Listeners>,
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
        let flags = current();
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
            compile_mode: CompileMode::Strict,
            persistent_cache: flags.persistent_cache(),
            strict_cache: false,
            flags,
            listeners: Arc::default(),
            observer: None,
            profiler: None,
            trace: None,
        }
    }
}

impl Options {
    pub(crate) fn compiler(&self) -> Result<CompilerOptions> {
        let persistent = (!self.persistent_cache.folder.as_os_str().is_empty()).then(|| {
            let directory = DirectoryCache::new(self.persistent_cache.clone());
            PersistentCache::new(Arc::new(directory), self.strict_cache)
        });
        Ok(CompilerOptions {
            checks: self.checks,
            optimise: self.optimise,
            fuel: self.fuel,
            bounds: CacheBounds {
                entries_max: self.cache_entries_max,
                bytes_max: self.cache_bytes_max,
            },
            persistent,
            listeners: Arc::clone(&self.listeners),
            observer: self.observers()?,
            profiler: self.profiler.clone(),
            client: CompileOptions { keep_text: self.keep_text, ..CompileOptions::default() },
            ..CompilerOptions::default()
        })
    }

    /// The observer of the options and that of `--xla_dump_to`.
    fn observers(&self) -> Result<Option<Arc<dyn Observer>>> {
        let dump = XlaDump::new(&self.flags.xla)?.map(|dump| Arc::new(dump) as Arc<dyn Observer>);
        Ok(match (self.observer.clone(), dump) {
            (Some(first), Some(second)) => Some(Arc::new(Both(first, second))),
            (first, second) => first.or(second),
        })
    }

    /// When `_XlaCompile` nodes compile.
    pub(crate) fn auto_jit(&self) -> AutoJitPolicy {
        AutoJitPolicy {
            lazy: self.flags.tf.tf_xla_enable_lazy_compilation,
            background: self.flags.tf.tf_xla_async_compilation,
            always_defer: self.flags.tf.tf_xla_always_defer_compilation,
            fall_back_on_any_error: false,
        }
    }

    /// Which ops would go through a plugin.
    pub(crate) fn device_api(&self) -> DeviceApi {
        let tf = &self.flags.tf;
        DeviceApi {
            everywhere: tf.tf_xla_use_device_api,
            xla_launch: tf.tf_xla_use_device_api_for_xla_launch,
            compile_on_demand: tf.tf_xla_use_device_api_for_compile_on_demand,
            auto_jit: tf.tf_xla_use_device_api_for_auto_jit,
            gpu: tf.tf_xla_enable_device_api_for_gpu,
            ..DeviceApi::default()
        }
    }
}

/// Two observers as one.
struct Both(Arc<dyn Observer>, Arc<dyn Observer>);

impl Observer for Both {
    fn product(&self, stage: &str, function: &str, text: &str) -> Result<()> {
        self.0.product(stage, function, text)?;
        self.1.product(stage, function, text)
    }
}
