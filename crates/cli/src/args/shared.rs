//! Arguments that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The products of a program's walk, in order.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    /// The model as it was read.
    Read,
    /// The function that runs, with named inputs and outputs.
    Select,
    /// The graph with launch nodes.
    Cluster,
    /// The programs the clusters became.
    Lower,
    /// The same, optimised.
    Optimise,
    /// Kernels, library calls and buffers, as the backend planned them.
    Plan,
    /// The loops that the backend compiles.
    Kernels,
    /// Machine code.
    Asm,
}

impl Stage {
    /// Its name, if it is a stage of a backend.
    pub(crate) fn of_client(self) -> Option<&'static str> {
        match self {
            Stage::Read | Stage::Select | Stage::Cluster | Stage::Lower | Stage::Optimise => None,
            Stage::Plan => Some("plan"),
            Stage::Kernels => Some("kernels"),
            Stage::Asm => Some("asm"),
        }
    }
}

/// Stop early, or look on.
#[derive(Args, Debug)]
pub(crate) struct StageArgs {
    /// Print the product of this stage and stop
    #[arg(long, value_enum, value_name = "STAGE", help_heading = "Stages")]
    pub(crate) to: Option<Stage>,
    /// Write the product of every stage into files in this folder
    #[arg(long, value_name = "DIR", help_heading = "Stages")]
    pub(crate) dump: Option<PathBuf>,
}

/// How to run.
#[derive(Args, Debug, Clone)]
pub(crate) struct EngineArgs {
    /// What compiles and runs: our own compiler, or the reference interpreter
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Engine")]
    pub(crate) backend: Option<Backend>,
    /// Whether the backend local makes machine code; off interprets its kernels
    #[arg(long, value_enum, default_value = "on", value_name = "WHEN", help_heading = "Engine")]
    pub(crate) codegen: OnOff,
    /// Whether variables that nothing in the model writes are compiled in as constants
    #[arg(long, value_enum, default_value = "on", value_name = "WHEN", help_heading = "Engine")]
    pub(crate) freeze: OnOff,
    /// Checks of indices, divisors and the like inside of compiled code
    #[arg(long, value_enum, default_value = "on", value_name = "WHEN", help_heading = "Engine")]
    pub(crate) checks: OnOff,
    /// Measure every step, and print what it did in which time
    ///
    /// The numbers are those of one launch; operations and bytes are counted from the plan, not
    /// measured.
    #[arg(long, help_heading = "Engine")]
    pub(crate) profile: bool,
    /// Tell Linux's perf the names of compiled kernels, in /tmp/perf-PID.map
    #[arg(long, help_heading = "Engine")]
    pub(crate) perf_map: bool,
    /// What is compiled together
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW", help_heading = "Engine")]
    pub(crate) clusters: Clusters,
    /// When it is compiled
    #[arg(
        long,
        value_enum,
        default_value = "strict",
        value_name = "WHEN",
        help_heading = "Engine"
    )]
    pub(crate) compile: CompileWhen,
    /// Keep what is compiled in this folder, and look there first
    #[arg(long, value_name = "DIR", help_heading = "Engine")]
    pub(crate) cache_dir: Option<PathBuf>,
}

/// When clusters are compiled.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompileWhen {
    /// Before they run.
    Strict,
    /// At the first request, and when a further shape is asked for again.
    Lazy,
    /// In the background; until then node by node.
    Async,
}

/// What compiles and runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backend {
    /// tfjit's own compiler for this processor.
    Local,
    /// The reference interpreter: slow and right.
    Eval,
}

/// A switch.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OnOff {
    On,
    Off,
}

/// What is compiled together.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clusters {
    /// Everything that can be compiled, in as few pieces as possible.
    Auto,
    /// Only functions that ask for it, and single ops.
    Off,
}

/// Values for the inputs.
#[derive(Args, Debug, Default)]
pub(crate) struct InputArgs {
    /// A value for an input; may be given several times
    ///
    /// VALUE is a file (.npy, archive.npz:array, an image .png .jpg .gif .bmp), a literal
    /// (numbers, strings, nested lists, True, nan, inf), random:SEED, or @FILE for a string that
    /// is the contents of a file.
    #[arg(short, long = "input", value_name = "NAME=VALUE", help_heading = "Inputs")]
    pub(crate) input: Vec<String>,
    /// Shape of an input whose value is random; unknown extents are 1 by default
    #[arg(long = "shape", value_name = "NAME=N,N,...", help_heading = "Inputs")]
    pub(crate) shape: Vec<String>,
    /// What the pixels 0 to 255 become where an input is floating-point
    #[arg(
        long,
        value_name = "LOW..HIGH",
        default_value = "0..1",
        allow_hyphen_values = true,
        help_heading = "Inputs"
    )]
    pub(crate) image_scale: String,
    /// Files, as saved_model_cli takes them: 'x=f.npy;y=f.npz[array]'
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "LIST",
        help_heading = "Inputs of saved_model_cli"
    )]
    pub(crate) inputs: String,
    /// Python literals: 'x=[[1.0, 2.0]];y=3'. Nothing is evaluated
    #[arg(
        long = "input_exprs",
        alias = "input-exprs",
        default_value = "",
        hide_default_value = true,
        value_name = "LIST",
        help_heading = "Inputs of saved_model_cli"
    )]
    pub(crate) input_exprs: String,
    /// Serialised tf.train.Example: 'x=[{"f": [1.0], "g": ["text"]}]'
    #[arg(
        long = "input_examples",
        alias = "input-examples",
        default_value = "",
        hide_default_value = true,
        value_name = "LIST",
        help_heading = "Inputs of saved_model_cli"
    )]
    pub(crate) input_examples: String,
}
