//! What a shape rule works with: the types at hand, and checks that phrase their own errors.

use std::fmt::Display;

use tfjit_base::{DType, DTypeClass, Error, Result};

use super::RegionSig;
use super::extent::{Extent, Extents, tensor};
use super::types::{Shown, check_type, describe, meet};
use crate::{OpRow, TensorType, Type};

/// One application of a shape rule.
pub(crate) struct Rule<'a> {
    /// The operation's name, for errors.
    pub(crate) name: &'static str,
    /// Types of the operands.
    pub(crate) operands: &'a [&'a Type],
    /// Signatures of the regions.
    pub(crate) regions: &'a [RegionSig],
    /// Types of the results as written, if they are.
    pub(crate) declared: Option<&'a [Type]>,
}

/// Returns an error of `$rule` unless `$holds`.
macro_rules! ensure {
    ($rule:expr, $holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err($rule.broken(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

impl<'a> Rule<'a> {
    /// The error that a rule is broken.
    pub(crate) fn broken(&self, message: impl Display) -> Error {
        Error::invalid_argument(format!("{}: {message}", self.name))
    }

    /// Checks the numbers of operands and regions.
    pub(crate) fn counts(&self, row: &OpRow) -> Result<()> {
        let (operands, regions) = (self.operands.len(), self.regions.len());
        ensure!(self, row.takes(operands), "{operands} operands are not a number it takes");
        let takes = (row.regions.0 as usize..=row.regions.1 as usize).contains(&regions);
        ensure!(self, takes, "{regions} regions are not a number it takes");
        let declared = self.declared.map(<[Type]>::len);
        if let (Some(declared), Some(results)) = (declared, row.results) {
            ensure!(
                self,
                declared == results as usize,
                "it has {results} results, not {declared} as declared"
            );
        }
        Ok(())
    }

    /// Checks that the types given are well formed.
    pub(crate) fn inputs(&self) -> Result<()> {
        for (i, ty) in self.operands.iter().enumerate() {
            check_type(ty).map_err(|e| e.context(format!("{}: operand {i}", self.name)))?;
        }
        for (i, ty) in self.declared.unwrap_or_default().iter().enumerate() {
            check_type(ty).map_err(|e| e.context(format!("{}: result {i}", self.name)))?;
        }
        Ok(())
    }

    /// Brings inferred types together with the declared ones.
    pub(crate) fn outcome(&self, types: Vec<Type>) -> Result<Vec<Type>> {
        let types = match self.declared {
            None => types,
            Some(declared) => {
                ensure!(
                    self,
                    declared.len() == types.len(),
                    "it has {} results, not {} as declared",
                    types.len(),
                    declared.len()
                );
                let both = types.iter().zip(declared).enumerate();
                both.map(|(i, (inferred, declared))| {
                    meet(inferred, declared).ok_or_else(|| {
                        let (inferred, declared) = (describe(inferred), describe(declared));
                        self.broken(format!("result {i} is {inferred}, not {declared} as declared"))
                    })
                })
                .collect::<Result<_>>()?
            }
        };
        for (i, ty) in types.iter().enumerate() {
            check_type(ty).map_err(|e| e.context(format!("{}: result {i}", self.name)))?;
        }
        Ok(types)
    }

    /// Operand `i`, which must be a tensor.
    pub(crate) fn tensor(&self, i: usize) -> Result<&'a TensorType> {
        let ty =
            self.operands.get(i).ok_or_else(|| self.broken(format!("operand {i} is missing")))?;
        ty.as_tensor()
            .ok_or_else(|| self.broken(format!("operand {i} is {}, not a tensor", describe(ty))))
    }

    /// Operands `from..to`, which must be tensors.
    pub(crate) fn tensors(&self, from: usize, to: usize) -> Result<Vec<&'a TensorType>> {
        (from..to).map(|i| self.tensor(i)).collect()
    }

    /// Operand `i`, which must be a tensor without dimensions.
    pub(crate) fn scalar(&self, i: usize) -> Result<&'a TensorType> {
        let ty = self.tensor(i)?;
        ensure!(self, ty.rank() == 0, "operand {i} is {}, not a scalar", Shown(ty));
        Ok(ty)
    }

    /// Operand `i`, which must be a tensor of integers with one dimension.
    pub(crate) fn index_vector(&self, i: usize) -> Result<Extent> {
        let ty = self.tensor(i)?;
        ensure!(
            self,
            ty.rank() == 1 && ty.dtype.is_int() && ty.quant.is_none(),
            "operand {i} is {}, not a vector of integers",
            Shown(ty)
        );
        Ok(Extent::of(ty, 0))
    }

    /// Operand `i`, which must be a vector of `len` integers.
    pub(crate) fn index_vector_of(&self, i: usize, len: usize) -> Result<()> {
        let extent = self.index_vector(i)?;
        ensure!(
            self,
            extent.may_be(len as i64),
            "operand {i} must hold {len} integers, not {extent}"
        );
        Ok(())
    }

    /// The declared type of result `i`; an error when none is declared.
    pub(crate) fn declared(&self, i: usize) -> Result<&'a TensorType> {
        let ty = self.declared.and_then(|types| types.get(i)).ok_or_else(|| {
            self.broken("the operands do not determine the result type; declare it")
        })?;
        ty.as_tensor()
            .ok_or_else(|| self.broken(format!("result {i} is {}, not a tensor", describe(ty))))
    }

    /// The declared tensor type of result `i`, if there is one.
    pub(crate) fn maybe_declared(&self, i: usize) -> Option<&'a TensorType> {
        self.declared.and_then(|types| types.get(i)).and_then(Type::as_tensor)
    }

    /// The type of result `i` with the element type of `like`: the quantisation is the declared
    /// one where it may differ, else that of `like`.
    pub(crate) fn like(&self, i: usize, like: &TensorType, extents: &[Extent]) -> Result<Type> {
        let mut ty = tensor(like.dtype, extents);
        let Some(quant) = &like.quant else { return Ok(Type::Tensor(ty)) };
        ty.quant = match self.maybe_declared(i).and_then(|t| t.quant.as_ref()) {
            Some(declared) if declared.expressed == quant.expressed => Some(declared.clone()),
            _ if quant.axis.is_none() || extents == &Extent::all(like)[..] => Some(quant.clone()),
            _ => return Err(self.broken("a result quantised along a dimension must be declared")),
        };
        Ok(Type::Tensor(ty))
    }

    /// Checks that two types have one element type, quantised types one expressed type.
    pub(crate) fn same_element(&self, a: &TensorType, b: &TensorType, what: &str) -> Result<()> {
        let expressed = |t: &TensorType| t.quant.as_ref().map(|q| q.expressed);
        ensure!(
            self,
            a.dtype == b.dtype && expressed(a) == expressed(b),
            "{what} must have one element type, not those of {} and {}",
            Shown(a),
            Shown(b)
        );
        Ok(())
    }

    /// The extents of two tensors that must have one shape.
    pub(crate) fn same_shape(&self, a: &TensorType, b: &TensorType, what: &str) -> Result<Extents> {
        let different = || {
            let (a, b) = (Shown(a), Shown(b));
            self.broken(format!("{what} must have one shape, not those of {a} and {b}"))
        };
        if a.rank() != b.rank() {
            return Err(different());
        }
        let pairs = Extent::all(a).into_iter().zip(Extent::all(b));
        pairs.map(|(a, b)| a.meet(b).ok_or_else(different)).collect()
    }

    /// Checks that the element type of `ty` is of one of `classes`; a quantised one counts as what
    /// it expresses.
    pub(crate) fn class(&self, ty: &TensorType, classes: &[DTypeClass], what: &str) -> Result<()> {
        let dtype = ty.quant.as_ref().map_or(ty.dtype, |q| q.expressed);
        ensure!(
            self,
            classes.contains(&dtype.class()),
            "{what} is {}, an element type it does not take",
            Shown(ty)
        );
        Ok(())
    }

    /// Checks that `ty` is not quantised.
    pub(crate) fn plain(&self, ty: &TensorType, what: &str) -> Result<()> {
        ensure!(self, ty.quant.is_none(), "{what} is {}, it takes no such type", Shown(ty));
        Ok(())
    }

    /// Checks that `given` has `want` entries.
    pub(crate) fn length<T>(&self, what: &str, given: &[T], want: usize) -> Result<()> {
        let n = given.len();
        ensure!(self, n == want, "{what} has {n} entries, not {want}");
        Ok(())
    }

    /// Checks that `0 <= dim < rank`.
    pub(crate) fn dimension(&self, what: &str, dim: i64, rank: usize) -> Result<usize> {
        match usize::try_from(dim) {
            Ok(d) if d < rank => Ok(d),
            _ => Err(self.broken(format!("{what} {dim} is not a dimension of rank {rank}"))),
        }
    }

    /// Checks that all of `dims` are dimensions and none appears twice.
    pub(crate) fn dimensions(&self, what: &str, dims: &[i64], rank: usize) -> Result<Vec<usize>> {
        let mut seen = vec![false; rank];
        let mut out = Vec::with_capacity(dims.len().min(rank));
        for &dim in dims {
            let d = self.dimension(what, dim, rank)?;
            ensure!(self, !seen[d], "{what} has dimension {d} twice");
            seen[d] = true;
            out.push(d);
        }
        Ok(out)
    }

    /// As [`Rule::dimensions`], and they must ascend.
    pub(crate) fn ascending(&self, what: &str, dims: &[i64], rank: usize) -> Result<Vec<usize>> {
        let dims = self.dimensions(what, dims, rank)?;
        ensure!(self, dims.is_sorted(), "{what} must ascend, not be {dims:?}");
        Ok(dims)
    }

    /// Checks that every entry is at least `least`.
    pub(crate) fn at_least(&self, what: &str, values: &[i64], least: i64) -> Result<()> {
        match values.iter().find(|&&v| v < least) {
            Some(v) => Err(self.broken(format!("{what} has {v}, the least is {least}"))),
            None => Ok(()),
        }
    }

    /// `value` as an extent: not negative, not above `i64`.
    pub(crate) fn extent(&self, what: &str, value: i128) -> Result<i64> {
        match i64::try_from(value) {
            Ok(v) if v >= 0 => Ok(v),
            _ => Err(self.broken(format!("{what} would be {value}"))),
        }
    }

    /// The scalar types a region returns, after checking that it takes scalars of `params`.
    pub(crate) fn scalar_region(&self, index: usize, params: &[DType]) -> Result<Vec<DType>> {
        let region = &self.regions[index];
        let scalars = |types: &[Type], what: &str| {
            let each = |ty: &Type| match ty.as_tensor() {
                Some(t) if t.rank() == 0 => Ok(t.dtype),
                _ => Err(self.broken(format!("a {what} of region {index} is no scalar"))),
            };
            types.iter().map(each).collect::<Result<Vec<DType>>>()
        };
        let given = scalars(&region.params, "parameter")?;
        ensure!(
            self,
            given == params,
            "region {index} takes {}, not {}",
            Listed(&given),
            Listed(params)
        );
        scalars(&region.results, "result")
    }
}

/// Prints `(f32, i32)`, shortened when long.
pub(crate) struct Listed<'a>(pub(crate) &'a [DType]);

impl Display for Listed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(")?;
        for (i, dtype) in self.0.iter().take(16).enumerate() {
            write!(f, "{}{dtype}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str(if self.0.len() > 16 { ", …)" } else { ")" })
    }
}
