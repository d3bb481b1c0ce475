//! TensorFlow's numbering and naming of element types, mapped to the house's.
//!
//! It must not know tensors. Quantised types are seen as the integers they are stored in;
//! reference types (TensorFlow 1 variables) as what they refer to.

use tfjit_base::DType;
use tfjit_proto::tensorflow::DataType as TfType;

/// The numbers of reference types start here: `DT_FLOAT_REF` is `DT_FLOAT` + 100.
const REF_OFFSET: i32 = 100;

/// The element type a tensor of this TensorFlow type holds; `None` for resources, variants and
/// `DT_INVALID`. Quantised types map to integers, reference types to what they refer to.
pub fn dtype(tftype: TfType) -> Option<DType> {
    use TfType::*;
    Some(match base_type(tftype) {
        DtBool => DType::Bool,
        DtInt2 => DType::I2,
        DtInt4 => DType::I4,
        DtInt8 | DtQint8 => DType::I8,
        DtInt16 | DtQint16 => DType::I16,
        DtInt32 | DtQint32 => DType::I32,
        DtInt64 => DType::I64,
        DtUint2 => DType::U2,
        DtUint4 => DType::U4,
        DtUint8 | DtQuint8 => DType::U8,
        DtUint16 | DtQuint16 => DType::U16,
        DtUint32 => DType::U32,
        DtUint64 => DType::U64,
        DtFloat4E2m1fn => DType::F4E2M1FN,
        DtFloat8E4m3fn => DType::F8E4M3FN,
        DtFloat8E4m3fnuz => DType::F8E4M3FNUZ,
        DtFloat8E4m3b11fnuz => DType::F8E4M3B11FNUZ,
        DtFloat8E5m2 => DType::F8E5M2,
        DtFloat8E5m2fnuz => DType::F8E5M2FNUZ,
        DtBfloat16 => DType::BF16,
        DtHalf => DType::F16,
        DtFloat => DType::F32,
        DtDouble => DType::F64,
        DtComplex64 => DType::C64,
        DtComplex128 => DType::C128,
        DtString => DType::String,
        _ => return None,
    })
}

/// The TensorFlow type of an element type; `DT_INVALID` for the few narrow floats TensorFlow
/// does not have.
pub fn tf_type(dtype: DType) -> TfType {
    use TfType::*;
    match dtype {
        DType::Bool => DtBool,
        DType::I2 => DtInt2,
        DType::I4 => DtInt4,
        DType::I8 => DtInt8,
        DType::I16 => DtInt16,
        DType::I32 => DtInt32,
        DType::I64 => DtInt64,
        DType::U2 => DtUint2,
        DType::U4 => DtUint4,
        DType::U8 => DtUint8,
        DType::U16 => DtUint16,
        DType::U32 => DtUint32,
        DType::U64 => DtUint64,
        DType::F4E2M1FN => DtFloat4E2m1fn,
        DType::F8E4M3FN => DtFloat8E4m3fn,
        DType::F8E4M3FNUZ => DtFloat8E4m3fnuz,
        DType::F8E4M3B11FNUZ => DtFloat8E4m3b11fnuz,
        DType::F8E5M2 => DtFloat8E5m2,
        DType::F8E5M2FNUZ => DtFloat8E5m2fnuz,
        DType::BF16 => DtBfloat16,
        DType::F16 => DtHalf,
        DType::F32 => DtFloat,
        DType::F64 => DtDouble,
        DType::C64 => DtComplex64,
        DType::C128 => DtComplex128,
        DType::String => DtString,
        DType::F6E2M3FN | DType::F6E3M2FN | DType::F8E3M4 | DType::F8E4M3 | DType::F8E8M0FNU => {
            DtInvalid
        }
    }
}

/// TensorFlow's name in capitals: `DT_FLOAT`, `DT_FLOAT_REF`.
pub fn tf_name(tftype: TfType) -> &'static str {
    tftype.as_str_name()
}

/// The lower-case name that op definitions use: `float`, `int32`, `resource`.
pub fn op_def_name(tftype: TfType) -> String {
    tftype.as_str_name()[3..].to_ascii_lowercase()
}

/// The type that op definitions call `name`: `float`, `half`, `qint8`.
pub fn from_op_def_name(name: &str) -> Option<TfType> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        return None;
    }
    TfType::from_str_name(&format!("DT_{}", name.to_ascii_uppercase()))
}

/// Whether the type is a reference to a variable's buffer.
pub fn is_ref(tftype: TfType) -> bool {
    tftype as i32 > REF_OFFSET
}

/// The type without the reference.
pub fn base_type(tftype: TfType) -> TfType {
    if !is_ref(tftype) {
        return tftype;
    }
    TfType::try_from(tftype as i32 - REF_OFFSET).unwrap_or(tftype)
}

/// The reference to this type.
pub fn ref_type(tftype: TfType) -> TfType {
    if is_ref(tftype) {
        return tftype;
    }
    TfType::try_from(tftype as i32 + REF_OFFSET).unwrap_or(tftype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_types_round_trip() {
        for d in DType::ALL {
            let t = tf_type(d);
            if t != TfType::DtInvalid {
                assert_eq!(dtype(t), Some(d));
                assert_eq!(dtype(ref_type(t)), Some(d));
                assert_eq!(from_op_def_name(&op_def_name(t)), Some(t));
            }
        }
        assert_eq!(dtype(TfType::DtQuint8), Some(DType::U8));
        assert_eq!(dtype(TfType::DtResource), None);
    }

    #[test]
    fn references_are_offset() {
        assert_eq!(ref_type(TfType::DtInt2), TfType::DtInt2Ref);
        assert_eq!(base_type(TfType::DtStringRef), TfType::DtString);
        assert!(!is_ref(TfType::DtFloat4E2m1fn));
        assert_eq!(tf_name(TfType::DtHalf), "DT_HALF");
        assert_eq!(from_op_def_name("Float"), None);
    }
}
