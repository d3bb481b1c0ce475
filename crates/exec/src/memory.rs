//! Memory of launches: blocks aligned to cache lines, kept for the next launch.
//!
//! All memory is zero when it is fresh, and holds anything of the same executable when it is used
//! again; it must not know what it is used for.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tfjit_base::{Bytes, Error, Result, Storage};

/// Alignment of all memory.
pub(crate) const ALIGNMENT: usize = 64;
/// From this size on memory is mapped rather than allocated: fresh pages are zero already.
const MAPPED_BYTES: usize = 1 << 20;
/// Size of a huge page; larger blocks are aligned to it and ask for such pages.
const HUGE_BYTES: usize = 2 << 20;

/// Locks a mutex; what it guards is never left half-done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A piece of memory.
#[derive(Debug)]
pub(crate) struct Block {
    at: NonNull<u8>,
    bytes: usize,
    owner: Owner,
}

/// Where the memory of a block comes from.
#[derive(Debug)]
enum Owner {
    /// The allocator, or there is none.
    Allocator,
    /// A mapping of its own.
    Mapping(NonNull<u8>, usize),
    /// A larger block of which it is a part.
    Part(#[allow(dead_code, reason = "keeps the memory")] Arc<Block>),
    /// Somebody else, who keeps it; it is only read.
    Shared(#[allow(dead_code, reason = "keeps the memory")] Bytes),
}

// SAFETY: a block owns its memory.
unsafe impl Send for Block {}
// SAFETY: shared references to a block give no access to its memory but by raw pointers.
unsafe impl Sync for Block {}

fn short(bytes: usize) -> Error {
    Error::resource_exhausted(format!("cannot allocate {bytes} bytes for a launch"))
}

impl Block {
    /// Memory of `bytes` zero bytes.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when the system has none.
    pub(crate) fn new(bytes: usize) -> Result<Block> {
        if bytes == 0 {
            let at = NonNull::<Line>::dangling().cast();
            return Ok(Block { at, bytes, owner: Owner::Allocator });
        }
        if bytes >= MAPPED_BYTES
            && let Some(block) = Block::map(bytes)
        {
            return Ok(block);
        }
        let layout = Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| short(bytes))?;
        // SAFETY: the layout has a size.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(|| short(bytes))?;
        Ok(Block { at, bytes, owner: Owner::Allocator })
    }

    /// A block with the content of some bytes that is never written: in their place if that is
    /// aligned, else a copy.
    ///
    /// # Errors
    /// As [`Block::new`].
    pub(crate) fn of(bytes: Bytes) -> Result<Block> {
        let slice = bytes.as_ref();
        let (len, from) = (slice.len(), slice.as_ptr());
        match NonNull::new(from.cast_mut()) {
            Some(at) if len > 0 && from.addr().is_multiple_of(ALIGNMENT) => {
                Ok(Block { at, bytes: len, owner: Owner::Shared(bytes) })
            }
            _ => Block::copy_of(slice),
        }
    }

    /// The part of a block that begins at `offset`; parts that are written at the same time must
    /// not overlap.
    pub(crate) fn part(whole: &Arc<Block>, offset: usize, bytes: usize) -> Block {
        assert!(offset <= whole.bytes && bytes <= whole.bytes - offset, "a part lies in its whole");
        // SAFETY: the offset is within the block.
        let at = unsafe { whole.at.add(offset) };
        Block { at, bytes, owner: Owner::Part(Arc::clone(whole)) }
    }

    /// A block with a copy of some bytes.
    ///
    /// # Errors
    /// As [`Block::new`].
    pub(crate) fn copy_of(bytes: &[u8]) -> Result<Block> {
        let block = Block::new(bytes.len())?;
        // SAFETY: the block is fresh and has room for the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.as_ptr(), bytes.len()) };
        Ok(block)
    }

    /// What is in it.
    ///
    /// # Safety
    /// Nobody writes to it meanwhile.
    pub(crate) unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory is initialised, and the rest is the caller's promise.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.bytes) }
    }

    #[cfg(unix)]
    fn map(bytes: usize) -> Option<Block> {
        let huge = bytes >= HUGE_BYTES;
        let room = if huge { bytes.checked_add(HUGE_BYTES)? } else { bytes };
        // SAFETY: a fresh anonymous mapping touches nothing else.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                room,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = NonNull::new(base.cast::<u8>())?;
        let mut at = base;
        if huge {
            let shift = base.addr().get().next_multiple_of(HUGE_BYTES) - base.addr().get();
            // SAFETY: the mapping has room for the shift.
            at = unsafe { base.add(shift) };
            #[cfg(target_os = "linux")]
            // SAFETY: advice about a range of ours; it may be refused.
            unsafe {
                libc::madvise(at.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
            }
        }
        Some(Block { at, bytes, owner: Owner::Mapping(base, room) })
    }

    #[cfg(not(unix))]
    fn map(_: usize) -> Option<Block> {
        None
    }

    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.at.as_ptr()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// For a pointer to nothing with the right alignment.
#[repr(align(64))]
struct Line([u8; 0]);

impl Drop for Block {
    fn drop(&mut self) {
        match self.owner {
            #[cfg(unix)]
            Owner::Mapping(base, room) => {
                // SAFETY: the mapping is ours and nobody uses it any more.
                unsafe { libc::munmap(base.as_ptr().cast(), room) };
            }
            Owner::Allocator if self.bytes > 0 => {
                if let Ok(layout) = Layout::from_size_align(self.bytes, ALIGNMENT) {
                    // SAFETY: allocated with this layout.
                    unsafe { dealloc(self.at.as_ptr(), layout) };
                }
            }
            _ => {}
        }
    }
}

/// Blocks of results that came back.
#[derive(Debug)]
pub(crate) struct BlockPool {
    free: Mutex<Vec<Block>>,
    /// Bytes that are kept at most.
    keep_bytes: usize,
}

impl BlockPool {
    pub(crate) fn new(keep_bytes: usize) -> Arc<BlockPool> {
        Arc::new(BlockPool { free: Mutex::new(Vec::new()), keep_bytes })
    }

    /// A block of exactly `bytes`.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when the system has none.
    pub(crate) fn take(self: &Arc<BlockPool>, bytes: usize) -> Result<Pooled> {
        let found = {
            let mut free = lock(&self.free);
            free.iter().rposition(|block| block.bytes == bytes).map(|i| free.swap_remove(i))
        };
        let block = found.map_or_else(|| Block::new(bytes), Ok)?;
        Ok(Pooled { block: Some(block), pool: Arc::clone(self) })
    }

    fn give_back(&self, block: Block) {
        let mut free = lock(&self.free);
        let kept: usize = free.iter().map(Block::bytes).sum();
        if kept + block.bytes <= self.keep_bytes {
            free.push(block);
        }
    }
}

/// A block that goes back to its pool.
pub(crate) struct Pooled {
    /// Always there but while it is dropped.
    block: Option<Block>,
    pool: Arc<BlockPool>,
}

impl Pooled {
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.block.as_ref().map_or(std::ptr::null_mut(), Block::as_ptr)
    }

    /// The bytes as shared, immutable memory.
    ///
    /// # Errors
    /// None that could happen; the range is that of the block.
    pub(crate) fn share(self) -> Result<Bytes> {
        let bytes = self.block.as_ref().map_or(0, Block::bytes);
        Bytes::view(Arc::new(self), 0..bytes)
    }
}

impl Storage for Pooled {
    fn bytes(&self) -> &[u8] {
        match &self.block {
            // SAFETY: the block is initialised, and nobody writes to it while it is shared.
            Some(block) => unsafe { std::slice::from_raw_parts(block.as_ptr(), block.bytes) },
            None => &[],
        }
    }

    fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let block = self.block.as_ref()?;
        // SAFETY: the block is initialised and `self` is its only owner.
        Some(unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), block.bytes) })
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.pool.give_back(block);
        }
    }
}

/// Bytes that the process may use: the limit of its cgroup or else the machine's memory.
pub(crate) fn available_bytes() -> usize {
    // To ask the system costs as much as to load a small program.
    static KNOWN: OnceLock<usize> = OnceLock::new();
    *KNOWN.get_or_init(crate::cgroup::bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_come_back() {
        let pool = BlockPool::new(10 << 20);
        for bytes in [0, 1, 100, 1 << 20, (5 << 20) + 3] {
            let mut first = pool.take(bytes).unwrap();
            let at = first.as_ptr();
            assert_eq!(at.addr() % ALIGNMENT, 0);
            assert!(bytes < HUGE_BYTES || at.addr() % HUGE_BYTES == 0);
            assert!(first.bytes().iter().all(|&b| b == 0));
            first.bytes_mut().unwrap().fill(1);
            let shared = first.share().unwrap();
            assert_eq!(shared.as_ref().len(), bytes);
            drop(shared);
            let again = pool.take(bytes).unwrap();
            assert_eq!(again.as_ptr(), at);
            let other = pool.take(bytes).unwrap();
            assert!(bytes == 0 || other.as_ptr() != at);
        }
    }

    #[test]
    fn no_more_is_kept_than_allowed() {
        let pool = BlockPool::new(100);
        drop(pool.take(101).unwrap());
        assert!(lock(&pool.free).is_empty());
        drop((pool.take(60).unwrap(), pool.take(60).unwrap()));
        assert_eq!(lock(&pool.free).len(), 1);
    }
}
