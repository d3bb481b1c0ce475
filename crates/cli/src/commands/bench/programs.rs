//! `bench` of StableHLO programs: their entry is launched with made-up arguments.
//!
//! It must not know how results are printed; it measures, and hands rows to `bench`.

use std::path::Path;
use std::time::{Duration, Instant};

use tfjit::{Options, ProgramProfile};
use tfjit_base::{Error, Result, Tensor};
use tfjit_hlo::Module;

use super::super::program;
use super::super::subject::{Inputs, options};
use super::{First, Measured, launches, profile};
use crate::args::BenchArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::progress;

/// A program and how it is called.
pub(super) struct Program<'a> {
    args: &'a BenchArgs,
    inputs: Inputs,
    module: Module,
    /// How long reading took.
    pub(super) read: Duration,
}

impl<'a> Program<'a> {
    /// Reads the program, which must be one module with an entry.
    ///
    /// # Errors
    /// Usage errors for what belongs to models only; those of reading.
    pub(super) fn read(args: &'a BenchArgs, console: &Console) -> Result<Program<'a>, Failure> {
        let models_only = [
            (args.golden.is_some(), "--golden"),
            (args.signature.is_some(), "--signature"),
            (args.tags.is_some(), "--tags"),
            (!args.feeds.is_empty(), "--feeds"),
            (!args.fetches.is_empty(), "--fetches"),
        ];
        if let Some((_, flag)) = models_only.into_iter().find(|(given, _)| *given) {
            return Err(Failure::Usage(format!("{flag} is for models, not for programs")));
        }
        let inputs = Inputs::parse(&args.inputs, console)?;
        let path: &Path = &args.model;
        let start = Instant::now();
        let mut modules = progress::during(console, "reading", || program::read(path))?;
        let read = start.elapsed();
        match (modules.pop(), modules.is_empty()) {
            (Some(module), true) if module.entry().is_some() => {
                Ok(Program { args, inputs, module, read })
            }
            _ => Err(Error::invalid_argument("one module with a function main can be measured")
                .help("programs without one are tests, which `tfjit run` runs")
                .into()),
        }
    }

    /// Compiles and measures with arguments for this batch size, which only unknown extents see.
    ///
    /// # Errors
    /// Those of making arguments up, compiling and running.
    pub(super) fn measure(
        &self,
        batch: usize,
        threads: Option<usize>,
        profiles: &mut Vec<ProgramProfile>,
        console: &Console,
    ) -> Result<(Options, Measured)> {
        let options = options(&self.args.engine, threads);
        let arguments = self.arguments(batch)?;
        let start = Instant::now();
        let (executable, parts) = tfjit::compile_module(&self.module, &options)?;
        let launch = || tfjit::launch_module(&executable, &arguments, &options).map(drop);
        launch()?;
        let first = First { time: start.elapsed(), parts, distance: None };
        profile::take(&options);
        let label = format!("batch {batch}, {} threads", options.threads);
        let times = progress::during(console, &label, || launches(launch, self.args))?;
        for program in profile::take(&options) {
            let function = format!("{}, {label}", program.function);
            profiles.push(ProgramProfile { function, ..program });
        }
        Ok((options, Measured { first, times }))
    }

    fn arguments(&self, batch: usize) -> Result<Vec<Tensor>> {
        let Some(entry) = self.module.entry() else { return Ok(Vec::new()) };
        let specs = program::specs(entry)?;
        let feeds = self.inputs.all_feeds(&specs, Some(batch))?;
        program::in_order(&specs, feeds)
    }
}
