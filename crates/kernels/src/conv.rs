//! Two-dimensional convolutions of NHWC images with HWIO filters.
//!
//! A convolution is a product of matrices whose left-hand rows, one an output pixel, are found
//! through a table of pointers, one a tap: nothing is copied. Where a tap has few features, the
//! lines of the input that a block of pixels sees are copied with their padding instead, and all
//! taps of a line are one piece. Depthwise convolutions are in [`crate::depthwise`].

use tfjit_base::{DType, Error, Result};

use crate::block::{Block, Edges, Grid, Part, ROWS_MAX, TILE_ROWS};
use crate::depthwise::Depthwise;
use crate::gemm::{self, Kernel, Rows, Unit, dispatch, scratch_bytes};
use crate::isa::Isa;
use crate::layout::{Matrix, RhsLayout};
use crate::scratch::{Cut, Scratch, piece};
use crate::types::{Acc, Sum};
use crate::window::{Axis, Line, lines};

/// What a convolution is made of. Input and result are dense NHWC, the filter is dense HWIO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvSpec {
    /// Element type of the operands and the result.
    pub dtype: DType,
    /// Groups of features, of equal size. As many as input features is a depthwise convolution.
    pub groups: usize,
    /// Images.
    pub batch: usize,
    /// Input height and width.
    pub input: [usize; 2],
    /// Input features.
    pub input_features: usize,
    /// Filter height and width.
    pub window: [usize; 2],
    /// Result height and width.
    pub output: [usize; 2],
    /// Output features.
    pub output_features: usize,
    /// Strides of the window.
    pub strides: [usize; 2],
    /// Distances of the window's taps.
    pub dilations: [usize; 2],
    /// Rows above and columns left of the input that count as zeros; may be negative.
    pub padding: [isize; 2],
}

/// A convolution with a packed filter.
///
/// The order of sums is that of TensorFlow's kernels, see [`crate`].
#[derive(Clone, Debug)]
pub struct Conv {
    isa: Isa,
    spec: ConvSpec,
    sum: Sum,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Product(Box<Product>),
    Depthwise(Box<Depthwise>),
}

/// A convolution as a product of matrices for each group.
#[derive(Clone, Debug)]
struct Product {
    axes: [Axis; 2],
    rhs: RhsLayout,
    grid: Grid,
    edges: Edges,
    source: Source,
    /// A piece of zeros.
    zeros: Vec<u8>,
}

/// Where the terms of an output pixel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A piece a tap.
    Taps,
    /// A piece a line of the window: no tap is left or right of the input.
    Lines,
    /// As `Lines`, in a copy of the input's lines with their padding.
    Padded,
}

/// Features of a tap up to which lines are copied.
const PADDED_FEATURES_MAX: usize = 16;
/// Entries of a table of pointers.
const TABLE_MAX: usize = 1 << 16;

impl ConvSpec {
    fn axes(&self) -> Result<[Axis; 2]> {
        let axis = |i: usize| {
            Axis {
                input: self.input[i],
                window: self.window[i],
                output: self.output[i],
                stride: self.strides[i],
                dilation: self.dilations[i],
                padding: self.padding[i],
            }
            .checked()
        };
        Ok([axis(0)?, axis(1)?])
    }

    /// # Errors
    /// As [`Conv::new`].
    fn check(&self) -> Result<()> {
        let groups = self.groups;
        if groups == 0
            || !self.input_features.is_multiple_of(groups)
            || !self.output_features.is_multiple_of(groups)
        {
            return Err(Error::invalid_argument(format!(
                "{groups} groups do not divide {} input and {} output features",
                self.input_features, self.output_features
            )));
        }
        let product = |factors: &[usize]| {
            let product = factors.iter().try_fold(1usize, |p, &f| p.checked_mul(f));
            product.filter(|&p| p < 1 << 58).ok_or_else(|| {
                Error::resource_exhausted(format!("a convolution is too large: {factors:?}"))
            })
        };
        let ([h, w], [kh, kw], [oh, ow]) = (self.input, self.window, self.output);
        product(&[self.batch.max(1), h.max(1), w.max(1), self.input_features.max(1)])?;
        product(&[self.batch.max(1), oh.max(1), ow.max(1), self.output_features.max(1)])?;
        product(&[kh.max(1), kw.max(1), self.input_features.max(1), self.output_features.max(1)])?;
        Ok(())
    }
}

impl Conv {
    /// Prepares a convolution.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when extents do not fit, UNIMPLEMENTED for types without kernels,
    /// RESOURCE_EXHAUSTED when extents are too large.
    pub fn new(isa: Isa, spec: ConvSpec) -> Result<Conv> {
        spec.check()?;
        let axes = spec.axes()?;
        let (cin, cout) = (spec.input_features / spec.groups, spec.output_features / spec.groups);
        let [kh, kw] = spec.window;
        let rhs = RhsLayout::new(spec.dtype, kh * kw * cin, cout)?;
        let sum = rhs.sum();
        let depthwise = cin == 1 && spec.groups > 1;
        let kind = if depthwise {
            Kind::Depthwise(Box::new(Depthwise::new(&spec, axes)))
        } else {
            Kind::Product(Box::new(Product::new(&spec, axes, rhs)?))
        };
        Ok(Conv { isa, spec, sum, kind })
    }

    /// What it is made of.
    pub fn spec(&self) -> &ConvSpec {
        &self.spec
    }

    /// Bytes of the packed filter; it has to be aligned to 64 bytes. The layout depends on the
    /// spec's type, window, features and groups only.
    pub fn filter_bytes(&self) -> usize {
        let [kh, kw] = self.spec.window;
        match &self.kind {
            Kind::Product(p) => p.rhs.bytes().next_multiple_of(64) * self.spec.groups,
            Kind::Depthwise(_) => kh * kw * self.spec.output_features * self.sum.size(),
        }
    }

    /// Units of packing the filter.
    pub fn filter_units(&self) -> usize {
        match &self.kind {
            Kind::Product(p) => p.rhs.units() * self.spec.groups,
            Kind::Depthwise(_) => 1,
        }
    }

    /// Packs a unit of the filter.
    ///
    /// # Safety
    /// `filter` is valid for reads of the whole filter; `packed` for writes of
    /// [`Conv::filter_bytes`] and aligned to 64 bytes. Units write to different places.
    pub unsafe fn pack_filter(&self, unit: usize, filter: *const u8, packed: *mut u8) {
        let columns = self.spec.output_features;
        // SAFETY: the caller's promise.
        unsafe {
            match &self.kind {
                Kind::Product(p) => {
                    let (group, unit) = (unit / p.rhs.units(), unit % p.rhs.units());
                    let shift = group * (columns / self.spec.groups) * self.spec.dtype.size();
                    let from = Matrix { at: filter.add(shift), row: columns as isize, col: 1 };
                    let to = packed.add(group * p.rhs.bytes().next_multiple_of(64));
                    p.rhs.pack(self.isa, unit, from, to);
                }
                Kind::Depthwise(d) => match self.sum {
                    Sum::F32 => d.pack::<f32>(filter, packed.cast()),
                    Sum::F64 => d.pack::<f64>(filter, packed.cast()),
                    Sum::I32 => d.pack::<i32>(filter, packed.cast()),
                    Sum::I64 => d.pack::<i64>(filter, packed.cast()),
                },
            }
        }
    }

    /// Units of work, which may run in any order and at the same time.
    pub fn units(&self) -> usize {
        match &self.kind {
            Kind::Product(p) => p.grid.units() * self.spec.groups,
            Kind::Depthwise(d) => d.units(),
        }
    }

    /// Scratch bytes of [`Conv::run`].
    pub fn scratch_bytes(&self) -> usize {
        match &self.kind {
            Kind::Product(p) => p.scratch_bytes(&self.spec),
            Kind::Depthwise(d) => d.scratch_bytes(),
        }
    }

    /// Computes a unit, and tells each finished block: its batch is the image, its rows are pixels
    /// of that image, its columns output features.
    ///
    /// # Safety
    /// `input` is valid for reads of the whole input, `filter` holds the packed filter, `out` is
    /// valid for writes of the whole result, and nobody else reads or writes what this unit writes
    /// until it is told. `unit` is below [`Conv::units`]. Elements may be at any address that is a
    /// multiple of their size.
    ///
    /// # Panics
    /// When `scratch` has no room for [`Conv::scratch_bytes`].
    pub unsafe fn run(
        &self,
        unit: usize,
        input: *const u8,
        filter: *const u8,
        out: *mut u8,
        scratch: &mut Scratch,
        done: &mut dyn FnMut(Block),
    ) {
        let cut = scratch.cut(self.scratch_bytes());
        // SAFETY: the caller's promise.
        unsafe {
            let product = match &self.kind {
                Kind::Product(product) => product,
                Kind::Depthwise(d) => {
                    return match self.sum {
                        Sum::F32 => d.run::<f32>(self.isa, unit, input, filter, out, cut, done),
                        Sum::F64 => d.run::<f64>(self.isa, unit, input, filter, out, cut, done),
                        Sum::I32 => d.run::<i32>(self.isa, unit, input, filter, out, cut, done),
                        Sum::I64 => d.run::<i64>(self.isa, unit, input, filter, out, cut, done),
                    };
                }
            };
            let (group, part) = (unit / product.grid.units(), unit % product.grid.units());
            let part = product.grid.part(part);
            let job = Job { product, spec: &self.spec, group, part, input, filter, out };
            dispatch(self.isa, self.sum, (&job, cut));
            job.tell(done);
        }
    }
}

impl Product {
    fn new(spec: &ConvSpec, axes: [Axis; 2], rhs: RhsLayout) -> Result<Product> {
        let [kh, kw] = spec.window;
        let features = spec.input_features;
        let [_, x] = axes;
        let joined = spec.groups == 1 && (x.dilation == 1 || kw == 1);
        let source = if joined && x.inside() == (0..x.output) {
            Source::Lines
        } else if joined && kw > 1 && x.stride <= kw && features <= PADDED_FEATURES_MAX {
            Source::Padded
        } else {
            Source::Taps
        };
        let taps = if source == Source::Taps { kh * kw } else { kh };
        let rows = (TABLE_MAX / taps.max(1)).clamp(TILE_ROWS, ROWS_MAX);
        let pixels = spec.batch * spec.output[0] * spec.output[1];
        let piece = if source == Source::Taps { features / spec.groups } else { kw * features };
        if taps > TABLE_MAX || piece > 1 << 32 {
            return Err(Error::resource_exhausted(format!(
                "a window of {kh} by {kw} is too large"
            )));
        }
        Ok(Product {
            axes,
            rhs,
            grid: Grid::new(pixels, rhs.k(), rhs.n(), rows / TILE_ROWS * TILE_ROWS),
            edges: Edges::of(pixels),
            source,
            zeros: vec![0; piece * spec.dtype.size()],
        })
    }

    /// Entries of the table of pointers for a row.
    fn taps(&self) -> usize {
        let [y, x] = self.axes;
        if self.source == Source::Taps { y.window * x.window } else { y.window }
    }

    /// Elements of the copied lines of a unit of at most so many rows.
    fn padded(&self, rows: usize, features: usize) -> usize {
        let [y, x] = self.axes;
        if self.source != Source::Padded {
            return 0;
        }
        let lines = rows.div_ceil(x.output.max(1)) + 1;
        y.window * (rows * x.stride + lines * x.window) * features
    }

    fn scratch_bytes(&self, spec: &ConvSpec) -> usize {
        let rows = self.grid.rows_max();
        let padded = self.padded(rows, spec.input_features) * spec.dtype.size();
        scratch_bytes::<f64>(rows, self.grid.cols_max())
            .saturating_add(piece::<*const u8>(rows * self.taps()))
            .saturating_add(piece::<u8>(padded))
    }
}

/// A unit of work.
struct Job<'a> {
    product: &'a Product,
    spec: &'a ConvSpec,
    group: usize,
    part: Part,
    input: *const u8,
    filter: *const u8,
    out: *mut u8,
}

impl gemm::Job for (&Job<'_>, Cut) {
    unsafe fn run<K: Kernel>(self, kernel: K) {
        // SAFETY: the promise of `Conv::run`.
        unsafe { self.0.run(kernel, self.1) }
    }
}

impl Job<'_> {
    /// # Safety
    /// As [`Conv::run`]; the kernel's sums are those of the type.
    unsafe fn run<K: Kernel>(&self, kernel: K, mut cut: Cut) {
        let (spec, product, part) = (self.spec, self.product, self.part);
        let (reader, writer) = (K::Acc::reader(spec.dtype), K::Acc::writer(spec.dtype));
        let (Some(reader), Some(writer)) = (reader, writer) else { return };
        let taps = product.taps();
        let table = cut.take::<*const u8>(part.rows * taps);
        let padded = cut.take::<u8>(product.padded(part.rows, spec.input_features) * reader.size);
        let empty = spec.input.contains(&0);
        // SAFETY: the caller's promise.
        unsafe {
            self.fill(table, padded);
            let k = if empty { 0 } else { product.rhs.k() };
            let features = spec.output_features;
            let first = self.group * product.rhs.n() + part.col;
            let at = (part.row * features + first) * writer.size;
            let group_bytes = product.rhs.bytes().next_multiple_of(64);
            let unit = Unit {
                part,
                k,
                n: product.rhs.n(),
                rows: Rows {
                    table,
                    stride: part.rows,
                    channels: (product.zeros.len() / reader.size).max(1),
                    step: 1,
                    reader,
                },
                edges: &product.edges,
                packed: self.filter.add(self.group * group_bytes).cast(),
                out: self.out.add(at),
                out_stride: features as isize,
                writer,
            };
            unit.run(kernel, &mut cut);
        }
    }

    /// Fills the table of pointers.
    ///
    /// # Safety
    /// As [`Conv::run`]; the scratch memory is large enough.
    unsafe fn fill(&self, table: *mut *const u8, padded: *mut u8) {
        let [oh, ow] = self.spec.output;
        let mut padded = padded;
        for line in lines(self.part.row, self.part.rows, oh, ow) {
            // SAFETY: the caller's promise.
            unsafe {
                match self.product.source {
                    Source::Padded => padded = self.fill_padded(line, table, padded),
                    _ => self.fill_line(line, table),
                }
            }
        }
    }

    /// Pointers of one line of output pixels into the input.
    ///
    /// # Safety
    /// As [`Job::fill`].
    unsafe fn fill_line(&self, line: Line, table: *mut *const u8) {
        let (spec, [y, x]) = (self.spec, self.product.axes);
        let pixel = spec.input_features * spec.dtype.size();
        let group = spec.input_features / spec.groups * self.group * spec.dtype.size();
        let zero = self.product.zeros.as_ptr();
        let (joined, stride) = (self.product.source == Source::Lines, self.part.rows);
        let taps = if joined { 1 } else { x.window };
        let inside = y.taps(line.y);
        for ky in 0..y.window {
            for kx in 0..taps {
                // SAFETY: entries of this line; pixels that exist.
                unsafe {
                    let entries = table.add((ky * taps + kx) * stride + line.before);
                    let seen = if inside.contains(&ky) { x.outputs(kx) } else { 0..0 };
                    let start = seen.start.clamp(line.x, line.x + line.len) - line.x;
                    let end = (seen.end.clamp(line.x, line.x + line.len) - line.x).max(start);
                    (0..start).for_each(|i| entries.add(i).write(zero));
                    if start < end {
                        let iy = y.position(line.y, ky) as usize;
                        let ix = x.position(line.x + start, kx) as usize;
                        let at = (line.image * y.input + iy) * x.input + ix;
                        let first = self.input.add(at * pixel + group);
                        for i in start..end {
                            entries.add(i).write(first.add((i - start) * x.stride * pixel));
                        }
                    }
                    (end..line.len).for_each(|i| entries.add(i).write(zero));
                }
            }
        }
    }

    /// Copies what one line of output pixels sees, with its padding, to `padded`, and points there;
    /// returns where the copy ends.
    ///
    /// # Safety
    /// As [`Job::fill`].
    unsafe fn fill_padded(&self, line: Line, table: *mut *const u8, padded: *mut u8) -> *mut u8 {
        let (spec, [y, x]) = (self.spec, self.product.axes);
        let pixel = spec.input_features * spec.dtype.size();
        let pixels = (line.len - 1) * x.stride + x.window;
        // Input pixels `left..left + pixels`, of which `from..to` exist.
        let left = x.position(line.x, 0);
        let clamp = |at: isize| at.clamp(0, x.input as isize);
        let (from, to) = (clamp(left), clamp(left + pixels as isize));
        let inside = y.taps(line.y);
        let mut copy = padded;
        for ky in 0..y.window {
            // SAFETY: the copy has room for all pixels of all lines.
            unsafe {
                if inside.contains(&ky) {
                    let before = (from - left).clamp(0, pixels as isize) as usize * pixel;
                    let bytes = (to - from) as usize * pixel;
                    let iy = y.position(line.y, ky) as usize;
                    let at = (line.image * y.input + iy) * x.input + from as usize;
                    copy.write_bytes(0, before);
                    let from = self.input.add(at * pixel);
                    std::ptr::copy_nonoverlapping(from, copy.add(before), bytes);
                    let after = pixels * pixel - before - bytes;
                    copy.add(before + bytes).write_bytes(0, after);
                } else {
                    copy.write_bytes(0, pixels * pixel);
                }
                let entries = table.add(ky * self.part.rows + line.before);
                for i in 0..line.len {
                    entries.add(i).write(copy.add(i * x.stride * pixel));
                }
                copy = copy.add(pixels * pixel);
            }
        }
        copy
    }

    /// Tells the unit's part of each image.
    fn tell(&self, done: &mut dyn FnMut(Block)) {
        let pixels = self.spec.output[0] * self.spec.output[1];
        let Part { row, rows, col, cols } = self.part;
        let col = self.group * self.product.rhs.n() + col;
        let (mut at, end) = (row, row + rows);
        while at < end {
            let (batch, row) = (at / pixels, at % pixels);
            let rows = (pixels - row).min(end - at);
            done(Block { batch, row, rows, col, cols });
            at += rows;
        }
    }
}
