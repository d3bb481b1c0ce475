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
    AttrValue, DataType, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, SignatureDef,
    attr_value::Value,
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
    join_functions(graph, initializer.library)?;
    graph.node.extend(own);
    graph.node.push(all);
    Ok(Joined { run, renamed })
}

/// Drops the functions that no node of `graph` calls, directly or not: the library of an
/// initialiser is that of the whole original program.
pub(super) fn prune(graph: &mut GraphDef) {
    let Some(library) = graph.library.take() else { return };
    let mut unused: BTreeMap<String, FunctionDef> =
        library.function.into_iter().map(|f| (function_name(&f).to_owned(), f)).collect();
    let mut kept = FunctionDefLibrary { gradient: library.gradient, ..Default::default() };
    let mut called: Vec<String> = graph.node.iter().flat_map(calls).collect();
    while let Some(name) = called.pop() {
        if let Some(function) = unused.remove(&name) {
            called.extend(function.node_def.iter().flat_map(calls));
            kept.function.push(function);
        }
    }
    graph.library = (!kept.function.is_empty()).then_some(kept);
}

fn function_name(function: &FunctionDef) -> &str {
    function.signature.as_ref().map_or("", |signature| &signature.name)
}

fn join_functions(graph: &mut GraphDef, library: Option<FunctionDefLibrary>) -> Result<()> {
    let Some(library) = library else { return Ok(()) };
    let known = graph.library.get_or_insert_default();
    let names: BTreeMap<String, usize> =
        known.function.iter().enumerate().map(|(i, f)| (function_name(f).to_owned(), i)).collect();
    for function in library.function {
        let name = function_name(&function);
        match names.get(name) {
            None => known.function.push(function),
            Some(&i) if known.function[i] == function => {}
            Some(_) => {
                return Err(Error::invalid_argument(
                    "modelTopology and modelInitializer have different functions of this name",
                )
                .at(name));
            }
        }
    }
    known.gradient.extend(library.gradient);
    Ok(())
}

/// The names of functions a node may call: its op, and those its attributes name.
fn calls(node: &NodeDef) -> Vec<String> {
    let mut out = vec![node.op.clone()];
    for attr in node.attr.values() {
        match &attr.value {
            Some(Value::Func(function)) => out.push(function.name.clone()),
            Some(Value::List(list)) => out.extend(list.func.iter().map(|f| f.name.clone())),
            _ => {}
        }
    }
    out
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
