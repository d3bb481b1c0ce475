//! Names of tensors of a graph, as users and signatures write them: `x:0`, or `x` for its first
//! output.
//!
//! It must not know what a tensor is wanted for.

use tfjit_base::{Error, Result};

use crate::graph::Graph;
use crate::import::nodes::with_hint;
use crate::node::{Endpoint, NodeId};
use crate::suggest;

impl Graph {
    /// The output that `name` stands for.
    ///
    /// # Errors
    /// NOT_FOUND when there is no such node, with the nearest name; INVALID_ARGUMENT when the node
    /// has no such output or the name is malformed.
    pub fn find_tensor(&self, name: &str) -> Result<Endpoint> {
        let (node, output) = split(name)?;
        let id = self.find_node(node)?;
        let found = &self[id];
        let count = found.output_types.len();
        if found.def.is_some() && output as usize >= count {
            let e = format!("{node} is a {} node with {count} outputs, {name} is none", found.op);
            return Err(Error::invalid_argument(e));
        }
        Ok(Endpoint::new(id, output))
    }

    /// The node of this name.
    ///
    /// # Errors
    /// NOT_FOUND, with the nearest name.
    pub fn find_node(&self, name: &str) -> Result<NodeId> {
        self.find(name).ok_or_else(|| {
            let e = Error::not_found(format!("the graph has no node called {name:?}"));
            with_hint(e, suggest::hint(name, self.iter().map(|(_, n)| &*n.name)))
        })
    }
}

/// Node name and output number.
pub(crate) fn split(name: &str) -> Result<(&str, u32)> {
    let malformed = || Error::invalid_argument(format!("{name:?} is no name of a tensor"));
    let Some((node, number)) = name.rsplit_once(':') else {
        return if name.is_empty() { Err(malformed()) } else { Ok((name, 0)) };
    };
    if node.is_empty() || number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return Err(malformed().help("a tensor is written as node:output, such as x:0"));
    }
    Ok((node, number.parse().map_err(|_| malformed())?))
}
