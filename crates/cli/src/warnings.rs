//! Warnings of the library on stderr, as those of the command itself.
//!
//! It must not know what they are about.

use std::fmt::{Debug, Write};
use std::io::Write as _;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::console::plain;

/// Start of the names of the library's own sources of events.
const OURS: &str = "tfjit";

/// Prints warnings and errors and nothing else.
struct Warnings {
    label: String,
}

/// Prints the library's warnings from now on, each behind `label`.
pub(crate) fn print(label: String) {
    // Somebody else may listen already, in tests.
    let _ = tracing::subscriber::set_global_default(Warnings { label });
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target().starts_with(OURS)
    }

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        Some(tracing::level_filters::LevelFilter::WARN)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message::default();
        event.record(&mut message);
        // Nothing can be done about a closed stderr.
        let _ = writeln!(std::io::stderr().lock(), "{}: {}", self.label, plain(&message.0));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The text of an event.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            // Writing to a string can't fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}
