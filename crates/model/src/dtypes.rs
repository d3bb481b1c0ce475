//! TensorFlow's element types by number and name, and what they are here.
//!
//! One row a type; it must not know where the numbers come from. Quantised integers are the plain
//! integers they are stored as.

use tfjit_base::DType;

/// One of TensorFlow's element types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The number in `DataType`.
    pub number: i32,
    /// The name in `DataType`.
    pub name: &'static str,
    /// The element type, or `None` for what a plain tensor cannot hold.
    pub dtype: Option<DType>,
}

impl Row {
    /// Whether it is one of the `DT_QINT` or `DT_QUINT` types.
    pub const fn is_quantised(&self) -> bool {
        matches!(self.number, 11..=13 | 15..=16)
    }
}

const fn row(number: i32, name: &'static str, dtype: DType) -> Row {
    Row { number, name, dtype: Some(dtype) }
}

/// Numbers of reference types lie this far above their value types.
pub const REF_OFFSET: i32 = 100;

/// All value types, in the order of their numbers.
pub const ROWS: &[Row] = &[
    row(1, "DT_FLOAT", DType::F32),
    row(2, "DT_DOUBLE", DType::F64),
    row(3, "DT_INT32", DType::I32),
    row(4, "DT_UINT8", DType::U8),
    row(5, "DT_INT16", DType::I16),
    row(6, "DT_INT8", DType::I8),
    row(7, "DT_STRING", DType::String),
    row(8, "DT_COMPLEX64", DType::C64),
    row(9, "DT_INT64", DType::I64),
    row(10, "DT_BOOL", DType::Bool),
    row(11, "DT_QINT8", DType::I8),
    row(12, "DT_QUINT8", DType::U8),
    row(13, "DT_QINT32", DType::I32),
    row(14, "DT_BFLOAT16", DType::BF16),
    row(15, "DT_QINT16", DType::I16),
    row(16, "DT_QUINT16", DType::U16),
    row(17, "DT_UINT16", DType::U16),
    row(18, "DT_COMPLEX128", DType::C128),
    row(19, "DT_HALF", DType::F16),
    Row { number: 20, name: "DT_RESOURCE", dtype: None },
    Row { number: 21, name: "DT_VARIANT", dtype: None },
    row(22, "DT_UINT32", DType::U32),
    row(23, "DT_UINT64", DType::U64),
    row(24, "DT_FLOAT8_E5M2", DType::F8E5M2),
    row(25, "DT_FLOAT8_E4M3FN", DType::F8E4M3FN),
    row(26, "DT_FLOAT8_E4M3FNUZ", DType::F8E4M3FNUZ),
    row(27, "DT_FLOAT8_E4M3B11FNUZ", DType::F8E4M3B11FNUZ),
    row(28, "DT_FLOAT8_E5M2FNUZ", DType::F8E5M2FNUZ),
    row(29, "DT_INT4", DType::I4),
    row(30, "DT_UINT4", DType::U4),
    row(31, "DT_INT2", DType::I2),
    row(32, "DT_UINT2", DType::U2),
    row(33, "DT_FLOAT4_E2M1FN", DType::F4E2M1FN),
];

/// The row of a number; reference types give the row of their value type.
pub fn by_number(number: i32) -> Option<&'static Row> {
    let plain = if number > REF_OFFSET { number - REF_OFFSET } else { number };
    ROWS.iter().find(|row| row.number == plain)
}

/// The row of a name such as `DT_FLOAT`.
pub fn by_name(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// The row that an element type is written as; `None` for types TensorFlow lacks.
pub fn by_dtype(dtype: DType) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.dtype == Some(dtype) && !row.is_quantised())
}

/// What to call a number in a message: its name, or the number.
pub fn show(number: i32) -> String {
    match by_number(number) {
        Some(row) if number > REF_OFFSET => format!("{}_REF", row.name),
        Some(row) => row.name.to_owned(),
        None => format!("element type {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_complete() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.number as usize, i + 1);
            assert_eq!(by_name(row.name), Some(row));
        }
    }

    #[test]
    fn written_types_are_never_quantised() {
        for dtype in DType::ALL {
            if let Some(row) = by_dtype(dtype) {
                assert_eq!(row.dtype, Some(dtype));
                assert!(!row.name.starts_with("DT_Q"), "{}", row.name);
            }
        }
        assert_eq!(by_dtype(DType::U16).map(|r| r.number), Some(17));
        assert_eq!(by_dtype(DType::F8E3M4), None);
    }

    #[test]
    fn reference_types_are_their_values() {
        assert_eq!(by_number(101).and_then(|r| r.dtype), Some(DType::F32));
        assert_eq!(show(107), "DT_STRING_REF");
        assert_eq!(show(100), "element type 100");
        assert!(by_number(0).is_none() && by_number(-1).is_none());
    }
}
