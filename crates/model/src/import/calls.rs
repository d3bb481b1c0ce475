//! Calls: every function that is called must be there and fit, and calls may not recurse.
//!
//! All walks are iterative; depth and inlined size of the call tree are bounded here, so that
//! later stages may walk it as they like.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tfjit_base::{Error, Result, limits};

use super::Place;
use super::functions::Imported;
use super::nodes::with_hint;
use crate::attr::AttrValue;
use crate::function::{Function, FunctionLibrary};
use crate::graph::Graph;
use crate::node::Node;
use crate::optable::{self, AttrKind};
use crate::problems::Problems;
use crate::{TfType, suggest, tftype};

impl Node {
    /// The functions this node's attributes name, as its op defines them, and its op if that is
    /// a function of `library`.
    pub fn callees<'n>(&'n self, library: &FunctionLibrary) -> Vec<&'n str> {
        let mut out = Vec::new();
        if library.get(&self.op).is_some() {
            out.push(&*self.op);
        }
        self.each_func(|_, name| out.push(name));
        out
    }

    /// Callees that are no functions of `library`, where no plain op may stand for one.
    pub(crate) fn missing_callees<'n>(&'n self, library: &FunctionLibrary) -> Vec<&'n str> {
        let mut out = Vec::new();
        if self.def.is_some()
            && library.get(&self.op).is_none()
            && optable::find(&self.op).is_none()
        {
            out.push(&*self.op);
        }
        if &*self.op != "SymbolicGradient" {
            self.each_func(|_, name| out.extend(library.get(name).is_none().then_some(name)));
        }
        out
    }

    fn each_func<'n>(&'n self, mut visit: impl FnMut(&str, &'n str)) {
        let Some(def) = &self.def else { return };
        for attr in def.attrs.iter().filter(|a| a.kind == AttrKind::Func) {
            for func in self.attrs.get(&attr.name).map_or(&[][..], AttrValue::funcs) {
                visit(&attr.name, &func.name);
            }
        }
    }
}

/// How an op passes its inputs to a function it names, and takes its outputs from it.
struct Row {
    op: &'static str,
    func: &'static str,
    /// The `list(type)` attribute with the types of the parameters.
    params: &'static str,
    /// The `list(type)` attribute with the types of the results; empty: one condition.
    results: &'static str,
}

const fn row(
    op: &'static str,
    func: &'static str,
    params: &'static str,
    results: &'static str,
) -> Row {
    Row { op, func, params, results }
}

const ROWS: &[Row] = &[
    row("PartitionedCall", "f", "Tin", "Tout"),
    row("StatefulPartitionedCall", "f", "Tin", "Tout"),
    row("RemoteCall", "f", "Tin", "Tout"),
    row("If", "then_branch", "Tin", "Tout"),
    row("If", "else_branch", "Tin", "Tout"),
    row("StatelessIf", "then_branch", "Tin", "Tout"),
    row("StatelessIf", "else_branch", "Tin", "Tout"),
    row("Case", "branches", "Tin", "Tout"),
    row("StatelessCase", "branches", "Tin", "Tout"),
    row("While", "cond", "T", ""),
    row("While", "body", "T", "T"),
    row("StatelessWhile", "cond", "T", ""),
    row("StatelessWhile", "body", "T", "T"),
];

/// Checks all calls of a file.
pub(crate) fn check(imported: &Imported, graph: &Graph, problems: &mut Problems) {
    check_graph(imported, graph, Place { function: None }, problems);
    for f in imported.library.iter() {
        check_graph(imported, &f.graph, Place { function: Some(&f.name) }, problems);
    }
    check_tree(&imported.library, problems);
}

fn check_graph(imported: &Imported, graph: &Graph, place: Place<'_>, problems: &mut Problems) {
    for (_, node) in graph.iter() {
        node.each_func(|attr, name| {
            if let Err(e) = check_call(imported, node, attr, name) {
                let e = e.context(format!("{} node, attribute {attr}", node.op));
                problems.error(place.blame(e, &node.name));
            }
        });
    }
}

fn check_call(imported: &Imported, node: &Node, attr: &str, name: &str) -> Result<()> {
    let Some(callee) = imported.library.get(name) else {
        // The gradient of a plain op may be asked for; generic functions have no graph to check.
        let op = &*node.op == "SymbolicGradient" && optable::find(name).is_some();
        if op || imported.generic.contains(name) || imported.signatures.contains_key(name) {
            return Ok(());
        }
        let e = Error::invalid_argument(format!("there is no function called {name}"));
        let known = imported.library.iter().map(|f| &*f.name);
        return Err(with_hint(e, suggest::hint(name, known)));
    };
    let Some(row) = ROWS.iter().find(|r| r.op == &*node.op && r.func == attr) else {
        return Ok(());
    };
    let params = callee.params.iter().map(|p| p.tftype);
    fits(callee, "parameters", params, node.attr_types(row.params)?)?;
    if row.results.is_empty() {
        return match callee.results.len() {
            1 => Ok(()),
            n => Err(Error::invalid_argument(format!("the condition {name} has {n} results"))),
        };
    }
    let results = callee.results.iter().map(|r| r.tftype);
    fits(callee, "results", results, node.attr_types(row.results)?)
}

fn fits(
    callee: &Function,
    what: &str,
    have: impl ExactSizeIterator<Item = TfType>,
    want: &[TfType],
) -> Result<()> {
    if have.len() != want.len() {
        return Err(Error::invalid_argument(format!(
            "the function {} has {} {what}, the call {}",
            callee.name,
            have.len(),
            want.len()
        )));
    }
    for (at, (have, want)) in have.zip(want).enumerate() {
        if tftype::base_type(have) != *want {
            return Err(Error::invalid_argument(format!(
                "the function {} has {} among its {what} at {at}, the call {}",
                callee.name,
                tftype::tf_name(have),
                tftype::tf_name(*want)
            )));
        }
    }
    Ok(())
}

/// What is known of a function once its callees are done.
#[derive(Clone, Copy)]
struct Measure {
    depth: usize,
    nodes: usize,
}

enum Visit {
    Open,
    Done(Measure),
}

struct Frame<'a> {
    name: &'a str,
    callees: Vec<&'a str>,
    next: usize,
    measure: Measure,
}

fn check_tree(library: &FunctionLibrary, problems: &mut Problems) {
    let mut state: FxHashMap<&str, Visit> = FxHashMap::default();
    let mut reported = (false, false);
    let mut cycles: FxHashSet<&str> = FxHashSet::default();
    for root in library.iter() {
        let mut stack: Vec<Frame<'_>> = Vec::new();
        enter(root, library, &mut state, &mut stack);
        while let Some(frame) = stack.last_mut() {
            let Some(&callee) = frame.callees.get(frame.next) else {
                let (name, measure) = (frame.name, frame.measure);
                stack.pop();
                state.insert(name, Visit::Done(measure));
                check_measure(name, measure, &mut reported, problems);
                continue;
            };
            match state.get(callee) {
                Some(Visit::Done(m)) => {
                    frame.next += 1;
                    frame.measure.depth = frame.measure.depth.max(m.depth + 1);
                    frame.measure.nodes = frame.measure.nodes.saturating_add(m.nodes);
                }
                Some(Visit::Open) => {
                    frame.next += 1;
                    if cycles.insert(callee) {
                        problems.error(recursion(&stack, callee));
                    }
                }
                None => match library.get(callee) {
                    Some(f) => enter(f, library, &mut state, &mut stack),
                    None => frame.next += 1,
                },
            }
        }
    }
}

fn enter<'a>(
    function: &'a Arc<Function>,
    library: &FunctionLibrary,
    state: &mut FxHashMap<&'a str, Visit>,
    stack: &mut Vec<Frame<'a>>,
) {
    if state.contains_key(&*function.name) {
        return;
    }
    state.insert(&function.name, Visit::Open);
    let callees = function.graph.iter().flat_map(|(_, n)| n.callees(library)).collect();
    let measure = Measure { depth: 1, nodes: function.graph.len() };
    stack.push(Frame { name: &function.name, callees, next: 0, measure });
}

fn recursion(stack: &[Frame<'_>], entry: &str) -> Error {
    const SHOWN: usize = 8;
    let from = stack.iter().position(|f| f.name == entry).unwrap_or(0);
    let mut text = String::new();
    for frame in stack[from..].iter().take(SHOWN) {
        text.push_str(frame.name);
        text.push_str(" calls ");
    }
    if stack.len() - from > SHOWN {
        text.push_str("... calls ");
    }
    Error::invalid_argument(format!("functions are recursive: {text}{entry}"))
        .at(format!("function {entry}"))
        .help("recursion is not part of TensorFlow's graphs; a While node is")
}

fn check_measure(
    name: &str,
    measure: Measure,
    reported: &mut (bool, bool),
    problems: &mut Problems,
) {
    if measure.depth > limits::CALL_DEPTH_MAX && !std::mem::replace(&mut reported.0, true) {
        let e = Error::resource_exhausted(format!(
            "function calls are nested deeper than {}",
            limits::CALL_DEPTH_MAX
        ));
        problems.error(e.at(format!("function {name}")));
    }
    if measure.nodes > limits::INLINED_NODES_MAX && !std::mem::replace(&mut reported.1, true) {
        let e = Error::resource_exhausted(format!(
            "the function stands for more than {} nodes when its calls are inlined",
            limits::INLINED_NODES_MAX
        ));
        problems.error(e.at(format!("function {name}")));
    }
}

/// Functions that nodes of `graph` (those marked in `live`) call, directly or not.
pub(crate) fn reached_functions<'a>(
    library: &'a FunctionLibrary,
    graph: &Graph,
    live: &[bool],
) -> Vec<&'a Arc<Function>> {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut out: Vec<&Arc<Function>> = Vec::new();
    let start = graph.iter().zip(live).filter(|(_, live)| **live);
    let mut todo: Vec<String> =
        start.flat_map(|((_, n), _)| n.callees(library).into_iter().map(String::from)).collect();
    while let Some(name) = todo.pop() {
        let Some(f) = library.get(&name) else { continue };
        if seen.insert(&f.name) {
            out.push(f);
            let names = f.graph.iter().flat_map(|(_, n)| n.callees(library));
            todo.extend(names.filter(|n| !seen.contains(n)).map(String::from));
        }
    }
    out
}
