//! The chores of the repository: the rules of the house as a check, the corpus runner, benches.
//!
//! Everything here is for the people who work on tfjit. No crate of the house may depend on it.
//!
//! Read first: [`COMMANDS`], [`tidy`], [`corpus`].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "chores talk to the terminal")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

mod bench;
pub mod corpus;
pub mod ops;
pub mod tidy;

/// One chore.
pub struct Chore {
    /// What to type behind `cargo xtask`.
    pub name: &'static str,
    /// One line of help.
    pub doc: &'static str,
    run: fn(&[String]) -> Result<ExitCode>,
}

/// All chores, in the order of the help text.
pub const COMMANDS: &[Chore] = &[
    Chore { name: "tidy", doc: "check the rules of the house [--update]", run: tidy_chore },
    Chore { name: "ready", doc: "everything that continuous integration runs", run: ready },
    Chore { name: "proto", doc: "write the generated files of crates/proto", run: proto },
    Chore { name: "ops", doc: "write the table of ops in docs/ops.md", run: ops_chore },
    Chore { name: "bless", doc: "rewrite expected text in tests/** [FILTER]", run: bless },
    Chore {
        name: "corpus",
        doc: "run a corpus folder (--help lists the options)",
        run: corpus::run,
    },
    Chore { name: "bench", doc: "time the command beside its peers", run: bench::run },
];

/// Runs the command named by the first argument.
pub fn run(args: &[String]) -> ExitCode {
    let Some(chore) = args.first().and_then(|a| COMMANDS.iter().find(|c| c.name == a)) else {
        eprintln!("usage: cargo xtask COMMAND\n");
        for chore in COMMANDS {
            eprintln!("  {:<8}{}", chore.name, chore.doc);
        }
        return ExitCode::from(2);
    };
    (chore.run)(&args[1..]).unwrap_or_else(|e| {
        eprintln!("cargo xtask {}: {e:#}", chore.name);
        ExitCode::FAILURE
    })
}

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the repository").to_path_buf()
}

fn tidy_chore(args: &[String]) -> Result<ExitCode> {
    let update = match args {
        [] => false,
        [flag] if flag == "--update" => true,
        _ => bail!("takes no argument but --update"),
    };
    let problems = tidy::check(&root(), update)?;
    for problem in &problems {
        println!("{problem}");
    }
    println!("tidy: {} problems", problems.len());
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ready(args: &[String]) -> Result<ExitCode> {
    let mut command = Command::new(root().join(".ci/run"));
    finish(command.args(args))
}

fn proto(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("takes no argument");
    }
    let mut command = Command::new(cargo());
    finish(command.args(["run", "--quiet", "--manifest-path", "tools/protogen/Cargo.toml"]))
}

fn ops_chore(args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("takes no argument");
    }
    ops::write(&root())?;
    Ok(ExitCode::SUCCESS)
}

fn bless(args: &[String]) -> Result<ExitCode> {
    let mut command = Command::new(cargo());
    command.args(["test", "--package", "tfjit-tests", "--"]).args(args).env("BLESS", "1");
    finish(&mut command)
}

fn finish(command: &mut Command) -> Result<ExitCode> {
    let status = command.current_dir(root()).status().with_context(|| format!("{command:?}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The cargo that runs us.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
