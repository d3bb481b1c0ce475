//! The constants of a plan while it is loaded: those that library kernels read in packed form only
//! are given up as soon as they were packed, so that weights are not in memory twice.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_plan::{BufferId, Constant, Epilogue, Place, Plan, Step};

use crate::artifact::Stored;
use crate::memory::Block;

/// The constants of a plan and who is still to read them.
pub(crate) struct Constants {
    slots: Vec<Slot>,
    /// Packed operands that were stored, in the order in which they are asked for.
    stored: Option<RefCell<std::vec::IntoIter<Arc<Block>>>>,
}

struct Slot {
    tensor: RefCell<Tensor>,
    /// Steps that are still to pack it.
    packers: Cell<usize>,
    /// Whether it is read as it is, too.
    is_read: bool,
}

impl Constants {
    /// The constants of `plan`, which are `tensors`.
    pub(crate) fn new(plan: &Plan, tensors: Vec<Constant>) -> Constants {
        let slot = |constant: Constant| Slot {
            tensor: RefCell::new(constant.tensor),
            packers: Cell::new(0),
            is_read: false,
        };
        let mut constants =
            Constants { slots: tensors.into_iter().map(slot).collect(), stored: None };
        constants.count(plan, &plan.steps);
        plan.outputs.iter().for_each(|&output| constants.read(plan, output));
        constants
    }

    fn slot(&mut self, plan: &Plan, buffer: BufferId) -> Option<&mut Slot> {
        match plan.buffers.get(buffer).map(|b| b.place) {
            Some(Place::Constant(i)) => self.slots.get_mut(i),
            _ => None,
        }
    }

    fn read(&mut self, plan: &Plan, buffer: BufferId) {
        if let Some(slot) = self.slot(plan, buffer) {
            slot.is_read = true;
        }
    }

    fn pack(&mut self, plan: &Plan, buffer: BufferId, end: Option<&Epilogue>) {
        if let Some(slot) = self.slot(plan, buffer) {
            *slot.packers.get_mut() += 1;
        }
        for stream in end.iter().flat_map(|end| &end.streams) {
            self.read(plan, stream.buffer);
        }
    }

    fn count(&mut self, plan: &Plan, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Matmul(call) => {
                    self.pack(plan, call.rhs.buffer, call.epilogue.as_ref());
                    self.read(plan, call.lhs.buffer);
                }
                Step::Conv(call) => {
                    self.pack(plan, call.filter, call.epilogue.as_ref());
                    self.read(plan, call.input);
                }
                other => other.buffers(&mut |buffer| self.read(plan, buffer)),
            }
            match step {
                Step::While { test, body, .. } => {
                    self.count(plan, test);
                    self.count(plan, body);
                }
                Step::Switch { branches, .. } => {
                    branches.iter().for_each(|branch| self.count(plan, branch));
                }
                _ => {}
            }
        }
    }

    /// Whether a constant is read in packed form only.
    pub(crate) fn is_packed_only(&self, i: usize) -> bool {
        self.slots.get(i).is_some_and(|slot| !slot.is_read && slot.packers.get() > 0)
    }

    /// The same with packed operands that were stored.
    ///
    /// # Errors
    /// INTERNAL when somebody reads a constant that was not stored.
    pub(crate) fn with(mut self, stored: Stored) -> Result<Constants> {
        for (i, &missing) in stored.missing.iter().enumerate() {
            if missing != self.is_packed_only(i) {
                return Err(Error::internal(format!("constant {i} is stored in another form")));
            }
        }
        self.stored = Some(RefCell::new(stored.packed.into_iter()));
        Ok(self)
    }

    /// The next packed operand, if operands were stored; it has `bytes` bytes.
    ///
    /// # Errors
    /// INTERNAL when there is none such.
    pub(crate) fn stored(&self, bytes: usize) -> Result<Option<Arc<Block>>> {
        let Some(stored) = &self.stored else { return Ok(None) };
        let block = stored.borrow_mut().next().filter(|block| block.bytes() == bytes);
        block.map(Some).ok_or_else(|| {
            Error::internal(format!("a packed operand of {bytes} bytes was not stored"))
        })
    }

    /// # Errors
    /// INTERNAL when a stored operand was asked for by nobody.
    pub(crate) fn check_used(&self) -> Result<()> {
        match &self.stored {
            Some(stored) if stored.borrow().len() > 0 => {
                Err(Error::internal("packed operands were stored that nobody reads"))
            }
            _ => Ok(()),
        }
    }

    /// A constant.
    pub(crate) fn tensor(&self, i: usize) -> Tensor {
        self.slots[i].tensor.borrow().clone()
    }

    /// Lets `pack` pack a constant, and gives it up when nobody else reads it. `pack` is told
    /// whether somebody may come back with the same memory: another step, or another plan.
    ///
    /// # Errors
    /// Those of `pack`.
    pub(crate) fn packed<T>(
        &self,
        i: usize,
        pack: impl FnOnce(&Tensor, bool) -> Result<T>,
    ) -> Result<T> {
        let slot = &self.slots[i];
        let left = slot.packers.get().saturating_sub(1);
        let shared = {
            let tensor = slot.tensor.borrow();
            slot.is_read
                || slot.packers.get() > 1
                || tensor.shared_bytes().is_none_or(|bytes| bytes.share_count() > 1)
        };
        let packed = pack(&slot.tensor.borrow(), shared)?;
        slot.packers.set(left);
        if left == 0 && !slot.is_read {
            let dtype = slot.tensor.borrow().dtype();
            slot.tensor.replace(Tensor::zeros(dtype, Shape::new(&[0]))?);
        }
        Ok(packed)
    }

    /// The constants as they are now.
    pub(crate) fn into_inner(self) -> Vec<Constant> {
        let slots = self.slots.into_iter();
        slots.map(|slot| Constant { tensor: slot.tensor.into_inner() }).collect()
    }
}
