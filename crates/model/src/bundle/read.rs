//! Tensors out of an open checkpoint.
//!
//! It must not know the table format.

use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor};

use super::slices::{self, Region, Slice};
use super::{ALWAYS_VERIFIED_BYTES, Bundle, Entry, coding, show, strings};
use crate::raw;

impl Bundle {
    /// The whole tensor `key`. Its data stay in the mapped file if they are aligned to the size of
    /// an element there, and are copied otherwise; a partitioned variable is put together.
    ///
    /// # Errors
    /// NOT_FOUND when there is no such key, DATA_LOSS when a checksum is wrong, UNIMPLEMENTED for
    /// elements that no plain tensor holds, INVALID_ARGUMENT when slices are missing.
    pub fn tensor(&self, key: impl AsRef<[u8]>) -> Result<Tensor> {
        let key = key.as_ref();
        let entry = self.wanted(key)?;
        let whole = whole(&entry.shape);
        let read = if entry.is_partitioned() {
            self.assemble(key, entry, &whole)
        } else {
            self.plain(entry)
        };
        read.map_err(|e| e.at(show(key)))
    }

    /// The part of the tensor `key` that `spec` asks for, as `RestoreV2` writes it: the whole shape
    /// and the slice, such as `4 3 0,2:-`; nothing for the whole tensor.
    ///
    /// # Errors
    /// As [`Bundle::tensor`]; INVALID_ARGUMENT when `spec` is malformed, does not have the stored
    /// shape or leaves it.
    pub fn slice(&self, key: impl AsRef<[u8]>, spec: &str) -> Result<Tensor> {
        let key = key.as_ref();
        if spec.is_empty() {
            return self.tensor(key);
        }
        let entry = self.wanted(key)?;
        self.part(key, entry, spec).map_err(|e| e.at(show(key)))
    }

    fn wanted(&self, key: &[u8]) -> Result<&Entry> {
        self.entry(key).ok_or_else(|| {
            Error::not_found(format!("the checkpoint has no tensor {}", show(key))).help(format!(
                "{} holds {} tensors",
                self.prefix.display(),
                self.keys().count()
            ))
        })
    }

    /// Checks that the slices of `entry` are there and are of its type and shape.
    pub(super) fn check_slices(&self, key: &[u8], entry: &Entry) -> Result<()> {
        for slice in &entry.slices {
            let stored = self.stored(key, slice)?;
            let want = shape_of(&slice.region(&entry.shape)?);
            if stored.number != entry.number || stored.shape != want || stored.is_partitioned() {
                return Err(Error::data_loss(format!(
                    "the slice {slice} is stored as {}{}, not as {}{want}",
                    stored.type_name(),
                    stored.shape,
                    entry.type_name()
                )));
            }
        }
        Ok(())
    }

    fn stored(&self, key: &[u8], slice: &Slice) -> Result<&Entry> {
        self.find(&slice.key(key))
            .ok_or_else(|| Error::data_loss(format!("the slice {slice} has no entry")))
    }

    fn part(&self, key: &[u8], entry: &Entry, spec: &str) -> Result<Tensor> {
        let (shape, slice) = slices::parse_spec(spec)?;
        if shape != entry.shape {
            return Err(Error::invalid_argument(format!(
                "the shape {shape} of the slice {spec:?} is not the stored shape {}",
                entry.shape
            )));
        }
        let region = slice.region(&shape)?;
        if entry.is_partitioned() {
            return self.assemble(key, entry, &region);
        }
        let tensor = self.plain(entry)?;
        if region == whole(&shape) {
            return Ok(tensor);
        }
        let source = whole(&shape);
        gather(tensor.dtype(), &region, [(source, tensor)].into_iter().map(Ok))
    }

    /// The elements of `region` of a partitioned variable.
    fn assemble(&self, key: &[u8], entry: &Entry, region: &Region) -> Result<Tensor> {
        let dtype = plain_dtype(entry)?;
        if dtype == DType::String {
            return Err(Error::invalid_argument("string variables cannot be partitioned"));
        }
        if shape_of(region).elements() == 0 {
            return Tensor::zeros(dtype, shape_of(region));
        }
        let mut stored = Vec::new();
        for slice in &entry.slices {
            let place = slice.region(&entry.shape)?;
            if place == *region {
                return self.plain(self.stored(key, slice)?);
            }
            if let Some(piece) = slices::intersect(region, &place) {
                stored.push((piece, place, slice));
            }
        }
        let pieces: Vec<Region> = stored.iter().map(|(piece, ..)| piece.clone()).collect();
        if !slices::tiles(region, &pieces)? {
            return Err(Error::invalid_argument(
                "the slices in the checkpoint do not cover the wanted part once and whole",
            ));
        }
        let tensors = stored
            .into_iter()
            .map(|(_, place, slice)| Ok((place, self.plain(self.stored(key, slice)?)?)));
        gather(dtype, region, tensors)
    }

    /// The tensor of an entry with data of its own.
    fn plain(&self, entry: &Entry) -> Result<Tensor> {
        let dtype = plain_dtype(entry)?;
        let bytes = self.shards.view(entry.shard, entry.offset, entry.size)?;
        let verify = self.options.verify || entry.size <= ALWAYS_VERIFIED_BYTES;
        let data = bytes.as_ref();
        if dtype == DType::String {
            let crc = verify.then_some(entry.crc);
            let values = strings::decode(data, entry.shape.elements(), crc)?;
            return Tensor::strings(entry.shape.clone(), values);
        }
        if verify && coding::masked_crc(data) != entry.crc {
            return Err(Error::data_loss("the tensor fails its checksum")
                .help("the data file was damaged: copy the checkpoint again"));
        }
        raw::tensor(dtype, entry.shape.clone(), bytes)
    }
}

fn plain_dtype(entry: &Entry) -> Result<DType> {
    entry.dtype.ok_or_else(|| {
        Error::unimplemented(format!("reading {} from a checkpoint", entry.type_name()))
    })
}

fn whole(shape: &Shape) -> Region {
    shape.iter().map(|&dim| (0, dim)).collect()
}

fn shape_of(region: &Region) -> Shape {
    region.iter().map(|&(_, length)| length).collect()
}

/// The tensor of `region`, copied together from tensors that lie at the given places.
fn gather(
    dtype: DType,
    region: &Region,
    tensors: impl Iterator<Item = Result<(Region, Tensor)>>,
) -> Result<Tensor> {
    let shape = shape_of(region);
    let size = dtype.size();
    let mut out = AlignedBytes::zeroed(shape.checked_elements()?.saturating_mul(size))?;
    let target = out.as_mut();
    let mut strings = vec![Vec::new(); if dtype == DType::String { shape.elements() } else { 0 }];
    for tensor in tensors {
        let (place, tensor) = tensor?;
        let Some(piece) = slices::intersect(region, &place) else { continue };
        let source = tensor.bytes();
        slices::for_each_run(&piece, &place, region, |from, to, count| match tensor.as_strings() {
            Some(values) => strings[to..to + count].clone_from_slice(&values[from..from + count]),
            None => target[to * size..(to + count) * size]
                .copy_from_slice(&source[from * size..(from + count) * size]),
        });
    }
    match dtype {
        DType::String => Tensor::strings(shape, strings),
        _ => Tensor::new(dtype, shape, out),
    }
}
