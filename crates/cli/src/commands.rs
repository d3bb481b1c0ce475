//! The commands, one file each. They call the library and print what it says.

mod bench;
mod cache;
mod ends;
mod explain;
mod manual;
mod profile;
mod program;
mod run;
mod show;
mod stages;
mod subject;
mod summary;

use crate::args::Command;
use crate::compat;
use crate::console::Console;
use crate::failure::Failure;

/// Runs the command.
///
/// # Errors
/// Whatever stops it.
pub(crate) fn dispatch(command: Command, console: &mut Console) -> Result<(), Failure> {
    match command {
        Command::Show(args) => show::show(&args, console),
        Command::Scan(args) => {
            let dir = args.dir.or(args.model).unwrap_or_default();
            let text = compat::scan(&dir, args.tag_set.as_deref(), args.op_denylist.as_deref())?;
            console.print(text)
        }
        Command::Run(args) => run::run(&args, console),
        Command::Bench(args) => bench::bench(&args, console),
        Command::Explain(args) => explain::explain(&args, console),
        Command::Cache(args) => cache::cache(&args, console),
        Command::Completions(args) => manual::completions(args.shell, console),
        Command::Man(args) => manual::page(args.command.as_deref(), console),
    }
}
