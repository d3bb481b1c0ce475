//! `cargo xtask bench`: times the command on real models, and other engines beside it in the same
//! run, and writes `docs/benchmarks.md`.
//!
//! Whole processes are timed from outside, several times in turn with the peers, and the median is
//! taken: the machine may be shared. It must not be part of any test.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::{cargo, root};

const HELP: &str = "\
usage: cargo xtask bench [--corpus PATH] [--model FOLDER]... [--peers PYTHON] [--write]

  --corpus PATH    times `tfjit show` on every SavedModel of a corpus
  --model FOLDER   times reading and running saved_model/ in FOLDER (its golden npz feeds peers)
  --peers PYTHON   an interpreter with TensorFlow or others, timed beside by tools/bench_peers.py
  --write          writes docs/benchmarks.md
";

/// Runs of each command.
const RUNS: usize = 9;

/// Engines that the peer script knows.
const ENGINES: &[&str] = &["tf", "tfxla", "ort", "openvino"];

#[derive(Default)]
struct Options {
    corpus: Option<PathBuf>,
    models: Vec<PathBuf>,
    peers: Option<String>,
    write: bool,
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--corpus" => options.corpus = Some(value()?.into()),
            "--model" => options.models.push(value()?.into()),
            "--peers" => options.peers = Some(value()?.clone()),
            "--write" => options.write = true,
            _ => bail!("{arg}?\n\n{HELP}"),
        }
    }
    Ok(options)
}

/// Times what the arguments ask for.
///
/// # Errors
/// When the command cannot be built or run.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let options = parse(args)?;
    let built = Command::new(cargo())
        .args(["build", "--release", "--package", "tfjit-cli"])
        .current_dir(root())
        .status()?;
    ensure!(built.success(), "tfjit does not build");
    let tfjit = root().join("target/release/tfjit");
    let mut page = String::from("# Benchmarks\n\n");
    // Writing to a string can't fail.
    let _ = writeln!(
        page,
        "Written by `cargo xtask bench`. Whole processes, median of {RUNS} runs (minimum), {} \
         processors. Compare figures of one table only.\n\n| what | tfjit |\n|---|---|",
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    let times = timed(&tfjit, &["--help"])?;
    let _ = writeln!(page, "| process start to the end of `--help` | {} |", show(&times));
    if let Some(corpus) = &options.corpus {
        let (name, times, count) = slowest_show(&tfjit, corpus)?;
        let _ = writeln!(page, "| slowest `show` of {count} models: {name} | {} |", show(&times));
    }
    for model in &options.models {
        model_rows(&mut page, &tfjit, model)?;
    }
    if let Some(python) = &options.peers {
        for model in &options.models {
            peer_table(&mut page, python, model)?;
        }
    }
    print!("{page}");
    if options.write {
        std::fs::write(root().join("docs/benchmarks.md"), page)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn timed(program: &Path, args: &[&str]) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(RUNS);
    // One more in front warms the page cache.
    for run in 0..=RUNS {
        let start = Instant::now();
        let output = Command::new(program).args(args).stdout(Stdio::null()).output()?;
        let time = start.elapsed();
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} {args:?}: {text}", program.display());
        if run > 0 {
            times.push(time);
        }
    }
    times.sort_unstable();
    Ok(times)
}

fn show(times: &[Duration]) -> String {
    let ms = |d: &Duration| d.as_secs_f64() * 1e3;
    format!("{:.1} ms ({:.1})", ms(&times[times.len() / 2]), ms(&times[0]))
}

/// The SavedModel whose `show` takes longest, its times, and how many there are.
fn slowest_show(tfjit: &Path, corpus: &Path) -> Result<(String, Vec<Duration>, usize)> {
    let mut slowest: Option<(String, Vec<Duration>)> = None;
    let mut count = 0;
    for group in ["models/real", "models/arch", "models/train", "zoo"] {
        let Ok(folder) = std::fs::read_dir(corpus.join(group)) else { continue };
        for entry in folder {
            let path = entry?.path().join("saved_model");
            if !path.is_dir() {
                continue;
            }
            count += 1;
            let times = timed(tfjit, &["show", &path.to_string_lossy()])?;
            let median = times[RUNS / 2];
            if slowest.as_ref().is_none_or(|(_, t)| t[RUNS / 2] < median) {
                let name = path.parent().and_then(Path::file_name).unwrap_or_default();
                slowest = Some((name.to_string_lossy().into_owned(), times));
            }
        }
    }
    let (name, times) = slowest.context("the corpus holds no SavedModel")?;
    Ok((name, times, count))
}

fn model_rows(page: &mut String, tfjit: &Path, model: &Path) -> Result<()> {
    let folder = model.join("saved_model");
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let mut bytes = 0;
    for part in ["", "variables"] {
        for entry in std::fs::read_dir(folder.join(part))? {
            bytes += entry?.metadata()?.len();
        }
    }
    let times = timed(tfjit, &["show", &folder.to_string_lossy()])?;
    let mib = bytes >> 20;
    let _ = writeln!(page, "| load and `show` {name} ({mib} MiB) | {} |", show(&times));
    Ok(())
}

/// One line of JSON per engine whose packages are there.
fn peer_table(page: &mut String, python: &str, model: &Path) -> Result<()> {
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let _ = writeln!(page, "\nPeers on {name}, one thread:\n\n```json");
    for engine in ENGINES {
        let output = Command::new(python)
            .arg(root().join("tools/bench_peers.py"))
            .arg(engine)
            .arg(model)
            .output()
            .with_context(|| python.to_owned())?;
        if output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout);
            let _ = writeln!(page, "{}", text.lines().last().unwrap_or_default());
        }
    }
    page.push_str("```\n");
    Ok(())
}
