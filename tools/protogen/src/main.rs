//! Writes `crates/proto/src/generated/*.rs` from `crates/proto/proto/*.proto`.
//!
//! Two files: the prost messages, and the schema table that the text format reader walks.
//! Run from the root of the checkout: `cargo run --manifest-path tools/protogen/Cargo.toml`.

mod schema;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let protos = root.join("crates/proto/proto");
    let out = root.join("crates/proto/src/generated");
    fs::create_dir_all(&out)?;

    let set = protox::compile(sources(&protos)?, [&protos])?;
    fs::write(out.join("schema.rs"), schema::table(&set)?)?;

    let mut config = prost_build::Config::new();
    config.out_dir(&out).bytes(["."]).btree_map(["."]).disable_comments(["."]);
    config.compile_fds(set)?;
    Ok(())
}

/// The .proto files in the order of their names, so that the output does not depend on the disk.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
