//! Variables and where they are kept.
//!
//! A variable is a shared cell: maybe uninitialised, its type fixed once it has a value. Whoever
//! needs several takes all locks at once through [`LockPlan`], in the order of their ids, which is
//! the same for everyone, so that no two launches can wait for each other.
//!
//! A variable that nothing writes may be frozen: launches take its value as a constant then. The
//! first write thaws it for good, and a counter of the manager tells launches that one was.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tfjit_base::{Error, Result, Tensor};

use crate::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use crate::{Objects, Writes};

/// What a variable holds.
#[derive(Clone, Debug, Default)]
pub struct VariableState {
    /// The value; `None` while uninitialised.
    pub value: Option<Tensor>,
}

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// Position in the global lock order.
    id: u64,
    name: String,
    frozen: AtomicBool,
    /// Counts the thaws of its manager.
    thaws: Arc<AtomicU64>,
    state: RwLock<VariableState>,
}

impl Variable {
    /// A new variable, uninitialised unless `value` is given.
    pub fn new(name: impl Into<String>, value: Option<Tensor>) -> Variable {
        Variable::counting(name.into(), value, Arc::default())
    }

    fn counting(name: String, value: Option<Tensor>, thaws: Arc<AtomicU64>) -> Variable {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let state = RwLock::new(VariableState { value });
        Variable { id, name, frozen: AtomicBool::new(false), thaws, state }
    }

    /// A number that no other variable of this process has.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Promises that the value stays, until [`Variable::thaw`].
    pub fn freeze(&self) {
        self.frozen.store(true, Ordering::SeqCst);
    }

    /// Takes the promise back, for good; a write does it too.
    pub fn thaw(&self) {
        if self.frozen.swap(false, Ordering::SeqCst) {
            self.thaws.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The value that stays, if it was promised to.
    pub fn frozen_value(&self) -> Option<Tensor> {
        if self.frozen.load(Ordering::SeqCst) { self.value() } else { None }
    }

    /// The name, for errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The current value; shares its memory.
    pub fn value(&self) -> Option<Tensor> {
        self.read().value.clone()
    }

    /// Replaces the value.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the element type differs from that of the old value.
    pub fn assign(&self, value: Tensor) -> Result<()> {
        let mut state = self.write();
        check_type(&self.name, &state, &value)?;
        self.thaw();
        state.value = Some(value);
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, VariableState> {
        // A panic while a lock was held leaves a whole value: states are replaced, never edited.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, VariableState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_type(name: &str, old: &VariableState, new: &Tensor) -> Result<()> {
    match &old.value {
        Some(old) if old.dtype() != new.dtype() => Err(Error::invalid_argument(format!(
            "Mismatched type in variable write: {name} holds {}, not {}",
            old.dtype(),
            new.dtype()
        ))),
        _ => Ok(()),
    }
}

/// Which variables a launch needs, and how.
#[derive(Debug, Default)]
pub struct LockPlan<'v> {
    /// Sorted by id, each once; `true` for exclusive.
    wanted: BTreeMap<u64, (&'v Variable, bool)>,
}

/// Locks that are held.
#[derive(Debug)]
pub struct Locked<'v> {
    held: BTreeMap<u64, Guard<'v>>,
}

#[derive(Debug)]
enum Guard<'v> {
    Shared(RwLockReadGuard<'v, VariableState>),
    Exclusive(RwLockWriteGuard<'v, VariableState>),
}

impl<'v> LockPlan<'v> {
    /// No locks.
    pub fn new() -> LockPlan<'v> {
        LockPlan::default()
    }

    /// Asks for a lock; asking twice for one variable gives one lock, exclusive if either is.
    pub fn add(&mut self, variable: &'v Variable, exclusive: bool) {
        let entry = self.wanted.entry(variable.id).or_insert((variable, false));
        entry.1 |= exclusive;
    }

    /// Takes all locks in the global order.
    pub fn lock(self) -> Locked<'v> {
        let held = self
            .wanted
            .into_iter()
            .map(|(id, (variable, exclusive))| {
                let guard = if exclusive {
                    Guard::Exclusive(variable.write())
                } else {
                    Guard::Shared(variable.read())
                };
                (id, guard)
            })
            .collect();
        Locked { held }
    }
}

impl Locked<'_> {
    /// The value of a variable whose lock is held.
    ///
    /// # Errors
    /// INTERNAL when it is not.
    pub fn value(&self, variable: &Variable) -> Result<Option<&Tensor>> {
        match self.held.get(&variable.id) {
            Some(Guard::Shared(state)) => Ok(state.value.as_ref()),
            Some(Guard::Exclusive(state)) => Ok(state.value.as_ref()),
            None => Err(not_locked(variable)),
        }
    }

    /// Takes the value out of a variable whose lock is held exclusively, if nobody else has it. The
    /// variable is uninitialised until it is [set](Locked::set).
    ///
    /// # Errors
    /// INTERNAL when the lock is not held.
    pub fn take_unshared(&mut self, variable: &Variable) -> Result<Option<Tensor>> {
        match self.held.get_mut(&variable.id) {
            Some(Guard::Exclusive(state)) => Ok(match &state.value {
                Some(value) if value.shared_bytes().is_some_and(|b| b.share_count() == 1) => {
                    state.value.take()
                }
                _ => None,
            }),
            Some(Guard::Shared(_)) => Ok(None),
            None => Err(not_locked(variable)),
        }
    }

    /// Writes a variable.
    ///
    /// # Errors
    /// INTERNAL when its lock is not held exclusively, INVALID_ARGUMENT when the type changes.
    pub fn set(&mut self, variable: &Variable, value: Tensor) -> Result<()> {
        match self.held.get_mut(&variable.id) {
            Some(Guard::Exclusive(state)) => {
                check_type(&variable.name, state, &value)?;
                variable.thaw();
                state.value = Some(value);
                Ok(())
            }
            _ => Err(not_locked(variable)),
        }
    }
}

fn not_locked(variable: &Variable) -> Error {
    Error::internal(format!("variable {} is not locked as needed", variable.name))
}

/// Variables by container and name.
#[derive(Debug, Default)]
pub struct ResourceManager {
    variables: Mutex<BTreeMap<(String, String), Arc<Variable>>>,
    objects: Objects,
    thaws: Arc<AtomicU64>,
}

impl ResourceManager {
    /// An empty manager.
    pub fn new() -> ResourceManager {
        ResourceManager::default()
    }

    /// What is kept beside variables.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The variable of this name, made uninitialised when there is none.
    pub fn lookup_or_create(&self, container: &str, name: &str) -> Arc<Variable> {
        let mut variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (container.to_owned(), name.to_owned());
        let new = || {
            let thaws = Arc::clone(&self.thaws);
            Arc::new(Variable::counting(name.to_owned(), None, thaws))
        };
        Arc::clone(variables.entry(key).or_insert_with(new))
    }

    /// The variable of this name, if there is one.
    pub fn lookup(&self, container: &str, name: &str) -> Option<Arc<Variable>> {
        let variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        variables.get(&(container.to_owned(), name.to_owned())).cloned()
    }

    /// How often a frozen variable was thawed. Values that were read as frozen belong together, and
    /// are still the values, as long as this number stays the same.
    pub fn thaws(&self) -> u64 {
        self.thaws.load(Ordering::SeqCst)
    }

    /// Freezes all variables that have a value and that `writes` leaves alone.
    pub fn freeze(&self, writes: &Writes) {
        let variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        for ((container, name), variable) in variables.iter() {
            if !writes.contains(container, name) && variable.value().is_some() {
                variable.freeze();
            }
        }
    }

    /// Thaws all variables that `writes` names.
    pub fn thaw(&self, writes: &Writes) {
        let variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        for ((container, name), variable) in variables.iter() {
            if writes.contains(container, name) {
                variable.thaw();
            }
        }
    }

    /// All variables with their names.
    pub fn variables(&self) -> Vec<(String, Arc<Variable>)> {
        let variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        variables.iter().map(|((_, name), v)| (name.clone(), Arc::clone(v))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variable_asked_for_twice_is_locked_once() {
        let v = Variable::new("v", Some(Tensor::scalar(1.0f32)));
        let mut plan = LockPlan::new();
        plan.add(&v, false);
        plan.add(&v, true);
        let mut locked = plan.lock();
        locked.set(&v, Tensor::scalar(2.0f32)).unwrap();
        assert!(locked.set(&v, Tensor::scalar(2i32)).is_err());
        drop(locked);
        assert_eq!(v.value(), Some(Tensor::scalar(2.0f32)));
    }

    #[test]
    fn shared_locks_do_not_write() {
        let v = Variable::new("v", None);
        let mut plan = LockPlan::new();
        plan.add(&v, false);
        let mut locked = plan.lock();
        assert_eq!(locked.value(&v).unwrap(), None);
        assert!(locked.set(&v, Tensor::scalar(2.0f32)).is_err());
    }

    #[test]
    fn a_write_thaws_for_good_and_is_counted() {
        let manager = ResourceManager::new();
        let v = manager.lookup_or_create("", "v");
        let w = manager.lookup_or_create("", "w");
        manager.lookup_or_create("", "empty");
        v.assign(Tensor::scalar(1.0f32)).unwrap();
        w.assign(Tensor::scalar(1.0f32)).unwrap();
        let mut writes = Writes::default();
        writes.variables.insert((String::new(), "w".to_owned()));
        manager.freeze(&writes);
        assert_eq!(v.frozen_value(), Some(Tensor::scalar(1.0f32)));
        assert_eq!(w.frozen_value(), None);
        assert_eq!(manager.thaws(), 0);
        // A write that is refused leaves the promise as it is.
        assert!(v.assign(Tensor::scalar(1i32)).is_err());
        assert!(v.frozen_value().is_some());
        v.assign(Tensor::scalar(2.0f32)).unwrap();
        assert_eq!(v.frozen_value(), None);
        assert_eq!(manager.thaws(), 1);
        w.assign(Tensor::scalar(2.0f32)).unwrap();
        assert_eq!(manager.thaws(), 1);
    }

    #[test]
    fn opposite_orders_do_not_deadlock() {
        let manager = ResourceManager::new();
        let (a, b) = (manager.lookup_or_create("", "a"), manager.lookup_or_create("", "b"));
        std::thread::scope(|scope| {
            for flip in [false, true] {
                let (x, y) = if flip { (&b, &a) } else { (&a, &b) };
                scope.spawn(move || {
                    for i in 0..2000 {
                        let mut plan = LockPlan::new();
                        plan.add(x, true);
                        plan.add(y, true);
                        let mut locked = plan.lock();
                        locked.set(x, Tensor::scalar(i)).unwrap();
                        locked.set(y, Tensor::scalar(i)).unwrap();
                    }
                });
            }
        });
        assert_eq!(a.value(), b.value());
    }
}
