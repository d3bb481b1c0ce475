//! The client: from a module to an executable.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfjit_base::{Bytes, Error, Result, Tensor, limits};
use tfjit_client::{Buffer, Client, CompileOptions, Executable};
use tfjit_eval::evaluate_constants;
use tfjit_exec::{KernelCode, LoadOptions, Loaded, Reuse, Weights};
use tfjit_hlo::{Fuel, Module, PrintOptions};
use tfjit_plan::{Plan, Step};

use crate::EvalClient;
use crate::artifact::{self, File};
use crate::eval_client::some_replicas;
use crate::executable::{LocalExecutable, Texts};
use crate::kernels::Kernels;

/// How the client compiles.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// Whether kernels become machine code where the processor has an emitter; else they are
    /// interpreted in blocks.
    pub codegen: bool,
    /// Whether the passes of the CPU compiler run; off plans the module as it is.
    pub optimise: bool,
    /// Bytes that constants and temporary memory of an executable may take; the loader's default
    /// when it is not given.
    pub memory_bytes_max: Option<usize>,
    /// Whether profilers are told the names of kernels, through a file in `/tmp`.
    pub perf_map: bool,
}

impl Default for LocalOptions {
    fn default() -> LocalOptions {
        LocalOptions { codegen: true, optimise: true, memory_bytes_max: None, perf_map: false }
    }
}

/// The client of our own compiler for the processor it runs on; one device, the host.
pub struct LocalClient {
    options: LocalOptions,
    kernels: Kernels,
    /// Packed weights, shared by all programs that read the same ones.
    weights: Arc<Weights>,
    /// Number of executables made, for their names.
    made: AtomicU64,
}

impl LocalClient {
    /// A client without any compiled kernels.
    pub fn new(options: LocalOptions) -> LocalClient {
        let kernels = Kernels::new(options.codegen, options.perf_map);
        LocalClient { options, kernels, weights: Arc::default(), made: AtomicU64::new(0) }
    }

    /// How many kernels were made into code, over all compilations so far.
    pub fn kernels_emitted(&self) -> u64 {
        self.kernels.emitted()
    }

    fn load_options(&self, options: &CompileOptions) -> LoadOptions {
        let reuse = options
            .may_alias
            .iter()
            .map(|alias| Reuse { result: alias.result, parameter: alias.parameter })
            .collect();
        LoadOptions {
            weights: Arc::clone(&self.weights),
            memory_bytes_max: self.options.memory_bytes_max,
            reuse,
            ..LoadOptions::default()
        }
    }

    /// The texts that can be had of a plan.
    fn texts(&self, plan: &Plan) -> Result<Texts> {
        Ok(Texts {
            optimise: None,
            plan: plan.to_string(),
            kernels: kernels_text(plan),
            asm: self.kernels.asm(plan)?,
            refusal: None,
        })
    }

    fn executable(
        &self,
        loaded: Loaded,
        texts: Texts,
        code: Vec<KernelCode>,
        options: &CompileOptions,
    ) -> Arc<dyn Executable> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}_{number}", loaded.plan().name);
        let (keep, fingerprint) = (options.keep_text, self.fingerprint());
        Arc::new(LocalExecutable::new(name, loaded, texts, keep, code, fingerprint))
    }

    /// Loads an artifact: no pass runs, nothing is planned, emitted or packed.
    fn read(&self, file: File<'_>, options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        some_replicas(options)?;
        let found = artifact::fingerprint(file)?;
        if found == EvalClient.fingerprint() {
            // What the compiler left to the interpreter.
            return EvalClient.read(file, options);
        }
        artifact::check_fingerprint(&found, &self.fingerprint())?;
        let read = artifact::read(file)?;
        let mut texts = Texts::default();
        if options.keep_text {
            texts = self.texts(&read.plan)?;
            texts.refusal = refusal(&read.plan);
        }
        texts.optimise = read.text.map(str::to_owned);
        let code = read.code(&self.kernels)?;
        let loaded = read.load(code.clone(), &self.load_options(options))?;
        Ok(self.executable(loaded, texts, code, options))
    }

    /// The module behind the passes of the CPU compiler.
    ///
    /// # Errors
    /// What the passes and the verifier find.
    pub fn optimise(&self, module: &mut Module) -> Result<()> {
        if self.options.optimise {
            let fuel = Fuel::unlimited();
            let mut options = tfjit_opt::Options::cpu(&fuel);
            options.fold = Some(&evaluate_constants);
            tfjit_opt::optimise(module, &options)?;
        }
        Ok(())
    }
}

/// Whether all parameters and results of the entry are tensors of known extents.
fn has_static_signature(module: &Module) -> bool {
    module.entry().is_some_and(|entry| {
        let types = entry.param_types().chain(&entry.result_types);
        types.into_iter().all(|ty| ty.as_tensor().is_some_and(|ty| ty.is_static()))
    })
}

/// Why a program was left to the interpreter whole: such a plan has one step, with all of it.
fn refusal(plan: &Plan) -> Option<String> {
    match plan.steps.as_slice() {
        [Step::Reference(call)] => call.module.entry().and_then(tfjit_plan::refusal),
        _ => None,
    }
}

/// The text of all kernels of a plan.
fn kernels_text(plan: &Plan) -> String {
    let mut text = String::new();
    for (_, kernel) in plan.kernels.iter() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{kernel}");
    }
    text
}

impl Client for LocalClient {
    fn platform(&self) -> &str {
        "cpu"
    }

    fn fingerprint(&self) -> String {
        let (version, form) = (env!("CARGO_PKG_VERSION"), tfjit_plan::artifact::VERSION);
        let (processor, code) = (std::env::consts::ARCH, self.kernels.target());
        let passes = if self.options.optimise { "" } else { " unoptimised" };
        format!("local {version} artifact {form} {processor} code {code}{passes}")
    }

    fn device_count(&self) -> usize {
        1
    }

    fn compile(&self, mut module: Module, options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        some_replicas(options)?;
        if !has_static_signature(&module) {
            // A plan places results before it runs; the interpreter lets them have any size.
            return EvalClient.compile(module, options);
        }
        self.optimise(&mut module)?;
        let plan = tfjit_plan::plan(&module)?;
        let code = self.kernels.of(&plan)?;
        let mut texts = Texts::default();
        if options.keep_text {
            // Weights would be longer than all else together.
            let elide_above = limits::FOLD_ELEMENTS_MAX;
            let printing = PrintOptions { elide_above, ..PrintOptions::default() };
            texts = self.texts(&plan)?;
            texts.optimise = Some(module.text(&printing));
            texts.refusal = module.entry().and_then(tfjit_plan::refusal);
        }
        drop(module);
        let loaded = Loaded::new(Arc::new(plan), code.clone(), &self.load_options(options))?;
        Ok(self.executable(loaded, texts, code, options))
    }

    fn deserialize(&self, bytes: &[u8], options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        self.read(File::Borrowed(bytes), options)
    }

    fn deserialize_shared(
        &self,
        bytes: &Bytes,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Executable>> {
        self.read(File::Shared(bytes), options)
    }

    fn buffer(&self, tensor: &Tensor, device: usize) -> Result<Buffer> {
        if device != 0 {
            return Err(Error::invalid_argument(format!("the CPU client has no device {device}")));
        }
        if tensor.as_strings().is_some() {
            return Err(Error::invalid_argument("strings can't be arguments of a launch"));
        }
        Ok(Buffer::Host(tensor.clone()))
    }
}
