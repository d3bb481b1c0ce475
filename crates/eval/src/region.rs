//! Regions over scalars, compiled to a list of closures over numbered cells.
//!
//! Reducers, comparators and mapped functions run once an element; walking the instructions with
//! tensors each time would be a thousand times slower. Only regions of elementwise instructions on
//! scalars are compiled; the interpreter runs any other as it runs a function.

use bytemuck::Pod;
use tfjit_base::{DType, Result};
use tfjit_hlo::{Binary, Block, CompareType, Func, Inst, Op, Type, ValueId};

use crate::bits::{reduce_f32, reduce_f64};
use crate::convert::converter;
use crate::flush;
use crate::pick::{self, Visit1, Visit2};
use crate::reducer::{Cell, Shortcut};

/// One step: reads some cells and writes another.
type Step = Box<dyn Fn(&mut [Cell])>;

/// A compiled region.
pub(crate) struct Program {
    cells: Vec<Cell>,
    steps: Vec<Step>,
    params: usize,
    results: Vec<usize>,
}

impl Program {
    /// Runs the region.
    pub(crate) fn call(&mut self, arguments: &[Cell], results: &mut [Cell]) {
        for (cell, argument) in self.cells[..self.params].iter_mut().zip(arguments) {
            *cell = *argument;
        }
        for step in &self.steps {
            step(&mut self.cells);
        }
        for (result, &cell) in results.iter_mut().zip(&self.results) {
            *result = self.cells[cell];
        }
    }
}

/// The single step a region of two parameters consists of, if that is so.
pub(crate) fn shortcut(func: &Func, block: &Block) -> Option<Shortcut> {
    let (&[first, second], &[result]) = (&block.params[..], &block.results[..]) else {
        return None;
    };
    if scalar_dtype(func, first)? != scalar_dtype(func, second)? {
        return None;
    }
    match block.insts[..] {
        [] if result == first => Some(Shortcut::First),
        [] if result == second => Some(Shortcut::Second),
        [inst] => {
            let inst = &func.insts[inst];
            let straight = inst.operands[..] == [first, second];
            let swapped = inst.operands[..] == [second, first];
            if inst.results[..] != [result] {
                return None;
            }
            match inst.op {
                Op::Binary(Binary::Complex) => None,
                Op::Binary(op) if straight || swapped && commutes(op) => Some(Shortcut::Binary(op)),
                Op::Compare { direction, compare_type } if straight => (compare_type
                    != CompareType::TotalOrder)
                    .then_some(Shortcut::Compare(direction)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn commutes(op: Binary) -> bool {
    use Binary::*;
    matches!(op, Add | Multiply | Maximum | Minimum | And | Or | Xor)
}

/// The element type of a scalar that is not quantised.
fn scalar_dtype(func: &Func, value: ValueId) -> Option<DType> {
    match func.ty(value) {
        Type::Tensor(ty) if ty.rank() == 0 && ty.quant.is_none() => Some(ty.dtype),
        _ => None,
    }
}

/// Compiles a region. `captured` gives the values of scalars from outside; `None` when the region
/// is not made of elementwise instructions on scalars.
pub(crate) fn compile(
    func: &Func,
    block: &Block,
    captured: &dyn Fn(ValueId) -> Option<Cell>,
    flush: bool,
) -> Option<Program> {
    let mut compiler = Compiler {
        func,
        captured,
        flush,
        places: Vec::new(),
        program: Program {
            cells: Vec::new(),
            steps: Vec::new(),
            params: block.params.len(),
            results: Vec::new(),
        },
    };
    for &param in &block.params {
        scalar_dtype(func, param)?;
        compiler.place(param);
    }
    if flush {
        for (i, &param) in block.params.iter().enumerate() {
            compiler.flush(i, scalar_dtype(func, param)?);
        }
    }
    for &inst in &block.insts {
        compiler.inst(&func.insts[inst])?;
    }
    for &result in &block.results {
        let cell = compiler.find(result)?;
        compiler.program.results.push(cell);
    }
    Some(compiler.program)
}

struct Compiler<'a> {
    func: &'a Func,
    captured: &'a dyn Fn(ValueId) -> Option<Cell>,
    flush: bool,
    /// Where values are; regions are short, so a list is searched from its end.
    places: Vec<(ValueId, usize)>,
    program: Program,
}

impl Compiler<'_> {
    /// A new cell for `value`.
    fn place(&mut self, value: ValueId) -> usize {
        let cell = self.program.cells.len();
        self.program.cells.push(Cell::default());
        self.places.push((value, cell));
        cell
    }

    /// The cell of `value`, which may come from outside.
    fn find(&mut self, value: ValueId) -> Option<usize> {
        if let Some((_, cell)) = self.places.iter().rev().find(|(v, _)| *v == value) {
            return Some(*cell);
        }
        scalar_dtype(self.func, value)?;
        let content = (self.captured)(value)?;
        let cell = self.place(value);
        self.program.cells[cell] = content;
        Some(cell)
    }

    fn push(&mut self, step: Step) {
        self.program.steps.push(step);
    }

    /// Makes subnormal contents of a cell zero.
    fn flush(&mut self, cell: usize, dtype: DType) {
        if let Some(step) = flush::cell(dtype) {
            self.push(Box::new(move |cells| cells[cell] = step(cells[cell])));
        }
    }

    fn inst(&mut self, inst: &Inst) -> Option<()> {
        let [result] = inst.results[..] else { return None };
        let result_dtype = scalar_dtype(self.func, result)?;
        let mut args = Vec::new();
        let mut dtypes = Vec::new();
        for &operand in &inst.operands {
            dtypes.push(scalar_dtype(self.func, operand)?);
            args.push(self.find(operand)?);
        }
        let same = match &inst.op {
            Op::Reshape | Op::BroadcastInDim { .. } | Op::OptimizationBarrier => true,
            Op::Convert | Op::BitcastConvert => dtypes[0] == result_dtype,
            _ => false,
        };
        if same {
            self.places.push((result, *args.first()?));
            return Some(());
        }
        let to = self.place(result);
        self.operation(&inst.op, &args, &dtypes, to, result_dtype)?;
        if self.flush && flush::flushes(&inst.op) {
            self.flush(to, result_dtype);
        }
        Some(())
    }

    fn operation(
        &mut self,
        op: &Op,
        args: &[usize],
        dtypes: &[DType],
        to: usize,
        result_dtype: DType,
    ) -> Option<()> {
        let step = match (op, args) {
            (Op::Constant(literal), []) => {
                self.program.cells[to] = Cell::at(literal.stored(), 0).ok()?;
                return Some(());
            }
            (Op::Unary(op), &[x]) => pick::unary(*op, dtypes[0], Emit1 { x, to }).ok()?,
            (Op::Binary(op), &[x, y]) => pick::binary(*op, dtypes[0], Emit2 { x, y, to }).ok()?,
            (Op::Compare { direction, compare_type }, &[x, y]) => {
                pick::compare(*direction, *compare_type, dtypes[0], Emit2 { x, y, to }).ok()?
            }
            (Op::Select, &[pred, yes, no]) => Box::new(move |c: &mut [Cell]| {
                c[to] = if c[pred].is_true() { c[yes] } else { c[no] }
            }),
            (Op::Clamp, &[low, x, high]) => {
                let raise = Emit2 { x, y: low, to };
                let raise = pick::binary(Binary::Maximum, dtypes[0], raise).ok()?;
                self.push(raise);
                let lower = Emit2 { x: to, y: high, to };
                pick::binary(Binary::Minimum, dtypes[0], lower).ok()?
            }
            (Op::Convert, &[x]) => convert(dtypes[0], result_dtype, x, to).ok()?,
            (Op::BitcastConvert, &[x]) => {
                // Narrow types would have to be sign-extended anew.
                let whole = |d: DType| d.bits() == d.size() * 8 && d.size() > 0;
                if !whole(dtypes[0])
                    || !whole(result_dtype)
                    || dtypes[0].size() != result_dtype.size()
                {
                    return None;
                }
                Box::new(move |c: &mut [Cell]| c[to] = c[x])
            }
            (Op::ReducePrecision { exponent_bits, mantissa_bits }, &[x]) => {
                reduce_precision(*exponent_bits, *mantissa_bits, dtypes[0], x, to)?
            }
            _ => return None,
        };
        self.push(step);
        Some(())
    }
}

struct Emit1 {
    x: usize,
    to: usize,
}

impl Visit1 for Emit1 {
    type Out = Step;
    fn visit<T: Pod, U: Pod>(self, f: impl Fn(T) -> U + Copy + 'static) -> Step {
        let Emit1 { x, to } = self;
        Box::new(move |c| c[to] = Cell::of(f(c[x].get())))
    }
}

struct Emit2 {
    x: usize,
    y: usize,
    to: usize,
}

impl Visit2 for Emit2 {
    type Out = Step;
    fn visit<T: Pod, U: Pod>(self, f: impl Fn(T, T) -> U + Copy + 'static) -> Step {
        let Emit2 { x, y, to } = self;
        Box::new(move |c| c[to] = Cell::of(f(c[x].get(), c[y].get())))
    }
}

fn convert(from: DType, dtype: DType, x: usize, to: usize) -> Result<Step> {
    let run = converter(from, dtype)?;
    let (width, out) = (from.size(), dtype.size());
    Ok(Box::new(move |c| {
        let mut element = Cell::default();
        run(&bytemuck::bytes_of(&c[x])[..width], &mut bytemuck::bytes_of_mut(&mut element)[..out]);
        c[to] = element;
    }))
}

fn reduce_precision(
    exponent: i32,
    mantissa: i32,
    dtype: DType,
    x: usize,
    to: usize,
) -> Option<Step> {
    let (e, m) = (u32::try_from(exponent).ok()?.max(1), u32::try_from(mantissa).ok()?);
    Some(match dtype {
        DType::F32 => Box::new(move |c| c[to] = Cell::of(reduce_f32(c[x].get(), e, m))),
        DType::F64 => Box::new(move |c| c[to] = Cell::of(reduce_f64(c[x].get(), e, m))),
        _ => return None,
    })
}
