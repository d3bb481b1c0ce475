//! Operands in the packed form that library kernels read, made once and kept.
//!
//! A packed operand is known by the bytes it was made of. To hold a clone of their tensor keeps
//! those bytes where they are and as they are, so that the same address means the same content.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, Weak};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tfjit_base::{Result, Tensor};
use tfjit_kernels::{Conv, Isa, Matrix, RhsLayout};

use crate::Pool;
use crate::memory::{Block, lock};
use crate::slab::Slabs;

/// How an operand is packed; buffers begin where the operand's buffer does.
pub(crate) enum Packing {
    /// Some matrices of one layout.
    Matrices {
        /// Their layout.
        layout: RhsLayout,
        /// The instructions that may be used.
        isa: Isa,
        /// Offset of each matrix in bytes.
        offsets: Vec<isize>,
        /// Strides of rows and columns in elements.
        strides: [isize; 2],
    },
    /// A convolution's filter.
    Filter(Arc<Conv>),
}

/// What packed operands are known by: address and size of the bytes, and how they were packed.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    at: usize,
    bytes: usize,
    how: SmallVec<[isize; 12]>,
    dtype: tfjit_base::DType,
}

impl Packing {
    /// Bytes from one packed matrix to the next.
    pub(crate) fn stride(&self) -> usize {
        match self {
            Packing::Matrices { layout, .. } => layout.bytes().next_multiple_of(64),
            Packing::Filter(conv) => conv.filter_bytes().next_multiple_of(64),
        }
    }

    /// Bytes of all of them.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Packing::Matrices { offsets, .. } => self.stride().saturating_mul(offsets.len()),
            Packing::Filter(_) => self.stride(),
        }
    }

    /// Units of packing.
    pub(crate) fn units(&self) -> usize {
        match self {
            Packing::Matrices { layout, offsets, .. } => layout.units() * offsets.len(),
            Packing::Filter(conv) => conv.filter_units(),
        }
    }

    /// Estimated time of all units, in nanoseconds: two bytes a nanosecond.
    pub(crate) fn cost_ns(&self) -> u64 {
        self.bytes() as u64 / 2
    }

    /// Packs a unit.
    ///
    /// # Safety
    /// `from` is the beginning of the operand's buffer, which holds what the plan's check asked
    /// for; `to` has room for all and is aligned to 64 bytes. `unit` is below the number of units,
    /// and nobody else packs it at the same time.
    pub(crate) unsafe fn pack(&self, unit: usize, from: *const u8, to: *mut u8) {
        match self {
            Packing::Matrices { layout, isa, offsets, strides } => {
                let (matrix, unit) = (unit / layout.units(), unit % layout.units());
                let [row, col] = *strides;
                let at = from.wrapping_offset(offsets[matrix]);
                // SAFETY: the caller's promise.
                unsafe {
                    let to = to.add(matrix * self.stride());
                    layout.pack(*isa, unit, Matrix { at, row, col }, to);
                }
            }
            // SAFETY: the caller's promise.
            Packing::Filter(conv) => unsafe { conv.pack_filter(unit, from, to) },
        }
    }

    fn key(&self, tensor: &Tensor) -> Key {
        let bytes = tensor.bytes();
        let mut how: SmallVec<[isize; 12]> = SmallVec::new();
        let dtype = match self {
            Packing::Matrices { layout, offsets, strides, .. } => {
                how.extend(*strides);
                how.extend([layout.k() as isize, layout.n() as isize]);
                how.extend_from_slice(offsets);
                layout.dtype()
            }
            Packing::Filter(conv) => {
                let spec = conv.spec();
                how.extend(
                    [spec.groups, spec.input_features, spec.output_features].map(|n| n as isize),
                );
                how.extend(spec.window.map(|n| n as isize));
                spec.dtype
            }
        };
        Key { at: bytes.as_ptr().addr(), bytes: bytes.len(), how, dtype }
    }
}

/// Packed operands that several executables share: those of one program for other shapes have the
/// same constants.
#[derive(Default)]
pub struct Weights {
    /// A packed operand lives as long as a program that reads it.
    packed: Mutex<FxHashMap<Key, (Tensor, Weak<Block>)>>,
    /// Where new ones are.
    slabs: Slabs,
    /// Packed operands out of files, by a hash of some of their bytes.
    stored: Mutex<FxHashMap<u64, Vec<Weak<Block>>>>,
}

impl Weights {
    /// Nothing packed yet.
    pub fn new() -> Weights {
        Weights::default()
    }

    /// Bytes of all packed operands.
    pub fn bytes(&self) -> usize {
        let packed = lock(&self.packed);
        // The order does not matter for a sum.
        let blocks = packed.values().filter_map(|(_, block)| block.upgrade());
        #[allow(clippy::iter_over_hash_type, reason = "a sum does not depend on order")]
        let sum = blocks.map(|block| block.bytes()).sum();
        sum
    }

    /// The packed form of a constant.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short.
    pub(crate) fn of(&self, tensor: &Tensor, packing: &Packing, pool: &Pool) -> Result<Arc<Block>> {
        let key = packing.key(tensor);
        let known = lock(&self.packed).get(&key).and_then(|(_, block)| block.upgrade());
        if let Some(block) = known {
            return Ok(block);
        }
        let block = self.alone(tensor, packing, pool)?;
        // From now on the packed form is read.
        tensor.let_go();
        let mut packed = lock(&self.packed);
        packed.retain(|_, (_, block)| block.strong_count() > 0);
        let entry = packed.entry(key).or_insert_with(|| (tensor.clone(), Weak::new()));
        if let Some(block) = entry.1.upgrade() {
            return Ok(block);
        }
        entry.1 = Arc::downgrade(&block);
        Ok(block)
    }
}

impl Weights {
    /// Forgets operands out of files that no program has any more.
    pub(crate) fn forget_stored(&self) {
        lock(&self.stored).retain(|_, list| {
            list.retain(|known| known.strong_count() > 0);
            !list.is_empty()
        });
    }

    /// A packed operand out of a file: one with the same bytes that another program has already, or
    /// else this one. Files of one program for several shapes have the same weights.
    pub(crate) fn stored(&self, block: &Arc<Block>) -> Arc<Block> {
        // SAFETY: packed operands are not written once they are in shared memory.
        let bytes = unsafe { block.as_slice() };
        if bytes.len() < SHARED_BYTES_MIN {
            return Arc::clone(block);
        }
        let mut stored = lock(&self.stored);
        let list = stored.entry(sample(bytes)).or_default();
        for known in list.iter().filter_map(Weak::upgrade) {
            // SAFETY: as above.
            if unsafe { known.as_slice() } == bytes {
                return known;
            }
        }
        list.push(Arc::downgrade(block));
        Arc::clone(block)
    }

    /// The packed form of a constant that nobody will ask for again.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short.
    pub(crate) fn alone(
        &self,
        tensor: &Tensor,
        packing: &Packing,
        pool: &Pool,
    ) -> Result<Arc<Block>> {
        let block = self.slabs.take(packing.bytes())?;
        pack(tensor.bytes().as_ptr(), packing, pool, pool.threads(), block)
    }
}

/// Bytes from which on operands out of files are worth a search for equal ones.
const SHARED_BYTES_MIN: usize = 4096;

/// A hash of the length and of some bytes: equal operands have equal ones, and few others do.
pub(crate) fn sample(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    bytes.len().hash(&mut hasher);
    let step = (bytes.len() / 16).max(1);
    bytes.chunks(step).for_each(|chunk| chunk[..chunk.len().min(64)].hash(&mut hasher));
    hasher.finish()
}

/// Packs an operand into a block of its size.
fn pack(
    from: *const u8,
    packing: &Packing,
    pool: &Pool,
    threads: usize,
    block: Block,
) -> Result<Arc<Block>> {
    let job = Ends { from, to: block.as_ptr() };
    pool.run(packing.units(), threads, packing.cost_ns(), false, &|_, unit| {
        let Ends { from, to } = *job.get();
        // SAFETY: the operand was checked when the plan was loaded, and the block is ours.
        unsafe { packing.pack(unit, from, to) };
    })?;
    Ok(Arc::new(block))
}

/// Two addresses that threads share.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) from: *const u8,
    pub(crate) to: *mut u8,
}

// SAFETY: units write to different places and only read the source.
unsafe impl Sync for Ends {}

impl Ends {
    /// Itself, so that closures capture all of it.
    pub(crate) fn get(&self) -> &Ends {
        self
    }
}

/// The packed form of an operand that is a parameter: of the tensor that was seen last.
#[derive(Default)]
pub(crate) struct Remembered {
    last: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    packed: Option<(Tensor, Arc<Block>)>,
    /// Launches in a row with another tensor than before.
    misses: u32,
}

/// From so many misses in a row on nothing is remembered: the operand is no weight, and to hold it
/// would keep its owner from writing to it.
const MISSES_MAX: u32 = 2;

impl Remembered {
    /// The packed form of a tensor, or `None` when it is not worth to remember it.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short.
    pub(crate) fn of(
        &self,
        tensor: &Tensor,
        packing: &Packing,
        pool: &Pool,
        threads: usize,
    ) -> Result<Option<Arc<Block>>> {
        let same = |known: &Tensor| {
            std::ptr::eq(known.bytes().as_ptr(), tensor.bytes().as_ptr())
                && known.bytes().len() == tensor.bytes().len()
        };
        {
            let mut memory = lock(&self.last);
            if let Some((known, block)) = &memory.packed
                && same(known)
            {
                let block = Arc::clone(block);
                memory.misses = 0;
                return Ok(Some(block));
            }
            memory.packed = None;
            memory.misses += 1;
            if memory.misses > MISSES_MAX {
                return Ok(None);
            }
        }
        let block = Block::new(packing.bytes())?;
        let block = pack(tensor.bytes().as_ptr(), packing, pool, threads, block)?;
        lock(&self.last).packed = Some((tensor.clone(), Arc::clone(&block)));
        Ok(Some(block))
    }
}
