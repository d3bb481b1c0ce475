//! Which arguments of a function must be known while compiling: TensorFlow's backwards analysis.
//!
//! From the end to the start: a node that must be constant makes all its inputs constant, except
//! ops that look only at a shape; any other node makes those inputs constant that its row names, or
//! that the function it calls needs. Identities and calls are looked through.

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_model::{Function, FunctionLibrary, Node};

use crate::{calls, lower, row_of};

/// Ops whose result depends on shapes only.
const METADATA: &[&str] = &[
    "Shape",
    "ShapeN",
    "Rank",
    "Size",
    "TensorListLength",
    "TensorListElementShape",
    "VariableShape",
];

/// For each argument of `function`, whether it must be a compile-time constant.
pub fn const_args(library: &FunctionLibrary, function: &Function) -> Vec<bool> {
    Analysis { library, done: FxHashMap::default() }.function(function, 0)
}

struct Analysis<'l> {
    library: &'l FunctionLibrary,
    done: FxHashMap<String, Vec<bool>>,
}

impl Analysis<'_> {
    fn function(&mut self, function: &Function, depth: usize) -> Vec<bool> {
        if let Some(known) = self.done.get(&*function.name) {
            return known.clone();
        }
        let graph = &function.graph;
        let mut must = vec![false; graph.len()];
        // Recursion is refused at load; the depth bound only keeps a very deep chain off the stack.
        if depth < tfjit_base::limits::CALL_DEPTH_MAX {
            for id in lower::needed(function).into_iter().rev() {
                let Some(node) = graph.get(id) else { continue };
                for i in self.const_inputs(node, must[id.index()], depth) {
                    must[node.inputs[i].node.index()] = true;
                }
            }
        }
        let args: Vec<bool> = (0..function.params.len())
            .map(|i| function.param_node(i).is_some_and(|id| must[id.index()]))
            .collect();
        self.done.insert(function.name.to_string(), args.clone());
        args
    }

    /// Positions of the data inputs of `node` that must be constant.
    fn const_inputs(&mut self, node: &Node, must: bool, depth: usize) -> Vec<usize> {
        if must {
            let metadata = METADATA.contains(&&*node.op);
            return if metadata { Vec::new() } else { (0..node.inputs.len()).collect() };
        }
        let mut found = Vec::new();
        if let Some(row) = row_of(&node.op) {
            for name in row.consts {
                found.extend(node.input_span(name).unwrap_or(0..0));
            }
        }
        // The first inputs of these are predicates or branch numbers, not arguments.
        let skip = match &*node.op {
            "If" | "StatelessIf" | "Case" | "StatelessCase" => 1,
            _ => 0,
        };
        for callee in calls::callees(self.library, node) {
            let args = self.function(callee, depth + 1);
            let hits = args.iter().enumerate().filter(|(_, must)| **must).map(|(i, _)| i + skip);
            found.extend(hits.filter(|&i| i < node.inputs.len()));
        }
        found
    }
}
