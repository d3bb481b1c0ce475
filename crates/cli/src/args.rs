//! The command line, as clap reads it. Help, manual and completions come from these definitions.
//!
//! It must not know what the commands do.

mod absl;
mod cache;
mod inspect;
mod launch;
mod shared;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use absl::normalise;
pub(crate) use cache::{CacheAction, CacheArgs, GcArgs, LsArgs, VerifyArgs, WhyArgs};
pub(crate) use inspect::{ExplainArgs, ScanArgs, ShowArgs};
pub(crate) use launch::{BenchArgs, ForeignArgs, RunArgs};
pub(crate) use shared::{
    Backend, Clusters, CompileWhen, EngineArgs, InputArgs, OnOff, Stage, StageArgs,
};

/// Loads TensorFlow programs without TensorFlow, compiles and launches them.
///
/// MODEL is a SavedModel folder, a frozen GraphDef (.pb, .pbtxt), a TensorFlow.js graph model
/// (model.json) or a StableHLO program (.mlir). The commands show, run and scan also take the
/// flags of TensorFlow's saved_model_cli and then print its text.
#[derive(Parser, Debug)]
#[command(
    name = "tfjit",
    version,
    max_term_width = 100,
    args_override_self = true,
    after_help = "Examples:
  tfjit show model/
  tfjit run model/ --input x='[[1.0, 2.0, 3.0]]'
  tfjit run model/ --input image=cat.png --output result.npz
  tfjit bench model/ --batch 1,8,32
  tfjit show --dir model/ --tag_set serve --signature_def serving_default

Exit status: 0 on success, 1 on an error, 2 when the command line is wrong."
)]
pub(crate) struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Say nothing but results and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorChoice {
    /// On terminals, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Show(ShowArgs),
    Run(Box<RunArgs>),
    Scan(ScanArgs),
    Bench(Box<BenchArgs>),
    Explain(Box<ExplainArgs>),
    Cache(CacheArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Print the completions of a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:
  tfjit completions bash > /etc/bash_completion.d/tfjit")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print a page of the manual
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  tfjit man | man -l -
  tfjit man run > tfjit-run.1")]
pub(crate) struct ManArgs {
    /// The command to describe, all of tfjit by default
    pub(crate) command: Option<String>,
}
