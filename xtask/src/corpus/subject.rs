//! What a corpus run is about: something that loads programs and runs them.
//!
//! The cases know only these traits; the implementation on tfjit's public library is in `library`.

use std::path::Path;

use tfjit_base::{PartialShape, Result, Tensor};

/// Named tensors.
pub(crate) type Named = Vec<(String, Tensor)>;

/// What is known of the shapes of inputs and of outputs, by their names.
pub(crate) type Shapes = [Vec<(String, PartialShape)>; 2];

/// Loads and runs programs.
pub(crate) trait Subject {
    /// How many kernels were compared with the interpreter so far.
    fn kernels_compared(&self) -> usize;

    /// Loads the SavedModel in `folder` and runs its initialisers.
    fn saved_model(&self, folder: &Path, tags: &[String]) -> Result<Box<dyn Program>>;

    /// Loads a binary GraphDef.
    fn graph_def(&self, bytes: &[u8]) -> Result<Box<dyn Program>>;

    /// Runs the entry function of a StableHLO module.
    fn hlo(&self, text: &str, arguments: &[Tensor]) -> Result<Vec<Tensor>>;
}

/// A loaded program with its state, which is kept between calls.
pub(crate) trait Program {
    /// Calls a signature; the results are named as in the signature.
    fn call(&mut self, signature: &str, feeds: &Named) -> Result<Named>;

    /// Runs a graph: feeds and fetches are names of tensors, targets names of nodes.
    fn run(&mut self, feeds: &Named, fetches: &[String], targets: &[String])
    -> Result<Vec<Tensor>>;

    /// What is known of the shapes of a signature's inputs and outputs.
    fn shapes(&mut self, signature: &str) -> Result<Shapes>;

    /// As [`Program::shapes`], of tensors of a graph.
    fn tensor_shapes(&mut self, feeds: &[String], fetches: &[String]) -> Result<Shapes>;

    /// The value of the variable that `name` means.
    fn variable(&self, name: &str) -> Result<Tensor>;
}

/// The result called `name`.
pub(crate) fn named<'a>(results: &'a Named, name: &str) -> anyhow::Result<&'a Tensor> {
    let found = results.iter().find(|(key, _)| key == name);
    found.map(|(_, tensor)| tensor).ok_or_else(|| {
        let keys: Vec<&str> = results.iter().map(|(key, _)| key.as_str()).collect();
        anyhow::anyhow!("no result `{name}` among {keys:?}")
    })
}
