//! From a unit to a loop kernel and its call.
//!
//! Nothing here decides what is fused or where memory is; it writes the kernel for what `fuse`
//! decided, or says that the space can't be walked in rows and columns.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tfjit_base::DType;
use tfjit_base::ids::Id;
use tfjit_hlo::{Func, InstId, Op as HloOp, ValueId};

use super::elementwise;
use super::facts::Facts;
use super::fuse::{Level, Space, Unit};
use super::space::{Dim, collapse};
use super::stages::Stages;
use super::view::{Strides, def_of, dense_strides, dims_of, reshaped};
use crate::kernel::{Access, Axis, Binary, Kernel, Lane, Op, Reduce, Stream, StreamId, Val, When};

/// How the space of a loop has to be walked.
#[derive(Clone, Debug)]
pub(crate) enum Walk {
    /// As is best.
    Free,
    /// As the contraction that it finishes: for each dimension 0 for its batch, 1 for its rows,
    /// 2 for its columns.
    Contraction(SmallVec<[u8; 6]>),
}

/// What a stream of a built kernel reads or writes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    /// The value, or the place of a kept value.
    pub(crate) what: What,
    /// In elements.
    pub(crate) offset: isize,
    /// In elements, one a dimension of the space.
    strides: Strides,
    /// Size of an element in bytes.
    element: usize,
}

/// Memory of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Of a value.
    Value(ValueId),
    /// For a value that only the kernel itself reads again.
    Kept(ValueId),
}

/// A kernel and how it is called. Strides are in bytes.
pub(crate) struct Built {
    /// The kernel.
    pub(crate) kernel: Kernel,
    /// Extents of outer dimensions.
    pub(crate) outer: SmallVec<[usize; 4]>,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Number of columns.
    pub(crate) cols: usize,
    /// One a stream.
    pub(crate) streams: Vec<BuiltStream>,
}

/// Where a stream of a built kernel is; in bytes.
pub(crate) struct BuiltStream {
    /// Its memory.
    pub(crate) what: What,
    /// Of its first element.
    pub(crate) offset: usize,
    /// One stride an outer dimension.
    pub(crate) outer: SmallVec<[isize; 4]>,
    /// From row to row.
    pub(crate) row: isize,
    /// From column to column.
    pub(crate) col: isize,
}

/// What is known of a unit while its kernel is written.
pub(crate) struct Builder<'a> {
    func: &'a Func,
    facts: &'a Facts,
    space: &'a Space,
    stages: Stages,
    /// Values that somebody outside reads.
    outputs: &'a [ValueId],
    kernel: Kernel,
    sources: Vec<Source>,
    /// Values of the phase at hand.
    now: FxHashMap<ValueId, Val>,
    /// Loads and constants of the phase at hand.
    loads: FxHashMap<StreamId, Val>,
    consts: FxHashMap<(u64, Lane), Val>,
    /// Results of reductions and of what follows from them.
    once: FxHashMap<ValueId, Val>,
    /// Where kept values and outputs of earlier stages are.
    stored: FxHashMap<ValueId, StreamId>,
    stage: usize,
}

/// Writes the kernel of `unit`; `None` when its space can't be walked in rows and columns.
pub(crate) fn build(
    func: &Func,
    facts: &Facts,
    unit: &Unit,
    space: &Space,
    outputs: &[ValueId],
    walk: &Walk,
) -> Option<Built> {
    let mut builder = Builder {
        func,
        facts,
        space,
        stages: Stages::of(func, facts, unit),
        outputs,
        kernel: Kernel::new(String::new(), Axis::Columns),
        sources: Vec::new(),
        now: FxHashMap::default(),
        loads: FxHashMap::default(),
        consts: FxHashMap::default(),
        once: FxHashMap::default(),
        stored: FxHashMap::default(),
        stage: 0,
    };
    for stage in 0..builder.stages.count {
        builder.stage = stage;
        builder.each_phase(unit)?;
        builder.once_phase(unit)?;
    }
    builder.finish(walk)
}

impl Builder<'_> {
    /// The pass over all elements of the stage at hand.
    fn each_phase(&mut self, unit: &Unit) -> Option<()> {
        self.begin(When::Each);
        self.load_overwritten(unit)?;
        for &(inst, level) in &unit.members {
            if level != Level::Each || self.stages.of.get(&inst)?.1 != self.stage {
                continue;
            }
            let result = self.func.insts[inst].results[0];
            if let Some(reduction) = self.facts.reduction(inst) {
                let operand = self.func.insts[inst].operands[0];
                let value = self.operand(operand, Level::Each)?;
                let lane = Lane::of(self.dtype(result)?)?;
                let reduced = self.kernel.push(Op::Reduce(reduction.op), &[value], lane);
                self.once.insert(result, reduced);
            } else if self.outputs.contains(&result) || self.is_kept(result) {
                let value = self.member(inst)?;
                let stream = self.output_stream(result, Level::Each)?;
                self.store(stream, value);
                self.stored.insert(result, stream);
            }
        }
        Some(())
    }

    /// What follows from the reductions of the stage at hand.
    fn once_phase(&mut self, unit: &Unit) -> Option<()> {
        self.begin(When::Once);
        for &(inst, level) in &unit.members {
            if self.stages.of.get(&inst)?.1 != self.stage {
                continue;
            }
            let result = self.func.insts[inst].results[0];
            if self.facts.reduction(inst).is_some() {
                self.add_initial(inst)?;
            } else if level == Level::Once {
                let value = self.compute(inst, Level::Once)?;
                self.once.insert(result, value);
            } else {
                continue;
            }
            if self.outputs.contains(&result) {
                let stream = self.output_stream(result, Level::Once)?;
                let value = *self.once.get(&result)?;
                self.store(stream, value);
            }
        }
        if self.kernel.phases.last().is_some_and(|p| p.insts.is_empty()) {
            self.kernel.phases.pop();
        }
        Some(())
    }

    fn store(&mut self, stream: StreamId, value: Val) {
        let lane = self.kernel.insts[value].ty;
        self.kernel.push(Op::Store(stream), &[value], lane);
    }

    fn begin(&mut self, when: When) {
        self.kernel.begin(when);
        self.now.clear();
        self.loads.clear();
        self.consts.clear();
    }

    /// Reads, before anything is written, what this stage still needs from memory that it writes.
    fn load_overwritten(&mut self, unit: &Unit) -> Option<()> {
        let kept: Vec<(ValueId, usize)> = self.stages.kept.clone();
        for (value, last) in kept {
            if last >= self.stage
                && let Some(&stream) = self.stored.get(&value)
            {
                self.load(stream)?;
            }
        }
        if let Some(contraction) = unit.contraction {
            let root = self.func.insts[contraction].results[0];
            let strides = dense_strides(&self.space.dims);
            let stream = self.input_stream(root, self.dtype(root)?, 0, strides)?;
            self.load(stream)?;
        }
        Some(())
    }

    fn is_kept(&self, value: ValueId) -> bool {
        self.stages.kept.iter().any(|(v, _)| *v == value)
    }

    fn dtype(&self, value: ValueId) -> Option<DType> {
        self.func.tensor_ty(value).map(|ty| ty.dtype)
    }

    /// Applies the initial value of a reduction, unless it changes nothing.
    fn add_initial(&mut self, inst: InstId) -> Option<()> {
        let data = &self.func.insts[inst];
        let (result, initial) = (data.results[0], data.operands[1]);
        let op = self.facts.reduction(inst)?.op;
        let dtype = self.dtype(result)?;
        let lane = Lane::of(dtype)?;
        if self.number(initial).is_some_and(|bits| is_identity(op, dtype, bits)) {
            return Some(());
        }
        let initial = self.operand(initial, Level::Once)?;
        let reduced = *self.once.get(&result)?;
        let combine = match op {
            Reduce::Sum => Binary::Add,
            Reduce::Product => Binary::Mul,
            Reduce::Min => Binary::Min,
            Reduce::Max => Binary::Max,
            Reduce::And => Binary::And,
            Reduce::Or => Binary::Or,
        };
        let value = self.kernel.push(Op::Binary(combine), &[initial, reduced], lane);
        self.once.insert(result, value);
        Some(())
    }

    /// The bits of a constant of one number, as its lanes hold it.
    fn number(&self, value: ValueId) -> Option<u64> {
        let root = self.facts.view(value)?.root;
        if !self.facts.is_number(root) {
            return None;
        }
        let (_, data) = def_of(self.func, root)?;
        let HloOp::Constant(literal) = &data.op else { return None };
        lane_bits(literal.dtype(), literal.as_splat()?.bytes())
    }

    /// The value of an operand in the phase at hand.
    fn operand(&mut self, value: ValueId, level: Level) -> Option<Val> {
        if let Some(bits) = self.number(value) {
            let lane = Lane::of(self.dtype(value)?)?;
            return Some(self.constant(bits, lane));
        }
        let root = self.facts.view(value)?.root;
        match self.stages.of_value(self.func, self.facts, value) {
            Some((Level::Once, _)) => self.once.get(&root).copied(),
            Some((Level::Each, _)) => self.member(def_of(self.func, root)?.0),
            None => {
                let strides = self.outside_strides(value, level)?;
                let offset = self.facts.view(value)?.offset;
                let stream = self.input_stream(root, self.dtype(value)?, offset, strides)?;
                self.load(stream)
            }
        }
    }

    fn constant(&mut self, bits: u64, lane: Lane) -> Val {
        if let Some(&val) = self.consts.get(&(bits, lane)) {
            return val;
        }
        let val = self.kernel.push(Op::Const(bits), &[], lane);
        self.consts.insert((bits, lane), val);
        val
    }

    /// The strides, for each element of the space, of a value from outside.
    fn outside_strides(&self, value: ValueId, level: Level) -> Option<Strides> {
        if level == Level::Each {
            return self.facts.strides_in(self.func, value, &self.space.dims);
        }
        let own = dims_of(self.func, value)?;
        if own.is_empty() {
            return Some(SmallVec::from_elem(0, self.space.dims.len()));
        }
        let pairs = self.space.dims.iter().zip(&self.space.reduced);
        let kept: SmallVec<[usize; 6]> = pairs.map(|(&d, &r)| if r { 1 } else { d }).collect();
        let strides = reshaped(&own, &self.facts.view(value)?.strides, &kept)?;
        let pairs = strides.iter().zip(&self.space.reduced);
        Some(pairs.map(|(&s, &reduced)| if reduced { 0 } else { s }).collect())
    }

    /// The value of a member that is computed for each element.
    fn member(&mut self, inst: InstId) -> Option<Val> {
        let result = self.func.insts[inst].results[0];
        if let Some(&val) = self.now.get(&result) {
            return Some(val);
        }
        let val = match self.stored.get(&result) {
            Some(&stream) => self.load(stream)?,
            None => self.compute(inst, Level::Each)?,
        };
        self.now.insert(result, val);
        Some(val)
    }

    fn compute(&mut self, inst: InstId, level: Level) -> Option<Val> {
        let func = self.func;
        let data = &func.insts[inst];
        let mut args: SmallVec<[elementwise::Arg; 3]> = SmallVec::new();
        for &operand in &data.operands {
            args.push((self.operand(operand, level)?, self.dtype(operand)?));
        }
        let dtype = self.dtype(data.results[0])?;
        elementwise::emit(&mut self.kernel, &data.op, &args, dtype)
    }

    fn load(&mut self, stream: StreamId) -> Option<Val> {
        if let Some(&val) = self.loads.get(&stream) {
            return Some(val);
        }
        let lane = Lane::of(self.kernel.streams[stream].dtype)?;
        let val = self.kernel.push(Op::Load(stream), &[], lane);
        self.loads.insert(stream, val);
        Some(val)
    }

    fn input_stream(
        &mut self,
        root: ValueId,
        dtype: DType,
        offset: isize,
        strides: Strides,
    ) -> Option<StreamId> {
        let source = Source { what: What::Value(root), offset, strides, element: dtype.size() };
        if let Some(at) = self.sources.iter().position(|s| *s == source)
            && !self.kernel.streams[StreamId::new(at)].output
        {
            return Some(StreamId::new(at));
        }
        Some(self.push_stream(source, dtype, false))
    }

    fn output_stream(&mut self, value: ValueId, level: Level) -> Option<StreamId> {
        let dtype = self.dtype(value)?;
        let strides = match level {
            Level::Each => dense_strides(&self.space.dims),
            Level::Once => self.space.once_strides(),
        };
        let output = self.outputs.contains(&value);
        let what = if output { What::Value(value) } else { self.place_of_kept(value, dtype) };
        let source = Source { what, offset: 0, strides, element: dtype.size() };
        if let Some(at) = self.sources.iter().position(|s| *s == source) {
            return Some(StreamId::new(at));
        }
        Some(self.push_stream(source, dtype, true))
    }

    /// A kept value goes where an output of a later stage will go, or to memory of its own.
    fn place_of_kept(&self, value: ValueId, dtype: DType) -> What {
        let last = self.stages.kept.iter().find(|(v, _)| *v == value).map_or(0, |k| k.1);
        let taken = |what: What| self.sources.iter().any(|s| s.what == what);
        let fits = self.outputs.iter().copied().find(|&output| {
            let stage = self.stages.of_value(self.func, self.facts, output);
            stage.is_some_and(|(level, stage)| level == Level::Each && stage >= last)
                && self.dtype(output) == Some(dtype)
                && !taken(What::Value(output))
        });
        fits.map_or(What::Kept(value), What::Value)
    }

    fn push_stream(&mut self, source: Source, dtype: DType, output: bool) -> StreamId {
        self.sources.push(source);
        self.kernel.streams.push(Stream { dtype, output, access: Access::Unit })
    }

    /// Decides how the space is walked, and with that how each stream is accessed.
    fn finish(mut self, walk: &Walk) -> Option<Built> {
        let (outer, row, col) = self.walk(walk)?;
        let rank = self.sources.len();
        let none = || Dim { extent: 1, mark: 0, strides: SmallVec::from_elem(0, rank) };
        let (row, col) = (row.unwrap_or_else(none), col.unwrap_or_else(none));
        let mut streams = Vec::with_capacity(rank);
        for (i, source) in self.sources.iter().enumerate() {
            let bytes = |stride: isize| stride.checked_mul(source.element as isize);
            let outers = outer.iter().map(|d| bytes(d.strides[i])).collect::<Option<_>>()?;
            let once = self.is_once(source);
            let stream = &mut self.kernel.streams[StreamId::new(i)];
            stream.access = match col.strides[i] {
                1 => Access::Unit,
                0 if col.extent > 1 || !stream.output => Access::Row,
                0 => Access::Unit,
                _ => Access::Strided,
            };
            match self.kernel.axis {
                // Results of a reduction along columns are one a row, whatever the row's length.
                Axis::Columns if stream.output && once => stream.access = Access::Row,
                // Those along rows are a whole block of columns.
                Axis::Rows if stream.output && once && stream.access != Access::Unit => {
                    return None;
                }
                _ => {}
            }
            let offset = usize::try_from(bytes(source.offset)?).ok()?;
            let (row, col) = (bytes(row.strides[i])?, bytes(col.strides[i])?);
            streams.push(BuiltStream { what: source.what, offset, outer: outers, row, col });
        }
        let outer = outer.iter().map(|d| d.extent).collect();
        let (rows, cols) = (row.extent, col.extent);
        Some(Built { kernel: self.kernel, outer, rows, cols, streams })
    }

    /// Whether a stream holds results of the unit's reduction.
    fn is_once(&self, source: &Source) -> bool {
        let What::Value(value) = source.what else { return false };
        matches!(self.stages.of_value(self.func, self.facts, value), Some((Level::Once, _)))
            && self.space.reduced.contains(&true)
    }

    /// Outer dimensions, rows and columns.
    fn walk(&mut self, walk: &Walk) -> Option<(Vec<Dim>, Option<Dim>, Option<Dim>)> {
        let strides: Vec<&Strides> = self.sources.iter().map(|s| &s.strides).collect();
        if let Walk::Contraction(marks) = walk {
            return contraction_walk(&self.space.dims, marks, &strides);
        }
        if !self.space.reduced.contains(&true) {
            let marks: Vec<u8> = vec![0; self.space.dims.len()];
            let mut dims = collapse(&self.space.dims, &marks, &strides);
            let (col, row) = (dims.pop(), dims.pop());
            return Some((dims, row, col));
        }
        let (axis, found) = reduction_walk(self.space, &strides)?;
        self.kernel.axis = axis;
        Some(found)
    }
}

type Walked = (Vec<Dim>, Option<Dim>, Option<Dim>);

/// The walk of a contraction's result: batch dimensions as they are, one dimension of rows, one of
/// columns.
fn contraction_walk(dims: &[usize], marks: &[u8], strides: &[&Strides]) -> Option<Walked> {
    let (mut outer, mut row, mut col) = (Vec::new(), None, None);
    // Batch dimensions stay apart, as they are in the call.
    let apart: SmallVec<[u8; 6]> =
        marks.iter().enumerate().map(|(i, &m)| if m == 0 { 8 + i as u8 } else { m }).collect();
    for dim in collapse(dims, &apart, strides) {
        let slot = match dim.mark {
            1 => &mut row,
            2 => &mut col,
            _ => {
                outer.push(dim);
                continue;
            }
        };
        if slot.replace(dim).is_some() {
            return None;
        }
    }
    Some((outer, row, col))
}

/// The walk of a reduction: with the reduced dimensions innermost if they hold the neighbours in
/// memory, else with them before the kept dimensions that do.
fn reduction_walk(space: &Space, strides: &[&Strides]) -> Option<(Axis, Walked)> {
    let mut order: Vec<usize> = (0..space.dims.len()).filter(|&d| space.dims[d] != 1).collect();
    // How the largest stream lies in memory tells which dimension is innermost.
    let size = |s: &&&Strides| order.iter().filter(|&&d| s[d] != 0).count();
    if let Some(largest) = strides.iter().rev().max_by_key(size) {
        order.sort_by_key(|&d| std::cmp::Reverse(largest[d].unsigned_abs().max(1)));
    }
    let columns = order.last().is_none_or(|&d| space.reduced[d]);
    let tail = order.iter().rev().take_while(|&&d| !space.reduced[d]).count();
    let tail = order.split_off(order.len() - tail);
    // What is kept goes outside of what is reduced.
    order.sort_by_key(|&d| space.reduced[d]);
    order.extend(tail);
    let dims: Vec<usize> = order.iter().map(|&d| space.dims[d]).collect();
    let marks: Vec<u8> = order.iter().map(|&d| u8::from(space.reduced[d])).collect();
    let moved: Vec<Strides> =
        strides.iter().map(|s| order.iter().map(|&d| s[d]).collect()).collect();
    let moved: Vec<&Strides> = moved.iter().collect();
    let mut found = collapse(&dims, &marks, &moved);
    if found.iter().filter(|d| d.mark == 1).count() > 1 {
        return None;
    }
    let axis = if columns { Axis::Columns } else { Axis::Rows };
    let (mut row, mut col) = (None, None);
    if columns {
        if found.last().is_some_and(|d| d.mark == 1) {
            col = found.pop();
        }
        row = found.pop();
    } else {
        col = found.pop();
        if found.last().is_some_and(|d| d.mark == 1) {
            row = found.pop();
        }
    }
    found.iter().all(|d| d.mark == 0).then_some((axis, (found, row, col)))
}

/// The bits that lanes hold for an element.
fn lane_bits(dtype: DType, bytes: &[u8]) -> Option<u64> {
    let mut word = [0u8; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let raw = u64::from_le_bytes(word);
    Some(match dtype {
        DType::I8 => u64::from(raw as u8 as i8 as i32 as u32),
        DType::I16 => u64::from(raw as u16 as i16 as i32 as u32),
        DType::BF16 => u64::from((raw as u32) << 16),
        DType::F16 => u64::from(tfjit_base::f16::from_bits(raw as u16).to_f32().to_bits()),
        _ => raw,
    })
}

/// Whether a number changes nothing when it is combined with another.
fn is_identity(op: Reduce, dtype: DType, bits: u64) -> bool {
    let float = match Lane::of(dtype) {
        Some(Lane::F32) => Some(f64::from(f32::from_bits(bits as u32))),
        Some(Lane::F64) => Some(f64::from_bits(bits)),
        _ => None,
    };
    match (op, float) {
        // Adding +0 changes -0 only, and sums start from +0 anyway.
        (Reduce::Sum, Some(x)) => x == 0.0,
        (Reduce::Product, Some(x)) => x == 1.0,
        (Reduce::Min, Some(x)) => x == f64::INFINITY,
        (Reduce::Max, Some(x)) => x == f64::NEG_INFINITY,
        (Reduce::Sum | Reduce::Or, None) => bits == 0,
        (Reduce::Product, None) => bits == 1,
        (Reduce::And, None) => dtype == DType::Bool && bits == 1,
        _ => false,
    }
}
