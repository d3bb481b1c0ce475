//! The cases that are not run, each with its reason: `docs/corpus_skips.tsv`.

use anyhow::{Context, Result, ensure};

/// Where the list is.
pub(crate) const PATH: &str = "docs/corpus_skips.tsv";

/// The list, read.
#[derive(Default)]
pub(crate) struct Skips(Vec<(String, String)>);

impl Skips {
    /// Parses `case TAB reason` lines; `#` starts a comment line.
    pub(crate) fn parse(text: &str) -> Result<Skips> {
        let mut rows = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (id, reason) = line.split_once('\t').context(line.to_owned()).context(PATH)?;
            ensure!(!reason.trim().is_empty(), "{PATH}: `{id}` has no reason");
            rows.push((id.to_owned(), reason.trim().to_owned()));
        }
        Ok(Skips(rows))
    }

    /// Why the case `id` is not run, if it is not.
    pub(crate) fn reason(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, reason)| reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_needs_a_reason() {
        let skips = Skips::parse("# why\na/b\tno golden value\n").unwrap();
        assert_eq!(skips.reason("a/b"), Some("no golden value"));
        assert_eq!(skips.reason("a"), None);
        assert!(Skips::parse("a/b\n").is_err());
        assert!(Skips::parse("a/b\t \n").is_err());
    }
}
