//! The heart: the device compiler with its cache, and the launch kernels.
//!
//! A [`DeviceCompiler`] turns a function and what is known of its arguments into an executable,
//! once per signature. [`XlaLaunch`] is the kernel of a cluster: it locks the variables, compiles
//! if
//! needed, runs, and writes back. It holds a client behind its trait and must not know which one.
//!
//! Read first: [`DeviceCompiler`], [`XlaLaunch`], [`Signature`].

mod cache;
mod compiler;
mod kernel;
mod optimise;
mod profile;
mod signature;
mod times;

pub use cache::{Cache, CacheStats};
pub use compiler::{Compiled, CompilerOptions, DeviceCompiler, Observer, Outcome, program_text};
pub use kernel::XlaLaunch;
pub use optimise::optimise;
pub use profile::{Profiler, ProgramProfile, StepProfile, Stopwatch};
pub use signature::{Signature, SignatureArg, function_name};
pub use times::{Times, Timings};
