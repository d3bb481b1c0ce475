//! Arguments of the commands that look without running.

use std::path::PathBuf;

use clap::Args;

use super::absl::parse_bool;
use super::shared::{EngineArgs, StageArgs};

/// Show what a model is: signatures, variables, functions, ops
///
/// With MODEL alone, everything at a glance. With --dir, or with one of the flags of
/// saved_model_cli, the text of saved_model_cli; where that prints a Python set, in no order, the
/// order here is by name.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit show model/
  tfjit show model/ --variables
  tfjit show frozen.pb --ops
  tfjit show --dir model/ --all
  tfjit show --dir model/ --tag_set serve --signature_def serving_default")]
pub(crate) struct ShowArgs {
    /// SavedModel folder, GraphDef file, TensorFlow.js model.json or StableHLO program
    #[arg(required_unless_present = "dir", conflicts_with = "dir")]
    pub(crate) model: Option<PathBuf>,
    /// List the variables with dtype, shape and bytes
    #[arg(long, conflicts_with_all = ["all", "list_ops", "dir"])]
    pub(crate) variables: bool,
    /// List the ops with counts
    #[arg(long, conflicts_with_all = ["all", "list_ops", "dir"])]
    pub(crate) ops: bool,
    /// Tags of the meta graph, with commas; serve, or the only ones, by default
    #[arg(long, value_name = "TAGS", conflicts_with = "dir")]
    pub(crate) tags: Option<String>,
    /// Folder of the SavedModel
    #[arg(long, value_name = "DIR", help_heading = "Flags of saved_model_cli")]
    pub(crate) dir: Option<PathBuf>,
    /// Everything there is to know
    #[arg(long, num_args = 0..=1, require_equals = true, default_value = "false",
          default_missing_value = "true", hide_default_value = true, value_name = "BOOL",
          value_parser = parse_bool, help_heading = "Flags of saved_model_cli")]
    pub(crate) all: bool,
    /// Tags of the meta graph, with commas
    #[arg(
        long = "tag_set",
        alias = "tag-set",
        value_name = "TAGS",
        help_heading = "Flags of saved_model_cli"
    )]
    pub(crate) tag_set: Option<String>,
    /// Key of a signature whose inputs and outputs to show
    #[arg(
        long = "signature_def",
        alias = "signature-def",
        value_name = "KEY",
        help_heading = "Flags of saved_model_cli"
    )]
    pub(crate) signature_def: Option<String>,
    /// The ops of the meta graph
    #[arg(long = "list_ops", alias = "list-ops", num_args = 0..=1, require_equals = true,
          default_value = "false", default_missing_value = "true", hide_default_value = true,
          value_name = "BOOL", value_parser = parse_bool,
          help_heading = "Flags of saved_model_cli")]
    pub(crate) list_ops: bool,
}

/// Look for ops that write or read files, or others you name
///
/// Takes the flags and prints the text of saved_model_cli; sets are in the order of their names.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit scan model/
  tfjit scan --dir model/ --tag_set serve --op_denylist WriteFile,ReadFile,PyFunc")]
pub(crate) struct ScanArgs {
    /// Folder of the SavedModel
    #[arg(required_unless_present = "dir", conflicts_with = "dir")]
    pub(crate) model: Option<PathBuf>,
    /// Folder of the SavedModel
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Tags of the meta graph, with commas; all meta graphs by default
    #[arg(long = "tag_set", alias = "tag-set", value_name = "TAGS")]
    pub(crate) tag_set: Option<String>,
    /// Ops to look for, with commas; WriteFile, ReadFile and PrintV2 by default
    #[arg(long = "op_denylist", alias = "op-denylist", value_name = "OPS")]
    pub(crate) op_denylist: Option<String>,
}

/// Say what is compiled, what is not and why
///
/// For every node: the cluster it is in, or why it runs on the host. For every cluster: its
/// steps on the processor, what was fused into each, and what kept others apart. With --profile,
/// the signature is launched for a second with random numbers.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit explain model/
  tfjit explain model/ --signature train_step --nodes
  tfjit explain model/ --to=lower
  tfjit explain model/ --profile
  tfjit explain model/ --dump=stages/")]
pub(crate) struct ExplainArgs {
    /// SavedModel folder, GraphDef file, TensorFlow.js model.json or StableHLO program
    pub(crate) model: PathBuf,
    /// Key of the signature
    #[arg(long, alias = "signature_def", alias = "signature-def", value_name = "KEY")]
    pub(crate) signature: Option<String>,
    /// Tags of the meta graph, with commas
    #[arg(long, alias = "tag_set", alias = "tag-set", value_name = "TAGS")]
    pub(crate) tags: Option<String>,
    /// Tensors to feed, with commas, instead of a signature
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "signature")]
    pub(crate) feeds: Vec<String>,
    /// Tensors to fetch, with commas, instead of a signature
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "signature")]
    pub(crate) fetches: Vec<String>,
    /// Shape of an input: programs are made for exact shapes; unknown extents are 1 by default
    #[arg(long = "shape", value_name = "NAME=N,N,...")]
    pub(crate) shape: Vec<String>,
    /// List every node instead of a summary by op
    #[arg(long)]
    pub(crate) nodes: bool,
    #[command(flatten)]
    pub(crate) stage: StageArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
