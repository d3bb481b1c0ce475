//! Attributes that carry no meaning for execution, kept so that text round-trips: shardings,
//! layouts, names of results, frontend hints.

use indexmap::IndexMap;

use crate::{Literal, Type};

/// A dictionary of attributes in order of appearance.
pub type Attrs = IndexMap<String, Attr>;

/// One attribute value of MLIR's builtin kinds.
#[derive(Clone, PartialEq, Debug)]
pub enum Attr {
    /// `unit`: present without a value.
    Unit,
    /// `true` or `false`.
    Bool(bool),
    /// An integer with its type suffix, e.g. `1 : i64` (the suffix may be empty).
    Int(i64, String),
    /// A float with its type suffix, rounded to that type.
    Float(f64, String),
    /// A string.
    Str(String),
    /// A symbol, `@name`.
    Symbol(String),
    /// `[a, b]`.
    Array(Vec<Attr>),
    /// `array<i64: 1, 2>`: element type name and values.
    DenseArray(String, Vec<i64>),
    /// `dense<…> : tensor<…>`.
    Dense(Box<Literal>),
    /// `{a = 1}`.
    Dict(Attrs),
    /// A type.
    Type(Type),
    /// Any dialect attribute kept as written, e.g. `#mhlo.layout<…>`.
    Opaque(String),
}
