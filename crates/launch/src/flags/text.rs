//! From a text to names and values of flags.
//!
//! It must not know any flag.

use std::path::Path;

use tfjit_base::{Error, Result};
use tfjit_model::mapped::{file_length, io_error};

/// Bytes of a file with flags.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// A flag as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word {
    /// The name, without dashes.
    pub(super) name: String,
    /// What stands behind `=`, without quotes.
    pub(super) value: Option<String>,
}

/// The name of a file with flags: a text that does not begin with a dash.
pub(super) fn file_name(text: &str) -> Option<&Path> {
    let text = text.trim();
    (!text.is_empty() && !text.starts_with('-')).then(|| Path::new(text))
}

/// The contents of a file with flags.
pub(super) fn read(path: &Path) -> Result<String> {
    if file_length(path)? > FILE_BYTES_MAX {
        let text = format!("{} is too large for a file of flags", path.display());
        return Err(Error::invalid_argument(text));
    }
    std::fs::read_to_string(path).map_err(|e| io_error(path, &e))
}

/// The flags of a text: `--name`, `--name=value`, `--name='as it is'` and
/// `--name="with \"escapes\""`, with white space between them.
pub(super) fn split(text: &str) -> Result<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let bare = name.strip_prefix("--").or_else(|| name.strip_prefix('-'));
        let bare = bare.filter(|name| !name.is_empty()).ok_or_else(|| {
            let text = format!("{:?} is no flag", name.chars().take(80).collect::<String>());
            Error::invalid_argument(text).help("flags are written --name=value")
        })?;
        let mut word = Word { name: bare.to_owned(), value: None };
        rest = behind;
        if let Some(behind) = behind.strip_prefix('=') {
            let (value, behind) = value(behind).ok_or_else(|| {
                Error::invalid_argument(format!("the quote behind --{bare}= is not closed"))
            })?;
            word.value = Some(value);
            rest = behind;
        }
        words.push(word);
        rest = rest.trim_start();
    }
    Ok(words)
}

/// A value and what is behind it; `None` when a quote stays open.
fn value(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((out, &text[at + 1..])),
            '\\' if quote == '"' => out.push(chars.next()?.1),
            c => out.push(c),
        }
    }
    None
}

/// The candidate that differs from `name` in the fewest letters, if few enough do.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    const LENGTH_MAX: usize = 100;
    if name.len() > LENGTH_MAX {
        return None;
    }
    let near = name.len() / 4 + 1;
    candidates
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(distance, _)| *distance <= near)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove and replace until one is the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(!x.eq_ignore_ascii_case(y));
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
