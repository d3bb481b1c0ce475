//! Stored arrays to tensors: which element type a name means, and how strings are stored.

use anyhow::{Context, Result, bail, ensure};
use tfjit_base::{DType, Shape, Tensor};

use super::npz::{Array, Arrays};

/// The element types by the names that manifests use.
const NAMES: &[(&str, DType)] = &[
    ("bool", DType::Bool),
    ("int4", DType::I4),
    ("int8", DType::I8),
    ("int16", DType::I16),
    ("int32", DType::I32),
    ("int64", DType::I64),
    ("uint4", DType::U4),
    ("uint8", DType::U8),
    ("uint16", DType::U16),
    ("uint32", DType::U32),
    ("uint64", DType::U64),
    ("qint8", DType::I8),
    ("qint16", DType::I16),
    ("qint32", DType::I32),
    ("quint8", DType::U8),
    ("quint16", DType::U16),
    ("float8_e4m3fn", DType::F8E4M3FN),
    ("float8_e4m3fnuz", DType::F8E4M3FNUZ),
    ("float8_e4m3b11fnuz", DType::F8E4M3B11FNUZ),
    ("float8_e5m2", DType::F8E5M2),
    ("float8_e5m2fnuz", DType::F8E5M2FNUZ),
    ("bfloat16", DType::BF16),
    ("float16", DType::F16),
    ("half", DType::F16),
    ("float32", DType::F32),
    ("float64", DType::F64),
    ("complex64", DType::C64),
    ("complex128", DType::C128),
    ("string", DType::String),
];

/// The element type called `name` in manifests.
pub(crate) fn dtype(name: &str) -> Result<DType> {
    let row = NAMES.iter().find(|(known, _)| *known == name);
    row.map(|(_, dtype)| *dtype).with_context(|| format!("element type `{name}`"))
}

/// The array `name` of `arrays` as a tensor of the element type `of` and, where the array does
/// not tell, the shape `dims`.
pub(crate) fn tensor(arrays: &Arrays, name: &str, of: &str, dims: &[usize]) -> Result<Tensor> {
    let array = arrays.get(name).with_context(|| format!("no array `{name}`"))?;
    let dtype = dtype(of).with_context(|| name.to_owned())?;
    from_array(array, dtype, dims).with_context(|| name.to_owned())
}

/// The element type that an array has when nothing else is said.
pub(crate) fn own_dtype(array: &Array) -> Result<DType> {
    Ok(match array.descr.as_str() {
        "|b1" => DType::Bool,
        "|i1" => DType::I8,
        "<i2" => DType::I16,
        "<i4" => DType::I32,
        "<i8" => DType::I64,
        "|u1" => DType::U8,
        "<u2" => DType::U16,
        "<u4" => DType::U32,
        "<u8" => DType::U64,
        "<f2" => DType::F16,
        "<f4" => DType::F32,
        "<f8" => DType::F64,
        "<c8" => DType::C64,
        "<c16" => DType::C128,
        text if text.starts_with("|S") => DType::String,
        text => bail!("array type {text}"),
    })
}

/// `array` as a tensor.
pub(crate) fn from_array(array: &Array, dtype: DType, dims: &[usize]) -> Result<Tensor> {
    if dtype != DType::String {
        let size = array.item_size()?;
        ensure!(size == dtype.size(), "{} does not hold {dtype}", array.descr);
        return Ok(Tensor::from_raw(dtype, Shape::new(&array.shape), &array.data)?);
    }
    if array.descr.starts_with("|S") {
        return fixed_strings(array);
    }
    ensure!(array.descr == "|u1", "{} does not hold strings", array.descr);
    Ok(Tensor::strings(Shape::new(dims), counted_strings(&array.data)?)?)
}

/// Strings of a fixed width, with the zero bytes that pad them cut off.
fn fixed_strings(array: &Array) -> Result<Tensor> {
    let (width, n) = (array.item_size()?, array.shape.iter().product::<usize>());
    let strings = (0..n).map(|i| {
        let padded = &array.data[i * width..(i + 1) * width];
        let end = padded.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        padded[..end].to_vec()
    });
    Ok(Tensor::strings(Shape::new(&array.shape), strings.collect())?)
}

/// Strings with a 32-bit length in front of each.
fn counted_strings(mut data: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut out = Vec::new();
    while !data.is_empty() {
        let (length, rest) = data.split_first_chunk::<4>().context("cut short")?;
        let length = u32::from_le_bytes(*length) as usize;
        let (string, rest) = rest.split_at_checked(length).context("cut short")?;
        out.push(string.to_vec());
        data = rest;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(descr: &str, shape: &[usize], data: &[u8]) -> Array {
        Array { descr: descr.to_owned(), shape: shape.to_vec(), data: data.to_vec() }
    }

    #[test]
    fn bits_become_bfloat16() {
        let tensor = from_array(&array("<u2", &[1], &[0x80, 0x3f]), DType::BF16, &[]).unwrap();
        assert_eq!(tensor.to_f64s().unwrap(), [1.0]);
        assert!(from_array(&array("<u2", &[1], &[0, 0]), DType::F32, &[1]).is_err());
    }

    #[test]
    fn both_string_forms() {
        let fixed = from_array(&array("|S3", &[2], b"ab\0\0\0\0"), DType::String, &[]).unwrap();
        assert_eq!(fixed.as_strings().unwrap(), [b"ab".to_vec(), Vec::new()]);
        let data = [2, 0, 0, 0, b'h', b'i', 0, 0, 0, 0];
        let counted = from_array(&array("|u1", &[10], &data), DType::String, &[2, 1]).unwrap();
        assert_eq!(counted.as_strings().unwrap(), [b"hi".to_vec(), Vec::new()]);
        assert_eq!(counted.shape(), &Shape::new(&[2, 1]));
        assert!(counted_strings(&data[..5]).is_err());
    }

    #[test]
    fn names_and_array_types() {
        assert_eq!(dtype("float8_e5m2").unwrap(), DType::F8E5M2);
        assert!(dtype("float9").is_err());
        assert_eq!(own_dtype(&array("<c16", &[], &[])).unwrap(), DType::C128);
        assert!(own_dtype(&array("|O", &[], &[])).is_err());
    }
}
