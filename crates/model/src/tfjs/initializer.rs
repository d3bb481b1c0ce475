//! Joins the graph that prepares a model's tables with the model's graph.
//!
//! TF.js keeps them apart, as `modelInitializer`, and hands tables over in one of two ways: both
//! graphs have a node for the same table, or a placeholder of the model stands for an output of
//! the initializer, both marked with the same `resourceId` in their signatures. It must not know
//! weights.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use tfjit_base::{Error, Result};
use tfjit_proto::tensorflow::{
    AttrValue, DataType, FunctionDef, GraphDef, NodeDef, SignatureDef, attr_value::Value,
};

/// What became of an initializer's nodes.
pub(super) struct Joined {
    /// The node that runs them all.
    pub(super) run: String,
    /// New names of nodes whose name was taken.
    renamed: BTreeMap<String, String>,
}

/// Adds the nodes of `initializer` to `graph`. Nodes that both have and that are equal are shared.
///
/// # Errors
/// INVALID_ARGUMENT when the graphs have different functions of one name.
pub(super) fn join(graph: &mut GraphDef, initializer: GraphDef) -> Result<Joined> {
    join_functions(graph, &initializer)?;
    let known: FxHashMap<&str, &NodeDef> =
        graph.node.iter().map(|node| (node.name.as_str(), node)).collect();
    let mut taken: BTreeSet<String> = known.keys().map(|&name| name.to_owned()).collect();
    taken.extend(initializer.node.iter().map(|node| node.name.clone()));
    let mut fresh = |base: &str| {
        let mut name = format!("{base}/initializer");
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    let mut renamed = BTreeMap::new();
    let mut own = Vec::new();
    for node in initializer.node {
        match known.get(node.name.as_str()) {
            Some(same) if **same == node => continue,
            Some(_) => drop(renamed.insert(node.name.clone(), fresh(&node.name))),
            None => {}
        }
        own.push(node);
    }
    for node in &mut own {
        for reference in node.input.iter_mut().chain([&mut node.name]) {
            rename(reference, &renamed);
        }
    }
    let inputs: BTreeSet<&str> =
        own.iter().flat_map(|node| &node.input).map(|input| node_name(input)).collect();
    let leaves = own.iter().map(|node| node.name.as_str()).filter(|name| !inputs.contains(name));
    let run = fresh("tfjs");
    let all = NodeDef {
        name: run.clone(),
        op: "NoOp".to_owned(),
        input: leaves.map(|leaf| format!("^{leaf}")).collect(),
        ..NodeDef::default()
    };
    graph.node.extend(own);
    graph.node.push(all);
    Ok(Joined { run, renamed })
}

fn join_functions(graph: &mut GraphDef, initializer: &GraphDef) -> Result<()> {
    let Some(library) = &initializer.library else { return Ok(()) };
    let known = graph.library.get_or_insert_default();
    let name = |f: &FunctionDef| f.signature.as_ref().map_or("", |s| &s.name).to_owned();
    let names: BTreeMap<String, usize> =
        known.function.iter().enumerate().map(|(i, f)| (name(f), i)).collect();
    for function in &library.function {
        match names.get(&name(function)) {
            None => known.function.push(function.clone()),
            Some(&i) if known.function[i] == *function => {}
            Some(_) => {
                return Err(Error::invalid_argument(
                    "modelTopology and modelInitializer have different functions of this name",
                )
                .at(name(function)));
            }
        }
    }
    known.gradient.extend(library.gradient.iter().cloned());
    Ok(())
}

/// The node of `^node`, `node:1` or `node`.
fn node_name(input: &str) -> &str {
    let input = input.strip_prefix('^').unwrap_or(input);
    input.split(':').next().unwrap_or(input)
}

fn rename(reference: &mut String, renamed: &BTreeMap<String, String>) {
    let old = node_name(reference);
    if let Some(new) = renamed.get(old) {
        let at = usize::from(reference.starts_with('^'));
        reference.replace_range(at..at + old.len(), new);
    }
}

/// The tensors that the members of `part` of a signature name, by their `resourceId`.
fn resources(signature: Option<&Json>, part: &str) -> BTreeMap<i64, (String, String)> {
    let members = signature.and_then(|s| s.get(part)).and_then(Json::as_object);
    let row = |(key, info): (&String, &Json)| {
        let id = info.get("resourceId")?;
        let id = id.as_i64().or_else(|| id.as_str()?.parse().ok())?;
        let name = info.get("name").and_then(Json::as_str).unwrap_or(key);
        Some((id, (key.clone(), name.to_owned())))
    };
    members.into_iter().flatten().filter_map(row).collect()
}

/// Lets the placeholders of `graph` that stand for tables pass on what the initializer makes, and
/// takes them out of `signature`. The JSON of both signatures has the marks.
pub(super) fn connect(
    graph: &mut GraphDef,
    joined: &Joined,
    signature: &mut SignatureDef,
    signature_json: Option<&Json>,
    initializer_json: Option<&Json>,
) {
    let made = resources(initializer_json, "outputs");
    for (id, (key, placeholder)) in resources(signature_json, "inputs") {
        let Some((_, output)) = made.get(&id) else { continue };
        let name = node_name(&placeholder);
        let Some(node) = graph.node.iter_mut().find(|n| n.name == name && n.op == "Placeholder")
        else {
            continue;
        };
        let t = AttrValue { value: Some(Value::Type(DataType::DtResource as i32)) };
        "Identity".clone_into(&mut node.op);
        let mut output = output.clone();
        rename(&mut output, &joined.renamed);
        node.input = vec![output];
        node.attr = [("T".to_owned(), t)].into();
        signature.inputs.remove(&key);
    }
}
