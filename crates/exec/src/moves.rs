//! Steps without sums: copies, gathers, pooling, and instructions of the reference interpreter.

use std::sync::Arc;

use tfjit_base::ids::Id;
use tfjit_base::{DType, Error, Result, Tensor};
use tfjit_eval::{Interpreter, Options, Value};
use tfjit_hlo::{Module, TensorType};
use tfjit_kernels::{CopyNd, Gather, Isa, Pool, PoolKind, PoolSpec};
use tfjit_plan::{BufferId, CopyCall, GatherCall, Place, Plan, PoolCall, ReferenceCall, Start};

use crate::constants::Constants;
use crate::context::Launch;
use crate::mode::Mode;
use crate::weights::Ends;

/// Nanoseconds to move some bytes: eight a nanosecond, read and written.
fn move_ns(bytes: usize) -> u64 {
    bytes as u64 / 8
}

/// A copy.
pub(crate) struct CopyTask {
    copy: CopyNd,
    input: Side,
    out: Side,
    cost_ns: u64,
}

/// Where one side of a copy begins.
struct Side {
    buffer: usize,
    offset: usize,
    starts: Vec<Start>,
}

impl Side {
    fn new(buffer: BufferId, offset: usize, starts: &[Start]) -> Side {
        Side { buffer: buffer.index(), offset, starts: starts.to_vec() }
    }

    /// The first byte, given what the launch has computed so far.
    ///
    /// # Safety
    /// The copy was checked against the launch's buffers.
    unsafe fn begin(&self, launch: &Launch<'_>) -> *mut u8 {
        let mut at = launch.base(self.buffer).wrapping_add(self.offset);
        for start in &self.starts {
            // SAFETY: the caller's promise: the buffer holds an index of this type.
            let index = unsafe { index(launch.base(start.buffer.index()), start.dtype) };
            let index = index.clamp(0, start.max as i128) as isize;
            at = at.wrapping_offset(index * start.stride);
        }
        at
    }
}

/// An index in memory.
///
/// # Safety
/// There is an integer of type `dtype`.
unsafe fn index(at: *const u8, dtype: DType) -> i128 {
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::I8 => i128::from(at.cast::<i8>().read()),
            DType::U8 => i128::from(at.read()),
            DType::I16 => i128::from(at.cast::<i16>().read_unaligned()),
            DType::U16 => i128::from(at.cast::<u16>().read_unaligned()),
            DType::I32 => i128::from(at.cast::<i32>().read_unaligned()),
            DType::U32 => i128::from(at.cast::<u32>().read_unaligned()),
            DType::U64 => i128::from(at.cast::<u64>().read_unaligned()),
            _ => i128::from(at.cast::<i64>().read_unaligned()),
        }
    }
}

impl CopyTask {
    /// # Errors
    /// Those of the library kernel.
    pub(crate) fn new(call: &CopyCall) -> Result<CopyTask> {
        let (from, to) = (&call.input, &call.out);
        let elements = call.extents.iter().fold(1usize, |p, &n| p.saturating_mul(n));
        Ok(CopyTask {
            copy: CopyNd::new(Isa::detect(), call.element, &call.extents, &from.2, &to.2)?,
            input: Side::new(from.0, from.1, &call.input_at),
            out: Side::new(to.0, to.1, &call.out_at),
            cost_ns: move_ns(elements.saturating_mul(call.element)) + elements as u64 / 4,
        })
    }

    /// # Errors
    /// As [`Launch::share`].
    ///
    /// # Safety
    /// The task was checked against the launch's buffers.
    pub(crate) unsafe fn run(&self, launch: &Launch<'_>) -> Result<()> {
        // SAFETY: the caller's promise; indices are read before anything is written.
        let ends = unsafe { Ends { from: self.input.begin(launch), to: self.out.begin(launch) } };
        launch.share(self.copy.units(), self.cost_ns, &|_, unit| {
            let Ends { from, to } = *ends.get();
            // SAFETY: the caller's promise.
            unsafe { self.copy.run(unit, from, to) };
        })
    }
}

/// A gather.
pub(crate) struct GatherTask {
    /// `None` when nothing is gathered.
    gather: Option<Gather>,
    input: usize,
    indices: usize,
    out: usize,
    cost_ns: u64,
}

impl GatherTask {
    /// # Errors
    /// Those of the library kernel.
    pub(crate) fn new(call: &GatherCall) -> Result<GatherTask> {
        let gather = match call.count {
            0 => None,
            count => Some(Gather::new(call.index_dtype, call.input_rows, count, call.row)?),
        };
        Ok(GatherTask {
            gather,
            input: call.input.index(),
            indices: call.indices.index(),
            out: call.out.index(),
            cost_ns: move_ns(call.count.saturating_mul(call.row)) + 4 * call.count as u64,
        })
    }

    /// # Errors
    /// As [`Launch::share`].
    ///
    /// # Safety
    /// The task was checked against the launch's buffers.
    pub(crate) unsafe fn run(&self, launch: &Launch<'_>) -> Result<()> {
        let Some(gather) = &self.gather else { return Ok(()) };
        launch.share(gather.units(), self.cost_ns, &|_, unit| {
            let at = |buffer: usize| launch.base(buffer);
            // SAFETY: the caller's promise.
            unsafe { gather.run(unit, at(self.input), at(self.indices), at(self.out)) };
        })
    }
}

/// A pooling window.
pub(crate) struct PoolTask {
    pool: Pool,
    input: usize,
    out: usize,
    cost_ns: u64,
}

impl PoolTask {
    /// # Errors
    /// Those of the library kernel.
    pub(crate) fn new(call: &PoolCall) -> Result<PoolTask> {
        let spec = PoolSpec {
            dtype: call.dtype,
            kind: match call.kind {
                tfjit_plan::PoolKind::Max => PoolKind::Max,
                tfjit_plan::PoolKind::MaxFinite => PoolKind::MaxFinite,
                tfjit_plan::PoolKind::Sum => PoolKind::Sum,
            },
            batch: call.batch,
            input: call.input_size,
            features: call.features,
            window: call.window,
            output: call.output_size,
            strides: call.strides,
            dilations: call.dilations,
            padding: call.padding,
        };
        let ([oh, ow], [kh, kw]) = (call.output_size, call.window);
        let taps = [call.batch, oh, ow, kh, kw, call.features];
        let taps = taps.iter().fold(1u64, |p, &n| p.saturating_mul(n as u64));
        Ok(PoolTask {
            pool: Pool::new(Isa::detect(), spec)?,
            input: call.input.index(),
            out: call.out.index(),
            cost_ns: taps / 8,
        })
    }

    /// # Errors
    /// As [`Launch::share`].
    ///
    /// # Safety
    /// The task was checked against the launch's buffers.
    pub(crate) unsafe fn run(&self, launch: &Launch<'_>) -> Result<()> {
        launch.share(self.pool.units(), self.cost_ns, &|_, unit| {
            // SAFETY: the caller's promise.
            unsafe { self.pool.run(unit, launch.base(self.input), launch.base(self.out)) };
        })
    }
}

/// An instruction that the reference interpreter runs.
pub(crate) struct ReferenceTask {
    module: Arc<Module>,
    operands: Vec<(Operand, TensorType)>,
    results: Vec<(usize, TensorType)>,
}

/// Where an operand is: what is a tensor already is not copied. The host and other participants
/// may still read it when the launch has gone on; if launches ever write parameters in place, those
/// of instructions that communicate have to be copied.
enum Operand {
    Memory(usize),
    Parameter(usize),
    Constant(Tensor),
}

impl ReferenceTask {
    /// # Errors
    /// INTERNAL when the module has no entry with such operands and results.
    pub(crate) fn new(
        plan: &Plan,
        call: &ReferenceCall,
        constants: &Constants,
    ) -> Result<ReferenceTask> {
        let entry = call.module.entry();
        let entry = entry.ok_or_else(|| Error::internal("a module without an entry"))?;
        let fits = entry.params().len() == call.operands.len()
            && entry.result_types.len() == call.results.len();
        if !fits {
            return Err(Error::internal("an instruction with other operands than its module"));
        }
        let operands = call.operands.iter().map(|(buffer, ty)| {
            let place = plan.buffers[*buffer].place;
            let operand = match place {
                Place::Parameter(i) => Operand::Parameter(i),
                Place::Constant(i) => Operand::Constant(constants.tensor(i)),
                Place::Result(_) | Place::Arena(_) => Operand::Memory(buffer.index()),
            };
            (operand, ty.clone())
        });
        Ok(ReferenceTask {
            module: Arc::clone(&call.module),
            operands: operands.collect(),
            results: call.results.iter().map(|(b, ty)| (b.index(), ty.clone())).collect(),
        })
    }

    /// # Errors
    /// Those of the interpreter.
    ///
    /// # Safety
    /// The task was checked against the launch's buffers.
    pub(crate) unsafe fn run(&self, launch: &Launch<'_>) -> Result<()> {
        let operands: Result<Vec<Value>> = self
            .operands
            .iter()
            .map(|(operand, ty)| {
                // SAFETY: the caller's promise.
                let tensor = unsafe { tensor(launch, operand, ty)? };
                Ok(Value::Tensor(tensor))
            })
            .collect();
        let mut options = Options {
            cancel: launch.cancel,
            flush_subnormals: launch.flush_subnormals,
            ..Options::default()
        };
        if let Some(outside) = launch.outside {
            options.host = Some(outside.host);
            (options.process, options.grid) = (outside.process, outside.grid);
        }
        // The interpreter flushes where it should, and computes with subnormals elsewhere.
        let mode = Mode::of_launch(false).enter();
        let values = Interpreter::new(&self.module, options).run_entry(&operands?);
        drop(mode);
        for (value, (buffer, ty)) in values?.iter().zip(&self.results) {
            let tensor = value.tensor()?;
            let bytes = ty.shape()?.elements() * ty.dtype.size();
            if tensor.bytes().len() != bytes || tensor.dtype() != ty.dtype {
                return Err(Error::internal("an instruction gave a result of another type"));
            }
            // SAFETY: the buffer was checked to have room for a tensor of the type.
            unsafe {
                let to = launch.base(*buffer);
                std::ptr::copy_nonoverlapping(tensor.bytes().as_ptr(), to, bytes);
            }
        }
        Ok(())
    }
}

/// # Safety
/// A buffer was checked to hold a tensor of the type.
unsafe fn tensor(launch: &Launch<'_>, operand: &Operand, ty: &TensorType) -> Result<Tensor> {
    let shape = ty.shape()?;
    let bytes = shape.elements() * ty.dtype.size();
    let known = match operand {
        Operand::Memory(buffer) => {
            // SAFETY: the caller's promise.
            let raw = unsafe { std::slice::from_raw_parts(launch.base(*buffer), bytes) };
            return Tensor::from_raw(ty.dtype, shape, raw);
        }
        Operand::Parameter(i) => &launch.arguments[*i],
        Operand::Constant(tensor) => tensor,
    };
    match known.shared_bytes() {
        Some(shared) if known.bytes().len() == bytes => {
            Tensor::new(ty.dtype, shape, shared.clone())
        }
        _ => Tensor::from_raw(ty.dtype, shape, known.bytes().get(..bytes).unwrap_or_default()),
    }
}
