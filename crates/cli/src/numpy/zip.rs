//! Zip archives, as far as NumPy writes them: stored or deflated, with the 64-bit extension.
//!
//! Every size in the archive is a claim: nothing is allocated on its word. It must not know what
//! the files in it are.

use std::borrow::Cow;
use std::io::Read;

use tfjit_base::{Error, Result, limits};

/// Files of one archive that are listed.
const ENTRIES_MAX: usize = 1 << 16;
/// Deflate makes at most 1032 bytes of one; a claim above that is a lie.
const DEFLATE_RATIO_MAX: u64 = 1032;

/// An archive in memory.
pub(crate) struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
}

/// One file of the archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    method: u16,
    flags: u16,
    crc: u32,
    compressed: u64,
    size: u64,
    header_at: u64,
}

fn bad(what: impl std::fmt::Display) -> Error {
    Error::invalid_argument(format!("not a sound zip archive: {what}"))
}

/// Little-endian fields from a place in the file.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn at(bytes: &'a [u8], at: u64) -> Result<Fields<'a>> {
        let at = usize::try_from(at).ok();
        at.and_then(|at| bytes.get(at..)).map(Fields).ok_or_else(|| bad("an offset is outside"))
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n).ok_or_else(|| bad("it is cut short"))?;
        self.0 = tail;
        Ok(head)
    }

    fn uint(&mut self, n: usize) -> Result<u64> {
        Ok(self.take(n)?.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b)))
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(self.uint(2)? as u16)
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(self.uint(4)? as u32)
    }

    fn signature(&mut self, want: &[u8; 4]) -> Result<()> {
        if self.take(4)? != want {
            return Err(bad("a record does not begin as it should"));
        }
        Ok(())
    }
}

impl<'a> Archive<'a> {
    /// Reads the central directory.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is not a sound archive.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Archive<'a>> {
        let (count, directory_at) = find_directory(bytes)?;
        let mut fields = Fields::at(bytes, directory_at)?;
        if count > ENTRIES_MAX as u64 {
            return Err(bad(format_args!("it holds {count} files")));
        }
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(directory_entry(&mut fields)?);
        }
        Ok(Archive { bytes, entries })
    }

    /// The files, in the order of the directory.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a broken record, DATA_LOSS when contents and checksum differ,
    /// UNIMPLEMENTED for encryption and other compressions, RESOURCE_EXHAUSTED above
    /// [`limits::INPUT_FILE_BYTES_MAX`].
    pub(crate) fn read(&self, entry: &Entry) -> Result<Cow<'a, [u8]>> {
        let name = &entry.name;
        if entry.flags & 1 != 0 {
            return Err(Error::unimplemented(format!("{name} is encrypted")));
        }
        if entry.size > limits::INPUT_FILE_BYTES_MAX {
            return Err(Error::resource_exhausted(format!("{name} has {} bytes", entry.size)));
        }
        let data = self.stored_bytes(entry)?;
        let contents = match entry.method {
            0 => Cow::Borrowed(data),
            8 => Cow::Owned(inflate(data, entry)?),
            other => {
                return Err(Error::unimplemented(format!("{name} has the compression {other}")));
            }
        };
        let mut crc = flate2::Crc::new();
        crc.update(&contents);
        if contents.len() as u64 != entry.size || crc.sum() != entry.crc {
            return Err(Error::data_loss(format!("{name} differs from its checksum or size")));
        }
        Ok(contents)
    }

    fn stored_bytes(&self, entry: &Entry) -> Result<&'a [u8]> {
        let mut fields = Fields::at(self.bytes, entry.header_at)?;
        fields.signature(b"PK\x03\x04")?;
        fields.take(22)?;
        let (name_len, extra_len) = (fields.u16()?, fields.u16()?);
        fields.take(usize::from(name_len) + usize::from(extra_len))?;
        let len = usize::try_from(entry.compressed).map_err(|_| bad("a file is too large"))?;
        fields.take(len)
    }
}

/// Number of files and offset of the central directory.
fn find_directory(bytes: &[u8]) -> Result<(u64, u64)> {
    // The end record is 22 bytes and a comment of at most 65535.
    let from = bytes.len().saturating_sub(22 + 0xffff);
    let tail = &bytes[from..];
    let at = tail
        .windows(4)
        .rposition(|w| w == b"PK\x05\x06")
        .ok_or_else(|| bad("it has no end record"))?
        + from;
    let mut end = Fields::at(bytes, at as u64)?;
    end.take(10)?;
    let (count, _size, offset, comment) = (end.u16()?, end.u32()?, end.u32()?, end.u16()?);
    end.take(usize::from(comment))?;
    if count != 0xffff && offset != u32::MAX {
        return Ok((u64::from(count), u64::from(offset)));
    }
    let locator_at = (at as u64).checked_sub(20).ok_or_else(|| bad("it is cut short"))?;
    let mut locator = Fields::at(bytes, locator_at)?;
    if locator.signature(b"PK\x06\x07").is_err() {
        return Ok((u64::from(count), u64::from(offset)));
    }
    locator.take(4)?;
    let mut end64 = Fields::at(bytes, locator.uint(8)?)?;
    end64.signature(b"PK\x06\x06")?;
    end64.take(28)?;
    let count = end64.uint(8)?;
    end64.take(8)?;
    Ok((count, end64.uint(8)?))
}

fn directory_entry(fields: &mut Fields<'_>) -> Result<Entry> {
    fields.signature(b"PK\x01\x02")?;
    fields.take(4)?;
    let (flags, method) = (fields.u16()?, fields.u16()?);
    fields.take(4)?;
    let crc = fields.u32()?;
    let (compressed, size) = (fields.uint(4)?, fields.uint(4)?);
    let (name_len, extra_len, comment_len) = (fields.u16()?, fields.u16()?, fields.u16()?);
    fields.take(8)?;
    let header_at = fields.uint(4)?;
    let name = String::from_utf8_lossy(fields.take(usize::from(name_len))?).into_owned();
    let extra = Fields(fields.take(usize::from(extra_len))?);
    fields.take(usize::from(comment_len))?;
    let mut entry = Entry { name, method, flags, crc, compressed, size, header_at };
    wide_fields(extra, &mut entry)?;
    Ok(entry)
}

/// Replaces the fields that did not fit 32 bits by those of the 64-bit extension.
fn wide_fields(mut extra: Fields<'_>, entry: &mut Entry) -> Result<()> {
    while extra.0.len() >= 4 {
        let (id, len) = (extra.u16()?, extra.u16()?);
        let mut body = Fields(extra.take(usize::from(len))?);
        if id != 1 {
            continue;
        }
        for field in [&mut entry.size, &mut entry.compressed, &mut entry.header_at] {
            if *field == u64::from(u32::MAX) {
                *field = body.uint(8)?;
            }
        }
    }
    Ok(())
}

fn inflate(data: &[u8], entry: &Entry) -> Result<Vec<u8>> {
    if entry.size > (data.len() as u64).saturating_mul(DEFLATE_RATIO_MAX) {
        return Err(bad(format_args!("{} cannot have {} bytes", entry.name, entry.size)));
    }
    let mut out = Vec::new();
    flate2::read::DeflateDecoder::new(data)
        .take(entry.size.saturating_add(1))
        .read_to_end(&mut out)
        .map_err(|e| Error::data_loss(format!("{}: {e}", entry.name)))?;
    Ok(out)
}

/// 1980-01-01, the first day a zip archive knows, so that the same files give the same bytes.
const DOS_DATE: u16 = 0x21;

/// An archive of these files, stored as they are.
///
/// # Errors
/// UNIMPLEMENTED when an offset would need more than 32 bits.
pub(crate) fn write(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    let mut count = 0u16;
    for (name, contents) in files {
        let mut crc = flate2::Crc::new();
        crc.update(&contents);
        let at = narrow(out.len())?;
        let size = narrow(contents.len())?;
        // Version, flags (names are UTF-8), method, time, date, checksum, sizes, lengths.
        let mut common = Vec::new();
        common.extend([20, 0]);
        common.extend(0x800u16.to_le_bytes());
        common.extend([0; 4]);
        common.extend(DOS_DATE.to_le_bytes());
        common.extend(crc.sum().to_le_bytes());
        common.extend(size.to_le_bytes());
        common.extend(size.to_le_bytes());
        common.extend((narrow(name.len())? as u16).to_le_bytes());
        common.extend([0, 0]);

        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&contents);

        directory.extend(b"PK\x01\x02");
        directory.extend([20, 0]);
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
        count = count.checked_add(1).ok_or_else(|| Error::unimplemented("too many arrays"))?;
    }
    let (at, size) = (narrow(out.len())?, narrow(directory.len())?);
    out.extend(directory);
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0; 2]);
    Ok(out)
}

fn narrow(n: usize) -> Result<u32> {
    // The largest value means "look into the extension".
    u32::try_from(n).ok().filter(|&n| n < u32::MAX).ok_or_else(|| {
        Error::unimplemented("an .npz file above 4 GiB")
            .help("write each output into a .npy file of its own: --outdir")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let files = [("a.npy".to_owned(), b"hello".to_vec()), ("é".to_owned(), Vec::new())];
        let bytes = write(files.clone()).unwrap();
        let archive = Archive::open(&bytes).unwrap();
        for (entry, (name, contents)) in archive.entries().iter().zip(&files) {
            assert_eq!(&entry.name, name);
            assert_eq!(archive.read(entry).unwrap().as_ref(), contents.as_slice());
        }
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_an_error_or_harmless() {
        let bytes = write([("a.npy".to_owned(), b"hello".to_vec())]).unwrap();
        let read_all = |bytes: &[u8]| -> Result<Vec<u8>> {
            let archive = Archive::open(bytes)?;
            archive
                .entries()
                .iter()
                .map(|e| Ok(archive.read(e)?.into_owned()))
                .collect::<Result<Vec<_>>>()
                .map(|v| v.concat())
        };
        for len in 0..bytes.len() {
            assert!(read_all(&bytes[..len]).is_err(), "{len}");
        }
        for i in 0..bytes.len() {
            for bit in 0..8 {
                let mut broken = bytes.clone();
                broken[i] ^= 1 << bit;
                if let Ok(contents) = read_all(&broken) {
                    assert!(contents == b"hello" || contents.is_empty(), "{i} {bit}");
                }
            }
        }
    }

    #[test]
    fn bombs_are_refused_before_they_grow() {
        let mut bytes = write([("a".to_owned(), vec![0; 4])]).unwrap();
        let directory = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
        bytes[directory + 10] = 8;
        bytes[directory + 24..directory + 28].copy_from_slice(&0xff00_0000u32.to_le_bytes());
        let archive = Archive::open(&bytes).unwrap();
        let e = archive.read(&archive.entries()[0]).unwrap_err();
        assert!(e.message().contains("cannot have"), "{e}");
    }
}
