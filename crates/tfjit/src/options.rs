//! Typed options of a session.

use std::str::FromStr;
use std::sync::Arc;

use tfjit_base::{Error, Result};
use tfjit_launch::{CompilerOptions, Observer};

/// Which client compiles and runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// The reference interpreter.
    #[default]
    Eval,
}

impl FromStr for Backend {
    type Err = Error;
    fn from_str(text: &str) -> Result<Backend> {
        match text {
            "eval" => Ok(Backend::Eval),
            other => Err(Error::invalid_argument(format!("there is no backend '{other}'"))
                .help("the backend is `eval`")),
        }
    }
}

/// Options of a session.
#[derive(Clone)]
pub struct Options {
    /// The client.
    pub backend: Backend,
    /// Threads a launch may use.
    pub threads: usize,
    /// Whether run-time errors (an index out of range, an integer division by zero, a failed
    /// assert) are errors; off gives XLA's behaviour.
    pub checks: bool,
    /// Whether nodes are compiled together; off compiles each on its own.
    pub clusters: bool,
    /// Whether passes run.
    pub optimise: bool,
    /// Whether variables that nothing in the model can write are compiled in as constants, which
    /// lets weights be folded and laid out while compiling. Their memory is shared, not copied.
    /// Writing one through [`Session::assign`](crate::Session::assign) makes it a variable again.
    pub freeze_variables: bool,
    /// Rewrites that the passes may make, for finding the one that breaks something.
    pub fuel: Option<u64>,
    /// Compiled functions that are kept.
    pub cache_entries_max: usize,
    /// Sees the product of each stage.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            backend: Backend::default(),
            threads: 1,
            checks: true,
            clusters: true,
            optimise: true,
            freeze_variables: true,
            fuel: None,
            cache_entries_max: 256,
            observer: None,
        }
    }
}

impl Options {
    pub(crate) fn compiler(&self) -> CompilerOptions {
        CompilerOptions {
            checks: self.checks,
            optimise: self.optimise,
            fuel: self.fuel,
            entries_max: self.cache_entries_max,
            observer: self.observer.clone(),
            ..CompilerOptions::default()
        }
    }
}
