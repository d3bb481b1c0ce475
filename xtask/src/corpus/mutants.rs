//! Broken SavedModels: an error value is right, a panic, a hang or a result is not.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use tfjit_base::{Shape, Tensor};

use super::sink::Sink;
use super::subject::Subject;

/// The mutants of a folder with what is right for each, from its `expected.tsv`.
pub(crate) fn list(folder: &Path) -> Result<Vec<(String, String)>> {
    let path = folder.join("expected.tsv");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let rows = text.lines().skip(1).filter_map(|line| line.split_once('\t'));
    Ok(rows.map(|(name, right)| (name.to_owned(), right.to_owned())).collect())
}

/// Runs one mutant.
pub(crate) fn run(
    id: &str,
    folder: &Path,
    right: &str,
    subject: &dyn Subject,
    sink: &mut Sink<'_>,
) {
    sink.case(id, || check(folder, right, subject));
}

fn check(folder: &Path, right: &str, subject: &dyn Subject) -> Result<()> {
    let x = Tensor::from_slice(Shape::new(&[4, 3]), &[0.5f32; 12])?;
    let feeds = vec![("x".to_owned(), x)];
    let loaded = subject.saved_model(folder, &[]);
    let loads = loaded.is_ok();
    let called = loaded.and_then(|mut program| program.call("serving_default", &feeds));
    let message = called.as_ref().err().map(ToString::to_string).unwrap_or_default();
    if right == "error" {
        ensure!(called.is_err(), "ran, and an error is wanted");
    } else if right.starts_with("loads; ") {
        ensure!(loads, "does not load: {message}");
        ensure!(called.is_err(), "ran without a signature");
    } else if right == "loads" {
        ensure!(called.is_ok(), "does not run: {message}");
    } else {
        bail!("`{right}` is not a known expectation");
    }
    let told = called.is_ok() || message.trim().len() > 10;
    ensure!(told, "the error says nothing: `{message}`");
    Ok(())
}
