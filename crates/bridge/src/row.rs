//! The table of ops: one row each, found by name.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use tfjit_base::Result;
use tfjit_model::Node;

use crate::{OpCtx, ops};

/// Everything about one TensorFlow op that the bridge knows.
#[derive(Clone, Copy)]
pub struct OpRow {
    /// The op's name in a NodeDef.
    pub name: &'static str,
    /// Names of the inputs whose values must be known when compiling.
    pub consts: &'static [&'static str],
    /// Whether attributes of a node let it be lowered (a static shape, say); most rows take all.
    pub accepts: fn(&Node) -> bool,
    /// One line: what it lowers to, and in what it differs from what one might expect.
    pub doc: &'static str,
    /// Emits HLO for one node.
    pub lower: fn(&mut OpCtx<'_, '_>) -> Result<()>,
}

/// A row without compile-time constants.
pub(crate) const fn row(
    name: &'static str,
    doc: &'static str,
    lower: fn(&mut OpCtx<'_, '_>) -> Result<()>,
) -> OpRow {
    row_const(name, &[], doc, lower)
}

/// A row whose inputs `consts` must be compile-time constants.
pub(crate) const fn row_const(
    name: &'static str,
    consts: &'static [&'static str],
    doc: &'static str,
    lower: fn(&mut OpCtx<'_, '_>) -> Result<()>,
) -> OpRow {
    OpRow { name, consts, accepts: |_| true, doc, lower }
}

impl OpRow {
    /// The row for nodes that `accepts` lets through; others are not lowered.
    pub(crate) const fn when(self, accepts: fn(&Node) -> bool) -> OpRow {
        OpRow { accepts, ..self }
    }
}

/// All rows, sorted by name.
pub fn table() -> &'static [OpRow] {
    static TABLE: OnceLock<Vec<OpRow>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut rows: Vec<OpRow> = ops::FAMILIES.iter().flat_map(|f| f.iter().copied()).collect();
        rows.sort_by_key(|r| r.name);
        rows
    })
}

/// The row of `op`, or `None` if the bridge can't lower it.
pub fn row_of(op: &str) -> Option<&'static OpRow> {
    static INDEX: OnceLock<FxHashMap<&'static str, &'static OpRow>> = OnceLock::new();
    INDEX.get_or_init(|| table().iter().map(|r| (r.name, r)).collect()).get(op).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_known_to_the_op_table() {
        for pair in table().windows(2) {
            assert_ne!(pair[0].name, pair[1].name);
        }
        for row in table() {
            let def = tfjit_model::optable::find(row.name);
            assert!(def.is_some(), "{} is no TensorFlow op", row.name);
            let def = def.unwrap();
            for name in row.consts {
                let known = def.inputs.iter().any(|a| &*a.name == *name);
                assert!(known, "{} has no input {name}", row.name);
            }
            assert!(!row.doc.is_empty(), "{}", row.name);
        }
    }
}
