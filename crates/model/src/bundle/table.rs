//! A sorted table of keys and values in LevelDB's file format, as checkpoint indexes use it.
//!
//! ```text
//! [data block][trailer] ... [metaindex block][trailer] [index block][trailer] [footer]
//! trailer = compression (1 byte), masked CRC-32C of block and compression byte (4 bytes)
//! footer  = handle of the metaindex, handle of the index, padding to 40 bytes, magic (8 bytes)
//! handle  = offset, size as varints
//! ```
//! The index maps a key not below any of its block and below all of the next to the block's handle.
//! All checksums are verified. It must not know what keys and values mean.

use std::borrow::Cow;

use tfjit_base::{Error, Result, limits};

use super::block::Block;
use super::coding::{Cursor, masked_crc};

pub(super) const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
pub(super) const FOOTER_BYTES: usize = 48;
pub(super) const TRAILER_BYTES: usize = 5;
pub(super) const RAW: u8 = 0;
pub(super) const SNAPPY: u8 = 1;

/// Where a block lies; `size` is without its trailer.
#[derive(Clone, Copy)]
pub(super) struct Handle {
    pub(super) offset: u64,
    pub(super) size: u64,
}

impl Handle {
    fn parse(cursor: &mut Cursor<'_>) -> Result<Handle> {
        Ok(Handle { offset: cursor.varint64()?, size: cursor.varint64()? })
    }
}

/// Calls `row` with every key and value of the table `file`, in strictly ascending order of keys.
///
/// # Errors
/// DATA_LOSS when the file is no table, a checksum is wrong or keys are out of order;
/// RESOURCE_EXHAUSTED when it passes a limit; UNIMPLEMENTED for an unknown compression.
pub(super) fn for_each(file: &[u8], mut row: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
    let (metaindex, index) = footer(file)?;
    let mut reader = Reader { blocks: &file[..file.len() - FOOTER_BYTES], decoded: 0 };
    // Nothing in the metaindex is needed, but a flipped bit in it should not pass.
    let metaindex = reader.block(metaindex)?;
    Block::parse(&metaindex)?.for_each(&mut Vec::new(), |_, _| Ok(()))?;
    let index = reader.block(index)?;
    let mut order = Order::default();
    let mut key = Vec::new();
    Block::parse(&index)?.for_each(&mut Vec::new(), |separator, handle| {
        let block = reader.block(Handle::parse(&mut Cursor::new(handle))?)?;
        Block::parse(&block)?.for_each(&mut key, |key, value| {
            order.next(key)?;
            row(key, value)
        })?;
        order.separator(separator)
    })
}

fn footer(file: &[u8]) -> Result<(Handle, Handle)> {
    let no_table = |why: &str| Error::data_loss(format!("this is not a checkpoint index: {why}"));
    let start = file.len().checked_sub(FOOTER_BYTES).ok_or_else(|| no_table("it is too short"))?;
    let mut magic = Cursor::new(&file[start + FOOTER_BYTES - 8..]);
    if magic.fixed64()? != MAGIC {
        return Err(no_table("it does not end with the magic number of a table"));
    }
    let mut cursor = Cursor::new(&file[start..start + FOOTER_BYTES - 8]);
    Ok((Handle::parse(&mut cursor)?, Handle::parse(&mut cursor)?))
}

struct Reader<'a> {
    /// The file without its footer.
    blocks: &'a [u8],
    /// Bytes of all blocks read so far.
    decoded: usize,
}

impl<'a> Reader<'a> {
    fn block(&mut self, handle: Handle) -> Result<Cow<'a, [u8]>> {
        let outside = || {
            let Handle { offset, size } = handle;
            Error::data_loss(format!("a block of {size} bytes at {offset} leaves the file"))
        };
        let offset = usize::try_from(handle.offset).map_err(|_| outside())?;
        let size = usize::try_from(handle.size).map_err(|_| outside())?;
        let end = offset.checked_add(size).ok_or_else(outside)?;
        let whole = end.checked_add(TRAILER_BYTES).ok_or_else(outside)?;
        let bytes = self.blocks.get(offset..whole).ok_or_else(outside)?;
        let (checked, crc) = bytes.split_at(size + 1);
        if Cursor::new(crc).fixed32()? != masked_crc(checked) {
            return Err(Error::data_loss(format!("the block at {offset} fails its checksum")));
        }
        let body = &checked[..size];
        match checked[size] {
            RAW => {
                self.count(size)?;
                Ok(Cow::Borrowed(body))
            }
            SNAPPY => self.unpack(body).map(Cow::Owned),
            other => Err(Error::unimplemented(format!("blocks packed by method {other}"))),
        }
    }

    fn unpack(&mut self, packed: &[u8]) -> Result<Vec<u8>> {
        let broken = |e: snap::Error| Error::data_loss(format!("a block cannot be unpacked: {e}"));
        let size = snap::raw::decompress_len(packed).map_err(broken)?;
        // The densest element makes 64 bytes out of 3: more is a lie, told before we allocate.
        if size / 22 > packed.len() {
            return Err(Error::data_loss(format!(
                "{} packed bytes cannot make a block of {size}",
                packed.len()
            )));
        }
        self.count(size)?;
        snap::raw::Decoder::new().decompress_vec(packed).map_err(broken)
    }

    fn count(&mut self, size: usize) -> Result<()> {
        self.decoded = self.decoded.saturating_add(size);
        if size > limits::BLOCK_BYTES_MAX {
            return Err(Error::resource_exhausted(format!(
                "an index block of {size} bytes is above the limit of {}",
                limits::BLOCK_BYTES_MAX
            )));
        }
        if self.decoded > limits::CHECKPOINT_INDEX_BYTES_MAX {
            return Err(Error::resource_exhausted(format!(
                "a checkpoint index of more than {} bytes",
                limits::CHECKPOINT_INDEX_BYTES_MAX
            )));
        }
        Ok(())
    }
}

/// Keys ascend strictly, within blocks and across them, and separators part the blocks.
#[derive(Default)]
struct Order {
    last: Option<Vec<u8>>,
    /// Whether `last` is a separator: the next key may not equal it either.
    parted: bool,
}

impl Order {
    fn next(&mut self, key: &[u8]) -> Result<()> {
        if self.last.as_deref().is_some_and(|last| key <= last) {
            let name = key.escape_ascii();
            return Err(Error::data_loss(match self.parted {
                _ if self.last.as_deref() == Some(key) => format!("the key {name} occurs twice"),
                true => format!("the key {name} is in the wrong block"),
                false => format!("the key {name} is out of order"),
            }));
        }
        self.parted = false;
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        Ok(())
    }

    fn separator(&mut self, separator: &[u8]) -> Result<()> {
        if self.last.as_deref().is_some_and(|last| separator < last) {
            return Err(Error::data_loss("the keys of a block pass its separator in the index"));
        }
        self.parted = true;
        self.last = Some(separator.to_vec());
        Ok(())
    }
}
