//! Contractions: library kernels over units of the result, each finished block followed by the
//! epilogue.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result};
use tfjit_kernels::{Block as Done, Conv, ConvSpec, Isa, Matmul, MatmulSpec, Matrix};
use tfjit_plan::{ConvCall, ConvKind, MatmulCall, MatrixView, Place, Plan};

use crate::Pool;
use crate::call::{EpilogueTask, decompose};
use crate::constants::Constants;
use crate::context::{Launch, Worker};
use crate::memory::Block;
use crate::weights::{Packing, Remembered, Weights};

/// Where the packed form of an operand comes from.
pub(crate) enum Source {
    /// Packed when the plan was loaded.
    Constant(Arc<Block>),
    /// A parameter's, remembered from launch to launch.
    Parameter(usize, Remembered),
    /// Computed by the launch, and packed in memory of the launch.
    Computed,
}

impl Source {
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short.
    fn new(
        plan: &Plan,
        buffer: usize,
        packing: &Packing,
        constants: &Constants,
        weights: &Weights,
        pool: &Pool,
    ) -> Result<Source> {
        let place = plan.buffers.get(tfjit_plan::BufferId::new(buffer)).map(|b| b.place);
        Ok(match place {
            Some(Place::Constant(i)) => {
                if let Some(block) = constants.stored(packing.bytes())? {
                    return Ok(Source::Constant(block));
                }
                let block = constants.packed(i, |tensor, shared| {
                    if shared {
                        weights.of(tensor, packing, pool)
                    } else {
                        weights.alone(tensor, packing, pool)
                    }
                })?;
                Source::Constant(block)
            }
            Some(Place::Parameter(i)) => Source::Parameter(i, Remembered::default()),
            _ => Source::Computed,
        })
    }
}

/// An operand in packed form.
struct Operand {
    buffer: usize,
    packing: Packing,
    source: Source,
}

impl Operand {
    /// Calls `then` with the address of the packed operand.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short, and those of `then`.
    ///
    /// # Safety
    /// The operand was checked against the launch's buffers.
    unsafe fn with(
        &self,
        launch: &Launch<'_>,
        then: &dyn Fn(*const u8) -> Result<()>,
    ) -> Result<()> {
        match &self.source {
            Source::Constant(block) => return then(block.as_ptr()),
            Source::Parameter(i, remembered) => {
                let tensor = &launch.arguments[*i];
                let known = remembered.of(tensor, &self.packing, launch.pool, launch.threads)?;
                if let Some(block) = known {
                    return then(block.as_ptr());
                }
            }
            Source::Computed => {}
        }
        launch.share(self.packing.units(), self.packing.cost_ns(), &|_, unit| {
            let (from, to) = (launch.base(self.buffer), launch.packed);
            // SAFETY: the operand was checked, and the launch's memory has room for it.
            unsafe { self.packing.pack(unit, from, to) };
        })?;
        then(launch.packed)
    }

    /// The packed form of a constant.
    fn packed(&self) -> Option<&Arc<Block>> {
        match &self.source {
            Source::Constant(block) => Some(block),
            Source::Parameter(..) | Source::Computed => None,
        }
    }

    /// Bytes of a launch's memory that it may need.
    fn launch_bytes(&self) -> usize {
        match self.source {
            Source::Constant(_) => 0,
            Source::Parameter(..) | Source::Computed => self.packing.bytes(),
        }
    }
}

/// A batch of matrices in bytes.
struct View {
    buffer: usize,
    offset: isize,
    batch: SmallVec<[isize; 4]>,
}

impl View {
    fn new(view: &MatrixView, size: usize) -> View {
        let size = size as isize;
        View {
            buffer: view.buffer.index(),
            offset: view.offset as isize * size,
            batch: view.batch.iter().map(|stride| stride * size).collect(),
        }
    }

    fn offset(&self, index: &[usize]) -> isize {
        let batch = index.iter().zip(&self.batch).map(|(&i, &stride)| i as isize * stride);
        self.offset + batch.sum::<isize>()
    }
}

/// A product of matrices.
pub(crate) struct MatmulTask {
    matmul: Matmul,
    batch: SmallVec<[usize; 4]>,
    count: usize,
    lhs: View,
    rhs: View,
    out: View,
    /// The right-hand side, when it is packed before the product; else each unit is a whole matrix
    /// and packs its own.
    operand: Option<Operand>,
    rhs_strides: [isize; 2],
    epilogue: Option<EpilogueTask>,
    cost_ns: u64,
}

/// Floating-point operations of a matrix up to which a batch of them is cut into whole matrices.
const WHOLE_FLOPS: usize = 8 << 20;
/// Picoseconds of a multiplication and addition.
const TERM_PS: u64 = 25;

impl MatmulTask {
    /// # Errors
    /// Those of the library kernel and of packing.
    pub(crate) fn new(
        plan: &Plan,
        call: &MatmulCall,
        epilogue: Option<EpilogueTask>,
        constants: &Constants,
        weights: &Weights,
        pool: &Pool,
    ) -> Result<MatmulTask> {
        let isa = Isa::detect();
        let spec = MatmulSpec {
            dtype: call.dtype,
            out: call.dtype,
            m: call.m,
            k: call.k,
            n: call.n,
            lhs_row: call.lhs.row,
            lhs_col: call.lhs.col,
            out_row: call.out.row,
        };
        let matmul = Matmul::new(isa, spec)?;
        let size = call.dtype.size();
        let count = call.batch.iter().product::<usize>();
        let rhs = View::new(&call.rhs, size);
        let one = rhs.batch.iter().zip(&call.batch).all(|(&stride, &n)| stride == 0 || n == 1);
        let flops = 2 * call.m.saturating_mul(call.k).saturating_mul(call.n);
        let fixed =
            matches!(plan.buffers[call.rhs.buffer].place, Place::Constant(_) | Place::Parameter(_));
        let whole = !one && !fixed && flops <= WHOLE_FLOPS;
        let matrices = if one { count.min(1) } else { count };
        let offsets = (0..matrices).map(|matrix| {
            let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, call.batch.len());
            decompose(matrix, &call.batch, &mut index);
            rhs.offset(&index)
        });
        let strides = [call.rhs.row, call.rhs.col];
        let operand = if whole {
            None
        } else {
            let layout = *matmul.rhs();
            let packing = Packing::Matrices { layout, isa, offsets: offsets.collect(), strides };
            let source = Source::new(plan, rhs.buffer, &packing, constants, weights, pool)?;
            Some(Operand { buffer: rhs.buffer, packing, source })
        };
        let terms = (count as u64).saturating_mul(flops as u64 / 2);
        let results = (count * call.m).saturating_mul(call.n) as u64;
        let after = epilogue.as_ref().map_or(0, EpilogueTask::element_ps);
        let cost_ps = terms.saturating_mul(TERM_PS).saturating_add(results.saturating_mul(after));
        Ok(MatmulTask {
            matmul,
            batch: call.batch.clone(),
            count,
            lhs: View::new(&call.lhs, size),
            rhs,
            out: View::new(&call.out, size),
            operand,
            rhs_strides: strides,
            epilogue,
            cost_ns: cost_ps / 1000,
        })
    }

    /// The packed constant that it reads.
    pub(crate) fn packed(&self) -> Option<&Arc<Block>> {
        self.operand.as_ref().and_then(Operand::packed)
    }

    /// Scratch bytes that a worker needs.
    pub(crate) fn scratch_bytes(&self) -> usize {
        match self.operand {
            Some(_) => self.matmul.scratch_bytes(),
            None => self.matmul.whole_scratch_bytes(),
        }
    }

    /// Bytes of a launch's memory for packed operands.
    pub(crate) fn launch_bytes(&self) -> usize {
        self.operand.as_ref().map_or(0, Operand::launch_bytes)
    }

    /// # Errors
    /// As [`Launch::share`], and RESOURCE_EXHAUSTED.
    ///
    /// # Safety
    /// The task was checked against the launch's buffers.
    pub(crate) unsafe fn run(&self, launch: &Launch<'_>) -> Result<()> {
        let Some(operand) = &self.operand else {
            return launch.share(self.count, self.cost_ns, &|worker, matrix| {
                // SAFETY: the caller's promise; units are different matrices.
                unsafe { self.unit(launch, worker, matrix, None) }
            });
        };
        let units = self.matmul.units();
        let stride = match operand.packing {
            Packing::Matrices { ref offsets, .. } if offsets.len() > 1 => operand.packing.stride(),
            _ => 0,
        };
        let then = |packed: *const u8| {
            let packed = Address(packed);
            launch.share(self.count * units, self.cost_ns, &|worker, unit| {
                let (matrix, unit) = (unit / units, unit % units);
                let packed = packed.get().wrapping_add(matrix * stride);
                // SAFETY: the caller's promise; units write to different places.
                unsafe { self.unit(launch, worker, matrix, Some((unit, packed))) }
            })
        };
        // SAFETY: the caller's promise.
        unsafe { operand.with(launch, &then) }
    }

    /// # Safety
    /// As [`MatmulTask::run`]; nobody else runs the unit.
    unsafe fn unit(
        &self,
        launch: &Launch<'_>,
        worker: &mut Worker,
        matrix: usize,
        packed: Option<(usize, *const u8)>,
    ) {
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.batch.len());
        decompose(matrix, &self.batch, &mut index);
        let at = |view: &View| launch.base(view.buffer).wrapping_offset(view.offset(&index));
        let (lhs, out) = (at(&self.lhs), at(&self.out));
        let mut scratch = std::mem::take(&mut worker.scratch);
        let mut done = |block: Done| {
            if let Some(epilogue) = &self.epilogue {
                let block = Done { batch: matrix, ..block };
                // SAFETY: the block is finished and ours.
                unsafe { epilogue.run(launch, worker, block) };
            }
        };
        // SAFETY: the caller's promise.
        unsafe {
            match packed {
                Some((unit, packed)) => {
                    self.matmul.run(unit, lhs, packed, out, &mut scratch, &mut done);
                }
                None => {
                    let [row, col] = self.rhs_strides;
                    let rhs = Matrix { at: at(&self.rhs), row, col };
                    self.matmul.run_whole(lhs, rhs, out, &mut scratch, &mut done);
                }
            }
        }
        worker.scratch = scratch;
    }
}

/// An address that threads share.
#[derive(Clone, Copy)]
struct Address(*const u8);

// SAFETY: what is there is only read.
unsafe impl Sync for Address {}

impl Address {
    fn get(&self) -> *const u8 {
        self.0
    }
}

/// A convolution.
pub(crate) struct ConvTask {
    conv: Arc<Conv>,
    input: usize,
    out: usize,
    filter: Operand,
    epilogue: Option<EpilogueTask>,
    cost_ns: u64,
}

impl ConvTask {
    /// # Errors
    /// Those of the library kernel and of packing.
    pub(crate) fn new(
        plan: &Plan,
        call: &ConvCall,
        epilogue: Option<EpilogueTask>,
        constants: &Constants,
        weights: &Weights,
        pool: &Pool,
    ) -> Result<ConvTask> {
        let groups = match call.kind {
            ConvKind::Grouped { groups } => groups,
            ConvKind::Depthwise => call.input_features,
        };
        let conv = Conv::new(
            Isa::detect(),
            ConvSpec {
                dtype: call.dtype,
                groups,
                batch: call.batch,
                input: call.input_size,
                input_features: call.input_features,
                window: call.window,
                output: call.output_size,
                output_features: call.output_features,
                strides: call.strides,
                dilations: call.dilations,
                padding: call.padding,
            },
        )?;
        let conv = Arc::new(conv);
        let packing = Packing::Filter(Arc::clone(&conv));
        let buffer = call.filter.index();
        let source = Source::new(plan, buffer, &packing, constants, weights, pool)?;
        let [[oh, ow], [kh, kw]] = [call.output_size, call.window];
        let results = [call.batch, oh, ow, call.output_features];
        let results = results.iter().fold(1u64, |p, &n| p.saturating_mul(n as u64));
        let inner = call.input_features.checked_div(groups);
        let inner = inner.ok_or_else(|| Error::internal("a convolution without groups"))?;
        let terms = results.saturating_mul((kh * kw * inner) as u64);
        // Without sums over features there is less to do for what is read.
        let term_ps = if inner == 1 { 3 * TERM_PS } else { TERM_PS };
        let after = epilogue.as_ref().map_or(0, EpilogueTask::element_ps);
        let cost_ps = terms.saturating_mul(term_ps).saturating_add(results.saturating_mul(after));
        Ok(ConvTask {
            conv,
            input: call.input.index(),
            out: call.out.index(),
            filter: Operand { buffer, packing, source },
            epilogue,
            cost_ns: cost_ps / 1000,
        })
    }

    /// The packed constant that it reads.
    pub(crate) fn packed(&self) -> Option<&Arc<Block>> {
        self.filter.packed()
    }

    /// Scratch bytes that a worker needs.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.conv.scratch_bytes()
    }

    /// Bytes of a launch's memory for packed operands.
    pub(crate) fn launch_bytes(&self) -> usize {
        self.filter.launch_bytes()
    }

    /// # Errors
    /// As [`Launch::share`], and RESOURCE_EXHAUSTED.
    ///
    /// # Safety
    /// The task was checked against the launch's buffers.
    pub(crate) unsafe fn run(&self, launch: &Launch<'_>) -> Result<()> {
        let then = |packed: *const u8| {
            let packed = Address(packed);
            launch.share(self.conv.units(), self.cost_ns, &|worker, unit| {
                // SAFETY: the caller's promise; units write to different places.
                unsafe { self.unit(launch, worker, unit, packed.get()) }
            })
        };
        // SAFETY: the caller's promise.
        unsafe { self.filter.with(launch, &then) }
    }

    /// # Safety
    /// As [`ConvTask::run`]; nobody else runs the unit.
    unsafe fn unit(
        &self,
        launch: &Launch<'_>,
        worker: &mut Worker,
        unit: usize,
        packed: *const u8,
    ) {
        let mut scratch = std::mem::take(&mut worker.scratch);
        let mut done = |block: Done| {
            if let Some(epilogue) = &self.epilogue {
                // SAFETY: the block is finished and ours.
                unsafe { epilogue.run(launch, worker, block) };
            }
        };
        let (input, out) = (launch.base(self.input), launch.base(self.out));
        // SAFETY: the caller's promise.
        unsafe { self.conv.run(unit, input, packed, out, &mut scratch, &mut done) };
        worker.scratch = scratch;
    }
}
