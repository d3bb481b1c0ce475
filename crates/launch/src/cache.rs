//! The compile cache: signature to compiled function, each compiled once however many ask, bounded
//! in number with the least recently used going first.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use tfjit_base::Result;

use crate::{Compiled, Signature};

/// Counters of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheStats {
    /// Requests that found a compiled entry.
    pub hits: u64,
    /// Requests that compiled.
    pub misses: u64,
    /// Entries thrown out.
    pub evictions: u64,
    /// Entries now.
    pub entries: usize,
}

/// Signature to compiled function.
#[derive(Debug)]
pub struct Cache {
    entries: Mutex<FxHashMap<Signature, Arc<Entry>>>,
    entries_max: usize,
    /// Counts requests; the value at the last use orders entries by age.
    clock: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    evictions: AtomicU64,
}

#[derive(Debug, Default)]
struct Entry {
    /// Held while compiling, so that requests for one signature wait for the first.
    compiled: Mutex<Option<Arc<Compiled>>>,
    last_use: AtomicU64,
}

impl Cache {
    /// An empty cache for at most `entries_max` compiled functions (at least one).
    pub fn new(entries_max: usize) -> Cache {
        Cache {
            entries: Mutex::default(),
            entries_max: entries_max.max(1),
            clock: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
        }
    }

    /// The entry for `signature`, made by `compile` when there is none; whether it was there.
    ///
    /// # Errors
    /// Those of `compile`; nothing is stored then, and the next request tries again.
    pub fn get_or_compile(
        &self,
        signature: &Signature,
        compile: impl FnOnce() -> Result<Compiled>,
    ) -> Result<(Arc<Compiled>, bool)> {
        let entry = self.entry(signature);
        entry.last_use.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut slot = entry.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = &*slot {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok((Arc::clone(compiled), true));
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let compiled = Arc::new(compile()?);
        *slot = Some(Arc::clone(&compiled));
        drop(slot);
        self.evict(signature);
        Ok((compiled, false))
    }

    /// The counters.
    pub fn stats(&self) -> CacheStats {
        CacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            evictions: self.evictions.load(Ordering::Relaxed),
            entries: self.map().len(),
        }
    }

    fn map(&self) -> std::sync::MutexGuard<'_, FxHashMap<Signature, Arc<Entry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, signature: &Signature) -> Arc<Entry> {
        let mut map = self.map();
        if let Some(entry) = map.get(signature) {
            return Arc::clone(entry);
        }
        Arc::clone(map.entry(signature.clone()).or_default())
    }

    /// Throws out the oldest entries above the bound, never the one for `keep`.
    fn evict(&self, keep: &Signature) {
        let mut map = self.map();
        while map.len() > self.entries_max {
            let oldest = map
                .iter()
                .filter(|(key, _)| *key != keep)
                .min_by_key(|(_, e)| e.last_use.load(Ordering::Relaxed))
                .map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { break };
            map.remove(&oldest);
            self.evictions.fetch_add(1, Ordering::Relaxed);
        }
    }
}
