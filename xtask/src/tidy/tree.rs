//! The Rust files of the repository, found by walking it.
//!
//! It does not ask git, so that it also works in an unpacked archive.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folders that hold no source of ours.
const SKIPPED: &[&str] = &["target", "tmp", "node_modules", "generated", "venv"];

/// One Rust file.
pub(super) struct SourceFile {
    /// Its path from the root, with `/`.
    pub(super) path: String,
    /// Its text.
    pub(super) text: String,
}

impl SourceFile {
    /// The crate folder's name under `crates/`, if the file is in one.
    pub(super) fn crate_folder(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// The folder the unsafe count is kept for: `crates/NAME`, or the top folder.
    pub(super) fn unit(&self) -> String {
        match self.crate_folder() {
            Some(name) => format!("crates/{name}"),
            None => self.path.split('/').next().unwrap_or_default().to_owned(),
        }
    }
}

/// All `.rs` files, in path order, without generated ones.
pub(super) fn source_files(root: &Path) -> Result<Vec<SourceFile>> {
    let mut paths = Vec::new();
    walk(root, &mut paths)?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let from_root = path.strip_prefix(root).context("a path found under the root")?;
        files.push(SourceFile { path: from_root.to_string_lossy().replace('\\', "/"), text });
    }
    Ok(files)
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
            walk(&entry.path(), out)?;
        } else if kind.is_file() && name.ends_with(".rs") {
            out.push(entry.path());
        }
    }
    Ok(())
}
