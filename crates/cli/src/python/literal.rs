//! Values written as Python literals: numbers, strings, lists, tuples and dictionaries.

use tfjit_base::{Error, Result};

use super::lexer::{Lexer, Token};

/// Lists in lists: far beyond any tensor's rank.
const DEPTH_MAX: usize = 100;

/// One value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Literal {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
    Str(String),
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Literal>),
    /// A tuple.
    Tuple(Vec<Literal>),
    /// A dictionary, in the order written.
    Dict(Vec<(Literal, Literal)>),
}

impl Literal {
    /// What Python calls its type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Literal::None => "NoneType",
            Literal::Bool(_) => "bool",
            Literal::Int(_) => "int",
            Literal::Float(_) => "float",
            Literal::Complex(..) => "complex",
            Literal::Str(_) => "str",
            Literal::Bytes(_) => "bytes",
            Literal::List(_) => "list",
            Literal::Tuple(_) => "tuple",
            Literal::Dict(_) => "dict",
        }
    }
}

/// Reads one literal. With `relaxed`, the words of JSON and `nan` and `inf` are values too.
///
/// # Errors
/// INVALID_ARGUMENT with the position, for anything else; nothing is evaluated.
pub(crate) fn parse(text: &str, relaxed: bool) -> Result<Literal> {
    let mut parser = Parser { lexer: Lexer::new(text), token: Token::End, relaxed };
    parser.advance()?;
    let value = parser.value(0)?;
    match parser.token {
        Token::End => Ok(value),
        _ => Err(parser.lexer.error("text behind the literal")),
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    relaxed: bool,
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn eat(&mut self, punct: u8) -> Result<bool> {
        let found = self.token == Token::Punct(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn value(&mut self, depth: usize) -> Result<Literal> {
        if depth > DEPTH_MAX {
            return Err(self.lexer.error(format_args!("lists are nested deeper than {DEPTH_MAX}")));
        }
        let value = self.term(depth)?;
        let (Some(real), Token::Punct(sign @ (b'+' | b'-'))) = (real_part(&value), &self.token)
        else {
            return Ok(value);
        };
        let negative = *sign == b'-';
        self.advance()?;
        match self.advance()? {
            Token::Imaginary(im) => Ok(Literal::Complex(real, if negative { -im } else { im })),
            _ => Err(self.lexer.error("only an imaginary part can be added to a number")),
        }
    }

    fn term(&mut self, depth: usize) -> Result<Literal> {
        Ok(match self.advance()? {
            Token::Punct(sign @ (b'+' | b'-')) => {
                let mut negative = sign == b'-';
                while let Token::Punct(sign @ (b'+' | b'-')) = self.token {
                    negative ^= sign == b'-';
                    self.advance()?;
                }
                let number = self.term(depth)?;
                self.signed(number, negative)?
            }
            Token::Punct(b'[') => Literal::List(self.items(b']', depth)?.0),
            Token::Punct(b'(') => {
                let (mut items, comma) = self.items(b')', depth)?;
                match (items.len(), comma) {
                    (1, false) => items.swap_remove(0),
                    _ => Literal::Tuple(items),
                }
            }
            Token::Punct(b'{') => self.dict(depth)?,
            Token::Int(v) => Literal::Int(v),
            Token::Float(v) => Literal::Float(v),
            Token::Imaginary(im) => Literal::Complex(0.0, im),
            Token::Str(text) => self.joined_str(text)?,
            Token::Bytes(bytes) => self.joined_bytes(bytes)?,
            Token::Word(word) => self.word(&word)?,
            Token::Punct(_) | Token::End => return Err(self.lexer.error("a value is missing")),
        })
    }

    fn signed(&self, number: Literal, negative: bool) -> Result<Literal> {
        Ok(match number {
            Literal::Int(v) if negative => Literal::Int(-v),
            Literal::Float(v) if negative => Literal::Float(-v),
            Literal::Complex(re, im) if negative => Literal::Complex(-re, -im),
            Literal::Int(_) | Literal::Float(_) | Literal::Complex(..) => number,
            other => {
                return Err(self.lexer.error(format_args!("a {} has no sign", other.type_name())));
            }
        })
    }

    /// Values up to `close`, and whether a comma stood behind the last one.
    fn items(&mut self, close: u8, depth: usize) -> Result<(Vec<Literal>, bool)> {
        let mut items = Vec::new();
        let mut comma = false;
        while !self.eat(close)? {
            if !items.is_empty() && !comma {
                return Err(self.lexer.error("a comma is missing"));
            }
            items.push(self.value(depth + 1)?);
            comma = self.eat(b',')?;
        }
        Ok((items, comma))
    }

    fn dict(&mut self, depth: usize) -> Result<Literal> {
        let mut entries: Vec<(Literal, Literal)> = Vec::new();
        let mut comma = true;
        while !self.eat(b'}')? {
            if !comma {
                return Err(self.lexer.error("a comma is missing"));
            }
            let key = self.value(depth + 1)?;
            if !self.eat(b':')? {
                return Err(self.lexer.error("a colon is missing"));
            }
            let value = self.value(depth + 1)?;
            // As in Python, the last value of a key counts, at the place of the first.
            match entries.iter_mut().find(|(k, _)| *k == key) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
            comma = self.eat(b',')?;
        }
        Ok(Literal::Dict(entries))
    }

    fn joined_str(&mut self, mut text: String) -> Result<Literal> {
        while let Token::Str(more) = &self.token {
            text.push_str(more);
            self.advance()?;
        }
        Ok(Literal::Str(text))
    }

    fn joined_bytes(&mut self, mut bytes: Vec<u8>) -> Result<Literal> {
        while let Token::Bytes(more) = &self.token {
            bytes.extend(more);
            self.advance()?;
        }
        Ok(Literal::Bytes(bytes))
    }

    fn word(&self, word: &str) -> Result<Literal> {
        let strict = match word {
            "True" => Some(Literal::Bool(true)),
            "False" => Some(Literal::Bool(false)),
            "None" => Some(Literal::None),
            _ => None,
        };
        let relaxed = || match word {
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            "null" => Some(Literal::None),
            "nan" | "NaN" => Some(Literal::Float(f64::NAN)),
            "inf" | "Infinity" => Some(Literal::Float(f64::INFINITY)),
            _ => None,
        };
        strict
            .or_else(|| if self.relaxed { relaxed() } else { None })
            .ok_or_else(|| Error::invalid_argument(format!("{word:?} is not a literal")))
    }
}

fn real_part(value: &Literal) -> Option<f64> {
    match value {
        Literal::Int(v) => Some(*v as f64),
        Literal::Float(v) => Some(*v),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(values: &[i128]) -> Vec<Literal> {
        values.iter().map(|&v| Literal::Int(v)).collect()
    }

    #[test]
    fn literals_are_read() {
        let check = |text: &str, want: Literal| assert_eq!(parse(text, false).unwrap(), want);
        check("[1, 2,]", Literal::List(ints(&[1, 2])));
        check("(1)", Literal::Int(1));
        check("(1,)", Literal::Tuple(ints(&[1])));
        check("()", Literal::Tuple(vec![]));
        check("-1_000", Literal::Int(-1000));
        check("0x1F", Literal::Int(31));
        check("1e3", Literal::Float(1000.0));
        check(".5", Literal::Float(0.5));
        check("1+2j", Literal::Complex(1.0, 2.0));
        check("-1.5-2j", Literal::Complex(-1.5, -2.0));
        check("2J", Literal::Complex(0.0, 2.0));
        check("'a' \"b\"", Literal::Str("ab".into()));
        check("'\\u00e9\\x41\\101\\q'", Literal::Str("éAA\\q".into()));
        check("r'\\n'", Literal::Str("\\n".into()));
        check("b'\\xff\\0'", Literal::Bytes(vec![255, 0]));
        check("'''a\nb'''", Literal::Str("a\nb".into()));
        check("{'a': 1, 'a': 2}", Literal::Dict(vec![(Literal::Str("a".into()), Literal::Int(2))]));
        check("[True, None]", Literal::List(vec![Literal::Bool(true), Literal::None]));
    }

    #[test]
    fn nothing_is_evaluated() {
        for text in
            ["np.ones(3)", "1+1", "[1 2]", "", "[", "'a", "__import__('os')", "nan", "{1}", "1a"]
        {
            assert!(parse(text, false).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(5000), false).is_err());
        assert!(parse(&"-".repeat(5000), false).is_err());
        assert!(parse(&"1".repeat(60), false).is_err());
    }

    #[test]
    fn relaxed_words() {
        assert_eq!(parse("true", true).unwrap(), Literal::Bool(true));
        assert_eq!(parse("[-inf]", true).unwrap(), {
            Literal::List(vec![Literal::Float(f64::NEG_INFINITY)])
        });
    }
}
