//! Writes `crates/proto/src/generated/*.rs` from `crates/proto/proto/*.proto`.
//!
//! Two files: the prost messages, and the schema table that the text format reader walks.
//! Run from the root of the checkout: `cargo run --manifest-path tools/protogen/Cargo.toml`.

mod schema;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FileDescriptorSet};

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let protos = root.join("crates/proto/proto");
    let out = root.join("crates/proto/src/generated");
    fs::create_dir_all(&out)?;

    let sources = sources(&protos)?;
    let mut digest = FNV_START;
    for path in &sources {
        digest = fnv1a(digest, &fs::read(path)?);
    }
    let mut set = protox::compile(sources, [&protos])?;
    fs::write(out.join("schema.rs"), schema::table(&set, digest)?)?;

    make_opaque(&mut set);
    let mut config = prost_build::Config::new();
    config.out_dir(&out).bytes(["."]).btree_map(["."]).disable_comments(["."]);
    for field in BOXED {
        config.boxed(field);
    }
    config.compile_fds(set)?;
    Ok(())
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash that a test of `tfjit-proto` computes again, to see whether the files are stale.
fn fnv1a(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

/// Large and rare variants: without the boxes every attribute would take 200 bytes.
const BOXED: &[&str] = &[
    ".tensorflow.AttrValue.value.list",
    ".tensorflow.AttrValue.value.tensor",
    ".tensorflow.AttrValue.value.func",
];

/// Messages that nobody reads: in the Rust code they are bytes, which cost nothing to decode and
/// are written back as they were. On the wire there is no difference.
const OPAQUE: &[(&str, &str)] = &[
    ("GraphDef", "debug_info"),
    ("NodeDef", "experimental_debug_info"),
    ("NodeDef", "experimental_type"),
    ("ArgDef", "experimental_full_type"),
    ("MetaInfoDef", "stripped_op_list"),
    ("MetaInfoDef", "any_info"),
];

fn make_opaque(set: &mut FileDescriptorSet) {
    let mut todo: Vec<&mut DescriptorProto> =
        set.file.iter_mut().flat_map(|f| &mut f.message_type).collect();
    while let Some(message) = todo.pop() {
        for (owner, name) in OPAQUE {
            if message.name() == *owner {
                for field in message.field.iter_mut().filter(|f| f.name() == *name) {
                    field.set_type(Type::Bytes);
                    field.type_name = None;
                }
            }
        }
        todo.extend(&mut message.nested_type);
    }
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
