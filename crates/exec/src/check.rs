//! Holds a plan against its own buffers: whatever a step touches lies in a buffer, and nothing
//! that must stay is written. A planner's mistake becomes an error before anything runs, and so
//! does a plan out of a file: whatever passes may run, if the kernels' code is right.

use tfjit_base::{DType, Error, Result, limits};
use tfjit_plan::kernel::{Access, Axis, Kernel, Op, StreamId, When};
use tfjit_plan::{
    BufferId, ConvCall, CopyCall, Epilogue, GatherCall, LoopCall, MatmulCall, MatrixView, Place,
    Plan, PoolCall, ReferenceCall, Start, Step, StreamArg,
};

/// Types of indices.
const INDICES: &[DType] =
    &[DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// Offsets and strides stay below this, in bytes, so that sums of their products do not overflow.
const REACH_MAX: i128 = 1 << 60;
/// Strides, likewise, also of dimensions with one element.
const STRIDE_MAX: i128 = 1 << 50;
/// Multiplications of a product of matrices, so that twice as many are a number.
const TERMS_MAX: usize = 1 << 60;
/// Elements of a line of a window, which has a line of zeros beside it.
const WINDOW_LINE_MAX: usize = 1 << 26;

/// Checks all of a plan. Constants that are `missing` are not in memory, and nobody reads them.
///
/// # Errors
/// INTERNAL naming the step and the stream.
pub(crate) fn check(plan: &Plan, missing: &[bool]) -> Result<()> {
    for (id, buffer) in plan.buffers.iter() {
        if matches!(buffer.place, Place::Constant(i) if missing.get(i) == Some(&true)) {
            continue;
        }
        check_place(plan, buffer.place, buffer.bytes)
            .map_err(|e| e.context(format!("buffer {id}")))?;
    }
    if plan.outputs.len() != plan.results.len() {
        return Err(Error::internal("the plan's outputs are not as many as its results"));
    }
    for (i, (&id, ty)) in plan.outputs.iter().zip(&plan.results).enumerate() {
        let want = ty.shape()?.checked_elements()?.saturating_mul(ty.dtype.size());
        let fits = plan.buffers.get(id).is_some_and(|b| {
            let whole = match b.place {
                Place::Result(number) => number == i,
                Place::Parameter(_) => true,
                Place::Constant(c) => missing.get(c) != Some(&true),
                Place::Arena(_) => false,
            };
            whole && b.bytes == want && b.dtype.size() == ty.dtype.size()
        });
        if !fits {
            return Err(Error::internal(format!("output {i} is not in a buffer that can be one")));
        }
    }
    check_steps(plan, &plan.steps, &mut 0)
}

fn check_place(plan: &Plan, place: Place, bytes: usize) -> Result<()> {
    let type_bytes = |ty: Option<&tfjit_hlo::TensorType>| -> Result<Option<usize>> {
        let Some(ty) = ty else { return Ok(None) };
        Ok(Some(ty.shape()?.checked_elements()?.saturating_mul(ty.dtype.size())))
    };
    let room = match place {
        Place::Parameter(i) => type_bytes(plan.parameters.get(i))?,
        Place::Result(i) => type_bytes(plan.results.get(i))?,
        Place::Constant(i) => plan.constants.get(i).map(|c| c.tensor.bytes().len()),
        Place::Arena(at) => {
            if !at.is_multiple_of(64) {
                return Err(Error::internal("temporary memory is not aligned"));
            }
            plan.arena_bytes.checked_sub(at)
        }
    };
    match room {
        Some(room) if bytes <= room => Ok(()),
        _ => Err(Error::internal(format!("{bytes} bytes are not in {place:?}"))),
    }
}

fn check_steps(plan: &Plan, steps: &[Step], number: &mut usize) -> Result<()> {
    for step in steps {
        let here = *number;
        *number += 1;
        let check = Check { plan };
        let result = match step {
            Step::Loop(call) => check.loop_call(call),
            Step::Matmul(call) => check.matmul(call),
            Step::Conv(call) => check.conv(call),
            Step::Pool(call) => check.pool(call),
            Step::Copy(call) => check.copy(call),
            Step::Gather(call) => check.gather(call),
            Step::Reference(call) => check.reference(call),
            Step::While { test, condition, body } => {
                check_steps(plan, test, number)?;
                check_steps(plan, body, number)?;
                check.scalar(*condition, &[DType::Bool])
            }
            Step::Switch { index, branches } => {
                branches.iter().try_for_each(|branch| check_steps(plan, branch, number))?;
                if branches.is_empty() {
                    return Err(Error::internal(format!("step {here}: no branches")));
                }
                check.scalar(*index, &[DType::I32, DType::Bool])
            }
        };
        result.map_err(|e| e.context(format!("step {here} of plan {}", plan.name)))?;
    }
    Ok(())
}

/// Extents and strides in bytes of an access to a buffer.
struct Region<'r> {
    offset: i128,
    /// Extent and stride of each dimension.
    dims: &'r mut dyn Iterator<Item = (usize, i128)>,
    /// Bytes of an element.
    element: usize,
    written: bool,
}

struct Check<'p> {
    plan: &'p Plan,
}

/// Streams that a kernel uses once a row or block of columns.
fn once_streams(kernel: &Kernel) -> Vec<StreamId> {
    let phases = kernel.phases.iter().filter(|phase| phase.when == When::Once);
    let insts = phases.flat_map(|phase| &phase.insts).filter_map(|&val| kernel.insts.get(val));
    let streams = insts.filter_map(|inst| match inst.op {
        Op::Load(stream) | Op::Store(stream) => Some(stream),
        _ => None,
    });
    streams.collect()
}

fn product(factors: &[usize]) -> usize {
    factors.iter().fold(1usize, |p, &f| p.saturating_mul(f))
}

impl Check<'_> {
    /// Whether all elements of a region lie in the buffer.
    fn region(&self, buffer: BufferId, region: Region<'_>) -> Result<()> {
        let Some(memory) = self.plan.buffers.get(buffer) else {
            return Err(Error::internal(format!("there is no buffer {buffer}")));
        };
        if region.written && !matches!(memory.place, Place::Result(_) | Place::Arena(_)) {
            return Err(Error::internal(format!("{buffer} in {:?} is written", memory.place)));
        }
        let (mut low, mut high, mut empty) = (region.offset, region.offset, false);
        for (extent, stride) in region.dims {
            empty |= extent == 0;
            let reach = stride.saturating_mul(extent.max(1) as i128 - 1);
            low = low.saturating_add(reach.min(0));
            high = high.saturating_add(reach.max(0));
            if stride.abs() > STRIDE_MAX {
                return Err(Error::internal(format!("a stride of {stride} bytes")));
            }
        }
        // Nobody may compute an address that is no number, be it of no use.
        if low < -REACH_MAX || high > REACH_MAX {
            return Err(Error::internal("an access to bytes that no memory has"));
        }
        if empty {
            return Ok(());
        }
        let end = high.saturating_add(region.element as i128);
        if low < 0 || end > memory.bytes as i128 {
            return Err(Error::internal(format!(
                "bytes {low} to {end} are not in {buffer} of {} bytes",
                memory.bytes
            )));
        }
        Ok(())
    }

    /// Whether a buffer has room for so many different elements.
    fn distinct(&self, buffer: BufferId, elements: usize, element: usize) -> Result<()> {
        let bytes = self.plan.buffers.get(buffer).map_or(0, |b| b.bytes);
        if elements.saturating_mul(element) > bytes {
            let message =
                format!("{elements} elements are written to the {bytes} bytes of {buffer}");
            return Err(Error::internal(message));
        }
        Ok(())
    }

    /// Whether elements of a type at multiples of their size are aligned. Arguments are where the
    /// type of their buffer asks for.
    fn aligned(&self, buffer: BufferId, dtype: DType) -> Result<()> {
        let memory = self.plan.buffers.get(buffer);
        let fits = memory.is_some_and(|b| {
            !matches!(b.place, Place::Parameter(_)) || b.dtype.size() % dtype.size().max(1) == 0
        });
        if fits { Ok(()) } else { Err(Error::internal(format!("{buffer} is read as {dtype}"))) }
    }

    /// A dense piece at the beginning of a buffer.
    fn dense(&self, buffer: BufferId, elements: usize, dtype: DType, written: bool) -> Result<()> {
        let bytes = elements.saturating_mul(dtype.size());
        let dims = &mut std::iter::once((bytes, 1));
        self.region(buffer, Region { offset: 0, dims, element: 1, written })
    }

    fn scalar(&self, buffer: BufferId, dtypes: &[DType]) -> Result<()> {
        let dtype = self.plan.buffers.get(buffer).map(|b| b.dtype);
        match dtype {
            Some(dtype) if dtypes.contains(&dtype) => self.dense(buffer, 1, dtype, false),
            _ => Err(Error::internal(format!("{buffer} does not hold a scalar of {dtypes:?}"))),
        }
    }

    fn kernel(&self, id: tfjit_plan::KernelId, streams: &[StreamArg]) -> Result<&Kernel> {
        let kernel = self.plan.kernels.get(id);
        let kernel = kernel.ok_or_else(|| Error::internal(format!("there is no kernel {id}")))?;
        if kernel.streams.len() != streams.len() {
            return Err(Error::internal(format!(
                "{} streams for the {} of kernel {}",
                streams.len(),
                kernel.streams.len(),
                kernel.name
            )));
        }
        Ok(kernel)
    }

    /// Whether the streams of a kernel stay in their buffers over a space.
    fn streams(
        &self,
        kernel: &Kernel,
        args: &[StreamArg],
        outer: &[usize],
        rows: usize,
        cols: usize,
    ) -> Result<()> {
        let extents = outer.iter().chain([&rows, &cols]);
        let points = extents.fold(1usize, |p, &n| p.saturating_mul(n.max(1)));
        if points > limits::ELEMENTS_MAX {
            return Err(Error::internal(format!("a space of {outer:?} by {rows} by {cols}")));
        }
        let once = once_streams(kernel);
        for ((id, stream), arg) in kernel.streams.iter().zip(args) {
            let here = |e: Error| e.context(format!("stream {id} of kernel {}", kernel.name));
            if arg.outer.len() != outer.len() {
                return Err(here(Error::internal("strides and outer dimensions differ in number")));
            }
            let element = stream.dtype.size();
            let col = match stream.access {
                Access::Unit => element as i128,
                Access::Row => 0,
                Access::Strided => arg.col as i128,
            };
            let outers = outer.iter().copied().zip(arg.outer.iter().map(|&s| s as i128));
            // What has one element for all columns is used when there are none, and what is used
            // once a block of columns when there are no rows.
            let used_cols = if stream.access == Access::Row { 1 } else { cols };
            let block = kernel.axis == Axis::Rows && once.contains(&id);
            let used_rows = if block { rows.max(1) } else { rows };
            let mut dims = outers.chain([(used_rows, arg.row as i128), (used_cols, col)]);
            let region = Region {
                offset: arg.offset as i128,
                dims: &mut dims,
                element,
                written: stream.output,
            };
            self.region(arg.buffer, region).map_err(here)?;
            if stream.output {
                let rows = if arg.row == 0 { 1 } else { used_rows };
                let elements = product(&[product(outer), rows, used_cols]);
                self.distinct(arg.buffer, elements, element).map_err(here)?;
            }
            // Points that run at the same time write to different places.
            let parallel_rows = kernel.axis == Axis::Columns && rows > 1;
            let shared = outer.iter().zip(&arg.outer).any(|(&n, &stride)| n > 1 && stride == 0)
                || parallel_rows && arg.row == 0
                || kernel.axis == Axis::Rows && cols > 1 && col == 0;
            if stream.output && shared {
                return Err(here(Error::internal("points of the space write to the same element")));
            }
        }
        Ok(())
    }

    fn loop_call(&self, call: &LoopCall) -> Result<()> {
        let kernel = self.kernel(call.kernel, &call.streams)?;
        self.streams(kernel, &call.streams, &call.outer, call.rows, call.cols)
    }

    fn epilogue(
        &self,
        epilogue: Option<&Epilogue>,
        outer: &[usize],
        rows: usize,
        cols: usize,
    ) -> Result<()> {
        let Some(epilogue) = epilogue else { return Ok(()) };
        let kernel = self.kernel(epilogue.kernel, &epilogue.streams)?;
        let each = kernel.phases.iter().all(|phase| phase.when == When::Each);
        let reduces = kernel.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Reduce(_)));
        if kernel.axis != Axis::Columns || !each || reduces {
            let message = format!("kernel {} cannot follow a contraction", kernel.name);
            return Err(Error::internal(message));
        }
        self.streams(kernel, &epilogue.streams, outer, rows, cols)
    }

    fn matrix(
        &self,
        view: &MatrixView,
        call: &MatmulCall,
        [rows, cols]: [usize; 2],
        written: bool,
    ) -> Result<()> {
        if view.batch.len() != call.batch.len() {
            return Err(Error::internal("strides and batch dimensions differ in number"));
        }
        let size = call.dtype.size();
        let bytes = |elements: isize| elements as i128 * size as i128;
        let batch = call.batch.iter().copied().zip(view.batch.iter().map(|&s| bytes(s)));
        let mut dims = batch.chain([(rows, bytes(view.row)), (cols, bytes(view.col))]);
        let offset = view.offset as i128 * size as i128;
        let region = Region { offset, dims: &mut dims, element: size, written };
        self.region(view.buffer, region)?;
        self.aligned(view.buffer, call.dtype)
    }

    fn matmul(&self, call: &MatmulCall) -> Result<()> {
        self.matrix(&call.lhs, call, [call.m, call.k], false).map_err(|e| e.context("lhs"))?;
        self.matrix(&call.rhs, call, [call.k, call.n], false).map_err(|e| e.context("rhs"))?;
        self.matrix(&call.out, call, [call.m, call.n], true).map_err(|e| e.context("out"))?;
        let overlap = |(&n, &stride): (&usize, &isize)| n > 1 && stride == 0;
        if call.n > 1 && call.out.col != 1 || call.batch.iter().zip(&call.out.batch).any(overlap) {
            return Err(Error::internal("the result's columns are not contiguous"));
        }
        if call.m > 1 && call.out.row.unsigned_abs() < call.n {
            return Err(Error::internal("the result's rows overlap"));
        }
        let count = product(&call.batch);
        let results = product(&[count, call.m, call.n]);
        self.distinct(call.out.buffer, results, call.dtype.size())?;
        let extents = call.batch.iter().chain([&call.m, &call.k, &call.n]);
        let terms = extents.fold(1usize, |p, &n| p.saturating_mul(n.max(1)));
        if terms > TERMS_MAX || results == 0 && count > limits::POSITIONS_MAX {
            return Err(Error::internal(format!("{terms} terms in {count} matrices")));
        }
        self.epilogue(call.epilogue.as_ref(), &call.batch, call.m, call.n)
    }

    fn conv(&self, call: &ConvCall) -> Result<()> {
        let ([h, w], [kh, kw], [oh, ow]) = (call.input_size, call.window, call.output_size);
        let groups = match call.kind {
            tfjit_plan::ConvKind::Grouped { groups } => groups,
            tfjit_plan::ConvKind::Depthwise => call.input_features,
        };
        let inner = call.input_features.checked_div(groups).unwrap_or(0);
        let input = product(&[call.batch, h, w, call.input_features]);
        let filter = product(&[kh, kw, inner, call.output_features]);
        let out = product(&[call.batch, oh, ow, call.output_features]);
        self.dense(call.input, input, call.dtype, false).map_err(|e| e.context("input"))?;
        self.dense(call.filter, filter, call.dtype, false).map_err(|e| e.context("filter"))?;
        self.dense(call.out, out, call.dtype, true).map_err(|e| e.context("out"))?;
        for buffer in [call.input, call.filter, call.out] {
            self.aligned(buffer, call.dtype)?;
        }
        if product(&[kw.max(1), call.input_features]) > WINDOW_LINE_MAX {
            return Err(Error::internal("a window with too many features"));
        }
        self.epilogue(
            call.epilogue.as_ref(),
            &[call.batch],
            product(&[oh, ow]),
            call.output_features,
        )
    }

    fn pool(&self, call: &PoolCall) -> Result<()> {
        let ([h, w], [oh, ow]) = (call.input_size, call.output_size);
        let input = product(&[call.batch, h, w, call.features]);
        let out = product(&[call.batch, oh, ow, call.features]);
        self.dense(call.input, input, call.dtype, false).map_err(|e| e.context("input"))?;
        self.dense(call.out, out, call.dtype, true).map_err(|e| e.context("out"))?;
        self.aligned(call.input, call.dtype)?;
        self.aligned(call.out, call.dtype)
    }

    fn copy(&self, call: &CopyCall) -> Result<()> {
        let sides = [(&call.input, &call.input_at, false), (&call.out, &call.out_at, true)];
        for ((buffer, offset, strides), starts, written) in sides {
            if strides.len() != call.extents.len() {
                return Err(Error::internal("strides and extents differ in number"));
            }
            starts.iter().try_for_each(|start| self.index(start))?;
            let strides = strides.iter().map(|&s| s as i128);
            // All places where the piece may begin.
            let places = starts.iter().map(|s| (s.max.saturating_add(1), s.stride as i128));
            let dims = &mut call.extents.iter().copied().zip(strides).chain(places);
            let region = Region { offset: *offset as i128, dims, element: call.element, written };
            self.region(*buffer, region)?;
        }
        let overlap = |(&n, &stride): (&usize, &isize)| n > 1 && stride == 0;
        if call.extents.iter().zip(&call.out.2).any(overlap) {
            return Err(Error::internal("a copy writes to the same element twice"));
        }
        self.distinct(call.out.0, product(&call.extents), call.element)
    }

    fn index(&self, start: &Start) -> Result<()> {
        if !INDICES.contains(&start.dtype) {
            return Err(Error::internal("a place is no integer"));
        }
        self.scalar(start.buffer, &[start.dtype])
    }

    fn gather(&self, call: &GatherCall) -> Result<()> {
        if !INDICES.contains(&call.index_dtype) {
            return Err(Error::internal("indices are not integers"));
        }
        if call.input_rows == 0 && call.count > 0 {
            return Err(Error::internal("rows are chosen from none"));
        }
        let bytes = |rows: usize| rows.saturating_mul(call.row);
        self.dense(call.input, bytes(call.input_rows), DType::U8, false)?;
        self.dense(call.indices, call.count, call.index_dtype, false)?;
        self.dense(call.out, bytes(call.count), DType::U8, true)
    }

    fn reference(&self, call: &ReferenceCall) -> Result<()> {
        let entry = call.module.entry();
        let entry = entry.ok_or_else(|| Error::internal("a module without an entry"))?;
        let operands = call.operands.iter().map(|(_, ty)| Some(ty));
        let results = call.results.iter().map(|(_, ty)| Some(ty));
        let same = entry.param_types().map(|ty| ty.as_tensor()).eq(operands)
            && entry.result_types.iter().map(|ty| ty.as_tensor()).eq(results);
        if !same {
            return Err(Error::internal("an instruction with other operands than its module"));
        }
        let sides = call.operands.iter().map(|o| (o, false));
        for ((buffer, ty), written) in sides.chain(call.results.iter().map(|r| (r, true))) {
            let elements = ty.shape()?.checked_elements()?;
            self.dense(*buffer, elements, ty.dtype, written)?;
        }
        Ok(())
    }
}
