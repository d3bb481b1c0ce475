//! Steps of units: loops, with or without the contraction they finish, and single instructions.

use smallvec::SmallVec;
use tfjit_base::Result;
use tfjit_hlo::{InstId, Op, ValueId};

use super::fuse::{Kind, Level, Space, Unit};
use super::loops::{self, Built, BuiltStream, Walk, What};
use super::view::{View, dense_strides, dims_of};
use super::{Planner, UNPLACED};
use crate::plan::{Epilogue, LoopCall, Note, Step, StreamArg};

impl Planner<'_> {
    /// Steps of a unit.
    pub(super) fn unit(&mut self, unit: &Unit) -> Result<()> {
        let first = self.steps.len();
        match &unit.kind {
            Kind::Single => {
                let inst = unit.members[0].0;
                self.single(inst).map_err(|e| self.named(inst, e))?;
            }
            Kind::Loop(space) => self.looped(unit, space)?,
        }
        self.written.extend(unit.contraction.into_iter().chain(unit.members.iter().map(|m| m.0)));
        if self.depth == 0 {
            self.explain(unit, first);
        }
        Ok(())
    }

    /// Notes what the steps from `first` on compute, for people.
    fn explain(&mut self, unit: &Unit, first: usize) {
        let name = |inst: InstId| {
            let data = &self.func.insts[inst];
            let op = data.op.row().name;
            let op = op.rsplit('.').next().unwrap_or(op);
            match &data.source {
                Some(source) => format!("{op} ({source})"),
                None => op.to_string(),
            }
        };
        let members = unit.contraction.into_iter().chain(unit.members.iter().map(|m| m.0));
        let note = Note {
            steps: first..self.steps.len(),
            fused: members.map(name).collect(),
            stopped: unit
                .stopped
                .iter()
                .map(|&(inst, read, stop)| {
                    format!("{} reads {}: {}", name(inst), name(read), stop.text())
                })
                .collect(),
        };
        self.plan.notes.push(note);
    }

    fn single(&mut self, inst: InstId) -> Result<()> {
        match &self.func.insts[inst].op {
            Op::DotGeneral(_) | Op::Convolution(_) if self.facts.is_contraction(inst) => {
                self.contraction(inst, None)
            }
            Op::ReduceWindow(_) => self.pool(inst),
            Op::Reshape => self.moved_reshape(inst),
            Op::Concatenate { .. } => self.concatenate(inst),
            Op::Pad { .. } => self.pad(inst),
            Op::Gather(_) => self.gather(inst),
            Op::DynamicSlice { .. } => self.dynamic_slice(inst),
            Op::DynamicUpdateSlice => self.dynamic_update_slice(inst),
            Op::While => self.while_loop(inst),
            Op::If | Op::Case => self.branches(inst),
            Op::AfterAll => Ok(()),
            _ => self.reference(inst),
        }
    }

    /// Values of a unit that somebody outside reads.
    fn outputs(&self, unit: &Unit) -> Vec<ValueId> {
        let inside = |reader: &InstId| unit.members.iter().any(|(m, _)| m == reader);
        let results = unit.members.iter().map(|&(m, _)| self.func.insts[m].results[0]);
        let read = results.filter(|&result| {
            self.facts.is_result(result)
                || !self.facts.readers(self.func, &self.uses, result).iter().all(inside)
        });
        read.collect()
    }

    fn looped(&mut self, unit: &Unit, space: &Space) -> Result<()> {
        self.straighten(unit, space)?;
        let outputs = self.outputs(unit);
        if outputs.is_empty() {
            return Ok(());
        }
        if let Some(contraction) = unit.contraction {
            let walk = Walk::Contraction(self.contraction_marks(contraction));
            if let Some(built) = self.build(unit, space, &outputs, &walk) {
                return self.finished_contraction(unit, contraction, &outputs, built);
            }
            self.contraction(contraction, None)?;
        }
        let plain = Unit { contraction: None, ..unit.clone() };
        if let Some(built) = self.build(&plain, space, &outputs, &Walk::Free) {
            let call = self.loop_call(&plain, built)?;
            self.steps.push(Step::Loop(call));
            return Ok(());
        }
        self.apart(&plain)
    }

    fn build(&self, unit: &Unit, space: &Space, outputs: &[ValueId], walk: &Walk) -> Option<Built> {
        loops::build(self.func, &self.facts, unit, space, outputs, walk)
    }

    /// The members of a unit one by one.
    fn apart(&mut self, unit: &Unit) -> Result<()> {
        for &(inst, _) in &unit.members {
            let data = &self.func.insts[inst];
            let reduction = self.facts.reduction(inst).cloned();
            let value = if reduction.is_some() { data.operands[0] } else { data.results[0] };
            let dims = dims_of(self.func, value).unwrap_or_default();
            let mut reduced: SmallVec<[bool; 6]> = SmallVec::from_elem(false, dims.len());
            for &d in reduction.iter().flat_map(|r| &r.dimensions) {
                reduced[d as usize] = true;
            }
            let space = Space { dims, reduced };
            let members = vec![(inst, Level::Each)];
            let kind = Kind::Loop(space.clone());
            let single = Unit { kind, members, contraction: None, stopped: Vec::new() };
            let outputs = [data.results[0]];
            self.straighten(&single, &space)?;
            let mut built = self.build(&single, &space, &outputs, &Walk::Free);
            if built.is_none() && reduction.is_some() {
                self.bring_together(data.operands[0], &space)?;
                built = self.build(&single, &space, &outputs, &Walk::Free);
            }
            match built {
                Some(built) => {
                    let call = self.loop_call(&single, built)?;
                    self.steps.push(Step::Loop(call));
                }
                None => self.reference(inst)?,
            }
        }
        Ok(())
    }

    /// Copies the operand of a reduction so that what is combined lies together.
    fn bring_together(&mut self, value: ValueId, space: &Space) -> Result<()> {
        let view = self.view(value)?;
        let rank = space.dims.len();
        let order: Vec<usize> = (0..rank)
            .filter(|&d| !space.reduced[d])
            .chain((0..rank).filter(|&d| space.reduced[d]))
            .collect();
        let extents: Vec<usize> = order.iter().map(|&d| space.dims[d]).collect();
        let dense = dense_strides(&extents);
        let out = self.buffer(value, UNPLACED)?;
        let from =
            View { strides: order.iter().map(|&d| view.strides[d]).collect(), ..view.clone() };
        self.copy_view(&from, &extents, out, 0, &dense)?;
        let mut moved = view.strides.clone();
        for (i, &d) in order.iter().enumerate() {
            moved[d] = dense[i];
        }
        self.stand_in(value, moved, out);
        Ok(())
    }

    /// Makes views dense that a loop would have to gather element by element.
    fn straighten(&mut self, unit: &Unit, space: &Space) -> Result<()> {
        let elements: usize = space.dims.iter().product();
        if elements <= 64 {
            return Ok(());
        }
        for &(inst, _) in &unit.members {
            for value in self.func.insts[inst].operands.clone() {
                let Some(view) = self.facts.view(value) else { continue };
                let Some(dims) = dims_of(self.func, value) else { continue };
                let inner = (0..dims.len()).rev().find(|&d| dims[d] > 1);
                if inner.is_some_and(|d| !matches!(view.strides[d], 0 | 1)) {
                    self.dense(value)?;
                }
            }
        }
        Ok(())
    }

    /// The call of a kernel, with the memory of its streams.
    fn loop_call(&mut self, unit: &Unit, built: Built) -> Result<LoopCall> {
        let (outer, rows, cols) = (built.outer.clone(), built.rows, built.cols);
        let (kernel, streams) = self.kernel_and_streams(unit, built)?;
        Ok(LoopCall { kernel, outer, rows, cols, streams })
    }

    fn kernel_and_streams(
        &mut self,
        unit: &Unit,
        mut built: Built,
    ) -> Result<(crate::plan::KernelId, Vec<StreamArg>)> {
        let mut streams = Vec::with_capacity(built.streams.len());
        let mut kept: Vec<(ValueId, crate::plan::BufferId)> = Vec::new();
        let listed = std::mem::take(&mut built.streams);
        for (i, placed) in listed.into_iter().enumerate() {
            let BuiltStream { what, offset, outer, row, col } = placed;
            let stream = &built.kernel.streams[tfjit_base::ids::Id::new(i)];
            let buffer = match what {
                What::Value(value) if stream.output => self.target(value)?,
                What::Value(value) => self.home(value)?,
                What::Kept(value) => match kept.iter().find(|(v, _)| *v == value) {
                    Some(&(_, buffer)) => buffer,
                    None => {
                        let buffer = self.buffer(value, UNPLACED)?;
                        kept.push((value, buffer));
                        buffer
                    }
                },
            };
            streams.push(StreamArg { buffer, offset, outer, row, col });
        }
        built.kernel.name = self.kernel_name(unit);
        Ok((self.kernel(built.kernel), streams))
    }

    /// A name that says what a unit does: its most telling operations.
    fn kernel_name(&self, unit: &Unit) -> String {
        let mut names: Vec<&str> = Vec::new();
        for &(inst, _) in &unit.members {
            let name = match self.facts.reduction(inst) {
                Some(_) => "reduce",
                None => self.func.insts[inst].op.row().name.rsplit('.').next().unwrap_or("loop"),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(5);
        names.join("_")
    }

    /// A contraction with the loop that finishes its result.
    fn finished_contraction(
        &mut self,
        unit: &Unit,
        contraction: InstId,
        outputs: &[ValueId],
        built: Built,
    ) -> Result<()> {
        let root = self.func.insts[contraction].results[0];
        let dtype = self.func.tensor_ty(root).map(|ty| ty.dtype);
        // The raw result is written where a result of the loop will be.
        let place = outputs
            .iter()
            .copied()
            .find(|&output| self.func.tensor_ty(output).map(|ty| ty.dtype) == dtype);
        let home = match place {
            Some(output) => self.target(output)?,
            None => self.buffer(root, UNPLACED)?,
        };
        self.homes.insert(root, home);
        let (kernel, mut streams) = self.kernel_and_streams(unit, built)?;
        if matches!(self.func.insts[contraction].op, Op::Convolution(_)) {
            // The batch is an outer dimension, also when it is one image.
            for stream in streams.iter_mut().filter(|s| s.outer.is_empty()) {
                stream.outer.push(0);
            }
        }
        self.contraction(contraction, Some(Epilogue { kernel, streams }))
    }
}
