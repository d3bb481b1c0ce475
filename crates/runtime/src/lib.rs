//! What a launch stands on: variables with ordered locks, the resource manager, the executor of
//! straight graphs, and the kernels of nodes that stay on the host.
//!
//! It must not know how a cluster is compiled: launch kernels come in through [`Kernel`].
//!
//! Read first: [`Program`], [`Kernel`], [`ResourceManager`].

mod executor;
mod host;
mod resource;
mod writes;

pub use executor::{Kernel, Program, Slot, Step, StepContext, Value};
pub use host::{HostRow, host_kernel, host_table};
pub use resource::{LockPlan, Locked, ResourceManager, Variable, VariableState};
pub use writes::Writes;
