//! A loaded plan behind the client traits.

use std::fmt;

use tfjit_base::{Error, Result, Tensor};
use tfjit_client::{Argument, Buffer, Executable, ExecuteOptions, Memory, StepInfo};
use tfjit_exec::{Loaded, RunOptions};
use tfjit_hlo::TensorType;

use crate::explain;

/// Texts of the stages, kept when asked for.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) optimise: String,
    pub(crate) plan: String,
    pub(crate) kernels: String,
    pub(crate) asm: String,
    /// Why the program is left to the interpreter whole, if it is.
    pub(crate) refusal: Option<String>,
}

/// A compiled module.
pub(crate) struct LocalExecutable {
    name: String,
    loaded: Loaded,
    texts: Texts,
    keep_text: bool,
    code_bytes: u64,
}

impl LocalExecutable {
    pub(crate) fn new(
        name: String,
        loaded: Loaded,
        texts: Texts,
        keep_text: bool,
        code_bytes: u64,
    ) -> LocalExecutable {
        LocalExecutable { name, loaded, texts, keep_text, code_bytes }
    }
}

/// A profile of the client traits behind that of the executor.
struct Watch<'w>(&'w dyn tfjit_client::Profile);

impl tfjit_exec::Profile for Watch<'_> {
    fn begin(&self, step: usize) {
        self.0.begin(step);
    }

    fn end(&self, step: usize) {
        self.0.end(step);
    }
}

impl fmt::Debug for LocalExecutable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalExecutable({})", self.name)
    }
}

impl Executable for LocalExecutable {
    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> &[TensorType] {
        &self.loaded.plan().parameters
    }

    fn results(&self) -> &[TensorType] {
        &self.loaded.plan().results
    }

    fn execute(&self, arguments: Vec<Argument>, options: &ExecuteOptions) -> Result<Vec<Buffer>> {
        if options.device != 0 {
            let device = options.device;
            return Err(Error::invalid_argument(format!("the CPU client has no device {device}")));
        }
        let tensors: Result<Vec<Tensor>> =
            arguments.into_iter().map(|a| a.buffer.to_host()).collect();
        let watch = options.profile.as_deref().map(Watch);
        let run = RunOptions {
            threads: options.threads,
            cancel: options.cancel.clone(),
            profile: watch.as_ref().map(|watch| watch as &dyn tfjit_exec::Profile),
        };
        let results = self.loaded.run(&tensors?, &run)?;
        Ok(results.into_iter().map(Buffer::Host).collect())
    }

    fn serialize(&self) -> Result<Vec<u8>> {
        Err(Error::unimplemented("executables of the CPU compiler have no serialised form yet"))
    }

    fn text(&self, stage: &str) -> Option<String> {
        if !self.keep_text {
            return None;
        }
        Some(match stage {
            "optimise" => self.texts.optimise.clone(),
            "plan" => self.texts.plan.clone(),
            "kernels" => self.texts.kernels.clone(),
            "asm" => self.texts.asm.clone(),
            "explain" => explain::text(self.loaded.plan(), self.texts.refusal.as_deref()),
            _ => return None,
        })
    }

    fn memory(&self) -> Memory {
        let (mut constant_bytes, mut shared_constant_bytes) = (0, 0);
        for constant in &self.loaded.plan().constants {
            let bytes = constant.tensor.bytes().len() as u64;
            constant_bytes += bytes;
            if constant.tensor.shared_bytes().is_some_and(|b| b.share_count() > 1) {
                shared_constant_bytes += bytes;
            }
        }
        Memory {
            code_bytes: self.code_bytes,
            constant_bytes,
            shared_constant_bytes,
            arena_bytes: self.loaded.launch_bytes() as u64,
        }
    }

    fn steps(&self) -> Vec<StepInfo> {
        explain::steps(self.loaded.plan())
    }
}
