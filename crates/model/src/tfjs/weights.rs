//! The weights of a TF.js model: what the manifest says, and the shards it lies in.
//!
//! The shards of a group are one sequence of bytes, in which the group's weights follow each other
//! without padding; a weight may begin in one shard and end in another. It must not know the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};
use std::sync::Arc;

use serde_json::Value;
use tfjit_base::{AlignedBytes, Bytes, DType, Error, Result, Shape, Storage, Tensor};

use super::quantization::Quantization;
use crate::problems::Problems;
use crate::{mapped, raw};

/// TF.js's names of element types.
const DTYPES: &[(&str, DType)] = &[
    ("float32", DType::F32),
    ("float16", DType::F16),
    ("int32", DType::I32),
    ("uint8", DType::U8),
    ("uint16", DType::U16),
    ("bool", DType::Bool),
    ("complex64", DType::C64),
    ("string", DType::String),
];

/// One weight of the manifest.
struct Spec<'a> {
    name: &'a str,
    dtype: DType,
    shape: Shape,
    quantization: Option<Quantization>,
}

/// All weights of `manifest`, by name; its paths lie under the folder `base`.
///
/// Problems are added to `problems`, each at the weight it concerns.
pub(super) fn read(
    base: &Path,
    manifest: &Value,
    problems: &mut Problems,
) -> BTreeMap<String, Tensor> {
    let mut weights = BTreeMap::new();
    let mut paths = BTreeSet::new();
    let Some(groups) = manifest.as_array() else {
        problems.error(Error::invalid_argument("weightsManifest is not an array"));
        return weights;
    };
    for group in groups {
        if problems.is_full() {
            break;
        }
        let read = read_group(base, group, &mut paths, &mut weights, problems);
        problems.keep(read);
    }
    weights
}

/// Reads what is sound in a group. One bad weight leaves the place of all after it unknown.
fn read_group<'a>(
    base: &Path,
    group: &'a Value,
    paths: &mut BTreeSet<&'a str>,
    weights: &mut BTreeMap<String, Tensor>,
    problems: &mut Problems,
) -> Result<()> {
    let array = |key: &str| {
        group.get(key).and_then(Value::as_array).ok_or_else(|| {
            Error::invalid_argument(format!("a group of weightsManifest has no array {key}"))
        })
    };
    let parsed = array("weights")?.iter().map(|weight| problems.keep(Spec::parse(weight)));
    let parsed: Vec<Option<Spec<'_>>> = parsed.collect();
    let Some(specs) = parsed.into_iter().collect::<Option<Vec<_>>>() else { return Ok(()) };
    let first = specs.first().map_or("weightsManifest", |spec| spec.name);
    let mut shards = Vec::new();
    for path in array("paths")? {
        let path = path.as_str().ok_or_else(|| {
            Error::invalid_argument("a path of weightsManifest is not a string").at(first)
        })?;
        if !paths.insert(path) {
            let twice = format!("the shard {path:?} is listed twice");
            return Err(Error::invalid_argument(twice).at(first));
        }
        shards.push(open_shard(base, path).map_err(|e| e.at(first))?);
    }
    let mut bytes = Group::new(shards);
    for spec in specs {
        let tensor = spec.read(&mut bytes).map_err(|e| e.at(spec.name))?;
        if weights.get(spec.name).is_some_and(|known| *known != tensor) {
            let twice = Error::invalid_argument("two different weights have this name");
            problems.error(twice.at(spec.name));
        }
        weights.insert(spec.name.to_owned(), tensor);
    }
    if bytes.left() > 0 {
        let left = bytes.left();
        problems.warn(format!("{left} bytes behind the last weight of a group ({first} ...)"));
    }
    Ok(())
}

fn open_shard(base: &Path, path: &str) -> Result<Arc<dyn Storage>> {
    let relative = Path::new(path);
    let inside = relative.components().all(|c| matches!(c, Component::Normal(_)));
    if !inside || path.is_empty() || path.contains('\0') {
        return Err(Error::invalid_argument(format!(
            "the path {path:?} leaves the model's folder"
        ))
        .help("paths of weightsManifest are relative to model.json"));
    }
    mapped::map_file(&base.join(relative))
        .map_err(|e| e.help("all files that weightsManifest lists belong beside model.json"))
}

impl<'a> Spec<'a> {
    fn parse(weight: &'a Value) -> Result<Spec<'a>> {
        let name = weight.get("name").and_then(Value::as_str).ok_or_else(|| {
            Error::invalid_argument("a weight of weightsManifest has no name").at("weightsManifest")
        })?;
        Spec::parse_named(name, weight).map_err(|e| e.at(name))
    }

    fn parse_named(name: &'a str, weight: &Value) -> Result<Spec<'a>> {
        let dtype = match weight.get("dtype").and_then(Value::as_str) {
            Some(dtype) => dtype,
            None => return Err(Error::invalid_argument("the weight has no dtype")),
        };
        let known = DTYPES.iter().find(|(known, _)| *known == dtype);
        let &(_, dtype) = known.ok_or_else(|| {
            let all: Vec<&str> = DTYPES.iter().map(|(name, _)| *name).collect();
            Error::invalid_argument(format!("{dtype:?} is not a dtype of TF.js weights"))
                .help(format!("there are {}", all.join(", ")))
        })?;
        let dims = weight.get("shape").and_then(Value::as_array);
        let dims: Option<Vec<i64>> = dims.and_then(|dims| dims.iter().map(Value::as_i64).collect());
        let dims = dims.ok_or_else(|| {
            Error::invalid_argument("the weight's shape is not an array of integers")
        })?;
        let shape = Shape::from_i64(&dims)?;
        let quantization = match weight.get("quantization") {
            None | Some(Value::Null) => None,
            Some(value) => Some(Quantization::parse(value, dtype)?),
        };
        Ok(Spec { name, dtype, shape, quantization })
    }

    fn read(&self, group: &mut Group) -> Result<Tensor> {
        let count = self.shape.checked_elements()?;
        if self.dtype == DType::String {
            return Tensor::strings(self.shape.clone(), strings(group, count)?);
        }
        match &self.quantization {
            None => {
                let bytes = group.take(count.saturating_mul(self.dtype.size()))?;
                raw::tensor(self.dtype, self.shape.clone(), bytes)
            }
            Some(quantization) => {
                let bytes = group.take(count.saturating_mul(quantization.size()))?;
                quantization.expand(self.dtype, self.shape.clone(), bytes.as_ref())
            }
        }
    }
}

/// Each string is its length in four bytes and its bytes.
fn strings(group: &mut Group, count: usize) -> Result<Vec<Vec<u8>>> {
    // Bounded by the file before anything is allocated.
    if group.left() / 4 < count {
        return Err(short(count.saturating_mul(4), group.left()));
    }
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let length = group.take(4)?;
        let length = length.as_ref().try_into().expect("four bytes were taken");
        out.push(group.take(u32::from_le_bytes(length) as usize)?.as_ref().to_vec());
    }
    Ok(out)
}

fn short(want: usize, left: usize) -> Error {
    Error::out_of_range(format!("the weight takes {want} bytes where its shards have {left} left"))
        .help("a shard was cut short, or the shards belong to another model.json")
}

/// The bytes of a group's shards, read from the front.
struct Group {
    shards: Vec<Arc<dyn Storage>>,
    /// The shard and the byte in it that come next.
    shard: usize,
    at: usize,
    left: usize,
}

impl Group {
    fn new(shards: Vec<Arc<dyn Storage>>) -> Group {
        let left = shards.iter().map(|s| s.bytes().len()).sum();
        Group { shards, shard: 0, at: 0, left }
    }

    fn left(&self) -> usize {
        self.left
    }

    /// The next `count` bytes: a view, or a copy where they cross from one shard to the next.
    fn take(&mut self, count: usize) -> Result<Bytes> {
        if count > self.left {
            return Err(short(count, self.left));
        }
        while self.shards.get(self.shard).is_some_and(|s| s.bytes().len() == self.at) {
            self.shard += 1;
            self.at = 0;
        }
        self.left -= count;
        let Some(current) = self.shards.get(self.shard) else {
            return Ok(AlignedBytes::zeroed(0)?.into());
        };
        if self.at + count <= current.bytes().len() {
            self.at += count;
            return Bytes::view(current.clone(), self.at - count..self.at);
        }
        let mut copy = AlignedBytes::zeroed(count)?;
        let mut target = copy.as_mut();
        while !target.is_empty() {
            let rest = &self.shards[self.shard].bytes()[self.at..];
            let part = rest.len().min(target.len());
            let (head, tail) = target.split_at_mut(part);
            head.copy_from_slice(&rest[..part]);
            target = tail;
            self.at += part;
            if part == rest.len() {
                self.shard += 1;
                self.at = 0;
            }
        }
        Ok(copy.into())
    }
}
