//! Where the bytes of a tensor live: in a 64-byte aligned allocation, or in something borrowed for
//! the lifetime of a reference count, such as a mapped file.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{Error, Result, limits};

/// Owner of immutable bytes that stay in place while it lives.
pub trait Storage: Send + Sync {
    /// The bytes.
    fn bytes(&self) -> &[u8];

    /// The bytes to write to, where that is possible.
    fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        None
    }

    /// A hint that these bytes will not be read soon: what can be read again from elsewhere need
    /// not stay in memory. The bytes stay what they are.
    fn let_go(&self, range: Range<usize>) {
        let _ = range;
    }
}

/// Alignment in bytes: a cache line.
const ALIGN: usize = 64;

/// A 64-byte aligned, zero-initialised byte buffer of fixed length.
///
/// It is a slice of a slightly larger buffer of bytes: the allocator hands out large ones as fresh
/// pages, which are zero without being written, and it does not for aligned types.
pub struct AlignedBytes {
    raw: Vec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// `len` zero bytes.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when `len` is above [`limits::TENSOR_BYTES_MAX`] or memory is short.
    pub fn zeroed(len: usize) -> Result<AlignedBytes> {
        let short =
            || Error::resource_exhausted(format!("cannot allocate a tensor of {len} bytes"));
        if len > limits::TENSOR_BYTES_MAX {
            return Err(short());
        }
        let raw: Vec<u8> = bytemuck::try_zeroed_vec(len + ALIGN - 1).map_err(|()| short())?;
        let start = raw.as_ptr().align_offset(ALIGN).min(ALIGN - 1);
        Ok(AlignedBytes { raw, start, len })
    }

    /// A copy of `bytes`.
    ///
    /// # Errors
    /// As [`AlignedBytes::zeroed`].
    pub fn copy_of(bytes: &[u8]) -> Result<AlignedBytes> {
        let mut buffer = AlignedBytes::zeroed(bytes.len())?;
        buffer.as_mut().copy_from_slice(bytes);
        Ok(buffer)
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.raw[self.start..self.start + self.len]
    }
}

impl AsMut<[u8]> for AlignedBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.raw[self.start..self.start + self.len]
    }
}

impl Storage for AlignedBytes {
    fn bytes(&self) -> &[u8] {
        self.as_ref()
    }

    fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        Some(self.as_mut())
    }
}

/// A cheaply cloned view into shared bytes.
#[derive(Clone)]
pub struct Bytes {
    storage: Arc<dyn Storage>,
    start: usize,
    len: usize,
}

impl Bytes {
    /// A view of `range` of `storage`.
    ///
    /// # Errors
    /// OUT_OF_RANGE when the range leaves the storage.
    pub fn view(storage: Arc<dyn Storage>, range: Range<usize>) -> Result<Bytes> {
        let total = storage.bytes().len();
        if range.start > range.end || range.end > total {
            return Err(Error::out_of_range(format!(
                "bytes {}..{} lie outside a storage of {total} bytes",
                range.start, range.end
            )));
        }
        Ok(Bytes { storage, start: range.start, len: range.end - range.start })
    }

    /// The bytes to write to, if nobody else shares the storage.
    pub fn unique(&mut self) -> Option<&mut [u8]> {
        let storage = Arc::get_mut(&mut self.storage)?.bytes_mut()?;
        storage.get_mut(self.start..self.start + self.len)
    }

    /// As [`Storage::let_go`], for the bytes of this view.
    pub fn let_go(&self) {
        self.storage.let_go(self.start..self.start + self.len);
    }

    /// How many views and owners share the storage.
    pub fn share_count(&self) -> usize {
        Arc::strong_count(&self.storage)
    }
}

impl From<AlignedBytes> for Bytes {
    fn from(buffer: AlignedBytes) -> Bytes {
        let len = buffer.len;
        Bytes { storage: Arc::new(buffer), start: 0, len }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.storage.bytes()[self.start..self.start + self.len]
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({} bytes)", self.len)
    }
}
