//! The constants of a plan while it is loaded: those that library kernels read in packed form only
//! are given up as soon as they were packed, so that weights are not in memory twice.

use std::cell::{Cell, RefCell};

use tfjit_base::{Result, Shape, Tensor};
use tfjit_plan::{BufferId, Constant, Epilogue, Place, Plan, Step};

/// The constants of a plan and who is still to read them.
pub(crate) struct Constants {
    slots: Vec<Slot>,
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
        let mut constants = Constants { slots: tensors.into_iter().map(slot).collect() };
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
