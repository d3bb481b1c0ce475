//! Clustering: which nodes of a function are compiled together, which stay on the host, and why.
//!
//! Nodes get a level: compiled ones even, host ones odd, never lower than what they depend on. All
//! compiled nodes of a level form one cluster, so clusters never depend on each other in a circle.
//! Where a graph has the control flow of TensorFlow 1, only nodes of one frame that are always
//! alive together form a cluster. Each cluster becomes a function of its own with a list of what it
//! reads and what others read.
//!
//! It must not know how a cluster is compiled or run.
//!
//! Read first: [`cluster`], [`Clustered`].

mod build;
mod deadness;
mod explain;
mod place;
mod reasons;

pub use build::{Cluster, Clustered, Item, cluster};
pub use place::{Options, Place, Placement};
