//! The walk from a function to an executable: lower, optimise, compile.
//!
//! It must not know the cache, nor when to compile.

use std::sync::Arc;
use std::time::Instant;

use tfjit_base::{Error, Result, limits};
use tfjit_bridge::{Arg, Lowered, Param, Update};
use tfjit_client::{Alias, Client, CompileOptions};
use tfjit_hlo::{Module, PrintOptions};
use tfjit_model::{Function, FunctionLibrary};

use super::stored::Frozen;
use super::{CompilationResult, Compiled, CompilerOptions, Request};
use crate::{Timings, trace};

/// Stages of a client whose texts an observer sees.
const CLIENT_STAGES: &[&str] = &["plan", "kernels", "asm", "explain"];

/// What the walk needs.
pub(crate) struct Pipeline {
    pub(crate) client: Arc<dyn Client>,
    pub(crate) options: CompilerOptions,
    pub(crate) timings: Arc<Timings>,
    pub(super) frozen: Frozen,
}

/// What the walk made.
pub(super) struct Made {
    pub(super) compiled: Compiled,
    /// The program, when the options keep it.
    pub(super) computation: Option<Arc<Module>>,
    /// The program as text, when it was asked for.
    pub(super) text: String,
}

impl Pipeline {
    /// Lowers and optimises.
    pub(crate) fn program(
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
        let _span = trace::phase("Lower", || function.name.to_string());
        let options = tfjit_bridge::Options { checks: self.options.checks };
        let lowered = tfjit_bridge::lower(library, function, args, options)?;
        self.show("lower", function, &lowered)?;
        Ok(lowered)
    }

    fn optimise(&self, mut lowered: Lowered, function: &Function) -> Result<Lowered> {
        let _span = trace::phase("Optimise", || function.name.to_string());
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

    /// The whole walk; the program's text comes with it when asked for.
    pub(super) fn compile(&self, request: &Request<'_>, with_text: bool) -> Result<Made> {
        let Request { library, function, args, .. } = *request;
        let _span = trace::phase("Compilation of XLA executable", || function.name.to_string());
        let start = Instant::now();
        let lowered = self.lower(library, function, args)?;
        let after_lower = Instant::now();
        let lowered = self.optimise(lowered, function)?;
        let after_optimise = Instant::now();
        let text = if with_text { program_text(&lowered.module) } else { String::new() };
        let computation = self.options.keep_computation.then(|| Arc::new(lowered.module.clone()));
        let options = build_options(&self.options.client, self.client.device_count(), &lowered);
        let executable = self.client.compile(lowered.module, &options)?;
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
        let result = CompilationResult {
            params: lowered.params,
            rets: lowered.rets,
            updates: lowered.updates,
            checks: lowered.checks,
            collective: lowered.collective,
        };
        let compiled = Compiled { result: Arc::new(result), executable };
        Ok(Made { compiled, computation, text })
    }
}

/// Results that are the new values of variables, with the parameters that are their old ones.
pub(super) fn may_alias(params: &[Param], updates: &[Update]) -> Vec<Alias> {
    let alias = |update: &Update| {
        let parameter = params.iter().position(|param| param.arg == update.arg)?;
        Some(Alias { result: update.output, parameter })
    };
    updates.iter().filter_map(alias).collect()
}

/// What the client is told, beside what the options say: which device, how many members the group
/// of its collectives has, and which results are the new values of variables, whose memory they may
/// take if it is given to the launch.
pub fn build_options(
    options: &CompileOptions,
    device_count: usize,
    lowered: &Lowered,
) -> CompileOptions {
    CompileOptions {
        device: options.device.or((device_count > 0).then_some(0)),
        may_alias: may_alias(&lowered.params, &lowered.updates),
        replicas: lowered
            .collective
            .and_then(|info| usize::try_from(info.group_size).ok())
            .unwrap_or(options.replicas),
        ..options.clone()
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
