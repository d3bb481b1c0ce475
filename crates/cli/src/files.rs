//! Files the command writes: whole, or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tfjit_base::{Code, Error, Result};
use tfjit_model::mapped::io_error;

/// Files that are complete but not yet in their places.
#[derive(Default)]
pub(crate) struct Staged {
    files: Vec<(PathBuf, PathBuf)>,
}

impl Staged {
    /// Writes `bytes` beside `path`, under another name.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let name = path
            .file_name()
            .ok_or_else(|| Error::invalid_argument(format!("{} names no file", path.display())))?;
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary);
        self.files.push((temporary.clone(), path.to_owned()));
        fs::write(&temporary, bytes).map_err(|e| io_error(path, &e))
    }

    /// Moves all files to their places.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn commit(mut self) -> Result<()> {
        for (temporary, path) in std::mem::take(&mut self.files) {
            fs::rename(&temporary, &path).map_err(|e| {
                // The files behind this one stay temporary and are removed with it.
                let _ = fs::remove_file(&temporary);
                io_error(&path, &e)
            })?;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Creates the folder and those above it.
///
/// # Errors
/// What the system says.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::new(Code::AlreadyExists, format!("{} is no folder", path.display()))
        }
        _ => io_error(path, &e),
    })
}
