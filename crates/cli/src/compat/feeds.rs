//! The flags `--inputs`, `--input_exprs` and `--input_examples`: lists of `key=...` with
//! semicolons between them.
//!
//! On a conflict the later of the three flags wins, with a warning.

use tfjit_base::{Error, Result};

use super::example;
use crate::args::InputArgs;
use crate::python::{self, Literal};

/// A value for one input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Feed {
    pub(crate) key: String,
    pub(crate) source: FeedSource,
}

/// Where the value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FeedSource {
    /// A file, and the array in it.
    File { path: String, array: Option<String> },
    /// A literal.
    Literal(Literal),
}

/// The feeds of the three flags, and warnings.
///
/// # Errors
/// INVALID_ARGUMENT when a flag is not written as it must be.
pub(crate) fn parse_feeds(args: &InputArgs) -> Result<(Vec<Feed>, Vec<String>)> {
    let files = parse_files(&args.inputs)?;
    let exprs = parse_literals(&args.input_exprs)?;
    let examples = parse_examples(&args.input_examples)?;
    let mut feeds: Vec<Feed> = Vec::new();
    let mut warnings = Vec::new();
    let sources = [(files, ""), (exprs, "--input_exprs"), (examples, "--input_examples")];
    for (list, flag) in sources {
        for feed in list {
            match feeds.iter_mut().find(|f| f.key == feed.key) {
                Some(earlier) => {
                    // Within one flag, the last value of a key counts, silently.
                    if !flag.is_empty() {
                        warnings.push(format!(
                            "input {} is given more than once; the value of {flag} is used",
                            feed.key
                        ));
                    }
                    *earlier = feed;
                }
                None => feeds.push(feed),
            }
        }
    }
    Ok((feeds, warnings))
}

fn parse_files(list: &str) -> Result<Vec<Feed>> {
    list.split(';').filter(|item| !item.is_empty()).map(parse_file).collect()
}

fn parse_file(item: &str) -> Result<Feed> {
    let bad = || {
        Error::invalid_argument(format!(
            "--inputs \"{item}\" format is incorrect. Please follow \"<input_key>=<filename>\", or \
             \"<input_key>=<filename>[<variable_name>]\""
        ))
    };
    let plain = |text: &str| !text.is_empty() && !text.contains(['[', ']']);
    let (key, rest) = item.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(bad)?;
    let (path, array) = match rest.strip_suffix(']') {
        Some(inner) => {
            let (path, array) = inner.split_once('[').ok_or_else(bad)?;
            (path, Some(array))
        }
        None => (rest, None),
    };
    if !plain(path) || !array.is_none_or(plain) {
        return Err(bad());
    }
    let source = FeedSource::File { path: path.to_owned(), array: array.map(str::to_owned) };
    Ok(Feed { key: key.to_owned(), source })
}

fn parse_literals(list: &str) -> Result<Vec<Feed>> {
    list.split(';')
        .filter(|item| !item.is_empty())
        .map(|item| {
            let (key, text) = item.split_once('=').ok_or_else(|| {
                Error::invalid_argument(format!(
                    "--input_exprs \"{list}\" format is incorrect. Please follow \
                     \"<input_key>=<python expression>\""
                ))
            })?;
            let literal = python::parse(text, false).map_err(|e| {
                Error::invalid_argument(format!(
                    "Expression \"{text}\" is not a valid python literal."
                ))
                .help(format!("{}; only literals are read, nothing is evaluated", e.message()))
            })?;
            Ok(Feed { key: key.to_owned(), source: FeedSource::Literal(literal) })
        })
        .collect()
}

fn parse_examples(list: &str) -> Result<Vec<Feed>> {
    let mut feeds = parse_literals(list)?;
    for feed in &mut feeds {
        let FeedSource::Literal(literal) = &feed.source else { continue };
        let Literal::List(examples) = literal else {
            return Err(Error::invalid_argument(format!(
                "tf.Example input must be a list of dictionaries, but {} is given for {}",
                literal.type_name(),
                feed.key
            )));
        };
        let serialised: Vec<Literal> = examples
            .iter()
            .map(|e| Ok(Literal::Bytes(example::serialise(e)?)))
            .collect::<Result<_>>()?;
        feed.source = FeedSource::Literal(Literal::List(serialised));
    }
    Ok(feeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_parsed() {
        let check = |item: &str, want: Option<(&str, &str, Option<&str>)>| {
            let got = parse_file(item).ok().map(|f| (f.key, f.source));
            let want = want.map(|(key, path, array)| {
                let source =
                    FeedSource::File { path: path.into(), array: array.map(str::to_owned) };
                (key.to_owned(), source)
            });
            assert_eq!(got, want, "{item}");
        };
        check("x=f.npy", Some(("x", "f.npy", None)));
        check("x=f.npz[a=b]", Some(("x", "f.npz", Some("a=b"))));
        check("x=a=b", Some(("x", "a=b", None)));
        for bad in ["x", "=f", "x=", "x=f[a", "x=f[]", "x=[a]", "x=f[a]b", "x=f[[a]]"] {
            check(bad, None);
        }
    }

    #[test]
    fn later_flags_win() {
        let args = InputArgs {
            inputs: "x=f.npy".into(),
            input_exprs: "y=[1];x=2".into(),
            ..InputArgs::default()
        };
        let (feeds, warnings) = parse_feeds(&args).unwrap();
        assert_eq!(feeds.len(), 2);
        assert_eq!(feeds[0].source, FeedSource::Literal(Literal::Int(2)));
        assert_eq!(warnings.len(), 1);
    }
}
