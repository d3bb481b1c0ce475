//! Which functions a node calls, and through which of its attributes.

use std::sync::Arc;

use tfjit_model::{AttrValue, Function, FunctionLibrary, Node};

/// The functions that lowering `node` may enter: by its op's name, or by function attributes.
pub(crate) fn callees<'l>(library: &'l FunctionLibrary, node: &Node) -> Vec<&'l Arc<Function>> {
    if let Some(function) = library.get(&node.op) {
        return vec![function];
    }
    let mut found = Vec::new();
    for (_, value) in node.attrs.iter() {
        if let AttrValue::Func(f) = value {
            found.extend(library.get(&f.name));
        }
        found.extend(value.funcs().iter().filter_map(|f| library.get(&f.name)));
    }
    found
}
