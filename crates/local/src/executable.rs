//! A loaded plan behind the client traits.

use std::fmt;

use smallvec::SmallVec;
use tfjit_base::{Error, Result, Tensor};
use tfjit_client::{Alias, Arguments, Buffer, Executable, ExecuteOptions, Memory, StepInfo};
use tfjit_exec::{KernelCode, Loaded, RunOptions};
use tfjit_hlo::TensorType;

use crate::artifact;
use crate::explain;
use crate::outside::Outside;

/// Texts of the stages, kept when asked for.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) optimise: Option<String>,
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
    /// Code of each kernel.
    code: Vec<KernelCode>,
    /// Of the client that made it.
    fingerprint: String,
    /// Results that are written where a donated argument is.
    aliases: Vec<Alias>,
}

impl LocalExecutable {
    pub(crate) fn new(
        name: String,
        loaded: Loaded,
        texts: Texts,
        keep_text: bool,
        code: Vec<KernelCode>,
        fingerprint: String,
    ) -> LocalExecutable {
        let aliases = loaded
            .reuse()
            .iter()
            .map(|reuse| Alias { result: reuse.result, parameter: reuse.parameter })
            .collect();
        LocalExecutable { name, loaded, texts, keep_text, code, fingerprint, aliases }
    }

    /// Runs the plan, with the world that the launch reaches.
    fn launch(
        &self,
        arguments: Arguments,
        options: &ExecuteOptions,
        outside: &Outside,
    ) -> Result<Vec<Buffer>> {
        if options.device != 0 {
            let device = options.device;
            return Err(Error::invalid_argument(format!("the CPU client has no device {device}")));
        }
        let given: SmallVec<[bool; 8]> = arguments.iter().map(|a| a.donate).collect();
        let tensors: Result<SmallVec<[Tensor; 4]>> =
            arguments.into_iter().map(|a| a.buffer.to_host()).collect();
        let watch = options.profile.as_deref().map(Watch);
        let mut tensors = tensors?;
        let run = RunOptions {
            threads: options.threads,
            cancel: options.cancel.clone(),
            profile: watch.as_ref().map(|watch| watch as &dyn tfjit_exec::Profile),
            outside: Some(tfjit_exec::Outside {
                host: outside,
                process: outside.process(),
                grid: outside.grid(),
            }),
        };
        let results = match self.aliases.is_empty() {
            true => self.loaded.run(&tensors, &run)?,
            false => self.loaded.run_giving(&mut tensors, &given, &run)?,
        };
        Ok(results.into_iter().map(Buffer::Host).collect())
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

    fn execute(&self, arguments: Arguments, options: &ExecuteOptions) -> Result<Vec<Buffer>> {
        let outside = Outside::begin(options)?;
        let results = self.launch(arguments, options, &outside);
        outside.end(results)
    }

    fn aliases(&self) -> &[Alias] {
        &self.aliases
    }

    fn serialize(&self) -> Result<Vec<u8>> {
        artifact::write(&self.fingerprint, &self.loaded, &self.code, self.texts.optimise.as_deref())
    }

    fn text(&self, stage: &str) -> Option<String> {
        if !self.keep_text {
            return None;
        }
        Some(match stage {
            // An executable out of a file may have been made without it.
            "optimise" => return self.texts.optimise.clone(),
            "plan" => self.texts.plan.clone(),
            "kernels" => self.texts.kernels.clone(),
            "asm" => self.texts.asm.clone(),
            "explain" => explain::text(self.loaded.plan(), self.texts.refusal.as_deref()),
            _ => return None,
        })
    }

    fn memory(&self) -> Memory {
        let code = self.code.iter().filter_map(artifact::function);
        let (mut constant_bytes, mut shared_constant_bytes) = (0, 0);
        for constant in &self.loaded.plan().constants {
            let bytes = constant.tensor.bytes().len() as u64;
            constant_bytes += bytes;
            if constant.tensor.shared_bytes().is_some_and(|b| b.share_count() > 1) {
                shared_constant_bytes += bytes;
            }
        }
        Memory {
            code_bytes: code.map(|function| function.len() as u64).sum(),
            constant_bytes,
            shared_constant_bytes,
            arena_bytes: self.loaded.launch_bytes() as u64,
        }
    }

    fn steps(&self) -> Vec<StepInfo> {
        explain::steps(self.loaded.plan())
    }
}
