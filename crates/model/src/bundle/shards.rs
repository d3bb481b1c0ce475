//! The data files of a checkpoint: their lengths at once, their bytes when asked for.
//!
//! It must not know entries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tfjit_base::{Bytes, Error, Result, Storage};

use crate::mapped;

/// `PREFIX.data-0000I-of-0000N`.
pub(super) fn data_path(prefix: &Path, shard: u32, count: u32) -> PathBuf {
    with_suffix(prefix, &format!(".data-{shard:05}-of-{count:05}"))
}

/// `prefix` with `suffix` behind its last component, whatever dots that has.
pub(super) fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

pub(super) struct Shards {
    prefix: PathBuf,
    count: u32,
    /// The shards that entries lie in; `None` for those found broken.
    found: BTreeMap<u32, Option<Shard>>,
}

struct Shard {
    length: u64,
    mapped: OnceLock<Arc<dyn Storage>>,
}

impl Shards {
    pub(super) fn new(prefix: &Path, count: u32) -> Shards {
        Shards { prefix: prefix.to_owned(), count, found: BTreeMap::new() }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    fn path(&self, shard: u32) -> PathBuf {
        data_path(&self.prefix, shard, self.count)
    }

    /// Checks that `shard` exists and has `end` bytes or more.
    ///
    /// # Errors
    /// What the system says when it is missing (the first time asked only), OUT_OF_RANGE when it
    /// is too short.
    pub(super) fn check(&mut self, shard: u32, end: u64) -> Result<()> {
        if !self.found.contains_key(&shard) {
            let length = mapped::file_length(&self.path(shard));
            let found =
                length.as_ref().ok().map(|&length| Shard { length, mapped: OnceLock::new() });
            self.found.insert(shard, found);
            length?;
        }
        match self.found.get(&shard) {
            Some(Some(found)) if end > found.length => Err(Error::out_of_range(format!(
                "{} has {} bytes, but the tensor ends at {end}",
                self.path(shard).display(),
                found.length
            ))
            .help("the file was cut short: copy the checkpoint again")),
            _ => Ok(()),
        }
    }

    /// A view of the mapped bytes of `shard`.
    ///
    /// # Errors
    /// What the system says when it cannot be mapped; OUT_OF_RANGE when it has become shorter.
    pub(super) fn view(&self, shard: u32, offset: u64, size: u64) -> Result<Bytes> {
        let lost = || Error::internal(format!("shard {shard} was not checked"));
        let found = self.found.get(&shard).and_then(Option::as_ref).ok_or_else(lost)?;
        let storage = match found.mapped.get() {
            Some(storage) => storage.clone(),
            // Two threads may both map it; one mapping is kept.
            None => {
                let mapping = mapped::map_file(&self.path(shard))?;
                found.mapped.get_or_init(|| mapping).clone()
            }
        };
        let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
        let (start, size) = range.ok_or_else(lost)?;
        Bytes::view(storage, start..start.saturating_add(size))
    }
}
