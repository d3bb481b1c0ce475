//! The reference interpreter behind the client traits.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tfjit_base::{Error, Result, Tensor};
use tfjit_client::{Arguments, Buffer, Client, CompileOptions, Executable, ExecuteOptions, Memory};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::{Module, TensorType};
use tfjit_plan::artifact::container::damaged;

use crate::artifact::{self, File};
use crate::outside::Outside;

/// The client of the reference interpreter: one device, the host.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvalClient;

impl Client for EvalClient {
    fn platform(&self) -> &str {
        "eval"
    }

    fn fingerprint(&self) -> String {
        format!("eval {}", env!("CARGO_PKG_VERSION"))
    }

    fn device_count(&self) -> usize {
        1
    }

    fn compile(&self, module: Module, options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        some_replicas(options)?;
        tfjit_hlo::verify(&module)?;
        let entry = module
            .entry()
            .ok_or_else(|| Error::invalid_argument("the module has no entry function"))?;
        let tensor = |ty: &tfjit_hlo::Type| {
            ty.as_tensor().cloned().ok_or_else(|| {
                Error::unimplemented("parameters and results of a launch must be tensors")
            })
        };
        let parameters = entry.param_types().map(tensor).collect::<Result<_>>()?;
        let results = entry.result_types.iter().map(tensor).collect::<Result<_>>()?;
        let entry = entry.name.clone();
        Ok(Arc::new(EvalExecutable { module, entry, parameters, results }))
    }

    fn deserialize(&self, bytes: &[u8], options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        self.read(File::Borrowed(bytes), options)
    }

    fn buffer(&self, tensor: &Tensor, device: usize) -> Result<Buffer> {
        if device != 0 {
            return Err(Error::invalid_argument(format!("the interpreter has no device {device}")));
        }
        Ok(Buffer::Host(tensor.clone()))
    }
}

impl EvalClient {
    /// Loads an artifact.
    pub(crate) fn read(
        self,
        file: File<'_>,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Executable>> {
        some_replicas(options)?;
        artifact::check_fingerprint(&artifact::fingerprint(file)?, &self.fingerprint())?;
        self.compile(artifact::read_module(file)?, options).map_err(damaged)
    }
}

/// # Errors
/// INVALID_ARGUMENT when a program is to have no replica at all.
pub(crate) fn some_replicas(options: &CompileOptions) -> Result<()> {
    match options.replicas {
        0 => Err(Error::invalid_argument("a program has one replica at least")),
        _ => Ok(()),
    }
}

struct EvalExecutable {
    module: Module,
    entry: String,
    parameters: Vec<TensorType>,
    results: Vec<TensorType>,
}

impl fmt::Debug for EvalExecutable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvalExecutable({})", self.module.name)
    }
}

impl EvalExecutable {
    /// Runs the entry, with the world that the launch reaches.
    fn launch(
        &self,
        arguments: Arguments,
        options: &ExecuteOptions,
        outside: &Outside,
    ) -> Result<Vec<Buffer>> {
        let values = arguments
            .into_iter()
            .map(|a| Ok(Value::Tensor(a.buffer.to_host()?)))
            .collect::<Result<Vec<_>>>()?;
        let running = tfjit_eval::Options {
            cancel: options.cancel.as_deref(),
            // TensorFlow's kernels flush subnormals to zero.
            flush_subnormals: true,
            host: Some(outside),
            process: outside.process(),
            grid: outside.grid(),
            ..tfjit_eval::Options::default()
        };
        let results = Interpreter::new(&self.module, running).run(&self.entry, &values)?;
        results
            .into_iter()
            .map(|value| match value {
                Value::Tensor(t) => Ok(Buffer::Host(t)),
                _ => Err(Error::internal("a result of a launch is no tensor")),
            })
            .collect()
    }
}

impl Executable for EvalExecutable {
    fn name(&self) -> &str {
        &self.module.name
    }

    fn parameters(&self) -> &[TensorType] {
        &self.parameters
    }

    fn results(&self) -> &[TensorType] {
        &self.results
    }

    fn execute(&self, arguments: Arguments, options: &ExecuteOptions) -> Result<Vec<Buffer>> {
        let outside = Outside::begin(options)?;
        let run = || self.launch(arguments, options, &outside);
        let results = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(Error::internal("the interpreter panicked")));
        outside.end(results)
    }

    fn serialize(&self) -> Result<Vec<u8>> {
        artifact::write_module(&EvalClient.fingerprint(), &self.module)
    }

    fn text(&self, stage: &str) -> Option<String> {
        (stage == "optimise").then(|| self.module.to_string())
    }

    fn memory(&self) -> Memory {
        Memory::default()
    }
}
