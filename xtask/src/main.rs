//! `cargo xtask COMMAND`: the chores of the repository, one command each.
//!
//! It only picks the command; what each one does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    xtask::run(&args)
}
