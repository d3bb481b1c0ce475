//! Steps that move elements: copies, concatenations, padding, gathers of rows.

use smallvec::SmallVec;
use tfjit_base::ids::Id;
use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_hlo::{InstId, Op, ValueId};

use super::view::{Strides, View, dense_strides, dims_of};
use super::{Planner, UNPLACED};
use crate::plan::{BufferId, CopyCall, GatherCall, Step};

/// Whether an iota of this element type is kept as a constant.
pub(super) fn is_kept_iota(dtype: DType) -> bool {
    let float = matches!(dtype, DType::F64 | DType::F32 | DType::BF16 | DType::F16);
    float || (dtype.is_int() && dtype.bits() >= 8)
}

/// Elements of an iota that is kept as a constant at most; larger ones are computed.
const IOTA_MAX: usize = 1 << 24;

impl Planner<'_> {
    /// Dense memory with the elements of `value`; a copy unless its root has them so.
    pub(super) fn dense(&mut self, value: ValueId) -> Result<BufferId> {
        let dims = dims_of(self.func, value).unwrap_or_default();
        let view = self.view(value)?;
        if view.is_dense(&dims) {
            let home = self.home(view.root)?;
            let dtype = self.func.tensor_ty(value).map_or(1, |ty| ty.dtype.size());
            if self.plan.buffers[home].bytes == dims.iter().product::<usize>() * dtype {
                return Ok(home);
            }
        }
        let out = self.buffer(value, UNPLACED)?;
        self.copy_view(&view, &dims, out, 0, &dense_strides(&dims))?;
        self.stand_in(value, dense_strides(&dims), out);
        Ok(out)
    }

    /// From here on, to the end of the block, a value is read from a copy. What views the value's
    /// root otherwise is not concerned.
    pub(super) fn stand_in(&mut self, value: ValueId, strides: Strides, copy: BufferId) {
        let root = ValueId::new(self.func.values.len() + self.stand_ins);
        self.stand_ins += 1;
        if let Some(before) = self.facts.view(value).cloned() {
            self.dense_here.push((value, before));
        }
        self.facts.set_view(value, View { root, offset: 0, strides });
        self.homes.insert(root, copy);
    }

    pub(super) fn view(&self, value: ValueId) -> Result<View> {
        self.facts
            .view(value)
            .cloned()
            .ok_or_else(|| tfjit_base::Error::internal("a value without memory was planned"))
    }

    /// Copies a view into part of a buffer; offset and strides of the destination in elements.
    pub(super) fn copy_view(
        &mut self,
        view: &View,
        dims: &[usize],
        out: BufferId,
        offset: usize,
        strides: &Strides,
    ) -> Result<()> {
        if dims.contains(&0) {
            return Ok(());
        }
        let home = self.home(view.root)?;
        let element = self.plan.buffers[out].dtype.size();
        let bytes = |s: &Strides| s.iter().map(|&s| s * element as isize).collect();
        let start = usize::try_from(view.offset)
            .map_err(|_| tfjit_base::Error::internal("a view begins before its memory"))?;
        self.steps.push(Step::Copy(CopyCall {
            element,
            extents: dims.iter().copied().collect(),
            input: (home, start * element, bytes(&view.strides)),
            out: (out, offset * element, bytes(strides)),
            input_at: Vec::new(),
            out_at: Vec::new(),
        }));
        Ok(())
    }

    /// Copies one buffer to another of the same size.
    pub(super) fn copy_whole(&mut self, from: BufferId, to: BufferId) {
        let element = self.plan.buffers[to].dtype.size();
        let bytes = self.plan.buffers[to].bytes;
        if from == to || bytes == 0 {
            return;
        }
        let step: SmallVec<[isize; 6]> = SmallVec::from_slice(&[element as isize]);
        self.steps.push(Step::Copy(CopyCall {
            element,
            extents: SmallVec::from_slice(&[bytes / element]),
            input: (from, 0, step.clone()),
            out: (to, 0, step),
            input_at: Vec::new(),
            out_at: Vec::new(),
        }));
    }

    /// The numbers along one dimension of an iota.
    pub(super) fn iota(&self, root: ValueId, dimension: usize) -> Result<Tensor> {
        let dims = dims_of(self.func, root).unwrap_or_default();
        let n = dims[dimension];
        let dtype = self.func.tensor_ty(root).map_or(DType::I32, |ty| ty.dtype);
        if n > IOTA_MAX {
            return Err(tfjit_base::Error::resource_exhausted(format!("an iota of {n} elements")));
        }
        let mut raw = Vec::with_capacity(n * dtype.size());
        for i in 0..n {
            match dtype {
                DType::F32 => raw.extend((i as f32).to_le_bytes()),
                DType::F64 => raw.extend((i as f64).to_le_bytes()),
                DType::BF16 => raw.extend(tfjit_base::bf16::from_f64(i as f64).to_le_bytes()),
                DType::F16 => raw.extend(tfjit_base::f16::from_f64(i as f64).to_le_bytes()),
                // Integers lose their high bits.
                _ => raw.extend(&(i as u64).to_le_bytes()[..dtype.size()]),
            }
        }
        Tensor::from_raw(dtype, Shape::new(&[n]), &raw)
    }

    /// A reshape whose elements have to move first.
    pub(super) fn moved_reshape(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let (operand, result) = (data.operands[0], data.results[0]);
        let view = self.view(operand)?;
        let dims = dims_of(self.func, operand).unwrap_or_default();
        let out = self.target(result)?;
        self.copy_view(&view, &dims, out, 0, &dense_strides(&dims))
    }

    /// One copy an operand.
    pub(super) fn concatenate(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let Op::Concatenate { dimension } = data.op else { return self.reference(inst) };
        let out = self.target(data.results[0])?;
        let strides = dense_strides(&dims_of(self.func, data.results[0]).unwrap_or_default());
        let mut at = 0;
        for operand in data.operands.clone() {
            let dims = dims_of(self.func, operand).unwrap_or_default();
            let view = self.view(operand)?;
            let offset = at * strides[dimension as usize] as usize;
            self.copy_view(&view, &dims, out, offset, &strides)?;
            at += dims[dimension as usize];
        }
        Ok(())
    }

    /// Fills the result with the padding value and copies the operand, or the part of it that
    /// negative padding leaves, into it.
    pub(super) fn pad(&mut self, inst: InstId) -> Result<()> {
        let data = &self.func.insts[inst];
        let Op::Pad { edge_padding_low, edge_padding_high, interior_padding } = &data.op else {
            return self.reference(inst);
        };
        let negative = edge_padding_low.iter().chain(edge_padding_high).any(|&p| p < 0);
        if negative {
            return self.reference(inst);
        }
        let (operand, value, result) = (data.operands[0], data.operands[1], data.results[0]);
        let dims = dims_of(self.func, result).unwrap_or_default();
        let strides = dense_strides(&dims);
        let (mut offset, mut steps) = (0usize, strides.clone());
        for (d, &low) in edge_padding_low.iter().enumerate() {
            offset += low as usize * strides[d] as usize;
            steps[d] *= interior_padding[d] as isize + 1;
        }
        let out = self.target(result)?;
        let mut fill = self.view(value)?;
        fill.strides = SmallVec::from_elem(0, dims.len());
        self.copy_view(&fill, &dims, out, 0, &strides)?;
        let view = self.view(operand)?;
        let from = dims_of(self.func, operand).unwrap_or_default();
        self.copy_view(&view, &from, out, offset, &steps)
    }

    /// Rows of a table that indices choose; other gathers go to the interpreter.
    pub(super) fn gather(&mut self, inst: InstId) -> Result<()> {
        let Some(call) = self.rows_gather(inst)? else { return self.reference(inst) };
        self.steps.push(Step::Gather(call));
        Ok(())
    }

    fn rows_gather(&mut self, inst: InstId) -> Result<Option<GatherCall>> {
        let data = &self.func.insts[inst];
        let Op::Gather(gather) = &data.op else { return Ok(None) };
        let (table, indices, result) = (data.operands[0], data.operands[1], data.results[0]);
        let (from, at) = (
            dims_of(self.func, table).unwrap_or_default(),
            dims_of(self.func, indices).unwrap_or_default(),
        );
        let to = dims_of(self.func, result).unwrap_or_default();
        if from.is_empty() || to.len() + 1 < from.len() || from.contains(&0) || to.contains(&0) {
            return Ok(None);
        }
        let vector = gather.index_vector_dim as usize;
        let single = vector == at.len() || (vector + 1 == at.len() && at[vector] == 1);
        let whole = gather.slice_sizes[0] == 1
            && gather.slice_sizes[1..].iter().zip(&from[1..]).all(|(&s, &d)| s == d as i64);
        let offsets = from.len() - 1;
        let trailing = (to.len() - offsets..to.len()).map(|d| d as i64);
        let rows = gather.collapsed_slice_dims[..] == [0]
            && gather.start_index_map[..] == [0]
            && gather.operand_batching_dims.is_empty()
            && gather.offset_dims.iter().copied().eq(trailing);
        let index_dtype = self.func.tensor_ty(indices).map_or(DType::Bool, |ty| ty.dtype);
        if !(single && whole && rows && index_dtype.is_int() && index_dtype.size() >= 1) {
            return Ok(None);
        }
        let element = self.func.tensor_ty(table).map_or(1, |ty| ty.dtype.size());
        let input = self.dense(table)?;
        let indices_buffer = self.dense(indices)?;
        let out = self.target(result)?;
        Ok(Some(GatherCall {
            input,
            input_rows: from[0],
            indices: indices_buffer,
            index_dtype,
            count: at.iter().product(),
            row: from[1..].iter().product::<usize>() * element,
            out,
        }))
    }
}
