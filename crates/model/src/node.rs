//! Nodes and the edges between them.
//!
//! It must not know graphs: a node's inputs are ids, and only the graph can look them up.

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::define_ids;

use crate::attr::Attrs;
use crate::optable::OpDef;
use crate::{TfType, tftype};

define_ids! {
    /// A node of one graph.
    pub struct NodeId("n");
}

/// One output of one node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// The node.
    pub node: NodeId,
    /// The output's position, with list-valued outputs counted element by element.
    pub output: u32,
}

impl Endpoint {
    /// Output number `output` of `node`.
    pub fn new(node: NodeId, output: u32) -> Endpoint {
        Endpoint { node, output }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.node, self.output)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A node: one op (or function call) applied to outputs of other nodes.
#[derive(Clone, Debug)]
pub struct Node {
    /// The node's name, unique in its graph.
    pub name: Arc<str>,
    /// The op's name, or the name of a library function that is called as an op.
    pub op: Arc<str>,
    /// The requested device; empty if none.
    pub device: Arc<str>,
    /// Data inputs, with list-valued arguments expanded.
    pub inputs: Vec<Endpoint>,
    /// Nodes that must have run before.
    pub control_inputs: Vec<NodeId>,
    /// Attributes, with the op definition's defaults filled in.
    pub attrs: Attrs,
    /// The types of the outputs, with list-valued outputs expanded.
    pub output_types: SmallVec<[TfType; 2]>,
    /// The op's definition (a function's signature, if it is called as an op); `None` for an
    /// unknown op, whose outputs and inputs are unchecked.
    pub def: Option<Arc<OpDef>>,
}

impl Node {
    /// The output number `output` of this node has this type; `None` past the end.
    pub fn output_type(&self, output: u32) -> Option<TfType> {
        self.output_types.get(output as usize).copied()
    }

    /// Where the elements of the output argument `name` are among the outputs.
    pub fn output_span(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let def = self.def.as_ref()?;
        span_of(&def.outputs, &self.attrs, name)
    }

    /// Where the elements of the input argument `name` are among the inputs.
    pub fn input_span(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let def = self.def.as_ref()?;
        span_of(&def.inputs, &self.attrs, name)
    }

    /// Whether the op keeps state or has an effect, and so may be neither merged nor dropped.
    /// Unknown ops count as stateful.
    pub fn is_stateful(&self) -> bool {
        self.def.as_ref().is_none_or(|d| d.flags.stateful)
    }

    /// Whether some output is a reference to a variable of TensorFlow 1.
    pub fn has_ref_output(&self) -> bool {
        self.output_types.iter().any(|&t| tftype::is_ref(t))
    }
}

fn span_of(
    args: &[crate::optable::ArgDef],
    attrs: &Attrs,
    name: &str,
) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for arg in args {
        let len = arg.count(attrs)?;
        if arg.name == name {
            return Some(start..start + len);
        }
        start += len;
    }
    None
}
