//! From kernels to an artifact: one function after the other, each with its constants.
//!
//! It must not know instructions of a processor.

use std::fmt::Write as _;

use tfjit_base::Result;
use tfjit_plan::kernel::Kernel;
use tfjit_plan::{Artifact, Entry};

use crate::x64;

/// Bytes to which entries are aligned.
const ALIGN: usize = 64;

/// A processor to emit for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// x86-64 with AVX2, FMA and F16C.
    X64Avx2,
}

impl Target {
    /// The name that [`Artifact::target`] gets.
    pub const fn name(self) -> &'static str {
        match self {
            Target::X64Avx2 => "x86-64-avx2",
        }
    }
}

/// Machine code of kernels.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The code.
    pub artifact: Artifact,
    /// For each kernel the number of its entry, or why it has none: `UNIMPLEMENTED` with the
    /// kernel's name. Such a kernel is to be interpreted.
    pub entries: Vec<Result<usize>>,
}

/// Emits verified and expanded kernels.
///
/// # Errors
/// None today: what can't be emitted is said kernel by kernel.
pub fn emit(kernels: &[&Kernel], target: Target) -> Result<Emitted> {
    let mut artifact = Artifact { target: target.name().to_owned(), ..Artifact::default() };
    let mut entries = Vec::with_capacity(kernels.len());
    for kernel in kernels {
        entries.push(x64::function(kernel, false).map(|f| append(&mut artifact, kernel, &f.code)));
    }
    Ok(Emitted { artifact, entries })
}

/// Appends a function; gives the number of its entry.
fn append(artifact: &mut Artifact, kernel: &Kernel, code: &[u8]) -> usize {
    // 0xCC is a breakpoint: nobody gets there.
    artifact.code.resize(artifact.code.len().next_multiple_of(ALIGN), 0xCC);
    let offset = artifact.code.len();
    artifact.code.extend_from_slice(code);
    artifact.entries.push(Entry { name: kernel.name.clone(), offset, bytes: code.len() });
    artifact.entries.len() - 1
}

/// The code of kernels as text, with the offset of each instruction in its function.
pub fn asm_text(kernels: &[&Kernel], target: Target) -> String {
    let mut out = format!("; {}\n", target.name());
    // Writing to a string does not fail.
    for kernel in kernels {
        let _ = writeln!(out, "\n{}:", kernel.name);
        match x64::function(kernel, true) {
            Err(error) => {
                let _ = writeln!(out, "  ; not emitted: {error}");
            }
            Ok(function) => {
                for (offset, text) in function.listing.unwrap_or_default() {
                    let _ = match text.starts_with('.') {
                        true => writeln!(out, "{text}"),
                        false => writeln!(out, "  {offset:6x}  {text}"),
                    };
                }
            }
        }
    }
    out
}
