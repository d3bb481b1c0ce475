//! Locks of the parts that are model-checked: std's, or those of `loom` under `--cfg loom`.

#[cfg(loom)]
pub(crate) use loom::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
#[cfg(not(loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use std::sync::PoisonError;
use std::time::Duration;

/// Takes the lock; what a panicking holder left behind is whole, because states change in one step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a notification, and no longer than it takes to ask again whether to stop. Under
/// `loom` only a notification ends it, so that a lost one is found.
pub(crate) fn wait<'m, T>(condvar: &Condvar, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
    #[cfg(loom)]
    return condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
    #[cfg(not(loom))]
    condvar.wait_timeout(guard, POLL).unwrap_or_else(PoisonError::into_inner).0
}

/// How long a blocked kernel may take to notice that it was cancelled.
pub(crate) const POLL: Duration = Duration::from_millis(5);
