//! The header of a `.npy` file: a Python dictionary with element type, order and shape.

use tfjit_base::{DType, Error, Result, Shape};

use crate::python::{self, Literal};

/// Length of the text we read: NumPy itself stops at 10000 characters.
const HEADER_BYTES_MAX: usize = 1 << 16;

/// How elements are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stored {
    /// As the element type, little or big endian.
    Plain { dtype: DType, big_endian: bool },
    /// Byte strings of this length, padded with zeros.
    Bytes(usize),
    /// UTF-32 strings of this many characters, padded with zeros.
    Unicode { chars: usize, big_endian: bool },
    /// This many bytes without a meaning: what NumPy makes of types it does not know.
    Raw(usize),
}

impl Stored {
    /// Bytes one element takes in the file.
    pub(crate) fn size(self) -> usize {
        match self {
            Stored::Plain { dtype, .. } => dtype.size(),
            Stored::Bytes(n) | Stored::Raw(n) => n,
            Stored::Unicode { chars, .. } => chars.saturating_mul(4),
        }
    }
}

/// What the header says.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) stored: Stored,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Shape,
    /// Where the data begins.
    pub(crate) data_at: usize,
}

/// Reads the header at the start of `bytes`.
///
/// # Errors
/// INVALID_ARGUMENT for anything but versions 1 to 3 of the format, and for pickled objects.
pub(crate) fn parse(bytes: &[u8]) -> Result<Header> {
    let bad = |what: &str| Error::invalid_argument(format!("not a sound .npy file: {what}"));
    if !bytes.starts_with(super::NPY_MAGIC) {
        return Err(bad("it does not begin with \\x93NUMPY"));
    }
    let field = |at: usize| bytes.get(at).copied().map(usize::from);
    let short = || bad("its header is cut short");
    let (start, len) = match field(6).ok_or_else(short)? {
        1 => (10, field(8).zip(field(9)).map(|(a, b)| a | b << 8)),
        2 | 3 => {
            let word = bytes.get(8..12).and_then(|b| b.try_into().ok());
            (12, word.map(|w| u32::from_le_bytes(w) as usize))
        }
        version => return Err(bad(&format!("version {version} is unknown"))),
    };
    let len = len.ok_or_else(short)?;
    if len > HEADER_BYTES_MAX {
        return Err(bad(&format!("its header has {len} bytes")));
    }
    let data_at = start + len;
    let text = bytes.get(start..data_at).ok_or_else(short)?;
    let text = std::str::from_utf8(text).map_err(|_| bad("its header is no text"))?;
    let literal = python::parse(text, false).map_err(|e| bad(e.message()))?;
    let Literal::Dict(entries) = literal else { return Err(bad("its header is no dictionary")) };
    let get = |key: &str| {
        let found = entries.iter().find(|(k, _)| *k == Literal::Str(key.to_owned()));
        found.map(|(_, v)| v).ok_or_else(|| bad(&format!("its header lacks {key:?}")))
    };
    let stored = match get("descr")? {
        Literal::Str(descr) => parse_descr(descr)?,
        _ => return Err(Error::unimplemented("arrays of structures cannot be read")),
    };
    let fortran_order = match get("fortran_order")? {
        Literal::Bool(b) => *b,
        _ => return Err(bad("'fortran_order' is no truth value")),
    };
    let shape = parse_shape(get("shape")?).ok_or_else(|| bad("'shape' is no tuple of integers"))?;
    Ok(Header { stored, fortran_order, shape: Shape::from_i64(&shape)?, data_at })
}

fn parse_shape(literal: &Literal) -> Option<Vec<i64>> {
    let Literal::Tuple(items) = literal else { return None };
    items
        .iter()
        .map(|item| match item {
            Literal::Int(v) => i64::try_from(*v).ok(),
            _ => None,
        })
        .collect()
}

/// NumPy's kind and size of each element type it has.
const PLAIN: &[(char, usize, DType)] = &[
    ('b', 1, DType::Bool),
    ('i', 1, DType::I8),
    ('i', 2, DType::I16),
    ('i', 4, DType::I32),
    ('i', 8, DType::I64),
    ('u', 1, DType::U8),
    ('u', 2, DType::U16),
    ('u', 4, DType::U32),
    ('u', 8, DType::U64),
    ('f', 2, DType::F16),
    ('f', 4, DType::F32),
    ('f', 8, DType::F64),
    ('c', 8, DType::C64),
    ('c', 16, DType::C128),
    // What the extension types of TensorFlow's Python package call themselves.
    ('f', 1, DType::F8E5M2),
];

fn parse_descr(descr: &str) -> Result<Stored> {
    let unknown = || Error::unimplemented(format!("arrays of NumPy type {descr:?} cannot be read"));
    let (big_endian, rest) = match descr.as_bytes().first() {
        Some(b'>') => (true, &descr[1..]),
        Some(b'<' | b'|' | b'=') => (false, &descr[1..]),
        _ => (false, descr),
    };
    let kind = rest.chars().next().ok_or_else(unknown)?;
    if kind == 'O' {
        return Err(Error::invalid_argument("the array holds pickled Python objects").help(
            "pickles can run code and are never read; save strings as a fixed-width type: \
                   np.save(f, a.astype('S'))",
        ));
    }
    let size: usize = rest[kind.len_utf8()..].parse().map_err(|_| unknown())?;
    match kind {
        'S' | 'a' => Ok(Stored::Bytes(size)),
        'U' => Ok(Stored::Unicode { chars: size, big_endian }),
        'V' => Ok(Stored::Raw(size)),
        kind => PLAIN
            .iter()
            .find(|row| row.0 == kind && row.1 == size)
            .map(|row| Stored::Plain { dtype: row.2, big_endian })
            .ok_or_else(unknown),
    }
}

/// What NumPy calls the type; `string_len` is the length of the longest string.
fn descr(dtype: DType, string_len: usize) -> String {
    if dtype == DType::String {
        return format!("|S{}", string_len.max(1));
    }
    match PLAIN.iter().find(|row| row.2 == dtype) {
        Some((kind, 1, DType::F8E5M2)) => format!("<{kind}1"),
        Some((kind, 1, _)) => format!("|{kind}1"),
        Some((kind, size, _)) => format!("<{kind}{size}"),
        None => format!("<V{}", dtype.size()),
    }
}

/// Room that NumPy leaves for the first extent to grow in place.
const GROWTH_DIGITS: usize = 21;

/// Magic, version and header for data that follows in row-major order.
pub(crate) fn write(dtype: DType, shape: &Shape, string_len: usize) -> Vec<u8> {
    let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if dims.len() == 1 { "," } else { "" };
    let mut text = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        descr(dtype, string_len),
        dims.join(", ")
    );
    if let Some(first) = dims.first() {
        text.push_str(&" ".repeat(GROWTH_DIGITS.saturating_sub(first.len())));
    }
    let pad = 64 - (10 + text.len() + 1) % 64;
    text.push_str(&" ".repeat(pad));
    text.push('\n');
    let mut out = super::NPY_MAGIC.to_vec();
    out.extend([1, 0]);
    // A rank of at most 32 keeps the text far below 65536 bytes.
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.as_bytes());
    out
}
