//! Parsing of the pretty forms: regular ones by their row, and calls, dots and other small ones.

use smallvec::SmallVec;
use tfjit_base::Result;

use super::body::{Body, Raw};
use super::forms::{Form, Item, Types, Value, form};
use super::legacy::ANNOTATIONS;
use crate::{Attr, Attrs, BlockId, Type, ValueId};

/// Results of an instruction.
pub(super) type Values = SmallVec<[ValueId; 1]>;

pub(super) fn int_array(values: Vec<i64>) -> Attr {
    Attr::DenseArray("i64".to_owned(), values)
}

/// The attribute of an enumeration's variant.
pub(super) fn word_attr(kind: &str, word: &str) -> Attr {
    Attr::Opaque(format!("#stablehlo<{kind} {word}>"))
}

impl<'t> Body<'_, 't> {
    /// Takes an instruction in its pretty form, after its results, into `block`.
    pub(super) fn pretty(&mut self, block: BlockId) -> Result<Values> {
        let at = self.p.cur.pos();
        let name = self.p.cur.expect_word("an operation")?;
        let mut raw = Raw {
            name,
            at,
            operands: Vec::new(),
            attrs: Attrs::new(),
            regions: Vec::new(),
            results: Vec::new(),
        };
        match name {
            "call" | "func.call" => {
                raw.name = "func.call";
                self.call("callee", &mut raw)?;
            }
            "stablehlo.custom_call" => self.call("call_target_name", &mut raw)?,
            "stablehlo.composite" => self.composite(&mut raw)?,
            "stablehlo.constant" | "arith.constant" | "chlo.constant" => {
                self.pretty_constant(&mut raw)?;
            }
            "stablehlo.compare" => self.compare(&mut raw)?,
            "stablehlo.slice" => self.slice(&mut raw)?,
            "stablehlo.get_tuple_element" => self.get_tuple_element(&mut raw)?,
            "stablehlo.reduce_precision" => self.reduce_precision(&mut raw)?,
            "stablehlo.dot" | "stablehlo.dot_general" => self.dot(&mut raw)?,
            "stablehlo.convolution" | "stablehlo.dynamic_conv" => self.convolution(&mut raw)?,
            "stablehlo.reduce" => self.reduce(&mut raw)?,
            "stablehlo.while" => self.while_loop(&mut raw)?,
            "stablehlo.optimization_barrier" => self.barrier(&mut raw)?,
            "chlo.top_k" => self.top_k(&mut raw)?,
            "chlo.scan" => self.pretty_scan(&mut raw)?,
            _ if name.starts_with("check.") || name.starts_with("interpreter.") => {
                self.tester(&mut raw)?;
            }
            _ if ANNOTATIONS.contains(&name) => self.annotation(&mut raw)?,
            _ => match form(name) {
                Some(form) => self.regular(form, &mut raw)?,
                None => {
                    let message = format_args!("the operation {name} is not supported here");
                    return Err(self.p.unsupported_at(at, message));
                }
            },
        }
        self.finish(block, raw)
    }

    /// Takes a regular form after the operation's name.
    fn regular(&mut self, form: Form, raw: &mut Raw<'t>) -> Result<()> {
        let mut comma = false;
        while self.p.cur.sees("%") {
            raw.operands.push(self.operand()?);
            comma = self.p.cur.eat(",");
            if !comma {
                break;
            }
        }
        let mut first = raw.operands.is_empty();
        for item in form.items {
            if item.optional && !comma && !self.p.cur.sees(",") {
                continue;
            }
            if !comma && !first {
                self.p.cur.expect(",")?;
            }
            self.item(item, raw)?;
            (comma, first) = (false, false);
        }
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.types(form.types, raw)
    }

    /// Takes `key = value`.
    fn item(&mut self, item: &Item, raw: &mut Raw<'t>) -> Result<()> {
        self.p.cur.expect_key(item.key)?;
        let value = match item.value {
            Value::Dims => int_array(self.p.int_list()?),
            Value::Int => Attr::Int(self.p.cur.integer()?, "i64".to_owned()),
            Value::Bool => self.flag()?,
            Value::Word(kind) => word_attr(kind, self.p.cur.expect_word("a variant")?),
        };
        raw.attrs.insert(item.attr.to_owned(), value);
        Ok(())
    }

    fn flag(&mut self) -> Result<Attr> {
        if self.p.cur.eat_word("true") {
            return Ok(Attr::Bool(true));
        }
        self.p.cur.expect_keyword("false").map_err(|_| self.p.cur.expected("true or false"))?;
        Ok(Attr::Bool(false))
    }

    /// Takes `(types) -> types` behind `:`.
    pub(super) fn function(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        let types = self.p.function_type()?;
        self.check_types(raw.at, &raw.operands, &types.inputs)?;
        raw.results = types.results;
        Ok(())
    }

    /// Takes the types of an instruction.
    fn types(&mut self, types: Types, raw: &mut Raw<'t>) -> Result<()> {
        if types == Types::Function || self.p.cur.sees("(") {
            return self.function(raw);
        }
        let count = raw.operands.len();
        let first = self.p.cur.clone();
        let mut written = vec![self.p.ty()?];
        while self.p.cur.eat(",") {
            written.push(self.p.ty()?);
        }
        let last = written.last().cloned().unwrap_or(Type::Token);
        let operands: Vec<Type> = match (types, written.as_slice()) {
            (Types::Arrow, _) if self.p.cur.eat("->") => {
                raw.results = self.p.result_types()?;
                return self.check_types(raw.at, &raw.operands, &written);
            }
            (Types::Same | Types::Arrow, [_]) => vec![last.clone(); count],
            (Types::Result, [_]) => Vec::new(),
            (Types::Complex, [Type::Tensor(ty)]) if ty.dtype.is_complex() => {
                vec![Type::Tensor(ty.with_dtype(ty.dtype.real())); count]
            }
            (Types::Select, [pred, _]) => vec![pred.clone(), last.clone(), last.clone()],
            (Types::Tuple, [Type::Tuple(parts)]) => parts.clone(),
            (Types::Pairwise, _) => {
                raw.results = written.clone();
                return self.check_types(raw.at, &raw.operands, &written);
            }
            _ => return Err(first.expected(format_args!("the types of {}", raw.name))),
        };
        self.check_types(raw.at, &raw.operands, &operands)?;
        raw.results = vec![last];
        Ok(())
    }

    /// Takes `@name(operands) {attributes} : types`.
    fn call(&mut self, key: &str, raw: &mut Raw<'t>) -> Result<()> {
        let callee = self.p.cur.symbol()?;
        raw.attrs.insert(key.to_owned(), Attr::Symbol(callee));
        raw.operands = self.operands_in_parentheses()?;
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Takes `"name" operands {attributes} : types`.
    fn composite(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        let name = self.p.cur.string()?;
        raw.attrs.insert("name".to_owned(), Attr::Str(name));
        raw.operands = self.operands()?;
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Takes `{attributes} dense<…> : type`, or `() {value = …} : () -> type`.
    fn pretty_constant(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        if self.p.cur.eat("(") {
            self.p.cur.expect(")")?;
            if self.p.cur.eat("<") {
                self.p.dict(&mut raw.attrs)?;
                self.p.cur.expect(">")?;
            }
            self.p.optional_dict(&mut raw.attrs)?;
            self.p.cur.expect(":")?;
            return self.function(raw);
        }
        self.p.optional_dict(&mut raw.attrs)?;
        if !self.p.sees_literal() {
            return Err(self.p.cur.expected("a dense literal"));
        }
        let literal = self.p.literal()?;
        raw.results = vec![Type::Tensor(literal.ty().clone())];
        raw.attrs.insert("value".to_owned(), Attr::Dense(Box::new(literal)));
        Ok(())
    }

    /// Takes `LT, %a, %b, SIGNED {attributes} : types`.
    fn compare(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        let direction = self.p.cur.expect_word("a comparison direction")?;
        let direction = word_attr("comparison_direction", direction);
        raw.attrs.insert("comparison_direction".to_owned(), direction);
        self.p.cur.expect(",")?;
        raw.operands.push(self.operand()?);
        self.p.cur.expect(",")?;
        raw.operands.push(self.operand()?);
        if self.p.cur.eat(",") {
            let word = self.p.cur.expect_word("a comparison type")?;
            raw.attrs.insert("compare_type".to_owned(), word_attr("comparison_type", word));
        }
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Takes `%x [0:3, 0:2:1] {attributes} : types`.
    fn slice(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        raw.operands.push(self.operand()?);
        self.p.cur.expect("[")?;
        let ranges = self.p.list_until("]", |p| {
            let start = p.cur.integer()?;
            p.cur.expect(":")?;
            let limit = p.cur.integer()?;
            let stride = if p.cur.eat(":") { p.cur.integer()? } else { 1 };
            Ok([start, limit, stride])
        })?;
        for (i, key) in ["start_indices", "limit_indices", "strides"].into_iter().enumerate() {
            let values = ranges.iter().map(|range| range[i]).collect();
            raw.attrs.insert(key.to_owned(), int_array(values));
        }
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Takes `%tuple[0] {attributes} : types`.
    fn get_tuple_element(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        raw.operands.push(self.operand()?);
        self.p.cur.expect("[")?;
        let index = self.p.cur.integer()?;
        self.p.cur.expect("]")?;
        raw.attrs.insert("index".to_owned(), Attr::Int(index, "i32".to_owned()));
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Takes `%x, format = e5m10 {attributes} : type`.
    fn reduce_precision(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        raw.operands.push(self.operand()?);
        self.p.cur.expect(",")?;
        self.p.cur.expect_key("format")?;
        let start = self.p.cur.clone();
        let format = self.p.cur.word().unwrap_or_default();
        let bits = format.strip_prefix('e').and_then(|f| f.split_once('m'));
        let bits = bits.and_then(|(e, m)| Some((e.parse::<i32>().ok()?, m.parse::<i32>().ok()?)));
        let (exponent, mantissa) = bits.ok_or_else(|| start.expected("a format such as e5m10"))?;
        for (key, value) in [("exponent_bits", exponent), ("mantissa_bits", mantissa)] {
            raw.attrs.insert(key.to_owned(), Attr::Int(i64::from(value), "i32".to_owned()));
        }
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.types(Types::Same, raw)
    }

    /// Takes `%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1],
    /// precision = […], algorithm = <…> {attributes} : types`.
    fn dot(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        raw.operands.push(self.operand()?);
        self.p.cur.expect(",")?;
        raw.operands.push(self.operand()?);
        let mut numbers: Vec<String> = Vec::new();
        while self.p.cur.eat(",") {
            let start = self.p.cur.clone();
            let key = self.p.cur.word().unwrap_or_default();
            self.p.cur.expect("=")?;
            match key {
                "batching_dims" | "contracting_dims" => {
                    let left = self.p.int_list()?;
                    self.p.cur.expect_keyword("x")?;
                    let right = self.p.int_list()?;
                    let key = key.replace("dims", "dimensions");
                    numbers.push(format!("lhs_{key} = {left:?}, rhs_{key} = {right:?}"));
                }
                "precision" => {
                    let precision = self.precision()?;
                    raw.attrs.insert("precision_config".to_owned(), precision);
                }
                "algorithm" => {
                    let text = super::attrs::normalised(self.p.cur.balanced()?);
                    let algorithm = Attr::Opaque(format!("#stablehlo.dot_algorithm{text}"));
                    raw.attrs.insert("algorithm".to_owned(), algorithm);
                }
                _ => return Err(start.expected("batching_dims, contracting_dims or precision")),
            }
        }
        if raw.name == "stablehlo.dot_general" {
            let text = format!("#stablehlo.dot<{}>", numbers.join(", "));
            raw.attrs.insert("dot_dimension_numbers".to_owned(), Attr::Opaque(text));
        }
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Takes `[DEFAULT, HIGHEST]`.
    fn precision(&mut self) -> Result<Attr> {
        self.p.cur.expect("[")?;
        let words = self
            .p
            .list_until("]", |p| Ok(word_attr("precision", p.cur.expect_word("a precision")?)))?;
        Ok(Attr::Array(words))
    }

    /// Takes `{attributes} operands : types`, or `()`.
    fn barrier(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        self.p.optional_dict(&mut raw.attrs)?;
        if self.p.cur.eat("(") {
            return self.p.cur.expect(")");
        }
        raw.operands = self.operands()?;
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.types(Types::Pairwise, raw)
    }

    /// Takes `(%x, k = 2, largest = true) {attributes} : type -> (types)`.
    fn top_k(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        self.p.cur.expect("(")?;
        raw.operands.push(self.operand()?);
        while self.p.cur.eat(",") {
            let start = self.p.cur.clone();
            let key = self.p.cur.word().unwrap_or_default();
            self.p.cur.expect("=")?;
            let value = match key {
                "k" => Attr::Int(self.p.cur.integer()?, "i64".to_owned()),
                "largest" => self.flag()?,
                _ => return Err(start.expected("k or largest")),
            };
            raw.attrs.insert(key.to_owned(), value);
        }
        self.p.cur.expect(")")?;
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.types(Types::Arrow, raw)
    }

    /// Takes the operands of an assertion: values, a literal, `key = value`; then their types.
    fn tester(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        loop {
            if self.p.cur.sees("%") {
                raw.operands.push(self.operand()?);
            } else if self.p.sees_literal() {
                let literal = self.p.literal()?;
                raw.attrs.insert("value".to_owned(), Attr::Dense(Box::new(literal)));
            } else {
                let key = self.p.cur.expect_word("an operand, a literal or a key")?;
                self.p.cur.expect("=")?;
                let value = self.plain_value()?;
                raw.attrs.insert(key.to_owned(), value);
            }
            if !self.p.cur.eat(",") {
                break;
            }
        }
        self.p.optional_dict(&mut raw.attrs)?;
        if !self.p.cur.eat(":") {
            return Ok(());
        }
        if self.p.cur.sees("(") {
            return self.function(raw);
        }
        let mut types = vec![self.p.ty()?];
        while self.p.cur.eat(",") {
            types.push(self.p.ty()?);
        }
        if let [only] = types.as_slice() {
            types = vec![only.clone(); raw.operands.len()];
        }
        self.check_types(raw.at, &raw.operands, &types)?;
        if raw.name == "interpreter.probe" {
            raw.results = types;
        }
        self.p.optional_dict(&mut raw.attrs)
    }

    /// Takes a string or a number without its type.
    fn plain_value(&mut self) -> Result<Attr> {
        if self.p.cur.sees("\"") {
            return self.p.cur.string().map(Attr::Str);
        }
        let start = self.p.cur.clone();
        let text = self.p.cur.number().unwrap_or_default();
        let integer = super::cursor::parse_integer(text).map(|v| Attr::Int(v, "i64".to_owned()));
        let float = || text.parse().ok().map(|v| Attr::Float(v, "f64".to_owned()));
        integer.or_else(float).ok_or_else(|| start.expected("a string or a number"))
    }

    /// Takes `%x <sharding> : type`.
    fn annotation(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        raw.operands.push(self.operand()?);
        while !self.p.cur.sees(":") {
            if self.p.cur.word().is_some() {
                self.p.cur.eat("=");
            } else if self.p.cur.sees("<") || self.p.cur.sees("{") {
                self.p.cur.balanced()?;
            } else {
                return Err(self.p.cur.expected("a sharding and ':'"));
            }
        }
        self.p.cur.expect(":")?;
        self.types(Types::Same, raw)
    }
}
