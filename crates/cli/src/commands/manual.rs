//! Completions and manual pages, made from the definitions of the arguments.

use clap::CommandFactory;
use clap_complete::Shell;
use tfjit_base::{Code, Error};

use crate::args::Cli;
use crate::console::Console;
use crate::failure::Failure;

/// Prints the completion script of a shell.
///
/// # Errors
/// When stdout cannot be written.
pub(super) fn completions(shell: Shell, console: &mut Console) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tfjit", &mut script);
    console.print(script)
}

/// Prints the manual page of tfjit, or of one of its commands.
///
/// # Errors
/// A usage error when there is no such command, or when stdout cannot be written.
pub(super) fn page(name: Option<&str>, console: &mut Console) -> Result<(), Failure> {
    let mut root = Cli::command();
    root.build();
    let command = match name {
        None => root,
        Some(name) => {
            let found = root.find_subcommand(name).cloned();
            let command = found.ok_or_else(|| {
                Failure::Usage(format!("tfjit has no command {name:?}; see tfjit --help"))
            })?;
            command.display_name(format!("tfjit-{name}"))
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(|e| {
        Error::new(Code::Internal, format!("the manual page cannot be written: {e}"))
    })?;
    console.print(page)
}
