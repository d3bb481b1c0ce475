//! Dimension numbers and per-dimension vectors, moved from one layout of images to another.

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Direction, ValueId};

use crate::OpCtx;
use crate::ops::index::gather_axis;
use crate::row::{OpRow, row};

pub(super) const ROWS: &[OpRow] = &[
    row("DataFormatDimMap", "each dimension number in the other layout", |c| {
        let x = c.input(0)?;
        let (source, target) = formats(c)?;
        let map = places(&source, &target)?;
        let extent = map.len() as f64;
        // Numbers count from the end when negative; TensorFlow does not look whether they fit.
        let extents = c.full_like(x, extent)?;
        let rest = c.binary(Binary::Remainder, x, extents)?;
        let zero = c.full_like(rest, 0.0)?;
        let negative = c.compare(Direction::Lt, rest, zero)?;
        let raised = c.binary(Binary::Add, rest, extents)?;
        let at = c.select(negative, raised, rest)?;
        let dtype = c.dtype(x)?;
        let map: Vec<i64> = map.iter().map(|&p| p as i64).collect();
        let table = c.int_vector(dtype, &map)?;
        let y = gather_axis(c, table, at, 0, 0)?;
        c.set(0, y);
        Ok(())
    }),
    row("DataFormatVecPermute", "a row a dimension, in the other layout's order", permute),
];

fn formats(c: &OpCtx<'_, '_>) -> Result<(Vec<char>, Vec<char>)> {
    let letters = |name: &str| -> Result<Vec<char>> {
        Ok(c.node().attr_str(name)?.chars().collect::<Vec<char>>())
    };
    let (source, target) = (letters("src_format")?, letters("dst_format")?);
    if !matches!(source.len(), 4 | 5) || source.len() != target.len() {
        return Err(Error::invalid_argument(format!(
            "Source and destination format must be of length 4 or 5, not {} and {}",
            source.len(),
            target.len()
        )));
    }
    Ok((source, target))
}

/// Where each letter of `from` is in `to`.
fn places(from: &[char], to: &[char]) -> Result<Vec<usize>> {
    from.iter()
        .map(|letter| {
            to.iter().position(|other| other == letter).ok_or_else(|| {
                Error::invalid_argument(format!("dimension {letter} is not in both formats"))
            })
        })
        .collect()
}

/// A vector (or rows of a matrix with two columns) with an entry for each dimension, or for each
/// spatial one.
fn permute(c: &mut OpCtx<'_, '_>) -> Result<()> {
    let x = c.input(0)?;
    let (mut source, mut target) = formats(c)?;
    let shape = c.shape(x)?;
    let rank = source.len();
    let fits = match shape.dims() {
        [n] | [n, 2] => *n == rank || *n == rank - 2,
        _ => false,
    };
    if !fits {
        return Err(Error::invalid_argument(format!(
            "input must be a vector of size {} or {rank}, or a matrix of two columns with as many \
             rows, but got shape {shape}",
            rank - 2
        )));
    }
    if shape[0] == rank - 2 {
        for letters in [&mut source, &mut target] {
            letters.retain(|letter| !matches!(letter, 'N' | 'C'));
        }
        if source.len() != rank - 2 || target.len() != rank - 2 {
            return Err(Error::invalid_argument("formats must have the dimensions N and C"));
        }
    }
    let y = rows(c, x, &places(&target, &source)?)?;
    c.set(0, y);
    Ok(())
}

fn rows(c: &mut OpCtx<'_, '_>, x: ValueId, order: &[usize]) -> Result<ValueId> {
    let at: Vec<i32> = order.iter().map(|&p| p as i32).collect();
    let at = c.constant(Tensor::from_slice(Shape::new(&[at.len()]), &at)?)?;
    gather_axis(c, x, at, 0, 0)
}
