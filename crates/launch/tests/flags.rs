//! The flags of the process, and the page of the documentation that is made of their tables.
//! `BLESS=1` rewrites the page.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use tfjit_base::knobs;
use tfjit_launch::flags::{self, FlagDef, FlagSet, TfXlaFlags, XlaFlags};

const HEAD: &str = "# Flags

The environment variables `TF_XLA_FLAGS` and `XLA_FLAGS` are read once, when a flag is first asked
for. Each holds flags with white space between them: `--name=value`, `--name` for truth values,
`--name='a value as it is'`, `--name=\"a value with \\\"escapes\\\"\"`. A text that does not begin
with a dash is the name of a file that holds the flags. A flag that is not known, or whose value is
none, is a warning and has no effect.

Obeyed are those of the persistent cache, of lazy, deferred and background compilation, of the
choice of a client, `tf_xla_compile_on_demand`, and XLA's `xla_dump_…`. Those of auto-clustering are
read and checked only: whatever can be compiled is clustered.

This page is made of the tables in `crates/launch/src/flags/table.rs`.
";

fn table<S: FlagSet>() -> String {
    let row = |row: FlagDef| {
        let default = match row.default.as_str() {
            "" => String::new(),
            default => format!("`{default}`"),
        };
        format!("| `{}` | {} | {default} | {} |\n", row.name, row.type_name, row.doc)
    };
    let rows: String = S::table().into_iter().map(row).collect();
    format!(
        "\n## {}\n\n| flag | type | default | meaning |\n|---|---|---|---|\n{rows}",
        S::VARIABLE
    )
}

#[test]
fn the_page_of_flags_is_that_of_the_tables() {
    let page = format!("{HEAD}{}{}", table::<TfXlaFlags>(), table::<XlaFlags>());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/flags.md");
    if knobs::BLESS.is_on() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/flags.md is old: BLESS=1 cargo test -p tfjit-launch");
}

#[test]
fn the_flags_of_the_process_can_be_changed() {
    flags::set_auto_jit("single-gpu(1)").unwrap();
    assert_eq!(flags::current().tf.tf_xla_auto_jit.single_gpu, 1);
    assert!(flags::set_auto_jit("x").is_err());
    assert_eq!(flags::current().tf.tf_xla_auto_jit.single_gpu, 1);
    flags::reset();
    let fresh = flags::Flags::from_environment();
    assert_eq!(flags::current().tf, fresh.tf);
}
