//! Writes a checkpoint that TensorFlow reads: one data file, an index without packing.
//!
//! It must not know variables or objects: a key is a key.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tfjit_base::{DType, Error, Result, Tensor, limits};
use tfjit_proto::Message;
use tfjit_proto::tensorflow::{
    BundleEntryProto, BundleHeaderProto, TensorShapeProto, VersionDef,
    bundle_header_proto::Endianness, tensor_shape_proto::Dim,
};

use super::table_writer::{Layout, TableWriter};
use super::{VERSION, coding, is_name, shards, show, strings};
use crate::{TfType, mapped, tftype};

/// Tensors begin at multiples of this, so that any reader can use them in place.
const ALIGNMENT: u64 = 64;

/// Writes `tensors` as the checkpoint `prefix`: `PREFIX.index` and `PREFIX.data-00000-of-00001`.
/// Both are written beside their places and renamed, the index last.
///
/// # Errors
/// INVALID_ARGUMENT for an empty, doubled or too long key or one that begins with a zero byte,
/// UNIMPLEMENTED for an element type that TensorFlow lacks, or what the system says.
pub fn write<K: AsRef<[u8]>>(prefix: &Path, tensors: &[(K, Tensor)]) -> Result<()> {
    let mut sorted: Vec<(&[u8], &Tensor)> = tensors.iter().map(|(k, t)| (k.as_ref(), t)).collect();
    sorted.sort_by_key(|(key, _)| *key);
    check_keys(&sorted)?;
    let data = Pending::new(shards::data_path(prefix, 0, 1));
    let index = Pending::new(shards::with_suffix(prefix, ".index"));
    let entries = data.write(|file| write_data(file, &sorted))?;
    let mut table = TableWriter::new(Layout::default());
    table.add(b"", &header().encode_to_vec());
    for ((key, _), entry) in sorted.iter().zip(entries) {
        table.add(key, &entry.encode_to_vec());
    }
    let table = table.finish();
    index.write(|file| Ok(file.write_all(&table)))?;
    data.commit()?;
    index.commit()
}

fn check_keys(sorted: &[(&[u8], &Tensor)]) -> Result<()> {
    for (key, _) in sorted {
        if !is_name(key) || key.len() > limits::CHECKPOINT_KEY_BYTES_MAX {
            let key = show(key);
            return Err(Error::invalid_argument(format!("{key:?} cannot be a checkpoint key")));
        }
    }
    match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let key = show(pair[0].0);
            Err(Error::invalid_argument(format!("the key {key} is given twice")))
        }
        None => Ok(()),
    }
}

fn header() -> BundleHeaderProto {
    BundleHeaderProto {
        num_shards: 1,
        endianness: Endianness::Little as i32,
        version: Some(VersionDef { producer: VERSION, ..VersionDef::default() }),
    }
}

type Io<T> = std::io::Result<T>;

fn write_data(
    file: &mut impl Write,
    sorted: &[(&[u8], &Tensor)],
) -> Result<Io<Vec<BundleEntryProto>>> {
    let mut entries = Vec::with_capacity(sorted.len());
    let mut end = 0u64;
    for (key, tensor) in sorted {
        let dtype = tftype::tf_type(tensor.dtype());
        if dtype == TfType::DtInvalid {
            let dtype = tensor.dtype();
            return Err(Error::unimplemented(format!("TensorFlow has no element type {dtype}"))
                .at(show(key)));
        }
        let (bytes, crc) = encode(tensor);
        let offset = end.next_multiple_of(ALIGNMENT);
        let padding = vec![0; (offset - end) as usize];
        if let Err(e) = file.write_all(&padding).and_then(|()| file.write_all(&bytes)) {
            return Ok(Err(e));
        }
        end = offset + bytes.len() as u64;
        let dims = tensor.shape().to_i64().into_iter();
        entries.push(BundleEntryProto {
            dtype: dtype as i32,
            shape: Some(TensorShapeProto {
                dim: dims.map(|size| Dim { size, name: String::new() }).collect(),
                unknown_rank: false,
            }),
            shard_id: 0,
            offset: offset as i64,
            size: bytes.len() as i64,
            crc32c: crc,
            slices: Vec::new(),
        });
    }
    Ok(Ok(entries))
}

/// The bytes of a tensor in the data file and their masked checksum.
fn encode(tensor: &Tensor) -> (Cow<'_, [u8]>, u32) {
    if let Some(values) = tensor.as_strings() {
        let (bytes, crc) = strings::encode(values);
        return (bytes.into(), crc);
    }
    let bits = tensor.dtype().bits();
    let bytes: Cow<'_, [u8]> = if bits < 8 && tensor.dtype() != DType::Bool {
        // TensorFlow keeps the unused bits of narrow elements clear.
        tensor.bytes().iter().map(|b| b & ((1 << bits) - 1)).collect::<Vec<u8>>().into()
    } else {
        tensor.bytes().into()
    };
    let crc = coding::masked_crc(&bytes);
    (bytes, crc)
}

/// A file that replaces another only once it is complete; removed if it never is.
struct Pending {
    path: PathBuf,
    temporary: PathBuf,
}

impl Pending {
    fn new(path: PathBuf) -> Pending {
        let temporary = shards::with_suffix(&path, &format!(".{}.tmp", std::process::id()));
        Pending { path, temporary }
    }

    fn write<T>(&self, body: impl FnOnce(&mut BufWriter<File>) -> Result<Io<T>>) -> Result<T> {
        let failed = |e| mapped::io_error(&self.temporary, &e);
        let mut file = BufWriter::new(File::create(&self.temporary).map_err(failed)?);
        let value = body(&mut file)?.map_err(failed)?;
        file.flush().map_err(failed)?;
        Ok(value)
    }

    fn commit(&self) -> Result<()> {
        fs::rename(&self.temporary, &self.path).map_err(|e| mapped::io_error(&self.path, &e))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // Nothing is left after a rename; and nobody is left to tell if this fails.
        let _ = fs::remove_file(&self.temporary);
    }
}
