//! A folder of entries, seen as files: listing, and removing the ones that were not used for
//! longest. Other processes may add and remove files at any time.
//!
//! It must not know keys beyond the names of files.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tfjit_base::{AlignedBytes, Error, Result, limits};
use tfjit_model::mapped::{file_length, io_error, map_file};

use super::entry::{Entry, MARK};
use super::key::{EXTENSION, parse_file_name};

/// What files end in while they are written.
pub(super) const TEMPORARY: &str = ".tmp";
/// Files from this size on are mapped: their pages are shared by all processes that use the entry,
/// and need not be copied. Whoever can change a mapped file could have put code there before.
const MAPPED_BYTES_MIN: usize = 1 << 20;
/// A file that was begun so long ago belongs to a process that is gone.
const TEMPORARY_AGE_MAX: Duration = Duration::from_secs(3600);

/// A file of the cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in the folder.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// When it was used last: written, or loaded by a cache that may write.
    pub used: SystemTime,
}

impl File {
    /// How long it was not used.
    pub fn age(&self, now: SystemTime) -> Duration {
        now.duration_since(self.used).unwrap_or_default()
    }

    /// Whether we wrote it: TensorFlow's files have names of the same pattern.
    fn is_ours(&self) -> bool {
        let mut head = [0u8; MARK.len()];
        fs::File::open(&self.path).and_then(|mut f| f.read_exact(&mut head)).is_ok() && head == MARK
    }
}

/// The files of the folder that are named like entries, by name. One that goes away meanwhile is
/// left out.
///
/// # Errors
/// NOT_FOUND and PERMISSION_DENIED as the system says.
pub fn list(folder: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| io_error(folder, &e))? {
        let entry = entry.map_err(|e| io_error(folder, &e))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !name.ends_with(EXTENSION) || parse_file_name(&name).is_none() {
            continue;
        }
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_file() {
            let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push(File { path: entry.path(), name, bytes: meta.len(), used });
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// Reads an entry; its content is not verified.
///
/// # Errors
/// NOT_FOUND when there is no file, DATA_LOSS when it is no entry or larger than any may be.
pub fn read_entry(path: &Path) -> Result<Entry> {
    // A length is asked for first, as opening a pipe would wait.
    let length = file_length(path)?;
    let length = usize::try_from(length).ok().filter(|&n| n <= limits::PROTO_BYTES_MAX);
    let length = length.ok_or_else(|| Error::data_loss("the file is larger than any entry"))?;
    if length >= MAPPED_BYTES_MIN {
        return Entry::decode(map_file(path)?);
    }
    let file = fs::File::open(path).map_err(|e| io_error(path, &e))?;
    let mut bytes = AlignedBytes::zeroed(length)?;
    read_whole(file, bytes.as_mut()).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => Error::data_loss("the file became shorter"),
        _ => io_error(path, &e),
    })?;
    Entry::decode(Arc::new(bytes))
}

fn read_whole(mut file: fs::File, bytes: &mut [u8]) -> io::Result<()> {
    file.read_exact(bytes)
}

/// Removes files of ours that were not used for longer than `age_max`, then those that were not
/// used for longest until all take `bytes_max` at most, never `keep`. Gives back what went, in the
/// order it went in; with `dry`, nothing does. Files that processes left behind half written go
/// too.
///
/// # Errors
/// Those of [`list`]; a file that can't be removed stays and is no error.
pub fn remove_old(
    folder: &Path,
    bytes_max: Option<u64>,
    age_max: Option<Duration>,
    keep: Option<&Path>,
    dry: bool,
) -> Result<Vec<File>> {
    let now = SystemTime::now();
    let mut files = list(folder)?;
    let mut total = files.iter().fold(0u64, |sum, file| sum.saturating_add(file.bytes));
    files.sort_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
    let mut gone = Vec::new();
    for file in files {
        let too_old = age_max.is_some_and(|max| file.age(now) > max);
        let too_much = bytes_max.is_some_and(|max| total > max);
        if !(too_old || too_much) || keep == Some(&*file.path) || !file.is_ours() {
            continue;
        }
        if dry || remove(&file.path) {
            total = total.saturating_sub(file.bytes);
            gone.push(file);
        }
    }
    if !dry {
        remove_temporaries(folder, now);
    }
    Ok(gone)
}

/// Whether the file is gone, whoever removed it.
fn remove(path: &Path) -> bool {
    match fs::remove_file(path) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Removes what processes that ended early left behind.
fn remove_temporaries(folder: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|n| n.ends_with(TEMPORARY)) else { continue };
        // Only names that we give: an entry's name, a dot, what makes it unique.
        let is_ours = name
            .find(EXTENSION)
            .and_then(|at| parse_file_name(&name[..at + EXTENSION.len()]))
            .is_some();
        let modified = entry.metadata().and_then(|meta| meta.modified());
        let age = modified.ok().and_then(|t| now.duration_since(t).ok()).unwrap_or_default();
        if is_ours && age > TEMPORARY_AGE_MAX {
            remove(&entry.path());
        }
    }
}
