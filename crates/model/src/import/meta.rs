//! A `MetaGraphDef` (or a lone `GraphDef`) as a model, all but the values of its variables.
//!
//! It must not read files, but for looking whether assets are there.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result, limits};
use tfjit_proto::tensorflow as pb;

use super::functions::{self, Imported};
use super::nodes::{Configured, Import, Session, with_hint};
use super::wire::GraphParts;
use super::{Budget, Place, Strings, calls, signatures};
use crate::function::FunctionLibrary;
use crate::graph::Graph;
use crate::model::{Asset, Model, Restore, Versions};
use crate::node::{Node, NodeId};
use crate::problems::Problems;
use crate::{optable, suggest};

/// The GraphDef version this reader knows: that of TensorFlow 2.21.
pub const GRAPH_DEF_VERSION: i32 = 2474;

/// A model out of a graph alone.
///
/// # Errors
/// All problems of the graph at once.
pub(crate) fn graph_def(graph: GraphParts) -> Result<Model> {
    let mut problems = Problems::new();
    let mut model = Model::default();
    import_graph(graph, &mut model, &mut problems)?;
    warn_unknown(&model, &mut problems);
    model.warnings = problems.finish()?;
    Ok(model)
}

/// A model out of a meta graph, which comes without its graph; `folder` is where its assets are.
///
/// # Errors
/// All problems of the meta graph at once.
pub(crate) fn meta_graph(
    mut meta: pb::MetaGraphDef,
    graph: Option<GraphParts>,
    folder: Option<&Path>,
) -> Result<Model> {
    let mut problems = Problems::new();
    let mut model = Model::default();
    if let Some(info) = &mut meta.meta_info_def {
        model.tags = std::mem::take(&mut info.tags);
        model.versions.tensorflow = std::mem::take(&mut info.tensorflow_version);
    }
    match graph {
        Some(graph) => import_graph(graph, &mut model, &mut problems)?,
        None => problems.error(Error::invalid_argument("the meta graph has no graph")),
    }
    model.signatures = signatures::signatures(&meta.signature_def, &mut problems);
    signatures::check(&model.signatures, &model.graph, &mut problems);
    model.init_op = problems.keep(signatures::init_op(&meta, &model.graph)).flatten();
    model.assets = assets(&meta, &model.graph, folder, &mut problems);
    model.restore = match (restore(&meta, &model.graph), folder) {
        // Without a checkpoint nothing is restored; tools that freeze graphs leave savers behind.
        (Err(e), Some(folder)) if !folder.join("variables").join("variables.index").exists() => {
            problems.warn(format!("the saver is broken: {}", e.message()));
            None
        }
        (restore, _) => problems.keep(restore).flatten(),
    };
    check_unknown(&model, &mut problems);
    warn_unknown(&model, &mut problems);
    model.objects = meta.object_graph_def.map(Arc::new);
    model.warnings = problems.finish()?;
    Ok(model)
}

/// Fails with DATA_LOSS when a node is no node; all else goes to `problems`.
fn import_graph(parts: GraphParts, model: &mut Model, problems: &mut Problems) -> Result<()> {
    let GraphParts { rest: proto, nodes, functions, gradients } = parts;
    let versions = proto.versions.unwrap_or_default();
    problems.keep(check_versions(&versions));
    model.versions = Versions {
        producer: versions.producer.max(proto.version),
        min_consumer: versions.min_consumer,
        tensorflow: std::mem::take(&mut model.versions.tensorflow),
    };
    let mut strings = Strings::default();
    let mut budget = Budget::new();
    let imported = functions::library(&functions, gradients, problems, &mut strings, &mut budget)?;
    if nodes.len() > limits::NODES_MAX {
        let e = format!("the graph has {} nodes", nodes.len());
        problems.error(Error::resource_exhausted(e));
        return Ok(());
    }
    let mut session = Session {
        problems,
        strings: &mut strings,
        budget: &mut budget,
        functions: &imported.signatures,
        configured: Configured::default(),
        broken: None,
    };
    let mut import = Import::new(&mut session, Place { function: None });
    import.nodes(&nodes, nodes.len());
    import.connect();
    let graph = import.finish();
    if let Some(e) = session.broken {
        return Err(e);
    }
    calls::check(&imported, &graph, problems);
    warn_generic(&imported, problems);
    model.graph = Arc::new(graph);
    model.library = Arc::new(imported.library);
    Ok(())
}

fn check_versions(versions: &pb::VersionDef) -> Result<()> {
    if versions.min_consumer > GRAPH_DEF_VERSION {
        return Err(Error::invalid_argument(format!(
            "the graph asks for a reader of GraphDef version {} or later, this one knows {}",
            versions.min_consumer, GRAPH_DEF_VERSION
        ))
        .help("it was written by a newer TensorFlow"));
    }
    if versions.bad_consumers.contains(&GRAPH_DEF_VERSION) {
        return Err(Error::invalid_argument(format!(
            "the graph is known to fail with readers of GraphDef version {GRAPH_DEF_VERSION}"
        )));
    }
    Ok(())
}

fn warn_generic(imported: &Imported, problems: &mut Problems) {
    let mut names: Vec<&str> = imported.generic.iter().map(|n| &**n).collect();
    names.sort_unstable();
    for name in names {
        problems.warn(format!("the function {name} is generic over types and was left out"));
    }
}

/// Ops that a live node or a function it calls needs and nobody knows, and generic functions that
/// it calls: one error for each.
pub(crate) fn unknown_ops(library: &FunctionLibrary, graph: &Graph, live: &[bool]) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = FxHashSet::default();
    let mut report = |op: &str, place: String, make: &dyn Fn() -> Error| {
        if errors.len() <= limits::PROBLEMS_MAX && seen.insert(op.to_string()) {
            errors.push(make().at(place));
        }
    };
    let mut check = |node: &Node, function: Option<&str>| {
        let place =
            || function.map_or(node.name.to_string(), |f| format!("{} in function {f}", node.name));
        if node.def.is_none() {
            report(&node.op, place(), &|| {
                let e = Error::not_found(format!("{} is no TensorFlow op", node.op));
                with_hint(e, suggest::hint(&node.op, optable::names()))
            });
        }
        // Callees that are not there at all were refused while reading.
        for name in node.missing_callees(library) {
            report(name, place(), &|| {
                Error::unimplemented(format!("the function {name} is generic over types"))
            });
        }
    };
    for (id, node) in graph.iter() {
        if live[id.index()] {
            check(node, None);
        }
    }
    for f in calls::reached_functions(library, graph, live) {
        f.graph.iter().for_each(|(_, node)| check(node, Some(&f.name)));
    }
    errors
}

fn check_unknown(model: &Model, problems: &mut Problems) {
    let outputs = model.signatures.values().flat_map(|s| s.outputs.values());
    let mut roots: Vec<NodeId> = outputs
        .flat_map(|info| info.flatten())
        .filter_map(|flat| model.graph.find_tensor(&flat.name).ok())
        .map(|e| e.node)
        .collect();
    roots.extend(model.init_op);
    // A fed tensor's own inputs are not needed, so walks stop at the inputs of signatures. A node
    // that is an input of one signature only is rarely computed for another.
    let inputs = model.signatures.values().flat_map(|s| s.inputs.values());
    let fed: FxHashSet<NodeId> = inputs
        .flat_map(|info| info.flatten())
        .filter_map(|flat| model.graph.find_tensor(&flat.name).ok())
        .map(|e| e.node)
        .collect();
    let live = model.graph.reachable(roots, |id| fed.contains(&id));
    for e in unknown_ops(&model.library, &model.graph, &live) {
        problems.error(e);
    }
}

fn warn_unknown(model: &Model, problems: &mut Problems) {
    let mut seen = FxHashSet::default();
    let main = model.graph.iter().map(|(_, node)| (node, None));
    let inner = model.library.iter().flat_map(|f| f.graph.iter().map(|(_, n)| (n, Some(&*f.name))));
    for (node, function) in main.chain(inner).filter(|(node, _)| node.def.is_none()) {
        if seen.insert(node.op.clone()) {
            let place = function.map_or(String::new(), |f| format!(" in function {f}"));
            problems.warn(format!("{} is no TensorFlow op (node {}{place})", node.op, node.name));
        }
    }
}

fn restore(meta: &pb::MetaGraphDef, graph: &Graph) -> Result<Option<Restore>> {
    let Some(saver) = &meta.saver_def else { return Ok(None) };
    if saver.restore_op_name.is_empty() {
        return Ok(None);
    }
    let place = |e: Error| e.at("saver_def");
    Ok(Some(Restore {
        op: signatures::node_of(graph, &saver.restore_op_name).map_err(place)?,
        filename: graph.find_tensor(&saver.filename_tensor_name).map_err(place)?,
        prefix: None,
        only_variables: false,
    }))
}

fn assets(
    meta: &pb::MetaGraphDef,
    graph: &Graph,
    folder: Option<&Path>,
    problems: &mut Problems,
) -> Vec<Asset> {
    let mut out = Vec::new();
    for proto in &meta.asset_file_def {
        let place = |e: Error| e.at(format!("asset {:?}", proto.filename));
        if let Some(asset) = problems.keep(asset(proto, graph, folder).map_err(place)) {
            out.push(asset);
        }
    }
    out
}

fn asset(proto: &pb::AssetFileDef, graph: &Graph, folder: Option<&Path>) -> Result<Asset> {
    let relative = safe_path(&proto.filename)?;
    let name = match proto.tensor_info.as_ref().and_then(|i| i.encoding.as_ref()) {
        Some(pb::tensor_info::Encoding::Name(name)) => name.as_str(),
        _ => return Err(Error::invalid_argument("the asset names no tensor")),
    };
    let tensor = graph.find_tensor(name)?;
    let path = folder.unwrap_or(Path::new("")).join("assets").join(relative);
    if folder.is_some() && !path.exists() {
        return Err(Error::not_found(format!("the file {} is missing", path.display())));
    }
    Ok(Asset { filename: proto.filename.clone(), tensor, path })
}

/// A path that stays inside the folder it is joined to.
fn safe_path(name: &str) -> Result<PathBuf> {
    let path = Path::new(name);
    let inside = path.components().all(|c| matches!(c, Component::Normal(_)));
    if name.is_empty() || !inside || name.contains(['\\', '\0', ':']) {
        return Err(Error::invalid_argument("the file name leads out of the model's folder"));
    }
    Ok(path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_stay_inside() {
        assert!(safe_path("vocab.txt").is_ok() && safe_path("a/b.txt").is_ok());
        for bad in ["", "../x", "a/../../x", "/etc/passwd", "C:x", "a\\b", "."] {
            assert!(safe_path(bad).is_err(), "{bad}");
        }
    }
}
