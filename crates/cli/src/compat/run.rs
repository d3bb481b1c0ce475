//! `run`: what saved_model_cli checks, in its order and words, before anything runs.

use tfjit_base::{Error, Result};
use tfjit_proto::tensorflow::SavedModel;

use super::meta_graph::{meta_graph, required_tags};
use super::show::no_such_signature;

/// Looks up tags, signature and inputs.
///
/// # Errors
/// NOT_FOUND for the first that is not there.
pub(crate) fn check_run<'k>(
    model: &SavedModel,
    tag_set: &str,
    key: &str,
    inputs: impl IntoIterator<Item = &'k str>,
) -> Result<()> {
    let tags = required_tags(tag_set)?;
    let meta = meta_graph(model, &tags, &tags.join(","))?;
    let signature = meta
        .signature_def
        .get(key)
        .ok_or_else(|| no_such_signature(key, meta.signature_def.keys()))?;
    for input in inputs {
        if !signature.inputs.contains_key(input) {
            let keys: Vec<&str> = signature.inputs.keys().map(String::as_str).collect();
            return Err(Error::not_found(format!(
                "\"{input}\" is not a valid input key. Please choose from \"{}\", or use --show \
                 option.",
                keys.join("\", \"")
            )));
        }
    }
    Ok(())
}
