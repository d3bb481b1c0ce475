//! Between the compiler and the cache on disk: keys of what is compiled, and its way there and
//! back.
//!
//! It must not know files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tfjit_base::Result;
use tfjit_bridge::Arg;
use tfjit_client::CompileOptions;

use super::pipeline::{Pipeline, may_alias};
use super::{CompilationResult, Compiled, Request};
use crate::persist::fingerprint::{Fingerprint, function64, tensor64};
use crate::persist::{Entry, Key, Metadata, NewEntry, PersistentCache, options_text};
use crate::{Family, Signature, function_name};

/// Fingerprints of frozen variables that are remembered.
const FROZEN_MAX: usize = 100_000;

/// Fingerprints of what takes long to look through, by the number of the frozen variable.
#[derive(Default)]
pub(super) struct Frozen {
    known: Mutex<BTreeMap<u64, u64>>,
}

impl Frozen {
    fn of(&self, variable: &tfjit_bridge::FrozenVariable) -> u64 {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(&variable.id).copied();
        found.unwrap_or_else(|| {
            let fingerprint = tensor64(&variable.value);
            let mut known = known();
            if known.len() < FROZEN_MAX {
                known.insert(variable.id, fingerprint);
            }
            fingerprint
        })
    }

    /// The fingerprint of a name and of what is known of the arguments.
    fn signature(&self, name: &str, args: &[Arg]) -> u64 {
        let mut print = Fingerprint::new();
        print.text(name);
        print.count(args.len());
        for arg in args {
            match arg {
                Arg::Constant(tensor) | Arg::ConstantVariable(_, tensor) => {
                    print.word(0);
                    print.tensor(tensor);
                }
                Arg::Parameter(ty) | Arg::Variable(_, Some(ty)) => {
                    print.word(1);
                    print.text(ty.dtype.name());
                    print.count(ty.dims.len());
                    ty.dims.iter().for_each(|dim| print.word(dim.cast_unsigned()));
                }
                Arg::Variable(_, None) => print.word(2),
                Arg::Alias(of) => {
                    print.word(3);
                    print.count(*of);
                }
                Arg::Frozen(variable) => {
                    print.word(4);
                    print.word(self.of(variable));
                }
            }
        }
        print.finish()
    }
}

impl Pipeline {
    /// The cache on disk and the key there of what is asked for. There is none when somebody wants
    /// to see how it is compiled.
    pub(super) fn stored(&self, request: &Request<'_>) -> Option<(&PersistentCache, Key)> {
        let options = &self.options;
        let cache = options.persistent.as_ref()?;
        let watched = options.observer.is_some() || options.client.keep_text;
        let device_type = options.platform.compilation_device().ok()?;
        if watched || options.fuel.is_some() || !cache.is_enabled(device_type) {
            return None;
        }
        let name = function_name(request.function);
        let (checks, optimise) = (options.checks, options.optimise);
        let replicas = options.client.replicas;
        let key = Key {
            signature: self.frozen.signature(&name, request.args),
            cluster: function64(request.library, request.function),
            device_type: device_type.to_owned(),
            pjrt: options.family == Family::Pjrt,
            client: self.client.fingerprint(),
            options: options_text(checks, optimise, replicas),
            ..Key::default()
        };
        Some((cache, key))
    }

    /// What an entry holds, for a function of the request's.
    pub(super) fn load(&self, request: &Request<'_>, entry: &Entry) -> Result<Compiled> {
        let metadata = entry.metadata()?;
        let bytes = entry.executable_shared()?;
        let may_alias = may_alias(&metadata.params, &metadata.updates);
        let options = CompileOptions { may_alias, ..self.options.client.clone() };
        let executable = self.client.deserialize_shared(&bytes, &options)?;
        metadata.validate(
            request.args.len(),
            request.function.results.len(),
            executable.parameters().len(),
            executable.results().len(),
        )?;
        let Metadata { params, rets, updates, checks } = metadata;
        let result = CompilationResult { params, rets, updates, checks, collective: None };
        Ok(Compiled { result: Arc::new(result), executable })
    }

    /// Keeps what was compiled.
    pub(super) fn save(
        &self,
        request: &Request<'_>,
        place: &(&PersistentCache, Key),
        compiled: &Compiled,
        program: &str,
        compile_micros: u64,
    ) -> Result<()> {
        let (cache, key) = place;
        let CompilationResult { params, rets, updates, checks, collective } =
            (*compiled.result).clone();
        if collective.is_some() {
            // Entries do not say who its group is.
            return Ok(());
        }
        let signature = Signature::new(function_name(request.function), request.args).to_string();
        let entry = NewEntry {
            hlo: program,
            executable: &[],
            metadata: &Metadata { params, rets, updates, checks },
            function: &request.function.name,
            signature: &signature,
            compile_micros,
        };
        let again = || compiled.executable.serialize();
        cache.save_executable(key, entry, Some(&*compiled.executable), again)
    }
}
