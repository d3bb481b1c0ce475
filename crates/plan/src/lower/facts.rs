//! What the planner knows of a function before it decides anything: views, reductions, who is
//! needed, who reads what. Nothing here knows units or buffers.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_hlo::{Binary, BlockId, Dims, Func, InstId, Live, Op, User, Uses, ValueDef, ValueId};

use super::fuse;
use super::view::{Strides, View, def_of, dims_of};
use crate::kernel::{Lane, Reduce};

/// A reduction that kernels can do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reduction {
    /// How values are combined.
    pub(crate) op: Reduce,
    /// The dimensions that go.
    pub(crate) dimensions: Dims,
}

/// Facts of a function.
pub(crate) struct Facts {
    views: Vec<Option<View>>,
    reductions: FxHashMap<InstId, Reduction>,
    elementwise: Vec<bool>,
    contractions: Vec<bool>,
    numbers: Vec<bool>,
    results: Vec<bool>,
    /// Paddings that the convolutions that alone read them do themselves.
    absorbed: FxHashSet<InstId>,
    live: Live,
    /// The block each instruction is in, and the instruction each block is a region of.
    block_of: Vec<Option<BlockId>>,
    owner: FxHashMap<BlockId, InstId>,
}

impl Facts {
    /// Reads a function; linear in its size.
    pub(crate) fn of(func: &Func, uses: &Uses, contracts: &dyn Fn(&Func, InstId) -> bool) -> Facts {
        let mut facts = Facts {
            views: vec![None; func.values.len()],
            reductions: FxHashMap::default(),
            elementwise: vec![false; func.insts.len()],
            contractions: vec![false; func.insts.len()],
            numbers: vec![false; func.values.len()],
            results: vec![false; func.values.len()],
            absorbed: FxHashSet::default(),
            live: func.live(),
            block_of: vec![None; func.insts.len()],
            owner: FxHashMap::default(),
        };
        for block in func.reachable_blocks() {
            for &param in &func.blocks[block].params {
                facts.set_whole(func, param);
            }
            for &inst in &func.blocks[block].insts {
                facts.block_of[inst.index()] = Some(block);
                for &region in &func.insts[inst].regions {
                    facts.owner.insert(region, inst);
                }
                facts.note(func, inst, contracts);
                if facts.contractions[inst.index()] {
                    facts.lay_out(func, uses, inst);
                }
            }
        }
        for block in func.reachable_blocks() {
            for &value in &func.blocks[block].results {
                let root = facts.view(value).map_or(value, |v| v.root);
                facts.results[root.index()] = true;
            }
        }
        for (inst, data) in func.insts.iter() {
            let there = facts.block_of[inst.index()].is_some();
            if there && matches!(data.op, Op::Pad { .. }) && facts.is_absorbed_pad(func, uses, inst)
            {
                facts.absorbed.insert(inst);
            }
        }
        facts
    }

    /// Whether a padding with zeros around height and width is read by convolutions only, which
    /// then read its operand with more padding of their own.
    fn is_absorbed_pad(&self, func: &Func, uses: &Uses, inst: InstId) -> bool {
        let data = &func.insts[inst];
        let Op::Pad { edge_padding_low, edge_padding_high, interior_padding } = &data.op else {
            return false;
        };
        let result = data.results[0];
        let spatial = edge_padding_low.len() == 4
            && [0, 3].iter().all(|&d| edge_padding_low[d] == 0 && edge_padding_high[d] == 0)
            && edge_padding_low.iter().chain(edge_padding_high).all(|&p| p >= 0)
            && interior_padding.iter().all(|&p| p == 0);
        let zero = self.view(data.operands[1]).and_then(|view| def_of(func, view.root));
        let zero = zero.is_some_and(|(_, def)| match &def.op {
            Op::Constant(literal) => literal.stored().bytes().iter().all(|&b| b == 0),
            _ => false,
        });
        if !spatial || !zero || self.results[result.index()] {
            return false;
        }
        let mut sites = uses.of(func, result).peekable();
        sites.peek().is_some()
            && sites.all(|site| match site.user {
                User::Inst(user) => {
                    site.index == 0
                        && self.is_contraction(user)
                        && matches!(func.insts[user].op, Op::Convolution(_))
                }
                User::Return(_) => false,
            })
    }

    /// What the padding that defines `root` pads, if its readers do that themselves.
    pub(crate) fn padded(&self, func: &Func, root: ValueId) -> Option<ValueId> {
        let (def, data) = def_of(func, root)?;
        self.is_absorbed(def).then(|| data.operands[0])
    }

    /// Whether an instruction is memory that is there before anything runs.
    pub(crate) fn is_constant(&self, func: &Func, inst: InstId) -> bool {
        let data = &func.insts[inst];
        let dtype = data.results.first().and_then(|&v| func.tensor_ty(v)).map(|ty| ty.dtype);
        match data.op {
            Op::Constant(_) => true,
            Op::Iota { .. } => dtype.is_some_and(super::moves::is_kept_iota),
            _ => false,
        }
    }

    /// Whether an instruction is a padding that its readers do themselves.
    pub(crate) fn is_absorbed(&self, inst: InstId) -> bool {
        self.absorbed.contains(&inst)
    }

    fn set_whole(&mut self, func: &Func, value: ValueId) {
        self.views[value.index()] = dims_of(func, value).map(|dims| View::whole(value, &dims));
    }

    fn note(&mut self, func: &Func, inst: InstId, contracts: &dyn Fn(&Func, InstId) -> bool) {
        let data = &func.insts[inst];
        if let (Some(view), [result]) = (self.view_through(func, inst), &data.results[..]) {
            self.views[result.index()] = Some(view);
            return;
        }
        for &result in &data.results {
            self.set_whole(func, result);
        }
        match &data.op {
            Op::Constant(literal) => {
                let lane = Lane::of(literal.dtype()).is_some() && literal.ty().quant.is_none();
                if let (Some(scalar), Some(view)) =
                    (literal.as_splat(), &mut self.views[data.results[0].index()])
                {
                    view.strides.fill(0);
                    self.numbers[data.results[0].index()] = lane && scalar.elements() == 1;
                }
            }
            Op::Iota { dimension } if self.is_constant(func, inst) => {
                if let Some(view) = &mut self.views[data.results[0].index()] {
                    view.strides.fill(0);
                    view.strides[*dimension as usize] = 1;
                }
            }
            Op::Reduce { dimensions } => {
                // Without dimensions nothing is combined but the initial value.
                if let Some(op) = reduction_op(func, inst).filter(|_| !dimensions.is_empty()) {
                    let reduction = Reduction { op, dimensions: dimensions.clone() };
                    self.reductions.insert(inst, reduction);
                }
            }
            _ => {}
        }
        self.elementwise[inst.index()] = fuse::is_elementwise(func, inst);
        self.contractions[inst.index()] = contracts(func, inst);
    }

    /// Lets a product write its result in the order in which the transpose that alone reads it
    /// wants it, so that nothing has to move; columns stay innermost.
    fn lay_out(&mut self, func: &Func, uses: &Uses, inst: InstId) {
        let data = &func.insts[inst];
        let (Op::DotGeneral(dot), [result]) = (&data.op, &data.results[..]) else { return };
        let mut readers = uses.of(func, *result);
        let (Some(reader), None) = (readers.next(), readers.next()) else { return };
        let User::Inst(user) = reader.user else { return };
        let Op::Transpose { permutation } = &func.insts[user].op else { return };
        let Some(dims) = dims_of(func, *result) else { return };
        let rank = dims.len();
        let batch = dot.lhs_batching_dimensions.len();
        let left = func.tensor_ty(data.operands[0]).map_or(0, |ty| ty.rank());
        let rows = batch..left - dot.lhs_contracting_dimensions.len();
        let wide = |range: std::ops::Range<usize>| dims[range].iter().filter(|&&d| d != 1).count();
        let last = permutation.last().map(|&d| d as usize);
        if last != rank.checked_sub(1) || wide(rows.clone()) > 1 || rank - rows.end != 1 {
            return;
        }
        let moved: SmallVec<[usize; 6]> = permutation.iter().map(|&d| dims[d as usize]).collect();
        let dense = super::view::dense_strides(&moved);
        if let Some(view) = &mut self.views[result.index()] {
            for (i, &d) in permutation.iter().enumerate() {
                view.strides[d as usize] = dense[i];
            }
        }
    }

    /// The view of the result of an instruction that moves nothing.
    fn view_through(&self, func: &Func, inst: InstId) -> Option<View> {
        let data = &func.insts[inst];
        let (&operand, &result) = (data.operands.first()?, data.results.first()?);
        let (from, to) = (dims_of(func, operand)?, dims_of(func, result)?);
        let same_type = func.tensor_ty(operand)?.dtype == func.tensor_ty(result)?.dtype;
        let view = self.view(operand)?;
        if matches!(data.op, Op::OptimizationBarrier) && data.operands.len() == 1 {
            return Some(view.clone());
        }
        if !same_type {
            return None;
        }
        view.through(data, &from, &to)
    }

    /// Where the elements of a static tensor value are.
    pub(crate) fn view(&self, value: ValueId) -> Option<&View> {
        self.views.get(value.index())?.as_ref()
    }

    /// Says that a value's elements are elsewhere from now on.
    pub(crate) fn set_view(&mut self, value: ValueId, view: View) {
        self.views[value.index()] = Some(view);
    }

    /// Whether the instruction's result is only another view of its operand.
    pub(crate) fn is_view(&self, func: &Func, inst: InstId) -> bool {
        match func.insts[inst].results[..] {
            [result] => self.view(result).is_some_and(|v| v.root != result),
            _ => false,
        }
    }

    /// Whether anybody needs the instruction.
    pub(crate) fn is_needed(&self, inst: InstId) -> bool {
        self.live.has(inst)
    }

    /// The reduction that an instruction is.
    pub(crate) fn reduction(&self, inst: InstId) -> Option<&Reduction> {
        self.reductions.get(&inst)
    }

    /// Whether an instruction is elementwise and kernels can do it.
    pub(crate) fn is_elementwise(&self, inst: InstId) -> bool {
        self.elementwise[inst.index()]
    }

    /// Whether an instruction is a contraction that library kernels can do.
    pub(crate) fn is_contraction(&self, inst: InstId) -> bool {
        self.contractions[inst.index()]
    }

    /// Whether a value is a constant of one number, which kernels hold themselves.
    pub(crate) fn is_number(&self, value: ValueId) -> bool {
        self.numbers.get(value.index()).copied().unwrap_or(false)
    }

    /// Whether a value is the root of what a block returns.
    pub(crate) fn is_result(&self, root: ValueId) -> bool {
        self.results.get(root.index()).copied().unwrap_or(false)
    }

    /// The instructions of `value`'s own block that read it or a view of it; for reads in regions,
    /// the instructions that hold them.
    pub(crate) fn readers(
        &self,
        func: &Func,
        uses: &Uses,
        value: ValueId,
    ) -> SmallVec<[InstId; 4]> {
        let home = self.home(func, value);
        let mut readers: SmallVec<[InstId; 4]> = SmallVec::new();
        let mut todo: SmallVec<[ValueId; 4]> = SmallVec::from_slice(&[value]);
        while let Some(value) = todo.pop() {
            for site in uses.of(func, value) {
                let user = match site.user {
                    User::Inst(user) => user,
                    // What a region returns is read by the instruction that holds the region.
                    User::Return(block) => match self.owner.get(&block) {
                        Some(&owner) => owner,
                        None => continue,
                    },
                };
                let passes_on = site.user == User::Inst(user)
                    && (self.is_view(func, user) || self.is_absorbed(user));
                if passes_on {
                    todo.extend(func.insts[user].results.iter().copied());
                } else if let Some(user) = self.ancestor(user, home)
                    && !readers.contains(&user)
                {
                    readers.push(user);
                }
            }
        }
        readers
    }

    /// The block an instruction is in.
    pub(crate) fn block(&self, inst: InstId) -> Option<BlockId> {
        self.block_of[inst.index()]
    }

    /// The block in which a value is defined.
    fn home(&self, func: &Func, value: ValueId) -> BlockId {
        match func.values[value].def {
            ValueDef::Param { block, .. } => block,
            ValueDef::Result { inst, .. } => self.block_of[inst.index()].unwrap_or(func.entry),
        }
    }

    /// The instruction of `block` that is or holds `inst`.
    fn ancestor(&self, mut inst: InstId, block: BlockId) -> Option<InstId> {
        loop {
            let at = self.block_of[inst.index()]?;
            if at == block {
                return Some(inst);
            }
            inst = *self.owner.get(&at)?;
        }
    }

    /// The strides of an operand for each element of a space of extents `dims`: its own, or zeros
    /// for a scalar that stands for all elements.
    pub(crate) fn strides_in(
        &self,
        func: &Func,
        value: ValueId,
        dims: &[usize],
    ) -> Option<Strides> {
        let view = self.view(value)?;
        let own = dims_of(func, value)?;
        if own[..] == *dims {
            return Some(view.strides.clone());
        }
        own.is_empty().then(|| SmallVec::from_elem(0, dims.len()))
    }
}

/// The reduction that `inst` is, if kernels can do it: one operand, one operation in the region.
fn reduction_op(func: &Func, inst: InstId) -> Option<Reduce> {
    let data = &func.insts[inst];
    if data.operands.len() != 2 || data.regions.len() != 1 {
        return None;
    }
    let (operand, result) = (func.tensor_ty(data.operands[0])?, func.tensor_ty(data.results[0])?);
    let narrow_float = operand.dtype.size() == 2 && !operand.dtype.is_int();
    if !operand.is_static() || operand.dtype != result.dtype || narrow_float {
        return None;
    }
    let lane = Lane::of(operand.dtype)?;
    let op = region_op(func, data.regions[0])?;
    let fits = match op {
        Binary::Add | Binary::Multiply => lane != Lane::Pred && operand.dtype.size() >= 4,
        Binary::Minimum | Binary::Maximum => lane != Lane::Pred,
        Binary::And | Binary::Or => !lane.is_float(),
        _ => false,
    };
    fits.then_some(match op {
        Binary::Add => Reduce::Sum,
        Binary::Multiply => Reduce::Product,
        Binary::Minimum => Reduce::Min,
        Binary::Maximum => Reduce::Max,
        Binary::And => Reduce::And,
        _ => Reduce::Or,
    })
}

/// The one binary operation that a region applies to its two parameters.
pub(crate) fn region_op(func: &Func, region: BlockId) -> Option<Binary> {
    let block = &func.blocks[region];
    let (&[x, y], &[inst], &[result]) = (&block.params[..], &block.insts[..], &block.results[..])
    else {
        return None;
    };
    let data = &func.insts[inst];
    let Op::Binary(op) = data.op else { return None };
    let straight = data.operands[..] == [x, y] || data.operands[..] == [y, x];
    (straight && data.results[..] == [result]).then_some(op)
}
