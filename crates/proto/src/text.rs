//! The protobuf text format, read by schema and rewritten as wire bytes.
//!
//! Transcoding instead of building messages keeps one decoder (prost's) in charge of what a
//! message is. Extensions and `Any` in brackets are skipped. It must not know what any field
//! means.

use tfjit_base::{Error, Result, limits};

use crate::bytes::Bytes;
use crate::schema::{self, FieldSchema, Kind, MessageSchema};
use crate::wire;
use lexer::{Lexer, Token};

mod lexer;
mod scalar;

/// The wire bytes of the message `schema_name` written in text format.
///
/// # Errors
/// INVALID_ARGUMENT with line and column for a syntax error, an unknown field or enum value, a
/// value that does not fit its field, or nesting deeper than [`limits::TEXT_DEPTH_MAX`].
pub fn to_wire(schema_name: &str, text: &[u8]) -> Result<Bytes> {
    let message = schema::message(schema_name)
        .ok_or_else(|| Error::internal(format!("no message is called {schema_name}")))?;
    let mut reader = Reader { lexer: Lexer::new(text)?, out: Vec::new() };
    reader.fields(message, None, 0)?;
    Ok(Bytes::from(reader.out))
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    out: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Fields up to `close` (or the end of the file, for the outermost message).
    fn fields(
        &mut self,
        message: &'static MessageSchema,
        close: Option<u8>,
        depth: usize,
    ) -> Result<()> {
        if depth > limits::TEXT_DEPTH_MAX {
            return Err(self
                .lexer
                .error(format!("messages are nested deeper than {}", limits::TEXT_DEPTH_MAX)));
        }
        loop {
            match (self.lexer.peek(), close) {
                (Token::End, None) => return Ok(()),
                (Token::Punct(p), Some(c)) if p == c => {
                    self.lexer.advance()?;
                    return Ok(());
                }
                (Token::Punct(b'['), _) => self.skip_extension(depth)?,
                (Token::Word(name), _) => self.field(message, name, depth)?,
                (_, _) => return Err(self.lexer.expected("a field name")),
            }
            if let Token::Punct(b',' | b';') = self.lexer.peek() {
                self.lexer.advance()?;
            }
        }
    }

    fn field(&mut self, message: &'static MessageSchema, name: &[u8], depth: usize) -> Result<()> {
        let Some(field) = message.fields.iter().find(|f| f.name.as_bytes() == name) else {
            return Err(self.lexer.error(format!(
                "{} has no field called {}",
                message.name,
                String::from_utf8_lossy(name)
            )));
        };
        self.lexer.advance()?;
        let colon = self.lexer.eat(b':')?;
        if !colon && !matches!(field.kind, Kind::Message(_)) {
            return Err(self.lexer.expected("':'"));
        }
        if self.lexer.peek() == Token::Punct(b'[') {
            return self.list(field, depth);
        }
        self.value(field, depth)
    }

    fn list(&mut self, field: &'static FieldSchema, depth: usize) -> Result<()> {
        if !field.repeated {
            return Err(self.lexer.error(format!("the field {} takes one value", field.name)));
        }
        self.lexer.advance()?;
        if self.lexer.eat(b']')? {
            return Ok(());
        }
        loop {
            self.value(field, depth)?;
            if self.lexer.eat(b']')? {
                return Ok(());
            }
            if !self.lexer.eat(b',')? {
                return Err(self.lexer.expected("',' or ']'"));
            }
        }
    }

    fn value(&mut self, field: &'static FieldSchema, depth: usize) -> Result<()> {
        let Kind::Message(index) = field.kind else {
            return scalar::write(&mut self.lexer, field, &mut self.out);
        };
        let close = match self.lexer.peek() {
            Token::Punct(b'{') => b'}',
            Token::Punct(b'<') => b'>',
            _ => return Err(self.lexer.expected("'{'")),
        };
        self.lexer.advance()?;
        let start = self.out.len();
        self.fields(&schema::MESSAGES[index], Some(close), depth + 1)?;
        // The length goes in front of a body of unknown size: rotate the short head into place.
        let body = self.out.len() - start;
        wire::head(field.number, wire::BYTES, &mut self.out);
        wire::varint(body as u64, &mut self.out);
        self.out[start..].rotate_left(body);
        Ok(())
    }

    /// Skips `[any.name] { ... }` or `[any.name]: value`.
    fn skip_extension(&mut self, depth: usize) -> Result<()> {
        while !self.lexer.eat(b']')? {
            if self.lexer.peek() == Token::End {
                return Err(self.lexer.expected("']'"));
            }
            self.lexer.advance()?;
        }
        self.lexer.eat(b':')?;
        self.skip_value(depth)
    }

    fn skip_value(&mut self, depth: usize) -> Result<()> {
        let mut open = 0usize;
        loop {
            match self.lexer.peek() {
                Token::End => return Err(self.lexer.expected("a value")),
                Token::Punct(b'{' | b'<' | b'[') => open += 1,
                Token::Punct(b'}' | b'>' | b']') => {
                    open = open.checked_sub(1).ok_or_else(|| self.lexer.expected("a value"))?;
                }
                _ => {}
            }
            if depth + open > limits::TEXT_DEPTH_MAX {
                return Err(self.lexer.error("values are nested too deep"));
            }
            self.lexer.advance()?;
            if open == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;
    use crate::tensorflow::{GraphDef, attr_value};

    fn graph(text: &str) -> Result<GraphDef> {
        Ok(GraphDef::decode(to_wire(GraphDef::SCHEMA, text.as_bytes())?).unwrap())
    }

    #[test]
    fn a_graph_is_read() {
        let g = graph(
            r#"
            # A comment.
            node {
              name: "a" 'b'  op: "Const"
              input: ["x", "y:1"]
              attr { key: "dtype" value { type: DT_FLOAT } }
              attr < key: "value" value: { tensor { dtype: 1 tensor_shape { dim { size: 2 } }
                tensor_content: "\000\001\x41\n\"" float_val: -1.5 float_val: [inf, 2f] } } >
              attr { key: "i" value { i: -0x10 } }
              attr { key: "b" value { b: true } };
            }
            library { }  versions { producer: 1395 }
            "#,
        )
        .unwrap();
        let node = &g.node[0];
        assert_eq!((node.name.as_str(), node.op.as_str()), ("ab", "Const"));
        assert_eq!(node.input, ["x", "y:1"]);
        let value = |k: &str| node.attr[k].value.clone().unwrap();
        assert_eq!(value("dtype"), attr_value::Value::Type(1));
        assert_eq!(value("i"), attr_value::Value::I(-16));
        let attr_value::Value::Tensor(t) = value("value") else { panic!() };
        assert_eq!(t.tensor_content.as_ref(), b"\0\x01A\n\"");
        assert_eq!(t.float_val, [-1.5, f32::INFINITY, 2.0]);
        assert_eq!(g.versions.unwrap().producer, 1395);
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, want) in [
            ("node {\n  nam: 'x' }", "2:3: tensorflow.NodeDef has no field called nam"),
            ("node { name: 3 }", "1:14: expected a string"),
            ("node { name 'x' }", "1:13: expected ':'"),
            ("node {", "1:7: expected a field name"),
            ("version: 99999999999", "1:10: 99999999999 does not fit"),
            ("node { name: 'x", "1:14: the string is not closed"),
            ("version: [1]", "1:10: the field version takes one value"),
            ("node { attr { value { type: DT_NONE } } }", "1:29: tensorflow.DataType has no value"),
            ("\u{1}", "1:1: unexpected byte 0x01"),
        ] {
            let e = graph(text).unwrap_err().to_string();
            assert!(e.contains(want), "{text}: {e}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let text = format!(
            "node {{ attr {{ value {{ tensor {{ {}",
            "variant_val { tensors { ".repeat(500)
        );
        let e = graph(&text).unwrap_err().to_string();
        assert!(e.contains("nested deeper"), "{e}");
    }

    #[test]
    fn extensions_are_skipped() {
        let g = graph("[type.googleapis.com/x.Y] { a: { b: 1 } } node { name: 'x' }").unwrap();
        assert_eq!(g.node.len(), 1);
    }
}
