//! Forms that older writers used and that today's op definitions do not allow.
//!
//! One row a form; it must not know graphs.

use crate::attr::{AttrList, AttrValue, Attrs};

/// Lists of types that older versions of an op did not have: the type `T`, as many times as an
/// `int` attribute says.
const REPEATED_TYPES: &[(&str, &str, &str)] = &[("_FusedConv2D", "TArgs", "num_args")];

/// From this producer on a scalar shape of a placeholder means a scalar; before, it also stood for
/// an unknown shape.
pub(crate) const SCALAR_PLACEHOLDERS_SINCE: i32 = 24;

/// Whether [`modernise`] looks at the number of inputs.
pub(crate) fn counts_inputs(op: &str) -> bool {
    REPEATED_TYPES.iter().any(|row| row.0 == op)
}

/// Rewrites the attributes of a node with `inputs` inputs into today's form.
pub(crate) fn modernise(op: &str, attrs: &mut Attrs, inputs: usize) {
    for (_, list, count) in REPEATED_TYPES.iter().filter(|row| row.0 == op) {
        let (Ok(t), Ok(n)) = (attrs.attr_type("T"), attrs.attr_int(count)) else { continue };
        if !attrs.contains(list) {
            // Each is an input; a larger number is reported with the inputs.
            let n = usize::try_from(n).unwrap_or(0).min(inputs);
            attrs.set(*list, AttrValue::List(AttrList::Types(vec![t; n])));
        }
    }
}
