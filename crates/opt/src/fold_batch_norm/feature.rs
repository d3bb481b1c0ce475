//! Constants that vary along the feature dimensions of a result alone.

use std::ops::Range;

use tfjit_base::{DType, Shape};
use tfjit_hlo::{Dims, Func, Op, TensorType, ValueId};

use crate::insert::literal;

/// Elements of a dense constant up to which it is looked through for what it varies along.
const DENSE_MAX: usize = 1 << 16;

/// The feature dimensions of a result: neighbours.
pub(super) struct Features {
    /// Extents of the result.
    extents: Dims,
    range: Range<usize>,
}

impl Features {
    pub(super) fn new(out: &TensorType, range: Range<usize>) -> Features {
        Features { extents: out.dims.iter().copied().collect(), range }
    }

    /// Extents of the feature dimensions.
    pub(super) fn shape(&self) -> Shape {
        self.extents[self.range.clone()].iter().map(|&n| n as usize).collect()
    }

    /// Number of features.
    pub(super) fn count(&self) -> usize {
        self.shape().elements()
    }

    /// The feature dimensions.
    pub(super) fn dims(&self) -> Dims {
        self.range.clone().map(|d| d as i64).collect()
    }

    /// How far apart in the row-major list of features neighbours along result dimension `d` are;
    /// 0 for dimensions that are no features.
    fn stride(&self, d: usize) -> usize {
        match self.range.contains(&d) {
            true => self.extents[d + 1..self.range.end].iter().map(|&n| n as usize).product(),
            false => 0,
        }
    }

    /// As [`Features::stride`] for each dimension of weights, of which `dims` are the feature
    /// dimensions in order.
    pub(super) fn strides_in(&self, weights: &Shape, dims: &Dims) -> Vec<usize> {
        let feature = |d: usize| dims.iter().position(|&w| w as usize == d);
        let stride = |d: usize| feature(d).map_or(0, |i| self.stride(self.range.start + i));
        (0..weights.rank()).map(stride).collect()
    }

    /// The numbers, one a feature, that a constant of the result's shape consists of, if they are
    /// the same everywhere else.
    pub(super) fn values(&self, func: &Func, value: ValueId) -> Option<Vec<f64>> {
        let (_, inst) = func.def(value)?;
        match &inst.op {
            Op::Constant(_) => {
                let dims: Dims = (0..self.extents.len() as i64).collect();
                self.spread(func, value, &dims)
            }
            Op::BroadcastInDim { broadcast_dimensions } => {
                self.spread(func, inst.operands[0], broadcast_dimensions)
            }
            _ => None,
        }
    }

    /// The numbers, one a feature, of a constant vector along result dimension `dim`.
    pub(super) fn along(&self, func: &Func, value: ValueId, dim: i64) -> Option<Vec<f64>> {
        self.spread(func, value, &Dims::from_slice(&[dim]))
    }

    /// The numbers of a constant whose dimension `i` is dimension `dims[i]` of the result (or is
    /// of extent 1 and repeated along it).
    fn spread(&self, func: &Func, value: ValueId, dims: &[i64]) -> Option<Vec<f64>> {
        let literal = literal(func, value)?;
        if literal.dtype() != DType::F32 || literal.ty().quant.is_some() {
            return None;
        }
        let n = self.count();
        if literal.stored().elements() == 1 {
            return Some(vec![*literal.stored().to_f64s().ok()?.first()?; n]);
        }
        let shape = literal.shape();
        if shape.elements() > DENSE_MAX.max(n) {
            return None;
        }
        let given = literal.stored().as_slice::<f32>().ok()?;
        let strides: Vec<usize> =
            (0..shape.rank()).map(|d| self.stride(dims[d] as usize)).collect();
        // Feature dimensions that the constant does not have repeat what is at 0.
        let mut seen: Vec<Option<f32>> = vec![None; n];
        let mut position = vec![0usize; shape.rank()];
        for &x in given.iter() {
            let at: usize = position.iter().zip(&strides).map(|(&p, &s)| p * s).sum();
            match seen[at] {
                Some(y) if y.to_bits() != x.to_bits() => return None,
                _ => seen[at] = Some(x),
            }
            for d in (0..position.len()).rev() {
                position[d] += 1;
                if position[d] < shape[d] {
                    break;
                }
                position[d] = 0;
            }
        }
        let has = |d: usize| (0..shape.rank()).any(|i| dims[i] as usize == d && shape[i] > 1);
        let value = |feature: usize| {
            let mut at = 0;
            for d in self.range.clone() {
                let stride = self.stride(d);
                let p = feature / stride % self.extents[d] as usize;
                at += if has(d) { p * stride } else { 0 };
            }
            seen[at].map(f64::from)
        };
        (0..n).map(value).collect()
    }
}
