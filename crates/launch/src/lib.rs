//! The heart: the device compiler with its cache, and the launch kernels.
//!
//! A [`DeviceCompiler`] turns a function and what is known of its arguments into an executable,
//! once per signature. [`XlaLaunch`] is the kernel of a cluster: it locks the variables, compiles
//! if needed, runs, and writes back. `_XlaCompile` and `_XlaRun` do the same in two steps, with a
//! fallback between them. All hold clients behind their trait and must not know which ones.
//!
//! Read first: [`DeviceCompiler`], [`XlaLaunch`], [`Signature`].

mod args;
mod assemble;
mod cache;
mod closure;
mod cluster_kernel;
mod clustering_report;
mod collective;
mod collective_group;
mod collective_kernels;
mod collective_round;
mod compilation_profiler;
mod compiler;
pub mod flags;
pub mod listener;
pub mod metrics;
pub mod ops;
mod optimise;
pub mod persist;
mod platform;
mod profile;
mod signature;
mod single_op;
mod string_move;
pub mod switch;
mod sync;
mod times;
pub mod trace;
mod transfer;
mod transfer_kernels;
mod values;

pub use args::{Cluster, DevicePlace};
pub use assemble::{Assembled, Environment, assemble, runs_on_host};
pub use cache::{Cache, CacheBounds, CacheStats, CacheValue, CompileState, Store};
pub use closure::{ClosureStore, ExecutableClosure};
pub use collective::{
    CollectiveExecutor, CollectiveInfo, CollectivePool, Joined, RunId, join_collective,
};
pub use collective_group::{Group, GroupOptions};
pub use collective_kernels::collective_kernel;
pub use compilation_profiler::{
    ClusterStatistics, CompilationProfiler, DeviceCompilationProfiler, FunctionStatistics,
    ONGOING_ASYNC_MAX,
};
pub use compiler::{
    Background, CompilationResult, CompileMode, Compiled, CompilerOptions, DeviceCompiler,
    Observer, Ready, Request, build_options, program_text,
};
pub use ops::{CompilePolicy, XlaCompile, XlaCompileOnDemand, XlaLaunch, XlaRun};
pub use optimise::optimise;
pub use platform::{DeviceApi, Family, OpFamily, PlatformInfo, visible_devices};
pub use profile::{Profiler, ProgramProfile, StepProfile, Stopwatch};
pub use signature::{Signature, SignatureArg, function_name};
pub use single_op::{constant_inputs, single_op_function};
pub use times::{Times, Timings};
pub use transfer::RendezvousTransfers;
pub use transfer_kernels::{to_device_name, to_host_name, transfer_kernel};
