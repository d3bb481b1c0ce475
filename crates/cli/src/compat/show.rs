//! `show`: tag sets, signature keys, tensors of a signature, ops, or all of it.

use std::fmt::Write;
use std::path::Path;

use tfjit_base::{Error, Result};
use tfjit_proto::tensorflow::{
    DataType, MetaGraphDef, SavedModel, SignatureDef, TensorInfo, tensor_info,
};

use super::functions::concrete_functions;
use super::meta_graph::{meta_graph, ops_used, read_saved_model, required_tags, tags_of};
use crate::args::ShowArgs;
use crate::python;

/// What saved_model_cli prints for these flags, and the error that stops it, if any.
pub(crate) fn show(dir: &Path, args: &ShowArgs) -> (String, Result<()>) {
    let mut out = String::new();
    let result = read_saved_model(dir).and_then(|model| show_model(&mut out, &model, args));
    (out, result)
}

fn show_model(out: &mut String, model: &SavedModel, args: &ShowArgs) -> Result<()> {
    if args.all {
        return show_all(out, model);
    }
    let Some(tag_set) = &args.tag_set else {
        if args.list_ops {
            out.push_str("--list_ops must be paired with a tag-set or with --all.\n");
        }
        show_tag_sets(out, model);
        return Ok(());
    };
    if args.list_ops {
        let tags = required_tags(tag_set)?;
        show_ops(out, meta_graph(model, &tags, &tags.join(","))?);
    }
    let Some(key) = &args.signature_def else {
        // Unlike the others, this looks the tags up as they are, spaces included.
        let tags: Vec<&str> = tag_set.split(',').filter(|tag| !tag.is_empty()).collect();
        show_keys(out, meta_graph(model, &tags, tag_set)?);
        return Ok(());
    };
    let tags = required_tags(tag_set)?;
    show_signature(out, meta_graph(model, &tags, &tags.join(","))?, key, 0)
}

fn show_tag_sets(out: &mut String, model: &SavedModel) {
    out.push_str("The given SavedModel contains the following tag-sets:\n");
    let mut sets: Vec<&[String]> = model.meta_graphs.iter().map(tags_of).collect();
    sets.sort();
    for set in sets {
        let mut set = set.to_vec();
        set.sort();
        out.push_str(&python::str_repr(&set.join(", ")));
        out.push('\n');
    }
}

fn show_keys(out: &mut String, meta: &MetaGraphDef) {
    out.push_str(
        "The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:\n",
    );
    for key in meta.signature_def.keys() {
        out.push_str(&format!("SignatureDef key: \"{key}\"\n"));
    }
}

fn show_ops(out: &mut String, meta: &MetaGraphDef) {
    let ops = meta.graph_def.as_ref().map(ops_used).unwrap_or_default();
    let tags = python::list_repr(tags_of(meta));
    let set = python::set_repr(ops);
    out.push_str(&format!("The MetaGraph with tag set {tags} contains the following ops: {set}\n"));
}

fn show_all(out: &mut String, model: &SavedModel) -> Result<()> {
    let mut metas: Vec<&MetaGraphDef> = model.meta_graphs.iter().collect();
    metas.sort_by_key(|meta| tags_of(meta));
    for meta in metas {
        let tags = tags_of(meta).join(", ");
        out.push_str(&format!(
            "\nMetaGraphDef with tag-set: '{tags}' contains the following SignatureDefs:\n"
        ));
        for key in meta.signature_def.keys() {
            out.push_str(&format!("\nsignature_def['{key}']:\n"));
            show_signature(out, meta, key, 1)?;
        }
        show_ops(out, meta);
    }
    concrete_functions(out, model);
    Ok(())
}

/// The error for a key that names no signature.
pub(crate) fn no_such_signature<'k>(
    key: &str,
    keys: impl IntoIterator<Item = &'k String>,
) -> Error {
    let keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
    Error::not_found(format!(
        "Could not find signature \"{key}\". Please choose from: {}",
        keys.join(", ")
    ))
}

fn show_signature(out: &mut String, meta: &MetaGraphDef, key: &str, indent: usize) -> Result<()> {
    let signature: &SignatureDef = meta
        .signature_def
        .get(key)
        .ok_or_else(|| no_such_signature(key, meta.signature_def.keys()))?;
    let pad = "  ".repeat(indent);
    for (what, tensors) in [("input", &signature.inputs), ("output", &signature.outputs)] {
        out.push_str(&format!(
            "{pad}The given SavedModel SignatureDef contains the following {what}(s):\n"
        ));
        for (key, info) in tensors {
            out.push_str(&format!("{pad}  {what}s['{key}'] tensor_info:\n"));
            show_tensor(out, info, indent + 1);
        }
    }
    out.push_str(&format!("{pad}Method name is: {}\n", signature.method_name));
    Ok(())
}

fn show_tensor(out: &mut String, info: &TensorInfo, indent: usize) {
    let pad = "  ".repeat(indent);
    let dtype = match DataType::try_from(info.dtype) {
        Ok(dtype) => dtype.as_str_name().to_owned(),
        Err(_) => info.dtype.to_string(),
    };
    let shape = match &info.tensor_shape {
        Some(shape) if shape.unknown_rank => "unknown_rank".to_owned(),
        shape => {
            let dims = shape.iter().flat_map(|s| &s.dim).map(|d| d.size.to_string());
            format!("({})", dims.collect::<Vec<_>>().join(", "))
        }
    };
    let name = match &info.encoding {
        Some(tensor_info::Encoding::Name(name)) => name.as_str(),
        _ => "",
    };
    for (field, value) in [("dtype", dtype.as_str()), ("shape", &shape), ("name", name)] {
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{pad}    {field}: {value}");
    }
}
