//! Tests of reading flags.

use super::*;
use tfjit_base::Code;

fn tf(text: &str) -> Result<TfXlaFlags> {
    TfXlaFlags::parse(text)
}

#[test]
fn all_forms_of_values_are_read() {
    let flags = tf("  --tf_xla_cpu_global_jit --tf_xla_min_cluster_size=1\n\
                    --tf_xla_enable_lazy_compilation=false\t--tf_xla_ops_to_cluster='a \"b\\'\
                    \u{20}--tf_xla_persistent_cache_prefix=\"x \\\"y\\\\\"")
    .unwrap();
    assert!(flags.tf_xla_cpu_global_jit && !flags.tf_xla_enable_lazy_compilation);
    assert_eq!(flags.tf_xla_min_cluster_size, 1);
    assert_eq!(flags.tf_xla_ops_to_cluster, "a \"b\\");
    assert_eq!(flags.tf_xla_persistent_cache_prefix, "x \"y\\");
    assert_eq!(tf("").unwrap(), TfXlaFlags::default());
}

#[test]
fn levels_of_clustering_have_three_forms() {
    let level = |text: &str| tf(&format!("--tf_xla_auto_jit={text}")).map(|f| f.tf_xla_auto_jit);
    let both = |n| AutoJit { general: n, single_gpu: n, fusible: false };
    assert_eq!(level("2").unwrap(), both(2));
    assert_eq!(level("-1").unwrap(), both(-1));
    let single = AutoJit { general: 0, single_gpu: 2, fusible: false };
    assert_eq!(level("single-gpu(2)").unwrap(), single);
    let flags = tf("--tf_xla_auto_jit=fusible").unwrap();
    assert_eq!(flags.tf_xla_auto_jit, AutoJit { general: 1, single_gpu: 1, fusible: true });
    assert_eq!(flags.tf_xla_ops_to_cluster, "FUSIBLE");
    for bad in ["", "fast", "single-gpu()", "single-gpu(1", "1.5"] {
        assert_eq!(level(bad).unwrap_err().code(), Code::InvalidArgument, "{bad}");
    }
}

#[test]
fn lists_add_up_and_switches_have_three_states() {
    let flags = tf("--tf_xla_call_module_disabled_checks=platform,shape_assertions \
                    --tf_xla_call_module_disabled_checks=x --tf_mlir_enable_mlir_bridge=false")
    .unwrap();
    let want = ["platform", "shape_assertions", "x"].map(str::to_owned);
    assert_eq!(flags.tf_xla_call_module_disabled_checks.0, want);
    assert_eq!(flags.tf_mlir_enable_mlir_bridge, Switch(Some(false)));
    assert_eq!(TfXlaFlags::default().tf_mlir_enable_mlir_bridge, Switch(None));
}

#[test]
fn what_is_unknown_is_told_with_what_was_meant() {
    let error = tf("--tf_xla_auto_jitt=1").unwrap_err();
    assert_eq!(error.message(), "Unknown flag in TF_XLA_FLAGS: --tf_xla_auto_jitt");
    assert_eq!(error.hint(), Some("did you mean --tf_xla_auto_jit?"));
    let error = XlaFlags::parse("--xla_dump_too=x").unwrap_err();
    assert_eq!(error.message(), "Unknown flag in XLA_FLAGS: --xla_dump_too");
    assert_eq!(error.hint(), Some("did you mean --xla_dump_to?"));
    assert_eq!(tf("--something_else").unwrap_err().hint(), None);
}

#[test]
fn values_are_checked() {
    for (text, part) in [
        ("--tf_xla_min_cluster_size=many", "takes a whole number, not 'many'"),
        ("--tf_xla_min_cluster_size", "takes a whole number, and none is given"),
        ("--tf_xla_min_cluster_size=3000000000", "takes a whole number"),
        ("--tf_xla_cpu_global_jit=yes", "takes true or false, not 'yes'"),
        ("tf_xla_cpu_global_jit --x", "TF_XLA_FLAGS"),
        ("--tf_xla_ops_to_cluster='a", "the quote behind --tf_xla_ops_to_cluster= is not closed"),
        ("--tf_xla_cpu_global_jit x", "\"x\" is no flag"),
        ("-- --", "\"--\" is no flag"),
    ] {
        let error = tf(text).unwrap_err();
        assert!(error.message().contains(part), "{text}: {error}");
    }
}

#[test]
fn the_environment_makes_warnings_of_what_is_wrong() {
    let flags = Flags::from_texts(
        "--tf_xla_min_cluster_size=7 --nonsense --tf_xla_max_cluster_size=x",
        "--xla_dump_to=/d --xla_gpu_unknown",
    );
    assert_eq!(flags.tf.tf_xla_min_cluster_size, 7);
    assert_eq!(flags.tf.tf_xla_max_cluster_size, i32::MAX);
    assert_eq!(flags.xla.xla_dump_to, "/d");
    assert_eq!(flags.warnings.len(), 3);
    assert!(flags.warnings.iter().all(|w| w.code() == Code::InvalidArgument));
}

#[test]
fn flags_may_be_in_a_file() {
    let path = std::env::temp_dir().join(format!("tfjit-flags-{}", std::process::id()));
    std::fs::write(&path, "--tf_xla_min_cluster_size=3\n--tf_xla_cpu_global_jit\n").unwrap();
    let flags = tf(&format!("  {}\n", path.display())).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((flags.tf_xla_min_cluster_size, flags.tf_xla_cpu_global_jit), (3, true));
    let error = tf(&path.display().to_string()).unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

#[test]
fn the_table_has_every_flag_once_with_its_default() {
    for table in [TfXlaFlags::table(), XlaFlags::table()] {
        let mut names: Vec<&str> = table.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), table.len());
        assert!(table.iter().all(|row| !row.doc.is_empty()));
    }
    let row = |name| TfXlaFlags::table().into_iter().find(|row| row.name == name).unwrap();
    let prefix = row("tf_xla_persistent_cache_prefix");
    assert_eq!((prefix.type_name, prefix.default.as_str()), ("text", "xla_compile_cache"));
    assert_eq!(row("tf_mlir_enable_mlir_bridge").default, "unspecified");
    // Every default is a value of its flag.
    for row in TfXlaFlags::table().into_iter().filter(|row| row.default != "unspecified") {
        tf(&format!("--{}='{}'", row.name, row.default)).unwrap();
    }
}

#[test]
fn the_cache_is_as_the_flags_say() {
    let flags = Flags::from_texts(
        "--tf_xla_persistent_cache_directory=/c --tf_xla_persistent_cache_read_only \
         --tf_xla_disable_strict_signature_checks --tf_xla_persistent_cache_prefix= \
         --tf_xla_persistent_cache_device_types=GPU,CPU",
        "",
    );
    let options = flags.persistent_cache();
    assert_eq!(options.folder, std::path::Path::new("/c"));
    assert!(options.read_only && !options.check_hlo && options.prefix.is_empty());
    assert_eq!(options.device_types, "GPU,CPU");
    assert!(Flags::default().persistent_cache().folder.as_os_str().is_empty());
}
