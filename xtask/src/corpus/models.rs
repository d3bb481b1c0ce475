//! Model cases: a SavedModel or frozen graph with golden sets of inputs and outputs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tfjit_base::{PartialShape, Tensor};

use super::arrays;
use super::batches;
use super::compare::{Tolerance, close};
use super::npz;
use super::sink::{NoCase, Sink};
use super::subject::{Named, Program, Subject, named};

#[derive(Deserialize)]
struct Manifest {
    format: String,
    #[serde(default = "usual_path")]
    path: String,
    #[serde(default)]
    tags: Vec<String>,
    signature: Option<String>,
    goldens: Vec<Golden>,
}

fn usual_path() -> String {
    "saved_model".to_owned()
}

#[derive(Deserialize)]
struct Golden {
    npz: String,
    feeds: Vec<Entry>,
    #[serde(default)]
    fetches: Vec<Entry>,
    status: String,
    code: Option<String>,
}

/// One array of a golden set.
#[derive(Deserialize)]
pub(crate) struct Entry {
    /// The key of the signature, or the tensor's name.
    pub(crate) key: String,
    npz: String,
    dtype: String,
    shape: Vec<usize>,
    #[serde(flatten)]
    tolerance: Tolerance,
}

impl Entry {
    /// The tensor in `arrays`.
    pub(crate) fn tensor(&self, arrays: &npz::Arrays) -> Result<Tensor> {
        arrays::tensor(arrays, &self.npz, &self.dtype, &self.shape)
    }

    /// Whether `results` has this entry's value.
    pub(crate) fn check(&self, results: &Named, arrays: &npz::Arrays) -> Result<()> {
        let got = named(results, &self.key)?;
        close(got, &self.tensor(arrays)?, self.tolerance).context(self.key.clone())
    }
}

/// The named tensors of `entries`.
pub(crate) fn feeds(entries: &[Entry], arrays: &npz::Arrays) -> Result<Named> {
    entries.iter().map(|e| Ok((e.key.clone(), e.tensor(arrays)?))).collect()
}

/// Reads `manifest.json` of a case folder.
pub(crate) fn manifest<T: DeserializeOwned>(folder: &Path) -> Result<T> {
    let path = folder.join("manifest.json");
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&bytes).with_context(|| path.display().to_string())
}

/// Runs the golden sets of one model.
pub(crate) fn run(
    id: &str,
    folder: &Path,
    subject: &dyn Subject,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let manifest: Manifest = manifest(folder)?;
    // The program is loaded once; after a failure the next set starts from a fresh one.
    let mut program = None;
    for (i, golden) in manifest.goldens.iter().enumerate() {
        let (batch, digest) = (sink.batch, sink.digest);
        sink.telling_case(&format!("{id}/{i}"), || {
            if batch > 1 && batches::mixes(id) {
                bail!(NoCase);
            }
            let mut loaded = match program.take() {
                Some(loaded) => loaded,
                None => load(&manifest, folder, subject)?,
            };
            let mut once = || match batch {
                1 => check(&manifest, golden, folder, &mut *loaded),
                _ => check_copies(&manifest, golden, folder, &mut *loaded, batch),
            };
            let (mut told, results) = (String::new(), once()?);
            if digest {
                told = batches::digest(&results);
                ensure!(told == batches::digest(&once()?), "the bits differ from run to run");
            }
            program = Some(loaded);
            Ok(told)
        });
    }
    Ok(())
}

fn load(manifest: &Manifest, folder: &Path, subject: &dyn Subject) -> Result<Box<dyn Program>> {
    let path = folder.join(&manifest.path);
    match manifest.format.as_str() {
        "saved_model" => Ok(subject.saved_model(&path, &manifest.tags)?),
        "graph_def" => {
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            Ok(subject.graph_def(&bytes)?)
        }
        other => bail!("format `{other}`"),
    }
}

/// Runs a golden set; gives the results if there have to be any.
fn check(
    manifest: &Manifest,
    golden: &Golden,
    folder: &Path,
    program: &mut dyn Program,
) -> Result<Named> {
    let arrays = npz::read(&folder.join(&golden.npz))?;
    let feeds = feeds(&golden.feeds, &arrays)?;
    let result = call(manifest, golden, program, &feeds);
    if golden.status != "ok" {
        let code = golden.code.as_deref().context("an error without a code")?;
        let got = result.err().map_or("OK", |e| e.code().name());
        ensure!(got == code, "{code} is wanted, not {got}");
        return Ok(Vec::new());
    }
    let results = result?;
    golden.fetches.iter().try_for_each(|entry| entry.check(&results, &arrays))?;
    Ok(results)
}

/// Calls the program as the manifest says.
fn call(
    manifest: &Manifest,
    golden: &Golden,
    program: &mut dyn Program,
    feeds: &Named,
) -> tfjit_base::Result<Named> {
    match &manifest.signature {
        Some(signature) => program.call(signature, feeds),
        None => {
            let fetches: Vec<String> = golden.fetches.iter().map(|e| e.key.clone()).collect();
            let results = program.run(feeds, &fetches, &[])?;
            Ok(fetches.into_iter().zip(results).collect())
        }
    }
}

/// As [`check`], with every input repeated along its first extent, which has to be unknown, and
/// each copy of the outputs that have one too compared. Gives all results.
fn check_copies(
    manifest: &Manifest,
    golden: &Golden,
    folder: &Path,
    program: &mut dyn Program,
    copies: usize,
) -> Result<Named> {
    if golden.status != "ok" {
        bail!(NoCase);
    }
    let names = |entries: &[Entry]| entries.iter().map(|e| e.key.clone()).collect::<Vec<_>>();
    let [inputs, outputs] = match &manifest.signature {
        Some(signature) => program.shapes(signature)?,
        None => program.tensor_shapes(&names(&golden.feeds), &names(&golden.fetches))?,
    };
    let shape = |shapes: &[(String, PartialShape)], name: &str| {
        shapes.iter().find(|(n, _)| n == name).map(|(_, shape)| shape.clone())
    };
    let open = |e: &Entry| shape(&inputs, &e.key).is_some_and(|s| batches::is_open(&s));
    if golden.feeds.is_empty() || !golden.feeds.iter().all(open) {
        bail!(NoCase);
    }
    let arrays = npz::read(&folder.join(&golden.npz))?;
    let mut feeds = feeds(&golden.feeds, &arrays)?;
    for (_, tensor) in &mut feeds {
        *tensor = batches::repeated(tensor, copies)?;
    }
    let results = call(manifest, golden, program, &feeds)?;
    for entry in &golden.fetches {
        let whole = named(&results, &entry.key)?;
        let known = shape(&outputs, &entry.key).unwrap_or_default();
        if !batches::holds_copies(whole, &known, &entry.shape, copies) {
            continue;
        }
        for (i, part) in batches::parts(whole, copies)?.into_iter().enumerate() {
            let part = vec![(entry.key.clone(), part)];
            entry.check(&part, &arrays).with_context(|| format!("copy {i}"))?;
        }
    }
    Ok(results)
}
