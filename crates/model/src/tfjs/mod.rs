//! TF.js graph models: `model.json` and its weight shards.
//!
//! `modelTopology` is a GraphDef in protobuf's JSON mapping whose constants have no values;
//! `weightsManifest` lists the values, by the names of the constants, and the files they are in.
//! Operations that only TF.js knows stay as they are. This module must not know what any of them
//! does.
//!
//! Read first: [`read`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use tfjit_base::{Error, Result, limits};
use tfjit_proto::Message;
use tfjit_proto::tensorflow::{
    CollectionDef, GraphDef, MetaGraphDef, SignatureDef, collection_def, collection_def::NodeList,
    meta_graph_def::MetaInfoDef,
};

use crate::mapped;
use crate::problems::Problems;

mod constants;
mod initializer;
mod json;
mod prelu;
mod quantization;
mod repair;
#[cfg(test)]
mod tests;
mod weights;

/// The tag of meta graphs for serving.
const TAG: &str = "serve";
/// The name TensorFlow gives the signature a model is served by.
const SIGNATURE_NAME: &str = "serving_default";
/// The method of that signature.
const METHOD_NAME: &str = "tensorflow/serving/predict";
/// The collection in which TensorFlow 1 names the node that initialises a model.
const INIT_COLLECTION: &str = "saved_model_main_op";

/// A TF.js graph model as TensorFlow's messages.
#[derive(Clone, Debug, Default)]
pub struct TfjsModel {
    /// The graph. Its constants hold their values; large ones share the bytes of the mapped files.
    pub graph: GraphDef,
    /// The signature, as `serving_default`; empty if the file has none.
    pub signatures: BTreeMap<String, SignatureDef>,
    /// The node that must run once before anything else (it fills tables), if there is one.
    pub init_op: Option<String>,
    /// The JSON text of `userDefinedMetadata`.
    pub metadata: Option<String>,
    /// Who made the original (`2.5.0`), as the file says.
    pub generated_by: String,
    /// Who converted it (`TensorFlow.js Converter v3.7.0`), as the file says.
    pub converted_by: String,
    /// Things worth knowing that are no errors, such as weights that no constant uses.
    pub warnings: Vec<String>,
}

impl TfjsModel {
    /// The model as the meta graph that TensorFlow would have saved.
    pub fn into_meta_graph(self) -> MetaGraphDef {
        let kind = |op| collection_def::Kind::NodeList(NodeList { value: vec![op] });
        let init = self.init_op.map(|op| CollectionDef { kind: Some(kind(op)) });
        MetaGraphDef {
            meta_info_def: Some(MetaInfoDef {
                tags: vec![TAG.to_owned()],
                tensorflow_version: self.generated_by,
                ..MetaInfoDef::default()
            }),
            graph_def: Some(self.graph),
            signature_def: self.signatures,
            collection_def: init
                .map(|init| (INIT_COLLECTION.to_owned(), init))
                .into_iter()
                .collect(),
            ..MetaGraphDef::default()
        }
    }
}

/// Reads the TF.js graph model whose `model.json` is the file `path`.
///
/// # Errors
/// NOT_FOUND when a file is missing, OUT_OF_RANGE when a shard is too short, UNIMPLEMENTED for a
/// layers model, INVALID_ARGUMENT when the file is malformed or contradicts itself. All bad weights
/// and constants are listed.
pub fn read(path: &Path) -> Result<TfjsModel> {
    let file = mapped::map_file(path)?;
    let base = path.parent().unwrap_or(Path::new(""));
    parse(base, file.bytes()).map_err(|e| e.context(path.display()))
}

fn parse(base: &Path, text: &[u8]) -> Result<TfjsModel> {
    if text.len() > limits::JSON_BYTES_MAX {
        let (is, max) = (text.len(), limits::JSON_BYTES_MAX);
        return Err(Error::resource_exhausted(format!("{is} bytes of JSON are more than {max}")));
    }
    let root: Value = serde_json::from_slice(text)
        .map_err(|e| Error::invalid_argument(format!("this is not JSON: {e}")))?;
    let topology = topology(&root)?;
    let mut problems = Problems::new();
    let mut model = TfjsModel {
        graph: message(GraphDef::SCHEMA, topology, "modelTopology")?,
        metadata: member(&root, "userDefinedMetadata").map(Value::to_string),
        generated_by: text_member(&root, "generatedBy"),
        converted_by: text_member(&root, "convertedBy"),
        ..TfjsModel::default()
    };
    if model.graph.node.is_empty() {
        return Err(Error::invalid_argument("modelTopology has no nodes"));
    }
    let mut initializer = initializer(&root)?;
    let weights = member(&root, "weightsManifest")
        .map(|manifest| weights::read(base, manifest, &mut problems))
        .unwrap_or_default();
    // With broken weights every constant would be a second message about the same thing.
    if !problems.has_errors() {
        let mut used = BTreeSet::new();
        for graph in [&mut initializer, &mut model.graph] {
            repair::repair(graph);
            constants::fill(graph, &weights, &mut used, &mut problems);
        }
        let unused: Vec<&str> =
            weights.keys().map(String::as_str).filter(|name| !used.contains(*name)).collect();
        if let [first, ..] = unused.as_slice() {
            problems.warn(format!("{} weights belong to no constant: {first}", unused.len()));
        }
    }
    let mut signature = signature(&root)?;
    if !initializer.node.is_empty() {
        let joined = initializer::join(&mut model.graph, initializer)?;
        let marks = (signature_json(&root), member(&root, "initializerSignature"));
        if let Some(signature) = &mut signature {
            initializer::connect(&mut model.graph, &joined, signature, marks.0, marks.1);
        }
        model.init_op = Some(joined.run);
    }
    match signature {
        Some(signature) => drop(model.signatures.insert(SIGNATURE_NAME.to_owned(), signature)),
        None => problems.warn("the model has no signature"),
    }
    model.warnings = problems.finish()?;
    Ok(model)
}

fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|member| !member.is_null())
}

fn text_member(root: &Value, key: &str) -> String {
    member(root, key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The graph of a graph model, or why the file is none.
fn topology(root: &Value) -> Result<&Value> {
    let topology = member(root, "modelTopology");
    let has = |key: &str| topology.is_some_and(|t| t.get(key).is_some());
    let format = text_member(root, "format");
    // Converters before 1.0 wrote no format.
    let is_layers = format == "layers-model"
        || (!has("node") && ["model_config", "config", "class_name"].into_iter().any(has));
    if is_layers {
        return Err(Error::unimplemented("this is a layers model (Keras), not a graph model")
            .help(
                "convert it: tensorflowjs_converter --input_format=tfjs_layers_model \
             --output_format=tfjs_graph_model model.json OUT",
            ));
    }
    if !["", "graph-model"].contains(&format.as_str()) {
        return Err(Error::unimplemented(format!("the format {format:?} of TF.js models")));
    }
    topology.ok_or_else(|| {
        Error::invalid_argument("this is not a TF.js model: it has no modelTopology")
            .help("give the model.json that tensorflowjs_converter wrote")
    })
}

/// The message that `value` stands for; `place` is where it was found.
fn message<M: Message + Default>(schema: &str, value: &Value, place: &str) -> Result<M> {
    let wire = json::to_wire(schema, value).map_err(|e| e.at(place))?;
    M::decode(wire.as_slice())
        .map_err(|e| Error::invalid_argument(format!("{place} cannot be decoded: {e}")).at(place))
}

/// The signature, where newer or older converters put it.
fn signature_json(root: &Value) -> Option<&Value> {
    let metadata = member(root, "userDefinedMetadata");
    member(root, "signature").or_else(|| metadata.and_then(|m| member(m, "signature")))
}

fn signature(root: &Value) -> Result<Option<SignatureDef>> {
    let Some(found) = signature_json(root) else { return Ok(None) };
    let mut signature: SignatureDef = message("tensorflow.SignatureDef", found, "signature")?;
    if signature.inputs.is_empty() && signature.outputs.is_empty() {
        return Ok(None);
    }
    if signature.method_name.is_empty() {
        METHOD_NAME.clone_into(&mut signature.method_name);
    }
    Ok(Some(signature))
}

/// The graph that prepares the model's tables; converters write the member even when it is empty.
fn initializer(root: &Value) -> Result<GraphDef> {
    match member(root, "modelInitializer") {
        Some(graph) => {
            let mut graph = message(GraphDef::SCHEMA, graph, "modelInitializer")?;
            initializer::prune(&mut graph);
            Ok(graph)
        }
        None => Ok(GraphDef::default()),
    }
}
