//! Reads every model found under the paths given and tells how it went and how long it took.
//!
//! Models are folders with a `saved_model.pb` or `.pbtxt`, `.pb` files, and `.tfcase` files
//! (records of a JSON header, a serialised GraphDef and tensors). Exit status 1 if any was refused.

#![allow(clippy::print_stdout, reason = "a report for a terminal")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tfjit_base::{Error, Result};
use tfjit_model::{Model, ReadOptions};
use tfjit_proto::Message;
use tfjit_proto::tensorflow as pb;

#[derive(Default)]
struct Tally {
    good: usize,
    bad: usize,
    slowest: Option<(Duration, String)>,
}

fn main() {
    let mut tally = Tally::default();
    for root in std::env::args_os().skip(1) {
        for path in models(Path::new(&root)) {
            match path.extension().is_some_and(|e| e == "tfcase") {
                true => cases(&path, &mut tally),
                false => one(&path.display().to_string(), &mut tally, || whole(&path)),
            }
        }
    }
    println!("{} read, {} refused, slowest {:?}", tally.good, tally.bad, tally.slowest);
    std::process::exit(i32::from(tally.bad > 0));
}

fn models(root: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut todo = vec![root.to_path_buf()];
    while let Some(path) = todo.pop() {
        let saved = ["saved_model.pb", "saved_model.pbtxt"].map(|n| path.join(n));
        if saved.iter().any(|s| s.exists()) {
            out.push(path);
        } else if path.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            todo.extend(entries.map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "pb" || e == "tfcase" || e == "pbtxt")
            || path.file_name().is_some_and(|n| n == "model.json")
        {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn one(name: &str, tally: &mut Tally, read: impl FnOnce() -> Result<Model>) {
    let start = Instant::now();
    let result = read();
    let took = start.elapsed();
    match result {
        Ok(model) => {
            tally.good += 1;
            let values = model.variables.iter().filter(|v| v.value.is_some()).count();
            if !name.contains(".tfcase") {
                println!(
                    "ok {name}: {took:?}, {} nodes, {} functions, {}/{values} variables",
                    model.graph.len(),
                    model.library.len(),
                    model.variables.len()
                );
            }
            for warning in &model.warnings {
                println!("   {name}: warning: {warning}");
            }
        }
        Err(e) => {
            tally.bad += 1;
            println!("REFUSED {name}: {took:?}\n   {}", e.to_string().replace('\n', "\n   "));
        }
    }
    if tally.slowest.as_ref().is_none_or(|(t, _)| took > *t) {
        tally.slowest = Some((took, name.to_string()));
    }
}

/// Reads the model and selects all its signatures.
fn whole(path: &Path) -> Result<Model> {
    let model = tfjit_model::read(path, &ReadOptions::default())?;
    for key in model.signatures.keys() {
        let f = model.signature_function(key)?;
        f.graph.topological_order()?;
    }
    model.init_function()?;
    Ok(model)
}

fn cases(path: &Path, tally: &mut Tally) {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) => return println!("{}: {e}", path.display()),
    };
    let mut rest = bytes.as_slice();
    let mut number = 0;
    while !rest.is_empty() {
        let Some((graph, tail)) = case(rest) else {
            return println!("{}: cut off", path.display());
        };
        rest = tail;
        one(&format!("{}#{number}", path.display()), tally, || {
            let graph = pb::GraphDef::decode(graph).map_err(|e| Error::data_loss(e.to_string()))?;
            tfjit_model::from_graph_def(graph)
        });
        number += 1;
    }
}

/// The graph of the first record, and what follows the record.
fn case(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, rest) = block(bytes)?;
    let (graph, rest) = block(rest)?;
    let (count, mut rest) = rest.split_at_checked(4)?;
    for _ in 0..u32::from_le_bytes(count.try_into().ok()?) {
        let (length, tail) = rest.split_at_checked(8)?;
        let length = u64::from_le_bytes(length.try_into().ok()?);
        rest = tail.get(usize::try_from(length).ok()?..)?;
    }
    Some((graph, rest))
}

fn block(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(4)?;
    rest.split_at_checked(u32::from_le_bytes(length.try_into().ok()?) as usize)
}
