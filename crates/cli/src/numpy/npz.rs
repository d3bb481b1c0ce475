//! `.npz` files: a zip archive of `.npy` files.

use tfjit_base::{DType, Error, Result, Tensor};

use super::npy::{read_npy, write_npy};
use super::zip::{Archive, Entry};

/// An opened `.npz` file.
pub(crate) struct Npz<'a> {
    archive: Archive<'a>,
}

impl<'a> Npz<'a> {
    /// Reads the directory of the archive.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is no sound zip archive.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Npz<'a>> {
        Ok(Npz { archive: Archive::open(bytes)? })
    }

    /// The names of the arrays, in the order of the file.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.archive.entries().iter().map(name)
    }

    /// The array called `key`, read as [`read_npy`] does.
    ///
    /// # Errors
    /// NOT_FOUND when there is none of that name, else those of [`read_npy`].
    pub(crate) fn read(&self, key: &str, raw: Option<DType>) -> Result<Tensor> {
        let entry = self.archive.entries().iter().find(|e| name(e) == key).ok_or_else(|| {
            Error::not_found(format!("the archive holds no array {key:?}"))
                .help(format!("it holds {}", self.names().collect::<Vec<_>>().join(", ")))
        })?;
        read_npy(&self.archive.read(entry)?, raw).map_err(|e| e.at(key))
    }
}

fn name(entry: &Entry) -> &str {
    entry.name.strip_suffix(".npy").unwrap_or(&entry.name)
}

/// The bytes of a `.npz` file with these arrays, not compressed.
///
/// # Errors
/// UNIMPLEMENTED when it gets larger than a plain zip archive may be (4 GiB).
pub(crate) fn write_npz<'t>(
    arrays: impl IntoIterator<Item = (&'t str, &'t Tensor)>,
) -> Result<Vec<u8>> {
    let files = arrays.into_iter().map(|(name, t)| (format!("{name}.npy"), write_npy(t)));
    super::zip::write(files)
}
