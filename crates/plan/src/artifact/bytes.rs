//! Numbers, texts and lists as bytes.
//!
//! Numbers are in groups of seven bits, the lowest first, a set high bit meaning that more follow;
//! signed ones have their sign in the lowest bit. It must not know what the numbers mean.

use tfjit_base::{Error, Result};

/// Most bytes of a number.
const NUMBER_BYTES_MAX: usize = 10;

/// What is written.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Nothing yet.
    pub fn new() -> Writer {
        Writer::default()
    }

    /// All that was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// A byte.
    pub fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    /// A number.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    /// A size.
    pub fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    /// A number with a sign.
    pub fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63) as u64);
    }

    /// A number of four bytes.
    pub fn word(&mut self, word: u32) {
        self.out.extend_from_slice(&word.to_le_bytes());
    }

    /// A number of eight bytes.
    pub fn long(&mut self, long: u64) {
        self.out.extend_from_slice(&long.to_le_bytes());
    }

    /// Bytes as they are; who reads them must know how many they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// A text with its length.
    pub fn text(&mut self, text: &str) {
        self.size(text.len());
        self.raw(text.as_bytes());
    }

    /// Zeros up to a multiple of `align` bytes.
    pub fn align(&mut self, align: usize) {
        let len = self.out.len().next_multiple_of(align);
        self.out.resize(len, 0);
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }
}

/// What is read. All methods fail with DATA_LOSS where the bytes are not what was written.
#[derive(Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// From the first byte on.
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, at: 0 }
    }

    /// An error at this place.
    pub fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::data_loss(format!("{what} at byte {}", self.at))
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Bytes that were read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Some bytes.
    ///
    /// # Errors
    /// DATA_LOSS when there are not as many.
    pub fn raw(&mut self, count: usize) -> Result<&'b [u8]> {
        let end = self.at.checked_add(count);
        let bytes = end.and_then(|end| self.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| self.wrong("the end is missing"))?;
        self.at += count;
        Ok(bytes)
    }

    /// A byte.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.wrong("the end is missing"))?;
        self.at += 1;
        Ok(byte)
    }

    /// A byte that is 0 or 1.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn flag(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.wrong(format_args!("a flag of {other}"))),
        }
    }

    /// A number in its shortest form.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for i in 0..NUMBER_BYTES_MAX {
            let byte = self.byte()?;
            if i == NUMBER_BYTES_MAX - 1 && byte > 1 || i > 0 && byte == 0 {
                return Err(self.wrong("a number in a form that is not used"));
            }
            number |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.wrong("a number that does not end"))
    }

    /// A size.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn size(&mut self) -> Result<usize> {
        let number = self.number()?;
        usize::try_from(number).map_err(|_| self.wrong(format_args!("a size of {number}")))
    }

    /// A number with a sign.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn signed(&mut self) -> Result<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A stride.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn stride(&mut self) -> Result<isize> {
        let number = self.signed()?;
        isize::try_from(number).map_err(|_| self.wrong(format_args!("a stride of {number}")))
    }

    /// A number of four bytes.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn word(&mut self) -> Result<u32> {
        let mut word = [0; 4];
        word.copy_from_slice(self.raw(4)?);
        Ok(u32::from_le_bytes(word))
    }

    /// A number of eight bytes.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn long(&mut self) -> Result<u64> {
        let mut long = [0; 8];
        long.copy_from_slice(self.raw(8)?);
        Ok(u64::from_le_bytes(long))
    }

    /// The length of a list whose items have at least `item` bytes each.
    ///
    /// # Errors
    /// DATA_LOSS when there is no room for as many.
    pub fn count(&mut self, item: usize) -> Result<usize> {
        let count = self.size()?;
        if count > self.left() / item.max(1) {
            return Err(self.wrong(format_args!("a list of {count} items that are not there")));
        }
        Ok(count)
    }

    /// A number below `end`.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn below(&mut self, end: usize, what: &str) -> Result<usize> {
        let number = self.size()?;
        if number >= end {
            return Err(self.wrong(format_args!("there is no {what} {number}")));
        }
        Ok(number)
    }

    /// A text with its length.
    ///
    /// # Errors
    /// DATA_LOSS.
    pub fn text(&mut self) -> Result<&'b str> {
        let count = self.count(1)?;
        let bytes = self.raw(count)?;
        std::str::from_utf8(bytes).map_err(|_| self.wrong("a text that is not UTF-8"))
    }

    /// Skips zeros up to a multiple of `align` bytes.
    ///
    /// # Errors
    /// DATA_LOSS for other bytes.
    pub fn align(&mut self, align: usize) -> Result<()> {
        let skipped = self.at.next_multiple_of(align) - self.at;
        if self.raw(skipped)?.iter().any(|&byte| byte != 0) {
            return Err(self.wrong("bytes between two pieces"));
        }
        Ok(())
    }

    /// Nothing is left.
    ///
    /// # Errors
    /// DATA_LOSS when something is.
    pub fn end(&self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            more => Err(self.wrong(format_args!("{more} bytes too many"))),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_have_one_form() {
        let numbers = [0, 1, 127, 128, 300, 1 << 35, u64::MAX >> 1, u64::MAX];
        let signed = [0, -1, 1, 63, -64, 64, i64::MAX, i64::MIN];
        let mut writer = Writer::new();
        numbers.iter().for_each(|&n| writer.number(n));
        signed.iter().for_each(|&n| writer.signed(n));
        let bytes = writer.into_bytes();
        let mut reader = Reader::new(&bytes);
        numbers.iter().for_each(|&n| assert_eq!(reader.number().unwrap(), n));
        signed.iter().for_each(|&n| assert_eq!(reader.signed().unwrap(), n));
        reader.end().unwrap();
        assert!(Reader::new(&[0x80, 0]).number().is_err());
        assert!(Reader::new(&[0x80]).number().is_err());
        assert!(Reader::new(&[0xff; 12]).number().is_err());
        let too_large = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        assert!(Reader::new(&too_large).number().is_err());
    }

    #[test]
    fn lists_are_not_longer_than_their_bytes() {
        assert!(Reader::new(&[3, 0, 0]).count(1).is_err());
        assert_eq!(Reader::new(&[2, 0, 0]).count(1).unwrap(), 2);
        assert!(Reader::new(&[2, 0, 0]).count(2).is_err());
        assert!(Reader::new(&[2, 0xc3, 0x28]).text().is_err());
        assert!(Reader::new(&[2]).flag().is_err());
    }
}
