//! The support table in `docs/ops.md`, written from the rows of the bridge and of the host.
//!
//! The rows are the only place that knows which ops there are; a test fails when the page is stale.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Where the page is.
pub const PAGE: &str = "docs/ops.md";

/// The page.
pub fn page() -> String {
    let mut ops: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for row in tfjit_bridge::table() {
        let consts = match row.consts {
            [] => String::new(),
            names => format!("; known while compiling: {}", names.join(", ")),
        };
        ops.insert(row.name, ("compiled".to_owned(), format!("{}{consts}", row.doc)));
    }
    for row in tfjit_runtime::host_table() {
        match ops.get_mut(row.name) {
            Some(entry) => entry.0.push_str(", host"),
            None => {
                ops.insert(row.name, ("host".to_owned(), row.doc.to_owned()));
            }
        }
    }
    let mut text = String::from("# TensorFlow ops\n\n");
    // Writing to a string can't fail.
    let _ = writeln!(
        text,
        "Written by `cargo xtask ops` from the rows of `crates/bridge` (compiled) and \
         `crates/runtime` (host).\n{} of the {} ops that tfjit knows the definitions of.\n",
        ops.len(),
        tfjit_model::optable::names().len()
    );
    text.push_str("| op | where | what |\n|---|---|---|\n");
    for (name, (place, doc)) in ops {
        let _ = writeln!(text, "| {name} | {place} | {} |", doc.replace('|', "\\|"));
    }
    text
}

/// Writes the page.
///
/// # Errors
/// When it cannot be written.
pub fn write(root: &Path) -> Result<()> {
    std::fs::write(root.join(PAGE), page()).with_context(|| PAGE.to_owned())
}
