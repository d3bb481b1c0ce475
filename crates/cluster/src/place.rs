//! Where each node goes, with a reason.

use std::fmt;

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_bridge::row_of;
use tfjit_model::{Function, FunctionLibrary, Node, NodeId};

use crate::deadness::{Pred, is_control_flow, lives};

/// How to cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Off makes every compiled node a cluster of its own.
    pub clusters: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { clusters: true }
    }
}

/// Where a node runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A parameter of the function.
    Argument,
    /// Compiled, in the cluster of this number.
    Cluster(usize),
    /// On the host.
    Host,
    /// Nothing needs it.
    Unused,
}

/// A node's place and why it is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// Where.
    pub place: Place,
    /// Why, in a few words.
    pub reason: String,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Argument => f.write_str("argument")?,
            Place::Cluster(i) => write!(f, "cluster {i}")?,
            Place::Host => f.write_str("host")?,
            Place::Unused => f.write_str("unused")?,
        }
        write!(f, ": {}", self.reason)
    }
}

/// Ops that only hand out a handle; they run on the host and split nothing.
const HANDLES: &[&str] = &["VarHandleOp", "VariableV2", "Variable"];

/// Places for all nodes, in the order of their ids, and the needed ones in topological order.
///
/// Nodes are compiled together only if they are alive together and in one frame.
pub(crate) fn place(
    library: &FunctionLibrary,
    function: &Function,
    options: Options,
) -> (Vec<Placement>, Vec<NodeId>) {
    let graph = &function.graph;
    let needed = graph.reachable(function.roots(), |_| false);
    let order: Vec<NodeId> = graph
        .topological_order()
        .unwrap_or_default()
        .into_iter()
        .filter(|id| needed[id.index()])
        .collect();
    let lives = lives(function, &order);
    let mut levels = vec![-1i64; graph.len()];
    let unused = Placement { place: Place::Unused, reason: "no result needs it".into() };
    let mut places = vec![unused; graph.len()];
    let mut clusters: FxHashMap<(i64, Pred, u32), usize> = FxHashMap::default();
    for param in &function.params {
        let reason = format!("parameter {}", param.name);
        places[param.node.index()] = Placement { place: Place::Argument, reason };
    }
    for &id in &order {
        let Some(node) = graph.get(id) else { continue };
        if places[id.index()].place == Place::Argument {
            continue;
        }
        let below = node.predecessors().map(|p| levels[p.index()]).max().unwrap_or(-1);
        let host = host_reason(library, node);
        let level = match &host {
            Some(_) => below + i64::from(below % 2 == 0),
            None => (below + i64::from(below % 2 != 0)).max(0),
        };
        levels[id.index()] = level;
        places[id.index()] = match host {
            Some(reason) => Placement { place: Place::Host, reason },
            None => {
                let (pred, frame) = match &lives {
                    Some(lives) => (lives[id.index()].pred, lives[id.index()].frame),
                    None => (Pred::TRUE, 0),
                };
                let key = if options.clusters { level } else { id.index() as i64 };
                let next = clusters.len();
                let number = *clusters.entry((key, pred, frame)).or_insert(next);
                let mut reason = row_of(&node.op).map_or("function call", |r| r.doc).to_owned();
                if frame != 0 {
                    reason.push_str("; with others of its loop that are alive together");
                } else if pred != Pred::TRUE {
                    reason.push_str("; with others that are alive in the same case");
                }
                Placement { place: Place::Cluster(number), reason }
            }
        };
    }
    (places, order)
}

/// Why a node can't be compiled; `None` when it can.
fn host_reason(library: &FunctionLibrary, node: &Node) -> Option<String> {
    if HANDLES.contains(&&*node.op) {
        return Some("hands out a handle".into());
    }
    if is_control_flow(&node.op) {
        return Some("control flow of TensorFlow 1, which the executor does".into());
    }
    let blockers = tfjit_bridge::blockers(library, node);
    blockers.into_iter().next().map(|e| match e.node() {
        Some(place) if place != &*node.name => format!("{} (in {place})", e.message()),
        _ => e.message().to_owned(),
    })
}
