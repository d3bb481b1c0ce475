//! One entry of a checkpoint: what a tensor is and where its bytes lie.
//!
//! It must not know tables or mapped files.

use tfjit_base::{DType, Error, Result, Shape, limits};
use tfjit_proto::Message;
use tfjit_proto::tensorflow::{BundleEntryProto, tensor_slice_proto::extent::HasLengthHack};

use super::slices::Slice;
use crate::{TfType, tftype};

/// A tensor of a checkpoint, as its index describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub(super) number: i32,
    pub(super) dtype: Option<DType>,
    pub(super) shape: Shape,
    pub(super) shard: u32,
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) crc: u32,
    pub(super) slices: Box<[Slice]>,
}

impl Entry {
    /// The element type; `None` for what a plain tensor cannot hold (variants, resources) and for
    /// types this version does not know.
    pub fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// TensorFlow's element type; `None` for one this version does not know.
    pub fn tftype(&self) -> Option<TfType> {
        TfType::try_from(self.number).ok()
    }

    /// What to call the element type in a message.
    pub(super) fn type_name(&self) -> String {
        match self.tftype() {
            Some(known) => tftype::tf_name(known).to_owned(),
            None => format!("element type {}", self.number),
        }
    }

    /// The shape of the whole tensor.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The number of the data file that holds it; meaningless if partitioned.
    pub fn shard(&self) -> u32 {
        self.shard
    }

    /// Bytes in the data file; 0 if partitioned.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the tensor is stored as slices under keys of their own.
    pub fn is_partitioned(&self) -> bool {
        !self.slices.is_empty()
    }

    /// Reads the entry `value` and checks what can be checked without the data files.
    ///
    /// # Errors
    /// DATA_LOSS when it is malformed or contradicts itself.
    pub(super) fn parse(value: &[u8], num_shards: u32) -> Result<Entry> {
        let proto = BundleEntryProto::decode(value)
            .map_err(|e| Error::data_loss(format!("the entry cannot be decoded: {e}")))?;
        let number = proto.dtype;
        let tftype = TfType::try_from(number).ok();
        if number <= 0 || tftype.is_some_and(tftype::is_ref) {
            return Err(Error::data_loss(format!("{number} is not a type of stored elements")));
        }
        let shape = proto.shape.unwrap_or_default();
        if shape.unknown_rank {
            return Err(Error::data_loss("a stored tensor has no rank"));
        }
        let dims: Vec<i64> = shape.dim.iter().map(|d| d.size).collect();
        let negative = |what: &str| Error::data_loss(format!("the {what} is out of range"));
        let entry = Entry {
            number,
            dtype: tftype.and_then(tftype::dtype),
            shape: Shape::from_i64(&dims).map_err(|e| Error::data_loss(e.message()))?,
            shard: u32::try_from(proto.shard_id).map_err(|_| negative("shard number"))?,
            offset: u64::try_from(proto.offset).map_err(|_| negative("offset"))?,
            size: u64::try_from(proto.size).map_err(|_| negative("size"))?,
            crc: proto.crc32c,
            slices: proto
                .slices
                .iter()
                .map(|slice| {
                    Slice::new(slice.extent.iter().map(|extent| {
                        let HasLengthHack::Length(length) = extent.has_length_hack?;
                        Some((extent.start, length))
                    }))
                })
                .collect(),
        };
        if entry.shard >= num_shards {
            let shard = entry.shard;
            return Err(Error::data_loss(format!("shard {shard} of {num_shards} does not exist")));
        }
        entry.check_size()?;
        entry.check_slices()?;
        Ok(entry)
    }

    /// The first byte behind the tensor in its data file.
    ///
    /// # Errors
    /// DATA_LOSS when it passes 64 bits.
    pub(super) fn end(&self) -> Result<u64> {
        self.offset.checked_add(self.size).ok_or_else(|| {
            Error::data_loss(format!("{} bytes at {} pass 64 bits", self.size, self.offset))
        })
    }

    fn check_size(&self) -> Result<()> {
        self.end()?;
        let elements = self.shape.elements() as u64;
        let (fits, want) = match self.dtype {
            _ if self.is_partitioned() => return Ok(()),
            None => return Ok(()),
            // A length of one byte at least for each, and a checksum.
            Some(DType::String) => (self.size >= elements + 4, format!("{} or more", elements + 4)),
            Some(dtype) => {
                let want = elements.saturating_mul(dtype.size() as u64);
                (self.size == want, want.to_string())
            }
        };
        if fits {
            return Ok(());
        }
        let name = self.type_name();
        Err(Error::data_loss(format!(
            "a tensor {name}{} takes {want} bytes, not {}",
            self.shape, self.size
        )))
    }

    fn check_slices(&self) -> Result<()> {
        if self.slices.len() > limits::SLICES_MAX {
            return Err(Error::resource_exhausted(format!(
                "a variable of {} slices is above the limit of {}",
                self.slices.len(),
                limits::SLICES_MAX
            )));
        }
        for slice in &self.slices {
            slice.region(&self.shape).map_err(|e| Error::data_loss(e.message()))?;
        }
        Ok(())
    }
}
