//! `show --all`: the functions of the saved object and how they are called.
//!
//! saved_model_cli loads the model into Python for this; here the object graph is read directly.
//! Where TensorFlow's own Python package cannot load a model, that is said as it says it.

use std::collections::{BTreeMap, BTreeSet};

use tfjit_model::optable;
use tfjit_proto::tensorflow::{
    GraphDef, MetaGraphDef, SavedModel, SavedObjectGraph, StructuredValue, saved_object,
    structured_value::Kind,
};

use super::options::{Numbering, import_order};
use super::structured::print_arguments;

/// Appends the section "Concrete Functions", if the model has an object graph.
pub(crate) fn concrete_functions(out: &mut String, model: &SavedModel) {
    if model.meta_graphs.iter().all(|meta| meta.object_graph_def.is_none()) {
        return;
    }
    out.push_str("\nConcrete Functions:");
    match listing(model) {
        Ok(text) => out.push_str(&text),
        Err(reason) => {
            out.push_str(&format!(" N/A (could not be listed due to {reason})\n"));
        }
    }
}

const UNKNOWN: &str = "unknown reasons";
const CUSTOM_OPS: &str = "the existence of custom ops in the SavedModel";

fn listing(model: &SavedModel) -> Result<String, &'static str> {
    let [meta] = model.meta_graphs.as_slice() else { return Err(UNKNOWN) };
    let graph = meta.object_graph_def.as_ref().ok_or(UNKNOWN)?;
    // Slots belong to optimizers, which only Keras knows to make again.
    if graph.nodes.iter().any(|node| !node.slot_variables.is_empty()) {
        return Err(UNKNOWN);
    }
    check_library(meta)?;
    let root = graph.nodes.first().ok_or(UNKNOWN)?;
    let mut functions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for child in &root.children {
        let id = usize::try_from(child.node_id).map_err(|_| UNKNOWN)?;
        let names = match &graph.nodes.get(id).ok_or(UNKNOWN)?.kind {
            Some(saved_object::Kind::Function(f)) => {
                f.concrete_functions.iter().map(String::as_str).collect()
            }
            Some(saved_object::Kind::BareConcreteFunction(f)) => {
                vec![f.concrete_function_name.as_str()]
            }
            _ => continue,
        };
        functions.insert(&child.local_name, names);
    }
    // Numbers are needed only to put several traces of one function in order.
    let several = functions.values().any(|names| names.len() > 1);
    let numbering = if several { Numbering::of(meta) } else { Numbering::default() };
    let mut out = String::new();
    for (name, mut concrete) in functions {
        out.push_str(&format!("\n  Function Name: '{name}'\n"));
        concrete.sort_by_cached_key(|name| numbering.loaded_name(name));
        for (index, name) in concrete.into_iter().enumerate() {
            print_option(&mut out, graph, name, index + 1)?;
        }
    }
    Ok(out)
}

/// Whether Python could import all functions.
fn check_library(meta: &MetaGraphDef) -> Result<(), &'static str> {
    let Some(library) = meta.graph_def.as_ref().and_then(|g| g.library.as_ref()) else {
        return Ok(());
    };
    let functions = &library.function;
    let mut names = BTreeSet::new();
    for f in functions {
        let name = f.signature.as_ref().ok_or(UNKNOWN)?.name.as_str();
        if !names.insert(name) {
            return Err(UNKNOWN);
        }
    }
    for node in functions.iter().flat_map(|f| &f.node_def) {
        if !names.contains(node.op.as_str()) && optable::find(&node.op).is_none() {
            return Err(CUSTOM_OPS);
        }
    }
    import_order(library).ok_or(UNKNOWN)?;
    let graph = GraphDef { library: Some(library.clone()), ..GraphDef::default() };
    tfjit_model::from_graph_def(graph).map(|_| ()).map_err(|_| UNKNOWN)
}

/// One way to call a function: positional arguments under their number, then keyword ones.
fn print_option(
    out: &mut String,
    graph: &SavedObjectGraph,
    name: &str,
    number: usize,
) -> Result<(), &'static str> {
    let function = graph.concrete_functions.get(name).ok_or(UNKNOWN)?;
    let signature = function.canonicalized_input_signature.as_ref().ok_or(UNKNOWN)?;
    let (args, kwargs) = split_signature(signature).ok_or(UNKNOWN)?;
    if !args.is_empty() {
        out.push_str(&format!("    Option #{number}\n      Callable with:\n"));
        print_arguments(out, args)?;
    }
    for (i, key) in kwargs.into_iter().enumerate() {
        out.push_str(&format!("        Named Argument #{}\n          {key}\n", i + 1));
    }
    Ok(())
}

/// The positional arguments and the names of the keyword arguments.
fn split_signature(signature: &StructuredValue) -> Option<(&[StructuredValue], Vec<&str>)> {
    let Some(Kind::TupleValue(pair)) = &signature.kind else { return None };
    let [args, kwargs] = pair.values.as_slice() else { return None };
    let args = match &args.kind {
        Some(Kind::TupleValue(args)) => &args.values,
        Some(Kind::ListValue(args)) => &args.values,
        _ => return None,
    };
    let Some(Kind::DictValue(kwargs)) = &kwargs.kind else { return None };
    Some((args, kwargs.fields.keys().map(String::as_str).collect()))
}
