//! The launch ops: their kernels, on which devices they are, and how nodes become kernels.
//!
//! It must not know the client behind the compilers, nor how a graph is executed.

mod compile;
mod factory;
mod launch;
mod on_demand;
mod recent;
pub mod registry;
mod run;
mod surroundings;

pub use compile::{CompilePolicy, XlaCompile};
pub use factory::{AutoJitPolicy, Env, is_launch_op, kernel};
pub use launch::XlaLaunch;
pub use on_demand::XlaCompileOnDemand;
pub use run::XlaRun;
