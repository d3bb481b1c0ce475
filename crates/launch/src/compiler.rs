//! The device compiler: from a function and its arguments to an executable, once per signature.
//!
//! Requests for one signature wait for the first that compiles it; different signatures never wait
//! for each other. Three modes say when to compile (see [`CompileMode`]), by the rules of a
//! [`CompilationProfiler`]. It holds a client behind its trait and must not know which one, and it
//! must not know variables, which callers describe.

mod background;
mod compiled;
mod options;
mod pipeline;
mod stored;

use std::fmt;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use tfjit_base::{Code, Error, Result};
use tfjit_bridge::{Arg, Lowered};
use tfjit_client::Client;
use tfjit_model::{Function, FunctionLibrary};

use crate::cache::Entry;
use crate::compilation_profiler::ONGOING_ASYNC_MAX;
use crate::listener::{Listeners, Warning};
use crate::{
    Cache, CacheStats, CacheValue, CompilationProfiler, CompileState, DeviceCompilationProfiler,
    Profiler, Signature, Store, Timings, function_name, metrics, switch,
};
use pipeline::{Made, Pipeline};

pub use background::Background;
pub use compiled::{CompilationResult, Compiled};
pub use options::{CompileMode, CompilerOptions, Observer};
pub(crate) use pipeline::panicked;
pub use pipeline::{build_options, program_text};

/// A request for an executable.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Where functions that are called are found.
    pub library: &'a Arc<FunctionLibrary>,
    /// The function.
    pub function: &'a Arc<Function>,
    /// What is known of its arguments.
    pub args: &'a [Arg],
    /// When to compile.
    pub mode: CompileMode,
}

/// A compiled function in its place in the cache.
#[derive(Clone)]
pub struct Ready {
    compiled: Arc<Compiled>,
    entry: Arc<Entry>,
}

impl Deref for Ready {
    type Target = Compiled;
    fn deref(&self) -> &Compiled {
        &self.compiled
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.compiled, f)
    }
}

impl Ready {
    pub(crate) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }
}

/// The compiler of one device.
pub struct DeviceCompiler {
    shared: Arc<Shared>,
    /// Dropped first, which waits for the jobs that use the rest.
    background: Option<Background>,
}

/// What jobs in the background share with the compiler.
struct Shared {
    pipeline: Pipeline,
    cache: Cache,
    profiler: Arc<dyn CompilationProfiler>,
}

impl fmt::Debug for DeviceCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceCompiler({})", self.client().platform())
    }
}

impl Drop for DeviceCompiler {
    fn drop(&mut self) {
        drop(self.background.take());
    }
}

impl DeviceCompiler {
    /// A compiler with an empty cache.
    pub fn new(client: Arc<dyn Client>, options: CompilerOptions) -> DeviceCompiler {
        let profiler = Arc::new(DeviceCompilationProfiler::new(Arc::clone(&options.listeners)));
        DeviceCompiler::with_profiler(client, options, profiler)
    }

    /// A compiler with an empty cache that asks `profiler` when to compile.
    pub fn with_profiler(
        client: Arc<dyn Client>,
        options: CompilerOptions,
        profiler: Arc<dyn CompilationProfiler>,
    ) -> DeviceCompiler {
        let cache = Cache::new(options.bounds);
        let pipeline =
            Pipeline { client, options, timings: Arc::default(), frozen: Default::default() };
        let threads = usize::try_from(ONGOING_ASYNC_MAX).unwrap_or(1);
        DeviceCompiler {
            shared: Arc::new(Shared { pipeline, cache, profiler }),
            background: Some(Background::new("async_compiler", threads)),
        }
    }

    /// The type of the device: `CPU`.
    pub fn device_type(&self) -> &str {
        &self.shared.pipeline.options.platform.device_type
    }

    /// The client.
    pub fn client(&self) -> &Arc<dyn Client> {
        &self.shared.pipeline.client
    }

    /// The cache.
    pub fn cache(&self) -> &Cache {
        &self.shared.cache
    }

    /// Counters of the cache.
    pub fn stats(&self) -> CacheStats {
        self.shared.cache.stats()
    }

    /// Who decides when to compile.
    pub fn compilation_profiler(&self) -> &Arc<dyn CompilationProfiler> {
        &self.shared.profiler
    }

    /// Who is told of compilations and remarks.
    pub fn listeners(&self) -> &Arc<Listeners> {
        &self.shared.pipeline.options.listeners
    }

    /// Who watches the steps of launches.
    pub fn profiler(&self) -> Option<&Profiler> {
        self.shared.pipeline.options.profiler.as_deref()
    }

    /// As [`DeviceCompiler::profiler`], to be kept.
    pub fn step_profiler(&self) -> Option<Arc<Profiler>> {
        self.shared.pipeline.options.profiler.clone()
    }

    /// Where time went.
    pub fn timings(&self) -> &Arc<Timings> {
        &self.shared.pipeline.timings
    }

    /// Drops what is needed for compiling only; what was compiled stays.
    pub fn finalize(&self) {
        self.shared.cache.finalize();
    }

    /// The compiled form of a function for these arguments; `None` when it is not compiled (yet)
    /// and the caller must do without.
    ///
    /// # Errors
    /// Those of lowering and compiling; INTERNAL when one of them panicked, or when compiling is
    /// switched off and the function was not compiled before.
    pub fn compile_if_needed(&self, request: &Request<'_>) -> Result<Option<Ready>> {
        let signature = Signature::new(function_name(request.function), request.args);
        let shared = &self.shared;
        let entry = shared.cache.entry(&signature);
        let name = &*request.function.name;
        shared.profiler.register_execution(name);
        let _flight = crate::sync::lock(&entry.flight);
        let value = shared.cache.request(&entry);
        match value.state {
            CompileState::Compiled => return ready(&entry, &value),
            CompileState::Compiling => return Ok(None),
            CompileState::Failed if request.mode == CompileMode::Async => return Ok(None),
            CompileState::Failed => return Err(value.status.unwrap_or_else(failed)),
            CompileState::Uncompiled => {}
        }
        if !switch::is_enabled() {
            return Err(Error::internal("XLA compilation disabled"));
        }
        if !shared.profiler.should_compile(name, request.mode, value.request_count) {
            return Ok(None);
        }
        if request.mode == CompileMode::Async {
            self.compile_in_background(request, &entry)?;
            return Ok(None);
        }
        shared.compile_strict(request, &entry)?;
        shared.cache.evict(&entry);
        ready(&entry, &shared.cache.peek(&entry))
    }

    /// What a compiled entry holds, if a request finds it there still; counts the request, and
    /// takes no lock.
    pub(crate) fn hit(&self, entry: &Arc<Entry>) -> Option<Ready> {
        let compiled = entry.hit(self.shared.cache.clock())?;
        Some(Ready { compiled, entry: Arc::clone(entry) })
    }

    /// Lowers and optimises without the client: what [`DeviceCompiler::compile_if_needed`] would
    /// compile.
    ///
    /// # Errors
    /// Those of lowering.
    pub fn program(
        &self,
        library: &FunctionLibrary,
        function: &Function,
        args: &[Arg],
    ) -> Result<Lowered> {
        self.shared.pipeline.program(library, function, args)
    }

    fn compile_in_background(&self, request: &Request<'_>, entry: &Arc<Entry>) -> Result<()> {
        let Some(background) = &self.background else {
            return Err(Error::unavailable("the compiler is being dropped"));
        };
        let shared = Arc::clone(&self.shared);
        let (library, function) = (Arc::clone(request.library), Arc::clone(request.function));
        let (args, place) = (request.args.to_vec(), Arc::clone(entry));
        shared.cache.store_in(entry, Store::state(CompileState::Compiling));
        shared.profiler.increment_ongoing();
        let ongoing = Ongoing(Arc::clone(&shared.profiler));
        let waiting = Waiting { shared, entry: place };
        let job = move || {
            let _ongoing = ongoing;
            let (library, function, args) = (&library, &function, args.as_slice());
            let request = Request { library, function, args, mode: CompileMode::Async };
            let done = waiting.shared.compile_strict(&request, &waiting.entry);
            waiting.done(done, &request);
        };
        background.run(Box::new(job))
    }
}

/// A compilation in the background that is counted, until it is dropped.
struct Ongoing(Arc<dyn CompilationProfiler>);

impl Drop for Ongoing {
    fn drop(&mut self) {
        self.0.decrement_ongoing();
    }
}

/// An entry that a job is to fill. A job that is dropped unrun leaves it to others.
struct Waiting {
    shared: Arc<Shared>,
    entry: Arc<Entry>,
}

impl Waiting {
    fn done(&self, done: Result<()>, request: &Request<'_>) {
        if let Err(error) = done {
            let name = &request.function.name;
            tracing::warn!(
                target: "tfjit::jit",
                "compiling {name} in the background failed, its fallback stays: {error}"
            );
            let text = format!("{name}: {error}");
            let listeners = &self.shared.pipeline.options.listeners;
            listeners.optimization_remark(Warning::UnimplementedOperation, text);
            let store = Store {
                state: Some(CompileState::Failed),
                status: Some(Err(error)),
                ..Store::default()
            };
            self.shared.cache.store_in(&self.entry, store);
        }
        self.shared.cache.evict(&self.entry);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.shared.cache.peek(&self.entry).state == CompileState::Compiling {
            let store = Store::state(CompileState::Uncompiled);
            self.shared.cache.store_in(&self.entry, store);
        }
    }
}

fn failed() -> Error {
    Error::internal("compiling failed before, without a reason")
}

fn ready(entry: &Arc<Entry>, value: &CacheValue) -> Result<Option<Ready>> {
    if let Some(error) = &value.status {
        return Err(error.clone());
    }
    let compiled = value.compiled().ok_or_else(failed)?;
    Ok(Some(Ready { compiled: Arc::new(compiled), entry: Arc::clone(entry) }))
}

/// Whether compiling the same again would fail the same way.
fn is_deterministic(error: &Error) -> bool {
    matches!(error.code(), Code::InvalidArgument | Code::Unimplemented)
}

impl Shared {
    /// Compiles or loads, and stores; the caller holds the entry's flight, or is its job.
    fn compile_strict(&self, request: &Request<'_>, entry: &Arc<Entry>) -> Result<()> {
        self.cache.missed();
        metrics::global().cache_miss_count.add(1);
        let start = Instant::now();
        let made = catch_unwind(AssertUnwindSafe(|| self.make(request, start)))
            .unwrap_or_else(|panic| Err(panicked("compiling", &*panic)));
        let (made, persistent) = match made {
            Ok(made) => made,
            Err(error) => {
                if self.pipeline.options.remember_failures && is_deterministic(&error) {
                    let status = Some(Err(error.clone()));
                    let state = Some(CompileState::Failed);
                    self.cache.store_in(entry, Store { state, status, ..Store::default() });
                }
                return Err(error);
            }
        };
        let store = Store {
            state: Some(CompileState::Compiled),
            status: Some(Ok(())),
            result: Some(made.compiled.result),
            executable: Some(made.compiled.executable),
            computation: made.computation,
        };
        self.cache.store_in(entry, store);
        self.profiler.register_compilation(&request.function.name, start.elapsed(), persistent)
    }

    /// From the cache on disk or else by compiling; whether it was there.
    fn make(&self, request: &Request<'_>, start: Instant) -> Result<(Made, bool)> {
        let stored = self.pipeline.stored(request);
        if let Some((cache, key)) = &stored
            && let Some(compiled) = cache.load(key, |entry| self.pipeline.load(request, entry))?
        {
            return Ok((Made { compiled, computation: None, text: String::new() }, true));
        }
        let made = self.pipeline.compile(request, stored.is_some())?;
        if let Some(place) = &stored {
            let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.pipeline.save(request, place, &made.compiled, &made.text, micros)?;
        }
        Ok((made, false))
    }
}
