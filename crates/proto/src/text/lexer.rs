//! Tokens of the text format, with their place.
//!
//! It must not know the schema. Numbers and words are told apart by their first byte; whether a
//! number fits is the reader's business.

use std::borrow::Cow;

use tfjit_base::{Error, Result};

/// One token; slices point into the text, quotes included for strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A name, `true`, `inf`, an enum value.
    Word(&'a [u8]),
    /// A number without sign.
    Number(&'a [u8]),
    /// A quoted string with its quotes and escapes.
    Str(&'a [u8]),
    /// One of the marks of the format.
    Punct(u8),
    /// The end of the text.
    End,
}

pub(super) struct Lexer<'a> {
    text: &'a [u8],
    /// Where the current token starts.
    start: usize,
    /// Where the next token is looked for.
    next: usize,
    token: Token<'a>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Result<Lexer<'a>> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut lexer = Lexer { text, start: 0, next: 0, token: Token::End };
        lexer.advance()?;
        Ok(lexer)
    }

    /// The current token.
    pub(super) fn peek(&self) -> Token<'a> {
        self.token
    }

    /// Moves on if the current token is `punct`.
    pub(super) fn eat(&mut self, punct: u8) -> Result<bool> {
        let found = self.token == Token::Punct(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Reads the next token.
    pub(super) fn advance(&mut self) -> Result<()> {
        self.skip_space();
        self.start = self.next;
        let Some(&first) = self.text.get(self.next) else {
            self.token = Token::End;
            return Ok(());
        };
        self.token = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Token::Word(self.take(is_word)),
            b'0'..=b'9' | b'.' => Token::Number(self.number()),
            b'"' | b'\'' => Token::Str(self.string(first)?),
            b'{' | b'}' | b'<' | b'>' | b'[' | b']' | b':' | b',' | b';' | b'-' | b'/' => {
                self.next += 1;
                Token::Punct(first)
            }
            other => return Err(self.error(format!("unexpected byte 0x{other:02x}"))),
        };
        Ok(())
    }

    fn skip_space(&mut self) {
        while let Some(&b) = self.text.get(self.next) {
            match b {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => self.next += 1,
                b'#' => {
                    self.take(|b| b != b'\n');
                }
                _ => return,
            }
        }
    }

    fn take(&mut self, keep: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text[self.next..];
        let len = rest.iter().position(|&b| !keep(b)).unwrap_or(rest.len());
        self.next += len;
        &rest[..len]
    }

    /// Digits, hex digits, point, exponent with its sign, and a trailing `f`.
    fn number(&mut self) -> &'a [u8] {
        let begin = self.next;
        loop {
            self.take(|b| is_word(b) || b == b'.');
            let so_far = &self.text[begin..self.next];
            let exponent = matches!(so_far.last(), Some(b'e' | b'E'))
                && !so_far.starts_with(b"0x")
                && !so_far.starts_with(b"0X");
            let sign = matches!(self.text.get(self.next), Some(b'+' | b'-'));
            if !(exponent && sign) {
                return so_far;
            }
            self.next += 1;
        }
    }

    fn string(&mut self, quote: u8) -> Result<&'a [u8]> {
        let mut at = self.next + 1;
        loop {
            match self.text.get(at) {
                None | Some(b'\n') => return Err(self.error("the string is not closed")),
                Some(b'\\') => at += 2,
                Some(&b) if b == quote => break,
                Some(_) => at += 1,
            }
        }
        let token = &self.text[self.next..=at];
        self.next = at + 1;
        Ok(token)
    }

    /// An error at the current token.
    pub(super) fn error(&self, message: impl std::fmt::Display) -> Error {
        self.error_at(self.start, message)
    }

    /// Where the current token starts.
    pub(super) fn place(&self) -> usize {
        self.start
    }

    /// An error at a place that [`Lexer::place`] gave.
    pub(super) fn error_at(&self, place: usize, message: impl std::fmt::Display) -> Error {
        let before = &self.text[..place.min(self.text.len())];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
        Error::invalid_argument(format!("{line}:{column}: {message}"))
    }

    /// The error of a token that should have been something else.
    pub(super) fn expected(&self, what: &str) -> Error {
        let found = match self.token {
            Token::End => Cow::Borrowed("the end of the text"),
            Token::Punct(p) => Cow::Owned(format!("'{}'", char::from(p))),
            Token::Word(t) | Token::Number(t) | Token::Str(t) => {
                String::from_utf8_lossy(&t[..t.len().min(40)])
            }
        };
        self.error(format!("expected {what}, found {found}"))
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}
