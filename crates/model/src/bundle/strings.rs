//! String tensors in a checkpoint's data file.
//!
//! The lengths as varints, the masked checksum of the lengths (4 bytes), the strings one after the
//! other. Checksums cover a length as a 32-bit word (64 bits where it needs them), not as varint.
//! It must not know files.

use tfjit_base::{Error, Result};
use tfjit_proto::wire;

use super::coding::{Cursor, mask};

fn length_crc(crc: u32, length: u64) -> u32 {
    match u32::try_from(length) {
        Ok(short) => crc32c::crc32c_append(crc, &short.to_le_bytes()),
        Err(_) => crc32c::crc32c_append(crc, &length.to_le_bytes()),
    }
}

/// The `count` strings in `bytes`; `crc` is the masked checksum of everything, if to be checked.
///
/// # Errors
/// DATA_LOSS when lengths and bytes do not agree or a checksum is wrong.
pub(super) fn decode(bytes: &[u8], count: usize, crc: Option<u32>) -> Result<Vec<Vec<u8>>> {
    // A length takes a byte at least: `count` is bounded by the file before we allocate.
    if bytes.len().saturating_sub(4) < count {
        return Err(Error::data_loss(format!("{} bytes cannot hold {count} strings", bytes.len())));
    }
    let mut cursor = Cursor::new(bytes);
    let mut lengths = Vec::with_capacity(count);
    let mut sum = 0;
    for _ in 0..count {
        let length = cursor.varint64()?;
        sum = length_crc(sum, length);
        lengths.push(length);
    }
    let stored = cursor.fixed32()?;
    if stored != mask(sum) {
        return Err(Error::data_loss("the lengths of the strings fail their checksum"));
    }
    sum = crc32c::crc32c_append(sum, &stored.to_le_bytes());
    if crc.is_some_and(|crc| crc != mask(crc32c::crc32c_append(sum, cursor.rest()))) {
        return Err(Error::data_loss("the strings fail their checksum"));
    }
    let mut strings = Vec::with_capacity(count);
    for length in lengths {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        strings.push(cursor.take(length)?.to_vec());
    }
    match cursor.rest().len() {
        0 => Ok(strings),
        left => Err(Error::data_loss(format!("{left} bytes are left behind the last string"))),
    }
}

/// The bytes of a string tensor and their masked checksum.
pub(super) fn encode(strings: &[Vec<u8>]) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    let mut sum = 0;
    for s in strings {
        wire::varint(s.len() as u64, &mut out);
        sum = length_crc(sum, s.len() as u64);
    }
    let lengths = mask(sum).to_le_bytes();
    out.extend_from_slice(&lengths);
    let start = out.len();
    for s in strings {
        out.extend_from_slice(s);
    }
    sum = crc32c::crc32c_append(crc32c::crc32c_append(sum, &lengths), &out[start..]);
    (out, mask(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What TensorFlow 2.21 wrote for `["a", "bcd", ""]`.
    const THREE: &[u8] = b"\x01\x03\0\x83m\x8cnabcd";

    #[test]
    fn strings_are_tensorflows() {
        let values = [b"a".to_vec(), b"bcd".to_vec(), Vec::new()];
        let (bytes, crc) = encode(&values);
        assert_eq!(bytes, THREE);
        assert_eq!(crc, u32::from_le_bytes(*b"@\xa8\xf4\xfa"));
        assert_eq!(decode(THREE, 3, Some(crc)).unwrap(), values);
        assert_eq!(encode(&[]), (b"\xd8\xea\x82\xa2".to_vec(), 0x640c_c1f6));
        assert_eq!(
            decode(b"\xd8\xea\x82\xa2", 0, Some(0x640c_c1f6)).unwrap(),
            Vec::<Vec<u8>>::new()
        );
    }

    #[test]
    fn broken_strings_are_refused() {
        let (_, crc) = encode(&[b"a".to_vec(), b"bcd".to_vec(), Vec::new()]);
        for i in 0..THREE.len() {
            let mut bytes = THREE.to_vec();
            bytes[i] ^= 0x20;
            assert!(decode(&bytes, 3, Some(crc)).is_err(), "byte {i}");
            assert!(decode(&THREE[..i], 3, Some(crc)).is_err(), "cut at {i}");
        }
        let huge = [b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".as_slice(), &[0; 4]].concat();
        assert!(decode(&huge, 1, None).is_err());
        assert!(decode(b"abc", usize::MAX, None).is_err());
    }
}
