//! Writes a sorted table; the mirror of `table`.
//!
//! It must not know what keys and values mean.

use tfjit_proto::wire;

use super::coding::masked_crc;
use super::table::{FOOTER_BYTES, Handle, MAGIC, RAW, SNAPPY};

/// How a table is laid out.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// A data block ends once it is this long.
    pub(super) block_bytes: usize,
    /// Every so many entries a key is written whole.
    pub(super) restart_interval: usize,
    /// Whether blocks are packed.
    pub(super) snappy: bool,
}

impl Default for Layout {
    /// What TensorFlow's bundle writer uses.
    fn default() -> Layout {
        Layout { block_bytes: 256 << 10, restart_interval: 16, snappy: false }
    }
}

/// A table in the making: add ascending keys, then finish.
pub(super) struct TableWriter {
    layout: Layout,
    file: Vec<u8>,
    data: BlockWriter,
    index: BlockWriter,
}

impl TableWriter {
    pub(super) fn new(layout: Layout) -> TableWriter {
        TableWriter {
            layout,
            file: Vec::new(),
            data: BlockWriter::new(layout.restart_interval),
            index: BlockWriter::new(1),
        }
    }

    /// Adds an entry; keys must ascend.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        self.data.add(key, value);
        if self.data.bytes.len() >= self.layout.block_bytes {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        let key = self.data.last.clone();
        let block = self.data.finish();
        let handle = self.append(block);
        // The last key of a block is a separator too, though not the shortest.
        self.index.add(&key, &encode(handle));
    }

    fn append(&mut self, block: Vec<u8>) -> Handle {
        let packed = self
            .layout
            .snappy
            .then(|| snap::raw::Encoder::new().compress_vec(&block).ok())
            .flatten();
        let (method, body) = match packed {
            Some(packed) => (SNAPPY, packed),
            None => (RAW, block),
        };
        let handle = Handle { offset: self.file.len() as u64, size: body.len() as u64 };
        let start = self.file.len();
        self.file.extend_from_slice(&body);
        self.file.push(method);
        let crc = masked_crc(&self.file[start..]);
        self.file.extend_from_slice(&crc.to_le_bytes());
        handle
    }

    /// The bytes of the file.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if !self.data.is_empty() {
            self.end_block();
        }
        let metaindex = self.append(BlockWriter::new(1).finish());
        let index = self.index.finish();
        let index = self.append(index);
        let mut footer = encode(metaindex);
        footer.extend(encode(index));
        footer.resize(FOOTER_BYTES - 8, 0);
        footer.extend(MAGIC.to_le_bytes());
        self.file.extend(footer);
        self.file
    }
}

fn encode(handle: Handle) -> Vec<u8> {
    let mut out = Vec::new();
    wire::varint(handle.offset, &mut out);
    wire::varint(handle.size, &mut out);
    out
}

struct BlockWriter {
    interval: usize,
    bytes: Vec<u8>,
    restarts: Vec<u32>,
    since_restart: usize,
    last: Vec<u8>,
}

impl BlockWriter {
    fn new(interval: usize) -> BlockWriter {
        BlockWriter {
            interval,
            bytes: Vec::new(),
            restarts: vec![0],
            since_restart: 0,
            last: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut shared = 0;
        if self.since_restart >= self.interval {
            self.restarts.push(self.bytes.len() as u32);
            self.since_restart = 0;
        } else {
            shared = key.iter().zip(&self.last).take_while(|(a, b)| a == b).count();
        }
        for n in [shared, key.len() - shared, value.len()] {
            wire::varint(n as u64, &mut self.bytes);
        }
        self.bytes.extend_from_slice(&key[shared..]);
        self.bytes.extend_from_slice(value);
        self.last.clear();
        self.last.extend_from_slice(key);
        self.since_restart += 1;
    }

    /// The finished block; the writer is empty again.
    fn finish(&mut self) -> Vec<u8> {
        let fresh = BlockWriter::new(self.interval);
        let BlockWriter { mut bytes, restarts, .. } = std::mem::replace(self, fresh);
        for at in &restarts {
            bytes.extend_from_slice(&at.to_le_bytes());
        }
        bytes.extend_from_slice(&(restarts.len() as u32).to_le_bytes());
        bytes
    }
}
