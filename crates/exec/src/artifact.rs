//! Constants of an executable as bytes: dense ones as they are, weights in the form that library
//! kernels read, both at multiples of 64 bytes so that a mapped file is used in its place.
//!
//! Two sections: a table of types and sizes, and the bytes themselves. It must not know the file
//! around them, nor what is computed.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::{Bytes, Error, Result, Shape, Storage, Tensor, limits};
use tfjit_plan::artifact::container::append;
use tfjit_plan::artifact::{Reader, Writer, read_dtype, write_dtype};
use tfjit_plan::{Constant, Plan};

use crate::KernelCode;
use crate::constants::Constants;
use crate::loaded::{LoadOptions, Loaded, Numbered, Task};
use crate::memory::Block;
use crate::weights::sample;

/// Alignment of all pieces.
const ALIGN: usize = 64;

/// What was read of the constants of an executable.
pub struct StoredConstants {
    /// The constants of the plan; those that were not stored have no elements.
    pub constants: Vec<Constant>,
    stored: Stored,
}

/// Packed operands for a plan that is loaded.
pub(crate) struct Stored {
    /// Which constants were not stored.
    pub(crate) missing: Vec<bool>,
    /// In the order of the steps that read them.
    pub(crate) packed: Vec<Arc<Block>>,
    /// Bytes of all different ones.
    bytes: usize,
}

impl Stored {
    /// Bytes of all operands.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Loaded {
    /// The constants as bytes, for [`read_constants`].
    pub fn constant_pieces(&self) -> ConstantPieces<'_> {
        let plan = self.plan();
        let mut operands = Vec::new();
        collect(&self.tasks, &mut operands);
        let (blocks, uses) = distinct(&operands);
        let tensors = plan.constants.clone();
        let constants = Constants::new(plan, tensors);
        let mut table = Writer::new();
        let mut pieces: Vec<&[u8]> = Vec::new();
        table.size(plan.constants.len());
        for (i, Constant { tensor }) in plan.constants.iter().enumerate() {
            let missing = constants.is_packed_only(i);
            table.byte((!missing).into());
            if !missing {
                write_dtype(&mut table, tensor.dtype());
                table.size(tensor.shape().rank());
                tensor.shape().iter().for_each(|&extent| table.size(extent));
                pieces.push(tensor.bytes());
            }
        }
        table.size(blocks.len());
        blocks.iter().for_each(|block| table.size(block.len()));
        pieces.extend(blocks);
        table.size(uses.len());
        uses.iter().for_each(|&block| table.size(block));
        ConstantPieces { table: table.into_bytes(), pieces }
    }

    /// Makes a plan ready whose constants were stored; it has those that were read. All that
    /// [`Loaded::new`] does is done, but nothing is packed.
    ///
    /// # Errors
    /// As [`Loaded::new`]; INTERNAL also when the operands are not those that the plan reads.
    pub fn with_constants(
        plan: Plan,
        code: Vec<KernelCode>,
        options: &LoadOptions,
        constants: StoredConstants,
    ) -> Result<Loaded> {
        let mut stored = constants.stored;
        options.weights.forget_stored();
        for block in &mut stored.packed {
            *block = options.weights.stored(block);
        }
        Loaded::make(Arc::new(plan), code, options, Some(stored))
    }
}

/// Packed constants in the order of the tasks that read them.
fn collect<'t>(tasks: &'t [Numbered], into: &mut Vec<&'t Arc<Block>>) {
    for Numbered { task, .. } in tasks {
        match task {
            Task::Matmul(task) => into.extend(task.packed()),
            Task::Conv(task) => into.extend(task.packed()),
            Task::While { test, body, .. } => {
                collect(test, into);
                collect(body, into);
            }
            Task::Switch { branches, .. } => {
                branches.iter().for_each(|branch| collect(branch, into));
            }
            Task::Loop(_)
            | Task::Pool(_)
            | Task::Copy(_)
            | Task::Gather(_)
            | Task::Reference(_) => {}
        }
    }
}

/// Each content once, in the order of first use, and which of them each operand is. Equal operands
/// may be one block or several, which depends on who else has them; files are the same.
fn distinct<'t>(operands: &[&'t Arc<Block>]) -> (Vec<&'t [u8]>, Vec<usize>) {
    let mut known: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut blocks: Vec<&[u8]> = Vec::new();
    let uses = operands.iter().map(|block| {
        // SAFETY: packed constants are written once, before the plan was loaded.
        let bytes = unsafe { block.as_slice() };
        let list = known.entry(sample(bytes)).or_default();
        let same = |&i: &usize| std::ptr::eq(blocks[i], bytes) || blocks[i] == bytes;
        if let Some(i) = list.iter().copied().find(same) {
            return i;
        }
        list.push(blocks.len());
        blocks.push(bytes);
        blocks.len() - 1
    });
    let uses = uses.collect();
    (blocks, uses)
}

/// The constants of an executable as bytes.
pub struct ConstantPieces<'l> {
    /// Types and sizes.
    pub table: Vec<u8>,
    pieces: Vec<&'l [u8]>,
}

impl ConstantPieces<'_> {
    /// Appends the elements to a file that has a multiple of 64 bytes.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory for them is short.
    pub fn append_to(&self, file: &mut Vec<u8>) -> Result<()> {
        let bytes: usize = self.pieces.iter().map(|p| p.len().next_multiple_of(ALIGN)).sum();
        file.try_reserve_exact(bytes).map_err(|_| {
            Error::resource_exhausted(format!("cannot allocate {bytes} bytes for constants"))
        })?;
        for piece in &self.pieces {
            file.resize(file.len().next_multiple_of(ALIGN), 0);
            append(file, piece)?;
        }
        Ok(())
    }
}

/// The bytes of stored constants.
#[derive(Clone)]
pub enum StoredBytes<'b> {
    /// To be copied.
    Copied(&'b [u8]),
    /// A part of bytes that may be kept.
    Kept(Bytes, Range<usize>),
}

/// Bytes as the storage of their parts.
struct Whole(Bytes);

impl Storage for Whole {
    fn bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}

/// A block that is not written any more.
struct Owned(Block);

impl Storage for Owned {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the block has one owner, this, which does not write.
        unsafe { self.0.as_slice() }
    }
}

impl StoredBytes<'_> {
    /// Memory with the bytes at an aligned place, and where they are in it. A copy is one piece of
    /// memory, which costs less than one for each constant.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory for a copy is short.
    fn aligned(self) -> Result<(Arc<dyn Storage>, Range<usize>)> {
        let bytes = match &self {
            StoredBytes::Copied(bytes) => *bytes,
            StoredBytes::Kept(all, range) => {
                let part = all.as_ref().get(range.clone());
                let part = part.ok_or_else(|| Error::data_loss("constants outside of the file"))?;
                if part.as_ptr().addr().is_multiple_of(ALIGN) {
                    return Ok((Arc::new(Whole(all.clone())), range.clone()));
                }
                part
            }
        };
        let block = Block::copy_of(bytes)?;
        let range = 0..block.bytes();
        Ok((Arc::new(Owned(block)), range))
    }
}

/// Gives pieces in order.
struct Pieces<'b> {
    whole: &'b Arc<dyn Storage>,
    /// Where the pieces begin.
    first: usize,
    reader: Reader<'b>,
}

impl Pieces<'_> {
    /// The next piece, in its place.
    fn next(&mut self, bytes: usize) -> Result<Bytes> {
        self.reader.align(ALIGN)?;
        let at = self.first + self.reader.position();
        self.reader.raw(bytes)?;
        Bytes::view(Arc::clone(self.whole), at..at + bytes)
    }
}

/// Reads what [`Loaded::constant_pieces`] gave.
///
/// # Errors
/// DATA_LOSS, and RESOURCE_EXHAUSTED when memory is short.
pub fn read_constants(table: &[u8], bytes: StoredBytes<'_>) -> Result<StoredConstants> {
    let (whole, range) = bytes.aligned()?;
    let part = whole.bytes().get(range.clone()).unwrap_or_default();
    let mut pieces = Pieces { whole: &whole, first: range.start, reader: Reader::new(part) };
    let mut r = Reader::new(table);
    let (mut constants, mut missing) = (Vec::new(), Vec::new());
    for _ in 0..r.count(1)? {
        let stored = r.flag()?;
        let tensor = match stored {
            true => read_tensor(&mut r, &mut pieces)?,
            false => Tensor::zeros(tfjit_base::DType::U8, Shape::new(&[0]))?,
        };
        missing.push(!stored);
        constants.push(Constant { tensor });
    }
    let mut blocks = Vec::new();
    let mut bytes = 0usize;
    for _ in 0..r.count(1)? {
        let size = r.size()?;
        blocks.push(Arc::new(Block::of(pieces.next(size)?)?));
        bytes = bytes.saturating_add(size);
    }
    let count = r.count(1)?;
    let mut packed = Vec::with_capacity(count);
    let mut first_uses = 0;
    for _ in 0..count {
        let block = r.below(blocks.len(), "packed operand")?;
        if block > first_uses {
            return Err(r.wrong("packed operands out of order"));
        }
        first_uses = first_uses.max(block + 1);
        packed.push(Arc::clone(&blocks[block]));
    }
    r.end()?;
    pieces.reader.end()?;
    if first_uses != blocks.len() {
        return Err(Error::data_loss("packed operands that nobody reads"));
    }
    Ok(StoredConstants { constants, stored: Stored { missing, packed, bytes } })
}

fn read_tensor(r: &mut Reader<'_>, pieces: &mut Pieces<'_>) -> Result<Tensor> {
    let dtype = read_dtype(r)?;
    let rank = r.count(1)?;
    if rank > limits::RANK_MAX {
        return Err(r.wrong(format_args!("a constant of rank {rank}")));
    }
    let shape: Shape = (0..rank).map(|_| r.size()).collect::<Result<Vec<usize>>>()?.into();
    let elements = shape.checked_elements().map_err(|e| r.wrong(e.message()))?;
    let bytes = elements.saturating_mul(dtype.size());
    Tensor::new(dtype, shape, pieces.next(bytes)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]
mod tests {
    use smallvec::smallvec;
    use tfjit_base::{AlignedBytes, DType};
    use tfjit_hlo::TensorType;
    use tfjit_plan::{Buffer, MatmulCall, MatrixView, Place, Step};

    use super::*;
    use crate::RunOptions;

    const N: usize = 40;

    fn numbers(seed: usize) -> Tensor {
        let values: Vec<f32> = (0..N * N).map(|i| ((i * seed) % 97) as f32 / 8.0).collect();
        Tensor::from_slice(Shape::new(&[N, N]), &values).unwrap()
    }

    /// `x * w * w * v`, all square.
    fn plan(constants: Vec<Tensor>) -> Plan {
        let ty = TensorType::new(DType::F32, &[N as i64, N as i64]);
        let mut plan = Plan { name: "test".into(), ..Plan::default() };
        (plan.parameters, plan.results) = (vec![ty.clone()], vec![ty]);
        plan.constants = constants.into_iter().map(|tensor| Constant { tensor }).collect();
        let bytes = 4 * N * N;
        let mut buffer = |place| plan.buffers.push(Buffer { dtype: DType::F32, bytes, place });
        let (x, w, v) =
            (buffer(Place::Parameter(0)), buffer(Place::Constant(0)), buffer(Place::Constant(1)));
        let (a, b) = (buffer(Place::Arena(0)), buffer(Place::Arena(64 * 100)));
        let y = buffer(Place::Result(0));
        plan.arena_bytes = 64 * 200;
        let view = |buffer| {
            let row = N as isize;
            MatrixView { buffer, offset: 0, batch: smallvec![], row, col: 1 }
        };
        for (lhs, rhs, out) in [(x, w, a), (a, w, b), (b, v, y)] {
            plan.steps.push(Step::Matmul(Box::new(MatmulCall {
                dtype: DType::F32,
                batch: smallvec![],
                m: N,
                k: N,
                n: N,
                lhs: view(lhs),
                rhs: view(rhs),
                out: view(out),
                epilogue: None,
            })));
        }
        plan.outputs = vec![y];
        plan
    }

    fn file(loaded: &Loaded) -> (Vec<u8>, Vec<u8>) {
        let pieces = loaded.constant_pieces();
        let mut elements = Vec::new();
        pieces.append_to(&mut elements).unwrap();
        (pieces.table, elements)
    }

    fn read(table: &[u8], bytes: StoredBytes<'_>, options: &LoadOptions) -> Result<Loaded> {
        let mut stored = read_constants(table, bytes)?;
        let mut plan = plan(vec![]);
        plan.constants = std::mem::take(&mut stored.constants);
        Loaded::with_constants(plan, vec![], options, stored)
    }

    fn run(loaded: &Loaded) -> Vec<Tensor> {
        loaded.run(&[numbers(5)], &RunOptions::default()).unwrap()
    }

    #[test]
    fn packed_constants_come_back_and_are_shared() {
        let options = LoadOptions::default();
        let plan = Arc::new(plan(vec![numbers(3), numbers(7)]));
        let first = Loaded::new(plan, vec![], &options).unwrap();
        let (table, elements) = file(&first);
        let want = run(&first);
        // Two operands of one size, the first read twice; the dense ones are not there.
        assert_eq!(elements.len(), 2 * 4 * N * N);
        let copied = read(&table, StoredBytes::Copied(&elements), &options).unwrap();
        let whole = Bytes::from(AlignedBytes::copy_of(&elements).unwrap());
        let kept = StoredBytes::Kept(whole, 0..elements.len());
        let kept = read(&table, kept, &options).unwrap();
        for loaded in [&copied, &kept] {
            assert_eq!(run(loaded), want);
            assert_eq!(file(loaded), (table.clone(), elements.clone()));
        }
        let blocks = |loaded: &Loaded| {
            let mut blocks = Vec::new();
            collect(&loaded.tasks, &mut blocks);
            blocks.into_iter().map(Arc::as_ptr).collect::<Vec<_>>()
        };
        assert_eq!(blocks(&copied), blocks(&kept));
        let alone = StoredBytes::Copied(&elements);
        let alone = read(&table, alone, &LoadOptions::default()).unwrap();
        assert_ne!(blocks(&copied), blocks(&alone));
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let options = LoadOptions::default();
        let plan = Arc::new(plan(vec![numbers(3), numbers(7)]));
        let (table, elements) = file(&Loaded::new(plan, vec![], &options).unwrap());
        for at in 0..table.len() {
            for value in 0..=u8::MAX {
                let mut table = table.clone();
                if std::mem::replace(&mut table[at], value) == value {
                    continue;
                }
                let loaded = read(&table, StoredBytes::Copied(&elements), &options);
                // The middle one of the last three says which of two the second product reads.
                assert!(loaded.is_err() || at == table.len() - 2, "{at} {value}");
            }
        }
        let short = &elements[..elements.len() - 1];
        assert!(read(&table, StoredBytes::Copied(short), &options).is_err());
    }
}
