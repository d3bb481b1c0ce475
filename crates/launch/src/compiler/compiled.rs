//! What compiling a function gives: the executable, and how it belongs to the function.

use std::fmt;
use std::sync::Arc;

use tfjit_bridge::{Check, CollectiveInfo, Param, Ret, Update};
use tfjit_client::Executable;

/// How an executable's parameters and results belong to the function it was compiled from.
#[derive(Clone, Debug, Default)]
pub struct CompilationResult {
    /// Where each parameter comes from.
    pub params: Vec<Param>,
    /// Where each result of the function comes from.
    pub rets: Vec<Ret>,
    /// Variables to write.
    pub updates: Vec<Update>,
    /// Checks; when there are any, the last result of the executable is their vector.
    pub checks: Vec<Check>,
    /// The group of its collectives, if it has any.
    pub collective: Option<CollectiveInfo>,
}

/// A compiled function. Cloning shares it.
#[derive(Clone)]
pub struct Compiled {
    /// How the executable belongs to the function.
    pub result: Arc<CompilationResult>,
    /// What runs.
    pub executable: Arc<dyn Executable>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compiled({})", self.executable.name())
    }
}
