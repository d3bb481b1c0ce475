//! Reading of dialect attributes with fields, `#stablehlo.gather<offset_dims = [0], …>`, and of
//! the dimension numbers of convolutions.

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result};

use super::cursor::Cursor;
use crate::{Convolution, Dims};

/// The fields between the angle brackets of a dialect attribute: lists of integers, or words.
pub(super) struct Struct<'t> {
    lists: FxHashMap<&'t str, Vec<i64>>,
}

/// Takes what stands before `<` and gives what stands between it and the last `>`.
pub(super) fn body<'t>(text: &'t str, name: &str) -> Result<&'t str> {
    let inner = text.strip_prefix('#').and_then(|t| t.split_once('<'));
    match inner {
        // The dialect part may differ: mhlo wrote the same attributes.
        Some((full, rest)) if full.rsplit('.').next() == Some(name) => {
            Ok(rest.strip_suffix('>').unwrap_or(rest))
        }
        _ => Err(Error::invalid_argument(format!("expected #stablehlo.{name}<…>, found {text}"))),
    }
}

impl<'t> Struct<'t> {
    /// Reads `#stablehlo.NAME<key = 1, key = [1, 2]>`.
    pub(super) fn parse(text: &'t str, name: &str) -> Result<Struct<'t>> {
        let mut cur = Cursor::new(body(text, name)?, 0);
        let mut lists = FxHashMap::default();
        while !cur.at_end() {
            let key = cur.expect_word("a field")?;
            cur.expect("=")?;
            let values = if cur.eat("[") { int_list(&mut cur)? } else { vec![cur.integer()?] };
            lists.insert(key, values);
            if !cur.eat(",") && !cur.at_end() {
                return Err(cur.expected("','"));
            }
        }
        Ok(Struct { lists })
    }

    /// Takes a list; an absent one is empty.
    pub(super) fn list(&mut self, key: &str) -> Dims {
        Dims::from_vec(self.lists.remove(key).unwrap_or_default())
    }

    /// Takes an integer; an absent one is zero.
    pub(super) fn int(&mut self, key: &str) -> i64 {
        self.lists.remove(key).and_then(|l| l.first().copied()).unwrap_or_default()
    }

    /// Ends reading: every field must have been taken.
    pub(super) fn finish(self) -> Result<()> {
        match self.lists.keys().min() {
            None => Ok(()),
            Some(key) => Err(Error::invalid_argument(format!("the field {key} is unknown"))),
        }
    }
}

fn int_list(cur: &mut Cursor<'_>) -> Result<Vec<i64>> {
    let mut values = Vec::new();
    while !cur.eat("]") {
        values.push(cur.integer()?);
        if !cur.eat(",") && !cur.sees("]") {
            return Err(cur.expected("',' or ']'"));
        }
    }
    Ok(values)
}

/// Reads `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>` (or its `raw` form with
/// named fields) into `conv`.
pub(super) fn conv_dimensions(text: &str, conv: &mut Convolution) -> Result<()> {
    let inner = body(text, "conv")?;
    if let Some(raw) = inner.trim_start().strip_prefix("raw") {
        return raw_conv_dimensions(raw, conv);
    }
    let mut cur = Cursor::new(inner, 0);
    let input = letters(&mut cur, ["b", "f"])?;
    cur.expect_keyword("x")?;
    let kernel = letters(&mut cur, ["i", "o"])?;
    cur.expect("->")?;
    let output = letters(&mut cur, ["b", "f"])?;
    (conv.input_batch_dimension, conv.input_feature_dimension) =
        (input.letters[0], input.letters[1]);
    conv.input_spatial_dimensions = input.spatial;
    conv.kernel_input_feature_dimension = kernel.letters[0];
    conv.kernel_output_feature_dimension = kernel.letters[1];
    conv.kernel_spatial_dimensions = kernel.spatial;
    (conv.output_batch_dimension, conv.output_feature_dimension) =
        (output.letters[0], output.letters[1]);
    conv.output_spatial_dimensions = output.spatial;
    Ok(())
}

fn raw_conv_dimensions(text: &str, conv: &mut Convolution) -> Result<()> {
    let text = format!("#stablehlo.conv<{text}>");
    let mut s = Struct::parse(&text, "conv")?;
    conv.input_batch_dimension = s.int("input_batch_dimension");
    conv.input_feature_dimension = s.int("input_feature_dimension");
    conv.input_spatial_dimensions = s.list("input_spatial_dimensions");
    conv.kernel_input_feature_dimension = s.int("kernel_input_feature_dimension");
    conv.kernel_output_feature_dimension = s.int("kernel_output_feature_dimension");
    conv.kernel_spatial_dimensions = s.list("kernel_spatial_dimensions");
    conv.output_batch_dimension = s.int("output_batch_dimension");
    conv.output_feature_dimension = s.int("output_feature_dimension");
    conv.output_spatial_dimensions = s.list("output_spatial_dimensions");
    s.finish()
}

/// One bracket of a convolution's dimension numbers.
struct Letters {
    /// Where the two letters stand.
    letters: [i64; 2],
    /// Where `0`, `1`, … stand.
    spatial: Dims,
}

fn letters(cur: &mut Cursor<'_>, names: [&str; 2]) -> Result<Letters> {
    cur.expect("[")?;
    let mut found = [None; 2];
    let mut spatial: Vec<(i64, i64)> = Vec::new();
    let mut position = 0;
    while !cur.eat("]") {
        if let Some(word) = cur.word() {
            match names.iter().position(|n| *n == word) {
                Some(i) if found[i].is_none() => found[i] = Some(position),
                _ => {
                    return Err(
                        cur.expected(format_args!("'{}' once, '{}' once", names[0], names[1]))
                    );
                }
            }
        } else if !cur.eat("?") {
            spatial.push((cur.integer()?, position));
        }
        position += 1;
        if !cur.eat(",") && !cur.sees("]") {
            return Err(cur.expected("',' or ']'"));
        }
    }
    spatial.sort_unstable();
    let numbered = spatial.iter().enumerate().all(|(i, &(number, _))| number == i as i64);
    match (found, numbered) {
        ([Some(first), Some(second)], true) => Ok(Letters {
            letters: [first, second],
            spatial: spatial.into_iter().map(|(_, position)| position).collect(),
        }),
        _ => Err(Error::invalid_argument(format!(
            "dimension numbers must hold '{}', '{}' and 0, 1, … once each",
            names[0], names[1]
        ))),
    }
}
