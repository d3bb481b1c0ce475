//! Files mapped into memory, read only.
//!
//! The one place of this crate with unsafe code. It must not know what a file holds.

#![allow(unsafe_code, reason = "mapping a file cannot be proved safe: others may change it")]

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memmap2::{Mmap, UncheckedAdvice};
use tfjit_base::{AlignedBytes, Code, Error, Result, Storage};

struct Mapped(Mmap);

impl Storage for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn let_go(&self, range: Range<usize>) {
        let advice = UncheckedAdvice::DontNeed;
        // SAFETY: the mapping is read only, so that its pages hold nothing but what the file holds,
        // and the next read brings them back from there.
        let told = unsafe { self.0.unchecked_advise_range(advice, range.start, range.len()) };
        // It is a hint: a system that does not take it keeps the pages.
        drop(told);
    }
}

/// The bytes of the file at `path`, mapped on demand instead of read.
///
/// # Errors
/// NOT_FOUND, PERMISSION_DENIED or UNAVAILABLE as the system says; INVALID_ARGUMENT for what is no
/// regular file (a pipe would block, a device has no size).
pub fn map_file(path: &Path) -> Result<Arc<dyn Storage>> {
    let length = file_length(path)?;
    if length == 0 {
        // The system refuses mappings of no bytes.
        return Ok(Arc::new(AlignedBytes::zeroed(0)?));
    }
    let file = File::open(path).map_err(|e| io_error(path, &e))?;
    // SAFETY: the mapping is private and read only, and we never write to the file. Should another
    // process shorten the file while it is mapped, touching a lost page raises SIGBUS and ends this
    // process (no memory of ours is exposed); should it rewrite the file, bytes change under us, so
    // every reader checks what it parses and nothing read here decides about memory safety.
    // Checkpoints are replaced by renaming, which leaves a mapped file as it was.
    let mapping = unsafe { Mmap::map(&file) }.map_err(|e| io_error(path, &e))?;
    Ok(Arc::new(Mapped(mapping)))
}

/// The length of the regular file at `path`, without opening it.
///
/// # Errors
/// As [`map_file`].
pub fn file_length(path: &Path) -> Result<u64> {
    let meta = fs::metadata(path).map_err(|e| io_error(path, &e))?;
    if !meta.is_file() {
        return Err(Error::invalid_argument(format!("{} is not a file", path.display())));
    }
    Ok(meta.len())
}

/// The error for what the system said about `path`.
pub fn io_error(path: &Path, error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Code::NotFound,
        io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        io::ErrorKind::AlreadyExists => Code::AlreadyExists,
        io::ErrorKind::StorageFull | io::ErrorKind::OutOfMemory => Code::ResourceExhausted,
        _ => Code::Unavailable,
    };
    Error::new(code, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_mapped() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let mapped = map_file(&path).unwrap();
        assert_eq!(mapped.bytes(), fs::read(&path).unwrap());
        assert_eq!(mapped.bytes().as_ptr() as usize % 4096, 0);
    }

    #[test]
    fn empty_files_are_empty() {
        let path = std::env::temp_dir().join(format!("tfjit-empty-{}", std::process::id()));
        File::create(&path).unwrap();
        assert!(map_file(&path).unwrap().bytes().is_empty());
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let code = |path: &str| map_file(Path::new(path)).err().map(|e| e.code());
        assert_eq!(code(env!("CARGO_MANIFEST_DIR")), Some(Code::InvalidArgument));
        assert_eq!(code("/nowhere/at/all"), Some(Code::NotFound));
        assert_eq!(
            code(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/x")),
            Some(Code::NotFound)
        );
    }
}
