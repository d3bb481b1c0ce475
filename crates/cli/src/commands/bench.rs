//! `bench`: how fast a signature runs.

use std::path::Path;
use std::time::{Duration, Instant};

use tfjit::Signature;
use tfjit_base::{Result, Tensor};

use super::program;
use super::subject::{Choice, Feeds, Inputs, Subject, borrowed, options};
use crate::args::BenchArgs;
use crate::console::{Console, Style};
use crate::failure::Failure;
use crate::progress;
use crate::table::{Align, Table, seconds_text};

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
        return Err(Failure::Usage("bench measures models; programs can be run".to_owned()));
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
    let mut table = Table::new(&[Align::Right; 7]);
    table.row(["batch", "threads", "first", "median", "min", "p99", "launches/s"]);
    let threads: Vec<Option<usize>> = match args.threads.as_slice() {
        [] => vec![None],
        threads => threads.iter().copied().map(Some).collect(),
    };
    for threads in threads {
        let options = options(&args.engine, threads);
        let session = subject.session(&options, console)?;
        let signature = subject.signature(&choice, &session)?;
        for &batch in &args.batch {
            let feeds = inputs.all_feeds(signature.inputs(), Some(batch))?;
            let label = format!("batch {batch}, {} threads", options.threads);
            let measured = progress::during(console, &label, || measure(&signature, &feeds, args))?;
            let mut row = vec![batch.to_string(), options.threads.to_string()];
            row.extend(measured.cells());
            table.row(row);
        }
    }
    let text = table.text(0);
    let (head, rows) = text.split_once('\n').unwrap_or((&text, ""));
    let head = console.style(Style::Heading, head);
    console.line(head)?;
    console.print(rows)
}

/// The launch times of one row.
struct Measured {
    /// With compilation.
    first: Duration,
    /// In ascending order, at least one.
    times: Vec<Duration>,
}

impl Measured {
    fn cells(&self) -> [String; 5] {
        let text = |d: Duration| seconds_text(d.as_secs_f64());
        let at = |quantile: f64| self.times[((self.times.len() - 1) as f64 * quantile) as usize];
        let total: Duration = self.times.iter().sum();
        let rate = self.times.len() as f64 / total.as_secs_f64().max(1e-9);
        let rate = if rate >= 100.0 { format!("{rate:.0}") } else { format!("{rate:.2}") };
        [text(self.first), text(at(0.5)), text(at(0.0)), text(at(0.99)), rate]
    }
}

fn measure(signature: &Signature, feeds: &Feeds, args: &BenchArgs) -> Result<Measured> {
    let feeds: Vec<(&str, Tensor)> = borrowed(feeds);
    let launch = || -> Result<Duration> {
        let start = Instant::now();
        signature.run(&feeds)?;
        Ok(start.elapsed())
    };
    let budget = Duration::from_secs_f64(args.seconds);
    let first = launch()?;
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
    Ok(Measured { first, times })
}
