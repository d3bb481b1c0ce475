//! The heart: the device compiler with its cache, and the launch kernels.
//!
//! A [`DeviceCompiler`] turns a function and what is known of its arguments into an executable,
//! once per signature. [`XlaLaunch`] is the kernel of a cluster: it locks the variables, compiles
//! if
//! needed, runs, and writes back. It holds a client behind its trait and must not know which one.
//!
//! Read first: [`DeviceCompiler`], [`XlaLaunch`], [`Signature`].

mod cache;
mod compilation_profiler;
mod compiler;
mod kernel;
mod notify;
mod optimise;
mod profile;
mod signature;
pub mod switch;
mod times;

pub use cache::{Cache, CacheBounds, CacheStats, CacheValue, CompileState, Store};
pub use compilation_profiler::{
    ClusterStatistics, CompilationProfiler, DeviceCompilationProfiler, FunctionStatistics,
    ONGOING_ASYNC_MAX,
};
pub use compiler::{
    CompilationResult, CompileMode, Compiled, CompilerOptions, DeviceCompiler, Observer, Ready,
    Request, program_text,
};
pub use kernel::XlaLaunch;
pub use optimise::optimise;
pub use profile::{Profiler, ProgramProfile, StepProfile, Stopwatch};
pub use signature::{Signature, SignatureArg, function_name};
pub use times::{Times, Timings};
