//! The command `tfjit`: show, run, scan, bench and explain TensorFlow programs.
//!
//! Results go to stdout, messages to stderr. Files are written whole or not at all. The exit
//! status is 0 on success, 1 on an error, and 2 when the command line is wrong; a reader that
//! closes the pipe ends the command quietly. This crate must not know how anything is compiled or
//! run: it reads arguments, calls the library and prints.

mod args;
mod commands;
mod compat;
mod console;
mod failure;
mod files;
mod numpy;
mod progress;
mod python;
mod table;
mod value;
mod warnings;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::Cli;
use crate::console::Console;

fn main() -> ExitCode {
    let mut command = Cli::command();
    let words = args::normalise(std::env::args_os().collect(), &command);
    let parsed = command.try_get_matches_from_mut(words).and_then(|m| Cli::from_arg_matches(&m));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(e) => return failure::usage(&e),
    };
    let mut console = Console::new(cli.color, cli.quiet);
    if let Some(label) = console.warning_label() {
        warnings::print(label);
    }
    let result = commands::dispatch(cli.command, &mut console);
    failure::exit_code(console.finish(result), &console)
}
