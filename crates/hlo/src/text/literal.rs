//! Parsing of `dense<…> : type` and `dense_resource<…> : type`.

use tfjit_base::{DType, Error, Result, Shape, Tensor};

use super::number::parse_element;
use super::parser::Parser;
use crate::{Literal, TensorType};

impl<'t> Parser<'t> {
    /// Whether a literal is next.
    pub(super) fn sees_literal(&mut self) -> bool {
        matches!(self.cur.peek_word(), Some("dense" | "dense_resource"))
    }

    /// Takes a literal with its type.
    pub(super) fn literal(&mut self) -> Result<Literal> {
        let start = self.cur.clone();
        match self.cur.word() {
            Some("dense") => self.dense(),
            Some("dense_resource") => self.dense_resource(),
            _ => Err(start.expected("a dense literal")),
        }
    }

    /// Takes `<…> : type`. The type, which says how to read the data, stands behind it: it is read
    /// first.
    fn dense(&mut self) -> Result<Literal> {
        self.cur.expect("<")?;
        let body = self.cur.pos();
        self.skip_data()?;
        let (ty, shape) = self.literal_type()?;
        let end = self.cur.pos();
        self.cur.seek(body);
        let at = self.cur.clone();
        let literal = match self.cur.peek() {
            Some(b'"') => {
                let raw = self.cur.raw_string()?;
                from_hex(raw, &ty, &shape).map_err(|e| at.fail_at(body, e.message()))?
            }
            Some(b'[') | Some(b'>') => {
                let mut data = Vec::new();
                if !self.cur.sees(">") {
                    self.elements(&ty, &shape, &mut data)?;
                }
                Literal::dense(
                    Tensor::from_raw(ty.dtype, shape, &data)
                        .map_err(|e| at.fail_at(body, e.message()))?,
                )
            }
            _ => {
                let mut data = Vec::new();
                self.one_element(ty.dtype, &mut data)?;
                Literal::splat(Tensor::from_raw(ty.dtype, Shape::scalar(), &data)?, &shape)?
            }
        };
        self.cur.expect(">")?;
        self.cur.seek(end);
        Ok(literal.with_type(ty))
    }

    /// Takes the data and the `>` behind it without reading it.
    fn skip_data(&mut self) -> Result<()> {
        let start = self.cur.clone();
        loop {
            match self.cur.peek() {
                Some(b'"') => {
                    self.cur.raw_string()?;
                }
                Some(b'>') => return self.cur.expect(">"),
                Some(b) => {
                    self.cur.eat_byte(b);
                }
                None => return Err(start.fail("a literal without its closing '>'")),
            }
        }
    }

    fn literal_type(&mut self) -> Result<(TensorType, Shape)> {
        self.cur.expect(":")?;
        self.cur.skip();
        let at = self.cur.pos();
        let ty = self.tensor_type()?;
        let shape = ty.shape().map_err(|e| self.cur.fail_at(at, e.message()))?;
        if ty.dtype == DType::String {
            return Err(self.unsupported_at(at, "string literals are not supported"));
        }
        Ok((ty, shape))
    }

    /// Takes nested lists with the extents `dims`.
    fn elements(&mut self, ty: &TensorType, dims: &[usize], data: &mut Vec<u8>) -> Result<()> {
        let Some((&extent, inner)) = dims.split_first() else {
            return self.one_element(ty.dtype, data);
        };
        self.cur.expect("[")?;
        let mut count = 0;
        if !self.cur.eat("]") {
            loop {
                self.elements(ty, inner, data)?;
                count += 1;
                if self.cur.eat("]") {
                    break;
                }
                self.cur.expect(",")?;
            }
        }
        if count == extent {
            return Ok(());
        }
        Err(self.cur.fail(format_args!("a list of {count} where the type says {extent}")))
    }

    /// Takes `1`, `true`, `1.5`, `0x7FC00000` or `(1.0, 2.0)`.
    fn one_element(&mut self, dtype: DType, data: &mut Vec<u8>) -> Result<()> {
        if dtype.is_complex() && self.cur.eat("(") {
            self.real_element(dtype, data)?;
            self.cur.expect(",")?;
            self.real_element(dtype, data)?;
            return self.cur.expect(")");
        }
        self.real_element(dtype, data)?;
        if dtype.is_complex() {
            data.resize(data.len() + dtype.size() / 2, 0);
        }
        Ok(())
    }

    fn real_element(&mut self, dtype: DType, data: &mut Vec<u8>) -> Result<()> {
        self.cur.skip();
        let at = self.cur.pos();
        let text = match self.cur.number() {
            Some(number) => number,
            None => self.cur.word().unwrap_or_default(),
        };
        let Some(bits) = parse_element(dtype, text) else {
            self.cur.seek(at);
            return Err(self.cur.expected(format_args!("an element of type {dtype}")));
        };
        data.extend_from_slice(&bits.to_le_bytes()[..dtype.real().size()]);
        Ok(())
    }

    /// Takes `<name> : type`.
    fn dense_resource(&mut self) -> Result<Literal> {
        self.cur.expect("<")?;
        self.cur.skip();
        let at = self.cur.pos();
        let name = match self.cur.byte() {
            Some(b'"') => self.cur.string()?,
            _ => self.cur.expect_word("the name of a resource")?.to_owned(),
        };
        self.cur.expect(">")?;
        let (ty, shape) = self.literal_type()?;
        let Some(hex) = self.resources.get(&name) else {
            return Err(self.cur.fail_at(at, format_args!("the resource {name} has no data")));
        };
        // The first four bytes say how the data wants to be aligned.
        let data = hex.strip_prefix("0x").and_then(|h| h.get(8..)).unwrap_or_default();
        let literal = from_bytes(data, &ty, &shape);
        literal.map(|l| l.with_type(ty)).map_err(|e| self.cur.fail_at(at, e.message()))
    }
}

fn from_hex(text: &str, ty: &TensorType, shape: &Shape) -> Result<Literal> {
    let digits = text.strip_prefix("0x").ok_or_else(|| {
        Error::invalid_argument("a literal's string must be hexadecimal data, \"0x…\"")
    })?;
    from_bytes(digits, ty, shape)
}

/// A literal from little-endian bytes in hexadecimal: all elements, or one for all.
fn from_bytes(digits: &str, ty: &TensorType, shape: &Shape) -> Result<Literal> {
    let mut data = Vec::with_capacity(digits.len() / 2);
    let nibble = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    for pair in digits.as_bytes().chunks(2) {
        match (nibble(pair[0]), pair.get(1).and_then(|&b| nibble(b))) {
            (Some(high), Some(low)) => data.push(high << 4 | low),
            _ => return Err(Error::invalid_argument("hexadecimal data must be pairs of digits")),
        }
    }
    let (dtype, elements) = (ty.dtype, shape.checked_elements()?);
    if dtype == DType::Bool && data.len() != elements && data.len() == elements.div_ceil(8) {
        // Older MLIR packs eight booleans into a byte.
        data = (0..elements).map(|i| data[i / 8] >> (i % 8) & 1).collect();
    }
    narrow(dtype, &mut data);
    if data.len() == dtype.size() && elements != 1 {
        return Literal::splat(Tensor::from_raw(dtype, Shape::scalar(), &data)?, shape);
    }
    Ok(Literal::dense(Tensor::from_raw(dtype, shape.clone(), &data)?))
}

/// Brings the bytes of types narrower than a byte to the form tensors keep them in.
fn narrow(dtype: DType, data: &mut [u8]) {
    let spare = 8usize.saturating_sub(dtype.bits());
    if dtype == DType::Bool {
        data.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    } else if spare > 0 && dtype.is_signed_int() {
        data.iter_mut().for_each(|b| *b = ((*b << spare) as i8 >> spare) as u8);
    } else if spare > 0 {
        data.iter_mut().for_each(|b| *b = *b << spare >> spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Literal> {
        Parser::new(text, 0)?.literal()
    }

    fn ints(text: &str) -> Vec<i64> {
        parse(text).unwrap().to_tensor().unwrap().to_i64s().unwrap()
    }

    #[test]
    fn lists_follow_the_type() {
        assert_eq!(ints("dense<[[1, -2], [3, 0x10]]> : tensor<2x2xi32>"), [1, -2, 3, 16]);
        assert_eq!(ints("dense<> : tensor<0x3xi32>"), []);
        assert_eq!(ints("dense<[[], []]> : tensor<2x0xi8>"), []);
        assert_eq!(ints("dense<[true, false]> : tensor<2xi1>"), [1, 0]);
        for wrong in [
            "dense<[1, 2]> : tensor<3xi32>",
            "dense<[[1], [2]]> : tensor<2xi32>",
            "dense<[1, 2]> : tensor<2x1xi32>",
            "dense<1.5> : tensor<i32>",
            "dense<[1]> : tensor<?xi32>",
            "dense<> : tensor<2xi32>",
            "dense<[1,]> : tensor<2xi32>",
            "dense<1",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn splats_take_no_memory() {
        let l = parse("dense<0> : tensor<1000000000000xf32>").unwrap();
        assert_eq!(l.as_splat().unwrap().bytes(), [0; 4]);
        assert!(parse("dense<0> : tensor<1000000000000x1000000xf32>").is_err());
        let l = parse("dense<(1.0, -2.0)> : tensor<3xcomplex<f32>>").unwrap();
        assert_eq!(l.as_splat().unwrap().bytes(), [0, 0, 128, 63, 0, 0, 0, 192]);
    }

    #[test]
    fn hexadecimal_data_is_little_endian() {
        assert_eq!(ints(r#"dense<"0x01000000FEFFFFFF"> : tensor<2xi32>"#), [1, -2]);
        assert_eq!(ints(r#"dense<"0x07000000"> : tensor<2xi32>"#), [7, 7]);
        assert_eq!(ints(r#"dense<"0x0001"> : tensor<2xi1>"#), [0, 1]);
        assert_eq!(ints(r#"dense<"0x0501"> : tensor<9xi1>"#), [1, 0, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(ints(r#"dense<"0xFF"> : tensor<20xi1>"#), [1; 20]);
        assert_eq!(ints(r#"dense<"0x08FF"> : tensor<2xi4>"#), [-8, -1]);
        assert!(parse(r#"dense<"0x010"> : tensor<2xi8>"#).is_err());
        assert!(parse(r#"dense<"0x010203"> : tensor<2xi8>"#).is_err());
        assert!(parse(r#"dense<"hello"> : tensor<2xi8>"#).is_err());
    }

    #[test]
    fn resources_hold_data() {
        let trailer = "\n{-#\n dialect_resources: { builtin: { w: \"0x040000000102\" } }\n#-}\n";
        assert_eq!(ints(&format!("dense_resource<w> : tensor<2xi8>{trailer}")), [1, 2]);
        assert!(parse(&format!("dense_resource<v> : tensor<2xi8>{trailer}")).is_err());
        assert!(parse(&format!("dense_resource<w> : tensor<3xi8>{trailer}")).is_err());
    }
}
