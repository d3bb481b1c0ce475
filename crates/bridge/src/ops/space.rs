//! Blocks of space moved into the batch or the channels, and back.

use tfjit_base::{Error, Result, Shape};
use tfjit_hlo::ValueId;

use crate::OpCtx;
use crate::row::{OpRow, row, row_const};

pub(super) const ROWS: &[OpRow] = &[
    row_const("SpaceToBatchND", &["block_shape", "paddings"], "blocks into the batch", |c| {
        let (block, pads) = (c.const_ints(1)?, c.const_ints(2)?);
        space_to_batch(c, &block, &pads)
    }),
    row_const("SpaceToBatch", &["paddings"], "blocks into the batch", |c| {
        let (block, pads) = (c.node().attr_int("block_size")?, c.const_ints(1)?);
        space_to_batch(c, &[block, block], &pads)
    }),
    row_const("BatchToSpaceND", &["block_shape", "crops"], "blocks out of the batch", |c| {
        let (block, crops) = (c.const_ints(1)?, c.const_ints(2)?);
        batch_to_space(c, &block, &crops)
    }),
    row_const("BatchToSpace", &["crops"], "blocks out of the batch", |c| {
        let (block, crops) = (c.node().attr_int("block_size")?, c.const_ints(1)?);
        batch_to_space(c, &[block, block], &crops)
    }),
    row("SpaceToDepth", "blocks into the channels", |c| depth(c, true)),
    row("DepthToSpace", "blocks out of the channels", |c| depth(c, false)),
];

/// Block extents as sizes, after checking them against the tensor and the paddings.
fn blocks(shape: &Shape, block: &[i64], pairs: &[i64]) -> Result<Vec<usize>> {
    if shape.rank() < block.len() + 1 || pairs.len() != 2 * block.len() {
        return Err(Error::invalid_argument(format!(
            "block_shape of {} entries and {} paddings do not fit the shape {shape}",
            block.len(),
            pairs.len()
        )));
    }
    if pairs.iter().any(|&p| p < 0) {
        return Err(Error::invalid_argument("paddings must be non-negative"));
    }
    block
        .iter()
        .map(|&b| {
            usize::try_from(b).ok().filter(|&b| b >= 1).ok_or_else(|| {
                Error::invalid_argument(format!("block_shape must be positive, it has {b}"))
            })
        })
        .collect()
}

fn space_to_batch(c: &mut OpCtx<'_, '_>, block: &[i64], pads: &[i64]) -> Result<()> {
    let x = c.input(0)?;
    let shape = c.shape(x)?;
    let block = blocks(&shape, block, pads)?;
    let (m, rank) = (block.len(), shape.rank());
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    for i in 0..m {
        (low[i + 1], high[i + 1]) = (pads[2 * i], pads[2 * i + 1]);
    }
    let dtype = c.dtype(x)?;
    let zero = c.scalar(dtype, 0.0)?;
    let x = c.pad(x, zero, &low, &high, &vec![0; rank])?;
    let padded = c.shape(x)?;
    // [batch, (space / block, block)…, rest] -> [block…, batch, space / block…, rest].
    let mut split = vec![padded[0]];
    for i in 0..m {
        if !padded[i + 1].is_multiple_of(block[i]) {
            return Err(Error::invalid_argument(format!(
                "padded_shape[{i}]={} is not divisible by block_shape[{i}]={}",
                padded[i + 1],
                block[i]
            )));
        }
        split.extend([padded[i + 1] / block[i], block[i]]);
    }
    split.extend(&padded[m + 1..]);
    let wide = c.reshape(x, &split.clone().into())?;
    let mut perm: Vec<i64> = (0..m as i64).map(|i| 2 * i + 2).collect();
    perm.push(0);
    perm.extend((0..m as i64).map(|i| 2 * i + 1));
    perm.extend(2 * m as i64 + 1..split.len() as i64);
    let moved = c.transpose(wide, &perm)?;
    let batch = block.iter().product::<usize>() * padded[0];
    let result: Shape = [batch]
        .into_iter()
        .chain((0..m).map(|i| padded[i + 1] / block[i]))
        .chain(padded[m + 1..].iter().copied())
        .collect();
    let y = c.reshape(moved, &result)?;
    c.set(0, y);
    Ok(())
}

fn batch_to_space(c: &mut OpCtx<'_, '_>, block: &[i64], crops: &[i64]) -> Result<()> {
    let x = c.input(0)?;
    let shape = c.shape(x)?;
    let block = blocks(&shape, block, crops)?;
    let m = block.len();
    let total: usize = block.iter().fold(1usize, |n, &b| n.saturating_mul(b));
    if !shape[0].is_multiple_of(total) {
        return Err(Error::invalid_argument(format!(
            "Input batch dimension ({}) is not divisible by product of block sizes ({total})",
            shape[0]
        )));
    }
    let batch = shape[0] / total;
    // [block…, batch, space…, rest] -> [batch, (space, block)…, rest].
    let split: Vec<usize> =
        block.iter().copied().chain([batch]).chain(shape[1..].iter().copied()).collect();
    let wide = c.reshape(x, &split.clone().into())?;
    let mut perm = vec![m as i64];
    for i in 0..m as i64 {
        perm.extend([m as i64 + 1 + i, i]);
    }
    perm.extend(2 * m as i64 + 1..split.len() as i64);
    let moved = c.transpose(wide, &perm)?;
    let mut joined = vec![batch];
    joined.extend((0..m).map(|i| shape[i + 1] * block[i]));
    joined.extend(&shape[m + 1..]);
    let y = c.reshape(moved, &joined.clone().into())?;
    let mut limit: Vec<i64> = joined.iter().map(|&d| d as i64).collect();
    let mut start = vec![0; joined.len()];
    for i in 0..m {
        start[i + 1] = crops[2 * i];
        limit[i + 1] -= crops[2 * i + 1];
        if limit[i + 1] < start[i + 1] {
            return Err(Error::invalid_argument(format!(
                "crops {crops:?} are larger than the space"
            )));
        }
    }
    let y = crop(c, y, &start, &limit)?;
    c.set(0, y);
    Ok(())
}

fn crop(c: &mut OpCtx<'_, '_>, x: ValueId, start: &[i64], limit: &[i64]) -> Result<ValueId> {
    if start.iter().all(|&s| s == 0) && c.shape(x)?.to_i64() == limit {
        return Ok(x);
    }
    c.slice(x, start, limit, &vec![1; start.len()])
}

/// `SpaceToDepth` (`into`) and its inverse, in either layout.
fn depth(c: &mut OpCtx<'_, '_>, into: bool) -> Result<()> {
    let x = c.input(0)?;
    let b = c.node().attr_int("block_size")?;
    let b = usize::try_from(b).ok().filter(|&b| b >= 2).ok_or_else(|| {
        Error::invalid_argument(format!("Block size should be > 1, but was: {b}"))
    })?;
    let first = match c.node().attr_str("data_format")? {
        "NHWC" => false,
        "NCHW" => true,
        other => return Err(Error::unimplemented(format!("data_format {other}"))),
    };
    if c.shape(x)?.rank() != 4 {
        return Err(Error::invalid_argument("Input rank should be: 4"));
    }
    let x = if first { c.transpose(x, &[0, 2, 3, 1])? } else { x };
    let s = c.shape(x)?;
    let y = if into {
        if !s[1].is_multiple_of(b) || !s[2].is_multiple_of(b) {
            return Err(Error::invalid_argument(format!(
                "Image width {} and height {} should be divisible by block_size: {b}",
                s[2], s[1]
            )));
        }
        let split = Shape::new(&[s[0], s[1] / b, b, s[2] / b, b, s[3]]);
        let wide = c.reshape(x, &split)?;
        let moved = c.transpose(wide, &[0, 1, 3, 2, 4, 5])?;
        c.reshape(moved, &Shape::new(&[s[0], s[1] / b, s[2] / b, b * b * s[3]]))?
    } else {
        if !s[3].is_multiple_of(b * b) {
            return Err(Error::invalid_argument(format!(
                "Input depth dimension {} should be divisible by: {}",
                s[3],
                b * b
            )));
        }
        let d = s[3] / (b * b);
        let split = Shape::new(&[s[0], s[1], s[2], b, b, d]);
        let wide = c.reshape(x, &split)?;
        let moved = c.transpose(wide, &[0, 1, 3, 2, 4, 5])?;
        c.reshape(moved, &Shape::new(&[s[0], s[1] * b, s[2] * b, d]))?
    };
    let y = if first { c.transpose(y, &[0, 3, 1, 2])? } else { y };
    c.set(0, y);
    Ok(())
}
