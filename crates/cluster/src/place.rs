//! Where each node goes, with a reason.

use std::fmt;

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_bridge::row_of;
use tfjit_model::{Endpoint, Function, FunctionLibrary, NodeId, TfType};

use crate::deadness::{Life, Pred, lives};
use crate::reasons::Reasons;

/// How to cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Off makes every compiled node a cluster of its own.
    pub clusters: bool,
    /// Off leaves all function calls to the host, which runs the functions as programs of their
    /// own.
    pub calls: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { clusters: true, calls: true }
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

/// Places for all nodes, in the order of their ids, and the needed ones in topological order.
///
/// Nodes are compiled together only if they are alive together and in one frame. Lists of tensors
/// do not leave a cluster: what handles one that would is on the host.
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
    let mut reasons = Reasons::new(library, options).of_nodes(function, &order);
    let lives = lives(function, &order);
    loop {
        let places = assign(function, &order, options, &reasons, lives.as_deref());
        let crossing = lists_that_cross(function, &order, &places);
        if crossing.is_empty() {
            return (places, order);
        }
        for id in crossing {
            reasons[id.index()] = Some("its list is used outside the cluster too".to_owned());
        }
    }
}

/// Places, given why each node that can't be compiled cannot.
fn assign(
    function: &Function,
    order: &[NodeId],
    options: Options,
    reasons: &[Option<String>],
    lives: Option<&[Life]>,
) -> Vec<Placement> {
    let graph = &function.graph;
    let mut levels = vec![-1i64; graph.len()];
    let unused = Placement { place: Place::Unused, reason: "no result needs it".into() };
    let mut places = vec![unused; graph.len()];
    let mut clusters: FxHashMap<(i64, Pred, u32), usize> = FxHashMap::default();
    for param in &function.params {
        let reason = format!("parameter {}", param.name);
        places[param.node.index()] = Placement { place: Place::Argument, reason };
    }
    for &id in order {
        let Some(node) = graph.get(id) else { continue };
        if places[id.index()].place == Place::Argument {
            continue;
        }
        let below = node.predecessors().map(|p| levels[p.index()]).max().unwrap_or(-1);
        let host = &reasons[id.index()];
        let level = match host {
            Some(_) => below + i64::from(below % 2 == 0),
            None => (below + i64::from(below % 2 != 0)).max(0),
        };
        levels[id.index()] = level;
        places[id.index()] = match host {
            Some(reason) => Placement { place: Place::Host, reason: reason.clone() },
            None => {
                let (pred, frame) = match lives {
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
    places
}

/// Compiled nodes that handle a list of tensors which others handle outside their cluster.
fn lists_that_cross(function: &Function, order: &[NodeId], places: &[Placement]) -> Vec<NodeId> {
    let graph = &function.graph;
    let is_list = |e: &Endpoint| graph.output_type(*e) == Some(TfType::DtVariant);
    // Nodes that hand lists to each other, as trees that point to a root each.
    let mut up: Vec<usize> = (0..graph.len()).collect();
    fn root(up: &mut [usize], mut at: usize) -> usize {
        while up[at] != at {
            up[at] = up[up[at]];
            at = up[at];
        }
        at
    }
    let mut handlers: Vec<NodeId> = Vec::new();
    for &id in order {
        let Some(node) = graph.get(id) else { continue };
        let mut handles = node.output_types.contains(&TfType::DtVariant);
        for input in node.inputs.iter().filter(|e| is_list(e)) {
            handles = true;
            let (a, b) = (root(&mut up, id.index()), root(&mut up, input.node.index()));
            up[a] = b;
        }
        if handles {
            handlers.push(id);
        }
    }
    let mut homes: FxHashMap<usize, Option<Place>> = FxHashMap::default();
    for &id in &handlers {
        let place = places[id.index()].place;
        let home = homes.entry(root(&mut up, id.index())).or_insert(Some(place));
        if *home != Some(place) || place == Place::Argument {
            *home = None;
        }
    }
    for result in function.results.iter().filter(|r| r.tftype == TfType::DtVariant) {
        homes.insert(root(&mut up, result.endpoint.node.index()), None);
    }
    handlers.retain(|id| {
        let compiled = matches!(places[id.index()].place, Place::Cluster(_));
        compiled && homes.get(&root(&mut up, id.index())) == Some(&None)
    });
    handlers
}
