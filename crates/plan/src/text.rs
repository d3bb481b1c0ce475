//! The text form of plans: for people, and for tests of the planner. It is not read back.

use std::fmt::{self, Display, Formatter, Write};

use tfjit_base::ids::Id;

use crate::plan::{
    BufferId, ConvCall, CopyCall, Epilogue, LoopCall, MatrixView, Place, Plan, PoolCall, Start,
    Step, StreamArg,
};

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let types = |list: &[tfjit_hlo::TensorType]| {
            list.iter()
                .map(|ty| format!("{}{:?}", ty.dtype, &ty.dims[..]))
                .collect::<Vec<_>>()
                .join(", ")
        };
        writeln!(
            f,
            "plan @{}({}) -> ({}) {{",
            self.name,
            types(&self.parameters),
            types(&self.results)
        )?;
        for i in 0..self.buffers.len() {
            let id = BufferId::new(i);
            let buffer = &self.buffers[id];
            if buffer.bytes == 0 && buffer.place == Place::Arena(0) {
                continue;
            }
            write!(f, "  {id}: {} {} bytes in ", buffer.dtype, buffer.bytes)?;
            match buffer.place {
                Place::Parameter(n) => writeln!(f, "parameter {n}")?,
                Place::Constant(n) => writeln!(f, "constant {n}")?,
                Place::Result(n) => writeln!(f, "result {n}")?,
                Place::Arena(offset) => writeln!(f, "arena at {offset}")?,
            }
        }
        steps(f, self, &self.steps, 1)?;
        let outputs: Vec<String> = self.outputs.iter().map(BufferId::to_string).collect();
        writeln!(f, "  return {}", outputs.join(", "))?;
        writeln!(f, "}} arena {} bytes", self.arena_bytes)
    }
}

fn steps(f: &mut Formatter<'_>, plan: &Plan, list: &[Step], depth: usize) -> fmt::Result {
    for step in list {
        for _ in 0..depth {
            f.write_str("  ")?;
        }
        step_text(f, plan, step, depth)?;
    }
    Ok(())
}

fn step_text(f: &mut Formatter<'_>, plan: &Plan, step: &Step, depth: usize) -> fmt::Result {
    match step {
        Step::Loop(call) => loop_text(f, plan, call),
        Step::Matmul(c) => {
            write!(f, "matmul {:?} {}x{}x{} ", &c.batch[..], c.m, c.k, c.n)?;
            matrix(f, &c.lhs)?;
            f.write_str(" * ")?;
            matrix(f, &c.rhs)?;
            f.write_str(" -> ")?;
            matrix(f, &c.out)?;
            epilogue(f, plan, c.epilogue.as_ref())
        }
        Step::Conv(c) => {
            conv(f, c)?;
            epilogue(f, plan, c.epilogue.as_ref())
        }
        Step::Pool(c) => pool(f, c),
        Step::Copy(c) => copy(f, c),
        Step::Gather(c) => writeln!(
            f,
            "gather {} of {} rows of {} bytes {}[{}] -> {}",
            c.count, c.input_rows, c.row, c.input, c.indices, c.out
        ),
        Step::Reference(c) => {
            let list = |l: &[(BufferId, tfjit_hlo::TensorType)]| {
                l.iter().map(|(b, _)| b.to_string()).collect::<Vec<_>>().join(", ")
            };
            writeln!(f, "reference {} {} -> {}", c.module.name, list(&c.operands), list(&c.results))
        }
        Step::While { test, condition, body } => {
            writeln!(f, "while {condition}")?;
            steps(f, plan, test, depth + 1)?;
            writeln!(f, "{}do", "  ".repeat(depth))?;
            steps(f, plan, body, depth + 1)
        }
        Step::Switch { index, branches } => {
            writeln!(f, "switch {index}")?;
            for (i, branch) in branches.iter().enumerate() {
                writeln!(f, "{}case {i}", "  ".repeat(depth))?;
                steps(f, plan, branch, depth + 1)?;
            }
            Ok(())
        }
    }
}

fn conv(f: &mut Formatter<'_>, c: &ConvCall) -> fmt::Result {
    let [[h, w], [kh, kw], [oh, ow]] = [c.input_size, c.window, c.output_size];
    write!(f, "conv {:?} batch {} {h}x{w}x{} window {kh}x{kw}", c.kind, c.batch, c.input_features)?;
    write!(f, " stride {:?} dilation {:?} pad {:?}", c.strides, c.dilations, c.padding)?;
    write!(f, " -> {oh}x{ow}x{} {}, {} -> {}", c.output_features, c.input, c.filter, c.out)
}

fn pool(f: &mut Formatter<'_>, c: &PoolCall) -> fmt::Result {
    write!(f, "pool {:?} batch {} {:?} features {}", c.kind, c.batch, c.input_size, c.features)?;
    write!(f, " window {:?} stride {:?} pad {:?}", c.window, c.strides, c.padding)?;
    writeln!(f, " -> {:?} {} -> {}", c.output_size, c.input, c.out)
}

fn copy(f: &mut Formatter<'_>, c: &CopyCall) -> fmt::Result {
    let ((input, start, from), (out, at, to)) = (&c.input, &c.out);
    write!(f, "copy {:?} of {} bytes", &c.extents[..], c.element)?;
    write!(f, " {input} + {start} {:?}", &from[..])?;
    starts(f, &c.input_at)?;
    write!(f, " -> {out} + {at} {:?}", &to[..])?;
    starts(f, &c.out_at)?;
    f.write_char('\n')
}

fn starts(f: &mut Formatter<'_>, list: &[Start]) -> fmt::Result {
    list.iter().try_for_each(|s| write!(f, " + {}[0..={}] * {}", s.buffer, s.max, s.stride))
}

fn loop_text(f: &mut Formatter<'_>, plan: &Plan, call: &LoopCall) -> fmt::Result {
    let name = &plan.kernels[call.kernel].name;
    write!(f, "loop @{name} {:?} x {} x {}", &call.outer[..], call.rows, call.cols)?;
    streams(f, &call.streams)?;
    f.write_char('\n')
}

fn streams(f: &mut Formatter<'_>, list: &[StreamArg]) -> fmt::Result {
    for s in list {
        write!(f, " {}+{}", s.buffer, s.offset)?;
        write!(f, "{:?}", s.outer.iter().chain([&s.row, &s.col]).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn matrix(f: &mut Formatter<'_>, view: &MatrixView) -> fmt::Result {
    write!(f, "{}+{}", view.buffer, view.offset)?;
    write!(f, "{:?}", view.batch.iter().chain([&view.row, &view.col]).collect::<Vec<_>>())
}

fn epilogue(f: &mut Formatter<'_>, plan: &Plan, epilogue: Option<&Epilogue>) -> fmt::Result {
    if let Some(epilogue) = epilogue {
        write!(f, " then @{}", plan.kernels[epilogue.kernel].name)?;
        streams(f, &epilogue.streams)?;
    }
    f.write_char('\n')
}
