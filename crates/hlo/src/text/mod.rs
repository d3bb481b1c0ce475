//! StableHLO's MLIR text form: what JAX, TensorFlow and XLA's plugins exchange.
//!
//! [`parse`] reads the pretty and the generic form, with aliases, locations, resources and the
//! `check` assertions of test programs. Modules print in the pretty form; [`print_generic`] gives
//! the generic one. `parse(print(m))` is `m` again. It must not know what operations mean: shapes
//! and attributes are checked by the verifier.

mod attrs;
mod body;
mod build;
mod cursor;
mod decompose;
mod fields;
mod forms;
mod legacy;
mod literal;
mod location;
mod mesh;
mod names;
mod number;
mod parser;
mod pretty;
mod print;
mod print_pretty;
mod program;
mod props;
mod scan;
mod show;
mod structs;
mod structured;
mod types;

use tfjit_base::Result;

use crate::Module;
use parser::Parser;
pub use print::{PrintOptions, print_generic};

/// Reads one module, or functions without a module around them.
///
/// # Errors
/// INVALID_ARGUMENT with line, column and what was expected; UNIMPLEMENTED for operations and
/// types outside StableHLO.
pub fn parse(text: &str) -> Result<Module> {
    Ok(Parser::new(text, 0)?.program()?.unwrap_or_default())
}

/// Reads a file of modules separated by `// -----` lines; pieces that hold neither a module nor a
/// function are left out.
///
/// # Errors
/// As [`parse`].
pub fn parse_file(text: &str) -> Result<Vec<Module>> {
    let mut modules = Vec::new();
    let (mut start, mut end, mut lines, mut lines_before) = (0, 0, 0, 0);
    let mut read = |piece: &str, lines_before| {
        modules.extend(Parser::new(piece, lines_before)?.program()?);
        Ok(())
    };
    for line in text.split_inclusive('\n') {
        if is_separator(line) {
            read(&text[start..end], lines_before)?;
            (start, lines_before) = (end, lines);
        }
        end += line.len();
        lines += 1;
    }
    read(&text[start..], lines_before)?;
    Ok(modules)
}

/// Whether a line is `// -----`, possibly commented out once more, which separates all the same.
fn is_separator(line: &str) -> bool {
    let before = line.trim().strip_suffix("// -----");
    before.is_some_and(|b| b.bytes().all(|b| b == b'/' || b == b' '))
}
