//! The wire's building blocks, for writers that go by schema instead of by prost's types.
//!
//! It must not know messages.

/// The wire type of varints.
pub const VARINT: u32 = 0;
/// The wire type of 8 bytes.
pub const FIXED64: u32 = 1;
/// The wire type of a length and so many bytes.
pub const BYTES: u32 = 2;
/// The wire type of 4 bytes.
pub const FIXED32: u32 = 5;

/// Writes the key of a field.
pub fn head(number: u32, wire: u32, out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | wire), out);
}

/// Writes a base-128 number, low groups first.
pub fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
