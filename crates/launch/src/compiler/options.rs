//! How a device compiler works, and who watches it.

use std::sync::Arc;

use tfjit_base::Result;
use tfjit_client::CompileOptions;

use crate::listener::Listeners;
use crate::persist::PersistentCache;
use crate::{CacheBounds, Family, PlatformInfo, Profiler};

/// When a function is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CompileMode {
    /// At once, by whoever asks first.
    #[default]
    Strict,
    /// At once if it is the function's first request, else when a signature is asked for again.
    Lazy,
    /// In the background; whoever asks meanwhile goes without.
    Async,
}

impl CompileMode {
    /// As it is written on a command line.
    pub fn name(self) -> &'static str {
        match self {
            CompileMode::Strict => "strict",
            CompileMode::Lazy => "lazy",
            CompileMode::Async => "async",
        }
    }
}

/// How a device compiler works.
#[derive(Clone)]
pub struct CompilerOptions {
    /// Whether run-time checks are compiled in.
    pub checks: bool,
    /// Whether passes run over the program.
    pub optimise: bool,
    /// Rewrites that the passes may make; `None` for all.
    pub fuel: Option<u64>,
    /// What the cache may hold.
    pub bounds: CacheBounds,
    /// Whether the cache keeps programs until it is finalized, for whoever wants to look at them.
    pub keep_computation: bool,
    /// The cache on disk, if there is one.
    pub persistent: Option<PersistentCache>,
    /// The device.
    pub platform: PlatformInfo,
    /// The family that the client belongs to, likewise.
    pub family: Family,
    /// Whether a compilation that failed for a reason that lies in the program is remembered, so
    /// that the next request fails at once with the same error. TensorFlow tries again each time.
    pub remember_failures: bool,
    /// Who is told of compilations and remarks, beside the listeners of the process.
    pub listeners: Arc<Listeners>,
    /// Passed on to the client.
    pub client: CompileOptions,
    /// Sees the product of each stage.
    pub observer: Option<Arc<dyn Observer>>,
    /// Watches the steps of launches.
    pub profiler: Option<Arc<Profiler>>,
}

impl Default for CompilerOptions {
    fn default() -> CompilerOptions {
        CompilerOptions {
            checks: true,
            optimise: true,
            fuel: None,
            bounds: CacheBounds::default(),
            keep_computation: false,
            persistent: None,
            platform: PlatformInfo::cpu(),
            family: Family::Local,
            remember_failures: true,
            listeners: Arc::default(),
            client: CompileOptions::default(),
            observer: None,
            profiler: None,
        }
    }
}

/// Sees the product of each stage as text.
pub trait Observer: Send + Sync {
    /// Called with the stage (`lower`, a pass's name, `optimise`, …), the function's name and the
    /// text.
    ///
    /// # Errors
    /// An error stops the compilation and is its result.
    fn product(&self, stage: &str, function: &str, text: &str) -> Result<()>;
}
