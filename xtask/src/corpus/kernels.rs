//! Compares the loop kernels of everything that a run compiles: machine code and interpreter.

use std::sync::{Mutex, PoisonError};

use tfjit::Observer;
use tfjit_base::{Error, Result};
use tfjit_local::KernelJudge;
use tfjit_plan::kernel::Kernel;

/// The stage whose text holds the kernels of a program.
pub(crate) const STAGE: &str = "kernels";

/// Rows and columns that each kernel runs over.
const SPACES: &[[usize; 2]] =
    &[[3, 37], [1, 64], [2, 1], [17, 5], [1, 531], [5, 128], [33, 33], [0, 3]];

/// Runs each kernel that it is shown both ways; a difference fails the compilation.
#[derive(Default)]
pub(crate) struct KernelObserver {
    judge: Mutex<KernelJudge>,
}

impl Observer for KernelObserver {
    fn product(&self, stage: &str, _: &str, text: &str) -> Result<()> {
        if stage != STAGE {
            return Ok(());
        }
        let mut judge = self.judge.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, kernel) in Kernel::parse_all(text)?.iter().enumerate() {
            if let Some(difference) = judge.differs(kernel, SPACES, i as u64)? {
                return Err(Error::internal(format!("kernel {}: {difference}", kernel.name)));
            }
        }
        Ok(())
    }
}

impl KernelObserver {
    /// How many different kernels were compared so far.
    pub(crate) fn compared(&self) -> usize {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner).compared()
    }
}
