//! Plans built by hand.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_exec::{KernelCode, LoadOptions, Loaded, Pool, Program, RunOptions};
use tfjit_hlo::TensorType;
use tfjit_plan::kernel::Kernel;
use tfjit_plan::{Buffer, BufferId, Constant, KernelId, LoopCall, Place, Plan, Step, StreamArg};

/// A plan in the making.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) plan: Plan,
}

fn bytes(dtype: DType, dims: &[i64]) -> usize {
    dims.iter().product::<i64>() as usize * dtype.size()
}

impl Builder {
    pub(crate) fn parameter(&mut self, dtype: DType, dims: &[i64]) -> BufferId {
        self.plan.parameters.push(TensorType::new(dtype, dims));
        let place = Place::Parameter(self.plan.parameters.len() - 1);
        self.plan.buffers.push(Buffer { dtype, bytes: bytes(dtype, dims), place })
    }

    pub(crate) fn constant(&mut self, tensor: Tensor) -> BufferId {
        let (dtype, bytes) = (tensor.dtype(), tensor.bytes().len());
        self.plan.constants.push(Constant { tensor });
        let place = Place::Constant(self.plan.constants.len() - 1);
        self.plan.buffers.push(Buffer { dtype, bytes, place })
    }

    pub(crate) fn result(&mut self, dtype: DType, dims: &[i64]) -> BufferId {
        self.plan.results.push(TensorType::new(dtype, dims));
        let place = Place::Result(self.plan.results.len() - 1);
        let buffer = self.plan.buffers.push(Buffer { dtype, bytes: bytes(dtype, dims), place });
        self.plan.outputs.push(buffer);
        buffer
    }

    pub(crate) fn temporary(&mut self, dtype: DType, dims: &[i64]) -> BufferId {
        let at = self.plan.arena_bytes;
        let bytes = bytes(dtype, dims);
        self.plan.arena_bytes = (at + bytes).next_multiple_of(64);
        self.plan.buffers.push(Buffer { dtype, bytes, place: Place::Arena(at) })
    }

    pub(crate) fn kernel(&mut self, text: &str) -> KernelId {
        self.plan.kernels.push(Kernel::parse(text).unwrap())
    }

    pub(crate) fn push(&mut self, step: Step) {
        self.plan.steps.push(step);
    }

    pub(crate) fn load_with(self, options: &LoadOptions) -> Result<Loaded> {
        let code = self.plan.kernels.iter().map(|(_, kernel)| {
            KernelCode::Interpreted(Arc::new(Program::compile(kernel).unwrap()))
        });
        let code = code.collect();
        Loaded::new(Arc::new(self.plan), code, options)
    }

    pub(crate) fn load(self, threads: usize) -> Loaded {
        let options = LoadOptions { pool: Arc::new(Pool::new(threads)), ..LoadOptions::default() };
        self.load_with(&options).unwrap()
    }
}

/// A stream without outer dimensions: its rows are `row` bytes apart.
pub(crate) fn stream(buffer: BufferId, row: isize) -> StreamArg {
    StreamArg { buffer, offset: 0, outer: SmallVec::new(), row, col: 0 }
}

/// A loop without outer dimensions.
pub(crate) fn rows(kernel: KernelId, rows: usize, cols: usize, streams: Vec<StreamArg>) -> Step {
    Step::Loop(LoopCall { kernel, outer: SmallVec::new(), rows, cols, streams })
}

pub(crate) fn with(threads: usize) -> RunOptions<'static> {
    RunOptions { threads, ..RunOptions::default() }
}

/// Numbers that look random.
pub(crate) fn noise(seed: u32, dims: &[usize]) -> Tensor {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    let count = dims.iter().product::<usize>();
    let values: Vec<f32> = (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect();
    Tensor::from_slice(Shape::new(dims), &values).unwrap()
}

pub(crate) fn floats(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().unwrap()
}

pub(crate) fn close(got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * w.abs().max(1.0), "element {i}: {g}, not {w}");
    }
}

/// The id of a buffer that is not there.
pub(crate) fn nowhere() -> BufferId {
    BufferId::new(1000)
}

/// A kernel.
pub(crate) const SOFTMAX: &str = "\
kernel @softmax over columns {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = reduce.max v0
  each:
    v2: f32 = load s0
    v3: f32 = sub v2, v1
    v4: f32 = exp v3
    v5: f32 = reduce.sum v4
    store s1, v4
  once:
    v7: f32 = const 1.0
    v8: f32 = div v7, v5
  each:
    v9: f32 = load s1
    v10: f32 = mul v9, v8
    store s1, v10
}
";

/// A kernel.
pub(crate) const ADD_ONE: &str = "\
kernel @add_one over columns {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = const 1.0
    v2: f32 = add v0, v1
    store s1, v2
}
";
