//! The text of a clustered function: what runs, and for each node where and why.

use std::fmt::Write;

use tfjit_base::ids::Id;
use tfjit_model::Function;

use crate::{Clustered, Item};

impl Clustered {
    /// One line per launch and host node, then one per node of `function`, the function that was
    /// taken apart.
    pub fn explain(&self, function: &Function) -> String {
        let mut text = String::new();
        for item in &self.items {
            // Writing to a string can't fail.
            let _ = match item {
                Item::Launch(number) => {
                    let c = &self.clusters[*number];
                    writeln!(
                        text,
                        "launch cluster {number}: {} nodes, {} inputs ({} constants, {} \
                         variables), {} outputs",
                        c.nodes,
                        c.inputs.len(),
                        c.constants.len(),
                        c.resources.len(),
                        c.outputs.len()
                    )
                }
                Item::Host(id) => match function.graph.get(*id) {
                    Some(node) => writeln!(text, "host {} = {}", node.name, node.op),
                    None => Ok(()),
                },
            };
        }
        for (id, node) in function.graph.iter() {
            let placement = &self.placements[id.index()];
            let _ = writeln!(text, "  {} = {}: {placement}", node.name, node.op);
        }
        text
    }
}
