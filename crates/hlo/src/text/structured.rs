//! Parsing of the pretty forms with parts of their own: `convolution`, `reduce` and `while`.

use tfjit_base::Result;

use super::attrs::normalised;
use super::body::{Body, Raw};
use super::build::build;
use super::pretty::int_array;
use crate::{Attr, Attrs, Block, BlockId, TensorType, Type, ValueId};

impl<'t> Body<'_, 't> {
    /// Takes `(%a, %b) dim_numbers = […]x[…]->[…], window = {…} {attributes} : types`.
    pub(super) fn convolution(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        raw.operands = self.operands_in_parentheses()?;
        self.p.cur.expect_key("dim_numbers")?;
        self.p.cur.skip();
        let start = self.p.cur.pos();
        self.p.cur.balanced()?;
        self.p.cur.expect_keyword("x")?;
        self.p.cur.balanced()?;
        self.p.cur.expect("->")?;
        self.p.cur.balanced()?;
        let numbers = normalised(self.p.cur.slice(start, self.p.cur.pos()));
        let numbers = Attr::Opaque(format!("#stablehlo.conv<{numbers}>"));
        raw.attrs.insert("dimension_numbers".to_owned(), numbers);
        self.p.cur.expect(",")?;
        self.p.cur.expect_key("window")?;
        self.p.cur.expect("{")?;
        let mut window = Attrs::new();
        self.p.dict_entries("}", &mut window)?;
        for (key, value) in window {
            let attr = match key.as_str() {
                "stride" => "window_strides",
                "pad" => "padding",
                "lhs_dilate" => "lhs_dilation",
                "rhs_dilate" => "rhs_dilation",
                "reverse" => "window_reversal",
                _ => return Err(self.p.cur.fail(format_args!("the window key {key} is unknown"))),
            };
            raw.attrs.insert(attr.to_owned(), value);
        }
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Takes `(%a init: %b), … applies NAME across dimensions = [0] {attributes} : types`, or
    /// without `applies` and with `reducer(%x: type, %y: type) … {region}` at the end.
    pub(super) fn reduce(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        let mut inits = Vec::new();
        loop {
            self.p.cur.expect("(")?;
            raw.operands.push(self.operand()?);
            self.p.cur.expect_keyword("init")?;
            self.p.cur.expect(":")?;
            inits.push(self.operand()?);
            self.p.cur.expect(")")?;
            if !self.p.cur.eat(",") {
                break;
            }
        }
        raw.operands.append(&mut inits);
        let mut applied = None;
        if self.p.cur.eat_word("applies") {
            applied = Some(self.p.cur.expect_word("an operation")?);
        }
        self.p.cur.expect_keyword("across")?;
        self.p.cur.expect_key("dimensions")?;
        let dimensions = int_array(self.p.int_list()?);
        raw.attrs.insert("dimensions".to_owned(), dimensions);
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)?;
        let region = match applied {
            Some(name) => self.applied_region(name, raw)?,
            None => self.reducer(raw)?,
        };
        raw.regions.push(region);
        Ok(())
    }

    /// The region that applies one binary operation to its two parameters.
    fn applied_region(&mut self, name: &str, raw: &Raw<'t>) -> Result<BlockId> {
        let scalar = match raw.operands.as_slice() {
            &[_, init] => self.func.tensor_ty(init).map(|ty| TensorType::with_dims(ty, &[])),
            _ => None,
        };
        let op = build(name, &mut Attrs::new()).ok().filter(|op| op.row().operands == (2, 2));
        let (Some(scalar), Some(op)) = (scalar, op) else {
            return Err(self.p.cur.fail_at(
                raw.at,
                format_args!("'applies {name}' needs a binary operation and one operand to reduce"),
            ));
        };
        let scalar = Type::Tensor(scalar);
        let block = self.func.blocks.push(Block::default());
        let params = [(); 2].map(|()| self.func.add_param(block, scalar.clone()));
        let inst = self.func.add_inst(op, &params, &[], vec![scalar]);
        let results = self.func.insts[inst].results.to_vec();
        self.func.blocks[block].insts.push(inst);
        self.func.blocks[block].results = results;
        Ok(block)
    }

    /// Takes `reducer(%x0: type, %y0: type) (%x1: type, %y1: type) … {region}`; the block's
    /// parameters are all first ones, then all second ones.
    fn reducer(&mut self, raw: &Raw<'t>) -> Result<BlockId> {
        self.p.cur.expect_keyword("reducer")?;
        let block = self.func.blocks.push(Block::default());
        let mut pairs = Vec::new();
        for _ in 0..raw.operands.len() / 2 {
            self.p.cur.expect("(")?;
            pairs.push(self.reducer_param()?);
            self.p.cur.expect(",")?;
            pairs.push(self.reducer_param()?);
            self.p.cur.expect(")")?;
        }
        let scope = self.scope();
        for side in 0..2 {
            for (at, name, ty) in pairs.iter().skip(side).step_by(2) {
                let value = self.func.add_param(block, ty.clone());
                self.define_param(*at, name, value)?;
            }
        }
        let mut attrs = Attrs::new();
        if self.p.cur.eat_word("attributes") {
            self.p.dict(&mut attrs)?;
        }
        self.region(block)?;
        self.end_scope(scope);
        Ok(block)
    }

    fn reducer_param(&mut self) -> Result<(usize, &'t str, Type)> {
        self.p.cur.skip();
        let at = self.p.cur.pos();
        let name = self.p.cur.sigil(b'%').ok_or_else(|| self.p.cur.expected("a parameter"))?;
        self.p.cur.expect(":")?;
        let ty = self.p.ty()?;
        self.p.optional_loc()?;
        Ok((at, name, ty))
    }

    /// Takes `(%iter = %init, …) : types attributes {…} cond {…} do {…}`.
    pub(super) fn while_loop(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        self.p.cur.expect("(")?;
        let mut names: Vec<(usize, &'t str)> = Vec::new();
        if !self.p.cur.eat(")") {
            loop {
                self.p.cur.skip();
                let at = self.p.cur.pos();
                let name =
                    self.p.cur.sigil(b'%').ok_or_else(|| self.p.cur.expected("a parameter"))?;
                self.p.cur.expect("=")?;
                names.push((at, name));
                raw.operands.push(self.operand()?);
                self.p.optional_loc()?;
                if self.p.cur.eat(")") {
                    break;
                }
                self.p.cur.expect(",")?;
            }
        }
        if !names.is_empty() {
            self.p.cur.expect(":")?;
            raw.results.push(self.p.ty()?);
            while self.p.cur.eat(",") {
                raw.results.push(self.p.ty()?);
            }
            self.check_types(raw.at, &raw.operands, &raw.results)?;
        }
        if self.p.cur.eat_word("attributes") {
            self.p.dict(&mut raw.attrs)?;
        }
        for keyword in ["cond", "do"] {
            self.p.cur.expect_keyword(keyword)?;
            let block = self.func.blocks.push(Block::default());
            let scope = self.scope();
            for (&(at, name), ty) in names.iter().zip(&raw.results) {
                let value: ValueId = self.func.add_param(block, ty.clone());
                self.define_param(at, name, value)?;
            }
            self.region(block)?;
            self.end_scope(scope);
            raw.regions.push(block);
        }
        Ok(())
    }
}
