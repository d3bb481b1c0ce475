//! What a running launch has: memory, workers, and who shares its work.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

use tfjit_base::{Error, Result, Tensor};
use tfjit_kernels::Scratch;

use crate::memory::Block;
use crate::{Pool, Registers};

/// Memory of one thread of a launch.
#[derive(Default)]
pub(crate) struct Worker {
    /// The frame of the kernel that is called.
    pub(crate) frame: Vec<u64>,
    /// Values of interpreted kernels.
    pub(crate) registers: Registers,
    /// Scratch memory of library kernels.
    pub(crate) scratch: Scratch,
}

/// Memory of a launch, kept for the next one.
pub(crate) struct State {
    pub(crate) arena: Block,
    /// Memory for operands that are packed while the launch runs.
    pub(crate) packed: Block,
    /// Address of each buffer.
    pub(crate) bases: Vec<*mut u8>,
    pub(crate) workers: Workers,
}

// SAFETY: the addresses are written anew by each launch.
unsafe impl Send for State {}

/// Workers, each used by one thread at a time.
#[derive(Default)]
pub(crate) struct Workers(Vec<UnsafeCell<Worker>>);

// SAFETY: the pool gives each number of a worker to one thread at a time.
unsafe impl Sync for Workers {}

impl Workers {
    /// Makes `count` workers with room for the scratch memory of library kernels.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when memory is short.
    pub(crate) fn prepare(&mut self, count: usize, scratch_bytes: usize) -> Result<()> {
        if self.0.len() < count {
            self.0.resize_with(count, UnsafeCell::default);
            for worker in &mut self.0 {
                worker.get_mut().scratch.reserve(scratch_bytes)?;
            }
        }
        Ok(())
    }
}

/// A running launch.
pub(crate) struct Launch<'l> {
    pub(crate) bases: &'l [*mut u8],
    pub(crate) packed: *mut u8,
    pub(crate) workers: &'l Workers,
    pub(crate) arguments: &'l [Tensor],
    pub(crate) pool: &'l Pool,
    pub(crate) threads: usize,
    pub(crate) flush_subnormals: bool,
    pub(crate) cancel: Option<&'l AtomicBool>,
    pub(crate) profile: Option<&'l dyn crate::Profile>,
    pub(crate) outside: Option<crate::Outside<'l>>,
}

// SAFETY: the addresses are of memory that outlives the launch; who writes where is the plan's
// business, and was checked.
unsafe impl Sync for Launch<'_> {}

impl Launch<'_> {
    /// The address of a buffer.
    pub(crate) fn base(&self, buffer: usize) -> *mut u8 {
        self.bases[buffer]
    }

    /// # Errors
    /// CANCELLED when somebody asked for it.
    pub(crate) fn poll(&self) -> Result<()> {
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::cancelled("the launch was cancelled"))
            }
            _ => Ok(()),
        }
    }

    /// Runs all units, on several threads where that is worth it.
    ///
    /// # Errors
    /// INTERNAL when a unit panics.
    pub(crate) fn share(
        &self,
        units: usize,
        cost_ns: u64,
        work: &(dyn Fn(&mut Worker, usize) + Sync),
    ) -> Result<()> {
        let work = |worker: usize, unit: usize| {
            // SAFETY: the pool gives each number to one thread at a time.
            let worker = unsafe { &mut *self.workers.0[worker].get() };
            work(worker, unit);
        };
        if self.threads == 1 || units <= 1 {
            // Panics are caught around the launch.
            (0..units).for_each(|unit| work(0, unit));
            return Ok(());
        }
        self.pool.run(units, self.threads, cost_ns, self.flush_subnormals, &work)
    }
}
