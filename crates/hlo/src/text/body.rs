//! Parsing of functions' bodies: names in scope, blocks, regions and what is common to all
//! instructions.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tfjit_base::{Error, Result, limits};

use super::build::build;
use super::legacy::constant;
use super::parser::Parser;
use crate::{Attrs, Block, BlockId, Func, Type, ValueId};

/// Names of terminators, which give values back to what encloses their block.
const RETURNS: &[&str] =
    &["return", "func.return", "stablehlo.return", "mhlo.return", "sdy.return"];

/// The state of parsing one function.
pub(super) struct Body<'p, 't> {
    pub(super) p: &'p mut Parser<'t>,
    pub(super) func: Func,
    /// Values by name; several where one name stands for all results of an instruction.
    names: FxHashMap<&'t str, SmallVec<[ValueId; 1]>>,
    /// Names in order of definition, to forget those of a region at its end.
    defined: Vec<&'t str>,
    region_depth: usize,
}

/// An instruction as read, before it is built.
pub(super) struct Raw<'t> {
    /// The name with its dialect.
    pub(super) name: &'t str,
    /// Where it stands.
    pub(super) at: usize,
    /// Operands.
    pub(super) operands: Vec<ValueId>,
    /// Attributes of all kinds.
    pub(super) attrs: Attrs,
    /// Regions.
    pub(super) regions: Vec<BlockId>,
    /// Types of the results.
    pub(super) results: Vec<Type>,
}

/// The names on the left of `=`, each with the number of results it stands for.
pub(super) type ResultNames<'t> = SmallVec<[(&'t str, usize); 2]>;

impl<'p, 't> Body<'p, 't> {
    pub(super) fn new(p: &'p mut Parser<'t>, name: String) -> Body<'p, 't> {
        Body {
            p,
            func: Func::new(name),
            names: FxHashMap::default(),
            defined: Vec::new(),
            region_depth: 0,
        }
    }

    /// Brings a name into scope.
    fn define(&mut self, at: usize, name: &'t str, values: &[ValueId]) -> Result<()> {
        if self.names.contains_key(name) {
            return Err(self.p.cur.fail_at(at, format_args!("%{name} is defined twice")));
        }
        self.names.insert(name, SmallVec::from_slice(values));
        self.defined.push(name);
        let numbered = name.bytes().all(|b| b.is_ascii_digit());
        if let (false, Some(&first)) = (numbered, values.first()) {
            self.func.values[first].name.get_or_insert_with(|| Arc::from(name));
        }
        Ok(())
    }

    /// Brings the name of a parameter into scope.
    pub(super) fn define_param(&mut self, at: usize, name: &'t str, value: ValueId) -> Result<()> {
        self.define(at, name, &[value])
    }

    /// Takes `%name` or `%name#2`.
    pub(super) fn operand(&mut self) -> Result<ValueId> {
        let start = self.p.cur.clone();
        let name = self.p.cur.sigil(b'%').ok_or_else(|| start.expected("a value such as %0"))?;
        let index = if self.p.cur.byte() == Some(b'#') {
            self.p.cur.eat("#");
            usize::try_from(self.p.cur.integer()?).unwrap_or(usize::MAX)
        } else {
            0
        };
        let mut at = start.clone();
        at.skip();
        match self.names.get(name) {
            None => Err(at.fail(format_args!("%{name} is not defined before its use"))),
            Some(values) => values
                .get(index)
                .copied()
                .ok_or_else(|| at.fail(format_args!("%{name} has {} results", values.len()))),
        }
    }

    /// Takes operands separated by commas; none if no value is next.
    pub(super) fn operands(&mut self) -> Result<Vec<ValueId>> {
        let mut operands = Vec::new();
        if self.p.cur.sees("%") {
            operands.push(self.operand()?);
            while self.p.cur.eat(",") {
                operands.push(self.operand()?);
            }
        }
        Ok(operands)
    }

    /// Takes `(%a, %b)`.
    pub(super) fn operands_in_parentheses(&mut self) -> Result<Vec<ValueId>> {
        self.p.cur.expect("(")?;
        let operands = self.operands()?;
        self.p.cur.expect(")")?;
        Ok(operands)
    }

    /// Checks the written types of operands against those they were defined with.
    pub(super) fn check_types(&self, at: usize, values: &[ValueId], types: &[Type]) -> Result<()> {
        if values.len() != types.len() {
            return Err(self
                .p
                .cur
                .fail_at(at, format_args!("{} types for {} operands", types.len(), values.len())));
        }
        for (i, (&value, ty)) in values.iter().zip(types).enumerate() {
            if self.func.ty(value) != ty {
                return Err(self.p.cur.fail_at(
                    at,
                    format_args!(
                        "operand {i} is of type {}, not {ty} as written here",
                        self.func.ty(value)
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Takes `{ … }` with one block, whose parameters the caller may have made already.
    pub(super) fn region(&mut self, block: BlockId) -> Result<()> {
        if self.region_depth >= limits::REGION_DEPTH_MAX {
            return Err(self.p.cur.fail("too deeply nested regions"));
        }
        self.region_depth += 1;
        self.p.cur.expect("{")?;
        let scope = self.scope();
        if self.p.cur.sees("^") {
            self.block_header(block)?;
        }
        self.instructions(block)?;
        self.end_scope(scope);
        self.region_depth -= 1;
        Ok(())
    }

    /// The start of a scope, for [`Body::end_scope`].
    pub(super) fn scope(&self) -> usize {
        self.defined.len()
    }

    /// Forgets the names defined since `scope`.
    pub(super) fn end_scope(&mut self, scope: usize) {
        for name in self.defined.drain(scope..) {
            self.names.remove(name);
        }
    }

    /// Takes a region in a block of its own.
    pub(super) fn new_region(&mut self) -> Result<BlockId> {
        let block = self.func.blocks.push(Block::default());
        self.region(block)?;
        Ok(block)
    }

    /// Takes `^bb0(%a: type loc(…), …):`.
    fn block_header(&mut self, block: BlockId) -> Result<()> {
        let at = self.p.cur.pos();
        if self.p.cur.sigil(b'^').is_none() {
            return Err(self.p.cur.expected("a block label"));
        }
        if !self.func.blocks[block].params.is_empty() {
            return Err(self.p.cur.fail_at(at, "a second list of parameters"));
        }
        if self.p.cur.eat("(") && !self.p.cur.eat(")") {
            loop {
                self.param(block)?;
                if self.p.cur.eat(")") {
                    break;
                }
                self.p.cur.expect(",")?;
            }
        }
        self.p.cur.expect(":")
    }

    /// Takes `%name: type loc(…)` as a parameter of `block`.
    pub(super) fn param(&mut self, block: BlockId) -> Result<()> {
        self.p.cur.skip();
        let at = self.p.cur.pos();
        let name = self.p.cur.sigil(b'%').ok_or_else(|| self.p.cur.expected("a parameter"))?;
        self.p.cur.expect(":")?;
        let ty = self.p.ty()?;
        self.p.optional_loc()?;
        let value = self.func.add_param(block, ty);
        self.define_param(at, name, value)
    }

    /// Takes instructions and the terminator up to and with `}`.
    fn instructions(&mut self, block: BlockId) -> Result<()> {
        loop {
            self.p.cur.skip();
            match self.p.cur.byte() {
                Some(b'^') => {
                    let at = self.p.cur.pos();
                    return Err(self
                        .p
                        .unsupported_at(at, "jumps between several blocks are not supported"));
                }
                Some(b'}') => return Err(self.p.cur.expected("an instruction or a return")),
                _ => {}
            }
            if self.terminator(block)? {
                return Ok(());
            }
            self.instruction(block)?;
        }
    }

    /// Takes a terminator and the end of the region if they are next.
    fn terminator(&mut self, block: BlockId) -> Result<bool> {
        let start = self.p.cur.clone();
        let generic = self.p.cur.byte() == Some(b'"');
        let name = if generic { self.p.cur.raw_string().ok() } else { self.p.cur.word() };
        if !name.is_some_and(|n| RETURNS.contains(&n)) {
            self.p.cur = start;
            return Ok(false);
        }
        let at = start.pos();
        let (values, types) = if generic {
            let values = self.operands_in_parentheses()?;
            let mut attrs = Attrs::new();
            self.p.optional_dict(&mut attrs)?;
            self.p.cur.expect(":")?;
            (values, self.p.function_type()?.inputs)
        } else {
            let values = self.operands()?;
            let mut attrs = Attrs::new();
            self.p.optional_dict(&mut attrs)?;
            let mut types = Vec::new();
            if !values.is_empty() {
                self.p.cur.expect(":")?;
                types.push(self.p.ty()?);
                while self.p.cur.eat(",") {
                    types.push(self.p.ty()?);
                }
            }
            (values, types)
        };
        self.check_types(at, &values, &types)?;
        self.func.blocks[block].results = values;
        self.p.optional_loc()?;
        self.p.cur.expect("}").map(|()| true)
    }

    /// Takes `%a, %b:2 =` if results are next.
    fn result_names(&mut self) -> Result<ResultNames<'t>> {
        let mut names = ResultNames::new();
        if !self.p.cur.sees("%") {
            return Ok(names);
        }
        loop {
            let name = self.p.cur.sigil(b'%').ok_or_else(|| self.p.cur.expected("a result"))?;
            let mut count = 1;
            if self.p.cur.eat(":") {
                let at = self.p.cur.clone();
                let number = usize::try_from(self.p.cur.integer()?).ok();
                count = number.ok_or_else(|| at.expected("a number of results"))?;
            }
            names.push((name, count));
            if !self.p.cur.eat(",") {
                break;
            }
        }
        self.p.cur.expect("=")?;
        Ok(names)
    }

    fn instruction(&mut self, block: BlockId) -> Result<()> {
        self.p.cur.skip();
        let at = self.p.cur.pos();
        let names = self.result_names()?;
        self.p.cur.skip();
        let before = self.func.blocks[block].insts.len();
        let values: SmallVec<[ValueId; 1]> = if self.p.cur.byte() == Some(b'"') {
            let raw = self.generic()?;
            self.finish(block, raw)?
        } else {
            self.pretty(block)?
        };
        let source = self.p.optional_loc()?;
        if source.is_some() {
            for &inst in &self.func.blocks[block].insts[before..] {
                self.func.insts[inst].source = source.clone();
            }
        }
        self.name_results(at, &names, &values)
    }

    fn name_results(
        &mut self,
        at: usize,
        names: &ResultNames<'t>,
        values: &[ValueId],
    ) -> Result<()> {
        let named = names.iter().fold(0usize, |n, (_, count)| n.saturating_add(*count));
        if named != values.len() && !(named == 0 && names.is_empty()) {
            return Err(self.p.cur.fail_at(
                at,
                format_args!("names for {named} results of an operation that has {}", values.len()),
            ));
        }
        let mut rest = values;
        for &(name, count) in names {
            let (own, others) = rest.split_at(count);
            self.define(at, name, own)?;
            rest = others;
        }
        Ok(())
    }

    /// Takes the generic form: `"name"(operands) <{…}> ({regions}) {…} : type`.
    fn generic(&mut self) -> Result<Raw<'t>> {
        let at = self.p.cur.pos();
        let name = self.p.cur.raw_string()?;
        let operands = self.operands_in_parentheses()?;
        let mut attrs = Attrs::new();
        if self.p.cur.eat("<") {
            self.p.dict(&mut attrs)?;
            self.p.cur.expect(">")?;
        }
        let mut regions = Vec::new();
        if self.p.cur.eat("(") {
            loop {
                regions.push(self.new_region()?);
                if !self.p.cur.eat(",") {
                    break;
                }
            }
            self.p.cur.expect(")")?;
        }
        self.p.optional_dict(&mut attrs)?;
        self.p.cur.expect(":")?;
        let types = self.p.function_type()?;
        self.check_types(at, &operands, &types.inputs)?;
        Ok(Raw { name, at, operands, attrs, regions, results: types.results })
    }

    /// Builds the instruction and appends it to `block`; gives its results.
    pub(super) fn finish(
        &mut self,
        block: BlockId,
        mut raw: Raw<'t>,
    ) -> Result<SmallVec<[ValueId; 1]>> {
        let at = raw.at;
        self.build(block, &mut raw)
            .map_err(|e| Error::new(e.code(), self.p.cur.fail_at(at, e.message()).message()))
    }

    fn build(&mut self, block: BlockId, raw: &mut Raw<'t>) -> Result<SmallVec<[ValueId; 1]>> {
        if let Some(value) = self.identity(raw) {
            return Ok(SmallVec::from_elem(value, 1));
        }
        if let Some(values) = self.decompose(block, raw)? {
            return Ok(values);
        }
        self.modernise(block, raw)?;
        let op = match constant(raw) {
            Some(op) => op?,
            None => build(raw.name, &mut raw.attrs)?,
        };
        let row = op.row();
        let wrong = |count: usize, what: &str| {
            Err(Error::invalid_argument(format!("{} with {count} {what}", row.name)))
        };
        if !row.takes(raw.operands.len()) {
            return wrong(raw.operands.len(), "operands");
        }
        if !(row.regions.0 as usize..=row.regions.1 as usize).contains(&raw.regions.len()) {
            return wrong(raw.regions.len(), "regions");
        }
        if row.results.is_some_and(|r| r as usize != raw.results.len()) {
            return wrong(raw.results.len(), "results");
        }
        let results = std::mem::take(&mut raw.results);
        let inst = self.func.add_inst(op, &raw.operands, &raw.regions, results);
        if !raw.attrs.is_empty() {
            self.func.insts[inst].attrs = Some(Box::new(std::mem::take(&mut raw.attrs)));
        }
        self.func.blocks[block].insts.push(inst);
        Ok(self.func.insts[inst].results.clone())
    }
}
