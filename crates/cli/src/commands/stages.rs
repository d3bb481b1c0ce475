//! `--to` and `--dump`: the products of a program's walk as text.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfjit::{Observer, Options, Signature, program_text};
use tfjit_base::{Error, Result};
use tfjit_model::mapped::io_error;
use tfjit_model::{Function, Model};

use super::subject::{Choice, Feeds, Subject, borrowed};
use crate::args::{Stage, StageArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::files::create_folder;

/// Where to stop, and where to write.
pub(super) struct Stages {
    to: Option<Stage>,
    dump: Option<PathBuf>,
    seen: Arc<Recorder>,
}

/// Collects the products of compilations.
#[derive(Default)]
struct Recorder {
    keep: bool,
    dump: Option<PathBuf>,
    products: Mutex<Vec<Product>>,
}

struct Product {
    stage: String,
    text: String,
}

impl Observer for Recorder {
    fn product(&self, stage: &str, function: &str, text: &str) -> Result<()> {
        let mut products = self.products.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &self.dump {
            // The first three files are the stages before any compilation.
            let extension = match stage {
                "plan" | "kernels" | "asm" | "explain" => "txt",
                _ => "mlir",
            };
            let name = file_name(products.len() + 3, stage, function, extension);
            write(&folder.join(name), text)?;
        }
        let text = if self.keep { text.to_owned() } else { String::new() };
        products.push(Product { stage: stage.to_owned(), text });
        Ok(())
    }
}

/// `03-lower-f.mlir`, with nothing in it that a file system might mind.
fn file_name(number: usize, stage: &str, function: &str, extension: &str) -> String {
    const NAME_MAX: usize = 100;
    let harmless = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = format!("{stage}-{function}").chars().map(harmless).take(NAME_MAX).collect();
    format!("{number:02}-{}.{extension}", name.trim_end_matches('-'))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| io_error(path, &e))
}

impl Stages {
    /// What the arguments ask for; creates the folder of `--dump`.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn new(args: &StageArgs) -> Result<Stages> {
        if let Some(folder) = &args.dump {
            create_folder(folder)?;
        }
        let seen = Recorder {
            keep: args.to == Some(Stage::Lower),
            dump: args.dump.clone(),
            products: Mutex::default(),
        };
        Ok(Stages { to: args.to, dump: args.dump.clone(), seen: Arc::new(seen) })
    }

    /// Makes a session tell what is asked for, if anything.
    pub(super) fn configure(&self, options: &mut Options) {
        let wanted = self.seen.keep || self.dump.is_some();
        options.observer = wanted.then(|| Arc::clone(&self.seen) as Arc<dyn Observer>);
        options.keep_text = self.dump.is_some() || self.to.is_some_and(|s| s.of_client().is_some());
    }

    /// Handles one of the stages before any compilation; true if it is the last one.
    fn pass(
        &self,
        stage: Stage,
        text: impl FnOnce() -> String,
        console: &mut Console,
    ) -> Result<bool, Failure> {
        let last = self.to == Some(stage);
        if !last && self.dump.is_none() {
            return Ok(false);
        }
        let text = text();
        if let Some(folder) = &self.dump {
            let name = format!("{stage:?}").to_lowercase();
            write(&folder.join(file_name(stage as usize, &name, "", "txt")), &text)?;
        }
        if last {
            console.print(text)?;
        }
        Ok(last)
    }

    /// The stages in front of any compilation; true if the last one asked for is among them.
    ///
    /// # Errors
    /// Those of selecting and clustering, and when a product cannot be written.
    pub(super) fn before_lowering(
        &self,
        subject: &Subject,
        choice: &Choice<'_>,
        clusters: bool,
        console: &mut Console,
    ) -> Result<bool, Failure> {
        if self.to.is_none() && self.dump.is_none() {
            return Ok(false);
        }
        let model = subject.model.raw();
        if self.pass(Stage::Read, || model_text(model), console)? {
            return Ok(true);
        }
        let function = subject.function(choice)?;
        if self.pass(Stage::Select, || function_text(&function), console)? {
            return Ok(true);
        }
        let options = tfjit_cluster::Options { clusters, ..Default::default() };
        let clustered = tfjit_cluster::cluster(&model.library, &function, options)?;
        let text = || {
            let mut text = clustered.explain(&function);
            for cluster in &clustered.clusters {
                text.push_str(&format!("\n{}", function_text(&cluster.function)));
            }
            text
        };
        self.pass(Stage::Cluster, text, console)
    }

    /// The programs for these inputs; true if that is all that was asked for.
    ///
    /// # Errors
    /// Those of lowering and optimising, and when a product cannot be written.
    pub(super) fn programs(
        &self,
        signature: &Signature,
        feeds: &Feeds,
        options: &Options,
        console: &mut Console,
    ) -> Result<bool, Failure> {
        if let Some(stage) = self.to.and_then(Stage::of_client) {
            for text in signature.texts(&borrowed(feeds), stage)? {
                console.print(text?.ok_or_else(|| no_stage(stage, options))?)?;
            }
            return Ok(true);
        }
        let Some(stage @ (Stage::Lower | Stage::Optimise)) = self.to else { return Ok(false) };
        // What the initialiser left behind is not asked for.
        let before = self.products().len();
        let modules = signature.programs(&borrowed(feeds))?;
        if stage == Stage::Optimise {
            modules.iter().try_for_each(|module| console.print(program_text(module)))?;
            return Ok(true);
        }
        for product in self.products()[before..].iter().filter(|p| p.stage == "lower") {
            console.print(&product.text)?;
        }
        Ok(true)
    }

    fn products(&self) -> MutexGuard<'_, Vec<Product>> {
        self.seen.products.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error for a stage that the backend does not have.
pub(super) fn no_stage(stage: &str, options: &Options) -> Error {
    let backend = options.backend;
    Error::unimplemented(format!("the backend {backend} has no text of the stage {stage}"))
}

/// Signatures, variables, the main graph and all functions.
fn model_text(model: &Model) -> String {
    let mut text = String::new();
    for (key, signature) in &model.signatures {
        text.push_str(&format!("signature {key}\n"));
        for (side, infos) in [("in", &signature.inputs), ("out", &signature.outputs)] {
            for (key, info) in infos {
                for flat in info.flatten() {
                    let ty = tfjit_model::tf_name(flat.tftype);
                    let (suffix, shape, name) = (flat.suffix, flat.shape, flat.name);
                    text.push_str(&format!("  {side} {key}{suffix}: {ty} {shape} = {name}\n"));
                }
            }
        }
    }
    for v in &model.variables {
        let ty = tfjit_model::tf_name(v.tftype);
        text.push_str(&format!("variable {}: {ty} {}\n", v.name, v.shape));
    }
    text.push_str(&format!("graph\n{}", model.graph));
    for function in model.library.iter() {
        text.push_str(&function_text(function));
    }
    text
}

/// A function with parameters, results and body.
fn function_text(function: &Function) -> String {
    let mut text = format!("function {}\n", function.name);
    for p in &function.params {
        let ty = tfjit_model::tf_name(p.tftype);
        text.push_str(&format!("  in {}: {ty} {} = {}\n", p.name, p.shape, p.node));
    }
    for r in &function.results {
        let ty = tfjit_model::tf_name(r.tftype);
        text.push_str(&format!("  out {}: {ty} {} = {}\n", r.name, r.shape, r.endpoint));
    }
    let controls: Vec<String> = function.control_results.iter().map(|n| n.to_string()).collect();
    if !controls.is_empty() {
        text.push_str(&format!("  control {}\n", controls.join(", ")));
    }
    text.push_str(&function.graph.to_string());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_cannot_leave_the_folder() {
        assert_eq!(file_name(4, "lower", "../../etc/x y", "mlir"), "04-lower-.._.._etc_x_y.mlir");
        assert_eq!(file_name(0, "read", "", "txt"), "00-read.txt");
        assert!(file_name(3, "lower", &"x".repeat(1000), "mlir").len() < 120);
    }
}
