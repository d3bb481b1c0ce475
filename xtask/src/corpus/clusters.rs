//! Graphs as TensorFlow's auto-clustering left them: the source, and a dump behind each pass.
//!
//! The dumps are functions: `_Arg` nodes where the source was fed, `_Retval` nodes where it was
//! fetched. Variables are set by a graph of their own, which is merged in.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::compare::{Tolerance, close};
use super::graph::{Graph, json_tensor};
use super::sink::Sink;
use super::subject::{Named, Subject};

/// The dumps that are whole programs, in the order of the passes.
const DUMPS: &[&str] = &[
    "before_mark_for_compilation",
    "mark_for_compilation",
    "encapsulate_subgraphs_before",
    "encapsulate_subgraphs_after",
    "build_xla_ops",
];

#[derive(Deserialize)]
struct Io {
    feeds: Map<String, Value>,
    fetches: Vec<String>,
    runs: Vec<Vec<Value>>,
}

/// Runs the source of one folder and each of its dumps.
pub(crate) fn run(
    id: &str,
    folder: &Path,
    subject: &dyn Subject,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let io = fs::read(folder.join("io.json")).context("io.json")?;
    let io: Io = serde_json::from_slice(&io).context("io.json")?;
    sink.case(&format!("{id}/source"), || {
        let graph = read(folder, "source")?;
        let init = graph.node("init").map(|node| node.name.clone());
        let init: Vec<String> = init.into_iter().collect();
        check(&graph, &init, &io, subject, str::to_owned, |name| Ok(name.to_owned()))
    });
    for dump in DUMPS {
        sink.case(&format!("{id}/{dump}"), || {
            let initialiser = read(folder, dump)?;
            let init = initialiser.sinks();
            let graph = read(folder, &format!("{dump}_1"))?.merged(initialiser);
            let args: Vec<&str> = graph.of_op("_Arg").collect();
            let retvals: Vec<&str> = graph.of_op("_Retval").collect();
            let feed = |name: &str| {
                let found = args.iter().find(|arg| arg.starts_with(&dumped("_arg", name)));
                found.map_or_else(|| name.to_owned(), |arg| format!("{arg}:0"))
            };
            let fetch = |name: &str| {
                let found = retvals.iter().find(|r| r.starts_with(&dumped("_retval", name)));
                let node = found.and_then(|retval| graph.node(retval));
                let input = node.and_then(|node| node.input.first()).cloned();
                let input = input.with_context(|| format!("no result for `{name}`"))?;
                Ok(if input.contains(':') { input } else { format!("{input}:0") })
            };
            check(&graph, &init, &io, subject, feed, fetch)
        });
    }
    Ok(())
}

fn read(folder: &Path, name: &str) -> Result<Graph> {
    let path = folder.join(format!("{name}.pb"));
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    Graph::parse(&bytes).with_context(|| path.display().to_string())
}

/// How the name of the `_Arg` or `_Retval` for the tensor `name` starts.
fn dumped(kind: &str, name: &str) -> String {
    format!("{kind}_{}_", name.replace(':', "_"))
}

fn check(
    graph: &Graph,
    init: &[String],
    io: &Io,
    subject: &dyn Subject,
    feed: impl Fn(&str) -> String,
    fetch: impl Fn(&str) -> Result<String>,
) -> Result<()> {
    let mut program = subject.graph_def(&graph.encode())?;
    let mut feeds: Named = Vec::new();
    for (name, value) in &io.feeds {
        let name = feed(name);
        let dtype = graph.placeholder(&name)?;
        feeds.push((name, json_tensor(value, dtype)?));
    }
    let fetches: Vec<String> = io.fetches.iter().map(|name| fetch(name)).collect::<Result<_>>()?;
    if !init.is_empty() {
        program.run(&Vec::new(), &[], init).context("initialiser")?;
    }
    for (i, run) in io.runs.iter().enumerate() {
        let results = program.run(&feeds, &fetches, &[]).with_context(|| format!("run {i}"))?;
        ensure!(results.len() == run.len(), "run {i}: {} results", results.len());
        for (got, want) in results.iter().zip(run) {
            let want = json_tensor(want, got.dtype())?;
            let tolerance = Tolerance::usual(got.dtype());
            close(got, &want, tolerance).with_context(|| format!("run {i}"))?;
        }
    }
    Ok(())
}
