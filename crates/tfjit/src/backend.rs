//! Which client stands behind a session.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tfjit_base::{Error, Result};
use tfjit_client::Client;
use tfjit_local::{LocalClient, LocalOptions};

use crate::{EvalClient, Options};

/// Which client compiles and runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// tfjit's own compiler for the processor it runs on.
    #[default]
    Local,
    /// The reference interpreter: slow and right.
    Eval,
}

impl Backend {
    /// All of them.
    pub const ALL: &[Backend] = &[Backend::Local, Backend::Eval];

    /// As it is written on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Local => "local",
            Backend::Eval => "eval",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;
    fn from_str(text: &str) -> Result<Backend> {
        Backend::ALL.iter().find(|b| b.name() == text).copied().ok_or_else(|| {
            let names: Vec<String> = Backend::ALL.iter().map(|b| format!("`{b}`")).collect();
            Error::invalid_argument(format!("there is no backend '{text}'"))
                .help(format!("the backends are {}", names.join(" and ")))
        })
    }
}

/// The client that the options ask for.
pub(crate) fn client(options: &Options) -> Arc<dyn Client> {
    match options.backend {
        Backend::Local => Arc::new(LocalClient::new(LocalOptions {
            codegen: options.codegen,
            optimise: options.optimise,
            perf_map: options.perf_map,
            memory_bytes_max: options.memory_bytes_max,
        })),
        Backend::Eval => Arc::new(EvalClient),
    }
}

/// What makes an executable of one client unusable in another, for the client that the options ask
/// for: the part of the persistent cache's keys that tells processors and compilers apart.
pub fn client_fingerprint(options: &Options) -> String {
    client(options).fingerprint()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_are_known_by_their_names() {
        for &backend in Backend::ALL {
            assert_eq!(backend.name().parse::<Backend>(), Ok(backend));
        }
        assert!("eVal".parse::<Backend>().is_err());
    }
}
