//! tfjit's public library as the subject of a corpus run.

use std::path::Path;

use anyhow::{Result, ensure};
use tfjit_base::{Error, Tensor};

use super::Options;
use super::subject::{Program, Subject};

/// The subject that the options ask for.
pub(crate) fn subject(options: &Options) -> Result<Box<dyn Subject>> {
    ensure!(options.backend == "local", "no backend `{}`", options.backend);
    Ok(Box::new(Library))
}

struct Library;

impl Subject for Library {
    fn saved_model(&self, _: &Path, _: &[String]) -> tfjit_base::Result<Box<dyn Program>> {
        Err(Error::unimplemented("no public library yet"))
    }

    fn graph_def(&self, _: &[u8]) -> tfjit_base::Result<Box<dyn Program>> {
        Err(Error::unimplemented("no public library yet"))
    }

    fn hlo(&self, _: &str, _: &[Tensor]) -> tfjit_base::Result<Vec<Tensor>> {
        Err(Error::unimplemented("no public library yet"))
    }
}
