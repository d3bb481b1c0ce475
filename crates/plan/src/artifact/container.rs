//! The file around the sections: what it is, its version, and where each section lies.
//!
//! ```text
//!  0  8  magic
//!  8  4  version of the format
//! 12  4  number of sections
//! 16  8  bytes of the file
//! 24  4  CRC-32C of the header and the table, with zeros here
//! 28  4  zeros
//! 32     table, 24 bytes a section: kind 4, CRC-32C 4, offset 8, bytes 8
//! ```
//!
//! Sections follow in the order of the table, each at the next multiple of 64 bytes, with zeros in
//! between. Kinds ascend, so that the same sections are the same file. It must not know what is in
//! the sections.

use std::ops::Range;

use tfjit_base::{Code, Error, Result};

use super::{Reader, VERSION, Writer};

/// The first bytes: no text, and broken by whoever changes line ends.
pub const MAGIC: [u8; 8] = *b"\x89TFJIT\r\n";
/// Sections begin at multiples of this, in bytes.
pub const ALIGN: usize = 64;

const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 24;
const CRC_AT: usize = 24;
/// Sections of a file.
const SECTIONS_MAX: usize = 64;

/// Puts a file together.
#[derive(Debug)]
pub struct Builder {
    /// Header and table, which are filled in at the end, and the sections so far.
    file: Vec<u8>,
    /// Kind and place of each.
    table: Vec<(u32, Range<usize>)>,
    count: usize,
}

impl Builder {
    /// A file that will have `count` sections.
    pub fn new(count: usize) -> Builder {
        let file = vec![0; HEADER_BYTES + ENTRY_BYTES * count];
        Builder { file, table: Vec::with_capacity(count), count }
    }

    /// Adds a section, which `write` appends to the file. Kinds are given in ascending order.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn section(
        &mut self,
        kind: u32,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let start = self.file.len().next_multiple_of(ALIGN);
        self.file.resize(start, 0);
        write(&mut self.file)?;
        self.table.push((kind, start..self.file.len()));
        Ok(())
    }

    /// Adds a section of some bytes, as [`Builder::section`].
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short.
    pub fn bytes(&mut self, kind: u32, bytes: &[u8]) -> Result<()> {
        self.section(kind, |file| append(file, bytes))
    }

    /// The file.
    ///
    /// # Errors
    /// INTERNAL when it has not as many sections as were announced.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        if self.table.len() != self.count {
            return Err(Error::internal("an artifact with another number of sections"));
        }
        let mut head = Writer::new();
        head.raw(&MAGIC);
        head.word(VERSION);
        head.word(self.count as u32);
        head.long(self.file.len() as u64);
        head.long(0);
        for (kind, range) in &self.table {
            head.word(*kind);
            head.word(crc32c::crc32c(&self.file[range.clone()]));
            head.long(range.start as u64);
            head.long(range.len() as u64);
        }
        let mut head = head.into_bytes();
        let crc = crc32c::crc32c(&head);
        head[CRC_AT..CRC_AT + 4].copy_from_slice(&crc.to_le_bytes());
        self.file[..head.len()].copy_from_slice(&head);
        Ok(self.file)
    }
}

/// Appends bytes to a file.
///
/// # Errors
/// RESOURCE_EXHAUSTED when memory is short.
pub fn append(file: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    file.try_reserve(bytes.len()).map_err(|_| {
        Error::resource_exhausted(format!("no memory for an artifact of {} bytes", file.len()))
    })?;
    file.extend_from_slice(bytes);
    Ok(())
}

/// The sections of a file.
#[derive(Debug)]
pub struct Sections<'f> {
    file: &'f [u8],
    /// Kind, checksum and place.
    table: Vec<(u32, u32, Range<usize>)>,
}

impl<'f> Sections<'f> {
    /// Reads header and table. What is in a section is looked at by [`Sections::get`].
    ///
    /// # Errors
    /// DATA_LOSS when it is no artifact or damaged, FAILED_PRECONDITION when it has another
    /// version.
    pub fn open(file: &'f [u8]) -> Result<Sections<'f>> {
        let mut reader = Reader::new(file);
        if reader.raw(MAGIC.len()).ok() != Some(&MAGIC) {
            return Err(Error::data_loss("it does not begin as an artifact does"));
        }
        let version = reader.word()?;
        if version != VERSION {
            let message = format!("an artifact of version {version}, and {VERSION} is read");
            return Err(Error::failed_precondition(message));
        }
        let count = reader.word()? as usize;
        let bytes = reader.long()?;
        if bytes != file.len() as u64 {
            let message = format!("an artifact of {bytes} bytes has {}", file.len());
            return Err(Error::data_loss(message));
        }
        let crc = reader.word()?;
        let zero = reader.word()?;
        if zero != 0 || count > SECTIONS_MAX || count > reader.left() / ENTRY_BYTES {
            return Err(reader.wrong("a broken header"));
        }
        let mut head = file[..HEADER_BYTES + ENTRY_BYTES * count].to_vec();
        head[CRC_AT..CRC_AT + 4].fill(0);
        if crc32c::crc32c(&head) != crc {
            return Err(Error::data_loss("the header's checksum is wrong"));
        }
        let mut table: Vec<(u32, u32, Range<usize>)> = Vec::with_capacity(count);
        let mut end = head.len();
        for _ in 0..count {
            let (kind, crc) = (reader.word()?, reader.word()?);
            let (offset, bytes) = (reader.long()?, reader.long()?);
            let place = (end as u64).next_multiple_of(ALIGN as u64);
            let last = offset.checked_add(bytes).filter(|&last| last <= file.len() as u64);
            let (Some(last), true) = (last, offset == place) else {
                return Err(reader.wrong(format_args!("section {kind} is not where it must be")));
            };
            if table.last().is_some_and(|(before, ..)| *before >= kind) {
                return Err(reader.wrong("sections out of order"));
            }
            let range = offset as usize..last as usize;
            if file[end..range.start].iter().any(|&byte| byte != 0) {
                return Err(Error::data_loss("bytes between two sections"));
            }
            end = range.end;
            table.push((kind, crc, range));
        }
        if end != file.len() {
            return Err(Error::data_loss("bytes behind the last section"));
        }
        Ok(Sections { file, table })
    }

    /// Kinds of the sections, in order.
    pub fn kinds(&self) -> impl Iterator<Item = u32> {
        self.table.iter().map(|(kind, ..)| *kind)
    }

    /// Where a section lies in the file, if it is there.
    ///
    /// # Errors
    /// DATA_LOSS when its checksum is wrong.
    pub fn find(&self, kind: u32) -> Result<Option<Range<usize>>> {
        let found = self.table.iter().find(|(known, ..)| *known == kind);
        let Some((_, crc, range)) = found else { return Ok(None) };
        if crc32c::crc32c(&self.file[range.clone()]) != *crc {
            return Err(Error::data_loss(format!("the checksum of section {kind} is wrong")));
        }
        Ok(Some(range.clone()))
    }

    /// A section that must be there.
    ///
    /// # Errors
    /// DATA_LOSS when it is not or its checksum is wrong.
    pub fn get(&self, kind: u32) -> Result<&'f [u8]> {
        match self.find(kind)? {
            Some(range) => Ok(&self.file[range]),
            None => Err(Error::data_loss(format!("there is no section {kind}"))),
        }
    }
}

/// Computes all checksums of a file anew, so that a test can damage what is behind them.
#[doc(hidden)]
pub fn reseal(file: &mut [u8]) {
    let number = |at: usize, file: &[u8]| {
        let bytes = file.get(at..at + 8).and_then(|b| <[u8; 8]>::try_from(b).ok());
        bytes.map_or(0, u64::from_le_bytes) as usize
    };
    let Some(&[a, b, c, d]) = file.get(12..16) else { return };
    let count = u32::from_le_bytes([a, b, c, d]) as usize;
    let table = HEADER_BYTES + ENTRY_BYTES * count.min(SECTIONS_MAX);
    for at in (HEADER_BYTES..table).step_by(ENTRY_BYTES) {
        let (offset, bytes) = (number(at + 8, file), number(at + 16, file));
        let range = offset..offset.saturating_add(bytes);
        let Some(section) = file.get(range) else { continue };
        let crc = crc32c::crc32c(section);
        if let Some(slot) = file.get_mut(at + 4..at + 8) {
            slot.copy_from_slice(&crc.to_le_bytes());
        }
    }
    if let Some(head) = file.get_mut(..table) {
        head[CRC_AT..CRC_AT + 4].fill(0);
        let crc = crc32c::crc32c(head);
        head[CRC_AT..CRC_AT + 4].copy_from_slice(&crc.to_le_bytes());
    }
}

/// An error of reading as one about damage: what is a mistake of a planner in a plan is damage in a
/// file. Short memory and foreign files stay what they are.
pub fn damaged(error: Error) -> Error {
    match error.code() {
        Code::Internal | Code::InvalidArgument | Code::Unimplemented | Code::OutOfRange => {
            let place = error.node().map(str::to_owned);
            let loss = Error::data_loss(error.message());
            match place {
                Some(place) => loss.at(place),
                None => loss,
            }
        }
        _ => error,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut builder = Builder::new(3);
        builder.bytes(1, b"one").unwrap();
        builder.bytes(5, &[]).unwrap();
        builder.bytes(7, &[7; 100]).unwrap();
        builder.finish().unwrap()
    }

    #[test]
    fn sections_come_back_aligned() {
        let file = file();
        let sections = Sections::open(&file).unwrap();
        assert_eq!(sections.kinds().collect::<Vec<_>>(), [1, 5, 7]);
        assert_eq!(sections.get(1).unwrap(), b"one");
        assert_eq!(sections.get(5).unwrap(), b"");
        let place = sections.find(7).unwrap().unwrap();
        assert_eq!((place.start % ALIGN, place.len()), (0, 100));
        assert!(sections.find(2).unwrap().is_none());
        assert_eq!(sections.get(2).unwrap_err().code(), Code::DataLoss);
    }

    #[test]
    fn every_bit_is_guarded() {
        let whole = file();
        let read = |bytes: &[u8]| -> Result<()> {
            let sections = Sections::open(bytes)?;
            [1, 5, 7].iter().try_for_each(|&kind| sections.get(kind).map(drop))
        };
        read(&whole).unwrap();
        for len in 0..whole.len() {
            assert!(read(&whole[..len]).is_err(), "{len}");
        }
        for bit in 0..whole.len() * 8 {
            let mut file = whole.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&file).is_err(), "{bit}");
        }
        let mut same = whole.clone();
        reseal(&mut same);
        assert_eq!(same, whole);
    }
}
