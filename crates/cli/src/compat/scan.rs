//! `scan`: looks for ops on a list.

use std::collections::BTreeSet;
use std::path::Path;

use tfjit_base::Result;
use tfjit_proto::tensorflow::{MetaGraphDef, SavedModel};

use super::meta_graph::{meta_graph, names, ops_used, read_saved_model, required_tags, tags_of};
use crate::python;

/// The ops that saved_model_cli looks for by itself.
const DENYLIST: [&str; 3] = ["PrintV2", "ReadFile", "WriteFile"];

/// What saved_model_cli prints. As there, empty flags are as good as none.
///
/// # Errors
/// Those of reading the file, and NOT_FOUND when no meta graph has the tags.
pub(crate) fn scan(dir: &Path, tag_set: Option<&str>, denylist: Option<&str>) -> Result<String> {
    let model = read_saved_model(dir)?;
    let ops: BTreeSet<&str> = match denylist.filter(|list| !list.is_empty()) {
        Some(list) => names(list).collect(),
        None => DENYLIST.into_iter().collect(),
    };
    Ok(chosen(&model, tag_set)?.into_iter().map(|meta| scan_one(meta, &ops)).collect())
}

fn chosen<'m>(model: &'m SavedModel, tag_set: Option<&str>) -> Result<Vec<&'m MetaGraphDef>> {
    let Some(tag_set) = tag_set.filter(|tags| !tags.is_empty()) else {
        return Ok(model.meta_graphs.iter().collect());
    };
    let tags = required_tags(tag_set)?;
    Ok(vec![meta_graph(model, &tags, &tags.join(","))?])
}

fn scan_one(meta: &MetaGraphDef, denylist: &BTreeSet<&str>) -> String {
    let used = meta.graph_def.as_ref().map(ops_used).unwrap_or_default();
    let found: BTreeSet<&str> = denylist.intersection(&used).copied().collect();
    let tags = python::list_repr(tags_of(meta));
    if found.is_empty() {
        let set = python::set_repr(denylist);
        return format!(
            "MetaGraph with tag set {tags} does not contain the default denylisted ops: {set}\n"
        );
    }
    let set = python::set_repr(found);
    format!("MetaGraph with tag set {tags} contains the following denylisted ops: {set}\n")
}
