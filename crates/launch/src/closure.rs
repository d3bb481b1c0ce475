//! One-shot executable closures: what `_XlaCompile` hands to `_XlaRun`.
//!
//! A closure holds all that a run needs, the values of the variables at the time of compiling
//! included. The store of a family hands out a key once and takes it back once. A closure belongs
//! to the step that made it: when the step ends and nobody has run it, it is freed, which
//! TensorFlow does not do (its issue 52645).

mod store;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use tfjit_base::{Error, Result, Tensor};
use tfjit_client::Client;
use tfjit_runtime::StepState;

use crate::{Family, Ready, Timings};
use store::OneShotStore;

/// What `_XlaCompile` made for one `_XlaRun`. It can't be cloned: it is run once or never.
#[derive(Debug)]
pub struct ExecutableClosure {
    pub(crate) client: ClientHandle,
    pub(crate) compiled: Ready,
    /// The variables' values when it was compiled, by argument; `None` while uninitialised.
    pub(crate) snapshots: BTreeMap<usize, Option<Tensor>>,
    /// How many arguments of the cluster come before the inputs of the run.
    pub(crate) constants: usize,
    pub(crate) timings: Arc<Timings>,
}

/// A client that can be shown.
#[derive(Clone)]
pub(crate) struct ClientHandle(pub(crate) Arc<dyn Client>);

impl fmt::Debug for ClientHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.platform())
    }
}

/// The closures of one family that wait to be run.
#[derive(Debug, Default)]
pub struct ClosureStore {
    store: OneShotStore<ExecutableClosure>,
}

impl ClosureStore {
    /// The store of a family; there is one in the process.
    pub fn of(family: Family) -> &'static Arc<ClosureStore> {
        static STORES: OnceLock<[Arc<ClosureStore>; 2]> = OnceLock::new();
        let stores = STORES.get_or_init(|| [Arc::default(), Arc::default()]);
        &stores[family as usize]
    }

    /// Keeps a closure until it is consumed or the step ends; returns its key, a decimal number.
    pub fn produce(self: &Arc<Self>, closure: ExecutableClosure, step: &StepState) -> String {
        let key = self.store.produce(closure);
        let store = Arc::clone(self);
        step.on_end(Box::new(move || drop(store.store.consume(key))));
        key.to_string()
    }

    /// The closure of this key, once.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for the empty key, which `_XlaCompile` gives for what was not compiled;
    /// NOT_FOUND for a key that was never given out, was consumed, or whose step has ended.
    pub fn consume(&self, key: &str) -> Result<ExecutableClosure> {
        if key.is_empty() {
            let error = Error::invalid_argument("the key of the executable is empty");
            return Err(error.help("the cluster was not compiled; its fallback has to run"));
        }
        let number = key.parse::<u64>().ok().filter(|number| number.to_string() == key);
        number.and_then(|number| self.store.consume(number)).ok_or_else(|| {
            Error::not_found(format!("there is no executable with the key '{key}'"))
                .help("a key is good for one run in the step that made it")
        })
    }

    /// Closures that wait.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
