//! The committed list of passing cases: `docs/scoreboard.md`, which may only improve.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::pool::Outcome;

/// Where the scoreboard is.
pub(crate) const PATH: &str = "docs/scoreboard.md";

const TOP: &str = "\
# Scoreboard

The cases of the corpus that pass, written by `cargo xtask corpus PATH --update`. A run fails when
a case that is listed here fails; the list is only made shorter by hand.

";

/// Counts and passing cases of each group.
#[derive(Default)]
pub(crate) struct Scoreboard {
    groups: BTreeMap<String, Score>,
}

#[derive(Default, Clone)]
struct Score {
    failed: usize,
    skipped: usize,
    passing: BTreeSet<String>,
}

impl Scoreboard {
    /// Parses the file; an absent one is an empty text.
    pub(crate) fn parse(text: &str) -> Scoreboard {
        let mut board = Scoreboard::default();
        let mut group = String::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                group = name.to_owned();
            } else if let Some([name, _, failed, skipped]) = counts(line) {
                let score = board.groups.entry(name.to_owned()).or_default();
                score.failed = failed.parse().unwrap_or(0);
                score.skipped = skipped.parse().unwrap_or(0);
            } else if let Some(unit) = line.strip_prefix("- ") {
                let score = board.groups.entry(group.clone()).or_default();
                score.passing.extend(expand(&group, unit));
            }
        }
        board
    }

    /// The cases of `results` that are listed as passing and did not pass.
    pub(crate) fn fallen<'a>(&self, results: &'a [(String, Outcome)]) -> Vec<&'a str> {
        let listed = |id: &str| self.groups.values().any(|score| score.passing.contains(id));
        let fallen = results.iter().filter(|(id, o)| *o != Outcome::Passed && listed(id));
        fallen.map(|(id, _)| id.as_str()).collect()
    }

    /// Replaces a group by the results of a whole run of it.
    pub(crate) fn set(&mut self, group: &str, results: &[(String, Outcome)]) {
        let mut score = Score::default();
        for (id, outcome) in results {
            match outcome {
                Outcome::Passed => drop(score.passing.insert(id.clone())),
                Outcome::Failed(_) => score.failed += 1,
                Outcome::Skipped(_) => score.skipped += 1,
            }
        }
        self.groups.insert(group.to_owned(), score);
    }

    /// The file's text, with the groups in the given order.
    pub(crate) fn text(&self, order: &[&str]) -> String {
        let mut out = TOP.to_owned();
        out.push_str("| group | passed | failed | skipped |\n|---|---|---|---|\n");
        let known = || order.iter().filter_map(|name| Some((*name, self.groups.get(*name)?)));
        for (name, score) in known() {
            let (passed, failed, skipped) = (score.passing.len(), score.failed, score.skipped);
            let _ = writeln!(out, "| {name} | {passed} | {failed} | {skipped} |");
        }
        for (name, score) in known() {
            let _ = write!(out, "\n## {name}\n\n");
            for (unit, cases) in fold(name, &score.passing) {
                let colon = if cases.is_empty() { "" } else { ": " };
                let _ = writeln!(out, "- {unit}{colon}{}", cases.join(" "));
            }
        }
        out
    }
}

/// The cells of a row of the table of counts.
fn counts(line: &str) -> Option<[&str; 4]> {
    let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
    let [name, passed, failed, skipped, ""] = cells[..] else { return None };
    passed.parse::<usize>().ok()?;
    Some([name, passed, failed, skipped])
}

/// The ids that one line of a group stands for.
fn expand(group: &str, line: &str) -> Vec<String> {
    match line.split_once(": ") {
        None => vec![format!("{group}/{line}")],
        Some((unit, cases)) => {
            cases.split(' ').map(|case| format!("{group}/{unit}/{case}")).collect()
        }
    }
}

/// The cases of a group by unit; a unit that is one case has no parts.
fn fold<'a>(group: &str, ids: &'a BTreeSet<String>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut units: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in ids {
        let inner = id.strip_prefix(group).and_then(|id| id.strip_prefix('/')).unwrap_or(id);
        match inner.split_once('/') {
            Some((unit, case)) => units.entry(unit).or_default().push(case),
            None => drop(units.entry(inner).or_default()),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Vec<(String, Outcome)> {
        vec![
            ("ops/Abs/plain".into(), Outcome::Passed),
            ("ops/Abs/empty".into(), Outcome::Passed),
            ("ops/Acos/plain".into(), Outcome::Failed("why".into())),
            ("ops/Add/plain".into(), Outcome::Skipped("why".into())),
        ]
    }

    #[test]
    fn the_text_is_read_back() {
        let mut board = Scoreboard::default();
        board.set("ops", &results());
        board.set("zoo", &[("zoo/cond".into(), Outcome::Passed)]);
        let text = board.text(&["zoo", "ops"]);
        assert!(text.contains("| ops | 2 | 1 | 1 |\n"), "{text}");
        assert!(text.ends_with("## zoo\n\n- cond\n\n## ops\n\n- Abs: empty plain\n"), "{text}");
        assert_eq!(Scoreboard::parse(&text).text(&["zoo", "ops"]), text);
    }

    #[test]
    fn one_fallen_case_is_seen() {
        let mut board = Scoreboard::default();
        board.set("ops", &results());
        assert!(board.fallen(&results()).is_empty());
        let mut worse = results();
        worse[1].1 = Outcome::Failed("new".into());
        worse.push(("ops/Abs/fresh".into(), Outcome::Failed("new".into())));
        assert_eq!(board.fallen(&worse), ["ops/Abs/empty"]);
        worse[1].1 = Outcome::Skipped("lazy".into());
        assert_eq!(board.fallen(&worse), ["ops/Abs/empty"]);
    }
}
