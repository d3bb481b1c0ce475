//! A moved value and its twin, and how operations on the one are done on the other.

use tfjit_base::limits;
use tfjit_hlo::{Dims, Func, Inst, Op, TensorType, ValueId, Window};

use super::groups::groups;
use crate::insert::{in_order, literal};

/// How a value is made of its twin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Twin {
    /// Dimension `i` of the value is dimension `permutation[i]` of the twin.
    Transpose(Dims),
    /// The twin has these extents, and the same elements.
    Reshape(Dims),
}

impl Twin {
    /// The type of the twin of a value of type `ty`.
    pub(super) fn ty(&self, ty: &TensorType) -> TensorType {
        match self {
            Twin::Transpose(permutation) => ty.with_dims(&permuted(permutation, &ty.dims)),
            Twin::Reshape(dims) => ty.with_dims(dims),
        }
    }

    /// Whether values of extents `dims` are their twins.
    pub(super) fn is_nothing(&self, dims: &[i64]) -> bool {
        match self {
            Twin::Transpose(permutation) => in_order(permutation),
            Twin::Reshape(twin) => twin[..] == *dims,
        }
    }

    /// The operation that makes the value of its twin.
    pub(super) fn op(&self) -> Op {
        match self {
            Twin::Transpose(permutation) => Op::Transpose { permutation: permutation.clone() },
            Twin::Reshape(_) => Op::Reshape,
        }
    }

    /// How the result of the move `op` of a value is made of the value's twin.
    pub(super) fn then(&self, op: &Op) -> Option<Twin> {
        match (self, op) {
            (Twin::Transpose(first), Op::Transpose { permutation }) => {
                Some(Twin::Transpose(permutation.iter().map(|&d| first[d as usize]).collect()))
            }
            (Twin::Reshape(dims), Op::Reshape) => Some(Twin::Reshape(dims.clone())),
            _ => None,
        }
    }
}

/// What is at `i` goes to `permutation[i]`.
fn permuted(permutation: &[i64], list: &[i64]) -> Dims {
    let mut out = Dims::from_elem(0, list.len());
    for (&to, &x) in permutation.iter().zip(list) {
        out[to as usize] = x;
    }
    out
}

/// An operation done on twins of its operands: what it is then, and how its result is made of the
/// result on twins.
pub(super) struct Carried {
    pub(super) op: Op,
    pub(super) twin: Twin,
}

/// How many first operands of an operation must be moved; the others are scalars. Elementwise
/// operations, which any operand may do for, are not asked.
pub(super) fn moved_operands(inst: &Inst) -> usize {
    match inst.op {
        Op::Concatenate { .. } => inst.operands.len(),
        _ => 1,
    }
}

/// An operation that is not elementwise, on twins of operands of type `ty`.
pub(super) fn carried(inst: &Inst, twin: &Twin, ty: &TensorType) -> Option<Carried> {
    match twin {
        Twin::Transpose(permutation) => transposed(inst, permutation),
        Twin::Reshape(dims) => match &inst.op {
            Op::Reduce { dimensions } if inst.operands.len() == 2 => {
                reshaped_reduction(dimensions, dims, &ty.dims)
            }
            _ => None,
        },
    }
}

fn transposed(inst: &Inst, p: &Dims) -> Option<Carried> {
    let same = |op: Op| Some(Carried { op, twin: Twin::Transpose(p.clone()) });
    match &inst.op {
        Op::Concatenate { dimension } => {
            same(Op::Concatenate { dimension: p[*dimension as usize] })
        }
        Op::Slice { start_indices, limit_indices, strides } => same(Op::Slice {
            start_indices: permuted(p, start_indices),
            limit_indices: permuted(p, limit_indices),
            strides: permuted(p, strides),
        }),
        Op::Pad { edge_padding_low, edge_padding_high, interior_padding } => same(Op::Pad {
            edge_padding_low: permuted(p, edge_padding_low),
            edge_padding_high: permuted(p, edge_padding_high),
            interior_padding: permuted(p, interior_padding),
        }),
        Op::Reverse { dimensions } => {
            let mut dimensions: Dims = dimensions.iter().map(|&d| p[d as usize]).collect();
            dimensions.sort_unstable();
            same(Op::Reverse { dimensions })
        }
        Op::ReduceWindow(window) if inst.operands.len() == 2 => {
            same(Op::ReduceWindow(Box::new(transposed_window(window, p)?)))
        }
        Op::Reduce { dimensions } if inst.operands.len() == 2 => {
            transposed_reduction(dimensions, p)
        }
        _ => None,
    }
}

/// A window over a transposed operand; `None` if it would visit elements in another order.
fn transposed_window(window: &Window, p: &Dims) -> Option<Window> {
    let wide = (0..p.len()).filter(|&d| window.window_dimensions[d] != 1);
    if !wide.map(|d| p[d]).is_sorted() {
        return None;
    }
    let mut padding = window.padding.clone();
    for (&to, &pair) in p.iter().zip(&window.padding) {
        padding[to as usize] = pair;
    }
    Some(Window {
        window_dimensions: permuted(p, &window.window_dimensions),
        window_strides: permuted(p, &window.window_strides),
        base_dilations: permuted(p, &window.base_dilations),
        window_dilations: permuted(p, &window.window_dilations),
        padding,
    })
}

/// A reduction of a transposed operand; `None` if it would add elements in another order.
fn transposed_reduction(dimensions: &Dims, p: &Dims) -> Option<Carried> {
    let mut given = dimensions.clone();
    given.sort_unstable();
    let reduced: Dims = given.iter().map(|&d| p[d as usize]).collect();
    if !reduced.is_sorted() {
        return None;
    }
    let kept: Dims =
        (0..p.len() as i64).filter(|d| !given.contains(d)).map(|d| p[d as usize]).collect();
    let rank = |d: i64| kept.iter().filter(|&&other| other < d).count() as i64;
    let twin = Twin::Transpose(kept.iter().map(|&d| rank(d)).collect());
    Some(Carried { op: Op::Reduce { dimensions: reduced }, twin })
}

/// A reduction of a reshaped operand over whole groups of dimensions.
fn reshaped_reduction(dimensions: &Dims, twin: &Dims, dims: &[i64]) -> Option<Carried> {
    let (mut reduced, mut kept) = (Dims::new(), Dims::new());
    for (from, to) in groups(dims, twin)? {
        let gone = from.clone().filter(|&d| dimensions.contains(&(d as i64))).count();
        match gone {
            0 => kept.extend(to.map(|d| twin[d])),
            n if n == from.len() => reduced.extend(to.map(|d| d as i64)),
            _ => return None,
        }
    }
    Some(Carried { op: Op::Reduce { dimensions: reduced }, twin: Twin::Reshape(kept) })
}

/// How the twin of an operand that is not moved is made without moving anything.
pub(super) enum Free {
    /// It is a scalar beside tensors, and stays.
    Scalar,
    /// A constant that is moved while compiling.
    Constant,
    /// A broadcast of the same value, or of a constant reshaped to these extents.
    Broadcast { x: ValueId, reshaped: Option<Dims>, dims: Dims },
    /// An iota along this dimension.
    Iota(i64),
}

/// Whether and how the twin of `value`, an operand of an elementwise operation on values of
/// extents `dims`, can be made for nothing.
pub(super) fn free(
    func: &Func,
    value: ValueId,
    twin: &Twin,
    dims: &[i64],
    folds: bool,
) -> Option<Free> {
    let ty = func.tensor_ty(value).filter(|ty| ty.quant.is_none())?;
    if ty.rank() == 0 && !dims.is_empty() {
        return Some(Free::Scalar);
    }
    let (_, inst) = func.def(value)?;
    match (&inst.op, twin) {
        (Op::Constant(_), Twin::Reshape(_)) => Some(Free::Constant),
        (Op::Constant(literal), Twin::Transpose(_)) => {
            let small = literal.stored().elements() <= limits::FOLD_ELEMENTS_MAX;
            let one = literal.as_splat().is_some();
            (one || small && folds).then_some(Free::Constant)
        }
        (Op::Iota { dimension }, Twin::Transpose(p)) => Some(Free::Iota(p[*dimension as usize])),
        (Op::BroadcastInDim { broadcast_dimensions }, _) => {
            broadcast(func, inst.operands[0], broadcast_dimensions, twin, dims)
        }
        _ => None,
    }
}

/// A broadcast of `x`, in which it is repeated, in the form of the twin.
fn broadcast(func: &Func, x: ValueId, map: &Dims, twin: &Twin, dims: &[i64]) -> Option<Free> {
    let from = &func.tensor_ty(x)?.dims;
    let count = |dims: &[i64]| dims.iter().fold(1i64, |n, &d| n.saturating_mul(d));
    if count(from).saturating_mul(2) > count(dims) {
        return None;
    }
    match twin {
        Twin::Transpose(p) => {
            let dims: Dims = map.iter().map(|&d| p[d as usize]).collect();
            let wide = dims.iter().zip(from).filter(|&(_, &n)| n != 1).map(|(d, _)| d);
            wide.is_sorted().then(|| Free::Broadcast { x, reshaped: None, dims: dims.clone() })
        }
        Twin::Reshape(to) => {
            let (mut shape, mut at) = (Dims::new(), Dims::new());
            if !map.is_sorted() {
                return None;
            }
            for (rv, rw) in groups(dims, to)? {
                let here = |d: usize| map.iter().position(|&m| m as usize == d);
                let extent = |d: usize| here(d).map_or(1, |i| from[i]);
                if rv.clone().all(|d| extent(d) == 1) {
                    continue;
                }
                if rv.clone().any(|d| extent(d) != dims[d]) {
                    return None;
                }
                shape.extend(rw.clone().map(|d| to[d]));
                at.extend(rw.map(|d| d as i64));
            }
            let same = shape[..] == from[..];
            let reshaped = (!same).then_some(shape);
            let nothing = same || literal(func, x).is_some();
            nothing.then_some(Free::Broadcast { x, reshaped, dims: at })
        }
    }
}
