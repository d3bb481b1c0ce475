//! The compile cache: from a signature to what was compiled for it.
//!
//! An entry has a state, a status, a count of requests, and when compiled a result and an
//! executable. Entries are bounded in number and in bytes; the least recently used go first. A
//! request that finds a compiled entry takes no lock that other signatures take.
//!
//! It must not know how something is compiled, nor when it is worth it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use arc_swap::ArcSwapOption;
use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result};
use tfjit_client::Executable;
use tfjit_hlo::Module;

use crate::sync::{Mutex, MutexGuard, RwLock, lock};
use crate::{CompilationResult, Compiled, Signature};

/// How far an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CompileState {
    /// Nothing was compiled yet.
    #[default]
    Uncompiled,
    /// A thread in the background is at it.
    Compiling,
    /// There is an executable, or the status says why there is none.
    Compiled,
    /// Compiling failed and would fail again.
    Failed,
}

/// What an entry holds at a moment.
#[derive(Clone, Default)]
pub struct CacheValue {
    /// How far it is.
    pub state: CompileState,
    /// The error that compiling ended with.
    pub status: Option<Error>,
    /// Requests so far, this one included.
    pub request_count: u64,
    /// How the program belongs to the function.
    pub result: Option<Arc<CompilationResult>>,
    /// What runs.
    pub executable: Option<Arc<dyn Executable>>,
    /// The program, until the cache is finalized.
    pub computation: Option<Arc<Module>>,
}

impl CacheValue {
    /// Result and executable together, if both are there.
    pub fn compiled(&self) -> Option<Compiled> {
        let (result, executable) = (self.result.as_ref()?, self.executable.as_ref()?);
        Some(Compiled { result: Arc::clone(result), executable: Arc::clone(executable) })
    }
}

/// What [`Cache::store`] writes; fields that are `None` stay as they are.
#[derive(Clone, Default)]
pub struct Store {
    /// The new state.
    pub state: Option<CompileState>,
    /// The new status: `Ok` clears it.
    pub status: Option<Result<()>>,
    /// The new result.
    pub result: Option<Arc<CompilationResult>>,
    /// The new executable.
    pub executable: Option<Arc<dyn Executable>>,
    /// The new program.
    pub computation: Option<Arc<Module>>,
}

impl Store {
    /// Writes the state only.
    pub fn state(state: CompileState) -> Store {
        Store { state: Some(state), ..Store::default() }
    }
}

/// How much a cache may hold; the entry that was stored last stays in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheBounds {
    /// Entries, at least one.
    pub entries_max: usize,
    /// Bytes of code, temporary memory, constants of their own and keys.
    pub bytes_max: u64,
}

impl CacheBounds {
    /// No bounds, as TensorFlow has none.
    pub const NONE: CacheBounds = CacheBounds { entries_max: usize::MAX, bytes_max: u64::MAX };
}

impl Default for CacheBounds {
    /// Enough for every batch size that a service sees, and far from filling a small machine.
    fn default() -> CacheBounds {
        CacheBounds { entries_max: 256, bytes_max: 1 << 30 }
    }
}

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
    /// Bytes now, see [`CacheBounds`].
    pub bytes: u64,
}

/// One signature's place in the cache.
pub(crate) struct Entry {
    /// Held while compiling in the foreground, so that requests for one signature wait for the
    /// first.
    pub(crate) flight: Mutex<()>,
    value: Mutex<CacheValue>,
    /// What the value says once it is compiled, to be read without a lock.
    ready: ArcSwapOption<Compiled>,
    requests: AtomicU64,
    hits: AtomicU64,
    /// The cache's clock at the last request.
    last_use: AtomicU64,
    bytes: AtomicU64,
    /// No longer in the cache; who still holds it may finish with it.
    evicted: AtomicBool,
}

/// Signature to entry.
pub struct Cache {
    entries: RwLock<FxHashMap<Signature, Arc<Entry>>>,
    bounds: CacheBounds,
    /// Counts insertions: recency of use is told apart no finer, so that requests that find
    /// something write to nothing that others write to.
    clock: AtomicU64,
    bytes: AtomicU64,
    misses: AtomicU64,
    evictions: AtomicU64,
    /// Hits of entries that are gone.
    past_hits: AtomicU64,
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cache({:?})", self.stats())
    }
}

impl Entry {
    fn new(clock: u64, key_bytes: u64) -> Entry {
        Entry {
            flight: Mutex::new(()),
            value: Mutex::new(CacheValue::default()),
            ready: ArcSwapOption::empty(),
            requests: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            last_use: AtomicU64::new(clock),
            bytes: AtomicU64::new(key_bytes),
            evicted: AtomicBool::new(false),
        }
    }

    fn value(&self) -> MutexGuard<'_, CacheValue> {
        // Values are replaced field by field; each write leaves a whole one.
        lock(&self.value)
    }

    /// What was compiled, counting a hit. `None` when it is not compiled or no longer cached.
    pub(crate) fn hit(&self, clock: u64) -> Option<Arc<Compiled>> {
        let compiled = self.ready.load_full()?;
        if self.evicted.load(Ordering::Relaxed) {
            return None;
        }
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.hits.fetch_add(1, Ordering::Relaxed);
        self.last_use.store(clock, Ordering::Relaxed);
        Some(compiled)
    }

    fn snapshot(&self, request_count: u64) -> CacheValue {
        CacheValue { request_count, ..self.value().clone() }
    }
}

impl Cache {
    /// An empty cache.
    pub fn new(bounds: CacheBounds) -> Cache {
        Cache {
            entries: RwLock::new(FxHashMap::default()),
            bounds: CacheBounds { entries_max: bounds.entries_max.max(1), ..bounds },
            clock: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
            past_hits: AtomicU64::new(0),
        }
    }

    /// The entry of a signature, counting a request; `None` when there is none.
    pub fn lookup(&self, signature: &Signature) -> Option<CacheValue> {
        self.find(signature).map(|entry| self.request(&entry))
    }

    /// The entry of a signature, made when there is none, counting a request.
    pub fn lookup_or_create(&self, signature: &Signature) -> CacheValue {
        self.request(&self.entry(signature))
    }

    /// Writes what is given, making the entry when there is none; counts no request.
    pub fn store(&self, signature: &Signature, store: Store) {
        let entry = self.entry(signature);
        self.store_in(&entry, store);
        self.evict(&entry);
    }

    /// Forgets the programs of all entries and nothing else.
    pub fn finalize(&self) {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        // The order does not matter: each entry is changed on its own.
        #[allow(clippy::iter_over_hash_type, reason = "entries do not know of each other")]
        for entry in entries.values() {
            entry.value().computation = None;
        }
    }

    /// The counters.
    pub fn stats(&self) -> CacheStats {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let hits: u64 = entries.values().map(|e| e.hits.load(Ordering::Relaxed)).sum();
        CacheStats {
            hits: hits + self.past_hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            evictions: self.evictions.load(Ordering::Relaxed),
            entries: entries.len(),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    /// The signatures with their states, sorted by their text.
    pub fn list(&self) -> Vec<(Signature, CacheValue)> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let read = |(key, e): (&Signature, &Arc<Entry>)| {
            (key.clone(), e.snapshot(e.requests.load(Ordering::Relaxed)))
        };
        let mut list: Vec<_> = entries.iter().map(read).collect();
        list.sort_by_cached_key(|(key, _)| key.to_string());
        list
    }

    /// The clock that recency is told by.
    pub(crate) fn clock(&self) -> u64 {
        self.clock.load(Ordering::Relaxed)
    }

    /// What an entry holds; counts no request.
    pub(crate) fn peek(&self, entry: &Entry) -> CacheValue {
        entry.snapshot(entry.requests.load(Ordering::Relaxed))
    }

    pub(crate) fn missed(&self) {
        self.misses.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn request(&self, entry: &Entry) -> CacheValue {
        let count = entry.requests.fetch_add(1, Ordering::Relaxed) + 1;
        entry.last_use.store(self.clock(), Ordering::Relaxed);
        let value = entry.snapshot(count);
        if value.state == CompileState::Compiled && value.executable.is_some() {
            entry.hits.fetch_add(1, Ordering::Relaxed);
        }
        value
    }

    fn find(&self, signature: &Signature) -> Option<Arc<Entry>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(signature).cloned()
    }

    /// The entry of a signature, made when there is none.
    pub(crate) fn entry(&self, signature: &Signature) -> Arc<Entry> {
        if let Some(entry) = self.find(signature) {
            return entry;
        }
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(signature) {
            return Arc::clone(entry);
        }
        let clock = self.clock.fetch_add(1, Ordering::Relaxed) + 1;
        let key_bytes = signature.bytes();
        let entry = Arc::new(Entry::new(clock, key_bytes));
        self.bytes.fetch_add(key_bytes, Ordering::Relaxed);
        entries.insert(signature.clone(), Arc::clone(&entry));
        drop(entries);
        self.evict(&entry);
        entry
    }

    /// Writes what is given to an entry.
    pub(crate) fn store_in(&self, entry: &Entry, store: Store) {
        let mut value = entry.value();
        if let Some(state) = store.state {
            value.state = state;
        }
        if let Some(status) = store.status {
            value.status = status.err();
        }
        if store.result.is_some() {
            value.result = store.result;
        }
        if store.computation.is_some() {
            value.computation = store.computation;
        }
        if let Some(executable) = store.executable {
            let bytes = own_bytes(&*executable);
            value.executable = Some(executable);
            // An entry that is gone is counted nowhere any more.
            if !entry.evicted.load(Ordering::Relaxed) {
                entry.bytes.fetch_add(bytes, Ordering::Relaxed);
                self.bytes.fetch_add(bytes, Ordering::Relaxed);
            }
        }
        let good = value.state == CompileState::Compiled && value.status.is_none();
        let ready = value.compiled().filter(|_| good).map(Arc::new);
        entry.ready.store(ready);
    }

    /// Throws out the least recently used entries above the bounds, never `keep`, nor one that a
    /// thread in the background still works for.
    pub(crate) fn evict(&self, keep: &Arc<Entry>) {
        let over = |entries: usize| {
            entries > self.bounds.entries_max
                || self.bytes.load(Ordering::Relaxed) > self.bounds.bytes_max
        };
        if !over(self.entries.read().unwrap_or_else(PoisonError::into_inner).len()) {
            return;
        }
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        while over(entries.len()) {
            let oldest = entries
                .iter()
                .filter(|(_, entry)| !Arc::ptr_eq(entry, keep))
                .filter(|(_, entry)| entry.value().state != CompileState::Compiling)
                .min_by_key(|(_, entry)| entry.last_use.load(Ordering::Relaxed))
                .map(|(key, _)| key.clone());
            let Some(entry) = oldest.and_then(|key| entries.remove(&key)) else { break };
            entry.evicted.store(true, Ordering::Relaxed);
            self.bytes.fetch_sub(entry.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
            self.past_hits.fetch_add(entry.hits.load(Ordering::Relaxed), Ordering::Relaxed);
            self.evictions.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What an executable alone keeps from being freed.
fn own_bytes(executable: &dyn Executable) -> u64 {
    let memory = executable.memory();
    let own = memory.constant_bytes.saturating_sub(memory.shared_constant_bytes);
    memory.code_bytes.saturating_add(memory.arena_bytes).saturating_add(own)
}
