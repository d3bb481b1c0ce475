//! One block of a sorted table: entries with shared key prefixes, and the restart points.
//!
//! An entry is `shared, unshared, value length` as varints, then the unshared end of the key, then
//! the value. After the entries come the offsets of those that share nothing (the restart points)
//! and their number, as 32-bit words. It must not know what keys and values mean.

use tfjit_base::{Error, Result, limits};

use super::coding::Cursor;

/// The entries of one block and where keys restart.
pub(super) struct Block<'a> {
    entries: &'a [u8],
    restarts: &'a [u8],
}

impl<'a> Block<'a> {
    /// Finds the restart points at the end of the block `bytes`.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Block<'a>> {
        let short = || Error::data_loss("a block is too short for its restart points");
        let (body, count) = bytes.split_last_chunk::<4>().ok_or_else(short)?;
        let count = u32::from_le_bytes(*count) as usize;
        let size = count.checked_mul(4).ok_or_else(short)?;
        let cut = body.len().checked_sub(size).ok_or_else(short)?;
        let (entries, restarts) = body.split_at(cut);
        if count == 0 && !entries.is_empty() {
            return Err(Error::data_loss("a block with entries has no restart point"));
        }
        Ok(Block { entries, restarts })
    }

    /// Calls `row` with each key and value in order. `key` keeps the last key seen, so that the
    /// caller can go on from block to block; its buffer is reused.
    ///
    /// # Errors
    /// DATA_LOSS when the block breaks the format's rules or `row` fails.
    pub(super) fn for_each(
        &self,
        key: &mut Vec<u8>,
        mut row: impl FnMut(&[u8], &'a [u8]) -> Result<()>,
    ) -> Result<()> {
        let mut cursor = Cursor::new(self.entries);
        let mut restarts = self.restarts.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w));
        let mut restart = restarts.next();
        key.clear();
        while !cursor.rest().is_empty() {
            let offset = self.entries.len() - cursor.rest().len();
            let shared = cursor.varint32()?;
            let unshared = cursor.varint32()?;
            let value = cursor.varint32()?;
            if restart == Some(offset as u32) {
                if shared != 0 {
                    return Err(Error::data_loss("a restart point shares a key prefix"));
                }
                restart = restarts.next();
            }
            if shared > key.len() {
                return Err(Error::data_loss("a key shares more than the key before it has"));
            }
            if shared.saturating_add(unshared) > limits::CHECKPOINT_KEY_BYTES_MAX {
                return Err(too_long("key", limits::CHECKPOINT_KEY_BYTES_MAX));
            }
            if value > limits::CHECKPOINT_ENTRY_BYTES_MAX {
                return Err(too_long("value", limits::CHECKPOINT_ENTRY_BYTES_MAX));
            }
            key.truncate(shared);
            key.extend_from_slice(cursor.take(unshared)?);
            row(key, cursor.take(value)?)?;
        }
        match restart {
            // An empty block still has its first restart point.
            None => Ok(()),
            Some(0) if self.entries.is_empty() && restarts.next().is_none() => Ok(()),
            Some(at) => Err(Error::data_loss(format!("the restart point {at} is at no entry"))),
        }
    }
}

fn too_long(what: &str, limit: usize) -> Error {
    Error::resource_exhausted(format!("an index {what} is longer than {limit} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(bytes: &[u8]) -> Result<Vec<(String, String)>> {
        let mut out = Vec::new();
        Block::parse(bytes)?.for_each(&mut Vec::new(), |k, v| {
            let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            out.push((text(k), text(v)));
            Ok(())
        })?;
        Ok(out)
    }

    /// `ab=1`, `ac=2`, and a restart at `b=`.
    const GOOD: &[u8] = b"\0\x02\x01ab1\x01\x01\x01c2\0\x01\0b\0\0\0\0\x0b\0\0\0\x02\0\0\0";

    #[test]
    fn prefixes_are_joined() {
        let want = [("ab", "1"), ("ac", "2"), ("b", "")];
        assert_eq!(rows(GOOD).unwrap(), want.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert_eq!(rows(b"\0\0\0\0\x01\0\0\0").unwrap(), []);
        assert_eq!(rows(b"\0\0\0\0").unwrap(), []);
    }

    #[test]
    fn broken_blocks_are_refused() {
        for (bytes, want) in [
            (&b"\0\0\0"[..], "too short"),
            (b"\xff\xff\xff\xff", "too short"),
            (b"\x00\x01\x00b\0\0\0\0", "no restart point"),
            (b"\x01\x01\x00b\0\0\0\0\x01\0\0\0", "restart point shares"),
            (b"\x00\x01\x00b\x02\x01\x00b\0\0\0\0\x01\0\0\0", "more than the key before"),
            (b"\x00\x01\x00b\x02\0\0\0\x01\0\0\0", "the restart point 2 is at no entry"),
            (b"\x00\x09\x00b\0\0\0\0\x01\0\0\0", "9 bytes are wanted where 1 are left"),
            (b"\x00\x80\x80\x08\x00b\0\0\0\0\x01\0\0\0", "longer than 65536 bytes"),
        ] {
            let error = rows(bytes).unwrap_err().to_string();
            assert!(error.contains(want), "{bytes:?}: {error}");
        }
    }
}
