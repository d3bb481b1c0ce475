//! One extent as shape rules see it: exact, or unknown with or without an upper bound.

use smallvec::SmallVec;
use tfjit_base::DType;

use crate::{DYNAMIC, TensorType};

/// The extent of one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    size: Option<i64>,
    bound: Option<i64>,
}

/// The extents of a tensor.
pub(crate) type Extents = SmallVec<[Extent; 6]>;

impl Extent {
    /// An extent of which nothing is known.
    pub(crate) const UNKNOWN: Extent = Extent { size: None, bound: None };

    /// An exact extent.
    pub(crate) fn exact(size: i64) -> Extent {
        Extent { size: Some(size), bound: None }
    }

    /// An unknown extent of at most `bound`.
    pub(crate) fn bounded(bound: Option<i64>) -> Extent {
        Extent { size: None, bound }
    }

    /// The extents of a type.
    pub(crate) fn all(ty: &TensorType) -> Extents {
        (0..ty.rank()).map(|i| Extent::of(ty, i)).collect()
    }

    /// The extent of dimension `i` of a type.
    pub(crate) fn of(ty: &TensorType, i: usize) -> Extent {
        let known = |v: i64| (v != DYNAMIC).then_some(v);
        match known(ty.dims[i]) {
            Some(size) => Extent::exact(size),
            None => Extent { size: None, bound: ty.bounds.get(i).copied().and_then(known) },
        }
    }

    /// The exact extent, if it is known.
    pub(crate) fn size(self) -> Option<i64> {
        self.size
    }

    /// The largest value it can have, if there is one.
    pub(crate) fn most(self) -> Option<i64> {
        self.size.or(self.bound)
    }

    /// Whether the extent may be `value`.
    pub(crate) fn may_be(self, value: i64) -> bool {
        match (self.size, self.bound) {
            (Some(size), _) => size == value,
            (None, bound) => bound.is_none_or(|bound| value <= bound),
        }
    }

    /// What two descriptions of one extent say together; `None` when they contradict.
    pub(crate) fn meet(self, other: Extent) -> Option<Extent> {
        match (self.size, other.size) {
            (Some(size), _) => other.may_be(size).then_some(self),
            (None, Some(size)) => self.may_be(size).then_some(other),
            (None, None) => {
                let bound = match (self.bound, other.bound) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                Some(Extent::bounded(bound))
            }
        }
    }

    /// What holds for either of two extents, as at the end of two branches; `None` when both are
    /// known and differ, which no dynamic extent excuses.
    pub(crate) fn join(self, other: Extent) -> Option<Extent> {
        match (self.size, other.size) {
            (Some(a), Some(b)) => (a == b).then_some(self),
            _ => Some(Extent::bounded(self.most().zip(other.most()).map(|(a, b)| a.max(b)))),
        }
    }

    /// `f` of the extent, where `f` never decreases; also of its bound.
    pub(crate) fn map<E>(self, f: impl Fn(i64) -> Result<i64, E>) -> Result<Extent, E> {
        let size = self.size.map(&f).transpose()?;
        Ok(Extent { size, bound: self.bound.map(&f).transpose()? })
    }
}

/// A type with these extents and no quantisation.
pub(crate) fn tensor(dtype: DType, extents: &[Extent]) -> TensorType {
    let mut ty = TensorType::new(dtype, &[]);
    ty.dims = extents.iter().map(|e| e.size.unwrap_or(DYNAMIC)).collect();
    if extents.iter().any(|e| e.bound.is_some()) {
        ty.bounds = extents.iter().map(|e| e.bound.unwrap_or(DYNAMIC)).collect();
    }
    ty
}

/// Prints the number, `?`, or `<=bound`.
impl std::fmt::Display for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.size, self.bound) {
            (Some(size), _) => write!(f, "{size}"),
            (None, Some(bound)) => write!(f, "<={bound}"),
            (None, None) => f.write_str("?"),
        }
    }
}
