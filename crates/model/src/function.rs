//! Functions: graphs with parameters and results, and the library that holds them by name.
//!
//! It must not know files. In a function's graph each parameter is a node with the op `_Arg`
//! (attributes `T` and `index`); results point at endpoints, there are no `_Retval` nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use tfjit_base::PartialShape;

use crate::TfType;
use crate::attr::Attrs;
use crate::graph::Graph;
use crate::node::{Endpoint, NodeId};

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// The argument's name; of a signature, the input's key.
    pub name: Arc<str>,
    /// Its type.
    pub tftype: TfType,
    /// What is known of its shape.
    pub shape: PartialShape,
    /// Attributes of the argument (`_user_specified_name` and the like).
    pub attrs: Attrs,
    /// For a resource: type and shape of what is behind the handle, if the file tells.
    pub handle: Vec<(TfType, PartialShape)>,
    /// The `_Arg` node.
    pub node: NodeId,
}

/// A result of a function.
#[derive(Clone, Debug)]
pub struct ResultDef {
    /// The result's name; of a signature, the output's key.
    pub name: Arc<str>,
    /// Its type.
    pub tftype: TfType,
    /// What is known of its shape.
    pub shape: PartialShape,
    /// Where it comes from.
    pub endpoint: Endpoint,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Results in order.
    pub results: Vec<ResultDef>,
    /// Nodes that must run even if no result needs them.
    pub control_results: Vec<NodeId>,
    /// The body.
    pub graph: Graph,
    /// Attributes of the function (`_XlaMustCompile`, `_noinline`).
    pub attrs: Attrs,
    /// Whether the function is declared stateful.
    pub stateful: bool,
}

impl Function {
    /// The `_Arg` node of parameter number `index`.
    pub fn param_node(&self, index: usize) -> Option<NodeId> {
        self.params.get(index).map(|p| p.node)
    }

    /// Nodes from which the whole meaning of the function hangs: results and control results.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.results.iter().map(|r| r.endpoint.node).chain(self.control_results.iter().copied())
    }
}

/// The functions of a model.
#[derive(Clone, Debug, Default)]
pub struct FunctionLibrary {
    functions: BTreeMap<Arc<str>, Arc<Function>>,
    gradients: BTreeMap<String, String>,
}

impl FunctionLibrary {
    /// An empty library.
    pub fn new() -> FunctionLibrary {
        FunctionLibrary::default()
    }

    /// The function of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Function>> {
        self.functions.get(name)
    }

    /// Functions in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Function>> {
        self.functions.values()
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether there is no function.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Adds a function; gives back the one of the same name that it replaces.
    pub fn insert(&mut self, function: Arc<Function>) -> Option<Arc<Function>> {
        self.functions.insert(function.name.clone(), function)
    }

    /// The function that computes the gradient of the function `name`, if one was registered.
    pub fn gradient(&self, name: &str) -> Option<&str> {
        self.gradients.get(name).map(String::as_str)
    }

    /// Registers `gradient` as the gradient of `name`.
    pub fn set_gradient(&mut self, name: String, gradient: String) {
        self.gradients.insert(name, gradient);
    }

    /// All registered gradients: function and its gradient.
    pub fn gradients(&self) -> impl Iterator<Item = (&str, &str)> {
        self.gradients.iter().map(|(f, g)| (f.as_str(), g.as_str()))
    }
}
