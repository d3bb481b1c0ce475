//! Prints the machine code of the kernels in a text file: `cargo run --example asm -- FILE`.
#![allow(clippy::print_stdout, reason = "a command")]

use tfjit_base::{Error, Result};
use tfjit_codegen::{Target, asm_text};
use tfjit_plan::kernel::Kernel;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).ok_or_else(|| Error::invalid_argument("a file"))?;
    let text = std::fs::read_to_string(path).map_err(|e| Error::not_found(e.to_string()))?;
    let kernels = Kernel::parse_all(&text)?;
    let kernels = kernels.iter().map(Kernel::expand).collect::<Result<Vec<_>>>()?;
    let all: Vec<&Kernel> = kernels.iter().collect();
    println!("{}", asm_text(&all, Target::X64Avx2));
    Ok(())
}
