//! Whether calls resolve, their types match, and no function calls itself.

use rustc_hash::FxHashMap;
use tfjit_base::{Error, limits};

use super::structure::Order;
use super::{Problems, place};
use crate::infer::accepts;
use crate::{Func, InstId, Module, Op, Type};

/// Checks all calls; `orders` are the walks of the functions whose structure is sound.
pub(super) fn check(module: &Module, orders: &[Option<Order>], problems: &mut Problems) {
    let names = module.funcs.iter().enumerate().map(|(i, f)| (f.name.as_str(), i));
    let names: FxHashMap<&str, usize> = names.collect();
    let mut edges: Vec<Vec<usize>> = Vec::with_capacity(module.funcs.len());
    for (func, order) in module.funcs.iter().zip(orders) {
        let mut callees = Vec::new();
        for &inst in order.iter().flat_map(|order| &order.insts) {
            for callee in called(&func.insts[inst].op) {
                match names.get(callee) {
                    Some(&i) => {
                        callees.push(i);
                        signature(func, inst, &module.funcs[i], orders[i].is_some(), problems);
                    }
                    None => problems.push(
                        Error::invalid_argument(format!("it calls @{callee}, which is not there"))
                            .at(place(func, inst)),
                    ),
                }
            }
        }
        callees.sort_unstable();
        callees.dedup();
        edges.push(callees);
    }
    depth(module, &edges, problems);
}

/// The functions an operation calls by name.
fn called(op: &Op) -> Vec<&str> {
    match op {
        Op::Call { callee } => vec![callee],
        Op::Composite(composite) => vec![&composite.decomposition],
        Op::CustomCall(call) => call.called_computations.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Checks operands and results of a call against the function called. What a custom call does
/// with its functions is its own affair.
fn signature(func: &Func, id: InstId, callee: &Func, sound: bool, problems: &mut Problems) {
    let inst = &func.insts[id];
    if !sound || matches!(inst.op, Op::CustomCall(_)) {
        return;
    }
    let types = |values: &[crate::ValueId]| -> Vec<Type> {
        values.iter().map(|&v| func.ty(v).clone()).collect()
    };
    let params: Vec<Type> = callee.param_types().cloned().collect();
    for (what, wanted, given) in [
        ("operand", &params, types(&inst.operands)),
        ("result", &callee.result_types, types(&inst.results)),
    ] {
        if wanted.len() != given.len() {
            let (n, m) = (given.len(), wanted.len());
            problems.inst(func, id, format!("{n} {what}s, but @{} has {m}", callee.name));
        }
        for (i, (wanted, given)) in wanted.iter().zip(&given).enumerate() {
            if !accepts(wanted, given) {
                let text = format!("{what} {i} is not of the type that @{} has", callee.name);
                problems.inst(func, id, text);
            }
        }
    }
}

/// Checks that calls do not recur and do not nest too deep.
fn depth(module: &Module, edges: &[Vec<usize>], problems: &mut Problems) {
    // 0 for not seen, 1 for being walked, else 1 more than the height of the calls below.
    let mut heights = vec![0usize; edges.len()];
    for root in 0..edges.len() {
        if heights[root] != 0 {
            continue;
        }
        heights[root] = 1;
        let mut stack = vec![(root, 0usize)];
        while let Some((at, next)) = stack.last_mut() {
            let at = *at;
            let Some(&callee) = edges[at].get(*next) else {
                let below = edges[at].iter().map(|&c| heights[c]).max().unwrap_or(1);
                heights[at] = below + 1;
                stack.pop();
                continue;
            };
            *next += 1;
            match heights[callee] {
                0 => {
                    heights[callee] = 1;
                    stack.push((callee, 0));
                }
                1 => {
                    let text = format!("it calls @{} again", module.funcs[callee].name);
                    return problems.func(&module.funcs[at], text);
                }
                _ => {}
            }
        }
    }
    if heights.iter().any(|&height| height > limits::CALL_DEPTH_MAX + 2) {
        let text = format!("calls nest deeper than {}", limits::CALL_DEPTH_MAX);
        problems.push(Error::resource_exhausted(text));
    }
}
