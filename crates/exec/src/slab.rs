//! Memory for packed operands: cut one after the other from large mappings of huge pages.
//!
//! Fresh memory is most of what packing costs, and a page of 4 KiB costs as much to get as its
//! bytes ten times over. So small operands share huge pages, which are touched as far as they are
//! used. A mapping is given back when none of its blocks is left. Nothing here knows what is
//! packed.

use std::sync::{Arc, Mutex};

use tfjit_base::Result;

use crate::memory::{ALIGNMENT, Block, lock};

/// Bytes of a mapping.
const SLAB_BYTES: usize = 32 << 20;
/// Bytes from which on a block has a mapping of its own: it has whole huge pages, and was slower to
/// fill as a part of a larger one when two threads did it.
const OWN_BYTES: usize = 2 << 20;

/// Where the next block is cut from.
#[derive(Default)]
pub(crate) struct Slabs {
    /// The mapping at hand, and how much of it is taken.
    last: Mutex<Option<(Arc<Block>, usize)>>,
}

impl Slabs {
    /// A block of `bytes` bytes of zeros.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when the system has none.
    pub(crate) fn take(&self, bytes: usize) -> Result<Block> {
        let room = bytes.next_multiple_of(ALIGNMENT);
        if bytes == 0 || room >= OWN_BYTES {
            return Block::new(bytes);
        }
        let mut last = lock(&self.last);
        let (slab, taken) = match last.take() {
            Some((slab, taken)) if slab.bytes() - taken >= room => (slab, taken),
            _ => (Arc::new(Block::new(SLAB_BYTES)?), 0),
        };
        let block = Block::part(&slab, taken, bytes);
        *last = Some((slab, taken + room));
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_apart_and_zero() {
        let slabs = Slabs::default();
        let mut sizes = vec![1, 64, 65, 0, 100, OWN_BYTES, SLAB_BYTES];
        // More than one mapping is needed.
        sizes.resize(sizes.len() + 24, OWN_BYTES - 64);
        let blocks: Vec<Block> = sizes.iter().map(|&n| slabs.take(n).unwrap()).collect();
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for (block, &bytes) in blocks.iter().zip(&sizes) {
            assert_eq!((block.bytes(), block.as_ptr().addr() % ALIGNMENT), (bytes, 0));
            // SAFETY: nobody writes to it.
            assert!(unsafe { block.as_slice() }.iter().all(|&b| b == 0));
            ends.push((block.as_ptr().addr(), block.as_ptr().addr() + bytes));
        }
        ends.retain(|(start, end)| start != end);
        ends.sort_unstable();
        assert!(ends.windows(2).all(|w| w[0].1 <= w[1].0));
    }
}
