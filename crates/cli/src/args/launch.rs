//! Arguments of the commands that run programs.

use std::path::PathBuf;

use clap::Args;

use super::absl::parse_bool;
use super::shared::{EngineArgs, InputArgs, StageArgs};

/// Run a signature, a graph or a StableHLO program once
///
/// With MODEL, prints name, dtype, shape, range and first values of each output. With --dir, takes
/// the flags of saved_model_cli and prints its text. A StableHLO program takes its arguments by
/// position, as --input 0=VALUE; its check.* calls are assertions.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit run model/ --input x='[[1.0, 2.0, 3.0]]'
  tfjit run model/ --signature predict --input image=cat.png --image-scale 0..255
  tfjit run frozen.pb --feeds input:0 --fetches logits:0 --input input:0=x.npy --output y.npz
  tfjit run program.mlir --input 0=a.npy --input 1=random:7
  tfjit run --dir model/ --tag_set serve --signature_def serving_default \\
      --inputs 'x=batch.npz[x]' --outdir out/

A value is converted to the input's dtype where nothing but precision can be lost: float64 to
float32, int64 to int32 if it fits, integers to floats. Anything else is an error.")]
pub(crate) struct RunArgs {
    /// SavedModel folder, GraphDef file, TensorFlow.js model.json or StableHLO program
    #[arg(required_unless_present = "dir", conflicts_with = "dir")]
    pub(crate) model: Option<PathBuf>,
    /// Key of the signature; serving_default, or the only one, by default
    #[arg(long = "signature", aliases = ["signature_def", "signature-def"], value_name = "KEY")]
    pub(crate) signature: Option<String>,
    /// Tags of the meta graph, with commas; serve, or the only ones, by default
    #[arg(long = "tags", aliases = ["tag_set", "tag-set"], value_name = "TAGS")]
    pub(crate) tags: Option<String>,
    /// Tensors to feed, with commas, instead of a signature
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "signature")]
    pub(crate) feeds: Vec<String>,
    /// Tensors to fetch, with commas, instead of a signature
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "signature")]
    pub(crate) fetches: Vec<String>,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Write all outputs into this .npz file, or the only one into this .npy file
    #[arg(short, long, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    /// Print whole arrays, as NumPy does
    #[arg(long, help_heading = "Outputs")]
    pub(crate) values: bool,
    /// Write each output into a file KEY.npy in this folder
    #[arg(long, value_name = "DIR", help_heading = "Outputs")]
    pub(crate) outdir: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long, num_args = 0..=1, require_equals = true, default_value = "false",
          default_missing_value = "true", hide_default_value = true, value_name = "BOOL",
          value_parser = parse_bool, help_heading = "Outputs")]
    pub(crate) overwrite: bool,
    /// Threads for compiled code and host ops; all that the machine grants by default
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub(crate) threads: Option<usize>,
    /// Write what happened when into this file, for Perfetto or Chrome's about:tracing
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) stage: StageArgs,
    /// Folder of the SavedModel
    #[arg(long, value_name = "DIR", help_heading = "Flags of saved_model_cli")]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) foreign: ForeignArgs,
}

/// Flags of saved_model_cli for parts of TensorFlow that do not exist here.
#[derive(Args, Debug)]
pub(crate) struct ForeignArgs {
    #[arg(long = "tf_debug", num_args = 0..=1, require_equals = true, default_value = "false",
          default_missing_value = "true", value_parser = parse_bool, hide = true)]
    pub(crate) tf_debug: bool,
    #[arg(long, hide = true)]
    pub(crate) worker: Option<String>,
    #[arg(long = "init_tpu", num_args = 0..=1, require_equals = true, default_value = "false",
          default_missing_value = "true", value_parser = parse_bool, hide = true)]
    pub(crate) init_tpu: bool,
    #[arg(long = "use_tfrt", num_args = 0..=1, require_equals = true, default_value = "false",
          default_missing_value = "true", value_parser = parse_bool, hide = true)]
    pub(crate) use_tfrt: bool,
}

/// Measure how fast a signature runs
///
/// Each batch size and thread count is warmed up, then launched for a second. Printed are the
/// median, the fastest and the 99th percentile of the launch times, and launches per second.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tfjit bench model/
  tfjit bench model/ --batch 1,8,32 --threads 1,2
  tfjit bench frozen.pb --shape input:0=1,224,224,3")]
pub(crate) struct BenchArgs {
    /// SavedModel folder, GraphDef file, TensorFlow.js model.json or StableHLO program
    pub(crate) model: PathBuf,
    /// Key of the signature
    #[arg(long = "signature", aliases = ["signature_def", "signature-def"], value_name = "KEY")]
    pub(crate) signature: Option<String>,
    /// Tags of the meta graph, with commas
    #[arg(long = "tags", aliases = ["tag_set", "tag-set"], value_name = "TAGS")]
    pub(crate) tags: Option<String>,
    /// Tensors to feed, with commas, instead of a signature
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "signature")]
    pub(crate) feeds: Vec<String>,
    /// Tensors to fetch, with commas, instead of a signature
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "signature")]
    pub(crate) fetches: Vec<String>,
    /// Values for an unknown first extent of the inputs
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', default_value = "1")]
    pub(crate) batch: Vec<usize>,
    /// Thread counts; all that the machine grants by default
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub(crate) threads: Vec<usize>,
    /// Seconds to measure for each row
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub(crate) seconds: f64,
    /// Launches at most for each row
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) launches: usize,
    /// Feed the arrays in:KEY of this .npz file, and compare results with its arrays out:KEY
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// Print an object of JSON a line instead of a table
    ///
    /// One when the first results are there, one when a row is measured. Times are in milliseconds.
    #[arg(long, conflicts_with = "profile")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}
