//! Programs in StableHLO's text form, run on their own.

use std::sync::Arc;
use std::time::Instant;

use tfjit_base::{Error, Result, Tensor};
use tfjit_client::{Argument, Buffer, Client, CompileOptions, Executable, ExecuteOptions, Profile};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::{Func, Module, Op, TensorType};
use tfjit_launch::Times;

use crate::{Backend, Options, backend};

/// Runs the entry of `module`. When nothing is called `main`, every public function without
/// parameters runs on the interpreter, as in StableHLO's own test programs; custom calls named
/// `check.…` are assertions. Programs with parameters or results of unknown size run there too.
///
/// # Errors
/// FAILED_PRECONDITION for an assertion that does not hold; INVALID_ARGUMENT when the module has
/// nothing to run or the arguments don't fit; UNIMPLEMENTED for what the backend can't compile.
pub fn run_module(module: &Module, arguments: &[Tensor], options: &Options) -> Result<Vec<Tensor>> {
    tfjit_hlo::verify(module)?;
    if module.entry().is_some_and(is_sized) && options.backend != Backend::Eval {
        return launch(module, arguments, options);
    }
    let names: Vec<&str> = match module.entry() {
        Some(entry) => vec![&entry.name],
        None => {
            let runs = |f: &&tfjit_hlo::Func| f.public && f.params().is_empty();
            module.funcs.iter().filter(runs).map(|f| f.name.as_str()).collect()
        }
    };
    if names.is_empty() {
        return Err(Error::invalid_argument(
            "the program has no function main and no public function without parameters",
        ));
    }
    let values: Vec<Value> = arguments.iter().cloned().map(Value::Tensor).collect();
    let mut outputs = Vec::new();
    for name in names {
        let options = tfjit_eval::Options::default();
        let results =
            Interpreter::new(module, options).run(name, &values).map_err(|e| e.at(name))?;
        outputs.extend(results.into_iter().filter_map(|value| match value {
            Value::Tensor(t) => Some(t),
            _ => None,
        }));
    }
    Ok(outputs)
}

/// Whether all sizes of parameters and results are known, as launches need it.
fn is_sized(func: &Func) -> bool {
    let mut types = func.param_types().chain(&func.result_types);
    types.all(|ty| ty.as_tensor().is_none_or(TensorType::is_static))
}

/// The text of a stage (`optimise`, `plan`, `kernels`, `asm`, `explain`) of the module's
/// compilation, if the backend has one.
///
/// # Errors
/// UNIMPLEMENTED for what the backend can't compile.
pub fn module_text(module: &Module, stage: &str, options: &Options) -> Result<Option<String>> {
    tfjit_hlo::verify(module)?;
    let options = Options { keep_text: true, ..options.clone() };
    Ok(compile_module(module, &options)?.0.text(stage))
}

/// Optimises and compiles the entry of `module`; returns what runs, and where the time went.
///
/// # Errors
/// UNIMPLEMENTED for what the backend can't compile.
pub fn compile_module(module: &Module, options: &Options) -> Result<(Arc<dyn Executable>, Times)> {
    compile(&*backend::client(options), module.clone(), options)
}

fn compile(
    client: &dyn Client,
    mut module: Module,
    options: &Options,
) -> Result<(Arc<dyn Executable>, Times)> {
    let start = Instant::now();
    keep_assertions(&mut module);
    if options.optimise {
        tfjit_launch::optimise(&mut module, options.fuel)?;
    }
    let optimise = start.elapsed();
    let compiling = CompileOptions { keep_text: options.keep_text, ..CompileOptions::default() };
    let executable = client.compile(module, &compiling)?;
    let compile = start.elapsed() - optimise;
    Ok((executable, Times { optimise, compile, compiles: 1, ..Times::default() }))
}

/// Makes assertions effects, which nobody may take away. Test programs write them as calls without
/// any, and passes are right to drop such calls when nobody reads their results.
fn keep_assertions(module: &mut Module) {
    for func in &mut module.funcs {
        for id in func.insts.ids() {
            if let Op::CustomCall(call) = &mut func.insts[id].op
                && call.call_target_name.starts_with("check.")
            {
                call.has_side_effect = true;
            }
        }
    }
}

fn launch(module: &Module, arguments: &[Tensor], options: &Options) -> Result<Vec<Tensor>> {
    let (executable, _) = compile_module(module, options)?;
    launch_module(&executable, arguments, options)
}

/// Runs what [`compile_module`] made.
///
/// # Errors
/// INVALID_ARGUMENT when the arguments don't fit; what the program itself reports.
pub fn launch_module(
    executable: &Arc<dyn Executable>,
    arguments: &[Tensor],
    options: &Options,
) -> Result<Vec<Tensor>> {
    let host = |tensor: &Tensor| Argument { buffer: Buffer::Host(tensor.clone()), donate: false };
    let arguments = arguments.iter().map(host).collect();
    let profiler = options.profiler.as_deref();
    let watch = profiler.and_then(|profiler| profiler.launch(executable.name(), executable));
    let running = ExecuteOptions {
        threads: options.threads,
        profile: watch.clone().map(|watch| watch as Arc<dyn Profile>),
        ..ExecuteOptions::default()
    };
    let results = executable.execute(arguments, &running)?;
    if let Some(watch) = watch {
        watch.stop();
    }
    results.iter().map(|buffer| buffer.to_host()).collect()
}
