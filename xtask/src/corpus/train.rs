//! Training cases: a sequence of calls that change variables, then the variables themselves.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::arrays;
use super::compare::{Tolerance, close};
use super::graph::{Graph, json_tensor};
use super::models::manifest;
use super::npz::{self, Arrays};
use super::sink::Sink;
use super::subject::{Named, Subject, named};

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    path: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    steps: Vec<Step>,
    #[serde(default)]
    variables: Vec<Variable>,
    #[serde(flatten)]
    tolerance: Tolerance,
    #[serde(default)]
    cases: Vec<GraphCase>,
}

#[derive(Deserialize)]
struct Step {
    signature: String,
    status: String,
    code: Option<String>,
}

#[derive(Deserialize)]
struct Variable {
    npz: String,
    dtype: String,
    shape: Vec<usize>,
}

#[derive(Deserialize)]
struct GraphCase {
    graph: String,
    feeds: serde_json::Map<String, Value>,
    fetch: String,
    tf: GraphOutcome,
}

#[derive(Deserialize)]
struct GraphOutcome {
    code: Option<String>,
    value: Option<Value>,
}

/// Runs one training case: the whole sequence is one case, each graph of a folder of graphs too.
pub(crate) fn run(
    id: &str,
    folder: &Path,
    subject: &dyn Subject,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let manifest: Manifest = manifest(folder)?;
    if !manifest.steps.is_empty() {
        sink.case(id, || sequence(&manifest, folder, subject));
    }
    for case in &manifest.cases {
        let name = case.graph.trim_end_matches(".pb");
        sink.case(&format!("{id}/{name}"), || graph(case, folder, subject));
    }
    Ok(())
}

fn sequence(manifest: &Manifest, folder: &Path, subject: &dyn Subject) -> Result<()> {
    let arrays = npz::read(&folder.join("golden_plain.npz"))?;
    let mut program = subject.saved_model(&folder.join(&manifest.path), &manifest.tags)?;
    for (i, step) in manifest.steps.iter().enumerate() {
        let result = program.call(&step.signature, &all(&arrays, &format!("step{i}:in:"))?);
        let place = || format!("step {i}, {}", step.signature);
        if step.status != "ok" {
            let got = result.err().map_or("OK", |e| e.code().name());
            let want = step.code.as_deref().unwrap_or("an error");
            let met = if step.code.is_some() { got == want } else { got != "OK" };
            ensure!(met, "{}: {want} is wanted, not {got}", place());
            continue;
        }
        let results = result.with_context(place)?;
        for (key, want) in all(&arrays, &format!("step{i}:out:"))? {
            let got = named(&results, &key).with_context(place)?;
            close(got, &want, manifest.tolerance).with_context(|| format!("{}, {key}", place()))?;
        }
    }
    for variable in &manifest.variables {
        let name = format!("var_final:{}", variable.npz);
        let want = arrays::tensor(&arrays, &name, &variable.dtype, &variable.shape)?;
        let got = program.variable(&variable.npz)?;
        close(&got, &want, manifest.tolerance).context(name)?;
    }
    Ok(())
}

/// The arrays whose names start with `prefix`, without it.
fn all(arrays: &Arrays, prefix: &str) -> Result<Named> {
    let mine = arrays.iter().filter_map(|(name, a)| Some((name.strip_prefix(prefix)?, a)));
    mine.map(|(name, array)| {
        let dtype = arrays::own_dtype(array).with_context(|| name.to_owned())?;
        Ok((name.to_owned(), arrays::from_array(array, dtype, &array.shape)?))
    })
    .collect()
}

fn graph(case: &GraphCase, folder: &Path, subject: &dyn Subject) -> Result<()> {
    let path = folder.join(&case.graph);
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    let nodes = Graph::parse(&bytes)?;
    let mut feeds: Named = Vec::new();
    for (name, value) in &case.feeds {
        feeds.push((name.clone(), json_tensor(value, nodes.placeholder(name)?)?));
    }
    let result = subject
        .graph_def(&bytes)
        .and_then(|mut program| program.run(&feeds, std::slice::from_ref(&case.fetch), &[]));
    match (result, &case.tf.code, &case.tf.value) {
        (Err(e), Some(code), _) if e.code().name() == code => Ok(()),
        (Err(e), Some(code), _) => bail!("{code} is wanted, not {e}"),
        (Err(e), None, _) => Err(e.into()),
        (Ok(_), Some(code), _) => bail!("ran, and {code} is wanted"),
        (Ok(got), None, value) => {
            let got = got.first().context("no result")?;
            let want = json_tensor(value.as_ref().context("no value")?, got.dtype())?;
            close(got, &want, Tolerance::usual(got.dtype()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{Shape, Tensor};

    #[test]
    fn arrays_by_prefix() {
        let array = npz::Array { descr: "<i4".into(), shape: vec![1], data: vec![5, 0, 0, 0] };
        let arrays = Arrays::from([("step0:in:x".to_owned(), array.clone()), ("y".into(), array)]);
        let found = all(&arrays, "step0:in:").unwrap();
        let five = Tensor::from_slice(Shape::new(&[1]), &[5i32]).unwrap();
        assert_eq!(found, [("x".to_owned(), five)]);
    }
}
