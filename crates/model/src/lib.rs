//! Readers and writers of TensorFlow programs: SavedModel, GraphDef, TF.js and checkpoints.
//!
//! Everything a file says is checked while reading, and all problems are reported at once; what
//! comes out is sound: references are resolved, attributes are complete and typed, graphs are
//! acyclic (but for TensorFlow 1 loops), calls are not recursive. Weights are mapped, not read.
//! This crate must not know how any op computes, and knows nothing of HLO or devices.
//!
//! Read first: [`Model`], [`Graph`], [`Function`].

pub mod attr;
pub mod bundle;
pub mod mapped;
pub mod optable;
pub mod tfjs;
pub mod tftype;
pub mod write;

mod build;
mod function;
mod graph;
mod import;
mod model;
mod node;
mod problems;
mod raw;
mod read;
mod select;
mod signature;
mod suggest;
mod tensor_name;
mod tensor_value;
mod variables;

pub use attr::{AttrList, AttrValue, Attrs, FuncRef};
pub use function::{Function, FunctionLibrary, Param, ResultDef};
pub use graph::Graph;
pub use import::meta::GRAPH_DEF_VERSION;
pub use model::{Asset, Model, Restore, Variable, Versions};
pub use node::{Endpoint, Node, NodeId};
pub use optable::OpDef;
pub use read::{
    Format, MetaGraphSummary, ReadOptions, SavedModelSummary, from_graph_def, from_graph_text,
    from_meta_graph_def, read, read_saved_model_meta, recognise,
};
pub use signature::{Encoding, FlatTensor, SignatureDef, TensorInfo};
pub use tensor_value::{TensorData, TensorValue, VariantValue};
pub use tfjit_proto::tensorflow::DataType as TfType;
pub use tftype::{dtype, tf_name, tf_type};
