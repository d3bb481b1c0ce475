//! Modules, functions, blocks, instructions and values.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::ids::Arena;
use tfjit_base::{DType, Result, Shape, Tensor, define_ids};

use crate::{Attr, Attrs, Op, TensorType, Type};

define_ids! {
    /// A value of a function.
    pub struct ValueId("v");
    /// An instruction of a function.
    pub struct InstId("i");
    /// A block of a function: the body of the function or of a region.
    pub struct BlockId("b");
}

/// A program: functions that call each other by name.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The name after `module @`; may be empty.
    pub name: String,
    /// Attributes of the module.
    pub attrs: Attrs,
    /// Functions in order.
    pub funcs: Vec<Func>,
}

impl Module {
    /// The function called `name`.
    pub fn func(&self, name: &str) -> Option<&Func> {
        self.funcs.iter().find(|f| f.name == name)
    }

    /// The entry: `main`, or the only public function, or the only function.
    pub fn entry(&self) -> Option<&Func> {
        self.entry_index().map(|i| &self.funcs[i])
    }

    /// The position of the entry in [`Module::funcs`].
    pub fn entry_index(&self) -> Option<usize> {
        if let Some(i) = self.funcs.iter().position(|f| f.name == "main") {
            return Some(i);
        }
        let mut public = self.funcs.iter().enumerate().filter(|(_, f)| f.public);
        match (public.next(), public.next()) {
            (Some((i, _)), None) => Some(i),
            _ => None,
        }
    }
}

/// A function: arenas of values, instructions and blocks, and the entry block.
///
/// Removing an instruction takes it out of its block; its arena slot stays, so ids are stable.
#[derive(Clone, Debug)]
pub struct Func {
    /// The symbol, without `@`.
    pub name: String,
    /// Whether it is visible outside the module.
    pub public: bool,
    /// Values.
    pub values: Arena<ValueId, ValueData>,
    /// Instructions.
    pub insts: Arena<InstId, Inst>,
    /// Blocks.
    pub blocks: Arena<BlockId, Block>,
    /// The body.
    pub entry: BlockId,
    /// Types of the results.
    pub result_types: Vec<Type>,
    /// Attributes of the parameters, one dictionary a parameter (may be shorter than the list).
    pub param_attrs: Vec<Attrs>,
    /// Attributes of the results, likewise.
    pub result_attrs: Vec<Attrs>,
    /// Attributes of the function.
    pub attrs: Attrs,
}

/// A value: its type and where it comes from.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// The type.
    pub ty: Type,
    /// The definition.
    pub def: ValueDef,
    /// The name it was written with (`%name`), for printing; numbers are not kept.
    pub name: Option<Arc<str>>,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// The `index`-th parameter of a block.
    Param {
        /// The block.
        block: BlockId,
        /// Position in the block's parameters.
        index: u32,
    },
    /// The `index`-th result of an instruction.
    Result {
        /// The instruction.
        inst: InstId,
        /// Position in the instruction's results.
        index: u32,
    },
}

/// A straight run of instructions that ends by returning values to what encloses it.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Parameters.
    pub params: Vec<ValueId>,
    /// Instructions in order.
    pub insts: Vec<InstId>,
    /// Operands of the terminator (`return` or `stablehlo.return`).
    pub results: Vec<ValueId>,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    /// What it does, with its attributes.
    pub op: Op,
    /// Operands.
    pub operands: SmallVec<[ValueId; 3]>,
    /// Results.
    pub results: SmallVec<[ValueId; 1]>,
    /// Regions, one block each.
    pub regions: SmallVec<[BlockId; 0]>,
    /// Discardable attributes.
    pub attrs: Option<Box<Attrs>>,
    /// The name of what it was made from, for errors and profiles (an MLIR name location).
    pub source: Option<Arc<str>>,
}

/// The frontend attribute under which a host transfer and its other end meet.
pub const HOST_TRANSFER_RENDEZVOUS: &str = "_xla_host_transfer_rendezvous";

/// The discardable attribute that holds frontend attributes, as StableHLO writes it.
pub const FRONTEND_ATTRIBUTES: &str = "mhlo.frontend_attributes";

impl Inst {
    /// A text among the instruction's frontend attributes.
    pub fn frontend_attribute(&self, name: &str) -> Option<&str> {
        match self.attrs.as_ref()?.get(FRONTEND_ATTRIBUTES)? {
            Attr::Dict(entries) => match entries.get(name)? {
                Attr::Str(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// Sets a frontend attribute.
    pub fn set_frontend_attribute(&mut self, name: &str, text: &str) {
        let attrs = self.attrs.get_or_insert_default();
        let dict = attrs.entry(FRONTEND_ATTRIBUTES.to_owned());
        let dict = dict.or_insert_with(|| Attr::Dict(Attrs::new()));
        if !matches!(dict, Attr::Dict(_)) {
            *dict = Attr::Dict(Attrs::new());
        }
        if let Attr::Dict(entries) = dict {
            entries.insert(name.to_owned(), Attr::Str(text.to_owned()));
        }
    }
}

/// A constant: dense data, or one element that fills the shape.
#[derive(Clone, PartialEq, Debug)]
pub struct Literal {
    ty: TensorType,
    data: Tensor,
}

impl Literal {
    /// A dense literal.
    pub fn dense(data: Tensor) -> Literal {
        Literal { ty: TensorType::of(data.dtype(), data.shape()), data }
    }

    /// A literal in which each element is `element` (a scalar tensor); takes no memory a element.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when `element` is not a scalar, RESOURCE_EXHAUSTED when it is too large.
    pub fn splat(element: Tensor, shape: &Shape) -> Result<Literal> {
        shape.checked_elements()?;
        let ty = TensorType::of(element.dtype(), shape);
        Ok(Literal { ty, data: element.reshaped(Shape::scalar())? })
    }

    /// The literal with quantised type `ty` over storage values.
    #[must_use]
    pub fn with_type(mut self, ty: TensorType) -> Literal {
        self.ty = ty;
        self
    }

    /// The type.
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.ty.dtype
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.ty.dims.iter().map(|&d| d as usize).collect()
    }

    /// The one element that fills the shape, if the literal is kept that way.
    pub fn as_splat(&self) -> Option<&Tensor> {
        (self.data.shape().rank() == 0).then_some(&self.data)
    }

    /// The data as stored: a scalar for a splat.
    pub fn stored(&self) -> &Tensor {
        &self.data
    }

    /// The dense tensor; a splat is materialised.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when it is too large.
    pub fn to_tensor(&self) -> Result<Tensor> {
        let shape = self.shape();
        if shape.rank() == self.data.shape().rank() {
            return Ok(self.data.clone());
        }
        let element = self.data.bytes();
        let n = shape.checked_elements()?.saturating_mul(element.len());
        let mut buffer = tfjit_base::AlignedBytes::zeroed(n)?;
        if element.iter().any(|&b| b != 0) {
            for chunk in buffer.as_mut().chunks_exact_mut(element.len()) {
                chunk.copy_from_slice(element);
            }
        }
        Tensor::new(self.ty.dtype, shape, buffer)
    }
}

impl Func {
    /// An empty function with no parameters and no results.
    pub fn new(name: impl Into<String>) -> Func {
        let mut blocks = Arena::default();
        let entry = blocks.push(Block::default());
        Func {
            name: name.into(),
            public: true,
            values: Arena::default(),
            insts: Arena::default(),
            blocks,
            entry,
            result_types: Vec::new(),
            param_attrs: Vec::new(),
            result_attrs: Vec::new(),
            attrs: Attrs::new(),
        }
    }

    /// The parameters.
    pub fn params(&self) -> &[ValueId] {
        &self.blocks[self.entry].params
    }

    /// The returned values.
    pub fn results(&self) -> &[ValueId] {
        &self.blocks[self.entry].results
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.values[value].ty
    }

    /// The type of a tensor value, or `None` for tokens and tuples.
    pub fn tensor_ty(&self, value: ValueId) -> Option<&TensorType> {
        self.values[value].ty.as_tensor()
    }

    /// The types of the parameters.
    pub fn param_types(&self) -> impl Iterator<Item = &Type> {
        self.params().iter().map(|&v| self.ty(v))
    }

    /// The instruction that defines `value`, or `None` for parameters.
    pub fn def(&self, value: ValueId) -> Option<(InstId, &Inst)> {
        match self.values[value].def {
            ValueDef::Result { inst, .. } => Some((inst, &self.insts[inst])),
            ValueDef::Param { .. } => None,
        }
    }

    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: BlockId, ty: Type) -> ValueId {
        let index = self.blocks[block].params.len() as u32;
        let def = ValueDef::Param { block, index };
        let value = self.values.push(ValueData { ty, def, name: None });
        self.blocks[block].params.push(value);
        value
    }

    /// Adds an instruction with results of the given types, without putting it into a block.
    pub fn add_inst(
        &mut self,
        op: Op,
        operands: &[ValueId],
        regions: &[BlockId],
        result_types: Vec<Type>,
    ) -> InstId {
        let inst = self.insts.push(Inst {
            op,
            operands: SmallVec::from_slice(operands),
            results: SmallVec::new(),
            regions: SmallVec::from_slice(regions),
            attrs: None,
            source: None,
        });
        for (index, ty) in result_types.into_iter().enumerate() {
            let def = ValueDef::Result { inst, index: index as u32 };
            let value = self.values.push(ValueData { ty, def, name: None });
            self.insts[inst].results.push(value);
        }
        inst
    }

    /// Instructions of the entry and of all regions, outer before inner, each block in order.
    pub fn walk(&self) -> Vec<InstId> {
        let mut order = Vec::new();
        let mut stack = vec![self.entry];
        while let Some(block) = stack.pop() {
            for &inst in &self.blocks[block].insts {
                order.push(inst);
                stack.extend(self.insts[inst].regions.iter().copied());
            }
        }
        order
    }
}
