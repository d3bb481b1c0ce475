//! The flags that users of TensorFlow's compiler know: those of `TF_XLA_FLAGS` and `XLA_FLAGS`.
//!
//! Each flag is one row of a table: name, type, default, and what it does here. A text of flags
//! becomes a struct with one field a flag; flags of parts that do not exist here are read and have
//! no effect, as their rows say. The environment sets the defaults of the process, once; trouble
//! with it is a list of warnings, where TensorFlow ends the process.
//!
//! It must not know who obeys the flags.

mod dump;
mod table;
mod text;
mod value;

use std::sync::{Arc, PoisonError, RwLock};

use tfjit_base::{Error, Result, knobs};

pub use dump::XlaDump;
pub use table::{TfXlaFlags, XlaFlags};
pub use value::{AutoJit, CommaList, FlagValue, Switch};

use crate::persist::DirectoryOptions;

/// A flag as its row tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlagDef {
    /// Its name, without dashes.
    pub name: &'static str,
    /// The type of its value: `bool`, `int`, `text`.
    pub type_name: &'static str,
    /// Its default as text.
    pub default: String,
    /// What it does.
    pub doc: &'static str,
}

/// A set of flags that are given together in one text.
pub trait FlagSet: Default {
    /// The environment variable with the text.
    const VARIABLE: &'static str;

    /// All rows.
    fn table() -> Vec<FlagDef>;

    /// Gives a flag a value; `None` is the form without `=`. False when there is no such flag.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the flag takes no such value.
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<bool>;

    /// The flags in `text`, or in the file it names if it does not begin with a dash.
    ///
    /// # Errors
    /// INVALID_ARGUMENT listing unknown flags and bad values; those of reading the file.
    fn parse(text: &str) -> Result<Self> {
        let (flags, problems) = Self::parse_leniently(text);
        match Error::collect(problems) {
            None => Ok(flags),
            Some(error) => Err(error),
        }
    }

    /// As [`FlagSet::parse`], with the flags that are right and the problems with all others.
    fn parse_leniently(text: &str) -> (Self, Vec<Error>) {
        let mut flags = Self::default();
        let mut problems = Vec::new();
        let contents;
        let text = match text::file_name(text) {
            None => text,
            Some(path) => match text::read(path) {
                Ok(read) => {
                    contents = read;
                    &contents
                }
                Err(error) => return (flags, vec![error.context(Self::VARIABLE)]),
            },
        };
        let words = match text::split(text) {
            Ok(words) => words,
            Err(error) => return (flags, vec![error.context(Self::VARIABLE)]),
        };
        for word in words {
            match flags.set(&word.name, word.value.as_deref()) {
                Ok(true) => {}
                Ok(false) => problems.push(unknown::<Self>(&word.name)),
                Err(error) => problems.push(error.context(Self::VARIABLE)),
            }
        }
        (flags, problems)
    }
}

/// The error for a flag that is in no row.
fn unknown<S: FlagSet>(name: &str) -> Error {
    let error = Error::invalid_argument(format!("Unknown flag in {}: --{name}", S::VARIABLE));
    let table = S::table();
    match text::nearest(name, table.iter().map(|row| row.name)) {
        Some(near) => error.help(format!("did you mean --{near}?")),
        None => error,
    }
}

/// The flags of the process.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Those of TensorFlow.
    pub tf: TfXlaFlags,
    /// Those of XLA.
    pub xla: XlaFlags,
    /// What was wrong with the environment; those flags are as if they were not given.
    pub warnings: Vec<Error>,
}

static CURRENT: RwLock<Option<Arc<Flags>>> = RwLock::new(None);

/// The flags of the process: those of the environment as it was at the first call, unless they
/// were changed since.
pub fn current() -> Arc<Flags> {
    if let Some(flags) = &*CURRENT.read().unwrap_or_else(PoisonError::into_inner) {
        return Arc::clone(flags);
    }
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    let flags = current.get_or_insert_with(|| {
        let flags = Flags::from_environment();
        for warning in &flags.warnings {
            tracing::warn!("{warning}");
        }
        Arc::new(flags)
    });
    Arc::clone(flags)
}

/// Changes the flags of the process; what was made with earlier flags stays as it is.
///
/// # Errors
/// Those of `change`; nothing is changed then.
pub fn change(change: impl FnOnce(&mut Flags) -> Result<()>) -> Result<()> {
    let mut flags = Flags::clone(&current());
    change(&mut flags)?;
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(flags));
    Ok(())
}

/// Makes the next call of [`current`] read the environment again, for tests.
pub fn reset() {
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Sets how eagerly graphs are clustered, as `--tf_xla_auto_jit` would: `1`, `fusible`,
/// `single-gpu(2)`.
///
/// # Errors
/// INVALID_ARGUMENT for any other text.
pub fn set_auto_jit(text: &str) -> Result<()> {
    change(|flags| flags.tf.set("tf_xla_auto_jit", Some(text)).map(drop))
}

impl Flags {
    /// What the environment says now.
    pub fn from_environment() -> Flags {
        let text = |knob: knobs::Knob| knob.get().unwrap_or_default();
        Flags::from_texts(&text(knobs::TF_XLA_FLAGS), &text(knobs::XLA_FLAGS))
    }

    /// What these values of `TF_XLA_FLAGS` and `XLA_FLAGS` say.
    pub fn from_texts(tf: &str, xla: &str) -> Flags {
        let (tf, mut warnings) = TfXlaFlags::parse_leniently(tf);
        let (xla, others) = XlaFlags::parse_leniently(xla);
        warnings.extend(others);
        Flags { tf, xla, warnings }
    }

    /// The persistent cache that the flags ask for; its folder is empty when they ask for none.
    pub fn persistent_cache(&self) -> DirectoryOptions {
        DirectoryOptions {
            folder: self.tf.tf_xla_persistent_cache_directory.clone().into(),
            device_types: self.tf.tf_xla_persistent_cache_device_types.clone(),
            read_only: self.tf.tf_xla_persistent_cache_read_only,
            prefix: self.tf.tf_xla_persistent_cache_prefix.clone(),
            check_hlo: !self.tf.tf_xla_disable_strict_signature_checks,
            bytes_max: None,
        }
    }
}

#[cfg(test)]
mod tests;
