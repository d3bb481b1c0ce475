//! Parsing of types.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::{DType, Error, Result, limits};

use super::parser::Parser;
use crate::{DYNAMIC, Quant, TensorType, Type};

/// The element type names of MLIR that are one word.
const ELEMENT_NAMES: &[(&str, DType)] = &[
    ("i1", DType::Bool),
    ("i2", DType::I2),
    ("i4", DType::I4),
    ("i8", DType::I8),
    ("i16", DType::I16),
    ("i32", DType::I32),
    ("i64", DType::I64),
    ("ui2", DType::U2),
    ("ui4", DType::U4),
    ("ui8", DType::U8),
    ("ui16", DType::U16),
    ("ui32", DType::U32),
    ("ui64", DType::U64),
    ("f4E2M1FN", DType::F4E2M1FN),
    ("f6E2M3FN", DType::F6E2M3FN),
    ("f6E3M2FN", DType::F6E3M2FN),
    ("f8E3M4", DType::F8E3M4),
    ("f8E4M3", DType::F8E4M3),
    ("f8E4M3FN", DType::F8E4M3FN),
    ("f8E4M3FNUZ", DType::F8E4M3FNUZ),
    ("f8E4M3B11FNUZ", DType::F8E4M3B11FNUZ),
    ("f8E5M2", DType::F8E5M2),
    ("f8E5M2FNUZ", DType::F8E5M2FNUZ),
    ("f8E8M0FNU", DType::F8E8M0FNU),
    ("bf16", DType::BF16),
    ("f16", DType::F16),
    ("f32", DType::F32),
    ("f64", DType::F64),
    ("complex<f32>", DType::C64),
    ("complex<f64>", DType::C128),
];

/// Other spellings, read but not written.
const ELEMENT_SYNONYMS: &[(&str, DType)] = &[
    ("si2", DType::I2),
    ("si4", DType::I4),
    ("si8", DType::I8),
    ("si16", DType::I16),
    ("si32", DType::I32),
    ("si64", DType::I64),
    ("u2", DType::U2),
    ("u4", DType::U4),
    ("u8", DType::U8),
    ("u16", DType::U16),
    ("u32", DType::U32),
    ("u64", DType::U64),
    // Shapes of dynamic operations may be `index`; it is as wide as a pointer.
    ("index", DType::I64),
];

/// MLIR's name of an element type. `string` has none and prints under tfjit's own name.
pub(super) fn element_name(dtype: DType) -> &'static str {
    ELEMENT_NAMES.iter().find(|(_, d)| *d == dtype).map_or(dtype.name(), |(name, _)| name)
}

/// The element type that one word of MLIR means.
pub(super) fn element_of(name: &str) -> Option<DType> {
    ELEMENT_NAMES.iter().chain(ELEMENT_SYNONYMS).find(|(n, _)| *n == name).map(|(_, d)| *d)
}

/// An element type with quantisation, as it stands inside `tensor<…>`.
struct Element {
    dtype: DType,
    quant: Option<Arc<Quant>>,
}

/// Types in parentheses on both sides of an arrow.
#[derive(Debug, PartialEq)]
pub(super) struct FunctionType {
    pub(super) inputs: Vec<Type>,
    pub(super) results: Vec<Type>,
}

impl<'t> Parser<'t> {
    /// Takes a type.
    pub(super) fn ty(&mut self) -> Result<Type> {
        self.nested(|p| {
            let at = p.cur.pos();
            if p.cur.peek() == Some(b'!') {
                return p.dialect_type();
            }
            match p.cur.peek_word() {
                Some("tensor") => {
                    p.cur.word();
                    p.tensor_body().map(Type::Tensor)
                }
                Some("tuple") => {
                    p.cur.word();
                    p.cur.expect("<")?;
                    let parts = p.list_until(">", Parser::ty)?;
                    Ok(Type::Tuple(parts))
                }
                Some(word) if word == "none" || word == "index" || element_of(word).is_some() => {
                    p.cur.seek(at);
                    Err(p.cur.expected("a tensor, token or tuple type"))
                }
                _ => Err(p.cur.expected("a type")),
            }
        })
    }

    fn dialect_type(&mut self) -> Result<Type> {
        let at = self.cur.pos();
        let name = self.cur.sigil(b'!').ok_or_else(|| self.cur.expected("a type"))?;
        if matches!(name, "stablehlo.token" | "mhlo.token") {
            return Ok(Type::Token);
        }
        if let Some(ty) = self.in_alias('!', name, Parser::ty)? {
            return Ok(ty);
        }
        Err(self.unsupported_at(at, format_args!("the type !{name} is not supported")))
    }

    /// Takes a tensor type.
    pub(super) fn tensor_type(&mut self) -> Result<TensorType> {
        let start = self.cur.clone();
        match self.ty()? {
            Type::Tensor(ty) => Ok(ty),
            Type::Token | Type::Tuple(_) => Err(start.expected("a tensor type")),
        }
    }

    /// Takes `<2x?xf32, #stablehlo.bounds<…>>`.
    fn tensor_body(&mut self) -> Result<TensorType> {
        self.cur.expect("<")?;
        if self.cur.sees("*") {
            let at = self.cur.pos();
            return Err(self.unsupported_at(at, "tensors of unknown rank are not supported"));
        }
        let mut dims = SmallVec::new();
        self.cur.skip();
        while let Some(extent) = self.dimension()? {
            dims.push(extent);
            if dims.len() > limits::RANK_MAX {
                return Err(self
                    .cur
                    .fail(format_args!("a tensor of more than {} dimensions", limits::RANK_MAX)));
            }
        }
        let element = self.element()?;
        let mut ty = TensorType {
            dtype: element.dtype,
            dims,
            bounds: SmallVec::new(),
            quant: element.quant,
        };
        if self.cur.eat(",") {
            ty.bounds = self.encoding(ty.dims.len())?;
        }
        self.cur.expect(">")?;
        Ok(ty)
    }

    /// Takes `3x` or `?x`.
    fn dimension(&mut self) -> Result<Option<i64>> {
        let extent = if self.cur.eat_byte(b'?') {
            DYNAMIC
        } else {
            let at = self.cur.pos();
            let Some(digits) = self.cur.digits() else { return Ok(None) };
            digits.parse().map_err(|_| self.cur.fail_at(at, "an extent above 2^63"))?
        };
        if !self.cur.eat_byte(b'x') {
            return Err(self.cur.expected("'x' after an extent"));
        }
        Ok(Some(extent))
    }

    fn element(&mut self) -> Result<Element> {
        let at = self.cur.pos();
        if self.cur.byte() == Some(b'!') {
            let name = self.cur.sigil(b'!').ok_or_else(|| self.cur.expected("a type"))?;
            if name == "quant.uniform" {
                return self.quantised();
            }
            if let Some(element) = self.in_alias('!', name, Parser::element)? {
                return Ok(element);
            }
            let message = format_args!("the element type !{name} is not supported");
            return Err(self.unsupported_at(at, message));
        }
        let word = self.cur.word().ok_or_else(|| self.cur.expected("an element type"))?;
        let dtype = if word == "complex" {
            self.cur.expect("<")?;
            let part = self.cur.word();
            self.cur.expect(">")?;
            match part {
                Some("f32") => Some(DType::C64),
                Some("f64") => Some(DType::C128),
                _ => None,
            }
        } else {
            element_of(word)
        };
        match dtype {
            Some(dtype) => Ok(Element { dtype, quant: None }),
            None => {
                Err(self.unsupported_at(at, format_args!("the element type {word} is unknown")))
            }
        }
    }

    /// Takes `<i8<-127:127>:f32:1, {0.5:3, 0.25}>`.
    fn quantised(&mut self) -> Result<Element> {
        self.cur.expect("<")?;
        let dtype = self.scalar_name("a storage type")?;
        let mut storage_range = None;
        if self.cur.eat("<") {
            let low = self.cur.integer()?;
            self.cur.expect(":")?;
            storage_range = Some((low, self.cur.integer()?));
            self.cur.expect(">")?;
        }
        self.cur.expect(":")?;
        let expressed = self.scalar_name("an expressed type")?;
        let mut axis = None;
        if self.cur.eat(":") {
            let at = self.cur.clone();
            let number = usize::try_from(self.cur.integer()?).ok();
            axis = Some(number.ok_or_else(|| at.expected("a dimension number"))?);
        }
        self.cur.expect(",")?;
        let steps = match axis {
            Some(_) => {
                self.cur.expect("{")?;
                self.list_until("}", Parser::quant_step)?
            }
            None => vec![self.quant_step()?],
        };
        self.cur.expect(">")?;
        let (scale_bits, zero_points) = steps.into_iter().unzip();
        let quant = Quant { expressed, storage_range, axis, scale_bits, zero_points };
        Ok(Element { dtype, quant: Some(Arc::new(quant)) })
    }

    fn scalar_name(&mut self, what: &str) -> Result<DType> {
        let start = self.cur.clone();
        self.cur.word().and_then(element_of).ok_or_else(|| start.expected(what))
    }

    /// Takes `SCALE` or `SCALE:ZERO_POINT`.
    fn quant_step(&mut self) -> Result<(u64, i64)> {
        let start = self.cur.clone();
        let scale: Option<f64> = self.cur.number().and_then(|n| n.parse().ok());
        let scale = scale.filter(|s| s.is_finite()).ok_or_else(|| start.expected("a scale"))?;
        let zero_point = if self.cur.eat(":") { self.cur.integer()? } else { 0 };
        Ok((scale.to_bits(), zero_point))
    }

    /// Takes the bounds that stand behind the comma of a tensor type.
    fn encoding(&mut self, rank: usize) -> Result<SmallVec<[i64; 2]>> {
        self.cur.skip();
        let at = self.cur.pos();
        let name = self.cur.sigil(b'#').ok_or_else(|| self.cur.expected("an encoding"))?;
        let (open, close) = match name {
            "stablehlo.bounds" | "mhlo.bounds" => ("<", ">"),
            "stablehlo.type_extensions" | "mhlo.type_extensions" => ("[", "]"),
            _ => {
                if let Some(bounds) = self.in_alias('#', name, |p| p.encoding(rank))? {
                    return Ok(bounds);
                }
                let message = format_args!("the encoding #{name} is not supported");
                return Err(self.unsupported_at(at, message));
            }
        };
        if open == "[" {
            self.cur.expect("<")?;
            self.cur.expect_key("bounds")?;
        }
        self.cur.expect(open)?;
        let bounds =
            self.list_until(close, |p| if p.cur.eat("?") { Ok(DYNAMIC) } else { p.cur.integer() })?;
        if open == "[" {
            self.cur.expect(">")?;
        }
        if bounds.len() != rank {
            let message = format!("{} bounds for a tensor of rank {rank}", bounds.len());
            return Err(self.cur.fail_at(at, message));
        }
        Ok(SmallVec::from_vec(bounds))
    }

    /// Takes `(types) -> type` or `(types) -> (types)`.
    pub(super) fn function_type(&mut self) -> Result<FunctionType> {
        self.cur.expect("(")?;
        let inputs = self.list_until(")", Parser::ty)?;
        self.cur.expect("->")?;
        Ok(FunctionType { inputs, results: self.result_types()? })
    }

    /// Takes one type, or any number in parentheses.
    pub(super) fn result_types(&mut self) -> Result<Vec<Type>> {
        if self.cur.eat("(") { self.list_until(")", Parser::ty) } else { Ok(vec![self.ty()?]) }
    }

    /// An UNIMPLEMENTED error with the place shown.
    pub(super) fn unsupported_at(&self, at: usize, message: impl std::fmt::Display) -> Error {
        let mut place = self.cur.clone();
        place.seek(at);
        place.skip();
        Error::unimplemented(place.fail(message).message())
    }
}
