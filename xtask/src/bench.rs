//! `cargo xtask bench`: times the command on real models, and other engines beside it in the same
//! run, and writes `docs/benchmarks.md`.
//!
//! Whole processes are timed from outside, several times in turn with the peers, and the median is
//! taken: the machine may be shared. It must not be part of any test.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::{cargo, root};
use models::Plan;
use process::{RUNS, show, timed};

mod growth;
mod models;
mod process;

const HELP: &str = "\
usage: cargo xtask bench [OPTIONS]

  --corpus PATH     times `tfjit show` on every SavedModel of a corpus
  --show FOLDER     times `tfjit show` on saved_model/ in FOLDER; may be repeated
  --model FOLDER    times saved_model/ in FOLDER, with its golden.npz; may be repeated
  --peers PYTHON    an interpreter that has other engines, timed in turn with tfjit
  --engines A,B     only these of ort, openvino, tf, tfxla
  --backend NAME    local or eval; the usual one by default
  --batch N,N       batch sizes (1,8)
  --threads N,N     numbers of threads (1,2); one thread is pinned to a processor
  --rounds N        runs of each engine, in turn; medians are shown (3)
  --seconds S       time that each run measures (1)
  --growth [N]      times compiling generated programs of up to N nodes (100000)
  --tfjit FILE      the command to time, instead of building it
  --write           writes docs/benchmarks.md
";

struct Options {
    corpus: Option<PathBuf>,
    shows: Vec<PathBuf>,
    models: Vec<PathBuf>,
    tfjit: Option<PathBuf>,
    plan: Plan,
    growth: Option<usize>,
    write: bool,
}

fn parse(args: &[String]) -> Result<Options> {
    let plan = Plan {
        batches: vec![1, 8],
        threads: vec![1, 2],
        backend: None,
        engines: None,
        rounds: 3,
        seconds: 1.0,
        python: None,
    };
    let mut options = Options {
        corpus: None,
        shows: Vec::new(),
        models: Vec::new(),
        tfjit: None,
        plan,
        growth: None,
        write: false,
    };
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        if arg == "--growth" {
            let nodes = rest.next_if(|n| !n.starts_with("--")).map(|n| n.parse()).transpose()?;
            options.growth = Some(nodes.unwrap_or(100_000));
            continue;
        }
        let mut value = || rest.next().with_context(|| format!("{arg} needs a value"));
        let plan = &mut options.plan;
        match arg.as_str() {
            "--corpus" => options.corpus = Some(value()?.into()),
            "--show" => options.shows.push(value()?.into()),
            "--tfjit" => options.tfjit = Some(value()?.into()),
            "--model" => options.models.push(value()?.into()),
            "--peers" => plan.python = Some(value()?.clone()),
            "--engines" => plan.engines = Some(list(value()?)?),
            "--backend" => plan.backend = Some(value()?.clone()),
            "--batch" => plan.batches = list(value()?)?,
            "--threads" => plan.threads = list(value()?)?,
            "--rounds" => plan.rounds = value()?.parse().context("--rounds")?,
            "--seconds" => plan.seconds = value()?.parse().context("--seconds")?,
            "--write" => options.write = true,
            _ => bail!("{arg}?\n\n{HELP}"),
        }
    }
    ensure!(options.plan.rounds > 0, "--rounds: at least one");
    Ok(options)
}

/// Values between commas.
fn list<T: std::str::FromStr>(text: &str) -> Result<Vec<T>>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.split(',').map(|item| item.parse().with_context(|| text.to_owned())).collect()
}

/// Times what the arguments ask for.
///
/// # Errors
/// When the command cannot be built or run.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    if args.iter().any(|arg| arg == "--help") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = parse(args)?;
    if cfg!(debug_assertions) {
        return optimised(args);
    }
    let tfjit = match &options.tfjit {
        Some(file) => file.clone(),
        None => {
            let mut build = Command::new(cargo());
            build.args(["build", "--release", "--package", "tfjit-cli"]);
            ensure!(build.current_dir(root()).status()?.success(), "tfjit does not build");
            root().join("target/release/tfjit")
        }
    };
    let page = measured(&options, &tfjit)?;
    print!("{page}");
    if options.write {
        std::fs::write(root().join("docs/benchmarks.md"), page)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the same command in the optimised build.
fn optimised(args: &[String]) -> Result<ExitCode> {
    let mut command = Command::new(crate::cargo());
    command.args(["run", "--release", "--quiet", "--package", "xtask", "--", "bench"]);
    let status = command.args(args).current_dir(root()).status().context("cargo run --release")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measured(options: &Options, tfjit: &Path) -> Result<String> {
    let mut page = String::from("# Benchmarks\n\n");
    // Writing to a string can't fail.
    let usual = tfjit::Backend::default();
    let backend = options.plan.backend.as_deref().unwrap_or(usual.name());
    let _ = writeln!(
        page,
        "Written by `cargo xtask bench`. {}, {} processors granted, load average {} before; \
         backend {backend}. Compare figures of one table only: its rows were measured in turn, its \
         figures are medians.\n\n| whole process, median of {RUNS} (minimum) | |\n|---|---|",
        processor(),
        std::thread::available_parallelism().map_or(1, usize::from),
        load_average()
    );
    let times = timed(tfjit, &["--help"])?;
    let _ = writeln!(page, "| start to the end of `--help` | {} |", show(&times));
    if let Some(corpus) = &options.corpus {
        let (name, times, count) = slowest_show(tfjit, corpus)?;
        let _ = writeln!(page, "| slowest `show` of {count} models: {name} | {} |", show(&times));
    }
    for model in options.shows.iter().chain(&options.models) {
        model_rows(&mut page, tfjit, model)?;
    }
    if let Some(nodes_max) = options.growth {
        let mut session = tfjit::Options::default();
        if let Some(backend) = &options.plan.backend {
            session.backend = backend.parse()?;
        }
        growth::table(&mut page, &session, nodes_max)?;
    }
    for model in &options.models {
        options.plan.table(&mut page, tfjit, model)?;
    }
    if !options.models.is_empty() {
        page.push_str(NOTES);
    }
    Ok(page)
}

/// What the columns of the tables of models mean.
const NOTES: &str = "
Start to first result is from the start of the process, for Python engines with their imports;
converting to ONNX is not counted. Load is reading the model until it can be called, without
imports. Compile is part of the first call of tfjit. Peak memory is the process's, mapped files
included. Off by is the largest absolute difference from TensorFlow's own results.
";

/// How busy the machine was in the last minute, where the system tells.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|word| !word.is_empty()).unwrap_or("unknown").to_owned()
}

/// The processor's name, where the system tells.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(": ")).map(|(_, name)| name.trim());
    name.unwrap_or("an unknown processor").to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Result<Options> {
        parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_parsed() {
        let o = options("--model a --model b --batch 1,4 --growth --engines ort,tf").unwrap();
        assert_eq!((o.models.len(), o.growth), (2, Some(100_000)));
        assert_eq!(o.plan.batches, [1, 4]);
        assert_eq!(o.plan.engines.unwrap(), ["ort", "tf"]);
        assert_eq!(options("--growth 1000 --write").unwrap().growth, Some(1000));
        for bad in ["--rounds 0", "--batch x", "--model", "nothing"] {
            assert!(options(bad).is_err(), "{bad}");
        }
    }
}
