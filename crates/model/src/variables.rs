//! Variables of a model and the values a checkpoint has for them.
//!
//! Which key belongs to which variable is what the saver's restore op says: [`trace`] follows it
//! through functions. Variables it leaves out (Keras exports restore copies of those that the
//! signatures use) are looked up in the object graphs by [`objects`]. Tensors are views of mapped
//! files. It must not run anything.

use std::path::Path;

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result, Tensor};

use crate::bundle::Bundle;
use crate::graph::Graph;
use crate::import::nodes::with_hint;
use crate::model::{Model, Variable};
use crate::node::{Node, NodeId};
use crate::problems::Problems;
use crate::{suggest, tftype};

mod objects;
mod trace;

use trace::Assignment;

/// The name of handles that never share a variable.
const ANONYMOUS: &str = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

/// Whether the node is a variable: a handle, or a buffer of TensorFlow 1.
pub(crate) fn is_variable(node: &Node) -> bool {
    matches!(&*node.op, "VarHandleOp" | "VariableV2" | "Variable")
}

/// Container and name under which a variable lives.
pub(crate) fn identity(node: &Node) -> (String, String) {
    let text = |name| node.attrs.attr_str(name).unwrap_or("").to_string();
    let shared = text("shared_name");
    let name = match shared.as_str() {
        "" | ANONYMOUS => node.name.to_string(),
        _ => shared,
    };
    (text("container"), name)
}

/// Lists the variables of the main graph and of all functions.
pub(crate) fn collect(model: &mut Model) -> Result<()> {
    let mut problems = Problems::new();
    let mut found: Vec<Variable> = Vec::new();
    let mut index: FxHashMap<(String, String), usize> = FxHashMap::default();
    let main = model.graph.iter().map(|(id, node)| (Some(id), node));
    let inner = model.library.iter().flat_map(|f| f.graph.iter().map(|(_, node)| (None, node)));
    for (id, node) in main.chain(inner) {
        if !is_variable(node) {
            continue;
        }
        let (container, name) = identity(node);
        let tftype = node.attr_type("dtype")?;
        let at = *index.entry((container.clone(), name.clone())).or_insert_with(|| {
            found.push(Variable {
                name,
                container,
                tftype,
                shape: node.attr_shape("shape").cloned().unwrap_or_default(),
                is_ref: node.has_ref_output(),
                nodes: Vec::new(),
                checkpoint_key: None,
                value: None,
            });
            found.len() - 1
        });
        let variable = &mut found[at];
        if variable.tftype != tftype {
            let e = format!(
                "the variable {} is {} here and {} elsewhere",
                variable.name,
                tftype::tf_name(tftype),
                tftype::tf_name(variable.tftype)
            );
            problems.error(Error::invalid_argument(e).at(&*node.name));
        }
        variable.nodes.extend(id);
    }
    problems.finish()?;
    found.sort_by(|a, b| (&a.name, &a.container).cmp(&(&b.name, &b.container)));
    model.variables = found;
    Ok(())
}

/// Gives the variables their values from the checkpoint at `prefix`, if there is one.
///
/// # Errors
/// All problems at once: a broken checkpoint, keys that are missing, types or shapes that differ,
/// and variables a signature needs that have no value.
pub(crate) fn bind(model: &mut Model, prefix: &Path) -> Result<()> {
    collect(model)?;
    let mut index = prefix.as_os_str().to_owned();
    index.push(".index");
    let bundle = match Path::new(&index).exists() {
        true => Some(Bundle::open(prefix)?),
        false => None,
    };
    let mut problems = Problems::new();
    let traced = match &model.restore {
        Some(restore) => trace::follow(model, restore.op)?,
        None => trace::Traced::default(),
    };
    if let Some(restore) = &mut model.restore {
        restore.only_variables = traced.only_variables;
        restore.prefix = bundle.as_ref().map(|b| b.prefix().to_path_buf());
    }
    if let Some(bundle) = &bundle {
        let mut assignments = traced.assignments;
        assignments.extend(objects::assignments(model, bundle, &assignments));
        for assignment in assignments {
            let variable = &mut model.variables[assignment.variable];
            let value = load(bundle, variable, &assignment);
            let value = value.map_err(|e| e.at(format!("variable {}", variable.name)));
            if let Some(value) = problems.keep(value) {
                variable.checkpoint_key = Some(assignment.key);
                variable.value = Some(value);
            }
        }
    }
    if !problems.has_errors() {
        check_needed(model, bundle.is_some(), prefix, &mut problems);
    }
    let warnings = problems.finish()?;
    model.warnings.extend(warnings);
    Ok(())
}

fn load(bundle: &Bundle, variable: &Variable, assignment: &Assignment) -> Result<Tensor> {
    let key = &assignment.key;
    let Some(entry) = bundle.entry(key) else {
        let known: Vec<_> = bundle.keys().filter_map(|k| std::str::from_utf8(k).ok()).collect();
        let e = Error::not_found(format!("the checkpoint has no key {key:?}"));
        return Err(with_hint(e, suggest::hint(key, known)));
    };
    if entry.tftype().map(tftype::base_type) != Some(variable.tftype) {
        let found = entry.tftype().map_or("an unknown type", tftype::tf_name);
        return Err(Error::invalid_argument(format!(
            "the checkpoint holds {found} under {key:?}, the variable is {}",
            tftype::tf_name(variable.tftype)
        )));
    }
    let mut value = match assignment.slice.as_str() {
        "" => bundle.tensor(key)?,
        slice => bundle.slice(key, slice)?,
    };
    if let Some(shape) = &assignment.shape {
        value = value.reshaped(shape.clone())?;
    }
    if !variable.shape.accepts(value.shape()) {
        return Err(Error::invalid_argument(format!(
            "the checkpoint holds the shape {} under {key:?}, the variable has {}",
            value.shape(),
            variable.shape
        )));
    }
    Ok(value)
}

/// A variable that a signature needs must have a value, unless the initialiser touches it.
fn check_needed(model: &Model, has_checkpoint: bool, prefix: &Path, problems: &mut Problems) {
    let initialised = reached(&model.graph, model.init_op);
    for (key, signature) in &model.signatures {
        let roots = signature.outputs.values().flat_map(|i| i.flatten());
        let roots = roots.filter_map(|f| model.graph.find_tensor(&f.name).ok()).map(|e| e.node);
        let live = reached(&model.graph, roots);
        for variable in model.variables.iter().filter(|v| v.value.is_none()) {
            let marked = |marks: &[bool]| variable.nodes.iter().any(|n| marks[n.index()]);
            if !marked(&live) || marked(&initialised) {
                continue;
            }
            let e = match has_checkpoint {
                true => "the checkpoint has no value for it".to_string(),
                false => format!("there is no checkpoint at {}", prefix.display()),
            };
            let e = Error::not_found(format!("{e}, and the signature {key} needs one"));
            problems.error(e.at(format!("variable {}", variable.name)));
        }
        if problems.has_errors() {
            return;
        }
    }
}

fn reached(graph: &Graph, roots: impl IntoIterator<Item = NodeId>) -> Vec<bool> {
    graph.reachable(roots, |_| false)
}
