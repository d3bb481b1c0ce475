//! The assembly formats of StableHLO and CHLO that are regular, one row each.
//!
//! `stablehlo.NAME OPERANDS, key = VALUE, … {attributes} : TYPES`. Parser and printer read the
//! same rows; formats of their own kind (`reduce`, `while`, `convolution`, …) are code.

use crate::{Binary, Unary};

/// How an attribute is written behind its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// `[0, 1]`.
    Dims,
    /// `0`.
    Int,
    /// `true`.
    Bool,
    /// A bare word; the attribute is `#stablehlo<KIND WORD>`.
    Word(&'static str),
}

/// `key = value` in a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Item {
    /// The key in the format.
    pub(super) key: &'static str,
    /// The attribute it stands for.
    pub(super) attr: &'static str,
    /// How its value is written.
    pub(super) value: Value,
    /// Whether it may be left out.
    pub(super) optional: bool,
}

/// How types are written behind the colon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Types {
    /// `type` when all operands and the result have it, else as [`Types::Function`].
    Same,
    /// `(types) -> types`.
    Function,
    /// The type of the result.
    Result,
    /// `types -> types` without parentheses around the operands'.
    Arrow,
    /// `type` of the complex result; operands have the type of its parts.
    Complex,
    /// `type of pred, type of the result`.
    Select,
    /// The tuple type of the result.
    Tuple,
    /// The types of the operands, which are those of the results.
    Pairwise,
}

/// One regular format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// What stands behind the operands, in order.
    pub(super) items: &'static [Item],
    /// How types are written.
    pub(super) types: Types,
}

const fn dims(key: &'static str, attr: &'static str) -> Item {
    Item { key, attr, value: Value::Dims, optional: false }
}

const fn int(key: &'static str, attr: &'static str) -> Item {
    Item { key, attr, value: Value::Int, optional: false }
}

const fn word(key: &'static str, attr: &'static str, kind: &'static str) -> Item {
    Item { key, attr, value: Value::Word(kind), optional: false }
}

const LOWER: Item = Item { key: "lower", attr: "lower", value: Value::Bool, optional: true };

const PAD: &[Item] = &[
    dims("low", "edge_padding_low"),
    dims("high", "edge_padding_high"),
    dims("interior", "interior_padding"),
];

const FFT: &[Item] = &[word("type", "fft_type", "fft_type"), dims("length", "fft_length")];

const DIM: &[Item] = &[int("dim", "dimension")];

const IOTA: &[Item] = &[int("dim", "iota_dimension")];

const BROADCAST: &[Item] = &[dims("dims", "broadcast_dimensions")];

const RNG: &[Item] = &[word("distribution", "rng_distribution", "rng_distribution")];

const RNG_BITS: &[Item] = &[word("algorithm", "rng_algorithm", "rng_algorithm")];

/// Regular formats of operations that are neither [`Unary`] nor [`Binary`], by name.
const FORMS: &[(&str, &[Item], Types)] = &[
    ("chlo.mulhi", &[], Types::Arrow),
    ("stablehlo.after_all", &[], Types::Same),
    ("stablehlo.bitcast_convert", &[], Types::Function),
    ("stablehlo.broadcast", &[dims("sizes", "broadcast_sizes")], Types::Function),
    ("stablehlo.broadcast_in_dim", BROADCAST, Types::Function),
    ("stablehlo.cholesky", &[LOWER], Types::Same),
    ("stablehlo.clamp", &[], Types::Same),
    ("stablehlo.concatenate", DIM, Types::Function),
    ("stablehlo.convert", &[], Types::Same),
    ("stablehlo.create_token", &[], Types::Result),
    ("stablehlo.dynamic_broadcast_in_dim", BROADCAST, Types::Function),
    ("stablehlo.dynamic_iota", IOTA, Types::Function),
    ("stablehlo.dynamic_pad", &[], Types::Function),
    ("stablehlo.dynamic_reshape", &[], Types::Function),
    ("stablehlo.dynamic_slice", &[dims("sizes", "slice_sizes")], Types::Function),
    ("stablehlo.dynamic_update_slice", &[], Types::Function),
    ("stablehlo.fft", FFT, Types::Function),
    ("stablehlo.get_dimension_size", DIM, Types::Function),
    ("stablehlo.iota", IOTA, Types::Result),
    ("stablehlo.pad", PAD, Types::Function),
    ("stablehlo.partition_id", &[], Types::Result),
    ("stablehlo.real_dynamic_slice", &[], Types::Function),
    ("stablehlo.replica_id", &[], Types::Result),
    ("stablehlo.reshape", &[], Types::Function),
    ("stablehlo.reverse", &[dims("dims", "dimensions")], Types::Same),
    ("stablehlo.rng", RNG, Types::Function),
    ("stablehlo.rng_bit_generator", RNG_BITS, Types::Function),
    ("stablehlo.select", &[], Types::Select),
    ("stablehlo.set_dimension_size", DIM, Types::Function),
    ("stablehlo.transpose", &[dims("dims", "permutation")], Types::Function),
    ("stablehlo.tuple", &[], Types::Tuple),
    ("stablehlo.uniform_dequantize", &[], Types::Same),
    ("stablehlo.uniform_quantize", &[], Types::Same),
];

/// The regular format of the operation called `name`, if it has one.
pub(super) fn form(name: &str) -> Option<Form> {
    let elementwise = Unary::from_text(name).map(|_| ()).or(Binary::from_text(name).map(|_| ()));
    if elementwise.is_some() {
        let types = match name {
            "stablehlo.complex" => Types::Complex,
            _ if name.starts_with("chlo.") => Types::Arrow,
            _ => Types::Same,
        };
        return Some(Form { items: &[], types });
    }
    let i = FORMS.binary_search_by(|row| row.0.cmp(name)).ok()?;
    Some(Form { items: FORMS[i].1, types: FORMS[i].2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_name() {
        assert!(FORMS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
