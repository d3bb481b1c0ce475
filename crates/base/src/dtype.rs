//! Element types.
//!
//! One closed list for the whole house: everything a tensor can hold. It must not know how
//! TensorFlow numbers or names its types; `model` maps between the two.

use std::fmt;

/// The type of one tensor element.
///
/// Types narrower than a byte (`I2`, `U2`, `I4`, `U4` and the 4- and 6-bit floats) occupy one byte
/// an element, in its low bits; signed ones are sign-extended within that byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the variant names are the field's own names")]
pub enum DType {
    Bool,
    I2,
    I4,
    I8,
    I16,
    I32,
    I64,
    U2,
    U4,
    U8,
    U16,
    U32,
    U64,
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    BF16,
    F16,
    F32,
    F64,
    C64,
    C128,
    String,
}

/// The family an element type belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DTypeClass {
    /// `Bool`.
    Bool,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Floating-point types of all widths.
    Float,
    /// Complex numbers.
    Complex,
    /// Byte strings.
    String,
}

impl DType {
    /// All element types, in declaration order.
    pub const ALL: [DType; 31] = {
        use DType::*;
        [
            Bool,
            I2,
            I4,
            I8,
            I16,
            I32,
            I64,
            U2,
            U4,
            U8,
            U16,
            U32,
            U64,
            F4E2M1FN,
            F6E2M3FN,
            F6E3M2FN,
            F8E3M4,
            F8E4M3,
            F8E4M3FN,
            F8E4M3FNUZ,
            F8E4M3B11FNUZ,
            F8E5M2,
            F8E5M2FNUZ,
            F8E8M0FNU,
            BF16,
            F16,
            F32,
            F64,
            C64,
            C128,
            String,
        ]
    };

    /// Bytes one element occupies in memory; 0 for strings, which are not stored inline.
    pub const fn size(self) -> usize {
        use DType::*;
        match self {
            Bool | I2 | I4 | I8 | U2 | U4 | U8 | F4E2M1FN | F6E2M3FN | F6E3M2FN | F8E3M4
            | F8E4M3 | F8E4M3FN | F8E4M3FNUZ | F8E4M3B11FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0FNU => 1,
            I16 | U16 | BF16 | F16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 | C64 => 8,
            C128 => 16,
            String => 0,
        }
    }

    /// Significant bits of one element (1 for `Bool`, 4 for `I4`, 64 for `C64`); 0 for strings.
    pub const fn bits(self) -> usize {
        use DType::*;
        match self {
            Bool => 1,
            I2 | U2 => 2,
            I4 | U4 | F4E2M1FN => 4,
            F6E2M3FN | F6E3M2FN => 6,
            other => other.size() * 8,
        }
    }

    /// The family of the type.
    pub const fn class(self) -> DTypeClass {
        use DType::*;
        match self {
            Bool => DTypeClass::Bool,
            I2 | I4 | I8 | I16 | I32 | I64 => DTypeClass::Signed,
            U2 | U4 | U8 | U16 | U32 | U64 => DTypeClass::Unsigned,
            F4E2M1FN | F6E2M3FN | F6E3M2FN | F8E3M4 | F8E4M3 | F8E4M3FN | F8E4M3FNUZ
            | F8E4M3B11FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0FNU | BF16 | F16 | F32 | F64 => {
                DTypeClass::Float
            }
            C64 | C128 => DTypeClass::Complex,
            String => DTypeClass::String,
        }
    }

    /// Whether the type is a signed or unsigned integer (`Bool` is not).
    pub const fn is_int(self) -> bool {
        matches!(self.class(), DTypeClass::Signed | DTypeClass::Unsigned)
    }

    /// Whether the type is a signed integer.
    pub const fn is_signed_int(self) -> bool {
        matches!(self.class(), DTypeClass::Signed)
    }

    /// Whether the type is an unsigned integer.
    pub const fn is_unsigned_int(self) -> bool {
        matches!(self.class(), DTypeClass::Unsigned)
    }

    /// Whether the type is a real floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), DTypeClass::Float)
    }

    /// Whether the type is complex.
    pub const fn is_complex(self) -> bool {
        matches!(self.class(), DTypeClass::Complex)
    }

    /// The type of the real part: `F32` for `C64`, `F64` for `C128`, itself otherwise.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The lower-case name tfjit prints: `f32`, `i64`, `u8`, `bool`, `bf16`, `c64`, `string`.
    pub const fn name(self) -> &'static str {
        use DType::*;
        match self {
            Bool => "bool",
            I2 => "i2",
            I4 => "i4",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U2 => "u2",
            U4 => "u4",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            F4E2M1FN => "f4e2m1fn",
            F6E2M3FN => "f6e2m3fn",
            F6E3M2FN => "f6e3m2fn",
            F8E3M4 => "f8e3m4",
            F8E4M3 => "f8e4m3",
            F8E4M3FN => "f8e4m3fn",
            F8E4M3FNUZ => "f8e4m3fnuz",
            F8E4M3B11FNUZ => "f8e4m3b11fnuz",
            F8E5M2 => "f8e5m2",
            F8E5M2FNUZ => "f8e5m2fnuz",
            F8E8M0FNU => "f8e8m0fnu",
            BF16 => "bf16",
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
            C64 => "c64",
            C128 => "c128",
            String => "string",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_every_type_once() {
        let mut names: Vec<_> = DType::ALL.iter().map(|t| t.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), DType::ALL.len());
    }

    #[test]
    fn sizes_and_bits_agree() {
        for t in DType::ALL {
            assert!(t.bits() <= t.size() * 8, "{t}");
        }
    }
}
