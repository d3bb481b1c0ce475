//! From a function and its arguments to an executable, once per signature.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use tfjit_base::{Error, Result, limits};
use tfjit_bridge::{Arg, Check, Lowered, Param, Ret, Update};
use tfjit_client::{Client, CompileOptions, Executable};
use tfjit_hlo::{Module, PrintOptions};
use tfjit_model::{Function, FunctionLibrary};

use crate::{Cache, CacheStats, Profiler, Signature, Timings, function_name};

/// A compiled function: the executable and how its parameters and results belong to the function.
pub struct Compiled {
    /// What runs.
    pub executable: Arc<dyn Executable>,
    /// Where each parameter comes from.
    pub params: Vec<Param>,
    /// Where each result of the function comes from.
    pub rets: Vec<Ret>,
    /// Variables to write.
    pub updates: Vec<Update>,
    /// Checks; when there are any, the last result of the executable is their vector.
    pub checks: Vec<Check>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compiled({})", self.executable.name())
    }
}

/// How a device compiler works.
#[derive(Clone)]
pub struct CompilerOptions {
    /// Whether run-time checks are compiled in.
    pub checks: bool,
    /// Whether passes run over the program.
    pub optimise: bool,
    /// Rewrites that the passes may make; `None` for all.
    pub fuel: Option<u64>,
    /// Compiled functions that are kept.
    pub entries_max: usize,
    /// Passed on to the client.
    pub client: CompileOptions,
    /// Sees the product of each stage.
    pub observer: Option<Arc<dyn Observer>>,
    /// Watches the steps of launches.
    pub profiler: Option<Arc<Profiler>>,
}

impl Default for CompilerOptions {
    fn default() -> CompilerOptions {
        CompilerOptions {
            checks: true,
            optimise: true,
            fuel: None,
            entries_max: 256,
            client: CompileOptions::default(),
            observer: None,
            profiler: None,
        }
    }
}

/// Stages of a client whose texts an observer sees.
const CLIENT_STAGES: &[&str] = &["plan", "kernels", "asm", "explain"];

/// Sees the product of each stage as text.
pub trait Observer: Send + Sync {
    /// Called with the stage (`lower`, a pass's name, `optimise`, …), the function's name and the
    /// text.
    ///
    /// # Errors
    /// An error stops the compilation and is its result.
    fn product(&self, stage: &str, function: &str, text: &str) -> Result<()>;
}

/// Whether a request compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The cache had it.
    Hit,
    /// It was compiled.
    Miss,
}

/// The compiler of one device.
pub struct DeviceCompiler {
    client: Arc<dyn Client>,
    options: CompilerOptions,
    cache: Cache,
    timings: Arc<Timings>,
}

impl fmt::Debug for DeviceCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceCompiler({})", self.client.platform())
    }
}

impl DeviceCompiler {
    /// A compiler with an empty cache.
    pub fn new(client: Arc<dyn Client>, options: CompilerOptions) -> DeviceCompiler {
        let cache = Cache::new(options.entries_max);
        DeviceCompiler { client, options, cache, timings: Arc::default() }
    }

    /// The client.
    pub fn client(&self) -> &Arc<dyn Client> {
        &self.client
    }

    /// Counters of the cache.
    pub fn stats(&self) -> CacheStats {
        self.cache.stats()
    }

    /// Who watches the steps of launches.
    pub fn profiler(&self) -> Option<&Profiler> {
        self.options.profiler.as_deref()
    }

    /// Where time went.
    pub fn timings(&self) -> &Arc<Timings> {
        &self.timings
    }

    /// The compiled form of `function` for these arguments (strict mode: compile on every miss).
    ///
    /// # Errors
    /// Those of lowering and compiling; INTERNAL when one of them panicked.
    pub fn compile_if_needed(
        &self,
        library: &FunctionLibrary,
        function: &Function,
        args: &[Arg],
    ) -> Result<(Arc<Compiled>, Outcome)> {
        let signature = Signature::new(function_name(function), args);
        let compile = || {
            catch_unwind(AssertUnwindSafe(|| self.compile(library, function, args)))
                .unwrap_or_else(|panic| Err(panicked("compiling", &*panic)))
        };
        let (compiled, hit) = self.cache.get_or_compile(&signature, compile)?;
        Ok((compiled, if hit { Outcome::Hit } else { Outcome::Miss }))
    }

    /// Lowers and optimises without the client: what [`DeviceCompiler::compile_if_needed`] would
    /// compile.
    ///
    /// # Errors
    /// Those of lowering.
    pub fn program(
        &self,
        library: &FunctionLibrary,
        function: &Function,
        args: &[Arg],
    ) -> Result<Lowered> {
        let lowered = self.lower(library, function, args)?;
        self.optimise(lowered, function)
    }

    fn lower(
        &self,
        library: &FunctionLibrary,
        function: &Function,
        args: &[Arg],
    ) -> Result<Lowered> {
        let options = tfjit_bridge::Options { checks: self.options.checks };
        let lowered = tfjit_bridge::lower(library, function, args, options)?;
        self.show("lower", function, &lowered)?;
        Ok(lowered)
    }

    fn optimise(&self, mut lowered: Lowered, function: &Function) -> Result<Lowered> {
        if self.options.optimise {
            let observer = self.options.observer.as_deref();
            let fuel = self.options.fuel;
            crate::optimise::run(&mut lowered.module, fuel, &function.name, observer)?;
        }
        self.show("optimise", function, &lowered)?;
        Ok(lowered)
    }

    fn show(&self, stage: &str, function: &Function, lowered: &Lowered) -> Result<()> {
        match &self.options.observer {
            Some(observer) => {
                observer.product(stage, &function.name, &program_text(&lowered.module))
            }
            None => Ok(()),
        }
    }

    fn compile(
        &self,
        library: &FunctionLibrary,
        function: &Function,
        args: &[Arg],
    ) -> Result<Compiled> {
        let start = Instant::now();
        let lowered = self.lower(library, function, args)?;
        let after_lower = Instant::now();
        let lowered = self.optimise(lowered, function)?;
        let after_optimise = Instant::now();
        let executable = self.client.compile(lowered.module, &self.options.client)?;
        self.timings.compiled(
            after_lower - start,
            after_optimise - after_lower,
            after_optimise.elapsed(),
        );
        if let (Some(observer), true) = (&self.options.observer, self.options.client.keep_text) {
            for stage in CLIENT_STAGES {
                if let Some(text) = executable.text(stage) {
                    observer.product(stage, &function.name, &text)?;
                }
            }
        }
        Ok(Compiled {
            executable,
            params: lowered.params,
            rets: lowered.rets,
            updates: lowered.updates,
            checks: lowered.checks,
        })
    }
}

/// A program as text. Constants above what folding may make, which are weights, lose their data:
/// they would be longer than all else together.
pub fn program_text(module: &Module) -> String {
    let elide_above = limits::FOLD_ELEMENTS_MAX;
    module.text(&PrintOptions { elide_above, ..PrintOptions::default() })
}

/// A panic as an error: it is a bug of ours, and the process goes on.
pub(crate) fn panicked(doing: &str, panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    Error::internal(format!("a bug in tfjit while {doing}: {text}"))
        .help("please report it with the model, if you may share it")
}
