//! The rows of all flags.
//!
//! Names and defaults are TensorFlow's and XLA's. Rows that say "no effect here" are of parts that
//! do not exist here; their flags are known so that scripts that set them keep working.

use tfjit_base::{Error, Result};

use super::value::{AutoJit, CommaList, FlagValue, Switch};
use super::{FlagDef, FlagSet};

macro_rules! flags {
    (
        $(#[$meta:meta])* $set:ident, $variable:literal;
        $($name:ident: $type:ty = $default:expr, $doc:literal;)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $set {
            $(#[doc = $doc] pub $name: $type,)*
        }

        impl Default for $set {
            fn default() -> $set {
                $set { $($name: $default,)* }
            }
        }

        impl FlagSet for $set {
            const VARIABLE: &'static str = $variable;

            fn table() -> Vec<FlagDef> {
                let defaults = $set::default();
                vec![$(FlagDef {
                    name: stringify!($name),
                    type_name: <$type as FlagValue>::TYPE,
                    default: defaults.$name.to_string(),
                    doc: $doc,
                },)*]
            }

            fn set(&mut self, name: &str, value: Option<&str>) -> Result<bool> {
                match name {
                    $(stringify!($name) => {
                        if !self.$name.set(value) {
                            return Err(bad_value(name, <$type as FlagValue>::TYPE, value));
                        }
                    })*
                    _ => return Ok(false),
                }
                self.follow(name);
                Ok(true)
            }
        }
    };
}

fn bad_value(name: &str, type_name: &str, value: Option<&str>) -> Error {
    let want = match type_name {
        "bool" => "true or false",
        "int" => "a whole number",
        "float" => "a number",
        "level" => "a whole number, 'fusible' or 'single-gpu(N)'",
        _ => "a text",
    };
    let got = match value {
        Some(value) => format!("not '{}'", value.chars().take(80).collect::<String>()),
        None => "and none is given".to_owned(),
    };
    Error::invalid_argument(format!("the flag --{name} takes {want}, {got}"))
}

impl TfXlaFlags {
    /// What a flag sets besides itself.
    fn follow(&mut self, name: &str) {
        if name == "tf_xla_auto_jit" && self.tf_xla_auto_jit.fusible {
            self.tf_xla_ops_to_cluster = "FUSIBLE".to_owned();
        }
    }
}

impl XlaFlags {
    fn follow(&mut self, _: &str) {}
}

flags! {
    /// The flags of `TF_XLA_FLAGS`.
    TfXlaFlags, "TF_XLA_FLAGS";
    tf_xla_auto_jit: AutoJit = AutoJit::default(),
        "How eagerly graphs are clustered: -1 not, 0 as the session says, 1, 2; fusible; \
         single-gpu(N).";
    tf_xla_min_cluster_size: i32 = 4,
        "Nodes that a cluster has at least, constants and identities not counted.";
    tf_xla_max_cluster_size: i32 = i32::MAX, "Nodes that a cluster has at most.";
    tf_xla_ops_to_cluster: String = String::new(),
        "Ops, or names of groups of ops, that are clustered; empty for all.";
    tf_xla_cluster_exclude_ops: String = String::new(),
        "Ops that are not clustered; only Where is known.";
    tf_xla_clustering_debug: bool = false, "Dumps graphs around the clustering passes.";
    tf_xla_cpu_global_jit: bool = false, "Whether nodes on processors are clustered.";
    tf_xla_clustering_fuel: i64 = i64::MAX, "Nodes that the process may put into clusters.";
    tf_xla_disable_deadness_safety_checks_for_debugging: bool = false,
        "Clusters nodes that may be dead with others; programs may be wrong.";
    tf_xla_disable_resource_variable_safety_checks_for_debugging: bool = false,
        "Clusters reads and writes of variables in any order; programs may be wrong.";
    tf_xla_deterministic_cluster_names: bool = false,
        "Puts a fingerprint of the graph into the names of clusters.";
    tf_xla_persistent_cache_directory: String = String::new(),
        "Folder of the persistent cache; empty for none.";
    tf_xla_persistent_cache_device_types: String = String::new(),
        "Types of devices that the persistent cache is for, with commas; empty for all.";
    tf_xla_persistent_cache_read_only: bool = false, "Never writes to the persistent cache.";
    tf_xla_disable_strict_signature_checks: bool = false,
        "Uses entries of the persistent cache whose program was changed.";
    tf_xla_persistent_cache_prefix: String = "xla_compile_cache".to_owned(),
        "Start of the names of files in the persistent cache.";
    tf_xla_sparse_core_disable_table_stacking: bool = false, "For TPUs; no effect here.";
    tf_xla_sparse_core_minibatch_max_division_level: i64 = 6, "For TPUs; no effect here.";
    tf_xla_sparse_core_stacking_mem_limit_bytes: i64 = 2_097_152, "For TPUs; no effect here.";
    tf_xla_sparse_core_stacking_table_shard_limit_bytes: i64 = 2_147_483_648,
        "For TPUs; no effect here.";
    tf_xla_enable_lazy_compilation: bool = true,
        "Whether clusters that nobody asked for are compiled only once they pay.";
    tf_xla_print_cluster_outputs: bool = false, "Prints the results of clusters.";
    tf_xla_check_cluster_input_numerics: bool = false,
        "Fails when an input of a cluster has a NaN or an infinity.";
    tf_xla_check_cluster_output_numerics: bool = false,
        "Fails when a result of a cluster has a NaN or an infinity.";
    tf_xla_disable_constant_folding: bool = false, "Does not fold constants of graphs.";
    tf_xla_disable_full_embedding_pipelining: bool = false, "For TPUs; no effect here.";
    tf_xla_disable_full_embedding_pipelining_with_summaries: bool = true,
        "For TPUs; no effect here.";
    tf_xla_embedding_parallel_iterations: i32 = 0, "For TPUs; no effect here.";
    tf_xla_compile_on_demand: bool = false, "Compiles every node on its own.";
    tf_xla_enable_xla_devices: bool = false, "Adds the devices XLA_CPU and XLA_GPU.";
    tf_xla_always_defer_compilation: bool = false, "Never compiles clusters nobody asked for.";
    tf_xla_async_compilation: bool = false, "Compiles in the background.";
    tf_xla_use_device_api_for_xla_launch: bool = true,
        "Whether explicit launches may go through a PJRT client.";
    tf_xla_use_device_api_for_compile_on_demand: bool = true,
        "Whether nodes compiled on their own may go through a PJRT client.";
    tf_xla_use_device_api_for_auto_jit: bool = true,
        "Whether clusters may go through a PJRT client.";
    tf_xla_use_device_api: bool = false, "Everything goes through a PJRT client.";
    tf_xla_enable_device_api_for_gpu: bool = true,
        "Whether GPUs may be used through a PJRT client.";
    tf_xla_call_module_disabled_checks: CommaList = CommaList::default(),
        "Checks of XlaCallModule that are left out: platform, shape_assertions.";
    tf_mlir_enable_mlir_bridge: Switch = Switch::default(),
        "Which of two bridges TensorFlow uses; here is one, no effect.";
    tf_mlir_enable_merge_control_flow_pass: bool = true, "Of the other bridge; no effect here.";
    tf_mlir_enable_convert_control_to_data_outputs_pass: bool = false,
        "Of the other bridge; no effect here.";
    tf_mlir_composite_tpuexecute_side_effects: bool = false,
        "Of the other bridge; no effect here.";
    tf_mlir_enable_strict_clusters: bool = false, "Of the other bridge; no effect here.";
    tf_mlir_enable_multiple_local_cpu_devices: bool = false,
        "Of the other bridge; no effect here.";
    tf_mlir_enable_debug_info_serialization: bool = true, "Of the other bridge; no effect here.";
    tf_mlir_enable_tpu_variable_runtime_reformatting_pass: bool = true,
        "Of the other bridge; no effect here.";
    tf_dump_graphs_in_tfg: bool = false, "A format of dumps; no effect here.";
}

flags! {
    /// The flags of `XLA_FLAGS` that are commonly set.
    XlaFlags, "XLA_FLAGS";
    xla_dump_to: String = String::new(),
        "Folder that programs are dumped to as text; - for stdout.";
    xla_dump_hlo_as_text: bool = false, "Dumps as text, as is done anyway.";
    xla_dump_hlo_as_proto: bool = false, "No effect here.";
    xla_dump_hlo_as_dot: bool = false, "No effect here.";
    xla_dump_hlo_as_html: bool = false, "No effect here.";
    xla_dump_hlo_as_url: bool = false, "No effect here.";
    xla_dump_hlo_snapshots: bool = false, "No effect here.";
    xla_dump_hlo_module_re: String = String::new(),
        "Dumps only programs whose name has a match of this regular expression.";
    xla_dump_hlo_pass_re: String = String::new(),
        "Dumps the program after each pass whose name has a match of this regular expression.";
    xla_dump_max_hlo_modules: i32 = -1, "Programs that are dumped at most; -1 for no bound.";
    xla_dump_include_timestamp: bool = false, "Puts the time into the names of files.";
    xla_dump_module_metadata: bool = false, "No effect here.";
    xla_dump_compress_protos: bool = false, "No effect here.";
    xla_dump_large_constants: bool = false, "No effect here: large constants are left out.";
    xla_dump_fusion_visualization: bool = false, "No effect here.";
    xla_dump_latency_hiding_schedule: bool = false, "No effect here.";
    xla_hlo_profile: bool = false, "No effect here; see tfjit run --profile.";
    xla_disable_hlo_passes: CommaList = CommaList::default(), "No effect here.";
    xla_enable_hlo_passes_only: CommaList = CommaList::default(), "No effect here.";
    xla_disable_all_hlo_passes: bool = false, "Runs no pass over programs.";
    xla_backend_optimization_level: i32 = 3, "0 runs no pass over programs.";
    xla_cpu_enable_fast_math: bool = false, "No effect here: results are exact.";
    xla_cpu_enable_fast_min_max: bool = true, "No effect here: NaN is kept.";
    xla_cpu_fast_math_honor_nans: bool = true, "No effect here.";
    xla_cpu_fast_math_honor_infs: bool = true, "No effect here.";
    xla_cpu_fast_math_honor_division: bool = true, "No effect here.";
    xla_cpu_fast_math_honor_functions: bool = true, "No effect here.";
    xla_cpu_multi_thread_eigen: bool = true, "Whether launches use several threads.";
    xla_cpu_use_thunk_runtime: bool = true, "No effect here.";
    xla_gpu_autotune_level: i32 = 4, "For GPUs; no effect here.";
    xla_gpu_deterministic_ops: bool = false, "For GPUs; no effect here.";
    xla_gpu_exclude_nondeterministic_ops: bool = false, "For GPUs; no effect here.";
    xla_gpu_cuda_data_dir: String = "./cuda_sdk_lib".to_owned(), "For GPUs; no effect here.";
    xla_gpu_ftz: bool = false, "For GPUs; no effect here.";
    xla_gpu_enable_command_buffer: String = String::new(), "For GPUs; no effect here.";
    xla_gpu_all_reduce_combine_threshold_bytes: i64 = 30 << 20, "For GPUs; no effect here.";
    xla_gpu_force_compilation_parallelism: i32 = 0, "For GPUs; no effect here.";
    xla_gpu_strict_conv_algorithm_picker: bool = true, "For GPUs; no effect here.";
    xla_force_host_platform_device_count: i32 = 1, "Devices that the processor is seen as.";
    xla_allow_excess_precision: bool = true, "No effect here: every op rounds.";
    xla_llvm_disable_expensive_passes: bool = false, "No effect here.";
    xla_embed_ir_in_executable: bool = false, "No effect here.";
}
