//! `.npy` files: one array each.

use tfjit_base::{AlignedBytes, DType, Error, Result, Shape, Tensor, limits};

use super::header::{self, Header, Stored};

/// Strings of length 0 take no room in the file, so their number is bounded by itself.
const EMPTY_STRINGS_MAX: usize = 1 << 20;

/// The array in `bytes`. Elements without a meaning to NumPy (`V2`) are taken for `raw` if that
/// is a type NumPy lacks.
///
/// # Errors
/// INVALID_ARGUMENT for a broken file or pickled objects, UNIMPLEMENTED for element types that
/// are none of ours, RESOURCE_EXHAUSTED above [`limits::INPUT_FILE_BYTES_MAX`].
pub(crate) fn read_npy(bytes: &[u8], raw: Option<DType>) -> Result<Tensor> {
    let header = header::parse(bytes)?;
    let size = header.shape.elements().saturating_mul(header.stored.size());
    let claimed = if header.stored.size() == 0 { header.shape.elements() } else { size };
    if claimed as u64 > limits::INPUT_FILE_BYTES_MAX || (size == 0 && claimed > EMPTY_STRINGS_MAX) {
        return Err(Error::resource_exhausted(format!("an array of shape {}", header.shape)));
    }
    let Some(data) = bytes.get(header.data_at..).and_then(|rest| rest.get(..size)) else {
        return Err(Error::data_loss(format!(
            "the .npy file is cut short: shape {} takes {size} bytes, there are {}",
            header.shape,
            bytes.len() - header.data_at
        )));
    };
    let tensor = elements(&header, data, raw)?;
    if header.fortran_order { transposed(&tensor) } else { Ok(tensor) }
}

fn elements(header: &Header, data: &[u8], raw: Option<DType>) -> Result<Tensor> {
    let shape = header.shape.clone();
    match header.stored {
        Stored::Plain { dtype, big_endian } => {
            let mut bytes = AlignedBytes::copy_of(data)?;
            if big_endian {
                // Complex numbers are two numbers, each swapped by itself.
                for number in bytes.as_mut().chunks_exact_mut(dtype.real().size()) {
                    number.reverse();
                }
            }
            if dtype == DType::Bool {
                bytes.as_mut().iter_mut().for_each(|b| *b = u8::from(*b != 0));
            }
            Tensor::new(dtype, shape, bytes)
        }
        Stored::Bytes(0) | Stored::Unicode { chars: 0, .. } => Tensor::zeros(DType::String, shape),
        Stored::Bytes(n) => {
            Tensor::strings(shape, data.chunks_exact(n).map(|s| trimmed(s).to_vec()).collect())
        }
        Stored::Unicode { chars, big_endian } => {
            let strings = data.chunks_exact(chars * 4).map(|s| utf8(s, big_endian));
            Tensor::strings(shape, strings.collect::<Result<_>>()?)
        }
        Stored::Raw(n) => match raw.or((n == 2).then_some(DType::BF16)) {
            Some(dtype) if dtype.size() == n && dtype != DType::String => {
                Tensor::from_raw(dtype, shape, data)
            }
            _ => Err(Error::unimplemented(format!(
                "arrays of {n} bytes an element without a type cannot be read"
            ))),
        },
    }
}

/// Without the zeros that pad it.
fn trimmed(string: &[u8]) -> &[u8] {
    let len = string.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    &string[..len]
}

fn utf8(units: &[u8], big_endian: bool) -> Result<Vec<u8>> {
    let mut text = String::new();
    let mut zeros = 0;
    for unit in units.chunks_exact(4) {
        let bytes = [unit[0], unit[1], unit[2], unit[3]];
        let code = if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        if code == 0 {
            zeros += 1;
            continue;
        }
        text.extend(std::iter::repeat_n('\0', std::mem::take(&mut zeros)));
        text.push(char::from_u32(code).ok_or_else(|| {
            Error::invalid_argument(format!("a string of the array holds no character {code:#x}"))
        })?);
    }
    Ok(text.into_bytes())
}

/// The row-major tensor of a column-major one, whose shape is already that of the result.
fn transposed(tensor: &Tensor) -> Result<Tensor> {
    let shape = tensor.shape().clone();
    let order = column_major_order(&shape);
    if let Some(strings) = tensor.as_strings() {
        return Tensor::strings(shape, order.map(|i| strings[i].clone()).collect());
    }
    let size = tensor.dtype().size();
    let mut bytes = AlignedBytes::zeroed(tensor.bytes().len())?;
    for (to, from) in bytes.as_mut().chunks_exact_mut(size).zip(order) {
        to.copy_from_slice(&tensor.bytes()[from * size..][..size]);
    }
    Tensor::new(tensor.dtype(), shape, bytes)
}

/// For each element in row-major order, its place in column-major order.
fn column_major_order(shape: &Shape) -> impl Iterator<Item = usize> + use<> {
    let dims = shape.dims().to_vec();
    let mut index = vec![0; dims.len()];
    (0..shape.elements()).map(move |_| {
        let mut stride = 1;
        let mut at = 0;
        for (i, d) in index.iter().zip(&dims) {
            at += i * stride;
            stride *= d;
        }
        for (i, d) in index.iter_mut().zip(&dims).rev() {
            *i += 1;
            if *i < *d {
                break;
            }
            *i = 0;
        }
        at
    })
}

/// The bytes of a `.npy` file. Strings become fixed-width bytes, so that no pickle is needed;
/// zeros at their end are lost, as always in NumPy's fixed-width strings.
pub(crate) fn write_npy(tensor: &Tensor) -> Vec<u8> {
    let Some(strings) = tensor.as_strings() else {
        let mut out = header::write(tensor.dtype(), tensor.shape(), 0);
        out.extend(tensor.bytes());
        return out;
    };
    let width = strings.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let mut out = header::write(DType::String, tensor.shape(), width);
    for s in strings {
        out.extend(s);
        out.resize(out.len() + width - s.len(), 0);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Npz;
    use super::super::zip::Archive;
    use super::*;

    const CASES: &[u8] = include_bytes!("../../tests/numpy/cases.npz");
    const LAYOUTS: &[u8] = include_bytes!("../../tests/numpy/layouts.npz");

    #[test]
    fn what_numpy_wrote_is_written_byte_for_byte() {
        let archive = Archive::open(CASES).unwrap();
        for entry in archive.entries() {
            let bytes = archive.read(entry).unwrap();
            let narrow = entry.name.contains("int4") || entry.name.contains("int2");
            let small = narrow || entry.name.contains("float8") || entry.name.contains("float4");
            let raw = small.then_some(DType::F8E4M3FN);
            let tensor = read_npy(&bytes, raw).unwrap();
            assert!(write_npy(&tensor) == bytes.as_ref(), "{}", entry.name);
        }
    }

    #[test]
    fn layouts_are_the_same_arrays() {
        let npz = Npz::open(LAYOUTS).unwrap();
        for name in npz.names() {
            let plain = format!("{}.plain", name.split('.').next().unwrap());
            assert_eq!(npz.read(name, None).unwrap(), npz.read(&plain, None).unwrap(), "{name}");
        }
    }

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn hostile_headers_are_refused() {
        let header = |descr: &str, shape: &str| {
            format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n")
        };
        assert!(read_npy(&file(&header("'<f4'", "(1,)"), &[0; 4]), None).is_ok());
        let too_big = "(4611686018427387904, 4611686018427387904)";
        for (descr, shape) in [
            ("'<f4'", "(2,)"),
            ("'<f4'", "(-1,)"),
            ("'<f4'", too_big),
            ("'|S0'", "(1099511627776,)"),
            ("'<U4611686018427387904'", "(4,)"),
            ("'<f4'", "(1.5,)"),
            ("'<f4'", "1"),
            ("'<f3'", "(1,)"),
            ("'|O'", "(1,)"),
            ("[('a', '<f4')]", "(1,)"),
            ("__import__('os')", "(1,)"),
            ("'<M8[s]'", "(1,)"),
            ("'<V3'", "(1,)"),
            ("''", "(1,)"),
        ] {
            assert!(read_npy(&file(&header(descr, shape), &[0; 4]), None).is_err(), "{descr}");
        }
        let e = read_npy(&file(&header("'|O'", "(1,)"), &[0; 4]), None).unwrap_err();
        assert!(e.hint().unwrap().contains("never read"));
        for bytes in [&b"\x93NUMPY\x09\x00\x04\x00"[..], b"\x93NUMPY\x02\x00\xff\xff\xff\xff", b""]
        {
            assert!(read_npy(bytes, None).is_err());
        }
    }

    #[test]
    fn damage_is_an_error_or_another_array() {
        let sound = write_npy(&Tensor::from_slice(Shape::new(&[2]), &[1.0f32, 2.0]).unwrap());
        for i in 0..sound.len() {
            for value in [0, 1, b'9', b'(', 0xff] {
                let mut broken = sound.clone();
                broken[i] = value;
                let _ = read_npy(&broken, None);
            }
            assert!(read_npy(&sound[..i], None).is_err(), "{i}");
        }
    }
}
