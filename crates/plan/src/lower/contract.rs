//! Steps of contractions: products of matrices and convolutions.
//!
//! Operands of a product are read where they are, with strides, as long as each of batch, rows,
//! terms and columns is evenly spaced; else they are made dense in that order first.

use smallvec::SmallVec;
use tfjit_base::{DType, Error, Result};
use tfjit_hlo::{Convolution, DotGeneral, Func, InstId, Op, ValueId};

use super::view::{View, def_of, dense_strides, dims_of};
use super::{Planner, UNPLACED};
use crate::plan::{BufferId, ConvCall, ConvKind, Epilogue, MatmulCall, MatrixView, Step};

/// Whether library kernels can do a contraction.
pub(super) fn is_contraction(func: &Func, inst: InstId) -> bool {
    let data = &func.insts[inst];
    if data.operands.len() != 2 {
        return false;
    }
    let types = data.operands.iter().chain(&data.results).map(|&v| func.tensor_ty(v));
    let plain = types.into_iter().all(|ty| {
        ty.is_some_and(|ty| ty.is_static() && ty.quant.is_none() && ty.dtype == DType::F32)
    });
    match &data.op {
        Op::DotGeneral(_) => plain,
        Op::Convolution(conv) => plain && is_canonical(conv),
        _ => false,
    }
}

/// Whether a convolution is two-dimensional, NHWC by HWIO to NHWC, of undilated input.
fn is_canonical(conv: &Convolution) -> bool {
    conv.input_batch_dimension == 0
        && conv.input_spatial_dimensions[..] == [1, 2]
        && conv.input_feature_dimension == 3
        && conv.kernel_spatial_dimensions[..] == [0, 1]
        && conv.kernel_input_feature_dimension == 2
        && conv.kernel_output_feature_dimension == 3
        && conv.output_batch_dimension == 0
        && conv.output_spatial_dimensions[..] == [1, 2]
        && conv.output_feature_dimension == 3
        && conv.lhs_dilation.iter().all(|&d| d == 1)
        && conv.window_reversal.iter().all(|&r| !r)
        && conv.batch_group_count == 1
}

/// An operand of a product by the roles of its dimensions.
struct Operand {
    /// Where it is, if it was copied.
    copy: Option<BufferId>,
    view: View,
    batch: Vec<(usize, isize)>,
    free: (usize, isize),
    free_rank: usize,
    terms: (usize, isize),
}

/// Dimensions as one, if they are evenly spaced: extent and stride.
fn as_one(dims: &[(usize, isize)]) -> Option<(usize, isize)> {
    if dims.iter().any(|&(extent, _)| extent == 0) {
        return Some((0, 0));
    }
    let mut whole = (1usize, 0isize);
    for &(extent, stride) in dims.iter().filter(|(extent, _)| *extent != 1) {
        if whole.0 != 1 && stride.checked_mul(extent as isize) != Some(whole.1) {
            return None;
        }
        whole = (whole.0.checked_mul(extent)?, stride);
    }
    Some(whole)
}

/// The dimensions of an operand that are neither batch nor contracted.
fn free_dims(rank: usize, batch: &[i64], contracting: &[i64]) -> Vec<usize> {
    (0..rank)
        .filter(|&d| !batch.contains(&(d as i64)) && !contracting.contains(&(d as i64)))
        .collect()
}

impl Planner<'_> {
    /// A contraction, with the loop that finishes its result if there is one.
    pub(super) fn contraction(&mut self, inst: InstId, epilogue: Option<Epilogue>) -> Result<()> {
        match &self.func.insts[inst].op {
            Op::DotGeneral(dot) => self.dot(inst, dot, epilogue),
            Op::Convolution(conv) => self.convolution(inst, conv, epilogue),
            _ => Err(Error::internal("not a contraction")),
        }
    }

    /// For each dimension of a contraction's result: 0 for batch, 1 for rows, 2 for columns.
    pub(super) fn contraction_marks(&self, inst: InstId) -> SmallVec<[u8; 6]> {
        let data = &self.func.insts[inst];
        let rank = self.func.tensor_ty(data.results[0]).map_or(0, |ty| ty.rank());
        let Op::DotGeneral(dot) = &data.op else {
            return (0..rank).map(|d| if d + 1 == rank { 2 } else { u8::from(d > 0) }).collect();
        };
        let batch = dot.lhs_batching_dimensions.len();
        let left = self.func.tensor_ty(data.operands[0]).map_or(0, |ty| ty.rank());
        let rows = left - batch - dot.lhs_contracting_dimensions.len();
        let mark = |d: usize| match d {
            d if d < batch => 0,
            d if d < batch + rows => 1,
            _ => 2,
        };
        (0..rank).map(mark).collect()
    }

    fn dot(&mut self, inst: InstId, dot: &DotGeneral, epilogue: Option<Epilogue>) -> Result<()> {
        let data = &self.func.insts[inst];
        let (lhs, rhs, result) = (data.operands[0], data.operands[1], data.results[0]);
        let left =
            self.operand(lhs, &dot.lhs_batching_dimensions, &dot.lhs_contracting_dimensions)?;
        let right =
            self.operand(rhs, &dot.rhs_batching_dimensions, &dot.rhs_contracting_dimensions)?;
        let (m, k, n) = (left.free.0, left.terms.0, right.free.0);
        let out = self.target(result)?;
        let mut batch: SmallVec<[usize; 4]> = SmallVec::new();
        let mut l: SmallVec<[isize; 4]> = SmallVec::new();
        let (mut r, mut o) = (l.clone(), l.clone());
        let written = self.view(result)?;
        let rank = written.strides.len();
        let dims = dims_of(self.func, result).unwrap_or_default();
        let rows: Vec<(usize, isize)> = (left.batch.len()..rank - right.free_rank)
            .map(|d| (dims[d], written.strides[d]))
            .collect();
        let row = as_one(&rows).map_or(n as isize, |rows| rows.1);
        for (i, &(extent, stride)) in left.batch.iter().enumerate() {
            if extent != 1 {
                batch.push(extent);
                l.push(stride);
                r.push(right.batch[i].1);
                o.push(written.strides[i]);
            }
        }
        let call = MatmulCall {
            dtype: DType::F32,
            batch,
            m,
            k,
            n,
            lhs: self.matrix(&left, l, left.free.1, left.terms.1)?,
            rhs: self.matrix(&right, r, right.terms.1, right.free.1)?,
            out: MatrixView { buffer: out, offset: 0, batch: o, row, col: 1 },
            epilogue,
        };
        self.steps.push(Step::Matmul(Box::new(call)));
        Ok(())
    }

    fn matrix(
        &mut self,
        operand: &Operand,
        batch: SmallVec<[isize; 4]>,
        row: isize,
        col: isize,
    ) -> Result<MatrixView> {
        let offset = usize::try_from(operand.view.offset)
            .map_err(|_| Error::internal("a view begins before its memory"))?;
        let buffer = match operand.copy {
            Some(copy) => copy,
            None => self.home(operand.view.root)?,
        };
        Ok(MatrixView { buffer, offset, batch, row, col })
    }

    /// An operand by roles; it is copied when it does not lie evenly enough.
    fn operand(&mut self, value: ValueId, batch: &[i64], contracting: &[i64]) -> Result<Operand> {
        let dims = dims_of(self.func, value).unwrap_or_default();
        let view = self.view(value)?;
        let free = free_dims(dims.len(), batch, contracting);
        if let Some(operand) = roles(&view, &dims, batch, &free, contracting) {
            return Ok(operand);
        }
        let order: Vec<usize> = batch
            .iter()
            .map(|&d| d as usize)
            .chain(free.iter().copied())
            .chain(contracting.iter().map(|&d| d as usize))
            .collect();
        let extents: Vec<usize> = order.iter().map(|&d| dims[d]).collect();
        let moved = View {
            root: view.root,
            offset: view.offset,
            strides: order.iter().map(|&d| view.strides[d]).collect(),
        };
        let copy = self.buffer(value, UNPLACED)?;
        let strides = dense_strides(&extents);
        self.copy_view(&moved, &extents, copy, 0, &strides)?;
        // The copy has no value of its own: its memory stands for the operand's in this call only.
        let mut placed = view.clone();
        placed.offset = 0;
        for (i, &d) in order.iter().enumerate() {
            placed.strides[d] = strides[i];
        }
        let operand = roles(&placed, &dims, batch, &free, contracting)
            .ok_or_else(|| Error::internal("a dense operand is not evenly spaced"))?;
        Ok(Operand { copy: Some(copy), ..operand })
    }

    fn convolution(
        &mut self,
        inst: InstId,
        conv: &Convolution,
        epilogue: Option<Epilogue>,
    ) -> Result<()> {
        let data = &self.func.insts[inst];
        let func = self.func;
        let dims = |v: ValueId| dims_of(func, v).unwrap_or_default();
        let (x, w, y) = (dims(data.operands[0]), dims(data.operands[1]), dims(data.results[0]));
        let groups = conv.feature_group_count as usize;
        let kind = if groups == x[3] && groups > 1 && w[2] == 1 {
            ConvKind::Depthwise
        } else {
            ConvKind::Grouped { groups }
        };
        let (mut x, mut padding) = (x, [conv.padding[0][0] as isize, conv.padding[1][0] as isize]);
        let mut read = data.operands[0];
        if let Some(padded) = self.facts.padded(self.func, read) {
            if let Some((_, Op::Pad { edge_padding_low, .. })) =
                def_of(self.func, read).map(|(inst, data)| (inst, &data.op))
            {
                padding[0] += edge_padding_low[1] as isize;
                padding[1] += edge_padding_low[2] as isize;
            }
            read = padded;
            x = dims(padded);
        }
        let input = self.dense(read)?;
        let filter = self.dense(data.operands[1])?;
        let out = self.target(data.results[0])?;
        let pair = |list: &[i64]| [list[0] as usize, list[1] as usize];
        self.steps.push(Step::Conv(Box::new(ConvCall {
            dtype: DType::F32,
            kind,
            input,
            filter,
            out,
            batch: x[0],
            input_size: [x[1], x[2]],
            input_features: x[3],
            window: [w[0], w[1]],
            output_size: [y[1], y[2]],
            output_features: y[3],
            strides: pair(&conv.window_strides),
            dilations: pair(&conv.rhs_dilation),
            padding,
            epilogue,
        })));
        Ok(())
    }
}

/// An operand by roles, if rows and terms are evenly spaced.
fn roles(
    view: &View,
    dims: &[usize],
    batch: &[i64],
    free: &[usize],
    contracting: &[i64],
) -> Option<Operand> {
    let pick = |d: usize| (dims[d], view.strides[d]);
    let batch = batch.iter().map(|&d| pick(d as usize)).collect();
    let free_rank = free.len();
    let free = as_one(&free.iter().map(|&d| pick(d)).collect::<Vec<_>>())?;
    let terms = as_one(&contracting.iter().map(|&d| pick(d as usize)).collect::<Vec<_>>())?;
    Some(Operand { copy: None, view: view.clone(), batch, free, free_rank, terms })
}
