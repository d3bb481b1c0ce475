//! Checks what a caller feeds against what the signature takes.

use smallvec::SmallVec;
use tfjit_base::{Error, Result, Tensor};
use tfjit_runtime::Value;

use crate::TensorSpec;

/// The fed tensors in the order of the signature's inputs.
pub(crate) fn arrange(
    specs: &[TensorSpec],
    defaults: &[(String, Tensor)],
    feeds: &[(&str, Tensor)],
) -> Result<SmallVec<[Value; 4]>> {
    for (i, (name, _)) in feeds.iter().enumerate() {
        if !specs.iter().any(|s| s.name == *name) {
            return Err(Error::invalid_argument(format!("\"{name}\" is not an input"))
                .help(format!("the inputs are {}", list(specs))));
        }
        if feeds[..i].iter().any(|(earlier, _)| earlier == name) {
            return Err(Error::invalid_argument(format!("input \"{name}\" is fed twice")));
        }
    }
    specs
        .iter()
        .map(|spec| {
            let fed = feeds.iter().find(|(name, _)| *name == spec.name).map(|(_, t)| t);
            let default = || defaults.iter().find(|(n, _)| *n == spec.name).map(|(_, t)| t);
            let tensor = fed.or_else(default).ok_or_else(|| {
                Error::invalid_argument(format!("input \"{}\" is not fed", spec.name))
                    .help(format!("it takes {} {}", spec.type_name(), spec.shape))
            })?;
            check(spec, tensor)?;
            Ok(Value::Tensor(tensor.clone()))
        })
        .collect()
}

fn check(spec: &TensorSpec, tensor: &Tensor) -> Result<()> {
    let want = tfjit_model::dtype(spec.tftype);
    if want != Some(tensor.dtype()) {
        return Err(Error::invalid_argument(format!(
            "input \"{}\" takes {}, not {}",
            spec.name,
            spec.type_name(),
            tensor.dtype()
        )));
    }
    if !spec.shape.accepts(tensor.shape()) {
        return Err(Error::invalid_argument(format!(
            "input \"{}\" takes the shape {}, not {}",
            spec.name,
            spec.shape,
            tensor.shape()
        )));
    }
    Ok(())
}

fn list(specs: &[TensorSpec]) -> String {
    let names: Vec<String> = specs.iter().map(|s| format!("\"{}\"", s.name)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
