//! Regions over scalars as something that loops can call: reducers, comparators, selectors.
//!
//! An operation that takes such a region gets a [`Reducer`]. [`Reducer::call`] always works, on
//! [`Cell`]s; [`Reducer::shortcut`] tells that the region is a single operation, so that a loop can
//! be written over the element type instead. Nothing here knows how regions are run.

use bytemuck::{Pod, Zeroable};
use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Direction};

use crate::pick::{self, Fold};

/// One element of any type: its bytes as stored in a tensor, zero above its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Cell([u64; 2]);

impl Cell {
    /// The element whose bytes are `bytes` (16 at most).
    pub(crate) fn load(bytes: &[u8]) -> Cell {
        let mut cell = Cell::default();
        let width = bytes.len().min(16);
        bytemuck::bytes_of_mut(&mut cell)[..width].copy_from_slice(&bytes[..width]);
        cell
    }

    /// Writes the element to `bytes`, which is as long as it is wide.
    pub(crate) fn store(&self, bytes: &mut [u8]) {
        let width = bytes.len().min(16);
        bytes[..width].copy_from_slice(&bytemuck::bytes_of(self)[..width]);
    }

    /// The element as `T`, which is 16 bytes wide at most.
    pub(crate) fn get<T: Pod>(&self) -> T {
        bytemuck::pod_read_unaligned(&bytemuck::bytes_of(self)[..size_of::<T>()])
    }

    /// The element `value`, which is 16 bytes wide at most.
    pub(crate) fn of<T: Pod>(value: T) -> Cell {
        Cell::load(bytemuck::bytes_of(&value))
    }

    /// The element at `index` of a tensor.
    ///
    /// # Errors
    /// INTERNAL when the index lies outside.
    pub(crate) fn at(tensor: &Tensor, index: usize) -> Result<Cell> {
        let width = tensor.dtype().size();
        let start = index.saturating_mul(width);
        match tensor.bytes().get(start..start.saturating_add(width)) {
            Some(bytes) if width > 0 => Ok(Cell::load(bytes)),
            _ => Err(Error::internal(format!("element {index} lies outside {tensor:?}"))),
        }
    }

    /// The element as a scalar tensor.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for strings.
    pub(crate) fn to_tensor(self, dtype: DType) -> Result<Tensor> {
        Tensor::from_raw(dtype, Shape::scalar(), &bytemuck::bytes_of(&self)[..dtype.size()])
    }

    /// Whether a boolean element is true.
    pub(crate) fn is_true(&self) -> bool {
        self.0[0] & 0xff != 0
    }
}

/// What a region of two parameters does, when it is one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shortcut {
    /// Returns the operation applied to its parameters in order.
    Binary(Binary),
    /// Returns the comparison of its parameters in order, in the element type's own order.
    Compare(Direction),
    /// Returns its first parameter.
    First,
    /// Returns its second parameter (the usual scatter).
    Second,
}

/// A callable region.
pub(crate) type Body<'a> = Box<dyn FnMut(&[Cell], &mut [Cell]) -> Result<()> + 'a>;

/// A region over scalars.
pub(crate) struct Reducer<'a> {
    shortcut: Option<Shortcut>,
    body: Body<'a>,
}

impl<'a> Reducer<'a> {
    /// A region that `body` runs: arguments in, results out.
    pub(crate) fn new(shortcut: Option<Shortcut>, body: Body<'a>) -> Reducer<'a> {
        Reducer { shortcut, body }
    }

    /// The region that returns `op` of its two parameters, of type `dtype`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the type does not have the operation.
    pub(crate) fn binary(op: Binary, dtype: DType) -> Result<Reducer<'static>> {
        struct Boxed;
        impl Fold for Boxed {
            type Out = Body<'static>;
            fn visit<T: Pod>(self, f: impl Fn(T, T) -> T + Copy + 'static) -> Body<'static> {
                Box::new(move |arguments, results| {
                    results[0] = Cell::of(f(arguments[0].get(), arguments[1].get()));
                    Ok(())
                })
            }
        }
        Ok(Reducer::new(Some(Shortcut::Binary(op)), pick::fold(op, dtype, Boxed)?))
    }

    /// The one step the region consists of, if that is so.
    pub(crate) fn shortcut(&self) -> Option<Shortcut> {
        self.shortcut
    }

    /// Runs the region: `arguments` are its parameters, `results` receives what it returns.
    ///
    /// # Errors
    /// Those of the instructions in the region.
    pub(crate) fn call(&mut self, arguments: &[Cell], results: &mut [Cell]) -> Result<()> {
        (self.body)(arguments, results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_every_width() {
        let t = Tensor::from_slice(Shape::new(&[2]), &[1.5f64, -2.0]).unwrap();
        let cell = Cell::at(&t, 1).unwrap();
        assert_eq!(cell.get::<f64>(), -2.0);
        assert_eq!(cell.to_tensor(DType::F64).unwrap(), Tensor::scalar(-2.0f64));
        assert!(Cell::at(&t, 2).is_err());
        assert_eq!(Cell::of(-1i8).get::<u64>(), 0xff);
    }

    #[test]
    fn a_reducer_runs_its_body() {
        let mut reducer = Reducer::new(
            None,
            Box::new(|a, r| {
                r[0] = Cell::of(a[0].get::<i32>() * a[1].get::<i32>());
                Ok(())
            }),
        );
        let mut out = [Cell::default()];
        reducer.call(&[Cell::of(6), Cell::of(7)], &mut out).unwrap();
        assert_eq!(out[0].get::<i32>(), 42);
    }
}
