//! What a step costs: floating-point operations and bytes, counted, not measured.

use tfjit_base::ids::Id;

use crate::kernel::{Kernel, Op, When};
use crate::plan::{BufferId, Epilogue, KernelId, Plan, Step, StreamArg};

/// The work of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Operations on elements: a multiplication and an addition count as two, any function as one.
    pub flops: u64,
    /// Bytes of memory read and written, each element of a stream once.
    pub bytes: u64,
}

impl Cost {
    fn add(&mut self, other: Cost) {
        self.flops = self.flops.saturating_add(other.flops);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl Plan {
    /// The cost of a step; of a loop one round, of branches all together.
    pub fn cost(&self, step: &Step) -> Cost {
        let buffers = |list: &[BufferId]| list.iter().map(|&b| self.buffers[b].bytes as u64).sum();
        let product = |list: &[usize]| list.iter().fold(1u64, |n, &x| n.saturating_mul(x as u64));
        match step {
            Step::Loop(call) => {
                let points = product(&call.outer).saturating_mul(product(&[call.rows, call.cols]));
                self.loop_cost(call.kernel, &call.streams, points, call.cols)
            }
            Step::Matmul(call) => {
                let batch = product(&call.batch);
                let flops = batch.saturating_mul(product(&[2, call.m, call.k, call.n]));
                let sizes = [call.m * call.k, call.k * call.n, call.m * call.n];
                let bytes = batch.saturating_mul(sizes.iter().sum::<usize>() as u64 * 4);
                let points = batch.saturating_mul(product(&[call.m, call.n]));
                self.finished(Cost { flops, bytes }, call.epilogue.as_ref(), points, call.n)
            }
            Step::Conv(call) => {
                let filter = self.buffers[call.filter].bytes / call.dtype.size().max(1);
                let pixels = product(&[call.batch, call.output_size[0], call.output_size[1]]);
                let flops = pixels.saturating_mul(2 * filter as u64);
                let bytes = buffers(&[call.input, call.filter, call.out]);
                let points = pixels.saturating_mul(call.output_features as u64);
                let cost = Cost { flops, bytes };
                self.finished(cost, call.epilogue.as_ref(), points, call.output_features)
            }
            Step::Pool(call) => {
                let out = product(&[call.batch, call.output_size[0], call.output_size[1]]);
                let flops = out.saturating_mul(product(&[call.features, call.window[0]]));
                let flops = flops.saturating_mul(call.window[1] as u64);
                Cost { flops, bytes: buffers(&[call.input, call.out]) }
            }
            Step::Copy(call) => {
                Cost { flops: 0, bytes: product(&call.extents) * 2 * call.element as u64 }
            }
            Step::Gather(call) => Cost { flops: 0, bytes: 2 * product(&[call.count, call.row]) },
            Step::Reference(call) => {
                let list: Vec<BufferId> =
                    call.operands.iter().chain(&call.results).map(|(b, _)| *b).collect();
                Cost { flops: 0, bytes: buffers(&list) }
            }
            Step::While { test, body, .. } => self.cost_of(test.iter().chain(body)),
            Step::Switch { branches, .. } => self.cost_of(branches.iter().flatten()),
        }
    }

    fn cost_of<'a>(&'a self, steps: impl Iterator<Item = &'a Step>) -> Cost {
        let mut cost = Cost::default();
        for step in steps {
            cost.add(self.cost(step));
        }
        cost
    }

    fn finished(&self, mut cost: Cost, end: Option<&Epilogue>, points: u64, cols: usize) -> Cost {
        if let Some(end) = end {
            cost.add(self.loop_cost(end.kernel, &end.streams, points, cols));
        }
        cost
    }

    fn loop_cost(&self, kernel: KernelId, streams: &[StreamArg], points: u64, cols: usize) -> Cost {
        let kernel = &self.kernels[kernel];
        let rows = points / cols.max(1) as u64;
        let mut cost = Cost::default();
        for phase in &kernel.phases {
            let times = if phase.when == When::Each { points } else { rows };
            let work = phase.insts.iter().filter(|&&v| is_work(&kernel.insts[v].op)).count();
            cost.flops = cost.flops.saturating_add(times.saturating_mul(work as u64));
        }
        for (i, stream) in streams.iter().enumerate() {
            let id = crate::kernel::StreamId::new(i);
            let element = kernel.streams[id].dtype.size() as u64;
            let held = self.buffers[stream.buffer].bytes as u64;
            let touched = passes(kernel, id).saturating_mul(points.saturating_mul(element));
            cost.bytes = cost.bytes.saturating_add(touched.min(held));
        }
        cost
    }
}

/// In how many phases a stream is touched.
fn passes(kernel: &Kernel, stream: crate::kernel::StreamId) -> u64 {
    let touches = |op: &Op| matches!(op, Op::Load(s) | Op::Store(s) if *s == stream);
    let phases = kernel.phases.iter();
    phases.filter(|p| p.insts.iter().any(|&v| touches(&kernel.insts[v].op))).count() as u64
}

fn is_work(op: &Op) -> bool {
    !matches!(op, Op::Const(_) | Op::Load(_) | Op::Store(_) | Op::Column | Op::Bitcast)
}
