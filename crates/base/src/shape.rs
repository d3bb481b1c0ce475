//! Shapes: exact ones of tensors, and partly known ones of specifications.

use std::fmt;
use std::ops::Deref;

use smallvec::SmallVec;

use crate::{Error, Result, limits};

/// The extents of a tensor, in row-major (C) order.
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Shape(SmallVec<[usize; 6]>);

impl Shape {
    /// The shape with these extents.
    pub fn new(dims: &[usize]) -> Shape {
        Shape(SmallVec::from_slice(dims))
    }

    /// The shape of a scalar: rank 0, one element.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// A shape from extents that a file or a user gave.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a negative extent or too many dimensions, RESOURCE_EXHAUSTED when the
    /// number of elements passes [`limits::ELEMENTS_MAX`].
    pub fn from_i64(dims: &[i64]) -> Result<Shape> {
        if dims.len() > limits::RANK_MAX {
            return Err(Error::invalid_argument(format!(
                "rank {} is above the limit of {}",
                dims.len(),
                limits::RANK_MAX
            )));
        }
        let mut shape = Shape::default();
        for &d in dims {
            let d = usize::try_from(d).map_err(|_| {
                Error::invalid_argument(format!("shape {dims:?} has the negative extent {d}"))
            })?;
            shape.0.push(d);
        }
        shape.checked_elements()?;
        Ok(shape)
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The extents.
    pub fn dims(&self) -> &[usize] {
        &self.0
    }

    /// The extents as `i64`.
    pub fn to_i64(&self) -> Vec<i64> {
        self.0.iter().map(|&d| d as i64).collect()
    }

    /// Number of elements, saturating at `usize::MAX`.
    pub fn elements(&self) -> usize {
        if self.0.contains(&0) {
            return 0;
        }
        self.0.iter().fold(1usize, |n, &d| n.saturating_mul(d))
    }

    /// Number of elements.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when it passes [`limits::ELEMENTS_MAX`].
    pub fn checked_elements(&self) -> Result<usize> {
        let n = self.elements();
        if n > limits::ELEMENTS_MAX {
            return Err(Error::resource_exhausted(format!(
                "a tensor of shape {self} has more than {} elements",
                limits::ELEMENTS_MAX
            )));
        }
        Ok(n)
    }

    /// Row-major strides, in elements.
    pub fn strides(&self) -> SmallVec<[usize; 6]> {
        let mut strides: SmallVec<[usize; 6]> = SmallVec::from_elem(1, self.rank());
        for i in (0..self.rank().saturating_sub(1)).rev() {
            strides[i] = strides[i + 1].saturating_mul(self.0[i + 1]);
        }
        strides
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl From<Vec<usize>> for Shape {
    fn from(dims: Vec<usize>) -> Shape {
        Shape(SmallVec::from_vec(dims))
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<T: IntoIterator<Item = usize>>(iter: T) -> Shape {
        Shape(iter.into_iter().collect())
    }
}

/// Prints `[2,3]`, and `[]` for a scalar.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{d}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A shape of which the rank or some extents may be unknown.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct PartialShape(Option<Vec<Option<usize>>>);

impl PartialShape {
    /// Nothing is known, not even the rank.
    pub const fn unknown() -> PartialShape {
        PartialShape(None)
    }

    /// The rank is known, extents may be `None`.
    pub fn new(dims: Vec<Option<usize>>) -> PartialShape {
        PartialShape(Some(dims))
    }

    /// Everything is known.
    pub fn known(shape: &Shape) -> PartialShape {
        PartialShape(Some(shape.iter().map(|&d| Some(d)).collect()))
    }

    /// The extents, or `None` if the rank is unknown.
    pub fn dims(&self) -> Option<&[Option<usize>]> {
        self.0.as_deref()
    }

    /// The rank, if known.
    pub fn rank(&self) -> Option<usize> {
        self.0.as_ref().map(Vec::len)
    }

    /// The exact shape, if everything is known.
    pub fn to_shape(&self) -> Option<Shape> {
        self.0.as_ref()?.iter().copied().collect()
    }

    /// Whether a tensor of `shape` meets this specification.
    pub fn accepts(&self, shape: &Shape) -> bool {
        match &self.0 {
            None => true,
            Some(dims) => {
                dims.len() == shape.rank()
                    && dims
                        .iter()
                        .zip(shape.iter())
                        .all(|(want, got)| want.is_none_or(|w| w == *got))
            }
        }
    }
}

/// Prints `[?,3]`, and `<unknown>` when even the rank is unknown.
impl fmt::Display for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(dims) = &self.0 else { return f.write_str("<unknown>") };
        f.write_str("[")?;
        for (i, d) in dims.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match d {
                Some(d) => write!(f, "{d}")?,
                None => f.write_str("?")?,
            }
        }
        f.write_str("]")
    }
}

impl fmt::Debug for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_products_are_refused() {
        assert!(Shape::from_i64(&[1 << 31, 1 << 31, 1 << 31]).is_err());
        assert!(Shape::from_i64(&[1 << 31, 1 << 31, 0]).is_ok());
        assert!(Shape::from_i64(&[-5]).is_err());
        assert!(Shape::from_i64(&[1; 33]).is_err());
    }

    #[test]
    fn partial_shapes_accept() {
        let p = PartialShape::new(vec![None, Some(3)]);
        assert!(p.accepts(&Shape::new(&[7, 3])));
        assert!(!p.accepts(&Shape::new(&[7, 4])));
        assert!(!p.accepts(&Shape::new(&[3])));
        assert!(PartialShape::unknown().accepts(&Shape::scalar()));
        assert_eq!(p.to_string(), "[?,3]");
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(Shape::new(&[2, 3, 4]).strides().as_slice(), [12, 4, 1]);
    }
}
