//! The small numbers of the checkpoint format: varints and masked checksums.
//!
//! It must not know blocks or entries.

use tfjit_base::{Error, Result};

/// Added to a rotated checksum, so that data which holds checksums does not checksum to itself.
const MASK_DELTA: u32 = 0xa282_ead8;

/// CRC-32C as the format stores it: rotated right by 15 bits, plus a constant.
pub(super) fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// The masked CRC-32C of `bytes`.
pub(super) fn masked_crc(bytes: &[u8]) -> u32 {
    mask(crc32c::crc32c(bytes))
}

/// Reads from the front of a byte slice; never past its end.
#[derive(Clone)]
pub(super) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor(bytes)
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count).ok_or_else(|| {
            let left = self.0.len();
            Error::data_loss(format!("{count} bytes are wanted where {left} are left"))
        })?;
        self.0 = tail;
        Ok(head)
    }

    pub(super) fn fixed32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes were taken")))
    }

    pub(super) fn fixed64(&mut self) -> Result<u64> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes were taken")))
    }

    pub(super) fn varint64(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for (i, &byte) in self.0.iter().enumerate() {
            let group = u64::from(byte & 0x7f);
            // The tenth byte holds the last of 64 bits.
            if i > 9 || (i == 9 && group > 1) {
                return Err(Error::data_loss("a number of variable length passes 64 bits"));
            }
            value |= group << (7 * i);
            if byte < 0x80 {
                self.0 = &self.0[i + 1..];
                return Ok(value);
            }
        }
        Err(Error::data_loss("a number of variable length does not end"))
    }

    pub(super) fn varint32(&mut self) -> Result<usize> {
        let value = self.varint64()?;
        u32::try_from(value)
            .map(|v| v as usize)
            .map_err(|_| Error::data_loss(format!("the length {value} passes 32 bits")))
    }
}

#[cfg(test)]
mod tests {
    use tfjit_proto::wire;

    use super::*;

    #[test]
    fn varints_round_trip() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), 1 << 63, u64::MAX] {
            let mut bytes = Vec::new();
            wire::varint(value, &mut bytes);
            let mut cursor = Cursor::new(&bytes);
            assert_eq!(cursor.varint64().unwrap(), value);
            assert!(cursor.rest().is_empty());
        }
    }

    #[test]
    fn overlong_and_open_varints_are_refused() {
        for bytes in [&[0xff; 11][..], &[0x80; 3], &[], &{
            let mut b = [0xff; 10];
            b[9] = 2;
            b
        }] {
            assert!(Cursor::new(bytes).varint64().is_err(), "{bytes:?}");
        }
        assert!(Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint32().is_err());
    }

    #[test]
    fn checksums_are_masked() {
        // The check value of CRC-32C, rotated and shifted by hand.
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(masked_crc(b"123456789"), 0x2507_c60du32.wrapping_add(0xa282_ead8));
        assert_eq!(masked_crc(b""), 0xa282_ead8);
    }
}
