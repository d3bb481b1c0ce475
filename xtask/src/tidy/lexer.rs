//! Rust text to tokens with line numbers: just enough to count without being fooled by strings
//! and comments. It knows no grammar.

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A word: identifier or keyword.
    Word(&'a str),
    /// One character of punctuation.
    Punct(char),
    /// A string, character or number.
    Literal,
}

/// All tokens of `text`, each with its line, counted from 1.
pub(super) fn tokens(text: &str) -> Vec<(Token<'_>, usize)> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut out = Vec::new();
    while let Some(pair) = lexer.next() {
        out.push(pair);
    }
    out
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        self.line += self.text[self.at..end].matches('\n').count();
        self.at = end;
    }

    fn next(&mut self) -> Option<(Token<'a>, usize)> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            let line = self.line;
            if first.is_whitespace() {
                self.skip(first.len_utf8());
            } else if rest.starts_with("//") {
                self.skip(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.skip(block_comment(rest));
            } else if let Some(bytes) = string(rest) {
                self.skip(bytes);
                return Some((Token::Literal, line));
            } else if first == '\'' {
                return Some((self.quote(), line));
            } else if first.is_alphanumeric() || first == '_' {
                return Some((self.word(first), line));
            } else {
                self.skip(first.len_utf8());
                return Some((Token::Punct(first), line));
            }
        }
    }

    /// A character literal, or the tick of a lifetime.
    fn quote(&mut self) -> Token<'a> {
        let mut chars = self.rest().char_indices().skip(1);
        let (_, first) = chars.next().unwrap_or((0, ' '));
        let end = match first {
            '\\' => self.rest()[3.min(self.rest().len())..].find('\'').map(|i| i + 4),
            _ => chars.next().filter(|&(_, c)| c == '\'').map(|(i, _)| i + 1),
        };
        self.skip(end.unwrap_or(1));
        end.map_or(Token::Punct('\''), |_| Token::Literal)
    }

    fn word(&mut self, first: char) -> Token<'a> {
        let rest = self.rest();
        let raw = if rest.starts_with("r#") { 2 } else { 0 };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let bytes = rest[raw..].find(|c| !is_word(c)).map_or(rest.len(), |i| i + raw);
        self.skip(bytes);
        if first.is_numeric() { Token::Literal } else { Token::Word(&rest[raw..bytes]) }
    }
}

/// Bytes of the nested comment that `text` starts with.
fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Bytes of the string literal that `text` starts with, if it does.
fn string(text: &str) -> Option<usize> {
    let prefix = ["\"", "b\"", "c\"", "r", "br", "cr"].into_iter().rev();
    let prefix = prefix.into_iter().find(|p| text.starts_with(p))?;
    if let Some(quote) = prefix.find('"') {
        let body = quote + 1;
        let mut escaped = false;
        for (i, byte) in text.bytes().enumerate().skip(body) {
            match byte {
                b'"' if !escaped => return Some(i + 1),
                b'\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        return Some(text.len());
    }
    let hashes = text[prefix.len()..].bytes().take_while(|&b| b == b'#').count();
    let body = prefix.len() + hashes;
    if text.as_bytes().get(body) != Some(&b'"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    Some(text[body + 1..].find(&close).map_or(text.len(), |i| body + 1 + i + close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(&str, usize)> {
        let words = tokens(text).into_iter().filter_map(|(token, line)| match token {
            Token::Word(word) => Some((word, line)),
            Token::Punct(_) | Token::Literal => None,
        });
        words.collect()
    }

    #[test]
    fn strings_and_comments_hide_words() {
        let text =
            "a // unsafe\n/* /* b */ unsafe */ \"unsafe \\\" unsafe\" c\nr#\"x\" y\"# d 'e' 'f: g";
        assert_eq!(words(text), [("a", 1), ("c", 2), ("d", 3), ("f", 3), ("g", 3)]);
    }

    #[test]
    fn characters_and_raw_words() {
        assert_eq!(
            words("'\\'' a '\\u{7f}' b '\"' c r#fn br\"\\\" d"),
            [("a", 1), ("b", 1), ("c", 1), ("fn", 1), ("d", 1)]
        );
        assert_eq!(words("rest bits crate"), [("rest", 1), ("bits", 1), ("crate", 1)]);
    }
}
