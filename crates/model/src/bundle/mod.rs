//! TensorFlow's checkpoint format V2, the tensor bundle.
//!
//! `PREFIX.index` is a sorted table: the empty key holds a header (how many data files, which byte
//! order), each other key a tensor's entry. `PREFIX.data-0000I-of-0000N` hold the raw bytes, little
//! endian. A partitioned variable has an entry without data that lists slices; each slice is an
//! entry under a key in an order-preserving code, which begins with a zero byte.
//!
//! This module must not know variables or objects: a key is a key.
//!
//! Read first: [`Bundle`], [`write()`].

use std::path::{Path, PathBuf};

use tfjit_base::{Code, Error, Result, limits};
use tfjit_proto::Message;
use tfjit_proto::tensorflow::{BundleHeaderProto, bundle_header_proto::Endianness};

use crate::mapped;
use crate::problems::Problems;
use shards::Shards;

mod block;
mod coding;
mod entry;
mod read;
mod shards;
mod slices;
mod strings;
mod table;
mod table_writer;
#[cfg(test)]
mod tests;
mod write;

pub use entry::Entry;
pub use write::write;

/// The version of the format that this reader understands.
const VERSION: i32 = 1;

/// Up to this many bytes a tensor's checksum is verified whenever it is read; it costs nothing.
const ALWAYS_VERIFIED_BYTES: u64 = 64 << 10;

/// How to open a checkpoint.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Verify the checksum of every tensor that is read. Otherwise only small ones are verified:
    /// the rest stays unread in its mapping until somebody uses it.
    pub verify: bool,
}

/// Entries by key, in ascending order; slices of partitioned variables among them.
type Rows = Vec<(Box<[u8]>, Entry)>;

/// An open checkpoint. Tensors are views of mapped files where their alignment allows it.
pub struct Bundle {
    prefix: PathBuf,
    rows: Rows,
    shards: Shards,
    options: Options,
}

impl Bundle {
    /// Opens the checkpoint `prefix` (a path without `.index`) and checks every entry: its type,
    /// shape and size, that its data file exists and is long enough, that its slices are there.
    ///
    /// # Errors
    /// NOT_FOUND when a file is missing, DATA_LOSS when the index is damaged, OUT_OF_RANGE when a
    /// data file is too short, UNIMPLEMENTED for big-endian data and newer versions. All bad
    /// entries are listed.
    pub fn open(prefix: &Path) -> Result<Bundle> {
        Bundle::open_with(prefix, Options::default())
    }

    /// [`Bundle::open`] with options.
    ///
    /// # Errors
    /// As [`Bundle::open`].
    pub fn open_with(prefix: &Path, options: Options) -> Result<Bundle> {
        let path = shards::with_suffix(prefix, ".index");
        let file = mapped::map_file(&path).map_err(|e| missing(prefix, e))?;
        Bundle::parse(prefix, file.bytes(), options).map_err(|e| e.context(path.display()))
    }

    fn parse(prefix: &Path, index: &[u8], options: Options) -> Result<Bundle> {
        let mut opening = Opening { prefix, bundle: None, key_bytes: 0, problems: Problems::new() };
        table::for_each(index, |key, value| opening.row(key, value))?;
        opening.finish(options)
    }

    /// The path of the checkpoint, without `.index`.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The entry of the tensor `key`.
    pub fn entry(&self, key: impl AsRef<[u8]>) -> Option<&Entry> {
        self.find(key.as_ref()).filter(|_| is_name(key.as_ref()))
    }

    fn find(&self, key: &[u8]) -> Option<&Entry> {
        let at = self.rows.binary_search_by(|(k, _)| k.as_ref().cmp(key)).ok()?;
        Some(&self.rows[at].1)
    }

    /// The keys of all tensors, ascending. Keys of slices are not among them.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.entries().map(|(key, _)| key)
    }

    /// All tensors with their keys, ascending.
    pub fn entries(&self) -> impl Iterator<Item = (&[u8], &Entry)> {
        self.rows.iter().map(|(k, e)| (k.as_ref(), e)).filter(|(k, _)| is_name(k))
    }

    /// How many data files the header announces.
    pub fn num_shards(&self) -> u32 {
        self.shards.count()
    }
}

/// Names are not empty; slice keys begin with a zero byte.
fn is_name(key: &[u8]) -> bool {
    key.first().is_some_and(|&first| first != 0)
}

/// A key for people, cut when very long.
fn show(key: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(key).chars().take(200).collect();
    text.escape_debug().to_string()
}

fn missing(prefix: &Path, error: Error) -> Error {
    if error.code() != Code::NotFound {
        return error;
    }
    let name = prefix.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".index") || name.contains(".data-") {
        return error.help("give the path without .index or .data-0000I-of-0000N");
    }
    if prefix.is_file() {
        return error.help("this may be a checkpoint of format V1: save it anew with TensorFlow");
    }
    error.help("a checkpoint is PREFIX.index with its PREFIX.data-0000I-of-0000N")
}

/// A checkpoint being opened.
struct Opening<'a> {
    prefix: &'a Path,
    /// There once the header is read.
    bundle: Option<(Shards, Rows)>,
    key_bytes: usize,
    problems: Problems,
}

impl Opening<'_> {
    fn row(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let Some((shards, rows)) = &mut self.bundle else {
            if !key.is_empty() {
                return Err(no_header());
            }
            self.bundle = Some((Shards::new(self.prefix, header(value)?), Rows::new()));
            return Ok(());
        };
        // Shared prefixes cost nothing in the file: what they expand to is bounded here.
        self.key_bytes += key.len();
        if self.key_bytes > limits::CHECKPOINT_INDEX_BYTES_MAX {
            return Err(Error::resource_exhausted(format!(
                "the keys of a checkpoint take more than {} bytes",
                limits::CHECKPOINT_INDEX_BYTES_MAX
            )));
        }
        let entry = Entry::parse(value, shards.count()).and_then(|entry| {
            if !entry.is_partitioned() {
                shards.check(entry.shard, entry.end()?)?;
            }
            Ok(entry)
        });
        match entry {
            Ok(entry) => rows.push((key.into(), entry)),
            Err(e) => self.problems.error(e.at(show(key))),
        }
        Ok(())
    }

    fn finish(mut self, options: Options) -> Result<Bundle> {
        let (shards, rows) = self.bundle.ok_or_else(no_header)?;
        let bundle = Bundle { prefix: self.prefix.to_owned(), rows, shards, options };
        // Without all entries a missing slice would be a second message about the same thing.
        if !self.problems.has_errors() {
            for (key, entry) in &bundle.rows {
                if let Err(e) = bundle.check_slices(key, entry) {
                    self.problems.error(e.at(show(key)));
                }
            }
        }
        self.problems.finish()?;
        Ok(bundle)
    }
}

fn no_header() -> Error {
    Error::data_loss("the index has no header: it is a table, but not that of a checkpoint")
}

/// Checks the header and returns the number of data files.
fn header(value: &[u8]) -> Result<u32> {
    let header = BundleHeaderProto::decode(value)
        .map_err(|e| Error::data_loss(format!("the header cannot be decoded: {e}")))?;
    if header.endianness != Endianness::Little as i32 {
        return Err(Error::unimplemented("the checkpoint was written in big-endian byte order")
            .help("load and save it with TensorFlow on a little-endian machine"));
    }
    let version = header.version.unwrap_or_default();
    if version.min_consumer > VERSION || version.bad_consumers.contains(&VERSION) {
        return Err(Error::unimplemented(format!(
            "the checkpoint asks for readers of version {}; this one is of version {VERSION}",
            version.min_consumer
        )));
    }
    u32::try_from(header.num_shards)
        .ok()
        .filter(|&n| n > 0 && n as usize <= limits::SHARDS_MAX)
        .ok_or_else(|| {
            Error::data_loss(format!("a checkpoint of {} data files", header.num_shards))
        })
}
