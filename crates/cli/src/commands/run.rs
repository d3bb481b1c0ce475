//! `run`: one call of a signature, a graph or a program.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tfjit::{Recording, Times};
use tfjit_base::{Error, Result, Tensor};

use super::stages::Stages;
use super::subject::{Choice, Inputs, Subject, borrowed, options};
use super::{profile, program, summary};
use crate::args::{ForeignArgs, RunArgs};
use crate::compat::{self, read_saved_model};
use crate::console::{Console, Style, plain};
use crate::failure::Failure;
use crate::files::{Staged, create_folder};
use crate::numpy;
use crate::progress;
use crate::table::{count_text, seconds_text};

/// Runs what was named and prints the results.
///
/// # Errors
/// Usage errors, those of reading and running, and of writing files and stdout.
pub(super) fn run(args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    let recording = args.trace.as_ref().map(|_| Recording::start());
    let result = run_untraced(args, console);
    if let (Some(path), Some(recording)) = (&args.trace, recording) {
        // Of a run that failed, too: it may show why.
        let mut staged = Staged::default();
        staged.add(path, recording.json().as_bytes())?;
        staged.commit()?;
    }
    result
}

fn run_untraced(args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    refuse_foreign(&args.foreign)?;
    if args.dir.is_some() {
        return run_compatibly(args, console);
    }
    let path = args.model.as_deref().unwrap_or(Path::new("."));
    if program::is_program(path) {
        return program::run(path, args, console);
    }
    let inputs = Inputs::parse(&args.inputs, console)?;
    let choice = choice(path, args);
    let subject = Subject::read(&choice, console)?;
    let stages = Stages::new(&args.stage)?;
    let mut options = options(&args.engine, args.threads);
    stages.configure(&mut options);
    if stages.before_lowering(&subject, &choice, options.clusters, console)? {
        return Ok(());
    }
    let session = subject.session(&options, console)?;
    let signature = subject.signature(&choice, &session)?;
    let feeds = inputs.feeds(signature.inputs(), None)?;
    if stages.programs(&signature, &feeds, &options, console)? {
        return Ok(());
    }
    let targets = Targets::new(args)?;
    let outputs = progress::during(console, "running", || signature.run(&borrowed(&feeds)))?;
    let values = outputs.named();
    targets.write(&values)?;
    for (name, value) in &values {
        print_output(name, value, args.values, console)?;
    }
    targets.announce(&values, console)?;
    profile::print(&options, console)?;
    console.flush()?;
    console.note(&times_text(subject.read, &outputs.times));
    Ok(())
}

fn choice<'a>(path: &'a Path, args: &'a RunArgs) -> Choice<'a> {
    Choice {
        path,
        tags: args.tags.as_deref(),
        signature: args.signature.as_deref(),
        feeds: &args.feeds,
        fetches: &args.fetches,
    }
}

/// Parts of TensorFlow that do not exist here. A TFRT session gives the same results.
fn refuse_foreign(args: &ForeignArgs) -> Result<()> {
    let foreign = [
        (args.tf_debug, "--tf_debug", "look at the stages with --to or --dump"),
        (args.worker.is_some(), "--worker", "the model runs in this process"),
        (args.init_tpu, "--init_tpu", "the model runs on this machine's processor"),
    ];
    match foreign.into_iter().find(|(given, ..)| *given) {
        Some((_, flag, help)) => {
            Err(Error::unimplemented(format!("{flag} is not supported")).help(help))
        }
        None => Ok(()),
    }
}

/// With the flags and the text of saved_model_cli.
fn run_compatibly(args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    let dir = args.dir.as_deref().unwrap_or(Path::new("."));
    let required = |flag: &str, value: &Option<String>| {
        value.clone().ok_or_else(|| Failure::Usage(format!("run --dir needs --{flag}")))
    };
    let tags = required("tag_set", &args.tags)?;
    let key = required("signature_def", &args.signature)?;
    let inputs = Inputs::parse(&args.inputs, console)?;
    if inputs.names().next().is_none() {
        return Err(Error::invalid_argument(
            "At least one of --inputs, --input_exprs or --input_examples must be required",
        )
        .into());
    }
    compat::check_run(&read_saved_model(dir)?, &tags, &key, inputs.names())?;
    let choice = choice(dir, args);
    let subject = Subject::read(&choice, console)?;
    let options = options(&args.engine, args.threads);
    let session = subject.session(&options, console)?;
    let signature = session.signature(&key)?;
    let feeds = inputs.feeds(signature.inputs(), None)?;
    let targets = Targets::new(args)?;
    targets.check(signature.outputs().iter().map(|spec| spec.name.as_str()))?;
    let outputs = progress::during(console, "running", || signature.run(&borrowed(&feeds)))?;
    let mut values = outputs.named();
    values.sort_by(|(a, _), (b, _)| a.cmp(b));
    targets.write(&values)?;
    for (name, value) in &values {
        let text = numpy::array_text(value)?;
        console.print(format!("Result for output key {name}:\n{text}\n"))?;
        targets.announce(std::slice::from_ref(&(name.clone(), value.clone())), console)?;
    }
    profile::print(&options, console)
}

/// Files that results go to.
pub(super) struct Targets<'a> {
    archive: Option<&'a Path>,
    folder: Option<&'a Path>,
    overwrite: bool,
}

impl<'a> Targets<'a> {
    /// What the arguments name.
    ///
    /// # Errors
    /// A usage error for a file name without a known extension.
    pub(super) fn new(args: &'a RunArgs) -> Result<Targets<'a>, Failure> {
        if let Some(path) = &args.output
            && !["npz", "npy"].iter().any(|e| path.extension().is_some_and(|x| x == *e))
        {
            return Err(Failure::Usage(format!(
                "--output takes a file name that ends in .npz or .npy, not {}",
                path.display()
            )));
        }
        Ok(Targets {
            archive: args.output.as_deref(),
            folder: args.outdir.as_deref(),
            overwrite: args.overwrite,
        })
    }

    fn file(&self, name: &str) -> Result<Option<PathBuf>> {
        let Some(folder) = self.folder else { return Ok(None) };
        if name.contains(['/', '\\']) {
            return Err(Error::invalid_argument(format!(
                "the output {name:?} cannot be the name of a file"
            ))
            .help("write all outputs into one file with --output FILE.npz"));
        }
        Ok(Some(folder.join(format!("{name}.npy"))))
    }

    /// Whether files of these outputs may be written.
    ///
    /// # Errors
    /// ALREADY_EXISTS for a file that must not be overwritten.
    pub(super) fn check<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<()> {
        for name in names {
            let Some(path) = self.file(name)? else { continue };
            if !self.overwrite && path.exists() {
                return Err(Error::already_exists(format!(
                    "Output file {} already exists. Add \"--overwrite\" to overwrite the existing \
                     output files.",
                    path.display()
                )));
            }
        }
        Ok(())
    }

    /// Writes all files or none.
    ///
    /// # Errors
    /// Those of [`Targets::check`], what the system says, and INVALID_ARGUMENT when several outputs
    /// are meant for one .npy file.
    pub(super) fn write(&self, values: &[(String, Tensor)]) -> Result<()> {
        self.check(values.iter().map(|(name, _)| name.as_str()))?;
        let mut staged = Staged::default();
        if let Some(path) = self.archive {
            staged.add(path, &archive_bytes(path, values)?)?;
        }
        if let Some(folder) = self.folder {
            create_folder(folder)?;
        }
        for (name, value) in values {
            if let Some(path) = self.file(name)? {
                staged.add(&path, &numpy::write_npy(value))?;
            }
        }
        staged.commit()
    }

    /// Says where results of `--outdir` are.
    ///
    /// # Errors
    /// When stdout cannot be written.
    pub(super) fn announce(
        &self,
        values: &[(String, Tensor)],
        console: &mut Console,
    ) -> Result<(), Failure> {
        for (name, _) in values {
            if let Some(path) = self.file(name)? {
                console.line(format!("Output {name} is saved to {}", path.display()))?;
            }
        }
        Ok(())
    }
}

fn archive_bytes(path: &Path, values: &[(String, Tensor)]) -> Result<Vec<u8>> {
    if path.extension().is_some_and(|e| e == "npz") {
        return numpy::write_npz(values.iter().map(|(name, value)| (name.as_str(), value)));
    }
    match values {
        [(_, only)] => Ok(numpy::write_npy(only)),
        _ => Err(Error::invalid_argument(format!(
            "a .npy file holds one array, and there are {} outputs",
            values.len()
        ))
        .help("name the file .npz, or use --outdir")),
    }
}

/// Prints an output: whole, or a summary and its first values.
///
/// # Errors
/// When stdout cannot be written.
pub(super) fn print_output(
    name: &str,
    value: &Tensor,
    whole: bool,
    console: &mut Console,
) -> Result<(), Failure> {
    let title = console.style(Style::Name, &plain(name));
    let facts = summary::statistics(value)?;
    console.line(format!("{title}  {}{}  {facts}", value.dtype(), value.shape()).trim_end())?;
    if whole {
        return console.line(numpy::array_text(value)?);
    }
    match summary::first_values(value)?.as_str() {
        "" => Ok(()),
        text => console.line(format!("  {text}")),
    }
}

/// One line of where the time went.
pub(super) fn times_text(read: Duration, times: &Times) -> String {
    let mut text = "time:".to_owned();
    let parts = [
        ("read", read),
        ("lower", times.lower),
        ("optimise", times.optimise),
        ("compile", times.compile),
        ("launch", times.launch),
    ];
    for (what, time) in parts.into_iter().filter(|(_, time)| !time.is_zero()) {
        let comma = if text.ends_with(':') { "" } else { "," };
        // Writing into a string cannot fail.
        let _ = write!(text, "{comma} {what} {}", seconds_text(time.as_secs_f64()));
    }
    let compiles = count_text(times.compiles as usize, "compilation");
    let launches = match times.launches {
        1 => "1 launch".to_owned(),
        n => format!("{n} launches"),
    };
    format!("{text} ({compiles}, {launches})")
}
