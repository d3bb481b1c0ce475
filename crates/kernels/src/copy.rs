//! Moves of elements between arrays with strides, and fills.
//!
//! Dimensions that follow each other in both arrays are merged; what is left is runs of bytes,
//! transposes of two dimensions in blocks, or single elements.

use tfjit_base::{Error, Result};

use crate::isa::Isa;

/// A dimension: its extent, and strides in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    extent: usize,
    from: isize,
    to: isize,
}

/// `out[i…] = input[i…]` over a space, both with strides in bytes.
#[derive(Clone, Debug)]
pub struct CopyNd {
    isa: Isa,
    element: usize,
    /// Outer dimensions, outermost first.
    outer: Vec<Dim>,
    inner: Inner,
    /// Inner pieces of a unit.
    pieces: usize,
    count: usize,
}

/// What is copied for each point of the outer dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inner {
    /// Neighbouring bytes.
    Run(usize),
    /// Elements with strides.
    Strided(Dim),
    /// Rows of the source become columns: the first dimension is contiguous in the source, the
    /// second in the destination.
    Transpose(Dim, Dim),
}

/// Bytes that are worth a unit's scheduling.
const UNIT_BYTES: usize = 64 << 10;
/// Rows and columns of a piece of a transpose.
const TILE: usize = 32;

impl CopyNd {
    /// Prepares a copy of elements of `element` bytes, over `extents` (outermost first).
    ///
    /// # Errors
    /// INVALID_ARGUMENT for other sizes than 1, 2, 4, 8 and 16, and lists that differ in length;
    /// RESOURCE_EXHAUSTED when there are too many elements.
    pub fn new(
        isa: Isa,
        element: usize,
        extents: &[usize],
        from: &[isize],
        to: &[isize],
    ) -> Result<CopyNd> {
        if !matches!(element, 1 | 2 | 4 | 8 | 16) {
            return Err(Error::invalid_argument(format!("no elements have {element} bytes")));
        }
        if extents.len() != from.len() || extents.len() != to.len() {
            return Err(Error::invalid_argument("a copy has not one stride a dimension"));
        }
        let bytes = extents.iter().try_fold(element, |p, &e| p.checked_mul(e.max(1)));
        bytes.filter(|&b| b < 1 << 60).ok_or_else(|| {
            Error::resource_exhausted(format!("a copy is too large: {extents:?}"))
        })?;
        let empty = extents.contains(&0);
        let dims = extents.iter().zip(from).zip(to);
        let dims = dims.map(|((&extent, &from), &to)| Dim { extent, from, to });
        let (outer, inner) = arrange(dims.collect(), element as isize);
        let (outer, inner) = tiled(outer, inner, element);
        let count: usize = outer.iter().map(|d| d.extent).product();
        let size = match inner {
            Inner::Run(bytes) => bytes,
            Inner::Strided(d) => 4 * d.extent * element,
            Inner::Transpose(..) => TILE * TILE * element,
        };
        let pieces = (UNIT_BYTES / size.max(1)).clamp(1, count.max(1));
        let count = if empty { 0 } else { count };
        Ok(CopyNd { isa, element, outer, inner, pieces, count })
    }

    /// Units of work, which may run in any order and at the same time.
    pub fn units(&self) -> usize {
        self.count.div_ceil(self.pieces)
    }

    /// Copies a unit.
    ///
    /// # Safety
    /// `from` and `to` are the elements with index 0 in all dimensions; all elements are valid for
    /// reads, or writes, at any alignment; what is written is not read by others, and not part of
    /// the source. `unit` is below [`CopyNd::units`].
    pub unsafe fn run(&self, unit: usize, from: *const u8, to: *mut u8) {
        let first = unit * self.pieces;
        let end = (first + self.pieces).min(self.count);
        // SAFETY: the caller's promise.
        unsafe {
            match self.element {
                1 => self.run_as::<u8>(first..end, from, to),
                2 => self.run_as::<u16>(first..end, from, to),
                4 => self.run_as::<u32>(first..end, from, to),
                8 => self.run_as::<u64>(first..end, from, to),
                _ => self.run_as::<u128>(first..end, from, to),
            }
        }
    }

    /// # Safety
    /// As [`CopyNd::run`]; `T` is as large as an element.
    unsafe fn run_as<T: Copy>(&self, pieces: std::ops::Range<usize>, from: *const u8, to: *mut u8) {
        let mut walk = Walk::new(&self.outer, pieces.start);
        for _ in pieces {
            // SAFETY: the caller's promise.
            unsafe {
                let (from, to) = (from.offset(walk.from), to.offset(walk.to));
                match self.inner {
                    Inner::Run(bytes) => std::ptr::copy_nonoverlapping(from, to, bytes),
                    Inner::Strided(d) => strided::<T>(d, from, to),
                    Inner::Transpose(a, b) => {
                        let (a, b) = walk.clipped(a, b);
                        self.transpose::<T>(a, b, from, to);
                    }
                }
            }
            walk.next();
        }
    }

    /// # Safety
    /// As [`CopyNd::run`].
    unsafe fn transpose<T: Copy>(&self, a: Dim, b: Dim, from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise; the token says that the instructions are there.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if size_of::<T>() == 4 && self.isa.has_avx2() {
                return crate::transpose::transpose(
                    [a.extent, b.extent],
                    (from, b.from),
                    (to, a.to),
                );
            }
            let _ = self.isa;
            for i in 0..a.extent as isize {
                strided::<T>(b, from.offset(i * a.from), to.offset(i * a.to));
            }
        }
    }
}

/// # Safety
/// As [`CopyNd::run`].
#[inline(always)]
unsafe fn strided<T: Copy>(d: Dim, from: *const u8, to: *mut u8) {
    let size = size_of::<T>() as isize;
    // SAFETY: the caller's promise.
    unsafe {
        if d.from == 0 && d.to == size {
            let value = from.cast::<T>().read_unaligned();
            for i in 0..d.extent {
                to.cast::<T>().add(i).write_unaligned(value);
            }
        } else if d.to == size {
            for i in 0..d.extent {
                let value = from.offset(i as isize * d.from).cast::<T>().read_unaligned();
                to.cast::<T>().add(i).write_unaligned(value);
            }
        } else {
            for i in 0..d.extent as isize {
                let value = from.offset(i * d.from).cast::<T>().read_unaligned();
                to.offset(i * d.to).cast::<T>().write_unaligned(value);
            }
        }
    }
}

/// Merged dimensions, ordered by the destination's strides, and what is innermost.
fn arrange(dims: Vec<Dim>, element: isize) -> (Vec<Dim>, Inner) {
    let mut dims: Vec<Dim> = dims.into_iter().filter(|d| d.extent != 1).collect();
    // Writing in order of memory; equal strides stay in order.
    dims.sort_by_key(|d| std::cmp::Reverse((d.to.unsigned_abs(), d.from.unsigned_abs())));
    let mut merged: Vec<Dim> = Vec::new();
    for d in dims {
        let extent = d.extent as isize;
        match merged.last_mut() {
            Some(last) if last.to == d.to * extent && last.from == d.from * extent => {
                *last = Dim { extent: last.extent * d.extent, ..d };
            }
            _ => merged.push(d),
        }
    }
    let Some(&last) = merged.last() else { return (merged, Inner::Run(element as usize)) };
    if last.to == element && last.from == element {
        merged.pop();
        return (merged, Inner::Run(last.extent * element as usize));
    }
    if last.to == element && last.from != 0 {
        let contiguous = merged.iter().position(|d| d.from == element);
        if let Some(at) = contiguous.filter(|&at| at + 1 < merged.len()) {
            merged.pop();
            let first = merged.remove(at);
            return (merged, Inner::Transpose(first, last));
        }
    }
    merged.pop();
    (merged, Inner::Strided(last))
}

/// Long inner pieces divided, so that they are units of their own.
fn tiled(mut outer: Vec<Dim>, inner: Inner, element: usize) -> (Vec<Dim>, Inner) {
    let tile = |d: Dim, size: usize| {
        let step = size as isize;
        Dim { extent: d.extent.div_ceil(size), from: d.from * step, to: d.to * step }
    };
    match inner {
        Inner::Run(bytes) if bytes > UNIT_BYTES && bytes.is_multiple_of(UNIT_BYTES) => {
            let step = UNIT_BYTES as isize;
            outer.push(Dim { extent: bytes / UNIT_BYTES, from: step, to: step });
            (outer, Inner::Run(UNIT_BYTES))
        }
        Inner::Run(bytes) if bytes > UNIT_BYTES => {
            // As equal parts as there are, at least of whole elements.
            let elements = bytes / element;
            let parts = (1..=4096).rev().filter(|p| elements.is_multiple_of(*p));
            let most = bytes.div_ceil(UNIT_BYTES);
            let parts = parts.filter(|&p| p <= most).max().unwrap_or(1);
            let step = bytes / parts;
            outer.push(Dim { extent: parts, from: step as isize, to: step as isize });
            (outer, Inner::Run(step))
        }
        Inner::Transpose(a, b) => {
            outer.push(tile(a, TILE));
            outer.push(tile(b, TILE));
            (outer, Inner::Transpose(a, b))
        }
        inner => (outer, inner),
    }
}

/// A walk over the points of the outer dimensions.
struct Walk<'a> {
    dims: &'a [Dim],
    index: Vec<usize>,
    from: isize,
    to: isize,
}

impl<'a> Walk<'a> {
    fn new(dims: &'a [Dim], mut point: usize) -> Walk<'a> {
        let mut walk = Walk { dims, index: vec![0; dims.len()], from: 0, to: 0 };
        for (index, d) in walk.index.iter_mut().zip(dims).rev() {
            *index = point % d.extent;
            point /= d.extent;
            walk.from += *index as isize * d.from;
            walk.to += *index as isize * d.to;
        }
        walk
    }

    fn next(&mut self) {
        for (index, d) in self.index.iter_mut().zip(self.dims).rev() {
            *index += 1;
            self.from += d.from;
            self.to += d.to;
            if *index < d.extent {
                return;
            }
            *index = 0;
            self.from -= d.extent as isize * d.from;
            self.to -= d.extent as isize * d.to;
        }
    }

    /// The piece of a transpose at this point; the last two dimensions count its pieces.
    fn clipped(&self, a: Dim, b: Dim) -> (Dim, Dim) {
        let n = self.index.len();
        let clip = |d: Dim, at: usize| {
            let start = self.index[at] * TILE;
            Dim { extent: (d.extent - start).min(TILE), ..d }
        };
        (clip(a, n - 2), clip(b, n - 1))
    }
}

/// Writes `count` copies of an element of 1, 2, 4, 8 or 16 bytes.
///
/// # Safety
/// `value` is valid for reads of `element` bytes, `to` for writes of `count` times as many.
///
/// # Panics
/// For other sizes.
pub unsafe fn fill(element: usize, value: *const u8, count: usize, to: *mut u8) {
    let d = Dim { extent: count, from: 0, to: element as isize };
    // SAFETY: the caller's promise.
    unsafe {
        match element {
            1 => to.write_bytes(value.read(), count),
            2 => strided::<u16>(d, value, to),
            4 => strided::<u32>(d, value, to),
            8 => strided::<u64>(d, value, to),
            16 => strided::<u128>(d, value, to),
            _ => panic!("no elements have {element} bytes"),
        }
    }
}
