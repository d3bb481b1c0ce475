//! Graphs: nodes by id and by name, in the order of the file, and the orders to walk them in.
//!
//! It must not know functions or files. A graph is acyclic but for the loops of TensorFlow 1,
//! which go through `NextIteration` nodes; every walk here is iterative.

use std::collections::hash_map::Entry;
use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::ids::{Arena, Id};
use tfjit_base::{Error, Result};

use crate::TfType;
use crate::node::{Endpoint, Node, NodeId};

/// A graph of nodes.
#[derive(Clone, Default)]
pub struct Graph {
    nodes: Arena<NodeId, Node>,
    names: FxHashMap<Arc<str>, NodeId>,
}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Makes room for `more` nodes. It is for readers, which know how many come.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.names.reserve(more);
    }

    /// Adds a node. Its inputs may name nodes that come later.
    ///
    /// # Errors
    /// ALREADY_EXISTS when another node has its name.
    pub fn add(&mut self, node: Node) -> Result<NodeId> {
        let id = NodeId::new(self.nodes.len());
        match self.names.entry(node.name.clone()) {
            Entry::Occupied(_) => {
                let e = Error::already_exists("two nodes of one graph have the same name");
                return Err(e.at(&*node.name));
            }
            Entry::Vacant(place) => place.insert(id),
        };
        Ok(self.nodes.push(node))
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node, or `None` for an id of another graph.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)
    }

    /// The node to change. Its name must stay: [`Graph::find`] goes by it.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }

    /// The node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.names.get(name).copied()
    }

    /// Ids in the order of the file.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        self.nodes.ids()
    }

    /// Ids and nodes in the order of the file.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> + ExactSizeIterator {
        self.nodes.iter()
    }

    /// The type of an output; `None` past the end and for unknown ops.
    pub fn output_type(&self, endpoint: Endpoint) -> Option<TfType> {
        self.get(endpoint.node)?.output_type(endpoint.output)
    }

    /// `name:output` as the text of a graph names it.
    pub fn endpoint_name(&self, endpoint: Endpoint) -> String {
        match self.get(endpoint.node) {
            Some(node) => format!("{}:{}", node.name, endpoint.output),
            None => endpoint.to_string(),
        }
    }

    /// A name that no node has: `wanted`, or `wanted_1` and so on.
    pub fn unique_name(&self, wanted: &str) -> Arc<str> {
        if self.find(wanted).is_none() {
            return wanted.into();
        }
        // At most one try more than there are nodes.
        let mut number = 1;
        loop {
            let name = format!("{wanted}_{number}");
            if self.find(&name).is_none() {
                return name.into();
            }
            number += 1;
        }
    }

    /// Whether an edge out of this node may close a loop.
    fn starts_iteration(&self, id: NodeId) -> bool {
        matches!(&*self.nodes[id].op, "NextIteration" | "RefNextIteration")
    }

    /// Every node after its inputs and control inputs; edges out of `NextIteration` do not count.
    /// Among nodes that are free to go, the order of the file is kept.
    ///
    /// # Errors
    /// INVALID_ARGUMENT naming the nodes of a cycle.
    pub fn topological_order(&self) -> Result<Vec<NodeId>> {
        let n = self.nodes.len();
        // Depth-first with an explicit stack: a node is emitted when all its inputs are.
        let mut state = vec![Visit::New; n];
        let mut order = Vec::with_capacity(n);
        let mut stack: Vec<(NodeId, usize)> = Vec::new();
        for root in self.ids() {
            if state[root.index()] != Visit::New {
                continue;
            }
            state[root.index()] = Visit::Open;
            stack.push((root, 0));
            while let Some((id, next)) = stack.last_mut() {
                let id = *id;
                let Some(before) = self.nodes[id].predecessor(*next) else {
                    state[id.index()] = Visit::Done;
                    order.push(id);
                    stack.pop();
                    continue;
                };
                *next += 1;
                if self.nodes.get(before).is_none() || self.starts_iteration(before) {
                    continue;
                }
                match state[before.index()] {
                    Visit::Done => {}
                    Visit::New => {
                        state[before.index()] = Visit::Open;
                        stack.push((before, 0));
                    }
                    Visit::Open => return Err(self.cycle_error(&stack, before)),
                }
            }
        }
        Ok(order)
    }

    fn cycle_error(&self, stack: &[(NodeId, usize)], entry: NodeId) -> Error {
        const SHOWN: usize = 8;
        let from = stack.iter().position(|(id, _)| *id == entry).unwrap_or(0);
        let cycle = &stack[from..];
        let mut text = String::new();
        for (id, _) in cycle.iter().take(SHOWN) {
            text.push_str(&self.nodes[*id].name);
            text.push_str(" <- ");
        }
        if cycle.len() > SHOWN {
            text.push_str("... <- ");
        }
        text.push_str(&self.nodes[entry].name);
        Error::invalid_argument(format!("{} nodes form a cycle: {text}", cycle.len()))
            .at(&*self.nodes[entry].name)
            .help("only NextIteration may lead back to the start of a loop")
    }

    /// Marks the nodes that `roots` need, through data and control edges, including loops. Walks
    /// do not go past nodes for which `stop` says true.
    pub fn reachable(
        &self,
        roots: impl IntoIterator<Item = NodeId>,
        stop: impl Fn(NodeId) -> bool,
    ) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<NodeId> = Vec::new();
        for root in roots {
            if root.index() < seen.len() && !std::mem::replace(&mut seen[root.index()], true) {
                stack.push(root);
            }
        }
        while let Some(id) = stack.pop() {
            if stop(id) {
                continue;
            }
            for before in self.nodes[id].predecessors() {
                if before.index() < seen.len()
                    && !std::mem::replace(&mut seen[before.index()], true)
                {
                    stack.push(before);
                }
            }
        }
        seen
    }

    /// For every node, who reads its outputs: consumer and the position of the input.
    pub fn consumers(&self) -> Vec<Vec<(NodeId, u32)>> {
        let mut out = vec![Vec::new(); self.nodes.len()];
        for (id, node) in self.iter() {
            for (at, input) in node.inputs.iter().enumerate() {
                if let Some(list) = out.get_mut(input.node.index()) {
                    list.push((id, at as u32));
                }
            }
        }
        out
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

impl Node {
    /// The nodes of data inputs, then of control inputs.
    pub fn predecessors(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.inputs.iter().map(|e| e.node).chain(self.control_inputs.iter().copied())
    }

    fn predecessor(&self, at: usize) -> Option<NodeId> {
        match self.inputs.get(at) {
            Some(input) => Some(input.node),
            None => self.control_inputs.get(at - self.inputs.len()).copied(),
        }
    }
}

impl Index<NodeId> for Graph {
    type Output = Node;
    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }
}

/// One node a line: `n3 name = Op(n1:0, n2:1, ^n0) {attrs} -> float,int32`.
impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, node) in self.iter() {
            write!(f, "{id} {} = {}(", node.name, node.op)?;
            let data = node.inputs.iter().map(ToString::to_string);
            let control = node.control_inputs.iter().map(|c| format!("^{c}"));
            let inputs: Vec<String> = data.chain(control).collect();
            write!(f, "{}) {:?} ->", inputs.join(", "), node.attrs)?;
            for (i, t) in node.output_types.iter().enumerate() {
                let comma = if i > 0 { "," } else { " " };
                write!(f, "{comma}{}", crate::tftype::op_def_name(*t))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr::Attrs;

    fn node(name: &str, op: &str, inputs: &[u32], control: &[u32]) -> Node {
        Node {
            name: name.into(),
            op: op.into(),
            device: "".into(),
            inputs: inputs.iter().map(|&i| Endpoint::new(NodeId::new(i as usize), 0)).collect(),
            control_inputs: control.iter().map(|&i| NodeId::new(i as usize)).collect(),
            attrs: Attrs::new(),
            output_types: [TfType::DtFloat].into_iter().collect(),
            def: None,
        }
    }

    fn graph(nodes: &[(&str, &str, &[u32], &[u32])]) -> Graph {
        let mut g = Graph::new();
        for (name, op, inputs, control) in nodes {
            g.add(node(name, op, inputs, control)).unwrap();
        }
        g
    }

    #[test]
    fn order_follows_edges() {
        let g = graph(&[("a", "X", &[2], &[]), ("b", "X", &[], &[0]), ("c", "X", &[], &[])]);
        let order: Vec<String> =
            g.topological_order().unwrap().iter().map(|i| i.to_string()).collect();
        assert_eq!(order, ["n2", "n0", "n1"]);
        assert_eq!(g.consumers()[2], [(NodeId::new(0), 0)]);
        assert_eq!(g.reachable([NodeId::new(0)], |_| false), [true, false, true]);
    }

    #[test]
    fn cycles_are_errors_but_loops_are_not() {
        let bad = graph(&[("a", "X", &[1], &[]), ("b", "X", &[0], &[])]);
        let e = bad.topological_order().unwrap_err();
        assert!(e.message().contains("2 nodes form a cycle: a <- b <- a"), "{e}");
        let good = graph(&[("a", "Merge", &[1], &[]), ("b", "NextIteration", &[0], &[])]);
        assert_eq!(good.topological_order().unwrap().len(), 2);
    }

    #[test]
    fn long_chains_do_not_recurse() {
        let mut g = Graph::new();
        let n = 200_000;
        for i in 0..n {
            let inputs: &[u32] = if i + 1 < n { &[i + 1] } else { &[] };
            g.add(node(&format!("n{i}"), "X", inputs, &[])).unwrap();
        }
        assert_eq!(g.topological_order().unwrap().len(), n as usize);
    }

    #[test]
    fn names_are_unique() {
        let mut g = graph(&[("a", "X", &[], &[])]);
        assert!(g.add(node("a", "X", &[], &[])).is_err());
        assert_eq!(&*g.unique_name("a"), "a_1");
    }
}
