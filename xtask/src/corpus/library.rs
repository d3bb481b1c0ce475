//! tfjit's public library as the subject of a corpus run.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use prost::Message;
use tfjit::{Model, Observer, ReadOptions, Session, Signature};
use tfjit_base::{Error, Tensor};

use super::Options;
use super::kernels::{self, KernelObserver};
use super::subject::{Named, Program, Shapes, Subject};

/// The subject that the options ask for.
pub(crate) fn subject(options: &Options) -> Result<Box<dyn Subject>> {
    let mut session = tfjit::Options { backend: options.backend.parse()?, ..Default::default() };
    session.clusters = options.clusters.unwrap_or(session.clusters);
    session.codegen = options.codegen.unwrap_or(session.codegen);
    session.threads = options.threads.unwrap_or(session.threads);
    if options.kernels {
        session.keep_text = true;
        let observer = Arc::new(KernelObserver::default());
        session.observer = Some(observer.clone());
        return Ok(Box::new(Library { options: session, kernels: Some(observer) }));
    }
    Ok(Box::new(Library { options: session, kernels: None }))
}

struct Library {
    options: tfjit::Options,
    /// Who compares kernels, if they are compared.
    kernels: Option<Arc<KernelObserver>>,
}

impl Library {
    fn program(&self, model: Model) -> tfjit_base::Result<Box<dyn Program>> {
        let session = model.session(&self.options)?;
        Ok(Box::new(Loaded { session, model, known: Vec::new() }))
    }
}

impl Subject for Library {
    fn kernels_compared(&self) -> usize {
        self.kernels.as_ref().map_or(0, |observer| observer.compared())
    }

    fn saved_model(&self, folder: &Path, tags: &[String]) -> tfjit_base::Result<Box<dyn Program>> {
        let tags = (!tags.is_empty()).then(|| tags.to_vec());
        self.program(Model::read(folder, &ReadOptions { tags, ..Default::default() })?)
    }

    fn graph_def(&self, bytes: &[u8]) -> tfjit_base::Result<Box<dyn Program>> {
        let graph = tfjit_proto::tensorflow::GraphDef::decode(bytes)
            .map_err(|e| Error::data_loss(format!("the GraphDef cannot be decoded: {e}")))?;
        self.program(Model::from_raw(tfjit_model::from_graph_def(graph)?))
    }

    fn hlo(&self, text: &str, arguments: &[Tensor]) -> tfjit_base::Result<Vec<Tensor>> {
        let module = tfjit_hlo::parse(text)?;
        if let Some(observer) = &self.kernels {
            let stage = kernels::STAGE;
            // What can't be compiled has no kernels; the run says why.
            let text = tfjit::module_text(&module, stage, &self.options).ok().flatten();
            observer.product(stage, &module.name, &text.unwrap_or_default())?;
        }
        tfjit::run_module(&module, arguments, &self.options)
    }
}

/// A session, and the graphs it was asked for, so that state and compiled code are kept.
struct Loaded {
    session: Session,
    model: Model,
    known: Vec<(Vec<String>, Signature)>,
}

impl Loaded {
    fn cut(
        &mut self,
        feeds: Vec<String>,
        fetches: &[String],
        targets: &[String],
    ) -> tfjit_base::Result<&Signature> {
        let key: Vec<String> =
            [&feeds[..], &["|".into()], fetches, &["|".into()], targets].concat();
        let at = match self.known.iter().position(|(k, _)| *k == key) {
            Some(at) => at,
            None => {
                let signature = self.session.function(&feeds, fetches, targets)?;
                self.known.push((key, signature));
                self.known.len() - 1
            }
        };
        Ok(&self.known[at].1)
    }
}

fn shapes(signature: &Signature) -> Shapes {
    let of = |specs: &[tfjit::TensorSpec]| {
        specs.iter().map(|spec| (spec.name.clone(), spec.shape.clone())).collect()
    };
    [of(signature.inputs()), of(signature.outputs())]
}

impl Program for Loaded {
    fn call(&mut self, signature: &str, feeds: &Named) -> tfjit_base::Result<Named> {
        let signature = self.session.signature(signature)?;
        let feeds: Vec<(&str, Tensor)> =
            feeds.iter().map(|(name, t)| (name.as_str(), t.clone())).collect();
        Ok(signature.run(&feeds)?.named())
    }

    fn run(
        &mut self,
        feeds: &Named,
        fetches: &[String],
        targets: &[String],
    ) -> tfjit_base::Result<Vec<Tensor>> {
        let names = feeds.iter().map(|(name, _)| name.clone()).collect();
        let signature = self.cut(names, fetches, targets)?;
        let feeds: Vec<(&str, Tensor)> =
            feeds.iter().map(|(name, t)| (name.as_str(), t.clone())).collect();
        let outputs = signature.run(&feeds)?;
        Ok(outputs.values.into_iter().map(|(_, t)| t).collect())
    }

    fn shapes(&mut self, signature: &str) -> tfjit_base::Result<Shapes> {
        Ok(shapes(&self.session.signature(signature)?))
    }

    fn tensor_shapes(
        &mut self,
        feeds: &[String],
        fetches: &[String],
    ) -> tfjit_base::Result<Shapes> {
        Ok(shapes(self.cut(feeds.to_vec(), fetches, &[])?))
    }

    fn variable(&self, name: &str) -> tfjit_base::Result<Tensor> {
        // Checkpoints know a variable by the attribute it hangs on, the graph by its own name.
        let hangs = |key: &str| key.split('/').next() == Some(name);
        let mut known = self.model.raw().variables.iter();
        let keyed = known.find(|v| v.checkpoint_key.as_deref().is_some_and(hangs));
        let plain = keyed.map_or(name, |variable| variable.name.as_str());
        let found = self.session.variables().into_iter().find(|(n, _)| n == plain);
        let (_, value) =
            found.ok_or_else(|| Error::not_found(format!("no variable is called {plain}")))?;
        value.ok_or_else(|| Error::failed_precondition(format!("{plain} is uninitialized")))
    }
}
