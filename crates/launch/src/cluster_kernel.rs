//! The kernel of a cluster in a program: a launch, or node by node where that cannot be compiled.
//!
//! A cluster may ask for a value while compiling that only a run gives. Its nodes run one by one
//! then, with their integers known, and its loops and calls as programs of their own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tfjit_base::{Code, Error, Result};
use tfjit_cluster::Options;
use tfjit_model::Function;
use tfjit_runtime::{Kernel, StepContext, Value};

use crate::assemble::{Assembled, Parts, assemble_of};
use crate::{CompileMode, XlaLaunch};

/// The kernel.
#[derive(Debug)]
pub(crate) struct ClusterKernel {
    launch: Arc<XlaLaunch>,
    function: Arc<Function>,
    parts: Parts,
    mode: CompileMode,
    /// Whether running node by node helped.
    apart: AtomicBool,
    program: OnceLock<Result<Box<Assembled>>>,
}

impl ClusterKernel {
    pub(crate) fn new(
        launch: Arc<XlaLaunch>,
        function: Arc<Function>,
        parts: &Parts,
    ) -> ClusterKernel {
        let mode = parts.mode;
        let parts = Parts {
            options: Options { clusters: false, calls: false },
            constant_integers: true,
            // Single nodes have nothing to fall back on.
            mode: CompileMode::Strict,
            ..parts.clone()
        };
        let (apart, program) = (AtomicBool::new(false), OnceLock::new());
        ClusterKernel { launch, function, parts, mode, apart, program }
    }

    /// Whether a launch may have failed for want of values. A cluster of one node that has them
    /// already cannot be helped.
    fn helps(&self, error: &Error) -> bool {
        let text = error.message();
        error.code() == Code::Unimplemented
            || text.contains("compile-time constant")
            || text.contains("known while compiling")
    }

    fn run_apart(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let make = || {
            // What is compiled is cached by name, and this is another function.
            let name = format!("{}/node_by_node", self.function.name).into();
            let function = Function { name, ..(*self.function).clone() };
            assemble_of(&function, &self.parts).map(Box::new)
        };
        let assembled = self.program.get_or_init(make).as_ref().map_err(Clone::clone)?;
        assembled.program.run(inputs.to_vec(), &context.nested(&self.function.name)?)
    }
}

impl Kernel for ClusterKernel {
    fn blocks(&self) -> bool {
        self.launch.blocks()
    }

    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        if self.apart.load(Ordering::Relaxed) {
            return self.run_apart(inputs, context);
        }
        let error = match self.launch.run_if_compiled(inputs, context, self.mode) {
            Ok(Some(values)) => return Ok(values),
            Ok(None) => return self.run_apart(inputs, context),
            Err(error) => error,
        };
        // The first error is the one to report.
        if context.depth > NESTED_MAX || !self.helps(&error) {
            return Err(error);
        }
        let values = self.run_apart(inputs, context).map_err(|_| error)?;
        self.apart.store(true, Ordering::Relaxed);
        Ok(values)
    }
}

/// Calls around a cluster within which it is still run node by node: each may try anew.
const NESTED_MAX: usize = 16;
