//! Rows that indices choose.

use tfjit_base::{DType, Error, Result};

/// `out[i] = input[clamp(indices[i])]` over rows of bytes.
#[derive(Clone, Debug)]
pub struct Gather {
    input_rows: usize,
    index: DType,
    count: usize,
    row: usize,
    /// Rows of a unit.
    rows: usize,
}

/// Bytes that are worth a unit's scheduling.
const UNIT_BYTES: usize = 64 << 10;

impl Gather {
    /// Prepares a gather of `count` rows of `row` bytes out of `input_rows`. Indices below 0 count
    /// as 0, those beyond the last row as the last row.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for indices that are no integers and for an input without rows,
    /// RESOURCE_EXHAUSTED when extents are too large.
    pub fn new(index: DType, input_rows: usize, count: usize, row: usize) -> Result<Gather> {
        let known = index.is_int() && index.bits() == index.size() * 8;
        if !known || (input_rows == 0 && count > 0) {
            return Err(Error::invalid_argument(format!(
                "{index} cannot choose one of {input_rows} rows"
            )));
        }
        for rows in [input_rows, count] {
            rows.checked_mul(row.max(8)).filter(|&n| n < 1 << 60).ok_or_else(|| {
                Error::resource_exhausted(format!("{rows} rows of {row} bytes are too large"))
            })?;
        }
        let rows = (UNIT_BYTES / (row + 8)).max(1);
        Ok(Gather { input_rows, index, count, row, rows })
    }

    /// Units of work, which may run in any order and at the same time.
    pub fn units(&self) -> usize {
        if self.row == 0 { 0 } else { self.count.div_ceil(self.rows) }
    }

    /// Copies the rows of a unit.
    ///
    /// # Safety
    /// `input` is valid for reads of all rows, `indices` for reads of all indices, `out` for writes
    /// of all results, at any alignment; nobody else uses what this unit writes. `unit` is below
    /// [`Gather::units`].
    pub unsafe fn run(&self, unit: usize, input: *const u8, indices: *const u8, out: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            match (self.index.size(), self.index.is_signed_int()) {
                (1, true) => self.run_as::<i8>(unit, input, indices, out),
                (2, true) => self.run_as::<i16>(unit, input, indices, out),
                (4, true) => self.run_as::<i32>(unit, input, indices, out),
                (_, true) => self.run_as::<i64>(unit, input, indices, out),
                (1, false) => self.run_as::<u8>(unit, input, indices, out),
                (2, false) => self.run_as::<u16>(unit, input, indices, out),
                (4, false) => self.run_as::<u32>(unit, input, indices, out),
                (_, false) => self.run_as::<u64>(unit, input, indices, out),
            }
        }
    }

    /// # Safety
    /// As [`Gather::run`]; `I` is the type of indices.
    unsafe fn run_as<I: Index>(
        &self,
        unit: usize,
        input: *const u8,
        indices: *const u8,
        out: *mut u8,
    ) {
        let first = unit * self.rows;
        let last = self.input_rows - 1;
        for i in first..(first + self.rows).min(self.count) {
            // SAFETY: the caller's promise; the index is clamped.
            unsafe {
                let index = indices.cast::<I>().add(i).read_unaligned().clamped(last);
                let (from, to) = (input.add(index * self.row), out.add(i * self.row));
                match self.row {
                    1 => to.write(from.read()),
                    2 => to.cast::<u16>().write_unaligned(from.cast::<u16>().read_unaligned()),
                    4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
                    8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
                    row => std::ptr::copy_nonoverlapping(from, to, row),
                }
            }
        }
    }
}

/// A type of indices.
trait Index: Copy {
    /// The index, at least 0 and at most `last`.
    fn clamped(self, last: usize) -> usize;
}

macro_rules! indices {
    ($($t:ty)*) => {$(
        impl Index for $t {
            #[inline(always)]
            fn clamped(self, last: usize) -> usize {
                if self <= 0 { 0 } else { usize::try_from(self).map_or(last, |i| i.min(last)) }
            }
        }
    )*};
}
#[allow(unused_comparisons, clippy::absurd_extreme_comparisons, reason = "some have no sign")]
mod indices {
    use super::Index;
    indices!(i8 i16 i32 i64 u8 u16 u32 u64);
}
