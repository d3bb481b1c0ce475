//! Keys of variables by the object graphs: that of the SavedModel says which object each capture of
//! a function is, that of the checkpoint under which key an object is stored. The two are matched
//! by walking both from the root along equal names of children.
//!
//! What is found here is a guess as far as the graph is concerned, so it counts only where type and
//! shape agree. Nothing here is an error: a variable that stays without a value is one elsewhere.

use rustc_hash::FxHashMap;
use tfjit_proto::Message;
use tfjit_proto::tensorflow as pb;

use super::trace::Assignment;
use super::{identity, is_variable};
use crate::bundle::Bundle;
use crate::model::{Model, Variable};
use crate::tftype;

/// The key under which checkpoints keep their object graph.
const OBJECT_GRAPH_KEY: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";
/// The attribute of an object that is a variable's value.
const VALUE: &str = "VARIABLE_VALUE";

/// Assignments for variables that are not among the `known` ones.
pub(super) fn assignments(model: &Model, bundle: &Bundle, known: &[Assignment]) -> Vec<Assignment> {
    let mut open = vec![true; model.variables.len()];
    for assignment in known {
        open[assignment.variable] = false;
    }
    if !open.contains(&true) {
        return Vec::new();
    }
    let stored = stored_objects(bundle).unwrap_or_default();
    let captured = captured_keys(model, &stored);
    let named = named_keys(&stored);
    let fits = |variable: &Variable, key: &str| {
        bundle.entry(key).is_some_and(|e| {
            e.tftype().map(tftype::base_type) == Some(variable.tftype)
                && variable.shape.accepts(e.shape())
        })
    };
    let mut out = Vec::new();
    for (at, variable) in model.variables.iter().enumerate().filter(|(at, _)| open[*at]) {
        let by_capture = captured.get(&at).cloned();
        let by_object = named.get(variable.name.as_str()).copied().flatten().map(str::to_string);
        let keys = by_capture.into_iter().chain(by_object).chain([variable.name.clone()]);
        if let Some(key) = keys.into_iter().find(|key| fits(variable, key)) {
            out.push(Assignment { variable: at, key, slice: String::new(), shape: None });
        }
    }
    out
}

fn stored_objects(bundle: &Bundle) -> Option<pb::TrackableObjectGraph> {
    let tensor = bundle.tensor(OBJECT_GRAPH_KEY).ok()?;
    let [bytes] = tensor.as_strings()? else { return None };
    pb::TrackableObjectGraph::decode(bytes.as_slice()).ok()
}

/// Full names of variables to keys; `None` for names that several variables share.
fn named_keys(stored: &pb::TrackableObjectGraph) -> FxHashMap<&str, Option<&str>> {
    let mut keys: FxHashMap<&str, Option<&str>> = FxHashMap::default();
    for attribute in stored.nodes.iter().flat_map(|n| &n.attributes) {
        if !attribute.full_name.is_empty() {
            keys.entry(&attribute.full_name)
                .and_modify(|key| *key = None)
                .or_insert(Some(&attribute.checkpoint_key));
        }
    }
    keys
}

/// Variables to keys, by the captures of the functions that the main graph calls.
fn captured_keys(model: &Model, stored: &pb::TrackableObjectGraph) -> FxHashMap<usize, String> {
    let mut out = FxHashMap::default();
    let Some(objects) = &model.objects else { return out };
    let keys = object_keys(objects, stored);
    let variables: FxHashMap<(&str, &str), usize> = model
        .variables
        .iter()
        .enumerate()
        .map(|(at, v)| ((v.container.as_str(), v.name.as_str()), at))
        .collect();
    for (_, call) in model.graph.iter() {
        let Ok(callee) = call.attrs.attr_func("f") else { continue };
        let Some(concrete) = objects.concrete_functions.get(&*callee.name) else { continue };
        let captures = &concrete.bound_inputs;
        let Some(first) = call.inputs.len().checked_sub(captures.len()) else { continue };
        for (input, object) in call.inputs[first..].iter().zip(captures) {
            let node = &model.graph[input.node];
            if !is_variable(node) {
                continue;
            }
            let (container, name) = identity(node);
            let variable = variables.get(&(container.as_str(), name.as_str()));
            if let (Some(variable), Some(key)) = (variable, keys.get(object)) {
                out.insert(*variable, key.to_string());
            }
        }
    }
    out
}

/// Objects of the SavedModel to keys of the checkpoint.
fn object_keys<'a>(
    saved: &pb::SavedObjectGraph,
    stored: &'a pb::TrackableObjectGraph,
) -> FxHashMap<i32, &'a str> {
    let mut keys = FxHashMap::default();
    let mut seen = vec![false; saved.nodes.len()];
    let mut todo = vec![(0i32, 0i32)];
    while let Some((a, b)) = todo.pop() {
        let (Ok(at), Ok(other)) = (usize::try_from(a), usize::try_from(b)) else { continue };
        let (Some(object), Some(twin)) = (saved.nodes.get(at), stored.nodes.get(other)) else {
            continue;
        };
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        if let Some(value) = twin.attributes.iter().find(|x| x.name == VALUE) {
            keys.insert(a, value.checkpoint_key.as_str());
        }
        let twins: FxHashMap<&str, i32> =
            twin.children.iter().map(|c| (c.local_name.as_str(), c.node_id)).collect();
        for child in &object.children {
            if let Some(id) = twins.get(child.local_name.as_str()) {
                todo.push((child.node_id, *id));
            }
        }
    }
    keys
}
