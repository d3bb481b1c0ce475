//! `show`: what a model is.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::path::Path;

use tfjit_model::{FlatTensor, Format, Model, ReadOptions, SignatureDef, dtype, tftype};
use tfjit_proto::tensorflow::saved_object::Kind;

use super::{ends, program};
use crate::args::ShowArgs;
use crate::compat;
use crate::console::{Console, Style, plain};
use crate::failure::Failure;
use crate::table::{Align, Table, bytes_text, count_text};

/// Prints the model at a glance, or the text of saved_model_cli if its flags are used.
///
/// # Errors
/// Those of reading the model, and of writing to stdout.
pub(super) fn show(args: &ShowArgs, console: &mut Console) -> Result<(), Failure> {
    if program::is_program(path_of(args)) && args.dir.is_none() {
        return program::show(path_of(args), console);
    }
    let foreign =
        args.all || args.list_ops || args.tag_set.is_some() || args.signature_def.is_some();
    if let Some(dir) = args.dir.as_deref().or(args.model.as_deref().filter(|_| foreign)) {
        let (text, result) = compat::show(dir, args);
        console.print(text)?;
        return Ok(result?);
    }
    let path = path_of(args);
    let tags = args.tags.as_ref().map(|list| tag_list(list));
    let model = tfjit_model::read(path, &ReadOptions { tags, ..ReadOptions::default() })?;
    // The process ends here, and giving back the memory of a model piece by piece takes a tenth of
    // the time of reading it.
    let model = ManuallyDrop::new(model);
    if args.variables || args.ops {
        if args.variables {
            show_variables(&model, console)?;
        }
        if args.ops {
            show_ops(&model, console)?;
        }
        return Ok(());
    }
    for warning in &model.warnings {
        console.warn(warning);
    }
    show_summary(path, &model, console)?;
    for (key, signature) in &model.signatures {
        show_signature(key, signature, console)?;
    }
    if model.signatures.is_empty() {
        show_ends(&model, console)?;
    }
    Ok(())
}

fn path_of(args: &ShowArgs) -> &Path {
    args.model.as_deref().unwrap_or(Path::new("."))
}

/// Tags between commas.
pub(super) fn tag_list(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

/// The tags of the meta graph shown, and those of the others in the file.
fn tags_text(path: &Path, model: &Model) -> String {
    let mut text = model.tags.join(", ");
    // The model was read already, so that this cannot fail for a reason worth telling.
    let all = if path.is_dir() { compat::tag_sets(path).unwrap_or_default() } else { Vec::new() };
    let mut others: Vec<String> =
        all.iter().filter(|set| **set != model.tags).map(|set| set.join(",")).collect();
    others.sort();
    if !others.is_empty() {
        text.push_str(&format!("; others: {}", others.join(" ")));
    }
    text
}

/// The facts in front, a line each.
fn show_summary(path: &Path, model: &Model, console: &mut Console) -> Result<(), Failure> {
    let kind = match tfjit_model::recognise(path)? {
        Format::SavedModel | Format::SavedModelText => "SavedModel",
        Format::GraphDef | Format::GraphDefText => "GraphDef",
        Format::MetaGraphDef => "MetaGraphDef",
        Format::TfjsModel => "TensorFlow.js graph model",
    };
    let bytes: usize = model.variables.iter().filter_map(|v| v.value.as_ref()).map(size).sum();
    let ops = op_counts(model);
    let nodes: usize = ops.values().sum();
    let mut facts = vec![("model", format!("{kind} {}", path.display()))];
    if !model.tags.is_empty() {
        facts.push(("tags", tags_text(path, model)));
    }
    if !model.versions.tensorflow.is_empty() {
        facts.push(("written by", format!("TensorFlow {}", model.versions.tensorflow)));
    }
    facts.push((
        "variables",
        match model.variables.len() {
            0 => "none".to_owned(),
            n => format!("{n}, {}", bytes_text(bytes as u64)),
        },
    ));
    facts.push(("ops", format!("{} in {}", kinds_text(ops.len()), count_text(nodes, "node"))));
    facts.push(("functions", functions_text(model)));
    if !model.assets.is_empty() {
        let names: Vec<&str> = model.assets.iter().map(|a| a.filename.as_str()).collect();
        facts.push(("assets", names.join(", ")));
    }
    for (label, value) in facts {
        let label = console.style(Style::Faint, &format!("{label:<10}"));
        console.line(format!("{label}  {}", plain(&value)))?;
    }
    Ok(())
}

fn kinds_text(n: usize) -> String {
    count_text(n, "kind")
}

/// How many there are, and the names of those that Python can call.
fn functions_text(model: &Model) -> String {
    let total = model.library.len();
    let nodes = model.objects.as_ref().map_or(&[][..], |o| &o.nodes);
    let is_function = |id: i32| {
        let node = usize::try_from(id).ok().and_then(|id| nodes.get(id));
        let kind = node.and_then(|n| n.kind.as_ref());
        matches!(kind, Some(Kind::Function(_) | Kind::BareConcreteFunction(_)))
    };
    let children = nodes.first().map_or(&[][..], |root| &root.children);
    let mut callable: Vec<&str> = children
        .iter()
        .filter(|child| is_function(child.node_id))
        .map(|child| child.local_name.as_str())
        .collect();
    callable.sort_unstable();
    match callable.as_slice() {
        [] if total == 0 => "none".to_owned(),
        [] => total.to_string(),
        names => format!("{total}; methods: {}", names.join(", ")),
    }
}

fn show_signature(
    key: &str,
    signature: &SignatureDef,
    console: &mut Console,
) -> Result<(), Failure> {
    let title = console.style(Style::Heading, &format!("signature {}", plain(key)));
    let method = console.style(Style::Faint, &plain(&signature.method_name));
    console.line(format!("\n{title}  {method}").trim_end())?;
    let mut table = Table::new(&[Align::Left; 5]);
    for (side, infos) in [("in", &signature.inputs), ("out", &signature.outputs)] {
        for (key, info) in infos {
            for flat in info.flatten() {
                table.row(tensor_row(side, key, &flat));
            }
        }
    }
    console.print(table.text(2))
}

fn tensor_row(side: &str, key: &str, flat: &FlatTensor) -> [String; 5] {
    [
        side.to_owned(),
        format!("{key}{}", flat.suffix),
        type_name(flat.tftype),
        flat.shape.to_string(),
        flat.name.clone(),
    ]
}

fn type_name(tftype: tfjit_model::TfType) -> String {
    dtype(tftype).map_or_else(|| tftype::op_def_name(tftype), |d| d.to_string())
}

/// What a graph without signatures begins and ends with.
fn show_ends(model: &Model, console: &mut Console) -> Result<(), Failure> {
    let mut table = Table::new(&[Align::Left; 4]);
    for (side, names) in [("in", ends::inputs(model)), ("out", ends::outputs(model))] {
        for name in names {
            let endpoint = model.graph.find_tensor(&name)?;
            let node = &model.graph[endpoint.node];
            let tftype = model.graph.output_type(endpoint).map(type_name).unwrap_or_default();
            let shape = node.attr_shape("shape").map(ToString::to_string).unwrap_or_default();
            table.row([side.to_owned(), name, tftype, shape]);
        }
    }
    if table.is_empty() {
        return Ok(());
    }
    let title = console.style(Style::Heading, "graph");
    console.line(format!("\n{title}"))?;
    console.print(table.text(2))
}

fn size(tensor: &tfjit_base::Tensor) -> usize {
    match tensor.as_strings() {
        Some(strings) => strings.iter().map(Vec::len).sum(),
        None => tensor.bytes().len(),
    }
}

fn show_variables(model: &Model, console: &mut Console) -> Result<(), Failure> {
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Left, Align::Right]);
    let mut total = 0;
    for v in &model.variables {
        let (shape, bytes) = match &v.value {
            Some(value) => (value.shape().to_string(), size(value)),
            None => (v.shape.to_string(), 0),
        };
        total += bytes;
        let bytes = if v.value.is_some() { bytes.to_string() } else { "no value".to_owned() };
        table.row([v.name.clone(), type_name(v.tftype), shape, bytes]);
    }
    console.print(table.text(0))?;
    let count = count_text(model.variables.len(), "variable");
    let line = format!("{count}, {}", bytes_text(total as u64));
    let line = console.style(Style::Faint, &line);
    console.line(line)
}

/// How often each op occurs in the main graph and all functions.
fn op_counts(model: &Model) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    let bodies = model.library.iter().map(|f| &f.graph);
    for graph in std::iter::once(&*model.graph).chain(bodies) {
        for (_, node) in graph.iter() {
            // Parameters are nodes here, but not in the file.
            if &*node.op != "_Arg" {
                *counts.entry(&*node.op).or_default() += 1;
            }
        }
    }
    counts
}

fn show_ops(model: &Model, console: &mut Console) -> Result<(), Failure> {
    let counts = op_counts(model);
    let mut rows: Vec<(&str, usize)> = counts.into_iter().collect();
    rows.sort_by_key(|&(op, n)| (std::cmp::Reverse(n), op));
    let mut table = Table::new(&[Align::Right, Align::Left]);
    for (op, n) in &rows {
        table.row([n.to_string(), (*op).to_owned()]);
    }
    console.print(table.text(0))
}
