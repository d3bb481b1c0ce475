//! `--xla_dump_to`: programs as files with the names that XLA gives them.
//!
//! | file | when |
//! |---|---|
//! | `module_0001.NAME.before_optimizations.txt` | lowered |
//! | `module_0001.NAME.0002.optimise.after_PASS.txt` | after a pass that changed something |
//! | `module_0001.NAME.after_optimizations.txt` | optimised |
//! | `module_0001.NAME.plan.txt` and so on | stages of the client, if their texts are kept |
//!
//! Passes are those that `--xla_dump_hlo_pass_re` matches. The text is StableHLO's. A file that
//! can't be written is a warning: nothing depends on it. It must not know what programs are.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::SystemTime;

use regex_lite::Regex;
use tfjit_base::{Error, Result};
use tfjit_model::mapped::io_error;

use super::XlaFlags;
use crate::Observer;

/// Letters of a function's name that a file's name has.
const NAME_MAX: usize = 120;
/// Programs in the making that are told apart; more than there are threads at work.
const OPEN_MAX: usize = 10_000;

/// Writes programs as the flags ask for.
#[derive(Debug)]
pub struct XlaDump {
    /// The folder; `None` for stdout.
    folder: Option<PathBuf>,
    modules: Option<Regex>,
    passes: Option<Regex>,
    modules_max: Option<usize>,
    timestamp: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Programs so far.
    count: usize,
    /// Those of them that were dumped.
    dumped: usize,
    /// What each thread is at: a function's program.
    open: HashMap<(ThreadId, String), Program>,
}

#[derive(Clone, Debug)]
struct Program {
    /// Start of its files' names; `None` when it is not dumped.
    name: Option<String>,
    /// Passes that were dumped.
    passes: usize,
}

impl XlaDump {
    /// What the flags ask for; `None` when they ask for no dump.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for what is no regular expression, UNIMPLEMENTED for a place that does not
    /// exist here.
    pub fn new(flags: &XlaFlags) -> Result<Option<XlaDump>> {
        let folder = match flags.xla_dump_to.as_str() {
            "" => return Ok(None),
            "-" => None,
            "sponge" => {
                return Err(Error::unimplemented("--xla_dump_to=sponge is for Google's tests")
                    .help("name a folder"));
            }
            path => Some(PathBuf::from(path)),
        };
        Ok(Some(XlaDump {
            folder,
            modules: regex("xla_dump_hlo_module_re", &flags.xla_dump_hlo_module_re)?,
            passes: regex("xla_dump_hlo_pass_re", &flags.xla_dump_hlo_pass_re)?,
            modules_max: usize::try_from(flags.xla_dump_max_hlo_modules).ok(),
            timestamp: flags.xla_dump_include_timestamp,
            state: Mutex::default(),
        }))
    }

    /// The name of the file for a stage of a function's program; `None` when there is to be none.
    fn file_name(&self, stage: &str, function: &str) -> Option<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (std::thread::current().id(), function.to_owned());
        if stage == "lower" || !state.open.contains_key(&key) {
            if state.open.len() >= OPEN_MAX {
                state.open.clear();
            }
            let program = self.next_program(&mut state, function);
            state.open.insert(key.clone(), program);
        }
        let program = state.open.get_mut(&key)?;
        let start = program.name.clone()?;
        let end = match stage {
            "lower" => "before_optimizations".to_owned(),
            "optimise" => "after_optimizations".to_owned(),
            _ => match stage.strip_prefix("optimise-") {
                Some(pass) => {
                    // The number of the round stands in front of the pass's name.
                    let pass = pass.split_once('-').map_or(pass, |(_, name)| name);
                    if !self.passes.as_ref()?.is_match(pass) {
                        return None;
                    }
                    program.passes += 1;
                    format!("{:04}.optimise.after_{}", program.passes, harmless(pass))
                }
                None => harmless(stage),
            },
        };
        Some(format!("{start}.{end}.txt"))
    }

    fn next_program(&self, state: &mut State, function: &str) -> Program {
        state.count += 1;
        let name = harmless(function);
        let matches = self.modules.as_ref().is_none_or(|modules| modules.is_match(&name));
        let wanted = matches && self.modules_max.is_none_or(|max| state.dumped < max);
        if !wanted {
            return Program { name: None, passes: 0 };
        }
        state.dumped += 1;
        let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time = match self.timestamp {
            true => format!("{}.", now().as_micros()),
            false => String::new(),
        };
        Program { name: Some(format!("{time}module_{:04}.{name}", state.count)), passes: 0 }
    }
}

/// A regular expression from a flag; `None` when it is empty.
fn regex(flag: &str, text: &str) -> Result<Option<Regex>> {
    if text.is_empty() {
        return Ok(None);
    }
    let bad = |e: regex_lite::Error| Error::invalid_argument(format!("the flag --{flag}: {e}"));
    Regex::new(text).map(Some).map_err(bad)
}

/// A name with nothing in it that a file system minds.
fn harmless(name: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    name.chars().map(good).take(NAME_MAX).collect()
}

fn write_file(folder: &Path, name: &str, text: &str) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| io_error(folder, &e))?;
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|e| io_error(&path, &e))
}

fn write_stdout(name: &str, text: &str) -> Result<()> {
    let text = format!("*** Begin {name} ***\n{text}\n*** End {name} ***\n");
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|e| Error::unavailable(format!("stdout cannot be written: {e}")))
}

impl Observer for XlaDump {
    fn product(&self, stage: &str, function: &str, text: &str) -> Result<()> {
        let Some(name) = self.file_name(stage, function) else { return Ok(()) };
        let written = match &self.folder {
            Some(folder) => write_file(folder, &name, text),
            None => write_stdout(&name, text),
        };
        if let Err(error) = written {
            tracing::warn!("{name} is not dumped: {error}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::FlagSet;
    use super::*;

    /// The files that compiling `functions` leaves behind, by name.
    fn dump(test: &str, flags: &str, functions: &[&str]) -> Vec<String> {
        let name = format!("tfjit-xla-dump-{}-{test}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let flags = XlaFlags::parse(&format!("--xla_dump_to='{}' {flags}", folder.display()));
        let observer = XlaDump::new(&flags.unwrap()).unwrap().unwrap();
        for function in functions {
            for stage in ["lower", "optimise-1-fold", "optimise-2-dce", "optimise", "plan"] {
                observer.product(stage, function, stage).unwrap();
            }
        }
        let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
        let name = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name();
        let mut names: Vec<String> = entries.map(|e| name(e).into_string().unwrap()).collect();
        names.sort();
        std::fs::remove_dir_all(&folder).unwrap();
        names
    }

    #[test]
    fn files_are_named_as_xla_names_them() {
        let names = dump("names", "", &["f", "a/b:c"]);
        let want = [
            "module_0001.f.after_optimizations.txt",
            "module_0001.f.before_optimizations.txt",
            "module_0001.f.plan.txt",
            "module_0002.a_b_c.after_optimizations.txt",
            "module_0002.a_b_c.before_optimizations.txt",
            "module_0002.a_b_c.plan.txt",
        ];
        assert_eq!(names, want);
    }

    #[test]
    fn passes_are_dumped_when_they_match() {
        let names = dump("passes", "--xla_dump_hlo_pass_re=d.e", &["f"]);
        assert!(names.contains(&"module_0001.f.0001.optimise.after_dce.txt".to_owned()));
        assert_eq!(names.len(), 4);
        let names = dump("all-passes", "--xla_dump_hlo_pass_re=.*", &["f"]);
        assert!(names.contains(&"module_0001.f.0002.optimise.after_dce.txt".to_owned()));
        assert_eq!(names.len(), 5);
    }

    #[test]
    fn modules_are_chosen_by_name_and_number() {
        let names = dump("chosen", "--xla_dump_hlo_module_re=^g", &["f", "g1", "g2"]);
        assert!(names.iter().all(|n| n.contains(".g1.") || n.contains(".g2.")));
        assert_eq!(names.len(), 6);
        let names = dump("number", "--xla_dump_max_hlo_modules=1", &["f", "g"]);
        assert!(names.iter().all(|n| n.starts_with("module_0001.f.")));
        assert_eq!(dump("none", "--xla_dump_max_hlo_modules=0", &["f"]), [""; 0]);
    }

    #[test]
    fn flags_that_ask_for_nothing_or_the_impossible() {
        let new = |text: &str| XlaDump::new(&XlaFlags::parse(text).unwrap());
        assert!(new("").unwrap().is_none());
        assert!(new("--xla_dump_to=-").unwrap().is_some());
        assert!(new("--xla_dump_to=x --xla_dump_hlo_module_re=(").is_err());
        assert!(new("--xla_dump_to=sponge").is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_made_stops_nothing() {
        let flags = XlaFlags::parse("--xla_dump_to=/dev/null/x").unwrap();
        let observer = XlaDump::new(&flags).unwrap().unwrap();
        observer.product("lower", "f", "text").unwrap();
    }
}
