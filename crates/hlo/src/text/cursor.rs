//! The lexer: a position in the text and the scanners of MLIR's tokens.
//!
//! Scanners skip white space and `//` comments first and advance only when they match. Dimension
//! lists (`2x3xf32`) do not fall into the usual tokens, so there is no token list: the parser asks
//! for what it expects. It must not know any dialect.

use std::fmt;

use tfjit_base::{Error, Result};

/// How much of a long line an error shows on each side of its caret.
const CONTEXT_COLUMNS: usize = 60;

/// A position in the text.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    pos: usize,
    /// Lines of the file before `text`, for the line numbers of errors.
    lines_before: usize,
}

fn is_word_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

/// Whether `b` may stand inside a bare identifier.
pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.')
}

fn is_suffix(b: u8) -> bool {
    is_word(b) || b == b'-'
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, lines_before: usize) -> Cursor<'t> {
        Cursor { text, pos: 0, lines_before }
    }

    /// The position, in bytes.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Goes to `pos`, which a scanner of this text returned.
    pub(super) fn seek(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// The text between two positions.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn bytes(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.pos..]
    }

    /// The next byte, without skipping.
    pub(super) fn byte(&self) -> Option<u8> {
        self.bytes().first().copied()
    }

    /// Skips white space and comments.
    pub(super) fn skip(&mut self) {
        loop {
            let blank = self.bytes().iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.pos += blank;
            if !self.bytes().starts_with(b"//") {
                return;
            }
            self.pos += self.bytes().iter().take_while(|&&b| b != b'\n').count();
        }
    }

    /// The first byte of the next token.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.byte()
    }

    /// Whether nothing is left.
    pub(super) fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Whether the next token starts with `punctuation`.
    pub(super) fn sees(&mut self, punctuation: &str) -> bool {
        self.skip();
        self.bytes().starts_with(punctuation.as_bytes())
    }

    /// Takes `punctuation` if it is next.
    pub(super) fn eat(&mut self, punctuation: &str) -> bool {
        let found = self.sees(punctuation);
        if found {
            self.pos += punctuation.len();
        }
        found
    }

    /// Takes `punctuation`.
    pub(super) fn expect(&mut self, punctuation: &str) -> Result<()> {
        if self.eat(punctuation) { Ok(()) } else { Err(self.expected(format!("'{punctuation}'"))) }
    }

    /// Takes `byte` if it is next, without skipping.
    pub(super) fn eat_byte(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    fn run(&mut self, accept: impl Fn(u8) -> bool) -> &'t str {
        let start = self.pos;
        self.pos += self.bytes().iter().take_while(|&&b| accept(b)).count();
        self.slice(start, self.pos)
    }

    /// The bare identifier that is next.
    pub(super) fn peek_word(&mut self) -> Option<&'t str> {
        self.skip();
        let start = self.pos;
        let word = self.byte().filter(|&b| is_word_start(b)).map(|_| self.run(is_word));
        self.pos = start;
        word
    }

    /// Takes a bare identifier.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        let word = self.peek_word()?;
        self.pos += word.len();
        Some(word)
    }

    /// Takes a bare identifier.
    pub(super) fn expect_word(&mut self, what: &str) -> Result<&'t str> {
        self.word().ok_or_else(|| self.expected(what))
    }

    /// Takes the identifier `word` if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Takes the identifier `word`.
    pub(super) fn expect_keyword(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(format!("'{word}'"))) }
    }

    /// Takes `key =`, as in `dims = [0]`.
    pub(super) fn expect_key(&mut self, key: &str) -> Result<()> {
        self.expect_keyword(key)?;
        self.expect("=")
    }

    /// The letters, digits and signs after a sigil (`%`, `^`, `#`, `!`), which is taken if next.
    pub(super) fn sigil(&mut self, sigil: u8) -> Option<&'t str> {
        if self.peek() != Some(sigil) {
            return None;
        }
        let start = self.pos;
        self.pos += 1;
        let name = match sigil {
            b'%' | b'^' => self.run(is_suffix),
            _ => self.run(is_word),
        };
        if name.is_empty() {
            self.pos = start;
            return None;
        }
        Some(name)
    }

    /// A run of decimal digits right here, without skipping.
    pub(super) fn digits(&mut self) -> Option<&'t str> {
        let digits = self.run(|b| b.is_ascii_digit());
        (!digits.is_empty()).then_some(digits)
    }

    /// A number as written: integer, hexadecimal or floating-point, with its sign.
    pub(super) fn number(&mut self) -> Option<&'t str> {
        self.skip();
        let start = self.pos;
        self.eat_byte(b'-');
        if self.bytes().starts_with(b"0x") {
            self.pos += 2;
            if !self.run(|b| b.is_ascii_hexdigit()).is_empty() {
                return Some(self.slice(start, self.pos));
            }
            self.pos -= 2;
        }
        if self.digits().is_none() {
            self.pos = start;
            return None;
        }
        if self.byte() == Some(b'.') {
            self.pos += 1;
            self.digits();
        }
        let mark = self.pos;
        if self.eat_byte(b'e') || self.eat_byte(b'E') {
            if !self.eat_byte(b'-') {
                self.eat_byte(b'+');
            }
            if self.digits().is_none() {
                self.pos = mark;
            }
        }
        Some(self.slice(start, self.pos))
    }

    /// Takes an integer.
    pub(super) fn integer(&mut self) -> Result<i64> {
        self.skip();
        let start = self.pos;
        let value = self.number().and_then(parse_integer);
        value.ok_or_else(|| {
            self.pos = start;
            self.expected("an integer")
        })
    }

    /// Takes a string and gives what is between its quotes, escapes as they are.
    pub(super) fn raw_string(&mut self) -> Result<&'t str> {
        self.expect("\"").map_err(|_| self.expected("a string"))?;
        let start = self.pos;
        loop {
            self.run(|b| !matches!(b, b'"' | b'\\' | b'\n'));
            match self.byte() {
                Some(b'"') => break,
                Some(b'\\') if self.bytes().len() > 1 => {
                    self.pos += 1;
                    self.pos += self.text[self.pos..].chars().next().map_or(0, char::len_utf8);
                }
                _ => {
                    self.pos = start - 1;
                    return Err(self.fail("a string without its closing quote"));
                }
            }
        }
        self.pos += 1;
        Ok(self.slice(start, self.pos - 1))
    }

    /// Takes a string; bytes that are not UTF-8 after unescaping are an error.
    pub(super) fn string(&mut self) -> Result<String> {
        self.skip();
        let start = self.pos;
        let raw = self.raw_string()?;
        unescape(raw).ok_or_else(|| {
            self.pos = start;
            self.fail("a string that is not UTF-8")
        })
    }

    /// Takes `@name` or `@"any name"`.
    pub(super) fn symbol(&mut self) -> Result<String> {
        self.expect("@").map_err(|_| self.expected("a symbol such as @main"))?;
        match self.byte() {
            Some(b'"') => self.string(),
            Some(b) if is_word_start(b) => Ok(self.run(is_word).to_owned()),
            _ => Err(self.expected("a symbol name")),
        }
    }

    /// Takes everything from here to the bracket that closes the one that is next, and trims it.
    pub(super) fn balanced(&mut self) -> Result<&'t str> {
        self.skip();
        let start = self.pos;
        let mut closing: Vec<u8> = Vec::new();
        loop {
            let Some(b) = self.byte() else {
                self.pos = start;
                return Err(self.fail("a bracket that is never closed"));
            };
            match b {
                b'"' | b'/' if closing.is_empty() => {
                    return Err(self.expected("a bracket"));
                }
                b'"' => {
                    self.raw_string()?;
                    continue;
                }
                b'/' if self.bytes().starts_with(b"//") => {
                    self.skip();
                    continue;
                }
                b'<' => closing.push(b'>'),
                b'(' => closing.push(b')'),
                b'[' => closing.push(b']'),
                b'{' => closing.push(b'}'),
                b'-' if self.bytes().starts_with(b"->") => self.pos += 1,
                b'>' | b')' | b']' | b'}' if closing.pop() != Some(b) => {
                    return Err(self.expected("the bracket that closes an earlier one"));
                }
                _ => {}
            }
            self.pos += 1;
            if closing.is_empty() {
                return Ok(self.slice(start, self.pos));
            }
        }
    }

    /// An error here: `expected WHAT, found …`.
    pub(super) fn expected(&self, what: impl fmt::Display) -> Error {
        let mut at = self.clone();
        at.skip();
        let found = at.found();
        at.fail(format_args!("expected {what}, found {found}"))
    }

    fn found(&self) -> String {
        let mut at = self.clone();
        let token = match self.byte() {
            None => return "the end of the text".to_owned(),
            Some(b) if is_word_start(b) => at.run(is_word),
            Some(b) if b.is_ascii_digit() => at.number().unwrap_or_default(),
            Some(_) => {
                let length = self.text[self.pos..].chars().next().map_or(0, char::len_utf8);
                self.slice(self.pos, self.pos + length)
            }
        };
        let short: String = token.chars().take(40).collect();
        format!("'{short}'")
    }

    /// An error at this position.
    pub(super) fn fail(&self, message: impl fmt::Display) -> Error {
        self.fail_at(self.pos, message)
    }

    /// An error at `pos`, with the line and a caret under the place.
    pub(super) fn fail_at(&self, pos: usize, message: impl fmt::Display) -> Error {
        let before = self.slice(0, pos);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let number = self.lines_before + before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before[line_start..].chars().count();
        let skipped = column.saturating_sub(CONTEXT_COLUMNS);
        let shown: String = line.chars().skip(skipped).take(2 * CONTEXT_COLUMNS).collect();
        let caret = " ".repeat(column - skipped);
        Error::invalid_argument(format!(
            "{number}:{}: {message}\n  {}\n  {caret}^",
            column + 1,
            shown.trim_end(),
        ))
    }
}

/// The value of a decimal or hexadecimal integer within `i64`.
pub(super) fn parse_integer(text: &str) -> Option<i64> {
    i64::try_from(parse_wide(text)?).ok()
}

/// The value of a decimal or hexadecimal integer of up to 128 bits.
pub(super) fn parse_wide(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

/// The meaning of a string's text, or `None` when it is not UTF-8.
pub(super) fn unescape(raw: &str) -> Option<String> {
    if !raw.contains('\\') {
        return Some(raw.to_owned());
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(b) = rest.next() {
        if b != b'\\' {
            bytes.push(b);
            continue;
        }
        let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
        match rest.next()? {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b @ (b'"' | b'\\') => bytes.push(b),
            high => bytes.push(hex(high)? << 4 | hex(rest.next()?)?),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_taken_whole() {
        let mut c = Cursor::new(" // note\n dims = [-3, 0x1F] %a#1 1.5e-3x", 0);
        assert!(!c.eat_word("dim"));
        c.expect_key("dims").unwrap();
        c.expect("[").unwrap();
        assert_eq!(c.integer().unwrap(), -3);
        c.expect(",").unwrap();
        assert_eq!(c.integer().unwrap(), 31);
        c.expect("]").unwrap();
        assert_eq!(c.sigil(b'%'), Some("a"));
        assert!(c.eat("#"));
        assert_eq!(c.integer().unwrap(), 1);
        assert_eq!(c.number(), Some("1.5e-3"));
        assert_eq!(c.word(), Some("x"));
    }

    #[test]
    fn strings_unescape() {
        let mut c = Cursor::new(r#""a\"\\\0A\C3\A9" "\FF" "open"#, 0);
        assert_eq!(c.string().unwrap(), "a\"\\\n\u{e9}");
        assert!(c.string().is_err());
        assert_eq!(c.raw_string().unwrap(), "\\FF");
        assert!(c.raw_string().is_err());
    }

    #[test]
    fn brackets_balance_around_strings_and_arrows() {
        let mut c = Cursor::new(r#"<[b]x[i]->[f], "]>">rest"#, 0);
        assert_eq!(c.balanced().unwrap(), r#"<[b]x[i]->[f], "]>">"#);
        assert!(Cursor::new("<[>", 0).balanced().is_err());
        assert!(Cursor::new("<<<", 0).balanced().is_err());
    }

    #[test]
    fn errors_show_the_place() {
        let mut c = Cursor::new("ab\n  cd ef", 7);
        c.word();
        c.word();
        assert_eq!(
            c.expected("a number").message(),
            "9:6: expected a number, found 'ef'\n    cd ef\n       ^"
        );
    }
}
