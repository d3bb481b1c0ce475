//! The stages that a text test can name: one row each.

use anyhow::{Context, Result, bail, ensure};
use tfjit_bridge::Arg;
use tfjit_eval::{Interpreter, Options, evaluate_constants};
use tfjit_hlo::{Fuel, Module, TensorType, parse, parse_file, print_generic, verify};
use tfjit_local::{LocalClient, LocalOptions};
use tfjit_opt::PassRow;

use crate::compiled;

/// One stage.
pub struct Stage {
    /// What a test file writes behind `stage:`, without arguments.
    pub name: &'static str,
    /// What is done and what comes out.
    pub doc: &'static str,
    run: fn(&str, &str) -> Result<Option<String>>,
}

/// All stages.
pub const ALL: &[Stage] = &[
    Stage { name: "parse", doc: "reads HLO text; nothing comes out", run: run_parse },
    Stage {
        name: "verify",
        doc: "reads and verifies HLO text; nothing comes out",
        run: run_verify,
    },
    Stage { name: "roundtrip", doc: "HLO text as it prints; both forms read back", run: roundtrip },
    Stage {
        name: "run",
        doc: "a program that checks itself: interpreted, behind passes, and compiled",
        run: run_checks,
    },
    Stage { name: "import", doc: "a GraphDef as HLO; the arguments are fetches", run: import },
    Stage { name: "plan", doc: "HLO text as a plan with its kernels", run: plan },
    Stage {
        name: "opt",
        doc: "HLO text behind the passes named, or the usual ones",
        run: optimise,
    },
];

/// How launches compute.
fn launch_mode() -> Options<'static> {
    Options { flush_subnormals: true, ..Options::default() }
}

/// Runs the stage written as `name` or `name(arguments)` on `input`.
///
/// # Errors
/// When there is no such stage, or as the stage.
pub fn run(stage: &str, input: &str) -> Result<Option<String>> {
    let (name, arguments) = match stage.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')').context("an open parenthesis")?),
        None => (stage, ""),
    };
    let Some(row) = ALL.iter().find(|row| row.name == name) else {
        let names: Vec<&str> = ALL.iter().map(|row| row.name).collect();
        bail!("no stage `{name}`; there are {}", names.join(", "));
    };
    (row.run)(arguments, input)
}

fn run_parse(_: &str, input: &str) -> Result<Option<String>> {
    parse(input)?;
    Ok(None)
}

fn run_verify(_: &str, input: &str) -> Result<Option<String>> {
    verified(input)?;
    Ok(None)
}

fn roundtrip(_: &str, input: &str) -> Result<Option<String>> {
    let module = verified(input)?;
    let text = module.to_string();
    let again = verified(&text).context("what was printed")?.to_string();
    ensure!(again == text, "what was printed prints as\n{again}");
    let generic = verified(&print_generic(&module)).context("the generic form")?.to_string();
    ensure!(generic == text, "the generic form prints as\n{generic}");
    Ok(Some(text))
}

fn run_checks(_: &str, input: &str) -> Result<Option<String>> {
    let mut checks = 0;
    let client = LocalClient::new(LocalOptions::default());
    for module in parse_file(input)? {
        verify(&module)?;
        checks += Interpreter::new(&module, launch_mode()).run_checks()?;
        compiled::run_checks(&client, &module).context("on the CPU compiler")?;
        for (name, passes) in [("standard", tfjit_opt::STANDARD), ("CPU", tfjit_opt::CPU)] {
            let mut module = module.clone();
            run_passes(&mut module, passes)?;
            let outcome = Interpreter::new(&module, launch_mode()).run_checks();
            outcome.with_context(|| format!("behind the {name} passes"))?;
        }
    }
    ensure!(checks > 0, "the program checks nothing");
    Ok(None)
}

fn optimise(passes: &str, input: &str) -> Result<Option<String>> {
    let mut module = verified(input)?;
    let named = tfjit_opt::passes_named(passes)?;
    run_passes(&mut module, if named.is_empty() { tfjit_opt::STANDARD } else { &named })?;
    Ok(Some(module.to_string()))
}

/// The plan of a module as it is, and the text of its kernels.
fn plan(_: &str, input: &str) -> Result<Option<String>> {
    let plan = tfjit_plan::plan(&verified(input)?)?;
    let mut text = plan.to_string();
    for kernel in plan.kernels.iter().map(|(_, kernel)| kernel) {
        kernel.verify()?;
        kernel.expand()?.verify()?;
        text.push_str(&kernel.to_string());
    }
    Ok(Some(text))
}

/// Runs passes until nothing changes; the driver verifies after each.
fn run_passes(module: &mut Module, passes: &[PassRow]) -> Result<()> {
    let fuel = Fuel::unlimited();
    let options = tfjit_opt::Options {
        passes,
        check: true,
        fold: Some(&evaluate_constants),
        ..tfjit_opt::Options::new(&fuel)
    };
    let report = tfjit_opt::optimise(module, &options)?;
    ensure!(report.settled, "the passes go on changing the module");
    Ok(())
}

fn verified(input: &str) -> Result<Module> {
    let module = parse(input)?;
    verify(&module)?;
    Ok(module)
}

/// The graph between its placeholders, which must have full shapes, and the tensors `fetches`.
fn import(fetches: &str, input: &str) -> Result<Option<String>> {
    let model = tfjit_model::from_graph_text(input)?;
    let is_fed = |node: &&tfjit_model::Node| &*node.op == "Placeholder";
    let nodes = model.graph.iter().map(|(_, node)| node);
    let feeds: Vec<String> = nodes.filter(is_fed).map(|node| node.name.to_string()).collect();
    let fetches: Vec<String> = fetches.split(',').map(|name| name.trim().to_owned()).collect();
    let function = model.function_from_tensors(&feeds, &fetches, &[])?;
    let mut args = Vec::new();
    for param in &function.params {
        let dtype = tfjit_model::dtype(param.tftype).context("a placeholder of no dtype")?;
        let shape = param.shape.to_shape().context("a placeholder without a full shape")?;
        args.push(Arg::Parameter(TensorType::of(dtype, &shape)));
    }
    let lowered = tfjit_bridge::lower(&model.library, &function, &args, Default::default())?;
    verify(&lowered.module)?;
    Ok(Some(lowered.module.to_string()))
}
