//! Building functions with shape inference.
//!
//! A [`FuncBuilder`] appends to a current block; regions are opened with [`FuncBuilder::region`].

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::{DType, Error, Result, Shape, Tensor};

use crate::infer::region_sig;
use crate::{
    Binary, BlockId, Channel, CompareType, Convolution, Dims, Direction, DotGeneral, Func, Gather,
    Group, InstId, Literal, Op, Scatter, TensorType, Type, Unary, ValueId, Window, infer,
};

/// Builds one function.
pub struct FuncBuilder {
    func: Func,
    current: BlockId,
    source: Option<Arc<str>>,
}

impl FuncBuilder {
    /// A builder for an empty function.
    pub fn new(name: impl Into<String>) -> FuncBuilder {
        let func = Func::new(name);
        FuncBuilder { current: func.entry, func, source: None }
    }

    /// The function so far.
    pub fn func(&self) -> &Func {
        &self.func
    }

    /// Later instructions carry this name of what they were made from.
    pub fn set_source(&mut self, source: Option<Arc<str>>) {
        self.source = source;
    }

    /// Adds a parameter to the function.
    pub fn param(&mut self, ty: impl Into<Type>) -> ValueId {
        self.func.add_param(self.func.entry, ty.into())
    }

    /// Ends the function: `results` are returned.
    pub fn finish(mut self, results: &[ValueId]) -> Func {
        self.func.result_types = results.iter().map(|&v| self.func.ty(v).clone()).collect();
        let entry = self.func.entry;
        self.func.blocks[entry].results = results.to_vec();
        self.func
    }

    /// The tensor type of a value.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for tokens and tuples.
    pub fn ty(&self, value: ValueId) -> Result<&TensorType> {
        self.func.tensor_ty(value).ok_or_else(|| Error::invalid_argument("the value is no tensor"))
    }

    /// The element type of a tensor value.
    ///
    /// # Errors
    /// As [`FuncBuilder::ty`].
    pub fn dtype(&self, value: ValueId) -> Result<DType> {
        Ok(self.ty(value)?.dtype)
    }

    /// The exact shape of a tensor value.
    ///
    /// # Errors
    /// As [`FuncBuilder::ty`]; FAILED_PRECONDITION when an extent is unknown.
    pub fn shape(&self, value: ValueId) -> Result<Shape> {
        self.ty(value)?.shape()
    }

    /// Builds a region: a block with parameters of the given types; `body` appends to it and returns
    /// what the region returns.
    ///
    /// # Errors
    /// Those of `body`.
    pub fn region(
        &mut self,
        params: &[Type],
        body: impl FnOnce(&mut FuncBuilder, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<BlockId> {
        let block = self.func.blocks.push(crate::Block::default());
        let params: Vec<ValueId> =
            params.iter().map(|ty| self.func.add_param(block, ty.clone())).collect();
        let outer = std::mem::replace(&mut self.current, block);
        let results = body(self, &params);
        self.current = outer;
        self.func.blocks[block].results = results?;
        Ok(block)
    }

    /// Replaces what a finished region returns, when that is known only later.
    pub fn set_region_results(&mut self, region: BlockId, results: &[ValueId]) {
        self.func.blocks[region].results = results.to_vec();
    }

    /// Adds a parameter to a region.
    pub fn add_region_param(&mut self, region: BlockId, ty: Type) -> ValueId {
        self.func.add_param(region, ty)
    }

    /// The block that is appended to; [`FuncBuilder::set_current`] goes back to it.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Goes on appending to `block`: a new one from [`FuncBuilder::new_region`], or an outer one.
    pub fn set_current(&mut self, block: BlockId) {
        self.current = block;
    }

    /// An empty region with parameters of the given types.
    pub fn new_region(&mut self, params: &[Type]) -> (BlockId, Vec<ValueId>) {
        let block = self.func.blocks.push(crate::Block::default());
        let params = params.iter().map(|ty| self.func.add_param(block, ty.clone())).collect();
        (block, params)
    }

    /// Appends an instruction whose result types follow from its operands.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when a shape rule is broken.
    pub fn push(
        &mut self,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
    ) -> Result<SmallVec<[ValueId; 1]>> {
        self.append(op, operands, regions, None)
    }

    /// Appends an instruction with declared result types.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when a shape rule is broken.
    pub fn push_typed(
        &mut self,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
        types: &[Type],
    ) -> Result<SmallVec<[ValueId; 1]>> {
        self.append(op, operands, regions, Some(types))
    }

    fn append(
        &mut self,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
        declared: Option<&[Type]>,
    ) -> Result<SmallVec<[ValueId; 1]>> {
        let operand_types: Vec<&Type> = operands.iter().map(|&v| self.func.ty(v)).collect();
        let sigs: Vec<_> = regions.iter().map(|&b| region_sig(&self.func, b)).collect();
        let types = infer(&op, &operand_types, &sigs, declared)?;
        let inst: InstId = self.func.add_inst(op, operands, regions, types);
        self.func.insts[inst].source = self.source.clone();
        self.func.blocks[self.current].insts.push(inst);
        Ok(self.func.insts[inst].results.clone())
    }

    fn one(&mut self, op: Op, operands: &[ValueId]) -> Result<ValueId> {
        Ok(self.append(op, operands, &[], None)?[0])
    }

    fn one_typed(&mut self, op: Op, operands: &[ValueId], ty: TensorType) -> Result<ValueId> {
        Ok(self.append(op, operands, &[], Some(&[Type::Tensor(ty)]))?[0])
    }
}

/// Constants.
impl FuncBuilder {
    /// A constant tensor.
    pub fn constant(&mut self, value: Tensor) -> Result<ValueId> {
        self.literal(Literal::dense(value))
    }

    /// A constant literal.
    pub fn literal(&mut self, literal: Literal) -> Result<ValueId> {
        let ty = literal.ty().clone();
        self.one_typed(Op::Constant(literal), &[], ty)
    }

    /// `element` (a scalar) in every position of `shape`.
    pub fn splat(&mut self, element: Tensor, shape: &Shape) -> Result<ValueId> {
        self.literal(Literal::splat(element, shape)?)
    }

    /// `0, 1, 2, …` along `dimension`.
    pub fn iota(&mut self, dtype: DType, shape: &Shape, dimension: usize) -> Result<ValueId> {
        let ty = TensorType::of(dtype, shape);
        self.one_typed(Op::Iota { dimension: dimension as i64 }, &[], ty)
    }
}

/// Elementwise operations; operands must have equal shapes.
impl FuncBuilder {
    /// A unary operation.
    pub fn unary(&mut self, op: Unary, x: ValueId) -> Result<ValueId> {
        self.one(Op::Unary(op), &[x])
    }

    /// A binary operation.
    pub fn binary(&mut self, op: Binary, x: ValueId, y: ValueId) -> Result<ValueId> {
        self.one(Op::Binary(op), &[x, y])
    }

    /// A comparison in the element type's own order.
    pub fn compare(&mut self, direction: Direction, x: ValueId, y: ValueId) -> Result<ValueId> {
        self.one(Op::Compare { direction, compare_type: CompareType::None }, &[x, y])
    }

    /// `pred ? on_true : on_false`; `pred` has the same shape or is a scalar.
    pub fn select(
        &mut self,
        pred: ValueId,
        on_true: ValueId,
        on_false: ValueId,
    ) -> Result<ValueId> {
        self.one(Op::Select, &[pred, on_true, on_false])
    }

    /// `min(max(x, low), high)`; bounds have the same shape or are scalars.
    pub fn clamp(&mut self, low: ValueId, x: ValueId, high: ValueId) -> Result<ValueId> {
        self.one(Op::Clamp, &[low, x, high])
    }

    /// Conversion to another element type; the same value when it is that already.
    pub fn convert(&mut self, x: ValueId, dtype: DType) -> Result<ValueId> {
        let ty = self.ty(x)?;
        if ty.dtype == dtype && ty.quant.is_none() {
            return Ok(x);
        }
        let ty = ty.with_dtype(dtype);
        self.one_typed(Op::Convert, &[x], ty)
    }

    /// The same bits as a type of the same width, or with a last dimension more or less.
    pub fn bitcast_convert(&mut self, x: ValueId, ty: TensorType) -> Result<ValueId> {
        self.one_typed(Op::BitcastConvert, &[x], ty)
    }
}

/// Moving elements.
impl FuncBuilder {
    /// Operand dimension `i` becomes dimension `dims[i]` of a result of `shape`.
    pub fn broadcast_in_dim(&mut self, x: ValueId, shape: &Shape, dims: &[i64]) -> Result<ValueId> {
        let mut ty = TensorType::of(self.dtype(x)?, shape);
        ty.quant = self.ty(x)?.quant.clone();
        self.one_typed(
            Op::BroadcastInDim { broadcast_dimensions: Dims::from_slice(dims) },
            &[x],
            ty,
        )
    }

    /// The same elements in row-major order with another shape; the same value when equal.
    pub fn reshape(&mut self, x: ValueId, shape: &Shape) -> Result<ValueId> {
        let ty = self.ty(x)?.with_dims(&shape.to_i64());
        if self.ty(x)? == &ty {
            return Ok(x);
        }
        self.one_typed(Op::Reshape, &[x], ty)
    }

    /// Result dimension `i` is operand dimension `permutation[i]`.
    pub fn transpose(&mut self, x: ValueId, permutation: &[i64]) -> Result<ValueId> {
        if permutation.iter().enumerate().all(|(i, &p)| i as i64 == p) {
            return Ok(x);
        }
        self.one(Op::Transpose { permutation: Dims::from_slice(permutation) }, &[x])
    }

    /// Reverses the order along `dimensions`.
    pub fn reverse(&mut self, x: ValueId, dimensions: &[i64]) -> Result<ValueId> {
        self.one(Op::Reverse { dimensions: Dims::from_slice(dimensions) }, &[x])
    }

    /// Joins along `dimension`.
    pub fn concatenate(&mut self, parts: &[ValueId], dimension: usize) -> Result<ValueId> {
        self.one(Op::Concatenate { dimension: dimension as i64 }, parts)
    }

    /// `x[start:limit:stride]` in every dimension.
    pub fn slice(
        &mut self,
        x: ValueId,
        start: &[i64],
        limit: &[i64],
        strides: &[i64],
    ) -> Result<ValueId> {
        let op = Op::Slice {
            start_indices: Dims::from_slice(start),
            limit_indices: Dims::from_slice(limit),
            strides: Dims::from_slice(strides),
        };
        self.one(op, &[x])
    }

    /// A slice of `sizes` at scalar `starts`, moved inside when it would stick out.
    pub fn dynamic_slice(
        &mut self,
        x: ValueId,
        starts: &[ValueId],
        sizes: &[i64],
    ) -> Result<ValueId> {
        let operands: Vec<_> = [x].into_iter().chain(starts.iter().copied()).collect();
        self.one(Op::DynamicSlice { slice_sizes: Dims::from_slice(sizes) }, &operands)
    }

    /// `x` with `update` written at scalar `starts`, moved inside when it would stick out.
    pub fn dynamic_update_slice(
        &mut self,
        x: ValueId,
        update: ValueId,
        starts: &[ValueId],
    ) -> Result<ValueId> {
        let operands: Vec<_> = [x, update].into_iter().chain(starts.iter().copied()).collect();
        self.one(Op::DynamicUpdateSlice, &operands)
    }

    /// Pads every dimension with the scalar `value`; negative edges cut off.
    pub fn pad(
        &mut self,
        x: ValueId,
        value: ValueId,
        low: &[i64],
        high: &[i64],
        interior: &[i64],
    ) -> Result<ValueId> {
        let op = Op::Pad {
            edge_padding_low: Dims::from_slice(low),
            edge_padding_high: Dims::from_slice(high),
            interior_padding: Dims::from_slice(interior),
        };
        self.one(op, &[x, value])
    }

    /// StableHLO's gather; start indices are clamped.
    pub fn gather(&mut self, x: ValueId, indices: ValueId, gather: Gather) -> Result<ValueId> {
        self.one(Op::Gather(Box::new(gather)), &[x, indices])
    }
}

/// Combining elements.
impl FuncBuilder {
    /// Folds `x` over `dimensions` with `op`, starting from the scalar `init`.
    pub fn reduce(
        &mut self,
        op: Binary,
        x: ValueId,
        init: ValueId,
        dimensions: &[i64],
    ) -> Result<ValueId> {
        let scalar = Type::Tensor(TensorType::scalar(self.dtype(init)?));
        let region =
            self.region(&[scalar.clone(), scalar], |b, p| Ok(vec![b.binary(op, p[0], p[1])?]))?;
        let op = Op::Reduce { dimensions: Dims::from_slice(dimensions) };
        Ok(self.push(op, &[x, init], &[region])?[0])
    }

    /// Folds windows of `x` with `op`, starting from the scalar `init`.
    pub fn reduce_window(
        &mut self,
        op: Binary,
        x: ValueId,
        init: ValueId,
        window: Window,
    ) -> Result<ValueId> {
        let scalar = Type::Tensor(TensorType::scalar(self.dtype(init)?));
        let region =
            self.region(&[scalar.clone(), scalar], |b, p| Ok(vec![b.binary(op, p[0], p[1])?]))?;
        Ok(self.push(Op::ReduceWindow(Box::new(window)), &[x, init], &[region])?[0])
    }

    /// Scatters `updates` into `x`, combining with `op`, or overwriting when `op` is `None`.
    pub fn scatter(
        &mut self,
        op: Option<Binary>,
        x: ValueId,
        indices: ValueId,
        updates: ValueId,
        scatter: Scatter,
    ) -> Result<ValueId> {
        let scalar = Type::Tensor(TensorType::scalar(self.dtype(x)?));
        let region = self.region(&[scalar.clone(), scalar], |b, p| {
            Ok(vec![match op {
                Some(op) => b.binary(op, p[0], p[1])?,
                None => p[1],
            }])
        })?;
        Ok(self.push(Op::Scatter(Box::new(scatter)), &[x, indices, updates], &[region])?[0])
    }

    /// A general dot product; `dtype` is the result's (accumulation) type.
    pub fn dot_general(
        &mut self,
        x: ValueId,
        y: ValueId,
        dims: DotGeneral,
        dtype: DType,
    ) -> Result<ValueId> {
        let op = Op::DotGeneral(Box::new(dims));
        let operands = [self.func.ty(x), self.func.ty(y)];
        let types = infer(&op, &operands, &[], None)?;
        let ty = types[0].as_tensor().expect("a dot product is a tensor").with_dtype(dtype);
        self.one_typed(op, &[x, y], ty)
    }

    /// A convolution; `dtype` is the result's (accumulation) type.
    pub fn convolution(
        &mut self,
        x: ValueId,
        kernel: ValueId,
        conv: Convolution,
        dtype: DType,
    ) -> Result<ValueId> {
        let op = Op::Convolution(Box::new(conv));
        let operands = [self.func.ty(x), self.func.ty(kernel)];
        let types = infer(&op, &operands, &[], None)?;
        let ty = types[0].as_tensor().expect("a convolution is a tensor").with_dtype(dtype);
        self.one_typed(op, &[x, kernel], ty)
    }
}

/// Communication.
impl FuncBuilder {
    /// A token that comes after nothing.
    pub fn token(&mut self) -> Result<ValueId> {
        self.one(Op::AfterAll, &[])
    }

    /// Combines `x` of all members of a group with `op`, element by element.
    pub fn all_reduce(&mut self, op: Binary, x: ValueId, group: Group) -> Result<ValueId> {
        let region = self.combining(op, x)?;
        Ok(self.push(Op::AllReduce { group: Box::new(group) }, &[x], &[region])?[0])
    }

    /// As [`FuncBuilder::all_reduce`], of which each of `parts` members gets its part along a
    /// dimension.
    pub fn reduce_scatter(
        &mut self,
        op: Binary,
        x: ValueId,
        dimension: usize,
        parts: usize,
        group: Group,
    ) -> Result<ValueId> {
        let region = self.combining(op, x)?;
        let mut dims = self.shape(x)?.to_i64();
        let extent = dims.get_mut(dimension).filter(|d| parts > 0 && **d % parts as i64 == 0);
        let extent = extent.ok_or_else(|| {
            Error::invalid_argument(format!("dimension {dimension} does not split in {parts}"))
        })?;
        *extent /= parts as i64;
        let ty = Type::Tensor(self.ty(x)?.with_dims(&dims));
        let scatter_dimension = dimension as i64;
        let op = Op::ReduceScatter { scatter_dimension, group: Box::new(group) };
        Ok(self.push_typed(op, &[x], &[region], &[ty])?[0])
    }

    fn combining(&mut self, op: Binary, x: ValueId) -> Result<BlockId> {
        let scalar = Type::Tensor(TensorType::scalar(self.dtype(x)?));
        self.region(&[scalar.clone(), scalar], |b, p| Ok(vec![b.binary(op, p[0], p[1])?]))
    }

    /// Sends `x` to the host, which receives it under the name `rendezvous`; the token after it.
    pub fn send_to_host(&mut self, x: ValueId, handle: i64, rendezvous: &str) -> Result<ValueId> {
        let token = self.token()?;
        let channel = Channel { handle, channel_type: 2 };
        let sent = self.one(Op::Send { channel, is_host_transfer: true }, &[x, token])?;
        self.name_transfer(sent, rendezvous);
        Ok(sent)
    }

    /// What the host sends under the name `rendezvous`.
    pub fn recv_from_host(
        &mut self,
        ty: TensorType,
        handle: i64,
        rendezvous: &str,
    ) -> Result<ValueId> {
        let token = self.token()?;
        let channel = Channel { handle, channel_type: 3 };
        let op = Op::Recv { channel, is_host_transfer: true };
        let received = self.push_typed(op, &[token], &[], &[Type::Tensor(ty), Type::Token])?;
        self.name_transfer(received[0], rendezvous);
        Ok(received[0])
    }

    fn name_transfer(&mut self, result: ValueId, rendezvous: &str) {
        if let crate::ValueDef::Result { inst, .. } = self.func.values[result].def {
            let inst = &mut self.func.insts[inst];
            inst.set_frontend_attribute(crate::HOST_TRANSFER_RENDEZVOUS, rendezvous);
        }
    }
}
