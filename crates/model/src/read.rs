//! Files into models: which format it is, and the way in for each.
//!
//! It must not know what graphs mean.

use std::path::{Path, PathBuf};

use tfjit_base::{Error, Result, Storage, limits};
use tfjit_proto::bytes::Bytes;
use tfjit_proto::tensorflow as pb;
use tfjit_proto::{Message, lazy, text};

use crate::import::wire::GraphParts;
use crate::import::{meta, wire};
use crate::model::Model;
use crate::{mapped, tfjs, variables};

mod format;
mod saved_model;

pub use format::Format;
pub use saved_model::{MetaGraphSummary, SavedModelSummary, read_saved_model_meta};

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The tags of the meta graph to take; by default the only one, or the one tagged `serve`.
    pub tags: Option<Vec<String>>,
    /// The format; by default it is recognised.
    pub format: Option<Format>,
}

/// Finds out which format is at `path`, without reading more than its beginning.
///
/// # Errors
/// NOT_FOUND when there is nothing, UNIMPLEMENTED for formats that are known but not read.
pub fn recognise(path: &Path) -> Result<Format> {
    Ok(format::recognise(path)?.format)
}

/// Reads a program: a SavedModel folder (binary or text), a GraphDef, a MetaGraphDef, or a TF.js
/// graph model.
///
/// # Errors
/// All problems of the file at once; NOT_FOUND when there is nothing; UNIMPLEMENTED for formats
/// that are known but not read, with what to do instead.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Model> {
    let found = format::recognise(path)?;
    let format = options.format.unwrap_or(found.format);
    let blame = |e: Error| e.context(found.path.display());
    match format {
        Format::SavedModel | Format::SavedModelText => {
            let file = saved_model::decode(&found.path, format).map_err(blame)?;
            let chosen = saved_model::choose(file, options.tags.as_deref()).map_err(blame)?;
            let folder = folder_of(&found.path);
            let mut model = meta::meta_graph(chosen.0, chosen.1, Some(&folder)).map_err(blame)?;
            variables::bind(&mut model, &folder.join("variables").join("variables"))?;
            Ok(model)
        }
        Format::GraphDef | Format::GraphDefText => {
            let graph = graph_file(&found.path, format).map_err(blame)?;
            let mut model = meta::graph_def(graph.into()).map_err(blame)?;
            variables::collect(&mut model).map_err(blame)?;
            Ok(model)
        }
        Format::MetaGraphDef => {
            let bytes = file_bytes(&found.path)?;
            let meta = lazy::MetaGraphDef::decode(bytes).map_err(|e| broken("MetaGraphDef", &e));
            let (meta, graph) = wire::meta_parts(meta.map_err(blame)?);
            let mut model = meta::meta_graph(meta, graph, None).map_err(blame)?;
            variables::bind(&mut model, &found.path.with_extension(""))?;
            Ok(model)
        }
        Format::TfjsModel => {
            let file = tfjs::read(&found.path)?;
            let warnings = file.warnings.clone();
            let mut model = from_meta_graph_def(file.into_meta_graph()).map_err(blame)?;
            model.warnings.extend(warnings);
            Ok(model)
        }
    }
}

/// A model out of a graph in memory.
///
/// # Errors
/// All problems of the graph at once.
pub fn from_graph_def(graph: pb::GraphDef) -> Result<Model> {
    let mut model = meta::graph_def(graph.into())?;
    variables::collect(&mut model)?;
    Ok(model)
}

/// A model out of a meta graph in memory. Its variables get no values.
///
/// # Errors
/// All problems of the meta graph at once.
pub fn from_meta_graph_def(mut meta: pb::MetaGraphDef) -> Result<Model> {
    let graph = meta.graph_def.take().map(GraphParts::from);
    let mut model = meta::meta_graph(meta, graph, None)?;
    variables::collect(&mut model)?;
    Ok(model)
}

/// A model out of the text form of a graph.
///
/// # Errors
/// INVALID_ARGUMENT with line and column for a syntax error; else all problems of the graph.
pub fn from_graph_text(source: &str) -> Result<Model> {
    let wire = text::to_wire(pb::GraphDef::SCHEMA, source.as_bytes())?;
    from_graph_def(pb::GraphDef::decode(wire).map_err(|e| broken("GraphDef", &e))?)
}

fn graph_file(path: &Path, format: Format) -> Result<lazy::GraphDef> {
    let bytes = match format {
        Format::GraphDefText => text::to_wire(pb::GraphDef::SCHEMA, &file_bytes(path)?)?,
        _ => file_bytes(path)?,
    };
    lazy::GraphDef::decode(bytes).map_err(|e| broken("GraphDef", &e))
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A mapped file whose pages live as long as anything decoded from it.
struct Owner(std::sync::Arc<dyn Storage>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// The bytes of a protobuf file, mapped.
pub(crate) fn file_bytes(path: &Path) -> Result<Bytes> {
    let mapped = mapped::map_file(path)?;
    let length = mapped.bytes().len();
    if length == 0 {
        return Err(Error::data_loss("the file is empty"));
    }
    if length > limits::PROTO_BYTES_MAX {
        return Err(Error::resource_exhausted(format!(
            "the file has {length} bytes, more than {}",
            limits::PROTO_BYTES_MAX
        )));
    }
    Ok(Bytes::from_owner(Owner(mapped)))
}

/// The error of bytes that are no message.
pub(crate) fn broken(message: &str, error: &tfjit_proto::prost::DecodeError) -> Error {
    Error::data_loss(format!("this is no sound {message}: {error}"))
        .help("the file is damaged, cut off, or of another kind")
}
