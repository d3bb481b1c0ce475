//! Reads `.npz` files: a zip archive (stored or deflated) of `.npy` arrays.
//!
//! It knows the two containers only; what an array means is said by the manifest beside it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::read::DeflateDecoder;

/// One array as it is stored: row-major, little-endian.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    /// NumPy's type text, such as `<f4` or `|S12`.
    pub(crate) descr: String,
    /// The dimensions.
    pub(crate) shape: Vec<usize>,
    /// The bytes.
    pub(crate) data: Vec<u8>,
}

impl Array {
    /// Bytes of one element, which end the type text.
    pub(crate) fn item_size(&self) -> Result<usize> {
        let digits = self.descr.get(2..).unwrap_or_default();
        let size: usize = digits.parse().with_context(|| format!("array type {}", self.descr))?;
        Ok(if self.descr.starts_with("<U") { size * 4 } else { size })
    }
}

/// All arrays of an archive, by name.
pub(crate) type Arrays = BTreeMap<String, Array>;

/// Reads an archive.
pub(crate) fn read(path: &Path) -> Result<Arrays> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    parse(&bytes).with_context(|| path.display().to_string())
}

fn parse(bytes: &[u8]) -> Result<Arrays> {
    let mut out = BTreeMap::new();
    for (name, content) in unzip(bytes)? {
        let array = parse_npy(&content).with_context(|| name.clone())?;
        out.insert(name.strip_suffix(".npy").unwrap_or(&name).to_owned(), array);
    }
    Ok(out)
}

/// A little-endian number of `size` bytes at `at`.
fn number(bytes: &[u8], at: usize, size: usize) -> Result<usize> {
    let field = bytes.get(at..at + size).context("cut short")?;
    Ok(field.iter().rev().fold(0, |n, &b| (n << 8) | usize::from(b)))
}

/// The members of a zip archive, through its central directory.
fn unzip(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    const END: &[u8] = b"PK\x05\x06";
    const ENTRY: &[u8] = b"PK\x01\x02";
    let end = bytes.windows(4).rposition(|w| w == END).context("no zip directory")?;
    let count = number(bytes, end + 10, 2)?;
    let mut at = number(bytes, end + 16, 4)?;
    let mut out = Vec::new();
    for _ in 0..count {
        ensure!(bytes.get(at..at + 4) == Some(ENTRY), "broken zip directory");
        let method = number(bytes, at + 10, 2)?;
        let (packed, full) = (number(bytes, at + 20, 4)?, number(bytes, at + 24, 4)?);
        let (name, extra) = (number(bytes, at + 28, 2)?, number(bytes, at + 30, 2)?);
        let (comment, local) = (number(bytes, at + 32, 2)?, number(bytes, at + 42, 4)?);
        let title = bytes.get(at + 46..at + 46 + name).context("cut short")?;
        let title = String::from_utf8_lossy(title).into_owned();
        // The local header repeats the name and has an extra field of its own length.
        let start = local + 30 + number(bytes, local + 26, 2)? + number(bytes, local + 28, 2)?;
        let content = bytes.get(start..start + packed).context("cut short")?;
        out.push((title, unpack(content, method, full)?));
        at += 46 + name + extra + comment;
    }
    Ok(out)
}

fn unpack(content: &[u8], method: usize, full: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match method {
        0 => out.extend_from_slice(content),
        8 => drop(DeflateDecoder::new(content).take(full as u64).read_to_end(&mut out)?),
        other => bail!("zip method {other}"),
    }
    ensure!(out.len() == full, "{} bytes, not {full}", out.len());
    Ok(out)
}

fn parse_npy(bytes: &[u8]) -> Result<Array> {
    ensure!(bytes.starts_with(b"\x93NUMPY"), "not an npy array");
    let wide = bytes.get(6).is_some_and(|&version| version >= 2);
    let start = if wide { 12 } else { 10 };
    let length = number(bytes, 8, start - 8)?;
    let header = bytes.get(start..start + length).context("cut short")?;
    let header = std::str::from_utf8(header)?;
    let descr = between(header, "'descr': '", "'")?.to_owned();
    ensure!(!descr.starts_with('>'), "big-endian array");
    ensure!(header.contains("'fortran_order': False"), "column-major array");
    let dims = between(header, "'shape': (", ")")?.split(',').map(str::trim);
    let shape: Result<Vec<usize>, _> = dims.filter(|d| !d.is_empty()).map(str::parse).collect();
    let mut array = Array { descr, shape: shape?, data: Vec::new() };
    let size = array.shape.iter().product::<usize>() * array.item_size()?;
    let data = bytes.get(start + length..start + length + size).context("cut short")?;
    array.data = data.to_vec();
    Ok(array)
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Result<&'a str> {
    let start = text.find(open).with_context(|| format!("no {open} in {text}"))? + open.len();
    let end = text[start..].find(close).with_context(|| format!("no {close} in {text}"))?;
    Ok(&text[start..start + end])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    /// A zip archive of stored members, as `numpy.savez` writes it.
    pub(crate) fn stored_zip(members: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let (local, size) = (out.len() as u32, content.len() as u32);
            out.extend(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
            out.extend([size.to_le_bytes(), size.to_le_bytes()].concat());
            out.extend([(name.len() as u16).to_le_bytes(), [4, 0]].concat());
            out.extend(name.as_bytes());
            out.extend(b"xtra");
            out.extend(*content);
            directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
            directory.extend([size.to_le_bytes(), size.to_le_bytes()].concat());
            directory.extend((name.len() as u16).to_le_bytes());
            directory.extend([0u8; 12]);
            directory.extend(local.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let (start, count) = (out.len() as u32, members.len() as u16);
        let size = directory.len() as u32;
        out.extend(directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
        out.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
        out.extend([0, 0]);
        out
    }

    #[test]
    fn an_archive_of_two_arrays() {
        let a = npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", &[1, 0, 2, 0]);
        let b = npy("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", b"ab\0");
        let arrays = parse(&stored_zip(&[("in:a.npy", &a), ("b.npy", &b)])).unwrap();
        assert_eq!(arrays["in:a"].shape, [2]);
        assert_eq!(arrays["in:a"].data, [1, 0, 2, 0]);
        assert_eq!((arrays["b"].descr.as_str(), arrays["b"].data.len()), ("|S3", 3));
    }

    #[test]
    fn deflated_members_are_unpacked() {
        let packed = [0x4b, 0x4c, 0x44, 0x00, 0x00];
        assert_eq!(unpack(&packed, 8, 12).unwrap(), b"aaaaaaaaaaaa");
        assert!(unpack(&packed, 8, 13).is_err());
        assert!(unpack(&packed, 9, 12).is_err());
    }

    #[test]
    fn broken_files_are_errors() {
        let good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", &[0; 8]);
        assert!(parse_npy(&good[..good.len() - 1]).is_err());
        let turned = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", &[0; 8]);
        assert!(parse_npy(&turned).is_err());
        assert!(parse(b"nothing").is_err());
        let zip = stored_zip(&[("a.npy", &good)]);
        assert!(parse(&zip[1..]).is_err());
    }
}
