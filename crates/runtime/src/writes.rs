//! Which variables a function may write, found without running it.
//!
//! Handles are followed from the nodes that make them through identities, switches and calls to
//! the ops that use them. An op that is given a handle and is not known to only read counts as a
//! writer. Where a handle cannot be followed, everything counts as written: the answer may be too
//! large, never too small. It must not know what is done with the answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_base::limits;
use tfjit_model::{Endpoint, Function, FunctionLibrary, Graph, Node, TfType, tftype};

use crate::host::{is_variable, variable_identity};

/// The variables that a function may write.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Writes {
    /// Whether it may be any variable at all.
    pub any: bool,
    /// Container and name of each.
    pub variables: BTreeSet<(String, String)>,
}

impl Writes {
    /// Whether the variable may be written.
    pub fn contains(&self, container: &str, name: &str) -> bool {
        self.any || self.variables.contains(&(container.to_owned(), name.to_owned()))
    }

    /// The variables that `function` may write, in itself and in what it calls.
    pub fn of(library: &FunctionLibrary, function: &Function) -> Writes {
        let mut analysis = Analysis { library, done: FxHashMap::default() };
        let summary = analysis.function(function, 0);
        let Handles { any, args, variables } = summary.written.clone();
        Writes { any: any || !args.is_empty(), variables }
    }
}

/// Ops that look at a resource and leave it as it is.
const READERS: &[&str] = &[
    "DisableCopyOnRead",
    "IsVariableInitialized",
    "ReadVariableOp",
    "ResourceGather",
    "ResourceGatherNd",
    "VarIsInitializedOp",
    "VariableShape",
    "_ReadVariablesOp",
];

/// Ops that hand their inputs on.
const PASSERS: &[&str] = &[
    "Enter",
    "Exit",
    "Identity",
    "IdentityN",
    "LoopCond",
    "Merge",
    "NoOp",
    "RefEnter",
    "RefExit",
    "RefIdentity",
    "RefMerge",
    "RefSelect",
    "RefSwitch",
    "Switch",
];

/// Ops whose functions take the node's inputs from this position on, in order.
const CALLS: &[(&str, usize)] = &[
    ("Case", 1),
    ("If", 1),
    ("PartitionedCall", 0),
    ("RemoteCall", 1),
    ("StatefulPartitionedCall", 0),
    ("StatelessCase", 1),
    ("StatelessIf", 1),
    ("StatelessWhile", 0),
    ("While", 0),
];

/// Where a handle may come from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Handles {
    /// Anywhere.
    any: bool,
    /// These arguments of the function.
    args: BTreeSet<usize>,
    /// The handles of these variables.
    variables: BTreeSet<(String, String)>,
}

impl Handles {
    fn anything() -> Handles {
        Handles { any: true, ..Handles::default() }
    }

    fn add(&mut self, other: &Handles) {
        self.any |= other.any;
        self.args.extend(&other.args);
        self.variables.extend(other.variables.iter().cloned());
    }

    /// Handles of a callee, with its arguments replaced by what the caller passed.
    fn called_with(&self, args: &[Handles]) -> Handles {
        let variables = self.variables.clone();
        let mut out = Handles { any: self.any, args: BTreeSet::new(), variables };
        for &arg in &self.args {
            match args.get(arg) {
                Some(handles) => out.add(handles),
                None => out.any = true,
            }
        }
        out
    }
}

/// What a function does with handles.
struct Summary {
    written: Handles,
    results: Vec<Handles>,
}

impl Summary {
    /// Of a function that is not looked at.
    fn unknown() -> Summary {
        Summary { written: Handles::anything(), results: Vec::new() }
    }
}

struct Analysis<'l> {
    library: &'l FunctionLibrary,
    done: FxHashMap<String, Arc<Summary>>,
}

type Values = FxHashMap<Endpoint, Handles>;

impl Analysis<'_> {
    fn function(&mut self, function: &Function, depth: usize) -> Arc<Summary> {
        if let Some(known) = self.done.get(&*function.name) {
            return Arc::clone(known);
        }
        if depth >= limits::CALL_DEPTH_MAX {
            return Arc::new(Summary::unknown());
        }
        let summary = Arc::new(self.walk(function, depth));
        self.done.insert(function.name.to_string(), Arc::clone(&summary));
        summary
    }

    fn walk(&mut self, function: &Function, depth: usize) -> Summary {
        let graph = &function.graph;
        let Ok(order) = graph.topological_order() else { return Summary::unknown() };
        let needed = graph.reachable(function.roots(), |_| false);
        let mut values = Values::default();
        let mut written = Handles::default();
        for (i, param) in function.params.iter().enumerate() {
            let endpoint = Endpoint::new(param.node, 0);
            if is_handle(param.tftype) {
                let args = BTreeSet::from([i]);
                values.insert(endpoint, Handles { args, ..Handles::default() });
            }
        }
        for id in order.into_iter().filter(|id| needed[id.index()]) {
            let Some(node) = graph.get(id) else { continue };
            if &*node.op == "_Arg" {
                continue;
            }
            for (output, handles) in self.node(graph, node, &values, &mut written, depth) {
                values.insert(Endpoint::new(id, output), handles);
            }
        }
        let results = function.results.iter();
        let results = results.map(|r| values.get(&r.endpoint).cloned().unwrap_or_default());
        Summary { written, results: results.collect() }
    }

    /// Adds what the node writes; returns the handles among its outputs.
    fn node(
        &mut self,
        graph: &Graph,
        node: &Node,
        values: &Values,
        written: &mut Handles,
        depth: usize,
    ) -> Vec<(u32, Handles)> {
        if is_variable(node) {
            let variables = BTreeSet::from([variable_identity(node)]);
            return vec![(0, Handles { variables, ..Handles::default() })];
        }
        // Plain tensors have no handles.
        let inputs: Vec<Handles> =
            node.inputs.iter().map(|e| values.get(e).cloned().unwrap_or_default()).collect();
        let mut all = Handles::default();
        inputs.iter().for_each(|handles| all.add(handles));
        if !node.callees(self.library).is_empty() {
            return self.call(node, &inputs, &all, written, depth);
        }
        if node.op.ends_with("NextIteration") && all != Handles::default() {
            // What it hands on is read by nodes that came earlier.
            written.any = true;
        }
        for (i, handles) in inputs.iter().enumerate() {
            let tftype = graph.output_type(node.inputs[i]).unwrap_or(TfType::DtInvalid);
            if writes_input(node, i, tftype) {
                written.add(handles);
            }
        }
        outputs(node).map(|i| (i, all.clone())).collect()
    }

    fn call(
        &mut self,
        node: &Node,
        inputs: &[Handles],
        all: &Handles,
        written: &mut Handles,
        depth: usize,
    ) -> Vec<(u32, Handles)> {
        let by_name = self.library.get(&node.op).map(|_| 0);
        let known = CALLS.iter().find(|(op, _)| *op == &*node.op).map(|(_, first)| *first);
        let Some(first) = by_name.or(known) else {
            // Functions of datasets and the like: what they are given is their own affair.
            let mut callees = Handles::default();
            for callee in self.summaries(node, depth) {
                callees.any |= callee.written.any;
                callees.variables.extend(callee.written.variables.iter().cloned());
            }
            written.add(&callees);
            written.add(all);
            return outputs(node).map(|i| (i, Handles::anything())).collect();
        };
        let mut args = inputs.get(first..).unwrap_or_default().to_vec();
        let callees = self.summaries(node, depth);
        let is_loop = node.op.ends_with("While");
        if is_loop {
            // A loop may hand its handles around.
            let around = callees.iter().any(|c| {
                c.results.iter().enumerate().any(|(i, handles)| {
                    let same = Handles { args: BTreeSet::from([i]), ..Handles::default() };
                    *handles != Handles::default() && *handles != same
                })
            });
            if around {
                args = vec![Handles::anything(); args.len()];
            }
        }
        let mut results: FxHashMap<u32, Handles> = FxHashMap::default();
        for callee in &callees {
            written.add(&callee.written.called_with(&args));
            for i in outputs(node) {
                let into = results.entry(i).or_default();
                match callee.results.get(i as usize) {
                    Some(handles) => into.add(&handles.called_with(&args)),
                    None => into.any = true,
                }
            }
        }
        outputs(node).map(|i| (i, results.remove(&i).unwrap_or_default())).collect()
    }

    fn summaries(&mut self, node: &Node, depth: usize) -> Vec<Arc<Summary>> {
        let names = node.callees(self.library).into_iter();
        names
            .map(|name| match self.library.get(name) {
                Some(function) => self.function(&Arc::clone(function), depth + 1),
                None => Arc::new(Summary::unknown()),
            })
            .collect()
    }
}

fn is_handle(tftype: TfType) -> bool {
    tftype == TfType::DtResource || tftype::is_ref(tftype)
}

/// Outputs that are handles.
fn outputs(node: &Node) -> impl Iterator<Item = u32> + '_ {
    let types = node.output_types.iter().enumerate();
    types.filter(|(_, tftype)| is_handle(**tftype)).map(|(i, _)| i as u32)
}

/// Whether a node may write what its input `i`, of this type, is a handle of.
fn writes_input(node: &Node, i: usize, tftype: TfType) -> bool {
    if READERS.contains(&&*node.op) || PASSERS.contains(&&*node.op) || !is_handle(tftype) {
        return false;
    }
    if node.op.ends_with("NextIteration") || tftype == TfType::DtResource {
        return true;
    }
    // A reference that the op takes as a value is only read.
    let Some(def) = &node.def else { return true };
    let mut end = 0;
    for arg in &def.inputs {
        let Some(count) = arg.count(&node.attrs) else { return true };
        end += count;
        if i < end {
            return arg.is_ref;
        }
    }
    true
}
