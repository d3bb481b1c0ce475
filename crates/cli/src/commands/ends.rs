//! Where a graph without signatures begins and ends: placeholders are inputs, and what nobody
//! reads is an output.

use tfjit_model::{Model, Node};

/// The graph's inputs, as `x:0`.
pub(super) fn inputs(model: &Model) -> Vec<String> {
    let nodes = model.graph.iter().map(|(_, node)| node);
    nodes.filter(|node| is_input(node)).map(|node| format!("{}:0", node.name)).collect()
}

/// The graph's outputs, as `y:0`.
pub(super) fn outputs(model: &Model) -> Vec<String> {
    let consumers = model.graph.consumers();
    let mut out = Vec::new();
    for ((_, node), readers) in model.graph.iter().zip(&consumers) {
        if readers.is_empty() && !is_input(node) && !NO_RESULT.contains(&&*node.op) {
            out.extend((0..node.output_types.len()).map(|i| format!("{}:{i}", node.name)));
        }
    }
    out
}

/// Ops whose outputs are no result even when nobody reads them: what a freezer left behind.
const NO_RESULT: &[&str] = &["Const", "VarHandleOp", "VariableV2", "RestoreV2", "SaveV2"];

fn is_input(node: &Node) -> bool {
    matches!(&*node.op, "Placeholder" | "PlaceholderV2" | "PlaceholderWithDefault")
}
