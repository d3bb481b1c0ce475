//! Runs a corpus: a folder of models and op cases with golden values from TensorFlow.
//!
//! One line a group, one closing line, and the committed scoreboard says which cases must pass.
//! The formats are described in the corpus folder's own README.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use group::{GROUPS, Group};
use pool::{Outcome, Pool, lock};
use scoreboard::Scoreboard;
use sink::Sink;
use skips::Skips;
use subject::Subject;

mod arrays;
mod batches;
mod clusters;
mod compare;
mod graph;
mod group;
mod hlo;
mod kernels;
mod kinds;
mod library;
mod matrix;
mod models;
mod mutants;
mod npz;
mod ops;
mod pool;
mod scoreboard;
mod sink;
mod skips;
mod subject;
mod sweep;
mod train;
mod zoo;

const HELP: &str = "\
usage: cargo xtask corpus PATH [OPTIONS]

Runs the models and cases below PATH and compares the results with their golden values.
Fails when a case that docs/scoreboard.md lists as passing fails.

  --group NAME       only this group; may be repeated:
                     real arch train (together: models) zoo mutants ops hlo xla_graphs
  --case ID          only this case, or all cases of this model or op: arch/mlp/0, ops/Abs
  --backend NAME     local, eval, or pjrt:PLUGIN_FILE once there is a client for plugins
  --clusters on|off  whether graphs are clustered (on) or run op by op (off)
  --codegen on|off   whether local makes machine code (on) or interprets its kernels (off)
  --threads N        threads of a launch
  --batch N          models whose inputs have an unknown first extent only: their inputs are
                     repeated N times along it, and each copy must have the golden results
  --kernels          every loop kernel runs as machine code and interpreted, on random data too
  --matrix           the groups real and arch with many numbers of threads and batches, and
                     without machine code; results must have the same bits every time
  --verbose          print each failure with its reason
  --update           write docs/scoreboard.md; refused when a listed case fails
  --jobs N           worker processes (2)
  --limit SECONDS    time for one case (60)
  --debug            run the unoptimised build
";

/// The address space of a worker: 16 GiB is enough for every case and keeps the machine alive.
const WORKER_MEMORY_KIB: u64 = 16 << 20;

/// What is run and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    root: PathBuf,
    groups: Vec<String>,
    case: Option<String>,
    /// `local`, `eval` or `pjrt:FILE`.
    pub(crate) backend: String,
    /// Whether graphs are clustered; `None` leaves it to the library.
    pub(crate) clusters: Option<bool>,
    /// Whether machine code is made; `None` leaves it to the library.
    pub(crate) codegen: Option<bool>,
    /// Threads of a launch; `None` leaves it to the library.
    pub(crate) threads: Option<usize>,
    /// How often the inputs of models are repeated.
    pub(crate) batch: Option<usize>,
    /// Whether each kernel is compared with the interpreter.
    pub(crate) kernels: bool,
    /// Whether each model runs twice, and what comes out is told.
    pub(crate) digest: bool,
    matrix: bool,
    verbose: bool,
    update: bool,
    jobs: usize,
    limit: Duration,
    debug: bool,
    worker: bool,
}

/// A backend that there is.
fn backend(name: &str) -> Result<String> {
    ensure!(
        !name.starts_with("pjrt:"),
        "UNIMPLEMENTED: there is no client for PJRT plugins yet; the backends are local and eval"
    );
    Ok(name.parse::<tfjit::Backend>()?.name().to_owned())
}

impl Options {
    fn parse(args: &[String]) -> Result<Options> {
        let mut options = Options {
            root: PathBuf::new(),
            groups: Vec::new(),
            case: None,
            backend: tfjit::Backend::default().name().to_owned(),
            clusters: None,
            codegen: None,
            threads: None,
            batch: None,
            kernels: false,
            digest: false,
            matrix: false,
            verbose: false,
            update: false,
            jobs: 2,
            limit: Duration::from_secs(60),
            debug: false,
            worker: false,
        };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--group" => options.groups.push(value()?.clone()),
                "--case" => options.case = Some(value()?.clone()),
                "--backend" => options.backend = backend(value()?)?,
                "--clusters" => options.clusters = Some(on_off(value()?)?),
                "--codegen" => options.codegen = Some(on_off(value()?)?),
                "--threads" => options.threads = Some(count(value()?)?),
                "--batch" => options.batch = Some(count(value()?)?),
                "--kernels" => options.kernels = true,
                "--digest" => options.digest = true,
                "--matrix" => options.matrix = true,
                "--jobs" => options.jobs = value()?.parse().context("--jobs")?,
                "--limit" => {
                    options.limit = Duration::from_secs(value()?.parse().context("--limit")?);
                }
                "--verbose" => options.verbose = true,
                "--update" => options.update = true,
                "--debug" => options.debug = true,
                "--worker" => options.worker = true,
                flag if flag.starts_with('-') => bail!("unknown option {flag}\n\n{HELP}"),
                path if options.root.as_os_str().is_empty() => options.root = path.into(),
                extra => bail!("`{extra}`: one PATH only\n\n{HELP}"),
            }
        }
        ensure!(options.root.is_dir(), "`{}` is not a folder\n\n{HELP}", options.root.display());
        ensure!(options.jobs > 0, "--jobs: at least one");
        Ok(options)
    }

    fn groups(&self) -> Result<Vec<&'static Group>> {
        if self.groups.is_empty() {
            return Ok(GROUPS.iter().collect());
        }
        let mut out = Vec::new();
        for name in &self.groups {
            let found = group::groups(name);
            ensure!(!found.is_empty(), "no group `{name}`\n\n{HELP}");
            out.extend(found);
        }
        Ok(out)
    }

    /// Whether the scoreboard speaks of such a run.
    fn scored(&self) -> bool {
        let usual = self.backend == tfjit::Backend::default().name() && self.clusters.is_none();
        let usual = usual && self.codegen.is_none() && self.threads.is_none();
        usual && self.batch.is_none() && !self.kernels
    }
}

fn on_off(text: &str) -> Result<bool> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        other => bail!("`{other}` is neither on nor off"),
    }
}

fn count(text: &str) -> Result<usize> {
    let n = text.parse().with_context(|| format!("`{text}` is no number"))?;
    ensure!(n > 0, "at least one");
    Ok(n)
}

/// The chore.
///
/// # Errors
/// When the folder or the options are no good; failing cases are not errors.
pub fn run(args: &[String]) -> Result<ExitCode> {
    if args.iter().any(|arg| arg == "--help") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(args)?;
    if cfg!(debug_assertions) && !options.debug {
        return optimised(args);
    }
    match (options.worker, options.matrix) {
        (true, _) => work(&options),
        (_, true) => sweep::run(&options, args),
        _ => judge(&options, args),
    }
}

/// Runs the same command in the optimised build.
fn optimised(args: &[String]) -> Result<ExitCode> {
    let mut command = Command::new(crate::cargo());
    let manifest = crate::root().join("Cargo.toml");
    command.args(["run", "--release", "--quiet", "--package", "xtask", "--manifest-path"]);
    command.arg(manifest).args(["--", "corpus"]).args(args);
    let status = command.status().context("cargo run --release")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn judge(options: &Options, args: &[String]) -> Result<ExitCode> {
    let board_path = crate::root().join(scoreboard::PATH);
    let mut board = Scoreboard::parse(&fs::read_to_string(&board_path).unwrap_or_default());
    let (mut all, mut fallen) = (Tally::default(), Vec::new());
    let pool = pool(options, args)?;
    for group in options.groups()? {
        let results = results(options, &pool, group)?;
        let tally = Tally::of(&results);
        if options.verbose {
            print_reasons(&results);
        }
        if options.case.is_none() || tally.total() > 0 {
            println!("{}: {tally}", group.name);
        }
        all.add(&tally);
        if options.scored() {
            fallen.extend(board.fallen(&results).into_iter().map(str::to_owned));
        }
        if options.case.is_none() && tally.total() > 0 {
            board.set(group.name, &results);
        }
    }
    println!("corpus: {all}");
    if options.kernels {
        let compared = pool.kernels.load(Ordering::Relaxed);
        println!("kernels: {compared} compared, those of each worker once");
    }
    for id in &fallen {
        println!("fallen: {id} is listed as passing in {}", scoreboard::PATH);
    }
    ensure!(options.case.is_none() || all.total() > 0, "no such case");
    if options.update && fallen.is_empty() {
        ensure!(options.scored(), "--update is for the usual backend and clustering");
        let order: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
        fs::write(&board_path, board.text(&order)).context(scoreboard::PATH)?;
    }
    Ok(if fallen.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a group; its cases in order.
fn results(options: &Options, pool: &Pool, group: &Group) -> Result<Vec<(String, Outcome)>> {
    let mut units = group.units(&options.root)?;
    let id = |name: &str| format!("{}/{name}", group.name);
    units.retain(|name| options.case.iter().all(|c| pool::concerns(&id(name), c)));
    let units = units.into_iter().map(|name| (group.name.to_owned(), name));
    let mut results = pool.run(units.collect())?;
    results.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(results)
}

fn pool(options: &Options, args: &[String]) -> Result<Pool> {
    let exe = std::env::current_exe().context("our own program")?;
    let mut command = vec![exe.to_string_lossy().into_owned(), "corpus".to_owned()];
    let ours = |arg: &&String| !["--update", "--matrix"].contains(&arg.as_str());
    command.extend(args.iter().filter(ours).cloned());
    command.push("--worker".to_owned());
    // A plugin may reserve more addresses than there is memory.
    let bounded = !options.backend.starts_with("pjrt:");
    let memory_kib = bounded.then_some(WORKER_MEMORY_KIB);
    Ok(Pool { command, jobs: options.jobs, limit: options.limit, memory_kib, ..Pool::default() })
}

fn print_reasons(results: &[(String, Outcome)]) {
    for (id, outcome) in results {
        match outcome {
            Outcome::Passed => {}
            Outcome::Failed(why) => println!("FAILED {id}: {why}"),
            Outcome::Skipped(why) => println!("SKIPPED {id}: {why}"),
        }
    }
}

/// Cases by how they ended.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    fn of(results: &[(String, Outcome)]) -> Tally {
        let mut tally = Tally::default();
        for (_, outcome) in results {
            match outcome {
                Outcome::Passed => tally.passed += 1,
                Outcome::Failed(_) => tally.failed += 1,
                Outcome::Skipped(_) => tally.skipped += 1,
            }
        }
        tally
    }

    fn add(&mut self, other: &Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    fn total(&self) -> usize {
        self.passed + self.failed + self.skipped
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// A worker: runs the units that it is asked for on its standard input.
fn work(options: &Options) -> Result<ExitCode> {
    let skips = fs::read_to_string(crate::root().join(skips::PATH)).unwrap_or_default();
    let skips = Skips::parse(&skips)?;
    let subject = library::subject(options)?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut fields = line.split('\t');
        let mut field = || fields.next().context("a line of three fields");
        let (group, name, after) = (field()?, field()?, field()?);
        let after = (!after.is_empty()).then(|| after.to_owned());
        run_unit(options, &*subject, &skips, (group, name), after)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn run_unit(
    options: &Options,
    subject: &dyn Subject,
    skips: &Skips,
    (group, name): (&str, &str),
    after: Option<String>,
) -> Result<()> {
    let found = GROUPS.iter().find(|g| g.name == group).context("no such group")?;
    let compared = subject.kernels_compared();
    let mut out = io::stdout();
    let only = options.case.as_deref();
    let (batch, digest) = (options.batch.unwrap_or(1), options.digest);
    let mut sink = Sink { only, after, skips, out: &mut out, batch, digest };
    if let Err(e) = found.run(Path::new(&options.root), name, subject, &mut sink) {
        sink.line(&format!("fail\t{group}/{name}\t{}", sink::one_line(&format!("{e:#}"))));
    }
    let compared = subject.kernels_compared() - compared;
    if compared > 0 {
        sink.line(&format!("kernels\t\t{compared}"));
    }
    sink.line("done");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options> {
        Options::parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_checked() {
        let options = parse(". --group ops --group models --clusters off --jobs 1").unwrap();
        assert_eq!(options.groups().unwrap().len(), 4);
        assert_eq!((options.clusters, options.jobs), (Some(false), 1));
        assert!(!options.scored());
        for bad in [". ./src", "./nothing-here", ". --jobs 0", ". --clusters maybe", ". --what"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(". --group nothing").unwrap().groups().is_err());
    }
}
