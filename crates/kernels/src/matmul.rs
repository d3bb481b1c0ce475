//! Products of matrices.

use tfjit_base::{DType, Error, Result};

use crate::block::{Block, Edges, Grid, Part, ROWS_MAX};
use crate::gemm::{self, Kernel, Rows, Unit, dispatch, scratch_bytes};
use crate::isa::Isa;
use crate::layout::{Matrix, RhsLayout};
use crate::scratch::{Cut, Scratch, piece};
use crate::types::{Acc, Sum};

/// What a product of matrices is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatmulSpec {
    /// Element type of the operands.
    pub dtype: DType,
    /// Element type of the result: `dtype`, or the type its sums are made in (`f32` for `bf16` and
    /// `f16`, `i32` for 8 and 16 bits).
    pub out: DType,
    /// Rows of the result.
    pub m: usize,
    /// Terms of a sum.
    pub k: usize,
    /// Columns of the result.
    pub n: usize,
    /// From row to row of the left-hand side, in elements.
    pub lhs_row: isize,
    /// From column to column of the left-hand side, in elements.
    pub lhs_col: isize,
    /// From row to row of the result, in elements. Its columns are contiguous.
    pub out_row: isize,
}

/// A product of two matrices whose second is packed.
///
/// The order of sums is that of TensorFlow's kernels, see [`crate`].
#[derive(Clone, Debug)]
pub struct Matmul {
    isa: Isa,
    spec: MatmulSpec,
    rhs: RhsLayout,
    grid: Grid,
}

impl Matmul {
    /// Prepares a product.
    ///
    /// # Errors
    /// UNIMPLEMENTED for types without kernels, RESOURCE_EXHAUSTED when extents are too large.
    pub fn new(isa: Isa, spec: MatmulSpec) -> Result<Matmul> {
        let rhs = RhsLayout::new(spec.dtype, spec.k, spec.n)?;
        let MatmulSpec { m, k, n, .. } = spec;
        let writable = match rhs.sum() {
            Sum::F32 => f32::writer(spec.out).is_some(),
            Sum::F64 => f64::writer(spec.out).is_some(),
            Sum::I32 => i32::writer(spec.out).is_some(),
            Sum::I64 => i64::writer(spec.out).is_some(),
        };
        if !writable {
            return Err(Error::unimplemented(format!(
                "no kernel multiplies matrices of {} to {}",
                spec.dtype, spec.out
            )));
        }
        for (rows, cols) in [(m, k), (m, n)] {
            rows.checked_mul(cols).filter(|&n| n < 1 << 58).ok_or_else(|| {
                Error::resource_exhausted(format!("a matrix of {rows} by {cols} is too large"))
            })?;
        }
        Ok(Matmul { isa, spec, rhs, grid: Grid::new(m, k, n, ROWS_MAX) })
    }

    /// How the right-hand side is packed.
    pub fn rhs(&self) -> &RhsLayout {
        &self.rhs
    }

    /// What it is made of.
    pub fn spec(&self) -> &MatmulSpec {
        &self.spec
    }

    /// Units of work, which may run in any order and at the same time.
    pub fn units(&self) -> usize {
        self.grid.units()
    }

    /// Scratch bytes of [`Matmul::run`].
    pub fn scratch_bytes(&self) -> usize {
        let rows = self.grid.rows_max();
        let unit = scratch_bytes::<f64>(rows, self.grid.cols_max());
        unit.saturating_add(piece::<*const u8>(rows))
    }

    /// Scratch bytes of [`Matmul::run_whole`].
    pub fn whole_scratch_bytes(&self) -> usize {
        self.scratch_bytes().saturating_add(piece::<u8>(self.rhs.bytes()))
    }

    /// Computes a unit, and tells each finished block.
    ///
    /// # Safety
    /// `lhs` is valid for reads of `m` by `k` elements with the strides of the spec, `packed` holds
    /// the right-hand side packed by [`RhsLayout::pack`], `out` is valid for writes of `m` by `n`
    /// elements, and nobody else reads or writes what this unit writes until it is told. `unit` is
    /// below [`Matmul::units`]. Elements may be at any address that is a multiple of their size.
    ///
    /// # Panics
    /// When `scratch` has no room for [`Matmul::scratch_bytes`].
    pub unsafe fn run(
        &self,
        unit: usize,
        lhs: *const u8,
        packed: *const u8,
        out: *mut u8,
        scratch: &mut Scratch,
        done: &mut dyn FnMut(Block),
    ) {
        let cut = scratch.cut(self.scratch_bytes());
        // SAFETY: the caller's promise.
        unsafe { self.run_cut(unit, lhs, packed, out, cut, done) }
    }

    /// Packs the right-hand side into scratch memory and computes all units: for one of many small
    /// matrices.
    ///
    /// # Safety
    /// As [`Matmul::run`] for all units; `rhs` is valid for reads of `k` by `n` elements.
    ///
    /// # Panics
    /// When `scratch` has no room for [`Matmul::whole_scratch_bytes`].
    pub unsafe fn run_whole(
        &self,
        lhs: *const u8,
        rhs: Matrix,
        out: *mut u8,
        scratch: &mut Scratch,
        done: &mut dyn FnMut(Block),
    ) {
        let mut cut = scratch.cut(self.whole_scratch_bytes());
        let packed = cut.take::<u8>(self.rhs.bytes());
        // SAFETY: the caller's promise.
        unsafe {
            (0..self.rhs.units()).for_each(|unit| self.rhs.pack(self.isa, unit, rhs, packed));
            for unit in 0..self.units() {
                self.run_cut(unit, lhs, packed, out, cut, done);
            }
        }
    }

    /// # Safety
    /// As [`Matmul::run`]; `cut` has room.
    unsafe fn run_cut(
        &self,
        unit: usize,
        lhs: *const u8,
        packed: *const u8,
        out: *mut u8,
        cut: Cut,
        done: &mut dyn FnMut(Block),
    ) {
        let part = self.grid.part(unit);
        let job = Job { matmul: self, part, lhs, packed, out, cut };
        // SAFETY: the caller's promise.
        unsafe { dispatch(self.isa, self.rhs.sum(), job) };
        let Part { row, rows, col, cols } = part;
        done(Block { batch: 0, row, rows, col, cols });
    }
}

/// A unit of work.
struct Job<'a> {
    matmul: &'a Matmul,
    part: Part,
    lhs: *const u8,
    packed: *const u8,
    out: *mut u8,
    cut: Cut,
}

impl gemm::Job for Job<'_> {
    unsafe fn run<K: Kernel>(mut self, kernel: K) {
        let (spec, part) = (&self.matmul.spec, self.part);
        let (reader, writer) = (K::Acc::reader(spec.dtype), K::Acc::writer(spec.out));
        let (Some(reader), Some(writer)) = (reader, writer) else { return };
        let table = self.cut.take::<*const u8>(part.rows);
        // SAFETY: the promise of `Matmul::run`.
        unsafe {
            for r in 0..part.rows {
                let elements = (part.row + r) as isize * spec.lhs_row;
                table.add(r).write(self.lhs.offset(elements * reader.size as isize));
            }
            let out_at = part.row as isize * spec.out_row + part.col as isize;
            let unit = Unit {
                part,
                k: spec.k,
                n: spec.n,
                rows: Rows {
                    table,
                    stride: part.rows,
                    channels: spec.k.max(1),
                    step: spec.lhs_col,
                    reader,
                },
                edges: &Edges::default(),
                packed: self.packed.cast(),
                out: self.out.offset(out_at * writer.size as isize),
                out_stride: spec.out_row,
                writer,
            };
            unit.run(kernel, &mut self.cut);
        }
    }
}
