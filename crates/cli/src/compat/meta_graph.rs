//! The SavedModel file and the meta graphs in it, chosen by tags.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tfjit_base::{Error, Result, Storage, limits};
use tfjit_model::mapped;
use tfjit_proto::bytes::Bytes;
use tfjit_proto::tensorflow::{GraphDef, MetaGraphDef, NodeDef, SavedModel, attr_value};
use tfjit_proto::{Message, text};

use super::tags;
use crate::python;

/// A mapped file, as the owner of shared bytes.
struct Owner(Arc<dyn Storage>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// The SavedModel in the folder `dir`, binary or text, without any check of what it says.
///
/// # Errors
/// NOT_FOUND when there is none, INVALID_ARGUMENT when it cannot be decoded.
pub(crate) fn read_saved_model(dir: &Path) -> Result<SavedModel> {
    let binary = dir.join("saved_model.pb");
    if binary.exists() {
        return SavedModel::decode(shared(&binary)?).map_err(|e| {
            Error::invalid_argument(format!("Cannot parse proto file {}: {e}", binary.display()))
        });
    }
    let readable = dir.join("saved_model.pbtxt");
    if !readable.exists() {
        return Err(not_found(dir));
    }
    let wire = text::to_wire(SavedModel::SCHEMA, &shared(&readable)?)
        .map_err(|e| e.context(format!("Cannot parse pbtxt file {}", readable.display())))?;
    SavedModel::decode(wire)
        .map_err(|e| Error::invalid_argument(format!("{}: {e}", readable.display())))
}

fn shared(path: &Path) -> Result<Bytes> {
    let length = mapped::file_length(path)?;
    if length > limits::PROTO_BYTES_MAX as u64 {
        return Err(Error::resource_exhausted(format!("{} has {length} bytes", path.display())));
    }
    Ok(Bytes::from_owner(Owner(mapped::map_file(path)?)))
}

fn not_found(dir: &Path) -> Error {
    let error = Error::not_found(format!("SavedModel file does not exist at: {}", dir.display()));
    let mut versions: Vec<String> = dir
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().join("saved_model.pb").exists())
        .map(|entry| entry.path().display().to_string())
        .collect();
    versions.sort();
    match versions.as_slice() {
        [] if dir.is_dir() => error.help("the folder holds no saved_model.pb or saved_model.pbtxt"),
        [] => error,
        found => error.help(format!("there is one in {}", found.join(", "))),
    }
}

/// Trimmed names between commas, without empty ones.
pub(crate) fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Tags that a command insists on: at least one.
///
/// # Errors
/// INVALID_ARGUMENT when there is none.
pub(crate) fn required_tags(list: &str) -> Result<Vec<&str>> {
    let tags: Vec<&str> = names(list).collect();
    if tags.is_empty() {
        return Err(Error::invalid_argument("tag_set must contain at least one non-empty item."));
    }
    Ok(tags)
}

/// The tags of a meta graph, in the order of the file.
pub(crate) fn tags_of(meta: &MetaGraphDef) -> &[String] {
    meta.meta_info_def.as_ref().map_or(&[], |info| &info.tags)
}

/// The tags of all meta graphs in the folder, in the order of the file.
///
/// # Errors
/// Those of [`read_saved_model`].
pub(crate) fn tag_sets(dir: &Path) -> Result<Vec<Vec<String>>> {
    let binary = dir.join("saved_model.pb");
    if binary.exists()
        && let Some(sets) = tags::scan(&shared(&binary)?)
    {
        return Ok(sets);
    }
    Ok(read_saved_model(dir)?.meta_graphs.iter().map(|meta| tags_of(meta).to_vec()).collect())
}

/// The meta graph with exactly these tags; `asked` is how the user wrote them.
///
/// # Errors
/// NOT_FOUND when there is none.
pub(crate) fn meta_graph<'m>(
    model: &'m SavedModel,
    tags: &[&str],
    asked: &str,
) -> Result<&'m MetaGraphDef> {
    let wanted: BTreeSet<&str> = tags.iter().copied().collect();
    let set = |meta: &'m MetaGraphDef| -> BTreeSet<&'m str> {
        tags_of(meta).iter().map(String::as_str).collect()
    };
    model.meta_graphs.iter().find(|meta| set(meta) == wanted).ok_or_else(|| {
        let valid = model
            .meta_graphs
            .iter()
            .map(|meta| set(meta).into_iter().collect::<Vec<_>>().join(","));
        Error::not_found(format!(
            "MetaGraphDef associated with tag-set {asked} could not be found in the SavedModel. \
             Please use one of the following tag-sets: {}",
            python::list_repr(valid)
        ))
    })
}

/// The ops of the main graph and of all functions it calls, without the functions' names.
///
/// A function counts as called when a node has its name for an op, or names it in the attribute
/// `f` of a (Stateful)PartitionedCall: bodies of `While` and `If` do not count, as in TensorFlow.
pub(crate) fn ops_used(graph: &GraphDef) -> BTreeSet<&str> {
    let library: BTreeMap<&str, &[NodeDef]> = graph
        .library
        .iter()
        .flat_map(|library| &library.function)
        .filter_map(|f| Some((f.signature.as_ref()?.name.as_str(), f.node_def.as_slice())))
        .collect();
    let mut used = BTreeSet::new();
    let mut bodies: Vec<&[NodeDef]> = vec![&graph.node];
    while let Some(nodes) = bodies.pop() {
        for node in nodes {
            for op in [Some(node.op.as_str()), callee(node)].into_iter().flatten() {
                if used.insert(op)
                    && let Some(body) = library.get(op)
                {
                    bodies.push(body);
                }
            }
        }
    }
    used.retain(|op| !library.contains_key(op));
    used
}

/// The function that a call names in its attribute `f`.
fn callee(node: &NodeDef) -> Option<&str> {
    if !matches!(node.op.as_str(), "PartitionedCall" | "StatefulPartitionedCall") {
        return None;
    }
    match node.attr.get("f").and_then(|attr| attr.value.as_ref()) {
        Some(attr_value::Value::Func(f)) => Some(&f.name),
        _ => Some(""),
    }
}
