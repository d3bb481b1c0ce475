//! Numbers that may only fall: `docs/ratchets.tsv`, one `kind TAB subject TAB number` a line.
//!
//! A subject that is not listed has the number 0. Raising a number is an edit by hand, so that a
//! reviewer sees it; `--update` only lowers.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};

/// Where the numbers are.
pub(super) const PATH: &str = "docs/ratchets.tsv";

type Key = (String, String);

/// What was counted in the tree.
#[derive(Default)]
pub struct Counts(BTreeMap<Key, usize>);

impl Counts {
    /// Adds to the count of `subject`.
    pub(super) fn add(&mut self, kind: &str, subject: &str, n: usize) {
        if n > 0 {
            *self.0.entry((kind.to_owned(), subject.to_owned())).or_default() += n;
        }
    }
}

/// The committed numbers.
pub struct Ratchets {
    header: String,
    numbers: BTreeMap<Key, usize>,
}

impl Ratchets {
    /// Parses the file; lines that start with `#` at its top are kept.
    ///
    /// # Errors
    /// When a line has not three fields or no number.
    pub fn parse(text: &str) -> Result<Ratchets> {
        let header = text.lines().take_while(|line| line.starts_with('#'));
        let header = header.map(|line| format!("{line}\n")).collect();
        let mut numbers = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [kind, subject, number] = fields[..] else {
                anyhow::bail!("{PATH}: `{line}` is not three fields");
            };
            let number = number.parse().with_context(|| format!("{PATH}: `{line}`"))?;
            numbers.insert((kind.to_owned(), subject.to_owned()), number);
        }
        Ok(Ratchets { header, numbers })
    }

    /// Lowers each number to what was counted and drops those that are 0.
    pub fn lower(&mut self, counts: &Counts) {
        for (key, number) in &mut self.numbers {
            *number = (*number).min(counts.0.get(key).copied().unwrap_or(0));
        }
        self.numbers.retain(|_, number| *number > 0);
    }

    /// One problem for each count above its number.
    pub fn check(&self, counts: &Counts) -> Vec<String> {
        let mut problems = Vec::new();
        for (key, &count) in &counts.0 {
            let allowed = self.numbers.get(key).copied().unwrap_or(0);
            if count > allowed {
                let (kind, subject) = key;
                problems.push(format!("{subject}: {kind} {count}, and {PATH} allows {allowed}"));
            }
        }
        problems
    }
}

impl fmt::Display for Ratchets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.header)?;
        for ((kind, subject), number) in &self.numbers {
            writeln!(f, "{kind}\t{subject}\t{number}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fall_and_never_rise() {
        let text = "# top\nunsafe\tcrates/a\t3\nunsafe\tcrates/b\t1\n";
        let mut ratchets = Ratchets::parse(text).unwrap();
        assert_eq!(ratchets.to_string(), text);
        let mut counts = Counts::default();
        counts.add("unsafe", "crates/a", 2);
        counts.add("unsafe", "crates/c", 1);
        assert_eq!(ratchets.check(&counts).len(), 1);
        ratchets.lower(&counts);
        assert_eq!(ratchets.to_string(), "# top\nunsafe\tcrates/a\t2\n");
        counts.add("unsafe", "crates/a", 1);
        assert_eq!(ratchets.check(&counts).len(), 2);
        assert!(Ratchets::parse("unsafe crates/a 1").is_err());
    }
}
