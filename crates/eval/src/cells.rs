//! Results that are written one element of any type at a time.

use tfjit_base::{AlignedBytes, Error, Result, Tensor};
use tfjit_hlo::TensorType;

use crate::reducer::Cell;

/// A result written cell by cell.
pub(crate) struct Cells {
    out: TensorType,
    bytes: AlignedBytes,
}

impl Cells {
    /// Zeros of the type and shape of `out`.
    pub(crate) fn zeroed(out: &TensorType) -> Result<Cells> {
        let n = out.shape()?.checked_elements()?;
        let bytes = AlignedBytes::zeroed(n.saturating_mul(out.dtype.size()))?;
        Ok(Cells { out: out.clone(), bytes })
    }

    /// Element `index`, which must exist.
    pub(crate) fn get(&self, index: usize) -> Cell {
        let width = self.out.dtype.size();
        Cell::load(&self.bytes.as_ref()[index * width..][..width])
    }

    /// Sets element `index`, which must exist.
    pub(crate) fn set(&mut self, index: usize, value: &Cell) {
        let width = self.out.dtype.size();
        value.store(&mut self.bytes.as_mut()[index * width..][..width]);
    }

    /// Copies the elements of a tensor of the same type and shape.
    ///
    /// # Errors
    /// INTERNAL when it has another size.
    pub(crate) fn copy_from(&mut self, tensor: &Tensor) -> Result<()> {
        if tensor.bytes().len() != self.bytes.as_ref().len() {
            return Err(Error::internal("a result and what it starts from differ in size"));
        }
        self.bytes.as_mut().copy_from_slice(tensor.bytes());
        Ok(())
    }

    /// The tensor.
    pub(crate) fn finish(self) -> Result<Tensor> {
        Tensor::new(self.out.dtype, self.out.shape()?, self.bytes)
    }
}
