//! The `_XlaCompile` kernel: compiles a cluster, or decides not to.
//!
//! Its outputs are the key of an executable closure, which an `_XlaRun` of the same step consumes,
//! and whether there is one. When there is none, the graph runs the cluster's function instead.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfjit_base::{Code, Error, Result, Shape, Tensor};
use tfjit_bridge::Arg;
use tfjit_runtime::{Kernel, StepContext, Value};

use crate::args::Cluster;
use crate::closure::{ClientHandle, ClosureStore, ExecutableClosure};
use crate::listener::Warning;
use crate::{CompileMode, DeviceCompiler, Family, Ready, Request};

/// How an `_XlaCompile` node compiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompilePolicy {
    /// When to compile.
    pub mode: CompileMode,
    /// Never compile: `--tf_xla_always_defer_compilation`.
    pub always_defer: bool,
    /// Fall back for every error of compiling in a mode that can, not for UNIMPLEMENTED alone.
    pub fall_back_on_any_error: bool,
}

/// The kernel.
#[derive(Debug)]
pub struct XlaCompile {
    compiler: Arc<DeviceCompiler>,
    family: Family,
    cluster: Cluster,
    policy: CompilePolicy,
    /// Set when compiling turned out to be impossible; this kernel does not try again.
    cannot_compile: AtomicBool,
}

type Snapshots = BTreeMap<usize, Option<Tensor>>;

impl XlaCompile {
    /// A kernel that compiles `cluster` for runs of `family`.
    pub fn new(
        compiler: Arc<DeviceCompiler>,
        family: Family,
        cluster: Cluster,
        policy: CompilePolicy,
    ) -> XlaCompile {
        let cannot_compile = AtomicBool::new(false);
        XlaCompile { compiler, family, cluster, policy, cannot_compile }
    }

    /// Whether compiling turned out to be impossible.
    pub fn cannot_compile(&self) -> bool {
        self.cannot_compile.load(Ordering::SeqCst)
    }

    /// Values of the variables and what the compiler is told, seen at one moment.
    fn snapshot(&self, inputs: &[Value]) -> Result<(Vec<Arg>, Snapshots)> {
        let variables = self.cluster.variables(inputs)?;
        let locked = self.cluster.lock_shared(&variables);
        let args = self.cluster.arguments(inputs, &locked)?;
        let mut snapshots = Snapshots::new();
        for (arg, variable) in variables {
            snapshots.insert(arg, locked.value(variable)?.cloned());
        }
        Ok((args, snapshots))
    }

    fn compile(&self, args: &[Arg]) -> Result<Option<Ready>> {
        let Cluster { library, function, .. } = &self.cluster;
        let request = Request { library, function, args, mode: self.policy.mode };
        let error = match self.compiler.compile_if_needed(&request) {
            Ok(ready) => return Ok(ready),
            Err(error) => error,
        };
        let falls_back = error.code() == Code::Unimplemented || self.policy.fall_back_on_any_error;
        if self.policy.mode != CompileMode::Lazy || !falls_back {
            return Err(error);
        }
        tracing::warn!(
            target: "tfjit::jit",
            "Compilation failed: {error}. Falling back to TF function call of {}", function.name
        );
        let listeners = self.compiler.listeners();
        listeners.optimization_remark(Warning::UnimplementedOperation, error.to_string());
        self.cannot_compile.store(true, Ordering::SeqCst);
        Ok(None)
    }
}

impl Kernel for XlaCompile {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let mut closure = None;
        if !self.policy.always_defer && !self.cannot_compile() {
            let (args, snapshots) = self.snapshot(inputs)?;
            closure = self.compile(&args)?.map(|compiled| ExecutableClosure {
                client: ClientHandle(Arc::clone(self.compiler.client())),
                compiled,
                snapshots,
                constants: self.cluster.constants.len(),
                timings: Arc::clone(self.compiler.timings()),
            });
        }
        let successful = closure.is_some();
        let key = match closure {
            Some(closure) => ClosureStore::of(self.family).produce(closure, context.step),
            None => String::new(),
        };
        let key = Tensor::strings(Shape::scalar(), vec![key.into_bytes()])?;
        Ok(vec![Value::Tensor(key), Value::Tensor(Tensor::scalar_bool(successful))])
    }
}

/// The key of a closure, from the tensor that carries it.
///
/// # Errors
/// INVALID_ARGUMENT when it is no scalar of text.
pub(super) fn key_of(value: &Value) -> Result<String> {
    let tensor = value.tensor()?;
    let text = match tensor.as_strings() {
        Some([text]) if tensor.shape().rank() == 0 => std::str::from_utf8(text).ok(),
        _ => None,
    };
    text.map(str::to_owned)
        .ok_or_else(|| Error::invalid_argument("the key of an executable must be a scalar string"))
}
