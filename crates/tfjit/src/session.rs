//! A session: a model's variables and a compiler with its cache. Sessions share nothing.

use std::sync::Arc;

use tfjit_base::{Error, Result, Shape, Tensor};
use tfjit_launch::trace::Recording;
use tfjit_launch::{Background, CacheStats, DeviceCompiler, Environment, Times, ops};
use tfjit_model::Function;
use tfjit_runtime::{ResourceManager, Writes};

use crate::{Model, Options, Signature, backend};

/// Runs at a time that nobody waits for; more wait for these.
const RUNS_MAX: usize = 16;

/// A model's variables and a compiler. Cloning shares both.
#[derive(Clone, Debug)]
pub struct Session {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) model: Model,
    pub(crate) resources: ResourceManager,
    pub(crate) compiler: Arc<DeviceCompiler>,
    pub(crate) environment: Environment,
    pub(crate) threads: usize,
    /// Where runs go on that nobody waits for.
    pub(crate) runs: Background,
    /// Held so that spans are kept while the session lives.
    _trace: Option<Arc<Recording>>,
}

impl Session {
    pub(crate) fn new(model: &Model, options: &Options) -> Result<Session> {
        let client = backend::client(options);
        let resources = ResourceManager::new();
        for variable in &model.raw().variables {
            if let Some(value) = &variable.value {
                let cell = resources.lookup_or_create(&variable.container, &variable.name);
                cell.assign(value.clone())?;
            }
        }
        let compiler = Arc::new(DeviceCompiler::new(client, options.compiler()?));
        let library = Arc::clone(&model.raw().library);
        let env = ops::Env {
            policy: options.auto_jit(),
            api: options.device_api(),
            ..ops::Env::new(library, Arc::clone(&compiler))
        };
        let environment = Environment::new(env)
            .with_mode(options.compile_mode)
            .with_clusters(options.clusters && !options.flags.tf.tf_xla_compile_on_demand)
            .with_frozen_variables(options.freeze_variables);
        let session = Session {
            inner: Arc::new(Inner {
                model: model.clone(),
                resources,
                compiler,
                environment,
                threads: options.threads.max(1),
                runs: Background::new("tfjit-run", RUNS_MAX),
                _trace: options.trace.clone(),
            }),
        };
        session.initialise()?;
        if options.freeze_variables {
            session.freeze();
        }
        Ok(session)
    }

    /// Freezes the variables that no signature writes. Whatever else is made to run thaws what it
    /// may write before it runs.
    fn freeze(&self) {
        let model = self.inner.model.raw();
        let mut writes = Writes::default();
        for key in model.signatures.keys() {
            // A signature that can't be made can't run either.
            if let Ok(function) = model.signature_function(key) {
                let found = Writes::of(&model.library, &function);
                writes.any |= found.any;
                writes.variables.extend(found.variables);
            }
        }
        self.inner.resources.freeze(&writes);
    }

    /// Runs the model's initialiser, if it has one, with the paths of its assets.
    fn initialise(&self) -> Result<()> {
        let model = self.inner.model.raw();
        let Some(function) = model.init_function()? else { return Ok(()) };
        let paths: Vec<(String, Tensor)> = function
            .params
            .iter()
            .map(|param| {
                let asset = model
                    .assets
                    .iter()
                    .find(|a| model.graph.endpoint_name(a.tensor) == *param.name);
                let path = asset.map(|a| a.path.as_os_str().as_encoded_bytes().to_vec());
                let path = path.ok_or_else(|| {
                    Error::not_found(format!("no asset belongs to {}", param.name))
                })?;
                Ok((param.name.to_string(), Tensor::strings(Shape::scalar(), vec![path])?))
            })
            .collect::<Result<_>>()?;
        let feeds: Vec<(&str, Tensor)> =
            paths.iter().map(|(name, t)| (name.as_str(), t.clone())).collect();
        Signature::new(self, function, Vec::new())?.run(&feeds).map(drop)
    }

    /// The signature `key`.
    ///
    /// # Errors
    /// NOT_FOUND listing the known ones; UNIMPLEMENTED listing nodes that can't run.
    pub fn signature(&self, key: &str) -> Result<Signature> {
        let model = self.inner.model.raw();
        let function = model.signature_function(key)?;
        let defaults = model.signatures.get(key).map(|s| &s.defaults);
        let defaults = defaults
            .into_iter()
            .flatten()
            .map(|(name, value)| Ok((name.clone(), value.to_tensor()?)))
            .collect::<Result<_>>()?;
        Signature::new(self, function, defaults)
    }

    /// The part of the main graph that computes `fetches` from `feeds` and runs `targets`; tensors
    /// are named `x:0` or `x`.
    ///
    /// # Errors
    /// NOT_FOUND for unknown names; UNIMPLEMENTED listing nodes that can't run.
    pub fn function(
        &self,
        feeds: &[String],
        fetches: &[String],
        targets: &[String],
    ) -> Result<Signature> {
        let function: Function =
            self.inner.model.raw().function_from_tensors(feeds, fetches, targets)?;
        Signature::new(self, function, Vec::new())
    }

    /// The value of each variable; `None` while uninitialised.
    pub fn variables(&self) -> Vec<(String, Option<Tensor>)> {
        self.inner.resources.variables().into_iter().map(|(n, v)| (n, v.value())).collect()
    }

    /// Gives a variable a value; the next run sees it. The variable is no constant any more then,
    /// whatever [`Options::freeze_variables`] says.
    ///
    /// # Errors
    /// NOT_FOUND when the session has no such variable, INVALID_ARGUMENT when the value's element
    /// type is not that of the variable's value.
    pub fn assign(&self, name: &str, value: Tensor) -> Result<()> {
        let variables = self.inner.resources.variables();
        match variables.iter().find(|(n, _)| n == name) {
            Some((_, variable)) => variable.assign(value),
            None => Err(Error::not_found(format!("there is no variable {name}"))),
        }
    }

    /// Counters of the compile cache.
    pub fn cache(&self) -> CacheStats {
        self.inner.compiler.stats()
    }

    /// Where time went so far.
    pub fn times(&self) -> Times {
        self.inner.compiler.timings().read()
    }
}
