//! Slices of tensors: how checkpoints and restore nodes write them, and what they cover.
//!
//! It must not know files. A slice says for each dimension either "all of it" or a start and a
//! length; as text `-` or `start,length`, joined by colons.

use std::fmt;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tfjit_base::{Error, Result, Shape};

/// A rectangle of elements: start and length for each dimension.
pub(super) type Region = SmallVec<[(usize, usize); 4]>;

/// A slice as written down; `None` stands for a whole dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Slice(SmallVec<[Option<(i64, i64)>; 4]>);

impl Slice {
    pub(super) fn new(extents: impl IntoIterator<Item = Option<(i64, i64)>>) -> Slice {
        Slice(extents.into_iter().collect())
    }

    /// The slice `text`, such as `0,2:-`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is neither.
    pub(super) fn parse(text: &str) -> Result<Slice> {
        text.split(':')
            .map(|part| {
                if part == "-" {
                    return Ok(None);
                }
                let pair = part.split_once(',');
                let pair = pair.and_then(|(s, l)| Some((s.parse().ok()?, l.parse().ok()?)));
                pair.map(Some).ok_or_else(|| {
                    Error::invalid_argument(format!(
                        "a slice is made of '-' or 'start,length', not of {part:?}"
                    ))
                })
            })
            .collect::<Result<_>>()
            .map(Slice)
    }

    /// Which elements of a tensor of `shape` it means.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when ranks differ or it leaves the tensor.
    pub(super) fn region(&self, shape: &Shape) -> Result<Region> {
        if self.0.len() != shape.rank() {
            return Err(Error::invalid_argument(format!(
                "the slice {self} does not have the rank of the shape {shape}"
            )));
        }
        let dims = self.0.iter().zip(shape.iter());
        dims.map(|(extent, &dim)| {
            let Some((start, length)) = *extent else { return Ok((0, dim)) };
            let range = usize::try_from(start).ok().zip(usize::try_from(length).ok());
            range
                .filter(|&(s, l)| l > 0 && s.checked_add(l).is_some_and(|end| end <= dim))
                .ok_or_else(|| {
                    Error::invalid_argument(format!(
                        "the slice {self} does not lie within the shape {shape}"
                    ))
                })
        })
        .collect()
    }

    /// The key under which a checkpoint stores this slice of the tensor `name`.
    ///
    /// An order-preserving code: 0, the name, the rank, and start and length of each dimension
    /// (0 and -1 for a whole one).
    pub(super) fn key(&self, name: &[u8]) -> Vec<u8> {
        let mut out = vec![0];
        put_string(name, &mut out);
        put_unsigned(self.0.len() as u64, &mut out);
        for extent in &self.0 {
            let (start, length) = extent.unwrap_or((0, -1));
            put_signed(start, &mut out);
            put_signed(length, &mut out);
        }
        out
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, extent) in self.0.iter().enumerate() {
            f.write_str(if i > 0 { ":" } else { "" })?;
            match extent {
                Some((start, length)) => write!(f, "{start},{length}")?,
                None => f.write_str("-")?,
            }
        }
        Ok(())
    }
}

/// Bytes, with 00 as 00 ff and ff as ff 00, closed by 00 01.
fn put_string(bytes: &[u8], out: &mut Vec<u8>) {
    for &byte in bytes {
        out.push(byte);
        match byte {
            0 => out.push(0xff),
            0xff => out.push(0),
            _ => {}
        }
    }
    out.extend_from_slice(&[0, 1]);
}

/// The number of significant bytes, then those bytes, high first.
fn put_unsigned(value: u64, out: &mut Vec<u8>) {
    let skip = value.leading_zeros() as usize / 8;
    out.push(8 - skip as u8);
    out.extend_from_slice(&value.to_be_bytes()[skip..]);
}

/// Seven value bits a byte: the first bits tell the length in ones (zeros for a negative number,
/// all bits being inverted), then a sign bit and the two's complement, high byte first.
fn put_signed(value: i64, out: &mut Vec<u8>) {
    let magnitude = if value < 0 { !value } else { value };
    let bits = 64 - magnitude.leading_zeros() as usize;
    // `length` ones, sign bit and value share `8 * length` bits; ten bytes hold any number.
    let length = bits / 7 + 1;
    let header = (0xffff_u16 << (16 - length)).to_be_bytes();
    let wide = i128::from(value).to_be_bytes();
    let start = out.len();
    out.extend_from_slice(&wide[wide.len() - length..]);
    for (byte, ones) in out[start..].iter_mut().zip(header) {
        *byte ^= ones;
    }
}

/// A restore node's `shape_and_slice`: the whole shape and the slice of it.
///
/// # Errors
/// INVALID_ARGUMENT when `text` is not `dim dim ... slice`.
pub(super) fn parse_spec(text: &str) -> Result<(Shape, Slice)> {
    let broken = || {
        Error::invalid_argument(format!("{text:?} does not give a shape and a slice"))
            .help("write the dimensions and the slice with spaces between, as in \"4 3 0,2:-\"")
    };
    let (dims, slice) = text.rsplit_once(' ').ok_or_else(broken)?;
    let dims: Option<Vec<i64>> = dims.split(' ').map(|d| d.parse().ok()).collect();
    Ok((Shape::from_i64(&dims.ok_or_else(broken)?)?, Slice::parse(slice)?))
}

/// The common part of two regions of one tensor, or `None` if they share no element.
pub(super) fn intersect(a: &Region, b: &Region) -> Option<Region> {
    a.iter()
        .zip(b)
        .map(|(&(s, l), &(t, m))| {
            let (start, end) = (s.max(t), (s + l).min(t + m));
            (start < end).then(|| (start, end - start))
        })
        .collect()
}

/// Dimensions along which tensors may be cut at once; real ones are cut along one or two.
const CUT_DIMS_MAX: usize = 6;

/// Whether `pieces`, none of them empty, cover `whole` and nothing twice.
///
/// Each rectangle is known by its corners, signed by the parity of ends among their coordinates:
/// a sum of rectangles is `whole` exactly when the sum of their signed corners is that of `whole`.
///
/// # Errors
/// UNIMPLEMENTED when they are cut along more than [`CUT_DIMS_MAX`] dimensions.
pub(super) fn tiles(whole: &Region, pieces: &[Region]) -> Result<bool> {
    let cut: SmallVec<[usize; 6]> =
        (0..whole.len()).filter(|&d| pieces.iter().any(|p| p[d] != whole[d])).collect();
    if cut.len() > CUT_DIMS_MAX {
        return Err(Error::unimplemented(format!(
            "a variable that is partitioned along more than {CUT_DIMS_MAX} dimensions"
        )));
    }
    let mut corners: FxHashMap<SmallVec<[usize; 6]>, i64> = FxHashMap::default();
    let mut add = |region: &Region, weight: i64| {
        for bits in 0..1usize << cut.len() {
            let at = cut.iter().enumerate().map(|(i, &d)| {
                let (start, length) = region[d];
                start + length * (bits >> i & 1)
            });
            let sign = if bits.count_ones() % 2 == 0 { weight } else { -weight };
            *corners.entry(at.collect()).or_default() += sign;
        }
    };
    add(whole, -1);
    for piece in pieces {
        add(piece, 1);
    }
    Ok(corners.values().all(|&weight| weight == 0))
}

/// Calls `run(from, to, count)` for each run of elements of `region` that is contiguous in both
/// `source` (whose first element is at `source.0` of the whole tensor) and `target`.
pub(super) fn for_each_run(
    region: &Region,
    source: &Region,
    target: &Region,
    mut run: impl FnMut(usize, usize, usize),
) {
    let rank = region.len();
    // Dimensions from `inner` on are whole in all three but for the first of them.
    let mut inner = rank.saturating_sub(1);
    while inner > 0 && [source, target].iter().all(|r| r[inner].1 == region[inner].1) {
        inner -= 1;
    }
    let strides = |r: &Region| r.iter().map(|&(_, l)| l).collect::<Shape>().strides();
    let (from_strides, to_strides) = (strides(source), strides(target));
    let count = region[inner.min(rank)..].iter().map(|&(_, l)| l).product();
    let offset = |r: &Region, strides: &[usize], at: &[usize]| -> usize {
        (0..rank).map(|d| (region[d].0 + at.get(d).unwrap_or(&0) - r[d].0) * strides[d]).sum()
    };
    let mut at: SmallVec<[usize; 4]> = SmallVec::from_elem(0, inner);
    loop {
        run(offset(source, &from_strides, &at), offset(target, &to_strides, &at), count);
        let Some(d) = (0..inner).rev().find(|&d| at[d] + 1 < region[d].1) else { return };
        at[d] += 1;
        at[d + 1..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys as TensorFlow 2.21 wrote them for these slices.
    #[test]
    fn keys_are_tensorflows() {
        for (name, slice, want) in [
            (&b"v"[..], "0,100:-", &b"\0v\0\x01\x01\x02\x80\xc0d\x80\x7f"[..]),
            (b"v", "100,9900:-", b"\0v\0\x01\x01\x02\xc0d\xe0&\xac\x80\x7f"),
            (b"a\0b\xff", "64,100:-", b"\0a\0\xffb\xff\0\0\x01\x01\x02\xc0@\xc0d\x80\x7f"),
            (b"a", "8192,50000:-", b"\0a\0\x01\x01\x02\xe0 \0\xe0\xc3P\x80\x7f"),
        ] {
            let key = Slice::parse(slice).unwrap().key(name);
            assert_eq!(key, want, "{slice}: {}", key.escape_ascii());
        }
    }

    #[test]
    fn signed_code_keeps_the_order() {
        let mut values: Vec<i64> = (0..63)
            .flat_map(|b| [(1 << b) - 1, 1 << b, -(1 << b), !(1i64 << b)])
            .chain([i64::MIN, i64::MAX])
            .collect();
        values.sort_unstable();
        values.dedup();
        let codes: Vec<Vec<u8>> = values
            .iter()
            .map(|&v| {
                let mut code = Vec::new();
                put_signed(v, &mut code);
                code
            })
            .collect();
        assert!(codes.is_sorted_by(|a, b| a < b));
        assert_eq!(codes.last().map(Vec::len), Some(10));
    }

    #[test]
    fn slices_are_read_and_printed() {
        for text in ["-", "0,2:-", "1,3:-:7,1"] {
            assert_eq!(Slice::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "3", "1,", "a,b", "-:", "1,2,3"] {
            assert!(Slice::parse(text).is_err(), "{text}");
        }
        for text in ["", "-", "x 3 -:-", "4  3 -:-", "4 3", "-4 3 -:-", " -"] {
            assert!(parse_spec(text).is_err(), "{text}");
        }
        let (shape, slice) = parse_spec("4 3 1,2:-").unwrap();
        assert_eq!(slice.region(&shape).unwrap().as_slice(), [(1, 2), (0, 3)]);
        for text in ["3,2:-", "-1,2:-", "0,0:-", "-", "9223372036854775807,1:-"] {
            assert!(Slice::parse(text).unwrap().region(&shape).is_err(), "{text}");
        }
    }

    fn region(text: &str) -> Region {
        Slice::parse(text).unwrap().region(&Shape::new(&[100, 100, 100])).unwrap()
    }

    #[test]
    fn tilings_are_told_from_heaps() {
        let whole = region("0,4:0,4:-");
        for (pieces, want) in [
            (&["0,4:0,4:-"][..], true),
            (&["0,2:0,4:-", "2,2:0,4:-"], true),
            (&["0,2:0,4:-", "2,2:0,3:-", "2,2:3,1:-"], true),
            (&["0,2:0,4:-", "1,2:0,4:-"], false),
            (&["0,2:0,4:-", "0,2:0,4:-"], false),
            (&["0,2:0,4:-"], false),
            // The areas add up, but one corner is covered twice and one is not.
            (&["0,2:0,4:-", "2,2:0,3:-", "1,2:3,1:-"], false),
            (&[], false),
        ] {
            let regions: Vec<_> = pieces.iter().map(|p| region(p)).collect();
            assert_eq!(tiles(&whole, &regions).unwrap(), want, "{pieces:?}");
        }
    }

    #[test]
    fn runs_are_as_long_as_they_can_be() {
        let runs = |r: &str, s: &str, t: &str| {
            let mut out = Vec::new();
            for_each_run(&region(r), &region(s), &region(t), |a, b, n| out.push((a, b, n)));
            out
        };
        assert_eq!(runs("2,2:-:-", "0,4:-:-", "2,3:-:-"), [(20000, 0, 20000)]);
        assert_eq!(runs("1,2:0,1:5,3", "1,2:0,2:0,10", "0,3:0,1:5,3"), [(5, 3, 3), (25, 6, 3)]);
        let scalar = Region::new();
        let mut seen = Vec::new();
        for_each_run(&scalar, &scalar, &scalar, |a, b, n| seen.push((a, b, n)));
        assert_eq!(seen, [(0, 0, 1)]);
    }
}
