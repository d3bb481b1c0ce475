//! The persistent cache: what was compiled once is on disk, and the next process compiles nothing.
//!
//! A [`Key`] is computed without lowering: fingerprints of the signature and of the function's own
//! nodes, and what else decides about the code. A [`Persistor`] finds an [`Entry`] by it; it is a
//! [`DirectoryCache`] but in tests. A [`PersistentCache`] makes a miss with a warning of whatever
//! goes wrong, or in strict mode an error as TensorFlow does.
//!
//! It must not know how executables are made, nor what is in them. Files are hostile: damaged ones
//! are refused, never run into. Only, who can write to the folder can put code there that will be
//! run: it must be as well protected as the program itself.
//!
//! Read first: [`PersistentCache`], [`Key`], [`Entry`].

mod directory;
mod entry;
pub mod fingerprint;
mod folder;
mod key;
mod metadata;
mod wire;

use std::fmt;
use std::sync::Arc;

use tfjit_base::{Code, Error, Result};
use tfjit_client::Executable;

pub use directory::{DirectoryCache, DirectoryOptions};
pub use entry::{Entry, NewEntry};
pub use folder::{File, list, read_entry, remove_old};
pub use key::{Difference, Key, PREFIX, device_type_allowed, options_text, parse_file_name};
pub use metadata::Metadata;

use crate::{metrics, trace};

/// Version of the files and of the fingerprints in them; counts up with every change of either.
pub const FORMAT: u32 = 1;

/// The compiler as keys name it: a file of another version is not used.
pub fn compiler_version() -> String {
    format!("tfjit {} format {FORMAT}", env!("CARGO_PKG_VERSION"))
}

/// Where entries are kept.
pub trait Persistor: Send + Sync {
    /// The entry of this key, verified; `None` when there is none.
    ///
    /// # Errors
    /// Those of reading, and INVALID_ARGUMENT or DATA_LOSS for an entry that must not be used.
    fn load(&self, key: &Key) -> Result<Option<Entry>>;

    /// Keeps an entry, in place of an earlier one with the same name.
    ///
    /// # Errors
    /// Those of writing.
    fn save(&self, key: &Key, entry: &NewEntry<'_>) -> Result<()>;

    /// Whether anything is kept for devices of this type.
    fn is_enabled(&self, device_type: &str) -> bool {
        let _ = device_type;
        true
    }
}

/// A persistor with a policy for what goes wrong.
#[derive(Clone)]
pub struct PersistentCache {
    persistor: Arc<dyn Persistor>,
    strict: bool,
}

impl fmt::Debug for PersistentCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PersistentCache(strict: {})", self.strict)
    }
}

impl PersistentCache {
    /// With `strict`, trouble is an error as in TensorFlow; else it is a warning and a miss.
    pub fn new(persistor: Arc<dyn Persistor>, strict: bool) -> PersistentCache {
        PersistentCache { persistor, strict }
    }

    /// Whether anything is kept for devices of this type.
    pub fn is_enabled(&self, device_type: &str) -> bool {
        self.persistor.is_enabled(device_type)
    }

    /// Whether trouble is an error.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// What `load` makes of the entry of this key; `None` when there is none to be used. An error
    /// of `load` counts as one of the entry.
    ///
    /// # Errors
    /// In strict mode those of the persistor and of `load`.
    pub fn load<T>(&self, key: &Key, load: impl FnOnce(&Entry) -> Result<T>) -> Result<Option<T>> {
        let _span = trace::phase("Load from persistent cache", || key.file_name());
        let found = self.persistor.load(key);
        let loaded = found.and_then(|entry| match entry {
            None => Ok(None),
            Some(entry) => load(&entry).map(|loaded| Some((loaded, entry.file_bytes()))),
        });
        let metrics = metrics::global();
        match loaded {
            Ok(Some((loaded, bytes))) => {
                metrics.persistent_cache_load_count.add(1);
                metrics.persistent_cache_read_bytes.add(bytes as u64);
                Ok(Some(loaded))
            }
            Ok(None) => {
                metrics.persistent_cache_miss_count.add(1);
                Ok(None)
            }
            Err(error) => {
                metrics.persistent_cache_error_count.with("load").add(1);
                if self.strict {
                    return Err(error);
                }
                metrics.persistent_cache_miss_count.add(1);
                let name = key.file_name();
                tracing::warn!("the persistent cache's {name} is not used: {error}");
                Ok(None)
            }
        }
    }

    /// Keeps an entry.
    ///
    /// # Errors
    /// In strict mode those of the persistor.
    pub fn save(&self, key: &Key, entry: &NewEntry<'_>) -> Result<()> {
        let _span = trace::phase("Save to persistent cache", || key.file_name());
        match self.persistor.save(key, entry) {
            Ok(()) => Ok(()),
            Err(error) => self.failed_to_save(key, error),
        }
    }

    /// Keeps what an executable serializes to, see [`serialize`]; the executable in `entry` does
    /// not count. What can't be serialized at all is not kept, and that is no trouble.
    ///
    /// # Errors
    /// In strict mode those of the persistor and of serializing.
    pub fn save_executable(
        &self,
        key: &Key,
        entry: NewEntry<'_>,
        executable: Option<&dyn Executable>,
        rebuild: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<()> {
        if !self.is_enabled(&key.device_type) {
            return Ok(());
        }
        match serialize(executable, rebuild) {
            Ok(bytes) => self.save(key, &NewEntry { executable: &bytes, ..entry }),
            Err(error) if !self.strict && error.code() == Code::Unimplemented => {
                tracing::debug!("{} is not kept: {error}", key.file_name());
                Ok(())
            }
            Err(error) => self.failed_to_save(key, error),
        }
    }

    fn failed_to_save(&self, key: &Key, error: Error) -> Result<()> {
        metrics::global().persistent_cache_error_count.with("save").add(1);
        if self.strict {
            return Err(error);
        }
        let name = key.file_name();
        tracing::warn!("the persistent cache does not keep {name}: {error}");
        Ok(())
    }
}

/// The serialized form of an executable. Where the client has none for executables that are built
/// to be run, `rebuild` is to build one that is made for being stored.
///
/// # Errors
/// FAILED_PRECONDITION when there is no executable; those of serializing and of `rebuild`.
pub fn serialize(
    executable: Option<&dyn Executable>,
    rebuild: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let executable = executable.ok_or_else(|| {
        Error::failed_precondition("there is no executable that could be serialized")
    })?;
    match executable.serialize() {
        Err(error) if error.code() == Code::Unimplemented => rebuild(),
        done => done,
    }
}
