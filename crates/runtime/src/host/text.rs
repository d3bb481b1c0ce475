//! Ops that take strings apart, count and hash them.

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_model::Node;

use super::fingerprint::fingerprint;
use super::tensors::{ints, pure, strings, tensor, vector};
use super::{HostRow, row};
use crate::{Kernel, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("ReduceJoin", "strings joined along dimensions", make_reduce_join),
    row("StringLength", "bytes or letters of strings", make_length),
    row("StringNGrams", "neighbouring words joined", make_ngrams),
    row("StringSplit", "pieces of strings between any of several letters", make_split),
    row("StringSplitV2", "pieces of strings between separators", make_split_v2),
    row("StringToHashBucketFast", "a number for each string, by its fingerprint", make_bucket),
];

fn make_length(node: &Node) -> Result<Box<dyn Kernel>> {
    let letters = node.attr_str("unit")? == "UTF8_CHAR";
    pure("StringLength", move |inputs| {
        let count = |s: &Vec<u8>| match letters {
            // Bytes that start a letter.
            true => s.iter().filter(|b| **b & 0xc0 != 0x80).count() as i32,
            false => s.len() as i32,
        };
        let lengths: Vec<i32> = strings(inputs, 0)?.iter().map(count).collect();
        Ok(vec![Tensor::from_slice(tensor(inputs, 0)?.shape().clone(), &lengths)?])
    })
}

fn make_bucket(node: &Node) -> Result<Box<dyn Kernel>> {
    let buckets = node.attr_int("num_buckets")? as u64;
    if buckets == 0 {
        return Err(Error::invalid_argument("num_buckets must be at least 1").at(&*node.name));
    }
    pure("StringToHashBucketFast", move |inputs| {
        let bucket = |s: &Vec<u8>| (fingerprint(s) % buckets) as i64;
        let values: Vec<i64> = strings(inputs, 0)?.iter().map(bucket).collect();
        Ok(vec![Tensor::from_slice(tensor(inputs, 0)?.shape().clone(), &values)?])
    })
}

/// Pieces of each string as a sparse matrix: positions, values, shape.
fn sparse(pieces: Vec<Vec<&[u8]>>) -> Result<Vec<Tensor>> {
    let longest = pieces.iter().map(Vec::len).max().unwrap_or(0);
    let shape = vector(&[pieces.len() as i64, longest as i64])?;
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for (row, pieces) in pieces.into_iter().enumerate() {
        for (column, piece) in pieces.into_iter().enumerate() {
            places.extend([row as i64, column as i64]);
            values.push(piece.to_vec());
        }
    }
    let count = values.len();
    let places = Tensor::from_slice(Shape::new(&[count, 2]), &places)?;
    Ok(vec![places, Tensor::strings(Shape::new(&[count]), values)?, shape])
}

fn one_string(inputs: &[Value], at: usize) -> Result<&[u8]> {
    match strings(inputs, at)? {
        [one] => Ok(one),
        _ => Err(Error::invalid_argument(format!("input {at} must be a scalar"))),
    }
}

fn make_split(node: &Node) -> Result<Box<dyn Kernel>> {
    let skip_empty = node.flag("skip_empty");
    pure("StringSplit", move |inputs| {
        let delimiters = one_string(inputs, 1)?;
        let split = |s: &'_ Vec<u8>| -> Vec<(usize, usize)> {
            let mut out = Vec::new();
            if delimiters.is_empty() {
                out.extend((0..s.len()).map(|i| (i, i + 1)));
                return out;
            }
            let mut start = 0;
            for (i, b) in s.iter().enumerate() {
                if delimiters.contains(b) {
                    out.push((start, i));
                    start = i + 1;
                }
            }
            out.push((start, s.len()));
            if skip_empty {
                out.retain(|(start, end)| start < end);
            }
            out
        };
        let texts = strings(inputs, 0)?;
        sparse(
            texts.iter().map(|s| split(s).into_iter().map(|(a, b)| &s[a..b]).collect()).collect(),
        )
    })
}

/// Where `what` starts in `text`.
fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn make_split_v2(node: &Node) -> Result<Box<dyn Kernel>> {
    let most = usize::try_from(node.attr_int("maxsplit")?).unwrap_or(usize::MAX);
    pure("StringSplitV2", move |inputs| {
        let separator = one_string(inputs, 1)?;
        sparse(strings(inputs, 0)?.iter().map(|s| split_v2(s, separator, most)).collect())
    })
}

/// As Python's `str.split`: by white space where the separator is empty.
fn split_v2<'s>(text: &'s [u8], separator: &[u8], most: usize) -> Vec<&'s [u8]> {
    let mut out = Vec::new();
    let mut rest = text;
    if separator.is_empty() {
        let space = |b: &u8| b.is_ascii_whitespace() || *b == 0x0b;
        loop {
            let start = rest.iter().position(|b| !space(b)).unwrap_or(rest.len());
            rest = &rest[start..];
            if rest.is_empty() {
                return out;
            }
            if out.len() == most {
                out.push(rest);
                return out;
            }
            let end = rest.iter().position(space).unwrap_or(rest.len());
            out.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    while out.len() < most
        && let Some(at) = find(rest, separator)
    {
        out.push(&rest[..at]);
        rest = &rest[at + separator.len()..];
    }
    out.push(rest);
    out
}

/// How words become n-grams.
struct Grams {
    separator: Vec<u8>,
    widths: Vec<usize>,
    left: Vec<u8>,
    right: Vec<u8>,
    /// Padding on each side; `None` for as much as a gram can take.
    pad: Option<usize>,
    keep_short: bool,
}

impl Grams {
    fn padding(&self, width: usize) -> usize {
        let most = width.saturating_sub(1);
        self.pad.map_or(most, |pad| pad.min(most))
    }

    /// Gram number `i` of `count` that are `width` words wide.
    fn gram(&self, words: &[Vec<u8>], i: usize, count: usize, width: usize, pad: usize) -> Vec<u8> {
        let left = pad.saturating_sub(i).min(width);
        let right = pad.saturating_sub(count - (i + 1)).min(width - left);
        let start = i.saturating_sub(pad);
        let mut parts: Vec<&[u8]> = vec![&self.left; left];
        parts.extend(words.iter().skip(start).take(width - left - right).map(|w| &w[..]));
        parts.extend(vec![&self.right[..]; right]);
        parts.join(&self.separator[..])
    }

    fn row(&self, words: &[Vec<u8>], out: &mut Vec<Vec<u8>>) {
        let before = out.len();
        for &width in &self.widths {
            let pad = self.padding(width);
            let count = (words.len() + 2 * pad + 1).saturating_sub(width);
            out.extend((0..count).map(|i| self.gram(words, i, count, width, pad)));
        }
        if self.keep_short && out.len() == before && !words.is_empty() {
            let pad = self.pad.unwrap_or(0);
            out.push(self.gram(words, 0, 1, words.len() + 2 * pad, pad));
        }
    }
}

fn make_ngrams(node: &Node) -> Result<Box<dyn Kernel>> {
    let widths = node.attr_ints("ngram_widths")?.iter();
    let grams = Grams {
        separator: node.attr_bytes("separator")?.to_vec(),
        widths: widths.map(|&w| usize::try_from(w).unwrap_or(0)).collect(),
        left: node.attr_bytes("left_pad")?.to_vec(),
        right: node.attr_bytes("right_pad")?.to_vec(),
        pad: usize::try_from(node.attr_int("pad_width")?).ok(),
        keep_short: node.flag("preserve_short_sequences"),
    };
    let index = node.attr_dtype("Tsplits")?;
    pure("StringNGrams", move |inputs| {
        let (data, splits) = (strings(inputs, 0)?, tensor(inputs, 1)?.to_i64s()?);
        let (mut out, mut ends) = (Vec::new(), Vec::with_capacity(splits.len()));
        if !splits.is_empty() {
            ends.push(0i64);
        }
        for pair in splits.windows(2) {
            let range = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
            let words = range.and_then(|(a, b)| data.get(a..b)).ok_or_else(|| {
                Error::invalid_argument(format!(
                    "Invalid split value {}, must be in [0, {}] and not fall",
                    pair[1],
                    data.len()
                ))
            })?;
            grams.row(words, &mut out);
            ends.push(out.len() as i64);
        }
        let grams = Tensor::strings(Shape::new(&[out.len()]), out)?;
        Ok(vec![grams, ints(index, Shape::new(&[ends.len()]), &ends)?])
    })
}

fn make_reduce_join(node: &Node) -> Result<Box<dyn Kernel>> {
    let keep = node.flag("keep_dims");
    let separator = node.attr_bytes("separator")?.to_vec();
    pure("ReduceJoin", move |inputs| {
        let (t, texts) = (tensor(inputs, 0)?, strings(inputs, 0)?);
        let dims = t.shape().dims();
        let rank = dims.len() as i64;
        let mut axes = Vec::new();
        for axis in tensor(inputs, 1)?.to_i64s()? {
            if !(-rank..rank).contains(&axis) {
                return Err(Error::invalid_argument(format!(
                    "Invalid reduction dimension {axis} for input with {rank} dimension(s)"
                )));
            }
            let axis = axis.rem_euclid(rank) as usize;
            if axes.contains(&axis) {
                return Err(Error::invalid_argument(format!(
                    "Duplicate reduction dimension {axis}"
                )));
            }
            axes.push(axis);
        }
        let kept: Vec<usize> = (0..dims.len()).filter(|d| !axes.contains(d)).collect();
        let strides = t.shape().strides();
        let offset = |which: &[usize], mut n: usize| {
            let mut at = 0;
            for &d in which.iter().rev() {
                at += n % dims[d] * strides[d];
                n /= dims[d];
            }
            at
        };
        let extent = |which: &[usize]| which.iter().map(|&d| dims[d]).product::<usize>();
        let join = |n: usize| {
            let base = offset(&kept, n);
            let part = |r: usize| &texts[base + offset(&axes, r)][..];
            (0..extent(&axes)).map(part).collect::<Vec<_>>().join(&separator[..])
        };
        let joined = (0..extent(&kept)).map(join).collect();
        let shape: Vec<usize> = match keep {
            true => (0..dims.len()).map(|d| if axes.contains(&d) { 1 } else { dims[d] }).collect(),
            false => kept.iter().map(|&d| dims[d]).collect(),
        };
        Ok(vec![Tensor::strings(Shape::new(&shape), joined)?])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_split_as_in_python() {
        let parts = |text: &str, separator: &str, most| {
            let (text, separator) = (text.as_bytes().to_vec(), separator.as_bytes());
            let parts = split_v2(&text, separator, most);
            parts.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(parts("a,,b", ",", usize::MAX), ["a", "", "b"]);
        assert_eq!(parts("a,,b", ",", 1), ["a", ",b"]);
        assert_eq!(parts("  a \t b ", "", usize::MAX), ["a", "b"]);
        assert_eq!(parts("  a b  c ", "", 1), ["a", "b  c "]);
        assert_eq!(parts("", ",", usize::MAX), [""]);
        assert!(parts(" ", "", usize::MAX).is_empty());
    }

    #[test]
    fn grams_with_padding() {
        let words: Vec<Vec<u8>> = ["a", "b"].iter().map(|w| w.as_bytes().to_vec()).collect();
        let grams = |widths: &[usize], pad, keep_short| {
            let mut out = Vec::new();
            let (separator, left, right) = (b"-".to_vec(), b"L".to_vec(), b"R".to_vec());
            let widths = widths.to_vec();
            Grams { separator, widths, left, right, pad, keep_short }.row(&words, &mut out);
            out.into_iter().map(|g| String::from_utf8(g).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(grams(&[1, 2], Some(0), false), ["a", "b", "a-b"]);
        assert_eq!(grams(&[2], None, false), ["L-a", "a-b", "b-R"]);
        assert_eq!(grams(&[3], None, false), ["L-L-a", "L-a-b", "a-b-R", "b-R-R"]);
        assert_eq!(grams(&[3], Some(0), true), ["a-b"]);
        assert!(grams(&[3], Some(0), false).is_empty());
    }
}
