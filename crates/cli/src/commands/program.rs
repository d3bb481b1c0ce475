//! StableHLO programs in text form: they are run as they are, without a model around them.

use std::path::Path;
use std::time::Instant;

use tfjit::{Options, TensorSpec, Times};
use tfjit_base::{Error, PartialShape, Result, Tensor};
use tfjit_hlo::{DYNAMIC, Func, Module, Type};

use super::profile;
use super::run::{Targets, print_output, times_text};
use super::stages::no_stage;
use super::subject::{Feeds, Inputs, options};
use crate::args::{ExplainArgs, InputArgs, RunArgs, Stage};
use crate::console::{Console, Style};
use crate::failure::Failure;
use crate::progress;
use crate::table::{Align, Table, count_text};
use crate::value::read_file;

/// Whether the file is a program by its name.
pub(super) fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "mlir" || e == "stablehlo")
}

/// Reads the modules of a program.
///
/// # Errors
/// INVALID_ARGUMENT with line and column.
pub(super) fn read(path: &Path) -> Result<Vec<Module>> {
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        Error::invalid_argument(format!("{} is not a text file", path.display()))
            .help("bytecode is not read; print the program as text")
    })?;
    tfjit_hlo::parse_file(text).map_err(|e| e.context(path.display()))
}

/// Prints what the public functions of a program take and give.
///
/// # Errors
/// Those of reading, and of writing to stdout.
pub(super) fn show(path: &Path, console: &mut Console) -> Result<(), Failure> {
    for module in read(path)? {
        let insts = |f: &tfjit_hlo::Func| f.insts.len();
        let count: usize = module.funcs.iter().map(insts).sum();
        let label = console.style(Style::Faint, "model     ");
        console.line(format!(
            "{label}  StableHLO program {}, {}",
            path.display(),
            count_text(count, "instruction")
        ))?;
        for func in module.funcs.iter().filter(|f| f.public) {
            let title = console.style(Style::Heading, &format!("function {}", func.name));
            console.line(format!("\n{title}"))?;
            let mut table = Table::new(&[Align::Left; 3]);
            for (i, ty) in func.param_types().enumerate() {
                table.row(["in".to_owned(), i.to_string(), ty.to_string()]);
            }
            for (i, ty) in func.result_types.iter().enumerate() {
                table.row(["out".to_owned(), i.to_string(), ty.to_string()]);
            }
            console.print(table.text(2))?;
        }
    }
    Ok(())
}

/// Runs a program and prints its results.
///
/// # Errors
/// FAILED_PRECONDITION for an assertion that does not hold; those of reading and running.
pub(super) fn run(path: &Path, args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    let inputs = Inputs::parse(&args.inputs, console)?;
    let targets = Targets::new(args)?;
    let start = Instant::now();
    let modules = progress::during(console, "reading", || read(path))?;
    let read_time = start.elapsed();
    if args.stage.to.is_some_and(|stage| stage == Stage::Read) {
        return modules.iter().try_for_each(|module| console.print(module.to_string()));
    }
    let options = options(&args.engine, args.threads);
    if let Some(stage) = args.stage.to.and_then(Stage::of_client) {
        return print_stage(&modules, stage, &options, console);
    }
    let start = Instant::now();
    let mut values: Vec<(String, Tensor)> = Vec::new();
    for module in &modules {
        let arguments = arguments(module, &inputs)?;
        let results = progress::during(console, "running", || {
            tfjit::run_module(module, &arguments, &options)
        })?;
        let named = results.into_iter().enumerate();
        let first = values.len();
        values.extend(named.map(|(i, value)| ((first + i).to_string(), value)));
    }
    let times =
        Times { launch: start.elapsed(), launches: modules.len() as u64, ..Times::default() };
    targets.write(&values)?;
    for (name, value) in &values {
        print_output(name, value, args.values, console)?;
    }
    targets.announce(&values, console)?;
    profile::print(&options, console)?;
    console.flush()?;
    console.note(&times_text(read_time, &times));
    Ok(())
}

/// Prints what a stage of the backend made of the modules.
///
/// # Errors
/// UNIMPLEMENTED when the backend has no such stage; those of compiling.
pub(super) fn print_stage(
    modules: &[Module],
    stage: &str,
    options: &Options,
    console: &mut Console,
) -> Result<(), Failure> {
    for module in modules {
        match tfjit::module_text(module, stage, options)? {
            Some(text) => console.print(text)?,
            None => return Err(no_stage(stage, options).into()),
        }
    }
    Ok(())
}

/// Says what the backend makes of the modules; of those it makes nothing of, the text.
///
/// # Errors
/// Those of reading, compiling and, when a profile is asked for, running.
pub(super) fn explain(
    path: &Path,
    args: &ExplainArgs,
    console: &mut Console,
) -> Result<(), Failure> {
    let modules = read(path)?;
    let options = options(&args.engine, None);
    if let Some(stage) = args.stage.to.and_then(Stage::of_client) {
        return print_stage(&modules, stage, &options, console);
    }
    for module in &modules {
        let explained = match module.entry() {
            Some(_) if args.stage.to.is_none() => tfjit::module_text(module, "explain", &options)?,
            _ => None,
        };
        console.print(explained.unwrap_or_else(|| module.to_string()))?;
        if let (Some(entry), Some(_)) = (module.entry(), &options.profiler) {
            let shapes = InputArgs { shape: args.shape.clone(), ..made_up() };
            let feeds = Inputs::parse(&shapes, console)?.all_feeds(&specs(entry)?, None)?;
            let values: Vec<Tensor> = feeds.into_iter().map(|(_, value)| value).collect();
            let (executable, _) = tfjit::compile_module(module, &options)?;
            progress::during(console, "measuring", || {
                profile::collect(&options, || {
                    tfjit::launch_module(&executable, &values, &options).map(drop)
                })
            })?;
        }
    }
    profile::print(&options, console)
}

/// Inputs without any value given.
pub(super) fn made_up() -> InputArgs {
    InputArgs { image_scale: "0..1".to_owned(), ..InputArgs::default() }
}

/// What the entry takes; parameters are named by their position.
///
/// # Errors
/// UNIMPLEMENTED for parameters that are no tensors.
pub(super) fn specs(entry: &Func) -> Result<Vec<TensorSpec>> {
    entry.param_types().enumerate().map(|(i, ty)| spec(i, ty)).collect()
}

/// Values for all parameters of the entry, which are named by their position.
fn arguments(module: &Module, inputs: &Inputs) -> Result<Vec<Tensor>> {
    let Some(entry) = module.entry() else { return Ok(Vec::new()) };
    let specs = specs(entry)?;
    let feeds = inputs.feeds(&specs, None)?;
    in_order(&specs, feeds)
}

/// The values in the order of the parameters.
///
/// # Errors
/// INVALID_ARGUMENT naming the first without a value.
pub(super) fn in_order(specs: &[TensorSpec], mut feeds: Feeds) -> Result<Vec<Tensor>> {
    specs
        .iter()
        .map(|spec| {
            let at = feeds.iter().position(|(name, _)| *name == spec.name).ok_or_else(|| {
                Error::invalid_argument(format!("argument {} has no value", spec.name))
                    .help(format!("give one: --input {}=VALUE", spec.name))
            })?;
            Ok(feeds.swap_remove(at).1)
        })
        .collect()
}

fn spec(position: usize, ty: &Type) -> Result<TensorSpec> {
    let tensor = ty.as_tensor().ok_or_else(|| {
        Error::unimplemented(format!("argument {position} of type {ty} cannot be given"))
    })?;
    let dim = |d: &i64| if *d == DYNAMIC { None } else { usize::try_from(*d).ok() };
    Ok(TensorSpec {
        name: position.to_string(),
        tftype: tfjit_model::tf_type(tensor.dtype),
        shape: PartialShape::new(tensor.dims.iter().map(dim).collect()),
    })
}
