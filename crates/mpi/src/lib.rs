//! Groups whose members are processes: each is one rank of an MPI world.
//!
//! A member brings its operands to a collective by sending them to all other members, and does the
//! arithmetic for itself, in the order of the members; so results are those of a group in one
//! process, bit for bit. Without the feature `mpi` only the mailbox is there, which needs no MPI.
//! It must not know what collectives compute, nor how programs run.
//!
//! Read first: [`Mailbox`] (what has arrived), `MpiGroup` (how it does).

mod mailbox;
mod message;
#[cfg(feature = "mpi")]
mod world;

pub use mailbox::{Mailbox, Outbox, ProcessGroup};
pub use message::{Body, Message};
#[cfg(feature = "mpi")]
pub use world::MpiGroup;
