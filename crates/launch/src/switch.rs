//! Whether anything may be compiled at all, for the whole process.
//!
//! TensorFlow has the same switch; what was compiled before still runs when it is off.

use std::sync::atomic::{AtomicBool, Ordering};

static ENABLED: AtomicBool = AtomicBool::new(true);

/// From now on, what is not compiled yet can't be: requests for it fail with INTERNAL.
pub fn disable_xla_compilation() {
    ENABLED.store(false, Ordering::SeqCst);
}

/// Takes [`disable_xla_compilation`] back.
pub fn enable_xla_compilation() {
    ENABLED.store(true, Ordering::SeqCst);
}

/// Whether compiling is allowed.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::SeqCst)
}
