//! How the right-hand side of a product is packed.
//!
//! Panels of 16 columns, each with the 16 elements of a row after those of the row before; the last
//! panel has 8 columns where 8 are enough, and missing columns are zeros. A matrix of fewer than 8
//! columns is transposed, each column padded with zeros to a multiple of 8 elements. Elements are
//! converted to the type of their sums. The layout is the same for all processors, and does not
//! depend on the number of rows of the left-hand side.

use tfjit_base::{DType, Error, Result};

use crate::block::PANEL;
use crate::gemm::HALF;
use crate::isa::Isa;
use crate::types::{Acc, Reader, Sum};

/// Panels of a unit of packing: 256 bytes of a row are read together.
const UNIT_PANELS: usize = 4;
/// Bytes from which on packing writes past the caches.
const STREAM_BYTES: usize = 8 << 20;

/// The layout of a packed matrix of `k` rows and `n` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RhsLayout {
    dtype: DType,
    sum: Sum,
    k: usize,
    n: usize,
    bytes: usize,
}

/// Where a matrix is: its first element, and strides in elements.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    /// The first element.
    pub at: *const u8,
    /// From row to row.
    pub row: isize,
    /// From column to column.
    pub col: isize,
}

impl RhsLayout {
    /// The layout for elements of `dtype`.
    ///
    /// # Errors
    /// UNIMPLEMENTED for a type without kernels, RESOURCE_EXHAUSTED when it is too large.
    pub fn new(dtype: DType, k: usize, n: usize) -> Result<RhsLayout> {
        let sum = Sum::of(dtype).ok_or_else(|| {
            Error::unimplemented(format!("no kernel multiplies matrices of {dtype}"))
        })?;
        let elements = if n < HALF {
            k.checked_next_multiple_of(8).and_then(|k| k.checked_mul(n))
        } else {
            n.checked_next_multiple_of(HALF).and_then(|n| n.checked_mul(k))
        };
        let bytes = elements
            .and_then(|e| e.checked_mul(sum.size()))
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or_else(|| {
                Error::resource_exhausted(format!("a matrix of {k} by {n} is too large to pack"))
            })?;
        Ok(RhsLayout { dtype, sum, k, n, bytes })
    }

    /// Bytes of the packed matrix; it has to be aligned to 64 bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Rows.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Element type of the matrix before it is packed.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    pub(crate) fn sum(&self) -> Sum {
        self.sum
    }

    /// Units of packing; they write to different places.
    pub fn units(&self) -> usize {
        if self.n < HALF { 1 } else { self.n.div_ceil(PANEL * UNIT_PANELS) }
    }

    /// Packs a unit of `from`.
    ///
    /// # Safety
    /// `from` is valid for reads of `k` by `n` elements of the layout's type, at any alignment;
    /// `to` is valid for writes of [`RhsLayout::bytes`] and aligned to 64 bytes, and nobody else
    /// uses what this unit writes. `unit` is below [`RhsLayout::units`].
    pub unsafe fn pack(&self, isa: Isa, unit: usize, from: Matrix, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.sum {
                Sum::F32 => self.pack_as::<f32>(isa, unit, from, to.cast()),
                Sum::F64 => self.pack_as::<f64>(isa, unit, from, to.cast()),
                Sum::I32 => self.pack_as::<i32>(isa, unit, from, to.cast()),
                Sum::I64 => self.pack_as::<i64>(isa, unit, from, to.cast()),
            }
        }
    }

    /// # Safety
    /// As [`RhsLayout::pack`]; `A` is the type of sums.
    unsafe fn pack_as<A: Acc>(&self, isa: Isa, unit: usize, from: Matrix, to: *mut A) {
        // A layout is only made for types that have a reader.
        let Some(reader) = A::reader(self.dtype) else { return };
        // SAFETY: positions stay within the matrix and the layout.
        unsafe {
            if self.n < HALF {
                return self.pack_columns(&reader, from, to);
            }
            let first = unit * UNIT_PANELS * PANEL;
            let cols = (self.n - first).min(UNIT_PANELS * PANEL);
            let part = Part { k: self.k, from: from.shifted(&reader, 0, first), cols };
            let to = to.add(first * self.k);
            #[cfg(target_arch = "x86_64")]
            if reader.same && size_of::<A>() == 4 && isa.has_avx2() {
                let stream = self.bytes >= STREAM_BYTES;
                if crate::pack_avx2::pack(part.k, part.from, part.cols, to.cast(), stream) {
                    return;
                }
            }
            let _ = isa;
            part.pack(&reader, to);
        }
    }

    /// # Safety
    /// As [`RhsLayout::pack`].
    unsafe fn pack_columns<A: Acc>(&self, reader: &Reader<A>, from: Matrix, to: *mut A) {
        let padded = self.k.next_multiple_of(8);
        for col in 0..self.n {
            // SAFETY: the caller's promise.
            unsafe {
                let to = to.add(col * padded);
                (reader.read)(from.shifted(reader, 0, col).at, from.row, self.k, to);
                (self.k..padded).for_each(|k| to.add(k).write(A::ZERO));
            }
        }
    }
}

impl Matrix {
    /// The same matrix without its first rows and columns.
    pub(crate) fn shifted<A>(self, reader: &Reader<A>, row: usize, col: usize) -> Matrix {
        let elements = row as isize * self.row + col as isize * self.col;
        Matrix { at: self.at.wrapping_offset(elements * reader.size as isize), ..self }
    }
}

/// Some columns of a matrix, beginning with a panel.
struct Part {
    k: usize,
    from: Matrix,
    cols: usize,
}

impl Part {
    /// # Safety
    /// As [`RhsLayout::pack`].
    unsafe fn pack<A: Acc>(&self, reader: &Reader<A>, to: *mut A) {
        for first in (0..self.cols).step_by(PANEL) {
            let cols = (self.cols - first).min(PANEL);
            let width = if cols <= HALF { HALF } else { PANEL };
            // SAFETY: the caller's promise.
            unsafe {
                let to = to.add(first * self.k);
                for k in 0..self.k {
                    let row = self.from.shifted(reader, k, first);
                    let to = to.add(k * width);
                    (reader.read)(row.at, row.col, cols, to);
                    (cols..width).for_each(|col| to.add(col).write(A::ZERO));
                }
            }
        }
    }
}
