//! SavedModel files: decoding, choosing a meta graph, and a look at all of them.
//!
//! It must not know what is in a graph.

use std::collections::BTreeMap;
use std::path::Path;

use tfjit_base::{Error, Result};
use tfjit_proto::tensorflow as pb;
use tfjit_proto::{Message, lazy, text};

use super::format::{self, Format};
use super::{broken, file_bytes};
use crate::import::signatures;
use crate::import::wire::{GraphParts, meta_parts};
use crate::problems::Problems;
use crate::signature::SignatureDef;

/// The tag of meta graphs that are meant to be called.
const SERVE: &str = "serve";
/// The version of the format that this reader understands.
const SCHEMA_VERSION: i64 = 1;

/// The message in a file, with its nodes as they are.
pub(super) fn decode(path: &Path, format: Format) -> Result<lazy::SavedModel> {
    let saved: lazy::SavedModel = message(path, format)?;
    check(saved.saved_model_schema_version, saved.meta_graphs.len())?;
    Ok(saved)
}

fn message<M: Message + Default>(path: &Path, format: Format) -> Result<M> {
    let bytes = match format {
        Format::SavedModelText => text::to_wire(pb::SavedModel::SCHEMA, &file_bytes(path)?)?,
        _ => file_bytes(path)?,
    };
    M::decode(bytes).map_err(|e| broken("SavedModel", &e))
}

fn check(version: i64, meta_graphs: usize) -> Result<()> {
    if !(0..=SCHEMA_VERSION).contains(&version) {
        return Err(Error::failed_precondition(format!(
            "the SavedModel has schema version {version}, this reader knows {SCHEMA_VERSION}"
        )));
    }
    if meta_graphs == 0 {
        return Err(Error::invalid_argument("the SavedModel has no meta graph"));
    }
    Ok(())
}

fn tags(meta: &lazy::MetaGraphDef) -> Vec<String> {
    meta.meta_info_def.as_ref().map_or_else(Vec::new, |i| i.tags.clone())
}

/// The meta graph with these tags; of several with equal tags the first.
pub(super) fn choose(
    saved: lazy::SavedModel,
    wanted: Option<&[String]>,
) -> Result<(pb::MetaGraphDef, Option<GraphParts>)> {
    let sets: Vec<Vec<String>> = saved.meta_graphs.iter().map(tags).collect();
    let same = |set: &[String], wanted: &[String]| {
        set.iter().all(|t| wanted.contains(t)) && wanted.iter().all(|t| set.contains(t))
    };
    let default = [SERVE.to_string()];
    let at = match wanted {
        Some(wanted) => sets.iter().position(|set| same(set, wanted)),
        None => {
            let serve = sets.iter().position(|set| same(set, &default));
            let only = || (sets.len() == 1 && !sets[0].is_empty()).then_some(0);
            serve.or_else(only)
        }
    };
    let listed: Vec<String> = sets.iter().map(|s| format!("{{{}}}", s.join(","))).collect();
    let Some(at) = at else {
        let wanted = wanted.unwrap_or(&default).join(",");
        return Err(Error::not_found(format!("no meta graph has the tags {{{wanted}}}"))
            .help(format!("there are {}", listed.join(" "))));
    };
    let mut chosen = None;
    for (i, meta) in saved.meta_graphs.into_iter().enumerate() {
        let (meta, graph) = meta_parts(meta);
        if i == at {
            chosen = Some((meta, graph));
        } else if let Some(graph) = graph {
            // What is not taken may be unsound, but not damaged.
            graph.check()?;
        }
    }
    chosen.ok_or_else(|| Error::internal("a position in a list is past its end"))
}

/// What a SavedModel holds, without its graphs and variables.
#[derive(Clone, Debug)]
pub struct SavedModelSummary {
    /// The version of the format.
    pub schema_version: i64,
    /// All meta graphs.
    pub meta_graphs: Vec<MetaGraphSummary>,
}

/// What one meta graph of a SavedModel holds.
#[derive(Clone, Debug)]
pub struct MetaGraphSummary {
    /// Its tags.
    pub tags: Vec<String>,
    /// Its signatures, without TensorFlow's internal ones.
    pub signatures: BTreeMap<String, SignatureDef>,
    /// The TensorFlow release that wrote it.
    pub tensorflow_version: String,
    /// Ops of the main graph and of all functions, with how often each occurs.
    pub ops: BTreeMap<String, usize>,
    /// The Python objects behind it.
    pub objects: Option<pb::SavedObjectGraph>,
    /// Files that belong to it.
    pub assets: Vec<String>,
}

/// Looks at a SavedModel without importing its graphs or touching its variables.
///
/// # Errors
/// NOT_FOUND when there is none, DATA_LOSS when it cannot be decoded, and problems of signatures.
pub fn read_saved_model_meta(path: &Path) -> Result<SavedModelSummary> {
    let found = format::recognise(path)?;
    if !matches!(found.format, Format::SavedModel | Format::SavedModelText) {
        let e = format!("{} is no SavedModel but a {:?}", found.path.display(), found.format);
        return Err(Error::invalid_argument(e));
    }
    let blame = |e: Error| e.context(found.path.display());
    let saved: pb::SavedModel = message(&found.path, found.format).map_err(blame)?;
    check(saved.saved_model_schema_version, saved.meta_graphs.len()).map_err(blame)?;
    let mut problems = Problems::new();
    let schema_version = saved.saved_model_schema_version;
    let metas = saved.meta_graphs.into_iter();
    let meta_graphs = metas.map(|m| summary(m, &mut problems)).collect();
    problems.finish()?;
    Ok(SavedModelSummary { schema_version, meta_graphs })
}

fn summary(meta: pb::MetaGraphDef, problems: &mut Problems) -> MetaGraphSummary {
    let mut ops = BTreeMap::new();
    let graph = meta.graph_def.unwrap_or_default();
    let inner = graph.library.iter().flat_map(|l| &l.function).flat_map(|f| &f.node_def);
    for node in graph.node.iter().chain(inner) {
        match ops.get_mut(&node.op) {
            Some(count) => *count += 1,
            None => {
                ops.insert(node.op.clone(), 1);
            }
        }
    }
    let info = meta.meta_info_def.unwrap_or_default();
    MetaGraphSummary {
        tags: info.tags,
        signatures: signatures::signatures(&meta.signature_def, problems),
        tensorflow_version: info.tensorflow_version,
        ops,
        objects: meta.object_graph_def,
        assets: meta.asset_file_def.into_iter().map(|a| a.filename).collect(),
    }
}
