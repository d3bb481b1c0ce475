//! What a kernel launched lately, to be found by the looks of the arguments.
//!
//! A few entries, the latest first; finding one takes no lock and makes no signature. They hold
//! their place in the cache weakly: what the cache has thrown out is not found here either.

use std::fmt;
use std::sync::{Arc, Weak};

use arc_swap::ArcSwap;
use tfjit_bridge::Arg;
use tfjit_runtime::Value;

use crate::args::same_type;
use crate::cache::Entry;
use crate::{DeviceCompiler, Ready};

/// Entries of a kernel. More would take longer to look through than a lookup in the cache.
const ENTRIES_MAX: usize = 8;

/// The latest launches of a kernel.
#[derive(Default)]
pub(super) struct Recent {
    entries: ArcSwap<Vec<Seen>>,
}

#[derive(Clone)]
struct Seen {
    entry: Weak<Entry>,
    args: Arc<[Arg]>,
    /// The ids of the variables, by argument, where it matters which ones they are.
    handles: Arc<[(usize, u64)]>,
    /// The manager's count of thaws: frozen values hold as long as it does.
    thaws: u64,
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recent({})", self.entries.load().len())
    }
}

impl Seen {
    fn fits(&self, inputs: &[Value], thaws: u64) -> bool {
        let type_fits = |(arg, input): (&Arg, &Value)| match (arg, input) {
            (Arg::Parameter(ty), Value::Tensor(tensor)) => same_type(ty, tensor),
            (Arg::Constant(value), Value::Tensor(tensor)) => value == tensor,
            // The types of variables are compared once they are locked.
            (Arg::Parameter(_) | Arg::Constant(_), _) => false,
            (_, Value::Variable(_)) => true,
            _ => false,
        };
        let handle_fits = |&(i, id): &(usize, u64)| match inputs.get(i) {
            Some(Value::Variable(variable)) => variable.id() == id,
            _ => false,
        };
        self.thaws == thaws
            && self.args.len() == inputs.len()
            && self.args.iter().zip(inputs).all(type_fits)
            && self.handles.iter().all(handle_fits)
    }
}

impl Recent {
    /// What was launched for arguments that look like these; their variables' types are still to
    /// be compared.
    pub(super) fn find(
        &self,
        compiler: &DeviceCompiler,
        inputs: &[Value],
        thaws: u64,
    ) -> Option<(Ready, Arc<[Arg]>)> {
        let entries = self.entries.load();
        let seen = entries.iter().find(|seen| seen.fits(inputs, thaws))?;
        let ready = compiler.hit(&seen.entry.upgrade()?)?;
        Some((ready, Arc::clone(&seen.args)))
    }

    /// Puts a launch in front.
    pub(super) fn remember(&self, ready: &Ready, inputs: &[Value], args: Vec<Arg>, thaws: u64) {
        let variables: Vec<(usize, u64)> = inputs
            .iter()
            .enumerate()
            .filter_map(|(i, input)| match input {
                Value::Variable(variable) => Some((i, variable.id())),
                _ => None,
            })
            .collect();
        // One variable alone may be any of its type. Of several, two might be the same one, and
        // frozen ones are compiled in.
        let any = variables.len() == 1 && !args.iter().any(|arg| matches!(arg, Arg::Frozen(_)));
        let handles = if any { Arc::default() } else { variables.into() };
        let seen = Seen { entry: Arc::downgrade(ready.entry()), args: args.into(), handles, thaws };
        self.entries.rcu(|old| {
            let others = old.iter().filter(|other| {
                let same = Weak::ptr_eq(&other.entry, &seen.entry) && other.handles == seen.handles;
                other.entry.strong_count() > 0 && !same
            });
            let older = others.take(ENTRIES_MAX - 1).cloned();
            std::iter::once(seen.clone()).chain(older).collect::<Vec<_>>()
        });
    }
}
