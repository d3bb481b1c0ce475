//! Why a node stays on the host.

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_base::ids::Id;
use tfjit_base::limits;
use tfjit_bridge::row_of;
use tfjit_model::{Function, FunctionLibrary, Node, NodeId, TfType};

use crate::Options;
use crate::deadness::is_control_flow;

/// Ops that only hand out a handle; they run on the host and split nothing.
const HANDLES: &[&str] = &["VarHandleOp", "VariableV2", "Variable"];

/// Compiled ops that take strings, as texts of errors.
const TAKE_STRINGS: &[&str] = &["Assert"];

/// Finds the reasons of all nodes of a function.
pub(crate) struct Reasons<'l> {
    library: &'l FunctionLibrary,
    options: Options,
    /// Functions and whether strings flow in them.
    strings: FxHashMap<String, bool>,
}

impl<'l> Reasons<'l> {
    pub(crate) fn new(library: &'l FunctionLibrary, options: Options) -> Reasons<'l> {
        Reasons { library, options, strings: FxHashMap::default() }
    }

    /// For each node, by id: why it can't be compiled; `None` when it can.
    pub(crate) fn of_nodes(mut self, function: &Function, order: &[NodeId]) -> Vec<Option<String>> {
        let flowing = flowing_strings(function, order);
        let mut reasons = vec![None; function.graph.len()];
        for &id in order {
            if let Some(node) = function.graph.get(id) {
                reasons[id.index()] = self.of_node(node, flowing.contains(&id));
            }
        }
        reasons
    }

    fn of_node(&mut self, node: &Node, strings: bool) -> Option<String> {
        if HANDLES.contains(&&*node.op) {
            return Some("hands out a handle".into());
        }
        if node.op.starts_with("Collective") {
            // Each device's has to wait for the others', which one cluster could not.
            return Some("collectives meet on the host".into());
        }
        if is_control_flow(&node.op) {
            return Some("control flow of TensorFlow 1, which the executor does".into());
        }
        let callees = node.callees(self.library);
        if !self.options.calls && !callees.is_empty() {
            return Some("its functions run on their own".into());
        }
        let blockers = tfjit_bridge::blockers(self.library, node);
        let blocker = blockers.into_iter().next().map(|e| match e.node() {
            Some(place) if place != &*node.name => format!("{} (in {place})", e.message()),
            _ => e.message().to_owned(),
        });
        if blocker.is_some() {
            return blocker;
        }
        if strings {
            return Some("strings stay on the host".into());
        }
        let library = self.library;
        let mut callees = callees.into_iter().filter_map(|name| library.get(name));
        let with_strings = callees.find(|f| self.function_has_strings(f, 0));
        with_strings.map(|f| format!("strings stay on the host (in {})", f.name))
    }

    fn function_has_strings(&mut self, function: &Function, depth: usize) -> bool {
        if let Some(&known) = self.strings.get(&*function.name) {
            return known;
        }
        let graph = &function.graph;
        let needed = graph.reachable(function.roots(), |_| false);
        let order: Vec<NodeId> = graph.ids().filter(|id| needed[id.index()]).collect();
        let mut found = !flowing_strings(function, &order).is_empty();
        for &id in &order {
            if found || depth >= limits::CALL_DEPTH_MAX {
                break;
            }
            let callees = graph.get(id).map_or_else(Vec::new, |node| node.callees(self.library));
            for callee in callees.into_iter().filter_map(|name| self.library.get(name)) {
                found |= self.function_has_strings(callee, depth + 1);
            }
        }
        self.strings.insert(function.name.to_string(), found);
        found
    }
}

/// Nodes whose inputs or outputs are strings, but for texts of errors.
fn flowing_strings(function: &Function, order: &[NodeId]) -> FxHashSet<NodeId> {
    let graph = &function.graph;
    let mut flowing = FxHashSet::default();
    for result in function.results.iter().filter(|r| r.tftype == TfType::DtString) {
        flowing.insert(result.endpoint.node);
    }
    for &id in order {
        let Some(node) = graph.get(id) else { continue };
        if TAKE_STRINGS.contains(&&*node.op) {
            continue;
        }
        if node.output_types.contains(&TfType::DtString) && &*node.op != "Const" {
            flowing.insert(id);
        }
        for input in &node.inputs {
            if graph.output_type(*input) == Some(TfType::DtString) {
                flowing.insert(id);
                flowing.insert(input.node);
            }
        }
    }
    // Calls are asked about their functions, which may only hand such texts on to an assertion.
    flowing
        .retain(|id| graph.get(*id).is_some_and(|n| row_of(&n.op).is_some() && &*n.op != "_Arg"));
    flowing
}
