//! The steps of a plan as bytes.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::{Error, Result, limits};
use tfjit_hlo::{Module, TensorType};

use super::types::{
    read_dtype, read_sizes, read_strides, read_type, write_dtype, write_sizes, write_strides,
    write_type,
};
use super::{Reader, Writer};
use crate::plan::{
    BufferId, ConvCall, ConvKind, CopyCall, Epilogue, GatherCall, KernelId, LoopCall, MatmulCall,
    MatrixView, PoolCall, PoolKind, ReferenceCall, Start, Step, StreamArg,
};

/// Bytes of the shortest step, stream and start.
const STEP_BYTES: usize = 3;
const STREAM_BYTES: usize = 5;
const START_BYTES: usize = 4;

pub(super) fn write_steps(w: &mut Writer, steps: &[Step]) {
    w.size(steps.len());
    steps.iter().for_each(|step| write_step(w, step));
}

fn write_step(w: &mut Writer, step: &Step) {
    match step {
        Step::Loop(call) => {
            w.byte(0);
            w.size(call.kernel.index());
            write_sizes(w, &call.outer);
            w.size(call.rows);
            w.size(call.cols);
            write_streams(w, &call.streams);
        }
        Step::Matmul(call) => {
            w.byte(1);
            write_matmul(w, call);
        }
        Step::Conv(call) => {
            w.byte(2);
            write_conv(w, call);
        }
        Step::Pool(call) => {
            w.byte(3);
            write_pool(w, call);
        }
        Step::Copy(call) => {
            w.byte(4);
            w.size(call.element);
            write_sizes(w, &call.extents);
            for (buffer, offset, strides) in [&call.input, &call.out] {
                w.size(buffer.index());
                w.size(*offset);
                write_strides(w, strides);
            }
            write_starts(w, &call.input_at);
            write_starts(w, &call.out_at);
        }
        Step::Gather(call) => {
            w.byte(5);
            [call.input, call.indices, call.out].iter().for_each(|b| w.size(b.index()));
            write_dtype(w, call.index_dtype);
            [call.input_rows, call.count, call.row].iter().for_each(|&n| w.size(n));
        }
        Step::Reference(call) => {
            w.byte(6);
            w.text(&call.module.to_string());
            for list in [&call.operands, &call.results] {
                w.size(list.len());
                for (buffer, ty) in list {
                    w.size(buffer.index());
                    write_type(w, ty);
                }
            }
        }
        Step::While { test, condition, body } => {
            w.byte(7);
            write_steps(w, test);
            w.size(condition.index());
            write_steps(w, body);
        }
        Step::Switch { index, branches } => {
            w.byte(8);
            w.size(index.index());
            w.size(branches.len());
            branches.iter().for_each(|branch| write_steps(w, branch));
        }
    }
}

fn write_starts(w: &mut Writer, starts: &[Start]) {
    w.size(starts.len());
    for start in starts {
        w.size(start.buffer.index());
        write_dtype(w, start.dtype);
        w.size(start.max);
        w.signed(start.stride as i64);
    }
}

fn write_streams(w: &mut Writer, streams: &[StreamArg]) {
    w.size(streams.len());
    for stream in streams {
        w.size(stream.buffer.index());
        w.size(stream.offset);
        write_strides(w, &stream.outer);
        w.signed(stream.row as i64);
        w.signed(stream.col as i64);
    }
}

/// 0 is none, else one more than the kernel's number.
fn write_epilogue(w: &mut Writer, epilogue: Option<&Epilogue>) {
    let Some(epilogue) = epilogue else { return w.byte(0) };
    w.size(epilogue.kernel.index() + 1);
    write_streams(w, &epilogue.streams);
}

fn write_matmul(w: &mut Writer, call: &MatmulCall) {
    write_dtype(w, call.dtype);
    write_sizes(w, &call.batch);
    [call.m, call.k, call.n].iter().for_each(|&n| w.size(n));
    for view in [&call.lhs, &call.rhs, &call.out] {
        w.size(view.buffer.index());
        w.size(view.offset);
        write_strides(w, &view.batch);
        w.signed(view.row as i64);
        w.signed(view.col as i64);
    }
    write_epilogue(w, call.epilogue.as_ref());
}

fn write_conv(w: &mut Writer, call: &ConvCall) {
    write_dtype(w, call.dtype);
    // 0 is a depthwise convolution, else one more than the number of groups.
    w.size(match call.kind {
        ConvKind::Depthwise => 0,
        ConvKind::Grouped { groups } => groups + 1,
    });
    [call.input, call.filter, call.out].iter().for_each(|b| w.size(b.index()));
    w.size(call.batch);
    w.size(call.input_features);
    w.size(call.output_features);
    let pairs = [call.input_size, call.window, call.output_size, call.strides, call.dilations];
    pairs.iter().flatten().for_each(|&n| w.size(n));
    call.padding.iter().for_each(|&n| w.signed(n as i64));
    write_epilogue(w, call.epilogue.as_ref());
}

fn write_pool(w: &mut Writer, call: &PoolCall) {
    write_dtype(w, call.dtype);
    w.byte(match call.kind {
        PoolKind::Max => 0,
        PoolKind::MaxFinite => 1,
        PoolKind::Sum => 2,
    });
    [call.input, call.out].iter().for_each(|b| w.size(b.index()));
    w.size(call.batch);
    w.size(call.features);
    let pairs = [call.input_size, call.window, call.output_size, call.strides, call.dilations];
    pairs.iter().flatten().for_each(|&n| w.size(n));
    call.padding.iter().for_each(|&n| w.signed(n as i64));
}

/// Reads steps.
pub(super) struct Steps {
    /// How many kernels and buffers there are.
    pub(super) kernels: usize,
    pub(super) buffers: usize,
    /// In how many loops and branches the steps are.
    pub(super) depth: usize,
}

impl Steps {
    /// # Errors
    /// DATA_LOSS.
    pub(super) fn read(&mut self, r: &mut Reader<'_>) -> Result<Vec<Step>> {
        if self.depth > limits::REGION_DEPTH_MAX {
            return Err(r.wrong("loops and branches are too deep"));
        }
        self.depth += 1;
        let count = r.count(STEP_BYTES)?;
        let steps = (0..count).map(|_| self.step(r)).collect();
        self.depth -= 1;
        steps
    }

    fn step(&mut self, r: &mut Reader<'_>) -> Result<Step> {
        Ok(match r.byte()? {
            0 => Step::Loop(LoopCall {
                kernel: KernelId::new(r.below(self.kernels, "kernel")?),
                outer: read_sizes(r)?,
                rows: r.size()?,
                cols: r.size()?,
                streams: self.streams(r)?,
            }),
            1 => Step::Matmul(Box::new(self.matmul(r)?)),
            2 => Step::Conv(Box::new(self.conv(r)?)),
            3 => Step::Pool(Box::new(self.pool(r)?)),
            4 => Step::Copy(CopyCall {
                element: r.size()?,
                extents: read_sizes(r)?,
                input: self.side(r)?,
                out: self.side(r)?,
                input_at: self.starts(r)?,
                out_at: self.starts(r)?,
            }),
            5 => {
                let [input, indices, out] = [self.buffer(r)?, self.buffer(r)?, self.buffer(r)?];
                let index_dtype = read_dtype(r)?;
                let [input_rows, count, row] = [r.size()?, r.size()?, r.size()?];
                Step::Gather(GatherCall {
                    input,
                    input_rows,
                    indices,
                    index_dtype,
                    count,
                    row,
                    out,
                })
            }
            6 => {
                let module = Arc::new(module(r.text()?)?);
                let (operands, results) = (self.typed(r)?, self.typed(r)?);
                Step::Reference(Box::new(ReferenceCall { module, operands, results }))
            }
            7 => {
                let test = self.read(r)?;
                let condition = self.buffer(r)?;
                Step::While { test, condition, body: self.read(r)? }
            }
            8 => {
                let index = self.buffer(r)?;
                let count = r.count(1)?;
                let branches = (0..count).map(|_| self.read(r)).collect::<Result<_>>()?;
                Step::Switch { index, branches }
            }
            code => return Err(r.wrong(format_args!("no step {code}"))),
        })
    }

    fn buffer(&self, r: &mut Reader<'_>) -> Result<BufferId> {
        Ok(BufferId::new(r.below(self.buffers, "buffer")?))
    }

    fn side(&self, r: &mut Reader<'_>) -> Result<(BufferId, usize, SmallVec<[isize; 6]>)> {
        Ok((self.buffer(r)?, r.size()?, read_strides(r)?))
    }

    fn starts(&self, r: &mut Reader<'_>) -> Result<Vec<Start>> {
        let count = r.count(START_BYTES)?;
        let start = |r: &mut Reader<'_>| {
            let (buffer, dtype) = (self.buffer(r)?, read_dtype(r)?);
            Ok(Start { buffer, dtype, max: r.size()?, stride: r.stride()? })
        };
        (0..count).map(|_| start(r)).collect()
    }

    fn typed(&self, r: &mut Reader<'_>) -> Result<Vec<(BufferId, TensorType)>> {
        let count = r.count(5)?;
        (0..count).map(|_| Ok((self.buffer(r)?, read_type(r)?))).collect()
    }

    fn streams(&self, r: &mut Reader<'_>) -> Result<Vec<StreamArg>> {
        let count = r.count(STREAM_BYTES)?;
        let stream = |r: &mut Reader<'_>| {
            Ok(StreamArg {
                buffer: self.buffer(r)?,
                offset: r.size()?,
                outer: read_strides(r)?,
                row: r.stride()?,
                col: r.stride()?,
            })
        };
        (0..count).map(|_| stream(r)).collect()
    }

    fn epilogue(&self, r: &mut Reader<'_>) -> Result<Option<Epilogue>> {
        let Some(kernel) = r.below(self.kernels + 1, "kernel")?.checked_sub(1) else {
            return Ok(None);
        };
        Ok(Some(Epilogue { kernel: KernelId::new(kernel), streams: self.streams(r)? }))
    }

    fn view(&self, r: &mut Reader<'_>) -> Result<MatrixView> {
        Ok(MatrixView {
            buffer: self.buffer(r)?,
            offset: r.size()?,
            batch: read_strides(r)?,
            row: r.stride()?,
            col: r.stride()?,
        })
    }

    fn matmul(&self, r: &mut Reader<'_>) -> Result<MatmulCall> {
        Ok(MatmulCall {
            dtype: read_dtype(r)?,
            batch: read_sizes(r)?,
            m: r.size()?,
            k: r.size()?,
            n: r.size()?,
            lhs: self.view(r)?,
            rhs: self.view(r)?,
            out: self.view(r)?,
            epilogue: self.epilogue(r)?,
        })
    }

    fn conv(&self, r: &mut Reader<'_>) -> Result<ConvCall> {
        Ok(ConvCall {
            dtype: read_dtype(r)?,
            kind: match r.size()?.checked_sub(1) {
                None => ConvKind::Depthwise,
                Some(groups) => ConvKind::Grouped { groups },
            },
            input: self.buffer(r)?,
            filter: self.buffer(r)?,
            out: self.buffer(r)?,
            batch: r.size()?,
            input_features: r.size()?,
            output_features: r.size()?,
            input_size: pair(r)?,
            window: pair(r)?,
            output_size: pair(r)?,
            strides: pair(r)?,
            dilations: pair(r)?,
            padding: [r.stride()?, r.stride()?],
            epilogue: self.epilogue(r)?,
        })
    }

    fn pool(&self, r: &mut Reader<'_>) -> Result<PoolCall> {
        Ok(PoolCall {
            dtype: read_dtype(r)?,
            kind: match r.byte()? {
                0 => PoolKind::Max,
                1 => PoolKind::MaxFinite,
                2 => PoolKind::Sum,
                code => return Err(r.wrong(format_args!("no pooling {code}"))),
            },
            input: self.buffer(r)?,
            out: self.buffer(r)?,
            batch: r.size()?,
            features: r.size()?,
            input_size: pair(r)?,
            window: pair(r)?,
            output_size: pair(r)?,
            strides: pair(r)?,
            dilations: pair(r)?,
            padding: [r.stride()?, r.stride()?],
        })
    }
}

fn pair(r: &mut Reader<'_>) -> Result<[usize; 2]> {
    Ok([r.size()?, r.size()?])
}

/// The module of a reference step.
fn module(text: &str) -> Result<Module> {
    let read = || {
        let module = tfjit_hlo::parse(text)?;
        tfjit_hlo::verify(&module)?;
        Ok(module)
    };
    read().map_err(|e: Error| Error::data_loss(e.message()).context("a step's module"))
}
