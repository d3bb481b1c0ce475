//! Who calls whom.

use rustc_hash::FxHashMap;
use tfjit_hlo::{Attr, Func, Module, Op};

/// The functions that an operation names.
pub(crate) fn named(op: &Op) -> Vec<&str> {
    match op {
        Op::Call { callee } => vec![callee],
        Op::Composite(composite) => vec![&composite.decomposition],
        Op::CustomCall(call) => {
            let mut names: Vec<&str> =
                call.called_computations.iter().map(String::as_str).collect();
            call.rest.values().for_each(|attr| symbols(attr, &mut names));
            names
        }
        _ => Vec::new(),
    }
}

/// The symbols in an attribute: a custom call may run functions that it names anywhere.
fn symbols<'a>(attr: &'a Attr, names: &mut Vec<&'a str>) {
    match attr {
        Attr::Symbol(name) => names.push(name),
        Attr::Array(parts) => parts.iter().for_each(|part| symbols(part, names)),
        Attr::Dict(attrs) => attrs.values().for_each(|part| symbols(part, names)),
        _ => {}
    }
}

/// The functions that `func` names, as often as it does.
pub(crate) fn callees(func: &Func) -> Vec<&str> {
    func.walk().into_iter().flat_map(|inst| named(&func.insts[inst].op)).collect()
}

/// Positions of functions by name.
pub(crate) fn positions(module: &Module) -> FxHashMap<&str, usize> {
    module.funcs.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect()
}

/// Positions of all functions, those that are called before those that call them.
pub(crate) fn callees_first(module: &Module) -> Vec<usize> {
    enum Step {
        Enter(usize),
        Leave(usize),
    }
    let positions = positions(module);
    let mut seen = vec![false; module.funcs.len()];
    let mut order = Vec::with_capacity(module.funcs.len());
    let mut stack: Vec<Step> = (0..module.funcs.len()).rev().map(Step::Enter).collect();
    while let Some(step) = stack.pop() {
        match step {
            Step::Leave(at) => order.push(at),
            Step::Enter(at) => {
                if std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                stack.push(Step::Leave(at));
                let callees = callees(&module.funcs[at]);
                let known = callees.iter().filter_map(|name| positions.get(name).copied());
                stack.extend(known.filter(|&i| !seen[i]).map(Step::Enter));
            }
        }
    }
    order
}
