//! Runs passes, and does once what every pass would have to do.
//!
//! It verifies, holds a pass to what it says about changing the module, keeps the signatures of
//! public functions as they are, repeats until nothing changes, and tells an observer. Time comes
//! from a clock that the caller lends.

use tfjit_base::{Error, Result};
use tfjit_hlo::{Fuel, Module, Type, fingerprint, verify};

use crate::{CPU, Changed, Fold, PassCtx, PassRow, STANDARD};

/// What is called after a pass that changed the module, with how it ran.
pub type Dump<'a> = dyn Fn(&PassRun, &Module) + 'a;

/// How to optimise.
pub struct Options<'a> {
    /// The passes, in order.
    pub passes: &'a [PassRow],
    /// How often the list is run at most.
    pub rounds_max: usize,
    /// Whether modules are verified before and after every pass, and what passes say is checked.
    pub check: bool,
    /// What rewrites are paid from.
    pub fuel: &'a Fuel,
    /// Who evaluates constants.
    pub fold: Option<&'a dyn Fold>,
    /// Functions of up to this many instructions are inlined even where they are called often.
    pub inline_insts_max: usize,
    /// The time, in any unit; read before and after each pass.
    pub clock: Option<&'a dyn Fn() -> u64>,
    /// Called after each pass that changed the module.
    pub dump: Option<&'a Dump<'a>>,
}

impl<'a> Options<'a> {
    /// The usual passes; checks are on in debug builds.
    pub fn new(fuel: &'a Fuel) -> Options<'a> {
        Options {
            passes: STANDARD,
            rounds_max: 8,
            check: cfg!(debug_assertions),
            fuel,
            fold: None,
            inline_insts_max: 256,
            clock: None,
            dump: None,
        }
    }

    /// The passes of our own compiler, else as [`Options::new`].
    pub fn cpu(fuel: &'a Fuel) -> Options<'a> {
        Options { passes: CPU, ..Options::new(fuel) }
    }
}

/// One run of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassRun {
    /// The pass.
    pub name: &'static str,
    /// Which time the list of passes was run, from 0.
    pub round: usize,
    /// Whether it changed the module.
    pub changed: Changed,
    /// How many rewrites it made.
    pub rewrites: u64,
    /// The time it took by the clock of [`Options::clock`], else 0.
    pub ticks: u64,
}

/// What was run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Runs of passes in order.
    pub runs: Vec<PassRun>,
    /// Whether the last round changed nothing.
    pub settled: bool,
}

/// Runs the passes until a round changes nothing, or [`Options::rounds_max`] times. The module
/// must be valid: passes rely on what the verifier checks, also where checks are off.
///
/// # Errors
/// Those of the verifier when checks are on and `module` is not valid; INTERNAL when a pass makes
/// a mistake, naming it.
pub fn optimise(module: &mut Module, options: &Options<'_>) -> Result<Report> {
    let mut report = Report::default();
    if options.check {
        verify(module)?;
    }
    let before = signatures(module);
    for round in 0..options.rounds_max {
        let runs = round_of(module, options, round, &before)?;
        let settled = runs.iter().all(|run| run.changed == Changed::No);
        report.runs.extend(runs);
        if settled {
            report.settled = true;
            break;
        }
    }
    Ok(report)
}

/// Runs the passes once, in order.
///
/// # Errors
/// As [`optimise`].
pub fn run_passes(module: &mut Module, options: &Options<'_>) -> Result<Report> {
    if options.check {
        verify(module)?;
    }
    let before = signatures(module);
    let runs = round_of(module, options, 0, &before)?;
    Ok(Report { settled: runs.iter().all(|run| run.changed == Changed::No), runs })
}

fn round_of(
    module: &mut Module,
    options: &Options<'_>,
    round: usize,
    signatures: &[Signature],
) -> Result<Vec<PassRun>> {
    options.passes.iter().map(|row| one(module, options, row, round, signatures)).collect()
}

fn one(
    module: &mut Module,
    options: &Options<'_>,
    row: &PassRow,
    round: usize,
    signatures: &[Signature],
) -> Result<PassRun> {
    let ctx = PassCtx {
        fuel: options.fuel,
        fold: options.fold,
        inline_insts_max: options.inline_insts_max,
    };
    let (now, spent) = (|| options.clock.map_or(0, |clock| clock()), options.fuel.total());
    let (print, start) = (options.check.then(|| fingerprint(module)), now());
    let changed = (row.run)(module, &ctx).map_err(|e| e.context(format!("pass {}", row.name)))?;
    let run = PassRun {
        name: row.name,
        round,
        changed,
        rewrites: options.fuel.total() - spent,
        ticks: now().saturating_sub(start),
    };
    if let Some(print) = print {
        checked(module, row, changed, print)?;
    }
    if signatures != self::signatures(module) {
        return Err(mistake(row, "changed the signature of a public function"));
    }
    if let (Changed::Yes, Some(dump)) = (changed, options.dump) {
        dump(&run, module);
    }
    Ok(run)
}

/// Holds a pass to what it says and to the rules of modules.
fn checked(module: &Module, row: &PassRow, changed: Changed, print: u128) -> Result<()> {
    verify(module).map_err(|e| mistake(row, format!("made an invalid module: {e}")))?;
    match (changed, fingerprint(module) == print) {
        (Changed::No, false) => Err(mistake(row, "changed the module and does not say so")),
        (Changed::Yes, true) => Err(mistake(row, "says that it changed the module and did not")),
        _ => Ok(()),
    }
}

fn mistake(row: &PassRow, what: impl std::fmt::Display) -> Error {
    Error::internal(format!("pass {} {what}", row.name))
}

/// Name, parameters and results of a public function.
type Signature = (String, Vec<Type>, Vec<Type>);

/// The signatures of what is visible from outside: public functions and the entry.
fn signatures(module: &Module) -> Vec<Signature> {
    let entry = module.entry_index();
    let visible = module.funcs.iter().enumerate().filter(|(i, f)| f.public || Some(*i) == entry);
    let signature = |(_, f): (usize, &tfjit_hlo::Func)| {
        (f.name.clone(), f.param_types().cloned().collect(), f.result_types.clone())
    };
    visible.map(signature).collect()
}
