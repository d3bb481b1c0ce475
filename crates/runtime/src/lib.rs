//! What a launch stands on: variables with ordered locks, the resource manager, the executor, the
//! rendezvous, and the kernels of nodes that stay on the host.
//!
//! It must not know how a cluster is compiled: launch kernels come in through [`Kernel`].
//!
//! Read first: [`Program`], [`Kernel`], [`ResourceManager`].

mod device;
mod executor;
mod host;
mod objects;
mod rendezvous;
mod resource;
mod sync;
mod writes;

pub use device::{DeviceName, RendezvousKey};
pub use executor::{
    CallFunction, Flow, Kernel, Object, Program, Slot, Step, StepContext, StepState, Value,
};
pub use host::{
    HostRow, call_kernel, dereference_kernel, flow_of, host_kernel, host_row, host_table,
};
pub use objects::Objects;
pub use rendezvous::{Rendezvous, Sent, Ticket};
pub use resource::{LockPlan, Locked, ResourceManager, Variable, VariableState};
pub use writes::Writes;
