//! Python's way of writing values: `repr` of strings, bytes and lists, and the literals that
//! `ast.literal_eval` reads.
//!
//! It must not know tensors; nothing is ever evaluated.

mod lexer;
mod literal;

pub(crate) use literal::{Literal, parse};

/// `repr` of a `bytes` object.
pub(crate) fn bytes_repr(bytes: &[u8]) -> String {
    let quote = quote_for(bytes.contains(&b'\''), bytes.contains(&b'"'));
    let mut out = format!("b{quote}");
    for &b in bytes {
        match b {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b if char::from(b) == quote => out.extend(['\\', quote]),
            0x20..=0x7e => out.push(char::from(b)),
            _ => out.push_str(&format!("\\x{b:02x}")),
        }
    }
    out.push(quote);
    out
}

/// `repr` of a `str`.
pub(crate) fn str_repr(text: &str) -> String {
    let quote = quote_for(text.contains('\''), text.contains('"'));
    let mut out = quote.to_string();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', quote]),
            c if is_printable(c) => out.push(c),
            c => match u32::from(c) {
                n @ 0..=0xff => out.push_str(&format!("\\x{n:02x}")),
                n @ 0x100..=0xffff => out.push_str(&format!("\\u{n:04x}")),
                n => out.push_str(&format!("\\U{n:08x}")),
            },
        }
    }
    out.push(quote);
    out
}

/// Python prefers single quotes unless that takes escapes which double quotes do not.
fn quote_for(has_single: bool, has_double: bool) -> char {
    if has_single && !has_double { '"' } else { '\'' }
}

/// `str.isprintable` for one character, but for unassigned code points, of which Rust has no table.
fn is_printable(c: char) -> bool {
    c == ' '
        || !(c.is_control()
            || c.is_whitespace()
            || matches!(u32::from(c), 0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x180e
                | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb
                | 0xe000..=0xf8ff | 0xe0001..=0xe007f | 0xf0000..=0x10ffff))
}

/// `repr` of a list of strings.
pub(crate) fn list_repr<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    let items: Vec<String> = items.into_iter().map(|s| str_repr(s.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// `repr` of a set of strings, in the order given; Python's own order differs from run to run.
pub(crate) fn set_repr<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    let items: Vec<String> = items.into_iter().map(|s| str_repr(s.as_ref())).collect();
    if items.is_empty() { "set()".to_owned() } else { format!("{{{}}}", items.join(", ")) }
}

/// `repr` of a float: the shortest digits, with an exponent outside of 1e-4 to 1e16.
pub(crate) fn float_repr(v: f64) -> String {
    crate::numpy::f64_text(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_chosen_as_python_does() {
        assert_eq!(str_repr("a"), "'a'");
        assert_eq!(str_repr("it's"), "\"it's\"");
        assert_eq!(str_repr("'\""), "'\\'\"'");
        assert_eq!(str_repr("é\n\u{7}\u{200b}\u{f0000}"), "'é\\n\\x07\\u200b\\U000f0000'");
        assert_eq!(bytes_repr(b"bc\x00\xff\"'"), "b'bc\\x00\\xff\"\\''");
    }

    #[test]
    fn collections() {
        assert_eq!(list_repr(["serve", "gpu"]), "['serve', 'gpu']");
        assert_eq!(set_repr(["a"]), "{'a'}");
        assert_eq!(set_repr([""; 0]), "set()");
    }
}
