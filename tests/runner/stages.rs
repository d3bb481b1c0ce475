//! The stages that a text test can name: one row each.

use anyhow::{Context, Result, bail, ensure};
use tfjit_base::Tensor;
use tfjit_eval::Interpreter;
use tfjit_hlo::{Fuel, Module, parse, print_generic, verify};

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
    Stage {
        name: "opt",
        doc: "`opt(passes)`: runs the passes once, in order; the module as it prints",
        run: run_opt,
    },
    Stage { name: "roundtrip", doc: "HLO text as it prints; both forms read back", run: roundtrip },
];

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

fn run_opt(passes: &str, input: &str) -> Result<Option<String>> {
    let mut module = verified(input)?;
    let passes = tfjit_opt::passes_named(passes)?;
    let fuel = Fuel::unlimited();
    let mut options = tfjit_opt::Options::new(&fuel);
    (options.passes, options.check) = (&passes, true);
    options.fold = Some(&evaluate);
    tfjit_opt::run_passes(&mut module, &options)?;
    Ok(Some(module.to_string()))
}

/// The results of a module without parameters.
fn evaluate(module: &Module) -> tfjit_base::Result<Vec<Tensor>> {
    let values = Interpreter::new(module, tfjit_eval::Options::default()).run_entry(&[])?;
    values.iter().map(|value| value.tensor().cloned()).collect()
}

fn verified(input: &str) -> Result<Module> {
    let module = parse(input)?;
    verify(&module)?;
    Ok(module)
}
