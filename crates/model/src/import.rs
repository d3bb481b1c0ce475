//! From protobuf messages to sound graphs: names are resolved, attributes checked and completed,
//! types of edges compared, and every problem is collected.
//!
//! It must not know where the messages come from.

pub(crate) mod attr;
pub(crate) mod calls;
pub(crate) mod conform;
pub(crate) mod functions;
pub(crate) mod legacy;
pub(crate) mod meta;
pub(crate) mod nodes;
mod refs;
pub(crate) mod signatures;
pub(crate) mod tensor;
pub(crate) mod wire;

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tfjit_base::{Error, limits};

/// Shares equal strings: ops, devices and attribute names repeat thousands of times.
#[derive(Default)]
pub(crate) struct Strings(FxHashSet<Arc<str>>);

impl Strings {
    pub(crate) fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let shared: Arc<str> = text.into();
        self.0.insert(shared.clone());
        shared
    }
}

/// What is left of the limits that hold for a file as a whole.
pub(crate) struct Budget {
    outputs: usize,
}

impl Budget {
    pub(crate) fn new() -> Budget {
        Budget { outputs: limits::FILE_OUTPUTS_MAX }
    }

    /// Takes the outputs of one node.
    pub(crate) fn take_outputs(&mut self, count: usize) -> Result<(), Error> {
        if count > limits::NODE_OUTPUTS_MAX {
            return Err(Error::resource_exhausted(format!(
                "the node has {count} outputs, more than {}",
                limits::NODE_OUTPUTS_MAX
            )));
        }
        match self.outputs.checked_sub(count) {
            Some(left) => self.outputs = left,
            None => return Err(Error::resource_exhausted("the nodes have too many outputs")),
        }
        Ok(())
    }
}

/// Where in a file something is: a node of the main graph or of a function.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) function: Option<&'a str>,
}

impl Place<'_> {
    /// The error, attributed to `node`.
    pub(crate) fn blame(&self, error: Error, node: &str) -> Error {
        match self.function {
            None => error.at(node),
            Some(function) => error.at(format!("{node} in function {function}")),
        }
    }
}
