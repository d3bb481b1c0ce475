//! Tokens of Python literals. It must not know how they nest.

use tfjit_base::{Error, Result};

/// One token.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    /// One of `[ ] ( ) { } , : + -`.
    Punct(u8),
    /// `True`, `nan`, ...
    Word(String),
    Int(i128),
    Float(f64),
    /// `2j`.
    Imaginary(f64),
    Str(String),
    Bytes(Vec<u8>),
    End,
}

/// Reads tokens from text, one ahead.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// An error at the current position.
    pub(crate) fn error(&self, what: impl std::fmt::Display) -> Error {
        Error::invalid_argument(format!("{what} at character {}", self.at + 1))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Result<Token> {
        while matches!(self.peek(0), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        let c = self.peek(0);
        if self.at >= self.text.len() {
            return Ok(Token::End);
        }
        if let Some(prefix) = self.string_prefix() {
            return self.string(prefix);
        }
        match c {
            b'[' | b']' | b'(' | b')' | b'{' | b'}' | b',' | b':' | b'+' | b'-' => {
                self.at += 1;
                Ok(Token::Punct(c))
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            c if c.is_ascii_alphabetic() || c == b'_' => {
                let word = self.take(|c| c.is_ascii_alphanumeric() || c == b'_');
                Ok(Token::Word(word.to_owned()))
            }
            _ => {
                let c = self.text[self.at..].chars().next().unwrap_or(' ');
                Err(self.error(format_args!("{c:?} begins no literal")))
            }
        }
    }

    fn take(&mut self, accept: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.at < self.text.len() && accept(self.peek(0)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn number(&mut self) -> Result<Token> {
        let radix = match (self.peek(0), self.peek(1) | 0x20) {
            (b'0', b'x') => 16,
            (b'0', b'o') => 8,
            (b'0', b'b') => 2,
            _ => return self.decimal(),
        };
        self.at += 2;
        let digits = self.take(|c| c.is_ascii_alphanumeric() || c == b'_').replace('_', "");
        let value = i128::from_str_radix(&digits, radix)
            .map_err(|_| self.error(format_args!("{digits:?} is no number to base {radix}")))?;
        Ok(Token::Int(value))
    }

    fn decimal(&mut self) -> Result<Token> {
        let start = self.at;
        let digit = |c: u8| c.is_ascii_digit() || c == b'_';
        self.take(digit);
        let mut whole = true;
        if self.peek(0) == b'.' {
            whole = false;
            self.at += 1;
            self.take(digit);
        }
        if self.peek(0) | 0x20 == b'e' {
            let signed = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + signed).is_ascii_digit() {
                whole = false;
                self.at += 1 + signed;
                self.take(digit);
            }
        }
        let text = self.text[start..self.at].replace('_', "");
        let bad = |lexer: &Lexer<'_>| lexer.error(format_args!("{text:?} is no number"));
        if self.peek(0) | 0x20 == b'j' {
            self.at += 1;
            return Ok(Token::Imaginary(text.parse().map_err(|_| bad(self))?));
        }
        if self.peek(0).is_ascii_alphanumeric() {
            return Err(self.error(format_args!("{text:?} runs into a word")));
        }
        Ok(if whole {
            Token::Int(text.parse().map_err(|_| bad(self))?)
        } else {
            Token::Float(text.parse().map_err(|_| bad(self))?)
        })
    }

    /// Whether a string begins here: the length of its prefix, and whether that says raw or bytes.
    fn string_prefix(&self) -> Option<(usize, bool, bool)> {
        let prefix: Vec<u8> = (0..2)
            .map(|i| self.peek(i).to_ascii_lowercase())
            .take_while(u8::is_ascii_alphabetic)
            .collect();
        let known: &[&[u8]] = &[b"", b"b", b"r", b"u", b"br", b"rb"];
        let is_string = matches!(self.peek(prefix.len()), b'\'' | b'"');
        (is_string && known.contains(&prefix.as_slice()))
            .then(|| (prefix.len(), prefix.contains(&b'r'), prefix.contains(&b'b')))
    }

    fn string(&mut self, (prefix, raw, bytes): (usize, bool, bool)) -> Result<Token> {
        self.at += prefix;
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        let closing = if triple { 3 } else { 1 };
        self.at += closing;
        let mut out = Vec::new();
        loop {
            if self.at >= self.text.len() {
                return Err(self.error("a string is not closed"));
            }
            if (0..closing).all(|i| self.peek(i) == quote) {
                self.at += closing;
                break;
            }
            match self.peek(0) {
                b'\\' if raw => {
                    let next = self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8);
                    out.extend(&self.text.as_bytes()[self.at..self.at + 1 + next]);
                    self.at += 1 + next;
                }
                b'\\' => self.escape(bytes, &mut out)?,
                b'\n' if !triple => return Err(self.error("a string is not closed")),
                c if bytes && !c.is_ascii() => {
                    return Err(self.error("bytes can only hold ASCII characters"));
                }
                c => {
                    out.push(c);
                    self.at += 1;
                }
            }
        }
        if bytes {
            return Ok(Token::Bytes(out));
        }
        String::from_utf8(out).map(Token::Str).map_err(|_| self.error("a string is not Unicode"))
    }

    /// One escape sequence behind a backslash.
    fn escape(&mut self, bytes: bool, out: &mut Vec<u8>) -> Result<()> {
        let c = self.peek(1);
        self.at += 2;
        let simple = match c {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' => c,
            b'\n' => return Ok(()),
            b'0'..=b'7' => {
                self.at -= 1;
                return self.code(8, 1, 3, bytes, out);
            }
            b'x' => return self.code(16, 2, 2, bytes, out),
            b'u' if !bytes => return self.code(16, 4, 4, bytes, out),
            b'U' if !bytes => return self.code(16, 8, 8, bytes, out),
            _ => {
                // An unknown escape stands for itself, backslash included.
                self.at -= 1;
                out.push(b'\\');
                return Ok(());
            }
        };
        out.push(simple);
        Ok(())
    }

    fn code(
        &mut self,
        radix: u32,
        least: usize,
        most: usize,
        bytes: bool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let count = (0..most).take_while(|&i| char::from(self.peek(i)).is_digit(radix)).count();
        if count < least {
            return Err(self.error("an escape sequence is cut short"));
        }
        let digits = &self.text[self.at..self.at + count];
        let value = u32::from_str_radix(digits, radix).map_err(|_| self.error("bad escape"))?;
        self.at += count;
        if bytes {
            out.push(value as u8);
            return Ok(());
        }
        let c = char::from_u32(value).ok_or_else(|| self.error("no such character"))?;
        out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }
}
