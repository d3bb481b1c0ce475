//! The bridge: TensorFlow functions become HLO modules.
//!
//! One table row per TensorFlow op ([`table`]): its name, its compile-time-constant inputs and a
//! lowering that is written only with the HLO builder. [`lower`] walks a function in topological
//! order, inlines calls, threads variables through as extra parameters and results, and collects
//! run-time checks. [`const_args`] says which arguments a function needs as compile-time constants.
//!
//! It must not know how modules are compiled, cached or launched, nor read files.
//!
//! Read first: [`lower`], [`OpRow`], [`OpCtx`].

mod calls;
mod checks;
mod consts;
mod ctx;
mod fold;
mod lower;
mod ops;
mod region;
mod row;
mod value;

pub use checks::{Check, decode as decode_checks};
pub use consts::const_args;
pub use ctx::OpCtx;
pub use lower::{
    Arg, FrozenVariable, Lowered, Options, Param, Ret, Update, blockers, lower, unsupported,
};
pub use ops::collective::CollectiveInfo;
pub use row::{OpRow, row_of, table};
pub use value::TfValue;
