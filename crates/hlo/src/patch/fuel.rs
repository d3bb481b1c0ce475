//! How many rewrites may be made: to find the one that breaks a program by halving.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// A number of rewrites, and what they were spent on.
#[derive(Debug)]
pub struct Fuel {
    left: Cell<u64>,
    spent: RefCell<BTreeMap<&'static str, u64>>,
}

impl Fuel {
    /// Fuel for `rewrites` rewrites.
    pub fn new(rewrites: u64) -> Fuel {
        Fuel { left: Cell::new(rewrites), spent: RefCell::default() }
    }

    /// Fuel that does not end.
    pub fn unlimited() -> Fuel {
        Fuel::new(u64::MAX)
    }

    /// Pays for one rewrite; `false` when nothing is left.
    #[must_use]
    pub fn take(&self, reason: &'static str) -> bool {
        let Some(left) = self.left.get().checked_sub(1) else { return false };
        self.left.set(left);
        *self.spent.borrow_mut().entry(reason).or_default() += 1;
        true
    }

    /// How many rewrites are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// The rewrites made so far by reason.
    pub fn spent(&self) -> Vec<(&'static str, u64)> {
        self.spent.borrow().iter().map(|(&reason, &n)| (reason, n)).collect()
    }

    /// The number of rewrites made so far.
    pub fn total(&self) -> u64 {
        self.spent.borrow().values().sum()
    }
}

impl Default for Fuel {
    fn default() -> Fuel {
        Fuel::unlimited()
    }
}
