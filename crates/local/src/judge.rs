//! Machine code against the block interpreter: one kernel on the same random memory both ways.
//!
//! The interpreter computes what the kernel's documentation says, so a difference is a mistake of
//! the emitter. It must not know where kernels come from.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tfjit_base::{DType, Error, Result, Shape, Tensor, bf16, f16};
use tfjit_exec::{KernelCode, LoadOptions, Loaded, Program, RunOptions};
use tfjit_hlo::{SplitMix, TensorType};
use tfjit_plan::kernel::{Access, Axis, Kernel, Op, StreamId, When};
use tfjit_plan::{Buffer, LoopCall, Place, Plan, Step, StreamArg};

use crate::kernels::Kernels;

/// Compares kernels, each once.
pub struct KernelJudge {
    kernels: Kernels,
    seen: FxHashSet<String>,
    compared: usize,
}

impl Default for KernelJudge {
    fn default() -> KernelJudge {
        KernelJudge::new()
    }
}

impl KernelJudge {
    /// A judge that has seen no kernel.
    pub fn new() -> KernelJudge {
        KernelJudge { kernels: Kernels::new(true, false), seen: FxHashSet::default(), compared: 0 }
    }

    /// How many different kernels were compared; those without machine code are not counted.
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// Runs `kernel` over each space of rows and columns, on memory that depends on `seed`. Gives
    /// what differs, if anything does; a kernel that was seen before does not.
    ///
    /// # Errors
    /// Those of expanding, emitting, loading and running.
    pub fn differs(
        &mut self,
        kernel: &Kernel,
        spaces: &[[usize; 2]],
        seed: u64,
    ) -> Result<Option<String>> {
        if !self.seen.insert(kernel.fingerprint()) {
            return Ok(None);
        }
        let interpreted = Arc::new(Program::compile(&kernel.expand()?)?);
        for (i, &[rows, cols]) in spaces.iter().enumerate() {
            let mut rng = SplitMix::new(seed ^ (i as u64) << 32);
            let plan = Arc::new(alone(kernel, rows, cols, &mut rng));
            let native = self.kernels.of(&plan)?;
            if !matches!(native[..], [KernelCode::Native(..)]) {
                return Ok(None);
            }
            let arguments: Vec<Tensor> =
                plan.parameters.iter().map(|ty| random(ty, &mut rng)).collect::<Result<_>>()?;
            let got = run(&plan, native, &arguments)?;
            let oracle = vec![KernelCode::Interpreted(Arc::clone(&interpreted))];
            let want = run(&plan, oracle, &arguments)?;
            for (stream, (got, want)) in outputs(kernel).zip(got.iter().zip(&want)) {
                if let Some(difference) = difference(got, want) {
                    let place = format!("{rows} rows, {cols} columns, {stream}");
                    return Ok(Some(format!("{place}: {difference}\n{kernel}")));
                }
            }
        }
        self.compared += 1;
        Ok(None)
    }
}

/// The streams that are stored to.
fn outputs(kernel: &Kernel) -> impl Iterator<Item = StreamId> + '_ {
    kernel.streams.ids().filter(|&id| stores(kernel, id, |_| true))
}

/// Whether a phase of a kind stores to a stream.
fn stores(kernel: &Kernel, stream: StreamId, kind: impl Fn(When) -> bool) -> bool {
    let phases = kernel.phases.iter().filter(|phase| kind(phase.when));
    phases.flat_map(|p| &p.insts).any(|&val| kernel.insts[val].op == Op::Store(stream))
}

/// A plan that runs one kernel: what it reads are the parameters, what it stores the results.
fn alone(kernel: &Kernel, rows: usize, cols: usize, rng: &mut SplitMix) -> Plan {
    let mut plan = Plan { name: kernel.name.clone(), ..Plan::default() };
    let id = plan.kernels.push(kernel.clone());
    let mut streams = Vec::new();
    for (number, stream) in kernel.streams.iter() {
        let size = stream.dtype.size() as isize;
        let once = |when| kernel.axis == Axis::Rows && when == When::Once;
        let stored = stores(kernel, number, |_| true);
        // Broadcasts: the same row, or the same column, again and again.
        let same_row = if stored { stores(kernel, number, once) } else { rng.between(0, 3) == 0 };
        let lines = if same_row { rows.min(1) } else { rows };
        let lines = if same_row && kernel.axis == Axis::Rows { 1 } else { lines };
        let (elements, row, col) = match stream.access {
            Access::Row => (lines, size, 0),
            Access::Unit => (lines * cols, size * cols as isize, size),
            Access::Strided => (lines * cols, size, size * lines as isize),
        };
        let same_col = !stored && stream.access == Access::Strided && rng.between(0, 3) == 0;
        let ty = TensorType::of(stream.dtype, &Shape::new(&[elements]));
        let place = if stored {
            plan.results.push(ty);
            Place::Result(plan.results.len() - 1)
        } else {
            plan.parameters.push(ty);
            Place::Parameter(plan.parameters.len() - 1)
        };
        let bytes = elements * stream.dtype.size();
        let buffer = plan.buffers.push(Buffer { dtype: stream.dtype, bytes, place });
        if stored {
            plan.outputs.push(buffer);
        }
        streams.push(StreamArg {
            buffer,
            offset: 0,
            outer: Default::default(),
            row: if same_row { 0 } else { row },
            col: if same_col { 0 } else { col },
        });
    }
    plan.steps.push(Step::Loop(LoopCall {
        kernel: id,
        outer: Default::default(),
        rows,
        cols,
        streams,
    }));
    plan
}

fn run(plan: &Arc<Plan>, code: Vec<KernelCode>, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
    let loaded = Loaded::new(Arc::clone(plan), code, &LoadOptions::default())?;
    loaded.run(arguments, &RunOptions { threads: 1, ..RunOptions::default() })
}

/// Numbers that functions and conversions treat in some special way.
const SPECIAL: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -88.0,
    89.0,
    1e-30,
    3e9,
    -3e9,
    1e38,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Elements of any type: mostly small, some special, some of any size.
fn random(ty: &TensorType, rng: &mut SplitMix) -> Result<Tensor> {
    let (dtype, shape) = (ty.dtype, ty.shape()?);
    let mut bytes = Vec::with_capacity(shape.elements() * dtype.size());
    for _ in 0..shape.elements() {
        let small = rng.between(-4096, 4096) as f64 / 512.0;
        let float = match rng.between(0, 15) {
            0 => SPECIAL[rng.between(0, SPECIAL.len() as i64 - 1) as usize],
            1 => small * f64::from(rng.between(-30, 30) as i32).exp2(),
            _ => small,
        };
        let wide = rng.between(0, 7) == 0;
        let int = if wide { rng.next_u64() as i64 } else { rng.between(-9, 9) };
        match dtype {
            DType::F64 => bytes.extend(float.to_le_bytes()),
            DType::F32 => bytes.extend((float as f32).to_le_bytes()),
            DType::F16 => bytes.extend(f16::from_f64(float).to_bits().to_le_bytes()),
            DType::BF16 => bytes.extend(bf16::from_f64(float).to_bits().to_le_bytes()),
            DType::Bool => bytes.push(u8::from(int & 1 == 1)),
            _ => bytes.extend(&int.to_le_bytes()[..dtype.size()]),
        }
    }
    Tensor::from_raw(dtype, shape, &bytes)
        .map_err(|e| Error::internal(format!("memory for a {dtype} stream: {e}")))
}

/// The first element whose bits differ; all NaN are one.
fn difference(got: &Tensor, want: &Tensor) -> Option<String> {
    let size = got.dtype().size();
    let pairs = got.bytes().chunks(size).zip(want.bytes().chunks(size)).enumerate();
    let mut wrong =
        pairs.filter(|(_, (g, w))| g != w && !(nan(got.dtype(), g) && nan(got.dtype(), w)));
    let (at, (g, w)) = wrong.next()?;
    let more = wrong.count();
    Some(format!("element {at} is {g:02x?}, and {w:02x?} is right; {more} more differ"))
}

fn nan(dtype: DType, bytes: &[u8]) -> bool {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    match dtype {
        DType::F64 => f64::from_bits(bits).is_nan(),
        DType::F32 => f32::from_bits(bits as u32).is_nan(),
        DType::F16 => f16::from_bits(bits as u16).is_nan(),
        DType::BF16 => bf16::from_bits(bits as u16).is_nan(),
        _ => false,
    }
}
