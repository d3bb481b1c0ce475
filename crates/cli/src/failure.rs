//! Why a command ends early, how that is told, and the exit status.

use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use tfjit_base::{Code, Error};

use crate::console::{Console, Style};

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is wrong in a way that clap cannot see.
    Usage(String),
    /// An error of the library.
    Error(Error),
    /// The reader of stdout has gone.
    ClosedPipe,
}

impl From<Error> for Failure {
    fn from(e: Error) -> Failure {
        Failure::Error(e)
    }
}

impl Failure {
    /// From an error while writing to stdout.
    pub(crate) fn of_stdout(e: io::Error) -> Failure {
        if e.kind() == io::ErrorKind::BrokenPipe {
            return Failure::ClosedPipe;
        }
        Failure::Error(Error::new(Code::Unavailable, format!("stdout cannot be written: {e}")))
    }
}

/// Reports the failure, if any.
pub(crate) fn exit_code(result: Result<(), Failure>, console: &Console) -> ExitCode {
    match result {
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            console.report(Style::Error, "error", &message);
            ExitCode::from(2)
        }
        Err(Failure::Error(e)) => {
            report(&e, console);
            ExitCode::FAILURE
        }
    }
}

/// `error: CODE: message [at node]`, `help: ...`, and the same for each further problem.
fn report(error: &Error, console: &Console) {
    let mut label = "error";
    for e in std::iter::once(error).chain(error.others()) {
        let place = e.node().map(|node| format!(" [at {node}]")).unwrap_or_default();
        console.report(Style::Error, label, &format!("{}: {}{place}", e.code(), e.message()));
        if let Some(hint) = e.hint() {
            console.report(Style::Help, "help", hint);
        }
        label = "and";
    }
}

/// Prints what clap has to say: help to stdout, complaints to stderr.
pub(crate) fn usage(e: &clap::Error) -> ExitCode {
    // A closed pipe while help is printed is no failure.
    let _ = e.print();
    match e.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}
