//! `bench`: how fast a signature or a program runs.

use std::path::Path;
use std::time::{Duration, Instant};

use tfjit::{ProgramProfile, Signature, Times};
use tfjit_base::{Result, Tensor};

use super::subject::{Choice, Feeds, Inputs, Subject, borrowed, options};
use super::{profile, program};
use crate::args::BenchArgs;
use crate::console::{Console, Style};
use crate::failure::Failure;
use crate::progress;
use crate::table::{Align, Table, seconds_text};
use golden::{Distance, Golden};
use programs::Program;

mod golden;
mod programs;

/// Launches before anything is measured.
const WARM_UP: usize = 3;

/// Measures and prints a table, a row for each batch size and number of threads.
///
/// # Errors
/// Those of reading and running, and of writing to stdout.
pub(super) fn bench(args: &BenchArgs, console: &mut Console) -> Result<(), Failure> {
    if !(args.seconds.is_finite() && (0.0..1e6).contains(&args.seconds)) || args.launches == 0 {
        return Err(Failure::Usage("there must be time, and launches, to measure".to_owned()));
    }
    let path: &Path = &args.model;
    if program::is_program(path) {
        return bench_program(args, console);
    }
    let inputs = Inputs::parse(&args.inputs, console)?;
    let choice = Choice {
        path,
        tags: args.tags.as_deref(),
        signature: args.signature.as_deref(),
        feeds: &args.feeds,
        fetches: &args.fetches,
    };
    let subject = Subject::read(&choice, console)?;
    let golden = args.golden.as_deref().map(Golden::read).transpose()?;
    let bench = Bench { args, choice, inputs, subject, golden };
    let mut table = head();
    let mut profiles = Vec::new();
    for threads in thread_counts(args) {
        bench.rows(threads, &mut table, &mut profiles, console)?;
    }
    print_rows(args, &table, &profiles, console)
}

/// The same for a StableHLO program.
fn bench_program(args: &BenchArgs, console: &mut Console) -> Result<(), Failure> {
    let program = Program::read(args, console)?;
    let mut table = head();
    let mut profiles = Vec::new();
    for threads in thread_counts(args) {
        for &batch in &args.batch {
            let (options, measured) = program.measure(batch, threads, &mut profiles, console)?;
            if args.json {
                console.line(json(program.read, batch, options.threads, &measured))?;
                console.flush()?;
            }
            let mut row = vec![batch.to_string(), options.threads.to_string()];
            row.extend(measured.cells());
            table.row(row);
        }
    }
    print_rows(args, &table, &profiles, console)
}

fn head() -> Table {
    let mut table = Table::new(&[Align::Right; 7]);
    table.row(["batch", "threads", "first", "median", "min", "p99", "launches/s"]);
    table
}

fn thread_counts(args: &BenchArgs) -> Vec<Option<usize>> {
    match args.threads.as_slice() {
        [] => vec![None],
        threads => threads.iter().copied().map(Some).collect(),
    }
}

/// Prints the table, unless lines of JSON were printed already.
fn print_rows(
    args: &BenchArgs,
    table: &Table,
    profiles: &[ProgramProfile],
    console: &mut Console,
) -> Result<(), Failure> {
    if args.json {
        return Ok(());
    }
    let text = table.text(0);
    let (head, rows) = text.split_once('\n').unwrap_or((&text, ""));
    let head = console.style(Style::Heading, head);
    console.line(head)?;
    console.print(rows)?;
    profile::print_tables(profiles, console)
}

/// What is measured.
struct Bench<'a> {
    args: &'a BenchArgs,
    choice: Choice<'a>,
    inputs: Inputs,
    subject: Subject,
    golden: Option<Golden>,
}

impl Bench<'_> {
    /// A row for each batch size.
    fn rows(
        &self,
        threads: Option<usize>,
        table: &mut Table,
        profiles: &mut Vec<ProgramProfile>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let options = options(&self.args.engine, threads);
        let session = self.subject.session(&options, console)?;
        let signature = self.subject.signature(&self.choice, &session)?;
        for &batch in &self.args.batch {
            let feeds = self.feeds(&signature, batch)?;
            let first = self.first(&signature, &feeds)?;
            profile::take(&options);
            if self.args.json {
                let (ms, threads) = (millis(first.time), options.threads);
                console.line(format!(
                    "{{\"event\": \"first\", \"batch\": {batch}, \"threads\": {threads}, \
                     \"first_ms\": {ms}}}"
                ))?;
                console.flush()?;
            }
            let label = format!("batch {batch}, {} threads", options.threads);
            let measure = || measure(&signature, &feeds, self.args);
            let measured = Measured { first, times: progress::during(console, &label, measure)? };
            for program in profile::take(&options) {
                let function = format!("{}, {label}", program.function);
                profiles.push(ProgramProfile { function, ..program });
            }
            if self.args.json {
                console.line(json(self.subject.read, batch, options.threads, &measured))?;
                console.flush()?;
            }
            let mut row = vec![batch.to_string(), options.threads.to_string()];
            row.extend(measured.cells());
            table.row(row);
        }
        Ok(())
    }

    fn feeds(&self, signature: &Signature, batch: usize) -> Result<Feeds> {
        let specs = signature.inputs();
        let Some(golden) = &self.golden else { return self.inputs.all_feeds(specs, Some(batch)) };
        let mut feeds = golden.feeds(specs, batch)?;
        if feeds.len() < specs.len() {
            let others = self.inputs.all_feeds(specs, Some(batch))?.into_iter();
            let missing = others.filter(|(name, _)| feeds.iter().all(|(known, _)| known != name));
            let missing: Feeds = missing.collect();
            feeds.extend(missing);
        }
        Ok(feeds)
    }

    /// The first launch, with compilation, and whether it is right.
    fn first(&self, signature: &Signature, feeds: &Feeds) -> Result<First> {
        let start = Instant::now();
        let outputs = signature.run(&borrowed(feeds))?;
        let time = start.elapsed();
        let distance = self.golden.as_ref().map(|golden| golden.compare(&outputs)).transpose()?;
        Ok(First { time, parts: outputs.times, distance })
    }
}

/// One line of JSON for a row.
fn json(read: Duration, batch: usize, threads: usize, measured: &Measured) -> String {
    let Measured { first, times } = measured;
    let compile = first.parts.lower + first.parts.optimise + first.parts.compile;
    let mut text = format!(
        "{{\"event\": \"row\", \"batch\": {batch}, \"threads\": {threads}, \"load_ms\": {}, \
         \"compile_ms\": {}, \"first_ms\": {}, \"median_ms\": {}, \"min_ms\": {}, \
         \"calls\": {}",
        millis(read),
        millis(compile),
        millis(first.time),
        millis(measured.at(0.5)),
        millis(measured.at(0.0)),
        times.len()
    );
    if let Some(mib) = peak_mib() {
        text.push_str(&format!(", \"peak_mb\": {mib:.1}"));
    }
    if let Some(Distance { worst, scale }) = first.distance {
        // JSON has no NaN.
        let worst = if worst.is_finite() { worst } else { f64::MAX };
        text.push_str(&format!(", \"worst\": {worst:e}, \"scale\": {scale:e}"));
    }
    text + "}"
}

fn millis(time: Duration) -> String {
    format!("{:.4}", time.as_secs_f64() * 1e3)
}

/// The most memory that the process ever held, in MiB, where the system tells.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

/// The first launch.
struct First {
    /// How long it took, with compilation.
    time: Duration,
    /// Where the time went.
    parts: Times,
    /// How far the results are from the golden ones, if there are any.
    distance: Option<Distance>,
}

/// The launch times of one row.
struct Measured {
    first: First,
    /// In ascending order, at least one.
    times: Vec<Duration>,
}

impl Measured {
    fn at(&self, quantile: f64) -> Duration {
        self.times[((self.times.len() - 1) as f64 * quantile) as usize]
    }

    fn cells(&self) -> [String; 5] {
        let text = |d: Duration| seconds_text(d.as_secs_f64());
        let total: Duration = self.times.iter().sum();
        let rate = self.times.len() as f64 / total.as_secs_f64().max(1e-9);
        let rate = if rate >= 100.0 { format!("{rate:.0}") } else { format!("{rate:.2}") };
        let [median, min, p99] = [0.5, 0.0, 0.99].map(|q| text(self.at(q)));
        [text(self.first.time), median, min, p99, rate]
    }
}

/// Times of launches after a warm-up.
fn measure(signature: &Signature, feeds: &Feeds, args: &BenchArgs) -> Result<Vec<Duration>> {
    let feeds: Vec<(&str, Tensor)> = borrowed(feeds);
    launches(|| signature.run(&feeds).map(drop), args)
}

/// Times of calls of `run` after a warm-up, in ascending order.
fn launches(run: impl Fn() -> Result<()>, args: &BenchArgs) -> Result<Vec<Duration>> {
    let launch = || -> Result<Duration> {
        let start = Instant::now();
        run()?;
        Ok(start.elapsed())
    };
    let budget = Duration::from_secs_f64(args.seconds);
    let start = Instant::now();
    for _ in 0..WARM_UP {
        launch()?;
        if start.elapsed() > budget {
            break;
        }
    }
    let mut times = Vec::new();
    let start = Instant::now();
    while times.is_empty() || (times.len() < args.launches && start.elapsed() < budget) {
        times.push(launch()?);
    }
    times.sort_unstable();
    Ok(times)
}
