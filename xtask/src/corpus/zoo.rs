//! Zoo cases: small SavedModels called in order, with state kept between the calls.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::models::{Entry, feeds, manifest};
use super::npz;
use super::sink::Sink;
use super::subject::Subject;

#[derive(Deserialize)]
struct Manifest {
    signature: String,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    npz: String,
    inputs: Vec<Entry>,
    outputs: Vec<Entry>,
}

/// Runs one model; all its calls are one case.
pub(crate) fn run(
    id: &str,
    folder: &Path,
    subject: &dyn Subject,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let manifest: Manifest = manifest(folder)?;
    sink.case(id, || {
        let mut program = subject.saved_model(&folder.join("saved_model"), &[])?;
        for (i, call) in manifest.calls.iter().enumerate() {
            let place = || format!("call {i}");
            let arrays = npz::read(&folder.join(&call.npz))?;
            let inputs = feeds(&call.inputs, &arrays)?;
            let results = program.call(&manifest.signature, &inputs).with_context(place)?;
            for output in &call.outputs {
                output.check(&results, &arrays).with_context(place)?;
            }
        }
        Ok(())
    });
    Ok(())
}
