//! Element types, tensor types and lists of extents as bytes.

use std::sync::Arc;

use smallvec::SmallVec;
use tfjit_base::{DType, Result, limits};
use tfjit_hlo::{Quant, TensorType};

use super::{Reader, Writer};

/// An element type by its position in [`DType::ALL`].
pub fn write_dtype(w: &mut Writer, dtype: DType) {
    let code = DType::ALL.iter().position(|&known| known == dtype);
    w.byte(code.unwrap_or(usize::from(u8::MAX)) as u8);
}

/// An element type that memory can hold: not [`DType::String`].
///
/// # Errors
/// DATA_LOSS for an unknown one.
pub fn read_dtype(r: &mut Reader<'_>) -> Result<DType> {
    let code = r.byte()?;
    let dtype = DType::ALL.get(usize::from(code)).copied().filter(|&d| d != DType::String);
    dtype.ok_or_else(|| r.wrong(format_args!("no element type {code}")))
}

/// A list of sizes with its length.
pub(super) fn write_sizes(w: &mut Writer, sizes: &[usize]) {
    w.size(sizes.len());
    sizes.iter().for_each(|&size| w.size(size));
}

/// # Errors
/// DATA_LOSS.
pub(super) fn read_sizes<const N: usize>(r: &mut Reader<'_>) -> Result<SmallVec<[usize; N]>>
where
    [usize; N]: smallvec::Array<Item = usize>,
{
    let count = rank(r)?;
    (0..count).map(|_| r.size()).collect()
}

/// A list of strides with its length.
pub(super) fn write_strides(w: &mut Writer, strides: &[isize]) {
    w.size(strides.len());
    strides.iter().for_each(|&stride| w.signed(stride as i64));
}

/// # Errors
/// DATA_LOSS.
pub(super) fn read_strides<const N: usize>(r: &mut Reader<'_>) -> Result<SmallVec<[isize; N]>>
where
    [isize; N]: smallvec::Array<Item = isize>,
{
    let count = rank(r)?;
    (0..count).map(|_| r.stride()).collect()
}

/// The number of dimensions of a space; one is added to those of a tensor by some calls.
fn rank(r: &mut Reader<'_>) -> Result<usize> {
    let count = r.count(1)?;
    match count <= 2 * limits::RANK_MAX {
        true => Ok(count),
        false => Err(r.wrong(format_args!("{count} dimensions"))),
    }
}

pub(super) fn write_type(w: &mut Writer, ty: &TensorType) {
    write_dtype(w, ty.dtype);
    w.size(ty.dims.len());
    ty.dims.iter().for_each(|&dim| w.signed(dim));
    w.size(ty.bounds.len());
    ty.bounds.iter().for_each(|&bound| w.signed(bound));
    let Some(quant) = &ty.quant else { return w.byte(0) };
    w.byte(1);
    write_dtype(w, quant.expressed);
    w.byte(quant.storage_range.is_some().into());
    if let Some((low, high)) = quant.storage_range {
        w.signed(low);
        w.signed(high);
    }
    // 0 is no axis.
    w.size(quant.axis.map_or(0, |axis| axis + 1));
    w.size(quant.scale_bits.len());
    quant.scale_bits.iter().for_each(|&bits| w.long(bits));
    w.size(quant.zero_points.len());
    quant.zero_points.iter().for_each(|&point| w.signed(point));
}

/// # Errors
/// DATA_LOSS for what is not the type of a value of known size.
pub(super) fn read_type(r: &mut Reader<'_>) -> Result<TensorType> {
    let dtype = read_dtype(r)?;
    let rank = rank(r)?;
    let mut ty = TensorType::new(dtype, &[]);
    ty.dims = (0..rank).map(|_| r.signed()).collect::<Result<_>>()?;
    let bounds = r.count(1)?;
    ty.bounds = (0..bounds).map(|_| r.signed()).collect::<Result<_>>()?;
    if r.flag()? {
        let expressed = read_dtype(r)?;
        let storage_range = if r.flag()? { Some((r.signed()?, r.signed()?)) } else { None };
        let axis = r.size()?.checked_sub(1);
        let scales = r.count(8)?;
        let scale_bits = (0..scales).map(|_| r.long()).collect::<Result<_>>()?;
        let points = r.count(1)?;
        let zero_points = (0..points).map(|_| r.signed()).collect::<Result<_>>()?;
        let quant = Quant { expressed, storage_range, axis, scale_bits, zero_points };
        ty.quant = Some(Arc::new(quant));
    }
    ty.shape().map_err(|e| r.wrong(e.message()))?;
    Ok(ty)
}
