//! The client: from a module to an executable.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfjit_base::{Error, Result, Tensor, limits};
use tfjit_client::{Buffer, Client, CompileOptions, Executable};
use tfjit_eval::{Interpreter, Value};
use tfjit_exec::{LoadOptions, Loaded, Weights};
use tfjit_hlo::{Fuel, Module, PrintOptions};
use tfjit_plan::Plan;

use crate::EvalClient;
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

    /// The module behind the passes of the CPU compiler.
    ///
    /// # Errors
    /// What the passes and the verifier find.
    pub fn optimise(&self, module: &mut Module) -> Result<()> {
        if self.options.optimise {
            let fuel = Fuel::unlimited();
            let mut options = tfjit_opt::Options::cpu(&fuel);
            options.fold = Some(&evaluate);
            tfjit_opt::optimise(module, &options)?;
        }
        Ok(())
    }
}

/// The results of a program of constants, computed as launches would.
fn evaluate(module: &Module) -> Result<Vec<Tensor>> {
    let entry = module.entry().ok_or_else(|| Error::internal("there is nothing to evaluate"))?;
    let options = tfjit_eval::Options { flush_subnormals: true, ..tfjit_eval::Options::default() };
    let values = Interpreter::new(module, options).run(&entry.name, &[])?;
    let tensors = values.into_iter().map(|value| match value {
        Value::Tensor(tensor) => Ok(tensor),
        Value::Token | Value::Tuple(_) => Err(Error::internal("a result is no tensor")),
    });
    tensors.collect()
}

/// Whether all parameters and results of the entry are tensors of known extents.
fn has_static_signature(module: &Module) -> bool {
    module.entry().is_some_and(|entry| {
        let types = entry.param_types().chain(&entry.result_types);
        types.into_iter().all(|ty| ty.as_tensor().is_some_and(|ty| ty.is_static()))
    })
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
        format!("local {} {}", env!("CARGO_PKG_VERSION"), self.kernels.target())
    }

    fn device_count(&self) -> usize {
        1
    }

    fn compile(&self, mut module: Module, options: &CompileOptions) -> Result<Arc<dyn Executable>> {
        if options.replicas != 1 {
            return Err(Error::unimplemented("the CPU compiler launches one replica"));
        }
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
            texts.optimise = module.text(&printing);
            texts.plan = plan.to_string();
            texts.kernels = kernels_text(&plan);
            texts.asm = self.kernels.asm(&plan)?;
            texts.refusal = module.entry().and_then(tfjit_plan::refusal);
        }
        drop(module);
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}_{number}", plan.name);
        let code_bytes = code.bytes;
        let load = LoadOptions {
            weights: Arc::clone(&self.weights),
            memory_bytes_max: self.options.memory_bytes_max,
            ..LoadOptions::default()
        };
        let loaded = Loaded::new(Arc::new(plan), code.kernels, &load)?;
        Ok(Arc::new(LocalExecutable::new(name, loaded, texts, options.keep_text, code_bytes)))
    }

    fn deserialize(&self, _: &[u8], _: &CompileOptions) -> Result<Arc<dyn Executable>> {
        Err(Error::unimplemented("executables of the CPU compiler have no serialised form yet"))
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
