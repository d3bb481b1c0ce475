//! Functions that exist as a GraphDef and as StableHLO text, with one set of inputs and outputs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use tfjit_base::Tensor;
use tfjit_hlo::{TensorType, Type};

use super::arrays;
use super::compare::{Tolerance, close, same_form};
use super::graph::Graph;
use super::npz::{self, Arrays};
use super::sink::Sink;
use super::subject::{Named, Subject};

#[derive(Deserialize)]
struct Entry {
    inputs: Vec<Input>,
    stablehlo: String,
}

#[derive(Deserialize)]
struct Input {
    dtype: String,
    shape: Vec<usize>,
}

/// The names in the folder's `index.json`, in its order.
pub(crate) fn list(folder: &Path) -> Result<Vec<String>> {
    Ok(index(folder)?.keys().cloned().collect())
}

fn index(folder: &Path) -> Result<serde_json::Map<String, serde_json::Value>> {
    let path = folder.join("index.json");
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&bytes).with_context(|| path.display().to_string())
}

/// Runs both forms of one function.
pub(crate) fn run(
    id: &str,
    folder: &Path,
    name: &str,
    subject: &dyn Subject,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let entry = index(folder)?.remove(name).with_context(|| name.to_owned())?;
    let entry: Entry = serde_json::from_value(entry).with_context(|| name.to_owned())?;
    let arrays = npz::read(&folder.join(format!("{name}.npz")))?;
    let mut inputs = Vec::new();
    for (i, input) in entry.inputs.iter().enumerate() {
        inputs.push(arrays::tensor(&arrays, &format!("in{i}"), &input.dtype, &input.shape)?);
    }
    sink.case(&format!("{id}/stablehlo"), || {
        let text = fs::read_to_string(folder.join(&entry.stablehlo))?;
        let arguments = arguments(&text, &inputs)?;
        check(&subject.hlo(&text, &arguments)?, &arrays)
    });
    sink.case(&format!("{id}/graph"), || {
        let bytes = fs::read(folder.join(format!("{name}.graph.pb")))?;
        let graph = Graph::parse(&bytes)?;
        let names = graph.of_op("Placeholder").map(|name| format!("{name}:0"));
        let feeds: Named = names.zip(inputs.iter().cloned()).collect();
        let outputs = arrays.keys().filter(|key| key.starts_with("out")).count();
        let fetches: Vec<String> = (0..outputs).map(identity).collect();
        check(&subject.graph_def(&bytes)?.run(&feeds, &fetches, &[])?, &arrays)
    });
    Ok(())
}

/// The inputs that are parameters of the module, in order: those that were constants when it was
/// compiled are not.
fn arguments(text: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let module = tfjit_hlo::parse(text)?;
    let entry = module.entry().context("no entry")?;
    let mut rest = inputs.iter();
    let mut out = Vec::new();
    for param in entry.params() {
        let Type::Tensor(wanted) = entry.ty(*param) else { continue };
        let fits = |input: &&Tensor| *wanted == TensorType::of(input.dtype(), input.shape());
        out.extend(rest.find(fits).cloned());
    }
    Ok(out)
}

/// The node that TensorFlow puts behind result `i` of a function.
fn identity(i: usize) -> String {
    if i == 0 { "Identity:0".to_owned() } else { format!("Identity_{i}:0") }
}

fn check(got: &[Tensor], arrays: &Arrays) -> Result<()> {
    for i in 0.. {
        let name = format!("out{i}");
        let Some(array) = arrays.get(&name) else { break };
        let got = got.get(i).with_context(|| format!("no result {i}"))?;
        // bfloat16 is stored as its bits; only the program knows that it is one.
        let stored = arrays::own_dtype(array)?;
        let bits = got.dtype().is_float() && !stored.is_float();
        let dtype = if bits { got.dtype() } else { stored };
        let want = arrays::from_array(array, dtype, &array.shape)?;
        same_form(got, &want).context(name.clone())?;
        close(got, &want, Tolerance::usual(dtype)).context(name)?;
    }
    Ok(())
}
