//! The product of reading: everything a file says, checked and resolved.
//!
//! It must not know file formats.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tfjit_base::{PartialShape, Tensor};
use tfjit_proto::tensorflow as pb;

use crate::TfType;
use crate::function::FunctionLibrary;
use crate::graph::Graph;
use crate::node::{Endpoint, NodeId};
use crate::signature::SignatureDef;

/// A TensorFlow program.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// All functions.
    pub library: Arc<FunctionLibrary>,
    /// The main graph.
    pub graph: Arc<Graph>,
    /// Ways to call it, by name, without TensorFlow's internal ones.
    pub signatures: BTreeMap<String, SignatureDef>,
    /// Variables of the main graph, in the order of their names.
    pub variables: Vec<Variable>,
    /// Files that belong to the model, such as vocabularies.
    pub assets: Vec<Asset>,
    /// The tags of the meta graph.
    pub tags: Vec<String>,
    /// What must run once before the first call (table initialisers and the like).
    pub init_op: Option<NodeId>,
    /// The op that restores a checkpoint.
    pub restore: Option<Restore>,
    /// The Python objects behind the model, for `show`.
    pub objects: Option<Arc<pb::SavedObjectGraph>>,
    /// Versions the file gives.
    pub versions: Versions,
    /// Things worth knowing that are no errors.
    pub warnings: Vec<String>,
}

/// A variable of the main graph.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The `shared_name` (or the node's name) under which the resource lives.
    pub name: String,
    /// The container, usually empty.
    pub container: String,
    /// The type of its value.
    pub tftype: TfType,
    /// The declared shape.
    pub shape: PartialShape,
    /// Whether it is a reference variable of TensorFlow 1 (`VariableV2`), not a resource.
    pub is_ref: bool,
    /// Nodes of the main graph that stand for it.
    pub nodes: Vec<NodeId>,
    /// Where its value is in the checkpoint.
    pub checkpoint_key: Option<String>,
    /// Its value; mapped from the file, not copied.
    pub value: Option<Tensor>,
}

/// A file that belongs to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its name in the folder `assets`.
    pub filename: String,
    /// The string tensor that must be fed with its path while initialising.
    pub tensor: Endpoint,
    /// Where it is.
    pub path: PathBuf,
}

/// The op that restores a checkpoint, for state that is not a variable (tables).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restore {
    /// The node to run.
    pub op: NodeId,
    /// The string tensor to feed with the checkpoint's prefix.
    pub filename: Endpoint,
    /// The prefix, if the checkpoint is there.
    pub prefix: Option<PathBuf>,
    /// Whether running it would do nothing but assign the variables that have values already.
    pub only_variables: bool,
}

/// Versions a file gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The GraphDef version of the writer.
    pub producer: i32,
    /// The least GraphDef version a reader must know.
    pub min_consumer: i32,
    /// The TensorFlow release that wrote the file: `2.21.0`.
    pub tensorflow: String,
}

impl Model {
    /// The variable of this name.
    pub fn variable(&self, container: &str, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| v.name == name && v.container == container)
    }
}
