//! A TF.js model as a meta graph: its graph, its signature, and its initialiser as an init op.
//!
//! It must not read files.

use std::collections::BTreeSet;

use tfjit_proto::tensorflow as pb;

use crate::import::signatures::INIT_KEY;
use crate::tfjs::{Initializer, TfjsModel};

/// The node that waits for everything the initialiser does.
const INIT_NODE: &str = "tfjs_initializer";

/// The meta graph of a TF.js model.
pub(super) fn meta_graph(file: TfjsModel) -> pb::MetaGraphDef {
    let mut graph = file.graph;
    let mut signature_def = file.signatures;
    if let Some(initializer) = file.initializer {
        merge(&mut graph, initializer);
        let encoding = Some(pb::tensor_info::Encoding::Name(INIT_NODE.to_string()));
        let info = pb::TensorInfo { encoding, ..Default::default() };
        let outputs = [(INIT_KEY.to_string(), info)].into_iter().collect();
        let init = pb::SignatureDef { outputs, ..Default::default() };
        signature_def.insert(INIT_KEY.to_string(), init);
    }
    pb::MetaGraphDef {
        meta_info_def: Some(pb::meta_graph_def::MetaInfoDef {
            tags: vec!["serve".to_string()],
            tensorflow_version: file.generated_by,
            ..Default::default()
        }),
        graph_def: Some(graph),
        signature_def,
        ..Default::default()
    }
}

/// Adds the initialiser's nodes (those of both graphs, such as tables, are the same) and a node
/// that runs after all of them.
fn merge(graph: &mut pb::GraphDef, initializer: Initializer) {
    let known: BTreeSet<String> = graph.node.iter().map(|n| n.name.clone()).collect();
    let read: BTreeSet<&str> = initializer
        .graph
        .node
        .iter()
        .flat_map(|n| &n.input)
        .map(|input| input.trim_start_matches('^').split(':').next().unwrap_or(""))
        .collect();
    let last = initializer.graph.node.iter().filter(|n| !read.contains(n.name.as_str()));
    let input = last.map(|n| format!("^{}", n.name)).collect();
    let init = pb::NodeDef {
        name: INIT_NODE.to_string(),
        op: "NoOp".to_string(),
        input,
        ..Default::default()
    };
    graph.node.extend(initializer.graph.node.into_iter().filter(|n| !known.contains(&n.name)));
    graph.node.push(init);
    if let Some(library) = initializer.graph.library {
        let own = graph.library.get_or_insert_default();
        let names: BTreeSet<String> = own
            .function
            .iter()
            .filter_map(|f| f.signature.as_ref().map(|s| s.name.clone()))
            .collect();
        own.function.extend(
            library
                .function
                .into_iter()
                .filter(|f| f.signature.as_ref().is_none_or(|s| !names.contains(&s.name))),
        );
    }
}
