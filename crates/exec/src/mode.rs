//! The floating-point mode of a thread: whether subnormal numbers count as zero.
//!
//! Launches run with round to nearest and all exceptions masked, whatever the caller had.

/// A floating-point mode: what the processor's control register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode(u64);

#[cfg(target_arch = "x86_64")]
mod register {
    /// Exceptions masked, round to nearest.
    pub(super) const PLAIN: u64 = 0x1f80;
    /// Flush to zero and denormals are zero.
    pub(super) const FLUSH: u64 = 0x8040;
    /// Flags that operations raise; no part of a mode.
    pub(super) const FLAGS: u64 = 0x3f;

    pub(super) fn get() -> u64 {
        let mut value = 0u32;
        // SAFETY: writes the register to the variable.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack));
        }
        u64::from(value)
    }

    pub(super) fn set(value: u64) {
        let value = value as u32;
        // SAFETY: only masks, flushing and rounding change; whoever sets a mode restores the old.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    pub(super) const PLAIN: u64 = 0;
    /// Flush to zero.
    pub(super) const FLUSH: u64 = 1 << 24;
    pub(super) const FLAGS: u64 = 0;

    pub(super) fn get() -> u64 {
        let value: u64;
        // SAFETY: reads the register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) value, options(nomem, nostack)) };
        value
    }

    pub(super) fn set(value: u64) {
        // SAFETY: only flushing and rounding change; whoever sets a mode restores the old.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) value, options(nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod register {
    pub(super) const PLAIN: u64 = 0;
    pub(super) const FLUSH: u64 = 0;
    pub(super) const FLAGS: u64 = 0;

    pub(super) fn get() -> u64 {
        0
    }

    pub(super) fn set(_: u64) {}
}

impl Mode {
    /// The mode of a launch.
    pub(crate) fn of_launch(flush_subnormals: bool) -> Mode {
        Mode(register::PLAIN | if flush_subnormals { register::FLUSH } else { 0 })
    }

    /// Sets the mode of this thread until the guard is dropped.
    pub(crate) fn enter(self) -> ModeGuard {
        let before = register::get();
        if before & !register::FLAGS != self.0 {
            register::set(self.0);
        }
        ModeGuard { before }
    }
}

/// Restores the mode that a thread had.
pub(crate) struct ModeGuard {
    before: u64,
}

impl Drop for ModeGuard {
    fn drop(&mut self) {
        if register::get() != self.before {
            register::set(self.before);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn subnormals_are_flushed_inside_only() {
        let half = || black_box(f32::MIN_POSITIVE) * black_box(0.5);
        assert_ne!(half(), 0.0);
        let panicked = std::panic::catch_unwind(|| {
            let _guard = Mode::of_launch(true).enter();
            assert_eq!(half(), 0.0);
            let inner = Mode::of_launch(false).enter();
            assert_ne!(half(), 0.0);
            drop(inner);
            assert_eq!(half(), 0.0);
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(panicked.is_err());
        assert_ne!(half(), 0.0);
    }
}
