//! Processes timed from outside.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// Runs of a short command.
pub(super) const RUNS: usize = 9;

/// What the status of a process says when its engine is not there.
const MISSING: i32 = 3;

/// The times of a command from start to end, ascending; one more run in front warms the caches.
pub(super) fn timed(program: &Path, args: &[&str]) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(RUNS);
    for run in 0..=RUNS {
        let start = Instant::now();
        let output = Command::new(program).args(args).stdout(Stdio::null()).output()?;
        let time = start.elapsed();
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{args:?}: {text}");
        if run > 0 {
            times.push(time);
        }
    }
    times.sort_unstable();
    Ok(times)
}

/// The median and the minimum of sorted times.
pub(super) fn show(times: &[Duration]) -> String {
    let ms = |d: &Duration| d.as_secs_f64() * 1e3;
    format!("{:.1} ms ({:.1})", ms(&times[times.len() / 2]), ms(&times[0]))
}

/// What an engine said about one run: numbers by name. `start_ms` is from the start of the process
/// to its first result, seen from outside.
pub(super) type Row = BTreeMap<String, f64>;

/// Runs a command that prints the events `first` and `row` as JSON; `None` when its engine is not
/// there. With `pinned`, on one processor.
pub(super) fn events(command: &[String], pinned: bool) -> Result<Option<Row>> {
    let words: Vec<String> = match pinned {
        true => ["taskset", "--cpu-list", &pin()].map(str::to_owned).into(),
        false => Vec::new(),
    };
    let words: Vec<&String> = words.iter().chain(command).collect();
    let (program, args) = words.split_first().context("an empty command")?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| program.to_string())?;
    let mut row = Row::new();
    let mut first = None;
    let stdout = child.stdout.take().context("a pipe")?;
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        let now = start.elapsed();
        let Ok(Value::Object(event)) = serde_json::from_str::<Value>(&line) else { continue };
        match event.get("event").and_then(Value::as_str) {
            Some("first") => first = Some(now),
            Some("row") => {
                let numbers = event.iter().filter_map(|(k, v)| Some((k.clone(), v.as_f64()?)));
                row.extend(numbers);
            }
            _ => {}
        }
    }
    let output = child.wait_with_output()?;
    if output.status.code() == Some(MISSING) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", text.lines().last().unwrap_or("no message"));
    let Some(first) = first.filter(|_| !row.is_empty()) else { bail!("it printed no times") };
    row.insert("start_ms".to_owned(), first.as_secs_f64() * 1e3);
    Ok(Some(row))
}

/// The last processor: others are likelier to be used by whatever else runs.
fn pin() -> String {
    (std::thread::available_parallelism().map_or(1, usize::from) - 1).to_string()
}

/// For each name the median over rows.
pub(super) fn medians(rows: &[Row]) -> Row {
    let mut columns: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, value) in rows.iter().flatten() {
        columns.entry(name).or_default().push(*value);
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    columns.into_iter().map(|(name, values)| (name.to_owned(), median(values))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Result<Option<Row>> {
        events(&["sh", "-c", script].map(str::to_owned), false)
    }

    #[test]
    fn events_are_read_and_missing_engines_told_from_failures() {
        let script = r#"echo '{"event": "first"}'; echo noise; echo '{"event": "row", "a": 2}'"#;
        let row = sh(script).unwrap().unwrap();
        assert_eq!(row["a"], 2.0);
        assert!(row["start_ms"] > 0.0);
        assert!(sh("exit 3").unwrap().is_none());
        assert!(sh("echo broken >&2; exit 1").unwrap_err().to_string().contains("broken"));
        assert!(sh("true").is_err());
    }

    #[test]
    fn medians_are_taken_for_each_name() {
        let row = |a: f64| Row::from([("a".to_owned(), a), ("b".to_owned(), -a)]);
        let middle = medians(&[row(3.0), row(1.0), row(2.0)]);
        assert_eq!((middle["a"], middle["b"]), (2.0, -2.0));
    }
}
