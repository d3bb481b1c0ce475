//! Builds the functions of clusters and the order in which clusters and host nodes run.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::smallvec;
use tfjit_base::ids::Id;
use tfjit_base::{Error, PartialShape, Result};
use tfjit_model::{
    AttrValue, Attrs, Endpoint, Function, FunctionLibrary, Graph, Node, NodeId, Param, ResultDef,
    TfType, optable,
};

use crate::place::{Options, Place, Placement, place};

/// A function taken apart into clusters and host nodes.
#[derive(Clone, Debug)]
pub struct Clustered {
    /// One entry per node of the function, by id.
    pub placements: Vec<Placement>,
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// What runs, in order.
    pub items: Vec<Item>,
}

/// One step of a clustered function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// Launch the cluster of this number.
    Launch(usize),
    /// Run this node on the host.
    Host(NodeId),
}

/// Nodes that are compiled together: what becomes the `function` of an `XlaLaunch` node.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The cluster's function; its parameters are `inputs`, its results `outputs`.
    pub function: Arc<Function>,
    /// What it reads, in the function around it.
    pub inputs: Vec<Endpoint>,
    /// What others read of it, in the function around it.
    pub outputs: Vec<Endpoint>,
    /// Positions in `inputs` that must be known while compiling.
    pub constants: Vec<usize>,
    /// Positions in `inputs` that are variables.
    pub resources: Vec<usize>,
    /// Number of nodes.
    pub nodes: usize,
}

/// Takes `function` apart.
///
/// # Errors
/// INTERNAL when the function's graph is not sound, which reading rules out.
pub fn cluster(
    library: &FunctionLibrary,
    function: &Function,
    options: Options,
) -> Result<Clustered> {
    let (placements, order) = place(library, function, options);
    let place_of = |id: NodeId| placements[id.index()].place;
    let mut members: Vec<Vec<NodeId>> = Vec::new();
    for &id in &order {
        if let Place::Cluster(number) = place_of(id) {
            if members.len() <= number {
                members.resize(number + 1, Vec::new());
            }
            members[number].push(id);
        }
    }
    let read = read_outside(function, &placements, &order);
    let mut clusters = Vec::with_capacity(members.len());
    for (number, nodes) in members.iter().enumerate() {
        let name = match members.len() {
            1 => format!("{}", function.name),
            _ => format!("{}/cluster_{number}", function.name),
        };
        clusters.push(build(library, function, &name, nodes, &read)?);
    }
    let items = schedule(function, &placements, &order, &members);
    Ok(Clustered { placements, clusters, items })
}

/// Outputs of cluster nodes that are read from outside their cluster, or are results.
fn read_outside(
    function: &Function,
    placements: &[Placement],
    order: &[NodeId],
) -> FxHashMap<NodeId, Vec<u32>> {
    let place_of = |id: NodeId| placements[id.index()].place;
    let mut read: FxHashMap<NodeId, Vec<u32>> = FxHashMap::default();
    let mut mark = |e: Endpoint| {
        let list = read.entry(e.node).or_default();
        if !list.contains(&e.output) {
            list.push(e.output);
        }
    };
    for &id in order {
        let Some(node) = function.graph.get(id) else { continue };
        for &input in &node.inputs {
            if place_of(input.node) != place_of(id) {
                mark(input);
            }
        }
    }
    for result in &function.results {
        mark(result.endpoint);
    }
    read
}

/// The order of launches and host nodes: a cluster runs when its last outside input is there.
/// Levels make that possible; host nodes come when their own inputs are there.
fn schedule(
    function: &Function,
    placements: &[Placement],
    order: &[NodeId],
    members: &[Vec<NodeId>],
) -> Vec<Item> {
    // Number of things each item waits for, by a walk over its members' outside predecessors.
    let item_of = |id: NodeId| match placements[id.index()].place {
        Place::Cluster(number) => Some(Item::Launch(number)),
        Place::Host => Some(Item::Host(id)),
        Place::Argument | Place::Unused => None,
    };
    let mut items = Vec::new();
    let mut done: FxHashMap<NodeId, bool> = FxHashMap::default();
    let mut launched = vec![false; members.len()];
    // Depth-first over items with an explicit stack.
    let mut stack: Vec<Item> = Vec::new();
    for &root in order {
        stack.extend(item_of(root));
        while let Some(&item) = stack.last() {
            let nodes: &[NodeId] = match &item {
                Item::Launch(number) => &members[*number],
                Item::Host(id) => std::slice::from_ref(id),
            };
            let finished = match item {
                Item::Launch(number) => launched[number],
                Item::Host(id) => done.contains_key(&id),
            };
            if finished {
                stack.pop();
                continue;
            }
            let waiting = nodes.iter().find_map(|&id| {
                let node = function.graph.get(id)?;
                let forward = node.predecessors().filter(|&p| !starts_iteration(function, p));
                forward.filter_map(item_of).find(|&before| {
                    before != item
                        && match before {
                            Item::Launch(number) => !launched[number],
                            Item::Host(id) => !done.contains_key(&id),
                        }
                })
            });
            match waiting {
                Some(before) => stack.push(before),
                None => {
                    match item {
                        Item::Launch(number) => launched[number] = true,
                        Item::Host(id) => drop(done.insert(id, true)),
                    }
                    items.push(item);
                    stack.pop();
                }
            }
        }
    }
    items
}

/// Whether edges out of a node lead back to the start of a loop of TensorFlow 1.
fn starts_iteration(function: &Function, id: NodeId) -> bool {
    let node = function.graph.get(id);
    node.is_some_and(|n| matches!(&*n.op, "NextIteration" | "RefNextIteration"))
}

/// The function of one cluster.
fn build(
    library: &FunctionLibrary,
    outer: &Function,
    name: &str,
    nodes: &[NodeId],
    read: &FxHashMap<NodeId, Vec<u32>>,
) -> Result<Cluster> {
    let mut b = Builder { outer, graph: Graph::new(), map: FxHashMap::default(), params: vec![] };
    let mut inputs = Vec::new();
    let inside: FxHashMap<NodeId, ()> = nodes.iter().map(|&id| (id, ())).collect();
    for &id in nodes {
        let Some(node) = outer.graph.get(id) else { continue };
        for &input in &node.inputs {
            if !inside.contains_key(&input.node) && !b.map.contains_key(&input) {
                b.argument(input)?;
                inputs.push(input);
            }
        }
    }
    let mut copies: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    for &id in nodes {
        let Some(node) = outer.graph.get(id) else { continue };
        let mut copy = node.clone();
        copy.inputs = node
            .inputs
            .iter()
            .map(|&e| match copies.get(&e.node) {
                Some(&inner) => Ok(Endpoint::new(inner, e.output)),
                None => b.map.get(&e).copied().ok_or_else(|| {
                    Error::internal("a cluster's node reads something unknown").at(&*node.name)
                }),
            })
            .collect::<Result<_>>()?;
        copy.control_inputs =
            node.control_inputs.iter().filter_map(|c| copies.get(c).copied()).collect();
        copies.insert(id, b.graph.add(copy)?);
    }
    let (outputs, results) = results(outer, nodes, read, &copies);
    let resources: Vec<usize> = b
        .params
        .iter()
        .enumerate()
        .filter(|(_, p)| p.tftype == TfType::DtResource || tfjit_model::tftype::is_ref(p.tftype))
        .map(|(i, _)| i)
        .collect();
    // Needed nodes all have an effect on the results or are effects: keep every one alive.
    let control_results = nodes.iter().map(|id| copies[id]).collect();
    let function = Function {
        name: name.into(),
        params: b.params,
        results,
        control_results,
        graph: b.graph,
        attrs: outer.attrs.clone(),
        stateful: outer.stateful,
    };
    let must = tfjit_bridge::const_args(library, &function);
    let constants = (0..must.len()).filter(|&i| must[i] && !resources.contains(&i)).collect();
    let function = Arc::new(function);
    Ok(Cluster { function, inputs, outputs, constants, resources, nodes: nodes.len() })
}

/// What others read of a cluster: endpoints outside, and results of the cluster's function.
fn results(
    outer: &Function,
    nodes: &[NodeId],
    read: &FxHashMap<NodeId, Vec<u32>>,
    copies: &FxHashMap<NodeId, NodeId>,
) -> (Vec<Endpoint>, Vec<ResultDef>) {
    let mut outputs = Vec::new();
    let mut results = Vec::new();
    for &id in nodes {
        for &output in read.get(&id).into_iter().flatten() {
            let endpoint = Endpoint::new(id, output);
            let inner = Endpoint::new(copies[&id], output);
            let tftype = outer.graph.output_type(endpoint).unwrap_or(TfType::DtInvalid);
            outputs.push(endpoint);
            results.push(ResultDef {
                name: outer.graph.endpoint_name(endpoint).into(),
                tftype,
                shape: PartialShape::unknown(),
                endpoint: inner,
            });
        }
    }
    (outputs, results)
}

struct Builder<'f> {
    outer: &'f Function,
    graph: Graph,
    map: FxHashMap<Endpoint, Endpoint>,
    params: Vec<Param>,
}

impl Builder<'_> {
    /// Makes a parameter for something outside.
    fn argument(&mut self, outside: Endpoint) -> Result<()> {
        let index = self.params.len();
        let known = self.outer.params.iter().find(|p| p.node == outside.node);
        let tftype = self.outer.graph.output_type(outside).unwrap_or(TfType::DtInvalid);
        let label = self.outer.graph.endpoint_name(outside);
        // The position in front keeps the name apart from every copied node's name.
        let name: Arc<str> = format!("arg{index}:{label}").into();
        let attrs = Attrs::new()
            .with("T", AttrValue::Type(tftype))
            .with("index", AttrValue::Int(index as i64));
        let node = self.graph.add(Node {
            name: Arc::clone(&name),
            op: "_Arg".into(),
            device: "".into(),
            inputs: Vec::new(),
            control_inputs: Vec::new(),
            attrs,
            output_types: smallvec![tftype],
            def: optable::find("_Arg"),
        })?;
        self.params.push(Param {
            name: label.into(),
            tftype,
            shape: known.map_or_else(PartialShape::unknown, |p| p.shape.clone()),
            attrs: Attrs::new(),
            handle: known.map_or_else(Vec::new, |p| p.handle.clone()),
            node,
        });
        self.map.insert(outside, Endpoint::new(node, 0));
        Ok(())
    }
}
