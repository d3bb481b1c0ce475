//! The rules of the house as one check: layers, fences, sizes, names, words, `unsafe`.
//!
//! Every rule reads the tree and gives back problems as text; none of them changes a file, except
//! that `--update` lowers the numbers of `docs/ratchets.tsv`. The rules themselves are documented
//! in `ARCHITECTURE.md` and `CONTRIBUTING.md`, from where the tables are read.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

mod layers;
mod lexer;
mod links;
mod markdown;
mod ratchet;
mod source;
mod tree;

pub use ratchet::Ratchets;

/// All problems of the tree at `root`; `update` lowers the committed ratchets first.
///
/// # Errors
/// When a file that the rules are read from is missing or malformed.
pub fn check(root: &Path, update: bool) -> Result<Vec<String>> {
    let architecture = read(root, "ARCHITECTURE.md")?;
    let house = layers::House::parse(&architecture)?;
    let files = tree::source_files(root)?;
    let mut ratchets = Ratchets::parse(&read(root, ratchet::PATH)?)?;

    let mut problems = layers::check(root, &house)?;
    let mut counts = ratchet::Counts::default();
    for file in &files {
        source::check(file, &house, &mut counts, &mut problems);
    }
    if update {
        ratchets.lower(&counts);
        fs::write(root.join(ratchet::PATH), ratchets.to_string()).context(ratchet::PATH)?;
    }
    problems.extend(ratchets.check(&counts));
    problems.extend(links::check(root)?);
    problems.extend(commands_agree(&read(root, "README.md")?, &read(root, ".ci/run")?));
    problems.sort();
    Ok(problems)
}

fn read(root: &Path, path: &str) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| path.to_owned())
}

/// The test command of the README is the one that `.ci/run` calls.
fn commands_agree(readme: &str, ci: &str) -> Option<String> {
    let command = "cargo test --workspace";
    let has = |text: &str| text.lines().any(|line| line.trim() == command);
    (!has(readme) || !has(ci))
        .then(|| format!("README.md and .ci/run: both must have `{command}` on a line of its own"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_test_command_is_seen() {
        let ours = "```\n  cargo test --workspace\n```";
        assert_eq!(commands_agree(ours, "set -e\ncargo test --workspace\n"), None);
        assert!(commands_agree(ours, "cargo test --workspace --lib\n").is_some());
    }
}
