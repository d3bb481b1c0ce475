//! The wire form of protobuf, as far as the files of the cache need it: varints, fixed numbers and
//! bytes. Groups are refused.
//!
//! It must not know any message. What it reads is hostile: a length that leaves the bytes is an
//! error, and nothing is allocated for it.

use std::ops::Range;

use tfjit_base::{Error, Result};

/// Wire types of the format.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

/// Bytes of a varint of 64 bits at most.
const VARINT_BYTES_MAX: usize = 10;

/// Writes a message, field by field.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// An empty message with room for `bytes`.
    pub(super) fn with_capacity(bytes: usize) -> Writer {
        Writer { bytes: Vec::with_capacity(bytes) }
    }

    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn tag(&mut self, field: u32, wire_type: u64) {
        self.raw_varint(u64::from(field) << 3 | wire_type);
    }

    /// A number; zero is what a missing one means, and is left out.
    pub(super) fn varint(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.tag(field, VARINT);
            self.raw_varint(value);
        }
    }

    /// A number of 32 bits, zero or not.
    pub(super) fn fixed32(&mut self, field: u32, value: u32) {
        self.tag(field, FIXED32);
        self.bytes.extend(value.to_le_bytes());
    }

    /// A number of 64 bits, zero or not.
    pub(super) fn fixed64(&mut self, field: u32, value: u64) {
        self.tag(field, FIXED64);
        self.bytes.extend(value.to_le_bytes());
    }

    /// Bytes, empty or not: elements of a list need their place.
    pub(super) fn bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, BYTES);
        self.raw_varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// Text; the empty one is left out.
    pub(super) fn text(&mut self, field: u32, value: &str) {
        if !value.is_empty() {
            self.bytes(field, value.as_bytes());
        }
    }

    /// Numbers side by side, without a tag each.
    pub(super) fn packed(&mut self, field: u32, values: impl Iterator<Item = u64>) {
        let mut list = Writer::default();
        values.for_each(|value| list.raw_varint(value));
        self.bytes(field, &list.bytes);
    }

    /// Bytes that a reader skips, so many that the bytes of the next field, of length `length` and
    /// with a number below 16, start at a multiple of `align` (at most 64).
    pub(super) fn pad(&mut self, field: u32, length: usize, align: usize) {
        let mut header = Writer::default();
        header.tag(field, BYTES);
        // The length of the padding takes one byte, as does the next field's tag.
        let fixed = self.bytes.len() + header.bytes.len() + 1;
        let mut next = Writer::default();
        next.raw_varint(length as u64);
        let behind = fixed + 1 + next.bytes.len();
        let zeros = [0u8; 64];
        let count = behind.next_multiple_of(align) - behind;
        self.bytes(field, &zeros[..count]);
    }

    /// The message.
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// The value of one field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value<'a> {
    /// A number, of whatever width.
    Number(u64),
    /// Bytes, text or a message.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The number.
    ///
    /// # Errors
    /// DATA_LOSS when it is something else.
    pub(super) fn number(self) -> Result<u64> {
        match self {
            Value::Number(value) => Ok(value),
            Value::Bytes(_) => Err(damaged("bytes stand where a number must be")),
        }
    }

    /// The number as an index.
    ///
    /// # Errors
    /// DATA_LOSS when it is something else or too large.
    pub(super) fn index(self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| damaged("an index is too large"))
    }

    /// The bytes.
    ///
    /// # Errors
    /// DATA_LOSS when it is something else.
    pub(super) fn bytes(self) -> Result<&'a [u8]> {
        match self {
            Value::Bytes(value) => Ok(value),
            Value::Number(_) => Err(damaged("a number stands where bytes must be")),
        }
    }

    /// The bytes as text.
    ///
    /// # Errors
    /// DATA_LOSS when it is something else or not UTF-8.
    pub(super) fn text(self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| damaged("a text is not UTF-8"))
    }
}

/// The error for bytes that are no message.
pub(super) fn damaged(what: &str) -> Error {
    Error::data_loss(what)
}

/// Reads the fields of a message in the order they stand in.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads all of `bytes`.
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for i in 0..VARINT_BYTES_MAX {
            let byte = *self.bytes.get(self.at).ok_or_else(|| damaged("the bytes end early"))?;
            self.at += 1;
            // The tenth byte has one bit left to give.
            if i == VARINT_BYTES_MAX - 1 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(damaged("a number has more than 64 bits"))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let end = usize::try_from(length).ok().and_then(|n| self.at.checked_add(n));
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| damaged("the bytes end early"))?;
        self.at += taken.len();
        Ok(taken)
    }

    /// Where the bytes of the field that was read last lie.
    pub(super) fn last_range(&self, length: usize) -> Range<usize> {
        self.at.saturating_sub(length)..self.at
    }

    /// The next field: its number and value.
    ///
    /// # Errors
    /// DATA_LOSS when the bytes are no message.
    pub(super) fn field(&mut self) -> Result<Option<(u32, Value<'a>)>> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let field = u32::try_from(tag >> 3).ok().filter(|&f| f != 0 && f < 1 << 29);
        let field = field.ok_or_else(|| damaged("a field has an impossible number"))?;
        let word = |bytes: &[u8]| {
            let mut word = [0u8; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        let value = match tag & 7 {
            VARINT => Value::Number(self.varint()?),
            FIXED64 => Value::Number(word(self.take(8)?)),
            FIXED32 => Value::Number(word(self.take(4)?)),
            BYTES => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            _ => return Err(damaged("a field has an unknown wire type")),
        };
        Ok(Some((field, value)))
    }
}

/// The numbers of a packed list.
///
/// # Errors
/// DATA_LOSS when the bytes are none.
pub(super) fn unpacked(bytes: &[u8]) -> Result<Vec<u64>> {
    let mut reader = Reader::new(bytes);
    let mut out = Vec::new();
    while reader.at < bytes.len() {
        out.push(reader.varint()?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>> {
        let mut reader = Reader::new(bytes);
        let mut out = Vec::new();
        while let Some(field) = reader.field()? {
            out.push(field);
        }
        Ok(out)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut w = Writer::default();
        w.varint(1, 0);
        w.varint(2, u64::MAX);
        w.fixed32(16, 7);
        w.fixed64(17, 0);
        w.bytes(3, b"");
        w.text(4, "x");
        w.packed(5, [1, 300].into_iter());
        let bytes = w.finish();
        let want = [
            (2, Value::Number(u64::MAX)),
            (16, Value::Number(7)),
            (17, Value::Number(0)),
            (3, Value::Bytes(b"")),
            (4, Value::Bytes(b"x")),
            (5, Value::Bytes(&[1, 0xac, 2])),
        ];
        assert_eq!(fields(&bytes).unwrap(), want);
        assert_eq!(unpacked(&[1, 0xac, 2]).unwrap(), [1, 300]);
        for cut in 1..bytes.len() {
            // A message may end behind any field, and nowhere else.
            let _ = fields(&bytes[..cut]);
        }
        assert!(fields(&bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn padding_puts_the_next_bytes_where_they_are_wanted() {
        for before in 0..70 {
            for length in [0usize, 1, 200, 20_000] {
                let mut w = Writer::default();
                w.bytes(1, &vec![1; before]);
                w.pad(31, length, 64);
                w.bytes(3, &vec![7; length]);
                let bytes = w.finish();
                assert_eq!((bytes.len() - length) % 64, 0, "{before} {length}");
                assert_eq!(fields(&bytes).unwrap().len(), 3);
            }
        }
    }

    #[test]
    fn impossible_bytes_are_refused() {
        let bad: [&[u8]; 7] = [
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
            &[0x08],
            &[0x00],
            &[0x0b],
            &[0x0d, 1, 2],
            &[0x0a, 5, 1],
        ];
        for bytes in bad {
            assert!(fields(bytes).is_err(), "{bytes:?}");
        }
    }
}
