//! What a command works on: a model, a session over it, and one way to call it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tfjit::persist::DirectoryOptions;
use tfjit::{CompileMode, Model, Options, ReadOptions, Session, Signature, TensorSpec};
use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_model::Function;

use super::ends;
use super::show::tag_list;
use crate::args::{Backend, Clusters, CompileWhen, EngineArgs, InputArgs, OnOff};
use crate::compat::{self, Feed};
use crate::console::Console;
use crate::failure::Failure;
use crate::progress;
use crate::value::{PixelRange, Slot, feed_value, parse_shape, parse_value, random};

/// What the user named.
pub(super) struct Choice<'a> {
    pub(super) path: &'a Path,
    pub(super) tags: Option<&'a str>,
    pub(super) signature: Option<&'a str>,
    pub(super) feeds: &'a [String],
    pub(super) fetches: &'a [String],
}

/// The model that was named.
pub(super) struct Subject {
    pub(super) model: Model,
    /// How long reading took.
    pub(super) read: Duration,
}

/// Options of a session for these arguments.
pub(super) fn options(args: &EngineArgs, threads: Option<usize>) -> Options {
    let usual = Options::default();
    Options {
        backend: match args.backend {
            Some(Backend::Local) => tfjit::Backend::Local,
            Some(Backend::Eval) => tfjit::Backend::Eval,
            None => usual.backend,
        },
        codegen: args.codegen == OnOff::On,
        perf_map: args.perf_map,
        profiler: args.profile.then(Arc::default),
        freeze_variables: args.freeze == OnOff::On,
        threads: threads.unwrap_or(usual.threads).max(1),
        checks: args.checks == OnOff::On,
        clusters: args.clusters == Clusters::Auto,
        compile_mode: match args.compile {
            CompileWhen::Strict => CompileMode::Strict,
            CompileWhen::Lazy => CompileMode::Lazy,
            CompileWhen::Async => CompileMode::Async,
        },
        persistent_cache: match &args.cache_dir {
            Some(folder) => {
                DirectoryOptions { folder: folder.clone(), ..usual.persistent_cache.clone() }
            }
            None => usual.persistent_cache.clone(),
        },
        ..usual
    }
}

impl Subject {
    /// Reads the model.
    ///
    /// # Errors
    /// All problems of the file at once.
    pub(super) fn read(choice: &Choice<'_>, console: &Console) -> Result<Subject> {
        let tags = choice.tags.map(tag_list);
        let start = Instant::now();
        let options = ReadOptions { tags, ..ReadOptions::default() };
        let model = progress::during(console, "reading", || Model::read(choice.path, &options))?;
        let read = start.elapsed();
        for warning in &model.raw().warnings {
            console.warn(warning);
        }
        Ok(Subject { model, read })
    }

    /// A session with the model's variables, initialised.
    ///
    /// # Errors
    /// Those of the initialisers.
    pub(super) fn session(&self, options: &Options, console: &Console) -> Result<Session> {
        progress::during(console, "initialising", || self.model.session(options))
    }

    /// How the model is called: as was named, or as is meant when nothing was.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the choice is open, NOT_FOUND when there is nothing to run.
    fn way(&self, choice: &Choice<'_>) -> Result<Way> {
        let raw = self.model.raw();
        let graph = || Way::Tensors {
            feeds: match choice.feeds {
                [] => ends::inputs(raw),
                feeds => feeds.to_vec(),
            },
            fetches: match choice.fetches {
                [] => ends::outputs(raw),
                fetches => fetches.to_vec(),
            },
        };
        if !choice.feeds.is_empty() || !choice.fetches.is_empty() {
            return Ok(graph());
        }
        if let Some(key) = choice.signature {
            return Ok(Way::Signature(key.to_owned()));
        }
        let keys: Vec<&str> = self.model.signatures().map(|(key, _)| key).collect();
        match keys.as_slice() {
            [] if raw.graph.is_empty() => Err(Error::not_found("the model has nothing to run")),
            [] => Ok(graph()),
            [only] => Ok(Way::Signature((*only).to_owned())),
            keys if keys.contains(&DEFAULT_KEY) => Ok(Way::Signature(DEFAULT_KEY.to_owned())),
            keys => Err(Error::invalid_argument(format!(
                "the model has {} signatures and none is called {DEFAULT_KEY}",
                keys.len()
            ))
            .help(format!("choose one with --signature: {}", keys.join(", ")))),
        }
    }

    /// The signature that was named or is meant.
    ///
    /// # Errors
    /// NOT_FOUND for names that are not there, INVALID_ARGUMENT when the choice is open.
    pub(super) fn signature(&self, choice: &Choice<'_>, session: &Session) -> Result<Signature> {
        match self.way(choice)? {
            Way::Signature(key) => session.signature(&key),
            Way::Tensors { feeds, fetches } => session.function(&feeds, &fetches, &[]),
        }
    }

    /// The function behind the signature, which can be looked at even if it cannot run.
    ///
    /// # Errors
    /// As [`Subject::signature`].
    pub(super) fn function(&self, choice: &Choice<'_>) -> Result<Function> {
        let raw = self.model.raw();
        match self.way(choice)? {
            Way::Signature(key) => raw.signature_function(&key),
            Way::Tensors { feeds, fetches } => raw.function_from_tensors(&feeds, &fetches, &[]),
        }
    }
}

/// One way to call a model.
enum Way {
    /// By the key of a signature.
    Signature(String),
    /// By tensors of the main graph.
    Tensors { feeds: Vec<String>, fetches: Vec<String> },
}

/// The signature that servers call.
const DEFAULT_KEY: &str = "serving_default";

/// Values for some inputs, by name.
pub(super) type Feeds = Vec<(String, Tensor)>;

/// What the arguments say about the inputs.
pub(super) struct Inputs {
    pixels: PixelRange,
    values: Vec<(String, String)>,
    shapes: Vec<(String, Shape)>,
    files: Vec<Feed>,
}

impl Inputs {
    /// Reads the arguments, not yet the files they name.
    ///
    /// # Errors
    /// A usage error when they are not written as they must be.
    pub(super) fn parse(args: &InputArgs, console: &Console) -> Result<Inputs, Failure> {
        let pair = |text: &str, flag: &str| {
            text.split_once('=')
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .ok_or_else(|| Failure::Usage(format!("{flag} takes NAME=..., not {text:?}")))
        };
        let usage = |e: Error| Failure::Usage(e.message().to_owned());
        let values = args.input.iter().map(|t| pair(t, "--input")).collect::<Result<_, _>>()?;
        let shapes = args
            .shape
            .iter()
            .map(|text| {
                let (name, shape) = pair(text, "--shape")?;
                Ok((name, parse_shape(&shape).map_err(usage)?))
            })
            .collect::<Result<_, Failure>>()?;
        let (files, warnings) = compat::parse_feeds(args)?;
        for warning in warnings {
            console.warn(&warning);
        }
        let pixels = PixelRange::parse(&args.image_scale).map_err(usage)?;
        Ok(Inputs { pixels, values, shapes, files })
    }

    /// The names that were given values.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let values = self.values.iter().map(|(name, _)| name.as_str());
        values.chain(self.files.iter().map(|f| f.key.as_str()))
    }

    /// Values for the inputs that were given one. Unknown first extents become `batch`, if given.
    ///
    /// # Errors
    /// NOT_FOUND for a name that is no input; those of reading values.
    pub(super) fn feeds(&self, specs: &[TensorSpec], batch: Option<usize>) -> Result<Feeds> {
        let slots = self.slots(specs, batch)?;
        let mut feeds = Feeds::new();
        for feed in &self.files {
            feeds.push((feed.key.clone(), feed_value(&feed.source, find(&slots, &feed.key)?)?));
        }
        for (name, text) in &self.values {
            let value = parse_value(text, find(&slots, name)?, self.pixels)?;
            match feeds.iter_mut().find(|(n, _)| n == name) {
                Some(earlier) => earlier.1 = value,
                None => feeds.push((name.clone(), value)),
            }
        }
        Ok(feeds)
    }

    /// As [`Inputs::feeds`], and made-up values for all other inputs.
    ///
    /// # Errors
    /// As [`Inputs::feeds`], and INVALID_ARGUMENT when a shape is not known.
    pub(super) fn all_feeds(&self, specs: &[TensorSpec], batch: Option<usize>) -> Result<Feeds> {
        let mut feeds = self.feeds(specs, batch)?;
        for slot in self.slots(specs, batch)? {
            if feeds.iter().any(|(name, _)| *name == slot.name) {
                continue;
            }
            let shape = slot.filled_shape().ok_or_else(|| {
                Error::invalid_argument("the rank of the input is unknown")
                    .at(format!("input {}", slot.name))
                    .help(format!("give a shape: --shape {}=1,2,3", slot.name))
            })?;
            feeds.push((slot.name.clone(), random(slot.dtype, &shape, 0)?));
        }
        Ok(feeds)
    }

    fn slots(&self, specs: &[TensorSpec], batch: Option<usize>) -> Result<Vec<Slot>> {
        let mut slots = specs
            .iter()
            .map(|spec| {
                let dtype = spec.dtype().ok_or_else(|| {
                    Error::unimplemented(format!("a value of type {}", spec.type_name()))
                        .at(format!("input {}", spec.name))
                })?;
                Ok(Slot { name: spec.name.clone(), dtype, shape: spec.shape.clone() })
            })
            .collect::<Result<Vec<Slot>>>()?;
        if let Some(batch) = batch {
            slots.iter_mut().for_each(|slot| slot.set_batch(batch));
        }
        for (name, shape) in &self.shapes {
            find(&slots, name)?;
            for slot in slots.iter_mut().filter(|slot| slot.name == *name) {
                slot.set_shape(shape)?;
            }
        }
        Ok(slots)
    }
}

fn find<'s>(slots: &'s [Slot], name: &str) -> Result<&'s Slot> {
    slots.iter().find(|slot| slot.name == name).ok_or_else(|| {
        let names: Vec<String> = slots.iter().map(|s| format!("\"{}\"", s.name)).collect();
        let choose = match names.as_slice() {
            [] => "There are no inputs.".to_owned(),
            names => format!("Please choose from {}.", names.join(", ")),
        };
        Error::not_found(format!("\"{name}\" is not a valid input key. {choose}"))
    })
}

/// Feeds as the library takes them.
pub(super) fn borrowed(feeds: &Feeds) -> Vec<(&str, Tensor)> {
    feeds.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}
