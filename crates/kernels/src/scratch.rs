//! Temporary memory of one worker.

use tfjit_base::{AlignedBytes, Result};

/// Temporary memory, 64-byte aligned, that kernels run by one thread share.
#[derive(Default)]
pub struct Scratch {
    bytes: Option<AlignedBytes>,
}

impl Scratch {
    /// Empty.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Makes room for a kernel's `scratch_bytes()`; what was in it is lost.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short.
    pub fn reserve(&mut self, bytes: usize) -> Result<()> {
        if self.len() < bytes {
            self.bytes = None;
            self.bytes = Some(AlignedBytes::zeroed(bytes)?);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.bytes.as_ref().map_or(0, |b| b.as_ref().len())
    }

    /// All of it, to be cut into pieces.
    ///
    /// # Panics
    /// When [`Scratch::reserve`] was not called with `bytes` or more.
    pub(crate) fn cut(&mut self, bytes: usize) -> Cut {
        assert!(self.len() >= bytes, "scratch of {} bytes where {bytes} are needed", self.len());
        let at = self.bytes.as_mut().map_or(std::ptr::null_mut(), |b| b.as_mut().as_mut_ptr());
        Cut { at, left: bytes }
    }
}

/// A piece of scratch memory from which smaller ones are cut. Pieces do not overlap, and are valid
/// while the [`Scratch`] is neither dropped nor cut again.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    at: *mut u8,
    left: usize,
}

impl Cut {
    /// `count` elements, aligned to 64 bytes; anything may be in them.
    ///
    /// # Panics
    /// When they are not there.
    pub(crate) fn take<T>(&mut self, count: usize) -> *mut T {
        let bytes = piece::<T>(count);
        assert!(bytes <= self.left, "scratch memory was counted wrongly");
        let piece = self.at;
        self.at = piece.wrapping_add(bytes);
        self.left -= bytes;
        piece.cast()
    }
}

/// Bytes that `count` elements take in scratch memory.
pub(crate) fn piece<T>(count: usize) -> usize {
    count.saturating_mul(size_of::<T>()).saturating_add(63) & !63
}
