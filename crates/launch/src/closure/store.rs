//! A store that gives each value a number and hands it out once.
//!
//! It knows nothing of what it stores; the lock and the counter come from `crate::sync`, so that
//! all interleavings are tried by its model.

use std::collections::BTreeMap;

use crate::sync::{AtomicU64, Mutex, Ordering, lock};

/// Values by number, each handed out once.
#[derive(Debug)]
pub(crate) struct OneShotStore<T> {
    next: AtomicU64,
    values: Mutex<BTreeMap<u64, T>>,
}

impl<T> Default for OneShotStore<T> {
    fn default() -> OneShotStore<T> {
        OneShotStore { next: AtomicU64::new(0), values: Mutex::new(BTreeMap::new()) }
    }
}

impl<T> OneShotStore<T> {
    /// Keeps a value; its number was never given out before.
    pub(crate) fn produce(&self, value: T) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.values).insert(number, value);
        number
    }

    /// The value of this number, to whoever asks first.
    pub(crate) fn consume(&self, number: u64) -> Option<T> {
        // What is dropped by the caller must not be dropped under the lock.
        lock(&self.values).remove(&number)
    }

    /// Values that wait.
    pub(crate) fn len(&self) -> usize {
        lock(&self.values).len()
    }
}

#[cfg(all(test, loom))]
mod models {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn one_of_two_gets_a_value_and_numbers_are_given_out_once() {
        loom::model(|| {
            let store = Arc::new(OneShotStore::default());
            let first = store.produce("first");
            let consumers: Vec<_> = (0..2)
                .map(|_| {
                    let store = Arc::clone(&store);
                    loom::thread::spawn(move || (store.consume(first), store.produce("more")))
                })
                .collect();
            let done: Vec<_> = consumers.into_iter().map(|c| c.join().unwrap()).collect();
            assert_eq!(done.iter().filter(|(got, _)| *got == Some("first")).count(), 1);
            assert_ne!(done[0].1, done[1].1);
            assert!(done.iter().all(|(_, number)| *number != first));
            assert_eq!(store.len(), 2);
        });
    }
}
