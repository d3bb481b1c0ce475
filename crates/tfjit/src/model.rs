//! A model: what a file holds, not yet bound to variables and a compiler.

use std::path::Path;
use std::sync::Arc;

use tfjit_base::Result;
use tfjit_model::{ReadOptions, SignatureDef};

use crate::{Options, Session};

/// A TensorFlow program as read from a file. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) inner: Arc<tfjit_model::Model>,
}

impl Model {
    /// Reads a SavedModel folder, a GraphDef (`.pb`, `.pbtxt`) or a TF.js graph model
    /// (`model.json`); the format is recognised. Weights are mapped, not copied.
    ///
    /// # Errors
    /// NOT_FOUND when there is nothing there; all problems of the file at once, each naming its
    /// node.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Model> {
        Ok(Model { inner: Arc::new(tfjit_model::read(path, options)?) })
    }

    /// A model that was made otherwise.
    pub fn from_raw(model: tfjit_model::Model) -> Model {
        Model { inner: Arc::new(model) }
    }

    /// What was read, in full.
    pub fn raw(&self) -> &tfjit_model::Model {
        &self.inner
    }

    /// The signatures by key.
    pub fn signatures(&self) -> impl Iterator<Item = (&str, &SignatureDef)> {
        self.inner.signatures.iter().map(|(key, s)| (key.as_str(), s))
    }

    /// Variables of its own, and a compiler.
    ///
    /// # Errors
    /// Those of the model's initialisers.
    pub fn session(&self, options: &Options) -> Result<Session> {
        Session::new(self, options)
    }
}
