//! Where operands come from: values in scope, or literals made for the purpose.

use tfjit_base::{DType, MiniFloat, Result, Shape, Tensor, bf16, f16};

use super::{Gen, SplitMix, elements};
use crate::{Literal, TensorType, Type, ValueId};

/// Values with more elements are not used as operands, so that programs stay small.
pub(super) const ELEMENTS_MAX: i64 = 512;

/// Element types with how often each is drawn.
const DTYPES: &[(u32, DType)] = &[
    (12, DType::F32),
    (8, DType::I32),
    (5, DType::Bool),
    (4, DType::F64),
    (4, DType::I64),
    (3, DType::BF16),
    (3, DType::F16),
    (2, DType::U8),
    (2, DType::U32),
    (2, DType::I8),
    (1, DType::I16),
    (1, DType::U16),
    (1, DType::U64),
    (2, DType::C64),
    (1, DType::C128),
];

/// Element types that few programs use.
const RARE: &[DType] = &[
    DType::I2,
    DType::U2,
    DType::I4,
    DType::U4,
    DType::F8E4M3FN,
    DType::F8E5M2,
    DType::F8E3M4,
    DType::F8E4M3B11FNUZ,
];

/// Real floating-point types that most operations take.
pub(super) const FLOATS: &[DType] = &[DType::F32, DType::F32, DType::F64, DType::BF16, DType::F16];

/// Real floating-point types of the library operations.
pub(super) const WIDE: &[DType] = &[DType::F32, DType::F64];

/// Real numbers of all kinds.
pub(super) const REALS: &[DType] =
    &[DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::BF16];

impl Gen {
    /// An element type.
    pub(super) fn random_dtype(&mut self) -> DType {
        if self.everything && self.rng.one_in(20) {
            return self.rng.pick(RARE);
        }
        self.rng.weighted(DTYPES)
    }

    /// Extents of up to `rank` dimensions.
    pub(super) fn random_dims(&mut self, rank: usize) -> Vec<i64> {
        let rank = self.rng.below(rank + 1);
        (0..rank).map(|_| if self.rng.one_in(40) { 0 } else { self.rng.between(1, 4) }).collect()
    }

    /// A tensor type.
    pub(super) fn random_type(&mut self) -> Type {
        let dims = self.random_dims(4);
        Type::tensor(self.random_dtype(), &dims)
    }

    /// The tensor type of a value of the pool.
    pub(super) fn ty(&self, value: ValueId) -> TensorType {
        self.b.ty(value).expect("the pool holds tensors").clone()
    }

    /// A value made lately.
    pub(super) fn recent(&mut self) -> ValueId {
        let n = self.pool.len();
        let back = self.rng.below(n.min(8));
        self.pool[n - 1 - back]
    }

    /// A value in scope that passes `fits`, if a few draws find one.
    pub(super) fn find(&mut self, fits: impl Fn(&TensorType) -> bool) -> Option<ValueId> {
        for _ in 0..12 {
            let n = self.pool.len();
            let value =
                if self.rng.one_in(2) { self.recent() } else { self.pool[self.rng.below(n)] };
            if fits(self.b.ty(value).expect("the pool holds tensors")) {
                return Some(value);
            }
        }
        None
    }

    /// A value of any type.
    pub(super) fn any(&mut self) -> ValueId {
        self.find(|_| true).expect("any value fits")
    }

    /// A value with an element type out of `dtypes` and at least `rank` dimensions.
    pub(super) fn of(&mut self, dtypes: &[DType], rank: usize) -> Result<ValueId> {
        if let Some(value) = self.find(|t| dtypes.contains(&t.dtype) && t.rank() >= rank) {
            return Ok(value);
        }
        let mut dims: Vec<i64> = (0..rank).map(|_| self.rng.between(1, 4)).collect();
        dims.extend(self.random_dims(2));
        let dtype = self.rng.pick(dtypes);
        self.fresh(dtype, &dims)
    }

    /// A value of any element type with at least one dimension.
    pub(super) fn ranked(&mut self) -> Result<ValueId> {
        match self.find(|t| t.rank() > 0) {
            Some(value) => Ok(value),
            None => self.fresh(DType::F32, &[3, 2]),
        }
    }

    /// A value of exactly this type.
    pub(super) fn with(&mut self, dtype: DType, dims: &[i64]) -> Result<ValueId> {
        if let Some(value) = self.find(|t| t.dtype == dtype && t.dims[..] == *dims) {
            return Ok(value);
        }
        if let Some(value) = self.find(|t| t.dims[..] == *dims && !t.dtype.is_complex())
            && !dtype.is_complex()
            && !self.rng.one_in(3)
        {
            return self.b.convert(value, dtype);
        }
        self.fresh(dtype, dims)
    }

    /// A value of the type of `value`.
    pub(super) fn like(&mut self, value: ValueId) -> Result<ValueId> {
        let ty = self.ty(value);
        self.with(ty.dtype, &ty.dims)
    }

    /// A literal.
    pub(super) fn fresh(&mut self, dtype: DType, dims: &[i64]) -> Result<ValueId> {
        let literal = self.literal(dtype, dims)?;
        self.b.literal(literal)
    }

    fn literal(&mut self, dtype: DType, dims: &[i64]) -> Result<Literal> {
        let shape = Shape::from_i64(dims)?;
        let n = elements(&TensorType::new(dtype, dims));
        if n > ELEMENTS_MAX || self.rng.one_in(3) {
            let bytes = element(dtype, &mut self.rng);
            return Literal::splat(Tensor::from_raw(dtype, Shape::scalar(), &bytes)?, &shape);
        }
        let bytes: Vec<u8> = (0..n).flat_map(|_| element(dtype, &mut self.rng)).collect();
        Ok(Literal::dense(Tensor::from_raw(dtype, shape, &bytes)?))
    }

    /// A scalar integer from `low..=high`.
    pub(super) fn index(&mut self, dtype: DType, low: i64, high: i64) -> Result<ValueId> {
        let value = self.rng.between(low, high);
        self.b.constant(integers(dtype, &[], &[value])?)
    }

    /// Integers from `low..=high`.
    pub(super) fn indices(
        &mut self,
        dtype: DType,
        dims: &[i64],
        low: i64,
        high: i64,
    ) -> Result<ValueId> {
        let n = elements(&TensorType::new(dtype, dims));
        let values: Vec<i64> = (0..n).map(|_| self.rng.between(low, high)).collect();
        self.b.constant(integers(dtype, dims, &values)?)
    }
}

/// A tensor of integers of `I32` or `I64`.
pub(super) fn integers(dtype: DType, dims: &[i64], values: &[i64]) -> Result<Tensor> {
    let bytes: Vec<u8> =
        values.iter().flat_map(|v| v.to_le_bytes().into_iter().take(dtype.size())).collect();
    Tensor::from_raw(dtype, Shape::from_i64(dims)?, &bytes)
}

/// The bytes of an element: small numbers mostly, sometimes the ends of the range.
fn element(dtype: DType, rng: &mut SplitMix) -> Vec<u8> {
    let number = real(rng);
    match dtype {
        DType::Bool => vec![u8::from(rng.one_in(2))],
        DType::BF16 => bf16::from_f64(number).to_le_bytes().to_vec(),
        DType::F16 => f16::from_f64(number).to_le_bytes().to_vec(),
        DType::F32 => (number as f32).to_le_bytes().to_vec(),
        DType::F64 => number.to_le_bytes().to_vec(),
        DType::C64 | DType::C128 => {
            let mut bytes = element(dtype.real(), rng);
            bytes.extend(element(dtype.real(), rng));
            bytes
        }
        _ => match MiniFloat::of(dtype) {
            Some(mini) => vec![mini.encode(number as f32)],
            None => integer(dtype, rng).to_le_bytes()[..dtype.size()].to_vec(),
        },
    }
}

fn real(rng: &mut SplitMix) -> f64 {
    const SPECIAL: &[f64] =
        &[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, 65504.0, -3e38];
    match rng.below(24) {
        0 => rng.pick(SPECIAL),
        1..8 => rng.between(-4, 4) as f64,
        _ => rng.between(-4096, 4096) as f64 / 1000.0,
    }
}

fn integer(dtype: DType, rng: &mut SplitMix) -> i64 {
    let bits = dtype.bits() as u32;
    let (low, high) = match dtype.is_signed_int() {
        true => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        false => (0, (u64::MAX >> (64 - bits)) as i64),
    };
    match rng.below(16) {
        0 => low,
        1 => high,
        _ if dtype.is_signed_int() => rng.between(-5, 9).clamp(low, high),
        // The largest `U64` is -1 here, so that the upper end is not clamped for it.
        _ => {
            if high < 0 {
                rng.between(0, 9)
            } else {
                rng.between(0, 9).min(high)
            }
        }
    }
}
