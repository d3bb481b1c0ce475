//! Parsing of attributes.
//!
//! Dialect attributes (`#stablehlo.gather<…>`) are kept as text with white space normalised; what
//! an operation needs of them is read by `fields`.

use tfjit_base::Result;

use super::number::{float_value, parse_element};
use super::parser::Parser;
use super::types::element_of;
use crate::{Attr, Attrs};

/// Whether `c` binds to its neighbours without a space in normalised text.
fn joins(c: char) -> bool {
    matches!(c, '<' | '(' | '[' | '{')
}

/// Text of an opaque attribute: runs of white space and comments outside strings become one space.
pub(super) fn normalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped, mut space) = (false, false, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if quoted {
            out.push(c);
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        if c == '/' && rest.peek() == Some(&'/') {
            rest.by_ref().find(|&c| c == '\n');
            space = true;
            continue;
        }
        if c.is_whitespace() {
            space = true;
            continue;
        }
        let tight = out.is_empty() || out.ends_with(joins) || matches!(c, '>' | ')' | ']' | '}');
        if space && !tight {
            out.push(' ');
        }
        space = false;
        quoted = c == '"';
        out.push(c);
    }
    out
}

impl<'t> Parser<'t> {
    /// Takes `{key = attribute, flag}` if it is next, into `attrs`.
    pub(super) fn optional_dict(&mut self, attrs: &mut Attrs) -> Result<()> {
        if self.cur.sees("{") { self.dict(attrs) } else { Ok(()) }
    }

    /// Takes `{key = attribute, flag}` into `attrs`.
    pub(super) fn dict(&mut self, attrs: &mut Attrs) -> Result<()> {
        self.cur.expect("{")?;
        self.dict_entries("}", attrs)
    }

    /// Takes `key = attribute, flag` up to and with `close`, into `attrs`.
    pub(super) fn dict_entries(&mut self, close: &str, attrs: &mut Attrs) -> Result<()> {
        self.list_until(close, |p| {
            p.cur.skip();
            let at = p.cur.pos();
            let key = match p.cur.byte() {
                Some(b'"') => p.cur.string()?,
                _ => p.cur.expect_word("the name of an attribute")?.to_owned(),
            };
            let value = if p.cur.eat("=") { p.attr()? } else { Attr::Unit };
            if attrs.contains_key(&key) {
                return Err(p.cur.fail_at(at, format_args!("a second attribute {key}")));
            }
            attrs.insert(key, value);
            Ok(())
        })?;
        Ok(())
    }

    /// Takes an attribute.
    pub(super) fn attr(&mut self) -> Result<Attr> {
        self.nested(|p| match p.cur.peek() {
            Some(b'"') => p.string_attr(),
            Some(b'[') => {
                p.cur.expect("[")?;
                Ok(Attr::Array(p.list_until("]", Parser::attr)?))
            }
            Some(b'{') => {
                let mut entries = Attrs::new();
                p.dict(&mut entries)?;
                Ok(Attr::Dict(entries))
            }
            Some(b'@') => p.symbol_attr(),
            Some(b'#') => p.dialect_attr(),
            Some(b'-' | b'0'..=b'9') => p.number_attr(),
            Some(b'!' | b'(') => p.type_attr(),
            _ => p.word_attr(),
        })
    }

    fn word_attr(&mut self) -> Result<Attr> {
        let Some(word) = self.cur.peek_word() else {
            return Err(self.cur.expected("an attribute"));
        };
        match word {
            "true" | "false" => {
                self.cur.word();
                Ok(Attr::Bool(word == "true"))
            }
            "unit" => {
                self.cur.word();
                Ok(Attr::Unit)
            }
            "array" => self.array_attr(),
            "dense" | "dense_resource" => self.dense_attr(),
            "affine_map" | "affine_set" | "sparse" | "opaque" | "strided" | "distinct" | "loc" => {
                self.opaque_word()
            }
            _ => self.type_attr(),
        }
    }

    /// Takes a word with the brackets behind it, and a type if there is one.
    fn opaque_word(&mut self) -> Result<Attr> {
        let start = self.cur.pos();
        self.cur.word();
        while matches!(self.cur.byte(), Some(b'<' | b'[' | b'(')) {
            self.cur.balanced()?;
        }
        if self.cur.eat(":") {
            self.type_attr()?;
        }
        Ok(Attr::Opaque(normalised(self.cur.slice(start, self.cur.pos()))))
    }

    fn string_attr(&mut self) -> Result<Attr> {
        let start = self.cur.clone();
        match self.cur.string() {
            Ok(text) => Ok(Attr::Str(text)),
            Err(_) => {
                // Binary configurations are no text: kept as they are written.
                self.cur = start;
                let raw = self.cur.raw_string()?;
                Ok(Attr::Opaque(format!("\"{raw}\"")))
            }
        }
    }

    fn symbol_attr(&mut self) -> Result<Attr> {
        let start = self.cur.pos();
        let name = self.cur.symbol()?;
        if !self.cur.sees("::") {
            return Ok(Attr::Symbol(name));
        }
        while self.cur.eat("::") {
            self.cur.symbol()?;
        }
        Ok(Attr::Opaque(normalised(self.cur.slice(start, self.cur.pos()))))
    }

    fn dialect_attr(&mut self) -> Result<Attr> {
        let at = self.cur.pos();
        let name = self.cur.sigil(b'#').ok_or_else(|| self.cur.expected("an attribute"))?;
        if self.cur.byte() == Some(b'<') {
            self.cur.balanced()?;
            return Ok(Attr::Opaque(normalised(self.cur.slice(at, self.cur.pos()))));
        }
        if let Some(attr) = self.in_alias('#', name, Parser::attr)? {
            return Ok(attr);
        }
        if name.contains('.') {
            return Ok(Attr::Opaque(format!("#{name}")));
        }
        Err(self.cur.fail_at(at, format_args!("the alias #{name} is not defined")))
    }

    /// Takes `1`, `1 : i64`, `1.0 : f32`, `0x7FC00000 : f32`.
    fn number_attr(&mut self) -> Result<Attr> {
        let start = self.cur.pos();
        let text = self.cur.number().ok_or_else(|| self.cur.expected("a number"))?;
        let suffix = if self.cur.eat(":") { self.cur.expect_word("a number's type")? } else { "" };
        let float = text.contains(['.', 'e', 'E']) && !text.contains("0x");
        if let Some(dtype) = element_of(suffix).filter(|d| d.is_float())
            && let Some(bits) = parse_element(dtype, text)
        {
            return Ok(Attr::Float(float_value(dtype, bits), suffix.to_owned()));
        }
        if float && suffix.is_empty() {
            let value = text.parse().map_err(|_| self.cur.fail_at(start, "not a number"))?;
            return Ok(Attr::Float(value, String::new()));
        }
        if float {
            return Err(self.cur.fail_at(start, format_args!("not a number of type {suffix}")));
        }
        match super::cursor::parse_integer(text) {
            Some(value) => Ok(Attr::Int(value, suffix.to_owned())),
            None => Ok(Attr::Opaque(normalised(self.cur.slice(start, self.cur.pos())))),
        }
    }

    /// Takes `array<i64: 1, 2>`.
    fn array_attr(&mut self) -> Result<Attr> {
        let start = self.cur.pos();
        self.cur.word();
        self.cur.expect("<")?;
        let element = self.cur.expect_word("an element type")?.to_owned();
        let mut integers = Some(Vec::new());
        if self.cur.eat(":") {
            self.list_until(">", |p| {
                let value = if p.cur.eat_word("true") {
                    Some(1)
                } else if p.cur.eat_word("false") {
                    Some(0)
                } else {
                    let text = p.cur.number().ok_or_else(|| p.cur.expected("a number"))?;
                    super::cursor::parse_integer(text)
                };
                match (value, &mut integers) {
                    (Some(value), Some(values)) => values.push(value),
                    _ => integers = None,
                }
                Ok(())
            })?;
        } else {
            self.cur.expect(">")?;
        }
        Ok(match integers {
            Some(values) => Attr::DenseArray(element, values),
            None => Attr::Opaque(normalised(self.cur.slice(start, self.cur.pos()))),
        })
    }

    /// Takes a literal. Layouts are literals of `index`, which is no element type of programs:
    /// they are kept as text.
    fn dense_attr(&mut self) -> Result<Attr> {
        let start = self.cur.pos();
        let literal = self.literal()?;
        let text = self.cur.slice(start, self.cur.pos());
        if text.ends_with("index>") {
            return Ok(Attr::Opaque(normalised(text)));
        }
        Ok(Attr::Dense(Box::new(literal)))
    }

    fn type_attr(&mut self) -> Result<Attr> {
        self.cur.skip();
        let start = self.cur.clone();
        let not_a_value_type = match self.ty() {
            Ok(ty) if !self.cur.sees("->") => return Ok(Attr::Type(ty)),
            Ok(_) => start.fail("a function type without parentheses"),
            Err(error) => error,
        };
        self.cur = start;
        let from = self.cur.pos();
        if self.skip_type().is_none() {
            return Err(not_a_value_type);
        }
        Ok(Attr::Opaque(normalised(self.cur.slice(from, self.cur.pos()))))
    }

    /// Steps over a type of any kind by its brackets.
    fn skip_type(&mut self) -> Option<()> {
        if self.cur.sees("(") {
            self.cur.balanced().ok()?;
            self.cur.expect("->").ok()?;
            if self.cur.sees("(") {
                return self.cur.balanced().ok().map(|_| ());
            }
        }
        if self.cur.peek() == Some(b'!') {
            self.cur.sigil(b'!')?;
        } else {
            let word = self.cur.word()?;
            let known = element_of(word).is_some()
                || matches!(word, "none" | "vector" | "memref" | "tensor" | "tuple" | "complex")
                || word.starts_with(['i', 'u', 's', 'f', 'b']) && word.ends_with(char::is_numeric);
            known.then_some(())?;
        }
        if self.cur.byte() == Some(b'<') {
            self.cur.balanced().ok()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Type;
    use tfjit_base::DType;

    fn parse(text: &str) -> Result<Attr> {
        let mut parser = Parser::new(text, 0)?;
        let attr = parser.attr()?;
        assert!(parser.cur.at_end(), "{text}");
        Ok(attr)
    }

    #[test]
    fn attributes_of_every_kind() {
        let opaque = |s: &str| Attr::Opaque(s.to_owned());
        for (text, want) in [
            ("unit", Attr::Unit),
            ("true", Attr::Bool(true)),
            ("-3", Attr::Int(-3, String::new())),
            ("3 : i32", Attr::Int(3, "i32".into())),
            ("0.5", Attr::Float(0.5, String::new())),
            ("1.0e-1 : f32", Attr::Float(f64::from(0.1f32), "f32".into())),
            ("0x7F800000 : f32", Attr::Float(f64::INFINITY, "f32".into())),
            (r#""a\0Ab""#, Attr::Str("a\nb".into())),
            (r#""\FF""#, opaque(r#""\FF""#)),
            ("@f", Attr::Symbol("f".into())),
            ("@f::@\"g h\"", opaque("@f::@\"g h\"")),
            (
                "[1, [@a]]",
                Attr::Array(vec![
                    Attr::Int(1, String::new()),
                    Attr::Array(vec![Attr::Symbol("a".into())]),
                ]),
            ),
            ("array<i64>", Attr::DenseArray("i64".into(), vec![])),
            ("array<i1: true, false>", Attr::DenseArray("i1".into(), vec![1, 0])),
            ("array<f32: 1.5>", opaque("array<f32: 1.5>")),
            ("tensor<2xf32>", Attr::Type(Type::tensor(DType::F32, &[2]))),
            ("i64", opaque("i64")),
            ("(tensor<f32>) -> ()", opaque("(tensor<f32>) -> ()")),
            ("affine_map<(d0) -> (d0 * 2)>", opaque("affine_map<(d0) -> (d0 * 2)>")),
            ("dense<[1, 0]> : tensor<2xindex>", opaque("dense<[1, 0]> : tensor<2xindex>")),
            ("#a.b<x =\n  [1,\t2] // c\n, \"y  z\">", opaque("#a.b<x = [1, 2] , \"y  z\">")),
            ("18446744073709551615 : ui64", opaque("18446744073709551615 : ui64")),
        ] {
            assert_eq!(parse(text).unwrap(), want, "{text}");
        }
        for wrong in ["#nowhere", "1 : ", "[1", "{a = }", "{a, a}", "1.5 : i32", "?", "floor"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
