//! Matrix products.

use tfjit_base::{DType, Error, Result, Shape};
use tfjit_hlo::{Dims, DotGeneral, Unary, ValueId};

use crate::OpCtx;
use crate::ctx::broadcast_shapes;
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("MatMul", "product of two matrices", |c| {
        let (a, b) = (c.input(0)?, c.input(1)?);
        for v in [a, b] {
            let shape = c.shape(v)?;
            if shape.rank() != 2 {
                return Err(Error::invalid_argument(format!(
                    "In[0] and In[1] must be matrices, not of shape {shape}"
                )));
            }
        }
        let ta = c.node().attr_bool("transpose_a")?;
        let tb = c.node().attr_bool("transpose_b")?;
        let y = batch_matmul(c, a, b, [ta, tb], [false, false])?;
        c.set(0, y);
        Ok(())
    }),
    row("BatchMatMul", "products of matrices in equal batches", adjoint_matmul),
    row("BatchMatMulV2", "products of matrices in broadcast batches", adjoint_matmul),
    row("BatchMatMulV3", "products of matrices in broadcast batches, in a wider type", |c| {
        // Products are summed in the result's type, which may be wider than the operands'.
        let (a, b, dtype) = (c.input(0)?, c.input(1)?, c.output_dtype(0)?);
        let (a, b) = (c.convert(a, dtype)?, c.convert(b, dtype)?);
        let flags = [c.node().attr_bool("adj_x")?, c.node().attr_bool("adj_y")?];
        let y = batch_matmul(c, a, b, flags, flags)?;
        c.set(0, y);
        Ok(())
    }),
    row("Einsum", "sum of products by index equation", crate::ops::einsum::einsum),
    row("_FusedMatMul", "product of two matrices with fused bias and activation", fused_matmul),
];

fn adjoint_matmul(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (a, b) = (c.input(0)?, c.input(1)?);
    let flags = [c.node().attr_bool("adj_x")?, c.node().attr_bool("adj_y")?];
    let y = batch_matmul(c, a, b, flags, flags)?;
    c.set(0, y);
    Ok(())
}

/// The type products are accumulated in: halves in `f32`, as TensorFlow's kernels do.
pub(super) fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

/// Products of the last two dimensions, earlier ones broadcast; optionally of transposed and
/// conjugated operands.
pub(super) fn batch_matmul(
    c: &mut OpCtx<'_, '_>,
    a: ValueId,
    b: ValueId,
    transpose: [bool; 2],
    conjugate: [bool; 2],
) -> Result<ValueId> {
    let (sa, sb) = (c.shape(a)?, c.shape(b)?);
    if sa.rank() < 2 || sb.rank() < 2 {
        return Err(Error::invalid_argument(format!(
            "operands must have at least 2 dimensions: {sa} and {sb}"
        )));
    }
    let (ba, bb) = (Shape::new(&sa[..sa.rank() - 2]), Shape::new(&sb[..sb.rank() - 2]));
    let inner = |s: &Shape, last: bool| s[s.rank() - if last { 1 } else { 2 }];
    if inner(&sa, !transpose[0]) != inner(&sb, transpose[1]) {
        return Err(Error::invalid_argument(format!(
            "Matrix size-incompatible: In[0]: {sa}, In[1]: {sb}"
        )));
    }
    let batch = broadcast_shapes(&ba, &bb)?;
    let mut operands = [a, b];
    for (i, (v, own)) in [(a, &sa), (b, &sb)].into_iter().enumerate() {
        let full: Shape = batch.iter().chain(&own[own.rank() - 2..]).copied().collect();
        let mut v = c.broadcast_to(v, &full)?;
        if conjugate[i] && c.dtype(v)?.is_complex() {
            v = c.unary(Unary::Conj, v)?;
        }
        operands[i] = v;
    }
    let n = batch.rank() as i64;
    let batching: Dims = (0..n).collect();
    let dims = DotGeneral {
        lhs_batching_dimensions: batching.clone(),
        rhs_batching_dimensions: batching,
        lhs_contracting_dimensions: Dims::from_slice(&[n + i64::from(!transpose[0])]),
        rhs_contracting_dimensions: Dims::from_slice(&[n + i64::from(transpose[1])]),
        ..DotGeneral::default()
    };
    let dtype = c.dtype(a)?;
    let y = c.dot_general(operands[0], operands[1], dims, accumulator(dtype))?;
    c.convert(y, dtype)
}

fn fused_matmul(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let (a, b) = (c.input(0)?, c.input(1)?);
    let ta = c.node().attr_bool("transpose_a")?;
    let tb = c.node().attr_bool("transpose_b")?;
    let y = batch_matmul(c, a, b, [ta, tb], [false, false])?;
    let y = crate::ops::conv::epilogue(c, y, 2)?;
    c.set(0, y);
    Ok(())
}
