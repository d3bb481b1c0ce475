//! Follows the restore op of a saver: which checkpoint tensor is assigned to which variable.
//!
//! Values are symbols: a constant, a variable's handle, a tensor of the checkpoint, or anything
//! else. Calls are followed with the symbols of their arguments; the call tree was checked to be
//! free of recursion and shallow, and the number of nodes visited is bounded besides.

use rustc_hash::FxHashMap;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result, Shape, limits};

use super::{identity, is_variable};
use crate::function::Function;
use crate::graph::Graph;
use crate::model::Model;
use crate::node::{Endpoint, Node, NodeId};
use crate::tensor_value::TensorValue;

/// A tensor of the checkpoint goes into a variable.
#[derive(Debug)]
pub(super) struct Assignment {
    /// The variable's position in the model's list.
    pub(super) variable: usize,
    pub(super) key: String,
    /// The slice to read, as RestoreV2 writes it; empty for the whole tensor.
    pub(super) slice: String,
    /// The shape it is given after reading.
    pub(super) shape: Option<Shape>,
}

/// What the restore op does.
#[derive(Debug, Default)]
pub(super) struct Traced {
    pub(super) assignments: Vec<Assignment>,
    /// Whether the assignments are all it does.
    pub(super) only_variables: bool,
}

/// What is known of a value.
#[derive(Clone)]
enum Symbol {
    Other,
    Constant(TensorValue),
    Variable(usize),
    Stored { key: String, slice: String, shape: Option<Shape> },
}

struct Tracer<'a> {
    model: &'a Model,
    variables: FxHashMap<(String, String), usize>,
    traced: Traced,
    visits_left: usize,
}

/// Follows `op` of the main graph.
///
/// # Errors
/// RESOURCE_EXHAUSTED when it stands for too many nodes.
pub(super) fn follow(model: &Model, op: NodeId) -> Result<Traced> {
    let variables = model.variables.iter().enumerate();
    let mut tracer = Tracer {
        model,
        variables: variables.map(|(i, v)| ((v.container.clone(), v.name.clone()), i)).collect(),
        traced: Traced { only_variables: true, ..Traced::default() },
        visits_left: limits::INLINED_NODES_MAX,
    };
    let live = model.graph.reachable([op], |_| false);
    tracer.graph(&model.graph, Some(&live), &[])?;
    Ok(tracer.traced)
}

type Values = FxHashMap<Endpoint, Symbol>;

impl Tracer<'_> {
    /// Walks a graph; gives the symbols of its outputs.
    fn graph(&mut self, graph: &Graph, live: Option<&[bool]>, args: &[Symbol]) -> Result<Values> {
        let mut values = Values::default();
        for id in graph.topological_order()? {
            if live.is_some_and(|live| !live[id.index()]) {
                continue;
            }
            self.visits_left = self.visits_left.checked_sub(1).ok_or_else(|| {
                Error::resource_exhausted("the restore op stands for too many nodes")
            })?;
            let node = &graph[id];
            for (output, symbol) in self.node(node, &values, args)?.into_iter().enumerate() {
                if !matches!(symbol, Symbol::Other) {
                    values.insert(Endpoint::new(id, output as u32), symbol);
                }
            }
        }
        Ok(values)
    }

    /// The symbols of a node's outputs; missing ones are unknown.
    fn node(&mut self, node: &Node, values: &Values, args: &[Symbol]) -> Result<Vec<Symbol>> {
        let input = |at: usize| {
            let endpoint = node.inputs.get(at);
            endpoint.and_then(|e| values.get(e)).cloned().unwrap_or(Symbol::Other)
        };
        if is_variable(node) {
            let found = self.variables.get(&identity(node));
            return Ok(found.map(|v| Symbol::Variable(*v)).into_iter().collect());
        }
        Ok(match &*node.op {
            "_Arg" => {
                let index = node.attr_int("index").ok().and_then(|i| usize::try_from(i).ok());
                vec![index.and_then(|i| args.get(i)).cloned().unwrap_or(Symbol::Other)]
            }
            "Const" => vec![Symbol::Constant(node.attr_tensor("value")?.clone())],
            "Identity" | "EnsureShape" | "StopGradient" => vec![input(0)],
            "IdentityN" => (0..node.inputs.len()).map(input).collect(),
            "Reshape" => vec![reshape(input(0), &input(1))],
            "RestoreV2" => match (strings(&input(1)), strings(&input(2))) {
                (Some(keys), Some(slices)) if keys.len() == slices.len() => {
                    let pairs = keys.into_iter().zip(slices);
                    pairs.map(|(key, slice)| Symbol::Stored { key, slice, shape: None }).collect()
                }
                _ => self.effect(),
            },
            "AssignVariableOp" | "Assign" => {
                let to = input(0);
                match (&to, input(1)) {
                    (Symbol::Variable(variable), Symbol::Stored { key, slice, shape }) => {
                        let variable = *variable;
                        self.traced.assignments.push(Assignment { variable, key, slice, shape });
                    }
                    _ => self.traced.only_variables = false,
                }
                if &*node.op == "Assign" { vec![to] } else { Vec::new() }
            }
            "PartitionedCall" | "StatefulPartitionedCall" => {
                let args: Vec<Symbol> = (0..node.inputs.len()).map(input).collect();
                let callee = self.model.library.get(&node.attr_func("f")?.name).cloned();
                match callee {
                    Some(f) => self.call(&f, &args)?,
                    None => self.effect(),
                }
            }
            "DisableCopyOnRead" => Vec::new(),
            _ if node.is_stateful() => self.effect(),
            _ => Vec::new(),
        })
    }

    fn call(&mut self, callee: &Function, args: &[Symbol]) -> Result<Vec<Symbol>> {
        let values = self.graph(&callee.graph, None, args)?;
        let results = callee.results.iter();
        Ok(results.map(|r| values.get(&r.endpoint).cloned().unwrap_or(Symbol::Other)).collect())
    }

    /// Something else happens than assigning variables.
    fn effect(&mut self) -> Vec<Symbol> {
        self.traced.only_variables = false;
        Vec::new()
    }
}

fn strings(symbol: &Symbol) -> Option<Vec<String>> {
    let Symbol::Constant(value) = symbol else { return None };
    let tensor = value.to_tensor().ok()?;
    tensor.as_strings()?.iter().map(|s| String::from_utf8(s.clone()).ok()).collect()
}

fn reshape(value: Symbol, shape: &Symbol) -> Symbol {
    let dims = match shape {
        Symbol::Constant(v) if v.elements() <= limits::RANK_MAX => {
            v.to_tensor().and_then(|t| t.to_i64s()).and_then(|d| Shape::from_i64(&d)).ok()
        }
        _ => None,
    };
    match (value, dims) {
        (Symbol::Stored { key, slice, .. }, Some(dims)) => {
            Symbol::Stored { key, slice, shape: Some(dims) }
        }
        _ => Symbol::Other,
    }
}
