//! The order of several traces of one function.
//!
//! saved_model_cli sorts them by the names that Python gives while importing the functions:
//! `__inference_NAME_NUMBER`, compared as text. The number counts the tensors made so far, so it
//! follows from the order of import and from how many outputs each function's nodes have.

use std::collections::BTreeMap;

use tfjit_model::attr::AttrValue;
use tfjit_model::optable::{self, ArgDef, ArgType, OpDef};
use tfjit_proto::tensorflow::{
    FunctionDef, FunctionDefLibrary, MetaGraphDef, NodeDef, attr_value::Value,
};

/// Numbers by the function's name in the file.
#[derive(Default)]
pub(super) struct Numbering(BTreeMap<String, u64>);

impl Numbering {
    /// The numbers that a fresh process gives.
    pub(super) fn of(meta: &MetaGraphDef) -> Numbering {
        let Some(library) = meta.graph_def.as_ref().and_then(|g| g.library.as_ref()) else {
            return Numbering::default();
        };
        let by_name: BTreeMap<&str, &FunctionDef> =
            library.function.iter().map(|f| (name(f), f)).collect();
        // One for the suffix of shared names, one for each custom gradient.
        let gradients = &library.registered_gradients;
        let mut number =
            1 + gradients.iter().filter(|g| !g.registered_op_type.is_empty()).count() as u64;
        let mut numbers = BTreeMap::new();
        for index in import_order(library).unwrap_or_default() {
            let function = &library.function[index];
            let inputs = function.signature.as_ref().map_or(0, |s| s.input_arg.len());
            let outputs = function.node_def.iter().map(|node| outputs(node, &by_name));
            let tables = function.node_def.iter().filter(|node| is_unshared_table(node));
            number += (inputs + outputs.sum::<usize>() + tables.count()) as u64 + 2;
            numbers.insert(name(function).to_owned(), number);
        }
        Numbering(numbers)
    }

    /// The name that a function has once loaded.
    pub(super) fn loaded_name(&self, name: &str) -> String {
        let number = self.0.get(name).copied().unwrap_or_default();
        format!("__inference_{}_{number}", base_name(name))
    }
}

fn name(function: &FunctionDef) -> &str {
    function.signature.as_ref().map_or("", |s| &s.name)
}

/// `f` of `__inference_f_12`, other names as they are.
fn base_name(name: &str) -> &str {
    let inner = name.strip_prefix("__inference_").and_then(|rest| {
        let (base, number) = rest.rsplit_once('_')?;
        (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(base)
    });
    inner.unwrap_or(name)
}

/// A table that Python gives a number of its own.
fn is_unshared_table(node: &NodeDef) -> bool {
    let shared = node.attr.get("use_node_name_sharing").and_then(|a| a.value.as_ref());
    node.op == "HashTableV2" && !matches!(shared, Some(Value::B(true)))
}

/// How many tensors the node makes.
fn outputs(node: &NodeDef, library: &BTreeMap<&str, &FunctionDef>) -> usize {
    if let Some(signature) = library.get(node.op.as_str()).and_then(|f| f.signature.as_ref()) {
        return signature.output_arg.len();
    }
    let Some(def) = optable::find(&node.op) else { return 0 };
    def.outputs.iter().map(|arg| count(arg, node, &def)).sum()
}

fn count(arg: &ArgDef, node: &NodeDef, def: &OpDef) -> usize {
    let given = |name: &str| node.attr.get(name).and_then(|a| a.value.as_ref());
    if let ArgType::List(name) = &arg.tftype {
        return match given(name) {
            Some(Value::List(list)) => list.r#type.len(),
            _ => 0,
        };
    }
    let Some(name) = &arg.number else { return 1 };
    match (given(name), def.attr(name).and_then(|a| a.default.as_ref())) {
        (Some(Value::I(n)), _) | (None, Some(AttrValue::Int(n))) => {
            usize::try_from(*n).unwrap_or(0)
        }
        _ => 0,
    }
}

/// The order in which Python imports the functions: callees first. `None` when there is a cycle
/// or a function is missing.
pub(super) fn import_order(library: &FunctionDefLibrary) -> Option<Vec<usize>> {
    let functions = &library.function;
    let index: BTreeMap<&str, usize> =
        functions.iter().enumerate().map(|(i, f)| (name(f), i)).collect();
    let gradients: BTreeMap<&[u8], &str> = library
        .registered_gradients
        .iter()
        .filter(|g| !g.registered_op_type.is_empty())
        .map(|g| (g.registered_op_type.as_bytes(), g.gradient_func.as_str()))
        .collect();
    let mut callers = vec![Vec::new(); functions.len()];
    let mut open = vec![0usize; functions.len()];
    for (caller, function) in functions.iter().enumerate() {
        let mut callees: Vec<usize> = Vec::new();
        for callee in function.node_def.iter().flat_map(|n| callees_of(n, &index, &gradients)) {
            callees.push(*index.get(callee)?);
        }
        callees.sort_unstable();
        callees.dedup();
        open[caller] = callees.len();
        for callee in callees {
            callers[callee].push(caller);
        }
    }
    let mut ready: Vec<usize> = (0..functions.len()).filter(|&f| open[f] == 0).collect();
    let mut order = Vec::with_capacity(functions.len());
    while let Some(function) = ready.pop() {
        order.push(function);
        for &caller in &callers[function] {
            open[caller] -= 1;
            if open[caller] == 0 {
                ready.push(caller);
            }
        }
    }
    (order.len() == functions.len()).then_some(order)
}

/// The functions a node depends on.
fn callees_of<'n>(
    node: &'n NodeDef,
    index: &BTreeMap<&str, usize>,
    gradients: &BTreeMap<&[u8], &'n str>,
) -> Vec<&'n str> {
    if index.contains_key(node.op.as_str()) {
        return vec![&node.op];
    }
    if let Some(Value::S(op_type)) = attr(node, "_gradient_op_type")
        && !matches!(node.op.as_str(), "StatefulPartitionedCall" | "PartitionedCall")
        && let Some(function) = gradients.get(op_type.as_ref())
    {
        return vec![function];
    }
    let mut callees = Vec::new();
    for value in node.attr.values().filter_map(|a| a.value.as_ref()) {
        match value {
            Value::Func(f) => callees.push(f.name.as_str()),
            Value::List(list) => callees.extend(list.func.iter().map(|f| f.name.as_str())),
            _ => {}
        }
    }
    callees
}

fn attr<'n>(node: &'n NodeDef, name: &str) -> Option<&'n Value> {
    node.attr.get(name)?.value.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_prefix_and_number() {
        assert_eq!(base_name("__inference_f_12"), "f");
        assert_eq!(base_name("__inference_while_cond_12_34"), "while_cond_12");
        assert_eq!(base_name("while_cond_12"), "while_cond_12");
        assert_eq!(base_name("__inference_f_x"), "__inference_f_x");
    }
}
