//! Programs that check themselves, on the CPU compiler.
//!
//! The compiler knows no checks: a function is cut into what it computes, which is compiled with
//! its constants as arguments (else they would all be folded), and its checks, which the
//! interpreter runs on what comes out.

use std::collections::HashSet;

use anyhow::{Context, Result};
use tfjit_base::{Code, Tensor};
use tfjit_client::{Argument, Buffer, Client, CompileOptions, ExecuteOptions};
use tfjit_eval::{Interpreter, Options, Value};
use tfjit_hlo::{Func, InstId, Module, Op, Type, ValueId, verify};
use tfjit_local::LocalClient;

/// A function in two parts.
struct Parts {
    /// What is computed; its results are what the checks look at.
    computed: Module,
    /// The constants, where they are parameters of it.
    arguments: Vec<Tensor>,
    /// The checks, in a function of the same name with these results as parameters.
    checks: Module,
    count: usize,
}

/// Runs every function of a test program whose checks are all in its body; gives the number of
/// checks that passed.
///
/// # Errors
/// Those of compiling and running, and the first check that fails.
pub(crate) fn run_checks(client: &LocalClient, module: &Module) -> Result<usize> {
    let main = module.func("main");
    let all = module.funcs.iter().filter(|f| f.public && f.params().is_empty());
    let funcs: Vec<&Func> = main.map_or_else(|| all.collect(), |main| vec![main]);
    let mut passed = 0;
    for func in funcs {
        let here = || format!("function {}", func.name);
        let Some(open) = parts(module, func, true).with_context(here)? else { continue };
        let outcome = match run(client, &open, &func.name) {
            // What shapes are made from has to be constant.
            Err(e) if shapes_are_unknown(&e) => match parts(module, func, false)? {
                Some(closed) => run(client, &closed, &func.name),
                None => Err(e),
            },
            other => other,
        };
        passed += outcome.with_context(here)?;
    }
    Ok(passed)
}

fn shapes_are_unknown(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<tfjit_base::Error>();
    error.is_some_and(|e| matches!(e.code(), Code::Unimplemented | Code::InvalidArgument))
}

fn run(client: &LocalClient, parts: &Parts, name: &str) -> Result<usize> {
    let executable = client.compile(parts.computed.clone(), &CompileOptions::default())?;
    let argument = |t: &Tensor| Argument { buffer: Buffer::Host(t.clone()), donate: false };
    let arguments = parts.arguments.iter().map(argument).collect();
    let results = executable.execute(arguments, &ExecuteOptions::default())?;
    let values = results.iter().map(|b| Ok(Value::Tensor(b.to_host()?)));
    let values: Vec<Value> = values.collect::<tfjit_base::Result<_>>()?;
    Interpreter::new(&parts.checks, Options::default()).run(name, &values)?;
    Ok(parts.count)
}

/// Cuts a function; `None` when it has checks elsewhere, or checks something else than tensors of
/// known size.
fn parts(module: &Module, func: &Func, open: bool) -> Result<Option<Parts>> {
    let body = &func.blocks[func.entry].insts;
    let (checks, rest): (Vec<InstId>, Vec<InstId>) =
        body.iter().partition(|&&inst| is_check(&func.insts[inst].op));
    let others = module.funcs.iter().filter(|f| f.name != func.name);
    let hidden = others.flat_map(|f| f.insts.iter().map(|(_, inst)| &inst.op)).any(is_tool);
    let inside: HashSet<InstId> = checks.iter().copied().collect();
    let hidden =
        hidden || func.walk().iter().any(|i| !inside.contains(i) && is_tool(&func.insts[*i].op));
    if hidden || checks.is_empty() {
        return Ok(None);
    }
    let (constants, work): (Vec<InstId>, Vec<InstId>) =
        rest.into_iter().partition(|&inst| matches!(func.insts[inst].op, Op::Constant(_)));
    let given: HashSet<ValueId> =
        constants.iter().flat_map(|&inst| func.insts[inst].results.iter().copied()).collect();
    let mut looked_at: Vec<ValueId> = Vec::new();
    for value in checks.iter().flat_map(|&inst| func.insts[inst].operands.iter().copied()) {
        if !given.contains(&value) && !looked_at.contains(&value) {
            looked_at.push(value);
        }
    }
    // A launch has results of known size.
    let sized = |ty: &Type| matches!(ty, Type::Tensor(ty) if ty.is_static());
    if !looked_at.iter().all(|&value| sized(func.ty(value))) {
        return Ok(None);
    }

    let mut arguments = Vec::new();
    let mut compute = func.clone();
    let entry = compute.entry;
    compute.result_types = looked_at.iter().map(|&v| func.ty(v).clone()).collect();
    compute.result_attrs.clear();
    compute.blocks[entry].results.clone_from(&looked_at);
    if open {
        for &inst in &constants {
            let Op::Constant(literal) = &func.insts[inst].op else { continue };
            arguments.push(literal.to_tensor()?);
            let value = func.insts[inst].results[0];
            let param = compute.add_param(entry, func.ty(value).clone());
            replace(&mut compute, value, param);
        }
        compute.blocks[entry].insts = work;
    } else {
        compute.blocks[entry].insts.retain(|inst| !inside.contains(inst));
    }

    let mut check = func.clone();
    check.blocks[entry].insts = constants.iter().chain(&checks).copied().collect();
    check.blocks[entry].results.clear();
    check.result_types.clear();
    for value in looked_at {
        let param = check.add_param(entry, func.ty(value).clone());
        replace(&mut check, value, param);
    }
    let parts = Parts {
        computed: with_entry(module, compute)?,
        arguments,
        checks: with_entry(module, check)?,
        count: checks.len(),
    };
    Ok(Some(parts))
}

fn is_check(op: &Op) -> bool {
    matches!(op, Op::CustomCall(call) if call.call_target_name.starts_with("check.")
        && call.call_target_name != "check.expect_serialized_eq")
}

/// Whether only the interpreter knows the operation.
fn is_tool(op: &Op) -> bool {
    let tool = |name: &str| name.starts_with("check.") || name.starts_with("interpreter.");
    matches!(op, Op::CustomCall(call) if tool(&call.call_target_name))
}

fn replace(func: &mut Func, from: ValueId, to: ValueId) {
    let swap = |value: &mut ValueId| {
        if *value == from {
            *value = to;
        }
    };
    for inst in func.insts.ids().collect::<Vec<_>>() {
        func.insts[inst].operands.iter_mut().for_each(swap);
    }
    for block in func.blocks.ids().collect::<Vec<_>>() {
        func.blocks[block].results.iter_mut().for_each(swap);
    }
}

/// The module with `func` in place of the function of its name, as the only public one.
fn with_entry(module: &Module, func: Func) -> Result<Module> {
    let mut module = module.clone();
    for old in &mut module.funcs {
        old.public = old.name == func.name;
        if old.public {
            *old = func.clone();
        }
    }
    verify(&module)?;
    Ok(module)
}
