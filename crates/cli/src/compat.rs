//! The text of TensorFlow's saved_model_cli (2.21), which other tools parse.
//!
//! It works on the file's own messages, so that a model with a flaw can still be looked at. Where
//! the original prints a Python set or a protobuf map, in no order, the order here is by name. It
//! must not know how a model is run.

mod example;
mod feeds;
mod functions;
mod meta_graph;
mod options;
mod run;
mod scan;
mod show;
mod structured;
mod tags;

pub(crate) use feeds::{Feed, FeedSource, parse_feeds};
pub(crate) use meta_graph::{read_saved_model, tag_sets};
pub(crate) use run::check_run;
pub(crate) use scan::scan;
pub(crate) use show::show;
