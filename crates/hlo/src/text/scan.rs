//! `chlo.scan`, read as a loop: each step takes a slice of every input along one dimension and
//! the carries, and gives a slice of every output and new carries.

use rustc_hash::FxHashMap;
use tfjit_base::{DType, Error, Result};

use super::body::{Body, Raw};
use super::decompose::{Emitter, is_true};
use super::pretty::Values;
use crate::{
    Attr, Binary, Block, BlockId, CompareType, Dims, Direction, Op, TensorType, Type, ValueId,
};

/// The sizes and types of one scan.
struct Scan {
    /// The dimension that steps run along.
    dimension: usize,
    /// Steps.
    steps: i64,
    reverse: bool,
    inputs: Vec<ValueId>,
    inits: Vec<ValueId>,
    /// Types of whole outputs.
    outputs: Vec<TensorType>,
    region: BlockId,
}

impl<'t> Body<'_, 't> {
    /// Takes `(inputs) inits(inits) dimension=0 attributes {…} {region} : types`.
    pub(super) fn pretty_scan(&mut self, raw: &mut Raw<'t>) -> Result<()> {
        raw.operands = self.operands_in_parentheses()?;
        let inputs = raw.operands.len() as i64;
        self.p.cur.expect_keyword("inits")?;
        raw.operands.extend(self.operands_in_parentheses()?);
        self.p.cur.expect_key("dimension")?;
        let dimension = self.p.cur.integer()?;
        raw.attrs.insert("dimension".to_owned(), Attr::Int(dimension, "i64".to_owned()));
        if self.p.cur.eat_word("attributes") {
            self.p.dict(&mut raw.attrs)?;
        }
        let inits = raw.operands.len() as i64 - inputs;
        let segments = Attr::DenseArray("i32".to_owned(), vec![inputs, inits]);
        raw.attrs.insert("operandSegmentSizes".to_owned(), segments);
        raw.regions.push(self.new_region()?);
        self.p.optional_dict(&mut raw.attrs)?;
        self.p.cur.expect(":")?;
        self.function(raw)
    }

    /// Appends the loop that a scan stands for; gives its outputs, then its last carries.
    pub(super) fn scan(&mut self, block: BlockId, raw: &Raw<'t>) -> Result<Values> {
        let scan = self.read_scan(raw)?;
        let counter = TensorType::scalar(DType::I64);
        let mut e = Emitter { body: self, block };
        let mut operands = vec![e.splat(0, &counter)?];
        operands.extend_from_slice(&scan.inits);
        for ty in &scan.outputs {
            operands.push(e.splat(0, ty)?);
        }
        let types: Vec<Type> = operands.iter().map(|&v| e.body.func.ty(v).clone()).collect();
        let cond = self.scan_condition(&types, scan.steps)?;
        let body = self.scan_body(&types, &scan)?;
        let inst = self.func.add_inst(Op::While, &operands, &[cond, body], types);
        self.func.blocks[block].insts.push(inst);
        let results = self.func.insts[inst].results.to_vec();
        let (carries, outputs) = results[1..].split_at(scan.inits.len());
        Ok(outputs.iter().chain(carries).copied().collect())
    }

    fn read_scan(&self, raw: &Raw<'t>) -> Result<Scan> {
        let wrong = |what: &str| Error::invalid_argument(format!("chlo.scan needs {what}"));
        let sizes = match raw.attrs.get("operandSegmentSizes") {
            Some(Attr::DenseArray(_, sizes)) => sizes.as_slice(),
            _ => &[],
        };
        let &[inputs, inits] = sizes else { return Err(wrong("inputs and inits")) };
        let (inputs, inits) = (inputs as usize, inits as usize);
        let &[region] = raw.regions.as_slice() else { return Err(wrong("one region")) };
        if inputs.checked_add(inits) != Some(raw.operands.len()) || inputs == 0 {
            return Err(wrong("an input, and inits"));
        }
        let Some(&Attr::Int(dimension, _)) = raw.attrs.get("dimension") else {
            return Err(wrong("a dimension"));
        };
        let block = &self.func.blocks[region];
        let count = raw.results.len().checked_sub(inits).ok_or_else(|| wrong("all carries"))?;
        if block.params.len() != inputs + inits || block.results.len() != count + inits {
            return Err(wrong("a region over slices and carries that returns the same"));
        }
        let tensor = |ty: &Type| ty.as_tensor().cloned().ok_or_else(|| wrong("tensors"));
        let outputs = raw.results[..count].iter().map(tensor).collect::<Result<Vec<_>>>()?;
        let first = tensor(self.func.ty(raw.operands[0]))?;
        let along = |ty: &TensorType| {
            let extent = usize::try_from(dimension).ok().and_then(|d| ty.dims.get(d).copied());
            extent.filter(|_| ty.is_static()).ok_or_else(|| wrong("known extents"))
        };
        let steps = along(&first)?;
        for &input in &raw.operands[..inputs] {
            if along(&tensor(self.func.ty(input))?)? != steps {
                return Err(wrong("inputs of one length"));
            }
        }
        for ty in &outputs {
            if along(ty)? != steps {
                return Err(wrong("outputs of the length of its inputs"));
            }
        }
        Ok(Scan {
            dimension: dimension as usize,
            steps,
            reverse: is_true(raw.attrs.get("is_reverse")),
            inputs: raw.operands[..inputs].to_vec(),
            inits: raw.operands[inputs..].to_vec(),
            outputs,
            region,
        })
    }

    fn scan_condition(&mut self, types: &[Type], steps: i64) -> Result<BlockId> {
        let block = self.func.blocks.push(Block::default());
        let params: Vec<ValueId> =
            types.iter().map(|ty| self.func.add_param(block, ty.clone())).collect();
        let mut e = Emitter { body: self, block };
        let end = e.splat(steps as u64, &TensorType::scalar(DType::I64))?;
        let less = Op::Compare { direction: Direction::Lt, compare_type: CompareType::Signed };
        let more = e.op(less, &[params[0], end], TensorType::scalar(DType::Bool));
        self.func.blocks[block].results = vec![more];
        Ok(block)
    }

    fn scan_body(&mut self, types: &[Type], scan: &Scan) -> Result<BlockId> {
        let block = self.func.blocks.push(Block::default());
        let params: Vec<ValueId> =
            types.iter().map(|ty| self.func.add_param(block, ty.clone())).collect();
        let (carries, outputs) = params[1..].split_at(scan.inits.len());
        let counter = TensorType::scalar(DType::I64);
        let mut e = Emitter { body: self, block };
        let mut place = params[0];
        if scan.reverse {
            let last = e.splat((scan.steps - 1) as u64, &counter)?;
            place = e.binary(Binary::Subtract, last, place)?;
        }
        let zero = e.splat(0, &counter)?;
        let mut slices = Vec::new();
        for &input in &scan.inputs {
            slices.push(e.slice_at(input, place, zero, scan.dimension)?);
        }
        slices.extend_from_slice(carries);
        let returned = e.body.inline_block(scan.region, &slices, block)?;
        let (parts, new_carries) = returned.split_at(scan.outputs.len());
        let mut results = Vec::new();
        for (&part, &output) in parts.iter().zip(outputs) {
            results.push(e.put_at(part, output, place, zero, scan.dimension)?);
        }
        let one = e.splat(1, &counter)?;
        let next = e.binary(Binary::Add, params[0], one)?;
        let all = [next].into_iter().chain(new_carries.iter().copied()).chain(results);
        self.func.blocks[block].results = all.collect();
        Ok(block)
    }

    /// Moves the instructions of `from` to the end of `to`, its parameters replaced; gives what
    /// `from` returned.
    fn inline_block(
        &mut self,
        from: BlockId,
        args: &[ValueId],
        to: BlockId,
    ) -> Result<Vec<ValueId>> {
        let block = std::mem::take(&mut self.func.blocks[from]);
        for (&param, &arg) in block.params.iter().zip(args) {
            if self.func.ty(param) != self.func.ty(arg) {
                return Err(Error::invalid_argument(format!(
                    "the region of chlo.scan takes {}, not {}",
                    self.func.ty(param),
                    self.func.ty(arg)
                )));
            }
        }
        let by_param: FxHashMap<ValueId, ValueId> =
            block.params.iter().copied().zip(args.iter().copied()).collect();
        let replaced = |value: ValueId| by_param.get(&value).copied().unwrap_or(value);
        let mut insts = block.insts.clone();
        while let Some(inst) = insts.pop() {
            let operands = &mut self.func.insts[inst].operands;
            operands.iter_mut().for_each(|value| *value = replaced(*value));
            for region in self.func.insts[inst].regions.clone() {
                let inner = &mut self.func.blocks[region];
                inner.results.iter_mut().for_each(|value| *value = replaced(*value));
                insts.extend_from_slice(&inner.insts);
            }
        }
        self.func.blocks[to].insts.extend(block.insts);
        Ok(block.results.iter().map(|&value| replaced(value)).collect())
    }
}

impl Emitter<'_, '_, '_> {
    /// `x[…, place, …]` along `dimension`.
    fn slice_at(
        &mut self,
        x: ValueId,
        place: ValueId,
        zero: ValueId,
        dimension: usize,
    ) -> Result<ValueId> {
        let ty = self.ty(x)?;
        let mut sizes = ty.dims.clone();
        sizes[dimension] = 1;
        let starts = (0..ty.rank()).map(|d| if d == dimension { place } else { zero });
        let operands: Vec<ValueId> = [x].into_iter().chain(starts).collect();
        let op = Op::DynamicSlice { slice_sizes: Dims::from_slice(&sizes) };
        let slice = self.op(op, &operands, ty.with_dims(&sizes));
        sizes.remove(dimension);
        Ok(self.op(Op::Reshape, &[slice], ty.with_dims(&sizes)))
    }

    /// `x` with `part` written at `[…, place, …]` along `dimension`.
    fn put_at(
        &mut self,
        part: ValueId,
        x: ValueId,
        place: ValueId,
        zero: ValueId,
        dimension: usize,
    ) -> Result<ValueId> {
        let ty = self.ty(x)?;
        let mut sizes = ty.dims.clone();
        sizes.remove(dimension);
        if self.ty(part)? != ty.with_dims(&sizes) {
            return Err(Error::invalid_argument("an output of chlo.scan is no stack of its parts"));
        }
        sizes.insert(dimension, 1);
        let row = self.op(Op::Reshape, &[part], ty.with_dims(&sizes));
        let starts = (0..ty.rank()).map(|d| if d == dimension { place } else { zero });
        let operands: Vec<ValueId> = [x, row].into_iter().chain(starts).collect();
        Ok(self.op(Op::DynamicUpdateSlice, &operands, ty))
    }
}
