//! The IR: StableHLO's closed operation set, with its MLIR text form.
//!
//! A [`Module`] holds functions; a [`Func`] holds values, instructions and blocks in dense arenas.
//! Regions are single blocks that may use values of the blocks around them, as in MLIR. What each
//! operation means is StableHLO's specification (version 1.x) and, for the `chlo` ones, the CHLO
//! dialect's documentation.
//!
//! This crate must not know TensorFlow: no op names, no attributes, no files of it. It does not
//! execute anything either.
//!
//! Read first: [`Op`], [`Func`], [`FuncBuilder`], [`parse`], [`print`](Module).

mod arbitrary;
mod attr;
mod builder;
mod fingerprint;
mod infer;
mod kinds;
mod module;
mod op;
mod patch;
mod row;
mod text;
mod types;
mod uses;
mod verify;

pub use arbitrary::{SplitMix, random_module, random_program};
pub use attr::{Attr, Attrs};
pub use builder::FuncBuilder;
pub use fingerprint::{fingerprint, op_hash};
pub use infer::{RegionSig, infer};
pub use module::{
    Block, BlockId, FRONTEND_ATTRIBUTES, Func, HOST_TRANSFER_RENDEZVOUS, Inst, InstId, Literal,
    Module, ValueData, ValueDef, ValueId,
};
pub use op::*;
pub use patch::{Fuel, Patch};
pub use row::{Class, OTHER_NAMES, OpRow, Purity, Tolerance};
pub use text::{PrintOptions, parse, parse_file, print_generic};
pub use types::{DYNAMIC, Quant, TensorType, Type};
pub use uses::{Live, Use, User, Uses};
pub use verify::{Level, verify, verify_at, verify_func};
